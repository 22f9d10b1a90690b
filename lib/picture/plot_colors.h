/*
 * plot_colors - the color of a category, which follows from its name.
 *
 *     const char *names[] = { "host", "launch", "my own cause" };
 *     unsigned colors[3];
 *     plot_colors(names, 3, colors);
 *     puts(plot_color_hex(colors[0]));           // #941f35, wherever there is a host
 *
 * The words of the glossary (base/glossary.h) have the colors that it says, wherever they
 * are drawn.  Words of other columns and of built-in rules have fixed colors, too, and no
 * two that can stand in one column have the same.  For any other name its letters choose
 * one, and in a picture where that is taken it gets another.  Any two colors differ for
 * people with the common kinds of color blindness too, and each from its background.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	PLOT_HUES = 20, PLOT_IDLE = PLOT_HUES, PLOT_OTHER,
	PLOT_COLORS = 255       /* numbers of colors are less */
};

/* The colors of the categories of one picture.  No two are the same if they fit. */
void plot_colors(const char *const *names, size_t n, unsigned *colors);

/* Are there enough colors for all of them, and for what is pooled if that is drawn too? */
bool plot_colors_fit(const char *const *names, size_t n, bool pooled);

/* A color as #rrggbb, on a light background and on a dark one, and what a terminal of 256 colors has for it. */
const char *plot_color_hex(unsigned color);
const char *plot_color_dark(unsigned color);
unsigned plot_color_256(unsigned color);

/* How many numbers of colors there are. */
unsigned plot_colors_number(void);

/* Is dark text easier to read than white on the color, on a light background? */
bool plot_color_is_light(unsigned color);
