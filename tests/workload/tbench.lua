-- SPDX-License-Identifier: GPL-2.0-only
-- tbench: each request has its answer, bytes belong to requests, one of a pair runs at a time.
scenario { name = "tbench", machine = "smp8", duration = "300ms", about = "test" }
local CLIENTS = 3
local t = workload.tbench { clients = CLIENTS, runtime = "200ms" }
local ROUND, BYTES = 21, 164 * 1024

expect { text = "whole rounds: so many bytes for so many requests",
	test = function()
		local bytes, n = metric "throughput.tbench_bytes.count", metric "latency.groups.tbench_request.count"
		return n > 0 and n % ROUND == 0 and bytes * ROUND == n * BYTES, n
	end }
expect { text = "the figure is what was counted",
	test = function()
		local mb, bytes = metric "throughput.tbench_mb_s", metric "throughput.tbench_bytes.count"
		return math.abs(mb - bytes / 1e6 / 0.3) < 0.001, mb
	end }
expect { text = "clients have ended, servers wait for more",
	test = function()
		for i = 1, CLIENTS do
			if t.clients[i].alive or t.servers[i].state ~= "waiting" then return false, i end
		end
		return true
	end }
expect { metric = "latency.groups.tbench_request.min_us", min = 4, why = "a server works 4 us at least" }
