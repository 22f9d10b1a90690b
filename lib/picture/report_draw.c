#include "picture/report_parts.h"
#include "picture/plot.h"
#include "base/search.h"
#include "step/owners.h"

#include <string.h>

#define COLUMNS(X) \
	X(LANE, "stream", 't', NULL, "a stream, or idle") \
	X(STEP, "step", 'i', NULL, "number of the step") \
	X(TIME, "time", 'd', NULL, "the amount that is drawn") \
	X(UNIT, TABLE_UNIT, 't', NULL, "unit of the amount") \
	X(COLOR, "owner", 't', NULL, "the owner of a time or of work, or the process")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

enum { NARROW = 400 };          /* width of a picture for a phone, in pixels */

static table report_draw_begin_table(void)
{
	table t = { 0 };

	table_columns(&t, all_columns, LANE, STEP, TIME, UNIT, COLOR);
	t.given_order = true;
	return t;
}

static void report_draw_add_time(table *drawn, int64_t ns, const char *color)
{
	table_row(drawn);
	table_num(drawn, TIME, (double)ns);
	table_word(drawn, UNIT, "ns");
	table_text(drawn, COLOR, color);
}

/* Draw a table twice: wide for a screen, and narrow for a phone, where a shrunk picture could not be read.  The page
 * shows one of the two.  Frees the table.  False: there is nothing to draw. */
static bool report_draw_table(table *drawn, plot_params params, FILE *to)
{
	bool ok;

	table_group(drawn);
	fputs("<div class=\"wide\">\n", to);
	ok = plot_table_svg(drawn, &params, 0, to);
	fputs("</div>\n<div class=\"narrow\">\n", to);
	plot_table_svg(drawn, &params, NARROW, to);
	fputs("</div>\n", to);
	table_free(drawn);
	return ok;
}

/* ---- the strip: the work on each stream of the drawn step, and the owner of idle time.  The ledger is the answer of
 * nsq-ledger --each: stretches of time, each with what takes it, its owner (step/owners.h) */

enum { STREAMS_MOST = 6 };      /* the most streams that are drawn; those with the most work time are chosen */

typedef struct {
	int64_t stream;
	int64_t ns;             /* the sum of the times of its work */
} stream_time;

typedef vec(stream_time) stream_times;

static int report_draw_compare_times(const void *a, const void *b)
{
	const stream_time *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns) - (x->ns > y->ns) : (x->stream > y->stream) - (x->stream < y->stream);
}

/* List the streams of a GPU, those with the most work time first.  The caller frees the list. */
static stream_times report_draw_list_streams(const table *work, int64_t gpu)
{
	stream_times all = { 0 };

	for (size_t i = 0; i < table_rows(work); i++) {
		int64_t stream = table_find(work, i, "stream")->i;
		size_t k = 0;
		if (table_find(work, i, "gpu")->i != gpu)
			continue;
		while (k < all.n && all.v[k].stream != stream)
			k++;
		if (k == all.n)
			vec_push(&all, (stream_time){ stream, 0 });
		all.v[k].ns += table_find(work, i, "dur_ns")->i;
	}
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, report_draw_compare_times);
	return all;
}

/* Add row `row` of a table as an event on a lane.  Its times are counted from `begin`, the start of the step. */
static void report_draw_add_row(table *drawn, const table *from, size_t row, int64_t begin, const char *lane,
				const char *color)
{
	table_row(drawn);
	table_int(drawn, COL_START, table_find(from, row, "start_ns")->i - begin);
	table_int(drawn, COL_END, table_find(from, row, "end_ns")->i - begin);
	table_text(drawn, LANE, lane);
	table_text(drawn, COLOR, color);
}

/* The word that colors a piece of work.  For a compute kernel, it is the owner in the first row of the ledger that
 * has the kernel's name and begins while the kernel runs.  A kernel has no such row if the ledger gives its time to
 * other work.  For such a kernel, and for work that does not compute, the word is the class.  n: the number of the
 * ledger's rows about the GPU.  They come first, in order of time. */
static const char *report_draw_find_color(const table *ledger, size_t n, const table *work, size_t row)
{
	const char *class = table_find(work, row, "class")->t, *name = table_find(work, row, "name")->t;
	int64_t start = table_find(work, row, "start_ns")->i, end = table_find(work, row, "end_ns")->i;
	size_t i;

	search_first(i, 0, n, table_find(ledger, i, "start_ns")->i >= start);
	for (; name && strcmp(class, "compute") == 0 && i < n && table_find(ledger, i, "start_ns")->i < end; i++) {
		const char *row_name = table_find(ledger, i, "name")->t, *owner = table_find(ledger, i, "owner")->t;
		if (row_name && strcmp(row_name, name) == 0 && owner_named(owner) <= OWNER_COMPUTE)
			return owner;
	}
	return class;
}

/* Count the ledger's rows about its first GPU.  They come before all others. */
static size_t report_draw_count_rows_of_first_gpu(const table *ledger)
{
	size_t n = 0;

	while (n < table_rows(ledger) && table_find(ledger, n, "gpu")->i == table_find(ledger, 0, "gpu")->i)
		n++;
	return n;
}

/* Add the work and the idle time of a step.  If the process has several GPUs, only the first one of the ledger is
 * drawn.  step: its row in `typical`.  label: the name of its panel in the picture. */
static void report_draw_add_strip(report *r, table *drawn, size_t step, const char *label, const table *work,
				  const table *ledger)
{
	int64_t begin = table_find(r->typical, step, "start_ns")->i;
	int64_t gpu = table_rows(ledger) ? table_find(ledger, 0, "gpu")->i : 0;
	stream_times streams = report_draw_list_streams(work, gpu);
	size_t n = report_draw_count_rows_of_first_gpu(ledger);

	for (size_t k = 0; k < streams.n && k < STREAMS_MOST; k++)
		for (size_t i = 0; i < table_rows(work); i++) {
			int64_t stream = table_find(work, i, "stream")->i;
			if (stream != streams.v[k].stream || table_find(work, i, "gpu")->i != gpu)
				continue;
			report_draw_add_row(drawn, work, i, begin,
					    arena_printf(&r->texts, "stream %lld", (long long)stream),
					    report_draw_find_color(ledger, n, work, i));
			table_text(drawn, COL_TRACE, label);
		}
	for (size_t i = 0; i < n; i++)
		if (owner_is_idle(owner_named(table_find(ledger, i, "owner")->t))) {
			report_draw_add_row(drawn, ledger, i, begin, "idle", table_find(ledger, i, "owner")->t);
			table_text(drawn, COL_TRACE, label);
		}
	vec_free(&streams);
}

/* Draw the longest typical step.  Below it, on the same scale, draw the step that it is compared with
 * (report_find_comparison_step), if there is one. */
static bool report_draw_strip(report *r, FILE *to)
{
	bool compared = r->beside != SIZE_MAX;
	const char *label = report_describe_process(r, r->typical, r->drawn);
	table drawn = report_draw_begin_table();

	report_draw_add_strip(r, &drawn, r->drawn, compared ? arena_printf(&r->texts, "%s, the longest", label) : label,
		report_rows(r, "drawn_step_work"), report_rows(r, "drawn_step_owners"));
	if (compared)
		report_draw_add_strip(r, &drawn, r->beside, arena_printf(&r->texts, "%s, %s",
			report_describe_process(r, r->typical, r->beside), report_describe_beside(r)),
			report_rows(r, "beside_step_work"), report_rows(r, "beside_step_owners"));
	return report_draw_table(&drawn,
				 (plot_params){ .kind = PLOT_TIMELINE,
						.milliseconds = true,
						.y = "stream",
						.color = "owner",
						.title = "What runs on each stream, and why the GPU is idle" },
				 to);
}

/* ---- the time of each owner as a waterfall, which begins at the length of the step and falls by these times */

static bool report_draw_waterfall(report *r, const table *t, FILE *to)
{
	table drawn = report_draw_begin_table();

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_is_drawn(r, t, i))
			report_draw_add_time(&drawn, table_find(t, i, "dur_ns")->i, table_find(t, i, "owner")->t);
	return report_draw_table(&drawn, (plot_params){ .kind = PLOT_BARS, .x = "owner", .y = "time", .color = "owner",
		.falls_from = report_has_steps(r, NULL) ? "step" : "whole",
		.title = "Where the time goes, owner by owner" }, to);
}

/* ---- the lengths of the steady steps, without the warm-up, whose long steps would hide how the others differ */

static bool report_draw_steps(report *r, const table *t, FILE *to)
{
	const char *y = r->tiled ? "period_ns" : "dur_ns", *title = "How long each step takes";
	int64_t warm_up = 0;
	size_t process = 0;
	table drawn = report_draw_begin_table();
	bool several = table_rows(report_rows(r, "processes")) > 1;

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = table_find(t, i, y)->i, index = table_find(t, i, "index")->i;
		bool steady = report_is_steady(r, i, &process);
		if (!steady)
			warm_up = index >= warm_up ? index + 1 : warm_up;
		if (ns == TABLE_MISSING || !steady)
			continue;
		report_draw_add_time(&drawn, ns, several ? report_describe_process(r, t, i) : NULL);
		table_int(&drawn, STEP, table_find(t, i, "number")->i);
	}
	if (warm_up)
		title = warm_up == 1 ? "How long each step takes, after the first" :
			arena_printf(&r->texts, "How long each step takes, after the first %lld", (long long)warm_up);
	return report_draw_table(&drawn, (plot_params){ .kind = PLOT_LINE, .x = "step", .y = "time",
		.color = several ? "owner" : NULL, .from_zero = true, .title = title }, to);
}

bool report_draw(report *r, const report_part *part, FILE *to)
{
	const char *how = report_setting(r, part, "draw");

	if (strcmp(how, "steps") == 0)
		return report_has_steps(r, NULL) && report_draw_steps(r, &part->rows, to);
	return r->drawn != SIZE_MAX &&
		(strcmp(how, "strip") == 0 ? report_draw_strip(r, to) : report_draw_waterfall(r, &part->rows, to));
}
