#include "relate/outer_calls.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"

typedef struct {                /* of a thread, in a stretch of calls */
	int64_t until;          /* when its last outermost call ends; INT64_MIN: it has none */
	size_t last;            /* where its calls end */
	size_t n;               /* how many outermost ones it has or, once they are counted, where the next goes */
} place;

enum { LONGEST = UINT16_MAX + 1 };

typedef struct {                /* the calls are looked at in stretches, side by side */
	const trace *t;
	outer_calls *out;
	size_t step, n;
	uint8_t *outer;         /* a bit for each call: is it outermost? */
	place *at;              /* by stretch and thread */
} finding;

static size_t end_of(const finding *f, size_t which)
{
	return which + 1 < f->n ? (which + 1) * f->step : f->t->calls.n;
}

/* Calls are in order of start, the outer one first.  Those of a thread nest, so a call is outermost if it starts when
 * the outermost call before it has ended.  What is open where the stretch begins is not known yet: see agree. */
static void mark(void *ctx, size_t which)
{
	const finding *f = ctx;
	const trace_calls *c = &f->t->calls;
	place *at = f->at + which * f->t->nthreads;

	for (size_t i = 0; i < f->t->nthreads; i++)
		at[i].until = INT64_MIN;
	for (size_t i = which * f->step, end = end_of(f, which); i < end; i++) {
		place *p = &at[calls_thread(c, i)];
		p->last = i + 1;
		if (c->start[i] < p->until)
			continue;
		p->until = calls_end(c, i);
		p->n++;
		f->outer[i / 8] |= (uint8_t)(1 << i % 8);
	}
}

/* Correct what was found in a stretch where calls before it reach into it, up to the first call of each thread that is
 * outermost either way: what follows that one is right. */
static void agree(finding *f, size_t which)
{
	const trace_calls *c = &f->t->calls;
	place *now = f->at + which * f->t->nthreads, *was = now - f->t->nthreads;
	size_t first = which * f->step, end = first, open = 0;

	for (size_t i = 0; i < f->t->nthreads; i++) {
		if (!now[i].last)
			now[i].until = was[i].until;
		if (!now[i].last || was[i].until <= c->start[first])
			was[i].until = INT64_MIN;
		open += was[i].until != INT64_MIN;
		end = was[i].until != INT64_MIN && now[i].last > end ? now[i].last : end;
	}
	for (size_t i = first; i < end && open; i++) {
		uint32_t th = calls_thread(c, i);
		bool found = f->outer[i / 8] >> i % 8 & 1, outermost = c->start[i] >= was[th].until;
		if (was[th].until == INT64_MIN)
			continue;
		if (outermost != found) {
			f->outer[i / 8] ^= (uint8_t)(1 << i % 8);
			now[th].n += outermost ? 1 : (size_t)-1;
		}
		open -= outermost && found;
		was[th].until = !outermost ? was[th].until : found ? INT64_MIN : calls_end(c, i);
	}
	for (size_t i = 0; i < f->t->nthreads; i++)
		if (was[i].until != INT64_MIN)
			now[i].until = was[i].until;
}

/* Which blocks have calls of several threads or stretches: they are kept whole. */
static void choose_blocks(finding *f, size_t all)
{
	outer_calls *o = f->out;
	uint32_t n = 0;

	o->blocks = mem_alloc(all / OUTER_BLOCK + 1, sizeof *o->blocks);
	for (size_t i = 0; i < f->n * f->t->nthreads; i++)
		o->blocks[f->at[i].n / OUTER_BLOCK].whole |= f->at[i].n % OUTER_BLOCK > 0;
	o->blocks[all / OUTER_BLOCK].whole = 1;
	for (size_t b = 0; b <= all / OUTER_BLOCK; b++) {
		bool whole = o->blocks[b].whole;
		o->blocks[b].whole = whole ? n : NONE;
		n += whole ? OUTER_BLOCK : 0;
	}
	o->whole = mem_grow(NULL, n, sizeof *o->whole);
	o->after = mem_grow(NULL, all, sizeof *o->after);
}

static void put(void *ctx, size_t which)
{
	const finding *f = ctx;
	const trace_calls *c = &f->t->calls;
	outer_calls *o = f->out;
	place *at = f->at + which * f->t->nthreads;
	size_t from = which * f->step;

	for (size_t i = from, end = end_of(f, which); i < end; i++) {
		size_t *next = &at[calls_thread(c, i)].n, k = *next, block = k / OUTER_BLOCK;
		if (!(f->outer[i / 8] >> i % 8 & 1))
			continue;
		++*next;
		if (o->blocks[block].whole != NONE) {
			o->whole[o->blocks[block].whole + k % OUTER_BLOCK] = (uint32_t)i;
		} else {
			o->blocks[block].call = (uint32_t)from;
			o->after[k] = (uint16_t)(i - from);
		}
	}
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	outer_calls *out = mem_new(outer_calls, 1);
	finding f = { .t = t, .out = out, .outer = mem_new(uint8_t, t->calls.n / 8 + 1) };
	size_t few = t->calls.n / (4 * t->nthreads + 1) + 1, many = par_stretches(t->workers), all = 0;

	f.step = (t->calls.n / (many < few ? many : few) / 8 + 1) * 8;  /* stretches share no byte of outer, */
	f.step = f.step < LONGEST ? f.step : LONGEST;                   /* and distances in one fit in 16 bits */
	f.n = (t->calls.n + f.step - 1) / f.step;
	f.at = mem_new(place, f.n * t->nthreads);
	par_do(t->workers, f.n, mark, &f);
	for (size_t i = 1; i < f.n; i++)
		agree(&f, i);
	out->first = mem_new(size_t, t->nthreads + 1);
	for (size_t th = 0; th < t->nthreads; th++) {
		for (place *p = &f.at[th]; p < f.at + f.n * t->nthreads; p += t->nthreads) {
			size_t n = p->n;
			p->n = all;
			all += n;
		}
		out->first[th + 1] = all;
	}
	choose_blocks(&f, all);
	par_do(t->workers, f.n, put, &f);
	mem_free(f.outer, f.at);
	return out;
}

static void drop(void *made)
{
	outer_calls *o = made;

	mem_free(o->first, o->blocks, o->after, o->whole, o);
}

const outer_calls *outer_calls_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

/* Outermost calls of a thread do not overlap, so their ends rise as their starts do, and a search by end is
 * sound. */
size_t outer_calls_after(const trace *t, const outer_calls *o, uint32_t thread, int64_t moment, size_t near)
{
	size_t i;

	search_near(i, near, o->first[thread], o->first[thread + 1], calls_end(&t->calls, outer_call(o, i)) > moment);
	return i;
}
