/*
 * trace_file - the SQLite file of a trace that the command line names; a report is exported first.
 *
 *     arena texts = { 0 };
 *     notes say = { 0 };
 *     const char *file = trace_file("run.nsys-rep", NULL, &texts, &say);
 *     puts(file ? file : "say has the reason");  // run.sqlite
 */
#ifndef TRACE_FILE_H
#define TRACE_FILE_H

#include "base/notes.h"

/* nsys may be NULL (report_nsys).  NULL after a problem. */
const char *trace_file(const char *path, const char *nsys, arena *texts, notes *say);

#endif
