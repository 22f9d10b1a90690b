/*
 * outline - opens and closes the tree of ranges of a trace as the words say that follow it, and prints its rows.
 *
 *     outline TRACE [WORD...]
 *
 * `adopt`, `captured` and `pid N` come first.  `print` prints all rows, `this` the one that is chosen, `names` just
 * names, `place` where the one that is chosen is on the timeline.
 */
#include "base/memory.h"
#include "timeline/window.h"
#include "trace/load.h"
#include "tui/outline.h"

#include <stdio.h>
#include <string.h>

typedef struct {
	notes say;
	trace *t;
	window_filter only;
	window_asks asks;
	windows all;
	bool adopt, captured, full;
	pattern *re;
	outline *o;
} driver;

static const char *const kinds[] = { "ranges", "kernels", "each", "range", "startend", "run" };

static const char *number(int64_t n, char buf[32])
{
	if (n == TRACE_UNKNOWN)
		return "-";
	snprintf(buf, 32, "%lld", (long long)n);
	return buf;
}

static void print_row(const driver *d, size_t i)
{
	outline_row r = outline_row_at(d->o, i);
	char *path = outline_path(d->o, i), buf[32];
	int64_t numbers[] = { r.count, r.cpu_ns, r.mean_ns, r.p50_ns, r.p90_ns, r.max_ns, r.kernels, r.gpu_own_ns,
		r.gpu_ns, r.cpu_own_ns, r.parent_ns, r.start_ns, r.tid };

	printf("%s\t%zu\t%c%c", kinds[r.kind], r.depth, r.open ? 'o' : r.opens ? 'c' : '.', r.match ? '!' : '.');
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
		printf("\t%s", number(numbers[k], buf));
	printf("\t%s\t%s\t%s\n", r.domain, r.name, path);
	free(path);
}

static void place(const driver *d)
{
	outline_place p = outline_place_of(d->o, d->o->at);
	const trace *t = d->t;

	if (p.proc == NONE)
		printf("nowhere\n");
	else
		printf("%lld..%lld %s stream %lld %s\n", (long long)p.at.a, (long long)p.at.b, t->procs[p.proc].shown,
		       p.work == NONE ? -1 : (long long)t->streams[t->work.stream[p.work]].stream,
		       p.work == NONE ? "-" : str_at(&t->names, work_name(&t->work, p.work)));
}

static void resolve(driver *d)
{
	window_free(&d->all);
	d->all = window_resolve(d->t, d->asks.n ? &d->asks : NULL, &d->only, WINDOW_TRACE, &d->say);
}

/* Words with a number or a text behind them; false: it is none of these. */
static bool do_with(driver *d, const char *word, const char *with)
{
	if (strcmp(word, "row") == 0)
		outline_choose_row(d->o, (size_t)atol(with));
	else if (strcmp(word, "sort") == 0)
		outline_sort(d->o, (enum outline_order)atoi(with));
	else if (strcmp(word, "window") == 0) {
		d->asks.n = 0;
		window_table_spec(with, &d->asks, &d->say);
		resolve(d);
		outline_set_window(d->o, &d->all.v[0], d->full);
	} else if (strcmp(word, "find") == 0) {
		outline_find(d->o, NULL, "");
		pattern_free(d->re);
		d->re = pattern_new(with, PATTERN_EXACT, NULL);
		outline_find(d->o, d->re, with);
		printf("%zu\n", d->o->matches);
	} else if (strcmp(word, "at") == 0) {
		for (size_t i = 0; i < d->o->rows.n; i++)
			if (strcmp(outline_row_at(d->o, i).name, with) == 0) {
				outline_choose_row(d->o, i);
				return true;
			}
		printf("no row '%s'\n", with);
	} else {
		return false;
	}
	return true;
}

/* The rows of a kind: at most so many of them. */
static void open_kind(driver *d, enum outline_kind kind, size_t most)
{
	for (size_t i = 0; i < d->o->rows.n && most; i++)
		if (outline_row_at(d->o, i).kind == kind) {
			outline_choose_row(d->o, i);
			most -= outline_open(d->o, true);
		}
}

static void do_word(driver *d, const char *word)
{
	outline *o = d->o;

	if (strcmp(word, "print") == 0) {
		for (size_t i = 0; i < o->rows.n; i++)
			print_row(d, i);
	} else if (strcmp(word, "this") == 0)
		print_row(d, o->at);
	else if (strcmp(word, "names") == 0)
		for (size_t i = 0; i < o->rows.n; i++)
			printf("%*s%s\n", (int)outline_row_at(o, i).depth, "", outline_row_at(o, i).name);
	else if (strcmp(word, "place") == 0)
		place(d);
	else if (strcmp(word, "open") == 0)
		printf("%s", outline_open(o, true) ? "" : "no\n");
	else if (strcmp(word, "close") == 0)
		printf("%s", outline_open(o, false) ? "" : "no\n");
	else if (strcmp(word, "all") == 0)
		printf("%s", outline_open_all(o, 1000000) ? "" : "more\n");
	else if (strcmp(word, "ten") == 0)
		printf("%s", outline_open_all(o, 10) ? "" : "more\n");
	else if (strcmp(word, "up") == 0)
		printf("%s", outline_choose_parent(o) ? "" : "no\n");
	else if (strcmp(word, "next") == 0)
		printf("%s", outline_choose_match(o, 1) ? "" : "none\n");
	else if (strcmp(word, "previous") == 0)
		printf("%s", outline_choose_match(o, -1) ? "" : "none\n");
	else if (strcmp(word, "here") == 0)
		printf("%s", outline_choose_match(o, 0) ? "" : "none\n");
	else if (strcmp(word, "full") == 0)
		outline_set_window(o, &d->all.v[0], d->full = !d->full);
	else if (strcmp(word, "tree") == 0)
		for (size_t i = o->rows.n; i-- > 0;) {
			outline_choose_row(o, i);
			outline_open_all(o, 1000000);
		}
	else if (strcmp(word, "each") == 0)
		open_kind(d, OUTLINE_EACH, SIZE_MAX);
	else if (strcmp(word, "runs") == 0)
		open_kind(d, OUTLINE_KERNELS, SIZE_MAX);
	else if (strcmp(word, "ranges") == 0)
		open_kind(d, OUTLINE_RANGE, 50);
	else
		printf("what is '%s'?\n", word);
}

int main(int argc, char **argv)
{
	driver d = { .only = { .pid = -1, .sub = -1, .gpu = -1 } };
	int i = 2;

	d.t = trace_open(argv[1], 1, &d.say);
	if (!d.t || !load_trace(d.t, TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES | TRACE_FULL, NULL))
		return 1;
	for (; i < argc; i++)
		if (strcmp(argv[i], "adopt") == 0)
			d.adopt = true;
		else if (strcmp(argv[i], "captured") == 0)
			d.captured = true;
		else if (strcmp(argv[i], "pid") == 0 && i + 1 < argc)
			d.only.pid = atol(argv[++i]);
		else
			break;
	resolve(&d);
	d.o = outline_build(around_of(d.t, around_flags(d.adopt, d.captured)), &d.all.v[0], false);
	for (; i < argc; i++)
		if (i + 1 < argc && do_with(&d, argv[i], argv[i + 1]))
			i++;
		else
			do_word(&d, argv[i]);
	outline_free(d.o);
	pattern_free(d.re);
	window_free(&d.all);
	window_asks_free(&d.asks);
	trace_free(d.t);
	notes_free(&d.say);
	return 0;
}
