/* nsq-mem - what moves, how fast? */
#include "cli/errors.h"
#include "base/group.h"
#include "relate/ranges_around.h"
#include "cli/run.h"
#include "base/stats.h"
#include "trace/load_work.h"

#include <math.h>
#include <string.h>

enum { SUMS = 1, EACH = 2 };
enum { BY_KIND = 1, BY_SRC = 2, BY_DST = 4, BY_PID = 8, BY_GPU = 16, BY_STREAM = 32, BY_NVTX = 64 };

static const char *by = "kind,src,dst";
static bool adopt;
static unsigned keys;   /* BY_... */

static const opt options[] = {
	{ "by", 0, "K,...", "rows by kind, src, dst, pid, gpu, stream, nvtx (default: kind,src,dst)",
	  OPT_TEXT, &by, 0, SUMS },
	{ "each", 0, NULL, "one row per copy or set", OPT_MODE, NULL, EACH, 0 },
	OPT_ADOPT(&adopt, 0),
	{ 0 }
};

static const table_col all[] = {
	{ "dur_ns", 'i', "ns", "time in the window" },
	{ "count", 'i', NULL, "copies or sets in the window" },
	{ "bytes", 'i', "bytes", "what they move, whole" },
	{ "total_ns", 'i', "ns", "time in the window" },
	{ "p50_ns", 'i', "ns", "median" },
	{ "max_ns", 'i', "ns", "longest" },
	{ "gbps", 'd', "GB/s", "bytes over whole times" },
	{ "kind", 't', NULL, "h2d d2h d2d h2h p2p, um_... unified memory, memset" },
	{ "src", 't', NULL, "memory it reads: pageable pinned device array managed" },
	{ "dst", 't', NULL, "memory it writes" },
	{ "nvtx", 't', NULL, "innermost range around its launch (folded in sums)" },
	{ 0 }
};

static void columns(table *t)
{
	static const char *const known[] = { "kind", "src", "dst", "pid", "gpu", "stream", "nvtx", NULL };

	keys = group_by(by, known);
	if (adopt && opt_mode == SUMS && !(keys & BY_NVTX))
		die(EXIT_WRONG, "'--adopt' has no effect without '--by nvtx' or '--each'; leave it out");
	if (opt_mode == EACH) {
		table_columns(t, all, "gpu ctx stream launch_ns dur_ns bytes gbps kind src dst nvtx");
	} else {
		table_columns(t, all, mem_printf("%s count bytes total_ns p50_ns max_ns gbps %s %s %s %s",
			      keys & BY_STREAM ? "gpu ctx stream" : keys & BY_GPU ? "gpu" : "",
			      keys & BY_KIND ? "kind" : "", keys & BY_SRC ? "src" : "", keys & BY_DST ? "dst" : "",
			      keys & BY_NVTX ? "nvtx" : ""));
		table_sort(t, "total_ns", true);
	}
}

static const opt_tool tool = {
	.name = "nsq-mem",
	.question = "What moves between memories, how much and how fast?",
	.examples = { "nsq-mem run.sqlite", "nsq-mem --each run.sqlite | grep pageable" },
	.options = options,
	.all = all,
	.columns = columns,
};

static void rate(table *out, int64_t bytes, int64_t ns)
{
	table_num(out, ns ? (double)bytes / (double)ns : NAN);   /* bytes per ns are GB per s */
}

/* A set has no source. */
static const char *source_of(const trace_work *w, size_t i)
{
	return w->kind[i] == WORK_SET ? NULL : work_mem_kind(w->src_kind[i]);
}

/* Those of kind src dst that are wanted. */
static void ends(session *s, size_t i, unsigned wanted)
{
	const trace_work *w = &s->t->work;

	if (wanted & BY_KIND)
		table_text(&s->out, work_copy_kind(w->copy_kind[i], (enum work_kind)w->kind[i]));
	if (wanted & BY_SRC)
		table_text(&s->out, source_of(w, i));
	if (wanted & BY_DST)
		table_text(&s->out, work_mem_kind(w->dst_kind[i]));
}

static const char *range_of(const session *s, const nest *n, size_t i)
{
	uint32_t r = nest_of(n, i).range;

	return r == NONE ? NULL : str_at(&s->t->names, s->t->pushpop.name[r]);
}

static void each_row(session *s, const nest *n, size_t i)
{
	const trace_work *w = &s->t->work;
	const trace_stream *st = &s->t->streams[w->stream[i]];
	ival part = window_clip(&s->w->gpu, w->start[i], w->end[i]);

	session_row_at(s, st->proc, part.a, part.b);
	session_stream(s, st);
	table_int(&s->out, w->launch[i] == NONE ? TABLE_MISSING : s->t->calls.start[w->launch[i]]);
	table_int(&s->out, ival_within(&s->w->gpu, w->start[i], w->end[i]));
	table_int(&s->out, w->bytes[i]);
	rate(&s->out, w->bytes[i], w->end[i] - w->start[i]);
	ends(s, i, BY_KIND | BY_SRC | BY_DST);
	table_text(&s->out, range_of(s, n, i));
	session_row_end(s);
}

typedef struct {
	int64_t bytes, whole_ns;
	size_t one;             /* any of the group */
} sum;

static void print(session *s, const group *g, const sum *sums, const stats_sum *times)
{
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
		table_int(&s->out, sums[i].bytes);
		table_int(&s->out, times[i].total);
		table_int(&s->out, times[i].p50);
		table_int(&s->out, times[i].max);
		rate(&s->out, sums[i].bytes, sums[i].whole_ns);
		ends(s, sums[i].one, keys);
		if (keys & BY_NVTX)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[4]));
		session_row_end(s);
	}
}

static uint32_t text_id(session *s, const char *text)
{
	return text ? str_id(&s->t->names, text, strlen(text)) : STR_NONE;
}

static void moves(session *s, const nest *n)
{
	const trace *t = s->t;
	const trace_work *w = &t->work;
	group g = { .width = 6 };
	vec(sum) sums = { 0 };
	stats st = { 0 };
	stats_sum *times;

	for (size_t l = 0; l < t->nlanes; l++) {
		size_t lo, hi;
		if (!window_lane(s->w, &t->lanes[l]))
			continue;
		window_work(t, &t->lanes[l], &s->w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			if (w->kind[i] < WORK_COPY || !window_has(&s->w->gpu, w->start[i], w->end[i]))
				continue;
			if (opt_mode == EACH) {
				each_row(s, n, i);
				continue;
			}
			const char *range = keys & BY_NVTX ? range_of(s, n, i) : NULL;
			size_t k = group_of(&g, (int64_t[]){
				keys & (BY_PID | BY_STREAM) ? t->lanes[l].proc : s->w->proc,
				keys & BY_STREAM ? w->stream[i] : keys & BY_GPU ? t->lanes[l].gpu : 0,
				keys & BY_KIND ? w->name[i] : 0,
				keys & BY_SRC ? text_id(s, source_of(w, i)) : 0,
				range ? str_fold(&s->t->names, text_id(s, range)) : STR_NONE,
				keys & BY_DST ? text_id(s, work_mem_kind(w->dst_kind[i])) : 0 });
			if (k == sums.n)
				vec_push(&sums, (sum){ .one = i });
			sums.v[k].bytes = ns_add(sums.v[k].bytes, w->bytes[i]);
			sums.v[k].whole_ns = ns_add(sums.v[k].whole_ns, w->end[i] - w->start[i]);
			stats_add(&st, k, ival_within(&s->w->gpu, w->start[i], w->end[i]));
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

	s.need = TRACE_COPIES | TRACE_BYTES | (opt_mode == EACH || keys & BY_NVTX ? TRACE_LAUNCH | TRACE_RANGES : 0);
	s.must = SESSION_CUDA;
	s.def = WINDOW_TRACE;
	s.empty = "nothing was copied or set in the windows";
	while (session_trace(&s)) {
		nest *n = s.need & TRACE_LAUNCH ? nest_build(s.t, adopt ? NEST_ADOPT : NEST_WORK) : NULL;
		while (session_window(&s))
			moves(&s, n);
		if (n)
			nest_free(n);
	}
	return session_end(&s);
}
