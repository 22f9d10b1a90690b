/*
 * session - the traces and windows of one run of a tool, and its output.
 *
 *     int main(int argc, char **argv)
 *     {
 *         session s = session_begin(&tool, argc, argv);
 *         s.need = TRACE_WORK | TRACE_LAUNCH;
 *         s.must = SESSION_CUDA;
 *         while (session_trace(&s))              // each trace, loaded
 *             while (session_window(&s))         // each of its windows; the last one's rows are printed
 *                 overlap(&s);                   // s.t, s.w; rows go to s.out
 *         return session_end(&s);
 *     }
 *
 * A trace that cannot be read or cannot answer is complained about and passed
 * over; the exit status is the largest met.
 */
#ifndef SESSION_H
#define SESSION_H

#include "cli/options.h"
#include "table/table.h"
#include "trace/trace.h"
#include "relate/window.h"

enum {                                /* kinds of tables without which there is no answer */
	SESSION_CUDA = 1,
	SESSION_NVTX = 2,
	SESSION_ANY = 4               /* either of them */
};

typedef struct {
	unsigned need;               /* TRACE_...: what to load */
	unsigned must;               /* SESSION_...: what must have been captured */
	enum window_default def;     /* windows when none are given */
	const void *comm;            /* rule for communication kernels, or NULL */
	bool warn_lost;              /* per-rank tools: warn of events lost in capture */
	bool mention_graphs;         /* say that whole graphs count as compute */
	bool cpu_side;               /* rows cite the CPU side of the window */
	const char *empty;           /* what zero rows mean, for the note */

	trace *t;                    /* the trace at hand */
	window *w;                   /* the window at hand */
	table out;

	win_asks asks;               /* all that were asked */
	bool asked;                  /* false: the default windows */
	vec(const char *) paths;
	size_t next_path, next_window;
	windows windows;
	size_t rows_before;
	int status_before;
	bool pid_seen, gpu_seen, any_trace;
	int64_t pid_of_rank;         /* whose rank is the number given as -p; 0: nobody's */
} session;

session session_begin(const opt_tool *tool, int argc, char **argv);
bool session_trace(session *s);
bool session_window(session *s);
int session_end(session *s);

/* Begin a row: pid rank start_ns end_ns.  The plain form cites the window at hand, which rows that
 * speak of a process in a window of all of them do with session_row_of. */
void session_row(session *s);
void session_row_of(session *s, uint32_t proc);
void session_row_at(session *s, uint32_t proc, int64_t start, int64_t end);

/* The cells gpu ctx stream. */
void session_stream(session *s, const trace_stream *st);

/* End a row: window trace. */
void session_row_end(session *s);

#endif
