#include "capture/nsys_command.h"

#include <ctype.h>
#include <string.h>

/* This variable lets a capture begin at any range.  Without it, the range's name must be a registered string, which
 * hardly any program uses. */
#define ALLOW_ANY_RANGE "NSYS_NVTX_PROFILER_REGISTER_ONLY=0"
#define NSYS_DOWNLOAD_URL "https://developer.nvidia.com/nsight-systems"

/* The version in the text that nsys --version prints, such as 2025.3.1.90 in "NVIDIA Nsight Systems version
 * 2025.3.1.90-253135822126v0"; or "unknown". */
static const char *nsys_command_read_version(const char *text, arena *to)
{
	const char *at = text ? strstr(text, "version ") : NULL;

	return at ? arena_text(to, at + 8, strcspn(at + 8, "- \r\n")) : "unknown";
}

bool nsys_ask(nsys_installed *to, const char *program, notes *say)
{
	const char *version = CHILD_OUTPUT_IF_OK(&to->texts, program, "--version");

	to->program = program;
	to->help = version ? CHILD_OUTPUT_IF_OK(&to->texts, program, "profile", "--help") : NULL;
	if (!child_program_exists(program))
		return notes_problem(say, EXIT_FAILED, "'%s' is %s; install Nsight Systems ("
				     NSYS_DOWNLOAD_URL ") or name its nsys with --nsys PATH", program,
				     strchr(program, '/') ? "no program" : "not on the PATH");
	if (!version)
		return notes_problem(say, EXIT_FAILED, "'%s' cannot be run; try '%s --version', install Nsight Systems "
				     "(" NSYS_DOWNLOAD_URL ") or name its nsys with --nsys PATH", program, program);
	to->version = nsys_command_read_version(version, &to->texts);
	return true;
}

/* Does this version of nsys have the option, such as --cuda-graph-trace?  True if the help of nsys is unknown. */
static bool nsys_command_knows_option(const nsys_installed *n, const char *option)
{
	size_t len = strlen(option);

	for (const char *at = n->help; at && (at = strstr(at, option)); at += len)
		if (at[len] != '-' && !isalnum((unsigned char)at[len]))
			return true;
	return !n->help;
}

bool nsys_exports_blobs(const nsys_installed *n, arena *texts)
{
	const char *help = n->version ? CHILD_OUTPUT_IF_OK(texts, n->program, "export", "--help") : NULL;

	return !help || strstr(help, "--include-blobs");
}

/* Check that nsys has an option.  wanted: the user's option that needs it, such as --range.  False after a problem. */
static bool nsys_command_require_option(const nsys_installed *n, const char *option, const char *wanted, notes *say)
{
	return nsys_command_knows_option(n, option) ||
		notes_problem(say, EXIT_FAILED,
			      "'%s' %s has no %s, which '%s' needs; install "
			      "a newer one (" NSYS_DOWNLOAD_URL "), or drop it",
			      n->program, n->version, option, wanted);
}

/* Words of --with that become options of nsys instead of words of its --trace.  If an option has two spellings, the
 * first one that this version has is used. */
static const struct { const char *word, *option[2], *value; } with_flags[] = {
	{ "gpu-metrics", { "--gpu-metrics-devices", "--gpu-metrics-device" }, "all" },
	{ "memory-usage", { "--cuda-memory-usage", NULL }, "true" },
};

/* The option of nsys that a word of --with becomes, and its *value; NULL: the word belongs to --trace. */
static const char *nsys_command_find_option(const nsys_installed *n, const char *word, size_t len, const char **value)
{
	for (size_t i = 0; i < sizeof with_flags / sizeof *with_flags; i++)
		if (strlen(with_flags[i].word) == len && strncmp(with_flags[i].word, word, len) == 0) {
			*value = with_flags[i].value;
			return nsys_command_knows_option(n, with_flags[i].option[0]) || !with_flags[i].option[1] ?
				with_flags[i].option[0] :
				with_flags[i].option[1];
		}
	return NULL;
}

static bool nsys_command_add_traced_kinds(arguments *to, const nsys_installed *n, const capture_params *p, notes *say)
{
	const char *trace = "cuda,nvtx", *value;
	arguments others = { 0 };
	bool ok = true;

	for (const char *w = p->with; ok && w && *w;) {
		size_t len = strcspn(w, ",");
		const char *option = nsys_command_find_option(n, w, len, &value);
		if (option) {
			ok = nsys_command_require_option(n, option, "--with", say);
			arguments_addf(&others, "%s=%s", option, value);
		} else if (len) {
			trace = arena_printf(&to->texts, "%s,%.*s", trace, (int)len, w);
		}
		w += len + (w[len] == ',');
	}
	arguments_addf(to, "--trace=%s", trace);
	arguments_add_all(to, &others.list);
	arguments_free(&others);
	arguments_addf(to, "--sample=%s", p->sample ? "process-tree" : "none");
	if (nsys_command_knows_option(n, "--cpuctxsw"))
		arguments_addf(to, "--cpuctxsw=%s", p->sample ? "process-tree" : "none");
	if (p->graphs == CAPTURE_WHOLE_GRAPHS)
		ok = ok && nsys_command_require_option(n, "--cuda-graph-trace", "--graphs whole", say);
	if (nsys_command_knows_option(n, "--cuda-graph-trace"))       /* versions without this option always trace the
								       * nodes */
		arguments_addf(to, "--cuda-graph-trace=%s", p->graphs == CAPTURE_WHOLE_GRAPHS ? "graph" : "node");
	if (nsys_command_knows_option(n, "--trace-fork-before-exec"))
		arguments_add(to, "--trace-fork-before-exec=true");
	return ok;
}

/* Add the option that stops the capture at the end of its range, while the program goes on and nsys waits for it. */
static void nsys_command_add_stop(arguments *to, const nsys_installed *n)
{
	if (nsys_command_knows_option(n, "--capture-range-end"))
		arguments_add(to, "--capture-range-end=stop");
	else if (nsys_command_knows_option(n, "--stop-on-range-end"))
		arguments_add(to, "--stop-on-range-end=true");
}

static bool nsys_command_add_captured_part(arguments *to, const nsys_installed *n, const capture_params *p, notes *say)
{
	bool ok = true;

	if (p->range) {
		ok = nsys_command_require_option(n, "--nvtx-capture", "--range", say);
		arguments_add(to, "--capture-range=nvtx");
		arguments_addf(to, "--nvtx-capture=%s", p->range);
		nsys_command_add_stop(to, n);
		arguments_add(to, "--env-var=" ALLOW_ANY_RANGE);
	}
	if (p->profiler_api) {
		arguments_add(to, "--capture-range=cudaProfilerApi");
		nsys_command_add_stop(to, n);
	}
	arguments_add_number_option(to, "delay", p->delay_s);
	arguments_add_number_option(to, "duration", p->duration_s);
	return ok;
}

/* The path with each % doubled, since nsys replaces %p, %h and others. */
static const char *nsys_command_escape_path(const char *path, arena *to)
{
	const char *out = "";

	for (size_t n; *path; path += n + (path[n] == '%')) {
		n = strcspn(path, "%");
		out = arena_printf(to, "%s%.*s%s", out, (int)n, path, path[n] ? "%%" : "");
	}
	return out;
}

/* Do the user's own flags of nsys set the same option as ours, --NAME=VALUE or --NAME?  Then ours is left out. */
static bool nsys_command_is_user_flag(const char *flag, const text_list *user_flags)
{
	size_t len = strcspn(flag, "=");

	for (size_t i = 0; i < user_flags->n; i++)
		if (strncmp(user_flags->v[i], flag, len) == 0 &&
		    (user_flags->v[i][len] == '=' || !user_flags->v[i][len]))
			return true;
	return false;
}

/* Add the user's flags.  nsys uses only its last --env-var, so with --range our variable is added to each
 * --env-var of the user. */
static void nsys_command_add_user_flags(arguments *to, const capture_params *p)
{
	static const char flag[] = "--env-var=";
	size_t len = strlen(flag);
	bool is_value = false;  /* is the word the value of an --env-var or -e before it? */

	for (size_t i = 0; i < p->flags.n; i++) {
		const char *f = p->flags.v[i];
		if (p->range && (is_value || strncmp(f, flag, len) == 0))
			arguments_addf(to, "%s" ALLOW_ANY_RANGE ",%s", is_value ? "" : flag, f + (is_value ? 0 : len));
		else
			arguments_add(to, f);
		is_value = strcmp(f, "--env-var") == 0 || strcmp(f, "-e") == 0;
	}
}

bool nsys_profile_command(arguments *to, const nsys_installed *n, const capture_params *p, const char *output,
			  notes *say)
{
	arguments own = { 0 };
	bool ok = nsys_command_add_traced_kinds(&own, n, p, say) && nsys_command_add_captured_part(&own, n, p, say);

	arguments_add_words(to, n->program, "profile");
	for (size_t i = 0; i < own.list.n; i++)
		if (!nsys_command_is_user_flag(own.list.v[i], &p->flags))
			arguments_add(to, own.list.v[i]);
	arguments_free(&own);
	nsys_command_add_user_flags(to, p);
	arguments_add_words(to, "-o", nsys_command_escape_path(output, &to->texts));
	arguments_add_all(to, &p->command);
	return ok;
}
