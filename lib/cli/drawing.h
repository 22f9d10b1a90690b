/*
 * drawing - where the picture of a tool goes, and in what form: a file, a terminal, or another program.
 *
 *     drawing d = { .file = "steps.svg" };
 *     drawing_choose(&d);                        // exits after a mistake
 *     if (d.format == DRAWING_SVG && drawing_begin(&d, say)) {
 *         plot_svg(&pic, d.to);
 *         drawing_end(&d, say);
 *     }
 */
#pragma once

#include "base/whole_file.h"

enum drawing_format { DRAWING_AUTO, DRAWING_SVG, DRAWING_HTML, DRAWING_TEXT, DRAWING_PNG };

typedef struct {
	const char *file;       /* -o; NULL: standard output */
	bool force;             /* may it be replaced? */
	unsigned format;        /* -f, enum drawing_format; DRAWING_AUTO until it is chosen */
	FILE *to;               /* write here; for a PNG the SVG, of which rsvg-convert makes it at the end */
	FILE *png;              /* where that goes */
	bool color;             /* of text: may it have colors? */
	whole_file whole;
} drawing;

/* Choose the format: what was asked for, what the name of the file says, text on a terminal, else SVG. */
void drawing_choose(drawing *d);

/* False after a problem. */
bool drawing_begin(drawing *d, notes *say);
bool drawing_end(drawing *d, notes *say);
