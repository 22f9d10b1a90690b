/*
 * text - a whole file as one string.
 *
 *     size_t n;
 *     char *all = text_read(stdin, &n);          // NULL: errno says why
 *     free(all);
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdio.h>

/* The contents of a file, with a NUL after its n bytes; the caller frees it.  NULL, with errno set, if it
 * cannot be read. */
char *text_read(FILE *f, size_t *n);

#endif
