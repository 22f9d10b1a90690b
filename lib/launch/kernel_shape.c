#include "launch/kernel_shape.h"
#include "trace/gpu_cards.h"

#include <stdlib.h>

/* The product of 128x1x1.  A trace may say anything: it is at most what a number holds, and none is below 1. */
static int64_t kernel_shape_product(const trace *t, uint32_t text)
{
	int64_t n = 1;
	char *end;

	if (text == STR_NONE)
		return TRACE_UNKNOWN;
	for (const char *s = str_at(&t->names, text); *s; s = *end ? end + 1 : end) {
		int64_t side = strtoll(s, &end, 10);
		if (side < 1)
			return TRACE_UNKNOWN;
		if (__builtin_mul_overflow(n, side, &n))
			return INT64_MAX;
	}
	return n;
}

int64_t kernel_shape_blocks(const trace *t, const trace_what *what)
{
	return kernel_shape_product(t, what->grid);
}

int64_t kernel_shape_threads(const trace *t, const trace_what *what)
{
	return kernel_shape_product(t, what->block);
}

static void *kernel_shape_read_gpus(trace *t, int64_t unused UNNEEDED)
{
	gpu_model *models = gpu_models(t);
	int64_t *of = mem_new(int64_t, t->nlanes + 1);

	for (size_t l = 0; l < t->nlanes; l++)
		of[l] = models ? models[l].multiprocessors : TRACE_UNKNOWN;
	free(models);
	return of;
}

const int64_t *kernel_shape_multiprocessors(trace *t)
{
	return trace_keep(t, kernel_shape_read_gpus, 0, free);
}
