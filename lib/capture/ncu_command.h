/*
 * ncu_command - the command lines of ncu: to measure some launches, and to write what it measured as CSV.
 *
 *     arguments a = { 0 };
 *     ncu_choice choice = { 0 };
 *     ncu_profile(&a, "ncu", true, &choice, &params, "cap/ncu/run");
 *     puts(arguments_line(&a));                  // ncu --target-processes all ... -o cap/ncu/run ./train
 *     arguments_free(&a);
 *
 * What nsq-mfu needs is in the set roofline, which has speed of light too, and in dram__bytes.sum.
 */
#pragma once

#include "capture/arguments.h"
#include "capture/ncu_choice.h"
#include "capture/params.h"

/* The ncu to run: $NSQ_NCU, else the one on the PATH. */
const char *ncu_program(void);

/* Into OUTPUT.ncu-rep, what ncu says into OUTPUT.log; output NULL: the raw page into raw.csv.  scopes: does it
 * have --nvtx-push-pop-scope? */
void ncu_profile(arguments *to, const char *program, bool scopes, const ncu_choice *c, const capture_params *p,
		 const char *output);

/* The raw page of OUTPUT.ncu-rep, into a file that nsq-mfu --ncu reads. */
void ncu_raw_page(arguments *to, const char *program, const char *output, const char *csv);
