#include "capture/capturing.h"
#include "answer/answers.h"
#include "answer/step_windows.h"
#include "answer/window.h"
#include "base/parallel.h"
#include "table/format.h"
#include "trace/slice_list.h"

#include <sys/stat.h>

enum { MOST_BYTES = 2000000000 };       /* a larger trace is not checked, because reading it takes long */

static const window_filter everything = { .pid = -1, .sub = -1, .gpu = -1 };

static trace *caught_open_trace(const char *path, int threads, const question *q, notes *say)
{
	trace *t = trace_open(path, threads, say);

	if (t && (!question_fits(q, t, say) || !load_trace(t, q->need | q->need_if_named, NULL))) {
		trace_free(t);
		t = NULL;
	}
	return t;
}

/* ---- steps */

/* Parse indices of steps, such as A..B.  The first step has index 0, even if it is not steady (step/steady.h).  Each
 * step lasts until the next begins.  *ok: is the text valid? */
static window_params caught_parse_steps(const char *steps, bool *ok)
{
	window_params w = { .mode = WINDOW_PICK, .period = true };

	*ok = window_read_picks(steps, &w);
	for (size_t i = 0; *ok && i < w.npicks; i++)
		*ok = w.pick[i].which == WINDOW_INDEX;
	return w;
}

bool caught_steps_are_valid(const char *steps)
{
	bool ok;

	caught_parse_steps(steps, &ok);
	return ok;
}

static bool caught_slice_window(trace *t, const window_asks *asks, const char *to, notes *say)
{
	slice_params p = { .mode = SLICE_WRITE,
		.how = { .path = to, .keep = SLICE_ENV | SLICE_HOST | SLICE_COMMAND | SLICE_PATHS |
			SLICE_CLOCK } };
	windows all = window_resolve(t, asks, &everything, WINDOW_TRACE, say);
	table made = { 0 };
	notes unheard = { 0 };          /* shown only if the slice fails: otherwise these notes matter only to users
					 * who share the slice */
	bool ok = answer_rows(&slice_answer, t, &all, &p, &made, &unheard);

	if (!ok)
		notes_move_all(&unheard, say);
	notes_free(&unheard);
	table_free(&made);
	window_free(&all);
	return ok;
}

bool caught_slice_steps(const char *trace_path, int threads, const char *steps, const char *to, notes *say)
{
	bool ok;
	window_params w = caught_parse_steps(steps, &ok);
	question q = window_answer.question(&w), more = slice_answer.question(&(slice_params){ .mode = SLICE_WRITE });
	table rows = { 0 };
	window_asks asks = { 0 };
	windows all;
	trace *t;

	q.need |= more.need | more.need_if_named;
	t = ok ? caught_open_trace(trace_path, threads, &q, say) : NULL;
	if (!t)
		return false;
	all = window_resolve(t, NULL, &everything, q.scope, say);
	ok = answer_rows(&window_answer, t, &all, &w, &rows, say) && window_finish(&w, &rows, say) &&
		question_windows_from_rows(&rows, &asks, say) && caught_slice_window(t, &asks, to, say);
	window_free(&all);
	window_asks_free(&asks);
	table_free(&rows);
	trace_free(t);
	return ok;
}

/* ---- why a capture is not what was wanted */

const char *caught_find_advice(const char *text, arena *to)
{
	rules *known = rules_load("trouble", NULL);
	const char *found = NULL;

	for (size_t n; known && *text && !found; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		found = rules_match(known, arena_text(to, text, n));
	}
	found = arena_copy(to, found);
	rules_free(known);
	return found;
}

/* The value of the fact, a row of nsq-setup --facts, that has this key; NULL: the trace has no such fact. */
static const char *caught_find_fact(const table *facts, const char *key)
{
	for (size_t i = 0; i < table_rows(facts); i++)
		if (strcmp(table_find(facts, i, "key")->t, key) == 0)
			return table_find(facts, i, "value")->t;
	return NULL;
}

const char *caught_explain_no_events(const capture_params *p, arena *to)
{
	if (p->range)
		return arena_printf(to, "the range '%s' did not open, or in another domain (NAME@* takes any)",
				    p->range);
	if (p->profiler_api)
		return "the command did not come to cudaProfilerStart";
	if (p->delay_s || p->duration_s)
		return "the command worked at another time; change --delay and --duration";
	return NULL;
}

/* A likely reason why the trace has no GPU work, or a question that may lead to it. */
static const char *caught_why_no_gpu_work(const capture_params *p, const table *facts, arena *to)
{
	const char *said = caught_find_fact(facts, "suspicious.diagnostic"),
		   *why = said ? caught_find_advice(said, to) : NULL;

	if (!why && p->range && !caught_find_fact(facts, "missing.nvtx"))
		why = arena_printf(to, "the GPU had nothing to do while '%s' was open", p->range);
	if (!why)
		why = caught_explain_no_events(p, to);
	if (!why && said)
		why = arena_printf(to, "nsys says '%s'", said);
	return why ? why : "did the command use one, in a process that it waits for?";
}

static void caught_note_first_flaw(const capture_params *p, const table *facts, notes *say)
{
	arena texts = { 0 };
	const char *lost = caught_find_fact(facts, "suspicious.lost");

	if (caught_find_fact(facts, "missing.cuda") || caught_find_fact(facts, "suspicious.no_work"))
		notes_remark(say, "no work of a GPU was captured: %s", caught_why_no_gpu_work(p, facts, &texts));
	else if (lost)
		notes_warn(say, "nsys lost events: %s; capture less (--range, --profiler-api, --duration) or give "
			   "--flag=...", lost);
	else if (caught_find_fact(facts, "missing.nvtx"))
		notes_remark(say, "no NVTX ranges were captured, so steps are guessed from what repeats; name them "
			     "in the program");
	arena_free(&texts);
}

void caught_check_trace(const char *trace_path, int threads, const capture_params *p, notes *say)
{
	setup_params params = { .mode = SETUP_FACTS };
	question q = setup_answer.question(&params);
	struct stat st = { 0 };
	table facts = { 0 };
	char size[FORMAT_CELL];
	trace *t;

	if (stat(trace_path, &st) == 0 && st.st_size > MOST_BYTES) {
		notes_remark(say, "'%s' has %s, which takes long to read; capture less (--range, --duration, --steps)",
			     trace_path, format_amount(true, (double)st.st_size, size, sizeof size));
		return;
	}
	t = caught_open_trace(trace_path, threads, &q, say);
	if (!t)
		return;
	if (answer_rows(&setup_answer, t, &(windows){ 0 }, &params, &facts, say))
		caught_note_first_flaw(p, &facts, say);
	table_free(&facts);
	trace_free(t);
}
