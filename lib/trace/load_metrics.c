#include "trace/load_metrics.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/gpu_cards.h"

enum { TIME, TYPE, METRIC, VALUE, COLS };
enum { CARD_BITS = 0xff };      /* of typeId: the number of the GPU */

/* What one worker reads.  The values of a moment follow each other, so each time is kept once. */
typedef struct {
	vec(uint32_t) moment;
	vec(int64_t) value;
} samples;

typedef struct {
	rows_part rows;
	group series;           /* typeId, metricId */
	vec(samples) of;        /* by series */
	vec(int64_t) moments;
} part;

bool load_metrics_has(const trace *t)
{
	return db_find(t->db, "GPU_METRICS");
}

bool load_metrics_older(const trace *t)
{
	return !load_metrics_has(t) && db_find(t->db, "GENERIC_EVENTS");
}

static void free_part(void *which)
{
	part *p = which;

	for (size_t i = 0; i < p->of.n; i++) {
		vec_free(&p->of.v[i].moment);
		vec_free(&p->of.v[i].value);
	}
	vec_free(&p->of);
	vec_free(&p->moments);
	group_free(&p->series);
}

static void take(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	part *p = to;

	p->series.width = 2;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = group_of(&p->series, (int64_t[]){ b->ints[TYPE][i], b->ints[METRIC][i] });
		if (k == p->of.n)
			vec_push(&p->of, (samples){ 0 });
		if (!p->moments.n || p->moments.v[p->moments.n - 1] != b->ints[TIME][i])
			vec_push(&p->moments, b->ints[TIME][i]);
		vec_push(&p->of.v[k].moment, (uint32_t)p->moments.n - 1);
		vec_push(&p->of.v[k].value, b->ints[VALUE][i]);
	}
	p->rows.n += b->n;
}

/* Nothing is kept in arrays of all rows, but they are numbered. */
static void no_room(void *ctx UNNEEDED, size_t rows UNNEEDED)
{
}

static int metric_order(const void *x, const void *y)
{
	const trace_metric *a = x, *b = y;

	return a->card != b->card ? sort_3way(a->card, b->card) : a->type != b->type ? sort_3way(a->type, b->type) :
		sort_3way(a->id, b->id);
}

/* The metrics that occur, in order, with the number of their samples. */
static void list_metrics(trace *t, const rows_parts *parts)
{
	group all = { .width = 2 };

	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->of.n; k++)
			group_of(&all, &p->series.key[2 * k]);
	}
	t->metrics = mem_new(trace_metric, all.n);
	t->nmetrics = all.n;
	for (size_t k = 0; k < all.n; k++) {
		int64_t type = all.key[2 * k];
		t->metrics[k] = (trace_metric){ .type = type, .id = all.key[2 * k + 1], .card = type & CARD_BITS,
			.name = STR_NONE };
	}
	qsort(t->metrics, t->nmetrics, sizeof *t->metrics, metric_order);
	group_free(&all);
}

static trace_metric *find_metric(trace *t, int64_t type, int64_t id)
{
	const trace_metric key = { .type = type, .id = id, .card = type & CARD_BITS };

	return bsearch(&key, t->metrics, t->nmetrics, sizeof key, metric_order);
}

static int sample_order(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_metric *m = ctx;

	return m->time[a] != m->time[b] ? sort_3way(m->time[a], m->time[b]) : sort_3way(m->value[a], m->value[b]);
}

/* Move the samples of a part to the end of their metric's. */
static void move_samples(trace *t, part *p, size_t series)
{
	trace_metric *m = find_metric(t, p->series.key[2 * series], p->series.key[2 * series + 1]);
	samples *s = &p->of.v[series];

	m->time = mem_grow(m->time, m->n + s->value.n, sizeof *m->time);
	m->value = mem_grow(m->value, m->n + s->value.n, sizeof *m->value);
	for (size_t i = 0; i < s->value.n; i++)
		m->time[m->n + i] = p->moments.v[s->moment.v[i]];
	memcpy(m->value + m->n, s->value.v, s->value.n * sizeof *m->value);
	m->n += s->value.n;
	vec_free(&s->moment);
	vec_free(&s->value);
}

static void finish_metric(trace_metric *m, const trace_metric *before)
{
	uint32_t *order = sort_order(m->n, sample_order, m);

	sort_apply(m->value, order, m->n);
	sort_apply(m->time, order, m->n);
	free(order);
	if (before && before->n == m->n && memcmp(before->time, m->time, m->n * sizeof *m->time) == 0) {
		free(m->time);
		m->time = before->time;
	}
}

/* Metric by metric, so that few samples exist twice at once. */
static void join_parts(trace *t, const rows_parts *parts)
{
	for (size_t i = 0; i < t->nmetrics; i++) {
		const trace_metric *m = &t->metrics[i];
		for (size_t k = 0; k < parts->n; k++) {
			part *p = rows_part_at(part, parts, k);
			size_t series = group_of(&p->series, (int64_t[]){ m->type, m->id });
			if (series < p->of.n)   /* else the part has none of it */
				move_samples(t, p, series);
		}
		finish_metric(&t->metrics[i], i ? m - 1 : NULL);
	}
}

/* Of several names for a metric, the last in text order. */
static void name_row(sqlite3_stmt *s, void *ctx)
{
	trace *t = ctx;
	trace_metric *m = find_metric(t, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1));
	const char *text = (const char *)sqlite3_column_text(s, 2);
	uint32_t name = m && text ? str_id(&t->names, text, strlen(text)) : STR_NONE;

	if (m && str_cmp(&t->names, name, m->name) > 0)
		m->name = name;
}

static bool name_metrics(trace *t)
{
	const db_table *in = db_find_with(t->db, "TARGET_INFO_GPU_METRICS", "typeId metricId metricName");

	return !in || db_each(t->db, name_row, t, "SELECT typeId, metricId, metricName FROM \"%w\" LIMIT %lld",
			      in->name, (long long)t->db->max_rows);
}

/* The number that all processes have for a GPU; TRACE_UNKNOWN if none has one, or they differ. */
static int64_t agreed_number(const gpu_numbers *of, int64_t card)
{
	int64_t number = TRACE_UNKNOWN;

	for (size_t i = 0; i < of->n; i++) {
		if (of->v[i].card != card)
			continue;
		if (number != TRACE_UNKNOWN && number != of->v[i].number)
			return TRACE_UNKNOWN;
		number = of->v[i].number;
	}
	return number;
}

/* Number the GPUs as the processes do if all of them agree and no two GPUs get one number, else as nsys does. */
static bool number_gpus(trace *t)
{
	gpu_numbers numbers = { 0 };
	int64_t gpu[CARD_BITS + 1];
	bool ok = gpu_numbers_read(t, &numbers), agreed = true;
	size_t cards = 0;

	for (size_t i = 0; i < t->nmetrics; i++) {
		trace_metric *m = &t->metrics[i];
		if (!i || m[-1].card != m->card) {
			gpu[cards] = agreed_number(&numbers, m->card);
			agreed &= gpu[cards] != TRACE_UNKNOWN;
			for (size_t k = 0; k < cards; k++)
				agreed &= gpu[k] != gpu[cards];
			cards++;
		}
		m->gpu = gpu[cards - 1];
	}
	for (size_t i = 0; !agreed && i < t->nmetrics; i++)
		t->metrics[i].gpu = t->metrics[i].card;
	vec_free(&numbers);
	return ok;
}

bool load_metrics(trace *t)
{
	static const rows_reader reader = { .part_size = sizeof(part), .free_part = free_part, .take = take,
		.kept = "values of GPU metrics", .room = no_room };
	rows_col c[COLS] = { [TIME] = { .names = "timestamp|rawTimestamp", .from_zero = true },
		[TYPE] = { .names = "typeId" }, [METRIC] = { .names = "metricId" }, [VALUE] = { .names = "value" } };
	rows_parts parts = { 0 };
	bool ok = rows_read(t->db, db_find(t->db, "GPU_METRICS"), c, COLS, &reader, NULL, t->workers, &parts);

	if (ok) {
		list_metrics(t, &parts);
		join_parts(t, &parts);
	}
	rows_parts_free(&parts);
	return ok && name_metrics(t) && number_gpus(t);
}

bool load_metrics_hertz(const trace *t, const trace_metric *m)
{
	const char *name = str_at(&t->names, m->name);

	return name && strstr(name, "[MHz]");
}
