#include "timeline/lane_gaps.h"
#include "tui/marks.h"
#include "tui/place.h"

/* ---- steps */

/* Go to the step in a row of nsq-window, and return its time. */
static ival jumps_go_to_step(tui *ui, const table *steps, size_t row)
{
	ival at = { table_find(steps, row, "start_ns")->i, table_find(steps, row, "end_ns")->i };
	const table_cell *name = table_find(steps, row, "name");
	long long number = table_find(steps, row, "number")->i, index = table_find(steps, row, "index")->i;
	const table_cell *side = table_find(steps, row, "side");
	long long last = (long long)table_find(steps, row, "count")->i - 1;
	char buf[TUI_TEXT];
	arena texts = { 0 };
	const char *called = arena_printf(&texts, "step %lld", number);

	marks_remember_spot(ui);
	ui->shown = TUI_TIMELINE;
	tui_go_to_range(ui, at);
	if (index != number)
		called = arena_printf(&texts, "%s (index %lld of 0 to %lld)", called, index, last);
	else
		called = arena_printf(&texts, "%s of 0 to %lld", called, last);
	if (name->t && strcmp(name->t, arena_printf(&texts, "step %lld", number)) != 0)
		called = arena_printf(&texts, "%s, '%s'", called, name->t);
	tui_say(ui, "%s: %s%s", called, tui_duration(at.b - at.a, buf),
		side->t && strcmp(side->t, "gpu") == 0 ? " on the GPU" : "");
	arena_free(&texts);
	return at;
}

/* Did the question find steps, and is the place that it asked about still shown?  If no steps were found, the last
 * line says so. */
static bool jumps_has_steps(tui *ui, bool ok)
{
	const background_state *a = &marks_of(ui)->background;
	const char *rule = ok && table_rows(&a->rows) ? table_find(&a->rows, 0, "rule")->t : NULL;
	const char *said = a->say.n ? a->say.v[a->say.n - 1].text : "no steps were found in this process";
	bool whole = rule ? strcmp(rule, "process") == 0 : strncmp(said, "no steps found", 14) == 0;

	if (whole)
		tui_say(ui, "no steps were found in this process, which nsq-window takes as a whole");
	else if (!rule)
		tui_say(ui, "%s", said);
	return rule && !whole && a->answer.place == ui->place;
}

static void jumps_take_step(tui *ui, bool ok)
{
	const background_state *a = &marks_of(ui)->background;
	size_t n = table_rows(&a->rows);

	if (!jumps_has_steps(ui, ok))
		return;
	for (size_t i = 0; i < n; i++)
		if (table_find(&a->rows, i, "number")->i == a->answer.step) {
			jumps_go_to_step(ui, &a->rows, i);
			return;
		}
	tui_say(ui, "there is no step %lld; this process has steps %lld to %lld", (long long)a->answer.step,
		(long long)table_find(&a->rows, 0, "number")->i,
		(long long)table_find(&a->rows, n - 1, "number")->i);
}

/* The note of nsq-window about the steps that it skipped, up to the semicolon; "": it skipped none. */
static const char *jumps_find_skip_note(const notes *say, arena *texts)
{
	for (size_t i = 0; i < say->n; i++)
		if (strncmp(say->v[i].text, "skipped ", 8) == 0)
			return arena_text(texts, say->v[i].text, strcspn(say->v[i].text, ";"));
	return "";
}

static void jumps_take_longest_step(tui *ui, bool ok)
{
	struct tui_marks *m = marks_of(ui);
	const char *step, *skipped;
	arena texts = { 0 };

	if (!jumps_has_steps(ui, ok))
		return;
	m->longest_step = jumps_go_to_step(ui, &m->background.rows, 0);
	m->longest_place = ui->place;
	step = arena_copy(&texts, ui->message);
	skipped = jumps_find_skip_note(&m->background.say, &texts);
	tui_say(ui, "the longest is %s; s marks it%s%s", step, *skipped ? "; " : "", skipped);
	arena_free(&texts);
}

static void jumps_ask_for_steps(tui *ui, enum background_kind kind, int64_t step, void (*done)(tui *ui, bool ok))
{
	background_question q = background_question_here(ui, kind);

	q.step = step;
	q.done = done;
	background_ask(ui, &q);
	if (background_is_waiting(ui))
		tui_say(ui, "looking for steps ...");
}

void jumps_to_longest_step(tui *ui, int key UNNEEDED)
{
	const struct tui_marks *m = marks_of(ui);

	if (m->longest_step.a < m->longest_step.b && m->longest_place == ui->place && ui->cursor == m->longest_step.a)
		marks_mark_time(ui, m->longest_step);
	else
		jumps_ask_for_steps(ui, BACKGROUND_LONGEST, 0, jumps_take_longest_step);
}

/* ---- a typed time or step */

static bool jumps_take_place(tui *ui, const char *text)
{
	place_reference now = { ui->cursor, ui->relative ? ui->places.v[ui->place].first.a : 0 };
	place_typed typed = place_read(text, &now);
	char a[TUI_TEXT], b[TUI_TEXT];

	if (typed.kind == PLACE_NOTHING && *text) {
		tui_say(ui, "'%s' is no place; write 1.5s, +20ms, 230ms..280ms, step 12 or #12", text);
		return false;
	}
	if (typed.kind == PLACE_STEP)
		jumps_ask_for_steps(ui, BACKGROUND_STEPS, typed.step, jumps_take_step);
	if (typed.kind != PLACE_TIME && typed.kind != PLACE_WINDOW)
		return true;
	if (typed.time.a >= ui->limit.b || typed.time.b < ui->limit.a) {
		tui_say(ui, "the process has events from %s to %s only", tui_moment(ui, ui->limit.a, a),
			tui_moment(ui, ui->limit.b, b));
		return false;
	}
	marks_remember_spot(ui);
	ui->shown = TUI_TIMELINE;
	if (typed.kind == PLACE_WINDOW) {
		ui->cursor = typed.time.a < ui->limit.a ? ui->limit.a : typed.time.a;
		tui_set_view(ui, (ival){ ui->cursor, typed.time.b > ui->limit.b ? ui->limit.b : typed.time.b });
	}
	tui_move_cursor(ui, typed.kind == PLACE_WINDOW ? ui->cursor : typed.time.a);
	return true;
}

void jumps_ask_place(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "go to (1.5s, +20ms, 230ms..280ms, step 12): ", NULL, jumps_take_place };

	tui_open_prompt(ui, &p, "");
}

/* ---- the windows that -w or a pipe gave; the first of them is shown at the start */

void jumps_to_window(tui *ui, int key)
{
	size_t n = ui->windows.n, *current = &marks_of(ui)->window;
	const tui_window *w;

	if (!n) {
		tui_say(ui, "no windows were given: nsq-window TRACE | nsq-tui gives some, or -w");
		return;
	}
	*current = key == 'w' ? (*current + 1) % n : (*current + n - 1) % n;
	w = &ui->windows.v[*current];
	marks_remember_spot(ui);
	if (w->place != ui->place && !tui_show_place(ui, w->place))
		return;
	ui->shown = TUI_TIMELINE;
	ui->cursor = w->at.a;
	tui_set_view(ui, w->at);
	tui_move_cursor(ui, w->at.a);
	tui_say(ui, "window %zu of %zu%s%s", *current + 1, n, w->name ? ": " : "", w->name ? w->name : "");
}

/* ---- idle gaps */

bool jumps_find_gap_at_cursor(tui *ui, ival *gap)
{
	size_t lane = ui->places.v[ui->place].lane;
	const lane_gaps *gaps = lane == SIZE_MAX ? NULL : lane_gaps_of(ui->t, LANE_GAPS_WORK);
	lane_gap g;

	if (!gaps || !lane_gaps_from(gaps, lane, ui->cursor, &g) || g.a > ui->cursor ||
	    g.a == INT64_MIN || g.b == INT64_MAX)
		return false;
	*gap = (ival){ g.a, g.b };
	return true;
}

static bool jumps_has_row_of_gap(const tui *ui, ival gap)
{
	const background_question *q = &ui->marks->gap_of;

	return q->kind && q->place == ui->place && q->time.a == gap.a && q->time.b == gap.b;
}

const table *jumps_row_of_gap(tui *ui)
{
	ival gap;

	return ui->marks && jumps_find_gap_at_cursor(ui, &gap) && jumps_has_row_of_gap(ui, gap) &&
			       table_rows(&ui->marks->gap) ?
		&ui->marks->gap :
		NULL;
}

static void jumps_take_row_of_gap(tui *ui, bool ok)
{
	struct tui_marks *m = marks_of(ui);

	table_free(&m->gap);
	m->gap = ok ? m->background.rows : (table){ 0 };
	m->gap_of = m->background.answer;
	if (ok)
		m->background.rows = (table){ 0 };
}

void jumps_ask_causes(tui *ui)
{
	const struct tui_marks *m = ui->marks;
	background_question q;
	bool ready;

	if (!m || ui->clocks || ui->shown != TUI_TIMELINE || background_is_waiting(ui))
		return;
	ready = m->background.look.t && m->background.source == ui->places.v[ui->place].source;
	q = background_question_here(ui, BACKGROUND_GAP);
	q.done = jumps_take_row_of_gap;
	if ((ready || m->tell_gap) && jumps_find_gap_at_cursor(ui, &q.time) && !jumps_has_row_of_gap(ui, q.time))
		background_ask(ui, &q);
}

/* Go to a gap.  prefix: the beginning of the message about it. */
static void jumps_go_to_gap(tui *ui, const lane_gap *gap, const char *prefix)
{
	char length[TUI_TEXT];

	marks_remember_spot(ui);
	marks_of(ui)->tell_gap = true;
	tui_move_cursor(ui, gap->a);
	if (gap->b > ui->view.b)
		tui_go_to_range(ui, (ival){ gap->a, gap->b });
	tui_say(ui, "%sidle for %s, until %s", prefix, tui_duration(gap->b - gap->a, length),
		tui_work_name(ui, gap->next));
}

void jumps_to_gap(tui *ui, int key UNNEEDED)
{
	const tui_place *p = &ui->places.v[ui->place];
	const lane_gaps *gaps = p->lane == SIZE_MAX ? NULL : lane_gaps_of(ui->t, LANE_GAPS_WORK);
	int64_t limit = marks_of(ui)->gap_limit;
	lane_gap gap;
	char length[TUI_TEXT];
	bool more = gaps && lane_gaps_from(gaps, p->lane, ui->cursor, &gap);

	while (more && gap.b != INT64_MAX && (gap.a <= ui->cursor || gap.a == INT64_MIN || gap.b - gap.a < limit))
		more = lane_gaps_next(gaps, &gap);
	if (!more || gap.b == INT64_MAX) {
		tui_say(ui, "no later gap of at least %s; L sets another limit", tui_duration(limit, length));
		return;
	}
	jumps_go_to_gap(ui, &gap, "");
}

static bool jumps_set_limit(tui *ui, const char *text)
{
	int64_t unit, ns;

	if (!number_time(text, strlen(text), 1, &unit, &ns) || ns <= 0) {
		tui_say(ui, "'%s' is not a duration; write 500us or 1.5ms", text);
		return false;
	}
	marks_of(ui)->gap_limit = ns;
	jumps_to_gap(ui, 0);
	return true;
}

void jumps_ask_gap_limit(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "shortest idle gap to go to: ", NULL, jumps_set_limit };
	static const char *const units[] = { "ns", "us", "ms", "s" };
	size_t unit = 0;
	int64_t limit = marks_of(ui)->gap_limit;
	char text[32];

	while (unit < 3 && limit % 1000 == 0) {
		limit /= 1000;
		unit++;
	}
	snprintf(text, sizeof text, "%lld%s", (long long)limit, units[unit]);
	tui_open_prompt(ui, &p, text);
}

/* Go to the longest gap that begins in a stretch of time. */
static void jumps_go_to_longest_gap(tui *ui, ival stretch, const char *prefix)
{
	size_t lane = ui->places.v[ui->place].lane;
	const lane_gaps *gaps = lane == SIZE_MAX ? NULL : lane_gaps_of(ui->t, LANE_GAPS_WORK);
	lane_gap gap, longest = { 0 };

	for (bool more = gaps && lane_gaps_from(gaps, lane, stretch.a, &gap); more && gap.a < stretch.b;
	     more = lane_gaps_next(gaps, &gap))
		if (gap.a >= stretch.a && gap.b != INT64_MAX && gap.b - gap.a > longest.b - longest.a)
			longest = gap;
	if (longest.a < longest.b)
		jumps_go_to_gap(ui, &longest, prefix);
	else
		tui_say(ui, "%sthe GPU is never idle", prefix);
}

/* Go to the longest gap of the step at the cursor or, if there are no steps, of the process.  For this, a step lasts
 * until the next step starts. */
static void jumps_take_longest_gap(tui *ui, bool ok)
{
	const background_state *a = &marks_of(ui)->background;
	size_t n = table_rows(&a->rows), row = 0;
	char prefix[TUI_TEXT];
	ival step;

	if (a->answer.place != ui->place)
		return;
	if (!jumps_has_steps(ui, ok)) {
		jumps_go_to_longest_gap(ui, ui->limit, "no steps; longest gap of the process: ");
		return;
	}
	while (row + 1 < n && table_find(&a->rows, row + 1, "start_ns")->i <= ui->cursor)
		row++;
	step = (ival){ table_find(&a->rows, row, "start_ns")->i, table_find(&a->rows, row, "end_ns")->i };
	if (row + 1 < n)
		step.b = table_find(&a->rows, row + 1, "start_ns")->i;
	snprintf(prefix, sizeof prefix, "longest gap of step %lld: ",
		 (long long)table_find(&a->rows, row, "number")->i);
	jumps_go_to_longest_gap(ui, step, prefix);
}

void jumps_to_longest_gap(tui *ui, int key UNNEEDED)
{
	jumps_ask_for_steps(ui, BACKGROUND_STEPS, 0, jumps_take_longest_gap);
}

/* ---- the place as a command */

void jumps_copy_command(tui *ui, int key UNNEEDED)
{
	static const char *const tools[] = { "nsq-kernels", "nsq-gaps --by cause", "nsq-nvtx", "nsq-overlap",
		"nsq-api" };
	struct tui_marks *m = marks_of(ui);
	const tui_place *p = &ui->places.v[ui->place];
	ival time = ui->shown == TUI_TREE ? tree_view_enter_time(ui) : marks_time_or_view(ui);
	size_t end, first = trace_find_lanes(ui->t, p->proc, &end);
	bool again = ui->lines.n && m->copied_place == ui->place && m->copied.a == time.a && m->copied.b == time.b;

	m->tool = again ? (m->tool + 1) % (sizeof tools / sizeof *tools) : 0;
	m->copied = time;
	m->copied_place = ui->place;
	if (again)
		ui->lines.n--;
	vec_push(&ui->lines, place_command(&ui->texts, tools[m->tool], time, p->pid, end - first > 1 ? p->gpu : -1,
					   ui->sources.v[p->source].path));
	tui_say(ui, "%s", ui->lines.v[ui->lines.n - 1]);
}
