#include "answer/answers.h"
#include "answer/facts.h"
#include "base/text.h"
#include "relate/ranges_around.h"
#include "relate/touching.h"

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
		.need = TRACE_WORK | TRACE_LAUNCH, .need_asked = TRACE_RANGES,
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
	return a->t->threads[ranges_thread(r, i)].proc == a->w->proc &&
		window_has(a->w, &a->w->cpu, r->start[i], r->end[i]);
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
	touched in = { 0 };

	for (; !n && thread < end; thread++)
		c.n += (int64_t)a->t->threads[thread].ranges;
	if (!n)
		return c.n;
	around_each(n, a->w->proc, window_hull(&a->w->cpu), count_range, &c);
	touching_in(touching_startend(a->t), window_hull(&a->w->cpu), &in);
	for (size_t i = 0; i < in.n; i++)
		c.n += counts(a, &a->t->startend, in.v[i]);
	vec_free(&in);
	return c.n;
}

enum { STRETCH = 1 << 16 };     /* pieces of work that a thread counts */

typedef struct {
	int64_t launchable, launched, kernels, comms, streams;
} sums;

typedef struct {
	const asking *a;
	size_t row, from, to, stretches;        /* the work between them is counted in so many stretches */
	size_t *met;            /* by stream, in which row there was work on it last, */
	size_t *lanes;          /* and by lane */
	sums all;
} counting;

/* Is something met for the first time in this row?  Several threads may ask. */
static bool is_new(size_t *met, size_t row)
{
	return __atomic_load_n(met, __ATOMIC_RELAXED) != row && __atomic_exchange_n(met, row, __ATOMIC_RELAXED) != row;
}

static void count_stretch(void *ctx, size_t which)
{
	counting *c = ctx;
	trace *t = c->a->t;
	size_t each = (c->to - c->from) / c->stretches, from = c->from + each * which;
	window_walk k = { .from = from, .to = which + 1 < c->stretches ? from + each : c->to };
	sums s = { 0 };

	while (window_next(t, c->a->w, &k)) {
		bool migration = trace_is_migration(t, k.work);
		s.launchable += !migration;
		s.launched += !migration && t->work.launch[k.work] != NONE;
		s.kernels += t->work.kind[k.work] == WORK_KERNEL;
		s.comms += trace_is_comm_kernel(t, k.work);
		s.streams += is_new(&c->met[work_stream(&t->work, k.work)], c->row);
		is_new(&c->lanes[k.lane], c->row);
	}
	__atomic_fetch_add(&c->all.launchable, s.launchable, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->all.launched, s.launched, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->all.kernels, s.kernels, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->all.comms, s.comms, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->all.streams, s.streams, __ATOMIC_RELAXED);
}

/* Count the work of a window; returns its GPUs, NULL if there is none. */
static const char *count_work(counting *c, arena *texts)
{
	trace *t = c->a->t;
	size_t all = 0, n, met = SIZE_MAX;
	const char *comma = "";
	touched lanes = { 0 };
	char *gpus;
	FILE *f = text_open(&gpus, &n);

	c->from = SIZE_MAX;
	c->to = 0;
	c->all = (sums){ 0 };
	for (window_walk k = { 0 }; window_more(t, c->a->w, &k); all += k.end - k.next) {
		c->from = k.next < c->from ? k.next : c->from;
		c->to = k.end > c->to ? k.end : c->to;
		if (k.lane != met)
			vec_push(&lanes, (uint32_t)(met = k.lane));
	}
	c->stretches = all / STRETCH + 1;
	par_do(t->workers, all ? c->stretches : 0, count_stretch, c);
	for (size_t i = 0; i < lanes.n; i++)
		if (c->lanes[lanes.v[i]] == c->row) {
			fprintf(f, "%s%lld", comma, (long long)t->lanes[lanes.v[i]].gpu);
			comma = ",";
		}
	vec_free(&lanes);
	gpus = text_end(f, &gpus, texts);
	return *comma ? gpus : NULL;
}

static void process_row(asking *a, const around *n, counting *c)
{
	const trace_proc *p = &a->t->procs[a->w->proc];
	arena texts = { 0 };
	const char *gpus = count_work(c, &texts);
	table *out = a->out;

	asking_row(a);
	table_text(out, GPUS, gpus);
	table_ints(out, { KERNELS, c->all.kernels }, { COMM_KERNELS, c->all.comms }, { STREAMS, c->all.streams },
		   { RANGES, count_ranges(a, n) });
	table_pct(out, LAUNCHED_PCT, c->all.launched, trace_has_launches(a->t) ? c->all.launchable : 0);
	table_text(out, MESH, p->mesh);
	table_text(out, RUN, p->run);
	table_text(out, PROCESS, p->name);
	arena_free(&texts);
}

static bool rows(asking *a, const void *params)
{
	const setup_params *p = params;
	const around *n = a->all->asked ? around_of(a->t, AROUND_RANGES) : NULL;
	counting c = { .a = a, .met = mem_new(size_t, a->t->nstreams), .lanes = mem_new(size_t, a->t->nlanes) };
	bool ok = true;

	if (p->mode == SETUP_FACTS)
		ok = facts_rows(a->t, p->all, a->out);
	else
		for (c.row = 1; asking_window(a); c.row++)
			process_row(a, n, &c);
	mem_free(c.met, c.lanes);
	return ok;
}

const answer setup_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
