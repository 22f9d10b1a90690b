#include "step/idle_owners.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/search.h"
#include "launch/outer_calls.h"
#include "launch/projection.h"
#include "launch/range_names.h"
#include "step/steps.h"
#include "trace/thread_events.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

#include <string.h>

/* Matches names of ranges that fetch data: those that contain one of these words as a whole word, such as next_batch,
 * getBatch and LOAD_DATA. */
#define DATA "data|batch|loader|dataloader|fetch|prefetch|collate"
#define CAMEL "Data|Batch|Loader|DataLoader|Dataloader|Fetch|Prefetch|Collate"
static const char data_words[] = "(^|[^A-Za-z])(" DATA ")([^a-z]|$)|(^|[^A-Z])(" CAMEL ")([^a-z]|$)|(^|[^A-Za-z])"
	"(DATA|BATCH|LOADER|DATALOADER|FETCH|PREFETCH|COLLATE)([^A-Za-z]|$)";

enum {                          /* what is known of an outermost call */
	DOES_LAUNCH = 1,        /* it launches work */
	DOES_COPY_IN = 2,       /* it launches a copy from the host */
	DOES_COPY_OUT = 4,      /* the last piece of work that it launches is a copy to the host */
	AFTER_COPY_OUT = 8      /* of the thread's earlier calls with DOES_LAUNCH, the last one has DOES_COPY_OUT */
};

typedef struct {                /* what does not depend on the choice of steps; kept with the trace */
	uint32_t *main;         /* by thread: the main thread of its process, or NONE */
	bool *data;             /* by number of a range's name (range_names.h): does the name say that the range fetches
				 * data? */
	bool *fetches;          /* by process: does it have ranges with such a name? */
	bool *launches;         /* by range, in processes that `fetches` marks: was a kernel launched in it? */
	bool *nested;           /* by range: does every range around it last until its end?  Then everything in it is in
				 * all of those ranges, too */
	uint8_t *pageable;      /* by call, one bit each: does it copy from or to pageable memory? */
} known_trace;

typedef struct {
	size_t n;               /* number of processes */
	ival_set *of;           /* by process: for each step an interval, from its start on the CPU to that of the next
				 * step; for the last step, to its end */
	uint8_t *copies_in;     /* by outermost call of a process with steps, one bit each.  It is set if both hold: the
				 * first launching call of its thread from this one on (this one or a later one) has
				 * DOES_COPY_IN; the last launching call before this one, if any, does not have
				 * DOES_COPY_OUT */
} known_steps;

struct idle_owners {
	trace *t;
	const owners_params *p;
	const known_trace *known;
	const idle_causes *idle;
	const outer_calls *outer;
	const around *around;
	const range_names *names;
	const uint32_t *base;   /* by name of a call: the name without its version */
	_Atomic uint8_t *call_owner;    /* by name of a call: its owner; 0: not looked up yet */
	const known_steps *steps;
};

/* ---- what is known of the whole trace */

static bool idle_owners_is_copy_in(const trace *t, size_t work)
{
	return work_is_copy(t, work, "memcpy h2d");
}

static bool idle_owners_is_kernel(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH;
}

typedef struct {
	known_trace *f;
	const around *a;
	bool adopt;             /* do the main thread's ranges count for launches of other threads? */
	const range_names *names;
	size_t *after;          /* by thread: the first range that starts after the thread's latest launch that was
				 * looked at */
} launch_marking;

static void idle_owners_mark_ranges(const launch_marking *x, size_t thread)
{
	const trace_ranges *r = &x->a->t->pushpop;
	bool *fetches = &x->f->fetches[x->a->t->threads[thread].proc], *nested = x->f->nested;

	for (size_t i = x->a->first[thread]; i < x->a->first[thread + 1]; i++) {
		uint32_t up = x->a->parent[i];
		nested[i] = up == NONE || (nested[up] && r->end[up] >= r->end[i]);
		*fetches |= x->f->data[range_names_number(x->names, r->name[i])];
	}
}

/* Marks that a kernel is launched at the moment: in this range and in the ranges around it, unless they have ended. */
static void idle_owners_mark_outward(const launch_marking *x, uint32_t at, int64_t moment)
{
	bool *launches = x->f->launches;

	for (; at != NONE && !(launches[at] && x->f->nested[at]); at = around_up(x->a, at, moment))
		launches[at] |= x->a->t->pushpop.end[at] > moment;
}

static void idle_owners_mark_open(const launch_marking *x, uint32_t thread, int64_t moment)
{
	size_t *after = &x->after[thread];

	*after = around_after(x->a, thread, moment, *after);
	idle_owners_mark_outward(x, *after > x->a->first[thread] ? (uint32_t)*after - 1 : NONE, moment);
}

/* Marks the ranges in which kernels of the process are launched, as around_work finds them.  The work is looked at in
 * order of launch. */
static void idle_owners_mark_launches(const launch_marking *x, uint32_t proc)
{
	trace *t = x->a->t;
	size_t n;
	const uint32_t *work = projection_launched(projection_order(t), proc, &n);

	for (size_t i = 0; x->f->fetches[proc] && i < n; i++) {
		uint32_t call = t->work.launch[work[i]], thread = calls_thread(&t->calls, call);
		uint32_t capture = x->a->captured && t->work.capture ? t->work.capture[work[i]] : NONE;
		uint32_t main = x->f->main[thread];
		bool again = i && call == t->work.launch[work[i - 1]] && idle_owners_is_kernel(t, work[i - 1]);
		if (!idle_owners_is_kernel(t, work[i]) || (again && !x->a->captured)) /* a replay marks once */
			continue;
		if (capture < CAPTURE_OUTSIDE)
			idle_owners_mark_outward(x, x->a->captured[capture], t->captures.at[capture]);
		idle_owners_mark_open(x, thread, t->calls.start[call]);
		if (x->adopt && main != NONE && main != thread)
			idle_owners_mark_open(x, main, t->calls.start[call]);
	}
}

static bool *idle_owners_match_data_names(const trace *t, const range_names *names)
{
	bool *data = mem_new(bool, names->n);
	pattern *words = pattern_new(data_words, PATTERN_EXACT, NULL);

	for (size_t i = 1; i < names->n; i++)
		data[i] = pattern_matches(words, str_at(&t->names, names->v[i]));
	pattern_free(words);
	return data;
}

static uint8_t *idle_owners_mark_pageable_calls(const trace *t)
{
	uint8_t *pageable = mem_new(uint8_t, t->calls.n / 8 + 1);

	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t call = t->work.kind[i] == WORK_COPY ? t->work.launch[i] : NONE;
		if (call != NONE && work_is_pageable(t, i))
			pageable[call / 8] |= (uint8_t)(1 << call % 8);
	}
	return pageable;
}

static void *idle_owners_build_known_trace(trace *t, int64_t flags)
{
	known_trace *f = mem_new(known_trace, 1);
	bool captured = (flags & AROUND_CAPTURED) == AROUND_CAPTURED;
	launch_marking x = { .f = f, .a = around_of(t, captured ? AROUND_CAPTURED : AROUND_RANGES),
		.adopt = (flags & AROUND_ADOPT) == AROUND_ADOPT, .names = range_names_of(t),
		.after = mem_new(size_t, t->nthreads) };

	f->main = mem_new(uint32_t, t->nthreads);
	for (size_t i = 0; i < t->nthreads; i++)
		f->main[i] = around_main_thread(t, t->threads[i].proc);
	f->pageable = idle_owners_mark_pageable_calls(t);
	f->data = idle_owners_match_data_names(t, x.names);
	f->fetches = mem_new(bool, t->nprocs);
	f->nested = mem_new(bool, t->pushpop.n);
	f->launches = mem_new(bool, t->pushpop.n);
	for (size_t i = 0; i < t->nthreads; i++)
		idle_owners_mark_ranges(&x, i);
	for (uint32_t i = 0; i < t->nprocs; i++)
		idle_owners_mark_launches(&x, i);
	free(x.after);
	return f;
}

static void idle_owners_free_known_trace(void *made)
{
	known_trace *f = made;

	mem_free(f->main, f->data, f->fetches, f->launches, f->nested, f->pageable, f);
}

static const known_trace *idle_owners_known_of_trace(trace *t, unsigned flags)
{
	return trace_keep(t, idle_owners_build_known_trace, flags, idle_owners_free_known_trace);
}

typedef struct {
	known_steps *found;
	trace *t;
	const outer_calls *outer;
	uint8_t *does;          /* by outermost call: DOES_..., AFTER_COPY_OUT */
	size_t *search_from;    /* by thread: the outermost call around its latest launch that was looked at */
} idle_owners_copy_ctx;

static bool idle_owners_has_copies_in(const trace *t, uint32_t proc)
{
	size_t end, lane = trace_find_lanes(t, proc, &end);

	for (; lane < end; lane++)
		for (size_t i = t->lanes[lane].first; i < t->lanes[lane].first + t->lanes[lane].n; i++)
			if (idle_owners_is_copy_in(t, i))
				return true;
	return false;
}

/* Finds AFTER_COPY_OUT and known_steps.copies_in of the outermost calls [first,end) of a thread. */
static void idle_owners_mark_copies(const idle_owners_copy_ctx *x, size_t first, size_t end)
{
	bool out = false, in = false;

	for (size_t k = first; k < end; k++) {
		x->does[k] |= out ? AFTER_COPY_OUT : 0;
		out = x->does[k] & DOES_LAUNCH ? x->does[k] & DOES_COPY_OUT : out;
	}
	for (size_t k = end; k-- > first;) {
		in = x->does[k] & DOES_LAUNCH ? x->does[k] & DOES_COPY_IN : in;
		if (in && !(x->does[k] & AFTER_COPY_OUT))
			x->found->copies_in[k / 8] |= (uint8_t)(1 << k % 8);
	}
}

/* If a process has steps and copies from the host, finds what each of its outermost calls does.  A launch in a call
 * inside an outermost call counts as one of the outermost call. */
static void idle_owners_find_copies(const idle_owners_copy_ctx *x, uint32_t proc)
{
	trace *t = x->t;
	size_t n;
	const uint32_t *work = projection_launched(projection_order(t), proc, &n);
	uint32_t end, thread = trace_find_threads(t, proc, &end);

	if (!x->found->of[proc].n || !idle_owners_has_copies_in(t, proc))
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t call = t->work.launch[work[i]], th = calls_thread(&t->calls, call);
		size_t k;
		if (i && call == t->work.launch[work[i - 1]] && idle_owners_is_kernel(t, work[i]) &&
		    idle_owners_is_kernel(t, work[i - 1]))
			continue;                       /* the same replay adds nothing */
		k = x->search_from[th] = outer_calls_after(t, x->outer, th, t->calls.start[call], x->search_from[th]);
		if (k < x->outer->first[th + 1])
			x->does[k] = (uint8_t)((x->does[k] & ~DOES_COPY_OUT) | DOES_LAUNCH |
				(idle_owners_is_copy_in(t, work[i]) ? DOES_COPY_IN : 0) |
				(work_is_copy(t, work[i], "memcpy d2h") ? DOES_COPY_OUT : 0));
	}
	for (; thread < end; thread++)
		idle_owners_mark_copies(x, x->outer->first[thread], x->outer->first[thread + 1]);
}

static void *idle_owners_build_known_steps(trace *t, int64_t key)
{
	steps_choice choice = steps_choice_of(key);
	const step_set *all = steps_of(t, &choice);
	known_steps *found = mem_new(known_steps, 1);
	idle_owners_copy_ctx x = { found, t, outer_calls_of(t), NULL, mem_new(size_t, t->nthreads) };

	*found = (known_steps){ t->nprocs, mem_new(ival_set, t->nprocs),
		mem_new(uint8_t, x.outer->first[t->nthreads] / 8 + 1) };
	for (size_t k = 0; k < t->nprocs; k++) {
		const steps *st = &all->of[k];
		ival_set *to = &found->of[k];
		for (size_t i = 0; st->rule != STEPS_PROCESS && i < st->n; i++)
			vec_push(to, (ival){ st->v[i].cpu.a, i + 1 < st->n ? st->v[i + 1].cpu.a : st->v[i].cpu.b });
	}
	x.does = mem_new(uint8_t, x.outer->first[t->nthreads]);
	for (uint32_t k = 0; k < t->nprocs; k++)
		idle_owners_find_copies(&x, k);
	mem_free(x.does, x.search_from);
	return found;
}

static void idle_owners_free_known_steps(void *made)
{
	known_steps *s = made;

	for (size_t k = 0; k < s->n; k++)
		vec_free(&s->of[k]);
	mem_free(s->of, s->copies_in, s);
}

static const known_steps *idle_owners_steps_on_cpu(trace *t, const steps_choice *choice)
{
	return trace_keep(t, idle_owners_build_known_steps, steps_key(choice), idle_owners_free_known_steps);
}

idle_owners *idle_owners_build(trace *t, const owners_params *p)
{
	idle_owners *o = mem_new(idle_owners, 1);

	o->t = t;
	o->p = p;
	o->names = range_names_of(t);
	o->base = call_base_names(t);
	o->known = idle_owners_known_of_trace(t, around_flags(p->adopt, p->captured));
	o->idle = idle_of(t, IDLE_PARTS | (p->kernels ? IDLE_KERNELS : 0));
	o->outer = outer_calls_of(t);
	o->around = around_of(t, AROUND_RANGES);
	o->steps = idle_owners_steps_on_cpu(t, &p->choice);
	o->call_owner = mem_new(_Atomic uint8_t, t->names.n);
	return o;
}

void idle_owners_free(idle_owners *o)
{
	mem_free((void *)o->call_owner, o);
}

/* ---- who owns a moment */

typedef struct {                /* an idle gap whose parts (idle_give_parts) are being cut into pieces (owner_piece) */
	const idle_owners *o;
	idle_gap *gap;
	const owner_piece *common;      /* the parameter of idle_owners_cut */
	owners_take *f;
	void *ctx;
	uint32_t thread;        /* the thread that launches the work after the gap, or NONE */
	int64_t launch_start;   /* when the launching call starts; INT64_MAX: there is none */
	bool synced;
	uint32_t range;         /* the innermost range of `thread` at the latest moment that was looked at; with
				 * `adopt`, if there is none, that of the main thread; or NONE */
	uint32_t where;         /* the range whose name pieces get (owner_piece.where), or NONE */
	int64_t until;          /* the moment until which `range` and `where` hold */
} idle_owners_cut_ctx;

static uint32_t idle_owners_fold_name(const idle_owners *o, uint32_t range)
{
	return range == NONE || o->p->owners_alone ? STR_NONE : range_names_folded(o->names, o->t->pushpop.name[range]);
}

static bool idle_owners_is_inner_domain(const trace *t, uint32_t range)
{
	return t->domains[ranges_domain(&t->pushpop, range)].inner;
}

/* The innermost range of the thread, outside the domains of libraries, that is open at the moment; NONE: none is.
 * *until is lowered to the moment when that may change, because a range closes or another opens. */
static uint32_t idle_owners_find_open_range(const idle_owners *o, idle_gap *gap, uint32_t thread, int64_t moment,
					    int64_t *until)
{
	const trace_ranges *r = &o->t->pushpop;
	struct idle_open *from = &gap->ranges[thread % 8];
	size_t after = around_after(o->around, thread, moment, from->thread == thread ? from->after : SIZE_MAX);
	uint32_t innermost = NONE, at;

	if (from->thread != thread || from->after != after || from->moment > moment)
		from->open = after > o->around->first[thread] ? after : 0;
	while (from->open && r->end[from->open - 1] <= moment)
		from->open = o->around->past[from->open - 1] == NONE ? 0 : o->around->past[from->open - 1] + 1u;
	*from = (struct idle_open){ thread, after, from->open, moment };
	if (after < o->around->first[thread + 1])
		*until = ns_min(*until, r->start[after]);
	at = from->open ? (uint32_t)from->open - 1 : NONE;
	for (; at != NONE && (innermost == NONE || !o->known->nested[innermost]);
	     at = around_up(o->around, at, moment)) {
		if (r->end[at] <= moment)
			continue;
		*until = ns_min(*until, r->end[at]);
		if (innermost == NONE && !idle_owners_is_inner_domain(o->t, at))
			innermost = at;
	}
	return innermost;
}

/* Sets range and where to the thread's range at the moment.  If it has none, `adopt` sets both to the main thread's,
 * and `adopt_where` sets only where.  *until is lowered to the moment when one of them may change. */
static void idle_owners_move_to_range(idle_owners_cut_ctx *x, int64_t moment, int64_t *until)
{
	const idle_owners *o = x->o;
	uint32_t main = o->known->main[x->thread];

	x->range = x->where = idle_owners_find_open_range(o, x->gap, x->thread, moment, until);
	if (x->range == NONE && (o->p->adopt || o->p->adopt_where) && main != NONE && main != x->thread) {
		x->where = idle_owners_find_open_range(o, x->gap, main, moment, until);
		x->range = o->p->adopt ? x->where : NONE;
	}
}

uint32_t idle_owners_find_range(const idle_owners *o, idle_gap *gap)
{
	const trace *t = o->t;
	uint32_t call = gap->in.next == NONE ? NONE : t->work.launch[gap->in.next];
	idle_owners_cut_ctx x = { .o = o, .gap = gap };

	if (call == NONE)
		return STR_NONE;
	x.thread = calls_thread(&t->calls, call);
	idle_owners_move_to_range(&x, t->calls.start[call], &(int64_t){ INT64_MAX });
	return idle_owners_fold_name(o, x.where);
}

/* Does no step begin in the range?  A step begins in its own range and in the ranges around it. */
static bool idle_owners_holds_no_step(const idle_owners *o, uint32_t range)
{
	const trace_ranges *r = &o->t->pushpop;
	const ival_set *of = &o->steps->of[o->t->threads[ranges_thread(r, range)].proc];
	size_t i;

	search_first(i, 0, of->n, of->v[i].a >= r->start[range]);
	return i == of->n || of->v[i].a >= r->end[range];
}

/* Is the moment in a pause of the thread before it copies data in?  Such a pause goes from the end of a CUDA or MPI
 * call to a CUDA call marked in copies_in, and is longer than a tenth of the step.  The first CUDA call of a thread has
 * no pause before it. */
static bool idle_owners_is_before_copy(const idle_owners *o, uint32_t thread, int64_t moment)
{
	const trace_calls *c = &o->t->calls;
	const trace_thread_events *m = &o->t->mpi;
	const ival_set *of = &o->steps->of[o->t->threads[thread].proc];
	size_t outer = outer_calls_after(o->t, o->outer, thread, moment, SIZE_MAX), i, mpi;
	int64_t from;

	search_first(i, 0, of->n, of->v[i].a > moment);
	if (!i || outer == o->outer->first[thread] || outer == o->outer->first[thread + 1] ||
	    !(o->steps->copies_in[outer / 8] >> outer % 8 & 1))
		return false;
	mpi = thread_events_find_reaching(m, thread, moment + 1);
	if (mpi < m->first[thread + 1] && m->start[mpi] < c->start[outer_call(o->outer, outer)])
		return false;
	from = c->end[outer_call(o->outer, outer - 1)];
	if (mpi > m->first[thread])
		from = ns_max(from, thread_events_latest_before(m, thread, mpi));
	return c->start[outer_call(o->outer, outer)] - from > (of->v[i - 1].b - of->v[i - 1].a) / 10;
}

/* The outermost MPI call of the thread at the moment, or NONE.  *until is lowered to the moment when that changes. */
static uint32_t idle_owners_mpi_call_at(const idle_owners *o, uint32_t thread, int64_t moment, int64_t *until)
{
	const trace_thread_events *m = &o->t->mpi;
	size_t i = thread_events_find_reaching(m, thread, moment + 1);

	if (i == m->first[thread + 1])
		return NONE;
	*until = ns_min(*until, m->start[i] > moment ? m->start[i] : thread_events_end(m, i));
	return m->start[i] > moment ? NONE : (uint32_t)i;
}

static enum owner idle_owners_owner_of_host(const idle_owners *o, uint32_t thread, uint32_t range, int64_t moment,
					    uint32_t mpi)
{
	const trace_ranges *r = &o->t->pushpop;
	const known_trace *f = o->known;

	for (uint32_t at = f->fetches[o->t->threads[thread].proc] ? range : NONE;
	     at != NONE && !(f->nested[at] && f->launches[at]); at = around_up(o->around, at, moment)) {
		bool open = r->end[at] > moment;        /* a range that crosses others may have closed */
		if (open && !f->launches[at] && !idle_owners_is_inner_domain(o->t, at) &&
		    f->data[range_names_number(o->names, r->name[at])])
			return OWNER_DATA;
	}
	return (range == NONE || !idle_owners_holds_no_step(o, range)) &&
		idle_owners_is_before_copy(o, thread, moment) ? OWNER_DATA :
		mpi != NONE ? OWNER_MPI : OWNER_HOST;
}

static bool idle_owners_has_word(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static enum owner idle_owners_owner_of_call(const idle_owners *o, uint32_t call)
{
	static const char *const allocates[] = { "Malloc", "Free", "Alloc", "HostRegister", "HostUnregister",
		"MemCreate", "MemMap", "MemUnmap", "MemRelease", "MemSetAccess", "MemAddress", NULL };
	static const char *const loads[] = { "Module", "Library", "Link", "Compile", "FuncGet", "FuncSet", "FuncLoad",
		"KernelGet", "KernelSet", "nvrtc", "CtxCreate", "PrimaryCtx", "cuInit", NULL };
	uint32_t name = calls_name(&o->t->calls, call);

	if (name == STR_NONE)
		return OWNER_API;
	if (!o->call_owner[name])
		o->call_owner[name] = idle_owners_has_word(str_at(&o->t->names, name), allocates) ? OWNER_ALLOC :
			idle_owners_has_word(str_at(&o->t->names, name), loads) ? OWNER_LOAD : OWNER_API;
	return (enum owner)o->call_owner[name];
}

static enum owner idle_owners_owner_of_cause(const idle_owners_cut_ctx *x, enum idle_cause c, uint32_t call,
					     uint32_t range, int64_t moment, uint32_t mpi)
{
	switch (c) {
	case IDLE_TURNAROUND: return OWNER_TURNAROUND;
	case IDLE_QUEUED: return OWNER_QUEUED;
	case IDLE_LAUNCH: return OWNER_LAUNCH;
	case IDLE_SYNC: return OWNER_SYNC;
	case IDLE_CALL: return idle_owners_owner_of_call(x->o, call);
	case IDLE_HOST: return idle_owners_owner_of_host(x->o, x->thread, range, moment, mpi);
	case IDLE_UM: return OWNER_UM;
	case IDLE_EDGE: return OWNER_EDGE;
	default: return OWNER_UNKNOWN;
	}
}

static void idle_owners_pass_piece(const idle_owners_cut_ctx *x, enum idle_cause c, uint32_t call, ival at,
				   uint32_t range, uint32_t mpi)
{
	const idle_owners *o = x->o;
	const owner_piece *common = x->common;
	enum owner owner = idle_owners_owner_of_cause(x, c, call, range, at.a, mpi);
	uint32_t name = owner == OWNER_MPI ? o->t->mpi.name[mpi] :
		call == NONE ? STR_NONE : calls_name(&o->t->calls, call);

	x->f(x->ctx,
	     &(owner_piece){ .at = { ns_max(at.a, common->at.a), ns_min(at.b, common->at.b) },
			     .owner = owner,
			     .synced = x->synced,
			     .where = at.a >= x->launch_start ? common->where : idle_owners_fold_name(o, x->where),
			     .name = name == STR_NONE || owner == OWNER_MPI ? name : o->base[name],
			     .work = common->work,
			     .call = call,
			     .gap = common->gap,
			     .pageable = call != NONE && o->known->pageable[call / 8] >> call % 8 & 1 });
}

/* Cuts a part of a gap at the moments when the thread enters or leaves a range, if the owner or owner_piece.where may
 * change then; outside CUDA calls, also when it enters or leaves an MPI call.  common->at clips the pieces, but
 * changes neither cuts nor owners. */
static void idle_owners_cut_part(void *ctx, enum idle_cause c, uint32_t call, ival part)
{
	idle_owners_cut_ctx *x = ctx;
	const idle_owners *o = x->o;
	bool ignores_range = x->thread == NONE || (o->p->owners_alone && c != IDLE_HOST);

	while (part.a < ns_min(part.b, x->common->at.b)) {
		int64_t moment = ns_min(part.a, x->launch_start), end = part.b;
		bool launch_began = part.a >= x->launch_start, uses_range = !launch_began && !ignores_range;
		uint32_t mpi = c == IDLE_HOST ? idle_owners_mpi_call_at(o, x->thread, moment, &end) : NONE;

		if (uses_range && moment >= x->until) {
			x->until = INT64_MAX;
			idle_owners_move_to_range(x, moment, &x->until);
		}
		end = uses_range ? ns_min(end, x->until) : end;
		if (end > x->common->at.a)
			idle_owners_pass_piece(x, c, call, (ival){ part.a, end }, uses_range ? x->range : NONE, mpi);
		part.a = end;
	}
}

void idle_owners_cut(const idle_owners *o, idle_gap *gap, const owner_piece *common, owners_take *f, void *ctx)
{
	const trace *t = o->t;
	uint32_t call = gap->in.next == NONE || gap->in.a == INT64_MIN ? NONE : t->work.launch[gap->in.next];
	idle_owners_cut_ctx x = { .o = o, .gap = gap, .common = common, .f = f, .ctx = ctx, .thread = NONE,
		.launch_start = INT64_MAX, .range = NONE, .where = NONE, .until = INT64_MIN };

	if (call != NONE) {
		x.thread = calls_thread(&t->calls, call);
		x.launch_start = t->calls.start[call];
	}
	x.synced = idle_synced(o->idle, gap);
	idle_give_parts(o->idle, gap, common->at, idle_owners_cut_part, &x);
}

typedef struct {
	const ival_set *window;
	idle_judged *to;
	int64_t whole[OWNERS];  /* by owner: its time in the whole gap, ns */
	struct { uint32_t call; int64_t ns; }
		now,            /* the call of the latest pieces, and its time in them */
		best[OWNERS];   /* by owner: the call with the most time, and that time */
} idle_owners_judge_ctx;

static void idle_owners_judge_piece(void *ctx, const owner_piece *p)
{
	idle_owners_judge_ctx *j = ctx;
	int64_t ns = p->at.b - p->at.a;

	j->whole[p->owner] += ns;
	j->to->part[p->owner] += ival_within(j->window, p->at.a, p->at.b);
	j->to->synced = p->synced;
	if (p->call == NONE)
		return;
	j->now.ns = p->call == j->now.call ? j->now.ns + ns : ns;
	j->now.call = p->call;
	if (j->now.ns > j->best[p->owner].ns) {
		j->best[p->owner].ns = j->now.ns;
		j->best[p->owner].call = p->call;
	}
}

idle_judged idle_owners_judge(const idle_owners *o, idle_gap *gap, const ival_set *window)
{
	idle_judged to = { .owner = OWNER_EDGE, .api = STR_NONE };
	idle_owners_judge_ctx j = { .window = window, .to = &to, .now.call = NONE };
	uint32_t name;

	if (gap->in.a == INT64_MIN || gap->in.next == NONE) {   /* the gap has no start or no end */
		to.part[OWNER_EDGE] = ival_within(window, gap->in.a, gap->in.b);
		return to;
	}
	idle_owners_cut(o, gap, &(owner_piece){ .at = { gap->in.a, gap->in.b }, .work = gap->in.next },
			idle_owners_judge_piece, &j);
	for (enum owner c = OWNER_EDGE; c-- > OWNER_TURNAROUND;)
		to.owner = j.whole[c] >= ns_max(1, j.whole[to.owner]) ? c : to.owner;
	name = j.best[to.owner].ns ? calls_name(&o->t->calls, j.best[to.owner].call) : STR_NONE;
	to.api = name == STR_NONE ? STR_NONE : o->base[name];
	return to;
}
