/*
 * column_about - what a column is, by its name.  A name means the same in every table, also in one read from text.
 *
 *     const column_about *c = column_about_of("nvtx");
 *     printf("%d %s\n", c->role == COLUMN_KEY && c->is & COLUMN_FOLDS, column_unit("dur_ns"));        // 1 ns
 *     printf("%d %d\n", column_adds_up("total_ns"), column_adds_up("p50_ns"));                        // 1 0
 */
#pragma once

#include <stdbool.h>

enum column_role {
	COLUMN_MEASURE,         /* how much of something; every column that is not known counts as one */
	COLUMN_PLACE,           /* where or when the thing is that a row describes */
	COLUMN_KEY,             /* what a row is about; two runs can have the same value */
	COLUMN_TEXT             /* a remark about the row */
};

enum {
	COLUMN_OF_RUN = 1,      /* its values cannot be compared between runs: pids, moments, names of traces */
	COLUMN_HANDED_OUT = 2,  /* its values are numbers that a run assigns: in another run, the same number may mean
				 * another thing */
	COLUMN_COARSE = 4,      /* many rows hold the same value */
	COLUMN_WORDS = 8,       /* its values are texts, even those that look like numbers: a kernel or a range may be
				 * called 7 */
	COLUMN_FOLDS = 16,      /* its values are names, and names that differ only in digits count as equal */
	COLUMN_NAMES = 32,      /* it names the thing that a row is about: a kernel, a range */
	COLUMN_CLASSIFIES = 64, /* its values are a few words that classify rows: a cause, a class */
	COLUMN_MINOR = 128      /* it says little to a reader who sees the columns beside it */
};

typedef struct {
	const char *name;
	enum column_role role;
	unsigned is;            /* COLUMN_... */
	const char *with;       /* another column, or NULL; in a table without that column, this key is a measure */
	const char *unless;     /* another column, or NULL; in a table with that column, this key is no key, or this
				 * measure does not add up */
	unsigned char tells;    /* how much it tells a reader, compared with other columns of its role; 0: nothing of
				 * its own */
	const char *said;       /* what it is called in sentences, or NULL */
} column_about;

/* Find a column by its name.  Never NULL. */
const column_about *column_about_of(const char *name);

/* All known columns, with keys in the order in which they are shown.  The last one has no name. */
extern const column_about column_about_known[];

/* The unit in a column's name: "ns", "bytes", "%", "GB/s", or NULL. */
const char *column_unit(const char *name);

/* Does it make sense to add up the values of a column?  For means, shares and rates it does not. */
bool column_adds_up(const char *name);

/* How important a column is to a reader, from 0 to 8.  A screen that is too narrow first leaves out the columns with
 * the lowest priority.  Keys and amounts are most important; moments, indices, means and percentiles least.  `text`:
 * does the column hold texts?  Callers that know the table use COLUMN_REPEATS for a column that repeats another one,
 * and COLUMN_FIRST_PRIORITY for the main measure and for the column by which the rows are sorted. */
enum { COLUMN_REPEATS = 4, COLUMN_FIRST_PRIORITY = 9 };
int column_get_priority(const char *name, bool text);
