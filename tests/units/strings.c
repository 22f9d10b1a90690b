/* base/strings.h */
#include "unit.h"

#include "base/name_numbers.h"
#include "base/strings.h"

#include <stdio.h>
#include <string.h>

static uint32_t add_name(str_pool *p, const char *s)
{
	return str_id(p, s, strlen(s));
}

CASE(a_name_is_stored_once)
{
	str_pool p = { 0 };
	uint32_t gemm = add_name(&p, "gemm"), add = add_name(&p, "add");

	EQ(gemm, add_name(&p, "gemm"));
	YES(gemm != add);
	EQ(2, p.n);
	EQ_TEXT("gemm", str_at(&p, gemm));
	str_free(&p);
}

CASE(only_so_much_of_a_text_is_the_name)
{
	str_pool p = { 0 };
	uint32_t id = str_id(&p, "gemm_kernel", 4);

	EQ(add_name(&p, "gemm"), id);
	EQ(4, str_len(&p, id));
	EQ(0, str_len(&p, add_name(&p, "")));
	str_free(&p);
}

CASE(many_names_stay_apart)
{
	str_pool p = { 0 };
	char text[32];
	size_t wrong = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "kernel_%u", i);
		wrong += add_name(&p, text) != i;
	}
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "kernel_%u", i);
		wrong += add_name(&p, text) != i || strcmp(text, str_at(&p, i)) != 0;
	}
	EQ(0, wrong);
	str_free(&p);
}

CASE(runs_of_digits_fold)
{
	str_pool p = { 0 };

	EQ_TEXT("layer#.stage#_f", str_at(&p, str_fold(&p, add_name(&p, "layer07.stage2_f"))));
	EQ_TEXT("#", str_at(&p, str_fold(&p, add_name(&p, "123"))));
	EQ(add_name(&p, "plain"), str_fold(&p, add_name(&p, "plain")));
	EQ(str_fold(&p, add_name(&p, "step 1")), str_fold(&p, add_name(&p, "step 20")));
	str_free(&p);
}

CASE(the_missing_name_sorts_first)
{
	str_pool p = { 0 };
	uint32_t b = add_name(&p, "b"), a = add_name(&p, "a");

	YES(str_cmp(&p, a, b) < 0);
	YES(str_cmp(&p, b, a) > 0);
	EQ(0, str_cmp(&p, a, a));
	YES(str_cmp(&p, STR_NONE, a) < 0);
	YES(str_at(&p, STR_NONE) == NULL);
	str_free(&p);
}

CASE(a_name_that_begins_another_sorts_before_it)
{
	str_pool p = { 0 };
	uint32_t longer = add_name(&p, "gemm_2"), shorter = add_name(&p, "gemm");

	YES(str_cmp(&p, shorter, longer) < 0);
	str_free(&p);
}

/* base/name_numbers.h */

/* The numbers that name_numbers finds in three names, as a text; "none": it finds none. */
static const char *find_numbers(const char *a, const char *b, const char *c)
{
	static char text[80];
	int64_t n[3];

	if (!name_numbers((const char *[]){ a, b, c }, 3, n))
		return "none";
	snprintf(text, sizeof text, "%lld %lld %lld", (long long)n[0], (long long)n[1], (long long)n[2]);
	return text;
}

CASE(a_number_in_names_counts_up)
{
	int64_t n[1];

	EQ_TEXT("8 9 10", find_numbers("step 8", "step 9", "step 10"));
	EQ_TEXT("10 14 18", find_numbers("iteration10/100", "iteration14/100", "iteration18/100"));
	EQ_TEXT("5 6 7", find_numbers("gpt2 step 5 of 9", "gpt2 step 6 of 8", "gpt2 step 7 of 7"));
	EQ_TEXT("none", find_numbers("step 2", "step 2", "step 3"));
	EQ_TEXT("none", find_numbers("step 3", "step 2", "step 1"));
	EQ_TEXT("none", find_numbers("step", "step", "step"));
	EQ_TEXT("none", find_numbers("step 1", "stop 2", "step 3"));
	EQ_TEXT("none", find_numbers("step 1", "step 2", "step 3 "));
	EQ_TEXT("none", find_numbers("1000000000000000000000", "2000000000000000000000", "3000000000000000000000"));
	YES(!name_numbers((const char *[]){ "step 1" }, 1, n));
}
