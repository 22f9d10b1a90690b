/* nsq-kernels - which kernels take the time? */
#include "cli/errors.h"
#include "base/group.h"
#include "relate/ranges_around.h"
#include "base/pattern.h"
#include "cli/run.h"
#include "base/stats.h"

#include <string.h>

enum { SUMS = 1, EACH = 2 };
enum { BY_NAME = 1, BY_GPU = 2, BY_STREAM = 4, BY_PID = 8, BY_CATEGORY = 16, BY_NVTX = 32 };

static const char *by, *categories, *comm, *which = "kernels";
static bool full, adopt;
static unsigned keys = BY_NAME;

static const opt options[] = {
	{ "by", 0, "K,...", "rows by name, gpu, stream, pid, category, nvtx (default: name)", OPT_TEXT, &by, 0, SUMS },
	{ "categories", 0, "RULES", "rules from kernel name to category (default: llm, built in); implies --by category",
	  OPT_TEXT, &categories, 0, SUMS },
	{ "each", 0, NULL, "one row per kernel", OPT_MODE, NULL, EACH, 0 },
	{ "full", 0, NULL, "demangled names, with their template arguments", OPT_FLAG, &full, 0, 0 },
	{ "work", 0, "W", "kernels (and whole graphs), or all: copies and sets too (default: kernels)",
	  OPT_TEXT, &which, 0, 0 },
	OPT_COMM(&comm),
	OPT_ADOPT(&adopt, 0),
	{ 0 }
};

static const table_col all[] = {
	{ "dur_ns", 'i', "ns", "time in the window" },
	{ "count", 'i', NULL, "kernels in the window" },
	{ "total_ns", 'i', "ns", "time of them" },
	{ "pct", 'd', "%", "of the time of all rows of the window" },
	{ "elapsed_ns", 'i', "ns", "time no earlier work of its process and GPU covers; adds up to the busy time of each" },
	{ "mean_ns", 'i', "ns", "mean" },
	{ "p50_ns", 'i', "ns", "median" },
	{ "p90_ns", 'i', "ns", "90th percentile" },
	{ "p99_ns", 'i', "ns", "99th percentile" },
	{ "min_ns", 'i', "ns", "shortest" },
	{ "max_ns", 'i', "ns", "longest" },
	{ "class", 't', NULL, "compute comm graph (a whole one) copy" },
	{ "category", 't', NULL, "label by the rules" },
	{ "nvtx", 't', NULL, "innermost range around the launch (folded in sums)" },
	{ "name", 't', NULL, "kernel" },
	{ 0 }
};

static void columns(table *t)
{
	static const char *const known[] = { "name", "gpu", "stream", "pid", "category", "nvtx", NULL };

	if (by)
		keys = group_by(by, known);
	if (categories)
		keys = by ? keys | BY_CATEGORY : BY_CATEGORY;
	if (strcmp(which, "kernels") != 0 && strcmp(which, "all") != 0)
		die(EXIT_WRONG, "'--work' takes kernels or all, not '%s'", which);
	if (adopt && opt_mode == SUMS && !(keys & BY_NVTX))
		die(EXIT_WRONG, "'--adopt' has no effect without '--by nvtx' or '--each'; leave it out");
	if (full && opt_mode == SUMS && !(keys & BY_NAME))
		die(EXIT_WRONG, "'--full' has no effect without '--by name' or '--each'; leave it out");
	if (opt_mode == EACH) {
		table_columns(t, all, "gpu ctx stream launch_ns dur_ns class nvtx name");
	} else {
		table_columns(t, all, mem_printf("%s count total_ns pct elapsed_ns mean_ns p50_ns p90_ns p99_ns min_ns "
			      "max_ns %s %s %s %s", keys & BY_STREAM ? "gpu ctx stream" : keys & BY_GPU ? "gpu" : "",
			      keys & BY_NAME ? "class" : "", keys & BY_CATEGORY ? "category" : "",
			      keys & BY_NVTX ? "nvtx" : "", keys & BY_NAME ? "name" : ""));
		table_sort(t, "total_ns", true);
	}
}

static const opt_tool tool = {
	.name = "nsq-kernels",
	.question = "Which kernels take the time?",
	.examples = { "nsq-kernels -n 10 run.sqlite", "nsq-window run.sqlite | nsq-kernels --by category" },
	.options = options,
	.all = all,
	.columns = columns,
};

typedef struct {
	nest *nest;             /* where ranges are asked for */
	const rules *rules;     /* where categories are */
	uint32_t *category;     /* by string: of the full name; STR_NONE - 1: not asked yet */
	size_t nnames;
} loaded;

static loaded load(trace *t, const rules *r)
{
	loaded l = { .rules = r, .nnames = t->names.n };

	if (opt_mode == EACH || keys & BY_NVTX)
		l.nest = nest_build(t, adopt ? NEST_ADOPT : NEST_WORK);
	if (r) {
		l.category = mem_new(uint32_t, l.nnames);
		memset(l.category, 0xff, l.nnames * sizeof *l.category);
		for (size_t i = 0; i < l.nnames; i++)
			l.category[i]--;
	}
	return l;
}

static uint32_t category_of(const loaded *l, trace *t, size_t i)
{
	uint32_t name = t->work.full[i];

	if (l->category[name] == STR_NONE - 1) {
		const char *label = rules_label(l->rules, t->names.text[name]);
		l->category[name] = label ? str_id(&t->names, label, strlen(label)) : STR_NONE;
	}
	return l->category[name];
}

static uint32_t range_name(const loaded *l, const trace *t, size_t i)
{
	uint32_t r = nest_of(l->nest, i).range;

	return r == NONE ? STR_NONE : t->pushpop.name[r];
}

static const char *class_of(const trace *t, size_t i)
{
	return t->work.kind[i] >= WORK_COPY ? "copy" : t->work.kind[i] == WORK_GRAPH ? "graph" :
		trace_is_comm(t, i) ? "comm" : "compute";
}

static uint32_t name_of(const trace *t, size_t i)
{
	return full ? t->work.full[i] : t->work.name[i];
}

static void each_row(session *s, const loaded *l, size_t i)
{
	const trace *t = s->t;
	const trace_stream *st = &t->streams[t->work.stream[i]];
	ival part = window_clip(&s->w->gpu, t->work.start[i], t->work.end[i]);

	session_row_at(s, st->proc, part.a, part.b);
	session_stream(s, st);
	table_int(&s->out, t->work.launch[i] == NONE ? TABLE_MISSING : t->calls.start[t->work.launch[i]]);
	table_int(&s->out, ival_within(&s->w->gpu, t->work.start[i], t->work.end[i]));
	table_text(&s->out, class_of(t, i));
	table_text(&s->out, str_at(&t->names, range_name(l, t, i)));
	table_text(&s->out, str_at(&t->names, name_of(t, i)));
	session_row_end(s);
}

typedef struct {
	int64_t elapsed;
	size_t one;             /* any of the group */
} sum;

static void print(session *s, const group *g, const sum *sums, const stats_sum *times)
{
	int64_t total = 0;

	for (size_t i = 0; i < g->n; i++)
		total = ns_add(total, times[i].total);
	for (size_t i = 0; i < g->n; i++) {
		const int64_t *key = &g->key[i * g->width];
		const trace_stream *st = &s->t->streams[s->t->work.stream[sums[i].one]];
		session_row_of(s, (uint32_t)key[0]);
		if (keys & (BY_GPU | BY_STREAM))
			table_int(&s->out, st->gpu);
		if (keys & BY_STREAM) {
			table_int(&s->out, st->ctx);
			table_int(&s->out, st->stream);
		}
		table_int(&s->out, times[i].count);
		table_int(&s->out, times[i].total);
		table_pct(&s->out, times[i].total, total);
		table_int(&s->out, sums[i].elapsed);
		table_int(&s->out, times[i].mean);
		table_int(&s->out, times[i].p50);
		table_int(&s->out, times[i].p90);
		table_int(&s->out, times[i].p99);
		table_int(&s->out, times[i].min);
		table_int(&s->out, times[i].max);
		if (keys & BY_NAME)
			table_text(&s->out, class_of(s->t, sums[i].one));
		if (keys & BY_CATEGORY)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[2]));
		if (keys & BY_NVTX)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[3]));
		if (keys & BY_NAME)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[4]));
		session_row_end(s);
	}
}

static size_t group_of_work(session *s, const loaded *l, group *g, const trace_lane *lane, size_t i)
{
	trace *t = s->t;

	return group_of(g, (int64_t[]){
		keys & (BY_PID | BY_STREAM) ? lane->proc : s->w->proc,
		keys & BY_STREAM ? t->work.stream[i] : keys & BY_GPU ? lane->gpu : 0,
		keys & BY_CATEGORY ? category_of(l, t, i) : 0,
		keys & BY_NVTX ? str_fold(&t->names, range_name(l, t, i)) : 0,
		keys & BY_NAME ? name_of(t, i) : 0,
		keys & BY_NAME ? t->work.kind[i] * 2 + trace_is_comm(t, i) : 0 });
}

static void kernels(session *s, const loaded *l)
{
	const trace *t = s->t;
	bool copies = strcmp(which, "all") == 0;
	group g = { .width = 6 };
	vec(sum) sums = { 0 };
	stats st = { 0 };
	stats_sum *times;

	for (size_t n = 0; n < t->nlanes; n++) {
		int64_t covered = INT64_MIN;    /* up to here by work begun earlier */
		size_t lo, hi;
		if (!window_lane(s->w, &t->lanes[n]))
			continue;
		window_work(t, &t->lanes[n], &s->w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			int64_t start = t->work.start[i], end = t->work.end[i], from;
			if (t->work.kind[i] >= WORK_COPY && !copies)
				continue;
			from = start > covered ? start : covered;
			covered = end > covered ? end : covered;
			if (!window_has(&s->w->gpu, start, end))
				continue;
			if (opt_mode == EACH) {
				each_row(s, l, i);
				continue;
			}
			size_t k = group_of_work(s, l, &g, &t->lanes[n], i);
			if (k == sums.n)
				vec_push(&sums, (sum){ .one = i });
			sums.v[k].elapsed = ns_add(sums.v[k].elapsed, ival_within(&s->w->gpu, from, end));
			stats_add(&st, k, ival_within(&s->w->gpu, start, end));
		}
	}
	times = stats_finish(&st, g.n, s->t->db->threads);
	print(s, &g, sums.v, times);
	free(times);
	group_free(&g);
	vec_free(&sums);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);
	const rules *r = keys & BY_CATEGORY ? rules_load(categories ? categories : "llm") : NULL;

	s.need = TRACE_KERNELS | (strcmp(which, "all") == 0 ? TRACE_COPIES : 0) | (full || r ? TRACE_FULL : 0) |
		(opt_mode == EACH || keys & BY_NVTX ? TRACE_LAUNCH | TRACE_RANGES : 0);
	s.must = SESSION_CUDA;
	s.def = WINDOW_TRACE;
	s.comm = pattern_compile("--comm", comm);
	s.empty = "no kernel runs in the windows";
	while (session_trace(&s)) {
		loaded l = load(s.t, r);
		while (session_window(&s))
			kernels(&s, &l);
		if (l.nest)
			nest_free(l.nest);
		free(l.category);
	}
	return session_end(&s);
}
