/*
 * session - when and on which host a trace was captured.
 *
 *     session s = { 0 };
 *     if (session_read(t, &s) && s.has_utc)
 *         printf("%lld on %s\n", (long long)s.utc, s.host ? s.host : "-");
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	bool has_utc;
	int64_t utc;            /* nanoseconds of UTC at time 0 of the trace (utcEpochNs) */
	const char *host;       /* NULL: the trace does not say; lives as long as the trace */
} session;

/* Read the session of a trace.  False after a problem. */
bool session_read(trace *t, session *out);

/* Was the trace captured under WSL2?  It was if the version of the Linux kernel says so.  It also was if Linux had a
 * driver with a version like those of Windows (two numbers), which could not trace switches of GPU contexts. */
bool session_is_wsl(const trace *t);
