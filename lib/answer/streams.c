#include "answer/answers.h"
#include "base/dict.h"
#include "base/sort.h"
#include "launch/labels.h"
#include "trace/load_work.h"

#define COLUMNS(X) \
	X(CLASS, "class", 't', NULL, "{streams.class}, over the whole trace (nsq help words streams.class)") \
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
		.empty = "no stream has work" };
}

enum { NOT_ASKED = UINT32_MAX - 1 };

typedef struct {
	int64_t kernels, comms, copies;
	int64_t busy;           /* in the window */
	int64_t until;          /* the latest end so far */
	int64_t most;           /* the time of the name with the most, */
	uint32_t top;           /* which is this one, if it is named */
	uint32_t purpose;       /* string, STR_NONE: no label; NOT_ASKED: no communication kernel yet */
	bool mixed, seen, named;
} use;

typedef struct {                /* what was found in a window */
	asking *a;
	labels *labels;
	use *uses;              /* by stream */
	vec(uint32_t) met;      /* streams that are used */
	dict names;             /* streams and the names of their kernels, */
	vec(int64_t) times;     /* and the time of each */
} found;

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
	table_word(out, CLASS, work_stream_class(st));
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
	const trace *t = to->a->t;
	const ival_set *side = &to->a->w->gpu;
	int64_t start = t->work.start[i], end = t->work.end[i];
	uint32_t stream = t->work.stream[i];
	use *u = &to->uses[stream];

	if (!u->seen)
		vec_push(&to->met, stream);
	u->seen = true;
	u->busy = ns_add(u->busy, ival_within(side, start > u->until ? start : u->until, end));
	u->until = end > u->until ? end : u->until;
	u->kernels += t->work.kind[i] == WORK_KERNEL;
	u->copies += t->work.kind[i] >= WORK_COPY;
	if (t->work.kind[i] <= WORK_GRAPH)
		add_name(to, (int64_t)stream << 32 | work_name(&t->work, i), ival_within(side, start, end));
	if (trace_is_comm_kernel(t, i)) {
		uint32_t label = labels_of_work(to->labels, i);
		u->mixed |= u->comms++ && label != u->purpose;
		u->purpose = label;
	}
}

static void window_streams(found *f)
{
	for (window_walk k = { 0 }; window_next(f->a->t, f->a->w, &k);)
		add_work(f, k.work);
	find_tops(f->a->t, f);
	sort_numbers(f->met.v, f->met.n);
	for (size_t i = 0; i < f->met.n; i++) {
		use *u = &f->uses[f->met.v[i]];
		stream_row(f->a, f->met.v[i], u);
		*u = (use){ .purpose = NOT_ASKED };
	}
	f->met.n = f->times.n = 0;
	dict_free(&f->names);
}

static bool rows(asking *a, const void *params)
{
	const streams_params *p = params;
	const around *n = around_of(a->t, around_what(p->adopt, p->captured));
	found f = { .a = a, .labels = labels_build(n, p->rules), .uses = mem_new(use, a->t->nstreams) };

	for (size_t i = 0; i < a->t->nstreams; i++)
		f.uses[i].purpose = NOT_ASKED;
	while (asking_window(a))
		window_streams(&f);
	mem_free(f.uses, f.met.v, f.times.v);
	labels_free(f.labels);
	return true;
}

const answer streams_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
