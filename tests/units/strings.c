/* base/strings.h */
#include "unit.h"

#include "base/strings.h"

#include <stdio.h>
#include <string.h>

static uint32_t id_of(str_pool *p, const char *s)
{
	return str_id(p, s, strlen(s));
}

CASE(a_name_is_stored_once)
{
	str_pool p = { 0 };
	uint32_t gemm = id_of(&p, "gemm"), add = id_of(&p, "add");

	EQ(gemm, id_of(&p, "gemm"));
	YES(gemm != add);
	EQ(2, p.n);
	EQ_TEXT("gemm", str_at(&p, gemm));
	str_free(&p);
}

CASE(only_so_much_of_a_text_is_the_name)
{
	str_pool p = { 0 };
	uint32_t id = str_id(&p, "gemm_kernel", 4);

	EQ(id_of(&p, "gemm"), id);
	EQ(4, str_len(&p, id));
	EQ(0, str_len(&p, id_of(&p, "")));
	str_free(&p);
}

CASE(many_names_stay_apart)
{
	str_pool p = { 0 };
	char text[32];
	size_t wrong = 0;

	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "kernel_%u", i);
		wrong += id_of(&p, text) != i;
	}
	for (uint32_t i = 0; i < 20000; i++) {
		snprintf(text, sizeof text, "kernel_%u", i);
		wrong += id_of(&p, text) != i || strcmp(text, str_at(&p, i)) != 0;
	}
	EQ(0, wrong);
	str_free(&p);
}

CASE(runs_of_digits_fold)
{
	str_pool p = { 0 };

	EQ_TEXT("layer#.stage#_f", str_at(&p, str_fold(&p, id_of(&p, "layer07.stage2_f"))));
	EQ_TEXT("#", str_at(&p, str_fold(&p, id_of(&p, "123"))));
	EQ(id_of(&p, "plain"), str_fold(&p, id_of(&p, "plain")));
	EQ(str_fold(&p, id_of(&p, "step 1")), str_fold(&p, id_of(&p, "step 20")));
	str_free(&p);
}

CASE(the_missing_name_sorts_first)
{
	str_pool p = { 0 };
	uint32_t b = id_of(&p, "b"), a = id_of(&p, "a");

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
	uint32_t longer = id_of(&p, "gemm_2"), shorter = id_of(&p, "gemm");

	YES(str_cmp(&p, shorter, longer) < 0);
	str_free(&p);
}
