/* nsq-setup - who is in this trace? */
#include "answer/facts.h"
#include "relate/ranges_around.h"
#include "base/pattern.h"
#include "cli/run.h"

enum { WHO = 1, FACTS = 2 };

static const char *comm;

static const opt options[] = {
	{ "facts", 0, NULL, "key and value: versions, host, GPUs, command, tables, what is missing",
	  OPT_MODE, NULL, FACTS, 0 },
	OPT_COMM(&comm),
	{ 0 }
};

static const table_col all[] = {
	{ "gpus", 't', NULL, "devices it works on, separated by commas" },
	{ "kernels", 'i', NULL, "kernels in the window" },
	{ "comm_kernels", 'i', NULL, "of them, communication" },
	{ "streams", 'i', NULL, "streams with work in the window" },
	{ "ranges", 'i', NULL, "NVTX ranges in the window" },
	{ "launched_pct", 'd', "%", "share of its work whose launching call is in the trace" },
	{ "mesh", 't', NULL, "place in the parallel mesh, from the setup label" },
	{ "run", 't', NULL, "run parameters, from the setup label" },
	{ "process", 't', NULL, "name of the process" },
	{ 0 }
};

static void columns(table *t)
{
	if (opt_mode == FACTS)
		facts_columns(t);
	else
		table_columns(t, all, "gpus kernels comm_kernels streams ranges launched_pct mesh run process");
}

static const opt_tool tool = {
	.name = "nsq-setup",
	.question = "Who is in this trace: processes, ranks, GPUs; and what was captured?",
	.examples = { "nsq-setup run.sqlite", "nsq-setup --facts run.sqlite" },
	.options = options,
	.all = all,
	.columns = columns,
	.windowless = FACTS,
};

typedef struct {
	session *s;
	int64_t n;
} count_ctx;

static bool counts(const session *s, const trace_ranges *r, size_t i)
{
	return s->t->threads[r->thread[i]].proc == s->w->proc && window_has(&s->w->cpu, r->start[i], r->end[i]);
}

static void count_range(void *ctx, size_t i)
{
	count_ctx *c = ctx;

	c->n += counts(c->s, &c->s->t->pushpop, i);
}

/* The ranges of the window's process; n is NULL when it is all of it. */
static int64_t count_ranges(session *s, const nest *n)
{
	count_ctx c = { s, 0 };

	for (size_t i = 0; !n && i < s->t->nthreads; i++)
		if (s->t->threads[i].proc == s->w->proc)
			c.n += (int64_t)s->t->threads[i].ranges;
	if (!n)
		return c.n;
	nest_each(n, window_hull(&s->w->cpu), count_range, &c);
	for (size_t i = 0; i < s->t->startend.n; i++)
		c.n += counts(s, &s->t->startend, i);
	return c.n;
}

static void who(session *s, const nest *n)
{
	const trace *t = s->t;
	const trace_proc *p = &t->procs[s->w->proc];
	bool *stream = mem_new(bool, t->nstreams);
	int64_t work = 0, launched = 0, kernels = 0, comms = 0, streams = 0;
	const char *gpus = NULL;

	for (size_t l = 0; l < t->nlanes; l++) {
		size_t lo, hi;
		int64_t before = work;
		if (!window_lane(s->w, &t->lanes[l]))
			continue;
		window_work(t, &t->lanes[l], &s->w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			if (!window_has(&s->w->gpu, t->work.start[i], t->work.end[i]))
				continue;
			work++;
			launched += t->work.launch[i] != NONE;
			kernels += t->work.kind[i] == WORK_KERNEL;
			comms += trace_is_comm(t, i);
			streams += !stream[t->work.stream[i]];
			stream[t->work.stream[i]] = true;
		}
		if (work > before)
			gpus = mem_printf("%s%s%lld", gpus ? gpus : "", gpus ? "," : "", (long long)t->lanes[l].gpu);
	}
	session_row(s);
	table_text(&s->out, gpus);
	table_int(&s->out, kernels);
	table_int(&s->out, comms);
	table_int(&s->out, streams);
	table_int(&s->out, count_ranges(s, n));
	table_pct(&s->out, launched, work);
	table_text(&s->out, p->mesh);
	table_text(&s->out, p->run);
	table_text(&s->out, p->name);
	session_row_end(s);
	free(stream);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);

	s.need = TRACE_WORK | TRACE_LAUNCHED | (s.asked ? TRACE_RANGE_TIMES : TRACE_RANGE_COUNTS);
	s.must = opt_mode == FACTS ? 0 : SESSION_ANY;
	s.def = WINDOW_EVENTS;
	s.comm = pattern_compile("--comm", comm);
	s.warn_lost = opt_mode != FACTS;
	s.empty = "no process in it has an event after time 0";
	while (session_trace(&s)) {
		nest *n = s.asked ? nest_build(s.t, NEST_RANGES) : NULL;
		if (opt_mode == FACTS)
			facts_rows(s.t, &s.out);
		else
			while (session_window(&s))
				who(&s, n);
		if (n)
			nest_free(n);
	}
	return session_end(&s);
}
