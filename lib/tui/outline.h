/*
 * outline - the ranges of a window as a tree whose branches open and close.
 *
 *     outline *o = outline_build(a, w, false);           // its rows: the outermost ranges, and work in none
 *     outline_move(o, 0);
 *     outline_open(o, true);                             // what is below the first of them
 *     for (size_t i = 0; i < o->rows.n; i++) {
 *         outline_row row = outline_row_at(o, i);
 *         printf("%*s%s %lld\n", (int)row.depth, "", row.name, (long long)row.gpu_ns);
 *     }
 *     outline_free(o);
 *
 * Ranges of one name stand together at each place of the hierarchy, their digits folded, with the numbers of nsq-nvtx
 * --tree; below them are the ranges inside them and the kernels whose innermost range they are, by name.  These parts
 * add up to the GPU time of the row.  Where there are several ranges, one more row opens into each of them, with the
 * numbers of nsq-nvtx --each, and below these are their own ranges and kernels one by one.
 *
 * Only what was opened is kept, so that rows are ready at once however many ranges there are.
 */
#pragma once

#include "base/pattern.h"
#include "launch/ranges_around.h"
#include "timeline/window.h"

enum outline_kind {
	OUTLINE_RANGES,         /* ranges of one name */
	OUTLINE_KERNELS,        /* kernels and graphs of one name */
	OUTLINE_EACH,           /* below it is each of the ranges above it */
	OUTLINE_RANGE,          /* one range, */
	OUTLINE_STARTEND,       /* or one that was started and ended and nests in none, */
	OUTLINE_RUN             /* or one run of a kernel or graph */
};

enum outline_order {
	OUTLINE_BY_GPU,         /* what has the most GPU time first, then the most CPU time */
	OUTLINE_BY_CPU,         /* the other way round */
	OUTLINE_BY_START        /* what was opened or launched first, first */
};

typedef struct {                        /* numbers that a row does not have are TRACE_UNKNOWN */
	enum outline_kind kind;
	size_t depth;
	bool opens, open;               /* is there anything below it, and is that shown? */
	bool match;                     /* it is one that outline_find looks for */
	const char *name, *domain;      /* as in the trace; "-": it has none */
	int64_t count;                  /* ranges, or kernels and graphs */
	int64_t cpu_ns;                 /* time that ranges were open, */
	int64_t cpu_own_ns;             /* and of that, the time in no range inside them on their threads */
	int64_t gpu_ns;                 /* of kernels and graphs launched anywhere inside, */
	int64_t gpu_own_ns, kernels;    /* and of those whose innermost range it is, and how many these are */
	int64_t mean_ns, p50_ns, p90_ns, max_ns;        /* of the ranges' CPU times */
	int64_t start_ns;               /* of one range or run; */
	int64_t tid;                    /* of one range */
	uint32_t work;                  /* of kernels and graphs: one of them; else NONE */
	int64_t parent_ns;              /* gpu_ns of what it is a part of */
} outline_row;

typedef struct {                        /* where something is on the timeline */
	ival at;                        /* on the GPU, or on the CPU if it launched nothing */
	uint32_t work;                  /* the first of its work on the stream with most of it, or NONE */
	uint32_t proc;                  /* NONE: there is nothing to be shown */
} outline_place;

typedef struct {
	vec(uint32_t) rows;             /* what is shown: items */
	size_t at;                      /* the row that is chosen; 0 without rows, too */
	enum outline_order order;
	int64_t total_ns, kernels;      /* GPU time of the window, and of how many kernels and graphs */
	size_t matches;                 /* how many outline_find finds */

	struct outline_data *data;
} outline;

/* full: demangled names of kernels (TRACE_FULL).  What it is built from must outlive it; names may be added to the
 * trace.  a: AROUND_WORK, or more.  Needs TRACE_RANGES and what a needs. */
outline *outline_build(const around *a, const window *w, bool full);
void outline_free(outline *o);

/* Show another window, or other names; what is open stays so, but single ranges close. */
void outline_window(outline *o, const window *w, bool full);

outline_row outline_row_at(const outline *o, size_t row);

/* The names of the rows above it, and its own, joined by ' > ', as range_tree_path has them.  The caller frees it. */
char *outline_path(const outline *o, size_t row);

/* Choose a row; the last if there are not as many. */
void outline_move(outline *o, size_t row);

/* Open or close the row that is chosen; false if it is so already, or nothing is below it. */
bool outline_open(outline *o, bool open);

/* Open all ranges below it, up to so many rows; kernels and single ranges stay as they are.  False: there are more. */
bool outline_open_all(outline *o, size_t most);

/* Choose the row that this one is below; false if there is none. */
bool outline_up(outline *o);

void outline_sort(outline *o, enum outline_order order);

/* Look for names from now on; re NULL: for none.  Ranges of one name are found by that name with its digits folded,
 * single ones by their own where that tells them apart.  text: the expression itself.  re must live until the next
 * call. */
void outline_find(outline *o, const pattern *re, const char *text);

/* Choose the next that was looked for, opened or not: after the row that is chosen, before it, or (step 0) at or after
 * it.  From the end it goes on at the beginning.  False if there is none. */
bool outline_next(outline *o, int step);

/* Close what outline_next opened since outline_keep, and choose what was chosen then. */
void outline_take_back(outline *o);
void outline_keep(outline *o);

outline_place outline_place_of(const outline *o, size_t row);
