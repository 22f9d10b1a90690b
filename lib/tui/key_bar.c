#include "tui/marks.h"

enum {
	MOST_KEYS = 8,          /* the most keys in the bar */
	LEAST_ROWS = 12         /* a screen with fewer rows has no bar */
};

typedef struct {
	int key;
	const char *word;
} bar_key;

/* The keys of the bar, for each state of the screen.  The bar shows the first MOST_KEYS of them that are useful and
 * fit. */
static const bar_key on_kernel[] = { { '?', "keys" }, { 'q', "quit" }, { 'n', "match" }, { 'p', "process" },
	{ 'z', "zoom" }, { 'M', "sum up" }, { 'x', "findings" }, { DISPLAY_TAB, "next" }, { '/', "search" },
	{ 'i', "idle gap" }, { 0 } };
static const bar_key on_gap[] = { { '?', "keys" }, { 'q', "quit" }, { 'p', "process" }, { 'M', "cause" },
	{ 'i', "next gap" }, { 'I', "longest" }, { 'L', "limit" }, { 'x', "findings" }, { 's', "slowest" }, { 0 } };
static const bar_key on_range[] = { { '?', "keys" }, { 'q', "quit" }, { 'n', "match" }, { 'p', "process" },
	{ 't', "tree" }, { 'r', "ranges" }, { 'x', "findings" }, { DISPLAY_TAB, "kernel" }, { 'i', "idle gap" },
	{ '/', "search" }, { 0 } };
static const bar_key on_nothing[] = { { '?', "keys" }, { 'q', "quit" }, { 'n', "match" }, { 'p', "process" },
	{ DISPLAY_TAB, "kernel" }, { 'i', "idle gap" }, { 'x', "findings" }, { 'g', "go to" }, { 't', "tree" },
	{ '0', "all" }, { 0 } };
static const bar_key in_tree[] = { { '?', "keys" }, { 'q', "quit" }, { 'p', "process" }, { 't', "timeline" },
	{ DISPLAY_ENTER, "show" }, { ' ', "open" }, { '/', "search" }, { 'o', "order" }, { 'w', "time" }, { 0 } };
static const bar_key in_list[] = { { DISPLAY_UP, "and down choose" }, { DISPLAY_ESCAPE, "closes this" }, { 0 } };
static const bar_key in_text[] = { { DISPLAY_UP, "and down scroll" }, { DISPLAY_ESCAPE, "closes this" }, { 0 } };

static bool key_bar_has_range_at_cursor(const tui *ui)
{
	for (size_t i = 0; i < ui->lanes->nlevels; i++)
		if (band_find_open(&ui->lanes->level[i], ui->cursor) != SIZE_MAX)
			return true;
	return false;
}

static const bar_key *key_bar_choose_keys(tui *ui)
{
	ival gap;

	if (ui->panel)
		return ui->panel->chooses ? in_list : in_text;
	if (ui->shown == TUI_TREE)
		return in_tree;
	if (tui_selected_work(ui) != NONE)
		return on_kernel;
	return jumps_find_gap_at_cursor(ui, &gap) ? on_gap : key_bar_has_range_at_cursor(ui) ? on_range : on_nothing;
}

static bool key_bar_is_useful(const tui *ui, int key)
{
	return key == 'n' ? *ui->filter : key == 'p' ? ui->places.n > 1 : true;
}

static const char *key_bar_find_label(int key)
{
	for (const tui_key *k = tui_keys; k->key; k++)
		if (k->key == key)
			return k->label;
	return "";
}

int key_bar_count_rows(int rows)
{
	return rows >= LEAST_ROWS;
}

void key_bar_draw(tui *ui, canvas *c)
{
	const canvas_style plain = { .fg = 252, .bg = 237 }, strong = { .fg = 231, .bg = 237, .attr = CANVAS_BOLD };
	int row = c->rows - 1, at = 0, n = 0;

	canvas_fill(c, row, 0, c->cols, plain);
	for (const bar_key *k = key_bar_choose_keys(ui); k->key && n < MOST_KEYS; k++) {
		const char *label = key_bar_find_label(k->key);
		int width = (int)(strlen(label) + 1 + strlen(k->word));
		if (!key_bar_is_useful(ui, k->key) || at + width > c->cols)
			continue;
		at += canvas_text(c, row, at, c->cols - at, label, strong) + 1;
		at += canvas_text(c, row, at, c->cols - at, k->word, plain) + 2;
		n++;
	}
}
