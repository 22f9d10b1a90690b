/* Ask three questions of two traces in one process, as a report or a viewer would: both traces are open at once,
 * each is loaded once with the needs of all three, and the tables are printed when the traces are closed.
 *
 *     three-answers A.sqlite B.sqlite OUT     # writes OUT.gaps, OUT.kernels, OUT.overlap */
#include "answer/answers.h"
#include "base/parallel.h"
#include "launch/depends.h"
#include "launch/idle_causes.h"
#include "launch/ranges_around.h"
#include "table/format.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { TRACES = 2, ANSWERS = 3, THREADS = 8, RELATIONS = 3, NAMES = 5000 };

static const gaps_params gaps = { .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE };
static const kernels_params kernels = { .mode = KERNELS_EACH };

static windows default_windows(const trace *t, const question *q, notes *say)
{
	return window_resolve(t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, q->scope, say);
}

typedef struct {
	trace *t;
	const void *seen[THREADS + 1][RELATIONS];
} relating;

static void relate(void *ctx, size_t i)
{
	relating *r = ctx;

	r->seen[i][0] = around_of(r->t, AROUND_ADOPT);
	r->seen[i][1] = idle_of(r->t, IDLE_PARTS);
	r->seen[i][2] = depends_of(r->t);
}

/* Whoever asks a trace for its relations, at the same time or later, gets the same ones; others get others. */
static bool related_once(trace *t)
{
	relating r = { .t = t };
	bool same = true;

	par_do(t->workers, THREADS, relate, &r);
	relate(&r, THREADS);
	for (int i = 1; i <= THREADS; i++)
		same &= memcmp(r.seen[i], r.seen[0], sizeof *r.seen) == 0;
	return same && around_of(t, AROUND_WORK) != r.seen[0][0] &&
		around_of(t, AROUND_WORK)->inner == around_of(t, AROUND_ADOPT)->inner;
}

typedef struct {
	trace *t;
	bool wrong[THREADS];
	uint32_t id[THREADS][NAMES];
} naming;

/* Each thread adds the same names in an order of its own, and reads them back. */
static void add_names(void *ctx, size_t thread)
{
	naming *n = ctx;

	for (size_t k = 0; k < NAMES; k++) {
		size_t which = (k * 7 + thread * 1009) % NAMES;
		char text[32], folded[] = "layer#";
		uint32_t id = str_id(&n->t->names, text, (size_t)sprintf(text, "layer%zu", which));
		n->id[thread][which] = id;
		n->wrong[thread] |= strcmp(str_at(&n->t->names, id), text) != 0 ||
			strcmp(str_at(&n->t->names, str_fold(&n->t->names, id)), folded) != 0;
	}
}

/* Names that several threads add to a loaded trace at the same time are added once. */
static bool named_once(trace *t)
{
	naming *n = mem_new(naming, 1);
	bool same = true;

	n->t = t;
	par_do(t->workers, THREADS, add_names, n);
	for (int i = 0; i < THREADS; i++)
		same &= !n->wrong[i] && memcmp(n->id[i], n->id[0], sizeof *n->id) == 0;
	free(n);
	return same;
}

static void nap(void *ctx UNNEEDED, size_t i UNNEEDED)
{
	usleep(1000);
}

/* Threads that wait for work leave what says that a child has ended to the one that waits for the child. */
static bool child_heard(void)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, NULL);
	kill(getpid(), SIGCHLD);
	par_do(THREADS, THREADS, nap, NULL);
	return sigtimedwait(&child, NULL, &(struct timespec){ 0 }) == SIGCHLD;
}

static bool ask(trace *t, const overlap_params *overlap, table out[ANSWERS], notes *say)
{
	const question q[ANSWERS] = { gaps_answer.question(&gaps), kernels_answer.question(&kernels),
				      overlap_answer.question(overlap) };
	const answer *of[ANSWERS] = { &gaps_answer, &kernels_answer, &overlap_answer };
	const void *params[ANSWERS] = { &gaps, &kernels, overlap };
	bool ok = load_trace(t, q[0].need | q[1].need | q[2].need, NULL) && related_once(t) && named_once(t);

	for (int i = 0; ok && i < ANSWERS; i++) {
		windows all = default_windows(t, &q[i], say);
		ok = answer_rows(of[i], t, &all, params[i], &out[i], say);
		window_free(&all);
	}
	return ok;
}

static bool print(const table *t, const char *out, const char *name)
{
	char path[4096];
	format_writer w = { .format = FORMAT_TSV };
	bool ok;

	snprintf(path, sizeof path, "%s.%s", out, name);
	w.to = fopen(path, "w");
	if (!w.to)
		return false;
	format_table(&w, t);
	ok = format_end(&w, t);
	return fclose(w.to) == 0 && ok;
}

int main(int argc, char **argv)
{
	static const char *const names[ANSWERS] = { "gaps", "kernels", "overlap" };
	notes say = { 0 };
	rules *stages = rules_load("stages", &say);
	overlap_params overlap = { .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE, .rules = stages };
	table out[ANSWERS] = { 0 };
	trace *t[TRACES];
	bool ok = argc == 4 && stages;

	for (int i = 0; ok && i < TRACES; i++)
		ok = (t[i] = trace_open(argv[i + 1], THREADS, &say));
	for (int i = 0; ok && i < TRACES; i++)
		ok = ask(t[i], &overlap, out, &say);
	ok = ok && child_heard();
	for (int i = 0; ok && i < TRACES; i++)
		trace_free(t[i]);
	rules_free(stages);
	for (int i = 0; ok && i < ANSWERS; i++)
		ok = print(&out[i], argv[3], names[i]);
	for (int i = 0; i < ANSWERS; i++)
		table_free(&out[i]);
	for (size_t i = 0; i < say.n; i++)
		fprintf(stderr, "%d %s\n", say.v[i].code, say.v[i].text);
	notes_free(&say);
	return ok ? 0 : 1;
}
