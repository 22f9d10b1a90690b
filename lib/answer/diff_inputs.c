#include "answer/diff_inputs.h"
#include "answer/capture.h"
#include "answer/step_parts.h"

/* The parts of the steps of a trace, as a table that was read.  Returns what the steps are; NULL after a problem. */
static const char *parts_of(const input_trace *from, int threads, const step_parts_params *p, step_survey *both,
			    read_table *to, capture *how, notes *say)
{
	question q = step_parts_question(p);
	trace *t = trace_open(from->file, threads, say);
	const char *steps = NULL;

	if (!t)
		return NULL;
	t->path = from->path;
	to->name = arena_printf(&to->names, "'%s'", from->path);
	if (question_fits(&q, t, say) && load_trace(t, q.need, q.comm)) {
		question_warn(&q, t, NULL, NULL, say);
		steps = step_parts_answer(t, p, both, &to->rows, say);
		steps = capture_read(how, t) && db_unchanged(t->db) ? steps : NULL;
	}
	trace_free(t);
	return steps;
}

static void say_capture(const read_table side[2], capture how[2], notes *say)
{
	const char *differs = capture_difference(&how[0], &how[1]);

	if (differs)
		notes_remark(say, "%s and %s were captured differently, which may be part of what changed: %s",
			     side[0].name, side[1].name, differs);
}

static bool has_steps(const read_table side[2], notes *say)
{
	for (int s = 0; s < 2; s++)
		if (!table_rows(&side[s].rows)) {
			notes_remark(say, "%s has no step that another follows, so there is nothing to "
				     "compare; nsq-window --list shows what -m can choose", side[s].name);
			return false;
		}
	return true;
}

static bool diff_parts(const inputs *in, const diff_inputs_params *p, const step_parts_params *parts,
		       table *out, notes *say)
{
	read_table side[2] = { 0 };
	capture how[2] = { 0 };
	step_survey both = { 0 };
	question q = step_parts_question(parts);
	const char *steps[2] = { "", "" };
	diff_params by_part = p->diff;
	bool ok = step_survey_inputs(&both, in, &q, say);

	by_part.of = "amount";
	by_part.unit_in = "unit";
	for (int s = 0; ok && s < 2 && steps[0]; s++)
		steps[s] = parts_of(&in->traces[s < (int)in->ntraces ? s : 0], in->threads, parts, &both,
				    &side[s], &how[s], say);
	ok = ok && steps[0] && steps[1];
	if (ok && !p->match && strcmp(steps[0], steps[1]) != 0)
		ok = notes_problem(say, EXIT_WRONG, "the steps of %s are %s, those of %s are %s; choose the same in "
				   "both with -m REGEX (nsq-window --list shows the names)", side[0].name, steps[0],
				   side[1].name, steps[1]);
	if (ok)
		say_capture(side, how, say);
	if (ok && has_steps(side, say))
		ok = diff_answer(&side[0], &side[1], &by_part, out, say);
	else if (ok)
		diff_columns(out);
	for (int s = 0; s < 2; s++) {
		read_table_free(&side[s]);
		capture_free(&how[s]);
	}
	step_survey_free(&both);
	return ok;
}

static bool diff_traces(const inputs *in, const diff_inputs_params *p, table *out, notes *say)
{
	rules *stages = rules_load("stages", say);
	bool ok = stages && diff_parts(in, p, &(step_parts_params){ p->match, stages }, out, say);

	rules_free(stages);
	return ok;
}

bool diff_inputs_answer(const inputs *in, const diff_inputs_params *p, table *out, notes *say)
{
	if (in->ntraces && in->ntables)
		return notes_problem(say, EXIT_WRONG, "'%s' is a trace and %s a table; compare two traces, or two "
				     "tables of one tool", in->traces[0].path, in->tables[0].table.name);
	if (in->ntraces && p->diff.of)
		return notes_problem(say, EXIT_WRONG, "'--of %s' has no effect on traces, of which the parts of "
				     "the steps are compared; drop it", p->diff.of);
	if (in->ntraces)
		return diff_traces(in, p, out, say);
	if (p->match)
		return notes_problem(say, EXIT_WRONG, "'-m' has no effect on tables, whose windows are chosen "
				     "already; drop it");
	return diff_answer(&in->tables[0].table, &in->tables[1].table, &p->diff, out, say);
}
