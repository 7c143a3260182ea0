-- SPDX-License-Identifier: GPL-2.0-only
--
-- nice.lua - what a nice value is worth: three tasks that never sleep on one CPU.
scenario {
	name = "nice",
	title = "Nice values are weights",
	machine = "1",
	seed = 1,
	duration = "10s",
	about = [[
What it shows. Each step of nice is a factor of about 1.25 in weight, and
who competes for a CPU gets it in proportion to the weights: nice 0, 5 and
10 have 1024, 335 and 110, so 70, 23 and 7 per cent. It is the ratio that
counts: move all three by the same number and nothing changes.

How to use it. Tasks (3): the run column. Curves (2), Down: util_avg
settles at the share of the task.

Things to try.
  K, third, -10    the last becomes the first
  p, pick, rr      weights do not count; fifo: the first takes all
  p, pick, lottery    the same shares by luck; stride: by rule
  :set base_slice_ns 20ms    coarser turns, the same shares]],
}

-- The weights of the kernel for nice 0, 5 and 10.
local WEIGHT = { 1024, 335, 110 }
local moved = false
local t, names = {}, {}

local function nice_knob(i, name, default)
	local value = knob { name = name, default = default, min = -20, max = 19, help = "nice value of task " .. name,
		change = function(v)
			moved = true
			t[i]:set_nice(v)
		end }
	moved = moved or value ~= default
	names[i] = name
	t[i] = task.spawn { name = name, nice = value, program = { run "forever" } }
end
nice_knob(1, "first", 0)
nice_knob(2, "second", 5)
nice_knob(3, "third", 10)

-- ---- what must hold, and why ----

for i, w in ipairs(WEIGHT) do
	expect {
		text = names[i] .. ": share of the CPU in 1/1000, within 1 % of the CPU",
		test = function()
			local share = t[i].exec_ns * 1000 // now()
			return moved or math.abs(share - w * 1000 // (1024 + 335 + 110)) <= 10, share
		end,
		why = "time goes by weight, and weight is 1024, 335 and 110 for nice 0, 5 and 10",
	}
end
expect {
	metric = "cpus.0.busy_pct", min = 99.9,
	why = "nobody ever sleeps",
}
