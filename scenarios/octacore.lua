-- SPDX-License-Identifier: GPL-2.0-only
--
-- octacore.lua - the scenario the playground opens with: a laptop's day in miniature on six little
-- and two big cores. Nothing ends, so it can be watched for as long as one likes.
scenario {
	name = "octacore",
	title = "A busy laptop on six little and two big cores",
	machine = "sc7180",
	seed = 1,
	duration = "10s",
	about = [[
What it shows. CPUs 0-5 are little (capacity 312), 6 and 7 are big (1024).
The little ones share one clock, the big ones another, and both follow
what the scheduler believes the load to be.

  ui       draws frames: busy half a second, nearly idle half a second
  compile  a background job of low priority: 800 ms of work, then a pause
  ramp     climbs until it fits no little core, falls away, climbs again
  audio, sensor, net, log
           small tasks of different periods, which energy-aware placement
           packs on little cores

Watch in the heat map: 'ramp' crosses to a big core when its utilisation
passes four fifths of a little one. 'compile' wakes on a big core at once,
although it has slept: util_est remembers how big it was. While it runs,
the machine is overutilised and the small tasks are spread instead of
packed.

Things to try.
  2                         curves of ui, beat for beat; Down: next task
  p, util_est, revert       the estimate falls with every small frame
  p, governor, powersave    nothing is done in time: see wait in tasks (3)
  p, place, least-loaded    small tasks wander, and energy goes up
  K, burst                  how heavy a frame is, while it runs
  t                         add a hog of your own]],
}

local ui
local function start_ui(duty)
	ui = task.spawn { name = "ui", program = pulse { period = "16ms",
		low = 2, low_for = "500ms", high = duty, high_for = "500ms" } }
end
start_ui(knob { name = "burst", default = 40, min = 5, max = 90, unit = "%",
	help = "work per frame while ui is busy, of a big core at its top frequency",
	change = function(v)
		ui:kill()
		start_ui(v)
	end })

local compile = task.spawn { name = "compile", nice = 10, delay = "600ms",
	program = loop(run("800ms"), sleep("2500ms")) }

task.spawn { name = "ramp", delay = "200ms",
	program = loop(ramp { period = "16ms", from = 2, to = 60, over = "3s" }, sleep("400ms")) }

local small = {
	task.spawn { name = "audio", program = periodic { period = "5ms", duty = 4 } },
	task.spawn { name = "sensor", program = periodic { period = "20ms", duty = 3 } },
	task.spawn { name = "net", program = loop(run { mean = "300us", max = "3ms" }, sleep { mean = "8ms", max = "80ms" }) },
	task.spawn { name = "log", program = periodic { period = "100ms", duty = 2 } },
}

-- ---- what must hold, and why ----

-- Where the small tasks are once each has woken up under energy-aware placement, which is off while
-- the machine is overutilised.
local on_little, looks, off, since = 0, 0, false, 0
on("sched_overutilized", function(ev)
	off, since = ev.overutilized ~= 0, now()
end)
every("50ms", function()
	if off or now() - since < 110 * 1000000 then return end
	for _, t in ipairs(small) do
		looks = looks + 1
		if sched.cpu[t.cpu].capacity_orig < 512 then on_little = on_little + 1 end
	end
end)

-- The estimate of ui, as long as nobody moved its knob: how high it gets, and how low after that.
local burst, highest, lowest = knob.burst, 0, 1024
every("50ms", function()
	local est = ui.util_est
	if knob.burst ~= burst or not est then return end
	if est > highest then highest, lowest = est, est end
	lowest = math.min(lowest, est)
end)

expect {
	text = "a busy half second of ui leaves an estimate of its share at least",
	test = function() return highest * 100 >= burst * 1024, highest end,
	why = "a periodic task goes to sleep at the peak of its average, which lies above its duty; util_est takes the peak",
}
expect {
	text = "in the idle half second the estimate of ui falls below half of that",
	test = function() return lowest * 2 < highest or burst < 10, lowest end,
	why = "each of 31 smaller frames moves the estimate a quarter of the way down",
}
expect {
	text = "a turn of compile takes a CPU at most 1000 ms",
	test = function()
		local ms = compile.exec_ns // (compile.wakeups + 1) // 1000000
		return ms <= 1000, ms
	end,
	why = "800 ms of work are 800 ms on a big core and 2600 on a little one, where it does not fit",
}
expect {
	text = "unless overutilised, small tasks are on little cores nine times in ten",
	test = function() return looks > 0 and on_little * 10 >= looks * 9, on_little * 100 // math.max(looks, 1) end,
	why = "the same work costs a little core less energy, and the little cores have room",
}
expect {
	text = "frequencies change twenty times or more",
	test = function()
		local n = 0
		for _, d in ipairs(domains()) do n = n + d.transitions end
		return n >= 20, n
	end,
	why = "ui goes from nearly idle to busy and back each second, and frequency follows utilisation",
}
