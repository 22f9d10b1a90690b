/*
 * slice_list - the tables and columns of a trace that may be shared in a slice (slice_write.h), as share/slice lists
 * them.
 *
 *     slice_list *l = slice_list_read();
 *     const slice_table *t = slice_list_find_table(l, "PROCESSES");   // NULL: it is left out
 *     printf("%s\n", t ? t->rows : "-");
 *     slice_list_free(l);
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

/* What a slice holds only if --keep names it. */
enum { SLICE_ENV = 1, SLICE_HOST = 2, SLICE_COMMAND = 4, SLICE_PATHS = 8, SLICE_CLOCK = 16 };

typedef struct {
	const char *name;
	const char *role;       /* how its values are kept (share/slice/tables.tsv): id path text blob program gpu bus
				 * chip time uuid key value enum none; NULL: it holds numbers */
} slice_column;

typedef struct {
	const char *name;       /* a name that ends in * stands for all names that begin so */
	const char *rows;       /* the kind of rows, which says which rows are kept (share/slice/tables.tsv) */
	vec(slice_column) columns;
} slice_table;

typedef struct slice_list slice_list;

slice_list *slice_list_read(void);      /* read the files that are compiled in */
void slice_list_free(slice_list *l);

/* The listed table or column with this name; NULL: it is not listed, and must be left out. */
const slice_table *slice_list_find_table(const slice_list *l, const char *name);
const slice_column *slice_list_find_column(const slice_table *t, const char *name);

/* Some roles have a pattern of the texts that may be shown.  Does the role have one that the text matches? */
bool slice_list_fits_role(const slice_list *l, const char *role, const char *text);

/* May a value be kept if its line in share/slice has the word `when`?  With env, host, command, paths and clock, it may
 * if `keep` has the bit of the word (SLICE_...); with any other word, such as "always", it may. */
bool slice_list_is_kept(const char *when, unsigned keep);

/* Some tables have a row for each name, with its value.  May the value of this name be kept?  *numbered is true if the
 * value is the name of a host and must be replaced by the host's number. */
bool slice_list_allows_value(const slice_list *l, const char *table, const char *name, const char *value, unsigned keep,
		      bool *numbered);

/* Is this row of a table ENUM_... one that nsys itself writes? */
bool slice_list_has_enum_row(const slice_list *l, const char *table, int64_t id, const char *name, const char *label);

/* The files of share/slice, compiled in: name, text, name, text, ..., NULL. */
extern const char *const slice_builtin[];
