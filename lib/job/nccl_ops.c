#include "job/nccl_ops.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/text.h"
#include "timeline/comm_work.h"
#include "launch/ranges_around.h"
#include "trace/payloads.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

typedef struct {                /* a stretch of time on a thread; the kernels launched in it belong to one operation */
	uint32_t thread;
	int64_t start, end;
	size_t first, n;        /* the ranges that the operation consists of, in `members` of the context */
	uint32_t op;            /* the operation; NONE: it has no kernel yet */
} span;

enum range_role { UNREAD, GROUP_START, GROUP_END, OPERATION, OTHER };

typedef struct {                /* what a string says, kept because many ranges and kernels share a name */
	enum range_role role;   /* what it means as the name of a range; a leading "nccl" is ignored */
	uint32_t lower;         /* 1 + the string of that name, without "nccl", in lower case; 0: not made yet */
	uint32_t operation;     /* 1 + the string of the operation that it names as a kernel; 0: not looked for yet, or
				 * it names none */
} name_facts;

typedef struct {
	trace *t;
	name_facts *facts;      /* by string */
	vec(span) spans;        /* sorted by thread and start, disjoint */
	size_t *first;          /* by thread: its first span; the last entry is the number of spans */
	vec(size_t) members;    /* indices of push/pop ranges */
	nccl_ops *out;
	vec(size_t) lead;       /* by operation: the work of its first kernel */
	arena texts;
} nccl_ops_ctx;

typedef struct {                /* state on the current thread */
	uint32_t thread;
	int depth;              /* number of calls of ncclGroupStart that are not ended yet */
	size_t first;           /* the index in `members` of the first range of the open group */
	int64_t end;            /* end of the last span */
} nccl_ops_position;

/* The name of an operation as NCCL writes it, without nccl. */
static const char *nccl_ops_short_name(const char *name)
{
	return strncasecmp(name, "nccl", 4) == 0 ? name + 4 : name;
}

static enum range_role nccl_ops_classify_range_name(const char *name)
{
	return strcasecmp(name, "GroupStart") == 0 ? GROUP_START : strcasecmp(name, "GroupEnd") == 0 ? GROUP_END :
		text_is_listed_word(name, strlen(name), "allreduce allgather reducescatter alltoall broadcast bcast "
				    "reduce gather scatter send recv") ? OPERATION : OTHER;
}

static enum range_role nccl_ops_role_of_range(const nccl_ops_ctx *f, size_t range)
{
	uint32_t name = f->t->pushpop.name[range];
	name_facts *m = name == STR_NONE ? NULL : &f->facts[name];

	if (m && m->role == UNREAD)
		m->role = nccl_ops_classify_range_name(nccl_ops_short_name(str_at(&f->t->names, name)));
	return m ? m->role : OTHER;
}

/* The string of a text, in lower case. */
static uint32_t nccl_ops_make_lower_text(const nccl_ops_ctx *f, const char *text, size_t len)
{
	arena room = { 0 };
	char *s = arena_text(&room, text, len);
	uint32_t id;

	for (char *c = s; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	id = str_id(&f->t->names, s, len);
	arena_free(&room);
	return id;
}

/* The name of a range, in lower case. */
static uint32_t nccl_ops_lower_name(const nccl_ops_ctx *f, size_t range)
{
	uint32_t name = f->t->pushpop.name[range];
	const char *text = name == STR_NONE ? "" : nccl_ops_short_name(str_at(&f->t->names, name));

	if (name == STR_NONE)
		return nccl_ops_make_lower_text(f, text, 0);
	if (!f->facts[name].lower)
		f->facts[name].lower = nccl_ops_make_lower_text(f, text, strlen(text)) + 1;
	return f->facts[name].lower - 1;
}

static void nccl_ops_add_span(nccl_ops_ctx *f, nccl_ops_position *at, size_t range, size_t first)
{
	const trace_ranges *r = &f->t->pushpop;

	vec_push(&f->spans, (span){ ranges_thread(r, range), r->start[range], r->end[range], first,
		 f->members.n - first, NONE });
	at->end = r->end[range];
}

/* Handles the next NCCL range of a thread, in order of start.  It creates a communicator, starts or ends a group, or
 * belongs to an operation; other ranges are skipped. */
static void nccl_ops_handle_range(nccl_ops_ctx *f, nccl_ops_position *at, size_t range)
{
	const trace_payload *p = payloads_find(f->t, range);
	bool inner = f->t->pushpop.start[range] < at->end;
	enum range_role role = nccl_ops_role_of_range(f, range);

	if (p && p->size != TRACE_UNKNOWN) {
		vec_push(&f->out->creations, (nccl_creation){ f->t->threads[p->thread].proc, p->comm, p->size,
			 p->rank });
	} else if (inner) {
		return;
	} else if (role == GROUP_START) {
		if (at->depth++ == 0)
			at->first = f->members.n;
	} else if (role == GROUP_END) {
		if (at->depth > 0 && --at->depth == 0 && f->members.n > at->first)
			nccl_ops_add_span(f, at, range, at->first);
	} else if (p || role == OPERATION) {
		vec_push(&f->members, range);
		if (at->depth == 0)
			nccl_ops_add_span(f, at, range, f->members.n - 1);
	}
}

static void nccl_ops_find_spans(nccl_ops_ctx *f)
{
	const trace_ranges *r = &f->t->pushpop;
	nccl_ops_position at = { .thread = NONE };

	for (size_t i = 0; i < r->n; i++) {
		if (!f->t->domains[ranges_domain(r, i)].nccl)
			continue;
		if (ranges_thread(r, i) != at.thread)
			at = (nccl_ops_position){ .thread = ranges_thread(r, i), .end = INT64_MIN };
		nccl_ops_handle_range(f, &at, i);
	}
}

/* Finds the first span of each thread. */
static void nccl_ops_index_spans(nccl_ops_ctx *f)
{
	f->first = mem_new(size_t, f->t->nthreads + 1);
	for (size_t i = 0; i < f->t->nthreads; i++)
		search_first(f->first[i + 1], f->first[i], f->spans.n, f->spans.v[f->first[i + 1]].thread > i);
}

/* Finds the span in which each kernel was launched.  nccl_kernel.op is the index of this span until the operations are
 * made. */
static void nccl_ops_find_launches(const nccl_ops_ctx *f)
{
	const span *all = f->spans.v;
	size_t *from = mem_new(size_t, f->t->nthreads);         /* by thread: where the search for its last launch
								 * ended */

	for (size_t k = 0; k < f->out->kernels.n; k++) {
		uint32_t call = f->t->work.launch[f->out->kernels.v[k].work], thread;
		int64_t moment;
		size_t i;
		if (call == NONE)
			continue;
		thread = calls_thread(&f->t->calls, call);
		moment = f->t->calls.start[call];
		search_near(i, from[thread], f->first[thread], f->first[thread + 1], all[i].start > moment);
		if (i > f->first[thread] && all[i - 1].end > moment)
			f->out->kernels.v[k].op = (uint32_t)i - 1;
		from[thread] = i;
	}
	free(from);
}

typedef struct {                /* what the ranges of an operation add up to; sizes in bytes */
	int64_t other, sent, received;
	bool unknown;           /* does a range not say its size? */
	uint32_t name;          /* string: the distinct names, joined by + */
	bool send, receive, collective;
} op_totals;

static void nccl_ops_add_name(nccl_ops_ctx *f, op_totals *p, uint32_t name)
{
	const char *text = str_at(&f->t->names, name);
	size_t len = strlen(text);

	if (p->name == STR_NONE || p->name == name) {
		p->name = name;
		return;
	}
	for (const char *s = str_at(&f->t->names, p->name); s; s = strchr(s, '+') ? strchr(s, '+') + 1 : NULL)
		if (strncmp(s, text, len) == 0 && (s[len] == 0 || s[len] == '+'))
			return;
	text = arena_printf(&f->texts, "%s+%s", str_at(&f->t->names, p->name), text);
	p->name = str_id(&f->t->names, text, strlen(text));
}

static void nccl_ops_add_comm(nccl_ops_ctx *f, nccl_op *op, const trace_payload *p)
{
	for (size_t i = 0; p && i < op->ncomms; i++)
		if (f->out->comms.v[op->first_comm + i] == p->comm)
			return;
	if (p) {
		vec_push(&f->out->comms, p->comm);
		op->ncomms++;
	}
}

static void nccl_ops_add_member(nccl_ops_ctx *f, nccl_op *op, op_totals *sum, size_t range)
{
	const trace_payload *p = payloads_find(f->t, range);
	int64_t bytes = p && p->bytes >= 0 ? p->bytes : TRACE_UNKNOWN;
	uint32_t string = nccl_ops_lower_name(f, range);
	const char *name = str_at(&f->t->names, string);
	bool send = strcmp(name, "send") == 0, receive = strcmp(name, "recv") == 0;
	int64_t *to = send ? &sum->sent : receive ? &sum->received : &sum->other;

	nccl_ops_add_name(f, sum, string);
	nccl_ops_add_comm(f, op, p);
	sum->unknown |= bytes == TRACE_UNKNOWN;
	*to = ns_add(*to, bytes == TRACE_UNKNOWN ? 0 : bytes);
	sum->send |= send;
	sum->receive |= receive;
	sum->collective |= !send && !receive;
	if (!p)
		op->comms = NCCL_UNKNOWN;
	if (send || receive) {
		vec_push(&f->out->messages, (nccl_message){ send, p ? p->peer : TRACE_UNKNOWN, bytes });
		op->nmessages++;
	}
}

static void nccl_ops_build_from_span(nccl_ops_ctx *f, const span *s, nccl_op *op)
{
	op_totals sum = { .name = STR_NONE };

	*op = (nccl_op){ .proc = f->t->threads[s->thread].proc, .comms = NCCL_ONE, .place = STR_NONE,
		.first_comm = (uint32_t)f->out->comms.n, .first_message = (uint32_t)f->out->messages.n };
	for (size_t i = 0; i < s->n; i++)
		nccl_ops_add_member(f, op, &sum, f->members.v[s->first + i]);
	if (op->comms == NCCL_ONE && op->ncomms > 1)
		op->comms = NCCL_MIXED;
	op->messages_only = !sum.collective;
	op->name = sum.name;
	if (sum.send && sum.receive && !sum.collective)
		op->name = str_id(&f->t->names, "sendrecv", strlen("sendrecv"));
	op->bytes = sum.unknown ? TRACE_UNKNOWN : ns_add(sum.other, sum.sent > sum.received ? sum.sent : sum.received);
}

/* The operation that a kernel's name tells: ncclDevKernel_AllReduce_Sum_f32_TREE_LL is an allreduce. */
static uint32_t nccl_ops_read_kernel_name(const nccl_ops_ctx *f, uint32_t kernel)
{
	name_facts *m = &f->facts[kernel];
	const char *text = str_at(&f->t->names, kernel), *from = m->operation ? NULL : strcasestr(text, "kernel_");

	if (from && strncasecmp(text, "nccl", 4) == 0) {
		from += strlen("kernel_");
		m->operation = nccl_ops_make_lower_text(f, from, (size_t)(strchrnul(from, '_') - from)) + 1;
	}
	return m->operation - 1;        /* no operation: 0 - 1 is STR_NONE */
}

static nccl_op nccl_ops_build_from_kernel(const nccl_ops_ctx *f, size_t work)
{
	uint32_t name = nccl_ops_read_kernel_name(f, work_name(&f->t->work, work));

	return (nccl_op){ .proc = f->t->streams[f->t->work.stream[work]].proc, .name = name, .place = STR_NONE,
		.bytes = TRACE_UNKNOWN,
		.messages_only = name != STR_NONE && strcmp(str_at(&f->t->names, name), "sendrecv") == 0 };
}

/* The operation of a kernel: that of its span or, if it has no span (s is NULL), one of its own.  An operation is made
 * when its first kernel is met. */
static uint32_t nccl_ops_find_op(nccl_ops_ctx *f, size_t work, span *s)
{
	nccl_op *op;

	if (s && s->op != NONE)
		return s->op;
	op = &f->out->v[f->out->n];     /* there is room for one operation per kernel */
	if (s) {
		nccl_ops_build_from_span(f, s, op);
		s->op = (uint32_t)f->out->n;
	} else {
		*op = nccl_ops_build_from_kernel(f, work);
	}
	vec_push(&f->lead, work);
	return (uint32_t)f->out->n++;
}

static int nccl_ops_compare_launches(uint32_t a, uint32_t b, const void *ctx)
{
	const nccl_ops_ctx *f = ctx;
	size_t x = f->out->kernels.v[a].work, y = f->out->kernels.v[b].work;
	int64_t p = trace_launch_time(f->t, x), q = trace_launch_time(f->t, y);
	int64_t s = f->t->work.start[x], e = f->t->work.start[y];

	return p != q ? sort_3way(p, q) : s != e ? sort_3way(s, e) : sort_3way(x, y);
}

static void nccl_ops_list_kernels(nccl_ops_ctx *f)
{
	const comm_work *c = comm_work_of(f->t);
	uint32_t *order = mem_new(uint32_t, c->n);
	int64_t *launched = mem_new(int64_t, c->n);

	vec_reserve(&f->out->kernels, c->n);
	vec_reserve(f->out, c->n);
	for (size_t l = 0; l < f->t->nlanes; l++)
		for (size_t i = c->first[l]; i < c->first[l + 1]; i++)
			if (trace_is_comm_kernel(f->t, c->work[i]))
				vec_push(&f->out->kernels, (nccl_kernel){ NONE, false, c->work[i],
					 (uint32_t)l, (uint32_t)i });
	for (size_t i = 0; i < f->out->kernels.n; i++) {
		order[i] = (uint32_t)i;
		launched[i] = trace_launch_time(f->t, f->out->kernels.v[i].work);
	}
	sort_items_by(order, f->out->kernels.n, launched, nccl_ops_compare_launches, f);
	sort_apply(f->out->kernels.v, order, f->out->kernels.n);
	mem_free(order, launched);
}

/* Sets nccl_op.place of each operation.  Only for a trace in which no operation names a communicator, where these
 * ranges distinguish operations. */
static void nccl_ops_find_places(const nccl_ops_ctx *f)
{
	trace *t = f->t;
	const around *a = around_of(t, AROUND_RANGES);
	size_t *from = mem_new(size_t, t->nthreads);    /* by thread: where the next search begins (around_own_range) */

	for (size_t i = 0; i < f->out->n; i++) {
		size_t work = f->lead.v[i];
		uint32_t call = t->work.launch[work], range = NONE;
		if (call != NONE)
			range = around_own_range(a, work, &from[calls_thread(&t->calls, call)]);
		f->out->v[i].place = range == NONE ? STR_NONE : str_fold(&t->names, t->pushpop.name[range]);
	}
	free(from);
}

static void *nccl_ops_build(trace *t, int64_t unused UNNEEDED)
{
	nccl_ops_ctx f = { .t = t, .out = mem_new(nccl_ops, 1), .facts = mem_new(name_facts, t->names.n) };

	nccl_ops_find_spans(&f);
	nccl_ops_list_kernels(&f);
	nccl_ops_index_spans(&f);
	nccl_ops_find_launches(&f);
	for (nccl_kernel *k = f.out->kernels.v; k < f.out->kernels.v + f.out->kernels.n; k++) {
		size_t before = f.out->n;
		k->op = nccl_ops_find_op(&f, k->work, k->op == NONE ? NULL : &f.spans.v[k->op]);
		k->leads = f.out->n > before;
	}
	mem_free(f.first, f.facts);
	if (!f.out->comms.n && f.out->n)
		nccl_ops_find_places(&f);
	mem_free(f.spans.v, f.members.v, f.lead.v);
	arena_free(&f.texts);
	return f.out;
}

static void nccl_ops_free(void *made)
{
	nccl_ops *o = made;

	vec_free(o);
	mem_free(o->kernels.v, o->comms.v, o->messages.v, o->creations.v, o);
}

const nccl_ops *nccl_ops_of(trace *t)
{
	return trace_keep(t, nccl_ops_build, 0, nccl_ops_free);
}

void nccl_ops_remark_on_payloads(const trace *t, notes *say)
{
	if (t->payloads.no_schema)
		notes_remark(say, "%zu of NCCL's payloads in '%s' have no schema or two that disagree; their values "
			     "are '-'", t->payloads.no_schema, t->path);
	if (t->payloads.cut)
		notes_remark(say, "%zu of NCCL's payloads in '%s' are cut short; the missing values are '-'",
			     t->payloads.cut, t->path);
}
