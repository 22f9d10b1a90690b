/*
 * mcp - nsq mcp: a server of the Model Context Protocol on standard input and output, for agents that have no shell.
 *
 *     return mcp_main(argc - 1, argv + 1);       // of nsq mcp DIR...
 *
 * It speaks the revision 2026-07-28, which has no sessions, and those before it, which begin with initialize
 * (modelcontextprotocol.io/specification).  Each call of a tool is a child; several may run, and meanwhile other
 * requests are answered.  The end of standard input ends it and its children.
 */
#pragma once

int mcp_main(int argc, char **argv);
