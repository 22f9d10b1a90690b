#include "answer/diff_inputs.h"
#include "answer/capture.h"
#include "answer/step_parts.h"
#include "base/parallel.h"
#include "relate/idle_owners.h"

/* A trace of the command line, loaded once for its survey and its answer. */
typedef struct {
	trace *t;               /* NULL: it cannot be opened */
	bool loaded;
	notes say;              /* what there is to say of it, until it is its turn */
	windows all;            /* its steps, */
	read_table parts;       /* and their parts */
	capture how;
	const char *steps;      /* what they are; NULL: a problem */
} side;

typedef struct {                /* the traces, which are loaded, and then answered, side by side */
	side v[2];
	const inputs *in;
	const step_parts_params *p;
	question q;
	step_survey both;
} two;

static void load_side(void *ctx, size_t which)
{
	two *x = ctx;
	side *s = &x->v[which];
	const input_trace *from = &x->in->traces[which];

	s->t = trace_open(from->file, x->in->threads, &s->say);
	if (!s->t)
		return;
	s->t->path = from->path;
	s->parts.name = arena_printf(&s->parts.names, "'%s'", from->path);
	s->loaded = question_fits(&x->q, s->t, &s->say) && load_trace(s->t, x->q.need, x->q.comm);
	if (s->loaded)
		idle_owners_prepare_steps(s->t, x->q.match);
}

/* What the steps of both are is decided together. */
static void find_steps(two *x)
{
	const window_filter everything = { .pid = -1, .sub = -1, .gpu = -1 };

	for (size_t i = 0; i < x->in->ntraces; i++)
		if (x->v[i].loaded)
			step_survey_add(&x->both, x->v[i].t, &everything, x->q.match);
	for (size_t i = 0; i < x->in->ntraces; i++) {
		side *s = &x->v[i];
		if (!s->loaded)
			continue;
		question_warn(&x->q, s->t, NULL, NULL, &s->say);
		question_say_near(&x->q, s->t, x->in->match, &s->say);
		s->all = step_survey_windows(&x->both, s->t, &everything, x->q.match, &s->say);
	}
}

/* The parts of the steps of a trace, which is not needed after that. */
static void answer_side(void *ctx, size_t which)
{
	two *x = ctx;
	side *s = &x->v[which];

	if (s->loaded) {
		s->steps = step_parts_answer(s->t, &s->all, x->p, &x->both.rows, &s->parts.rows, &s->say);
		s->steps = capture_read(&s->how, s->t) && db_unchanged(s->t->db) ? s->steps : NULL;
	}
	window_free(&s->all);
	if (s->t)
		trace_free(s->t);
	s->t = NULL;
}

static void free_side(side *s)
{
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
	two x = { .in = in, .p = parts, .q = step_parts_question(parts) };
	bool ok = true;

	par_do(in->threads, in->ntraces, load_side, &x);
	find_steps(&x);
	par_do(in->threads, in->ntraces, answer_side, &x);
	for (size_t i = 0; ok && i < in->ntraces; i++) {
		notes_pass(&x.v[i].say, say);
		ok = x.v[i].steps != NULL;
	}
	ok = ok && compare(&x.v[0], &x.v[in->ntraces - 1], p, out, say);
	for (size_t i = 0; i < in->ntraces; i++)
		free_side(&x.v[i]);
	step_survey_free(&x.both);
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
