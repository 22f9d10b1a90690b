/*
 * secrets - puts *** in place of what looks like a secret in a command, so that others may see the command.
 *
 *     notes say = { 0 };
 *     arena texts = { 0 };
 *     rules *known = secrets_load(&say);
 *     text_list shown = secrets_masked(known, &words, &texts);   // --token abc becomes --token ***
 *     printf("%zu words, %s\n", shown.n, secrets_in(known, "token=abc") ? "and a secret" : "and none");
 *     vec_free(&shown);
 *     rules_free(known);
 *     arena_free(&texts);
 *     notes_free(&say);
 *
 * share/rules/secrets.tsv describes secrets, by their form or by the name before them.
 */
#pragma once

#include "base/text.h"
#include "trace/rules.h"

/* The rules of share/rules/secrets.tsv, which the caller frees.  NULL after a problem. */
rules *secrets_load(notes *say);

/* Does a text contain a secret? */
bool secrets_in(const rules *known, const char *text);

/* The text that replaces a secret. */
#define SECRET "***"

/* A list of the words, with their secrets replaced by SECRET; the caller frees the list.  A word without a secret is
 * not copied. */
text_list secrets_masked(const rules *known, const text_list *words, arena *to);
