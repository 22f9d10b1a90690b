#include "relate/path_stretch.h"
#include "base/dict.h"
#include "relate/nccl_ops.h"

typedef struct {
	trace *t;
	const path_trace *p;
	path_stretches *to;
	uint32_t *join;         /* by work: the stretch that begins at it, where ways come together; else NONE */
	path_chain chain;
	dict keys;              /* of links so far: few are met on a short way, */
	vec(size_t) sum;        /* and the latest sum of each */
} building;

static path_place place_at(const trace *t, size_t work)
{
	uint32_t proc = t->streams[work_stream(&t->work, work)].proc;
	path_place at = path_at(0, proc, (ival){ INT64_MIN, t->work.start[work] });

	at.work = (uint32_t)work;
	return at;
}

/* Add up the chain.  The link of each kind and name that is earliest in time gives it its place: last, as time is
 * walked backwards. */
static void add_sums(building *b, path_stretch *s)
{
	path_stretches *to = b->to;

	s->first = (uint32_t)to->sums.n;
	for (size_t i = b->chain.links.n; i-- > 0;) {
		const path_link *link = &b->chain.links.v[i];
		uint32_t k = dict_key(&b->keys, link->key);
		path_sum *sum;
		if (k == b->sum.n)
			vec_push(&b->sum, SIZE_MAX);
		if (b->sum.v[k] == SIZE_MAX || b->sum.v[k] < s->first) {
			b->sum.v[k] = to->sums.n;
			vec_push(&to->sums, (path_sum){ .key = link->key });
		}
		sum = &to->sums.v[b->sum.v[k]];
		sum->ns = ns_add(sum->ns, link->b - link->a);
		sum->edges++;
	}
	s->n = (uint32_t)to->sums.n - s->first;
	for (size_t i = s->first, k = to->sums.n; i + 1 < k; i++) {
		path_sum swap = to->sums.v[i];
		to->sums.v[i] = to->sums.v[--k];
		to->sums.v[k] = swap;
	}
}

static void add(building *b, path_stretch s, const path_place *end)
{
	s.bottom = end->time.b;
	s.before = end->before;
	s.asked = end->asked;
	s.until = end->until;
	s.kernel = path_kernel(b->p, end->work);
	s.next = end->work == NONE || s.kernel != NONE || !b->join ? NONE : b->join[end->work];
	add_sums(b, &s);
	vec_push(&b->to->v, s);
	b->chain.links.n = 0;
}

/* From the start of a piece of work to the next kernel, or to where ways come together. */
static void add_from(building *b, size_t work)
{
	path_place at = place_at(b->t, work);
	path_stretch s = { .top = at.time.b, .work = at.work, .proc = at.proc };

	do {
		path_back(b->p, &at, &b->chain);
		if (at.work == NONE || path_kernel(b->p, at.work) != NONE)
			break;
		path_charge(b->p, &at, b->t->work.start[at.work], &b->chain);
	} while (b->join[at.work] == NONE);
	add(b, s, &at);
}

/* Find the work at which a way comes to one that was gone before. */
static void find_joins(building *b, const nccl_ops *ops, size_t *n, uint32_t **joins)
{
	bool *met = mem_new(bool, b->t->work.n);
	vec(uint32_t) found = { 0 };

	for (size_t i = 0; i < ops->kernels.n; i++) {
		path_place at = place_at(b->t, ops->kernels.v[i].work);
		for (;;) {
			path_back(b->p, &at, &b->chain);
			b->chain.links.n = 0;
			if (at.work == NONE || path_kernel(b->p, at.work) != NONE || met[at.work])
				break;
			met[at.work] = true;
		}
		if (at.work != NONE && met[at.work] && b->join[at.work] == NONE) {
			b->join[at.work] = (uint32_t)(ops->kernels.n + found.n);
			vec_push(&found, at.work);
		}
	}
	free(met);
	*n = found.n;
	*joins = found.v;
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	const nccl_ops *ops = nccl_ops_of(t);
	path_stretches *to = mem_new(path_stretches, 1);
	building b = { .t = t, .p = path_trace_of(t, true), .to = to,
		.join = mem_none(uint32_t, t->work.n) };
	uint32_t *joins;
	size_t njoins;

	find_joins(&b, ops, &njoins, &joins);
	for (size_t i = 0; i < ops->kernels.n; i++)
		add_from(&b, ops->kernels.v[i].work);
	for (size_t i = 0; i < njoins; i++)
		add_from(&b, joins[i]);
	mem_free(joins, b.join, b.chain.links.v, b.sum.v);
	dict_free(&b.keys);
	return to;
}

static void drop(void *made)
{
	path_stretches_free(made);
	free(made);
}

const path_stretches *path_stretches_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

void path_stretches_add(path_stretches *to, trace *t, path_place at, int64_t gpu)
{
	building b = { .t = t, .p = path_trace_of(t, true), .to = to };
	path_stretch s = { .top = at.time.b, .work = at.work, .proc = at.proc };

	if (at.work == NONE)
		path_start(b.p, &at, gpu, &b.chain);
	else
		path_back(b.p, &at, &b.chain);
	path_go(b.p, &at, &b.chain, INT64_MIN);
	add(&b, s, &at);
	mem_free(b.chain.links.v, b.sum.v);
	dict_free(&b.keys);
}

void path_stretches_free(path_stretches *s)
{
	mem_free(s->v.v, s->sums.v);
}
