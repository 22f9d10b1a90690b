/* phases TRACE [THREADS] - how long each step of loading a trace takes.  For each of a few tools, load what the tool
 * needs, and print the share, wall time and CPU time of each step that takes at least 0.5 % of the wall time. */
#include "answer/answers.h"
#include "answer/window.h"

#include <stdio.h>
#include <time.h>

enum { MOST_STEPS = 32 };

static struct {
	const char *name;
	double wall, cpu;
} steps[MOST_STEPS];
static size_t nsteps;
static double wall, cpu;                /* both clocks when the last step ended, ms */

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void watch(void *ctx UNNEEDED, const char *step, size_t done UNNEEDED, size_t of UNNEEDED)
{
	double w = now(CLOCK_MONOTONIC), c = now(CLOCK_PROCESS_CPUTIME_ID);

	if (nsteps < MOST_STEPS) {
		steps[nsteps].name = step;
		steps[nsteps].wall = w - wall;
		steps[nsteps++].cpu = c - cpu;
	}
	wall = w;
	cpu = c;
}

static void print_steps(const char *tool, const char *path, int threads, unsigned need)
{
	notes say = { 0 };
	trace *t = trace_open(path, threads, &say);
	double all = 0;

	if (!t)
		exit(1);
	t->watch = watch;
	nsteps = 0;
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	if (!load_trace(t, need, NULL))
		exit(1);
	for (size_t i = 0; i < nsteps; i++)
		all += steps[i].wall;
	printf("%-8s", tool);
	for (size_t i = 0; i < nsteps; i++)
		if (steps[i].wall >= all / 200)
			printf("  %s %.0f%% (%.0f ms, CPU %.0f)", steps[i].name, 100 * steps[i].wall / all,
			       steps[i].wall, steps[i].cpu);
	printf("  all %.0f ms\n", all);
	trace_free(t);
	notes_free(&say);
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;

	if (argc < 2) {
		fputs("usage: phases TRACE [THREADS]\n", stderr);
		return 2;
	}
	print_steps("kernels", argv[1], threads, kernels_answer.question(&(kernels_params){ 0 }).need);
	print_steps("api", argv[1], threads, api_answer.question(&(api_params){ 0 }).need);
	print_steps("nvtx", argv[1], threads, nvtx_answer.question(&(nvtx_params){ 0 }).need);
	print_steps("window", argv[1], threads, window_answer.question(&(window_params){ 0 }).need);
	print_steps("gaps", argv[1], threads, gaps_answer.question(&(gaps_params){ 0 }).need);
	print_steps("stalls", argv[1], threads, stalls_answer.question(&(stalls_params){ 0 }).need);
	return 0;
}
