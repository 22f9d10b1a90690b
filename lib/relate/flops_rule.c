#include "relate/flops_rule.h"

#include <ctype.h>
#include <string.h>

typedef struct {                /* what the letters of a rule stand for */
	struct {
		bool known;
		int64_t size;
		int64_t dim[SHAPE_DIMS];
	} of['z' - 'A' + 1];
	int many;               /* how many dimensions a capital letter has; -1: not known */
} letters;

typedef struct {                /* a rule that is being read: a word of it, and what follows */
	const char *word, *rest;
	size_t len;
} reader;

static bool next_word(reader *r)
{
	r->word = r->rest + strspn(r->rest, " ");
	r->len = strcspn(r->word, " :|");
	r->rest = r->word + r->len;
	return r->len > 0;
}

static bool is_word(const reader *r, const char *s)
{
	return strlen(s) == r->len && strncmp(r->word, s, r->len) == 0;
}

static bool times(int64_t *to, int64_t by)
{
	return !__builtin_mul_overflow(*to, by, to);
}

/* Let the letter stand for these dimensions; false: it stands for others. */
static bool bind_letter(letters *l, char letter, const int64_t *dim, int n)
{
	int i = letter - 'A';

	if (l->of[i].known)
		return memcmp(l->of[i].dim, dim, (size_t)n * sizeof *dim) == 0;
	l->of[i].known = true;
	l->of[i].size = 1;
	memcpy(l->of[i].dim, dim, (size_t)n * sizeof *dim);
	for (int k = 0; k < n; k++)
		if (!times(&l->of[i].size, dim[k]))
			return false;
	return true;
}

/* Let the letters of a word stand for the dimensions of a size; false: they do not fit. */
static bool bind(letters *l, const char *word, size_t len, const shape *s)
{
	int many = s->n - (int)len, at = 0;

	for (size_t i = 0; i < len; i++)
		many += isupper((unsigned char)word[i]) != 0;
	if (s->n > SHAPE_DIMS || many < 0)
		return false;
	for (size_t i = 0; i < len; i++) {
		bool capital = isupper((unsigned char)word[i]) != 0;
		int n = capital ? many : 1;
		if (capital && l->many >= 0 && l->many != many)
			return false;
		l->many = capital ? many : l->many;
		if (at + n > s->n || !bind_letter(l, word[i], s->dim + at, n))
			return false;
		at += n;
	}
	return at == s->n;
}

/* The product of the letters and digits of a word; false: a letter is not known, or it is too much. */
static bool product(const letters *l, const char *word, size_t len, int64_t *to)
{
	*to = 1;
	for (size_t i = 0; i < len; i++) {
		bool digit = isdigit((unsigned char)word[i]) != 0;
		if (!digit && !l->of[word[i] - 'A'].known)
			return false;
		if (!times(to, digit ? word[i] - '0' : l->of[word[i] - 'A'].size))
			return false;
	}
	return true;
}

static bool add_elements(const letters *l, const reader *r, flops_value *to)
{
	int64_t n;

	return product(l, r->word, r->len, &n) && !__builtin_add_overflow(to->elements, n, &to->elements);
}

/* Is the result of this number and word an argument of another operator?  Its letters then stand for that size.  A
 * number may be that of a tensor that is gone, so sizes that do not fit are passed over; others must be equal. */
static bool find_taken(letters *l, const reader *r, int64_t result, const flops_taken *taken, size_t n)
{
	letters before = *l;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		letters with = before;
		if (taken[i].result != result || !bind(&with, r->word, r->len, &taken[i].size))
			continue;
		if (found && !bind(l, r->word, r->len, &taken[i].size))
			return false;
		*l = found ? *l : with;
		found = true;
	}
	return found;
}

static bool read_sizes(letters *l, reader *r, const shape_op *op, flops_value *to)
{
	for (int i = 0; next_word(r); i++) {
		if (is_word(r, "*"))
			continue;
		if (i >= op->n || (is_word(r, "-") ? op->arg[i].n : !bind(l, r->word, r->len, &op->arg[i])))
			return false;
		if (!is_word(r, "-") && !add_elements(l, r, to))
			return false;
	}
	r->rest += *r->rest == ':';
	return true;
}

/* The results; how often the FLOPs count for them. */
static int64_t read_results(letters *l, reader *r, bool each, const flops_taken *taken, size_t n, flops_value *to)
{
	int64_t count = 0, whole;

	for (int64_t i = 0; next_word(r); i++) {
		bool known = product(l, r->word, r->len, &whole);
		if ((each || !known) && !find_taken(l, r, i, taken, n)) {
			if (!each)
				return 0;
			continue;
		}
		if (!add_elements(l, r, to))
			return 0;
		count++;
	}
	return each ? count : 1;
}

static bool sum_of_products(const letters *l, reader r, int64_t by, flops_value *to)
{
	int64_t n;

	while (next_word(&r) && !is_word(&r, "->"))
		if (!is_word(&r, "each") && !is_word(&r, "+") && (!product(l, r.word, r.len, &n) || !times(&n, by) ||
		    __builtin_add_overflow(to->flops, n, &to->flops)))
			return false;
	return true;
}

/* One reading: SIZES: FLOPS -> RESULTS. */
static bool reading(reader r, const shape_op *op, const flops_taken *taken, size_t n, flops_value *to)
{
	letters l = { .many = -1 };
	reader flops;
	bool each = false;
	int64_t count;

	*to = (flops_value){ 0 };
	if (!read_sizes(&l, &r, op, to))
		return false;
	flops = r;
	while (next_word(&r) && !is_word(&r, "->"))
		each |= is_word(&r, "each");
	count = read_results(&l, &r, each, taken, n, to);
	return count && sum_of_products(&l, flops, count, to);
}

bool flops_rule(const char *rule, const shape_op *op, const flops_taken *taken, size_t ntaken, flops_value *to)
{
	bool found = false;
	flops_value v;

	for (const char *at = rule; at; at = strchr(at, '|'), at = at ? at + 1 : NULL) {
		if (!reading((reader){ .rest = at }, op, taken, ntaken, &v))
			continue;
		if (found && v.flops != to->flops)
			return false;
		*to = v;
		found = true;
	}
	return found;
}
