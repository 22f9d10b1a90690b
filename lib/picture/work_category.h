/*
 * work_category - by what a piece of work has its color: its owner, or the label that a user's own rules give it.
 *
 *     str_pool labels = { 0 };
 *     uint32_t c = work_category(t, 0, NULL, &labels);
 *     puts(str_at(&labels, c));                  // matmul
 *     str_free(&labels);
 */
#pragma once

#include "trace/rules.h"
#include "trace/trace.h"

/* A string of the pool; STR_NONE if no rule matches.  own NULL: the owner. */
uint32_t work_category(trace *t, size_t work, const rules *own, str_pool *to);

/* What that is called: owner or category. */
const char *work_category_word(const rules *own);
