#include "picture/plot_units.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

plot_unit plot_unit_of(const char *unit, double most)
{
	static const plot_unit times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	static const plot_unit bytes[] = { { 1099511627776., "TiB" }, { 1073741824., "GiB" }, { 1048576., "MiB" },
		{ 1024., "KiB" }, { 1, "B" } };
	const plot_unit *u = NULL;

	if (unit && strcmp(unit, PLOT_MS) == 0)
		return times[1];
	if (unit && strcmp(unit, "ns") == 0)
		u = times;
	else if (unit && strcmp(unit, "bytes") == 0)
		u = bytes;
	while (u && u->scale > 1 && fabs(most) < u->scale)
		u++;
	return u ? *u : (plot_unit){ 1, unit ? unit : "" };
}

const char *plot_number(double x, char buf[PLOT_NUMBER])
{
	double size = fabs(x);

	if (size >= 1e9 || (size > 0 && size < 1e-4))
		snprintf(buf, PLOT_NUMBER, "%.3g", x);
	else if (x == floor(x))
		snprintf(buf, PLOT_NUMBER, "%.0f", x);
	else
		snprintf(buf, PLOT_NUMBER, "%.*f",
			size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3 + (size < 0.1) + (size < 0.01),
			x);
	if (strcmp(buf, "-0") == 0)
		return "0";
	return buf;
}

const char *plot_amount(double x, const char *unit, char buf[PLOT_NUMBER])
{
	plot_unit u = plot_unit_of(unit, x);
	char number[PLOT_NUMBER];
	bool words = strlen(u.name) > 5 || strncmp(u.name, "Avg",
		3) == 0;       /* as metrics have; the axis says them */

	snprintf(buf, PLOT_NUMBER, "%.16s%s%.13s", plot_number(x / u.scale, number), *u.name && !words ? " " : "",
		words ? "" : u.name);
	return buf;
}

double plot_step(double from, double to, double most)
{
	double size = (to - from) / fmax(most, 1), ten;

	if (!(size > 0) || !isfinite(size))
		return 0;
	ten = pow(10, floor(log10(size)));
	return size <= ten ? ten : size <= 2 * ten ? 2 * ten : size <= 5 * ten ? 5 * ten : 10 * ten;
}

const char *plot_tick(double x, double step, char buf[PLOT_NUMBER])
{
	int digits = (int)-floor(log10(step) + 1e-9);

	x = fabs(x) < step / 1000 ? 0 : x;
	if (fabs(x) >= 1e9 || digits > 9)
		snprintf(buf, PLOT_NUMBER, "%.*g", (int)fmin(15, fmax(3, log10(fabs(x) / step) + 2)), x);
	else
		snprintf(buf, PLOT_NUMBER, "%.*f", digits > 0 ? digits : 0, x);
	return buf;
}
