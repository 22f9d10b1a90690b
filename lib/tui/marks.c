#include "tui/marks.h"

struct tui_marks *marks_of(tui *ui)
{
	if (!ui->marks) {
		ui->marks = mem_new(struct tui_marks, 1);
		ui->marks->source = ui->marks->background.source = SIZE_MAX;
		ui->marks->from = ui->marks->to = TRACE_UNKNOWN;
		ui->marks->gap_limit = MARKS_GAP_LIMIT;
	}
	return ui->marks;
}

void marks_free(tui *ui)
{
	if (!ui->marks)
		return;
	bookmarks_free(&ui->marks->kept);
	lookup_sums_free(&ui->marks->sums);
	table_free(&ui->marks->gap);
	marked_free(ui->marks->found);
	if (background_free(&ui->marks->background))
		free(ui->marks);
	ui->marks = NULL;
}

/* ---- going to a place, and back */

void marks_remember_spot(tui *ui)
{
	struct tui_marks *m = marks_of(ui);

	m->back = (marks_spot){ ui->place, ui->stream, ui->view, ui->cursor, ui->shown };
	m->has_back = true;
}

static bool marks_go_to_spot(tui *ui, const marks_spot *to)
{
	if (ui->place != to->place && !tui_show_place(ui, to->place))
		return false;
	ui->shown = to->shown;
	if (to->stream < ui->lanes->nstreams)
		ui->stream = to->stream;
	ui->cursor = to->cursor;
	tui_set_view(ui, to->view);
	tui_move_cursor(ui, to->cursor);
	return true;
}

void marks_back(tui *ui, int key UNNEEDED)
{
	struct tui_marks *m = marks_of(ui);
	marks_spot to = m->back;

	if (!m->has_back) {
		tui_say(ui, "there was no jump yet");
		return;
	}
	marks_remember_spot(ui);
	marks_go_to_spot(ui, &to);
}

/* ---- the marked time */

bool marks_time(const tui *ui, ival *time)
{
	const struct tui_marks *m = ui->marks;

	if (!m || m->from == TRACE_UNKNOWN || m->to == TRACE_UNKNOWN)
		return false;
	*time = (ival){ m->from, m->to };
	return true;
}

ival marks_time_or_view(const tui *ui)
{
	ival time;

	return marks_time(ui, &time) ? time : ui->view;
}

/* ---- bookmarks */

/* Say the first note about bookmarks in the last line, and free the notes. */
static void marks_say_first_note(tui *ui, notes *say)
{
	if (say->n)
		tui_say(ui, "%s", say->v[0].text);
	notes_free(say);
}

/* The bookmarks of the shown trace.  They are read, unless the last call was about the same trace. */
static bookmarks *marks_read_bookmarks(tui *ui)
{
	struct tui_marks *m = marks_of(ui);
	size_t source = ui->places.v[ui->place].source;
	notes say = { 0 };

	if (m->source != source) {
		bookmarks_free(&m->kept);
		m->kept = (bookmarks){ 0 };
		bookmarks_open(&m->kept, ui->sources.v[source].path, ui->sources.v[source].file, &say);
		m->source = source;
		m->at = m->kept.n;
		marks_say_first_note(ui, &say);
	}
	return &m->kept;
}

/* The names of the ranges around a piece of work, from the outermost: "step 3 > forward"; NULL: there are none. */
static const char *marks_join_ranges(const tui *ui, uint32_t work, arena *texts)
{
	const around *a = ui->lanes->around;
	const char *path = NULL;

	for (around_walk walk = around_work(a, work); walk.range != NONE; around_next(a, &walk)) {
		const char *name = tui_range_name(ui, walk.range);
		path = path ? arena_printf(texts, "%s > %s", name, path) : arena_copy(texts, name);
	}
	return path;
}

/* The name for a bookmark's window: the name of the innermost range around the work or, if there is none, of the
 * work itself; if work is NONE, "time".  If the name ends in #INDEX@A..B, @A..B is cut off, because tools would read
 * it as the CPU side of the window (window_table.h). */
static const char *marks_choose_name(const tui *ui, uint32_t work, arena *texts)
{
	around_walk walk = { .range = NONE };
	const char *name = "time";

	if (work != NONE) {
		walk = around_work(ui->lanes->around, work);
		name = walk.range != NONE ? tui_range_name(ui, walk.range) : tui_work_name(ui, work);
	}
	return arena_text(texts, name, window_table_length_without_cpu(name));
}

void marks_save_time(tui *ui, ival time)
{
	bookmarks *b = marks_read_bookmarks(ui);
	const tui_place *p = &ui->places.v[ui->place];
	const trace_proc *proc = &ui->t->procs[p->proc];
	const trace_stream *st = ui->stream < ui->lanes->nstreams ?
		&ui->t->streams[ui->lanes->streams[ui->stream].stream] : NULL;
	uint32_t work = tui_selected_work(ui);
	arena texts = { 0 };
	notes say = { 0 };
	bookmark here = { .pid = proc->pid,
			  .sub = proc->sub,
			  .start = time.a,
			  .end = time.b,
			  .at = ui->cursor,
			  .gpu = p->gpu < 0 ? TABLE_MISSING : p->gpu,
			  .ctx = st ? st->ctx : TABLE_MISSING,
			  .stream = st ? st->stream : TABLE_MISSING,
			  .kernel = work == NONE ? NULL : tui_work_name(ui, work),
			  .nvtx = work == NONE ? NULL : marks_join_ranges(ui, work, &texts),
			  .name = marks_choose_name(ui, work, &texts) };

	if (here.at < here.start || here.at > here.end)
		here.at = here.start;
	if (bookmarks_find(b, &here) < b->n)
		tui_say(ui, "that is bookmark %zu", bookmarks_find(b, &here) + 1);
	else if (bookmarks_add(b, &here, &say))
		tui_say(ui, b->file ? "bookmark %zu: %s" : "bookmark %zu, for this session: %s", b->n, here.name);
	marks_of(ui)->at = bookmarks_find(b, &here);
	marks_say_first_note(ui, &say);
	arena_free(&texts);
}

void marks_save(tui *ui, int key UNNEEDED)
{
	marks_save_time(ui, marks_time_or_view(ui));
}

size_t marks_find_place(const tui *ui, int64_t pid, int64_t sub, int64_t gpu)
{
	for (size_t i = 0; i < ui->places.n; i++) {
		const tui_place *p = &ui->places.v[i];
		if (p->source == ui->places.v[ui->place].source && (p->gpu == gpu || gpu == TABLE_MISSING) &&
		    trace_is_process(ui->t, p->proc, pid, sub))
			return i;
	}
	return ui->place;
}

static void marks_go_to_bookmark(tui *ui, size_t i)
{
	bookmark m = marks_read_bookmarks(ui)->v[i];
	marks_spot to = { marks_find_place(ui, m.pid, m.sub, m.gpu), 0, { m.start, m.end }, m.at, TUI_TIMELINE };

	marks_remember_spot(ui);
	if (ui->place != to.place && !tui_show_place(ui, to.place))
		return;
	to.stream = ui->stream;
	for (size_t s = 0; s < ui->lanes->nstreams; s++) {
		const trace_stream *st = &ui->t->streams[ui->lanes->streams[s].stream];
		if (st->ctx == m.ctx && st->stream == m.stream)
			to.stream = s;
	}
	marks_go_to_spot(ui, &to);
	marks_of(ui)->at = i;
	tui_say(ui, "bookmark %zu: %s", i + 1, m.name ? m.name : "-");
}

void marks_go_to_number(tui *ui, int key)
{
	size_t i = (size_t)(key - '1'), n = marks_read_bookmarks(ui)->n;

	if (i < n)
		marks_go_to_bookmark(ui, i);
	else
		tui_say(ui, n ? "there is no bookmark %zu" : "there is no bookmark %zu; B makes one", i + 1);
}

void marks_go_to_neighbor(tui *ui, int key)
{
	size_t n = marks_read_bookmarks(ui)->n, at = marks_of(ui)->at;

	if (!n)
		tui_say(ui, "there are no bookmarks; B makes one");
	else if (key == '.')
		marks_go_to_bookmark(ui, at >= n ? 0 : (at + 1) % n);
	else
		marks_go_to_bookmark(ui, at >= n ? n - 1 : (at + n - 1) % n);
}

/* ---- the list of bookmarks */

static int marks_count_lines(tui *ui)
{
	return (int)marks_read_bookmarks(ui)->n;
}

static void marks_draw_line(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	const bookmark *m = &marks_read_bookmarks(ui)->v[line];
	char at[TUI_TEXT], length[TUI_TEXT], number[16] = "";
	int used;

	if (line < 9)
		snprintf(number, sizeof number, "%d", line + 1);
	used = canvas_printf(c, row, col, width, style, "%1s %s  %s  ", number, tui_moment(ui, m->at, at),
			     tui_duration(m->end - m->start, length));
	canvas_printf(c, row, col + used, width - used, style, "%s%s%s", m->kernel ? m->kernel : "",
		      m->nvtx ? " in " : "", m->nvtx ? m->nvtx : "");
}

static bool marks_press_key(tui *ui, int key)
{
	bookmarks *b = marks_read_bookmarks(ui);
	notes say = { 0 };
	bool number = key >= '1' && key <= '9';

	if (number || key == DISPLAY_ENTER) {
		ui->panel = NULL;
		if (number)
			marks_go_to_number(ui, key);
		else
			marks_go_to_bookmark(ui, (size_t)ui->panel_at);
		return true;
	}
	if (key != 'x' && key != DISPLAY_DELETE)
		return false;
	bookmarks_remove(b, (size_t)ui->panel_at, &say);
	marks_say_first_note(ui, &say);
	marks_of(ui)->at = b->n;
	if (!b->n)
		ui->panel = NULL;
	else if ((size_t)ui->panel_at >= b->n)
		ui->panel_at = (int)b->n - 1;
	return true;
}

void marks_list(tui *ui, int key UNNEEDED)
{
	static const tui_panel p = { "Bookmarks: 1 to 9 or Enter go there, x removes one",
				     marks_count_lines,
				     marks_draw_line,
				     marks_press_key,
				     NULL,
				     true };
	size_t n = marks_read_bookmarks(ui)->n, at = marks_of(ui)->at;

	if (!n) {
		if (!*ui->message)
			tui_say(ui, "there are no bookmarks; B makes one");
		return;
	}
	tui_open_panel(ui, &p);
	ui->panel_at = at < n ? (int)at : 0;
}
