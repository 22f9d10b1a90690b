#include "base/ending_signals.h"
#include "base/parallel.h"
#include "tui/marks.h"

#include <time.h>

background_question background_question_here(const tui *ui, enum background_kind kind)
{
	const tui_place *p = &ui->places.v[ui->place];
	const trace_proc *proc = &ui->t->procs[p->proc];

	return (background_question){ .kind = kind, .place = ui->place,
		.of = { proc->pid, proc->sub, kind == BACKGROUND_SUMS || kind == BACKGROUND_GAP ? p->gpu : -1 } };
}

static bool background_look_up(background_state *a, const background_question *q)
{
	switch (q->kind) {
	case BACKGROUND_SUMS: return lookup_sum_up(&a->look, &q->of, q->time, &a->sums, &a->say);
	case BACKGROUND_GAP: return lookup_get_gap(&a->look, &q->of, q->time, &a->rows, &a->say);
	case BACKGROUND_FINDINGS: return (a->found = lookup_findings(&a->look, &a->say));
	default: return lookup_get_steps(&a->look, &q->of, q->kind == BACKGROUND_LONGEST, &a->rows, &a->say);
	}
}

static void *background_run_thread(void *arg)
{
	background_state *a = arg;

	a->ok = background_look_up(a, &a->now);
	atomic_store(&a->answered, true);
	return NULL;
}

static void background_forget_answer(background_state *a)
{
	lookup_sums_free(&a->sums);
	table_free(&a->rows);
	marked_free(a->found);
	a->found = NULL;
	notes_free(&a->say);
}

/* Prepare a->look for questions about a source.  If it was about another source, its trace is freed. */
static void background_set_source(tui *ui, background_state *a, size_t source)
{
	const tui_source *all = ui->sources.v, *s = &all[source];

	if (a->source == source)
		return;
	lookup_free(&a->look);
	a->source = source;
	a->look = (lookup){ .file = arena_copy(&a->texts, s->file), .path = arena_copy(&a->texts, s->path),
		.threads = s->threads, .comm = ui->params->comm, .captured = ui->params->captured };
	for (size_t i = 0; i < ui->sources.n; i++)
		vec_push(&a->look.all, (lookup_trace){ arena_copy(&a->texts, all[i].file),
			arena_copy(&a->texts, all[i].path), all[i].threads });
}

static void background_start(tui *ui, background_state *a)
{
	sigset_t before;

	a->now = a->next;
	a->next.kind = BACKGROUND_NOTHING;
	background_set_source(ui, a, ui->places.v[a->now.place].source);
	atomic_store(&a->answered, false);
	before = ending_block_signals();
	a->running = pthread_create(&a->thread, NULL, background_run_thread, a) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!a->running)
		background_run_thread(a);
}

void background_poll(tui *ui)
{
	background_state *a = &marks_of(ui)->background;

	if (a->now.kind && atomic_load(&a->answered)) {
		if (a->running)
			pthread_join(a->thread, NULL);
		a->running = false;
		a->answer = a->now;
		a->now.kind = BACKGROUND_NOTHING;
		a->answer.done(ui, a->ok);
		background_forget_answer(a);
	}
	if (!a->now.kind && a->next.kind)
		background_start(ui, a);
}

/* If the trace has been read already, most answers take only a moment, so this waits for up to 10 ms. */
void background_ask(tui *ui, const background_question *q)
{
	background_state *a = &marks_of(ui)->background;
	enum { AT_ONCE_NS = 10000000 };
	bool ready = !a->running && a->look.t;
	int64_t until = par_clock_ns() + AT_ONCE_NS;

	a->next = *q;
	background_poll(ui);
	while (ready && a->now.kind && !atomic_load(&a->answered) && par_clock_ns() < until)
		nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
	background_poll(ui);
}

void background_report_failure(tui *ui, const tui_panel *panel)
{
	const notes *say = &marks_of(ui)->background.say;

	tui_say(ui, "%s", say->n ? say->v[0].text : "the trace cannot be read");
	if (ui->panel == panel)
		ui->panel = NULL;
}

bool background_is_waiting(const tui *ui)
{
	return ui->marks && (ui->marks->background.now.kind || ui->marks->background.next.kind);
}

bool background_free(background_state *a)
{
	if (a->running && !atomic_load(&a->answered)) {
		pthread_detach(a->thread);
		return false;
	}
	if (a->running)
		pthread_join(a->thread, NULL);
	background_forget_answer(a);
	lookup_free(&a->look);
	arena_free(&a->texts);
	return true;
}
