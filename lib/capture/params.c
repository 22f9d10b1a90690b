#include "capture/params.h"
#include "base/number.h"
#include "capture/caught.h"
#include "capture/ranks.h"

#include <stdlib.h>
#include <string.h>

bool capture_params_fit(const capture_params *p, notes *say)
{
	if (!p->command.n)
		return notes_problem(say, EXIT_WRONG, "no command; as in nsq-capture -o DIR -- python train.py");
	if (!p->folder || !*p->folder)
		return notes_problem(say, EXIT_WRONG, "no folder for the capture; name one with -o DIR");
	if (p->steps && !caught_steps_fit(p->steps))
		return notes_problem(say, EXIT_WRONG, "'--steps' takes numbers of steps, such as 10..12, not '%s'",
				     p->steps);
	if (p->ranks && ranks_list(p->ranks, 0) < 0)
		return notes_problem(say, EXIT_WRONG, "'--ranks' takes ranks, such as 0,8 or 0..3, not '%s'", p->ranks);
	if (p->ranks && ranks_own() < 0)
		return notes_problem(say, EXIT_WRONG, "'--ranks' needs a rank, and none of RANK, OMPI_COMM_WORLD_RANK, "
				     "PMI_RANK and SLURM_PROCID is set; drop it, or put nsq-capture behind the "
				     "launcher");
	if (p->keep_last && !p->sweeps.n)
		return notes_problem(say, EXIT_WRONG, "'--keep-last' has no effect without '--sweep'; drop it");
	if (p->range && p->profiler_api)
		return notes_problem(say, EXIT_WRONG, "'--range' and '--profiler-api' cannot be combined; choose one");
	return true;
}

static bool read_seconds(const char *arg, int64_t *to)
{
	static const int64_t second = 1000000000;
	int64_t unit;

	if (!number_time(arg, strlen(arg), second, &unit, to) || *to <= 0 || *to % second)
		return false;
	*to /= second;
	return true;
}

bool capture_read_size(const char *arg, void *params)
{
	return number_size(arg, &((capture_params *)params)->max_bytes);
}

bool capture_read_delay(const char *arg, void *params)
{
	return read_seconds(arg, &((capture_params *)params)->delay_s);
}

bool capture_read_duration(const char *arg, void *params)
{
	return read_seconds(arg, &((capture_params *)params)->duration_s);
}
