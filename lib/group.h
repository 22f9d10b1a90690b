/*
 * group - numbers the distinct keys of rows, where a key is several numbers.
 *
 *     group g = { .width = 2 };
 *     size_t i = group_of(&g, (int64_t[]){ gpu, name });   // g.key[2 * i], g.key[2 * i + 1]
 *     group_free(&g);
 */
#ifndef GROUP_H
#define GROUP_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	size_t width;      /* numbers in a key */
	int64_t *key;      /* width of them for each group */
	size_t *slot;      /* hash table of groups + 1, 0: free */
	size_t n, room, slots;
} group;

size_t group_of(group *g, const int64_t *key);
void group_free(group *g);

/* Read a list such as "stage,name" into bits by the place of each name in allowed (NULL-ended).
 * Exits with EXIT_WRONG on any other name. */
unsigned group_by(const char *list, const char *const *allowed);

#endif
