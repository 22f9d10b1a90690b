/* nsq recipe --words: sorts the command line of a recipe into arrays for bash (lib.sh).
 *
 * A recipe says which options it takes: `takes='nsq-ledger nsq-plot --output --title own --list --rules=FILE'`.  All
 * options of nsq-ledger go to the array `other`, as those of any tool without a list of options; the two of nsq-plot go
 * to the array `plot`, and the recipe's own two to the array `own`.  A recipe without `takes` takes the options of all
 * tools.  Options that every recipe has go to `first`, `windows`, `quiet` and `shown`, and operands to `traces`.  The
 * text `typed` holds the names of all options that were given. */
#include "base/shell.h"
#include "cli/errors.h"
#include "cli/front_door.h"
#include "cli/run.h"

enum { OWN_MOST = 8 };

typedef struct {                /* a tool or the recipe, and the options that it takes */
	const opt_tool *tool;   /* NULL: the recipe itself */
	const char *only;       /* names of options; "": all options of the tool */
	const char *array;      /* where these options go */
} taker;

typedef struct {                /* a word, and the array that it goes to */
	const char *array, *word;
} placed_word;

typedef struct {
	vec(taker) takers;
	opt own[OWN_MOST + 1];
	vec(placed_word) words;
	text_list typed;        /* the names of all options that are given */
	const char *found_array; /* the array of the option that was found last */
	arena texts;
} recipe_options_ctx;

static void recipe_options_add_own(recipe_options_ctx *s, const char *word)
{
	size_t n = 0;

	while (s->own[n].name)
		n++;
	if (n == OWN_MOST)
		die(EXIT_WRONG, "a recipe has at most %d options of its own", OWN_MOST);
	s->own[n].name = arena_text(&s->texts, word, strcspn(word, "="));
	s->own[n].arg = strchr(word, '=') ? strchr(word, '=') + 1 : NULL;
}

static void recipe_options_read_takes(recipe_options_ctx *s, const char *takes)
{
	for (size_t n; takes += strspn(takes, " \t\n"), (n = strcspn(takes, " \t\n")); takes += n) {
		const char *word = arena_text(&s->texts, takes, n);
		taker *last = s->takers.n ? &s->takers.v[s->takers.n - 1] : NULL;
		bool own = strcmp(word, "own") == 0;
		if (strncmp(word, "--", 2) == 0 && last && last->tool) {
			last->only = arena_printf(&s->texts, "%s %s", last->only, word + 2);
			last->array = tools_short_name(last->tool->name);
		} else if (strncmp(word, "--", 2) == 0 && last) {
			recipe_options_add_own(s, word + 2);
		} else if (own || tools_find(word)) {
			vec_push(&s->takers, (taker){ own ? NULL : tools_find(word), "", own ? "own" : "other" });
		} else {
			die(EXIT_WRONG, "its takes='...' has '%s', which is no tool", word);
		}
	}
	for (size_t i = 0, none = !s->takers.n; none && tools_builtin[i]; i++)
		vec_push(&s->takers, (taker){ tools_builtin[i], "", "other" });
}

static const opt *recipe_options_find_in_tool(recipe_options_ctx *s, const taker *t, const char *name, size_t n,
					      char letter)
{
	const opt *o = t->tool ? options_find(t->tool, name, n, letter) : s->own;

	while (!t->tool && o->name && (letter || strlen(o->name) != n || strncmp(o->name, name, n) != 0))
		o++;
	if (!o || !o->name || (*t->only && !text_is_listed_word(o->name, strlen(o->name), t->only)))
		return NULL;
	s->found_array = t->array;
	return o;
}

/* Find an option: first among those that the recipe lists by name, then among the few that every recipe has (all_have),
 * then among all options of the recipe's tools. */
static const opt *recipe_options_find_any(void *ctx, const char *name, size_t n, char letter)
{
	static const struct { const char *only, *array; } all_have[] = {
		{ "match kernel outer pick skip pid nsys export-to cpu", "first" }, { "window", "windows" },
		{ "quiet", "quiet" },
		{ "rows format human raw", "shown" },
	};
	recipe_options_ctx *s = ctx;
	const opt *o = NULL;

	for (size_t i = 0; !o && i < s->takers.n; i++)
		if (!s->takers.v[i].tool || *s->takers.v[i].only)
			o = recipe_options_find_in_tool(s, &s->takers.v[i], name, n, letter);
	for (size_t i = 0; !o && i < sizeof all_have / sizeof *all_have; i++)
		o = recipe_options_find_in_tool(
			s, &(taker){ tools_find("window"), all_have[i].only, all_have[i].array }, name, n, letter);
	for (size_t i = 0; !o && i < s->takers.n; i++)
		o = recipe_options_find_in_tool(s, &s->takers.v[i], name, n, letter);
	return o;
}

static void recipe_options_refuse_option(void *ctx, const char *arg)
{
	const opt_tool *tool = ((recipe_options_ctx *)ctx)->takers.v[0].tool;

	if (!tool)
		die(EXIT_WRONG, "unknown option '%s'", arg);
	errors_begin(tool->name);
	options_die_unknown(tool, arg);
}

static void recipe_options_add_word(recipe_options_ctx *s, const char *array, const char *word)
{
	vec_push(&s->words, (placed_word){ array, word });
}

/* Add an option to its array.  If it has a letter, it becomes -X, followed by its value as the next word; otherwise it
 * becomes --NAME or --NAME=VALUE. */
static void recipe_options_add_option(void *ctx, const opt *o, const char *shown UNNEEDED, const char *arg)
{
	recipe_options_ctx *s = ctx;

	vec_push(&s->typed, o->name);
	if (!o->letter)
		recipe_options_add_word(s, s->found_array,
					arena_printf(&s->texts, "--%s%s%s", o->name, arg ? "=" : "", arg ? arg : ""));
	else
		recipe_options_add_word(s, s->found_array, arena_printf(&s->texts, "-%c", o->letter));
	if (o->letter && arg)
		recipe_options_add_word(s, s->found_array, arg);
}

static void recipe_options_add_operand(void *ctx, const char *arg)
{
	recipe_options_add_word(ctx, "traces", arg);
}

static void recipe_options_print_array(recipe_options_ctx *s, const char *array)
{
	printf("%s=(", array);
	for (size_t i = 0; i < s->words.n; i++)
		if (strcmp(s->words.v[i].array, array) == 0)
			printf(" %s", shell_single(&s->texts, s->words.v[i].word));
	puts(" )");
}

void recipes_print_argument_arrays(const char *recipe, const char *takes, int argc, char **argv)
{
	static const char *const always[] = { "first", "windows", "quiet", "shown", "other", "own", "traces" };
	recipe_options_ctx s = { 0 };

	errors_begin(recipe);
	recipe_options_read_takes(&s, takes);
	options_walk(&(options_reader){ &s, recipe_options_find_any, recipe_options_refuse_option,
					recipe_options_add_option, recipe_options_add_operand, false },
		     argc, argv);
	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		recipe_options_print_array(&s, always[i]);
	for (size_t i = 0; i < s.takers.n; i++)
		if (*s.takers.v[i].only)
			recipe_options_print_array(&s, s.takers.v[i].array);
	fputs("typed=' ", stdout);
	for (size_t i = 0; i < s.typed.n; i++)
		printf("%s ", s.typed.v[i]);
	puts("'");
	mem_free(s.takers.v, s.words.v, s.typed.v);
	arena_free(&s.texts);
}
