#include "cli/trace_file.h"
#include "cli/errors.h"
#include "trace/report.h"

#include <signal.h>
#include <unistd.h>

const char *trace_file(const char *path, const char *nsys, arena *texts, notes *say)
{
	bool seen = isatty(STDERR_FILENO) && !errors_quiet();
	const char *sqlite;
	int ended_by = 0;

	if (report_ready(path, &sqlite, texts, say) && !sqlite) {
		if (seen)
			remark("exporting '%s' with '%s'; this happens only once", path, report_nsys(nsys));
		sqlite = report_export(path, nsys, seen ? STDERR_FILENO : -1, &ended_by, texts, say);
	}
	if (ended_by) {
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	return sqlite;
}
