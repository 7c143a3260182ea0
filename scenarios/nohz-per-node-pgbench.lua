-- SPDX-License-Identifier: GPL-2.0-only
--
-- nohz-per-node-pgbench.lua - one idle balancer for all nodes, or one for each, under a database. After
-- "nohz: nohz idle balancing per node" (N. Piggin, LKML, July 2021).
scenario {
	name = "nohz-per-node-pgbench",
	title = "pgbench with one idle balancer, or one per node (July 2021)",
	machine = "power9-4n",
	kernel = "v5.13",
	seed = 1,
	duration = "150ms",
	about = [[
What it shows. A database with group commit on four nodes: 32 clients, their
32 backends, one log. Most CPUs idle. The kernel lets one idle CPU balance
for all idle CPUs of the machine; the proposal has one per node, so that a
round touches no other node.

                                 mail     here, 1 s, 6 seeds, per-node
  remote CPUs looked at            -      -100 % (6800 in a second to 0)
  transactions, 32 clients       +9.3 %   -1.1 %, within the spread (2 %)
    remote lines at half cost      -      -1.0 %
    remote lines at twice the cost -      -0.4 %
    one record per cache           -      +1.4 %, +0.5 %, +1.8 %

The mechanism is there: no remote CPU is visited any more. What it saves are
some 7 ms of one CPU's time in a second, most of it on a CPU that idles. The
costs known here, of queues, locks and cache lines, give no gain that could
be told from chance, and twice or half the remote cost changes nothing.

What differs, as far as we know: memory. A task that was moved to another
node runs as fast here as before; in the machine it leaves its cache behind
and the memory of its backend on the old node, which a balancer that looks at
one node hardly ever causes. Nor is it known how much of the mail's figure
is that. The clients start together on the first node and, in this release, a
quarter of the machine's CPUs may be loaded there before balancing spreads
them; threads of a core share it.

How to use it.
  schedground compare nohz-per-node-pgbench.lua -t 1s \
      --vary nohz=global,per-node,per-llc --seeds 6
  ... --vary nohz=global,per-node --vary remote_cost_pct=50,100,200
Or open it: the heat map (1) has a row per CPU, nodes as blocks.

Things to try.
  K, clients           8, 64, 128: before and after the peak
  K, remote_cost_pct   200: other nodes twice as far
  -m kunpeng920-4n     128 cores without threads
  -p nohz=none         nobody balances for idle CPUs]],
}

local clients = knob { name = "clients", default = 32, min = 1, max = 1024, help = "pgbench -c and -j" }
local remote = knob { name = "remote_cost_pct", default = 100, min = 0, max = 10000, unit = "%",
	help = "cost of a cache line from another node, in per cent of the machine's",
	change = function(v) policy.set("numa_remote_pct", v) end }
if remote ~= 100 then policy.set("numa_remote_pct", remote) end

-- The load goes on for as long as the run.
workload.pgbench { clients = clients, time = "3600s" }

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
	text = "transactions wait for their flush, and for little else",
	test = function()
		local us = metric "latency.groups.pgbench_transaction.p50_us"
		return us >= 50 + 160 and us < 20000, us
	end,
	why = "50 us at least until the log is flushed, 160 us of work at the server",
}

published { metric = "throughput.pgbench_tps", when = { nohz = "per-node", clients = 32 }, change_pct = 9.3,
	source = "N. Piggin, LKML 2021-07-01: 4 nodes, pgbench -N, 32 clients" }
