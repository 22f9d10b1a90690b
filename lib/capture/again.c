#include "capture/capturing.h"
#include "answer/answers.h"
#include "answer/facts.h"
#include "answer/step_windows.h"
#include "base/child.h"

/* Kinds of events as capture.traced names them, which is a fact about the trace (nsq-setup --facts), and the word of
 * --with for each kind. */
static const struct { const char *traced, *with; } traced_with[] = {
	{ "OSRuntime", "osrt" }, { "CuBLAS", "cublas" }, { "CuDNN", "cudnn" }, { "CuSPARSE", "cusparse" },
	{ "CuSOLVER", "cusolver" }, { "OpenACC", "openacc" }, { "OpenMP", "openmp" }, { "MPI", "mpi" },
	{ "UCX", "ucx" },
};

/* Facts that show that a kind of event was captured or is missing, and the word of --with for that kind. */
static const struct { const char *fact, *with; } facts_with[] = {
	{ "missing.osrt", "osrt" }, { "missing.gpu_metrics", "gpu-metrics" },
	{ "missing.memory_usage", "memory-usage" },
	{ "capture.gpu_metrics_hz", "gpu-metrics" }, { "capture.memory_usage", "memory-usage" },
};

/* Facts that show that a kind of event was captured, and the flag of nsys for that kind.  --with has no words for these
 * kinds. */
static const struct { const char *fact, *flag; } facts_flag[] = {
	{ "capture.cuda_backtraces", "--cudabacktrace=all" }, { "capture.gpu_switches", "--gpuctxsw=true" },
	{ "capture.uvm_cpu_faults", "--cuda-um-cpu-page-faults=true" },
	{ "capture.uvm_gpu_faults", "--cuda-um-gpu-page-faults=true" },
};

typedef struct {
	capture_params *p;
	arena *texts;
	const char *with;       /* the words for --with that were found so far, separated by commas; or NULL */
	bool adds_missing;      /* also capture what the trace lacks?  True if the user gave neither --with nor
				 * --sample */
	size_t facts_of_loss;   /* how many facts say that events were lost */
} again_ctx;

/* Does the list, whose words are separated by commas, contain the word?  The list may be NULL. */
static bool again_has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = list; at && (at = strstr(at, word)); at += len)
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
	return false;
}

static void again_add_word(again_ctx *f, const char *word)
{
	if (!again_has_word(f->with, word))
		f->with = f->with ? arena_printf(f->texts, "%s,%s", f->with, word) : word;
}

static void again_apply_fact(again_ctx *f, const char *key, const char *value)
{
	bool missing = strncmp(key, "missing.", 8) == 0;
	bool on = strcmp(value, "false") != 0 && (!missing || f->adds_missing);

	for (size_t i = 0; on && i < sizeof facts_with / sizeof *facts_with; i++)
		if (strcmp(key, facts_with[i].fact) == 0)
			again_add_word(f, facts_with[i].with);
	for (size_t i = 0; on && i < sizeof facts_flag / sizeof *facts_flag; i++)
		if (strcmp(key, facts_flag[i].fact) == 0)
			vec_push(&f->p->flags, facts_flag[i].flag);
	for (size_t i = 0; strcmp(key, "capture.traced") == 0 && i < sizeof traced_with / sizeof *traced_with; i++)
		if (strstr(value, traced_with[i].traced))
			again_add_word(f, traced_with[i].with);
	/* cpu_samples, or cpu_switches: the switches of threads on the CPU */
	f->p->sample |= on && (strncmp(key, "capture.cpu_s", 13) == 0 || strncmp(key, "missing.cpu_s", 13) == 0);
	if (strcmp(key, "suspicious.lost") == 0 && !f->facts_of_loss++)
		vec_push(&f->p->flags, "--cuda-flush-interval=100");
}

/* Add mpi if the trace has MPI calls, because old versions of nsys do not record that MPI was traced. */
static void again_add_mpi(again_ctx *f, const trace *t)
{
	bool mpi = t->has_mpi;

	for (size_t i = 0; i < t->ndomains; i++)
		mpi |= t->domains[i].mpi;
	if (mpi)
		again_add_word(f, "mpi");
}

/* When the earliest steady step of all processes, one after the warm-up (steady.h), starts, in seconds of the trace's
 * time; 0: there are no steps.  A window without a name is a process without steps. */
static double again_find_steady_s(trace *t)
{
	window_filter all = { .pid = -1, .sub = -1, .gpu = -1 };
	windows whole = window_resolve(t, NULL, &all, WINDOW_GPU_WORK, NULL);
	windows steps = step_windows(t, &whole, &all, &(steps_choice){ 0 }, NULL);
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < steps.n; i++)
		if (steps.v[i].name && window_hull(&steps.v[i].cpu).a < first)
			first = window_hull(&steps.v[i].cpu).a;
	window_free(&steps);
	window_free(&whole);
	return first == INT64_MAX ? 0 : (double)first / 1e9;
}

static bool again_apply_facts(again_ctx *f, trace *t)
{
	table rows = { 0 };
	bool ok;

	facts_columns(&rows);
	ok = facts_add_rows(t, &rows);
	for (size_t i = 0; ok && i < table_rows(&rows); i++)
		again_apply_fact(f, table_find(&rows, i, "key")->t, table_find(&rows, i, "value")->t);
	again_add_mpi(f, t);
	table_free(&rows);
	return ok;
}

/* Complete the parameters from the trace p->again, so that the next capture has the kinds of events that this trace
 * has and, unless the user gave --with or --sample, the kinds that it lacks.  Parameters that the user gave stay.
 * False after a problem. */
static bool again_fill_params(capture_params *p, arena *texts, notes *say)
{
	again_ctx f = { .p = p, .texts = texts, .with = p->with, .adds_missing = !p->with && !p->sample };
	unsigned need = setup_answer.question(&(setup_params){ .mode = SETUP_FACTS }).need | step_windows_need();
	earlier e = { 0 };
	bool ok = earlier_open(&e, p->again, need, p->nsys, say) && again_apply_facts(&f, e.t) &&
		earlier_fill_command(&e, &p->command, p->folder && !p->dry_run, say);

	p->with = f.with;
	if (ok && !p->delay_s && !p->range && !p->profiler_api && !p->steps) {
		p->profiler_api = e.profiler_api;
		p->delay_s = e.profiler_api ? 0 : (int64_t)(e.delay_s + again_find_steady_s(e.t));
	}
	for (size_t i = 0; i < p->command.n; i++)
		p->command.v[i] = arena_copy(texts, p->command.v[i]);
	earlier_close(&e);
	return ok;
}

/* The command line of the parameters, such as nsq-capture -o again --with osrt --delay=12 -- python3 train.py */
static const char *again_write_line(const capture_params *p, arena *texts)
{
	arguments a = { 0 };
	const char *line;

	arguments_add_words(&a, "nsq-capture", "-o", p->folder ? p->folder : "again");
	if (p->with)
		arguments_add_words(&a, "--with", p->with);
	arguments_add(&a, p->sample ? "--sample" : NULL);
	arguments_add(&a, p->graphs == CAPTURE_WHOLE_GRAPHS ? "--graphs=whole" : NULL);
	for (size_t i = 0; i < p->flags.n; i++)
		arguments_add_option(&a, "flag", p->flags.v[i]);
	arguments_add_option(&a, "steps", p->steps);
	arguments_add_option(&a, "range", p->range);
	arguments_add(&a, p->profiler_api ? "--profiler-api" : NULL);
	arguments_add_number_option(&a, "delay", p->delay_s);
	arguments_add_number_option(&a, "duration", p->duration_s);
	arguments_add(&a, p->baseline ? "--baseline" : NULL);
	for (size_t i = 0; i < p->sweeps.n; i++)
		arguments_add_option(&a, "sweep", p->sweeps.v[i]);
	arguments_add_number_option(&a, "keep", p->keep);
	arguments_add_number_option(&a, "keep-last", p->keep_last);
	arguments_add_number_option(&a, "max-size", p->max_bytes);
	arguments_add_option(&a, "ranks", p->ranks);
	arguments_add_number_option(&a, "ncu", p->ncu);
	for (size_t i = 0; i < p->ncu_sections.n; i++)
		arguments_add_option(&a, "ncu-section", p->ncu_sections.v[i]);
	for (size_t i = 0; i < p->ncu_metrics.n; i++)
		arguments_add_option(&a, "ncu-metric", p->ncu_metrics.v[i]);
	arguments_add(&a, p->no_clock_control ? "--no-clock-control" : NULL);
	arguments_add_option(&a, "nsys", p->nsys);
	arguments_add(&a, "--");
	arguments_add_all(&a, &p->command);
	line = arena_copy(texts, arguments_line(&a));
	arguments_free(&a);
	return line;
}

int again_print_or_run(capture_params *p)
{
	arena texts = { 0 };
	int code = EXIT_ANSWERED;

	if (p->again && p->ncu_for)
		notes_problem(p->say, EXIT_WRONG, "'--again' and '--ncu-for' cannot be combined; choose one");
	else if (p->ncu_for)
		code = measure_table_kernels(p);
	else if (again_fill_params(p, &texts, p->say) && !p->folder)
		fprintf(p->to, "%s\n", again_write_line(p, &texts));
	else if (!notes_code(p->say) && capture_params_fit(p, p->say))
		code = capturing_run(p);
	arena_free(&texts);
	return code ? code : notes_code(p->say);
}
