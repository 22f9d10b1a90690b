#include "cli/mcp_traces.h"
#include "base/printable.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST = 200000, LEVELS = 12 };    /* files looked at, and folders in each other: somebody may name a home */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_trace(const FTSENT *e)
{
	return e->fts_info == FTS_F && (text_ends(e->fts_name, ".sqlite") || text_ends(e->fts_name, ".nsys-rep") ||
					text_ends(e->fts_name, ".qdrep"));
}

static void print(const FTSENT *e, const folders *f, FILE *to)
{
	arena texts = { 0 };
	char when[32], *path = printable_copy(folders_short(f, e->fts_path, &texts));
	struct tm tm;

	strftime(when, sizeof when, "%Y-%m-%d %H:%M", gmtime_r(&e->fts_statp->st_mtime, &tm));
	fprintf(to, "%s\t%lld\t%s\n", path, (long long)e->fts_statp->st_size, when);
	free(path);
	arena_free(&texts);
}

/* Print the traces; false: there is more to look at than is looked at. */
static bool walk(FTS *tree, const folders *f, FILE *to)
{
	size_t left = MOST;

	for (FTSENT *e; (e = fts_read(tree)) && left; left--)
		if (is_trace(e))
			print(e, f, to);
		else if (e->fts_info == FTS_D && (e->fts_level > LEVELS || (e->fts_level && *e->fts_name == '.')))
			fts_set(tree, e, FTS_SKIP);
	return left;
}

const char *mcp_traces(const folders *f, arena *to)
{
	text_list all = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *found;
	FTS *tree;

	for (size_t i = 0; i < f->all.n; i++)
		vec_push(&all, f->all.v[i]);
	vec_push(&all, NULL);
	tree = fts_open((char *const *)all.v, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	if (!out || !tree)
		mem_exhausted(1, 1);
	fputs("trace\tbytes\tmodified\n", out);
	if (!walk(tree, f, out))
		fprintf(out, "... the folders hold more than %d files; the rest was not looked at\n", MOST);
	fts_close(tree);
	fclose(out);
	vec_free(&all);
	found = arena_copy(to, text);
	free(text);
	return found;
}
