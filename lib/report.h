/*
 * report - .nsys-rep and .qdrep reports, exported to SQLite once.
 */
#ifndef REPORT_H
#define REPORT_H

/* The SQLite file for a trace: the path itself, or, for a report, its export beside it, made with
 * nsys where it is missing or older.  nsys NULL: $NSQ_NSYS, else on PATH.  NULL after a complaint. */
const char *report_export(const char *path, const char *nsys);

#endif
