/*
 * suggest - what was probably meant by a name that is not known.
 *
 *     arena texts = { 0 };
 *     const char *const known[] = { "kernels", "gaps" };
 *     puts(suggest_names(&texts, "kernel", known, 2));   // ", did you mean 'kernels'?"
 *     arena_free(&texts);
 */
#ifndef SUGGEST_H
#define SUGGEST_H

#include "base/arena.h"

/* The nearest of n known names, for the middle of an error message; ";" when none is near. */
const char *suggest_names(arena *a, const char *typed, const char *const *known, size_t n);

#endif
