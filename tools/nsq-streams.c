/* nsq-streams - which streams compute, which communicate, and for what? */
#include "base/group.h"
#include "relate/ranges_around.h"
#include "base/pattern.h"
#include "cli/run.h"

#include <string.h>

static const char *purpose_rules = "purposes", *comm;
static bool adopt;

static const opt options[] = {
	{ "rules", 0, "RULES", "purpose rules: a file of REGEX<TAB>LABEL (default: built in)",
	  OPT_TEXT, &purpose_rules, 0, 0 },
	OPT_COMM(&comm),
	OPT_ADOPT(&adopt, 0),
	{ 0 }
};

static const table_col all[] = {
	{ "class", 't', NULL, "compute, comm (kernels that all communicate) or copy, over the whole trace" },
	{ "kernels", 'i', NULL, "kernels in the window" },
	{ "comm_kernels", 'i', NULL, "of them, communication" },
	{ "copies", 'i', NULL, "memory copies and sets" },
	{ "busy_ns", 'i', "ns", "some work of the stream runs (union)" },
	{ "busy_pct", 'd', "%", "busy of the window" },
	{ "purpose", 't', NULL, "label all its communication kernels agree on; mixed: they do not" },
	{ "name", 't', NULL, "its kernel with the most time" },
	{ 0 }
};

static void columns(table *t)
{
	table_columns(t, all, "gpu ctx stream class kernels comm_kernels copies busy_ns busy_pct purpose name");
	table_sort(t, "gpu", false);
	table_sort(t, "ctx", false);
	table_sort(t, "stream", false);
}

static const opt_tool tool = {
	.name = "nsq-streams",
	.question = "Which streams compute, which communicate, and for what?",
	.examples = { "nsq-streams run.sqlite", "nsq-window run.sqlite | nsq-streams -f table" },
	.options = options,
	.all = all,
	.columns = columns,
};

enum { NOT_ASKED = UINT32_MAX - 1 };

typedef struct {
	int64_t kernels, comms, copies;
	int64_t busy;           /* in the window */
	int64_t until;          /* the latest end so far */
	uint32_t purpose;       /* string, STR_NONE: no label; NOT_ASKED: no communication kernel yet */
	bool mixed, seen;
} use;

/* For each stream the name with the most time, from the sums of each stream and name. */
static void top_names(const trace *t, const group *g, const int64_t *ns, uint32_t *top)
{
	int64_t *most = mem_new(int64_t, t->nstreams);

	memset(top, 0xff, t->nstreams * sizeof *top);
	for (size_t i = 0; i < g->n; i++) {
		size_t st = (size_t)g->key[2 * i];
		uint32_t name = (uint32_t)g->key[2 * i + 1];
		if (top[st] == STR_NONE || ns[i] > most[st] ||
		    (ns[i] == most[st] && str_cmp(&t->names, name, top[st]) < 0)) {
			most[st] = ns[i];
			top[st] = name;
		}
	}
	free(most);
}

static void print(session *s, size_t i, const use *u, uint32_t top)
{
	const trace_stream *st = &s->t->streams[i];

	session_row(s);
	session_stream(s, st);
	table_text(&s->out, st->class == 'c' ? "compute" : st->class == 'm' ? "comm" : "copy");
	table_int(&s->out, u->kernels);
	table_int(&s->out, u->comms);
	table_int(&s->out, u->copies);
	table_int(&s->out, u->busy);
	table_pct(&s->out, u->busy, ival_length(&s->w->gpu));
	table_text(&s->out, u->mixed ? "mixed" : u->purpose == NOT_ASKED ? NULL :
		   str_at(&s->t->names, u->purpose));
	table_text(&s->out, str_at(&s->t->names, top));
	session_row_end(s);
}

typedef struct {                /* what a window holds */
	use *uses;              /* by stream */
	group names;            /* stream, kernel name: */
	vec(int64_t) times;
} sums;

/* Work comes in order of start: what begins before the latest end on its stream adds what lies after it. */
static void add_work(session *s, nest *n, sums *to, size_t i)
{
	const trace *t = s->t;
	int64_t start = t->work.start[i], end = t->work.end[i];
	use *u = &to->uses[t->work.stream[i]];

	u->seen = true;
	u->busy = ns_add(u->busy, ival_within(&s->w->gpu, start > u->until ? start : u->until, end));
	u->until = end > u->until ? end : u->until;
	u->kernels += t->work.kind[i] == WORK_KERNEL;
	u->copies += t->work.kind[i] >= WORK_COPY;
	if (t->work.kind[i] <= WORK_GRAPH) {
		size_t k = group_of(&to->names, (int64_t[]){ t->work.stream[i], t->work.name[i] });
		if (k == to->times.n)
			vec_push(&to->times, 0);
		to->times.v[k] = ns_add(to->times.v[k], ival_within(&s->w->gpu, start, end));
	}
	if (trace_is_comm(t, i)) {
		uint32_t label = nest_label(n, i);
		u->mixed |= u->comms++ && label != u->purpose;
		u->purpose = label;
	}
}

static void streams(session *s, nest *n)
{
	const trace *t = s->t;
	sums found = { .uses = mem_new(use, t->nstreams), .names = { .width = 2 } };
	uint32_t *top = mem_new(uint32_t, t->nstreams);

	for (size_t i = 0; i < t->nstreams; i++)
		found.uses[i].purpose = NOT_ASKED;
	for (size_t l = 0; l < t->nlanes; l++) {
		size_t lo, hi;
		if (!window_lane(s->w, &t->lanes[l]))
			continue;
		window_work(t, &t->lanes[l], &s->w->gpu, &lo, &hi);
		for (size_t i = lo; i < hi; i++)
			if (window_has(&s->w->gpu, t->work.start[i], t->work.end[i]))
				add_work(s, n, &found, i);
	}
	top_names(t, &found.names, found.times.v, top);
	for (size_t i = 0; i < t->nstreams; i++)
		if (found.uses[i].seen)
			print(s, i, &found.uses[i], top[i]);
	group_free(&found.names);
	vec_free(&found.times);
	free(found.uses);
	free(top);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);
	const rules *r = rules_load(purpose_rules);

	s.need = TRACE_WORK | TRACE_COMM_LAUNCH | TRACE_RANGES;
	s.must = SESSION_CUDA;
	s.comm = pattern_compile("--comm", comm);
	s.warn_lost = true;
	s.empty = "no GPU work in the windows";
	while (session_trace(&s)) {
		nest *n = nest_build(s.t, adopt ? NEST_ADOPT : NEST_WORK);
		nest_use_rules(n, r);
		while (session_window(&s))
			streams(&s, n);
		nest_free(n);
	}
	return session_end(&s);
}
