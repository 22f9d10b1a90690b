#include "picture/one_clock.h"
#include "base/sort.h"
#include "job/job_match.h"

struct one_clock {
	job *job;
	vec(size_t) at;         /* by trace: its number in the job */
	vec(ival) span;         /* by trace: the time of its events, on its own clock; one_clock_set_ahead moves
				 * it to the clock of the first trace */
	vec(int64_t) ahead;     /* by trace: how far the common clock is ahead of the trace's clock, ns */
	const char *words;      /* the sentence about the clock */
	arena texts;
	bool found;             /* `ahead`, `words` and `common` are set */
	bool common;            /* all traces are drawn on one clock */
};

one_clock *one_clock_new(void)
{
	one_clock *c = mem_new(one_clock, 1);

	c->job = job_new();
	return c;
}

void one_clock_free(one_clock *c)
{
	if (!c)
		return;
	job_free(c->job);
	mem_free(c->at.v, c->span.v, c->ahead.v);
	arena_free(&c->texts);
	free(c);
}

job *one_clock_job(one_clock *c)
{
	return c ? c->job : NULL;
}

void one_clock_add(one_clock *c, trace *t, notes *say)
{
	size_t at = job_add(c->job, t, say);

	if (at == SIZE_MAX)
		return;
	vec_push(&c->at, at);
	vec_push(&c->span, t->span);
}

static int one_clock_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const one_clock *c = ctx;

	return sort_3way(c->span.v[a].a, c->span.v[b].a);
}

/* Find the first trace, in order of start, that begins after all earlier ones have ended.  NONE: there is no such
 * trace. */
static uint32_t one_clock_find_later_trace(const one_clock *c)
{
	uint32_t *order = sort_order(c->span.n, one_clock_compare_starts, c), found = NONE;
	int64_t until = INT64_MAX;

	for (size_t i = 0; i < c->span.n && found == NONE; i++) {
		uint32_t at = order ? order[i] : (uint32_t)i;
		if (i && c->span.v[at].a > until)
			found = at;
		until = i && until > c->span.v[at].b ? until : c->span.v[at].b;
	}
	free(order);
	return found;
}

static void one_clock_set_ahead(one_clock *c, notes *say)
{
	notes remarks = { 0 };
	int64_t least_shift = INT64_MAX;
	uint32_t later;

	c->found = true;
	if (c->span.n > 1)
		job_set_clocks(c->job, JOB_CLOCK_BEST, &remarks);
	for (size_t i = 0; i < c->span.n; i++) {
		const job_trace *t = &c->job->traces.v[c->at.v[i]];
		vec_push(&c->ahead, t->shift);
		c->span.v[i] = (ival){ ns_add(c->span.v[i].a, t->shift), ns_add(c->span.v[i].b, t->shift) };
		least_shift = t->shift < least_shift ? t->shift : least_shift;
	}
	later = one_clock_find_later_trace(c);
	if (later != NONE) {
		notes_free(&remarks);
		notes_remark(&remarks, "'%s' begins when the traces before it have ended",
			     c->job->traces.v[c->at.v[later]].path);
	}
	c->common = later == NONE;
	c->words = later != NONE ? "each trace is drawn on its own clock" :
		remarks.n ? "all traces are drawn on one clock" : "all traces are drawn on one clock, by UTC";
	for (size_t i = 0; i < remarks.n; i++) {
		notes_add(say, remarks.v[i].level, "%s%s", remarks.v[i].text,
			  later != NONE ? ", so each is drawn on its own clock" : "");
		c->words = arena_printf(&c->texts, "%s%s %s", c->words, i ? ";" : ":", remarks.v[i].text);
	}
	for (size_t i = 0; i < c->ahead.n; i++)
		c->ahead.v[i] = later != NONE ? 0 : ns_sub(c->ahead.v[i], least_shift);
	notes_free(&remarks);
}

int64_t one_clock_ahead(one_clock *c, const trace *t, notes *say)
{
	if (c && !c->found)
		one_clock_set_ahead(c, say);
	for (size_t i = 0; c && i < c->at.n; i++)
		if (c->at.v[i] == job_find(c->job, t))
			return c->ahead.v[i];
	return 0;
}

int64_t one_clock_nth_ahead(one_clock *c, size_t n)
{
	notes unsaid = { 0 };           /* not passed on, because one_clock_sentence says the same */

	if (!c->found)
		one_clock_set_ahead(c, &unsaid);
	notes_free(&unsaid);
	return n < c->ahead.n ? c->ahead.v[n] : 0;
}

bool one_clock_is_common(one_clock *c)
{
	one_clock_nth_ahead(c, 0);
	return c->common;
}

const char *one_clock_sentence(const one_clock *c)
{
	return !c ? "each trace is drawn on its own clock" : c->at.n > 1 ? c->words : NULL;
}
