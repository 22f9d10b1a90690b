#include "cli/run.h"
#include "base/folders.h"
#include "cli/errors.h"
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

const char *trace_file(const char *path, const report_how *how, arena *texts, notes *say)
{
	bool watched = isatty(STDERR_FILENO) && !errors_is_quiet();
	const char *sqlite = NULL;
	int ended_by = 0;

	if (folders_limited() && folders_stat(path, NULL) != 0 && errno == EACCES) {
		notes_problem(say, EXIT_FAILED, "'%s' is not in the folders that may be read", path);
		return NULL;
	}
	if (!report_find_file(path, how, &sqlite, texts, say))
		return NULL;
	if (!sqlite && folders_limited() && !report_is_torch(path)) {   /* no nsys for an agent (nsq mcp) */
		notes_problem(say, EXIT_FAILED, "'%s' has no export to SQLite beside it, and none is made here; make "
			      "it with nsq setup, in a shell", path);
		return NULL;
	}
	if (!sqlite) {
		if (watched && report_is_torch(path))
			announce("importing '%s'; this happens only once", path);
		else if (watched)
			announce("exporting '%s' with '%s'; this happens only once", path, report_find_nsys(how->nsys));
		progress_begin();
		sqlite = report_export(path, how, progress_show, &ended_by, texts, say);
		progress_show("reading", 0, 0);
	}
	if (ended_by) {
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	return sqlite;
}

trace_place trace_file_place(const char *path, const report_how *how)
{
	arena texts = { 0 };
	notes unsaid = { 0 };           /* not shown: the same problems are noted when the trace is opened */
	const char *file;
	struct stat st = { 0 };
	bool there = report_find_file(path, how, &file, &texts, &unsaid) && folders_stat(file ? file : path, &st) == 0;

	arena_free(&texts);
	notes_free(&unsaid);
	return (trace_place){ path, st.st_dev, st.st_ino, there };
}

bool trace_file_same(const trace_place *a, const trace_place *b)
{
	return strcmp(a->path, b->path) == 0 || (a->there && b->there && a->dev == b->dev && a->ino == b->ino);
}
