/* Calls of some threads, in each other, crossing and apart, beside work with idle times: those that matter are found
 * once more by looking at all of them for each. */
#include "base/memory.h"
#include "sqlite/rows.h"
#include "trace/idle_calls.h"

#include <stdio.h>

enum { CALLS = 20000, WORK = 2000, THREADS = 3, GPUS = 2 };

static int64_t start[CALLS], end[CALLS], busy[GPUS * WORK], idle[GPUS * WORK];
static uint32_t length[GPUS * WORK];
static uint32_t thread[CALLS];
static bool anyway[CALLS], kept[CALLS];

static uint64_t random_below(uint64_t n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x % n;
}

/* Work, of which busy is where each begins, idle where it ends. */
static void make_work(trace *t)
{
	for (size_t g = 0; g < GPUS; g++) {
		int64_t at = 1000;
		for (size_t i = g * WORK; i < (g + 1) * WORK; i++) {
			at += random_below(3) ? 0 : (int64_t)random_below(8000);
			busy[i] = at;
			idle[i] = at += (int64_t)random_below(random_below(3) ? 1000 : 300000);
			length[i] = (uint32_t)(idle[i] - busy[i]);
		}
		t->lanes[g] = (trace_lane){ .gpu = (int64_t)g, .first = g * WORK, .n = WORK };
	}
	t->work = (trace_work){ .n = GPUS * WORK, .start = busy, .length.ns = length };
}

static void make_calls(void)
{
	int64_t at = 0, inside[THREADS] = { 0 };

	for (size_t i = 0; i < CALLS; i++) {
		at += (int64_t)random_below(random_below(20) ? 2000 : 100000);
		thread[i] = (uint32_t)random_below(THREADS);
		start[i] = at;
		end[i] = at + (int64_t)random_below(random_below(4) ? 2000 : 20000);
		if (at < inside[thread[i]] && end[i] > inside[thread[i]] && random_below(8))
			end[i] = inside[thread[i]];     /* a few end after the one that they begin in */
		inside[thread[i]] = end[i] > inside[thread[i]] ? end[i] : inside[thread[i]];
		anyway[i] = !random_below(20);
	}
}

static bool is_idle(int64_t a, int64_t b)
{
	for (size_t i = 1; i < GPUS * WORK; i++)
		if (i % WORK && idle[i - 1] < busy[i] && idle[i - 1] < b && busy[i] > a)
			return true;
	return false;
}

/* The first call of the thread from i on that does not overlap those before it, or CALLS. */
static size_t next_apart(size_t i, int64_t *until)
{
	uint32_t of = thread[i];

	for (*until = end[i]; i < CALLS && (thread[i] != of || start[i] <= *until); i++)
		*until = thread[i] == of && end[i] > *until ? end[i] : *until;
	return i;
}

/* Of a thread: calls that overlap, from the first, matter if one is kept anyway, or a GPU is idle from the call before
 * them to the one after.  How many that do were not kept, and how many do not. */
static void judge(uint32_t of, size_t *missed, size_t *others)
{
	int64_t before = INT64_MAX, until;
	size_t i = 0, next;

	while (thread[i] != of)
		i++;
	for (; i < CALLS; i = next, before = until) {
		bool matter;
		next = next_apart(i, &until);
		matter = is_idle(before < start[i] ? before : start[i], next < CALLS ? start[next] : until);
		for (size_t k = i; k < CALLS && start[k] <= until; k++)
			matter |= thread[k] == of && anyway[k];
		for (size_t k = i; k < CALLS && start[k] <= until; k++) {
			*missed += thread[k] == of && matter && !kept[k];
			*others += thread[k] == of && !matter;
		}
	}
}

int main(void)
{
	trace_lane lanes[GPUS];
	trace t = { .lanes = lanes, .nlanes = GPUS, .workers = PAR_ALONE };
	launches_ids ids = { .process = 5, .to = GPUS * WORK, .n = 1 };
	launches l = { .v = &ids, .n = 1 };
	idle_thread threads[THREADS];
	idle_calls *all;
	size_t n = 0, missed = 0, others = 0;

	make_work(&t);
	make_calls();
	all = idle_calls_build(&t, &l);
	for (size_t i = 0; i < THREADS; i++)
		threads[i] = idle_calls_of(all, 5);
	for (size_t i = 0; i < CALLS; i += ROWS_BATCH) {
		uint32_t some[ROWS_BATCH];
		size_t m = idle_calls_keep(threads, &(idle_rows){ CALLS - i < ROWS_BATCH ? CALLS - i : ROWS_BATCH,
			start + i, end + i, thread + i, anyway + i }, some);
		for (size_t k = 0; k < m; k++)
			kept[i + some[k]] = true;
		n += m;
	}
	for (uint32_t i = 0; i < THREADS; i++)
		judge(i, &missed, &others);
	printf("%zu that matter are missed, %s of the others are kept\n", missed,
	       n - (CALLS - others) < others / 4 ? "few" : "many");
	printf("%s\n", threads[thread[CALLS - 1]].unordered ? "not in order" : "in order");
	idle_calls_keep(threads, &(idle_rows){ 1, start, end, &thread[CALLS - 1], anyway }, &(uint32_t){ 0 });
	printf("%s\n", threads[thread[CALLS - 1]].unordered ? "not in order" : "in order");
	idle_calls_free(all);
}
