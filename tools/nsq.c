/* nsq - the program.  Under the name of a tool, such as nsq-gaps, it is that tool.  Otherwise it is the front door,
 * which lists the tools, runs them, and shows or runs recipes.
 * nsq alone is nsq help; nsq WORD is a command of nsq itself or a tool. */
#include "cli/errors.h"
#include "cli/front_door.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/terminal.h"

/* Is `arg` the word, or its short form? */
static bool nsq_is_word(const char *arg, const char *word, const char *short_form)
{
	return strcmp(arg, word) == 0 || strcmp(arg, short_form) == 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "help", *called = argc > 0 ? basename(argv[0]) : "nsq";

	errors_begin("nsq");
	terminal_begin();
	if (strncmp(called, "nsq-", 4) == 0 && tools_find(called))
		return tools_run(tools_find(called), argc, argv);
	if (strncmp(called, "nsq-", 4) == 0)
		die(EXIT_WRONG, "no tool is called '%s'; nsq lists the tools", called);
	installation_find();
	if (strcmp(command, "help") == 0)
		front_door_help(argc - 2, argv + 2);
	else if (nsq_is_word(command, "--help", "-h"))
		front_door_help(0, NULL);
	else if (nsq_is_word(command, "--version", "-V"))
		front_door_version();
	else if (command[0] == '-')
		die(EXIT_WRONG, "unknown option '%s'; usage: nsq TOOL [options] [TRACE...]; run nsq to list the "
		    "tools", command);
	else if (strcmp(command, "recipes") == 0 && argc == 2)
		recipes_list();
	else if (nsq_is_word(command, "recipes", "recipe"))
		recipes_main(argc - 2, argv + 2);
	else if (strcmp(command, "demo") == 0)
		demo_main(argc - 2, argv + 2);
	else if (strcmp(command, "mcp") == 0)
		return mcp_main(argc - 1, argv + 1);
	else if (strcmp(command, "printable") == 0 && (argc == 2 || (argc == 3 && strcmp(argv[2], "--wrap") == 0)))
		terminal_copy_printable(argc == 3);
	else
		return front_door_run(command, argc - 1, argv + 1);
	return front_door_flush_output();
}
