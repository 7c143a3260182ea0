-- SPDX-License-Identifier: GPL-2.0-only
--
-- util-est-pixel6.lua - what an estimate that will not fall costs in energy. The second experiment of
-- "sched/fair: Decrease util_est in presence of idle time" (P. Gondois, LKML, December 2024).
scenario {
	name = "util-est-pixel6",
	title = "energy of an overestimate on a Pixel 6 (December 2024)",
	machine = "gs101",
	seed = 1,
	duration = "440ms",
	about = [[
What it shows. A task A with 20 % of each 16 ms is pinned to each mid and
big CPU of a Pixel 6. Four tasks B, free to go anywhere, wake 2 ms after
them; they need 20 % for 0.2 s and 5 % for 0.2 s. Wherever a B waited for an
A, 'runnable' keeps its estimate up for much of the second half, frequency
and placement follow the estimate, and the battery pays.

                                       mail      here, seeds 1 to 20
                                                 scaled=0   scaled=1
  energy, counters    idle-aware     -9.16 %      -1.2 %     -2.5 %
          by signals  idle-aware    -15.51 %      -1.7 %     -4.5 %
  overutilised share  runnable              -        56 %       14 %
                      idle-aware            -        57 %        8 %
  dequeues held       runnable              -        28 %       36 %

Direction and order are the mail's, the size is not. What differs, as far as we
know: the mail does not say whether 20 % are of the largest CPU, as here, or
of the CPU that A is pinned to (K, scaled; the mid CPUs have half the
capacity). With the former, A and B together overload a mid CPU: the machine
is overutilised whatever the rule is, places tasks without looking at energy
and runs at high frequency, which leaves little for the rule to spoil. Power
figures of the machine are public ones of the same chip; a counter sees
more than cores. The rest of a phone's system is missing; K, others adds
some of it and makes the difference smaller.

How to use it.
  schedground compare util-est-pixel6.lua \
      --vary util_est=runnable,idle-aware,revert --seeds 20
  the same with --set scaled=1

Things to try.
  K, busy      0: no tasks A, nobody waits, nothing is held
  K, start     the tasks' start after a tick; the seed draws it otherwise
  K, others    4: some background work
  -p governor=performance   no frequency to follow the estimate]],
}

local MS = 1000000
local start = knob { name = "start", default = -1, min = -1, max = 3999, unit = "us",
	help = "start of the tasks after a tick; -1 = drawn from the seed" }
local jitter = knob { name = "jitter", default = 100, min = 0, max = 1500, unit = "us",
	help = "width of the interval from which the work of an activation is drawn" }
local busy = knob { name = "busy", default = 1, min = 0, max = 1, help = "0: without the tasks A" }
local scaled = knob { name = "scaled", default = 0, min = 0, max = 1,
	help = "1: 20 % of A are of its own CPU's capacity, not of the largest" }
local others = knob { name = "others", default = 0, min = 0, max = 32,
	help = "threads of the rest of the system: they wake every 20 ms on the average for 0.1 to 0.4 ms" }

if start < 0 then start = math.random(0, 3999) end
local t0 = start * 1000
local function work(us) return run { time = us * 1000 - jitter * 500, spread = jitter * 1000 } end

-- 20 % and 5 % of 16 ms on the largest CPU.
local HIGH, LOW = work(3200), work(800)
if busy == 1 then
	for cpu = 4, 7 do
		local own = scaled == 1 and cpu < 6 and work(3200 * 498 // 1024) or HIGH
		task.spawn { name = "A" .. cpu, latency_group = "A", cpus = cpu, delay = t0,
			program = phase { duration = "400ms", own, timer "16ms" } }
	end
end
for i = 1, 4 do
	task.spawn { name = "B" .. i, latency_group = "B", delay = t0 + 2 * MS, program = {
		phase { duration = "200ms", HIGH, timer "16ms" }, phase { duration = "200ms", LOW, timer "16ms" } } }
end
for i = 1, others do
	task.spawn { name = "other" .. i, latency_group = "others",
		program = loop(sleep { mean = "20ms", max = "200ms" }, run { time = "100us", spread = "300us" }) }
end

-- ---- what must hold, and why ----

expect {
	text = "'idle-aware' and 'revert' hold no estimate back",
	test = function()
		local pct = metric "util_est.held_pct"
		local rule = policy.name "util_est"
		return rule == "runnable" or rule == "v5.4" or pct < 1, pct
	end,
	why = "no CPU is without idle time: A and B need 60 % of the smallest that they run on for long",
}
expect {
	text = "'runnable' holds some, if there are tasks to wait for",
	test = function()
		local pct = metric "util_est.held_pct"
		return busy == 0 or policy.name "util_est" ~= "runnable" or pct > 1, pct
	end,
	why = "an A runs on every CPU that a B fits on when it wakes 2 ms later",
}
expect {
	text = "all tasks are done in time",
	test = function()
		local n = 0
		for _, p in ipairs(tasks()) do n = n + (p.name:match "^[AB]%d$" and 1 or 0) end
		return n == 0 or now() < 440 * MS, n
	end,
}

local mail = "P. Gondois, LKML 2024-12-19: Pixel 6, ten runs, energy "
published { metric = "energy.total_uj", when = { util_est = "idle-aware" }, change_pct = -9.16,
	source = mail .. "counters" }
published { metric = "energy.by_signals", when = { util_est = "idle-aware" }, change_pct = -15.51,
	source = mail .. "computed from signals" }
