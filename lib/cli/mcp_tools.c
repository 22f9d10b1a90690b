#include "cli/mcp.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/run.h"

#include <ctype.h>

/* ---- what is offered */

static bool mcp_tools_is_one_of(const char *word, const char *list)
{
	return text_is_listed_word(word, strlen(word), list);
}

/* A tool that draws but does not read tables, as nsq-tui, needs a terminal. */
static bool mcp_tools_is_offered(const opt_tool *t)
{
	return !t->runs && (t->over || !t->draws);
}

const opt_tool *mcp_tools_named(const char *name)
{
	const opt_tool *t = strncmp(name, "nsq_", 4) == 0 ? tools_find(name + 4) : NULL;

	return t && mcp_tools_is_offered(t) ? t : NULL;
}

/* Is the option offered?  -w is not, because the argument `windows` does the same and takes results too. */
static bool mcp_tools_is_offered_option(const opt_tool *t, const opt *o)
{
	return options_has(t, o) && o->type != OPT_PROGRAM && o->type != OPT_WINDOWS &&
		!mcp_tools_is_one_of(o->name, "help version quiet threads export-to human raw columns");
}

/* The name of an option with _ for -, because clients may use it as the name of a variable. */
static const char *mcp_tools_name_argument(arena *to, const char *option)
{
	char *name = arena_copy(to, option);

	for (char *c = name; (c = strchr(c, '-'));)
		*c = '_';
	return name;
}

static bool mcp_tools_is_same_name(const char *a, const char *b)
{
	for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++, b++)
		;
	return !*a && !*b;
}

static const opt *mcp_tools_find_option(const opt_tool *t, const char *name)
{
	const opt *const lists[] = { t->options, options_common(t) };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (mcp_tools_is_same_name(o->name, name))
				return o;
	return NULL;
}

/* The names of the options that all recipes have and that are offered.  They are described as options of nsq-window,
 * which has all of them. */
static const char *const recipe_options = "match pick skip pid gpu rows format";

const opt *mcp_tools_option(const opt_tool *tool, const char *name)
{
	const opt_tool *t = tool ? tool : tools_find("window");
	const opt *o = mcp_tools_find_option(t, name);

	return o && mcp_tools_is_offered_option(t, o) && (tool || mcp_tools_is_one_of(o->name, recipe_options)) ?
		o : NULL;
}

const char *mcp_tools_name_operand(const opt_tool *tool, arena *to)
{
	const char *from = tool->first ? tool->first->arg : tool->words ? tool->operands : NULL;
	char *word = from ? arena_text(to, from, strcspn(from, " ")) : NULL;

	for (char *c = word; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return word;
}

bool mcp_tools_takes_tables(const opt_tool *tool)
{
	return tool->over && !tool->no_tables;
}

bool mcp_tools_takes_traces(const opt_tool *tool)
{
	return tool->traces || options_is_trace_tool(tool);
}

const char *mcp_tools_suggest(const opt_tool *tool, const char *name, arena *to)
{
	const opt_tool *t = tool ? tool : tools_find("window");
	const opt *const lists[] = { t->options, options_common(t) };
	const char *word = tool ? mcp_tools_name_operand(tool, to) : "name", *said;
	text_list known = { 0 };

	vec_push(&known, "max_bytes");
	if (word)
		vec_push(&known, word);
	if (mcp_tools_takes_traces(t))
		vec_push(&known, "traces");
	if (mcp_tools_takes_tables(t))
		vec_push(&known, "tables");
	if (options_is_trace_tool(t))
		vec_push(&known, "windows");
	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (mcp_tools_option(tool, o->name))
				vec_push(&known, mcp_tools_name_argument(to, o->name));
	said = suggest_names(to, name, known.v, known.n);
	vec_free(&known);
	return said;
}

const opt *mcp_tools_find_output_option(const opt_tool *tool)
{
	for (const opt *o = tool->options; o->name; o++)
		if (o->type == OPT_WRITES && mcp_tools_is_offered_option(tool, o))
			return o;
	return NULL;
}

/* ---- the description of the offered tools */

/* The JSON schema of an argument. */
typedef struct {
	const char *type;               /* the type of the value, or of each item of a list */
	bool list;                      /* is it an array? */
	const char *const *words;       /* the possible values; NULL: any */
	int least;                      /* the smallest number; -1: any */
} argument_schema;

static const argument_schema text_schema = { "string", .least = -1 }, list_schema = { "string", true, .least = -1 };

static void mcp_tools_put_property(json_writer *j, const char *name, argument_schema s, const char *description)
{
	json_open(j, name, '{');
	if (s.list) {
		json_text(j, "type", "array");
		json_open(j, "items", '{');
	}
	json_text(j, "type", s.type);
	if (s.words) {
		json_open(j, "enum", '[');
		for (; *s.words; s.words++)
			json_text(j, NULL, *s.words);
		json_close(j, ']');
	}
	if (s.list)
		json_close(j, '}');
	if (s.least >= 0)
		json_int(j, "minimum", s.least);
	json_text(j, "description", description);
	json_close(j, '}');
}

static argument_schema mcp_tools_find_schema(const opt *o)
{
	static const char *const formats[] = { "tsv", "table", "csv", "jsonl", "md", NULL };
	bool number = o->type == OPT_COUNT || o->type == OPT_ID, flag = o->type == OPT_MODE || o->type == OPT_FLAG;

	return (argument_schema){ .type = number ? "integer" : flag ? "boolean" : "string",
		.list = o->type == OPT_TEXTS || o->type == OPT_KEYS,
		.words = o->type == OPT_FORMAT ? formats : o->words, .least = number ? o->type == OPT_COUNT : -1 };
}

/* The names of the tool's modes that are in the set `modes`. */
static const char *mcp_tools_list_modes(const opt_tool *t, unsigned modes, arena *to)
{
	const char *list = "";

	for (const opt *m = t->options; m->name; m++)
		if (opt_is_mode(m) && m->mode & modes)
			list = arena_printf(to, "%s%s%s", list, *list ? " " : "", m->name);
	return list;
}

/* The description of an option: its effect, its argument, and its modes. */
static const char *mcp_tools_describe_option(const opt_tool *t, const opt *o, arena *to)
{
	const char *others = opt_is_mode(o) ? mcp_tools_list_modes(t, ~o->mode, to) : "";
	const char *help = o->expects ? arena_printf(to, "%s; takes %s", o->help, o->expects) : o->help;

	if (*others)
		return arena_printf(to, "%s (not with: %s)", help, others);
	if (o->modes && !(o->modes & 1) && !opt_is_mode(o))
		return arena_printf(to, "%s (only with: %s)", help, mcp_tools_list_modes(t, o->modes, to));
	return help;
}

static void mcp_tools_put_options(json_writer *j, const opt_tool *t, const char *only, arena *texts)
{
	const opt *const lists[] = { t->options, options_common(t) };

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if (mcp_tools_is_offered_option(t, o) && (!only || mcp_tools_is_one_of(o->name, only)))
				mcp_tools_put_property(j, mcp_tools_name_argument(texts, o->name),
						       mcp_tools_find_schema(o),
						       mcp_tools_describe_option(t, o, texts));
}

static const char *const traces_text = "as " MCP_TRACES " lists them";
static const char *const windows_text = "an earlier result (r1), whose rows name the windows and traces; or A..B (ns "
	"us ms s); or the text or file of a table";
static const char *const tables_text = "earlier results (r1, or NAME=r1), or the texts or files of tables; a query "
	"names them r1, NAME, or t t2 t3 in this order";

static void mcp_tools_put_inputs(json_writer *j, const opt_tool *t, arena *texts)
{
	const char *word = mcp_tools_name_operand(t, texts);

	if (word)
		mcp_tools_put_property(j, word, text_schema, t->first ? t->first->help : !t->bare ?
				       arena_printf(texts, "as in: %s", t->examples[0]) :
				       arena_printf(texts, "as in: %s; or a name (only with: %s)", t->examples[0],
						    mcp_tools_list_modes(t, t->bare, texts)));
	if (mcp_tools_takes_traces(t))
		mcp_tools_put_property(j, "traces", list_schema, traces_text);
	if (mcp_tools_takes_tables(t))
		mcp_tools_put_property(j, "tables", list_schema, tables_text);
	if (options_is_trace_tool(t))
		mcp_tools_put_property(j, "windows", text_schema, windows_text);
}

static void mcp_tools_begin_tool(json_writer *j, const char *name, const char *title, const char *text)
{
	json_open(j, NULL, '{');
	json_text(j, "name", name);
	json_text(j, "title", title);
	json_text(j, "description", text);
	json_open(j, "inputSchema", '{');
	json_text(j, "type", "object");
	json_open(j, "properties", '{');
}

static void mcp_tools_put_max_bytes(json_writer *j)
{
	mcp_tools_put_property(j, "max_bytes", (argument_schema){ "integer", .least = -1 },
			       "how much to show (default: 40000)");
}

static void mcp_tools_end_tool(json_writer *j, const char *required, bool writes)
{
	json_close(j, '}');
	if (required) {
		json_open(j, "required", '[');
		json_text(j, NULL, required);
		json_close(j, ']');
	}
	json_bool(j, "additionalProperties", false);
	json_close(j, '}');
	json_open(j, "annotations", '{');
	json_bool(j, "readOnlyHint", !writes);
	json_bool(j, "openWorldHint", false);
	json_close(j, '}');
	json_close(j, '}');
}

static void mcp_tools_describe_tool(json_writer *j, const opt_tool *t)
{
	arena texts = { 0 };
	const opt *out = mcp_tools_find_output_option(t);
	const char *word = mcp_tools_name_operand(t, &texts);
	bool word_needed = word && t->words && !t->bare;

	mcp_tools_begin_tool(j, arena_printf(&texts, "nsq_%s", tools_short_name(t->name)), t->name,
			     arena_printf(&texts, "%s %s", t->question, t->prints));
	mcp_tools_put_inputs(j, t, &texts);
	mcp_tools_put_options(j, t, NULL, &texts);
	mcp_tools_put_max_bytes(j);
	mcp_tools_end_tool(j, word_needed ? word : out && out->chosen ? out->name : NULL, out != NULL);
	arena_free(&texts);
}

static void mcp_tools_describe_own_tools(json_writer *j)
{
	arena texts = { 0 };

	mcp_tools_begin_tool(j, MCP_TRACES, "traces",
			     "Which traces are there, in the folders that this server may read?");
	mcp_tools_put_max_bytes(j);
	mcp_tools_end_tool(j, NULL, false);
	mcp_tools_begin_tool(j, MCP_HELP, "nsq help",
			     "Explains a tool (options, columns, how its numbers are defined), or how to use "
			     "all of them.");
	mcp_tools_put_property(
		j, "topic", text_schema,
		"gaps, overlap and so on: a tool; skill, questions, tables, pitfalls, "
		"collectives, queries, conventions: pages; words: what those of columns mean; options: those that "
		"tools share (default: the list of tools)");
	mcp_tools_end_tool(j, NULL, false);
	mcp_tools_begin_tool(j, MCP_RECIPE, "nsq recipe",
			     "Answers a common question with several tools, for the steady steps. "
			     "Without traces and windows it shows the recipe and how to read what it prints; without a "
			     "name it lists "
			     "all.");
	mcp_tools_put_property(j, "name", text_schema, "of the recipe");
	mcp_tools_put_property(j, "traces", list_schema, traces_text);
	mcp_tools_put_property(j, "windows", text_schema, windows_text);
	mcp_tools_put_options(j, tools_find("window"), recipe_options, &texts);
	mcp_tools_put_max_bytes(j);
	mcp_tools_end_tool(j, NULL, false);
	arena_free(&texts);
}

void mcp_tools_list(json_writer *to)
{
	json_open(to, "tools", '[');
	mcp_tools_describe_own_tools(to);
	for (const opt_tool *const *t = tools_builtin; *t; t++)
		if (mcp_tools_is_offered(*t))
			mcp_tools_describe_tool(to, *t);
	json_close(to, ']');
}
