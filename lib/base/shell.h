/*
 * shell - words of a command that can be pasted into a shell.
 *
 *     arena texts = { 0 };
 *     puts(shell_word(&texts, "run.sqlite"));    // run.sqlite
 *     puts(shell_word(&texts, "my run"));        // 'my run'
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

/* The word in quotes, for a command that stands in a table.  TSV would write a backslash, a tab or a line break as two
 * characters.  So a call of awk in the command writes these, and bytes that are not printable (printable.h).  A line
 * break at the end of the word is lost. */
const char *shell_quoted(arena *a, const char *s);

/* The word in single quotes, unchanged, for scripts. */
const char *shell_single(arena *a, const char *s);

/* The word, in quotes only if it needs them. */
const char *shell_word(arena *a, const char *s);
