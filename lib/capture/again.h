/*
 * again - what to ask for, to capture the run of a trace again with what the trace lacks.
 *
 *     arena texts = { 0 };
 *     notes say = { 0 };
 *     again_fill(&params, &texts, &say);         // from params.again; what the user asked for stays
 *     puts(again_line(&params, &texts));         // nsq-capture -o again --with osrt --delay=12 -- python3 train.py
 *     arena_free(&texts);
 */
#pragma once

#include "capture/params.h"

/* False after a problem. */
bool again_fill(capture_params *p, arena *texts, notes *say);

/* The command that does it. */
const char *again_line(const capture_params *p, arena *texts);

/* With --again or --ncu-for: print the command, with a folder run it.  The exit code. */
int again_run(capture_params *p);
