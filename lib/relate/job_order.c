#include "relate/job_order.h"
#include "base/group.h"
#include "base/sort.h"
#include "relate/job_clocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CLEARLY = 4 };           /* so many times better is not chance */

typedef struct {                /* a process */
	uint32_t proc;
	vec(job_item) items;    /* its collectives in order of launch; their names are classes: */
	uint32_t clock;         /* what its times are told by: processes of one host share it, */
	int64_t ahead;          /* and its time plus this is the time on that clock */
	uint32_t set;           /* of processes that are aligned with each other; NONE: of none yet */
	int64_t number;         /* of its first item in the order that its set has in common */
} line;

typedef struct {
	bool set;               /* it is known against the first one's: */
	int64_t ahead;          /* its time plus this is the time on the first one */
} host_clock;

/* Why a class is not matched. */
enum verdict { FITS, UNLIKE, MISSING, APART, SEVERAL, VERDICTS };

typedef struct {
	job *j;
	vec(line) lines;        /* in order of rank if all have one, else as they were given */
	bool ranked;            /* do they have ranks 0, 1, 2 and so on? */
	bool missing;           /* does a label say that there are others? */
	group classes;          /* name, kernel and range */
	uint32_t *sets;         /* by class: the set that has it, NONE if several do */
	vec(host_clock) clocks;
	size_t count[VERDICTS]; /* operations */
} ordering;

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

/* The number of the clock of a trace; of one that does not say where or when it was captured, its own. */
static uint32_t clock_of(ordering *o, str_pool *hosts, uint32_t of)
{
	const job_trace *t = &o->j->traces.v[of];
	char own[32];

	snprintf(own, sizeof own, "\n%u", of);
	const char *name = t->host && t->has_utc ? t->host : own;
	uint32_t id = str_id(hosts, name, strlen(name));
	if (id == o->clocks.n)
		vec_push(&o->clocks, (host_clock){ 0 });
	return id;
}

static void find_lines(ordering *o)
{
	job *j = o->j;
	uint32_t *at = mem_new(uint32_t, j->procs.n), *kernel = mem_new(uint32_t, j->ops.n);
	str_pool hosts = { 0 };

	for (size_t i = 0; i < j->kernels.n; i++)
		if (j->kernels.v[i].leads)
			kernel[j->kernels.v[i].op] = j->kernels.v[i].name;
	for (uint32_t i = 0; i < j->ops.n; i++) {
		const job_op *op = &j->ops.v[i];
		uint32_t from = j->procs.v[op->proc].trace;
		job_item item = job_item_of(j, i);
		if (op->messages_only)
			continue;
		if (!at[op->proc]) {
			vec_push(&o->lines, (line){ .proc = op->proc, .clock = clock_of(o, &hosts, from),
				 .ahead = job_utc(j, &j->traces.v[from]), .set = NONE });
			at[op->proc] = (uint32_t)o->lines.n;
		}
		item.name = (uint32_t)group_of(&o->classes, (int64_t[]){ op->name, kernel[i], op->place });
		vec_push(&o->lines.v[at[op->proc] - 1].items, item);
	}
	str_free(&hosts);
	free(at);
	free(kernel);
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

/* How many ranks there are at least: the product of the sizes of the mesh, but for those that say no more of where a
 * process is than the ones before them, as experts within data parallelism do. */
static size_t ranks_of_mesh(const ordering *o)
{
	size_t n = o->lines.n, met = 1, ranks = 1;
	const char **mesh = mem_new(const char *, n);
	int64_t *place = mem_new(int64_t, n);
	bool more = true;

	for (size_t i = 0; i < n; i++)
		mesh[i] = o->j->procs.v[o->lines.v[i].proc].mesh;
	while (more && ranks <= n) {
		group places = { .width = 2 };
		long at, size = 1, largest = 1;
		for (size_t i = 0; i < n; i++) {
			more &= next_size(&mesh[i], &at, &size);
			largest = more && size > largest ? size : largest;
			place[i] = (int64_t)group_of(&places, (int64_t[]){ place[i], more ? at : 0 });
		}
		ranks *= more && (places.n > met || n == 1) ? (size_t)largest : 1;
		met = places.n;
		group_free(&places);
	}
	free(mesh);
	free(place);
	return ranks;
}

static bool ranks_missing(const ordering *o)
{
	bool labelled = false;

	for (size_t i = 0; i < o->lines.n; i++)
		labelled |= o->j->procs.v[o->lines.v[i].proc].rank >= 0;
	return labelled && (!o->ranked || ranks_of_mesh(o) > o->lines.n);
}

/* ---- alignment */

/* What has to be added to the time of one line for that of another, if that is known. */
static int64_t ahead_of(const ordering *o, const line *a, const line *b)
{
	int64_t x = ns_add(a->ahead, o->clocks.v[a->clock].ahead), y = ns_add(b->ahead, o->clocks.v[b->clock].ahead);

	return ns_sub(y, x);
}

/* Align the processes on a known clock with the first of a set. */
static void align_known(ordering *o, const line *root, uint32_t clock)
{
	for (size_t i = 0; i < o->lines.n; i++) {
		line *l = &o->lines.v[i];
		job_alignment a;
		if (l->set == NONE && l->clock == clock &&
		    job_align_by_time(items_of(root), items_of(l), ahead_of(o, root, l), &a)) {
			l->set = root->set;
			l->number = a.shift;
		}
	}
}

/* Find, of all processes of a set and those on clocks that are not known, the two whose ends agree best: ranks that
 * share a group are a divisor of their number apart. */
static line *best_of_ends(ordering *o, uint32_t set, const line **with, job_alignment *best)
{
	line *found = NULL;
	size_t n = o->lines.n;

	for (size_t t = 1; t < n; t++)
		for (size_t i = 0; n % t == 0 && i < n; i++)
			for (int side = 0; side < 2; side++) {
				line *a = &o->lines.v[i], *b = side ? i + t < n ? a + t : NULL : i >= t ? a - t : NULL;
				job_alignment one;
				if (a->set != set || !b || b->set != NONE || o->clocks.v[b->clock].set ||
				    !job_align_by_ends(items_of(a), items_of(b), &one))
					continue;
				if (!found || one.off < best->off) {
					*best = one;
					*with = a;
					found = b;
				}
			}
	return found;
}

/* Find the processes that can be aligned with this one. */
static void grow_set(ordering *o, line *root, uint32_t set)
{
	const line *with;
	job_alignment best = { 0 };
	line *next;

	root->set = set;
	root->number = 0;
	o->clocks.v[root->clock].set = true;
	for (size_t i = 0; i < o->clocks.n; i++)
		if (o->clocks.v[i].set)
			align_known(o, root, (uint32_t)i);
	while ((next = best_of_ends(o, set, &with, &best))) {
		host_clock *c = &o->clocks.v[next->clock];
		c->set = true;
		c->ahead = ns_sub(ns_add(best.ahead, ns_add(with->ahead, o->clocks.v[with->clock].ahead)), next->ahead);
		align_known(o, root, next->clock);
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

/* ---- groups of ranks */

typedef struct {                /* processes that are aligned with each other */
	const line **v;         /* in order of rank */
	size_t n;
	int64_t first, end;     /* the numbers of their items, */
	uint32_t *class;        /* and by number less first, the class; NONE: they disagree */
} aligned;

typedef struct {                /* groups of so many ranks, so far apart */
	size_t size, stride;
} grouping;

static aligned set_of(const ordering *o, uint32_t set)
{
	aligned s = { .v = mem_new(const line *, o->lines.n), .first = INT64_MAX, .end = INT64_MIN };
	bool *seen;

	for (size_t i = 0; i < o->lines.n; i++) {
		const line *l = &o->lines.v[i];
		int64_t end = l->number + (int64_t)l->items.n;
		if (l->set != set)
			continue;
		s.v[s.n++] = l;
		s.first = l->number < s.first ? l->number : s.first;
		s.end = end > s.end ? end : s.end;
	}
	s.class = mem_new(uint32_t, (size_t)(s.end - s.first));
	seen = mem_new(bool, (size_t)(s.end - s.first));
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < s.v[i]->items.n; k++) {
			size_t at = (size_t)(s.v[i]->number - s.first) + k;
			uint32_t class = s.v[i]->items.v[k].name;
			s.class[at] = !seen[at] || s.class[at] == class ? class : NONE;
			seen[at] = true;
		}
	free(seen);
	return s;
}

/* The operation of a process with this number, or NULL. */
static const job_item *item_at(const line *l, int64_t number)
{
	int64_t k = number - l->number;

	return k >= 0 && k < (int64_t)l->items.n ? &l->items.v[k] : NULL;
}

/* The first rank of a group. */
static size_t base_of(const grouping *g, size_t i)
{
	return i / g->stride * g->size * g->stride + i % g->stride;
}

/* The group that a rank is in. */
static size_t group_at(const grouping *g, size_t rank)
{
	return rank / (g->size * g->stride) * g->stride + rank % g->stride;
}

static int64_t on_clock(const ordering *o, const line *l, int64_t moment)
{
	return ns_add(moment, ns_add(l->ahead, o->clocks.v[l->clock].ahead));
}

typedef struct {                /* an operation of a group */
	size_t n;               /* how many take part, of those whose captures hold it */
	int64_t last, end;      /* when the last arrives, and the first ends */
	double wait, mean;      /* of all for the last; and when they end on average, after last */
} meeting;

static meeting meet(const ordering *o, const aligned *s, const grouping *g, size_t which, int64_t number)
{
	meeting m = { .last = INT64_MIN, .end = INT64_MAX };
	const size_t base = base_of(g, which);

	for (size_t i = 0; i < g->size; i++) {
		const job_item *item = item_at(s->v[base + i * g->stride], number);
		int64_t start = item ? on_clock(o, s->v[base + i * g->stride], item->start) : m.last;
		m.last = start > m.last ? start : m.last;
	}
	for (size_t i = 0; i < g->size; i++) {
		const line *l = s->v[base + i * g->stride];
		const job_item *item = item_at(l, number);
		if (!item)
			continue;
		m.n++;
		m.end = on_clock(o, l, item->end) < m.end ? on_clock(o, l, item->end) : m.end;
		m.wait += (double)ns_sub(m.last, on_clock(o, l, item->start));
		m.mean += (double)ns_sub(on_clock(o, l, item->end), m.last);
	}
	m.mean /= m.n ? (double)m.n : 1;
	return m;
}

/* The waits in a class under a grouping; negative if two ranks of a group are ever apart. */
static double waits(const ordering *o, const aligned *s, uint32_t class, const grouping *g)
{
	double sum = 0;

	for (int64_t number = s->first; number < s->end; number++)
		for (size_t i = 0; s->class[number - s->first] == class && i < s->n / g->size; i++) {
			meeting m = meet(o, s, g, i, number);
			if (m.n && m.last > m.end && ns_sub(m.last, m.end) > JOB_TOLERANCE)
				return -1;
			sum += m.wait;
		}
	return sum;
}

/* Are all the groups of one part of a group of the other? */
static bool is_within(const aligned *s, const grouping *small, const grouping *large)
{
	for (size_t i = 0; i < s->n; i++)
		if (group_at(large, i) != group_at(large, base_of(small, group_at(small, i))))
			return false;
	return true;
}

/* Do the parts of groups end together although they do not come together?  Then they are one; parts that have nothing
 * to do with each other end as far apart as their last ranks arrive. */
static bool end_together(const ordering *o, const aligned *s, uint32_t class, const grouping *small,
			 const grouping *large)
{
	meeting *all = mem_new(meeting, s->n / large->size);
	double apart = 0, end_apart = 0;

	for (int64_t number = s->first; number < s->end; number++) {
		if (s->class[number - s->first] != class)
			continue;
		for (size_t i = 0; i < s->n / large->size; i++)
			all[i] = meet(o, s, large, i, number);
		for (size_t i = 0; i < s->n / small->size; i++) {
			meeting part = meet(o, s, small, i, number), *whole = &all[group_at(large, base_of(small, i))];
			double late = part.n ? (double)ns_sub(whole->last, part.last) : 0;
			apart += late;
			end_apart += part.n ? fabs(late + whole->mean - part.mean) : 0;
		}
	}
	free(all);
	return CLEARLY * end_apart <= apart;
}

static int by_size(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return sort_3way(*a, *b);
}

/* How far apart neighbours in a group end, as a median, of those that are not neighbours in the other grouping. */
static double ends_apart(const ordering *o, const aligned *s, uint32_t class, const grouping *g, const grouping *other)
{
	vec(int64_t) all = { 0 };
	double median;

	for (size_t i = 0; i + g->stride < s->n; i++) {
		size_t next = i + g->stride;
		const line *a = s->v[i], *b = s->v[next];
		if (group_at(g, i) != group_at(g, next) || (other && group_at(other, i) == group_at(other, next)))
			continue;
		for (int64_t number = s->first; number < s->end; number++) {
			const job_item *x = item_at(a, number), *y = item_at(b, number);
			if (x && y && s->class[number - s->first] == class)
				vec_push(&all, llabs(ns_sub(on_clock(o, a, x->end), on_clock(o, b, y->end))));
		}
	}
	qsort(all.v, all.n, sizeof *all.v, by_size);
	median = all.n ? (double)all.v[all.n / 2] : 0;
	vec_free(&all);
	return median;
}

/* Can smaller groups, which account for some of the waits, be meant as well as larger ones? */
static bool rival(const ordering *o, const aligned *s, uint32_t class, const grouping *small, const grouping *large,
		  double share)
{
	if (is_within(s, small, large) && end_together(o, s, class, small, large))
		return false;
	return share >= .9 || CLEARLY * ends_apart(o, s, class, small, NULL) <= ends_apart(o, s, class, large, small);
}

/* The groups that a class is matched in, if it is clear which. */
static enum verdict judge(const ordering *o, const aligned *s, uint32_t class, grouping *best)
{
	double most = 0;

	*best = (grouping){ 0 };
	for (size_t size = s->n; size > 1; size--)
		for (size_t stride = 1; s->n % size == 0 && stride <= s->n / size; stride++) {
			grouping g = { size, stride };
			double wait = s->n / size % stride ? -1 : waits(o, s, class, &g);
			if (wait < 0)
				continue;
			double share = most > 0 ? wait / most : 1;
			if (best->size && (size == best->size || rival(o, s, class, &g, best, share)))
				return SEVERAL;
			if (!best->size) {
				*best = g;
				most = wait;
			}
		}
	return !best->size ? APART : best->size < s->n && !o->ranked ? SEVERAL : FITS;
}

/* ---- what was found */

/* Make a communicator of the ranks of a group. */
static void add_group(ordering *o, const aligned *s, uint32_t class, const grouping *g, size_t base)
{
	job *j = o->j;
	job_comm c = { .id = j->comms.n, .size = TRACE_UNKNOWN, .first = j->members.n, .by_order = true };

	for (size_t i = 0; i < g->size; i++) {
		const line *l = s->v[base + i * g->stride];
		job_member m = { .comm = (uint32_t)j->comms.n, .proc = l->proc, .rank = TRACE_UNKNOWN, .peer = JOB_NOBODY,
			.aligned = true };
		for (int64_t number = s->first; number < s->end; number++) {
			const job_item *item = item_at(l, number);
			if (s->class[number - s->first] != class)
				continue;
			m.shift += !item && !m.items.n;
			if (item) {
				vec_push(&m.items, *item);
				j->ops.v[item->at].seq = number - s->first;
			}
		}
		vec_push(&j->members, m);
		c.n++;
	}
	vec_push(&j->comms, c);
}

static void match_set(ordering *o, uint32_t set)
{
	aligned s = set_of(o, set);
	size_t *ops = mem_new(size_t, o->classes.n);
	bool *all = mem_new(bool, o->classes.n);

	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < s.v[i]->items.n; k++) {
			const job_item *item = &s.v[i]->items.v[k];
			ops[item->name]++;
			all[item->name] = item->needs_all;
		}
	for (uint32_t class = 0; class < o->classes.n; class++) {
		grouping g;
		enum verdict v = !ops[class] || !all[class] ? VERDICTS : s.n < 2 || o->sets[class] != set ? UNLIKE :
			o->missing ? MISSING : judge(o, &s, class, &g);
		for (size_t i = 0; v == FITS && i < s.n / g.size; i++)
			add_group(o, &s, class, &g, base_of(&g, i));
		if (v != VERDICTS)
			o->count[v] += ops[class];
	}
	free(s.v);
	free(s.class);
	free(ops);
	free(all);
}

static void say_found(const ordering *o, notes *say)
{
	static const char *const why[VERDICTS] = {
		[UNLIKE] = "the processes do not have the same ones",
		[MISSING] = "a setup label says that there are other ranks; give the traces of all",
		[APART] = "they do not run at the same times",
		[SEVERAL] = "it is not clear which ranks take part in them together",
	};

	if (o->count[FITS])
		notes_remark(say, "%zu operations were matched by their order, because no trace holds NCCL's payloads; their "
			     "communicators and sizes are not known", o->count[FITS]);
	for (int i = FITS + 1; i < VERDICTS; i++)
		if (o->count[i])
			notes_remark(say, "%zu operations could not be matched by their order: %s", o->count[i], why[i]);
}

void job_order(job *j, notes *say)
{
	ordering o = { .j = j, .classes.width = 3 };
	uint32_t sets;

	find_lines(&o);
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
	vec_free(&o.lines);
	vec_free(&o.clocks);
	group_free(&o.classes);
	free(o.sets);
}
