-- SPDX-License-Identifier: GPL-2.0-only
--
-- groups.lua - task groups share the CPU by their shares, whatever is in them; an idle group gets what is left.
scenario {
	name = "groups",
	title = "Groups have weights of their own",
	machine = "1",
	seed = 1,
	duration = "10s",
	about = [[
What it shows. One CPU and tasks that never sleep. First the CPU is shared
between the groups, then within them: /a with 1024 shares and one task,
/b with 2048 and three tasks, so 1/3 and 2/3, however many tasks there are.
In /b the groups x and y have 3072 and 1024 shares: 3/4 and 1/4 of the 2/3.
The group /bg is idle as a whole (cpu.idle): weight 3 against the 3072 of
the others, and its tasks give way to anybody at once.

How to use it. Tasks (3): the run column. The summary has groups[].

Things to try.
  K, shares, 512           less for /a
  :group /bg idle off      an ordinary group: 1/4 for everybody of 1024
  :group /b max 20ms/100ms    a limit beside the weight
  :group /a add y1         a task changes its group
  p, pick, fifo            shares do not count]],
}

local shares = knob { name = "shares", default = 1024, min = 2, max = 262144, help = "shares of /a",
	change = function(v) group("/a"):set_shares(v) end }
local a, b = group("/a"), group("/b")
local x, y, bg = group("/b/x"), group("/b/y"), group("/bg")
local hog = { run "forever" }

a:set_shares(shares)
b:set_shares(2048)
x:set_shares(3072)
y:set_shares(1024)
bg:set_idle(true)
task.spawn { name = "a1", group = "/a", program = hog }
task.spawn { name = "x1", group = "/b/x", program = hog }
task.spawn { name = "x2", group = "/b/x", nice = 10, program = hog }
task.spawn { name = "y1", group = "/b/y", program = hog }
task.spawn { name = "bg1", group = "/bg", program = hog }

-- ---- what must hold, and why ----

local function share(name, g, want, why)
	expect {
		text = name .. ": share of the CPU in 1/1000, within 1 % of the CPU",
		test = function()
			local got = g.cpu_ns * 1000 // now()
			return shares ~= 1024 or math.abs(got - want) <= 10, got
		end,
		why = why,
	}
end
share("/a", a, 333, "1024 of 3072 shares, with one task")
share("/b", b, 667, "2048 of 3072 shares, with three")
share("/b/x", x, 500, "3/4 of what /b has")
share("/b/y", y, 167, "1/4 of what /b has; the nice value of a task in /b/x counts only there")
share("/bg", bg, 1, "an idle group has weight 3, of 3075")
