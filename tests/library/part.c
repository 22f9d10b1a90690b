/* Load a trace for some windows only, and compare what is answered with what the whole trace answers.
 *
 *     part TRACE A..B...      # for each, with 1, 2 and 16 threads: "part" or "whole", and how much work is loaded */
#include "answer/answers.h"
#include "relate/lost_events.h"
#include "table/format.h"

#include <string.h>

static const kernels_params kernels = { .mode = KERNELS_SUMS }, each_kernel = { .mode = KERNELS_EACH };
static const api_params api = { .mode = API_SUMS, .keys = API_BY_NAME | API_BY_THREAD, .class = API_ALL_CLASSES };
static const api_params each_call = { .mode = API_EACH, .class = API_ALL_CLASSES };
static const copies_params copies = { .mode = COPIES_SUMS, .keys = COPIES_BY_KIND };
static const find_params find = { .mode = FIND_NAME, .kinds = FIND_ALL };
static const window_filter all_of_it = { .pid = -1, .sub = -1, .gpu = -1 };

static const struct {
	const answer *of;
	const void *params;
} asked[] = { { &kernels_answer, &kernels }, { &kernels_answer, &each_kernel }, { &api_answer, &api },
	{ &api_answer, &each_call }, { &copies_answer, &copies }, { &find_answer, &find } };

enum { ASKED = sizeof asked / sizeof *asked };

/* What the question says of a window; NULL if the part of the trace is not enough. */
static char *told(const char *path, const window_asks *asks, size_t which, par threads, bool part, size_t *work)
{
	question q = asked[which].of->question(asked[which].params);
	ival time = { asks->v[0].a, asks->v[0].b };
	notes say = { 0 };
	trace *t = trace_open(path, threads, &say);
	char *text = NULL;
	size_t size;
	format_writer w = { .format = FORMAT_TSV, .to = open_memstream(&text, &size) };
	table out = { 0 };
	windows all;
	bool enough;

	t->time = part ? &time : NULL;
	t->no_ranks = part && q.no_process;
	load_trace(t, q.need, NULL);
	enough = !part || (t->partly && !t->too_little && window_known(t, asks, &all_of_it) &&
			   !lost_events_suspected(t));
	*work = t->work.n;
	if (enough) {
		all = window_resolve(t, asks, &all_of_it, q.scope, &say);
		question_warn(&q, t, NULL, NULL, &say);
		answer_rows(asked[which].of, t, &all, asked[which].params, &out, &say);
		enough = !part || !t->too_little;
		window_free(&all);
		format_table(&w, &out);
		for (size_t i = 0; i < say.n; i++)
			fprintf(w.to, "%s\n", say.v[i].text);
	}
	fclose(w.to);
	table_free(&out);
	trace_free(t);
	notes_free(&say);
	if (!enough)
		free(text);
	return enough ? text : NULL;
}

static void compare(const char *path, const char *window)
{
	par threads[] = { par_crew(1), par_crew(2), par_crew(16) };
	window_asks asks = { 0 };
	size_t work, loaded = 0, parts = 0;

	if (!window_table_spec(window, &asks, NULL))
		exit(2);
	for (size_t i = 0; i < ASKED; i++) {
		char *whole = told(path, &asks, i, threads[1], false, &work);
		for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
			char *part = told(path, &asks, i, threads[k], true, &work);
			if (part && strcmp(part, whole) != 0)
				printf("answer %zu of %s with %d threads differs:\n%sand of the whole:\n%s", i, window,
				       threads[k].n, part, whole);
			parts += part != NULL;
			loaded = work > loaded ? work : loaded;
			free(part);
		}
		free(whole);
	}
	printf("%s: %s, %zu\n", window, parts == 3 * ASKED ? "part" : parts ? "some" : "whole", loaded);
	window_asks_free(&asks);
	for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
		par_dismiss(threads[k]);
}

int main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		compare(argv[1], argv[i]);
	return 0;
}
