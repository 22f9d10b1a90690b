#include "capture/ranks.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static int64_t number_of(const char *variable)
{
	const char *text = variable ? getenv(variable) : NULL;
	int64_t n;

	return text && number_int(text, &n) && n >= 0 ? n : -1;
}

/* The innermost launcher first: torchrun under Slurm sets RANK, and SLURM_PROCID is that of its node. */
int64_t ranks_own(void)
{
	static const struct { const char *rank, *size, *or_size; } launchers[] = {
		{ "RANK", "WORLD_SIZE", NULL },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
		{ "PMI_RANK", "PMI_SIZE", NULL },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" },
	};

	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		int64_t rank = number_of(launchers[i].rank), size = number_of(launchers[i].size);
		if (size < 0)
			size = number_of(launchers[i].or_size);
		if (rank >= 0)
			return size == 1 ? -1 : rank;
	}
	return -1;
}

int ranks_list(const char *list, int64_t rank)
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
