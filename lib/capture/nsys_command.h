/*
 * nsys_command - the command lines of nsys, with the options of the installed version.
 *
 *     nsys_installed nsys = { 0 };
 *     arguments a = { 0 };
 *     notes say = { 0 };
 *     if (nsys_ask(&nsys, "nsys", &say) && nsys_profile_command(&a, &nsys, &params, "cap/nsys/run", &say))
 *         puts(arguments_line(&a));              // nsys profile --trace=cuda,nvtx ... -o cap/nsys/run ./train
 *     arguments_free(&a);
 *     arena_free(&nsys.texts);
 *     notes_free(&say);
 *
 * Options have come, gone and been renamed from 2021 to 2026, so nsys_ask asks the installed nsys which ones it has.
 */
#pragma once

#include "base/child.h"
#include "capture/params.h"

typedef struct {
	const char *program;
	const char *version;    /* such as 2025.3.1.90, or "unknown"; NULL: nsys was not asked, or did not answer */
	const char *help;       /* the help of nsys profile; NULL: assume the options of the newest version */
	arena texts;
} nsys_installed;

/* Ask nsys for its version and options.  False after a problem: nsys is missing or does not run, and the options of the
 * newest version are assumed. */
bool nsys_ask(nsys_installed *to, const char *program, notes *say);

/* Does nsys export have the option --include-blobs?  True if its help is unknown.  Without the option, the export
 * lacks the payloads of NVTX events, such as NCCL's. */
bool nsys_exports_blobs(const nsys_installed *n, arena *texts);

/* Add the words of the command that captures into OUTPUT.nsys-rep.  False after a problem: this nsys is too old for
 * the parameters. */
bool nsys_profile_command(arguments *to, const nsys_installed *n, const capture_params *p, const char *output,
			  notes *say);
