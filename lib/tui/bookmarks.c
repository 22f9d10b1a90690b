#include "tui/bookmarks.h"
#include "base/number.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "base/whole_file.h"
#include "table/format.h"
#include "table/text_rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS(X) \
	X(AT_NS, "at_ns", 'i', "ns", "where the cursor was") \
	X(KERNEL, "kernel", 't', NULL, "what ran there") \
	X(NVTX, "nvtx", 't', NULL, "the ranges around it, from the outermost")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

/* ---- the file */

enum { ID_DIGITS = 16, SAMPLES = 16, SAMPLE_BYTES = 4096, MOST_NAME = 160 };

/* Write the id of a trace, by which its file of bookmarks is found: a digest of its size and of samples of its
 * bytes.  The first sample contains the number that SQLite increments with each change.  False: the file cannot be
 * read. */
static bool bookmarks_identify_trace(const char *path, char id[ID_DIGITS + 1])
{
	char digest[SHA256_TEXT], *bytes = mem_new(char, SAMPLES * SAMPLE_BYTES + sizeof(int64_t));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool ok = fd >= 0 && fstat(fd, &st) == 0;
	size_t n = 0;

	for (int64_t i = 0; ok && i < SAMPLES; i++) {
		off_t last = st.st_size > SAMPLE_BYTES ? st.st_size - SAMPLE_BYTES : 0;
		ssize_t got = pread(fd, bytes + n, SAMPLE_BYTES, i == SAMPLES - 1 ? last : last / (SAMPLES - 1) * i);
		ok = got >= 0;
		n += ok ? (size_t)got : 0;
	}
	if (ok) {
		memcpy(bytes + n, &(int64_t){ st.st_size }, sizeof(int64_t));
		snprintf(id, ID_DIGITS + 1, "%s", sha256(bytes, n + sizeof(int64_t), digest));
	}
	if (fd >= 0)
		close(fd);
	free(bytes);
	return ok;
}

/* ---- reading */

/* Add a bookmark, with copies of its texts. */
static void bookmarks_push(bookmarks *b, const bookmark *new)
{
	bookmark m = *new;

	m.kernel = arena_copy(&b->texts, m.kernel);
	m.nvtx = arena_copy(&b->texts, m.nvtx);
	m.name = arena_copy(&b->texts, m.name);
	vec_push(b, m);
}

typedef struct {
	const text_rows *rows;
	const char *path;
	notes *say;
	bookmarks *to;
	const char *trace;      /* the trace that the last row names; NULL: none */
} bookmarks_ctx;

static const char *bookmarks_read_cell(const bookmarks_ctx *r, size_t row, const char *column)
{
	const char *s = text_rows_field(r->rows, row, text_rows_column(r->rows, 0, column));

	return s && *s && strcmp(s, "-") != 0 ? s : NULL;
}

static bool bookmarks_read_integer(const bookmarks_ctx *r, size_t row, const char *column, int64_t *to)
{
	const char *s = bookmarks_read_cell(r, row, column);

	return !s || number_int(s, to) ||
		notes_problem(r->say, EXIT_FAILED, "'%s' line %zu: %s is '%s', not a whole number", r->path,
			      r->rows->lines.v[row], column, s);
}

static bool bookmarks_read_row(bookmarks_ctx *r, size_t row)
{
	bookmark m = { .pid = -1, .sub = -1, .start = TABLE_MISSING, .end = TABLE_MISSING, .at = TABLE_MISSING,
		.gpu = TABLE_MISSING, .ctx = TABLE_MISSING, .stream = TABLE_MISSING };
	const char *pid = bookmarks_read_cell(r, row, "pid");

	if (!bookmarks_read_integer(r, row, "start_ns", &m.start) ||
	    !bookmarks_read_integer(r, row, "end_ns", &m.end) || !bookmarks_read_integer(r, row, "at_ns", &m.at) ||
	    !bookmarks_read_integer(r, row, "gpu", &m.gpu) || !bookmarks_read_integer(r, row, "ctx", &m.ctx) ||
	    !bookmarks_read_integer(r, row, "stream", &m.stream))
		return false;
	if (m.start < 0 || m.end < m.start || (pid && !number_pid(pid, &m.pid, &m.sub)))
		return notes_problem(r->say, EXIT_FAILED, "'%s' line %zu is no bookmark: it needs start_ns, a later "
				     "end_ns and, if any, a process id as pid", r->path, r->rows->lines.v[row]);
	if (m.at < m.start || m.at > m.end)
		m.at = m.start;
	m.kernel = bookmarks_read_cell(r, row, "kernel");
	m.nvtx = bookmarks_read_cell(r, row, "nvtx");
	m.name = bookmarks_read_cell(r, row, "window");
	r->trace = arena_copy(&r->to->texts, bookmarks_read_cell(r, row, "trace"));
	bookmarks_push(r->to, &m);
	return true;
}

/* Open a regular file that is small enough to read in full.  *f is NULL if there is no file; false after a problem. */
static bool bookmarks_open_plain(const char *path, FILE **f, notes *say)
{
	enum { MOST_BYTES = 4 << 20 };
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	*f = NULL;
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT || notes_problem(say, EXIT_FAILED, "cannot read the bookmarks in '%s':", path);
	if (S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES) {
		*f = fdopen(fd, "r");
		return *f || (mem_exhausted(1, BUFSIZ), false);
	}
	close(fd);
	return notes_problem(say, EXIT_FAILED, "'%s' holds no bookmarks: it is %s", path,
			     S_ISREG(st.st_mode) ? "over 4 MB long" : "not a plain file");
}

/* Add the bookmarks of a file, if it exists.  *trace: the trace that its last row names, or NULL.  False after a
 * problem. */
static bool bookmarks_read_file(bookmarks *to, const char *path, const char **trace, notes *say)
{
	text_rows rows = { 0 };
	bookmarks_ctx r = { &rows, path, say, to, NULL };
	FILE *f;
	bool ok = bookmarks_open_plain(path, &f, say);

	if (f) {
		ok = text_rows_read(f, arena_printf(&to->texts, "'%s'", path), &rows, say);
		fclose(f);
		if (ok && (!rows.ends.n || text_rows_column(&rows, 0, "start_ns") < 0 ||
			   text_rows_column(&rows, 0, "end_ns") < 0))
			ok = notes_problem(say, EXIT_FAILED, "'%s' holds no bookmarks: a line with start_ns and end_ns "
					   "must come first", path);
	}
	for (size_t i = 1; ok && i < rows.ends.n; i++)
		ok = bookmarks_read_row(&r, i);
	text_rows_free(&rows);
	*trace = r.trace;
	return ok;
}

/* If the file has bookmarks about b->trace, add a remark: they are about earlier contents of the trace. */
static void bookmarks_remark_on_earlier(const bookmarks *b, const char *path, notes *say)
{
	bookmarks old = { 0 };
	const char *trace;

	if (bookmarks_read_file(&old, path, &trace, NULL) && old.n && trace && strcmp(trace, b->trace) == 0)
		notes_remark(say, "'%s' has other contents than when the bookmarks in '%s' were made, which are "
			     "not shown", b->trace, path);
	bookmarks_free(&old);
}

/* Set b->file to the file in the folder whose name ends in .ID.tsv or, if there is none, to the path of a new file. */
static void bookmarks_find_file(bookmarks *b, const char *folder, const char *id, notes *say)
{
	const char *base = arena_printf(&b->texts, "%.*s.", MOST_NAME, text_base(b->trace));
	const char *end = arena_printf(&b->texts, ".%s.tsv", id);
	text_list earlier = { 0 };
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (text_ends(e->d_name, end))
			b->file = arena_printf(&b->texts, "%s/%s", folder, e->d_name);
		else if (strncmp(e->d_name, base, strlen(base)) == 0 && text_ends(e->d_name, ".tsv"))
			vec_push(&earlier, arena_printf(&b->texts, "%s/%s", folder, e->d_name));
	if (d)
		closedir(d);
	for (size_t i = 0; !b->file && i < earlier.n; i++)
		bookmarks_remark_on_earlier(b, earlier.v[i], say);
	vec_free(&earlier);
	if (!b->file)
		b->file = arena_printf(&b->texts, "%s/%s%s", folder, base, end + 1);
}

void bookmarks_open(bookmarks *b, const char *trace, const char *sqlite, notes *say)
{
	const char *folder = user_folder(&b->texts, "XDG_STATE_HOME", ".local/state"), *named;
	char id[ID_DIGITS + 1], *real = realpath(trace, NULL);
	notes wrong = { 0 };

	b->trace = arena_copy(&b->texts, real ? real : trace);
	free(real);
	if (!folder)
		notes_remark(say, "bookmarks are not saved: neither XDG_STATE_HOME nor HOME names a folder");
	else if (bookmarks_identify_trace(sqlite, id))
		bookmarks_find_file(b, arena_printf(&b->texts, "%s/bookmarks", folder), id, say);
	if (b->file && !bookmarks_read_file(b, b->file, &named, &wrong)) {
		notes_remark(say, "%s; it is left alone, and bookmarks are not saved", wrong.v[0].text);
		b->file = NULL;
		b->n = 0;
	}
	notes_free(&wrong);
}

/* ---- writing */

static bool bookmarks_is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool bookmarks_is_same(const bookmark *a, const bookmark *b)
{
	return a->pid == b->pid && a->sub == b->sub && a->start == b->start && a->end == b->end && a->at == b->at &&
		a->gpu == b->gpu && a->ctx == b->ctx && a->stream == b->stream &&
		bookmarks_is_same_text(a->kernel, b->kernel) && bookmarks_is_same_text(a->nvtx, b->nvtx) &&
		bookmarks_is_same_text(a->name, b->name);
}

size_t bookmarks_find(const bookmarks *b, const bookmark *m)
{
	size_t i = 0;

	while (i < b->n && !bookmarks_is_same(&b->v[i], m))
		i++;
	return i;
}

static void bookmarks_remove_at(bookmarks *b, size_t i)
{
	b->n--;
	memmove(b->v + i, b->v + i + 1, (b->n - i) * sizeof *b->v);
}

static void bookmarks_fill_table(const bookmarks *b, table *t)
{
	table_columns(t, all_columns, COL_CTX, COL_STREAM, AT_NS, KERNEL, NVTX);
	t->given_order = true;
	for (size_t i = 0; i < b->n; i++) {
		const bookmark *m = &b->v[i];
		table_row_of(t, m->pid, m->sub, -1, m->start, m->end);
		table_int(t, COL_GPU, m->gpu);
		table_int(t, COL_CTX, m->ctx);
		table_int(t, COL_STREAM, m->stream);
		table_int(t, AT_NS, m->at);
		table_text(t, KERNEL, m->kernel);
		table_text(t, NVTX, m->nvtx);
		table_text(t, COL_WINDOW, m->name);
		table_text(t, COL_TRACE, b->trace);
	}
	table_group(t);
}

static bool bookmarks_write_file(const bookmarks *b, notes *say)
{
	table t = { 0 };
	whole_file w;
	bool ok = whole_begin(&w, b->file, WHOLE_FILES, say);

	bookmarks_fill_table(b, &t);
	if (ok) {
		format_writer to = { .to = w.to, .format = FORMAT_TSV };
		format_table(&to, &t);
		format_header(&to, &t);
		format_end(&to, &t);
		ok = whole_end(&w);
	}
	table_free(&t);
	return ok;
}

/* Lock a file, and return its descriptor.  If another session holds the lock, wait for up to a second: that session
 * may have been stopped.  -1 after a problem. */
static int bookmarks_lock_file(const char *path, notes *say)
{
	enum { TRIES = 100 };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	bool held = false;

	for (int i = 0; fd >= 0 && i < TRIES && !held; i++) {
		held = flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (!held && errno != EWOULDBLOCK)
			break;
		if (!held)
			nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	if (held)
		return fd;
	notes_problem(say, EXIT_FAILED, "cannot lock the bookmarks with '%s':", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Read the file, remove the bookmark `gone` from it, add `new` to it (either may be NULL), and write it.  Then
 * replace the bookmarks in b by those of the file.  False after a problem; b then stays as it is. */
static bool bookmarks_change_file(bookmarks *b, const bookmark *new, const bookmark *gone, notes *say)
{
	arena texts = { 0 };
	bookmarks now = { .file = b->file, .trace = b->trace };
	const char *named;
	int lock;
	bool ok;

	user_folder_make_parents(&texts, b->file);
	lock = bookmarks_lock_file(arena_printf(&texts, "%s.lock", text_folder(&texts, b->file)), say);
	ok = lock >= 0 && bookmarks_read_file(&now, b->file, &named, say);
	if (ok && gone && bookmarks_find(&now, gone) < now.n)
		bookmarks_remove_at(&now, bookmarks_find(&now, gone));
	if (ok && new && bookmarks_find(&now, new) == now.n)
		bookmarks_push(&now, new);
	ok = ok && bookmarks_write_file(&now, say);
	if (ok) {
		b->n = 0;
		for (size_t i = 0; i < now.n; i++)
			bookmarks_push(b, &now.v[i]);
	}
	if (lock >= 0)
		close(lock);
	bookmarks_free(&now);
	arena_free(&texts);
	return ok;
}

bool bookmarks_add(bookmarks *b, const bookmark *new, notes *say)
{
	if (b->file && bookmarks_change_file(b, new, NULL, say))
		return true;
	if (bookmarks_find(b, new) == b->n)
		bookmarks_push(b, new);
	return !b->file;
}

bool bookmarks_remove(bookmarks *b, size_t i, notes *say)
{
	bookmark gone = b->v[i];

	if (b->file && bookmarks_change_file(b, NULL, &gone, say))
		return true;
	bookmarks_remove_at(b, i);
	return !b->file;
}

void bookmarks_free(bookmarks *b)
{
	vec_free(b);
	arena_free(&b->texts);
}
