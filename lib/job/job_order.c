#include "job/job_parts.h"
#include "base/group.h"
#include "base/sort.h"
#include "base/stats.h"

#include <stdio.h>
#include <string.h>

typedef struct {
	uint32_t proc;          /* index in job.procs */
	int64_t rank;           /* its rank; -1 if its label has none */
	vec(job_item) items;    /* its collectives in order of launch; job_item.name is the index of their class in
				 * job_order_ctx.classes */
	int64_t ahead;          /* nanoseconds to add to its times to get times of the first process */
} process;

enum { CLEARLY = 4 };           /* a factor that chance does not explain */

/* Are the operations of a class matched and, if not, why? */
enum verdict {
	FITS,                   /* they are matched */
	UNLIKE,                 /* the processes may have run different operations */
	MISSING,                /* there are ranks without a trace */
	APART,                  /* the processes did not run at the same time */
	SEVERAL,                /* it is not clear which processes took part in each operation */
	VERDICTS
};

typedef struct {
	job *j;
	uint32_t world;
	vec(process) processes; /* those of the distributed run `world` that have collectives, in order of rank */
	size_t ops;             /* number of collectives of each process, which must be the same for all; operation i
				 * is the i-th collective of each process */
	group classes;          /* operations with the same key are a class; keys: the names of the operation, of its
				 * first kernel, and of the range around it */
	bool missing;           /* do labels say that there are other ranks? */
	size_t dimensions;      /* number of dimensions of the mesh in the labels */
	vec(int64_t) positions; /* by dimension, then process: the position of the process along the dimension */
	bool whole;             /* are these processes the whole mesh? */
	size_t ways;            /* number of ways to form groups: one along each dimension of a whole mesh; otherwise
				 * only one, with all processes in one group */
	uint32_t *first;        /* by way, then process: the index of the first process of its group */
	bool unsure;            /* is some clock known by UTC alone? */
	uint32_t *way;          /* by operation: the way in which it is matched, or NONE */
	size_t count[VERDICTS]; /* by verdict: number of operations */
} job_order_ctx;

/* ---- the processes */

static int job_order_compare_ranks(const void *x, const void *y)
{
	const process *a = x, *b = y;

	return a->rank != b->rank ? sort_3way(a->rank, b->rank) : sort_3way(a->proc, b->proc);
}

static void job_order_find_processes(job_order_ctx *o)
{
	job *j = o->j;
	uint32_t *at = mem_new(uint32_t, j->procs.n), *kernel = mem_new(uint32_t, j->ops.n);

	for (size_t i = 0; i < j->kernels.n; i++)
		if (j->kernels.v[i].leads)
			kernel[j->kernels.v[i].op] = j->kernels.v[i].name;
	for (uint32_t i = 0; i < j->ops.n; i++) {
		const job_op *op = &j->ops.v[i];
		job_item item = job_item_of(j, i);
		if (op->messages_only || job_world(j, op->proc) != o->world)
			continue;
		if (!at[op->proc]) {
			vec_push(&o->processes, (process){ .proc = op->proc, .rank = j->procs.v[op->proc].rank });
			at[op->proc] = (uint32_t)o->processes.n;
		}
		item.name = (uint32_t)group_of(&o->classes, (int64_t[]){ op->name, kernel[i], op->place });
		vec_push(&o->processes.v[at[op->proc] - 1].items, item);
	}
	mem_free(at, kernel);
	if (o->processes.n)
		qsort(o->processes.v, o->processes.n, sizeof *o->processes.v, job_order_compare_ranks);
}

/* Do all processes have the same collectives in the same order? */
static bool job_order_are_alike(const job_order_ctx *o)
{
	const process *first = o->processes.v;

	for (const process *p = first + 1; p < first + o->processes.n; p++) {
		if (p->items.n != first->items.n)
			return false;
		for (size_t i = 0; i < p->items.n; i++)
			if (p->items.v[i].name != first->items.v[i].name)
				return false;
	}
	return true;
}

/* ---- the ranks and the mesh that labels name */

/* Reads the next dimension of a mesh such as "pp=0/2 dp=1/4", and moves *mesh behind it.  *at gets the position of the
 * process along the dimension, and *size its size.  False: there is no further dimension. */
static bool job_order_read_dimension(const char **mesh, long *at, long *size)
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

/* Reads the labels.  A dimension of the mesh counts only if it distinguishes processes that are equal in all dimensions
 * before it.  A dimension of experts that is a part of data parallelism does not. */
static void job_order_read_labels(job_order_ctx *o)
{
	size_t n = o->processes.n, distinct = 1, ranks = 1;     /* distinct: number of different positions so far */
	const char **mesh = mem_new(const char *, n);
	int64_t *position = mem_new(int64_t, n), *own = mem_new(int64_t, n);
	bool more = n, labelled = false, ranked = true;

	for (size_t i = 0; i < n; i++) {
		mesh[i] = o->j->procs.v[o->processes.v[i].proc].mesh;
		labelled |= o->processes.v[i].rank >= 0;
		ranked &= o->processes.v[i].rank == (int64_t)i;
	}
	while (more && ranks <= n) {
		group positions = { .width = 2 };
		long at, size = 1, largest = 1;
		for (size_t i = 0; i < n; i++) {
			more &= job_order_read_dimension(&mesh[i], &at, &size);
			largest = more && size > largest ? size : largest;
			own[i] = more ? at : 0;
			position[i] = (int64_t)group_of(&positions, (int64_t[]){ position[i], own[i] });
		}
		if (more && largest > 1 && positions.n > distinct) {
			o->dimensions++;
			ranks *= (size_t)largest;
			for (size_t i = 0; i < n; i++)
				vec_push(&o->positions, own[i]);
		}
		distinct = positions.n;
		group_free(&positions);
	}
	o->missing = labelled && (!ranked || ranks > n);
	o->whole = ranked && o->dimensions && ranks == n && distinct == n;
	mem_free(mesh, position, own);
}

/* Are two processes equal in all dimensions but this one? */
static bool job_order_differ_only_in(const job_order_ctx *o, size_t dimension, size_t a, size_t b)
{
	for (size_t i = 0; i < o->dimensions; i++)
		if (i != dimension && o->positions.v[i * o->processes.n + a] != o->positions.v[i * o->processes.n + b])
			return false;
	return true;
}

static void job_order_find_ways(job_order_ctx *o)
{
	size_t n = o->processes.n;

	o->ways = o->whole ? o->dimensions : 1;
	o->first = mem_new(uint32_t, o->ways * n);
	for (size_t way = 0; o->ways > 1 && way < o->ways; way++)
		for (size_t i = 0; i < n; i++)
			while (!job_order_differ_only_in(o, way, o->first[way * n + i], i))
				o->first[way * n + i]++;
}

/* The index of the first process of the group to which a process belongs. */
static size_t job_order_first_of_group(const job_order_ctx *o, size_t way, size_t at)
{
	return o->first[way * o->processes.n + at];
}

/* ---- clocks */

static const job_trace *job_order_trace_of(const job_order_ctx *o, const process *p)
{
	return &o->j->traces.v[o->j->procs.v[p->proc].trace];
}

/* Are both traces of one host, with known UTC? */
static bool job_order_can_compare_utc(const job_trace *a, const job_trace *b)
{
	return a->host && b->host && strcmp(a->host, b->host) == 0 && a->has_utc && b->has_utc;
}

/* Measures how much later the operations of a end than those of b.  *ahead gets the median over the operations of one
 * class, ns; half of them differ from it by at most *off.  Among the classes with at least ten operations, the one with
 * the least *off is taken; if none has ten, the one with the most operations.  False: no operation needs all
 * processes. */
static bool job_order_compare_ends(const job_order_ctx *o, const job_item *a, const job_item *b, size_t ops,
				   int64_t *ahead, int64_t *off)
{
	enum { ENOUGH = 10 };
	int64_t *apart = mem_new(int64_t, ops);
	size_t most = 1;

	*off = -1;
	for (uint32_t class = 0; class < o->classes.n; class++) {
		size_t n = 0, least;
		int64_t median;
		for (size_t i = 0; i < ops; i++)
			if (a[i].name == class && a[i].needs_all)
				apart[n++] = ns_sub(a[i].end, b[i].end);
		least = most < ENOUGH ? most : ENOUGH;
		if (n < least)
			continue;
		median = stats_median(apart, n);
		for (size_t i = 0; i < n; i++)
			apart[i] = apart[i] > median ? ns_sub(apart[i], median) : ns_sub(median, apart[i]);
		if (*off < 0 || (most < ENOUGH && n > most) || stats_median(apart, n) < *off) {
			*off = stats_median(apart, n);
			*ahead = median;
		}
		most = n > most ? n : most;
	}
	free(apart);
	return *off >= 0;
}

/* Can the two captures hold different stretches of the same operations?  If so, there is a shift after which the ends
 * agree about as well and, on one host, the clock distance that they tell is closer to that by UTC (`utc`).  How well
 * fewer than FEW ends agree proves nothing.  Then the second condition is enough.  off and from_utc are for no shift:
 * by how much the ends disagree (job_order_compare_ends), and by how much the distance that they tell differs from
 * `utc`, ns (INT64_MAX: UTC is not known). */
static bool job_order_fits_shifted(const job_order_ctx *o, const process *a, const process *b, int64_t off, int64_t utc,
				   int64_t from_utc)
{
	enum { SHIFTS = 64, FEW = 20, SOME = 1000 };
	job_sequence x = { a->items.v, o->ops }, y = { b->items.v, o->ops };

	for (size_t shift = 1, tried = 0; tried < SHIFTS && shift <= o->ops / 2; shift++) {
		size_t n = o->ops - shift < SOME ? o->ops - shift : SOME;
		bool agree = job_items_agree(x, y, (int64_t)shift);
		for (int back = 0; agree && back < 2; back++) {
			int64_t ahead, other;
			if (job_order_compare_ends(o, x.v + (back ? 0 : shift), y.v + (back ? shift : 0), n, &ahead,
						   &other) &&
			    (o->ops < FEW || other / CLEARLY < off) && llabs(ns_sub(ahead, utc)) < from_utc)
				return true;
		}
		tried += agree;
	}
	return false;
}

/* Sets the clock of a process by that of `reference`, a process of another trace.  If their ends agree, the ends say
 * how far the clocks are apart; otherwise UTC does, if both are on one host.  False: neither says it, or the captures
 * may have begun at different operations. */
static bool job_order_set_clock(job_order_ctx *o, process *p, const process *reference, int64_t ahead, int64_t off)
{
	enum { MUCH = 1000000 };
	const job_trace *own = job_order_trace_of(o, p), *other = job_order_trace_of(o, reference);
	int64_t utc = job_compare_utc(other, own), from_utc = llabs(ns_sub(ahead, utc));
	bool agree = off <= JOB_TOLERANCE, has_utc = job_order_can_compare_utc(own, other);

	if (agree ? (has_utc && from_utc > MUCH) ||
			    job_order_fits_shifted(o, reference, p, off, utc, has_utc ? from_utc : INT64_MAX) :
		    !has_utc)
		return false;
	p->ahead = ns_add(reference->ahead, agree ? ahead : utc);
	o->unsure |= !agree;
	return true;
}

/* Finds the clock of a process.  An earlier process of its trace has the same clock.  If there is none, the clock is
 * set from the first process of one of its groups: the one whose ends agree best with its own. */
static bool job_order_find_clock(job_order_ctx *o, size_t at)
{
	process *p = &o->processes.v[at], *best = NULL;
	int64_t ahead = 0, off, best_ahead = 0, best_off = INT64_MAX;

	for (const process *k = o->processes.v; k < p; k++)
		if (job_order_trace_of(o, k) == job_order_trace_of(o, p)) {
			p->ahead = k->ahead;
			return true;
		}
	for (size_t way = 0; way < o->ways; way++) {
		process *other = &o->processes.v[job_order_first_of_group(o, way, at)];
		if (other == p || !job_order_compare_ends(o, other->items.v, p->items.v, o->ops, &ahead, &off) ||
		    off >= best_off)
			continue;
		best = other;
		best_ahead = ahead;
		best_off = off;
	}
	return best && job_order_set_clock(o, p, best, best_ahead, best_off);
}

static bool job_order_find_clocks(job_order_ctx *o)
{
	for (size_t i = 1; i < o->processes.n; i++)
		if (!job_order_find_clock(o, i))
			return false;
	return true;
}

/* ---- who meets */

typedef struct {                /* how far apart the processes of a group are in an operation */
	int64_t arrivals;       /* from the first to the last arrival, ns */
	int64_t ends;           /* from the first to the last end, ns */
} spread;

/* Measures an operation in the group that begins with process `first`.  False: a process had ended the operation before
 * another one arrived. */
static bool job_order_measure_group(const job_order_ctx *o, size_t way, size_t first, size_t op, spread *s)
{
	ival starts = IVAL_NOWHERE, ends = IVAL_NOWHERE;

	for (size_t i = first; i < o->processes.n; i++) {
		const process *p = &o->processes.v[i];
		if (job_order_first_of_group(o, way, i) != first)
			continue;
		int64_t start = ns_add(p->items.v[op].start, p->ahead), end = ns_add(p->items.v[op].end, p->ahead);
		starts = (ival){ ns_min(starts.a, start), ns_max(starts.b, start) };
		ends = (ival){ ns_min(ends.a, end), ns_max(ends.b, end) };
	}
	*s = (spread){ ns_sub(starts.b, starts.a), ns_sub(ends.b, ends.a) };
	return starts.b <= ends.a || ns_sub(starts.b, ends.a) <= JOB_TOLERANCE;
}

/* Do the processes of a group take part in its operations together?  If so, they end together however far apart they
 * arrive, while the ends of strangers are as far apart as their arrivals.  Only operations count whose arrivals are
 * four times as far apart as the ends of a typical operation.  spreads: n of them, one for each operation and group. */
static bool job_order_ends_together(const spread *spreads, size_t n)
{
	enum { FEW = 3 };
	int64_t *ends = mem_new(int64_t, n), mostly;
	size_t telling = 0, follow = 0;

	for (size_t i = 0; i < n; i++)
		ends[i] = spreads[i].ends;
	mostly = n ? stats_median(ends, n) : 0;
	for (size_t i = 0; i < n; i++)
		if (spreads[i].arrivals / CLEARLY > mostly) {
			telling++;
			follow += spreads[i].ends > spreads[i].arrivals / CLEARLY;
		}
	free(ends);
	return telling >= FEW && 2 * telling >= n && 20 * follow <= telling;
}

/* The median distance between the ends of these operations in process `at` and in the first process of its group, ns.
 * apart[i]: gets the distance for operation i. */
static int64_t job_order_measure_ends(const job_order_ctx *o, const size_t *ops, size_t n, size_t way, size_t at,
				      int64_t *apart)
{
	const process *a = &o->processes.v[job_order_first_of_group(o, way, at)], *b = &o->processes.v[at];

	for (size_t i = 0; i < n; i++)
		apart[i] = ns_sub(ns_add(a->items.v[ops[i]].end, a->ahead), ns_add(b->items.v[ops[i]].end, b->ahead));
	return stats_median(apart, n);
}

/* The way in which the ends of these operations agree best.  *off: the median deviation of the ends from their usual
 * distance, ns, in the process in which it is largest. */
static size_t job_order_find_best_way(const job_order_ctx *o, const size_t *ops, size_t n, int64_t *off)
{
	int64_t *apart = mem_new(int64_t, n);
	size_t best = 0;

	*off = INT64_MAX;
	for (size_t way = 0; way < o->ways; way++) {
		int64_t most = 0;
		for (size_t i = 0; i < o->processes.n; i++) {
			int64_t median = job_order_measure_ends(o, ops, n, way, i, apart);
			for (size_t k = 0; k < n; k++)
				apart[k] = llabs(ns_sub(apart[k], median));
			most = ns_max(most, stats_median(apart, n));
		}
		best = most < *off ? way : best;
		*off = ns_min(*off, most);
	}
	free(apart);
	return best;
}

/* Finds the dimension of the mesh along which processes meet in operations, and clears fits[] for operations in which
 * they do not.  An operation fits if it ends together in each group of this dimension, but never in two processes that
 * differ in another dimension, as operations of other or larger groups would.  Clocks may be wrong.  So in another
 * dimension, ends also count as together if their distance is the usual one of the two processes. */
static size_t job_order_find_dimension(const job_order_ctx *o, const size_t *ops, size_t n, bool *fits)
{
	int64_t *apart = mem_new(int64_t, n), off;
	size_t best = job_order_find_best_way(o, ops, n, &off);
	int64_t close = ns_max(CLEARLY * off, JOB_TOLERANCE);

	for (size_t way = 0; way < o->ways; way++)
		for (size_t i = 0; i < o->processes.n; i++) {
			int64_t median = job_order_measure_ends(o, ops, n, way, i, apart);
			for (size_t k = 0; job_order_first_of_group(o, way, i) != i && k < n; k++)
				fits[k] &= way == best ? llabs(apart[k]) <= close :
					llabs(apart[k]) > close && llabs(ns_sub(apart[k], median)) > close;
		}
	free(apart);
	return best;
}

/* Decides whether a class of operations is matched.  If so, sets their `way`.  Labels of one dimension say who takes
 * part.  Labels of several dimensions say that there are smaller groups, but only the ends of operations show to which
 * groups they belong. */
static enum verdict job_order_judge_class(const job_order_ctx *o, uint32_t class)
{
	size_t *ops = mem_new(size_t, o->ops), n = 0, way = 0, nspreads = 0;
	spread *spreads = mem_new(spread, o->ops * o->processes.n);
	bool *fits = mem_new(bool, o->ops), apart = false, clear = o->ways > 1 ? !o->unsure : !o->dimensions;

	for (size_t i = 0; i < o->ops; i++)
		if (o->processes.v[0].items.v[i].name == class) {
			fits[n] = true;
			ops[n++] = i;
		}
	if (o->ways > 1)
		way = job_order_find_dimension(o, ops, n, fits);
	for (size_t i = 0; i < n; i++)
		for (size_t first = 0; fits[i] && !apart && first < o->processes.n; first++)
			apart = job_order_first_of_group(o, way, first) == first &&
				!job_order_measure_group(o, way, first, ops[i], &spreads[nspreads++]);
	clear = (clear && job_order_ends_together(spreads, nspreads)) || (o->whole && o->ways == 1);
	for (size_t i = 0; i < n && clear && !apart; i++)
		o->way[ops[i]] = fits[i] ? (uint32_t)way : NONE;
	mem_free(ops, spreads, fits);
	return apart ? APART : clear ? FITS : SEVERAL;
}

/* ---- the results */

static int job_order_compare_processes(const void *x, const void *y)
{
	const job_member *a = x, *b = y;

	return sort_3way(a->proc, b->proc);
}

/* Adds a communicator for a group and its matched operations of a class.  Members are in order of process. */
static void job_order_add_group(const job_order_ctx *o, uint32_t class, size_t way, size_t first)
{
	job *j = o->j;
	job_comm c = { .id = j->comms.n, .size = TRACE_UNKNOWN, .first = j->members.n, .by_order = true };
	size_t groups = o->ways > 1 ? o->processes.n : 1;   /* the most groups that there can be */

	for (size_t i = first; i < o->processes.n; i++) {
		const process *p = &o->processes.v[i];
		job_member m = { .comm = (uint32_t)j->comms.n, .proc = p->proc, .rank = TRACE_UNKNOWN,
			.peer = JOB_NOBODY, .aligned = true };
		if (job_order_first_of_group(o, way, i) != first)
			continue;
		for (size_t op = 0; op < o->ops; op++)
			if (p->items.v[op].name == class && o->way[op] == way) {
				vec_push(&m.items, p->items.v[op]);
				j->ops.v[p->items.v[op].at].seq = (int64_t)(op * groups + first);
			}
		vec_push(&j->members, m);
		c.n++;
	}
	qsort(&j->members.v[c.first], c.n, sizeof *j->members.v, job_order_compare_processes);
	vec_push(&j->comms, c);
}

static void job_order_match_class(job_order_ctx *o, uint32_t class)
{
	enum verdict v = job_order_judge_class(o, class);
	size_t way = NONE;

	for (size_t i = 0; i < o->ops; i++)
		if (o->processes.v[0].items.v[i].name == class) {
			o->count[v == FITS && o->way[i] == NONE ? SEVERAL : v] += o->processes.n;
			way = o->way[i] == NONE ? way : o->way[i];
		}
	for (size_t i = 0; way != NONE && i < o->processes.n; i++)
		if (job_order_first_of_group(o, way, i) == i)
			job_order_add_group(o, class, way, i);
}

static void job_order_match_classes(job_order_ctx *o)
{
	bool *needs_all = mem_new(bool, o->classes.n);

	o->way = mem_none(uint32_t, o->ops);
	for (size_t i = 0; i < o->ops; i++)
		needs_all[o->processes.v[0].items.v[i].name] = o->processes.v[0].items.v[i].needs_all;
	for (uint32_t class = 0; class < o->classes.n; class++)
		if (needs_all[class])
			job_order_match_class(o, class);
	free(needs_all);
}

static void job_order_say_results(const job_order_ctx *o, notes *say)
{
	static const char *const why[VERDICTS] = {
		[UNLIKE] = "it is not clear that all processes ran the same ones",
		[MISSING] = "a setup label says that there are more ranks; give the traces of all",
		[APART] = "the ranks did not run at the same time",
		[SEVERAL] = "it is not clear which ranks took part in each",
	};

	if (o->count[FITS])
		notes_remark(say, "%zu operations were matched by order, for lack of NCCL's payloads; their sizes "
			     "are not known", o->count[FITS]);
	for (int i = FITS + 1; i < VERDICTS; i++)
		if (o->count[i])
			notes_warn(say, "%zu operations could not be matched by order: %s", o->count[i], why[i]);
}

void job_order(job *j, uint32_t world, notes *say)
{
	job_order_ctx o = { .j = j, .world = world, .classes.width = 3 };

	job_order_find_processes(&o);
	job_order_read_labels(&o);
	job_order_find_ways(&o);
	o.ops = o.processes.n ? o.processes.v[0].items.n : 0;
	if (o.processes.n > 1 && !o.missing && job_order_are_alike(&o) && job_order_find_clocks(&o))
		job_order_match_classes(&o);
	else
		for (const process *p = o.processes.v; o.processes.n > 1 && p < o.processes.v + o.processes.n; p++)
			for (size_t i = 0; i < p->items.n; i++)
				o.count[o.missing ? MISSING : UNLIKE] += p->items.v[i].needs_all;
	job_order_say_results(&o, say);
	for (size_t i = 0; i < o.processes.n; i++)
		vec_free(&o.processes.v[i].items);
	mem_free(o.processes.v, o.positions.v, o.first, o.way);
	group_free(&o.classes);
}
