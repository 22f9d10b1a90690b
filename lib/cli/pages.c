#include "cli/pages.h"
#include "base/printable.h"
#include "cli/errors.h"
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>

char *pages_line(FILE *f, int number, arena *to)
{
	char *line = NULL, *found = NULL;
	size_t room = 0;
	ssize_t n;

	while ((n = getline(&line, &room, f)) > 0)
		if (--number == 0)
			found = arena_text(to, line, (size_t)n - (line[n - 1] == '\n'));
	free(line);
	return found;
}

void pages_print(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		die(EXIT_FAILED, "cannot open '%s':", path);
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		terminal_line(line);
	}
	if (ferror(f))
		die(EXIT_FAILED, "cannot read '%s':", path);
	free(line);
	fclose(f);
}

void pages_printable(void)
{
	char *line = NULL, *end;
	size_t room = 0, n;
	ssize_t len;

	setvbuf(stdout, NULL, _IOLBF, 0);       /* the next program may show each line as it comes */
	while ((len = getline(&line, &room, stdin)) > 0) {
		end = line + len;
		for (char *p = line; p < end; p += n ? n : 1) {
			n = *p == '\t' || *p == '\n' ? 1 : printable_length(p);
			if (n)
				fwrite(p, 1, n, stdout);
			else
				printf("\\x%02x", (unsigned char)*p);
		}
	}
	free(line);
	if (ferror(stdin))
		die(EXIT_FAILED, "cannot read standard input:");
}
