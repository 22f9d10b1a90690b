/*
 * view_page - the events of a timeline as a browser reads them, and the page around them.
 *
 *     view_page *page = view_page_new(NULL, NULL);
 *     view_page_add(page, tl, 0);
 *     view_page_write(page, NULL, stdout);
 *     view_page_free(page);
 *
 * A page has two blocks of data.  One is JSON that holds numbers and our own words
 * only: the processes, the tracks, and where their columns are in the other.  That one
 * is base64 of gzip of bytes: the names, ended by NUL, and the columns, whose values are whole
 * numbers of seven bits a byte, lowest first, the eighth bit set in all but the last
 * byte.  share/view/data.js reads both.
 */
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include "trace/rules.h"
#include "picture/timeline.h"

#include <stdio.h>

typedef struct view_page view_page;

typedef void view_progress(const char *doing, size_t done, size_t of);

/* categories: rules for the names of kernels, which must outlive the page; NULL: none.  progress: called now and then,
 * or NULL. */
view_page *view_page_new(const rules *categories, view_progress *progress);
void view_page_free(view_page *p);

/* Add a trace.  ahead: how much later the page's clock is than its own. */
void view_page_add(view_page *p, const timeline *tl, int64_t ahead);

/* How many events it has, and how many of them are idle stretches and values of counters. */
typedef struct {
	size_t events, stretches, values;
} view_size;

view_size view_page_size(const view_page *p);

/* How many traces it has; the time from its first event to its last, if this trace is added. */
size_t view_page_traces(const view_page *p);
ival view_page_wider(const view_page *p, const timeline *tl, int64_t ahead);

/* It would hold too much, so it is not to be written. */
void view_page_refuse(view_page *p);
bool view_page_refused(const view_page *p);

/* clock: what is said of it; or NULL. */
void view_page_write(view_page *p, const char *clock, FILE *to);

/* The files of share/view, compiled in: name, text, name, text, ..., NULL. */
extern const char *const view_builtin[];

#endif
