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
	bool has_utc;           /* is utc known? */
	int64_t utc;            /* time 0 of the trace, in nanoseconds since 1970-01-01 UTC (utcEpochNs) */
	const char *host;       /* name of the host, which lives as long as the trace; NULL: the trace does not say */
} session;

/* Read the session of a trace.  False after a problem. */
bool session_read(trace *t, session *out);

/* Was the trace captured under WSL2?  It was if the version of the Linux kernel says so.  It also was if the platform
 * is Linux, the version of the NVIDIA driver consists of two numbers, as on Windows, and switches of GPU contexts could
 * not be traced. */
bool session_is_wsl(const trace *t);
