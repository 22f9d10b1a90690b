#include "cli/run.h"
#include "base/folders.h"
#include "base/whole_file.h"
#include "cli/errors.h"
#include "cli/progress.h"

#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	const opt_tool *tool;
	opt_common options;
	format_writer writer;
	inputs in;
	vec(trace_place) places;        /* the identity of each trace */
	arena texts;
	notes say;
	bool stdin_read;
	const char *word;       /* in a `bare` mode (options.h), the operand that is no trace, such as the table's name
				 * of nsq-sql --schema; NULL: none was given */
} run;

/* Is it a trace?  The end of its name decides, or else the first bytes of a regular file.  A pipe is not looked into,
 * because its bytes could be read only once. */
static bool run_tables_is_trace(const char *path)
{
	struct stat st;

	return text_ends(path, ".sqlite") || text_ends(path, ".nsys-rep") || text_ends(path, ".qdrep") ||
		(folders_stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		 (whole_file_holds_trace(path, NULL) || report_is_torch(path)));
}

static void run_tables_add_trace(run *r, const char *path)
{
	vec(input_trace) all = { r->in.traces, r->in.ntraces, r->in.trace_room };
	trace_place at = trace_file_place(path, &r->options.how);
	const char *file;

	if (!r->tool->traces)
		die(EXIT_WRONG, "'%s' is a trace; %s reads the table of another tool", path, r->tool->name);
	for (size_t i = 0; i < r->places.n; i++)
		if (trace_file_same(&r->places.v[i], &at))
			return;
	vec_push(&r->places, at);
	file = trace_file(path, &r->options.how, &r->texts, &r->say);
	errors_exit_unless(file, &r->say);
	vec_push(&all, (input_trace){ path, file });
	r->in.traces = all.v;
	r->in.ntraces = all.n;
	r->in.trace_room = all.room;
}

/* name: NULL if the user gave none; the first table is then called t, the second t2, the third t3, ... */
static void run_tables_add_table(run *r, const char *name, const char *path)
{
	vec(input_table) all = { r->in.tables, r->in.ntables, r->in.table_room };
	input_table *t;

	if (strcmp(path, "-") == 0 && r->stdin_read)
		die(EXIT_WRONG, "standard input can be read only once; drop one '-'");
	r->stdin_read |= strcmp(path, "-") == 0;
	if (!name)
		name = all.n ? arena_printf(&r->texts, "t%zu", all.n + 1) : "t";
	vec_push(&all, (input_table){ .name = name });
	t = &all.v[all.n - 1];
	for (size_t i = 0; i + 1 < all.n; i++)
		if (strcasecmp(all.v[i].name, t->name) == 0)
			die(EXIT_WRONG, "two tables are named '%s'; name one with NAME=FILE", t->name);
	errors_exit_unless(read_table_named(path, &t->table, &r->say), &r->say);
	r->in.tables = all.v;
	r->in.ntables = all.n;
	r->in.table_room = all.room;
}

static void run_tables_add_operand(run *r, const char *operand)
{
	const char *eq = strchr(operand, '='), *name = NULL, *path = operand;

	if (eq && eq > operand && !memchr(operand, '/', (size_t)(eq - operand)) && folders_stat(operand, NULL) != 0) {
		name = arena_text(&r->texts, operand, (size_t)(eq - operand));
		path = eq + 1;
	}
	if (!run_tables_is_trace(path))
		run_tables_add_table(r, name, path);
	else if (name)
		die(EXIT_WRONG, "'%s' is a trace, whose tables have names of their own; drop '%s='", path, name);
	else
		run_tables_add_trace(r, path);
}

/* Read the operands of a `bare` mode: traces, and at most one word. */
static void run_tables_read_bare(run *r)
{
	const text_list *given = &r->options.operands;

	for (size_t i = 0; i < given->n; i++)
		if (run_tables_is_trace(given->v[i]))
			run_tables_add_trace(r, given->v[i]);
		else if (r->word)
			die(EXIT_WRONG, "'%s' is one word too many after '%s'; %s --help shows what it takes",
			    given->v[i], r->word, r->tool->name);
		else
			r->word = given->v[i];
	r->in.words = &r->word;
}

static void run_tables_read_inputs(run *r)
{
	const text_list *given = &r->options.operands;
	size_t files;

	if (given->n < r->tool->words || (!given->n && r->tool->least && !r->tool->most))
		die(EXIT_WRONG, "usage: %s [options] %s; %s --help explains them", r->tool->name, r->tool->operands,
		    r->tool->name);
	files = given->n - r->tool->words;
	if (files < r->tool->least || (r->tool->most && files > r->tool->most))
		die(EXIT_WRONG, "%s takes %zu tables at %s, not %zu; usage: %s [options] %s", r->tool->name,
		    files < r->tool->least ? r->tool->least : r->tool->most, files < r->tool->least ? "least" : "most",
		    files, r->tool->name, r->tool->operands);
	r->in.words = given->v;
	for (size_t i = r->tool->words; i < given->n; i++)
		run_tables_add_operand(r, given->v[i]);
	if (!files)
		run_tables_add_table(r, NULL, "-");
}

static void run_tables_end(run *r)
{
	for (size_t i = 0; i < r->in.ntables; i++)
		read_table_free(&r->in.tables[i].table);
	mem_free(r->in.tables, r->in.traces, r->places.v, r->options.operands.v);
	arena_free(&r->texts);
}

int run_tables(const opt_tool *tool, void *params, int argc, char **argv)
{
	run r = { .tool = tool };
	table out = { 0 };
	bool ok;

	r.options = tools_read_command_line(tool, params, argc, argv, &r.writer);
	r.in.threads = (int)r.options.threads;
	ok = r.options.columns && !r.options.operands.n;
	if (ok && tool->answer) {
		tool->answer->columns(params, &out);
	} else if (ok) {
		remark("the columns depend on what %s is given: add %s", tool->name, tool->operands);
	} else {
		if (*options_mode(params) & tool->bare)
			run_tables_read_bare(&r);
		else
			run_tables_read_inputs(&r);
		progress_begin();
		progress_show("answering", 0, 0);
		ok = tool->over(&r.in, params, &out, &r.say);
	}
	errors_take(&r.say);
	if (ok)
		errors_flush();
	if (ok && r.options.columns) {
		output_columns(&r.writer, &out);
	} else if (ok && out.cols.n && tool->tell && r.writer.terminal && !r.options.format) {
		r.writer.rows = tool->tell(params, &out, (size_t)r.options.limit, stdout);
		r.writer.hidden = table_rows(&out) - r.writer.rows;
		output_end(&r.writer, &out);
	} else if (ok && out.cols.n) {
		format_table(&r.writer, &out);
		format_header(&r.writer, &out);
		output_end(&r.writer, &out);
	}
	table_free(&out);
	run_tables_end(&r);
	return errors_status();
}
