/*
 * glossary - the words that columns hold: the meaning and the color of each, from share/glossary.tsv.
 *
 *     const glossary_word *w = glossary_find("owner", "launch");         // NULL: the column has no such word
 *     printf("%s: %s\n", w->light, w->meaning);          // #d78f00: Idle: the CPU is in the call that ...
 *     arena texts = { 0 };
 *     puts(glossary_expand(&texts, "one of {severity high..low}"));      // one of high medium low
 *     arena_free(&texts);
 *
 * A word has the same color wherever it is drawn, in whichever column.
 */
#pragma once

#include "base/arena.h"

typedef struct {
	const char *column;     /* a column's name or, if tools differ, TOOL.COLUMN */
	const char *word;
	const char *light, *dark;       /* colors #rrggbb on a light and on a dark background */
	const char *meaning;    /* a sentence */
} glossary_word;

/* The lines of share/glossary.tsv, compiled in.  In the last entry, `word` is NULL. */
extern const glossary_word glossary_builtin[];

/* Find a word of a column; column NULL: of any column.  NULL if there is none. */
const glossary_word *glossary_find(const char *column, const char *word);

/* The text with {COLUMN} replaced by the words of that column, and {COLUMN A..B} by its words from A to B. */
const char *glossary_expand(arena *a, const char *text);
