-- SPDX-License-Identifier: GPL-2.0-only
--
-- taskset.lua - a random set of periodic tasks with a given utilisation in all.
--
-- Utilisations are drawn so that every way to divide the sum is equally likely, which is what UUniFast
-- (Bini and Buttazzo, 2005) does with a root of a random number. Here, in whole numbers: n - 1 cuts of
-- the sum at random, in order; the pieces are the utilisations, in thousandths of a per cent of the
-- largest CPU. A set with a piece above the limit is drawn again (UUniFast-Discard). Periods are drawn
-- from a list. The seed is the workload's own, so a set stays the same while the run's seed changes.
local arg = ...

-- splitmix64: any seed is good, also 0.
local function stream(seed)
	local x = seed
	return function(n) -- 0 .. n - 1
		x = x + 0x9e3779b97f4a7c15
		local z = x
		z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
		z = (z ~ (z >> 27)) * 0x94d049bb133111eb
		z = z ~ (z >> 31)
		return (z >> 1) % n
	end
end

return function(p)
	local me = "workload.taskset"
	arg.fields(p, me, "n utilisation seed limit periods nice cpus group", false)
	local n = arg.int(p.n or 8, me .. ": n", 1, 1000)
	local limit = arg.scaled(p.limit or 90, me .. ": limit", 1, 100000)
	local sum = arg.scaled(p.utilisation or 200, me .. ": utilisation", 1, n * limit)
	local draw = stream(arg.int(p.seed or 1, me .. ": seed", 0, (1 << 53) - 1))
	local periods = p.periods or { "5ms", "10ms", "16ms", "20ms", "33ms", "50ms", "100ms" }
	if type(periods) ~= "table" or #periods == 0 then arg.fail(me .. ": periods is a list of times") end

	local parts
	for try = 1, 1000 do
		local cuts = { 0, sum }
		for i = 1, n - 1 do cuts[i + 2] = draw(sum + 1) end
		table.sort(cuts)
		parts = {}
		for i = 1, n do
			parts[i] = cuts[i + 1] - cuts[i]
			if parts[i] > limit then
				parts = nil
				break
			end
		end
		if parts then break end
		if try == 1000 then
			arg.fail(me .. ": no " .. n .. " tasks below the limit were found in 1000 draws; raise limit or n")
		end
	end
	local out = { tasks = {}, utilisation = {}, period = {} }
	for i = 1, n do
		local period = arg.time(periods[1 + draw(#periods)], me .. ": a period")
		if period < 1000000 then arg.fail(me .. ": periods are 1ms at least") end
		out.period[i] = period
		out.utilisation[i] = parts[i] / 1000
		out.tasks[i] = task.spawn { name = "set" .. i, latency_group = "taskset", delay = draw(period),
			nice = p.nice, cpus = p.cpus, group = p.group,
			program = periodic { period = period, run = math.max(period * parts[i] // 100000, 1) } }
	end
	return out
end
