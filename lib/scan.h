/*
 * scan - whole columns of a table, as arrays.
 *
 *     scan_col c[] = {
 *         { .names = "start", .type = SCAN_INT, .from_zero = true },
 *         { .names = "end", .type = SCAN_INT },
 *         { .names = "globalTid", .type = SCAN_KEY },
 *         { .names = "text", .type = SCAN_TEXT },
 *     };
 *     size_t n;
 *     if (scan_table(d, db_find(d, "NVTX_EVENTS"), c, 4, &pool, &n))
 *         ... c[0].ints[i], c[2].dict.value[c[2].keys[i]], str_at(&pool, c[3].keys[i]) ...
 *     scan_free(c, 4);
 *
 * Rows come in the order of their row ids.
 */
#ifndef SCAN_H
#define SCAN_H

#include "dict.h"
#include "rows.h"
#include "str.h"

enum scan_type {
	SCAN_INT,  /* ints[row] */
	SCAN_KEY,  /* few distinct values: dict.value[keys[row]] */
	SCAN_TEXT  /* a name: keys[row] is its id in the pool, STR_NONE for NULL */
};

typedef struct {
	const char *names;   /* the column, or "a|b": the first of them that the table has; NULL: not wanted */
	enum scan_type type;
	int64_t null;        /* what NULL reads as, and every row when the column is absent */
	bool from_zero;      /* leave out rows where this is NULL or negative: before the capture */

	bool found;          /* does the table have the column? */
	int64_t *ints;
	uint32_t *keys;
	dict dict;           /* SCAN_KEY: the distinct values */
} scan_col;

/* Read the columns of a table.  A table of NULL has no rows.  False, after a complaint, when
 * the file cannot be read; the columns are empty then. */
bool scan_table(const db *d, const db_table *t, scan_col *cols, int ncols, str_pool *pool, size_t *n);

void scan_free(scan_col *cols, int ncols);

#endif
