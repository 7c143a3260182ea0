-- SPDX-License-Identifier: GPL-2.0-only
--
-- housekeeping.lua - idle balancing where some nodes have no CPU that may do it.
scenario {
	name = "housekeeping",
	title = "Nodes without housekeeping CPUs",
	machine = "4x4",
	seed = 1,
	duration = "5s",
	about = [[
What it shows. Four nodes of four CPUs; CPUs 0-3 and 8-11 keep house, as with
nohz_full=4-7,12-15. Other CPUs run tasks like any, but may not be asked to
balance for idle ones (HK_TYPE_MISC), and timers of absent CPUs do not come
to them. A crowd at home on node 1 and one on node 3 are larger than their
nodes from time to time: somebody has to look after the idle CPUs there.

 global           one mask; the first housekeeping CPU that is idle goes round
 per-node         the round for a node without housekeeping CPUs is made by the
                  nearest one elsewhere, and visits that node
 per-node-posted  the patch of July 2021 falls back to one record for the whole
                  machine as soon as any CPU is isolated, which the review
                  disliked: node 0's CPUs then visit everybody

How to use it. NOHZ view (8): records, and who was looked after by whom.

Things to try.
  -p nohz=per-node, -p nohz=per-node-posted     compare nohz.remote_cpu_visits
  housekeeping all          every node has its own again
  cpu 0 offline             and 1, 2, 3: node 2 keeps house alone
  K, home 0                 the crowds may go anywhere]],
}

local home = knob { name = "home", default = 1, min = 0, max = 1, help = "1: crowds stay on nodes 1 and 3" }
local keeps = "0-3,8-11"

sched.housekeeping(keeps)
for _, cpus in ipairs { "4-7", "12-15" } do
	for i = 1, 7 do
		task.spawn { name = "crowd" .. i, cpus = home == 1 and cpus or "all", latency_group = "crowd",
			program = loop(run { mean = "9ms", max = "60ms" }, sleep { mean = "9ms", max = "90ms" }) }
	end
end
-- A tick runs in the other nodes as well.
task.spawn { name = "clerk0", cpus = "1", program = run "forever" }
task.spawn { name = "clerk2", cpus = "9", program = run "forever" }

local function keeps_house(c) return c < 4 or (c >= 8 and c < 12) end
local rounds, wrong, served = 0, 0, { 0, 0, 0, 0 }
on("nohz_round", function(ev)
	-- Rounds on the way to idleness are for the own record and wake nobody: flags 2 alone.
	if ev.flags == 2 then return end
	rounds = rounds + 1
	if not keeps_house(ev.cpu) then wrong = wrong + 1 end
end)
on("nohz_visit", function(ev)
	local node = ev.for_cpu // 4 + 1
	served[node] = served[node] + 1
end)

expect {
	text = "no CPU outside " .. keeps .. " was asked to go round",
	test = function() return wrong == 0 and (rounds > 0 or policy.name("nohz") == "none"), wrong end,
	why = "find_new_ilb() looks at housekeeping CPUs only",
}
expect {
	text = "visits to idle CPUs of node 1 or 3, the fewer, a second: 10 at least",
	test = function()
		local rate = math.min(served[2], served[4]) * 1000000000 // now()
		return rate >= 10 or policy.name("nohz") == "none", rate
	end,
	why = "their nodes have no CPU that may do it, so another node's does: blocked load alone is due 31 times a second",
}
if home == 1 then
	expect {
		metric = "nodes.0.busy_pct", max = 30,
		why = "one task is bound there, of four CPUs; the crowds stay at home",
	}
end
