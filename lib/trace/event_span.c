#include "trace/event_span.h"

typedef struct {
	rows_part rows;
	event_spans spans;
} part;

static void widen_id(event_spans *set, int64_t id, ival span, size_t count)
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

static void free_part(void *p)
{
	event_span_free(&((part *)p)->spans);
}

/* Rows that follow each other are mostly of the same thread or process. */
void event_span_rows(event_spans *set, const int64_t *start, const int64_t *end, const int64_t *id, size_t n,
		     bool count)
{
	for (size_t i = 0; i < n;) {
		ival span = IVAL_NOWHERE;
		size_t first = i;
		do
			event_span_widen(&span, start[i], end[i] > start[i] ? end[i] : start[i]);
		while (++i < n && id[i] == id[first]);
		widen_id(set, id[first], span, count ? i - first : 0);
	}
}

void event_span_join(event_spans *set, const event_spans *from, const rows_parts *parts)
{
	for (size_t k = 0; k < from->ids.n; k++)
		widen_id(set, from->ids.value[k], from->span[k], rows_about(parts, from->count[k]));
	set->partly |= parts->sampled > 0;
}

static void take(void *ctx, void *to, const rows_batch *b)
{
	(void)ctx;
	event_span_rows(&((part *)to)->spans, b->ints[0], b->ints[1], b->ints[2], b->n, b->of != ROWS_IN_TIME);
}

bool event_span_table(const db *d, const db_table *t, const char *id_column, par threads, const rows_time *only,
		      event_spans *out)
{
	const rows_reader reader = { .part_size = sizeof(part), .free_part = free_part, .take = take, .only = only };
	rows_col c[] = { { .names = "start", .from_zero = true }, { .names = "end", .null = -1 },
		{ .names = id_column, .null = -1 } };
	rows_parts parts = { 0 };
	bool ok = rows_read(d, t, c, 3, &reader, NULL, threads, &parts);

	for (size_t i = 0; ok && i < parts.n; i++)
		event_span_join(out, &rows_part_at(part, &parts, i)->spans, &parts);
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
