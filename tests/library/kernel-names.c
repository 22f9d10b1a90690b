/* Reads lines of NAME<TAB>SHORT and prints those whose short name is another: ours, theirs, and the name. */
#include "base/kernel_name.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
	static char line[1 << 20];
	size_t n;

	while (fgets(line, sizeof line, stdin)) {
		char *tab = strchr(line, '\t');
		if (!tab)
			return 2;
		line[strcspn(line, "\n")] = 0;
		*tab = 0;
		const char *name = kernel_name_function(line, &n);
		if (n != strlen(tab + 1) || strncmp(name, tab + 1, n) != 0)
			printf("%.*s, not %s: %s\n", (int)n, name, tab + 1, line);
	}
	return 0;
}
