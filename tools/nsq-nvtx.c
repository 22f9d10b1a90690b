/* nsq-nvtx - where does the time go, by annotation? */
#include "relate/label_time.h"
#include "cli/errors.h"
#include "base/group.h"
#include "base/parallel.h"
#include "base/pattern.h"
#include "cli/run.h"
#include "relate/range_tree.h"

#include <string.h>

enum { SUMS = 1, EACH = 2, TREE = 4, PHASES = 8 };
enum { MANY_WINDOWS = 64 };     /* more are too small to start a thread for each */

static const char *match, *phases;
static int64_t warn_below = 70;
static bool exact, adopt;

static const opt options[] = {
	{ "match", 'm', "REGEX", "ranges whose name matches", OPT_TEXT, &match, 0, SUMS | EACH },
	{ "exact", 0, NULL, "keep the digits of names, which are folded to # otherwise", OPT_FLAG, &exact, 0, SUMS | TREE },
	{ "tree", 0, NULL, "the hierarchy, depth first, with its paths", OPT_MODE, NULL, TREE, 0 },
	{ "phases", 0, "RULES", "one row per label that the rules give (REGEX<TAB>LABEL or JSON)",
	  OPT_MODE_TEXT, &phases, PHASES, 0 },
	{ "each", 0, NULL, "one row per range", OPT_MODE, NULL, EACH, 0 },
	OPT_ADOPT(&adopt, 0),
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
		table_columns(t, all, "depth count cpu_ns mean_ns p50_ns p90_ns max_ns kernels gpu_ns "
			      "gpu_incl_ns gpu_pct domain name path");
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
	.all = all,
	.columns = columns,
};

/* What is made once for a trace: each range's label, which is its domain and name, its phase, or
 * its place in the tree. */
typedef struct {
	const regex_t *re;
	annot by;
	account *account;
	tree tree;              /* --tree */
	group labels;           /* domain, name, start/end; phases: label, 0, 0 */
	uint32_t *label, *se_label, *of_rule;
	int64_t total, unranged;    /* over all windows: GPU time, and of it in no range */
} loaded;

static bool name_matches(const trace *t, const loaded *l, uint32_t name)
{
	return !l->re || (name != STR_NONE && pattern_matches(l->re, t->names.text[name]));
}

static uint32_t *name_ranges(trace *t, loaded *l, const trace_ranges *r, bool startend)
{
	uint32_t *label = mem_new(uint32_t, r->n);

	for (size_t i = 0; i < r->n; i++)
		label[i] = !name_matches(t, l, r->name[i]) ? NONE : (uint32_t)group_of(&l->labels,
			(int64_t[]){ t->domains[r->domain[i]].name,
				     exact ? r->name[i] : str_fold(&t->names, r->name[i]), startend });
	return label;
}

/* Phases are those of push/pop ranges; start/end ranges have none. */
static void phase_ranges(trace *t, loaded *l)
{
	const trace_ranges *r = &t->pushpop;

	l->label = mem_new(uint32_t, r->n);
	l->se_label = mem_new(uint32_t, t->startend.n);
	memset(l->se_label, 0xff, t->startend.n * sizeof *l->se_label);
	for (size_t i = 0; i < r->n; i++) {
		uint32_t phase = nest_name_label(l->by.n, r->name[i]);
		l->label[i] = phase == STR_NONE ? NONE : (uint32_t)group_of(&l->labels, (int64_t[]){ phase, 0, 0 });
	}
	l->of_rule = mem_new(uint32_t, t->names.n);
	for (size_t i = 0; i < l->labels.n; i++)
		if ((uint32_t)l->labels.key[3 * i] != STR_NONE)
			l->of_rule[l->labels.key[3 * i]] = (uint32_t)i;
}

static void load(trace *t, loaded *l, const rules *r)
{
	nest *n = nest_build(t, adopt ? NEST_ADOPT : NEST_WORK);
	uint32_t none;

	*l = (loaded){ .re = l->re, .labels = { .width = 3 }, .by = { .n = n } };
	if (opt_mode == TREE) {
		l->tree = tree_build(n, !exact);
		l->by = (annot){ .n = n, .label = l->tree.of_range, .se_label = l->tree.of_startend,
			.nlabels = l->tree.n, .none = l->tree.none };
		return;
	}
	l->account = account_open(n);
	if (opt_mode == EACH)
		return;
	none = (uint32_t)group_of(&l->labels, (int64_t[]){ STR_NONE, r ? 0 : STR_NONE, 0 });
	if (r) {
		nest_use_rules(n, r);
		phase_ranges(t, l);
	} else {
		l->label = name_ranges(t, l, &t->pushpop, false);
		l->se_label = name_ranges(t, l, &t->startend, true);
	}
	l->by = (annot){ .n = n, .label = l->label, .se_label = l->se_label, .nlabels = l->labels.n,
		.none = l->re ? NONE : none, .outermost = r, .of_rule = l->of_rule };
}

static void unload(loaded *l)
{
	if (opt_mode == TREE)
		tree_free(&l->tree);
	else
		account_close(l->account);
	group_free(&l->labels);
	free(l->label);
	free(l->se_label);
	free(l->of_rule);
	nest_free(l->by.n);
}

/* For the warning at the end. */
static void add_totals(loaded *l, int64_t total, int64_t unranged)
{
	l->total = ns_add(l->total, total);
	l->unranged = ns_add(l->unranged, unranged);
}

/* The measures of a label: CPU times, then GPU times; a start/end range has none of the latter. */
static void measures(session *s, const annot_sums *u, size_t i, bool gpu, int64_t incl)
{
	table_int(&s->out, u->cpu[i].count);
	table_int(&s->out, u->cpu[i].total);
	table_int(&s->out, u->cpu[i].mean);
	table_int(&s->out, u->cpu[i].p50);
	table_int(&s->out, u->cpu[i].p90);
	table_int(&s->out, u->cpu[i].max);
	table_int(&s->out, gpu ? u->kernels[i] : TABLE_MISSING);
	table_int(&s->out, gpu ? u->self[i] : TABLE_MISSING);
	table_int(&s->out, gpu ? incl : TABLE_MISSING);
}

typedef struct {
	session *s;
	loaded *l;
	annot_sums sums;
} sums_job;

/* A pass over the window's ranges, and one over its work. */
static void sum_either(void *ctx, size_t which)
{
	sums_job *j = ctx;

	if (which == 0)
		j->sums = annot_ranges(&j->l->by, j->s->w);
	else
		account_window(j->l->account, j->s->w);
}

/* One row for each domain and name, or for each phase. */
static void sums(session *s, loaded *l)
{
	sums_job j = { .s = s, .l = l };
	annot_sums u;
	int64_t *incl = mem_new(int64_t, l->by.nlabels);

	ival_index(&s->w->gpu);
	par_do(s->windows.n < MANY_WINDOWS ? s->t->db->threads : 1, 2, sum_either, &j);
	u = j.sums;
	annot_accounted(&l->by, s->w, l->account, &u);
	add_totals(l, u.total_ns, u.unranged_ns);
	account_by_label(l->account, s->w, l->label, l->by.nlabels, incl);
	if (l->by.none != NONE)         /* what is in no range; unnamed ranges share its row */
		incl[l->by.none] = ns_add(incl[l->by.none], opt_mode == PHASES ? u.self[l->by.none] : u.unranged_ns);
	for (size_t i = 0; i < l->by.nlabels; i++) {
		const int64_t *key = &l->labels.key[3 * i];
		if (!u.cpu[i].count && !u.kernels[i] && !incl[i])
			continue;
		session_row(s);
		measures(s, &u, i, !key[2], incl[i]);
		table_text(&s->out, str_at(&s->t->names, (uint32_t)key[0]));
		if (opt_mode == SUMS)
			table_text(&s->out, str_at(&s->t->names, (uint32_t)key[1]));
		session_row_end(s);
	}
	free(incl);
	annot_free(&u);
}

static void each_row(session *s, const loaded *l, const trace_ranges *r, size_t i, bool startend)
{
	const account *a = l->account;
	const trace_thread *th = &s->t->threads[r->thread[i]];
	int64_t depth = 0;
	ival part;

	if ((s->w->proc != NONE && th->proc != s->w->proc) || !window_has(&s->w->cpu, r->start[i], r->end[i]) ||
	    !name_matches(s->t, l, r->name[i]))
		return;
	part = window_clip(&s->w->cpu, r->start[i], r->end[i]);
	for (uint32_t up = startend ? NONE : a->n->parent[i]; up != NONE; up = a->n->parent[up])
		depth += r->end[up] > r->start[i];
	session_row_at(s, th->proc, part.a, part.b);
	table_int(&s->out, th->tid);
	table_int(&s->out, depth);
	table_int(&s->out, ival_within(&s->w->cpu, r->start[i], r->end[i]));
	table_int(&s->out, startend ? TABLE_MISSING : a->kernels[i]);
	table_int(&s->out, startend ? TABLE_MISSING : a->self[i]);
	table_int(&s->out, startend ? TABLE_MISSING : a->incl[i]);
	table_text(&s->out, str_at(&s->t->names, s->t->domains[r->domain[i]].name));
	table_text(&s->out, str_at(&s->t->names, r->name[i]));
	session_row_end(s);
}

typedef struct {
	session *s;
	const loaded *l;
} each_ctx;

static void each_range(void *ctx, size_t i)
{
	each_ctx *c = ctx;

	each_row(c->s, c->l, &c->s->t->pushpop, i, false);
}

static void each(session *s, loaded *l)
{
	account_window(l->account, s->w);
	nest_each(l->by.n, window_hull(&s->w->cpu), each_range, &(each_ctx){ s, l });
	for (size_t i = 0; i < s->t->startend.n; i++)
		each_row(s, l, &s->t->startend, i, true);
	add_totals(l, l->account->total_ns, l->account->none_ns);
}

static void tree_rows(session *s, loaded *l)
{
	const tree *tr = &l->tree;
	annot_sums u = annot_ranges(&l->by, s->w);
	int64_t *incl = mem_new(int64_t, tr->n), *open = mem_new(int64_t, tr->n);
	bool *shown = mem_new(bool, tr->n);
	uint32_t *order = mem_new(uint32_t, tr->n);

	annot_work(&l->by, s->w, &u);
	add_totals(l, u.total_ns, u.unranged_ns);
	for (size_t i = tr->n; i-- > 0;) {      /* children stand after their parents */
		uint32_t up = tr->node[i].parent;
		incl[i] = ns_add(incl[i], u.self[i]);
		open[i] = u.cpu[i].total;
		shown[i] |= u.cpu[i].count || u.kernels[i];
		if (up != NONE) {
			incl[up] = ns_add(incl[up], incl[i]);
			shown[up] |= shown[i];
		}
	}
	tree_order(tr, s->t, incl, open, order);
	for (size_t k = 0; k < tr->n; k++) {
		size_t i = order[k];
		if (!shown[i])
			continue;
		session_row(s);
		table_int(&s->out, tr->node[i].depth);
		measures(s, &u, i, !tr->node[i].startend, incl[i]);
		table_pct(&s->out, incl[i], tr->node[i].startend ? 0 : u.total_ns);
		table_text(&s->out, str_at(&s->t->names, tr->node[i].domain));
		table_text(&s->out, str_at(&s->t->names, tr->node[i].name));
		table_text(&s->out, i == tr->none ? NULL : tree_path(tr, s->t, (uint32_t)i));
		session_row_end(s);
	}
	free(incl);
	free(open);
	free(shown);
	free(order);
	annot_free(&u);
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

	s.need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES;
	s.must = SESSION_NVTX;
	s.def = WINDOW_TRACE;
	s.empty = "no range in the windows";
	while (session_trace(&s)) {
		load(s.t, &l, r);
		if (r && l.labels.n == 1)       /* that of work in no phase */
			note("no range in '%s' matches a rule of '%s'; nsq-window --list shows the names there are",
			     s.t->path, phases);
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
