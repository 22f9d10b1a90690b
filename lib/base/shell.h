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

/* In quotes.  A backslash, a tab or a line break, which TSV writes as two characters, and other bytes that are not
 * printable (printable.h) are left to awk: no text has any.  A line break at the end is lost. */
const char *shell_quoted(arena *a, const char *s);

/* In quotes, as it is: for scripts. */
const char *shell_single(arena *a, const char *s);

/* In quotes if it needs them. */
const char *shell_word(arena *a, const char *s);
