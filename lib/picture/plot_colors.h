/*
 * plot_colors - the color of a category, which follows from its name.
 *
 *     const char *names[] = { "host", "launch", "my own cause" };
 *     unsigned colors[3];
 *     plot_colors(names, 3, colors);
 *     puts(plot_color_hex(colors[0]));           // #d55e00, wherever there is a host
 *
 * People with the common kinds of color blindness tell the colors apart.  The words
 * of nsq's own columns have fixed ones; for any other name its letters choose one,
 * and in a picture where that is taken the next.  No two categories of a picture
 * share a color while there are at most PLOT_HUES of them.
 */
#ifndef PLOT_COLORS_H
#define PLOT_COLORS_H

#include <stddef.h>

enum { PLOT_HUES = 10, PLOT_IDLE = PLOT_HUES, PLOT_OTHER, PLOT_COLORS };

/* The colors of the categories of one picture. */
void plot_colors(const char *const *names, size_t n, unsigned *colors);

/* A color as #rrggbb, and what a terminal of 256 colors has for it. */
const char *plot_color_hex(unsigned color);
unsigned plot_color_256(unsigned color);

#endif
