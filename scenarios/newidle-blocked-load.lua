-- SPDX-License-Identifier: GPL-2.0-only
--
-- newidle-blocked-load.lua - wake-ups that wait behind a search for work: the load and the machine of "sched/fair:
-- Rate limit calls to update_blocked_averages() for NOHZ" (J. Fernandes, LKML, January 2021).
scenario {
	name = "newidle-blocked-load",
	title = "schbench on a v5.4 kernel that walks blocked load while idle (January 2021)",
	machine = "sc7180-2021-01",
	kernel = "v5.4",
	seed = 1,
	duration = "5s",
	about = [[
What it shows. schbench, two messengers with two workers each, on a phone's
chip with a v5.4 kernel, and some groups whose tasks wake now and then. A CPU
that runs out of work looks for some on its way to idle, and in v5.4 that
search brings the blocked load of every idle CPU up to date: a walk over
queues of groups, CPU by CPU, interrupts off, on a slow clock. A task that
wakes on that CPU meanwhile waits. In the thread:

  v5.4         as it was: each CPU at most once a tick
  ratelimit    the proposal: each CPU at most every 50 ms
  early-abort  the reply: look for a wake-up between two CPUs, and stop
  v5.13        what was merged later: nobody else's load in the search

wake-up latency, us       50 %   75 %   90 %   95 %   99 %   runs with
                                                              10 ms
  thread   as it was       210    619    665    703   12656   (one run:
           rate limit      188    238    623    657     717   yes, no)
  here     v5.4             59     92    158    282     821   6 of 20
           ratelimit        55     83    138    195     514   2
           early-abort      58     84    152    243     737   6
           v5.13            58     87    142    184     692   8
  24       v5.4             77     95    209    490    1008   1
  groups   ratelimit        62     92    156    259     870   4
           early-abort      76    102    204    469    1106   5
           v5.13            77     99    184    294     924   8
  -m       v5.4             62    151    511    942   11239   19
  sc7180   ratelimit        47    106    267    586   10289   20
           early-abort      74    129    511   1389   11665   20
           v5.13            38     87    217    374    7684   18
               (medians of seeds 1 to 20, 312 wake-ups of a worker each)

What is alike. One update takes up to 76 us (thread: 33 to 67), a whole
search up to 420 us with the walk (430 to 501) and 100 us without. What
waits behind a search parts the policies between 90 and 95 %: by a factor of
nearly two with 24 groups, or on the chip as it is described today (-m sc7180),
whose little cores are too small for a worker, so that four share two big
ones. With 8 groups it is hardly more than what the seeds differ. With no groups, with
costs off, on a flat machine at full clock there is nothing. The 12 ms tail
is there and has the length of the thread's: a worker is queued behind
another task and gets the CPU when the slice of 12 ms of that one is over and
a tick sees it. Who waited 10 ms was behind another task, each time; a search
alone never takes that long.

What differs. Half of our wake-ups find a CPU that is awake and fast: 60 us,
not 210. The tail comes under all four policies, in a tenth to two fifths
of the runs, as one or two of 312 wake-ups, so that 99 % lies below it; on
today's capacities 99 % is above 10 ms in 14, 11, 16 and 6 of 20 runs, in the
order above. In the thread it was in the one run as it was and not in the one with
the limit, of some 213 wake-ups each. early-abort gives up only some four
searches in 5 s. Tried too: without energy-aware placement (place=linux-noeas:
95 % is 182, 146, 194, 150 us, runs with 10 ms 3, 8, 5, 1), HZ 250 (10 ms
waits end at 12 to 16 ms). Nothing was set to come nearer.

Not known of the device: its groups, whether EAS ran, HZ, tracing, and how
deep its CPUs slept. The machine file says what was inferred.

How to use it.
  schedground compare newidle-blocked-load.lua --seeds 20 \
      --vary newidle=v5.4,ratelimit,early-abort,v5.13
'graph' shows the newest search as the thread's function graph.

Things to try.
  p, newidle, v5.13         while it runs; then 'graph' again
  K, cgroups                0, 24: the length of the walk
  K, hz                     250: the tick that ends a slice comes later
  -s costs=0                no policy differs from another
  -p newidle=ratelimit -s newidle.ratelimit_ms=10
                            once in 10 ms
  -p place=linux-noeas      without energy-aware placement
  -m sc7180                 what the kernel was told after 2021]],
}

local cgroups = knob { name = "cgroups", default = 8, min = 0, max = 1000,
	help = "groups with blocked load per CPU" }
local hz = knob { name = "hz", default = 1000, min = 100, max = 1000, unit = "1/s",
	help = "ticks per second; the device's is not known, 1000 is that of its kernel family" }

local MS = 1000000
policy.set("hz", hz)
workload.schbench { message_threads = 2, worker_threads = 2, runtime = "5s" }

-- The groups are real: on each CPU each of them has a task that wakes about three times a second for some tens of us.
for g = 1, cgroups do
	for c, cpu in ipairs(cpus()) do
		task.spawn { name = "bg" .. g, group = "/bg" .. g, cpus = cpu.id, latency_group = "background",
			delay = math.random(0, 350 * MS),
			program = loop(run { time = "40us", spread = "30us" }, sleep { time = "300ms", spread = "100ms" }) }
	end
end

-- ---- what is measured: waits of 10 ms and more, and behind whom ----

local worker = "^schbench_%d"
local behind, alone = 0, 0
local before = {}
on("sched_wakeup", function(ev)
	local t = ev.task
	if not t or not t.name:find(worker) then return end
	report.count "wakeups"
	-- Another one runs there, or was queued before it.
	local c = sched.cpu[ev.target_cpu]
	before[t.name] = c.nr_running > 1
end)
on("sched_stat_wait", function(ev)
	local t = ev.task
	if not t or ev.delay_ns < 10 * MS or not t.name:find(worker) then return end
	report.count "waited_10ms"
	if before[t.name] then behind = behind + 1 else alone = alone + 1 end
end)
throughput { name = "waited_10ms_pct", count = "waited_10ms", as = "pct", of = "wakeups" }
-- ---- what must hold, and why ----

local walks = { ["v5.4"] = true, ["early-abort"] = true }
local swapped = false
on("policy_change", function() swapped = now() > 0 or swapped end)

expect {
	text = "whoever waited 10 ms and more was queued behind another task",
	test = function() return alone == 0, behind .. " behind a task, " .. alone .. " not" end,
	why = "no search takes that long: what does is the slice of the task that runs, 24 ms for two on 8 CPUs, and the "
		.. "tick that ends it",
}
expect {
	text = "the walk makes the search long: the longest takes six typical updates or more, and each makes one on average",
	test = function()
		local m = sched.metrics
		if swapped or not walks[policy.name "newidle"] or cgroups < 8 or #cpus() < 8
			or not m.newidle.max_us then
			return true, "not asked"
		end
		return m.newidle.max_us >= 6 * m.blocked.per_cpu_p50_us and m.newidle.blocked_updates >= m.newidle.count,
			m.newidle.max_us
	end,
	why = "up to seven other CPUs are idle and have load to decay, of which those are left out that were seen to in this "
		.. "tick; a lock and some ten queues each must be gone through",
}
expect {
	text = "'v5.13' and 'none': a search leaves the load of others alone",
	test = function()
		local rule = policy.name "newidle"
		if swapped or (rule ~= "v5.13" and rule ~= "none") then return true, rule end
		return sched.metrics.newidle.blocked_updates == 0, sched.metrics.newidle.blocked_updates
	end,
	why = "the idle loop does it, with interrupts open",
}

local mail = "J. Fernandes, LKML 2021-01-22: schbench -t 2 -m 2 -r 5, "
local function figures(rule, what, p50, p75, p90, p95, p99, max)
	for name, us in pairs { p50 = p50, p75 = p75, p90 = p90, p95 = p95, p99 = p99, max = max } do
		published { metric = "latency.groups.schbench_worker." .. name .. "_us", when = { newidle = rule },
			value = us, source = mail .. what }
	end
end
figures("v5.4", "without the patch", 210, 619, 665, 703, 12656, 13424)
figures("ratelimit", "with the patch", 188, 238, 623, 657, 717, 725)
