-- SPDX-License-Identifier: GPL-2.0-only
--
-- steps.lua - what task programs are written with; embedded in the program like prelude.lua.
--
-- A step is a small table that task.spawn turns into the engine's own steps: op, two operands, the
-- object it is about, and for loops and phases the steps inside. Shapes are made of steps.
--
-- raw.env holds the globals; raw.time(v, what), raw.int(v, what, min, max), raw.duty(v, what),
-- raw.text(v, what) and raw.fields(t, fn, names, list) check what they get; raw.fail(text) raises at
-- the script's line; raw.STEP is the metatable by which steps are known.

local raw = ...
local env, fail, time, int, duty, text, fields = raw.env, raw.fail, raw.time, raw.int, raw.duty, raw.text, raw.fields
local STEP, step_of = raw.STEP, raw.step
local type, ipairs = env.type, env.ipairs

local FOREVER = 0
local MAX_PARTS = 10000 -- steps a ramp may be cut into

local function step(op, a, b, kind, obj)
	return step_of({ op = op, a = a, b = b, kind = kind, obj = obj })
end

-- A time, or { time =, spread = } for a uniform and { mean =, max = } for an exponential draw.
local function timed(op, fn, v, more)
	if type(v) ~= "table" then return step(op, time(v, fn)) end
	fields(v, fn, "time spread mean max" .. (more or ""), false)
	if v.mean ~= nil then
		if v.time ~= nil or v.spread ~= nil then fail(fn .. " takes time and spread, or mean and max") end
		return step(op, time(v.mean, fn .. ": mean"), v.max and time(v.max, fn .. ": max") or 0, "exp")
	end
	if v.spread == nil then return step(op, time(v.time, fn .. ": time")) end
	return step(op, time(v.time, fn .. ": time"), time(v.spread, fn .. ": spread"), "uniform")
end

function env.run(t)
	if t == "forever" then return step("run", -1) end
	return timed("run", "run", t)
end
function env.runtime(t) return timed("runtime", "runtime", t) end
function env.sleep(t)
	local s = timed("sleep", "sleep", t, " io")
	if type(t) == "table" and t.io then s.io = true end
	return s
end
function env.yield() return step("yield") end
function env.exit() return step("exit") end

function env.timer(t)
	if type(t) ~= "table" then return step("timer", time(t, "timer: period"), nil, nil, "timer") end
	fields(t, "timer", "period name absolute shared", false)
	local s = step("timer", time(t.period, "timer: period"), nil, t.absolute and "absolute" or nil,
		t.name and text(t.name, "timer: name") or "timer")
	s.shared = t.shared and true or nil
	return s
end

for _, op in ipairs { "wake", "broadcast" } do
	env[op] = function(name, with)
		local s = step(op, nil, nil, nil, text(name, op .. ": the name"))
		if with ~= nil then
			fields(with, op, "stamp", false)
			s.stamp = text(with.stamp, op .. ": stamp")
		end
		return s
	end
end

function env.requeue(name, other)
	local s = step("requeue", nil, nil, nil, text(name, "requeue: the name"))
	s.to = text(other, "requeue: the other name")
	return s
end

for _, op in ipairs { "lock", "unlock" } do
	env[op] = function(name) return step(op, nil, nil, nil, text(name, op .. ": the name")) end
end

function env.wait_for(name, mutex)
	local s = step("wait", nil, nil, nil, text(name, "wait_for: the name"))
	if type(mutex) == "table" then
		fields(mutex, "wait_for", "post", false)
		s.post = text(mutex.post, "wait_for: post")
	elseif mutex ~= nil then
		s.mutex = text(mutex, "wait_for: the lock")
	end
	return s
end

for _, op in ipairs { "sem_post", "sem_wait", "sem_reset", "receive" } do
	env[op] = function(name) return step(op, nil, nil, nil, text(name, op .. ": the name")) end
end

function env.send(name, depth)
	return step("send", int(depth or 1, "send: depth", 1, 1000000), nil, nil, text(name, "send: the name"))
end

function env.barrier(name, parties)
	if type(name) == "table" then
		fields(name, "barrier", "name parties", false)
		name, parties = name.name, name.parties
	end
	return step("barrier", int(parties, "barrier: parties", 1, 1000000), nil, nil, text(name, "barrier: the name"))
end

-- What a workload reports about itself. A stamp is the task's own unless it is shared by name.
local function stamp_of(fn, name, shared)
	local s = step(fn, nil, nil, nil, text(name, fn == "stamp" and "stamp: the name" or fn .. ": from"))
	s.shared = shared and true or nil
	return s
end

function env.stamp(t)
	if type(t) ~= "table" then return stamp_of("stamp", t) end
	fields(t, "stamp", "name shared", false)
	return stamp_of("stamp", t.name, t.shared)
end

function env.sample(t, from)
	if type(t) ~= "table" then t = { name = t, from = from } end
	fields(t, "sample", "name from shared", false)
	if t.from == nil and t.shared ~= nil then fail("sample: shared goes with from, the stamp to measure from") end
	local s = t.from == nil and step("sample") or stamp_of("sample", t.from, t.shared)
	s.what = text(t.name, "sample: the name")
	return s
end

function env.count(t, n)
	if type(t) ~= "table" then t = { name = t, n = n } end
	fields(t, "count", "name n from above shared", false)
	local s
	if t.from ~= nil then
		s = stamp_of("count", t.from, t.shared)
		s.b = t.above and time(t.above, "count: above") or 0
	elseif t.above ~= nil or t.shared ~= nil then
		fail("count: above and shared go with from, the stamp to measure from")
	else
		s = step("count")
	end
	s.a = int(t.n == nil and 1 or t.n, "count: n", 0, 1099511627775)
	s.what = text(t.name, "count: the name")
	return s
end

function env.fork(spec)
	if type(spec) ~= "table" or spec.op then fail("fork takes the description of a task, as task.spawn does") end
	local s = step("fork")
	s.spec = spec
	return s
end

-- The steps of a list, with lists in it taken apart; nothing else may be in there.
local function body(list, from, fn, out, depth)
	out, depth = out or {}, (depth or 0) + 1
	if depth > 16 then fail(fn .. ": lists nested too deeply") end
	for i = from, #list do
		local s = list[i]
		if STEP(s) then
			out[#out + 1] = s
		elseif type(s) == "table" then
			body(s, 1, fn, out, depth)
		else
			fail(fn .. ": element " .. i .. " is no step but a " .. type(s) .. "; steps are run(t), sleep(t), ...")
		end
	end
	return out
end

local function block(op, a, list, fn)
	local s = step(op, a)
	local steps = body(list, 1, fn)
	if #steps == 0 then fail(fn .. ": there is no step in it") end
	for i = 1, #steps do s[i] = steps[i] end
	return s
end

function env.loop(n, ...)
	if type(n) == "table" then return block("loop", FOREVER, { n, ... }, "loop") end
	return block("loop", n == nil and FOREVER or int(n, "loop: times", 0, 4294967295), { ... }, "loop")
end

function env.phase(p)
	fields(p, "phase", "duration loop nice cpus", true)
	local steps = body(p, 1, "phase")
	local s
	if p.duration ~= nil then
		if p.loop ~= nil then fail("phase takes a duration or a number of loops, not both") end
		s = block("phase", time(p.duration, "phase: duration"), steps, "phase")
	else
		s = block("loop", int(p.loop or 1, "phase: loop", 0, 4294967295), steps, "phase")
	end
	local out = {}
	if p.nice ~= nil then out[#out + 1] = step("nice", int(p.nice, "phase: nice", -20, 19)) end
	if p.cpus ~= nil then
		local c = step("cpus")
		c.cpus = p.cpus
		out[#out + 1] = c
	end
	if #out == 0 then return s end
	out[#out + 1] = s
	return out
end

-- ---- shapes: work against a period; duty is in per cent of the largest CPU at its top frequency ----

-- One period: work, then the timer. Duties here are in 1/1000 of a per cent.
local function beat(period, d)
	if d >= 100000 then return { env.run(period) } end
	local work = period * d // 100000
	if work == 0 then return { step("timer", period, nil, nil, "timer") } end
	return { step("run", work), step("timer", period, nil, nil, "timer") }
end

local function period_of(p, fn)
	local t = time(p.period or "16ms", fn .. ": period")
	if t < 1000 or t > 3600 * 1000000000 then fail(fn .. ": the period is 1us .. 1 hour") end
	return t
end

function env.periodic(p)
	fields(p, "periodic", "period duty run", false)
	local period = period_of(p, "periodic")
	if p.run ~= nil then
		if p.duty ~= nil then fail("periodic takes duty or run, not both") end
		return block("loop", FOREVER, { timed("run", "periodic: run", p.run),
			step("timer", period, nil, nil, "timer") }, "periodic")
	end
	if p.duty == nil then fail("periodic needs a duty in per cent, or run = time") end
	return block("loop", FOREVER, beat(period, duty(p.duty, "periodic: duty")), "periodic")
end

-- n periods of the same duty, or phases of a length.
local function hold(period, d, length)
	return block("phase", length, beat(period, d), "phase")
end

function env.ramp(p)
	fields(p, "ramp", "period from to over", false)
	local period = period_of(p, "ramp")
	local from, to = duty(p.from or 0, "ramp: from"), duty(p.to, "ramp: to")
	local n = time(p.over, "ramp: over") // period
	if n < 1 or n > MAX_PARTS then fail("ramp: over is 1 .. " .. MAX_PARTS .. " periods") end
	local out = {}
	for i = 0, n - 1 do
		local d = n == 1 and to or from + (to - from) * i // (n - 1)
		for _, s in ipairs(beat(period, d)) do out[#out + 1] = s end
	end
	return block("loop", 1, out, "ramp")
end

function env.stair(p)
	fields(p, "stair", "period from to steps hold", false)
	local period = period_of(p, "stair")
	local from, to = duty(p.from or 0, "stair: from"), duty(p.to, "stair: to")
	local n = int(p.steps or 5, "stair: steps", 1, 1000)
	local length = time(p.hold or "500ms", "stair: hold")
	local out = {}
	for i = 0, n - 1 do
		out[#out + 1] = hold(period, n == 1 and to or from + (to - from) * i // (n - 1), length)
	end
	return block("loop", 1, out, "stair")
end

function env.pulse(p)
	fields(p, "pulse", "period low high low_for high_for", false)
	local period = period_of(p, "pulse")
	return block("loop", FOREVER, {
		hold(period, duty(p.low or 5, "pulse: low"), time(p.low_for or "500ms", "pulse: low_for")),
		hold(period, duty(p.high or 60, "pulse: high"), time(p.high_for or "500ms", "pulse: high_for")),
	}, "pulse")
end

-- The period changes from one length to another while the duty stays.
function env.sweep(p)
	fields(p, "sweep", "duty from to steps hold", false)
	local d = duty(p.duty, "sweep: duty")
	local from, to = time(p.from or "1ms", "sweep: from"), time(p.to or "100ms", "sweep: to")
	local n = int(p.steps or 10, "sweep: steps", 1, 1000)
	local length = time(p.hold or "500ms", "sweep: hold")
	local out = {}
	for i = 0, n - 1 do
		local period = n == 1 and to or from + (to - from) * i // (n - 1)
		if period < 1000 then fail("sweep: periods are 1us at least") end
		out[#out + 1] = hold(period, d, length)
	end
	return block("loop", 1, out, "sweep")
end

raw.body = body
