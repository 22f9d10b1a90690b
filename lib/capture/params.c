#include "capture/params.h"
#include "base/number.h"

#include <string.h>

bool capture_params_fit(const capture_params *p, notes *say)
{
	if (!p->command.n)
		return notes_problem(say, EXIT_WRONG, "no command; as in nsq-capture -o DIR -- python train.py");
	if (!p->folder)
		return notes_problem(say, EXIT_WRONG, "no folder for the capture; name one with -o DIR");
	if (p->range && p->profiler_api)
		return notes_problem(say, EXIT_WRONG, "'--range' and '--profiler-api' cannot be combined; choose one");
	return true;
}

static bool read_seconds(const char *arg, int64_t *to)
{
	static const int64_t second = 1000000000;
	int64_t unit;

	if (!number_time(arg, strlen(arg), second, &unit, to) || *to <= 0 || *to % second)
		return false;
	*to /= second;
	return true;
}

bool capture_read_delay(const char *arg, void *params)
{
	return read_seconds(arg, &((capture_params *)params)->delay_s);
}

bool capture_read_duration(const char *arg, void *params)
{
	return read_seconds(arg, &((capture_params *)params)->duration_s);
}
