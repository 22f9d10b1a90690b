#include "base/shell.h"
#include "base/whole_file.h"
#include "cli/errors.h"
#include "cli/front_door.h"
#include "cli/installation.h"
#include "cli/terminal.h"

#include <string.h>
#include <sys/stat.h>

static void demo_write_trace(const char *path)
{
	const char *from = installation_shared("demo/train.sqlite");
	size_t n = 0;
	char *bytes = from ? text_file(from, &n) : NULL;
	notes say = { 0 };
	whole_file w;
	bool ok;

	if (!bytes)
		die(EXIT_FAILED, "this installation has no trace to play with; it belongs in share/nsq/demo");
	ok = whole_begin(&w, path, WHOLE_NEVER, &say);
	if (ok) {
		fwrite(bytes, 1, n, w.to);
		ok = whole_end(&w);
	}
	free(bytes);
	errors_exit_unless(ok, &say);
}

void demo_main(int argc, char **argv)
{
	const char *path = argc > 0 ? argv[0] : "demo.sqlite", *word;
	arena texts = { 0 };
	struct stat st;

	if (text_is_listed_word(path, strlen(path), "--help -h")) {
		terminal_say("usage: nsq demo [FILE]\n\nWrites a small trace to play with, unless FILE (demo.sqlite) "
			     "exists, and says what to ask it.\n");
		return;
	}
	if (argc > 1 || path[0] == '-')
		die(EXIT_WRONG, "nsq demo takes one file to write, not also '%s'", argv[argc - 1]);
	if (lstat(path, &st) == 0)
		die(EXIT_WRONG, "'%s' exists; nsq demo FILE writes another", path);
	demo_write_trace(path);
	word = shell_word(&texts, path);
	printf("wrote %s: eight steps of a training loop in PyTorch on one GPU\n\ntry:\n  nsq advise %s\n"
	       "  nsq window %s | nsq gaps --by cause\n", word, word, word);
	arena_free(&texts);
}
