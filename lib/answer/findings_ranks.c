/* Findings about several ranks: who keeps whom waiting, and who computes more than the others. */
#include "answer/advise_parts.h"

/* ---- one rank late */

typedef struct {
	const advise_job *j;
	bool *listed;           /* by unit */
} waiting;

/* Kernels of the list that are matched; one does not wait for its own process. */
static bool waits(const table *rows, size_t row, const void *ctx)
{
	const waiting *w = ctx;

	return advise_cell(rows, row, "last")->t && w->listed[advise_unit_of(w->j, advise_step_of(rows, row))];
}

/* Who waits longest for whom, in its median step. */
static advise_part longest_wait(const advise_job *j, const table *kernels, const size_t *units, size_t n)
{
	waiting w = { j, mem_new(bool, j->units.n) };
	advise_part most = { 0 }, *parts;
	size_t nparts;

	for (size_t i = 0; i < n; i++)
		w.listed[units[i]] = true;
	parts = advise_by_key(j, kernels, "wait_ns", "last", waits, &w, &nparts);
	for (size_t i = 0; i < nparts; i++)
		if (parts[i].median > most.median)
			most = parts[i];
	free(parts);
	free(w.listed);
	return most;
}

void find_late(const advise_params *p, const table *kernels, const size_t *units, size_t n)
{
	advise_job *j = p->job;
	advise_part s = longest_wait(j, kernels, units, n);

	for (size_t i = 0; s.key && i < n; i++) {
		const advise_unit *u = &j->units.v[units[i]], *other = &j->units.v[s.unit];
		if (strcmp(u->party, s.key) != 0)
			continue;
		advise_find(j, (advise_found){ .kind = ADVISE_LATE, .unit = units[i], .recover = s.median,
			.text = arena_printf(&j->texts, "one rank late: the collectives of %s %s wait longest for %s %s; assumes that it could arrive as "
					 "early as the others", other->rank >= 0 ? "rank" : "process", other->party,
					 u->rank >= 0 ? "rank" : "process", u->party),
			.evidence = arena_printf(&j->texts, "%s | nsq-nccl --each%s | nsq-sql \"select pid, rank, min(start_ns) as start_ns, max(end_ns) as "
					 "end_ns, gpu, sum(wait_ns) as recover_ns, window, trace from t where trace = %s and cast(pid as text) = "
					 "'%s' and cast(last as text) = '%s' group by window order by recover_ns desc limit 1 offset %zu\"",
					 advise_together(j, units, n, true), advise_comm_option(p),
					 advise_sql_text(&j->texts, j->traces.v[other->trace]), other->shown, s.key, other->n / 2) });
		break;
	}
}

/* ---- unequal shares of compute */

void find_stages(const advise_params *p, const table *kernels, const size_t *units, size_t n)
{
	advise_job *j = p->job;
	size_t most = 0;
	int64_t sum = 0;
	bool stages = true, lost = false;

	(void)kernels;
	for (size_t i = 0; i < n; i++) {
		const advise_unit *u = &j->units.v[units[i]];
		sum = ns_add(sum, u->compute);
		stages &= u->pipeline;
		lost |= u->lost;
		most = u->compute > j->units.v[units[most]].compute ? i : most;
	}
	if (n < 2 || lost)
		return;
	const advise_unit *u = &j->units.v[units[most]];
	advise_find(j, (advise_found){ .kind = ADVISE_STAGES, .unit = units[most], .recover = u->compute - sum / (int64_t)n,
		.text = arena_printf(&j->texts, "%s unequal: this one computes %.2f times as long as the mean of %zu; assumes that they could all compute "
				 "equally long, and that the step is as long as the longest", stages ? "pipeline stages" : "shares of compute",
				 sum ? (double)u->compute * (double)n / (double)sum : 0, n),
		.evidence = arena_printf(&j->texts, "%s | nsq-overlap --total%s | nsq-sql \"with each as (select trace, pid, rank, min(start_ns) as start_ns, "
				 "max(end_ns) as end_ns, gpu, median(compute_ns) as ns from t group by trace, pid, gpu) select pid, rank, start_ns, "
				 "end_ns, gpu, ns - (select sum(ns) / count(*) from each) as recover_ns, null as window, trace from each order by "
				 "ns desc limit 1\"", advise_together(j, units, n, false), advise_comm_option(p)) });
}
