#include "base/text.h"
#include "tui/marks.h"

#include <ctype.h>
#include <string.h>

/* The findings of nsq-advise about all traces; NULL: they are not known yet. */
static const marked *findings_panel_get(const tui *ui)
{
	return ui->marks ? ui->marks->found : NULL;
}

static int findings_panel_count_lines(tui *ui)
{
	const marked *m = findings_panel_get(ui);

	return m && m->findings.n ? (int)m->findings.n : 1;
}

/* A line names its trace if there are several traces, otherwise its process if there are several processes or GPUs. */
static void findings_panel_draw_line(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	const marked *m = findings_panel_get(ui);
	const marked_finding *f;
	char saved[TUI_TEXT] = "-";
	int at;

	if (!m || !m->findings.n) {
		canvas_text(c, row, col, width, m ? "nsq-advise finds nothing to fix" :
			    "looking for what nsq-advise finds ...", style);
		return;
	}
	f = &m->findings.v[line];
	if (f->recover_ns != TABLE_MISSING)
		snprintf(saved, sizeof saved, "%.1f %%", f->recover_pct);
	at = canvas_printf(c, row, col, width, style, "%-9s %7s  ", f->severity, saved);
	if (ui->sources.n > 1)
		at += canvas_printf(c, row, col + at, width - at, style, "%s  ", text_base(f->trace));
	else if (ui->places.n > 1)
		at += canvas_printf(c, row, col + at, width - at, style, "pid %lld  ", (long long)f->pid);
	canvas_text(c, row, col + at, width - at, f->title, style);
}

/* Select the first stream with work at the moment.  If there is none, the selected stream stays. */
static void findings_panel_choose_stream(tui *ui, int64_t moment)
{
	for (size_t s = 0; s < ui->lanes->nstreams; s++)
		if (band_find_open(&ui->lanes->streams[s].all, moment) != SIZE_MAX) {
			ui->stream = s;
			return;
		}
}

/* Show the first place of a trace, unless the trace is shown already.  False: the trace has no place, or cannot be
 * read. */
static bool findings_panel_choose_trace(tui *ui, const char *path)
{
	size_t place = 0;

	if (strcmp(ui->sources.v[ui->places.v[ui->place].source].path, path) == 0)
		return true;
	while (place < ui->places.n && strcmp(ui->sources.v[ui->places.v[place].source].path, path) != 0)
		place++;
	return place < ui->places.n && tui_show_place(ui, place);
}

static void findings_panel_go_to_finding(tui *ui, const marked_finding *f)
{
	int64_t room = ns_sub(f->at.b, f->at.a);
	size_t place;

	marks_remember_spot(ui);
	if (!findings_panel_choose_trace(ui, f->trace))
		return;
	place = marks_find_place(ui, f->pid, f->sub, f->gpu);
	if (place != ui->place && !tui_show_place(ui, place))
		return;
	ui->shown = TUI_TIMELINE;
	findings_panel_choose_stream(ui, f->at.a);
	if (f->shown)
		tui_go_to_range(ui, (ival){ ns_sub(f->at.a, room), ns_add(f->at.b, room) });
	tui_move_cursor(ui, f->at.a);
	tui_say(ui, "%c%s; shown is %s", toupper((unsigned char)*f->finding), f->finding + 1,
		f->shown ? f->shown : "the first step");
}

static bool findings_panel_press_key(tui *ui, int key)
{
	const marked *m = findings_panel_get(ui);

	if (key != DISPLAY_ENTER || !m || (size_t)ui->panel_at >= m->findings.n)
		return false;
	ui->panel = NULL;
	findings_panel_go_to_finding(ui, &m->findings.v[ui->panel_at]);
	return true;
}

static const tui_panel panel = { "Findings of nsq-advise, with what each saves of a step: Enter goes there",
	findings_panel_count_lines, findings_panel_draw_line, findings_panel_press_key, NULL, true };

static void findings_panel_take_findings(tui *ui, bool ok)
{
	struct tui_marks *m = marks_of(ui);

	if (!ok) {
		background_report_failure(ui, &panel);
		return;
	}
	marked_free(m->found);
	m->found = m->background.found;
	m->background.found = NULL;
}

void findings_open(tui *ui, int key UNNEEDED)
{
	background_question q = background_question_here(ui, BACKGROUND_FINDINGS);

	q.done = findings_panel_take_findings;
	tui_open_panel(ui, &panel);
	if (!findings_panel_get(ui) && marks_of(ui)->background.now.kind != BACKGROUND_FINDINGS)
		background_ask(ui, &q);
}
