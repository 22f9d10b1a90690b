#include "answer/step_parts.h"
#include "answer/api.h"
#include "answer/gaps.h"
#include "answer/kernels.h"
#include "answer/overlap.h"
#include "answer/step_windows.h"
#include "answer/window.h"

#define COLUMNS(X) \
	X(PID, "pid", 't', NULL, NULL) X(RANK, "rank", 'i', NULL, NULL) X(START, "start_ns", 'i', "ns", NULL) \
	X(END, "end_ns", 'i', "ns", NULL) X(AMOUNT, "amount", 'i', NULL, NULL) X(UNIT, "unit", 't', NULL, NULL) \
	X(PART, "part", 't', NULL, NULL) X(WINDOW, "window", 't', NULL, NULL) X(TRACE, "trace", 't', NULL, NULL)

enum { TABLE_IDS(COLUMNS) };
static const table_col columns[] = { TABLE_COLS(COLUMNS) };

static const gaps_params idle = { .mode = GAPS_SUMS }, causes = { .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE };
static const api_params launches = { .mode = API_LAUNCH, .class = API_ALL_CLASSES };

static overlap_params exposed(const step_parts_params *p)
{
	return (overlap_params){ .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE, .rules = p->stages };
}

static kernels_params kernels(const step_parts_params *p)
{
	return (kernels_params){ .mode = KERNELS_SUMS, .keys = KERNELS_BY_CATEGORY | KERNELS_BY_PID, .categories = p->categories };
}

static window_params steps(const step_parts_params *p)
{
	window_params w = { .mode = WINDOW_PICK, .match = p->match, .steady = true, .period = true };

	window_pick_named("all", &w);
	return w;
}

question step_parts_question(const step_parts_params *p)
{
	window_params w = steps(p);
	overlap_params o = exposed(p);
	kernels_params k = kernels(p);
	const question all[] = { window_question(&w), gaps_question(&idle), gaps_question(&causes), api_question(&launches),
		overlap_question(&o), kernels_question(&k) };
	question q = { .must = MUST_CUDA, .scope = all[0].scope };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		q.need |= all[i].need | all[i].need_asked;
		q.must |= all[i].must;
		q.warn_lost |= all[i].warn_lost;
		q.warn_shared |= all[i].warn_shared;
		q.mention_graphs |= all[i].mention_graphs;
	}
	return q;
}

static const table_cell *cell(const table *t, size_t row, const char *column)
{
	const table_cell *cells = table_at(t, row);

	for (size_t i = 0; i < t->cols.n; i++)
		if (strcmp(t->cols.v[i].name, column) == 0)
			return &cells[i];
	return NULL;
}

/* Each row of an answer is an amount: of the part, or with a key of PART.KEY. */
static void add(table *out, const table *from, const char *column, const char *part, const char *key)
{
	arena texts = { 0 };

	for (size_t i = 0; i < table_rows(from); i++) {
		int64_t pid = cell(from, i, "pid")->i;
		const char *of = key ? cell(from, i, key)->t : NULL;
		table_row(out);
		table_text(out, PID, number_pid_text(pid / TABLE_SUBS, pid % TABLE_SUBS - 1, (char[NUMBER_PID_SIZE]){ 0 }));
		table_int(out, RANK, cell(from, i, "rank")->i);
		table_int(out, START, cell(from, i, "start_ns")->i);
		table_int(out, END, cell(from, i, "end_ns")->i);
		table_int(out, AMOUNT, cell(from, i, column)->i);
		table_word(out, UNIT, strcmp(column, "launches") == 0 ? NULL : "ns");
		table_text(out, PART, key ? arena_printf(&texts, "%s.%s", part, of ? of : "-") : part);
		table_text(out, WINDOW, cell(from, i, "window")->t);
		table_text(out, TRACE, cell(from, i, "trace")->t);
	}
	table_group(out);
	arena_free(&texts);
}

/* What the steps are: their rule, and for annotated ones the name without its digits. */
static const char *described(const table *rows, table *out)
{
	str_pool names = { 0 };
	arena texts = { 0 };
	const char *text = "no steps";

	for (size_t i = 0; i < table_rows(rows); i++) {
		const char *rule = cell(rows, i, "rule")->t, *name = cell(rows, i, "name")->t;
		if (strcmp(rule, "process") == 0)
			continue;
		name = name ? str_at(&names, str_fold(&names, str_id(&names, name, strlen(name)))) : "-";
		text = strcmp(rule, "iteration") == 0 ? arena_printf(&texts, "ranges '%s'", name) :
			strcmp(rule, "chunk") == 0 ? "chunks" : strcmp(rule, "repeat") == 0 ? "repeats of kernels" : "matches";
		break;
	}
	text = table_keep(out, text);
	arena_free(&texts);
	str_free(&names);
	return text;
}

static bool add_answers(trace *t, const windows *all, const step_parts_params *p, table *out, notes *say)
{
	overlap_params o = exposed(p);
	kernels_params k = kernels(p);
	table rows[5] = { 0 };
	bool ok = gaps_answer(t, all, &idle, &rows[0], say) && gaps_answer(t, all, &causes, &rows[1], say) &&
		overlap_answer(t, all, &o, &rows[2], say) && api_answer(t, all, &launches, &rows[3], say) &&
		kernels_answer(t, all, &k, &rows[4], say);

	if (ok) {
		add(out, &rows[0], "busy_ns", "busy", NULL);
		add(out, &rows[0], "idle_ns", "idle", NULL);
		add(out, &rows[1], "idle_ns", "idle", "cause");
		add(out, &rows[2], "exposed_ns", "exposed", NULL);
		add(out, &rows[3], "launches", "launches", NULL);
		add(out, &rows[4], "total_ns", "kernels", "category");
	}
	for (int i = 0; i < 5; i++)
		table_free(&rows[i]);
	return ok;
}

const char *step_parts_answer(trace *t, const step_parts_params *p, table *out, notes *say)
{
	window_params w = steps(p);
	question q = window_question(&w);
	windows whole = window_resolve(t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, q.scope, say), all;
	table rows = { 0 };
	const char *what = NULL;

	for (int i = PID; i <= TRACE; i++)
		table_add(out, i, &columns[i - COL_OWN]);
	out->given_order = true;
	if (window_answer(t, &whole, &w, &rows, say) && window_finish(&w, &rows, say)) {
		all = step_windows_of(t, &rows, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, say);
		add(out, &rows, "dur_ns", "step", NULL);
		if (add_answers(t, &all, p, out, say))
			what = described(&rows, out);
		window_free(&all);
	}
	table_free(&rows);
	window_free(&whole);
	return what;
}
