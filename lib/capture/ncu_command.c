#include "capture/ncu_choice.h"

const char *ncu_program(void)
{
	const char *named = getenv("NSQ_NCU");

	return named && *named ? named : "ncu";
}

static void ncu_command_add_count(arguments *to, const char *option, int64_t value)
{
	arguments_add(to, option);
	arguments_addf(to, "%lld", (long long)value);
}

/* Convert the argument of --range into that of ncu's --nvtx-include: RANGE@DOMAIN into DOMAIN@RANGE/, and RANGE or
 * RANGE@* into RANGE/. */
static const char *ncu_command_convert_range(const char *range, arena *a)
{
	const char *at = strrchr(range, '@');

	return at && strcmp(at, "@*") != 0 ? arena_printf(a, "%s@%.*s/", at + 1, (int)(at - range), range) :
		arena_printf(a, "%.*s/", at ? (int)(at - range) : (int)strlen(range), range);
}

void ncu_profile_command(arguments *to, const char *program, bool scopes, const ncu_choice *c, const capture_params *p,
			 const char *output)
{
	/* with --range, c counts the launches in that range only, and so must ncu */
	const char *range = p->range ? ncu_command_convert_range(p->range, &to->texts) : c->range,
		   *metrics = "dram__bytes.sum";

	arguments_add_words(to, program, "--target-processes", "all", "--set", "roofline");
	for (size_t i = 0; i < p->ncu_sections.n; i++)
		arguments_add_words(to, "--section", p->ncu_sections.v[i]);
	for (size_t i = 0; i < p->ncu_metrics.n; i++)
		metrics = arena_printf(&to->texts, "%s,%s", metrics, p->ncu_metrics.v[i]);
	arguments_add_words(to, "--metrics", metrics, "--kernel-name", c->names);
	if (c->skip)
		ncu_command_add_count(to, "--launch-skip", c->skip);
	if (c->count)
		ncu_command_add_count(to, "--launch-count", c->count);
	arguments_add(to, "--nvtx");            /* ncu records the ranges around each launch */
	if (range)
		arguments_add_words(to, "--nvtx-include", range);
	if (p->range && scopes)         /* so that ncu measures the launches of all threads, as nsys captures them */
		arguments_add_words(to, "--nvtx-push-pop-scope", "process");
	if (p->profiler_api || c->profiler_api)
		arguments_add_words(to, "--profile-from-start", "off");
	arguments_add_words(to, "--clock-control", p->no_clock_control ? "none" : "base", "--cache-control",
			p->no_clock_control ? "none" : "all");
	if (output) {
		arguments_add(to, "--log-file");
		arguments_addf(to, "%s.log", output);
		arguments_add_words(to, "-o", output);
	} else {
		arguments_add_words(to, "--page", "raw", "--csv", "--log-file", "raw.csv");
	}
	arguments_add_all(to, &p->command);
}

void ncu_raw_page_command(arguments *to, const char *program, const char *output, const char *csv)
{
	arguments_add_words(to, program, "--import");
	arguments_addf(to, "%s.ncu-rep", output);
	arguments_add_words(to, "--page", "raw", "--csv", "--log-file", csv);
}
