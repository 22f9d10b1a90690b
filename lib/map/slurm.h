/*
 * slurm - runs the pipeline of a mapping as a job array of Slurm.
 *
 *     slurm_run(m);                              // m->all.v[i].done says what is done
 *
 * A task is a run of this program on a node, for some of the traces and with the same folder of results, so that folder
 * is all that the machines need to share besides the traces; what is in it says what is done, and Slurm is asked only
 * whether the array is over.  Traces that have no result then, because their node was lost, are submitted once more.
 */
#pragma once

#include "map/mapping.h"

void slurm_run(mapping *m);
