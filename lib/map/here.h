/*
 * here - runs the pipeline of a mapping on this machine, as many traces at once as it may.
 *
 *     here_run(m);                               // m->all.v[i].done says what is done
 *
 * The cores that we may use are divided among those that run at once, and a tool uses as many threads as it has cores.
 */
#pragma once

#include "map/mapping.h"

void here_run(mapping *m);
