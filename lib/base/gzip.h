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
#pragma once

#include <stdio.h>

FILE *gzip_begin(FILE *to);
