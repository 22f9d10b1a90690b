/*
 * values - reads the arguments of options, and limits the time that a query may take.
 *
 *     unsigned chosen;
 *     static const char *const words[] = { "all", "kernels", NULL };
 *     values_set(&(opt){ .name = "work", .type = OPT_CHOICE, .words = words }, "--work", "kernels", &chosen, NULL);
 *     printf("%u\n", chosen);                   // 1
 *     limit_query("query", LIMIT_QUERY_NS);
 *     limit_end();
 *
 * A wrong argument ends the program, and so does an expression that takes too long for a name.  Expressions, rules and
 * measurements live as long as the process.
 */
#pragma once

#include "base/whole_file.h"
#include "cli/options.h"
#include "trace/rules.h"
#include "trace/ncu_csv.h"

/* Read the argument of an option as its type says. shown is the option as the user wrote it; params is for
 * OPT_OWN. */
void values_set(const opt *o, const char *shown, const char *arg, void *to, void *params);

/* Rules by their name or file. */
const rules *values_rules(const char *spec);

/* At the end of a run: say which rules took too long for a name. */
void values_end(void);

/* What Nsight Compute measured, from its CSV. */
const ncu_csv *values_ncu(const char *path);

/* Does the name of a file to write say another kind than those that its tool writes, such as ".json .gz"?  That is a
 * mistake: a page called run.svg, or a table replaced by a picture of it. */
void values_ending(const char *path, const char *endings);

/* The file of that name in a folder, if the path is one; else the path. */
const char *values_in_folder(const char *path, const char *name);

/* A file to write, -o, whose name may end so: may it be written there? */
void values_output(const char *path, const char *endings, enum whole_replace replace);

/* Say that nothing was written, if there is something to write and no -o. */
void values_unwritten(const char *path, const table *out);

/* ---- a limit on the time that a query may take.  SQLite takes exponential time to match some patterns, in which it
 * cannot be interrupted: the program says so and ends with EXIT_FAILED. */

#define LIMIT_QUERY_NS 60000000000      /* unless --timeout says otherwise */

/* what is for the message, which names the option --timeout.  A time of 0 is no limit; one too short is a mistake. */
void limit_query(const char *what, int64_t ns);
void limit_pause(bool on);      /* while a trace is loaded, which is not the query's fault */

void limit_end(void);
