#include "cli/options.h"
#include "base/parallel.h"
#include "base/suggest.h"
#include "cli/errors.h"
#include "cli/values.h"

enum { THREADS_MAX = 1024 };

#define AT(member) .to = offsetof(opt_common, member)

#define QUIET_AND_VERBOSE \
	{ "quiet", 'q', NULL, "print only errors and warnings on stderr", OPT_FLAG, AT(quiet) }, \
	{ "verbose", 'v', NULL, "print all notes on stderr, not just three lines", OPT_FLAG, AT(verbose) }
#define COLUMNS { "columns", 0, NULL, "list the columns of this mode", OPT_FLAG, AT(columns) }

#define HELP_VERSION_AND_END \
	{ "help", 'h', NULL, "print the help of the tool", OPT_FLAG, AT(help) }, \
	{ "version", 'V', NULL, "print the version", OPT_FLAG, AT(version) }, \
	{ 0 }

#define FOR_TOOLS_WITH_ROWS \
	{ "format", 'f', "FORMAT", "tsv table csv jsonl md (default: table on a terminal, else tsv)", OPT_FORMAT, \
	  AT(format) }, \
	{ "human", 'H', NULL, "write times and bytes with a unit (4.057 ms, 1.5 MiB), in the formats table and md", \
	  OPT_FLAG, AT(human) }, \
	{ "raw", 0, NULL, "in a table on a terminal, print all columns and whole numbers, as in a pipe", OPT_FLAG, \
	  AT(raw) }, \
	{ "threads", 'j', "N", "use N threads (default: one per core)", OPT_COUNT, AT(threads) }, \
	QUIET_AND_VERBOSE, \
	{ "nsys", 0, "PATH", "nsys to export .nsys-rep files with (default: $NSQ_NSYS, else the one on PATH)", \
	  OPT_PROGRAM, AT(how.nsys) }, \
	{ "export-to", 0, "DIR", "where to export them to (default: $NSQ_EXPORT_TO, else beside them, " \
	  "else the cache)", OPT_WRITES, AT(how.folder) }, \
	COLUMNS, \
	HELP_VERSION_AND_END

static const opt over_traces[] = {
	{ "window", 'w', "SPEC", "A..B (ns us ms s), a file with a window table, or - for stdin; repeatable",
	  OPT_WINDOWS, AT(windows) },
	{ "merge", 0, NULL, "treat all windows of one trace and pid as one", OPT_FLAG, AT(merge) },
	{ "spread", 0, NULL, "with --merge: add the median, 90th percentile and maximum over the single windows",
	  OPT_FLAG, AT(spread) },
	{ "inside", 0, NULL, "count only events entirely inside the window", OPT_FLAG, AT(inside) },
	{ "pid", 'p', "PID", "only this process (PID or PID:N)", OPT_PID, AT(pid) },
	{ "gpu", 'g', "GPU", "only this GPU", OPT_ID, AT(gpu) },
	{ "rows", 'n', "N", "print only the first N rows of each window", OPT_COUNT, AT(limit) },
	FOR_TOOLS_WITH_ROWS
};

static const opt over_tables[] = {
	{ "rows", 'n', "N", "print only the first N rows", OPT_COUNT, AT(limit) },
	FOR_TOOLS_WITH_ROWS
};

static const opt over_commands[] = { QUIET_AND_VERBOSE, COLUMNS, HELP_VERSION_AND_END };

const opt *options_common(const opt_tool *tool)
{
	return tool->runs ? over_commands : tool->over ? over_tables : over_traces;
}

void *options_new_params(const opt_tool *tool)
{
	return memcpy(mem_alloc(1, tool->size), tool->defaults, tool->size);
}

static arena texts;             /* for messages */

typedef struct {
	const opt_tool *tool;
	void *params;
	opt_common common;
	vec(struct { const opt *o; const char *arg; }) given;
	bool only_help;         /* only look for --help: set common.help and nothing else */
} options_ctx;

/* For a tool that prints rows about traces, a common option without effect is found, too: options_check_modes then says
 * why it is refused. */
const opt *options_find(const opt_tool *tool, const char *name, size_t n, char letter)
{
	const opt *lists[] = { tool->options, options_common(tool) };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if ((letter ? o->letter == letter : strlen(o->name) == n && strncmp(o->name, name, n) == 0) &&
			    !((tool->over || tool->draws) && !options_has(tool, o)))
				return o;
	return NULL;
}

static bool options_is_common(const opt_tool *tool, const opt *o)
{
	for (const opt *c = options_common(tool); c->name; c++)
		if (c == o)
			return true;
	return false;
}

static void *options_find_place(options_ctx *p, const opt *o)
{
	return (char *)(options_is_common(p->tool, o) ? (void *)&p->common : p->params) + o->to;
}

static void options_set_mode(options_ctx *p, const opt *o, const char *shown)
{
	unsigned *mode = options_mode(p->params);
	const char *other = "";

	for (size_t i = 0; i < p->given.n; i++)
		if (opt_is_mode(p->given.v[i].o))
			other = p->given.v[i].o->name;
	if (*other && *mode != o->mode)
		die(EXIT_WRONG, "'%s' and '--%s' cannot be combined; choose one", shown, other);
	*mode = o->mode;
}

static bool options_is_rules(const opt *o)
{
	return o->type == OPT_RULES || o->type == OPT_MODE_RULES;
}

static void options_set_value(void *ctx, const opt *o, const char *shown, const char *arg)
{
	options_ctx *p = ctx;

	if (p->only_help) {
		p->common.help |= options_is_common(p->tool, o) && o->letter == 'h';
		return;
	}
	if (opt_is_mode(o))
		options_set_mode(p, o, shown);
	if (!options_is_rules(o))               /* rules are loaded when all options have been checked */
		values_set(o, shown, arg, options_find_place(p, o), p->params);
	vec_reserve(&p->given, p->given.n + 1);
	p->given.v[p->given.n].o = o;
	p->given.v[p->given.n++].arg = arg;
}

static bool options_is_one_of(const opt_tool *tool, const opt *o, const char *names)
{
	return options_is_common(tool, o) && text_is_listed_word(o->name, strlen(o->name), names);
}

/* The modes in which an option has an effect. */
static unsigned options_find_modes(const opt_tool *tool, const opt *o)
{
	unsigned modes = o->modes ? o->modes : ~0u;

	if (options_is_one_of(tool, o, "window pid gpu rows human merge inside"))
		modes &= ~tool->windowless;
	if (options_is_one_of(tool, o, "inside"))
		modes &= ~tool->no_inside;
	if (options_is_one_of(tool, o, "spread"))
		modes &= tool->spread;
	if (tool->over && !tool->traces && options_is_one_of(tool, o, "threads nsys export-to"))
		return 0;
	if (tool->draws && options_is_one_of(tool, o, "format human raw rows merge spread"))
		return 0;
	return tool->no_gpu && options_is_one_of(tool, o, "gpu") ? 0 : modes;
}

bool options_has(const opt_tool *tool, const opt *o)
{
	return options_find_modes(tool, o);
}

static void options_check_modes(options_ctx *p)
{
	unsigned chosen = *options_mode(p->params);

	for (size_t i = 0; i < p->given.n; i++) {
		const opt *o = p->given.v[i].o;
		unsigned modes = options_find_modes(p->tool, o);
		const char *mode = NULL;
		if (modes & chosen)
			continue;
		if (options_is_one_of(p->tool, o, "inside") && p->tool->no_inside & chosen)
			die(EXIT_WRONG, "'--inside' does not work here: work that crosses the edge of a window "
			    "would count as idle time; drop it");
		if (!modes && options_is_one_of(p->tool, o, "spread"))
			die(EXIT_WRONG, "'--spread' does not work in %s; drop it", p->tool->name);
		if (!modes)
			die(EXIT_WRONG, "'--%s' has no effect here: calls and threads do not belong to a GPU; drop it",
			    o->name);
		for (size_t k = 0; k < p->given.n; k++)
			if (opt_is_mode(p->given.v[k].o))
				mode = p->given.v[k].o->name;
		if (mode)
			die(EXIT_WRONG, "'--%s' has no effect with '--%s'; drop one of them", o->name, mode);
		for (const opt *m = p->tool->options; m->name; m++)
			if (opt_is_mode(m) && modes & m->mode)
				mode = m->name;
		die(EXIT_WRONG, "'--%s' has no effect without '--%s'; add that or drop it", o->name, mode);
	}
}

/* The options whose names resemble what was typed, worded for a message (suggest_names). */
static const char *options_suggest(arena *to, const opt_tool *tool, const char *typed, size_t len)
{
	const opt *const lists[] = { tool->options, options_common(tool) };
	vec(const char *) names = { 0 };

	for (size_t k = 0; k < 2; k++)
		for (const opt *o = lists[k]; o && o->name; o++)
			if (options_has(tool, o))
				vec_push(&names, arena_printf(to, "--%s", o->name));
	return suggest_names(to, arena_printf(to, "%.*s", (int)len, typed), names.v, names.n);
}

/* Does the tool have the option with which the text begins, such as "-n N"? */
static bool options_has_spelled(const opt_tool *tool, const char *text)
{
	return text[1] == '-' ? options_find(tool, text + 2, strcspn(text, " ") - 2, 0) :
		options_find(tool, "", 0, text[1]);
}

/* Besides similar names, the message knows three common mistakes: --rank, the options of nsq-window, and options of
 * other programs. */
_Noreturn void options_die_unknown(const opt_tool *tool, const char *arg)
{
	static const char *const choosing[] = { "-m", "--match", "--pick", "--period", "--cpu" };
	static const struct { const char *theirs, *ours; } elsewhere[] = {
		{ "--top", "-n N" }, { "--limit", "-n N" }, { "--head", "-n N" }, { "--json", "-f jsonl" },
		{ "--csv", "-f csv" },
		{ "--markdown", "-f md" },
		{ "--trim", "-w A..B" }, { "--phase-map", "--phases RULES" }, { "--phase-map", "--rules RULES" },
	};
	size_t len = strcspn(arg, "=");

	if (options_is_trace_tool(tool) && len == 6 && strncmp(arg, "--rank", len) == 0)
		die(EXIT_WRONG, "unknown option '%s'; choose a process with -p PID (nsq-setup shows the pid of "
		    "each rank)", arg);
	for (size_t i = 0; options_is_trace_tool(tool) && i < sizeof choosing / sizeof *choosing; i++)
		if (len == strlen(choosing[i]) && strncmp(arg, choosing[i], len) == 0)
			die(EXIT_WRONG, "unknown option '%s'; it belongs to nsq-window, which chooses the windows: "
			    "nsq-window %s ... TRACE | %s", arg, choosing[i], errors_tool());
	for (size_t i = 0; !tool->runs && i < sizeof elsewhere / sizeof *elsewhere; i++)
		if (len == strlen(elsewhere[i].theirs) && strncmp(arg, elsewhere[i].theirs, len) == 0 &&
		    options_has_spelled(tool, elsewhere[i].ours))
			die(EXIT_WRONG, "unknown option '%s'; here that is %s", arg, elsewhere[i].ours);
	die(EXIT_WRONG, "unknown option '%s'%s %s --help lists the options", arg,
	    options_suggest(&(arena){ 0 }, tool, arg, len), errors_tool());
}

static void options_read_long(const options_reader *r, char **argv, int argc, int *i)
{
	const char *arg = argv[*i], *eq = strchr(arg, '=');
	size_t len = eq ? (size_t)(eq - arg - 2) : strlen(arg + 2);
	const opt *o = len ? r->find(r->ctx, arg + 2, len, 0) : NULL;
	const char *shown;

	if (!o)
		r->unknown(r->ctx, arg);
	shown = arena_printf(&texts, "--%s", o->name);
	if (!o->arg && eq)
		die(EXIT_WRONG, "'%s' takes no argument, but got '%s'", shown, eq + 1);
	if (o->arg && !eq && ++*i >= argc)
		die(EXIT_WRONG, "'%s' needs an argument: %s", shown, o->arg);
	r->set(r->ctx, o, shown, !o->arg ? NULL : eq ? eq + 1 : argv[*i]);
}

static void options_read_short(const options_reader *r, char **argv, int argc, int *i)
{
	for (const char *c = argv[*i] + 1; *c; c++) {
		const opt *o = r->find(r->ctx, NULL, 0, *c);
		const char *shown = arena_printf(&texts, "-%c", *c);
		if (!o)
			r->unknown(r->ctx, shown);
		if (!o->arg) {
			r->set(r->ctx, o, shown, NULL);
			continue;
		}
		if (!c[1] && ++*i >= argc)
			die(EXIT_WRONG, "'%s' needs an argument: %s", shown, o->arg);
		r->set(r->ctx, o, shown, c[1] ? c + 1 : argv[*i]);
		return;
	}
}

void options_walk(const options_reader *r, int argc, char **argv)
{
	bool only_operands = false;

	for (int i = 1; i < argc; i++) {
		const char *arg = argv[i];
		if (only_operands || arg[0] != '-' || !arg[1]) {
			r->operand(r->ctx, arg);
			only_operands |= r->command;
		} else if (strcmp(arg, "--") == 0)
			only_operands = true;
		else if (arg[1] == '-')
			options_read_long(r, argv, argc, &i);
		else
			options_read_short(r, argv, argc, &i);
	}
}

static const opt *options_find_known(void *ctx, const char *name, size_t n, char letter)
{
	return options_find(((options_ctx *)ctx)->tool, name, n, letter);
}

static void options_refuse_unknown(void *ctx, const char *arg)
{
	options_die_unknown(((options_ctx *)ctx)->tool, arg);
}

static void options_add_operand(void *ctx, const char *arg)
{
	options_ctx *p = ctx;

	if (!p->only_help)
		vec_push(&p->common.operands, arg);
}

static void options_parse_arguments(options_ctx *p, int argc, char **argv)
{
	options_walk(&(options_reader){ p, options_find_known, options_refuse_unknown, options_set_value,
					options_add_operand, p->tool->runs && !p->tool->words },
		     argc, argv);
}

/* Exit if two of -m, --kernel and --outer are given, since each of them chooses the steps. */
static void options_check_steps(const options_ctx *p)
{
	const char *chosen = NULL;

	for (size_t i = 0; options_find(p->tool, "outer", 5, 0) && i < p->given.n; i++) {
		const char *name = p->given.v[i].o->name;
		if (strcmp(name, "match") != 0 && strcmp(name, "kernel") != 0 && strcmp(name, "outer") != 0)
			continue;
		if (chosen && strcmp(chosen, name) != 0)
			die(EXIT_WRONG, "'--%s' and '--%s' both choose the steps; give one of them", chosen, name);
		chosen = name;
	}
}

/* Take the operand before the traces, if the tool has one in this mode. */
static void options_take_first(options_ctx *p)
{
	const opt *o = p->tool->first;
	text_list *given = &p->common.operands;

	if (!o || !(o->modes & *options_mode(p->params)) || (p->common.columns && !given->n))
		return;
	if (!given->n)
		die(EXIT_WRONG, "%s comes first: %s %s [TRACE...]", o->arg, errors_tool(), o->arg);
	values_set(o, o->arg, given->v[0], options_find_place(p, o), p->params);
	memmove(given->v, given->v + 1, --given->n * sizeof *given->v);
}

bool options_give_windows(const opt_common *c)
{
	return c->windows.n || !(c->operands.n || c->columns);
}

opt_common options_read(const opt_tool *tool, void *params, int argc, char **argv)
{
	options_ctx p = {
		.tool = tool, .params = params, .common = { .pid = { -1, -1 }, .gpu = -1 }, .only_help = true
	};

	options_parse_arguments(&p, argc, argv);          /* --help wins over wrong values and options that do not fit
							   * together, not over unknown options */
	if (p.common.help)
		return p.common;
	p.only_help = false;
	options_parse_arguments(&p, argc, argv);
	if (p.common.quiet)
		errors_set_quiet();
	if (p.common.verbose)
		errors_be_verbose();
	options_check_modes(&p);
	options_check_steps(&p);
	p.common.merge |= tool->merged & *options_mode(params) && !options_give_windows(&p.common);
	if (p.common.spread && !p.common.merge)
		die(EXIT_WRONG, "'--spread' has no effect without '--merge'; add that or drop it");
	if (p.common.version)
		return p.common;
	options_take_first(&p);
	for (size_t i = 0; i < p.given.n; i++)
		if (options_is_rules(p.given.v[i].o))
			values_set(p.given.v[i].o, NULL, p.given.v[i].arg, options_find_place(&p, p.given.v[i].o),
				   params);
	if (tool->prepare && !(p.common.columns && options_prints_no_table(tool)))
		tool->prepare(params);
	if (tool->given)
		tool->given(params, &p.common);
	vec_free(&p.given);
	return p.common;
}

opt_common options_read_with_threads(const opt_tool *tool, void *params, int argc, char **argv)
{
	opt_common c = options_read(tool, params, argc, argv);

	if (c.help || c.version)
		return c;
	if (c.threads > THREADS_MAX)
		die(EXIT_WRONG, "'-j' takes at most %d threads, not %lld", THREADS_MAX, (long long)c.threads);
	if (!c.threads)
		c.threads = par_cores();
	return c;
}
