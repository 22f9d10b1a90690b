/*
 * gzip - a stream whose bytes are compressed on their way to another one.
 *
 *     FILE *to = fopen("run.json.gz", "wb");
 *     FILE *z = gzip_begin(to);
 *     fputs("{}\n", z);
 *     fclose(z);                                 // writes what is left; to stays open
 *     fclose(to);
 *
 * A write that fails shows on the stream that it goes to (ferror).
 */
#ifndef GZIP_H
#define GZIP_H

#include <stdio.h>

FILE *gzip_begin(FILE *to);

/* The same with up to so many threads, the writing one among them.  The bytes do not depend on how many. */
FILE *gzip_begin_threads(FILE *to, int threads);

#endif
