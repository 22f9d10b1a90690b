#include "capture/capturing.h"
#include "capture/child.h"
#include "capture/manifest.h"
#include "capture/nsys_command.h"
#include "trace/report.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* One capture. */
typedef struct {
	const capture_params *p;
	const nsys_known *nsys;
	const char *folder;
	const char *output;     /* what nsys calls its report, without the ending */
	const char *report, *trace;     /* what there is of it in the end; or NULL */
	arguments command;      /* of nsys */
	surroundings around;
	manifest record;
	arena texts;
	notes *say;
} capturing;

static bool is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	bool empty = d;

	for (struct dirent *e; d && (e = readdir(d));)
		empty &= strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
	if (d)
		closedir(d);
	return empty;
}

/* Of a capture that was there nothing is left that could be taken for one of the new; other files stay. */
static void clear(capturing *c)
{
	static const char *const ours[] = { "manifest.json", "nsys/run.nsys-rep", "nsys/run.qdrep", "nsys/run.qdstrm",
		"nsys/run.sqlite", "nsys/whole.nsys-rep", "nsys/whole.qdrep", "nsys/whole.qdstrm",
		"nsys/whole.sqlite" };

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		unlink(arena_printf(&c->texts, "%s/%s", c->folder, ours[i]));
}

static bool make_folder(const char *path, notes *say)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
		notes_problem(say, EXIT_FAILED, "cannot create '%s':", path);
}

static bool may_write(capturing *c)
{
	return !is_there(c->folder) || is_empty(c->folder) || c->p->replace ||
		notes_problem(c->say, EXIT_WRONG, "'%s' exists; --force replaces the capture in it", c->folder);
}

static bool prepare_folder(capturing *c)
{
	if (!make_folder(c->folder, c->say) || !make_folder(arena_printf(&c->texts, "%s/nsys", c->folder), c->say))
		return false;
	clear(c);
	return true;
}

/* The command by itself.  False if there is nothing to capture then. */
static bool run_baseline(capturing *c, int *code)
{
	arguments a = { 0 };
	child_end end;

	arguments_all(&a, &c->p->command);
	end = child_run(&a);
	arguments_free(&a);
	*code = end.code;
	c->record.baseline_s = end.seconds;
	if (end.failed) {
		errno = end.failed;
		*code = EXIT_FAILED;
		return notes_problem(c->say, EXIT_FAILED, "cannot run '%s':", c->p->command.v[0]);
	}
	if (end.code)
		return notes_problem(c->say, EXIT_FAILED, "without a profiler '%s' ended with exit code %d, so nothing "
				     "was captured", c->p->command.v[0], end.code);
	return true;
}

static void find_report(capturing *c)
{
	static const char *const endings[] = { "nsys-rep", "qdrep" };

	for (size_t i = 0; i < sizeof endings / sizeof *endings && !c->report; i++) {
		const char *path = arena_printf(&c->texts, "%s.%s", c->output, endings[i]);
		c->report = is_there(path) ? path : NULL;
	}
}

static void record_trace(capturing *c, const char *path)
{
	struct stat st = { 0 };

	if (path && stat(path, &st) == 0)
		vec_push(&c->record.traces, (manifest_trace){ path + strlen(c->folder) + 1, st.st_size,
			c->record.exit_code });
}

/* Run nsys.  False after a problem: there is no report. */
static bool run_nsys(capturing *c)
{
	child_end end;

	c->record.started = time(NULL);
	end = child_run(&c->command);
	c->record.ended = time(NULL);
	c->record.exit_code = end.code;
	c->record.signal = end.asked;
	c->record.wall_s = end.seconds;
	if (end.failed) {
		errno = end.failed;
		return notes_problem(c->say, EXIT_FAILED, "cannot run '%s':", c->nsys->program);
	}
	find_report(c);
	if (c->report)
		return true;
	if (is_there(arena_printf(&c->texts, "%s.qdstrm", c->output)))
		return notes_problem(c->say, EXIT_FAILED, "'%s' left '%s.qdstrm' and no report: its importer did not "
				     "run; import that file with nsys-ui, or install Nsight Systems whole",
				     c->nsys->program, c->output);
	return notes_problem(c->say, EXIT_FAILED, "'%s' ended with exit code %d and wrote no report; what it says "
			     "above tells why", c->nsys->program, end.code);
}

static bool export(capturing *c)
{
	int ended_by;

	c->trace = report_export(c->report, &(report_how){ .nsys = c->nsys->program }, -1, &ended_by, &c->texts,
				 c->say);
	return c->trace;
}

static int capture(capturing *c)
{
	text_list flags = c->command.list;
	int code = 0;
	bool ok;

	if (!may_write(c) || !surroundings_read(&c->around, c->say))
		return notes_code(c->say);
	if (c->p->baseline && !run_baseline(c, &code))
		return code;
	if (!prepare_folder(c))
		return notes_code(c->say);
	flags.n -= c->p->command.n;
	c->record.around = &c->around;
	c->record.command = &c->p->command;
	c->record.nsys = c->nsys->version;
	c->record.flags = &flags;
	ok = run_nsys(c) && export(c);
	record_trace(c, c->trace);
	record_trace(c, c->report);
	ok = manifest_write(&c->record, arena_printf(&c->texts, "%s/manifest.json", c->folder), c->say) && ok;
	return c->record.exit_code ? c->record.exit_code : ok ? EXIT_ANSWERED : EXIT_FAILED;
}

static int capture_into(const capture_params *p, const nsys_known *nsys, const char *folder)
{
	capturing c = { .p = p, .nsys = nsys, .folder = folder, .say = p->say,
		.record = { .rank = -1, .steps = p->steps } };
	int code = EXIT_FAILED;

	c.output = arena_printf(&c.texts, "%s/nsys/%s", folder, p->steps ? "whole" : "run");
	if (nsys_profile(&c.command, nsys, p, c.output, p->say)) {
		if (p->dry_run)
			code = fprintf(p->to, "%s\n", arguments_line(&c.command)) < 0;
		else
			code = capture(&c);
	}
	surroundings_free(&c.around);
	arguments_free(&c.command);
	vec_free(&c.record.traces);
	arena_free(&c.texts);
	return code;
}

int capturing_run(const capture_params *p)
{
	nsys_known nsys = { 0 };
	int code = EXIT_FAILED;

	if (nsys_ask(&nsys, report_nsys(p->nsys), p->dry_run ? NULL : p->say))
		code = capture_into(p, &nsys, p->folder);
	else if (p->dry_run) {
		nsys_assume(&nsys, report_nsys(p->nsys));
		notes_remark(p->say, "'%s' does not run here, so this is for a current one", nsys.program);
		code = capture_into(p, &nsys, p->folder);
	}
	nsys_free(&nsys);
	return code;
}
