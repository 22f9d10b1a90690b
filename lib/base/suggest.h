/*
 * near - what was meant by a name that is not known.
 */
#ifndef NEAR_H
#define NEAR_H

#include <stddef.h>

/* Of n names those nearest to what was typed, for an error: ", did you mean 'a' or 'b'?", or ";" when none
 * is near. */
const char *near_names(const char *typed, const char *const *known, size_t n);

#endif
