/* The rank test on the comparisons of standard input, a line each: samples before, a bar, samples after.  Prints for
 * each p, the least p, the two medians, the p corrected for the number of lines, and whether alpha was in reach. */
#include "base/rank_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

static size_t samples(char *text, double *to)
{
	size_t n = 0;

	for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n"))
		to[n++] = atof(word);
	return n;
}

int main(int argc, char **argv)
{
	static rank_test_key keys[MOST];
	static double before[MOST], after[MOST], median[MOST][2];
	double alpha = argc > 1 ? atof(argv[1]) : 0.05;
	size_t n = 0, room = 0;
	char *line = NULL;

	for (; n < MOST && getline(&line, &room, stdin) > 0; n++) {
		char *bar = strchr(line, '|');
		size_t na, nb = samples(bar + 1, after);
		*bar = 0;
		na = samples(line, before);
		keys[n] = (rank_test_key){ .p = rank_test_p(before, na, after, nb), .least = rank_test_least_p(na, nb) };
		median[n][0] = rank_test_median(before, na);
		median[n][1] = rank_test_median(after, nb);
	}
	rank_test_holm(keys, n, alpha);
	for (size_t i = 0; i < n; i++)
		printf("%.12g %.12g %g %g %.12g %d\n", keys[i].p, keys[i].least, median[i][0], median[i][1],
		       keys[i].adjusted, keys[i].reachable);
	free(line);
	return 0;
}
