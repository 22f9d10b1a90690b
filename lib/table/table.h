/*
 * table - the rows of an answer, as a value.
 *
 *     #define COLUMNS(X) \
 *             X(EXPOSED_NS, "exposed_ns", 'i', "ns", "communication that no compute overlaps") \
 *             X(STAGE, "stage", 't', NULL, "label of the kernel")
 *     enum { TABLE_IDS(COLUMNS) };
 *     static const table_col columns[] = { TABLE_COLS(COLUMNS) };
 *
 *     table t = { 0 };
 *     table_columns(&t, columns, COL_CTX, EXPOSED_NS, STAGE);
 *     table_sort(&t, EXPOSED_NS, true);          // then by all columns, left to right
 *     table_row(&t);
 *     table_int(&t, EXPOSED_NS, 1200);
 *     table_text(&t, STAGE, "stage2_f");
 *     table_group(&t);                           // these rows are sorted among themselves
 *     table_free(&t);
 *
 * A column is declared once, and a cell is set by the id of its column, so that it cannot land under the wrong name.
 * Cells that are not set are missing.  Setting a cell of a column that this table does not have does nothing, so that
 * one function can fill the rows of several modes of a tool.  The table copies texts, except those of table_word, so
 * that they outlive the trace they come from.
 */
#pragma once

#include "base/memory.h"
#include "base/stats.h"
#include "base/strings.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *name;
	char type;            /* 'i' integer, 'd' two decimals, 't' text, 'p' process id, 'n' number kept as text */
	const char *unit;     /* "ns", "%", "bytes", "GB/s" or NULL; TABLE_UNIT: each row has its own */
	const char *meaning;
} table_col;

#define TABLE_UNIT "unit"     /* name of the column with the unit of each row */

/* Columns that mean the same in every table. */
enum {
	COL_NONE,             /* no column, in a list of columns */
	COL_PID, COL_RANK, COL_START, COL_END, COL_GPU, COL_CTX, COL_STREAM, COL_LAUNCH, COL_WINDOW, COL_TRACE,
	COL_OWN,              /* the first id of a table's own columns */
	COL_LAST = -1,        /* the end of a list */
	COL_IDS = 64          /* every id is below this */
};

/* TABLE_IDS makes the ids of a table's own columns, and TABLE_COLS their descriptions, both from one list. */
#define TABLE_ID(id, ...) id,
#define TABLE_COL(id, ...) { __VA_ARGS__ },
#define TABLE_IDS(list) OWN_COLUMNS = COL_OWN - 1, list(TABLE_ID)
#define TABLE_COLS(list) list(TABLE_COL) { NULL, 0, NULL, NULL }

typedef union {
	int64_t i;
	double d;
	const char *t;
} table_cell;

/* Does a cell of this type hold a text? */
static inline bool table_has_text(char type)
{
	return type == 't' || type == 'n';
}

#define TABLE_MISSING STATS_MISSING

/* The cell of a process is one number that sorts by pid, then by sub: pid * TABLE_SUBS + sub + 1.  If several processes
 * of a trace have the same pid, `sub` distinguishes them; otherwise it is -1.  A pid has 24 bits and a sub 16. */
enum { TABLE_SUBS = 1 << 17 };

typedef struct {
	vec(table_col) cols;
	uint16_t slot[COL_IDS];         /* for each id: position of the column + 1; 0: not in this table */
	vec(struct { int col; bool down; }) keys;       /* what rows are sorted by: the position of a column; with
							 * `down`, the largest value comes first */
	bool given_order;               /* are rows kept in the order in which they were added? */
	size_t most;                    /* the number of rows that each group keeps, the first in its order; 0: all */
	bool sorted;                    /* was the group that is being filled already sorted, and cut to `most` rows?
					 * The rows that were added after that stand behind these */

	vec(table_cell) blank;          /* a row in which every cell is missing */
	vec(table_cell) cells;
	vec(uint32_t) order;            /* for each row as table_at numbers it: its index among the rows of `cells`;
					 * empty: both numbers are equal for every row */
	vec(size_t) groups;             /* for each group: the number of rows of this group and all before it */

	str_pool texts;
	const str_pool *names;          /* the pool that table_set_name uses */
	vec(const char *) name_text;    /* for each text of that pool: the table's copy of it; NULL until a cell needs
					 * it */
} table;

/* Set the columns of a table whose rows are about windows: pid rank start_ns end_ns gpu, then the listed ones, then
 * window trace.  own: the table's own columns. */
#define table_columns(t, own, ...) table_list(t, own, (const int[]){ __VA_ARGS__, COL_LAST })
void table_list(table *t, const table_col *own, const int *ids);

/* Add one column at the end. */
void table_add(table *t, int id, const table_col *c);
void table_add_common(table *t, int id);        /* a column that means the same in every table */

/* Remove the last column, if it is the one with this id. */
void table_drop_last(table *t, int id);

/* Sort the rows of each group by this column: the smallest first or, with `down`, the largest.  The columns of later
 * calls decide between rows that are equal in it, and all columns from left to right decide last.  A column that the
 * table does not have is ignored. */
void table_sort(table *t, int id, bool down);

/* Begin a row.  table_row_of also sets pid, rank, start_ns and end_ns; a pid or rank below 0 is missing. */
void table_row(table *t);
void table_row_of(table *t, int64_t pid, int64_t sub, int64_t rank, int64_t start, int64_t end);

void table_int(table *t, int id, int64_t v);            /* TABLE_MISSING prints as - */

/* Set several integers: table_ints(&t, { COUNT, 3 }, { TOTAL_NS, 1200 }). */
typedef struct {
	int id;
	int64_t v;
} table_int_cell;
#define table_ints(t, ...) table_int_list(t, (const table_int_cell[]){ __VA_ARGS__, { COL_LAST, 0 } })
void table_int_list(table *t, const table_int_cell *cells);

void table_pid(table *t, int64_t pid, int64_t sub);     /* sub -1: the pid alone */
void table_num(table *t, int id, double v);             /* NaN prints as - */
void table_pct(table *t, int id, int64_t part, int64_t whole);     /* prints as - if whole is 0 */
void table_text(table *t, int id, const char *s);       /* copied; NULL prints as - */
void table_word(table *t, int id, const char *s);       /* not copied: a text that outlives the table */

/* Ids of the columns that get statistics of events; COL_NONE: no column. */
typedef struct {
	int count, total, mean, p50, p90, p99, min, max;
} table_stats_ids;
void table_stats(table *t, table_stats_ids ids, const stats_summary *s);

const char *table_keep(table *t, const char *s);        /* a copy that lives as long as the table */

/* Set a text by its id in a pool.  Call table_use_pool once, before the rows that use the pool. */
void table_use_pool(table *t, const str_pool *pool);
void table_set_name(table *t, int id, uint32_t name);

/* If the table keeps only the first rows of a group, is a row with this integer in this column certain to be dropped?
 * If so, it need not be added. */
bool table_would_drop(const table *t, int id, int64_t v);

/* Make a group of the rows since the last group, and sort them. */
void table_group(table *t);

static inline size_t table_rows(const table *t)
{
	return t->cols.n ? t->cells.n / t->cols.n : 0;
}

/* The cells of a row, by position of the column.  Rows are numbered in the order in which they are printed. */
const table_cell *table_at(const table *t, size_t row);

/* The position of a column by its name, ignoring case as in SQL; -1 if there is none. */
int table_column(const table *t, const char *name);

/* The cell of a row in the column with that name; NULL if there is none. */
const table_cell *table_find(const table *t, size_t row, const char *column);

/* Read the number in a cell of a column that does not hold texts; false if it is missing. */
bool table_number(const table *t, size_t row, int col, double *value);

/* The id of the column at a position; COL_NONE if it has none. */
int table_id(const table *t, size_t col);

/* The cell of a row in the column with this id, which the table must have. */
const table_cell *table_value(const table *t, size_t row, int id);

/* Change an integer of a row, which is not sorted again. */
void table_change(table *t, size_t row, int id, int64_t value);
void table_change_text(table *t, size_t row, int id, const char *text);  /* the table must own the text already */

/* Keep only the rows i with keep[i], numbered as in table_at, and sort each group again, even if given_order is set. */
void table_filter(table *t, const bool *keep);

/* table_clear removes the rows, but not the columns; table_free frees everything. */
void table_clear(table *t);
void table_free(table *t);

/* The name of a column's type for people. */
const char *table_type(const table_col *c);

/* Describe the columns of a table as the rows of another table: name, type, unit, meaning. */
void table_describe(const table *columns, table *out);
