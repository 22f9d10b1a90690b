#include "step/owners.h"
#include "base/memory.h"
#include "base/search.h"
#include "step/idle_owners.h"
#include "launch/launched.h"
#include "launch/projection.h"
#include "launch/range_names.h"
#include "timeline/window.h"
#include "trace/load_work.h"
#include "trace/rules.h"

#include <string.h>

enum { CLASS_COMPUTE, CLASS_COMM, CLASS_COPY, CLASSES };

struct owners {
	trace *t;
	const owners_params *p;
	const around *around;
	const uint8_t *owner_of_type; /* by work type (work_type, "trace.h": name, shape and resources): the owner of
				       * its kernels */
	const launched *launched;
	const range_names *names;
	const uint32_t *where;  /* by work: the name of the range in which it was launched or, with `captured`, in which
				 * its graph node was captured, as an index into names->v; 0: there is none.  NULL:
				 * owners_alone is set */
	const idle_causes *causes;
	idle_owners *idle;
};

const char *owner_name(enum owner o)
{
	static const char *const names[] = {
		[OWNER_MATMUL] = "matmul", [OWNER_MATMUL_PLAIN] = "matmul.plain", [OWNER_ATTENTION] = "attention",
		[OWNER_ATTENTION_PLAIN] = "attention.plain", [OWNER_POINTWISE] = "pointwise",
		[OWNER_REDUCTION] = "reduction", [OWNER_OPTIMIZER] = "optimizer", [OWNER_MOVE] = "move",
		[OWNER_GRAPH] = "graph", [OWNER_COMPUTE] = "compute",
		[OWNER_COMM_WAIT] = "comm.wait", [OWNER_COMM] = "comm",
		[OWNER_COPY_PAGEABLE] = "copy.pageable", [OWNER_COPY_UM] = "copy.um", [OWNER_COPY] = "copy",
		[OWNER_TURNAROUND] = "turnaround", [OWNER_QUEUED] = "queued", [OWNER_LAUNCH] = "launch",
		[OWNER_SYNC] = "sync", [OWNER_ALLOC] = "alloc", [OWNER_LOAD] = "load", [OWNER_API] = "api",
		[OWNER_DATA] = "data", [OWNER_MPI] = "mpi", [OWNER_HOST] = "host", [OWNER_UM] = "um",
		[OWNER_UNKNOWN] = "unknown", [OWNER_EDGE] = "edge",
	};

	return names[o];
}

enum owner owner_named(const char *name)
{
	enum owner o = 0;

	while (o < OWNERS && strcmp(owner_name(o), name) != 0)
		o++;
	return o;
}

/* ---- who owns work */

static enum owner owners_owner_of_label(const char *label)
{
	enum owner o = owner_named(label);

	return o < OWNER_GRAPH ? o : OWNER_COMPUTE;
}

static const char *owners_match_label(const trace *t, const rules *of, uint32_t name)
{
	return name == STR_NONE ? NULL : rules_match(of, str_at(&t->names, name));
}

/* OWNER_MOVE if the demangled name says that the kernel only moves data, although its short name is that of an
 * elementwise kernel or a reduction; otherwise the owner as given.  sets: the rules of matmul, then of compute. */
static enum owner owners_check_for_move(const trace *t, rules *const sets[2], const work_type *what, enum owner owner)
{
	const char *label = owner == OWNER_POINTWISE || owner == OWNER_REDUCTION ?
		owners_match_label(t, sets[1], what->full) :
		NULL;

	return label && owners_owner_of_label(label) == OWNER_MOVE ? OWNER_MOVE : owner;
}

/* The owner of a kernel by its short name or, if no rule matches that, by its demangled name. */
static enum owner owners_owner_by_rules(const trace *t, rules *const sets[2], const work_type *what)
{
	const uint32_t names[] = { what->name, what->full };

	for (int n = 0; n < 2; n++)
		for (int r = 0; r < 2; r++) {
			const char *label = owners_match_label(t, sets[r], names[n]);
			if (label)
				return owners_check_for_move(t, sets, what, owners_owner_of_label(label));
		}
	return OWNER_COMPUTE;
}

/* An array with an element for each work type: the owner of its kernels.  Kernels with the same demangled name have one
 * owner, found for the first of them. */
static void *owners_find_owners_of_types(trace *t, int64_t unused UNNEEDED)
{
	rules *sets[] = { rules_load("matmul", NULL), rules_load("compute", NULL) };
	size_t names = t->names.n;              /* other threads may add some meanwhile */
	uint8_t *of_name = mem_filled(names, 1, OWNERS), *of_type = mem_new(uint8_t, t->work.types.n);

	for (size_t i = 0; i < t->work.types.n; i++) {
		const work_type *what = &t->work.types.v[i];
		if (t->comm[i] & COMM_KERNEL || what->full == STR_NONE) {
			of_type[i] = t->comm[i] & COMM_KERNEL ? OWNER_COMM : OWNER_COMPUTE;
			continue;
		}
		if (of_name[what->full] == OWNERS)
			of_name[what->full] = (uint8_t)owners_owner_by_rules(t, sets, what);
		of_type[i] = of_name[what->full];
	}
	free(of_name);
	rules_free(sets[0]);
	rules_free(sets[1]);
	return of_type;
}

enum owner owners_by_name(trace *t, size_t work)
{
	const uint8_t *of_type = trace_keep(t, owners_find_owners_of_types, 0, free);

	return t->work.kind[work] == WORK_KERNEL ? (enum owner)of_type[t->work.type[work]] :
		trace_is_comm(t, work) ? OWNER_COMM : t->work.kind[work] == WORK_GRAPH ? OWNER_GRAPH : OWNER_COPY;
}

static enum owner owners_owner_of_nonkernel(const trace *t, size_t work)
{
	return trace_is_comm(t, work) ? OWNER_COMM : t->work.kind[work] == WORK_GRAPH ? OWNER_GRAPH :
		work_is_pageable(t, work) ? OWNER_COPY_PAGEABLE :
		trace_is_migration(t, work) ? OWNER_COPY_UM : OWNER_COPY;
}

static inline enum owner owners_owner_of_work(const owners *o, size_t work)
{
	const trace_work *w = &o->t->work;

	return w->kind[work] == WORK_KERNEL ? (enum owner)o->owner_of_type[w->type[work]] :
		owners_owner_of_nonkernel(o->t, work);
}

static int owners_class_of_owner(enum owner owner)
{
	return owner <= OWNER_COMPUTE ? CLASS_COMPUTE : owner <= OWNER_COMM ? CLASS_COMM : CLASS_COPY;
}

typedef struct {                /* for a thread: the range around the launch that was looked up last */
	size_t search_from;     /* where the search for the next launch's range begins (around_own_range) */
	uint32_t name;          /* the number of the range's name in range_names; 0: there is no range */
	int64_t until;          /* launches before this moment are in the same range, because no range ends or starts
				 * earlier */
} launch_range;

static void owners_find_launch_range(const around *a, const range_names *names, size_t work, uint32_t call,
				     launch_range *found)
{
	const trace *t = a->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t range = around_own_range(a, work, &found->search_from);
	bool last = found->search_from >= a->first[calls_thread(&t->calls, call) + 1];

	found->name = range == NONE ? 0 : range_names_number(names, r->name[range]);
	/* with `adopt` or `captured` (a->inner), ranges of other threads can count, so each launch is looked up anew */
	found->until = a->inner ? t->calls.start[call] + 1 :
		ns_min(range == NONE ? INT64_MAX : r->end[range], last ? INT64_MAX : r->start[found->search_from]);
}

/* The ranges around work.  AROUND_RANGES replaces AROUND_WORK: it needs no pass over all calls, and is nearly as fast
 * if work is looked up in order of launch (around_own_range). */
static const around *owners_find_ranges_around(trace *t, unsigned flags)
{
	return around_of(t, flags == AROUND_WORK ? AROUND_RANGES : flags);
}

/* An array with an element for each piece of work: the number in range_names of the name of the range in which it was
 * launched; 0: there is none.  Work is looked up in order of launch, because most launches are in the same range as the
 * launch before. */
static void *owners_build_range_names(trace *t, int64_t flags)
{
	const around *a = owners_find_ranges_around(t, (unsigned)flags);
	const range_names *names = range_names_of(t);
	uint32_t *to = mem_new(uint32_t, t->work.n), last = NONE;
	launch_range *spots = mem_grow(NULL, t->nthreads, sizeof *spots), *at = NULL;
	size_t n;
	const uint32_t *work = projection_all(projection_order(t), &n);

	for (size_t i = 0; i < t->nthreads; i++)
		spots[i] = (launch_range){ .until = INT64_MIN };
	for (size_t i = 0; i < n; i++) {
		uint32_t call = t->work.launch[work[i]];
		if (call != last)
			at = &spots[calls_thread(&t->calls, call)];
		if (a->captured || (call != last && t->calls.start[call] >= at->until))
			owners_find_launch_range(a, names, work[i], call, at);
		last = call;
		to[work[i]] = at->name;
	}
	free(spots);
	return to;
}

owners *owners_build(trace *t, const owners_params *p)
{
	owners *o = mem_new(owners, 1);
	unsigned flags = around_flags(p->adopt, p->captured);
	unsigned where_flags = around_flags(p->adopt || p->adopt_where, p->captured);

	*o = (owners){ .t = t, .p = p, .owner_of_type = trace_keep(t, owners_find_owners_of_types, 0, free),
		.launched = launched_of(t),
		.around = owners_find_ranges_around(t, p->owners_alone ? AROUND_RANGES : flags),
		.names = range_names_of(t),
		.where = p->owners_alone ? NULL : trace_keep(t, owners_build_range_names, where_flags, free),
		.idle = idle_owners_build(t, p), .causes = idle_of(t, IDLE_PARTS) };
	return o;
}

void owners_free(owners *o)
{
	idle_owners_free(o->idle);
	free(o);
}

enum owner owners_of_work(const owners *o, size_t work)
{
	return owners_owner_of_work(o, work);
}

uint32_t owners_where(const owners *o, size_t work)
{
	return o->where ? o->names->v[o->where[work]] : STR_NONE;
}

bool owners_replayed(const owners *o, size_t work)
{
	uint32_t call = work == NONE ? NONE : o->t->work.launch[work];

	return call != NONE && launched_replays(o->launched, call);
}

const around *owners_around(const owners *o)
{
	return o->around;
}

/* ---- the owners of all moments */

typedef struct {                /* the next piece of work of one class, in order of start */
	size_t next;            /* where the search goes on */
	size_t end;             /* the index after the last work of the stretch that is searched
				 * (window_next_in_lane) */
	int64_t until;          /* the moment until which earlier work of the class covers the time */
	size_t work;
	ival at;                /* the time that `work` owns within its class; both INT64_MAX: no work is left */
} track;

typedef struct {
	const owners *o;
	const trace_lane *lane;
	ival_set in;            /* the interval to walk through, as a set of one */
	size_t next;            /* the first work of the lane that starts after the moment that was reached */
	size_t end;             /* the first work of the lane that starts at the end of the interval or later */
	int64_t reach;          /* the latest end of the lane's work before `next` */
	size_t from;            /* work before this has ended, so a track skips it */
	track tracks[CLASSES];
	size_t arrival_from;    /* where the search for the next arrival begins */
	idle_gap gap;
	owners_take *f;         /* called for each piece */
	void *ctx;
} walk_ctx;

/* Finds the next piece of a class.  While several pieces of a class run, the time belongs to the one that started
 * first.  So a piece owns the part of its time that starts after the ends of all earlier ones. */
static void owners_advance_class(walk_ctx *s, int class)
{
	const trace *t = s->o->t;
	track *k = &s->tracks[class];

	if (k->next < s->from) {
		k->next = s->from;
		k->end = s->end;
	}
	for (; k->next < k->end || window_next_in_lane(t, s->lane, &s->in, &k->next, &k->end); k->next++) {
		int64_t end;
		if (owners_class_of_owner(owners_owner_of_work(s->o, k->next)) != class)
			continue;
		end = t->work.end[k->next];
		if (end <= k->until || end == t->work.start[k->next])
			continue;
		k->work = k->next++;
		k->at = (ival){ ns_max(t->work.start[k->work], k->until), end };
		k->until = end;
		return;
	}
	k->at = (ival){ INT64_MAX, INT64_MAX };
}

/* The folded name of the range in which the work that ends the gap was launched; STR_NONE: there is none.  With
 * `captured`, too, it is the range of the launch, not that in which the graph node was captured. */
static uint32_t owners_range_of_launch(walk_ctx *s)
{
	return s->gap.in.next == NONE || !s->o->where ? STR_NONE :
		s->o->p->captured ? idle_owners_find_range(s->o->idle, &s->gap) : owners_where(s->o, s->gap.in.next);
}

/* The owner of idle time after the launch of the next work. */
static enum owner owners_owner_after_launch(enum idle_cause c)
{
	return c == IDLE_TURNAROUND ? OWNER_TURNAROUND : OWNER_QUEUED;
}

/* Calls f for the pieces of the gap that contains the moment: from the moment up to the limit or the end of the gap.
 * Returns where they end. */
static int64_t owners_report_gap(walk_ctx *s, int64_t moment, int64_t limit)
{
	const owners *o = s->o;
	owner_piece p = { .name = STR_NONE, .call = NONE };
	enum idle_cause c;

	while (s->gap.in.b <= moment)
		lane_gaps_next(idle_gaps(o->causes), &s->gap.in);
	p.at = (ival){ moment, ns_min(limit, s->gap.in.b) };
	p.where = owners_range_of_launch(s);
	p.work = s->gap.in.next;
	p.gap = s->gap.in.a == INT64_MIN || s->gap.in.next == NONE ? INT64_MAX : s->gap.in.b - s->gap.in.a;
	if (idle_launched(o->causes, &s->gap, &c)) {    /* the usual case inside replays of CUDA graphs */
		p.owner = owners_owner_after_launch(c);
		s->f(s->ctx, &p);
	} else {
		idle_owners_cut(o->idle, &s->gap, &p, s->f, s->ctx);
	}
	return p.at.b;
}

/* The arrival of the last rank at a communication kernel; INT64_MIN: it is unknown. */
static int64_t owners_arrival_of_work(walk_ctx *s, size_t work)
{
	const owners_params *p = s->o->p;
	size_t i;

	search_near(i, s->arrival_from, 0, p->narrivals, p->arrivals[i].work >= work);
	s->arrival_from = i;
	return i < p->narrivals && p->arrivals[i].work == work ? p->arrivals[i].at : INT64_MIN;
}

/* Calls f for one piece: `work` from the moment up to the limit.  If the last rank has not arrived at the moment, the
 * piece belongs to comm.wait, and ends no later than that rank arrives.  Returns where the piece ends. */
static int64_t owners_report_work(walk_ctx *s, size_t work, int64_t moment, int64_t limit)
{
	const owners *o = s->o;
	enum owner owner = owners_owner_of_work(o, work);
	int64_t arrival = owner == OWNER_COMM ? owners_arrival_of_work(s, work) : INT64_MIN;

	if (arrival > moment) {
		owner = OWNER_COMM_WAIT;
		limit = ns_min(limit, arrival);
	}
	s->f(s->ctx, &(owner_piece){ .at = { moment, limit }, .owner = owner, .where = owners_where(o, work),
		.name = work_name(&o->t->work, work), .work = (uint32_t)work, .call = NONE });
	return limit;
}

/* Calls f for one piece (owner_piece) that begins at the moment, when work runs.  If work of several classes runs, the
 * piece belongs to the first of these: compute, communication, copies.  Returns where the piece ends. */
static int64_t owners_report_first_class(walk_ctx *s, int64_t moment, int64_t limit)
{
	for (int c = 0;; c++) {
		track *k = &s->tracks[c];
		while (k->at.b <= moment)
			owners_advance_class(s, c);
		if (k->at.a <= moment)
			return owners_report_work(s, k->work, moment, ns_min(limit, k->at.b));
		limit = ns_min(limit, k->at.a);
	}
}

/* Calls f for the next stretch of time from the moment on, at most up to the limit: for one piece of work or, if none
 * runs, for the pieces of the gap.  Returns where the stretch ends. */
static int64_t owners_report_next(walk_ctx *s, int64_t moment, int64_t limit)
{
	const trace_work *w = &s->o->t->work;

	if (s->reach <= moment)
		s->from = s->next;
	for (; s->next < s->end && w->start[s->next] <= moment; s->next++)
		s->reach = ns_max(s->reach, w->end[s->next]);
	return s->reach > moment ? owners_report_first_class(s, moment, limit) : owners_report_gap(s, moment, limit);
}

static walk_ctx owners_begin_walk(const owners *o, size_t lane, ival *in, owners_take *f, void *ctx)
{
	const lane_gaps *gaps = idle_gaps(o->causes);
	walk_ctx s = { .o = o, .lane = &o->t->lanes[lane], .in = { .v = in, .n = 1 }, .arrival_from = SIZE_MAX, .f = f,
		.ctx = ctx };

	for (int c = 0; c < CLASSES; c++)
		s.tracks[c] = (track){ .until = INT64_MIN, .at = { INT64_MIN, INT64_MIN } };
	lane_gaps_from(gaps, lane, in->a, &s.gap.in);
	s.next = s.gap.in.at;
	s.reach = s.gap.in.a;
	search_first(s.end, s.next, s.lane->first + s.lane->n, o->t->work.start[s.end] >= in->b);
	return s;
}

void owners_walk(const owners *o, size_t lane, ival in, owners_take *f, void *ctx)
{
	walk_ctx s = owners_begin_walk(o, lane, &(ival){ in.a, in.b }, f, ctx);

	while (in.a < in.b)
		in.a = owners_report_next(&s, in.a, in.b);
}
