#include "trace/ncu_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONG_RANGE = 4096 };

double ncu_scale(const char *unit)
{
	static const char prefixes[] = "KMGTPE";
	const char *p = *unit ? strchr(prefixes, *unit) : NULL;

	return p && unit[1] >= 'a' && unit[1] <= 'z' ? pow(1000, (double)(p - prefixes + 1)) : 1;
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

uint32_t ncu_shape(str_pool *names, const char *s, size_t len)
{
	char buf[64];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof buf; i++)
		if (s[i] >= '0' && s[i] <= '9')
			buf[n++] = s[i];
		else if (s[i] == ',')
			buf[n++] = 'x';
	return str_id(names, buf, n);
}

static size_t count_of(const char *s, size_t n, char c)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += s[i] == c;
	return k;
}

/* The length of the name in NAME:PAYLOAD_TYPE:PAYLOAD:COLOR_TYPE:COLOR:MESSAGE_TYPE:MESSAGE.  The name may hold colons;
 * the message is none or the name again. */
static size_t name_length(const char *s, size_t n)
{
	size_t colons = 0;

	for (size_t k = 1; n <= LONG_RANGE && 2 * k < n; k++)
		if (s[k] == ':' && s[n - k - 1] == ':' && strncmp(s, s + n - k, k) == 0 &&
		    count_of(s + k, n - 2 * k, ':') == 6)
			return k;
	while (n && colons < 6)
		colons += s[--n] == ':';
	return n;
}

uint32_t ncu_range(str_pool *names, const char *s, size_t len)
{
	const char *close = memrchr(s, '"', len), *open = close ? memrchr(s, '"', (size_t)(close - s)) : NULL;
	const char *colon = open ? memchr(open, ':', (size_t)(close - open)) : NULL;

	return colon ? str_id(names, colon + 1, name_length(colon + 1, (size_t)(close - colon - 1))) : STR_NONE;
}
