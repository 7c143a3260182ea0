-- SPDX-License-Identifier: GPL-2.0-only
--
-- nohz-per-node-tbench.lua - one idle balancer for all nodes, or one for each, while pairs of tasks wake
-- each other all the time. After "nohz: nohz idle balancing per node" (N. Piggin, LKML, July 2021).
scenario {
	name = "nohz-per-node-tbench",
	title = "tbench with one idle balancer, or one per node (July 2021)",
	machine = "power9-4n",
	kernel = "v5.13",
	seed = 1,
	duration = "60ms",
	about = [[
What it shows. Pairs of a client and a server wake each other 20000 times a
second and more on four nodes; one of a pair runs at a time. The kernel lets
one idle CPU balance for all idle CPUs; the proposal has one per node.

                        mail                here, 100 ms, 4 seeds
                                            per-node    per-llc
  throughput,  8        gains and large      -1.5 %      +0.4 %   (spread 2 %)
  clients     32        losses, depending    +0.3 %      +1.3 %   (1 %)
             128        on the clients and   +2.9 %      -4.0 %   (4 %)
                        the machine
  remote CPUs looked at -                    none        none

"Mixed" it is here, too, and near what chance does. One machine of the mail
had all load on one node with 8 clients under the proposal, and on every node
without. Here all of it stays on the first node under every policy: this
release lets a quarter of the machine's CPUs be loaded in one node before
anybody sees an imbalance, and a pair that wakes each other has no reason to
leave. What the tool's start-up, connection by connection, does to that is
not modelled, nor that a task which was moved finds its data far away.

How to use it.
  schedground compare nohz-per-node-tbench.lua -t 100ms \
      --vary nohz=global,per-node,per-llc --vary clients=8,32,128 --seeds 4
Or open it: the heat map (1) has a row per CPU, nodes as blocks.

Things to try.
  K, clients           128: more than one node takes
  K, remote_cost_pct   200: other nodes twice as far
  -m kunpeng920-4n     128 cores without threads
  -p nohz=none         nobody balances for idle CPUs]],
}

local clients = knob { name = "clients", default = 8, min = 1, max = 1024, help = "clients, each with a server" }
local remote = knob { name = "remote_cost_pct", default = 100, min = 0, max = 10000, unit = "%",
	help = "cost of a cache line from another node, in per cent of the machine's",
	change = function(v) policy.set("numa_remote_pct", v) end }
if remote ~= 100 then policy.set("numa_remote_pct", remote) end

-- The load goes on for as long as the run.
local t = workload.tbench { clients = clients, runtime = "3600s" }

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
	text = "no pair starves: each client gets a tenth of the average at least",
	test = function()
		local all, least = 0, nil
		for _, c in ipairs(t.clients) do
			all = all + c.wakeups
			least = math.min(least or c.wakeups, c.wakeups)
		end
		return least >= all // clients // 10, least
	end,
	why = "there are more CPUs than pairs, and one of a pair runs at a time",
}
