#include "answer/answers.h"
#include "base/group.h"
#include "base/pattern.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stats.h"
#include "launch/labels.h"
#include "trace/gpu_cards.h"
#include "trace/load_metrics.h"
#include "trace/nic_metrics.h"

#define COLUMNS(X) \
	X(SAMPLES, "samples", 'i', NULL, "samples in the window; with --by, the sum of their weights. The weight " \
	  "of a sample is the share of its interval in which the row's kernels run") \
	X(WEIGHT, "samples", 'd', NULL, "sum of the weights of the samples") \
	X(OWN_PCT, "own_pct", 'd', "%", "share of these samples' intervals in which the row's kernels run; the " \
	  "rest belongs to other kernels or to none") \
	X(MEAN, "mean", 'd', NULL, "mean value (weighted with --by), in the unit that the metric's name says") \
	X(P50, "p50", 'd', NULL, "median value") \
	X(P90, "p90", 'd', NULL, "90th percentile of the values") \
	X(MAX, "max", 'd', NULL, "largest value") \
	X(VALUE, "value", 'd', NULL, "value, in the unit that the metric's name says, for the time since the " \
	  "sample before (start_ns)") \
	X(STAGE, "stage", 't', NULL, "label from the rules, else the folded name of the range") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch, folded") \
	X(NAME, "name", 't', NULL, "name of the kernel") \
	X(NIC, "nic", 't', NULL, "network adapter") \
	X(PORT, "port", 'i', NULL, "port of the adapter") \
	X(UNIT, "unit", 't', NULL, "unit of the values: bytes/ms") \
	X(METRIC, "metric", 't', NULL, "name of the metric")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

/* Rows keep the order that their metrics have in the trace.  No column shows that order. */
static void metrics_list_columns(const void *params, table *out)
{
	const metrics_params *p = params;

	if (p->mode == METRICS_EACH)
		table_columns(out, all_columns, VALUE, METRIC);
	else if (p->mode == METRICS_NET)
		table_columns(out, all_columns, SAMPLES, MEAN, P50, P90, MAX, NIC, PORT, UNIT, METRIC);
	else if (!p->keys)
		table_columns(out, all_columns, SAMPLES, MEAN, P50, P90, MAX, METRIC);
	else
		table_columns(out, all_columns, WEIGHT, OWN_PCT, MEAN, P50, P90, MAX,
			      p->keys & METRICS_BY_STAGE ? STAGE : 0, p->keys & METRICS_BY_NVTX ? NVTX : 0,
			      p->keys & METRICS_BY_NAME ? NAME : 0, METRIC);
	out->given_order = true;
}

static void metrics_add_names(trace *t, question_names *to)
{
	for (size_t i = 0; i < t->nmetrics; i++)
		if (t->metrics[i].name != STR_NONE &&
		    !question_match(to, str_at(&t->names, t->metrics[i].name), str_at(&t->names, t->metrics[i].name)))
			return;
}

static question metrics_make_question(const void *params)
{
	const metrics_params *p = params;
	bool ranges = p->keys & (METRICS_BY_NVTX | METRICS_BY_STAGE);

	if (p->mode == METRICS_NET)
		return (question){ .must = MUST_NICS, .scope = WINDOW_TRACE,
			.empty = p->match ? "no such metric was sampled" : "nothing was sampled" };
	return (question){
		.need = TRACE_METRICS | (p->keys ? TRACE_WORK : 0) |
			(p->keys && ranges ? TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES : 0),
		.need_if_named = TRACE_WORK,       /* the work says which GPUs belong to a process */
		.must = MUST_METRICS | (p->keys ? MUST_CUDA : 0),
		.scope = WINDOW_TRACE,
		.match = p->match,
		.names = metrics_add_names,
		.named = "metric",
		.warn_lost = p->keys,
		.replayed = ranges ? REPLAYED_KERNELS : 0,
		.captured = p->captured,
		.empty = p->match ? "no such metric was sampled" : p->keys ? "no kernel was sampled" :
			"nothing was sampled",
	};
}

/* ---- weights.  The interval of a sample is the time since the sample before; the first sample has none.  The weight
 * of a sample for some work is the share of its interval in which the work runs. */

typedef struct {
	size_t sample;
	double share;
} sample_weight;

typedef struct {
	sample_weight *v;       /* in order of samples; samples of weight 0 are left out */
	size_t n, room;
	double sum;             /* the sum of the weights */
} sample_weights;

static void metrics_add_weight(sample_weights *to, size_t sample, double share)
{
	if (!to->n || to->v[to->n - 1].sample != sample)
		vec_push(to, (sample_weight){ sample, 0 });
	to->v[to->n - 1].share += share;
	to->sum += share;
}

/* Find the weights, for the work that runs in `runs`, of the samples that were taken in a window. side: the parts of
 * the window. time: when each of the n samples was taken, in rising order.  Replaces what `out` held. */
static void metrics_find_weights(const int64_t *time, size_t n, const ival_set *runs, const ival_set *side,
				 sample_weights *out)
{
	size_t i = 1;

	out->n = 0;
	out->sum = 0;
	for (size_t k = 0; k < runs->n && i < n; k++) {
		ival run = runs->v[k];
		search_first(i, i, n, time[i] > run.a);
		for (; i < n && time[i - 1] < run.b; i++) {
			int64_t from = time[i - 1], to = time[i];
			int64_t part = (run.b < to ? run.b : to) - (run.a > from ? run.a : from);
			if (part > 0 && ival_touches(side, to, to))
				metrics_add_weight(out, i, (double)part / (double)(to - from));
			if (to > run.b)
				break;          /* the next run may begin in the same interval */
		}
	}
}

typedef struct {                /* a GPU of the current window */
	int64_t card;           /* its id in nsys */
	int64_t gpu;            /* the number that rows show */
	size_t first, end;      /* its metrics: the indices [first,end) of trace.metrics */
} window_gpu;

typedef struct {                /* kernels with the same keys, on one GPU */
	size_t key;             /* the number of these keys in metrics_ctx.kernel_keys */
	vec(ival) kernels;      /* when each of them runs; empty once `runs` is set */
	ival_set runs;          /* when any of them runs in the window */
	sample_weights weights; /* the weights of the samples of the current metric */
} kernel_group;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const metrics_params *p;
	gpu_numbers numbers;
	const around *around;   /* NULL: no column needs ranges */
	labels *labels;         /* NULL: the answer has no stages */
	bool *wanted;           /* by metric: does its name match? */
	size_t rows;            /* the number of rows with own_pct */
	size_t mixed;           /* the number of rows in which own_pct is below 50 */
	vec(window_gpu) gpus;   /* the GPUs of the current window that have metrics */

	group kernel_keys;      /* the different keys of the kernels on one GPU in the current window */
	vec(kernel_group) groups;       /* by number in `kernel_keys` */
} metrics_ctx;

/* ---- the metrics and GPUs of a window */

static void metrics_add_gpu(metrics_ctx *x, int64_t card, int64_t gpu)
{
	const trace *t = x->a->t;
	size_t first, end;

	search_first(first, 0, t->nmetrics, t->metrics[first].card >= card);
	search_first(end, first, t->nmetrics, t->metrics[end].card > card);
	if (end > first)
		vec_push(&x->gpus, (window_gpu){ card, gpu, first, end });
}

/* Find the GPUs of the window.  A window of one process has the GPUs on which that process works, under the process's
 * own numbers. */
static void metrics_find_gpus(metrics_ctx *x)
{
	const trace *t = x->a->t;
	const window *w = x->a->w;

	x->gpus.n = 0;
	for (size_t l = 0; l < t->nlanes && w->proc != NONE; l++)
		if (window_has_lane(w, &t->lanes[l]))
			metrics_add_gpu(x, gpu_numbers_find_card(&x->numbers, t, &t->lanes[l]), t->lanes[l].gpu);
	for (size_t i = 0; i < t->nmetrics && w->proc == NONE; i++)
		if ((!i || t->metrics[i - 1].card != t->metrics[i].card) &&
		    (w->device < 0 || w->device == t->metrics[i].gpu))
			metrics_add_gpu(x, t->metrics[i].card, t->metrics[i].gpu);
}

static double metrics_convert_value(const metrics_ctx *x, const trace_metric *m, double value)
{
	return load_metrics_is_clock(x->a->t, m) ? value / 1e6 : value;
}

static void metrics_begin_row(metrics_ctx *x, const window_gpu *g, const trace_metric *m)
{
	answer_add_row(x->a);
	table_int(x->a->out, COL_GPU, g->gpu);
	table_set_name(x->a->out, METRIC, m->name);
}

/* ---- sums */

static void metrics_find_samples(const trace_metric *m, ival part, size_t *lo, size_t *hi)
{
	search_first(*lo, 0, m->n, m->time[*lo] >= part.a);
	search_first(*hi, *lo, m->n, m->time[*hi] >= part.b);
}

/* The value with this rank, from 0, among the samples whose indices are in `parts`. min and max are the smallest and
 * largest of their values.  The difference of the result from min is found digit by digit: the samples are counted by
 * their first digit, then those with the right first digit are counted by their second, and so on. */
static int64_t metrics_value_at(const trace_metric *m, const ival_set *parts, uint64_t rank, int64_t min, int64_t max)
{
	enum { BITS = 8 };              /* bits of a digit */
	uint64_t from = (uint64_t)min, span = (uint64_t)max - from;

	while (span) {
		int bits = 64 - __builtin_clzll(span), shift = bits > BITS ? bits - BITS : 0;
		uint64_t count[1 << BITS] = { 0 }, digit = 0;
		for (size_t k = 0; k < parts->n; k++)
			for (int64_t i = parts->v[k].a; i < parts->v[k].b; i++) {
				uint64_t above = (uint64_t)m->value[i] - from;
				if (above <= span)
					count[above >> shift]++;
			}
		for (; rank >= count[digit]; digit++)
			rank -= count[digit];
		from += digit << shift;
		span = ((uint64_t)1 << shift) - 1;
	}
	return (int64_t)from;
}

static stats_summary metrics_summarize_metric(const metrics_ctx *x, const trace_metric *m)
{
	const ival_set *side = &x->a->w->gpu;
	ival_set parts = { .v = mem_new(ival, side->n), .n = side->n };
	stats_summary s = { .min = INT64_MAX, .max = INT64_MIN };

	for (size_t k = 0; k < side->n; k++) {
		size_t lo, hi;
		metrics_find_samples(m, side->v[k], &lo, &hi);
		parts.v[k] = (ival){ (int64_t)lo, (int64_t)hi };
		s.count += (int64_t)(hi - lo);
		for (; lo < hi; lo++) {
			int64_t v = m->value[lo];
			s.total = ns_add(s.total, v);
			s.min = v < s.min ? v : s.min;
			s.max = v > s.max ? v : s.max;
		}
	}
	if (s.count) {
		s.p50 = metrics_value_at(m, &parts, stats_rank((size_t)s.count, 50), s.min, s.max);
		s.p90 = metrics_value_at(m, &parts, stats_rank((size_t)s.count, 90), s.min, s.max);
	}
	free(parts.v);
	return s;
}

static void metrics_add_sum_rows(metrics_ctx *x, const window_gpu *g)
{
	table *out = x->a->out;

	for (size_t i = g->first; i < g->end; i++) {
		const trace_metric *m = &x->a->t->metrics[i];
		stats_summary s = x->wanted[i] ? metrics_summarize_metric(x, m) : (stats_summary){ 0 };
		if (!s.count)
			continue;
		metrics_begin_row(x, g, m);
		table_int(out, SAMPLES, s.count);
		table_num(out, MEAN, metrics_convert_value(x, m, (double)s.total / (double)s.count));
		table_num(out, P50, metrics_convert_value(x, m, (double)s.p50));
		table_num(out, P90, metrics_convert_value(x, m, (double)s.p90));
		table_num(out, MAX, metrics_convert_value(x, m, (double)s.max));
	}
}

/* ---- each sample */

typedef struct {
	size_t gpu;             /* the index in metrics_ctx.gpus */
	size_t metric;          /* the index in trace.metrics */
	size_t sample;          /* the index in the metric's samples */
} sample_ref;

typedef struct {
	const trace *t;
	vec(sample_ref) v;
} sample_refs;

static int metrics_compare_samples(uint32_t a, uint32_t b, const void *ctx)
{
	const sample_refs *all = ctx;
	const sample_ref *x = &all->v.v[a], *y = &all->v.v[b];
	int64_t at = all->t->metrics[x->metric].time[x->sample], bt = all->t->metrics[y->metric].time[y->sample];

	return at != bt ? sort_3way(at, bt) : x->gpu != y->gpu ? sort_3way(x->gpu, y->gpu) :
		sort_3way(x->metric, y->metric);
}

/* Add the row of a sample.  It begins at the sample before, because the value is about the time since then. */
static void metrics_add_sample_row(metrics_ctx *x, const sample_ref *o)
{
	const trace_metric *m = &x->a->t->metrics[o->metric];
	int64_t end = m->time[o->sample];
	ival part = window_clip(&x->a->w->gpu, o->sample ? m->time[o->sample - 1] : end, end);

	answer_add_row_at(x->a, x->a->w->proc, part.a, part.b);
	table_int(x->a->out, COL_GPU, x->gpus.v[o->gpu].gpu);
	table_num(x->a->out, VALUE, metrics_convert_value(x, m, (double)m->value[o->sample]));
	table_set_name(x->a->out, METRIC, m->name);
}

static void metrics_add_sample_rows(metrics_ctx *x)
{
	const ival_set *side = &x->a->w->gpu;
	sample_refs all = { .t = x->a->t };
	uint32_t *order;

	for (size_t g = 0; g < x->gpus.n; g++)
		for (size_t i = x->gpus.v[g].first; i < x->gpus.v[g].end; i++)
			for (size_t k = 0; k < side->n && x->wanted[i]; k++) {
				size_t lo, hi;
				metrics_find_samples(&x->a->t->metrics[i], side->v[k], &lo, &hi);
				for (; lo < hi; lo++)
					vec_push(&all.v, (sample_ref){ g, i, lo });
			}
	order = sort_order(all.v.n, metrics_compare_samples, &all);
	for (size_t i = 0; i < all.v.n; i++)
		metrics_add_sample_row(x, &all.v.v[order ? order[i] : i]);
	mem_free(order, all.v.v);
}

/* ---- by the kernels that ran */

enum { KEY_STAGE, KEY_NVTX, KEY_NAME, KEYS };

static void metrics_add_kernel(metrics_ctx *x, size_t work)
{
	trace *t = x->a->t;
	unsigned keys = x->p->keys;
	size_t k = group_of(&x->kernel_keys, (int64_t[]){
		[KEY_STAGE] = keys & METRICS_BY_STAGE ? labels_of_work(x->labels, work) : STR_NONE,
		[KEY_NVTX] = keys & METRICS_BY_NVTX ? str_fold(&t->names, around_name(x->around, work)) : STR_NONE,
		[KEY_NAME] = keys & METRICS_BY_NAME ? work_name(&t->work, work) : STR_NONE });

	if (k == x->groups.n)
		vec_push(&x->groups, (kernel_group){ .key = k });
	vec_push(&x->groups.v[k].kernels, (ival){ t->work.start[work], t->work.end[work] });
}

/* Find the kernels and whole graphs in the window that run on a GPU, of all the window's processes. */
static void metrics_find_kernels(metrics_ctx *x, const window_gpu *g)
{
	const trace *t = x->a->t;
	const window *w = x->a->w;

	for (size_t l = 0; l < t->nlanes; l++) {
		if ((w->proc != NONE && w->proc != t->lanes[l].proc) ||
		    gpu_numbers_find_card(&x->numbers, t, &t->lanes[l]) != g->card)
			continue;
		for (size_t i = 0, end = 0; i < end || window_next_in_lane(t, &t->lanes[l], &w->gpu, &i, &end); i++)
			if (t->work.kind[i] <= WORK_GRAPH &&
			    window_has(w, &w->gpu, t->work.start[i], t->work.end[i]))
				metrics_add_kernel(x, i);
	}
}

static void metrics_find_runs(const metrics_ctx *x, kernel_group *r)
{
	ival_set all = ival_union(r->kernels.v, r->kernels.n);

	r->runs = ival_and(&all, &x->a->w->gpu);
	ival_free(&all);
	vec_free(&r->kernels);
}

static stats_weighted_summary metrics_sum_group(const kernel_group *r, const trace_metric *m)
{
	stats_weighted_value *v = mem_new(stats_weighted_value, r->weights.n);
	stats_weighted_summary sum;

	for (size_t i = 0; i < r->weights.n; i++)
		v[i] = (stats_weighted_value){ m->value[r->weights.v[i].sample], r->weights.v[i].share };
	sum = stats_summarize_weighted(v, r->weights.n);
	free(v);
	return sum;
}

static int metrics_compare_groups(uint32_t a, uint32_t b, const void *ctx)
{
	const metrics_ctx *x = ctx;
	const kernel_group *p = &x->groups.v[a], *q = &x->groups.v[b];
	int c = sort_3way(q->weights.sum, p->weights.sum);

	for (int k = 0; !c && k < KEYS; k++)
		c = str_cmp(&x->a->t->names, (uint32_t)x->kernel_keys.key[p->key * KEYS + (size_t)k],
			    (uint32_t)x->kernel_keys.key[q->key * KEYS + (size_t)k]);
	return c;
}

static void metrics_add_group_row(metrics_ctx *x, const window_gpu *g, const kernel_group *r, const trace_metric *m)
{
	const int64_t *key = &x->kernel_keys.key[r->key * KEYS];
	stats_weighted_summary s = metrics_sum_group(r, m);
	double own = 100 * s.weight / (double)r->weights.n;
	table *out = x->a->out;

	metrics_begin_row(x, g, m);
	table_num(out, WEIGHT, s.weight);
	table_num(out, OWN_PCT, own);
	table_num(out, MEAN, metrics_convert_value(x, m, s.mean));
	table_num(out, P50, metrics_convert_value(x, m, (double)s.p50));
	table_num(out, P90, metrics_convert_value(x, m, (double)s.p90));
	table_num(out, MAX, metrics_convert_value(x, m, (double)s.max));
	table_set_name(out, STAGE, (uint32_t)key[KEY_STAGE]);
	table_set_name(out, NVTX, (uint32_t)key[KEY_NVTX]);
	table_set_name(out, NAME, (uint32_t)key[KEY_NAME]);
	x->rows++;
	x->mixed += own < 50;
}

/* Add a row for each metric and group of kernels.  Metrics that were sampled together share their times and have the
 * same weights. */
static void metrics_add_metric_rows(metrics_ctx *x, const window_gpu *g)
{
	const int64_t *weighed = NULL;
	uint32_t *order = NULL;

	for (size_t i = g->first; i < g->end; i++) {
		const trace_metric *m = &x->a->t->metrics[i];
		if (!x->wanted[i])
			continue;
		if (m->time != weighed) {
			for (kernel_group *r = x->groups.v; r < x->groups.v + x->groups.n; r++)
				metrics_find_weights(m->time, m->n, &r->runs, &x->a->w->gpu, &r->weights);
			free(order);
			order = sort_order(x->groups.n, metrics_compare_groups, x);
			weighed = m->time;
		}
		for (size_t k = 0; k < x->groups.n; k++) {
			const kernel_group *r = &x->groups.v[order ? order[k] : k];
			if (r->weights.n)
				metrics_add_group_row(x, g, r, m);
		}
	}
	free(order);
}

static void metrics_add_kernel_rows(metrics_ctx *x, const window_gpu *g)
{
	x->kernel_keys = (group){ .width = KEYS };
	metrics_find_kernels(x, g);
	for (size_t k = 0; k < x->groups.n; k++)
		metrics_find_runs(x, &x->groups.v[k]);
	metrics_add_metric_rows(x, g);
	for (size_t k = 0; k < x->groups.n; k++) {
		ival_free(&x->groups.v[k].runs);
		vec_free(&x->groups.v[k].weights);
	}
	x->groups.n = 0;
	group_free(&x->kernel_keys);
}

/* ---- network adapters */

/* Add the row of one metric of a port, from its n samples, unless none is in the window.  The weight of a sample is the
 * time for which it holds in the window. room: space for n values. */
static void metrics_add_net_row(answer_ctx *a, const nic_sample *samples, size_t n, stats_weighted_value *room)
{
	table *out = a->out;
	stats_weighted_summary s;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t ns = ival_within(&a->w->gpu, samples[i].start, samples[i].end);
		if (ns > 0)
			room[k++] = (stats_weighted_value){ samples[i].value, (double)ns };
	}
	if (!k)
		return;
	s = stats_summarize_weighted(room, k);
	answer_add_row(a);
	table_int(out, SAMPLES, (int64_t)k);
	table_num(out, MEAN, s.mean);
	table_num(out, P50, (double)s.p50);
	table_num(out, P90, (double)s.p90);
	table_num(out, MAX, (double)s.max);
	table_text(out, NIC, samples->nic);
	table_int(out, PORT, samples->port);
	table_text(out, UNIT, samples->unit);
	table_text(out, METRIC, samples->metric);
}

static bool metrics_add_net_rows(answer_ctx *a, const metrics_params *p)
{
	nic_metrics all = { 0 };
	bool ok = nic_metrics_read(a->t, &all);
	stats_weighted_value *room = mem_new(stats_weighted_value, all.n);

	while (ok && answer_next_window(a))
		for (size_t i = 0, end; i < all.n; i = end) {
			const nic_sample *v = &all.v[i];
			for (end = i + 1; end < all.n && all.v[end].nic == v->nic && all.v[end].port == v->port &&
			     all.v[end].metric == v->metric; end++)
				;
			if (!p->match || (v->metric && pattern_matches(p->match, v->metric)))
				metrics_add_net_row(a, v, end - i, room);
		}
	free(room);
	nic_metrics_free(&all);
	return ok;
}

/* ---- the answer */

static bool *metrics_find_wanted(const trace *t, const pattern *match)
{
	bool *wanted = mem_new(bool, t->nmetrics);

	for (size_t i = 0; i < t->nmetrics; i++) {
		const char *name = str_at(&t->names, t->metrics[i].name);
		wanted[i] = !match || (name && pattern_matches(match, name));
	}
	return wanted;
}

static void metrics_add_window_rows(metrics_ctx *x)
{
	metrics_find_gpus(x);
	if (x->p->mode == METRICS_EACH)
		metrics_add_sample_rows(x);
	for (size_t i = 0; i < x->gpus.n && x->p->mode == METRICS_SUMS; i++)
		if (x->p->keys)
			metrics_add_kernel_rows(x, &x->gpus.v[i]);
		else
			metrics_add_sum_rows(x, &x->gpus.v[i]);
}

static bool metrics_add_rows(answer_ctx *a, const void *params)
{
	const metrics_params *p = params;
	trace *t = a->t;
	metrics_ctx x = { .a = a, .p = p };
	bool ok;

	if (p->mode == METRICS_NET)
		return metrics_add_net_rows(a, p);
	ok = gpu_numbers_read(t, &x.numbers);
	x.wanted = metrics_find_wanted(t, p->match);
	if (p->keys & (METRICS_BY_NVTX | METRICS_BY_STAGE))
		x.around = around_of(t, around_flags(p->adopt, p->captured));
	if (p->keys & METRICS_BY_STAGE)
		x.labels = labels_build(x.around, p->rules);
	while (ok && answer_next_window(a))
		metrics_add_window_rows(&x);
	if (x.mixed)
		notes_warn(a->say, "own_pct is below 50 in %zu of %zu rows of '%s': their values include work beside "
			   "them", x.mixed, x.rows, t->path);
	if (x.labels)
		labels_free(x.labels);
	mem_free(x.wanted, x.gpus.v, x.groups.v, x.numbers.v);
	return ok;
}

const answer metrics_answer = {
	.all = all_columns, .columns = metrics_list_columns, .question = metrics_make_question, .rows = metrics_add_rows
};
