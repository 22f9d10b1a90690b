#include "range.h"
#include "mem.h"
#include "sort.h"
#include "span.h"

#include <stdlib.h>
#include <string.h>

enum { START, END, TYPE, TID, TEXT, TEXTID, DOMAIN };
enum { THREAD_NAME = 39, PUSH_POP = 59, START_END = 60, CREATE_DOMAIN = 75 };

static const int64_t never = INT64_MIN;  /* the end of a range that was not closed */

bool range_scan(trace *t, unsigned need, range_raw *raw)
{
	static const scan_col ask[RANGE_COLS] = {
		[START] = { .names = "start", .type = SCAN_INT, .null = -1 },
		[END] = { .names = "end", .type = SCAN_INT, .null = INT64_MIN },
		[TYPE] = { .names = "eventType", .type = SCAN_KEY, .null = PUSH_POP },
		[TID] = { .names = "globalTid", .type = SCAN_KEY, .null = -1 },
		[TEXT] = { .names = "text", .type = SCAN_TEXT },
		[TEXTID] = { .names = "textId", .type = SCAN_KEY, .null = -1 },
		[DOMAIN] = { .names = "domainId", .type = SCAN_KEY },
	};

	memcpy(raw->col, ask, sizeof ask);
	if (!(need & TRACE_RANGES))
		raw->col[TEXT].prefix = "rank=";
	return scan_table(t->db, db_find(t->db, "NVTX_EVENTS"), raw->col, RANGE_COLS, &t->names,
			  &raw->n) && trace_names(t, &raw->col[TEXTID], raw->n);
}

void range_ids(const range_raw *raw, dict *processes, dict *threads)
{
	const scan_col *tid = &raw->col[TID];
	bool *seen = mem_new(bool, tid->dict.n);

	for (size_t i = 0; i < raw->n; i++)      /* a process of definitions alone has no event */
		if (raw->col[START].ints[i] >= 0)
			seen[tid->keys[i]] = true;
	for (size_t i = 0; i < tid->dict.n; i++) {
		if (seen[i])
			dict_key(processes, tid->dict.value[i] >> 24);
		if (seen[i])
			dict_key(threads, tid->dict.value[i]);
	}
	free(seen);
}

static uint32_t name_of(const range_raw *raw, size_t i)
{
	uint32_t text = raw->col[TEXT].keys[i];

	return text != STR_NONE ? text : raw->col[TEXTID].keys[i];
}

static int64_t type_of(const range_raw *raw, size_t i)
{
	return raw->col[TYPE].dict.value[raw->col[TYPE].keys[i]];
}

static uint32_t domain_of(trace *t, uint32_t proc, int64_t id)
{
	for (size_t d = 0; d < t->ndomains; d++)
		if (t->domains[d].proc == proc && t->domains[d].id == id)
			return (uint32_t)d;
	t->domains = mem_grow(t->domains, t->ndomains + 1, sizeof *t->domains);
	t->domains[t->ndomains] = (trace_domain){ .proc = proc, .id = id, .name = STR_NONE };
	return (uint32_t)t->ndomains++;
}

/* Definitions hold whatever their time; of several names for a thread the last holds. */
static void take_definitions(trace *t, const range_raw *raw)
{
	int64_t *when = mem_new(int64_t, t->nthreads);

	for (size_t i = 0; i < t->nthreads; i++)
		when[i] = INT64_MIN;
	for (size_t i = 0; i < raw->n; i++) {
		int64_t type = type_of(raw, i), start = raw->col[START].ints[i];
		int64_t id = raw->col[TID].dict.value[raw->col[TID].keys[i]];
		uint32_t name = name_of(raw, i);
		if (type == THREAD_NAME) {
			uint32_t thread = trace_thread_of(t, id);
			if (thread != NONE && name != STR_NONE && start >= when[thread]) {
				t->threads[thread].name = name;
				when[thread] = start;
			}
		} else if (type == CREATE_DOMAIN && raw->col[DOMAIN].found) {
			uint32_t proc = trace_proc_of(t, id);
			if (proc != NONE && name != STR_NONE) {
				uint32_t d = domain_of(t, proc, raw->col[DOMAIN].dict.value[raw->col[DOMAIN].keys[i]]);
				t->domains[d].name = name;
				t->domains[d].nccl = strcmp(t->names.text[name], "NCCL") == 0;
			}
		}
	}
	free(when);
}

/* Is it "rank=N; mesh; run"?  Then take it apart. */
static bool parse_label(const char *s, trace_proc *p)
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
	p->mesh = mem_text(mesh, run ? (size_t)(run - mesh) : strlen(mesh));
	p->run = run ? run + 1 + strspn(run + 1, " ") : NULL;
	return true;
}

/* The first event of each process, at or after 0, that is a label. */
static void take_labels(trace *t, const range_raw *raw)
{
	int64_t *when = mem_new(int64_t, t->nprocs);

	for (size_t i = 0; i < t->nprocs; i++)
		when[i] = INT64_MAX;
	for (size_t i = 0; i < raw->n; i++) {
		const char *s = str_at(&t->names, name_of(raw, i));
		int64_t start = raw->col[START].ints[i];
		uint32_t proc;
		trace_proc label = { 0 };
		if (!s || s[0] != 'r' || start < 0 || !parse_label(s, &label))
			continue;
		proc = trace_proc_of(t, raw->col[TID].dict.value[raw->col[TID].keys[i]]);
		if (proc == NONE || start > when[proc] ||
		    (start == when[proc] && label.rank >= t->procs[proc].rank))
			continue;
		when[proc] = start;
		t->procs[proc].rank = label.rank;
		t->procs[proc].mesh = label.mesh && *label.mesh ? label.mesh : NULL;
		t->procs[proc].run = label.run && *label.run ? label.run : NULL;
	}
	free(when);
}

typedef struct {
	const trace *t;
	const trace_ranges *r;
} order_ctx;

static int outer_first(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const trace_ranges *r = c->r;

	if (r->thread[a] != r->thread[b])
		return sort_3way(r->thread[a], r->thread[b]);
	if (r->start[a] != r->start[b])
		return sort_3way(r->start[a], r->start[b]);
	if (r->end[a] != r->end[b])
		return -sort_3way(r->end[a], r->end[b]);
	if (r->name[a] != r->name[b])
		return str_cmp(&c->t->names, r->name[a], r->name[b]);
	return sort_3way(c->t->domains[r->domain[a]].id, c->t->domains[r->domain[b]].id);
}

/* A stable counting sort by thread, then by time within each thread. */
static uint32_t *by_thread(const trace *t, const trace_ranges *r, const order_ctx *ctx)
{
	uint32_t *order = mem_new(uint32_t, r->n);
	size_t *next = mem_new(size_t, t->nthreads + 1), from = 0;

	for (size_t i = 0; i < r->n; i++)
		next[r->thread[i] + 1]++;
	for (size_t i = 0; i < t->nthreads; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < r->n; i++)
		order[next[r->thread[i]]++] = (uint32_t)i;
	for (size_t i = 0; i < t->nthreads; from = next[i++])   /* next[i] is now where thread i ends */
		sort_items(order + from, next[i] - from, outer_first, ctx);
	free(next);
	return order;
}

/* Ranges of one type.  With last the raw columns are taken over and filled from the front, where
 * they have been read already; nothing can be taken from them after that. */
static void take_ranges(trace *t, range_raw *raw, int64_t type, bool last, trace_ranges *r)
{
	const scan_col *tid = &raw->col[TID], *dom = &raw->col[DOMAIN];
	uint32_t *thread = mem_new(uint32_t, tid->dict.n);
	uint32_t *domain = mem_new(uint32_t, tid->dict.n * dom->dict.n);  /* number + 1 */
	size_t room = 0;
	order_ctx ctx = { t, r };
	uint32_t *order;

	for (size_t i = 0; i < raw->n; i++)
		room += type_of(raw, i) == type && raw->col[START].ints[i] >= 0;
	*r = last ? (trace_ranges){ 0, raw->col[START].ints, raw->col[END].ints, raw->col[TID].keys,
		raw->col[TEXT].keys, raw->col[DOMAIN].keys } :
		(trace_ranges){ 0, mem_new(int64_t, room), mem_new(int64_t, room), mem_new(uint32_t, room),
		mem_new(uint32_t, room), mem_new(uint32_t, room) };
	for (size_t i = 0; i < tid->dict.n; i++)
		thread[i] = trace_thread_of(t, tid->dict.value[i]);
	for (size_t i = 0; i < raw->n; i++) {
		int64_t start = raw->col[START].ints[i], end = raw->col[END].ints[i];
		uint32_t *d = &domain[tid->keys[i] * dom->dict.n + dom->keys[i]];
		uint32_t th = thread[tid->keys[i]], name = name_of(raw, i);
		if (type_of(raw, i) != type || start < 0)
			continue;
		if (!*d)
			*d = domain_of(t, t->threads[th].proc, dom->dict.value[dom->keys[i]]) + 1;
		if (end == never)
			end = t->procs[t->threads[th].proc].events.b;
		r->start[r->n] = start;
		r->end[r->n] = end > start ? end : start;
		r->thread[r->n] = th;
		r->name[r->n] = name;
		r->domain[r->n++] = *d - 1;
	}
	free(thread);
	free(domain);
	if (last) {
		raw->col[START].ints = raw->col[END].ints = NULL;
		raw->col[TID].keys = raw->col[TEXT].keys = raw->col[DOMAIN].keys = NULL;
		scan_free(raw->col, RANGE_COLS);
		raw->n = 0;
	}
	order = by_thread(t, r, &ctx);
	sort_apply(r->start, sizeof *r->start, order, r->n);
	sort_apply(r->end, sizeof *r->end, order, r->n);
	sort_apply(r->thread, sizeof *r->thread, order, r->n);
	sort_apply(r->name, sizeof *r->name, order, r->n);
	sort_apply(r->domain, sizeof *r->domain, order, r->n);
	free(order);
}

void range_span(trace *t, const range_raw *raw)
{
	const scan_col *tid = &raw->col[TID];
	ival *span = mem_new(ival, tid->dict.n);

	for (size_t k = 0; k < tid->dict.n; k++)
		span[k] = (ival){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < raw->n; i++) {
		int64_t start = raw->col[START].ints[i], end = raw->col[END].ints[i];
		ival *s = &span[tid->keys[i]];
		int64_t type = type_of(raw, i);
		if (start >= 0 && (end != never || type == PUSH_POP || type == START_END))
			span_widen(s, start, end > start ? end : start);
		else if (start >= 0)    /* a mark, which takes no time */
			*s = (ival){ start < s->a ? start : s->a, start > s->b ? start : s->b };
	}
	for (size_t k = 0; k < tid->dict.n; k++)
		if (span[k].a <= span[k].b)
			trace_widen(t, tid->dict.value[k], span[k], false);
	free(span);
}

void range_build(trace *t, unsigned need, range_raw *raw)
{
	take_labels(t, raw);
	if (!(need & TRACE_RANGES))
		return;
	take_definitions(t, raw);
	take_ranges(t, raw, START_END, false, &t->startend);
	take_ranges(t, raw, PUSH_POP, true, &t->pushpop);
}

void range_raw_free(range_raw *raw)
{
	scan_free(raw->col, RANGE_COLS);
}
