/*
 * secrets - the words of a command as others may see them: with *** in the place of what looks like a secret.
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
 * share/rules/secrets.tsv says what looks like one: the name before it, or its form.
 */
#pragma once

#include "base/text.h"
#include "trace/rules.h"

/* NULL after a problem. */
rules *secrets_load(notes *say);

/* Does a text have one in it? */
bool secrets_in(const rules *known, const char *text);

/* What is shown in the place of one. */
#define SECRET "***"

/* The caller frees the list. */
text_list secrets_masked(const rules *known, const text_list *words, arena *to);
