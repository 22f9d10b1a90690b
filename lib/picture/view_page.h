/*
 * view_page - the events of a timeline as a browser reads them, and the page around them.
 *
 *     view_page *page = view_page_new(NULL, NULL);
 *     if (view_page_add(page, tl, 0, say))       // for each trace
 *         view_page_write(page, NULL, NULL, "run.html", false, say);
 *     view_page_free(page);
 *
 * A page has two blocks of data, which share/view/data.js reads.  The first is JSON.  It lists the processes and the
 * tracks.  The times and other data of a track's events are columns of numbers in the second block, and the JSON has
 * their offsets.  A text of the trace is replaced by a number: 1 + the index of the text among the names in the second
 * block, or 0 if there is no text.
 *
 * The second block is compressed with gzip and written in base64.  It holds the columns, the categories, the colors of
 * ranges, the paths (view_data.paths, view_columns.h) and, last, the names, each ended by a NUL.  Everything before the
 * names consists of whole numbers as view_data_put (view_columns.h) writes them.
 */
#pragma once

#include "trace/rules.h"
#include "picture/marked.h"
#include "picture/timeline.h"

#include <stdio.h>

enum { VIEW_MOST = 4000000 };   /* the most events in a page by default; more would take a browser too much time and
				 * memory */

typedef struct view_page view_page;

/* Called now and then: `done` of `total` parts of the work are done, and `doing` says what is being done now. */
typedef void view_progress(const char *doing, size_t done, size_t total);

/* own: the user's rules, which give work its categories and must outlive the page; NULL: work is colored by its owner,
 * which says what it is for (enum owner, "step/owners.h").  progress: called now and then, or NULL. */
view_page *view_page_new(const rules *own, view_progress *progress);
void view_page_free(view_page *p);

/* Thin a timeline before it is added: merge short events that are neighbours, except in the times of `keep` (see
 * timeline_thin).  The room that is left in a page of `most` events is divided equally between this timeline and the
 * `others` that will be added after it.  If events are merged, a remark says so. */
void view_page_thin(view_page *p, timeline *tl, size_t most, size_t others, const ival_set *keep, notes *say);

/* Add a trace.  ahead: how far the page's clock is ahead of the trace's clock, ns.  False after a problem: with this
 * trace, the page spans too much time, and must not be written. */
bool view_page_add(view_page *p, const timeline *tl, int64_t ahead, notes *say);

/* Write the page, unless no trace was added.  clock: a sentence about the clock of several traces, or NULL.  marks:
 * steps and findings, or NULL.  replace: may an existing file be replaced?  False after a problem, now or when traces
 * were added. */
bool view_page_write(view_page *p, const char *clock, const marked *marks, const char *path, bool replace, notes *say);

/* Write the page into an open file.  A trace must have been added, and view_page_add must never have failed. */
void view_page_write_to(view_page *p, const char *clock, const marked *marks, FILE *to);

/* The files of share/view, compiled in: the name of a file, its text, the name of the next one, and so on; then
 * NULL. */
extern const char *const view_builtin[];
