/*
 * descriptions - what is known about tables: share/schema, compiled in.
 *
 *     descriptions d = descriptions_read("nsys");
 *     const description *t = descriptions_find(&d, "ENUM_CUDA_MEM_KIND");     // that of ENUM_*
 *     const described_column *c = t ? descriptions_column(t, "label") : NULL;
 *     puts(c ? c->meaning : "not described");
 *     descriptions_free(&d);
 *
 * The file's first lines say how it is written.  Texts that it leaves out are NULL.
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>

typedef struct {
	const char *name;
	const char *type;       /* "integer" "real" "text" "blob" */
	const char *unit;
	const char *refers;     /* "TABLE.column, TABLE.column" */
	const char *meaning;
} described_column;

typedef struct {
	const char *name;       /* ends in * if it stands for all tables that begin so */
	const char *meaning;
	const char *query;      /* one to paste; {table} is the name */
	bool usual;             /* do traces of CUDA programs with NVTX have it? */
	vec(described_column) columns;
} description;

typedef struct {
	vec(description) tables;        /* in the order of the file */
	arena texts;
} descriptions;

/* Those of share/schema/NAME.tsv. */
descriptions descriptions_read(const char *name);
void descriptions_free(descriptions *d);

/* The description of a table or of its column; NULL if there is none. */
const description *descriptions_find(const descriptions *d, const char *table);
const described_column *descriptions_column(const description *t, const char *column);

/* The text of a file of share/schema, by its name without the ending. */
const char *descriptions_file(const char *name);

/* The files of share/schema, compiled in: name, text, name, text, ..., NULL. */
extern const char *const schema_builtin[];
