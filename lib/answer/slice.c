#include "answer/answers.h"
#include "base/search.h"
#include "job/slice_choose.h"
#include "trace/slice_list.h"

#include <ctype.h>
#include <string.h>

#define COLUMNS(X) \
	X(ROWS, "rows", 'i', NULL, "rows of the table in the trace") \
	X(KEPT, "kept", 'i', NULL, "rows of the table that the slice keeps; - if it leaves out the table") \
	X(COUNT, "count", 'i', NULL, "number of events of the slice that show the text; for names, the number of " \
	  "texts") \
	X(KIND, "kind", 't', NULL, "what the text looks like; secret: it contains a value that is left out " \
	  "elsewhere; names: the other texts of the column") \
	X(TABLE_NAME, "table", 't', NULL, "table of the trace") \
	X(LEFT_OUT, "left_out", 't', NULL, "columns of the table that the slice leaves out; - if there are none") \
	X(WHERE, "where", 't', NULL, "table and column that hold the text") \
	X(TEXT, "text", 't', NULL, "the text; - for names, none of which looks private")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void slice_list_columns(const void *params, table *out)
{
	const slice_params *p = params;

	if (p->mode == SLICE_WRITE) {
		table_columns(out, all_columns, ROWS, KEPT, TABLE_NAME, LEFT_OUT);
		table_sort(out, TABLE_NAME, false);
	} else {
		table_columns(out, all_columns, KIND, COUNT, WHERE, TEXT);
	}
}

static question slice_make_question(const void *params UNNEEDED)
{
	return (question){
		.need_if_named = SLICE_NEEDS,
		.must = 0,
		.scope = WINDOW_TRACE,
		.warn_lost = true,
		.empty = "it has no tables",
	};
}

/* Begin a row about all windows together. */
static void slice_begin_row(answer_ctx *a)
{
	ival hull = IVAL_NOWHERE;

	for (size_t i = 0; i < a->all->n; i++)
		hull = ival_hull(hull, window_hull(&a->all->v[i].gpu));
	answer_add_row_at(a, NONE, hull.a, hull.b);
}

static void slice_add_written_rows(answer_ctx *a, const slice_made *made)
{
	for (size_t i = 0; i < made->n; i++) {
		const slice_part *p = &made->v[i];
		slice_begin_row(a);
		table_int(a->out, ROWS, p->rows);
		if (p->kept >= 0)
			table_int(a->out, KEPT, p->kept);
		table_text(a->out, TABLE_NAME, p->name);
		table_text(a->out, LEFT_OUT, p->left);
	}
}

/* Is the text the name of a process?  Such names are shown anyway, so a command line that is no more than such a name
 * is no secret. */
static bool slice_is_process_name(const trace *t, const char *text)
{
	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].name && strcmp(t->procs[i].name, text) == 0)
			return true;
	return false;
}

enum { SECRET_BYTES = 64 };     /* how many leading bytes of a secret are searched for */

static int slice_compare_texts(const void *a, const void *b)
{
	return strncmp(*(const char *const *)a, *(const char *const *)b, SECRET_BYTES);
}

static bool slice_begins_with(const char *text, const char *secret)
{
	return strncmp(text, secret, strnlen(secret, SECRET_BYTES)) == 0;
}

/* Sort the secrets.  Drop each secret that is the name of a process, and each that begins with another secret.  The
 * only secret with which a text can then begin is the last one that sorts no later than the text. */
static void slice_sort_secrets(const trace *t, slice_made *made)
{
	const char **v = made->secrets.v;
	size_t n = 0;

	if (made->secrets.n)
		qsort(v, made->secrets.n, sizeof *v, slice_compare_texts);
	for (size_t i = 0; i < made->secrets.n; i++)
		if (!slice_is_process_name(t, v[i]) && !(n && slice_begins_with(v[i], v[n - 1])))
			v[n++] = v[i];
	made->secrets.n = n;
}

/* Does the text contain a secret? */
static bool slice_holds_secret(const slice_made *made, const char *text)
{
	for (; made->secrets.n && *text; text++) {
		size_t i;
		search_first(i, 0, made->secrets.n, strncmp(made->secrets.v[i], text, SECRET_BYTES) > 0);
		if (i && slice_begins_with(text, made->secrets.v[i - 1]))
			return true;
	}
	return false;
}

/* May a private word begin at `at`?  A word may begin after a character that is no letter or digit, and at a capital
 * after a small letter.  But after . ) and > it must begin with a letter, because 1.2.3.4.5 is a version. */
static bool slice_begins_word(const char *text, const char *at)
{
	char before = at == text ? ' ' : at[-1];

	if (strchr(".)>", before))
		return isalpha((unsigned char)*at);
	return !isalnum((unsigned char)before) || (islower((unsigned char)before) && isupper((unsigned char)*at));
}

/* Find the first place in the text where a word may begin and a rule matches what follows.  Returns the label of that
 * rule; NULL: there is no such place. */
static const char *slice_find_private_kind(const rules *private, const char *text)
{
	enum { LONGEST = 200 };         /* only so many bytes from each place on are examined, because the time to match
					 * them may grow with the square of their number */
	const char *kind = NULL;
	char rest[LONGEST + 1];

	for (const char *at = text; *at && !kind; at++)
		if (slice_begins_word(text, at)) {
			snprintf(rest, sizeof rest, "%.*s", LONGEST, at);
			kind = rules_match(private, rest);
		}
	return kind;
}

/* Why a text may be private: "secret" or the label of a rule; NULL: nothing says so. */
static const char *slice_find_suspicion(const slice_params *p, const slice_made *made, const char *text)
{
	return slice_holds_secret(made, text) ? "secret" : slice_find_private_kind(p->private, text);
}

static void slice_add_check_row(answer_ctx *a, const char *kind, int64_t count, const char *where, const char *text)
{
	slice_begin_row(a);
	table_text(a->out, KIND, kind);
	table_int(a->out, COUNT, count);
	table_text(a->out, WHERE, where);
	table_text(a->out, TEXT, text);
}

/* Add a row for each text that may be private, and a row for each column that has other texts, with their number. */
static void slice_add_check_rows(answer_ctx *a, const slice_params *p, slice_made *made)
{
	slice_sort_secrets(a->t, made);
	for (size_t i = 0, end; i < made->texts.n; i = end) {
		const char *where = made->texts.v[i].where;
		int64_t others = 0;
		for (end = i; end < made->texts.n && made->texts.v[end].where == where; end++) {
			const slice_shown *s = &made->texts.v[end];
			const char *kind = slice_find_suspicion(p, made, s->text);
			if (kind)
				slice_add_check_row(a, kind, s->count, where, s->text);
			else
				others++;
		}
		if (others)
			slice_add_check_row(a, "names", others, where, NULL);
	}
}

/* Add one note about the tables and columns that are left out because nsq does not know them.  Enumerations, and tables
 * that would make the note too long, are only counted. */
static void slice_say_left_out(const slice_made *made, const trace *t, notes *say)
{
	enum { LONG = 700 };
	const char *tables = NULL;
	arena texts = { 0 };
	size_t more = 0, enums = 0;

	for (size_t i = 0; i < made->n; i++) {
		const slice_part *p = &made->v[i];
		if (!p->rows || (p->kept >= 0 && !p->unknown))
			continue;
		if (strncmp(p->name, "ENUM_", 5) == 0)
			enums++;
		else if (tables && strlen(tables) > LONG)
			more++;
		else
			tables = arena_printf(&texts, "%s%s%s%s%s%s", tables ? tables : "", tables ? ", " : "", p->name,
					      p->kept < 0 ? "" : " (", p->kept < 0 ? "" : p->unknown,
					      p->kept < 0 ? "" : ")");
	}
	if (more)
		tables = arena_printf(&texts, "%s, %zu more", tables, more);
	if (enums)
		tables = arena_printf(&texts, "%s%s%zu enumerations", tables ? tables : "", tables ? ", " : "", enums);
	if (tables)
		notes_remark(say, "tables and columns of '%s' that may hold private data are left out: %s",
			     t->path, tables);
	arena_free(&texts);
}

/* Is only a part of the trace wanted, because the user chose windows or a process? */
static bool slice_is_part(const windows *all)
{
	return all->chosen || all->v[0].proc != NONE;
}

static bool slice_add_rows(answer_ctx *a, const void *params)
{
	const slice_params *p = params;
	slice_made made = { 0 };
	slice_how how = p->how;
	slice_keep *keep;
	bool ok;

	if (!a->all->n)
		return true;
	keep = slice_is_part(a->all) ? slice_choose(a->t, a->all) : NULL;
	how.list = p->mode == SLICE_CHECK;
	ok = slice_write(a->t, keep, &how, &made, a->say);
	if (ok && p->mode == SLICE_WRITE)
		slice_add_written_rows(a, &made);
	else if (ok)
		slice_add_check_rows(a, p, &made);
	if (ok)
		slice_say_left_out(&made, a->t, a->say);
	table_group(a->out);
	slice_made_free(&made);
	if (keep)
		slice_keep_free(keep);
	return ok;
}

static bool slice_finish_nothing(const void *params UNNEEDED, table *out UNNEEDED, notes *say UNNEEDED)
{
	return true;            /* with a function `finish`, the rows are printed after the notes, which say whether
				 * anything was written */
}

const answer slice_answer = { .all = all_columns, .columns = slice_list_columns, .question = slice_make_question,
	.rows = slice_add_rows, .finish = slice_finish_nothing };
