-- SPDX-License-Identifier: GPL-2.0-only
--
-- speedometer.lua - the threads of a phone's browser that runs Speedometer 2.
--
-- Follows what Speedometer's and Chromium's documents say: the page does step after step on one thread, a
-- long chain of 2 to 20 ms of script each and a gap of up to 4 ms until a timer or the next frame. What a
-- step changed is asked to be drawn; the compositor takes whatever has been asked for at the next refresh,
-- so steps do not wait for frames and several may share one. It prepares the frame, hands tiles to raster
-- workers, waits for all of them, and gives the frame to the display, which draws it. Collector and
-- compiler threads are woken by the page, and small things happen all the time.
--
-- All times are estimates at the speed of the largest core: 0.3 to 1 ms of compositing, 0.5 to 2 ms for a
-- tile, 1 to 2 ms of display, bursts of 1 to 5 ms in each helper every fourth step, io of 0.05 to 0.2 ms every
-- 5 ms and thread. Simplified: a step is one piece of script. The score is steps in a simulated minute: it
-- rises with the speed of one thread as the tool's does, on a scale of its own. A frame is late if it is not
-- drawn one refresh after the compositor took it up.
local arg = ...
local calls = 0

return function(p)
	local me = "workload.speedometer"
	arg.fields(p, me, "runtime frames raster helpers io gap nice cpus group", false)
	local length = arg.time(p.runtime or "65s", me .. ": runtime")
	local hz = arg.int(p.frames or 60, me .. ": frames", 1, 1000)
	local raster = arg.int(p.raster or 3, me .. ": raster", 1, 64)
	local helpers = arg.int(p.helpers or 3, me .. ": helpers", 0, 64)
	local io = arg.int(p.io or 4, me .. ": io", 0, 64)
	local gap = arg.time(p.gap or "4ms", me .. ": gap")
	local vsync = 1000000000 // hz

	calls = calls + 1
	local at = "speedometer " .. calls .. " "
	local dirty, tiles, ready, frame, begun = at .. "dirty", at .. "tile", at .. "ready", at .. "frame", at .. "begun"
	local out = { helpers = {}, raster = {}, io = {} }
	local function add(name, program)
		return task.spawn { name = name, nice = p.nice, cpus = p.cpus, group = p.group, program = program }
	end

	local step = { run { time = "2ms", spread = "18ms" }, sem_post(dirty), count "speedometer_steps",
		sleep { time = 0, spread = gap } }
	local steps = { step, step, step, step }
	for h = 1, helpers do
		local job = at .. "job " .. h
		steps[#steps + 1] = sem_post(job)
		out.helpers[h] = add("helper", loop(sem_wait(job), sem_reset(job), run { time = "1ms", spread = "4ms" }))
	end
	out.main = add("main", phase { duration = length, steps })
	out.compositor = add("compositor", loop(sem_wait(dirty), sem_reset(dirty),
		stamp { name = begun, shared = true }, run { time = "300us", spread = "700us" },
		loop(raster, send(tiles, raster)), loop(raster, sem_wait(ready)), send(frame, 1),
		timer { period = vsync, name = "vsync" }))
	for r = 1, raster do
		out.raster[r] = add("raster", loop(receive(tiles), run { time = "500us", spread = "1500us" }, sem_post(ready)))
	end
	out.display = add("display", loop(receive(frame), run { time = "1ms", spread = "1ms" },
		count { name = "frames_late", from = begun, shared = true, above = vsync }, count "frames"))
	for i = 1, io do
		out.io[i] = add("io", loop(sleep { mean = "5ms", max = "50ms" }, run { time = "50us", spread = "150us" }))
	end
	throughput { name = "speedometer_score", count = "speedometer_steps", per = "minute" }
	throughput { name = "frames_late_pct", count = "frames_late", as = "pct", of = "frames" }
	return out
end
