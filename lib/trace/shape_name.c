#include "trace/shape_name.h"

#include <stdlib.h>
#include <string.h>

/* The text after a key in the name; NULL if the key is not there. */
static const char *shape_name_skip_key(const char *name, const char *key)
{
	const char *at = strstr(name, key);

	return at ? at + strlen(key) : NULL;
}

/* Read dimensions, as in "4, 256, 512]".  Returns the text after the bracket; NULL: these are no dimensions. */
static const char *shape_name_read_dims(const char *s, shape *to)
{
	char *end;

	for (to->n = 0; *s != ']'; to->n++) {
		long long v = *s >= '0' && *s <= '9' ? strtoll(s, &end, 10) : -1;
		if (v < 0)
			return NULL;
		if (to->n < SHAPE_DIMS)
			to->dim[to->n] = v;
		s = end + strspn(end, ", ");
	}
	return s + 1;
}

/* Read a list of shapes, as in "[4, 256], []]", up to its end or to something that cannot be read. */
static void shape_name_read_list(const char *s, shape_op *to)
{
	while (s && *s == '[' && to->n < SHAPE_ARGS) {
		s = shape_name_read_dims(s + 1, &to->arg[to->n]);
		if (s) {
			to->n++;
			s += strspn(s, ", ");
		}
	}
}

static bool shape_name_read_module(const char *name, shape_op *to)
{
	static const char before[] = "{'Module': '";
	const char *weight = shape_name_skip_key(name, "'weight': ["),
		*inputs = shape_name_skip_key(name, "'Inputs': [");

	if (strncmp(name, before, strlen(before)) != 0 || !weight || !inputs)
		return false;
	to->name = name + 2;
	to->len = strcspn(name + strlen(before), "'") + strlen(before) - 2;
	shape_name_read_list(inputs, to);
	if (to->n == 0 || !shape_name_read_dims(weight, &to->arg[1]))
		return false;
	to->n = 2;
	return true;
}

bool shape_name_read(const char *name, shape_op *to)
{
	const char *sizes = shape_name_skip_key(name, ", sizes = ["), *id = shape_name_skip_key(name, ", op_id = ");

	*to = (shape_op){ .name = name, .len = strcspn(name, ","), .id = -1 };
	if (*name == '{')
		return shape_name_read_module(name, to);
	if (!sizes)
		return false;
	if (id && id < sizes)
		to->id = strtoll(id, NULL, 10);
	shape_name_read_list(sizes, to);
	return true;
}

void shape_name_each_input(const char *name, void (*f)(void *ctx, int arg, int64_t op, int64_t result), void *ctx)
{
	const char *s = shape_name_skip_key(name, ", input_op_ids = [");

	for (int arg = 0; s && *s == '(' && arg < SHAPE_ARGS; arg++) {
		char *comma, *end;
		int64_t op = strtoll(s + 1, &comma, 10), result = *comma == ',' ? strtoll(comma + 1, &end, 10) : -1;
		if (*comma != ',' || *end != ')')
			return;
		if (op > 0 && result >= 0)
			f(ctx, arg, op, result);
		s = end + 1 + strspn(end + 1, ", ");
	}
}
