/* Work on two GPUs, some of it long, with few different starts and ends: what ends last before each moment is found
 * once more by looking at all of it. */
#include "timeline/process_work.h"

#include <stdio.h>

enum { ROUNDS = 40, WORK = 1200, GPUS = 2, MOMENTS = 400 };

static int64_t start[GPUS * WORK], end[GPUS * WORK];

static int64_t random_below(uint64_t n)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (int64_t)(x % n);
}

static void make_work(trace *t)
{
	for (size_t g = 0; g < GPUS; g++) {
		size_t first = g * WORK;
		int64_t at = 10 * (int64_t)g;
		for (size_t i = first; i < first + WORK; i++) {
			at += random_below(20) ? 0 : random_below(8);
			start[i] = at;
			end[i] = random_below(60) ? at + random_below(12) : (at / 80 + 2) * 80 - random_below(2);
		}
		t->lanes[g] = (trace_lane){ .gpu = (int64_t)g, .first = first, .n = WORK,
			.reach = trace_reach_build(end + first, WORK) };
	}
	t->work = (trace_work){ .n = GPUS * WORK, .start = start, .end = end };
}

static uint32_t by_definition(int64_t gpu, int64_t moment)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < GPUS * WORK; i++)
		if (start[i] < moment && (gpu < 0 || i / WORK == (uint32_t)gpu) &&
		    (best == NONE || end[i] > end[best] || (end[i] == end[best] && start[i] > start[best])))
			best = i;
	return best;
}

int main(void)
{
	trace_lane lanes[GPUS] = { 0 };
	trace t = { .lanes = lanes, .nlanes = GPUS };
	size_t differ = 0, none = 0;

	for (int round = 0; round < ROUNDS; round++) {
		make_work(&t);
		for (int64_t i = 0; i < MOMENTS * (GPUS + 1); i++) {
			int64_t gpu = i % (GPUS + 1) - 1, moment = i / (GPUS + 1);
			uint32_t found = process_work_last(&t, 0, gpu, moment);
			differ += found != by_definition(gpu, moment);
			none += found == NONE;
		}
		for (size_t g = 0; g < GPUS; g++)
			free(lanes[g].reach.latest);
	}
	printf("%zu differ, %s\n", differ, none ? "at some moments there is none" : "there is always one");
	return 0;
}
