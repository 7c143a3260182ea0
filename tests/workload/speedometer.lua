-- SPDX-License-Identifier: GPL-2.0-only
-- speedometer: a frame for each step, at most one a refresh; the figures are what was counted.
scenario { name = "speedometer", machine = "gs101", duration = "4s", about = "test" }
local frames = knob { name = "frames", default = 60, min = 1, max = 1000, help = "refreshes a second" }
workload.speedometer { runtime = "3s", frames = frames }

expect { text = "no more frames than steps, none without one, and no more than the display shows",
	test = function()
		local steps, n = metric "throughput.speedometer_steps.count", metric "throughput.frames.count"
		return steps > 0 and n > 0 and n <= steps and n <= frames * 3 + 2, n
	end,
	why = "a frame shows what one or more steps have changed" }
expect { text = "steps take 2 to 24 ms and what queueing adds",
	test = function()
		local score = metric "throughput.speedometer_score"
		return score <= 60000 // 2 * 3 // 4 and score > 0
			and math.abs(score - metric "throughput.speedometer_steps.count" * 15) < 0.001, score
	end }
expect { text = "late frames in per cent of all",
	test = function()
		local late = metric "throughput.frames_late.count" or 0
		local pct = metric "throughput.frames_late_pct"
		return math.abs(pct - 100 * late / metric "throughput.frames.count") < 0.001, pct
	end }
