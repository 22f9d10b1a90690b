#include "answer/streams.h"
#include "base/sums.h"
#include "relate/labels.h"

#include <string.h>

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

static void columns(const void *params, table *out)
{
	(void)params;
	table_columns(out, all_columns, COL_CTX, COL_STREAM, CLASS, KERNELS, COMM_KERNELS, COPIES, BUSY_NS,
		      BUSY_PCT, PURPOSE, NAME);
	table_sort(out, COL_GPU, false);
	table_sort(out, COL_CTX, false);
	table_sort(out, COL_STREAM, false);
}

static question ask(const void *params)
{
	const streams_params *p = params;

	return (question){ .need = TRACE_WORK | TRACE_COMM_LAUNCH | TRACE_RANGES | TRACE_CAPTURES, .must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm, .warn_lost = true, .replayed = REPLAYED_COMM, .captured = p->captured,
		.empty = "no stream of the processes asked about has work in these windows" };
}

enum { NOT_ASKED = UINT32_MAX - 1 };

typedef struct {
	int64_t kernels, comms, copies;
	int64_t busy;           /* in the window */
	int64_t until;          /* the latest end so far */
	uint32_t purpose;       /* string, STR_NONE: no label; NOT_ASKED: no communication kernel yet */
	bool mixed, seen;
} use;

typedef struct {                /* what was found in a window */
	size_t first, n;        /* the streams of its process */
	use *uses;              /* by stream, from the first */
	sums times;             /* by stream and name of the kernel: int64_t */
} found;

/* The name with the most time on each stream, from the sums by stream and name. */
static uint32_t *top_names(const trace *t, const found *s)
{
	int64_t *most = mem_new(int64_t, s->n);
	uint32_t *top = mem_new(uint32_t, s->n);
	bool *any = mem_new(bool, s->n);

	memset(top, 0xff, s->n * sizeof *top);
	for (size_t i = 0; i < s->times.g.n; i++) {
		size_t st = (size_t)sums_key(&s->times, i)[0] - s->first;
		uint32_t name = (uint32_t)sums_key(&s->times, i)[1];
		int64_t ns = *sums_at(int64_t, &s->times, i);
		if (!any[st] || ns > most[st] || (ns == most[st] && str_cmp(&t->names, name, top[st]) < 0)) {
			most[st] = ns;
			top[st] = name;
		}
		any[st] = true;
	}
	free(most);
	free(any);
	return top;
}

static void stream_row(asking *a, size_t stream, const use *u, uint32_t top)
{
	const trace_stream *st = &a->t->streams[stream];
	table *out = a->out;

	asking_row(a);
	asking_stream(a, st);
	table_word(out, CLASS, st->class == 'c' ? "compute" : st->class == 'm' ? "comm" : "copy");
	table_int(out, KERNELS, u->kernels);
	table_int(out, COMM_KERNELS, u->comms);
	table_int(out, COPIES, u->copies);
	table_int(out, BUSY_NS, u->busy);
	table_pct(out, BUSY_PCT, u->busy, ival_length(&a->w->gpu));
	if (u->mixed)
		table_word(out, PURPOSE, "mixed");
	else if (u->purpose != NOT_ASKED)
		table_name(out, PURPOSE, u->purpose);
	table_name(out, NAME, top);
}

/* Work comes in order of start, so what starts before the latest end on its stream adds only the part
 * after that. */
static void add_work(const asking *a, labels *l, found *to, size_t i)
{
	const trace *t = a->t;
	int64_t start = t->work.start[i], end = t->work.end[i];
	use *u = &to->uses[t->work.stream[i] - to->first];

	u->seen = true;
	u->busy = ns_add(u->busy, ival_within(&a->w->gpu, start > u->until ? start : u->until, end));
	u->until = end > u->until ? end : u->until;
	u->kernels += t->work.kind[i] == WORK_KERNEL;
	u->copies += t->work.kind[i] >= WORK_COPY;
	if (t->work.kind[i] <= WORK_GRAPH) {
		int64_t *ns = sums_of(&to->times, (int64_t[]){ t->work.stream[i], t->work.name[i] });
		*ns = ns_add(*ns, ival_within(&a->w->gpu, start, end));
	}
	if (trace_is_comm_kernel(t, i)) {
		uint32_t label = labels_of_work(l, i);
		u->mixed |= u->comms++ && label != u->purpose;
		u->purpose = label;
	}
}

static void window_streams(asking *a, labels *l)
{
	const trace *t = a->t;
	found all = { .times = sums_by(2, sizeof(int64_t)) };
	uint32_t *top;
	window_walk k = { 0 };

	all.first = trace_streams(t, a->w->proc, &all.n);
	all.n -= all.first;
	all.uses = mem_new(use, all.n);
	for (size_t i = 0; i < all.n; i++)
		all.uses[i].purpose = NOT_ASKED;
	while (window_next(t, a->w, &k))
		add_work(a, l, &all, k.work);
	top = top_names(t, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.uses[i].seen)
			stream_row(a, all.first + i, &all.uses[i], top[i]);
	sums_free(&all.times);
	free(all.uses);
	free(top);
}

static bool rows(asking *a, const void *params)
{
	const streams_params *p = params;
	const around *n = around_of(a->t, around_what(p->adopt, p->captured));
	labels *l = labels_build(n, p->rules);

	while (asking_window(a))
		window_streams(a, l);
	labels_free(l);
	return true;
}

const answer streams_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
