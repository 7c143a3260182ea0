-- SPDX-License-Identifier: GPL-2.0-only
--
-- two-tasks.lua - when may a task's estimated utilisation fall while another one makes it wait?
-- After the discussion "sched/fair: Decrease util_est in presence of idle time" (LKML, December 2024).
scenario {
	name = "two-tasks",
	title = "util_est of a task that waits for another",
	machine = "smp4",
	seed = 1,
	duration = "4s",
	about = [[
What it shows. Two tasks share CPU 0. A needs 60 % of each 16 ms. B wakes
while A runs; it needs 20 % for a second, then only 5 % for a second, over
and over. How soon does the estimate of B follow the drop?

  runnable     (v6.8 and later) it may not fall while util + 10 < runnable,
               that is, while B had to wait
  idle-aware   (proposed) it may not fall only if the CPU had no idle time
  revert, v5.4 each smaller sample lowers it

With strictly periodic releases B waits for A at every wake-up, so under
'runnable' it never falls at all: four times what B needs is asked of the
CPU for good. A little drift is enough to let B slip past A now and then,
and each time it does the estimate falls. Measured on real kernels, both
happen: it fell within a millisecond or two, or after 130 to 230.

How to use it. Open the curves (2), choose B (Down) and look at
util_est above util_avg.

Things to try.
  K, rule     1 runnable, 2 idle-aware, 3 revert, 4 v5.4, while it runs
  K, drift    20: the estimate falls whenever B gets out of A's way
  K, phase    10000: B wakes when A is done; nothing holds its estimate
  K, jitter   2000: the work of both varies]],
}

local MS, CYCLE = 1000000, 2000
local BUSY, CALM = 63, 62 -- periods of 16 ms: two seconds together
local rules = { "runnable", "idle-aware", "revert", "v5.4" }

local drift = knob { name = "drift", default = 0, min = -2000, max = 2000, unit = "us",
	help = "how much longer B's period is than A's 16 ms" }
local jitter = knob { name = "jitter", default = 0, min = 0, max = 5000, unit = "us",
	help = "work of each activation is up to this much more, drawn evenly" }
local start = knob { name = "phase", default = 2000, min = 0, max = 15999, unit = "us",
	help = "how long after A B wakes up" }
local rule = knob { name = "rule", default = 0, min = 0, max = 4,
	help = "util_est rule: 1 runnable, 2 idle-aware, 3 revert, 4 v5.4; 0 leaves what is there",
	change = function(v)
		if rules[v] then policy.use("util_est", rules[v]) end
	end }
if rules[rule] then policy.use("util_est", rules[rule]) end

local function work(us)
	if jitter == 0 then return run(us * 1000) end
	return run { time = us * 1000, spread = jitter * 1000 }
end

task.spawn { name = "A", cpus = 0, program = loop(work(9600), timer("16ms")) }
local period = 16 * MS + drift * 1000
local b = task.spawn { name = "B", cpus = 0, delay = start * 1000, program = loop(
	loop(BUSY, work(3200), timer(period)),
	loop(CALM, work(800), timer(period))) }

-- ---- what must hold, and why: of the strictly periodic case, which can be worked out by hand ----

-- The estimate a quarter of a second after each drop, and the rule that was in force.
local est, by
at(start * 1000 + BUSY * 16 * MS + 250 * MS, function()
	local function look() est, by = b.util_est, policy.name("util_est") end
	look()
	every(CYCLE * MS, look)
end)

-- Only EEVDF lets A finish its slice.
local function eevdf() return policy.name("pick") == "eevdf" end

if drift == 0 and jitter == 0 and start == 2000 then
	expect {
		text = "estimate 250 ms after the drop: held at 20 % by 'runnable', below 10 % by the other rules",
		test = function()
			if not est then return false, "not seen" end
			if by == "runnable" then return est >= 1024 * 20 // 100 or not eevdf(), est end
			return est <= 1024 * 10 // 100, est
		end,
		why = "B waits 2 ms of each 16, so runnable stays 100 and more above util; where waiting does not count, "
			.. "15 samples of 3/4 leave 1 % of the distance",
	}
	expect {
		text = "B waits for A: its median latency in us is 2000",
		test = function()
			local us = metric("tasks.B.lat_p50_us") or 0
			return us >= 1900 and us <= 2100 or not eevdf(), us
		end,
		why = "A is protected until the tick 4 ms after it began, and B wakes 2 ms after it",
	}
end
