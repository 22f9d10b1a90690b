/* How often the operations of several traces are matched for one report of them:
 *
 *     matches FOLDER TRACE...        # prints how many traces each match is of; -Wl,--wrap=job_name_procs */
#include "cli/run.h"
#include "job/job.h"

#include <stdio.h>

void __real_job_name_procs(job *j);
void __wrap_job_name_procs(job *j);

/* The first thing that a match does. */
void __wrap_job_name_procs(job *j)
{
	printf("%zu\n", j->traces.n);
	__real_job_name_procs(j);
}

int main(int argc, char **argv)
{
	notes say = { 0 };
	input_trace traces[64];
	inputs in = { .traces = traces, .threads = 4 };
	report_params p = { .mode = 1, .folder = argv[1], .read = tools_parse_command, .view = true };
	table findings = { 0 };
	bool ok;

	for (int i = 2; i < argc; i++)
		traces[in.ntraces++] = (input_trace){ argv[i], argv[i] };
	ok = report_answer(&in, &p, &findings, &say);
	table_free(&findings);
	notes_free(&say);
	return ok ? 0 : 1;
}
