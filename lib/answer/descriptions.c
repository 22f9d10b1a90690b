#include "answer/descriptions.h"

#include <string.h>

const char *descriptions_file(const char *name)
{
	for (int i = 0; schema_builtin[i]; i += 2)
		if (strcmp(schema_builtin[i], name) == 0)
			return schema_builtin[i + 1];
	return "";
}

enum { FIELDS = 6 };

/* Cut a text at each separator.  Fields that are missing or - are NULL. */
static void split(char *line, const char *field[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		char *tab = line ? strchr(line, '\t') : NULL;

		if (tab)
			*tab = 0;
		field[i] = line && strcmp(line, "-") != 0 ? line : NULL;
		line = tab ? tab + 1 : NULL;
	}
}

/* Columns that mean what the first table of the file says. */
static void add_like(descriptions *d, description *t, char *names)
{
	char *rest;

	for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const described_column *c = descriptions_column(&d->tables.v[0], name);
		if (c)
			vec_push(&t->columns, *c);
	}
}

static void add_line(descriptions *d, char *line)
{
	const char *f[FIELDS];
	size_t word = strcspn(line, "\t");
	char *rest = line[word] ? line + word + 1 : line + word;
	description *t = d->tables.n ? &d->tables.v[d->tables.n - 1] : NULL;

	line[word] = 0;
	if (t && strcmp(line, "query") == 0) {
		t->query = rest;
	} else if (t && strcmp(line, "like") == 0) {
		add_like(d, t, rest);
	} else if (t && strcmp(line, "column") == 0) {
		split(rest, f);
		vec_push(&t->columns, (described_column){ f[0], f[1], f[2], f[3], f[4] });
	} else if (strcmp(line, "table") == 0) {
		split(rest, f);
		vec_push(&d->tables, (description){ .name = f[0], .meaning = f[1], .usual = f[2] != NULL });
	}
}

descriptions descriptions_read(const char *name)
{
	descriptions d = { 0 };
	char *rest, *text = arena_copy(&d.texts, descriptions_file(name));

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (*line != '#')
			add_line(&d, line);
	return d;
}

void descriptions_free(descriptions *d)
{
	for (size_t i = 0; i < d->tables.n; i++)
		vec_free(&d->tables.v[i].columns);
	vec_free(&d->tables);
	arena_free(&d->texts);
}

const description *descriptions_find(const descriptions *d, const char *table)
{
	const description *pattern = NULL;

	for (size_t i = 0; i < d->tables.n; i++) {
		const char *name = d->tables.v[i].name;
		size_t n = strlen(name);
		if (strcmp(name, table) == 0)
			return &d->tables.v[i];
		if (n > 1 && name[n - 1] == '*' && strncmp(name, table, n - 1) == 0)
			pattern = &d->tables.v[i];
	}
	return pattern;
}

const described_column *descriptions_column(const description *t, const char *column)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (strcmp(t->columns.v[i].name, column) == 0)
			return &t->columns.v[i];
	return NULL;
}
