#include "picture/report.h"
#include "picture/report_parts.h"
#include "answer/step_windows.h"
#include "timeline/lost_events.h"
#include "base/parallel.h"
#include "job/slice_windows.h"

#include <stdatomic.h>
#include <string.h>

static const window_filter everything = { .pid = -1, .sub = -1, .gpu = -1 };

/* ---- progress */

/* Progress counts units of work, each of about the same time.  Loading a trace takes UNITS_LOAD, adding it to a page
 * of nsq-view UNITS_VIEW, the end of the report UNITS_END, and the answer of a part (report_part, report_parts.h) for a
 * trace one.  Before the end, the trace of the comparison step is loaded again (report_add_beside). */
enum { UNITS_LOAD = 15, UNITS_VIEW = 10, UNITS_END = 10 };

static size_t report_count_units_of_trace(const report *r)
{
	return UNITS_LOAD + r->parts.n + (r->p->view ? UNITS_VIEW : 0);
}

/* The units of work before trace `number` is read.  Several traces are each loaded twice (report_survey_traces). */
static size_t report_count_units_before(const report *r, const inputs *in, size_t number)
{
	return (in->ntraces > 1 ? in->ntraces * UNITS_LOAD : 0) + number * report_count_units_of_trace(r);
}

/* Report that this many more units of work are done. */
static void report_tell_progress(report *r, const char *doing, size_t units)
{
	size_t done = atomic_fetch_add(&r->done, units) + units;

	if (r->p->progress)
		r->p->progress(doing, done, r->units);
}

static void report_watch_loading(void *ctx, const char *step UNNEEDED, size_t done UNNEEDED, size_t of UNNEEDED)
{
	report_tell_progress(ctx, "reading", 1);
}

/* Add each note whose text is new to the notes of the report, and empty `from`. */
static void report_add_notes(notes *from, report *to)
{
	for (size_t i = 0; i < from->n; i++) {
		size_t before = to->lines.n;
		str_id(&to->lines, from->v[i].text, strlen(from->v[i].text));
		if (to->lines.n > before)
			notes_copy(&to->said, &from->v[i]);
	}
	notes_free(from);
}

/* ---- the steps */

/* The parameters of nsq-window for the typical step of each process.  period: with --steady and --period, so that each
 * step reaches to the start of the next one. */
static window_params report_typical_step_params(const report *r, bool period)
{
	window_params p = *(const window_params *)report_part_of(r, "typical_step")->params;

	p.period = p.steady = period;
	return p;
}

/* Add the steps of a trace to the steps from which the typical ones are chosen.  False after a problem. */
static bool report_add_steps(report *r, trace *t)
{
	window_params tiled = report_typical_step_params(r, true), plain = report_typical_step_params(r, false);
	question q = window_answer.question(&tiled);
	size_t before = table_rows(r->typical);
	const bool *lost = lost_events_of(t);
	notes say = { 0 };
	windows whole;
	bool ok, followed = false;

	if (!question_fits(&q, t, NULL))
		return true;
	whole = window_resolve(t, NULL, &everything, q.scope, &say);
	ok = answer_rows(&window_answer, t, &whole, &tiled, r->typical, &say);
	for (size_t i = before; i < table_rows(r->typical); i++)
		followed |= table_find(r->typical, i, "period_ns")->i != TABLE_MISSING;
	if (ok && !followed)            /* no step has another one after it */
		ok = answer_rows(&window_answer, t, &whole, &plain, &r->untiled, NULL);
	for (size_t i = 0; i < t->nprocs; i++)
		if (lost[i])
			vec_push(&r->lost, (report_process){ arena_copy(&r->texts, t->path),
				t->procs[i].pid * TABLE_SUBS + t->procs[i].sub + 1 });
	question_suggest_name(&q, t, &say);
	window_free(&whole);
	report_add_notes(&say, r);
	return ok;
}

/* Choose the typical steps among the steps of all traces. */
static void report_choose_steps(report *r)
{
	window_params tiled = report_typical_step_params(r, true), plain = report_typical_step_params(r, false);
	notes say = { 0 };

	if (r->typical->cols.n)
		window_finish(&tiled, r->typical, &say);
	r->tiled = table_rows(r->typical);
	if (!r->tiled) {
		notes_free(&say);
		if (r->untiled.cols.n) {
			table_free(r->typical);
			*r->typical = r->untiled;
			r->untiled = (table){ 0 };
			window_finish(&plain, r->typical, &say);
		}
	}
	r->drawn = report_find_longest_step(r, NULL);
	report_add_notes(&say, r);
}

/* The steady steps of each process.  A step reaches to the start of the next one. */
static windows report_find_steady_steps(report *r, trace *t, const window_filter *only, notes *say)
{
	const table *found = advise_steps(r->advice, &r->p->choice);      /* NULL if there is only one trace */
	window_params p = report_typical_step_params(r, true);
	windows whole = window_resolve(t, NULL, &everything, window_answer.question(&p).scope, NULL), all = { 0 };
	table rows = { 0 };

	p.summaries = NULL;
	window_read_picks("all", &p);
	if (found || (answer_rows(&window_answer, t, &whole, &p, &rows, NULL) && window_finish(&p, &rows, NULL)))
		all = step_windows_from_rows(t, found ? found : &rows, only, &r->p->choice, say);
	window_free(&whole);
	table_free(&rows);
	return all;
}

/* ---- one trace */

static drawn_params report_make_view_params(const report *r)
{
	return (drawn_params){ .mode = 1, .path = "view.html", .comm = r->p->comm,
		.captured = r->p->captured, .clock = r->clock, .page = r->page, .marks = r->marks };
}

/* The parts of a trace are answered in three turns.  Parts about waits need large tables that relate events to each
 * other, so they come after the parts that need none, whose memory is free by then.  Parts with metrics come last,
 * because loading metrics makes the time of the trace longer. */
enum turn { TURN_FIRST, TURN_WAITS, TURN_METRICS };

static enum turn report_turn_of_part(const report_part *part)
{
	return part->q.need & TRACE_METRICS ? TURN_METRICS : part->q.need & TRACE_SYNCS ? TURN_WAITS : TURN_FIRST;
}

/* What must be loaded for the parts of this turn and of later ones, and for the page of nsq-view. */
static unsigned report_find_needs(const report *r, enum turn turn)
{
	const drawn_params view = report_make_view_params(r);
	unsigned need = r->page ? view_answer.question(&view).need : 0;

	for (size_t i = 0; i < r->parts.n; i++)
		if (r->parts.v[i].fits && report_turn_of_part(&r->parts.v[i]) >= turn)
			need |= r->parts.v[i].q.need | r->parts.v[i].q.need_if_named;
	return need;
}

/* Find out for each part whether the trace can answer it. */
static void report_find_fitting_parts(report *r, trace *t)
{
	for (size_t i = 0; i < r->parts.n; i++) {
		report_part *part = &r->parts.v[i];
		notes why = { 0 };
		part->q = part->of->question ? part->of->question(part->params) : (question){ 0 };
		part->fits = (r->p->phases_text || strcmp(part->name, "phases") != 0) &&
			(r->p->ncu || part->of != &mfu_answer) && question_fits(&part->q, t, &why);
		if (!part->fits && !part->lacks && why.n)
			part->lacks = arena_copy(&r->texts, why.v[0].text);
		notes_free(&why);
	}
}

/* Add the warnings that the tools of the parts would give about the trace. */
static void report_warn_of_trace(report *r, trace *t)
{
	question all = { .captured = r->p->captured };
	notes say = { 0 };

	for (size_t i = 0; i < r->parts.n; i++) {
		const question *q = &r->parts.v[i].q;
		if (!r->parts.v[i].fits)
			continue;
		all.warn_lost |= q->warn_lost;
		all.warn_shared |= q->warn_shared;
		all.warn_clocks |= q->warn_clocks;
		all.mention_graphs |= q->mention_graphs;
		all.mention_silence |= q->mention_silence;
	}
	all.replayed = report_part_of(r, "ranges")->fits ? REPLAYED_KERNELS : 0;
	slice_windows_say(t, NULL, false, &say);
	question_warn(&all, t, NULL, r->across, &say);
	report_add_notes(&say, r);
}

/* Find the windows of a part in a trace. */
static windows report_find_windows(report *r, const report_part *part, trace *t, notes *say)
{
	const report_part *processes = report_part_of(r, "processes");
	window_filter only = { .pid = -1, .sub = -1, .gpu = -1, .merge = part->merge };
	window_asks asks = { 0 };
	table rows = { 0 };
	windows all;

	if (part->windows == REPORT_STEADY)
		return report_find_steady_steps(r, t, &only, say);
	if (part->windows == REPORT_TYPICAL_STEP && r->typical->cols.n)
		question_windows_from_rows(r->typical, &asks, say);
	if (part->windows == REPORT_EACH_PROCESS) {
		all = window_resolve(t, NULL, &everything, processes->q.scope, NULL);
		answer_rows(processes->of, t, &all, processes->params, &rows, NULL);
		question_windows_from_rows(&rows, &asks, say);
		window_free(&all);
		table_free(&rows);
	}
	if (part->windows >= REPORT_DRAWN) {
		size_t row = part->windows == REPORT_DRAWN ? r->drawn : r->beside;
		int64_t pid = table_find(r->typical, row, "pid")->i;
		only.pid = pid / TABLE_SUBS;
		only.sub = pid % TABLE_SUBS - 1;
		window_table_spec(arena_printf(&asks.texts, "%lld..%lld",
			(long long)table_find(r->typical, row, "start_ns")->i,
			(long long)table_find(r->typical, row, "end_ns")->i), &asks, say);
	}
	all = part->windows == REPORT_WHOLE || asks.n ?
		window_resolve(t, part->windows == REPORT_WHOLE ? NULL : &asks, &only, part->q.scope, say) :
		(windows){ 0 };
	window_asks_free(&asks);
	return all;
}

/* Is this trace asked for the rows of a part?  Parts about steps are asked only of traces that nsq-window can answer
 * for.  The typical steps, the verdict and the difference are not asked for here: report_add_steps, the part `findings`
 * and report_compare_two_traces make them. */
static bool report_is_part_asked(const report *r, const report_part *part, const trace *t)
{
	if (!part->fits || &part->rows == r->typical || strcmp(part->name, "verdict") == 0 ||
	    strcmp(part->name, "difference") == 0)
		return false;
	if (part->windows == REPORT_DRAWN)
		return r->drawn != SIZE_MAX && report_is_of_trace(r->typical, r->drawn, t->path);
	if (part->windows == REPORT_BESIDE)
		return r->beside != SIZE_MAX && report_is_of_trace(r->typical, r->beside, t->path);
	return part->windows == REPORT_WHOLE || part->windows == REPORT_EACH_PROCESS ||
		report_part_of(r, "typical_step")->fits;
}

typedef struct {
	report *r;
	trace *t;
	vec(size_t) order;      /* the indices of the parts to answer */
	struct { notes windows, rows; } *say;   /* for each part: the notes about its windows and about its rows */
	atomic_bool failed;     /* some part could not be answered */
} report_ctx;

static void report_answer_part(void *ctx, size_t i)
{
	report_ctx *x = ctx;
	size_t at = x->order.v[i];
	report_part *part = &x->r->parts.v[at];
	windows all = report_find_windows(x->r, part, x->t, &x->say[at].windows);
	char doing[64];

	snprintf(doing, sizeof doing, "answering: %s", part->name);
	report_tell_progress(x->r, doing, 1);
	part->there = true;
	if (!answer_rows(part->of, x->t, &all, part->params, &part->rows, &x->say[at].rows))
		x->failed = true;
	window_free(&all);
}

/* Answer all parts of a turn, several at a time. */
static void report_answer_turn(report_ctx *x, enum turn turn)
{
	enum { MANY = 4 };      /* the most parts at a time, because each takes memory */

	x->order.n = 0;
	for (size_t i = 0; i < x->r->parts.n; i++)
		if (report_is_part_asked(x->r, &x->r->parts.v[i], x->t) &&
		    report_turn_of_part(&x->r->parts.v[i]) == turn)
			vec_push(&x->order, i);
	par_do(x->t->workers < MANY ? x->t->workers : MANY, x->order.n, report_answer_part, x);
}

static bool report_answer_parts(report *r, trace *t, bool metrics)
{
	report_ctx x = { .r = r, .t = t, .say = mem_alloc(r->parts.n, sizeof *x.say) };
	notes say = { 0 };

	advise_steps(r->advice, &r->p->choice);   /* the steps are computed here once, because several parts need
						   * them at the same time */
	if (metrics) {
		report_answer_turn(&x, TURN_METRICS);
	} else {
		report_answer_turn(&x, TURN_FIRST);
		mem_trim();
		report_answer_turn(&x, TURN_WAITS);
	}
	for (size_t i = 0; i < r->parts.n; i++)
		notes_move_all(&x.say[i].windows, &say);
	for (size_t i = 0; i < r->parts.n; i++)
		notes_move_all(&x.say[i].rows, &say);
	mem_free(x.say, x.order.v);
	report_add_notes(&say, r);
	return !x.failed;
}

/* ---- the page of nsq-view */

/* Add a trace to the page of nsq-view, if there is one.  If the trace is too long for a page, the report has no such
 * page. */
static void report_add_to_view(report *r, trace *t)
{
	drawn_params p = report_make_view_params(r);
	windows whole;
	table rows = { 0 };
	notes say = { 0 };

	if (!r->page)
		return;
	whole = window_resolve(t, NULL, &everything, view_answer.question(&p).scope, &say);
	vec_push(&r->ahead, one_clock_ahead(r->clock, t, &say));
	if (!answer_rows(&view_answer, t, &whole, &p, &rows, &say)) {
		view_page_free(r->page);
		r->page = NULL;
	}
	window_free(&whole);
	table_free(&rows);
	report_add_notes(&say, r);
}

/* ---- several traces */

/* If there are several traces, read from each what is needed to compare ranks and to choose steps, before the first
 * part is answered. */
static void report_survey_traces(report *r, const inputs *in)
{
	const advise_params p = { .mode = ADVISE_FINDINGS, .choice = r->p->choice, .job = r->advice };
	const drawn_params view = report_make_view_params(r);
	unsigned need = advise_tables_need() | (r->page ? view_answer.question(&view).need_survey : 0);
	notes unheard = { 0 };

	for (size_t i = 0; in->ntraces > 1 && i < in->ntraces; i++) {
		trace *t = trace_open(in->traces[i].file, in->threads, &unheard);
		if (!t)
			continue;
		t->path = in->traces[i].path;
		t->number = i;
		t->watch = report_watch_loading;
		t->watch_ctx = r;
		if (t->has_cuda && load_trace(t, need, r->p->comm)) {
			advise_answer.survey(t, &p, &unheard);
			arrivals_add(r->ranks, t, &unheard);
			if (r->page)
				view_answer.survey(t, &view, &unheard);
			report_add_steps(r, t);
		}
		trace_free(t);
	}
	if (in->ntraces > 1)
		report_choose_steps(r);
	notes_free(&unheard);
}

/* Add a trace to all parts.  It is left out if it cannot be read or does not list its processes.  False: its file
 * changed while it was read. */
static bool report_add_trace(report *r, const inputs *in, size_t number, notes *say)
{
	const input_trace *from = &in->traces[number];
	const report_part *processes = report_part_of(r, "processes");
	report_part *typical = report_part_of(r, "typical_step");
	trace *t = trace_open(from->file, in->threads, say);
	bool ok = true;

	if (!t)
		return true;
	t->path = from->path;
	t->number = number;
	t->watch = report_watch_loading;
	t->watch_ctx = r;
	atomic_store(&r->done, report_count_units_before(r, in, number));
	report_tell_progress(r, "reading", 0);
	report_find_fitting_parts(r, t);
	if (!processes->fits) {
		notes_problem(say, EXIT_CANNOT, "%s", processes->lacks);
	} else if (load_trace(t, report_find_needs(r, TURN_FIRST) & ~(unsigned)TRACE_METRICS, r->p->comm)) {
		vec_push(&r->traces, from->path);
		report_warn_of_trace(r, t);
		if (in->ntraces == 1 && report_add_steps(r, t))
			report_choose_steps(r);
		typical->there |= typical->fits;
		report_part_of(r, "verdict")->there |= typical->fits;
		if (report_answer_parts(r, t, false) && load_trace_metrics(t))
			report_answer_parts(r, t, true);
		report_tell_progress(r, "drawing the timeline", 0);
		report_add_to_view(r, t);
		ok = db_unchanged(t->db);
	}
	trace_free(t);
	return ok;
}

/* If there are two traces, compare the second with the first.  If that is impossible, report_part.lacks says why. */
static void report_compare_two_traces(report *r, const inputs *in)
{
	report_part *part = report_part_of(r, "difference");
	notes say = { 0 };

	if (in->ntraces != 2 || r->traces.n != 2)
		return;
	part->there = diff_inputs_answer(in, part->params, &part->rows, &say);
	for (size_t i = 0; i < say.n; i++)
		if (!part->there || !table_rows(&part->rows))
			part->lacks = arena_copy(&r->texts, say.v[i].text);
	if (part->there && table_rows(&part->rows))
		report_add_notes(&say, r);
	notes_free(&say);
}

/* Choose the step that is drawn below the longest one, for comparison, and read its trace again.  It is preferably a
 * step of a late rank, and only now is it known whether a rank is late.  False: an answer failed, or the trace's file
 * changed while it was read. */
static bool report_add_beside(report *r, const inputs *in, notes *say)
{
	report_ctx x = { .r = r, .say = mem_alloc(r->parts.n, sizeof *x.say) };
	size_t number = 0;
	unsigned need = 0;
	bool ok = true;

	r->beside = report_find_comparison_step(r, r->drawn);
	while (r->beside != SIZE_MAX && !report_is_of_trace(r->typical, r->beside, in->traces[number].path))
		number++;
	x.t = r->beside == SIZE_MAX ? NULL : trace_open(in->traces[number].file, in->threads, say);
	if (x.t) {
		x.t->path = in->traces[number].path;
		x.t->number = number;
		x.t->watch = report_watch_loading;
		x.t->watch_ctx = r;
		report_find_fitting_parts(r, x.t);
		for (size_t i = 0; i < r->parts.n; i++)
			if (r->parts.v[i].windows == REPORT_BESIDE && report_is_part_asked(r, &r->parts.v[i], x.t)) {
				vec_push(&x.order, i);
				need |= r->parts.v[i].q.need | r->parts.v[i].q.need_if_named;
			}
		if (load_trace(x.t, need, r->p->comm))
			par_do(x.t->workers, x.order.n, report_answer_part, &x);
		for (size_t i = 0; i < x.order.n; i++) {
			report_part *part = &r->parts.v[x.order.v[i]];
			ok = ok && (!part->of->finish || part->of->finish(part->params, &part->rows, say));
		}
		for (size_t i = 0; i < r->parts.n; i++) {
			notes_free(&x.say[i].windows);
			notes_free(&x.say[i].rows);
		}
		ok = db_unchanged(x.t->db) && ok && !x.failed;
		trace_free(x.t);
	}
	mem_free(x.say, x.order.v);
	return ok;
}

/* ---- the whole report */

/* Leave out the host and the command of the capture, which readers need not know, unless the user keeps them. */
static void report_leave_out_facts(const report *r, table *facts)
{
	bool *keep = mem_new(bool, table_rows(facts));

	for (size_t i = 0; i < table_rows(facts); i++) {
		const char *key = table_find(facts, i, "key")->t;
		keep[i] = strcmp(key, "host.name") == 0 ? r->p->keep & REPORT_KEEP_HOST :
			strcmp(key, "capture.command") != 0 || r->p->keep & REPORT_KEEP_COMMAND;
	}
	table_filter(facts, keep);
	free(keep);
}

/* Finish the parts, up to the first with a problem.  False after a problem. */
static bool report_finish_parts(report *r, notes *say)
{
	for (size_t i = 0; i < r->parts.n && notes_code(say) == EXIT_ANSWERED; i++) {
		report_part *part = &r->parts.v[i];
		if (part->of->finish && part->there && &part->rows != r->typical && strcmp(part->name, "verdict") != 0)
			part->of->finish(part->params, &part->rows, say);
	}
	return notes_code(say) == EXIT_ANSWERED;
}

static bool report_finish_tables(report *r, const inputs *in, notes *say)
{
	notes own = { 0 };
	bool ok;

	shared_gpus_warn(r->across, &own);
	window_say_step_summaries(r->summaries, &own);
	if (steps_is_chosen(&r->p->choice) && !table_rows(report_rows(r, "steps")))
		notes_remark(&own, "%s, so there are no steps; nsq-window --list shows the names there are",
			report_why_no_steps(r));
	if (table_rows(report_rows(r, "processes")) < 2)           /* a single process waits for no other */
		report_part_of(r, "stragglers")->there = false;
	for (size_t i = 0; i < r->parts.n; i++)
		if (!r->parts.v[i].rows.cols.n)
			r->parts.v[i].of->columns(r->parts.v[i].params, &r->parts.v[i].rows);
	ok = report_finish_parts(r, &own);
	table_group(&report_part_of(r, "verdict")->rows);
	ok = ok && report_add_beside(r, in, &own);
	report_leave_out_facts(r, &report_part_of(r, "facts")->rows);
	for (size_t i = 0; !ok && i < own.n; i++)
		if (own.v[i].code)
			notes_problem(say, own.v[i].code, "%s", own.v[i].text);
	report_add_notes(&own, r);
	for (size_t i = 0; ok && i < r->said.n; i++)
		notes_copy(say, &r->said.v[i]);
	return ok;
}

/* The folder of the report: the one that the user named, otherwise NAME.report in the current folder, where NAME is
 * the trace's without directory and ending. */
static const char *report_folder_of(report *r, const inputs *in)
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
	table *found = &report_part_of(&r, "findings")->rows;
	const char *folder;
	bool ok = true;

	if (in->ntables)
		ok = notes_problem(say, EXIT_WRONG, "%s is not a trace; reports are made from traces",
			in->tables[0].table.name);
	else if (in->ntraces > 1 && !p->folder)
		ok = notes_problem(say, EXIT_WRONG,
			"a report of %zu traces has no name of its own; name its folder with -o DIR", in->ntraces);
	folder = ok ? report_folder_of(&r, in) : NULL;
	ok = ok && report_may_write(folder, p->replace, say);
	r.units = report_count_units_before(&r, in, in->ntraces) + UNITS_LOAD + UNITS_END;
	if (ok)
		report_survey_traces(&r, in);
	if (in->ntraces == 1) {         /* with several traces, each of these two parts computes the arrivals
					 * (arrivals.h) itself, from the trace of its step alone */
		((ledger_params *)report_part_of(&r, "drawn_step_owners")->params)->ranks = r.alone;
		((ledger_params *)report_part_of(&r, "beside_step_owners")->params)->ranks = r.alone;
	}
	for (size_t i = 0; ok && i < in->ntraces; i++)
		ok = report_add_trace(&r, in, i, say);
	atomic_store(&r.done, r.units - UNITS_LOAD - UNITS_END);
	report_tell_progress(&r, "putting the report together", 0);
	if (ok)
		report_compare_two_traces(&r, in);
	ok = ok && r.traces.n && report_finish_tables(&r, in, say);
	atomic_store(&r.done, r.units - UNITS_END);
	report_tell_progress(&r, "writing", UNITS_END / 2);
	ok = ok && report_write(&r, folder, say);
	if (ok) {
		notes_answer(say, "wrote '%s/report.html' and, beside it, report.md, report.json and tables", folder);
		if (!table_rows(found))
			notes_answer(say, "no findings: %s", report_why_no_findings(&r));
		for (size_t i = 0; p->titles && i < table_rows(found); i++)
			vec_push(p->titles, advise_about_row(r.advice, i)->title);
		*findings = *found;
		*found = (table){ 0 };
	}
	report_free(&r);
	return ok;
}

void report_columns(const report_params *p, table *out)
{
	report r = report_begin(p);

	report_part_of(&r, "findings")->of->columns(report_part_of(&r, "findings")->params, out);
	report_free(&r);
}
