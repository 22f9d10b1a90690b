/* What nsq-tui keeps and asks, without a terminal, for values.bats:
 *
 *     values bookmarks TRACE [add START END AT KERNEL NVTX NAME | remove NUMBER]...     then lists them
 *     values place CURSOR FROM TEXT...           what each text means
 *     values command TOOL A B PID TRACE          a window command
 *     values range TRACE PID GPU A B             busy and idle times, causes, kernels
 *     values steps TRACE PID                     steps, and the slowest
 */
#include "table/format.h"
#include "tui/bookmarks.h"
#include "tui/lookup.h"
#include "tui/place.h"

#include <string.h>

static int tell(notes *say)
{
	int code = notes_code(say);

	for (size_t i = 0; i < say->n; i++)
		printf("%s: %s\n", say->v[i].code ? "problem" : "remark", say->v[i].text);
	notes_free(say);
	return code;
}

static int keep_bookmarks(char **args, notes *say)
{
	bookmarks b = { 0 };

	bookmarks_open(&b, args[0], args[0], say);
	while (*++args) {
		if (strcmp(*args, "add") == 0) {
			bookmark m = { .pid = 693, .sub = 2, .start = atoll(args[1]), .end = atoll(args[2]),
				.at = atoll(args[3]), .gpu = 0, .ctx = 1, .stream = 7, .kernel = args[4],
				.nvtx = args[5], .name = args[6] };
			bookmarks_add(&b, &m, say);
			args += 6;
		} else {
			bookmarks_remove(&b, (size_t)atoll(*++args) - 1, say);
		}
	}
	for (size_t i = 0; i < b.n; i++)
		printf("%lld..%lld at %lld %s %s %s\n", (long long)b.v[i].start, (long long)b.v[i].end,
		       (long long)b.v[i].at, b.v[i].kernel, b.v[i].nvtx, b.v[i].name);
	printf("file %s\n", b.file ? b.file : "none");
	bookmarks_free(&b);
	return tell(say);
}

static int read_places(char **args)
{
	static const char *const kinds[] = { "nothing", "time", "window", "step" };
	place_reference now = { atoll(args[0]), atoll(args[1]) };

	for (args += 2; *args; args++) {
		place_typed to = place_read(*args, &now);
		printf("%s: %s %lld %lld %lld\n", *args, kinds[to.kind], (long long)to.time.a, (long long)to.time.b,
		       (long long)to.step);
	}
	return 0;
}

static void print(table *t)
{
	format_writer w = { .to = stdout, .format = FORMAT_TSV };

	format_table(&w, t);
	format_end(&w, t);
	table_free(t);
}

static int look(char **args, notes *say)
{
	lookup l = { .file = args[1], .path = args[1] };
	lookup_target of = { .pid = atoll(args[2]), .sub = -1, .gpu = args[3] ? atoll(args[3]) : -1 };
	table steps = { 0 }, slowest = { 0 };
	lookup_sums s = { 0 };

	if (args[3] && lookup_sum_up(&l, &of, (ival){ atoll(args[4]), atoll(args[5]) }, &s, say)) {
		printf("%lld %lld\n", (long long)s.busy_ns, (long long)s.idle_ns);
		print(&s.idle);
		print(&s.kernels);
	}
	if (!args[3] && lookup_get_steps(&l, &of, false, &steps, say) && lookup_get_steps(&l, &of, true, &slowest, say)) {
		print(&steps);
		print(&slowest);
	}
	lookup_sums_free(&s);
	lookup_free(&l);
	return tell(say);
}

int main(int argc, char **argv)
{
	notes say = { 0 };
	arena texts = { 0 };

	(void)argc;
	if (strcmp(argv[1], "bookmarks") == 0)
		return keep_bookmarks(argv + 2, &say);
	if (strcmp(argv[1], "place") == 0)
		return read_places(argv + 2);
	if (strcmp(argv[1], "command") == 0) {
		puts(place_command(&texts, argv[2], (ival){ atoll(argv[3]), atoll(argv[4]) }, argv[5], -1,
				   argv[6]));
		arena_free(&texts);
		return 0;
	}
	return look(argv + 1, &say);
}
