/*
 * view_data - what all traces of a page share: names, the ranges around things, and the bytes of their columns.
 *
 *     view_data d = { .paths = { .width = 2 } };
 *     view_data_put(&d, 300);
 *     view_data_tables(&d, stdout);
 *     view_data_write(&d, stdout);
 *     view_data_free(&d);
 */
#ifndef VIEW_DATA_H
#define VIEW_DATA_H

#include "base/group.h"
#include "base/memory.h"
#include "trace/rules.h"

#include <stdio.h>

typedef struct {
	str_pool names;
	group paths;            /* outer path plus one, name plus one: the ranges around something, up to a name */
	const rules *categories;        /* of the full names of work, or NULL */
	vec(bool) work, comm, ranges;   /* by name: is it the full name of work, of communication, or that of a range? */
	vec(uint8_t) bytes;
} view_data;

void view_data_free(view_data *d);

/* Add a number: seven bits to a byte, the lowest first. */
void view_data_put(view_data *d, uint64_t x);

/* Note that a name, numbered from 1, is one of those: &d->work, &d->comm or &d->ranges. */
#define view_data_note(of, number) do { \
	while ((of)->n < (number)) \
		vec_push(of, false); \
	if (number) \
		(of)->v[(number) - 1] = true; \
} while (0)

/* JSON: names, paths, the category of each name of work, the color of each name of a range; in the end, since they
 * grow. */
void view_data_tables(view_data *d, FILE *to);

/* The bytes: gzip, in base64. */
void view_data_write(const view_data *d, FILE *to);

#endif
