#include "base/whole_folder.h"
#include "base/ending_signals.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A function that is called for each entry of a folder, at any depth, but not for the folder itself.  A subfolder comes
 * after its own entries.  path: the path of the entry; name: its path within the folder.  The walk stops when the
 * function returns false. */
typedef bool visit(void *ctx, const char *path, const char *name);

static bool whole_folder_is_folder(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Visit the entries in order of their names, so that every machine reports the same file first. */
static bool whole_folder_visit_entries(const char *path, const char *name, visit *entry, void *ctx)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, NULL, alphasort);
	arena texts = { 0 };
	bool ok = n >= 0;

	for (int i = 0; i < n; i++) {
		const char *own = entries[i]->d_name, *own_path = arena_printf(&texts, "%s/%s", path, own);
		const char *own_name = *name ? arena_printf(&texts, "%s/%s", name, own) : own;
		if (ok && strcmp(own, ".") != 0 && strcmp(own, "..") != 0)
			ok = (!whole_folder_is_folder(own_path) ||
			      whole_folder_visit_entries(own_path, own_name, entry, ctx)) &&
				entry(ctx, own_path, own_name);
		free(entries[i]);
	}
	free(entries);
	arena_free(&texts);
	return ok;
}

/* ---- whether a folder may be replaced */

typedef struct {
	vec(const char *) names;        /* the files in the list */
	const char *stranger;   /* the first entry that is not in the list, or that may not be removed; NULL: none */
	arena texts;
} whole_folder_list;

/* Read the strings of a JSON array; `at` stands behind its "[".  False: the array does not end in "]", or a name has an
 * escape.  The names that this program writes need none. */
static bool whole_folder_read_names(whole_folder_list *l, const char *at)
{
	while (*at == '"') {
		size_t n = strcspn(++at, "\"\\");
		if (at[n] != '"')
			return false;
		vec_push(&l->names, arena_text(&l->texts, at, n));
		at += n + 1;
		at += *at == ',';
	}
	return *at == ']';
}

static void whole_folder_read_list(whole_folder_list *l, const char *path, const whole_folder_mark *mark)
{
	char *text = text_file(arena_printf(&l->texts, "%s/%s", path, mark->list), &(size_t){ 0 });
	const char *names = text && strncmp(text, mark->begins, strlen(mark->begins)) == 0 ? strstr(text, mark->names) :
		NULL;

	if (!names || !whole_folder_read_names(l, names + strlen(mark->names)))
		l->names.n = 0;
	free(text);
}

/* Is the file or folder in the list, and may it be removed?  This program writes only plain files and folders of them.
 * A trace is never removed, even if a list names it. */
static bool whole_folder_is_listed_file(void *ctx, const char *path, const char *name)
{
	whole_folder_list *l = ctx;
	struct stat st;
	bool plain = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && !whole_file_holds_trace(path, NULL);
	bool folder = whole_folder_is_folder(path);
	size_t i = 0, n = strlen(name);

	while (i < l->names.n && (strncmp(l->names.v[i], name, n) != 0 || l->names.v[i][n] != (folder ? '/' : 0)))
		i++;
	if (i == l->names.n || !(plain || folder))
		l->stranger = arena_copy(&l->texts, name);
	return !l->stranger;
}

/* Does the folder hold only files that this program wrote?  False after a problem. */
static bool whole_folder_is_ours(const char *path, const whole_folder_mark *mark, notes *say)
{
	whole_folder_list l = { 0 };
	bool ok;

	whole_folder_read_list(&l, path, mark);
	ok = whole_folder_visit_entries(path, "", whole_folder_is_listed_file, &l);
	if (!ok && l.stranger)
		notes_problem(say, EXIT_WRONG, "'%s' holds '%s', which is not part of what would be replaced; name "
			      "another folder", path, l.stranger);
	else if (!ok)
		notes_problem(say, EXIT_FAILED, "cannot read '%s':", path);
	vec_free(&l.names);
	arena_free(&l.texts);
	return ok;
}

/* Is this the current folder?  If it were replaced, processes would be left in a folder without a name. */
static bool whole_folder_is_current(const struct stat *st)
{
	struct stat here;

	return stat(".", &here) == 0 && here.st_dev == st->st_dev && here.st_ino == st->st_ino;
}

bool whole_folder_may_write(const char *path, bool replace, const whole_folder_mark *mark, notes *say)
{
	struct stat st;

	if (!whole_is_place_for_files(path, say))
		return false;
	if (lstat(path, &st) < 0)
		return errno == ENOENT || notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
	if (!S_ISDIR(st.st_mode))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a folder; name another", path);
	if (whole_folder_is_current(&st))
		return notes_problem(say, EXIT_WRONG, "'%s' is the current folder, which cannot be replaced; name one "
				     "inside it, as in '-o report'", path);
	if (!replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces it", path);
	return whole_folder_is_ours(path, mark, say);
}

/* ---- writing */

static bool whole_folder_remove_one(void *ctx UNNEEDED, const char *path, const char *name UNNEEDED)
{
	return remove(path) == 0;
}

static bool whole_folder_remove_all(const char *path)
{
	return whole_folder_visit_entries(path, "", whole_folder_remove_one, NULL) && rmdir(path) == 0;
}

static void whole_folder_note_failure(whole_folder *w)
{
	if (!w->reason)
		w->reason = errno ? errno : EIO;
}

/* The path without a slash or "/." at its end, so that appended text gives the name of a neighbour. */
static const char *whole_folder_trim_path(const char *path, arena *texts)
{
	size_t n = strlen(path);

	while (n > 1 && (path[n - 1] == '/' || (path[n - 1] == '.' && path[n - 2] == '/')))
		n--;
	return arena_text(texts, path, n);
}

/* Create the folders above the new one.  A failure shows when the folder itself is created. */
static void whole_folder_make_parents(whole_folder *w)
{
	for (const char *p = strchr(w->path + 1, '/'); *w->path && p; p = strchr(p + 1, '/'))
		mkdir(arena_text(&w->texts, w->path, (size_t)(p - w->path)), 0777);
}

bool whole_folder_begin(whole_folder *w, const char *path, bool replace, const whole_folder_mark *mark, notes *say)
{
	*w = (whole_folder){ .mark = mark, .replace = replace, .say = say };
	if (!whole_folder_may_write(path, replace, mark, say))
		return false;
	w->path = whole_folder_trim_path(path, &w->texts);
	w->ending = ending_signals();
	pthread_sigmask(SIG_BLOCK, &w->ending, &w->before);
	whole_folder_make_parents(w);
	w->beside = whole_temporary_name(&w->texts, w->path);
	if (mkdir(w->beside, 0777) == 0) {
		w->unfinished.path = w->beside;
		ending_push(&w->unfinished);
		return true;
	}
	notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
	pthread_sigmask(SIG_SETMASK, &w->before, NULL);
	arena_free(&w->texts);
	return false;
}

static void whole_folder_close_file(whole_folder *w)
{
	if (w->to && !whole_end(&w->file)) {
		errno = w->file.reason;
		whole_folder_note_failure(w);
	}
	w->to = NULL;
	if (ending_signal_came(&w->ending)) {
		errno = EINTR;
		whole_folder_note_failure(w);
	}
}

/* If the program ends before whole_folder_end, this file or subfolder is removed. */
static void whole_folder_push_unfinished(whole_folder *w, const char *path)
{
	ending_file *f = mem_new(ending_file, 1);

	f->path = path;
	vec_push(&w->parts, f);
	ending_push(f);
}

static bool whole_folder_make_subfolder(whole_folder *w, const char *path)
{
	if (mkdir(path, 0777) < 0)
		return errno == EEXIST;
	whole_folder_push_unfinished(w, path);
	return true;
}

void whole_folder_begin_file(whole_folder *w, const char *name)
{
	const char *path = arena_printf(&w->texts, "%s/%s", w->beside, name), *slash = strrchr(path, '/');

	whole_folder_close_file(w);
	if (w->reason)
		return;
	if (strchr(name, '/') && !whole_folder_make_subfolder(w, arena_text(&w->texts, path, (size_t)(slash - path)))) {
		whole_folder_note_failure(w);
		return;
	}
	whole_folder_push_unfinished(w, path);
	if (whole_begin(&w->file, path, WHOLE_NEVER, NULL))
		w->to = w->file.to;
	else
		whole_folder_note_failure(w);
}

static void whole_folder_remove_old(whole_folder *w, const char *path)
{
	if (!whole_folder_is_ours(path, w->mark, NULL) || !whole_folder_remove_all(path))
		notes_remark(w->say, "'%s' holds what was replaced; it could not be removed", path);
}

/* Give the new folder its name.  It changes places with an old folder in one step, if the file system can do that. */
static bool whole_folder_put_in_place(whole_folder *w)
{
	const char *old = whole_temporary_name(&w->texts, w->path);

	if (!whole_folder_is_folder(w->path))
		return whole_rename(w->beside, w->path, false);
	if (!whole_folder_may_write(w->path, w->replace, w->mark, NULL)) {
		errno = EEXIST;         /* what is there has changed meanwhile, and may not be replaced */
		return false;
	}
	if (renameat2(AT_FDCWD, w->beside, AT_FDCWD, w->path, RENAME_EXCHANGE) == 0) {
		whole_folder_remove_old(w, w->beside);
		return true;
	}
	if (rename(w->path, old) < 0)
		return false;
	if (rename(w->beside, w->path) < 0) {
		int reason = errno;
		rename(old, w->path);
		errno = reason;
		return false;
	}
	whole_folder_remove_old(w, old);
	return true;
}

bool whole_folder_end(whole_folder *w)
{
	whole_folder_close_file(w);
	if (!w->reason && !whole_folder_put_in_place(w))
		whole_folder_note_failure(w);
	if (w->reason) {
		whole_folder_remove_all(w->beside);
		errno = w->reason;
		notes_problem(w->say, EXIT_FAILED, "cannot write '%s':", w->path);
	}
	pthread_sigmask(SIG_SETMASK, &w->before, NULL);         /* ends the program here if a signal is pending */
	ending_pop(&w->unfinished);
	for (size_t i = 0; i < w->parts.n; i++)
		free(w->parts.v[i]);
	vec_free(&w->parts);
	arena_free(&w->texts);
	return !w->reason;
}
