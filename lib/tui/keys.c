#include "tui/tui.h"

static void keys_toggle_setting(tui *ui, int key)
{
	bool *setting = key == 'a' ? &ui->relative : &ui->full_names;

	*setting = !*setting;
}

static void keys_switch_ranges(tui *ui, int key UNNEEDED)
{
	lanes_next_ranges(ui->lanes);
	if (!ui->lanes->nlevels)
		tui_say(ui, "no ranges were captured of this process");
}

static void keys_quit(tui *ui, int key UNNEEDED)
{
	ui->quit = true;
}

#define HEADING(text, views) { TUI_HEADING, text, NULL, views, NULL }

const tui_key tui_keys[] = {
	HEADING("Moving", TUI_TIMELINE),
	{ DISPLAY_LEFT, "left", "move the view to the left, at its end the cursor", TUI_TIMELINE, moves_pan },
	{ DISPLAY_RIGHT, "right", "move it to the right", TUI_TIMELINE, moves_pan },
	{ DISPLAY_SHIFT_LEFT, "Shift-left", "by a quarter of the view to the left", TUI_TIMELINE, moves_pan },
	{ DISPLAY_SHIFT_RIGHT, "Shift-right", "by a quarter to the right", TUI_TIMELINE, moves_pan },
	{ DISPLAY_PAGE_UP, "PgUp", "by a whole view to the left", TUI_TIMELINE, moves_pan },
	{ DISPLAY_PAGE_DOWN, "PgDn", "by a whole view to the right", TUI_TIMELINE, moves_pan },
	{ '<', "<", "move the cursor by a column to the left", TUI_TIMELINE, moves_cursor },
	{ '>', ">", "to the right", TUI_TIMELINE, moves_cursor },
	{ DISPLAY_HOME, "Home", "go to the first event", TUI_TIMELINE, moves_home_or_end },
	{ DISPLAY_END, "End", "go to the last one", TUI_TIMELINE, moves_home_or_end },
	{ DISPLAY_UP, "up", "choose the stream above", TUI_TIMELINE, moves_stream },
	{ DISPLAY_DOWN, "down", "choose the stream below", TUI_TIMELINE, moves_stream },
	{ DISPLAY_TAB, "Tab", "go to the next kernel of the stream that the filter leaves",
	  TUI_TIMELINE, moves_kernel },
	{ DISPLAY_SHIFT_TAB, "Shift-Tab", "go to the previous one", TUI_TIMELINE, moves_kernel },
	HEADING("Zooming", TUI_TIMELINE),
	{ '+', "+", "zoom in about the cursor (also =)", TUI_TIMELINE, moves_zoom },
	{ '-', "-", "zoom out", TUI_TIMELINE, moves_zoom },
	{ 'z', "z", "zoom to the selected kernel", TUI_TIMELINE, moves_zoom_to_kernel },
	{ '0', "0", "show all of the process", TUI_TIMELINE, moves_show_all },
	HEADING("Rows", TUI_TREE),
	{ DISPLAY_UP, "up", "choose the row above", TUI_TREE, tree_view_move },
	{ DISPLAY_DOWN, "down", "choose the row below", TUI_TREE, tree_view_move },
	{ DISPLAY_PAGE_UP, "PgUp", "a screen up", TUI_TREE, tree_view_move },
	{ DISPLAY_PAGE_DOWN, "PgDn", "a screen down", TUI_TREE, tree_view_move },
	{ DISPLAY_HOME, "Home", "the first row", TUI_TREE, tree_view_move },
	{ DISPLAY_END, "End", "the last row", TUI_TREE, tree_view_move },
	{ DISPLAY_RIGHT, "right", "open the row; go to the first below it", TUI_TREE, tree_view_open },
	{ DISPLAY_LEFT, "left", "close the row; go to the one above it", TUI_TREE, tree_view_open },
	{ ' ', "Space", "open or close the row", TUI_TREE, tree_view_open },
	{ '*', "*", "open all ranges below the row", TUI_TREE, tree_view_open_all },
	{ DISPLAY_ENTER, "Enter", "show the row, or the first of it, in the timeline", TUI_TREE, tree_view_enter },
	{ 'o', "o", "by GPU time, by CPU time, or in order", TUI_TREE, tree_view_sort },
	{ 'w', "w", "of all of the trace, what is in view, or what is marked", TUI_TREE, tree_view_next_time },
	HEADING("Searching", TUI_ANY),
	{ '/', "/", "search kernels by name, an expression; grey out the others", TUI_TIMELINE, filter_ask },
	{ 'n', "n", "go to the next match, on any stream", TUI_TIMELINE, filter_next },
	{ 'N', "N", "go to the previous match", TUI_TIMELINE, filter_next },
	{ 'm', "m", "leave out kernels shorter than a duration", TUI_TIMELINE, filter_ask_shortest },
	{ '/', "/", "search names, also of what is closed: an expression", TUI_TREE, tree_view_search },
	{ 'n', "n", "go to the next match", TUI_TREE, tree_view_next },
	{ 'N', "N", "go to the previous match", TUI_TREE, tree_view_next },
	HEADING("Idle gaps, steps and findings", TUI_ANY),
	{ 'i', "i", "go to the next idle gap of the GPU", TUI_TIMELINE, jumps_to_gap },
	{ 'I', "I", "go to the longest idle gap of the step", TUI_TIMELINE, jumps_to_longest_gap },
	{ 'L', "L", "set the shortest gap that i goes to", TUI_TIMELINE, jumps_ask_gap_limit },
	{ 's', "s", "go to the longest step of the process; again: mark it", TUI_TIMELINE, jumps_to_longest_step },
	{ 'x', "x", "list the findings of nsq-advise; Enter goes to one", TUI_ANY, findings_open },
	HEADING("Going elsewhere", TUI_ANY),
	{ 'g', "g", "go to a time or a step: 1.5s, +20ms, 5ms..9ms, step 12", TUI_ANY, jumps_ask_place },
	{ 'w', "w", "go to the next of the windows given (-w, a pipe)", TUI_TIMELINE, jumps_to_window },
	{ 'W', "W", "go to the previous one", TUI_TIMELINE, jumps_to_window },
	{ 'p', "p", "the next process or GPU, also of the next trace", TUI_ANY, panels_places },
	{ 'P', "P", "choose a process and GPU", TUI_ANY, panels_places },
	{ '`', "`", "go back to where the last jump began", TUI_ANY, marks_back },
	HEADING("Marks, bookmarks and commands", TUI_ANY),
	{ '[', "[", "mark the beginning of a time", TUI_TIMELINE, marks_set_end },
	{ ']', "]", "mark its end: a panel sums it up", TUI_TIMELINE, marks_set_end },
	{ 'M', "M", "mark the kernel or the idle gap at the cursor", TUI_TIMELINE, marks_mark_at_cursor },
	{ DISPLAY_ESCAPE, "Esc", "mark nothing any more", TUI_TIMELINE, marks_unmark_time },
	{ 'B', "B", "save a bookmark, with its kernel and ranges", TUI_TIMELINE, marks_save },
	{ 'B', "B", "save where Enter goes as a bookmark", TUI_TREE, tree_view_save },
	{ '\'', "'", "list the bookmarks; there x removes one", TUI_ANY, marks_list },
	{ '1', "1 to 9", "go to that bookmark", TUI_ANY, marks_go_to_number },
	{ ',', ",", "go to the previous bookmark", TUI_ANY, marks_go_to_neighbor },
	{ '.', ".", "go to the next one", TUI_ANY, marks_go_to_neighbor },
	{ 'y', "y", "copy the place as a command; again: for another tool", TUI_ANY, jumps_copy_command },
	HEADING("What is shown", TUI_ANY),
	{ 't', "t", "the tree of ranges and kernels with their times", TUI_TIMELINE, tree_view_switch },
	{ 't', "t", "the timeline", TUI_TREE, tree_view_switch },
	{ 'd', "d", "demangled and whole names, or short ones", TUI_ANY, keys_toggle_setting },
	{ 'a', "a", "times from the start of what was opened, or of the trace", TUI_ANY, keys_toggle_setting },
	{ 'r', "r", "ranges: where their work runs on the GPU, or by thread", TUI_TIMELINE, keys_switch_ranges },
	{ 'C', "C", "settings: rows, ticks, depth of ranges, shortest kernel", TUI_ANY, panels_settings },
	{ '?', "?", "this help (also h and F1)", TUI_ANY, panels_help },
	{ 'q', "q", "quit", TUI_ANY, keys_quit },
	{ 0 }
};

/* Say that a key has no use, and name the key if it is a character. */
static void keys_say_unknown(tui *ui, int key)
{
	char name[8] = "";

	tui_add_character(name, sizeof name, key);
	if (*name)
		tui_say(ui, "no key '%s'%s; ? lists the keys", name, ui->shown == TUI_TREE ? " in the tree" : "");
	else
		tui_say(ui, "this key does nothing here; ? lists the keys");
}

static void keys_press_key(tui *ui, int key)
{
	key = key == '=' ? '+' : key == 'h' || key == DISPLAY_F1 ? '?' : key;
	for (const tui_key *k = tui_keys; k->key; k++)
		if (k->views & ui->shown && key >= k->key && key <= (k->key == '1' ? '9' : k->key)) {
			k->press(ui, key);
			return;
		}
	if (key != DISPLAY_ESCAPE)
		keys_say_unknown(ui, key);
}

/* Handle an event of the mouse; false: the event is a key. */
static bool keys_press_mouse(tui *ui, display_event e)
{
	bool up = e.key == DISPLAY_WHEEL_UP, tree = ui->shown == TUI_TREE;

	if (e.key != DISPLAY_CLICK && !up && e.key != DISPLAY_WHEEL_DOWN)
		return false;
	if (tree && e.key == DISPLAY_CLICK)
		tree_view_click(ui, e.row);
	else if (tree)
		tree_view_wheel(ui, up);
	else if (e.key == DISPLAY_CLICK)
		timeline_rows_click(ui, e.row, e.col);
	else
		moves_wheel(ui, e.col, up);
	return true;
}

void tui_handle_event(tui *ui, display_event e)
{
	if (e.key == DISPLAY_CLOSED)
		ui->quit = true;
	if (e.key == DISPLAY_NONE || e.key == DISPLAY_RESIZED || ui->quit)
		return;
	*ui->message = 0;
	if (!panels_press(ui, e.key) && !keys_press_mouse(ui, e))
		keys_press_key(ui, e.key);
	tree_view_update(ui);
}
