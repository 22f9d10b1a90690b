#include "trace/event_span.h"
#include "sqlite/rows.h"

typedef struct {
	rows_part rows;
	event_spans spans;
	size_t room;
} part;

static void widen_id(event_spans *set, size_t *room, int64_t id, int64_t start, int64_t end, size_t count)
{
	uint32_t k = dict_key(&set->ids, id);

	while (k >= *room) {
		size_t more = *room ? *room * 2 : 16;
		set->span = mem_grow(set->span, more, sizeof *set->span);
		set->count = mem_grow(set->count, more, sizeof *set->count);
		for (; *room < more; ++*room) {
			set->span[*room] = IVAL_NOWHERE;
			set->count[*room] = 0;
		}
	}
	set->count[k] += count;
	event_span_widen(&set->span[k], start, end > start ? end : start);
}

static void free_part(void *p)
{
	event_span_free(&((part *)p)->spans);
}

/* Rows that follow each other are mostly of the same thread or process. */
static void take(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	part *p = to;

	for (size_t i = 0; i < b->n;) {
		ival span = IVAL_NOWHERE;
		size_t first = i;
		do {
			int64_t start = b->ints[0][i], end = b->ints[1][i];
			event_span_widen(&span, start, end > start ? end : start);
		} while (++i < b->n && b->ints[2][i] == b->ints[2][first]);
		widen_id(&p->spans, &p->room, b->ints[2][first], span.a, span.b, i - first);
	}
}

bool event_span_table(const db *d, const db_table *t, const char *id_column, int threads, event_spans *out)
{
	static const rows_reader reader = { .part_size = sizeof(part), .free_part = free_part, .take = take };
	rows_col c[] = { { .names = "start", .from_zero = true }, { .names = "end", .null = -1 },
		{ .names = id_column, .null = -1 } };
	rows_parts parts = { 0 };
	size_t room = 0;
	bool ok = rows_read(d, t, c, 3, &reader, NULL, threads, &parts);

	for (size_t i = 0; ok && i < parts.n; i++) {
		const event_spans *s = &rows_part_at(part, &parts, i)->spans;
		for (size_t k = 0; k < s->ids.n; k++)
			widen_id(out, &room, s->ids.value[k], s->span[k].a, s->span[k].b, s->count[k]);
	}
	rows_parts_free(&parts);
	return ok;
}

void event_span_free(event_spans *s)
{
	dict_free(&s->ids);
	mem_free(s->span, s->count);
	s->span = NULL;
	s->count = NULL;
}
