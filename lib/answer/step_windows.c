#include "answer/step_windows.h"
#include "answer/window_columns.h"
#include "base/search.h"
#include "base/shell.h"
#include "base/text.h"
#include "table/format.h"

/* The parameters with which nsq-window lists the steady steps, each up to the next one. */
static window_params step_windows_make_params(const steps_choice *choice)
{
	window_params w = { .mode = WINDOW_PICK, .choice = *choice, .steady = true, .period = true };

	window_read_picks("all", &w);
	return w;
}

unsigned step_windows_need(void)
{
	window_params w = step_windows_make_params(&(steps_choice){ 0 });
	question q = window_answer.question(&w);

	return q.need | q.need_if_named;
}

const char *step_option(const steps_choice *c)
{
	return c->match ? "-m" : c->kernel ? "--kernel" : c->outer ? "--outer" : "";
}

const char *step_option_words(arena *texts, const steps_choice *c)
{
	const pattern *re = c->match ? c->match : c->kernel;
	const char *option = step_option(c);

	return !*option ? "" : !re ? arena_printf(texts, " %s", option) :
		arena_printf(texts, " %s %s", option, shell_word(texts, pattern_text(re)));
}

/* Set `number` and `varies` of each window that is a step.  A step is recognized by the start of its CPU time. */
static void step_windows_describe_steps(trace *t, const steps_choice *choice, windows *all)
{
	const step_set *found = steps_of(t, choice);

	for (size_t i = 0; i < all->n; i++) {
		window *w = &all->v[i];
		const steps *st = w->step && w->proc != NONE ? &found->of[w->proc] : NULL;
		int64_t begins = window_hull(&w->cpu).a;
		size_t k = 0;
		if (st)
			search_first(k, 0, st->n, st->v[k].cpu.a >= begins);
		if (st && k < st->n && st->v[k].cpu.a == begins) {
			w->number = st->v[k].number;
			w->varies = st->v[k].state == STEP_IN_TREND || st->v[k].other_work;
		}
	}
}

static windows step_windows_resolve(trace *t, window_asks *asks, const window_filter *only, const steps_choice *choice,
				    notes *say)
{
	windows all;

	window_asks_remove_repeats(asks);       /* a step in several of the user's windows was added several times */
	all = window_resolve(t, asks, only, WINDOW_GPU_WORK, say);
	window_asks_free(asks);
	step_windows_describe_steps(t, choice, &all);
	return all;
}

/* Add a step to the windows asked for.  w: the window that is the step or holds it.  name: the name of the step's
 * window; NULL: a name is made. */
static void step_windows_add_step(const trace *t, const window *w, const step *s, const char *name, window_asks *to)
{
	const char *step_name = w->step ? w->step : s->name == STR_NONE ? "-" : str_at(&t->names, s->name);

	name = name ? name : window_step_name(&to->texts, step_name, s->index, s->gpu, s->cpu);
	vec_push(to, (window_ask){ .has_a = true, .has_b = true, .a = s->gpu.a, .b = s->gpu.b, .has_cpu = true,
		 .cpu_a = s->cpu.a, .cpu_b = s->cpu.b, .pid = t->procs[w->proc].pid, .sub = t->procs[w->proc].sub,
		 .device = w->device, .window = name, .each_name = name, .step = step_name, .number = s->number,
		 .shown = name, .row = true });
}

/* Add the steady steps inside a window to the windows asked for.  Returns the number of all steps inside it, steady or
 * not. */
static size_t step_windows_add_steps_inside(trace *t, const window *w, const steps_choice *choice, window_asks *to)
{
	const steps *st = &steps_of(t, choice)->of[w->proc];
	size_t n = 0;

	for (size_t i = 0; i < st->n; i++) {
		step s = steps_to_next(st, i);
		bool inside = st->rule == STEPS_PROCESS || ival_holds(&w->gpu, st->v[i].gpu.a, st->v[i].gpu.b);
		n += inside;
		if (inside && (s.state == STEP_STEADY || s.state == STEP_IN_TREND))
			step_windows_add_step(t, w, &s, NULL, to);
	}
	return n;
}

windows step_windows_chosen(trace *t, const windows *chosen, const window_filter *only, const steps_choice *choice,
			    notes *say)
{
	window_asks asks = { 0 };
	size_t inside = 0;

	for (size_t i = 0; i < chosen->n; i++) {
		const window *w = &chosen->v[i];
		step s = { .gpu = window_hull(&w->gpu), .cpu = window_hull(&w->cpu), .number = w->number };
		if (w->step)
			step_windows_add_step(t, w, &s, w->name, &asks);
		else
			inside += step_windows_add_steps_inside(t, w, choice, &asks);
	}
	if (!asks.n && chosen->n)
		notes_answer(say, inside ? "nothing to look at: only warm-up or a last step lies inside the windows "
			     "(nsq-window --skip 0 lists it)" : "nothing to look at: no step lies inside the windows "
			     "(nsq-window -w A..B lists those that touch them)");
	return step_windows_resolve(t, &asks, only, choice, say);
}

windows step_windows_from_rows(trace *t, const table *rows, const window_filter *only, const steps_choice *choice,
			       notes *say)
{
	window_asks asks = { 0 };

	for (size_t i = 0; i < table_rows(rows); i++) {
		int64_t pid = table_value(rows, i, COL_PID)->i;
		const char *name = table_value(rows, i, COL_WINDOW)->t;
		window_ask a = { .has_a = true, .has_b = true, .a = table_value(rows, i, COL_START)->i,
			.b = table_value(rows, i, COL_END)->i, .has_cpu = true,
			.cpu_a = table_value(rows, i, CPU_START_NS)->i, .cpu_b = table_value(rows, i, CPU_END_NS)->i,
			.pid = pid / TABLE_SUBS, .sub = pid % TABLE_SUBS - 1, .device = -1,
			.trace = table_value(rows, i, COL_TRACE)->t, .window = name, .each_name = name,
			.shown = name, .row = true, .step = window_text(rows, i, NAME),
			.number = table_value(rows, i, NUMBER)->i };
		vec_push(&asks, a);
	}
	return step_windows_resolve(t, &asks, only, choice, say);
}

windows step_windows(trace *t, const windows *within, const window_filter *only, const steps_choice *choice, notes *say)
{
	window_params w = step_windows_make_params(choice);
	windows all = { 0 };
	table rows = { 0 };

	if (answer_rows(&window_answer, t, within, &w, &rows, say) && window_finish(&w, &rows, say))
		all = step_windows_from_rows(t, &rows, only, choice, say);
	table_free(&rows);
	return all;
}

void step_survey_add(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice)
{
	window_params w = step_windows_make_params(choice);
	windows whole;

	w.summaries = &s->summaries;
	for (size_t i = 0; i < s->looked_at.n; i++)
		if (strcmp(s->looked_at.v[i], t->path) == 0)
			return;
	vec_push(&s->looked_at, t->path);
	whole = window_resolve(t, NULL, &(window_filter){ .pid = only->pid, .sub = only->sub, .gpu = -1 },
			       WINDOW_GPU_WORK, NULL);
	answer_rows(&window_answer, t, &whole, &w, &s->rows, &s->said);
	window_free(&whole);
}

bool step_survey_add_inputs(step_survey *s, const inputs *in, const question *q, notes *say)
{
	notes unheard = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && in->ntraces > 1 && i < in->ntraces; i++) {
		trace *t = trace_open(in->traces[i].file, in->threads, &unheard);
		if (!t)
			continue;
		t->path = in->traces[i].path;
		if (question_fits(q, t, &unheard) && load_trace(t, step_windows_need(), NULL))
			step_survey_add(s, t, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 }, &q->choice);
		ok = db_unchanged(t->db) || notes_problem(say, EXIT_FAILED, "%s", unheard.v[unheard.n - 1].text);
		trace_free(t);
	}
	notes_free(&unheard);
	return ok;
}

const table *step_survey_rows(step_survey *s, const steps_choice *choice)
{
	window_params w = step_windows_make_params(choice);

	w.summaries = &s->summaries;
	if (!s->finished) {             /* not again, because several threads may call this later */
		window_finish(&w, &s->rows, &s->said);
		s->finished = true;
	}
	return &s->rows;
}

windows step_survey_windows(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice,
			    notes *say)
{
	step_survey_rows(s, choice);
	if (s->said.n)
		notes_move_all(&s->said, say);
	return step_windows_from_rows(t, &s->rows, only, choice, say);
}

void step_survey_free(step_survey *s)
{
	table_free(&s->rows);
	window_say_step_summaries(&s->summaries, NULL);
	notes_free(&s->said);
	vec_free(&s->looked_at);
}

windows question_windows(const question *q, step_survey *s, trace *t, const window_asks *asks,
			 const window_filter *only, notes *say)
{
	notes unheard = { 0 };
	window_filter each = { .pid = only->pid, .sub = only->sub, .gpu = -1 };
	windows whole, all;

	if (asks || !q->steps)
		return window_resolve(t, asks, only, q->scope, say);
	if (table_rows(&s->rows))
		return step_survey_windows(s, t, only, &q->choice, say);
	whole = window_resolve(t, NULL, &each, q->scope, say);
	all = step_windows(t, &whole, only, &q->choice, say ? say : &unheard);
	window_free(&whole);
	notes_free(&unheard);
	return all;
}

/* The rows are written and read again, because only the code that reads tables decides which window a row means. */
bool question_windows_from_rows(const table *rows, window_asks *to, notes *say)
{
	char *text = NULL;
	size_t n = 0;
	format_writer w = { .to = text_open(&text, &n), .format = FORMAT_TSV };
	FILE *in;
	bool ok;

	format_table(&w, rows);
	format_header(&w, rows);
	format_end(&w, rows);
	text_close(w.to);
	in = fmemopen(text, n, "r");
	if (!in)
		mem_exhausted(1, n);
	ok = window_table_read(in, "the table", to, say);
	fclose(in);
	free(text);
	return ok;
}
