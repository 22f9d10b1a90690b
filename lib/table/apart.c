#include "table/apart.h"
#include "base/memory.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t apart_round_moment(int64_t ns, int64_t least)
{
	int64_t half = least / 2;

	return ns > INT64_MAX - half || ns < INT64_MIN + half ? ns / least : (ns < 0 ? ns - half : ns + half) / least;
}

static int apart_compare_moments(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Do two consecutive moments differ, but look alike if the last digit stands for `least` ns? */
static bool apart_look_alike(const int64_t *ns, size_t n, int64_t least)
{
	for (size_t i = 1; i < n; i++)
		if (ns[i] != ns[i - 1] && ns[i] != STATS_MISSING && ns[i - 1] != STATS_MISSING &&
		    apart_round_moment(ns[i], least) == apart_round_moment(ns[i - 1], least))
			return true;
	return false;
}

/* The ns that the last digit stands for: `least`, divided by 10 until different moments in a column, and different
 * neighbours in a row, look different. */
static int64_t apart_find_least(const int64_t *ns, size_t rows, size_t columns, int64_t least)
{
	int64_t *sorted = mem_new(int64_t, rows + 1);

	for (size_t r = 0; r < rows; r++)
		while (least > 1 && apart_look_alike(ns + r * columns, columns, least))
			least /= 10;
	for (size_t c = 0; c < columns; c++) {
		for (size_t r = 0; r < rows; r++)
			sorted[r] = ns[r * columns + c];
		qsort(sorted, rows, sizeof *sorted, apart_compare_moments);
		while (least > 1 && apart_look_alike(sorted, rows, least))
			least /= 10;
	}
	free(sorted);
	return least;
}

apart_moments apart_moments_of(const int64_t *ns, size_t rows, size_t columns)
{
	static const struct { int64_t ns; const char *name; } units[] = {
		{ 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" }
	};
	apart_moments how = { 0 };
	int64_t most = 0;
	size_t unit = 0;

	for (size_t i = 0; i < rows * columns; i++) {
		int64_t size = ns[i] == STATS_MISSING ? 0 : ns[i] < 0 ? -(ns[i] + 1) : ns[i];
		most = size > most ? size : most;
	}
	while (unit < 3 && most >= units[unit + 1].ns)
		unit++;
	how.unit = units[unit].name;
	/* at least three figures for the largest moment: two decimals below 10, otherwise one */
	how.least = unit ? units[unit].ns / (most / units[unit].ns < 10 ? 100 : 10) : 1;
	how.least = apart_find_least(ns, rows, columns, how.least);
	for (int64_t left = units[unit].ns; left > how.least; left /= 10)
		how.decimals++;
	return how;
}

const char *apart_format(apart_moments how, int64_t ns, char buf[APART_SIZE])
{
	int64_t scale = 1, v = apart_round_moment(ns, how.least);
	uint64_t size = v < 0 ? -(uint64_t)v : (uint64_t)v;
	const char *sign = v < 0 ? "-" : "";

	for (int i = 0; i < how.decimals; i++)
		scale *= 10;
	if (how.decimals)
		snprintf(buf, APART_SIZE, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, size / (uint64_t)scale, how.decimals,
			 size % (uint64_t)scale, how.unit);
	else
		snprintf(buf, APART_SIZE, "%s%" PRIu64 " %s", sign, size, how.unit);
	return buf;
}

static int apart_compare_paths(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int base = strcmp(text_base(*x), text_base(*y));

	return base ? base : strcmp(*x, *y);
}

bool apart_base_names(const char *const *paths, size_t n)
{
	const char **sorted;
	bool apart = true;

	if (!n)
		return true;
	sorted = mem_new(const char *, n);
	memcpy(sorted, paths, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, apart_compare_paths);
	for (size_t i = 1; apart && i < n; i++)
		apart = strcmp(sorted[i], sorted[i - 1]) == 0 ||
			strcmp(text_base(sorted[i]), text_base(sorted[i - 1])) != 0;
	free(sorted);
	return apart;
}
