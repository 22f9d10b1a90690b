/*
 * path - which chain of work, waits and CPU time makes the window as long as it is?
 *
 *     path_params p = { .mode = PATH_EACH };
 *     table answer = { 0 };
 *     answer_rows(&path_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 *
 * Through the ranks of several traces, those that path_answer.keeps asks for being kept until the end:
 *
 *     p.job = path_begin(&p);
 *     answer_rows(&path_answer, t, all, &p, &answer, say);     // each trace with its windows
 *     path_answer.finish(&p, &answer, say);      // the rows of all of them; frees the job
 */
#ifndef PATH_H
#define PATH_H

#include "answer/question.h"

enum { PATH_SUMS = 1, PATH_EACH = 2 };

typedef struct path_job path_job;

typedef struct {
	unsigned mode;          /* PATH_SUMS: by kind and name; PATH_EACH: the chain, link by link */
	bool ranks;             /* a collective that waits leads into the rank that it waits for: job is needed, */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	path_job *job;          /* what was added so far; NULL: rows come at once, each process alone */
} path_params;

path_job *path_begin(const path_params *p);

extern const answer path_answer;

#endif
