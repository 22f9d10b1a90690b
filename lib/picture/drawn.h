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
 * All windows of all traces go into it, each event once.  The page is share/view with the events: nothing is loaded
 * from elsewhere, and what the trace says is data to it, never markup.
 */
#pragma once

#include "answer/question.h"
#include "picture/one_clock.h"
#include "picture/view_page.h"

typedef struct export_file export_file;

typedef struct {
	unsigned mode;
	const char *path;       /* the page or file; NULL: none is written, and rows only say what it would hold */
	bool replace;           /* it may be there already */
	const rules *categories;        /* of kernels, which have colors in a page; NULL: owners */
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	unsigned own_clock;     /* 1: each of several traces is drawn on its own clock; 0: */
	one_clock *clock;       /* on this one, */
	marked *marks;          /* with these steps and findings; NULL: none.  finish frees both, */
	view_page *page;        /* and what nsq-view writes, */
	int64_t most;           /* which holds so many events at most, 0: VIEW_MOST; of more, neighbours become one; */
	export_file *file;      /* or nsq-export; NULL: nothing */
	view_progress *progress;        /* called now and then; or NULL */
} drawn_params;

export_file *export_file_new(void);

/* Adds a trace, and a row for each window; a problem are more events than fit, among others.  It is written in the end,
 * unless there is nothing in it or that fails: then there are no rows either. */
extern const answer view_answer, export_answer;
