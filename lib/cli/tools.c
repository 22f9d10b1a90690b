#include "cli/run.h"
#include "cli/errors.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/values.h"

#include <malloc.h>
#include <sqlite3.h>
#include <unistd.h>

const char *tools_short_name(const char *name)
{
	return strncmp(name, "nsq-", 4) == 0 ? name + 4 : name;
}

const opt_tool *tools_find(const char *name)
{
	const opt_tool *const *t = tools_builtin;

	while (*t && strcmp(tools_short_name((*t)->name), tools_short_name(name)) != 0)
		t++;
	return *t;
}

/* ---- how every run begins and ends */

format_writer output_writer(const opt_common *c)
{
	format_writer w = { .to = stdout, .terminal = isatty(STDOUT_FILENO), .limit = c->limit };

	w.format = c->format ? c->format : w.terminal ? FORMAT_ALIGNED : FORMAT_TSV;
	w.people.numbers = c->human ? ALIGNED_UNITS : ALIGNED_PLAIN;
	if (terminal_shows() && w.format == FORMAT_ALIGNED) {
		w.people.numbers = c->raw ? ALIGNED_PLAIN : ALIGNED_FIGURES;
		w.people.width = terminal_columns(STDOUT_FILENO);
		w.people.colors = terminal_colors(STDOUT_FILENO);
		w.to = w.people.colors ? terminal_behind() : stdout;
	}
	if (c->human && c->raw)
		die(EXIT_WRONG, "'--raw' prints plain numbers and '-H' units; drop one of them");
	if (c->human && !c->help && !c->version && !format_for_people(w.format))
		die(EXIT_WRONG, "'-H' does not work in the format %s%s: programs read it, and they need plain numbers; "
		    "add -f table or -f md, or drop it", format_name(w.format), c->format ? "" : ", the default except "
		    "on a terminal");
	return w;
}

opt_common tools_read_command_line(const opt_tool *tool, void *params, int argc, char **argv, format_writer *w)
{
	opt_common options;

	options = options_read_with_threads(tool, params, argc, argv);
	*w = output_writer(&options);
	if (options.help) {
		help_print_screen(tool);
	} else if (options.version) {
		printf("%s (nsq) %s\n", tool->name, NSQ_VERSION);
	} else if (options.columns && options_prints_no_table(tool)) {
		remark("%s %s, so there are no columns", tool->name,
		       tool->draws ? "draws a picture and prints no table" : "prints no table of its own");
		output_columns(w, &(table){ 0 });
		exit(errors_status());
	} else {
		return options;
	}
	output_end(w, &(table){ 0 });
	exit(errors_status());
}

void output_columns(format_writer *w, const table *columns)
{
	table described = { 0 };

	table_describe(columns, &described);
	w->limit = 0;           /* -n limits rows, not columns */
	format_table(w, &described);
	format_header(w, &described);
	output_end(w, &described);
	table_free(&described);
}

void output_end(format_writer *w, const table *t)
{
	progress_end();
	if (!format_end(w, t))
		complain(EXIT_FAILED, "cannot write the table:");
	if (w->hidden)
		remark("-n shows %zu of %zu rows; -n %zu shows all", w->rows, w->rows + w->hidden,
		       w->rows + w->hidden);
	if (w->people.left_out)
		remark("%zu columns are too few for %s; -f table | less -S shows all", w->people.width,
		       w->people.left_out);
	aligned_free(&w->people);
}

/* ---- the run */

/* Run a tool whose operands are a command.  Unless the tool has opt_tool.words, no word from the first operand on is an
 * option of the tool. */
static int tools_run_command(const opt_tool *tool, void *params, int argc, char **argv)
{
	format_writer w;
	opt_common options = tools_read_command_line(tool, params, argc, argv, &w);
	notes say = { 0 };
	int code = tool->runs(&options.operands, params, stdout, &say);

	errors_take(&say);
	if (fflush(stdout) != 0 || (ferror(stdout) && !errors_status()))
		complain(EXIT_FAILED, "cannot write the output:");
	vec_free(&options.operands);
	return code ? code : errors_status();
}

void tools_parse_command(const text_list *words, report_tool *to)
{
	const opt_tool *tool = tools_find(words->v[0]);
	void *params = options_new_params(tool);
	opt_common common = options_read(tool, params, (int)words->n, (char **)words->v);

	if (tool->end)
		tool->end(params);
	*to = (report_tool){ tool->answer, params, common.merge, common.limit };
}

int tools_run(const opt_tool *tool, int argc, char **argv)
{
	void *params;
	int code;

	mallopt(M_MMAP_THRESHOLD, 1 << 20);     /* a block of 1 MB or more goes back to the system when it is freed */
	if (!tool->queries)                     /* SQLite counts its memory under a lock, which delays threads */
		sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	errors_begin(tool->name);
	params = options_new_params(tool);
	code = tool->runs ? tools_run_command(tool, params, argc, argv) : tool->over ?
		run_tables(tool, params, argc, argv) : run_traces(tool, params, argc, argv);
	values_report_slow_rules();
	if (tool->end)
		tool->end(params);
	free(params);
	return code;
}
