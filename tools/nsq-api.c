/* nsq-api - what does the CPU spend on CUDA calls? */
#include "trace/call_class.h"
#include "cli/errors.h"
#include "base/group.h"
#include "cli/run.h"
#include "base/stats.h"

#include <string.h>

enum { SUMS = 1, EACH = 2, LAUNCH = 4 };
enum { BY_NAME = 1, BY_CLASS = 2, BY_THREAD = 4, BY_PID = 8 };

static const char *by = "name", *class_name;
static unsigned keys;                   /* BY_... */
static enum call_class only = CALL_OTHER + 1;

static const opt options[] = {
	{ "by", 0, "K,...", "rows by name, class, thread, pid (default: name)", OPT_TEXT, &by, 0, SUMS },
	{ "class", 0, "C", "calls of one class: launch sync memory graph event stream module other",
	  OPT_TEXT, &class_name, 0, SUMS | EACH },
	{ "each", 0, NULL, "one row per call", OPT_MODE, NULL, EACH, 0 },
	{ "launch", 0, NULL, "one row per process: rate, call and queue times of launches", OPT_MODE, NULL, LAUNCH, 0 },
	{ 0 }
};

static const table_col all[] = {
	{ "tid", 'i', NULL, "thread that calls" },
	{ "count", 'i', NULL, "calls in the window" },
	{ "total_ns", 'i', "ns", "time in them" },
	{ "pct", 'd', "%", "of the time of all rows of the window" },
	{ "dur_ns", 'i', "ns", "time of the call in the window" },
	{ "mean_ns", 'i', "ns", "mean call" },
	{ "p50_ns", 'i', "ns", "median call" },
	{ "p90_ns", 'i', "ns", "90th percentile" },
	{ "min_ns", 'i', "ns", "shortest call" },
	{ "max_ns", 'i', "ns", "longest call" },
	{ "launches", 'i', NULL, "calls of class launch in the window" },
	{ "launches_per_s", 'd', "1/s", "of them, a second" },
	{ "api_p50_ns", 'i', "ns", "median time of such a call" },
	{ "api_p90_ns", 'i', "ns", "90th percentile" },
	{ "queue_p50_ns", 'i', "ns", "median of its first kernel's start minus its end" },
	{ "queue_p90_ns", 'i', "ns", "90th percentile" },
	{ "kernel_p50_ns", 'i', "ns", "median kernel launched by them" },
	{ "small_pct", 'd', "%", "of these kernels, shorter than 10us" },
	{ "class", 't', NULL, "launch sync memory graph event stream module other" },
	{ "thread", 't', NULL, "name of the thread" },
	{ "name", 't', NULL, "function, without its version suffix" },
	{ 0 }
};

static void columns(table *t)
{
	static const char *const known[] = { "name", "class", "thread", "pid", NULL };

	keys = group_by(by, known);
	if (class_name && (only = call_class_named(class_name)) > CALL_OTHER)
		die(EXIT_WRONG, "'--class' does not know '%s'; it takes launch, sync, memory, graph, event, "
		    "stream, module, other", class_name);
	if (opt_mode == EACH) {
		table_columns(t, all, "tid dur_ns class name");
	} else if (opt_mode == LAUNCH) {
		table_columns(t, all, "launches launches_per_s api_p50_ns api_p90_ns queue_p50_ns queue_p90_ns "
			      "kernel_p50_ns small_pct");
	} else {
		table_columns(t, all, mem_printf("%s count total_ns pct mean_ns p50_ns p90_ns min_ns max_ns %s %s %s",
			      keys & BY_THREAD ? "tid" : "", keys & (BY_NAME | BY_CLASS) ? "class" : "",
			      keys & BY_THREAD ? "thread" : "", keys & BY_NAME ? "name" : ""));
		table_sort(t, "total_ns", true);
	}
}

static const opt_tool tool = {
	.name = "nsq-api",
	.question = "What does the CPU spend on CUDA calls, and is the GPU fed by a storm of launches?",
	.examples = { "nsq-api --class sync --by thread,name run.sqlite",
		"nsq-gaps --each --min 50us run.sqlite | nsq-api --merge" },
	.options = options,
	.all = all,
	.columns = columns,
	.no_gpu = true,
};

/* By string: the name of a call without its suffix. */
static uint32_t *base_names(trace *t)
{
	size_t n = t->names.n;
	uint32_t *base = mem_new(uint32_t, n);
	bool *called = mem_new(bool, n);

	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.name[i] != STR_NONE)
			called[t->calls.name[i]] = true;
	for (size_t i = 0; i < n; i++)
		if (called[i])
			base[i] = str_id(&t->names, t->names.text[i], call_base_length(t->names.text[i]));
	free(called);
	return base;
}

static uint32_t base_of(const uint32_t *base, uint32_t name)
{
	return name == STR_NONE ? STR_NONE : base[name];
}

/* Is the call one that the window asks about? */
static bool wanted(const session *s, size_t i)
{
	const trace_calls *c = &s->t->calls;

	if (s->w->proc != NONE && s->t->threads[c->thread[i]].proc != s->w->proc)
		return false;
	if (only <= CALL_OTHER && c->class[i] != only)
		return false;
	return window_has(&s->w->cpu, c->start[i], c->end[i]);
}

static void each_row(session *s, const uint32_t *base, size_t i)
{
	const trace_calls *c = &s->t->calls;
	const trace_thread *th = &s->t->threads[c->thread[i]];
	ival part = window_clip(&s->w->cpu, c->start[i], c->end[i]);

	session_row_at(s, th->proc, part.a, part.b);
	table_int(&s->out, th->tid);
	table_int(&s->out, ival_within(&s->w->cpu, c->start[i], c->end[i]));
	table_text(&s->out, call_class_name((enum call_class)c->class[i]));
	table_text(&s->out, str_at(&s->t->names, base_of(base, c->name[i])));
	session_row_end(s);
}

/* By process, as the rows are ordered: calls of several come mixed in time. */
static void each(session *s, const uint32_t *base)
{
	const trace *t = s->t;
	size_t lo, hi, *next = mem_new(size_t, t->nprocs + 1);
	uint32_t *order;

	window_calls(t, &s->w->cpu, &lo, &hi);
	order = mem_grow(NULL, hi - lo, sizeof *order);
	for (size_t i = lo; i < hi; i++)
		next[t->threads[t->calls.thread[i]].proc + 1]++;
	for (size_t p = 0; p < t->nprocs; p++)
		next[p + 1] += next[p];
	for (size_t i = lo; i < hi; i++)
		order[next[t->threads[t->calls.thread[i]].proc]++] = (uint32_t)i;
	for (size_t i = 0; i < hi - lo; i++)
		if (wanted(s, order[i]))
			each_row(s, base, order[i]);
	free(order);
	free(next);
}

static void sums(session *s, const uint32_t *base)
{
	const trace_calls *c = &s->t->calls;
	group g = { .width = 4 };
	stats st = { 0 };
	stats_sum *sum;
	int64_t total = 0;
	size_t lo, hi;

	window_calls(s->t, &s->w->cpu, &lo, &hi);
	stats_reserve(&st, hi - lo);
	for (size_t i = lo; i < hi; i++) {
		if (!wanted(s, i))
			continue;
		int64_t dur = ival_within(&s->w->cpu, c->start[i], c->end[i]);
		stats_add(&st, group_of(&g, (int64_t[]){
			keys & BY_NAME ? base_of(base, c->name[i]) : 0,
			keys & (BY_NAME | BY_CLASS) ? c->class[i] : 0,
			keys & BY_THREAD ? c->thread[i] : 0,
			keys & (BY_PID | BY_THREAD) ? s->t->threads[c->thread[i]].proc : s->w->proc }), dur);
		total = ns_add(total, dur);
	}
	sum = stats_finish(&st, g.n, s->t->db->threads);
	for (size_t i = 0; i < g.n; i++) {
		const int64_t *key = &g.key[i * g.width];
		session_row_of(s, (uint32_t)key[3]);
		if (keys & BY_THREAD)
			table_int(&s->out, s->t->threads[key[2]].tid);
		table_int(&s->out, sum[i].count);
		table_int(&s->out, sum[i].total);
		table_pct(&s->out, sum[i].total, total);
		table_int(&s->out, sum[i].mean);
		table_int(&s->out, sum[i].p50);
		table_int(&s->out, sum[i].p90);
		table_int(&s->out, sum[i].min);
		table_int(&s->out, sum[i].max);
		if (keys & (BY_NAME | BY_CLASS))
			table_text(&s->out, call_class_name((enum call_class)key[1]));
		if (keys & BY_THREAD)
			table_text(&s->out, str_at(&s->t->names, s->t->threads[key[2]].name));
		if (keys & BY_NAME)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[0]));
		session_row_end(s);
	}
	free(sum);
	group_free(&g);
}

/* The kernels and graphs of each call: of[first[c]] to of[first[c + 1]], in order of start. */
typedef struct {
	uint32_t *first, *of;
} launched;

static launched launched_by(const trace *t)
{
	launched l = { mem_new(uint32_t, t->calls.n + 2), mem_new(uint32_t, t->work.n) };

	for (size_t i = 0; i < t->work.n; i++)
		if (t->work.launch[i] != NONE)
			l.first[t->work.launch[i] + 2]++;
	for (size_t i = 0; i < t->calls.n; i++)
		l.first[i + 2] += l.first[i + 1];
	for (size_t i = 0; i < t->work.n; i++)
		if (t->work.launch[i] != NONE)
			l.of[l.first[t->work.launch[i] + 1]++] = (uint32_t)i;
	return l;
}

typedef struct {                /* of one process */
	stats call, queue, kernel;
	int64_t small;
} launch_stats;

static void add_launch(session *s, const launched *l, launch_stats *to, size_t call)
{
	const trace *t = s->t;
	int64_t first = INT64_MAX;

	stats_add(&to->call, 0, ival_within(&s->w->cpu, t->calls.start[call], t->calls.end[call]));
	for (uint32_t k = l->first[call]; k < l->first[call + 1]; k++) {
		uint32_t i = l->of[k];
		int64_t dur = t->work.end[i] - t->work.start[i];
		first = t->work.start[i] < first ? t->work.start[i] : first;
		if (t->work.kind[i] == WORK_KERNEL) {
			stats_add(&to->kernel, 0, dur);
			to->small += dur < 10000;
		}
	}
	if (first != INT64_MAX)
		stats_add(&to->queue, 0, first - t->calls.end[call]);
}

static void launch_row(session *s, uint32_t proc, launch_stats *u)
{
	int threads = s->t->db->threads;
	stats_sum *call = stats_finish(&u->call, 1, threads), *queue = stats_finish(&u->queue, 1, threads);
	stats_sum *kernel = stats_finish(&u->kernel, 1, threads);

	if (call->count) {
		session_row_of(s, proc);
		table_int(&s->out, call->count);
		table_num(&s->out, (double)call->count / ((double)ival_length(&s->w->cpu) / 1e9));
		table_int(&s->out, call->p50);
		table_int(&s->out, call->p90);
		table_int(&s->out, queue->p50);
		table_int(&s->out, queue->p90);
		table_int(&s->out, kernel->p50);
		table_pct(&s->out, u->small, kernel->count);
		session_row_end(s);
	}
	free(call);
	free(queue);
	free(kernel);
}

static void launches(session *s, const launched *l)
{
	const trace *t = s->t;
	launch_stats *of = mem_new(launch_stats, t->nprocs);
	size_t lo, hi;

	window_calls(t, &s->w->cpu, &lo, &hi);
	only = CALL_LAUNCH;
	for (size_t i = lo; i < hi; i++)
		if (wanted(s, i))
			add_launch(s, l, &of[t->threads[t->calls.thread[i]].proc], i);
	for (uint32_t p = 0; p < t->nprocs; p++)
		launch_row(s, p, &of[p]);
	free(of);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);

	s.need = TRACE_CALLS | TRACE_CALL_TIMES | TRACE_CALL_NAMES |
		(keys & BY_THREAD ? TRACE_RANGES : 0) | (opt_mode == LAUNCH ? TRACE_KERNELS | TRACE_LAUNCH : 0);
	s.must = SESSION_CUDA;
	s.def = WINDOW_TRACE;
	s.cpu_side = true;
	s.empty = "no such call in the windows";
	while (session_trace(&s)) {
		uint32_t *base = base_names(s.t);
		launched l = opt_mode == LAUNCH ? launched_by(s.t) : (launched){ 0 };
		while (session_window(&s))
			if (opt_mode == EACH)
				each(&s, base);
			else if (opt_mode == LAUNCH)
				launches(&s, &l);
			else
				sums(&s, base);
		free(l.first);
		free(l.of);
		free(base);
	}
	return session_end(&s);
}
