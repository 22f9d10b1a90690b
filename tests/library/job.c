/*
 * job - operations of a few processes that are written out: which is the same as which, whose clock is wrong, who came
 * last.  Prints a line for each case; job.bats says what they must be.
 */
#include "base/memory.h"
#include "job/job_match.h"

#include <stdio.h>
#include <string.h>

enum { US = 1000, MS = 1000000, MOST = 24 };

/* ---- which operation is the same as which */

typedef struct {
	const char *name;
	size_t na, nb;
	int64_t a, b;           /* when the first begins */
	int64_t period, dur;    /* of each, one after another; 0: the sizes differ from one to the next, */
	bool alike;             /* or are all the same */
	size_t late;            /* so many of b run a second later */
	int64_t ahead;
} shift_case;

static void fill(job_item *v, size_t n, int64_t from, const shift_case *c)
{
	for (size_t i = 0; i < n; i++)
		v[i] = (job_item){ .bytes = c->alike ? 8 : (int64_t)i, .start = from + (int64_t)i * c->period,
			.end = from + (int64_t)i * c->period + c->dur, .needs_all = true };
}

static void shifts(void)
{
	static const shift_case cases[] = {
		{ "20 us late", .na = 1, .nb = 1, .b = 120 * US, .dur = 100 * US },
		{ "21 us late", .na = 1, .nb = 1, .b = 121 * US, .dur = 100 * US },
		{ "20 us early", .na = 1, .nb = 1, .a = 120 * US, .dur = 100 * US },
		{ "21 us early", .na = 1, .nb = 1, .a = 121 * US, .dur = 100 * US },
		{ "1 of 10 apart", .na = 10, .nb = 10, .period = MS, .dur = 100 * US, .late = 1 },
		{ "2 of 10 apart", .na = 10, .nb = 10, .period = MS, .dur = 100 * US, .late = 2 },
		{ "as many, one later", .na = 3, .nb = 3, .b = 95 * US, .period = 100 * US, .dur = 100 * US,
		  .alike = true },
		{ "one fewer, one later", .na = 3, .nb = 2, .b = 95 * US, .period = 100 * US, .dur = 100 * US,
		  .alike = true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const shift_case *c = &cases[i];
		job_item a[MOST], b[MOST];
		job_fit fit;
		bool found;
		fill(a, c->na, c->a, c);
		fill(b, c->nb, c->b, c);
		for (size_t k = 0; k < c->late; k++) {
			b[k].start += 1000 * MS;
			b[k].end += 1000 * MS;
		}
		found = job_best_shift((job_sequence){ a, c->na }, (job_sequence){ b, c->nb }, c->ahead, &fit);
		if (found)
			printf("%s: %lld\n", c->name, (long long)fit.shift);
		else
			printf("%s: none\n", c->name);
	}
}

/* ---- jobs */

static uint32_t add_proc(job *j, uint32_t at, int64_t rank)
{
	const char *shown = arena_printf(&j->texts, "%zu", j->procs.n);

	if (at == j->traces.n)
		vec_push(&j->traces,
			 (job_trace){ .path = arena_printf(&j->texts, "t%u", at), .has_utc = true, .host = "h" });
	vec_push(&j->procs, (job_proc){ at, 100, -1, rank, shown, shown });
	return (uint32_t)j->procs.n - 1;
}

static uint32_t add(job *j, uint32_t proc, uint64_t comm, int64_t bytes, int64_t start, int64_t end)
{
	uint32_t op = (uint32_t)j->ops.n;

	vec_push(&j->ops, (job_op){ .proc = proc, .comm = NONE, .name = str_id(&j->names, "allreduce", 9),
		 .needs_all = true, .bytes = bytes, .start = start, .end = end, .card = STR_NONE,
		 .first_message = j->messages.n, .seq = TRACE_UNKNOWN, .party = NONE });
	vec_reserve(&j->op_comms, j->op_comms.n + 1);
	j->op_comms.v[j->op_comms.n].op = op;
	j->op_comms.v[j->op_comms.n++].comm = comm;
	vec_push(&j->kernels, (job_kernel){ .op = op, .leads = true, .start = start, .end = end, .last = NONE });
	return op;
}

/* So many operations, a millisecond apart, of sizes from first on; 0: all alike. */
static void series(job *j, uint32_t proc, uint64_t comm, size_t n, int64_t first, int64_t from)
{
	for (size_t i = 0; i < n; i++)
		add(j, proc, comm, first ? first + (int64_t)i : 8, from + (int64_t)i * MS,
		    from + (int64_t)i * MS + 100 * US);
}

static void message(job *j, uint32_t proc, bool send, int64_t peer, int64_t start)
{
	uint32_t op = add(j, proc, 1, 8, start, start + 100 * US);

	j->ops.v[op].name = str_id(&j->names, "sendrecv", 8);
	j->ops.v[op].needs_all = false;
	j->ops.v[op].messages_only = true;
	j->ops.v[op].nmessages = 1;
	vec_push(&j->messages, (job_message){ op, NONE, send, peer, 8 });
}

static void print_notes(const notes *say)
{
	for (size_t i = 0; i < say->n; i++)
		printf("  %s\n", say->v[i].text);
}

/* Two traces of so many operations each, of which the last n of one are the first of the other, on clocks a second apart.
 * Of these one may begin 10 us after it has ended in the other. */
static void common(size_t of, size_t n, bool impossible)
{
	job *j = job_new();
	notes say = { 0 };
	job_op *first;

	series(j, add_proc(j, 0, 0), 1, of, 1, 0);
	series(j, add_proc(j, 1, 1), 1, of, (int64_t)(of - n) + 1, (int64_t)(of - n) * MS + 1000 * MS);
	first = &j->ops.v[of];
	first->start += impossible ? 110 * US : 0;
	first->end += impossible ? 110 * US : 0;
	job_match(j, JOB_CLOCK_BEST, &say);
	printf("%zu of %zu in common%s, a second off: shifted by %lld ms\n", n, of,
	       impossible ? ", one impossible" : "", (long long)(j->traces.v[1].shift / MS));
	notes_free(&say);
	job_free(j);
}

/* Ten equal operations each, of which the second trace has the last ones later, on the same clock. */
static void alike(size_t later)
{
	job *j = job_new();
	notes say = { 0 };

	series(j, add_proc(j, 0, 0), 1, 10, 0, 0);
	series(j, add_proc(j, 1, 1), 1, 10, 0, (int64_t)later * MS);
	job_match(j, JOB_CLOCK_BEST, &say);
	printf("ten alike, %zu later: shifted by %lld ms\n", later, (long long)(j->traces.v[1].shift / MS));
	notes_free(&say);
	job_free(j);
}

/* Two ways from the first trace to the last: over one with which it shares little, or much. */
static void two_ways(void)
{
	job *j = job_new();
	notes say = { 0 };
	uint32_t p[4];

	for (uint32_t i = 0; i < 4; i++)
		p[i] = add_proc(j, i, i);
	series(j, p[0], 1, 2, 0, 0);
	series(j, p[1], 1, 2, 0, 0);
	series(j, p[0], 2, 5, 0, 10 * MS);
	series(j, p[2], 2, 5, 0, 10 * MS);
	series(j, p[1], 3, 3, 0, 20 * MS);
	series(j, p[3], 3, 3, 0, 20 * MS);
	series(j, p[2], 4, 3, 0, 30 * MS);
	series(j, p[3], 4, 3, 0, 30 * MS);
	job_match(j, JOB_CLOCK_ENDS, &say);
	for (size_t i = 0; i < say.n; i++)
		if (strstr(say.v[i].text, "clock of 't3'"))
			printf("two ways: t3 against %.4s\n", strstr(say.v[i].text, "against ") + 8);
	notes_free(&say);
	job_free(j);
}

/* Of two that come last at the same moment. */
static void equal_arrivals(void)
{
	job *j = job_new();
	notes say = { 0 };

	for (uint32_t i = 0; i < 3; i++)
		add(j, add_proc(j, 0, i), 1, 8, i ? 50 * US : 0, 100 * US);
	job_match(j, JOB_CLOCK_BEST, &say);
	printf("equal arrivals:");
	for (size_t i = 0; i < j->kernels.n; i++)
		printf(" %s", j->procs.v[j->kernels.v[i].last].shown);
	printf("\n");
	print_notes(&say);
	notes_free(&say);
	job_free(j);
}

/* Two processes without ranks.  The first sends to 1.  The second receives from 0; it may also name itself. */
static void peers(int64_t second)
{
	job *j = job_new();
	notes say = { 0 };
	uint32_t a = add_proc(j, 0, -1), b = add_proc(j, 0, -1);

	message(j, a, true, 1, 0);
	message(j, b, false, 0, 10 * US);
	if (second >= 0)
		message(j, b, false, second, 500 * US);
	job_match(j, JOB_CLOCK_BEST, &say);
	printf("peers 0 and %lld:", (long long)second);
	for (size_t i = 0; i < j->kernels.n; i++)
		printf(" %s", j->kernels.v[i].last == NONE ? "-" : j->kernels.v[i].last == a ? "a" : "b");
	printf("\n");
	notes_free(&say);
	job_free(j);
}

/* An array by name, while another thread adds a name: mem_grow, which asks for its room, does so in its place. */
static str_pool *grows;

void *__real_mem_grow(void *p, size_t n, size_t size);
void *__wrap_mem_grow(void *p, size_t n, size_t size);
void *__wrap_mem_grow(void *p, size_t n, size_t size)
{
	str_pool *names = grows;
	char *v;

	grows = NULL;
	if (!names)
		return __real_mem_grow(p, n, size);
	str_id(names, "late", 4);
	v = __real_mem_grow(p, n + 1, size);
	memset(v + n * size, 'x', size);
	return v;
}

static void name_comes_late(void)
{
	str_pool names = { 0 };
	uint32_t *of, behind;

	str_id(&names, "early", 5);
	grows = &names;
	of = str_array(&names);
	memcpy(&behind, of + 1, sizeof behind);
	printf("by name: %zu names, %s, %s\n", (size_t)names.n, of[0] == STR_NONE ? "none" : "something",
	       memcmp(&behind, "xxxx", 4) == 0 ? "untouched behind it" : "overwritten behind it");
	free(of);
	str_free(&names);
}

int main(void)
{
	shifts();
	equal_arrivals();
	common(12, 5, false);
	common(12, 6, false);
	common(13, 8, false);
	common(13, 8, true);
	alike(3);
	two_ways();
	peers(-1);
	peers(1);
	name_comes_late();
	return 0;
}
