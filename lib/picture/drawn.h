/*
 * drawn - the timeline of traces in one file: a page of HTML, to zoom and search in a browser (nsq-view), or events
 * for Perfetto and chrome://tracing (nsq-export).
 *
 *     drawn_params p = { .mode = 1, .path = "run.html", .page = view_page_new(NULL, NULL) };
 *     table answer = { 0 };
 *     answer_rows(&view_answer, t, all, &p, &answer, say);     // for each trace
 *     view_answer.finish(&p, &answer, say);         // then once: writes the page
 *     table_free(&answer);
 *
 * The file holds the windows of all traces, each event once.  The page is share/view with the events compiled in: it
 * loads nothing from elsewhere, and texts of the trace are data to it, never markup.
 */
#pragma once

#include "answer/question.h"
#include "picture/one_clock.h"
#include "picture/view_page.h"

typedef struct export_file export_file;

typedef struct {
	unsigned mode;
	const char *path;       /* the page or file; NULL: none is written, and the rows say what it would hold */
	bool replace;           /* a file that exists already is replaced */
	const rules *categories;        /* rules for the categories of kernels, which decide their colors; NULL: their
					 * owners do */
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	unsigned own_clock;     /* 1: each trace is drawn on its own clock; 0: all are drawn on `clock` */
	one_clock *clock;       /* the common clock; `finish` frees it */
	marked *marks;          /* the steps and findings to mark; NULL: none; `finish` frees it */
	view_page *page;        /* the page that nsq-view writes; NULL: none; `finish` frees it */
	int64_t most;           /* the most events in the page; above that, neighbours are merged; 0: VIEW_MOST */
	export_file *file;      /* the file that nsq-export writes; NULL: none; `finish` frees it */
	view_progress *progress;        /* called now and then; or NULL */
} drawn_params;

export_file *export_file_new(void);

/* Each answer adds a trace to the file and a row for each window.  A trace too long for a page is a problem.  `finish`
 * writes the file; if that fails, there are no rows. */
extern const answer view_answer, export_answer;
