#include "capture/params.h"
#include "base/number.h"
#include "capture/capturing.h"

#include <string.h>

bool capture_params_fit(const capture_params *p, notes *say)
{
	if (!p->command.n)
		return notes_problem(say, EXIT_WRONG, "no command; as in nsq-capture -o DIR -- python train.py");
	if (!p->folder || !*p->folder)
		return notes_problem(say, EXIT_WRONG, "no folder for the capture; name one with -o DIR");
	if (p->steps && !caught_steps_are_valid(p->steps))
		return notes_problem(say, EXIT_WRONG, "'--steps' takes numbers of steps, such as 10..12, not '%s'",
				     p->steps);
	if (p->ranks && ranks_in_list(p->ranks, 0) < 0)
		return notes_problem(say, EXIT_WRONG, "'--ranks' takes ranks, such as 0,8 or 0..3, not '%s'", p->ranks);
	if (p->ranks && ranks_get_own() < 0)
		return notes_problem(say, EXIT_WRONG, "'--ranks' needs a rank, and none of RANK, OMPI_COMM_WORLD_RANK, "
				     "PMI_RANK and SLURM_PROCID is set; drop it, or put nsq-capture behind the "
				     "launcher");
	if ((p->keep || p->keep_last) && !p->sweeps.n)
		return notes_problem(say, EXIT_WRONG, "'%s' has no effect without '--sweep'; drop it",
				     p->keep ? "--keep" : "--keep-last");
	if (p->range && p->profiler_api)
		return notes_problem(say, EXIT_WRONG, "'--range' and '--profiler-api' cannot be combined; choose one");
	return true;
}

/* ---- ranks */

/* The number in a variable; -1: it is not set, it is no number from 0 on, or `variable` is NULL. */
static int64_t params_read_variable(const char *variable)
{
	const char *text = variable ? getenv(variable) : NULL;
	int64_t n;

	return text && number_int(text, &n) && n >= 0 ? n : -1;
}

/* The first launcher whose variable is set counts.  A launcher that another one may run comes before it: if torchrun
 * runs under Slurm, RANK is the rank of the process, and SLURM_PROCID only the rank of its node. */
int64_t ranks_get_own(void)
{
	static const struct { const char *rank, *size, *or_size; } launchers[] = {
		{ "RANK", "WORLD_SIZE", NULL },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_RANK", "PMI_SIZE", NULL },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" },
	};

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int64_t rank = params_read_variable(launchers[i].rank), size = params_read_variable(launchers[i].size);
		if (size < 0)
			size = params_read_variable(launchers[i].or_size);
		if (rank >= 0)
			return size == 1 ? -1 : rank;
	}
	return -1;
}

int ranks_in_list(const char *list, int64_t rank)
{
	int found = 0;

	for (;; list++) {
		char *end;
		long long lo = strtoll(list, &end, 10), hi = lo;
		if (end == list || lo < 0)
			return -1;
		if (strncmp(end, "..", 2) == 0) {
			list = end + 2;
			hi = strtoll(list, &end, 10);
			if (end == list || hi < lo)
				return -1;
		}
		found |= rank >= lo && rank <= hi;
		list = end;
		if (*list != ',')
			return *list ? -1 : found;
	}
}
