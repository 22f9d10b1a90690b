#include "trace/event_span.h"

typedef struct {
	rows_part rows;
	event_spans spans;
} part;

/* Widen the span of an id by a span with `count` events. */
static void event_span_widen_id(event_spans *set, int64_t id, ival span, size_t count)
{
	uint32_t k = dict_key(&set->ids, id);

	while (k >= set->room) {
		size_t more = set->room ? set->room * 2 : 16;
		set->span = mem_grow(set->span, more, sizeof *set->span);
		set->count = mem_grow(set->count, more, sizeof *set->count);
		for (; set->room < more; set->room++) {
			set->span[set->room] = IVAL_NOWHERE;
			set->count[set->room] = 0;
		}
	}
	set->count[k] += count;
	event_span_widen(&set->span[k], span.a, span.b);
}

static void event_span_free_part(void *p)
{
	event_span_free(&((part *)p)->spans);
}

/* Take rows.  A row mostly has the same id as the row before, so runs of rows with one id are joined first. */
static void event_span_take_rows(void *ctx, void *to, const rows_batch *b)
{
	const int64_t *start = b->ints[0], *end = b->ints[1], *id = b->ints[2];

	(void)ctx;
	for (size_t i = 0; i < b->n;) {
		ival span = IVAL_NOWHERE;
		size_t first = i;
		do
			event_span_widen(&span, start[i], end[i] > start[i] ? end[i] : start[i]);
		while (++i < b->n && id[i] == id[first]);
		event_span_widen_id(&((part *)to)->spans, id[first], span, i - first);
	}
}

bool event_span_read_table(const db *d, const db_table *t, const char *id_column, int threads, event_spans *out)
{
	const rows_reader reader = { .part_size = sizeof(part),
				     .free_part = event_span_free_part,
				     .take = event_span_take_rows };
	rows_col c[] = { { .names = "start", .from_zero = true }, { .names = "end", .null = -1 },
		{ .names = id_column, .null = -1 } };
	rows_parts parts = { 0 };
	bool ok = rows_read(d, t, c, 3, &reader, NULL, threads, &parts);

	for (size_t i = 0; ok && i < parts.n; i++) {
		const event_spans *from = &rows_part_at(part, &parts, i)->spans;
		for (size_t k = 0; k < from->ids.n; k++)
			event_span_widen_id(out, from->ids.value[k], from->span[k], from->count[k]);
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
