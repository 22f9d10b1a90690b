#include "answer/answers.h"
#include "base/sums.h"
#include "launch/labels.h"
#include "launch/measured.h"
#include "launch/peaks.h"
#include "launch/shapes.h"
#include "trace/gpu_cards.h"

#include <math.h>
#include <string.h>

enum {
	SHORT_KERNEL_NS = 5000, /* if the mean kernel is shorter than this, its launch limits it */
	MANY_PCT = 1            /* a remark is made if kernels whose names contain a type of operands other than --type
				 * take at least this percentage of totals.shaped_ns */
};

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "time in the window") \
	X(KERNELS, "kernels", 'i', NULL, "kernels and whole graphs in the window") \
	X(GPU_NS, "gpu_ns", 'i', "ns", "time of these kernels and graphs") \
	X(MEASURED_PCT, "measured_pct", 'd', "%", "share of gpu_ns whose FLOPs are known") \
	X(FLOPS, "flops", 'i', NULL, "floating-point operations of the kernels whose FLOPs are known") \
	X(TOKENS_PER_S, "tokens_per_s", 'd', NULL, "tokens per second: those of --tokens over the window") \
	X(TFLOPS, "tflops", 'd', NULL, "10^12 FLOPs per second of gpu_ns; with --by window, of the window") \
	X(MFU_PCT, "mfu_pct", 'd', "%", "tflops as a share of the GPU's peak") \
	X(DRAM_BYTES, "dram_bytes", 'i', "bytes", "bytes that these kernels move to and from the GPU's memory; " \
	  "with --shapes, the least possible") \
	X(DRAM_PCT, "dram_pct", 'd', "%", "dram_bytes per second as a share of the memory's bandwidth") \
	X(INTENSITY, "intensity", 'd', NULL, "FLOPs per byte") \
	X(BOUND, "bound", 't', NULL, "what limits the kernels at best, by the roofline model: {mfu.bound} (launch: " \
	  "the mean kernel is shorter than 5 us)") \
	X(OCCUPANCY_PCT, "occupancy_pct", 'd', "%", "warps on an SM that works, as a share of those that fit there") \
	X(OCCUPANCY_MAX_PCT, "occupancy_max_pct", 'd', "%", "highest occupancy that registers, shared memory and " \
	  "blocks allow") \
	X(SM_PCT, "sm_pct", 'd', "%", "throughput of the busiest unit of the SMs, as a share of its peak") \
	X(DRAM_BUSY_PCT, "dram_busy_pct", 'd', "%", "throughput of the GPU's memory as a share of its peak, as " \
	  "Nsight Compute measured it") \
	X(REGISTERS, "registers", 'i', NULL, "registers of a thread") \
	X(STALL_PCT, "stall_pct", 'd', "%", "share of the reason in the next column in all waiting of warps") \
	X(STALL, "stall", 't', NULL, "what warps waited for most, as Nsight Compute calls it") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch") \
	X(NAME, "name", 't', NULL, "what the row is about: range (folded), stage, phase, kernel or operator")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void mfu_list_columns(const void *params, table *out)
{
	const mfu_params *p = params;

	if (p->mode == MFU_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, COL_LAUNCH, DUR_NS, FLOPS, TFLOPS, MFU_PCT,
			      DRAM_BYTES, DRAM_PCT, INTENSITY, BOUND, OCCUPANCY_PCT, OCCUPANCY_MAX_PCT, SM_PCT,
			      DRAM_BUSY_PCT, REGISTERS, STALL_PCT, STALL, NVTX, NAME);
		return;
	}
	table_columns(out, all_columns, KERNELS, GPU_NS, MEASURED_PCT, FLOPS,
		      p->tokens > 0 ? TOKENS_PER_S : 0, TFLOPS, MFU_PCT, DRAM_BYTES,
		      DRAM_PCT, INTENSITY, BOUND, p->by == MFU_BY_WINDOW ? 0 : NAME);
	table_sort(out, COL_GPU, false);
	table_sort(out, GPU_NS, true);
}

static bool mfu_is_by_range(const mfu_params *p)
{
	return p->by <= MFU_BY_PHASE;           /* true for --each, too, where `by` is 0 */
}

static question mfu_make_question(const void *params)
{
	const mfu_params *p = params;

	return (question){
		.need = TRACE_KERNELS | (p->ncu ? TRACE_SHAPE : 0) |
			(p->ncu || p->shapes || mfu_is_by_range(p) ? TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.warn_lost = true,
		.mention_graphs = p->ncu || p->shapes,
		.replayed = mfu_is_by_range(p) ? REPLAYED_KERNELS : 0,
		.captured = p->captured,
		.empty = "no kernel runs",
	};
}

typedef struct {                /* the peak rates of the GPU of a lane (trace_lane, trace.h); NAN: not known */
	double tflops, gbps;
} peak;

typedef struct {
	int64_t kernels;        /* the number of kernels and graphs */
	int64_t gpu_ns;         /* the time of all of them */
	int64_t measured_ns;    /* the time of those whose FLOPs are known */
	int64_t flops;          /* the sum of the FLOPs that are known */
	int64_t bytes;          /* the sum of the bytes that are known */
	bool bytes_known;       /* are the bytes of any kernel known? */
	bool lacks_bytes;       /* does a kernel with known FLOPs lack its bytes? */
} sum;

enum { ANY, FP4, FP8, BF16, FP16, TF32, FP32, FP64, TYPES };   /* types of operands: indices of mfu_types */
const char *const mfu_types[] = { "any", "fp4", "fp8", "bf16", "fp16", "tf32", "fp32", "fp64", NULL };
static const int type_bits[] = { 0, 4, 8, 16, 16, 32, 32, 64 };

typedef struct {                /* the kernels whose names contain one type of operands */
	int64_t ns;
	const char *name;       /* the name of one of them; NULL: there is none */
} typed_kernels;

typedef struct {
	int64_t v[NCU_TYPES];   /* by index in ncu_csv.types */
} flops_by_type;

typedef struct {                /* sums over the work of all windows */
	int64_t gpu_ns;         /* the time of all kernels and graphs */
	int64_t missing_ns;     /* the time of those that the CSV of --ncu does not have */
	int64_t ambiguous_ns;   /* the time of those whose measurements differ by over 5 % (measured_ambiguous) */
	int64_t in_order_ns;    /* the part of ambiguous_ns whose values come from matching launches in order, not
				 * from means (measured_has_counterpart) */
	int64_t shaped_ns;      /* the time of those whose FLOPs are known from the sizes in range names (--shapes) */
	typed_kernels typed[TYPES]; /* by the type that the name of the kernel contains; any type of 16 bits counts as
				     * BF16; ANY: the name contains none */
	sums missing;           /* by name: the time of kernels and graphs that the CSV does not have, an int64_t */
} totals;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const mfu_params *p;
	const around *around;   /* NULL: no column needs ranges */
	labels *labels;         /* the stages or phases of ranges; NULL: rows have neither */
	measured *measured;     /* NULL: there are no measurements */
	shapes *shapes;         /* NULL: --shapes is not given */
	peak *peaks;            /* by lane */
	bool *computes;         /* by lane: does it have kernels or graphs? */
	flops_by_type *types;   /* by lane: the measured FLOPs; NULL: there are no measurements */
	totals all;
} mfu_ctx;

/* The type of the operands that a kernel's name contains: the name is searched for each `part` in turn, and the first
 * one found decides.  ANY: none is found. */
static unsigned mfu_find_type(const char *name)
{
	static const struct {
		char part[16];
		unsigned type;
	} types[] = {
		{ "tf32", TF32 }, { "e4m3", FP8 }, { "e5m2", FP8 }, { "fp8", FP8 }, { "bf16", BF16 }, { "f16", BF16 },
		{ "fp16", BF16 }, { "hgemm", BF16 }, { "h884", BF16 }, { "h1688", BF16 }, { "h16816", BF16 },
		{ "sgemm", FP32 }, { "f32f32_f32f32", FP32 }, { "fp32", FP32 }, { "cutlassF_f32", FP32 },
		{ "cutlassB_f32", FP32 },
	};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strstr(name, types[i].part))
			return types[i].type;
	return ANY;
}

/* Add the time of a kernel whose FLOPs are known from sizes, under the type that its name contains. */
static void mfu_add_typed(const trace *t, totals *all, size_t work, int64_t dur)
{
	const char *name = str_at(&t->names, work_name(&t->work, work));
	typed_kernels *to = &all->typed[name ? mfu_find_type(name) : ANY];

	all->shaped_ns = ns_add(all->shaped_ns, dur);
	to->ns = ns_add(to->ns, dur);
	to->name = to->name ? to->name : name;
}

/* The bytes of this many elements; -1: the number overflows. */
static int64_t mfu_bytes_of(int64_t elements, int bits)
{
	int64_t n;

	return __builtin_mul_overflow(elements, bits, &n) ? -1 : n / 8;
}

/* Find the FLOPs of a piece of work and the bytes that it moves; either is negative if it is not known.  False if the
 * FLOPs are not known. */
static bool mfu_find_value(const mfu_ctx *x, size_t work, int64_t *flops, int64_t *bytes)
{
	const ncu_value *m = x->measured ? measured_of(x->measured, work) : NULL;
	const flops_value *s = x->shapes ? shapes_of(x->shapes, work) : NULL;

	*flops = m ? m->flops : s ? s->flops : -1;
	*bytes = m ? m->bytes : s && x->p->type ? mfu_bytes_of(s->elements, type_bits[x->p->type]) : -1;
	return *flops >= 0;
}

/* By lane: the measured FLOPs of each type.  The caller frees the array. */
static flops_by_type *mfu_sum_types(const mfu_ctx *x)
{
	const trace *t = x->a->t;
	flops_by_type *by_lane = mem_new(flops_by_type, t->nlanes);

	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++) {
			const ncu_value *v = measured_of(x->measured, i);
			for (size_t k = 0; v && k < x->p->ncu->types.n; k++)
				by_lane[l].v[k] = ns_add(by_lane[l].v[k], v->by_type[k]);
		}
	return by_lane;
}

/* The type with the most measured FLOPs in a process; NULL: it has none. */
static const char *mfu_find_main_type(const mfu_ctx *x, uint32_t proc)
{
	const trace *t = x->a->t;
	const ncu_csv *csv = x->p->ncu;
	flops_by_type all = { 0 };
	size_t best = 0, end;

	for (size_t l = trace_find_lanes(t, proc, &end); l < end; l++)
		for (size_t k = 0; k < csv->types.n; k++)
			all.v[k] = ns_add(all.v[k], x->types[l].v[k]);
	for (size_t k = 1; k < csv->types.n; k++)
		if (all.v[k] > all.v[best])
			best = k;
	return all.v[best] ? csv->types.v[best] : NULL;
}

/* Add the problem that the GPU is not known (gpu is NULL), or that its peak is not known.  Always false. */
static bool mfu_say_unknown(const mfu_ctx *x, const char *gpu, const char *type)
{
	if (!gpu)
		return notes_problem(x->a->say, EXIT_WRONG, "'%s' does not say which GPU it is from; give its peak "
				     "with --peak TFLOPS", x->a->t->path);
	return notes_problem(x->a->say, EXIT_WRONG, "the peak of '%s' for %s is not known; give it with --peak TFLOPS",
			     gpu, type ? type : "16-bit tensor operations");
}

/* Name the peak rates of a lane in a note, in case the user meant others.  Says nothing if an earlier lane has the same
 * rates.  Always true. */
static bool mfu_say_peak(mfu_ctx *x, const char *gpu, const char *type, const peak *of)
{
	for (size_t l = 0; l < x->a->t->nlanes; l++)
		if (&x->peaks[l] != of && x->peaks[l].tflops == of->tflops && x->peaks[l].gbps == of->gbps)
			return true;
	notes_remark(x->a->say, "the peak of '%s' is %g TFLOP/s (%s) and %g GB/s; --peak TFLOPS gives another", gpu,
		     of->tflops, type ? type : "16-bit tensor operations", of->gbps);
	return true;
}

/* Find the peak rates of a lane.  Measured FLOPs are compared with the rate of the type that most of them have, others
 * with the rate of --type or, without --type, of the tensor cores in 16 bits, the usual type of training.  False after
 * a problem. */
static bool mfu_find_peak(mfu_ctx *x, const trace_lane *lane, const gpu_model *model, peak *to)
{
	const char *gpu = str_at(&x->a->t->names, model->name);
	const char *type = x->measured ? mfu_find_main_type(x, lane->proc) : x->p->type ? mfu_types[x->p->type] : NULL;

	if (gpu)
		to->gbps = peaks_memory_gbps(gpu);
	if (isnan(to->gbps) && model->memory != TRACE_UNKNOWN)
		to->gbps = (double)model->memory / 1e9;
	if (x->p->peak > 0) {
		to->tflops = x->p->peak;
		return true;
	}
	if (x->measured && !type)
		return true;
	if (gpu)
		to->tflops = peaks_tflops(gpu, type ? type : "bf16");
	if (gpu && !type && isnan(to->tflops))
		to->tflops = peaks_tflops(gpu, "fp16");
	return isnan(to->tflops) ? mfu_say_unknown(x, gpu, type) : mfu_say_peak(x, gpu, type, to);
}

/* Does the lane have kernels or graphs, and does a window include it? */
static bool mfu_is_wanted_lane(const mfu_ctx *x, size_t lane)
{
	for (size_t i = 0; x->computes[lane] && i < x->a->all->n; i++)
		if (window_has_lane(&x->a->all->v[i], &x->a->t->lanes[lane]))
			return true;
	return false;
}

/* Find the peak rates of the lanes that the windows include, if rows show any FLOPs.  False after a problem. */
static bool mfu_find_peaks(mfu_ctx *x)
{
	trace *t = x->a->t;
	gpu_model *models = NULL;
	bool ok = true;

	x->peaks = mem_new(peak, t->nlanes);
	for (size_t l = 0; l < t->nlanes; l++)
		x->peaks[l] = (peak){ NAN, NAN };
	if (!x->measured && !x->shapes && !(x->p->flops > 0))
		return true;
	models = gpu_find_models(t);
	for (size_t l = 0; models && ok && l < t->nlanes; l++)
		ok = !mfu_is_wanted_lane(x, l) || mfu_find_peak(x, &t->lanes[l], &models[l], &x->peaks[l]);
	ok = ok && models;
	free(models);
	return ok;
}

static uint32_t mfu_label_of(const mfu_ctx *x, size_t work)
{
	trace *t = x->a->t;

	switch (x->p->by) {
	case MFU_BY_NVTX:
		return str_fold(&t->names, around_name(x->around, work));
	case MFU_BY_STAGE:
		return labels_of_work(x->labels, work);
	case MFU_BY_PHASE:
		return labels_of_work_by_rules(x->labels, work);
	case MFU_BY_NAME:
		return work_name(&t->work, work);
	case MFU_BY_SHAPE:
	case MFU_BY_OP:
		return shapes_label(x->shapes, work, x->p->by == MFU_BY_SHAPE);
	default:
		return STR_NONE;
	}
}

/* The part of a kernel's value that belongs to `dur` of its `whole` ns. */
static int64_t mfu_part_of(int64_t value, int64_t dur, int64_t whole)
{
	return dur == whole ? value : llround((double)value * ((double)dur / (double)whole));
}

static void mfu_add_kernel(mfu_ctx *x, sum *to, size_t work)
{
	totals *all = &x->all;
	const trace_work *w = &x->a->t->work;
	int64_t start = w->start[work], end = w->end[work], dur = ival_within(&x->a->w->gpu, start, end);
	int64_t flops, bytes;
	bool known;

	to->kernels++;
	to->gpu_ns = ns_add(to->gpu_ns, dur);
	all->gpu_ns = ns_add(all->gpu_ns, dur);
	if (x->measured && !measured_of(x->measured, work)) {
		int64_t *ns = sums_of(&all->missing, (int64_t[]){ work_name(w, work) });
		*ns = ns_add(*ns, dur);
		all->missing_ns = ns_add(all->missing_ns, dur);
	}
	known = mfu_find_value(x, work, &flops, &bytes);
	to->bytes_known |= bytes >= 0;
	if (bytes >= 0)
		to->bytes = ns_add(to->bytes, mfu_part_of(bytes, dur, end - start));
	if (!known)
		return;
	to->measured_ns = ns_add(to->measured_ns, dur);
	to->flops = ns_add(to->flops, mfu_part_of(flops, dur, end - start));
	to->lacks_bytes |= bytes < 0;
	if (x->shapes)
		mfu_add_typed(x->a->t, all, work, dur);
	if (x->measured && measured_ambiguous(x->measured, work)) {
		all->ambiguous_ns = ns_add(all->ambiguous_ns, dur);
		all->in_order_ns = ns_add(all->in_order_ns, measured_has_counterpart(x->measured, work) ? dur : 0);
	}
}

/* What limits the kernels, as the column bound says it; NULL: unknown.  By the roofline model, the memory limits them
 * if their FLOPs per byte are fewer than the peak FLOPs per byte of bandwidth. */
static const char *mfu_find_bound(const sum *s, const peak *of, double flops, bool bytes_known)
{
	if (s->kernels && s->gpu_ns / s->kernels < SHORT_KERNEL_NS)
		return "launch";
	if (isnan(flops) || !bytes_known || isnan(of->tflops) || isnan(of->gbps) || (flops <= 0 && s->bytes == 0))
		return NULL;
	return flops * of->gbps >= (double)s->bytes * of->tflops * 1e3 ? "compute" : "memory";
}

/* Set the columns about FLOPs, bytes and tokens, as far as these are known. time: the ns over which rates are taken. */
static void mfu_put_values(mfu_ctx *x, size_t lane, const sum *s, int64_t time)
{
	table *out = x->a->out;
	const peak *of = &x->peaks[lane];
	bool any = s->measured_ns > 0, bytes_known = s->bytes_known && !s->lacks_bytes;
	double tokens = x->p->tokens, given = fmin(9e18, tokens > 0 ? tokens * x->p->flops : x->p->flops);
	double flops = given > 0 ? given : any ? (double)s->flops : NAN, ns = time ? (double)time : NAN;

	if (!isnan(flops))
		table_int(out, FLOPS, llround(flops));
	table_num(out, TOKENS_PER_S, tokens > 0 ? tokens * 1e9 / ns : NAN);
	table_num(out, TFLOPS, flops / ns / 1e3);
	table_num(out, MFU_PCT, 100 * flops / ns / 1e3 / of->tflops);
	if (bytes_known) {
		table_int(out, DRAM_BYTES, s->bytes);
		table_num(out, DRAM_PCT, 100 * (double)s->bytes / ns / of->gbps);
		table_num(out, INTENSITY, s->bytes ? flops / (double)s->bytes : NAN);
	}
	table_word(out, BOUND, mfu_find_bound(s, of, flops, bytes_known));
}

static void mfu_add_row(mfu_ctx *x, size_t lane, uint32_t label, const sum *s)
{
	table *out = x->a->out;

	answer_add_row(x->a);
	table_int(out, COL_GPU, x->a->t->lanes[lane].gpu);
	table_int(out, KERNELS, s->kernels);
	table_int(out, GPU_NS, s->gpu_ns);
	if (!(x->p->flops > 0))
		table_pct(out, MEASURED_PCT, s->measured_ns, s->gpu_ns);
	mfu_put_values(x, lane, s, x->p->by == MFU_BY_WINDOW ? ival_length(&x->a->w->gpu) : s->gpu_ns);
	table_set_name(out, NAME, label);
}

static void mfu_put_ncu_values(mfu_ctx *x, const ncu_value *v)
{
	table *out = x->a->out;
	size_t n = x->p->ncu->stalls.n, most = 0;
	double all = 0;

	table_num(out, OCCUPANCY_PCT, (double)v->more[NCU_OCCUPANCY]);
	table_num(out, OCCUPANCY_MAX_PCT, (double)v->more[NCU_OCCUPANCY_MAX]);
	table_num(out, SM_PCT, (double)v->more[NCU_SM]);
	table_num(out, DRAM_BUSY_PCT, (double)v->more[NCU_DRAM]);
	if (!isnan(v->more[NCU_REGISTERS]))
		table_int(out, REGISTERS, llround((double)v->more[NCU_REGISTERS]));
	for (size_t i = 0; i < n; i++) {
		all += v->more[NCU_STALLS + i] > 0 ? (double)v->more[NCU_STALLS + i] : 0;
		if (isnan(v->more[NCU_STALLS + most]) || v->more[NCU_STALLS + i] > v->more[NCU_STALLS + most])
			most = i;
	}
	if (all > 0) {
		table_num(out, STALL_PCT, 100 * (double)v->more[NCU_STALLS + most] / all);
		table_word(out, STALL, x->p->ncu->stalls.v[most]);
	}
}

static void mfu_add_kernel_row(mfu_ctx *x, size_t lane, size_t work)
{
	table *out = x->a->out;
	const ncu_value *v = x->measured ? measured_of(x->measured, work) : NULL;
	sum s = { 0 };

	mfu_add_kernel(x, &s, work);
	answer_add_row_of_work(x->a, work);
	table_int(out, DUR_NS, s.gpu_ns);
	mfu_put_values(x, lane, &s, s.gpu_ns);
	if (v)
		mfu_put_ncu_values(x, v);
	table_set_name(out, NVTX, around_name(x->around, work));
	table_set_name(out, NAME, work_name(&x->a->t->work, work));
}

/* Sum the kernels and graphs of the window by lane and label.  `by` may already hold keys; they get a row even if they
 * have no work. */
static void mfu_sum_kernels(mfu_ctx *x, sums *by)
{
	const trace *t = x->a->t;

	for (window_walk k = { 0 }; window_next(t, x->a->w, &k);)
		if (t->work.kind[k.work] <= WORK_GRAPH)
			mfu_add_kernel(x, sums_of(by, (int64_t[]){ (int64_t)k.lane, mfu_label_of(x, k.work) }), k.work);
}

static void mfu_add_kernel_rows(mfu_ctx *x)
{
	trace *t = x->a->t;

	for (window_walk k = { 0 }; window_next(t, x->a->w, &k);)
		if (t->work.kind[k.work] <= WORK_GRAPH)
			mfu_add_kernel_row(x, k.lane, k.work);
}

static void mfu_add_window_rows(mfu_ctx *x)
{
	const trace *t = x->a->t;
	sums by = sums_by(2, sizeof(sum));

	for (size_t l = 0; x->p->by == MFU_BY_WINDOW && l < t->nlanes; l++)
		if (x->computes[l] && window_has_lane(x->a->w, &t->lanes[l]))
			sums_of(&by, (int64_t[]){ (int64_t)l, STR_NONE });
	mfu_sum_kernels(x, &by);
	for (size_t i = 0; i < by.g.n; i++)
		mfu_add_row(x, (size_t)sums_key(&by, i)[0], (uint32_t)sums_key(&by, i)[1], sums_at(sum, &by, i));
	sums_free(&by);
}

static bool mfu_load_values(mfu_ctx *x)
{
	const mfu_params *p = x->p;
	trace *t = x->a->t;

	x->computes = mem_new(bool, t->nlanes);
	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; !x->computes[l] && i < t->lanes[l].first + t->lanes[l].n; i++)
			x->computes[l] = t->work.kind[i] <= WORK_GRAPH;
	if (p->ncu || mfu_is_by_range(p))
		x->around = around_of(t, around_flags(p->adopt, p->captured));
	if (p->by == MFU_BY_STAGE || p->by == MFU_BY_PHASE)
		x->labels = labels_build(x->around, p->by == MFU_BY_STAGE ? p->stages : p->phases);
	if (p->ncu)
		x->measured = measured_build(t, projection_on(t, -1), x->around, p->ncu);
	if (x->measured)
		x->types = mfu_sum_types(x);
	if (p->shapes)
		x->shapes = shapes_build(t, around_of(t, around_flags(false, p->captured)));
	if (p->shapes && !x->shapes)
		return notes_problem(x->a->say, EXIT_CANNOT, "no range of '%s' has sizes in its name; run "
				     "PyTorch's steps in torch.autograd.profiler.emit_nvtx(record_shapes=True) under "
				     "nsys profile --trace=cuda,nvtx, record with torch.profiler's record_shapes=True, "
				     "or give --ncu RAW.csv", t->path);
	return mfu_find_peaks(x);
}

static void mfu_free_values(mfu_ctx *x)
{
	if (x->measured)
		measured_free(x->measured);
	shapes_free(x->shapes);
	if (x->labels)
		labels_free(x->labels);
	sums_free(&x->all.missing);
	mem_free(x->peaks, x->computes, x->types);
}

static double mfu_pct_of(int64_t part, int64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* If the CSV lacks kernels with over half of the GPU time in the windows, warn, and name the one with the most time. */
static void mfu_say_missing(const mfu_ctx *x)
{
	const str_pool *names = &x->a->t->names;
	uint32_t longest = STR_NONE;
	int64_t most = -1;

	for (size_t i = 0; i < x->all.missing.g.n; i++) {
		uint32_t name = (uint32_t)*sums_key(&x->all.missing, i);
		int64_t ns = *sums_at(int64_t, &x->all.missing, i);
		if (name != STR_NONE && (ns > most || (ns == most && str_cmp(names, name, longest) < 0))) {
			most = ns;
			longest = name;
		}
	}
	if (longest != STR_NONE && x->all.missing_ns > x->all.gpu_ns - x->all.missing_ns)
		notes_warn(x->a->say, "the CSV covers %.2f %% of the GPU time in '%s'; it has no launch like '%s' "
			   "(%.2f %%)", mfu_pct_of(x->all.gpu_ns - x->all.missing_ns, x->all.gpu_ns), x->a->t->path,
			   str_at(names, longest), mfu_pct_of(most, x->all.gpu_ns));
}

/* All rows share the peak of one type, that of --type.  If kernels whose names contain another type take much of the
 * time, mention that type and their share. */
static void mfu_say_types(const mfu_ctx *x)
{
	unsigned wanted = x->p->type == ANY || x->p->type == FP16 ? BF16 : x->p->type, most = wanted;

	for (unsigned k = ANY + 1; k < TYPES; k++)
		if (k != wanted && x->all.typed[k].ns > (most == wanted ? 0 : x->all.typed[most].ns))
			most = k;
	if (most == wanted || x->p->peak > 0 || mfu_pct_of(x->all.typed[most].ns, x->all.shaped_ns) < MANY_PCT)
		return;
	notes_remark(x->a->say, "%.1f %% of the time of products in '%s' is in %s kernels such as '%s'; --type %s "
		     "gives their peak", mfu_pct_of(x->all.typed[most].ns, x->all.shaped_ns), x->a->t->path,
		     most == BF16 ? "16 bits" : mfu_types[most], x->all.typed[most].name, mfu_types[most]);
}

static void mfu_say_notes(const mfu_ctx *x)
{
	const char *path = x->a->t->path;

	if (!x->measured && !x->shapes && !(x->p->flops > 0) && x->a->all->n)
		notes_answer(x->a->say, "no FLOPs are known for '%s'; give --shapes, --ncu RAW.csv, or --flops N "
			     "with --by window", path);
	if (x->all.ambiguous_ns)
		notes_remark(x->a->say, "%.2f %% of the GPU time in '%s' was measured over 5 %% apart: %.2f %% "
			     "matched by order, else means", mfu_pct_of(x->all.ambiguous_ns, x->all.gpu_ns), path,
			     mfu_pct_of(x->all.in_order_ns, x->all.ambiguous_ns));
	if (x->measured)
		mfu_say_missing(x);
	mfu_say_types(x);
}

static bool mfu_add_rows(answer_ctx *a, const void *params)
{
	mfu_ctx x = { .a = a, .p = params, .all.missing = sums_by(1, sizeof(int64_t)) };
	bool ok = mfu_load_values(&x);

	while (ok && answer_next_window(a))
		if (x.p->mode == MFU_EACH)
			mfu_add_kernel_rows(&x);
		else
			mfu_add_window_rows(&x);
	if (ok)
		mfu_say_notes(&x);
	mfu_free_values(&x);
	return ok;
}

const answer mfu_answer = {
	.all = all_columns, .columns = mfu_list_columns, .question = mfu_make_question, .rows = mfu_add_rows
};
