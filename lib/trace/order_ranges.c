#include "trace/order_ranges.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/text.h"
#include "trace/thread_events.h"
#include "trace/event_span.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index in trace.domains of a process's domain with this domainId; a new domain is added.  `known` numbers
 * the pairs of a process and a domainId in the order of trace.domains. */
static uint32_t order_ranges_number_domain(trace *t, group *known, uint32_t proc, int64_t id)
{
	size_t d = group_of(known, (int64_t[]){ proc, id });

	if (d == t->ndomains) {
		if (!(d & (d - 1)))             /* at 0, 1, 2, 4 ... the room doubles */
			t->domains = mem_grow(t->domains, d ? 2 * d : 1, sizeof *t->domains);
		t->ndomains++;
		t->domains[d] = (trace_domain){ .proc = proc, .id = id, .name = STR_NONE };
	}
	return (uint32_t)d;
}

/* Parse the setup label "rank=N; mesh; run" into p->rank, mesh and run.  p->run points into s.  False: the text
 * is something else. */
static bool order_ranges_parse_label(arena *texts, const char *s, trace_proc *p)
{
	const char *mesh, *run;
	char *end;
	long long rank;

	if (strncmp(s, "rank=", 5) != 0 || s[5] < '0' || s[5] > '9')
		return false;
	rank = strtoll(s + 5, &end, 10);
	if (*end != ';')
		return false;
	mesh = end + 1 + strspn(end + 1, " ");
	run = strchr(mesh, ';');
	p->rank = rank;
	p->mesh = arena_text(texts, mesh, run ? (size_t)(run - mesh) : strlen(mesh));
	p->run = run ? run + 1 + strspn(run + 1, " ") : NULL;
	return true;
}

typedef struct {                /* the best setup label found so far for a process */
	int64_t start;          /* when it was set */
	const char *text;       /* NULL: none so far */
} best_label;

/* If the text s is a setup label, make it the label of the thread's process, unless the process has a better one.  The
 * earliest label is the best; at equal times the one with the lowest rank, then the first in text order. */
static void order_ranges_take_label(trace *t, best_label *best, int64_t thread, int64_t start, const char *s)
{
	uint32_t proc = trace_proc_of(t, thread);
	trace_proc label = { 0 }, *p;
	best_label *b = &best[proc == NONE ? 0 : proc];

	if (proc == NONE || !s || s[0] != 'r' || !order_ranges_parse_label(&t->texts, s, &label))
		return;
	p = &t->procs[proc];
	if (b->text && (start > b->start || (start == b->start && (label.rank > p->rank ||
	    (label.rank == p->rank && strcmp(s, b->text) >= 0)))))
		return;
	*b = (best_label){ start, s };
	p->rank = label.rank;
	p->label = start;
	p->mesh = label.mesh && *label.mesh ? label.mesh : NULL;
	p->run = label.run && *label.run ? label.run : NULL;
}

void order_ranges_number(trace *t, const nvtx_raw *raw)
{
	best_label *best = mem_new(best_label, t->nprocs);

	for (size_t i = 0; i < raw->parts.n; i++) {
		struct nvtx_part *p = nvtx_part_at(raw, i);
		p->thread = mem_new(uint32_t, p->ids.n);
		for (size_t k = 0; k < p->ids.n; k++) {
			p->thread[k] = trace_thread_of(t, p->ids.value[k]);
			if (p->threads.v[k].span.a <= p->threads.v[k].span.b)
				trace_widen_process(t, p->ids.value[k], p->threads.v[k].span, false);
		}
		for (size_t k = 0; k < p->definitions.n; k++)
			if (!p->definitions.v[k].type)
				order_ranges_take_label(t, best, p->definitions.v[k].thread, p->definitions.v[k].start,
							t->names.text[p->name[p->definitions.v[k].name]]);
		for (size_t k = 0; k < p->text_id_pairs.n; k++) {
			int64_t id = p->ids.value[nvtx_first(p->text_id_pairs.value[k])];
			uint32_t name = p->text[nvtx_second(p->text_id_pairs.value[k])];
			order_ranges_take_label(t, best, id, p->text_id_start.v[k], str_at(&t->names, name));
		}
	}
	free(best);
}

/* Does the definition d, which gives `name`, replace the name `held`, which was given at time `when`?  The latest of
 * several names for one thread or domain counts; at equal times the last in text order.  A name applies at all times,
 * even before its definition. */
static bool order_ranges_replaces(const trace *t, const nvtx_definition *d, uint32_t name, int64_t when,
				  uint32_t held)
{
	return held == STR_NONE || d->start > when || (d->start == when && str_cmp(&t->names, name, held) > 0);
}

static void order_ranges_take_definitions(trace *t, group *known, const nvtx_raw *raw)
{
	int64_t *thread_when = mem_new(int64_t, t->nthreads);   /* by thread: when its name was given */
	vec(int64_t) domain_when = { 0 };                       /* by domain: when its name was given */

	for (size_t i = 0; i < raw->parts.n; i++)
		for (size_t k = 0; k < nvtx_part_at(raw, i)->definitions.n; k++) {
			const nvtx_definition *d = &nvtx_part_at(raw, i)->definitions.v[k];
			uint32_t name = nvtx_string(nvtx_part_at(raw, i), d->name);
			uint32_t thread = trace_thread_of(t, d->thread), proc = trace_proc_of(t, d->thread);
			if (name == STR_NONE)
				continue;
			if (d->type == NVTX_THREAD_NAME && thread != NONE &&
			    order_ranges_replaces(t, d, name, thread_when[thread], t->threads[thread].name)) {
				t->threads[thread].name = name;
				thread_when[thread] = d->start;
			} else if (d->type == NVTX_CREATE_DOMAIN && proc != NONE) {
				uint32_t domain = order_ranges_number_domain(t, known, proc, d->domain);
				while (domain_when.n < t->ndomains)
					vec_push(&domain_when, 0);
				if (!order_ranges_replaces(t, d, name, domain_when.v[domain], t->domains[domain].name))
					continue;
				t->domains[domain].name = name;
				t->domains[domain].nccl = strcmp(t->names.text[name], "NCCL") == 0;
				t->domains[domain].mpi = strcmp(t->names.text[name], "MPI") == 0;
				/* aten, python: operators and Python functions, which nsq-import reads from
				 * torch.profiler */
				t->domains[domain].inner = text_is_listed_word(t->names.text[name],
									       strlen(t->names.text[name]),
									       "NCCL aten python");
				domain_when.v[domain] = d->start;
			}
		}
	vec_free(&domain_when);
	free(thread_when);
}

typedef struct {
	const trace *t;
	const trace_ranges *r;
} order_ctx;

static int order_ranges_compare_outer_first(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const trace_ranges *r = c->r;

	if (ranges_thread(r, a) != ranges_thread(r, b))
		return sort_3way(ranges_thread(r, a), ranges_thread(r, b));
	if (r->start[a] != r->start[b])
		return sort_3way(r->start[a], r->start[b]);
	if (r->end[a] != r->end[b])
		return -sort_3way(r->end[a], r->end[b]);
	if (r->name[a] != r->name[b])
		return str_cmp(&c->t->names, r->name[a], r->name[b]);
	return sort_3way(c->t->domains[ranges_domain(r, a)].id, c->t->domains[ranges_domain(r, b)].id);
}

/* The indices of ranges, sorted by thread, then by order_ranges_compare_outer_first.  The caller frees the array. */
static uint32_t *order_ranges_sort_by_thread(const trace *t, const trace_ranges *r)
{
	size_t *first = mem_new(size_t, t->nthreads + 1);
	uint32_t *thread = mem_new(uint32_t, t->range_kinds.n), *order;
	order_ctx ctx = { t, r };

	for (size_t i = 0; i < t->range_kinds.n; i++)
		thread[i] = t->range_kinds.v[i].thread;
	order = sort_groups_of(r->kind, thread, r->n, t->nthreads, first);
	for (size_t i = 0; i < t->nthreads; i++)
		sort_items_by(order + first[i], first[i + 1] - first[i], r->start, order_ranges_compare_outer_first,
			      &ctx);
	mem_free(first, thread);
	return order;
}

/* The end of a range, never before its start.  A range that was never closed ends with its process's events. */
static int64_t order_ranges_end_of(const trace *t, uint32_t thread, int64_t start, int64_t end)
{
	if (end == NVTX_NEVER)
		end = t->procs[t->threads[thread].proc].events.b;
	return end > start ? end : start;
}

/* Set the kinds (trace_range_kind), names and ends of a part's push/pop ranges.  Until this is called, their kinds and
 * names are as nvtx_part.rows says, and the end of a range that was never closed is NVTX_NEVER. */
static void order_ranges_number_part(trace *t, const struct nvtx_part *p)
{
	trace_ranges *r = &t->pushpop;

	for (size_t i = p->rows.first; i < p->rows.first + p->rows.n; i++) {
		r->kind[i] = p->kind[r->kind[i]];
		r->name[i] = nvtx_string(p, r->name[i]);
		r->end[i] = order_ranges_end_of(t, ranges_thread(r, i), r->start[i], r->end[i]);
	}
}

/* Copy the start/end ranges of all parts to trace.startend. */
static void order_ranges_join_startend(trace *t, const nvtx_raw *raw)
{
	trace_ranges *r = &t->startend;
	size_t n = 0;

	for (size_t i = 0; i < raw->parts.n; i++)
		n += nvtx_part_at(raw, i)->se_start.n;
	*r = (trace_ranges){ .start = mem_new(int64_t, n), .end = mem_new(int64_t, n), .name = mem_new(uint32_t, n),
		.kind = mem_new(uint32_t, n), .kinds = t->range_kinds.v };
	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->se_start.n; k++, r->n++) {
			r->kind[r->n] = p->kind[p->se_domain.v[k]];
			r->start[r->n] = p->se_start.v[k];
			r->end[r->n] = order_ranges_end_of(t, ranges_thread(r, r->n), p->se_start.v[k], p->se_end.v[k]);
			r->name[r->n] = nvtx_string(p, p->se_name.v[k]);
		}
	}
}

static void order_ranges_sort_ranges(const trace *t, trace_ranges *r)
{
	uint32_t *order = order_ranges_sort_by_thread(t, r);
	column c[LOAD_NVTX_COLUMNS];

	load_nvtx_list_columns(r, c);
	column_order(c, LOAD_NVTX_COLUMNS, order, r->n);
	free(order);
}

/* Make trace.domains and trace.range_kinds, set `kind` of each part, name threads, and count their ranges. */
static void order_ranges_number_kinds(trace *t, nvtx_raw *raw)
{
	group domains = { .width = 2 }, kinds = { .width = 2 };

	order_ranges_take_definitions(t, &domains, raw);
	for (size_t i = 0; i < raw->parts.n; i++) {
		struct nvtx_part *p = nvtx_part_at(raw, i);
		p->kind = mem_new(uint32_t, p->domains.n);
		for (size_t k = 0; k < p->domains.n; k++) {
			trace_range_kind kind = { .thread = p->thread[nvtx_first(p->domains.value[k])] };
			trace_thread *th = &t->threads[kind.thread];
			kind.domain = order_ranges_number_domain(t, &domains, th->proc,
								 p->domain_ids.value[nvtx_second(p->domains.value[k])]);
			p->kind[k] = (uint32_t)group_of(&kinds, (int64_t[]){ kind.thread, kind.domain });
			if (p->kind[k] == t->range_kinds.n)
				vec_push(&t->range_kinds, kind);
			th->ranges += p->pushpop.v[k] + p->startend.v[k];
			th->nccl_ranges += t->domains[kind.domain].nccl ? p->pushpop.v[k] : 0;
		}
	}
	group_free(&domains);
	group_free(&kinds);
}

void order_ranges_build(trace *t, unsigned need, nvtx_raw *raw)
{
	trace_ranges *r = &t->pushpop;
	column c[LOAD_NVTX_COLUMNS];

	order_ranges_number_kinds(t, raw);
	if (!(need & TRACE_RANGES))
		return;
	load_nvtx_list_columns(r, c);
	r->n = rows_close_gaps(&raw->parts, c, LOAD_NVTX_COLUMNS);
	column_shrink(c, LOAD_NVTX_COLUMNS, r->n);
	r->kinds = t->range_kinds.v;
	for (size_t i = 0; i < raw->parts.n; i++)
		order_ranges_number_part(t, nvtx_part_at(raw, i));
	order_ranges_join_startend(t, raw);
	order_ranges_sort_ranges(t, &t->startend);
	order_ranges_sort_ranges(t, r);
}

void order_ranges_build_marks(trace *t, unsigned need, const nvtx_raw *raw)
{
	thread_events_list marks = { 0 };

	if (!(need & TRACE_MARKS))
		return;
	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->mark_start.n; k++) {
			uint32_t thread = p->thread[p->mark_thread.v[k]];
			int64_t start = p->mark_start.v[k];
			thread_events_add(&marks, thread, start, start, nvtx_string(p, p->mark_name.v[k]));
			event_span_widen(&t->procs[t->threads[thread].proc].events, start, start);
		}
	}
	t->marks = thread_events_take_list(&marks, &t->names, t->nthreads);
}
