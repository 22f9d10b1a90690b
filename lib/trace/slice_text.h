/*
 * slice_text - what becomes of texts that may tell who and where: pseudonyms, and paths without their folders.
 *
 *     arena texts = { 0 };
 *     puts(slice_text_last("/home/ann/bin/serve --fast", &texts));       // serve --fast
 *     puts(slice_text_uuid("GPU-5b9e0f9c-0000-4000-8000-000000000000", &texts));
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* Of every path in it only the last part, in site-packages/ or lib/python/ if it lies in one of Python's. */
const char *slice_text_last(const char *text, arena *texts);

/* The same pseudonym for the same GPU in every trace, which does not tell the uuid; one that says nothing stays. */
const char *slice_text_uuid(const char *uuid, arena *texts);

/* The same for a host, by its name alone, as ranks of a host need not see the same GPUs.  It is so short that many
 * names have it: a name that is guessed can be checked, but trying all does not find it. */
const char *slice_text_host(const char *host, arena *texts);
