#include "capture/capturing.h"
#include "capture/manifest.h"
#include "capture/ncu_choice.h"
#include "capture/secrets.h"

#include <errno.h>
#include <sys/stat.h>

#define NCU_DOWNLOAD_URL "https://developer.nvidia.com/nsight-compute"

/* The version that ncu prints, such as 2025.3.1.0, or "unknown"; NULL after a problem: it cannot be run. */
static const char *measuring_ask_version(const char *program, arena *to, notes *say)
{
	const char *text = CHILD_OUTPUT_IF_OK(to, program, "--version"), *at;

	if (!text) {
		notes_problem(say, EXIT_FAILED, "'%s' cannot be run, so no kernel was measured; install Nsight Compute "
			      "(" NCU_DOWNLOAD_URL ") or name its ncu in $NSQ_NCU", program);
		return NULL;
	}
	at = strstr(text, "Version ");
	return at ? arena_text(to, at + 8, strcspn(at + 8, " \r\n")) : "unknown";
}

static const char *measuring_describe_run(const ncu_choice *c, const arguments *command, int code, bool csv, arena *to,
					notes *say)
{
	char *text = NULL;
	size_t size;
	json_writer j = { .to = text_open(&text, &size) };
	rules *known = secrets_load(say);
	text_list shown = secrets_masked(known, &command->list, to);

	json_open(&j, NULL, '{');
	manifest_write_texts(&j, "kernels", &c->kernels);
	manifest_write_texts(&j, "command", &shown);
	json_int(&j, "skip", c->skip);
	json_int(&j, "count", c->count);
	json_int(&j, "exit_code", code);
	json_text(&j, "raw", csv ? "ncu/raw.csv" : NULL);
	json_close(&j, '}');
	vec_free(&shown);
	rules_free(known);
	return text_close_into(j.to, &text, to);
}

/* Add the problem that ncu wrote no report, with the advice that caught_find_advice finds for its log, if any.
 * Returns false. */
static bool measuring_say_no_report(const char *program, const char *output, int code, arena *a, notes *say)
{
	const char *log = arena_printf(a, "%s.log", output), *why = NULL;
	char *text = text_file(log, &(size_t){ 0 });

	if (text)
		why = caught_find_advice(text, a);
	free(text);
	return notes_problem(say, EXIT_FAILED, "'%s' ended with exit code %d and wrote no report%s%s; '%s' has what it "
			     "says", program, code, why ? ": " : "", why ? why : "", log);
}

/* Run ncu on the command, and write the raw page of its report as CSV.  If ncu saw no launch in the range of the
 * step, run it again without the range, but not in a rank of a job, which would wait forever for the other ranks.
 * *code: the exit code of ncu.  False after a problem. */
static bool measuring_run_ncu(measured *to, const ncu_choice *c, const capture_params *p, const char *folder, int *code)
{
	const char *program = ncu_program(), *output = arena_printf(&to->texts, "%s/ncu/run", folder);
	const char *csv = arena_printf(&to->texts, "%s/ncu/raw.csv", folder), *help;
	const char *report = arena_printf(&to->texts, "%s.ncu-rep", output);
	ncu_choice anywhere = *c;               /* the choice without the range, if ncu runs again */
	arguments a = { 0 }, raw = { 0 };
	child_outcome end;
	bool ok;

	to->version = measuring_ask_version(program, &to->texts, p->say);
	if (!to->version)
		return false;
	if (mkdir(arena_printf(&to->texts, "%s/ncu", folder), 0777) != 0 && errno != EEXIST)
		return notes_problem(p->say, EXIT_FAILED, "cannot create '%s/ncu':", folder);
	unlink(report);
	unlink(csv);
	help = p->range ? CHILD_OUTPUT_IF_OK(&to->texts, program, "--help") : NULL;
	ncu_profile_command(&a, program, help && strstr(help, "--nvtx-push-pop-scope"), c, p, output);
	end = child_run(&a);
	if (!end.code && !end.signalled && !captures_path_exists(report) && c->range && !p->range &&
	    ranks_get_own() < 0) {
		notes_remark(p->say, "ncu saw no launch in the range '%s'; measuring again, counting launches from "
			     "the program's start", c->range);
		anywhere.range = NULL;
		anywhere.skip = c->skip_all;
		arguments_free(&a);
		ncu_profile_command(&a, program, false, &anywhere, p, output);
		end = child_run(&a);
	}
	*code = end.code;
	to->signal = end.signalled;
	ok = captures_path_exists(report) || measuring_say_no_report(program, output, end.code, &to->texts, p->say);
	if (ok) {
		ncu_raw_page_command(&raw, program, output, csv);
		end.signalled = child_run(&raw).signalled;
		to->signal = to->signal ? to->signal : end.signalled;
		ok = captures_path_exists(csv) ||
			notes_problem(p->say, EXIT_FAILED, "'%s' cannot write the raw page of '%s.ncu-rep'", program,
				      output);
	}
	to->json = measuring_describe_run(&anywhere, &a, end.code, ok, &to->texts, p->say);
	arguments_free(&raw);
	arguments_free(&a);
	return ok;
}

bool measure_top_kernels(measured *to, const capture_params *p, const char *folder, const char *trace_file)
{
	earlier e = { 0 };
	ncu_choice c = { 0 };
	int code;
	bool ok = earlier_open(&e, trace_file, ncu_choice_need(), p->nsys, p->say) &&
		ncu_choose_top(&c, e.t, p->ncu, p->say);

	c.profiler_api = e.profiler_api;
	if (ok && (p->delay_s || p->steps) && !c.range)
		notes_remark(p->say, "launches before the capture are not known, so ncu may measure some of the "
			     "warm-up");
	ok = ok && measuring_run_ncu(to, &c, p, folder, &code);
	ncu_choice_free(&c);
	earlier_close(&e);
	return ok;
}

/* Print the command that measures and, if there is a folder, the command that writes the raw page of the report.
 * Returns the exit code. */
static int measuring_print_command(const ncu_choice *c, const capture_params *p)
{
	arguments a = { 0 }, raw = { 0 };
	const char *output = p->folder ? arena_printf(&a.texts, "%s/ncu/run", p->folder) : NULL;

	ncu_profile_command(&a, ncu_program(), true, c, p, output);
	fprintf(p->to, "%s\n", arguments_line(&a));
	if (output) {
		ncu_raw_page_command(&raw, ncu_program(), output, arena_printf(&a.texts, "%s/ncu/raw.csv", p->folder));
		fprintf(p->to, "%s\n", arguments_line(&raw));
	}
	arguments_free(&raw);
	arguments_free(&a);
	return ferror(p->to) ? EXIT_FAILED : EXIT_ANSWERED;
}

/* Open the trace that the table is about.  If there is none, add a remark, and leave *e empty.  False after a
 * problem. */
static bool measuring_open_trace(earlier *e, const read_table *rows, const capture_params *p)
{
	const char *path = ncu_choice_find_trace(rows);

	if (path && access(path, R_OK) == 0)
		return earlier_open(e, path, ncu_choice_need(), p->nsys, p->say);
	notes_remark(p->say, "%s cites no trace that is there, so the first launches of its kernels are measured",
		     rows->name);
	return true;
}

static bool measuring_find_command(earlier *e, capture_params *p)
{
	if (e->t)
		return earlier_fill_command(e, &p->command, p->folder && !p->dry_run, p->say);
	if (!p->command.n && p->folder && !p->dry_run)
		return notes_problem(p->say, EXIT_WRONG, "no command to measure; name it: ... -- COMMAND");
	if (!p->command.n)
		vec_push(&p->command, "COMMAND");
	return true;
}

int measure_table_kernels(capture_params *p)
{
	read_table rows = { 0 };
	earlier e = { 0 };
	ncu_choice c = { 0 };
	measured m = { 0 };
	int code = 0;
	bool ok = read_table_named(p->ncu_for, &rows, p->say) && measuring_open_trace(&e, &rows, p) &&
		ncu_choose_rows(&c, &rows, e.t, p->say) && measuring_find_command(&e, p);

	c.profiler_api = e.profiler_api;
	if (ok && (!p->folder || p->dry_run))
		code = measuring_print_command(&c, p);
	else if (ok)
		ok = captures_may_measure(p->folder, p->replace, p->say) && captures_make_folders(p->folder, p->say) &&
			measuring_run_ncu(&m, &c, p, p->folder, &code);
	arena_free(&m.texts);
	ncu_choice_free(&c);
	earlier_close(&e);
	read_table_free(&rows);
	return code ? code : ok ? EXIT_ANSWERED : notes_code(p->say);
}
