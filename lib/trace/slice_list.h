/*
 * slice_list - the tables and columns of an export that may be shared, as share/slice lists them.
 *
 *     slice_list *l = slice_list_read();
 *     const slice_table *t = slice_list_table(l, "PROCESSES");   // NULL: it is left out
 *     printf("%s\n", t ? t->rows : "-");
 *     slice_list_free(l);
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { SLICE_ENV = 1, SLICE_HOST = 2, SLICE_COMMAND = 4, SLICE_PATHS = 8, SLICE_CLOCK = 16 };    /* words of --keep */

typedef struct {
	const char *name;
	const char *role;       /* how its values are kept (share/slice/tables.tsv): id path text blob program gpu bus
				 * chip time uuid key value enum none; NULL: it holds numbers */
} slice_column;

typedef struct {
	const char *name;       /* a name that ends in * stands for all names that begin so */
	const char *rows;       /* which rows are kept: see share/slice/tables.tsv */
	vec(slice_column) columns;
} slice_table;

typedef struct slice_list slice_list;

slice_list *slice_list_read(void);
void slice_list_free(slice_list *l);

const slice_table *slice_list_table(const slice_list *l, const char *name);
const slice_column *slice_list_column(const slice_table *t, const char *name);

/* Does the text match the pattern of this role, so that it may be shown? */
bool slice_list_fits(const slice_list *l, const char *role, const char *text);

/* Does this word of share/slice allow the value?  env, host, command, paths and clock do if keep has their bit
 * (SLICE_...); every other word does, such as "always". */
bool slice_list_is_kept(const char *when, unsigned keep);

/* May this value of a table of names and values be kept?  *numbered is true if only the number of a host may stand for
 * it. */
bool slice_list_allows_value(const slice_list *l, const char *table, const char *name, const char *value, unsigned keep,
		      bool *numbered);

/* Does nsys itself write this row of a table ENUM_...? */
bool slice_list_has_enum_row(const slice_list *l, const char *table, int64_t id, const char *name, const char *label);

/* The files of share/slice, compiled in: name, text, name, text, ..., NULL. */
extern const char *const slice_builtin[];
