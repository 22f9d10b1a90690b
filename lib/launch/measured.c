#include "launch/measured.h"
#include "base/group.h"
#include "base/kernel_name.h"

#include <math.h>
#include <string.h>

typedef struct {                /* sums over the launches of a key, or of a key in ranges of one folded name */
	ncu_value sum;          /* sums of FLOPs and bytes; its `more` is unused */
	int64_t count;          /* number of launches with FLOPs; only these are in `sum` */
	int64_t with_bytes;     /* number of launches with FLOPs and bytes */
	int64_t least_flops, most_flops, least_bytes, most_bytes;       /* 0 if no launch has any */
	double more[NCU_MORE];          /* by enum ncu_more: the sum of the values */
	int64_t with_more[NCU_MORE];    /* by enum ncu_more: the number of launches that have the value */
} total;

struct measured {
	trace *t;
	const ncu_csv *csv;
	const projection *launched;
	const around *ranges;
	group keys;             /* numbers the keys of the CSV: name, grid and block, as strings of the trace */
	group pairs;            /* numbers the pairs that the CSV has: a key, and the folded name of a range */
	vec(total) of_key, of_pair;     /* by number in `keys`, and by number in `pairs` */
	uint32_t *row_key;      /* by launch of the CSV: the number of its key */
	uint32_t *key_of_type;  /* by work type: the number of the key of its kernels, or NONE */
	uint32_t *value;        /* by work: 0 if it has no values; otherwise 1 + an index into the launches of the CSV,
				 * or 1 + the number of these launches + an index into `means` */
	vec(ncu_value) means;   /* the means of `keys`, then those of `pairs` */
};

static uint32_t measured_string_of_csv(measured *m, uint32_t in_csv)
{
	const char *s = str_at(&m->csv->names, in_csv);

	return s ? str_id(&m->t->names, s, strlen(s)) : STR_NONE;
}

static void measured_widen_bounds(int64_t v, bool first, int64_t *least, int64_t *most)
{
	*least = first || v < *least ? v : *least;
	*most = first || v > *most ? v : *most;
}

static void measured_add_value(total *to, const ncu_value *v)
{
	for (int i = 0; i < NCU_MORE; i++)
		if (!isnan(v->more[i])) {
			to->more[i] += (double)v->more[i];
			to->with_more[i]++;
		}
	if (v->flops < 0)
		return;
	measured_widen_bounds(v->flops, !to->count, &to->least_flops, &to->most_flops);
	to->count++;
	to->sum.flops = ns_add(to->sum.flops, v->flops);
	for (int i = 0; i < NCU_TYPES; i++)
		to->sum.by_type[i] = ns_add(to->sum.by_type[i], v->by_type[i]);
	if (v->bytes < 0)
		return;
	measured_widen_bounds(v->bytes, !to->with_bytes, &to->least_bytes, &to->most_bytes);
	to->with_bytes++;
	to->sum.bytes = ns_add(to->sum.bytes, v->bytes);
}

static int64_t measured_divide_sum(int64_t sum, int64_t n)
{
	return sum / n + (2 * (sum % n) >= n);
}

static ncu_value measured_mean_of_total(const total *of)
{
	ncu_value v = { .flops = -1, .bytes = -1 };

	for (int i = 0; i < NCU_MORE; i++)
		v.more[i] = of->with_more[i] ? (float)(of->more[i] / (double)of->with_more[i]) : NAN;
	if (!of->count)
		return v;
	v.flops = measured_divide_sum(of->sum.flops, of->count);
	for (int i = 0; i < NCU_TYPES; i++)
		v.by_type[i] = measured_divide_sum(of->sum.by_type[i], of->count);
	if (of->with_bytes == of->count)
		v.bytes = measured_divide_sum(of->sum.bytes, of->count);
	return v;
}

/* Fills `keys`, `pairs` and their means. */
static void measured_read_csv(measured *m)
{
	for (size_t i = 0; i < m->csv->n; i++) {
		const ncu_launch *l = &m->csv->v[i];
		size_t key = group_of(&m->keys,
				      (int64_t[]){ measured_string_of_csv(m, l->name),
						   measured_string_of_csv(m, l->grid),
						   measured_string_of_csv(m, l->block) });
		uint32_t range = str_fold(&m->t->names, measured_string_of_csv(m, l->range));
		size_t pair = group_of(&m->pairs, (int64_t[]){ (int64_t)key, range });
		m->row_key[i] = (uint32_t)key;
		if (key == m->of_key.n)
			vec_push(&m->of_key, (total){ 0 });
		if (pair == m->of_pair.n)
			vec_push(&m->of_pair, (total){ 0 });
		measured_add_value(&m->of_key.v[key], &l->value);
		measured_add_value(&m->of_pair.v[pair], &l->value);
	}
	for (size_t i = 0; i < m->keys.n; i++)
		vec_push(&m->means, measured_mean_of_total(&m->of_key.v[i]));
	for (size_t i = 0; i < m->pairs.n; i++)
		vec_push(&m->means, measured_mean_of_total(&m->of_pair.v[i]));
}

/* The short name of a kernel of the trace.  An export without short names has demangled ones instead, which are
 * shortened.  short_of: by name, its short name; STR_NONE: not known yet. */
static uint32_t measured_shorten_name(str_pool *names, uint32_t *short_of, uint32_t name)
{
	size_t n;
	const char *s;

	if (name == STR_NONE || short_of[name] != STR_NONE)
		return name == STR_NONE ? STR_NONE : short_of[name];
	s = kernel_name_short(str_at(names, name), &n);
	return short_of[name] = str_id(names, s, n);
}

/* The name of a kernel's function, or STR_NONE.  With --print-kernel-base function, ncu prints only this name. */
static uint32_t measured_find_function(str_pool *names, const work_type *what)
{
	size_t n;
	const char *s = what->full == STR_NONE ? NULL : kernel_name_function(str_at(names, what->full), &n);

	return s ? str_id(names, s, n) : STR_NONE;
}

static void measured_find_keys(measured *m)
{
	const trace_work *w = &m->t->work;
	uint32_t *short_of = str_array(&m->t->names);

	m->key_of_type = mem_new(uint32_t, w->types.n);
	for (size_t i = 0; i < w->types.n; i++) {
		const work_type *what = &w->types.v[i];
		uint32_t name = measured_shorten_name(&m->t->names, short_of, what->name);
		m->key_of_type[i] = (uint32_t)group_find(&m->keys, (int64_t[]){ name, what->grid, what->block });
		if (m->key_of_type[i] == (uint32_t)GROUP_NONE)
			m->key_of_type[i] = (uint32_t)group_find(
				&m->keys,
				(int64_t[]){ measured_find_function(&m->t->names, what), what->grid, what->block });
	}
	free(short_of);
}

/* The key of a piece of work; NONE if it is no kernel, or its key was never measured. */
static uint32_t measured_key_of_work(const measured *m, size_t work)
{
	const trace_work *w = &m->t->work;

	return w->kind[work] == WORK_KERNEL ? m->key_of_type[w->type[work]] : NONE;
}

/* The borders of the keys of n launches of the CSV, for the search of Knuth, Morris and Pratt: an array with an element
 * for each key, the length of the longest prefix of the keys that also ends there, but begins later.  row: the indices
 * of these launches in the CSV. */
static size_t *measured_find_borders(const measured *m, const uint32_t *row, size_t n)
{
	size_t *border = mem_new(size_t, n + 1);

	for (size_t i = 1, k = 0; i < n; i++) {
		while (k && m->row_key[row[i]] != m->row_key[row[k]])
			k = border[k - 1];
		k += m->row_key[row[i]] == m->row_key[row[k]];
		border[i] = k;
	}
	return border;
}

/* Gives launches their counterparts: searches the keys of n launches of the CSV, in order, among the keys of the work.
 * row: the indices of these launches in the CSV.  If two occurrences overlap, the launches that they share keep their
 * counterparts from the first.  The local k is how many keys match up to work[i]; done is where the last occurrence
 * ended. */
static void measured_match_kernels(measured *m, const uint32_t *work, size_t nwork, const uint32_t *row, size_t n)
{
	size_t *border = measured_find_borders(m, row, n), done = 0;

	for (size_t i = 0, k = 0; i < nwork; i++) {
		uint32_t key = measured_key_of_work(m, work[i]);
		while (k && (k == n || key != m->row_key[row[k]]))
			k = border[k - 1];
		k += key == m->row_key[row[k]];
		if (k < n)
			continue;
		for (size_t j = i + 1 - n > done ? i + 1 - n : done; j <= i; j++)
			if (!m->value[work[j]])
				m->value[work[j]] = 1 + row[j - (i + 1 - n)];
		done = i + 1;
	}
	free(border);
}

/* Matches the launches of each process of the CSV, one process after the other, with those of a process of the
 * trace. */
static void measured_match_process(measured *m, uint32_t proc)
{
	const ncu_csv *csv = m->csv;
	size_t n, nwork = 0;
	const uint32_t *launched = projection_launched(m->launched, proc, &n);
	uint32_t *work = mem_new(uint32_t, n), *row = mem_new(uint32_t, csv->n);
	dict processes = { 0 };

	for (size_t i = 0; i < n; i++)
		if (measured_key_of_work(m, launched[i]) != NONE)
			work[nwork++] = launched[i];
	for (size_t i = 0; i < csv->n; i++)
		dict_key(&processes, csv->v[i].process);
	for (size_t k = 0; k < processes.n; k++) {
		size_t rows = 0;
		for (uint32_t i = 0; i < csv->n; i++)
			if (csv->v[i].process == processes.value[k])
				row[rows++] = i;
		measured_match_kernels(m, work, nwork, row, rows);
	}
	dict_free(&processes);
	mem_free(work, row);
}

/* The name of the innermost range of the launching thread, which is the range that ncu prints; STR_NONE: there is
 * none. */
static uint32_t measured_range_of_work(const measured *m, size_t work)
{
	uint32_t range = around_inner(m->ranges, m->t->work.launch[work]);

	return range == NONE ? STR_NONE : m->t->pushpop.name[range];
}

static void measured_set_mean(measured *m, size_t work)
{
	uint32_t key = measured_key_of_work(m, work);
	size_t pair;

	if (key == NONE)
		return;
	m->value[work] = 1 + (uint32_t)m->csv->n + key;
	if (m->t->work.launch[work] == NONE)
		return;
	pair = group_find(&m->pairs, (int64_t[]){ key, str_fold(&m->t->names, measured_range_of_work(m, work)) });
	if (pair != GROUP_NONE)
		m->value[work] = 1 + (uint32_t)(m->csv->n + m->keys.n + pair);
}

measured *measured_build(trace *t, const projection *p, const around *ranges, const ncu_csv *csv)
{
	measured *m = mem_new(measured, 1);

	*m = (measured){ .t = t, .csv = csv, .launched = p, .ranges = ranges, .keys = { .width = 3 },
		.pairs = { .width = 2 } };
	m->row_key = mem_new(uint32_t, csv->n);
	m->value = mem_new(uint32_t, t->work.n);
	measured_read_csv(m);
	measured_find_keys(m);
	for (uint32_t i = 0; i < t->nprocs; i++)
		measured_match_process(m, i);
	for (size_t i = 0; i < t->work.n; i++)
		if (!m->value[i])
			measured_set_mean(m, i);
	return m;
}

void measured_free(measured *m)
{
	group_free(&m->keys);
	group_free(&m->pairs);
	mem_free(m->of_key.v, m->of_pair.v, m->means.v, m->row_key, m->key_of_type, m->value, m);
}

const ncu_value *measured_of(const measured *m, size_t work)
{
	uint32_t i = m->value[work];

	return !i ? NULL : i <= m->csv->n ? &m->csv->v[i - 1].value : &m->means.v[i - 1 - m->csv->n];
}

bool measured_has_counterpart(const measured *m, size_t work)
{
	return m->value[work] && m->value[work] <= m->csv->n;
}

static bool measured_bounds_differ(int64_t least, int64_t most)
{
	return (double)most > 1.05 * (double)least;
}

bool measured_ambiguous(const measured *m, size_t work)
{
	uint32_t key = measured_key_of_work(m, work);
	const total *of = key == NONE ? NULL : &m->of_key.v[key];

	return of &&
		(measured_bounds_differ(of->least_flops, of->most_flops) ||
		 measured_bounds_differ(of->least_bytes, of->most_bytes));
}
