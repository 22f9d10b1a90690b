#include "answer/answers.h"
#include "base/dict.h"
#include "base/sort.h"
#include "base/sums.h"
#include "launch/depends.h"
#include "launch/held_back.h"
#include "launch/labels.h"
#include "trace/load_work.h"

#include <string.h>

#define COLUMNS(X) \
	X(CLASS, "class", 't', NULL, "class of the stream, by its work in the whole trace: {streams.class} (nsq " \
	  "help words streams.class)") \
	X(KERNELS, "kernels", 'i', NULL, "kernels in the window") \
	X(COMM_KERNELS, "comm_kernels", 'i', NULL, "communication kernels among these") \
	X(COPIES, "copies", 'i', NULL, "memory copies and sets in the window") \
	X(BUSY_NS, "busy_ns", 'i', "ns", "time during which the stream runs some work, each moment counted once") \
	X(BUSY_PCT, "busy_pct", 'd', "%", "busy_ns as a share of the window") \
	X(PURPOSE, "purpose", 't', NULL, "label of the stream's communication kernels; mixed if they have " \
	  "different ones") \
	X(BEHIND, "behind", 'i', NULL, "stream whose work was waited for") \
	X(WAITS, "waits", 'i', NULL, "kernels, copies and sets that waited") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "time for which that work was ready but had to wait") \
	X(BOTH_NS, "both_ns", 'i', "ns", "time for which both streams run work at once") \
	X(WHY, "why", 't', NULL, "reason of the wait: event, default (the legacy default stream), queue (both " \
	  "streams share one), full (no room on the GPU); - if it is not known") \
	X(NAME, "name", 't', NULL, "kernel or graph of the stream with the most time; with --why, the work that " \
	  "was waited for longest")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void streams_list_columns(const void *params, table *out)
{
	const streams_params *p = params;

	if (p->mode == STREAMS_WHY) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, BEHIND, WAITS, WAIT_NS, BOTH_NS, WHY, NAME);
		table_sort(out, WAIT_NS, true);
		return;
	}
	table_columns(out, all_columns, COL_CTX, COL_STREAM, CLASS, KERNELS, COMM_KERNELS, COPIES, BUSY_NS,
		      BUSY_PCT, PURPOSE, NAME);
	table_sort(out, COL_GPU, false);
	table_sort(out, COL_CTX, false);
	table_sort(out, COL_STREAM, false);
}

static question streams_make_question(const void *params)
{
	const streams_params *p = params;

	if (p->mode == STREAMS_WHY)
		return (question){ .need = TRACE_WORK | TRACE_SYNCS | TRACE_RESOURCES, .must = MUST_CUDA,
			.scope = WINDOW_GPU_WORK, .comm = p->comm, .warn_lost = true, .warn_clocks = true,
			.empty = "no work waits for another stream" };
	return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES,
		.must = MUST_CUDA, .scope = WINDOW_GPU_WORK,
		.comm = p->comm, .warn_lost = true, .replayed = REPLAYED_COMM, .captured = p->captured,
		.empty = "no stream has work" };
}

enum { NO_KERNEL_YET = UINT32_MAX - 1 };

typedef struct {
	int64_t kernels, comms, copies;
	int64_t busy;           /* the time in the window in which it runs any work, ns */
	int64_t until;          /* the latest end of its work so far */
	int64_t most;           /* the time of `top` in the window, ns */
	uint32_t top;           /* the name of kernels or graphs with the most time; valid if `named` is true */
	uint32_t purpose;       /* the label of its communication kernels; STR_NONE: they have none; NO_KERNEL_YET:
				 * there is no such kernel so far */
	bool mixed;             /* do its communication kernels have different labels? */
	bool seen;              /* does it have work in the window? */
	bool named;             /* does it have kernels or graphs in the window? */
} stream_use;

typedef struct {                /* the streams that are used in the current window */
	answer_ctx *a;
	labels *labels;
	stream_use *uses;       /* by stream: how it is used in the window */
	vec(uint32_t) met;      /* the streams with work in the window */
	dict names;             /* the pairs of a stream and the name of a kernel or graph on it: stream << 32 | name */
	vec(int64_t) times;     /* by pair: the time of these kernels or graphs in the window, ns */
} used_streams;

/* Set `top` of each stream: the name with the most time, from the times by stream and name. */
static void streams_find_tops(const trace *t, const used_streams *used)
{
	for (size_t i = 0; i < used->names.n; i++) {
		stream_use *u = &used->uses[used->names.value[i] >> 32];
		uint32_t name = (uint32_t)used->names.value[i];
		int64_t ns = used->times.v[i];
		if (!u->named || ns > u->most || (ns == u->most && str_cmp(&t->names, name, u->top) < 0)) {
			u->most = ns;
			u->top = name;
		}
		u->named = true;
	}
}

static void streams_add_stream_row(answer_ctx *a, size_t stream, const stream_use *u)
{
	const trace_stream *st = &a->t->streams[stream];
	table *out = a->out;

	answer_add_row(a);
	answer_set_stream(a, st);
	table_word(out, CLASS, work_stream_class(st));
	table_ints(out, { KERNELS, u->kernels }, { COMM_KERNELS, u->comms }, { COPIES, u->copies },
		   { BUSY_NS, u->busy });
	table_pct(out, BUSY_PCT, u->busy, ival_length(&a->w->gpu));
	if (u->mixed)
		table_word(out, PURPOSE, "mixed");
	else if (u->purpose != NO_KERNEL_YET)
		table_set_name(out, PURPOSE, u->purpose);
	table_set_name(out, NAME, u->named ? u->top : STR_NONE);
}

static inline void streams_add_time_of_name(used_streams *used, int64_t stream_and_name, int64_t ns)
{
	uint32_t k = dict_key(&used->names, stream_and_name);

	if (k == used->times.n)
		vec_push(&used->times, 0);
	used->times.v[k] = ns_add(used->times.v[k], ns);
}

/* Add a piece of work to its stream.  Pieces are added in order of start, so busy time grows only by the part of the
 * piece after `until`. */
static void streams_add_work(used_streams *used, size_t i)
{
	const trace *t = used->a->t;
	const ival_set *side = &used->a->w->gpu;
	int64_t start = t->work.start[i], end = t->work.end[i];
	uint32_t stream = t->work.stream[i];
	stream_use *u = &used->uses[stream];

	if (!u->seen)
		vec_push(&used->met, stream);
	u->seen = true;
	u->busy = ns_add(u->busy, ival_within(side, start > u->until ? start : u->until, end));
	u->until = end > u->until ? end : u->until;
	u->kernels += t->work.kind[i] == WORK_KERNEL;
	u->copies += t->work.kind[i] >= WORK_COPY;
	if (t->work.kind[i] <= WORK_GRAPH)
		streams_add_time_of_name(used, (int64_t)stream << 32 | work_name(&t->work, i),
					 ival_within(side, start, end));
	if (trace_is_comm_kernel(t, i)) {
		uint32_t label = labels_of_work(used->labels, i);
		u->mixed |= u->comms++ && label != u->purpose;
		u->purpose = label;
	}
}

static void streams_add_window_rows(used_streams *used)
{
	for (window_walk k = { 0 }; window_next(used->a->t, used->a->w, &k);)
		streams_add_work(used, k.work);
	streams_find_tops(used->a->t, used);
	sort_numbers(used->met.v, used->met.n);
	for (size_t i = 0; i < used->met.n; i++) {
		stream_use *u = &used->uses[used->met.v[i]];
		streams_add_stream_row(used->a, used->met.v[i], u);
		*u = (stream_use){ .purpose = NO_KERNEL_YET };
	}
	used->met.n = used->times.n = 0;
	dict_free(&used->names);
}

/* ---- streams that wait for others */

typedef struct {
	int64_t waits, ns;      /* the number of the waits, and their time in the window */
	int64_t longest;        /* the time of the longest wait in the window, ns */
	uint32_t name;          /* the name of the work for which the longest wait was */
} wait_sum;

enum { KEY_STREAM, KEY_BEHIND, KEY_WHY, KEYS };

/* For each pair of streams of a process and GPU, sum the time in the window in which both run work.  Work comes in
 * order of start.  So from the start of a piece on, another stream is busy until the latest end of its work so far. */
static void streams_sum_shared_time(const answer_ctx *a, sums *both)
{
	const trace *t = a->t;
	int64_t *reach = mem_new(int64_t, t->nstreams);         /* by stream: the latest end of its work so far */

	for (size_t i = 0; i < t->nstreams; i++)
		reach[i] = INT64_MIN;

	for (window_walk k = { 0 }; window_next(t, a->w, &k);) {
		uint32_t own = t->work.stream[k.work];
		int64_t from = ns_max(t->work.start[k.work], reach[own]), end = t->work.end[k.work];
		size_t streams_end, s = trace_find_streams(t, t->streams[own].proc, &streams_end);
		for (; s < streams_end; s++) {
			int64_t until = ns_min(reach[s], end);
			if (s == own || t->streams[s].gpu != t->streams[own].gpu || until <= from)
				continue;
			*(int64_t *)sums_of(both, (int64_t[]){ ns_min((int64_t)s, own), ns_max((int64_t)s, own) }) +=
				ival_within(&a->w->gpu, from, until);
		}
		reach[own] = ns_max(reach[own], end);
	}
	free(reach);
}

static void streams_add_wait(const answer_ctx *a, const held_back_wait *h, sums *waits)
{
	const trace *t = a->t;
	uint32_t stream = t->work.stream[h->work];
	int64_t ns = ival_within(&a->w->gpu, h->from, h->until);
	wait_sum *to;

	if ((a->w->proc != NONE && a->w->proc != t->streams[stream].proc) || ns <= 0 ||
	    (a->w->device >= 0 && a->w->device != t->streams[stream].gpu))
		return;
	to = sums_of(waits, (int64_t[]){ [KEY_STREAM] = stream, [KEY_BEHIND] = t->work.stream[h->behind],
		[KEY_WHY] = h->why });
	to->waits++;
	to->ns = ns_add(to->ns, ns);
	if (ns > to->longest) {
		to->longest = ns;
		to->name = work_name(&t->work, h->behind);
	}
}

static void streams_add_wait_rows(answer_ctx *a, const held_back *held)
{
	sums waits = sums_by(KEYS, sizeof(wait_sum)), both = sums_by(2, sizeof(int64_t));
	table *out = a->out;

	for (size_t i = 0; i < held->n; i++)
		streams_add_wait(a, &held->v[i], &waits);
	if (waits.g.n)
		streams_sum_shared_time(a, &both);
	for (size_t i = 0; i < waits.g.n; i++) {
		const int64_t *key = sums_key(&waits, i);
		int64_t stream = key[KEY_STREAM], behind = key[KEY_BEHIND];
		const wait_sum *s = sums_at(wait_sum, &waits, i);
		size_t pair = group_find(&both.g, (int64_t[]){ ns_min(stream, behind), ns_max(stream, behind) });
		answer_add_row_of(a, a->t->streams[stream].proc);
		answer_set_stream(a, &a->t->streams[stream]);
		table_ints(out, { BEHIND, a->t->streams[behind].stream }, { WAITS, s->waits }, { WAIT_NS, s->ns },
			   { BOTH_NS, pair == GROUP_NONE ? 0 : *sums_at(int64_t, &both, pair) });
		table_word(out, WHY, held_back_name((enum held_back_why)key[KEY_WHY]));
		table_set_name(out, NAME, s->name);
	}
	sums_free(&waits);
	sums_free(&both);
}

static bool streams_add_why_rows(answer_ctx *a)
{
	held_back *held = held_back_build(a->t);

	while (held && answer_next_window(a))
		streams_add_wait_rows(a, held);
	if (!held)
		return false;
	wait_counts_warn(depends_counts(depends_of(a->t)), a->say);
	held_back_free(held);
	return true;
}

static bool streams_add_stream_rows(answer_ctx *a, const streams_params *p)
{
	const around *ranges = around_of(a->t, around_flags(p->adopt, p->captured));
	used_streams used = { .a = a, .labels = labels_build(ranges, p->rules),
		.uses = mem_new(stream_use, a->t->nstreams) };

	for (size_t i = 0; i < a->t->nstreams; i++)
		used.uses[i].purpose = NO_KERNEL_YET;
	while (answer_next_window(a))
		streams_add_window_rows(&used);
	mem_free(used.uses, used.met.v, used.times.v);
	labels_free(used.labels);
	return true;
}

static bool streams_add_rows(answer_ctx *a, const void *params)
{
	const streams_params *p = params;

	return p->mode == STREAMS_WHY ? streams_add_why_rows(a) : streams_add_stream_rows(a, p);
}

const answer streams_answer = {
	.all = all_columns, .columns = streams_list_columns, .question = streams_make_question, .rows = streams_add_rows
};
