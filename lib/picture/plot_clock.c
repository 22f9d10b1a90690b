#include "picture/one_clock.h"
#include "picture/plot_parts.h"
#include "trace/load.h"
#include "trace/report.h"

/* Add a trace to the common clock; false: it cannot be read. */
static bool plot_clock_add_trace(one_clock *c, const char *path, int threads, arena *texts)
{
	notes unsaid = { 0 };
	const char *file;
	trace *t = report_find_file(path, &(report_how){ 0 }, &file, texts, &unsaid) && file ?
		trace_open(file, threads, &unsaid) : NULL;
	bool ok = t && load_trace(t, ONE_CLOCK_NEED, NULL);

	if (ok)
		one_clock_add(c, t, &unsaid);
	if (t)
		trace_free(t);
	notes_free(&unsaid);
	return ok;
}

void plot_clock_set_ahead(plot_rows *r, plot *to, notes *say)
{
	one_clock *c = one_clock_new();
	const char *lost = NULL;

	for (uint32_t i = 0; i < r->traces.n && !lost; i++)
		if (!plot_clock_add_trace(c, str_at(&r->traces, i), r->in->threads, &to->texts))
			lost = str_at(&r->traces, i);
	r->ahead = mem_new(int64_t, r->traces.n + 1);
	for (uint32_t i = 0; i < r->traces.n && !lost; i++)
		r->ahead[i] = one_clock_nth_ahead(c, i);
	to->one_clock = !lost && one_clock_is_common(c);
	plot_remark(to, say,
		    lost ? arena_printf(&to->texts, "each trace is drawn on its own clock: '%s' cannot be read", lost) :
			   arena_copy(&to->texts, one_clock_sentence(c)));
	one_clock_free(c);
}
