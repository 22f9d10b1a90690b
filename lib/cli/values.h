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
 * A wrong argument ends the program.  So does an option's regular expression if it takes too long to match a name.
 * Expressions, rules and measurements live as long as the process.
 */
#pragma once

#include "base/whole_file.h"
#include "cli/options.h"
#include "trace/rules.h"
#include "trace/ncu_csv.h"

/* Read the argument of an option by its type, and store the value in *to.  shown: the option as the user wrote it.
 * params: passed to opt.read, which stores the value of OPT_OWN and OPT_MANIFEST itself. */
void values_set(const opt *o, const char *shown, const char *arg, void *to, void *params);

/* Rules by their name or file. */
const rules *values_load_rules(const char *spec);

/* Call this at the end of a run: it reports regular expressions of rules that took too long to match a name. */
void values_report_slow_rules(void);

/* The measurements of Nsight Compute in a CSV file. */
const ncu_csv *values_read_ncu(const char *path);

/* Exit if a file to write has a known ending that is not in `endings`, such as ".json .gz".  This catches a page called
 * run.svg, and a picture that would replace a table. */
void values_refuse_other_ending(const char *path, const char *endings);

/* The path of the file `name` in a folder if `path` is a folder; otherwise the path itself. */
const char *values_in_folder(const char *path, const char *name);

/* Exit if the file of -o is "-", has a wrong ending (values_refuse_other_ending) or may not be written. */
void values_check_output(const char *path, const char *endings, enum whole_replace replace);

/* Add a remark that nothing was written, if the table has rows, nothing failed and there was no -o (path NULL). */
void values_remark_unwritten(const char *path, const table *out);

/* ---- a limit on the time that a query may take.  SQLite needs exponential time to match some patterns and cannot be
 * interrupted meanwhile.  So at the limit, the program prints a message and ends with EXIT_FAILED. */

#define LIMIT_QUERY_NS 60000000000      /* the default of --timeout */

/* Start the limit of ns nanoseconds; 0: none.  Exits if it is above 0 but shorter than a millisecond.  what: names the
 * query in the message. */
void limit_query(const char *what, int64_t ns);

/* `on` true: pause the limit while a trace is loaded, which does not count; false: go on. */
void limit_pause(bool on);

void limit_end(void);
