#include "capture/ncu_choice.h"
#include "answer/answers.h"
#include "answer/step_windows.h"
#include "base/search.h"
#include "base/kernel_name.h"

enum { LAUNCHES_PER_KERNEL = 10 };              /* if there are no steps, this many launches are measured for each
						 * kernel, on average */

unsigned ncu_choice_need(void)
{
	return kernels_answer.question(&(kernels_params){ .mode = KERNELS_SUMS }).need | step_windows_need() |
		TRACE_LAUNCH | TRACE_RANGES;
}

void ncu_choice_free(ncu_choice *c)
{
	vec_free(&c->kernels);
	arena_free(&c->texts);
}

/* The text with each character c of `bracketed` written as [c], and each one of `special` as \c.  Brackets are for
 * texts in which a shell would take a backslash away. */
static const char *ncu_choice_escape(arena *a, const char *text, size_t len, const char *special, const char *bracketed)
{
	char *out = arena_printf(a, "%*s", (int)(3 * len), ""), *to = out;

	for (size_t i = 0; i < len; i++) {
		bool brackets = strchr(bracketed, text[i]);
		if (brackets || strchr(special, text[i]))
			*to++ = brackets ? '[' : '\\';
		*to++ = text[i];
		if (brackets)
			*to++ = ']';
	}
	*to = 0;
	return out;
}

/* The demangled name of the kernel that the trace shows as `name`; without a trace or such a kernel, the name
 * itself. */
static const char *ncu_choice_demangle(const trace *t, const char *name)
{
	for (size_t i = 0; t && i < t->work.types.n; i++) {
		const work_type *w = &t->work.types.v[i];
		if (w->name != STR_NONE && w->full != STR_NONE && strcmp(str_at(&t->names, w->name), name) == 0)
			return str_at(&t->names, w->full);
	}
	return name;
}

/* Add a kernel by the name of its function, unless it has been added. */
static void ncu_choice_add_kernel(ncu_choice *c, const trace *t, const char *name)
{
	size_t len = strlen(name);
	const char *base = ncu_choice_demangle(t, name);

	base = strpbrk(base, "(<") ? kernel_name_function(base, &len) : name;
	for (size_t i = 0; i < c->kernels.n; i++)
		if (strncmp(c->kernels.v[i], base, len) == 0 && !c->kernels.v[i][len])
			return;
	vec_push(&c->kernels, arena_text(&c->texts, base, len));
	base = ncu_choice_escape(&c->texts, base, len, "^\\", ".$|()[{}*+?");
	c->names = c->names ? arena_printf(&c->texts, "%s|%s", c->names, base) : base;
}

/* Complete the argument of --kernel-name.  ncu matches it with the name of a kernel's function, without namespaces,
 * template arguments and parameters. */
static void ncu_choice_complete_names(ncu_choice *c)
{
	c->names = arena_printf(&c->texts, c->kernels.n > 1 ? "regex:^(%s)$" : "regex:^%s$", c->names);
}

/* ---- where the kernels are launched */

typedef struct {                /* decides which launches count */
	const trace *t;
	uint32_t proc;          /* an index of trace.procs: only launches of this process count */
	bool *wanted;           /* an element for each of trace.work.types: is it one of the chosen kernels? */
	vec(uint32_t) ranges;   /* the ranges with the name of the window, as indices of trace.pushpop, sorted by thread
				 * and then by start */
	ival gpu_time;          /* the window's time on the GPU; the first and the last launch are of kernels that start
				 * in it */
} launch_filter;

typedef struct {
	int64_t first, last;    /* the times of the first and of the last launch of a wanted kernel in the window */
	int64_t before, count;  /* the number of launches before `first`, and from `first` to `last` */
} launches;

/* Was the work launched inside one of p->ranges, by the thread of the range? */
static bool ncu_choice_is_in_range(const launch_filter *p, size_t work)
{
	const trace_ranges *r = &p->t->pushpop;
	uint32_t call = p->t->work.launch[work], thread = call == NONE ? NONE : calls_thread(&p->t->calls, call), last;
	int64_t at = trace_launch_time(p->t, work);
	size_t i;

	search_first(i, 0, p->ranges.n, ranges_thread(r, p->ranges.v[i]) > thread ||
		     (ranges_thread(r, p->ranges.v[i]) == thread && r->start[p->ranges.v[i]] > at));
	if (!i)
		return false;
	last = p->ranges.v[i - 1];
	return ranges_thread(r, last) == thread && r->end[last] > at;
}

/* Is the work one of the chosen kernels, in process p->proc?  With `inside`, it must also have been launched inside
 * one of p->ranges. */
static bool ncu_choice_is_counted(const launch_filter *p, size_t work, bool inside)
{
	const trace *t = p->t;

	return t->streams[t->work.stream[work]].proc == p->proc && t->work.kind[work] == WORK_KERNEL &&
		p->wanted[t->work.type[work]] && (!inside || ncu_choice_is_in_range(p, work));
}

static launches ncu_choice_count_launches(const launch_filter *p, bool inside)
{
	launches l = { INT64_MAX, INT64_MIN, 0, 0 };

	for (size_t i = 0; i < p->t->work.n; i++)
		if (p->t->work.start[i] >= p->gpu_time.a && p->t->work.start[i] < p->gpu_time.b &&
		    ncu_choice_is_counted(p, i, inside)) {
			int64_t at = trace_launch_time(p->t, i);
			l.first = at < l.first ? at : l.first;
			l.last = at > l.last ? at : l.last;
		}
	for (size_t i = 0; i < p->t->work.n; i++)
		if (ncu_choice_is_counted(p, i, inside)) {
			int64_t at = trace_launch_time(p->t, i);
			l.before += at < l.first;
			l.count += at >= l.first && at <= l.last;
		}
	return l;
}

/* Find the ranges with the NAME of a window.  window_name: NAME#INDEX or NAME#INDEX@A..B, or NULL. */
static void ncu_choice_find_ranges(launch_filter *p, trace *t, const char *window_name)
{
	const char *end = window_name ? strrchr(window_name, '#') : NULL;
	uint32_t name = end ? str_id(&t->names, window_name, (size_t)(end - window_name)) : STR_NONE;

	for (size_t i = 0; name != STR_NONE && i < t->pushpop.n; i++)
		if (t->pushpop.name[i] == name)
			vec_push(&p->ranges, (uint32_t)i);
}

/* Is this type of work one of the chosen kernels, by the name that ncu's filter compares? */
static bool ncu_choice_has_kernel(const ncu_choice *c, const trace *t, const work_type *type)
{
	const char *name = type->full == STR_NONE ? NULL : str_at(&t->names, type->full);
	size_t len = name ? strlen(name) : 0, i = 0;

	if (name && strpbrk(name, "(<"))
		name = kernel_name_function(name, &len);
	while (name && i < c->kernels.n && (strncmp(c->kernels.v[i], name, len) != 0 || c->kernels.v[i][len]))
		i++;
	return name && i < c->kernels.n;
}

/* Find how many launches to skip and to measure, and the range that ncu can use as a filter.  proc: the process of
 * the window; NONE: the first process that runs the kernels.  window_name: NULL if the window has no name. */
static void ncu_choice_find_launches(ncu_choice *c, trace *t, uint32_t proc, ival gpu_time, const char *window_name)
{
	launch_filter p = { .t = t, .proc = proc == NONE ? 0 : proc, .gpu_time = gpu_time };
	launches all, inside = { 0 };

	ncu_choice_find_ranges(&p, t, window_name);
	p.wanted = mem_new(bool, t->work.types.n);
	for (size_t i = 0; i < t->work.types.n; i++)
		p.wanted[i] = ncu_choice_has_kernel(c, t, &t->work.types.v[i]);
	while (proc == NONE && p.proc + 1 < t->nprocs && !ncu_choice_count_launches(&p, false).count)
		p.proc++;
	all = ncu_choice_count_launches(&p, false);
	c->skip_all = all.count ? all.before : 0;
	if (p.ranges.n)
		inside = ncu_choice_count_launches(&p, true);
	if (all.count && inside.count == all.count) {
		const char *name = str_at(&t->names, t->pushpop.name[p.ranges.v[0]]);
		c->range = arena_printf(&c->texts, "%s/",
					ncu_choice_escape(&c->texts, name, strlen(name), "@,[]/*+\\", ""));
		all = inside;
	}
	c->skip = all.count ? all.before : 0;
	c->count = all.count;
	mem_free(p.ranges.v, p.wanted);
}

/* ---- what is chosen */

/* Choose the launches in the middle one of the steady steps, in the first process that has any.  Without steps,
 * choose a few launches in the middle of the trace. */
static void ncu_choice_use_steady_step(ncu_choice *c, trace *t)
{
	window_filter all = { .pid = -1, .sub = -1, .gpu = -1 };
	windows whole = window_resolve(t, NULL, &all, WINDOW_GPU_WORK, NULL);
	windows steps = step_windows(t, &whole, &all, &(steps_choice){ 0 }, NULL);
	size_t first = 0, n = 0;

	while (first < steps.n && !steps.v[first].name)
		first++;
	while (first + n < steps.n && steps.v[first + n].proc == steps.v[first].proc)
		n++;
	if (n) {
		const window *w = &steps.v[first + n / 2];
		ncu_choice_find_launches(c, t, w->proc, window_hull(&w->gpu), w->name);
	} else {
		int64_t few = LAUNCHES_PER_KERNEL * (int64_t)c->kernels.n;
		ncu_choice_find_launches(c, t, NONE, (ival){ INT64_MIN, INT64_MAX }, NULL);
		c->skip = c->count > few ? (c->count - few) / 2 : 0;
		c->count = c->count > few ? few : c->count;
	}
	window_free(&steps);
	window_free(&whole);
}

bool ncu_choose_top(ncu_choice *to, trace *t, int64_t n, notes *say)
{
	kernels_params p = { .mode = KERNELS_SUMS };
	window_filter all = { .pid = -1, .sub = -1, .gpu = -1 };
	windows whole = window_resolve(t, NULL, &all, WINDOW_TRACE, NULL);
	table rows = { 0 };
	bool ok = answer_rows(&kernels_answer, t, &whole, &p, &rows, say);

	for (size_t i = 0; ok && i < table_rows(&rows) && (int64_t)to->kernels.n < n; i++)
		if (strcmp(table_find(&rows, i, "class")->t, "compute") == 0)
			ncu_choice_add_kernel(to, t, table_find(&rows, i, "name")->t);
	table_free(&rows);
	window_free(&whole);
	if (ok && !to->kernels.n)
		return notes_problem(say, EXIT_CANNOT, "'%s' has no kernel that ncu could measure", t->path);
	if (ok) {
		ncu_choice_complete_names(to);
		ncu_choice_use_steady_step(to, t);
	}
	return ok;
}

/* The text in a cell; NULL: it is missing or not a text. */
static const char *ncu_choice_get_text(const read_table *rows, size_t row, const char *column)
{
	int c = table_column(&rows->rows, column);

	return c >= 0 && rows->rows.cols.v[c].type == 't' ? table_at(&rows->rows, row)[c].t : NULL;
}

const char *ncu_choice_find_trace(const read_table *rows)
{
	return table_rows(&rows->rows) ? ncu_choice_get_text(rows, 0, "trace") : NULL;
}

/* Is the row about the same window, of the same trace, as the first row? */
static bool ncu_choice_is_in_first_window(const read_table *rows, size_t row)
{
	static const char *const columns[] = { "trace", "window" };
	double a = 0, b = 0;

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const char *x = ncu_choice_get_text(rows, 0, columns[i]),
			   *y = ncu_choice_get_text(rows, row, columns[i]);
		if (!x != !y || (x && strcmp(x, y) != 0))
			return false;
	}
	if (ncu_choice_get_text(rows, 0, "window") || table_column(&rows->rows, "start_ns") < 0)
		return true;
	table_number(&rows->rows, 0, table_column(&rows->rows, "start_ns"), &a);
	table_number(&rows->rows, row, table_column(&rows->rows, "start_ns"), &b);
	return a == b;
}

/* Is the kernel of this row to be measured?  If the row has a class, it must be compute, because a collective that ncu
 * replays on one rank would wait forever for the other ranks. */
static bool ncu_choice_is_row_measured(const read_table *rows, size_t row)
{
	const char *class = ncu_choice_get_text(rows, row, "class");

	return ncu_choice_get_text(rows, row, "name") && (!class || strcmp(class, "compute") == 0);
}

/* Find the process and the time of the window of the first row.  *proc: NONE if the row names no process of the
 * trace.  False: the table has no window. */
static bool ncu_choice_find_window(const read_table *rows, const trace *t, uint32_t *proc, ival *gpu_time)
{
	int from = table_column(&rows->rows, "start_ns"), to = table_column(&rows->rows, "end_ns");
	int pid = table_column(&rows->rows, "pid");
	double a, b, p;

	if (!ncu_choice_get_text(rows, 0, "window") || from < 0 || to < 0 || !table_number(&rows->rows, 0, from, &a) ||
	    !table_number(&rows->rows, 0, to, &b))
		return false;
	*gpu_time = (ival){ (int64_t)a, (int64_t)b };
	*proc = NONE;
	for (uint32_t i = 0; pid >= 0 && rows->rows.cols.v[pid].type == 'i' && i < t->nprocs; i++)
		if (table_number(&rows->rows, 0, pid, &p) && t->procs[i].pid == (int64_t)p)
			*proc = i;
	return true;
}

bool ncu_choose_rows(ncu_choice *to, const read_table *rows, trace *t, notes *say)
{
	size_t others = 0;
	uint32_t proc;
	ival gpu_time;

	if (table_column(&rows->rows, "name") < 0)
		return notes_problem(say, EXIT_WRONG, "%s has no column 'name' with kernels; as in nsq-kernels -n 5 T "
				     "| nsq-capture --ncu-for -", rows->name);
	for (size_t i = 0; i < table_rows(&rows->rows); i++)
		if (!ncu_choice_is_in_first_window(rows, i))
			others++;
		else if (ncu_choice_is_row_measured(rows, i))
			ncu_choice_add_kernel(to, t, ncu_choice_get_text(rows, i, "name"));
	if (!to->kernels.n)
		return notes_problem(say, EXIT_WRONG, "%s names no kernel that computes; as in nsq-kernels -n 5 T | "
				     "nsq-capture --ncu-for -", rows->name);
	if (others)
		notes_remark(say, "%s is about several windows; the kernels of the first are measured there",
			     rows->name);
	ncu_choice_complete_names(to);
	if (t && ncu_choice_find_window(rows, t, &proc, &gpu_time))
		ncu_choice_find_launches(to, t, proc, gpu_time, ncu_choice_get_text(rows, 0, "window"));
	else if (t)
		ncu_choice_use_steady_step(to, t);
	else
		to->count = LAUNCHES_PER_KERNEL * (int64_t)to->kernels.n;
	return true;
}
