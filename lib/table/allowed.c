#include "table/allowed.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

bool allowed_function(const char *name)
{
	/* without MATCH and REGEXP, whose functions belong to extensions */
	return text_is_listed_word(name, strlen(name), "abs char coalesce concat concat_ws fold format glob hex if "
		"ifnull iif instr length like likelihood likely lower ltrim max min nullif octet_length printf quote "
		"random randomblob replace round rtrim sign soundex substr substring trim typeof unhex unicode unistr "
		"unistr_quote unlikely upper zeroblob "
		/* mathematics */
		"acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod "
		"pi pow power radians sin sinh sqrt tan tanh trunc "
		/* dates */
		"current_date current_time current_timestamp date datetime julianday strftime time timediff unixepoch "
		/* aggregates and windows */
		"avg count cume_dist dense_rank first_value group_concat lag last_value lead median nth_value ntile "
		"percent_rank percentile percentile_cont percentile_disc rank row_number string_agg sum total "
		/* JSON */
		"json json_array json_array_insert json_array_length json_error_position json_extract json_group_array "
		"json_group_object json_insert json_object json_patch json_pretty json_quote json_remove json_replace "
		"json_set json_type json_valid -> ->> jsonb jsonb_array jsonb_array_insert jsonb_extract "
		"jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace "
		"jsonb_set "
		/* about SQLite */
		"sqlite_compileoption_get sqlite_compileoption_used sqlite_source_id sqlite_version");
}

/* Is it a pragma that describes tables, or lists databases, functions, collations or compile options? */
static bool allowed_is_description(const char *pragma)
{
	return text_is_listed_word(pragma, strlen(pragma), "table_info table_xinfo table_list index_list index_info "
				   "database_list function_list collation_list compile_options");
}

/* Does ALLOWED_ADD allow this, if ALLOWED_READ does not? */
static bool allowed_is_addition(int action, const char *a, const char *b, const char *schema)
{
	if (action == SQLITE_FUNCTION)
		return strncmp(b, "slice_", 6) == 0;
	if (action == SQLITE_TRANSACTION)
		return true;
	return (action == SQLITE_CREATE_TABLE || action == SQLITE_CREATE_TEMP_TABLE || action == SQLITE_INSERT ||
		action == SQLITE_UPDATE) && a && schema && (strcmp(schema, "main") == 0 || strcmp(schema, "temp") == 0);
}

bool allowed_may_do(enum allowed_use use, int action, const char *a, const char *b, const char *schema)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return true;
	case SQLITE_FUNCTION:
		if (allowed_function(b))
			return true;
		break;
	case SQLITE_PRAGMA:
		return allowed_is_description(a);
	case SQLITE_UPDATE:
		/* SQLite asks for this when a query first uses a table function such as json_each.  SQLite itself
		 * refuses statements that write to sqlite_master. */
		if (strcmp(a, "sqlite_master") == 0)
			return true;
	}
	return use == ALLOWED_ADD && allowed_is_addition(action, a, b, schema);
}

static int allowed_authorize_read(void *unused UNNEEDED, int action, const char *a, const char *b, const char *schema,
				  const char *by UNNEEDED)
{
	return allowed_may_do(ALLOWED_READ, action, a, b, schema) ? SQLITE_OK : SQLITE_DENY;
}

static int allowed_authorize_add(void *unused UNNEEDED, int action, const char *a, const char *b, const char *schema,
				 const char *by UNNEEDED)
{
	return allowed_may_do(ALLOWED_ADD, action, a, b, schema) ? SQLITE_OK : SQLITE_DENY;
}

void allowed_restrict(sqlite3 *sql, enum allowed_use use)
{
	sqlite3_set_authorizer(sql, use == ALLOWED_READ ? allowed_authorize_read : allowed_authorize_add, NULL);
}

void allowed_unrestrict(sqlite3 *sql)
{
	sqlite3_set_authorizer(sql, NULL, NULL);
}

/* Restrict a connection: keep only the allowed modules of virtual tables, turn off what a query or a file's schema
 * could misuse, and limit the size of a statement's values. */
static int allowed_set_limits(sqlite3 *sql)
{
	static const struct { int option, on; } options[] = { { SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 }, { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
		{ SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 }, { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
		/* a view in a file from elsewhere is a program, and nsys creates none */
		{ SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		/* "x" is always a column, never a text, so that a mistake in its name is noticed */
		{ SQLITE_DBCONFIG_DQS_DML, 0 }, { SQLITE_DBCONFIG_DQS_DDL, 0 },
		/* closing a trace must not write its write-ahead log into the file */
		{ SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 } };
	/* table functions; SQLite adds the ones that describe tables (pragma_table_info ...) when a query uses them */
	const char *modules[] = { "json_each", "json_tree", "jsonb_each", "jsonb_tree", "generate_series", NULL };
	enum { LONGEST = 256 << 20 };   /* the most bytes of a value, such as group_concat of the names of all
					 * kernels */
	int rc = sqlite3_drop_modules(sql, modules);

	for (size_t i = 0; rc == SQLITE_OK && i < sizeof options / sizeof *options; i++)
		rc = sqlite3_db_config(sql, options[i].option, options[i].on, NULL);
	sqlite3_limit(sql, SQLITE_LIMIT_LENGTH, LONGEST);
	/* without this check, a cell that runs past the end of its page would yield garbage */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(sql, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	return rc;
}

int allowed_open(const char *name, int flags, enum allowed_use use, sqlite3 **sql)
{
	int rc = sqlite3_open_v2(name, sql, flags, NULL);

	if (rc == SQLITE_OK)
		rc = allowed_set_limits(*sql);
	if (rc == SQLITE_OK)
		allowed_restrict(*sql, use);
	return rc;
}
