/*
 * column_about - what a column is, by its name, which means the same in every table: also in one read back from text.
 *
 *     const column_about *c = column_about_of("nvtx");
 *     printf("%d %s\n", c->role == COLUMN_KEY && c->is & COLUMN_FOLDS, column_unit("dur_ns"));        // 1 ns
 *     printf("%d %d\n", column_adds_up("total_ns"), column_adds_up("p50_ns"));                        // 1 0
 */
#pragma once

#include <stdbool.h>

enum column_role {
	COLUMN_MEASURE,         /* how much, and every column that is not known */
	COLUMN_PLACE,           /* where or when a row is */
	COLUMN_KEY,             /* what a row is about, whichever run it is of */
	COLUMN_TEXT             /* what is said of it */
};

enum {
	COLUMN_OF_RUN = 1,      /* no two runs have its values in common */
	COLUMN_HANDED_OUT = 2,  /* numbers that a run hands out: others may have the same ones */
	COLUMN_COARSE = 4,      /* many rows hold the same */
	COLUMN_WORDS = 8,       /* a text, even where it looks like a number: a kernel or a range may be called 7 */
	COLUMN_FOLDS = 16,      /* the digits in it do not tell names apart */
	COLUMN_NAMES = 32,      /* says which of many things a row is about: a kernel, a range */
	COLUMN_SORTS = 64,      /* says of which kind it is, in one of few words: a cause, a class */
	COLUMN_MINOR = 128      /* of little use to a reader who has the columns beside it */
};

typedef struct {
	const char *name;
	enum column_role role;
	unsigned is;            /* COLUMN_... */
	const char *with;       /* a key only in a table with this column; in others it is a measure */
	const char *unless;     /* no key in a table with this column, whose rows it only describes; of a measure: it
				 * does not add up there */
	unsigned char tells;    /* how much it tells a person, among columns of its role; 0: nothing of its own */
	const char *said;       /* what people call it, if not by its name */
} column_about;

/* Never NULL. */
const column_about *column_about_of(const char *name);

/* Those that are known, keys in the order in which they are shown; ended by one without a name. */
extern const column_about column_about_known[];

/* The unit that a name says: "ns", "bytes", "%", "GB/s" or NULL. */
const char *column_unit(const char *name);

/* Is the sum of its values one of the same kind?  Not of means, shares and rates. */
bool column_adds_up(const char *name);

/* How much a column tells a reader, at most COLUMN_TELLING: on a screen that is too narrow the least telling ones are
 * left out.  What a row is about and how much it takes tells most, moments and numbers that describe others least. */
enum { COLUMN_REPEATS = 4, COLUMN_TELLING = 9 };        /* one that repeats another; what rows are sorted by, the
							 * main measure */
int column_telling(const char *name, bool text);
