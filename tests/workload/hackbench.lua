-- SPDX-License-Identifier: GPL-2.0-only
-- hackbench: every message arrives, everybody ends, and the time is not less than the work allows.
scenario { name = "hackbench", machine = "smp8", duration = "3s", about = "test" }
local pipe = knob { name = "pipe", default = 0, min = 0, max = 1, help = "pipes instead of sockets" }
local depth = knob { name = "depth", default = 0, min = 0, max = 1000,
	help = "messages that fit, 0 = as in the kernel" }
local GROUPS, FDS, LOOPS = 2, 5, 40
workload.hackbench { groups = GROUPS, fds = FDS, loops = LOOPS, pipe = pipe == 1, depth = depth > 0 and depth or nil }

expect { metric = "throughput.hackbench_messages.count", equals = GROUPS * FDS * FDS * LOOPS,
	why = "every sender writes to every receiver of its group, loops times" }
expect { text = "all have ended", test = function() return #tasks() == 0, #tasks() end }
expect { text = "no faster than the work on 8 CPUs, no slower than on one",
	test = function()
		local s = metric "throughput.hackbench_time_s"
		local work = GROUPS * FDS * FDS * LOOPS * 2.5e-6
		return s and s >= work / 8 and s < 10 * work, s
	end,
	why = "2.5 us for each message; what else it costs is a few system calls and wake-ups, a fraction of a us to 5 us" }
