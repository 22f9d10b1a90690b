#include "cli/mcp.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/run.h"

#include <ctype.h>

/* ---- what is offered */

static bool one_of(const char *word, const char *list)
{
	return words_listed(word, strlen(word), list);
}

static bool offered(const opt_tool *t)
{
	return !t->runs && (t->over || !t->draws);
}

const opt_tool *mcp_tools_named(const char *name)
{
	const opt_tool *t = strncmp(name, "nsq_", 4) == 0 ? tools_find(name + 4) : NULL;

	return t && offered(t) ? t : NULL;
}

/* -w is windows here, which takes a result, too. */
static bool option_offered(const opt_tool *t, const opt *o)
{
	return options_has(t, o) && o->type != OPT_PROGRAM && o->type != OPT_WINDOWS &&
		!one_of(o->name, "help version quiet threads export-to human columns");
}

/* Clients may make it the name of a variable. */
static const char *as_argument(arena *to, const char *option)
{
	char *name = arena_copy(to, option);

	for (char *c = name; (c = strchr(c, '-'));)
		*c = '_';
	return name;
}

static bool same_name(const char *a, const char *b)
{
	for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++, b++)
		;
	return !*a && !*b;
}

static const opt *option_named(const opt_tool *t, const char *name)
{
	const opt *const lists[] = { t->options, options_common(t) };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (same_name(o->name, name))
				return o;
	return NULL;
}

static const char *const of_recipes = "match pick skip pid gpu rows format";

const opt *mcp_tools_option(const opt_tool *tool, const char *name)
{
	const opt_tool *t = tool ? tool : tools_find("window");
	const opt *o = option_named(t, name);

	return o && option_offered(t, o) && (tool || one_of(o->name, of_recipes)) ? o : NULL;
}

const char *mcp_tools_word(const opt_tool *tool, arena *to)
{
	const char *from = tool->first ? tool->first->arg : tool->words ? tool->operands : NULL;
	char *word = from ? arena_text(to, from, strcspn(from, " ")) : NULL;

	for (char *c = word; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return word;
}

bool mcp_tools_tables(const opt_tool *tool)
{
	return tool->over && !tool->no_tables;
}

bool mcp_tools_traces(const opt_tool *tool)
{
	return tool->traces || options_reads_traces(tool);
}

const char *mcp_tools_like(const opt_tool *tool, const char *name, arena *to)
{
	const opt_tool *t = tool ? tool : tools_find("window");
	const opt *const lists[] = { t->options, options_common(t) };
	const char *word = tool ? mcp_tools_word(tool, to) : "name", *said;
	text_list known = { 0 };

	vec_push(&known, "max_bytes");
	if (word)
		vec_push(&known, word);
	if (mcp_tools_traces(t))
		vec_push(&known, "traces");
	if (mcp_tools_tables(t))
		vec_push(&known, "tables");
	if (options_reads_traces(t))
		vec_push(&known, "windows");
	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (mcp_tools_option(tool, o->name))
				vec_push(&known, as_argument(to, o->name));
	said = suggest_names(to, name, known.v, known.n);
	vec_free(&known);
	return said;
}

const opt *mcp_tools_written(const opt_tool *tool)
{
	for (const opt *o = tool->options; o->name; o++)
		if (o->type == OPT_WRITES && option_offered(tool, o))
			return o;
	return NULL;
}

/* ---- their description */

static void member(FILE *f, const char *name, const char *text)
{
	fprintf(f, "\"%s\":", name);
	format_json(f, text);
}

/* A property, up to its description. */
static void property(FILE *f, bool *more, const char *name, const char *type, const char *description)
{
	fprintf(f, "%s\"%s\":{%s,", *more ? "," : "", name, type);
	*more = true;
	member(f, "description", description);
	putc('}', f);
}

static const char *enumeration(arena *to, const char *const *words)
{
	const char *list = "";

	for (; *words; words++)
		list = arena_printf(to, "%s%s\"%s\"", list, *list ? "," : "", *words);
	return arena_printf(to, "\"enum\":[%s]", list);
}

#define STRINGS "\"type\":\"array\",\"items\":{\"type\":\"string\"}"

static const char *type_of(const opt *o, arena *to)
{
	static const char *const formats[] = { "tsv", "table", "csv", "jsonl", "md", NULL };

	if (o->type == OPT_MODE || o->type == OPT_FLAG)
		return "\"type\":\"boolean\"";
	if (o->type == OPT_COUNT || o->type == OPT_ID)
		return o->type == OPT_ID ? "\"type\":\"integer\",\"minimum\":0" : "\"type\":\"integer\",\"minimum\":1";
	if (o->type == OPT_TEXTS)
		return STRINGS;
	if (o->type == OPT_KEYS)
		return arena_printf(to, "\"type\":\"array\",\"items\":{\"type\":\"string\",%s}",
				    enumeration(to, o->words));
	if (o->type == OPT_CHOICE || o->type == OPT_FORMAT)
		return arena_printf(to, "\"type\":\"string\",%s",
				    enumeration(to, o->type == OPT_FORMAT ? formats : o->words));
	return "\"type\":\"string\"";
}

/* The names of the modes that are among these. */
static const char *modes_named(const opt_tool *t, unsigned modes, arena *to)
{
	const char *list = "";

	for (const opt *m = t->options; m->name; m++)
		if (opt_is_mode(m) && m->mode & modes)
			list = arena_printf(to, "%s%s%s", list, *list ? " " : "", m->name);
	return list;
}

/* What an option does, and in which modes. */
static const char *described(const opt_tool *t, const opt *o, arena *to)
{
	const char *others = opt_is_mode(o) ? modes_named(t, ~o->mode, to) : "";

	if (*others)
		return arena_printf(to, "%s (not with: %s)", o->help, others);
	if (o->modes && !(o->modes & 1) && !opt_is_mode(o))
		return arena_printf(to, "%s (only with: %s)", o->help, modes_named(t, o->modes, to));
	return o->help;
}

static void options(FILE *f, const opt_tool *t, const char *only, bool *more, arena *texts)
{
	const opt *const lists[] = { t->options, options_common(t) };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (option_offered(t, o) && (!only || one_of(o->name, only)))
				property(f, more, as_argument(texts, o->name), type_of(o, texts),
					 described(t, o, texts));
}

static const char *const traces_text = "as " MCP_TRACES " lists them";
static const char *const windows_text = "an earlier result (r1), whose rows name the windows and traces; or A..B (ns "
	"us ms s); or the text or file of a table";
static const char *const tables_text = "earlier results (r1, or NAME=r1), or the texts or files of tables; a query "
	"names them r1, NAME, or t t2 t3 in this order";

static void inputs_of(FILE *f, const opt_tool *t, bool *more, arena *texts)
{
	const char *word = mcp_tools_word(t, texts);

	if (word)
		property(f, more, word, "\"type\":\"string\"", t->first ? t->first->help : !t->bare ?
			 arena_printf(texts, "as in: %s", t->examples[0]) :
			 arena_printf(texts, "as in: %s; or a name (only with: %s)", t->examples[0],
				      modes_named(t, t->bare, texts)));
	if (mcp_tools_traces(t))
		property(f, more, "traces", STRINGS, traces_text);
	if (mcp_tools_tables(t))
		property(f, more, "tables", STRINGS, tables_text);
	if (options_reads_traces(t))
		property(f, more, "windows", "\"type\":\"string\"", windows_text);
}

static void begin(FILE *f, bool *more, const char *name, const char *title, const char *text)
{
	fprintf(f, "%s{\"name\":\"%s\",", *more ? "," : "", name);
	*more = true;
	member(f, "title", title);
	putc(',', f);
	member(f, "description", text);
	fputs(",\"inputSchema\":{\"type\":\"object\",\"properties\":{", f);
}

static void end(FILE *f, const char *required, bool writes)
{
	if (required)
		fprintf(f, "},\"required\":[\"%s\"]", required);
	fprintf(f, "%s,\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":%s,\"openWorldHint\":false}}",
		required ? "" : "}", writes ? "false" : "true");
}

static const char *const max_text = "how much to show (default: 40000)";

static void describe(FILE *f, const opt_tool *t, bool *more)
{
	arena texts = { 0 };
	const opt *out = mcp_tools_written(t);
	const char *word = mcp_tools_word(t, &texts);
	bool any = false, word_needed = word && t->words && !t->bare;

	begin(f, more, arena_printf(&texts, "nsq_%s", tools_short(t->name)), t->name, t->question);
	inputs_of(f, t, &any, &texts);
	options(f, t, NULL, &any, &texts);
	property(f, &any, "max_bytes", "\"type\":\"integer\"", max_text);
	end(f, word_needed ? word : out && out->chosen ? out->name : NULL, out != NULL);
	arena_free(&texts);
}

static void describe_others(FILE *f, bool *more)
{
	arena texts = { 0 };
	bool any = false;

	begin(f, more, MCP_TRACES, "traces", "Which traces are there, in the folders that this server may read?");
	property(f, &any, "max_bytes", "\"type\":\"integer\"", max_text);
	end(f, NULL, false);
	any = false;
	begin(f, more, MCP_HELP, "nsq help", "Explains a tool (options, columns, how its numbers are defined), or "
	      "how to use all of them.");
	property(f, &any, "topic", "\"type\":\"string\"", "gaps, overlap and so on: a tool; skill, questions, "
		 "tables, pitfalls, collectives, queries, conventions: pages; recipes: what they ask (default: the "
		 "list of tools)");
	end(f, NULL, false);
	any = false;
	begin(f, more, MCP_RECIPE, "nsq recipe", "Answers a common question with several tools, for the steady "
	      "steps. Without traces and windows it shows the recipe and how to read what it prints; without a name "
	      "it lists all.");
	property(f, &any, "name", "\"type\":\"string\"", "of the recipe");
	property(f, &any, "traces", STRINGS, traces_text);
	property(f, &any, "windows", "\"type\":\"string\"", windows_text);
	options(f, tools_find("window"), of_recipes, &any, &texts);
	property(f, &any, "max_bytes", "\"type\":\"integer\"", max_text);
	end(f, NULL, false);
	arena_free(&texts);
}

void mcp_tools_list(FILE *to)
{
	bool more = false;

	putc('[', to);
	describe_others(to, &more);
	for (const opt_tool *const *t = tools_builtin; *t; t++)
		if (offered(*t))
			describe(to, *t, &more);
	putc(']', to);
}
