/*
 * strings - names, each stored once and identified by a number.
 *
 *     str_pool p = { 0 };
 *     uint32_t id = str_id(&p, "layer07.stage2_f", 16);
 *     str_at(&p, id);                            // "layer07.stage2_f"
 *     str_fold(&p, id);                          // the id of "layer#.stage#_f"
 *
 * Ids count up from 0 in order of first appearance, so their order means nothing:
 * compare names with str_cmp wherever their order is visible.
 * STR_NONE is the missing name; it prints as '-' and sorts first.
 */
#ifndef STR_H
#define STR_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

#define STR_NONE UINT32_MAX

typedef struct {
	const char **text;  /* by id, NUL-terminated */
	uint32_t *len;      /* by id */
	uint32_t *hash;     /* by id */
	uint32_t *folded;   /* by id: that of the folded name; STR_NONE: not computed yet */
	uint32_t *slot;     /* hash table of id + 1; 0: free */
	size_t n, room, slots;
	arena texts;        /* holds the texts until str_free */
} str_pool;

uint32_t str_id(str_pool *p, const char *s, size_t len);
uint32_t str_fold(str_pool *p, uint32_t id);        /* every run of digits becomes '#' */
size_t str_folded(const char *s, size_t len, char *to);     /* the same of any text, into as much room; its length */
int str_cmp(const str_pool *p, uint32_t a, uint32_t b);
void str_free(str_pool *p);

static inline const char *str_at(const str_pool *p, uint32_t id)
{
	return id == STR_NONE ? NULL : p->text[id];
}

#endif
