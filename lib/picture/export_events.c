#include "picture/export_events.h"
#include "base/text.h"
#include "picture/work_category.h"
#include "step/owners.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

#include <string.h>

enum {
	TRACE_IDS = 1 << 24,    /* the pids and tids of a trace are below this.  A pid or tid that the file has
				 * already is raised by this until it is new */
	GPUS_PID = 1 << 23,     /* the pid of the rows of GPUs; no system gives a process so high a number */
	ROW_TID = 1 << 30,      /* the first tid of the rows that are not threads (export_ids.rows) */
	THREADS_SORT = 1 << 24, /* the first position of threads, below the rows of GPUs */
	STREAM_SORT = 64,       /* each stream has this many positions, the first ones for the levels of its track
				 * (timeline.h); positions begin at 1 */
	/* The positions of a GPU's other rows, counted from the position of the GPU's last stream */
	EXPOSED_SORT = 16, IDLE_SORT, PROJECTED_SORT, OTHER_SORT = 40,
	PROGRESS_EVERY = 1 << 16        /* the number of events between two calls of export_how.progress */
};

typedef struct {
	const trace *t;
	const timeline *tl;
	const export_how *how;
	chrome_json *j;
	export_ids *ids;
	uint32_t *category;     /* an array with an element for each string of the trace, used for full names of
				 * kernels: 0 if the category is not known yet, 1 if there is none, otherwise 2 + its
				 * id in `categories`.  NULL: owners are written */
	str_pool categories;
	int64_t *pid;           /* by process, and last for the GPUs: the pid in the file; -1: none yet */
	int64_t *tid;           /* by thread: the tid in the file; -1: not in the file yet */
	int64_t *row;           /* by track and level: the tid in the file; -1: not in the file yet */
	const uint32_t *base;   /* from call_base_names: the names of calls without suffixes */
	arena texts;
} export_events_ctx;

void export_ids_free(export_ids *ids)
{
	vec_free(&ids->written);
	dict_free(&ids->pids);
	dict_free(&ids->tids);
}

static int64_t export_events_make_id(dict *taken, int64_t want)
{
	while (dict_find(taken, want) != DICT_NONE)
		want += TRACE_IDS;
	dict_key(taken, want);
	return want;
}

/* The pid of a process in the file; proc NONE: the pid of the trace's GPUs.  The first call for a process also
 * writes its name and position. */
static int64_t export_events_pid_of(export_events_ctx *d, uint32_t proc)
{
	const trace_proc *p = proc == NONE ? NULL : &d->t->procs[proc];
	size_t at = p ? proc : d->t->nprocs;
	const char *name, *file = text_base(d->t->path);

	if (d->pid[at] >= 0)
		return d->pid[at];
	d->pid[at] = export_events_make_id(&d->ids->pids, p ? p->pid : GPUS_PID);
	if (!p)
		name = arena_printf(&d->texts, "GPUs of %s", file);
	else if (p->rank >= 0)
		name = arena_printf(&d->texts, "rank %lld: %s (pid %s of %s)", (long long)p->rank,
			p->name ? p->name : "process", p->shown, file);
	else
		name = arena_printf(&d->texts, "%s (pid %s of %s)", p->name ? p->name : "process", p->shown, file);
	chrome_put_name(d->j, "process_name", d->pid[at], d->pid[at], name);
	chrome_put_order(d->j, "process_sort_index", d->pid[at], d->pid[at], d->ids->processes++);
	return d->pid[at];
}

/* The position of a thread; the main thread comes first.  The next position is for the thread's OS and MPI calls. */
static int64_t export_events_thread_sort(const export_events_ctx *d, uint32_t thread)
{
	const trace_thread *th = &d->t->threads[thread];

	return THREADS_SORT + (th->tid == d->t->procs[th->proc].pid ? 0 : 2 * ((int64_t)thread + 1));
}

static int64_t export_events_thread_id(export_events_ctx *d, uint32_t thread)
{
	const trace_thread *th = &d->t->threads[thread];
	int64_t pid = export_events_pid_of(d, th->proc), main_tid = d->t->procs[th->proc].pid;
	const char *name = str_at(&d->t->names, th->name);

	if (d->tid[thread] >= 0)
		return d->tid[thread];
	d->tid[thread] = export_events_make_id(&d->ids->tids, th->tid + (pid - main_tid));
	chrome_put_name(d->j, "thread_name", pid, d->tid[thread],
		    arena_printf(&d->texts, "%s %lld", name ? name : "thread", (long long)th->tid));
	chrome_put_order(d->j, "thread_sort_index", pid, d->tid[thread], export_events_thread_sort(d, thread));
	return d->tid[thread];
}

static const char *export_events_stream_name(export_events_ctx *d, const timeline_track *k, const char *name)
{
	const trace_stream *st = &d->t->streams[k->stream];

	if (st->ctx != TRACE_UNKNOWN)
		name = arena_printf(&d->texts, "%s context %lld", name, (long long)st->ctx);
	if (st->stream != TRACE_UNKNOWN)
		name = arena_printf(&d->texts, "%s stream %lld", name, (long long)st->stream);
	return arena_printf(&d->texts, "%s %s", name, work_stream_class(st));
}

/* Is this a track of OS calls or of MPI calls?  Their rows are below the row of the thread. */
static bool export_events_is_os_or_mpi(const timeline_track *k)
{
	return k->kind == TIMELINE_OS || k->kind == TIMELINE_MPI;
}

static const char *export_events_row_name(export_events_ctx *d, const timeline_track *k, uint32_t level)
{
	const char *name;

	if (export_events_is_os_or_mpi(k))
		name = arena_printf(&d->texts, "%s calls of %lld", k->kind == TIMELINE_MPI ? "MPI" : "OS",
				    (long long)d->t->threads[k->thread].tid);
	else
		name = arena_printf(&d->texts, "GPU %lld", (long long)d->t->lanes[k->lane].gpu);
	if (k->kind == TIMELINE_WORK && k->stream == NONE)
		return arena_printf(&d->texts, "%s other streams %u", name, level + 1);
	if (k->kind == TIMELINE_WORK)
		name = export_events_stream_name(d, k, name);
	else if (!export_events_is_os_or_mpi(k))
		name = arena_printf(&d->texts, "%s %s", name, k->kind == TIMELINE_IDLE ? "idle" :
			k->kind == TIMELINE_EXPOSED ? "exposed communication" : "ranges");
	return level ? arena_printf(&d->texts, "%s (%u)", name, level + 1) : name;
}

static int64_t export_events_row_sort(const export_events_ctx *d, const timeline_track *k, uint32_t level)
{
	static const int place[] = { [TIMELINE_IDLE] = IDLE_SORT, [TIMELINE_EXPOSED] = EXPOSED_SORT,
		[TIMELINE_PROJECTED] = PROJECTED_SORT, [TIMELINE_WORK] = OTHER_SORT };
	int64_t last = 0;

	if (export_events_is_os_or_mpi(k))
		return export_events_thread_sort(d, k->thread) + 1;
	if (k->kind == TIMELINE_WORK && k->stream != NONE)
		return (int64_t)k->stream * STREAM_SORT + level + 1;
	for (size_t s = 0; s < d->t->nstreams; s++)
		if (d->t->streams[s].proc == k->proc && d->t->streams[s].gpu == d->t->lanes[k->lane].gpu)
			last = (int64_t)s;
	return last * STREAM_SORT + place[k->kind] + level + 1;
}

/* The tid of the row for a level of a track; -1: a track has no row for so high a level.  The first call for a row
 * also writes its name and position. */
static int64_t export_events_row_of(export_events_ctx *d, uint32_t track, uint32_t level)
{
	const timeline_track *k = &d->tl->tracks.v[track];
	int64_t *row, pid = export_events_pid_of(d, k->proc);

	if (level >= TIMELINE_ROWS)
		return -1;
	row = &d->row[track * TIMELINE_ROWS + level];
	if (*row < 0) {
		*row = ROW_TID + d->ids->rows++;
		chrome_put_name(d->j, "thread_name", pid, *row, export_events_row_name(d, k, level));
		chrome_put_order(d->j, "thread_sort_index", pid, *row, export_events_row_sort(d, k, level));
	}
	return *row;
}

/* ---- events */

typedef struct {
	uint32_t proc;
	int64_t tid;            /* its tid in the file */
	const char *cat;        /* its category in Chrome's format */
	const char *name;       /* the name; NULL: - is written */
	ival whole;             /* the time of the event */
	ival part;              /* the time of the event, cut to the windows */
	bool is_async;          /* is it asynchronous, because it crosses another event, has no row, or is a start/end
				 * range? */
} event;

/* Begin an event.  The caller then writes its args and calls export_events_end_event. */
static void export_events_begin_event(export_events_ctx *d, const event *e)
{
	int64_t pid = export_events_pid_of(d, e->proc);

	if (d->how->progress && d->j->events % PROGRESS_EVERY < 2)
		d->how->progress(d->how->ctx);
	chrome_event(d->j, e->is_async ? 'b' : 'X', pid, e->tid, e->part.a);
	if (e->is_async)
		chrome_int(d->j, "id", d->ids->asyncs);
	else
		chrome_time(d->j, "dur", e->part.b - e->part.a);
	chrome_text(d->j, "cat", e->cat);
	chrome_text(d->j, "name", e->name ? e->name : "-");
	chrome_args(d->j);
	if (e->part.a != e->whole.a || e->part.b != e->whole.b) {
		chrome_int(d->j, "start_ns", e->whole.a);
		chrome_int(d->j, "end_ns", e->whole.b);
	}
}

static void export_events_end_event(export_events_ctx *d, const event *e)
{
	chrome_close(d->j);
	if (!e->is_async)
		return;
	chrome_event(d->j, 'e', export_events_pid_of(d, e->proc), e->tid, e->part.b);
	chrome_int(d->j, "id", d->ids->asyncs++);
	chrome_text(d->j, "cat", e->cat);
	chrome_text(d->j, "name", e->name ? e->name : "-");
	chrome_close(d->j);
}

static void export_events_put_range(export_events_ctx *d, const trace_ranges *r, size_t i, ival part, bool is_async)
{
	const trace *t = d->t;
	uint32_t thread = ranges_thread(r, i);
	event e = { t->threads[thread].proc, export_events_thread_id(d, thread), "range", str_at(&t->names, r->name[i]),
		{ r->start[i], r->end[i] }, part, is_async };

	export_events_begin_event(d, &e);
	if (ranges_domain(r, i) != NONE)
		chrome_text(d->j, "domain", str_at(&t->names, t->domains[ranges_domain(r, i)].name));
	export_events_end_event(d, &e);
}

static void export_events_put_call(export_events_ctx *d, size_t i, ival part, bool is_async)
{
	const trace_calls *c = &d->t->calls;
	uint32_t name = calls_name(c, i) == STR_NONE ? STR_NONE : d->base[calls_name(c, i)];
	event e = { d->t->threads[calls_thread(c, i)].proc, export_events_thread_id(d, calls_thread(c, i)), "call",
		str_at(&d->t->names, name), { c->start[i], c->end[i] }, part, is_async };

	export_events_begin_event(d, &e);
	chrome_text(d->j, "class", call_class_name(calls_class(c, i)));
	export_events_end_event(d, &e);
}

/* Write all tracks of a kind.  The kind is TIMELINE_NESTED or TIMELINE_STARTEND. */
static void export_events_put_thread_tracks(export_events_ctx *d, enum timeline_kind kind)
{
	for (size_t track = 0; track < d->tl->tracks.n; track++) {
		const timeline_track *k = &d->tl->tracks.v[track];
		for (size_t i = 0; k->kind == kind && i < k->events.n; i++) {
			ival part = timeline_cut(d->tl, k, i);
			size_t at;
			if (kind == TIMELINE_STARTEND)
				export_events_put_range(d, &d->t->startend, k->events.v[i], part, true);
			else if (timeline_is_call(k->events.v[i], &at))
				export_events_put_call(d, at, part, k->levels.v[i]);
			else
				export_events_put_range(d, &d->t->pushpop, at, part, k->levels.v[i]);
		}
	}
}

/* ---- work */

/* The category of a kernel; NULL: it has none. */
static const char *export_events_find_category(export_events_ctx *d, size_t i)
{
	uint32_t name = work_full(&d->t->work, i), label;

	if (name == STR_NONE)
		return NULL;
	if (!d->category[name]) {
		label = work_category(d->tl->t, i, d->how->categories, &d->categories);
		d->category[name] = label == STR_NONE ? 1 : 2 + label;
	}
	return d->category[name] == 1 ? NULL : str_at(&d->categories, d->category[name] - 2);
}

static void export_events_put_kind_args(export_events_ctx *d, size_t i)
{
	const trace_work *w = &d->t->work;

	if (w->kind[i] == WORK_KERNEL) {
		if (d->category)
			chrome_text(d->j, "category", export_events_find_category(d, i));
		else
			chrome_text(d->j, "owner", owner_name(owners_by_name(d->tl->t, i)));
		chrome_text(d->j, "grid", str_at(&d->t->names, work_grid(w, i)));
		chrome_text(d->j, "block", str_at(&d->t->names, work_block(w, i)));
	}
	if (w->kind[i] < WORK_COPY)
		return;
	if (w->bytes[i] >= 0)
		chrome_int(d->j, "bytes", w->bytes[i]);
	if (w->kind[i] == WORK_COPY)
		chrome_text(d->j, "src", work_mem_kind(w->src_kind[i]));
	chrome_text(d->j, "dst", work_mem_kind(w->dst_kind[i]));
}

static void export_events_put_work_args(export_events_ctx *d, size_t i)
{
	const trace *t = d->t;
	const trace_stream *st = &t->streams[t->work.stream[i]];
	uint32_t call = t->work.launch[i];

	chrome_int(d->j, "gpu", st->gpu);
	if (st->ctx != TRACE_UNKNOWN)
		chrome_int(d->j, "ctx", st->ctx);
	if (st->stream != TRACE_UNKNOWN)
		chrome_int(d->j, "stream", st->stream);
	if (t->work.corr[i])
		chrome_int(d->j, "correlation", t->work.corr[i]);
	if (call != NONE)
		chrome_int(d->j, "launch_ns", t->calls.start[call]);
	chrome_text(d->j, "nvtx", str_at(&t->names, around_name(d->tl->around, i)));
	export_events_put_kind_args(d, i);
}

static void export_events_put_arrow(export_events_ctx *d, const event *work, uint32_t call, ival at)
{
	for (int end = 0; end < 2; end++) {
		int64_t tid = end ? work->tid : export_events_thread_id(d, calls_thread(&d->t->calls, call));
		chrome_event(d->j, end ? 'f' : 's', export_events_pid_of(d, work->proc), tid, end ? at.b : at.a);
		chrome_int(d->j, "id", d->ids->arrows);
		if (end)
			chrome_text(d->j, "bp", "e");
		chrome_text(d->j, "cat", "launch");
		chrome_text(d->j, "name", "launch");
		chrome_close(d->j);
	}
	d->ids->arrows++;
}

static void export_events_put_work(export_events_ctx *d, size_t i)
{
	const trace *t = d->t;
	const timeline_track *k = &d->tl->tracks.v[d->tl->track[i]];
	int64_t row = export_events_row_of(d, d->tl->track[i], d->tl->level[i]);
	event e = { k->proc, row >= 0 ? row : export_events_pid_of(d, k->proc), work_class(t, i),
		str_at(&t->names, work_name(&t->work, i)), { t->work.start[i], t->work.end[i] }, { 0 },
		row < 0 };
	ival arrow;

	e.part = window_clip(&d->tl->shown->lanes[k->lane].parts, e.whole.a, e.whole.b);
	export_events_begin_event(d, &e);
	export_events_put_work_args(d, i);
	export_events_end_event(d, &e);
	if (timeline_arrow(d->tl, i, &arrow))
		export_events_put_arrow(d, &e, t->work.launch[i], arrow);
}

/* ---- other tracks of GPUs and threads */

/* Begin event i of a track, on the row of a level.  If there is no row for so high a level, the event is
 * asynchronous, and belongs to its process alone.  Returns the event for export_events_end_event. */
static event export_events_begin_on_row(export_events_ctx *d, uint32_t track, size_t i, uint32_t level, const char *cat,
				    uint32_t name)
{
	const timeline_track *k = &d->tl->tracks.v[track];
	int64_t row = export_events_row_of(d, track, level);
	event e = { k->proc, row >= 0 ? row : export_events_pid_of(d, k->proc), cat, str_at(&d->t->names, name),
		timeline_whole(d->tl, k, i), timeline_cut(d->tl, k, i), row < 0 };

	if (k->kind == TIMELINE_IDLE)
		e.name = owner_name(d->tl->parts.v[k->events.v[i]].cause);
	export_events_begin_event(d, &e);
	return e;
}

static void export_events_put_idle(export_events_ctx *d, uint32_t track, size_t i)
{
	const timeline_part *part = &d->tl->parts.v[d->tl->tracks.v[track].events.v[i]];
	const timeline_gap *gap = &d->tl->gaps.v[part->gap];
	const trace *t = d->t;
	event e = export_events_begin_on_row(d, track, i, 0, "idle", STR_NONE);

	chrome_int(d->j, "gap_ns", gap->at.b - gap->at.a);
	chrome_text(d->j, "cause", owner_name(gap->cause));
	chrome_text(d->j, "api", str_at(&t->names, gap->api));
	chrome_text(d->j, "nvtx", str_at(&t->names, gap->nvtx));
	if (gap->prev != NONE)
		chrome_text(d->j, "prev", str_at(&t->names, work_name(&t->work, gap->prev)));
	if (gap->next != NONE)
		chrome_text(d->j, "next", str_at(&t->names, work_name(&t->work, gap->next)));
	export_events_end_event(d, &e);
}

/* Write an event that has no args of its own: an OS call, an MPI call or exposed communication. */
static void export_events_put_plain(export_events_ctx *d, uint32_t track, size_t i)
{
	const timeline_track *k = &d->tl->tracks.v[track];
	bool mpi = k->kind == TIMELINE_MPI;
	uint32_t at = k->events.v[i],
		 name = mpi			? d->t->mpi.name[at] :
		export_events_is_os_or_mpi(k)	? d->t->os.name[at] :
						  work_name(&d->t->work, d->tl->spans.v[at].of);
	event e = export_events_begin_on_row(d, track, i, k->levels.v[i],
					 mpi					 ? "mpi" :
						 export_events_is_os_or_mpi(k)	 ? "os" :
										   "exposed",
					 name);

	export_events_end_event(d, &e);
}

static void export_events_put_mark(export_events_ctx *d, const timeline_track *k, size_t i)
{
	const char *name = str_at(&d->t->names, d->t->marks.name[k->events.v[i]]);
	int64_t tid = export_events_thread_id(d, k->thread);

	chrome_event(d->j, 'i', export_events_pid_of(d, k->proc), tid, timeline_cut(d->tl, k, i).a);
	chrome_text(d->j, "s", "t");
	chrome_text(d->j, "cat", "mark");
	chrome_text(d->j, "name", name ? name : "-");
	chrome_args(d->j);
	chrome_close(d->j);
}

typedef vec(int64_t) open_ends;

/* Find the first row on which an event with the time x can be drawn: a row on which no event is open when x begins,
 * or on which the innermost open event ends no earlier than x.  The event is open on this row from then on.
 * TIMELINE_ROWS: there is no such row. */
static uint32_t export_events_find_nesting_row(open_ends open[TIMELINE_ROWS], ival x)
{
	for (uint32_t level = 0; level < TIMELINE_ROWS; level++) {
		while (open[level].n && open[level].v[open[level].n - 1] <= x.a)
			open[level].n--;
		if (open[level].n && open[level].v[open[level].n - 1] < x.b)
			continue;
		vec_push(&open[level], x.b);
		return level;
	}
	return TIMELINE_ROWS;
}

/* Write the GPU side of ranges.  Ranges that cross go on different rows, because the events of a row must nest. */
static void export_events_put_projected(export_events_ctx *d, uint32_t track)
{
	const timeline_track *k = &d->tl->tracks.v[track];
	const trace_ranges *r = &d->t->pushpop;
	open_ends open[TIMELINE_ROWS] = { 0 };

	for (size_t i = 0; i < k->events.n; i++) {
		uint32_t range = d->tl->spans.v[k->events.v[i]].of;
		uint32_t level = export_events_find_nesting_row(open, timeline_cut(d->tl, k, i));
		event e = export_events_begin_on_row(d, track, i, level, "projected", r->name[range]);
		chrome_int(d->j, "cpu_start_ns", r->start[range]);
		chrome_int(d->j, "cpu_end_ns", r->end[range]);
		chrome_int(d->j, "cpu_tid", d->t->threads[ranges_thread(r, range)].tid);
		export_events_end_event(d, &e);
	}
	for (int i = 0; i < TIMELINE_ROWS; i++)
		vec_free(&open[i]);
}

static void export_events_put_track(export_events_ctx *d, uint32_t track)
{
	const timeline_track *k = &d->tl->tracks.v[track];

	if (k->kind == TIMELINE_PROJECTED)
		export_events_put_projected(d, track);
	for (size_t i = 0; i < k->events.n; i++)
		switch (k->kind) {
		case TIMELINE_IDLE: export_events_put_idle(d, track, i); break;
		case TIMELINE_EXPOSED: case TIMELINE_OS: case TIMELINE_MPI: export_events_put_plain(d, track, i); break;
		case TIMELINE_MARKS: export_events_put_mark(d, k, i); break;
		default: return;
		}
}

/* ---- findings */

static void export_events_remember_processes(const export_events_ctx *d)
{
	for (size_t i = 0; i < d->t->nprocs; i++)
		if (d->pid[i] >= 0)
			vec_push(&d->ids->written, (export_process){ d->t->path, d->t->procs[i].pid, d->t->procs[i].sub,
				 d->pid[i], d->j->ahead, 0, d->tl->hull });
}

static export_process *export_events_find_process(const export_ids *ids, const marked_finding *f)
{
	for (size_t i = 0; i < ids->written.n; i++) {
		export_process *h = &ids->written.v[i];
		if (h->pid == f->pid && h->sub == f->sub && strcmp(h->path, f->trace) == 0)
			return f->at.a >= h->hull.a && f->at.a < h->hull.b ? h : NULL;
	}
	return NULL;
}

static void export_events_put_finding(const marked_finding *f, const export_process *h, chrome_json *j)
{
	j->ahead = h->ahead;
	chrome_event(j, 'i', h->in_file, h->findings, f->at.a);
	chrome_text(j, "s", "t");
	chrome_text(j, "cat", "finding");
	chrome_text(j, "name", f->title);
	chrome_args(j);
	chrome_int(j, "gpu", f->gpu);
	chrome_text(j, "severity", f->severity);
	chrome_text(j, "kind", f->kind);
	chrome_text(j, "finding", f->finding);
	if (f->recover_ns != TABLE_MISSING)
		chrome_int(j, "recover_ns", f->recover_ns);
	chrome_int(j, "end_ns", f->at.b);
	chrome_text(j, "evidence", f->evidence);
	chrome_text(j, "advice", f->advice);
	chrome_close(j);
}

void export_findings(const marked *m, export_ids *ids, chrome_json *to)
{
	for (size_t i = 0; i < m->findings.n; i++) {
		export_process *h = export_events_find_process(ids, &m->findings.v[i]);
		if (!h)
			continue;
		if (!h->findings) {
			h->findings = ROW_TID + ids->rows++;
			chrome_put_name(to, "thread_name", h->in_file, h->findings, "findings");
			chrome_put_order(to, "thread_sort_index", h->in_file, h->findings, 0);
		}
		export_events_put_finding(&m->findings.v[i], h, to);
	}
}

/* ---- counters */

/* Write the values of a counter.  Perfetto shows each value until the next one begins. */
static void export_events_put_counter(export_events_ctx *d, const timeline_counter *c)
{
	int64_t pid = export_events_pid_of(d, c->proc);
	const char *name = str_at(&d->t->names, c->name);

	name = arena_printf(&d->texts, c->bytes ? "GPU %lld %s memory" : "GPU %lld %s", (long long)c->gpu,
		name ? name : "-");
	for (size_t i = 0; i < c->at.n; i++) {
		chrome_event(d->j, 'C', pid, pid, c->since.v[i]);
		chrome_text(d->j, "name", name);
		chrome_args(d->j);
		(c->hertz ? chrome_micro : chrome_int)(d->j, c->bytes ? "bytes" : "value", c->values.v[i]);
		chrome_close(d->j);
	}
}

/* ---- the whole file */

void export_events(const timeline *tl, const export_how *how, export_ids *ids, chrome_json *to)
{
	export_events_ctx d = { .t = tl->t, .tl = tl, .how = how, .j = to, .ids = ids, .base = call_base_names(tl->t),
		.pid = mem_none(int64_t, tl->t->nprocs + 1), .tid = mem_none(int64_t, tl->t->nthreads),
		.row = mem_none(int64_t, tl->tracks.n * TIMELINE_ROWS) };

	d.category = how->categories ? mem_new(uint32_t, tl->t->names.n) : NULL;
	export_events_put_thread_tracks(&d, TIMELINE_NESTED);
	export_events_put_thread_tracks(&d, TIMELINE_STARTEND);
	for (size_t i = 0; i < tl->t->work.n; i++)
		if (tl->track[i] != NONE)
			export_events_put_work(&d, i);
	for (uint32_t k = 0; k < tl->tracks.n; k++)
		export_events_put_track(&d, k);
	for (int gpus = 1; gpus >= 0; gpus--)
		for (size_t i = 0; i < tl->counters.n; i++)
			if ((tl->counters.v[i].proc == NONE) == gpus)
				export_events_put_counter(&d, &tl->counters.v[i]);
	export_events_remember_processes(&d);
	str_free(&d.categories);
	arena_free(&d.texts);
	mem_free(d.category, d.pid, d.tid, d.row);
}
