/* Findings about what runs in the steps, and about the steps themselves. */
#include "answer/advise_parts.h"
#include "answer/copies.h"
#include "answer/gaps.h"
#include "answer/metrics.h"
#include "base/pattern.h"

#include <math.h>

/* ---- copies from and to pageable memory */

/* The rows of nsq-mem --each as the windows of another question, named as they are. */
static windows as_windows(const advise_trace *x, const table *rows)
{
	windows all = { .asked = true };

	for (size_t i = 0; i < table_rows(rows); i++) {
		const window *step = &x->steps.v[advise_step_of(rows, i) - x->first_step];
		ival at = { table_value(rows, i, COL_START)->i, table_value(rows, i, COL_END)->i };
		window w = { .proc = step->proc, .device = step->device, .name = step->name, .each_name = step->name };
		if (at.b <= at.a)
			continue;
		ival_add(&w.gpu, at.a, at.b);
		ival_add(&w.cpu, at.a, at.b);
		vec_push(&all, w);
	}
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
			advise_find(x->job, (advise_found){ .kind = ADVISE_PAGEABLE, .unit = x->first_unit + i, .recover = advise_median(x, alone, i),
				.text = arena_printf(texts, "copies from or to pageable memory on the step's path: they run while no kernel does, mostly %s; "
						 "assumes that kernels could run meanwhile", kind[i] ? kind[i] : "-"),
				.evidence = advise_median_row(x->job, u, arena_printf(texts, "nsq-mem --each -m pageable%s | nsq-gaps --work kernels", u->on_gpu),
						      "idle_ns", "") });
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

static size_t longest_of(const advise_job *j, const advise_unit *u)
{
	size_t at = u->first;

	for (size_t i = u->first; i < u->first + u->n; i++)
		if (j->steps.v[i] > j->steps.v[at])
			at = i;
	return at;
}

bool find_long(advise_trace *x)
{
	int64_t *idle = advise_by_step(x, &x->causes, "idle_ns", NULL, NULL), *loading = advise_loading(x);
	arena *texts = &x->job->texts;

	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		size_t at = longest_of(x->job, u), in = at - x->first_step;
		int64_t longest = x->job->steps.v[at], excess = longest - u->period - loading[in];
		bool waits = 2 * (idle[in] - advise_median(x, idle, i)) > longest - u->period;
		const char *less = loading[in] ? arena_printf(texts, " - %lld", (long long)loading[in]) : "";
		if (u->n < FEW_STEPS || u->repeats || excess * 2 < u->period)
			continue;
		advise_find(x->job, (advise_found){ .kind = ADVISE_LONG, .unit = x->first_unit + i, .recover = excess / (int64_t)u->n,
			.text = arena_printf(texts, "one step takes far longer than the others: '%s' %.2f times the median, mostly by %s%s; assumes that it "
					 "could take as long as the median", x->names.v[in], (double)longest / (double)u->period,
					 waits ? "idle time" : "more work", *less ? ", besides the loading of code" : ""),
			.evidence = arena_printf(texts, "%s | nsq-sql \"select pid, rank, start_ns, end_ns, gpu, min((dur_ns - (select median(dur_ns) from t)%s) / "
					 "(select count(*) from t), (select median(dur_ns) from t)) as recover_ns, window, trace from t order by dur_ns desc limit 1\"", u->alone, less) });
	}
	free(idle);
	free(loading);
	return true;
}

/* ---- tensor cores */

enum { LOW_USE = 2 };           /* below 1 / LOW_USE of the time in which the SMs are active */

/* The hundredths of a percent that are printed. */
static int64_t hundredths(double pct)
{
	return isnan(pct) ? 0 : (int64_t)floor(pct * 100 + 0.5);
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

bool find_tensor(advise_trace *x)
{
	static const char names[] = "^SMs? Active|^Tensor Active";
	regex_t re;
	metrics_params p = { .mode = METRICS_SUMS, .match = &re };
	table rows = { 0 };
	activity a = { mem_new(int64_t, x->steps.n), mem_new(int64_t, x->steps.n) };
	bool ok;
	arena *texts = &x->job->texts;

	(void)pattern_compile(&re, names, REG_NOSUB, (char[200]){ 0 }, 200);
	ok = !x->t->nmetrics || metrics_answer(x->t, &x->steps, &p, &rows, NULL);
	add_activity(x, &rows, &a);
	for (size_t i = 0; ok && i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		double sm = (double)advise_total(x, a.sm, i), tensor = (double)advise_total(x, a.tensor, i);
		if (tensor * LOW_USE >= sm)
			continue;
		for (size_t k = u->first - x->first_step; k < u->first - x->first_step + u->n; k++)
			a.sm[k] = a.sm[k] > a.tensor[k] ? a.sm[k] - a.tensor[k] : 0;
		advise_find(x->job, (advise_found){ .kind = ADVISE_TENSOR, .unit = x->first_unit + i, .recover = advise_median(x, a.sm, i),
			.text = arena_printf(texts, "low use of tensor cores: they are active %.2f %% of the time in which SMs are; assumes that all work could "
					 "run on them at their peak", 100 * tensor / sm),
			.evidence = advise_median_row(x->job, u, arena_printf(texts, "nsq-metrics -m '%s'%s", names, u->on_gpu),
					      "iif(metric like 'SM%', 1, -1) * ((end_ns - start_ns) * cast(round(mean * 100) as integer) / 10000)", "") });
	}
	regfree(&re);
	table_free(&rows);
	free(a.sm);
	free(a.tensor);
	return ok;
}
