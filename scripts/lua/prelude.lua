-- SPDX-License-Identifier: GPL-2.0-only
--
-- prelude.lua - what is written in Lua of the libraries scripts get; embedded in the program.
--
-- The library's find, match, gmatch, gsub and sort run inside one C call for as long as they like
-- (four quantifiers on a hundred characters are 10^8 steps), where neither instruction budget nor
-- memory cap reaches them. These do the same in Lua, where both do. Differences: classes are those of
-- ASCII whatever the locale is, and sort is stable and always takes the same steps.
--
-- raw.env holds the globals, raw.fail(text) raises an error at the line of the script.

local raw = ...
local env, fail = raw.env, raw.fail
local string, table, type, tostring = env.string, env.table, env.type, env.tostring
local byte, sub = string.byte, string.sub
local concat, unpack = table.concat, table.unpack
local plain_find = string.plain_find
string.plain_find = nil

-- ---- patterns ---------------------------------------------------------------------------------

-- Code of a character, for comparisons below.
local function code(c) return byte(c) end
local ESC, DOT, OPEN, CLOSE, LB, RB = code "%", code ".", code "(", code ")", code "[", code "]"
local STAR, PLUS, MINUS, OPT, CARET, DOLLAR = code "*", code "+", code "-", code "?", code "^", code "$"
local ZERO, NINE, LC_B, LC_F = code "0", code "9", code "b", code "f"

local MAX_CAPTURES, MAX_DEPTH = 32, 200
local POSITION, UNCLOSED = -2, -1

-- class[letter code][character code]: is the character in %letter? Capital letters: the rest.
local class = {}
do
	local function define(letter, test)
		local is, rest = {}, {}
		for c = 0, 255 do
			is[c] = test(c)
			rest[c] = not is[c]
		end
		class[code(letter)], class[code(string.upper(letter))] = is, rest
	end
	local function alpha(c) return c >= 65 and c <= 90 or c >= 97 and c <= 122 end
	local function digit(c) return c >= 48 and c <= 57 end
	define("a", alpha)
	define("c", function(c) return c < 32 or c == 127 end)
	define("d", digit)
	define("g", function(c) return c > 32 and c < 127 end)
	define("l", function(c) return c >= 97 and c <= 122 end)
	define("p", function(c) return c > 32 and c < 127 and not alpha(c) and not digit(c) end)
	define("s", function(c) return c == 32 or c >= 9 and c <= 13 end)
	define("u", function(c) return c >= 65 and c <= 90 end)
	define("w", function(c) return alpha(c) or digit(c) end)
	define("x", function(c) return digit(c) or c >= 65 and c <= 70 or c >= 97 and c <= 102 end)
end

-- A matcher m: subject s of n bytes, pattern p of np bytes, captures 1..level with from[] and len[].

-- Index behind the single-character item that begins at pi.
local function item_end(m, pi)
	local p, c = m.p, byte(m.p, pi)
	pi = pi + 1
	if c == ESC then
		if pi > m.np then fail("malformed pattern (ends with '%')") end
		return pi + 1
	elseif c == LB then
		if byte(p, pi) == CARET then pi = pi + 1 end
		repeat
			c = byte(p, pi)
			if not c then fail("malformed pattern (missing ']')") end
			pi = pi + 1
			if c == ESC then
				if pi > m.np then fail("malformed pattern (missing ']')") end
				pi = pi + 1
			end
		until byte(p, pi) == RB
		return pi + 1
	end
	return pi
end

-- Is character c in the set whose '[' is at pi and whose ']' is at last?
local function in_set(m, c, pi, last)
	local p, found = m.p, true
	pi = pi + 1
	if byte(p, pi) == CARET then
		found = false
		pi = pi + 1
	end
	while pi < last do
		local k = byte(p, pi)
		if k == ESC then
			local letter = byte(p, pi + 1)
			local set = class[letter]
			if set then
				if set[c] then return found end
			elseif letter == c then
				return found
			end
			pi = pi + 2
		elseif byte(p, pi + 1) == MINUS and pi + 2 < last then
			if k <= c and c <= byte(p, pi + 2) then return found end
			pi = pi + 3
		else
			if k == c then return found end
			pi = pi + 1
		end
	end
	return not found
end

-- Does the character at si match the item from pi to before ep?
local function single(m, si, pi, ep)
	local c = byte(m.s, si)
	if not c or si < 1 then return false end
	local k = byte(m.p, pi)
	if k == DOT then
		return true
	elseif k == ESC then
		local letter = byte(m.p, pi + 1)
		local set = class[letter]
		if set then return set[c] end
		return letter == c
	elseif k == LB then
		return in_set(m, c, pi, ep - 1)
	end
	return k == c
end

local match -- (m, si, pi) -> index behind the match, or nil

-- %bxy at pi: the balanced stretch that begins at si.
local function match_balance(m, si, pi)
	local open, close = byte(m.p, pi + 2, pi + 3)
	if not close then fail("malformed pattern (missing arguments to '%b')") end
	local s = m.s
	if byte(s, si) ~= open then return nil end
	local depth = 1
	for i = si + 1, m.n do
		local c = byte(s, i)
		if c == close then
			depth = depth - 1
			if depth == 0 then return i + 1 end
		elseif c == open then
			depth = depth + 1
		end
	end
	return nil
end

-- As many as possible of an item, then fewer, until the rest of the pattern matches.
local function expand_max(m, si, pi, ep)
	local i = 0
	while single(m, si + i, pi, ep) do i = i + 1 end
	while i >= 0 do
		local e = match(m, si + i, ep + 1)
		if e then return e end
		i = i - 1
	end
	return nil
end

local function expand_min(m, si, pi, ep)
	while true do
		local e = match(m, si, ep + 1)
		if e then return e end
		if not single(m, si, pi, ep) then return nil end
		si = si + 1
	end
end

local function begin_capture(m, si, pi, what)
	local l = m.level + 1
	if l > MAX_CAPTURES then fail("too many captures") end
	m.level = l
	m.from[l], m.len[l] = si, what
	local e = match(m, si, pi)
	if not e then m.level = l - 1 end
	return e
end

local function end_capture(m, si, pi)
	for l = m.level, 1, -1 do
		if m.len[l] == UNCLOSED then
			m.len[l] = si - m.from[l]
			local e = match(m, si, pi)
			if not e then m.len[l] = UNCLOSED end
			return e
		end
	end
	fail("invalid pattern capture")
end

-- %1 to %9 at pi: the text of an earlier capture again.
local function match_capture(m, si, pi)
	local l = byte(m.p, pi + 1) - ZERO
	if l < 1 or l > m.level or m.len[l] == UNCLOSED then
		fail("invalid capture index %" .. l)
	end
	local len = m.len[l]
	if len == POSITION then
		-- a position has no text
		return nil
	end
	if m.n - si + 1 >= len and sub(m.s, m.from[l], m.from[l] + len - 1) == sub(m.s, si, si + len - 1) then
		return si + len
	end
	return nil
end

local function do_match(m, si, pi)
	local p, np = m.p, m.np
	while pi <= np do
		local c = byte(p, pi)
		if c == OPEN then
			if byte(p, pi + 1) == CLOSE then return begin_capture(m, si, pi + 2, POSITION) end
			return begin_capture(m, si, pi + 1, UNCLOSED)
		elseif c == CLOSE then
			return end_capture(m, si, pi + 1)
		elseif c == DOLLAR and pi == np then
			return si == m.n + 1 and si or nil
		end
		local k = c == ESC and byte(p, pi + 1)
		if k == LC_B then
			si = match_balance(m, si, pi)
			if not si then return nil end
			pi = pi + 4
		elseif k == LC_F then
			pi = pi + 2
			if byte(p, pi) ~= LB then fail("missing '[' after '%f' in pattern") end
			local ep = item_end(m, pi)
			local before = si > 1 and byte(m.s, si - 1) or 0
			if in_set(m, before, pi, ep - 1) or not in_set(m, byte(m.s, si) or 0, pi, ep - 1) then
				return nil
			end
			pi = ep
		elseif k and k >= ZERO and k <= NINE then
			si = match_capture(m, si, pi)
			if not si then return nil end
			pi = pi + 2
		else
			local ep = item_end(m, pi)
			local q = byte(p, ep)
			if q == STAR then
				return expand_max(m, si, pi, ep)
			elseif q == PLUS then
				if not single(m, si, pi, ep) then return nil end
				return expand_max(m, si + 1, pi, ep)
			elseif q == MINUS then
				return expand_min(m, si, pi, ep)
			elseif q == OPT then
				if single(m, si, pi, ep) then
					local e = match(m, si + 1, ep + 1)
					if e then return e end
				end
				pi = ep + 1
			else
				if not single(m, si, pi, ep) then return nil end
				si = si + 1
				pi = ep
			end
		end
	end
	return si
end

function match(m, si, pi)
	if m.depth == MAX_DEPTH then fail("pattern too complex") end
	m.depth = m.depth + 1
	local e = do_match(m, si, pi)
	m.depth = m.depth - 1
	return e
end

local function matcher(s, p)
	return { s = s, n = #s, p = p, np = #p, level = 0, depth = 0, from = {}, len = {} }
end

local function try(m, si, pi)
	m.level, m.depth = 0, 0
	return match(m, si, pi)
end

-- Value of capture l of a match from si to before e; capture 1 of none is the whole match.
local function capture(m, l, si, e)
	if l > m.level then
		if l ~= 1 then fail("invalid capture index %" .. l) end
		return sub(m.s, si, e - 1)
	end
	local len = m.len[l]
	if len == POSITION then return m.from[l] end
	if len == UNCLOSED then fail("unfinished capture") end
	return sub(m.s, m.from[l], m.from[l] + len - 1)
end

local function captures(m, si, e, whole)
	local n = m.level
	if n == 0 then
		if whole then return sub(m.s, si, e - 1) end
		return
	end
	if n == 1 then return capture(m, 1, si, e) end
	local list = {}
	for l = 1, n do list[l] = capture(m, l, si, e) end
	return unpack(list, 1, n)
end

-- An argument that must be a text; numbers are, as everywhere in Lua.
local function text(v, n, name)
	local t = type(v)
	if t == "string" then return v end
	if t == "number" then return tostring(v) end
	fail("bad argument #" .. n .. " to '" .. name .. "' (string expected, got " ..
		(v == nil and "no value" or t) .. ")")
end

local function start(init, n, name)
	if init == nil then return 1 end
	local i = env.math.tointeger(env.tonumber(init))
	if not i then fail("bad argument #3 to '" .. name .. "' (integer expected)") end
	if i > 0 then return i end
	if i == 0 then return 1 end
	i = n + i + 1
	return i < 1 and 1 or i
end

local function has_specials(p)
	for i = 1, #p do
		local c = byte(p, i)
		if c == ESC or c == DOT or c == OPEN or c == LB or c == STAR or c == PLUS or
			c == MINUS or c == OPT or c == CARET or c == DOLLAR then
			return true
		end
	end
	return false
end

local function search(name, find, s, p, init, plain)
	s, p = text(s, 1, name), text(p, 2, name)
	init = start(init, #s, name)
	if init > #s + 1 then return nil end
	if find and (plain or not has_specials(p)) then
		local from, to = plain_find(s, p, init)
		if from then return from, to end
		return nil
	end
	local m = matcher(s, p)
	local pi, anchor = 1, byte(p, 1) == CARET
	if anchor then pi = 2 end
	for si = init, anchor and init or #s + 1 do
		local e = try(m, si, pi)
		if e then
			if find then return si, e - 1, captures(m, si, e, false) end
			return captures(m, si, e, true)
		end
	end
	return nil
end

function string.find(s, p, init, plain)
	return search("find", true, s, p, init, plain)
end

function string.match(s, p, init)
	return search("match", false, s, p, init)
end

function string.gmatch(s, p, init)
	s, p = text(s, 1, "gmatch"), text(p, 2, "gmatch")
	local m = matcher(s, p)
	local si, last = start(init, #s, "gmatch"), nil
	return function()
		while si <= #s + 1 do
			local e = try(m, si, 1)
			local from = si
			if e and e ~= last then
				si, last = e, e
				return captures(m, from, e, true)
			end
			si = si + 1
		end
		return nil
	end
end

-- The text that replaces a match, for a replacement string with %0 to %9 in it.
local function expand(m, repl, si, e, out, k)
	local i, n = 1, #repl
	while i <= n do
		local from = i
		while i <= n and byte(repl, i) ~= ESC do i = i + 1 end
		if i > from then
			k = k + 1
			out[k] = sub(repl, from, i - 1)
		end
		if i <= n then
			local c = byte(repl, i + 1)
			k = k + 1
			if c == ESC then
				out[k] = "%"
			elseif c and c >= ZERO and c <= NINE then
				if c == ZERO then
					out[k] = sub(m.s, si, e - 1)
				else
					out[k] = tostring(capture(m, c - ZERO, si, e))
				end
			else
				fail("invalid use of '%' in replacement string")
			end
			i = i + 2
		end
	end
	return k
end

function string.gsub(s, p, repl, max)
	s, p = text(s, 1, "gsub"), text(p, 2, "gsub")
	local kind = type(repl)
	if kind == "number" then repl, kind = tostring(repl), "string" end
	if kind ~= "string" and kind ~= "table" and kind ~= "function" then
		fail("bad argument #3 to 'gsub' (string/function/table expected, got " .. kind .. ")")
	end
	local literal = kind == "string" and not plain_find(repl, "%", 1)
	local n = #s
	if max ~= nil then
		max = env.math.tointeger(env.tonumber(max))
		if not max then fail("bad argument #4 to 'gsub' (integer expected)") end
	end
	local m = matcher(s, p)
	local pi, anchor = 1, byte(p, 1) == CARET
	if anchor then pi = 2 end
	local out, k, count, si, kept, last = {}, 0, 0, 1, 1, nil
	while not max or count < max do
		local e = try(m, si, pi)
		if e and e ~= last then
			count = count + 1
			if kept < si then
				k = k + 1
				out[k] = sub(s, kept, si - 1)
			end
			if literal then
				k = k + 1
				out[k] = repl
			elseif kind == "string" then
				k = expand(m, repl, si, e, out, k)
			else
				local v
				if kind == "table" then
					v = repl[capture(m, 1, si, e)]
				else
					v = repl(captures(m, si, e, true))
				end
				local t = type(v)
				if not v then
					v = sub(s, si, e - 1)
				elseif t ~= "string" and t ~= "number" then
					fail("invalid replacement value (a " .. t .. ")")
				end
				k = k + 1
				out[k] = v
			end
			si, kept, last = e, e, e
		elseif si <= n then
			si = si + 1
		else
			break
		end
		if anchor then break end
	end
	if kept == 1 and count == 0 then return s, 0 end
	if kept <= n then
		k = k + 1
		out[k] = sub(s, kept)
	end
	return concat(out, "", 1, k), count
end

-- ---- sort ---------------------------------------------------------------------------------------

local rawget, rawset, rawlen = env.rawget, env.rawset, env.rawlen

-- Merge sort: stable, n log n comparisons whatever the order function answers.
function table.sort(t, less)
	if type(t) ~= "table" then
		fail("bad argument #1 to 'sort' (table expected, got " .. type(t) .. ")")
	end
	if less ~= nil and type(less) ~= "function" then
		fail("bad argument #2 to 'sort' (function expected, got " .. type(less) .. ")")
	end
	local n = rawlen(t)
	if n < 2 then return end
	less = less or function(a, b) return a < b end
	local a, b = {}, {}
	for i = 1, n do a[i] = rawget(t, i) end
	local width = 1
	while width < n do
		for left = 1, n, 2 * width do
			local i, mid = left, left + width
			local j, right = mid, mid + width
			if mid > n then mid = n + 1 end
			if right > n then right = n + 1 end
			for k = left, right - 1 do
				if i < mid and (j >= right or not less(a[j], a[i])) then
					b[k] = a[i]
					i = i + 1
				else
					b[k] = a[j]
					j = j + 1
				end
			end
		end
		a, b = b, a
		width = width * 2
	end
	for i = 1, n do rawset(t, i, a[i]) end
end
