/*
 * view_page - the events of a timeline as a browser reads them, and the page around them.
 *
 *     view_page *page = view_page_new(NULL, NULL);
 *     if (view_page_add(page, tl, 0, say))       // for each trace
 *         view_page_write(page, NULL, NULL, "run.html", false, say);
 *     view_page_free(page);
 *
 * A page has two blocks of data, which share/view/data.js reads.  The first is JSON, and holds only numbers and words
 * of nsq: the processes, the tracks, and the offsets of their columns in the second block.  The second is base64 of
 * gzip: the columns, then the categories, the colors of ranges, the paths, and the names, each ended by a NUL.  All but
 * the names are whole numbers, seven bits a byte, the lowest bits first, with the eighth bit set in all bytes but the
 * last.
 */
#pragma once

#include "trace/rules.h"
#include "picture/marked.h"
#include "picture/timeline.h"

#include <stdio.h>

enum { VIEW_MOST = 4000000 };   /* events in a page: more would take a browser too much time and memory */

typedef struct view_page view_page;

typedef void view_progress(const char *doing, size_t done, size_t of);

/* own: rules for the categories of kernels, which must outlive the page; NULL: kernels are colored by owner.  progress:
 * called now and then, or NULL. */
view_page *view_page_new(const rules *own, view_progress *progress);
void view_page_free(view_page *p);

/* Thin a timeline (timeline_thin) to its share of a page that can hold `most` events and will get `others` more
 * timelines after it.  If events were merged, a remark says so. */
void view_page_fit(view_page *p, timeline *tl, size_t most, size_t others, const ival_set *keep, notes *say);

/* Add a trace.  ahead: how far the page's clock is ahead of the trace's, ns.  False after a problem: the page would
 * span too much time, and must not be written. */
bool view_page_add(view_page *p, const timeline *tl, int64_t ahead, notes *say);

/* Write the page, unless it is empty.  clock: a sentence about the clock of several traces, or NULL.  marks: steps and
 * findings, or NULL.  False after a problem, here or while traces were added. */
bool view_page_write(view_page *p, const char *clock, const marked *marks, const char *path, bool replace, notes *say);

/* Write the page into an open file.  A trace must have been added, and none refused. */
void view_page_put(view_page *p, const char *clock, const marked *marks, FILE *to);

/* The files of share/view, compiled in: name, text, name, text, ..., NULL. */
extern const char *const view_builtin[];
