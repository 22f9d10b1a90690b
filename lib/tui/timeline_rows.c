#include "picture/plot_colors.h"
#include "trace/load_work.h"
#include "tui/marks.h"
#include "tui/place.h"

enum { BAR = 0x2580, EDGE = 0x258f, LINE = 0x2502 };     /* BAR + n: the lower n eighths of a cell */
/* Colors of a terminal with 256 colors. */
enum { GREY = 238, FAINT = 240, PALE = 252, ORANGE = 202, YELLOW = 226, WHITE = 231, BLACK = 16 };

/* Black or white, whichever is easier to read on a terminal color. */
static uint8_t timeline_rows_choose_ink(uint8_t background)
{
	static const int levels[] = { 0, 95, 135, 175, 215, 255 };      /* colors from 16 on are a 6 x 6 x 6 cube */
	int cube = background - 16, grey = background >= 232 ? 8 + 10 * (background - 232) : 0;
	int light = background < 16 ? (background > 8 ? 200 : 0) : grey ? grey :
		(3 * levels[cube / 36] + 6 * levels[cube / 6 % 6] + levels[cube % 6]) / 10;

	return light > 120 ? BLACK : WHITE;
}

/* ---- one band: the work of a stream, or the ranges of one depth */

typedef struct {
	tui *ui;
	canvas *c;
	const band *b;          /* the pieces of time to draw: work or ranges (band.h) */
	int row, height;        /* the first screen row, and the number of rows */
	bool ranges;            /* are the pieces ranges, not work? */
	bool faint;             /* are the pieces drawn faintly?  Those that the filter keeps cover them later */
	size_t selected;        /* the position of the selected piece; SIZE_MAX: none */
} timeline_rows_ctx;

typedef struct {                /* how a cell is drawn: the part of the band in one column of the screen */
	size_t piece;           /* the position of the longest piece in the cell; SIZE_MAX: the cell is drawn empty */
	bool solid;             /* does this piece fill at least half of the cell, and other pieces hardly any of it? */
	int eighths;            /* the height of the bar in a cell that is not solid, in eighths of a row */
} cell_look;

static ival timeline_rows_get_cell_time(const tui *ui, int cell)
{
	double length = (double)(ui->view.b - ui->view.a), cols = ui->time_cols;
	ival time = { ui->view.a + (int64_t)(length * cell / cols),
		ui->view.a + (int64_t)(length * (cell + 1) / cols) };

	time.b = time.b > time.a ? time.b : time.a + 1;
	return time;
}

/* Choose the look of a cell.  A cell stays empty if a single piece is in it, covers less than half of it, and is at
 * least two cells long.  Such a piece is drawn in another cell, which it fills. */
static cell_look timeline_rows_choose_look(const timeline_rows_ctx *p, int cell)
{
	ival time = timeline_rows_get_cell_time(p->ui, cell), piece_time;
	int64_t cell_ns = time.b - time.a;
	band_part part = band_sum_up(p->b, time);
	cell_look look = { SIZE_MAX, false, 0 };

	if (!part.n)
		return look;
	piece_time = band_time(p->b, part.longest);
	look.solid = part.longest_ns >= cell_ns - cell_ns / 2 &&
		(part.n == 1 || part.longest_ns >= part.busy - part.busy / 8);
	if (part.n == 1 && !look.solid && ns_sub(piece_time.b, piece_time.a) >= 2 * cell_ns)
		return look;
	look.piece = part.longest;
	look.eighths = (int)((double)part.busy * 8 * p->height / (double)cell_ns + 0.999);
	look.eighths = look.eighths < 1 ? 1 : look.eighths > 8 * p->height ? 8 * p->height : look.eighths;
	return look;
}

static uint8_t timeline_rows_get_color(const timeline_rows_ctx *p, size_t piece, char *letter)
{
	unsigned color;

	*letter = p->faint ? '.' : '=';
	if (p->faint || p->ranges)
		return p->faint ? FAINT : GREY;
	color = tui_category_color(p->ui, p->b->item[piece]);
	*letter = p->ui->letter[color];
	return (uint8_t)plot_color_256(color);
}

static void timeline_rows_paint_bar(const timeline_rows_ctx *p, int col, const cell_look *look)
{
	char letter;
	canvas_style style = { .fg = timeline_rows_get_color(p, look->piece, &letter) };

	if (p->selected != SIZE_MAX && look->piece == p->selected)
		style.attr = CANVAS_BOLD;
	for (int i = 0; i < p->height; i++) {
		int n = look->eighths - 8 * (p->height - 1 - i);
		if (n > 0)
			canvas_put(p->c, p->row + i, col, (uint32_t)(BAR + (n < 8 ? n : 8)), style);
	}
}

/* Draw a piece that fills the columns from `from` up to before `to`, with its name and, below the name, its
 * duration.  edge: draw a line at the left, because the cell before it is not empty. */
static void timeline_rows_paint_solid(const timeline_rows_ctx *p, int from, int to, size_t piece, bool edge)
{
	char letter, buf[TUI_TEXT], brief[TUI_BRIEF];
	uint8_t color = timeline_rows_get_color(p, piece, &letter);
	bool selected = piece == p->selected, with_letters = p->ui->display && !display_colors(p->ui->display);
	canvas_style style = { .bg = selected ? YELLOW : color, .attr = selected ? CANVAS_BOLD : 0 };
	uint32_t item = p->b->item[piece];
	ival time = band_time(p->b, piece);
	int room = to - from - edge;
	const char *name;

	style.fg = p->ranges && !selected ? PALE : timeline_rows_choose_ink(style.bg);
	if (selected && with_letters)
		style.attr |= CANVAS_UNDERLINE;
	if (p->faint && with_letters)
		style = (canvas_style){ .attr = CANVAS_DIM };
	for (int i = 0; i < p->height; i++) {
		canvas_fill(p->c, p->row + i, from, to - from, style);
		for (int col = from; with_letters && col < to; col++)
			canvas_put(p->c, p->row + i, col, (uint32_t)letter, style);
		if (edge)
			canvas_put(p->c, p->row + i, from, EDGE, (canvas_style){ .fg = BLACK, .bg = style.bg });
	}
	if (p->faint || room < 3)
		return;
	name = p->ranges ? str_at(&p->ui->t->names, lanes_range_name(p->ui->lanes, item)) : tui_work_name(p->ui, item);
	if (name && p->ranges)
		name = tui_brief_range_name(p->ui, name, brief);
	canvas_text(p->c, p->row, from + edge, room, name ? name : "-", style);
	if (p->height > 1 && room >= 7)
		canvas_text(p->c, p->row + 1, from + edge, room, tui_duration(time.b - time.a, buf), style);
}

static void timeline_rows_paint_band(const timeline_rows_ctx *p)
{
	const tui *ui = p->ui;
	cell_look last = { SIZE_MAX, false, 0 };
	int from = 0;
	bool edge = false;

	for (int cell = 0; cell <= ui->time_cols; cell++) {
		cell_look look = cell < ui->time_cols ? timeline_rows_choose_look(p, cell) :
			(cell_look){ SIZE_MAX, false, 0 };
		if (look.solid && last.solid && look.piece == last.piece)
			continue;
		if (last.solid)
			timeline_rows_paint_solid(p, ui->time_col + from, ui->time_col + cell, last.piece, edge);
		if (!look.solid && look.piece != SIZE_MAX)
			timeline_rows_paint_bar(p, ui->time_col + cell, &look);
		from = cell;
		edge = last.piece != SIZE_MAX;
		last = look;
	}
}

/* ---- the layout */

typedef struct {
	int row;                /* the first row of the timeline on the screen */
	int range_rows;         /* the number of rows of ranges */
	size_t first, end;      /* the drawn streams: from `first` up to before `end` */
	int selected_rows, other_rows;  /* rows of the selected stream, and of each other stream */
} row_layout;

/* Choose the streams that fit into `room` rows, with the selected stream among them. */
static void timeline_rows_lay_out_streams(const tui *ui, row_layout *layout, int room)
{
	size_t n = ui->lanes->nstreams;
	int used;

	layout->other_rows = (int)ui->set.other_rows;
	layout->selected_rows = n > 1 && room > layout->other_rows ? room - layout->other_rows : room;
	if (layout->selected_rows > ui->set.selected_rows)
		layout->selected_rows = (int)ui->set.selected_rows;
	layout->first = layout->end = ui->stream < n ? ui->stream : 0;
	used = n ? layout->selected_rows : 0;
	layout->end += n > 0;
	while (layout->first && used + layout->other_rows <= room / 2 + layout->selected_rows / 2) {
		layout->first--;
		used += layout->other_rows;
	}
	while (layout->end < n && used + layout->other_rows <= room) {
		layout->end++;
		used += layout->other_rows;
	}
	while (layout->first && used + layout->other_rows <= room) {
		layout->first--;
		used += layout->other_rows;
	}
}

static row_layout timeline_rows_lay_out(const tui *ui, int row, int rows)
{
	row_layout layout = { .row = row };
	int room = rows - (rows > 2);           /* the ruler takes a row */

	layout.range_rows = (int)ns_min(ui->set.depth, (int64_t)ui->lanes->nlevels);
	if (layout.range_rows > (room - 1) / 2)
		layout.range_rows = room > 1 ? (room - 1) / 2 : 0;
	if (!ui->lanes->nstreams)
		layout.range_rows = (int)ns_min((int64_t)ui->lanes->nlevels, room);
	timeline_rows_lay_out_streams(ui, &layout, room - layout.range_rows);
	return layout;
}

/* ---- the labels at the left */

static void timeline_rows_label_ranges(const tui *ui, canvas *c, int row, int width)
{
	canvas_style style = { .fg = 245 };

	if (ui->lanes->shown == LANES_THREAD)
		canvas_printf(c, row, 0, width - 1, style, width > 13 ? "ranges, thread %lld" : "CPU %lld",
			      (long long)ui->t->threads[ui->lanes->thread].tid);
	else if (ui->lanes->shown == LANES_STARTEND)
		canvas_text(c, row, 0, width - 1, width > 13 ? "start/end ranges" : "start/end", style);
	else
		canvas_text(c, row, 0, width - 1, width > 13 ? "ranges, GPU side" : "GPU side", style);
}

static void timeline_rows_label_stream(const tui *ui, canvas *c, int row, int width, size_t stream)
{
	const trace_stream *s = &ui->t->streams[ui->lanes->streams[stream].stream];
	bool selected = stream == ui->stream;
	canvas_style style = { .attr = selected ? CANVAS_BOLD : 0 };
	double share = 100.0 * (double)band_sum_up(&ui->lanes->streams[stream].all, ui->view).busy /
		(double)(ui->view.b - ui->view.a);
	char id[32] = "-";

	if (s->stream != TRACE_UNKNOWN)
		snprintf(id, sizeof id, "%lld", (long long)s->stream);
	canvas_put(c, row, 0, selected ? '>' : ' ', style);
	if (width > 13)
		canvas_printf(c, row, 1, width - 2, style, "%-4s %-7s%5.1f%%", id, work_stream_class(s), share);
	else if (width > 7)
		canvas_printf(c, row, 1, width - 2, style, "%-4s %5.1f%%", id, share);
	else
		canvas_text(c, row, 1, width - 2, id, style);
}

/* ---- the ruler and the cursor */

static int timeline_rows_find_column(const tui *ui, int64_t moment)
{
	double share = (double)(moment - ui->view.a) / (double)(ui->view.b - ui->view.a);

	return ui->time_col + (int)(share * ui->time_cols);
}

/* Draw the marked time, and those of its ends that are set. */
static void timeline_rows_draw_marked(const tui *ui, canvas *c, int row)
{
	int64_t ends[2] = { ui->marks ? ui->marks->from : TRACE_UNKNOWN, ui->marks ? ui->marks->to : TRACE_UNKNOWN };
	ival time;

	for (int col = ui->time_col; marks_time(ui, &time) && col < c->cols; col++)
		if (moves_moment(ui, col + 1) > time.a && moves_moment(ui, col) < time.b)
			canvas_at(c, row, col)->style.attr = CANVAS_REVERSE;
	for (int i = 0; i < 2; i++)
		if (ends[i] >= ui->view.a && ends[i] < ui->view.b)
			canvas_put(c, row, timeline_rows_find_column(ui, ends[i]), i ? U']' : U'[',
				   (canvas_style){ .fg = ORANGE, .attr = CANVAS_BOLD | CANVAS_REVERSE });
}

/* Is the cursor or an end of the marked time in these columns? */
static bool timeline_rows_has_mark(const tui *ui, int from, int to)
{
	int64_t moments[3] = { ui->cursor, ui->marks ? ui->marks->from : TRACE_UNKNOWN,
		ui->marks ? ui->marks->to : TRACE_UNKNOWN };

	for (int i = 0; i < 3; i++)
		if (moments[i] >= ui->view.a && moments[i] < ui->view.b &&
		    timeline_rows_find_column(ui, moments[i]) >= from && timeline_rows_find_column(ui, moments[i]) < to)
			return true;
	return false;
}

/* Write the moment of the cursor.  If the text is too wide, its last digits are left out, but not its unit. */
static void timeline_rows_draw_moment(const tui *ui, canvas *c, int row, int width, canvas_style style)
{
	char buf[TUI_TEXT];
	size_t n = strlen(tui_moment(ui, ui->cursor, buf)), over = n > (size_t)width ? n - (size_t)width : 0;

	if (over && over + 3 < n)
		memmove(buf + n - 2 - over, buf + n - 2, 3);
	canvas_text(c, row, 0, width, buf, style);
}

static void timeline_rows_draw_ruler(const tui *ui, canvas *c, int row)
{
	int64_t zero = ui->relative ? ui->places.v[ui->place].first.a : 0;
	ruler r = ruler_choose(ui->view.a - zero, ui->view.b - zero, ui->time_cols / ui->set.tick);
	canvas_style style = { .fg = 245 }, cursor = { .fg = ORANGE, .attr = CANVAS_BOLD };
	char buf[RULER_TEXT];

	for (int col = ui->time_col; col < ui->time_col + ui->time_cols; col++)
		canvas_put(c, row, col, 0x2500, style);
	for (int64_t tick = r.first; tick < ui->view.b - zero; tick += r.step) {
		int col = timeline_rows_find_column(ui, tick + zero),
		    next = timeline_rows_find_column(ui, tick + zero + r.step);
		canvas_put(c, row, col, 0x253c, style);
		ruler_text(&r, tick, buf);
		if (next - col > 2 && !timeline_rows_has_mark(ui, col + 1, col + 1 + (int)strlen(buf)))
			canvas_text(c, row, col + 1, next - col - 2, buf, style);
	}
	timeline_rows_draw_marked(ui, c, row);
	canvas_put(c, row, timeline_rows_find_column(ui, ui->cursor), 0x25b2, cursor);
	if (ui->time_col > 7)
		timeline_rows_draw_moment(ui, c, row, ui->time_col - 1, cursor);
}

static void timeline_rows_draw_cursor(const tui *ui, canvas *c, int from, int to)
{
	int col = timeline_rows_find_column(ui, ui->cursor);

	for (int row = from; row < to; row++) {
		canvas_cell *cell = canvas_at(c, row, col);
		if (cell && cell->code == ' ') {
			cell->code = LINE;
			cell->style.fg = cell->style.bg ? timeline_rows_choose_ink(cell->style.bg) : ORANGE;
		}
	}
}

/* ---- the whole timeline */

static int timeline_rows_draw_ranges(tui *ui, canvas *c, const row_layout *layout)
{
	for (int d = 0; d < layout->range_rows; d++)
		timeline_rows_paint_band(
			&(timeline_rows_ctx){ ui, c, &ui->lanes->level[d], layout->row + d, 1, true, false, SIZE_MAX });
	if (layout->range_rows && ui->time_col)
		timeline_rows_label_ranges(ui, c, layout->row, ui->time_col);
	return layout->row + layout->range_rows;
}

static int timeline_rows_draw_streams(tui *ui, canvas *c, const row_layout *layout, int row)
{
	for (size_t s = layout->first; s < layout->end; s++) {
		int height = s == ui->stream ? layout->selected_rows : layout->other_rows;
		if (ui->lanes->filtered)
			timeline_rows_paint_band(&(timeline_rows_ctx){ ui, c, &ui->lanes->streams[s].all, row, height,
								       false, true, SIZE_MAX });
		timeline_rows_paint_band(&(timeline_rows_ctx){ ui, c, lanes_kept(ui->lanes, s), row, height, false,
							       false, s == ui->stream ? ui->piece : SIZE_MAX });
		if (ui->time_col)
			timeline_rows_label_stream(ui, c, row, ui->time_col, s);
		row += height;
	}
	return row;
}

int timeline_rows_draw(tui *ui, canvas *c, int row, int rows)
{
	row_layout layout;
	int end;

	ui->time_col = c->cols >= 100 ? 20 : c->cols >= 60 ? 13 : c->cols >= 36 ? 7 : 0;
	ui->time_cols = c->cols - ui->time_col;
	tui_set_view(ui, ui->view);
	layout = timeline_rows_lay_out(ui, row, rows);
	end = timeline_rows_draw_streams(ui, c, &layout, timeline_rows_draw_ranges(ui, c, &layout));
	ui->streams_from = layout.first;
	ui->streams_to = layout.end;
	ui->stream_row = layout.row + layout.range_rows;
	ui->selected_rows = layout.selected_rows;
	timeline_rows_draw_cursor(ui, c, row, end);
	if (rows > 2)
		timeline_rows_draw_ruler(ui, c, end++);
	return end;
}

void timeline_rows_click(tui *ui, int row, int col)
{
	size_t before = ui->stream;
	int end = ui->stream_row;

	for (size_t s = ui->streams_from; s < ui->streams_to; s++) {
		end += s == ui->stream ? ui->selected_rows : (int)ui->set.other_rows;
		if (row >= ui->stream_row && row < end) {
			ui->stream = s;
			break;
		}
	}
	if (col >= ui->time_col && col < ui->time_col + ui->time_cols)
		tui_move_cursor(ui, moves_moment(ui, col));
	else if (ui->stream != before)
		tui_select(ui);
}
