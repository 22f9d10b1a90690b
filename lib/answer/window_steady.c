/* The rows that --steady and --skip of nsq-window keep, which are chosen when the rows of all traces are there; and the
 * rows of --stats, which sum these up. */
#include "answer/window_columns.h"
#include "base/group.h"
#include "base/stats.h"

#include <string.h>

/* Does each process have at most one group?  If so, all processes are judged together. */
static bool window_steady_has_one_group_each(const window_group *g, size_t n)
{
	group seen = { .width = 2 };
	str_pool traces = { 0 };
	bool once = true;

	for (size_t i = 0; i < n && once; i++) {
		const char *path = g[i].n ? window_text(g[i].t, g[i].first, COL_TRACE) : "";
		size_t met = seen.n;
		if (g[i].n)
			once = group_of(&seen, (int64_t[]){ str_id(&traces, path, strlen(path)),
				table_value(g[i].t, g[i].first, COL_PID)->i }) == met;
	}
	group_free(&seen);
	str_free(&traces);
	return once;
}

/* The periods, lengths and busy times of the rows of a group that --skip keeps. steady_list_free frees them. */
static steady_list window_steady_list_steps(const window_group *g, size_t skip)
{
	size_t n = g->n - skip, first = g->first + skip;
	steady_list l = { mem_new(int64_t, n), mem_new(int64_t, n), NULL, n };

	if (n && table_value(g->t, first, WINDOW_BUSY)->i != TABLE_MISSING)
		l.busy = mem_new(int64_t, n);
	for (size_t i = 0; i < n; i++) {        /* TABLE_MISSING and STEADY_NONE are the same value */
		l.period[i] = table_value(g->t, first + i, PERIOD_NS)->i;
		l.length[i] = table_value(g->t, first + i, DUR_NS)->i;
		if (l.busy)
			l.busy[i] = table_value(g->t, first + i, WINDOW_BUSY)->i;
	}
	return l;
}

/* Does the process of the group have steps, and does --skip keep any? */
static bool window_steady_has_steps(const window_group *g, size_t skip)
{
	return g->n > skip && !g->whole;
}

/* Set `steady` of each group.  steadily: leave out steps that are not steady. */
static void window_steady_find_steady(window_group *g, size_t n, size_t skip, bool steadily)
{
	steady_list *lists = mem_new(steady_list, n);
	steady *found = mem_new(steady, n);
	bool together = window_steady_has_one_group_each(g, n);
	size_t m = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		if (window_steady_has_steps(&g[i], skip))
			lists[m++] = window_steady_list_steps(&g[i], skip);
	if (together)
		steady_find(lists, m, found, steadily);
	for (size_t i = 0; i < m && !together; i++)
		steady_find(&lists[i], 1, &found[i], steadily);
	for (size_t i = 0; i < n; i++)
		if (window_steady_has_steps(&g[i], skip)) {
			g[i].steady = found[k++];
			g[i].steady.first += skip;
			g[i].steady.end += skip;
			g[i].steady.typical += skip;
		} else {
			g[i].steady.end = g[i].n;
			g[i].steady.first = g[i].steady.typical = g[i].whole ? 0 : g[i].n;
		}
	for (size_t i = 0; i < m; i++)
		steady_list_free(&lists[i]);
	mem_free(lists, found);
}

bool window_keeps_only_steady(const window_params *p)
{
	return p->steady || (p->skip == WINDOW_BY_DEFAULT && !p->choice.match);
}

window_group *window_group_rows(const window_params *p, const table *rows)
{
	window_group *g = mem_new(window_group, rows->groups.n);

	for (size_t i = 0; i < rows->groups.n; i++) {
		size_t first = i ? rows->groups.v[i - 1] : 0;
		g[i] = (window_group){ .t = rows, .p = p, .first = first, .n = rows->groups.v[i] - first };
		g[i].whole = g[i].n && window_rule_of_row(rows, first) == STEPS_PROCESS;
	}
	window_steady_find_steady(g, rows->groups.n, p->skip > 0 ? (size_t)p->skip : 0, window_keeps_only_steady(p));
	return g;
}

/* Mention processes of which --skip keeps no step. */
static void window_steady_say_skipped(const window_group *g, size_t n, notes *say)
{
	size_t gone = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		if (g[i].n && g[i].steady.first == g[i].n) {
			gone++;
			most = g[i].n > most ? g[i].n : most;
		}
	if (gone)
		notes_remark(say, "--skip %lld leaves nothing of %zu of %zu processes or windows, which have at most "
			     "%zu range%s", (long long)g->p->skip, gone, n, most, most == 1 ? "" : "s");
}

/* What messages call the first `lead` steps of every process: "step 3" or "steps 3 to 5"; NULL: their numbers differ
 * between processes. */
static const char *window_steady_name_leading(arena *texts, const window_group *g, size_t n, size_t lead)
{
	int64_t first = TABLE_MISSING, last = TABLE_MISSING;

	for (size_t i = 0; i < n; i++)
		if (g[i].n && !g[i].whole) {
			int64_t a = table_value(g[i].t, g[i].first, NUMBER)->i;
			int64_t b = table_value(g[i].t, g[i].first + lead - 1, NUMBER)->i;
			if (first != TABLE_MISSING && (a != first || b != last))
				return NULL;
			first = a;
			last = b;
		}
	return lead == 1 ? arena_printf(texts, "step %lld", (long long)first) :
		arena_printf(texts, "steps %lld to %lld", (long long)first, (long long)last);
}

/* Two times, given in ns, in the unit that fits the longer one: "477 to 58 us". */
static const char *window_steady_format_pair(arena *texts, int64_t from, int64_t to)
{
	static const struct { const char *unit; double ns; } units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
		{ "ns", 1 } };
	size_t k = 0;

	while (k + 1 < sizeof units / sizeof *units && (double)(from > to ? from : to) < units[k].ns)
		k++;
	return arena_printf(texts, "%.3g to %.3g %s", (double)from / units[k].ns, (double)to / units[k].ns,
			    units[k].unit);
}

/* Mention it if steps get longer or shorter from one to the next, because then none counts as warm-up. */
static void window_steady_say_trend(const window_group *g, size_t n, notes *say)
{
	arena texts = { 0 };
	size_t trends = 0, all = 0, first = n;

	for (size_t i = 0; i < n; i++) {
		all += g[i].n && !g[i].whole;
		trends += g[i].steady.trend;
		first = g[i].steady.trend && first == n ? i : first;
	}
	if (trends)
		notes_remark(say, "steps%s get %s (%s), so none counts as warm-up or as long",
			     trends == all ? "" :
			     arena_printf(&texts, " of %zu of %zu processes or windows", trends, all),
			     g[first].steady.to < g[first].steady.from ? "shorter" : "longer",
			     window_steady_format_pair(&texts, g[first].steady.from, g[first].steady.to));
	arena_free(&texts);
}

/* Name the leading steps that are left out as warm-up, if they are the same in all processes; otherwise say how many
 * they are at most.  Also mention last steps that are left out.  If steps that are not steady are kept, only mention
 * processes of which --skip keeps no step. */
void window_say_left_out(const window_group *g, size_t n, notes *say)
{
	arena texts = { 0 };
	size_t least = SIZE_MAX, most = 0, endless = 0, groups = 0;
	const char *first = "", *last = "";

	if (n && !window_keeps_only_steady(g->p)) {
		window_steady_say_skipped(g, n, say);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (g[i].n && !g[i].whole) {
			size_t lead = g[i].steady.first;
			least = lead < least ? lead : least;
			most = lead > most ? lead : most;
			endless += g[i].steady.end < g[i].n;
			groups++;
		}
	window_steady_say_trend(g, n, say);
	if (most)
		first = least == most ? window_steady_name_leading(&texts, g, n, most) : NULL;
	if (!first)
		first = arena_printf(&texts, "up to %zu leading steps of a process", most);
	if (endless)
		last = endless == groups && most ? "the last (no next step to end it)" :
			endless == groups ? "the last step (no next step to end it)" :
			arena_printf(&texts, "the last step of %zu of %zu processes or windows", endless, groups);
	if (most || endless)
		notes_add(say, most ? NOTE_REMARK : NOTE_DETAIL, "skipped %s%s%s%s; %s--skip 0 keeps %s", first,
			  most ? " (warm-up)" : "", most && endless ? " and " : "", last,
			  g->p->skip == WINDOW_BY_DEFAULT ? "" : "nsq-window ", most && endless ? "both" : "it");
	arena_free(&texts);
}

/* ---- --stats */

/* Add a row for each combination of folded name (a # for each number) and side (gpu or cpu) in a group.  The row's
 * start_ns and end_ns span all ranges that it sums up. */
static void window_steady_add_stats(const window_group *r, str_pool *names, table *out)
{
	group g = { .width = 2 };
	stats dur = { 0 }, period = { 0 };
	vec(ival) hull = { 0 };
	stats_summary *d, *p;

	for (size_t i = r->first + r->steady.first; i < r->first + r->steady.end; i++) {
		const char *name = table_value(r->t, i, NAME)->t;
		ival at = { table_value(r->t, i, COL_START)->i, table_value(r->t, i, COL_END)->i };
		uint32_t folded = name ? str_fold(names, str_id(names, name, strlen(name))) : STR_NONE;
		size_t k = group_of(&g, (int64_t[]){ folded, strcmp(window_text(r->t, i, SIDE), "cpu") == 0 });
		if (k == hull.n)
			vec_push(&hull, at);
		hull.v[k] = (ival){ at.a < hull.v[k].a ? at.a : hull.v[k].a, at.b > hull.v[k].b ? at.b : hull.v[k].b };
		stats_add(&dur, k, at.b - at.a);
		if (table_value(r->t, i, PERIOD_NS)->i != TABLE_MISSING)
			stats_add(&period, k, table_value(r->t, i, PERIOD_NS)->i);
	}
	d = stats_finish(&dur, g.n);
	p = stats_finish(&period, g.n);
	for (size_t k = 0; k < g.n; k++) {
		table_row(out);
		table_int(out, COL_PID, table_value(r->t, r->first, COL_PID)->i);
		table_int(out, COL_RANK, table_value(r->t, r->first, COL_RANK)->i);
		table_int(out, COL_START, hull.v[k].a);
		table_int(out, COL_END, hull.v[k].b);
		table_stats(out, (table_stats_ids){ .count = COUNT, .p50 = DUR_P50_NS, .p90 = DUR_P90_NS,
			.min = DUR_MIN_NS,
			.max = DUR_MAX_NS }, &d[k]);
		table_stats(out, (table_stats_ids){ .p50 = PERIOD_P50_NS, .p90 = PERIOD_P90_NS,
			.p99 = PERIOD_P99_NS, .max = PERIOD_MAX_NS }, &p[k]);
		table_num(out, TOKENS_P50_PER_S, window_tokens_per_s(r->p, p[k].count ? p[k].p50 : 0));
		table_num(out, TOKENS_P90_PER_S, window_tokens_per_s(r->p, p[k].count ? p[k].p90 : 0));
		table_num(out, TOKENS_P99_PER_S, window_tokens_per_s(r->p, p[k].count ? p[k].p99 : 0));
		table_word(out, SIDE, g.key[2 * k + 1] ? "cpu" : "gpu");
		table_text(out, NAME, str_at(names, (uint32_t)g.key[2 * k]));
		table_text(out, COL_WINDOW, table_value(r->t, r->first, WINDOW_GIVEN)->t);
		table_text(out, COL_TRACE, table_value(r->t, r->first, COL_TRACE)->t);
	}
	table_group(out);
	mem_free(d, p, hull.v);
	group_free(&g);
}

void window_turn_into_stats(const window_params *p, table *rows, notes *say)
{
	table out = { 0 };
	str_pool names = { 0 };
	window_group *groups;

	if (!rows->cols.n || !rows->slot[WINDOW_GIVEN])
		return;                 /* no trace was answered */
	groups = window_group_rows(p, rows);
	window_answer.columns(p, &out);
	for (size_t g = 0; g < rows->groups.n; g++)
		window_steady_add_stats(&groups[g], &names, &out);
	window_say_left_out(groups, rows->groups.n, say);
	table_free(rows);
	*rows = out;
	free(groups);
	str_free(&names);
}
