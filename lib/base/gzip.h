/*
 * gzip - a stream that compresses what is written to it into another stream.
 *
 *     FILE *to = fopen("run.json.gz", "wb");
 *     FILE *z = gzip_begin(to);
 *     fputs("{}\n", z);
 *     fclose(z);                                 // writes what is left; `to` stays open
 *     fclose(to);
 *
 * After a failed write, ferror(to) is true.
 */
#pragma once

#include <stdio.h>

FILE *gzip_begin(FILE *to);
