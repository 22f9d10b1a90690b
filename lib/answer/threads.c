#include "answer/answers.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "launch/ranges_around.h"

#include <string.h>

enum { MANY_BROKEN_PCT = 10 };    /* remark on broken call chains (threads_is_broken) of at least so many samples, % */

#define COLUMNS(X) \
	X(TID, "tid", 'i', NULL, "thread") \
	X(RUN_NS, "run_ns", 'i', "ns", "time on a CPU, by context switches") \
	X(RUN_PCT, "run_pct", 'd', "%", "run_ns as a share of the window") \
	X(WAITS, "waits", 'i', NULL, "stretches off the CPU, between two on it") \
	X(MAX_WAIT_NS, "max_wait_ns", 'i', "ns", "longest of these stretches") \
	X(SAMPLES, "samples", 'i', NULL, "CPU samples taken in the thread, function or stack") \
	X(CUDA_NS, "cuda_ns", 'i', "ns", "time in CUDA calls, overlaps counted once") \
	X(OS_NS, "os_ns", 'i', "ns", "time in OS calls, overlaps counted once") \
	X(NVTX_NS, "nvtx_ns", 'i', "ns", "time in push/pop ranges, overlaps counted once") \
	X(THREAD, "thread", 't', NULL, "name of the thread") \
	X(COUNT, "count", 'i', NULL, "calls in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "total time in these calls") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of a call") \
	X(P90_NS, "p90_ns", 'i', "ns", "90th percentile of the same") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest call") \
	X(PCT, "pct", 'd', "%", "share of the process's samples taken in the function or in what it calls") \
	X(SELF_PCT, "self_pct", 'd', "%", "share of the process's samples taken in the function itself") \
	X(NAME, "name", 't', NULL, "name of the function or OS call; for a function without a symbol, its module") \
	X(MODULE, "module", 't', NULL, "file that holds the function") \
	X(STACK, "stack", 't', NULL, "functions from the outermost to the innermost, with ; between them")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

enum { EVENT_KINDS = MUST_CUDA | MUST_NVTX | MUST_OS | MUST_SWITCHES | MUST_SAMPLES };

static void threads_list_columns(const void *params, table *out)
{
	const threads_params *p = params;

	if (p->mode == THREADS_OS) {
		table_columns(out, all_columns, COUNT, TOTAL_NS, P50_NS, P90_NS, MAX_NS, NAME);
		table_sort(out, TOTAL_NS, true);
	} else if (p->mode == THREADS_SAMPLES) {
		table_columns(out, all_columns, SAMPLES, PCT, SELF_PCT, NAME, MODULE);
		table_sort(out, SAMPLES, true);
		table_sort(out, SELF_PCT, true);
	} else if (p->mode == THREADS_STACKS) {
		table_columns(out, all_columns, SAMPLES, STACK);
		table_sort(out, SAMPLES, true);
	} else {
		table_columns(out, all_columns, TID, RUN_NS, RUN_PCT, WAITS, MAX_WAIT_NS, SAMPLES, CUDA_NS, OS_NS,
			      NVTX_NS, THREAD);
	}
}

static question threads_make_question(const void *params)
{
	const threads_params *p = params;
	question q = { .need = TRACE_CPU, .scope = WINDOW_EVENTS,
		.warn_lost = true,
		.empty = "no thread has an event" };

	if (p->mode == THREADS_OS) {
		q.need |= TRACE_OS;
		q.must = MUST_OS;
		q.empty = "no OS call was made";
	} else if (p->mode != THREADS_SUMS) {
		q.need |= TRACE_CHAINS;
		q.must = MUST_SAMPLES;
		q.empty = "no CPU was sampled";
	} else {
		q.need |= TRACE_OS | TRACE_SWITCHES | TRACE_SAMPLES | TRACE_CALLS | TRACE_RANGES | TRACE_MARKS;
		q.must = MUST_ANY | EVENT_KINDS;
	}
	return q;
}

/* The time that events cover, each moment counted once.  Events are added in order of start. */
typedef struct {
	int64_t covered;        /* the time in the window, ns */
	int64_t until;          /* the latest end of an event so far */
} cover;

typedef struct {                /* what a thread does in the current window */
	bool here;              /* does it have an event in the window? */
	int64_t run, max_wait;  /* the columns run_ns and max_wait_ns */
	size_t waits, samples;  /* the columns of these names */
	cover cuda, os, nvtx;   /* CUDA calls, OS calls and push/pop ranges */
} thread_activity;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const around *around;
	thread_activity now;    /* what the current thread does */
	uint32_t *calls;        /* the indices in trace.calls, thread by thread; for each thread in order of start */
	size_t *first;          /* by thread: the index in `calls` of its first call; the last element is the length of
				 * `calls` */
	uint32_t *stack;        /* by call chain: its text for THREADS_STACKS, a string */
	uint32_t thread, end;   /* the threads [thread,end) of the window's process */
} threads_ctx;

static void threads_add_time(const window *w, thread_activity *d, cover *c, int64_t start, int64_t end)
{
	int64_t from = start > c->until ? start : c->until;

	d->here = true;
	if (end <= from)
		return;
	c->covered += ival_within(&w->cpu, from, end);
	c->until = end;
}

static void threads_add_range(void *ctx, size_t range)
{
	threads_ctx *x = ctx;
	const trace_ranges *r = &x->a->t->pushpop;
	const window *w = x->a->w;
	thread_activity *d = &x->now;

	if (window_has(w, &w->cpu, r->start[range], r->end[range]))
		threads_add_time(w, d, &d->nvtx, r->start[range], r->end[range]);
}

static void threads_add_calls(threads_ctx *x, size_t thread, thread_activity *d)
{
	const window *w = x->a->w;
	const trace_calls *c = &x->a->t->calls;
	size_t i, lo = 0, hi = 0;

	while (window_next_calls(x->a->t, &w->cpu, &lo, &hi)) {
		search_first(i, x->first[thread], x->first[thread + 1], x->calls[i] >= lo);
		for (; i < x->first[thread + 1] && x->calls[i] < hi; i++) {
			uint32_t k = x->calls[i];
			if (window_has(w, &w->cpu, c->start[k], c->end[k]))
				threads_add_time(w, d, &d->cuda, c->start[k], c->end[k]);
		}
	}
}

/* Add the stretches on and off the CPU, which alternate.  Each goes from one element of s->at to the next. */
static void threads_add_stretches(const threads_ctx *x, uint32_t thread, thread_activity *d)
{
	const trace_stretches *s = &x->a->t->stretches;
	const window *w = x->a->w;
	size_t first = s->first[thread], end = s->end[thread], i;
	ival hull = window_hull(&w->cpu);

	search_first(i, first, end, s->at[i] >= hull.a);
	for (i -= i > first; i + 1 < end && s->at[i] < hull.b; i++) {
		int64_t ns = ival_within(&w->cpu, s->at[i], s->at[i + 1]);
		bool wait = (i - first) % 2;
		if (!window_has(w, &w->cpu, s->at[i], s->at[i + 1]))
			continue;
		d->here = true;
		d->run += wait ? 0 : ns;
		d->waits += wait;
		d->max_wait = wait && ns > d->max_wait ? ns : d->max_wait;
	}
}

static void threads_add_events(threads_ctx *x, uint32_t thread, thread_activity *d)
{
	const trace *t = x->a->t;
	const window *w = x->a->w;

	for (window_thread_events k = window_thread_events_of(w, &t->samples, thread);
	     window_next_thread_event(w, &t->samples, &k); d->here = true)
		d->samples++;
	for (window_thread_events k = window_thread_events_of(w, &t->os, thread);
	     window_next_thread_event(w, &t->os, &k);)
		threads_add_time(w, d, &d->os, t->os.start[k.event], thread_events_end(&t->os, k.event));
	for (window_thread_events k = window_thread_events_of(w, &t->marks, thread);
	     window_next_thread_event(w, &t->marks, &k);)
		d->here = true;
}

static void threads_add_thread_row(threads_ctx *x, uint32_t thread)
{
	const trace *t = x->a->t;
	const trace_thread *th = &t->threads[thread];
	const thread_activity *d = &x->now;
	bool switched = t->stretches.first[thread] < t->stretches.end[thread];
	table *out = x->a->out;

	answer_add_row_of(x->a, th->proc);
	table_int(out, TID, th->tid);
	table_set_name(out, THREAD, th->name);
	if (switched) {
		table_int(out, RUN_NS, d->run);
		table_pct(out, RUN_PCT, d->run, ival_length(&x->a->w->cpu));
		table_int(out, WAITS, (int64_t)d->waits);
		table_int(out, MAX_WAIT_NS, d->waits ? d->max_wait : TABLE_MISSING);
	}
	if (t->has_samples)
		table_int(out, SAMPLES, (int64_t)d->samples);
	if (t->has_cuda)
		table_int(out, CUDA_NS, d->cuda.covered);
	if (t->has_os)
		table_int(out, OS_NS, d->os.covered);
	if (t->has_nvtx)
		table_int(out, NVTX_NS, d->nvtx.covered);
}

static void threads_find_activity(threads_ctx *x, uint32_t thread)
{
	const trace_ranges *se = &x->a->t->startend;
	const window *w = x->a->w;
	thread_activity *d = &x->now;
	size_t i;

	*d = (thread_activity){ .cuda.until = INT64_MIN, .os.until = INT64_MIN, .nvtx.until = INT64_MIN };
	threads_add_calls(x, thread, d);
	around_each_of(x->around, thread, window_hull(&w->cpu), threads_add_range, x);
	search_first(i, 0, se->n, ranges_thread(se, i) >= thread);
	for (; !d->here && i < se->n && ranges_thread(se, i) == thread; i++)
		d->here |= window_has(w, &w->cpu, se->start[i], se->end[i]);
	threads_add_stretches(x, thread, d);
	threads_add_events(x, thread, d);
}

static void threads_add_thread_rows(threads_ctx *x)
{
	for (uint32_t th = x->thread; th < x->end; th++) {
		threads_find_activity(x, th);
		if (x->now.here)
			threads_add_thread_row(x, th);
	}
}

static void threads_add_os_rows(threads_ctx *x)
{
	const trace_thread_events *os = &x->a->t->os;
	const window *w = x->a->w;
	table *out = x->a->out;
	sums by = sums_by(1, 0);
	stats_summary *sum;

	for (uint32_t th = x->thread; th < x->end; th++)
		for (window_thread_events k = window_thread_events_of(w, os, th); window_next_thread_event(w, os, &k);)
			stats_add(&by.times, group_of(&by.g, (int64_t[]){ os->name[k.event] }),
				  ival_within(&w->cpu, os->start[k.event], thread_events_end(os, k.event)));
	sum = sums_times(&by);
	for (size_t i = 0; i < by.g.n; i++) {
		answer_add_row(x->a);
		table_stats(out, (table_stats_ids){ COUNT, TOTAL_NS, .p50 = P50_NS, .p90 = P90_NS, .max = MAX_NS },
			    &sum[i]);
		table_set_name(out, NAME, (uint32_t)*sums_key(&by, i));
	}
	free(sum);
	sums_free(&by);
}

typedef struct {                /* the samples of a function */
	size_t total;           /* how many have the function anywhere in the chain */
	size_t self;            /* how many have it as the innermost function */
	size_t last;            /* the number, from 1, of the sample that was counted last */
} function_samples;

static void threads_add_sample_row(threads_ctx *x, const function_samples *s, size_t samples, uint32_t name,
				   uint32_t module)
{
	table *out = x->a->out;

	if (!s->total)
		return;
	answer_add_row(x->a);
	table_int(out, SAMPLES, (int64_t)s->total);
	table_pct(out, PCT, (int64_t)s->total, (int64_t)samples);
	table_pct(out, SELF_PCT, (int64_t)s->self, (int64_t)samples);
	table_set_name(out, NAME, name);
	table_set_name(out, MODULE, module);
}

/* Add a row for each function.  A function counts once in a sample, even if the chain has it several times.  Samples
 * without a chain have a row of their own. */
static void threads_add_sample_rows(threads_ctx *x)
{
	const trace *t = x->a->t;
	const trace_thread_events *events = &t->samples;
	const trace_chains *c = &t->chains;
	function_samples *counts = mem_new(function_samples, c->nfunctions + 1), *chainless = &counts[c->nfunctions];
	size_t samples = 0;

	for (uint32_t th = x->thread; th < x->end; th++)
		for (window_thread_events k = window_thread_events_of(x->a->w, events, th);
		     window_next_thread_event(x->a->w, events, &k);) {
			uint32_t chain = events->chain[k.event];
			samples++;
			for (size_t e = chain == NONE ? 0 : c->first[chain]; chain != NONE &&
			     e < c->first[chain + 1]; e++) {
				function_samples *s = &counts[c->function[e]];
				s->self += e == c->first[chain];
				s->total += s->last != samples;
				s->last = samples;
			}
			chainless->total += chain == NONE;
		}
	chainless->self = chainless->total;
	for (size_t f = 0; f < c->nfunctions; f++)
		threads_add_sample_row(x, &counts[f], samples, c->name[f], c->module[f]);
	threads_add_sample_row(x, chainless, samples, STR_NONE, STR_NONE);
	free(counts);
}

typedef vec(char) line;

/* Add a function to the text of a stack.  Flame graphs read ; as the end of a function and a blank as the end of a
 * stack, so in names : and _ replace them. nameless: the name is that of a module; it is written as [MODULE], without
 * its folder. */
static void threads_add_frame(const char *name, bool nameless, line *to)
{
	const char *slash = nameless ? strrchr(name, '/') : NULL;

	nameless &= *name != '[';       /* [Unknown] has its brackets already */
	if (to->n)
		vec_push(to, ';');
	if (nameless)
		vec_push(to, '[');
	for (const char *s = slash ? slash + 1 : name; *s; s++)
		vec_push(to, *s == ';' ? ':' : (unsigned char)*s <= ' ' ? '_' : *s);
	if (nameless)
		vec_push(to, ']');
}

/* An array with an element for each call chain: its functions from the outermost to the innermost, with ; between them,
 * as a string.  The caller frees the array. */
static uint32_t *threads_make_stacks(trace *t)
{
	const trace_chains *c = &t->chains;
	uint32_t *stack = mem_new(uint32_t, c->n);
	line all = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		all.n = 0;
		for (size_t e = c->first[i + 1]; e-- > c->first[i];) {
			const char *name = str_at(&t->names, c->name[c->function[e]]);
			threads_add_frame(name ? name : "-", name && c->nameless[c->function[e]], &all);
		}
		stack[i] = str_id(&t->names, all.v, all.n);
	}
	vec_free(&all);
	return stack;
}

static void threads_add_stack_rows(threads_ctx *x)
{
	const trace_thread_events *events = &x->a->t->samples;
	sums by = sums_by(1, sizeof(int64_t));

	for (uint32_t th = x->thread; th < x->end; th++)
		for (window_thread_events k = window_thread_events_of(x->a->w, events, th);
		     window_next_thread_event(x->a->w, events, &k);) {
			uint32_t chain = events->chain[k.event];
			++*(int64_t *)sums_of(&by, (int64_t[]){ chain == NONE ? STR_NONE : x->stack[chain] });
		}
	for (size_t i = 0; i < by.g.n; i++) {
		answer_add_row(x->a);
		table_int(x->a->out, SAMPLES, *sums_at(int64_t, &by, i));
		table_set_name(x->a->out, STACK, (uint32_t)*sums_key(&by, i));
	}
	sums_free(&by);
}

const char *threads_stack_of_row(const table *rows, size_t row, int64_t *samples)
{
	*samples = table_value(rows, row, SAMPLES)->i;
	return table_value(rows, row, STACK)->t;
}

/* Is the chain broken, so that its outer part is unknown?  The outermost function of such a chain is "[Broken
 * backtraces]".  So is that of some complete chains, but there the next function is one with which threads start. */
static bool threads_is_broken(const trace *t, size_t chain)
{
	static const char *const starts[] = { "_start", "start_thread", "clone", "__clone", "clone3", "__clone3" };
	const trace_chains *c = &t->chains;
	size_t n = c->first[chain + 1] - c->first[chain];
	const uint32_t *end = c->function + c->first[chain + 1];
	const char *outermost = n ? str_at(&t->names, c->name[end[-1]]) : NULL;
	const char *before = n > 1 ? str_at(&t->names, c->name[end[-2]]) : NULL;

	if (!outermost || strcmp(outermost, "[Broken backtraces]") != 0)
		return false;
	for (size_t i = 0; before && i < sizeof starts / sizeof *starts; i++)
		if (strcmp(before, starts[i]) == 0)
			return false;
	return true;
}

static void threads_say_broken(const trace *t, notes *say)
{
	size_t broken = 0;

	for (size_t i = 0; i < t->samples.n; i++)
		broken += t->samples.chain[i] != NONE && threads_is_broken(t, t->samples.chain[i]);
	if (broken * 100 >= t->samples.n * MANY_BROKEN_PCT && broken)
		notes_remark(say, "the call chains of %zu of %zu samples in '%s' are cut; nsys profile "
			     "--backtrace=dwarf gives longer ones", broken, t->samples.n, t->path);
}

/* Mention why columns hold -, and if samples have no call chains or broken ones. */
static void threads_say_missing(const trace *t, const threads_params *p, notes *say)
{
	unsigned lacks = p->mode == THREADS_SUMS ? question_find_missing(t, EVENT_KINDS) : 0;
	arena texts = { 0 };
	const char *flags = lacks ? question_flags(lacks, " or ", &texts) : "";

	if (lacks)
		notes_remark(say, "'%s' holds no %.*s; nsq capture --again says how to get them", t->path,
			     (int)strcspn(flags, ";"), flags);
	if (p->mode & (THREADS_SAMPLES | THREADS_STACKS) && t->samples.n && !t->chains.n)
		notes_remark(say, "the samples in '%s' have no call chains, so functions are unknown (nsys profile "
			     "--backtrace=fp)", t->path);
	if (p->mode & (THREADS_SAMPLES | THREADS_STACKS))
		threads_say_broken(t, say);
	arena_free(&texts);
}

static bool threads_add_rows(answer_ctx *a, const void *params)
{
	const threads_params *p = params;
	trace *t = a->t;
	threads_ctx x = { .a = a };

	if (p->mode == THREADS_SUMS) {
		x.around = around_of(t, AROUND_RANGES);
		x.first = mem_new(size_t, t->nthreads + 1);
		x.calls = trace_group_calls(t, x.first);
	}
	if (p->mode == THREADS_STACKS)
		x.stack = threads_make_stacks(t);
	if (a->all->n)
		threads_say_missing(t, p, a->say);
	while (answer_next_window(a)) {
		x.thread = trace_find_threads(t, a->w->proc, &x.end);
		if (p->mode == THREADS_OS)
			threads_add_os_rows(&x);
		else if (p->mode == THREADS_SAMPLES)
			threads_add_sample_rows(&x);
		else if (p->mode == THREADS_STACKS)
			threads_add_stack_rows(&x);
		else
			threads_add_thread_rows(&x);
	}
	mem_free(x.calls, x.first, x.stack);
	return true;
}

const answer threads_answer = {
	.all = all_columns, .columns = threads_list_columns, .question = threads_make_question, .rows = threads_add_rows
};
