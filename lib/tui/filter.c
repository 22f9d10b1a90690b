#include "base/number.h"
#include "tui/tui.h"

pattern *filter_compile(tui *ui, const char *text)
{
	char why[PATTERN_WHY];
	bool capital = text[strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")];
	pattern *p = pattern_new(text, capital ? PATTERN_EXACT : PATTERN_ANY_CASE, why);

	if (!p)
		tui_say(ui, "not an expression: %s", why);
	return p;
}

bool filter_done(tui *ui, const pattern *p)
{
	if (pattern_gave_up(p))
		tui_say(ui, "the expression takes too long; repeat less in it");
	return !pattern_gave_up(p);
}

static void say_kept(tui *ui)
{
	size_t kept = 0, all = 0;

	for (size_t s = 0; s < ui->lanes->nstreams; s++) {
		kept += lanes_kept(ui->lanes, s)->n;
		all += ui->lanes->streams[s].all.n;
	}
	if (ui->lanes->filtered)
		tui_say(ui, "%zu of %zu kernels and copies", kept, all);
}

bool filter_apply(tui *ui)
{
	pattern *p = NULL;
	uint32_t work = tui_work(ui);
	bool done;

	*ui->message = 0;
	if (*ui->filter && !(p = filter_compile(ui, ui->filter)))
		return false;
	lanes_filter(ui->lanes, p, ui->set.shortest);
	if (work == NONE)
		tui_select(ui);
	else
		tui_select_work(ui, work);
	say_kept(ui);
	done = !p || filter_done(ui, p);
	pattern_free(p);
	return done;
}

static bool typed(tui *ui, const char *text)
{
	memmove(ui->filter, text, strlen(text) + 1);
	return filter_apply(ui);
}

void filter_ask(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "filter kernels by name (an expression; Esc: all): ", typed, typed };

	tui_ask(ui, &p, ui->filter);
}

static bool shortest_done(tui *ui, const char *text)
{
	int64_t unit, ns = 0;

	if (*text && (!number_time(text, strlen(text), 1, &unit, &ns) || ns < 0)) {
		tui_say(ui, "'%s' is not a duration; write 500ns, 20us or 1.5ms", text);
		return false;
	}
	ui->set.shortest = ns;
	filter_apply(ui);
	return true;
}

void filter_ask_shortest(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "shortest kernel (20us; nothing: all): ", NULL, shortest_done };
	char text[TUI_TEXT] = "";

	if (ui->set.shortest)
		snprintf(text, sizeof text, "%lldns", (long long)ui->set.shortest);
	tui_ask(ui, &p, text);
}
