#include "base/screen.h"
#include "tui/tui.h"

static const canvas_style plain = { .fg = 252, .bg = 236 },
	chosen = { .fg = 231, .bg = 24, .attr = CANVAS_BOLD }, strong = { .fg = 231, .bg = 236, .attr = CANVAS_BOLD },
	heading = { .fg = 214, .bg = 236, .attr = CANVAS_BOLD };

/* ---- prompts in the last line */

void tui_open_prompt(tui *ui, const tui_prompt *p, const char *text)
{
	ui->prompt = p;
	snprintf(ui->input, sizeof ui->input, "%s", text);
}

/* Remove the last character, however many bytes it has. */
static void panels_remove_character(char *text)
{
	size_t n = strlen(text);

	while (n && ((unsigned char)text[--n] & 0xc0) == 0x80)
		;
	text[n] = 0;
}

void tui_add_character(char *text, size_t size, int key)
{
	size_t n = strlen(text), len = key < 0x80 ? 1 : key < 0x800 ? 2 : key < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	if (key < ' ' || key >= DISPLAY_NONE || n + len >= size)
		return;
	for (size_t i = len; i-- > 1; key >>= 6)
		text[n + i] = (char)(0x80 | (key & 0x3f));
	text[n] = (char)(first[len == 1 ? 0 : len] | key);
	text[n + len] = 0;
}

enum { CTRL_U = 21 };

static void panels_press_prompt(tui *ui, int key)
{
	const tui_prompt *p = ui->prompt;

	if (key == DISPLAY_ESCAPE || key == DISPLAY_ENTER) {
		ui->prompt = NULL;
		if (key == DISPLAY_ESCAPE && p->changed)
			p->changed(ui, "");
		if (key == DISPLAY_ENTER && !p->done(ui, ui->input))
			ui->prompt = p;
		return;
	}
	if (key == DISPLAY_BACKSPACE)
		panels_remove_character(ui->input);
	else if (key == CTRL_U)
		*ui->input = 0;
	else
		tui_add_character(ui->input, sizeof ui->input, key);
	if (p->changed)
		p->changed(ui, ui->input);
}

/* ---- panels */

void tui_open_panel(tui *ui, const tui_panel *p)
{
	ui->panel = p;
	ui->panel_at = ui->panel_top = 0;
}

static void panels_press_panel(tui *ui, int key)
{
	const tui_panel *p = ui->panel;
	int n = p->lines(ui), *at = p->chooses ? &ui->panel_at : &ui->panel_top;

	if (p->key && p->key(ui, key))
		return;
	if (key == DISPLAY_UP || key == DISPLAY_WHEEL_UP)
		*at -= 1;
	else if (key == DISPLAY_DOWN || key == DISPLAY_WHEEL_DOWN)
		*at += 1;
	else if (key == DISPLAY_PAGE_UP || key == DISPLAY_PAGE_DOWN)
		*at += key == DISPLAY_PAGE_UP ? -10 : 10;
	else if (key != DISPLAY_NONE && key != DISPLAY_RESIZED)
		ui->panel = NULL;
	*at = *at >= n ? n - 1 : *at;
	*at = *at < 0 ? 0 : *at;
}

bool panels_press(tui *ui, int key)
{
	if (!ui->prompt && !ui->panel)
		return false;
	if (ui->prompt)
		panels_press_prompt(ui, key);
	else
		panels_press_panel(ui, key);
	return true;
}

static void panels_draw_prompt(const tui *ui, canvas *c)
{
	int label, row = c->rows - 1, room;
	canvas_style style = { .attr = CANVAS_BOLD };

	canvas_fill(c, row, 0, c->cols, (canvas_style){ 0 });
	label = canvas_text(c, row, 0, c->cols * 2 / 3, ui->prompt->label, style);
	room = c->cols - label - 1;
	label += canvas_text(c, row, label, room, ui->input, (canvas_style){ 0 });
	canvas_put(c, row, label, ' ', (canvas_style){ .attr = CANVAS_REVERSE });
	if (*ui->message && c->rows > 1)
		tui_draw_message(ui, c, row - 1);
}

enum { USUAL_WIDTH = 76 };      /* the usual width of a panel; it is wider if tui_panel.width is, and never wider
				 * than the screen */

/* Draw the panel, with blanks beside it, because parts of words there would seem to belong to the panel. */
static void panels_draw_panel(tui *ui, canvas *c)
{
	const tui_panel *p = ui->panel;
	int n = p->lines(ui), height = n < c->rows - 2 ? n : c->rows - 2, width = p->width ? p->width(ui) + 2 : 0;
	int row = (c->rows - height - 1) / 2, col;

	width = width < USUAL_WIDTH ? USUAL_WIDTH : width;
	width = width < c->cols ? width : c->cols;
	col = (c->cols - width) / 2;
	row = row < 0 ? 0 : row;
	if (p->chooses && ui->panel_at < ui->panel_top)
		ui->panel_top = ui->panel_at;
	if (p->chooses && ui->panel_at >= ui->panel_top + height)
		ui->panel_top = ui->panel_at - height + 1;
	if (ui->panel_top > n - height)
		ui->panel_top = n - height;
	for (int i = 0; i <= height; i++)
		canvas_fill(c, row + i, 0, c->cols, (canvas_style){ 0 });
	canvas_fill(c, row, col, width, strong);
	canvas_printf(c, row, col + 1, width - 2, strong, n > height ? "%s (%d of %d lines)" : "%s", p->title,
		      height, n);
	for (int i = 0; i < height; i++) {
		canvas_style style = p->chooses && ui->panel_top + i == ui->panel_at ? chosen : plain;
		canvas_fill(c, row + 1 + i, col, width, style);
		p->line(ui, c, row + 1 + i, col + 1, width - 2, ui->panel_top + i, style);
	}
}

void panels_draw(tui *ui, canvas *c)
{
	if (ui->panel)
		panels_draw_panel(ui, c);
	if (ui->prompt)
		panels_draw_prompt(ui, c);
}

canvas_style panels_strong_style(void)
{
	return strong;
}

/* ---- the help: the keys of the view that is shown */

static int panels_count_help(tui *ui)
{
	int n = 0;

	for (const tui_key *k = tui_keys; k->key; k++)
		n += (k->views & ui->shown) != 0;
	return n;
}

static void panels_draw_help(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	const tui_key *k = tui_keys;
	int left = width < 40 ? 8 : 16;

	while (!(k->views & ui->shown) || line--)
		k++;
	if (k->key == TUI_HEADING) {
		canvas_text(c, row, col, width, k->label, heading);
		return;
	}
	canvas_text(c, row, col + 2, left - 2, k->label, strong);
	canvas_text(c, row, col + left, width - left, k->what, style);
}

void panels_help(tui *ui, int key UNNEEDED)
{
	static const tui_panel p = { "Keys: up and down scroll, any other closes this",
				     panels_count_help,
				     panels_draw_help,
				     NULL,
				     NULL,
				     false };

	tui_open_panel(ui, &p);
}

/* ---- settings */

static const struct {
	const char *name;
	int64_t least, most, step;
	size_t offset;          /* in tui_settings */
} settings[] = {
	{ "rows of the selected stream", 1, 9, 1, offsetof(tui_settings, selected_rows) },
	{ "rows of the other streams", 1, 5, 1, offsetof(tui_settings, other_rows) },
	{ "columns from tick to tick", 12, 60, 4, offsetof(tui_settings, tick) },
	{ "depth of ranges", 0, LANES_LEVELS, 1, offsetof(tui_settings, depth) },
	{ "shortest kernel", 0, 1000000000, 1, offsetof(tui_settings, shortest) },
};

enum { SETTINGS = sizeof settings / sizeof *settings, SHORTEST = SETTINGS - 1 };

static int64_t *panels_get_setting(tui *ui, int i)
{
	return (int64_t *)(void *)((char *)&ui->set + settings[i].offset);
}

static int panels_count_settings(tui *ui UNNEEDED)
{
	return SETTINGS;
}

static void panels_draw_setting(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	char buf[TUI_TEXT];

	canvas_text(c, row, col, width - 14, settings[line].name, style);
	col += width - 13;
	if (line == SHORTEST)
		canvas_text(c, row, col, 13, ui->set.shortest ? tui_duration(ui->set.shortest, buf) : "all", style);
	else
		canvas_printf(c, row, col, 13, style, "%lld", (long long)*panels_get_setting(ui, line));
}

/* The next larger or smaller setting for the shortest kernel.  The settings are 0, and 1, 2 and 5 times powers of ten
 * from 1 us to 0.5 s. */
static int64_t panels_next_shortest(int64_t now, bool up)
{
	int64_t before = 0;
	static const int64_t factors[] = { 1, 2, 5 };

	for (int64_t ten = 1000; ten <= 100000000; ten *= 10)
		for (int i = 0; i < 3; i++) {
			int64_t x = ten * factors[i];
			if (up ? x > now : x >= now)
				return up ? x : before;
			before = x;
		}
	return before;
}

static bool panels_press_setting(tui *ui, int key)
{
	int i = ui->panel_at;
	bool up = key == DISPLAY_RIGHT || key == '+' || key == '=';
	int64_t *x = panels_get_setting(ui, i), to;

	if (!up && key != DISPLAY_LEFT && key != '-')
		return false;
	to = i == SHORTEST ? panels_next_shortest(*x, up) : *x + (up ? settings[i].step : -settings[i].step);
	if (to >= settings[i].least && to <= settings[i].most)
		*x = to;
	if (i == SHORTEST)
		filter_apply(ui);
	return true;
}

void panels_settings(tui *ui, int key UNNEEDED)
{
	static const tui_panel p = { "Settings: left and right change one, Esc closes this", panels_count_settings,
		panels_draw_setting, panels_press_setting, NULL, true };

	tui_open_panel(ui, &p);
}

/* ---- processes and GPUs */

static int panels_count_places(tui *ui)
{
	return (int)ui->places.n;
}

static const char *panels_get_file_name(const tui *ui, size_t place)
{
	return text_base(ui->sources.v[ui->places.v[place].source].path);
}

enum { PLACE_COLUMNS = 46 };    /* the number of columns before the file's name */

static int panels_measure_place_width(tui *ui)
{
	size_t longest = 0;

	for (size_t i = 0; i < ui->places.n; i++) {
		size_t width = screen_width(panels_get_file_name(ui, i));
		longest = width > longest ? width : longest;
	}
	return PLACE_COLUMNS + (int)longest;
}

static void panels_draw_place(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	const tui_place *p = &ui->places.v[line];
	int at;

	if (width > PLACE_COLUMNS + 8)
		at = canvas_printf(c, row, col, width, style, "%-10s %-9s %-6s %8zu kernels  ", p->pid, p->rank_text,
				   p->gpu_text, p->kernels);
	else
		at = canvas_printf(c, row, col, width, style, "%s %s %s  ", p->pid, p->rank_text, p->gpu_text);
	canvas_text(c, row, col + at, width - at, panels_get_file_name(ui, (size_t)line), style);
	if ((size_t)line == ui->place)
		canvas_put(c, row, col - 1, '*', style);
}

void panels_say_place(tui *ui)
{
	if (ui->places.n > 1)
		tui_say(ui, "%s %zu of %zu: p shows the next, P lists them",
			ui->sources.n == ui->places.n ? "trace" : "process and GPU", ui->place + 1, ui->places.n);
}

/* Show another place.  The view and the cursor stay if the view was moved, the new place is of the same trace, and the
 * view overlaps the time of the new place's process.  So the places can be compared. */
static void panels_change_place(tui *ui, size_t to)
{
	const tui_place *from = &ui->places.v[ui->place], *p = &ui->places.v[to];
	ival view = ui->view;
	int64_t cursor = ui->cursor;
	bool moved = view.a != ui->opened.a || view.b != ui->opened.b, same_trace = from->source == p->source;

	if (!tui_show_place(ui, to))
		return;
	if (moved && same_trace && view.a < ui->limit.b && view.b > ui->limit.a) {
		ui->cursor = cursor;
		tui_set_view(ui, view);
		tui_move_cursor(ui, cursor);
	}
	panels_say_place(ui);
}

static bool panels_press_place(tui *ui, int key)
{
	if (key != DISPLAY_ENTER)
		return false;
	ui->panel = NULL;
	panels_change_place(ui, (size_t)ui->panel_at);
	return true;
}

void panels_places(tui *ui, int key)
{
	static const tui_panel p = { "Processes and GPUs: Enter shows one",
				     panels_count_places,
				     panels_draw_place,
				     panels_press_place,
				     panels_measure_place_width,
				     true };

	if (key == 'p') {
		if (ui->places.n > 1)
			panels_change_place(ui, (ui->place + 1) % ui->places.n);
		else
			tui_say(ui, "there is only this process and GPU");
		return;
	}
	tui_open_panel(ui, &p);
	ui->panel_at = (int)ui->place;
}
