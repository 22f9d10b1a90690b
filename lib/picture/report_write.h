/*
 * report_write - writes a report: its folder, and each kind of file in it.
 *
 *     report r = { .p = &(report_params){ .warn_below = 70 } };
 *     if (report_may_write("run.report", false, say))
 *         report_write(&r, "run.report", say);
 *     report_free(&r);
 */
#pragma once

#include "picture/report_parts.h"

/* May the folder be written?  False after a problem. */
bool report_may_write(const char *folder, bool replace, notes *say);

/* Write all files.  False after a problem, and nothing is left. */
bool report_write(report *r, const char *folder, notes *say);
