#include "relate/job_order_parts.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <stdio.h>
#include <string.h>

static job_sequence items_of(const line *l)
{
	return (job_sequence){ l->items.v, l->items.n };
}

/* ---- the processes */

static int by_rank(const void *x, const void *y)
{
	const line *a = x, *b = y;

	return sort_3way(a->number, b->number);
}

/* Are the ranks of the lines 0, 1, 2 and so on?  Puts them in this order if so. */
static bool sort_by_rank(ordering *o)
{
	size_t n = o->lines.n, sum = 0;
	bool *met = mem_new(bool, n);

	for (size_t i = 0; i < n; i++) {
		line *l = &o->lines.v[i];
		int64_t rank = o->j->procs.v[l->proc].rank;
		l->number = rank;
		if (rank >= 0 && rank < (int64_t)n && !met[rank]) {
			met[rank] = true;
			sum++;
		}
	}
	free(met);
	if (n && sum == n)
		qsort(o->lines.v, n, sizeof *o->lines.v, by_rank);
	return sum == n;
}

static void find_lines(ordering *o)
{
	job *j = o->j;
	uint32_t *at = mem_new(uint32_t, j->procs.n), *kernel = mem_new(uint32_t, j->ops.n);
	size_t *count = mem_new(size_t, j->procs.n);

	for (size_t i = 0; i < j->ops.n; i++)
		count[j->ops.v[i].proc] += !j->ops.v[i].messages_only;
	for (size_t i = 0; i < j->kernels.n; i++)
		if (j->kernels.v[i].leads)
			kernel[j->kernels.v[i].op] = j->kernels.v[i].name;
	for (uint32_t i = 0; i < j->ops.n; i++) {
		const job_op *op = &j->ops.v[i];
		job_item item = job_item_of(j, i);
		if (op->messages_only)
			continue;
		if (!at[op->proc]) {
			vec_push(&o->lines, (line){ op->proc, .trace = j->procs.v[op->proc].trace, .set = NONE });
			at[op->proc] = (uint32_t)o->lines.n;
			vec_reserve(&o->lines.v[o->lines.n - 1].items, count[op->proc]);
		}
		item.name = (uint32_t)group_of_width(&o->classes, 3, (int64_t[]){ op->name, kernel[i], op->place });
		vec_push(&o->lines.v[at[op->proc] - 1].items, item);
	}
	mem_free(at, kernel, count);
	o->ranked = sort_by_rank(o);
}

/* ---- labels that say how many ranks there are */

/* The next size of a mesh as in "pp=0/2 dp=1/4", and where the process is in it; false: there is none. */
static bool next_size(const char **mesh, long *at, long *size)
{
	for (; *mesh && (*mesh = strchr(*mesh, '=')); ) {
		char *end;
		*at = strtol(++*mesh, &end, 10);
		if (*end != '/')
			continue;
		*size = strtol(end + 1, &end, 10);
		*mesh = end;
		return true;
	}
	return false;
}

/* The sizes of the mesh, but for those that say no more of where a process is than the ones before them, as experts
 * within data parallelism do. */
static void find_mesh(ordering *o)
{
	size_t n = o->lines.n, met = 1;
	const char **mesh = mem_new(const char *, n);
	int64_t *place = mem_new(int64_t, n);
	bool more = n;

	for (size_t i = 0; i < n; i++)
		mesh[i] = o->j->procs.v[o->lines.v[i].proc].mesh;
	while (more) {
		group places = { .width = 2 };
		long at, size = 1, largest = 1;
		for (size_t i = 0; i < n; i++) {
			more &= next_size(&mesh[i], &at, &size);
			largest = more && size > largest ? size : largest;
			place[i] = (int64_t)group_of(&places, (int64_t[]){ place[i], more ? at : 0 });
		}
		if (more && largest > 1 && places.n > met)
			vec_push(&o->mesh, (size_t)largest);
		met = places.n;
		group_free(&places);
	}
	mem_free(mesh, place);
}

/* How many ranks the mesh has. */
static size_t ranks_of_mesh(const ordering *o)
{
	size_t ranks = 1;

	for (size_t i = 0; i < o->mesh.n && ranks <= o->lines.n; i++)
		ranks *= o->mesh.v[i];
	return ranks;
}

static bool ranks_missing(const ordering *o)
{
	bool labelled = false;

	for (size_t i = 0; i < o->lines.n; i++)
		labelled |= o->j->procs.v[o->lines.v[i].proc].rank >= 0;
	return labelled && (!o->ranked || ranks_of_mesh(o) > o->lines.n);
}

bool job_order_not_in_mesh(const ordering *o, size_t size)
{
	if (!o->ranked || !o->mesh.n || o->mesh.n > 16 || ranks_of_mesh(o) != o->lines.n)
		return false;
	for (unsigned some = 1; some < 1u << o->mesh.n; some++) {
		size_t product = 1;
		for (size_t i = 0; i < o->mesh.n; i++)
			product *= some >> i & 1 ? o->mesh.v[i] : 1;
		if (product == size)
			return false;
	}
	return true;
}

/* ---- alignment */

static bool same_host(const job_trace *a, const job_trace *b)
{
	return a->host && b->host && strcmp(a->host, b->host) == 0 && a->has_utc && b->has_utc;
}

/* Align two processes of different traces, and their clocks.  On one host UTC says which operations are the same,
 * unless others end together and these do not; by how much it is wrong, the ends say if they agree, and it cannot be
 * much. */
static bool align_two(const ordering *o, const line *a, const line *b, job_alignment *out)
{
	enum { MUCH = 1000000 };
	const job_trace *x = &o->j->traces.v[a->trace], *y = &o->j->traces.v[b->trace];
	int64_t utc = ns_sub(job_utc(o->j, y), job_utc(o->j, x));
	job_alignment by_time, ends;
	bool clear = job_align_by_ends(items_of(a), items_of(b), out) && out->off <= JOB_TOLERANCE;

	if (!same_host(x, y))
		return clear;
	if (!job_align_by_time(items_of(a), items_of(b), utc, &by_time) ||
	    !job_align_at(items_of(a), items_of(b), by_time.shift, &ends))
		return false;
	if (clear && out->shift != by_time.shift && CLEARLY * out->off <= ends.off)
		return true;
	*out = ends.off <= JOB_TOLERANCE ? ends : by_time;
	if (by_time.shift && job_agree(items_of(a), items_of(b), 0) &&
	    (a->items.n == b->items.n ||
	     (job_align_at(items_of(a), items_of(b), 0, &ends) && ends.off <= JOB_TOLERANCE)))
		return false;           /* or they were captured over the same stretch, and UTC is wrong */
	return llabs(ns_sub(out->ahead, utc)) <= MUCH;
}

/* A process is on a clock that is known now: try those on other clocks with it.  Ranks that share a group are a divisor
 * of their number apart. */
static void try_others(ordering *o, uint32_t at)
{
	uint32_t n = (uint32_t)o->lines.n;
	const line *a = &o->lines.v[at];

	for (uint32_t t = 1; t < n; t++)
		for (int side = 0; n % t == 0 && side < 2; side++) {
			uint32_t other = side ? at + t : at - t;
			line *b = other < n ? &o->lines.v[other] : NULL;
			own_clock *c = b ? &o->clocks[b->trace] : NULL;
			job_alignment one;
			if (!b || b->set != NONE || c->known || !align_two(o, a, b, &one))
				continue;
			if (c->with == NONE || one.off < c->best.off) {
				c->best = one;
				c->with = at;
				c->line = other;
			}
		}
}

typedef struct {
	ordering *o;
	const line *root;
	uint32_t clock;
} aligning;

static void align_line(void *ctx, size_t i)
{
	const aligning *x = ctx;
	line *l = &x->o->lines.v[i];
	int64_t ahead = ns_sub(x->o->clocks[x->clock].ahead, x->o->clocks[x->root->trace].ahead);
	job_alignment a;

	if (l->trace != x->clock || l->set != NONE || !job_align_by_time(items_of(x->root), items_of(l), ahead, &a))
		return;
	l->set = x->root->set;
	l->number = a.shift;
}

/* Align the processes on a clock that is known with the first of a set. */
static void align_known(ordering *o, const line *root, uint32_t clock)
{
	par_do(o->j->threads, o->lines.n, align_line, &(aligning){ o, root, clock });
	for (uint32_t i = 0; i < o->lines.n; i++)
		if (o->lines.v[i].trace == clock && o->lines.v[i].set == root->set)
			try_others(o, i);
}

/* Find the processes that can be aligned with this one: those whose ends agree best first. */
static void grow_set(ordering *o, line *root, uint32_t set)
{
	own_clock *next = &o->clocks[root->trace];

	root->set = set;
	root->number = 0;
	next->known = true;
	for (uint32_t i = 0; i < o->j->traces.n; i++)
		if (o->clocks[i].known)
			align_known(o, root, i);
	while (next) {
		next = NULL;
		for (size_t i = 0; i < o->j->traces.n; i++) {
			own_clock *c = &o->clocks[i];
			if (!c->known && c->with != NONE && (!next || c->best.off < next->best.off))
				next = c;
		}
		if (!next)
			break;
		o->unsure |= next->best.off > JOB_TOLERANCE;
		next->known = true;
		next->ahead = ns_add(next->best.ahead, o->clocks[o->lines.v[next->with].trace].ahead);
		align_known(o, root, (uint32_t)(next - o->clocks));
	}
}

static uint32_t find_sets(ordering *o)
{
	uint32_t sets = 0;
	line *root;

	do {
		root = NULL;
		for (size_t i = 0; i < o->lines.n; i++) {
			line *l = &o->lines.v[i];
			if (l->set == NONE && (!root || l->items.n > root->items.n))
				root = l;
		}
		if (root)
			grow_set(o, root, sets++);
	} while (root);
	return sets;
}

/* ---- what was found */

static int by_proc(const void *x, const void *y)
{
	const job_member *a = x, *b = y;

	return sort_3way(a->proc, b->proc);
}

/* Make a communicator of the ranks of a group.  seq: by number, that of the first group. */
static void add_group(ordering *o, const aligned *s, uint32_t class, const grouping *g, size_t which,
		      const int64_t *seq)
{
	job *j = o->j;
	job_comm c = { .id = j->comms.n, .size = TRACE_UNKNOWN, .first = j->members.n, .n = g->size, .by_order = true };

	for (size_t i = 0; i < g->size; i++) {
		const line *l = s->v[job_groups_base(g, which) + i * g->stride];
		job_member m = { .comm = (uint32_t)j->comms.n, .proc = l->proc, .rank = TRACE_UNKNOWN,
			.peer = JOB_NOBODY, .aligned = true };
		for (int64_t number = s->first; number < s->end; number++) {
			const job_item *item = job_groups_item(l, number);
			if (s->class[number - s->first] != class)
				continue;
			m.shift += !item && !m.items.n;
			if (item) {
				vec_push(&m.items, *item);
				j->ops.v[item->at].seq = seq[number - s->first] + (int64_t)which;
			}
		}
		vec_push(&j->members, m);
	}
	for (int64_t number = s->first; number < s->end; number++) {
		size_t n = s->class[number - s->first] == class ? job_groups_meet(o, s, g, which, number).n : 0;
		o->count[FITS] += n > 1 ? n : 0;        /* what the other captures lack is matched with nothing */
	}
	qsort(&j->members.v[c.first], c.n, sizeof *j->members.v, by_proc);
	vec_push(&j->comms, c);
}

/* Number the collectives of a set: those of one place in the order by group. */
static int64_t *number_all(ordering *o, const aligned *s, const grouping *g)
{
	int64_t *seq = mem_new(int64_t, (size_t)(s->end - s->first));

	for (int64_t i = 0; i < s->end - s->first; i++) {
		seq[i] = o->numbered;
		if (s->class[i] != NONE && g[s->class[i]].size)
			o->numbered += (int64_t)(s->n / g[s->class[i]].size);
	}
	return seq;
}

static void match_set(ordering *o, uint32_t set)
{
	aligned s = job_groups_set(o, set);
	size_t *ops = mem_new(size_t, o->classes.n);
	grouping *g = mem_new(grouping, o->classes.n);
	int64_t *seq;

	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < s.v[i]->items.n; k++)
			ops[s.v[i]->items.v[k].name] += s.v[i]->items.v[k].needs_all;
	for (uint32_t class = 0; class < o->classes.n; class++) {
		enum verdict v = !ops[class] || s.n < 2 || o->sets[class] != set ? UNLIKE : o->missing ? MISSING :
			job_groups_judge(o, &s, class, &g[class]);
		size_t out = v == FITS && g[class].size < s.n ? job_groups_leave_out(o, &s, class, &g[class]) : 0;
		o->count[SEVERAL] += out;
		o->count[v] += v == FITS ? 0 : ops[class];
		if (v != FITS)
			g[class].size = 0;
	}
	seq = number_all(o, &s, g);
	for (uint32_t class = 0; class < o->classes.n; class++)
		for (size_t i = 0; g[class].size && i < s.n / g[class].size; i++)
			add_group(o, &s, class, &g[class], i, seq);
	mem_free(s.v, s.class, ops, g, seq);
}

static void say_found(const ordering *o, notes *say)
{
	static const char *const why[VERDICTS] = {
		[UNLIKE] = "the processes do not have the same ones, or it is not clear which of them are",
		[MISSING] = "a setup label says that there are other ranks; give the traces of all",
		[APART] = "they do not run at the same times",
		[SEVERAL] = "it is not clear which ranks take part in them together",
	};

	if (o->count[FITS])
		notes_remark(say, "%zu operations were matched by their order, because no trace holds NCCL's payloads; "
			     "their communicators and sizes are not known", o->count[FITS]);
	for (int i = FITS + 1; i < VERDICTS; i++)
		if (o->count[i])
			notes_remark(say, "%zu operations could not be matched by their order: %s", o->count[i],
				     why[i]);
}

void job_order(job *j, notes *say)
{
	ordering o = { .j = j, .classes.width = 3 };
	uint32_t sets;

	o.clocks = mem_new(own_clock, j->traces.n);
	for (size_t i = 0; i < j->traces.n; i++)
		o.clocks[i].with = NONE;
	find_lines(&o);
	find_mesh(&o);
	o.missing = ranks_missing(&o);
	sets = o.lines.n > 1 ? find_sets(&o) : 0;
	o.sets = mem_new(uint32_t, o.classes.n);
	for (size_t i = 0; sets && i < o.classes.n; i++)
		o.sets[i] = sets;
	for (size_t i = 0; sets && i < o.lines.n; i++)
		for (size_t k = 0; k < o.lines.v[i].items.n; k++) {
			uint32_t *set = &o.sets[o.lines.v[i].items.v[k].name];
			*set = *set == sets || *set == o.lines.v[i].set ? o.lines.v[i].set : NONE;
		}
	for (uint32_t i = 0; i < sets; i++)
		match_set(&o, i);
	say_found(&o, say);
	for (size_t i = 0; i < o.lines.n; i++)
		vec_free(&o.lines.v[i].items);
	mem_free(o.lines.v, o.clocks, o.mesh.v);
	group_free(&o.classes);
	free(o.sets);
}
