/*
 * options - a tool and its options in one table: parsing, help and --columns come from it.
 *
 *     static const opt list[] = {
 *         { "each", 0, NULL, "one row per gap", OPT_MODE, .mode = GAPS_EACH },
 *         { "min", 0, "TIME", "shortest gap", OPT_TIME, offsetof(gaps_params, min_ns), .modes = GAPS_EACH },
 *         { 0 }
 *     };
 *     for (const opt *o = list; o->name; o++)
 *         puts(o->name);
 *
 * The parameters of a tool are a struct that begins with its mode, an unsigned.  Each option gives the offset of its
 * value in that struct.  The mode is one bit.  It is 1 unless an option of the type OPT_MODE or OPT_MODE_RULES is
 * given.  An option that lists its modes is refused in the others, where it would have no effect.
 *
 * The type of an option also says whether its value names a file or a program.  nsq mcp checks such values before it
 * lets them through, because they come from others (mcp_read.c).
 */
#pragma once

#include "answer/inputs.h"
#include "answer/question.h"
#include "base/text.h"
#include "table/format.h"
#include "trace/report.h"

#include <stddef.h>
#include <stdio.h>

/* After the colon: the C type of the value that is stored. */
enum opt_type {
	OPT_MODE,       /* no argument: chooses opt->mode */
	OPT_MODE_RULES, /* chooses opt->mode and takes rules: const rules * */
	OPT_FLAG,       /* no argument: bool */
	OPT_TEXT,       /* a text that names no file: const char * */
	OPT_TEXTS,      /* texts that name no file; the option may be repeated: text_list */
	OPT_WINDOWS,    /* A..B, a file to read or -; the option may be repeated: text_list */
	OPT_READS,      /* a file to read: const char * */
	OPT_WRITES,     /* a file or folder to write: const char * */
	OPT_PROGRAM,    /* a program to run: const char * */
	OPT_COUNT,      /* a number from 1 up: int64_t */
	OPT_ID,         /* a number from 0 up: int64_t */
	OPT_PID,        /* PID or PID:N (number_pid): int64_t[2] */
	OPT_TIME,       /* nanoseconds, or with a unit: int64_t */
	OPT_SECONDS,    /* whole seconds from 1 up: int64_t */
	OPT_SIZE,       /* bytes, such as 500M or 20G: int64_t */
	OPT_FORMAT,     /* the name of a format: enum format */
	OPT_KEYS,       /* a list of opt->words: unsigned, one bit for each */
	OPT_CHOICE,     /* one of opt->words: unsigned, its index */
	OPT_REGEX,      /* a regular expression: const pattern * */
	OPT_COMM_NAMES, /* REGEX or +REGEX: const load_comm_pattern * */
	OPT_RULES,      /* a file of rules or the name of built-in ones: const rules * */
	OPT_RULES_TEXT, /* a file of rules or the name of built-in ones, as typed: const char * */
	OPT_MANIFEST,   /* a file or folder to read, or a text; opt->read stores the value */
	OPT_OWN         /* a text that names no file; opt->read stores the value */
};

typedef struct {
	const char *name;       /* --name */
	char letter;            /* the letter behind a single -, or 0 */
	const char *arg;        /* name of the argument in the help */
	const char *help;
	enum opt_type type;
	size_t to;              /* offset of the value in the parameters or, for a common option, in opt_common */
	unsigned mode;          /* OPT_MODE, OPT_MODE_RULES: the mode that the option chooses */
	unsigned modes;         /* the modes in which the option has an effect; 0: all */
	const char *const *words;       /* for OPT_KEYS and OPT_CHOICE; ended by NULL */
	bool (*read)(const char *arg, void *params);    /* OPT_OWN, OPT_MANIFEST: stores the value; false if arg is
							 * wrong */
	const char *expects;                            /* OPT_OWN, OPT_MANIFEST, OPT_SECONDS, OPT_SIZE: a description
							 * of right arguments */
	bool chosen;            /* OPT_WRITES: without the option the tool chooses a name */
	bool shared;            /* many tools have it; `nsq help options` explains it, and their --help only names it */
} opt;

/* For an opt_tool: the type of its parameters, and the defaults that are not 0. */
#define OPT_PARAMS(type, ...) .defaults = &(const type){ __VA_ARGS__ }, .size = sizeof(type)

/* Options that several tools have.  params: the type of the parameters; member: its member for the value or, for
 * OPT_STEPS..., its steps_choice; in_modes: opt.modes. */
#define OPT_COMM_IN(params, member, in_modes) \
	{ "comm", 0, "REGEX", \
	  "kernels that communicate, instead of those of share/rules/comm.tsv (+REGEX: besides them)", OPT_COMM_NAMES, \
	  .to = offsetof(params, member), .modes = (in_modes), .shared = true }
#define OPT_COMM(params) OPT_COMM_IN(params, comm, 0)
#define OPT_ADOPT(params, in_modes) \
	{ "adopt", 0, NULL, "count other threads' work in the main thread's open ranges too", OPT_FLAG, \
	  .to = offsetof(params, adopt), .modes = (in_modes), .shared = true }
#define OPT_CAPTURED(params, in_modes) \
	{ "captured", 0, NULL, "count what replays of a CUDA graph run in the ranges around its capture too", \
	  OPT_FLAG, .to = offsetof(params, captured), .modes = (in_modes), .shared = true }
#define OPT_STEPS_MATCH(params, member, in_modes, help) \
	{ "match", 'm', "REGEX", help " (default: nsq finds them)", OPT_REGEX, \
	  .to = offsetof(params, member.match), .modes = (in_modes) }
#define OPT_STEPS_KERNELS(params, member, in_modes) \
	{ "kernel", 0, "REGEX", "a step begins at each kernel whose short name matches", OPT_REGEX, \
	  .to = offsetof(params, member.kernel), .modes = (in_modes), .shared = true }, \
	{ "outer", 0, NULL, "if steps repeat inside a larger repeat (tokens in a request), take the larger one", \
	  OPT_FLAG, .to = offsetof(params, member.outer), .modes = (in_modes), .shared = true }
#define OPT_STEPS(params, member, in_modes, help) \
	OPT_STEPS_MATCH(params, member, in_modes, help), OPT_STEPS_KERNELS(params, member, in_modes)
#define OPT_QUERY_LIMITS(params, in_modes) \
	{ "timeout", 0, "TIME", "end the query after that time (default: 60s; 0: never)", OPT_TIME, \
	  .to = offsetof(params, timeout_ns), .modes = (in_modes) }, \
	{ "max-rows", 0, "N", "fail if there are more rows than that", OPT_COUNT, \
	  .to = offsetof(params, max_rows), .modes = (in_modes) }

typedef struct {                /* the values of common options (options_common), and the operands */
	text_list windows;      /* -w */
	int64_t pid[2];         /* -p: the pid, or -1 for all processes; and the N of PID:N, or -1 if there is no N */
	int64_t gpu;            /* -g; -1: all GPUs */
	int64_t limit;          /* -n; 0: all rows */
	int64_t threads;        /* -j */
	report_how how;         /* --nsys, --export-to */
	enum format format;
	bool merge, spread, inside, human, raw, quiet, verbose, columns, help, version;
	text_list operands;     /* traces, tables, words or a command */
} opt_common;

typedef struct {
	const char *name;                   /* nsq-overlap */
	const char *question;               /* one line */
	const char *prints;                 /* one sentence: what it prints, writes or draws */
	const char *examples[2];            /* to copy and paste */
	const opt *options;                 /* the tool's own, ended by an empty one */
	const void *defaults;               /* its parameters before any option is read, and their size (OPT_PARAMS) */
	size_t size;
	const opt *first;                   /* the operand before the traces, in the modes that have it; or NULL */
	const answer *answer;               /* computes the rows; or, if the tool reads tables, only declares its
					     * columns; or NULL */
	unsigned windowless;                /* modes in which windows, -p, -g, -n, -H, --merge and --inside have no
					     * effect */
	unsigned spread;                    /* modes in which --spread works: those that print sums and sort them by a
					     * time */
	unsigned merged;                    /* modes in which --merge is the default, unless windows are given */
	unsigned no_inside;                 /* modes in which --inside would give a wrong idle time */
	bool no_gpu;                        /* its events belong to no GPU, so -g has no effect */
	void (*prepare)(void *params);      /* further checks, loading of rules; may exit; or NULL */

	void (*given)(void *params, const opt_common *c);   /* copies the common options that the tool
							     * needs; or NULL */
	void (*check)(const void *params, size_t traces);   /* called when the number of traces is known; may exit;
							     * or NULL */
	void (*done)(const void *params, const table *out); /* called after answer->finish, before its rows are printed;
							     * or NULL */
	void (*end)(const void *params);    /* frees memory of prepare or of an option; or NULL */
	/* prints the first n rows (0: all) in words, unless -f is given; returns how many; or NULL */
	size_t (*tell)(const void *params, const table *rows, size_t n, FILE *to);
	unsigned prints_words;              /* modes in which a tool that reads traces uses `tell` */
	unsigned prints_words_on_terminal;  /* modes in which it uses `tell` only on a terminal */

	/* for a tool that reads tables: `over` computes the table, instead of `answer` (run.h) */
	bool (*over)(const inputs *in, const void *params, table *out, notes *say);
	const char *operands;               /* its command line after the options, such as "EXPR [TABLE]" */
	const char *output;                 /* a description of its columns, if `answer` does not list them */
	const char *code;                   /* the meaning of exit code 4; NULL: the tool has none */
	size_t words;                       /* the number of operands before the tables and traces */
	size_t least, most;                 /* the fewest and most tables and traces; least 0: without any, it reads
					     * standard input; most 0: any number */
	bool traces;                        /* with `over` or `runs`: may its operands be traces? */
	bool no_tables;                     /* are traces its only operands, so that it takes no tables? */
	bool queries;                       /* does it run the user's SQL, with limited memory? */
	bool draws;                         /* does it draw?  Then it has no columns, and none of the common options
					     * -f, -H, --raw, -n, --merge and --spread */
	unsigned bare;                      /* modes whose operands are traces and at most one word, and no tables */

	/* for a tool that runs a command, given as its operands; returns the exit code */
	int (*runs)(const text_list *command, void *params, FILE *to, notes *say);
} opt_tool;

/* The common options of this kind of tool.  options_has says which of them this tool takes. */
const opt *options_common(const opt_tool *tool);

/* The parameters before any option is read: a copy, for free(). */
void *options_new_params(const opt_tool *tool);

/* Read the options and check the parameters; exits on mistakes.  --help skips the checks of values, modes and
 * parameters, but not of the options' names.  --version skips the checks of the tool (opt_tool.prepare).  The caller
 * frees the lists in opt_common. */
opt_common options_read(const opt_tool *tool, void *params, int argc, char **argv);

/* Call options_read.  Without -j, set opt_common.threads to the number of cores. */
opt_common options_read_with_threads(const opt_tool *tool, void *params, int argc, char **argv);

/* Does the user give windows: with -w, or as a table on standard input instead of traces? */
bool options_give_windows(const opt_common *c);

/* Does the tool take the option in some mode? */
bool options_has(const opt_tool *tool, const opt *o);

/* The option of the tool with this name of n bytes or, if letter is not 0, with this letter; NULL: there is none. */
const opt *options_find(const opt_tool *tool, const char *name, size_t n, char letter);

/* The callbacks of options_walk, which takes a command line apart.  find: the option with this name of n bytes or with
 * this letter, or NULL.  unknown: there is no such option; does not return.  set: an option, the way it was written,
 * and its argument or NULL.  operand: a word that is no option.  argv[0] is ignored. */
typedef struct {
	void *ctx;
	const opt *(*find)(void *ctx, const char *name, size_t n, char letter);
	void (*unknown)(void *ctx, const char *arg);
	void (*set)(void *ctx, const opt *o, const char *shown, const char *arg);
	void (*operand)(void *ctx, const char *arg);
	bool command;           /* the operands are a command, so no later word is an option */
} options_reader;

void options_walk(const options_reader *r, int argc, char **argv);

/* Exit with a message that the tool has no such option, and name similar ones. */
_Noreturn void options_die_unknown(const opt_tool *tool, const char *arg);

/* Is its command line [options] [TRACE...], with the operand opt_tool.first before the traces if there is one? */
static inline bool options_is_trace_tool(const opt_tool *tool)
{
	return !tool->over && !tool->runs;
}

/* Does it print no table, so that --columns has nothing to list? */
static inline bool options_prints_no_table(const opt_tool *tool)
{
	return tool->draws || tool->runs;
}

static inline bool opt_is_mode(const opt *o)
{
	return o->type == OPT_MODE || o->type == OPT_MODE_RULES;
}

static inline unsigned *options_mode(void *params)
{
	return params;
}

/* ---- help (help.c) */

/* Print --help on one screen: the question, two examples, the tool's own options, and the names of the shared ones. */
void help_print_screen(const opt_tool *tool);

/* Print the first part of nsq help TOOL: all options, and the columns of every mode.  Changes the mode in the
 * parameters. */
void help_print_manual(const opt_tool *tool, void *params);

/* Print nsq help options: the options that many of these tools share. */
void help_print_shared(const opt_tool *const *tools);
