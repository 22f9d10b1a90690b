#include "launch/peaks.h"
#include "base/pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GPU, TYPE, TFLOPS, MEMORY, FIELDS };
enum { LONGEST = 100 };         /* bytes of the longest field that is accepted, with its NUL */

/* Copies the first FIELDS fields of a line.  False: one of them is too long, or no further field follows them. */
static bool peaks_split_line(const char *line, char field[FIELDS][LONGEST])
{
	for (int i = 0; i < FIELDS; i++) {
		size_t n = strcspn(line, "\t\n");
		if (line[n] != '\t' || n >= LONGEST)
			return false;
		memcpy(field[i], line, n);
		field[i][n] = 0;
		line += n + 1;
	}
	return true;
}

static bool peaks_matches_gpu(const char *text, const char *gpu)
{
	pattern *p = pattern_new(text, PATTERN_EXACT, NULL);
	bool yes = p && pattern_matches(p, gpu);

	pattern_free(p);
	return yes;
}

/* A field, TFLOPS or MEMORY, of the first line about this GPU and type; type NULL: any type.  NaN: no line matches. */
static double peaks_find_value(const char *gpu, const char *type, int wanted)
{
	char field[FIELDS][LONGEST];

	for (const char *line = peaks_builtin[1]; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (*line != '#' && peaks_split_line(line, field) && (!type || strcmp(field[TYPE], type) == 0) &&
		    peaks_matches_gpu(field[GPU], gpu))
			return strtod(field[wanted], NULL);
	return NAN;
}

double peaks_tflops(const char *gpu, const char *type)
{
	return peaks_find_value(gpu, type, TFLOPS);
}

double peaks_memory_gbps(const char *gpu)
{
	return peaks_find_value(gpu, NULL, MEMORY);
}
