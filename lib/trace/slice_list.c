#include "trace/slice_list.h"
#include "base/pattern.h"
#include "base/strings.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

enum { FIELDS = 4 };

typedef struct {                        /* a line of named.tsv */
	const char *table;              /* name of the table, or a pattern of names */
	const char *names;              /* names and patterns, separated by blanks */
	const char *when;               /* slice_list_is_kept */
	pattern *value;                 /* values must match this */
} named;

typedef struct {                        /* a line of tables.tsv that begins with a colon */
	const char *role;
	pattern *fits;                  /* texts of this role must match this */
} role_text;

struct slice_list {
	vec(slice_table) tables;
	vec(role_text) roles;
	vec(named) named;
	str_pool enums;         /* the lines of enums.tsv: table, id, name, label */
	arena texts;
};

static void slice_list_take_columns(slice_list *l, slice_table *t, char *columns)
{
	char *next;

	for (char *c = strtok_r(columns, " ", &next); c; c = strtok_r(NULL, " ", &next)) {
		char *role = strchr(c, ':');
		if (role)
			*role++ = 0;
		vec_push(&t->columns, (slice_column){ arena_copy(&l->texts, c), arena_copy(&l->texts, role) });
	}
}

static void slice_list_take_table(slice_list *l, char *const *field, size_t n)
{
	slice_table t = { .name = field[0], .rows = field[1] };

	if (*field[0] == ':' && n > 1) {
		vec_push(&l->roles, (role_text){ field[0] + 1, pattern_new(field[1], PATTERN_EXACT, NULL) });
	} else if (n > 2) {
		slice_list_take_columns(l, &t, field[2]);
		vec_push(&l->tables, t);
	}
}

static void slice_list_take_named(slice_list *l, char *const *field, size_t n)
{
	named line = { .table = field[0], .names = field[1], .when = n > 3 ? field[3] : NULL };

	if (n < 4)
		return;
	line.value = pattern_new(field[2], PATTERN_EXACT, NULL);
	vec_push(&l->named, line);
}

static void slice_list_take_line(slice_list *l, const char *file, const char *line, size_t len)
{
	char *field[FIELDS] = { NULL }, *s = arena_text(&l->texts, line, len);
	size_t n = 0;

	if (strcmp(file, "enums") == 0) {
		str_id(&l->enums, line, len);
		return;
	}
	while (n < FIELDS && s) {
		char *tab = strchr(s, '\t');
		if (tab)
			*tab++ = 0;
		field[n++] = s;
		s = tab;
	}
	if (strcmp(file, "tables") == 0)
		slice_list_take_table(l, field, n);
	else
		slice_list_take_named(l, field, n);
}

slice_list *slice_list_read(void)
{
	slice_list *l = mem_new(slice_list, 1);

	for (const char *const *file = slice_builtin; *file; file += 2)
		for (const char *line = file[1], *end; *line; line = end + 1) {
			end = strchrnul(line, '\n');
			if (*line != '#' && end > line)
				slice_list_take_line(l, file[0], line, (size_t)(end - line));
		}
	return l;
}

void slice_list_free(slice_list *l)
{
	for (size_t i = 0; i < l->tables.n; i++)
		vec_free(&l->tables.v[i].columns);
	for (size_t i = 0; i < l->roles.n; i++)
		pattern_free(l->roles.v[i].fits);
	for (size_t i = 0; i < l->named.n; i++)
		pattern_free(l->named.v[i].value);
	str_free(&l->enums);
	arena_free(&l->texts);
	mem_free(l->tables.v, l->roles.v, l->named.v, l);
}

/* Is `name` the listed name, or the listed name with a version, such as NVTX_EVENTS_V2?  If the listed name ends in *,
 * does `name` begin with what comes before the *? */
static bool slice_list_is_table(const char *listed, const char *name)
{
	size_t n = strlen(listed);

	if (listed[n - 1] == '*')
		return strncmp(name, listed, n - 1) == 0;
	if (strncmp(name, listed, n) != 0)
		return false;
	return !name[n] || (strncmp(name + n, "_V", 2) == 0 && name[n + 2] && !name[n + 2 + strspn(name + n + 2,
												   "0123456789")]);
}

static bool slice_list_has_enum(const slice_list *l, const char *table)
{
	size_t n = strlen(table);

	for (size_t i = 0; i < l->enums.n; i++)
		if (strncmp(l->enums.text[i], table, n) == 0 && l->enums.text[i][n] == '\t')
			return true;
	return false;
}

const slice_table *slice_list_find_table(const slice_list *l, const char *name)
{
	for (size_t i = 0; i < l->tables.n; i++) {
		const slice_table *t = &l->tables.v[i];
		if (slice_list_is_table(t->name, name))
			return strcmp(t->rows, "enum") != 0 || slice_list_has_enum(l, name) ? t : NULL;
	}
	return NULL;
}

const slice_column *slice_list_find_column(const slice_table *t, const char *name)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (strcmp(t->columns.v[i].name, name) == 0)
			return &t->columns.v[i];
	return NULL;
}

bool slice_list_fits_role(const slice_list *l, const char *role, const char *text)
{
	for (size_t i = 0; i < l->roles.n; i++)
		if (strcmp(l->roles.v[i].role, role) == 0)
			return pattern_matches(l->roles.v[i].fits, text);
	return false;
}

bool slice_list_is_kept(const char *when, unsigned keep)
{
	static const char *const words[] = { "env", "host", "command", "paths", "clock" };

	for (unsigned i = 0; i < 5; i++)
		if (strcmp(when, words[i]) == 0)
			return keep >> i & 1;
	return true;
}

/* Is the name in a list of names and patterns, separated by blanks? */
static bool slice_list_is_named(const char *names, const char *name)
{
	char one[100];

	for (size_t n; *names; names += n + (names[n] == ' ')) {
		n = strcspn(names, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, names);
		if (fnmatch(one, name, 0) == 0)
			return true;
	}
	return false;
}

bool slice_list_allows_value(const slice_list *l, const char *table, const char *name, const char *value, unsigned keep,
		      bool *numbered)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:";

	*numbered = false;
	if (!name[strspn(name, letters)])
		for (size_t i = 0; i < l->named.n; i++) {
			const named *n = &l->named.v[i];
			if (fnmatch(n->table, table, 0) != 0 || !slice_list_is_named(n->names, name))
				continue;
			*numbered = strcmp(n->when, "numbered") == 0 && !(keep & SLICE_HOST);
			return slice_list_is_kept(n->when, keep) && pattern_matches(n->value, value);
		}
	return false;
}

bool slice_list_has_enum_row(const slice_list *l, const char *table, int64_t id, const char *name, const char *label)
{
	arena texts = { 0 };
	const char *line = arena_printf(&texts, "%s\t%lld\t%s\t%s", table, (long long)id, name, label);
	bool found = false;

	for (size_t i = 0; i < l->enums.n && !found; i++)
		found = strcmp(l->enums.text[i], line) == 0;
	arena_free(&texts);
	return found;
}
