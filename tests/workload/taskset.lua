-- SPDX-License-Identifier: GPL-2.0-only
-- taskset: the sum is exact, the limit holds, a seed names a set, and the tasks use what they were given.
scenario { name = "taskset", machine = "smp8", duration = "2s", about = "test" }
local set_seed = knob { name = "set", default = 1, min = 0, max = 1000000, help = "seed of the set" }
policy.use("governor", "performance")
local t = workload.taskset { n = 10, utilisation = 300, limit = 60, seed = set_seed }

expect { text = "300 % in all, none above 60 %",
	test = function()
		local sum = 0
		for _, u in ipairs(t.utilisation) do
			if u > 60 or u < 0 then return false, u end
			sum = sum + (u * 1000 + 0.5) // 1
		end
		return sum == 300000 and #t.tasks == 10, sum
	end }
expect { text = "they run for 300 % of the time, less the first delays, within 5 %",
	test = function()
		local ns = 0
		for _, p in ipairs(t.tasks) do ns = ns + p.exec_ns end
		return ns > 5700000000 and ns < 6300000000, ns
	end,
	why = "work is in time on a CPU of full speed; a task's first period begins within 100 ms" }
