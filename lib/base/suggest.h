/*
 * suggest - guesses which known name was meant by an unknown one.
 *
 *     arena texts = { 0 };
 *     const char *const known[] = { "kernels", "gaps" };
 *     puts(suggest_names(&texts, "kernel", known, 2));   // ", did you mean 'kernels'?"
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* The closest of n known names, at most four, worded for the middle of an error message.  Returns ";" if none is
 * close. */
const char *suggest_names(arena *a, const char *typed, const char *const *known, size_t n);

/* Like suggest_names, for names with a part that is similar to what was typed, ignoring case.  It is for regular
 * expressions, which may match any part of a name. */
const char *suggest_parts(arena *a, const char *typed, const char *const *known, size_t n);
