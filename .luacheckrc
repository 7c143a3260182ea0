-- SPDX-License-Identifier: GPL-2.0-only
-- Lints scenarios and scripts/lua: luacheck scenarios scripts/lua
std = "lua54"
max_line_length = 120
self = false
unused_args = false

-- What a scenario finds as globals: the table of Lua functions in the manual page.
local api = {
  "after", "at", "barrier", "broadcast", "count", "cpu", "cpus", "domain", "domains", "every",
  "exit", "expect", "fork",
  "group", "help", "knob", "lock", "loop", "metric", "now", "on", "periodic", "phase", "policy",
  "published", "pulse", "ramp",
  "receive", "report", "requeue", "run", "runtime", "sample", "scenario", "sched", "seed",
  "sem_post", "sem_reset", "sem_wait", "send",
  "sleep", "stair", "stamp", "sweep", "task", "tasks",
  "throughput", "time_text", "timer",
  "unlock", "wait", "wait_for", "wait_until", "wake", "workload", "yield", "WF_EXEC", "WF_FORK",
  "WF_SYNC", "WF_TTWU",
}
read_globals = api
-- The prelude is where they are made; sg is what the program hands to it.
files["scripts/lua/prelude.lua"] = { globals = api, read_globals = { "sg" } }
files["tests"] = { read_globals = { "sg" } }
