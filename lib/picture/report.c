#include "picture/report.h"
#include "picture/report_content.h"
#include "picture/report_write.h"
#include "answer/row_windows.h"
#include "answer/window.h"
#include "base/group.h"

#include <string.h>

/* Add each line that was not said before. */
static void pass_on(notes *from, report *to)
{
	for (size_t i = 0; i < from->n; i++) {
		size_t before = to->lines.n;
		str_id(&to->lines, from->v[i].text, strlen(from->v[i].text));
		if (to->lines.n > before)
			notes_remark(&to->said, "%s", from->v[i].text);
	}
	notes_free(from);
}

/* ---- the steps that are looked at */

/* The typical step is chosen over all traces together, when each has been looked at and freed.  So what is said of it
 * is asked of every step, and the rows of the others are dropped at the end. */
typedef struct {
	window_asks each;       /* every step that may be the typical one */
	window_asks steady;     /* the steady ones of each process, up to the next one */
} steps_asked;

static window_params steps_of(const report *r, bool all, bool period)
{
	window_params p = { .mode = WINDOW_PICK, .match = r->p->match, .period = period, .steady = period };

	if (all)
		window_pick_named("all", &p);
	return p;
}

/* Add the windows of all steps, as nsq-window --pick all would pass them on.  What there is to say of them is said
 * where the typical step is chosen. */
static bool add_all(trace *t, const windows *whole, const window_params *p, window_asks *to, notes *say)
{
	table rows = { 0 };
	bool ok = answer_rows(&window_answer, t, whole, p, &rows, NULL) && window_finish(p, &rows, NULL) &&
		row_windows(&rows, to, say);

	table_free(&rows);
	return ok;
}

static bool steps_find(steps_asked *s, report *r, trace *t, notes *say)
{
	window_params typical = steps_of(r, false, true), plain = steps_of(r, false, false);
	window_params each = steps_of(r, true, true), steady = steps_of(r, true, true), any = steps_of(r, true, false);
	windows whole = window_resolve(t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
		window_answer.question(&typical).scope, say);
	const table *found = advise_steps(r->advice, r->p->match);      /* of all traces together */
	bool ok;

	typical.taken = r->taken;
	each.steady = false;            /* which are steady is known when all traces have been looked at */
	ok = answer_rows(&window_answer, t, &whole, &typical, &r->part[REPORT_TYPICAL].rows, say) &&
		add_all(t, &whole, &each, &s->each, say) &&
		(found ? row_windows(found, &s->steady, say) : add_all(t, &whole, &steady, &s->steady, say));
	r->part[REPORT_TYPICAL].there = true;
	if (ok && !s->each.n)           /* no step that another follows: a single one, or a process as a whole */
		ok = answer_rows(&window_answer, t, &whole, &plain, &r->untiled, NULL) &&
			add_all(t, &whole, &any, &s->each, say);
	window_free(&whole);
	return ok;
}

typedef struct {
	group places;           /* of (trace, pid, start, end) */
	str_pool traces;
} steps_seen;

static size_t place_of(steps_seen *s, const table *t, size_t row)
{
	const char *of = table_named(t, row, "trace")->t;

	return group_of(&s->places, (int64_t[]){ str_id(&s->traces, of, strlen(of)), table_named(t, row, "pid")->i,
			table_named(t, row, "start_ns")->i, table_named(t, row, "end_ns")->i });
}

/* Keep the rows that are about one of these windows. */
static void keep_of(const table *chosen, table *rows)
{
	steps_seen seen = { .places.width = 4 };
	bool *keep = mem_new(bool, table_rows(rows));
	size_t n;

	for (size_t i = 0; i < table_rows(chosen); i++)
		place_of(&seen, chosen, i);
	n = seen.places.n;
	for (size_t i = 0; i < table_rows(rows); i++)
		keep[i] = place_of(&seen, rows, i) < n;
	table_filter(rows, keep);
	free(keep);
	group_free(&seen.places);
	str_free(&seen.traces);
}

static void steps_finish(report *r, notes *say)
{
	window_params typical = steps_of(r, false, true), plain = steps_of(r, false, false);
	table *chosen = &r->part[REPORT_TYPICAL].rows;
	notes own = { 0 };

	if (!r->part[REPORT_TYPICAL].there)
		return;
	window_say_taken(r->taken, say);
	window_finish(&typical, chosen, &own);
	r->tiled = table_rows(chosen);
	for (size_t i = 0; r->tiled && i < own.n; i++)
		notes_remark(say, "%s", own.v[i].text);
	notes_free(&own);
	if (!r->tiled && r->untiled.cols.n) {
		table_free(chosen);
		*chosen = r->untiled;
		r->untiled = (table){ 0 };
		window_finish(&plain, chosen, say);
	}
	for (int i = 0; i < REPORT_PARTS; i++)
		if (report_kinds[i].windows == REPORT_TYPICAL_STEP && r->part[i].there)
			keep_of(chosen, &r->part[i].rows);
	if (r->p->match && !table_rows(&r->part[REPORT_STEPS].rows))
		notes_remark(say, "%s, so there are no steps; nsq-window --list shows the names there are",
			report_no_steps(r));
}

/* ---- one trace */

typedef struct {
	report *r;
	trace *t;
	question q[REPORT_PARTS];
	bool fits[REPORT_PARTS];
} adding;

static bool wanted(const report *r, int id)
{
	return id != REPORT_PHASES || r->p->phases;
}

/* What can the trace say?  Returns what to load for that. */
static unsigned look(adding *a)
{
	unsigned need = 0;

	for (int i = 0; i < REPORT_PARTS; i++) {
		report_part *part = &a->r->part[i];
		notes why = { 0 };
		if (!wanted(a->r, i))
			continue;
		a->q[i] = report_kinds[i].ask(a->r);
		a->fits[i] = question_fits(&a->q[i], a->t, &why);
		if (a->fits[i])
			need |= a->q[i].need | a->q[i].need_asked;
		else if (!part->lacks)
			part->lacks = arena_copy(&a->r->texts, why.v[0].text);
		part->empty = a->q[i].empty;
		notes_free(&why);
	}
	return need & ~(unsigned)TRACE_METRICS;        /* see answer_parts */
}

/* What every tool that reads these events would warn of. */
static void warn(adding *a)
{
	question all = { 0 };
	notes say = { 0 };

	for (int i = 0; i < REPORT_PARTS; i++) {
		if (!a->fits[i])
			continue;
		all.warn_lost |= a->q[i].warn_lost;
		all.warn_shared |= a->q[i].warn_shared;
		all.warn_clocks |= a->q[i].warn_clocks;
		all.mention_graphs |= a->q[i].mention_graphs;
		all.mention_silence |= a->q[i].mention_silence;
	}
	all.replayed = a->fits[REPORT_RANGES] ? REPLAYED_KERNELS : 0;
	all.captured = a->r->p->captured;
	question_warn(&all, a->t, NULL, a->r->across, &say);
	pass_on(&say, a->r);
}

/* Leave out what is beyond the limit of each window. */
static void cut(report_part *part, size_t limit)
{
	table *t = &part->rows;
	bool *keep = mem_new(bool, table_rows(t));
	size_t row = 0, kept = 0;

	for (size_t g = 0; g < t->groups.n; g++)
		for (size_t first = row; row < t->groups.v[g]; row++)
			kept += keep[row] = row - first < limit;
	part->hidden += table_rows(t) - kept;
	if (kept < table_rows(t))
		table_filter(t, keep);
	free(keep);
}

static bool answer_part(adding *a, int id, const window_asks *asks, bool merge)
{
	const report_kind *k = &report_kinds[id];
	report_part *part = &a->r->part[id];
	window_filter all_of = { .pid = -1, .sub = -1, .gpu = -1, .merge = merge };
	notes say = { 0 };
	windows all = window_resolve(a->t, asks, &all_of, a->q[id].scope, &say);
	bool ok = k->answer(a->r, a->t, &all, &part->rows, &say);

	part->there = true;
	if (ok && k->limit)
		cut(part, (size_t)k->limit);
	window_free(&all);
	pass_on(&say, a->r);
	return ok;
}

static bool answer_processes(adding *a)
{
	window_asks asks = { 0 };
	table own = { 0 };
	notes say = { 0 };
	windows all = window_resolve(a->t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
		a->q[REPORT_PROCESSES].scope, &say);
	bool ok = report_kinds[REPORT_PROCESSES].answer(a->r, a->t, &all, &own, &say) &&
		row_windows(&own, &asks, &say) && answer_part(a, REPORT_RANGES_BY_PROCESS, &asks, false);

	window_free(&all);
	table_free(&own);
	window_asks_free(&asks);
	pass_on(&say, a->r);
	return ok;
}

/* The parts in order; metrics, and findings that read them, last, as they widen the span of the trace. */
static bool answer_parts(adding *a)
{
	steps_asked steps = { 0 };
	notes say = { 0 };
	bool ok = !a->fits[REPORT_TYPICAL] || steps_find(&steps, a->r, a->t, &say), metrics = false;

	for (int i = 0; ok && i < REPORT_PARTS; i++) {
		enum report_windows w = report_kinds[i].windows;
		if (a->r->p->progress)
			a->r->p->progress(a->t->path, (size_t)i, REPORT_PARTS);
		if (!a->fits[i] || i == REPORT_TYPICAL)
			continue;
		if (i >= REPORT_METRICS && !metrics)
			ok = metrics = load_trace_metrics(a->t);
		if (!ok || w == REPORT_EACH_PROCESS)
			ok = ok && answer_processes(a);
		else if (w == REPORT_WHOLE)
			ok = answer_part(a, i, NULL, false);
		else if (a->fits[REPORT_TYPICAL])
			ok = answer_part(a, i, w == REPORT_STEADY ? &steps.steady : &steps.each, w == REPORT_STEADY);
	}
	window_asks_free(&steps.each);
	window_asks_free(&steps.steady);
	pass_on(&say, a->r);
	return ok;
}

/* What the ranks of a job do to each other must be known before the first is answered. */
static void survey(report *r, const inputs *in)
{
	const advise_params p = { .mode = ADVISE_FINDINGS, .match = r->p->match, .job = r->advice };
	notes unheard = { 0 };

	for (size_t i = 0; in->ntraces > 1 && i < in->ntraces; i++) {
		trace *t = trace_open(in->traces[i].file, in->threads, &unheard);
		if (!t)
			continue;
		t->path = in->traces[i].path;
		t->number = i;
		if (t->has_cuda && load_trace(t, advise_tables_need(), r->p->comm)) {
			advise_answer.survey(t, &p, &unheard);
			arrivals_add(r->ranks, t, &unheard);
		}
		trace_free(t);
	}
	notes_free(&unheard);
}

/* A trace that cannot be read, or that cannot even say who is in it, is left out.  False: it changed meanwhile. */
static bool add_trace(report *r, const inputs *in, size_t number, notes *say)
{
	const input_trace *from = &in->traces[number];
	adding a = { .r = r, .t = trace_open(from->file, in->threads, say) };
	unsigned need;
	bool ok = true;

	if (!a.t)
		return true;
	a.t->path = from->path;
	a.t->number = number;
	if (r->p->progress)
		r->p->progress(from->path, 0, REPORT_PARTS);
	need = look(&a);
	if (!a.fits[REPORT_PROCESSES]) {
		notes_problem(say, EXIT_CANNOT, "%s", r->part[REPORT_PROCESSES].lacks);
	} else if (load_trace(a.t, need, r->p->comm)) {
		vec_push(&r->traces, from->path);
		warn(&a);
		answer_parts(&a);
		ok = db_unchanged(a.t->db);
	}
	trace_free(a.t);
	return ok;
}

/* ---- all of them */

static bool finish(report *r, notes *say)
{
	notes own = { 0 };
	bool ok = true;

	shared_gpus_warn(r->across, &own);
	steps_finish(r, &own);
	if (table_rows(&r->part[REPORT_PROCESSES].rows) < 2)           /* nobody to wait for */
		r->part[REPORT_STRAGGLERS].there = false;
	for (int i = 0; i < REPORT_PARTS; i++) {
		const report_kind *k = &report_kinds[i];
		if (k->finish && r->part[i].there)
			ok = ok && k->finish(r, &r->part[i].rows, &own);
		if (!r->part[i].rows.cols.n)
			k->columns(r, &r->part[i].rows);
	}
	for (size_t i = 0; !ok && i < own.n; i++)
		if (own.v[i].code)
			notes_problem(say, own.v[i].code, "%s", own.v[i].text);
	pass_on(&own, r);
	for (size_t i = 0; ok && i < r->said.n; i++)
		notes_remark(say, "%s", r->said.v[i].text);
	return ok;
}

/* NAME.report in the current folder, where NAME is that of the trace without its ending. */
static const char *folder_of(report *r, const inputs *in)
{
	const char *path = in->traces[0].path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
		*dot = strrchr(name, '.');

	if (r->p->folder)
		return r->p->folder;
	return arena_printf(&r->texts, "%.*s.report", (int)(dot && dot > name ? dot - name : (long)strlen(name)), name);
}

bool report_answer(const inputs *in, const report_params *p, table *findings, notes *say)
{
	report r = report_begin(p);
	const char *folder;
	bool ok = true;

	if (in->ntables)
		ok = notes_problem(say, EXIT_WRONG, "%s is not a trace; reports are made from traces",
			in->tables[0].table.name);
	else if (in->ntraces > 1 && !p->folder)
		ok = notes_problem(say, EXIT_WRONG,
			"a report of %zu traces has no name of its own; name its folder with -o DIR", in->ntraces);
	folder = ok ? folder_of(&r, in) : NULL;
	ok = ok && report_may_write(folder, p->replace, say);
	survey(&r, in);
	for (size_t i = 0; ok && i < in->ntraces; i++)
		ok = add_trace(&r, in, i, say);
	ok = ok && r.traces.n && finish(&r, say) && report_write(&r, folder, say);
	if (ok) {
		notes_remark(say, "wrote '%s/report.html' and, beside it, report.md, report.json and tables", folder);
		if (!table_rows(&r.part[REPORT_FINDINGS].rows))
			notes_remark(say, "no findings: %s", report_no_findings(&r));
		*findings = r.part[REPORT_FINDINGS].rows;
		r.part[REPORT_FINDINGS].rows = (table){ 0 };
	}
	report_free(&r);
	return ok;
}

void report_columns(const report_params *p, table *out)
{
	report r = report_begin(p);

	report_kinds[REPORT_FINDINGS].columns(&r, out);
	report_free(&r);
}
