#include "base/screen.h"
#include "picture/plot_colors.h"
#include "tui/marks.h"
#include "tui/place.h"

static const canvas_style bar = { .fg = 252, .bg = 237 }, bold = { .attr = CANVAS_BOLD }, dim = { .fg = 245 };

/* ---- the first line: the place and the time */

/* Write the start and end of the view as texts: to the nanosecond if the screen is wide, otherwise to about a
 * thousandth of the view. */
static void draw_view_times(const tui *ui, int cols, char from[TUI_TEXT], char to[TUI_TEXT])
{
	int64_t origin = ui->relative ? ui->places.v[ui->place].first.a : 0;
	int64_t a = ui->view.a - origin, b = ui->view.b - origin;
	ruler r = ruler_choose(a, b, 1000);

	if (cols >= 100) {
		tui_moment(ui, ui->view.a, from);
		tui_moment(ui, ui->view.b, to);
	} else {
		ruler_text(&r, a, from);
		ruler_text(&r, b, to);
	}
}

/* Write at the right which settings change the picture, in at most half of the line.  Returns the number of columns
 * used. */
static int draw_active_settings(const tui *ui, canvas *c)
{
	char text[TUI_INPUT + 2 * TUI_TEXT], shortest[TUI_TEXT];
	int width;

	snprintf(text, sizeof text, "%s%s%s%s%s", ui->relative ? "  times from the start" : "",
		 *ui->filter ? "  /" : "", ui->filter, ui->set.shortest ? "  from " : "",
		 ui->set.shortest ? tui_duration(ui->set.shortest, shortest) : "");
	width = (int)strlen(text) < c->cols / 2 ? (int)strlen(text) : c->cols / 2;
	return canvas_text(c, 0, c->cols - width, width, text, (canvas_style){ .fg = 214, .bg = 237 });
}

static void draw_title(tui *ui, canvas *c)
{
	const tui_place *p = &ui->places.v[ui->place];
	char from[TUI_TEXT], to[TUI_TEXT], length[TUI_TEXT], more[64] = "";
	int at = 0, settings_cols, room;

	canvas_fill(c, 0, 0, c->cols, bar);
	settings_cols = draw_active_settings(ui, c);
	room = c->cols - settings_cols;
	draw_view_times(ui, c->cols, from, to);
	tui_duration(ui->view.b - ui->view.a, length);
	if (ui->streams_to - ui->streams_from < ui->lanes->nstreams)
		snprintf(more, sizeof more, "  streams %zu-%zu/%zu", ui->streams_from + 1, ui->streams_to,
			 ui->lanes->nstreams);
	if (c->cols >= 60)
		at = canvas_printf(c, 0, 0, c->cols / 3 - settings_cols, bar, "%s  ",
				   text_base(ui->sources.v[p->source].path));
	if (c->cols >= 36)
		at += canvas_printf(c, 0, at, room - at, bar, "pid %s%s%s%s%s  ", p->pid, *p->rank_text ? " " : "",
				    p->rank_text, *p->gpu_text ? " " : "", p->gpu_text);
	if (c->cols >= 70)
		at += canvas_printf(c, 0, at, room - at, bar, "%s..%s (%s)", from, to, length);
	else
		at += canvas_text(c, 0, at, room - at, length, bar);
	if ((int)strlen(more) <= room - at)
		at += canvas_text(c, 0, at, room - at, more, bar);
	snprintf(more, sizeof more, "  %zu of %zu (p: next)", ui->place + 1, ui->places.n);
	if (ui->places.n > 1 && (int)strlen(more) <= room - at)
		canvas_text(c, 0, at, room - at, more, bar);
}

/* ---- the selected work */

static void draw_join_ranges(tui *ui, uint32_t work, char *to, size_t size)
{
	const around *a = ui->lanes->around;
	const char *names[8];
	char buf[TUI_BRIEF];
	size_t n = 0, len = 0;

	for (around_walk at = around_work(a, work); at.range != NONE && n < 8; around_next(a, &at))
		names[n++] = tui_range_name(ui, at.range);
	*to = 0;
	while (n-- && len < size)
		len += (size_t)snprintf(to + len, size - len, "%s%s", tui_brief_range_name(ui, names[n], buf),
					n ? " > " : "");
}

static canvas_style draw_get_category_style(tui *ui, uint32_t work)
{
	return (canvas_style){ .fg = (uint8_t)plot_color_256(tui_category_color(ui, work)) };
}

static void draw_idle(tui *ui, canvas *c, int row)
{
	char moment[TUI_TEXT], length[TUI_TEXT], left[TUI_TEXT];
	const band *b = ui->stream < ui->lanes->nstreams ? &ui->lanes->streams[ui->stream].all : NULL;
	size_t next = b ? band_find_from(b, ui->cursor) : 0;
	int64_t since = b ? band_find_latest_end(b, ui->cursor) : 0;
	size_t hidden = b ? band_find_open(b, ui->cursor) : SIZE_MAX;

	tui_moment(ui, ui->cursor, moment);
	if (!b)
		canvas_printf(c, row, 0, c->cols, bold, "%s  this process has no GPU work", moment);
	else if (hidden != SIZE_MAX)
		canvas_printf(c, row, 0, c->cols, bold, "%s  not shown: %s", moment,
			      tui_work_name(ui, b->item[hidden]));
	else if (next == b->n)
		canvas_printf(c, row, 0, c->cols, bold, "%s  idle to the end", moment);
	else
		canvas_printf(c, row, 0, c->cols, bold, "%s  idle%s%s; the next kernel starts in %s", moment,
			      since == INT64_MIN ? "" : " for ",
			      since == INT64_MIN ? "" : tui_duration(band_time(b, next).a - since, length),
			      tui_duration(band_time(b, next).a - ui->cursor, left));
}

static const char *draw_get_text(const table *t, const char *column)
{
	const table_cell *cell = table_find(t, 0, column);

	return cell && cell->t ? cell->t : "-";
}

/* Write what another stream runs at the cursor or, if none runs anything, why the GPU is idle.  Called if no work is
 * selected. */
static void draw_cause(tui *ui, canvas *c, int row)
{
	const table *t = jumps_row_of_gap(ui);
	ival gap;

	for (size_t s = 0; s < ui->lanes->nstreams; s++) {
		const band *b = &ui->lanes->streams[s].all;
		size_t at = band_find_open(b, ui->cursor);
		if (at == SIZE_MAX || s == ui->stream)
			continue;
		canvas_printf(c, row, 0, c->cols, dim, "the GPU is busy: %s on stream %lld",
			      tui_work_name(ui, b->item[at]),
			      (long long)ui->t->streams[ui->lanes->streams[s].stream].stream);
		return;
	}
	if (!jumps_find_gap_at_cursor(ui, &gap))
		return;
	if (ui->clocks)
		canvas_text(c, row, 0, c->cols, "cause: ? (the clocks of CPU and GPU disagree)", dim);
	else if (t)
		canvas_printf(c, row, 0, c->cols, dim, "cause: %s  call: %s  range: %s", draw_get_text(t, "cause"),
			      draw_get_text(t, "api"), draw_get_text(t, "nvtx"));
	else
		canvas_text(c, row, 0, c->cols, background_is_waiting(ui) ? "looking for the cause ..." :
			    "M marks the gap of the GPU and tells its cause", dim);
}

/* Draw the details of the selected work or, if none is selected, of the idle time at the cursor.  Returns the number
 * of rows used: `rows`, or up to `most` if the texts are long. */
static int draw_details(tui *ui, canvas *c, int row, int rows, int most)
{
	const trace_work *w = &ui->t->work;
	uint32_t work = tui_selected_work(ui), call = work == NONE ? NONE : w->launch[work];
	char start[TUI_TEXT], length[TUI_TEXT], waited[TUI_TEXT], text[4000];
	int at, end, first = row;

	if (work == NONE) {
		draw_idle(ui, c, row);
		if (rows > 1)
			draw_cause(ui, c, row + 1);
		return rows;
	}
	tui_moment(ui, w->start[work], start);
	tui_duration(w->end[work] - w->start[work], length);
	snprintf(text, sizeof text, "%s  %s  %s", start, length, tui_work_name(ui, work));
	end = row + canvas_wrap(c, row, rows < 2 ? 1 : most - 1, text, bold);
	if (rows < 2)
		return 1;
	draw_join_ranges(ui, work, text, sizeof text);
	row = end - 1;
	at = canvas_printf(c, row + 1, 0, c->cols, draw_get_category_style(ui, work), "%s  ",
			   tui_category_name(ui, work));
	if (call == NONE)
		at += canvas_text(c, row + 1, at, c->cols - at, "no launch in the trace  ", dim);
	else
		at += canvas_printf(c, row + 1, at, c->cols - at, dim, "launched %s before, by thread %lld  ",
				    ui->clocks ? "?" : tui_duration(w->start[work] - ui->t->calls.start[call], waited),
				    (long long)ui->t->threads[calls_thread(&ui->t->calls, call)].tid);
	if (screen_width(text) > (size_t)(c->cols > at ? c->cols - at : 0) && row + 2 < first + most)
		return row + 2 - first + canvas_wrap(c, row + 2, first + most - row - 2, text, (canvas_style){ 0 });
	canvas_text(c, row + 1, at, c->cols - at, *text ? text : "in no range", (canvas_style){ 0 });
	return row + 2 - first;
}

/* ---- kernels around the selected one, if there is room */

static void draw_kernel_list(tui *ui, canvas *c, int row, int rows)
{
	const band *b = ui->stream < ui->lanes->nstreams ? lanes_kept(ui->lanes, ui->stream) : NULL;
	size_t middle = b ? ui->piece < b->n ? ui->piece : band_find_from(b, ui->cursor) : 0, first;
	char start[TUI_TEXT], length[TUI_TEXT], gap[TUI_TEXT];

	if (!b || rows < 4)
		return;
	canvas_printf(c, row, 0, c->cols, dim, "%20s %11s %11s  %-11s %s", "start", "duration", "gap before",
		      "owner", "kernel");
	first = middle > (size_t)(rows - 1) / 2 ? middle - (size_t)(rows - 1) / 2 : 0;
	for (size_t i = first; i < b->n && i - first < (size_t)rows - 1; i++) {
		ival t = band_time(b, i);
		int line = row + 1 + (int)(i - first);
		canvas_style style = i == ui->piece ? bold : (canvas_style){ 0 };
		int64_t before = band_find_latest_end(&ui->lanes->streams[ui->stream].all, t.a);
		snprintf(gap, sizeof gap, "-");
		if (before != INT64_MIN && before <= t.a)
			tui_duration(t.a - before, gap);
		canvas_printf(c, line, 0, c->cols, style, "%20s %11s %11s  ", tui_moment(ui, t.a, start),
			      tui_duration(t.b - t.a, length), gap);
		canvas_text(c, line, 46, 11, tui_category_name(ui, b->item[i]),
			    draw_get_category_style(ui, b->item[i]));
		canvas_text(c, line, 58, c->cols - 58, tui_work_name(ui, b->item[i]), style);
		if (i == ui->piece)
			canvas_put(c, line, 0, '>', style);
	}
}

/* ---- the last line */

int tui_draw_warnings(const tui *ui, canvas *c, int row, int col)
{
	const canvas_style style = { .fg = 214, .attr = CANVAS_BOLD };
	int at = col;

	if (ui->lost)
		at += canvas_text(c, row, at, c->cols - at, "events lost: numbers too low  ", style);
	if (ui->clocks)
		at += canvas_text(c, row, at, c->cols - at, "clocks disagree: causes unknown  ", style);
	return at - col;
}

/* A message takes at most three lines, and replaces what was drawn there. */
void tui_draw_message(const tui *ui, canvas *c, int row)
{
	int n = canvas_count_lines(c, ui->message, row < 3 ? 1 : 3);

	for (int i = 0; i < n; i++)
		canvas_fill(c, row - i, 0, c->cols, (canvas_style){ 0 });
	canvas_wrap(c, row - n + 1, n, ui->message, (canvas_style){ .fg = 202, .attr = CANVAS_BOLD });
}

static void draw_status(tui *ui, canvas *c)
{
	int bar_rows = key_bar_count_rows(c->rows), row = c->rows - 1 - bar_rows, at = 0;

	if (*ui->message) {
		tui_draw_message(ui, c, row);
		return;
	}
	if (!bar_rows)
		at += canvas_text(c, row, at, c->cols, "? keys  q quit  ", dim);
	at += tui_draw_warnings(ui, c, row, at);
	for (unsigned k = 0; k < plot_colors_count(); k++)
		if (ui->category[k] && at + 4 < c->cols) {
			bool letters = ui->display && !display_colors(ui->display);
			canvas_style style = { .fg = (uint8_t)plot_color_256(k) };
			canvas_put(c, row, at, letters ? (uint32_t)ui->letter[k] : 0x25a0, style);
			at += 2 + canvas_text(c, row, at + 2, c->cols - at - 2, ui->category[k], dim) + 1;
		}
}

enum { MOST_DETAILS = 7 };      /* the most lines of the details */

static void draw_timeline(tui *ui, canvas *c)
{
	int details = c->rows >= 12 ? 2 : c->rows >= 6 ? 1 : 0, title = c->rows > 2;
	int status = (c->rows > 3) + key_bar_count_rows(c->rows);
	int end = timeline_rows_draw(ui, c, title, c->rows - title - details - status), room = c->rows - status - end;

	if (title)
		draw_title(ui, c);
	if (details)
		end += draw_details(ui, c, end, details,
				    room < details ? details : room > MOST_DETAILS ? MOST_DETAILS : room);
	draw_kernel_list(ui, c, end + 1, c->rows - status - end - 1);
	if (status)
		draw_status(ui, c);
}

canvas tui_draw(tui *ui, int rows, int cols)
{
	canvas c = canvas_new(rows, cols);

	if (ui->shown == TUI_TREE)
		tree_view_draw(ui, &c);
	else
		draw_timeline(ui, &c);
	if (key_bar_count_rows(rows))
		key_bar_draw(ui, &c);
	panels_draw(ui, &c);
	return c;
}
