/* nsq-nvtx - where does the time go, by annotation? */
#include "account.h"
#include "err.h"
#include "group.h"
#include "pattern.h"
#include "session.h"
#include "stats.h"
#include "tree.h"

#include <string.h>

enum { SUMS = 1, EACH = 2, TREE = 4, PHASES = 8 };

static const char *match, *phases;
static int64_t warn_below = 70;
static bool exact, adopt;

static const opt options[] = {
	{ "match", 'm', "REGEX", "ranges whose name matches", OPT_TEXT, &match, 0, SUMS | EACH },
	{ "exact", 0, NULL, "keep the digits of names, which are folded to # otherwise", OPT_FLAG, &exact, 0, SUMS | TREE },
	{ "tree", 0, NULL, "the hierarchy, depth first, with its paths", OPT_MODE, NULL, TREE, 0 },
	{ "phases", 0, "RULES", "one row per label that the rules give (REGEX<TAB>LABEL or JSON)", OPT_MODE_TEXT, &phases, PHASES, 0 },
	{ "each", 0, NULL, "one row per range", OPT_MODE, NULL, EACH, 0 },
	{ "adopt", 0, NULL, "the main thread's ranges also hold other threads' work", OPT_FLAG, &adopt, 0, 0 },
	{ "warn-below", 0, "PCT", "warn when less of the GPU time is in ranges (default: 70)", OPT_ID, &warn_below, 0, 0 },
	{ 0 }
};

static const table_col all[] = {
	{ "tid", 'i', NULL, "thread it was opened on" },
	{ "depth", 'i', NULL, "ranges around it" },
	{ "count", 'i', NULL, "ranges in the window" },
	{ "cpu_ns", 'i', "ns", "time they are open on the CPU" },
	{ "dur_ns", 'i', "ns", "time it is open, in the window" },
	{ "mean_ns", 'i', "ns", "mean" },
	{ "p50_ns", 'i', "ns", "median" },
	{ "p90_ns", 'i', "ns", "90th percentile" },
	{ "max_ns", 'i', "ns", "longest" },
	{ "kernels", 'i', NULL, "kernels and whole graphs whose innermost range it is" },
	{ "gpu_ns", 'i', "ns", "time of these; adds up to all kernel and graph time" },
	{ "gpu_incl_ns", 'i', "ns", "time of those launched anywhere inside it, once each" },
	{ "gpu_pct", 'd', "%", "gpu_incl_ns of all kernel and graph time of the window" },
	{ "domain", 't', NULL, "NVTX domain; - is the default one" },
	{ "phase", 't', NULL, "label; - where no rule matches" },
	{ "name", 't', NULL, "range; - is work in none" },
	{ "path", 't', NULL, "names from the outermost range, joined by ' > '" },
	{ 0 }
};

static void columns(table *t)
{
	if (opt_mode == EACH) {
		table_columns(t, all, "tid depth dur_ns kernels gpu_ns gpu_incl_ns domain name");
	} else if (opt_mode == TREE) {
		table_columns(t, all, "depth count cpu_ns mean_ns p50_ns p90_ns max_ns kernels gpu_ns gpu_incl_ns gpu_pct domain name path");
		t->given_order = true;
	} else {
		table_columns(t, all, mem_printf("count cpu_ns mean_ns p50_ns p90_ns max_ns kernels gpu_ns gpu_incl_ns %s",
			      opt_mode == PHASES ? "phase" : "domain name"));
		table_sort(t, "gpu_ns", true);
	}
}

static const opt_tool tool = {
	.name = "nsq-nvtx",
	.question = "Where does the time go, by annotation?",
	.examples = { "nsq-nvtx --tree -f table run.sqlite", "nsq-nvtx --phases phases.tsv run.sqlite" },
	.options = options,
	.columns = columns,
};

typedef struct {
	nest *nest;
	const regex_t *re;
	tree tree;              /* --tree */
	int64_t total, none;    /* over all windows: GPU time, and of it in no range */
} loaded;

/* The row's measures: CPU times, then GPU times; a start/end range has none of the latter. */
static void measures(session *s, const stats_sum *cpu, bool gpu, int64_t kernels, int64_t self, int64_t incl)
{
	table_int(&s->out, cpu->count);
	table_int(&s->out, cpu->total);
	table_int(&s->out, cpu->mean);
	table_int(&s->out, cpu->p50);
	table_int(&s->out, cpu->p90);
	table_int(&s->out, cpu->max);
	table_int(&s->out, gpu ? kernels : TABLE_MISSING);
	table_int(&s->out, gpu ? self : TABLE_MISSING);
	table_int(&s->out, gpu ? incl : TABLE_MISSING);
}

/* Is the range of the window's process, and does its name match? */
static bool wanted(const session *s, const loaded *l, const trace_ranges *r, size_t i)
{
	const char *name = str_at(&s->t->names, r->name[i]);

	if (s->w->proc != NONE && s->t->threads[r->thread[i]].proc != s->w->proc)
		return false;
	return !l->re || (name && pattern_matches(l->re, name));
}

static void add_cpu(session *s, stats *st, size_t k, const trace_ranges *r, size_t i)
{
	if (window_has(&s->w->cpu, r->start[i], r->end[i]))
		stats_add(st, k, ival_within(&s->w->cpu, r->start[i], r->end[i]));
}

typedef struct {
	int64_t kernels, self, incl;
} gpu_sum;

static int64_t shown_name(session *s, uint32_t name)
{
	return exact ? name : str_fold(&s->t->names, name);
}

/* One row for each domain and name. */
static void sums(session *s, loaded *l)
{
	const trace *t = s->t;
	const trace_ranges *r = &t->pushpop, *se = &t->startend;
	account a = account_build(l->nest, s->w);
	group g = { .width = 3 };       /* domain, name, start/end */
	uint32_t *label = mem_new(uint32_t, r->n);
	stats st = { 0 };
	stats_sum *cpu;
	gpu_sum *gpu;
	int64_t *incl;
	size_t none = SIZE_MAX;

	for (size_t i = 0; i < r->n; i++) {
		label[i] = NONE;
		if (!wanted(s, l, r, i) || (!a.incl[i] && !a.kernels[i] && !window_has(&s->w->cpu, r->start[i], r->end[i])))
			continue;
		label[i] = (uint32_t)group_of(&g, (int64_t[]){ t->domains[r->domain[i]].name, shown_name(s, r->name[i]), 0 });
		add_cpu(s, &st, label[i], r, i);
	}
	for (size_t i = 0; i < se->n; i++)
		if (wanted(s, l, se, i) && window_has(&s->w->cpu, se->start[i], se->end[i]))
			add_cpu(s, &st, group_of(&g, (int64_t[]){ t->domains[se->domain[i]].name,
				shown_name(s, se->name[i]), 1 }), se, i);
	if (a.none_kernels && !l->re)
		none = group_of(&g, (int64_t[]){ STR_NONE, STR_NONE, 0 });
	gpu = mem_new(gpu_sum, g.n);
	incl = mem_new(int64_t, g.n);
	account_by_label(l->nest, s->w, &a, label, incl);
	for (size_t i = 0; i < r->n; i++)
		if (label[i] != NONE) {
			gpu[label[i]].kernels += a.kernels[i];
			gpu[label[i]].self = ns_add(gpu[label[i]].self, a.self[i]);
		}
	if (none != SIZE_MAX) {         /* unnamed ranges share the row of work in none */
		gpu[none].kernels += a.none_kernels;
		gpu[none].self = ns_add(gpu[none].self, a.none_ns);
		incl[none] = ns_add(incl[none], a.none_ns);
	}
	cpu = stats_finish(&st, g.n);
	for (size_t i = 0; i < g.n; i++) {
		const int64_t *key = &g.key[i * g.width];
		session_row(s);
		measures(s, &cpu[i], !key[2], gpu[i].kernels, gpu[i].self, incl[i]);
		table_text(&s->out, str_at(&t->names, (uint32_t)key[0]));
		table_text(&s->out, str_at(&t->names, (uint32_t)key[1]));
		session_row_end(s);
	}
	l->total = ns_add(l->total, a.total_ns);
	l->none = ns_add(l->none, a.none_ns);
	account_free(&a);
	group_free(&g);
	free(label);
	free(gpu);
	free(incl);
	free(cpu);
}

typedef struct {
	loaded *l;
	group *g;
	gpu_sum *gpu;
} phase_ctx;

static void add_phase(void *ctx, size_t work, int64_t ns)
{
	phase_ctx *c = ctx;
	size_t k = group_of(c->g, (int64_t[]){ nest_rule_label(c->l->nest, work) });

	c->gpu[k].kernels++;
	c->gpu[k].self = ns_add(c->gpu[k].self, ns);
}

/* Is a range of the same label around it? */
static bool is_inner(const loaded *l, const uint32_t *label, size_t i)
{
	const int64_t *start = l->nest->t->pushpop.start, *end = l->nest->t->pushpop.end;

	for (uint32_t up = l->nest->parent[i]; up != NONE; up = l->nest->parent[up])
		if (label[up] == label[i] && end[up] > start[i])
			return true;
	return false;
}

/* One row for each label of the rules. */
static void phase_rows(session *s, loaded *l)
{
	const trace_ranges *r = &s->t->pushpop;
	account a = account_build(l->nest, s->w);
	group g = { .width = 1 };
	uint32_t *label = mem_new(uint32_t, r->n);
	stats st = { 0 };
	stats_sum *cpu;
	gpu_sum *gpu;
	int64_t *incl;

	for (size_t i = 0; i < r->n; i++) {
		uint32_t own = nest_name_label(l->nest, r->name[i]);
		label[i] = own == STR_NONE || !wanted(s, l, r, i) ? NONE : (uint32_t)group_of(&g, (int64_t[]){ own });
	}
	for (size_t i = 0; i < r->n; i++)
		if (label[i] != NONE && !is_inner(l, label, i))
			add_cpu(s, &st, label[i], r, i);
	group_of(&g, (int64_t[]){ STR_NONE });
	gpu = mem_new(gpu_sum, g.n);
	incl = mem_new(int64_t, g.n);
	account_by_label(l->nest, s->w, &a, label, incl);
	account_each(l->nest, s->w, add_phase, &(phase_ctx){ l, &g, gpu });
	cpu = stats_finish(&st, g.n);
	for (size_t i = 0; i < g.n; i++) {
		bool none = (uint32_t)g.key[i] == STR_NONE;
		if (!cpu[i].count && !gpu[i].kernels && !incl[i])
			continue;
		session_row(s);
		measures(s, &cpu[i], true, gpu[i].kernels, gpu[i].self, none ? gpu[i].self : incl[i]);
		table_text(&s->out, str_at(&s->t->names, (uint32_t)g.key[i]));
		session_row_end(s);
	}
	l->total = ns_add(l->total, a.total_ns);
	l->none = ns_add(l->none, a.none_ns);
	account_free(&a);
	group_free(&g);
	free(label);
	free(gpu);
	free(incl);
	free(cpu);
}

static void each(session *s, loaded *l)
{
	const trace *t = s->t;
	account a = account_build(l->nest, s->w);

	for (int k = 0; k < 2; k++) {
		const trace_ranges *r = k ? &t->startend : &t->pushpop;
		for (size_t i = 0; i < r->n; i++) {
			int64_t depth = 0;
			ival part;
			if (!wanted(s, l, r, i) || !window_has(&s->w->cpu, r->start[i], r->end[i]))
				continue;
			part = window_clip(&s->w->cpu, r->start[i], r->end[i]);
			for (uint32_t up = k ? NONE : l->nest->parent[i]; up != NONE; up = l->nest->parent[up])
				depth++;
			session_row_at(s, t->threads[r->thread[i]].proc, part.a, part.b);
			table_int(&s->out, t->threads[r->thread[i]].tid);
			table_int(&s->out, depth);
			table_int(&s->out, ival_within(&s->w->cpu, r->start[i], r->end[i]));
			table_int(&s->out, k ? TABLE_MISSING : a.kernels[i]);
			table_int(&s->out, k ? TABLE_MISSING : a.self[i]);
			table_int(&s->out, k ? TABLE_MISSING : a.incl[i]);
			table_text(&s->out, str_at(&t->names, t->domains[r->domain[i]].name));
			table_text(&s->out, str_at(&t->names, r->name[i]));
			session_row_end(s);
		}
	}
	l->total = ns_add(l->total, a.total_ns);
	l->none = ns_add(l->none, a.none_ns);
	account_free(&a);
}

typedef struct {
	loaded *l;
	gpu_sum *gpu;
} tree_ctx;

static void add_node(void *ctx, size_t work, int64_t ns)
{
	tree_ctx *c = ctx;
	uint32_t r = nest_of(c->l->nest, work).range;
	gpu_sum *u = &c->gpu[r == NONE ? c->l->tree.none : c->l->tree.of_range[r]];

	u->kernels++;
	u->self = ns_add(u->self, ns);
	c->l->total = ns_add(c->l->total, ns);
	c->l->none = ns_add(c->l->none, r == NONE ? ns : 0);
}

static void tree_rows(session *s, loaded *l)
{
	const trace *t = s->t;
	const tree *tr = &l->tree;
	gpu_sum *gpu = mem_new(gpu_sum, tr->n);
	int64_t *incl = mem_new(int64_t, tr->n), *open = mem_new(int64_t, tr->n), total;
	bool *shown = mem_new(bool, tr->n);
	uint32_t *order = mem_new(uint32_t, tr->n);
	stats st = { 0 };
	stats_sum *cpu;

	for (size_t i = 0; i < t->pushpop.n; i++)
		if (wanted(s, l, &t->pushpop, i))
			add_cpu(s, &st, tr->of_range[i], &t->pushpop, i);
	for (size_t i = 0; i < t->startend.n; i++)
		if (wanted(s, l, &t->startend, i))
			add_cpu(s, &st, tr->of_startend[i], &t->startend, i);
	total = l->total;
	account_each(l->nest, s->w, add_node, &(tree_ctx){ l, gpu });
	total = l->total - total;
	cpu = stats_finish(&st, tr->n);
	for (size_t i = tr->n; i-- > 0;) {      /* children stand after their parents */
		uint32_t up = tr->node[i].parent;
		incl[i] = ns_add(incl[i], gpu[i].self);
		open[i] = cpu[i].total;
		shown[i] |= cpu[i].count || gpu[i].kernels;
		if (up != NONE) {
			incl[up] = ns_add(incl[up], incl[i]);
			shown[up] |= shown[i];
		}
	}
	tree_order(tr, t, incl, open, order);
	for (size_t k = 0; k < tr->n; k++) {
		size_t i = order[k];
		if (!shown[i])
			continue;
		session_row(s);
		table_int(&s->out, tr->node[i].depth);
		measures(s, &cpu[i], !tr->node[i].startend, gpu[i].kernels, gpu[i].self, incl[i]);
		table_pct(&s->out, incl[i], tr->node[i].startend ? 0 : total);
		table_text(&s->out, str_at(&t->names, tr->node[i].domain));
		table_text(&s->out, str_at(&t->names, tr->node[i].name));
		table_text(&s->out, i == tr->none ? NULL : tree_path(tr, t, (uint32_t)i));
		session_row_end(s);
	}
	free(gpu);
	free(incl);
	free(open);
	free(shown);
	free(order);
	free(cpu);
}

static void warn_unattributed(const session *s, const loaded *l)
{
	double in = l->total ? 100.0 * (double)(l->total - l->none) / (double)l->total : 100.0;

	if (in < (double)warn_below)
		note("only %.2f %% of the GPU time in '%s' was launched inside a range; annotate more, or try "
		     "--adopt for work that other threads launch", in, s->t->path);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);
	const rules *r = phases ? rules_load(phases) : NULL;
	loaded l = { .re = pattern_compile("-m", match) };

	s.need = TRACE_WORK | TRACE_CALLS | TRACE_RANGES;
	s.must = SESSION_NVTX;
	s.def = WINDOW_TRACE;
	s.empty = "no range in the windows";
	while (session_trace(&s)) {
		l.total = l.none = 0;
		l.nest = nest_build(s.t, adopt ? NEST_ADOPT : NEST_WORK);
		if (r)
			nest_use_rules(l.nest, r);
		if (opt_mode == TREE)
			l.tree = tree_build(l.nest, !exact);
		while (session_window(&s))
			if (opt_mode == EACH)
				each(&s, &l);
			else if (opt_mode == TREE)
				tree_rows(&s, &l);
			else if (opt_mode == PHASES)
				phase_rows(&s, &l);
			else
				sums(&s, &l);
		warn_unattributed(&s, &l);
		if (opt_mode == TREE)
			tree_free(&l.tree);
		nest_free(l.nest);
	}
	return session_end(&s);
}
