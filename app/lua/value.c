/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.c - Lua values read as what bindings need: whole numbers, times, names, sets of CPUs.
 *
 * Floats cross into integers here and nowhere else. A decimal that a script writes, such as 12.3,
 * is not exact in binary, so it is first rounded to a millionth; then everybody gets the same number.
 */
#include "app/lua/value.h"

#include "app/lua/handle.h"
#include "app/suggest.h"
#include "app/text.h"
#include "app/units.h"
#include "engine/base/cpumask.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MILLION 1000000.0

/* What was found instead, for messages. */
static const char *found(lua_State *L, int idx, char *buf, size_t size)
{
	char clean[40];

	switch (lua_type(L, idx)) {
	case LUA_TSTRING:
		text_clean(clean, sizeof(clean), lua_tostring(L, idx));
		snprintf(buf, size, "'%s'", clean);
		break;
	case LUA_TNUMBER:
		lua_pushvalue(L, idx);
		snprintf(buf, size, "%.60s", lua_tostring(L, -1));
		lua_pop(L, 1);
		break;
	case LUA_TNONE:
	case LUA_TNIL:
		snprintf(buf, size, "nothing");
		break;
	default:
		snprintf(buf, size, "a %s", luaL_typename(L, idx));
		break;
	}
	return buf;
}

static bool whole(lua_State *L, int idx, s64 *out)
{
	lua_Number f;
	int ok;

	if (lua_type(L, idx) != LUA_TNUMBER)
		return false;
	*out = lua_tointegerx(L, idx, &ok);
	if (ok)
		return true;
	f = round(lua_tonumber(L, idx) * MILLION) / MILLION;
	if (!(f >= -9e15 && f <= 9e15) || f != floor(f))
		return false;
	*out = (s64)f;
	return true;
}

s64 lv_int(lua_State *L, int idx, const char *what, s64 min, s64 max)
{
	char buf[80];
	s64 v = 0;

	if (!whole(L, idx, &v) || v < min || v > max)
		lua_box_fail(L, "%s is a whole number %lld .. %lld, not %s", what, (long long)min,
			     (long long)max, found(L, idx, buf, sizeof(buf)));
	return v;
}

s64 lv_scaled(lua_State *L, int idx, const char *what, s64 scale, s64 min, s64 max)
{
	char buf[80];
	lua_Number f;
	s64 v = 0;

	f = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : (lua_Number)NAN;
	if (f >= -9e9 && f <= 9e9)
		v = (s64)round(round(f * MILLION) * (lua_Number)scale / MILLION);
	else
		f = (lua_Number)NAN;
	if (f != f || v < min || v > max)
		lua_box_fail(L, "%s is a number %g .. %g, not %s", what,
			     (double)min / (double)scale, (double)max / (double)scale,
			     found(L, idx, buf, sizeof(buf)));
	return v;
}

u64 lv_time(lua_State *L, int idx, const char *what)
{
	struct err err = { 0 };
	char buf[80];
	size_t len;
	const char *s;
	u64 ns = 0;
	s64 v = 0;

	if (lua_type(L, idx) == LUA_TSTRING) {
		s = lua_tolstring(L, idx, &len);
		if (parse_time(s, len, &ns, &err))
			lua_box_fail(L, "%s: %s", what, err.msg);
		return ns;
	}
	if (!whole(L, idx, &v) || v < 0 || (u64)v > UNITS_TIME_MAX)
		lua_box_fail(L,
			     "%s is a time such as \"250us\", \"1.5ms\" or a whole number of ns, "
			     "not %s",
			     what, found(L, idx, buf, sizeof(buf)));
	return (u64)v;
}

bool lv_bool(lua_State *L, int idx, const char *what)
{
	char buf[80];

	if (lua_type(L, idx) != LUA_TBOOLEAN)
		lua_box_fail(L, "%s is true or false, not %s", what,
			     found(L, idx, buf, sizeof(buf)));
	return lua_toboolean(L, idx);
}

const char *lv_text(lua_State *L, int idx, const char *what, size_t min, size_t max)
{
	char buf[80];
	size_t len = 0;
	const char *s = NULL;

	if (lua_type(L, idx) == LUA_TSTRING)
		s = lua_tolstring(L, idx, &len);
	if (!s || strlen(s) != len)
		lua_box_fail(L, "%s is a text without NUL bytes, not %s", what,
			     found(L, idx, buf, sizeof(buf)));
	if (len < min || len > max)
		lua_box_fail(L, "%s has %zu .. %zu bytes, not %zu", what, min, max, len);
	return s;
}

int lv_unknown(lua_State *L, const char *fn, const char *what, const char *name,
	       const char *const *names, size_t nr)
{
	const char *near = suggest(name, names, nr);
	char clean[64], list[300];
	size_t i, len = 0;

	text_clean(clean, sizeof(clean), name);
	if (near) {
		text_clean(list, sizeof(list), near);
		return lua_box_fail(L, "%s: there is no %s '%s'; did you mean '%s'?", fn, what,
				    clean, list);
	}
	list[0] = '\0';
	for (i = 0; i < nr && len + 40 < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, " %.32s", names[i]);
	text_clean(list, sizeof(list), list);
	return lua_box_fail(L, "%s: there is no %s '%s'; known:%s%s", fn, what, clean,
			    nr ? list : " none", i < nr ? " ..." : "");
}

int lv_choice(lua_State *L, int idx, const char *what, const char *const *names)
{
	const char *s;
	size_t nr = 0;

	for (; names[nr]; nr++)
		;
	s = lv_text(L, idx, what, 0, 255);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(s, names[i]))
			return (int)i;
	return lv_unknown(L, what, "value", s, names, nr);
}

/*
 * A plain copy takes the place of a table with a metatable: what its __index does, such as calling
 * the very binding again, is over before the binding looks at its own state.
 */
static void plain_table(lua_State *L, int idx, const char *const *known, size_t nr)
{
	lua_newtable(L);
	lua_pushnil(L);
	while (lua_next(L, idx)) {
		lua_pushvalue(L, -2);
		lua_insert(L, -2);
		lua_rawset(L, -4);
	}
	for (size_t i = 0; i < nr; i++) {
		lua_getfield(L, idx, known[i]);
		lua_setfield(L, -2, known[i]);
	}
	lua_replace(L, idx);
}

void lv_fields(lua_State *L, int idx, const char *fn, const char *names, bool list)
{
	const char *known[48];
	char copy[512], buf[80], *save = NULL, *w;
	size_t nr = 0, i;

	idx = lua_absindex(L, idx);
	if (lua_type(L, idx) != LUA_TTABLE)
		lua_box_fail(L, "%s takes a table { name = value, ... }, not %s", fn,
			     found(L, idx, buf, sizeof(buf)));
	snprintf(copy, sizeof(copy), "%s", names);
	for (w = strtok_r(copy, " ", &save); w && nr < ARRAY_SIZE(known);
	     w = strtok_r(NULL, " ", &save))
		known[nr++] = w;
	lua_pushnil(L);
	while (lua_next(L, idx)) {
		lua_pop(L, 1);
		if (lua_type(L, -1) == LUA_TSTRING) {
			const char *key = lua_tostring(L, -1);

			for (i = 0; i < nr && strcmp(key, known[i]) != 0; i++)
				;
			if (i == nr)
				lv_unknown(L, fn, "field", key, known, nr);
		} else if (!list || !lua_isinteger(L, -1)) {
			lua_box_fail(L, "%s: %s is no name of a field; write name = value", fn,
				     found(L, -1, buf, sizeof(buf)));
		}
	}
	if (lua_getmetatable(L, idx)) {
		lua_pop(L, 1);
		plain_table(L, idx, known, nr);
	}
}

bool lv_field(lua_State *L, int idx, const char *key)
{
	if (lua_getfield(L, idx, key) != LUA_TNIL)
		return true;
	lua_pop(L, 1);
	return false;
}

u32 lv_cpu(lua_State *L, int idx, const char *what, u32 nr_cpus)
{
	const struct lua_handle *h = lua_handle_get(L, idx);

	if (h && h->kind == HANDLE_CPU && h->id < nr_cpus)
		return (u32)h->id;
	return (u32)lv_int(L, idx, what, 0, (s64)nr_cpus - 1);
}

void lv_cpus(lua_State *L, int idx, const char *what, u64 *words, u32 nwords, u32 nr_cpus)
{
	struct err err = { 0 };
	lua_Integer i, n;

	idx = lua_absindex(L, idx);
	cpumask_zero(words, nwords);
	if (lua_type(L, idx) == LUA_TSTRING) {
		const char *s = lv_text(L, idx, what, 1, 4000);

		if (!strcmp(s, "all"))
			cpumask_fill(words, nwords, nr_cpus);
		else if (cpumask_parse(words, nwords, nr_cpus, s, &err))
			lua_box_fail(L, "%s: %s", what, err.msg);
	} else if (lua_type(L, idx) == LUA_TTABLE) {
		n = (lua_Integer)lua_rawlen(L, idx);
		if (n > (lua_Integer)nr_cpus)
			n = (lua_Integer)nr_cpus + 1;
		for (i = 1; i <= n; i++) {
			lua_rawgeti(L, idx, i);
			cpumask_set(words, lv_cpu(L, -1, what, nr_cpus));
			lua_pop(L, 1);
		}
	} else {
		cpumask_set(words, lv_cpu(L, idx, what, nr_cpus));
	}
	if (cpumask_empty(words, nwords))
		lua_box_fail(L, "%s: at least one CPU is needed", what);
}
