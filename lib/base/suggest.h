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

/* The closest of n known names, at most four, worded for the middle of an error message; ";" if none is close. */
const char *suggest_names(arena *a, const char *typed, const char *const *known, size_t n);

/* The same for an expression, which may match any part of a name: the names with a similar part, ignoring case. */
const char *suggest_parts(arena *a, const char *typed, const char *const *known, size_t n);
