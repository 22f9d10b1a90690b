#include "sqlite/allowed.h"
#include "base/memory.h"

#include <strings.h>

/* All functions that a query may call, after what they give.  MATCH and REGEXP are not among them, whose functions
 * belong to extensions. */
static const struct {
	char gives;
	const char *const *names;
} functions[] = {
	{ 'n', (const char *const[]){ "abs", "glob", "instr", "length", "like", "octet_length", "random",
		"round", "sign", "unicode",
		/* mathematics */
		"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees",
		"exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "sin", "sinh",
		"sqrt", "tan", "tanh", "trunc",
		/* dates */
		"julianday", "unixepoch",
		/* aggregates and windows */
		"avg", "count", "sum", "total", "median", "percentile", "percentile_cont", "percentile_disc",
		"cume_dist", "dense_rank", "ntile", "percent_rank", "rank", "row_number",
		/* JSON */
		"json_array_length", "json_error_position", "json_valid", "sqlite_compileoption_used", NULL } },
	{ 't', (const char *const[]){ "char", "concat", "concat_ws", "fold", "format", "hex", "lower", "ltrim",
		"printf", "quote", "replace", "rtrim", "soundex", "substr", "substring", "trim", "typeof", "unistr",
		"unistr_quote", "upper", "randomblob", "unhex", "zeroblob",
		/* dates */
		"current_date", "current_time", "current_timestamp", "date", "datetime", "strftime", "time", "timediff",
		/* aggregates */
		"group_concat", "string_agg",
		/* JSON */
		"json", "json_array", "json_array_insert", "json_group_array", "json_group_object", "json_insert",
		"json_object", "json_patch", "json_pretty", "json_quote", "json_remove", "json_replace", "json_set",
		"json_type", "->", "jsonb", "jsonb_array", "jsonb_array_insert", "jsonb_extract", "jsonb_group_array",
		"jsonb_group_object", "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove",
		"jsonb_replace", "jsonb_set",
		/* about SQLite */
		"sqlite_compileoption_get", "sqlite_source_id", "sqlite_version", NULL } },
	{ '?', (const char *const[]){ "coalesce", "if", "ifnull", "iif", "likelihood", "likely", "max", "min",
		"nullif", "unlikely", "first_value", "lag", "last_value", "lead", "nth_value", "json_extract",
		"->>", NULL } },
};

/* Those that describe tables, and functions and collations that there are. */
static const char *const pragmas[] = { "table_info", "table_xinfo", "table_list", "index_list", "index_info",
	"database_list", "function_list", "collation_list", "compile_options", NULL };

static bool listed(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcasecmp(*names, name) == 0)
			return true;
	return false;
}

char allowed_gives(const char *name)
{
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (listed(functions[i].names, name))
			return functions[i].gives;
	return 0;
}

bool allowed_function(const char *name)
{
	return allowed_gives(name);
}

bool allowed_pragma(const char *name)
{
	return listed(pragmas, name);
}

void allowed_only(sqlite3 *sql)
{
	static const struct { int option, on; } options[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 }, { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 }, { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		/* a view of a file from elsewhere is a program, and nsys creates none */
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		/* "x" is a column and never a text, so that a mistake in its name is noticed */
		{ SQLITE_DBCONFIG_DQS_DML, 0 }, { SQLITE_DBCONFIG_DQS_DDL, 0 } };
	/* table functions; those that describe (pragma_table_info) are added by SQLite when a query names them */
	const char *modules[] = { "json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series", NULL };
	enum { LONGEST = 256 << 20 };   /* bytes of a value, such as group_concat of the names of all kernels */

	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		sqlite3_db_config(sql, options[i].option, options[i].on, NULL);
	if (sqlite3_drop_modules(sql, modules) != SQLITE_OK)
		mem_exhausted(1, 1);
	sqlite3_limit(sql, SQLITE_LIMIT_LENGTH, LONGEST);
}
