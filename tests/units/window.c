/* timeline/window.h */
#include "unit.h"

#include "timeline/window.h"

/* A window of the parts [a,b) and [c,d), of which the second may be empty. */
static window window_of(int64_t a, int64_t b, int64_t c, int64_t d)
{
	window w = { .proc = NONE, .device = -1 };

	ival_add(&w.gpu, a, b);
	ival_add(&w.gpu, c, d);
	return w;
}

static window_filter everything(void)
{
	return (window_filter){ .pid = -1, .sub = -1, .gpu = -1 };
}

CASE(an_event_counts_if_it_overlaps)
{
	window w = window_of(100, 200, 0, 0);

	YES(window_has(&w, &w.gpu, 50, 101));
	NO(window_has(&w, &w.gpu, 50, 100));
	YES(window_has(&w, &w.gpu, 199, 300));
	NO(window_has(&w, &w.gpu, 200, 300));
	YES(window_has(&w, &w.gpu, 100, 100));
	NO(window_has(&w, &w.gpu, 200, 200));
	ival_free(&w.gpu);
}

CASE(inside_needs_all_of_the_event_in_one_part)
{
	window w = window_of(100, 200, 300, 400);

	w.inside = true;
	YES(window_has(&w, &w.gpu, 100, 200));
	NO(window_has(&w, &w.gpu, 99, 200));
	NO(window_has(&w, &w.gpu, 150, 350));
	YES(window_has(&w, &w.gpu, 300, 399));
	ival_free(&w.gpu);
}

CASE(how_much_of_an_event_counts)
{
	window w = window_of(100, 200, 300, 400);

	EQ(50, window_measure_event(&w, &w.gpu, 100, 150));
	EQ(100, window_measure_event(&w, &w.gpu, 150, 350));
	EQ(-1, window_measure_event(&w, &w.gpu, 200, 300));
	EQ(0, window_measure_event(&w, &w.gpu, 100, 100));
	w.inside = true;
	EQ(-1, window_measure_event(&w, &w.gpu, 150, 350));
	ival_free(&w.gpu);
}

CASE(a_clipped_event_goes_from_its_first_moment_to_its_last)
{
	window w = window_of(100, 200, 300, 400);
	ival both = window_clip(&w.gpu, 150, 999), one = window_clip(&w.gpu, 0, 250);

	EQ(150, both.a);
	EQ(400, both.b);
	EQ(100, one.a);
	EQ(200, one.b);
	EQ(100, window_hull(&w.gpu).a);
	EQ(400, window_hull(&w.gpu).b);
	ival_free(&w.gpu);
}

#define TWO_PROCESSES "call 5 cudaLaunchKernel 0 10 1\n" "kernel 7 gemm 100 200 1\n" "kernel 7 gemm 300 400 -\n" \
	"pid 6\n" "call 6 cudaLaunchKernel 20 30 1\n" "kernel 7 gemm 150 600 1 gpu=1\n"

/* Resolve the windows of TWO_PROCESSES.  Returns their number.  *hull: from the start to the end of window i. */
static size_t resolve_windows(enum window_default def, window_filter only, size_t i, ival *hull)
{
	trace *t = unit_trace(TWO_PROCESSES);
	notes say = { 0 };
	windows w = window_resolve(t, NULL, &only, def, &say);
	size_t n = w.n;

	*hull = i < n ? window_hull(&w.v[i].gpu) : IVAL_NOWHERE;
	window_free(&w);
	notes_free(&say);
	trace_free(t);
	return n;
}

CASE(by_default_each_process_has_the_span_of_its_work)
{
	ival hull;

	EQ(2, resolve_windows(WINDOW_GPU_WORK, everything(), 0, &hull));
	EQ(100, hull.a);
	EQ(400, hull.b);
	EQ(2, resolve_windows(WINDOW_GPU_WORK, everything(), 1, &hull));
	EQ(150, hull.a);
	EQ(600, hull.b);
}

CASE(or_all_have_one_together)
{
	ival hull;

	EQ(1, resolve_windows(WINDOW_TRACE, everything(), 0, &hull));
	EQ(0, hull.a);
	EQ(600, hull.b);
	EQ(1, resolve_windows(WINDOW_ALL_GPU_WORK, everything(), 0, &hull));
	EQ(100, hull.a);
	EQ(600, hull.b);
}

CASE(a_filter_leaves_one_process)
{
	window_filter only = everything();
	ival hull;

	only.pid = 6;
	EQ(1, resolve_windows(WINDOW_GPU_WORK, only, 0, &hull));
	EQ(150, hull.a);
}

/* How many pieces of work of TWO_PROCESSES are in [a,b); device -1: on all GPUs. */
static size_t count_work(int64_t a, int64_t b, bool inside, int64_t device)
{
	trace *t = unit_trace(TWO_PROCESSES);
	window w = window_of(a, b, 0, 0);
	window_walk k = { 0 };
	size_t n = 0;

	w.inside = inside;
	w.device = device;
	while (window_next(t, &w, &k))
		n++;
	ival_free(&w.gpu);
	trace_free(t);
	return n;
}

CASE(a_walk_visits_the_work_of_a_window)
{
	EQ(3, count_work(0, 1000, false, -1));
	EQ(2, count_work(0, 300, false, -1));
	EQ(1, count_work(0, 300, true, -1));
	EQ(1, count_work(0, 1000, false, 1));
	EQ(1, count_work(200, 300, false, -1));
}
