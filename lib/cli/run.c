#include "cli/run.h"
#include "cli/errors.h"
#include "trace/load.h"
#include "relate/lost_events.h"
#include "trace/report.h"

#include <string.h>
#include <sys/stat.h>

/* The files behind s->paths, to know one under another name; looked up once each. */
static vec(struct { dev_t dev; ino_t ino; bool there; }) files;

static size_t find_path(const session *s, const char *path)
{
	struct stat st;

	for (size_t i = 0; i < s->paths.n; i++)
		if (strcmp(s->paths.v[i], path) == 0)
			return i;
	if (stat(path, &st) < 0)
		return s->paths.n;
	for (size_t i = 0; i < s->paths.n; i++)
		if (files.v[i].there && files.v[i].dev == st.st_dev && files.v[i].ino == st.st_ino)
			return i;
	return s->paths.n;
}

static void add_path(session *s, const char *path)
{
	struct stat st = { 0 };
	bool there = stat(path, &st) == 0;

	vec_push(&s->paths, path);
	vec_reserve(&files, files.n + 1);
	files.v[files.n].dev = st.st_dev;
	files.v[files.n].ino = st.st_ino;
	files.v[files.n++].there = there;
}

/* Every row of a table must name a trace that we are given, or be the one to name it. */
static void place_rows(session *s, bool from_rows)
{
	for (size_t i = 0; i < s->asks.n; i++) {
		win_ask *a = &s->asks.v[i];
		size_t k;
		if (!a->trace && from_rows)
			die(EXIT_WRONG, "%s names no trace; name one on the command line", a->shown);
		if (!a->trace)
			continue;
		k = find_path(s, a->trace);
		if (k == s->paths.n && !from_rows)
			die(EXIT_WRONG, "%s is of the trace '%s', which is not on the command line; "
			    "add it there, or name no trace and let the table name them", a->shown, a->trace);
		if (k == s->paths.n)
			add_path(s, a->trace);
		a->trace = s->paths.v[k];
	}
}

session session_begin(const opt_tool *tool, int argc, char **argv)
{
	session s = { 0 };

	opt_parse(tool, argc, argv);
	tool->columns(&s.out);          /* which also looks at the arguments, before stdin is waited for */
	for (size_t i = 0; i < opt_common.operands.n; i++)
		if (find_path(&s, opt_common.operands.v[i]) == s.paths.n)
			add_path(&s, opt_common.operands.v[i]);
	for (size_t i = 0; i < opt_common.windows.n; i++)
		wintab_spec(opt_common.windows.v[i], &s.asks);
	if (!s.paths.n && !opt_common.windows.n)
		wintab_read(stdin, "standard input", &s.asks);
	s.asked = opt_common.windows.n > 0 || !s.paths.n;
	place_rows(&s, !s.paths.n);
	table_open(&s.out, opt_common.format);
	if (!s.paths.n)
		note("the window table has no rows, so there is nothing to answer");
	s.any_trace = !s.paths.n;
	return s;
}

/* Does the trace hold the kinds of tables that the question needs? */
static bool can_answer(const session *s)
{
	bool cuda = s->t->has_cuda, nvtx = s->t->has_nvtx;
	const char *missing = s->must & SESSION_CUDA && !cuda ? "CUDA" :
		s->must & SESSION_NVTX && !nvtx ? "NVTX" :
		s->must & SESSION_ANY && !cuda && !nvtx ? "CUDA or NVTX" : NULL;

	if (missing)
		complain(EXIT_CANNOT, "'%s' holds no %s events; capture them with "
			 "nsys profile --trace=cuda,nvtx", s->t->path, missing);
	return !missing;
}

static void mention_graphs(const trace *t)
{
	size_t graphs = 0;

	for (size_t i = 0; i < t->work.n; i++)
		graphs += t->work.kind[i] == WORK_GRAPH;
	if (graphs)
		note("%zu whole CUDA graphs in '%s' count as compute; see inside them with "
		     "nsys profile --cuda-graph-trace=node", graphs, t->path);
}

static void pick_windows(session *s)
{
	win_asks mine = { 0 };

	for (size_t i = 0; i < s->asks.n; i++)
		if (!s->asks.v[i].trace || s->asks.v[i].trace == s->t->path)
			vec_push(&mine, s->asks.v[i]);
	s->windows = window_resolve(s->t, mine.v, mine.n, s->asked, s->def);
	vec_free(&mine);
	s->pid_seen |= opt_common.pid >= 0 && trace_pid(s->t, opt_common.pid) != NONE;
	for (size_t i = 0; i < s->t->nprocs && opt_common.pid >= 0; i++)
		if (s->t->procs[i].rank == opt_common.pid)
			s->pid_of_rank = s->t->procs[i].pid;
	for (size_t i = 0; i < s->t->nlanes; i++)
		s->gpu_seen |= s->t->lanes[i].gpu == opt_common.gpu;
}

static void leave_trace(session *s)
{
	if (!s->t)
		return;
	if (s->out.rows == s->rows_before && err_status == s->status_before)
		note("no rows for '%s': %s", s->t->path, s->windows.n ? s->empty : s->def >= WINDOW_TRACE ?
		     "none of the windows lies in it" : "no process in it has GPU work in the windows asked about");
	window_free(&s->windows);
	trace_free(s->t);
	s->t = NULL;
}

bool session_trace(session *s)
{
	leave_trace(s);
	while (s->next_path < s->paths.n) {
		const char *path = s->paths.v[s->next_path++], *file = report_export(path, opt_common.nsys);
		s->t = file ? trace_open(file, (int)opt_common.threads) : NULL;
		if (!s->t)
			continue;
		s->t->path = path;
		s->status_before = err_status;
		if (can_answer(s) && load_trace(s->t, s->need, s->comm)) {
			pick_windows(s);
			s->next_window = 0;
			s->rows_before = s->out.rows;
			s->any_trace = true;
			if (s->warn_lost)
				lost_warn(s->t);
			if (s->mention_graphs)
				mention_graphs(s->t);
			return true;
		}
		trace_free(s->t);
		s->t = NULL;
	}
	return false;
}

bool session_window(session *s)
{
	if (s->next_window)
		table_flush(&s->out, opt_common.limit);
	s->w = s->next_window < s->windows.n ? &s->windows.v[s->next_window++] : NULL;
	return s->w;
}

int session_end(session *s)
{
	leave_trace(s);
	if (s->any_trace && opt_common.pid >= 0 && !s->pid_seen && s->paths.n)
		complain(EXIT_WRONG, "no process %lld in the trace; %s", (long long)opt_common.pid, s->pid_of_rank ?
			 mem_printf("rank %lld is pid %lld", (long long)opt_common.pid, (long long)s->pid_of_rank) :
			 "nsq-setup lists them");
	if (s->any_trace && opt_common.gpu >= 0 && !s->gpu_seen && s->paths.n && (s->need & TRACE_WORK) == TRACE_WORK)
		complain(EXIT_WRONG, "no work on GPU %lld in the trace; nsq-setup lists the GPUs",
			 (long long)opt_common.gpu);
	if (s->any_trace && err_status != EXIT_WRONG)
		table_header(&s->out);
	vec_free(&s->asks);
	vec_free(&s->paths);
	vec_free(&files);
	return table_close(&s->out);
}

void session_row_at(session *s, uint32_t proc, int64_t start, int64_t end)
{
	const trace_proc *p = proc == NONE ? NULL : &s->t->procs[proc];

	table_int(&s->out, p ? p->pid : TABLE_MISSING);
	table_int(&s->out, p && p->rank >= 0 ? p->rank : TABLE_MISSING);
	table_int(&s->out, start);
	table_int(&s->out, end);
}

void session_row_of(session *s, uint32_t proc)
{
	ival hull = window_hull(s->cpu_side ? &s->w->cpu : &s->w->gpu);

	session_row_at(s, proc, hull.a, hull.b);
}

void session_row(session *s)
{
	session_row_of(s, s->w->proc);
}

void session_stream(session *s, const trace_stream *st)
{
	table_int(&s->out, st->gpu);
	table_int(&s->out, st->ctx);
	table_int(&s->out, st->stream);
}

void session_row_end(session *s)
{
	table_text(&s->out, s->w->name);
	table_text(&s->out, s->t->path);
}
