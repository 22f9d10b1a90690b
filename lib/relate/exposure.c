#include "relate/exposure.h"
#include "base/memory.h"

#include <string.h>

struct exposure {
	trace *t;
	ival_set *compute;      /* by lane: when some compute runs */
	around *around;         /* NULL: stages are not asked for */
	labels *labels;
	vec(uint32_t) serial;   /* by label: the string serial:LABEL, or STR_NONE if not made yet */
	uint32_t unlabelled;    /* the string serial:- */
};

/* When compute runs on each lane. */
static ival_set *find_compute(const trace *t)
{
	ival_set *compute = mem_new(ival_set, t->nlanes);

	for (size_t l = 0; l < t->nlanes; l++) {
		const trace_lane *lane = &t->lanes[l];
		for (size_t i = lane->first; i < lane->first + lane->n; i++)
			if (trace_is_compute(t, i))
				ival_add(&compute[l], t->work.start[i], t->work.end[i]);
		ival_index(&compute[l]);
	}
	return compute;
}

exposure *exposure_build(trace *t, const rules *r, unsigned what)
{
	exposure *x = mem_new(exposure, 1);

	x->t = t;
	x->compute = find_compute(t);
	if (r) {
		x->around = around_build(t, what);
		x->labels = labels_build(x->around, r);
		x->unlabelled = str_id(&t->names, "serial:-", 8);
	}
	return x;
}

void exposure_free(exposure *x)
{
	for (size_t l = 0; l < x->t->nlanes; l++)
		ival_free(&x->compute[l]);
	free(x->compute);
	vec_free(&x->serial);
	if (x->around) {
		labels_free(x->labels);
		around_free(x->around);
	}
	free(x);
}

int64_t exposure_hidden(const exposure *x, size_t lane, const ival_set *side, size_t work)
{
	return ival_within_both(&x->compute[lane], side, x->t->work.start[work], x->t->work.end[work]);
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
		const char *s = arena_printf(&x->t->texts, "serial:%s", x->t->names.text[label]);
		x->serial.v[label] = str_id(&x->t->names, s, strlen(s));
	}
	return x->serial.v[label];
}

uint32_t exposure_stage(exposure *x, size_t work)
{
	uint32_t label = labels_of_work(x->labels, work);

	return x->t->streams[x->t->work.stream[work]].class == 'c' ? serial_of(x, label) : label;
}
