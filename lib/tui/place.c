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
	place_typed to = { 0 };

	s += strspn(s, " \t");
	if (*s >= '0' && *s <= '9' && number_int(s, &to.step))
		to.kind = PLACE_STEP;
	return to;
}

static place_typed place_parse_window(const char *s, const place_reference *now)
{
	place_typed to = { 0 };
	window_ask w;

	if (!window_table_read_interval(s, &w) || (!w.has_a && !w.has_b))
		return to;
	to.time = (ival){ w.has_a ? ns_add(w.a, now->from) : INT64_MIN, w.has_b ? ns_add(w.b, now->from) : INT64_MAX };
	if (to.time.a < to.time.b)
		to.kind = PLACE_WINDOW;
	return to;
}

static place_typed place_parse_time(const char *s, const place_reference *now)
{
	place_typed to = { 0 };
	bool signed_ = *s == '+' || *s == '-', back = *s == '-';
	int64_t unit, by;

	s += signed_;
	if (!number_time(s, strlen(s), 1, &unit, &by) || by < 0)
		return to;
	to.kind = PLACE_TIME;
	to.time.a = to.time.b = signed_ ? ns_add(now->cursor, back ? -by : by) : ns_add(by, now->from);
	return to;
}

place_typed place_read(const char *text, const place_reference *now)
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
	return strstr(s, "..") ? place_parse_window(s, now) : place_parse_time(s, now);
}

/* ---- round times */

static int64_t place_absolute(int64_t x)
{
	return x < 0 ? ns_sub(0, x) : x;
}

ruler ruler_choose(int64_t from, int64_t to, int64_t most)
{
	static const int64_t factors[] = { 2, 5, 10 };
	int64_t length = ns_sub(to, from), ten = 1, largest = place_absolute(from);
	ruler r = { 0, 1, 1, 0 };

	most = most < 1 ? 1 : most;
	for (int i = 0; length / r.step >= most; i = (i + 1) % 3) {
		r.step = ten * factors[i];
		ten = i == 2 ? r.step : ten;
	}
	largest = place_absolute(to) > largest ? place_absolute(to) : largest;
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
	int64_t whole = place_absolute(ns) / r->unit, part = place_absolute(ns) % r->unit, u = r->unit;

	for (int i = 0; i < r->digits; i++)
		u /= 10;
	if (r->digits)
		snprintf(buf, RULER_TEXT, "%s%lld.%0*lld %s", ns < 0 ? "-" : "", (long long)whole, r->digits,
			 (long long)(part / (u ? u : 1)), unit);
	else
		snprintf(buf, RULER_TEXT, "%s%lld %s", ns < 0 ? "-" : "", (long long)whole, unit);
	return buf;
}
