#include "answer/step_parts.h"
#include "answer/answers.h"
#include "answer/window.h"

#define COLUMNS(X) \
	X(PID, "pid", 't', NULL, NULL) X(RANK, "rank", 'i', NULL, NULL) X(START, "start_ns", 'i', "ns", NULL) \
	X(END, "end_ns", 'i', "ns", NULL) X(AMOUNT, "amount", 'i', NULL, NULL) X(UNIT, "unit", 't', NULL, NULL) \
	X(PART, "part", 't', NULL, NULL) X(WINDOW, "window", 't', NULL, NULL) X(TRACE, "trace", 't', NULL, NULL)

enum { TABLE_IDS(COLUMNS) };
static const table_col columns[] = { TABLE_COLS(COLUMNS) };

static const api_params launches = { .mode = API_LAUNCH_COUNTS, .class = API_ALL_CLASSES };

static const overlap_params exposed = { .mode = OVERLAP_SUMS };

static ledger_params step_parts_make_ledger_params(const steps_choice *choice)
{
	return (ledger_params){ .mode = LEDGER_SUMS, .keys = LEDGER_BY_OWNER, .choice = *choice };
}

question step_parts_question(const steps_choice *choice)
{
	ledger_params l = step_parts_make_ledger_params(choice);
	const question all[] = { ledger_answer.question(&l), api_answer.question(&launches),
		overlap_answer.question(&exposed) };
	question q = { .must = MUST_CUDA | (choice->match ? MUST_NVTX : 0), .scope = all[0].scope,
		.match = choice->match, .choice = *choice };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		q.need |= all[i].need | all[i].need_if_named;
		q.must |= all[i].must;
		q.warn_lost |= all[i].warn_lost;
		q.warn_shared |= all[i].warn_shared;
		q.warn_clocks |= all[i].warn_clocks;
		q.mention_graphs |= all[i].mention_graphs;
	}
	return q;
}

static bool step_parts_is_row_of_trace(const trace *t, const table *rows, size_t row)
{
	return strcmp(table_value(rows, row, COL_TRACE)->t, t->path) == 0;
}

/* Add a row for each row of `from` that is about the trace.  column: the column with the amount.  key: the column that
 * names the part; if it is NULL, the part is `part`. */
static void step_parts_add_amounts(table *out, const trace *t, const table *from, const char *column, const char *part,
				   const char *key)
{
	int amount_col = table_column(from, column), part_col = key ? table_column(from, key) : -1;

	for (size_t i = 0; i < table_rows(from); i++) {
		int64_t pid = table_value(from, i, COL_PID)->i;
		if (!step_parts_is_row_of_trace(t, from, i))
			continue;
		table_row(out);
		table_text(out, PID, number_pid_text(pid / TABLE_SUBS, pid % TABLE_SUBS - 1,
						     (char[NUMBER_PID_SIZE]){ 0 }));
		table_int(out, RANK, table_value(from, i, COL_RANK)->i);
		table_int(out, START, table_value(from, i, COL_START)->i);
		table_int(out, END, table_value(from, i, COL_END)->i);
		table_int(out, AMOUNT, table_at(from, i)[amount_col].i);
		table_word(out, UNIT, strcmp(column, "launches") == 0 ? NULL : "ns");
		table_text(out, PART, key ? table_at(from, i)[part_col].t : part);
		table_text(out, WINDOW, table_value(from, i, COL_WINDOW)->t);
		table_text(out, TRACE, table_value(from, i, COL_TRACE)->t);
	}
	table_group(out);
}

/* What the steps of the trace are: "ranges 'iteration #'", "chunks", "repeats of kernels", "matches" (of -m or
 * --kernel) or "no steps". */
static const char *step_parts_describe(const trace *t, const table *rows, table *out)
{
	str_pool names = { 0 };
	arena texts = { 0 };
	const char *text = "no steps";

	for (size_t i = 0; i < table_rows(rows); i++) {
		const char *name = table_find(rows, i, "name")->t;
		enum steps_rule rule = window_rule_of_row(rows, i);
		if (rule == STEPS_PROCESS || !step_parts_is_row_of_trace(t, rows, i))
			continue;
		name = name ? str_at(&names, str_fold(&names, str_id(&names, name, strlen(name)))) : "-";
		text = rule == STEPS_ITERATION ? arena_printf(&texts, "ranges '%s'", name) :
			rule == STEPS_CHUNK ? "chunks" : rule == STEPS_REPEAT ? "repeats of kernels" : "matches";
		break;
	}
	text = table_keep(out, text);
	arena_free(&texts);
	str_free(&names);
	return text;
}

static bool step_parts_add_answers(trace *t, const windows *all, const steps_choice *choice, table *out, notes *say)
{
	ledger_params l = step_parts_make_ledger_params(choice);
	table rows[3] = { 0 };
	bool ok = answer_rows(&ledger_answer, t, all, &l, &rows[0], say);

	ok &= answer_rows(&overlap_answer, t, all, &exposed, &rows[1], say);
	ok &= answer_rows(&api_answer, t, all, &launches, &rows[2], say);
	if (ok) {
		step_parts_add_amounts(out, t, &rows[0], "dur_ns", NULL, "owner");
		step_parts_add_amounts(out, t, &rows[1], "exposed_ns", "exposed", NULL);
		step_parts_add_amounts(out, t, &rows[2], "launches", "launches", NULL);
	}
	for (int i = 0; i < 3; i++)
		table_free(&rows[i]);
	return ok;
}

const char *step_parts_answer(trace *t, const windows *all, const steps_choice *choice, const table *steps, table *out,
			      notes *say)
{
	for (int i = PID; i <= TRACE; i++)
		table_add(out, i, &columns[i - COL_OWN]);
	out->given_order = true;
	step_parts_add_amounts(out, t, steps, "dur_ns", "step", NULL);
	return step_parts_add_answers(t, all, choice, out, say) ? step_parts_describe(t, steps, out) : NULL;
}
