#include "trace/process_names.h"
#include "base/memory.h"
#include "trace/global_id.h"

#include <fnmatch.h>

/* Is this the name of a program that only starts others? */
static bool process_names_is_launcher(const char *name)
{
	return fnmatch("nsys*", name, 0) == 0 || fnmatch("*[Ll]auncher*", name, 0) == 0;
}

static bool process_names_is_unnamed(const trace_proc *p)
{
	return !p->name || process_names_is_launcher(p->name);
}

/* Is the name better than the one so far (NULL: none)?  The name of a launcher is worse than any other.  Otherwise, the
 * later one in text order is better. */
static bool process_names_is_better(const char *name, const char *so_far)
{
	bool launcher = process_names_is_launcher(name);

	return !so_far || (launcher == process_names_is_launcher(so_far) ? strcmp(name, so_far) > 0 : !launcher);
}

static void process_names_take_executable(sqlite3_stmt *s, void *ctx)
{
	trace *t = ctx;
	uint32_t p = trace_proc_of(t, sqlite3_column_int64(s, 0));
	const char *name = (const char *)sqlite3_column_text(s, 1);

	if (p != NONE && name && *name && process_names_is_better(name, t->procs[p].name))
		t->procs[p].name = arena_copy(&t->texts, name);
}

static bool process_names_take_executables(trace *t)
{
	const db_table *p = db_find_with(t->db, "PROCESSES", "globalPid name");

	return !p || db_each(t->db, process_names_take_executable, t, "SELECT globalPid, name FROM \"%w\"", p->name);
}

typedef struct {
	const trace *t;
	dict ids;                       /* ids of the names in nsys's table of strings */
	vec(uint32_t) proc;             /* for each row of ThreadNames that names the main thread of an unnamed process:
					 * index of the process */
	vec(uint32_t) key;              /* for each of these rows: key in ids of the thread's name */
} main_threads;

static void process_names_take_main_thread(sqlite3_stmt *s, void *ctx)
{
	main_threads *m = ctx;
	int64_t id = sqlite3_column_int64(s, 0);
	uint32_t p = global_tid(id) == global_pid(id) ? trace_proc_of(m->t, id) : NONE;

	if (p == NONE || !process_names_is_unnamed(&m->t->procs[p]))
		return;
	vec_push(&m->proc, p);
	vec_push(&m->key, dict_key(&m->ids, sqlite3_column_int64(s, 1)));
}

/* Name processes that have no name yet, or only that of a launcher, after their main thread's name in NVTX. */
static void process_names_take_nvtx(trace *t)
{
	for (size_t i = 0; i < t->nthreads; i++) {
		const trace_thread *th = &t->threads[i];
		trace_proc *p = &t->procs[th->proc];
		const char *name = th->tid == p->pid && th->name != STR_NONE ? t->names.text[th->name] : NULL;
		if (name && *name && process_names_is_unnamed(p) && process_names_is_better(name, p->name))
			p->name = arena_copy(&t->texts, name);
	}
}

/* Name processes that still have no name, or only that of a launcher, after the operating system's name for their main
 * thread.  False after a problem. */
static bool process_names_take_threads(trace *t)
{
	const db_table *names = db_find_with(t->db, "ThreadNames", "globalTid nameId");
	main_threads m = { .t = t };
	uint32_t *string;
	bool ok;

	if (!names)
		return true;
	ok = db_each(t->db, process_names_take_main_thread, &m,
		     "SELECT globalTid, nameId FROM \"%w\" WHERE nameId NOT NULL", names->name);
	string = ok ? trace_find_strings(t, &m.ids) : NULL;
	for (size_t i = 0; string && i < m.proc.n; i++) {
		trace_proc *p = &t->procs[m.proc.v[i]];
		const char *name = string[m.key.v[i]] == STR_NONE ? NULL : t->names.text[string[m.key.v[i]]];
		if (name && *name && process_names_is_better(name, p->name))
			p->name = arena_copy(&t->texts, name);
	}
	ok = string;
	free(string);
	dict_free(&m.ids);
	mem_free(m.proc.v, m.key.v);
	return ok;
}

bool process_names_load(trace *t)
{
	bool unnamed = false;

	if (!process_names_take_executables(t))
		return false;
	process_names_take_nvtx(t);
	for (size_t i = 0; i < t->nprocs; i++)
		unnamed |= process_names_is_unnamed(&t->procs[i]);
	return !unnamed || process_names_take_threads(t);
}
