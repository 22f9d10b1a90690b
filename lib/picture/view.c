#include "picture/view.h"
#include "base/search.h"
#include "base/whole_file.h"

#include <inttypes.h>

#define COLUMNS(X) \
	X(WORK, "work", 'i', NULL, "pieces of GPU work in the window") \
	X(CALLS, "calls", 'i', NULL, "CUDA calls in it") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in it") \
	X(MARKS, "marks", 'i', NULL, "NVTX marks in it") \
	X(OS_CALLS, "os_calls", 'i', NULL, "OS calls in it") \
	X(EVENTS, "events", 'i', NULL, "what the trace puts into a page over all windows, idle stretches and values of counters included") \
	X(FILE_NAME, "file", 't', NULL, "where they were written; -: nowhere")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static const int64_t exact = (int64_t)1 << 52;  /* twice this, with a sign, is exact in a browser */

static question ask(const void *params)
{
	const view_params *p = params;

	return (question){
		.need = TIMELINE_PAGE_NEEDS | TRACE_FULL | TRACE_SHAPE | TRACE_BYTES | TRACE_CALL_COUNTS | TRACE_CAPTURES,
		.must = MUST_ANY | MUST_CUDA | MUST_NVTX | MUST_OS,
		.need_survey = ONE_CLOCK_NEED,
		.scope = WINDOW_TRACE,
		.comm = p->comm,
		.warn_lost = true,
		.replayed = p->path ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "there are no windows",
	};
}

static void columns(const void *params, table *out)
{
	(void)params;
	table_columns(out, all_columns, WORK, CALLS, RANGES, MARKS, OS_CALLS, EVENTS, FILE_NAME);
}

static bool fits(const timeline *tl, int64_t ahead, const view_page *page, notes *say)
{
	view_size size = view_page_size(page);
	ival hull = view_page_wider(page, tl, ahead);
	uint64_t span;

	span = (uint64_t)hull.b - (uint64_t)hull.a;
	if (size.events + tl->events > VIEW_MOST)
		return notes_problem(say, EXIT_WRONG, "%zu events, of which %zu are idle stretches and %zu values of counters, do not fit "
				     "a page (at most %d); cut it with a window: nsq-window '%s' | nsq-view -o ..., or -w A..B, or -p PID",
				     size.events + tl->events, size.stretches + tl->stretches, size.values + tl->values, VIEW_MOST, tl->t->path);
	if (span > (uint64_t)exact)
		return notes_problem(say, EXIT_WRONG, "%" PRIu64 " ns do not fit a page (at most %lld); cut '%s' with a window: "
				     "-w A..B", span, (long long)exact, tl->t->path);
	return true;
}

/* How many events of a track are in the window. */
static size_t count(const timeline *tl, const timeline_track *k, const window *w)
{
	bool on_gpu = k->kind == TIMELINE_WORK;
	const ival_set *side = on_gpu ? &w->gpu : &w->cpu;
	size_t hi, n = 0;

	if (on_gpu ? !window_lane(w, &tl->t->lanes[k->lane]) : w->proc != NONE && w->proc != k->proc)
		return 0;
	search_first(hi, 0, k->events.n, timeline_whole(tl, k, hi).a >= window_hull(side).b);
	for (size_t i = 0; i < hi; i++) {
		ival x = timeline_whole(tl, k, i);
		n += window_has(w, side, x.a, x.b);
	}
	return n;
}

static void window_row(asking *a, const timeline *tl, const view_params *p)
{
	static const int column[] = { [TIMELINE_WORK] = WORK, [TIMELINE_RANGES] = RANGES, [TIMELINE_STARTEND] = RANGES,
		[TIMELINE_CALLS] = CALLS, [TIMELINE_MARKS] = MARKS, [TIMELINE_OS] = OS_CALLS };
	static const int counted[] = { WORK, CALLS, RANGES, MARKS, OS_CALLS };
	size_t n[FILE_NAME + 1] = { 0 };

	for (size_t i = 0; i < tl->tracks.n; i++)
		if (tl->tracks.v[i].kind != TIMELINE_IDLE)
			n[column[tl->tracks.v[i].kind]] += count(tl, &tl->tracks.v[i], a->w);
	asking_row(a);
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
		table_int(a->out, counted[i], (int64_t)n[counted[i]]);
	table_int(a->out, EVENTS, (int64_t)tl->events);
	table_text(a->out, FILE_NAME, p->path);
}

static bool rows(asking *a, const void *params)
{
	const view_params *p = params;
	timeline *tl = a->all->n ? timeline_build(a->t, a->all, around_what(p->adopt, p->captured), TIMELINE_PAGE) : NULL;
	int64_t ahead = p->path ? one_clock_ahead(p->clock, a->t, a->say) : 0;
	bool ok = tl && (!p->path || fits(tl, ahead, p->page, a->say));

	if (tl && !ok)
		view_page_refuse(p->page);
	while (ok && asking_window(a))
		window_row(a, tl, p);
	if (ok && p->path)
		view_page_add(p->page, tl, ahead);
	if (tl)
		timeline_free(tl);
	return ok || !a->all->n;
}

static bool write_page(const view_params *p, notes *say)
{
	whole_file w;

	if (!whole_begin(&w, p->path, p->replace, say))
		return false;
	view_page_write(p->page, view_page_traces(p->page) > 1 ? one_clock_words(p->clock) : NULL, w.to);
	return whole_end(&w);
}

static bool finish(const void *params, table *out, notes *say)
{
	const view_params *p = params;
	bool ok = !view_page_refused(p->page) && (!p->path || !view_page_traces(p->page) || write_page(p, say));

	if (!ok)
		table_clear(out);
	view_page_free(p->page);
	one_clock_free(p->clock);
	return ok;
}

static void survey(trace *t, const void *params, notes *say)
{
	const view_params *p = params;

	if (p->path && p->clock)
		one_clock_add(p->clock, t, say);
}

const answer view_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows,
	.survey = survey, .finish = finish };
