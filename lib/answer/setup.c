#include "answer/answers.h"
#include "answer/facts.h"
#include "base/text.h"
#include "launch/ranges_around.h"
#include "timeline/overlap_index.h"

#define COLUMNS(X) \
	X(GPUS, "gpus", 't', NULL, "devices that the process uses, separated by commas") \
	X(KERNELS, "kernels", 'i', NULL, "kernels in the window") \
	X(COMM_KERNELS, "comm_kernels", 'i', NULL, "communication kernels among these") \
	X(STREAMS, "streams", 'i', NULL, "streams with work in the window") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in the window") \
	X(LAUNCHED_PCT, "launched_pct", 'd', "%", "share of the process's work, except migrations, whose launch " \
	  "call is in the trace") \
	X(MESH, "mesh", 't', NULL, "place in the parallel mesh, from the setup label") \
	X(RUN, "run", 't', NULL, "run parameters, from the setup label") \
	X(PROCESS, "process", 't', NULL, "name of the process")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void setup_list_columns(const void *params, table *out)
{
	const setup_params *p = params;

	if (p->mode == SETUP_FACTS)
		facts_columns(out);
	else
		table_columns(out, all_columns, GPUS, KERNELS, COMM_KERNELS, STREAMS, RANGES, LAUNCHED_PCT, MESH,
			      RUN, PROCESS);
}

static question setup_make_question(const void *params)
{
	const setup_params *p = params;
	bool facts = p->mode == SETUP_FACTS;

	return (question){
		.need = TRACE_WORK | TRACE_LAUNCH, .need_if_named = TRACE_RANGES,
		.must = facts ? 0 : MUST_EITHER, .scope = WINDOW_EVENTS, .comm = p->comm,
		.warn_lost = !facts, .warn_across = true,
		.empty = "no process in it has an event after time 0",
	};
}

typedef struct {                /* state while ranges are counted */
	const answer_ctx *a;
	int64_t n;              /* how many there are so far */
} range_count;

static bool setup_has_range(const answer_ctx *a, const trace_ranges *r, size_t i)
{
	return a->t->threads[ranges_thread(r, i)].proc == a->w->proc &&
		window_has(a->w, &a->w->cpu, r->start[i], r->end[i]);
}

static void setup_count_range(void *ctx, size_t i)
{
	range_count *c = ctx;

	c->n += setup_has_range(c->a, &c->a->t->pushpop, i);
}

/* The number of ranges of the process in the window.  If `ranges` is NULL, the user chose no windows, and all ranges of
 * the process count. */
static int64_t setup_count_ranges(const answer_ctx *a, const around *ranges)
{
	range_count c = { a, 0 };
	uint32_t end, thread = trace_find_threads(a->t, a->w->proc, &end);
	overlap_hits in = { 0 };

	for (; !ranges && thread < end; thread++)
		c.n += (int64_t)a->t->threads[thread].ranges;
	if (!ranges)
		return c.n;
	around_each(ranges, a->w->proc, window_hull(&a->w->cpu), setup_count_range, &c);
	overlap_index_find(overlap_index_of_startend(a->t), window_hull(&a->w->cpu), &in);
	for (size_t i = 0; i < in.n; i++)
		c.n += setup_has_range(a, &a->t->startend, in.v[i]);
	vec_free(&in);
	return c.n;
}

typedef struct {
	const answer_ctx *a;
	size_t row;             /* the number of the current row, from 1 */
	size_t *met;            /* by stream: the last `row` in which the stream was counted; 0: none yet */
	int64_t launchable;     /* the work in the window, except migrations */
	int64_t launched;       /* the part of `launchable` whose launch call is in the trace */
	int64_t kernels, comms, streams;        /* the columns kernels, comm_kernels and streams */
} setup_ctx;

/* Count the work of the current window, in the last five members of c.  Returns the numbers of the GPUs that ran it,
 * separated by commas; NULL: there is no work. */
static const char *setup_count_work(setup_ctx *c, arena *texts)
{
	const trace *t = c->a->t;
	size_t n, lane = SIZE_MAX;
	char *gpus;
	FILE *f = text_open(&gpus, &n);

	c->launchable = c->launched = c->kernels = c->comms = c->streams = 0;
	for (window_walk k = { 0 }; window_next(t, c->a->w, &k);) {
		size_t *met = &c->met[t->work.stream[k.work]];
		bool migration = trace_is_migration(t, k.work);
		c->launchable += !migration;
		c->launched += !migration && t->work.launch[k.work] != NONE;
		c->kernels += t->work.kind[k.work] == WORK_KERNEL;
		c->comms += trace_is_comm_kernel(t, k.work);
		c->streams += *met != c->row;
		*met = c->row;
		if (k.lane != lane)
			fprintf(f, "%s%lld", lane == SIZE_MAX ? "" : ",", (long long)t->lanes[k.lane].gpu);
		lane = k.lane;
	}
	gpus = text_close_into(f, &gpus, texts);
	return lane == SIZE_MAX ? NULL : gpus;
}

static void setup_add_process_row(answer_ctx *a, const around *ranges, setup_ctx *c)
{
	const trace_proc *p = &a->t->procs[a->w->proc];
	arena texts = { 0 };
	const char *gpus = setup_count_work(c, &texts);
	table *out = a->out;

	answer_add_row(a);
	table_text(out, GPUS, gpus);
	table_ints(out, { KERNELS, c->kernels }, { COMM_KERNELS, c->comms }, { STREAMS, c->streams },
		   { RANGES, setup_count_ranges(a, ranges) });
	table_pct(out, LAUNCHED_PCT, c->launched, trace_has_launches(a->t) ? c->launchable : 0);
	table_text(out, MESH, p->mesh);
	table_text(out, RUN, p->run);
	table_text(out, PROCESS, p->name);
	arena_free(&texts);
}

static bool setup_add_rows(answer_ctx *a, const void *params)
{
	const setup_params *p = params;
	const around *ranges = a->all->chosen ? around_of(a->t, AROUND_RANGES) : NULL;
	setup_ctx c = { .a = a, .met = mem_new(size_t, a->t->nstreams) };
	bool ok = true;

	if (p->mode == SETUP_FACTS)
		ok = facts_add_rows(a->t, a->out);
	else
		for (c.row = 1; answer_next_window(a); c.row++)
			setup_add_process_row(a, ranges, &c);
	free(c.met);
	return ok;
}

const answer setup_answer = {
	.all = all_columns, .columns = setup_list_columns, .question = setup_make_question, .rows = setup_add_rows
};
