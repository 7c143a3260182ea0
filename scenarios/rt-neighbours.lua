-- SPDX-License-Identifier: GPL-2.0-only
--
-- rt-neighbours.lua - fair tasks beside a real-time task that never sleeps, and a reservation.
scenario {
	name = "rt-neighbours",
	title = "Real-time neighbours",
	machine = "2",
	seed = 1,
	duration = "10s",
	about = [[
What it shows. On CPU 0 a SCHED_FIFO task never sleeps. Beside it are a fair
task that may use only that CPU, two that may use both, and a deadline task
that wants 2 ms of every 10 and has reserved 2.5. Whoever can leaves: the capacity that is left
of CPU 0 is next to nothing. Who cannot lives on what the kernel keeps for
it: the fair server of v6.12 gives starved fair tasks 50 ms of each second;
before, real-time tasks were throttled at 950 ms. The deadline task does not
notice any of it.

How to use it. Tasks (3): the column of nice shows priorities of real-time
tasks. Trace: fair_server, rt_throttle, dl_throttle.

Things to try.
  K, protect   0 none: the pinned task gets nothing. 1 throttle, 2 server
  K, burst     more than 25 %: the deadline task asks for more than it has
  class rogue rr 50     alone of its priority: nothing changes
  -k v6.6      the throttle instead of the server
  -k v5.4      CPU 1 lends CPU 0 its real-time time: nothing for the pinned]],
}

local moved = false

local function protect(how)
	if how < 0 then return end
	policy.set("rt_throttle", how == 1 and 1 or 0)
	policy.set("fair_server_runtime_us", how == 2 and 50000 or 0)
end
local how = knob { name = "protect", default = -1, min = -1, max = 2,
	help = "-1 as the kernel does, 0 nothing, 1 throttle, 2 fair server",
	change = function(v)
		moved = true
		protect(v)
	end }
local burst = knob { name = "burst", default = 20, min = 1, max = 100, unit = "%",
	help = "what the deadline task wants; it has reserved 25" }
protect(how)

local rogue = task.spawn { name = "rogue", policy = "fifo", priority = 50, cpus = "0", program = run "forever" }
local pinned = task.spawn { name = "pinned", cpus = "0", program = run "forever" }
local _, free = task.spawn { name = "free", instances = 2, program = run "forever" }
local camera = task.spawn { name = "camera", policy = "deadline", runtime = "2500us", period = "10ms",
	program = periodic { period = "10ms", duty = burst } }

-- ---- what must hold, and why ----

local function share(t) return t.exec_ns * 1000 // now() end -- thousandths of a CPU

if how ~= 0 then
	expect {
		text = "the pinned fair task gets 50 thousandths of its CPU",
		test = function()
			local v = share(pinned)
			return moved or (v >= 35 and v <= 56), v
		end,
		why = "50 ms of each second are kept for fair tasks, whichever way, but for what the deadline task "
			.. "takes of them; not with v5.4, where the other CPU lends its real-time time",
	}
end
expect {
	text = "those who can leave have a CPU between them: thousandths",
	test = function()
		local v = share(free[1]) + share(free[2])
		return moved or v >= 1000 - 250 - 20, v
	end,
	why = "a CPU without capacity left is the busiest there is: its fair tasks are pulled, and nothing but the "
		.. "deadline task, 250 at most, is on the other",
}
expect {
	text = "the deadline task gets what it has reserved and no more: thousandths",
	test = function()
		local v = share(camera)
		local want = math.min(burst, 25) * 10
		return v >= want * 9 // 10 and v <= want + 5, v
	end,
	why = "a constant bandwidth server: what it uses too much within a tick is missing in the next period",
}
expect {
	text = "the real-time task gets the rest of its CPU: thousandths",
	test = function()
		local v = share(rogue)
		return moved or v >= 950 - 250 - 10, v
	end,
	why = "950 ms of each second, less what the deadline task takes if it runs there",
}
