#include "launch/depends_parts.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/sync_calls.h"

static depends_found depends_later_of_two(const trace *t, depends_found a, depends_found b)
{
	return (depends_found){ depends_later(t, a.work, b.work), a.unresolved || b.unresolved };
}

static bool depends_is_known_stream(const trace_stream *st)
{
	return sync_is_known_id(st->ctx) && sync_is_known_id(st->stream);
}

static int depends_compare_waiters(uint32_t a, uint32_t b, const void *ctx)
{
	const depends *d = ctx;

	return sort_3way(d->waits.v[a].waiter, d->waits.v[b].waiter);
}

/* Sorts the waits by the work that waits, and fills waits_at_all and first_wait.  The waits of one piece of work stay
 * in the order of their calls. */
static void depends_order_waits(depends *d)
{
	uint32_t *order = sort_order(d->waits.n, depends_compare_waiters, d);
	size_t words = d->t->work.n / 64 + 1;

	sort_apply(d->waits.v, order, d->waits.n);
	free(order);
	d->waits_at_all = mem_new(uint64_t, words);
	d->first_wait = mem_new(uint32_t, words + 1);
	for (size_t i = 0; i < d->waits.n; i++) {
		depends_wait *w = &d->waits.v[i];
		w->more = i + 1 < d->waits.n && w[1].waiter == w->waiter;
		d->waits_at_all[w->waiter / 64] |= (uint64_t)1 << w->waiter % 64;
		d->first_wait[w->waiter / 64 + 1]++;
	}
	for (size_t i = 0; i < words; i++)
		d->first_wait[i + 1] += d->first_wait[i];
}

/* Some calls make their thread wait.  Copies to `syncs` what each of them waits for, and frees of_row, whose other rows
 * nobody needs after depends_sweep_calls. */
static void depends_keep_syncs(depends *d)
{
	const trace_syncs *y = &d->t->syncs;
	const uint8_t *kind = sync_calls(d->t);

	for (uint32_t i = 0; i < y->n; i++)
		if (!y->record[i] && kind[d->t->calls.kind[y->call[i]]] != SYNC_CALL_STREAM_WAIT) {
			vec_reserve(&d->syncs, d->syncs.n + 1);
			d->syncs.v[d->syncs.n].row = i;
			d->syncs.v[d->syncs.n++].on = d->of_row[i];
		}
	free(d->of_row);
	d->of_row = NULL;
}

static void *depends_build(trace *t, int64_t unused UNNEEDED)
{
	depends *d = mem_new(depends, 1);

	d->t = t;
	d->known = true;
	for (size_t i = 0; i < t->nstreams; i++)
		d->known &= depends_is_known_stream(&t->streams[i]);
	depends_sweep_calls(d);
	depends_order_waits(d);
	depends_keep_syncs(d);
	return d;
}

static void depends_release(void *made)
{
	depends *d = made;

	mem_free(d->before, d->replayed, d->syncs.v, d->waits.v, d->waits_at_all, d->first_wait);
	wait_counts_free(d->counts);
	free(d);
}

const depends *depends_of(trace *t)
{
	return trace_keep(t, depends_build, 0, depends_release);
}

/* ---- what was found */

uint32_t depends_previous(const depends *d, size_t work)
{
	return d->before[work];
}

uint32_t depends_replayed(const depends *d, size_t work)
{
	return d->replayed[work];
}

static bool depends_has_wait(const depends *d, size_t work)
{
	return d->waits_at_all[work / 64] >> work % 64 & 1;
}

const depends_wait *depends_waits(const depends *d, size_t work)
{
	const uint32_t *first = &d->first_wait[work / 64];
	size_t i;

	if (!depends_has_wait(d, work))
		return NULL;
	search_first(i, first[0], first[1], d->waits.v[i].waiter >= work);
	return &d->waits.v[i];
}

bool depends_streamless(const depends *d, size_t work)
{
	return !d->known && !depends_is_known_stream(&d->t->streams[d->t->work.stream[work]]);
}

bool depends_on_stream_only(const depends *d, size_t work)
{
	return !depends_has_wait(d, work) && !depends_streamless(d, work);
}

/* Drops a producer that starts later than the work.  A trace with such a producer contradicts itself, for example
 * because one number stands for two streams. */
static depends_found depends_drop_later_start(const depends *d, size_t work, depends_found found)
{
	const int64_t *start = d->t->work.start;

	return found.work != NONE && start[found.work] > start[work] ? (depends_found){ NONE, found.unresolved } :
		found;
}

depends_found depends_producer(const depends *d, size_t work)
{
	const trace_work *all = &d->t->work;
	const uint32_t others[] = { depends_previous(d, work), depends_replayed(d, work) };
	depends_found found = { NONE, depends_streamless(d, work) };

	for (const depends_wait *w = depends_waits(d, work); w; w = depends_next(w))
		found = depends_later_of_two(d->t, found, depends_drop_later_start(d, work, w->on));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		uint32_t other = depends_drop_later_start(d, work, (depends_found){ others[i], false }).work;
		if (other != NONE && other != found.work &&
		    (found.work == NONE || all->end[other] >= all->end[found.work]))
			found.work = other;
	}
	return found;
}

depends_found depends_sync(const depends *d, size_t row)
{
	size_t i;

	search_first(i, 0, d->syncs.n, d->syncs.v[i].row >= row);
	return i < d->syncs.n && d->syncs.v[i].row == row ? d->syncs.v[i].on : (depends_found){ NONE, false };
}

const wait_counts *depends_counts(const depends *d)
{
	return d->counts;
}
