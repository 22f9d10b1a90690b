#include "trace/manifest.h"
#include "base/folders.h"
#include "base/text.h"
#include "table/json_rows.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const file_name = "manifest.json";

/* The manifest.json in the folder of the file `path` or, if `up` is not 0, in the folder above that one; NULL: it is
 * not there. */
static const char *manifest_find_beside(arena *a, const char *path, int up)
{
	const char *slash = strrchr(path, '/');
	const char *found = arena_printf(a, "%.*s%s%s", slash ? (int)(slash - path) + 1 : 0, path, up ? "../" : "",
					 file_name);

	return folders_stat(found, NULL) == 0 ? found : NULL;
}

/* The path of the manifest with this name (manifest_is_name).  `beside_of` is the path of the trace, for MANIFEST_OWN.
 * NULL: there is none.  A name that ends in .json is returned even if there is no such file. */
static const char *manifest_find_path(arena *a, const char *name, const char *beside_of)
{
	const char *found;

	if (strcmp(name, MANIFEST_OWN) == 0)
		return (found = manifest_find_beside(a, beside_of, 0)) ? found : manifest_find_beside(a, beside_of, 1);
	return text_ends(name, ".json") ? name : manifest_find_beside(a, arena_printf(a, "%s/", name), 0);
}

bool manifest_is_name(const char *name)
{
	arena texts = { 0 };
	bool is = strcmp(name, MANIFEST_OWN) == 0 || manifest_find_path(&texts, name, "");

	arena_free(&texts);
	return is;
}

/* The base name of a path up to its first dot that is not its first character: "run" for nsys/run.sqlite. */
static const char *manifest_stem_of(arena *a, const char *path)
{
	const char *base = text_base(path);

	return arena_text(a, base, *base ? 1 + strcspn(base + 1, ".") : 0);
}

static double manifest_read_seconds(sqlite3_stmt *s, int col)
{
	return sqlite3_column_type(s, col) == SQLITE_NULL ? NAN : sqlite3_column_double(s, col);
}

/* Read the values of a manifest, and set *lists if it lists a trace with this stem.  False if it is not JSON, if wall_s
 * is missing or not positive, or if baseline_s is not positive. */
static bool manifest_read_values(const char *json, const char *stem, manifest *to, bool *lists)
{
	static const char query[] = "SELECT json_extract(?1, '$.wall_s'), json_extract(?1, '$.baseline_s'), "
		"EXISTS (SELECT 1 FROM json_each(?1, '$.flags') WHERE value GLOB '--capture-range*' "
		"OR value GLOB '--delay*' OR value GLOB '--duration*' OR substr(value, 1, 2) IN ('-c', '-d', '-y')), "
		"EXISTS (SELECT 1 FROM json_each(?1, '$.traces') "
		"WHERE instr('/' || json_extract(value, '$.file'), '/' || ?2 || '.')), "
		"json_extract(?1, '$.environment.CUDA_DEVICE_MAX_CONNECTIONS')";
	sqlite3_stmt *s = json_rows_query(query, json, stem);
	bool ok = json_rows_step(s) == SQLITE_ROW;

	if (ok) {
		*to = (manifest){ manifest_read_seconds(s, 0), manifest_read_seconds(s, 1), sqlite3_column_int(s, 2),
				  sqlite3_column_int64(s, 4) };
		*lists = sqlite3_column_int(s, 3);
	}
	json_rows_end(s);
	return ok && to->wall_s > 0 && !(to->baseline_s <= 0);
}

static bool manifest_read_file(const char *path, bool own, trace *t, manifest *to, notes *say, arena *texts)
{
	char *json = folders_text(path, &(size_t){ 0 });
	bool lists = false, ok;

	if (json)
		ok = manifest_read_values(json, manifest_stem_of(texts, t->path), to, &lists) ||
			notes_problem(say, EXIT_WRONG, "'%s' is no manifest of nsq-capture: it has no time 'wall_s'",
				      path);
	else
		ok = notes_problem(say, EXIT_FAILED, "cannot read '%s':", path);
	if (ok && own && !lists)
		ok = notes_problem(say, EXIT_WRONG, "'%s' does not list '%s'; name the manifest.json of its run", path,
				   t->path);
	free(json);
	to->part |= db_find(t->db, "NSQ_SLICE") != NULL;
	return ok;
}

bool manifest_read(const char *name, trace *t, manifest *to, notes *say)
{
	arena texts = { 0 };
	const char *path = manifest_find_path(&texts, name, t->path);
	bool ok;

	*to = (manifest){ .wall_s = NAN, .baseline_s = NAN };
	ok = path ? manifest_read_file(path, strcmp(name, MANIFEST_OWN) == 0, t, to, say, &texts) :
		notes_problem(say, EXIT_WRONG, "there is no manifest.json beside '%s' or in the folder above; name the "
			      "one of its run", t->path);
	arena_free(&texts);
	return ok;
}
