/*
 * mcp_call - a call of a tool: the command line that its arguments mean, and the run of it as a child.
 *
 *     folders allowed = { 0 };
 *     mcp_results results = { 0 };
 *     mcp_call *c = mcp_call_new();
 *     int status = 0;
 *     folders_add(&allowed, "traces");
 *     if (mcp_call_read(c, mcp_json_new(), "nsq_setup", "{\"params\":{\"arguments\":{}}}", &allowed, &results)) {
 *         if (!c->refused && !c->given)
 *             mcp_call_start(c, &allowed);       // now wait for c->pid, if that is not 0
 *         mcp_call_end(c, status, &results, stdout);
 *     }
 *     mcp_call_free(c);
 *
 * Every file that an argument names must be in the folders; what a tool prints goes to memory, and is kept as a result
 * that other calls can name.
 */
#pragma once

#include "base/folders.h"
#include "capture/arguments.h"
#include "cli/mcp_json.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

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

/* Run it; sets refused if that cannot be done. */
void mcp_call_start(mcp_call *c, const folders *allowed);

/* Write content and isError.  status as waitpid has it, of a call that was started. */
void mcp_call_end(mcp_call *c, int status, mcp_results *results, FILE *to);

void mcp_results_free(mcp_results *r);
