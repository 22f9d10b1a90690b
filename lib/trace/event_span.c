#include "trace/event_span.h"
#include "sqlite/rows.h"

typedef struct {
	event_spans *parts;
	size_t *room;
	size_t nparts;
} reading;

static void widen_id(event_spans *set, size_t *room, int64_t id, int64_t start, int64_t end)
{
	uint32_t k = dict_key(&set->ids, id);

	while (k >= *room) {
		size_t more = *room ? *room * 2 : 16;
		set->span = mem_grow(set->span, more, sizeof *set->span);
		for (; *room < more; ++*room)
			set->span[*room] = IVAL_NOWHERE;
	}
	event_span_widen(&set->span[k], start, end > start ? end : start);
}

static void free_parts(reading *r)
{
	for (size_t p = 0; p < r->nparts; p++)
		event_span_free(&r->parts[p]);
	free(r->parts);
	free(r->room);
}

static void begin(void *ctx, size_t nparts, const size_t *most)
{
	reading *r = ctx;

	(void)most;
	free_parts(r);
	*r = (reading){ mem_new(event_spans, nparts), mem_new(size_t, nparts), nparts };
}

static void take(void *ctx, size_t part, const rows_batch *b)
{
	reading *r = ctx;

	for (size_t i = 0; i < b->n; i++)
		widen_id(&r->parts[part], &r->room[part], b->ints[2][i], b->ints[0][i], b->ints[1][i]);
}

bool event_span_table(const db *d, const db_table *t, const char *id_column, int threads, event_spans *out)
{
	static const rows_reader reader = { begin, false, take };
	rows_col c[] = { { .names = "start", .from_zero = true }, { .names = "end", .null = -1 },
		{ .names = id_column, .null = -1 } };
	reading r = { 0 };
	size_t room = 0;
	bool ok = rows_read(d, t, c, 3, &reader, &r, threads);

	for (size_t p = 0; ok && p < r.nparts; p++)
		for (size_t k = 0; k < r.parts[p].ids.n; k++)
			widen_id(out, &room, r.parts[p].ids.value[k], r.parts[p].span[k].a, r.parts[p].span[k].b);
	free_parts(&r);
	return ok;
}

void event_span_free(event_spans *s)
{
	dict_free(&s->ids);
	free(s->span);
	s->span = NULL;
}
