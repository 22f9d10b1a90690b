/*
 * export - what a file for a timeline viewer (Perfetto, chrome://tracing) holds of the windows; and the file.
 *
 *     export_params p = { .mode = 1 };           // no file: only says what it would hold
 *     table answer = { 0 };
 *     answer_rows(&export_answer, t, all, &p, &answer, say);   // for each trace
 *     export_answer.finish(&p, &answer, say);       // then once
 *     table_free(&answer);
 *
 * All windows of all traces go into one file, each event once.
 */
#pragma once

#include "answer/question.h"
#include "picture/marked.h"
#include "picture/one_clock.h"
#include "trace/rules.h"

typedef struct export_file export_file;

typedef struct {
	unsigned mode;
	const char *path;       /* the file; NULL: none is written */
	bool replace;           /* it may be there already */
	const rules *categories;        /* of kernels; NULL: not shown */
	const load_comm *comm;  /* kernels that communicate; NULL: those of the built-in list */
	unsigned own_clock;     /* 1: each of several traces is drawn on its own clock; 0: */
	one_clock *clock;       /* on this one, */
	marked *marks;          /* with these findings; NULL: none.  finish frees both */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* work of replays is in the ranges around the capture too */
	export_file **file;     /* while there is one: begun by the first trace with windows, ended by export_finish */
	void (*progress)(const char *doing, size_t done, size_t of);    /* called now and then; or NULL */
} export_params;

/* In the end the file is given its name; without it the rows go too. */
extern const answer export_answer;
