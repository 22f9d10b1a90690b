#include "picture/report_content.h"
#include "base/sort.h"
#include "table/format.h"

#include <string.h>

/* How a part is shown: its first rows, and of its columns these; those that say where a row holds come by
 * themselves. */
typedef struct {
	enum report_id id;
	const char *heading;    /* NULL: under that of the one before */
	const char *columns;
	size_t rows;            /* at most */
	const char *worst;      /* of more windows than rows, those with most of this; NULL: the first */
	size_t gives_way;       /* on a page that is too long; 0: never, 1: first, 2: next ... */
} shown;

static const shown all[] = {
	{ REPORT_PROCESSES, "Who", "gpus kernels comm_kernels streams ranges launched_pct mesh run process", 16,
		"kernels", 0 },
	{ REPORT_STEPS, "Steps", "count dur_p50_ns dur_p90_ns dur_min_ns dur_max_ns period_p50_ns period_p90_ns name",
		8, "period_p50_ns", 0 },
	{ REPORT_SPLIT, "Where the time of a typical step goes", NULL, 8, "idle_ns", 0 },
	{ REPORT_PHASES, "Phases", "count cpu_ns p50_ns kernels gpu_ns gpu_incl_ns phase", 6, NULL, 10 },
	{ REPORT_STEP_KERNELS, "Kernels in the steps", "count total_ns pct p50_ns max_ns class name", 5, "total_ns",
		0 },
	{ REPORT_KERNELS, "Kernels", "count total_ns pct p50_ns max_ns class name", 5, NULL, 0 },
	{ REPORT_RANGES, "NVTX ranges", "count cpu_ns p50_ns kernels gpu_ns gpu_incl_ns name", 5, NULL, 9 },
	{ REPORT_GAPS, "Longest idle times", "dur_ns cause synced api nvtx prev next", 3, "dur_ns", 5 },
	{ REPORT_OVERLAP, "Communication", "kernels comm_ns hidden_ns exposed_ns overlap_pct stage", 3, "exposed_ns",
		0 },
	{ REPORT_COLLECTIVES, NULL, "op bytes ranks count total_ns wait_ns transfer_ns exposed_ns bus_gbps", 3,
		"total_ns", 6 },
	{ REPORT_STALLS, "What compute waited for",
		"absent_ns starved_ns blocked_comm_ns blocked_copy_ns stalled_ns unresolved_ns resolved_pct", 4,
		"absent_ns", 8 },
	{ REPORT_LAUNCHES, "The CPU's side", "launches launches_per_s api_p50_ns queue_p50_ns latency_p50_ns "
		"kernel_p50_ns small_pct", 4, "launches", 3 },
	{ REPORT_SYNC, NULL, "count total_ns mean_ns max_ns name", 3, NULL, 2 },
	{ REPORT_STREAMS, "Streams", "ctx stream class kernels comm_kernels copies busy_pct purpose name", 3, "busy_ns",
		1 },
	{ REPORT_MEMORY, "Memory", "peak_bytes peak_ns end_bytes allocs frees kind nvtx", 3, "peak_bytes", 4 },
	{ REPORT_METRICS, "Units of the GPU", "samples mean p50 p90 max metric", 6, NULL, 7 },
};

/* How a page gets shorter: tables have fewer rows, down to one of each trace; then some give way; then rows again, and
 * at last one must do. */
enum { SHOW_TRACES = 8, FEWER = 4, GIVING = 10 };

/* ---- which rows */

static int64_t value_at(const table *t, size_t row, const char *column)
{
	int64_t v = table_named(t, row, column)->i;

	return v == TABLE_MISSING ? INT64_MIN : v;
}

static size_t first_of(const table *t, size_t group)
{
	return group ? t->groups.v[group - 1] : 0;
}

typedef struct {
	const table *t;
	const char *column;     /* what there may be most of; NULL: they stay in order */
	bool *first;            /* by window: it is the first of its trace, and those come first; NULL: they do not */
} window_order;

static int by_most(uint32_t a, uint32_t b, const void *ctx)
{
	const window_order *o = ctx;
	int64_t x = o->column ? value_at(o->t, first_of(o->t, a), o->column) : 0,
		y = o->column ? value_at(o->t, first_of(o->t, b), o->column) : 0;

	if (o->first && o->first[a] != o->first[b])
		return o->first[a] ? -1 : 1;
	return x != y ? sort_3way(y, x) : sort_3way(a, b);
}

/* Mark the first window of each trace, in this order. */
static bool *firsts_of(const table *t, const uint32_t *order)
{
	bool *first = mem_new(bool, t->groups.n);
	str_pool met = { 0 };

	for (size_t i = 0; i < t->groups.n; i++) {
		size_t g = order ? order[i] : i, before = met.n;
		const char *of = first_of(t, g) < t->groups.v[g] ? table_named(t, first_of(t, g), "trace")->t : "";
		str_id(&met, of, strlen(of));
		first[g] = met.n > before;
	}
	str_free(&met);
	return first;
}

/* The place of each window in the order of what it has most of; the first of each trace may come before all others. */
static size_t *places_of(const table *t, const char *column, bool traces_first)
{
	size_t *place = mem_new(size_t, t->groups.n);
	window_order o = { .t = t, .column = column };
	uint32_t *order = sort_order(t->groups.n, by_most, &o);

	if (traces_first) {
		o.first = firsts_of(t, order);
		free(order);
		order = sort_order(t->groups.n, by_most, &o);
	}
	for (size_t i = 0; i < t->groups.n; i++)
		place[order ? order[i] : i] = i;
	free(order);
	free(o.first);
	return place;
}

/* How many rows a table may have. */
static size_t room(const report *r, const shown *s, size_t squeeze)
{
	size_t fewer = s->id == REPORT_PROCESSES ? 0 : squeeze < FEWER ? squeeze :
		squeeze > FEWER + GIVING ? squeeze - GIVING : FEWER;
	size_t least = r->traces.n <= SHOW_TRACES ? r->traces.n : 1, rows = s->rows > fewer + 1 ? s->rows - fewer : 1;

	return squeeze >= REPORT_SQUEEZE_MOST ? 1 : rows > least ? rows : least;
}

/* The first rows of each window, of as many windows as there is room for; of each trace one, if that has room. */
static bool *choose_rows(const report *r, const shown *s, size_t squeeze, size_t *n)
{
	const table *t = &r->part[s->id].rows;
	bool *keep = mem_new(bool, table_rows(t));
	size_t rows = room(r, s, squeeze), each = t->groups.n && rows / t->groups.n ? rows / t->groups.n : 1;
	size_t *place = places_of(t, s->worst, r->traces.n <= SHOW_TRACES && r->traces.n <= rows);

	*n = 0;
	for (size_t g = 0; g < t->groups.n; g++)
		for (size_t i = first_of(t, g); place[g] < rows && i < t->groups.v[g] && i - first_of(t, g) < each; i++)
			*n += keep[i] = true;
	free(place);
	return keep;
}

/* ---- which columns */

static const char *const places[] = { "pid", "rank", "start_ns", "end_ns", "gpu" },
	*const names[] = { "window", "trace" };
enum { PLACES = sizeof places / sizeof *places, NAMES = sizeof names / sizeof *names };

/* Do the rows differ in a column?  If not, it is said above the table. */
static bool varies(report_page *to, const table *t, const bool *keep, const char *column)
{
	const char *first = NULL;
	bool any = false;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *s = keep[i] ? page_cell_of(to, t, i, column) : NULL;
		if (!keep[i])
			continue;
		s = s ? s : "-";
		if (any && strcmp(s, first) != 0)
			return true;
		first = s;
		any = true;
	}
	return false;
}

static bool is_number(const table *t, const char *column)
{
	return t->cols.v[table_column(t, column)].type != 't';
}

/* Has no row a text there? */
static bool is_empty(const table *t, const bool *keep, const char *column)
{
	for (size_t i = 0; i < table_rows(t); i++)
		if (keep[i] && table_named(t, i, column)->t)
			return false;
	return true;
}

typedef vec(const char *) column_names;

static column_names choose_columns(report_page *to, const table *t, const bool *keep, const char *list)
{
	column_names chosen = { 0 };

	for (int i = 0; i < PLACES; i++)
		if (table_column(t, places[i]) >= 0 && varies(to, t, keep, places[i]))
			vec_push(&chosen, places[i]);
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		const char *name = arena_text(&to->texts, p, n);
		if (table_column(t, name) >= 0 && (is_number(t, name) || !is_empty(t, keep, name)))
			vec_push(&chosen, name);
		p += n;
	}
	for (int i = 0; i < NAMES; i++)
		if (varies(to, t, keep, names[i]))
			vec_push(&chosen, names[i]);
	return chosen;
}

/* ---- what stands above a table */

/* Where all rows hold, as far as the columns do not say it. */
static void say_place(report *r, report_page *to, const table *t, const bool *keep)
{
	size_t first = 0;
	const char *pid, *rank, *gpu, *name;

	while (!keep[first])
		first++;
	pid = page_cell_of(to, t, first, "pid");
	rank = page_cell_of(to, t, first, "rank");
	gpu = page_cell_of(to, t, first, "gpu");
	name = page_cell_of(to, t, first, "window");
	if (!varies(to, t, keep, "pid"))
		page_say(to, pid ? "Process %s" : "All processes", pid);
	else
		page_say(to, "By process");
	if (rank && !varies(to, t, keep, "rank"))
		page_say(to, ", rank %s", rank);
	if (gpu && !varies(to, t, keep, "gpu"))
		page_say(to, ", GPU %s", gpu);
	if (name && !varies(to, t, keep, "window")) {
		page_say(to, ", ");
		page_code(to, name);
	}
	if (r->traces.n > 1 && !varies(to, t, keep, "trace")) {
		page_say(to, ", ");
		page_code(to, page_cell_of(to, t, first, "trace"));
	}
	if (!varies(to, t, keep, "start_ns") && !varies(to, t, keep, "end_ns"))
		page_say(to, ", %s..%s ns", page_cell_of(to, t, first, "start_ns"),
			page_cell_of(to, t, first, "end_ns"));
}

static void say_above(report *r, report_page *to, const shown *s, const bool *keep, size_t n)
{
	const table *t = &r->part[s->id].rows;

	page_begin(to, PAGE_PARAGRAPH);
	say_place(r, to, t, keep);
	if (n < table_rows(t))
		page_say(to, "; %zu of %zu rows", n, table_rows(t));
	if (n < t->groups.n && s->worst) {
		page_say(to, r->traces.n > 1 && r->traces.n <= SHOW_TRACES &&
			r->traces.n <= n ? ", of each trace those with the most " : ", those with the most ");
		page_code(to, s->worst);
	}
	page_say(to, ": ");
	page_command(to, report_command(r, s->id));
	if (s->id != REPORT_SPLIT)
		return;
	page_say(to, "; the idle time by cause: ");
	page_command(to, report_command(r, REPORT_IDLE));
}

/* ---- the tables */

static void add_cell(report_page *to, const table *t, size_t row, const char *column)
{
	int col = table_column(t, column);
	const table_col *c = &t->cols.v[col];
	bool ns = c->unit && strcmp(c->unit, "ns") == 0, bytes = c->unit && strcmp(c->unit, "bytes") == 0;
	int64_t v = table_at(t, row)[col].i;
	char buf[FORMAT_CELL];

	page_add_cell(to, (page_cell){ c->type != 't', page_cell_of(to, t, row, column),
		(ns || bytes) && c->type == 'i' &&
		v != TABLE_MISSING ? arena_copy(&to->texts, format_amount(bytes, (double)v, buf, sizeof buf)) : NULL });
}

static void one_table(report *r, report_page *to, const shown *s, const bool *keep)
{
	const table *t = &r->part[s->id].rows;
	column_names cols = choose_columns(to, t, keep, s->columns);

	page_begin(to, PAGE_TABLE);
	to->blocks.v[to->blocks.n - 1].cols = cols.n;
	for (size_t c = 0; c < cols.n; c++)
		page_add_cell(to, (page_cell){ is_number(t, cols.v[c]), cols.v[c], NULL });
	for (size_t i = 0; i < table_rows(t); i++)
		for (size_t c = 0; keep[i] && c < cols.n; c++)
			add_cell(to, t, i, cols.v[c]);
	vec_free(&cols);
}

/* The causes that the idle time of typical steps is charged to, in the order in which they first occur. */
static column_names causes_of(const report *r)
{
	const table *t = &r->part[REPORT_IDLE].rows;
	column_names found = { 0 };

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *cause = table_named(t, i, "cause")->t;
		size_t k = 0;
		while (k < found.n && strcmp(found.v[k], cause) != 0)
			k++;
		if (k == found.n)
			vec_push(&found, cause);
	}
	return found;
}

/* The idle time of a row of REPORT_SPLIT that is charged to a cause. */
static void add_idle(report *r, report_page *to, size_t row, const char *cause)
{
	const table *t = &r->part[REPORT_IDLE].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_same_window(t, i, &r->part[REPORT_SPLIT].rows, row) &&
		    strcmp(table_named(t, i, "cause")->t, cause) == 0) {
			add_cell(to, t, i, "idle_ns");
			return;
		}
	page_add_cell(to, (page_cell){ true, "0", NULL });
}

/* Two answers side by side: what runs, and of the time in which nothing does, why. */
static void split_table(report *r, report_page *to, const bool *keep)
{
	const table *t = &r->part[REPORT_SPLIT].rows;
	column_names cols = choose_columns(to, t, keep, "compute_only_ns both_ns comm_only_ns copy_only_ns idle_ns"),
		causes = causes_of(r);
	size_t after = cols.n;

	while (after && !is_number(t, cols.v[after - 1]))       /* window and trace stay last */
		after--;
	page_begin(to, PAGE_TABLE);
	to->blocks.v[to->blocks.n - 1].cols = cols.n + causes.n;
	for (size_t i = 0; i <= table_rows(t); i++)
		for (size_t c = 0; (!i || keep[i - 1]) && c < cols.n + causes.n; c++) {
			bool cause = c >= after && c < after + causes.n;
			const char *name = cause ? causes.v[c - after] : cols.v[c < after ? c : c - causes.n];
			if (!i)
				page_add_cell(to, (page_cell){ cause || is_number(t, name),
					cause ? arena_printf(&to->texts, "idle.%s", name) : name, NULL });
			else if (cause)
				add_idle(r, to, i - 1, name);
			else
				add_cell(to, t, i - 1, name);
		}
	vec_free(&cols);
	vec_free(&causes);
}

/* The picture of all steps.  The first one, which does much once, would make the others look alike. */
static void steps_picture(report *r, report_page *to)
{
	const table *t = &r->part[REPORT_EVERY_STEP].rows;
	const char *y = r->tiled ? "period_ns" : "dur_ns";
	size_t firsts = 0, others = 0, missing = 0;
	bool *keep = mem_new(bool, table_rows(t)), without;

	for (size_t i = 0; i < table_rows(t); i++) {
		keep[i] = table_named(t, i, y)->i != TABLE_MISSING;
		missing += !keep[i];
		firsts += keep[i] && !table_named(t, i, "index")->i;
		others += keep[i] && table_named(t, i, "index")->i;
	}
	without = firsts && others >= 2 * firsts;
	for (size_t i = 0; i < table_rows(t); i++)
		keep[i] &= !without || table_named(t, i, "index")->i;
	page_picture(to, t, 0, (plot_params){ .kind = PLOT_LINE, .x = "index", .y = y, .from_zero = true,
		     .title = r->tiled ? "Period of each step" : "Length of each step" });
	to->blocks.v[to->blocks.n - 1].keep = keep;
	if (without || missing)
		page_say(to, "Not drawn: %s%s%s.",
			without ? "the first step of each process, as it may include start-up" : "", without &&
			missing ? ", and " : "", missing ? "the last step, as no other follows it" : "");
}

/* The longest of the typical steps, on a GPU, down from its length through its owners. */
static void waterfall(report *r, report_page *to)
{
	const table *t = &r->part[REPORT_LEDGER].rows;
	bool *keep = mem_new(bool, table_rows(t));
	int64_t sum = 0, most = -1;
	size_t first = 0, longest = 0, several = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		if (!i || !report_same_window(t, i, t, first)) {
			first = i;
			sum = 0;
			several++;
		}
		sum = ns_add(sum, table_named(t, i, "dur_ns")->i);
		longest = sum > most ? first : longest;
		most = sum > most ? sum : most;
	}
	for (size_t i = 0; i < table_rows(t); i++)
		keep[i] = report_same_window(t, i, t, longest);
	page_picture(to, t, 0, (plot_params){ .kind = PLOT_BARS, .x = "owner", .y = "dur_ns", .color = "owner",
		     .falls_from = report_has_steps(r, NULL) ? "step" : "whole",
		     .title = several > 1 ? "Where the longest of them goes, owner by owner" :
			"Where it goes, owner by owner" });
	to->blocks.v[to->blocks.n - 1].keep = keep;
}

/* What the numbers look like. */
static void pictures(report *r, report_page *to, enum report_id id)
{
	const table *t = &r->part[id].rows;
	int64_t each = t->groups.n < 10 ? 10 / (int64_t)t->groups.n : 1;

	if (id == REPORT_STEPS)
		steps_picture(r, to);
	if (id == REPORT_SPLIT) {
		page_picture(to, t, 0, (plot_params){ .kind = PLOT_STACK,
			.y = "compute_only_ns,both_ns,comm_only_ns,copy_only_ns,idle_ns",
			.title = report_has_steps(r, NULL) ? "A typical step" : "What the time goes to" });
		if (r->part[REPORT_LEDGER].rows.groups.n > 1)
			page_picture(to, &r->part[REPORT_LEDGER].rows, 0,
				(plot_params){ .kind = PLOT_STACK, .y = "dur_ns", .color = "owner",
				.title = "Its time, by owner" });
		if (table_rows(&r->part[REPORT_LEDGER].rows))
			waterfall(r, to);
		page_picture(to, &r->part[REPORT_IDLE].rows, 0,
			(plot_params){ .kind = PLOT_STACK, .y = "idle_ns", .color = "cause",
			.title = "Its idle time, by cause" });
	}
	if (id == REPORT_KERNELS || id == REPORT_STEP_KERNELS)
		page_picture(to, t, each, (plot_params){ .kind = PLOT_BARS, .y = "total_ns",
			.title = "Kernels with the most time" });
}

static void section(report *r, report_page *to, const shown *s, const char *heading, size_t squeeze)
{
	size_t n;
	bool *keep = choose_rows(r, s, squeeze, &n);

	if (heading) {
		page_begin(to, PAGE_HEADING);
		page_say(to, "%s", s->id == REPORT_SPLIT && !report_has_steps(r, NULL) ? "Where the time goes" :
			heading);
	}
	say_above(r, to, s, keep, n);
	if (s->id == REPORT_SPLIT)
		split_table(r, to, keep);
	else
		one_table(r, to, s, keep);
	pictures(r, to, s->id);
	free(keep);
}

/* ---- all of them */

/* Parts without rows are not shown, nor processes as steps.  Of a single process the kernels of its steps tell more
 * than those of the whole trace; of several, those of all processes together. */
static bool is_shown(report *r, enum report_id id)
{
	bool steps = report_has_steps(r, NULL), of_steps = steps && r->part[REPORT_STEP_KERNELS].rows.groups.n == 1;

	if (id == REPORT_STEPS && !steps)
		return false;
	if ((id == REPORT_KERNELS && of_steps) || (id == REPORT_STEP_KERNELS && !of_steps))
		return false;
	return table_rows(&r->part[id].rows);
}

void report_sections(report *r, report_page *to, size_t squeeze)
{
	const char *heading = NULL;     /* that comes before the next table */

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		heading = all[i].heading ? all[i].heading : heading;
		if (!is_shown(r, all[i].id) || (all[i].gives_way && all[i].gives_way + FEWER <= squeeze))
			continue;
		section(r, to, &all[i], heading, squeeze);
		heading = NULL;
	}
}
