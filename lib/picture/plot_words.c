#include "picture/plot_parts.h"

#include <string.h>

/* Parts of column names that people say in other words.  before: the word comes before the other words of the name. */
static const struct { const char *part, *said; bool before; } parts[] = {
	{ "p50", "median", true }, { "p90", "90th percentile of", true }, { "p99", "99th percentile of", true },
	{ "mean", "mean", true }, { "avg", "mean", true }, { "min", "least", true }, { "max", "greatest", true },
	{ "api", "API", false }, { "comm", "communication", false }, { "cpu", "CPU", false }, { "cuda", "CUDA", false },
	{ "dram", "DRAM", false }, { "dur", "duration", false }, { "gpu", "GPU", false }, { "os", "OS", false },
};

/* What an amount with this unit is called: a time, a share, a size or a rate; NULL: there is no unit. */
static const char *plot_words_name_quantity(const char *unit)
{
	return !unit ? NULL : strcmp(unit, "ns") == 0 ? "time" : strcmp(unit, "%") == 0 ? "share" :
		strcmp(unit, "bytes") == 0 ? "size" : "rate";
}

const char *plot_short_column_name(arena *a, const plot_column *c)
{
	const char *cut = c->unit ? strrchr(c->name, '_') : NULL;
	char *name = arena_text(a, c->name, cut && cut > c->name ? (size_t)(cut - c->name) : strlen(c->name));

	for (char *p = name; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return name;
}

static const char *plot_words_of_column(arena *a, const plot_column *c)
{
	const char *before = "", *rest = "", *name = plot_short_column_name(a, c);
	bool alone = !strchr(name, ' ') && strcmp(name, c->name) == 0 && c->unit;      /* the name is nothing but the
										        * unit */

	if (c->about->said)
		return c->about->said;
	for (size_t n; *name && !alone; name += n + (name[n] == ' ')) {
		const char *said = NULL;
		bool first = false;
		n = strcspn(name, " ");
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if (strlen(parts[i].part) == n && strncmp(parts[i].part, name, n) == 0) {
				said = parts[i].said;
				first = parts[i].before;
			}
		said = said ? said : arena_text(a, name, n);
		if (first)
			before = arena_printf(a, "%s%s ", before, said);
		else
			rest = arena_printf(a, "%s%s%s", rest, *rest ? " " : "", said);
	}
	name = plot_words_name_quantity(c->unit);
	if (strcmp(rest, "duration") == 0 || (!name && *rest))
		name = "";
	return arena_printf(a, "%s%s%s%s", before, rest, *rest && (!name || *name) ? " " : "", name ? name : "value");
}

/* The words that `say` gives for columns, as a list: a, b and c; NULL: there are no columns. */
static const char *plot_words_list_columns(arena *a, const plot_columns *list,
					   const char *(*say)(arena *, const plot_column *))
{
	const char *text = NULL, *last = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const char *one = say(a, list->v[i]);
		if (last && strcmp(one, last) == 0)
			continue;               /* the name and the number of a thread have the same words */
		text = text ? arena_printf(a, "%s%s%s", text, i + 1 < list->n ? ", " : " and ", one) : one;
		last = one;
	}
	return text;
}

const char *plot_value_title(arena *a, const plot_choice *c)
{
	const char *unit = c->values.n ? c->values.v[0]->unit : NULL;

	return c->kind == PLOT_TIMELINE ? plot_words_list_columns(a, &c->label, plot_words_of_column) :
		c->kind == PLOT_HIST	? "rows" :
		c->values.n == 1	? plot_words_of_column(a, c->values.v[0]) :
		c->kind == PLOT_LINE || !plot_words_name_quantity(unit) ? NULL :
									  plot_words_name_quantity(unit);
}

const char *plot_along_title(arena *a, const plot_choice *c)
{
	if (c->kind == PLOT_BARS || c->kind == PLOT_STACK)
		return plot_words_list_columns(a, &c->label, plot_words_of_column);
	return !c->along ? "row" : strcmp(c->along->name, "start_ns") == 0 ? "time" : plot_words_of_column(a, c->along);
}

/* What is drawn, in words: a timeline, a number of rows, the values of one column, or the values of several columns. */
static const char *plot_words_describe_quantity(arena *a, const plot_choice *c)
{
	const char *quantity = c->values.n ? plot_words_name_quantity(c->values.v[0]->unit) : NULL;

	return c->kind == PLOT_TIMELINE ? "timeline" :
		c->kind == PLOT_HIST	? arena_printf(a, "number of rows by %s", plot_along_title(a, c)) :
		c->values.n == 1	? plot_words_of_column(a, c->values.v[0]) :
					  arena_printf(a, "%s%s%s",
						       plot_words_list_columns(a, &c->values, plot_short_column_name),
						       quantity ? " " : "", quantity ? quantity : "");
}

const char *plot_title(arena *a, const plot_choice *c, bool several)
{
	const char *per = c->kind == PLOT_LINE ? plot_words_list_columns(a, &c->panel_row, plot_words_of_column) :
						 plot_words_list_columns(a, &c->label, plot_words_of_column),
		   *over = c->kind == PLOT_LINE ? plot_along_title(a, c) : NULL,
		   *by = c->color && several ? plot_words_of_column(a, c->color) : NULL;

	for (size_t i = 0; i < c->label.n; i++)
		by = c->label.v[i] == c->color ? NULL : by;
	char *title = arena_printf(a, "%s%s%s%s%s%s%s", plot_words_describe_quantity(a, c), over ? " over " : "",
				   over ? over : "", per ? " per " : "", per ? per : "", by ? ", by " : "",
				   by ? by : "");

	if (*title >= 'a' && *title <= 'z')
		*title = (char)(*title - 'a' + 'A');
	return title;
}
