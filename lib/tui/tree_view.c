#include "picture/plot_colors.h"
#include "tui/marks.h"
#include "tui/outline.h"

enum { MOST_ROWS = 200000 };    /* the most rows that the key * opens */

enum { TIME_ALL, TIME_VIEW, TIME_MARK, TIME_CHOICES };

struct tui_tree {
	outline *o;             /* the rows and their sums (outline.h); NULL: nothing was summed up yet */
	windows windows;        /* the one window that was summed up */
	size_t place;           /* the place that was summed up, an index of tui.places */
	ival time;              /* the time that was summed up; a > b: all of the process */
	bool full;              /* do the sums have demangled names? */
	int choice;             /* which time to sum up: TIME_ALL, TIME_VIEW or TIME_MARK */
	size_t top;             /* the first row of the tree that is drawn */
	int row;                /* the screen row of the first row of the tree */
	int rows;               /* the number of rows of the tree that the screen has room for */
	pattern *re;            /* the search, or NULL */
	char text[TUI_INPUT];   /* the search as typed */
};

/* ---- summing up */

static ival tree_view_choose_time(const tui *ui)
{
	ival time = IVAL_NOWHERE;

	if (ui->tree->choice == TIME_VIEW)
		time = ui->view;
	else if (ui->tree->choice == TIME_MARK)
		marks_time(ui, &time);
	return time;
}

static bool tree_view_resolve_window(tui *ui, ival time)
{
	const tui_place *p = &ui->places.v[ui->place];
	const trace_proc *proc = &ui->t->procs[p->proc];
	window_filter only = { .pid = proc->pid, .sub = proc->sub, .gpu = p->gpu };
	window_ask ask = { .has_a = true, .has_b = true, .a = time.a, .b = time.b, .pid = -1, .sub = -1, .device = -1,
		.shown = "the time that is shown" };
	window_asks asks = { .v = &ask, .n = 1 };
	struct tui_tree *tree = ui->tree;
	notes say = { 0 };              /* these notes are dropped */

	window_free(&tree->windows);
	tree->windows = window_resolve(ui->t, time.a < time.b ? &asks : NULL, &only, WINDOW_TRACE, &say);
	notes_free(&say);
	return tree->windows.n > 0;
}

void tree_view_update(tui *ui)
{
	struct tui_tree *tree = ui->tree;
	ival time;

	if (ui->shown != TUI_TREE)
		return;
	time = tree_view_choose_time(ui);
	if (tree->o && tree->place == ui->place && tree->full == ui->full_names &&
	    tree->time.a == time.a && tree->time.b == time.b)
		return;
	tui_draw_busy(ui, "summing up the ranges");
	if (!tree_view_resolve_window(ui, time)) {
		tree_view_forget(ui);
		ui->shown = TUI_TIMELINE;
		tui_say(ui, "there is nothing in this time");
		return;
	}
	tree->place = ui->place;
	tree->full = ui->full_names;
	tree->time = time;
	if (tree->o) {
		outline_set_window(tree->o, &tree->windows.v[0], tree->full);
		return;
	}
	tree->o = outline_build(ui->lanes->around, &tree->windows.v[0], tree->full);
	outline_find(tree->o, tree->re, tree->text);
}

void tree_view_forget(tui *ui)
{
	struct tui_tree *tree = ui->tree;

	if (!tree || !tree->o)
		return;
	outline_free(tree->o);
	window_free(&tree->windows);
	tree->o = NULL;
	tree->top = 0;
}

void tree_view_free(tui *ui)
{
	tree_view_forget(ui);
	if (ui->tree)
		pattern_free(ui->tree->re);
	free(ui->tree);
	ui->tree = NULL;
}

void tree_view_switch(tui *ui, int key UNNEEDED)
{
	ival time;

	if (ui->shown == TUI_TREE) {
		ui->shown = TUI_TIMELINE;
		return;
	}
	if (!ui->tree) {
		ui->tree = mem_new(struct tui_tree, 1);
		ui->tree->choice = ui->windows.n ? TIME_VIEW : TIME_ALL;
	}
	if (marks_time(ui, &time))
		ui->tree->choice = TIME_MARK;
	ui->shown = TUI_TREE;
}

/* ---- drawing */

enum { WHITE = 231, BAR_FULL = 0x2588, OPEN = 0x25be, CLOSED = 0x25b8 };

static const canvas_style dim = { .fg = 245 }, bar = { .fg = 252, .bg = 237 }, orange = { .fg = 214, .bg = 237 };

enum { GPU, SHARE, BAR, GPU_OWN, KERNELS, CPU, CPU_OWN, COUNT, COLUMNS };

/* A column is shown if the screen is at least `least` characters wide.  The names of the rows take the rest. */
static const struct {
	const char *head;
	int width, least;
	size_t offset;          /* of the number in an outline_row */
} columns[COLUMNS] = {
	[GPU] = { "GPU", 10, 16, offsetof(outline_row, gpu_ns) },
	[SHARE] = { "share", 8, 44, offsetof(outline_row, gpu_ns) },
	[BAR] = { "", 11, 66, offsetof(outline_row, gpu_ns) },
	[GPU_OWN] = { "GPU own", 11, 120, offsetof(outline_row, gpu_own_ns) },
	[KERNELS] = { "kernels", 9, 120, offsetof(outline_row, kernels) },
	[CPU] = { "CPU", 11, 56, offsetof(outline_row, cpu_ns) },
	[CPU_OWN] = { "CPU own", 11, 120, offsetof(outline_row, cpu_own_ns) },
	[COUNT] = { "count", 8, 76, offsetof(outline_row, count) },
};

static void tree_view_draw_title(tui *ui, canvas *c)
{
	const struct tui_tree *tree = ui->tree;
	const tui_place *p = &ui->places.v[ui->place];
	char a[TUI_TEXT], b[TUI_TEXT];
	int at = 0;

	canvas_fill(c, 0, 0, c->cols, bar);
	if (c->cols >= 60)
		at = canvas_printf(c, 0, 0, c->cols / 4, bar, "%s  ", text_base(ui->sources.v[p->source].path));
	if (c->cols >= 36)
		at += canvas_printf(c, 0, at, c->cols - at, bar, "pid %s%s%s  ", p->pid,
				    *p->gpu_text ? " " : "", p->gpu_text);
	at += canvas_printf(c, 0, at, c->cols - at, bar, "%s in %lld kernel%s", tui_duration(tree->o->total_ns, a),
			    (long long)tree->o->kernels, tree->o->kernels == 1 ? "" : "s");
	if (tree->time.a < tree->time.b)
		at += canvas_printf(c, 0, at, c->cols - at, orange, "  %s ",
				    tree->choice == TIME_MARK ? "marked" : "in view");
	if (tree->time.a < tree->time.b && c->cols >= 100)
		canvas_printf(c, 0, at, c->cols - at, orange, "%s..%s", tui_moment(ui, tree->time.a, a),
			      tui_moment(ui, tree->time.b, b));
	else if (tree->time.a < tree->time.b)
		canvas_text(c, 0, at, c->cols - at, tui_duration(tree->time.b - tree->time.a, a), orange);
}

static void tree_view_draw_heads(const tui *ui, canvas *c, int row)
{
	static const char *const orders[] = { [OUTLINE_BY_GPU] = "by GPU time", [OUTLINE_BY_CPU] = "by CPU time",
		[OUTLINE_BY_START] = "in order" };
	int at = 0;

	for (int k = 0; k < COLUMNS; k++)
		if (c->cols >= columns[k].least) {
			canvas_printf(c, row, at, columns[k].width, dim, "%*s", columns[k].width, columns[k].head);
			at += columns[k].width;
		}
	canvas_printf(c, row, at + 3, c->cols - at - 3, dim, "range or kernel, %s", orders[ui->tree->o->order]);
}

static void tree_view_draw_bar(canvas *c, int row, int at, int64_t part, int64_t whole, canvas_style style)
{
	double cells = whole > 0 && part > 0 ? (double)part / (double)whole * (columns[BAR].width - 1) : 0;
	int full = (int)cells, eighths = (int)((cells - full) * 8);

	for (int i = 0; i < full; i++)
		canvas_put(c, row, at + 1 + i, BAR_FULL, style);
	if (eighths || (!full && cells > 0))
		canvas_put(c, row, at + 1 + full, (uint32_t)(BAR_FULL + 8 - (eighths ? eighths : 1)), style);
}

/* The text of a row's number in a column; "" if the row has no such number. */
static const char *tree_view_format_cell(const tui *ui, const outline_row *r, int column, char buf[TUI_TEXT])
{
	int64_t number = *(const int64_t *)(const void *)((const char *)r + columns[column].offset);
	int64_t whole = ui->tree->o->total_ns;

	if (number == TRACE_UNKNOWN || (column == SHARE && whole <= 0))
		return "";
	if (column == SHARE)
		snprintf(buf, TUI_TEXT, "%.2f%%", 100.0 * (double)number / (double)whole);
	else if (column == KERNELS || column == COUNT)
		snprintf(buf, TUI_TEXT, "%lld", (long long)number);
	else
		tui_duration(number, buf);
	return buf;
}

/* Draw a name, indented by its depth.  If the indent would be too wide, it is limited, and a number shows the depth
 * if there is room. */
static void tree_view_draw_name(const tui *ui, const outline_row *r, canvas *c, int row, int at, canvas_style style)
{
	bool tight = c->cols - at < 24;
	size_t most = tight ? 3 : (size_t)(c->cols - at) / 4;
	int indent = (int)(r->depth < most ? r->depth : most) * (tight ? 1 : 2);
	char buf[TUI_BRIEF];
	bool in_no_range = r->kind == OUTLINE_RANGES && !r->depth && strcmp(r->name, "-") == 0;

	at += indent;
	if (r->opens)
		canvas_put(c, row, at, r->open ? OPEN : CLOSED, style);
	at += 2;
	if (r->depth >= most && !tight)
		at += canvas_printf(c, row, at, c->cols - at, style, "(%zu) ", r->depth);
	if (r->kind == OUTLINE_EACH)
		canvas_printf(c, row, at, c->cols - at, style, "each of %lld", (long long)r->count);
	else
		canvas_text(c, row, at, c->cols - at,
			    in_no_range ? "in no range" : tui_brief_range_name(ui, r->name, buf), style);
}

static void tree_view_draw_row(tui *ui, canvas *c, int row, size_t index)
{
	outline_row r = outline_row_at(ui->tree->o, index);
	bool chosen = index == ui->tree->o->at, has_work = r.work != NONE;
	canvas_style style = { .fg = chosen ? WHITE : 0, .bg = chosen ? 24 : 0 }, colored = style;
	char buf[TUI_TEXT];
	int at = 0;

	if (chosen)
		canvas_fill(c, row, 0, c->cols, style);
	colored.fg = (uint8_t)(has_work ? plot_color_256(tui_category_color(ui, r.work)) : 67);
	for (int k = 0; k < COLUMNS; k++) {
		if (c->cols < columns[k].least)
			continue;
		if (k == BAR)
			tree_view_draw_bar(c, row, at, r.gpu_ns, ui->tree->o->total_ns, colored);
		else
			canvas_printf(c, row, at, columns[k].width, style, "%*s", columns[k].width,
				      tree_view_format_cell(ui, &r, k, buf));
		at += columns[k].width;
	}
	if (r.match)
		style.attr |= CANVAS_BOLD | CANVAS_UNDERLINE;
	if (has_work && !chosen)
		style.fg = colored.fg;
	if (r.kind == OUTLINE_EACH && !chosen)
		style = dim;
	tree_view_draw_name(ui, &r, c, row, at + 1, style);
}

/* Draw the path of the chosen row and, below it, the numbers that no column shows. */
static void tree_view_draw_details(tui *ui, canvas *c, int row, int rows)
{
	const outline *o = ui->tree->o;
	outline_row r = outline_row_at(o, o->at);
	char *path = outline_path(o, o->at);
	char p50[TUI_TEXT], p90[TUI_TEXT], max[TUI_TEXT], mean[TUI_TEXT], moment[TUI_TEXT];
	int at = 0;

	canvas_wrap(c, row, rows - 1, path, (canvas_style){ .attr = CANVAS_BOLD });
	free(path);
	row += rows - 1;
	if (r.parent_ns > 0 && r.gpu_ns != TRACE_UNKNOWN)
		at += canvas_printf(c, row, at, c->cols, dim, "%.2f%% of its parent  ",
				    100.0 * (double)r.gpu_ns / (double)r.parent_ns);
	if (r.start_ns != TRACE_UNKNOWN)
		at += canvas_printf(c, row, at, c->cols - at, dim, "from %s  ", tui_moment(ui, r.start_ns, moment));
	if (r.tid != TRACE_UNKNOWN)
		at += canvas_printf(c, row, at, c->cols - at, dim, "thread %lld  ", (long long)r.tid);
	if (r.kind == OUTLINE_RANGES && r.count > 0)
		at += canvas_printf(c, row, at, c->cols - at, dim, "CPU mean %s  max %s  ",
				    tui_duration(r.mean_ns, mean), tui_duration(r.max_ns, max));
	if (r.kind == OUTLINE_RANGES && r.count > 0 && c->cols >= 100)
		at += canvas_printf(c, row, at, c->cols - at, dim, "p50 %s  p90 %s  ", tui_duration(r.p50_ns, p50),
				    tui_duration(r.p90_ns, p90));
	if (strcmp(r.domain, "-") != 0)
		canvas_printf(c, row, at, c->cols - at, dim, "domain %s", r.domain);
}

static void tree_view_draw_status(tui *ui, canvas *c)
{
	const struct tui_tree *tree = ui->tree;
	int row = c->rows - 1 - key_bar_count_rows(c->rows);

	if (*ui->message)
		tui_draw_message(ui, c, row);
	else if (tree->re)
		canvas_printf(c, row, 0, c->cols, dim, "/%s: %zu found; n next, N previous", tree->text,
			      tree->o->matches);
	else if (ui->lost || ui->clocks)
		tui_draw_warnings(ui, c, row, 0);
	else if (row == c->rows - 1)
		canvas_text(c, row, 0, c->cols, "? keys  t timeline  Enter goes there  right opens  left closes  "
			    "/ search", dim);
}

/* The number of lines for the path of the chosen row, at most `most`. */
static int tree_view_count_path_lines(const outline *o, const canvas *c, int most)
{
	char *path = o->rows.n ? outline_path(o, o->at) : NULL;
	int n = path ? canvas_count_lines(c, path, most) : 1;

	free(path);
	return n;
}

void tree_view_draw(tui *ui, canvas *c)
{
	struct tui_tree *tree = ui->tree;
	int title = c->rows > 2, heads = c->rows > 5, details, status = (c->rows > 3) + key_bar_count_rows(c->rows);

	if (!tree->o) {
		canvas_text(c, c->rows - 1, 0, c->cols, ui->message, dim);
		return;
	}
	details = c->rows < 12 ? 0 : 1 + tree_view_count_path_lines(tree->o, c, (c->rows - 6) / 3);
	tree->row = title + heads;
	tree->rows = c->rows - tree->row - details - status;
	tree->rows = tree->rows > 0 ? tree->rows : 1;
	if (tree->o->at < tree->top)
		tree->top = tree->o->at;
	if (tree->o->at >= tree->top + (size_t)tree->rows)
		tree->top = tree->o->at - (size_t)tree->rows + 1;
	if (title)
		tree_view_draw_title(ui, c);
	if (heads)
		tree_view_draw_heads(ui, c, title);
	for (size_t i = 0; i < (size_t)tree->rows && tree->top + i < tree->o->rows.n; i++)
		tree_view_draw_row(ui, c, tree->row + (int)i, tree->top + i);
	if (!tree->o->rows.n)
		canvas_text(c, tree->row, 0, c->cols, "no range and no kernel is in this time", dim);
	else if (details)
		tree_view_draw_details(ui, c, tree->row + tree->rows, details);
	if (status)
		tree_view_draw_status(ui, c);
}

/* ---- keys */

void tree_view_move(tui *ui, int key)
{
	struct tui_tree *tree = ui->tree;
	size_t at = tree->o->at, page = (size_t)tree->rows;

	switch (key) {
	case DISPLAY_UP: at -= at > 0; break;
	case DISPLAY_DOWN: at++; break;
	case DISPLAY_PAGE_UP: at -= at > page ? page : at; break;
	case DISPLAY_PAGE_DOWN: at += page; break;
	case DISPLAY_HOME: at = 0; break;
	default: at = SIZE_MAX; break;
	}
	outline_choose_row(tree->o, at);
}

void tree_view_open(tui *ui, int key)
{
	outline *o = ui->tree->o;

	if (key == ' ' && !outline_open(o, true))
		outline_open(o, false);
	if (key == DISPLAY_LEFT && !outline_open(o, false))
		outline_choose_parent(o);
	if (key == DISPLAY_RIGHT && !outline_open(o, true) && o->rows.n && outline_row_at(o, o->at).open)
		outline_choose_row(o, o->at + 1);
}

void tree_view_open_all(tui *ui, int key UNNEEDED)
{
	if (!outline_open_all(ui->tree->o, MOST_ROWS))
		tui_say(ui, "more than %d rows: what is deeper stays closed", MOST_ROWS);
}

void tree_view_sort(tui *ui, int key UNNEEDED)
{
	outline *o = ui->tree->o;

	outline_sort(o, (o->order + 1) % (OUTLINE_BY_START + 1));
}

void tree_view_next_time(tui *ui, int key UNNEEDED)
{
	ival time;

	ui->tree->choice = (ui->tree->choice + 1) % (marks_time(ui, &time) ? TIME_CHOICES : TIME_MARK);
}

/* May the prompt be closed?  Its text must be empty, or a valid expression that does not take too long to match. */
static bool tree_view_may_close_search(tui *ui, const char *text)
{
	return !*text || (ui->tree->re && filter_check_time(ui, ui->tree->re));
}

static bool tree_view_search_for(tui *ui, const char *text)
{
	struct tui_tree *tree = ui->tree;

	outline_undo_search(tree->o);
	outline_find(tree->o, NULL, "");
	pattern_free(tree->re);
	tree->re = *text ? filter_compile(ui, text) : NULL;
	if (tree->re) {
		snprintf(tree->text, sizeof tree->text, "%s", text);
		outline_find(tree->o, tree->re, tree->text);
		if (!outline_choose_match(tree->o, 0))
			tui_say(ui, "no range and no kernel matches");
	}
	return tree_view_may_close_search(ui, text);
}

void tree_view_search(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "search (an expression): ", tree_view_search_for, tree_view_may_close_search };

	outline_begin_search(ui->tree->o);
	tui_open_prompt(ui, &p, "");
}

void tree_view_next(tui *ui, int key)
{
	struct tui_tree *tree = ui->tree;

	if (!tree->re)
		tui_say(ui, "nothing is searched for: / does");
	else if (!outline_choose_match(tree->o, key == 'n' ? 1 : -1))
		tui_say(ui, "no range and no kernel matches");
}

ival tree_view_enter_time(const tui *ui)
{
	const outline *o = ui->tree->o;
	outline_place place = { .proc = NONE };

	if (o->rows.n)
		place = outline_place_of(o, o->at);
	return place.proc == NONE ? ui->limit : place.at;
}

void tree_view_enter(tui *ui, int key UNNEEDED)
{
	outline *o = ui->tree->o;
	outline_place place;
	int64_t room;

	if (!o->rows.n)
		return;
	place = outline_place_of(o, o->at);
	if (place.proc == NONE)
		return;
	marks_remember_spot(ui);
	ui->shown = TUI_TIMELINE;
	room = outline_row_at(o, o->at).work == NONE ? 0 : 3 * (place.at.b - place.at.a);
	tui_go_to_range(ui, (ival){ ns_sub(place.at.a, room), ns_add(place.at.b, room) });
	if (place.work != NONE)
		tui_go_to_work(ui, place.work);
	else
		tui_say(ui, "it launched no work: this is when it was open on the CPU");
}

void tree_view_save(tui *ui, int key)
{
	ival time = tree_view_enter_time(ui);

	tree_view_enter(ui, key);       /* selects the row's work, so that the bookmark names it */
	if (ui->shown == TUI_TREE)
		return;
	marks_save_time(ui, time);
	marks_back(ui, key);
}

void tree_view_click(tui *ui, int row)
{
	struct tui_tree *tree = ui->tree;
	size_t index = tree->top + (size_t)(row - tree->row);

	if (row < tree->row || row >= tree->row + tree->rows || index >= tree->o->rows.n)
		return;
	if (index == tree->o->at)
		tree_view_open(ui, ' ');
	outline_choose_row(tree->o, index);
}

void tree_view_wheel(tui *ui, bool up)
{
	for (int i = 0; i < 3; i++)
		tree_view_move(ui, up ? DISPLAY_UP : DISPLAY_DOWN);
}
