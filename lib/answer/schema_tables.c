#include "answer/schema.h"
#include "base/glossary.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- descriptions */

enum { FIELDS = 6 };

static const described_column *schema_tables_find_column(const schema_table *t, const char *column)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (strcmp(t->columns.v[i].name, column) == 0)
			return &t->columns.v[i];
	return NULL;
}

/* Cut a line into fields at its tabs; a field that is missing or "-" becomes NULL. */
static void schema_tables_split_line(char *line, const char *field[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		char *tab = line ? strchr(line, '\t') : NULL;

		if (tab)
			*tab = 0;
		field[i] = line && strcmp(line, "-") != 0 ? line : NULL;
		line = tab ? tab + 1 : NULL;
	}
}

/* Add to t the columns with these names of the first table in the file.  Blanks separate the names. */
static void schema_tables_add_like(descriptions *d, schema_table *t, char *names)
{
	char *rest;

	for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const described_column *c = schema_tables_find_column(&d->tables.v[0], name);
		if (c)
			vec_push(&t->columns, *c);
	}
}

static void schema_tables_add_line(descriptions *d, char *line)
{
	const char *f[FIELDS];
	size_t word = strcspn(line, "\t");
	char *rest = line[word] ? line + word + 1 : line + word;
	schema_table *t = d->tables.n ? &d->tables.v[d->tables.n - 1] : NULL;

	line[word] = 0;
	if (t && strcmp(line, "query") == 0) {
		t->query = rest;
	} else if (t && strcmp(line, "like") == 0) {
		schema_tables_add_like(d, t, rest);
	} else if (t && strcmp(line, "column") == 0) {
		schema_tables_split_line(rest, f);
		vec_push(&t->columns, (described_column){ f[0], f[1], f[2], f[3], f[4] });
	} else if (strcmp(line, "table") == 0) {
		schema_tables_split_line(rest, f);
		vec_push(&d->tables, (schema_table){ .name = f[0], .meaning = f[1], .usual = f[2] != NULL });
	}
}

static descriptions schema_tables_read_descriptions(const char *name)
{
	descriptions d = { 0 };
	char *rest, *text = arena_copy(&d.texts, text_find_builtin(schema_builtin, name));

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (*line != '#')
			schema_tables_add_line(&d, line);
	return d;
}

static void schema_tables_free_descriptions(descriptions *d)
{
	for (size_t i = 0; i < d->tables.n; i++)
		vec_free(&d->tables.v[i].columns);
	vec_free(&d->tables);
	arena_free(&d->texts);
}

/* The description of the table with this name; if there is none, the last description whose name ends in * and stands
 * for it.  NULL: there is neither. */
static const schema_table *schema_tables_find_description(const descriptions *d, const char *name)
{
	const schema_table *starred = NULL;

	for (size_t i = 0; i < d->tables.n; i++) {
		const char *described = d->tables.v[i].name;
		size_t n = strlen(described);
		if (strcmp(described, name) == 0)
			return &d->tables.v[i];
		if (n > 1 && described[n - 1] == '*' && strncmp(described, name, n - 1) == 0)
			starred = &d->tables.v[i];
	}
	return starred;
}

/* ---- tables */

typedef struct {                /* state while the columns of a table of nsys are added */
	schema_tables *all;
	const schema_table *about;      /* the description of the table, or NULL */
	schema_table *table;    /* the table that gets the columns */
} schema_tables_ctx;

/* Turns the references "A.b, C.d" into "raw.A.b, raw.C.d", and NULL into NULL. */
static const char *schema_tables_prefix_references(arena *a, const char *refers)
{
	const char *out = NULL;

	for (const char *p = refers; p; ) {
		size_t n = strcspn(p, ",");
		out = arena_printf(a, "%s%sraw.%.*s", out ? out : "", out ? ", " : "", (int)n, p);
		p = p[n] ? p + n + 1 + strspn(p + n + 1, " ") : NULL;
	}
	return out;
}

/* Does the column refer to a column of this table? */
static bool schema_tables_refers_to(const described_column *c, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = c->refers; p; ) {
		if (strncmp(p, name, n) == 0 && p[n] == '.')
			return true;
		p = strstr(p, ", ");
		p = p ? p + 2 : NULL;
	}
	return false;
}

/* The meaning of an enumeration, followed by the first few columns that refer to it.  name: the enumeration's table. */
static const char *schema_tables_append_users(schema_tables *all, const char *meaning, const char *name)
{
	enum { SHOWN = 4 };
	size_t n = 0;
	const char *out = meaning;

	for (size_t i = 1; i < all->nsys.tables.n; i++) {
		const schema_table *d = &all->nsys.tables.v[i];
		for (size_t k = 0; k < d->columns.n; k++)
			if (schema_tables_refers_to(&d->columns.v[k], name) && n++ < SHOWN)
				out = arena_printf(&all->texts, "%s%sraw.%s.%s", out, n == 1 ? ", as in " : ", ",
						   d->name, d->columns.v[k].name);
	}
	return n > SHOWN ? arena_printf(&all->texts, "%s and %zu more", out, n - SHOWN) : out;
}

static bool schema_tables_is_starred(const schema_table *d)
{
	return d->name[strlen(d->name) - 1] == '*';
}

/* The example of a description, with `name` in place of {table}; or NULL. */
static const char *schema_tables_fill_query(schema_tables *all, const schema_table *d, const char *name)
{
	const char *hole = d->query ? strstr(d->query, "{table}") : NULL;

	return hole ? arena_printf(&all->texts, "%.*s%s%s", (int)(hole - d->query), d->query, name, hole + 7) :
		d->query;
}

static void schema_tables_add_column(schema_tables_ctx *r, const char *name, const char *type)
{
	arena *a = &r->all->texts;
	const described_column *known = r->about ? schema_tables_find_column(r->about, name) : NULL;
	described_column c = known ? *known : (described_column){ .type = type };

	c.name = arena_copy(a, name);
	c.refers = schema_tables_prefix_references(a, c.refers);
	if (known && schema_tables_is_starred(r->about) && strcmp(name, "id") == 0)
		c.meaning = schema_tables_append_users(r->all, c.meaning, r->table->name);
	vec_push(&r->table->columns, c);
}

/* Add the column that a row of pragma_table_info describes by its name and its declared type. */
static void schema_tables_read_column(sqlite3_stmt *s, void *ctx)
{
	schema_tables_ctx *r = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 0);
	const char *declared = (const char *)sqlite3_column_text(s, 1);
	char *type = declared && *declared ? arena_copy(&r->all->texts, declared) : NULL;

	for (char *p = type; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	schema_tables_add_column(r, name ? name : "", type);
}

/* Add a table of nsys.  d: the trace that has it; NULL: its columns are those of `about`.  about: its description, or
 * NULL. */
static bool schema_tables_add_nsys(schema_tables *all, const db *d, const char *name, const schema_table *about)
{
	schema_table t = { .name = arena_copy(&all->texts, name), .raw = true, .rows = TABLE_MISSING };
	schema_tables_ctx r = { all, about, &t };
	bool ok = true;

	t.shown = arena_printf(&all->texts, "raw.%s", name);
	if (about) {
		t.meaning = about->meaning;
		t.usual = about->usual;
		t.query = schema_tables_fill_query(all, about, name);
	}
	if (d)
		ok = db_each(d, schema_tables_read_column, &r, "SELECT name, type FROM pragma_table_info(%Q)", name);
	for (size_t i = 0; !d && about && i < about->columns.n; i++)
		schema_tables_add_column(&r, about->columns.v[i].name, NULL);
	vec_push(&all->v, t);
	return ok;
}

static void schema_tables_add_nsq(schema_tables *all, const schema_own *own)
{
	const schema_table *d = schema_tables_find_description(&all->own, own->name);
	schema_table t = { .name = own->name, .shown = own->name, .usual = true, .rows = TABLE_MISSING };

	if (d) {
		t.meaning = d->meaning;
		t.query = d->query;
	}
	for (size_t i = 0; i < own->columns->cols.n; i++) {
		const table_col *c = &own->columns->cols.v[i];
		const described_column *about = d ? schema_tables_find_column(d, c->name) : NULL;
		const char *meaning = c->meaning ? glossary_expand(&all->texts, c->meaning) : NULL;
		vec_push(&t.columns, (described_column){ c->name, table_type(c), c->unit, about ? about->refers : NULL,
							 about && about->meaning ? about->meaning : meaning });
	}
	vec_push(&all->v, t);
}

/* Add the tables of the trace that have this description; about NULL: those without a description. */
static bool schema_tables_add_of_trace(schema_tables *all, const db *d, const schema_table *about)
{
	bool ok = true;

	for (int i = 0; i < d->ntables; i++)
		if (schema_tables_find_description(&all->nsys, d->tables[i].name) == about)
			ok &= schema_tables_add_nsys(all, d, d->tables[i].name, about);
	return ok;
}

bool schema_tables_list(const schema *s, schema_tables *out)
{
	bool ok = true;

	out->own = schema_tables_read_descriptions("nsq");
	out->nsys = schema_tables_read_descriptions("nsys");
	for (size_t i = 0; i < s->nown; i++)
		schema_tables_add_nsq(out, &s->own[i]);
	for (size_t i = 1; i < out->nsys.tables.n; i++) {
		const schema_table *d = &out->nsys.tables.v[i];
		ok &= s->trace ? schema_tables_add_of_trace(out, s->trace, d) :
				 schema_tables_add_nsys(out, NULL, d->name, d);
	}
	return ok && (!s->trace || schema_tables_add_of_trace(out, s->trace, NULL));
}

void schema_tables_free(schema_tables *t)
{
	for (size_t i = 0; i < t->v.n; i++)
		vec_free(&t->v.v[i].columns);
	vec_free(&t->v);
	schema_tables_free_descriptions(&t->own);
	schema_tables_free_descriptions(&t->nsys);
	arena_free(&t->texts);
}

static void schema_tables_read_count(sqlite3_stmt *s, void *ctx)
{
	schema_table *t = ctx;

	t->rows = sqlite3_column_int64(s, 0);
}

bool schema_tables_count_rows(schema_tables *t, const db *trace)
{
	bool ok = true;

	for (size_t i = 0; trace && i < t->v.n; i++) {
		if (!t->v.v[i].raw)
			continue;
		ok &= db_each(trace, schema_tables_read_count, &t->v.v[i], DB_COUNT, t->v.v[i].name);
	}
	return ok;
}

/* An exact match comes first, because processes and raw.PROCESSES are two tables.  Otherwise case is ignored, as in
 * SQL. */
const schema_table *schema_tables_find(schema_tables *t, const char *name)
{
	bool raw = strncasecmp(name, "raw.", 4) == 0;
	const char *bare = raw ? name + 4 : name;
	const schema_table *d;

	for (int loosely = 0; loosely < 2; loosely++)
		for (size_t i = 0; i < t->v.n; i++)
			if ((!raw || t->v.v[i].raw) &&
			    (loosely ? strcasecmp : strcmp)(t->v.v[i].name, bare) == 0)
				return &t->v.v[i];
	d = strcmp(bare, "*") ? schema_tables_find_description(&t->nsys, bare) : NULL;
	if (!d)
		return NULL;
	schema_tables_add_nsys(t, NULL, bare, d);
	t->v.v[t->v.n - 1].absent = true;
	return &t->v.v[t->v.n - 1];
}
