/*
 * trace_file - the SQLite file of a trace that the command line names; a report is exported first.
 *
 *     arena texts = { 0 };
 *     notes say = { 0 };
 *     const char *file = trace_file("run.nsys-rep", &(report_how){ 0 }, &texts, &say);
 *     puts(file ? file : "say has the reason");  // run.sqlite
 */
#pragma once

#include "base/notes.h"
#include "trace/report.h"

#include <stdbool.h>
#include <sys/types.h>

/* NULL after a problem. */
const char *trace_file(const char *path, const report_how *how, arena *texts, notes *say);

/* The file that a trace is read from, so that it is recognised under another name: a report that has been exported
 * is its export. */
typedef struct {
	const char *path;       /* as it was given */
	dev_t dev;
	ino_t ino;
	bool there;
} trace_place;

trace_place trace_file_place(const char *path, const report_how *how);
bool trace_file_same(const trace_place *a, const trace_place *b);
