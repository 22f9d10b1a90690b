#include "trace/load_cpu.h"
#include "base/memory.h"
#include "trace/acts.h"
#include "trace/event_span.h"
#include "trace/global_id.h"
#include "trace/load_chains.h"

enum { START, END, TID, VALUE, COLS };

static const struct {
	const char *table, *what;       /* what its rows are, for a message */
	const char *end, *value;        /* columns; NULL: they are moments */
	unsigned need;                  /* keep the rows if this is asked for */
} tables[CPU_ALL] = {
	[CPU_OS] = { "OSRT_API", "OS calls", "end", "nameId", TRACE_OS },
	[CPU_SWITCHES] = { "SCHED_EVENTS", "context switches", NULL, "isSchedIn", TRACE_SWITCHES },
	[CPU_SAMPLES] = { "COMPOSITE_EVENTS", "CPU samples", NULL, "id", TRACE_SAMPLES },
	[CPU_MPI] = { "MPI_COLLECTIVES_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_P2P_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_START_WAIT_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
	{ "MPI_OTHER_EVENTS", "MPI calls", "end", "textId", TRACE_MPI },
};

/* What one worker reads of one of these tables. */
struct cpu_part {
	rows_part rows;
	dict ids;                       /* global ids of threads */
	vec(ival) span;                 /* by thread */
	vec(int64_t) start, end, value; /* rows that are kept */
	vec(uint32_t) thread;           /* key of ids */
};

static struct cpu_part *part_at(const rows_parts *parts, size_t i)
{
	return rows_part_at(struct cpu_part, parts, i);
}

static void free_part(void *which)
{
	struct cpu_part *p = which;

	dict_free(&p->ids);
	vec_free(&p->span);
	vec_free(&p->start);
	vec_free(&p->end);
	vec_free(&p->value);
	vec_free(&p->thread);
}

static void take(void *ctx, void *to, const rows_batch *b)
{
	const bool *keep = ctx;
	struct cpu_part *p = to;

	for (size_t i = 0; i < b->n; i++) {
		int64_t start = b->ints[START][i];
		int64_t end = b->ints[END] && b->ints[END][i] > start ? b->ints[END][i] : start;
		uint32_t thread = dict_key(&p->ids, b->ints[TID][i]);
		if (thread == p->span.n)
			vec_push(&p->span, IVAL_NOWHERE);
		event_span_widen(&p->span.v[thread], start, end);
		if (!*keep)
			continue;
		vec_push(&p->start, start);
		vec_push(&p->end, end);
		vec_push(&p->value, b->ints[VALUE][i]);
		vec_push(&p->thread, thread);
	}
}

static bool read_table(trace *t, unsigned need, int which, rows_parts *parts)
{
	static const rows_reader reader = { .part_size = sizeof(struct cpu_part), .free_part = free_part,
		.take = take };
	bool keep = need & tables[which].need;
	size_t n = 0;
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = tables[which].end, .null = -1 },
		[TID] = { .names = "globalTid", .null = -1 },
		[VALUE] = { .names = tables[which].value, .null = -1 },
	};

	if (!rows_read(t->db, db_find(t->db, tables[which].table), c, COLS, &reader, &keep, t->workers, parts))
		return false;
	for (size_t i = 0; i < parts->n; i++)
		n += part_at(parts, i)->start.n;
	return n < UINT32_MAX || notes_problem(t->say, EXIT_FAILED, "'%s' holds more than %u %s, the most that nsq can "
					       "read", t->path, UINT32_MAX - 1, tables[which].what);
}

static void number_names(cpu_raw *raw, int table)
{
	for (size_t i = 0; i < raw->parts[table].n; i++) {
		const struct cpu_part *p = part_at(&raw->parts[table], i);
		for (size_t k = 0; k < p->value.n; k++)
			dict_key(&raw->names, p->value.v[k]);
	}
}

bool load_cpu(trace *t, unsigned need, cpu_raw *raw)
{
	for (int k = 0; k < CPU_ALL; k++)
		if (need & (k < CPU_TABLES ? TRACE_CPU : TRACE_MPI) && !read_table(t, need, k, &raw->parts[k]))
			return false;
	if (need & TRACE_CHAINS && !load_chains(t, "SAMPLING_CALLCHAINS", CHAINS_BY_MODULE, &t->chains, &raw->chains))
		return false;
	number_names(raw, CPU_OS);
	for (int k = CPU_MPI; k < CPU_ALL; k++)
		number_names(raw, k);
	raw->name = trace_strings(t, &raw->names);
	return raw->name;
}

void load_cpu_ids(const cpu_raw *raw, dict *processes, dict *threads)
{
	for (int k = 0; k < CPU_TABLES; k++)
		for (size_t i = 0; i < raw->parts[k].n; i++)
			for (size_t j = 0; j < part_at(&raw->parts[k], i)->ids.n; j++) {
				int64_t id = part_at(&raw->parts[k], i)->ids.value[j];
				dict_key(processes, global_process(id));
				dict_key(threads, id);
			}
}

static uint32_t string_of(const cpu_raw *raw, int64_t id)
{
	return raw->name[dict_find(&raw->names, id)];
}

/* Calls func for each row of a table that was kept, with its thread. */
static void each_row(const trace *t, const rows_parts *parts, void (*func)(void *ctx, uint32_t thread, int64_t start,
		     int64_t end, int64_t value), void *ctx)
{
	for (size_t i = 0; i < parts->n; i++) {
		const struct cpu_part *p = part_at(parts, i);
		uint32_t *thread = mem_new(uint32_t, p->ids.n);
		for (size_t k = 0; k < p->ids.n; k++)
			thread[k] = trace_thread_of(t, p->ids.value[k]);
		for (size_t k = 0; k < p->start.n; k++)
			func(ctx, thread[p->thread.v[k]], p->start.v[k], p->end.v[k], p->value.v[k]);
		free(thread);
	}
}

typedef struct {
	trace_acts *to;
	const cpu_raw *raw;
	const dict *chains;
} taking;

/* A thread with nothing but MPI calls is not there. */
static void take_call(void *ctx, uint32_t thread, int64_t start, int64_t end, int64_t value)
{
	taking *k = ctx;

	if (thread != NONE)
		acts_add(k->to, thread, start, end, string_of(k->raw, value));
}

/* MPI calls widen the spans only where they are what is looked at: elsewhere, windows are those of other events. */
static void take_mpi(trace *t, unsigned need, const cpu_raw *raw)
{
	const trace_ranges *r = &t->pushpop;
	const trace_acts *m = &t->mpi;

	for (int k = CPU_MPI; k < CPU_ALL; k++)
		each_row(t, &raw->parts[k], take_call, &(taking){ .to = &t->mpi, .raw = raw });
	for (size_t i = 0; !t->has_mpi && i < r->n; i++)
		if (t->domains[ranges_domain(r, i)].mpi)
			acts_add(&t->mpi, ranges_thread(r, i), r->start[i], r->end[i], r->name[i]);
	acts_order(&t->mpi, &t->names, t->nthreads, t->workers);
	for (size_t i = 0; need & TRACE_MPI_SPAN && i < m->n; i++)
		event_span_widen(&t->procs[t->threads[m->thread[i]].proc].events, m->start[i], m->end[i]);
}

static void take_switch(void *ctx, uint32_t thread, int64_t start, int64_t end, int64_t value)
{
	taking *k = ctx;

	acts_add(k->to, thread, start, end, value > 0);
}

static void take_sample(void *ctx, uint32_t thread, int64_t start, int64_t end, int64_t value)
{
	taking *k = ctx;

	acts_add(k->to, thread, start, end, dict_find(k->chains, value));
}

/* A thread runs from a switch onto a CPU to the next one off it, and then waits until it is switched on again.  If
 * the first is a switch off, it ran before; if the last is a switch on, it runs to the end of its process. */
static void build_stretches(trace *t, const trace_acts *switches, uint32_t thread)
{
	size_t last = switches->first[thread + 1];
	ival events = t->procs[t->threads[thread].proc].events;
	int64_t since = events.a;
	uint32_t *on = switches->name, state = 1;

	for (size_t i = switches->first[thread]; i < last; i++) {
		int64_t now = switches->start[i];
		if (i + 1 < last && switches->start[i + 1] == now && on[i] == state) {
			on[i] = on[i + 1];      /* of those at one moment, the one that changes something comes first */
			on[i + 1] = state;
		}
		if (i == switches->first[thread] && on[i])
			state = 0;
		else if (on[i] == state)
			continue;
		else
			acts_add(state ? &t->runs : &t->waits, thread, since, now, STR_NONE);
		state = on[i];
		since = now;
	}
	if (state && last > switches->first[thread])
		acts_add(&t->runs, thread, since, events.b, STR_NONE);
}

static void build_switches(trace *t, cpu_raw *raw)
{
	trace_acts switches = { 0 };

	each_row(t, &raw->parts[CPU_SWITCHES], take_switch, &(taking){ .to = &switches });
	rows_parts_free(&raw->parts[CPU_SWITCHES]);
	acts_order(&switches, NULL, t->nthreads, t->workers);
	for (uint32_t i = 0; i < t->nthreads; i++)
		build_stretches(t, &switches, i);
	acts_free(&switches);
	acts_order(&t->runs, NULL, t->nthreads, t->workers);
	acts_order(&t->waits, NULL, t->nthreads, t->workers);
}

static void widen(trace *t, const struct cpu_part *p)
{
	for (size_t i = 0; i < p->ids.n; i++) {
		ival *cpu = &t->procs[trace_proc_of(t, p->ids.value[i])].spans.cpu, span = p->span.v[i];
		trace_widen(t, p->ids.value[i], span, false);
		*cpu = (ival){ span.a < cpu->a ? span.a : cpu->a, span.b > cpu->b ? span.b : cpu->b };
	}
}

/* What was read of a table is freed before what follows from it is put in order. */
void load_cpu_build(trace *t, unsigned need, cpu_raw *raw)
{
	for (int k = 0; k < CPU_TABLES; k++)
		for (size_t i = 0; i < raw->parts[k].n; i++)
			widen(t, part_at(&raw->parts[k], i));
	if (need & TRACE_OS) {
		each_row(t, &raw->parts[CPU_OS], take_call, &(taking){ .to = &t->os, .raw = raw });
		rows_parts_free(&raw->parts[CPU_OS]);
		acts_order(&t->os, &t->names, t->nthreads, t->workers);
	}
	if (need & TRACE_MPI)
		take_mpi(t, need, raw);
	if (need & TRACE_SWITCHES)
		build_switches(t, raw);
	if (need & TRACE_SAMPLES) {
		each_row(t, &raw->parts[CPU_SAMPLES], take_sample,
			 &(taking){ .to = &t->samples, .chains = &raw->chains });
		rows_parts_free(&raw->parts[CPU_SAMPLES]);
		acts_order(&t->samples, NULL, t->nthreads, t->workers);
	}
}

void load_cpu_free(cpu_raw *raw)
{
	for (int k = 0; k < CPU_ALL; k++)
		rows_parts_free(&raw->parts[k]);
	dict_free(&raw->chains);
	dict_free(&raw->names);
	free(raw->name);
}
