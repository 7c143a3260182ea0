-- SPDX-License-Identifier: GPL-2.0-only
-- speedometer: a frame for each step, at most one a refresh; the figures are what was counted.
scenario { name = "speedometer", machine = "gs101", duration = "4s", about = "test" }
local frames = knob { name = "frames", default = 60, min = 1, max = 1000, help = "refreshes a second" }
workload.speedometer { runtime = "3s", frames = frames }

expect { text = "every step's frame is drawn, none twice",
	test = function()
		local steps, n = metric "throughput.speedometer_steps.count", metric "throughput.frames.count"
		return steps > 0 and n == steps, n
	end,
	why = "commits wait for the frame before them, and a second is left to draw the last" }
expect { text = "steps take 3 to 24 ms and what queueing adds",
	test = function()
		local score = metric "throughput.speedometer_score"
		return score <= 60000 // 3 * 3 // 4 and score > 0
			and math.abs(score - metric "throughput.speedometer_steps.count" * 15) < 0.001, score
	end }
expect { text = "late frames in per cent of all",
	test = function()
		local late = metric "throughput.frames_late.count" or 0
		local pct = metric "throughput.frames_late_pct"
		return math.abs(pct - 100 * late / metric "throughput.frames.count") < 0.001, pct
	end }
