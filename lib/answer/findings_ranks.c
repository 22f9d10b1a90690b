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
		if (!u->n || strcmp(u->party, s.key) != 0)
			continue;
		advise_find(j, (advise_found){ .kind = ADVISE_LATE, .unit = units[i], .recover = s.median, .total = s.total, .with = s.with,
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

/* Some units that belong together, of a list of more. */
static void add_unequal(const advise_params *p, const size_t *units, size_t n, bool others)
{
	advise_job *j = p->job;
	size_t most = 0;
	int64_t sum = 0;
	bool stages = true, lost = false;

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
		.text = arena_printf(&j->texts, "%s unequal: this one computes %.2f times as long as the mean of %zu; assumes that they could all "
				     "compute equally long, and that the step is as long as the longest",
				     stages ? "pipeline stages" : "shares of compute", sum ? (double)u->compute * (double)n / (double)sum : 0, n),
		.evidence = arena_printf(&j->texts, "%s | nsq-overlap --total%s | nsq-sql \"with each as (select trace, pid, rank, min(start_ns) as "
					 "start_ns, max(end_ns) as end_ns, gpu, median(compute_ns) as ns from t group by trace, pid, gpu) select pid, "
					 "rank, start_ns, end_ns, gpu, ns - (select sum(ns) / count(*) from each) as recover_ns, null as window, trace "
					 "from each order by ns desc limit 1\"",
					 others ? advise_apart(j, units, n) : advise_together(j, units, n, false), advise_comm_option(p)) });
}

static void join_units(void *ctx, size_t a, size_t b)
{
	advise_join(ctx, a, b);
}

/* By unit of the job: the first of those it belongs to.  Ranks belong together, and so do GPUs of one process, and
 * processes with a communicator in common. */
static size_t *together(const advise_job *j, const table *kernels, const size_t *units, size_t n)
{
	size_t *of = mem_new(size_t, j->units.n), last = SIZE_MAX;

	for (size_t i = 0; i < j->units.n; i++)
		of[i] = i;
	for (size_t i = 0; i < n; i++) {
		const advise_unit *u = &j->units.v[units[i]], *before = i ? &j->units.v[units[i - 1]] : NULL;
		if (before && before->trace == u->trace && before->pid == u->pid && before->sub == u->sub)
			advise_join(of, units[i], units[i - 1]);
		if (u->rank >= 0 && last != SIZE_MAX)
			advise_join(of, units[i], last);
		last = u->rank >= 0 ? units[i] : last;
	}
	advise_communicators(j, kernels, join_units, of);
	return of;
}

void find_stages(const advise_params *p, const table *kernels, const size_t *units, size_t n)
{
	const advise_job *j = p->job;
	size_t *of = together(j, kernels, units, n), *some = mem_new(size_t, n);

	for (size_t i = 0; i < n; i++) {
		size_t first = advise_first_of(of, units[i]), m = 0;
		for (size_t k = 0; k < n && (k >= i || advise_first_of(of, units[k]) != first); k++)
			if (j->units.v[units[k]].n && advise_first_of(of, units[k]) == first)
				some[m++] = units[k];
		if (m)
			add_unequal(p, some, m, m < n);
	}
	free(of);
	free(some);
}
