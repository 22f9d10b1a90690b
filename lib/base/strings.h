/*
 * strings - names, each kept once and known by a number.
 *
 *     str_pool p = { 0 };
 *     uint32_t id = str_id(&p, "ncclKernel", 10);
 *     str_at(&p, id);                            // "ncclKernel"
 *     str_fold(&p, id);                          // the id of "layer#.stage#_f"
 *
 * Ids count up from 0 in order of first sight, so they order nothing:
 * compare texts with str_cmp where the order of names is seen.
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
	uint32_t *folded;   /* by id: the folded name's id, STR_NONE: not asked yet */
	uint32_t *slot;     /* hash table of ids + 1, 0: free */
	size_t n, room, slots;
	arena texts;        /* where the texts are, until str_free */
} str_pool;

uint32_t str_id(str_pool *p, const char *s, size_t len);
uint32_t str_fold(str_pool *p, uint32_t id);        /* every run of digits becomes '#' */
int str_cmp(const str_pool *p, uint32_t a, uint32_t b);
void str_free(str_pool *p);

static inline const char *str_at(const str_pool *p, uint32_t id)
{
	return id == STR_NONE ? NULL : p->text[id];
}

#endif
