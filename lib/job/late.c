#include "job/late.h"
#include "base/search.h"
#include "base/sums.h"
#include "job/late_steps.h"
#include "step/steady.h"
#include "timeline/overlap_index.h"
#include "timeline/window.h"

#include <string.h>

enum { LATE_PCT = 5 };          /* percent of the median period of steps; a smaller lateness is jitter */

typedef struct {
	late_step in;           /* what late_steps says of it, but `first` is an index in late.cells */
	int64_t total;          /* the time of its cells (late_cell, late_steps.h: one owner, range and name), ns */
	int64_t sure;           /* if GPUs are shared, `total` without what chance decides (late_sum_without_turns);
				 * otherwise `total` */
	int64_t late;           /* how much later it arrives than the second last process, ns, summed over the
				 * operations at which its process arrives last */
	int64_t explained;      /* how much of `late` is explained by what the step does more, ns */
	bool is_late;
} judged_step;

typedef struct {
	size_t first, n;        /* its steps, in late.steps */
	steady steady;          /* which of its steps are steady (step/steady.h) */
	overlap_index starts;   /* the starts of its steady steps */
	int64_t shift;          /* step i of the process is step i + shift of its distributed run */
	bool known;             /* is the shift known? */
	uint32_t waits_for;     /* the process that it waits for longest, or NONE */
	uint32_t world;         /* the distributed run that it belongs to */
	bool shared;            /* do processes of its trace share a GPU? */
	late_rank said;         /* the verdict */
} judged_proc;

typedef struct {                /* a distributed run */
	bool shared;            /* do some of its processes share a GPU? */
	int64_t least;          /* how late a step must be to count, ns */
} judged_world;

struct late {
	vec(judged_proc) procs;     /* by process of the job */
	vec(judged_step) steps;
	vec(late_cell) cells;
	group keys;             /* keys: owner; range and name, each a string of `names` or -1 */
	group places;           /* what is compared.  A place is a range and a cause.  Keys: range as in `keys`, and
				 * cause, a string of `names` */
	vec(uint32_t) place;    /* by key: its place */
	sums by_start;          /* by process and start of a step: 1 + the index of the steady step in `steps` */
	sums blamed;            /* by distributed run and number of a step in it: how much of the lateness of accused
				 * processes is explained in this step, ns */
	vec(judged_world) worlds;
	str_pool names;
	arena texts;
};

late *late_new(void)
{
	late *l = mem_new(late, 1);

	l->keys.width = LATE_KEYS;
	l->places.width = 2;
	l->by_start = sums_by(2, sizeof(size_t));
	l->blamed = sums_by(2, sizeof(int64_t));
	return l;
}

void late_free(late *l)
{
	for (size_t i = 0; i < l->procs.n; i++)
		overlap_index_free(&l->procs.v[i].starts);
	mem_free(l->procs.v, l->steps.v, l->cells.v, l->place.v, l->worlds.v);
	group_free(&l->keys);
	group_free(&l->places);
	sums_free(&l->by_start);
	sums_free(&l->blamed);
	str_free(&l->names);
	arena_free(&l->texts);
	free(l);
}

/* The cause of an owner.  Time that the GPU needs between kernels counts as time of the kernels. */
const char *late_cause(enum owner o)
{
	return o <= OWNER_COMPUTE || o == OWNER_QUEUED || o == OWNER_TURNAROUND ? "gpu" : owner_name(o);
}

/* A string of a trace as a string of `names`; -1: STR_NONE.  LATE_BETWEEN, the name for time between two pieces
 * of work (late_steps.h), becomes the empty string. */
static int64_t late_name_of(late *l, const trace *t, int64_t name)
{
	return name == LATE_BETWEEN ? (int64_t)str_id(&l->names, "", 0) : name == STR_NONE ? -1 :
		(int64_t)str_id(&l->names, str_at(&t->names, (size_t)name), str_len(&t->names, (size_t)name));
}

/* Adds the steps of a trace.  Their cells get keys that hold in all traces. */
void late_add(late *l, const trace *t, const late_steps *of, size_t first_proc)
{
	uint32_t *key = mem_new(uint32_t, of->keys.n);
	size_t first_step = l->steps.n, first_cell = l->cells.n;

	for (size_t k = 0; k < of->keys.n; k++) {
		const int64_t *from = &of->keys.key[k * LATE_KEYS];
		int64_t where = late_name_of(l, t, from[LATE_WHERE]), name = late_name_of(l, t, from[LATE_NAME]);
		key[k] = (uint32_t)group_of(&l->keys, (int64_t[]){ from[LATE_OWNER], where, name });
	}
	while (l->procs.n < first_proc)
		vec_push(&l->procs, (judged_proc){ .first = l->steps.n, .waits_for = NONE });
	for (size_t i = 0; i < t->nprocs; i++)
		vec_push(&l->procs, (judged_proc){ .first = first_step + of->first[i],
			 .n = of->first[i + 1] - of->first[i], .waits_for = NONE, .shared = of->shared });
	for (size_t i = 0; i < of->steps.n; i++) {
		vec_push(&l->steps, (judged_step){ .in = of->steps.v[i] });
		l->steps.v[first_step + i].in.first += first_cell;
	}
	for (size_t i = 0; i < of->cells.n; i++) {
		late_cell c = of->cells.v[i];
		c.key = key[c.key];
		vec_push(&l->cells, c);
	}
	free(key);
}

/* ---- steps that belong together */

static void late_find_steady(late *l, uint32_t world)
{
	steady_list *lists = mem_new(steady_list, l->procs.n);
	steady *found = mem_new(steady, l->procs.n);
	size_t n = 0;

	for (size_t i = 0; i < l->procs.n; i++) {
		const judged_proc *p = &l->procs.v[i];
		steady_list *to = &lists[n];
		if (!p->n || p->world != world)
			continue;
		*to = (steady_list){ mem_new(int64_t, p->n), mem_new(int64_t, p->n), NULL, p->n };
		if (l->steps.v[p->first].in.busy != STEADY_NONE)
			to->busy = mem_new(int64_t, p->n);
		for (size_t k = 0; k < p->n; k++) {
			if (to->busy)
				to->busy[k] = l->steps.v[p->first + k].in.busy;
			to->period[k] = l->steps.v[p->first + k].in.period;
			to->length[k] = l->steps.v[p->first + k].in.length;
		}
		n++;
	}
	steady_find(lists, n, found, true);
	for (size_t i = n = 0; i < l->procs.n; i++)
		if (l->procs.v[i].n && l->procs.v[i].world == world)
			l->procs.v[i].steady = found[n++];
	for (size_t i = 0; i < n; i++)
		steady_list_free(&lists[i]);
	mem_free(lists, found);
}

/* The step of a process that contains the moment, or NULL. */
static judged_step *late_find_step_at(const late *l, size_t proc, int64_t moment)
{
	const judged_proc *p = &l->procs.v[proc];
	judged_step *s = l->steps.v + p->first;
	size_t i;

	search_first(i, 0, p->n, s[i].in.at.a > moment);
	return i && s[i - 1].in.at.b > moment ? &s[i - 1] : NULL;
}

static bool late_is_steady(const late *l, size_t proc, const judged_step *s)
{
	const judged_proc *p = &l->procs.v[proc];
	size_t i = s ? (size_t)(s - l->steps.v) - p->first : 0;

	return s && s->in.at.a < s->in.at.b && i >= p->steady.first && i < p->steady.end;
}

/* Counts votes on how far apart two processes number the same step.  Each operation of a party votes for the pair of
 * its own process and the party's process with the lowest index. */
static void late_count_votes(const late *l, const job *j, sums *votes)
{
	for (const job_party *party = j->parties.v; party < j->parties.v + j->parties.n; party++) {
		const uint32_t *ops = &j->partners.v[party->first];
		const job_op *first = &j->ops.v[ops[0]];
		const judged_step *at, *other;
		for (size_t i = 1; i < party->n; i++)
			first = j->ops.v[ops[i]].proc < first->proc ? &j->ops.v[ops[i]] : first;
		at = late_find_step_at(l, first->proc, first->start);
		for (size_t i = 0; at && i < party->n; i++) {
			const job_op *op = &j->ops.v[ops[i]];
			size_t *count;
			other = op->proc == first->proc ? NULL : late_find_step_at(l, op->proc, op->start);
			if (!other)
				continue;
			count = sums_of(votes, (int64_t[]){ first->proc, op->proc, at - other -
				((int64_t)l->procs.v[first->proc].first - (int64_t)l->procs.v[op->proc].first) });
			++*count;
		}
	}
}

/* The pair with the most votes among those in which exactly one process has its steps numbered; SIZE_MAX: there is
 * none. */
static size_t late_find_best_vote(const late *l, const sums *votes)
{
	size_t best = SIZE_MAX;

	for (size_t k = 0; k < votes->g.n; k++) {
		const int64_t *key = sums_key(votes, k);
		bool joins = l->procs.v[key[0]].known != l->procs.v[key[1]].known;
		if (joins && (best == SIZE_MAX || *sums_at(size_t, votes, k) > *sums_at(size_t, votes, best)))
			best = k;
	}
	return best;
}

/* Numbers the steps of each distributed run alike in all its processes, whose captures may begin at different steps. */
static void late_number_steps(late *l, const job *j)
{
	sums votes = sums_by(3, sizeof(size_t));

	late_count_votes(l, j, &votes);
	for (size_t seed = 0; seed < l->procs.n; seed++) {
		if (l->procs.v[seed].known)     /* its steps have their numbers, and so have those of all processes that
						 * votes join to it */
			continue;
		l->procs.v[seed].known = true;
		for (size_t k; (k = late_find_best_vote(l, &votes)) != SIZE_MAX;) {
			const int64_t *key = sums_key(&votes, k);
			judged_proc *x = &l->procs.v[key[0]], *y = &l->procs.v[key[1]];
			if (x->known)
				y->shift = x->shift + key[2];
			else
				x->shift = y->shift - key[2];
			x->known = y->known = true;
		}
	}
	sums_free(&votes);
}

/* ---- what a step does */

/* Finds the distributed runs in which several processes take part in one operation on the same GPU. */
static void late_find_shared_gpus(late *l, const job *j)
{
	uint32_t *party_of = mem_new(uint32_t, j->names.n), *proc_of_card = mem_new(uint32_t, j->names.n);

	for (uint32_t i = 0; i < j->parties.n; i++)
		for (size_t k = 0; k < j->parties.v[i].n; k++) {
			const job_op *op = &j->ops.v[j->partners.v[j->parties.v[i].first + k]];
			if (op->card == STR_NONE)
				continue;
			l->worlds.v[job_world(j, op->proc)].shared |= party_of[op->card] == i + 1 &&
				proc_of_card[op->card] != op->proc;
			party_of[op->card] = i + 1;
			proc_of_card[op->card] = op->proc;
		}
	mem_free(party_of, proc_of_card);
}

static const late_cell *late_cells_of(const late *l, size_t step, const late_cell **end)
{
	const judged_step *s = &l->steps.v[step];

	*end = &l->cells.v[s->in.first + s->in.n];
	return &l->cells.v[s->in.first];
}

/* Is this the key of work, or of time that the GPU needs between two pieces of work?  In such time, processes that
 * share a GPU may have to wait for their turn. */
static bool late_takes_turns(const late *l, size_t key)
{
	enum owner o = (enum owner)l->keys.key[key * LATE_KEYS + LATE_OWNER];

	return !owner_is_idle(o) || o == OWNER_QUEUED || o == OWNER_TURNAROUND;
}

/* Sums the time of each step into `sure`, without the turns of other processes.  If processes share a GPU, chance
 * decides how many turns of others fall into a piece of work, or into the GPU's time between two pieces.  But no piece
 * takes less than it needs itself.  So for each key, the average time of the pieces in a step is taken in each step of
 * the process, and each piece counts as the least of these averages. */
static void late_sum_without_turns(late *l, const judged_proc *p)
{
	int64_t *least = mem_none(int64_t, l->keys.n);
	const late_cell *end;

	for (size_t s = p->first; s < p->first + p->n; s++)
		for (const late_cell *c = late_cells_of(l, s, &end); c < end; c++) {
			int64_t each = c->ns / c->count, *to = &least[c->key];
			*to = *to < 0 || each < *to ? each : *to;
		}
	for (size_t s = p->first; s < p->first + p->n; s++)
		for (const late_cell *c = late_cells_of(l, s, &end); c < end; c++) {
			l->steps.v[s].sure += late_takes_turns(l, c->key) ? c->count * least[c->key] : c->ns;
		}
	free(least);
}

static void late_sum_steps(late *l)
{
	for (size_t k = 0; k < l->keys.n; k++) {
		const int64_t *key = &l->keys.key[k * LATE_KEYS];
		const char *name = late_cause((enum owner)key[LATE_OWNER]);
		int64_t cause = str_id(&l->names, name, strlen(name));
		vec_push(&l->place, (uint32_t)group_of(&l->places, (int64_t[]){ key[LATE_WHERE], cause }));
	}
	for (const judged_proc *p = l->procs.v; p < l->procs.v + l->procs.n; p++) {
		bool shared = l->worlds.v[p->world].shared;
		for (judged_step *s = l->steps.v + p->first; s < l->steps.v + p->first + p->n; s++) {
			for (size_t k = 0; k < s->in.n; k++)
				s->total = ns_add(s->total, l->cells.v[s->in.first + k].ns);
			s->sure = shared ? 0 : s->total;
		}
		if (shared)
			late_sum_without_turns(l, p);
	}
}

/* ---- lateness */

/* Is any process still in the operation when `last`, the operation that arrives last at the party, arrives? */
static bool late_is_awaited(const job *j, const job_party *party, uint32_t last)
{
	for (size_t i = 0; i + 1 < party->n; i++) {
		uint32_t op = j->partners.v[party->first + i];
		if (job_on_clock(j, op, j->ops.v[op].end) > job_arrival(j, last))
			return true;
	}
	return false;
}

/* The operations of an exchange have a party each.  The last operation counts only in its own, so it counts once. */
static void late_find_lateness(late *l, const job *j)
{
	for (const job_party *party = j->parties.v; party < j->parties.v + j->parties.n; party++) {
		const uint32_t *ops = &j->partners.v[party->first];
		uint32_t last = ops[party->n - 1];
		judged_step *s = late_find_step_at(l, j->ops.v[last].proc, j->ops.v[last].start);
		if (party->n > 1 && j->ops.v[last].party == (size_t)(party - j->parties.v) &&
		    late_is_steady(l, j->ops.v[last].proc, s) && late_is_awaited(j, party, last))
			s->late = ns_add(s->late, ns_sub(job_arrival(j, last), job_arrival(j, ops[party->n - 2])));
	}
}

/* Finds the process that each process waits for longest. */
static void late_find_waits(late *l, const job *j)
{
	sums pairs = sums_by(2, sizeof(int64_t));
	int64_t *longest = mem_new(int64_t, l->procs.n);

	for (const job_kernel *k = j->kernels.v; k < j->kernels.v + j->kernels.n; k++) {
		uint32_t proc = j->ops.v[k->op].proc;
		int64_t *ns;
		if (k->last == NONE || k->last == proc ||
		    !late_is_steady(l, proc, late_find_step_at(l, proc, k->start)))
			continue;
		ns = sums_of(&pairs, (int64_t[]){ proc, k->last });
		*ns = ns_add(*ns, job_wait(k));
	}
	for (size_t i = 0; i < pairs.g.n; i++) {
		size_t proc = (size_t)sums_key(&pairs, i)[0];
		if (*sums_at(int64_t, &pairs, i) > longest[proc]) {
			longest[proc] = *sums_at(int64_t, &pairs, i);
			l->procs.v[proc].waits_for = (uint32_t)sums_key(&pairs, i)[1];
		}
	}
	free(longest);
	sums_free(&pairs);
}

/* The steady step of `other` that has this number in the distributed run (late_number_of, not late_step.number).  NULL:
 * there is none, or `other` is not another process of the same run as `proc`. */
static judged_step *late_find_step_of_other(const late *l, size_t proc, size_t other, int64_t number)
{
	const judged_proc *p = &l->procs.v[other];
	int64_t i = number - p->shift;
	judged_step *s = i < 0 || i >= (int64_t)p->n ? NULL : &l->steps.v[p->first + (size_t)i];

	return other != proc && p->world == l->procs.v[proc].world && late_is_steady(l, other, s) ? s : NULL;
}

/* The number of a step in its distributed run, from the index of the step and the shift of its process. */
static int64_t late_number_of(const late *l, size_t proc, const judged_step *s)
{
	return (int64_t)(s - l->steps.v) - (int64_t)l->procs.v[proc].first + l->procs.v[proc].shift;
}

/* How much more time a step takes than the same step takes in the other processes, at the median, ns.  With `sure`,
 * without the part that chance decides. */
static int64_t late_measure_surplus(const late *l, size_t proc, const judged_step *s, bool sure)
{
	int64_t *others = mem_new(int64_t, l->procs.n), number = late_number_of(l, proc, s), more = 0;
	size_t n = 0;

	for (size_t q = 0; q < l->procs.n; q++) {
		const judged_step *other = late_find_step_of_other(l, proc, q, number);
		if (other)
			others[n++] = sure ? other->sure : other->total;
	}
	if (n)
		more = ns_sub(sure ? s->sure : s->total, stats_median(others, n));
	free(others);
	return more;
}

static int64_t late_compute_least_lateness(const late *l, uint32_t world)
{
	vec(int64_t) periods = { 0 };
	int64_t least;

	for (const judged_proc *p = l->procs.v; p < l->procs.v + l->procs.n; p++)
		for (size_t i = p->steady.first; p->world == world && i < p->steady.end; i++)
			if (l->steps.v[p->first + i].in.period != STEADY_NONE)
				vec_push(&periods, l->steps.v[p->first + i].in.period);
	least = periods.n ? stats_median(periods.v, periods.n) / (100 / LATE_PCT) : 0;
	vec_free(&periods);
	return least;
}

static void late_find_late_steps(late *l)
{
	for (size_t p = 0; p < l->procs.n; p++) {
		const judged_world *w = &l->worlds.v[l->procs.v[p].world];
		for (size_t i = l->procs.v[p].steady.first; i < l->procs.v[p].steady.end; i++) {
			judged_step *s = &l->steps.v[l->procs.v[p].first + i];
			if (s->late <= w->least)
				continue;
			s->explained = late_measure_surplus(l, p, s, false);
			s->explained = s->explained < s->late ? s->explained : s->late;
			s->is_late = s->explained > w->least &&
				(!w->shared || late_measure_surplus(l, p, s, true) > w->least);
		}
	}
}

/* ---- causes */

typedef struct {                /* what is compared: the time or the count of each group of keys */
	const uint32_t *group;  /* by key: its group, or NONE */
	size_t n;
	bool counts;            /* is the count compared, not the time? */
} late_grouping;

static void late_add_cells(const late *l, const judged_step *s, const late_grouping *by, int64_t *to)
{
	const late_cell *end;

	for (const late_cell *c = late_cells_of(l, (size_t)(s - l->steps.v), &end); c < end; c++)
		if (by->group[c->key] != NONE)
			to[by->group[c->key]] += by->counts ? c->count : c->ns;
}

/* Adds to `more`, by group, how much more a step does than the same step does in the other processes, at the median. */
static void late_compare_step(const late *l, size_t proc, const judged_step *s, const late_grouping *by, int64_t *more)
{
	size_t n = 0;
	int64_t *v = mem_new(int64_t, by->n * l->procs.n), *of_group = mem_new(int64_t, l->procs.n);

	for (size_t q = 0; q < l->procs.n; q++) {
		const judged_step *other = late_find_step_of_other(l, proc, q, late_number_of(l, proc, s));
		if (other)
			late_add_cells(l, other, by, &v[n++ * by->n]);
	}
	late_add_cells(l, s, by, more);
	for (size_t i = 0; i < by->n && n; i++) {
		for (size_t q = 0; q < n; q++)
			of_group[q] = v[q * by->n + i];
		more[i] -= stats_median(of_group, n);
	}
	mem_free(v, of_group);
}

static late_grouping late_group_by_place(const late *l)
{
	return (late_grouping){ l->place.v, l->places.n, false };
}

/* Adds to `more` the surplus of all late steps of a process.  Returns how many late steps there are. */
static int64_t late_compare_late_steps(const late *l, size_t proc, const late_grouping *by, int64_t *more)
{
	const judged_proc *p = &l->procs.v[proc];
	int64_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (l->steps.v[p->first + i].is_late) {
			late_compare_step(l, proc, &l->steps.v[p->first + i], by, more);
			n++;
		}
	return n;
}

/* Among the names of work and calls in a place, finds the one whose time in the late steps of a process exceeds that of
 * other processes most. */
static void late_name_surplus(const late *l, size_t proc, uint32_t place, late_rank *said)
{
	uint32_t *name_of_key = mem_none(uint32_t, l->keys.n);
	group names = { .width = 1 };
	late_grouping by = { .group = name_of_key };
	int64_t *ns, *count, steps;
	size_t most = 0;

	for (size_t k = 0; k < l->keys.n; k++) {
		const int64_t *name = &l->keys.key[k * LATE_KEYS + LATE_NAME];
		if (l->place.v[k] == place && *name >= 0 && *str_at(&l->names, (uint32_t)*name))
			name_of_key[k] = (uint32_t)group_of(&names, name);
	}
	by.n = names.n;
	ns = mem_new(int64_t, by.n);
	count = mem_new(int64_t, by.n);
	steps = late_compare_late_steps(l, proc, &by, ns);
	by.counts = true;
	late_compare_late_steps(l, proc, &by, count);
	for (size_t i = 1; i < by.n; i++)
		most = ns[i] > ns[most] ? i : most;
	if (by.n && steps && ns[most] > 0) {
		said->name = str_at(&l->names, (uint32_t)names.key[most]);
		said->ns = ns[most] / steps;
		said->count = count[most] / steps;
	}
	mem_free(name_of_key, ns, count);
	group_free(&names);
}

/* Finds the range in which the time of the late steps of a process exceeds that of other processes most, and the cause
 * with the largest part of the excess. */
static void late_name_cause(late *l, size_t proc)
{
	late_rank *said = &l->procs.v[proc].said;
	int64_t *more = mem_new(int64_t, l->places.n), *excess = mem_new(int64_t, l->names.n + 1);
	int64_t best = INT64_MIN, largest = INT64_MIN;
	late_grouping places = late_group_by_place(l);
	uint32_t place = NONE;

	late_compare_late_steps(l, proc, &places, more);
	for (size_t i = 0; i < l->places.n; i++)
		excess[l->places.key[2 * i] + 1] += more[i];
	for (size_t i = 0; i < l->places.n; i++) {
		int64_t where = l->places.key[2 * i];
		if (excess[where + 1] < best || (excess[where + 1] == best && more[i] <= largest))
			continue;
		best = excess[where + 1];
		largest = more[i];
		said->where = where < 0 ? NULL : str_at(&l->names, (uint32_t)where);
		said->cause = str_at(&l->names, (uint32_t)l->places.key[2 * i + 1]);
		place = (uint32_t)i;
	}
	if (place != NONE)
		late_name_surplus(l, proc, place, said);
	mem_free(more, excess);
}

/* The accused process at the end of the chain of waits from a process; NONE if the chain ends elsewhere. */
static uint32_t late_find_root(const late *l, size_t proc)
{
	uint32_t at = l->procs.v[proc].waits_for;

	for (size_t i = 0; at != NONE && !l->procs.v[at].said.accused; i++)
		at = i == l->procs.n ? NONE : l->procs.v[at].waits_for;
	return at;
}

static bool late_is_blamed(const late *l, size_t proc, const judged_step *s)
{
	return s->is_late && l->procs.v[proc].said.accused && late_is_steady(l, proc, s);
}

/* Indexes the steady steps by their start.  Also sums for each step how much of the lateness of accused processes is
 * explained, so that late_lost_to_others need not look at each process. */
static void late_index_steps(late *l)
{
	vec(ival) starts = { 0 };

	for (size_t p = 0; p < l->procs.n; p++) {
		judged_proc *of = &l->procs.v[p];
		starts.n = 0;
		for (size_t i = of->steady.first; i < of->steady.end; i++) {
			const judged_step *s = &l->steps.v[of->first + i];
			size_t *at = sums_of(&l->by_start, (int64_t[]){ (int64_t)p, s->in.start });
			int64_t *ns;
			*at = *at ? *at : of->first + i + 1;
			vec_push(&starts, (ival){ s->in.start, s->in.start });
			if (!late_is_blamed(l, p, s))
				continue;
			ns = sums_of(&l->blamed, (int64_t[]){ of->world, late_number_of(l, p, s) });
			*ns = ns_add(*ns, s->explained);
		}
		of->starts = overlap_index_build(starts.v, starts.n);
	}
	vec_free(&starts);
}

void late_decide(late *l, const job *j)
{
	while (l->procs.n < j->procs.n)
		vec_push(&l->procs, (judged_proc){ .first = l->steps.n, .waits_for = NONE });
	do                              /* at least one: without communication, nothing was matched, and j->worlds is
					 * 0 */
		vec_push(&l->worlds, (judged_world){ false });
	while (l->worlds.n < j->worlds);
	for (size_t p = 0; p < l->procs.n; p++) {
		l->procs.v[p].world = job_world(j, p);
		l->worlds.v[l->procs.v[p].world].shared |= l->procs.v[p].shared;
	}
	for (uint32_t i = 0; i < l->worlds.n; i++)
		late_find_steady(l, i);
	late_number_steps(l, j);
	late_find_shared_gpus(l, j);
	late_sum_steps(l);
	late_find_lateness(l, j);
	late_find_waits(l, j);
	for (uint32_t i = 0; i < l->worlds.n; i++)
		l->worlds.v[i].least = late_compute_least_lateness(l, i);
	late_find_late_steps(l);
	for (size_t p = 0; p < l->procs.n; p++) {
		size_t n = 0;
		for (size_t i = 0; i < l->procs.v[p].n; i++)
			n += l->steps.v[l->procs.v[p].first + i].is_late;
		l->procs.v[p].said.accused = n >= 2;
	}
	for (size_t p = 0; p < l->procs.n; p++) {
		late_rank *said = &l->procs.v[p].said;
		uint32_t root = said->accused ? NONE : late_find_root(l, p);
		said->cause = "unexplained";
		if (said->accused)
			late_name_cause(l, p);
		else if (root != NONE)
			said->cause = arena_printf(&l->texts, "%s %s", j->procs.v[root].rank < 0 ? "process" : "rank",
						   j->procs.v[root].shown);
	}
	late_index_steps(l);
}

/* ---- answers */

const late_rank *late_of(const late *l, size_t proc)
{
	return &l->procs.v[proc].said;
}

late_sum late_sum_in(const late *l, size_t proc, const ival_set *when)
{
	const judged_proc *p = &l->procs.v[proc];
	late_sum sum = { 0 };
	overlap_hits in = { 0 };

	overlap_index_find(&p->starts, window_hull(when), &in);
	for (size_t k = 0; k < in.n; k++) {
		size_t i = p->steady.first + in.v[k];
		const judged_step *s = &l->steps.v[p->first + i];
		if (!ival_touches(when, s->in.start, s->in.start))
			continue;
		sum.steps++;
		if (!p->said.accused || !s->is_late)
			continue;
		if (sum.late < LATE_NAMED)
			sum.which[sum.late] = s->in.number;
		sum.begins = s->explained > sum.worst ? s->in.start : sum.begins;
		sum.worst = s->explained > sum.worst ? s->explained : sum.worst;
		sum.late++;
		sum.explained = ns_add(sum.explained, s->explained);
	}
	vec_free(&in);
	return sum;
}

static const judged_step *late_find_step_beginning_at(const late *l, size_t proc, int64_t moment)
{
	size_t k = group_find(&l->by_start.g, (int64_t[]){ (int64_t)proc, moment });

	return k == GROUP_NONE ? NULL : &l->steps.v[*sums_at(size_t, &l->by_start, k) - 1];
}

int64_t late_explain_step(const late *l, size_t proc, int64_t moment, late_part *parts, void *ctx)
{
	const judged_step *s = late_find_step_beginning_at(l, proc, moment);
	late_grouping places = late_group_by_place(l);
	int64_t *more, left;

	if (!s || !s->is_late || !l->procs.v[proc].said.accused)
		return 0;
	more = mem_new(int64_t, l->places.n);
	late_compare_step(l, proc, s, &places, more);
	for (left = s->explained; left > 0;) {
		size_t most = 0;
		int64_t ns;
		for (size_t i = 1; i < l->places.n; i++)
			most = more[i] > more[most] ? i : most;
		ns = more[most] < left ? more[most] : left;
		if (ns <= 0)
			break;
		parts(ctx, str_at(&l->names, (uint32_t)l->places.key[2 * most + 1]),
		      l->places.key[2 * most] < 0 ? NULL : str_at(&l->names, (uint32_t)l->places.key[2 * most]), ns);
		more[most] = 0;
		left -= ns;
	}
	free(more);
	return s->explained;
}

int64_t late_lost_to_others(const late *l, size_t proc, int64_t moment)
{
	const judged_step *s = late_find_step_beginning_at(l, proc, moment);
	size_t k = s ? group_find(&l->blamed.g, (int64_t[]){ l->procs.v[proc].world, late_number_of(l, proc, s) }) :
		GROUP_NONE;

	return k == GROUP_NONE ? 0 :
		ns_sub(*sums_at(int64_t, &l->blamed, k), late_is_blamed(l, proc, s) ? s->explained : 0);
}
