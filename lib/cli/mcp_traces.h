/*
 * mcp_traces - what traces are in folders, and the folders in them.
 *
 *     folders f = { 0 };
 *     arena texts = { 0 };
 *     folders_add(&f, "traces");
 *     fputs(mcp_traces(&f, &texts), stdout);     // a table: trace bytes modified
 *     folders_free(&f);
 *     arena_free(&texts);
 */
#ifndef MCP_TRACES_H
#define MCP_TRACES_H

#include "cli/folders.h"

/* Links and hidden folders are not followed.  It ends with a line that says so if not all was looked at. */
const char *mcp_traces(const folders *f, arena *to);

#endif
