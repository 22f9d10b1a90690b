#include "step/kernel_flaws.h"
#include "base/memory.h"
#include "launch/kernel_shape.h"
#include "trace/rules.h"

#include <stdlib.h>
#include <string.h>

enum { PIECES = 64 };           /* the largest number of pieces of work between the two matrix products of attention */
enum { FULL_ACCESS = 16 };      /* the largest number of bytes that a thread can read with one instruction */

typedef struct {                /* what share/rules/flaws.tsv says about a kernel's name */
	bool softmax;
	uint8_t access;         /* the bytes that a thread reads with one instruction; 0: the name does not say */
} name_traits;

struct kernel_flaws {
	const trace *t;
	const owners *o;
	const int64_t *multiprocessors; /* by lane (a process on a GPU, trace_lane): multiprocessors of its GPU */
	int64_t *blocks;        /* by work type (work_type, "trace.h": name, shape and resources): blocks of the grid */
	name_traits *traits;    /* by work type: what its name says */
	uint8_t *flaw;          /* by work: enum flaw */
	uint32_t *run;          /* by work: the run that it belongs to, or NONE */
	uint32_t runs;          /* number of runs found so far */
};

const char *kernel_flaws_name(enum flaw flaw)
{
	static const char *const names[] = { NULL, "attention", "fill", "align", "move" };

	return names[flaw];
}

enum flaw kernel_flaws_of(const kernel_flaws *f, size_t work)
{
	return f->flaw[work];
}

uint32_t kernel_flaws_run_of(const kernel_flaws *f, size_t work)
{
	return f->run[work];
}

static int64_t kernel_flaws_blocks(const kernel_flaws *f, size_t work)
{
	return f->blocks[f->t->work.type[work]];
}

/* The number of multiprocessors of the GPU that the work ran on.  Work is in order of lanes. */
static int64_t kernel_flaws_multiprocessors(const kernel_flaws *f, size_t work)
{
	size_t lo = 0, hi = f->t->nlanes;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (f->t->lanes[mid].first <= work)
			lo = mid;
		else
			hi = mid;
	}
	return f->multiprocessors[lo];
}

int64_t kernel_flaws_waste(const kernel_flaws *f, size_t work, int64_t ns)
{
	switch (kernel_flaws_of(f, work)) {
	case FLAW_NONE:
		return 0;
	case FLAW_FILL:
		return (int64_t)((double)ns * (1 - (double)kernel_flaws_blocks(f, work) /
					       (double)kernel_flaws_multiprocessors(f, work)));
	case FLAW_ALIGN:
		return (int64_t)((double)ns * (1 - f->traits[f->t->work.type[work]].access / (double)FULL_ACCESS));
	default:
		return ns;
	}
}

/* ---- what names and sizes say */

static name_traits kernel_flaws_read_name(const rules *flaw_rules, const char *name)
{
	const char *label = rules_match(flaw_rules, name);

	if (!label)
		return (name_traits){ 0 };
	return (name_traits){ .softmax = strcmp(label, "softmax") == 0,
		.access = strncmp(label, "access ", 7) == 0 ? (uint8_t)strtol(label + 7, NULL, 10) : 0 };
}

/* Reads the name of each work type; each demangled name is looked up once. */
static void kernel_flaws_read_names(kernel_flaws *f)
{
	const trace *t = f->t;
	rules *flaw_rules = rules_load("flaws", NULL);
	size_t names = t->names.n;
	name_traits *known = mem_new(name_traits, names);
	bool *met = mem_new(bool, names);

	for (size_t i = 0; i < t->work.types.n; i++) {
		const work_type *what = &t->work.types.v[i];
		f->blocks[i] = kernel_shape_blocks(t, what);
		if (what->full == STR_NONE || what->full >= names)
			continue;
		if (!met[what->full])
			known[what->full] = kernel_flaws_read_name(flaw_rules, str_at(&t->names, what->full));
		met[what->full] = true;
		f->traits[i] = known[what->full];
	}
	rules_free(flaw_rules);
	mem_free(known, met);
}

/* ---- attention between two matrix products of a stream */

typedef struct {                /* the pieces of work of a stream since its last matrix product */
	uint32_t piece[PIECES], pieces;
	bool open;              /* was there a matrix product, and can all work since then be a part of attention? */
	bool softmax;
} attention_span;

static bool kernel_flaws_is_product(const kernel_flaws *f, size_t work)
{
	enum owner owner = owners_of_work(f->o, work);

	return owner == OWNER_MATMUL || owner == OWNER_MATMUL_PLAIN;
}

static bool kernel_flaws_is_softmax(const kernel_flaws *f, size_t work)
{
	return f->t->work.kind[work] == WORK_KERNEL && f->traits[f->t->work.type[work]].softmax;
}

/* Can the work, which is no softmax, be a part of attention?  A copy from or to the host cannot, because a classifier
 * ends with a softmax and a copy. */
static bool kernel_flaws_may_accompany(const kernel_flaws *f, size_t work)
{
	const trace *t = f->t;
	enum owner owner = owners_of_work(f->o, work);

	return t->work.kind[work] == WORK_SET || owner == OWNER_POINTWISE || owner == OWNER_MOVE ||
		(t->work.kind[work] == WORK_COPY &&
		 strcmp(str_at(&t->names, work_name(&t->work, work)), "memcpy d2d") == 0);
}

/* Ends a span at a matrix product, and begins the next one. */
static void kernel_flaws_end_span(kernel_flaws *f, attention_span *b)
{
	for (uint32_t i = 0; b->open && b->softmax && i < b->pieces; i++)
		f->flaw[b->piece[i]] = FLAW_ATTENTION;
	b->open = true;
	b->softmax = false;
	b->pieces = 0;
}

static void kernel_flaws_find_attention(kernel_flaws *f)
{
	const trace_work *w = &f->t->work;
	attention_span *streams = mem_new(attention_span, f->t->nstreams);

	for (size_t i = 0; i < w->n; i++) {
		attention_span *b = &streams[w->stream[i]];
		bool softmax = kernel_flaws_is_softmax(f, i);
		if (kernel_flaws_is_product(f, i)) {
			kernel_flaws_end_span(f, b);
			continue;
		}
		b->open = b->open && b->pieces < PIECES && (softmax || kernel_flaws_may_accompany(f, i));
		if (!b->open)
			continue;
		b->softmax |= softmax;
		b->piece[b->pieces++] = (uint32_t)i;
	}
	free(streams);
}

/* ---- flaws of single kernels */

/* The time in which two or more pieces of a lane's work run at the same time.  A piece overlaps earlier ones until the
 * last of them ends. */
static ival_set kernel_flaws_find_shared(const trace *t, const trace_lane *lane)
{
	ival_set s = { 0 };
	int64_t reach = INT64_MIN;

	for (size_t i = lane->first; i < lane->first + lane->n; i++) {
		ival_add(&s, t->work.start[i], ns_min(t->work.end[i], reach));
		reach = ns_max(reach, t->work.end[i]);
	}
	ival_index(&s);
	return s;
}

static bool kernel_flaws_fills_too_little(const kernel_flaws *f, size_t work, int64_t multiprocessors,
					  const ival_set *shared)
{
	int64_t a = f->t->work.start[work], b = f->t->work.end[work], blocks = kernel_flaws_blocks(f, work);

	return blocks != TRACE_UNKNOWN && blocks <= multiprocessors / 2 && b - a >= KERNEL_SHORT_NS &&
		ival_within(shared, a, b) <= (b - a) / 2;
}

static enum flaw kernel_flaws_judge_work(const kernel_flaws *f, size_t work, int64_t multiprocessors,
					 const ival_set *shared)
{
	enum owner owner = owners_of_work(f->o, work);
	uint8_t access = f->traits[f->t->work.type[work]].access;

	if (f->t->work.kind[work] != WORK_KERNEL || trace_is_comm(f->t, work))
		return FLAW_NONE;
	if (multiprocessors != TRACE_UNKNOWN && kernel_flaws_fills_too_little(f, work, multiprocessors, shared))
		return FLAW_FILL;
	if (owner == OWNER_MATMUL && access && access < FULL_ACCESS)
		return FLAW_ALIGN;
	return owner == OWNER_MOVE ? FLAW_MOVE : FLAW_NONE;
}

static void kernel_flaws_judge_lane(kernel_flaws *f, size_t lane)
{
	const trace_lane *l = &f->t->lanes[lane];
	ival_set shared = kernel_flaws_find_shared(f->t, l);

	for (size_t i = l->first; i < l->first + l->n; i++)
		if (f->flaw[i] == FLAW_NONE)
			f->flaw[i] = (uint8_t)kernel_flaws_judge_work(f, i, f->multiprocessors[lane], &shared);
	ival_free(&shared);
}

/* ---- runs of pointwise and moving kernels */

typedef struct {                /* the current run of a stream */
	vec(uint32_t) kernel;
	uint32_t longer;        /* the number of its kernels that are not short */
	int64_t ns;             /* the time of these longer kernels */
	int64_t moving;         /* the time of the longer kernels that only move data, ns */
	bool replayed;          /* do CUDA graphs replay its kernels? */
} run;

/* Ends a run.  A run with fewer than three kernels that are not short does not count.  If less than half of the run's
 * time is spent in kernels that move data, these have no flaw, because they can be fused with those that compute. */
static void kernel_flaws_end_run(kernel_flaws *f, run *r)
{
	for (size_t i = 0; r->longer >= 3 && i < r->kernel.n; i++) {
		uint32_t work = r->kernel.v[i];
		f->run[work] = r->replayed ? NONE : f->runs;
		if (r->moving < r->ns - r->moving)
			f->flaw[work] = FLAW_NONE;
	}
	f->runs += r->longer >= 3;
	r->kernel.n = r->longer = 0;
	r->ns = r->moving = 0;
}

static void kernel_flaws_add_to_run(kernel_flaws *f, run *r, size_t work)
{
	int64_t ns = f->t->work.end[work] - f->t->work.start[work];
	bool replayed = owners_replayed(f->o, work);

	if (r->replayed != replayed)
		kernel_flaws_end_run(f, r);
	r->replayed = replayed;
	vec_push(&r->kernel, (uint32_t)work);
	if (ns < KERNEL_SHORT_NS)
		return;
	r->longer++;
	r->ns = ns_add(r->ns, ns);
	r->moving = ns_add(r->moving, owners_of_work(f->o, work) == OWNER_MOVE ? ns : 0);
}

/* Finds the runs.  Memsets are skipped, and so are pointwise and moving kernels with a flaw other than FLAW_MOVE.  Any
 * other work ends a run. */
static void kernel_flaws_find_runs(kernel_flaws *f)
{
	const trace *t = f->t;
	run *streams = mem_new(run, t->nstreams);

	for (size_t i = 0; i < t->work.n; i++) {
		run *r = &streams[t->work.stream[i]];
		enum owner owner = owners_of_work(f->o, i);
		if (owner != OWNER_POINTWISE && owner != OWNER_MOVE && t->work.kind[i] != WORK_SET)
			kernel_flaws_end_run(f, r);
		else if (t->work.kind[i] == WORK_KERNEL && (f->flaw[i] == FLAW_NONE || f->flaw[i] == FLAW_MOVE))
			kernel_flaws_add_to_run(f, r, i);
	}
	for (size_t s = 0; s < t->nstreams; s++) {
		kernel_flaws_end_run(f, &streams[s]);
		vec_free(&streams[s].kernel);
	}
	free(streams);
}

/* ---- all flaws */

kernel_flaws *kernel_flaws_build(trace *t, const owners *o)
{
	kernel_flaws *f = mem_new(kernel_flaws, 1);

	*f = (kernel_flaws){ .t = t, .o = o, .multiprocessors = kernel_shape_multiprocessors(t),
		.blocks = mem_new(int64_t, t->work.types.n), .traits = mem_new(name_traits, t->work.types.n),
		.flaw = mem_new(uint8_t, t->work.n), .run = mem_none(uint32_t, t->work.n) };
	kernel_flaws_read_names(f);
	kernel_flaws_find_attention(f);
	for (size_t l = 0; l < t->nlanes; l++)
		kernel_flaws_judge_lane(f, l);
	kernel_flaws_find_runs(f);
	return f;
}

void kernel_flaws_free(kernel_flaws *f)
{
	mem_free(f->blocks, f->traits, f->flaw, f->run, f);
}
