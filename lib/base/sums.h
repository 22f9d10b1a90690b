/*
 * sums - sums by key: a struct for each distinct key, zeroed when the key is first met, and statistics of times.
 *
 *     sums s = sums_by(2, sizeof(total));
 *     total *to = sums_of(&s, (int64_t[]){ gpu, name });         // valid until the next call of sums_of
 *     to->ns += 1500;
 *     for (size_t i = 0; i < s.g.n; i++)
 *         printf("%lld: %lld ns\n", (long long)sums_key(&s, i)[0], (long long)sums_at(total, &s, i)->ns);
 *     sums_free(&s);
 */
#pragma once

#include "base/group.h"
#include "base/stats.h"

typedef struct {
	group g;                /* the keys, in order of first appearance */
	char *v;                /* the structs, one for each key */
	size_t size, room;      /* the size of a struct, and how many fit */
	size_t met;             /* the index of the struct that sums_of returned last */
	stats times;            /* what sums_add_time added; the group of a time is the index of its struct */
} sums;

/* width: how many integers a key has; size: how many bytes a struct has. */
static inline sums sums_by(size_t width, size_t size)
{
	return (sums){ .g.width = width, .size = size };
}

#define sums_at(type, s, i) ((type *)(void *)((s)->v + (size_t)(i) * sizeof(type)))

static inline const int64_t *sums_key(const sums *s, size_t i)
{
	return &s->g.key[i * s->g.width];
}

void *sums_grow(sums *s);        /* makes room for the struct of a new key, and returns it */

/* sums_of for a width that the compiler knows. */
static inline void *sums_of_width(sums *s, size_t width, const int64_t *key)
{
	s->met = group_of_width(&s->g, width, key);
	return s->met < s->room ? s->v + s->met * s->size : sums_grow(s);
}

static inline void *sums_of(sums *s, const int64_t *key)
{
	return sums_of_width(s, s->g.width, key);
}

/* The index of a struct that sums_of returned. */
static inline size_t sums_index_of(const sums *s, const void *item)
{
	return (size_t)((const char *)item - s->v) / s->size;
}

/* Add a time to the struct that sums_of returned last. */
static inline void sums_add_time(sums *s, int64_t ns)
{
	stats_add(&s->times, s->met, ns);
}

/* An array with an element for each struct: the statistics of the times that were added to it.  The caller frees it. */
static inline stats_summary *sums_times(sums *s)
{
	return stats_finish(&s->times, s->g.n);
}

/* Free the keys and structs, but not `times`, which sums_times empties.  The sums can be used again. */
void sums_free(sums *s);
