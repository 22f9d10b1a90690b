/*
 * findings - the queries of share/findings, and of a user's own folders: what each says, assumes and advises.
 *
 *     findings all = { 0 };
 *     if (findings_load(&all, NULL, say))
 *         for (size_t i = 0; i < all.n; i++)
 *             printf("%s: %s\n", all.v[i].name, all.v[i].advice);
 *     findings_free(&all);
 *
 * A file begins with lines "-- field: text" (a line "--   text" goes on) and holds one SELECT over the tables of
 * advise_tables.h.  A finding has the fields kind, title, assumes, advice and healthy (the program that it must not
 * accuse), and its SELECT gives the columns unit, where, ns and words.  The field bound is what bounds a step in which
 * this is the first finding, and severity says "untrusted" of a finding that makes the other numbers doubtful.  The
 * fields owners and flaw say which time pages mark; across is set of a finding about several traces at once.  A file
 * with the field table makes a table of that name for others.
 */
#pragma once

#include "answer/advise_tables.h"

typedef struct {
	const char *name;       /* of the file, without .sql */
	const char *source;     /* where it comes from, for messages */
	const char *kind, *title, *assumes, *advice, *healthy, *severity;
	const char *bound;      /* gpu copy comm cpu sync data late; "-": nobody knows; "busy": how busy the GPU is */
	const char *owners;     /* of the time that it is about, separated by blanks; NULL: its kind is one */
	const char *flaw;       /* of kernels, instead (kernel_flaws.h); or NULL */
	const char *across;     /* "traces": it is about those of all processes together; or NULL */
	const char *makes;      /* the table that it makes; NULL: it is a finding */
	const char *sql;
} finding;

typedef struct {
	finding *v;             /* what makes tables first, then by name; a user's replaces one of that name */
	size_t n, room;
	arena texts;
} findings;

/* folders: separated by colons, or NULL; one that does not exist is empty.  False after a problem. */
bool findings_load(findings *all, const char *folders, notes *say);
void findings_free(findings *all);

const finding *findings_named(const findings *all, const char *name);

/* Run those that are chosen, each after what makes the tables that it names, and call f with its rows.  A query that
 * fails is a problem. */
typedef bool findings_choice(const void *ctx, const finding *f);
typedef void findings_rows(void *ctx, const finding *f, const table *rows);
bool findings_run(const findings *all, advise_tables *over, findings_choice *choose, findings_rows *f, void *ctx,
		  notes *say);

/* The files of share/findings, compiled in: name, text, name, text, ..., NULL. */
extern const char *const findings_builtin[];
