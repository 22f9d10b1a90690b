/*
 * shape_name - the operator and the sizes in the name of a range.
 *
 *     shape_op op;
 *     if (shape_name_read("aten::mm, op_id = 8, sizes = [[2048, 512], [512, 1376]]", &op))
 *         printf("%.*s: %lld rows\n", (int)op.len, op.name, (long long)op.arg[0].dim[0]);    // aten::mm: 2048 rows
 *
 * Two forms are known:
 * - PyTorch's emit_nvtx(record_shapes=True) gives each operator a number (op_id), and lists the numbers of the
 *   operators that made its inputs.
 * - The hooks on modules that vLLM, SGLang and TensorRT-LLM share write {'Module': 'model.fc', 'TrainableParams':
 *   {'weight': [8, 4]}, 'Inputs': [[2, 4]]}.  This is read as an operator "Module': 'model.fc" with two arguments, its
 *   first input and its weight.
 * If a name was cut off, only complete sizes are read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPE_DIMS = 8, SHAPE_ARGS = 8 };        /* further dimensions and arguments are ignored */

typedef struct {
	int64_t dim[SHAPE_DIMS];
	int n;                  /* number of dimensions, which may be more than SHAPE_DIMS; 0: a scalar, or no tensor */
} shape;

typedef struct {
	const char *name;       /* the operator's name, which points into the name of the range */
	size_t len;
	int64_t id;             /* the operator's number; -1: it has none */
	shape arg[SHAPE_ARGS];
	int n;                  /* number of elements of arg that are set */
} shape_op;

/* Read the name of a range.  False: it holds no sizes. */
bool shape_name_read(const char *name, shape_op *to);

/* For each of the first SHAPE_ARGS arguments that is the result of another operator, call f with the index of the
 * argument, the number of that operator, and the index of the result among its results. */
void shape_name_each_input(const char *name, void (*f)(void *ctx, int arg, int64_t op, int64_t result), void *ctx);
