#include "cli/options.h"
#include "cli/errors.h"
#include "cli/help.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024 };

struct opt_common opt_common = { .pid = -1, .gpu = -1 };
unsigned opt_mode = 1;

static bool help, version, columns, quiet;

static const opt common[] = {
	{ "window", 'w', "SPEC", "A..B (ns us ms s), a window table's file, or - for stdin; repeatable",
	  OPT_TEXTS, &opt_common.windows, 0, 0 },
	{ "merge", 0, NULL, "answer the windows of one trace and pid as one", OPT_FLAG, &opt_common.merge, 0, 0 },
	{ "inside", 0, NULL, "count only events wholly inside the window", OPT_FLAG, &opt_common.inside, 0, 0 },
	{ "pid", 'p', "PID", "this process only", OPT_ID, &opt_common.pid, 0, 0 },
	{ "gpu", 'g', "GPU", "this device only", OPT_ID, &opt_common.gpu, 0, 0 },
	{ "rows", 'n', "N", "the first N rows of each window", OPT_COUNT, &opt_common.limit, 0, 0 },
	{ "format", 'f', "FORMAT", "tsv table csv jsonl md (default: table on a terminal, else tsv)",
	  OPT_FORMAT, &opt_common.format, 0, 0 },
	{ "threads", 'j', "N", "scan with N threads (default: one per core)", OPT_COUNT, &opt_common.threads, 0, 0 },
	{ "quiet", 'q', NULL, "no notes on stderr", OPT_FLAG, &quiet, 0, 0 },
	{ "nsys", 0, "PATH", "the nsys that exports .nsys-rep (default: $NSQ_NSYS, else on PATH)",
	  OPT_TEXT, &opt_common.nsys, 0, 0 },
	{ "columns", 0, NULL, "print the columns of this mode", OPT_FLAG, &columns, 0, 0 },
	{ "help", 'h', NULL, "print this", OPT_FLAG, &help, 0, 0 },
	{ "version", 'V', NULL, "print the version", OPT_FLAG, &version, 0, 0 },
	{ 0 }
};

static const opt_tool *tool;
static vec(const opt *) given;
static bool only_help;         /* parsing only to see whether help is wanted; nothing is set */

static const opt *find(const char *name, size_t len, char letter)
{
	const opt *lists[] = { tool->options, common };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (letter ? o->letter == letter :
			    strlen(o->name) == len && strncmp(o->name, name, len) == 0)
				return o;
	return NULL;
}

bool opt_int(const char *s, int64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoll(s, &end, 10);
	return end != s && !*end && errno == 0 && *s != ' ' && *s != '+';
}

bool opt_time(const char *s, size_t len, int64_t scale, int64_t *unit, int64_t *value)
{
	static const struct { const char *name; int64_t ns; } units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	const char *end = s + len, *p = s;
	bool negative = p < end && *p == '-', digits = false;
	int64_t v = 0, fraction = 0, place;

	*unit = 0;
	for (int i = 0; i < 4 && !*unit; i++) {
		size_t n = strlen(units[i].name);
		if (len > n && memcmp(end - n, units[i].name, n) == 0 && end[-1 - (int)n] != 'n' &&
		    end[-1 - (int)n] != 'u' && end[-1 - (int)n] != 'm') {
			*unit = units[i].ns;
			end -= n;
		}
	}
	scale = *unit ? *unit : scale;
	for (p += negative; p < end && *p >= '0' && *p <= '9'; p++, digits = true)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
			return false;
	if (__builtin_mul_overflow(v, scale, &v))
		return false;
	if (p < end && *p == '.') {
		place = scale / 10;
		for (p++; p < end && *p >= '0' && *p <= '9'; p++, place /= 10, digits = true) {
			if (!place && *p != '0')
				return false;
			fraction += place * (*p - '0');
		}
	}
	if (p != end || !digits || __builtin_add_overflow(v, fraction, &v))
		return false;
	*value = negative ? -v : v;
	return true;
}

static void set(const opt *o, const char *shown, const char *arg)
{
	int64_t unit;

	if (only_help) {
		help |= o->to == &help;
		return;
	}
	switch (o->type) {
	case OPT_MODE_TEXT:
		*(const char **)o->to = arg;
		/* fall through */
	case OPT_MODE:
		if (opt_mode != 1 && opt_mode != o->mode) {
			const char *other = "";
			for (size_t i = 0; i < given.n; i++)
				if (opt_is_mode(given.v[i]))
					other = given.v[i]->name;
			die(EXIT_WRONG, "'%s' and '--%s' exclude each other; choose one", shown, other);
		}
		opt_mode = o->mode;
		break;
	case OPT_FLAG:
		*(bool *)o->to = true;
		break;
	case OPT_TEXT:
		*(const char **)o->to = arg;
		break;
	case OPT_TEXTS:
		vec_push((opt_texts *)o->to, arg);
		break;
	case OPT_COUNT:
	case OPT_ID:
		if (!opt_int(arg, o->to) || *(int64_t *)o->to < (o->type == OPT_COUNT))
			die(EXIT_WRONG, "'%s' takes a whole number from %d up, not '%s'", shown,
			    o->type == OPT_COUNT, arg);
		break;
	case OPT_TIME:
		if (!opt_time(arg, strlen(arg), 1, &unit, o->to) || *(int64_t *)o->to < 0)
			die(EXIT_WRONG, "'%s' takes a time such as 500, 50us or 1.5ms, not '%s'", shown, arg);
		break;
	case OPT_FORMAT:
		*(enum table_format *)o->to = table_format_named(arg);
		if (*(enum table_format *)o->to == TABLE_AUTO)
			die(EXIT_WRONG, "no format '%s'; it is one of tsv, table, csv, jsonl, md", arg);
		break;
	}
	vec_push(&given, o);
}

static void print_and_exit(void)
{
	table mode = { 0 }, out = { 0 };

	if (help)
		help_print(tool, common);
	else if (version)
		printf("%s (nsq) %s\n", tool->name, NSQ_VERSION);
	else {
		tool->columns(&mode);
		table_open(&out, opt_common.format);
		table_describe(&mode, &out);
		vec_free(&mode.cols);
		vec_free(&mode.keys);
	}
	exit(table_close(&out));
}

/* The modes in which an option has an effect; 0: all. */
static unsigned modes_of(const opt *o)
{
	const void *windowed[] = { &opt_common.windows, &opt_common.merge, &opt_common.inside,
		&opt_common.pid, &opt_common.gpu, &opt_common.limit };

	for (size_t i = 0; i < sizeof windowed / sizeof *windowed; i++)
		if (o->to == windowed[i] && tool->windowless)
			return ~tool->windowless;
	return o->modes;
}

static void check_modes(void)
{
	if (opt_common.inside && tool->no_inside & opt_mode)
		die(EXIT_WRONG, "'--inside' is refused here: work that crosses the edge of a window would count "
		    "as idle time; leave it out");
	if (opt_common.gpu >= 0 && tool->no_gpu)
		die(EXIT_WRONG, "'--gpu' has no effect here: API calls are of no device; leave it out");
	for (size_t i = 0; i < given.n; i++) {
		const opt *o = given.v[i];
		const char *mode = NULL;
		if (!modes_of(o) || modes_of(o) & opt_mode)
			continue;
		for (size_t k = 0; k < given.n; k++)
			if (opt_is_mode(given.v[k]))
				mode = given.v[k]->name;
		if (mode)
			die(EXIT_WRONG, "'--%s' has no effect with '--%s'; leave one of them out", o->name, mode);
		for (const opt *m = tool->options; m->name; m++)
			if (opt_is_mode(m) && modes_of(o) & m->mode)
				mode = m->name;
		die(EXIT_WRONG, "'--%s' has no effect without '--%s'; add that or leave it out", o->name, mode);
	}
}

/* What one tries everywhere: ranks, and the options of the tool that chooses windows. */
static _Noreturn void unknown(const char *arg)
{
	static const char *const choosing[] = { "-m", "--match", "--pick", "--period", "--cpu" };
	size_t len = strcspn(arg, "=");

	if (len == 6 && strncmp(arg, "--rank", len) == 0)
		die(EXIT_WRONG, "unknown option '%s'; choose a process with -p PID (nsq-setup shows which pid a "
		    "rank is)", arg);
	for (size_t i = 0; i < sizeof choosing / sizeof *choosing; i++)
		if (len == strlen(choosing[i]) && strncmp(arg, choosing[i], len) == 0)
			die(EXIT_WRONG, "unknown option '%s'; it is nsq-window's, which chooses the windows: "
			    "nsq-window %s ... TRACE | %s", arg, choosing[i], err_tool);
	die(EXIT_WRONG, "unknown option '%s'; %s --help lists them", arg, err_tool);
}

static void long_option(char **argv, int argc, int *i)
{
	const char *arg = argv[*i], *eq = strchr(arg, '=');
	size_t len = eq ? (size_t)(eq - arg - 2) : strlen(arg + 2);
	const opt *o = find(arg + 2, len, 0);
	const char *shown;

	if (!o || !len)
		unknown(arg);
	shown = mem_printf("--%s", o->name);
	if (!o->arg && eq)
		die(EXIT_WRONG, "'%s' takes no argument, but was given '%s'", shown, eq + 1);
	if (o->arg && !eq && ++*i >= argc)
		die(EXIT_WRONG, "'%s' needs its argument %s", shown, o->arg);
	set(o, shown, !o->arg ? NULL : eq ? eq + 1 : argv[*i]);
}

static void short_options(char **argv, int argc, int *i)
{
	for (const char *p = argv[*i] + 1; *p; p++) {
		const opt *o = find(NULL, 0, *p);
		const char *shown = mem_printf("-%c", *p);
		if (!o)
			unknown(shown);
		if (!o->arg) {
			set(o, shown, NULL);
			continue;
		}
		if (!p[1] && ++*i >= argc)
			die(EXIT_WRONG, "'%s' needs its argument %s", shown, o->arg);
		set(o, shown, p[1] ? p + 1 : argv[*i]);
		return;
	}
}

static void parse(int argc, char **argv)
{
	bool only_operands = false;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		if (only_operands || arg[0] != '-' || !arg[1]) {
			if (!only_help)
				vec_push(&opt_common.operands, arg);
		} else if (strcmp(arg, "--") == 0)
			only_operands = true;
		else if (arg[1] == '-')
			long_option(argv, argc, &i);
		else
			short_options(argv, argc, &i);
	}
}

void opt_parse(const opt_tool *which, int argc, char **argv)
{
	mem_setup();
	tool = which;
	err_tool = tool->name;
	only_help = true;      /* help is of every mode, whatever else is given */
	parse(argc, argv);
	only_help = false;
	if (help)
		print_and_exit();
	parse(argc, argv);
	err_quiet = quiet;
	check_modes();
	if (version || columns)
		print_and_exit();
	if (opt_common.threads > THREADS_MAX)
		die(EXIT_WRONG, "'-j' takes at most %d threads, not %lld", THREADS_MAX, (long long)opt_common.threads);
	if (!opt_common.threads) {
		long cores = sysconf(_SC_NPROCESSORS_ONLN);
		opt_common.threads = cores > 0 ? cores : 1;
	}
}
