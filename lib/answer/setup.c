#include "answer/answers.h"
#include "answer/facts.h"
#include "relate/ranges_around.h"

#define COLUMNS(X) \
	X(GPUS, "gpus", 't', NULL, "devices it uses, separated by commas") \
	X(KERNELS, "kernels", 'i', NULL, "kernels in the window") \
	X(COMM_KERNELS, "comm_kernels", 'i', NULL, "communication kernels among them") \
	X(STREAMS, "streams", 'i', NULL, "streams with work in the window") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in the window") \
	X(LAUNCHED_PCT, "launched_pct", 'd', "%", "share of its work, without migrations, whose launching " \
	  "call is there") \
	X(MESH, "mesh", 't', NULL, "place in the parallel mesh, from the setup label") \
	X(RUN, "run", 't', NULL, "run parameters, from the setup label") \
	X(PROCESS, "process", 't', NULL, "name of the process")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params, table *out)
{
	const setup_params *p = params;

	if (p->mode == SETUP_FACTS)
		facts_columns(out);
	else
		table_columns(out, all_columns, GPUS, KERNELS, COMM_KERNELS, STREAMS, RANGES, LAUNCHED_PCT, MESH,
			      RUN, PROCESS);
}

static question ask(const void *params)
{
	const setup_params *p = params;
	bool facts = p->mode == SETUP_FACTS;

	return (question){
		.need = TRACE_WORK | (facts ? TRACE_LAUNCH | TRACE_CALL_TIMES | TRACE_COPY_KINDS : TRACE_LAUNCHED) |
			TRACE_RANGE_COUNTS, .need_asked = TRACE_RANGE_TIMES,
		.must = facts ? 0 : MUST_EITHER, .scope = WINDOW_EVENTS, .comm = p->comm,
		.warn_lost = !facts, .warn_across = true,
		.empty = "no process in it has an event after time 0",
	};
}

typedef struct {
	const asking *a;
	int64_t n;
} count_ctx;

static bool counts(const asking *a, const trace_ranges *r, size_t i)
{
	return a->t->threads[r->thread[i]].proc == a->w->proc && window_has(a->w, &a->w->cpu, r->start[i], r->end[i]);
}

static void count_range(void *ctx, size_t i)
{
	count_ctx *c = ctx;

	c->n += counts(c->a, &c->a->t->pushpop, i);
}

/* The number of ranges of the window's process; n is NULL if the window is all of it. */
static int64_t count_ranges(const asking *a, const around *n)
{
	count_ctx c = { a, 0 };
	uint32_t end, thread = trace_threads(a->t, a->w->proc, &end);

	for (; !n && thread < end; thread++)
		c.n += (int64_t)a->t->threads[thread].ranges;
	if (!n)
		return c.n;
	around_each(n, a->w->proc, window_hull(&a->w->cpu), count_range, &c);
	for (size_t i = 0; i < a->t->startend.n; i++)
		c.n += counts(a, &a->t->startend, i);
	return c.n;
}

typedef struct {
	int64_t launchable, launched, kernels, comms, streams;
	const char *gpus;       /* NULL: none */
} sums;

/* met: by stream, in which row there was work on it last. */
static sums count_work(const asking *a, size_t row, size_t *met, arena *texts)
{
	const trace *t = a->t;
	sums s = { 0 };
	window_walk k = { 0 };
	size_t last = SIZE_MAX;

	while (window_next(t, a->w, &k)) {
		uint32_t st = t->work.stream[k.work];
		s.launchable += !trace_is_migration(t, k.work);
		s.launched += !trace_is_migration(t, k.work) && t->work.launch[k.work] != NONE;
		s.kernels += t->work.kind[k.work] == WORK_KERNEL;
		s.comms += trace_is_comm_kernel(t, k.work);
		s.streams += met[st] != row;
		met[st] = row;
		if (k.lane != last)
			s.gpus = arena_printf(texts, "%s%s%lld", s.gpus ? s.gpus : "", s.gpus ? "," : "",
					      (long long)t->lanes[k.lane].gpu);
		last = k.lane;
	}
	return s;
}

static void process_row(asking *a, const around *n, size_t row, size_t *met)
{
	const trace_proc *p = &a->t->procs[a->w->proc];
	arena texts = { 0 };
	sums s = count_work(a, row, met, &texts);
	table *out = a->out;

	asking_row(a);
	table_text(out, GPUS, s.gpus);
	table_ints(out, { KERNELS, s.kernels }, { COMM_KERNELS, s.comms }, { STREAMS, s.streams },
		   { RANGES, count_ranges(a, n) });
	table_pct(out, LAUNCHED_PCT, s.launched, trace_has_launches(a->t) ? s.launchable : 0);
	table_text(out, MESH, p->mesh);
	table_text(out, RUN, p->run);
	table_text(out, PROCESS, p->name);
	arena_free(&texts);
}

static bool rows(asking *a, const void *params)
{
	const setup_params *p = params;
	const around *n = a->all->asked ? around_of(a->t, AROUND_RANGES) : NULL;
	size_t *met = mem_new(size_t, a->t->nstreams), row = 0;
	bool ok = true;

	if (p->mode == SETUP_FACTS)
		ok = facts_rows(a->t, p->all, a->out);
	else
		while (asking_window(a))
			process_row(a, n, ++row, met);
	free(met);
	return ok;
}

const answer setup_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
