-- SPDX-License-Identifier: GPL-2.0-only
--
-- nohz-per-node-hackbench.lua - one idle balancer for all nodes, or one for each, while groups of tasks
-- message each other. After "nohz: nohz idle balancing per node" (N. Piggin, LKML, July 2021).
scenario {
	name = "nohz-per-node-hackbench",
	title = "hackbench with one idle balancer, or one per node (July 2021)",
	machine = "kunpeng920-4n",
	kernel = "v5.13",
	seed = 1,
	duration = "150ms",
	about = [[
What it shows. Groups of 20 senders and 20 receivers message each other on
128 CPUs of four nodes. The kernel lets one idle CPU balance for all idle
CPUs; the proposal has one per node: no remote CPU is visited, and the nodes'
rounds run beside each other.

  time          mail                   here, 8 to 10 seeds, per-node
  1 group       13.683 s (3.91 %) to   the same within 0.1 %
                12.306 s (1.59 %):
                -10.06 %
  2 groups      no difference          -4 % (spread 10 %)
  3 groups      no difference          -14 to -16 % (15 %)
  4 groups      no difference          -15 to -28 % (9 to 15 %)
  6 groups      no difference          +5 % (15 %)

Here it pays where there are about as many tasks as CPUs, 3 and 4 groups,
and balancing has something to bring to idle CPUs, on all nodes at a time: one
of the two causes that the mail names as possible ("if we can run some ilb in
parallel on each node"). With one group each of 40 tasks finds an idle CPU at
its wake-up and nothing is left to balance. The mail does not say what its
machine was; if it had fewer CPUs, its one group is our three.

How to use it.
  schedground compare nohz-per-node-hackbench.lua -t 400ms --set loops=1000 \
      --vary nohz=global,per-node,per-llc --vary groups=1,4 --seeds 10
The run must be long enough for the last message (-t), or there is no time.

Things to try.
  K, groups            3: as many tasks as CPUs
  K, remote_cost_pct   200: other nodes twice as far
  -m power9-4n         four threads to a core, a cache for two cores
  -p nohz=none         nobody balances for idle CPUs]],
}

local groups = knob { name = "groups", default = 1, min = 1, max = 100,
	help = "hackbench -g: groups of 20 senders and 20 receivers" }
local loops = knob { name = "loops", default = 200, min = 1, max = 1000000, help = "hackbench -l" }
local remote = knob { name = "remote_cost_pct", default = 100, min = 0, max = 10000, unit = "%",
	help = "cost of a cache line from another node, in per cent of the machine's",
	change = function(v) policy.set("numa_remote_pct", v) end }
if remote ~= 100 then policy.set("numa_remote_pct", remote) end

workload.hackbench { groups = groups, loops = loops }

-- ---- what must hold, and why ----

expect {
	text = "a record for a part of the machine lists no CPU of another node; the one for all does",
	test = function()
		local visits, rounds = metric "nohz.remote_cpu_visits", metric "nohz.ilb_runs"
		local rule = policy.name "nohz"
		if rule == "none" then return rounds == 0, rounds end
		if rule == "global" then return rounds < 10 or visits > rounds, visits end
		return visits == 0, visits
	end,
	why = "a round walks the idle CPUs of its record, and of four nodes three are remote",
}
expect {
	text = "every message arrives",
	test = function()
		local n = metric "throughput.hackbench_messages.count"
		-- A run that was cut short has no time to show.
		return n == groups * 400 * loops or not metric "throughput.hackbench_time_s", n
	end,
	why = "20 senders write to 20 receivers, loops times",
}

local mail = "V. Guittot, LKML July 2021: 13.683 s (+/- 3.91 %) and 12.306 s (+/- 1.59 %)"
published { metric = "throughput.hackbench_time_s", when = { nohz = "per-node", groups = 1 }, change_pct = -10.06,
	source = mail }
