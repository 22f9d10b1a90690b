#include "sqlite/functions.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/strings.h"

#include <math.h>
#include <stdbool.h>

/* The values of one group.  Integers stay integers, because a double cannot represent every time in ns exactly. */
typedef struct {
	int64_t *ints;          /* the values while all of them are integers, then NULL */
	double *reals;          /* the values once one of them is not an integer; NULL before */
	size_t n, room;
	double p;               /* the percentile, as the query gives it */
} values;

static bool functions_make_real(values *v)
{
	double *reals = sqlite3_malloc64(v->room * sizeof *reals);

	for (size_t i = 0; reals && i < v->n; i++)
		reals[i] = (double)v->ints[i];
	if (!reals)
		return false;
	sqlite3_free(v->ints);
	v->ints = NULL;
	v->reals = reals;
	return true;
}

/* Add a value.  The memory comes from SQLite, which has a limit.  False: the limit is reached. */
static bool functions_add_value(values *v, sqlite3_value *x)
{
	bool real = sqlite3_value_type(x) == SQLITE_FLOAT;

	if (v->n == v->room) {
		size_t room = v->room ? v->room * 2 : 64;
		void *more = sqlite3_realloc64(v->reals ? (void *)v->reals : v->ints, room * sizeof *v->ints);
		if (!more)
			return false;
		v->room = room;
		if (v->reals)
			v->reals = more;
		else
			v->ints = more;
	}
	if (real && !v->reals && !functions_make_real(v))
		return false;
	if (v->reals)
		v->reals[v->n++] = sqlite3_value_double(x);
	else
		v->ints[v->n++] = sqlite3_value_int64(x);
	return true;
}

static void functions_free_values(values *v)
{
	sqlite3_free(v->ints);
	sqlite3_free(v->reals);
	*v = (values){ 0 };
}

static void functions_add_row(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	values *v = sqlite3_aggregate_context(ctx, sizeof *v);
	double p = argc > 1 ? sqlite3_value_double(argv[1]) : 0.5;
	int type = sqlite3_value_type(argv[0]), p_type = argc > 1 ? sqlite3_value_numeric_type(argv[1]) : SQLITE_FLOAT;

	if (!v) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if ((p_type != SQLITE_INTEGER && p_type != SQLITE_FLOAT) || !(p >= 0 && p <= 100))
		sqlite3_result_error(ctx, "percentile(x, p) needs a p from 0 to 1, or in percent up to 100", -1);
	else if (v->n && v->p != p)
		sqlite3_result_error(ctx, "percentile(x, p) needs the same p in all rows", -1);
	else if (type == SQLITE_TEXT || type == SQLITE_BLOB)
		sqlite3_result_error(ctx, "median and percentile need numbers, not a text", -1);
	else if (type != SQLITE_NULL && !functions_add_value(v, argv[0]))
		sqlite3_result_error_nomem(ctx);
	v->p = p;
}

static int functions_compare_values(uint32_t a, uint32_t b, const void *ctx)
{
	const values *v = ctx;

	return v->reals ? sort_3way(v->reals[a], v->reals[b]) : sort_3way(v->ints[a], v->ints[b]);
}

/* The index, from 0, of percentile p among n sorted values, by nearest rank.  If p*n exceeds a whole number only by
 * rounding, it counts as that number. */
static size_t functions_find_index(double p, size_t n)
{
	double exact = (p > 1 ? p / 100 : p) * (double)n, whole = round(exact), rank;

	rank = fabs(exact - whole) < 1e-9 * (double)n ? whole : ceil(exact);
	return rank < 1 ? 0 : (size_t)rank - 1;
}

static void functions_give_value(sqlite3_context *ctx)
{
	values *v = sqlite3_aggregate_context(ctx, 0);
	uint32_t *order;
	size_t k;

	if (!v || !v->n)
		return;         /* the result stays NULL */
	order = sort_order(v->n, functions_compare_values, v);
	k = functions_find_index(v->p, v->n);
	k = order ? order[k] : k;
	if (v->reals)
		sqlite3_result_double(ctx, v->reals[k]);
	else
		sqlite3_result_int64(ctx, v->ints[k]);
	free(order);
	functions_free_values(v);
}

static void functions_fold_name(sqlite3_context *ctx, int argc UNNEEDED, sqlite3_value **argv)
{
	const char *text = (const char *)sqlite3_value_text(argv[0]);
	int n = sqlite3_value_bytes(argv[0]);
	char *folded;

	if (!text)
		return;
	folded = sqlite3_malloc(n + 1);
	if (folded)
		sqlite3_result_text(ctx, folded, (int)str_fold_text(text, (size_t)n, folded), sqlite3_free);
	else
		sqlite3_result_error_nomem(ctx);
}

void functions_add(sqlite3 *sql)
{
	int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

	if (sqlite3_create_function(sql, "median", 1, flags, NULL, NULL, functions_add_row, functions_give_value) !=
		    SQLITE_OK ||
	    sqlite3_create_function(sql, "percentile", 2, flags, NULL, NULL, functions_add_row, functions_give_value) !=
		    SQLITE_OK ||
	    sqlite3_create_function(sql, "fold", 1, flags, NULL, functions_fold_name, NULL, NULL) != SQLITE_OK)
		mem_exhausted(1, 1);
}
