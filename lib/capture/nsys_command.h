/*
 * nsys_command - the command lines of nsys, in the words of the version at hand.
 *
 *     nsys_known nsys = { 0 };
 *     arguments a = { 0 };
 *     notes say = { 0 };
 *     if (nsys_ask(&nsys, "nsys", &say) && nsys_profile(&a, &nsys, &params, "cap/nsys/run", &say))
 *         puts(arguments_line(&a));              // nsys profile --trace=cuda,nvtx ... -o cap/nsys/run ./train
 *     arguments_free(&a);
 *     arena_free(&nsys.texts);
 *     notes_free(&say);
 *
 * Options have come, gone and been renamed from 2021 to 2026: which there are, nsys itself is asked.
 */
#pragma once

#include "base/child.h"
#include "capture/params.h"

typedef struct {
	const char *program;
	const char *version;    /* 2025.3.1; NULL: it was not asked */
	const char *help;       /* of nsys profile; NULL: as that of the newest */
	arena texts;
} nsys_known;

/* Ask it what it can do.  False after a problem: there is none, or it does not run; then it knows all that the newest
 * does. */
bool nsys_ask(nsys_known *to, const char *program, notes *say);

/* Has its export the option --include-blobs?  Without it payloads of NVTX, such as NCCL's, are left out. */
bool nsys_exports_blobs(const nsys_known *n, arena *texts);

/* The command that captures what the parameters say into OUTPUT.nsys-rep.  False after a problem: it is too old. */
bool nsys_profile(arguments *to, const nsys_known *n, const capture_params *p, const char *output, notes *say);
