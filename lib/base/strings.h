/*
 * strings - names, each stored once and identified by a number.
 *
 *     str_pool p = { 0 };
 *     uint32_t id = str_id(&p, "layer07.stage2_f", 16);
 *     str_at(&p, id);                            // "layer07.stage2_f"
 *     str_fold(&p, id);                          // the id of "layer#.stage#_f"
 *
 * Ids count up from 0 in order of first appearance, so the order of ids means nothing.  Compare names with str_cmp if a
 * user will see their order.  STR_NONE is the missing name; it prints as '-' and sorts first.
 *
 * A pool belongs to one thread until str_share.  From then on several threads may add names, and read names whose ids
 * they know.  An array of the pool that was replaced by a larger one is freed only with the pool, because another
 * thread may still be reading it.
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STR_NONE UINT32_MAX

typedef struct {
	const char **_Atomic text;  /* by id, NUL-terminated */
	uint32_t *_Atomic len;      /* by id, in bytes */
	_Atomic uint32_t *_Atomic folded;   /* by id: id of the folded name; STR_NONE: not computed yet */
	_Atomic size_t n;
	uint32_t *hash;     /* by id: hash of the text */
	uint32_t *slot;     /* hash table of id + 1; 0: free */
	size_t room, slots;
	arena texts;        /* holds the texts until str_free */
	pthread_mutex_t *adding;    /* locked to add names; NULL: the pool is not shared */
	vec(void *) outgrown;       /* arrays that were replaced by larger ones after str_share */
} str_pool;

uint32_t str_id(str_pool *p, const char *s, size_t len);

/* Add the texts of another pool without copying them; the other pool is then empty.  ids[i] gets the id in this pool
 * of the text that had the id i in the other.  Meanwhile no other thread may add names. */
void str_adopt(str_pool *p, str_pool *from, uint32_t *ids);

uint32_t str_fold(str_pool *p, uint32_t id);        /* id of the name with every run of digits replaced by '#' */

/* Fold a text of len bytes.  `to` has room for len bytes; no NUL is written.  Returns the length of the folded text. */
size_t str_fold_text(const char *s, size_t len, char *to);

int str_cmp(const str_pool *p, uint32_t a, uint32_t b);
uint32_t *str_array(const str_pool *p);              /* a new array with STR_NONE for each name */
void str_share(str_pool *p);                        /* from now on several threads may use the pool */
void str_free(str_pool *p);

/* The length in bytes of a name other than STR_NONE.  In a pool that is not shared, len[id] may be read directly. */
static inline uint32_t str_len(const str_pool *p, size_t id)
{
	return atomic_load_explicit(&p->len, memory_order_acquire)[id];
}

/* The text of a name; NULL for STR_NONE.  In a pool that is not shared, text[id] may be read directly. */
static inline const char *str_at(const str_pool *p, size_t id)
{
	return id == STR_NONE ? NULL : atomic_load_explicit(&p->text, memory_order_acquire)[id];
}
