/*
 * mcp_tools - the tools that the server of nsq mcp offers, described from the tables that --help is made of.
 *
 *     mcp_tools_list(stdout);                    // [{"name":"nsq_setup",...},...]
 *     const opt_tool *gaps = mcp_tools_named("nsq_gaps");
 *     const opt *by = mcp_tools_option(gaps, "by");
 *     puts(by->help);
 *
 * A tool that runs commands or needs a terminal is not offered, nor are options that start programs or say how things
 * are printed.
 */
#pragma once

#include "cli/options.h"

/* Those that are no tool of their own elsewhere. */
#define MCP_TRACES "nsq_traces"
#define MCP_HELP "nsq_help"
#define MCP_RECIPE "nsq_recipe"

enum { MCP_MAX_BYTES = 40000, MCP_MOST_BYTES = 1000000 };       /* of a result, unless and at most */

/* An array of JSON. */
void mcp_tools_list(FILE *to);

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

/* What an option's value is, apart from what it says. */
enum mcp_file { MCP_NO_FILE, MCP_READS, MCP_MAY_READ, MCP_WRITES };
enum mcp_file mcp_tools_file(const opt *o);

/* Must the option be given?  Without it the tool would choose a file of its own. */
bool mcp_tools_must(const opt *o);
