#include "table/read_table.h"
#include "base/folders.h"
#include "base/number.h"
#include "table/column_about.h"
#include "table/json_rows.h"
#include "table/ncu_page.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef vec(size_t) row_list;

enum { COLUMNS_MAX = 2000 };    /* as many as SQLite allows in a table by default */

static bool read_table_name_says_text(const char *name)
{
	return column_about_of(name)->is & COLUMN_WORDS;
}

void read_table_add_column(table *t, const char *name, char type)
{
	static const struct { const char *name; int id; } known[] = {
		{ "pid", COL_PID }, { "start_ns", COL_START }, { "end_ns", COL_END }, { "window", COL_WINDOW },
		{ "trace", COL_TRACE }, { NULL, COL_NONE }
	};
	int i = 0;

	/* columns beyond the first UINT16_MAX cannot be found by id */
	while (known[i].name && (t->cols.n >= UINT16_MAX || strcmp(known[i].name, name) != 0))
		i++;
	table_add(t, known[i].id, &(table_col){ name, type, column_unit(name), NULL });
}

static const char *read_table_describe_row(read_table *in, size_t row)
{
	return arena_printf(&in->names, "%s %s %zu", in->name, in->text.csv ? "row" : "line", in->lines.v[row]);
}

/* ---- texts that are not tables */

/* Does the text look like a table for people?  It does if one of its first three lines begins with |, or has two
 * blanks in a row after its start. */
static bool read_table_is_for_people(const char *text)
{
	for (int line = 0; line < 3 && *text; line++) {
		size_t n = strcspn(text, "\n");
		const char *gap = strstr(text, "  ");
		if (*text == '|' || (gap && gap < text + n && gap > text))
			return true;
		text += n + (text[n] == '\n');
	}
	return false;
}

/* Is it a TSV of one column?  It has no tabs, so it looks like CSV, but its values contain commas. */
static bool read_table_is_one_column(const text_rows *r)
{
	for (size_t i = 1; i < r->ends.n; i++)
		if (text_rows_width(r, i) > 1)
			return r->csv && text_rows_width(r, 0) == 1;
	return false;
}

/* Skip the messages that Nsight Compute prints before its page. */
static char *read_table_skip_messages(char *text)
{
	char *page = strncmp(text, "==", 2) == 0 ? strstr(text, "\"Kernel Name\"") : NULL;

	while (page && page > text && page[-1] != '\n')
		page--;
	return page ? page : text;
}

static bool read_table_split_text(read_table *in, char *text, notes *say)
{
	size_t head = strcspn(text = read_table_skip_messages(text), "\n");
	char first = text[strspn(text, " \t\r\n")];
	bool separated = memchr(text, '\t', head) || memchr(text, ',', head);

	if (first == '[')
		return notes_problem(say, EXIT_WRONG, "%s is JSON, but not one object a line; jq -c '.[]' makes "
				     "it so", in->name);
	if (first != '{' && !separated && read_table_is_for_people(text))
		return notes_problem(say, EXIT_WRONG, "%s is a table for reading (-f table or md); write it with -f "
				     "tsv, csv or jsonl to pass it on", in->name);
	if (first == '{')
		return json_rows_split(text, in->name, &in->text, say);
	if (!text_rows_split(text, in->name, &in->text, say))
		return false;
	if (read_table_is_one_column(&in->text))
		text_rows_split_as_tsv(text, &in->text);
	if (in->text.csv && ncu_page_convert(&in->text))
		notes_remark(say, "%s is a page of Nsight Compute; its numbers are read in base units, as in byte "
			     "and ns", in->name);
	return true;
}

/* Check that the name of a column is neither empty, - nor a number, and is not repeated. */
static bool read_table_check_name(const read_table *in, int col, notes *say)
{
	const char *name = text_rows_field(&in->text, 0, col);

	if (!*name || strcmp(name, "-") == 0 || number_is_json(name))
		return notes_problem(say, EXIT_WRONG, "%s has no header line: it begins with '%s', which is not a "
				     "column name; keep the header on top when you cut or sort a table",
				     in->name, name);
	for (int i = 0; i < col; i++)
		if (strcasecmp(text_rows_field(&in->text, 0, i), name) == 0)
			return notes_problem(say, EXIT_WRONG, "%s has two columns named '%s'; rename one",
					     in->name, name);
	return true;
}

static bool read_table_check_header(const read_table *in, notes *say)
{
	size_t width = text_rows_width(&in->text, 0);

	if (width > COLUMNS_MAX)
		return notes_problem(say, EXIT_WRONG, "%s has %zu columns; a table has at most %d", in->name,
				     width, COLUMNS_MAX);
	for (size_t i = 0; i < width; i++)
		if (!read_table_check_name(in, (int)i, say))
			return false;
	return true;
}

/* Does the row repeat the header, as in tables that were concatenated? */
static bool read_table_is_header(const text_rows *r, size_t row)
{
	for (size_t i = 0; i < text_rows_width(r, 0); i++) {
		const char *field = text_rows_field(r, row, (int)i);
		if (!field || strcmp(field, text_rows_field(r, 0, (int)i)) != 0)
			return false;
	}
	return true;
}

/* ---- columns and cells */

typedef struct {                /* what was found about the values of a column */
	bool text;              /* is one of them not a number, or does the column's name say that it holds text? */
	bool real;              /* is one of them a number, but not an int64_t? */
	size_t numbers, texts;  /* how many values are numbers, and how many are not */
	size_t odd;             /* row of the first value that is not a number */
} column_facts;

/* A field of the text; NULL if it is missing. */
static const char *read_table_field_of(const text_rows *r, size_t row, size_t col)
{
	const char *s = r->fields.v[text_rows_begin(r, row) + col];

	return s && !r->quoted && strcmp(s, "-") == 0 ? NULL : s;
}

static void read_table_add_to_facts(column_facts *k, const char *s, size_t row)
{
	int64_t i;

	if (!s || !*s)
		return;
	if (!number_is_json(s)) {
		if (!k->texts++)
			k->odd = row;
		k->text = true;
		return;
	}
	k->numbers++;
	/* -0 is kept as its text, because an integer would be written 0 */
	k->real |= !number_int(s, &i) || i == TABLE_MISSING || (i == 0 && *s == '-');
}

static void read_table_add_columns(read_table *in, const column_facts *facts)
{
	in->rows.given_order = true;
	for (size_t i = 0; i < text_rows_width(&in->text, 0); i++) {
		const char *name = text_rows_field(&in->text, 0, (int)i);
		const column_facts *k = &facts[i];
		bool mixed = k->text && k->numbers > k->texts && !read_table_name_says_text(name) &&
			strcmp(name, "pid") != 0 && !in->text.quoted;
		read_table_add_column(&in->rows, name, k->text ? 't' : k->real ? 'n' : 'i');
		vec_push(&in->odd, mixed ? k->odd : READ_TABLE_NONE);
	}
}

static table_cell read_table_cell_of(char type, const char *s)
{
	table_cell c = { .t = s };

	if (type != 't' && s && !*s)
		c.t = NULL;
	if (type == 'i' && (!c.t || !number_int(s, &c.i)))
		c.i = TABLE_MISSING;
	return c;
}

static void read_table_fill_rows(read_table *in, const row_list *data)
{
	table *t = &in->rows;
	size_t width = t->cols.n;

	vec_reserve(&t->cells, data->n * width);
	for (size_t i = 0; i < data->n; i++)
		for (size_t c = 0; c < width; c++)
			vec_push(&t->cells,
				 read_table_cell_of(t->cols.v[c].type, read_table_field_of(&in->text, data->v[i], c)));
	table_group(t);
}

/* Find the rows that hold data: all but the header and its repetitions.  False after a problem: a row is longer or
 * shorter than the header. */
static bool read_table_find_data(read_table *in, row_list *data, notes *say)
{
	const text_rows *r = &in->text;
	size_t width = text_rows_width(r, 0);

	for (size_t i = 1; i < r->ends.n; i++) {
		if (!r->quoted && read_table_is_header(r, i))
			continue;
		vec_push(&in->lines, r->lines.v[i]);
		if (text_rows_width(r, i) != width)
			return notes_problem(say, EXIT_WRONG, "%s has %zu fields, but the header has %zu; the table "
					     "was cut or is no table", read_table_describe_row(in, in->lines.n - 1),
					     text_rows_width(r, i), width);
		vec_push(data, i);
	}
	return true;
}

static bool read_table_make_rows(read_table *in, notes *say)
{
	row_list data = { 0 };
	bool ok = read_table_check_header(in, say) && read_table_find_data(in, &data, say);
	size_t width = text_rows_width(&in->text, 0);
	column_facts *facts = mem_new(column_facts, width);

	for (size_t c = 0; ok && c < width; c++)
		facts[c].text = read_table_name_says_text(text_rows_field(&in->text, 0, (int)c)) ||
			(in->text.quoted && in->text.quoted[c]);
	for (size_t i = 0; ok && i < data.n; i++)
		for (size_t c = 0; c < width; c++)
			read_table_add_to_facts(&facts[c], read_table_field_of(&in->text, data.v[i], c), i);
	if (ok) {
		read_table_add_columns(in, facts);
		read_table_fill_rows(in, &data);
	}
	free(facts);
	vec_free(&data);
	vec_free(&in->text.fields);     /* but not the texts, because cells point to them */
	vec_free(&in->text.ends);
	vec_free(&in->text.lines);
	return ok;
}

static bool read_table_read_file(FILE *f, const char *name, read_table *to, notes *say)
{
	struct stat st;
	char *text;
	bool ended;

	to->name = arena_copy(&to->names, name);
	if (fstat(fileno(f), &st) == 0) {
		to->device = st.st_dev;
		to->file = st.st_ino;
	}
	text = text_rows_load(f, to->name, &to->text, say);
	ended = text && text[strlen(text) - 1] == '\n';         /* checked here, because splitting changes the text */
	if (!text || !read_table_split_text(to, text, say) || !read_table_make_rows(to, say))
		return false;
	if (!ended)
		notes_warn(say, "%s does not end with a line end; if it was cut, its last value may be wrong",
			   to->name);
	return true;
}

bool read_table_named(const char *path, read_table *to, notes *say)
{
	arena names = { 0 };
	FILE *f;
	bool ok;

	if (strcmp(path, "-") == 0)
		return read_table_read_file(stdin, "standard input", to, say);
	f = folders_file(path);
	if (!f)
		return notes_problem(say, EXIT_FAILED, "cannot open the table '%s':", path);
	ok = read_table_read_file(f, arena_printf(&names, "'%s'", path), to, say);
	fclose(f);
	arena_free(&names);
	return ok;
}

void read_table_free(read_table *in)
{
	table_free(&in->rows);
	mem_free(in->odd.v, in->lines.v);
	text_rows_free(&in->text);
	arena_free(&in->names);
	*in = (read_table){ 0 };
}

bool read_table_is_from(const read_table *in, const char *path)
{
	struct stat st;

	return folders_stat(path, &st) == 0 && st.st_dev == in->device && st.st_ino == in->file;
}

bool read_table_say_not_number(const read_table *in, int col, notes *say)
{
	for (size_t i = 0; i < table_rows(&in->rows); i++) {
		const char *s = table_at(&in->rows, i)[col].t;
		if (s && *s && !number_is_json(s) && in->lines.n)
			return notes_problem(say, EXIT_WRONG, "%s %s %zu: %s is '%s', not a number", in->name,
					     in->text.csv ? "row" : "line", in->lines.v[i], in->rows.cols.v[col].name,
					     s);
	}
	return notes_problem(say, EXIT_WRONG, "%s: %s is a text, not a number", in->name, in->rows.cols.v[col].name);
}
