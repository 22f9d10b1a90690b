/* gzip [PIECE]: standard input, compressed, written to the compressing stream PIECE bytes at a time. */
#include "base/gzip.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t piece = argc > 1 ? (size_t)atol(argv[1]) : 65536, n;
	char *some = malloc(piece);
	FILE *z = gzip_begin(stdout);

	while ((n = fread(some, 1, piece, stdin)) > 0)
		fwrite(some, 1, n, z);
	free(some);
	return fclose(z) || fflush(stdout) || ferror(stdout);
}
