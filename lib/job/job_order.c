#include "job/job_parts.h"
#include "base/group.h"
#include "base/sort.h"
#include "base/stats.h"

#include <stdio.h>
#include <string.h>

typedef struct {                /* a process */
	uint32_t proc;
	int64_t rank;           /* -1: its label has none */
	vec(job_item) items;    /* its collectives in order of launch; their names are classes */
	int64_t ahead;          /* its time plus this is the time of the first process */
} line;

/* Why a class is not matched. */
enum verdict { FITS, UNLIKE, MISSING, APART, SEVERAL, VERDICTS };

typedef struct {
	job *j;
	vec(line) lines;        /* in order of rank */
	size_t ops;             /* collectives of each */
	group classes;          /* name, kernel and range */
	bool missing;           /* a label says that there are other ranks */
	size_t dimensions;      /* how many the mesh of the labels has, */
	bool one_group;         /* and is that one, of all these processes? */
	size_t count[VERDICTS]; /* operations */
} ordering;

/* ---- the processes */

static int by_rank(const void *x, const void *y)
{
	const line *a = x, *b = y;

	return a->rank != b->rank ? sort_3way(a->rank, b->rank) : sort_3way(a->proc, b->proc);
}

static void find_lines(ordering *o)
{
	job *j = o->j;
	uint32_t *at = mem_new(uint32_t, j->procs.n), *kernel = mem_new(uint32_t, j->ops.n);

	for (size_t i = 0; i < j->kernels.n; i++)
		if (j->kernels.v[i].leads)
			kernel[j->kernels.v[i].op] = j->kernels.v[i].name;
	for (uint32_t i = 0; i < j->ops.n; i++) {
		const job_op *op = &j->ops.v[i];
		job_item item = job_item_of(j, i);
		if (op->messages_only)
			continue;
		if (!at[op->proc]) {
			vec_push(&o->lines, (line){ .proc = op->proc, .rank = j->procs.v[op->proc].rank });
			at[op->proc] = (uint32_t)o->lines.n;
		}
		item.name = (uint32_t)group_of(&o->classes, (int64_t[]){ op->name, kernel[i], op->place });
		vec_push(&o->lines.v[at[op->proc] - 1].items, item);
	}
	mem_free(at, kernel);
	if (o->lines.n)
		qsort(o->lines.v, o->lines.n, sizeof *o->lines.v, by_rank);
}

/* Do all have the same collectives in the same order? */
static bool are_alike(const ordering *o)
{
	const line *first = o->lines.v;

	for (const line *l = first + 1; l < first + o->lines.n; l++) {
		if (l->items.n != first->items.n)
			return false;
		for (size_t i = 0; i < l->items.n; i++)
			if (l->items.v[i].name != first->items.v[i].name)
				return false;
	}
	return true;
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

/* Find out what labels say.  A dimension of the mesh counts if it says more of where a process is than those before it:
 * experts within data parallelism do not. */
static void read_labels(ordering *o)
{
	size_t n = o->lines.n, met = 1, ranks = 1;
	const char **mesh = mem_new(const char *, n);
	int64_t *place = mem_new(int64_t, n);
	bool more = n, labelled = false, ranked = true;

	for (size_t i = 0; i < n; i++) {
		mesh[i] = o->j->procs.v[o->lines.v[i].proc].mesh;
		labelled |= o->lines.v[i].rank >= 0;
		ranked &= o->lines.v[i].rank == (int64_t)i;
	}
	while (more && ranks <= n) {
		group places = { .width = 2 };
		long at, size = 1, largest = 1;
		for (size_t i = 0; i < n; i++) {
			more &= next_size(&mesh[i], &at, &size);
			largest = more && size > largest ? size : largest;
			place[i] = (int64_t)group_of(&places, (int64_t[]){ place[i], more ? at : 0 });
		}
		if (more && largest > 1 && places.n > met) {
			o->dimensions++;
			ranks *= (size_t)largest;
		}
		met = places.n;
		group_free(&places);
	}
	o->missing = labelled && (!ranked || ranks > n);
	o->one_group = ranked && o->dimensions == 1 && ranks == n;
	mem_free(mesh, place);
}

/* ---- clocks */

static bool same_host(const job_trace *a, const job_trace *b)
{
	return a->host && b->host && strcmp(a->host, b->host) == 0 && a->has_utc && b->has_utc;
}

/* By how much later a process's operations of a class end than the other's: the median, and how far half of them are
 * from it at most; in the class in which that is least.  A class counts if it has ten operations, or none has more.
 * False: they have none that needs all processes. */
static bool compare_ends(const ordering *o, const line *a, const line *b, int64_t *ahead, int64_t *off)
{
	enum { ENOUGH = 10 };
	int64_t *by = mem_new(int64_t, o->ops);
	size_t most = 1;

	*off = -1;
	for (uint32_t class = 0; class < o->classes.n; class++) {
		size_t n = 0, least;
		int64_t median;
		for (size_t i = 0; i < o->ops; i++)
			if (a->items.v[i].name == class && a->items.v[i].needs_all)
				by[n++] = ns_sub(a->items.v[i].end, b->items.v[i].end);
		least = most < ENOUGH ? most : ENOUGH;
		if (n < least)
			continue;
		median = stats_median(by, n);
		for (size_t i = 0; i < n; i++)
			by[i] = by[i] > median ? ns_sub(by[i], median) : ns_sub(median, by[i]);
		if (*off < 0 || (most < ENOUGH && n > most) || stats_median(by, n) < *off) {
			*off = stats_median(by, n);
			*ahead = median;
		}
		most = n > most ? n : most;
	}
	free(by);
	return *off >= 0;
}

/* Find the clocks.  The ends say how far they are apart if they agree.  Otherwise UTC does, on one host; what the ends
 * say cannot be far from it, or others of the same number were captured. */
static bool find_clocks(ordering *o)
{
	enum { MUCH = 1000000 };
	const job_trace *traces = o->j->traces.v;
	uint32_t first = o->j->procs.v[o->lines.v[0].proc].trace;

	for (line *l = o->lines.v + 1; l < o->lines.v + o->lines.n; l++) {
		uint32_t own = o->j->procs.v[l->proc].trace;
		int64_t off, utc = ns_sub(job_utc(o->j, &traces[own]), job_utc(o->j, &traces[first]));
		bool agree, near = same_host(&traces[own], &traces[first]);
		if (own == first)
			continue;
		if (!compare_ends(o, o->lines.v, l, &l->ahead, &off))
			return false;
		agree = off <= JOB_TOLERANCE;
		if (near ? agree && llabs(ns_sub(l->ahead, utc)) > MUCH : !agree)
			return false;
		l->ahead = agree ? l->ahead : utc;
	}
	return true;
}

/* ---- who meets */

typedef struct {                /* an operation of all processes */
	int64_t arrivals, ends; /* from the first to the last */
} spread;

/* Of an operation of all processes; false if some had ended when others came. */
static bool meet(const ordering *o, size_t op, spread *s)
{
	ival starts = IVAL_NOWHERE, ends = IVAL_NOWHERE;

	for (const line *l = o->lines.v; l < o->lines.v + o->lines.n; l++) {
		int64_t start = ns_add(l->items.v[op].start, l->ahead), end = ns_add(l->items.v[op].end, l->ahead);
		starts = (ival){ ns_min(starts.a, start), ns_max(starts.b, start) };
		ends = (ival){ ns_min(ends.a, end), ns_max(ends.b, end) };
	}
	*s = (spread){ ns_sub(starts.b, starts.a), ns_sub(ends.b, ends.a) };
	return starts.b <= ends.a || ns_sub(starts.b, ends.a) <= JOB_TOLERANCE;
}

/* Do all processes take part together?  Those that do leave together, whenever they come: strangers end as far apart as
 * they come.  An operation tells if processes come four times as far apart as they mostly end. */
static bool leave_together(const spread *of, size_t n)
{
	enum { CLEARLY = 4, FEW = 3 };
	int64_t *ends = mem_new(int64_t, n), mostly;
	size_t telling = 0, follow = 0;

	for (size_t i = 0; i < n; i++)
		ends[i] = of[i].ends;
	mostly = n ? stats_median(ends, n) : 0;
	for (size_t i = 0; i < n; i++)
		if (of[i].arrivals / CLEARLY > mostly) {
			telling++;
			follow += of[i].ends > of[i].arrivals / CLEARLY;
		}
	free(ends);
	return telling >= FEW && 2 * telling >= n && 20 * follow <= telling;
}

/* Labels of several dimensions say that there are smaller groups, but not which operations are theirs. */
static enum verdict judge(const ordering *o, uint32_t class)
{
	spread *of = mem_new(spread, o->ops);
	enum verdict v = FITS;
	size_t n = 0;

	for (size_t op = 0; v == FITS && op < o->ops; op++)
		if (o->lines.v[0].items.v[op].name == class)
			v = meet(o, op, &of[n++]) ? FITS : APART;
	if (v == FITS && !o->one_group && (o->dimensions || !leave_together(of, n)))
		v = SEVERAL;
	free(of);
	return v;
}

/* ---- what was found */

static int by_proc(const void *x, const void *y)
{
	const job_member *a = x, *b = y;

	return sort_3way(a->proc, b->proc);
}

/* Make a communicator of all processes for the operations of a class.  Members are in order of process. */
static void add_class(const ordering *o, uint32_t class)
{
	job *j = o->j;
	job_comm c = { .id = j->comms.n, .size = TRACE_UNKNOWN, .first = j->members.n, .n = o->lines.n,
		.by_order = true };

	for (const line *l = o->lines.v; l < o->lines.v + o->lines.n; l++) {
		job_member m = { .comm = (uint32_t)j->comms.n, .proc = l->proc, .rank = TRACE_UNKNOWN,
			.peer = JOB_NOBODY, .aligned = true };
		for (size_t op = 0; op < o->ops; op++)
			if (l->items.v[op].name == class) {
				vec_push(&m.items, l->items.v[op]);
				j->ops.v[l->items.v[op].at].seq = (int64_t)op;
			}
		vec_push(&j->members, m);
	}
	qsort(&j->members.v[c.first], c.n, sizeof *j->members.v, by_proc);
	vec_push(&j->comms, c);
}

static void match_classes(ordering *o)
{
	size_t *ops = mem_new(size_t, o->classes.n);

	for (size_t i = 0; i < o->ops; i++)
		ops[o->lines.v[0].items.v[i].name] += o->lines.v[0].items.v[i].needs_all;
	for (uint32_t class = 0; class < o->classes.n; class++) {
		enum verdict v = ops[class] ? judge(o, class) : FITS;
		o->count[v] += ops[class] * o->lines.n;
		if (ops[class] && v == FITS)
			add_class(o, class);
	}
	free(ops);
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

	find_lines(&o);
	read_labels(&o);
	o.ops = o.lines.n ? o.lines.v[0].items.n : 0;
	if (o.lines.n > 1 && !o.missing && are_alike(&o) && find_clocks(&o))
		match_classes(&o);
	else
		for (const line *l = o.lines.v; o.lines.n > 1 && l < o.lines.v + o.lines.n; l++)
			for (size_t i = 0; i < l->items.n; i++)
				o.count[o.missing ? MISSING : UNLIKE] += l->items.v[i].needs_all;
	say_found(&o, say);
	for (size_t i = 0; i < o.lines.n; i++)
		vec_free(&o.lines.v[i].items);
	mem_free(o.lines.v);
	group_free(&o.classes);
}
