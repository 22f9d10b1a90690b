/*
 * plot_write - writes a picture as SVG, as a page of HTML, or in the characters of a terminal.
 *
 *     picture pic = { 0 };
 *     plot_layout(&p, &plot_svg_metrics, &pic, say);
 *     plot_svg(&pic, stdout);                    // ferror tells of a failed write
 *     picture_free(&pic);
 */
#pragma once

#include "picture/plot.h"
#include "picture/plot_picture.h"

#include <stdio.h>

extern const picture_metrics plot_svg_metrics;
picture_metrics plot_text_metrics(int columns);

void plot_svg(const picture *p, FILE *to);

/* The picture of an answer, so many pixels wide (0: as wide as they are by default): a table in, SVG out, no text in
 * between.  False, with nothing written, where the table has no rows or no number to draw.
 *
 *     plot_params how = { .kind = PLOT_STACK, .y = "idle_ns", .color = "cause", .title = "Idle time of each step" };
 *     if (!plot_table_svg(gaps, &how, 0, stdout))
 *         puts("nothing to draw");
 */
bool plot_table_svg(const table *t, const plot_params *p, double width, FILE *to);

/* A page with the picture of a plot and the rows of the tables, as many as it holds. */
void plot_html(const plot *shown, const picture *p, const inputs *in, FILE *to, notes *say);

/* color: write with the colors of a terminal; else categories have characters of their own. */
void plot_text(const picture *p, bool color, FILE *to);

/* A file of share/plot, compiled in, by its name without the ending. */
const char *plot_file(const char *name);

/* The files of share/plot: name, text, name, text, ..., NULL. */
extern const char *const plot_builtin[];
