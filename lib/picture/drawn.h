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
 * The file holds the windows of all traces, each event once.  The page consists of the files of share/view and the data
 * of the events.  It loads nothing from elsewhere, and uses texts of the trace as data, never as markup.
 */
#pragma once

#include "answer/question.h"
#include "picture/one_clock.h"
#include "picture/view_page.h"

typedef struct export_file export_file;

typedef struct {
	unsigned mode;          /* always 1, because there is only one mode */
	const char *path;       /* the path of the page or file; NULL: none is written, and the rows say what it
				 * would hold */
	bool replace;           /* a file that exists already is replaced */
	const rules *categories;        /* rules that give kernels their categories; NULL: kernels are shown by owner
					 * (enum owner, step/owners.h) */
	const load_comm_pattern *comm;  /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	unsigned own_clock;     /* 1: each trace is drawn on its own clock, and `clock` is NULL; 0: `clock` decides */
	one_clock *clock;       /* finds the common clock of the traces; NULL: each trace keeps its own; `finish`
				 * frees it */
	marked *marks;          /* the steps and findings to mark; NULL: none; `finish` frees it */
	view_page *page;        /* the page that nsq-view writes; NULL: none; `finish` frees it */
	int64_t most;           /* the most events in the page; if the traces have more, neighbouring events are
				 * merged; 0: VIEW_MOST */
	export_file *file;      /* the file that nsq-export writes; NULL: none; `finish` frees it */
	view_progress *progress;        /* called now and then; or NULL */
} drawn_params;

export_file *export_file_new(void);

/* `rows` adds a trace to the file, and a row for each window to the table.  It fails if the page would span too much
 * time.  `finish` writes the end of the file, or the whole page; if that fails, the table loses its rows. */
extern const answer view_answer, export_answer;
