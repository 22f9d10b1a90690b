/* When a GPU is idle, and what ends that: timeline/lane_gaps.h and launch/idle_causes.h. */
#include "unit.h"

#include "launch/idle_causes.h"
#include "step/idle_owners.h"

#include <stdio.h>

/* The gaps between the first and the last work of the first lane, each as "a..b NEXT", separated by commas. */
static const char *list_gaps(const char *lines, enum lane_gaps_kind of)
{
	static char text[500];
	trace *t = unit_trace(lines);
	const lane_gaps *q = lane_gaps_of(t, of);
	lane_gap gap;
	int n = 0;

	text[0] = '\0';
	for (bool more = lane_gaps_from_work(q, 0, 0, &gap); more; more = lane_gaps_next(q, &gap))
		if (gap.a != INT64_MIN && gap.b != INT64_MAX)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld..%lld %s", n ? ", " : "",
				      (long long)gap.a, (long long)gap.b,
				      str_at(&t->names, work_name(&t->work, gap.next)));
	trace_free(t);
	return text;
}

CASE(a_gap_lies_between_two_pieces_of_work)
{
	EQ_TEXT("20..30 b", list_gaps("kernel 7 a 10 20 -\n" "kernel 7 b 30 40 -\n", LANE_GAPS_WORK));
	EQ_TEXT("", list_gaps("kernel 7 a 10 20 -\n" "kernel 7 b 20 40 -\n", LANE_GAPS_WORK));
}

CASE(work_of_other_streams_fills_it)
{
	EQ_TEXT("25..30 b",
		list_gaps("kernel 7 a 10 20 -\n"
			"kernel 8 c 15 25 -\n"
			"kernel 7 b 30 40 -\n",
			LANE_GAPS_WORK));
	EQ_TEXT("", list_gaps("kernel 7 a 10 20 -\n" "kernel 8 c 15 35 -\n" "kernel 7 b 30 40 -\n", LANE_GAPS_WORK));
}

CASE(work_of_no_length_does_not_divide_it)
{
	EQ_TEXT("20..30 b",
		list_gaps("kernel 7 a 10 20 -\n"
			"kernel 7 c 25 25 -\n"
			"kernel 7 b 30 40 -\n",
			LANE_GAPS_WORK));
}

#define A_COPY_BETWEEN "kernel 7 a 10 20 -\n" "copy 7 22 28 -\n" "kernel 7 b 30 40 -\n"

CASE(copies_fill_a_gap_unless_kernels_are_asked_for)
{
	EQ_TEXT("20..22 memcpy h2d, 28..30 b", list_gaps(A_COPY_BETWEEN, LANE_GAPS_WORK));
	EQ_TEXT("20..30 b", list_gaps(A_COPY_BETWEEN, LANE_GAPS_KERNELS));
}

CASE(communication_is_no_compute)
{
	const char *lines = "kernel 7 a 10 20 -\n" "kernel 8 ncclKernel 20 30 -\n" "kernel 7 b 30 40 -\n";

	EQ_TEXT("", list_gaps(lines, LANE_GAPS_WORK));
	EQ_TEXT("20..30 b", list_gaps(lines, LANE_GAPS_COMPUTE));
}

CASE(another_gpu_does_not_fill_it)
{
	const char *lines = "kernel 7 a 10 20 -\n" "kernel 7 c 10 40 - gpu=1\n" "kernel 7 b 30 40 -\n";

	EQ_TEXT("20..30 b", list_gaps(lines, LANE_GAPS_WORK));
}

CASE(of_several_that_end_it_the_one_launched_first_is_next)
{
	EQ_TEXT("20..30 c",
		list_gaps("call 5 cudaLaunchKernel 1 2 1\n"
			"call 5 cudaLaunchKernel 3 4 2\n"
			"kernel 7 a 10 20 -\n"
			"kernel 7 b 30 40 2\n"
			"kernel 8 c 30 40 1\n",
			LANE_GAPS_WORK));
}

/* The owner of the time of the only gap; "no gap": there is none. */
static const char *find_owner(const char *lines)
{
	trace *t = unit_trace(lines);
	owners_params p = { 0 };
	idle_owners *o = idle_owners_build(t, &p);
	const lane_gaps *q = idle_gaps(idle_of(t, IDLE_PARTS));
	const char *name = "no gap";
	idle_gap gap = { 0 };
	ival_set all = { 0 };

	ival_add(&all, 0, INT64_MAX);
	for (bool more = lane_gaps_from_work(q, 0, 0, &gap.in); more; more = lane_gaps_next(q, &gap.in))
		if (gap.in.a != INT64_MIN && gap.in.b != INT64_MAX)
			name = owner_name(idle_owners_judge(o, &gap, &all).owner);
	idle_owners_free(o);
	ival_free(&all);
	trace_free(t);
	return name;
}

/* A kernel that ends at 1000, and one that starts at 9000.  lines: the calls of the thread between their launches.
 * launch: "START END" of the second launch. */
#define BETWEEN(lines, launch) "call 5 cudaLaunchKernel 0 10 1\n" "kernel 7 a 100 1000 1\n" lines \
	"call 5 cudaLaunchKernel " launch " 2\n" "kernel 7 b 9000 9900 2\n"

CASE(the_thread_was_in_no_call)
{
	EQ_TEXT("host", find_owner(BETWEEN("", "8900 8990")));
}

CASE(the_thread_was_in_the_launch)
{
	EQ_TEXT("launch", find_owner(BETWEEN("", "1100 8990")));
}

CASE(the_thread_waited)
{
	EQ_TEXT("sync", find_owner(BETWEEN("call 5 cudaDeviceSynchronize 500 8000 3\n", "8900 8990")));
}

CASE(the_thread_was_in_another_call)
{
	EQ_TEXT("api", find_owner(BETWEEN("call 5 cudaEventCreate 1000 8000 3\n", "8900 8990")));
}

CASE(the_work_had_long_been_launched)
{
	EQ_TEXT("turnaround", find_owner(BETWEEN("", "20 30")));
}

CASE(nobody_knows_who_launched_it)
{
	EQ_TEXT("unknown", find_owner("kernel 7 a 10 20 -\n" "kernel 7 b 30 40 -\n"));
}
