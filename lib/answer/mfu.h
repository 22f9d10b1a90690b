/*
 * mfu - how much of the GPU's peak is used?
 *
 *     mfu_params p = { .mode = MFU_SUMS, .by = MFU_BY_WINDOW, .flops = 1.5e12 };
 *     table answer = { 0 };
 *     answer_rows(&mfu_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef MFU_H
#define MFU_H

#include "answer/question.h"
#include "trace/rules.h"
#include "trace/ncu_csv.h"

enum { MFU_SUMS = 1, MFU_EACH = 2 };
enum { MFU_BY_NVTX, MFU_BY_STAGE, MFU_BY_PHASE, MFU_BY_NAME, MFU_BY_WINDOW, MFU_BY_SHAPE, MFU_BY_OP };

typedef struct {
	unsigned mode;          /* MFU_SUMS or MFU_EACH */
	unsigned by;            /* MFU_BY_...: what a row of the sums is about */
	const ncu_csv *ncu;     /* what Nsight Compute measured, or NULL */
	bool shapes;            /* instead: FLOPs by the sizes in the names of ranges; MFU_BY_SHAPE and _OP need it */
	unsigned type;          /* of the operands, for shapes and flops: one of mfu_types; 0: not known */
	double flops;           /* instead, with MFU_BY_WINDOW: model FLOPs in each window; 0: not given */
	double peak;            /* TFLOP/s; 0: that of the GPU's data sheet */
	const rules *stages;    /* for MFU_BY_STAGE */
	const rules *phases;    /* for MFU_BY_PHASE */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
} mfu_params;

extern const answer mfu_answer;
extern const char *const mfu_types[];    /* "any", then fp4, fp8, ..., NULL */

#endif
