#include "tui/tui.h"

/* ---- the selection */

static const band *moves_get_selected_band(const tui *ui)
{
	return ui->stream < ui->lanes->nstreams ? lanes_kept(ui->lanes, ui->stream) : NULL;
}

uint32_t tui_selected_work(const tui *ui)
{
	const band *b = moves_get_selected_band(ui);

	return b && ui->piece < b->n ? b->item[ui->piece] : NONE;
}

void tui_select(tui *ui)
{
	const band *b = moves_get_selected_band(ui);

	ui->piece = b ? band_find_open(b, ui->cursor) : SIZE_MAX;
}

/* ---- the view */

static int64_t moves_clamp(int64_t x, int64_t low, int64_t high)
{
	return x > high ? high : x < low ? low : x;
}

/* The view is never shorter than a nanosecond per column, unless ui->limit is. */
void tui_set_view(tui *ui, ival view)
{
	int64_t all = ui->limit.b - ui->limit.a, least = ui->time_cols > 0 ? ui->time_cols : 1, length;

	length = moves_clamp(ns_sub(view.b, view.a), least < all ? least : all, all);
	view.a = moves_clamp(view.a, ui->limit.a, ui->limit.b - length);
	ui->view = (ival){ view.a, view.a + length };
	if (ui->cursor < ui->view.a || ui->cursor >= ui->view.b) {
		ui->cursor = moves_clamp(ui->cursor, ui->view.a, ui->view.b - 1);
		tui_select(ui);
	}
}

/* Move the cursor to a moment.  If the moment is outside of the view, move the view so that its middle is at the
 * cursor, or as near as ui->limit allows. */
static void moves_put_cursor(tui *ui, int64_t moment)
{
	int64_t half = (ui->view.b - ui->view.a) / 2;

	ui->cursor = moves_clamp(moment, ui->limit.a, ui->limit.b - 1);
	if (ui->cursor < ui->view.a || ui->cursor >= ui->view.b)
		tui_set_view(ui, (ival){ ui->cursor - half, ui->cursor + half });
}

void tui_move_cursor(tui *ui, int64_t moment)
{
	moves_put_cursor(ui, moment);
	tui_select(ui);
}

void tui_go_to_range(tui *ui, ival at)
{
	int64_t room = ns_sub(at.b, at.a) / 20;

	ui->cursor = moves_clamp(at.a, ui->limit.a, ui->limit.b - 1);
	tui_set_view(ui, (ival){ ns_sub(at.a, room), ns_add(at.b, room) });
	tui_select(ui);
}

/* Go to the piece at a position of the selected stream, and select it. */
static void moves_go_to_piece(tui *ui, size_t piece)
{
	ival at = band_time(moves_get_selected_band(ui), piece);
	int64_t length = ui->view.b - ui->view.a;

	moves_put_cursor(ui, at.a);
	if (at.b > ui->view.b && at.b - at.a < length)
		tui_set_view(ui, (ival){ at.b - length / 4 * 3, at.b + length / 4 });
	ui->piece = piece;
}

/* Select the stream of a piece of work.  Returns the position of the work in lanes_kept; SIZE_MAX: the filter drops
 * it. */
static size_t moves_select_stream_with(tui *ui, uint32_t work)
{
	int64_t start = ui->t->work.start[work];
	const band *b;

	for (size_t s = 0; s < ui->lanes->nstreams; s++)
		if (ui->lanes->streams[s].stream == ui->t->work.stream[work])
			ui->stream = s;
	b = moves_get_selected_band(ui);
	for (size_t i = band_find_from(b, start); i < b->n && band_time(b, i).a == start; i++)
		if (b->item[i] == work)
			return i;
	return SIZE_MAX;
}

void tui_select_work(tui *ui, uint32_t work)
{
	ui->piece = moves_select_stream_with(ui, work);
	if (ui->piece == SIZE_MAX)
		tui_select(ui);
}

void tui_go_to_work(tui *ui, uint32_t work)
{
	size_t piece = moves_select_stream_with(ui, work);

	if (piece != SIZE_MAX)
		moves_go_to_piece(ui, piece);
	else
		tui_move_cursor(ui, ui->t->work.start[work]);
}

/* ---- keys */

/* Move the view and the cursor by the same time.  If the view is at an end of ui->limit, only the cursor moves. */
static void moves_pan_view(tui *ui, int64_t by)
{
	ival before = ui->view;
	int64_t to = ns_add(ui->cursor, by);

	tui_set_view(ui, (ival){ ns_add(before.a, by), ns_add(before.b, by) });
	ui->cursor = moves_clamp(to, ui->view.a, ui->view.b - 1);
	tui_select(ui);
}

static int64_t moves_divide_view(const tui *ui, int64_t n)
{
	int64_t part = (ui->view.b - ui->view.a) / n;

	return part ? part : 1;
}

void moves_pan(tui *ui, int key)
{
	bool shift = key == DISPLAY_SHIFT_LEFT || key == DISPLAY_SHIFT_RIGHT;
	bool left = key == DISPLAY_LEFT || key == DISPLAY_SHIFT_LEFT || key == DISPLAY_PAGE_UP;
	int64_t by = moves_divide_view(ui, shift ? 4 : key == DISPLAY_LEFT || key == DISPLAY_RIGHT ? 20 : 1);

	moves_pan_view(ui, left ? -by : by);
}

void moves_cursor(tui *ui, int key)
{
	int64_t by = moves_divide_view(ui, ui->time_cols > 0 ? ui->time_cols : 1);
	int64_t to = ns_add(ui->cursor, key == '<' ? -by : by);

	if (to < ui->view.a || to >= ui->view.b)
		moves_pan_view(ui, to - ui->cursor);
	else
		tui_move_cursor(ui, to);
}

void moves_home_or_end(tui *ui, int key)
{
	tui_move_cursor(ui, key == DISPLAY_HOME ? ui->limit.a : ui->limit.b - 1);
}

void moves_stream(tui *ui, int key)
{
	if (key == DISPLAY_UP && ui->stream)
		ui->stream--;
	else if (key == DISPLAY_DOWN && ui->stream + 1 < ui->lanes->nstreams)
		ui->stream++;
	tui_select(ui);
}

void moves_kernel(tui *ui, int key)
{
	const band *b = moves_get_selected_band(ui);
	size_t piece = b ? ui->piece < b->n ? ui->piece : band_find_from(b, ui->cursor) : 0;
	bool selected = b && ui->piece < b->n;

	if (b && key == DISPLAY_TAB && piece + selected < b->n)
		moves_go_to_piece(ui, piece + selected);
	else if (b && key == DISPLAY_SHIFT_TAB && piece)
		moves_go_to_piece(ui, piece - 1);
	else
		tui_say(ui, "no %s kernel on this stream", key == DISPLAY_TAB ? "further" : "earlier");
}

static void moves_zoom_view(tui *ui, bool in, int64_t about)
{
	int64_t length = ui->view.b - ui->view.a, new_length = in ? length / 2 : ns_add(length, length);
	double share = (double)(about - ui->view.a) / (double)length;

	new_length = new_length > 0 ? new_length : 1;
	about -= (int64_t)(share * (double)new_length);
	tui_set_view(ui, (ival){ about, ns_add(about, new_length) });
}

void moves_zoom(tui *ui, int key)
{
	moves_zoom_view(ui, key == '+' || key == '=', ui->cursor);
}

void moves_show_all(tui *ui, int key UNNEEDED)
{
	tui_set_view(ui, ui->limit);
}

void moves_zoom_to_kernel(tui *ui, int key UNNEEDED)
{
	uint32_t work = tui_selected_work(ui);
	int64_t length;
	ival at;

	if (work == NONE) {
		tui_say(ui, "no kernel is selected: Tab goes to the next one");
		return;
	}
	at = (ival){ ui->t->work.start[work], ui->t->work.end[work] };
	length = ns_sub(at.b, at.a);
	tui_set_view(ui, (ival){ ns_sub(at.a, length), ns_add(at.b, length) });
}

int64_t moves_moment(const tui *ui, int col)
{
	double share = ui->time_cols > 0 ? (double)(col - ui->time_col) / ui->time_cols : 0;

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return ui->view.a + (int64_t)(share * (double)(ui->view.b - ui->view.a));
}

void moves_wheel(tui *ui, int col, bool in)
{
	moves_zoom_view(ui, in, moves_clamp(moves_moment(ui, col), ui->view.a, ui->view.b - 1));
}
