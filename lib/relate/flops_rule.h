/*
 * flops_rule - what a line of share/rules/flops.tsv says of the sizes of an operator.
 *
 *     shape_op op;
 *     flops_value v;
 *     if (shape_name_read("aten::mm, sizes = [[2, 3], [3, 5]]", &op) &&
 *         flops_rule("mk kn: 2mkn -> mn", &op, NULL, 0, &v))
 *         printf("%lld\n", (long long)v.flops);                  // 60
 */
#pragma once

#include "trace/shape_name.h"

typedef struct {
	int64_t flops;
	int64_t elements;       /* read and written at least: each operand once, and each result */
} flops_value;

typedef struct {                /* an argument of another operator that is a result of this one */
	int64_t result;         /* which of its results */
	shape size;
} flops_taken;

/* False: they are not known. */
bool flops_rule(const char *rule, const shape_op *op, const flops_taken *taken, size_t ntaken, flops_value *to);
