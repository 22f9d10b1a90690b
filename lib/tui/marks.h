/*
 * marks - places to come back to: bookmarks, the place before the last jump, and a marked stretch of time.
 *
 *     marks_leave(ui);                           // before a jump, so that ` goes back
 *     tui_go(ui, 1500000000);
 *     ival marked;
 *     if (marks_time(ui, &marked))
 *         printf("%lld ns are marked\n", (long long)(marked.b - marked.a));
 *
 * What takes longer than a key should is a question, answered beside the loop (asked.c).  The first one reads the trace
 * again, with what the tools need (lookup.h); until that is done keys work as usual.  A question that is asked while
 * another is being answered comes next, and replaces one that waits.
 */
#pragma once

#include "tui/bookmarks.h"
#include "tui/lookup.h"
#include "tui/tui.h"

#include <pthread.h>
#include <stdatomic.h>

enum background_kind {
	BACKGROUND_NOTHING,
	BACKGROUND_RANGE,
	BACKGROUND_GAP,
	BACKGROUND_STEPS,
	BACKGROUND_LONGEST,
	BACKGROUND_FINDINGS
};

typedef struct {
	enum background_kind kind;
	size_t place;           /* of the session */
	lookup_of of;           /* the process and, for these two, the GPU: */
	ival time;              /* BACKGROUND_RANGE, BACKGROUND_GAP */
	int64_t step;           /* for whoever asks */
	void (*done)(tui *ui, bool ok); /* called when it is answered; false: the notes say why not */
} background_question;

typedef struct {
	lookup look;
	size_t source;          /* that it is about; SIZE_MAX: none yet */
	arena texts;
	background_question now, next;       /* being answered, and waiting; */
	background_question answer;  /* that was answered, while done is called */
	pthread_t thread;
	bool running;
	atomic_bool answered;   /* set by the thread, at its end */
	bool ok;                /* what it leaves: */
	lookup_sums sums;       /* BACKGROUND_RANGE */
	marked *found;   /* BACKGROUND_FINDINGS */
	table rows;             /* the others */
	notes say;
} background_state;

typedef struct {                /* what is looked at */
	size_t place, stream;
	ival view;
	int64_t cursor;
	enum tui_view shown;
} marks_spot;

struct tui_marks {
	bookmarks kept;         /* of the trace of this source: */
	size_t source;          /* SIZE_MAX: none was read yet */
	size_t at;              /* the one that was jumped to last; kept.n: none */
	marks_spot back;
	bool has_back;
	int64_t from, to;       /* [ and ]; TRACE_UNKNOWN: not set */
	lookup_sums sums;       /* of the time that is marked, */
	background_question summed;  /* which this is about */
	background_state background;            /* questions about the trace */
	int64_t gap_limit;      /* i goes to no shorter gap */
	bool tell_gap;          /* i was pressed: why the GPU is idle is wanted, though the trace must be read for it */
	table gap;              /* the row of the gap */
	background_question gap_of;  /* that this is about; kind 0: none */
	ival slowest;           /* what s went to, */
	size_t slowest_place;   /* of this place */
	size_t window;          /* of those that were given: the one that was gone to last */
	marked *found;   /* the findings of all traces, or NULL */
	ival copied;            /* what the last line of y is about, */
	size_t copied_place;
	size_t tool;            /* and the number of its tool */
};

enum { MARKS_GAP_LIMIT = 10000 };       /* ns; of gap_limit at first */

/* The marks of a session, made when first asked for. */
struct tui_marks *marks_of(tui *ui);
void marks_free(tui *ui);

/* Remember where one is, before going elsewhere. */
void marks_leave(tui *ui);

/* The marked time; false if not both ends are set. */
bool marks_time(const tui *ui, ival *time);

/* What a command or a bookmark is about: the marked time or, without any, what is shown. */
ival marks_here(const tui *ui);

/* The place of the session for a process and GPU of the trace that is shown; the one that is shown if there is none.
 * gpu TABLE_MISSING: any. */
size_t marks_place(const tui *ui, int64_t pid, int64_t sub, int64_t gpu);

/* Keep a time as a bookmark, with the selected kernel and its ranges. */
void marks_save_time(tui *ui, ival time);

/* Mark a time, and sum it up. */
void marks_mark(tui *ui, ival time);

/* ---- questions */

/* The place that is looked at, as a question has it. */
background_question background_question_here(const tui *ui, enum background_kind kind);

void background_ask(tui *ui, const background_question *q);

/* Say why a question has no answer, and close the panel that would have shown it. */
void background_give_up(tui *ui, const tui_panel *panel);
bool background_is_waiting(const tui *ui);
void background_poll(tui *ui);

/* False: it is still at work, and what it uses must stay until the program ends. */
bool background_free(background_state *a);
