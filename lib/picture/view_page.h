/*
 * view_page - the events of a timeline as a browser reads them, and the page around them.
 *
 *     view_page *page = view_page_new(NULL, NULL);
 *     if (view_page_add(page, tl, 0, say))       // for each trace
 *         view_page_write(page, NULL, NULL, "run.html", false, say);
 *     view_page_free(page);
 *
 * A page has two blocks of data.  One is JSON that holds numbers and our own words
 * only: the processes, the tracks, and where their columns are in the other.  That one
 * is base64 of gzip of bytes: the names, ended by NUL, and the columns, whose values are whole
 * numbers of seven bits a byte, lowest first, the eighth bit set in all but the last
 * byte.  share/view/data.js reads both.
 */
#pragma once

#include "trace/rules.h"
#include "picture/marked.h"
#include "picture/timeline.h"

#include <stdio.h>

enum { VIEW_MOST = 4000000 };   /* events in a page: more would take a browser too much time and memory */

typedef struct view_page view_page;

typedef void view_progress(const char *doing, size_t done, size_t of);

/* own: rules for the names of kernels, which must outlive the page; NULL: they are shown by owner.  progress: called
 * now and then, or NULL. */
view_page *view_page_new(const rules *own, view_progress *progress);
void view_page_free(view_page *p);

/* Make a timeline fit a page of at most so many events, in which others have room too, but for the times of `keep`;
 * and say so. */
void view_page_fit(view_page *p, timeline *tl, size_t most, size_t others, const ival_set *keep, notes *say);

/* Add a trace.  ahead: how much later the page's clock is than its own.  False after a problem: the page would hold too
 * much, and is not to be written. */
bool view_page_add(view_page *p, const timeline *tl, int64_t ahead, notes *say);

/* Write the page, unless there is nothing in it.  clock: what is said of that of several traces, or NULL.  marks: steps
 * and findings, or NULL.  False after a problem, here or while traces were added. */
bool view_page_write(view_page *p, const char *clock, const marked *marks, const char *path, bool replace, notes *say);

/* The same into an open file, of a page to which some trace was added and none refused. */
void view_page_put(view_page *p, const char *clock, const marked *marks, FILE *to);

/* The files of share/view, compiled in: name, text, name, text, ..., NULL. */
extern const char *const view_builtin[];
