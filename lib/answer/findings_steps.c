/* Findings about what runs in the steps, and about the steps themselves. */
#include "answer/advise_parts.h"
#include "answer/copies.h"
#include "answer/gaps.h"
#include "answer/metrics.h"
#include "base/pattern.h"
#include "relate/rules.h"

#include <math.h>

/* ---- copies from and to pageable memory */

/* The rows of nsq-mem --each as the windows of another question: those of a step, which may overlap, are one. */
static windows as_windows(const advise_trace *x, const table *rows)
{
	windows all = { .asked = true };
	vec(ival) copies = { 0 };

	for (size_t i = 0, n; i < table_rows(rows); i += n) {   /* step by step */
		const window *step = &x->steps.v[advise_step_of(rows, i) - x->first_step];
		window w = { .proc = step->proc, .device = step->device, .name = step->name, .each_name = step->name };
		copies.n = 0;
		for (n = 0; i + n < table_rows(rows) && advise_step_of(rows, i + n) == advise_step_of(rows, i); n++)
			vec_push(&copies, (ival){ table_value(rows, i + n, COL_START)->i, table_value(rows, i + n, COL_END)->i });
		w.gpu = ival_union(copies.v, copies.n);
		w.cpu = ival_union(copies.v, copies.n);
		if (w.gpu.n)
			vec_push(&all, w);
	}
	vec_free(&copies);
	return all;
}

bool find_pageable(advise_trace *x)
{
	const gaps_params without_kernels = { .mode = GAPS_SUMS, .kernels = 1 };
	regex_t re;
	copies_params p = { .mode = COPIES_EACH, .match = &re };
	table copies = { 0 }, gaps = { 0 };
	windows each;
	bool ok;
	arena *texts = &x->job->texts;

	(void)pattern_compile(&re, "pageable", REG_NOSUB, (char[200]){ 0 }, 200);
	ok = copies_answer(x->t, &x->steps, &p, &copies, NULL);
	each = as_windows(x, &copies);
	if (ok && each.n && gaps_answer(x->t, &each, &without_kernels, &gaps, NULL)) {
		int64_t *alone = advise_by_step(x, &gaps, "idle_ns", NULL, NULL);
		const char **kind = advise_top(x, &copies, "dur_ns", "kind", NULL, NULL);
		for (size_t i = 0; i < advise_units(x); i++) {
			const advise_unit *u = &x->job->units.v[x->first_unit + i];
			advise_find_by_step(x, alone, (advise_found){ .kind = ADVISE_PAGEABLE, .unit = x->first_unit + i,
				.text = arena_printf(texts, "copies from or to pageable memory on the step's path: they run while no kernel does, mostly %s; "
						 "assumes that the copies could take no time, or run beside kernels", kind[i] ? kind[i] : "-"),
				.evidence = advise_union_row(x->job, u, arena_printf(texts, "nsq-mem --each -m pageable%s | nsq-gaps --each --min 0 --work kernels",
										     u->on_gpu)) });
		}
		free(alone);
		free(kind);
	}
	regfree(&re);
	window_free(&each);
	table_free(&copies);
	table_free(&gaps);
	return ok;
}

/* ---- one step that takes far longer */

enum { FEW_STEPS = 3 };

enum { PARTS = 4, IDLE = 3 };

/* What a step consists of (nsq-overlap --total), and what to do about one that has far more of it than the others. */
static const struct {
	const char *column, *text, *advice;
} parts[PARTS] = {
	{ "compute_ns", "more compute", "look at what only this step computes: evaluation, longer sequences, the tuning of kernels" },
	{ "comm_only_ns", "communication alone", "look at which rank comes late to the collectives of this step (nsq-nccl --stragglers, with the "
		"traces of all ranks), and at what only this step sends" },
	{ "copy_only_ns", "copies alone", "look at what only this step copies: checkpoints, evaluation, data that was not prefetched" },
	[IDLE] = { "idle_ns", "idle time", "look at what the CPU does in this step alone: checkpoints, evaluation, logging, garbage collection" },
};

typedef struct {
	advise_trace *x;
	int64_t *of[PARTS];     /* by step of this trace */
	int64_t *loading;
} splitting;

typedef struct {
	size_t at;              /* the longest step, of job.steps */
	size_t n;               /* how many take far longer than the median */
	int64_t excess;         /* what it has more than that, without the loading of code */
	size_t part;            /* what it has most of, */
	bool between;           /* and it lies between this step and the next */
} long_step;

static int64_t excess_of(const splitting *s, const advise_unit *u, size_t step)
{
	return ns_sub(ns_sub(s->x->job->steps.v[step], u->period), s->loading[step - s->x->first_step]);
}

/* Does the step by itself hold less than half of what it has more? */
static bool lies_between(const splitting *s, size_t unit, const long_step *l)
{
	const advise_unit *u = &s->x->job->units.v[s->x->first_unit + unit];
	int64_t *own = u->to_next ? advise_own_lengths(s->x, unit) : NULL;
	int64_t more = own ? ns_sub(own[l->at - u->first], advise_median_of(own, u->n)) : 0;
	bool between = own && ns_add(more, more) < l->excess;

	free(own);
	return between;
}

static long_step longest_of(const splitting *s, size_t unit)
{
	const advise_job *j = s->x->job;
	const advise_unit *u = &j->units.v[s->x->first_unit + unit];
	long_step l = { .at = u->first };
	int64_t most = INT64_MIN;

	for (size_t i = u->first; i < u->first + u->n; i++) {
		if (j->steps.v[i] > j->steps.v[l.at])
			l.at = i;
		l.n += 2 * excess_of(s, u, i) >= u->period;
	}
	l.excess = excess_of(s, u, l.at);
	for (size_t k = 0; k < PARTS; k++) {
		size_t in = l.at - s->x->first_step;
		int64_t more = s->of[k][in] - advise_median(s->x, s->of[k], unit) - (k == IDLE ? s->loading[in] : 0);
		l.part = more > most ? k : l.part;
		most = more > most ? more : most;
	}
	return l;
}

static void add_long(const splitting *s, size_t unit, const long_step *l)
{
	const advise_trace *x = s->x;
	const advise_unit *u = &x->job->units.v[x->first_unit + unit];
	arena *texts = &x->job->texts;
	size_t in = l->at - x->first_step;
	const char *less = s->loading[in] ? arena_printf(texts, " - %lld", (long long)s->loading[in]) : "";
	const char *others = l->n > 1 ? arena_printf(texts, " (%zu of %zu steps take 1.5 times the median or longer)", l->n, u->n) : "";

	advise_find(x->job, (advise_found){ .kind = ADVISE_LONG, .unit = x->first_unit + unit, .recover = l->excess / (int64_t)u->n,
		.text = arena_printf(texts, l->between ? "a long time between two steps: '%s' and what follows it take %.2f times the median, mostly by "
				     "%s%s%s; the time lies between this step and the next, not in the step; assumes that the next could begin as "
				     "early as usual" : "one step takes far longer than the others: '%s' %.2f times the median, mostly by %s%s%s; "
				     "assumes that it could take as long as the median", x->names.v[in],
				     (double)x->job->steps.v[l->at] / (double)u->period, parts[l->part].text,
				     *less ? ", besides the loading of code" : "", others),
		.evidence = arena_printf(texts, "%s | nsq-sql \"select pid, rank, start_ns, end_ns, gpu, min((dur_ns - (select median(dur_ns) from t)%s) / "
					 "(select count(*) from t), (select median(dur_ns) from t)) as recover_ns, window, trace from t order by "
					 "dur_ns desc limit 1\"", u->alone, less),
		.advice = l->between ? "look at what the program does between the two steps; -m chooses ranges that include it" : parts[l->part].advice });
}

bool find_long(advise_trace *x)
{
	splitting s = { .x = x, .loading = advise_loading(x) };

	for (size_t k = 0; k < PARTS; k++)
		s.of[k] = advise_by_step(x, &x->total, parts[k].column, NULL, NULL);
	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		long_step l = longest_of(&s, i);
		if (u->n < FEW_STEPS || u->repeats || l.excess * 2 < u->period)
			continue;
		l.between = lies_between(&s, i, &l);
		add_long(&s, i, &l);
	}
	for (size_t k = 0; k < PARTS; k++)
		free(s.of[k]);
	free(s.loading);
	return true;
}

/* ---- tensor cores */

enum { LOW_USE = 2 };           /* below 1 / LOW_USE of the time in which the SMs are active */

/* The hundredths of a percent that are printed; a trace may hold any number for one. */
static int64_t hundredths(double pct)
{
	return isnan(pct) ? 0 : (int64_t)floor(fmin(fmax(pct, 0), 100) * 100 + 0.5);
}

typedef struct {                /* by step of this trace, as a time */
	int64_t *sm, *tensor;
} activity;

static void add_activity(const advise_trace *x, const table *rows, activity *to)
{
	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t step = advise_step_of(rows, i);
		bool sm = strncmp(advise_cell(rows, i, "metric")->t, "SM", 2) == 0;
		int64_t ns = x->job->steps.v[step], share = hundredths(advise_cell(rows, i, "mean")->d);
		(sm ? to->sm : to->tensor)[step - x->first_step] = ns / 10000 * share + ns % 10000 * share / 10000;
	}
}

/* Is a kernel of this name a matrix product, as far as one can tell? */
static bool is_product(const rules *categories, const char *name, str_pool *labels)
{
	static const char *const products[] = { "gemm", "moe_gemm", "attn", "conv" };
	const char *label = str_at(labels, rules_label(categories, name, labels));

	for (size_t i = 0; label && i < sizeof products / sizeof *products; i++)
		if (strcmp(label, products[i]) == 0)
			return true;
	return false;
}

/* By unit of this trace: does such a kernel run in its steps?  NULL after a problem; the caller frees it. */
static bool *with_products(const advise_trace *x)
{
	const trace *t = x->t;
	rules *categories = rules_load("llm", x->say);
	str_pool labels = { 0 };
	bool *with = categories ? mem_new(bool, advise_units(x)) : NULL;
	enum { UNSEEN, NO, YES };
	char *seen = mem_new(char, t->names.n);

	for (size_t i = 0; categories && i < x->steps.n; i++) {
		size_t unit = advise_unit_of(x->job, x->first_step + i) - x->first_unit;
		window_walk k = { 0 };
		while (!with[unit] && window_next(t, &x->steps.v[i], &k)) {
			uint32_t name = t->work.name[k.work];
			if (t->work.kind[k.work] != WORK_KERNEL || name == STR_NONE)
				continue;
			if (seen[name] == UNSEEN)
				seen[name] = is_product(categories, t->names.text[name], &labels) ? YES : NO;
			with[unit] = seen[name] == YES;
		}
	}
	rules_free(categories);
	str_free(&labels);
	free(seen);
	return with;
}

bool find_tensor(advise_trace *x)
{
	static const char names[] = "^SMs? Active|^Tensor Active";
	regex_t re;
	metrics_params p = { .mode = METRICS_SUMS, .match = &re };
	table rows = { 0 };
	activity a = { mem_new(int64_t, x->steps.n), mem_new(int64_t, x->steps.n) };
	bool *products = x->t->nmetrics ? with_products(x) : NULL, ok;
	arena *texts = &x->job->texts;

	(void)pattern_compile(&re, names, REG_NOSUB, (char[200]){ 0 }, 200);
	ok = !x->t->nmetrics || (products && metrics_answer(x->t, &x->steps, &p, &rows, NULL));
	add_activity(x, &rows, &a);
	for (size_t i = 0; ok && i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		double sm = (double)advise_total(x, a.sm, i), tensor = (double)advise_total(x, a.tensor, i);
		if (tensor * LOW_USE >= sm || (tensor <= 0 && !products[i]))
			continue;
		for (size_t k = u->first - x->first_step; k < u->first - x->first_step + u->n; k++)
			a.sm[k] = a.sm[k] > a.tensor[k] ? a.sm[k] - a.tensor[k] : 0;
		advise_find_by_step(x, a.sm, (advise_found){ .kind = ADVISE_TENSOR, .unit = x->first_unit + i,
			.text = arena_printf(texts, "low use of tensor cores: they are active %.2f %% of the time in which SMs are; assumes that all work could "
					 "run on them at their peak", 100 * tensor / sm),
			.evidence = advise_median_row(x->job, u, arena_printf(texts, "nsq-metrics -m '%s'%s", names, u->on_gpu),
					      "iif(metric like 'SM%', 1, -1) * ((end_ns - start_ns) * cast(round(mean * 100) as integer) / 10000)", "") });
	}
	regfree(&re);
	table_free(&rows);
	free(products);
	free(a.sm);
	free(a.tensor);
	return ok;
}
