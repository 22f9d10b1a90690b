#include "answer/answers.h"
#include "base/group.h"
#include "base/name_match.h"
#include "launch/range_tree.h"
#include "timeline/overlap_index.h"

#include <string.h>

/* With at least MANY_WINDOWS windows and more than MANY_LABELS labels (nvtx_ctx), each window numbers its own
 * labels. */
enum { MANY_WINDOWS = 64, MANY_LABELS = 64 };

#define COLUMNS(X) \
	X(TID, "tid", 'i', NULL, "thread that opened the range") \
	X(DEPTH, "depth", 'i', NULL, "number of ranges around the range") \
	X(COUNT, "count", 'i', NULL, "ranges in the window") \
	X(CPU_NS, "cpu_ns", 'i', "ns", "total time for which the ranges were open on the CPU") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time for which the range was open in the window") \
	X(MEAN_NS, "mean_ns", 'i', "ns", "mean time for which a range was open") \
	X(P50_NS, "p50_ns", 'i', "ns", "median of the same") \
	X(P90_NS, "p90_ns", 'i', "ns", "90th percentile of the same") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time for which a range was open") \
	X(KERNELS, "kernels", 'i', NULL, "kernels and whole graphs whose innermost range this is") \
	X(GPU_NS, "gpu_ns", 'i', "ns", "time of these kernels and graphs; all rows add up to the time of all " \
	  "kernels and graphs") \
	X(GPU_INCL_NS, "gpu_incl_ns", 'i', "ns", "time of the kernels and graphs launched anywhere inside the " \
	  "range, each counted once") \
	X(GPU_PCT, "gpu_pct", 'd', "%", "gpu_incl_ns as a share of all kernel and graph time in the window") \
	X(DOMAIN, "domain", 't', NULL, "NVTX domain; - for the default one") \
	X(PHASE, "phase", 't', NULL, "label by the rules of --phases; - if none matches") \
	X(NAME, "name", 't', NULL, "name of the range; - for work in no range") \
	X(PATH, "path", 't', NULL, "names from the outermost range, joined by ' > '")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void nvtx_list_columns(const void *params, table *out)
{
	const nvtx_params *p = params;
	bool phases = p->mode == NVTX_PHASES;

	if (p->mode == NVTX_EACH) {
		table_columns(out, all_columns, TID, DEPTH, DUR_NS, KERNELS, GPU_NS, GPU_INCL_NS, DOMAIN, NAME);
	} else if (p->mode == NVTX_TREE) {
		table_columns(out, all_columns, DEPTH, COUNT, CPU_NS, MEAN_NS, P50_NS, P90_NS, MAX_NS, KERNELS,
			      GPU_NS, GPU_INCL_NS, GPU_PCT, DOMAIN, NAME, PATH);
		out->given_order = true;
	} else {
		table_columns(out, all_columns, COUNT, CPU_NS, MEAN_NS, P50_NS, P90_NS, MAX_NS, KERNELS,
			      GPU_NS, GPU_INCL_NS, phases ? PHASE : DOMAIN, phases ? 0 : NAME);
		table_sort(out, GPU_NS, true);
		table_sort(out, CPU_NS, true);
	}
}

static question nvtx_make_question(const void *params)
{
	const nvtx_params *p = params;

	return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES, .must = MUST_NVTX,
		.scope = WINDOW_TRACE, .match = p->match,
		.warn_lost = true, .replayed = REPLAYED_KERNELS, .captured = p->captured, .empty = "no range is "
			"open" };
}

typedef struct {                /* the labels (nvtx_ctx) that occur in the current window, numbered from 0 */
	uint32_t *number;       /* by label: its number; NONE: the window does not have it.  NULL: windows do not number
				 * their labels */
	uint32_t *label;        /* by push/pop range in the window: the number of its label */
	uint32_t *se_label;     /* by start/end range in the window: the number of its label */
	uint32_t *work;         /* by work in the window: the number of its node; NULL: without range_tree.of_work */
	vec(uint32_t) met;      /* by number: the label; in a tree, parents before children */
	uint32_t launch;        /* the launch of the last work whose ranges were numbered */
} nvtx_numbers;

/* State while the rows of a trace are made.  The label of a range is its pair of domain and name, its phase, or its
 * node in the tree. */
typedef struct {
	answer_ctx *a;
	const nvtx_params *p;
	name_match matches;
	const around *around;
	labels *phases;         /* for NVTX_PHASES */
	label_time by;          /* the labels as the functions of label_time.h take them */
	range_time *time;       /* the GPU times of single push/pop ranges (launch/label_time.h); NULL for NVTX_TREE */
	range_tree tree;        /* for NVTX_TREE */
	group keys;             /* the labels, unless they are nodes.  Keys: domain, name, is it a start/end range; for
				 * phases: phase, 0, 0 */
	uint32_t *label, *se_label, *of_rule;   /* as in label_time */
	nvtx_numbers own;          /* the labels of the window */
	uint32_t *depth;        /* by push/pop range: its depth, for NVTX_EACH */
	int64_t total;          /* the GPU time in all windows, ns */
	int64_t unranged;       /* the part of it in no range, ns */
	arena texts;
} nvtx_ctx;

static bool nvtx_is_too_deep(const nvtx_ctx *x, int64_t depth)
{
	return x->p->levels && depth >= x->p->levels;
}

/* The label of a domain and name; NONE: the name does not match -m. */
static uint32_t nvtx_label_of(nvtx_ctx *x, uint32_t domain, uint32_t name, bool startend)
{
	return !name_match_of(&x->matches, name) ? NONE : (uint32_t)group_of(&x->keys,
		(int64_t[]){ domain, x->p->exact ? name : str_fold(&x->a->t->names, name), startend });
}

/* An array with an element for each range: its label, or NONE.  Ranges share few names, so each name is looked up once.
 * The caller frees the array. */
static uint32_t *nvtx_label_ranges(nvtx_ctx *x, const trace_ranges *r, bool startend)
{
	const trace *t = x->a->t;
	uint32_t *by_range = mem_grow(NULL, r->n, sizeof *by_range);
	dict met = { 0 };               /* the pairs of domain and name */
	vec(uint32_t) label = { 0 };    /* by pair: its label */

	for (size_t i = 0; i < r->n; i++) {
		uint32_t domain = t->domains[ranges_domain(r, i)].name;
		uint32_t k = dict_key(&met, (int64_t)((uint64_t)domain << 32 | r->name[i]));
		if (k == label.n)
			vec_push(&label, nvtx_label_of(x, domain, r->name[i], startend));
		by_range[i] = label.v[k];
	}
	vec_free(&label);
	dict_free(&met);
	return by_range;
}

/* Find the phase of each push/pop range.  Start/end ranges have none. */
static void nvtx_label_phases(nvtx_ctx *x)
{
	const trace *t = x->a->t;
	const trace_ranges *r = &t->pushpop;

	x->label = mem_new(uint32_t, r->n);
	x->se_label = mem_none(uint32_t, t->startend.n);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t phase = labels_of_name(x->phases, r->name[i]);
		x->label[i] = phase == STR_NONE ? NONE : (uint32_t)group_of(&x->keys, (int64_t[]){ phase, 0, 0 });
	}
	x->of_rule = mem_new(uint32_t, t->names.n);
	for (size_t i = 0; i < x->keys.n; i++)
		if ((uint32_t)x->keys.key[3 * i] != STR_NONE)
			x->of_rule[x->keys.key[3 * i]] = (uint32_t)i;
}

/* Prepare the numbering of labels by window, if there are many windows and many labels. n: the number of all labels.  A
 * window then takes time for its own labels alone. */
static void nvtx_begin_numbering(nvtx_ctx *x, size_t n)
{
	const trace *t = x->a->t;

	if (x->a->all->n < MANY_WINDOWS || n <= MANY_LABELS)
		return;
	x->own = (nvtx_numbers){ .number = mem_none(uint32_t, n),
		.label = mem_grow(NULL, t->pushpop.n, sizeof *x->own.label),
		.se_label = mem_grow(NULL, t->startend.n, sizeof *x->own.se_label),
		.work = x->tree.of_work ? mem_grow(NULL, t->work.n, sizeof *x->own.work) : NULL };
}

static void nvtx_load_labels(nvtx_ctx *x)
{
	trace *t = x->a->t;
	bool phases = x->p->mode == NVTX_PHASES;
	uint32_t none;

	x->around = around_of(t, around_flags(x->p->adopt, x->p->captured));
	x->keys = (group){ .width = 3 };
	if (x->p->mode == NVTX_TREE) {
		x->tree = range_tree_build(x->around, !x->p->exact);
		x->by.none = x->tree.none;
		x->label = x->tree.of_range;
		x->se_label = x->tree.of_startend;
		nvtx_begin_numbering(x, x->tree.n);
		return;
	}
	x->time = range_time_open(x->around);
	if (x->p->mode == NVTX_EACH) {
		x->depth = around_depths(x->around);
		return;
	}
	none = (uint32_t)group_of(&x->keys, (int64_t[]){ STR_NONE, phases ? 0 : STR_NONE, 0 });
	if (phases) {
		x->phases = labels_build(x->around, x->p->phases);
		nvtx_label_phases(x);
	} else {
		x->label = nvtx_label_ranges(x, &t->pushpop, false);
		x->se_label = nvtx_label_ranges(x, &t->startend, true);
	}
	x->by = (label_time){ .a = x->around, .rules_of = x->phases, .label = x->label, .se_label = x->se_label,
		.nlabels = x->keys.n, .none = x->p->match ? NONE : none, .outermost = phases, .of_rule = x->of_rule };
	if (!phases)
		nvtx_begin_numbering(x, x->keys.n);
}

static void nvtx_free_labels(nvtx_ctx *x)
{
	if (x->p->mode == NVTX_TREE) {
		range_tree_free(&x->tree);
		x->label = x->se_label = NULL;
	} else {
		range_time_close(x->time);
	}
	if (x->phases)
		labels_free(x->phases);
	name_match_free(&x->matches);
	group_free(&x->keys);
	mem_free(x->label, x->se_label, x->of_rule, x->depth, x->own.number, x->own.label, x->own.se_label,
		 x->own.work, x->own.met.v);
	arena_free(&x->texts);
}

/* Add to the totals that nvtx_say_unattributed needs. */
static void nvtx_add_totals(nvtx_ctx *x, int64_t total, int64_t unranged)
{
	x->total = ns_add(x->total, total);
	x->unranged = ns_add(x->unranged, unranged);
}

/* Set the columns about the times of label i: its CPU times and, if `on_gpu` is true, its GPU times.  Start/end
 * ranges have no GPU times. incl: gpu_incl_ns. */
static void nvtx_set_measures(table *out, const label_sums *u, size_t i, bool on_gpu, int64_t incl)
{
	table_stats(out, (table_stats_ids){ COUNT, CPU_NS, MEAN_NS, P50_NS, P90_NS, .max = MAX_NS }, &u->cpu[i]);
	if (on_gpu) {
		table_int(out, KERNELS, u->kernels[i]);
		table_int(out, GPU_NS, u->self[i]);
		table_int(out, GPU_INCL_NS, incl);
	}
}

/* The number of a label in the window.  A new label gets the next number, after its ancestors in the tree.  NONE has
 * the number NONE. */
static uint32_t nvtx_number_of(nvtx_ctx *x, uint32_t label)
{
	nvtx_numbers *n = &x->own;
	size_t first = n->met.n;

	for (uint32_t l = label; l != NONE && n->number[l] == NONE; l = x->tree.n ? x->tree.node[l].parent : NONE)
		vec_push(&n->met, l);
	for (size_t i = first, k = n->met.n; i < k--; i++) {
		uint32_t above = n->met.v[k];
		n->met.v[k] = n->met.v[i];
		n->met.v[i] = above;
	}
	for (size_t i = first; i < n->met.n; i++)
		n->number[n->met.v[i]] = (uint32_t)i;
	return label == NONE ? NONE : n->number[label];
}

static void nvtx_number_range(void *ctx, size_t i)
{
	nvtx_ctx *x = ctx;

	x->own.label[i] = nvtx_number_of(x, x->label[i]);
}

/* Number the labels of the ranges around a piece of work. */
static void nvtx_number_work(void *ctx, size_t work, int64_t ns UNNEEDED)
{
	nvtx_ctx *x = ctx;
	uint32_t launch = x->a->t->work.launch[work];

	if (x->own.work)
		x->own.work[work] = nvtx_number_of(x, x->tree.of_work[work]);
	if (!x->around->captured && launch == x->own.launch)
		return;
	x->own.launch = launch;
	for (around_walk w = around_work(x->around, work); w.range != NONE; around_next(x->around, &w)) {
		nvtx_number_range(x, w.range);
		if (x->tree.n)          /* in the tree, work belongs to the innermost range alone */
			return;
	}
}

/* Number the labels that occur in the window.  Returns x->by with these numbers as labels. */
static label_time nvtx_number_labels(nvtx_ctx *x)
{
	const window *w = x->a->w;
	nvtx_numbers *n = &x->own;
	label_time by = x->by;
	overlap_hits in = { 0 };

	n->launch = NONE;
	around_each(x->around, w->proc, window_hull(&w->cpu), nvtx_number_range, x);
	overlap_index_find(overlap_index_of_startend(x->a->t), window_hull(&w->cpu), &in);
	for (size_t i = 0; i < in.n; i++)
		n->se_label[in.v[i]] = nvtx_number_of(x, x->se_label[in.v[i]]);
	vec_free(&in);
	range_time_each(x->around, w, nvtx_number_work, x);
	by.none = nvtx_number_of(x, by.none);
	by.label = n->label;
	by.se_label = n->se_label;
	by.nlabels = n->met.n;
	return by;
}

/* Undo nvtx_number_labels, for the next window. */
static void nvtx_forget_numbers(nvtx_numbers *n)
{
	for (size_t i = 0; i < n->met.n; i++)
		n->number[n->met.v[i]] = NONE;
	n->met.n = 0;
}

/* Add a row for each domain and name, or for each phase. */
static void nvtx_add_sum_rows(nvtx_ctx *x)
{
	const trace *t = x->a->t;
	table *out = x->a->out;
	bool numbered = x->own.number && label_time_is_sparse(&x->by, x->a->w, x->time);
	label_time by = numbered ? nvtx_number_labels(x) : x->by;
	label_sums sums = { 0 };
	int64_t *incl;
	bool phases = x->p->mode == NVTX_PHASES;

	label_time_ranges(&by, x->a->w, &sums);
	label_time_around(&by, x->a->w, x->time, &sums);
	nvtx_add_totals(x, sums.total_ns, sums.unranged_ns);
	incl = sums.incl;
	if (by.none != NONE)          /* work in no range has a row; unnamed ranges share it */
		incl[by.none] = ns_add(incl[by.none], phases ? sums.self[by.none] : sums.unranged_ns);
	for (size_t i = 0; i < by.nlabels; i++) {
		const int64_t *key = &x->keys.key[3 * (numbered ? x->own.met.v[i] : i)];
		if (!sums.cpu[i].count && !sums.kernels[i] && !incl[i])
			continue;
		answer_add_row(x->a);
		nvtx_set_measures(out, &sums, i, !key[2] && t->has_cuda, incl[i]);
		table_set_name(out, phases ? PHASE : DOMAIN, (uint32_t)key[0]);
		table_set_name(out, NAME, phases ? STR_NONE : (uint32_t)key[1]);
	}
	label_sums_free(&sums);
	nvtx_forget_numbers(&x->own);
}

static void nvtx_add_range_row(nvtx_ctx *x, const trace_ranges *r, size_t i, bool startend)
{
	const trace *t = x->a->t;
	const window *w = x->a->w;
	const trace_thread *th = &t->threads[ranges_thread(r, i)];
	table *out = x->a->out;
	int64_t depth = startend ? 0 : x->depth[i];
	ival part;

	if ((w->proc != NONE && th->proc != w->proc) || !window_has(w, &w->cpu, r->start[i], r->end[i]) ||
	    !name_match_of(&x->matches, r->name[i]))
		return;
	part = window_clip(&w->cpu, r->start[i], r->end[i]);
	if (nvtx_is_too_deep(x, depth))
		return;
	answer_add_row_at(x->a, th->proc, part.a, part.b);
	table_int(out, TID, th->tid);
	table_int(out, DEPTH, depth);
	table_int(out, DUR_NS, ival_within(&w->cpu, r->start[i], r->end[i]));
	if (!startend && t->has_cuda) {
		table_int(out, KERNELS, x->time->kernels[i]);
		table_int(out, GPU_NS, x->time->self[i]);
		table_int(out, GPU_INCL_NS, x->time->incl[i]);
	}
	table_set_name(out, DOMAIN, t->domains[ranges_domain(r, i)].name);
	table_set_name(out, NAME, r->name[i]);
}

static void nvtx_add_pushpop_row(void *ctx, size_t i)
{
	nvtx_ctx *x = ctx;

	nvtx_add_range_row(x, &x->a->t->pushpop, i, false);
}

static void nvtx_add_range_rows(nvtx_ctx *x)
{
	overlap_hits in = { 0 };

	range_time_sum_window(x->time, x->a->w);
	around_each(x->around, x->a->w->proc, window_hull(&x->a->w->cpu), nvtx_add_pushpop_row, x);
	overlap_index_find(overlap_index_of_startend(x->a->t), window_hull(&x->a->w->cpu), &in);
	for (size_t i = 0; i < in.n; i++)
		nvtx_add_range_row(x, &x->a->t->startend, in.v[i], true);
	vec_free(&in);
	nvtx_add_totals(x, x->time->total_ns, x->time->none_ns);
}

/* Build the part of the tree that occurs in the window.  The caller frees `node`; x->own owns the other arrays. */
static range_tree nvtx_build_tree(nvtx_ctx *x)
{
	label_time by = nvtx_number_labels(x);
	range_tree part = { .node = mem_new(range_node, by.nlabels), .n = by.nlabels, .none = by.none,
		.of_range = x->own.label, .of_startend = x->own.se_label, .of_work = x->own.work };

	for (size_t i = 0; i < part.n; i++) {
		part.node[i] = x->tree.node[x->own.met.v[i]];
		if (part.node[i].parent != NONE)
			part.node[i].parent = x->own.number[part.node[i].parent];
	}
	return part;
}

/* Add the row of a node. i: the number of the node in the sums. incl: gpu_incl_ns. */
static void nvtx_add_tree_row(nvtx_ctx *x, const label_sums *u, uint32_t i, int64_t incl)
{
	uint32_t node = x->own.number ? x->own.met.v[i] : i;
	const range_node *n = &x->tree.node[node];
	table *out = x->a->out;

	answer_add_row(x->a);
	table_int(out, DEPTH, n->depth);
	nvtx_set_measures(out, u, i, !n->startend && x->a->t->has_cuda, incl);
	table_pct(out, GPU_PCT, incl, n->startend ? 0 : u->total_ns);
	table_set_name(out, DOMAIN, n->domain);
	table_set_name(out, NAME, n->name);
	table_text(out, PATH, node == x->tree.none ? NULL : range_tree_path(&x->tree, x->a->t, node, &x->texts));
}

static void nvtx_add_tree_rows(nvtx_ctx *x)
{
	range_tree tr = x->own.number ? nvtx_build_tree(x) : x->tree;
	tree_time time = tree_time_of(&tr, x->around, x->a->w);
	uint32_t *order = mem_new(uint32_t, tr.n);

	nvtx_add_totals(x, time.own.total_ns, time.own.unranged_ns);
	range_tree_order(&tr, x->a->t, time.incl, time.cpu, order);
	for (size_t k = 0; k < tr.n; k++)
		if (time.shown[order[k]] && !nvtx_is_too_deep(x, tr.node[order[k]].depth))
			nvtx_add_tree_row(x, &time.own, order[k], time.incl[order[k]]);
	free(order);
	tree_time_free(&time);
	if (x->own.number)
		free(tr.node);
	nvtx_forget_numbers(&x->own);
}

/* How long the kernels and graphs whose launch is not in the trace run in the windows, ns. */
static int64_t nvtx_measure_unlaunched(const nvtx_ctx *x)
{
	trace *t = x->a->t;
	int64_t sum = 0;

	for (size_t i = 0; i < x->a->all->n; i++) {
		const window *w = &x->a->all->v[i];
		window_walk k = { 0 };
		while (window_next(t, w, &k))
			if (t->work.kind[k.work] <= WORK_GRAPH && t->work.launch[k.work] == NONE)
				sum = ns_add(sum, ival_within(&w->gpu, t->work.start[k.work],
							      t->work.end[k.work]));
	}
	return sum;
}

/* Mention GPU time in no range, if it is much.  The advice to add ranges is right only if the trace has the calls that
 * launched this work. */
static void nvtx_say_unattributed(const nvtx_ctx *x)
{
	double ranged_pct = x->total ? 100.0 * (double)(x->total - x->unranged) / (double)x->total : 100.0;
	int64_t unlaunched = ranged_pct < (double)x->p->warn_below ? nvtx_measure_unlaunched(x) : 0;

	if (unlaunched > x->unranged / 2)
		notes_warn(x->a->say, "%.2f %% of the GPU time in '%s' is in no range: its launch calls were not "
			   "captured", 100.0 * (double)unlaunched / (double)x->total, x->a->t->path);
	else if (ranged_pct < (double)x->p->warn_below)
		notes_remark(x->a->say, "only %.2f %% of the GPU time in '%s' was launched inside a range; annotate "
			     "more%s", ranged_pct, x->a->t->path, x->p->adopt ? "" : ", or try --adopt");
}

/* If no range matches a rule, say so.  Otherwise mention the labels of the user's own rules that no range has, each
 * once.  Labels with \1 are left out, because such a label stands for several texts. */
static void nvtx_say_unused_labels(nvtx_ctx *x)
{
	const char *label, *unmet = "";

	if (x->keys.n == 1)             /* only the label of work in no phase */
		notes_answer(x->a->say, "no range in '%s' matches a rule of %s; nsq-window --list shows the names",
			     x->a->t->path, rules_source(x->p->phases));
	for (size_t i = 0; x->keys.n > 1 && (label = rules_own_label(x->p->phases, i)); i++) {
		size_t k = 1;           /* 0 is the label of work in no phase */
		while (k < x->keys.n && strcmp(str_at(&x->a->t->names, (uint32_t)x->keys.key[3 * k]), label) != 0)
			k++;
		label = arena_printf(&x->texts, "'%s'", label);
		if (k == x->keys.n && !strchr(label, '\\') && !strstr(unmet, label))
			unmet = arena_printf(&x->texts, "%s%s%s", unmet, *unmet ? ", " : "", label);
	}
	if (*unmet)
		notes_remark(x->a->say, "no range in '%s' matches a rule of %s for %s", x->a->t->path,
			     rules_source(x->p->phases), unmet);
}

static bool nvtx_add_rows(answer_ctx *a, const void *params)
{
	const nvtx_params *p = params;
	nvtx_ctx x = { .a = a, .p = p, .matches = { .re = p->match, .names = &a->t->names } };

	nvtx_load_labels(&x);
	if (p->mode == NVTX_PHASES)
		nvtx_say_unused_labels(&x);
	while (answer_next_window(a))
		if (p->mode == NVTX_EACH)
			nvtx_add_range_rows(&x);
		else if (p->mode == NVTX_TREE)
			nvtx_add_tree_rows(&x);
		else
			nvtx_add_sum_rows(&x);
	nvtx_say_unattributed(&x);
	nvtx_free_labels(&x);
	return true;
}

const answer nvtx_answer = {
	.all = all_columns, .columns = nvtx_list_columns, .question = nvtx_make_question, .rows = nvtx_add_rows
};
