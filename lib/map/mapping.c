#include "map/mapping.h"
#include "base/ending_signals.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* ---- the parameters */

/* Read the names of traces from the file p->from or from standard input.  Each name ends with a newline or, if p->nul,
 * with a NUL.  False after a problem. */
static bool mapping_read_list(map_params *p, notes *say)
{
	bool input = !p->from || strcmp(p->from, "-") == 0;
	const char *name = input ? "standard input" : p->from;
	FILE *f = input ? stdin : fopen(p->from, "r");
	size_t n = 0;

	p->list = f ? text_read(f, &n) : NULL;
	if (f && !input)
		fclose(f);
	if (!p->list)
		return notes_problem(say, EXIT_FAILED, "cannot read the list of traces '%s':", name);
	for (char *at = p->list, *end = p->list + n; at < end;) {
		char *stop = memchr(at, p->nul ? 0 : '\n', (size_t)(end - at));
		stop = stop ? stop : end;
		*stop = 0;
		if (stop - at != (ptrdiff_t)strlen(at))
			return notes_problem(say, EXIT_WRONG, "the list of traces '%s' has NULs in it; add -0", name);
		if (*at)
			vec_push(&p->traces, at);
		at = stop + 1;
	}
	return p->traces.n || notes_problem(say, EXIT_WRONG, "the list of traces '%s' is empty", name);
}

bool map_params_read_operands(map_params *p, const text_list *operands, notes *say)
{
	if (!operands->n)
		return notes_problem(say, EXIT_WRONG, "usage: nsq-map [options] PIPELINE [TRACE...]; nsq-map --help "
				     "explains them");
	if (p->from && operands->n > 1)
		return notes_problem(say, EXIT_WRONG, "'--from' and traces such as '%s' cannot be combined; choose one",
				     operands->v[1]);
	p->pipeline = operands->v[0];
	for (size_t i = 1; i < operands->n; i++)
		vec_push(&p->traces, operands->v[i]);
	if (p->nul && p->traces.n)
		return notes_problem(say, EXIT_WRONG, "'-0' has no effect on traces of the command line; drop it");
	return p->traces.n || mapping_read_list(p, say);
}

/* ---- the run */

bool mapping_begin(map_ctx *m, const map_params *p, format_writer *to, notes *say)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	size_t twice = 0;

	*m = (map_ctx){ .p = p, .out = { .to = to }, .all = { .pipeline = p->pipeline, .lock = -1 } };
	m->ending = ending_signals();
	sigaction(SIGCHLD, &plain, NULL);       /* if SIGCHLD were ignored, children would leave no status */
	sigaddset(&m->ending, SIGCHLD);
	sigaddset(&m->ending, SIGPIPE);         /* a write to a reader that has left then fails instead */
	pthread_sigmask(SIG_BLOCK, &m->ending, &m->before);
	sigdelset(&m->ending, SIGPIPE);
	if (!pipeline_read(&m->command, p->pipeline, say) || !results_open(&m->all, p->keep, say))
		return false;
	if (!p->resume)
		results_remove_cached(&m->all);
	for (size_t i = 0; i < p->traces.n; i++) {
		const char *trace = p->traces.v[i];
		twice += !results_add(&m->all, *trace == '-' ? arena_printf(&m->texts, "./%s", trace) : trace);
	}
	if (twice)
		notes_remark(say, "%zu of the traces %s named before; each is run once", twice,
			     twice == 1 ? "is" : "are");
	for (size_t i = 0; i < m->all.n; i++) {
		result *r = &m->all.v[i];
		if (p->resume)
			results_read_record(&m->all, r, true);
		if (!r->done)
			results_remove_one(r);
		m->done += r->done;
	}
	if (p->resume)
		notes_answer(say, "%zu of %zu traces are done already", m->done, m->all.n);
	return true;
}

bool mapping_write(map_ctx *m)
{
	const map_params *p = m->p;

	p->progress(arena_printf(&m->texts, "%zu of %zu traces", m->done, m->all.n), m->done, m->all.n);
	for (; m->next < m->all.n && m->all.v[m->next].done; m->next++) {
		p->pause(true);
		gather_result(&m->out, &m->all.v[m->next], p->say);
		p->show(p->say);
		p->pause(false);
	}
	return !m->out.reason;
}

bool mapping_wait(map_ctx *m, int64_t ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	int sig = sigtimedwait(&m->ending, NULL, &t);

	if (sig > 0 && sig != SIGCHLD)
		m->stopped = sig;
	return !m->stopped;
}

static bool mapping_reader_left(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGPIPE);
}

/* Say how to go on after a signal or after failures.  Remove the results from the cache if all traces succeeded, or if
 * the reader of the table has left. */
static void mapping_say_what_is_left(map_ctx *m)
{
	const map_params *p = m->p;

	if (m->stopped)
		notes_answer(p->say, "ended by a signal when %zu of %zu traces were done; the same command with "
			     "--resume goes on from there", m->done, m->all.n);
	else if (m->out.failed && m->all.n > 1)
		notes_answer(p->say, "%zu of %zu traces failed; the same command with --resume runs only these again",
			     m->out.failed, m->all.n);
	if (mapping_reader_left() || (!m->stopped && !m->refused && !m->out.failed && !m->out.reason))
		results_remove_cached(&m->all);
}

void mapping_run(map_ctx *m)
{
	const map_params *p = m->p;
	int reason;

	if (mapping_write(m) && m->done < m->all.n)
		p->mode == MAP_SLURM ? slurm_run(m) : here_run(m);
	while (!m->stopped && !m->refused && !m->out.reason && m->next < m->all.n) {
		const result *r = &m->all.v[m->next++];
		if (r->done)
			gather_result(&m->out, r, p->say);
		else
			gather_note_missing_result(&m->out, r);
	}
	if (m->out.first)
		format_header(m->out.to, &m->out.columns);
	gather_pass_on_failures(&m->out, p->say);
	mapping_say_what_is_left(m);
	p->show(p->say);
	reason = m->out.reason;
	if (mapping_reader_left())
		mapping_end(m);
	errno = reason;
}

void mapping_end(map_ctx *m)
{
	sigset_t before = m->before;

	gather_free(&m->out);
	results_free(&m->all);
	arena_free(&m->command.texts);
	arena_free(&m->texts);
	if (m->stopped)
		raise(m->stopped);
	*m = (map_ctx){ .all.lock = -1, .before = before };
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
