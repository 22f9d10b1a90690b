#include "trace/load_metrics.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"
#include "sqlite/rows.h"
#include "trace/gpu_cards.h"

enum { TIME, TYPE, METRIC, VALUE, COLS };
enum { CARD_BITS = 0xff };      /* the bits of typeId that are nsys's own number of the GPU */

/* The values of one metric that one worker reads.  Consecutive rows mostly have the same time but different metrics, so
 * times are kept in part.moments, once for each run of rows with the same time. */
typedef struct {
	vec(int64_t) value;
	vec(uint32_t) moment;           /* by value: index into the part's moments */
} samples;

typedef struct {
	rows_part rows;
	group series;           /* numbers the distinct metrics (typeId, metricId) */
	vec(samples) samples;   /* by number in series */
	vec(int64_t) moments;   /* times */
} part;

bool load_metrics_has(const trace *t)
{
	return db_find(t->db, "GPU_METRICS");
}

bool load_metrics_has_only_generic_events(const trace *t)
{
	return !load_metrics_has(t) && db_find(t->db, "GENERIC_EVENTS");
}

static void load_metrics_free_part(void *which)
{
	part *p = which;

	for (size_t i = 0; i < p->samples.n; i++) {
		vec_free(&p->samples.v[i].value);
		vec_free(&p->samples.v[i].moment);
	}
	vec_free(&p->samples);
	vec_free(&p->moments);
	group_free(&p->series);
}

static void load_metrics_take_rows(void *ctx UNNEEDED, void *to, const rows_batch *b)
{
	part *p = to;

	p->series.width = 2;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = group_of_width(&p->series, 2, (int64_t[]){ b->ints[TYPE][i], b->ints[METRIC][i] });
		if (k == p->samples.n)
			vec_push(&p->samples, (samples){ 0 });
		samples *s = &p->samples.v[k];
		if (!p->moments.n || p->moments.v[p->moments.n - 1] != b->ints[TIME][i])
			vec_push(&p->moments, b->ints[TIME][i]);
		vec_push(&s->moment, (uint32_t)p->moments.n - 1);
		vec_push(&s->value, b->ints[VALUE][i]);
	}
	p->rows.n += b->n;
}

/* Does nothing: rows.h asks for room, but this module has its own arrays. */
static void load_metrics_ignore_room(void *ctx UNNEEDED, size_t rows UNNEEDED)
{
}

static int load_metrics_compare_metrics(const void *x, const void *y)
{
	const trace_metric *a = x, *b = y;

	return a->card != b->card ? sort_3way(a->card, b->card) : a->type != b->type ? sort_3way(a->type, b->type) :
		sort_3way(a->id, b->id);
}

/* Make trace.metrics: the metrics that have values, sorted. */
static void load_metrics_list_metrics(trace *t, const rows_parts *parts)
{
	group all = { .width = 2 };

	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->samples.n; k++)
			group_of(&all, &p->series.key[2 * k]);
	}
	t->metrics = mem_new(trace_metric, all.n);
	t->nmetrics = all.n;
	for (size_t k = 0; k < all.n; k++) {
		int64_t type = all.key[2 * k];
		t->metrics[k] = (trace_metric){ .type = type, .id = all.key[2 * k + 1], .card = type & CARD_BITS,
			.name = STR_NONE };
	}
	qsort(t->metrics, t->nmetrics, sizeof *t->metrics, load_metrics_compare_metrics);
	for (size_t k = 1; k < all.n; k++)
		t->metrics[k].first = t->metrics[k].type == t->metrics[k - 1].type ? t->metrics[k - 1].first : k;
	group_free(&all);
}

static trace_metric *load_metrics_find_metric(trace *t, int64_t type, int64_t id)
{
	const trace_metric key = { .type = type, .id = id, .card = type & CARD_BITS };

	return bsearch(&key, t->metrics, t->nmetrics, sizeof key, load_metrics_compare_metrics);
}

static samples *load_metrics_samples_of(const part *p, const trace_metric *m)
{
	size_t series = group_find(&p->series, (int64_t[]){ m->type, m->id });

	return series == GROUP_NONE ? NULL : &p->samples.v[series];
}

static void load_metrics_join_values(const rows_parts *parts, trace_metric *m)
{
	for (size_t k = 0; k < parts->n; k++) {
		samples *s = load_metrics_samples_of(rows_part_at(part, parts, k), m);
		if (!s)
			continue;
		m->value = mem_grow(m->value, m->n + s->value.n, sizeof *m->value);
		memcpy(m->value + m->n, s->value.v, s->value.n * sizeof *m->value);
		m->n += s->value.n;
		vec_free(&s->value);
	}
}

/* With `put`, write the times of a metric to `there`.  Otherwise, return whether `there` already holds these times. */
static bool load_metrics_join_times(const rows_parts *parts, const trace_metric *m, int64_t *there, bool put)
{
	for (size_t k = 0; k < parts->n; k++) {
		const part *p = rows_part_at(part, parts, k);
		const samples *s = load_metrics_samples_of(p, m);
		for (size_t i = 0; s && i < s->moment.n; i++, there++) {
			int64_t at = p->moments.v[s->moment.v[i]];
			if (put)
				*there = at;
			else if (*there != at)
				return false;
		}
	}
	return true;
}

static int load_metrics_compare_samples(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_metric *m = ctx;

	return m->time[a] != m->time[b] ? sort_3way(m->time[a], m->time[b]) :
		sort_3way(m->value[a], m->value[b]);
}

/* Sort the samples of a metric by time.  `shared`: its times are those of the first metric of its type, and sorted
 * already. */
static void load_metrics_order_samples(trace_metric *m, bool shared)
{
	uint32_t *order;
	size_t i = 1;

	while (i < m->n && m->time[i - 1] < m->time[i])
		i++;
	order = i < m->n ? sort_order(m->n, load_metrics_compare_samples, m) : NULL;
	if (!order)
		return;
	sort_apply(m->value, order, m->n);
	if (!shared)
		sort_apply(m->time, order, m->n);
	free(order);
}

/* Join the samples that the workers read of a metric.  The first metric of a type must be joined before the others,
 * because they may share its times. */
static void load_metrics_join_metric(trace *t, const rows_parts *parts, trace_metric *m)
{
	trace_metric *first = &t->metrics[m->first];
	bool can_share, same;

	load_metrics_join_values(parts, m);
	can_share = m != first && m->n == first->n;
	same = can_share && load_metrics_join_times(parts, m, first->time, false);
	m->time = same ? first->time : mem_grow(NULL, m->n, sizeof *m->time);
	if (!same)
		load_metrics_join_times(parts, m, m->time, true);
	load_metrics_order_samples(m, same);
	if (can_share && !same && memcmp(first->time, m->time, m->n * sizeof *m->time) == 0) {
		free(m->time);
		m->time = first->time;
	}
}

/* Take the name of a metric.  Among several names, the last in text order counts. */
static void load_metrics_take_name(sqlite3_stmt *s, void *ctx)
{
	trace *t = ctx;
	trace_metric *m = load_metrics_find_metric(t, sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1));
	const char *text = (const char *)sqlite3_column_text(s, 2);
	uint32_t name = m && text ? str_id(&t->names, text, strlen(text)) : STR_NONE;

	if (m && str_cmp(&t->names, name, m->name) > 0)
		m->name = name;
}

static bool load_metrics_name_metrics(trace *t)
{
	const db_table *names = db_find_with(t->db, "TARGET_INFO_GPU_METRICS", "typeId metricId metricName");

	return !names || db_each(t->db, load_metrics_take_name, t, "SELECT typeId, metricId, metricName FROM \"%w\"",
			      names->name);
}

/* The number that processes have for the GPU to which nsys gives the number `card`; TRACE_UNKNOWN: no process has one,
 * or they differ. */
static int64_t load_metrics_agreed_number(const gpu_numbers *numbers, int64_t card)
{
	int64_t number = TRACE_UNKNOWN;

	for (size_t i = 0; i < numbers->n; i++) {
		if (numbers->v[i].card != card)
			continue;
		if (number != TRACE_UNKNOWN && number != numbers->v[i].number)
			return TRACE_UNKNOWN;
		number = numbers->v[i].number;
	}
	return number;
}

/* Set trace_metric.gpu to the processes' number for the GPU.  If any GPU has no agreed number, or two GPUs have the
 * same one, all GPUs get nsys's own numbers instead. */
static bool load_metrics_number_gpus(trace *t)
{
	gpu_numbers numbers = { 0 };
	int64_t gpu[CARD_BITS + 1];
	bool ok = gpu_numbers_read(t, &numbers), agreed = true;
	size_t cards = 0;

	for (size_t i = 0; i < t->nmetrics; i++) {
		trace_metric *m = &t->metrics[i];
		if (!i || m[-1].card != m->card) {
			gpu[cards] = load_metrics_agreed_number(&numbers, m->card);
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
	static const rows_reader reader = { .part_size = sizeof(part),
					    .free_part = load_metrics_free_part,
					    .take = load_metrics_take_rows,
					    .kept = "values of GPU metrics",
					    .room = load_metrics_ignore_room };
	rows_col c[COLS] = { [TIME] = { .names = "timestamp|rawTimestamp", .from_zero = true },
		[TYPE] = { .names = "typeId" }, [METRIC] = { .names = "metricId" }, [VALUE] = { .names = "value" } };
	rows_parts parts = { 0 };
	bool ok = rows_read(t->db, db_find(t->db, "GPU_METRICS"), c, COLS, &reader, NULL, t->workers, &parts);

	if (ok) {
		load_metrics_list_metrics(t, &parts);
		for (size_t i = 0; i < t->nmetrics; i++)
			load_metrics_join_metric(t, &parts, &t->metrics[i]);
	}
	rows_parts_free(&parts);
	return ok && load_metrics_name_metrics(t) && load_metrics_number_gpus(t);
}

bool load_metrics_is_clock(const trace *t, const trace_metric *m)
{
	const char *name = str_at(&t->names, m->name);

	return name && strstr(name, "[MHz]");
}
