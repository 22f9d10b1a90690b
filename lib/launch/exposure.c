#include "launch/exposure.h"
#include "timeline/comm_work.h"
#include "timeline/lane_gaps.h"

#include <string.h>

struct exposure {
	trace *t;
	const around *around;   /* NULL if exposure_build was given no rules; `labels` and `unlabelled` are unset
				 * then */
	labels *labels;
	vec(uint32_t) serial;   /* by label: the string serial:LABEL; STR_NONE: not made yet */
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

void exposure_list_work(trace *t, const window *w, exposure_parts *to)
{
	const comm_work *comm = comm_work_of(t);
	comm_walk k = { 0 };

	to->n = 0;
	while (comm_work_next(comm, w, &k))
		vec_push(to, (exposure_part){ .work = k.work, .lane = k.all.lane, .comm = k.next - 1 });
}

void exposure_measure(trace *t, const window *w, exposure_parts *to)
{
	const lane_gaps *compute = lane_gaps_of(t, LANE_GAPS_BESIDE_COMM);

	exposure_list_work(t, w, to);
	for (exposure_part *p = to->v; p < to->v + to->n; p++) {
		int64_t start = t->work.start[p->work], end = t->work.end[p->work];
		p->dur = ival_within(&w->gpu, start, end);
		p->hidden = ival_within_both(&compute->busy[p->lane], &w->gpu, start, end);
	}
}

/* The string serial:LABEL; without a label, serial:-. */
static uint32_t exposure_serial_of_label(exposure *x, uint32_t label)
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
	char stream_class = x->t->streams[x->t->work.stream[work]].class;

	return trace_is_comm(x->t, work) && stream_class == 'c' ? exposure_serial_of_label(x, label) : label;
}
