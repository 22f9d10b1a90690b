#include "trace/slice_facts.h"

#include <string.h>

void slice_facts_add(slice_facts *f, const char *fact, const int64_t v[SLICE_NUMBERS])
{
	bool same = f->n && strcmp(f->v[f->n - 1].fact, fact) == 0;
	slice_fact x = { .fact = same ? f->v[f->n - 1].fact : arena_copy(&f->texts, fact) };

	memcpy(x.v, v, sizeof x.v);
	vec_push(f, x);
}

void slice_facts_free(slice_facts *f)
{
	vec_free(f);
	arena_free(&f->texts);
}

static void fact_row(sqlite3_stmt *s, void *ctx)
{
	int64_t v[SLICE_NUMBERS];
	const char *fact = (const char *)sqlite3_column_text(s, 0);

	for (int i = 0; i < SLICE_NUMBERS; i++)
		v[i] = sqlite3_column_int64(s, i + 1);
	if (fact)
		slice_facts_add(ctx, fact, v);
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	slice_facts *f = mem_new(slice_facts, 1);
	const db_table *in = db_find_with(t->db, "NSQ_SLICE", "fact v5");

	if (in)
		db_each(t->db, fact_row, f, "SELECT fact, v0, v1, v2, v3, v4, v5 FROM \"%w\" ORDER BY fact, rowid",
			in->name);
	return f;
}

static void drop(void *made)
{
	slice_facts_free(made);
	free(made);
}

const slice_facts *slice_facts_of(trace *t)
{
	const slice_facts *f = trace_keep(t, make, 0, drop);

	return f->n ? f : NULL;
}

const slice_fact *slice_facts_first(const slice_facts *f, const char *fact)
{
	for (size_t i = 0; f && i < f->n; i++)
		if (strcmp(f->v[i].fact, fact) == 0)
			return &f->v[i];
	return NULL;
}

const slice_fact *slice_facts_next(const slice_facts *f, const slice_fact *x)
{
	const slice_fact *next = x + 1;

	return next < f->v + f->n && (next->fact == x->fact || strcmp(next->fact, x->fact) == 0) ? next : NULL;
}
