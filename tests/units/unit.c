/* units CHAIN.awk FOLDER - runs the cases.  CHAIN.awk turns the lines of unit_trace into SQL; the traces are written
 * into FOLDER. */
#include "unit.h"

#include "trace/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct { const char *file, *name; void (*f)(void); } cases[500];
static size_t ncases;
static bool failed;
static const char *chain, *folder;

void unit_add(const char *file, const char *name, void (*f)(void))
{
	if (ncases == sizeof cases / sizeof *cases)
		abort();
	cases[ncases].file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	cases[ncases].name = name;
	cases[ncases++].f = f;
}

void unit_eq(const char *file, int line, const char *what, int64_t expected, int64_t actual)
{
	if (expected == actual)
		return;
	printf("# %s:%d: %s is %lld, not %lld\n", file, line, what, (long long)actual, (long long)expected);
	failed = true;
}

void unit_eq_text(const char *file, int line, const char *what, const char *expected, const char *actual)
{
	if (actual && strcmp(expected, actual) == 0)
		return;
	printf("# %s:%d: %s is '%s', not '%s'\n", file, line, what, actual ? actual : "(none)", expected);
	failed = true;
}

trace *unit_trace(const char *lines)
{
	static int number;
	char path[4096], command[9000];
	notes say = { 0 };
	trace *t;
	FILE *to;

	snprintf(path, sizeof path, "%s/%d.sqlite", folder, ++number);
	snprintf(command, sizeof command, "awk -f '%s' | sqlite3 -batch -bail '%s' > /dev/null", chain, path);
	to = popen(command, "w");
	if (!to || fputs(lines, to) < 0 || pclose(to) != 0)
		abort();
	t = trace_open(path, 1, &say);
	if (!t || !load_trace(t, ~0U, NULL)) {
		printf("# cannot load %s\n", path);
		exit(1);
	}
	notes_free(&say);
	return t;
}

int main(int argc, char **argv)
{
	size_t wrong = 0;

	if (argc != 3)
		return 2;
	chain = argv[1];
	folder = argv[2];
	printf("1..%zu\n", ncases);
	for (size_t i = 0; i < ncases; i++) {
		failed = false;
		cases[i].f();
		printf("%s %zu %.*s: %s\n", failed ? "not ok" : "ok", i + 1, (int)strcspn(cases[i].file, "."),
		       cases[i].file, cases[i].name);
		wrong += failed;
	}
	return wrong ? 1 : 0;
}
