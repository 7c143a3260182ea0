-- SPDX-License-Identifier: GPL-2.0-only
--
-- hackbench.lua - hackbench, and `perf bench sched messaging`: groups of senders and receivers.
--
-- Follows tools/perf/bench/sched-messaging.c. In each group there are as many senders as receivers;
-- every receiver has one socket pair or pipe, which all senders of its group share, and every sender
-- writes to each receiver in turn, loops times. All tasks say that they are ready and wait for one
-- byte that starts everybody: a mass wake-up. The figure is the time until all have ended.
--
-- Assumed: the work of a message, 1.5 us to write and 1 us to read it, 20 % more or less, beside the system calls and
-- wake-ups that the table of costs charges; what fits into a socket, 212992 bytes of send buffer, a
-- small message being charged as the kernel's buffer for it (a power of two for data and trailer, and
-- 256 bytes of head); into a pipe, 65536 bytes. Simplified: tasks exist when the run begins, processes
-- and threads are alike (no address space to switch), and a message wakes one receiver for good.
local arg = ...
local calls = 0

local function socket_depth(datasize)
	local size = 512
	while size < datasize + 320 do size = size * 2 end
	return 212992 // (size + 256)
end

return function(p)
	local me = "workload.hackbench"
	arg.fields(p, me, "groups loops fds datasize pipe depth write read nice cpus group", false)
	local groups = arg.int(p.groups or 10, me .. ": groups", 1, 10000)
	local loops = arg.int(p.loops or 100, me .. ": loops", 1, 1000000)
	local fds = arg.int(p.fds or 20, me .. ": fds", 1, 200)
	local datasize = arg.int(p.datasize or 100, me .. ": datasize", 1, 65536)
	local depth = p.pipe and 65536 // datasize or socket_depth(datasize)
	depth = arg.int(p.depth or math.max(depth, 1), me .. ": depth", 1, 1000000)
	local write = arg.time(p.write or "1500ns", me .. ": write")
	local read = arg.time(p.read or "1us", me .. ": read")

	-- A fifth more or less than given.
	local function work(ns) return run { time = ns * 4 // 5, spread = ns * 2 // 5 } end

	calls = calls + 1
	local at = "hackbench " .. calls
	local ready, go, done = at .. " ready", at .. " go", at .. " done"
	local out = { senders = {}, receivers = {} }
	local function add(list, name, ...)
		local spec = { name = name, nice = p.nice, cpus = p.cpus, group = p.group,
			program = { wait_for(go, { post = ready }), loop(...), sem_post(done) } }
		list[#list + 1] = task.spawn(spec)
	end

	for g = 1, groups do
		local writes = {}
		for r = 1, fds do
			local fd = at .. " " .. g .. "." .. r
			writes[r] = { work(write), send(fd, depth) }
			add(out.receivers, "hackbench_recv", fds * loops, receive(fd), work(read), count "hackbench_messages")
		end
		for _ = 1, fds do add(out.senders, "hackbench_send", loops, writes) end
	end
	out.main = task.spawn { name = "hackbench", nice = p.nice, cpus = p.cpus, group = p.group,
		program = { loop(2 * fds * groups, sem_wait(ready)), broadcast(go),
			loop(2 * fds * groups, sem_wait(done)), count "hackbench_done" } }
	throughput { name = "hackbench_time_s", count = "hackbench_done", as = "time", target = calls }
	return out
end
