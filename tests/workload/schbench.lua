-- SPDX-License-Identifier: GPL-2.0-only
-- schbench: bursts, samples from the messenger's stamp, one for each message.
scenario { name = "schbench", machine = "smp8", duration = "4s", about = "test" }
local wake_us = knob { name = "wake_us", default = 0, min = 0, max = 1000,
	help = "cost_wakeup_ns / 1000, as set beside it" }
local t = workload.schbench { message_threads = 3, threads = 2, runtime = "3s" }

expect {
	text = "a worker's round takes 60 ms at least, and 68 ms at most",
	test = function()
		local n = metric "throughput.schbench_messages.count"
		return n >= 6 * (3000 // 68) and n <= 6 * (3000 // 60 + 1), n
	end,
	why = "30 ms of wall time, then the messenger's 30 to 37.5 ms of sleep, and wake-ups in well below a ms",
}
expect {
	text = "a sample for each message",
	test = function()
		local n = metric "latency.groups.schbench_worker.count"
		return n == metric "throughput.schbench_messages.count", n
	end,
}
expect {
	text = "workers end, messengers wait",
	test = function()
		for _, w in ipairs(t.workers) do
			if w.alive then return false, w.id end
		end
		for _, m in ipairs(t.messengers) do
			if m.state ~= "waiting" then return false, m.state end
		end
		return #t.workers == 6 and #t.messengers == 3
	end,
}
if wake_us > 0 then
	expect { metric = "latency.groups.schbench_worker.min_us", min = wake_us,
		why = "counted from before the wake-up that is paid for" }
	expect { metric = "latency.groups.schbench_worker.p75_us", min = 2 * wake_us,
		why = "of a burst of two, the second pays for both: half of all samples" }
end
