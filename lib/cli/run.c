#include "cli/run.h"
#include "answer/spread.h"
#include "answer/step_windows.h"
#include "base/folders.h"
#include "base/parallel.h"
#include "cli/errors.h"
#include "cli/progress.h"
#include "job/slice_windows.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	const opt_tool *tool;
	const answer *answer;
	const void *params;
	opt_common options;
	question q;

	vec(trace_place) files;      /* the traces, each once */
	vec(trace *) kept;           /* traces that answer->finish needs */
	window_asks asks;            /* the windows that the user gave */
	bool chosen;                 /* did the user give windows?  If not, the tool's default windows are used */
	window_filter only;          /* -p, -g, --merge and --inside */
	step_survey steps;           /* facts about the steps of all traces; empty for one trace, and if the windows are
				      * not the default steps */
	shared_gpus *across;         /* the GPUs of the processes of all traces; NULL: there is only one trace */
	arena texts;
	notes say;
	table out;
	format_writer writer;

	bool pid_seen, gpu_seen;     /* does any trace have the process of -p, and does any have the GPU of -g? */
	bool any_trace;              /* does any trace have what the question needs, or is there no trace? */
	bool any_window;             /* was any window looked at? */
	bool nameless;               /* do rows belong to merged windows without a common name (windows.nameless)? */
	bool in_words;               /* are rows printed in words instead of as a table? */
	const char *pid_of_rank;     /* the pid of the rank whose number was given as -p, or NULL */
} run;

/* The index in run.files of the file to which a path leads; files.n: it is not there. */
static size_t run_find_file(const run *r, const char *path)
{
	trace_place f;
	size_t k = 0;

	for (size_t i = 0; i < r->files.n; i++)
		if (strcmp(r->files.v[i].path, path) == 0)
			return i;
	f = trace_file_place(path, &r->options.how);
	while (k < r->files.n && !trace_file_same(&r->files.v[k], &f))
		k++;
	return k;
}

/* Find the trace that each row of a window table names.  from_rows: no traces were given, so the rows name those to
 * read; otherwise a row may name only one of the given traces. */
static void run_find_traces_of_rows(run *r, bool from_rows)
{
	for (size_t i = 0; i < r->asks.n; i++) {
		window_ask *a = &r->asks.v[i];
		size_t k;
		if (!a->trace && from_rows)
			die(EXIT_WRONG, "%s names no trace; give one, too", a->shown);
		if (!a->trace)
			continue;
		k = run_find_file(r, a->trace);
		if (k == r->files.n && !from_rows)
			die(EXIT_WRONG, "%s names the trace '%s', which is not on the command line; add it, give no "
			    "trace to use those of the table, or, for a slice of that trace, cut the column trace out "
			    "of the table or say -w A..B", a->shown, a->trace);
		if (k == r->files.n)
			vec_push(&r->files, trace_file_place(a->trace, &r->options.how));
		a->trace = r->files.v[k].path;
	}
}

static void run_read_windows(run *r)
{
	const text_list *specs = &r->options.windows;
	bool ok = true;
	size_t same;

	for (size_t i = 0; ok && i < specs->n; i++)
		ok = strcmp(specs->v[i], "-") == 0 ? window_table_read(stdin, "standard input", &r->asks, &r->say) :
			window_table_spec(specs->v[i], &r->asks, &r->say);
	if (!r->files.n && !specs->n && isatty(STDIN_FILENO))
		announce("no trace is named, so a table of windows is read from the terminal; Ctrl-D ends it");
	if (!r->files.n && !specs->n)
		ok = window_table_read(stdin, "standard input", &r->asks, &r->say);
	r->chosen = options_give_windows(&r->options);
	errors_exit_unless(ok, &r->say);
	run_find_traces_of_rows(r, !r->files.n);
	same = window_asks_remove_repeats(&r->asks);
	if (same)
		remark("%zu of %zu rows cite a window once more; each window is asked about once", same,
		       same + r->asks.n);
}

/* Does the user name a GPU, with -g or in a row of windows?  If so, all work is loaded, which shows what GPUs the trace
 * has. */
static bool run_names_gpu(const run *r)
{
	for (size_t i = 0; i < r->asks.n; i++)
		if (r->asks.v[i].device >= 0)
			return true;
	return r->options.gpu >= 0;
}

static void run_set_columns(run *r, table *t)
{
	r->answer->columns(r->params, t);
	if (r->options.spread)
		spread_columns(t, &r->texts);
}

/* Print the columns of the answer instead of its rows (--columns). */
static _Noreturn void run_print_columns(run *r)
{
	table columns = { 0 };

	run_set_columns(r, &columns);
	output_columns(&r->writer, &columns);
	exit(errors_status());
}

static run run_begin_tool(const opt_tool *tool, void *params, int argc, char **argv)
{
	run r = { .tool = tool, .answer = tool->answer, .params = params };

	r.options = tools_read_command_line(tool, params, argc, argv, &r.writer);
	if (r.options.columns)
		run_print_columns(&r);
	r.in_words = tool->tell && !r.options.format &&
		*options_mode(params) & (tool->prints_words | (r.writer.terminal ? tool->prints_words_on_terminal : 0));
	for (size_t i = 0; i < r.options.operands.n; i++)
		if (run_find_file(&r, r.options.operands.v[i]) == r.files.n)
			vec_push(&r.files, trace_file_place(r.options.operands.v[i], &r.options.how));
	run_set_columns(&r, &r.out);
	run_read_windows(&r);
	progress_begin();
	if (tool->check)
		tool->check(params, r.files.n);
	r.q = r.answer->question(params);
	r.q.need |= (r.chosen || r.options.pid[0] >= 0 ? r.q.need_if_named : 0) | (run_names_gpu(&r) ? TRACE_WORK : 0);
	r.only = (window_filter){ r.options.pid[0], r.options.pid[1], r.options.gpu, r.options.merge,
		r.options.inside };
	if (!r.files.n)
		remark("the window table has no rows, so there is nothing to answer");
	r.any_trace = !r.files.n;
	return r;
}

/* Does the trace have the process and the GPU that -p and -g name?  Also sets pid_seen, gpu_seen and pid_of_rank. */
static bool run_has_named(run *r, const trace *t)
{
	bool pid = r->only.pid < 0, gpu = r->only.gpu < 0 || trace_has_gpu(t, r->only.gpu);

	for (uint32_t p = 0; p < t->nprocs && r->only.pid >= 0; p++) {
		pid |= trace_is_process(t, p, r->only.pid, r->only.sub);
		if (t->procs[p].rank == r->only.pid)
			r->pid_of_rank = arena_copy(&r->texts, t->procs[p].shown);
	}
	r->pid_seen |= pid;
	r->gpu_seen |= gpu;
	return pid && gpu;
}

/* The number of windows that were looked at, and the time from the start to the end of each, added up, such as "12
 * windows, 34.5 ms". */
static const char *run_describe_windows(arena *texts, const windows *all)
{
	char length[NUMBER_AMOUNT_SIZE];
	double ns = 0;

	for (size_t i = 0; i < all->n; i++) {
		ival hull = window_hull(&all->v[i].gpu);
		ns += (double)hull.b - (double)hull.a;
	}
	return arena_printf(texts, "%zu window%s, %s", all->n, all->n == 1 ? "" : "s",
			    number_amount(ns, "ns", length));
}

/* A sentence that says why a trace has no rows.  has_named: does it have the process and GPU that -p and -g name? */
static const char *run_describe_reason(run *r, const trace *t, const windows *all, bool has_named)
{
	if (!has_named)
		return "it has no such process or GPU";
	if (all->n)
		return arena_printf(&r->texts, "%s; looked at %s", r->q.empty, run_describe_windows(&r->texts, all));
	if (r->q.scope < WINDOW_TRACE && t->work_span.a >= t->work_span.b)
		return "none of its processes has GPU work";
	if (r->q.steps && !r->chosen && r->q.choice.match)
		return "no range has such a name and launched work (nsq-window --list shows the names)";
	return r->only.pid >= 0 && !r->chosen ? "the process asked about has no GPU work" :
		"no window covers a time at which its process and GPU did anything";
}

/* Print the rows that are ready, and remove them from the table. */
static void run_print_rows(run *r)
{
	if (r->writer.terminal && (r->in_words || !format_for_people(r->writer.format)))
		progress_end();
	if (table_rows(&r->out))
		errors_flush();
	if (r->in_words) {
		size_t printed = r->tool->tell(r->params, &r->out, (size_t)r->options.limit, stdout);
		r->writer.rows += printed;
		r->writer.hidden += table_rows(&r->out) - printed;
	} else {
		format_table(&r->writer, &r->out);
	}
	table_clear(&r->out);
}

static size_t run_count_rows(const run *r)
{
	return r->writer.rows + r->writer.hidden + table_rows(&r->out);
}

static bool run_answer_windows(run *r, trace *t, const windows *all)
{
	window_filter each = r->only;
	windows single;
	bool ok;

	if (!r->options.spread)
		return answer_rows(r->answer, t, all, r->params, &r->out, &r->say);
	each.merge = false;
	single = question_windows(&r->q, &r->steps, t, r->chosen ? &r->asks : NULL, &each, NULL);
	ok = spread_answer(t, &(spread_windows){ all, &single }, r->answer, r->params, &r->out, &r->say);
	window_free(&single);
	return ok;
}

/* Drop the rows of a trace that changed while it was read, since they may be wrong.  If all traces share one answer,
 * the program ends. */
static void run_drop_changed(run *r)
{
	table_clear(&r->out);
	errors_take(&r->say);
	if (r->answer->finish)
		exit(errors_status());
}

typedef struct {
	run *r;
	trace *t;
	bool has_named;         /* does the trace have the process and GPU of -p and -g? */
	windows all;            /* the windows that run_choose_windows finds */
} run_prepare_ctx;

/* Choose the windows of a trace, and add the warnings that go with the question. */
static void run_choose_windows(run_prepare_ctx *x)
{
	run *r = x->r;
	notes unheard = { 0 };       /* not shown: notes about steps, if the trace lacks the process or GPU of -p or
				      * -g */
	bool heard = x->has_named || !r->q.steps || table_rows(&r->steps.rows);

	x->all = question_windows(&r->q, &r->steps, x->t, r->chosen ? &r->asks : NULL, &r->only,
				  heard ? &r->say : &unheard);
	notes_free(&unheard);
	progress_show("answering", 0, 0);
	if (x->has_named && notes_code(&r->say) == EXIT_ANSWERED)
		question_warn(&r->q, x->t, &r->only, r->across, &r->say);
}

/* Called by par_do with i 0, to choose the windows, and i 1, to call answer->ahead.  Both calls may run at the same
 * time, because only the first adds notes. */
static void run_prepare_part(void *ctx, size_t i)
{
	run_prepare_ctx *x = ctx;

	if (i == 0)
		run_choose_windows(x);
	else
		x->r->answer->ahead(x->t, x->r->params);
}

static void run_answer_loaded(run *r, trace *t)
{
	bool has_named = run_has_named(r, t), ok, cannot;
	run_prepare_ctx x = { r, t, has_named, { 0 } };
	size_t before = run_count_rows(r);
	windows all;

	par_do((int)r->options.threads, r->answer->ahead ? 2 : 1, run_prepare_part, &x);
	all = x.all;
	ok = notes_code(&r->say) == EXIT_ANSWERED;
	if (r->chosen || !(r->q.steps || r->q.finds_steps))
		slice_windows_say(t, &all, r->chosen, &r->say);
	ok &= run_answer_windows(r, t, &all);
	cannot = notes_code(&r->say) == EXIT_CANNOT;
	if (!db_unchanged(t->db)) {
		run_drop_changed(r);
		window_free(&all);
		return;
	}
	if (ok && has_named)
		question_suggest_name(&r->q, t, &r->say);
	errors_take(&r->say);
	if (!r->answer->finish)
		run_print_rows(r);
	if (ok && run_count_rows(r) == before && (has_named || r->files.n > 1) &&
	    (!r->answer->rows_at_end || !all.n || !has_named))
		notes_add(&r->say, has_named ? NOTE_ANSWER : NOTE_REMARK, "no rows for '%s': %s", t->path,
			  run_describe_reason(r, t, &all, has_named));
	errors_take(&r->say);
	r->any_window |= all.n && has_named;
	r->nameless |= all.nameless && r->chosen && (run_count_rows(r) > before || r->answer->rows_at_end);
	window_free(&all);
	r->any_trace |= !cannot;
}

/* Small traces are loaded side by side: one for each thread, but at most SIDE_BY_SIDE, until they have SMALL_BYTES
 * together.  They are answered one after another, in their order.  Before more than FEW are loaded, freed memory is
 * given back to the system. */
enum { SIDE_BY_SIDE = 32, SMALL_BYTES = 12 << 20, FEW = 4 };

typedef struct {
	const char *file;       /* the SQLite file; NULL: there is none */
	size_t number;          /* its index in run.files */
	trace *t;               /* NULL: it cannot be opened */
	notes say;              /* kept until the trace is answered */
	bool loaded;
} opened_trace;

typedef struct {                /* traces that are loaded side by side */
	const run *r;
	unsigned need;          /* TRACE_...: the data to load */
	bool survey;            /* are the traces only surveyed now (run_survey_trace), and loaded again when they are
				 * answered? */
	opened_trace v[SIDE_BY_SIDE];
	size_t n;
} batch;

/* The number of loading steps done by all traces of the batch.  Each step counts the same in the progress line. */
static atomic_size_t load_steps_done;

static void run_watch_loading(void *ntraces, const char *step UNNEEDED, size_t done UNNEEDED, size_t total)
{
	progress_show("reading", atomic_fetch_add(&load_steps_done, 1) + 1, total * *(size_t *)ntraces);
}

static void run_load_opened(const run *r, opened_trace *o, unsigned need, int threads, size_t *ntraces)
{
	o->t = trace_open(o->file, threads, &o->say);
	if (!o->t)
		return;
	o->t->path = r->files.v[o->number].path;
	o->t->number = o->number;
	o->t->watch = run_watch_loading;
	o->t->watch_ctx = ntraces;
	o->loaded = question_fits(&r->q, o->t, &o->say) && load_trace(o->t, need, r->q.comm);
	o->t->watch = NULL;
}

static void run_open_and_load(void *ctx, size_t i)
{
	batch *b = ctx;
	opened_trace *o = &b->v[i];
	int threads = (int)b->r->options.threads;

	if (o->file)
		run_load_opened(b->r, o, b->need, threads / (int)b->n, &b->n);
	if (!o->t)
		return;
	if (o->loaded && b->n > 1 && b->r->answer->ahead && !b->survey)        /* for a batch of one trace,
									        * run_answer_loaded does this */
		b->r->answer->ahead(o->t, b->r->params);
	o->t->workers = threads;
}

/* In percent, measured with traces of 400 MB.  SURVEYED: the progress of the run when all traces are surveyed, if they
 * are.  ANSWERED: its progress when all traces are answered.  LOADED: the share of a batch's time that loading
 * takes. */
enum { SURVEYED = 20, ANSWERED = 85, LOADED = 30 };

static bool run_needs_survey(const run *r)
{
	return (r->answer->survey || (r->q.steps && !r->chosen)) && r->files.n > 1;
}

/* The progress of the run, from 0 to 1, after this number of traces has been surveyed or answered. */
static double run_find_progress(const run *r, size_t traces, bool for_survey)
{
	int from = run_needs_survey(r) && !for_survey ? SURVEYED : 0, to = for_survey ? SURVEYED : ANSWERED;

	return (from + (to - from) * (double)traces / (double)r->files.n) / 100;
}

/* Tell the progress line that a batch has begun a part of its work.  The part lasts from the share `from` of the
 * batch's time to the share `to`. */
static void run_tell_progress(const run *r, const batch *b, size_t first, double from, double to)
{
	double begin = run_find_progress(r, first, b->survey),
	       width = run_find_progress(r, first + b->n, b->survey) - begin;

	progress_span(begin + width * from, begin + width * to);
}

/* Load the next traces, from `first` on: one for each thread, or fewer if they are large. */
static batch run_load_batch(run *r, size_t first, bool for_survey)
{
	batch b = { .r = r, .need = for_survey && r->q.need_survey ? r->q.need_survey : r->q.need,
		.survey = for_survey };
	int64_t bytes = 0;

	while (first + b.n < r->files.n && b.n < SIDE_BY_SIDE && (!b.n || b.n < (size_t)r->options.threads) &&
	       bytes < SMALL_BYTES) {
		opened_trace *o = &b.v[b.n++];
		struct stat st;
		o->number = first + b.n - 1;
		o->file = trace_file(r->files.v[o->number].path, &r->options.how, &r->texts, &o->say);
		bytes += o->file && folders_stat(o->file, &st) == 0 ? st.st_size : 0;
	}
	if (b.n > FEW)
		mem_trim();
	run_tell_progress(r, &b, first, 0, for_survey ? 1 : LOADED / 100.0);
	atomic_store(&load_steps_done, 0);
	progress_show("reading", 0, 0);
	par_do((int)r->options.threads, b.n, run_open_and_load, &b);
	return b;
}

/* Begin to answer or survey a trace: take over the notes from loading it. */
static trace *run_take_over_trace(run *r, opened_trace *o)
{
	notes_move_all(&o->say, &r->say);
	if (o->t)
		o->t->say = o->t->db->say = &r->say;
	return o->t;
}

/* Gather the facts about a trace that the answers of all traces need.  Problems are reported when the trace is
 * answered. */
static void run_survey_trace(run *r, opened_trace *o, bool steps)
{
	trace *t = run_take_over_trace(r, o);

	if (o->loaded && r->answer->survey)
		r->answer->survey(t, r->params, &r->say);
	if (o->loaded && steps)
		step_survey_add(&r->steps, t, &r->only, &r->q.choice);
	if (t)
		trace_free(t);
	notes_free(&r->say);
}

static void run_survey_traces(run *r)
{
	bool steps = r->q.steps && !r->chosen;
	batch b;

	for (size_t i = 0; run_needs_survey(r) && i < r->files.n; i += b.n) {
		b = run_load_batch(r, i, true);
		for (size_t k = 0; k < b.n; k++)
			run_survey_trace(r, &b.v[k], steps);
	}
}

static void run_answer_trace(run *r, opened_trace *o)
{
	trace *t = run_take_over_trace(r, o);

	if (o->loaded)
		run_answer_loaded(r, t);
	if (t && r->answer->keeps && r->answer->keeps(r->params, t))
		vec_push(&r->kept, t);
	else if (t)
		trace_free(t);
	errors_take(&r->say);
}

static void run_answer_all(run *r)
{
	batch b;

	for (size_t i = 0; i < r->files.n; i += b.n) {
		b = run_load_batch(r, i, false);
		for (size_t k = 0; k < b.n; k++) {
			double loaded = LOADED / 100.0, each = (1 - loaded) / (double)b.n;
			run_tell_progress(r, &b, i, loaded + each * (double)k, loaded + each * (double)(k + 1));
			run_answer_trace(r, &b.v[k]);
		}
	}
}

/* Complain if no trace has the process or the GPU that -p and -g name. */
static void run_complain_unmatched(run *r)
{
	char buf[NUMBER_PID_SIZE];
	const char *pid = number_pid_text(r->only.pid, r->only.sub, buf);

	if (!r->any_trace || !r->files.n)
		return;
	if (!r->pid_seen && r->pid_of_rank)
		complain(EXIT_WRONG, "no process %s in the trace; rank %s is pid %s", pid, pid, r->pid_of_rank);
	else if (!r->pid_seen)
		complain(EXIT_WRONG, "no process %s in the trace; nsq-setup lists the processes", pid);
	if (!r->gpu_seen)
		complain(EXIT_WRONG, "no work on GPU %lld in the trace; nsq-setup lists the GPUs",
			 (long long)r->only.gpu);
}

static int run_end_tool(run *r)
{
	run_complain_unmatched(r);
	if (r->across)
		shared_gpus_warn(r->across, &r->say);
	errors_take(&r->say);
	progress_span(ANSWERED / 100.0, 1);
	progress_show("putting the answer together", 0, 0);
	if (r->tool->draws) {
		progress_end();         /* the answer fills the screen */
		if (r->answer->keeps && r->any_window && errors_status() != EXIT_ANSWERED)
			notes_remark(&r->say, "not all of the traces can be shown; why is said in the end");
	}
	if (r->answer->finish) {
		bool ok = r->answer->finish(r->params, &r->out, &r->say);
		if (r->tool->done)
			r->tool->done(r->params, &r->out);
		for (size_t i = 0; i < r->kept.n; i++)
			if (!db_unchanged(r->kept.v[i]->db))
				run_drop_changed(r);
		errors_take(&r->say);
		if (ok && r->answer->rows_at_end && !r->answer->says_why_empty && !table_rows(&r->out) &&
		    r->any_window && !r->tool->draws && errors_status() == EXIT_ANSWERED)
			notes_answer(&r->say, "no rows: %s", r->q.empty);
		errors_take(&r->say);
		run_print_rows(r);
	}
	if (r->any_trace && errors_status() != EXIT_WRONG && !r->in_words)
		format_header(&r->writer, &r->out);
	if (r->nameless && r->writer.rows)
		remark("the column window is '-': the CPU sides of the merged windows differ");
	output_end(&r->writer, &r->out);
	table_free(&r->out);
	window_asks_free(&r->asks);
	step_survey_free(&r->steps);
	shared_gpus_free(r->across);
	vec_free(&r->files);
	for (size_t i = 0; i < r->kept.n; i++)
		trace_free(r->kept.v[i]);
	mem_free(r->kept.v, r->options.windows.v, r->options.operands.v);
	arena_free(&r->texts);
	return errors_status();
}

int run_traces(const opt_tool *tool, void *params, int argc, char **argv)
{
	run r = run_begin_tool(tool, params, argc, argv);

	run_survey_traces(&r);
	r.across = r.files.n > 1 ? shared_gpus_new() : NULL;
	run_answer_all(&r);
	return run_end_tool(&r);
}
