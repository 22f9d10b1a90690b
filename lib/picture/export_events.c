#include "picture/export_events.h"
#include "trace/call_class.h"
#include "trace/load_work.h"

enum {
	PIDS = 1 << 24,         /* pids and tids are below this: where one is taken, the next process is this much higher */
	GPUS_PID = 1 << 23,     /* for what belongs to GPUs: no system gives a process so high a number */
	TRACK_TID = 1 << 30,    /* tracks of GPUs are numbered from here */
	THREADS_SORT = 1 << 24, /* threads stand below the tracks of GPUs */
	OFTEN = 1 << 16         /* events between two calls of progress */
};

void export_ids_free(export_ids *ids)
{
	dict_free(&ids->pids);
	dict_free(&ids->tids);
}

void export_drawing_free(export_drawing *d)
{
	memory_events_free(&d->memory);
	vec_free(&d->numbers);
	arena_free(&d->texts);
	free(d->pid);
	free(d->tid);
	free(d->base);
}

static int64_t take_id(dict *taken, int64_t want)
{
	while (dict_find(taken, want) != DICT_NONE)
		want += PIDS;
	dict_key(taken, want);
	return want;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int64_t export_pid(export_drawing *d, uint32_t proc)
{
	const trace_proc *p = proc == NONE ? NULL : &d->t->procs[proc];
	size_t at = p ? proc : d->t->nprocs;
	const char *name, *file = file_name(d->t->path);

	if (d->pid[at] >= 0)
		return d->pid[at];
	d->pid[at] = take_id(&d->ids->pids, p ? p->pid : GPUS_PID);
	if (!p)
		name = arena_printf(&d->texts, "GPUs of %s", file);
	else if (p->rank >= 0)
		name = arena_printf(&d->texts, "rank %lld: %s (pid %s of %s)", (long long)p->rank, p->name ? p->name : "process",
				    p->shown, file);
	else
		name = arena_printf(&d->texts, "%s (pid %s of %s)", p->name ? p->name : "process", p->shown, file);
	chrome_name(d->j, "process_name", d->pid[at], d->pid[at], name);
	chrome_sort(d->j, "process_sort_index", d->pid[at], d->pid[at], d->ids->processes++);
	return d->pid[at];
}

static int64_t thread_id(export_drawing *d, uint32_t thread)
{
	const trace_thread *th = &d->t->threads[thread];
	int64_t pid = export_pid(d, th->proc), main_tid = d->t->procs[th->proc].pid;
	const char *name = str_at(&d->t->names, th->name);

	if (d->tid[thread] >= 0)
		return d->tid[thread];
	d->tid[thread] = take_id(&d->ids->tids, th->tid + (pid - main_tid));
	chrome_name(d->j, "thread_name", pid, d->tid[thread], arena_printf(&d->texts, "%s %lld", name ? name : "thread",
		    (long long)th->tid));
	chrome_sort(d->j, "thread_sort_index", pid, d->tid[thread], THREADS_SORT + (th->tid == main_tid ? 0 : thread + 1));
	return d->tid[thread];
}

static const char *track_name(export_drawing *d, const track *k)
{
	const trace_stream *st = k->stream == NONE ? NULL : &d->t->streams[k->stream];
	const char *name = arena_printf(&d->texts, "GPU %lld", (long long)d->t->lanes[k->lane].gpu);

	if (!st)
		return arena_printf(&d->texts, "%s other streams %u", name, k->number + 1);
	if (st->ctx != TRACE_UNKNOWN)
		name = arena_printf(&d->texts, "%s context %lld", name, (long long)st->ctx);
	if (st->stream != TRACE_UNKNOWN)
		name = arena_printf(&d->texts, "%s stream %lld", name, (long long)st->stream);
	name = arena_printf(&d->texts, "%s %s", name, st->class == 'c' ? "compute" : st->class == 'm' ? "comm" : "copy");
	return k->number ? arena_printf(&d->texts, "%s (%u)", name, k->number + 1) : name;
}

static void name_tracks(export_drawing *d)
{
	const tracks *all = d->p->tracks;

	d->first_track = TRACK_TID + d->ids->tracks;
	d->ids->tracks += (int64_t)all->n;
	for (size_t i = 0; i < all->n; i++) {
		const track *k = &all->v[i];
		int64_t pid = export_pid(d, d->t->lanes[k->lane].proc), tid = d->first_track + (int64_t)i;
		int64_t stream = k->stream == NONE ? (int64_t)d->t->nstreams : k->stream;
		chrome_name(d->j, "thread_name", pid, tid, track_name(d, k));
		chrome_sort(d->j, "thread_sort_index", pid, tid, stream * TRACKS_WIDE + k->number);
	}
}

/* ---- events */

typedef struct {
	uint32_t proc;
	int64_t tid;
	const char *cat, *name;
	ival whole, part;
	bool crosses;
} event;

/* Begin an event, which args and end_event follow. */
static void begin_event(export_drawing *d, const event *e)
{
	int64_t pid = export_pid(d, e->proc);

	if (d->progress && d->j->events % OFTEN < 2)
		d->progress(d->ctx);
	chrome_event(d->j, e->crosses ? 'b' : 'X', pid, e->tid, e->part.a);
	if (e->crosses)
		chrome_int(d->j, "id", d->ids->crossing);
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

static void end_event(export_drawing *d, const event *e)
{
	chrome_close(d->j);
	if (!e->crosses)
		return;
	chrome_event(d->j, 'e', export_pid(d, e->proc), e->tid, e->part.b);
	chrome_int(d->j, "id", d->ids->crossing++);
	chrome_text(d->j, "cat", e->cat);
	chrome_text(d->j, "name", e->name ? e->name : "-");
	chrome_close(d->j);
}

static void put_range(export_drawing *d, const trace_ranges *r, size_t i, ival part, bool crosses)
{
	const trace *t = d->t;
	event e = { t->threads[r->thread[i]].proc, thread_id(d, r->thread[i]), "range", str_at(&t->names, r->name[i]),
		{ r->start[i], r->end[i] }, part, crosses };

	begin_event(d, &e);
	if (r->domain[i] != NONE)
		chrome_text(d->j, "domain", str_at(&t->names, t->domains[r->domain[i]].name));
	end_event(d, &e);
}

static void put_call(export_drawing *d, const slice *s)
{
	const trace_calls *c = &d->t->calls;
	uint32_t name = c->name[s->at] == STR_NONE ? STR_NONE : d->base[c->name[s->at]];
	event e = { d->t->threads[c->thread[s->at]].proc, thread_id(d, c->thread[s->at]), "call", str_at(&d->t->names, name),
		{ c->start[s->at], c->end[s->at] }, s->part, s->crosses };

	begin_event(d, &e);
	chrome_text(d->j, "class", call_class_name(c->class[s->at]));
	end_event(d, &e);
}

static void put_threads(export_drawing *d)
{
	const trace_ranges *r = &d->t->startend;

	for (uint32_t i = 0; i < d->t->nthreads; i++)
		for (slice s = slices_of(d->p->slices, i); slices_next(d->p->slices, &s);)
			if (s.call)
				put_call(d, &s);
			else
				put_range(d, &d->t->pushpop, s.at, s.part, s.crosses);
	for (size_t i = 0; i < r->n; i++) {
		const shown_side *side = &d->p->shown->procs[d->t->threads[r->thread[i]].proc];
		if (side->parts.n && shown_has(side, r->start[i], r->end[i]))
			put_range(d, r, i, window_clip(&side->parts, r->start[i], r->end[i]), true);
	}
}

/* ---- work */

static void put_shape(export_drawing *d, size_t i)
{
	const trace_work *w = &d->t->work;

	if (w->kind[i] == WORK_KERNEL) {
		if (d->categories)
			chrome_text(d->j, "category", str_at(&d->t->names, labels_of_name(d->categories, w->full[i])));
		chrome_text(d->j, "grid", str_at(&d->t->names, w->grid[i]));
		chrome_text(d->j, "block", str_at(&d->t->names, w->block[i]));
	}
	if (w->kind[i] < WORK_COPY)
		return;
	if (w->bytes[i] >= 0)
		chrome_int(d->j, "bytes", w->bytes[i]);
	if (w->kind[i] == WORK_COPY)
		chrome_text(d->j, "src", work_mem_kind(w->src_kind[i]));
	chrome_text(d->j, "dst", work_mem_kind(w->dst_kind[i]));
}

static void put_args(export_drawing *d, size_t i)
{
	const trace *t = d->t;
	const trace_stream *st = &t->streams[t->work.stream[i]];
	uint32_t call = t->work.launch[i];

	chrome_int(d->j, "gpu", st->gpu);
	if (st->ctx != TRACE_UNKNOWN)
		chrome_int(d->j, "ctx", st->ctx);
	if (st->stream != TRACE_UNKNOWN)
		chrome_int(d->j, "stream", st->stream);
	if (trace_id(&t->work.corr, i))
		chrome_int(d->j, "correlation", trace_id(&t->work.corr, i));
	if (call != NONE)
		chrome_int(d->j, "launch_ns", t->calls.start[call]);
	chrome_text(d->j, "nvtx", str_at(&t->names, around_name(d->p->around, i)));
	put_shape(d, i);
}

static void put_arrow(export_drawing *d, const event *work, uint32_t call, ival at)
{
	for (int end = 0; end < 2; end++) {
		int64_t tid = end ? work->tid : thread_id(d, d->t->calls.thread[call]);
		chrome_event(d->j, end ? 'f' : 's', export_pid(d, work->proc), tid, end ? at.b : at.a);
		chrome_int(d->j, "id", d->ids->arrows);
		if (end)
			chrome_text(d->j, "bp", "e");
		chrome_text(d->j, "cat", "launch");
		chrome_text(d->j, "name", "launch");
		chrome_close(d->j);
	}
	d->ids->arrows++;
}

static void put_work(export_drawing *d, size_t lane, size_t i)
{
	const trace *t = d->t;
	uint32_t on = d->p->tracks->of[i];
	event e = { t->lanes[lane].proc, 0, work_class(t, i), str_at(&t->names, t->work.name[i]), { t->work.start[i], t->work.end[i] },
		scene_work(d->p, lane, i), on == TRACKS_CROSSES };
	ival arrow;

	e.tid = e.crosses ? export_pid(d, e.proc) : d->first_track + on;
	begin_event(d, &e);
	put_args(d, i);
	end_event(d, &e);
	if (scene_arrow(d->p, i, &arrow))
		put_arrow(d, &e, t->work.launch[i], arrow);
}

void export_events(export_drawing *d)
{
	const trace *t = d->t;

	d->pid = mem_new(int64_t, t->nprocs + 1);
	d->tid = mem_new(int64_t, t->nthreads);
	memset(d->pid, 0xff, (t->nprocs + 1) * sizeof *d->pid);
	memset(d->tid, 0xff, t->nthreads * sizeof *d->tid);
	d->base = call_base_names(d->t);
	put_threads(d);
	name_tracks(d);
	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			if (d->p->tracks->of[i] != NONE)
				put_work(d, l, i);
}
