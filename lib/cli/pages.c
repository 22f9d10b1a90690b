#include "cli/pages.h"
#include "cli/errors.h"

#include <stdlib.h>

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
	char part[8192];
	size_t n;

	if (!f)
		die(EXIT_FAILED, "cannot open '%s':", path);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		fwrite(part, 1, n, stdout);
	if (ferror(f))
		die(EXIT_FAILED, "cannot read '%s':", path);
	fclose(f);
}
