-- SPDX-License-Identifier: GPL-2.0-only
--
-- four-nodes.lua - sixteen CPUs in four nodes: a crowd that is kept on one node, and set free.
scenario {
	name = "four-nodes",
	title = "Four nodes, and a crowd on one of them",
	machine = "4x4",
	seed = 1,
	duration = "8s",
	about = [[
What it shows. Four nodes of four CPUs with caches of their own. A crowd
of workers may run on node 0 only for two seconds, then anywhere for two
seconds, and so on. Three pairs of tasks that wake each other share a node
as long as the crowd is kept at home; the free crowd pushes them about.

When the crowd is set free, CPUs of the other nodes take waiting workers:
first those that just ran out of work, then those that an idle CPU looks
after because a busy one kicked it (NOHZ). When it is called back, the
workers move at once.

How to use it. Heat map: the nodes are bracketed; v until it shows the
queues. Events (4), / and load_balance.

Things to try.
  K, workers          more or fewer than CPUs
  p, newidle, none    only ticks and kicks help
  p, balance, none    and newidle, none: the crowd stays where it is
  p, nohz, none       nobody looks for work for a wholly idle node]],
}

local NODE, HOLD = 4, 2000 -- CPUs of a node; ms
local MS = 1000000
local crowd, moved = {}, false
local home = true

local function where() return home and "0-3" or "0-15" end
local function have(n)
	while #crowd > n do table.remove(crowd):kill() end
	while #crowd < n do
		crowd[#crowd + 1] = task.spawn { name = "worker" .. #crowd + 1, cpus = where(), latency_group = "workers",
			program = loop(run { mean = "20ms", max = "100ms" }, sleep { mean = "200us", max = "1ms" }) }
	end
end
local nr = knob { name = "workers", default = 16, min = 1, max = 256, help = "size of the crowd",
	change = function(v)
		moved = true
		have(v)
	end }
have(nr)

-- answer holds the lock except while it waits, so that ask, once it has the lock, is heard for certain.
for i = 1, 3 do
	local l, q, r = "lock" .. i, "question" .. i, "reply" .. i
	task.spawn { name = "answer" .. i, program = { lock(l), loop(wait_for(q, l), run "300us", wake(r)) } }
	task.spawn { name = "ask" .. i, delay = "50ms",
		program = loop(run "200us", lock(l), wake(q), wait_for(r, l), unlock(l), sleep "3ms") }
end

-- ---- the crowd's life, and what must hold ----

-- How many CPUs were busy in the second half of each free time.
local looks, busy = 0, 0
every("10ms", function()
	local phase = now() // MS % (2 * HOLD)
	if phase == 0 or phase == HOLD then
		home = phase == 0
		for _, w in ipairs(crowd) do w:set_cpus(where()) end
	elseif phase > HOLD * 3 // 2 then
		for _, c in ipairs(cpus()) do
			looks = looks + 1
			if c.nr_running > 0 then busy = busy + 1 end
		end
	end
end)

local function pct(n, of) return of > 0 and n * 100 // of or 0 end
if nr == #sched.cpu then
	expect {
		text = "a free crowd of one worker per CPU keeps 85 % of all CPUs busy",
		test = function() return moved or pct(busy, looks) >= 85, pct(busy, looks) end,
		why = "workers run 99 % of their time, and a node that is idle takes who waits on a full one",
	}
end
if nr >= NODE then
	expect {
		metric = "nodes.0.busy_pct", min = 95,
		why = "the crowd fills its home node half of the time and its share of the machine the other half",
	}
end
