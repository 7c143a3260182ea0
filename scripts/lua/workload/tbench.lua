-- SPDX-License-Identifier: GPL-2.0-only
--
-- tbench.lua - tbench: clients that replay file server traffic over TCP, each with a server of its own.
--
-- Follows dbench's sockio.c and tbench_srv.c: a client sends a request and waits, its server answers and
-- waits, so at most one of a pair runs; there is no think time and no disk. Sizes of requests and answers
-- are those of the code: open 111/69, close 45/39, unlink 83/39, write 51+size/41, read 55/size+4,
-- query 41/80, find 41+/200. Throughput counts what is read and written, as the tool does. Wake-ups are
-- issued on the CPU of who sends, as over loopback.
--
-- Assumed: the mix of one round (below), which has about the proportions that a dbench run prints; sizes
-- of reads and writes, 4 to 64 KiB; 5 to 10 us of work per request at the client and 4 to 8 us at the
-- server; a byte more takes 0.1 ns on either side. Not modelled: segments, softirqs, windows.
local arg = ...
local calls = 0

local KIB = 1024
-- { request bytes, answer bytes, bytes that count }
local function open() return { 111, 69, 0 } end
local function close() return { 45, 39, 0 } end
local function unlink() return { 83, 39, 0 } end
local function query() return { 41, 80, 0 } end
local function find() return { 41, 200, 0 } end
local function write(size) return { 51 + size, 41, size } end
local function read(size) return { 55, size + 4, size } end
local round = {
	query(), open(), read(4 * KIB), read(4 * KIB), close(), query(), open(), write(64 * KIB), write(4 * KIB),
	close(), find(), open(), read(64 * KIB), read(16 * KIB), query(), read(4 * KIB), read(4 * KIB), close(),
	query(), open(), unlink(),
}

return function(p)
	local me = "workload.tbench"
	arg.fields(p, me, "clients runtime nice cpus group", false)
	local clients = arg.int(p.clients or 1, me .. ": clients", 1, 10000)
	local length = arg.time(p.runtime or "600s", me .. ": runtime")

	calls = calls + 1
	local out = { clients = {}, servers = {} }
	for c = 1, clients do
		local at = "tbench " .. calls .. "." .. c
		local req, rep = at .. " request", at .. " answer"
		local client, server = {}, {}
		for i, op in ipairs(round) do
			client[i] = {
				run { time = 5000 + op[1] // 10, spread = 5000 },
				stamp "request", send(req, 1), receive(rep), sample("tbench_request", "request"),
				op[2] >= 1000 and run(op[2] // 10) or {},
				count("tbench_bytes", op[3]),
			}
			server[i] = { receive(req), run { time = 4000 + (op[1] + op[2]) // 10, spread = 4000 }, send(rep, 1) }
		end
		local function add(name, program)
			return task.spawn { name = name, nice = p.nice, cpus = p.cpus, group = p.group, program = program }
		end
		out.servers[c] = add("tbench_srv", loop(server))
		out.clients[c] = add("tbench", phase { duration = length, client })
	end
	throughput { name = "tbench_mb_s", count = "tbench_bytes", per = "second", divide = 1000000 }
	return out
end
