#include "tui/marks.h"

/* ---- the panel that sums up a marked time */

static bool marks_sums_is_current(tui *ui)
{
	struct tui_marks *m = marks_of(ui);

	return m->summed.kind && m->summed.place == ui->place && m->summed.time.a == m->from &&
		m->summed.time.b == m->to;
}

static int marks_sums_count_idle_rows(tui *ui)
{
	return ui->clocks ? 1 : (int)table_rows(&marks_of(ui)->sums.idle);
}

enum { TIME_LINE, BUSY_LINE, IDLE_LINE, HEAD_LINES };   /* below these lines: the causes of idle time, a heading, and
							 * the kernels */

static int marks_sums_count_lines(tui *ui)
{
	int kernels = (int)table_rows(&marks_of(ui)->sums.kernels);

	return marks_sums_is_current(ui) ? HEAD_LINES + marks_sums_count_idle_rows(ui) + 1 + kernels : HEAD_LINES;
}

static void marks_sums_draw_amount(canvas *c, int row, int col, int width, const char *name, int64_t ns, double pct,
				   canvas_style style)
{
	char buf[TUI_TEXT];
	int numbers = width < 40 ? width / 2 : 24;

	canvas_text(c, row, col, width - numbers - 1, name, style);
	canvas_printf(c, row, col + width - numbers, numbers, style, "%12s %7.2f %%", tui_duration(ns, buf), pct);
}

/* columns: the names of the columns with the row's name, its ns and its percentage. */
static void marks_sums_draw_row(canvas *c, int row, int col, int width, const table *t, size_t i,
				const char *const columns[3], canvas_style style)
{
	arena texts = { 0 };
	const table_cell *count = table_find(t, i, "count"), *name = table_find(t, i, columns[0]);
	const char *text = arena_printf(&texts, "  %s", name->t ? name->t : "-");

	if (count)
		text = arena_printf(&texts, "%s (%lld)", text, (long long)count->i);
	marks_sums_draw_amount(c, row, col, width, text, table_find(t, i, columns[1])->i,
			       table_find(t, i, columns[2])->d, style);
	arena_free(&texts);
}

static void marks_sums_draw_line(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	struct tui_marks *m = marks_of(ui);
	lookup_sums *s = &m->sums;
	double percent_ns = s->busy_ns + s->idle_ns > 0 ? (double)(s->busy_ns + s->idle_ns) / 100 : 1;
	char a[TUI_TEXT], b[TUI_TEXT], length[TUI_TEXT];
	int idle = marks_sums_count_idle_rows(ui);

	if (line == TIME_LINE)
		canvas_printf(c, row, col, width, style, "%s to %s: %s", tui_moment(ui, m->from, a),
			      tui_moment(ui, m->to, b), tui_duration(m->to - m->from, length));
	else if (!marks_sums_is_current(ui))
		canvas_text(c, row, col, width, line == BUSY_LINE ? "summing up ..." : "", style);
	else if (line == BUSY_LINE)
		marks_sums_draw_amount(c, row, col, width, "busy", s->busy_ns, (double)s->busy_ns / percent_ns,
				       panels_strong_style());
	else if (line == IDLE_LINE)
		marks_sums_draw_amount(c, row, col, width, "idle", s->idle_ns, (double)s->idle_ns / percent_ns,
				       panels_strong_style());
	else if (line < HEAD_LINES + idle && ui->clocks)
		canvas_text(c, row, col, width, "  causes: ? (the clocks of CPU and GPU disagree)", style);
	else if (line < HEAD_LINES + idle)
		marks_sums_draw_row(c, row, col, width, &s->idle, (size_t)(line - HEAD_LINES),
				    (const char *const[]){ "cause", "idle_ns", "idle_pct" }, style);
	else if (line == HEAD_LINES + idle)
		canvas_printf(c, row, col, width, panels_strong_style(),
			      "kernels (%zu names), with shares of their time", table_rows(&s->kernels));
	else
		marks_sums_draw_row(c, row, col, width, &s->kernels, (size_t)(line - HEAD_LINES - idle - 1),
				    (const char *const[]){ "name", "total_ns", "pct" }, style);
}

static bool marks_sums_press_key(tui *ui, int key)
{
	if (key == 'y')
		jumps_copy_command(ui, key);
	return key == 'y';
}

static const tui_panel sums_panel = { "The marked time: busy, idle by cause, kernels; y copies it",
				      marks_sums_count_lines,
				      marks_sums_draw_line,
				      marks_sums_press_key,
				      NULL,
				      false };

static void marks_sums_take_sums(tui *ui, bool ok)
{
	struct tui_marks *m = marks_of(ui);

	if (!ok) {
		background_report_failure(ui, &sums_panel);
		return;
	}
	lookup_sums_free(&m->sums);
	m->sums = m->background.sums;
	m->background.sums = (lookup_sums){ 0 };
	m->summed = m->background.answer;
}

/* ---- keys */

/* Show the panel that sums up the marked time, if both its ends are set. */
static void marks_sums_open_panel(tui *ui)
{
	background_question q = background_question_here(ui, BACKGROUND_SUMS);

	if (!marks_time(ui, &q.time))
		return;
	q.done = marks_sums_take_sums;
	tui_open_panel(ui, &sums_panel);
	if (!marks_sums_is_current(ui))
		background_ask(ui, &q);
}

/* The key [ marks the beginning, the key ] the end.  If the other end is then on the wrong side, it is unset. */
void marks_set_end(tui *ui, int key)
{
	struct tui_marks *m = marks_of(ui);
	bool begin = key == '[';
	int64_t *end = begin ? &m->from : &m->to, *other = begin ? &m->to : &m->from;
	char buf[TUI_TEXT];

	*end = ui->cursor;
	if (*other != TRACE_UNKNOWN && m->from >= m->to)
		*other = TRACE_UNKNOWN;
	if (*other != TRACE_UNKNOWN)
		marks_sums_open_panel(ui);
	else
		tui_say(ui, begin ? "marked from %s; ] at the end sums it up" :
			"marked up to %s; [ at the beginning sums it up", tui_moment(ui, *end, buf));
}

void marks_mark_time(tui *ui, ival time)
{
	marks_of(ui)->from = time.a;
	marks_of(ui)->to = time.b;
	marks_sums_open_panel(ui);
}

void marks_mark_at_cursor(tui *ui, int key UNNEEDED)
{
	uint32_t work = tui_selected_work(ui);
	ival time;

	if (work != NONE && ui->t->work.end[work] > ui->t->work.start[work])
		marks_mark_time(ui, (ival){ ui->t->work.start[work], ui->t->work.end[work] });
	else if (jumps_find_gap_at_cursor(ui, &time))
		marks_mark_time(ui, time);
	else
		tui_say(ui, "neither a kernel of this stream nor a time at which the GPU is idle is at the cursor");
}

void marks_unmark_time(tui *ui, int key UNNEEDED)
{
	struct tui_marks *m = marks_of(ui);

	if (m->from == TRACE_UNKNOWN && m->to == TRACE_UNKNOWN)
		return;
	m->from = m->to = TRACE_UNKNOWN;
	tui_say(ui, "no time is marked any more");
}
