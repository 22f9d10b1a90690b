#include "trace/nic_metrics.h"
#include "base/memory.h"

#include <string.h>

#define NIC_METRICS_TABLE "NET_NIC_METRIC", "start end globalId portId metricsListId metricsIdx value"

bool nic_metrics_has(const trace *t)
{
	return db_find_with(t->db, NIC_METRICS_TABLE);
}

/* Copy the text in a column.  `before` is the copy from the row before, or NULL.  It is returned if the text is the
 * same, as it mostly is. */
static const char *nic_metrics_copy_text(nic_metrics *to, sqlite3_stmt *s, int col, const char *before)
{
	const char *text = (const char *)sqlite3_column_text(s, col);

	return !text ? NULL : before && strcmp(before, text) == 0 ? before : arena_copy(&to->texts, text);
}

static void nic_metrics_take_row(sqlite3_stmt *s, void *ctx)
{
	nic_metrics *to = ctx;
	const nic_sample before = to->n ? to->v[to->n - 1] : (nic_sample){ 0 };

	vec_push(to, (nic_sample){
		.nic = nic_metrics_copy_text(to, s, 0, before.nic), .port = sqlite3_column_int64(s, 1),
		.metric = nic_metrics_copy_text(to, s, 2, before.metric),
		.unit = nic_metrics_copy_text(to, s, 3, before.unit),
		.start = sqlite3_column_int64(s, 4), .end = sqlite3_column_int64(s, 5),
		.value = sqlite3_column_int64(s, 6) });
}

bool nic_metrics_read(trace *t, nic_metrics *to)
{
	const db_table *in = db_find_with(t->db, NIC_METRICS_TABLE);
	bool has_names = db_find_with(t->db, "TARGET_INFO_NETWORK_METRICS", "metricsListId metricsIdx name unit");
	bool has_nics = db_find_with(t->db, "NIC_ID_MAP", "nicId globalId") &&
		db_find_with(t->db, "TARGET_INFO_NIC_INFO", "nicId name");

	return db_each(t->db, nic_metrics_take_row, to, "SELECT %s, m.portId, %s, m.start, m.\"end\", round(m.value) "
		       "FROM \"%w\" m %s %s WHERE m.start >= 0 "
		       "ORDER BY 1, m.globalId, m.portId, m.metricsListId, m.metricsIdx, m.start",
		       has_nics ? "n.name" : "NULL", has_names ? "l.name, l.unit" : "NULL, NULL", in->name,
		       has_names ? "LEFT JOIN TARGET_INFO_NETWORK_METRICS l USING (metricsListId, metricsIdx)" : "",
		       has_nics ? "LEFT JOIN NIC_ID_MAP i USING (globalId) "
		       "LEFT JOIN TARGET_INFO_NIC_INFO n ON n.nicId = i.nicId" : "");
}

void nic_metrics_free(nic_metrics *n)
{
	vec_free(n);
	arena_free(&n->texts);
}
