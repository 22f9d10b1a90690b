#include "step/inner_repeats.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "step/stretches.h"
#include "trace/call_class.h"

#include <string.h>

enum { LEAST_CUTS = 3 };        /* a name must occur this often in the sequence to begin tokens */
enum { LEAST_LAYERS = 3 };      /* a part of the sequence has layers only if a kernel cuts it into stretches of
				 * which at least this many agree: hold nearly the same work (stretches.h) */

typedef struct {
	const inner_sequence *sequence;
	uint32_t *work;         /* the circle: the sequence twice in a row, so that a part of it can go past its end */
	uint32_t *name;         /* by piece of the circle: the number of its name */
	series circle;
	size_t *first;
	uint32_t *at;           /* at[first[name]..first[name + 1]): the pieces of the sequence that have the name */
	uint32_t *graphs;       /* by piece of the circle: the number of launches of CUDA graphs before it */
	uint32_t *separators;   /* by piece of the circle: the number of pieces before it that may separate tokens,
				 * because the host takes part: launches of graphs, copies from or to the host, and
				 * pieces followed by a synchronizing call */
} inner_ctx;

/* Does this piece of the sequence launch a CUDA graph?  The nodes of a replay share one call, which counts once. */
static bool inner_repeats_launches_graph(const inner_sequence *s, size_t i)
{
	const trace *t = s->t;
	uint32_t work = s->work[i], call = t->work.launch[work], ahead = i ? s->work[i - 1] : s->ahead;

	return t->work.kind[work] == WORK_GRAPH ||
		(call != NONE && (ahead == NONE || t->work.launch[ahead] != call) &&
		 call_replays_graph(str_at(&t->names, calls_name(&t->calls, call))));
}

static bool inner_repeats_is_host_copy(const trace *t, uint32_t work)
{
	const char *name = t->work.kind[work] == WORK_COPY ? str_at(&t->names, work_name(&t->work, work)) : "";

	return strcmp(name, "memcpy h2d") == 0 || strcmp(name, "memcpy d2h") == 0;
}

/* syncs: by piece of the sequence; grows by the number of the process's synchronizing calls between the launch of this
 * piece and that of the next. */
static void inner_repeats_count_syncs(const inner_sequence *s, uint32_t *syncs)
{
	const trace *t = s->t;
	const trace_calls *c = &t->calls;
	size_t i, piece = 0;

	search_first(i, 0, c->n, c->start[i] >= trace_launch_time(t, s->work[0]));
	for (; i < c->n && c->start[i] < s->until; i++) {
		while (piece + 1 < s->n && trace_launch_time(t, s->work[piece + 1]) <= c->start[i])
			piece++;
		syncs[piece] += calls_class(c, i) == CALL_SYNC && t->threads[calls_thread(c, i)].proc == s->proc;
	}
}

static inner_ctx inner_repeats_begin(const inner_sequence *s)
{
	size_t n = s->n;
	uint32_t *syncs = mem_new(uint32_t, n);
	group names = { .width = 1 };
	inner_ctx x = { .sequence = s, .work = mem_new(uint32_t, 2 * n), .name = mem_new(uint32_t, 2 * n),
		.graphs = mem_new(uint32_t, 2 * n + 1), .separators = mem_new(uint32_t, 2 * n + 1) };

	inner_repeats_count_syncs(s, syncs);
	for (size_t i = 0; i < 2 * n; i++) {
		uint32_t w = s->work[i % n];
		bool graph = inner_repeats_launches_graph(s, i % n);
		x.work[i] = w;
		x.name[i] = (uint32_t)group_of(&names, (int64_t[]){ work_name(&s->t->work, w) });
		x.graphs[i + 1] = x.graphs[i] + graph;
		x.separators[i + 1] = x.separators[i] + (graph || syncs[i % n] || inner_repeats_is_host_copy(s->t, w));
	}
	x.circle = series_build(s->t, x.work, 2 * n, x.name, names.n);
	x.first = mem_new(size_t, names.n + 1);
	x.at = sort_groups(x.name, n, names.n, x.first);
	group_free(&names);
	free(syncs);
	return x;
}

static void inner_repeats_end(inner_ctx *x)
{
	series_free(&x->circle);
	mem_free(x->work, x->name, x->first, x->at, x->graphs, x->separators);
}

/* Does one thread launch nine tenths of the kernels? */
static bool inner_repeats_has_one_thread(const inner_sequence *s)
{
	const trace *t = s->t;
	size_t *of = mem_new(size_t, t->nthreads), kernels = 0, most = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t call = t->work.launch[s->work[i]];
		if (t->work.kind[s->work[i]] > WORK_GRAPH)
			continue;
		kernels++;
		if (call != NONE) {
			size_t *n = &of[calls_thread(&t->calls, call)];
			most = ++*n > most ? *n : most;
		}
	}
	free(of);
	return 10 * most >= 9 * kernels;
}

/* Does a stretch contain layers, if it is cut at these n + 1 pieces?  total: its kernel time. */
static bool inner_repeats_are_layers(const series *s, const uint32_t *at, size_t n, int64_t total)
{
	stretches x = stretches_cut(s, at, n);
	size_t layers = 0;
	int64_t time = 0;

	stretches_judge(&x, s, 0);
	for (size_t i = 0; i < n; i++)
		if (x.agrees[i] && series_kernels(s, at[i], at[i + 1]) > 1) {
			layers++;
			time = ns_add(time, series_time(s, at[i], at[i + 1]));
		}
	stretches_free(&x);
	return layers >= LEAST_LAYERS && 2 * (double)time >= (double)total;
}

/* Does the stretch [from,from + n) contain layers?  A token does; a single layer does not, although layers repeat like
 * tokens. */
static bool inner_repeats_contains_layers(const inner_ctx *x, size_t from, size_t n)
{
	const series *s = &x->circle;
	size_t *first = mem_new(size_t, s->nkeys + 1);
	uint32_t *at = sort_groups(x->name + from, n, s->nkeys, first);
	bool does = false;

	for (size_t i = 0; i < n; i++)
		at[i] += (uint32_t)from;
	for (size_t k = 0; k < s->nkeys && !does; k++) {
		size_t m = first[k + 1] - first[k];
		does = s->is_kernel[k] && m > LEAST_LAYERS &&
			inner_repeats_are_layers(s, at + first[k], m - 1, series_time(s, from, from + n));
	}
	mem_free(first, at);
	return does;
}

/* The length of the commonest stretch, if the circle is cut at these n + 1 pieces; 0: the stretches are not tokens. */
static size_t inner_repeats_measure_tokens(const inner_ctx *x, const uint32_t *at, size_t n)
{
	const series *s = &x->circle;
	stretches cut = stretches_cut(s, at, n);
	size_t alike = 0;
	int64_t time = 0;
	bool are_tokens = true;

	for (size_t i = 0; i < n; i++) {
		alike += stretches_is_about_length(&cut, at[i + 1] - at[i]);
		are_tokens &= x->separators[at[i + 1]] > x->separators[at[i]];
	}
	are_tokens = are_tokens && stretches_are_enough(alike, n) && stretches_judge(&cut, s, 0);
	for (size_t i = 0; are_tokens && i < n; i++)
		time = ns_add(time, cut.agrees[i] ? series_time(s, at[i], at[i + 1]) : 0);
	are_tokens = are_tokens && cut.agree > 1 && stretches_are_enough(cut.agree, n) &&
		2 * (double)time >= (double)series_time(s, 0, x->sequence->n) &&
		(x->graphs[cut.from + cut.length] > x->graphs[cut.from] ||
		 inner_repeats_contains_layers(x, cut.from, cut.length));
	stretches_free(&cut);
	return are_tokens ? cut.length : 0;
}

uint32_t inner_repeats_find_anchor(const inner_sequence *s)
{
	inner_ctx x;
	uint32_t *cut, anchor = STR_NONE;
	size_t longest = 0, earliest = 0;

	if (!inner_repeats_has_one_thread(s))
		return STR_NONE;
	x = inner_repeats_begin(s);
	cut = mem_new(uint32_t, s->n + 1);
	for (size_t k = 0; k < x.circle.nkeys; k++) {
		size_t m = x.first[k + 1] - x.first[k], length, position = s->n;
		if (m < LEAST_CUTS || !x.circle.is_kernel[k])
			continue;
		memcpy(cut, x.at + x.first[k], m * sizeof *cut);
		cut[m] = (uint32_t)s->n + cut[0];
		length = inner_repeats_measure_tokens(&x, cut, m);
		for (size_t i = 0; i < m; i++) {        /* the repetition starts `before` pieces before the sequence */
			size_t at = (cut[i] + s->before) % s->n;
			position = at < position ? at : position;
		}
		if (length > longest || (length && length == longest && position < earliest)) {
			longest = length;
			earliest = position;
			anchor = work_name(&s->t->work, x.work[cut[0]]);
		}
	}
	free(cut);
	inner_repeats_end(&x);
	return anchor;
}
