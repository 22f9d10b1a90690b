#include "answer/answers.h"
#include "answer/step_windows.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "job/nccl_ops.h"
#include "launch/depends.h"

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "time that has this owner") \
	X(PCT, "pct", 'd', "%", "dur_ns as a share of the window") \
	X(SYNCED_NS, "synced_ns", 'i', "ns", "part of dur_ns in gaps that began while the CPU waited for the GPU") \
	X(COUNT, "count", 'i', NULL, "pieces of work, or idle stretches, that make up dur_ns") \
	X(OWNER, "owner", 't', NULL, "compute: {owner matmul..compute}; exposed communication: " \
	  "{owner comm.wait..comm}; exposed copies: {owner copy.pageable..copy}; idle: {owner launch..edge} " \
	  "(nsq help words owner)") \
	X(WHERE, "where", 't', NULL, "innermost range, digits folded: around the launch of the work; for idle " \
	  "time, on the launching thread") \
	X(NAME, "name", 't', NULL, "the kernel, copy or call")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void ledger_list_columns(const void *params, table *out)
{
	const ledger_params *p = params;

	if (p->mode == LEDGER_EACH) {
		table_columns(out, all_columns, DUR_NS, SYNCED_NS, OWNER, WHERE, NAME);
		table_sort(out, COL_GPU, false);
		table_sort(out, COL_START, false);
		return;
	}
	table_columns(out, all_columns, DUR_NS, PCT, SYNCED_NS, COUNT,
		      !p->keys || p->keys & LEDGER_BY_OWNER ? OWNER : 0, p->keys & LEDGER_BY_WHERE ? WHERE : 0,
		      p->keys & LEDGER_BY_NAME ? NAME : 0);
	table_sort(out, COL_GPU, false);
	table_sort(out, DUR_NS, true);
}

static question ledger_make_question(const void *params)
{
	const ledger_params *p = params;

	return (question){
		.need = OWNERS_NEED | step_windows_need(),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.steps = true,
		.match = p->choice.match,
		.choice = p->choice,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.mention_graphs = true,
		.replayed = p->mode == LEDGER_EACH || p->keys & LEDGER_BY_WHERE ?
			REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "no GPU work",
	};
}

enum { KEY_OWNER, KEY_WHERE, KEY_NAME, KEYS };

typedef struct {                /* what a piece of time (owner_piece) is about */
	uint32_t work;          /* the work that runs, or that ends the idle time; or NONE */
	bool idle;              /* is it idle time? */
} subject;

typedef struct {
	int64_t ns;
	int64_t synced;         /* the part of `ns` in gaps that began while the CPU waited for the GPU */
	int64_t count;          /* how many pieces were added; pieces in a row with the same subject count as one */
	subject last;           /* the subject of the piece that was added last; valid if `count` is not 0 */
} sum;

typedef struct {                /* the sums of one window on one lane (trace_lane, trace.h) */
	const ledger_params *p;
	const owners *o;
	const window *w;
	size_t lane;            /* the index in trace.lanes */
	sums *by;               /* by KEY_... */
} ledger_lane;

static bool ledger_is_same_subject(subject a, subject b)
{
	return a.work == b.work && a.idle == b.idle;
}

static void ledger_add_piece(void *ctx, const owner_piece *piece)
{
	ledger_lane *c = ctx;
	unsigned keys = c->p->keys ? c->p->keys : LEDGER_BY_OWNER;
	subject about = { piece->work, owner_is_idle(piece->owner) };
	sum *to = sums_of_width(c->by, KEYS, (int64_t[]){ [KEY_OWNER] = keys & LEDGER_BY_OWNER ? piece->owner : 0,
		[KEY_WHERE] = keys & LEDGER_BY_WHERE ? piece->where : STR_NONE,
		[KEY_NAME] = keys & LEDGER_BY_NAME ? piece->name : STR_NONE });

	to->ns = ns_add(to->ns, piece->at.b - piece->at.a);
	to->synced += piece->synced ? piece->at.b - piece->at.a : 0;
	to->count += !(to->count && ledger_is_same_subject(to->last, about));
	to->last = about;
}

static void ledger_add_sum_rows(answer_ctx *a, const trace_lane *lane, const sums *by)
{
	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		const sum *s = sums_at(sum, by, i);
		answer_add_row_of(a, lane->proc);
		table_int(a->out, COL_GPU, lane->gpu);
		table_int(a->out, DUR_NS, s->ns);
		table_pct(a->out, PCT, s->ns, ival_length(&a->w->gpu));
		table_int(a->out, SYNCED_NS, s->synced);
		table_int(a->out, COUNT, s->count);
		table_word(a->out, OWNER, owner_name((enum owner)key[KEY_OWNER]));
		table_set_name(a->out, WHERE, (uint32_t)key[KEY_WHERE]);
		table_set_name(a->out, NAME, (uint32_t)key[KEY_NAME]);
	}
}

static void ledger_sum_lane(void *ctx, size_t i)
{
	ledger_lane *c = &((ledger_lane *)ctx)[i];

	c->by = mem_new(sums, 1);
	*c->by = sums_by(KEYS, sizeof(sum));
	for (size_t k = 0; k < c->w->gpu.n; k++)
		owners_walk(c->o, c->lane, c->w->gpu.v[k], ledger_add_piece, c);
}

/* Sum the lanes of several windows at the same time, then make rows of the sums.  At most about MANY lanes are summed
 * together, because the sums of each take 6 kB until they become rows. */
static void ledger_sum_windows(answer_ctx *a, const ledger_params *p, const owners *o)
{
	enum { MANY = 1024 };
	vec(ledger_lane) lanes = { 0 };
	size_t next = 0, summed = 0;    /* the next lane that becomes rows; how many windows are summed */

	while (answer_next_window(a)) {
		if (summed < a->next) {
			next = lanes.n = 0;
			for (; summed < a->all->n && lanes.n < MANY; summed++) {
				const window *w = &a->all->v[summed];
				for (size_t end, lane = trace_find_lanes(a->t, w->proc, &end); lane < end; lane++)
					if (window_has_lane(w, &a->t->lanes[lane]))
						vec_push(&lanes, (ledger_lane){ p, o, w, lane, NULL });
			}
			par_do(a->t->workers, lanes.n, ledger_sum_lane, lanes.v);
		}
		for (; next < lanes.n && lanes.v[next].w == a->w; next++) {
			ledger_add_sum_rows(a, &a->t->lanes[lanes.v[next].lane], lanes.v[next].by);
			sums_free(lanes.v[next].by);
			free(lanes.v[next].by);
		}
	}
	vec_free(&lanes);
}

typedef struct {
	answer_ctx *a;
	const trace_lane *lane;
} ledger_list_ctx;

static void ledger_list_piece(void *ctx, const owner_piece *piece)
{
	ledger_list_ctx *l = ctx;
	table *out = l->a->out;

	answer_add_row_at(l->a, l->lane->proc, piece->at.a, piece->at.b);
	table_int(out, COL_GPU, l->lane->gpu);
	table_int(out, DUR_NS, piece->at.b - piece->at.a);
	table_int(out, SYNCED_NS, piece->synced ? piece->at.b - piece->at.a : 0);
	table_word(out, OWNER, owner_name(piece->owner));
	table_set_name(out, WHERE, piece->where);
	table_set_name(out, NAME, piece->name);
}

static void ledger_list_windows(answer_ctx *a, const owners *o)
{
	while (answer_next_window(a))
		for (size_t end, lane = trace_find_lanes(a->t, a->w->proc, &end); lane < end; lane++)
			for (size_t k = 0; window_has_lane(a->w, &a->t->lanes[lane]) && k < a->w->gpu.n; k++)
				owners_walk(o, lane, a->w->gpu.v[k], ledger_list_piece,
					    &(ledger_list_ctx){ a, &a->t->lanes[lane] });
}

static owners_params ledger_owners_params(const ledger_params *p)
{
	return (owners_params){ .choice = p->choice, .adopt = p->adopt, .captured = p->captured, .adopt_where = true,
		.owners_alone = p->mode != LEDGER_EACH && !(p->keys & (LEDGER_BY_WHERE | LEDGER_BY_NAME)) };
}

static bool ledger_add_rows(answer_ctx *a, const void *params)
{
	const ledger_params *p = params;
	owners_params how = ledger_owners_params(p);
	arrivals *ranks = p->ranks ? p->ranks : arrivals_new(NULL);
	owners *o;

	arrivals_set(ranks, a->t, &how, a->say);
	o = owners_build(a->t, &how);
	if (p->mode == LEDGER_EACH)
		ledger_list_windows(a, o);
	else
		ledger_sum_windows(a, p, o);
	owners_free(o);
	arrivals_unset(ranks);
	if (!p->ranks)
		arrivals_free(ranks);
	return true;
}

typedef struct {
	trace *t;
	const ledger_params *p;
} ledger_compute_ctx;

static void ledger_compute_part(void *ctx, size_t i)
{
	const ledger_compute_ctx *x = ctx;
	owners_params how = ledger_owners_params(x->p);

	if (i == 0) {
		depends_of(x->t);
	} else {
		nccl_ops_of(x->t);
		owners_free(owners_build(x->t, &how));
	}
}

static void ledger_compute_ahead(trace *t, const void *params)
{
	par_do(t->workers, 2, ledger_compute_part, &(ledger_compute_ctx){ t, params });
}

static void ledger_survey_trace(trace *t, const void *params, notes *say)
{
	arrivals_add(((const ledger_params *)params)->ranks, t, say);
}

const answer ledger_answer = { .all = all_columns, .columns = ledger_list_columns,
	.question = ledger_make_question, .survey = ledger_survey_trace, .ahead = ledger_compute_ahead,
	.rows = ledger_add_rows };
