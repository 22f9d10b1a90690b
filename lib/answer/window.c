#include "answer/window.h"
#include "answer/window_columns.h"
#include "base/sums.h"
#include "job/slice_windows.h"
#include "timeline/overlap_index.h"

static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void window_add_columns(const void *params, table *out)
{
	const window_params *p = params;
	bool tokens = p->tokens > 0;

	if (p->mode == WINDOW_LIST) {
		table_columns(out, all_columns, COUNT, WORK, GPU_NS, NAME);
		table_sort(out, NAME, false);
	} else if (p->mode == WINDOW_STATS) {
		table_columns(out, all_columns, COUNT, DUR_P50_NS, DUR_P90_NS, DUR_MIN_NS, DUR_MAX_NS, PERIOD_P50_NS,
			      PERIOD_P90_NS, PERIOD_P99_NS, PERIOD_MAX_NS, tokens ? TOKENS_P50_PER_S : 0,
			      tokens ? TOKENS_P90_PER_S : 0, tokens ? TOKENS_P99_PER_S : 0, SIDE, NAME);
	} else {
		table_columns(out, all_columns, CPU_START_NS, CPU_END_NS, DUR_NS, PERIOD_NS,
			      tokens ? TOKENS_PER_S : 0, WORK, INDEX, NUMBER, COUNT, SIDE, RULE, NAME);
		table_sort(out, COL_START, false);
		out->given_order = true;        /* kept in the order of index, until window_finish is done */
	}
}

static bool window_is_tiled(const window_params *p)
{
	return p->every || p->bins;
}

static question window_make_question(const void *params)
{
	const window_params *p = params;
	bool named = p->choice.match || p->mode == WINDOW_LIST;

	if (window_is_tiled(p))
		return (question){ .need = TRACE_WORK, .scope = WINDOW_GPU_WORK_OR_EVENTS,
			.empty = "there is nothing to cut into windows" };
	return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES |
			(named || p->choice.kernel ? 0 : TRACE_SHAPE | TRACE_CALLS),
		.must = named ? MUST_NVTX : MUST_CUDA, .match = p->choice.match,
		.scope = named ? WINDOW_GPU_WORK_OR_EVENTS : WINDOW_GPU_WORK, .warn_lost = true,
		.finds_steps = p->mode != WINDOW_LIST,
		.empty = p->choice.kernel ? "no kernel has such a name (nsq-kernels lists them)" :
			p->choice.match ? "no range has such a name (--list shows the names)" : "no range is open" };
}

/* The steps of all processes (WINDOW_LIST: all ranges), projected on one GPU or on all.  Computed on first use. */
typedef struct {
	int64_t device;         /* -1: all */
	const projection *projection;
	const step_set *steps;  /* the steps that the trace keeps, or NULL */
	step_set own;           /* the steps, if `steps` is NULL */
	overlap_index *by_proc; /* an array with an element for each process: an index of its steps by their time
				 * on the GPU; NULL until the first window that the user gave */
} gpu_steps;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const window_params *p;
	vec(gpu_steps) found;
	overlap_hits hits;      /* the indices of the steps that overlap the window */
	size_t steps;           /* the number of steps */
	size_t cut;             /* if the trace is a slice (job/slice_windows.h): how many of the steps it holds only
				 * in part */
	arena texts;
} window_rows_ctx;

static gpu_steps *window_find_steps_on(window_rows_ctx *x, int64_t device)
{
	trace *t = x->a->t;
	gpu_steps f = { .device = device };

	for (size_t i = 0; i < x->found.n; i++)
		if (x->found.v[i].device == device)
			return &x->found.v[i];
	f.projection = projection_on(t, device);
	if (x->p->mode == WINDOW_LIST)
		f.own = steps_match(t, f.projection, x->p->choice.match, false);
	else if (device < 0 && !steps_is_chosen(&x->p->choice) && !x->p->cpu)
		f.steps = steps_of(t, &x->p->choice);
	else
		f.own = steps_find(t, f.projection, &x->p->choice, x->p->cpu);
	vec_push(&x->found, f);
	return &x->found.v[x->found.n - 1];
}

static const step_set *window_get_step_set(const gpu_steps *f)
{
	return f->steps ? f->steps : &f->own;
}

/* An index of the steps of a process by their time on the GPU, built on first use. */
static const overlap_index *window_index_steps(window_rows_ctx *x, gpu_steps *f, uint32_t proc)
{
	const steps *all = &window_get_step_set(f)->of[proc];
	ival *v;

	if (!f->by_proc)
		f->by_proc = mem_new(overlap_index, x->a->t->nprocs);
	if (!f->by_proc[proc].reach.latest) {
		v = mem_new(ival, all->n);
		for (size_t i = 0; i < all->n; i++)
			v[i] = all->v[i].gpu;
		f->by_proc[proc] = overlap_index_build(v, all->n);
		free(v);
	}
	return &f->by_proc[proc];
}

/* The steps of the window's process.  If the user gave the window, these are only the steps that count in it
 * (window_has).  The caller frees the list of steps. */
static steps window_find_steps_inside(window_rows_ctx *x, gpu_steps *f)
{
	const window *w = x->a->w;
	const steps *all = &window_get_step_set(f)->of[w->proc];
	bool chosen = x->a->all->chosen;
	steps st = { .rule = all->rule, .after.name = STR_NONE };

	if (chosen)
		overlap_index_find(window_index_steps(x, f, w->proc), window_hull(&w->gpu), &x->hits);
	for (size_t k = 0; k < (chosen ? x->hits.n : all->n); k++) {
		size_t i = chosen ? x->hits.v[k] : k;
		if (chosen && !window_has(w, &w->gpu, all->v[i].gpu.a, all->v[i].gpu.b))
			continue;
		vec_push(&st, all->v[i]);
		if (i + 1 == all->n)
			st.after = all->after;
	}
	return st;
}

const char *window_step_name(arena *texts, const char *name, size_t i, ival gpu, ival cpu)
{
	if (gpu.a == cpu.a && gpu.b == cpu.b)
		return arena_printf(texts, "%s#%zu", name, i);
	return arena_printf(texts, "%s#%zu@%lld..%lld", name, i, (long long)cpu.a, (long long)cpu.b);
}

/* Is the step shown?  A slice also holds parts of the steps before and after those that it holds whole.  Such a part is
 * shown only if the user gave windows. */
static bool window_shows_step(window_rows_ctx *x, const steps *st, size_t i)
{
	step shown = x->p->period ? steps_to_next(st, i) : st->v[i];

	return x->a->all->chosen ||
		slice_windows_hold(x->a->t, x->a->w->proc, &(ival_set){ .v = &shown.gpu, .n = 1 },
				   &(ival_set){ .v = &shown.cpu, .n = 1 });
}

typedef struct {                /* the cells of a row (window_columns.h) */
	ival gpu, cpu;
	int64_t dur, period, work, number, busy;
	size_t index, count;
	const char *side, *rule, *name;
} row_values;

static void window_put_row(window_rows_ctx *x, const row_values *k)
{
	table *out = x->a->out;

	answer_add_row_at(x->a, x->a->w->proc, k->gpu.a, k->gpu.b);
	table_ints(out, { CPU_START_NS, k->cpu.a }, { CPU_END_NS, k->cpu.b }, { DUR_NS, k->dur },
		   { PERIOD_NS, k->period }, { WORK, k->work }, { INDEX, (int64_t)k->index },
		   { NUMBER, k->number }, { COUNT, (int64_t)k->count }, { WINDOW_BUSY, k->busy });
	table_num(out, TOKENS_PER_S, window_tokens_per_s(x->p, k->period));
	table_word(out, SIDE, k->side);
	table_word(out, RULE, k->rule);
	table_text(out, NAME, k->name);
	table_text(out, COL_WINDOW, window_step_name(&x->texts, k->name ? k->name : "-", k->index,
							    k->gpu, k->cpu));
}

static void window_add_step_row(window_rows_ctx *x, const steps *st, size_t i)
{
	const step *s = &st->v[i];
	step shown = x->p->period ? steps_to_next(st, i) : *s;
	int64_t period = steps_period(st, i), on_gpu = s->gpu.b - s->gpu.a, on_cpu = s->cpu.b - s->cpu.a;

	window_put_row(x,
		       &(row_values){ .gpu = shown.gpu,
				      .cpu = shown.cpu,
				      /* the longer of the times on the GPU and on the CPU, until window_finish
				       * replaces it by the length of the window */
				      .dur = on_gpu > on_cpu ? on_gpu : on_cpu,
				      .period = period == STEADY_NONE ? TABLE_MISSING : period,
				      .work = (int64_t)s->work,
				      .index = i,
				      .number = s->number,
				      .busy = s->busy,
				      .count = st->n,
				      .side = s->on_cpu ? "cpu" : "gpu",
				      .rule = steps_rule_name(st->rule),
				      .name = str_at(&x->a->t->names, s->name) });
	table_text(x->a->out, WINDOW_GIVEN, x->a->each_name);
}

static void window_add_list_rows(window_rows_ctx *x, const gpu_steps *f, const steps *st)
{
	trace *t = x->a->t;
	table *out = x->a->out;
	sums by = sums_by(1, sizeof(step_sum));

	for (size_t i = 0; i < st->n; i++)
		steps_add(sums_of(&by, (int64_t[]){ str_fold(&t->names, st->v[i].name) }), f->projection,
			  x->a->w->proc, &st->v[i]);
	for (size_t k = 0; k < by.g.n; k++) {
		const step_sum *s = sums_at(step_sum, &by, k);
		answer_add_row(x->a);
		table_ints(out, { COL_GPU, TABLE_MISSING }, { COUNT, s->count }, { WORK, s->work },
			   { GPU_NS, s->gpu_ns });
		table_set_name(out, NAME, (uint32_t)by.g.key[k]);
	}
	sums_free(&by);
}

/* Write the note that says what is a step in this trace or, if the caller collects summaries, add one to these.  A
 * slice gets no note, because it does not know the share of the kernel time. */
static void window_note_step_summary(window_rows_ctx *x, const gpu_steps *f)
{
	window_step_summaries own = { 0 };

	if (slice_windows_is_slice(x->a->t))
		return;
	window_remember_step_summary(x->p->summaries ? x->p->summaries : &own, x->a->t, window_get_step_set(f));
	window_say_step_summaries(&own, x->a->say);
}

/* Mention that the process of the window has no steps, if other processes have some. */
static void window_say_no_steps(window_rows_ctx *x, const steps *st, const gpu_steps *f)
{
	if (st->n && st->rule == STEPS_PROCESS && window_get_step_set(f)->rule != STEPS_PROCESS)
		notes_remark(x->a->say, "process %s in '%s' has no such steps, so its window is the whole process",
			     x->a->t->procs[x->a->w->proc].shown, x->a->t->path);
}

/* ---- tiles: the windows into which --every and --bins cut a window */

/* The number of tiles of one part (an interval) of a window.  Tiles fill the part.  With --every, only the last tile
 * may be shorter.  With --bins, the lengths of the tiles differ by at most 1 ns. */
static size_t window_count_tiles(const window_params *p, ival part)
{
	int64_t len = part.b - part.a;

	if (p->every)
		return (size_t)(len / p->every + (len % p->every != 0));
	return (size_t)(p->bins < len ? p->bins : len);
}

/* Where tile i begins; for i = tiles, where the last one ends. */
static int64_t window_tile_start(const window_params *p, ival part, size_t tiles, size_t i)
{
	int64_t len = part.b - part.a, n = (int64_t)tiles, k = (int64_t)i;

	if (i == tiles)
		return part.b;
	return part.a + (p->every ? k * p->every : len / n * k + len % n * k / n);
}

static void window_add_tile_row(window_rows_ctx *x, ival tile, size_t index, size_t count)
{
	window w = *x->a->w;
	window_walk k = { 0 };
	int64_t work = 0;

	w.gpu = (ival_set){ .v = &tile, .n = 1 };
	while (window_next(x->a->t, &w, &k))
		work++;
	window_put_row(x, &(row_values){ .gpu = tile, .cpu = tile, .dur = tile.b - tile.a, .work = work, .index = index,
		       .number = (int64_t)index, .busy = TABLE_MISSING,
		       .count = count, .period = index + 1 < count ? tile.b - tile.a : TABLE_MISSING, .side = "gpu",
		       .rule = "tile", .name = x->a->each_name ? x->a->each_name : "tile" });
}

static bool window_add_tile_rows(window_rows_ctx *x)
{
	enum { MOST = 1000000 };
	const ival_set *side = &x->a->w->gpu;
	size_t count = 0, index = 0;

	for (size_t k = 0; k < side->n; k++)
		count += window_count_tiles(x->p, side->v[k]);
	if (count > MOST)
		return notes_problem(x->a->say, EXIT_WRONG, "'%s': that makes %zu windows, and %d is the most; choose "
				     "longer ones, or cut a part of the trace with -w", x->a->t->path, count, MOST);
	for (size_t k = 0; k < side->n; k++) {
		size_t n = window_count_tiles(x->p, side->v[k]);
		for (size_t i = 0; i < n; i++)
			window_add_tile_row(x, (ival){ window_tile_start(x->p, side->v[k], n, i),
					    window_tile_start(x->p, side->v[k], n, i + 1) }, index++, count);
	}
	return true;
}

/* Add the columns that only window_finish reads.  For WINDOW_STATS, the table gets the columns of WINDOW_PICK. */
static void window_add_hidden_columns(answer_ctx *a, const window_params *p)
{
	if (a->out->slot[WINDOW_BUSY] || p->mode == WINDOW_LIST || window_is_tiled(p))
		return;
	if (p->mode == WINDOW_STATS) {
		table_free(a->out);
		window_add_columns(&(window_params){ .mode = WINDOW_PICK }, a->out);
		table_add(a->out, WINDOW_GIVEN, &(table_col){ "given", 't', NULL, NULL });
	}
	table_add(a->out, WINDOW_BUSY, &(table_col){ "busy_ns", 'i', "ns", NULL });
	answer_begin_table(a);
}

static bool window_add_rows(answer_ctx *a, const void *params)
{
	const window_params *p = params;
	window_rows_ctx x = { .a = a, .p = p };
	bool ok = true;

	window_add_hidden_columns(a, p);
	while (ok && window_is_tiled(p) && answer_next_window(a))
		ok = window_add_tile_rows(&x);
	while (ok && answer_next_window(a)) {
		gpu_steps *f = window_find_steps_on(&x, a->w->device);
		steps st = window_find_steps_inside(&x, f);
		if (!steps_is_chosen(&p->choice) && p->mode != WINDOW_LIST && a->next == 1)
			window_note_step_summary(&x, f);
		if (p->mode == WINDOW_LIST)
			window_add_list_rows(&x, f, &st);
		for (size_t i = 0; p->mode != WINDOW_LIST && i < st.n; i++)
			if (window_shows_step(&x, &st, i))
				window_add_step_row(&x, &st, i);
			else
				x.cut++;
		x.steps += st.n;
		if (p->mode != WINDOW_LIST && !steps_is_chosen(&p->choice))
			window_say_no_steps(&x, &st, f);
		vec_free(&st);
	}
	if (x.cut)
		notes_remark(a->say, "'%s' is a slice with %zu of %zu steps whole; only these are looked at, -w asks "
			     "about others", a->t->path, x.steps - x.cut, x.steps);
	for (size_t i = 0; i < x.found.n; i++) {
		for (size_t k = 0; x.found.v[i].by_proc && k < a->t->nprocs; k++)
			overlap_index_free(&x.found.v[i].by_proc[k]);
		free(x.found.v[i].by_proc);
		steps_free(&x.found.v[i].own);
	}
	mem_free(x.found.v, x.hits.v);
	arena_free(&x.texts);
	return ok;
}

enum steps_rule window_rule_of_row(const table *rows, size_t row)
{
	return steps_rule_named(table_value(rows, row, RULE)->t);
}

const answer window_answer = { .all = all_columns, .columns = window_add_columns,
	.question = window_make_question, .rows = window_add_rows, .finish = window_finish };
