/*
 * params - what nsq-map was asked for.
 *
 *     map_params p = { .mode = MAP_HERE, .from = "list" };
 *     text_list words = { 0 };
 *     notes say = { 0 };
 *     vec_push(&words, "nsq-window {} | nsq-overlap");
 *     if (map_params_take(&p, &words, &say))     // the traces are those that the file lists
 *         printf("%zu\n", p.traces.n);
 *     map_params_free(&p);
 *     notes_free(&say);
 */
#pragma once

#include "base/notes.h"
#include "base/text.h"
#include "table/format.h"

enum { MAP_HERE = 1, MAP_SLURM = 2 };

typedef struct {
	unsigned mode;          /* MAP_... */
	int64_t at_once;        /* traces at once: here, or by a task of Slurm; 0: as many as it has cores */
	const char *from;       /* a file that lists the traces, - for standard input; or NULL */
	bool nul;               /* with NULs between them instead of line ends */
	const char *keep;       /* the folder of the results; NULL: one in the cache, while they are of use */
	bool resume;            /* what is done is not done again */
	enum format format;
	bool human;

	/* of Slurm */
	const char *partition, *account, *time;         /* or NULL */
	text_list sbatch;       /* more options of sbatch */
	int64_t tasks;          /* at once; 0: no limit */
	int64_t chunk_bytes;    /* the traces of a task are about as large together */

	const char *pipeline;
	text_list traces;
	char *list;             /* holds their names */

	notes *say;
	void (*show)(notes *say);       /* show the user what has been said, and empty the list */
	void (*progress)(const char *doing, size_t done, size_t of);
	void (*pause)(bool on);         /* show none of it, while rows are written to the terminal */
} map_params;

/* Take the pipeline and the traces that follow it, or those of the list; without any, standard input is the list.
 * False after a problem. */
bool map_params_take(map_params *p, const text_list *operands, notes *say);

/* The argument of --chunk. */
bool map_params_read_chunk(const char *arg, void *params);

void map_params_free(map_params *p);
