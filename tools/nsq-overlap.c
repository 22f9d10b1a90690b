/* nsq-overlap - is communication hidden behind compute? */
#include "base/group.h"
#include "relate/ranges_around.h"
#include "base/pattern.h"
#include "cli/run.h"

#include <math.h>

enum { SUMS = 1, EACH = 2, TOTAL = 4 };
enum { BY_STAGE = 1, BY_STREAM = 2, BY_NAME = 4 };

static const char *by = "stage", *stage_rules = "stages", *comm;
static bool adopt;
static unsigned keys;      /* BY_... */

static const opt options[] = {
	{ "by", 0, "K,...", "rows by stage, stream, name (default: stage)", OPT_TEXT, &by, 0, SUMS },
	{ "each", 0, NULL, "one row per communication kernel", OPT_MODE, NULL, EACH, 0 },
	{ "total", 0, NULL, "one row per process and GPU: unions of all work", OPT_MODE, NULL, TOTAL, 0 },
	{ "rules", 0, "RULES", "stage rules: a file of REGEX<TAB>LABEL (default: built in)",
	  OPT_TEXT, &stage_rules, 0, SUMS | EACH },
	OPT_COMM(&comm),
	OPT_ADOPT(&adopt, SUMS | EACH),
	{ 0 }
};

static const table_col all[] = {
	{ "kernels", 'i', NULL, "communication kernels in the window" },
	{ "dur_ns", 'i', "ns", "time of the kernel in the window" },
	{ "compute_ns", 'i', "ns", "compute runs (union)" },
	{ "comm_ns", 'i', "ns", "communication (sum; union with --total)" },
	{ "copy_ns", 'i', "ns", "copies or sets run (union)" },
	{ "hidden_ns", 'i', "ns", "of it, beside compute of the same process and GPU" },
	{ "exposed_ns", 'i', "ns", "of it, beside none" },
	{ "both_ns", 'i', "ns", "compute and communication at once" },
	{ "compute_only_ns", 'i', "ns", "compute without communication" },
	{ "comm_only_ns", 'i', "ns", "communication without compute" },
	{ "copy_only_ns", 'i', "ns", "copies or sets beside neither" },
	{ "idle_ns", 'i', "ns", "nothing runs" },
	{ "overlap_pct", 'd', "%", "hidden share of the communication" },
	{ "min_pct", 'd', "%", "the same of the least hidden kernel" },
	{ "max_pct", 'd', "%", "the same of the most hidden kernel" },
	{ "stage", 't', NULL, "label by the rules, else folded range; serial: on a compute stream" },
	{ "name", 't', NULL, "kernel" },
	{ 0 }
};

static void columns(table *t)
{
	static const char *const known[] = { "stage", "stream", "name", NULL };

	keys = group_by(by, known);
	if (opt_mode == EACH) {
		table_columns(t, all, "gpu ctx stream dur_ns hidden_ns exposed_ns overlap_pct stage name");
	} else if (opt_mode == TOTAL) {
		table_columns(t, all, "gpu compute_ns comm_ns copy_ns both_ns compute_only_ns comm_only_ns "
			      "copy_only_ns idle_ns overlap_pct");
	} else {
		table_columns(t, all, mem_printf("gpu %s kernels comm_ns hidden_ns exposed_ns overlap_pct min_pct "
			      "max_pct %s %s", keys & BY_STREAM ? "ctx stream" : "",
			      keys & BY_STAGE ? "stage" : "", keys & BY_NAME ? "name" : ""));
		table_sort(t, "gpu", false);
		table_sort(t, "exposed_ns", true);
	}
}

static const opt_tool tool = {
	.name = "nsq-overlap",
	.question = "Is communication hidden behind compute, and which stage of which rank exposes it?",
	.examples = { "nsq-window run.sqlite | nsq-overlap", "nsq-overlap -w 230ms..280ms --by stream run.sqlite" },
	.options = options,
	.all = all,
	.columns = columns,
	.no_inside = TOTAL,
};

typedef struct {
	nest *nest;
	ival_set *compute;      /* by lane: when some compute runs */
	uint32_t serial;        /* the label */
} loaded;

typedef struct {
	int64_t kernels, comm, hidden;
	double min, max;
} sum;

static loaded load(session *s, const rules *r)
{
	loaded l = { .serial = str_id(&s->t->names, "serial", 6) };

	l.compute = mem_new(ival_set, s->t->nlanes);
	for (size_t i = 0; i < s->t->nlanes; i++) {
		const trace_lane *lane = &s->t->lanes[i];
		for (size_t k = lane->first; k < lane->first + lane->n; k++)
			if (trace_is_compute(s->t, k))
				ival_add(&l.compute[i], s->t->work.start[k], s->t->work.end[k]);
	}
	if (opt_mode != TOTAL) {
		l.nest = nest_build(s->t, adopt ? NEST_ADOPT : NEST_WORK);
		nest_use_rules(l.nest, r);
	}
	return l;
}

static void unload(loaded *l, const trace *t)
{
	for (size_t i = 0; i < t->nlanes; i++)
		ival_free(&l->compute[i]);
	free(l->compute);
	if (l->nest)
		nest_free(l->nest);
}

static uint32_t stage_of(const loaded *l, const trace *t, size_t work)
{
	return t->streams[t->work.stream[work]].class == 'c' ? l->serial : nest_label(l->nest, work);
}

static void each_row(session *s, const loaded *l, size_t work, int64_t dur, int64_t hidden)
{
	const trace_stream *st = &s->t->streams[s->t->work.stream[work]];
	ival part = window_clip(&s->w->gpu, s->t->work.start[work], s->t->work.end[work]);

	session_row_at(s, st->proc, part.a, part.b);
	session_stream(s, st);
	table_int(&s->out, dur);
	table_int(&s->out, hidden);
	table_int(&s->out, dur - hidden);
	table_pct(&s->out, hidden, dur);
	table_text(&s->out, str_at(&s->t->names, stage_of(l, s->t, work)));
	table_text(&s->out, str_at(&s->t->names, s->t->work.name[work]));
	session_row_end(s);
}

static void sum_rows(session *s, const group *g, const sum *sums)
{
	for (size_t i = 0; i < g->n; i++) {
		const int64_t *key = &g->key[i * g->width];
		session_row(s);
		table_int(&s->out, key[0]);
		if (keys & BY_STREAM) {
			table_int(&s->out, s->t->streams[key[1]].ctx);
			table_int(&s->out, s->t->streams[key[1]].stream);
		}
		table_int(&s->out, sums[i].kernels);
		table_int(&s->out, sums[i].comm);
		table_int(&s->out, sums[i].hidden);
		table_int(&s->out, sums[i].comm - sums[i].hidden);
		table_pct(&s->out, sums[i].hidden, sums[i].comm);
		table_num(&s->out, sums[i].min);
		table_num(&s->out, sums[i].max);
		if (keys & BY_STAGE)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[2]));
		if (keys & BY_NAME)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[3]));
		session_row_end(s);
	}
}

static void add(sum *to, int64_t dur, int64_t hidden)
{
	to->kernels++;
	to->comm = ns_add(to->comm, dur);
	to->hidden = ns_add(to->hidden, hidden);
	if (dur) {
		to->min = fmin(to->min, 100.0 * (double)hidden / (double)dur);
		to->max = fmax(to->max, 100.0 * (double)hidden / (double)dur);
	}
}

/* Each communication kernel in the window, against the compute of its lane. */
static void overlap(session *s, const loaded *l)
{
	const trace *t = s->t;
	group g = { .width = 4 };
	vec(sum) sums = { 0 };

	for (size_t n = 0; n < t->nlanes; n++) {
		size_t lo, hi;
		if (!window_lane(s->w, &t->lanes[n]))
			continue;
		window_work(t, &t->lanes[n], &s->w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++) {
			int64_t start = t->work.start[i], end = t->work.end[i], dur, hidden;
			if (!trace_is_comm(t, i) || !window_has(&s->w->gpu, start, end))
				continue;
			dur = ival_within(&s->w->gpu, start, end);
			hidden = ival_within_both(&l->compute[n], &s->w->gpu, start, end);
			if (opt_mode == EACH) {
				each_row(s, l, i, dur, hidden);
				continue;
			}
			size_t k = group_of(&g, (int64_t[]){ t->lanes[n].gpu,
				keys & BY_STREAM ? t->work.stream[i] : 0,
				keys & BY_STAGE ? stage_of(l, t, i) : 0,
				keys & BY_NAME ? t->work.name[i] : 0 });
			if (k == sums.n)
				vec_push(&sums, (sum){ .min = NAN, .max = NAN });
			add(&sums.v[k], dur, hidden);
		}
	}
	sum_rows(s, &g, sums.v);
	group_free(&g);
	vec_free(&sums);
}

/* When each kind of work runs on a lane, within the window. */
static void unions(const session *s, const trace_lane *lane, ival_set *compute, ival_set *comms, ival_set *copies)
{
	const trace *t = s->t;
	ival_set raw[3] = { 0 };
	ival_set *to[] = { compute, comms, copies };
	size_t lo, hi;

	window_work(t, lane, &s->w->gpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (window_has(&s->w->gpu, t->work.start[i], t->work.end[i]))
			ival_add(&raw[trace_is_compute(t, i) ? 0 : trace_is_comm(t, i) ? 1 : 2],
				 t->work.start[i], t->work.end[i]);
	for (int k = 0; k < 3; k++) {
		*to[k] = ival_and(&raw[k], &s->w->gpu);
		ival_free(&raw[k]);
	}
}

static void total(session *s)
{
	for (size_t n = 0; n < s->t->nlanes; n++) {
		ival_set compute, comms, copies, either, both, any;
		int64_t run[3], shared, busy;
		if (!window_lane(s->w, &s->t->lanes[n]))
			continue;
		unions(s, &s->t->lanes[n], &compute, &comms, &copies);
		either = ival_or(&compute, &comms);
		both = ival_and(&compute, &comms);
		any = ival_or(&either, &copies);
		run[0] = ival_length(&compute);
		run[1] = ival_length(&comms);
		run[2] = ival_length(&copies);
		shared = ival_length(&both);
		busy = ival_length(&any);
		session_row(s);
		table_int(&s->out, s->t->lanes[n].gpu);
		for (int k = 0; k < 3; k++)
			table_int(&s->out, run[k]);
		table_int(&s->out, shared);
		table_int(&s->out, run[0] - shared);
		table_int(&s->out, run[1] - shared);
		table_int(&s->out, busy - ival_length(&either));
		table_int(&s->out, ival_length(&s->w->gpu) - busy);
		table_pct(&s->out, shared, run[1]);
		session_row_end(s);
		ival_free(&compute);
		ival_free(&comms);
		ival_free(&copies);
		ival_free(&either);
		ival_free(&both);
		ival_free(&any);
	}
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);
	const rules *r = opt_mode == TOTAL ? NULL : rules_load(stage_rules);

	s.need = TRACE_WORK | (opt_mode == TOTAL ? TRACE_CALL_COUNTS | TRACE_RANGE_COUNTS :
		TRACE_COMM_LAUNCH | TRACE_RANGES);
	s.must = SESSION_CUDA;
	s.comm = pattern_compile("--comm", comm);
	s.warn_lost = s.mention_graphs = true;
	s.empty = opt_mode == TOTAL ? "no GPU work of the processes asked about" :
		"no communication kernel runs in the windows (--comm REGEX names those that NCCL did not make)";
	while (session_trace(&s)) {
		loaded l = load(&s, r);
		while (session_window(&s))
			if (opt_mode == TOTAL)
				total(&s);
			else
				overlap(&s, &l);
		unload(&l, s.t);
	}
	return session_end(&s);
}
