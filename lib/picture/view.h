/*
 * view - a timeline of traces in one page of HTML, to zoom and search in a browser.
 *
 *     view_params p = { .mode = 1, .path = "run.html", .page = view_page_new(NULL, NULL) };
 *     table answer = { 0 };
 *     answer_rows(&view_answer, t, all, &p, &answer, say);     // for each trace
 *     view_answer.finish(&p, &answer, say);         // then once: writes the page
 *     table_free(&answer);
 *
 * The page is share/view with the events: nothing is loaded from elsewhere, and what
 * the trace says is data to it, never markup.
 */
#pragma once

#include "answer/question.h"
#include "picture/one_clock.h"
#include "picture/view_page.h"

typedef struct {
	unsigned mode;
	const char *path;       /* the page; NULL: none is written */
	bool replace;           /* it may be there already */
	int64_t most;           /* events that it holds at most, 0: VIEW_MOST; of more, short neighbours become one */
	const rules *categories;        /* of kernels, which have colours */
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	unsigned own_clock;     /* 1: each of several traces is drawn on its own clock; 0: */
	one_clock *clock;       /* on this one */
	view_page *page;        /* what is written, */
	marked *marks;          /* and what is marked there; NULL: nothing is.  finish frees both, and the clock */
} view_params;

/* Adds a trace to the page, and a row for each window; a problem are more events than fit, among others.  The page is
 * written in the end, unless there is nothing in it or that fails: then there are no rows either. */
extern const answer view_answer;
