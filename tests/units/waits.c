/* Which calls waited for the GPU (launch/cpu_waits.h), and for which work other work waited (launch/depends.h). */
#include "unit.h"

#include "launch/cpu_waits.h"
#include "launch/depends.h"

#include <stdio.h>
#include <string.h>

/* The last wait of thread 5 that ended by the moment, as "WORK until END", or "nothing". */
static const char *find_last_wait(const char *lines, int64_t moment)
{
	static char text[200];
	trace *t = unit_trace(lines);
	const cpu_wait *w = cpu_waits_before(cpu_waits_of(t), 0, moment);

	snprintf(text, sizeof text, "nothing");
	if (w)
		snprintf(text, sizeof text, "%s until %lld", str_at(&t->names, work_name(&t->work, w->work)),
			 (long long)w->end);
	trace_free(t);
	return text;
}

#define LAUNCHED "call 5 cudaLaunchKernel 0 10 1\n" "kernel 7 a 100000 200000 1\n"

CASE(a_call_waits_for_the_device)
{
	EQ_TEXT("a until 200000", find_last_wait(LAUNCHED "call 5 cudaDeviceSynchronize 20 205000 2\n", 300000));
	EQ_TEXT("nothing", find_last_wait(LAUNCHED "call 5 cudaDeviceSynchronize 20 205000 2\n", 100000));
}

CASE(clocks_may_differ_by_20_us)
{
	EQ_TEXT("a until 185000", find_last_wait(LAUNCHED "call 5 cudaDeviceSynchronize 20 185000 2\n", 300000));
	EQ_TEXT("nothing", find_last_wait(LAUNCHED "call 5 cudaDeviceSynchronize 20 175000 2\n", 300000));
}

CASE(what_ended_before_the_call_was_not_waited_for)
{
	EQ_TEXT("nothing", find_last_wait(LAUNCHED "call 5 cudaDeviceSynchronize 210000 220000 2\n", 300000));
}

CASE(a_call_that_only_asks_waits_for_nothing)
{
	EQ_TEXT("nothing", find_last_wait(LAUNCHED "call 5 cudaStreamQuery 20 205000 2\n", 300000));
}

CASE(a_stream_is_waited_for_alone)
{
	EQ_TEXT("a until 200000", find_last_wait(LAUNCHED "call 5 cudaLaunchKernel 11 12 2\n" "kernel 8 b 100000 203000 2\n"
					 "call 5 cudaStreamSynchronize 20 205000 3\n" "sync 7 3\n", 300000));
}

/* The work for which the work `name` waited: its name, or "nothing"; with a ? if the record of an event is missing. */
static const char *find_producer(const char *lines, const char *name)
{
	static char text[200];
	trace *t = unit_trace(lines);
	const depends *d = depends_of(t);

	snprintf(text, sizeof text, "no such work");
	for (size_t i = 0; i < t->work.n; i++)
		if (strcmp(str_at(&t->names, work_name(&t->work, i)), name) == 0) {
			depends_found p = depends_producer(d, i);
			const char *on = p.work == NONE ? "nothing" : str_at(&t->names, work_name(&t->work, p.work));
			snprintf(text, sizeof text, "%s%s", on, p.unresolved ? "?" : "");
		}
	trace_free(t);
	return text;
}

#define THREE "call 5 cudaLaunchKernel 0 1 1\n" "call 5 cudaLaunchKernel 2 3 2\n" "call 5 cudaLaunchKernel 20 21 3\n" \
	"kernel 7 a 100 200 1\n" "kernel 8 b 100 300 2\n" "kernel 7 c 400 500 3\n"

CASE(work_waits_for_its_stream)
{
	EQ_TEXT("a", find_producer(THREE, "c"));
	EQ_TEXT("nothing", find_producer(THREE, "a"));
	EQ_TEXT("nothing", find_producer(THREE, "b"));
}

CASE(work_waits_for_an_event_that_ends_later)
{
	EQ_TEXT("b", find_producer(THREE "call 5 cudaEventRecord 4 5 4\n" "record 8 4 11\n"
				 "call 5 cudaStreamWaitEvent 6 7 5\n" "wait 7 5 11\n", "c"));
}

CASE(an_event_before_its_work_stands_for_nothing_of_it)
{
	EQ_TEXT("a", find_producer("call 5 cudaEventRecord 1 2 4\n" "record 8 4 11\n" THREE
				 "call 5 cudaStreamWaitEvent 6 7 5\n" "wait 7 5 11\n", "c"));
}

CASE(a_wait_without_a_record_is_unresolved)
{
	EQ_TEXT("a?", find_producer(THREE "call 5 cudaEventRecord 4 5 4\n" "record 8 4 11\n"
				  "call 5 cudaStreamWaitEvent 6 7 5\n" "wait 7 5 99\n", "c"));
}

CASE(a_stream_that_passes_an_event_on_is_no_producer)
{
	EQ_TEXT("b", find_producer(THREE "call 5 cudaEventRecord 4 5 4\n" "record 8 4 11\n"
				 "call 5 cudaStreamWaitEvent 6 7 5\n" "wait 9 5 11\n"
				 "call 5 cudaEventRecord 8 9 6\n" "record 9 6 12\n"
				 "call 5 cudaStreamWaitEvent 10 11 7\n" "wait 7 7 12\n", "c"));
}
