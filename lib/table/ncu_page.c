#include "table/ncu_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds of a unit of time; 0 for other units. */
static double ncu_page_nanoseconds_of_unit(const char *unit)
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
	return ncu_page_nanoseconds_of_unit(unit) > 0 ? ncu_page_nanoseconds_of_unit(unit) : 1;
}

const char *ncu_base_unit(const char *unit)
{
	return ncu_page_nanoseconds_of_unit(unit) > 0 ? "ns" : unit + (ncu_scale(unit) > 1);
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

/* The value without commas, in its base unit; "" if there is no number; a text that is not a number stays as it is. */
static const char *ncu_page_convert_value(text_rows *r, const char *s, const char *unit)
{
	double v, scale = ncu_scale(unit);

	if (!ncu_number(s, strlen(s), &v))
		return s;
	if (isnan(v))
		return "";
	return scale == 1 && !strchr(s, ',') ? s : arena_printf(&r->texts, "%.15g", v * scale);
}

/* A field of a page, converted if it is a value or, on the details page, a unit.  value_col and unit_col: the columns
 * of values and of their units on the details page.  On the raw page, value_col is -1, and row 1 holds the units. */
static const char *ncu_page_field_of(text_rows *r, size_t row, int col, int value_col, int unit_col)
{
	const char *s = text_rows_field(r, row, col);
	const char *unit = text_rows_field(r, value_col < 0 ? 1 : row, value_col < 0 ? col : unit_col);

	if (row && s && unit && (value_col < 0 || col == value_col))
		return ncu_page_convert_value(r, s, unit);
	return !s ? "" : row && value_col >= 0 && col == unit_col ? ncu_base_unit(s) : s;
}

/* Is it the row of units of the raw page, or a message of ncu itself? */
static bool ncu_page_has_no_data(const text_rows *r, size_t row, bool details)
{
	return (row == 1 && !details) ||
		(text_rows_width(r, row) == 1 && strncmp(text_rows_field(r, row, 0), "==", 2) == 0);
}

bool ncu_page_convert(text_rows *r)
{
	int kernel = text_rows_column(r, 0, "Kernel Name");
	int value_col = text_rows_column(r, 0, "Metric Value"), unit_col = text_rows_column(r, 0, "Metric Unit");
	bool details = value_col >= 0 && unit_col >= 0;
	size_t width = text_rows_width(r, 0);
	text_rows to = { 0 };

	if (kernel < 0 || r->ends.n < 2 ||
	    (!details && (text_rows_width(r, 1) != width || *text_rows_field(r, 1, kernel))))
		return false;
	for (size_t i = 0; i < r->ends.n; i++) {
		size_t n = text_rows_width(r, i);
		if (ncu_page_has_no_data(r, i, details))
			continue;
		for (int c = 0; c < (int)(details && n < width ? width : n); c++)
			vec_push(&to.fields, ncu_page_field_of(r, i, c, details ? value_col : -1, unit_col));
		vec_push(&to.ends, to.fields.n);
		vec_push(&to.lines, r->lines.v[i]);
	}
	mem_free(r->fields.v, r->ends.v, r->lines.v);
	r->fields = to.fields;
	r->ends = to.ends;
	r->lines = to.lines;
	return true;
}
