#include "span.h"
#include "par.h"

enum { PAGES_PER_THREAD = 64 };

static const ival nowhere = { INT64_MAX, INT64_MIN };

static void widen_all(span_set *out, size_t *room, int64_t id, int64_t start, int64_t end)
{
	uint32_t k = dict_key(&out->ids, id);

	while (k >= *room) {
		size_t more = *room ? *room * 2 : 16;
		out->span = mem_grow(out->span, more, sizeof *out->span);
		for (; *room < more; ++*room)
			out->span[*room] = nowhere;
	}
	span_widen(&out->span[k], start, end > start ? end : start);
}

typedef struct {
	const leaf_file *file;
	leaf_table *leaves;
	const int *columns;
	int key;
	size_t nparts;
	span_set *spans;      /* by part */
	bool *bad;
} span_job;

static void span_part(void *ctx, size_t p)
{
	span_job *j = ctx;
	size_t a = j->leaves->n * p / j->nparts, b = j->leaves->n * (p + 1) / j->nparts, room = 0;
	leaf_cursor c = leaf_start(j->file, j->leaves->v + a, b - a, j->columns, 3, j->key);

	while (!j->bad[p] && leaf_next(&c)) {
		int64_t v[3] = { -1, -1, -1 };          /* start, end, id; NULL is -1 */
		for (int i = 0; i < c.nplaces; i++) {
			j->bad[p] |= !leaf_is_int(c.place[i].serial) && c.place[i].serial != 0;
			if (leaf_is_int(c.place[i].serial))
				v[c.place[i].column] = leaf_int(&c, &c.place[i]);
		}
		if (!j->bad[p] && v[0] >= 0)
			widen_all(&j->spans[p], &room, v[2], v[0], v[1]);
	}
	j->bad[p] |= c.bad;
	leaf_end(&c);
}

/* The same from the pages; false: something is odd. */
static bool span_pages(const db *d, const db_table *t, const int *columns, span_set *out)
{
	leaf_table leaves = { 0 };
	bool ok = d->file && t->root && leaf_list(d->file, t->root, &leaves);
	size_t n = leaves.n / PAGES_PER_THREAD < (size_t)d->threads ? leaves.n / PAGES_PER_THREAD + 1 :
		(size_t)d->threads, room = 0;
	span_job j = { d->file, &leaves, columns, t->key, n, mem_new(span_set, n), mem_new(bool, n) };

	if (ok)
		par_do(d->threads, n, span_part, &j);
	for (size_t p = 0; p < n; p++)
		ok &= !j.bad[p];
	for (size_t p = 0; p < n; p++) {
		for (size_t k = 0; ok && k < j.spans[p].ids.n; k++)
			widen_all(out, &room, j.spans[p].ids.value[k], j.spans[p].span[k].a, j.spans[p].span[k].b);
		span_free(&j.spans[p]);
	}
	free(j.spans);
	free(j.bad);
	vec_free(&leaves);
	return ok;
}

bool span_table(const db *d, const db_table *t, const char *id_column, span_set *out)
{
	scan_col c[] = { { .names = "start", .type = SCAN_INT, .from_zero = true },
		{ .names = "end", .type = SCAN_INT, .null = -1 }, { .names = id_column, .type = SCAN_KEY, .null = -1 } };
	int columns[3];
	bool all = t != NULL, ok;
	size_t n, room = 0;
	str_pool none = { 0 };

	for (int i = 0; all && i < 3; i++)
		all = (columns[i] = db_column(t, c[i].names)) >= 0;
	if (all && span_pages(d, t, columns, out))
		return true;
	ok = scan_table(d, t, c, 3, &none, &n);
	for (size_t i = 0; ok && i < n; i++)
		widen_all(out, &room, c[2].dict.value[c[2].keys[i]], c[0].ints[i], c[1].ints[i]);
	scan_free(c, 3);
	return ok;
}

void span_free(span_set *s)
{
	dict_free(&s->ids);
	free(s->span);
	s->span = NULL;
}
