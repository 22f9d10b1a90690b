#include "base/ncu_units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of time: how many ns it is; 0 of another unit. */
static double nanoseconds(const char *unit)
{
	static const struct { const char *unit; double ns; } times[] = {
		{ "us", 1e3 }, { "usecond", 1e3 }, { "ms", 1e6 }, { "msecond", 1e6 }, { "s", 1e9 }, { "second", 1e9 },
	};

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (strcmp(unit, times[i].unit) == 0)
			return times[i].ns;
	return 0;
}

double ncu_scale(const char *unit)
{
	static const char prefixes[] = "KMGTPE";
	const char *p = *unit ? strchr(prefixes, *unit) : NULL;

	if (p && unit[1] >= 'a' && unit[1] <= 'z')
		return pow(1000, (double)(p - prefixes + 1));
	return nanoseconds(unit) > 0 ? nanoseconds(unit) : 1;
}

const char *ncu_base_unit(const char *unit)
{
	return nanoseconds(unit) > 0 ? "ns" : unit + (ncu_scale(unit) > 1);
}

bool ncu_number(const char *s, size_t len, double *v)
{
	char buf[64], *end;
	size_t n = 0;

	*v = NAN;
	if (len == 0 || (len == 3 && (strncmp(s, "n/a", 3) == 0 || strncmp(s, "nan", 3) == 0)))
		return true;
	for (size_t i = 0; i < len && n + 1 < sizeof buf; i++)
		if (s[i] != ',')
			buf[n++] = s[i];
	buf[n] = 0;
	*v = strtod(buf, &end);
	return !*end && end != buf && n + 1 < sizeof buf && !buf[strspn(buf, "0123456789.eE+-")] && *v >= 0;
}
