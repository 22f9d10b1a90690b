/*
 * report - .nsys-rep and .qdrep reports, exported to SQLite once.
 *
 *     const char *file = report_export("run.nsys-rep", NULL);    // "run.sqlite"; NULL: the reason was printed
 *     const char *same = report_export("run.sqlite", NULL);      // "run.sqlite"
 *
 * The export lies beside the report or, where that folder is not writable, in
 * the folder nsq of the user's cache ($XDG_CACHE_HOME, else ~/.cache).  It is
 * made under a name of its own and renamed when nsys is done, so that a file of
 * the final name is complete; it is made again when the report changes.  A
 * signal that ends us meanwhile ends nsys too and leaves nothing behind.
 */
#ifndef REPORT_H
#define REPORT_H

/* The SQLite file for a trace: the path itself, or the export of a report.  nsys NULL: $NSQ_NSYS, else
 * the one on PATH.  NULL after a complaint. */
const char *report_export(const char *path, const char *nsys);

#endif
