#include "launch/call_sources.h"
#include "base/memory.h"
#include "base/sums.h"
#include "trace/call_class.h"
#include "trace/rules.h"

#include <string.h>

enum { MANY_PCT = 1 };          /* the percentage of time without a source that is worth a remark */

enum frame {
	FRAME_OWN,              /* code of the program itself */
	FRAME_LIBRARY,
	FRAME_GLUE              /* code that only connects other code, such as Python or libc; it is never a source */
};

struct call_sources {
	const trace *t;
	uint32_t *name;         /* by chain: the string of its source, or STR_NONE */
	bool own;               /* does some chain have a frame of the program's own code? */
};

/* The length of the name of a function, up to its list of parameters. */
static size_t call_sources_length_without_parameters(const char *name)
{
	static const char unnamed[] = "(anonymous namespace)", call[] = "operator()";
	int depth = 0;

	for (const char *s = name; *s; s++) {
		depth += *s == '<' ? 1 : *s == '>' && depth ? -1 : 0;
		if (strncmp(s, unnamed, sizeof unnamed - 1) == 0)
			s += sizeof unnamed - 2;
		else if (strncmp(s, call, sizeof call - 1) == 0)
			s += sizeof call - 2;
		else if (*s == '(' && !depth)
			return (size_t)(s - name);
	}
	return strlen(name);
}

static const char *call_sources_last_part_of_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');

	return slash ? slash + 1 : back ? back + 1 : path;
}

/* The source that a function stands for: "FUNCTION (MODULE)"; if the function has no symbol, "MODULE@ADDRESS"; if it
 * has no address either, "MODULE". */
static uint32_t call_sources_name_function(trace *t, size_t function)
{
	const trace_chains *c = &t->call_chains;
	const char *name = str_at(&t->names, c->name[function]), *module = str_at(&t->names, c->module[function]);
	arena texts = { 0 };
	uint32_t id;

	module = call_sources_last_part_of_path(module);
	if (!name)
		name = arena_printf(&texts, "%s", module);
	else if (c->nameless[function])
		name = arena_printf(&texts, "%s@%s", module, name);
	else
		name = arena_printf(&texts, "%.*s (%s)", (int)call_sources_length_without_parameters(name), name,
				    module);
	id = str_id(&t->names, name, strlen(name));
	arena_free(&texts);
	return id;
}

/* The class of the frames of a function.  Rules match the text "MODULE FUNCTION", in which a part that is unknown is
 * left out. */
static enum frame call_sources_class_of_frame(const trace *t, const rules *r, size_t function)
{
	const trace_chains *c = &t->call_chains;
	const char *name = str_at(&t->names, c->name[function]), *module = str_at(&t->names, c->module[function]);
	const char *label;
	arena texts = { 0 };

	label = rules_match(r, arena_printf(&texts, "%s %s", module ? module : "",
					    name && !c->nameless[function] ? name : ""));
	arena_free(&texts);
	return !label ? FRAME_OWN : strcmp(label, "library") == 0 ? FRAME_LIBRARY : FRAME_GLUE;
}

static void *call_sources_build(trace *t, int64_t unused UNNEEDED)
{
	const trace_chains *c = &t->call_chains;
	call_sources *s = mem_new(call_sources, 1);
	rules *r = rules_load("frames", NULL);
	enum frame *frame = mem_new(enum frame, c->nfunctions);

	s->t = t;
	s->name = mem_new(uint32_t, c->n);
	for (size_t f = 0; f < c->nfunctions; f++)
		frame[f] = call_sources_class_of_frame(t, r, f);
	for (size_t i = 0; i < c->n; i++) {
		size_t found = c->nfunctions;
		for (size_t e = c->first[i]; e < c->first[i + 1] && (found == c->nfunctions || frame[found]); e++)
			if (frame[c->function[e]] != FRAME_GLUE)
				found = c->function[e];
		s->own |= found < c->nfunctions && frame[found] == FRAME_OWN;
		s->name[i] = found < c->nfunctions ? call_sources_name_function(t, found) : STR_NONE;
	}
	free(frame);
	rules_free(r);
	return s;
}

static void call_sources_release(void *made)
{
	call_sources *s = made;

	mem_free(s->name, s);
}

const call_sources *call_sources_of(trace *t)
{
	return trace_keep(t, call_sources_build, 0, call_sources_release);
}

uint32_t call_sources_name(const call_sources *s, uint32_t call)
{
	uint32_t chain = call == NONE || !s->t->calls.chain ? NONE : s->t->calls.chain[call];

	return chain == NONE ? STR_NONE : s->name[chain];
}

void call_sources_add(call_sources_times *to, uint32_t source, int64_t ns)
{
	to->all = ns_add(to->all, ns);
	to->none = ns_add(to->none, source == STR_NONE ? ns : 0);
}

/* Among the calls without a chain: the name whose calls take the most time together or, with `launched`, whose work
 * does.  NULL: no such call has a name. */
static const char *call_sources_name_without_chain(const trace *t, bool launched)
{
	sums by = sums_by(1, sizeof(int64_t));
	uint32_t found = STR_NONE;
	int64_t most = -1;

	for (size_t i = 0; i < (launched ? t->work.n : t->calls.n); i++) {
		uint32_t call = launched ? t->work.launch[i] : (uint32_t)i;
		if (call != NONE && (!t->calls.chain || t->calls.chain[call] == NONE) &&
		    calls_name(&t->calls, call) != STR_NONE) {
			int64_t *ns = sums_of(&by, (int64_t[]){ calls_name(&t->calls, call) });
			*ns = ns_add(*ns, launched ? t->work.end[i] - t->work.start[i] :
				     t->calls.end[i] - t->calls.start[i]);
		}
	}
	for (size_t i = 0; i < by.g.n; i++)
		if (*sums_at(int64_t, &by, i) > most) {
			most = *sums_at(int64_t, &by, i);
			found = (uint32_t)*sums_key(&by, i);
		}
	sums_free(&by);
	return str_at(&t->names, found);
}

void call_sources_mention(const call_sources *s, const call_sources_times *times, bool launched, notes *say)
{
	double pct = times->all ? 100 * (double)times->none / (double)times->all : 0;
	const char *call = pct >= MANY_PCT ? call_sources_name_without_chain(s->t, launched) : NULL;

	if (call)
		notes_remark(say, "%.1f %% of the time in '%s' has no source: nsys recorded no call chain of calls "
			     "such as %.*s", pct, s->t->path, (int)call_base_length(call), call);
	if (!s->own)
		notes_remark(say, "no call chain in '%s' has the program's own code, so sources are functions of "
			     "libraries", s->t->path);
}
