-- SPDX-License-Identifier: GPL-2.0-only
-- The workload of the recorded 6+2 kernel: fixed run times, because the emulated CPUs did not slow
-- down with their frequency. Prints who was where for how long: "TASK ms ms ...", a column per CPU.
scenario {
	name = "eas-recording", machine = "sc7180", kernel = "v6.12", seed = 1, duration = "2s",
	title = "the mix recorded on a 6+2 kernel",
	about = "M1 and M2 run 6 ms of every 16, S1 1.1 ms; with small = 1 S1 is alone.",
}
local small = knob { name = "small", default = 0, min = 0, max = 1, help = "S1 alone" }

local function every_16ms(name, ms)
	task.spawn { name = name, delay = "1ms",
		program = { loop(0, runtime(ms), timer { period = "16ms", absolute = true }) } }
end
local names = small == 1 and { "S1" } or { "M1", "M2", "S1" }
if small == 0 then
	every_16ms("M1", "6ms")
	every_16ms("M2", "6ms")
end
every_16ms("S1", "1.1ms")

-- A switch begins or ends what a task has had of a CPU.
local had, since = {}, {}
on("sched_switch", function(ev)
	local t, c = now(), ev.cpu
	if since[c] then
		local name, from = since[c][1], since[c][2]
		had[name] = had[name] or {}
		had[name][c] = (had[name][c] or 0) + (t - from)
		since[c] = nil
	end
	for _, name in ipairs(names) do
		local p = sched.task[name]
		if p and p.cpu == c and p.state == "running" then since[c] = { name, t } end
	end
end)
at("1999ms", function()
	for _, name in ipairs(names) do
		local line = name
		for c = 0, 7 do line = line .. " " .. (had[name] and had[name][c] or 0) // 1000000 end
		print(line)
	end
end)
