/*
 * drawing - the output of a tool that draws: its format, and whether it goes to a file, a terminal or another program.
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
	bool force;             /* may an existing file be replaced? */
	unsigned format;        /* -f, enum drawing_format; DRAWING_AUTO until it is chosen */
	FILE *to;               /* where to write; for a PNG this takes SVG, which drawing_end converts */
	FILE *png;              /* where the PNG goes */
	bool color;             /* may text have colors? */
	whole_file whole;
} drawing;

/* Choose the format: that of -f, or that of the file's ending; without these, text on a terminal and SVG elsewhere.
 * Exits after a mistake. */
void drawing_choose(drawing *d);

/* drawing_begin opens the output, and drawing_end finishes it.  Each returns false after a problem. */
bool drawing_begin(drawing *d, notes *say);
bool drawing_end(drawing *d, notes *say);
