#include "tui/place.h"
#include "base/number.h"
#include "base/shell.h"
#include "table/window_table.h"

#include <string.h>

const char *place_command(arena *a, const char *tool, ival time, const char *pid, int64_t gpu, const char *trace)
{
	/* a name that begins with - would look like an option */
	const char *word = shell_word(a, *trace == '-' ? arena_printf(a, "./%s", trace) : trace);

	return arena_printf(a, "%s -w %lld..%lld -p %s%s %s", tool, (long long)time.a, (long long)time.b, pid,
			    gpu < 0 ? "" : arena_printf(a, " -g %lld", (long long)gpu), word);
}

static place_typed place_parse_step(const char *s)
{
	place_typed typed = { 0 };

	s += strspn(s, " \t");
	if (*s >= '0' && *s <= '9' && number_int(s, &typed.step))
		typed.kind = PLACE_STEP;
	return typed;
}

static place_typed place_parse_window(const char *s, const place_reference *ref)
{
	place_typed typed = { 0 };
	window_ask w;

	if (!window_table_read_interval(s, &w) || (!w.has_a && !w.has_b))
		return typed;
	typed.time = (ival){ w.has_a ? ns_add(w.a, ref->from) : INT64_MIN,
		w.has_b ? ns_add(w.b, ref->from) : INT64_MAX };
	if (typed.time.a < typed.time.b)
		typed.kind = PLACE_WINDOW;
	return typed;
}

static place_typed place_parse_time(const char *s, const place_reference *ref)
{
	place_typed typed = { 0 };
	bool has_sign = *s == '+' || *s == '-', back = *s == '-';
	int64_t unit, ns;

	s += has_sign;
	if (!number_time(s, strlen(s), 1, &unit, &ns) || ns < 0)
		return typed;
	typed.kind = PLACE_TIME;
	typed.time.a = typed.time.b = has_sign ? ns_add(ref->cursor, back ? -ns : ns) : ns_add(ns, ref->from);
	return typed;
}

place_typed place_read(const char *text, const place_reference *ref)
{
	char s[128] = "";
	size_t n;

	text += strspn(text, " \t");
	n = strlen(text);
	while (n && strchr(" \t", text[n - 1]))
		n--;
	if (!n || n >= sizeof s)
		return (place_typed){ 0 };
	memcpy(s, text, n);
	if (*s == '#')
		return place_parse_step(s + 1);
	if (strncmp(s, "step", 4) == 0)
		return place_parse_step(s + 4);
	return strstr(s, "..") ? place_parse_window(s, ref) : place_parse_time(s, ref);
}

/* ---- round times */

static int64_t place_remove_sign(int64_t x)
{
	return x < 0 ? ns_sub(0, x) : x;
}

ruler ruler_choose(int64_t from, int64_t to, int64_t most)
{
	static const int64_t factors[] = { 2, 5, 10 };
	int64_t length = ns_sub(to, from), power_of_10 = 1, largest = place_remove_sign(from);
	ruler r = { 0, 1, 1, 0 };

	most = most < 1 ? 1 : most;
	for (int i = 0; length / r.step >= most; i = (i + 1) % 3) {
		r.step = power_of_10 * factors[i];
		power_of_10 = i == 2 ? r.step : power_of_10;
	}
	largest = place_remove_sign(to) > largest ? place_remove_sign(to) : largest;
	while (r.unit < 1000000000 && largest >= 1000 * r.unit)
		r.unit *= 1000;
	for (int64_t u = r.unit; u > r.step; u /= 10)
		r.digits++;
	r.first = from / r.step * r.step;
	if (r.first < from)
		r.first += r.step;
	return r;
}

const char *ruler_text(const ruler *r, int64_t ns, char buf[RULER_TEXT])
{
	const char *unit = r->unit == 1 ? "ns" : r->unit == 1000 ? "us" : r->unit == 1000000 ? "ms" : "s";
	int64_t whole = place_remove_sign(ns) / r->unit, part = place_remove_sign(ns) % r->unit, u = r->unit;

	for (int i = 0; i < r->digits; i++)
		u /= 10;
	if (r->digits)
		snprintf(buf, RULER_TEXT, "%s%lld.%0*lld %s", ns < 0 ? "-" : "", (long long)whole, r->digits,
			 (long long)(part / (u ? u : 1)), unit);
	else
		snprintf(buf, RULER_TEXT, "%s%lld %s", ns < 0 ? "-" : "", (long long)whole, unit);
	return buf;
}
