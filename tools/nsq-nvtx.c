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

/* What is made once for a trace: each range's label, which is its domain and name, or its phase. */
typedef struct {
	nest *nest;
	const regex_t *re;
	account *account;
	tree tree;              /* --tree */
	group labels;           /* domain, name, start/end; phases: label, 0, 0 */
	uint32_t *label;        /* by push/pop range: its label, NONE where it is not asked for */
	uint32_t *se_label;     /* by start/end range */
	uint32_t none;          /* the label of work in no range, or of no phase */
	int64_t total, unranged;    /* over all windows: GPU time, and of it in no range */
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

static bool name_matches(const trace *t, const loaded *l, uint32_t name)
{
	return !l->re || (name != STR_NONE && pattern_matches(l->re, t->names.text[name]));
}

/* Is a range of the same label around it? */
static bool is_inner(const loaded *l, size_t i)
{
	const trace_ranges *r = &l->nest->t->pushpop;

	for (uint32_t up = l->nest->parent[i]; up != NONE; up = l->nest->parent[up])
		if (l->label[up] == l->label[i] && r->end[up] > r->start[i])
			return true;
	return false;
}

static uint32_t *label_ranges(trace *t, loaded *l, const trace_ranges *r, bool startend)
{
	uint32_t *label = mem_new(uint32_t, r->n);

	for (size_t i = 0; i < r->n; i++) {
		uint32_t name = r->name[i];
		label[i] = NONE;
		if (opt_mode == PHASES) {
			uint32_t phase = startend ? STR_NONE : nest_name_label(l->nest, name);
			if (phase != STR_NONE)
				label[i] = (uint32_t)group_of(&l->labels, (int64_t[]){ phase, 0, 0 });
		} else if (name_matches(t, l, name))
			label[i] = (uint32_t)group_of(&l->labels, (int64_t[]){ t->domains[r->domain[i]].name,
				exact ? name : str_fold(&t->names, name), startend });
	}
	return label;
}

static void load(trace *t, loaded *l, const rules *r)
{
	l->nest = nest_build(t, adopt ? NEST_ADOPT : NEST_WORK);
	l->total = l->unranged = 0;
	if (opt_mode == TREE) {
		l->tree = tree_build(l->nest, !exact);
		return;
	}
	l->account = account_open(l->nest);
	if (opt_mode == EACH)
		return;
	if (r)
		nest_use_rules(l->nest, r);
	l->labels = (group){ .width = 3 };
	l->none = (uint32_t)group_of(&l->labels, (int64_t[]){ STR_NONE, opt_mode == PHASES ? 0 : STR_NONE, 0 });
	l->label = label_ranges(t, l, &t->pushpop, false);
	l->se_label = label_ranges(t, l, &t->startend, true);
}

static void unload(loaded *l)
{
	if (opt_mode == TREE)
		tree_free(&l->tree);
	else
		account_close(l->account);
	if (opt_mode == SUMS || opt_mode == PHASES) {
		group_free(&l->labels);
		free(l->label);
		free(l->se_label);
	}
	nest_free(l->nest);
}

static bool of_process(const session *s, const trace_ranges *r, size_t i)
{
	return s->w->proc == NONE || s->t->threads[r->thread[i]].proc == s->w->proc;
}

typedef struct {                /* one window's sums */
	session *s;
	loaded *l;
	stats cpu;
	struct { int64_t kernels, self; } *gpu;    /* by label or node */
} sums_ctx;

static void add_cpu(sums_ctx *c, const trace_ranges *r, size_t i, uint32_t label)
{
	if (label != NONE && of_process(c->s, r, i) && window_has(&c->s->w->cpu, r->start[i], r->end[i]))
		stats_add(&c->cpu, label, ival_within(&c->s->w->cpu, r->start[i], r->end[i]));
}

static void add_range(void *ctx, size_t i)
{
	sums_ctx *c = ctx;

	if (opt_mode == TREE)
		add_cpu(c, &c->s->t->pushpop, i, c->l->tree.of_range[i]);
	else if (opt_mode == SUMS || !is_inner(c->l, i))
		add_cpu(c, &c->s->t->pushpop, i, c->l->label[i]);
}

/* Work goes to the label, or node, of its innermost range; in phases, of the innermost that has one. */
static void add_work(void *ctx, size_t work, int64_t ns)
{
	sums_ctx *c = ctx;
	loaded *l = c->l;
	uint32_t r = nest_of(l->nest, work).range, k;

	if (opt_mode == TREE)
		k = r == NONE ? l->tree.none : l->tree.of_range[r];
	else if (opt_mode == PHASES)
		k = (uint32_t)group_of(&l->labels, (int64_t[]){ nest_rule_label(l->nest, work), 0, 0 });
	else
		k = r == NONE ? (l->re ? NONE : l->none) : l->label[r];
	l->total = ns_add(l->total, ns);
	l->unranged = ns_add(l->unranged, r == NONE ? ns : 0);
	if (k == NONE)
		return;
	c->gpu[k].kernels++;
	c->gpu[k].self = ns_add(c->gpu[k].self, ns);
}

/* CPU and GPU sums of a window, by label or node. */
static stats_sum *sum_window(sums_ctx *c, size_t n, const uint32_t *se_label)
{
	const trace_ranges *se = &c->s->t->startend;

	c->gpu = mem_alloc(n, sizeof *c->gpu);
	nest_each(c->l->nest, window_hull(&c->s->w->cpu), add_range, c);
	for (size_t i = 0; i < se->n; i++)
		add_cpu(c, se, i, se_label[i]);
	account_each(c->l->nest, c->s->w, add_work, c);
	return stats_finish(&c->cpu, n);
}

/* One row for each domain and name, or for each phase. */
static void sums(session *s, loaded *l)
{
	const trace *t = s->t;
	size_t n = l->labels.n;
	sums_ctx c = { .s = s, .l = l };
	stats_sum *cpu = sum_window(&c, n, l->se_label);
	int64_t *incl = mem_new(int64_t, n);

	account_window(l->account, s->w);
	account_by_label(l->account, s->w, l->label, n, incl);
	/* what is in no range is inside no range; unnamed ranges share its row */
	incl[l->none] = ns_add(incl[l->none], opt_mode == PHASES ? c.gpu[l->none].self :
			       l->re ? 0 : l->account->none_ns);
	for (size_t i = 0; i < n; i++) {
		const int64_t *key = &l->labels.key[3 * i];
		if (!cpu[i].count && !c.gpu[i].kernels && !incl[i])
			continue;
		session_row(s);
		measures(s, &cpu[i], !key[2], c.gpu[i].kernels, c.gpu[i].self, incl[i]);
		table_text(&s->out, str_at(&t->names, (uint32_t)key[0]));
		if (opt_mode == SUMS)
			table_text(&s->out, str_at(&t->names, (uint32_t)key[1]));
		session_row_end(s);
	}
	free(incl);
	free(cpu);
	free(c.gpu);
}

static void each_row(session *s, const loaded *l, const trace_ranges *r, size_t i, bool startend)
{
	const account *a = l->account;
	int64_t depth = 0;
	ival part;

	if (!of_process(s, r, i) || !window_has(&s->w->cpu, r->start[i], r->end[i]) ||
	    !name_matches(s->t, l, r->name[i]))
		return;
	part = window_clip(&s->w->cpu, r->start[i], r->end[i]);
	for (uint32_t up = startend ? NONE : l->nest->parent[i]; up != NONE; up = l->nest->parent[up])
		depth += r->end[up] > r->start[i];
	session_row_at(s, s->t->threads[r->thread[i]].proc, part.a, part.b);
	table_int(&s->out, s->t->threads[r->thread[i]].tid);
	table_int(&s->out, depth);
	table_int(&s->out, ival_within(&s->w->cpu, r->start[i], r->end[i]));
	table_int(&s->out, startend ? TABLE_MISSING : a->kernels[i]);
	table_int(&s->out, startend ? TABLE_MISSING : a->self[i]);
	table_int(&s->out, startend ? TABLE_MISSING : a->incl[i]);
	table_text(&s->out, str_at(&s->t->names, s->t->domains[r->domain[i]].name));
	table_text(&s->out, str_at(&s->t->names, r->name[i]));
	session_row_end(s);
}

static void each_range(void *ctx, size_t i)
{
	sums_ctx *c = ctx;

	each_row(c->s, c->l, &c->s->t->pushpop, i, false);
}

static void each(session *s, loaded *l)
{
	sums_ctx c = { .s = s, .l = l };

	account_window(l->account, s->w);
	nest_each(l->nest, window_hull(&s->w->cpu), each_range, &c);
	for (size_t i = 0; i < s->t->startend.n; i++)
		each_row(s, l, &s->t->startend, i, true);
	l->total = ns_add(l->total, l->account->total_ns);
	l->unranged = ns_add(l->unranged, l->account->none_ns);
}

static void tree_rows(session *s, loaded *l)
{
	const trace *t = s->t;
	const tree *tr = &l->tree;
	sums_ctx c = { .s = s, .l = l };
	int64_t *incl = mem_new(int64_t, tr->n), *open = mem_new(int64_t, tr->n), total = l->total;
	bool *shown = mem_new(bool, tr->n);
	uint32_t *order = mem_new(uint32_t, tr->n);
	stats_sum *cpu = sum_window(&c, tr->n, tr->of_startend);

	total = l->total - total;
	for (size_t i = tr->n; i-- > 0;) {      /* children stand after their parents */
		uint32_t up = tr->node[i].parent;
		incl[i] = ns_add(incl[i], c.gpu[i].self);
		open[i] = cpu[i].total;
		shown[i] |= cpu[i].count || c.gpu[i].kernels;
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
		measures(s, &cpu[i], !tr->node[i].startend, c.gpu[i].kernels, c.gpu[i].self, incl[i]);
		table_pct(&s->out, incl[i], tr->node[i].startend ? 0 : total);
		table_text(&s->out, str_at(&t->names, tr->node[i].domain));
		table_text(&s->out, str_at(&t->names, tr->node[i].name));
		table_text(&s->out, i == tr->none ? NULL : tree_path(tr, t, (uint32_t)i));
		session_row_end(s);
	}
	free(incl);
	free(open);
	free(shown);
	free(order);
	free(cpu);
	free(c.gpu);
}

static void warn_unattributed(const session *s, const loaded *l)
{
	double in = l->total ? 100.0 * (double)(l->total - l->unranged) / (double)l->total : 100.0;

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
		load(s.t, &l, r);
		while (session_window(&s))
			if (opt_mode == EACH)
				each(&s, &l);
			else if (opt_mode == TREE)
				tree_rows(&s, &l);
			else
				sums(&s, &l);
		warn_unattributed(&s, &l);
		unload(&l);
	}
	return session_end(&s);
}
