#include "relate/shared_gpu.h"
#include "base/memory.h"
#include "trace/gpu_cards.h"

typedef struct {
	const trace *t;
	const uint32_t *card;   /* by lane */
	ival_set *busy;         /* by lane: when it works, if its GPU has several */
	bool *shares;           /* by lane: does it overlap with another process? */
} sharing;

/* Do two lanes belong to different processes on the same GPU? */
static bool are_neighbours(const sharing *s, size_t a, size_t b)
{
	return s->card[a] != NONE && s->card[a] == s->card[b] && s->t->lanes[a].proc != s->t->lanes[b].proc;
}

static void find_busy(sharing *s, size_t l)
{
	const trace_lane *lane = &s->t->lanes[l];

	if (s->busy[l].n)
		return;
	for (size_t i = lane->first; i < lane->first + lane->n; i++)
		ival_add(&s->busy[l], s->t->work.start[i], s->t->work.end[i]);
}

static bool overlap(const ival_set *x, const ival_set *y)
{
	for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
		if (x->v[i].a < y->v[k].b && y->v[k].a < x->v[i].b)
			return true;
		if (x->v[i].b < y->v[k].b)
			i++;
		else
			k++;
	}
	return false;
}

static void compare(sharing *s)
{
	for (size_t a = 0; a < s->t->nlanes; a++)
		for (size_t b = a + 1; b < s->t->nlanes; b++) {
			if (!are_neighbours(s, a, b) || (s->shares[a] && s->shares[b]))
				continue;
			find_busy(s, a);
			find_busy(s, b);
			if (overlap(&s->busy[a], &s->busy[b]))
				s->shares[a] = s->shares[b] = true;
		}
}

/* The processes that share the GPU of this lane, the first of the GPU; NULL if none do. */
static const char *describe(const sharing *s, size_t first, arena *texts)
{
	const char *list = NULL;
	uint32_t last = NONE;
	int64_t gpu = s->t->lanes[first].gpu;
	bool same = true;

	for (size_t l = first; l < s->t->nlanes; l++) {
		const trace_lane *lane = &s->t->lanes[l];
		if (s->card[l] != first || !s->shares[l])
			continue;
		same &= lane->gpu == gpu;
		if (lane->proc != last)
			list = arena_printf(texts, "%s%s%s", list ? list : "processes ", list ? ", " : "",
					    s->t->procs[lane->proc].shown);
		last = lane->proc;
	}
	return !list ? NULL : same ? arena_printf(texts, "%s share GPU %lld", list, (long long)gpu) :
		arena_printf(texts, "%s share one GPU under different numbers", list);
}

bool shared_gpu_find(const trace *t, void (*say)(void *ctx, const char *text), void *ctx)
{
	uint32_t *card = gpu_cards(t);
	sharing s = { t, card, mem_new(ival_set, t->nlanes), mem_new(bool, t->nlanes) };
	arena texts = { 0 };
	bool ok = card;

	if (ok)
		compare(&s);
	for (size_t l = 0; card && l < t->nlanes; l++) {
		const char *text = card[l] == l ? describe(&s, l, &texts) : NULL;
		if (text)
			say(ctx, text);
	}
	for (size_t l = 0; l < t->nlanes; l++)
		ival_free(&s.busy[l]);
	free(s.busy);
	free(s.shares);
	free(card);
	arena_free(&texts);
	return ok;
}

typedef struct {
	const trace *t;
	notes *say;
} warning;

static void warn(void *ctx, const char *text)
{
	const warning *w = ctx;

	notes_remark(w->say, "%s in '%s' and, without MPS, take turns: the time of a kernel includes the turns of the others; "
		     "capture with a GPU for each", text, w->t->path);
}

bool shared_gpu_warn(const trace *t, notes *say)
{
	return shared_gpu_find(t, warn, &(warning){ t, say });
}
