#include "tui/tui.h"
#include "picture/plot_colors.h"
#include "picture/work_category.h"
#include "timeline/clock_offset.h"
#include "timeline/lost_events.h"
#include "table/format.h"
#include "tui/marks.h"

enum { NEED = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_FULL };

static unsigned tui_find_needs(const tui_params *p)
{
	return NEED | (p->captured ? TRACE_CAPTURES : 0);
}

/* ---- names and times */

const char *tui_work_name(const tui *ui, uint32_t work)
{
	const trace_work *w = &ui->t->work;
	const char *name = str_at(&ui->t->names, ui->full_names ? work_full(w, work) : work_name(w, work));

	return name ? name : "-";
}

const char *tui_range_name(const tui *ui, uint32_t range)
{
	const char *name = str_at(&ui->t->names, ui->t->pushpop.name[range]);

	return name ? name : "-";
}

const char *tui_brief_range_name(const tui *ui, const char *name, char buf[TUI_BRIEF])
{
	static const char prefix[] = "autograd::engine::evaluate_function: ";
	const char *const suffix[] = { strstr(name, ", op_id = "), strstr(name, ", seq = ") };
	const char *end = NULL;

	if (ui->full_names)
		return name;
	for (size_t i = 0; i < 2; i++)
		if (suffix[i] && (!end || suffix[i] < end))
			end = suffix[i];
	if (strncmp(name, prefix, sizeof prefix - 1) == 0)
		name += sizeof prefix - 1;
	if (!end || end <= name || end - name >= TUI_BRIEF)
		return name;
	snprintf(buf, TUI_BRIEF, "%.*s", (int)(end - name), name);
	return buf;
}

/* Choose a letter that no other category has, if possible one in the category's name; '?': all letters are taken. */
static char tui_choose_letter(const tui *ui, const char *name)
{
	const char *const from[] = { name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ" };

	for (size_t i = 0; i < 2; i++)
		for (const char *c = from[i]; *c; c++)
			if (*c > ' ' && *c < 127 && *c != '_' && !memchr(ui->letter, *c, sizeof ui->letter))
				return *c;
	return '?';
}

static void tui_add_category(tui *ui, unsigned color, const char *name)
{
	if (ui->category[color])
		return;
	ui->category[color] = arena_copy(&ui->texts, name);
	ui->letter[color] = tui_choose_letter(ui, name);
}

unsigned tui_category_color(tui *ui, uint32_t work)
{
	uint32_t name = work_full(&ui->t->work, work), label;
	const char *text;
	unsigned color = PLOT_OTHER;

	if (name == STR_NONE)
		return PLOT_OTHER;
	if (!ui->color)
		ui->color = mem_new(uint8_t, ui->t->names.n);
	if (!ui->color[name]) {
		str_pool labels = { 0 };
		label = work_category(ui->t, work, NULL, &labels);
		text = label == STR_NONE ? "other" : str_at(&labels, label);
		plot_colors(&text, 1, &color);
		ui->color[name] = (uint8_t)(color + 1);
		tui_add_category(ui, color, text);
		str_free(&labels);
	}
	return ui->color[name] - 1u;
}

const char *tui_category_name(tui *ui, uint32_t work)
{
	const char *name = ui->category[tui_category_color(ui, work)];

	return name ? name : "other";
}

const char *tui_duration(int64_t ns, char buf[TUI_TEXT])
{
	return format_amount(false, (double)ns, buf, TUI_TEXT);
}

const char *tui_moment(const tui *ui, int64_t ns, char buf[TUI_TEXT])
{
	return format_moment(ui->relative ? ns - ui->places.v[ui->place].first.a : ns, buf, TUI_TEXT);
}

void tui_say(tui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->message, sizeof ui->message, fmt, ap);
	va_end(ap);
}

/* ---- showing places */

static void tui_show_frame(tui *ui)
{
	int rows, cols;
	canvas c;

	display_size(ui->display, &rows, &cols);
	c = tui_draw(ui, rows, cols);
	display_show(ui->display, &c);
	canvas_free(&c);
}

void tui_draw_busy(tui *ui, const char *message)
{
	if (!ui->display)
		return;
	tui_say(ui, "%s", message);
	tui_show_frame(ui);
	*ui->message = 0;
}

static trace *tui_open_source(tui *ui, size_t source, unsigned need)
{
	const tui_source *s = &ui->sources.v[source];
	trace *t;

	tui_draw_busy(ui, arena_printf(&ui->texts, "loading %s", s->path));
	t = trace_open(s->file, s->threads, ui->say);
	if (t && load_trace(t, need, ui->params->comm)) {
		t->path = s->path;
		return t;
	}
	tui_say(ui, "%s", ui->say->n ? ui->say->v[ui->say->n - 1].text : "the trace cannot be read");
	if (t)
		trace_free(t);
	return NULL;
}

static void tui_close_trace(trace **t)
{
	if (*t)
		trace_free(*t);
	*t = NULL;
}

/* Open the trace of another source, and close the current trace unless it is ui->first.  False: the new trace cannot
 * be read, and the current one stays. */
static bool tui_change_source(tui *ui, size_t source)
{
	bool first = source == ui->first_source;
	trace *t = first ? ui->first : tui_open_source(ui, source, tui_find_needs(ui->params));

	if (!t)
		return false;
	tree_view_forget(ui);
	lanes_free(ui->lanes);
	ui->lanes = NULL;
	tui_close_trace(&ui->owned);
	free(ui->color);
	ui->color = NULL;
	ui->t = t;
	ui->owned = first ? NULL : t;
	marks_of(ui)->from = marks_of(ui)->to = TRACE_UNKNOWN;  /* times of one trace mean nothing in another */
	return true;
}

/* The time from the first to the last event of a process, cut to 73 years before and after 0, so that sums of times
 * do not overflow. */
static ival tui_limit_time(const trace_proc *p)
{
	const int64_t most = INT64_MAX / 4;
	ival span = ival_cut(ival_hull(p->events, p->gpu), (ival){ -most, most });

	return span.a < span.b ? span : (ival){ 0, 1 };
}

/* The stream with the most pieces of work; it is selected when the place is shown. */
static size_t tui_choose_stream(const lanes *l)
{
	size_t most = 0;

	for (size_t s = 1; s < l->nstreams; s++)
		if (l->streams[s].all.n > l->streams[most].all.n)
			most = s;
	return most;
}

static void tui_take_clock_note(void *ctx, const trace_proc *p, const char *text UNNEEDED)
{
	tui *ui = ctx;
	const trace_proc *here = &ui->t->procs[ui->places.v[ui->place].proc];

	ui->clocks |= p->pid == here->pid && p->sub == here->sub;
}

bool tui_show_place(tui *ui, size_t place)
{
	const tui_place *p = &ui->places.v[place];

	if ((!ui->t || p->source != ui->places.v[ui->place].source) && !tui_change_source(ui, p->source))
		return false;
	lanes_free(ui->lanes);
	ui->place = place;
	ui->lanes = lanes_new(ui->t, p->proc, p->lane, around_flags(true, ui->params->captured));
	ui->lost = lost_events_of(ui->t)[p->proc];
	ui->clocks = false;
	clock_offset_find(ui->t, tui_take_clock_note, ui);
	ui->limit = tui_limit_time(&ui->t->procs[p->proc]);
	ui->cursor = p->first.a;
	ui->stream = tui_choose_stream(ui->lanes);
	filter_apply(ui);
	tui_set_view(ui, p->first);
	ui->opened = ui->view;
	tui_select(ui);
	return true;
}

/* ---- tui_answer: `rows` adds the places of each trace, `finish` shows them */

static question tui_make_question(const void *params)
{
	const tui_params *p = params;

	return (question){
		.need = tui_find_needs(p),
		.must = MUST_EITHER,
		.scope = WINDOW_GPU_WORK_OR_EVENTS,
		.comm = p->comm,
		.warn_lost = true,
		.warn_shared = true,
		.empty = "there is nothing to look at",
	};
}

static void tui_list_columns(const void *params UNNEEDED, table *out UNNEEDED)
{
}

static size_t tui_find_or_add_place(tui *ui, const trace *t, const tui_place *p)
{
	const trace_lane *lane = p->lane == SIZE_MAX ? NULL : &t->lanes[p->lane];
	const trace_proc *proc = &t->procs[p->proc];
	tui_place *last;

	for (size_t i = 0; i < ui->places.n; i++) {
		const tui_place *x = &ui->places.v[i];
		if (x->source == p->source && x->proc == p->proc && x->lane == p->lane)
			return i;
	}
	vec_push(&ui->places, *p);
	last = &ui->places.v[ui->places.n - 1];
	last->pid = arena_copy(&ui->texts, proc->shown);
	last->rank_text = proc->rank < 0 ? "" : arena_printf(&ui->texts, "rank %lld", (long long)proc->rank);
	last->gpu_text = p->gpu < 0 ? "" : arena_printf(&ui->texts, "GPU %lld", (long long)p->gpu);
	for (size_t i = 0; lane && i < lane->n; i++)
		last->kernels += t->work.kind[lane->first + i] <= WORK_GRAPH;
	return ui->places.n - 1;
}

static void tui_add_place(tui *ui, const trace *t, const window *w, size_t lane, bool given)
{
	tui_place p = { .source = ui->sources.n - 1, .proc = w->proc, .lane = lane,
		.gpu = lane == SIZE_MAX ? -1 : t->lanes[lane].gpu, .first = window_hull(&w->gpu) };
	size_t place = tui_find_or_add_place(ui, t, &p);

	if (given)
		vec_push(&ui->windows, (tui_window){ place, p.first, arena_copy(&ui->texts, w->name) });
}

static bool tui_take_trace(answer_ctx *a, const void *params)
{
	const tui_params *p = params;
	tui *ui = p->ui;

	ui->params = p;
	vec_push(&ui->sources, (tui_source){ arena_copy(&ui->texts, a->t->path), arena_copy(&ui->texts, a->t->db->path),
		a->t->workers });
	if (!ui->first && a->all->n) {
		ui->first = a->t;
		ui->first_source = ui->sources.n - 1;
	}
	while (answer_next_window(a)) {
		size_t end, first = trace_find_lanes(a->t, a->w->proc, &end);
		for (size_t l = first; l < end; l++)
			if (window_has_lane(a->w, &a->t->lanes[l]))
				tui_add_place(ui, a->t, a->w, l, a->all->chosen);
		if (first == end)
			tui_add_place(ui, a->t, a->w, SIZE_MAX, a->all->chosen);
	}
	return true;
}

static bool tui_keeps_trace(const void *params, const trace *t)
{
	return ((const tui_params *)params)->ui->first == t;
}

enum { POLL_MS = 30 };          /* the loop looks for the answer to a question at this interval, in ms */

static void tui_run_loop(tui *ui)
{
	while (!ui->quit) {
		if (background_is_waiting(ui))
			background_poll(ui);
		jumps_ask_causes(ui);
		tui_show_frame(ui);
		tui_handle_event(ui, display_wait(ui->display, background_is_waiting(ui) ? POLL_MS : -1));
	}
}

size_t tui_print_lines(const void *params, const table *none UNNEEDED, size_t n UNNEEDED, FILE *to)
{
	tui *ui = ((const tui_params *)params)->ui;

	for (size_t i = 0; i < ui->lines.n; i++)
		fprintf(to, "%s\n", ui->lines.v[i]);
	arena_free(&ui->texts);
	mem_free(ui->lines.v, ui->sources.v, ui->places.v, ui->windows.v, ui);
	return 0;
}

/* Free everything that a session made, except for ui->texts and the lists of ui.  ui->first belongs to the caller. */
static void tui_free_session(tui *ui)
{
	marks_free(ui);
	tree_view_free(ui);
	lanes_free(ui->lanes);
	tui_close_trace(&ui->owned);
	free(ui->color);
}

static bool tui_finish_run(const void *params, table *out UNNEEDED, notes *say)
{
	const tui_params *p = params;
	tui *ui = p->ui;
	bool ok = true;

	ui->say = say;
	ui->shown = TUI_TIMELINE;
	ui->set = (tui_settings){ .selected_rows = 3, .other_rows = 1, .tick = 20, .depth = 4 };
	if (!ui->places.n)
		return true;
	ok = tui_show_place(ui, 0);
	if (ok)
		panels_say_place(ui);
	if (say->n)
		tui_say(ui, "%s", say->v[say->n - 1].text);
	if (ok) {
		notes_free(say);        /* the last note is on the screen now */
		ui->display = display_open(p->color, say);
	}
	if (ui->display) {
		tui_run_loop(ui);
		display_close(ui->display);
	}
	ok = ok && ui->display;
	tui_free_session(ui);
	return ok;
}

const answer tui_answer = { .columns = tui_list_columns, .question = tui_make_question, .rows = tui_take_trace,
	.finish = tui_finish_run, .keeps = tui_keeps_trace, .rows_at_end = true };
