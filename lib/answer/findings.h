/*
 * findings - the queries of share/findings and of the user's own folders: what each finds, assumes and advises.
 *
 *     findings all = { 0 };
 *     if (findings_load(&all, NULL, say))
 *         for (size_t i = 0; i < all.n; i++)
 *             printf("%s: %s\n", all.v[i].name, all.v[i].advice);
 *     findings_free(&all);
 *
 * A file begins with lines "-- field: text" (a line "--   text" continues the field before it) and holds one SELECT
 * over the tables of advise_tables.h.  A finding has the fields kind, title, assumes, advice and healthy (the program
 * that it must not accuse), and its SELECT gives the columns unit (a process on a GPU), where, ns and words
 * (share/conventions/advise.md).  Further fields:
 * - bound: what bounds the steps in which this finding would save most;
 * - severity: "untrusted" if the finding makes the other numbers doubtful;
 * - owners, flaw: the time that nsq-view and nsq-tui mark for the finding: that of some owners in the ledger, or that
 *   of kernels with a flaw;
 * - across: set if the finding is about several traces together.
 * A file with the field table makes a table of that name for the queries of other files.
 */
#pragma once

#include "answer/advise_tables.h"

typedef struct {
	const char *name;       /* name of the file, without .sql */
	const char *source;     /* its path or, if it is built in, its name; for messages */
	const char *kind;       /* the word that names the finding in tables, such as "host" */
	const char *title, *assumes, *advice, *healthy, *severity;
	const char *bound;      /* gpu copy comm cpu sync data late; NULL: none.  Findings that save no time may also
				 * have "-" (the bound is unknown) or "busy" (only the share of the step in which the
				 * GPU is busy is known) */
	const char *owners;     /* owners in the ledger (nsq help ledger), separated by blanks; NULL: the kind is also
				 * the owner */
	const char *flaw;       /* the flaw of kernels that it is about (kernel_flaws.h); or NULL */
	const char *across;     /* "traces": it is about the traces of all processes together; or NULL */
	const char *makes;      /* the name of the table that it makes; NULL: it is a finding */
	const char *sql;
} finding;

typedef struct {
	finding *v;             /* the built-in ones in order of name, then those of each folder in order of name; a
				 * finding with the name of an earlier one takes its place */
	size_t n, room;
	arena texts;
} findings;

/* Load the built-in findings, then those of the folders.  folders: separated by colons, or NULL.  A folder that does
 * not exist counts as empty.  False after a problem. */
bool findings_load(findings *all, const char *folders, notes *say);
void findings_free(findings *all);

/* The finding of this name; NULL: there is none. */
const finding *findings_find(const findings *all, const char *name);

/* Run the queries of the findings for which `choose` is true, over the tables `over`.  Call `take` with each finding
 * and its rows, which are freed at the end.  The queries that make a table run before those that name it.  False after
 * a problem, such as a query that fails. */
typedef bool findings_choice(const void *ctx, const finding *f);
typedef void findings_take(void *ctx, const finding *f, const table *rows);
bool findings_run(const findings *all, advise_tables *over, findings_choice *choose, findings_take *take, void *ctx,
		  notes *say);

/* The files of share/findings, compiled in: the name and the text of each, by name, then NULL. */
extern const char *const findings_builtin[];
