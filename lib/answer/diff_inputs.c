#include "answer/diff_inputs.h"
#include "answer/capture.h"
#include "answer/step_parts.h"

/* A trace of the command line, loaded once for its survey and its answer. */
typedef struct {
	trace *t;               /* NULL: it cannot be opened */
	bool loaded;
	notes say;              /* what there is to say of it, until it is its turn */
	read_table parts;       /* of its steps */
	capture how;
	const char *steps;      /* what they are; NULL: a problem */
} side;

static void load_side(side *s, const input_trace *from, int threads, const question *q, step_survey *both)
{
	s->t = trace_open(from->file, threads, &s->say);
	if (!s->t)
		return;
	s->t->path = from->path;
	s->parts.name = arena_printf(&s->parts.names, "'%s'", from->path);
	s->loaded = question_fits(q, s->t, &s->say) && load_trace(s->t, q->need, q->comm);
	if (s->loaded)
		step_survey_add(both, s->t, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, q->match);
}

/* The parts of the steps of a trace, which is not needed after that. */
static bool answer_side(side *s, const question *q, const step_parts_params *p, step_survey *both, notes *say)
{
	if (s->loaded) {
		question_warn(q, s->t, NULL, NULL, &s->say);
		s->steps = step_parts_answer(s->t, p, both, &s->parts.rows, &s->say);
		s->steps = capture_read(&s->how, s->t) && db_unchanged(s->t->db) ? s->steps : NULL;
	}
	notes_pass(&s->say, say);
	if (s->t)
		trace_free(s->t);
	s->t = NULL;
	return s->steps != NULL;
}

static void free_side(side *s)
{
	if (s->t)
		trace_free(s->t);
	notes_free(&s->say);
	read_table_free(&s->parts);
	capture_free(&s->how);
}

static bool compare(side *before, side *after, const diff_inputs_params *p, table *out, notes *say)
{
	const char *differs = capture_difference(&before->how, &after->how);
	diff_params by_part = p->diff;
	const side *of[] = { before, after };

	by_part.of = "amount";
	by_part.unit_in = "unit";
	if (!p->match && strcmp(before->steps, after->steps) != 0)
		return notes_problem(say, EXIT_WRONG, "the steps of %s are %s, those of %s are %s; choose the same in "
				     "both with -m REGEX (nsq-window --list shows the names)", before->parts.name,
				     before->steps, after->parts.name, after->steps);
	if (differs)
		notes_remark(say, "%s and %s were captured differently, which may be part of what changed: %s",
			     before->parts.name, after->parts.name, differs);
	for (int s = 0; s < 2; s++)
		if (!table_rows(&of[s]->parts.rows)) {
			notes_remark(say, "%s has no step that another follows, so there is nothing to "
				     "compare; nsq-window --list shows what -m can choose", of[s]->parts.name);
			diff_columns(out);
			return true;
		}
	return diff_answer(&before->parts, &after->parts, &by_part, out, say);
}

static bool diff_parts(const inputs *in, const diff_inputs_params *p, const step_parts_params *parts,
		       table *out, notes *say)
{
	side sides[2] = { 0 }, *after = &sides[in->ntraces - 1];
	step_survey both = { 0 };
	question q = step_parts_question(parts);
	bool ok = true;

	for (size_t s = 0; s < in->ntraces; s++)
		load_side(&sides[s], &in->traces[s], in->threads, &q, &both);
	for (size_t s = 0; ok && s < in->ntraces; s++)
		ok = answer_side(&sides[s], &q, parts, &both, say);
	ok = ok && compare(&sides[0], after, p, out, say);
	for (size_t s = 0; s < in->ntraces; s++)
		free_side(&sides[s]);
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
