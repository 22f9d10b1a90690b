/*
 * tui - a timeline of traces on a terminal: what is looked at, and what the parts of the program do with it.
 *
 *     tui_params p = { .mode = 1, .color = true, .ui = mem_new(tui, 1) };
 *     table none = { 0 };
 *     answer_rows(&tui_answer, t, all, &p, &none, say);         // for each trace
 *     tui_answer.finish(&p, &none, say);                        // then once: until the user quits
 *     tui_tell(&p, &none, 0, stdout);                           // what is left for the shell; frees it
 *
 * The state is one struct.  A key changes it (keys.c), and the screen is drawn from it anew (draw.c): nothing else
 * happens.  Parts add keys to the table of keys.c, panels and prompts; only display.c knows the terminal.
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
	bool captured;          /* ranges around the capture of a CUDA graph also hold what its replays ran */
	bool color;             /* may colors be used? */
	tui *ui;                /* what the traces add to */
} tui_params;

/* Collects what there is to look at; finish shows it, until the user quits. */
extern const answer tui_answer;

/* Print the lines that were copied, and forget all. */
size_t tui_tell(const void *params, const table *rows, size_t n, FILE *to);

/* ---- what is looked at */

enum tui_view { TUI_TIMELINE = 1, TUI_TREE = 2, TUI_ANY = 3 };

typedef struct {                /* a trace of the command line */
	const char *path;       /* as it was named, */
	const char *file;       /* and the file */
	int threads;            /* that may load it */
} tui_source;

typedef struct {                /* a process of one on a GPU */
	size_t source;
	uint32_t proc;
	size_t lane;            /* SIZE_MAX: it has no work */
	const char *pid;        /* as shown */
	int64_t gpu;            /* -1: none */
	const char *rank_text, *gpu_text;       /* rank 3, GPU 0; "": none */
	size_t kernels;         /* and whole graphs */
	ival first;             /* what is shown of it at first: its first window */
} tui_place;

typedef struct {                /* a window that was asked for, by -w or a pipe */
	size_t place;
	ival at;
	const char *name;       /* or NULL */
} tui_window;

typedef struct {
	int64_t selected_rows, other_rows;      /* of streams */
	int64_t tick;           /* columns from one tick to the next, about */
	int64_t depth;          /* rows of ranges */
	int64_t shortest;       /* kernels that take less are not shown; ns */
} tui_settings;

/* An overlay: it gets the keys first, and is drawn last. */
typedef struct {
	const char *title;
	int (*lines)(tui *ui);                          /* how many it has, and each of them: */
	void (*line)(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style);
	bool (*key)(tui *ui, int key);                  /* false: not for it; Esc and q then close it; or NULL */
	int (*width)(tui *ui);                          /* of its longest line; or NULL: as usual */
	bool chooses;                                   /* up and down move ui->panel_at over its lines */
} tui_panel;

/* A question in the last line. */
typedef struct {
	const char *label;
	bool (*changed)(tui *ui, const char *text);     /* while it is typed, and with "" after Esc; or NULL */
	bool (*done)(tui *ui, const char *text);        /* Enter: false keeps it open (tui_say tells why) */
} tui_prompt;

enum { TUI_INPUT = 512, TUI_CATEGORIES = 256 };

struct tui {
	const tui_params *params;
	notes *say;
	arena texts;            /* as long as the program */
	vec(tui_source) sources;
	vec(tui_place) places;  /* that can be chosen */
	vec(tui_window) windows;

	size_t place;           /* the one that is shown, */
	trace *t;               /* its trace, */
	trace *first;           /* that of a source, which lives as long as the program, */
	size_t first_source;
	trace *owned;           /* the same if it was opened here, else NULL */
	lanes *lanes;
	bool lost, clocks;      /* tools warn of its process: it lost events; its clocks disagree, so that nobody
				 * knows why the GPU is idle */

	ival limit;             /* from the first to the last event of the process */
	ival opened;            /* what was shown of it at first, */
	ival view;              /* and is now */
	int64_t cursor;         /* a moment in the view */
	size_t stream;          /* selected: a number of lanes->streams, */
	size_t piece;           /* and its piece at the cursor: a position in lanes_kept; SIZE_MAX: none */
	int time_col, time_cols;        /* where the timeline was drawn last: its first column, and how many; */
	int stream_row;         /* the row of the first stream that fitted, */
	int selected_rows;      /* how many the selected one has, */
	size_t streams_from, streams_to;        /* and which these were */

	enum tui_view shown;
	tui_settings set;
	bool relative;          /* times are relative to the start of the place's first window */
	bool full_names;        /* demangled */
	char filter[TUI_INPUT]; /* an expression; "": none */

	const tui_panel *panel; /* open; NULL: none */
	int panel_at, panel_top;
	const tui_prompt *prompt;       /* asked; NULL: none is */
	char input[TUI_INPUT];
	char message[TUI_INPUT];        /* in the last line, until the next key */
	display *display;       /* NULL until the program runs */
	bool quit;
	text_list lines;        /* what is printed in the end */

	uint8_t *color;         /* by string: the color of its category (plot_colors.h) plus one, or 0: not looked up */
	const char *category[TUI_CATEGORIES];   /* by color: its name, or NULL: none of these was met; */
	char letter[TUI_CATEGORIES];    /* and what stands for it where there are no colors */

	struct tui_marks *marks;        /* bookmarks and marked times; belongs to its own part */
	struct tui_tree *tree;  /* the same of the tree */
};

/* Show a place; false after a problem, of which the last line tells. */
bool tui_choose(tui *ui, size_t place);

/* Say something in the last line, until the next key. */
void tui_say(tui *ui, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Say at once what takes a while; the key that asked for it is being answered. */
void tui_wait(tui *ui, const char *why);

void tui_open_panel(tui *ui, const tui_panel *p);
void tui_ask(tui *ui, const tui_prompt *p, const char *text);

/* The selected piece of work, or NONE. */
uint32_t tui_work(const tui *ui);

/* The name of a piece of work as it is shown: short or demangled; of a range. */
const char *tui_work_name(const tui *ui, uint32_t work);
const char *tui_range_name(const tui *ui, uint32_t range);

/* The name of a range as rows show it: without what PyTorch writes into those of its backward pass, unless names are to
 * be whole. */
enum { TUI_BRIEF = 256 };
const char *tui_brief(const tui *ui, const char *name, char buf[TUI_BRIEF]);

/* The category of a piece of work, and its color (plot_colors.h). */
const char *tui_category(tui *ui, uint32_t work);
unsigned tui_category_color(tui *ui, uint32_t work);

/* ---- keys */

typedef void tui_press_key(tui *ui, int key);

typedef struct {
	int key;                /* a character, or DISPLAY_...; 1 stands for the digits up to 9; or TUI_HEADING, */
	const char *label;      /* as the help shows it */
	const char *what;
	unsigned views;         /* in which it works: tui_view, combined */
	tui_press_key *press;
} tui_key;

enum { TUI_HEADING = -1 };      /* the label is the heading of a group of the help */

/* What each does, from which the help is made; ended by an empty one. */
extern const tui_key tui_keys[];

tui_press_key moves_pan, moves_cursor, moves_end, moves_stream, moves_kernel, moves_zoom, moves_all, moves_fit;
tui_press_key filter_ask, filter_ask_shortest;
tui_press_key filter_next;      /* n: the next match, else the previous one */
tui_press_key panels_help, panels_settings, panels_places;
tui_press_key jumps_ask_place, jumps_to_longest_step, jumps_copy_command;
tui_press_key jumps_to_gap, jumps_to_longest_gap, jumps_ask_gap_limit;
tui_press_key findings_open;
tui_press_key jumps_to_window;      /* w: the next one, else the previous one */
tui_press_key marks_save, marks_list, marks_number, marks_cycle, marks_back;
tui_press_key marks_end, marks_forget, marks_this;
tui_press_key tree_view_switch, tree_view_move, tree_view_open, tree_view_all, tree_view_sort, tree_view_time;
tui_press_key tree_view_search, tree_view_next, tree_view_enter, tree_view_save;

/* Take a key or a click. */
void tui_press(tui *ui, display_event e);

/* ---- moving (moves.c) */

/* Show a stretch of time, as far as it is in the limits; the cursor stays in the view. */
void tui_show(tui *ui, ival view);

/* Move the cursor, and the view with it if it would leave that; selects what is there. */
void tui_go(tui *ui, int64_t moment);

/* Select a piece of work, on its stream, and show it. */
void tui_go_to_work(tui *ui, uint32_t work);

/* The same for a stretch of time: it takes most of the view. */
void tui_go_to_range(tui *ui, ival at);

/* Select what is at the cursor; or a piece of work, unless the filter leaves it out. */
void tui_select(tui *ui);
void tui_select_work(tui *ui, uint32_t work);

/* The moment at a column of the screen, and turning the wheel there. */
int64_t moves_moment(const tui *ui, int col);
void moves_wheel(tui *ui, int col, bool in);

/* The time around the cursor at which nothing runs for the process on the GPU; false: something does, or it is before
 * or after all work. */
bool jumps_gap_at_cursor(tui *ui, ival *gap);

/* The row of nsq-gaps --each about the gap at the cursor; NULL: it is not known, or there is none. */
const table *jumps_row_of_gap(tui *ui);

/* Ask for it, once the trace was read for the tools, or i was pressed. */
void jumps_ask_causes(tui *ui);

/* ---- which kernels are shown: by name, while it is typed, and by how long they take (filter.c) */

/* Show what the filter and the shortest duration leave.  False: the filter is no expression, as the last line says. */
bool filter_apply(tui *ui);

/* Compile an expression; who types a capital letter means it.  NULL: it is none, as the last line says. */
pattern *filter_compile(tui *ui, const char *text);

/* After it was matched with all names.  False: it took too long for one, as the last line says. */
bool filter_done(tui *ui, const pattern *p);

/* ---- what is laid over the screen: the help, settings, the choice of a process, questions (panels.c) */

/* The panel that is open, and the question that is asked, take a key; false: none is, or it is not for it. */
bool panels_press(tui *ui, int key);

void panels_draw(tui *ui, canvas *c);

/* Add a character to a text of so many bytes, if it is one and has room. */
void tui_add_character(char *text, size_t size, int key);

/* Say which of the processes is shown, and how to go to the next; of one alone nothing. */
void panels_say_place(tui *ui);

/* How headings in panels look. */
canvas_style panels_heading(void);

/* ---- drawing */

/* A moment and a duration as texts. */
enum { TUI_TEXT = 64 };
const char *tui_moment(const tui *ui, int64_t ns, char buf[TUI_TEXT]);
const char *tui_duration(int64_t ns, char buf[TUI_TEXT]);

/* Draw what tools warn of; how many columns it takes. */
int tui_draw_warnings(const tui *ui, canvas *c, int row, int col);

/* Draw the message, which may take some lines, the last of them in this row. */
void tui_draw_message(const tui *ui, canvas *c, int row);

/* ---- the bar of keys (key_bar.c) */

/* How many rows it takes of a screen with so many: none if that is small. */
int key_bar_rows(int rows);

/* Draw the keys that fit what is at the cursor, in the last row. */
void key_bar_draw(tui *ui, canvas *c);

/* Draw the state. */
canvas tui_draw(tui *ui, int rows, int cols);

/* The timeline, from a row on in so many: ranges by depth, a row or more for each stream, the ruler and the cursor.
 * Returns the first row that is left free.  A click there selects the stream and the moment. */
int timeline_rows_draw(tui *ui, canvas *c, int row, int rows);
void timeline_rows_click(tui *ui, int row, int col);

/* ---- the tree of ranges (tree_view.c), about the process and GPU that the timeline shows, with the numbers of
 * nsq-nvtx --tree --adopt -p PID -g GPU: of all of the trace, of the time in view, or of what is marked (-w) */

/* Sum up again if what is summed up has changed: called after each key. */
void tree_view_ready(tui *ui);

/* The trace is closed, or the session ends. */
void tree_view_forget(tui *ui);
void tree_view_free(tui *ui);

void tree_view_draw(tui *ui, canvas *c);

/* The time to which Enter goes; all of the process if there are no rows. */
ival tree_view_place(const tui *ui);

void tree_view_click(tui *ui, int row);
void tree_view_wheel(tui *ui, bool up);
