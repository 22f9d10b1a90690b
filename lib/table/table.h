/*
 * table - rows as a value: what an answer is.
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
 * A column is declared once, and a cell is set by the id of its column, so it
 * cannot land under another name.  Cells that are not set are missing; setting a
 * cell of a column that this table does not have does nothing, so that one
 * function can fill the rows of several modes.  Texts are kept by the table and
 * outlive the trace they come from.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/memory.h"
#include "base/stats.h"
#include "base/strings.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	const char *name;
	char type;            /* 'i' integer, 'd' two decimals, 't' text, 'p' process id */
	const char *unit;     /* "ns", "%", "bytes", "GB/s" or NULL */
	const char *meaning;
} table_col;

/* Columns that mean the same in every table. */
enum {
	COL_NONE,             /* in a list of columns: nothing */
	COL_PID, COL_RANK, COL_START, COL_END, COL_GPU, COL_CTX, COL_STREAM, COL_LAUNCH, COL_WINDOW, COL_TRACE,
	COL_OWN,              /* the first id of a table's own columns */
	COL_LAST = -1,        /* ends a list */
	COL_IDS = 64          /* ids are below this */
};

/* The ids and the descriptions of a table's own columns from one list of them. */
#define TABLE_ID(id, ...) id,
#define TABLE_COL(id, ...) { __VA_ARGS__ },
#define TABLE_IDS(list) OWN_COLUMNS = COL_OWN - 1, list(TABLE_ID)
#define TABLE_COLS(list) list(TABLE_COL) { NULL, 0, NULL, NULL }

typedef union {
	int64_t i;
	double d;
	const char *t;
} table_cell;

#define TABLE_MISSING STATS_MISSING

typedef struct {
	vec(table_col) cols;
	uint8_t slot[COL_IDS];          /* by id: its place + 1, 0: not in this table */
	vec(struct { int col; bool down; }) keys;
	bool given_order;               /* rows stay as they come */

	vec(table_cell) blank;          /* a row with everything missing */
	vec(table_cell) cells;
	vec(uint32_t) order;            /* the rows in order, where that is not the order of cells */
	vec(size_t) groups;             /* where each group of rows ends */

	str_pool texts;
	const str_pool *names;          /* of table_name, */
	vec(const char *) name_text;    /* and what it has copied so far, by id */
} table;

/* Set the columns of a table of windows: pid rank start_ns end_ns gpu, those listed, window trace. */
#define table_columns(t, own, ...) table_list(t, own, (const int[]){ __VA_ARGS__, COL_LAST })
void table_list(table *t, const table_col *own, const int *ids);

/* Add one column at the end. */
void table_add(table *t, int id, const table_col *c);

void table_sort(table *t, int id, bool down);

/* Begin a row. */
void table_row(table *t);

void table_int(table *t, int id, int64_t v);            /* TABLE_MISSING: - */
void table_pid(table *t, int64_t pid, int64_t sub);     /* sub -1: the pid alone */
void table_num(table *t, int id, double v);             /* NaN: - */
void table_pct(table *t, int id, int64_t part, int64_t whole);     /* of nothing: - */
void table_text(table *t, int id, const char *s);       /* copied; NULL: - */
void table_word(table *t, int id, const char *s);       /* the same, of a text that is never freed */
const char *table_keep(table *t, const char *s);        /* a copy that lives as long as the table */

/* Texts of a pool, by number.  table_names says which pool, once before the rows that use it. */
void table_names(table *t, const str_pool *pool);
void table_name(table *t, int id, uint32_t name);

/* The rows since the last group are a group: put them in order. */
void table_group(table *t);

static inline size_t table_rows(const table *t)
{
	return t->cols.n ? t->cells.n / t->cols.n : 0;
}

/* The cells of row i, in order. */
const table_cell *table_at(const table *t, size_t row);

/* Forget the rows, or everything. */
void table_clear(table *t);
void table_free(table *t);

/* The columns of a table as a table: name, type, unit, meaning. */
void table_describe(const table *columns, table *out);

#endif
