/*
 * mcp - the parts of the server for agents: reading messages, describing tools, and running calls of tools.
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
 *         if (!c->refused && !c->ready_text)
 *             mcp_call_start(c, &allowed, alive);        // now wait for c->pid, unless it is 0
 *         mcp_call_end(c, status, &results, &(json_writer){ .to = stdout });
 *     }
 *     mcp_call_free(c);
 *     mcp_json_free(j);
 *
 * The server speaks the last two revisions of the Model Context Protocol (modelcontextprotocol.io/specification):
 * 2026-07-28, which has no sessions, and 2025-11-25, which begins with initialize.  Each call of a tool is a child
 * process; several may run at the same time, and other requests are answered meanwhile.  The end of standard input ends
 * the server and its children.
 */
#pragma once

#include "base/folders.h"
#include "base/child.h"
#include "base/json.h"
#include "cli/options.h"

/* ---- reading messages of JSON, with the functions of SQLite (mcp_json.c) */

typedef struct mcp_json mcp_json;

typedef struct {
	const char *key, *type;         /* key: the name or, in an array, the index from 0; type: text integer real true
					 * false null array object, as in SQLite */
	const char *text;               /* a text without its quotes; NULL for null; 1 for true, 0 for false; any other
					 * value as JSON */
} mcp_member;

typedef vec(mcp_member) mcp_members;

mcp_json *mcp_json_new(void);
void mcp_json_free(mcp_json *j);

/* The reason why a text is not a valid message (no JSON, no UTF-8, or a NUL in it); NULL: it is valid. */
const char *mcp_json_check(const char *json, mcp_json *j);

/* The members of the object or array at the path, such as $.params; an empty list if there is none.  The caller frees
 * the list (vec_free); its texts are in the arena. */
mcp_members mcp_json_members(mcp_json *j, const char *json, const char *path, arena *texts);

/* The first member with the key; NULL: there is none. */
const mcp_member *mcp_json_find(const mcp_members *m, const char *key);

/* The value of the first member with the key, if it is a text; otherwise NULL. */
const char *mcp_json_text(const mcp_members *m, const char *key);

/* ---- the offered tools, described from the tables behind --help (mcp_tools.c).  Tools that run commands or need a
 * terminal are not offered, nor are options that start programs or that an agent does not need. */

/* The tools that only the server has. */
#define MCP_TRACES "nsq_traces"
#define MCP_HELP "nsq_help"
#define MCP_RECIPE "nsq_recipe"

/* The limit of a result in bytes: the default, and the largest that a call may ask for. */
enum { MCP_DEFAULT_BYTES = 40000, MCP_MOST_BYTES = 1000000 };

/* Write the member `tools`, an array. */
void mcp_tools_list(json_writer *to);

/* An offered tool by its name in the protocol, such as nsq_gaps; NULL: there is none. */
const opt_tool *mcp_tools_named(const char *name);

/* An offered option by its name, with - or _; NULL: there is none.  tool NULL: an option that all recipes have. */
const opt *mcp_tools_option(const opt_tool *tool, const char *name);

/* The arguments of a tool (NULL: of a recipe) whose names resemble `name`, worded for the middle of an error
 * message. */
const char *mcp_tools_suggest(const opt_tool *tool, const char *name, arena *to);

/* The name of the operand before the traces and tables, in lower case: regex for nsq-find, query for nsq-sql; NULL:
 * none. */
const char *mcp_tools_name_operand(const opt_tool *tool, arena *to);

/* Does the tool read tables that are named as operands? */
bool mcp_tools_takes_tables(const opt_tool *tool);

/* Does the tool read traces that are named as operands? */
bool mcp_tools_takes_traces(const opt_tool *tool);

/* The option for the file that the tool writes; NULL: it writes none.  If opt.chosen is set, the tool could choose a
 * name itself, but a call must give the option. */
const opt *mcp_tools_find_output_option(const opt_tool *tool);

/* ---- a call of a tool: its arguments become a command line (mcp_read.c), which runs as a child process (mcp_call.c).
 * Every file that an argument names must be in the folders.  The output of a tool goes to memory.  A table is kept
 * there as a result that later calls can name. */

/* The latest results, the oldest first.  fd: a file in memory with the output; number: 1 for the result r1; bytes: the
 * length of the output. */
typedef struct {
	vec(struct { int fd; size_t number; size_t bytes; }) kept;
	size_t last;            /* the number of the newest result; 0: there has been none */
} mcp_results;

typedef struct {
	arguments words;        /* the command line */
	const char *refused;    /* what is wrong with the arguments; NULL: nothing */
	const char *ready_text; /* the text to answer with, if no program is needed; NULL: a program is run */
	bool keeps;             /* is the output a table that later calls may read? */
	const char *writes;     /* the file to write, as given; NULL: none */
	int in;                 /* the descriptor of the child's standard input, or -1: /dev/null */
	vec(int) tables;        /* descriptors of tables that the command line names as /proc/self/fd/N */
	int64_t max_bytes;      /* how many bytes of the output are shown */
	int out, err;           /* the descriptors of the child's stdout and stderr, or -1 */
	pid_t pid;              /* 0: it has not been started */
	arena texts;
} mcp_call;

mcp_call *mcp_call_new(void);
void mcp_call_free(mcp_call *c);        /* closes the descriptors, too */

/* Read the arguments of a tool, the object at $.params.arguments of the message, and set `refused` if they are wrong.
 * False: there is no such tool. */
bool mcp_call_read(mcp_call *c, mcp_json *j, const char *tool, const char *message, const folders *allowed,
		   const mcp_results *results);

/* Start the call; sets `refused` after a failure.  alive: a pipe that only the server has open for writing.  When the
 * server ends, the pipe closes, and the system ends the call and its children. */
void mcp_call_start(mcp_call *c, const folders *allowed, const int alive[2]);

/* Write the result of a call, the members `content` and `isError`.  A table in it is kept in `results`.  status: that
 * of waitpid, if the call was started. */
void mcp_call_end(mcp_call *c, int status, mcp_results *results, json_writer *to);

void mcp_results_free(mcp_results *r);
