#include "capture/capturing.h"
#include "base/parallel.h"
#include "trace/report.h"

/* Take a word of the command from a row with the word's number and text.  The program has the number -1, and the
 * arguments are numbered from 0.  "..." stands for a word without a row. */
static void earlier_take_word(sqlite3_stmt *s, void *ctx)
{
	earlier *e = ctx;
	const char *word = (const char *)sqlite3_column_text(s, 1);

	if (!word || !*word)
		return;
	for (int64_t n = sqlite3_column_int64(s, 0); (int64_t)e->command.n <= n && e->command.n < 1000;
	     e->incomplete = true)
		vec_push(&e->command, "...");
	vec_push(&e->command, arena_copy(&e->texts, word));
}

static void earlier_take_delay(sqlite3_stmt *s, void *ctx)
{
	((earlier *)ctx)->delay_s = sqlite3_column_double(s, 0) / 1000;
}

static void earlier_take_first_call(sqlite3_stmt *s, void *ctx)
{
	const char *name = (const char *)sqlite3_column_text(s, 0);

	((earlier *)ctx)->profiler_api = name && (strncmp(name, "cuProfilerStart", 15) == 0 ||
						  strncmp(name, "cudaProfilerStart", 17) == 0);
}

static bool earlier_read_first_call(earlier *e)
{
	const db *d = e->t->db;

	return !db_find_with(d, "CUPTI_ACTIVITY_KIND_RUNTIME", "start nameId") ||
		!db_find_with(d, "StringIds", "id value") ||
		db_each(d, earlier_take_first_call, e, "SELECT value FROM (SELECT min(start), nameId FROM "
			"CUPTI_ACTIVITY_KIND_RUNTIME) JOIN StringIds ON id = nameId");
}

static bool earlier_read_command(earlier *e)
{
	const db *d = e->t->db;

	if (!db_find_with(d, "META_DATA_CAPTURE", "name value"))
		return true;
	return db_each(d, earlier_take_word, e,
		       "SELECT CASE name WHEN 'PROCESS_0:COMMAND' THEN -1 ELSE CAST(substr(name, 20) "
		       "AS INTEGER) END AS n, value FROM META_DATA_CAPTURE WHERE name = 'PROCESS_0:COMMAND' "
		       "OR name GLOB 'PROCESS_0:ARGUMENT_[0-9]*' ORDER BY n") &&
		db_each(d, earlier_take_delay, e, "SELECT value FROM META_DATA_CAPTURE WHERE name = 'START_DELAY_MS'");
}

/* The SQLite file of a trace or report; a report without one is exported.  NULL after a problem. */
static const char *earlier_find_file(earlier *e, const char *path, const char *nsys, notes *say)
{
	report_how how = { .nsys = nsys };
	const char *file;
	int ended_by = 0;

	if (!report_find_file(path, &how, &file, &e->texts, say))
		return NULL;
	if (!file)
		file = report_export(path, &how, NULL, &ended_by, &e->texts, say);
	if (ended_by)
		notes_problem(say, EXIT_FAILED, "the export of '%s' was stopped by signal %d", path, ended_by);
	return file;
}

bool earlier_open(earlier *to, const char *path, unsigned need, const char *nsys, notes *say)
{
	const char *file = earlier_find_file(to, path, nsys, say);

	to->t = file ? trace_open(file, par_cores(), say) : NULL;
	if (!to->t)
		return false;
	to->t->path = arena_copy(&to->texts, path);
	return load_trace(to->t, need, NULL) && earlier_read_command(to) && earlier_read_first_call(to);
}

bool earlier_fill_command(earlier *e, text_list *command, bool complete, notes *say)
{
	if (command->n)
		return true;
	if (complete && (e->incomplete || !e->command.n))
		return notes_problem(say, EXIT_CANNOT, "'%s' does not have the whole command line of its run; name it: "
				     "... -- COMMAND", e->t->path);
	if (!e->command.n) {
		notes_remark(say, "'%s' has no command line, as slices have none; put it in the place of COMMAND",
			     e->t->path);
		vec_push(&e->command, "COMMAND");
	}
	if (e->incomplete)
		notes_remark(say, "'%s' lacks words of its command line; put them in the place of ...", e->t->path);
	for (size_t i = 0; i < e->command.n; i++)
		vec_push(command, e->command.v[i]);
	return true;
}

void earlier_close(earlier *e)
{
	if (e->t)
		trace_free(e->t);
	vec_free(&e->command);
	arena_free(&e->texts);
}
