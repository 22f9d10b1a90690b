#include "answer/question.h"
#include "base/pattern.h"
#include "base/suggest.h"
#include "base/text.h"
#include "timeline/clock_offset.h"
#include "timeline/comm_work.h"
#include "timeline/lost_events.h"
#include "trace/graph_nodes.h"
#include "trace/load_chains.h"
#include "trace/load_metrics.h"
#include "trace/memory_events.h"
#include "trace/nic_metrics.h"

#include <string.h>

enum { NAMES_MOST = 200 };      /* the most names with which a misspelled one is compared */

static const struct {
	unsigned kind;
	const char *name;
} event_kinds[] = {
	{ MUST_CUDA, "CUDA events" }, { MUST_NVTX, "NVTX events" }, { MUST_OS, "OS calls" },
	{ MUST_SWITCHES, "context switches" }, { MUST_SAMPLES, "CPU samples" },
};

unsigned question_find_missing(const trace *t, unsigned kinds)
{
	return kinds & ~((t->has_cuda ? MUST_CUDA : 0u) | (t->has_nvtx ? MUST_NVTX : 0u) | (t->has_os ? MUST_OS : 0u) |
		      (t->has_switches ? MUST_SWITCHES : 0u) | (t->has_samples ? MUST_SAMPLES : 0u) | MUST_ANY);
}

const char *question_flags(unsigned kinds, const char *between, arena *texts)
{
	const char *names = "";

	for (size_t i = 0; i < sizeof event_kinds / sizeof *event_kinds; i++)
		if (kinds & event_kinds[i].kind)
			names = arena_printf(texts, "%s%s%s", names, *names ? between : "", event_kinds[i].name);
	return arena_printf(texts, "%s; capture them with nsys profile%s%s%s%s", names,
			    kinds & (MUST_CUDA | MUST_NVTX | MUST_OS) ? " --trace=cuda,nvtx" : "",
			    kinds & MUST_OS ? ",osrt" : "",
			    kinds & MUST_SWITCHES ? " --cpuctxsw=process-tree" : "",
			    kinds & MUST_SAMPLES ? " --sample=process-tree" : "");
}

bool question_fits(const question *q, const trace *t, notes *say)
{
	unsigned all = q->must & MUST_EVENTS, missing = question_find_missing(t, all);
	arena texts = { 0 };

	if (missing && (!(q->must & MUST_ANY) || missing == all)) {
		notes_problem(say, EXIT_CANNOT, "'%s' holds no %s", t->path, question_flags(missing, " or ", &texts));
		arena_free(&texts);
		return false;
	}
	if (q->must & MUST_METRICS && load_metrics_has_only_generic_events(t))
		return notes_problem(say, EXIT_CANNOT, "'%s' has no table GPU_METRICS; its GENERIC_EVENTS may hold "
				     "metrics as JSON, the form of older versions, which nsq does not read; export the "
				     "report with a newer nsys, or capture with nsys profile --gpu-metrics-devices=all",
				     t->path);
	if (q->must & MUST_METRICS && !load_metrics_has(t))
		return notes_problem(say, EXIT_CANNOT, "'%s' holds no GPU metrics; capture them with "
				     "nsys profile --gpu-metrics-devices=all", t->path);
	if (q->must & MUST_NICS && !nic_metrics_has(t))
		return notes_problem(say, EXIT_CANNOT, "'%s' holds no metrics of network adapters; capture them with "
				     "nsys profile --nic-metrics=lf", t->path);
	if (q->must & MUST_MEMORY && !memory_events_has(t))
		return notes_problem(say, EXIT_CANNOT, "'%s' holds no allocations of memory; capture them with "
				     "nsys profile --cuda-memory-usage=true", t->path);
	if (q->must & MUST_CHAINS && !load_chains_has(t))
		return notes_problem(say, EXIT_CANNOT, "'%s' holds no call chains of CUDA calls; capture them with "
				     "nsys profile --cudabacktrace=all --sample=process-tree, and those of Python with "
				     "--python-backtrace=cuda", t->path);
	return true;
}

static void question_mention_graphs(const trace *t, notes *say)
{
	size_t graphs = 0;

	for (size_t i = 0; i < t->work.n; i++)
		graphs += t->work.kind[i] == WORK_GRAPH;
	if (graphs)
		notes_remark(say, "whole CUDA graphs (%zu in '%s') count as compute; nsys profile "
			     "--cuda-graph-trace=node shows nodes", graphs, t->path);
}

size_t question_count_silent(trace *t)
{
	size_t procs = 0;

	if (comm_work_of(t)->n)
		return 0;
	for (size_t i = 0; i < t->nprocs; i++)
		procs += t->procs[i].kernels > 0;
	return procs > 1 ? procs : 0;
}

static unsigned question_replayed_kind(const trace *t, size_t work)
{
	return t->work.kind[work] > WORK_GRAPH ? REPLAYED_COPIES :
		trace_is_comm_kernel(t, work) ? REPLAYED_COMM : REPLAYED_COMPUTE;
}

/* Without --captured, mention for how many pieces of work it would add ranges.  With --captured, mention that it adds
 * none for some pieces or for all, and why. */
static void question_mention_captured(const question *q, const trace *t, notes *say)
{
	const char *what = q->replayed == REPLAYED_COPIES ? "copies and sets" :
		q->replayed & REPLAYED_COPIES ? "pieces of work" :
		q->replayed & REPLAYED_COMPUTE ? "kernels" : "communication kernels";
	size_t inside = 0, outside = 0;

	for (size_t i = 0; t->work.capture && i < t->work.n; i++)
		if (t->work.capture[i] != NONE && q->replayed & question_replayed_kind(t, i)) {
			outside += t->work.capture[i] == CAPTURE_OUTSIDE;
			inside += t->work.capture[i] != CAPTURE_OUTSIDE;
		}
	if (!q->captured && inside && t->has_nvtx)
		notes_remark(say, "%zu %s in '%s' ran in CUDA graphs; --captured adds the ranges in which they were "
			     "captured", inside, what, t->path);
	else if (q->captured && outside)
		notes_remark(say, "%zu of the %zu %s of CUDA graphs in '%s' were captured before the profile began",
			     outside, inside + outside, what, t->path);
	else if (q->captured && graph_nodes_lacks_table(t))
		notes_remark(say, "'%s' does not record where its CUDA graphs were captured, so --captured changes "
			     "nothing", t->path);
	else if (q->captured && !inside)
		notes_remark(say, "--captured changes nothing: no %s in '%s' are graph nodes (nsys "
			     "--cuda-graph-trace=node)", what, t->path);
}

void question_warn(const question *q, trace *t, const window_filter *only, shared_gpus *across, notes *say)
{
	if (q->warn_lost)
		lost_events_warn(t, only ? only->pid : -1, only ? only->sub : -1, say);
	if (q->warn_shared)
		shared_gpu_warn(t, say);
	if (across && (q->warn_shared || q->warn_across))
		shared_gpus_add(across, t);
	if (q->warn_clocks)
		clock_offset_warn(t, only ? only->pid : -1, only ? only->sub : -1, say);
	if (q->mention_graphs)
		question_mention_graphs(t, say);
	if (q->mention_silence && question_count_silent(t))
		notes_remark(say, "%zu processes have kernels in '%s', and none communicates; --comm +REGEX names "
			     "kernels that do", question_count_silent(t), t->path);
	if (q->replayed)
		question_mention_captured(q, t, say);
}

/* The name of range number i.  The push/pop ranges of the trace have the first numbers; the start/end ranges follow. */
static uint32_t question_name_of_range(const trace *t, size_t i)
{
	return i < t->pushpop.n ? t->pushpop.name[i] : t->startend.name[i - t->pushpop.n];
}

bool question_match(question_names *known, const char *text, const char *shown)
{
	known->matched = known->matched || pattern_matches(known->match, text);
	for (size_t i = 0; shown && i < known->v.n; i++)
		shown = known->v.v[i] == shown ? NULL : shown;
	if (shown && known->v.n < NAMES_MOST)
		vec_push(&known->v, shown);
	return !known->matched;
}

static void question_add_range_names(trace *t, question_names *known)
{
	bool *seen = mem_new(bool, t->names.n), go_on = true;

	for (size_t i = 0; go_on && i < t->pushpop.n + t->startend.n; i++) {
		uint32_t name = question_name_of_range(t, i);
		if (name == STR_NONE || seen[name])
			continue;
		seen[name] = true;
		go_on = question_match(known, str_at(&t->names, name), str_at(&t->names, str_fold(&t->names, name)));
	}
	free(seen);
}

/* Turn the names in a text into expressions: "add(int)" becomes "add\\(int\\)", and if the names are folded, "step #"
 * becomes "step \\d+".  But "a##" becomes "a#\\d+", because only the second # stands for digits ("a#12", folded). */
static const char *question_write_expressions(arena *texts, const char *names, bool folded)
{
	char *text = arena_printf(texts, "%s%*s", names, (int)(2 * strlen(names)), ""), *to = text;

	for (; *names; names++) {
		if (folded && *names == '#' && names[1] != '#') {
			to = stpcpy(to, "\\d+");
			continue;
		}
		if (strchr("()[]{}*+|^$\\", *names))
			*to++ = '\\';
		*to++ = *names;
	}
	*to = 0;
	return text;
}

void question_suggest_name(const question *q, trace *t, notes *say)
{
	question_names known = { .match = q->match };
	const char *typed, *word, *like = "";

	if (!q->match)
		return;
	if (q->names)
		q->names(t, &known);
	else
		question_add_range_names(t, &known);
	typed = pattern_text(q->match);
	typed += *typed == '^';
	word = arena_text(&known.texts, typed, strlen(typed) - text_ends(typed, "$"));
	if (!known.matched)
		like = suggest_parts(&known.texts, word, known.v.v, known.v.n);
	if (*like == ',')               /* ", did you mean ...": there are similar names */
		notes_answer(say, "no %s in '%s' is called '%s'%s", q->named ? q->named : "range", t->path, word,
			     question_write_expressions(&known.texts, like, !q->names));
	vec_free(&known.v);
	arena_free(&known.texts);
}

void answer_begin_table(answer_ctx *a)
{
	table_use_pool(a->out, &a->t->names);
	a->path = table_keep(a->out, a->t->path);
}

bool answer_rows(const answer *of, trace *t, const windows *all, const void *params, table *out, notes *say)
{
	answer_ctx a = { .t = t, .all = all, .out = out, .say = say };

	if (!out->cols.n)
		of->columns(params, out);
	answer_begin_table(&a);
	return of->rows(&a, params);
}

bool answer_next_window(answer_ctx *a)
{
	table_group(a->out);
	if (a->next == a->all->n)
		return false;
	a->w = &a->all->v[a->next++];
	a->name = table_keep(a->out, a->w->name);
	a->each_name = table_keep(a->out, a->w->each_name);
	return true;
}

static void question_begin_row(answer_ctx *a, uint32_t proc, int64_t start, int64_t end, const char *name)
{
	const trace_proc none = { .pid = -1, .rank = -1 }, *p = proc == NONE ? &none : &a->t->procs[proc];

	table_row_of(a->out, p->pid, p->sub, p->rank, start, end);
	table_word(a->out, COL_WINDOW, name);
	table_word(a->out, COL_TRACE, a->path);
}

void answer_add_row_of(answer_ctx *a, uint32_t proc)
{
	ival hull = window_hull(&a->w->gpu);

	question_begin_row(a, proc, hull.a, hull.b, a->name);
	if (a->w->device >= 0)
		table_int(a->out, COL_GPU, a->w->device);
}

void answer_add_row(answer_ctx *a)
{
	answer_add_row_of(a, a->w->proc);
}

void answer_add_row_at(answer_ctx *a, uint32_t proc, int64_t start, int64_t end)
{
	question_begin_row(a, proc, start, end, a->each_name);
}

void answer_set_stream(answer_ctx *a, const trace_stream *st)
{
	table_int(a->out, COL_GPU, st->gpu);
	table_int(a->out, COL_CTX, st->ctx);
	table_int(a->out, COL_STREAM, st->stream);
}

void answer_add_row_of_work(answer_ctx *a, size_t work)
{
	const trace_work *w = &a->t->work;
	const trace_stream *st = &a->t->streams[w->stream[work]];
	ival part = window_clip(&a->w->gpu, w->start[work], w->end[work]);

	answer_add_row_at(a, st->proc, part.a, part.b);
	answer_set_stream(a, st);
	if (w->launch && w->launch[work] != NONE && a->t->calls.start)
		table_int(a->out, COL_LAUNCH, a->t->calls.start[w->launch[work]]);
}
