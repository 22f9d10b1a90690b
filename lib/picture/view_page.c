#include "picture/view_page.h"
#include "picture/view_columns.h"
#include "picture/plot_colors.h"
#include "picture/work_category.h"
#include "base/glossary.h"
#include "base/gzip.h"
#include "base/number.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "timeline/lost_events.h"
#include "trace/call_class.h"

#include <inttypes.h>
#include <string.h>

struct view_page {
	view_data data;
	vec(struct { char *json; const char *path; ival hull; }) traces;        /* hull: on the trace's own clock */
	size_t events;          /* the number of events in the page */
	size_t trace_events;    /* the number of events in the traces, before any were merged */
	int64_t cell;           /* events shorter than this may be merged with their neighbours, ns; 0: no events are
				 * merged */
	bool whole_steps;       /* is there a trace in whose typical steps no events are merged? */
	bool adopt;             /* are the causes of idle time those of nsq-gaps --adopt? */
	ival hull;              /* the time of all traces, on the page's clock */
	view_progress *progress;
	bool refused;           /* view_page_add had a problem */
};

view_page *view_page_new(const rules *own, view_progress *progress)
{
	view_page *p = mem_new(view_page, 1);

	*p = (view_page){ .data = { .own = own, .paths = { .width = 2 } }, .hull = IVAL_NOWHERE,
		.progress = progress };
	return p;
}

void view_page_free(view_page *p)
{
	view_data_free(&p->data);
	for (size_t i = 0; i < p->traces.n; i++)
		free(p->traces.v[i].json);
	mem_free(p->traces.v, p);
}

/* ---- the contents of a trace, as JSON */

typedef struct {
	view_data *data;
	const timeline *tl;
	FILE *to;
	bool comma;             /* must a comma be written before the next item of the list? */
} view_page_ctx;

static void view_page_begin_list(view_page_ctx *l, const char *name)
{
	fprintf(l->to, ",\n\"%s\":[", name);
	l->comma = false;
}

static void view_page_end_list(const view_page_ctx *l)
{
	fputc(']', l->to);
}

static void view_page_begin_item(view_page_ctx *l)
{
	fputs(l->comma ? ",\n" : "\n", l->to);
	l->comma = true;
}

/* The id of a text in view_data.names, plus one; 0: the text is NULL. */
static uint32_t view_page_number_text(view_data *d, const char *s)
{
	return s ? str_id(&d->names, s, strlen(s)) + 1 : 0;
}

static uint32_t view_page_number_name(const view_page_ctx *l, uint32_t name)
{
	return view_page_number_text(l->data, str_at(&l->tl->t->names, name));
}

/* Write the parts of a trace's time that the page shows, in ns from the start of tl->hull. */
static void view_page_put_windows(const view_page_ctx *l, const ival_set *w)
{
	fputs(",\"windows\":[", l->to);
	for (size_t k = 0; k < w->n; k++)
		fprintf(l->to, "%s[%lld,%lld]", k ? "," : "", (long long)(w->v[k].a - l->tl->hull.a),
			(long long)(w->v[k].b - l->tl->hull.a));
	fputc(']', l->to);
}

static void view_page_list_processes(view_page_ctx *l)
{
	trace *t = l->tl->t;
	const bool *lost = lost_events_of(t);

	view_page_begin_list(l, "processes");
	for (size_t i = 0; i < t->nprocs; i++) {
		view_page_begin_item(l);
		fprintf(l->to, "{\"pid\":\"%s\",\"rank\":%lld,\"name\":%u,\"lost\":%d", t->procs[i].shown,
			(long long)t->procs[i].rank, view_page_number_text(l->data, t->procs[i].name), lost[i]);
		view_page_put_windows(l, &l->tl->shown->procs[i].parts);
		fputc('}', l->to);
	}
	view_page_end_list(l);
	view_page_begin_list(l, "threads");
	for (size_t i = 0; i < t->nthreads; i++) {
		view_page_begin_item(l);
		fprintf(l->to, "{\"process\":%u,\"tid\":%lld,\"name\":%u}", t->threads[i].proc,
			(long long)t->threads[i].tid, view_page_number_name(l, t->threads[i].name));
	}
	view_page_end_list(l);
}

/* Write a number, or null if the trace does not have it. */
static void view_page_put_number(FILE *to, const char *name, int64_t value)
{
	if (value == TRACE_UNKNOWN)
		fprintf(to, ",\"%s\":null", name);
	else
		fprintf(to, ",\"%s\":%lld", name, (long long)value);
}

static void view_page_list_streams(view_page_ctx *l)
{
	const trace *t = l->tl->t;

	view_page_begin_list(l, "streams");
	for (size_t i = 0; i < t->nstreams; i++) {
		view_page_begin_item(l);
		fprintf(l->to, "{\"process\":%u,\"gpu\":%lld", t->streams[i].proc, (long long)t->streams[i].gpu);
		view_page_put_number(l->to, "ctx", t->streams[i].ctx);
		view_page_put_number(l->to, "stream", t->streams[i].stream);
		fputc('}', l->to);
	}
	view_page_end_list(l);
	view_page_begin_list(l, "lanes");
	for (size_t i = 0; i < t->nlanes; i++) {
		view_page_begin_item(l);
		fprintf(l->to, "{\"process\":%u,\"gpu\":%lld", t->lanes[i].proc, (long long)t->lanes[i].gpu);
		view_page_put_windows(l, &l->tl->shown->lanes[i].parts);
		fputc('}', l->to);
	}
	view_page_end_list(l);
}

/* How many tenths of the work on a trace are done before its columns are written. */
enum { TENTHS_BEFORE_COLUMNS = 7 };

static void view_page_list_tracks(view_page_ctx *l, view_columns_writer *c, view_progress *progress)
{
	size_t done = 0;
	static const char *const kinds[] = { [TIMELINE_IDLE] = "idle", [TIMELINE_EXPOSED] = "exposed",
		[TIMELINE_PROJECTED] = "projected", [TIMELINE_WORK] = "work",
		[TIMELINE_RANGES] = "ranges", [TIMELINE_STARTEND] = "startend", [TIMELINE_CALLS] = "calls",
		[TIMELINE_MARKS] = "marks", [TIMELINE_OS] = "os", [TIMELINE_MPI] = "mpi" };

	view_page_begin_list(l, "tracks");
	for (size_t i = 0; i < l->tl->tracks.n; i++) {
		const timeline_track *track = &l->tl->tracks.v[i];
		view_page_begin_item(l);
		fprintf(l->to, "{\"kind\":\"%s\",\"process\":%u", kinds[track->kind], track->proc);
		if (track->kind <= TIMELINE_WORK)
			fprintf(l->to, ",\"lane\":%u", track->lane);
		else
			fprintf(l->to, ",\"thread\":%u", track->thread);
		if (track->kind == TIMELINE_WORK && track->stream != NONE)
			fprintf(l->to, ",\"stream\":%u", track->stream);
		else if (track->kind == TIMELINE_WORK)
			fprintf(l->to, ",\"streams\":%zu", track->streams);
		if (track->crowded)
			fprintf(l->to, ",\"crowded\":%zu", track->crowded);
		view_columns_track(c, track, l->to);
		fputc('}', l->to);
		done += track->events.n;
		if (progress)
			progress("packing", TENTHS_BEFORE_COLUMNS * l->tl->events + (10 - TENTHS_BEFORE_COLUMNS) * done,
				 10 * l->tl->events);
	}
	view_page_end_list(l);
	view_page_begin_list(l, "counters");
	for (size_t i = 0; i < l->tl->counters.n; i++) {
		const timeline_counter *counter = &l->tl->counters.v[i];
		if (!counter->at.n)
			continue;
		view_page_begin_item(l);
		fprintf(l->to, "{\"process\":%lld,\"gpu\":%lld,\"name\":%u,\"bytes\":%s,\"per\":%s",
			counter->proc == NONE ? -1LL : counter->proc, (long long)counter->gpu,
			view_page_number_name(l, counter->name), counter->bytes ? "true" : "false",
			counter->hertz ? "1e6" : "1");
		view_columns_counter(c, counter, l->to);
		fputc('}', l->to);
	}
	view_page_end_list(l);
}

/* The longest time that a page can span, ns.  A browser holds whole numbers exactly from minus twice this to twice
 * this. */
static const int64_t longest_page = (int64_t)1 << 52;

/* Can a page that spans this time hold exact times?  False after a problem. */
static bool view_page_check_span(const timeline *tl, ival hull, notes *say)
{
	uint64_t span = (uint64_t)hull.b - (uint64_t)hull.a;

	if (span > (uint64_t)longest_page)
		return notes_problem(say, EXIT_WRONG,
			"%" PRIu64 " ns do not fit a page (at most %lld); cut '%s' with a " "window: -w A..B", span,
			(long long)longest_page, tl->t->path);
	return true;
}

static bool view_page_takes_all(const window *w UNNEEDED, const void *ctx UNNEEDED)
{
	return true;
}

static char *view_page_write_trace(view_page *p, const timeline *tl, int64_t ahead)
{
	char *text = NULL;
	size_t len;
	view_page_ctx l = { .data = &p->data, .tl = tl, .to = text_open(&text, &len) };
	view_columns_writer *c = view_columns_begin(&p->data, tl);
	shown_times whole = shown_times_build(tl->all, false, view_page_takes_all, NULL);

	fprintf(l.to, "{\"path\":%u,\"start\":\"%lld\",\"length\":%lld,\"ahead\":\"%lld\"",
		view_page_number_text(&p->data, tl->t->path), (long long)ns_add(tl->hull.a, ahead),
		(long long)(tl->hull.b - tl->hull.a), (long long)ahead);
	view_page_put_windows(&l, &whole.parts);
	view_page_list_processes(&l);
	view_page_list_streams(&l);
	view_page_list_tracks(&l, c, p->progress);
	view_columns_gaps(c, l.to);
	fputs("}", l.to);
	text_close(l.to);
	view_columns_end(c);
	shown_times_free(&whole);
	return text;
}

/* Count the events and the values of counters, without merged events. */
static size_t view_page_count_single_events(const timeline *tl)
{
	size_t n = tl->kept - tl->gaps.n;

	for (size_t i = 0; i < tl->tracks.n; i++)
		for (size_t k = 0; k < tl->tracks.v[i].events.n; k++)
			n -= (tl->tracks.v[i].events.v[k] & TIMELINE_BUNDLE) != 0;
	return n;
}

void view_page_thin(view_page *p, timeline *tl, size_t most, size_t others, const ival_set *keep, notes *say)
{
	int64_t cell = timeline_thin(tl, most > p->events ? (most - p->events) / (others + 1) : 0, keep);

	if (!cell)
		return;
	p->cell = cell > p->cell ? cell : p->cell;
	p->whole_steps |= tl->whole_steps;
	notes_remark(say, "the page holds %zu of %zu events of '%s' one by one, those of at least %.1f us%s; -w A..B "
		     "shows others", view_page_count_single_events(tl), tl->events, tl->t->path, (double)cell / 1e3,
		     tl->whole_steps ? ", and those of the typical steps" : "");
}

bool view_page_add(view_page *p, const timeline *tl, int64_t ahead, notes *say)
{
	ival hull = ival_hull(p->hull, (ival){ ns_add(tl->hull.a, ahead), ns_add(tl->hull.b, ahead) });

	if (!view_page_check_span(tl, hull, say))
		return !(p->refused = true);
	vec_reserve(&p->traces, p->traces.n + 1);
	p->traces.v[p->traces.n].path = tl->t->path;
	p->traces.v[p->traces.n].hull = tl->hull;
	p->traces.v[p->traces.n++].json = view_page_write_trace(p, tl, ahead);
	p->events += tl->kept;
	p->trace_events += tl->events;
	p->adopt = tl->of.adopt;
	p->hull = hull;
	return true;
}

/* ---- colors: kernels and ranges have those of nsq-plot */

typedef struct {
	const char *light, *dark;
} shade;

/* Colors of words that are not in the glossary, far from the colors of its words. */
static const struct { const char *word; shade colors; } more_shades[] = { { "mark", { "#dd40a9", "#c695bc" } },
	{ "os", { "#344142", "#1b8f98" } }, { "counter", { "#2d694a", "#81d3b7" } },
	{ "exposed", { "#ff6600", "#f79f64" } } };

/* Choose the color of a range by its name.  Names that differ only in digits get the same color. */
static unsigned view_page_choose_color(const char *name, size_t len)
{
	char *folded = mem_new(char, len + 1);
	unsigned color;

	folded[str_fold_text(name, len, folded)] = '\0';
	plot_colors((const char *const *)&folded, 1, &color);
	free(folded);
	return color;
}

/* Write the light and the dark color as the last two items of a list, and end the list. */
static void view_page_put_color(unsigned color, FILE *to)
{
	fprintf(to, "\"%s\",\"%s\"]", plot_color_light(color), plot_color_dark(color));
}

static void view_page_put_word(const char *word, shade colors, bool first, FILE *to)
{
	fprintf(to, "%s[\"%s\",\"%s\",\"%s\"]", first ? "" : ",", word, colors.light, colors.dark);
}

/* Write the colors of a word of the glossary. */
static void view_page_put_glossary_word(const char *word, bool first, FILE *to)
{
	unsigned color;

	plot_colors(&word, 1, &color);
	view_page_put_word(word, (shade){ plot_color_light(color), plot_color_dark(color) }, first, to);
}

/* Write the colors of all words that the glossary has for a column. */
static void view_page_put_glossary_column(const char *column, FILE *to)
{
	bool first = true;

	for (const glossary_word *w = glossary_builtin; w->word; w++)
		if (strcmp(w->column, column) == 0) {
			view_page_put_glossary_word(w->word, first, to);
			first = false;
		}
}

/* Write an object with a list for each kind of thing.  "category": the categories in the page, each as [NUMBER,
 * LIGHT, DARK], where NUMBER is the id of its name plus one.  "idle" and "call": the colors in the order of enum
 * owner and of enum call_class, with their words.  "finding": the severities.  "mark", "os", "counter", "exposed"
 * and "other": one color each.  "range": all colors; the second block of data has an index into this list for each
 * name. */
static void view_page_put_colors(const view_data *d, const group *categories, FILE *to)
{
	const char **names = mem_new(const char *, categories->n);
	unsigned *color = mem_new(unsigned, categories->n);

	for (size_t i = 0; i < categories->n; i++)
		names[i] = d->names.text[categories->key[i]];
	plot_colors(names, categories->n, color);
	fputs(",\n\"colours\":{\"category\":[", to);
	for (size_t i = 0; i < categories->n; i++) {
		fprintf(to, "%s[%u,", i ? "," : "", (unsigned)categories->key[i] + 1);
		view_page_put_color(color[i], to);
	}
	fputs("],\n\"idle\":[", to);
	for (int c = OWNER_TURNAROUND; c < OWNERS; c++)
		view_page_put_glossary_word(owner_name((enum owner)c), c == OWNER_TURNAROUND, to);
	fputs("],\n\"call\":[", to);
	for (int c = 0; c <= CALL_OTHER; c++)
		view_page_put_glossary_word(call_class_name((enum call_class)c), c == 0, to);
	fputs("],\n\"finding\":[", to);
	view_page_put_glossary_column("severity", to);
	for (size_t i = 0; i < sizeof more_shades / sizeof *more_shades; i++) {
		fprintf(to, "],\n\"%s\":[", more_shades[i].word);
		view_page_put_word(more_shades[i].word, more_shades[i].colors, true, to);
	}
	fputs("],\n\"other\":[[\"other\",", to);
	view_page_put_color(PLOT_OTHER, to);
	fputs("],\n\"range\":[", to);
	for (unsigned c = 0; c < plot_colors_count(); c++) {
		fprintf(to, "%s[%u,", c ? "," : "", c);
		view_page_put_color(c, to);
	}
	fputs("]}", to);
	mem_free(names, color);
}

/* ---- the page */

/* Write the colors and the offsets of four tables, and add the tables to the bytes of the second block: for each name,
 * 1 + the id of the category of the work with this name (0: none); for each name, the color of the range with this
 * name; the paths; the names. */
static void view_page_put_tables(view_page *p, FILE *to)
{
	view_data *d = &p->data;
	group categories = { .width = 1 };

	fprintf(to, ",\n\"by\":\"%s\"", work_category_word(d->own));
	fprintf(to, ",\n\"categories\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->category.n);
	for (size_t i = 0; i < d->category.n; i++) {
		uint32_t category = d->category.v[i];
		view_data_put(d, category == NONE ? 0 : category);
		if (category && category != NONE)
			group_of(&categories, (int64_t[]){ category - 1 });
	}
	view_page_put_colors(d, &categories, to);
	group_free(&categories);
	fprintf(to, ",\n\"ranges\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->ranges.n);
	for (size_t i = 0; i < d->ranges.n; i++)
		view_data_put(d, d->ranges.v[i] ? view_page_choose_color(d->names.text[i], d->names.len[i]) : 0);
	fprintf(to, ",\n\"paths\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->paths.n);
	for (size_t i = 0; i < 2 * d->paths.n; i++)
		view_data_put(d, (uint64_t)d->paths.key[i]);
	fprintf(to, ",\n\"names\":{\"at\":%zu,\"n\":%zu}", d->bytes.n, d->names.n);
	for (size_t i = 0; i < d->names.n; i++)
		for (size_t k = 0; k <= d->names.len[i]; k++)
			vec_push(&d->bytes, (uint8_t)d->names.text[i][k]);
}

static void view_page_put_base64(const unsigned char *bytes, size_t n, FILE *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned x = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) |
			(i + 2 < n ? bytes[i + 2] : 0u);
		char four[4] = { digits[x >> 18], digits[x >> 12 & 63], i + 1 < n ? digits[x >> 6 & 63] : '=',
			i + 2 < n ? digits[x & 63] : '=' };
		fwrite(four, 1, 4, to);
	}
}

/* Write the second block of data: base64 of gzip. */
static void view_page_put_bytes(const view_data *d, FILE *to)
{
	char *packed = NULL;
	size_t n = 0;
	FILE *memory = text_open(&packed, &n), *z = gzip_begin(memory);

	fwrite(d->bytes.v, 1, d->bytes.n, z);
	fclose(z);
	text_close(memory);
	view_page_put_base64((const unsigned char *)packed, n, to);
	free(packed);
}

/* ---- marks */

/* Begin an item of a list with its trace, its process and its time, in ns from the start of the trace in the page.  sub
 * tells processes with the same pid apart (number_pid, "base/number.h").  If the page does not hold that time, write
 * nothing and return false. */
static bool view_page_begin_mark(const view_page *p, const char *path, int64_t pid, int64_t sub, ival at, FILE *to)
{
	char buf[NUMBER_PID_SIZE];
	size_t i = 0;
	int64_t start;

	while (i < p->traces.n && (strcmp(p->traces.v[i].path, path) != 0 || at.b < p->traces.v[i].hull.a ||
	       at.a >= p->traces.v[i].hull.b))
		i++;
	if (i == p->traces.n)
		return false;
	start = p->traces.v[i].hull.a;
	fprintf(to, ",\n{\"trace\":%zu,\"pid\":\"%s\",\"at\":[%lld,%lld]", i, number_pid_text(pid, sub, buf),
		(long long)(at.a - start), (long long)(at.b - start));
	return true;
}

/* The list begins with a null, so that a comma can be written before every item. */
static void view_page_put_steps(view_page *p, const marked *m, FILE *to)
{
	fputs(",\n\"steps\":[null", to);
	for (size_t i = 0; i < m->stepped.n; i++) {
		const marked_step *s = &m->stepped.v[i];
		if (view_page_begin_mark(p, s->trace, s->pid, s->sub, s->gpu, to))
			fprintf(to, ",\"number\":%lld,\"name\":%u,\"typical\":%d}", (long long)s->number,
				view_page_number_text(&p->data, s->name), s->typical);
	}
	fputc(']', to);
}

static void view_page_put_text(view_page *p, const char *key, const char *text, FILE *to)
{
	fprintf(to, ",\"%s\":%u", key, view_page_number_text(&p->data, text));
}

static void view_page_put_findings(view_page *p, const marked *m, FILE *to)
{
	fputs(",\n\"findings\":[null", to);
	for (size_t i = 0; i < m->findings.n; i++) {
		const marked_finding *f = &m->findings.v[i];
		if (!view_page_begin_mark(p, f->trace, f->pid, f->sub, f->at, to))
			continue;
		fprintf(to, ",\"gpu\":%lld,\"severity\":\"%s\"", (long long)f->gpu, f->severity);
		view_page_put_text(p, "kind", f->kind, to);
		view_page_put_text(p, "title", f->title, to);
		view_page_put_text(p, "finding", f->finding, to);
		view_page_put_text(p, "advice", f->advice, to);
		view_page_put_text(p, "evidence", f->evidence, to);
		if (f->recover_ns != TABLE_MISSING)
			fprintf(to, ",\"recover\":%lld,\"pct\":%.2f,\"per\":\"%s\"", (long long)f->recover_ns,
				f->recover_pct, f->whole ? "of the whole" : "a step on average");
		if (f->shown)
			fprintf(to, ",\"shown\":\"%s\"", f->shown);
		fputc('}', to);
	}
	fputc(']', to);
}

/* Write the steps and findings as members of a JSON object, into a text that the caller frees.  Their texts become
 * names, so call this before the names are written. */
static char *view_page_write_marks(view_page *p, const marked *m)
{
	char *text = NULL;
	size_t len;
	FILE *to = text_open(&text, &len);

	if (m) {
		view_page_put_steps(p, m, to);
		view_page_put_findings(p, m, to);
	}
	text_close(to);
	return text;
}

static void view_page_put_json(view_page *p, const char *clock, const char *marks, FILE *to)
{
	uint32_t clock_number = view_page_number_text(&p->data, clock);

	fprintf(to, "{\"version\":\"%s\",\"start\":\"%lld\",\"length\":%lld,\"clock\":%u,\"adopt\":%d",
		NSQ_VERSION, (long long)p->hull.a, (long long)(p->hull.b - p->hull.a), clock_number, p->adopt);
	if (p->cell)
		fprintf(to, ",\"cell\":%lld,\"whole\":%zu,\"zones\":%d", (long long)p->cell, p->trace_events,
			p->whole_steps);
	view_page_put_tables(p, to);
	fputs(",\n\"traces\":[", to);
	for (size_t i = 0; i < p->traces.n; i++) {
		fputs(i ? ",\n" : "\n", to);
		fputs(p->traces.v[i].json, to);
	}
	fprintf(to, "]%s}\n", marks);
}

/* The file "page" has {{NAME}} where the file of that name is inserted, {{tracks}} for the first block of data, and
 * {{bytes}} for the second. */
void view_page_write_to(view_page *p, const char *clock, const marked *m, FILE *to)
{
	const char *page = text_find_builtin(view_builtin, "page"), *insert;
	char *marks = view_page_write_marks(p, m);

	while ((insert = strstr(page, "{{"))) {
		char name[16];
		fwrite(page, 1, (size_t)(insert - page), to);
		page = insert + 2 + strcspn(insert + 2, "}") + 2;
		snprintf(name, sizeof name, "%.*s", (int)(page - insert) - 4, insert + 2);
		if (strcmp(name, "tracks") == 0)
			view_page_put_json(p, p->traces.n > 1 ? clock : NULL, marks, to);
		else if (strcmp(name, "bytes") == 0)
			view_page_put_bytes(&p->data, to);
		else
			fputs(text_find_builtin(view_builtin, name), to);
	}
	fputs(page, to);
	free(marks);
}

bool view_page_write(view_page *p, const char *clock, const marked *marks, const char *path, bool replace, notes *say)
{
	whole_file w;

	if (p->refused || !p->traces.n)
		return !p->refused;
	if (!whole_begin(&w, path, replace, say))
		return false;
	view_page_write_to(p, clock, marks, w.to);
	return whole_end(&w);
}
