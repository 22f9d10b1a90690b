#include "picture/report_steps.h"
#include "answer/row_windows.h"
#include "answer/window.h"
#include "base/group.h"

#include <string.h>

static window_params steps_of(const report *r, bool all, bool period)
{
	window_params p = { .mode = WINDOW_PICK, .match = r->p->match, .period = period, .steady = period };

	if (all)
		window_pick_named("all", &p);
	return p;
}

/* Add the windows of all steps, as nsq-window --pick all would pass them on.  What there is to say of them is said where
 * the typical step is chosen. */
static bool add_all(trace *t, const windows *whole, const window_params *p, window_asks *to, notes *say)
{
	table rows = { 0 };
	bool ok = window_answer(t, whole, p, &rows, NULL) && window_finish(p, &rows, NULL) && row_windows(&rows, to, say);

	table_free(&rows);
	return ok;
}

bool report_steps_find(report_steps *s, report *r, trace *t, notes *say)
{
	window_params typical = steps_of(r, false, true), plain = steps_of(r, false, false);
	window_params each = steps_of(r, true, true), steady = steps_of(r, true, true), any = steps_of(r, true, false);
	windows whole = window_resolve(t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, window_question(&typical).scope, say);
	const table *found = advise_steps(r->advice, r->p->match);      /* of all traces together */
	bool ok;

	each.steady = false;            /* which are steady is known when all traces have been looked at */
	ok = window_answer(t, &whole, &typical, &r->part[REPORT_TYPICAL].rows, say) && add_all(t, &whole, &each, &s->each, say) &&
		(found ? row_windows(found, &s->steady, say) : add_all(t, &whole, &steady, &s->steady, say));
	r->part[REPORT_TYPICAL].there = true;
	if (ok && !s->each.n)           /* no step that another follows: a single one, or a process as a whole */
		ok = window_answer(t, &whole, &plain, &r->untiled, NULL) && add_all(t, &whole, &any, &s->each, say);
	window_free(&whole);
	return ok;
}

void report_steps_free(report_steps *s)
{
	window_asks_free(&s->each);
	window_asks_free(&s->steady);
}

/* ---- the typical step */

typedef struct {
	group places;           /* of (trace, pid, start, end) */
	str_pool traces;
} steps_seen;

static size_t place_of(steps_seen *s, const table *t, size_t row)
{
	const char *of = report_cell(t, row, "trace")->t;

	return group_of(&s->places, (int64_t[]){ str_id(&s->traces, of, strlen(of)), report_cell(t, row, "pid")->i,
			report_cell(t, row, "start_ns")->i, report_cell(t, row, "end_ns")->i });
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

const char *report_no_steps(report *r)
{
	return r->p->match_text ? arena_printf(&r->texts, "no range with GPU work matches '%s'", r->p->match_text) : "there is no GPU work";
}

void report_steps_finish(report *r, notes *say)
{
	window_params typical = steps_of(r, false, true), plain = steps_of(r, false, false);
	table *chosen = &r->part[REPORT_TYPICAL].rows;
	notes own = { 0 };

	if (!r->part[REPORT_TYPICAL].there)
		return;
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
		notes_remark(say, "%s, so there are no steps; nsq-window --list shows the names there are", report_no_steps(r));
}
