/* The commands that show what a finding says. */
#include "answer/advise_parts.h"
#include "base/shell.h"

/* The windows that were asked about, and the GPU. */
static const char *windows_of(const advise_trace *x, const window *asked)
{
	arena *texts = &x->job->texts;
	const char *out = "";

	for (size_t i = 0; x->all->asked && i < asked->gpu.n; i++)
		out = arena_printf(texts, "%s -w %lld..%lld", out, (long long)asked->gpu.v[i].a, (long long)asked->gpu.v[i].b);
	if (x->all->asked && asked->gpu.n > 1)
		out = arena_printf(texts, "%s --merge", out);
	return asked->device < 0 ? out : arena_printf(texts, "%s -g %lld", out, (long long)asked->device);
}

const char *advise_trace_word(arena *texts, const char *path)
{
	return arena_printf(texts, "%s %s", *path == '-' ? " --" : "", shell_word(texts, path));
}

/* How many processes of the trace have GPU work? */
static size_t processes(const trace *t)
{
	size_t n = 0;

	for (size_t l = 0; l < t->nlanes; l++)
		n += !l || t->lanes[l].proc != t->lanes[l - 1].proc;
	return n;
}

const char *advise_comm_option(const advise_params *p)
{
	return p->comm_text ? arena_printf(&p->job->texts, " --comm %s", shell_word(&p->job->texts, p->comm_text)) : "";
}

const char *advise_stalls(const advise_trace *x, const advise_unit *u)
{
	return arena_printf(&x->job->texts, "nsq-stalls --by stage%s%s%s", advise_comm_option(x->p), x->p->captured ? " --captured" : "",
			    u->on_gpu);
}

void advise_commands(const advise_trace *x, const window *asked, bool period, bool one_gpu, advise_unit *u)
{
	arena *texts = &x->job->texts;
	const char *where = windows_of(x, asked), *path = advise_trace_word(texts, x->t->path);
	const char *pid = processes(x->t) > 1 ? arena_printf(texts, " -p %s", u->shown) : "";

	u->steps = arena_printf(texts, "nsq-window --pick all%s%s%s%s", !period ? "" : x->p->match_text ? " --steady --period" : " --period",
				x->p->match_text ? " -m " : "", x->p->match_text ? shell_word(texts, x->p->match_text) : "", where);
	u->alone = arena_printf(texts, "%s%s%s", u->steps, pid, path);
	u->on_gpu = one_gpu ? "" : arena_printf(texts, " -g %lld", (long long)u->gpu);
	u->looked_at = arena_printf(texts, "%s%s%s", where, pid, path);
}

/* Do the units name their steps in the same way, but for the process and the trace? */
static bool all_alike(const advise_job *j, const size_t *units, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(j->units.v[units[i]].steps, j->units.v[units[0]].steps) != 0)
			return false;
	return true;
}

const char *advise_apart(advise_job *j, const size_t *units, size_t n)
{
	const char *out = "{", *last = "";

	for (size_t i = 0; i < n; i++) {
		const char *more = j->units.v[units[i]].alone;
		if (strcmp(more, last) != 0)
			out = arena_printf(&j->texts, "%s %s;", out, more);
		last = more;
	}
	return arena_printf(&j->texts, "%s }", out);
}

const char *advise_together(advise_job *j, const size_t *units, size_t n, bool all_traces)
{
	const char *out = j->units.v[units[0]].steps;
	uint32_t last = NONE;

	if (!all_alike(j, units, n))
		return advise_apart(j, units, n);
	for (size_t i = 0; all_traces && i < j->traces.n; i++)
		out = arena_printf(&j->texts, "%s%s", out, advise_trace_word(&j->texts, j->traces.v[i]));
	for (size_t i = 0; i < n && !all_traces; i++) {
		uint32_t of = j->units.v[units[i]].trace;
		if (of != last)
			out = arena_printf(&j->texts, "%s%s", out, advise_trace_word(&j->texts, j->traces.v[of]));
		last = of;
	}
	return out;
}

const char *advise_sql_text(arena *texts, const char *s)
{
	const char *out = "'";

	for (size_t n; *s; s += n) {
		n = strcspn(s, "'\\\"$`\t\n\r");
		out = arena_printf(texts, "%s%.*s", out, (int)n, s);
		if (s[n] && strchr("\\\t\n\r", s[n]))
			out = arena_printf(texts, "%s' || char(%d) || '", out, s[n]);
		else if (s[n])
			out = arena_printf(texts, s[n] == '\'' ? "%s'%c" : "%s\"'%c'\"", out, s[n]);
		n += s[n] != 0;
	}
	return arena_printf(texts, "%s'", out);
}

const char *advise_median_row_as(advise_job *j, const advise_unit *u, const char *commands, const char *sum, const char *as,
				 const char *where)
{
	return arena_printf(&j->texts, "%s | %s | nsq-sql \"select pid, rank, min(start_ns) as start_ns, max(end_ns) as end_ns, gpu, "
			    "sum(%s) as %s, window, trace from t%s%s group by window order by %s desc limit 1 offset %zu\"",
			    u->alone, commands, sum, as, *where ? " where " : "", where, as, u->n / 2);
}

const char *advise_median_row(advise_job *j, const advise_unit *u, const char *commands, const char *sum, const char *where)
{
	return advise_median_row_as(j, u, commands, sum, "recover_ns", where);
}

/* Rows of a step that overlap; what each adds to those before it. */
#define UNION_ADDS "max(end_ns - max(start_ns, coalesce(before, start_ns)), 0)"
#define UNION_ROWS "(select *, max(end_ns) over (partition by window order by start_ns, end_ns rows between unbounded preceding and 1 " \
	"preceding) as before from t)"

const char *advise_union_row(advise_job *j, const advise_unit *u, const char *commands)
{
	return arena_printf(&j->texts, "%s | %s | nsq-sql \"select pid, rank, min(start_ns) as start_ns, max(end_ns) as end_ns, gpu, "
			    "sum(" UNION_ADDS ") as recover_ns, window, trace from " UNION_ROWS " group by window order by recover_ns desc limit 1 "
			    "offset %zu\"", u->alone, commands, u->n / 2);
}

const char *advise_union_share(advise_job *j, const advise_unit *u, const char *commands, const char *column)
{
	return arena_printf(&j->texts, "%s | %s | nsq-sql \"select pid, rank, min(start_ns) as start_ns, max(end_ns) as end_ns, gpu, "
			    "min(sum(" UNION_ADDS ") / %zu, %lld) as recover_ns, %s, null as window, trace from " UNION_ROWS "\"", u->alone, commands,
			    u->n, (long long)u->period, column);
}

void advise_find(advise_job *j, advise_found f)
{
	int64_t most = j->units.v[f.unit].period;

	f.of = f.of ? f.of : "";
	if (f.recover > most)
		f.recover = most;
	if (f.recover == TABLE_MISSING || f.recover > 0 || f.total > 0)
		vec_push(&j->found, f);
}

void advise_find_by_step(const advise_trace *x, const int64_t *by_step, advise_found f)
{
	const advise_unit *u = &x->job->units.v[f.unit];

	f.recover = advise_median(x, by_step, f.unit - x->first_unit);
	f.total = advise_total(x, by_step, f.unit - x->first_unit);
	for (size_t i = u->first; i < u->first + u->n; i++)
		f.with += by_step[i - x->first_step] > 0;
	advise_find(x->job, f);
}
