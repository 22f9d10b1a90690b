/*
 * glossary - the words that columns hold: what each means and its color, from share/glossary.tsv.
 *
 *     const glossary_word *w = glossary_find("owner", "launch");         // NULL: the column has no such word
 *     printf("%s: %s\n", w->light, w->meaning);                          // #d78f00: The GPU is idle while ...
 *     arena texts = { 0 };
 *     puts(glossary_expand(&texts, "one of {severity high..low}"));      // one of high medium low
 *     arena_free(&texts);
 *
 * A word has one color wherever it is drawn, whichever column it stands in.
 */
#pragma once

#include "base/arena.h"

typedef struct {
	const char *column;     /* a column's name or, where tools differ, TOOL.COLUMN */
	const char *word;
	const char *light, *dark;       /* #rrggbb, on a light background and on a dark one */
	const char *meaning;    /* a sentence */
} glossary_word;

/* The lines of share/glossary.tsv, compiled in; ended by one without a word. */
extern const glossary_word glossary_builtin[];

/* column NULL: any. */
const glossary_word *glossary_find(const char *column, const char *word);

/* The text with {COLUMN} replaced by the words of that column, {COLUMN A..B} by those from A to B. */
const char *glossary_expand(arena *a, const char *text);
