/*
 * tui - a timeline of traces on a terminal: its state, and the functions of its parts.
 *
 *     tui_params p = { .mode = 1, .color = true, .ui = mem_new(tui, 1) };
 *     table none = { 0 };
 *     answer_rows(&tui_answer, t, all, &p, &none, say);         // for each trace
 *     tui_answer.finish(&p, &none, say);                        // then once: until the user quits
 *     tui_print_lines(&p, &none, 0, stdout);                           // prints the copied lines; frees the state
 *
 * The state is one struct.  A key changes it (keys.c), and the screen is drawn from it anew (draw.c).  Each part of the
 * program has its keys in the table of keys.c, and may open panels and prompts.  Only display.c knows the terminal.
 */
#pragma once

#include "answer/question.h"
#include "base/parallel.h"
#include "base/text.h"
#include "trace/rules.h"
#include "tui/canvas.h"
#include "tui/display.h"
#include "tui/lanes.h"

typedef struct tui tui;

typedef struct {
	unsigned mode;          /* always 1, because there is only one mode */
	const load_comm_pattern *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool captured;          /* does a range that was open when a node of a CUDA graph was created also contain
				 * the runs of that node? */
	bool color;             /* may colors be used? */
	tui *ui;                /* the state, to which each trace is added */
} tui_params;

/* `rows` adds a trace to the state; `finish` shows the timeline until the user quits. */
extern const answer tui_answer;

/* Print the lines that the user copied, and free the state.  This is an opt_tool.tell (cli/options.h), which has `rows`
 * and `n`; they are not used. */
size_t tui_print_lines(const void *params, const table *rows, size_t n, FILE *to);

/* ---- the state */

enum tui_view { TUI_TIMELINE = 1, TUI_TREE = 2, TUI_ANY = 3 };  /* what the screen shows */

typedef struct {                /* a trace of the command line */
	const char *path;       /* as the user named it */
	const char *file;       /* its SQLite file */
	int threads;            /* the number of threads that load it */
} tui_source;

typedef struct {                /* a process, and one of its GPUs if it has any work */
	size_t source;          /* index in tui.sources */
	uint32_t proc;          /* index in trace.procs */
	size_t lane;            /* its work on that GPU, an index in trace.lanes; SIZE_MAX: the process has no work */
	const char *pid;        /* the process id as tables show it */
	int64_t gpu;            /* the GPU's number; -1: none */
	const char *rank_text, *gpu_text;       /* "rank 3", "GPU 0"; "": none */
	size_t kernels;         /* the number of kernels, and of runs of CUDA graphs that were traced as a whole */
	ival first;             /* the time of its first window, which is shown when the place is chosen */
} tui_place;

typedef struct {                /* a window that -w or a pipe gave */
	size_t place;           /* index in tui.places */
	ival at;                /* its time on the GPU */
	const char *name;       /* its name, or NULL */
} tui_window;

typedef struct {
	int64_t selected_rows, other_rows;      /* rows of the selected stream, and of each other stream */
	int64_t tick;           /* roughly the number of columns from one tick to the next */
	int64_t depth;          /* the most rows of ranges */
	int64_t shortest;       /* shorter work is drawn faintly and cannot be selected; ns */
} tui_settings;

/* An overlay: it gets the keys first, and is drawn last. */
typedef struct {
	const char *title;
	int (*lines)(tui *ui);                          /* the number of lines; `line` draws one of them */
	void (*line)(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style);
	bool (*key)(tui *ui, int key);                  /* handle a key; false: it means nothing here.  Then, or if
							 * `key` is NULL: up, down, PgUp, PgDn and the wheel choose a
							 * line or scroll, and any other key closes the panel */
	int (*width)(tui *ui);                          /* the number of columns of its longest line; NULL: the usual
							 * width */
	bool chooses;                                   /* do up and down choose a line?  Otherwise they scroll */
} tui_panel;

/* A prompt: it asks for a text in the last line of the screen. */
typedef struct {
	const char *label;
	bool (*changed)(tui *ui, const char *text);     /* called with the text after each key that may have changed
							 * it, and with "" after Esc; the result is not used; or NULL */
	bool (*done)(tui *ui, const char *text);        /* called with the text after Enter; false keeps the prompt
							 * open */
} tui_prompt;

enum { TUI_INPUT = 512, TUI_CATEGORIES = 256 };

struct tui {
	const tui_params *params;
	notes *say;             /* the notes to print at the end */
	arena texts;            /* texts that live as long as the program */
	vec(tui_source) sources;
	vec(tui_place) places;  /* the places that can be chosen */
	vec(tui_window) windows;        /* the windows that were given, if any */

	size_t place;           /* the shown place, an index of places */
	trace *t;               /* the trace of the shown place */
	trace *first;           /* the trace of first_source; the caller keeps it open and frees it */
	size_t first_source;    /* the first source with a place, an index of sources */
	trace *owned;           /* t, if it must be closed here; NULL: t is `first` */
	lanes *lanes;           /* the streams and ranges of the shown place */
	bool lost;              /* does the trace lack events of the process? */
	bool clocks;            /* do the clocks of CPU and GPU disagree, so that causes of idle time are unknown? */

	ival limit;             /* the time from the first to the last event of the process */
	ival opened;            /* the view when the place was chosen */
	ival view;              /* the time that is shown now */
	int64_t cursor;         /* a moment in the view */
	size_t stream;          /* the selected stream, an index of lanes->streams */
	size_t piece;           /* the selected work of that stream, a position in lanes_kept; SIZE_MAX: none */
	int time_col, time_cols;        /* first column and number of columns of the timeline, when drawn last */
	int stream_row;         /* the screen row of the first drawn stream */
	int selected_rows;      /* the number of rows in which the selected stream was drawn */
	size_t streams_from, streams_to;        /* the drawn streams: from streams_from up to before streams_to */

	enum tui_view shown;
	tui_settings set;
	bool relative;          /* are times relative to the start of the place's first window? */
	bool full_names;        /* are demangled names shown? */
	char filter[TUI_INPUT]; /* a regular expression; "": none */

	const tui_panel *panel; /* the open panel; NULL: none */
	int panel_at;           /* the chosen line of the panel */
	int panel_top;          /* the first drawn line of the panel */
	const tui_prompt *prompt;       /* the open prompt; NULL: none */
	char input[TUI_INPUT];          /* the text typed into the prompt */
	char message[TUI_INPUT];        /* shown in the last line above the bar of keys until the next key */
	display *display;       /* NULL until the terminal is open */
	bool quit;
	text_list lines;        /* the lines to print at the end */

	uint8_t *color;         /* an array with an element for each string of t->names: 1 + the color of the category
				 * of the work with this name (plot_colors.h); 0: not looked up yet */
	const char *category[TUI_CATEGORIES];   /* for each color: the name of its category; NULL: not met yet */
	char letter[TUI_CATEGORIES];    /* for each color: the letter that replaces it on a terminal without colors */

	struct tui_marks *marks;        /* bookmarks and marked times (marks.h) */
	struct tui_tree *tree;  /* the tree of ranges (tree_view.c) */
};

/* Show a place; false after a problem, which the last line says. */
bool tui_show_place(tui *ui, size_t place);

/* Say something in the last line above the bar of keys, until the next key. */
void tui_say(tui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Draw the screen with a message, before work that takes a while. */
void tui_draw_busy(tui *ui, const char *message);

void tui_open_panel(tui *ui, const tui_panel *p);

/* Open a prompt whose input is `text` at first. */
void tui_open_prompt(tui *ui, const tui_prompt *p, const char *text);

/* The selected work, an index of t->work; NONE: nothing is selected. */
uint32_t tui_selected_work(const tui *ui);

/* The name of a piece of work, demangled if full_names is set or else short; and the name of a push/pop range.
 * "-": none. */
const char *tui_work_name(const tui *ui, uint32_t work);
const char *tui_range_name(const tui *ui, uint32_t range);

/* The name of a range as a row shows it.  Unless full_names is set, it lacks the texts that PyTorch adds to the
 * names of its backward pass.  The result lives in `name` or buf. */
enum { TUI_BRIEF = 256 };
const char *tui_brief_range_name(const tui *ui, const char *name, char buf[TUI_BRIEF]);

/* The name of the category of a piece of work, and the color of this category (plot_colors.h). */
const char *tui_category_name(tui *ui, uint32_t work);
unsigned tui_category_color(tui *ui, uint32_t work);

/* ---- keys */

typedef void tui_press_key(tui *ui, int key);

typedef struct {
	int key;                /* a character, or DISPLAY_..., or TUI_HEADING; '1' stands for 1 to 9 */
	const char *label;      /* the key in the help */
	const char *what;       /* what the key does, in the help */
	unsigned views;         /* the views in which it works: values of tui_view, joined by | */
	tui_press_key *press;
} tui_key;

enum { TUI_HEADING = -1 };      /* not a key: the label is a heading in the help */

/* All keys, and the headings of the help.  The last entry has key 0. */
extern const tui_key tui_keys[];

tui_press_key moves_pan, moves_cursor, moves_home_or_end, moves_stream, moves_kernel, moves_zoom;
tui_press_key moves_show_all, moves_zoom_to_kernel;
tui_press_key filter_ask, filter_ask_shortest;
tui_press_key filter_next;      /* n: the next match; N: the previous one */
tui_press_key panels_help, panels_settings, panels_places;
tui_press_key jumps_ask_place, jumps_to_longest_step, jumps_copy_command;
tui_press_key jumps_to_gap, jumps_to_longest_gap, jumps_ask_gap_limit;
tui_press_key findings_open;
tui_press_key jumps_to_window;      /* w: the next window; W: the previous one */
tui_press_key marks_save, marks_list, marks_go_to_number, marks_go_to_neighbor, marks_back;
tui_press_key marks_set_end, marks_unmark_time, marks_mark_at_cursor;
tui_press_key tree_view_switch, tree_view_move, tree_view_open, tree_view_open_all, tree_view_sort;
tui_press_key tree_view_next_time, tree_view_search, tree_view_next, tree_view_enter, tree_view_save;

/* Handle an event of the display: a key, a click or a turn of the wheel. */
void tui_handle_event(tui *ui, display_event e);

/* ---- moving (moves.c) */

/* Show a stretch of time.  If it reaches beyond ui->limit, it is moved inside; if it is longer than ui->limit, all of
 * ui->limit is shown.  A cursor outside of the view is moved to its nearer end. */
void tui_set_view(tui *ui, ival view);

/* Move the cursor to a moment, and select the work there.  If the moment is not in the view, the view moves, too. */
void tui_move_cursor(tui *ui, int64_t moment);

/* Select a piece of work and its stream, and move the cursor to it.  If the filter drops the work, the work that it
 * keeps at the cursor, if any, is selected instead. */
void tui_go_to_work(tui *ui, uint32_t work);

/* Move the cursor to the start of a stretch of time, and show the stretch so that it takes most of the view. */
void tui_go_to_range(tui *ui, ival at);

/* tui_select selects the work of the selected stream at the cursor.  tui_select_work selects a piece of work and its
 * stream; if the filter drops the work, it selects that at the cursor.  Neither moves the cursor. */
void tui_select(tui *ui);
void tui_select_work(tui *ui, uint32_t work);

/* moves_moment is the moment at a column of the screen.  moves_wheel zooms in or out about that moment. */
int64_t moves_moment(const tui *ui, int col);
void moves_wheel(tui *ui, int col, bool in);

/* Find the gap at the cursor, in which nothing of the process runs on the GPU.  False: something runs, or the cursor
 * is before or after all work. */
bool jumps_find_gap_at_cursor(tui *ui, ival *gap);

/* The row of nsq-gaps --each about the gap at the cursor; NULL: it is not known yet, or there is no gap. */
const table *jumps_row_of_gap(tui *ui);

/* Ask the thread of background.c for the row that jumps_row_of_gap returns, unless it has another question (marks.h).
 * The first question reads the trace again (lookup.h), so nothing is asked before the user has asked something, or has
 * gone to a gap with i, I or L. */
void jumps_ask_causes(tui *ui);

/* ---- the filter of kernels, by name (applied while it is typed) and by duration (filter.c) */

/* Apply ui->filter and the shortest duration.  False: the filter is no regular expression or takes too long to
 * match, as the last line says. */
bool filter_apply(tui *ui);

/* Compile a regular expression, which ignores case unless it has a capital letter of ASCII.  NULL: it is not valid,
 * as the last line says. */
pattern *filter_compile(tui *ui, const char *text);

/* Did the expression match all names in time?  Call this after the last name.  False: one took too long, as the last
 * line says. */
bool filter_check_time(tui *ui, const pattern *p);

/* ---- overlays: the help, settings, the choice of a process, prompts (panels.c) */

/* Give a key to the open prompt or panel; false: neither is open. */
bool panels_press(tui *ui, int key);

void panels_draw(tui *ui, canvas *c);

/* Append a key to a text in an array of `size` bytes, if the key is a printable character and fits. */
void tui_add_character(char *text, size_t size, int key);

/* If there are several places, say which one is shown and how to go to the next one. */
void panels_say_place(tui *ui);

/* The style of the lines that stand out in a panel other than the help. */
canvas_style panels_strong_style(void);

/* ---- drawing */

/* A moment and a duration as texts, such as 1.5 ms, which are written into buf. */
enum { TUI_TEXT = 64 };
const char *tui_moment(const tui *ui, int64_t ns, char buf[TUI_TEXT]);
const char *tui_duration(int64_t ns, char buf[TUI_TEXT]);

/* Draw the warnings ui->lost and ui->clocks, if any.  Returns the number of columns used. */
int tui_draw_warnings(const tui *ui, canvas *c, int row, int col);

/* Draw ui->message, so that its last line is in this row. */
void tui_draw_message(const tui *ui, canvas *c, int row);

/* ---- the bar of keys (key_bar.c) */

/* The number of rows of the bar on a screen with `rows` rows: 1, or 0 if the screen is small. */
int key_bar_count_rows(int rows);

/* Draw the keys that are useful at the cursor, in the last row. */
void key_bar_draw(tui *ui, canvas *c);

/* Draw the whole screen.  The caller frees the canvas. */
canvas tui_draw(tui *ui, int rows, int cols);

/* Draw the timeline into `rows` rows from `row` on: ranges by depth, one or more rows for each stream, the ruler and
 * the cursor.  Returns the first row below it.  timeline_rows_click selects the stream that was clicked, and moves
 * the cursor to the moment that was clicked. */
int timeline_rows_draw(tui *ui, canvas *c, int row, int rows);
void timeline_rows_click(tui *ui, int row, int col);

/* ---- the tree of ranges of the shown process and GPU (tree_view.c).  Its numbers are those of nsq-nvtx --tree
 * --adopt -p PID -g GPU, with -w A..B if the tree is about the time in view or the marked time. */

/* If the tree is shown, and its time, its place or ui->full_names has changed, sum the ranges up again.  If there is
 * nothing in the time, show the timeline instead.  Called after each key. */
void tree_view_update(tui *ui);

/* tree_view_forget frees the sums before their trace is closed.  tree_view_free frees all of ui->tree. */
void tree_view_forget(tui *ui);
void tree_view_free(tui *ui);

void tree_view_draw(tui *ui, canvas *c);

/* The time of the chosen row on the timeline, to which Enter goes; ui->limit if the row has none, or if there are no
 * rows. */
ival tree_view_enter_time(const tui *ui);

/* A click chooses a row, or opens or closes the chosen one.  The wheel moves by three rows. */
void tree_view_click(tui *ui, int row);
void tree_view_wheel(tui *ui, bool up);
