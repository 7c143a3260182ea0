-- SPDX-License-Identifier: GPL-2.0-only
-- pgbench: a latency for each transaction, none ends before its flush, one flush serves many.
scenario { name = "pgbench", machine = "smp8", duration = "600ms", about = "test" }
local flush = knob { name = "flush", default = "50us", help = "shortest flush" }
local CLIENTS = 8
local t = workload.pgbench { clients = CLIENTS, time = "500ms", flush = flush }

expect { text = "a latency for each transaction, and the figure is their number",
	test = function()
		local n = metric "throughput.pgbench_transactions.count"
		local tps = metric "throughput.pgbench_tps"
		return n > 0 and n == metric "latency.groups.pgbench_transaction.count"
			and math.abs(tps - n / 0.6) < 0.001, tps
	end }
expect { metric = "latency.groups.pgbench_transaction.min_us", min = flush // 1000 + 128 + 5 * 5,
	why = "a flush, the statements less 20 %, and the client's part of five round trips" }
expect { text = "a flush serves everyone who asked before it began",
	test = function()
		-- The flusher wakes twice for each: when somebody asks, and when it is done; or only once.
		local flushes = metric "latency.groups.pg_flush.count" / 1
		local n = metric "throughput.pgbench_transactions.count"
		return flush < 2000000 or n >= 2 * flushes, n / flushes
	end,
	why = "eight clients are done with their statements long before a flush of 2 ms and more is" }
expect { text = "clients have ended, the server waits",
	test = function()
		for i = 1, CLIENTS do
			if t.clients[i].alive or t.backends[i].state ~= "waiting" then return false, i end
		end
		return true
	end }
