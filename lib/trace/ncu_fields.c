#include "trace/ncu_fields.h"

#include <string.h>

enum { LONG_RANGE = 4096 };

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
