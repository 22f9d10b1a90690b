#include "table/ncu_page.h"
#include "base/ncu_units.h"

#include <math.h>
#include <string.h>

static int column(const text_rows *r, const char *name)
{
	for (int i = 0; i < (int)text_rows_width(r, 0); i++)
		if (strcmp(text_rows_field(r, 0, i), name) == 0)
			return i;
	return -1;
}

/* A value without commas, in the base unit; what is no number as it is. */
static const char *plain(text_rows *r, const char *s, const char *unit)
{
	double v, scale = ncu_scale(unit);

	if (!ncu_number(s, strlen(s), &v))
		return s;
	if (isnan(v))
		return "";
	return scale == 1 && !strchr(s, ',') ? s : arena_printf(&r->texts, "%.15g", v * scale);
}

/* A field of a page with its values as they should be: units are beside a value, or in row 1. */
static const char *field_of(text_rows *r, size_t row, int col, int value, int unit)
{
	const char *s = text_rows_field(r, row, col);
	const char *of = text_rows_field(r, value < 0 ? 1 : row, value < 0 ? col : unit);

	if (row && s && of && (value < 0 || col == value))
		return plain(r, s, of);
	return !s ? "" : row && value >= 0 && col == unit ? ncu_base_unit(s) : s;
}

/* Is it a row of units, or a message of ncu itself? */
static bool no_data(const text_rows *r, size_t row, bool details)
{
	return (row == 1 && !details) ||
		(text_rows_width(r, row) == 1 && strncmp(text_rows_field(r, row, 0), "==", 2) == 0);
}

bool ncu_page_plain(text_rows *r)
{
	int kernel = column(r, "Kernel Name"), value = column(r, "Metric Value"), unit = column(r, "Metric Unit");
	bool details = value >= 0 && unit >= 0;
	size_t width = text_rows_width(r, 0);
	text_rows to = { 0 };

	if (kernel < 0 || r->ends.n < 2 ||
	    (!details && (text_rows_width(r, 1) != width || *text_rows_field(r, 1, kernel))))
		return false;
	for (size_t i = 0; i < r->ends.n; i++) {
		size_t n = text_rows_width(r, i);
		if (no_data(r, i, details))
			continue;
		for (int c = 0; c < (int)(details && n < width ? width : n); c++)
			vec_push(&to.fields, field_of(r, i, c, details ? value : -1, unit));
		vec_push(&to.ends, to.fields.n);
		vec_push(&to.lines, r->lines.v[i]);
	}
	vec_free(&r->fields);
	vec_free(&r->ends);
	vec_free(&r->lines);
	r->fields = to.fields;
	r->ends = to.ends;
	r->lines = to.lines;
	return true;
}
