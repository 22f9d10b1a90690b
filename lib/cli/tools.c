#include "cli/run.h"
#include "cli/errors.h"

#include <malloc.h>
#include <sqlite3.h>

const char *tools_short(const char *name)
{
	return strncmp(name, "nsq-", 4) == 0 ? name + 4 : name;
}

const opt_tool *tools_find(const char *name)
{
	const opt_tool *const *t = tools_builtin;

	while (*t && strcmp(tools_short((*t)->name), tools_short(name)) != 0)
		t++;
	return *t;
}

/* Its operands are a command: from the first on, nothing is an option of the tool. */
static int run_command(const opt_tool *tool, void *params, int argc, char **argv)
{
	format_writer w;
	opt_common options = output_begin(tool, params, argc, argv, &w);
	notes say = { 0 };
	int code = tool->runs(&options.operands, params, stdout, &say);

	errors_show(&say);
	if (fflush(stdout) != 0 || (ferror(stdout) && !errors_status()))
		complain(EXIT_FAILED, "cannot write the output:");
	vec_free(&options.operands);
	return code ? code : errors_status();
}

int tools_run(const opt_tool *tool, int argc, char **argv)
{
	void *params;
	int code;

	mallopt(M_MMAP_THRESHOLD, 1 << 20);     /* give freed memory back to the system at once */
	if (!tool->queries)                     /* SQLite counts its memory under one lock, on which threads wait */
		sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	errors_begin(tool->name);
	params = options_params(tool);
	code = tool->runs ? run_command(tool, params, argc, argv) : tool->over ?
		run_tables(tool, params, argc, argv) : run_traces(tool, params, argc, argv);
	if (tool->end)
		tool->end(params);
	free(params);
	return code;
}
