/*
 * tui - a timeline of traces on a terminal: its state, and the functions of its parts.
 *
 *     tui_params p = { .mode = 1, .color = true, .ui = mem_new(tui, 1) };
 *     table none = { 0 };
 *     answer_rows(&tui_answer, t, all, &p, &none, say);         // for each trace
 *     tui_answer.finish(&p, &none, say);                        // then once: until the user quits
 *     tui_print_lines(&p, &none, 0, stdout);                           // prints the copied lines; frees the state
 *
 * The state is one struct.  A key changes it (keys.c), and the screen is drawn from it anew (draw.c).  A part of the
 * program has keys in the table of keys.c, and perhaps panels and prompts.  Only display.c knows the terminal.
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
	unsigned mode;
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	bool color;             /* may colors be used? */
	tui *ui;                /* the state, to which each trace is added */
} tui_params;

/* Adds each trace to the state; `finish` shows it until the user quits. */
extern const answer tui_answer;

/* Print the lines that the user copied, and free the state. */
size_t tui_print_lines(const void *params, const table *rows, size_t n, FILE *to);

/* ---- the state */

enum tui_view { TUI_TIMELINE = 1, TUI_TREE = 2, TUI_ANY = 3 };

typedef struct {                /* a trace of the command line */
	const char *path;       /* as the user named it */
	const char *file;       /* its SQLite file */
	int threads;            /* the number of threads that may load it */
} tui_source;

typedef struct {                /* a process of a source on a GPU */
	size_t source;
	uint32_t proc;
	size_t lane;            /* index in trace.lanes; SIZE_MAX: the process has no work */
	const char *pid;        /* the process id as tables show it */
	int64_t gpu;            /* -1: none */
	const char *rank_text, *gpu_text;       /* "rank 3", "GPU 0"; "": none */
	size_t kernels;         /* the number of kernels and whole graphs */
	ival first;             /* its first window, shown at first */
} tui_place;

typedef struct {                /* a window that was given, by -w or a pipe */
	size_t place;
	ival at;
	const char *name;       /* or NULL */
} tui_window;

typedef struct {
	int64_t selected_rows, other_rows;      /* rows of the selected stream, and of each other one */
	int64_t tick;           /* roughly the number of columns from one tick to the next */
	int64_t depth;          /* rows of ranges */
	int64_t shortest;       /* shorter work is drawn faintly, and not selected; ns */
} tui_settings;

/* An overlay: it gets the keys first, and is drawn last. */
typedef struct {
	const char *title;
	int (*lines)(tui *ui);                          /* the number of lines; `line` draws one of them */
	void (*line)(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style);
	bool (*key)(tui *ui, int key);                  /* NULL: the panel uses no key.  False: it does not use this
							 * one, so up, down, PgUp, PgDn and the wheel choose or
							 * scroll, and any other key closes the panel */
	int (*width)(tui *ui);                          /* columns of its longest line; NULL: the usual width */
	bool chooses;                                   /* do up and down choose a line?  Otherwise they scroll */
} tui_panel;

/* A question in the last line. */
typedef struct {
	const char *label;
	bool (*changed)(tui *ui, const char *text);     /* called after each key that may change the text, with "" after
							 * Esc; the result is not used; or NULL */
	bool (*done)(tui *ui, const char *text);        /* called after Enter; false keeps the prompt open */
} tui_prompt;

enum { TUI_INPUT = 512, TUI_CATEGORIES = 256 };

struct tui {
	const tui_params *params;
	notes *say;
	arena texts;            /* texts that live as long as the program */
	vec(tui_source) sources;
	vec(tui_place) places;  /* the places that can be chosen */
	vec(tui_window) windows;

	size_t place;           /* the shown place */
	trace *t;               /* the trace of the shown place */
	trace *first;           /* the trace of first_source, which lives as long as the program */
	size_t first_source;
	trace *owned;           /* t, if it was opened here; otherwise NULL */
	lanes *lanes;
	bool lost, clocks;      /* lost: the trace lacks events of the process.  clocks: the clocks of CPU and GPU
				 * disagree, so that causes of idle time are unknown */

	ival limit;             /* from the first to the last event of the process */
	ival opened;            /* the time that was shown at first */
	ival view;              /* the time that is shown now */
	int64_t cursor;         /* a moment in the view */
	size_t stream;          /* the selected stream, an index of lanes->streams */
	size_t piece;           /* the piece of that stream at the cursor, a position in lanes_kept; SIZE_MAX: none */
	int time_col, time_cols;        /* first column and number of columns of the timeline, when drawn last */
	int stream_row;         /* the row of the first drawn stream */
	int selected_rows;      /* the number of rows of the selected stream */
	size_t streams_from, streams_to;        /* the drawn streams: from streams_from up to before streams_to */

	enum tui_view shown;
	tui_settings set;
	bool relative;          /* are times relative to the start of the place's first window? */
	bool full_names;        /* are demangled names shown? */
	char filter[TUI_INPUT]; /* a regular expression; "": none */

	const tui_panel *panel; /* the open panel; NULL: none */
	int panel_at, panel_top;        /* the chosen line, and the first drawn line */
	const tui_prompt *prompt;       /* the open prompt; NULL: none */
	char input[TUI_INPUT];
	char message[TUI_INPUT];        /* shown in the last line until the next key */
	display *display;       /* NULL until the terminal is open */
	bool quit;
	text_list lines;        /* the lines to print at the end */

	uint8_t *color;         /* by string: the color of its category (plot_colors.h) plus one; 0: not known yet */
	const char *category[TUI_CATEGORIES];   /* by color: the name of the category; NULL: not met yet */
	char letter[TUI_CATEGORIES];    /* by color: the letter that replaces the color on a terminal without colors */

	struct tui_marks *marks;        /* bookmarks and marked times (marks.h) */
	struct tui_tree *tree;  /* the tree of ranges (tree_view.c) */
};

/* Show a place; false after a problem, which the last line says. */
bool tui_choose(tui *ui, size_t place);

/* Say something in the last line, until the next key. */
void tui_say(tui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Draw the screen with a message, before work that takes a while. */
void tui_draw_busy(tui *ui, const char *why);

void tui_open_panel(tui *ui, const tui_panel *p);
void tui_ask(tui *ui, const tui_prompt *p, const char *text);

/* The selected piece of work, or NONE. */
uint32_t tui_selected_work(const tui *ui);

/* The name of a piece of work as shown, short or demangled, and the name of a range. */
const char *tui_work_name(const tui *ui, uint32_t work);
const char *tui_range_name(const tui *ui, uint32_t range);

/* The name of a range in a row.  Unless full names are shown, what PyTorch adds to the names of its backward pass is
 * left out. */
enum { TUI_BRIEF = 256 };
const char *tui_brief_range_name(const tui *ui, const char *name, char buf[TUI_BRIEF]);

/* The category of a piece of work, and its color (plot_colors.h). */
const char *tui_category(tui *ui, uint32_t work);
unsigned tui_category_color(tui *ui, uint32_t work);

/* ---- keys */

typedef void tui_press_key(tui *ui, int key);

typedef struct {
	int key;                /* a character, or DISPLAY_..., or TUI_HEADING; '1' stands for 1 to 9 */
	const char *label;      /* the key in the help */
	const char *what;       /* what it does, in the help */
	unsigned views;         /* the views in which it works: tui_view, combined */
	tui_press_key *press;
} tui_key;

enum { TUI_HEADING = -1 };      /* not a key: the label is a heading in the help */

/* All keys, from which the help is made too; ended by an empty one. */
extern const tui_key tui_keys[];

tui_press_key moves_pan, moves_cursor, moves_home_or_end, moves_stream, moves_kernel, moves_zoom, moves_all, moves_fit;
tui_press_key filter_ask, filter_ask_shortest;
tui_press_key filter_next;      /* n: the next match; N: the previous one */
tui_press_key panels_help, panels_settings, panels_places;
tui_press_key jumps_ask_place, jumps_to_longest_step, jumps_copy_command;
tui_press_key jumps_to_gap, jumps_to_longest_gap, jumps_ask_gap_limit;
tui_press_key findings_open;
tui_press_key jumps_to_window;      /* w: the next window; W: the previous one */
tui_press_key marks_save, marks_list, marks_number, marks_cycle, marks_back;
tui_press_key marks_set_end, marks_forget, marks_this;
tui_press_key tree_view_switch, tree_view_move, tree_view_open, tree_view_open_all, tree_view_sort;
tui_press_key tree_view_next_time, tree_view_search, tree_view_next, tree_view_enter, tree_view_save;

/* Take a key or a click. */
void tui_press(tui *ui, display_event e);

/* ---- moving (moves.c) */

/* Show a stretch of time, within the limits; the cursor stays in the view. */
void tui_set_view(tui *ui, ival view);

/* Move the cursor, and the view with it if needed; selects the piece at the cursor. */
void tui_move_cursor(tui *ui, int64_t moment);

/* Select a piece of work, on its stream, and show it.  If the filter drops the work, only move the cursor to its
 * start. */
void tui_go_to_work(tui *ui, uint32_t work);

/* Move the cursor to the start of a stretch of time, and show the stretch so that it takes most of the view. */
void tui_go_to_range(tui *ui, ival at);

/* tui_select selects the piece at the cursor; tui_select_work selects a piece of work or, if the filter drops that, the
 * piece at the cursor. */
void tui_select(tui *ui);
void tui_select_work(tui *ui, uint32_t work);

/* moves_moment is the moment at a column of the screen; moves_wheel zooms there when the wheel is turned. */
int64_t moves_moment(const tui *ui, int col);
void moves_wheel(tui *ui, int col, bool in);

/* The gap at the cursor, in which nothing of the process runs on the GPU; false: something runs, or the cursor is
 * before or after all work. */
bool jumps_gap_at_cursor(tui *ui, ival *gap);

/* The row of nsq-gaps --each about the gap at the cursor; NULL: not known, or there is no gap. */
const table *jumps_row_of_gap(tui *ui);

/* Ask for the row that jumps_row_of_gap returns, if the trace was already read for the tools, or one of the keys i, I
 * and L went to a gap before. */
void jumps_ask_causes(tui *ui);

/* ---- the filter of kernels, by name (applied while it is typed) and by duration (filter.c) */

/* Apply the filter and the shortest duration.  False: the filter is no regular expression or takes too long, as the
 * last line says. */
bool filter_apply(tui *ui);

/* Compile a regular expression, which ignores case unless it has a capital letter.  NULL: it is not valid, as the last
 * line says. */
pattern *filter_compile(tui *ui, const char *text);

/* Call this after all names were matched.  False: a name took too long to match, as the last line says. */
bool filter_check_time(tui *ui, const pattern *p);

/* ---- overlays: the help, settings, the choice of a process, prompts (panels.c) */

/* Give a key to the open prompt or panel; false: neither is open. */
bool panels_press(tui *ui, int key);

void panels_draw(tui *ui, canvas *c);

/* Append a typed key to a text in an array of `size` bytes, if it is a character and fits. */
void tui_add_character(char *text, size_t size, int key);

/* If there are several processes, say which one is shown and how to go to the next. */
void panels_say_place(tui *ui);

/* The style of headings in panels other than the help. */
canvas_style panels_heading(void);

/* ---- drawing */

/* A moment and a duration as texts. */
enum { TUI_TEXT = 64 };
const char *tui_moment(const tui *ui, int64_t ns, char buf[TUI_TEXT]);
const char *tui_duration(int64_t ns, char buf[TUI_TEXT]);

/* Draw the warnings about the process; returns the columns used. */
int tui_draw_warnings(const tui *ui, canvas *c, int row, int col);

/* Draw the message, so that its last line is in this row. */
void tui_draw_message(const tui *ui, canvas *c, int row);

/* ---- the bar of keys (key_bar.c) */

/* The rows of the bar on a screen with `rows` rows: none if the screen is small. */
int key_bar_rows(int rows);

/* Draw the keys that are useful at the cursor, in the last row. */
void key_bar_draw(tui *ui, canvas *c);

/* Draw the whole screen.  The caller frees the canvas. */
canvas tui_draw(tui *ui, int rows, int cols);

/* Draw the timeline into `rows` rows from `row` on: ranges by depth, one or more rows for each stream, the ruler and
 * the cursor.  Returns the first row that is left free.  timeline_rows_click selects what was clicked. */
int timeline_rows_draw(tui *ui, canvas *c, int row, int rows);
void timeline_rows_click(tui *ui, int row, int col);

/* ---- the tree of ranges of the shown process and GPU (tree_view.c).  Its numbers are those of nsq-nvtx --tree --adopt
 * -p PID -g GPU; for the time in view or the marked time, those with -w. */

/* If the tree is shown, and its time, its place or the kind of names has changed, sum the ranges up again.  If there is
 * nothing in the time, show the timeline instead.  Called after each key. */
void tree_view_update(tui *ui);

/* tree_view_forget is called before the trace is closed, tree_view_free at the end of the session. */
void tree_view_forget(tui *ui);
void tree_view_free(tui *ui);

void tree_view_draw(tui *ui, canvas *c);

/* The time to which Enter goes; the whole process if the chosen row has no place, or if there are no rows. */
ival tree_view_enter_time(const tui *ui);

void tree_view_click(tui *ui, int row);
void tree_view_wheel(tui *ui, bool up);
