/*
 * outline - the ranges of a window as a tree whose branches open and close.
 *
 *     outline *o = outline_build(a, w, false);           // rows: the outermost ranges, and work outside of ranges
 *     outline_choose_row(o, 0);
 *     outline_open(o, true);                             // adds the rows below the first one
 *     for (size_t i = 0; i < o->rows.n; i++) {
 *         outline_row row = outline_row_at(o, i);
 *         printf("%*s%s %lld\n", (int)row.depth, "", row.name, (long long)row.gpu_ns);
 *     }
 *     outline_free(o);
 *
 * Ranges that have the same name, and the same names of ranges around them (digits folded to #), share a row, with the
 * numbers of nsq-nvtx --tree.  Below the row are the ranges inside its ranges, and the kernels whose innermost range is
 * one of its ranges, both by name.  Their GPU times add up to that of the row.  If a row stands for several ranges, one
 * more row below it, "each", opens into the single ranges, with the numbers of nsq-nvtx --each.  Below a single range
 * are the ranges directly inside it and the kernels directly inside it, one by one.
 *
 * The rows below a row are made only when it is opened, so that rows appear immediately, however many ranges there are.
 */
#pragma once

#include "base/pattern.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"

enum outline_kind {
	OUTLINE_RANGES,         /* ranges with the same name, and the same names around them */
	OUTLINE_KERNELS,        /* kernels and graphs of one name */
	OUTLINE_EACH,           /* the row that opens into the single ranges of its parent row */
	OUTLINE_RANGE,          /* a single push/pop range */
	OUTLINE_STARTEND,       /* a single start/end range, which nests in no other */
	OUTLINE_RUN             /* a single run of a kernel or graph */
};

enum outline_order {
	OUTLINE_BY_GPU,         /* by GPU time, then by CPU time, the largest first */
	OUTLINE_BY_CPU,         /* by CPU time, then by GPU time, the largest first */
	OUTLINE_BY_START        /* by when ranges were opened or work was launched, the earliest first */
};

typedef struct {                        /* a number that a row does not have is TRACE_UNKNOWN */
	enum outline_kind kind;
	size_t depth;
	bool opens;                     /* are there rows below it? */
	bool open;                      /* are the rows below it shown? */
	bool match;                     /* does it match the search (outline_find)? */
	const char *name, *domain;      /* as in the trace; "-": none.  A name that stands for several ranges has
					 * folded digits */
	int64_t count;                  /* the number of ranges, or of kernels and graphs */
	int64_t cpu_ns;                 /* the time that the ranges were open */
	int64_t cpu_own_ns;             /* the part of cpu_ns outside of inner ranges of the same thread */
	int64_t gpu_ns;                 /* the time of the row's kernels and graphs: all that were launched inside
					 * its ranges */
	int64_t gpu_own_ns;             /* the time of those whose innermost range is one of the row's ranges */
	int64_t kernels;                /* the number of those that gpu_own_ns counts */
	int64_t mean_ns, p50_ns, p90_ns, max_ns;        /* mean, percentiles and maximum of the ranges' CPU times */
	int64_t start_ns;               /* for a single range or run: its start */
	int64_t tid;                    /* for a single range: its thread */
	uint32_t work;                  /* for kernels and graphs: one of them; otherwise NONE */
	int64_t parent_ns;              /* gpu_ns of the nearest row that contains it and is not OUTLINE_EACH;
					 * outline.total_ns for the outermost rows */
} outline_row;

typedef struct {                        /* the place of a row on the timeline */
	ival at;                        /* its time on the GPU, or on the CPU if the row launched nothing */
	uint32_t work;                  /* the row's first work on the stream on which its work takes most
					 * time; NONE: it has no work */
	uint32_t proc;                  /* its process; NONE: the row has no place */
} outline_place;

typedef struct {
	vec(uint32_t) rows;             /* the items that are shown, indices of outline_data.items */
	size_t at;                      /* the chosen row; 0 if there are no rows */
	enum outline_order order;
	int64_t total_ns;               /* the GPU time of the kernels and graphs in the window */
	int64_t kernels;                /* their number */
	size_t matches;                 /* the number of matches of the search (outline_find) */

	struct outline_data *data;
} outline;

/* a: made with AROUND_WORK, and perhaps other flags.  full: show demangled names of kernels (TRACE_FULL).  a and w
 * must outlive the outline.  This may add names to the trace.  Needs TRACE_RANGES and what around_of needs for a. */
outline *outline_build(const around *a, const window *w, bool full);
void outline_free(outline *o);

/* Show another window, or other names.  Open rows of OUTLINE_RANGES stay open; rows of other kinds are closed. */
void outline_set_window(outline *o, const window *w, bool full);

/* The contents of a row, to draw it. */
outline_row outline_row_at(const outline *o, size_t row);

/* The names of a row's parents, from the outermost, and its own, joined by ' > ' as in range_tree_path.  The caller
 * frees the text. */
char *outline_path(const outline *o, size_t row);

/* Choose a row, or the last row if there are fewer. */
void outline_choose_row(outline *o, size_t row);

/* Open or close the chosen row; false if it is open or closed already, or if no row is below it. */
bool outline_open(outline *o, bool open);

/* Open the chosen row and all OUTLINE_RANGES below it; kernels and single ranges stay as they are.  False: there are
 * more than `most` rows, so some stay closed. */
bool outline_open_all(outline *o, size_t most);

/* Choose the parent of the chosen row; false if there is none. */
bool outline_choose_parent(outline *o);

/* Sort the rows below each row. */
void outline_sort(outline *o, enum outline_order order);

/* Search for rows whose names match; re NULL: stop searching.  A row of several ranges is found by its name with
 * folded digits; if that does not match, its single ranges are found by their own names.  text: the text of the
 * expression.  re must live until the next call of outline_find. */
void outline_find(outline *o, const pattern *re, const char *text);

/* Choose a match, and open the rows that contain it: the next match (step 1), the previous one (-1), or the first
 * one at or after the chosen row (0).  After the last match comes the first one.  False if there is no match. */
bool outline_choose_match(outline *o, int step);

/* outline_begin_search notes which row is chosen.  outline_undo_search closes the rows that outline_choose_match has
 * opened since then, and chooses the noted row again. */
void outline_undo_search(outline *o);
void outline_begin_search(outline *o);

/* The place of a row; for several ranges or kernels, that of the one that was opened or launched first. */
outline_place outline_place_of(const outline *o, size_t row);
