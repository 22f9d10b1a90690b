#include "capture/capturing.h"
#include "base/shell.h"
#include "capture/manifest.h"
#include "capture/nsys_command.h"
#include "capture/secrets.h"
#include "table/format.h"
#include "trace/report.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* One capture of the command, or of one case of a sweep. */
typedef struct {
	const capture_params *p;
	const nsys_installed *nsys;
	const char *folder;
	const char *output;     /* the path of the report that nsys writes, without .nsys-rep */
	const char *report, *trace;     /* the paths of the report and the trace that were written; NULL: none */
	arguments command;      /* the command line of nsys */
	surroundings around;
	manifest record;
	measured measured;
	arena texts;
	notes *say;
} capturing_ctx;

/* Run the command without a profiler, and set *code to its exit code.  False: it failed or was interrupted, so nothing
 * is captured. */
static bool capturing_run_baseline(capturing_ctx *c, int *code)
{
	arguments a = { 0 };
	child_outcome end;

	arguments_add_all(&a, &c->p->command);
	end = child_run(&a);
	arguments_free(&a);
	*code = end.failed ? EXIT_FAILED : end.code;
	c->record.baseline_s = end.seconds;
	c->record.signal = end.signalled;
	errno = end.failed;
	if (end.failed)
		return notes_problem(c->say, EXIT_FAILED, "cannot run '%s':", c->p->command.v[0]);
	if (end.code || end.signalled)
		return notes_problem(c->say, EXIT_FAILED, "without a profiler '%s' ended with exit code %d, so nothing "
				     "was captured", c->p->command.v[0], end.code);
	return true;
}

static void capturing_find_report(capturing_ctx *c)
{
	static const char *const endings[] = { "nsys-rep", "qdrep" };

	for (size_t i = 0; i < sizeof endings / sizeof *endings && !c->report; i++) {
		const char *path = arena_printf(&c->texts, "%s.%s", c->output, endings[i]);
		c->report = captures_path_exists(path) ? path : NULL;
	}
}

/* Write the manifest, or replace it with a newer one.  The first is written as soon as nsys has ended, because a signal
 * may end nsq-capture while it exports or runs ncu. */
static bool capturing_write_manifest(capturing_ctx *c)
{
	const char *files[] = { c->trace, c->report };
	rules *known = secrets_load(c->say);
	text_list flags = secrets_masked(known, &c->command.list, &c->texts);
	text_list command = secrets_masked(known, &c->p->command, &c->texts);
	size_t folder_len = strlen(c->folder);
	struct stat st;
	bool ok;

	flags.n -= command.n;           /* the command stands at the end of the line */
	c->record.flags = &flags;
	c->record.command = &command;
	c->record.traces.n = 0;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i] && stat(files[i], &st) == 0)
			vec_push(&c->record.traces, (manifest_trace){
				/* relative to the folder; the whole path if the export had to go to the cache */
				strncmp(files[i], c->folder, folder_len) == 0 && files[i][folder_len] == '/' ?
					files[i] + folder_len + 1 : files[i],
				st.st_size, c->record.exit_code });
	ok = manifest_write(&c->record, arena_printf(&c->texts, "%s/manifest.json", c->folder), c->say);
	mem_free(flags.v, command.v);
	rules_free(known);
	return ok;
}

/* Run nsys on the command.  False after a problem: nsys did not run or wrote no report. */
static bool capturing_run_nsys(capturing_ctx *c)
{
	const char *why;
	child_outcome end;

	c->record.started = time(NULL);
	end = child_run(&c->command);
	c->record.ended = time(NULL);
	c->record.exit_code = end.code;
	c->record.signal = end.signalled;
	c->record.wall_s = end.seconds;
	errno = end.failed;
	if (end.failed)
		return notes_problem(c->say, EXIT_FAILED, "cannot run '%s':", c->nsys->program);
	capturing_find_report(c);
	if (c->report)
		return true;
	if (captures_path_exists(arena_printf(&c->texts, "%s.qdstrm", c->output)))
		return notes_problem(c->say, EXIT_FAILED, "'%s' left '%s.qdstrm' and no report: its importer did not "
				     "run; import that file with nsys-ui, or install Nsight Systems whole",
				     c->nsys->program, c->output);
	why = caught_explain_no_events(c->p, &c->texts);
	return notes_problem(c->say, EXIT_FAILED, "'%s' ended with exit code %d and wrote no report: %s",
			     c->nsys->program, end.code, why ? why : "what it says above tells why");
}

static const char *capturing_trace_name(capturing_ctx *c)
{
	return arena_printf(&c->texts, "%s/nsys/run.sqlite", c->folder);
}

/* Export the report.  With --steps, write a slice of the export as the trace, and remove the export, because it is
 * large and the report still has everything.  False: there is no trace. */
static bool capturing_export_report(capturing_ctx *c)
{
	int ended_by = 0;

	c->trace = report_export(c->report, &(report_how){ .nsys = c->nsys->program, .beside = true }, NULL, &ended_by,
				 &c->texts, c->say);
	if (ended_by) {
		c->record.signal = ended_by;
		notes_problem(c->say, EXIT_FAILED, "'%s' was not exported: signal %d", c->report, ended_by);
	}
	if (c->trace && c->p->steps) {
		const char *whole = c->trace;
		c->trace = caught_slice_steps(whole, par_cores(), c->p->steps, capturing_trace_name(c), c->say) ?
			capturing_trace_name(c) :
			NULL;
		if (c->trace)
			unlink(whole);
	}
	if (c->trace)
		caught_check_trace(c->trace, par_cores(), c->p, c->say);
	return c->trace;
}

/* Make one capture; returns the exit code. */
static int capturing_make_capture(capturing_ctx *c)
{
	int code = 0;
	bool ok;

	if (!child_program_exists(c->p->command.v[0]))
		notes_problem(c->say, EXIT_FAILED, "cannot run '%s': there is no such program", c->p->command.v[0]);
	if (notes_code(c->say) || !captures_may_write(c->folder, c->p->replace, c->say) ||
	    !surroundings_read(&c->around, c->say))
		return notes_code(c->say);
	if (c->p->baseline && !capturing_run_baseline(c, &code))
		return code ? code : EXIT_FAILED;
	if (!captures_prepare_folder(c->folder, c->p->replace, c->say))
		return notes_code(c->say);
	c->record.around = &c->around;
	c->record.nsys = c->nsys->version;
	c->record.steps = c->p->steps;
	ok = capturing_run_nsys(c);
	ok = capturing_write_manifest(c) && ok && capturing_export_report(c);
	if (ok && c->p->ncu && !c->record.exit_code && !c->record.signal) {
		ok = measure_top_kernels(&c->measured, c->p, c->folder, c->trace);
		c->record.ncu = c->measured.version;
		c->record.ncu_json = c->measured.json;
		c->record.signal = c->measured.signal;
	}
	ok = capturing_write_manifest(c) && ok;
	return c->record.exit_code ? c->record.exit_code : ok ? EXIT_ANSWERED : EXIT_FAILED;
}

static void capturing_print_line(FILE *to, const text_list *words)
{
	arguments a = { 0 };

	arguments_add_all(&a, words);
	fprintf(to, "%s\n", arguments_line(&a));
	arguments_free(&a);
}

/* Print the command that reads a table from standard input, and measures its kernels with ncu. */
static void capturing_print_measuring(const capturing_ctx *c)
{
	arguments a = { 0 };

	arguments_add_words(&a, "nsq-capture", "--ncu-for", "-", "-o", c->folder);
	arguments_add(&a, c->p->profiler_api ? "--profiler-api" : NULL);
	arguments_add(&a, c->p->no_clock_control ? "--no-clock-control" : NULL);
	for (size_t i = 0; i < c->p->ncu_sections.n; i++)
		arguments_add_option(&a, "ncu-section", c->p->ncu_sections.v[i]);
	for (size_t i = 0; i < c->p->ncu_metrics.n; i++)
		arguments_add_option(&a, "ncu-metric", c->p->ncu_metrics.v[i]);
	if (c->p->range)
		arguments_add_words(&a, "--range", c->p->range);
	arguments_add(&a, "--");
	arguments_add_all(&a, &c->p->command);
	capturing_print_line(c->p->to, &a.list);
	arguments_free(&a);
}

/* Print the commands of a capture as lines for a shell.  Returns the exit code. */
static int capturing_show_commands(capturing_ctx *c)
{
	const char *trace_file = capturing_trace_name(c),
		   *exported = c->p->steps ? arena_printf(&c->texts, "%s.sqlite", c->output) : trace_file;
	arguments a = { 0 };

	if (c->p->baseline)
		capturing_print_line(c->p->to, &c->p->command);
	capturing_print_line(c->p->to, &c->command.list);
	arguments_add_words(&a, c->nsys->program, "export", "--type=sqlite");
	if (nsys_exports_blobs(c->nsys, &c->texts))
		arguments_add(&a, "--include-blobs=true");
	arguments_addf(&a, "--output=%s", exported);
	arguments_addf(&a, "%s.nsys-rep", c->output);
	capturing_print_line(c->p->to, &a.list);
	if (c->p->steps)
		fprintf(c->p->to, "nsq-window --skip 0 --period --pick %s %s | nsq-slice --keep env,host,command,"
			"paths,clock -o %s\n", c->p->steps, shell_word(&c->texts, exported),
			shell_word(&c->texts, trace_file));
	if (c->p->ncu) {
		fprintf(c->p->to, "# and in a steady step, the one in the middle, which --ncu-for finds:\n"
			"nsq-kernels %s | nsq-sql \"select * from t where class = 'compute' limit %lld\" - | ",
			shell_word(&c->texts, trace_file), (long long)c->p->ncu);
		capturing_print_measuring(c);
	}
	arguments_free(&a);
	return ferror(c->p->to) ? EXIT_FAILED : EXIT_ANSWERED;
}

/* ---- the captures of a sweep, or the only one */

typedef struct {
	const capture_params *p;
	nsys_installed nsys;
	const char *below;      /* the end of the path of each capture, after the folder of its case: "/rank-N", or
				 * "" */
	int64_t rank;           /* the rank of this process, or -1 */
	int code;               /* the exit code of the first case that failed, or 0 */
	size_t failed;          /* the number of cases that failed */
	const char *failed_folders;     /* the folders of the cases that failed, with their exit codes */
	bool ended_by_signal;   /* did a signal ask nsq-capture to end?  Then no more cases are run */
	arena texts;
} capturing_cases;

static void capturing_capture_case(capturing_cases *all, const sweep_case *this_case, const char *folder)
{
	capture_params own = *all->p;
	capturing_ctx c = { .p = &own, .nsys = &all->nsys, .folder = folder, .say = own.say,
		.record = { .rank = all->rank, .parameters = &this_case->values } };
	int code = EXIT_FAILED;

	own.command = this_case->command;
	c.output = arena_printf(&c.texts, "%s/nsys/%s", folder, own.steps ? "whole" : "run");
	if (nsys_profile_command(&c.command, c.nsys, c.p, c.output, own.say))
		code = own.dry_run ? capturing_show_commands(&c) : capturing_make_capture(&c);
	all->ended_by_signal = c.record.signal;
	/* in a sweep, a command that nsys ended after --duration has not failed */
	if (this_case->folder && own.duration_s && code == 128 + SIGTERM && c.trace)
		code = EXIT_ANSWERED;
	if (code) {
		all->failed++;
		all->failed_folders = arena_printf(&all->texts, "%s%s'%s' (%d)",
						   all->failed_folders ? all->failed_folders : "",
						   all->failed_folders ? ", " : "", folder, code);
	}
	all->code = all->code ? all->code : code;
	own.show(own.say);
	surroundings_free(&c.around);
	arguments_free(&c.command);
	vec_free(&c.record.traces);
	arena_free(&c.measured.texts);
	arena_free(&c.texts);
}

/* Does --max-size leave room for another capture?  left: the number of captures that are still to be made. */
static bool capturing_has_room(capturing_cases *all, size_t left)
{
	int64_t bytes = all->p->max_bytes ? captures_sum_bytes(all->p->folder) : 0;
	char size[FORMAT_CELL];

	if (bytes <= all->p->max_bytes)
		return true;
	all->code = all->code ? all->code : EXIT_FAILED;
	return notes_problem(all->p->say, EXIT_FAILED, "'%s' holds %s, more than --max-size: %zu %s not captured; "
			     "remove some, or add --keep-last N", all->p->folder,
			     format_amount(true, (double)bytes, size, sizeof size), left, left == 1 ? "was" : "were");
}

static void capturing_suggest_diff(capturing_cases *all, const sweep *s)
{
	const char *path[2];

	for (size_t i = 0; i < 2; i++)
		path[i] = shell_word(&all->texts, arena_printf(&all->texts, "%s/%s%s/nsys/run.sqlite", all->p->folder,
							       s->v[s->n - 2 + i].folder, all->below));
	notes_remark(all->p->say, "to compare two of them: nsq-diff %s %s", path[0], path[1]);
}

static void capturing_capture_all(capturing_cases *all, const sweep *s)
{
	const capture_params *p = all->p;

	for (size_t i = 0; i < s->n && !all->ended_by_signal && (!i || capturing_has_room(all, s->n - i)); i++) {
		const char *folder = arena_printf(&all->texts, "%s%s%s%s", p->folder, s->v[i].folder ? "/" : "",
						  s->v[i].folder ? s->v[i].folder : "", all->below);
		if (s->v[i].folder && !p->dry_run)
			notes_remark(p->say, "capturing '%s', %zu of %zu", folder, i + 1, s->n);
		p->show(p->say);
		capturing_capture_case(all, &s->v[i], folder);
		if (p->keep_last && !p->dry_run)
			captures_keep_last(p->folder, all->below, p->keep_last, p->say);
		if (p->keep && !p->dry_run)
			captures_compress_all_but(p->folder, all->below, p->keep, p->say);
	}
	if (s->n > 1 && all->failed)
		notes_problem(p->say, EXIT_FAILED, "%zu of %zu failed, with their exit codes: %s", all->failed, s->n,
			      all->failed_folders);
	else if (s->n > 1 && !p->dry_run && !all->code && !all->ended_by_signal && p->keep_last != 1 &&
		 p->keep != 1)
		capturing_suggest_diff(all, s);
}

static int capturing_show_uncaptured(const sweep *s, int times, FILE *to)
{
	for (size_t i = 0; i < s->n; i++)
		for (int k = 0; k < times; k++)
			capturing_print_line(to, &s->v[i].command);
	return ferror(to) ? EXIT_FAILED : EXIT_ANSWERED;
}

/* Run the command without a capture, because this rank is not in --ranks.  It runs `times` times for each case, because
 * ranks that communicate must run the command equally often.  The last run replaces this process. */
static int capturing_run_uncaptured(const sweep *s, int times, notes *say)
{
	child_outcome end = { 0 };

	for (size_t i = 0; i < s->n; i++)
		for (int k = 1; k <= times; k++) {
			arguments a = { 0 };
			arguments_add_all(&a, &s->v[i].command);
			if (i + 1 == s->n && k == times) {
				execvp(a.list.v[0], arguments_argv(&a));
				notes_problem(say, EXIT_FAILED, "cannot run '%s':", a.list.v[0]);
			} else {
				end = child_run(&a);
			}
			arguments_free(&a);
			if (end.signalled)
				return end.code;
		}
	return end.code;
}

static bool capturing_find_nsys(capturing_cases *all)
{
	const capture_params *p = all->p;
	const char *program = report_find_nsys(p->nsys);

	if (nsys_ask(&all->nsys, program, p->dry_run ? NULL : p->say))
		return true;
	if (!p->dry_run)
		return false;
	notes_remark(p->say, "'%s' does not run here, so this is for a current one", program);
	return true;
}

int capturing_run(const capture_params *p)
{
	capturing_cases all = { .p = p, .below = "", .rank = ranks_get_own() };
	int times = 1 + p->baseline + (p->ncu > 0);
	sweep cases = { 0 };

	if (all.rank >= 0)
		all.below = arena_printf(&all.texts, "/rank-%lld", (long long)all.rank);
	all.code = EXIT_FAILED;
	if (!sweep_read(&cases, &p->sweeps, &p->command, p->say)) {
		all.code = EXIT_WRONG;
	} else if (p->ranks && !ranks_in_list(p->ranks, all.rank)) {
		all.code = p->dry_run ? capturing_show_uncaptured(&cases, times, p->to) :
					capturing_run_uncaptured(&cases, times, p->say);
	} else if (capturing_find_nsys(&all)) {
		all.code = 0;
		if (p->ncu && all.rank >= 0)
			notes_remark(p->say, "ncu leaves out kernels that communicate; the others' replays may "
				     "outlast the ranks' timeout");
		capturing_capture_all(&all, &cases);
	}
	sweep_free(&cases);
	arena_free(&all.nsys.texts);
	arena_free(&all.texts);
	return all.code;
}
