/* nsq-gaps - when is the GPU idle, and who is to blame? */
#include "relate/idle_causes.h"
#include "cli/errors.h"
#include "base/group.h"
#include "base/parallel.h"
#include "cli/run.h"

#include <string.h>

enum { SUMS = 1, EACH = 2 };
enum { BY_CAUSE = 1, BY_NVTX = 2, BY_GPU = 4 };

static const char *by, *which = "all";
static int64_t min_ns = 1000;
static unsigned keys;

static const opt options[] = {
	{ "by", 0, "K,...", "idle time by cause, nvtx, or gpu (all processes together)", OPT_TEXT, &by, 0, SUMS },
	{ "each", 0, NULL, "one row per gap, longest first", OPT_MODE, NULL, EACH, 0 },
	{ "min", 0, "TIME", "shortest gap that --each shows (default: 1us)", OPT_TIME, &min_ns, 0, EACH },
	{ "work", 0, "W", "what counts as busy: all, or kernels (with whole graphs) (default: all)",
	  OPT_TEXT, &which, 0, 0 },
	{ 0 }
};

static const table_col all[] = {
	{ "dur_ns", 'i', "ns", "length of the gap in the window" },
	{ "busy_ns", 'i', "ns", "some work runs (union)" },
	{ "idle_ns", 'i', "ns", "none does; with --by, the part of it that is the row's" },
	{ "idle_pct", 'd', "%", "idle of the window" },
	{ "gaps", 'i', NULL, "idle stretches that have a part in it" },
	{ "max_ns", 'i', "ns", "longest of these parts" },
	{ "cause", 't', NULL, "host: the CPU ran other code; launch memory api: it was in such a call; sync: it had waited "
	  "for the GPU; queued: the work was submitted in time; unknown: its launch is not in the trace; edge: no work "
	  "before or after" },
	{ "api", 't', NULL, "the launching thread's call with the most time in the gap" },
	{ "nvtx", 't', NULL, "the launching thread's innermost range that holds most of the gap" },
	{ "prev", 't', NULL, "work that ended where the gap begins" },
	{ "next", 't', NULL, "work that ends it" },
	{ 0 }
};

static void columns(table *t)
{
	static const char *const known[] = { "cause", "nvtx", "gpu", NULL };

	keys = by ? group_by(by, known) : 0;
	if (strcmp(which, "kernels") != 0 && strcmp(which, "all") != 0)
		die(EXIT_WRONG, "'--work' takes all or kernels, not '%s'", which);
	if (keys & BY_GPU && keys != BY_GPU)
		die(EXIT_WRONG, "'--by gpu' puts processes together, so causes and ranges have no one to speak of; "
		    "use it alone");
	if (opt_mode == EACH) {
		table_columns(t, all, "gpu dur_ns cause api nvtx prev next");
		table_sort(t, "dur_ns", true);
		return;
	}
	table_columns(t, all, mem_printf("gpu busy_ns idle_ns idle_pct gaps max_ns %s %s",
		      keys & BY_CAUSE ? "cause" : "", keys & BY_NVTX ? "nvtx" : ""));
	table_sort(t, "gpu", false);
	table_sort(t, "idle_ns", true);
}

static const opt_tool tool = {
	.name = "nsq-gaps",
	.question = "When is the GPU idle, and who is to blame: the launching thread's code, its calls, or the queue?",
	.examples = { "nsq-gaps --by cause run.sqlite", "nsq-gaps --each --min 50us run.sqlite | nsq-api --merge" },
	.options = options,
	.all = all,
	.columns = columns,
	.no_inside = ~0u,
};

enum { MANY_GAPS = 1 << 14 };   /* that are worth a thread */

typedef struct {
	int64_t idle, gaps, max;
} sum;

static void add(sum *to, int64_t ns)
{
	if (!ns)
		return;
	to->idle = ns_add(to->idle, ns);
	to->gaps++;
	to->max = ns > to->max ? ns : to->max;
}

static void merge(sum *to, const sum *more)
{
	to->idle = ns_add(to->idle, more->idle);
	to->gaps += more->gaps;
	to->max = more->max > to->max ? more->max : to->max;
}

static void each_row(session *s, blame *b, const trace_lane *lane, const blame_gap *gap, int64_t dur)
{
	ival part = window_clip(&s->w->gpu, gap->a, gap->b);
	uint32_t prev = blame_prev(b, gap);

	session_row_at(s, lane->proc, part.a, part.b);
	table_int(&s->out, lane->gpu);
	table_int(&s->out, dur);
	table_text(&s->out, blame_cause_name(gap->cause));
	table_text(&s->out, str_at(&s->t->names, blame_api(b, gap)));
	table_text(&s->out, str_at(&s->t->names, blame_range(b, gap)));
	table_text(&s->out, prev == NONE ? NULL : str_at(&s->t->names, s->t->work.name[prev]));
	table_text(&s->out, gap->next == NONE ? NULL : str_at(&s->t->names, s->t->work.name[gap->next]));
	session_row_end(s);
}

static void print(session *s, uint32_t proc, int64_t gpu, int64_t busy, const group *g, const sum *sums)
{
	for (size_t i = 0; i < g->n; i++) {
		session_row_of(s, proc);
		table_int(&s->out, gpu);
		table_int(&s->out, busy);
		table_int(&s->out, sums[i].idle);
		table_pct(&s->out, sums[i].idle, ival_length(&s->w->gpu));
		table_int(&s->out, sums[i].gaps);
		table_int(&s->out, sums[i].max);
		if (keys & BY_CAUSE)
			table_text(&s->out, blame_cause_name((enum blame_cause)g->key[2 * i]));
		if (keys & BY_NVTX)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)g->key[2 * i + 1]));
		session_row_end(s);
	}
}

/* A stretch of a lane's gaps, which one thread judges. */
typedef struct {
	size_t from, to;        /* numbers of gaps */
	int64_t idle;
	group g;                /* cause, name of the range */
	vec(sum) sums;
} stretch;

typedef struct {
	session *s;
	blame *b;
	size_t lane;
	stretch *v;
} lane_job;

static void add_gap(const lane_job *j, stretch *to, blame_gap *gap, int64_t dur)
{
	int64_t part[BLAME_CAUSES];
	uint32_t range = keys & BY_NVTX ? blame_range(j->b, gap) : STR_NONE;

	if (keys & BY_CAUSE)
		blame_judge(j->b, gap, &j->s->w->gpu, part);
	for (int c = 0; c < (keys & BY_CAUSE ? BLAME_CAUSES : 1); c++) {
		int64_t ns = keys & BY_CAUSE ? part[c] : dur;
		if (!ns)
			continue;
		size_t k = group_of(&to->g, (int64_t[]){ keys & BY_CAUSE ? c : 0, range });
		if (k == to->sums.n)
			vec_push(&to->sums, (sum){ 0 });
		add(&to->sums.v[k], ns);
	}
}

/* Every idle stretch that the window touches. */
static void judge(void *ctx, size_t part_of)
{
	lane_job *j = ctx;
	session *s = j->s;
	stretch *to = &j->v[part_of];
	blame_gap gap;

	for (bool more = blame_first(j->b, j->lane, to->from, &gap); more; more = blame_next(j->b, &gap)) {
		int64_t dur = ival_within(&s->w->gpu, gap.a, gap.b), part[BLAME_CAUSES];
		if (gap.at >= to->to || gap.a >= window_hull(&s->w->gpu).b)
			break;
		if (!dur)
			continue;
		to->idle = ns_add(to->idle, dur);
		if (opt_mode == SUMS) {
			add_gap(j, to, &gap, dur);
		} else if (dur >= min_ns) {
			blame_judge(j->b, &gap, &s->w->gpu, part);
			each_row(s, j->b, &s->t->lanes[j->lane], &gap, dur);
		}
	}
}

/* One process on one GPU. */
static void lane_gaps(session *s, blame *b, size_t lane)
{
	const trace_lane *ln = &s->t->lanes[lane];
	size_t from = blame_after(b, lane, window_hull(&s->w->gpu).a);
	size_t to = blame_after(b, lane, window_hull(&s->w->gpu).b) + 1, n = 1;
	int64_t busy = ival_length(&s->w->gpu);
	group g = { .width = 2 };
	vec(sum) sums = { 0 };
	lane_job j = { s, b, lane, NULL };

	if (opt_mode == SUMS && to - from > MANY_GAPS)
		n = (size_t)s->t->db->threads;
	if (!keys) {
		group_of(&g, (int64_t[]){ 0, STR_NONE });
		vec_push(&sums, (sum){ 0 });
	}
	ival_index(&s->w->gpu);         /* which all of them look at */
	j.v = mem_new(stretch, n);
	for (size_t i = 0; i < n; i++)
		j.v[i] = (stretch){ .from = from + (to - from) * i / n, .to = from + (to - from) * (i + 1) / n,
			.g = { .width = 2 } };
	par_do((int)n, n, judge, &j);
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < j.v[i].g.n; m++) {
			uint32_t range = str_fold(&s->t->names, (uint32_t)j.v[i].g.key[2 * m + 1]);
			size_t k = group_of(&g, (int64_t[]){ j.v[i].g.key[2 * m], range });
			if (k == sums.n)
				vec_push(&sums, (sum){ 0 });
			merge(&sums.v[k], &j.v[i].sums.v[m]);
		}
		busy -= j.v[i].idle;
		group_free(&j.v[i].g);
		vec_free(&j.v[i].sums);
	}
	if (opt_mode == SUMS)
		print(s, ln->proc, ln->gpu, busy, &g, sums.v);
	group_free(&g);
	vec_free(&sums);
	free(j.v);
}

/* All processes of the window on each GPU together. */
static void gpu_gaps(session *s, const blame *b)
{
	const trace *t = s->t;
	bool *done = mem_new(bool, t->nlanes);

	for (size_t l = 0; l < t->nlanes; l++) {
		ival_set busy = { 0 }, in;
		sum total = { 0 };
		group g = { .width = 2 };
		int64_t from = window_hull(&s->w->gpu).a;
		if (done[l] || !window_lane(s->w, &t->lanes[l]))
			continue;
		for (size_t k = l; k < t->nlanes; k++)
			if (t->lanes[k].gpu == t->lanes[l].gpu && window_lane(s->w, &t->lanes[k])) {
				ival_set both = ival_or(&busy, blame_busy(b, k));
				ival_free(&busy);
				busy = both;
				done[k] = true;
			}
		for (size_t i = ival_after(&busy, from); i <= busy.n; i++) {
			int64_t to = i < busy.n ? busy.v[i].a : window_hull(&s->w->gpu).b;
			add(&total, ival_within(&s->w->gpu, from, to));
			from = i < busy.n ? busy.v[i].b : to;
		}
		in = ival_and(&busy, &s->w->gpu);
		group_of(&g, (int64_t[]){ 0, 0 });
		print(s, s->w->proc, t->lanes[l].gpu, ival_length(&in), &g, &total);
		group_free(&g);
		ival_free(&busy);
		ival_free(&in);
	}
	free(done);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);

	s.need = TRACE_WORK | (opt_mode == EACH || keys & BY_NVTX ? TRACE_RANGES : TRACE_RANGE_COUNTS) |
		(opt_mode == EACH || keys & (BY_CAUSE | BY_NVTX) ? TRACE_LAUNCH | TRACE_CALLS | TRACE_CALL_TIMES :
		 TRACE_CALL_COUNTS) |
		(opt_mode == EACH ? TRACE_CALL_NAMES : 0);
	s.must = SESSION_CUDA;
	s.def = keys & BY_GPU ? WINDOW_ALL_GPU_WORK : WINDOW_GPU_WORK;
	s.warn_lost = true;
	s.empty = opt_mode == EACH ? "no gap is that long (--min)" : "no GPU work in it";
	while (session_trace(&s)) {
		blame *b = blame_build(s.t, strcmp(which, "kernels") == 0);
		while (session_window(&s)) {
			if (keys & BY_GPU)
				gpu_gaps(&s, b);
			for (size_t l = 0; !(keys & BY_GPU) && l < s.t->nlanes; l++)
				if (window_lane(s.w, &s.t->lanes[l]))
					lane_gaps(&s, b, l);
		}
		blame_free(b);
	}
	return session_end(&s);
}
