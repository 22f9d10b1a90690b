/*
 * opt - a tool and its options in one table: parsing, --help and --columns come from it.
 *
 *     static const char *rules;
 *     static const opt options[] = {
 *         { "each", 0, NULL, "one row per kernel", OPT_MODE, NULL, .mode = EACH },
 *         { "rules", 0, "FILE", "stage rules (default: built in)", OPT_TEXT, &rules,
 *           .modes = STAGE | EACH },
 *         { 0 } };
 *     static const opt_tool tool = { .name = "nsq-overlap", .options = options, ... };
 *     opt_parse(&tool, argc, argv);              // exits on --help, --version and on mistakes
 *     ... opt_mode ... opt_common.merge ... opt_common.operands.v[0] ...
 *
 * A tool runs in one mode, 1 unless an OPT_MODE option says otherwise.  An
 * option that lists its modes is refused in the others: it would have no effect.
 */
#ifndef OPT_H
#define OPT_H

#include "base/memory.h"
#include "table/table.h"

#include <stdbool.h>
#include <stdint.h>

enum opt_type {
	OPT_MODE,   /* no argument: chooses opt->mode */
	OPT_MODE_TEXT, /* the same, with *(const char **)to */
	OPT_FLAG,   /* no argument: *(bool *)to */
	OPT_TEXT,   /* *(const char **)to */
	OPT_TEXTS,  /* may be repeated: *(opt_texts *)to */
	OPT_COUNT,  /* a number from 1 up: *(int64_t *)to */
	OPT_ID,     /* a number from 0 up: *(int64_t *)to */
	OPT_TIME,   /* nanoseconds, or with a unit: *(int64_t *)to */
	OPT_FORMAT  /* *(enum table_format *)to */
};

typedef vec(const char *) opt_texts;

typedef struct {
	const char *name;       /* --name */
	char letter;            /* -l, or 0 */
	const char *arg;        /* name of the argument in the help */
	const char *help;
	enum opt_type type;
	void *to;
	unsigned mode;          /* OPT_MODE: the mode it chooses */
	unsigned modes;         /* the modes in which it has an effect; 0: all */
} opt;

/* Options that several tools have, said once. */
#define OPT_COMM(to) \
	{ "comm", 0, "REGEX", "which kernels communicate (default: nccl* in any case)", OPT_TEXT, (to), 0, 0 }
#define OPT_ADOPT(to, modes) \
	{ "adopt", 0, NULL, "the main thread's ranges also hold other threads' work", OPT_FLAG, (to), 0, (modes) }

typedef struct {
	const char *name;                   /* nsq-overlap */
	const char *question;               /* one line */
	const char *examples[3];            /* to paste */
	const opt *options;                 /* the tool's own, ended by an empty one */
	const table_col *all;               /* its own columns, of all modes and keys, ended by an empty one */
	void (*columns)(table *t);          /* the columns of the chosen mode; exits on wrong arguments */
	unsigned windowless;                /* modes in which windows, -p, -g and -n have no effect */
	unsigned no_inside;                 /* modes in which --inside would lie about idle time */
	bool no_gpu;                        /* the tool's events are of no device, so -g has no effect */
} opt_tool;

extern struct opt_common {
	opt_texts windows;      /* -w */
	bool merge, inside;
	int64_t pid, gpu;       /* -1: all */
	int64_t limit;          /* -n; 0: all rows */
	enum table_format format;
	int64_t threads;
	const char *nsys;
	opt_texts operands;     /* the traces */
} opt_common;

extern unsigned opt_mode;

void opt_parse(const opt_tool *tool, int argc, char **argv);

/* Read nanoseconds, or a number with the unit ns, us, ms or s, exactly.  The unit found is put in
 * *unit (0: none), the value is in *value; when there is no unit, scale is used.  False if it is
 * not a time, or finer than a nanosecond, or out of range. */
bool opt_time(const char *s, size_t len, int64_t scale, int64_t *unit, int64_t *value);

/* Read a whole number that fills the string. */
bool opt_int(const char *s, int64_t *value);

static inline bool opt_is_mode(const opt *o)
{
	return o->type == OPT_MODE || o->type == OPT_MODE_TEXT;
}

#endif
