#include "answer/answers.h"
#include "base/dict.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "launch/labels.h"

#define COLUMNS(X) \
	X(CLASS, "class", 't', NULL, "compute, comm (all its kernels communicate) or copy, over the whole trace") \
	X(KERNELS, "kernels", 'i', NULL, "kernels in the window") \
	X(COMM_KERNELS, "comm_kernels", 'i', NULL, "communication kernels among them") \
	X(COPIES, "copies", 'i', NULL, "memory copies and sets") \
	X(BUSY_NS, "busy_ns", 'i', "ns", "time during which the stream runs some work (union)") \
	X(BUSY_PCT, "busy_pct", 'd', "%", "busy_ns as a share of the window") \
	X(PURPOSE, "purpose", 't', NULL, "label of its communication kernels; mixed: they have different ones") \
	X(NAME, "name", 't', NULL, "its kernel with the most time")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params UNNEEDED, table *out)
{
	table_columns(out, all_columns, COL_CTX, COL_STREAM, CLASS, KERNELS, COMM_KERNELS, COPIES, BUSY_NS,
		      BUSY_PCT, PURPOSE, NAME);
	table_sort(out, COL_GPU, false);
	table_sort(out, COL_CTX, false);
	table_sort(out, COL_STREAM, false);
}

static question ask(const void *params)
{
	const streams_params *p = params;

	return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES,
		.must = MUST_CUDA, .scope = WINDOW_GPU_WORK,
		.comm = p->comm, .warn_lost = true, .replayed = REPLAYED_COMM, .captured = p->captured,
		.empty = "no stream of the processes asked about has work in these windows" };
}

enum { NOT_ASKED = UINT32_MAX - 1 };
enum { STRETCH = 1 << 15 };     /* work that one thread goes through */

typedef struct {
	int64_t kernels, comms, copies;
	int64_t busy;           /* in the window */
	int64_t start;          /* of the first, */
	int64_t until;          /* and the latest end so far */
	int64_t most;           /* the time of the name with the most, */
	uint32_t top;           /* which is this one, if it is named */
	uint32_t purpose;       /* string, STR_NONE: no label; NOT_ASKED: no communication kernel yet */
	bool mixed, seen, named;
} use;

typedef struct {                /* what was found in a stretch of the work of a window */
	trace *t;
	const window *w;
	size_t from, to;        /* the stretch */
	use *uses;              /* by stream */
	vec(uint32_t) met;      /* streams that are used */
	dict names;             /* streams and the names of their kernels, */
	vec(int64_t) times;     /* and the time of each */
	vec(uint32_t) comms;    /* communication kernels */
} found;

typedef vec(found) founds;

/* The name with the most time on each stream, from the sums by stream and name. */
static void find_tops(const trace *t, const found *s)
{
	for (size_t i = 0; i < s->names.n; i++) {
		use *u = &s->uses[s->names.value[i] >> 32];
		uint32_t name = (uint32_t)s->names.value[i];
		int64_t ns = s->times.v[i];
		if (!u->named || ns > u->most || (ns == u->most && str_cmp(&t->names, name, u->top) < 0)) {
			u->most = ns;
			u->top = name;
		}
		u->named = true;
	}
}

static void stream_row(asking *a, size_t stream, const use *u)
{
	const trace_stream *st = &a->t->streams[stream];
	table *out = a->out;

	asking_row(a);
	asking_stream(a, st);
	table_word(out, CLASS, st->class == 'c' ? "compute" : st->class == 'm' ? "comm" : "copy");
	table_ints(out, { KERNELS, u->kernels }, { COMM_KERNELS, u->comms }, { COPIES, u->copies },
		   { BUSY_NS, u->busy });
	table_pct(out, BUSY_PCT, u->busy, ival_length(&a->w->gpu));
	if (u->mixed)
		table_word(out, PURPOSE, "mixed");
	else if (u->purpose != NOT_ASKED)
		table_name(out, PURPOSE, u->purpose);
	table_name(out, NAME, u->named ? u->top : STR_NONE);
}

static inline void add_name(found *to, int64_t stream_and_name, int64_t ns)
{
	uint32_t k = dict_key(&to->names, stream_and_name);

	if (k == to->times.n)
		vec_push(&to->times, 0);
	to->times.v[k] = ns_add(to->times.v[k], ns);
}

/* Work comes in order of start, so what starts before the latest end on its stream adds only the part
 * after that. */
static void add_work(found *to, size_t i)
{
	const trace *t = to->t;
	int64_t start = t->work.start[i], end = work_end(&t->work, i);
	uint32_t stream = work_stream(&t->work, i);
	use *u = &to->uses[stream];

	if (!u->seen) {
		vec_push(&to->met, stream);
		u->start = start;
		u->seen = true;
	}
	u->busy = ns_add(u->busy, ival_within(&to->w->gpu, start > u->until ? start : u->until, end));
	u->until = end > u->until ? end : u->until;
	u->kernels += t->work.kind[i] == WORK_KERNEL;
	u->copies += t->work.kind[i] >= WORK_COPY;
	if (t->work.kind[i] <= WORK_GRAPH)
		add_name(to, (int64_t)stream << 32 | work_name(&t->work, i),
			 ival_within(&to->w->gpu, start, end));
	if (trace_is_comm_kernel(t, i))
		vec_push(&to->comms, (uint32_t)i);
}

/* Kept out of line, so that the compiler makes what is done for each piece part of the loop. */
static __attribute__((noinline)) void add_stretch(found *to, size_t from, size_t end)
{
	window_walk k = { .from = from, .to = end };

	while (window_next(to->t, to->w, &k))
		add_work(to, k.work);
}

static void look(void *ctx, size_t which)
{
	found *to = &((found *)ctx)[which];

	if (!to->uses) {
		to->uses = mem_new(use, to->t->nstreams);
		for (size_t i = 0; i < to->t->nstreams; i++)
			to->uses[i].purpose = NOT_ASKED;
	}
	add_stretch(to, to->from, to->to);
}

/* The uses are as before then, for what is found next. */
static void free_found(found *f)
{
	for (size_t i = 0; i < f->met.n; i++)
		f->uses[f->met.v[i]] = (use){ .purpose = NOT_ASKED };
	dict_free(&f->names);
	mem_free(f->times.v, f->comms.v, f->met.v);
}

/* Add the next stretch of a window to those before.  Where work of these reaches into it, it is gone through again. */
static void join(found *all, found *more)
{
	bool reached = false;

	for (size_t i = 0; i < more->met.n; i++)
		reached |= more->uses[more->met.v[i]].start < all->uses[more->met.v[i]].until;
	if (reached)
		add_stretch(all, more->from, more->to);
	for (size_t i = 0; !reached && i < more->met.n; i++) {
		use *to = &all->uses[more->met.v[i]], *from = &more->uses[more->met.v[i]];
		if (!to->seen)
			vec_push(&all->met, more->met.v[i]);
		to->kernels += from->kernels;
		to->copies += from->copies;
		to->busy = ns_add(to->busy, from->busy);
		to->until = from->until > to->until ? from->until : to->until;
		to->seen |= from->seen;
	}
	for (size_t i = 0; !reached && i < more->names.n; i++)
		add_name(all, more->names.value[i], more->times.v[i]);
	for (size_t i = 0; !reached && i < more->comms.n; i++)
		vec_push(&all->comms, more->comms.v[i]);
	free_found(more);
}

/* Cut the work of a window, lane after lane, into stretches. */
static void add_stretches(founds *to, trace *t, const window *w)
{
	size_t streams, first = trace_streams(t, w->proc, &streams), from = SIZE_MAX, last = 0, all = 0, n;

	for (window_walk k = { 0 }; window_more(t, w, &k); all += k.end - k.next) {
		from = k.next < from ? k.next : from;
		last = k.end > last ? k.end : last;
	}
	n = all / (STRETCH + 4 * (streams - first)) + 1;
	for (size_t i = 0; i < n; i++)
		vec_push(to, (found){ .t = t, .w = w, .from = from + (last - from) / n * i,
			 .to = i + 1 < n ? from + (last - from) / n * (i + 1) : last });
}

static void window_streams(asking *a, labels *l, found *all)
{
	find_tops(a->t, all);
	for (size_t i = 0; i < all->comms.n; i++) {
		use *u = &all->uses[work_stream(&a->t->work, all->comms.v[i])];
		uint32_t label = labels_of_work(l, all->comms.v[i]);
		u->mixed |= u->comms++ && label != u->purpose;
		u->purpose = label;
	}
	sort_numbers(all->met.v, all->met.n);
	for (size_t i = 0; i < all->met.n; i++)
		stream_row(a, all->met.v[i], &all->uses[all->met.v[i]]);
	free_found(all);
}

static bool rows(asking *a, const void *params)
{
	const streams_params *p = params;
	const around *n = around_of(a->t, around_what(p->adopt, p->captured));
	labels *l = labels_build(n, p->rules);
	size_t workers = par_stretches(a->t->workers);   /* so many windows are gone through before a row is written */
	founds all = { 0 };
	vec(use *) uses = { 0 };        /* by what is found at once */
	size_t at = 0;

	for (size_t i = 0; asking_window(a); i++) {
		size_t left = a->all->n - i, many = i % workers ? 0 : left < workers ? left : workers, whole;
		all.n = many ? 0 : all.n;
		for (size_t k = 0; k < many; k++)
			add_stretches(&all, a->t, &a->all->v[i + k]);
		for (size_t k = 0; many && k < all.n; k++) {
			if (k == uses.n)
				vec_push(&uses, NULL);
			all.v[k].uses = uses.v[k];
		}
		if (many)
			par_do(a->t->workers, all.n, look, all.v);
		for (size_t k = 0; many && k < all.n; k++)
			uses.v[k] = all.v[k].uses;
		whole = at = many ? 0 : at;
		while (++at < all.n && all.v[at].w == a->w)
			join(&all.v[whole], &all.v[at]);
		window_streams(a, l, &all.v[whole]);
	}
	for (size_t k = 0; k < uses.n; k++)
		free(uses.v[k]);
	vec_free(&all);
	vec_free(&uses);
	labels_free(l);
	return true;
}

const answer streams_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
