#include "launch/kernel_shape.h"

#include <math.h>
#include <stdlib.h>

/* The product of the numbers in a text such as 128x1x1.  A damaged trace may say anything: with a number below 1, the
 * product is TRACE_UNKNOWN, and a product that is too large is INT64_MAX. */
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

int64_t kernel_shape_blocks(const trace *t, const work_type *type)
{
	return kernel_shape_product(t, type->grid);
}

int64_t kernel_shape_threads(const trace *t, const work_type *type)
{
	return kernel_shape_product(t, type->block);
}

/* Limits of a multiprocessor that traces do not have, by compute capability, from the oldest on.  They are those of
 * CUDA's occupancy calculator (cuda_occupancy.h), and of the programming guide's table of technical specifications. */
typedef struct {
	int64_t capability;     /* 10 * major + minor; the row is for this capability and later ones, up to the next
				 * row */
	int64_t partitions;     /* parts of a multiprocessor, each with its own share of the registers */
	int64_t register_unit;  /* a warp gets a multiple of this many registers */
	int64_t shared_unit;    /* a block gets a multiple of this many bytes of shared memory */
	int64_t shared_own;     /* bytes of shared memory that the system adds to each block */
	int64_t blocks;         /* the most blocks that a multiprocessor holds, if the trace does not say */
} kernel_shape_limits;

static const kernel_shape_limits kernel_shape_all_limits[] = {
	{ 30, 4, 256, 256, 0, 16 }, { 50, 4, 256, 256, 0, 32 }, { 60, 2, 256, 256, 0, 32 }, { 61, 4, 256, 256, 0, 32 },
	{ 75, 4, 256, 256, 0, 16 }, { 80, 4, 256, 128, 1024, 32 }, { 86, 4, 256, 128, 1024, 16 },
	{ 89, 4, 256, 128, 1024, 24 }, { 90, 4, 256, 128, 1024, 32 }, { 110, 4, 256, 128, 1024, 24 },
};

/* The limits for a capability; NULL: it is unknown or too old. */
static const kernel_shape_limits *kernel_shape_limits_of(int64_t capability)
{
	const kernel_shape_limits *found = NULL;

	for (size_t i = 0; i < sizeof kernel_shape_all_limits / sizeof *kernel_shape_all_limits; i++)
		found = kernel_shape_all_limits[i].capability <= capability ? &kernel_shape_all_limits[i] : found;
	return found;
}

static int64_t kernel_shape_round_up(int64_t n, int64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* The number of blocks that a multiprocessor holds, if a block has `warps` warps; 0: unknown, or not even one fits.
 * *limit: what limits this number; unset if it is unknown. */
static int64_t kernel_shape_fit_blocks(const work_type *type, int64_t warps, const gpu_limits *gpu, const char **limit)
{
	enum { WARP = 32, MOST_REGISTERS = 1 << 16, MOST_SHARED = 1 << 30 };
	static const char *const why[] = { "threads", "blocks", "registers", "shared" };
	const kernel_shape_limits *u = kernel_shape_limits_of(gpu->capability);
	int64_t fit[] = { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX }, shared, registers;
	int least = 0;

	if (!u || gpu->warps < 1 || gpu->registers < 1 || gpu->shared < 1 || warps < 1 || type->registers < 0 ||
	    type->registers > MOST_REGISTERS || type->shared < 0 || type->shared > MOST_SHARED)
		return 0;
	shared = kernel_shape_round_up(type->shared + u->shared_own, u->shared_unit);
	registers = kernel_shape_round_up(type->registers * WARP, u->register_unit);
	fit[0] = gpu->warps / warps;
	fit[1] = gpu->blocks > 0 ? gpu->blocks : u->blocks;
	if (registers)
		fit[2] = gpu->registers / u->partitions / registers * u->partitions / warps;
	if (shared)
		fit[3] = gpu->shared / shared;
	for (int i = 1; i < 4; i++)
		least = fit[i] < fit[least] ? i : least;
	*limit = why[least];
	return fit[least];
}

kernel_shape_fit kernel_shape_compute_fit(const trace *t, const work_type *type, const gpu_model *gpu)
{
	int64_t threads = kernel_shape_threads(t, type), blocks = kernel_shape_blocks(t, type);
	int64_t warps = threads / 32 + (threads % 32 > 0), at_once;
	kernel_shape_fit fit = { NAN, NAN, NAN, NULL };
	int64_t resident = kernel_shape_fit_blocks(type, warps, &gpu->limits, &fit.limit);

	if (!resident)
		return (kernel_shape_fit){ NAN, NAN, NAN, NULL };
	fit.occupancy_pct = 100.0 * (double)(resident * warps) / (double)gpu->limits.warps;
	if (blocks < 1 || gpu->multiprocessors < 1 || __builtin_mul_overflow(resident, gpu->multiprocessors, &at_once))
		return fit;
	fit.waves = (double)blocks / (double)at_once;
	fit.tail_pct = blocks % at_once ? 100.0 * (1 - (double)(blocks % at_once) / (double)at_once) : 0;
	return fit;
}

static void *kernel_shape_read_gpus(trace *t, int64_t unused UNNEEDED)
{
	gpu_model *models = gpu_find_models(t);
	int64_t *count = mem_new(int64_t, t->nlanes + 1);

	for (size_t l = 0; l < t->nlanes; l++)
		count[l] = models ? models[l].multiprocessors : TRACE_UNKNOWN;
	free(models);
	return count;
}

const int64_t *kernel_shape_multiprocessors(trace *t)
{
	return trace_keep(t, kernel_shape_read_gpus, 0, free);
}
