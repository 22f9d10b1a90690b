#include "base/number.h"
#include "base/pattern.h"
#include "tui/tui.h"

bool filter_compile(tui *ui, regex_t *re, const char *text)
{
	char buf[200];
	bool capital = text[strcspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")];
	const char *wrong = pattern_compile(re, text, REG_NOSUB | (capital ? 0 : REG_ICASE), buf, sizeof buf);

	if (wrong)
		tui_say(ui, "not an expression: %s", wrong);
	return !wrong;
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
	regex_t re;
	uint32_t work = tui_work(ui);

	*ui->message = 0;
	if (*ui->filter && !filter_compile(ui, &re, ui->filter))
		return false;
	lanes_filter(ui->lanes, *ui->filter ? &re : NULL, ui->set.shortest);
	if (*ui->filter)
		regfree(&re);
	if (work == NONE)
		tui_select(ui);
	else
		tui_select_work(ui, work);
	say_kept(ui);
	return true;
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
