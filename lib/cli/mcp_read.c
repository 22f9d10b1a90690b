/* Turns the arguments of a call into a command line.
 *
 * Nothing reaches the command line unchecked: names of options come from the tool's table, values follow a =, and
 * operands follow a --.  The type of an option says whether its value names a file; such a value is replaced by the
 * real path of the file (mcp_read_convert_value). */
#include "base/number.h"
#include "cli/mcp.h"
#include "cli/run.h"
#include "trace/rules.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef struct {
	mcp_call *c;
	mcp_json *json;
	const opt_tool *tool;           /* NULL: one of the tools that only the server has */
	const folders *allowed;
	const mcp_results *results;
	const char *query;              /* the query of nsq-sql, or NULL */
	text_list files, named;         /* files: the traces and tables to put on the command line; named: the tables
					 * that the query calls r1, r2, ..., to put there once more, as r1=FILE */
	const char *word;               /* the operand before the traces and tables (mcp_tools_name_operand), a recipe's
					 * name or a help topic; or NULL */
	bool has_input;                 /* is there a trace, a table or a window, or does the tool need none? */
	bool option_given;              /* is any option given? */
	bool mode_given;                /* is a mode or an option of the type OPT_OWN given?  Then the word may be
					 * missing */
} mcp_read_ctx;

__attribute__((format(printf, 2, 3)))
static void mcp_read_refuse(mcp_read_ctx *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!r->c->refused)
		r->c->refused = arena_vprintf(&r->c->texts, fmt, ap);
	va_end(ap);
}

static bool mcp_read_is_type(const mcp_member *m, const char *type)
{
	return strcmp(m->type, type) == 0;
}

/* The value as text, if it is a text or a number; otherwise NULL, and the call is refused. */
static const char *mcp_read_scalar(mcp_read_ctx *r, const mcp_member *m)
{
	if (mcp_read_is_type(m, "text") || mcp_read_is_type(m, "integer") || mcp_read_is_type(m, "real"))
		return m->text;
	mcp_read_refuse(r, "'%s' takes a text or a number, not %s", m->key,
			mcp_read_is_type(m, "array") || mcp_read_is_type(m, "object") ? m->text : m->type);
	return NULL;
}

/* The items of an array, for the caller to free; any other value counts as an array of one item. */
static mcp_members mcp_read_list_items(mcp_read_ctx *r, const mcp_member *m)
{
	mcp_members all = { 0 };

	if (mcp_read_is_type(m, "array"))
		all = mcp_json_members(r->json, m->text, "$", &r->c->texts);
	else
		vec_push(&all, *m);
	for (size_t i = 0; i < all.n; i++)
		all.v[i].key = m->key;
	return all;
}

/* ---- files and tables */

static void mcp_read_refuse_outside(mcp_read_ctx *r, const char *path)
{
	mcp_read_refuse(r, "'%s' is not in the folders of this server; " MCP_TRACES " lists the traces that are", path);
}

/* The path `real` if it leads to a file or a folder, otherwise NULL.  A pipe or a device is refused, since it may never
 * end. */
static const char *mcp_read_check_readable(mcp_read_ctx *r, const char *path, const char *real)
{
	struct stat st;

	if (stat(real, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return real;
	mcp_read_refuse(r, "'%s' is not a plain file", path);
	return NULL;
}

static const char *mcp_read_find_existing(mcp_read_ctx *r, const char *path)
{
	const char *real;

	if (folders_find(r->allowed, path, &r->c->texts, &real) == FOLDERS_INSIDE)
		return mcp_read_check_readable(r, path, real);
	mcp_read_refuse_outside(r, path);               /* a missing file gets the same message, so that nothing is said
							 * about other folders */
	return NULL;
}

/* The value of an option that takes a file or a text without a slash.  A file is replaced by its real path if the value
 * has a slash or `replace` is true.  NULL: the value is a path to no file in the folders, and is refused. */
static const char *mcp_read_file_or_text(mcp_read_ctx *r, const char *value, bool replace)
{
	const char *real;
	enum folders_place at = folders_find(r->allowed, value, &r->c->texts, &real);

	if (at == FOLDERS_OUTSIDE || (at == FOLDERS_ABSENT && strchr(value, '/'))) {
		mcp_read_refuse_outside(r, value);
		return NULL;
	}
	return at == FOLDERS_ABSENT || !mcp_read_check_readable(r, value, real) || !(replace || strchr(value, '/')) ?
		value :
		real;
}

/* Convert a value that is the name of built-in rules, FILE, or FILE:engine:model.  NULL: it is refused. */
static const char *mcp_read_convert_rules(mcp_read_ctx *r, const char *value)
{
	arena *texts = &r->c->texts;
	const char *real, *colon = value + strlen(value);

	for (int i = 0; rules_builtin[i]; i += 2)
		if (strcmp(rules_builtin[i], value) == 0)
			return value;
	for (int n = 0; n < 2 && colon > value; n += *colon == ':')
		colon--;
	if (colon > value && folders_find(r->allowed, value, texts, &real) != FOLDERS_INSIDE &&
	    folders_find(r->allowed, arena_text(texts, value, (size_t)(colon - value)), texts, &real) == FOLDERS_INSIDE)
		return mcp_read_check_readable(r, value, real) ? arena_printf(texts, "%s%s", real, colon) : NULL;
	return mcp_read_find_existing(r, value);
}

/* Open the same file again, at its beginning. */
static int mcp_read_reopen(int fd)
{
	arena texts = { 0 };
	int copy = open(arena_printf(&texts, "/proc/self/fd/%d", fd), O_RDONLY | O_CLOEXEC);

	arena_free(&texts);
	return copy;
}

static int mcp_read_open_text(const char *text)
{
	int fd = memfd_create("table", MFD_CLOEXEC), copy = -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (f && fputs(text, f) >= 0 && fflush(f) == 0)
		copy = mcp_read_reopen(fd);
	if (f)
		fclose(f);
	return copy;
}

/* A descriptor of a table that is not a file: an earlier result such as r1, or a text of several lines.  -1: the value
 * is neither, or the call is refused. */
static int mcp_read_open_table(mcp_read_ctx *r, const char *value)
{
	const char *digits = value + 1;
	int64_t number;
	int fd = -1;

	if (strchr(value, '\n')) {
		fd = mcp_read_open_text(value);
		if (fd < 0)
			mcp_read_refuse(r, "cannot keep a table in memory: %s", strerror(errno));
		return fd;
	}
	if (*value != 'r' || !*digits || strspn(digits, "0123456789") != strlen(digits) || !number_int(digits, &number))
		return -1;
	for (size_t i = 0; i < r->results->kept.n; i++)
		if (r->results->kept.v[i].number == (size_t)number)
			fd = mcp_read_reopen(r->results->kept.v[i].fd);
	if (fd < 0)
		mcp_read_refuse(r, "there is no result '%s': %s", value,
				(size_t)number <= r->results->last && number > 0 ?
					"it has been forgotten; ask for it again" :
					"the last lines of a result say its name");
	return fd;
}

/* Add a value of `windows`: A..B, a file, or a table, which becomes standard input. */
static void mcp_read_add_window(mcp_read_ctx *r, const char *value)
{
	int fd = mcp_read_open_table(r, value);
	const char *spec = fd < 0 && !r->c->refused ? mcp_read_file_or_text(r, value, true) : NULL;

	if (spec)
		arguments_addf(&r->c->words, "--window=%s", spec);
	if (r->c->in >= 0 && fd >= 0) {
		mcp_read_refuse(r, "'windows' takes one table");
		close(fd);
	} else if (fd >= 0) {
		r->c->in = fd;
	}
}

static const char *mcp_read_add_descriptor(mcp_read_ctx *r, int fd)
{
	vec_push(&r->c->tables, fd);
	return arena_printf(&r->c->texts, "/proc/self/fd/%d", fd);
}

/* Add a value of `tables`: TABLE or NAME=TABLE. */
static void mcp_read_add_table(mcp_read_ctx *r, const char *value)
{
	size_t n = strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
	const char *name = n && value[n] == '=' ? arena_text(&r->c->texts, value, n + 1) : "";
	const char *path = value + strlen(name);
	int fd = mcp_read_open_table(r, path);

	path = fd >= 0 ? mcp_read_add_descriptor(r, fd) : r->c->refused ? NULL : mcp_read_find_existing(r, path);
	if (path)
		vec_push(&r->files, arena_printf(&r->c->texts, "%s%s", name, path));
	if (path && fd >= 0 && !*name && r->query && !strchr(value, '\n') && strstr(r->query, value))
		vec_push(&r->named, arena_printf(&r->c->texts, "%s=%s", value, path));
}

static void mcp_read_add_trace(mcp_read_ctx *r, const char *value)
{
	const char *real = mcp_read_find_existing(r, value);

	if (real)
		vec_push(&r->files, folders_shorten_path(r->allowed, real, &r->c->texts));
}

/* ---- options */

static const char *mcp_read_find_output(mcp_read_ctx *r, const char *value)
{
	const char *to = folders_find_output(r->allowed, value, &r->c->texts);

	r->c->writes = value;
	if (!to)
		mcp_read_refuse(r, "'%s' is no place in the folders of this server; give a name in one of them", value);
	return to;
}

/* The value for the command line; NULL: it is refused.  The switch lists every type, so that the compiler warns about a
 * new one that nobody has considered. */
static const char *mcp_read_convert_value(mcp_read_ctx *r, const opt *o, const char *value)
{
	switch (o->type) {
	case OPT_READS:
		return mcp_read_find_existing(r, value);
	case OPT_WRITES:
		return mcp_read_find_output(r, value);
	case OPT_RULES:
	case OPT_MODE_RULES:
	case OPT_RULES_TEXT:
		return mcp_read_convert_rules(r, value);
	case OPT_MANIFEST:
		return mcp_read_file_or_text(r, value, false);
	case OPT_WINDOWS:               /* mcp_read_add_window reads them */
	case OPT_PROGRAM:               /* not offered */
		break;
	case OPT_MODE:                  /* these name no file; the tool checks their values */
	case OPT_FLAG:
	case OPT_TEXT:
	case OPT_TEXTS:
	case OPT_COUNT:
	case OPT_ID:
	case OPT_PID:
	case OPT_TIME:
	case OPT_SECONDS:
	case OPT_SIZE:
	case OPT_FORMAT:
	case OPT_KEYS:
	case OPT_CHOICE:
	case OPT_REGEX:
	case OPT_COMM_NAMES:
	case OPT_OWN:
		return value;
	}
	mcp_read_refuse(r, "'%s' cannot be given here", o->name);
	return NULL;
}

/* Set an option to its value or values.  A list of words is one value, separated by commas; any other list repeats the
 * option. */
static void mcp_read_set_values(mcp_read_ctx *r, const opt *o, const mcp_member *m)
{
	enum { WORDS = 100 };           /* more than any option knows */
	mcp_members all = mcp_read_list_items(r, m);
	const char *list = NULL;

	if (o->type == OPT_KEYS && all.n > WORDS)
		mcp_read_refuse(r, "'%s' takes at most %d words", m->key, WORDS);
	for (size_t i = 0; i < all.n && !r->c->refused; i++) {
		const char *value = mcp_read_scalar(r, &all.v[i]);
		value = value ? mcp_read_convert_value(r, o, value) : NULL;
		r->c->keeps &= !(o->type == OPT_FORMAT && value && format_for_people(format_named(value)));
		if (value && o->type == OPT_KEYS)
			list = arena_printf(&r->c->texts, "%s%s%s", list ? list : "", list ? "," : "", value);
		else if (value)
			arguments_addf(&r->c->words, "--%s=%s", o->name, value);
	}
	if (list)
		arguments_addf(&r->c->words, "--%s=%s", o->name, list);
	vec_free(&all);
}

static void mcp_read_set_option(mcp_read_ctx *r, const opt *o, const mcp_member *m)
{
	r->option_given = true;
	r->mode_given |= (opt_is_mode(o) || o->type == OPT_OWN) && !mcp_read_is_type(m, "false");
	if (o->arg)
		mcp_read_set_values(r, o, m);
	else if (mcp_read_is_type(m, "true"))
		arguments_addf(&r->c->words, "--%s", o->name);
	else if (!mcp_read_is_type(m, "false"))
		mcp_read_refuse(r, "'%s' is true or false, not %s", m->key, m->text);
}

static void mcp_read_refuse_unknown(mcp_read_ctx *r, const char *key, const char *like)
{
	mcp_read_refuse(r, "'%s' is no argument of this tool%s tools/list and " MCP_HELP " describe them", key, like);
}

static void mcp_read_set_inputs(mcp_read_ctx *r, const mcp_member *m, void (*add)(mcp_read_ctx *, const char *))
{
	mcp_members all = mcp_read_list_items(r, m);

	r->has_input |= all.n > 0;
	for (size_t i = 0; i < all.n && !r->c->refused; i++) {
		const char *value = mcp_read_scalar(r, &all.v[i]);
		if (value)
			add(r, value);
	}
	vec_free(&all);
}

static void mcp_read_set_max_bytes(mcp_read_ctx *r, const mcp_member *m)
{
	const char *value = mcp_read_scalar(r, m);
	int64_t n;

	if (value && (!number_int(value, &n) || n < 1))
		mcp_read_refuse(r, "'max_bytes' takes a whole number of at least 1, not %s", value);
	else if (value)
		r->c->max_bytes = n > MCP_MOST_BYTES ? MCP_MOST_BYTES : n;
}

/* Read the argument called word_name (NULL: none) or max_bytes; null counts as not given.  False: it is another
 * argument. */
static bool mcp_read_set_common(mcp_read_ctx *r, const mcp_member *m, const char *word_name)
{
	if (mcp_read_is_type(m, "null"))
		return true;
	if (word_name && strcmp(m->key, word_name) == 0)
		r->word = mcp_read_scalar(r, m);
	else if (strcmp(m->key, "max_bytes") == 0)
		mcp_read_set_max_bytes(r, m);
	else
		return false;
	return true;
}

static void mcp_read_set_member(mcp_read_ctx *r, const mcp_member *m, const char *word_name)
{
	const opt_tool *t = r->tool;
	const opt *o = mcp_tools_option(t, m->key);

	if (mcp_read_set_common(r, m, word_name))
		;
	else if (strcmp(m->key, "traces") == 0 && (!t || mcp_tools_takes_traces(t)))
		mcp_read_set_inputs(r, m, mcp_read_add_trace);
	else if (strcmp(m->key, "tables") == 0 && t && mcp_tools_takes_tables(t))
		mcp_read_set_inputs(r, m, mcp_read_add_table);
	else if ((strcmp(m->key, "windows") == 0 || strcmp(m->key, "window") == 0) && (!t || options_is_trace_tool(t)))
		mcp_read_set_inputs(r, m, mcp_read_add_window);
	else if (o)
		mcp_read_set_option(r, o, m);
	else
		mcp_read_refuse_unknown(r, m->key, mcp_tools_suggest(t, m->key, &r->c->texts));
}

/* Read all arguments, up to the first that is refused. */
static void mcp_read_set_members(mcp_read_ctx *r, const mcp_members *given, const char *word_name)
{
	for (size_t i = 0; i < given->n && !r->c->refused; i++)
		mcp_read_set_member(r, &given->v[i], word_name);
}

/* ---- tools */

static void mcp_read_tool(mcp_read_ctx *r, const mcp_members *given)
{
	const opt_tool *t = r->tool;
	const char *word_name = mcp_tools_name_operand(t, &r->c->texts);
	const opt *out = mcp_tools_find_output_option(t);

	arguments_add(&r->c->words, tools_short_name(t->name));
	r->c->keeps = !t->draws;
	r->has_input = t->bare;
	r->query = mcp_json_text(given, "query");
	mcp_read_set_members(r, given, word_name);
	if (r->c->in >= 0)
		arguments_add(&r->c->words, "--window=-");
	if (word_name && !r->word && !r->mode_given)
		mcp_read_refuse(r, "give '%s', which is needed", word_name);
	if (!r->has_input)
		mcp_read_refuse(r, "give %s",
				options_is_trace_tool(t) ? "'traces', which " MCP_TRACES " lists, or 'windows', "
							      "such as an earlier result" :
					mcp_tools_takes_tables(t) ? "'tables', such as an earlier result" :
							      "'traces', which " MCP_TRACES " lists");
	if (t->draws && !r->c->writes && !mcp_json_find(given, "format"))
		arguments_add(&r->c->words, "--format=text");   /* a format that a model can read */
	if (out && out->chosen && !r->c->writes)
		mcp_read_refuse(r, "give '%s': %s", out->name, out->help);
	arguments_add(&r->c->words, "--");
	arguments_add(&r->c->words, r->word);
	arguments_add_all(&r->c->words, &r->files);
	arguments_add_all(&r->c->words, &r->named);     /* these come last, because tables without a name are called t,
							 * t2, ...  in their order */
}

static bool mcp_read_is_name(const char *s)
{
	return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_") == strlen(s) && *s != '-';
}

static void mcp_read_recipe(mcp_read_ctx *r, const mcp_members *given)
{
	const char *name = mcp_json_text(given, "name");

	if (name && !mcp_read_is_name(name))
		mcp_read_refuse(r, "'%s' is not the name of a recipe; without a name, " MCP_RECIPE " lists them", name);
	arguments_add(&r->c->words, name ? "recipe" : "recipes");
	arguments_add(&r->c->words, name);
	r->c->keeps = true;
	mcp_read_set_members(r, given, "name");
	r->c->keeps &= r->has_input;
	if (!name && (r->has_input || r->option_given))
		mcp_read_refuse(r, "give 'name', the recipe to run; without any argument, " MCP_RECIPE " lists them");
	if (r->option_given && !r->has_input)
		mcp_read_refuse(r,
				"give 'traces', which " MCP_TRACES " lists, or 'windows', such as an earlier result");
	if (r->c->in >= 0 && r->files.n) {      /* several tools of the recipe may read the table, so it is a file
						 * instead of standard input */
		arguments_addf(&r->c->words, "--window=%s", mcp_read_add_descriptor(r, r->c->in));
		r->c->in = -1;
	}
	if (r->has_input)
		arguments_add(&r->c->words, "--");
	arguments_add_all(&r->c->words, &r->files);
}

/* Read the arguments of nsq_traces or nsq_help, which have no options.  word_name: the argument besides max_bytes, or
 * NULL. */
static void mcp_read_set_without_options(mcp_read_ctx *r, const mcp_members *given, const char *word_name)
{
	for (size_t i = 0; i < given->n && !r->c->refused; i++)
		if (!mcp_read_set_common(r, &given->v[i], word_name))
			mcp_read_refuse_unknown(r, given->v[i].key, ";");
}

static void mcp_read_traces(mcp_read_ctx *r, const mcp_members *given)
{
	mcp_read_set_without_options(r, given, NULL);
	r->c->ready_text = folders_list_traces(r->allowed, &r->c->texts);
}

static void mcp_read_help(mcp_read_ctx *r, const mcp_members *given)
{
	const char *topic;

	r->c->max_bytes = MCP_MOST_BYTES;
	mcp_read_set_without_options(r, given, "topic");
	topic = r->word;
	if (topic && strncmp(topic, "nsq_", 4) == 0)
		topic += 4;
	if (topic && !mcp_read_is_name(topic))
		mcp_read_refuse(r, "there is no help on '%s'; without a topic, " MCP_HELP " lists the tools", topic);
	arguments_add(&r->c->words, "help");
	arguments_add(&r->c->words, topic);
}

bool mcp_call_read(mcp_call *c, mcp_json *j, const char *tool, const char *message, const folders *allowed,
		   const mcp_results *results)
{
	mcp_read_ctx r = { .c = c, .json = j, .tool = mcp_tools_named(tool), .allowed = allowed, .results = results };
	mcp_members given = mcp_json_members(j, message, "$.params.arguments", &c->texts);
	bool known = true;

	arguments_add(&c->words, "nsq");
	if (r.tool)
		mcp_read_tool(&r, &given);
	else if (strcmp(tool, MCP_RECIPE) == 0)
		mcp_read_recipe(&r, &given);
	else if (strcmp(tool, MCP_HELP) == 0)
		mcp_read_help(&r, &given);
	else if (strcmp(tool, MCP_TRACES) == 0)
		mcp_read_traces(&r, &given);
	else
		known = false;
	mem_free(r.files.v, r.named.v, given.v);
	return known;
}
