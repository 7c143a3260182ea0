-- SPDX-License-Identifier: GPL-2.0-only
--
-- idle-node.lua - one node full of tasks that never sleep, one idle: who fetches work for it?
scenario {
	name = "idle-node",
	title = "An idle node beside a full one",
	machine = "2x4",
	seed = 1,
	duration = "5s",
	about = [[
What it shows. The concern of the review of July 2021. Two nodes of four
CPUs; eight tasks that never sleep are bound to node 0, two on each CPU. At
1 s they are set free. CPUs of node 1 are idle and have no tick: they do not
look for work by themselves, and since nobody sleeps or wakes, nobody places
a task there. Only a busy CPU's tick can help: it kicks an idle CPU, which
balances for all idle ones (nohz).

 global           the first idle CPU of the machine is asked: help comes as soon as
                  the domain of both nodes is due
 per-node         node 0 counts no idle CPU, so the tick asks the nearest node
                  that has one: the same
 per-node-posted  a tick looks at the count of its own node, which is 0, and
                  asks nobody. Node 1 starves as long as node 0 has no idle CPU

nodes[].idle_starved_us counts the time in which a node is wholly idle while
a task that may run there waits elsewhere. At 3 s the policy becomes per-node
in any case: the starving ends.

How to use it. Heat map: the lower half is node 1. NOHZ view (8): the record
of each node, who kicks for which reason, and why a kick is not sent. Trace:
nohz_no_kick says "why" 0: the record counts no idle CPU.

Things to try.
  p, nohz, per-node-posted    before 1 s, or -p nohz=per-node-posted
  p, nohz, none               nobody is ever asked
  K, tasks 4                  the full node has no task to spare
  K, sleepy 1                 a CPU of node 0 is idle now and then: it fetches
                              what waits, for node 0]],
}

local nr = knob { name = "tasks", default = 8, min = 0, max = 64, help = "tasks that never sleep" }
local sleepy = knob { name = "sleepy", default = 0, min = 0, max = 1,
	help = "1: one more task on node 0 works 1 ms of every 20" }
local used -- the policy that answers from 1 s to 3 s

local hogs = {}
for i = 1, nr do hogs[i] = task.spawn { name = "hog" .. i, cpus = "0-3", program = run "forever" } end
if sleepy == 1 then
	task.spawn { name = "sleepy", cpus = "0-3", program = periodic { period = "20ms", duty = 5 } }
end

-- Kicks that a CPU of node 0 wanted and did not send because its record counts no idle CPU.
local none_idle = 0
on("nohz_no_kick", function(ev)
	if ev.why == 0 and now() > 1000000000 and now() < 3000000000 then none_idle = none_idle + 1 end
end)

local function starved() return metric("nodes.1.idle_starved_us") // 1000 end -- ms
local at_1s, at_3s = 0, 0
at("1s", function()
	used = policy.name("nohz")
	at_1s = starved()
	for _, h in ipairs(hogs) do h:set_cpus("all") end
end)
at("3s", function()
	at_3s = starved()
	policy.use("nohz", "per-node")
end)

expect {
	text = "while they are bound to node 0, node 1 does not starve",
	test = function() return at_1s == 0, at_1s end,
	why = "nobody who waits may run there",
}
local function helps() return used == "global" or used == "per-node" or used == "per-llc" end
if nr >= 8 and sleepy == 0 then
	expect {
		text = "ms until help comes: 600 at most where a tick can ask for it, 2000 where none can",
		test = function()
			if helps() then return at_3s <= 600, at_3s end
			return at_3s >= 1980, at_3s
		end,
		why = "looking in vain at bound tasks has stretched the interval of the domain, to 512 ms at most, "
			.. "and a few passes leave hot tasks alone; "
			.. "under per-node-posted the full node counts 0 idle CPUs, and the idle one has no tick",
	}
	expect {
		text = "in the last two seconds nobody starves, 600 ms of them at most",
		test = function() return starved() - at_3s <= 600, starved() - at_3s end,
		why = "per-node asks the nearest node that has an idle CPU",
	}
	expect {
		text = "under per-node-posted the trace names the condition, at nearly each of 4 CPUs' 500 ticks",
		test = function()
			return used ~= "per-node-posted" or none_idle > 1900, none_idle
		end,
		why = "nr_cpus of the own node's record is 0",
	}
end
