#include "answer/answers.h"
#include "base/name_match.h"
#include "base/sums.h"
#include "launch/call_sources.h"
#include "launch/kernel_shape.h"
#include "launch/range_tree.h"
#include "step/owners.h"
#include "trace/load_work.h"
#include "trace/manifest.h"

#include <math.h>

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "time in the window") \
	X(COUNT, "count", 'i', NULL, "kernels in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "total time of these kernels") \
	X(PCT, "pct", 'd', "%", "share of the total time of all rows of the window") \
	X(ELAPSED_NS, "elapsed_ns", 'i', "ns", "time that no earlier work of the same process and GPU covers; " \
	  "without -m, it adds up to the time in which such work runs; for non-gpu, the rest of --wall") \
	X(MEAN_NS, "mean_ns", 'i', "ns", "mean time of a kernel") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of a kernel") \
	X(P90_NS, "p90_ns", 'i', "ns", "90th percentile of the same") \
	X(P99_NS, "p99_ns", 'i', "ns", "99th percentile of the same") \
	X(MIN_NS, "min_ns", 'i', "ns", "shortest time of a kernel") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time of a kernel") \
	X(BLOCKS, "blocks", 'i', NULL, "blocks of the grid") \
	X(SMS, "sms", 'i', NULL, "multiprocessors of the GPU") \
	X(WAVES, "waves", 'd', NULL, "blocks of the grid over the blocks that the GPU can hold at once") \
	X(TAIL_PCT, "tail_pct", 'd', "%", "part of the last wave that stays empty") \
	X(OCCUPANCY_PCT, "occupancy_pct", 'd', "%", "theoretical occupancy: warps that fit a multiprocessor, as a " \
	  "share of those that it can hold") \
	X(REGISTERS, "registers", 'i', NULL, "registers that a thread uses") \
	X(SHARED_BYTES, "shared_bytes", 'i', "bytes", "shared memory of a block, static and dynamic") \
	X(LIMIT, "limit", 't', NULL, "what keeps more blocks off a multiprocessor: threads blocks registers shared") \
	X(CLASS, "class", 't', NULL, "class of the work: compute comm graph (a whole graph) copy; wall: the row of " \
	  "--wall") \
	X(OWNER, "owner", 't', NULL, "owner as in nsq-ledger, as far as the kernel's name tells: {owner " \
	  "matmul..compute} comm copy (nsq help words owner)") \
	X(CATEGORY, "category", 't', NULL, "label by the rules for categories (--categories)") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch (folded unless --each)") \
	X(PATH, "path", 't', NULL, "all ranges around the launch, outermost first (a > b > c), folded") \
	X(SOURCE, "source", 't', NULL, "function of the program that launched the kernel, by the call chain") \
	X(GRID, "grid", 't', NULL, "blocks in the grid, XxYxZ") \
	X(BLOCK, "block", 't', NULL, "threads in a block, XxYxZ") \
	X(NAME, "name", 't', NULL, "name of the kernel")

/* Columns that the SQL table `kernels` has besides those of --each. */
#define DETAILS(X) \
	X(FULL, "full", 't', NULL, "demangled name, with template arguments")

enum { TABLE_IDS(COLUMNS) DETAILS(TABLE_ID) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };
static const table_col columns_with_details[] = { COLUMNS(TABLE_COL) DETAILS(TABLE_COL) };

unsigned kernels_keys(const kernels_params *p)
{
	unsigned keys = p->keys | (p->categories ? KERNELS_BY_CATEGORY : 0);

	if (p->shape)
		keys |= KERNELS_BY_NAME | KERNELS_BY_GRID | KERNELS_BY_BLOCK;
	return keys ? keys : KERNELS_BY_NAME;
}

static void kernels_list_columns(const void *params, table *out)
{
	const kernels_params *p = params;
	unsigned keys = kernels_keys(p);
	bool by_stream = keys & KERNELS_BY_STREAM, by_name = keys & KERNELS_BY_NAME;

	if (p->mode == KERNELS_EACH) {
		table_columns(out, columns_with_details, COL_CTX, COL_STREAM, COL_LAUNCH, DUR_NS, CLASS, NVTX, NAME,
			      p->details ? GRID : 0, p->details ? BLOCK : 0, p->details ? FULL : 0);
		return;
	}
	table_columns(out, all_columns, by_stream ? COL_CTX : 0, by_stream ? COL_STREAM : 0, COUNT, TOTAL_NS,
		      PCT, ELAPSED_NS, MEAN_NS, P50_NS, P90_NS, P99_NS, MIN_NS, MAX_NS, p->shape ? BLOCKS : 0,
		      p->shape ? SMS : 0, p->shape ? WAVES : 0, p->shape ? TAIL_PCT : 0, p->shape ? OCCUPANCY_PCT : 0,
		      p->shape ? REGISTERS : 0, p->shape ? SHARED_BYTES : 0, p->shape ? LIMIT : 0, by_name ? CLASS : 0,
		      keys & KERNELS_BY_OWNER ? OWNER : 0, keys & KERNELS_BY_CATEGORY ? CATEGORY : 0,
		      keys & KERNELS_BY_NVTX ? NVTX : 0, keys & KERNELS_BY_PATH ? PATH : 0,
		      keys & KERNELS_BY_SOURCE ? SOURCE : 0, keys & KERNELS_BY_GRID ? GRID : 0,
		      keys & KERNELS_BY_BLOCK ? BLOCK : 0, by_name ? NAME : 0);
	table_sort(out, TOTAL_NS, true);
}

static bool kernels_is_by_shape(const kernels_params *p)
{
	return p->mode == KERNELS_SUMS && kernels_keys(p) & (KERNELS_BY_GRID | KERNELS_BY_BLOCK);
}

static bool kernels_needs_ranges(const kernels_params *p)
{
	return p->mode == KERNELS_EACH ? !p->no_launches :
		kernels_keys(p) & (KERNELS_BY_NVTX | KERNELS_BY_PATH);
}

/* Add the names that -m may match.  Only short names are suggested. */
static void kernels_add_names(trace *t, question_names *to)
{
	bool *seen = mem_new(bool, t->names.n), go_on = true;

	for (size_t i = 0; go_on && i < t->work.types.n; i++) {
		const work_type *what = &t->work.types.v[i];
		const uint32_t names[] = { what->name, what->full };
		for (int k = 0; go_on && k < 2; k++)
			if (names[k] != STR_NONE && !seen[names[k]]) {
				seen[names[k]] = true;
				go_on = question_match(to, str_at(&t->names, names[k]), str_at(&t->names, what->name));
			}
	}
	free(seen);
}

/* Are rows summed by short name, so that a row may sum kernels with different full names? */
static bool kernels_may_be_mixed(const kernels_params *p)
{
	return p->mode == KERNELS_SUMS && kernels_keys(p) & KERNELS_BY_NAME && !p->full;
}

static question kernels_make_question(const void *params)
{
	const kernels_params *p = params;

	bool by_source = p->mode != KERNELS_EACH && kernels_keys(p) & KERNELS_BY_SOURCE;

	return (question){
		.need = TRACE_KERNELS | (by_source ? TRACE_LAUNCH | TRACE_CALL_CHAINS : 0) |
			(p->copies ? TRACE_COPIES : 0) |
			(p->full || p->match || p->categories || p->demangled || kernels_may_be_mixed(p) ||
			 p->keys & KERNELS_BY_OWNER ? TRACE_FULL : 0) |
			(p->shapes || kernels_is_by_shape(p) ? TRACE_SHAPE : 0) | (p->shape ? TRACE_RESOURCES : 0) |
			(kernels_needs_ranges(p) ? TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA | (by_source ? MUST_CHAINS : 0),
		.scope = WINDOW_TRACE,
		.match = p->match,
		.names = kernels_add_names,
		.named = "kernel",
		.comm = p->comm,
		.warn_lost = true,
		.replayed = !kernels_needs_ranges(p) ? 0 : REPLAYED_KERNELS | (p->copies ? REPLAYED_COPIES : 0),
		.captured = p->captured,
		.empty = p->match ? "no kernel has such a name" : "no kernel runs",
	};
}

typedef struct {
	int64_t elapsed;        /* see the column elapsed_ns */
	size_t last;            /* the piece of work that was added last */
	uint32_t lane;          /* the lane of that piece (trace_lane, trace.h): an index into trace.lanes */
} sum;

typedef struct {                /* a row of --wall */
	uint32_t proc;          /* NONE: all */
	int64_t gpu;            /* -1: all */
	int64_t rest;           /* the time of the run in which a lane has no work, summed over the lanes of this row,
				 * ns */
} wall_sum;

enum { NOT_LOOKED_UP = STR_NONE - 1 };
enum {
	DIFFERENT = 4,          /* a row may sum different kernels if its longest kernel takes this many times as long
				 * as its shortest; it does if the mean times of its full names differ as much */
	VERY_DIFFERENT = 10     /* the kernels of a row differ much if their 90th percentile is this many times as long
				 * as their median */
};

typedef struct {                /* the row with the most time so far among those that may sum different kernels */
	uint32_t name;          /* the short name of its kernels; valid if times.total is not 0 */
	double pct;             /* its share of the time of all rows of its window */
	stats_summary times;
	const window *w;        /* its window */
} large_row;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const kernels_params *p;
	unsigned keys;
	const around *around;   /* NULL: no column needs ranges */
	range_tree tree;                /* built if rows have paths */
	uint32_t *path;                 /* by node of the tree: its path, a string; STR_NONE: no range; or
					 * NOT_LOOKED_UP */
	arena texts;
	uint32_t *shape;                /* by type of work: the number of its shape; NULL: rows are not by shape */
	gpu_model *gpus;                /* by lane: its GPU; NULL: rows do not show how shapes fit the GPU, or the GPUs
					 * could not be read */
	const call_sources *sources;    /* NULL: the answer has no sources */
	call_sources_times sourced;     /* the time with and without a source, for a note */
	uint32_t *category;     /* by full name, a string: its category, or NOT_LOOKED_UP; NULL: rows have none */
	name_match matches;
	large_row mixed;        /* the largest row for kernels_mention_mixed */

	bool walled;            /* is --wall or --wall-in given, so that the answer has rows of --wall? */
	int64_t wall;           /* how long the run took, ns; 0: each window counts as a run of its own length */
	vec(wall_sum) walls;    /* the rows of --wall in the current window */
} kernels_ctx;

typedef struct {                /* the sums of a window, and the lane that is being added to them */
	kernels_ctx *x;
	sums by;
	const trace_lane *lane;
	int64_t covered;        /* the latest end of the lane's work so far */
	int64_t busy;           /* with --wall: the time in the window in which the lane works, ns */
	size_t pieces;          /* the number of the lane's pieces of work in the window, also those whose names do not
				 * match */
} lane_walk;

static uint32_t kernels_category_of(kernels_ctx *x, size_t i)
{
	str_pool *names = &x->a->t->names;
	uint32_t name = work_full(&x->a->t->work, i);

	if (name == STR_NONE)
		return STR_NONE;
	if (x->category[name] == NOT_LOOKED_UP)
		x->category[name] = rules_label_work(x->p->categories, str_at(names, name), trace_is_comm(x->a->t, i),
						     names);
	return x->category[name];
}

static uint32_t kernels_name_of(const kernels_ctx *x, size_t i)
{
	return x->p->full ? work_full(&x->a->t->work, i) : work_name(&x->a->t->work, i);
}

static bool kernels_matches_name(kernels_ctx *x, size_t i)
{
	return name_match_of(&x->matches, work_name(&x->a->t->work, i)) ||
		name_match_of(&x->matches, work_full(&x->a->t->work, i));
}

/* The path of the ranges around a piece of work, as nsq-nvtx --tree writes it; STR_NONE: no range.  The path of a copy
 * or set lacks the ranges around the capture of its graph node, because the tree has these only for kernels and
 * graphs. */
static uint32_t kernels_path_of(kernels_ctx *x, size_t i)
{
	const range_tree *tree = &x->tree;
	around_walk at = around_work(x->around, i);
	uint32_t node;

	if (tree->of_work && x->a->t->work.kind[i] <= WORK_GRAPH) {
		node = tree->of_work[i];
	} else {
		while (at.captured)
			around_next(x->around, &at);
		node = at.range == NONE ? tree->none : tree->of_range[at.range];
	}
	if (x->path[node] == NOT_LOOKED_UP) {
		const char *text = range_tree_path(tree, x->a->t, node, &x->texts);
		x->path[node] = str_id(&x->a->t->names, text, strlen(text));
	}
	return x->path[node];
}

static void kernels_build_tree(kernels_ctx *x)
{
	x->tree = range_tree_build(x->around, true);
	x->path = mem_new(uint32_t, x->tree.n);
	for (size_t i = 0; i < x->tree.n; i++)
		x->path[i] = i == x->tree.none ? STR_NONE : NOT_LOOKED_UP;
}

/* Number the shapes (x->shape), and find the GPUs that they must fit (x->gpus).  Two types of work have the same shape
 * if they agree in the grid, block and resources that rows show. */
static void kernels_number_shapes(kernels_ctx *x)
{
	const trace_work *w = &x->a->t->work;
	group shapes = { .width = 4 };

	x->shape = mem_new(uint32_t, w->types.n);
	for (size_t i = 0; i < w->types.n; i++) {
		const work_type *what = &w->types.v[i];
		x->shape[i] = (uint32_t)group_of(&shapes, (int64_t[]){
			x->keys & KERNELS_BY_GRID ? what->grid : STR_NONE,
			x->keys & KERNELS_BY_BLOCK ? what->block : STR_NONE,
			x->p->shape ? what->registers : 0, x->p->shape ? what->shared : 0 });
	}
	group_free(&shapes);
	x->gpus = x->p->shape ? gpu_find_models(x->a->t) : NULL;
}

static void kernels_set_shape_cells(kernels_ctx *x, const sum *s)
{
	const trace *t = x->a->t;
	table *out = x->a->out;
	const work_type *what = &t->work.types.v[t->work.type[s->last]];
	kernel_shape_fit fit;

	if (x->keys & KERNELS_BY_GRID)
		table_set_name(out, GRID, what->grid);
	if (x->keys & KERNELS_BY_BLOCK)
		table_set_name(out, BLOCK, what->block);
	if (!x->gpus || t->work.kind[s->last] != WORK_KERNEL)
		return;
	fit = kernel_shape_compute_fit(t, what, &x->gpus[s->lane]);
	table_int(out, BLOCKS, kernel_shape_blocks(t, what));
	table_int(out, SMS, x->gpus[s->lane].multiprocessors);
	table_num(out, WAVES, fit.waves);
	table_num(out, TAIL_PCT, fit.tail_pct);
	table_num(out, OCCUPANCY_PCT, fit.occupancy_pct);
	table_int(out, REGISTERS, what->registers);
	table_int(out, SHARED_BYTES, what->shared);
	table_word(out, LIMIT, fit.limit);
}

static void kernels_add_kernel_row(kernels_ctx *x, size_t i)
{
	const trace *t = x->a->t;
	table *out = x->a->out;

	answer_add_row_of_work(x->a, i);
	table_int(out, DUR_NS, ival_within(&x->a->w->gpu, t->work.start[i], t->work.end[i]));
	table_word(out, CLASS, work_class(t, i));
	if (x->around)
		table_set_name(out, NVTX, around_name(x->around, i));
	table_set_name(out, NAME, kernels_name_of(x, i));
	table_set_name(out, GRID, work_grid(&t->work, i));
	table_set_name(out, BLOCK, work_block(&t->work, i));
	table_set_name(out, FULL, work_full(&t->work, i));
}

/* Remember a row if it may sum different kernels, has at least MUCH_PCT of the time, and has more time than the one
 * remembered so far.  Communication kernels are left out, because their times differ by how long they wait. work: any
 * piece of work of the row. total: the time of all rows of the window, ns. */
static void kernels_remember_mixed(kernels_ctx *x, uint32_t name, size_t work, const stats_summary *times,
				   int64_t total)
{
	enum { MUCH_PCT = 10 };
	double pct = total ? 100.0 * (double)times->total / (double)total : 0;

	if (kernels_may_be_mixed(x->p) && pct >= MUCH_PCT && times->max / DIFFERENT >= times->min &&
	    times->total > x->mixed.times.total && x->a->t->work.kind[work] == WORK_KERNEL &&
	    !trace_is_comm(x->a->t, work))
		x->mixed = (large_row){ name, pct, *times, x->a->w };
}

/* KEY_A_B packs the values A and B into one number, because a shorter key is found faster.  KEY_CLASS_PROC also packs
 * the owner.  KEY_PLACE is the stream, the GPU or the name of its model, whichever tells rows apart, or 0. */
enum { KEY_PLACE, KEY_CLASS_PROC, KEY_SOURCE_NVTX, KEY_CATEGORY_NAME, KEY_SHAPE_PATH, KEYS };
enum { OWNER_AT = 8 };          /* the lowest bit of the owner in a number that holds the class in the bits below */

static int64_t kernels_join_two(uint32_t first, uint32_t second)
{
	return (int64_t)((uint64_t)first << 32 | second);
}

static uint32_t kernels_first_of_two(int64_t both)
{
	return (uint32_t)((uint64_t)both >> 32);
}

static void kernels_add_sum_rows(kernels_ctx *x, const sums *by, const stats_summary *times)
{
	const trace *t = x->a->t;
	table *out = x->a->out;
	int64_t total = 0;

	for (size_t i = 0; i < by->g.n; i++)
		total = ns_add(total, times[i].total);
	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		const sum *s = sums_at(sum, by, i);
		const trace_stream *st = &t->streams[t->work.stream[s->last]];
		uint32_t source = kernels_first_of_two(key[KEY_SOURCE_NVTX]), name = (uint32_t)key[KEY_CATEGORY_NAME];
		call_sources_add(&x->sourced, source, times[i].total);
		kernels_remember_mixed(x, name, s->last, &times[i], total);
		answer_add_row_of(x->a, (uint32_t)key[KEY_CLASS_PROC]);
		if (x->keys & KERNELS_BY_STREAM)
			answer_set_stream(x->a, st);
		else if (x->keys & KERNELS_BY_GPU)
			table_int(out, COL_GPU, st->gpu);
		table_stats(out, (table_stats_ids){ COUNT, TOTAL_NS, MEAN_NS, P50_NS, P90_NS, P99_NS, MIN_NS, MAX_NS },
			    &times[i]);
		table_pct(out, PCT, times[i].total, total);
		table_int(out, ELAPSED_NS, s->elapsed);
		table_word(out, CLASS, work_class(t, s->last));
		table_word(out, OWNER, owner_name((enum owner)(kernels_first_of_two(key[KEY_CLASS_PROC]) >> OWNER_AT)));
		table_set_name(out, CATEGORY, kernels_first_of_two(key[KEY_CATEGORY_NAME]));
		table_set_name(out, NVTX, (uint32_t)key[KEY_SOURCE_NVTX]);
		table_set_name(out, PATH, (uint32_t)key[KEY_SHAPE_PATH]);
		table_set_name(out, SOURCE, source);
		table_set_name(out, NAME, name);
		if (x->shape)
			kernels_set_shape_cells(x, s);
	}
}

/* The process of the row to which this lane's work belongs: the lane's or, if rows do not tell processes apart, the
 * window's. */
static uint32_t kernels_proc_key(const kernels_ctx *x, const trace_lane *lane)
{
	return x->keys & (KERNELS_BY_PID | KERNELS_BY_STREAM) ? lane->proc : x->a->w->proc;
}

/* Find how long the run of the trace took, from --wall or from the manifest of --wall-in.  False after a problem. */
static bool kernels_find_wall(kernels_ctx *x)
{
	const kernels_params *p = x->p;
	trace *t = x->a->t;
	manifest m;

	x->walled = p->wall || p->wall_in;
	if (p->wall)
		x->wall = p->wall[p->walls == 1 ? 0 : t->number];
	if (!p->wall_in)
		return true;
	if (!manifest_read(p->wall_in, t, &m, x->a->say))
		return false;
	if (m.part || x->a->all->chosen)
		return notes_problem(x->a->say, EXIT_WRONG, "the manifest has the time of a whole run, and '%s' is "
				     "asked about a part of it; give the seconds of that part with --wall", t->path);
	if (isnan(m.baseline_s))
		notes_remark(x->a->say, "the manifest of '%s' has only the %.3f s under the profiler (nsq-capture "
			     "--baseline has both)", t->path, m.wall_s);
	x->wall = (int64_t)(1e9 * fmin(9e9, isnan(m.baseline_s) ? m.wall_s : m.baseline_s));
	return true;
}

/* Add the time of the run in which the lane does not work to the row of --wall for its process and GPU. */
static void kernels_add_idle_to_wall(kernels_ctx *x, const trace_lane *lane, int64_t busy)
{
	int64_t wall = x->wall, gpu = x->keys & (KERNELS_BY_GPU | KERNELS_BY_STREAM) ? lane->gpu : -1;
	uint32_t proc = kernels_proc_key(x, lane);
	size_t i = 0;

	wall = wall ? wall : ival_length(&x->a->w->gpu);
	if (busy > wall)
		notes_warn(x->a->say, "'%s': process %s works on GPU %lld for %.3f ms, longer than --wall, %.3f ms: "
			   "non-gpu is negative", x->a->t->path, x->a->t->procs[lane->proc].shown,
			   (long long)lane->gpu, (double)busy / 1e6, (double)wall / 1e6);
	while (i < x->walls.n && (x->walls.v[i].proc != proc || x->walls.v[i].gpu != gpu))
		i++;
	if (i == x->walls.n)
		vec_push(&x->walls, (wall_sum){ proc, gpu, 0 });
	if (__builtin_add_overflow(x->walls.v[i].rest, wall - busy, &x->walls.v[i].rest))
		x->walls.v[i].rest = INT64_MAX;
}

static void kernels_add_wall_rows(kernels_ctx *x)
{
	table *out = x->a->out;

	for (size_t i = 0; i < x->walls.n; i++) {
		answer_add_row_of(x->a, x->walls.v[i].proc);
		if (x->walls.v[i].gpu >= 0)
			table_int(out, COL_GPU, x->walls.v[i].gpu);
		table_int(out, ELAPSED_NS, x->walls.v[i].rest);
		table_word(out, CLASS, "wall");
		table_word(out, CATEGORY, "non-gpu");
		table_word(out, NAME, "non-gpu");
	}
	vec_free(&x->walls);
}

static sum *kernels_find_sum(lane_walk *s, size_t i)
{
	kernels_ctx *x = s->x;
	trace *t = x->a->t;
	unsigned keys = x->keys;
	uint32_t category = keys & KERNELS_BY_CATEGORY ? kernels_category_of(x, i) : STR_NONE;
	uint32_t nvtx = keys & KERNELS_BY_NVTX ? str_fold(&t->names, around_name(x->around, i)) : STR_NONE;
	uint32_t source = keys & KERNELS_BY_SOURCE ? call_sources_name(x->sources, t->work.launch[i]) : STR_NONE;
	uint32_t name = keys & KERNELS_BY_NAME ? kernels_name_of(x, i) : STR_NONE;
	uint32_t class = keys & KERNELS_BY_NAME ? t->work.kind[i] * 2u + trace_is_comm(t, i) : 0;
	uint32_t owner = keys & KERNELS_BY_OWNER ? owners_by_name(t, i) : 0;

	return sums_of(&s->by,
		       (int64_t[]){ [KEY_PLACE] = keys & KERNELS_BY_STREAM ? t->work.stream[i] :
					    keys & KERNELS_BY_GPU	   ? s->lane->gpu :
					    x->gpus			   ? x->gpus[s->lane - t->lanes].name :
									     0,
				    [KEY_CLASS_PROC] = kernels_join_two(class | owner << OWNER_AT,
									kernels_proc_key(x, s->lane)),
				    [KEY_SOURCE_NVTX] = kernels_join_two(source, nvtx),
				    [KEY_CATEGORY_NAME] = kernels_join_two(category, name),
				    [KEY_SHAPE_PATH] = kernels_join_two(x->shape ? x->shape[t->work.type[i]] : 0,
									keys & KERNELS_BY_PATH ? kernels_path_of(x, i) :
												 STR_NONE) });
}

/* Add a piece of work to its sum. from: its start or, if that is later, the end of the lane's earlier work. */
static void kernels_add_work(lane_walk *s, size_t i, int64_t from)
{
	const trace *t = s->x->a->t;
	const ival_set *side = &s->x->a->w->gpu;
	sum *to = kernels_find_sum(s, i);

	to->last = i;
	to->lane = (uint32_t)(s->lane - t->lanes);
	to->elapsed = ns_add(to->elapsed, ival_within(side, from, t->work.end[i]));
	sums_add_time(&s->by, ival_within(side, t->work.start[i], t->work.end[i]));
}

static bool kernels_is_counted(const kernels_ctx *x, size_t i)
{
	return x->p->copies || x->a->t->work.kind[i] < WORK_COPY;
}

/* Add the lane's work [lo,hi), in order of start.  Work outside the window, or with a name that does not match, is not
 * added.  But the time that it covers does not count as elapsed time of later work.  Copies that are not asked for are
 * not added and cover no time. */
static void kernels_walk_lane(lane_walk *s, size_t lo, size_t hi)
{
	kernels_ctx *x = s->x;
	const trace *t = x->a->t;
	const window *w = x->a->w;

	for (size_t i = lo; i < hi; i++) {
		int64_t start = t->work.start[i], end = t->work.end[i], from;
		if (!kernels_is_counted(x, i))
			continue;
		from = ns_max(start, s->covered);
		s->covered = ns_max(end, s->covered);
		s->busy += x->walled ? ival_within(&w->gpu, from, end) : 0;
		if (!window_has(w, &w->gpu, start, end))
			continue;
		s->pieces++;
		if (!kernels_matches_name(x, i))
			continue;
		if (x->p->mode == KERNELS_EACH)
			kernels_add_kernel_row(x, i);
		else
			kernels_add_work(s, i, from);
	}
}

/* After the last work of a lane: add its idle time to a row of --wall. */
static void kernels_end_lane(const lane_walk *s)
{
	if (s->x->walled && s->pieces)
		kernels_add_idle_to_wall(s->x, s->lane, s->busy);
}

static void kernels_add_window_rows(kernels_ctx *x)
{
	trace *t = x->a->t;
	lane_walk s = { .x = x, .by = sums_by(KEYS, sizeof(sum)) };
	stats_summary *times;

	for (window_walk k = { 0 }; window_walk_to_stretch(t, x->a->w, &k);) {
		if (s.lane != &t->lanes[k.lane]) {
			kernels_end_lane(&s);
			s = (lane_walk){ .x = x, .by = s.by, .lane = &t->lanes[k.lane], .covered = INT64_MIN };
		}
		kernels_walk_lane(&s, k.next, k.end);
	}
	kernels_end_lane(&s);
	times = sums_times(&s.by);
	kernels_add_sum_rows(x, &s.by, times);
	kernels_add_wall_rows(x);
	free(times);
	sums_free(&s.by);
}

/* If a process has several windows, mention that the given time counts in full for each of them, which is hardly what
 * the user wants. */
static void kernels_mention_repeated_wall(const kernels_ctx *x)
{
	const trace *t = x->a->t;
	const windows *all = x->a->all;
	bool *seen = mem_new(bool, t->nprocs + 1), again = false;

	for (size_t i = 0; i < all->n; i++) {
		bool *s = &seen[all->v[i].proc == NONE ? t->nprocs : all->v[i].proc];
		again |= *s;
		*s = true;
	}
	if (again && x->wall)
		notes_remark(x->a->say, "--wall counts in full for each of the %zu windows of '%s'; --merge counts it "
			     "once", all->n, t->path);
	free(seen);
}

/* The number of full names that have the short name x->mixed.name and at least a tenth of its time in the window.
 * *least, *most: the shortest and the longest of the mean times of these full names, ns. */
static size_t kernels_count_full_names(const kernels_ctx *x, int64_t *least, int64_t *most)
{
	const trace_work *w = &x->a->t->work;
	sums by = sums_by(1, sizeof(int64_t));
	const ival_set *side = &x->mixed.w->gpu;
	window_walk k = { 0 };
	int64_t all = 0;
	size_t n = 0;
	stats_summary *times;

	while (window_next(x->a->t, x->mixed.w, &k))
		if (work_name(w, k.work) == x->mixed.name) {
			int64_t ns = ival_within(side, w->start[k.work], w->end[k.work]);
			sums_of(&by, (int64_t[]){ work_full(w, k.work) });
			sums_add_time(&by, ns);
			all = ns_add(all, ns);
		}
	times = sums_times(&by);
	for (size_t i = 0; i < by.g.n; i++) {
		if (times[i].total < all / 10)
			continue;
		*least = n && *least < times[i].mean ? *least : times[i].mean;
		*most = n && *most > times[i].mean ? *most : times[i].mean;
		n++;
	}
	free(times);
	sums_free(&by);
	return n;
}

/* Mention the row x->mixed, if its kernels differ much in length, and the option that tells them apart. */
static void kernels_mention_mixed(const kernels_ctx *x)
{
	const large_row *m = &x->mixed;
	const char *name = str_at(&x->a->t->names, m->name);
	int64_t least = 0, most = 0;
	size_t n;

	if (!m->times.total)
		return;
	n = kernels_count_full_names(x, &least, &most);
	if (n > 1 && most / DIFFERENT >= least)
		notes_remark(x->a->say, "'%s' (%.0f %% of the time) is %zu kernels or more of %.1f to %.1f us; "
			     "--full tells them apart", name, m->pct, n, (double)least / 1e3, (double)most / 1e3);
	else if (m->times.p90 / VERY_DIFFERENT >= m->times.p50)
		notes_remark(x->a->say, "'%s' (%.0f %% of the time): median %.1f us, 90th percentile %.1f us; --by "
			     "nvtx,name may tell why", name, m->pct, (double)m->times.p50 / 1e3,
			     (double)m->times.p90 / 1e3);
}

static bool kernels_add_rows(answer_ctx *a, const void *params)
{
	const kernels_params *p = params;
	trace *t = a->t;
	kernels_ctx x = { .a = a, .p = p, .keys = kernels_keys(p), .matches = { .re = p->match, .names = &t->names } };

	if (!kernels_find_wall(&x))
		return false;
	if (kernels_needs_ranges(p))
		x.around = around_of(t, around_flags(p->adopt, p->captured));
	if (p->mode != KERNELS_EACH && x.keys & KERNELS_BY_PATH)
		kernels_build_tree(&x);
	if (kernels_is_by_shape(p))
		kernels_number_shapes(&x);
	if (p->mode != KERNELS_EACH && x.keys & KERNELS_BY_SOURCE)
		x.sources = call_sources_of(t);
	if (x.keys & KERNELS_BY_CATEGORY) {
		size_t n = t->names.n;
		x.category = mem_new(uint32_t, n);
		for (size_t i = 0; i < n; i++)
			x.category[i] = NOT_LOOKED_UP;
	}
	kernels_mention_repeated_wall(&x);
	while (answer_next_window(a))
		kernels_add_window_rows(&x);
	kernels_mention_mixed(&x);
	if (x.sources)
		call_sources_mention(x.sources, &x.sourced, true, a->say);
	mem_free(x.category, x.path, x.shape, x.gpus);
	range_tree_free(&x.tree);
	arena_free(&x.texts);
	name_match_free(&x.matches);
	return true;
}

const answer kernels_answer = {
	.all = all_columns, .columns = kernels_list_columns, .question = kernels_make_question, .rows = kernels_add_rows
};
