/*
 * ranks - which of the processes of a job this is, as its launcher tells in the environment.
 *
 *     int64_t rank = ranks_own();                // RANK, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID; -1: it is alone
 *     if (rank >= 0 && ranks_list("0,8..11", rank) > 0)
 *         puts("one of them");
 */
#pragma once

#include <stdint.h>

int64_t ranks_own(void);

/* Is the rank in the list: 1 if it is, 0 if not, -1 if that is no list. */
int ranks_list(const char *list, int64_t rank);
