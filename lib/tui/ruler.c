#include "tui/ruler.h"
#include "base/interval.h"

#include <stdio.h>

static int64_t magnitude(int64_t x)
{
	return x < 0 ? ns_sub(0, x) : x;
}

ruler ruler_of(int64_t from, int64_t to, int64_t most)
{
	static const int64_t factors[] = { 2, 5, 10 };
	int64_t length = ns_sub(to, from), ten = 1, largest = magnitude(from);
	ruler r = { 0, 1, 1, 0 };

	most = most < 1 ? 1 : most;
	for (int i = 0; length / r.step >= most; i = (i + 1) % 3) {
		r.step = ten * factors[i];
		ten = i == 2 ? r.step : ten;
	}
	largest = magnitude(to) > largest ? magnitude(to) : largest;
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
	int64_t whole = magnitude(ns) / r->unit, part = magnitude(ns) % r->unit, u = r->unit;

	for (int i = 0; i < r->digits; i++)
		u /= 10;
	if (r->digits)
		snprintf(buf, RULER_TEXT, "%s%lld.%0*lld %s", ns < 0 ? "-" : "", (long long)whole, r->digits,
			 (long long)(part / (u ? u : 1)), unit);
	else
		snprintf(buf, RULER_TEXT, "%s%lld %s", ns < 0 ? "-" : "", (long long)whole, unit);
	return buf;
}
