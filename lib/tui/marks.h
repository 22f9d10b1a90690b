/*
 * marks - places to come back to: bookmarks, the view before the last jump, and a marked stretch of time.
 *
 *     marks_remember_spot(ui);                           // before a jump, so that ` goes back
 *     tui_move_cursor(ui, 1500000000);
 *     ival marked;
 *     if (marks_time(ui, &marked))
 *         printf("%lld ns are marked\n", (long long)(marked.b - marked.a));
 *
 * A question whose answer may take long is answered by a thread (background.c), so that keys work as usual meanwhile.
 * The first question reads the trace again, with the data that the tools need (lookup.h).  A question that is asked
 * while another one is being answered waits, and replaces the question that was waiting.
 */
#pragma once

#include "tui/bookmarks.h"
#include "tui/lookup.h"
#include "tui/tui.h"

#include <pthread.h>
#include <stdatomic.h>

enum background_kind {
	BACKGROUND_NOTHING,
	BACKGROUND_SUMS,        /* the sums of a stretch of time */
	BACKGROUND_GAP,         /* the row of nsq-gaps --each about a gap */
	BACKGROUND_STEPS,       /* all steps of a process */
	BACKGROUND_LONGEST,     /* the longest step of a process */
	BACKGROUND_FINDINGS     /* the findings of all traces */
};

typedef struct {
	enum background_kind kind;
	size_t place;           /* index in tui.places */
	lookup_target of;       /* the process; for BACKGROUND_SUMS and BACKGROUND_GAP also the GPU, otherwise
				 * gpu -1 */
	ival time;              /* BACKGROUND_SUMS: the stretch of time to sum up; BACKGROUND_GAP: the gap */
	int64_t step;           /* BACKGROUND_STEPS: the number of the step that `done` looks for */
	void (*done)(tui *ui, bool ok); /* called with the answer; ok false: the notes say why there is none */
} background_question;

typedef struct {
	lookup look;
	size_t source;          /* the source that `look` is about; SIZE_MAX: none yet */
	arena texts;            /* the paths in `look` */
	background_question now;        /* the question that is being answered; BACKGROUND_NOTHING: none */
	background_question next;       /* the question that waits; BACKGROUND_NOTHING: none */
	background_question answer;     /* the question that was just answered, while its `done` is called */
	pthread_t thread;
	bool running;           /* was the thread started, and not yet joined? */
	atomic_bool answered;   /* has the question `now` been answered? */
	bool ok;                /* has that question an answer?  False: `say` says why not */
	lookup_sums sums;       /* the answer to BACKGROUND_SUMS */
	marked *found;          /* the answer to BACKGROUND_FINDINGS */
	table rows;             /* the answer to any other question */
	notes say;              /* the notes about the answer */
} background_state;

typedef struct {                /* what the screen showed, to go back to it */
	size_t place, stream;   /* indices, as in tui */
	ival view;
	int64_t cursor;
	enum tui_view shown;
} marks_spot;

struct tui_marks {
	bookmarks kept;         /* the bookmarks of one trace */
	size_t source;          /* the source of that trace; SIZE_MAX: none was read yet */
	size_t at;              /* the bookmark that was saved or jumped to last; kept.n: none */
	marks_spot back;        /* where the last jump began */
	bool has_back;          /* was there a jump? */
	int64_t from, to;       /* the ends of the marked time; TRACE_UNKNOWN: not set */
	lookup_sums sums;       /* the sums of the marked time */
	background_question summed;     /* the question whose answer is `sums`; BACKGROUND_NOTHING: none */
	background_state background;    /* the questions, and the thread that answers them */
	int64_t gap_limit;      /* the shortest gap to which the key i goes, ns */
	bool tell_gap;          /* did i, I or L go to a gap?  Then causes are asked for even if the trace must be
				 * read again */
	table gap;              /* the row of nsq-gaps --each about a gap */
	background_question gap_of;     /* the question whose answer is `gap`; BACKGROUND_NOTHING: none */
	ival longest_step;      /* the step to which the key s went last; a == b: none */
	size_t longest_place;   /* the place of that step */
	size_t window;          /* the index in tui.windows of the window to which w or W went last; 0 at first */
	marked *found;          /* the findings of all traces; NULL: not known yet */
	ival copied;            /* the time in the command that the key y copied last */
	size_t copied_place;    /* the place of the process in that command */
	size_t tool;            /* the tool of that command, as an index in jumps_copy_command */
};

enum { MARKS_GAP_LIMIT = 10000 };       /* ns; the initial gap_limit */

/* The marks of a session, made by the first call. */
struct tui_marks *marks_of(tui *ui);
void marks_free(tui *ui);

/* Remember what the screen shows, before a jump. */
void marks_remember_spot(tui *ui);

/* The marked time; false unless both ends are set. */
bool marks_time(const tui *ui, ival *time);

/* The time for a command or a bookmark: the marked time or, without any, the time in view. */
ival marks_time_or_view(const tui *ui);

/* The index in tui.places of a process and GPU of the shown trace; ui->place if there is none.  gpu
 * TABLE_MISSING: any GPU. */
size_t marks_find_place(const tui *ui, int64_t pid, int64_t sub, int64_t gpu);

/* Save a time as a bookmark, with the selected work and the ranges around it. */
void marks_save_time(tui *ui, ival time);

/* Mark a time, and open the panel with its sums. */
void marks_mark_time(tui *ui, ival time);

/* ---- questions */

/* A question of this kind about the shown place. */
background_question background_question_here(const tui *ui, enum background_kind kind);

/* Ask a question.  If the answer is likely to come at once, wait for it for a moment. */
void background_ask(tui *ui, const background_question *q);

/* Say in the last line why a question has no answer, and close the panel that would have shown the answer. */
void background_report_failure(tui *ui, const tui_panel *panel);

/* Is a question being answered, or does one wait? */
bool background_is_waiting(const tui *ui);

/* If a question has been answered, call its `done`.  Then begin to answer the question that waits, if any. */
void background_poll(tui *ui);

/* Free the contents of *a.  False: nothing was freed, because the thread still uses *a, which must stay until the
 * program ends. */
bool background_free(background_state *a);
