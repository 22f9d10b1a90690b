/*
 * captures - the folders of captures on the disk.
 *
 *     notes say = { 0 };
 *     if (captures_may_write("cap", false, &say) && captures_make("cap", false, &say))
 *         printf("%lld bytes\n", (long long)captures_bytes("cap"));
 *     captures_keep_last("sweep", "", 3, &say);          // those in sweep that ended last
 *     notes_free(&say);
 *
 * Only files that a capture consists of are removed, by their names, and never through a link.
 */
#pragma once

#include "base/notes.h"

#include <stdint.h>

/* Is there a file or folder? */
bool captures_has(const char *path);

/* May a capture be written there?  False after a problem: the folder holds something that is no capture, or one that
 * may not be replaced. */
bool captures_may_write(const char *folder, bool replace, notes *say);

/* The same of what ncu measures, which a folder may hold without a capture. */
bool captures_may_measure(const char *folder, bool replace, notes *say);

/* Make a folder, and those above it that are missing.  False after a problem. */
bool captures_folder(const char *folder, notes *say);

/* Make the folder of a capture, if it may be written there now; one that may be replaced is removed.  False after a
 * problem. */
bool captures_make(const char *folder, bool replace, notes *say);

/* How much all files below a folder take. */
int64_t captures_bytes(const char *folder);

/* Remove all but the last n captures in a folder; below: where in each of its folders a capture is, such as /rank-0. */
void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say);
