#include "answer/answers.h"
#include "answer/diff.h"
#include "answer/facts.h"
#include "answer/step_parts.h"

/* A trace of the command line, and what has been found in it. */
typedef struct {
	trace *t;               /* NULL: the trace is not open yet, cannot be opened, or is freed again */
	bool loaded;            /* its data were loaded */
	notes say;              /* notes from before its steps are found, kept until the notes of both sides are said */
	notes later;            /* notes about its steps, said after those of `say` */
	windows all;            /* its steps */
	read_table parts;       /* the parts of its steps (step_parts.h) */
	read_table kernels;     /* the kernels of its steps, for DIFF_SPLIT */
	capture how;            /* how it was captured */
	const char *steps;      /* the name of its steps; NULL: there is none yet, or a problem occurred */
} side;

typedef struct {
	side v[2];
	const inputs *in;
	bool split;             /* DIFF_SPLIT: kernels are compared */
	question q;             /* the question about the parts of steps */
	step_survey both;       /* the steps of both traces, chosen together */
} trace_pair;

static const window_filter everything = { .pid = -1, .sub = -1, .gpu = -1 };

static void diff_inputs_load_side(trace_pair *x, size_t which)
{
	side *s = &x->v[which];
	const input_trace *from = &x->in->traces[which];

	s->t = trace_open(from->file, x->in->threads, &s->say);
	if (!s->t)
		return;
	s->t->path = from->path;
	s->parts.name = arena_printf(&s->parts.names, "'%s'", from->path);
	s->loaded = question_fits(&x->q, s->t, &s->say) && load_trace(s->t, x->q.need, x->q.comm);
}

static void diff_inputs_survey_side(trace_pair *x, side *s)
{
	if (!s->loaded)
		return;
	step_survey_add(&x->both, s->t, &everything, &x->q.choice);
	question_warn(&x->q, s->t, NULL, NULL, &s->say);
	question_suggest_name(&x->q, s->t, &s->say);
}

/* Read the kernels of the steps; false after a problem. */
static bool diff_inputs_find_kernels(side *s)
{
	rules *categories = rules_load("llm", NULL);
	kernels_params p = { .mode = KERNELS_SUMS, .keys = KERNELS_BY_NAME, .categories = categories };
	notes unsaid = { 0 };
	bool ok = answer_rows(&kernels_answer, s->t, &s->all, &p, &s->kernels.rows, &unsaid);

	s->kernels.name = s->parts.name;
	notes_free(&unsaid);
	rules_free(categories);
	return ok;
}

/* Find the parts of the steps that the survey has chosen in a trace, and free the trace. */
static void diff_inputs_find_parts(trace_pair *x, side *s, step_survey *survey)
{
	if (s->loaded) {
		const table *steps = step_survey_rows(survey, &x->q.choice);
		s->all = step_survey_windows(survey, s->t, &everything, &x->q.choice, &s->later);
		s->steps = step_parts_answer(s->t, &s->all, &x->q.choice, steps, &s->parts.rows, &s->later);
		if (s->steps && x->split && !diff_inputs_find_kernels(s))
			s->steps = NULL;
		s->steps = capture_read(&s->how, s->t) && db_unchanged(s->t->db) ? s->steps : NULL;
	}
	window_free(&s->all);
	if (s->t)
		trace_free(s->t);
	s->t = NULL;
}

/* Choose the steps of both traces together.  The notes about the choice go to the first trace, or to the second if the
 * first is not loaded. */
static void diff_inputs_decide_steps(trace_pair *x)
{
	side *first = &x->v[!x->v[0].loaded];

	step_survey_rows(&x->both, &x->q.choice);
	notes_move_all(&x->both.said, &first->say);
}

/* ---- the traces one after the other, so that only one is in memory */

/* Do two surveys have the same steps of the trace with this path? */
static bool diff_inputs_have_same_steps(const table *a, const table *b, const char *path)
{
	size_t i = 0, k = 0;

	for (;; i++, k++) {
		while (i < table_rows(a) && strcmp(table_value(a, i, COL_TRACE)->t, path) != 0)
			i++;
		while (k < table_rows(b) && strcmp(table_value(b, k, COL_TRACE)->t, path) != 0)
			k++;
		if (i == table_rows(a) || k == table_rows(b))
			return i == table_rows(a) && k == table_rows(b);
		if (table_value(a, i, COL_PID)->i != table_value(b, k, COL_PID)->i ||
		    table_value(a, i, COL_START)->i != table_value(b, k, COL_START)->i ||
		    table_value(a, i, COL_END)->i != table_value(b, k, COL_END)->i)
			return false;
	}
}

static void diff_inputs_free_side(side *s)
{
	notes_free(&s->say);
	notes_free(&s->later);
	read_table_free(&s->parts);
	read_table_free(&s->kernels);
	capture_free(&s->how);
}

/* Find the parts of both traces.  The first trace gets the steps that it has by itself, which are nearly always those
 * that it has together with the second trace.  If they differ, the first trace is read again. */
static void diff_inputs_find_parts_in_turn(trace_pair *x)
{
	step_survey alone = { 0 };
	side *first = &x->v[0];

	diff_inputs_load_side(x, 0);
	diff_inputs_survey_side(x, first);
	if (first->loaded)
		step_survey_add(&alone, first->t, &everything, &x->q.choice);
	step_survey_rows(&alone, &x->q.choice);
	notes_free(&alone.said);
	diff_inputs_find_parts(x, first, &alone);
	if (x->in->ntraces > 1) {
		diff_inputs_load_side(x, 1);
		diff_inputs_survey_side(x, &x->v[1]);
	}
	diff_inputs_decide_steps(x);
	if (x->in->ntraces > 1)
		diff_inputs_find_parts(x, &x->v[1], &x->both);
	if (first->loaded && !diff_inputs_have_same_steps(&alone.rows, &x->both.rows, x->in->traces[0].path)) {
		notes heard = first->say;
		first->say = (notes){ 0 };
		diff_inputs_free_side(first);
		*first = (side){ 0 };
		diff_inputs_load_side(x, 0);
		diff_inputs_find_parts(x, first, &x->both);
		if (!first->steps)
			notes_move_all(&first->say, &heard);
		notes_free(&first->say);
		first->say = heard;
	}
	step_survey_free(&alone);
}

/* ---- both traces */

static bool diff_inputs_compare_sides(side *before, side *after, const diff_inputs_params *p, table *out, notes *say)
{
	const char *differs = capture_difference(&before->how, &after->how);
	diff_params by_part = p->diff;
	const side *both[] = { before, after };

	by_part.of = "amount";
	by_part.unit_in = "unit";
	if (!steps_is_chosen(&p->choice) && strcmp(before->steps, after->steps) != 0)
		return notes_problem(say, EXIT_WRONG, "the steps of %s are %s, those of %s are %s; choose the same in "
				     "both with -m REGEX (nsq-window --list shows the names)", before->parts.name,
				     before->steps, after->parts.name, after->steps);
	if (differs)
		notes_remark(say, "%s and %s were captured differently, which may be part of the change: %s",
			     before->parts.name, after->parts.name, differs);
	for (int s = 0; s < 2; s++)
		if (!table_rows(&both[s]->parts.rows)) {
			notes_answer(say, "nothing to compare: %s has no step that another follows (nsq-window "
				     "--list shows the ranges)", both[s]->parts.name);
			p->mode == DIFF_SPLIT ? diff_split_columns(out) : diff_columns(out);
			return true;
		}
	if (p->mode == DIFF_SPLIT)
		return diff_split_answer(&before->kernels, &after->kernels, out, say);
	return diff_answer(&before->parts, &after->parts, &by_part, out, say);
}

static bool diff_inputs_compare_traces(const inputs *in, const diff_inputs_params *p, table *out, notes *say)
{
	trace_pair x = { .in = in, .split = p->mode == DIFF_SPLIT, .q = step_parts_question(&p->choice) };
	bool ok = true;

	diff_inputs_find_parts_in_turn(&x);
	for (size_t i = 0; ok && i < in->ntraces; i++) {
		notes_move_all(&x.v[i].say, say);
		notes_move_all(&x.v[i].later, say);
		ok = x.v[i].steps != NULL;
	}
	ok = ok && diff_inputs_compare_sides(&x.v[0], &x.v[in->ntraces - 1], p, out, say);
	for (size_t i = 0; i < in->ntraces; i++)
		diff_inputs_free_side(&x.v[i]);
	step_survey_free(&x.both);
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
		return diff_inputs_compare_traces(in, p, out, say);
	if (steps_is_chosen(&p->choice) || p->choice.outer)
		return notes_problem(say, EXIT_WRONG, "'%s' has no effect on tables, whose windows are chosen "
				     "already; drop it", step_option(&p->choice));
	if (p->mode == DIFF_SPLIT)
		return diff_split_answer(&in->tables[0].table, &in->tables[1].table, out, say);
	return diff_answer(&in->tables[0].table, &in->tables[1].table, &p->diff, out, say);
}
