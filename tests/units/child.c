/* base/child.h */
#include "unit.h"

#include "base/arena.h"
#include "base/child.h"

#include <time.h>

/* Run a shell command, which is killed after a second.  Returns its exit code.  *seconds: how long it took. */
static int run_command(const char *command, double *seconds)
{
	arena to = { 0 };
	struct timespec from, until;
	int code = -1;

	clock_gettime(CLOCK_MONOTONIC, &from);
	child_read_output(&to, (const char *const[]){ "sh", "-c", command, NULL }, 1, &code);
	clock_gettime(CLOCK_MONOTONIC, &until);
	*seconds = (double)(until.tv_sec - from.tv_sec) + 1e-9 * (double)(until.tv_nsec - from.tv_nsec);
	arena_free(&to);
	return code;
}

CASE(a_child_that_runs_too_long_is_killed)
{
	double seconds;

	EQ(137, run_command("exec sleep 30", &seconds));
	YES(seconds < 20);
}

CASE(a_child_that_has_closed_its_output_is_killed_too)
{
	double seconds;

	EQ(137, run_command("exec sleep 30 >&- 2>&-", &seconds));
	YES(seconds < 20);
}

CASE(a_child_that_closes_its_output_and_ends_in_time_keeps_its_code)
{
	double seconds;

	EQ(7, run_command("exec >&- 2>&-; sleep 0.2; exit 7", &seconds));
}
