#include "answer/diff_parts.h"
#include "base/group.h"
#include "base/number.h"
#include "base/rank_test.h"
#include "base/sort.h"
#include "table/column_about.h"

#include <string.h>

typedef struct {
	uint32_t trace;         /* the id of its path in diff_samples.names; or STR_NONE */
	int64_t pid, sub;       /* the pid, and the N of PID:N (number_pid); -1: the table does not tell them */
	int64_t rank;           /* TABLE_MISSING: it has none, or ranks do not tell processes apart */
	int64_t order;          /* its index, in order of pid, among the processes of its trace that have no rank;
				 * TABLE_MISSING: it has a rank, or this order does not tell processes apart */
	ival hull;              /* from the earliest start to the latest end in its rows */
} process;

/* Pairs of numbers, grouped by the first number of each pair.  The elements first[k] to first[k + 1] - 1 of `list` are
 * the positions of the pairs that begin with k; they ascend. */
typedef struct {
	size_t *first, *list;
} buckets;

typedef struct {                /* the text that was read last in a column, and its id; kept because the next text is
				 * often the same */
	const char *text;
	uint32_t id;
} last_text;

typedef struct {
	const read_table *in;
	group procs;            /* keys: trace, pid; their numbers are indices in `proc` */
	vec(process) proc;
	group windows;          /* keys: process, name of the window */
	group members;          /* keys: a scope (diff_samples.scopes), a process that has a row in it */
	vec(int64_t) cells;     /* pairs of key and window, one for each row with a number; pairs may repeat */
	vec(double) values;     /* for each pair in `cells`: the number in its row */
	buckets windows_of;     /* pairs in `windows`, by process */
	buckets procs_of;       /* pairs in `members`, by scope */
	buckets cells_of;       /* pairs in `cells`, by key */
	last_text *last;        /* for each column of the table */
} side;

struct diff_samples {
	const diff_plan *plan;
	side side[DIFF_SIDES];
	str_pool names;         /* all texts */
	group scopes;           /* keys: rank, order and gpu.  A scope is the same process and GPU on both sides */
	group keys;             /* keys: scope, then the ids of the texts of diff_plan.key */
	vec(uint32_t) units;    /* for each key: the id of its unit */
	bool by_process;        /* keys are told apart by the order of their processes */

	/* the scope whose samples were asked for last, and its windows */
	size_t scope;           /* SIZE_MAX: none yet */
	vec(uint32_t) list[DIFF_SIDES];         /* the windows of its processes (side.procs_of), trace by trace */
	vec(size_t) ends[DIFF_SIDES];           /* for each trace in `list`: the end of its windows there */
	uint32_t *place[DIFF_SIDES];            /* for each window of the side: its position in `list` */
	ival hull;              /* as in diff_key_samples */
	uint32_t trace;         /* the id of the trace of `hull`; or STR_NONE */
};

static uint32_t diff_samples_read_text(diff_samples *x, const side *s, size_t row, int col)
{
	const char *text = col < 0 || s->in->rows.cols.v[col].type == 'i' ? NULL : table_at(&s->in->rows, row)[col].t;

	if (!text)
		return col < 0 ? STR_NONE : diff_read_text(s->in, row, col, &x->names);
	if (!s->last[col].text || strcmp(s->last[col].text, text) != 0) {
		s->last[col].text = text;
		s->last[col].id = diff_read_text(s->in, row, col, &x->names);
	}
	return s->last[col].id;
}

static int64_t diff_samples_read_int(const side *s, size_t row, int col)
{
	return col < 0 || s->in->rows.cols.v[col].type != 'i' ? TABLE_MISSING : table_at(&s->in->rows, row)[col].i;
}

/* ---- processes */

static void diff_samples_add_process(diff_samples *x, int which, size_t row)
{
	const diff_plan *plan = x->plan;
	side *s = &x->side[which];
	uint32_t trace = diff_samples_read_text(x, s, row, plan->trace_at[which]),
		 pid = diff_samples_read_text(x, s, row, plan->pid_at[which]);
	size_t k = group_of(&s->procs, (int64_t[]){ trace, pid });
	int64_t a = diff_samples_read_int(s, row, plan->start_at[which]),
		b = diff_samples_read_int(s, row, plan->end_at[which]);
	process *p;

	if (k == s->proc.n) {
		vec_push(&s->proc, (process){ trace, -1, -1, TABLE_MISSING, TABLE_MISSING, IVAL_NOWHERE });
		if (pid == STR_NONE || !number_pid(str_at(&x->names, pid), &s->proc.v[k].pid, &s->proc.v[k].sub))
			s->proc.v[k].pid = s->proc.v[k].sub = -1;
	}
	p = &s->proc.v[k];
	if (p->rank == TABLE_MISSING)
		p->rank = diff_samples_read_int(s, row, plan->rank_at[which]);
	if (a != TABLE_MISSING && b != TABLE_MISSING)
		p->hull = (ival){ a < p->hull.a ? a : p->hull.a, b > p->hull.b ? b : p->hull.b };
}

static bool diff_samples_has_ranks(const side *s)
{
	for (size_t i = 0; i < s->proc.n; i++)
		if (s->proc.v[i].rank != TABLE_MISSING)
			return true;
	return false;
}

static int diff_samples_compare_pids(uint32_t a, uint32_t b, const void *ctx)
{
	const process *p = (const process *)ctx + a, *q = (const process *)ctx + b;

	return p->trace != q->trace ? sort_3way(p->trace, q->trace) : p->pid != q->pid ? sort_3way(p->pid, q->pid) :
		sort_3way(p->sub, q->sub);
}

/* Number the processes without a rank in each trace, in order of pid.  Returns how many each trace with such processes
 * has; 0: no trace has any; -1: the traces differ. */
static int64_t diff_samples_number_processes(side *s)
{
	uint32_t *order = mem_new(uint32_t, s->proc.n);
	int64_t each = 0, here = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->proc.n; i++)
		if (s->proc.v[i].rank == TABLE_MISSING)
			order[n++] = (uint32_t)i;
	sort_items(order, n, diff_samples_compare_pids, s->proc.v);
	for (size_t i = 0; i < n; i++) {
		s->proc.v[order[i]].order = here++;
		if (i + 1 == n || s->proc.v[order[i + 1]].trace != s->proc.v[order[i]].trace) {
			each = each && each != here ? -1 : here;
			here = 0;
		}
	}
	free(order);
	return each;
}

/* Decide how processes are told apart.  If both sides have ranks, the rank does it.  Processes without a rank are told
 * apart by their order, if all traces of both sides have equally many of them. */
static void diff_samples_tell_processes_apart(diff_samples *x, notes *say)
{
	bool ranks = x->plan->rank && diff_samples_has_ranks(&x->side[0]) && diff_samples_has_ranks(&x->side[1]);
	int64_t each[DIFF_SIDES];

	for (int s = 0; s < DIFF_SIDES; s++) {
		for (size_t i = 0; !ranks && i < x->side[s].proc.n; i++)
			x->side[s].proc.v[i].rank = TABLE_MISSING;
		each[s] = diff_samples_number_processes(&x->side[s]);
	}
	x->by_process = x->plan->process && each[0] == each[1] && each[0] > 1;
	if (x->plan->process && (each[0] != each[1] || each[0] < 0) && x->side[0].proc.n && x->side[1].proc.n)
		notes_remark(say, "%s%s and %s have different numbers of processes%s, so processes are not told apart",
			     each[0] == each[1] ? "the traces of " : "", x->side[0].in->name, x->side[1].in->name,
			     ranks ? " without a rank" : "");
	for (int s = 0; s < DIFF_SIDES; s++)
		for (size_t i = 0; !x->by_process && i < x->side[s].proc.n; i++)
			x->side[s].proc.v[i].order = TABLE_MISSING;
}

/* ---- samples */

static void diff_samples_add_row(diff_samples *x, int which, size_t row)
{
	const diff_plan *plan = x->plan;
	side *s = &x->side[which];
	int64_t name[DIFF_KEYS + 1];    /* the key of the row, as in diff_samples.keys */
	double value;
	size_t proc, window, key;

	if (!table_number(&s->in->rows, row, plan->measure_at[which], &value))
		return;
	proc = group_of(&s->procs, (int64_t[]){ diff_samples_read_text(x, s, row, plan->trace_at[which]),
		diff_samples_read_text(x, s, row, plan->pid_at[which]) });
	window = group_of(&s->windows,
			  (int64_t[]){ (int64_t)proc, diff_samples_read_text(x, s, row, plan->window_at[which]) });
	name[0] = (int64_t)group_of(&x->scopes, (int64_t[]){ s->proc.v[proc].rank, s->proc.v[proc].order,
		plan->gpu ? diff_samples_read_int(s, row, plan->gpu_at[which]) : TABLE_MISSING });
	group_of(&s->members, (int64_t[]){ name[0], (int64_t)proc });
	for (size_t i = 0; i < plan->n; i++) {
		uint32_t id = diff_samples_read_text(x, s, row, plan->key[i].at[which]);
		name[i + 1] = id != STR_NONE && plan->key[i].fold ? str_fold(&x->names, id) : id;
	}
	key = group_of(&x->keys, name);
	if (key == x->units.n)
		vec_push(&x->units, diff_samples_read_text(x, s, row, plan->unit_at[which]));
	vec_push(&s->cells, (int64_t)key);
	vec_push(&s->cells, (int64_t)window);
	vec_push(&s->values, value);
}

/* Group n pairs by their first numbers, which are less than `most`.  While the list is filled, first[k + 1] is where
 * the next pair that begins with k goes. */
static buckets diff_samples_fill_buckets(const int64_t *pairs, size_t n, size_t most)
{
	buckets b = { mem_new(size_t, most + 2), mem_new(size_t, n) };

	for (size_t i = 0; i < n; i++)
		b.first[pairs[2 * i] + 2]++;
	for (size_t k = 0; k < most; k++)
		b.first[k + 2] += b.first[k + 1];
	for (size_t i = 0; i < n; i++)
		b.list[b.first[pairs[2 * i] + 1]++] = i;
	return b;
}

static void diff_samples_free_buckets(buckets *b)
{
	mem_free(b->first, b->list);
}

diff_samples *diff_samples_build(const read_table *const both[DIFF_SIDES], const diff_plan *plan, notes *say)
{
	diff_samples *x = mem_new(diff_samples, 1);
	double value;

	*x = (diff_samples){ .plan = plan, .scopes.width = 3, .keys.width = plan->n + 1, .scope = SIZE_MAX };
	for (int s = 0; s < DIFF_SIDES; s++) {
		x->side[s] = (side){ .in = both[s], .procs.width = 2, .windows.width = 2, .members.width = 2,
			.last = mem_new(last_text, both[s]->rows.cols.n) };
		for (size_t i = 0; i < table_rows(&both[s]->rows); i++)
			if (table_number(&both[s]->rows, i, plan->measure_at[s], &value))
				diff_samples_add_process(x, s, i);
	}
	diff_samples_tell_processes_apart(x, say);
	for (int s = 0; s < DIFF_SIDES; s++)
		for (size_t i = 0; i < table_rows(&both[s]->rows); i++)
			diff_samples_add_row(x, s, i);
	for (int s = 0; s < DIFF_SIDES; s++) {
		side *to = &x->side[s];
		to->windows_of = diff_samples_fill_buckets(to->windows.key, to->windows.n, to->procs.n);
		to->procs_of = diff_samples_fill_buckets(to->members.key, to->members.n, x->scopes.n);
		to->cells_of = diff_samples_fill_buckets(to->cells.v, to->values.n, x->keys.n);
	}
	return x;
}

/* ---- one key */

static uint32_t diff_samples_find_trace(const side *s, uint32_t window)
{
	return s->proc.v[s->windows.key[2 * window]].trace;
}

static int diff_samples_compare_traces(uint32_t a, uint32_t b, const void *ctx)
{
	return sort_3way(diff_samples_find_trace(ctx, a), diff_samples_find_trace(ctx, b));
}

/* List the windows of the processes that have a row in a scope. */
static void diff_samples_list_windows(diff_samples *x, int which, size_t scope)
{
	side *s = &x->side[which];
	const buckets *procs = &s->procs_of, *windows = &s->windows_of;

	x->list[which].n = x->ends[which].n = 0;
	for (size_t i = procs->first[scope]; i < procs->first[scope + 1]; i++) {
		size_t proc = (size_t)s->members.key[2 * procs->list[i] + 1];
		for (size_t w = windows->first[proc]; w < windows->first[proc + 1]; w++)
			vec_push(&x->list[which], (uint32_t)windows->list[w]);
	}
	sort_items(x->list[which].v, x->list[which].n, diff_samples_compare_traces, s);
	if (!x->place[which])
		x->place[which] = mem_new(uint32_t, s->windows.n);
	for (size_t i = 0; i < x->list[which].n; i++) {
		x->place[which][x->list[which].v[i]] = (uint32_t)i;
		if (i &&
		    diff_samples_find_trace(s, x->list[which].v[i]) !=
			    diff_samples_find_trace(s, x->list[which].v[i - 1]))
			vec_push(&x->ends[which], i);
	}
	if (x->list[which].n)
		vec_push(&x->ends[which], x->list[which].n);
}

/* Set hull and trace: the hull of the second side's windows and their trace, if they are in one trace. */
static void diff_samples_find_hull(diff_samples *x)
{
	const side *s = &x->side[1];

	x->hull = IVAL_NOWHERE;
	x->trace = STR_NONE;
	if (x->ends[1].n != 1)
		return;
	x->trace = diff_samples_find_trace(s, x->list[1].v[0]);
	for (size_t i = 0; i < x->list[1].n; i++) {
		ival h = s->proc.v[s->windows.key[2 * x->list[1].v[i]]].hull;
		x->hull = (ival){ h.a < x->hull.a ? h.a : x->hull.a, h.b > x->hull.b ? h.b : x->hull.b };
	}
}

/* Make a scope the current one: list its windows, and find their hull. */
static void diff_samples_enter_scope(diff_samples *x, size_t scope)
{
	if (scope == x->scope)
		return;
	x->scope = scope;
	for (int s = 0; s < DIFF_SIDES; s++)
		diff_samples_list_windows(x, s, scope);
	diff_samples_find_hull(x);
}

/* Replace the samples at v, in place, by their median in each trace.  Returns the number of traces. */
static size_t diff_samples_take_medians(double *v, const size_t *ends, size_t traces)
{
	for (size_t i = 0, from = 0; i < traces; from = ends[i++])
		v[i] = rank_test_median(v + from, ends[i] - from);
	return traces;
}

diff_key_samples diff_samples_of(diff_samples *x, size_t key)
{
	const int64_t *name = &x->keys.key[key * x->keys.width], *scope = &x->scopes.key[3 * name[0]];
	diff_key_samples out = { .rank = scope[0], .process = scope[1], .gpu = scope[2] };
	bool several;

	diff_samples_enter_scope(x, (size_t)name[0]);
	several = x->ends[0].n > 1 && x->ends[1].n > 1;
	for (size_t i = 0; i < x->plan->n; i++)
		out.name[i] = str_at(&x->names, (uint32_t)name[i + 1]);
	out.unit = x->plan->unit_at[0] < 0 ? column_unit(x->plan->measure) : str_at(&x->names, x->units.v[key]);
	for (int s = 0; s < DIFF_SIDES; s++) {
		const side *from = &x->side[s];
		const buckets *cells = &from->cells_of;
		out.n[s] = x->list[s].n;
		out.v[s] = mem_new(double, out.n[s]);
		for (size_t i = cells->first[key]; i < cells->first[key + 1]; i++)
			out.v[s][x->place[s][from->cells.v[2 * cells->list[i] + 1]]] += from->values.v[cells->list[i]];
		out.there[s] = cells->first[key] < cells->first[key + 1];
		if (several)
			out.n[s] = diff_samples_take_medians(out.v[s], x->ends[s].v, x->ends[s].n);
	}
	out.hull = x->hull;
	out.trace = str_at(&x->names, x->trace);
	return out;
}

void diff_key_samples_free(diff_key_samples *s)
{
	for (int i = 0; i < DIFF_SIDES; i++)
		free(s->v[i]);
}

size_t diff_samples_count_keys(const diff_samples *all)
{
	return all->keys.n;
}

bool diff_samples_are_by_process(const diff_samples *all)
{
	return all->by_process;
}

void diff_samples_free(diff_samples *x)
{
	for (int i = 0; i < DIFF_SIDES; i++) {
		side *s = &x->side[i];
		group_free(&s->procs);
		vec_free(&s->proc);
		group_free(&s->windows);
		group_free(&s->members);
		vec_free(&s->cells);
		vec_free(&s->values);
		diff_samples_free_buckets(&s->windows_of);
		diff_samples_free_buckets(&s->procs_of);
		diff_samples_free_buckets(&s->cells_of);
		mem_free(s->last, x->list[i].v, x->ends[i].v, x->place[i]);
	}
	str_free(&x->names);
	group_free(&x->scopes);
	group_free(&x->keys);
	mem_free(x->units.v, x);
}
