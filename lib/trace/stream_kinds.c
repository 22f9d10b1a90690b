#include "trace/stream_kinds.h"
#include "base/memory.h"
#include "trace/manifest.h"

#include <stdlib.h>

typedef struct {
	trace *t;
	enum stream_kind *kind; /* of each stream */
} stream_kinds_ctx;

/* Take a row.  Its flag is a number of ENUM_CUPTI_STREAM_TYPE, which is also that of the enum stream_kind: 1 blocking,
 * 2 non-blocking, 3 the default stream. */
static void stream_kinds_take_row(sqlite3_stmt *s, void *ctx)
{
	stream_kinds_ctx *k = ctx;
	int64_t flag = sqlite3_column_int64(s, 3);

	for (size_t i = 0; i < k->t->nstreams; i++) {
		const trace_stream *st = &k->t->streams[i];
		if (k->t->procs[st->proc].pid == sqlite3_column_int64(s, 0) && st->ctx == sqlite3_column_int64(s, 1) &&
		    st->stream == sqlite3_column_int64(s, 2) && flag > 0 && flag <= STREAM_DEFAULT)
			k->kind[i] = (enum stream_kind)flag;
	}
}

enum stream_kind *stream_kinds(trace *t)
{
	const db_table *in = db_find_with(t->db, "TARGET_INFO_CUDA_STREAM", "processId contextId streamId flag");
	stream_kinds_ctx k = { t, mem_new(enum stream_kind, t->nstreams) };

	if (!in || db_each(t->db, stream_kinds_take_row, &k, "SELECT processId, contextId, streamId, flag FROM \"%w\"",
			   in->name))
		return k.kind;
	free(k.kind);
	return NULL;
}

/* Take the value of CUDA_DEVICE_MAX_CONNECTIONS, which nsys writes in quotes. */
static void stream_kinds_take_connections(sqlite3_stmt *s, void *ctx)
{
	const char *digits = (const char *)sqlite3_column_text(s, 0);

	*(int64_t *)ctx = strtoll(digits + strcspn(digits, "0123456789"), NULL, 10);
}

int64_t stream_count_connections(trace *t)
{
	int64_t n = 0;
	notes unsaid = { 0 };
	manifest m;

	if (db_find_with(t->db, "META_DATA_CAPTURE", "name value"))
		db_each(t->db, stream_kinds_take_connections, &n,
			"SELECT substr(value, 28) FROM META_DATA_CAPTURE WHERE name "
			"GLOB '*ENVIRONMENT_VARIABLE' AND value GLOB 'CUDA_DEVICE_MAX_CONNECTIONS=*'");
	if (n <= 0)
		n = manifest_read(MANIFEST_OWN, t, &m, &unsaid) ? m.connections : 0;
	notes_free(&unsaid);
	return n > 0 ? n : TRACE_UNKNOWN;
}
