#include "base/number.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_int(const char *s, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(s, &end, 10);
	return end != s && !*end && errno == 0 && *s != ' ' && *s != '+';
}

static const char *number_skip_digits(const char *s)
{
	return s + strspn(s, "0123456789");
}

bool number_is_json(const char *s)
{
	const char *digits = s + (*s == '-'), *p = number_skip_digits(digits), *from;

	if (p == digits || (*digits == '0' && p > digits + 1))
		return false;
	if (*p == '.') {
		from = p + 1;
		p = number_skip_digits(from);
		if (p == from)
			return false;
	}
	if (*p == 'e' || *p == 'E') {
		from = p + 1 + (p[1] == '+' || p[1] == '-');
		p = number_skip_digits(from);
		if (p == from)
			return false;
	}
	return !*p;
}

bool number_positive(const char *s, double *value)
{
	*value = strtod(s, NULL);
	return number_is_json(s) && *value > 0 && isfinite(*value);
}

bool number_percent(const char *s, int64_t *value)
{
	double v = strtod(s, NULL);

	if (!number_is_json(s) || !(v >= 0 && v <= 100))
		return false;
	*value = llround(strchr(s, '.') && v <= 1 ? 100 * v : v);
	return true;
}

bool number_time(const char *s, size_t len, int64_t scale, int64_t *unit, int64_t *value)
{
	static const struct { const char *name; int64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	const char *end = s + len, *p = s;
	bool negative = p < end && *p == '-', digits = false;
	int64_t v = 0, fraction = 0, place;

	*unit = 0;
	for (int i = 0; i < 4 && !*unit; i++) {
		size_t n = strlen(units[i].name);
		if (len > n && memcmp(end - n, units[i].name, n) == 0 && end[-1 - (int)n] != 'n' &&
		    end[-1 - (int)n] != 'u' && end[-1 - (int)n] != 'm') {
			*unit = units[i].ns;
			end -= n;
		}
	}
	scale = *unit ? *unit : scale;
	for (p += negative; p < end && *p >= '0' && *p <= '9'; p++, digits = true)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			return false;
	if (__builtin_mul_overflow(v, scale, &v))
		return false;
	if (p < end && *p == '.') {
		place = scale / 10;
		for (p++; p < end && *p >= '0' && *p <= '9'; p++, place /= 10, digits = true) {
			if (!place && *p != '0')
				return false;
			fraction += place * (*p - '0');
		}
	}
	if (p != end || !digits || __builtin_add_overflow(v, fraction, &v))
		return false;
	*value = negative ? -v : v;
	return true;
}

size_t number_times(const char *s, int64_t scale, int64_t **values)
{
	vec(int64_t) list = { 0 };
	int64_t unit, ns;

	for (;; s++) {
		size_t n = strcspn(s, ",");
		if (!number_time(s, n, scale, &unit, &ns) || ns < 0) {
			vec_free(&list);
			break;
		}
		vec_push(&list, ns);
		s += n;
		if (!*s)
			break;
	}
	*values = list.v;
	return list.n;
}

bool number_pid(const char *s, int64_t *pid, int64_t *sub)
{
	const char *colon = strchr(s, ':');
	char first[24];

	*sub = -1;
	if (!colon)
		return number_int(s, pid) && *pid >= 0;
	if ((size_t)(colon - s) >= sizeof first)
		return false;
	memcpy(first, s, (size_t)(colon - s));
	first[colon - s] = 0;
	return number_int(first, pid) && *pid >= 0 && number_int(colon + 1, sub) && *sub >= 0;
}

const char *number_pid_text(int64_t pid, int64_t sub, char buf[NUMBER_PID_SIZE])
{
	snprintf(buf, NUMBER_PID_SIZE, sub < 0 ? "%lld" : "%lld:%lld", (long long)pid, (long long)sub);
	return buf;
}

/* The number of decimals that gives v three significant figures, but at most `most`. */
static int number_decimals_for_figures(double v, int most)
{
	int decimals = 0;

	/* a value that would round up to four figures gets one decimal less */
	for (double full = 99.95; decimals < most && fabs(v) < full; full /= 10)
		decimals++;
	return decimals;
}

const char *number_ms(double ns, char buf[NUMBER_MS_SIZE])
{
	snprintf(buf, NUMBER_MS_SIZE, "%.*f", number_decimals_for_figures(ns / 1e6, 6), ns / 1e6);
	return buf;
}

const char *number_figures(double v, char buf[NUMBER_AMOUNT_SIZE])
{
	snprintf(buf, NUMBER_AMOUNT_SIZE, "%.*f", number_decimals_for_figures(v, 2), v);
	return strcmp(buf, "-0.00") == 0 ? "0.00" : buf;
}

const char *number_amount(double v, const char *unit, char buf[NUMBER_AMOUNT_SIZE])
{
	static const struct {
		const char *unit;
		double scale;                   /* how many of names[0] make one `unit` */
		double step;                    /* how many of each unit make one of the next */
		const char *names[6];
	} all[] = {
		{ "ns", 1, 1000, { "ns", "us", "ms", "s" } },
		{ "bytes", 1, 1024, { "B", "KiB", "MiB", "GiB", "TiB" } },
		{ "GB/s", 1e9, 1000, { "B/s", "kB/s", "MB/s", "GB/s", "TB/s" } },
	};

	for (size_t i = 0; unit && i < sizeof all / sizeof *all; i++) {
		double d = v * all[i].scale;
		size_t k = 0;
		if (strcmp(unit, all[i].unit) != 0)
			continue;
		for (; all[i].names[k + 1] && fabs(d) >= 999.5; k++)
			d /= all[i].step;
		snprintf(buf, NUMBER_AMOUNT_SIZE, "%.*f %s", k ? number_decimals_for_figures(d, 3) : 0, d,
			 all[i].names[k]);
		return buf;
	}
	return NULL;
}

bool number_size(const char *s, int64_t *bytes)
{
	static const char units[] = "kMGT";
	size_t n = strspn(s, "0123456789.");
	char number[32] = "", *end;
	const char *unit = s + n, *at = *unit ? strchr(units, *unit) : NULL;
	double value;

	if (!n || n >= sizeof number)
		return false;
	memcpy(number, s, n);
	value = strtod(number, &end);
	if (at) {
		bool binary = unit[1] == 'i';
		for (const char *u = units; u <= at; u++)
			value *= binary ? 1024 : 1000;
		unit += 1 + binary;
	}
	unit += *unit == 'B';
	*bytes = value < 1e18 ? (int64_t)value : 0;
	return !*end && !*unit && *bytes >= 1;
}
