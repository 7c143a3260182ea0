-- SPDX-License-Identifier: GPL-2.0-only
--
-- hotplug-remote-caller.lua - whose record does a CPU leave that another node's CPU takes offline?
scenario {
	name = "hotplug-remote-caller",
	title = "Taken offline from another node",
	machine = "2x4",
	seed = 1,
	duration = "4s",
	about = [[
What it shows. A question of the review of July 2021: the patch takes the
record of the node that the executing CPU belongs to. Do all uses run on the
CPU that they are about, the offline path for instance? In the kernel a CPU
is taken offline by a thread of its own, so they do. Here a switch makes the
first CPU of another node do it: nohz.offline_remote of per-node-posted. That
is ASSUMED, to see what would follow; no kernel is known to do it.

CPU 6 of node 1 is idle and goes offline. With the switch, node 0's record is
changed: it counts one idle CPU less than its mask holds, and node 1's mask
and count keep a CPU that is not there. sched.check() says so. The run goes
on: a CPU that is offline is never idle, so no round visits it, but node 0
reaches a count of 0, and with it no kicks, while it still has an idle CPU.
per-node takes the record of the CPU concerned, whoever runs the code. When
it takes over, it builds the records anew from the CPUs' own flags.

How to use it. NOHZ view (8): counts beside masks. The console shows what
sched.check() found.

Things to try.
  K, remote 0      the CPU does it itself: nothing is wrong
  -p nohz=global   one record: whoever does it changes the right one]],
}

local remote = knob { name = "remote", default = 1, min = 0, max = 1,
	help = "assumed: 1 = a CPU of another node runs the offline path of per-node-posted" }
local CPU = 6
local first, second, third

-- Some life in both nodes.
for i = 0, 1 do
	task.spawn { name = "hog" .. i, cpus = i * 4, program = run "forever" }
	task.spawn { name = "beat" .. i, cpus = i * 4 + 1, program = periodic { period = "20ms", duty = 10 } }
end
policy.use("nohz", "per-node-posted")
policy.set("nohz.offline_remote", remote)

at("1s", function() cpu(CPU):offline() end)
at("1001ms", function()
	first = sched.check() or "nothing"
	print("per-node-posted: " .. first)
end)
at("2s", function()
	policy.use("nohz", "per-node")
end)
at("2001ms", function() second = sched.check() or "nothing" end)
at("2100ms", function() cpu(CPU):online() end)
at("3s", function() cpu(CPU):offline() end)
at("3001ms", function()
	third = sched.check() or "nothing"
	print("per-node: " .. third)
end)

if remote == 1 then
	expect {
		text = "record 1 keeps CPU 6, which is gone, and counts it",
		test = function()
			return first ~= nil and first:find("record 1 still holds CPU 6, which is offline", 1, true) ~= nil, first
		end,
		why = "the record of the executing CPU's node was changed instead",
	}
else
	expect {
		text = "taken offline by itself: nothing is wrong",
		test = function() return first == "nothing", first end,
		why = "the executing CPU and the one concerned are the same",
	}
end
expect {
	text = "records are made anew when the policy changes",
	test = function() return second == "nothing", second end,
	why = "from the CPUs' own nohz_tick_stopped",
}
expect {
	text = "with per-node nothing is wrong, whoever does it",
	test = function() return third == "nothing", third end,
	why = "it takes the record of the CPU concerned",
}
