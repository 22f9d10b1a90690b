/*
 * trouble - what profilers print when they cannot do what they were asked, and what to do about it.
 *
 *     arena texts = { 0 };
 *     const char *advice = trouble_advice("==ERROR== ERR_NVGPUCTRPERM - ...\n", &texts);
 *     puts(advice ? advice : "-");               // the GPU's counters may not be read (ERR_NVGPUCTRPERM): run with ...
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* For the first line of the text that share/rules/trouble.tsv knows; NULL: for none. */
const char *trouble_advice(const char *text, arena *to);
