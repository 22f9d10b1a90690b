/*
 * drawing - the output of a tool that draws: its format, and whether it goes to a file, a terminal or another program.
 *
 *     drawing d = { .file = "steps.svg" };
 *     drawing_choose_format(&d);                        // exits after a mistake
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
	FILE *to;               /* where to write the picture; for a PNG, a temporary file of SVG that drawing_end
				 * converts */
	FILE *png;              /* where to write a PNG */
	bool color;             /* may text have colors? */
	whole_file whole;       /* the file of -o */
} drawing;

/* Choose the format: that of -f, or that of the file's ending; without these, text on a terminal and SVG elsewhere.
 * Exits after a mistake. */
void drawing_choose_format(drawing *d);

/* Open the output.  False after a problem. */
bool drawing_begin(drawing *d, notes *say);

/* If the format is PNG, convert the picture from SVG to PNG.  Then finish the output.  False after a problem. */
bool drawing_end(drawing *d, notes *say);
