#include "relate/exposure.h"
#include "base/memory.h"

#include <string.h>

struct exposure {
	trace *t;
	const around *around;   /* NULL: stages are not asked for */
	labels *labels;
	vec(uint32_t) serial;   /* by label: the string serial:LABEL, or STR_NONE if not made yet */
	uint32_t unlabelled;    /* the string serial:- */
};

exposure *exposure_build(trace *t, const rules *r, unsigned what)
{
	exposure *x = mem_new(exposure, 1);

	x->t = t;
	if (r) {
		x->around = around_of(t, what);
		x->labels = labels_build(x->around, r);
		x->unlabelled = str_id(&t->names, "serial:-", 8);
	}
	return x;
}

void exposure_free(exposure *x)
{
	vec_free(&x->serial);
	if (x->around)
		labels_free(x->labels);
	free(x);
}

int64_t exposure_hidden(const quiet *compute, size_t lane, const ival_set *side, size_t work)
{
	const trace_work *all = &compute->t->work;

	return ival_within_both(&compute->busy[lane], side, all->start[work], all->end[work]);
}

/* The string serial:LABEL. */
static uint32_t serial_of(exposure *x, uint32_t label)
{
	if (label == STR_NONE)
		return x->unlabelled;
	vec_reserve(&x->serial, (size_t)label + 1);
	while (x->serial.n <= label)
		x->serial.v[x->serial.n++] = STR_NONE;
	if (x->serial.v[label] == STR_NONE) {
		arena texts = { 0 };
		const char *s = arena_printf(&texts, "serial:%s", str_at(&x->t->names, label));
		x->serial.v[label] = str_id(&x->t->names, s, strlen(s));
		arena_free(&texts);
	}
	return x->serial.v[label];
}

uint32_t exposure_stage(exposure *x, size_t work)
{
	uint32_t label = labels_of_work(x->labels, work);

	bool beside = x->t->streams[x->t->work.stream[work]].class != 'c';      /* on a stream that does not compute */

	return trace_is_comm(x->t, work) && !beside ? serial_of(x, label) : label;
}
