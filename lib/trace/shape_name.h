/*
 * shape_name - the operator and the sizes that the name of a range holds.
 *
 *     shape_op op;
 *     if (shape_name_read("aten::mm, op_id = 8, sizes = [[2048, 512], [512, 1376]]", &op))
 *         printf("%.*s: %lld rows\n", (int)op.len, op.name, (long long)op.arg[0].dim[0]);    // aten::mm: 2048 rows
 *
 * Two forms are known: PyTorch's emit_nvtx(record_shapes=True), whose operators are numbered and name those that made
 * their inputs, and the hooks on modules that vLLM, SGLang and TensorRT-LLM share, {'Module': 'model.fc',
 * 'TrainableParams': {'weight': [8, 4]}, 'Inputs': [[2, 4]]}, which is read as an operator "Module': 'model.fc" with
 * two arguments, its input and its weight.  What a name that was cut off still holds whole is read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHAPE_DIMS = 8, SHAPE_ARGS = 8 };        /* more are not looked at */

typedef struct {
	int64_t dim[SHAPE_DIMS];
	int n;                  /* how many; 0: a scalar, or no tensor; more than SHAPE_DIMS: not known */
} shape;

typedef struct {
	const char *name;       /* of the operator, in the name of the range */
	size_t len;
	int64_t id;             /* -1: it has no number */
	shape arg[SHAPE_ARGS];
	int n;                  /* how many arguments are known */
} shape_op;

/* False: it holds no sizes. */
bool shape_name_read(const char *name, shape_op *to);

/* Call f for each of the first SHAPE_ARGS arguments that another operator made: its number, and which of its results
 * the argument is. */
void shape_name_inputs(const char *name, void (*f)(void *ctx, int arg, int64_t op, int64_t result), void *ctx);
