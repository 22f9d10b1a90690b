/*
 * tui - a timeline of traces on a terminal: what is looked at, and what the parts of the program do with it.
 *
 *     tui_params p = { .mode = 1, .color = true, .ui = tui_new() };
 *     table none = { 0 };
 *     answer_rows(&tui_answer, t, all, &p, &none, say);         // for each trace
 *     tui_answer.finish(&p, &none, say);                        // then once: until the user quits
 *     tui_tell(&p, &none, 0, stdout);                           // what is left for the shell; frees it
 *
 * The state is one struct.  A key changes it (keys.h), and the screen is drawn from it anew (draw.h): nothing else
 * happens.  Parts add keys to the table of keys.c, panels and prompts; only display.c knows the terminal.
 */
#pragma once

#include "answer/question.h"
#include "base/text.h"
#include "trace/rules.h"
#include "tui/canvas.h"
#include "tui/display.h"
#include "tui/lanes.h"

typedef struct tui tui;

typedef struct {
	unsigned mode;
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	const rules *categories;        /* of kernels, which have colors */
	bool captured;          /* ranges around the capture of a CUDA graph also hold what its replays ran */
	bool color;             /* may colors be used? */
	tui *ui;                /* what the traces add to */
} tui_params;

/* Collects what there is to look at; finish shows it, until the user quits. */
extern const answer tui_answer;

tui *tui_new(void);

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
	int64_t rank, gpu;      /* -1: none */
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
	void (*line)(tui *ui, canvas *c, int row, int col, int width, int line);
	bool (*key)(tui *ui, int key);                  /* false: not for it; Esc and q then close it; or NULL */
	int (*width)(tui *ui);                          /* of its longest line; or NULL: as usual */
	bool chooses;                                   /* up and down move ui->panel_at over its lines */
} tui_panel;

/* A question in the last line. */
typedef struct {
	const char *label;
	void (*changed)(tui *ui, const char *text);     /* while it is typed; or NULL */
	bool (*done)(tui *ui, const char *text);        /* Enter: false keeps it open (tui_say tells why) */
	void (*given_up)(tui *ui);                      /* Esc; or NULL */
} tui_prompt;

enum { TUI_INPUT = 512, TUI_CATEGORIES = 32 };

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

/* Do the clocks of the process that is shown disagree, by what was read of its trace? */
void tui_see_clocks(tui *ui, trace *t);

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

/* ---- moving */

/* Show a stretch of time, as far as it is in the limits; the cursor stays in the view. */
void tui_show(tui *ui, ival view);

/* Move the cursor, and the view with it if it would leave that; selects what is there. */
void tui_go(tui *ui, int64_t moment);

/* Select a piece of work, on its stream, and show it. */
void tui_go_to_work(tui *ui, uint32_t work);

/* The same for a stretch of time: it takes most of the view. */
void tui_go_to_range(tui *ui, ival at);

/* ---- the loop */

/* A moment and a duration as texts. */
enum { TUI_TEXT = 64 };
const char *tui_moment(const tui *ui, int64_t ns, char buf[TUI_TEXT]);
const char *tui_duration(int64_t ns, char buf[TUI_TEXT]);

/* Draw what tools warn of; how many columns it takes. */
int tui_draw_warnings(const tui *ui, canvas *c, int row, int col);

/* Draw the message, which may take some lines, the last of them in this row. */
void tui_draw_message(const tui *ui, canvas *c, int row);

/* Draw the state, and take a key or a click. */
canvas tui_draw(tui *ui, int rows, int cols);
void tui_press(tui *ui, display_event e);
