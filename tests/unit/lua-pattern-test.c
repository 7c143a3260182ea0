/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lua-pattern-test.c - our find, match, gmatch, gsub and sort against the library's own, on random
 * small cases. What the library does is right by definition; errors must come at the same patterns.
 */
#include "app/lua/state.h"
#include "engine/base/rng.h"

#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char probe[] =
	"local s, p, r, init = ...\n"
	"local function show(...)\n"
	"  local t = {}\n"
	"  for i = 1, select('#', ...) do t[i] = tostring((select(i, ...))) end\n"
	"  return table.concat(t, '|')\n"
	"end\n"
	"local function try(f, ...)\n"
	"  local t = table.pack(pcall(f, ...))\n"
	"  if not t[1] then return 'error' end\n"
	"  return show(table.unpack(t, 2, t.n))\n"
	"end\n"
	"local function all(...)\n"
	"  local t = {}\n"
	"  for a, b in string.gmatch(...) do t[#t + 1] = show(a, b) if #t > 50 then break end end\n"
	"  return table.concat(t, ',')\n"
	"end\n"
	"return table.concat({try(string.find, s, p), try(string.find, s, p, init),\n"
	"  try(string.find, s, p, init, true), try(string.match, s, p, init), try(all, s, p),\n"
	"  try(string.gsub, s, p, r), try(string.gsub, s, p, r, 2),\n"
	"  try(string.gsub, s, p, function(a, b) return b end),\n"
	"  try(string.gsub, s, p, {a = 1, ab = 'x', b = false})}, ' ; ')";

static const char sort_probe[] =
	"local n, seed = ...\n"
	"local t = {}\n"
	"for i = 1, n do seed = (seed * 1103515245 + 12345) % 2147483648 t[i] = seed % 1000 end\n"
	"table.sort(t) local a = table.concat(t, ' ')\n"
	"table.sort(t, function(x, y) return x > y end)\n"
	"return a .. ' ; ' .. table.concat(t, ' ')";

static const char *const tokens[] = {
	"a",	 "b",	  "c",	  ".",	   "%a",	  "%d",	 "%W", "%s", "[ab]", "[^a]",
	"[a-b]", "[%a_]", "*",	  "+",	   "-",		  "?",	 "(",  ")",  "()",   "%1",
	"%2",	 "%b()",  "%bab", "%f[a]", "%f",	  "^",	 "$",  "%",  "[",    "]",
	"[]]",	 "%.",	  "[%]]", "[a-]",  "x",		  "%u",	 "(a", "b)", ".-",   "(.-)",
	"%0",	 "[^%s]", " ",	  "\t",	   "[\x80-\xff]", "%x+", "%p", "%l",
};

static const char *const subjects[] = { "a", "b", "c", "ab",	   "(", ")", " ", "1",
					"x", "A", ".", "\xc3\xa9", "_", "]", "-", "aa" };

static const char *const repls[] = { "", "x", "%0%0", "%1", "<%1%2>", "%%", "%9", "%", "a%x" };

static char *pick(char *out, size_t size, const char *const *words, size_t nr, u64 max, u64 *n)
{
	u64 count = rng_uniform(7, n, max + 1);
	size_t len = 0;

	out[0] = '\0';
	while (count--) {
		const char *w = words[rng_uniform(7, n, nr)];

		if (len + strlen(w) + 1 < size)
			len += (size_t)snprintf(out + len, size - len, "%s", w);
	}
	return out;
}

static int prepare(void **state)
{
	static lua_State *pair[2];
	struct err err = { 0 };
	struct lua_box *b = lua_box_new(NULL, NULL, &err);

	pair[0] = luaL_newstate();
	if (!b || !pair[0])
		return -1;
	luaL_openlibs(pair[0]);
	pair[1] = b->L;
	*state = pair;
	return 0;
}

static int release(void **state)
{
	lua_State **pair = *state;

	lua_close(pair[0]);
	lua_box_free(lua_box_of(pair[1]));
	return 0;
}

static void test_patterns(void **state)
{
	lua_State **pair = *state;
	char s[64], p[64];
	const char *got[2];
	u64 n = 0;
	int i, k, errors = 0;

	lua_settop(pair[0], 0);
	lua_settop(pair[1], 0);
	for (k = 0; k < 2; k++)
		assert_int_equal(luaL_loadstring(pair[k], probe), 0);
	for (i = 0; i < 6000; i++) {
		const char *r = repls[rng_uniform(7, &n, ARRAY_SIZE(repls))];
		int init = (int)rng_uniform(7, &n, 9) - 4;

		pick(s, sizeof(s), subjects, ARRAY_SIZE(subjects), 8, &n);
		pick(p, sizeof(p), tokens, ARRAY_SIZE(tokens), 5, &n);
		for (k = 0; k < 2; k++) {
			lua_State *L = pair[k];
			struct err err = { 0 };

			lua_pushvalue(L, 1);
			lua_pushstring(L, s);
			lua_pushstring(L, p);
			lua_pushstring(L, r);
			lua_pushinteger(L, init);
			if (k == 0) {
				assert_int_equal(lua_pcall(L, 4, 1, 0), 0);
			} else if (lua_box_call(lua_box_of(L), 4, 1, LUA_CALL_CALLBACK, &err)) {
				fail_msg("%s", err.msg);
			}
			got[k] = lua_tostring(L, -1);
		}
		errors += strstr(got[0], "error") != NULL;
		if (strcmp(got[0], got[1]) != 0)
			fail_msg(
				"s = '%s', p = '%s', r = '%s', init = %d\nlibrary: %s\nours:    %s",
				s, p, r, init, got[0], got[1]);
		lua_settop(pair[0], 1);
		lua_settop(pair[1], 1);
	}
	/* The generator must make enough sound patterns and enough broken ones. */
	assert_in_range(errors, 600, 5400);
}

static void test_sort(void **state)
{
	lua_State **pair = *state;
	struct err err = { 0 };
	int i, k;

	lua_settop(pair[0], 0);
	lua_settop(pair[1], 0);
	for (k = 0; k < 2; k++)
		assert_int_equal(luaL_loadstring(pair[k], sort_probe), 0);
	for (i = 0; i < 70; i++) {
		for (k = 0; k < 2; k++) {
			lua_pushvalue(pair[k], 1);
			lua_pushinteger(pair[k], i);
			lua_pushinteger(pair[k], i * 77 + 1);
		}
		assert_int_equal(lua_pcall(pair[0], 2, 1, 0), 0);
		assert_int_equal(lua_box_call(lua_box_of(pair[1]), 2, 1, LUA_CALL_CALLBACK, &err),
				 0);
		assert_string_equal(lua_tostring(pair[0], -1), lua_tostring(pair[1], -1));
		lua_settop(pair[0], 1);
		lua_settop(pair[1], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests_name("lua-pattern", tests, prepare, release);
}
