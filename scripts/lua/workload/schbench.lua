-- SPDX-License-Identifier: GPL-2.0-only
--
-- schbench.lua - schbench as it was from 2016 to 2022: messengers that release bursts of workers.
--
-- Follows schbench.c of that time. A worker spins until some wall time has passed, waiting included,
-- so one that queued does less work but is done at the same moment; then it puts itself on its
-- messenger's list and waits. A messenger wakes everyone on its list, waits until someone has put
-- himself there, and sleeps for a while, so that the others join meanwhile: workers are released in
-- bursts, by a task that comes out of a timer. Latency counts from a moment noted just before the
-- first of them is woken: the second also pays for the wake-up of the first.
--
-- Parameters have the names of the tool's options; its -t is called worker_threads here, or threads.
-- Assumed: all threads start at once, whereas the tool's messengers create their workers; no page
-- is touched and no futex is contended. Not modelled: -p, -R, -a.
local arg = ...
local calls = 0

return function(p)
	local me = "workload.schbench"
	arg.fields(p, me, "message_threads worker_threads threads runtime cputime sleeptime nice cpus group", false)
	local messengers = arg.int(p.message_threads or 2, me .. ": message_threads", 1, 1000)
	local workers = arg.int(p.worker_threads or p.threads or 2, me .. ": worker_threads", 1, 1000)
	local cputime = arg.time(p.cputime or "30ms", me .. ": cputime")
	local sleeptime = arg.time(p.sleeptime or "30ms", me .. ": sleeptime")
	local length = arg.time(p.runtime or "30s", me .. ": runtime")

	calls = calls + 1
	local out = { messengers = {}, workers = {} }
	for m = 1, messengers do
		local at = "schbench " .. calls .. "." .. m .. " "
		local posted, list, burst, stamped = at .. "posted", at .. "list", at .. "burst", at .. "stamp"
		out.messengers[m] = task.spawn {
			name = "schbench_msg" .. m, latency_group = "schbench_messenger",
			nice = p.nice, cpus = p.cpus, group = p.group,
			program = loop(
				sem_wait(posted),
				sleep { time = sleeptime, spread = sleeptime // 4 },
				sem_reset(posted),
				requeue(list, burst),
				stamp { name = stamped, shared = true },
				broadcast(burst, { stamp = stamped })),
		}
		for w = 1, workers do
			out.workers[#out.workers + 1] = task.spawn {
				name = "schbench_" .. m .. "." .. w, latency_group = "schbench_worker",
				nice = p.nice, cpus = p.cpus, group = p.group,
				program = phase { duration = length,
					runtime(cputime),
					wait_for(list, { post = posted }),
					sample "schbench_worker",
					count "schbench_messages" },
			}
		end
	end
	return out
end
