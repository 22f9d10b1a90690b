#include "picture/plot_parts.h"

#include <string.h>

/* Parts of names that people say otherwise: first those that stand before the rest. */
static const struct { const char *part, *said; bool before; } parts[] = {
	{ "p50", "median", true }, { "p90", "90th percentile of", true }, { "p99", "99th percentile of", true },
	{ "mean", "mean", true }, { "avg", "mean", true }, { "min", "least", true }, { "max", "greatest", true },
	{ "api", "API", false }, { "comm", "communication", false }, { "cpu", "CPU", false }, { "cuda", "CUDA", false },
	{ "dram", "DRAM", false }, { "dur", "duration", false }, { "gpu", "GPU", false }, { "os", "OS", false },
};

/* What the numbers of a unit are, where the name does not say. */
static const char *thing(const char *unit)
{
	return !unit ? NULL : strcmp(unit, "ns") == 0 ? "time" : strcmp(unit, "%") == 0 ? "share" :
		strcmp(unit, "bytes") == 0 ? "size" : "rate";
}

const char *plot_short(arena *a, const plot_column *c)
{
	const char *cut = c->unit ? strrchr(c->name, '_') : NULL;
	char *name = arena_text(a, c->name, cut && cut > c->name ? (size_t)(cut - c->name) : strlen(c->name));

	for (char *p = name; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return name;
}

/* A column as a person says it. */
static const char *words(arena *a, const plot_column *c)
{
	const char *before = "", *rest = "", *name = plot_short(a, c);
	bool alone = !strchr(name, ' ') && strcmp(name, c->name) == 0 && c->unit;      /* the name is the unit */

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
	name = thing(c->unit);
	if (strcmp(rest, "duration") == 0 || (!name && *rest))
		name = "";
	return arena_printf(a, "%s%s%s%s", before, rest, *rest && (!name || *name) ? " " : "", name ? name : "value");
}

/* Several columns as one says it: a, b and c; NULL if there are none. */
static const char *list_of(arena *a, const plot_columns *list, const char *(*say)(arena *, const plot_column *))
{
	const char *text = NULL, *last = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const char *one = say(a, list->v[i]);
		if (last && strcmp(one, last) == 0)
			continue;               /* a thread has a name and a number */
		text = text ? arena_printf(a, "%s%s%s", text, i + 1 < list->n ? ", " : " and ", one) : one;
		last = one;
	}
	return text;
}

const char *plot_value_words(arena *a, const plot_choice *c)
{
	const char *unit = c->values.n ? c->values.v[0]->unit : NULL;

	return c->kind == PLOT_TIMELINE ? list_of(a, &c->label, words) : c->kind == PLOT_HIST ? "rows" :
		c->values.n == 1 ? words(a, c->values.v[0]) : c->kind == PLOT_LINE || !thing(unit) ? NULL :
		thing(unit);
}

const char *plot_along_words(arena *a, const plot_choice *c)
{
	if (c->kind == PLOT_BARS || c->kind == PLOT_STACK)
		return list_of(a, &c->label, words);
	return !c->along ? "row" : strcmp(c->along->name, "start_ns") == 0 ? "time" : words(a, c->along);
}

/* What the numbers are: one column, or several that are of one kind. */
static const char *what(arena *a, const plot_choice *c)
{
	const char *of = c->values.n ? thing(c->values.v[0]->unit) : NULL;

	return c->kind == PLOT_TIMELINE ? "timeline" :
		c->kind == PLOT_HIST ? arena_printf(a, "number of rows by %s", plot_along_words(a, c)) :
		c->values.n == 1 ? words(a, c->values.v[0]) :
		arena_printf(a, "%s%s%s", list_of(a, &c->values, plot_short), of ? " " : "", of ? of : "");
}

const char *plot_title(arena *a, const plot_choice *c, bool several)
{
	const char *per = c->kind == PLOT_LINE ? list_of(a, &c->rank, words) : list_of(a, &c->label, words),
		*over = c->kind == PLOT_LINE ? plot_along_words(a, c) : NULL,
		*by = c->color && several ? words(a, c->color) : NULL;

	for (size_t i = 0; i < c->label.n; i++)
		by = c->label.v[i] == c->color ? NULL : by;
	char *title = arena_printf(a, "%s%s%s%s%s%s%s", what(a, c), over ? " over " : "", over ? over : "",
		per ? " per " : "", per ? per : "", by ? ", by " : "", by ? by : "");

	if (*title >= 'a' && *title <= 'z')
		*title = (char)(*title - 'a' + 'A');
	return title;
}
