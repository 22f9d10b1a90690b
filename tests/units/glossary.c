/* base/glossary.h: every word that the code can print in a column of the glossary has a line there. */
#include "unit.h"

#include "base/glossary.h"
#include "job/critical_path.h"
#include "launch/compute_stalls.h"
#include "picture/plot_colors.h"
#include "step/owners.h"
#include "trace/call_class.h"

#include <string.h>

static void expect_word(const char *column, const char *word)
{
	const glossary_word *w = glossary_find(column, word);

	EQ_TEXT(word, w ? w->word : column);
}

CASE(every_owner_part_kind_and_class_is_a_word)
{
	for (int o = 0; o < OWNERS; o++)
		expect_word("owner", owner_name((enum owner)o));
	for (int p = 0; p < STALL_PARTS; p++)
		expect_word("part", stall_part_name((enum stall_part)p));
	for (int k = 0; k <= PATH_UNRESOLVED; k++)
		expect_word("path.kind", path_kind_name((enum path_kind)k));
	for (int c = 0; c <= CALL_MPI; c++)
		expect_word("api.class", call_class_name((enum call_class)c));
}

CASE(every_owner_of_the_glossary_is_one)
{
	for (const glossary_word *w = glossary_builtin; w->word; w++)
		if (strcmp(w->column, "owner") == 0)
			EQ_TEXT(w->word, owner_named(w->word) < OWNERS ? owner_name(owner_named(w->word)) : "none");
}

CASE(a_list_of_words_is_made_of_the_glossary)
{
	arena a = { 0 };

	EQ_TEXT("a: high medium low; b", glossary_expand(&a, "a: {severity high..low}; b"));
	EQ_TEXT("compute comm copy", glossary_expand(&a, "{streams.class}"));
	EQ_TEXT("no words", glossary_expand(&a, "no words"));
	EQ_TEXT("", glossary_expand(&a, "{nothing}"));
	EQ_TEXT("an open {brace", glossary_expand(&a, "an open {brace"));
	arena_free(&a);
}

CASE(a_terminal_of_256_colors_tells_owners_apart)
{
	bool taken[256] = { false };

	for (int o = 0; o < OWNERS; o++) {
		const char *name = owner_name((enum owner)o);
		unsigned color, on_terminal;
		plot_colors(&name, 1, &color);
		on_terminal = plot_color_256(color);
		NO(taken[on_terminal]);
		taken[on_terminal] = true;
	}
}

CASE(a_word_has_its_color_beside_any_other)
{
	const char *names[] = { "host", "cpu", "starved", "mine", "gpu", "matmul", "align" };
	unsigned colors[7];

	plot_colors(names, 7, colors);
	EQ_TEXT("#941f35", plot_color_light(colors[0]));
	EQ_TEXT("#941f35", plot_color_light(colors[1]));
	EQ_TEXT("#941f35", plot_color_light(colors[2]));
	EQ_TEXT("#1574b2", plot_color_light(colors[4]));
	EQ_TEXT("#1574b2", plot_color_light(colors[5]));
	NO(colors[3] == colors[0] || colors[3] == colors[4]);
	YES(plot_colors_count() < PLOT_COLORS);
}
