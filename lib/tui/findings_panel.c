#include "tui/marks.h"

#include <ctype.h>

/* The findings of nsq-advise about the trace that is shown; NULL: they are not known yet. */
static const marked *findings_here(const tui *ui)
{
	const struct tui_marks *m = ui->marks;

	return m && m->found && m->found_source == ui->places.v[ui->place].source ? m->found : NULL;
}

static int panel_lines(tui *ui)
{
	const marked *m = findings_here(ui);

	return m && m->findings.n ? (int)m->findings.n : 1;
}

/* Names its process only where the trace has several. */
static void panel_line(tui *ui, canvas *c, int row, int col, int width, int line, canvas_style style)
{
	const marked *m = findings_here(ui);
	const marked_finding *f;
	char saved[TUI_TEXT] = "-";
	int at;

	if (!m || !m->findings.n) {
		canvas_text(c, row, col, width, m ? "nsq-advise finds nothing to fix in this trace" :
			    "looking for what nsq-advise finds ...", style);
		return;
	}
	f = &m->findings.v[line];
	if (f->recover_ns != TABLE_MISSING)
		snprintf(saved, sizeof saved, "%.1f %%", f->recover_pct);
	at = canvas_printf(c, row, col, width, style, "%-9s %7s  ", f->severity, saved);
	if (ui->places.n > 1)
		at += canvas_printf(c, row, col + at, width - at, style, "pid %lld  ", (long long)f->pid);
	canvas_text(c, row, col + at, width - at, f->title, style);
}

/* The stream that does something then, so that this is selected; else it stays. */
static void choose_stream(tui *ui, int64_t moment)
{
	for (size_t s = 0; s < ui->lanes->nstreams; s++)
		if (band_at(&ui->lanes->streams[s].all, moment) != SIZE_MAX) {
			ui->stream = s;
			return;
		}
}

static void go_to_finding(tui *ui, const marked_finding *f)
{
	size_t place = marks_place(ui, f->pid, f->sub, f->gpu);
	int64_t room = ns_sub(f->at.b, f->at.a);

	marks_leave(ui);
	if (place != ui->place && !tui_choose(ui, place))
		return;
	ui->shown = TUI_TIMELINE;
	choose_stream(ui, f->at.a);
	if (f->shown)
		tui_go_to_range(ui, (ival){ ns_sub(f->at.a, room), ns_add(f->at.b, room) });
	tui_go(ui, f->at.a);
	tui_say(ui, "%c%s; shown is %s", toupper((unsigned char)*f->finding), f->finding + 1,
		f->shown ? f->shown : "the first step");
}

static bool panel_key(tui *ui, int key)
{
	const marked *m = findings_here(ui);

	if (key != DISPLAY_ENTER || !m || (size_t)ui->panel_at >= m->findings.n)
		return false;
	ui->panel = NULL;
	go_to_finding(ui, &m->findings.v[ui->panel_at]);
	return true;
}

static const tui_panel panel = { "Findings of nsq-advise, with what each saves of a step: Enter goes there",
	panel_lines, panel_line, panel_key, NULL, true };

static void findings_told(tui *ui, bool ok)
{
	struct tui_marks *m = marks_of(ui);

	if (!ok) {
		asked_give_up(ui, &panel);
		return;
	}
	marked_free(m->found);
	m->found = m->asked.found;
	m->asked.found = NULL;
	m->found_source = ui->places.v[m->asked.answer.place].source;
}

void findings_open(tui *ui, int key UNNEEDED)
{
	asked_question q = asked_here(ui, ASKED_FINDINGS);
	const asked_question *now = &marks_of(ui)->asked.now;
	size_t source = ui->places.v[ui->place].source;

	q.done = findings_told;
	tui_open_panel(ui, &panel);
	if (!findings_here(ui) && (now->kind != ASKED_FINDINGS || ui->places.v[now->place].source != source))
		asked_start(ui, &q);
}
