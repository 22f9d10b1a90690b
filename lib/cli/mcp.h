/*
 * mcp - the parts of the server for agents: its messages taken apart, the tools as it describes them, and their calls.
 *
 *     mcp_json *j = mcp_json_new();
 *     folders allowed = { 0 };
 *     mcp_results results = { 0 };
 *     mcp_call *c = mcp_call_new();
 *     int status = 0, alive[2];
 *     if (pipe(alive) != 0)
 *         return 1;
 *     folders_add(&allowed, "traces");
 *     if (mcp_call_read(c, j, "nsq_setup", "{\"params\":{\"arguments\":{}}}", &allowed, &results)) {
 *         if (!c->refused && !c->given)
 *             mcp_call_start(c, &allowed, alive);        // now wait for c->pid, if that is not 0
 *         mcp_call_end(c, status, &results, &(json_writer){ .to = stdout });
 *     }
 *     mcp_call_free(c);
 *     mcp_json_free(j);
 *
 * It speaks the last two revisions, 2026-07-28, which has no sessions, and 2025-11-25, which begins with initialize
 * (modelcontextprotocol.io/specification).  Each call of a tool is a child; several may run, and meanwhile other
 * requests are answered.  The end of standard input ends it and its children.
 */
#pragma once

#include "base/folders.h"
#include "base/child.h"
#include "base/json.h"
#include "cli/options.h"

/* ---- messages of JSON taken apart, by SQLite (mcp_json.c) */

typedef struct mcp_json mcp_json;

typedef struct {
	const char *key, *type;         /* the type in SQLite's words: text integer real true false null array object */
	const char *text;               /* of a text what it says, of others how it is written */
} mcp_member;

typedef vec(mcp_member) mcp_members;

mcp_json *mcp_json_new(void);
void mcp_json_free(mcp_json *j);

/* Why it is no message: no JSON, no UTF-8, or it holds a NUL; NULL: it is one. */
const char *mcp_json_wrong(const char *json, mcp_json *j);

/* What the object or array at the path has; nothing if there is none.  vec_free it. */
mcp_members mcp_json_members(mcp_json *j, const char *json, const char *path, arena *texts);

/* The first member with the key; NULL: there is none.  The second is the text of one that is a text. */
const mcp_member *mcp_json_find(const mcp_members *m, const char *key);
const char *mcp_json_text(const mcp_members *m, const char *key);

/* ---- the tools that are offered, described from the tables that --help is made of (mcp_tools.c).  One that runs
 * commands or needs a terminal is not, nor are options that start programs or say how things are printed. */

/* Those that are no tool of their own elsewhere. */
#define MCP_TRACES "nsq_traces"
#define MCP_HELP "nsq_help"
#define MCP_RECIPE "nsq_recipe"

enum { MCP_MAX_BYTES = 40000, MCP_MOST_BYTES = 1000000 };       /* of a result, unless and at most */

/* The member tools, an array. */
void mcp_tools_list(json_writer *to);

/* By the name that it has there; NULL: none is offered. */
const opt_tool *mcp_tools_named(const char *name);

/* An option that is offered, by its name, with - or _; NULL: there is none.  Of a recipe, where tool is NULL, those
 * that all have. */
const opt *mcp_tools_option(const opt_tool *tool, const char *name);

/* The names of its arguments that are like this one, worded for the middle of an error message. */
const char *mcp_tools_like(const opt_tool *tool, const char *name, arena *to);

/* What comes before the traces and tables: the REGEX of nsq-find, the QUERY of nsq-sql; NULL: nothing. */
const char *mcp_tools_word(const opt_tool *tool, arena *to);

/* Does it read tables?  Does it read traces? */
bool mcp_tools_tables(const opt_tool *tool);
bool mcp_tools_traces(const opt_tool *tool);

/* The option that names what the tool writes; NULL: it writes nothing.  One that is `chosen` must be given. */
const opt *mcp_tools_written(const opt_tool *tool);

/* ---- a call of a tool: the command line that its arguments mean (mcp_read.c), and the run of it as a child
 * (mcp_call.c). Every file that an argument names must be in the folders; what a tool prints goes to memory, and is
 * kept as a result that other calls can name. */

/* Earlier results; the oldest are forgotten. */
typedef struct {
	vec(struct { int fd; size_t number; size_t bytes; }) kept;
	size_t last;            /* number of the newest */
} mcp_results;

typedef struct {
	arguments words;        /* the command line */
	const char *refused;    /* what is wrong with the arguments; NULL: nothing */
	const char *given;      /* the answer, where no program is needed; NULL: it is run */
	bool keeps;             /* does it print a table that others may read? */
	const char *writes;     /* the file that it may write, as it was given; or NULL */
	int in;                 /* its standard input, or -1 */
	vec(int) tables;        /* further files that it reads */
	int64_t max_bytes;
	int out, err;           /* what it prints goes there */
	pid_t pid;              /* 0: it has not been started */
	arena texts;
} mcp_call;

mcp_call *mcp_call_new(void);
void mcp_call_free(mcp_call *c);

/* The arguments of the tool, an object at $.params.arguments of the message.  False: there is no such tool. */
bool mcp_call_read(mcp_call *c, mcp_json *j, const char *tool, const char *message, const folders *allowed,
		   const mcp_results *results);

/* Run it; sets refused if that cannot be done.  The pipe is one that only the server has open for writing: when the
 * server is gone, the system ends the call and all that it started. */
void mcp_call_start(mcp_call *c, const folders *allowed, const int alive[2]);

/* Write content and isError.  status as waitpid has it, of a call that was started. */
void mcp_call_end(mcp_call *c, int status, mcp_results *results, json_writer *to);

void mcp_results_free(mcp_results *r);
