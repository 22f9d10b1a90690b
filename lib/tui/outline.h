/*
 * outline - the ranges of a window as a tree whose branches open and close.
 *
 *     outline *o = outline_build(a, w, false);           // rows: the outermost ranges, and work outside of ranges
 *     outline_move(o, 0);
 *     outline_open(o, true);                             // adds the rows below the first one
 *     for (size_t i = 0; i < o->rows.n; i++) {
 *         outline_row row = outline_row_at(o, i);
 *         printf("%*s%s %lld\n", (int)row.depth, "", row.name, (long long)row.gpu_ns);
 *     }
 *     outline_free(o);
 *
 * Ranges of one name (digits folded) at one place of the hierarchy share a row, with the numbers of nsq-nvtx --tree.
 * Below the row are, by name, the ranges inside its ranges, and the kernels whose innermost range is one of its ranges.
 * Their GPU times add up to that of the row.  If a row stands for several ranges, one more row below it opens into each
 * single range, with the numbers of nsq-nvtx --each.  Below a single range are its own ranges and kernels one by one.
 *
 * What is below a row is looked for only when the row is opened, so that rows appear immediately, however many ranges
 * there are.
 */
#pragma once

#include "base/pattern.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"

enum outline_kind {
	OUTLINE_RANGES,         /* ranges of one name, at one place of the hierarchy */
	OUTLINE_KERNELS,        /* kernels and graphs of one name */
	OUTLINE_EACH,           /* the row that opens into the single ranges of its parent row */
	OUTLINE_RANGE,          /* a single push/pop range */
	OUTLINE_STARTEND,       /* a single start/end range, which nests in no other */
	OUTLINE_RUN             /* a single run of a kernel or graph */
};

enum outline_order {
	OUTLINE_BY_GPU,         /* by GPU time, then by CPU time, the largest first */
	OUTLINE_BY_CPU,         /* by CPU time, then by GPU time, the largest first */
	OUTLINE_BY_START        /* by the time of opening or launch, the earliest first */
};

typedef struct {                        /* a number that a row does not have is TRACE_UNKNOWN */
	enum outline_kind kind;
	size_t depth;
	bool opens, open;               /* opens: are there rows below it?  open: are they shown? */
	bool match;                     /* does it match the search (outline_find)? */
	const char *name, *domain;      /* as in the trace, but with folded digits for several ranges; "-": none */
	int64_t count;                  /* the number of ranges, or of kernels and graphs */
	int64_t cpu_ns;                 /* the time that the ranges were open */
	int64_t cpu_own_ns;             /* the part of cpu_ns outside of inner ranges of the same thread */
	int64_t gpu_ns;                 /* the time of kernels and graphs launched anywhere inside */
	int64_t gpu_own_ns, kernels;    /* time and number of the kernels and graphs whose innermost range is
					 * one of the row's ranges */
	int64_t mean_ns, p50_ns, p90_ns, max_ns;        /* mean, percentiles and maximum of the ranges' CPU times */
	int64_t start_ns;               /* for a single range or run: its start */
	int64_t tid;                    /* for a single range: its thread */
	uint32_t work;                  /* for kernels and graphs: one of them; otherwise NONE */
	int64_t parent_ns;              /* gpu_ns of its parent row, which is never OUTLINE_EACH; total_ns for
					 * the outermost rows */
} outline_row;

typedef struct {                        /* the place of a row on the timeline */
	ival at;                        /* on the GPU, or on the CPU if the row launched nothing */
	uint32_t work;                  /* the row's first work on the stream on which its work takes most
					 * time; NONE: it has no work */
	uint32_t proc;                  /* NONE: the row has no place */
} outline_place;

typedef struct {
	vec(uint32_t) rows;             /* the items that are shown */
	size_t at;                      /* the chosen row; 0 if there are no rows */
	enum outline_order order;
	int64_t total_ns, kernels;      /* GPU time of the kernels and graphs of the window, and their number */
	size_t matches;                 /* the number of matches of outline_find */

	struct outline_data *data;
} outline;

/* a: made with AROUND_WORK or more.  full: show demangled names of kernels (TRACE_FULL).  a and w must outlive the
 * outline.  This may add names to the trace.  Needs TRACE_RANGES and the needs of a. */
outline *outline_build(const around *a, const window *w, bool full);
void outline_free(outline *o);

/* Show another window, or other names.  Open rows of OUTLINE_RANGES stay open; all others are closed. */
void outline_window(outline *o, const window *w, bool full);

outline_row outline_row_at(const outline *o, size_t row);

/* The names of a row's parents, from the outermost, and its own, joined by ' > ' as in range_tree_path.  The caller
 * frees the text. */
char *outline_path(const outline *o, size_t row);

/* Choose a row, or the last one if there are fewer. */
void outline_move(outline *o, size_t row);

/* Open or close the chosen row; false if it is open or closed already, or if no row is below it. */
bool outline_open(outline *o, bool open);

/* Open the chosen row and all OUTLINE_RANGES below it; kernels and single ranges stay as they are.  False: there are
 * more than `most` rows, so some stay closed. */
bool outline_open_all(outline *o, size_t most);

/* Choose the parent of the chosen row; false if there is none. */
bool outline_up(outline *o);

void outline_sort(outline *o, enum outline_order order);

/* Search for names that match; re NULL: stop searching.  A row of several ranges is found by its name with folded
 * digits; if that does not match, its single ranges are found by their own names.  text: the text of the expression.
 * re must live until the next call of outline_find. */
void outline_find(outline *o, const pattern *re, const char *text);

/* Choose a match, and open the rows that contain it: the next (step 1), the previous (-1), or the first at or after the
 * chosen row (0).  The search goes round at the ends.  False if there is no match. */
bool outline_next(outline *o, int step);

/* Close the rows that outline_next opened since outline_keep, and choose the row that was chosen then. */
void outline_take_back(outline *o);
void outline_keep(outline *o);

outline_place outline_place_of(const outline *o, size_t row);
