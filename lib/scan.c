#include "scan.h"
#include "err.h"
#include "mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Each thread reads a stretch of row ids into columns of its own, with dictionaries of its own;
 * the stretches are then joined in their order. */

enum { COLS_MAX = 16, ROWS_PER_THREAD = 20000 };

typedef struct {
	const db *d;
	const char *query;        /* the columns found, of row ids ?1 to ?2 */
	const scan_col *cols;     /* what is asked; not written by the threads */
	int ncols;
	int64_t first, last;      /* row ids */

	size_t n, room;
	int64_t *ints[COLS_MAX];
	uint32_t *keys[COLS_MAX];
	dict dict[COLS_MAX];
	str_pool pool;
	char reason[200];         /* why it failed, empty when it did not */
} part;

static void grow(part *p)
{
	p->room = p->room ? p->room * 2 : 1024;
	for (int c = 0; c < p->ncols; c++)
		if (p->cols[c].type == SCAN_INT)
			p->ints[c] = mem_grow(p->ints[c], p->room, sizeof(int64_t));
		else
			p->keys[c] = mem_grow(p->keys[c], p->room, sizeof(uint32_t));
}

static uint32_t text_key(part *p, const scan_col *c, const char *s)
{
	if (!s || (c->prefix && strncmp(s, c->prefix, strlen(c->prefix)) != 0))
		return STR_NONE;
	return str_id(&p->pool, s, strlen(s));
}

static void take_row(part *p, sqlite3_stmt *s)
{
	int field = 0;

	if (p->n == p->room)
		grow(p);
	for (int c = 0; c < p->ncols; c++) {
		const scan_col *col = &p->cols[c];
		int at = col->found ? field++ : -1;
		bool null = at < 0 || sqlite3_column_type(s, at) == SQLITE_NULL;

		if (col->type == SCAN_TEXT) {
			const char *text = null ? NULL : (const char *)sqlite3_column_text(s, at);
			p->keys[c][p->n] = text_key(p, col, text);
			continue;
		}
		int64_t v = null ? col->null : sqlite3_column_int64(s, at);
		if (col->from_zero && (null || v < 0))
			return;
		if (col->type == SCAN_INT)
			p->ints[c][p->n] = v;
		else
			p->keys[c][p->n] = dict_key(&p->dict[c], v);
	}
	p->n++;
}

static void *read_part(void *arg)
{
	part *p = arg;
	sqlite3 *sql = db_connect(p->d);
	sqlite3_stmt *s = NULL;
	int rc = sql ? sqlite3_prepare_v2(sql, p->query, -1, &s, NULL) : SQLITE_CANTOPEN;
	int64_t left = p->d->max_rows;

	if (rc == SQLITE_OK) {
		sqlite3_bind_int64(s, 1, p->first);
		sqlite3_bind_int64(s, 2, p->last);
		while ((rc = sqlite3_step(s)) == SQLITE_ROW && left-- > 0)
			take_row(p, s);
	}
	if (rc == SQLITE_ROW)
		snprintf(p->reason, sizeof p->reason, "it has more rows than fit in the file");
	else if (rc != SQLITE_DONE)
		snprintf(p->reason, sizeof p->reason, "%s", sql ? sqlite3_errmsg(sql) : "cannot open it");
	sqlite3_finalize(s);
	sqlite3_close(sql);
	return NULL;
}

static void first_last(sqlite3_stmt *s, void *ctx)
{
	int64_t *range = ctx;

	if (sqlite3_column_type(s, 0) == SQLITE_NULL)
		return;
	range[0] = sqlite3_column_int64(s, 0);
	range[1] = sqlite3_column_int64(s, 1);
}

/* A view, or a table whose key is not its row id, has no row ids to split by. */
static bool has_row_ids(const db *d, const db_table *t)
{
	sqlite3_stmt *s = NULL;
	char *q = db_query("SELECT rowid FROM \"%w\"", t->name);
	bool ok = sqlite3_prepare_v2(d->sql, q, -1, &s, NULL) == SQLITE_OK;

	sqlite3_finalize(s);
	sqlite3_free(q);
	return ok;
}

static char *query_for(const db_table *t, scan_col *cols, int ncols, bool split)
{
	sqlite3_str *q = sqlite3_str_new(NULL);
	const char *comma = "";
	char *text;

	sqlite3_str_appendall(q, "SELECT ");
	for (int c = 0; c < ncols; c++) {
		int at = db_column(t, cols[c].names);
		cols[c].found = at >= 0;
		if (at >= 0) {
			sqlite3_str_appendf(q, "%s\"%w\"", comma, t->columns[at]);
			comma = ",";
		}
	}
	sqlite3_str_appendf(q, "%s FROM \"%w\"%s", *comma ? "" : "1", t->name,
			    split ? " WHERE rowid BETWEEN ?1 AND ?2" : "");
	text = sqlite3_str_finish(q);
	if (!text)
		die(EXIT_FAILED, "out of memory");
	return text;
}

/* Move one column of all parts into the result; keys are renumbered to common ones. */
static void join_column(scan_col *col, part *parts, int nparts, int c, size_t n, uint32_t **pool_ids)
{
	size_t at = 0;

	if (col->type == SCAN_INT && nparts == 1) {
		col->ints = parts[0].ints[c];
		parts[0].ints[c] = NULL;
		return;
	}
	if (col->type == SCAN_INT)
		col->ints = mem_new(int64_t, n);
	else
		col->keys = mem_new(uint32_t, n);
	for (int p = 0; p < nparts; p++) {
		part *q = &parts[p];
		if (col->type == SCAN_INT) {
			memcpy(col->ints + at, q->ints[c], q->n * sizeof(int64_t));
			free(q->ints[c]);
			q->ints[c] = NULL;
		} else {
			uint32_t *map = pool_ids[p], *own = NULL;
			if (col->type == SCAN_KEY) {
				map = own = mem_new(uint32_t, q->dict[c].n);
				for (size_t k = 0; k < q->dict[c].n; k++)
					own[k] = dict_key(&col->dict, q->dict[c].value[k]);
			}
			for (size_t i = 0; i < q->n; i++)
				col->keys[at + i] = q->keys[c][i] == STR_NONE ? STR_NONE : map[q->keys[c][i]];
			free(own);
			free(q->keys[c]);
			q->keys[c] = NULL;
		}
		at += q->n;
	}
}

static size_t join(scan_col *cols, int ncols, part *parts, int nparts, str_pool *pool)
{
	uint32_t **ids = mem_new(uint32_t *, (size_t)nparts);
	size_t n = 0;

	for (int p = 0; p < nparts; p++) {
		n += parts[p].n;
		ids[p] = mem_new(uint32_t, parts[p].pool.n);
		for (size_t i = 0; i < parts[p].pool.n; i++)
			ids[p][i] = str_id(pool, parts[p].pool.text[i], parts[p].pool.len[i]);
	}
	if (n >= UINT32_MAX)
		die(EXIT_FAILED, "a table has %zu rows; nsq reads at most %u", n, UINT32_MAX - 1);
	for (int c = 0; c < ncols; c++)
		join_column(&cols[c], parts, nparts, c, n, ids);
	for (int p = 0; p < nparts; p++)
		free(ids[p]);
	free(ids);
	return n;
}

static void run(part *parts, int nparts)
{
	pthread_t *id = mem_new(pthread_t, (size_t)nparts);
	bool *started = mem_new(bool, (size_t)nparts);

	for (int p = 1; p < nparts; p++)
		started[p] = pthread_create(&id[p], NULL, read_part, &parts[p]) == 0;
	for (int p = 0; p < nparts; p++)
		if (!started[p])
			read_part(&parts[p]);
	for (int p = 1; p < nparts; p++)
		if (started[p])
			pthread_join(id[p], NULL);
	free(started);
	free(id);
}

bool scan_table(const db *d, const db_table *t, scan_col *cols, int ncols, str_pool *pool, size_t *n)
{
	int64_t ids[2] = { 0, -1 };
	int nparts = 1;
	const char *reason = NULL;
	char *query;
	part *parts;
	bool split;

	*n = 0;
	if (!t)
		return true;
	split = has_row_ids(d, t);
	if (split) {
		/* one by one each is a seek, together they are a scan */
		char *q = db_query("SELECT (SELECT min(rowid) FROM \"%w\"), (SELECT max(rowid) FROM \"%w\")",
				   t->name, t->name);
		bool ok = db_each(d, q, first_last, ids);
		sqlite3_free(q);
		if (!ok)
			return false;
		uint64_t rows = (uint64_t)ids[1] - (uint64_t)ids[0];
		nparts = rows / ROWS_PER_THREAD >= (uint64_t)d->threads ? d->threads :
			(int)(rows / ROWS_PER_THREAD) + 1;
		if (ids[1] < ids[0])
			nparts = 1;
	}
	query = query_for(t, cols, ncols, split);
	parts = mem_new(part, (size_t)nparts);
	for (int p = 0; p < nparts; p++) {
		uint64_t step = ((uint64_t)ids[1] - (uint64_t)ids[0]) / (uint64_t)nparts;
		parts[p] = (part){ .d = d, .query = query, .cols = cols, .ncols = ncols,
			.first = (int64_t)((uint64_t)ids[0] + step * (uint64_t)p) + (p > 0),
			.last = p == nparts - 1 ? ids[1] :
				(int64_t)((uint64_t)ids[0] + step * (uint64_t)(p + 1)) };
	}
	run(parts, nparts);
	for (int p = 0; p < nparts; p++)
		if (*parts[p].reason)
			reason = parts[p].reason;
	if (reason)
		db_damaged(d, t->name, reason);
	else
		*n = join(cols, ncols, parts, nparts, pool);
	for (int p = 0; p < nparts; p++) {
		for (int c = 0; c < ncols; c++) {
			free(parts[p].ints[c]);
			free(parts[p].keys[c]);
			dict_free(&parts[p].dict[c]);
		}
		str_free(&parts[p].pool);
	}
	free(parts);
	sqlite3_free(query);
	return !reason;
}

void scan_free(scan_col *cols, int ncols)
{
	for (int c = 0; c < ncols; c++) {
		free(cols[c].ints);
		free(cols[c].keys);
		dict_free(&cols[c].dict);
		cols[c].ints = NULL;
		cols[c].keys = NULL;
	}
}
