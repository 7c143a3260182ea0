/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lua-state-test.c - the box: hostile scripts end with one error, the state stays usable.
 *
 * Budgets are small here so that every case ends at once, also under sanitizers; what is tested is
 * that the budget ends the case, not how large it is.
 */
#include "app/lua/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct lua_box *box;
	struct lua_box *small; /* little memory, many instructions */
	char printed[4096];
	u32 lines;
	u64 draws;
	u64 polls;
};

static u64 test_random(void *arg)
{
	struct fixture *f = arg;

	/* splitmix64, so that the test needs nothing of the engine */
	u64 z = (f->draws++ + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void test_print(void *arg, const char *line)
{
	struct fixture *f = arg;

	f->lines++;
	snprintf(f->printed + strlen(f->printed), sizeof(f->printed) - strlen(f->printed), "%s\n",
		 line);
}

static bool test_poll(void *arg)
{
	struct fixture *f = arg;

	return ++f->polls >= 2;
}

static int setup(void **state)
{
	static const struct lua_limits lim = { .mem_bytes = 64u << 20,
					       .str_bytes = 1u << 18,
					       .callback_insns = 2000000,
					       .policy_insns = 100000,
					       .print_lines = 10 };
	static const struct lua_limits lim_small = { .mem_bytes = 4u << 20,
						     .str_bytes = 1u << 18,
						     .callback_insns = 20000000 };
	struct fixture *f = calloc(1, sizeof(*f));
	struct lua_host host = { f, test_random, test_print, test_poll };
	struct err err = { 0 };

	f->box = lua_box_new(&lim, &host, &err);
	f->small = lua_box_new(&lim_small, &host, &err);
	if (err.code)
		print_message("# %s\n", err.msg);
	*state = f;
	return err.code ? -1 : 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	lua_box_free(f->box);
	lua_box_free(f->small);
	free(f);
	return 0;
}

/* Load and call @text; results are dropped. */
static int run_kind(struct fixture *f, const char *text, enum lua_call kind, struct err *err)
{
	memset(err, 0, sizeof(*err));
	if (lua_box_load(f->box, text, strlen(text), "test.lua", err))
		return -1;
	return lua_box_call(f->box, 0, 0, kind, err);
}

static int run(struct fixture *f, const char *text, struct err *err)
{
	return run_kind(f, text, LUA_CALL_CALLBACK, err);
}

static void run_ok(struct fixture *f, const char *text)
{
	struct err err;

	if (run(f, text, &err))
		fail_msg("%s\n---\n%s", err.msg, text);
}

/* ---- cases that must end with one error ---- */

struct hostile {
	const char *name, *text, *expect;
	enum err_code code;
};

#define BUDGET "used up its"
#define MEMORY "memory"

static const struct hostile cases[] = {
	/* the budget */
	{ "endless loop", "while true do end", BUDGET, ERR_LIMIT },
	{ "endless recursion", "local function f() return 1 + f() end f()", MEMORY, ERR_LIMIT },
	{ "recursion with locals",
	  "local function f(a, b, c, d, e, g, h, i) return 1 + f(a, b, c, d, e, g, h, i) end f()",
	  "stack overflow", ERR_SCRIPT },
	{ "endless tail calls", "local function f() return f() end f()", BUDGET, ERR_LIMIT },
	{ "goto", "::a:: goto a", BUDGET, ERR_LIMIT },
	{ "pcall swallows", "while true do pcall(function() while true do end end) end", BUDGET,
	  ERR_LIMIT },
	{ "pcall of pcall",
	  "while true do pcall(pcall, pcall, function() while true do end end) end", BUDGET,
	  ERR_LIMIT },
	{ "xpcall handler loops",
	  "xpcall(function() while true do end end, function() while true do end end)", BUDGET,
	  ERR_LIMIT },
	{ "xpcall handler errors", "while true do xpcall(error, function() error('x') end) end",
	  BUDGET, ERR_LIMIT },
	{ "coroutine.wrap loop",
	  "while true do pcall(coroutine.wrap(function() while true do end "
	  "end)) end",
	  BUDGET, ERR_LIMIT },
	{ "coroutine.resume loop",
	  "while true do coroutine.resume(coroutine.create(function() while "
	  "true do end end)) end",
	  BUDGET, ERR_LIMIT },
	{ "short coroutines",
	  "while true do coroutine.wrap(function() for i = 1, 100 do end end)() "
	  "end",
	  BUDGET, ERR_LIMIT },
	{ "close loops",
	  "local mt = {} local t = setmetatable({}, mt) mt.__close = function() while true do end "
	  "end local co = coroutine.create(function() local x <close> = t while true do end end) "
	  "pcall(coroutine.resume, co) coroutine.close(co)",
	  BUDGET, ERR_LIMIT },
	{ "close of a suspended one loops",
	  "local mt = {} local t = setmetatable({}, mt) mt.__close = function() while true do end "
	  "end local co = coroutine.create(function() local x <close> = t coroutine.yield() end) "
	  "coroutine.resume(co) pcall(coroutine.close, co) while true do end",
	  BUDGET, ERR_LIMIT },
	{ "to-be-closed in the loop",
	  "local mt = {} local t = setmetatable({}, mt) mt.__close = function() while true do end "
	  "end while true do pcall(function() local x <close> = t while true do end end) end",
	  BUDGET, ERR_LIMIT },
	{ "coroutines in coroutines",
	  "local function f() return coroutine.wrap(function() f() end)() end f()", "overflow",
	  ERR_SCRIPT },
	{ "closing in closing",
	  "local mt = {} local t = setmetatable({}, mt) local function mk() local co = "
	  "coroutine.create(function() local x <close> = t coroutine.yield() end) "
	  "coroutine.resume(co) return co end "
	  "mt.__close = function() assert(coroutine.close(mk())) end assert(coroutine.close(mk()))",
	  "deep", ERR_SCRIPT },
	{ "metamethod loops",
	  "local t = setmetatable({}, {__index = function() while true do end "
	  "end}) return t.x",
	  BUDGET, ERR_LIMIT },
	{ "index chain", "local t = {} setmetatable(t, {__index = t}) return t.x", "loop",
	  ERR_SCRIPT },
	{ "newindex recursion",
	  "local t = setmetatable({}, {__newindex = function(s, k, v) s[k] = v "
	  "end}) t.x = 1",
	  "overflow", ERR_SCRIPT },
	{ "tostring recursion",
	  "local t = setmetatable({}, {__tostring = function(s) return "
	  "tostring(s) end}) print(t)",
	  "overflow", ERR_SCRIPT },
	{ "concat loops", "local s = string.rep('x', 200000) while true do local t = s .. 'y' end",
	  BUDGET, ERR_LIMIT },
	{ "varargs grow", "local function f(...) return f(1, ...) end f()", BUDGET, ERR_LIMIT },
	{ "sort with a lying order",
	  "local t = {} for i = 1, 20000 do t[i] = i end table.sort(t, "
	  "function() return true end) while true do end",
	  BUDGET, ERR_LIMIT },
	{ "pattern backtracking",
	  "return string.find(string.rep('a', 100), "
	  "'.-.-.-.-.-.-b')",
	  BUDGET, ERR_LIMIT },
	{ "gsub callback loops", "string.gsub('aaa', 'a', function() while true do end end)",
	  BUDGET, ERR_LIMIT },
	{ "deep pattern", "string.match(string.rep('a', 1000), string.rep('a?', 1000))",
	  "too complex", ERR_SCRIPT },
	{ "lots of table.insert",
	  "local t = {} for i = 1, 20000 do t[i] = i end while true do "
	  "table.insert(t, 1, 0) table.remove(t, 1) end",
	  BUDGET, ERR_LIMIT },
	{ "next over and over",
	  "local t = {} for i = 1, 10000 do t['k' .. i] = i end while true do "
	  "next(t) end",
	  BUDGET, ERR_LIMIT },
	/* C functions */
	{ "string.rep of nothing", "string.rep('', 1e15)", "string.rep", ERR_SCRIPT },
	{ "string.rep too long", "string.rep('x', 1e6)", "lua_string", ERR_SCRIPT },
	{ "string.rep overflow", "string.rep('xxxx', 1 << 62, 'yy')", "string.rep", ERR_SCRIPT },
	{ "table.move", "table.move({}, 1, 1e15, 2)", "table.move", ERR_SCRIPT },
	{ "table.move overflow", "table.move({}, math.mininteger, math.maxinteger, 2)",
	  "table.move", ERR_SCRIPT },
	{ "table.move wraps", "table.move({1, 2, 3}, 1, 3, math.maxinteger)", "wrap", ERR_SCRIPT },
	{ "lying __len",
	  "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, "
	  "2) while true do end",
	  BUDGET, ERR_LIMIT },
	{ "table.concat range", "table.concat({}, '', 1, 1e15)", "table.concat", ERR_SCRIPT },
	{ "table.unpack range", "table.unpack({}, 1, 1e7)", "table.unpack", ERR_SCRIPT },
	{ "table.unpack overflow", "table.unpack({}, math.mininteger, math.maxinteger)",
	  "table.unpack", ERR_SCRIPT },
	{ "string.byte range", "string.byte(string.rep('x', 100000), 1, -1)", "string.byte",
	  ERR_SCRIPT },
	{ "format width", "string.format('%1000d', 1)", "invalid", ERR_SCRIPT },
	{ "format address", "string.format('%p', {})", "address", ERR_SCRIPT },
	{ "format missing", "string.format('%s')", "no value", ERR_SCRIPT },
	/* memory */
	{ "memory in a table", "local t = {} for i = 1, 1e9 do t[i] = {} end", MEMORY, ERR_LIMIT },
	{ "memory in strings",
	  "local t = {} for i = 1, 1e9 do t[i] = string.rep('x', 1000) .. i end", MEMORY,
	  ERR_LIMIT },
	{ "a giant string", "local s = 'x' while true do s = s .. s end", "lua_string", ERR_LIMIT },
	{ "memory swallowed",
	  "local t = {} while true do pcall(function() for i = 1, 1e9 do "
	  "t[#t + 1] = {} end end) end",
	  MEMORY, ERR_LIMIT },
	{ "memory in closures",
	  "local t = {} local function f() local a <const> = {} return "
	  "function() return a end end while true do t[#t + 1] = f() end",
	  MEMORY, ERR_LIMIT },
	{ "coroutines pile up",
	  "local t = {} while true do local c = coroutine.create(print) "
	  "coroutine.resume(c) t[#t + 1] = c end",
	  "", ERR_LIMIT },
	{ "load under memory pressure",
	  "local t = {} pcall(function() for i = 1, 7 do t[i] = string.rep('x', 200000) end end) "
	  "while true do t[#t + 1] = load('return {' .. string.rep('1,', 10000) .. '}') end",
	  "", ERR_LIMIT },
	{ "concat of many",
	  "local t = {} for i = 1, 2000 do t[i] = string.rep('x', 1000) end return "
	  "table.concat(t)",
	  "lua_mem", ERR_LIMIT },
	/* rights */
	{ "binary chunk", "assert(load('\\27Lua'))", "binary", ERR_SCRIPT },
	{ "binary mode", "load('return 1', 'x', 'b')", "source text", ERR_SCRIPT },
	{ "load of a function", "load(function() return nil end)", "text", ERR_SCRIPT },
	{ "_ENV", "assert(load('local _ENV <const> = 11; X = 1'))", "_ENV", ERR_SCRIPT },
	{ "no os", "os.exit(1)", "os", ERR_SCRIPT },
	{ "no io", "io.open('/etc/passwd')", "io", ERR_SCRIPT },
	{ "no require", "require('os')", "require", ERR_SCRIPT },
	{ "no dofile", "dofile('/etc/passwd')", "dofile", ERR_SCRIPT },
	{ "no debug", "debug.getregistry()", "debug", ERR_SCRIPT },
	{ "no collectgarbage", "collectgarbage()", "collectgarbage", ERR_SCRIPT },
	{ "no string.dump", "string.dump(print)", "dump", ERR_SCRIPT },
	{ "string metatable", "assert(not getmetatable(''), 'open') getmetatable('').__index = nil",
	  "boolean", ERR_SCRIPT },
	{ "__gc", "setmetatable({}, {__gc = print})", "__gc", ERR_SCRIPT },
	{ "__mode", "setmetatable({}, {__mode = 'k'})", "__mode", ERR_SCRIPT },
	{ "libraries are read-only", "string.rep = nil", "read-only", ERR_SCRIPT },
	{ "rawset on a library", "rawset(string, 'rep', nil)", "read-only", ERR_SCRIPT },
	{ "insert into a library", "table.insert(math, 1)", "read-only", ERR_SCRIPT },
	{ "metatable of globals", "setmetatable(_G, nil)", "protected", ERR_SCRIPT },
	{ "randomseed", "math.randomseed(1)", "seed", ERR_SCRIPT },
	{ "tables as keys", "for k in pairs({[{}] = 1}) do end", "cannot be walked", ERR_SCRIPT },
	{ "functions as keys", "next({[print] = 1})", "cannot be walked", ERR_SCRIPT },
	/* errors of odd kinds */
	{ "error nil", "error(nil)", "nil", ERR_SCRIPT },
	{ "error table", "error({})", "table", ERR_SCRIPT },
	{ "error with __tostring",
	  "error(setmetatable({}, {__tostring = function() return 'mine' "
	  "end}))",
	  "mine", ERR_SCRIPT },
	{ "error whose __tostring loops",
	  "error(setmetatable({}, {__tostring = function() while "
	  "true do end end}))",
	  BUDGET, ERR_LIMIT },
	{ "error whose __tostring fails",
	  "error(setmetatable({}, {__tostring = function() "
	  "error('again') end}))",
	  "__tostring", ERR_SCRIPT },
	{ "error with controls", "error('a\\27[31mb\\n\\u{202e}c', 0)", "a?[31mb", ERR_SCRIPT },
	{ "error in a coroutine", "coroutine.wrap(function() error('inner') end)()",
	  "test.lua:1: inner", ERR_SCRIPT },
	{ "yield outside", "coroutine.yield()", "outside a coroutine", ERR_SCRIPT },
	{ "arithmetic on nil", "local a\nlocal b = a + 1", "test.lua:2:", ERR_SCRIPT },
	{ "syntax error", "local x = = 1", "test.lua:1:", ERR_SCRIPT },
	{ "deep nesting",
	  "return ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	  "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("
	  "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((",
	  "", ERR_SCRIPT },
};

/*
 * Calls into C that take as long as many instructions count as many: a loop of nothing else gets no
 * further than a loop of @cost instructions would, and the error names the line that called.
 */
static const struct {
	const char *call;
	u32 cost;
} dear[] = {
	{ "table.move(list, 1, 100, 2)", 300 },
	{ "table.concat(list)", 400 },
	{ "table.unpack(list)", 200 },
	{ "table.insert(list, 1, 0) table.remove(list, 1)", 600 },
	{ "string.byte('abc', 2)", 8 },
	{ "string.rep('x', 1000)", 1000 },
	{ "string.format('%.14g', 1.5)", 60 },
	{ "('x'):rep(1000):upper()", 1000 },
	{ "string.find('aaaaaaaaaaaaaaaaaaaa', 'a*a*b')", 10000 },
	{ "tostring(1.5)", 60 },
	{ "tonumber('1.5')", 60 },
	{ "math.fmod(1e300, 3)", 20 },
	{ "pcall(error, 'x')", 100 },
	{ "select('#', 1, 2)", 8 },
	{ "setmetatable({}, nil)", 20 },
	{ "local t = {}", 10 },
	{ "coroutine.create(print)", 500 },
	{ "load('return 1')", 200 },
};

static void test_calls_into_c(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(dear); i++) {
		char text[400];
		struct err err;
		lua_Integer n;

		snprintf(text, sizeof(text),
			 "local list = {} for i = 1, 100 do list[i] = i end\nturns = 0\n"
			 "while true do turns = turns + 1\n%s\nend",
			 dear[i].call);
		assert_int_equal(run(f, text, &err), -1);
		assert_int_equal(err.code, ERR_LIMIT);
		if (!strstr(err.msg, "test.lua:4: ") && !strstr(err.msg, "test.lua:3: "))
			fail_msg("%s: no line in '%s'", dear[i].call, err.msg);
		lua_box_env(f->box->L);
		lua_getfield(f->box->L, -1, "turns");
		n = lua_tointeger(f->box->L, -1);
		lua_pop(f->box->L, 2);
		if (n < 1 || (u64)n > f->box->lim.callback_insns / dear[i].cost + 1)
			fail_msg("%s: %lld turns of %llu instructions", dear[i].call, (long long)n,
				 (unsigned long long)f->box->lim.callback_insns);
	}
}

static void test_hostile(void **state)
{
	struct fixture *f = *state;
	struct lua_box *usual = f->box;
	size_t base, i;
	struct err err;
	int gc;

	lua_gc(f->box->L, LUA_GCCOLLECT);
	base = f->box->used; /* the same for both */
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct hostile *c = &cases[i];

		f->box = c->code == ERR_LIMIT && strcmp(c->expect, BUDGET) ? f->small : usual;
		if (run(f, c->text, &err) == 0)
			fail_msg("%s: no error", c->name);
		if (!strstr(err.msg, c->expect) || err.code != c->code)
			fail_msg("%s: code %d, '%s', wanted '%s'", c->name, err.code, err.msg,
				 c->expect);
		if (strpbrk(err.msg, "\033\n"))
			fail_msg("%s: control characters in '%s'", c->name, err.msg);
		/* usable afterwards, nothing left on the stack, memory given back */
		assert_int_equal(lua_gettop(f->box->L), 0);
		run_ok(f, "local s = 0 for i, v in ipairs({1, 2, 3}) do s = s + v end "
			  "assert(s == 6 and ('x'):rep(3) == 'xxx')");
		for (gc = 0; gc < 24; gc++) /* each halves what a deep stack left unused */
			lua_gc(f->box->L, LUA_GCCOLLECT);
		if (f->box->used > base + 65536)
			fail_msg("%s: %zu bytes kept", c->name, f->box->used - base);
		f->box = usual;
	}
}

/* ---- what must work ---- */

static void test_library(void **state)
{
	run_ok(*state,
	       "assert(select('#', pcall(error)) == 2)\n"
	       "local ok, e = pcall(error, {code = 5}) assert(not ok and e.code == 5)\n"
	       "local ok, a, b = pcall(function(...) return ... end, 1, nil) assert(ok and a == 1)\n"
	       "assert(xpcall(function(x) return x end, print, 1))\n"
	       "local ok, m = xpcall(error, function(e) return '<' .. e .. '>' end, 'e')\n"
	       "assert(not ok and m == '<e>')\n"
	       "local co = coroutine.wrap(function(a) local ok, v = pcall(function() return "
	       "coroutine.yield(a + 1) end) return ok, v end)\n"
	       "assert(co(1) == 2) local ok, v = co('x') assert(ok and v == 'x')\n"
	       "local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c)\n"
	       "assert(coroutine.status(c) == 'suspended' and coroutine.close(c))\n"
	       "assert(coroutine.status(c) == 'dead')\n"
	       "assert(tostring({}) == 'table' and tostring(print) == 'function')\n"
	       "assert(string.format('%s %s %5s|%-4d|%%', {}, nil, 'a', 7) == "
	       "'table nil     a|7   |%')\n"
	       "assert(tostring(0/0) == 'nan' and tostring(1.5) == '1.5' and '10' + 1 == 11)\n"
	       "assert(('ABC'):lower() == 'abc' and ('abc'):upper() == 'ABC')\n"
	       "local t = {5, 3, 9, 1} table.sort(t) assert(table.concat(t, ',') == '1,3,5,9')\n"
	       "table.sort(t, function(a, b) return a > b end)\n"
	       "assert(table.concat(t, ',') == '9,5,3,1')\n"
	       "table.insert(t, 2, 'x') assert(table.remove(t, 1) == 9 and t[1] == 'x')\n"
	       "assert(table.remove({}) == nil)\n"
	       "t = table.move({1, 2, 3}, 1, 3, 2) assert(table.concat(t, ',') == '1,1,2,3')\n"
	       "assert(select('#', table.unpack({1, nil, 3}, 1, 3)) == 3)\n"
	       "assert(table.pack(1, nil).n == 2)\n"
	       "assert(load('return 1 + 1')() == 2)\n"
	       "local env = {y = 4} assert(load('x = y return x', 'n', 't', env)() == 4)\n"
	       "assert(env.x == 4 and x == nil)\n"
	       "local f, m = load('return +', 'chunk') assert(not f and m:find('chunk:1:', 1, true))\n"
	       "assert(utf8.len('\\u{e9}a') == 2 and #utf8.char(8364) == 3)\n"
	       "glob = 1 assert(_G.glob == 1 and rawequal(_G, _G))\n"
	       "assert(tonumber('0x10') == 16 and tonumber('zz', 36) == 1295 and not tonumber('x'))\n"
	       "assert(('a,b'):find(',', 1, true) == 2 and ('x'):rep(3, '-') == 'x-x-x')\n");
}

static void test_order(void **state)
{
	struct fixture *f = *state;

	run_ok(f,
	       "local t = {30, 20, 10, z = 1, a = 2, [2.5] = 3, [-1] = 4, [true] = 5, "
	       "[false] = 6, [100] = 7, ['\\0'] = 8}\n"
	       "local out = {}\n"
	       "for k in pairs(t) do out[#out + 1] = tostring(k) end\n"
	       "local s = table.concat(out, ' ') "
	       "assert(s == '-1 1 2 2.5 3 100 \\0 a z false true', s)\n"
	       "out = {} local k = nil repeat k = next(t, k) out[#out + 1] = tostring(k) until k "
	       "== nil\n"
	       "assert(table.concat(out, ' ') == s .. ' nil')\n"
	       "local n = 0 for k, v in pairs(t) do t[k] = nil n = n + 1 end\n"
	       "assert(n == 11 and next(t) == nil)\n"
	       "n = 0 for i, v in pairs({1, nil, 3}) do n = n + v end assert(n == 4)\n"
	       "local p = setmetatable({}, {__pairs = function() return "
	       "function(_, k) if not k then return 1, 'one' end end, nil, nil end})\n"
	       "for k, v in pairs(p) do assert(k == 1 and v == 'one') end\n"
	       "n = 0 for k in pairs(string) do n = n + 1 end assert(n > 10)\n"
	       "local big = {[math.maxinteger] = 1, [2.0^63] = 2, [-2.0^70] = 3}\n"
	       "out = {} for _, v in pairs(big) do out[#out + 1] = v end\n"
	       "assert(table.concat(out) == '312')\n");
}

static void test_random_stream(void **state)
{
	struct fixture *f = *state;
	char first[sizeof(f->printed)];

	run_ok(f, "for i = 1, 200 do local x = math.random(3, 7) assert(x >= 3 and x <= 7)\n"
		  "local y = math.random() assert(y >= 0 and y < 1) end\n"
		  "assert(not pcall(math.random, 2, 1)) math.random(0)\n"
		  "math.random(math.mininteger, math.maxinteger)\n");
	f->draws = 0;
	run_ok(f, "print(math.random(1000), math.random(1000), math.random(1000))");
	memcpy(first, f->printed, sizeof(first));
	f->printed[0] = '\0';
	f->draws = 0;
	run_ok(f, "print(math.random(1000), math.random(1000), math.random(1000))");
	assert_string_equal(first, f->printed);
}

static void test_print_is_clean(void **state)
{
	struct fixture *f = *state;

	run_ok(f, "print('a\\27[0m', nil, 1.5, {})\nprint('x\\ny\\n')");
	assert_string_equal(f->printed, "a?[0m nil 1.5 table\nx\ny\n");
	f->lines = 0;
	run_ok(f, "for i = 1, 1000 do print(i) end");
	assert_int_equal(f->lines, 11);
}

static void test_kinds(void **state)
{
	struct fixture *f = *state;
	struct err err;

	/* a policy call has its own, smaller budget */
	assert_int_equal(run_kind(f, "for i = 1, 300000 do end", LUA_CALL_CALLBACK, &err), 0);
	assert_int_equal(run_kind(f, "for i = 1, 300000 do end", LUA_CALL_POLICY, &err), -1);
	assert_non_null(strstr(err.msg, "lua_policy"));
	/* Ctrl-C ends a console line, nothing else */
	f->polls = 0;
	f->box->lim.callback_insns = 100000000;
	assert_int_equal(run_kind(f, "while true do pcall(load('while true do end')) end",
				  LUA_CALL_CONSOLE, &err),
			 -1);
	assert_non_null(strstr(err.msg, "interrupted"));
	assert_int_equal(f->polls, 2);
	f->box->lim.callback_insns = 2000000;
	f->polls = 0;
	assert_int_equal(run_kind(f, "while true do end", LUA_CALL_CALLBACK, &err), -1);
	assert_int_equal(f->polls, 0);
	assert_non_null(strstr(err.msg, BUDGET));
}

static void test_traceback(void **state)
{
	struct fixture *f = *state;
	struct err err;

	assert_int_equal(run(f,
			     "local function inner() error('deep') end\n"
			     "local function outer() inner() end\n"
			     "outer()",
			     &err),
			 -1);
	assert_string_equal(err.msg, "test.lua:1: deep");
	assert_int_equal(f->box->where_line, 1);
	assert_string_equal(f->box->where_file, "test.lua");
	assert_non_null(strstr(f->box->trace, "test.lua:2: in "));
	assert_non_null(strstr(f->box->trace, "test.lua:3: in main chunk"));
	assert_null(strstr(f->box->trace, "[C]"));
	/* errors of the prelude name the script's line */
	assert_int_equal(run(f, "\n\nlocal x = ('x'):find('[a')", &err), -1);
	assert_string_equal(err.msg, "test.lua:3: malformed pattern (missing ']')");
	assert_null(strstr(f->box->trace, "prelude"));
	/* so do those of the budget, inside a coroutine too */
	assert_int_equal(
		run(f, "\nlocal co = coroutine.wrap(function()\nwhile true do end end) co()", &err),
		-1);
	assert_memory_equal(err.msg, "test.lua:3: this callback", 25);
}

static void test_freeze(void **state)
{
	struct fixture *f = *state;
	struct err err;

	run_ok(f, "counter = 1 function get() return counter end");
	lua_box_freeze(f->box);
	run_ok(f, "assert(get() == 1)");
	assert_int_equal(run(f, "counter = 2", &err), -1);
	assert_non_null(strstr(err.msg, "global 'counter'"));
	assert_int_equal(run(f, "rawset(_G, 'counter', 2)", &err), -1);
	assert_int_equal(run(f, "table.insert(_G, 2)", &err), -1);
	run_ok(f, "assert(counter == 1)");
}

static void test_resume(void **state)
{
	struct fixture *f = *state;
	lua_State *L = f->box->L, *co;
	struct err err = { 0 };
	bool done;
	static const char text[] = "coroutine.yield(1)\ncoroutine.yield(2)\nerror('third')";

	co = lua_newthread(L);
	assert_int_equal(lua_box_load(f->box, text, strlen(text), "co.lua", &err), 0);
	lua_xmove(L, co, 1);
	assert_int_equal(lua_box_resume(f->box, co, 0, &done, LUA_CALL_CALLBACK, &err), 0);
	assert_false(done);
	assert_int_equal(lua_box_resume(f->box, co, 0, &done, LUA_CALL_CALLBACK, &err), 0);
	assert_false(done);
	assert_int_equal(lua_box_resume(f->box, co, 0, &done, LUA_CALL_CALLBACK, &err), -1);
	assert_true(done);
	assert_string_equal(err.msg, "co.lua:3: third");
	assert_int_equal(f->box->where_line, 3);
	assert_int_equal(lua_gettop(L), 1);
	lua_settop(L, 0);
}

/* Every allocation of a small script fails once: an error each time, never a crash or a leak. */
static void test_memory_fails(void **state)
{
	struct fixture *f = *state;
	u64 n;
	struct err err;
	int ret, failures = 0;
	static const char text[] =
		"local t = {} for i = 1, 20 do t[i] = {tostring(i)} end\n"
		"for k, v in pairs({a = 1, b = 2}) do t[k] = string.format('%s', v) end\n"
		"local co = coroutine.wrap(function() coroutine.yield(('x'):rep(100)) end) co()\n"
		"pcall(error, {}); ('abc'):gsub('b', '%0%0'); load('return 1')()";

	for (n = 2; n < 5000; n++) {
		f->box->fail_at = n;
		ret = run(f, text, &err);
		if (f->box->fail_at) {
			f->box->fail_at = 0;
			if (ret)
				fail_msg("%s", err.msg);
			break;
		}
		failures += ret != 0;
		assert_int_equal(lua_gettop(f->box->L), 0);
	}
	assert_true(n > 50 && n < 5000);
	print_message("# %d of %llu refused allocations ended the script\n", failures,
		      (unsigned long long)n - 2);
	run_ok(f, text);
}

static void test_new_fails(void **state)
{
	struct lua_limits lim = { 0 };
	struct lua_box *b;
	size_t mem;
	bool ok = false;
	struct err err;

	(void)state;
	for (mem = 1000; !ok && mem < 4000000; mem += 3001) {
		memset(&err, 0, sizeof(err));
		lim.mem_bytes = mem;
		b = lua_box_new(&lim, NULL, &err);
		ok = b != NULL;
		assert_true(ok || err.code == ERR_LIMIT);
		lua_box_free(b);
	}
	assert_true(ok);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_calls_into_c, setup, teardown),
		cmocka_unit_test_setup_teardown(test_library, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_stream, setup, teardown),
		cmocka_unit_test_setup_teardown(test_print_is_clean, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_traceback, setup, teardown),
		cmocka_unit_test_setup_teardown(test_freeze, setup, teardown),
		cmocka_unit_test_setup_teardown(test_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_fails, setup, teardown),
		cmocka_unit_test(test_new_fails),
	};

	return cmocka_run_group_tests_name("lua-state", tests, NULL, NULL);
}
