#include "cli/run_command.h"
#include "cli/errors.h"
#include "cli/output.h"

int run_command(const opt_tool *tool, void *params, int argc, char **argv)
{
	format_writer w;
	opt_common options = output_begin(tool, params, argc, argv, &w);
	notes say = { 0 };
	int code = tool->runs(&options.operands, params, stdout, &say);

	errors_show(&say);
	if (fflush(stdout) != 0 || ferror(stdout))
		complain(EXIT_FAILED, "cannot write the output:");
	vec_free(&options.operands);
	return code ? code : errors_status();
}
