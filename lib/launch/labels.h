/*
 * labels - the label that rules give to a name, and the label that work gets from the ranges around it.
 *
 *     const around *a = around_of(t, AROUND_WORK);
 *     labels *l = labels_build(a, r);            // r: from rules_load
 *     uint32_t stage = labels_of_work(l, 0);     // of work 0: "stage2_f"
 *     puts(stage == STR_NONE ? "-" : str_at(&t->names, stage));
 *     labels_free(l);
 *
 * A label is a string in the trace's names; STR_NONE: there is none.  The rules are tried once for each name and the
 * result is kept, so only one thread at a time may call these functions.  They may add names to the trace.
 */
#pragma once

#include "launch/ranges_around.h"
#include "trace/rules.h"

typedef struct labels labels;

/* a and r must outlive the labels. */
labels *labels_build(const around *a, const rules *r);
void labels_free(labels *l);

/* The label that the rules give a name; STR_NONE: none, or the name is STR_NONE. */
uint32_t labels_of_name(labels *l, uint32_t name);

/* Goes outwards through the ranges around the work, to the first one whose name the rules label.  Returns its label;
 * STR_NONE: there is no such range. */
uint32_t labels_of_work_by_rules(labels *l, size_t work);

/* What labels_of_work_by_rules returns; if that is STR_NONE, the folded name (str_fold) of the innermost range outside
 * the domains of libraries (around_own_range_name). */
uint32_t labels_of_work(labels *l, size_t work);
