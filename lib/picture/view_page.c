#include "picture/view_page.h"
#include "picture/view_columns.h"
#include "base/memory.h"
#include "relate/lost_events.h"

#include <string.h>

struct view_page {
	view_data data;
	vec(char *) traces;     /* JSON about each */
	view_size size;
	ival hull;
	view_progress *progress;
	bool refused;
};

view_page *view_page_new(const rules *categories, view_progress *progress)
{
	view_page *p = mem_new(view_page, 1);

	p->data.categories = categories;
	p->data.paths.width = 2;
	p->hull = IVAL_NOWHERE;
	p->progress = progress;
	return p;
}

void view_page_free(view_page *p)
{
	view_data_free(&p->data);
	for (size_t i = 0; i < p->traces.n; i++)
		free(p->traces.v[i]);
	vec_free(&p->traces);
	free(p);
}

view_size view_page_size(const view_page *p)
{
	return p->size;
}

size_t view_page_traces(const view_page *p)
{
	return p->traces.n;
}

ival view_page_wider(const view_page *p, const timeline *tl, int64_t ahead)
{
	int64_t a = ns_add(tl->hull.a, ahead), b = ns_add(tl->hull.b, ahead);

	return (ival){ a < p->hull.a ? a : p->hull.a, b > p->hull.b ? b : p->hull.b };
}

void view_page_refuse(view_page *p)
{
	p->refused = true;
}

bool view_page_refused(const view_page *p)
{
	return p->refused;
}

/* ---- what a trace has, as JSON */

typedef struct {
	view_data *data;
	const timeline *tl;
	FILE *to;
	bool comma;             /* before the next item of the list at hand */
} listing;

static void list(listing *l, const char *name)
{
	fprintf(l->to, ",\n\"%s\":[", name);
	l->comma = false;
}

static void end_list(const listing *l)
{
	fputc(']', l->to);
}

static void item(listing *l)
{
	fputs(l->comma ? ",\n" : "\n", l->to);
	l->comma = true;
}

static uint32_t own_word(const listing *l, const char *s)
{
	return s ? str_id(&l->data->names, s, strlen(s)) + 1 : 0;
}

static uint32_t name_of(const listing *l, uint32_t name)
{
	return own_word(l, str_at(&l->tl->t->names, name));
}

static void list_processes(listing *l)
{
	trace *t = l->tl->t;
	const bool *lost = lost_events_of(t);

	list(l, "processes");
	for (size_t i = 0; i < t->nprocs; i++) {
		item(l);
		fprintf(l->to, "{\"pid\":\"%s\",\"rank\":%lld,\"name\":%u,\"lost\":%d}", t->procs[i].shown, (long long)t->procs[i].rank,
			own_word(l, t->procs[i].name), lost[i]);
	}
	end_list(l);
	list(l, "threads");
	for (size_t i = 0; i < t->nthreads; i++) {
		item(l);
		fprintf(l->to, "{\"process\":%u,\"tid\":%lld,\"name\":%u}", t->threads[i].proc, (long long)t->threads[i].tid,
			name_of(l, t->threads[i].name));
	}
	end_list(l);
}

/* A number that the trace may not have. */
static void number(FILE *to, const char *name, int64_t value)
{
	if (value == TRACE_UNKNOWN)
		fprintf(to, ",\"%s\":null", name);
	else
		fprintf(to, ",\"%s\":%lld", name, (long long)value);
}

static void list_places(listing *l)
{
	const trace *t = l->tl->t;

	list(l, "streams");
	for (size_t i = 0; i < t->nstreams; i++) {
		item(l);
		fprintf(l->to, "{\"process\":%u,\"gpu\":%lld", t->streams[i].proc, (long long)t->streams[i].gpu);
		number(l->to, "ctx", t->streams[i].ctx);
		number(l->to, "stream", t->streams[i].stream);
		fputc('}', l->to);
	}
	end_list(l);
	list(l, "lanes");
	for (size_t i = 0; i < t->nlanes; i++) {
		const ival_set *w = &l->tl->shown->lanes[i].parts;
		item(l);
		fprintf(l->to, "{\"process\":%u,\"gpu\":%lld,\"windows\":[", t->lanes[i].proc, (long long)t->lanes[i].gpu);
		for (size_t k = 0; k < w->n; k++)
			fprintf(l->to, "%s[%lld,%lld]", k ? "," : "", (long long)(w->v[k].a - l->tl->hull.a),
				(long long)(w->v[k].b - l->tl->hull.a));
		fputs("]}", l->to);
	}
	end_list(l);
}

static void list_tracks(listing *l, view_columns_of *c, view_progress *progress)
{
	size_t done = 0;
	static const char *const kinds[] = { [TIMELINE_IDLE] = "idle", [TIMELINE_WORK] = "work", [TIMELINE_RANGES] = "ranges",
		[TIMELINE_STARTEND] = "startend", [TIMELINE_CALLS] = "calls", [TIMELINE_MARKS] = "marks", [TIMELINE_OS] = "os" };

	list(l, "tracks");
	for (size_t i = 0; i < l->tl->tracks.n; i++) {
		const timeline_track *k = &l->tl->tracks.v[i];
		item(l);
		fprintf(l->to, "{\"kind\":\"%s\",\"process\":%u", kinds[k->kind], k->proc);
		if (k->kind <= TIMELINE_WORK)
			fprintf(l->to, ",\"lane\":%u", k->lane);
		else
			fprintf(l->to, ",\"thread\":%u", k->thread);
		if (k->kind == TIMELINE_WORK && k->stream != NONE)
			fprintf(l->to, ",\"stream\":%u", k->stream);
		else if (k->kind == TIMELINE_WORK)
			fprintf(l->to, ",\"streams\":%zu", k->streams);
		if (k->crowded)
			fprintf(l->to, ",\"crowded\":%zu", k->crowded);
		view_columns_track(c, k, l->to);
		fputc('}', l->to);
		done += k->events.n;
		if (progress)
			progress("packing", done, l->tl->events);
	}
	end_list(l);
	list(l, "counters");
	for (size_t i = 0; i < l->tl->counters.n; i++) {
		const timeline_counter *k = &l->tl->counters.v[i];
		if (!k->at.n)
			continue;
		item(l);
		fprintf(l->to, "{\"process\":%lld,\"gpu\":%lld,\"name\":%u,\"bytes\":%s,\"per\":%s", k->proc == NONE ? -1LL : k->proc,
			(long long)k->gpu, name_of(l, k->name), k->bytes ? "true" : "false", k->hertz ? "1e6" : "1");
		view_columns_counter(c, k, l->to);
		fputc('}', l->to);
	}
	end_list(l);
}

void view_page_add(view_page *p, const timeline *tl, int64_t ahead)
{
	char *text = NULL;
	size_t len;
	listing l = { .data = &p->data, .tl = tl, .to = open_memstream(&text, &len) };
	view_columns_of *c = view_columns_begin(&p->data, tl);

	if (!l.to)
		mem_exhausted(1, BUFSIZ);
	fprintf(l.to, "{\"path\":%u,\"start\":\"%lld\",\"length\":%lld,\"ahead\":\"%lld\"", own_word(&l, tl->t->path),
		(long long)ns_add(tl->hull.a, ahead), (long long)(tl->hull.b - tl->hull.a), (long long)ahead);
	list_processes(&l);
	list_places(&l);
	list_tracks(&l, c, p->progress);
	view_columns_gaps(c, l.to);
	fputs("}", l.to);
	if (fclose(l.to) || !text)
		mem_exhausted(1, BUFSIZ);
	view_columns_end(c);
	vec_push(&p->traces, text);
	p->size.events += tl->events;
	p->size.stretches += tl->stretches;
	p->size.values += tl->values;
	p->hull = view_page_wider(p, tl, ahead);
}

/* ---- the page */

static const char *file(const char *name, size_t len)
{
	for (size_t i = 0; view_builtin[i]; i += 2)
		if (strlen(view_builtin[i]) == len && strncmp(view_builtin[i], name, len) == 0)
			return view_builtin[i + 1];
	return "";
}

static void write_events(view_page *p, const char *clock, FILE *to)
{
	uint32_t words = clock ? str_id(&p->data.names, clock, strlen(clock)) + 1 : 0;

	fprintf(to, "{\"version\":\"%s\",\"start\":\"%lld\",\"length\":%lld,\"clock\":%u", NSQ_VERSION,
		(long long)p->hull.a, (long long)(p->hull.b - p->hull.a), words);
	view_data_tables(&p->data, to);
	fputs(",\n\"traces\":[", to);
	for (size_t i = 0; i < p->traces.n; i++) {
		fputs(i ? ",\n" : "\n", to);
		fputs(p->traces.v[i], to);
	}
	fputs("]}\n", to);
}

/* The template, with {{NAME}} replaced by the file of that name or by the data. */
void view_page_write(view_page *p, const char *clock, FILE *to)
{
	const char *page = file("page", 4), *mark;

	while ((mark = strstr(page, "{{"))) {
		size_t len = strcspn(mark + 2, "}");
		fwrite(page, 1, (size_t)(mark - page), to);
		if (strncmp(mark + 2, "tracks", len) == 0)
			write_events(p, clock, to);
		else if (strncmp(mark + 2, "bytes", len) == 0)
			view_data_write(&p->data, to);
		else
			fputs(file(mark + 2, len), to);
		page = mark + 2 + len + 2;
	}
	fputs(page, to);
}
