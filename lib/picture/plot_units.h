/*
 * plot_units - numbers and units as a person reads them, and round numbers along an axis.
 *
 *     plot_unit u = plot_unit_of("ns", 2500000);         // the unit for values up to this
 *     char buf[PLOT_NUMBER];
 *     printf("%s %s\n", plot_number(2500000 / u.scale, buf), u.name);     // 2.5 ms
 *     double step = plot_step(0, 2.5, 5);                // 0.5: a round distance of at most five ticks
 *     printf("%g\n", step);
 */
#pragma once

enum { PLOT_NUMBER = 32 };

typedef struct {
	double scale;           /* how much of the column's unit it is */
	const char *name;       /* "" if there is none */
} plot_unit;

#define PLOT_MS "ns in ms"      /* a unit: of numbers in ns that are always shown in ms */
plot_unit plot_unit_of(const char *unit, double most);

/* Three digits or more: 2.53, 25.3, 253, 25312; large ones with a power of ten. */
const char *plot_number(double x, char buf[PLOT_NUMBER]);

/* A number with its unit: 2.53 ms. */
const char *plot_amount(double x, const char *unit, char buf[PLOT_NUMBER]);

/* The distance of ticks at round numbers, so that at most this many fit, and at least 0. */
double plot_step(double from, double to, double most);

/* A tick, with as many digits as the step needs. */
const char *plot_tick(double x, double step, char buf[PLOT_NUMBER]);
