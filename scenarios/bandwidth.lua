-- SPDX-License-Identifier: GPL-2.0-only
--
-- bandwidth.lua - cpu.max: a group that may use two of four CPUs, a group in it that may use a fifth of one.
scenario {
	name = "bandwidth",
	title = "A quota of run time per period",
	machine = "4",
	seed = 1,
	duration = "5s",
	about = [[
What it shows. The group /batch has four tasks that never sleep and may run
for 200 ms in every 100 ms, so on two of four CPUs on average. It does so by
running on all four until the time is used up, and then on none: the group
is throttled until the next period. In it, /batch/inner has a quota of its
own, 20 ms in 100 ms. A short task of /batch that wakes when nothing is left
waits for the period to end; the same task outside of it waits for nobody.

How to use it. Heat map (1): work and pauses in turn, ten times a second;
in Tasks (3) the state is "quota" then.
Events (4), / cfs_: who is throttled when, with how much debt. The summary
has groups[] with what was used and how long each group stood.

Things to try.
  K, quota, 50     half a CPU: the pauses get longer
  :group /batch max max    no limit
  :group /batch max 200ms/100ms 100ms    a burst of what was left over
  :set bandwidth_slice_ns 1ms     finer portions, less waiting at the end]],
}

local PERIOD = 100 -- ms
local INNER = 20
local quota = knob {
	name = "quota", default = 200, min = 1, max = 1000, help = "ms of run time that /batch has per 100 ms",
	change = function(v) group("/batch"):set_max(v * 1000000, PERIOD * 1000000) end,
}
local batch, inner = group("/batch"), group("/batch/inner")

batch:set_max(quota * 1000000, PERIOD * 1000000)
inner:set_max(INNER * 1000000, PERIOD * 1000000)
for i = 1, 3 do
	task.spawn { name = "hog" .. i, group = "/batch", cpus = { i }, program = { run "forever" } }
end
task.spawn { name = "within", group = "/batch/inner", cpus = { 0 }, program = { run "forever" } }

-- Every 35 ms for 1 ms: at every place in the period.
local light = { loop(0, run "1ms", timer { period = "35ms" }) }
task.spawn { name = "waits", group = "/batch", latency_group = "waits", cpus = { 1 }, program = light }
task.spawn { name = "free", latency_group = "free", cpus = { 1 }, program = light }

-- ---- what must hold, and why ----

-- Debts and leftovers: a tick or a slice on each CPU, 5 ms at most.
local SLACK = 4 * 5
local function used(g, per_period)
	local got, given = g.cpu_ns // 1000000, per_period * (now() // 1000000) // PERIOD
	return math.abs(got - given) <= SLACK, got
end
local standard = quota == 200
expect {
	text = "/batch: ms used are its quota times the periods, within a slice per CPU",
	test = function() return not standard or used(batch, quota), batch.cpu_ns // 1000000 end,
	why = "its tasks could use 320 ms more than the 200 they have, and no period lends to another",
}
expect {
	text = "/batch/inner: ms used are its own quota times the periods, within a slice per CPU",
	test = function() return not standard or used(inner, INNER), inner.cpu_ns // 1000000 end,
	why = "its task alone could use 100 ms, and the group around it still has time at 20 ms",
}
expect {
	text = "both are throttled in every period",
	test = function()
		local missed = batch.nr_periods - batch.nr_throttled + inner.nr_periods - inner.nr_throttled
		return not standard or missed == 0, missed
	end,
	why = "somebody always has more to do",
}
expect {
	metric = "latency.groups.waits.max_us", min = 20000,
	why = "three hogs have used up 180 ms after 60; who wakes then waits for the rest of the period",
}
expect {
	metric = "latency.groups.free.max_us", max = 6000,
	why = "outside the group it competes with the group's tasks for a slice and a tick at most",
}
