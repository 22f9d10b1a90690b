#include "relate/owners.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/search.h"
#include "relate/idle_causes.h"
#include "relate/outer_calls.h"
#include "relate/ranges_around.h"
#include "trace/rules.h"
#include "relate/steps.h"
#include "relate/window.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

#include <string.h>

/* The words that say that a range fetches data, at the edges of a word, of camelCase or of snake_case. */
#define DATA "data|batch|loader|dataloader|fetch|prefetch|collate"
#define CAMEL "Data|Batch|Loader|DataLoader|Dataloader|Fetch|Prefetch|Collate"
static const char data_words[] = "(^|[^A-Za-z])(" DATA ")([^a-z]|$)|(^|[^A-Z])(" CAMEL ")([^a-z]|$)|(^|[^A-Za-z])"
	"(DATA|BATCH|LOADER|DATALOADER|FETCH|PREFETCH|COLLATE)([^A-Za-z]|$)";

enum { DOES_NOTHING, DOES_LAUNCH, DOES_COPY_IN };       /* what a call, or the next one that does anything, does */
enum { CLASS_COMPUTE, CLASS_COMM, CLASS_COPY, CLASSES };
enum { UNKNOWN = 0xff };

struct owners {
	trace *t;
	const owners_params *p;
	const idle_causes *idle;
	const outer_calls *outer;
	const around *around;
	uint32_t *main;         /* by thread: the main thread of its process, or NONE */
	uint8_t *does;          /* by outermost call, as in outer: DOES_..., of it or of the next of its thread that does something */
	bool *launches;         /* by range: was a kernel launched in it? */
	uint8_t *pageable;      /* by call, a bit each: does it copy from or to pageable memory? */
	vec(uint8_t) of_name;   /* by name of a kernel or call: its owner, or UNKNOWN */
	const uint32_t *base;   /* by name of a call: without its version */
	rules *rules[2];        /* of compute kernels, in the order in which they are tried */
	name_match data;
	regex_t words;
	ival_set *steps;        /* by process: on the CPU, each up to the next; not merged */
};

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

const char *owner_name(enum owner o)
{
	static const char *const names[] = {
		[OWNER_MATMUL] = "matmul", [OWNER_MATMUL_PLAIN] = "matmul.plain", [OWNER_ATTENTION] = "attention",
		[OWNER_ATTENTION_PLAIN] = "attention.plain", [OWNER_POINTWISE] = "pointwise", [OWNER_REDUCTION] = "reduction",
		[OWNER_OPTIMIZER] = "optimizer", [OWNER_GRAPH] = "graph", [OWNER_COMPUTE] = "compute", [OWNER_COMM_WAIT] = "comm.wait",
		[OWNER_COMM] = "comm", [OWNER_COPY_PAGEABLE] = "copy.pageable", [OWNER_COPY_UM] = "copy.um", [OWNER_COPY] = "copy",
		[OWNER_SYNC] = "sync", [OWNER_ALLOC] = "alloc", [OWNER_LOAD] = "load", [OWNER_API] = "api", [OWNER_LAUNCH] = "launch",
		[OWNER_TURNAROUND] = "turnaround", [OWNER_QUEUED] = "queued", [OWNER_DATA] = "data", [OWNER_HOST] = "host",
		[OWNER_UM] = "um", [OWNER_EDGE] = "edge", [OWNER_UNKNOWN] = "unknown",
	};

	return names[o];
}

/* ---- what is known of the whole trace */

static bool is_pageable(const trace *t, size_t work)
{
	const char *src, *dst;

	if (t->work.kind[work] != WORK_COPY)
		return false;
	src = work_mem_kind(t->work.src_kind[work]);
	dst = work_mem_kind(t->work.dst_kind[work]);
	return (src && strcmp(src, "pageable") == 0) || (dst && strcmp(dst, "pageable") == 0);
}

/* Copies from the host, by the names that work has. */
static bool copies_in(const trace *t, size_t work)
{
	return t->work.kind[work] == WORK_COPY && strcmp(str_at(&t->names, t->work.name[work]), "memcpy h2d") == 0;
}

static void mark_launches(owners *o, size_t work)
{
	around_walk w = around_work(o->around, work);

	for (; w.range != NONE; around_next(o->around, &w))
		o->launches[w.range] = true;
}

/* What each outermost call does: its work may belong to a call inside it. */
static void find_calls(owners *o)
{
	const trace *t = o->t;

	o->does = mem_new(uint8_t, o->outer->first[t->nthreads] + 1);
	o->pageable = mem_new(uint8_t, t->calls.n / 8 + 1);
	o->launches = mem_new(bool, t->pushpop.n);
	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t call = t->work.launch[i];
		size_t k;
		if (call == NONE)
			continue;
		if (is_pageable(t, i))
			o->pageable[call / 8] |= (uint8_t)(1 << call % 8);
		k = outer_calls_after(t, o->outer, t->calls.thread[call], t->calls.start[call], SIZE_MAX);
		if (k < o->outer->first[t->calls.thread[call] + 1] && o->does[k] != DOES_COPY_IN)
			o->does[k] = copies_in(t, i) ? DOES_COPY_IN : DOES_LAUNCH;
		if (t->work.kind[i] <= WORK_GRAPH)
			mark_launches(o, i);
	}
	for (size_t thread = 0; thread < t->nthreads; thread++)
		for (size_t k = o->outer->first[thread + 1]; k-- > o->outer->first[thread];)
			if (o->does[k] == DOES_NOTHING && k + 1 < o->outer->first[thread + 1])
				o->does[k] = o->does[k + 1];
}

/* The one place that knows how steps are found. */
static void find_steps(owners *o)
{
	trace *t = o->t;
	step_set all = steps_find(t, projection_on(t, -1), o->p->match, false);

	o->steps = mem_new(ival_set, t->nprocs);
	for (size_t k = 0; k < t->nprocs; k++) {
		const steps *st = &all.of[k];
		ival_set *to = &o->steps[k];
		for (size_t i = 0; st->rule != STEPS_PROCESS && i < st->n; i++)
			vec_push(to, (ival){ st->v[i].cpu.a, i + 1 < st->n ? st->v[i + 1].cpu.a : st->v[i].cpu.b });
	}
	steps_free(&all);
}

owners *owners_build(trace *t, const owners_params *p, notes *say)
{
	owners *o = mem_new(owners, 1);

	o->t = t;
	o->p = p;
	o->rules[0] = rules_load("matmul", say);
	o->rules[1] = rules_load("compute", say);
	o->idle = idle_of(t, IDLE_JUDGED);
	o->outer = outer_calls_of(t);
	o->around = around_of(t, around_what(p->adopt, p->captured));
	o->base = call_base_names(t);
	o->main = mem_new(uint32_t, t->nthreads);
	for (size_t i = 0; i < t->nthreads; i++)
		o->main[i] = around_main_thread(t, t->threads[i].proc);
	find_calls(o);
	find_steps(o);
	if (!o->rules[0] || !o->rules[1] || pattern_compile(&o->words, data_words, REG_NOSUB, (char[200]){ 0 }, 200)) {
		owners_free(o);
		return NULL;
	}
	o->data = (name_match){ .re = &o->words, .names = &t->names };
	return o;
}

void owners_free(owners *o)
{
	for (size_t k = 0; k < o->t->nprocs; k++)
		free(o->steps[k].v);
	free(o->steps);
	if (o->data.re)
		regfree(&o->words);
	name_match_free(&o->data);
	vec_free(&o->of_name);
	rules_free(o->rules[0]);
	rules_free(o->rules[1]);
	free(o->main);
	free(o->does);
	free(o->launches);
	free(o->pageable);
	free(o);
}

/* ---- who owns work */

static enum owner owner_called(const char *label)
{
	for (int i = 0; i < OWNER_GRAPH; i++)
		if (strcmp(owner_name((enum owner)i), label) == 0)
			return (enum owner)i;
	return OWNER_COMPUTE;
}

/* By the short name, else by the demangled one. */
static enum owner by_rules(owners *o, size_t work)
{
	const uint32_t names[] = { o->t->work.name[work], o->t->work.full[work] };

	for (int n = 0; n < 2; n++)
		for (int r = 0; r < 2; r++) {
			uint32_t label = names[n] == STR_NONE ? STR_NONE :
				rules_label(o->rules[r], str_at(&o->t->names, names[n]), &o->t->names);
			if (label != STR_NONE)
				return owner_called(str_at(&o->t->names, label));
		}
	return OWNER_COMPUTE;
}

/* Kernels of one demangled name have one owner, which is looked up once. */
static enum owner owner_of_kernel(owners *o, size_t work)
{
	uint32_t name = o->t->work.full[work];

	if (name == STR_NONE)
		return OWNER_COMPUTE;
	while (o->of_name.n <= name)
		vec_push(&o->of_name, UNKNOWN);
	if (o->of_name.v[name] == UNKNOWN)
		o->of_name.v[name] = (uint8_t)by_rules(o, work);
	return (enum owner)o->of_name.v[name];
}

static int class_of(const trace *t, size_t work)
{
	return trace_is_comm(t, work) ? CLASS_COMM : t->work.kind[work] > WORK_GRAPH ? CLASS_COPY : CLASS_COMPUTE;
}

enum owner owners_of_work(owners *o, size_t work)
{
	const trace *t = o->t;

	switch (class_of(t, work)) {
	case CLASS_COMPUTE:
		return t->work.kind[work] == WORK_GRAPH ? OWNER_GRAPH : owner_of_kernel(o, work);
	case CLASS_COMM:
		return OWNER_COMM;
	default:
		return is_pageable(t, work) ? OWNER_COPY_PAGEABLE : trace_is_migration(t, work) ? OWNER_COPY_UM : OWNER_COPY;
	}
}

static uint32_t folded(owners *o, uint32_t range)
{
	uint32_t name = range == NONE ? STR_NONE : o->t->pushpop.name[range];

	return name == STR_NONE ? STR_NONE : str_fold(&o->t->names, name);
}

static bool is_nccl(const trace *t, uint32_t range)
{
	return t->domains[t->pushpop.domain[range]].nccl;
}

uint32_t owners_where(owners *o, size_t work)
{
	around_walk w;

	if (o->t->work.launch[work] == NONE)
		return STR_NONE;
	w = around_work(o->around, work);
	while (w.range != NONE && is_nccl(o->t, w.range))
		around_next(o->around, &w);
	return folded(o, w.range);
}

bool owners_replayed(const owners *o, size_t work)
{
	uint32_t call = work == NONE ? NONE : o->t->work.launch[work], name = call == NONE ? STR_NONE : o->t->calls.name[call];

	return name != STR_NONE && call_replays(str_at(&o->t->names, name));
}

const around *owners_around(const owners *o)
{
	return o->around;
}

/* ---- who owns idle time */

typedef vec(owner_piece) pieces;

typedef struct {                /* an idle gap while its parts are cut into pieces */
	owners *o;
	const idle_gap *gap;
	pieces *to;
	uint32_t thread;        /* that launches what ends it, or NONE */
	int64_t ls;
	bool synced;
} cutting;

/* The innermost range of the thread that is open at the moment, outside NCCL's domain, NONE if there is none; and until
 * when that and those around it hold, of which an outer one may close first. */
static uint32_t range_on(const owners *o, uint32_t thread, int64_t moment, int64_t *until)
{
	const trace_ranges *r = &o->t->pushpop;
	uint32_t at = around_at(o->around, thread, moment), innermost = NONE;
	size_t next;

	search_first(next, o->around->first[thread], o->around->first[thread + 1], r->start[next] > moment);
	if (next < o->around->first[thread + 1])
		*until = least(*until, r->start[next]);
	for (; at != NONE; at = o->around->parent[at]) {
		if (r->end[at] <= moment)
			continue;
		*until = least(*until, r->end[at]);
		if (innermost == NONE && !is_nccl(o->t, at))
			innermost = at;
	}
	return innermost;
}

static uint32_t range_at(const owners *o, uint32_t thread, int64_t moment, int64_t *until)
{
	uint32_t at = range_on(o, thread, moment, until), main = o->main[thread];

	return at == NONE && o->p->adopt && main != NONE && main != thread ? range_on(o, main, moment, until) : at;
}

/* Is it inside a step, rather than the step's own or one around steps? */
static bool is_inner(const owners *o, uint32_t range)
{
	const trace_ranges *r = &o->t->pushpop;
	const ival_set *of = &o->steps[o->t->threads[r->thread[range]].proc];
	size_t i;

	search_first(i, 0, of->n, of->v[i].a >= r->start[range]);
	return i == of->n || of->v[i].a >= r->end[range];
}

/* Is the thread between two calls that are far apart, and is the next thing it does a copy to the device? */
static bool before_copy(const owners *o, uint32_t thread, int64_t moment)
{
	const trace_calls *c = &o->t->calls;
	const ival_set *of = &o->steps[o->t->threads[thread].proc];
	size_t k = outer_calls_after(o->t, o->outer, thread, moment, SIZE_MAX), i;
	int64_t from;

	search_first(i, 0, of->n, of->v[i].a > moment);
	if (!i || k == o->outer->first[thread] || k == o->outer->first[thread + 1] || o->does[k] != DOES_COPY_IN)
		return false;
	from = c->end[o->outer->calls[k - 1]];
	return c->start[o->outer->calls[k]] - from > (of->v[i - 1].b - of->v[i - 1].a) / 10;
}

static enum owner owner_of_host(owners *o, uint32_t thread, uint32_t range, int64_t moment)
{
	const trace_ranges *r = &o->t->pushpop;

	for (uint32_t at = range; at != NONE; at = o->around->parent[at])       /* ranges that cross may have closed before it */
		if (!o->launches[at] && r->end[at] > moment && !is_nccl(o->t, at) && name_match_of(&o->data, r->name[at]))
			return OWNER_DATA;
	return (range == NONE || !is_inner(o, range)) && before_copy(o, thread, moment) ? OWNER_DATA : OWNER_HOST;
}

static bool has_word(const char *name, const char *const *words)
{
	for (; *words; words++)
		if (strstr(name, *words))
			return true;
	return false;
}

static enum owner owner_of_call(const owners *o, uint32_t call)
{
	static const char *const allocates[] = { "Malloc", "Free", "Alloc", "HostRegister", "HostUnregister", "MemCreate", "MemMap",
		"MemUnmap", "MemRelease", "MemSetAccess", "MemAddress", NULL };
	static const char *const loads[] = { "Module", "Library", "Link", "Compile", "FuncGet", "FuncSet", "FuncLoad", "KernelGet",
		"KernelSet", "nvrtc", "CtxCreate", "PrimaryCtx", "cuInit", NULL };
	uint32_t name = o->t->calls.name[call];

	if (name == STR_NONE)
		return OWNER_API;
	return has_word(str_at(&o->t->names, name), allocates) ? OWNER_ALLOC :
		has_word(str_at(&o->t->names, name), loads) ? OWNER_LOAD : OWNER_API;
}

static enum owner owner_of_cause(const cutting *x, enum idle_cause c, uint32_t call, uint32_t range, int64_t moment)
{
	switch (c) {
	case IDLE_TURNAROUND: return OWNER_TURNAROUND;
	case IDLE_QUEUED: return OWNER_QUEUED;
	case IDLE_LAUNCH: return OWNER_LAUNCH;
	case IDLE_SYNC: return OWNER_SYNC;
	case IDLE_MEMORY:
	case IDLE_API: return owner_of_call(x->o, call);
	case IDLE_HOST: return owner_of_host(x->o, x->thread, range, moment);
	case IDLE_UM: return OWNER_UM;
	case IDLE_EDGE: return OWNER_EDGE;
	default: return OWNER_UNKNOWN;
	}
}

/* A part of a gap, cut where the thread enters or leaves a range. */
static void cut_part(void *ctx, enum idle_cause c, uint32_t call, ival part)
{
	const cutting *x = ctx;
	owners *o = x->o;

	while (part.a < part.b) {
		int64_t moment = least(part.a, x->ls), until = INT64_MAX;
		uint32_t range = x->thread == NONE ? NONE : range_at(o, x->thread, moment, &until);
		owner_piece p = { .at = { part.a, part.a < x->ls ? least(part.b, until) : part.b }, .where = folded(o, range),
			.work = x->gap->in.next, .name = call == NONE || o->t->calls.name[call] == STR_NONE ? STR_NONE :
				o->base[o->t->calls.name[call]],
			.pageable = call != NONE && o->pageable[call / 8] >> call % 8 & 1 };
		p.otherwise = owner_of_cause(x, c, call, range, moment);
		p.owner = x->synced ? OWNER_SYNC : p.otherwise;
		vec_push(x->to, p);
		part.a = p.at.b;
	}
}

/* ---- all of them together */

typedef struct {                /* what comes next of one class of work, in the order of its pieces */
	size_t next, end;       /* the work still to be looked at */
	int64_t until;          /* what earlier work of the class has covered */
	size_t work;            /* the piece, */
	ival at;                /* and when it owns the time; empty: there are no more */
} track;

typedef struct {
	owners *o;
	track tracks[CLASSES];
	idle_gap gap;
	bool more;              /* are there gaps? */
	pieces idle;            /* the pieces of the gap, */
	size_t next_idle;       /* and the first that has not gone by */
} sweep;

/* Of work of one class that runs at once the one that started first owns the time: each owns what those before it leave. */
static void advance(sweep *s, int class)
{
	const trace *t = s->o->t;
	track *k = &s->tracks[class];

	for (; k->next < k->end; k->next++) {
		int64_t end = t->work.end[k->next];
		if (class_of(t, k->next) != class || end <= k->until || end == t->work.start[k->next])
			continue;
		k->work = k->next++;
		k->at = (ival){ most(t->work.start[k->work], k->until), end };
		k->until = end;
		return;
	}
	k->at = (ival){ INT64_MAX, INT64_MAX };
}

/* The pieces of the gap around the moment. */
static void enter_gap(sweep *s, int64_t moment)
{
	const trace *t = s->o->t;
	cutting x = { .o = s->o, .gap = &s->gap, .to = &s->idle, .thread = NONE, .ls = INT64_MAX };
	uint32_t call;

	while (s->more && s->gap.in.b <= moment)
		s->more = quiet_next(idle_gaps(s->o->idle), &s->gap.in);
	call = s->gap.in.next == NONE || !s->gap.in.at ? NONE : t->work.launch[s->gap.in.next];
	if (call != NONE) {
		x.thread = t->calls.thread[call];
		x.ls = t->calls.start[call];
	}
	x.synced = idle_synced(s->o->idle, &s->gap) || idle_just_synced(s->o->idle, &s->gap);
	s->idle.n = s->next_idle = 0;
	idle_parts(s->o->idle, &s->gap, cut_part, &x);
}

/* When the last rank arrived at a communication kernel; INT64_MIN if that is not known. */
static int64_t arrival_at(const owners_params *p, size_t work)
{
	size_t i;

	search_first(i, 0, p->narrivals, p->arrivals[i].work >= work);
	return i < p->narrivals && p->arrivals[i].work == work ? p->arrivals[i].at : INT64_MIN;
}

/* The piece that begins at the moment and ends by the limit. */
static owner_piece piece_at(sweep *s, int64_t moment, int64_t limit)
{
	owner_piece p;
	int64_t arrival;

	for (int c = 0; c < CLASSES; c++) {
		track *k = &s->tracks[c];
		while (k->at.b <= moment)
			advance(s, c);
		if (k->at.a > moment) {
			limit = least(limit, k->at.a);
			continue;
		}
		p = (owner_piece){ { moment, least(limit, k->at.b) }, owners_of_work(s->o, k->work), 0, owners_where(s->o, k->work),
			s->o->t->work.name[k->work], (uint32_t)k->work, false, owners_replayed(s->o, k->work) };
		arrival = c == CLASS_COMM ? arrival_at(s->o->p, k->work) : INT64_MIN;
		if (arrival > moment) {
			p.owner = OWNER_COMM_WAIT;
			p.at.b = least(p.at.b, arrival);
		}
		p.otherwise = p.owner;
		return p;
	}
	if (s->next_idle == s->idle.n || s->idle.v[s->idle.n - 1].at.b <= moment)
		enter_gap(s, moment);
	while (s->idle.v[s->next_idle].at.b <= moment)
		s->next_idle++;
	p = s->idle.v[s->next_idle];
	p.at = (ival){ moment, least(limit, p.at.b) };
	p.replayed = owners_replayed(s->o, p.work);
	return p;
}

void owners_walk(owners *o, size_t lane, ival in, owners_take *f, void *ctx)
{
	sweep s = { .o = o };
	const trace_lane *l = &o->t->lanes[lane];
	size_t lo, hi;

	window_work(o->t, l, &(ival_set){ .v = &in, .n = 1 }, &lo, &hi);
	for (int c = 0; c < CLASSES; c++)
		s.tracks[c] = (track){ .next = lo, .end = hi, .until = INT64_MIN, .at = { INT64_MIN, INT64_MIN } };
	s.more = quiet_first(idle_gaps(o->idle), lane, quiet_after(idle_gaps(o->idle), lane, in.a), &s.gap.in);
	while (in.a < in.b) {
		owner_piece p = piece_at(&s, in.a, in.b);
		f(ctx, &p);
		in.a = p.at.b;
	}
	vec_free(&s.idle);
}
