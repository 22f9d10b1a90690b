/* Sums over the rows of other answers: by step, and by what takes most. */
#include "answer/advise_parts.h"
#include "base/dict.h"
#include "base/group.h"
#include "base/sort.h"

const table_cell *advise_cell(const table *t, size_t row, const char *column)
{
	const table_cell *cells = table_at(t, row);
	size_t i = 0;

	while (strcmp(t->cols.v[i].name, column) != 0)
		i++;
	return &cells[i];
}

int64_t *advise_by_step(const advise_trace *x, const table *rows, const char *column, advise_wanted *wanted, const void *ctx)
{
	int64_t *sums = mem_new(int64_t, x->steps.n);

	for (size_t i = 0; i < table_rows(rows); i++) {
		int64_t *to = &sums[advise_step_of(rows, i) - x->first_step], value = advise_cell(rows, i, column)->i;
		if (value != TABLE_MISSING && (!wanted || wanted(rows, i, ctx)))
			*to = ns_add(*to, value);
	}
	return sums;
}

const char **advise_top(const advise_trace *x, const table *rows, const char *column, const char *key, advise_wanted *wanted,
			const void *ctx)
{
	const char **top = mem_new(const char *, advise_units(x));
	int64_t *most = mem_new(int64_t, advise_units(x));
	group g = { .width = 2 };
	vec(int64_t) sums = { 0 };

	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = advise_unit_of(x->job, advise_step_of(rows, i)) - x->first_unit, k;
		const char *text = advise_cell(rows, i, key)->t;
		if (!text || (wanted && !wanted(rows, i, ctx)))
			continue;
		k = group_of(&g, (int64_t[]){ (int64_t)unit, (int64_t)(intptr_t)text });        /* a table has each text once */
		if (k == sums.n)
			vec_push(&sums, 0);
		sums.v[k] = ns_add(sums.v[k], advise_cell(rows, i, column)->i);
	}
	for (size_t k = 0; k < g.n; k++) {
		size_t unit = (size_t)g.key[2 * k];
		const char *text = (const char *)(intptr_t)g.key[2 * k + 1];
		if (sums.v[k] > most[unit] || (sums.v[k] == most[unit] && top[unit] && strcmp(text, top[unit]) < 0)) {
			most[unit] = sums.v[k];
			top[unit] = text;
		}
	}
	group_free(&g);
	vec_free(&sums);
	free(most);
	return top;
}

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return sort_3way(v[a], v[b]);
}

/* By nearest rank, as everywhere. */
int64_t advise_median_of(const int64_t *v, size_t n)
{
	uint32_t *order = sort_order(n, by_value, v);
	size_t at = (n - 1) / 2;
	int64_t median = v[order ? order[at] : at];

	free(order);
	return median;
}

/* ---- by step and by a key */

typedef struct {                /* the sum of a key in a step */
	size_t unit;
	const char *key;
	int64_t sum;
} step_sum;

/* By unit and key, largest first. */
static int by_sum(uint32_t a, uint32_t b, const void *ctx)
{
	const step_sum *v = ctx, *x = &v[a], *y = &v[b];
	int c = strcmp(x->key, y->key);

	return x->unit != y->unit ? sort_3way(x->unit, y->unit) : c ? c : sort_3way(y->sum, x->sum);
}

advise_part *advise_by_key(const advise_job *j, const table *rows, const char *column, const char *key, advise_wanted *wanted,
			   const void *ctx, size_t *n)
{
	group g = { .width = 2 };
	vec(step_sum) sums = { 0 };
	vec(advise_part) parts = { 0 };
	uint32_t *order;

	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t step = advise_step_of(rows, i), k;
		const char *text = advise_cell(rows, i, key)->t;
		int64_t value = advise_cell(rows, i, column)->i;
		if (value == TABLE_MISSING || (wanted && !wanted(rows, i, ctx)))
			continue;
		k = group_of(&g, (int64_t[]){ (int64_t)step, (int64_t)(intptr_t)text });        /* a table has each text once */
		if (k == sums.n)
			vec_push(&sums, (step_sum){ advise_unit_of(j, step), text ? text : "-", 0 });
		sums.v[k].sum = ns_add(sums.v[k].sum, value);
	}
	order = sort_order(sums.n, by_sum, sums.v);
	sort_apply(sums.v, order, sums.n);
	free(order);
	for (size_t i = 0, m; i < sums.n; i += m) {
		const step_sum *s = &sums.v[i];
		size_t at = j->units.v[s->unit].n / 2;          /* of all steps, those without the key last: their sum is 0 */
		for (m = 1; i + m < sums.n && s[m].unit == s->unit && strcmp(s[m].key, s->key) == 0;)
			m++;
		advise_part part = { s->unit, s->key, at < m ? s[at].sum : 0, 0, 0 };
		for (size_t k = 0; k < m; k++) {
			part.total = ns_add(part.total, s[k].sum);
			part.with += s[k].sum > 0;
		}
		vec_push(&parts, part);
	}
	group_free(&g);
	vec_free(&sums);
	*n = parts.n;
	return parts.v;
}

/* ---- by unit */

static const int64_t *steps_of(const advise_trace *x, const int64_t *by_step, size_t unit)
{
	return by_step + x->job->units.v[x->first_unit + unit].first - x->first_step;
}

int64_t advise_median(const advise_trace *x, const int64_t *by_step, size_t unit)
{
	return advise_median_of(steps_of(x, by_step, unit), x->job->units.v[x->first_unit + unit].n);
}

int64_t advise_total(const advise_trace *x, const int64_t *by_step, size_t unit)
{
	const int64_t *v = steps_of(x, by_step, unit);
	int64_t total = 0;

	for (size_t i = 0; i < x->job->units.v[x->first_unit + unit].n; i++)
		total = ns_add(total, v[i]);
	return total;
}

/* ---- what belongs together */

size_t advise_first_of(const size_t *of, size_t i)
{
	while (of[i] != i)
		i = of[i];
	return i;
}

void advise_join(size_t *of, size_t a, size_t b)
{
	a = advise_first_of(of, a);
	b = advise_first_of(of, b);
	of[a > b ? a : b] = a > b ? b : a;
}

void advise_communicators(const advise_job *j, const table *kernels, void (*met)(void *ctx, size_t unit, size_t first), void *ctx)
{
	dict comms = { 0 };             /* by their texts, of which a table has each once */
	vec(size_t) first = { 0 };

	for (size_t i = 0; i < table_rows(kernels); i++) {
		size_t unit = advise_unit_of(j, advise_step_of(kernels, i));
		const char *comm = advise_cell(kernels, i, "comm")->t;
		uint32_t k;
		if (!comm || strcmp(comm, "mixed") == 0)
			continue;
		k = dict_key(&comms, (int64_t)(intptr_t)comm);
		if (k == first.n)
			vec_push(&first, unit);
		met(ctx, unit, first.v[k]);
	}
	dict_free(&comms);
	vec_free(&first);
}
