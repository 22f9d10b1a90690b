/*
 * capturing - runs the profilers on a command, and keeps what they caught and what was done.
 *
 *     capture_params p = { .mode = 1, .folder = "cap" };
 *     vec_push(&p.command, "./train");
 *     int code = capturing_run(&p);              // that of ./train
 *     ... code ...                               // cap/nsys/run.sqlite, cap/manifest.json
 */
#pragma once

#include "capture/params.h"

/* The exit code: that of the command; if that is 0, the one of what else failed. */
int capturing_run(const capture_params *p);
