#include "launch/shapes.h"
#include "base/group.h"
#include "base/sums.h"
#include "launch/labels.h"
#include "trace/shape_name.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- rules (share/rules/flops.tsv explains their form, and what the letters in them stand for) */

typedef struct {                /* a result of an operator that another operator takes as an argument */
	int64_t result;         /* which result of its operator it is, from 0 */
	shape size;
} taken_result;

typedef struct {                /* what the letters of a rule stand for */
	struct {
		bool known;
		int64_t size;           /* the product of its dimensions */
		int64_t dim[SHAPE_DIMS];
	} letter['z' - 'A' + 1];
	int capital_dims;       /* number of dimensions that each capital letter stands for; -1: not known yet */
} letters;

typedef struct {                /* a rule that is being read: its current word, and the rest */
	const char *word, *rest;
	size_t len;
} reader;

static bool shapes_next_word(reader *r)
{
	r->word = r->rest + strspn(r->rest, " ");
	r->len = strcspn(r->word, " :|");
	r->rest = r->word + r->len;
	return r->len > 0;
}

static bool shapes_is_word(const reader *r, const char *s)
{
	return strlen(s) == r->len && strncmp(r->word, s, r->len) == 0;
}

static bool shapes_multiply(int64_t *to, int64_t by)
{
	return !__builtin_mul_overflow(*to, by, to);
}

/* Lets the letter stand for these n dimensions; false: it already stands for others, or their product is too large. */
static bool shapes_bind_letter(letters *l, char letter, const int64_t *dim, int n)
{
	int i = letter - 'A';

	if (l->letter[i].known)
		return memcmp(l->letter[i].dim, dim, (size_t)n * sizeof *dim) == 0;
	l->letter[i].known = true;
	l->letter[i].size = 1;
	memcpy(l->letter[i].dim, dim, (size_t)n * sizeof *dim);
	for (int k = 0; k < n; k++)
		if (!shapes_multiply(&l->letter[i].size, dim[k]))
			return false;
	return true;
}

/* Lets the letters of a word stand for the dimensions of a tensor; false: they do not fit. */
static bool shapes_bind_word(letters *l, const char *word, size_t len, const shape *s)
{
	int capital_dims = s->n - (int)len, at = 0;

	for (size_t i = 0; i < len; i++)
		capital_dims += isupper((unsigned char)word[i]) != 0;
	if (s->n > SHAPE_DIMS || capital_dims < 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool capital = isupper((unsigned char)word[i]) != 0;
		int n = capital ? capital_dims : 1;
		if (capital && l->capital_dims >= 0 && l->capital_dims != capital_dims)
			return false;
		l->capital_dims = capital ? capital_dims : l->capital_dims;
		if (at + n > s->n || !shapes_bind_letter(l, word[i], s->dim + at, n))
			return false;
		at += n;
	}
	return at == s->n;
}

/* The product of the letters and digits of a word; false: a letter is unknown, or the product is too large. */
static bool shapes_multiply_word(const letters *l, const char *word, size_t len, int64_t *to)
{
	*to = 1;
	for (size_t i = 0; i < len; i++) {
		bool digit = isdigit((unsigned char)word[i]) != 0;
		if (!digit && !l->letter[word[i] - 'A'].known)
			return false;
		if (!shapes_multiply(to, digit ? word[i] - '0' : l->letter[word[i] - 'A'].size))
			return false;
	}
	return true;
}

static bool shapes_add_elements(const letters *l, const reader *r, flops_value *to)
{
	int64_t n;

	return shapes_multiply_word(l, r->word, r->len, &n) && !__builtin_add_overflow(to->elements, n, &to->elements);
}

/* Finds what the letters of a result stand for, from the operators that take it as an argument.  An argument that is
 * recorded as this result may still be another tensor.  Arguments whose sizes do not fit are therefore skipped; all
 * others must have equal sizes.  False: no operator takes the result, or sizes differ. */
static bool shapes_find_taken_size(letters *l, const reader *r, int64_t result, const taken_result *taken, size_t n)
{
	letters before = *l;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		letters fitted = before;
		if (taken[i].result != result || !shapes_bind_word(&fitted, r->word, r->len, &taken[i].size))
			continue;
		if (found && !shapes_bind_word(l, r->word, r->len, &taken[i].size))
			return false;
		*l = found ? *l : fitted;
		found = true;
	}
	return found;
}

/* Reads the SIZES of a rule, one word for each argument of the operator.  False: the arguments do not fit. */
static bool shapes_read_sizes(letters *l, reader *r, const shape_op *op, flops_value *to)
{
	for (int i = 0; shapes_next_word(r); i++) {
		if (shapes_is_word(r, "*"))
			continue;
		if (i >= op->n ||
		    (shapes_is_word(r, "-") ? op->arg[i].n : !shapes_bind_word(l, r->word, r->len, &op->arg[i])))
			return false;
		if (!shapes_is_word(r, "-") && !shapes_add_elements(l, r, to))
			return false;
	}
	r->rest += *r->rest == ':';
	return true;
}

/* Reads the results of a rule.  Returns how often its FLOPs count: with `each`, once for each result that another
 * operator takes; otherwise once.  0: the rule does not apply. */
static int64_t shapes_read_results(letters *l, reader *r, bool each, const taken_result *taken, size_t n,
				   flops_value *to)
{
	int64_t count = 0, whole;

	for (int64_t i = 0; shapes_next_word(r); i++) {
		bool known = shapes_multiply_word(l, r->word, r->len, &whole);
		if ((each || !known) && !shapes_find_taken_size(l, r, i, taken, n)) {
			if (!each)
				return 0;
			continue;
		}
		if (!shapes_add_elements(l, r, to))
			return 0;
		count++;
	}
	return each ? count : 1;
}

/* Adds the FLOPS of a rule, `count` times; false: a letter is unknown, or the sum is too large. */
static bool shapes_add_products(const letters *l, reader r, int64_t count, flops_value *to)
{
	int64_t n;

	while (shapes_next_word(&r) && !shapes_is_word(&r, "->"))
		if (!shapes_is_word(&r, "each") && !shapes_is_word(&r, "+") &&
		    (!shapes_multiply_word(l, r.word, r.len, &n) || !shapes_multiply(&n, count) ||
		     __builtin_add_overflow(to->flops, n, &to->flops)))
			return false;
	return true;
}

/* Applies one alternative of a rule.  It has the form "SIZES: FLOPS -> RESULTS"; a | separates alternatives.  False:
 * the alternative does not apply. */
static bool shapes_apply_alternative(reader r, const shape_op *op, const taken_result *taken, size_t n, flops_value *to)
{
	letters l = { .capital_dims = -1 };
	reader flops;
	bool each = false;
	int64_t count;

	*to = (flops_value){ 0 };
	if (!shapes_read_sizes(&l, &r, op, to))
		return false;
	flops = r;
	while (shapes_next_word(&r) && !shapes_is_word(&r, "->"))
		each |= shapes_is_word(&r, "each");
	count = shapes_read_results(&l, &r, each, taken, n, to);
	return count && shapes_add_products(&l, flops, count, to);
}

/* The FLOPs and elements of an operator by a line of share/rules/flops.tsv; false: no alternative applies, or
 * alternatives disagree on the FLOPs. */
static bool shapes_apply_rule(const char *rule, const shape_op *op, const taken_result *taken, size_t ntaken,
			      flops_value *to)
{
	bool found = false;
	flops_value v;

	for (const char *at = rule; at; at = strchr(at, '|'), at = at ? at + 1 : NULL) {
		if (!shapes_apply_alternative((reader){ .rest = at }, op, taken, ntaken, &v))
			continue;
		if (found && v.flops != to->flops)
			return false;
		*to = v;
		found = true;
	}
	return found;
}

/* ---- operators and their kernels */

typedef struct {                /* a range whose name has sizes and a rule */
	uint32_t range;
	uint32_t rule;          /* string of its rule */
	uint32_t label;         /* string: its name, with or without sizes; STR_NONE: not made yet (shapes_label) */
	bool known;             /* are its FLOPs known? */
	bool contains;          /* does it contain another operator whose FLOPs are known? */
	flops_value value;      /* if known */
} operator;

typedef vec(taken_result) taken_list;

typedef struct {                /* the kernels of an operator or, if CUDA graphs replay them, those of one replay */
	int64_t time;           /* ns of all these kernels */
	int64_t products;       /* ns of those among them that are matrix products or attention */
	int64_t shared;         /* ns of those among them whose share has been given out */
	flops_value given;      /* the share that has been given out */
} kernels;

struct shapes {
	trace *t;
	const around *a;
	vec(operator) ops;
	group wanted;           /* numbers the operators whose results must be looked up, by process and shape_op.id */
	taken_list *taken;      /* by number in `wanted`: results of the operator that other operators take */
	uint32_t *op_of;        /* by range: its index in ops if it is an operator with known FLOPs, or NONE */
	flops_value *value;     /* by work: its share of the FLOPs and elements of its operator */
	uint32_t *share_of;     /* by work: the operator of which `value` is a share, as an index in ops; NONE: `value`
				 * is not set */
};

static const char *shapes_name_of_range(const shapes *s, size_t range)
{
	return str_at(&s->t->names, s->t->pushpop.name[range]);
}

static int64_t shapes_process_of_range(const shapes *s, size_t range)
{
	return s->t->threads[ranges_thread(&s->t->pushpop, range)].proc;
}

/* Collects the operators that have rules, and applies the rules.  False if no name of a range has sizes. */
static bool shapes_find_operators(shapes *s, labels *l)
{
	str_pool *names = &s->t->names;
	bool any = false;

	for (uint32_t i = 0; i < s->t->pushpop.n; i++) {
		const char *name = shapes_name_of_range(s, i);
		operator o = { .range = i, .label = STR_NONE };
		shape_op op;
		if (!name || !shape_name_read(name, &op))
			continue;
		any = true;
		o.rule = labels_of_name(l, str_id(names, op.name, op.len));
		if (o.rule == STR_NONE)
			continue;
		o.known = shapes_apply_rule(str_at(names, o.rule), &op, NULL, 0, &o.value);
		if (!o.known && op.id >= 0)
			group_of(&s->wanted, (int64_t[]){ shapes_process_of_range(s, i), op.id });
		vec_push(&s->ops, o);
	}
	return any;
}

typedef struct {
	shapes *s;
	int64_t proc;
	const shape_op *op;
} shapes_take_ctx;

static void shapes_take_result(void *ctx, int arg, int64_t op, int64_t result)
{
	const shapes_take_ctx *k = ctx;
	size_t wanted = arg < k->op->n ? group_find(&k->s->wanted, (int64_t[]){ k->proc, op }) : GROUP_NONE;

	if (wanted != GROUP_NONE)
		vec_push(&k->s->taken[wanted], (taken_result){ .result = result, .size = k->op->arg[arg] });
}

/* For operators whose own sizes do not suffice, finds the operators that take their results and applies the rules
 * again. */
static void shapes_find_results(shapes *s)
{
	shape_op op;

	s->taken = mem_new(taken_list, s->wanted.n);
	for (size_t i = 0; s->wanted.n && i < s->t->pushpop.n; i++) {
		const char *name = shapes_name_of_range(s, i);
		if (name && shape_name_read(name, &op))
			shape_name_each_input(name, shapes_take_result,
					  &(shapes_take_ctx){ s, shapes_process_of_range(s, i), &op });
	}
	for (operator *o = s->ops.v; o < s->ops.v + s->ops.n; o++) {
		const taken_list *taken;
		if (o->known || !shape_name_read(shapes_name_of_range(s, o->range), &op) || op.id < 0)
			continue;
		taken = &s->taken[group_find(&s->wanted, (int64_t[]){ shapes_process_of_range(s, o->range), op.id })];
		o->known = shapes_apply_rule(str_at(&s->t->names, o->rule), &op, taken->v, taken->n, &o->value);
	}
}

/* Fills op_of, and marks the operators that contain one with known FLOPs. */
static void shapes_nest_operators(shapes *s)
{
	for (uint32_t i = 0; i < s->ops.n; i++)
		if (s->ops.v[i].known)
			s->op_of[s->ops.v[i].range] = i;
	for (uint32_t i = 0; i < s->ops.n; i++)
		for (uint32_t up = s->ops.v[i].range; s->ops.v[i].known && (up = s->a->parent[up]) != NONE;)
			if (s->op_of[up] != NONE) {
				s->ops.v[s->op_of[up]].contains = true;
				break;          /* that operator marks those around it */
			}
}

/* The key of the kernels that share the FLOPs of an operator: the operator and, if a graph replays them, the launch of
 * the graph.  False: the work is no kernel, it has no operator, or its operator contains another one. */
static bool shapes_key_of_work(const shapes *s, size_t work, int64_t key[2])
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

/* An array with an element for each piece of work: is its name that of a matrix product or of attention?  The caller
 * frees it. */
static bool *shapes_find_products(trace *t)
{
	rules *matmul = rules_load("matmul", NULL);
	bool *is_product = mem_new(bool, t->work.n);
	dict met = { 0 };
	vec(bool) of_name = { 0 };

	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t name = work_name(&t->work, i), k = dict_key(&met, name);
		if (k == of_name.n) {
			const char *label = name == STR_NONE ? NULL : rules_match(matmul, str_at(&t->names, name));
			vec_push(&of_name, label && (label[0] == 'm' || label[0] == 'a'));
		}
		is_product[i] = of_name.v[k];
	}
	vec_free(&of_name);
	dict_free(&met);
	rules_free(matmul);
	return is_product;
}

static int64_t shapes_time_of_work(const shapes *s, size_t work)
{
	return s->t->work.end[work] - s->t->work.start[work];
}

/* The value times part / whole, rounded; exact if the part is the whole. */
static int64_t shapes_divide_share(int64_t value, int64_t part, int64_t whole)
{
	return part == whole ? value : llround((double)value * ((double)part / (double)whole));
}

/* The share of an operator's next kernel in `value`, what the operator computes.  The kernel takes `time` of `whole`.
 * The share is what all kernels up to this one get together, rounded, less what has been given out.  The shares of all
 * kernels therefore add up to `value`. */
static flops_value shapes_next_share(kernels *k, const flops_value *value, int64_t time, int64_t whole)
{
	flops_value upto, v;

	k->shared += time;
	upto.flops = shapes_divide_share(value->flops, k->shared, whole);
	upto.elements = shapes_divide_share(value->elements, k->shared, whole);
	v = (flops_value){ upto.flops - k->given.flops, upto.elements - k->given.elements };
	k->given = upto;
	return v;
}

static void shapes_share_flops(shapes *s)
{
	bool *product = shapes_find_products(s->t);
	sums by_key = sums_by(2, sizeof(kernels));
	int64_t key[2];

	for (size_t i = 0; i < s->t->work.n; i++)
		if (shapes_key_of_work(s, i, key)) {
			kernels *k = sums_of(&by_key, key);
			k->time += shapes_time_of_work(s, i);
			k->products += product[i] ? shapes_time_of_work(s, i) : 0;
		}
	for (size_t i = 0; i < s->t->work.n; i++)
		if (shapes_key_of_work(s, i, key)) {
			kernels *k = sums_of(&by_key, key);
			int64_t whole = k->products ? k->products : k->time;
			if (!whole || (k->products && !product[i]))
				continue;
			s->share_of[i] = (uint32_t)key[0];
			s->value[i] = shapes_next_share(k, &s->ops.v[key[0]].value, shapes_time_of_work(s, i), whole);
		}
	sums_free(&by_key);
	free(product);
}

shapes *shapes_build(trace *t, const around *a)
{
	rules *flops = rules_load("flops", NULL);
	labels *l = labels_build(a, flops);
	shapes *s = mem_new(shapes, 1);
	bool any;

	*s = (shapes){ .t = t, .a = a, .wanted = { .width = 2 } };
	s->op_of = mem_none(uint32_t, t->pushpop.n);
	s->value = mem_new(flops_value, t->work.n);
	s->share_of = mem_none(uint32_t, t->work.n);
	any = shapes_find_operators(s, l);
	shapes_find_results(s);
	shapes_nest_operators(s);
	shapes_share_flops(s);
	labels_free(l);
	rules_free(flops);
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
	mem_free(s->ops.v, s->op_of, s->value, s->share_of, s);
}

const flops_value *shapes_of(const shapes *s, size_t work)
{
	return s->share_of[work] != NONE ? &s->value[work] : NULL;
}

/* The text `before` with sizes behind it, such as "aten::mm [2, 3]". */
static const char *shapes_write_sizes(arena *texts, const char *before, const shape *size)
{
	const char *text = arena_printf(texts, "%s [", before);

	for (int k = 0; k < size->n && k < SHAPE_DIMS; k++)
		text = arena_printf(texts, "%s%s%lld", text, k ? ", " : "", (long long)size->dim[k]);
	return arena_printf(texts, "%s]", text);
}

uint32_t shapes_label(shapes *s, size_t work, bool sizes)
{
	static const char module[] = "Module': '";       /* begins the names of modules (shape_name.h) */
	operator *o = s->share_of[work] == NONE ? NULL : &s->ops.v[s->share_of[work]];
	arena texts = { 0 };
	const char *label;
	shape_op op;

	if (!o || o->label != STR_NONE)
		return o ? o->label : STR_NONE;
	shape_name_read(shapes_name_of_range(s, o->range), &op);
	label = arena_text(&texts, op.name, op.len);
	label += strncmp(label, module, strlen(module)) == 0 ? strlen(module) : 0;
	while (op.n && !op.arg[op.n - 1].n)             /* leave out scalars at the end */
		op.n--;
	for (int i = 0; sizes && i < op.n; i++)
		label = shapes_write_sizes(&texts, label, &op.arg[i]);
	o->label = str_id(&s->t->names, label, strlen(label));
	arena_free(&texts);
	return o->label;
}
