#include "relate/shapes.h"
#include "base/group.h"
#include "base/sums.h"
#include "relate/labels.h"

#include <math.h>

typedef struct {                /* a range whose name has sizes and a rule */
	uint32_t range, rule;   /* the rule is a string */
	uint32_t label;         /* what it is called: a string, or STR_NONE: nobody asked */
	bool known;
	bool contains;          /* another whose FLOPs are known */
	flops_value value;
} operator;

typedef vec(flops_taken) taken_list;

typedef struct {                /* the kernels of an operator, or of a replay of it */
	int64_t time, products; /* how long they and the products among them take */
	int64_t shared;         /* the part of it that has its share, */
	flops_value given;      /* and what that is */
} kernels;

struct shapes {
	trace *t;
	const around *a;
	vec(operator) ops;
	group wanted;           /* process, number: operators whose results are asked for, */
	taken_list *taken;      /* and who takes them */
	uint32_t *op_of;        /* by range: an operator whose FLOPs are known, or NONE */
	flops_value *value;     /* by work */
	uint32_t *known;        /* by work: the operator that it has a value of, or NONE */
};

static const char *range_name(const shapes *s, size_t range)
{
	return str_at(&s->t->names, s->t->pushpop.name[range]);
}

static int64_t process_of(const shapes *s, size_t range)
{
	return s->t->threads[s->t->pushpop.thread[range]].proc;
}

/* The operators that have rules.  Does any name hold sizes? */
static bool find_operators(shapes *s, labels *l)
{
	str_pool *names = &s->t->names;
	bool any = false;

	for (uint32_t i = 0; i < s->t->pushpop.n; i++) {
		const char *name = range_name(s, i);
		operator o = { .range = i, .label = STR_NONE };
		shape_op op;
		if (!name || !shape_name_read(name, &op))
			continue;
		any = true;
		o.rule = labels_of_name(l, str_id(names, op.name, op.len));
		if (o.rule == STR_NONE)
			continue;
		o.known = flops_rule(str_at(names, o.rule), &op, NULL, 0, &o.value);
		if (!o.known && op.id >= 0)
			group_of(&s->wanted, (int64_t[]){ process_of(s, i), op.id });
		vec_push(&s->ops, o);
	}
	return any;
}

typedef struct {
	shapes *s;
	int64_t proc;
	const shape_op *op;
} taking;

static void take(void *ctx, int arg, int64_t op, int64_t result)
{
	const taking *k = ctx;
	size_t of = arg < k->op->n ? group_find(&k->s->wanted, (int64_t[]){ k->proc, op }) : GROUP_NONE;

	if (of != GROUP_NONE)
		vec_push(&k->s->taken[of], (flops_taken){ .result = result, .size = k->op->arg[arg] });
}

/* Where sizes and rule do not tell, ask who takes the results. */
static void ask_results(shapes *s)
{
	shape_op op;

	s->taken = mem_new(taken_list, s->wanted.n);
	for (size_t i = 0; s->wanted.n && i < s->t->pushpop.n; i++) {
		const char *name = range_name(s, i);
		if (name && shape_name_read(name, &op))
			shape_name_inputs(name, take, &(taking){ s, process_of(s, i), &op });
	}
	for (operator *o = s->ops.v; o < s->ops.v + s->ops.n; o++) {
		const taken_list *of;
		if (o->known || !shape_name_read(range_name(s, o->range), &op) || op.id < 0)
			continue;
		of = &s->taken[group_find(&s->wanted, (int64_t[]){ process_of(s, o->range), op.id })];
		o->known = flops_rule(str_at(&s->t->names, o->rule), &op, of->v, of->n, &o->value);
	}
}

/* Operators whose FLOPs are known, by range; those that contain one do not count themselves. */
static void nest(shapes *s)
{
	for (uint32_t i = 0; i < s->ops.n; i++)
		if (s->ops.v[i].known)
			s->op_of[s->ops.v[i].range] = i;
	for (uint32_t i = 0; i < s->ops.n; i++)
		for (uint32_t up = s->ops.v[i].range; s->ops.v[i].known && (up = s->a->parent[up]) != NONE;)
			if (s->op_of[up] != NONE) {
				s->ops.v[s->op_of[up]].contains = true;
				break;          /* what is around that one is told by it */
			}
}

/* The operator that a kernel belongs to, and the launch of the graph if it is a replay; false: there is none. */
static bool operator_of(const shapes *s, size_t work, int64_t key[2])
{
	around_walk w = around_work(s->a, work);

	while (w.range != NONE && s->op_of[w.range] == NONE)
		around_next(s->a, &w);
	if (s->t->work.kind[work] != WORK_KERNEL || w.range == NONE || s->ops.v[s->op_of[w.range]].contains)
		return false;
	key[0] = s->op_of[w.range];
	key[1] = w.captured ? s->t->work.launch[work] : NONE;
	return true;
}

/* Does the name of a kernel say that it multiplies, being matmul or attention? */
static bool *find_products(trace *t)
{
	notes none = { 0 };             /* rules that are built in have no problems */
	rules *matmul = rules_load("matmul", &none);
	bool *is = mem_new(bool, t->work.n);
	dict met = { 0 };
	vec(bool) of_name = { 0 };

	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t name = t->work.name[i], k = dict_key(&met, name);
		if (k == of_name.n) {
			const char *label = name == STR_NONE ? NULL : rules_match(matmul, str_at(&t->names, name));
			vec_push(&of_name, label && (label[0] == 'm' || label[0] == 'a'));
		}
		is[i] = of_name.v[k];
	}
	vec_free(&of_name);
	dict_free(&met);
	rules_free(matmul);
	notes_free(&none);
	return is;
}

static int64_t work_time(const shapes *s, size_t work)
{
	return s->t->work.end[work] - s->t->work.start[work];
}

/* How much of a value the first part of a whole has.  What the parts have is the value. */
static int64_t share_of(int64_t value, int64_t part, int64_t whole)
{
	return part == whole ? value : llround((double)value * ((double)part / (double)whole));
}

/* The share of a kernel in what its operator computes. */
static flops_value next_share(kernels *k, const flops_value *of, int64_t time, int64_t whole)
{
	flops_value upto, v;

	k->shared += time;
	upto.flops = share_of(of->flops, k->shared, whole);
	upto.elements = share_of(of->elements, k->shared, whole);
	v = (flops_value){ upto.flops - k->given.flops, upto.elements - k->given.elements };
	k->given = upto;
	return v;
}

static void share_out(shapes *s)
{
	bool *product = find_products(s->t);
	sums by = sums_by(2, sizeof(kernels));
	int64_t key[2];

	for (size_t i = 0; i < s->t->work.n; i++)
		if (operator_of(s, i, key)) {
			kernels *k = sums_of(&by, key);
			k->time += work_time(s, i);
			k->products += product[i] ? work_time(s, i) : 0;
		}
	for (size_t i = 0; i < s->t->work.n; i++)
		if (operator_of(s, i, key)) {
			kernels *k = sums_of(&by, key);
			int64_t whole = k->products ? k->products : k->time;
			if (!whole || (k->products && !product[i]))
				continue;
			s->known[i] = (uint32_t)key[0];
			s->value[i] = next_share(k, &s->ops.v[key[0]].value, work_time(s, i), whole);
		}
	sums_free(&by);
	free(product);
}

shapes *shapes_build(trace *t, const around *a)
{
	notes none = { 0 };             /* rules that are built in have no problems */
	rules *flops = rules_load("flops", &none);
	labels *l = labels_build(a, flops);
	shapes *s = mem_new(shapes, 1);
	bool any;

	*s = (shapes){ .t = t, .a = a, .wanted = { .width = 2 } };
	s->op_of = mem_new(uint32_t, t->pushpop.n);
	memset(s->op_of, 0xff, t->pushpop.n * sizeof *s->op_of);
	s->value = mem_new(flops_value, t->work.n);
	s->known = mem_new(uint32_t, t->work.n);
	memset(s->known, 0xff, t->work.n * sizeof *s->known);
	any = find_operators(s, l);
	ask_results(s);
	nest(s);
	share_out(s);
	labels_free(l);
	rules_free(flops);
	notes_free(&none);
	if (any)
		return s;
	shapes_free(s);
	return NULL;
}

void shapes_free(shapes *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->wanted.n; i++)
		vec_free(&s->taken[i]);
	free(s->taken);
	group_free(&s->wanted);
	vec_free(&s->ops);
	mem_free(s->op_of, s->value, s->known, s);
}

const flops_value *shapes_of(const shapes *s, size_t work)
{
	return s->known[work] != NONE ? &s->value[work] : NULL;
}

/* " [2, 3]" behind a text. */
static const char *with_sizes(arena *texts, const char *before, const shape *size)
{
	const char *text = arena_printf(texts, "%s [", before);

	for (int k = 0; k < size->n && k < SHAPE_DIMS; k++)
		text = arena_printf(texts, "%s%s%lld", text, k ? ", " : "", (long long)size->dim[k]);
	return arena_printf(texts, "%s]", text);
}

uint32_t shapes_label(shapes *s, size_t work, bool sizes)
{
	static const char module[] = "Module': '";
	operator *o = s->known[work] == NONE ? NULL : &s->ops.v[s->known[work]];
	arena texts = { 0 };
	const char *label;
	shape_op op;

	if (!o || o->label != STR_NONE)
		return o ? o->label : STR_NONE;
	shape_name_read(range_name(s, o->range), &op);
	label = arena_text(&texts, op.name, op.len);
	label += strncmp(label, module, strlen(module)) == 0 ? strlen(module) : 0;
	while (op.n && !op.arg[op.n - 1].n)             /* scalars at the end */
		op.n--;
	for (int i = 0; sizes && i < op.n; i++)
		label = with_sizes(&texts, label, &op.arg[i]);
	o->label = str_id(&s->t->names, label, strlen(label));
	arena_free(&texts);
	return o->label;
}
