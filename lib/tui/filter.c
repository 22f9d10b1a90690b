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

bool filter_check_time(tui *ui, const pattern *p)
{
	if (pattern_gave_up(p))
		tui_say(ui, "the expression takes too long; repeat less in it");
	return !pattern_gave_up(p);
}

static void filter_say_kept(tui *ui)
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
	uint32_t work = tui_selected_work(ui);
	bool done;

	*ui->message = 0;
	if (*ui->filter && !(p = filter_compile(ui, ui->filter)))
		return false;
	lanes_filter(ui->lanes, p, ui->set.shortest);
	if (work == NONE)
		tui_select(ui);
	else
		tui_select_work(ui, work);
	filter_say_kept(ui);
	done = !p || filter_check_time(ui, p);
	pattern_free(p);
	return done;
}

static bool filter_set_text(tui *ui, const char *text)
{
	memmove(ui->filter, text, strlen(text) + 1);
	return filter_apply(ui);
}

void filter_ask(tui *ui, int key UNNEEDED)
{
	static const tui_prompt p = { "search kernels by name (an expression; Esc: all): ", filter_set_text,
				      filter_set_text };

	tui_open_prompt(ui, &p, "");
}

/* ---- going from match to match; matches are in order of start, then of stream */

/* The number of a stream's matches that come before the selected work or, if none is selected, before the cursor.
 * with_selected: count the selected work, too. */
static size_t filter_count_matches(const tui *ui, size_t stream, bool with_selected)
{
	const band *b = lanes_kept(ui->lanes, stream);
	bool selected = tui_selected_work(ui) != NONE;
	int64_t moment = selected ? ui->t->work.start[tui_selected_work(ui)] : ui->cursor;

	if (selected && stream == ui->stream)
		return ui->piece + with_selected;
	return band_find_from(b, moment + (selected && stream < ui->stream));
}

static uint32_t filter_find_match(const tui *ui, bool next)
{
	uint32_t found = NONE;
	int64_t best = 0;

	for (size_t s = 0; s < ui->lanes->nstreams; s++) {
		const band *b = lanes_kept(ui->lanes, s);
		size_t i = filter_count_matches(ui, s, next);
		int64_t start;
		if (next ? i >= b->n : !i)
			continue;
		i -= !next;
		start = band_time(b, i).a;
		if (found == NONE || (next ? start < best : start >= best)) {
			best = start;
			found = b->item[i];
		}
	}
	return found;
}

void filter_next(tui *ui, int key)
{
	uint32_t work = *ui->filter ? filter_find_match(ui, key == 'n') : NONE;
	size_t before = 0, all = 0;

	if (work == NONE) {
		tui_say(ui, *ui->filter ? "no %s match" : "nothing is searched for: / does",
			key == 'n' ? "later" : "earlier");
		return;
	}
	tui_go_to_work(ui, work);
	for (size_t s = 0; s < ui->lanes->nstreams; s++) {
		before += filter_count_matches(ui, s, false);
		all += lanes_kept(ui->lanes, s)->n;
	}
	tui_say(ui, "match %zu of %zu", before + 1, all);
}

/* ---- the shortest duration */

static bool filter_set_shortest(tui *ui, const char *text)
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
	static const tui_prompt p = { "shortest kernel (20us; nothing: all): ", NULL, filter_set_shortest };
	char text[TUI_TEXT] = "";

	if (ui->set.shortest)
		snprintf(text, sizeof text, "%lldns", (long long)ui->set.shortest);
	tui_open_prompt(ui, &p, text);
}
