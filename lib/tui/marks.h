/*
 * marks - places to come back to: bookmarks, the place before the last jump, and a marked stretch of time.
 *
 *     marks_leave(ui);                           // before a jump, so that ` goes back
 *     tui_move_cursor(ui, 1500000000);
 *     ival marked;
 *     if (marks_time(ui, &marked))
 *         printf("%lld ns are marked\n", (long long)(marked.b - marked.a));
 *
 * What would block the keys for a while is asked as a question, which a thread answers (background.c).  Keys work as
 * usual meanwhile.  The first question reads the trace again, with the data that the tools need (lookup.h).  A question
 * asked while another is being answered waits, and replaces one that was waiting.
 */
#pragma once

#include "tui/bookmarks.h"
#include "tui/lookup.h"
#include "tui/tui.h"

#include <pthread.h>
#include <stdatomic.h>

enum background_kind {
	BACKGROUND_NOTHING,
	BACKGROUND_SUMS,
	BACKGROUND_GAP,
	BACKGROUND_STEPS,
	BACKGROUND_LONGEST,     /* the longest step */
	BACKGROUND_FINDINGS
};

typedef struct {
	enum background_kind kind;
	size_t place;           /* index in tui.places */
	lookup_of of;           /* the process; for BACKGROUND_SUMS and BACKGROUND_GAP also the GPU */
	ival time;              /* BACKGROUND_SUMS, BACKGROUND_GAP: the stretch or gap */
	int64_t step;           /* the number of the wanted step, for `done` */
	void (*done)(tui *ui, bool ok); /* called with the answer; ok false: the notes say why there is none */
} background_question;

typedef struct {
	lookup look;
	size_t source;          /* the source that `look` is about; SIZE_MAX: none yet */
	arena texts;
	background_question now, next;       /* the question being answered, and the one that waits */
	background_question answer;  /* the question just answered, while its `done` is called */
	pthread_t thread;
	bool running;
	atomic_bool answered;   /* set by the thread, at its end */
	bool ok;                /* the thread found an answer */
	lookup_sums sums;       /* the answer to BACKGROUND_SUMS */
	marked *found;   /* the answer to BACKGROUND_FINDINGS */
	table rows;             /* the answer to any other question */
	notes say;
} background_state;

typedef struct {                /* a place to go back to */
	size_t place, stream;
	ival view;
	int64_t cursor;
	enum tui_view shown;
} marks_spot;

struct tui_marks {
	bookmarks kept;         /* the bookmarks of one trace */
	size_t source;          /* the source of that trace; SIZE_MAX: none was read yet */
	size_t at;              /* the bookmark that was saved or jumped to last; kept.n: none */
	marks_spot back;
	bool has_back;
	int64_t from, to;       /* the ends of the marked time; TRACE_UNKNOWN: not set */
	lookup_sums sums;       /* the sums of the marked time */
	background_question summed;  /* the question whose answer is `sums` */
	background_state background;            /* questions about the trace */
	int64_t gap_limit;      /* the key i skips shorter gaps; ns */
	bool tell_gap;          /* i, I or L went to a gap, so its cause is wanted even if the trace must be read */
	table gap;              /* the row of nsq-gaps --each about a gap */
	background_question gap_of;  /* the question whose answer is `gap`; BACKGROUND_NOTHING: none */
	ival slowest;           /* the step to which the key s went */
	size_t slowest_place;   /* the place of that step */
	size_t window;          /* the index in tui.windows of the window to which w or W went last; 0 at first */
	marked *found;   /* the findings of all traces, or NULL */
	ival copied;            /* the time of the command that y copied last */
	size_t copied_place;    /* the place of that command */
	size_t tool;            /* the tool of that command, as an index in jumps_copy_command */
};

enum { MARKS_GAP_LIMIT = 10000 };       /* ns; the initial gap_limit */

/* The marks of a session, made by the first call. */
struct tui_marks *marks_of(tui *ui);
void marks_free(tui *ui);

/* Remember the current place before a jump. */
void marks_leave(tui *ui);

/* The marked time; false if not both ends are set. */
bool marks_time(const tui *ui, ival *time);

/* The time for a command or a bookmark: the marked time or, without any, the time in view. */
ival marks_time_or_view(const tui *ui);

/* The index in tui.places of a process and GPU of the shown trace; the shown place if there is none.  gpu
 * TABLE_MISSING: any. */
size_t marks_place(const tui *ui, int64_t pid, int64_t sub, int64_t gpu);

/* Keep a time as a bookmark, with the selected kernel and its ranges. */
void marks_save_time(tui *ui, ival time);

/* Mark a time, and ask for its sums. */
void marks_mark_time(tui *ui, ival time);

/* ---- questions */

/* A question of this kind about the shown place. */
background_question background_question_here(const tui *ui, enum background_kind kind);

void background_ask(tui *ui, const background_question *q);

/* Say why a question has no answer, and close the panel that would have shown the answer. */
void background_report_failure(tui *ui, const tui_panel *panel);

/* Is a question being answered, or does one wait? */
bool background_is_waiting(const tui *ui);

/* If a question has been answered, call its `done`.  Then begin the question that waits, if any. */
void background_poll(tui *ui);

/* False: the thread is still at work, so *a must stay until the program ends. */
bool background_free(background_state *a);
