#include "picture/marked.h"
#include "answer/step_windows.h"
#include "base/sums.h"
#include "step/kernel_flaws.h"

#include <string.h>

marked *marked_new(const load_comm_pattern *comm, bool captured, job *shared)
{
	marked *m = mem_new(marked, 1);

	m->job = advise_begin(shared);
	m->advice = (advise_params){ .mode = ADVISE_FINDINGS, .comm = comm, .min_pct = 2, .captured = captured,
		.only = ADVISE_EVERYTHING, .job = m->job };
	return m;
}

void marked_free(marked *m)
{
	if (!m)
		return;
	advise_end(m->job);
	table_free(&m->steps);
	table_free(&m->typical);
	table_free(&m->found);
	mem_free(m->units.v, m->places.v, m->stepped.v, m->findings.v);
	arena_free(&m->texts);
	free(m);
}

unsigned marked_need(void)
{
	return advise_tables_need() | step_windows_need();
}

static const window_filter everything = { .pid = -1, .sub = -1, .gpu = -1 };

/* ---- steps */

static window_params marked_choose_all_steps(void)
{
	window_params p = { .mode = WINDOW_PICK };

	window_read_picks("all", &p);
	return p;
}

static const window_params typical_step = { .mode = WINDOW_PICK, .skip = WINDOW_BY_DEFAULT };

static void marked_add_steps(marked *m, trace *t)
{
	window_params every = marked_choose_all_steps();
	windows whole = window_resolve(t, NULL, &everything, WINDOW_GPU_WORK, NULL);

	answer_rows(&window_answer, t, &whole, &every, &m->steps, NULL);
	answer_rows(&window_answer, t, &whole, &typical_step, &m->typical, NULL);
	window_free(&whole);
}

static int64_t marked_read_pid(const table *rows, size_t i, int64_t *sub)
{
	int64_t cell = table_value(rows, i, COL_PID)->i;

	*sub = cell % TABLE_SUBS - 1;
	return cell / TABLE_SUBS;
}

/* On the GPU, a step ends where the next step of its process begins, if there is one. */
static void marked_extend_step(marked_step *s, const marked_step *next)
{
	if (s->pid == next->pid && s->sub == next->sub && next->gpu.a > s->gpu.a && strcmp(s->trace, next->trace) == 0)
		s->gpu.b = next->gpu.a;
}

/* Set marked_step.typical.  The typical steps and all steps are in the same order, so each search begins where the
 * last one ended.  A row of STEPS_PROCESS stands for a process without steps. */
static void marked_mark_typical_steps(marked *m)
{
	const table *rows = &m->typical;
	size_t at = 0;

	for (size_t i = 0; i < table_rows(rows); i++) {
		int64_t sub, pid = marked_read_pid(rows, i, &sub), number = table_find(rows, i, "number")->i;
		const char *path = table_value(rows, i, COL_TRACE)->t;
		for (size_t n = 0; n < m->stepped.n && window_rule_of_row(rows, i) != STEPS_PROCESS; n++) {
			marked_step *s = &m->stepped.v[(at + n) % m->stepped.n];
			if (s->number != number || s->pid != pid || s->sub != sub || strcmp(s->trace, path) != 0)
				continue;
			s->typical = true;
			at += n;
			break;
		}
	}
}

/* List the steps of all traces, unless they were listed before.  Rows of STEPS_PROCESS are left out. */
static void marked_list_steps(marked *m)
{
	const table *rows = &m->steps;
	window_params every = marked_choose_all_steps();

	if (!table_rows(rows) || m->stepped.n || !window_finish(&every, &m->steps, NULL) ||
	    !window_finish(&typical_step, &m->typical, NULL))
		return;
	for (size_t i = 0; i < table_rows(rows); i++) {
		marked_step s = { .trace = table_value(rows, i, COL_TRACE)->t, .name = table_find(rows, i, "name")->t,
			.number = table_find(rows, i, "number")->i,
			.gpu = { table_value(rows, i, COL_START)->i, table_value(rows, i, COL_END)->i },
			.cpu = { table_find(rows, i, "cpu_start_ns")->i, table_find(rows, i, "cpu_end_ns")->i } };
		s.pid = marked_read_pid(rows, i, &s.sub);
		if (window_rule_of_row(rows, i) == STEPS_PROCESS)
			continue;
		if (m->stepped.n)
			marked_extend_step(&m->stepped.v[m->stepped.n - 1], &s);
		vec_push(&m->stepped, s);
	}
	marked_mark_typical_steps(m);
}

ival_set marked_typical_times(const marked *m, const trace *t)
{
	vec(ival) both = { 0 };
	ival_set all = { 0 };

	for (size_t i = 0; i < m->stepped.n; i++)
		if (m->stepped.v[i].typical && strcmp(m->stepped.v[i].trace, t->path) == 0) {
			vec_push(&both, m->stepped.v[i].gpu);
			vec_push(&both, m->stepped.v[i].cpu);
		}
	if (both.n)
		all = ival_union(both.v, both.n);
	vec_free(&both);
	return all;
}

/* ---- places */

enum { ANY_OWNER = OWNERS };

typedef struct {
	ival at;                /* the longest stretch */
	int64_t ns;             /* the sum of all stretches */
} stretches;

typedef struct {
	sums found;             /* the stretches of each key.  A key is an owner, ANY_OWNER, or ANY_OWNER + a flaw, and
				 * a range as in owner_piece, a stretch of time with one owner (step/owners.h) */
	const kernel_flaws *flaws;
	ival run;               /* the time without interruption in one range, whoever owns it; it ends at the end of
				 * the current piece */
	int64_t where;          /* the range of `run`, as in owner_piece */
} marked_walk_ctx;

static void marked_add_stretch(marked_walk_ctx *w, int owner, int64_t where, ival stretch, int64_t ns)
{
	stretches *sum = sums_of(&w->found, (int64_t[]){ owner, where });

	sum->ns += ns;
	if (stretch.b - stretch.a > sum->at.b - sum->at.a)
		sum->at = stretch;
}

static void marked_add_piece(void *ctx, const owner_piece *piece)
{
	marked_walk_ctx *w = ctx;
	bool continues = w->run.b == piece->at.a && w->where == piece->where;

	w->run = (ival){ continues ? w->run.a : piece->at.a, piece->at.b };
	w->where = piece->where;
	marked_add_stretch(w, piece->owner, piece->where, piece->at, piece->at.b - piece->at.a);
	if (piece->synced && piece->owner != OWNER_SYNC)        /* the finding `sync` also counts idle time that
								 * began while the CPU waited for the GPU */
		marked_add_stretch(w, OWNER_SYNC, piece->where, piece->at, piece->at.b - piece->at.a);
	if (!owner_is_idle(piece->owner) && kernel_flaws_of(w->flaws, piece->work) != FLAW_NONE)
		marked_add_stretch(w, ANY_OWNER + (int)kernel_flaws_of(w->flaws, piece->work), piece->where, piece->at,
				    piece->at.b - piece->at.a);
	marked_add_stretch(w, ANY_OWNER, piece->where, w->run, piece->at.b - piece->at.a);
}

static void marked_add_places(marked *m, const trace *t, owners *o, const kernel_flaws *flaws, size_t lane, ival within)
{
	marked_walk_ctx w = { .found = sums_by(2, sizeof(stretches)), .flaws = flaws };

	if (within.a < within.b)
		owners_walk(o, lane, within, marked_add_piece, &w);
	for (size_t i = 0; i < w.found.g.n; i++) {
		const char *where = str_at(&t->names, (uint32_t)sums_key(&w.found, i)[1]);
		int owner = (int)sums_key(&w.found, i)[0];
		const stretches *sum = sums_at(stretches, &w.found, i);
		vec_push(&m->places, (marked_place){ .where = where ? arena_copy(&m->texts, where) : NULL,
			 .owner = owner == ANY_OWNER ? "any" : owner < ANY_OWNER ? owner_name((enum owner)owner) : NULL,
			 .flaw = owner > ANY_OWNER ? kernel_flaws_name((enum flaw)(owner - ANY_OWNER)) : NULL,
			 .idle = owner < ANY_OWNER && owner_is_idle((enum owner)owner), .at = sum->at, .ns = sum->ns });
	}
	sums_free(&w.found);
}

/* Find the places of the units that the trace added to the advice. */
static void marked_find_places(marked *m, trace *t, ival within)
{
	const advise_tables *a = advise_tables_of(m->job);
	bool more = m->units.n < a->units.n;
	owners *o = more ? owners_build(t, &(owners_params){ .captured = m->advice.captured }) : NULL;
	kernel_flaws *flaws = o ? kernel_flaws_build(t, o) : NULL;

	while (o && m->units.n < a->units.n) {
		const advise_unit *u = &a->units.v[m->units.n];
		for (size_t l = 0; l < t->nlanes; l++) {
			const trace_proc *p = &t->procs[t->lanes[l].proc];
			bool matches = t->lanes[l].gpu == u->gpu && p->pid == u->pid && p->sub == u->sub;
			for (size_t i = u->first; matches && i < u->first + u->steps; i++)
				marked_add_places(m, t, o, flaws, l, ival_cut(within, a->steps.v[i].at));
		}
		vec_push(&m->units, m->places.n);
	}
	if (o) {
		kernel_flaws_free(flaws);
		owners_free(o);
	}
}

static bool marked_has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
		if (strcspn(words, " ") == n && memcmp(words, word, n) == 0)
			return true;
	return false;
}

/* Is a finding about this place? */
static bool marked_is_about(const marked_finding *f, const marked_place *p)
{
	if (f->flaw)
		return p->flaw && strcmp(f->flaw, p->flaw) == 0;
	return p->owner && marked_has_word(f->owners, p->owner);
}

typedef struct {
	int worth;              /* the rule of marked.h that found it: 3 for rule 1, 2 for rule 2, 1 for rule 3, 0
				 * for rule 4 */
	ival at;                /* the longest stretch with this worth */
	int64_t ns;             /* the sum of all stretches with this worth */
	bool here;              /* does the time that was searched hold any place of the finding's process and GPU? */
} best_place;

static size_t marked_find_unit(const marked *m, const marked_finding *f)
{
	const advise_unit *u = advise_tables_of(m->job)->units.v;
	size_t i = 0;

	while (i < m->units.n && (u[i].pid != f->pid || u[i].sub != f->sub || u[i].gpu != f->gpu ||
				  strcmp(u[i].trace, f->trace) != 0))
		i++;
	return i;
}

/* Find the best place for a finding in the time `within`.  where: the range that the finding names, or NULL. */
static best_place marked_find_best(const marked *m, const marked_finding *f, const char *where, ival within)
{
	best_place best = { .at = { f->at.a, f->at.a } };
	size_t unit = marked_find_unit(m, f);

	for (size_t i = unit ? m->units.v[unit - 1] : 0; unit < m->units.n && i < m->units.v[unit]; i++) {
		const marked_place *p = &m->places.v[i];
		bool there = where && p->where && strcmp(p->where, where) == 0, about = marked_is_about(f, p);
		int worth = about ? there ? 3 : 2 : there && p->idle;
		if (p->at.a < within.a || p->at.b > within.b)
			continue;
		best.here = true;
		if (!worth || worth < best.worth)
			continue;
		if (worth > best.worth)
			best = (best_place){ worth, p->at, 0, true };
		if (p->at.b - p->at.a > best.at.b - best.at.a)
			best.at = p->at;
		best.ns += p->ns;
	}
	return best;
}

static ival marked_find_typical(const marked *m, const marked_finding *f)
{
	for (size_t i = 0; i < m->stepped.n; i++) {
		const marked_step *s = &m->stepped.v[i];
		if (s->typical && s->pid == f->pid && s->sub == f->sub && strcmp(s->trace, f->trace) == 0)
			return s->gpu;
	}
	return (ival){ 0, 0 };
}

/* Choose where a finding is marked, by the rules in marked.h.  step: if the finding is about only some steps, one of
 * them; otherwise empty. */
static void marked_place_finding(const marked *m, marked_finding *f, ival step, const char *where)
{
	best_place best = marked_find_best(m, f, where, (ival){ INT64_MIN, INT64_MAX });
	best_place typical = marked_find_best(m, f, where, marked_find_typical(m, f)),
		   named = marked_find_best(m, f, where, step);

	f->shown = best.worth ? "the longest stretch of it" : NULL;
	if (named.here && named.worth == 3) {
		best = named;
		f->shown = "the longest stretch of it in this step";
	} else if (named.here) {
		best.at = step;
		f->shown = "the step itself";
	} else if (typical.worth && typical.worth == best.worth && typical.ns >= f->recover_ns / 2) {
		best = typical;
		f->shown = "the longest stretch of it in the typical step";
	}
	f->at = best.at;
}

/* ---- findings */

static const char *marked_read_text(const table *rows, size_t i, const char *column)
{
	return table_find(rows, i, column)->t;
}

static void marked_list_findings(marked *m)
{
	const table *rows = &m->found;

	if (!advise_tables_of(m->job)->units.n || !advise_answer.finish(&m->advice, &m->found, NULL))
		return;
	for (size_t i = 0; i < table_rows(rows); i++) {
		const char *text = marked_read_text(rows, i, "finding");
		marked_finding f = { .trace = marked_read_text(rows, i, "trace"),
				     .severity = marked_read_text(rows, i, "severity"),
				     .kind = marked_read_text(rows, i, "kind"),
				     .owners = advise_about_row(m->job, i)->owners,
				     .flaw = advise_about_row(m->job, i)->flaw,
				     .finding = text,
				     .advice = marked_read_text(rows, i, "advice"),
				     .title = arena_printf(&m->texts, "%.*s", (int)advise_about_row(m->job, i)->title,
							   text),
				     .evidence = marked_read_text(rows, i, "evidence"),
				     .recover_ns = table_find(rows, i, "recover_ns")->i,
				     .recover_pct = table_find(rows, i, "recover_pct")->d,
				     .gpu = table_value(rows, i, COL_GPU)->i,
				     .at = { table_value(rows, i, COL_START)->i, table_value(rows, i, COL_END)->i },
				     .whole = table_find(rows, i, "steps")->i == TABLE_MISSING };
		f.pid = marked_read_pid(rows, i, &f.sub);
		marked_place_finding(m, &f, advise_about_row(m->job, i)->step, marked_read_text(rows, i, "where"));
		vec_push(&m->findings, f);
	}
}

/* ---- marking all traces */

void marked_survey(marked *m, trace *t)
{
	m->surveyed++;
	if (!t->has_cuda)
		return;
	marked_add_steps(m, t);
	advise_answer.survey(t, &m->advice, NULL);
}

void marked_add(marked *m, trace *t, ival within)
{
	windows work;

	m->added++;
	if (!t->has_cuda)
		return;
	if (!m->surveyed)
		marked_add_steps(m, t);
	marked_list_steps(m);
	work = window_resolve(t, NULL, &everything, WINDOW_GPU_WORK, NULL);
	if (work.n && advise_add(t, &work, &m->advice, NULL))
		marked_find_places(m, t, within);
	window_free(&work);
}

void marked_end(marked *m)
{
	marked_list_steps(m);
	marked_list_findings(m);
}
