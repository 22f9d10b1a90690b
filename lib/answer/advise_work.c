/* The tables about the work of steps: ledger, collectives, runs of pointwise kernels, launches in ranges. */
#include "answer/advise_gather.h"
#include "base/sums.h"
#include "launch/kernel_shape.h"

#include <stdio.h>
#include <string.h>

enum {
	KEY_OWNERS,             /* owner, flaw, BIT_..., and place.beside (below), in one number */
	KEY_NAMES,              /* place.where, and the name of the work or call (owner_piece.name), in one number */
	KEYS
};
enum {                                  /* bits of KEY_OWNERS: the columns of the ledger with these names */
	BIT_SYNCED = 1 << 12, BIT_PAGEABLE = 1 << 13, BIT_REPLAYED = 1 << 14, BIT_CAPTURES = 1 << 15,
	BIT_FIRST = 1 << 16, BIT_SMALLCOPY = 1 << 17, BIT_WAITS = 1 << 18, BIT_FAR = 1 << 19,
	BIT_ASLEEP = 1 << 20
};
enum { FLAW_SHIFT = 8, FLAW_MASK = 15 };        /* the bits of KEY_OWNERS that hold the flaw; those below: the owner */
enum { FAR_NS = 1000000 };      /* a longer gap (BIT_FAR) has another cause than a launch, because no launch takes that
				 * long; ns */

typedef struct {
	int64_t ns;             /* time of the pieces (owner_piece) */
	int64_t waste;          /* the part of `ns` that the flaw wastes */
	int64_t count;          /* the number of kernels, copies and so on that run in them, or of idle gaps */
	uint32_t last;          /* the work that was counted last */
} sum;

typedef struct {                /* sums over those kernels of a run that begin in a step */
	int64_t kernels;        /* their number */
	int64_t ns;             /* their whole times */
	int64_t longest;        /* the longest of these times, ns */
} run_part;

typedef struct {                /* the place of a launch, as folded names */
	uint32_t where;         /* innermost range, except that of the step; or STR_NONE */
	uint32_t beside;        /* if `where` is STR_NONE: the source of the launch (call_sources.h) or, without one,
				 * the range of the main thread then.  STR_NONE: there is neither, or `where` is set */
} place;

typedef struct {                /* a run of pointwise kernels */
	run_part all;           /* all its kernels */
	run_part unmoving;      /* its kernels without the flaw that they only move data */
	place at;               /* the place of its first kernel */
} run;

typedef struct {                /* state of the walk through the pieces of a step (owners_walk) */
	advise_gather_ctx *g;
	advise_step_row *at;    /* the step */
	sums ledger;            /* a `sum` for each row of the ledger; keys: KEY_... */
	sums exposed;           /* ns (int64_t) in which a communication kernel runs alone in the step; key: the
				 * kernel */
} advise_work_walk_ctx;

/* The folded name of the range that the main thread was in when the work was launched.  STR_NONE: it was in no range
 * but that of the step, or the launch is unknown.  Ranges from inside a library and Python functions
 * (trace_domain.inner) do not count. */
static uint32_t advise_work_find_main_place(const advise_gather_ctx *g, const advise_step_row *at, size_t work)
{
	const trace *t = g->t;
	uint32_t call = t->work.launch[work], thread, range, name;

	thread = call == NONE ? NONE : around_main_thread(t, t->threads[calls_thread(&t->calls, call)].proc);
	range = thread == NONE ? NONE : around_at(owners_around(g->o), thread, t->calls.start[call]);
	while (range != NONE && (t->pushpop.end[range] <= t->calls.start[call] ||
				 t->domains[ranges_domain(&t->pushpop, range)].inner))
		range = around_up(owners_around(g->o), range, t->calls.start[call]);
	name = range == NONE || t->pushpop.name[range] == STR_NONE ? STR_NONE :
		str_fold(&g->t->names, t->pushpop.name[range]);
	return name == at->name ? STR_NONE : name;
}

static uint32_t advise_work_find_beside(const advise_gather_ctx *g, const advise_step_row *at, size_t work)
{
	uint32_t call = g->t->work.launch[work], source = call_sources_name(g->sources, call);

	return source != STR_NONE || call == NONE ? source : advise_work_find_main_place(g, at, work);
}

static place advise_work_find_place(const advise_gather_ctx *g, const advise_step_row *at, size_t work)
{
	uint32_t where = owners_where(g->o, work);

	return where == STR_NONE || where == at->name ? (place){ STR_NONE, advise_work_find_beside(g, at, work) } :
		(place){ where, STR_NONE };
}

/* BIT_CAPTURES, BIT_SMALLCOPY, BIT_FIRST, BIT_WAITS and BIT_FAR of an idle piece. */
static unsigned advise_work_bits_of_idle(const advise_work_walk_ctx *x, const owner_piece *p)
{
	const advise_gather_ctx *g = x->g;
	uint32_t launch = p->work == NONE ? NONE : g->t->work.launch[p->work];
	unsigned marks = p->call == NONE ? 0 : g->marks->of[p->call], bits = p->gap > FAR_NS ? BIT_FAR : 0;

	if (marks & CALL_GRAPHS || (launch != NONE &&
				    call_marks_is_capturing(g->marks, calls_thread(&g->t->calls, launch), p->at.a)))
		bits |= BIT_CAPTURES;
	if (marks & CALL_SMALL_COPY || (p->work != NONE && call_marks_is_small_copy(g->t, p->work)))
		bits |= BIT_SMALLCOPY;
	return bits | (marks & CALL_FIRST ? BIT_FIRST : 0) | (marks & CALL_WAITS_TINY_COPY ? BIT_WAITS : 0);
}

static unsigned advise_work_bits_of_work(const advise_work_walk_ctx *x, size_t work)
{
	return (call_marks_is_small_copy(x->g->t, work) ? BIT_SMALLCOPY : 0) |
		(unsigned)kernel_flaws_of(x->g->flaws, work) << FLAW_SHIFT;
}

static unsigned advise_work_bits_of_piece(const advise_work_walk_ctx *x, const owner_piece *p)
{
	unsigned bits = owner_is_idle(p->owner) ? advise_work_bits_of_idle(x, p) : advise_work_bits_of_work(x, p->work);

	return bits | (p->synced ? BIT_SYNCED : 0) | (p->pageable ? BIT_PAGEABLE : 0) |
		(owners_replayed(x->g->o, p->work) ? BIT_REPLAYED : 0);
}

/* Add a piece to the ledger.  more: BIT_ASLEEP or 0. */
static void advise_work_add_piece(advise_work_walk_ctx *x, const owner_piece *p, unsigned more)
{
	uint32_t where = p->where == x->at->name ? STR_NONE : p->where;
	uint64_t beside = where != STR_NONE || p->work == NONE ? STR_NONE :
								 advise_work_find_beside(x->g, x->at, p->work);
	sum *to = sums_of(&x->ledger, (int64_t[]){
		[KEY_OWNERS] = (int64_t)(beside << 32 | (uint64_t)p->owner |
			advise_work_bits_of_piece(x, p) | more),
		[KEY_NAMES] = (int64_t)((uint64_t)where << 32 | p->name) });

	to->ns += p->at.b - p->at.a;
	to->waste += owner_is_idle(p->owner) ? 0 : kernel_flaws_waste(x->g->flaws, p->work, p->at.b - p->at.a);
	to->count += !to->count || to->last != p->work;
	to->last = p->work;
}

/* Is the piece idle time of code that may wait for anything?  That is host code, or code that fetches data in no range
 * except that of the step. */
static bool advise_work_may_sleep(const advise_work_walk_ctx *x, const owner_piece *p)
{
	return p->owner == OWNER_HOST || (p->owner == OWNER_DATA && (p->where == STR_NONE || p->where == x->at->name));
}

/* Add a piece to the ledger.  If advise_work_may_sleep, it is divided into times in which the process is on the CPU and
 * times in which it is not (BIT_ASLEEP). */
static void advise_work_divide_piece(advise_work_walk_ctx *x, const owner_piece *p)
{
	const ival_set *off = x->g->asleep ? &x->g->asleep[x->at->proc] : NULL;
	size_t i = off && advise_work_may_sleep(x, p) ? ival_after(off, p->at.a) : SIZE_MAX;
	owner_piece part = *p;

	for (; off && i < off->n && off->v[i].a < p->at.b; i++) {
		ival at = { ns_max(off->v[i].a, p->at.a), ns_min(off->v[i].b, p->at.b) };
		if (at.a > part.at.a) {
			part.at.b = at.a;
			advise_work_add_piece(x, &part, 0);
		}
		part.at = at;
		advise_work_add_piece(x, &part, BIT_ASLEEP);
		x->at->asleep += at.b - at.a;
		part.at = (ival){ at.b, p->at.b };
	}
	if (part.at.a < part.at.b)
		advise_work_add_piece(x, &part, 0);
}

/* Add a piece to the sums of the step and to the ledger.  In a long step, the ledger leaves out another phase of the
 * program (between), because that phase is not the step's own work. */
static void advise_work_count_piece(void *ctx, const owner_piece *p)
{
	advise_work_walk_ctx *x = ctx;
	int64_t ns = p->at.b - p->at.a;

	if (!x->at->is_long || p->at.a < x->at->between.a || p->at.b > x->at->between.b)
		advise_work_divide_piece(x, p);
	x->at->busy += owner_is_idle(p->owner) ? 0 : ns;
	x->at->compute += p->owner <= OWNER_COMPUTE ? ns : 0;
	x->at->mpi += p->owner == OWNER_MPI ? ns : 0;
	x->at->graphs += p->owner == OWNER_GRAPH ? ns : 0;
	if (p->owner == OWNER_COPY || p->owner == OWNER_COPY_PAGEABLE || p->owner == OWNER_COPY_UM)
		x->at->copies += ns;
	if (p->owner == OWNER_COMM || p->owner == OWNER_COMM_WAIT) {
		*(int64_t *)sums_of(&x->exposed, (int64_t[]){ p->work }) += ns;
		x->at->exposed += ns;
	}
}

static void advise_work_add_ledger_rows(advise_work_walk_ctx *x)
{
	table *out = &x->g->a->tables[ADVISE_LEDGER];

	if (!x->at->step)
		x->g->a->units.v[x->at->unit].first = x->g->a->steps.n;
	vec_push(&x->g->a->steps, (advise_step){ x->at->unit, window_hull(&x->at->w->gpu), table_rows(out),
		 x->ledger.g.n });
	for (size_t i = 0; i < x->ledger.g.n; i++) {
		const int64_t *key = sums_key(&x->ledger, i);
		const sum *s = sums_at(sum, &x->ledger, i);
		int64_t bits = key[KEY_OWNERS];
		uint64_t names = (uint64_t)key[KEY_NAMES];
		uint32_t source = (uint32_t)((uint64_t)bits >> 32);
		enum owner owner = (enum owner)(bits & 255);
		table_row(out);
		table_int(out, L_UNIT, (int64_t)x->at->unit);
		table_int(out, L_STEP, (int64_t)x->at->step);
		table_word(out, L_OWNER, owner_name(owner));
		table_int(out, L_SYNCED, !!(bits & BIT_SYNCED));
		table_set_name(out, L_WHERE, (uint32_t)(names >> 32));
		table_set_name(out, L_NAME, (uint32_t)names);
		table_int(out, L_PAGEABLE, !!(bits & BIT_PAGEABLE));
		table_int(out, L_REPLAYED, !!(bits & BIT_REPLAYED));
		table_int(out, L_COMPILES, owner_is_idle(owner) && (uint32_t)(names >> 32) != STR_NONE &&
			  pattern_matches(x->g->compiles, str_at(&x->g->t->names, (uint32_t)(names >> 32))));
		table_int(out, L_CAPTURES, !!(bits & BIT_CAPTURES));
		table_int(out, L_FIRST, !!(bits & BIT_FIRST));
		table_int(out, L_SMALLCOPY, !!(bits & BIT_SMALLCOPY));
		table_int(out, L_WAITS, !!(bits & BIT_WAITS));
		table_int(out, L_FAR, !!(bits & BIT_FAR));
		table_int(out, L_ASLEEP, !!(bits & BIT_ASLEEP));
		table_word(out, L_FLAW, kernel_flaws_name((enum flaw)(bits >> FLAW_SHIFT & FLAW_MASK)));
		table_int(out, L_WASTE, s->waste);
		table_int(out, L_DUR, s->ns);
		table_int(out, L_COUNT, s->count);
		table_int(out, L_LONG, x->at->is_long);
		table_int(out, L_LATE, 0);
		table_set_name(out, L_SOURCE, source);
		x->g->a->sources |= source != STR_NONE;
	}
}

static int64_t advise_work_find_bytes(const owners_params *p, size_t work)
{
	for (size_t lo = 0, hi = p->narrivals; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (p->arrivals[mid].work == work)
			return p->arrivals[mid].bytes == TRACE_UNKNOWN ? TABLE_MISSING : p->arrivals[mid].bytes;
		if (p->arrivals[mid].work < work)
			lo = mid + 1;
		else
			hi = mid;
	}
	return TABLE_MISSING;
}

static void advise_work_add_collective(advise_work_walk_ctx *x, size_t work)
{
	table *out = &x->g->a->tables[ADVISE_COLLECTIVES];
	size_t e = group_find(&x->exposed.g, (int64_t[]){ (int64_t)work });
	place p = advise_work_find_place(x->g, x->at, work);
	int64_t blocks = kernel_shape_blocks(x->g->t, &x->g->t->work.types.v[x->g->t->work.type[work]]);

	x->g->a->units.v[x->at->unit].communicates = true;
	table_row(out);
	table_int(out, C_UNIT, (int64_t)x->at->unit);
	table_int(out, C_STEP, (int64_t)x->at->step);
	table_set_name(out, C_WHERE, p.where);
	table_set_name(out, C_SOURCE, p.beside);
	table_int(out, C_BYTES, advise_work_find_bytes(x->g->owning, work));
	table_int(out, C_BLOCKS, blocks == TRACE_UNKNOWN ? TABLE_MISSING : blocks);
	table_int(out, C_DUR, x->g->t->work.end[work] - x->g->t->work.start[work]);
	table_int(out, C_EXPOSED, e == GROUP_NONE ? 0 : *sums_at(int64_t, &x->exposed, e));
	table_int(out, C_LONG, x->at->is_long);
}

/* ---- runs of pointwise kernels */

static void advise_work_add_run_row(const advise_work_walk_ctx *x, const run_part *r, place at, int64_t moves)
{
	table *out = &x->g->a->tables[ADVISE_RUNS];

	if (r->kernels < 3)
		return;
	table_row(out);
	table_int(out, R_UNIT, (int64_t)x->at->unit);
	table_int(out, R_STEP, (int64_t)x->at->step);
	table_set_name(out, R_WHERE, at.where);
	table_set_name(out, R_SOURCE, at.beside);
	table_int(out, R_MOVES, moves);
	table_int(out, R_KERNELS, r->kernels);
	table_int(out, R_DUR, r->ns);
	table_int(out, R_LONGEST, r->longest);
	table_int(out, R_LONG, x->at->is_long);
}

/* Add the rows of a run.  If some of its kernels have the flaw that they only move data, it has two rows: with and
 * without these kernels.  A row needs at least three kernels. */
static void advise_work_add_run_rows(const advise_work_walk_ctx *x, const run *r)
{
	bool moves = r->all.kernels != r->unmoving.kernels;

	advise_work_add_run_row(x, &r->all, r->at, moves ? 1 : TABLE_MISSING);
	if (moves)
		advise_work_add_run_row(x, &r->unmoving, r->at, 0);
}

static void advise_work_add_to_run(run_part *r, int64_t ns)
{
	r->kernels++;
	r->ns = ns_add(r->ns, ns);
	r->longest = ns_max(r->longest, ns);
}

/* Was the work launched in no range of its thread and of the main thread, except that of the step? */
static bool advise_work_is_bare(const advise_work_walk_ctx *x, size_t work)
{
	uint32_t where = owners_where(x->g->o, work);

	return (where == STR_NONE || where == x->at->name) &&
		advise_work_find_main_place(x->g, x->at, work) == STR_NONE;
}

static void advise_work_add_work(advise_work_walk_ctx *x, size_t i)
{
	const trace_work *w = &x->g->t->work;
	int64_t ns = w->end[i] - w->start[i];

	if (w->kind[i] == WORK_KERNEL) {
		x->at->kernel = ns_add(x->at->kernel, ns);
		x->at->bare = ns_add(x->at->bare, advise_work_is_bare(x, i) ? ns : 0);
	}
	if (trace_is_comm_kernel(x->g->t, i))
		advise_work_add_collective(x, i);
}

static bool advise_work_begins_in_step(const advise_work_walk_ctx *x, size_t i)
{
	return ival_within(&x->at->w->gpu, x->g->t->work.start[i], x->g->t->work.start[i] + 1);
}

/* Add rows for the runs of pointwise kernels in the step, among the work [lo, hi) of its lane.  Kernels shorter than
 * KERNEL_SHORT_NS do not count. */
static void advise_work_find_runs(advise_work_walk_ctx *x, size_t lo, size_t hi)
{
	const trace_work *w = &x->g->t->work;
	sums runs = sums_by(1, sizeof(run));

	for (size_t i = lo; i < hi; i++) {
		uint32_t number = kernel_flaws_run_of(x->g->flaws, i);
		int64_t ns = w->end[i] - w->start[i];
		run *r;
		if (number == NONE || ns < KERNEL_SHORT_NS || !advise_work_begins_in_step(x, i))
			continue;
		r = sums_of(&runs, (int64_t[]){ number });
		r->at = r->all.kernels ? r->at : advise_work_find_place(x->g, x->at, i);
		advise_work_add_to_run(&r->all, ns);
		if (kernel_flaws_of(x->g->flaws, i) != FLAW_MOVE)
			advise_work_add_to_run(&r->unmoving, ns);
	}
	for (size_t k = 0; k < runs.g.n; k++)
		advise_work_add_run_rows(x, sums_at(run, &runs, k));
	sums_free(&runs);
}

static void advise_work_add_step_work(advise_work_walk_ctx *x)
{
	const trace *t = x->g->t;
	size_t lo, hi;

	window_find_starting(t, &t->lanes[x->at->lane], &x->at->w->gpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (advise_work_begins_in_step(x, i))
			advise_work_add_work(x, i);
	advise_work_find_runs(x, lo, hi);
}

/* ---- ranges with many launches */

typedef struct {
	int64_t launches;       /* the number of kernels */
	int64_t brief;          /* the number of kernels shorter than KERNEL_SHORT_NS */
} launch_sum;

enum { NAMES_MOST = 16 };       /* at most so many different names of ranges around a launch are counted */
enum { REMEMBER_EVERY = 64 };   /* names are remembered for those ranges whose index is a multiple of this, in this many
				 * slots */

typedef struct {                /* the different folded names of nested ranges, the innermost first */
	uint32_t from;          /* the index of the innermost range */
	uint32_t step;          /* the folded name of the steps, which is left out */
	uint32_t n, v[NAMES_MOST];      /* the n names */
} names;

typedef struct {
	sums inside;            /* a launch_sum for each unit, place (where, beside) and name of a range */
	size_t *search_from;           /* by thread: where the next search of around_work_from begins */
	bool plain;             /* names can be remembered, because ranges do not cross and only those of the launching
				 * thread count */
	names *known;           /* if plain: the names from some ranges outwards, in REMEMBER_EVERY slots */
} advise_work_nest_ctx;

/* Count a launch for a name of a range.  key: unit, where, beside.  ns: the time of the kernel. */
static void advise_work_count_name(advise_work_nest_ctx *n, const int64_t key[3], uint32_t name, int64_t ns)
{
	launch_sum *s = sums_of(&n->inside, (int64_t[]){ key[0], key[1], key[2], name });

	s->launches++;
	s->brief += ns < KERNEL_SHORT_NS;
}

static void advise_work_add_name(names *to, uint32_t name)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->v[i] == name)
			return;
	if (to->n < NAMES_MOST)
		to->v[to->n++] = name;
}

/* Add the name of a range, unless it is that of the steps or the range is inner (trace_domain.inner). */
static void advise_work_add_range(trace *t, names *to, uint32_t range)
{
	uint32_t name = str_fold(&t->names, t->pushpop.name[range]);

	if (name != STR_NONE && name != to->step && !t->domains[ranges_domain(&t->pushpop, range)].inner)
		advise_work_add_name(to, name);
}

static void advise_work_add_names(names *to, const names *more)
{
	for (uint32_t i = 0; i < more->n; i++)
		advise_work_add_name(to, more->v[i]);
}

/* The remembered names of a range and the ranges around it; NULL: there are none. */
static const names *advise_work_find_known_names(const advise_work_nest_ctx *n, uint32_t range, uint32_t step)
{
	const names *known = &n->known[range / REMEMBER_EVERY % REMEMBER_EVERY];

	return n->plain && range % REMEMBER_EVERY == 0 && known->from == range && known->step == step ? known : NULL;
}

/* The names of a range and the ranges around it, which are now remembered.  The index of the range is a multiple of
 * REMEMBER_EVERY. */
static const names *advise_work_find_names(advise_work_nest_ctx *n, const around *of, uint32_t range, uint32_t step)
{
	names found = { .from = range, .step = step };
	const names *known = advise_work_find_known_names(n, range, step);

	if (known)
		return known;
	for (uint32_t at = range; at != NONE && found.n < NAMES_MOST && !known; at = of->parent[at]) {
		known = advise_work_find_known_names(n, at, step);
		if (known)
			advise_work_add_names(&found, known);
		else
			advise_work_add_range(of->t, &found, at);
	}
	n->known[range / REMEMBER_EVERY % REMEMBER_EVERY] = found;
	return &n->known[range / REMEMBER_EVERY % REMEMBER_EVERY];
}

/* Count a launch once for STR_NONE, which stands for all launches in or outside ranges, and once for each different
 * name (at most NAMES_MOST) of the ranges around it, except that of the step. */
static void advise_work_count_launch(advise_gather_ctx *g, advise_work_nest_ctx *n, const advise_step_row *at,
				     size_t work)
{
	const around *of = owners_around(g->o);
	const trace *t = g->t;
	place p = advise_work_find_place(g, at, work);
	int64_t key[3] = { (int64_t)at->unit, p.where, p.beside }, ns = t->work.end[work] - t->work.start[work];
	size_t *from = &n->search_from[calls_thread(&t->calls, t->work.launch[work])];
	names met = { .step = at->name };
	bool known = false;

	advise_work_count_name(n, key, STR_NONE, ns);
	for (around_walk w = around_work_from(of, work, from); w.range != NONE && met.n < NAMES_MOST && !known;
	     around_next(of, &w)) {
		known = n->plain && w.range % REMEMBER_EVERY == 0;
		if (known)
			advise_work_add_names(&met, advise_work_find_names(n, of, w.range, at->name));
		else
			advise_work_add_range(g->t, &met, w.range);
	}
	for (uint32_t i = 0; i < met.n; i++)
		advise_work_count_name(n, key, met.v[i], ns);
}

/* Count the kernels of a step that are launched one by one, not by the replay of a graph, and that do not communicate.
 * Kernels that began before the step and reach into it count, too. */
static void advise_work_count_step(advise_gather_ctx *g, advise_work_nest_ctx *n, const advise_step_row *at)
{
	const trace *t = g->t;

	for (size_t i = 0, end = 0; i < end || window_next_in_lane(t, &t->lanes[at->lane], &at->w->gpu, &i, &end); i++)
		if (t->work.kind[i] == WORK_KERNEL && t->work.launch[i] != NONE &&
		    window_has(at->w, &at->w->gpu, t->work.start[i], t->work.end[i]) &&
		    !trace_is_comm(t, i) && !owners_replayed(g->o, i))
			advise_work_count_launch(g, n, at, i);
}

/* Rows are in the order in which their keys first occur. */
void advise_fill_inside(advise_gather_ctx *g)
{
	const around *of = owners_around(g->o);
	advise_work_nest_ctx n = { .inside = sums_by(4, sizeof(launch_sum)),
				   .search_from = mem_new(size_t, g->t->nthreads),
				   .plain = !of->cross && !of->main && !of->captured,
				   .known = mem_none(names, REMEMBER_EVERY) };
	table *out = &g->a->tables[ADVISE_INSIDE];

	for (size_t i = 0; i < g->steps.n; i++)
		if (!g->steps.v[i].is_long)
			advise_work_count_step(g, &n, &g->steps.v[i]);
	for (size_t i = 0; i < n.inside.g.n; i++) {
		const int64_t *key = sums_key(&n.inside, i);
		table_row(out);
		table_int(out, I_UNIT, key[0]);
		table_set_name(out, I_WHERE, (uint32_t)key[1]);
		table_set_name(out, I_SOURCE, (uint32_t)key[2]);
		table_set_name(out, I_RANGE, (uint32_t)key[3]);
		table_int(out, I_LAUNCHES, sums_at(launch_sum, &n.inside, i)->launches);
		table_int(out, I_SHORT, sums_at(launch_sum, &n.inside, i)->brief);
	}
	sums_free(&n.inside);
	mem_free(n.search_from, n.known);
}

/* ---- the whole step */

static void advise_work_walk_step(advise_gather_ctx *g, advise_step_row *at)
{
	advise_work_walk_ctx x = {
		.g = g, .at = at, .ledger = sums_by(KEYS, sizeof(sum)), .exposed = sums_by(1, sizeof(int64_t))
	};

	for (size_t k = 0; k < at->w->gpu.n; k++)
		owners_walk(g->o, at->lane, at->w->gpu.v[k], advise_work_count_piece, &x);
	advise_work_add_ledger_rows(&x);
	advise_work_add_step_work(&x);
	sums_free(&x.ledger);
	sums_free(&x.exposed);
}

void advise_fill_step_tables(advise_gather_ctx *g)
{
	for (size_t l = 0; l < g->t->nlanes; l++) {
		size_t n;
		const uint32_t *at = advise_steps_on(g, l, &n);
		for (size_t i = 0; i < n; i++)
			advise_work_walk_step(g, &g->steps.v[at[i]]);
	}
}
