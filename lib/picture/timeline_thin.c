#include "picture/timeline_parts.h"

enum { CELL_SIZES = 64 };            /* the number of cell sizes: 2^0 to 2^63 ns */

typedef struct {
	timeline *tl;
	const ival_set *keep;   /* the times in which no events are merged; NULL: there are none */
	int cell;               /* events shorter than 2^cell ns that start in the same cell are merged */
} timeline_thin_ctx;

static int timeline_thin_count_bits(int64_t x)
{
	return x > 0 ? 64 - __builtin_clzll((uint64_t)x) : 0;
}

/* The smallest n for which an event and the one before it on its level are merged in cells of 2^n ns; CELL_SIZES:
 * they are never merged.  before, x: their times. */
static int timeline_thin_merging_cell(const timeline_thin_ctx *t, ival before, ival x)
{
	int64_t origin = t->tl->hull.a;
	int cell = timeline_thin_count_bits((before.a - origin) ^ (x.a - origin));

	if (t->keep && (ival_touches(t->keep, x.a, x.b) || ival_touches(t->keep, before.a, before.b)))
		return CELL_SIZES;
	cell = timeline_thin_count_bits(x.b - x.a) > cell ? timeline_thin_count_bits(x.b - x.a) : cell;
	return timeline_thin_count_bits(before.b - before.a) > cell ? timeline_thin_count_bits(before.b - before.a) :
								      cell;
}

typedef struct {                /* the last event of a level */
	bool any;               /* is there one? */
	ival span;              /* its time, cut to the windows */
	uint32_t event;         /* as in timeline_track.events */
	size_t at;              /* its index in the reduced track, or that of the entry into which it was merged */
} last_event;

/* The smallest n for which event i of a track is merged with the last event of its level
 * (timeline_thin_merging_cell).  Kernels and graphs are never merged with copies and memsets. */
static int timeline_thin_event_cell(const timeline_thin_ctx *t, const timeline_track *k, const last_event *last,
				    size_t i, ival x)
{
	const uint8_t *kind = t->tl->t->work.kind;

	if (!last->any || (k->kind == TIMELINE_WORK &&
	    (kind[last->event] > WORK_GRAPH) != (kind[k->events.v[i]] > WORK_GRAPH)))
		return CELL_SIZES;
	return timeline_thin_merging_cell(t, last->span, x);
}

/* The smallest n for which value i of a counter is merged with the one before it.  Only the starts of values count,
 * because a value holds until the next one. */
static int timeline_thin_value_cell(const timeline_thin_ctx *t, const timeline_counter *c, size_t i)
{
	return timeline_thin_merging_cell(t, (ival){ c->at.v[i - 1].a, c->at.v[i - 1].a },
					  (ival){ c->at.v[i].a, c->at.v[i].a });
}

/* Set left[n] to how many events are left with cells of 2^n ns.  A part of idle time counts as two events, because
 * its gap may be left, too. */
static void timeline_thin_count_left(const timeline_thin_ctx *t, size_t left[CELL_SIZES])
{
	const timeline *tl = t->tl;
	size_t first[CELL_SIZES + 1] = { 0 };   /* first[n]: how many events are merged in cells of 2^n ns, but not
						 * in smaller ones; [CELL_SIZES]: how many are never merged */

	for (size_t n = 0; n < tl->tracks.n; n++) {
		const timeline_track *k = &tl->tracks.v[n];
		last_event last[TIMELINE_LEVELS] = { 0 };
		for (size_t i = 0; i < k->events.n; i++) {
			last_event *before = &last[k->levels.v[i]];
			ival x = timeline_cut(tl, k, i);
			first[timeline_thin_event_cell(t, k, before, i, x)] += k->kind == TIMELINE_IDLE ? 2 : 1;
			*before = (last_event){ true, x, k->events.v[i], 0 };
		}
	}
	for (size_t n = 0; n < tl->counters.n; n++)
		for (size_t i = 0; i < tl->counters.v[n].at.n; i++)
			first[i ? timeline_thin_value_cell(t, &tl->counters.v[n], i) : CELL_SIZES]++;
	left[CELL_SIZES - 1] = first[CELL_SIZES];
	for (int s = CELL_SIZES - 1; s > 0; s--)
		left[s - 1] = left[s] + first[s];
}

/* ---- merging events */

/* Merge an event into entry `at` of the track.  The entry is a single event or already merged.  x: the event's time,
 * cut to the windows. */
static void timeline_thin_join_events(timeline *tl, timeline_track *k, size_t at, uint32_t event, ival x)
{
	uint32_t *to = &k->events.v[at];

	if (!(*to & TIMELINE_BUNDLE)) {
		ival own = timeline_cut(tl, k, at);
		vec_push(&tl->bundles, (timeline_bundle){ own, *to, 1, own.b - own.a, own.b - own.a });
		*to = TIMELINE_BUNDLE | (uint32_t)(tl->bundles.n - 1);
	}
	timeline_bundle *b = &tl->bundles.v[*to & ~TIMELINE_BUNDLE];
	if (x.b - x.a > b->longest_ns) {
		b->longest_ns = x.b - x.a;
		b->longest = event;
	}
	b->at.b = x.b > b->at.b ? x.b : b->at.b;
	b->busy += x.b - x.a;
	b->n++;
}

static void timeline_thin_merge_track(const timeline_thin_ctx *t, timeline_track *k)
{
	timeline *tl = t->tl;
	last_event last[TIMELINE_LEVELS] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < k->events.n; i++) {
		uint32_t level = k->levels.v[i], event = k->events.v[i];
		last_event *before = &last[level];
		ival x = timeline_cut(tl, k, i);
		bool merged = timeline_thin_event_cell(t, k, before, i, x) <= t->cell;
		*before = (last_event){ true, x, event, merged ? before->at : n };
		if (merged) {
			timeline_thin_join_events(tl, k, before->at, event, x);
		} else {
			k->events.v[n] = event;
			k->levels.v[n++] = level;
		}
	}
	k->events.n = k->levels.n = n;
}

/* Merge the values in a cell.  The merged value is the highest of them. */
static void timeline_thin_merge_counter(const timeline_thin_ctx *t, timeline_counter *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->at.n; i++) {
		bool merged = n && timeline_thin_value_cell(t, c, i) <= t->cell;
		if (merged) {
			c->at.v[n - 1].b = c->at.v[i].b;
			c->values.v[n - 1] = c->values.v[i] > c->values.v[n - 1] ? c->values.v[i] : c->values.v[n - 1];
			continue;
		}
		c->at.v[n] = c->at.v[i];
		c->values.v[n] = c->values.v[i];
		c->since.v[n++] = c->since.v[i];
	}
	c->at.n = c->values.n = c->since.n = n;
}

/* Drop the gaps whose parts were all merged. */
static void timeline_thin_drop_gaps(timeline *tl)
{
	uint32_t *number = mem_new(uint32_t, tl->gaps.n);       /* for each gap: 1 if it is left, then its new index */
	size_t n = 0;

	for (size_t i = 0; i < tl->tracks.n; i++)
		for (size_t e = 0; tl->tracks.v[i].kind == TIMELINE_IDLE && e < tl->tracks.v[i].events.n; e++)
			if (!(tl->tracks.v[i].events.v[e] & TIMELINE_BUNDLE))
				number[tl->parts.v[tl->tracks.v[i].events.v[e]].gap] = 1;
	for (size_t i = 0; i < tl->gaps.n; i++)
		if (number[i]) {
			tl->gaps.v[n] = tl->gaps.v[i];
			number[i] = (uint32_t)n++;
		}
	tl->gaps.n = n;
	for (size_t i = 0; i < tl->parts.n; i++)
		tl->parts.v[i].gap = number[tl->parts.v[i].gap];
	free(number);
}

int64_t timeline_thin(timeline *tl, size_t most, const ival_set *keep)
{
	timeline_thin_ctx t = { .tl = tl, .keep = keep->n ? keep : NULL };
	size_t left[CELL_SIZES];

	if (tl->events <= most)
		return 0;
	timeline_thin_count_left(&t, left);
	if (t.keep && left[CELL_SIZES - 1] > most / 2) {
		t.keep = NULL;
		timeline_thin_count_left(&t, left);
	}
	while (t.cell < CELL_SIZES - 2 && left[t.cell] > most)
		t.cell++;
	for (size_t i = 0; i < tl->tracks.n; i++)
		timeline_thin_merge_track(&t, &tl->tracks.v[i]);
	for (size_t i = 0; i < tl->counters.n; i++)
		timeline_thin_merge_counter(&t, &tl->counters.v[i]);
	timeline_thin_drop_gaps(tl);
	tl->whole_steps = t.keep != NULL;
	tl->kept = tl->gaps.n;
	for (size_t i = 0; i < tl->tracks.n; i++)
		tl->kept += tl->tracks.v[i].events.n;
	for (size_t i = 0; i < tl->counters.n; i++)
		tl->kept += tl->counters.v[i].at.n;
	return (int64_t)1 << t.cell;
}
