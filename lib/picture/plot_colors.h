/*
 * plot_colors - the color of a category, which follows from its name.
 *
 *     const char *names[] = { "host", "launch", "my own cause" };
 *     unsigned colors[3];
 *     plot_colors(names, 3, colors);
 *     puts(plot_color_light(colors[0]));         // #941f35, wherever there is a host
 *
 * A word of the glossary (base/glossary.h) always has the color that the glossary gives it.  Many words that are not in
 * the glossary, of other columns and of built-in rules, have a preferred color, listed in plot_colors.c.  They get it
 * unless it is taken in the picture.  Neither the glossary nor that list gives two words of one column the same color.
 * The color of any other name follows from its letters.  If that color is taken in the picture, the name gets another.
 * People with the common kinds of color blindness can tell any two colors of a column apart, and each color from its
 * background.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum {
	PLOT_HUES = 20,         /* the number of colors for names that are not in the glossary */
	PLOT_IDLE = PLOT_HUES,  /* the gray of idle time and of values that did not change */
	PLOT_OTHER,             /* the gray of the pooled categories and of missing values */
	PLOT_COLORS = 255       /* all numbers of colors are below this */
};

/* Set colors[i] to the color of names[i], for the n categories of one picture.  If plot_colors_fit is true, no two are
 * the same, except for words to which the glossary gives the same color. */
void plot_colors(const char *const *names, size_t n, unsigned *colors);

/* Are there enough colors for all names and, with `pooled`, for one more category that stands for the rest? */
bool plot_colors_fit(const char *const *names, size_t n, bool pooled);

/* A color as #rrggbb: plot_color_light on a light background, plot_color_dark on a dark one.  plot_color_256: its
 * number on a terminal with 256 colors. */
const char *plot_color_light(unsigned color);
const char *plot_color_dark(unsigned color);
unsigned plot_color_256(unsigned color);

/* The number of colors: their numbers are less than this. */
unsigned plot_colors_count(void);

/* On a patch of this color (plot_color_light), is dark text easier to read than white text? */
bool plot_color_is_light(unsigned color);
