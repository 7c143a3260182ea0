-- SPDX-License-Identifier: GPL-2.0-only
--
-- pgbench.lua - pgbench -N: a PostgreSQL server under simple updates, one backend for each client.
--
-- Follows PostgreSQL's manual on what pgbench does: a transaction is BEGIN, UPDATE, SELECT, INSERT, END,
-- five round trips without think time. What changes goes into the log under a lock that all backends
-- share, and END waits until the log has been flushed. One flush serves everyone who asked before it
-- began (group commit); who asks while it is under way is served by the next one.
--
-- Assumed: work of the statements 10, 60, 30, 40 and 20 us and of the client 5 to 15 us each, all data in
-- memory; 2 us of those with the log's lock held; a flush of 50 to 100 us, as on flash; two servers'
-- helpers that wake every 200 ms. Simplified: the flush is made by a task of its own, where PostgreSQL
-- lets the first backend that asks do it: a wake-up more for each flush. Each client has a thread of its
-- own (-j as -c). Not modelled: -S and the standard script with its two hot tables, row locks,
-- checkpoints, a log that is full.
local arg = ...
local calls = 0

return function(p)
	local me = "workload.pgbench"
	arg.fields(p, me, "clients time flush wal nice cpus group", false)
	local clients = arg.int(p.clients or 1, me .. ": clients", 1, 10000)
	local length = arg.time(p.time or "60s", me .. ": time")
	local flush = arg.time(p.flush or "50us", me .. ": flush")
	local wal = arg.time(p.wal or "2us", me .. ": wal")

	calls = calls + 1
	local base = "pgbench " .. calls
	local log, asked, ask, served = base .. " log", base .. " asked", base .. " ask", base .. " served"
	local out = { clients = {}, backends = {} }
	local function add(name, program)
		return task.spawn { name = name, nice = p.nice, cpus = p.cpus, group = p.group, program = program }
	end
	-- 20 % more or less than a statement takes on the average.
	local function work(us) return run { time = us * 800, spread = us * 400 } end
	local function logged(us) return { work(us), lock(log), run(wal), unlock(log) } end
	local statements = { work(10), logged(60), work(30), logged(40),
		{ logged(20), wait_for(asked, { post = ask }) } }

	out.flusher = add("pg_flush", loop(sem_wait(ask), sem_reset(ask), requeue(asked, served),
		sleep { time = flush, spread = flush }, broadcast(served)))
	for _, name in ipairs { "pg_walwriter", "pg_bgwriter" } do
		add(name, loop(run { time = "50us", spread = "100us" }, timer "200ms"))
	end
	for c = 1, clients do
		local req, rep = base .. "." .. c .. " request", base .. "." .. c .. " answer"
		local client, backend = { stamp "begin" }, {}
		for i = 1, #statements do
			client[#client + 1] = { run { time = "5us", spread = "10us" }, send(req, 1), receive(rep) }
			backend[i] = { receive(req), statements[i], send(rep, 1) }
		end
		client[#client + 1] = { sample("pgbench_transaction", "begin"), count "pgbench_transactions" }
		out.backends[c] = add("postgres", loop(backend))
		out.clients[c] = add("pgbench", phase { duration = length, client })
	end
	throughput { name = "pgbench_tps", count = "pgbench_transactions", per = "second" }
	return out
end
