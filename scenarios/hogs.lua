-- SPDX-License-Identifier: GPL-2.0-only
--
-- hogs.lua - more tasks that never sleep than CPUs, and one that hardly runs.
scenario {
	name = "hogs",
	title = "More hogs than CPUs",
	machine = "4",
	seed = 1,
	duration = "5s",
	about = [[
What it shows. Six tasks that never sleep on four equal CPUs, and a mouse
that needs 1 ms of every 50. No CPU may idle while a hog waits. On one CPU
the hogs take turns and get the same. Over the whole machine two CPUs have
two hogs and two have one: a hog gets half a CPU or a whole one, until the
balancer, having failed to make queues equal for a while, moves one all
the same. So luck changes sides every now and then, and over seconds the
shares come near 4/6. The mouse is served within a turn or two.

How to use it. Heat map: v until 'nr_running' shows the queues. Tasks (3),
o: order by run time.

Things to try.
  K, hogs      8: equal at once. 5: three alone on a CPU, by turns
  K, mice      a crowd of them
  p, balance, none    two hogs stay alone for ever
  p, pick, fifo   nobody is ever preempted: most hogs and the mouse starve
  p, pick, lottery    fair in the long run only]],
}

local CPUS = #sched.cpu
local moved, hogs, mice = false, {}, {} -- moved: a knob was, the sums below no longer hold

local function have(list, n, spec)
	while #list > n do table.remove(list):kill() end
	while #list < n do
		local i = #list + 1
		local t = {}
		for k, v in pairs(spec) do t[k] = v end
		t.name = spec.name .. i
		list[i] = task.spawn(t)
	end
end

local hog = { name = "hog", latency_group = "hogs", program = { run "forever" } }
local mouse = { name = "mouse", latency_group = "mice", program = periodic { period = "50ms", run = "1ms" } }

local nr = knob { name = "hogs", default = 6, min = 1, max = 200, help = "tasks that never sleep",
	change = function(v)
		moved = true
		have(hogs, v, hog)
	end }
local nr_mice = knob { name = "mice", default = 1, min = 0, max = 200, help = "tasks that run 1 ms of 50",
	change = function(v)
		moved = true
		have(mice, v, mouse)
	end }
have(hogs, nr, hog)
have(mice, nr_mice, mouse)

-- ---- what must hold, and why ----

expect {
	text = "every hog gets at least the share of the fullest CPU, in per cent of a CPU",
	test = function()
		if moved then return true, "knobs moved" end
		local least = math.maxinteger
		for _, t in ipairs(hogs) do least = math.min(least, t.exec_ns) end
		local per_cpu = (nr + CPUS - 1) // CPUS
		local mice_ns = 0
		for _, t in ipairs(mice) do mice_ns = mice_ns + t.exec_ns end
		return (least + mice_ns) * per_cpu * 100 >= now() * 97, least * 100 // now()
	end,
	why = "no CPU has more than the number of hogs by the number of CPUs, rounded up, and on it all get the same",
}
if nr >= CPUS then
	expect {
		text = "no CPU idles while hogs wait: idle time in us",
		test = function()
			local idle = 0
			for _, c in ipairs(cpus()) do idle = idle + c.idle_ns end
			return moved or idle * 100 <= now() * CPUS, idle // 1000
		end,
		why = "a CPU out of work takes a waiting task before it goes idle",
	}
end
if nr_mice > 0 then
	expect {
		metric = "latency.groups.mice.p99_us", max = 12500,
		why = "it waits for two turns at most, each of which ends at the first tick after a slice: 2.25 + 4 ms",
	}
end
