/*
 * keys - the table of keys: what each does, from which the help is made.
 *
 *     for (const tui_key *k = tui_keys; k->key; k++)
 *         printf("%-12s %s\n", k->label, k->what);
 */
#pragma once

#include "tui/tui.h"

typedef struct {
	int key;                /* a character, or DISPLAY_... */
	int last;               /* of several in a row, the last one (1 to 9); 0: it is only one */
	const char *label;      /* as the help shows it */
	const char *what;
	unsigned views;         /* in which it works: tui_view, combined */
	void (*press)(tui *ui, int key);
} tui_key;

extern const tui_key tui_keys[];        /* ended by an empty one */
