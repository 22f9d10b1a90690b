/*
 * marks - places to come back to: bookmarks, the place before the last jump, and a marked stretch of time.
 *
 *     marks_leave(ui);                           // before a jump, so that ` goes back
 *     tui_go(ui, 1500000000);
 *     ival marked;
 *     if (marks_time(ui, &marked))
 *         printf("%lld ns are marked\n", (long long)(marked.b - marked.a));
 *
 * The functions of keys are listed in keys.c.
 */
#pragma once

#include "tui/asked.h"
#include "tui/bookmarks.h"

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
	asked_question summed;  /* which this is about */
	asked_state asked;            /* questions about the trace */
	int64_t gap_limit;      /* of n; 0: not asked yet */
	bool tell_gap;          /* n was pressed: why the GPU is idle is wanted, though the trace must be read for it */
	table gap;              /* the row of the gap */
	asked_question gap_of;  /* that this is about; kind 0: none */
	ival slowest;           /* what s went to, */
	size_t slowest_place;   /* of this place */
	size_t window;          /* of those that were given: the one that was gone to last */
	ival copied;            /* what the last line of y is about, */
	size_t copied_place;
	size_t tool;            /* and the number of its tool */
};

/* The marks of a session, made when first asked for. */
struct tui_marks *marks_of(tui *ui);
void marks_free(tui *ui);

/* Remember where one is, before going elsewhere. */
void marks_leave(tui *ui);

/* The marked time; false if not both ends are set. */
bool marks_time(const tui *ui, ival *time);

/* What a command or a bookmark is about: the marked time or, without any, what is shown. */
ival marks_here(const tui *ui);

/* Keep a time as a bookmark, with the selected kernel and its ranges. */
void marks_save_time(tui *ui, ival time);

/* Keys. */
void marks_save(tui *ui, int key);
void marks_list(tui *ui, int key);
void marks_number(tui *ui, int key);
void marks_cycle(tui *ui, int key);
void marks_back(tui *ui, int key);
void marks_begin(tui *ui, int key);
void marks_end(tui *ui, int key);
void marks_forget(tui *ui, int key);
void marks_this(tui *ui, int key);

/* Mark a time, and sum it up. */
void marks_mark(tui *ui, ival time);
