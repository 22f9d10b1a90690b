#include "answer/answers.h"
#include "answer/step_windows.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "relate/nccl_ops.h"
#include "relate/projection.h"

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "time that has this owner") \
	X(PCT, "pct", 'd', "%", "dur_ns as a share of the window") \
	X(COUNT, "count", 'i', NULL, "pieces of work, or idle stretches, that have time in it") \
	X(OWNER, "owner", 't', NULL, "compute: matmul attention (.plain: without tensor cores) pointwise reduction " \
	  "optimizer graph compute; exposed communication: comm, comm.wait for a late rank; exposed copies: copy " \
	  "copy.pageable copy.um; idle: sync alloc load api launch turnaround queued data mpi host um edge unknown") \
	X(OTHERWISE, "otherwise", 't', NULL, \
	  "of sync, the owner there would be if the CPU had not waited; else owner") \
	X(WHERE, "where", 't', NULL, \
	  "innermost range, digits folded: around the launch or, of idle time, on the launching thread") \
	X(NAME, "name", 't', NULL, "the kernel, copy or call")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params, table *out)
{
	const ledger_params *p = params;

	if (p->mode == LEDGER_EACH) {
		table_columns(out, all_columns, DUR_NS, OWNER, OTHERWISE, WHERE, NAME);
		table_sort(out, COL_GPU, false);
		table_sort(out, COL_START, false);
		return;
	}
	table_columns(out, all_columns, DUR_NS, PCT, COUNT, p->keys & LEDGER_BY_OWNER ? OWNER : 0,
		      p->keys & LEDGER_BY_WHERE ? WHERE : 0, p->keys & LEDGER_BY_NAME ? NAME : 0);
	table_sort(out, COL_GPU, false);
	table_sort(out, DUR_NS, true);
}

static question ask(const void *params)
{
	const ledger_params *p = params;

	return (question){
		.need = OWNERS_NEED | step_windows_need(),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.steps = true,
		.match = p->match,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.mention_graphs = true,
		.replayed = p->mode == LEDGER_EACH || p->keys & LEDGER_BY_WHERE ?
			REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "the processes asked about have no work on the GPUs asked about",
	};
}

enum { KEY_OWNER, KEY_WHERE, KEY_NAME, KEYS };

typedef struct {                /* what is counted: what runs, or what ends an idle stretch */
	uint32_t work;
	bool idle;              /* and which of the two */
} counted;

typedef struct {
	int64_t ns, count;
	counted first, last;
} sum;

typedef struct {
	int64_t key[KEYS];
	sum s;
} keyed;

typedef vec(keyed) keyed_list;

typedef struct {                /* a window on a lane, or a part of it */
	const ledger_params *p;
	const owners *o;
	const window *w;
	size_t lane;
	ival in;                /* the part; a > b: all of it */
	sums *by;               /* while it is summed up, */
	keyed_list found;       /* and then what was found */
} summing;

typedef vec(summing) summings;

static bool same(counted a, counted b)
{
	return a.work == b.work && a.idle == b.idle;
}

/* Add what comes next: what was cut in two is counted once. */
static void add(sum *to, const sum *next)
{
	to->ns = ns_add(to->ns, next->ns);
	if (!to->count)
		to->first = next->first;
	to->count += next->count - (to->count && same(to->last, next->first));
	to->last = next->last;
}

static sum *sum_of(const summing *s, enum owner owner, uint32_t where, uint32_t name)
{
	return sums_of(s->by, (int64_t[]){ [KEY_OWNER] = s->p->keys & LEDGER_BY_OWNER ? owner : 0,
		[KEY_WHERE] = where, [KEY_NAME] = name });
}

static void take(void *ctx, const owner_piece *piece)
{
	const summing *s = ctx;
	unsigned by = s->p->keys;
	counted is = { piece->work, owner_is_idle(piece->owner) };

	add(sum_of(s, piece->owner, by & LEDGER_BY_WHERE ? piece->where : STR_NONE,
		   by & LEDGER_BY_NAME ? piece->name : STR_NONE),
	    &(sum){ piece->at.b - piece->at.a, 1, is, is });
}

/* As a list, which takes less memory: thousands wait to become rows. */
static keyed_list list_of(sums *by)
{
	keyed_list all = { .v = mem_grow(NULL, by->g.n, sizeof *all.v) };

	for (; all.n < by->g.n; all.n++) {
		all.v[all.n].s = *sums_at(sum, by, all.n);
		memcpy(all.v[all.n].key, sums_key(by, all.n), sizeof all.v->key);
	}
	sums_free(by);
	return all;
}

/* Of parts that follow each other, in the order of keys in which they are met. */
static keyed_list join(summing *parts, size_t n)
{
	sums by = sums_by(KEYS, sizeof(sum));

	if (n == 1)
		return parts->found;
	for (; n--; parts++) {
		for (size_t i = 0; i < parts->found.n; i++)
			add(sums_of(&by, parts->found.v[i].key), &parts->found.v[i].s);
		vec_free(&parts->found);
	}
	return list_of(&by);
}

static void add_rows(asking *a, const trace_lane *lane, const keyed_list *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const int64_t *key = all->v[i].key;
		const sum *s = &all->v[i].s;
		asking_row_of(a, lane->proc);
		table_int(a->out, COL_GPU, lane->gpu);
		table_int(a->out, DUR_NS, s->ns);
		table_pct(a->out, PCT, s->ns, ival_length(&a->w->gpu));
		table_int(a->out, COUNT, s->count);
		table_word(a->out, OWNER, owner_name((enum owner)key[KEY_OWNER]));
		table_name(a->out, WHERE, (uint32_t)key[KEY_WHERE]);
		table_name(a->out, NAME, (uint32_t)key[KEY_NAME]);
	}
}

static void sum_one(void *ctx, size_t i)
{
	summing *s = &((summing *)ctx)[i];
	sums by = sums_by(KEYS, sizeof(sum));

	s->by = &by;
	if (s->in.a < s->in.b)
		owners_walk(s->o, s->lane, s->in, take, s);
	for (size_t k = 0; s->in.a > s->in.b && k < s->w->gpu.n; k++)
		owners_walk(s->o, s->lane, s->w->gpu.v[k], take, s);
	s->found = list_of(&by);
}

/* A window with a lot of work, as that of a process without steps is, is cut where work starts. */
static void add_parts(const trace *t, summing like, summings *to)
{
	size_t n = window_parts(t, &t->lanes[like.lane], &like.w->gpu);

	for (size_t i = 0; i < n; i++) {
		like.in = window_part(t, &t->lanes[like.lane], &like.w->gpu, i, n);
		vec_push(to, like);
	}
}

static void sum_windows(const asking *a, size_t from, size_t n, summing like, summings *to)
{
	const trace *t = a->t;

	to->n = 0;
	for (size_t i = from, end; i < a->all->n && i < from + n; i++)
		for (like.lane = trace_lanes(t, a->all->v[i].proc, &end); like.lane < end; like.lane++) {
			like.w = &a->all->v[i];
			if (window_lane(like.w, &t->lanes[like.lane]))
				add_parts(t, like, to);
		}
	par_do(t->workers, to->n, sum_one, to->v);
}

typedef struct {
	asking *a;
	const trace_lane *lane;
} listing;

static void list(void *ctx, const owner_piece *piece)
{
	listing *l = ctx;
	table *out = l->a->out;

	asking_row_at(l->a, l->lane->proc, piece->at.a, piece->at.b);
	table_int(out, COL_GPU, l->lane->gpu);
	table_int(out, DUR_NS, piece->at.b - piece->at.a);
	table_word(out, OWNER, owner_name(piece->owner));
	table_word(out, OTHERWISE, owner_name(piece->otherwise));
	table_name(out, WHERE, piece->where);
	table_name(out, NAME, piece->name);
}

static void list_windows(asking *a, const owners *o)
{
	while (asking_window(a))
		for (size_t end, lane = trace_lanes(a->t, a->w->proc, &end); lane < end; lane++)
			for (size_t k = 0; window_lane(a->w, &a->t->lanes[lane]) && k < a->w->gpu.n; k++)
				owners_walk(o, lane, a->w->gpu.v[k], list, &(listing){ a, &a->t->lanes[lane] });
}

/* The rows of the next n windows, in order. */
static void add_windows(asking *a, size_t n, const summings *of)
{
	size_t next = 0;

	for (size_t i = 0; i < n && asking_window(a); i++)
		for (size_t first = next; first < of->n && of->v[first].w == a->w; first = next) {
			summing *s = &of->v[first];
			keyed_list all;
			for (next++; next < of->n && of->v[next].w == s->w && of->v[next].lane == s->lane; next++)
				;
			all = join(s, next - first);
			add_rows(a, &a->t->lanes[s->lane], &all);
			vec_free(&all);
		}
}

typedef struct {
	asking *a;
	summing like;
	size_t from, n;         /* the windows that are summed up now, and at most how many, */
	summings now, before;   /* into these; those before them become rows meanwhile */
} summing_up;

static void sum_or_add(void *ctx, size_t which)
{
	summing_up *x = ctx;

	if (which == 0)
		sum_windows(x->a, x->from, x->n, x->like, &x->now);
	else if (x->from)
		add_windows(x->a, x->n, &x->before);
}

static void sum_all(asking *a, const ledger_params *p, const owners *o)
{
	enum { AT_A_TIME = 32 };        /* windows for each thread */
	summing_up x = { .a = a, .like = { .p = p, .o = o }, .n = AT_A_TIME * par_stretches(a->t->workers) };

	for (; x.from < a->all->n + x.n; x.from += x.n) {
		summings swap = x.before;
		x.before = x.now;
		x.now = swap;
		par_do(a->t->workers, 2, sum_or_add, &x);
	}
	asking_window(a);               /* the last one has all its rows */
	vec_free(&x.now);
	vec_free(&x.before);
}

static bool rows(asking *a, const void *params)
{
	const ledger_params *p = params;
	owners_params of = { .match = p->match, .adopt = p->adopt, .captured = p->captured,
		.owners_alone = p->mode != LEDGER_EACH && !(p->keys & (LEDGER_BY_WHERE | LEDGER_BY_NAME)) };
	arrivals *ranks = p->ranks ? p->ranks : arrivals_new(NULL);
	bool lone = p->lone && !a->all->again;
	owners *o;

	if (lone)
		projection_forget_sums(a->t);
	mem_trim();             /* here and below memory is at its peak */
	arrivals_set(ranks, a->t, &of, a->say);
	if (!a->all->again)
		arrivals_forget_job(ranks);
	if (lone)
		nccl_ops_forget(a->t);
	owners_prepare(a->t, &of);
	o = owners_build(a->t, &of);
	if (lone)
		owners_forget_sources(a->t);
	mem_trim();
	if (p->mode == LEDGER_EACH)
		list_windows(a, o);
	else
		sum_all(a, p, o);
	owners_free(o);
	arrivals_unset(ranks);
	if (!p->ranks)
		arrivals_free(ranks);
	return true;
}

static void survey(trace *t, const void *params, notes *say)
{
	arrivals_add(((const ledger_params *)params)->ranks, t, say);
}

const answer ledger_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows,
	.survey = survey };
