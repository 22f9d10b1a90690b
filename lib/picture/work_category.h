/*
 * work_category - the category of a piece of work, which decides its color: its owner, which says what the work is for
 * (enum owner, "step/owners.h"), or a label by the user's rules.
 *
 *     str_pool labels = { 0 };
 *     uint32_t c = work_category(t, 0, NULL, &labels);
 *     puts(str_at(&labels, c));                  // matmul
 *     str_free(&labels);
 */
#pragma once

#include "trace/rules.h"
#include "trace/trace.h"

/* The id of the category's name in the pool; STR_NONE: no rule matches.  own: the user's rules; NULL: the category
 * is the owner. */
uint32_t work_category(trace *t, size_t work, const rules *own, str_pool *to);

/* The name of a column of categories: "category" if there are rules, otherwise "owner". */
const char *work_category_word(const rules *own);
