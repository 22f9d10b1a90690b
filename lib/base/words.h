/*
 * words - the words that a name consists of.
 *
 *     words_hold("TrainStep_forward", "step iter");      // true: Train, Step and forward, in any case
 *     words_hold("timestep", "step iter");               // false: timestep is one word
 *
 * A word ends where letters do, and where a small letter precedes a capital one; in HTTPServer, before the S.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is one of the words of a name in the list?  Its words are small letters with spaces between them. */
bool words_hold(const char *name, const char *list);

/* Is a word of n bytes in the list? */
bool words_listed(const char *word, size_t n, const char *list);
