#include "step/repeats.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stats.h"
#include "base/text.h"
#include "step/inner_repeats.h"
#include "step/stretches.h"

#include <string.h>

enum { LEAST_STRETCHES = 3 };   /* stretches can be steps only if this many agree; they are parts of a step if this
				 * many in a row lie in one range of repeats_ctx.step_ranges */

typedef vec(ival) spans;

struct repeats_ctx {
	const trace *t;
	const projection *p;
	const ival_set *warm;
	bool outer;
	spans *step_ranges;     /* by process: the ranges that are steps or parts of steps by their names
				 * (repeats_list_step_ranges); NULL until needed */
	uint32_t *key;          /* by work type: scratch space of repeats_number_pieces; all NONE between calls */
};

typedef struct {                /* some work of a process, in order of launch */
	const trace *t;
	const uint32_t *work;
	size_t names;           /* number of distinct names among its pieces */
	uint32_t *key;          /* by piece: number of its name, or of its name and grid */
	series s;
	size_t *first;
	uint32_t *at;           /* at[first[key]..first[key + 1]): the pieces that have the key, as indices in `work` */
	int64_t total;          /* kernel time, ns */
	const spans *step_ranges;       /* those of the process in repeats_ctx.step_ranges */
} sequence;

typedef struct {                /* an anchor under consideration */
	uint32_t key;
	uint32_t *at;           /* the n pieces with the key at which steps may begin, as indices in sequence.work */
	size_t n;
	stretches x;            /* from each of these pieces to the next */
	size_t last_end;        /* the end of the stretch that begins at the last of these pieces; 0: too few kernels
				 * follow */
} candidate;

/* ---- the sequence */

/* Work without a launch, except migrations, in order of start. */
static uint32_t *repeats_list_without_launch(const trace *t, uint32_t proc, size_t *n)
{
	vec(uint32_t) v = { 0 };

	for (size_t end, l = trace_find_lanes(t, proc, &end); l < end; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			if (t->work.launch[i] == NONE && !trace_is_migration(t, i))
				vec_push(&v, (uint32_t)i);
	sort_items(v.v, v.n, trace_compare_starts, &t->work);
	*n = v.n;
	return v.v;
}

static void repeats_list_work(const repeats_ctx *f, uint32_t proc, repeats *out)
{
	const trace *t = f->t;
	size_t nlaunched, nrest, i = 0, k = 0;
	const uint32_t *launched = projection_launched(f->p, proc, &nlaunched);
	uint32_t *rest = repeats_list_without_launch(t, proc, &nrest);

	out->work = mem_new(uint32_t, nlaunched + nrest);
	while (i < nlaunched || k < nrest) {
		bool take_launched = k == nrest ||
			(i < nlaunched && trace_launch_time(t, launched[i]) <= t->work.start[rest[k]]);
		uint32_t next = take_launched ? launched[i++] : rest[k++];
		if (!trace_is_migration(t, next))
			out->work[out->nwork++] = next;
	}
	free(rest);
}

/* Numbers the pieces by name or, with `grids`, kernels by name and grid.  Returns how many numbers (keys) there are.
 * Each work type is looked up once. */
static size_t repeats_number_pieces(sequence *q, size_t n, bool grids, uint32_t *key_of_type)
{
	const trace_work *w = &q->t->work;
	group g = { .width = 2 }, names = { .width = 1 };
	size_t keys;

	for (size_t i = 0; i < n; i++) {
		uint32_t work = q->work[i], *key = &key_of_type[w->type[work]];
		if (*key == NONE) {
			bool grid = grids && w->kind[work] == WORK_KERNEL;
			int64_t name = work_name(w, work);
			*key = (uint32_t)group_of(&g, (int64_t[]){ name, grid ? work_grid(w, work) : STR_NONE });
			group_of(&names, &name);
		}
		q->key[i] = *key;
	}
	for (size_t i = 0; i < n; i++)
		key_of_type[w->type[q->work[i]]] = NONE;
	q->names = names.n;
	keys = g.n;
	group_free(&g);
	group_free(&names);
	return keys;
}

static sequence repeats_build_sequence(const repeats_ctx *f, const uint32_t *work, size_t n, bool grids)
{
	sequence q = { .t = f->t, .work = work, .key = mem_new(uint32_t, n) };
	size_t keys = repeats_number_pieces(&q, n, grids, f->key);

	q.s = series_build(f->t, work, n, q.key, keys);
	q.total = series_time(&q.s, 0, n);
	q.first = mem_new(size_t, keys + 1);
	q.at = sort_groups(q.key, n, keys, q.first);
	return q;
}

static void repeats_free_sequence(sequence *q)
{
	series_free(&q->s);
	mem_free(q->key, q->first, q->at);
}

/* Does the name say that the kernel updates weights, which each step of training does once? */
static bool repeats_is_optimizer(const trace *t, uint32_t work)
{
	static const char *const words[] = { "multi_tensor_apply", "adam", "sgd", "optimizer" };
	uint32_t name = t->work.kind[work] == WORK_KERNEL ? work_name(&t->work, work) : STR_NONE;

	for (size_t i = 0; name != STR_NONE && i < sizeof words / sizeof *words; i++)
		if (strcasestr(str_at(&t->names, name), words[i]))
			return true;
	return false;
}

/* ---- whether an anchor begins steps */

/* An anchor with this key.  Steps may begin at each piece with the key; but if several kernels of the optimizer with
 * the same name follow each other, only at the first of them. */
static candidate repeats_build_candidate(const sequence *q, uint32_t key)
{
	const trace_work *w = &q->t->work;
	size_t n = q->first[key + 1] - q->first[key];
	const uint32_t *at = &q->at[q->first[key]];
	candidate c = { .key = key, .at = mem_new(uint32_t, n) };
	bool optimizer = n && repeats_is_optimizer(q->t, q->work[at[0]]);

	for (size_t i = 0; i < n; i++)
		if (!optimizer || !at[i] || work_name(w, q->work[at[i] - 1]) != work_name(w, q->work[at[i]]))
			c.at[c.n++] = at[i];
	return c;
}

/* The end of the last stretch, which no occurrence of the anchor ends.  It has as many kernels as the commonest
 * sequence, and the copies and sets behind them, up to the length of that sequence.  0: fewer kernels are left. */
static size_t repeats_find_last_end(const sequence *q, const stretches *x)
{
	const series *s = &q->s;
	size_t from = x->at[x->n], end;
	size_t kernels = series_kernels(s, x->from, x->from + x->length);

	search_first(end, from, s->n + 1, series_kernels(s, from, end) >= kernels);
	if (end > s->n)
		return 0;
	while (end < s->n && end < from + x->length && !s->is_kernel[s->key[end]])
		end++;
	return end;
}

/*
 * Can the anchor begin steps, judged by the lengths of its stretches alone?  There must be stretches in a row that hold
 * enough time, and enough of them must be able to agree.
 *
 * Let b of the n stretches [i,k) be unable to agree.  Nine tenths of them can agree if n >= 10 b.  Let score(k) be k -
 * 10 * (the number of stretches before k that cannot agree); then n >= 10 b means score(k) >= score(i).  All but one
 * can agree if b <= 1.  Among the i for which [i,k) holds enough time, the first condition is easiest to meet for the
 * lowest score, and the second for the last i, which has the most stretches before it that cannot agree.
 */
static bool repeats_is_promising(const sequence *q, const candidate *c)
{
	const stretches *x = &c->x;
	size_t n = x->n + (c->last_end != 0), i = 0;
	int64_t *time = mem_new(int64_t, n + 1), *bad = mem_new(int64_t, n + 1), lowest = INT64_MAX;
	bool found = false;

	for (size_t k = 0; k < n; k++) {
		size_t end = k < x->n ? x->at[k + 1] : c->last_end;
		bool alike = k == x->n || stretches_is_about_length(x, end - x->at[k]);
		time[k + 1] = ns_add(time[k], alike ? series_time(&q->s, x->at[k], end) : 0);
		bad[k + 1] = bad[k] + !alike;
	}
	for (size_t k = 1; k <= n && !found; k++) {
		while (i < k && (double)(time[k] - time[i]) >= 0.8 * (double)q->total) {
			int64_t score = (int64_t)i - 10 * bad[i];
			lowest = score < lowest ? score : lowest;
			i++;
		}
		found = i && (bad[k] - bad[i - 1] <= 1 || (int64_t)k - 10 * bad[k] >= lowest);
	}
	mem_free(time, bad);
	return found && series_may_be_step(&q->s, x->from, x->from + x->length);
}

typedef struct {                /* the stretches that are steps: [first,end) and, with `opened`, the last stretch, which
				 * no anchor ends */
	size_t first, end;
	bool opened;
	size_t agree;           /* how many of them agree */
} step_stretches;

/* Finds the stretches that are steps: from the first that agrees to the last that agrees.  False: too few of them
 * agree, or those that agree hold less than 0.8 of the kernel time. */
static bool repeats_find_steps(const sequence *q, candidate *c, step_stretches *h)
{
	stretches *x = &c->x;
	int64_t last_time = c->last_end ? series_time(&q->s, x->at[x->n], c->last_end) : 0, time = 0;
	int64_t least = (int64_t)(0.8 * (double)q->total) - last_time;
	size_t n;

	*h = (step_stretches){ 0 };
	if (!stretches_judge(x, &q->s, least))
		return false;
	h->opened = c->last_end && stretches_kernels_agree(x, &q->s, x->at[x->n], c->last_end);
	h->agree = x->agree + h->opened;
	for (h->end = x->n; !h->opened && h->end && !x->agrees[h->end - 1];)
		h->end--;
	while (h->first < h->end && !x->agrees[h->first])
		h->first++;
	n = h->end - h->first + h->opened;
	for (size_t i = h->first; i < h->end; i++)
		time = ns_add(time, x->agrees[i] ? series_time(&q->s, x->at[i], x->at[i + 1]) : 0);
	time = ns_add(time, h->opened ? last_time : 0);
	return h->agree >= LEAST_STRETCHES && stretches_are_enough(h->agree, n) &&
		(double)time >= 0.8 * (double)q->total;
}

/* ---- whether a stretch is several steps, or a part of one */

/* Is the kernel time of each stretch at most 1.2 times the median over the stretches? */
static bool repeats_are_evenly_long(const series *s, const stretches *x)
{
	int64_t *time = mem_new(int64_t, x->n), longest = 0;
	bool even;

	for (size_t i = 0; i < x->n; i++) {
		time[i] = series_time(s, x->at[i], x->at[i + 1]);
		longest = ns_max(longest, time[i]);
	}
	even = (double)longest <= 1.2 * (double)stats_median(time, x->n);
	free(time);
	return even;
}

/* Are the stretches the tokens of a generation?  Each must contain a copy to the host.  A stretch that disagrees may be
 * the prefill, but not a token with additional pieces. */
static bool repeats_are_tokens(const series *s, const stretches *x)
{
	if (x->agree < 2 || !stretches_are_enough(x->agree, x->n))
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!series_host_copies(s, x->at[i], x->at[i + 1]) ||
		    (!x->agrees[i] && stretches_is_extended(x, s, x->at[i], x->at[i + 1])))
			return false;
	return true;
}

/* Does the circle (the commonest sequence, twice in a row), cut at these n + 1 pieces, fall into steps? */
static bool repeats_splits_at(const series *circle, const uint32_t *at, size_t n)
{
	stretches x = stretches_cut(circle, at, n);
	size_t alike = 0;
	bool splits = false;

	for (size_t i = 0; i < n; i++)
		alike += stretches_is_about_length(&x, at[i + 1] - at[i]);
	if (stretches_are_enough(alike, n) && stretches_judge(&x, circle, 0))
		splits = (x.agree == n && repeats_are_evenly_long(circle, &x)) || repeats_are_tokens(circle, &x);
	stretches_free(&x);
	return splits;
}

/* Does one of the n stretches lack a kernel of the optimizer?  updates: by piece of the circle, the number of such
 * kernels before it. */
static bool repeats_lacks_optimizer(const uint32_t *updates, const uint32_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (updates[at[i + 1]] == updates[at[i]])
			return true;
	return false;
}

/* Does the commonest sequence fall into steps if it is read as a circle and cut at all kernels of one short name?  Each
 * name that occurs at least twice is tried. */
static bool repeats_splits_into_steps(const sequence *q, const stretches *x)
{
	size_t n = x->length, *first = mem_new(size_t, q->names + 1);
	uint32_t *cut = mem_new(uint32_t, n + 1), *at, *updates = mem_new(uint32_t, 2 * n + 1);
	uint32_t *work = mem_new(uint32_t, 2 * n), *name = mem_new(uint32_t, 2 * n);
	bool *optimizer = mem_new(bool, q->names + 1), splits = false;
	group names = { .width = 1 };
	series circle;

	for (size_t i = 0; i < 2 * n; i++) {
		size_t met = names.n;
		work[i] = q->work[x->from + i % n];
		name[i] = (uint32_t)group_of(&names, (int64_t[]){ work_name(&q->t->work, work[i]) });
		if (names.n > met)
			optimizer[met] = repeats_is_optimizer(q->t, work[i]);
		updates[i + 1] = updates[i] + optimizer[name[i]];
	}
	circle = series_build(q->t, work, 2 * n, name, names.n);
	at = sort_groups(name, n, names.n, first);
	for (size_t k = 0; k < names.n && !splits; k++) {
		size_t m = first[k + 1] - first[k];
		if (m < 2 || !circle.is_kernel[k])
			continue;
		memcpy(cut, at + first[k], m * sizeof *cut);
		cut[m] = (uint32_t)n + cut[0];
		splits = !(updates[n] && repeats_lacks_optimizer(updates, cut, m)) &&
			repeats_splits_at(&circle, cut, m);
	}
	series_free(&circle);
	group_free(&names);
	mem_free(first, at, cut, updates, optimizer, work, name);
	return splits;
}

/* Do three or more of the stretches in a row lie in one range that is a step or a part of one?  last_end: from the
 * candidate. */
static bool repeats_are_parts_of_step(const sequence *q, const stretches *x, const step_stretches *h, size_t last_end)
{
	size_t n = h->end + h->opened;

	for (size_t i = 0; i < q->step_ranges->n; i++) {
		ival r = q->step_ranges->v[i];
		size_t k;
		search_first(k, h->first, n, trace_launch_time(q->t, q->work[x->at[k]]) >= r.a);
		if (k + LEAST_STRETCHES > n)
			continue;
		k += LEAST_STRETCHES;
		k = k > x->n ? last_end : x->at[k];
		if (trace_launch_time(q->t, q->work[k - 1]) < r.b)
			return true;
	}
	return false;
}

/* ---- the best anchor */

static int repeats_compare_longest_first(const void *x, const void *y)
{
	const candidate *a = x, *b = y;

	return a->x.length != b->x.length ? -sort_3way(a->x.length, b->x.length) : sort_3way(*a->x.at, *b->x.at);
}

static void repeats_fill_result(const sequence *q, const candidate *c, const step_stretches *h, repeats *out)
{
	const stretches *x = &c->x;
	const series *s = &q->s;
	size_t from = x->at[h->first], last = x->from + x->length, before = 0;

	/* if the work before the first anchor ends like the commonest sequence, steps begin before their anchors */
	while (before < x->length && before < from && s->key[from - before - 1] == s->key[last - before - 1])
		before++;
	out->anchor = work_name(&q->t->work, q->work[x->at[0]]);
	out->length = x->length;
	out->n = h->end - h->first + h->opened;
	out->agree = h->agree;
	out->closed = !h->opened;
	out->first = mem_new(size_t, out->n + 1);
	for (size_t i = 0; i <= out->n; i++)
		out->first[i] = (h->first + i > x->n ? c->last_end : x->at[h->first + i]) - before;
}

/* If the repeats are requests of several tokens each, replaces them by the tokens.  first: the index in x of the first
 * stretch that is a request. */
static void repeats_replace_by_tokens(const repeats_ctx *f, uint32_t proc, const sequence *q, const stretches *x,
				      size_t first, repeats *out)
{
	size_t from = out->first[0], end = out->first[out->n], after = x->from + x->length;
	inner_sequence s = { .t = q->t, .proc = proc, .work = q->work + x->from, .n = x->length,
		.before = (x->at[first] - from) % x->length,
		.ahead = x->from ? q->work[x->from - 1] : NONE,
		.until = after < q->s.n ? trace_launch_time(q->t, q->work[after]) : INT64_MAX };
	uint32_t anchor = inner_repeats_find_anchor(&s);
	sequence inner;
	stretches cut;
	size_t k = 0, n;
	uint32_t *at;

	if (anchor == STR_NONE)
		return;
	inner = repeats_build_sequence(f, q->work + from, end - from, false);
	while (k < inner.s.nkeys && work_name(&q->t->work, inner.work[inner.at[inner.first[k]]]) != anchor)
		k++;
	if (k == inner.s.nkeys) {               /* no repeat that agrees has the anchor */
		repeats_free_sequence(&inner);
		return;
	}
	n = inner.first[k + 1] - inner.first[k];
	at = mem_new(uint32_t, n + 1);
	memcpy(at, &inner.at[inner.first[k]], n * sizeof *at);
	at[n] = (uint32_t)(end - from);
	cut = stretches_cut(&inner.s, at, n);
	stretches_judge(&cut, &inner.s, 0);
	free(out->first);
	*out = (repeats){ .work = out->work, .nwork = out->nwork, .anchor = anchor, .length = cut.length, .n = n,
		.agree = cut.agree, .closed = out->closed, .outer = out->n, .first = mem_new(size_t, n + 1) };
	for (size_t i = 0; i <= n; i++)
		out->first[i] = from + at[i];
	out->agrees = cut.agrees;
	cut.agrees = NULL;
	stretches_free(&cut);
	repeats_free_sequence(&inner);
	free(at);
}

static bool repeats_find_anchor(const repeats_ctx *f, uint32_t proc, const sequence *q, repeats *out)
{
	vec(candidate) v = { 0 };
	bool found = false;
	step_stretches h;

	for (uint32_t k = 0; k < q->s.nkeys; k++) {
		candidate c;
		if (!q->s.is_kernel[k] || q->first[k + 1] - q->first[k] < LEAST_STRETCHES)
			continue;
		c = repeats_build_candidate(q, k);
		if (c.n >= LEAST_STRETCHES) {
			c.x = stretches_cut(&q->s, c.at, c.n - 1);
			c.last_end = repeats_find_last_end(q, &c.x);
		}
		if (c.n >= LEAST_STRETCHES && repeats_is_promising(q, &c))
			vec_push(&v, c);
		else
			free(c.at);
	}
	if (v.n)
		qsort(v.v, v.n, sizeof *v.v, repeats_compare_longest_first);
	for (size_t i = 0; i < v.n; i++) {
		if (!found && repeats_find_steps(q, &v.v[i], &h) && !repeats_splits_into_steps(q, &v.v[i].x) &&
		    !repeats_are_parts_of_step(q, &v.v[i].x, &h, v.v[i].last_end)) {
			repeats_fill_result(q, &v.v[i], &h, out);
			if (!f->outer)
				repeats_replace_by_tokens(f, proc, q, &v.v[i].x, h.first, out);
			found = true;
		}
		stretches_free(&v.v[i].x);
		free(v.v[i].at);
	}
	vec_free(&v);
	return found;
}

/* ---- the repeats of a process */

/* An array with an element for each process: the ranges that are a step or a part of one, such as a layer, by their
 * names.  If several stretches lie in one such range, they are only parts of it. */
static spans *repeats_list_step_ranges(const repeats_ctx *f)
{
	const trace *t = f->t;
	const trace_ranges *r = &t->pushpop;
	spans *of = mem_new(spans, t->nprocs);
	uint8_t *known = mem_new(uint8_t, t->names.n);  /* by name: does it have a word of `parts`?  0: not looked up
							 * yet, 1: no, 2: yes */

	for (size_t i = 0; i < r->n; i++) {
		static const char parts[] = "forward backward step iter iteration layer block";
		uint32_t proc = t->threads[ranges_thread(r, i)].proc, name = r->name[i];
		if (name == STR_NONE || t->domains[ranges_domain(r, i)].inner ||
		    (f->warm && ival_touches(&f->warm[proc], r->start[i], r->start[i])))
			continue;
		if (!known[name])
			known[name] = text_has_word_of(str_at(&t->names, name), parts) ? 2 : 1;
		if (known[name] == 2)
			vec_push(&of[proc], (ival){ r->start[i], r->end[i] });
	}
	free(known);
	return of;
}

repeats_ctx *repeats_begin(const trace *t, const projection *p, const ival_set *warm, bool outer)
{
	repeats_ctx *f = mem_new(repeats_ctx, 1);

	*f = (repeats_ctx){ .t = t, .p = p, .warm = warm, .outer = outer,
		.key = mem_none(uint32_t, t->work.types.n) };
	return f;
}

void repeats_end(repeats_ctx *f)
{
	spans *ranges = f->step_ranges;

	for (size_t i = 0; ranges && i < f->t->nprocs; i++)
		vec_free(&ranges[i]);
	mem_free(ranges, f->key, f);
}

/* Finds repeats in the work from piece `from` on.  Tells kernels apart by name and grid; if nothing repeats, by name
 * alone. */
static bool repeats_find_from(const repeats_ctx *f, uint32_t proc, size_t from, repeats *r)
{
	bool found = false;

	for (int grids = 1; grids >= 0 && !found; grids--) {
		sequence q = repeats_build_sequence(f, r->work + from, r->nwork - from, grids);
		q.step_ranges = &f->step_ranges[proc];
		found = repeats_find_anchor(f, proc, &q, r);
		if (q.s.nkeys == q.names)
			grids = 0;      /* grids distinguish nothing */
		repeats_free_sequence(&q);
	}
	for (size_t i = 0; found && i <= r->n; i++)
		r->first[i] += from;
	return found;
}

bool repeats_find(repeats_ctx *f, uint32_t proc, repeats *r)
{
	size_t from = 0;

	*r = (repeats){ 0 };
	repeats_list_work(f, proc, r);
	if (!f->step_ranges)
		f->step_ranges = repeats_list_step_ranges(f);
	if (r->nwork && repeats_find_from(f, proc, 0, r))
		return true;
	search_first(from, 0, r->nwork, trace_launch_time(f->t, r->work[from]) > f->t->procs[proc].loads);
	if (from && from < r->nwork && repeats_find_from(f, proc, from, r))
		return true;
	repeats_free(r);
	return false;
}

void repeats_cut_at_kernels(const trace *t, const projection *p, uint32_t proc, const pattern *re, repeats *r)
{
	name_match m = { .re = re, .names = &t->names };
	vec(size_t) first = { 0 };

	*r = (repeats){ 0 };
	repeats_list_work(&(repeats_ctx){ .t = t, .p = p }, proc, r);
	for (size_t i = 0; i < r->nwork; i++) {
		uint32_t w = r->work[i], name = work_name(&t->work, w);
		if (t->work.kind[w] <= WORK_GRAPH && name != STR_NONE && name_match_of(&m, name))
			vec_push(&first, i);
	}
	name_match_free(&m);
	r->n = first.n;
	r->anchor = first.n ? work_name(&t->work, r->work[first.v[0]]) : STR_NONE;
	vec_push(&first, r->nwork);
	r->first = first.v;
}

void repeats_free(repeats *r)
{
	mem_free(r->work, r->first, r->agrees);
	*r = (repeats){ 0 };
}
