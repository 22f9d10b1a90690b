#include "trace/report.h"
#include "base/child.h"
#include "base/ending_signals.h"
#include "base/folders.h"
#include "base/shell.h"
#include "base/text.h"
#include "base/user_folder.h"
#include "base/whole_file.h"
#include "import/import.h"
#include "sqlite/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_S = 3 };   /* seconds that nsys gets to exit after a signal */

typedef struct {
	const char *report;     /* path of the report */
	const char *nsys;       /* the nsys to run */
	const char *to;         /* path of the export */
	bool own;               /* is `to` in a folder of exports, under a name that only nsq uses?  then it may always
				 * be replaced */
	const char *folder;     /* a temporary folder beside `to`, to which nobody else can write */
	const char *partial;    /* the file in `folder` that nsys writes; renamed to `to` at the end */
	report_progress *progress;      /* or NULL */
	int out;                /* descriptor of nsys's output */
	sigset_t set;           /* signals that are blocked during the export */
	sigset_t before;        /* the signal mask before the export */
	int ended_by;           /* the signal that asked us to stop, or 0 */
	bool anew;              /* replace an export of the same report even if it is up to date */
	bool torch;             /* is the report a trace of torch.profiler? */
	bool stacks;            /* are its Python functions imported? */
	const char *blobs;      /* the option of nsys that keeps payloads, such as those of NCCL's ranges; NULL: none */
	arena texts;            /* temporary texts */
	notes *say;
} report_ctx;

static bool report_is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Is this a report, by the suffix of its name? */
static bool report_is_report(const char *path)
{
	return text_ends(path, ".nsys-rep") || text_ends(path, ".qdrep");
}

/* Was the file, which must be a complete export, made from a report with the same base name?  A table in the export
 * names the report. */
static bool report_is_made_from(const char *path, const char *report)
{
	arena texts = { 0 };
	const char *source = db_first(path, "SELECT value FROM META_DATA_EXPORT WHERE name GLOB 'EXPORT_*INPUT_FILE'",
				      &texts);
	bool same;

	if (!source)
		source = db_first(path, "SELECT value FROM EXPORT_META_DATA WHERE name GLOB 'EXPORT_*INPUT_FILE'",
				  &texts);
	same = source && strcmp(text_base(source), text_base(report)) == 0;
	arena_free(&texts);
	return same;
}

/* Is the file an export written by nsys, and not by nsq-import? */
static bool report_is_export(const char *path)
{
	arena texts = { 0 };
	bool found = db_first(path, "SELECT name FROM sqlite_master WHERE name IN ('StringIds', 'META_DATA_EXPORT', "
			      "'EXPORT_META_DATA')", &texts) &&
		!db_first(path, "SELECT value FROM META_DATA_EXPORT WHERE value = '" IMPORT_PRODUCT "'", &texts);

	arena_free(&texts);
	return found;
}

/* Is `export`, which may be NULL, a complete export of the report, and at least as new as the report?  (A report of
 * nsys and a trace of torch.profiler may have the same name up to the suffix.  Then their exports have the same path,
 * and their contents tell which of the two was exported.) */
static bool report_is_usable(const char *export, const char *report, const struct stat *of_report)
{
	struct stat st;

	return export && folders_stat(export, &st) == 0 && !report_is_later(of_report->st_mtim, st.st_mtim) &&
		db_is_whole(export) &&
		(report_is_report(report) ? report_is_export(export) : report_is_made_from(export, report));
}

/* May the export of the report get this path?  It may if nothing is there, or an empty file, or a complete export of a
 * report with the same base name. */
static bool report_is_replaceable(const char *path, const char *report)
{
	struct stat st;

	return lstat(path, &st) < 0 || (S_ISREG(st.st_mode) &&
					(!st.st_size || (db_is_whole(path) && report_is_made_from(path, report))));
}

/* The path, with ./ before it if it begins with a dash, because nsys would take it for an option. */
static const char *report_escape_dash(arena *a, const char *path)
{
	return *path == '-' ? arena_printf(a, "./%s", path) : path;
}

/* Start nsys in a process group of its own, so that all its processes can be killed together.  Its output goes to
 * `out`.  Returns 0, or an errno value. */
static int report_start_program(pid_t *pid, const char *const *argv, int out, const sigset_t *mask)
{
	child_io io = { .out = out, .err = out, .group = true, .mask = *mask };

	/* these signals would stop nsys when it uses the terminal, because its group is not the foreground group */
	sigaddset(&io.mask, SIGTTOU);
	sigaddset(&io.mask, SIGTTIN);
	return child_start(pid, (char *const *)argv, &io);
}

/* Read the end of nsys's output into text; returns its length. */
static size_t report_read_output(int out, char text[2000])
{
	off_t size = lseek(out, 0, SEEK_END), room = 2000 - 1;
	ssize_t n = pread(out, text, (size_t)room, size > room ? size - room : 0);

	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* The last percentage that nsys has printed; 0: none. */
static size_t report_read_percentage(int out)
{
	char text[2000];

	for (size_t i = report_read_output(out, text); i-- > 1;) {
		size_t digits = 0;
		while (text[i] == '%' && digits < 3 && digits < i && text[i - 1 - digits] >= '0' &&
		       text[i - 1 - digits] <= '9')
			digits++;
		if (digits)
			return (size_t)strtol(&text[i - digits], NULL, 10);
	}
	return 0;
}

/* Report the progress: how large the export is, and the last percentage that nsys printed.  nsys may print none for a
 * long time. */
static void report_tell_progress(const report_ctx *e)
{
	char doing[100];
	struct stat st = { 0 };
	size_t percentage;

	if (!e->progress)
		return;
	stat(e->partial, &st);
	percentage = report_read_percentage(e->out);
	snprintf(doing, sizeof doing, "exporting with nsys, %lld MB written", (long long)st.st_size / 1000000);
	e->progress(doing, percentage, percentage ? 100 : 0);
}

/* Wait for nsys.  The first signal that arrives is stored in e->ended_by, and nsys is asked to stop; after GRACE_S
 * seconds it is killed.  Returns the wait status of nsys; -1: not known. */
static int report_wait_until_end(report_ctx *e, pid_t pid)
{
	static const struct timespec second = { 1, 0 };
	int status = 0, seconds = 0, *ended = &e->ended_by;
	pid_t got;

	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		int sig;
		report_tell_progress(e);
		sig = sigtimedwait(&e->set, NULL, &second);
		if (sig > 0 && sig != SIGCHLD && !*ended) {
			*ended = sig;
			kill(-pid, SIGTERM);
		} else if (*ended && sig != SIGCHLD && ++seconds >= GRACE_S)
			kill(-pid, SIGKILL);
	}
	if (*ended) {           /* processes that nsys started may still be writing: wait until they are gone */
		kill(-pid, SIGKILL);
		while (waitpid(-pid, NULL, 0) > 0)
			;
	}
	return got == pid ? status : -1;
}

/* Remove e->folder and what nsys and SQLite may have left in it. */
static void report_remove_folder(report_ctx *e)
{
	unlink(e->partial);
	unlink(arena_printf(&e->texts, "%s-journal", e->partial));
	unlink(arena_printf(&e->texts, "%s-wal", e->partial));
	unlink(arena_printf(&e->texts, "%s-shm", e->partial));
	rmdir(e->folder);
}

/* The last line that nsys printed, in quotes; it should say why nsys failed. */
static const char *report_read_last_line(arena *a, int out)
{
	char text[2000];
	size_t n = report_read_output(out, text);

	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r' || text[n - 1] == ' '))
		n--;
	if (!n)
		return "nothing";
	text[n] = 0;
	while (n > 0 && text[n - 1] != '\n' && text[n - 1] != '\r')
		n--;
	return arena_printf(a, "'%s'", text + n);
}

/* Start nsys and wait for it.  Returns its status.  If nsys cannot be started, *failed is an errno value and the status
 * is 0; otherwise *failed is 0.  While nsys runs, orphans of its processes become our children, so that we can wait for
 * them, and SIGCHLD has its default action, because nsys would leave no status if it were ignored. */
static int report_start_and_wait(report_ctx *e, int *failed)
{
	const char *const argv[] = { e->nsys,
				     "export",
				     "--type",
				     "sqlite",
				     "--force-overwrite",
				     "true",
				     "--output",
				     report_escape_dash(&e->texts, e->partial),
				     e->blobs ? e->blobs : report_escape_dash(&e->texts, e->report),
				     e->blobs ? report_escape_dash(&e->texts, e->report) : NULL,
				     NULL };
	struct sigaction plain = { .sa_handler = SIG_DFL }, was;
	int reaper = 0, status = 0;
	pid_t pid;

	sigaction(SIGCHLD, &plain, &was);
	prctl(PR_GET_CHILD_SUBREAPER, &reaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	*failed = report_start_program(&pid, argv, e->out, &e->before);
	if (!*failed)
		status = report_wait_until_end(e, pid);
	prctl(PR_SET_CHILD_SUBREAPER, reaper);
	sigaction(SIGCHLD, &was, NULL);
	return status;
}

/* Has a signal asked us to stop?  A callback of the import. */
static bool report_is_ended(void *ctx)
{
	static const struct timespec now = { 0 };
	report_ctx *e = ctx;
	int sig = sigtimedwait(&e->set, NULL, &now);

	if (sig > 0 && sig != SIGCHLD)
		e->ended_by = sig;
	return e->ended_by;
}

/* Import a trace of torch.profiler.  False after a problem, or if a signal asked us to stop. */
static bool report_run_import(report_ctx *e)
{
	return import_write(e->report, e->partial, &(import_how){ e->stacks, report_is_ended, e }, e->say);
}

/* Run nsys export.  False after a problem, or if a signal asked us to stop. */
static bool report_run_nsys(report_ctx *e)
{
	const char *to = shell_quoted(&e->texts, report_escape_dash(&e->texts, e->to)), *by_hand;
	int status, failed;

	e->out = memfd_create("nsys", MFD_CLOEXEC);
	if (e->out < 0)
		return notes_problem(e->say, EXIT_FAILED, "cannot capture what nsys prints:");
	e->blobs = "--include-blobs=true";
	status = report_start_and_wait(e, &failed);
	if (status && !e->ended_by && access(e->partial, F_OK) != 0) {  /* an older nsys does not know the option */
		e->blobs = NULL;
		status = report_start_and_wait(e, &failed);
	}
	by_hand = arena_printf(&e->texts, "nsys export --type sqlite%s%s --output %s %s", e->blobs ? " " : "",
			       e->blobs ? e->blobs : "", to,
			       shell_quoted(&e->texts, report_escape_dash(&e->texts, e->report)));
	if (failed)
		notes_problem(e->say, EXIT_FAILED, "'%s' must be exported first and '%s' cannot be run (%s); get "
			      "Nsight Systems from https://developer.nvidia.com/nsight-systems or name its nsys with "
			      "--nsys, or run elsewhere: %s", e->report, e->nsys, strerror(failed), by_hand);
	else if (status != 0 && !e->ended_by)
		notes_problem(e->say, EXIT_FAILED, "'%s' could not export '%s' and printed %s; to see more, run: %s",
			      e->nsys, e->report, report_read_last_line(&e->texts, e->out), by_hand);
	close(e->out);
	return !failed && status == 0 && !e->ended_by;
}

/* Replace the file at the path of the export by ours.  Unless e->anew is set, an up-to-date export that another process
 * has made there meanwhile stays, because somebody may already read it, and ours is removed.  False after an error, or
 * if the file there may not be replaced. */
static bool report_replace(const report_ctx *e, const struct stat *of_report)
{
	if (!e->anew && report_is_usable(e->to, e->report, of_report))
		return unlink(e->partial) == 0;
	return (e->own || report_is_replaceable(e->to, e->report)) && rename(e->partial, e->to) == 0;
}

/* Flush the finished export to disk and rename it to e->to.  Its time of modification is set to `when`, the moment
 * before nsys began to read the report.  So a report that changes during the export is newer than the export. */
static bool report_put_in_place(const report_ctx *e, const struct stat *of_report, struct timespec when)
{
	int fd = open(e->partial, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && futimens(fd, (struct timespec[]){ when, when }) == 0 && fsync(fd) == 0 &&
		(whole_rename(e->partial, e->to, false) || (errno == EEXIST && report_replace(e, of_report)));
	int reason = errno;

	if (fd >= 0)
		close(fd);
	errno = reason;
	return ok;
}

static bool report_export_into_place(report_ctx *e, const struct stat *st)
{
	struct timespec when;
	bool ok;

	e->folder = whole_temporary_name(&e->texts, e->to);
	e->partial = arena_printf(&e->texts, "%s/%s", e->folder, text_base(e->to));
	e->set = ending_signals();
	sigaddset(&e->set, SIGCHLD);            /* sigtimedwait receives the signals of this set while nsys runs */
	clock_gettime(CLOCK_REALTIME, &when);
	if (report_is_later(st->st_mtim, when))
		when = st->st_mtim;
	pthread_sigmask(SIG_BLOCK, &e->set, &e->before);    /* until the export is renamed or removed */
	ok = mkdir(e->folder, 0700) == 0 ? (e->torch ? report_run_import(e) : report_run_nsys(e)) :
		notes_problem(e->say, EXIT_FAILED, "cannot make a folder for the export of '%s':", e->report);
	if (ok && !db_is_whole(e->partial))
		ok = notes_problem(e->say, EXIT_FAILED, "'%s' left no complete export of '%s'; is the disk full?",
				   e->torch ? "nsq-import" : e->nsys, e->report);
	else if (ok && !report_put_in_place(e, st, when))
		ok = notes_problem(e->say, EXIT_FAILED, "cannot rename the export of '%s' to '%s':", e->report, e->to);
	report_remove_folder(e);
	pthread_sigmask(SIG_SETMASK, &e->before, NULL);
	return ok;
}

/* The length of a path without its suffix, such as .nsys-rep, .qdrep, .json or .json.gz. */
static int report_measure_stem(const char *name)
{
	const char *dot = strrchr(text_base(name), '.');
	size_t n = dot ? (size_t)(dot - name) : strlen(name);

	if (dot && strcmp(dot, ".gz") == 0 && n > 5 && strncmp(dot - 5, ".json", 5) == 0)
		n -= 5;
	return (int)n;
}

/* The path of a report's export in a folder of exports; its name has a hash of the report's real path.  NULL: the
 * folder is NULL, or the report has no real path. */
static const char *report_path_in_folder(arena *a, const char *folder, const char *report)
{
	char *real = folder ? realpath(report, NULL) : NULL;
	const char *name;
	uint64_t hash = 0xcbf29ce484222325u;     /* FNV-1a */

	if (!real)
		return NULL;
	for (const char *p = real; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
	name = text_base(real);
	name = arena_printf(a, "%s/%.*s-%016llx.sqlite", folder, report_measure_stem(name), name,
			    (unsigned long long)hash);
	free(real);
	return name;
}

/* The folder for exports that the caller or the user's environment names; NULL: none. */
static const char *report_choose_folder(const report_how *how)
{
	const char *set = getenv("NSQ_EXPORT_TO");

	return how->folder ? how->folder : set && *set && !how->beside ? set : NULL;
}

static const char *report_path_beside(arena *a, const char *report)
{
	return arena_printf(a, "%.*s.sqlite", report_measure_stem(report), report);
}

static bool report_is_folder_writable(arena *a, const char *path)
{
	return faccessat(AT_FDCWD, text_folder(a, path), W_OK | X_OK, AT_EACCESS) == 0;
}

static bool report_is_plain_file(const char *path, struct stat *st, notes *say)
{
	if (folders_stat(path, st) < 0)
		return notes_problem(say, EXIT_FAILED, "cannot open '%s':", path);
	if (!S_ISREG(st->st_mode))
		return notes_problem(say, EXIT_FAILED, "'%s' is not a plain file, so it is not a report", path);
	return true;
}

bool report_is_torch(const char *path)
{
	return !report_is_report(path) && import_is_trace(path);
}

bool report_find_file(const char *path, const report_how *how, const char **file, arena *a, notes *say)
{
	const char *exports[3];
	struct stat st;

	*file = NULL;
	if (!report_is_report(path) && !import_is_trace(path)) {
		*file = path;
		return true;
	}
	if (!report_is_plain_file(path, &st, say))
		return false;
	exports[0] = report_path_in_folder(a, report_choose_folder(how), path);
	exports[1] = exports[0] ? NULL : report_path_beside(a, path);
	exports[2] = exports[0] ? NULL : report_path_in_folder(a, user_folder(a, "XDG_CACHE_HOME", ".cache"), path);
	for (int i = 0; !*file && i < 3; i++)
		*file = report_is_usable(exports[i], path, &st) ? exports[i] : NULL;
	return true;
}

const char *report_find_nsys(const char *nsys)
{
	const char *set = getenv("NSQ_NSYS");

	return nsys ? nsys : set && *set ? set : "nsys";
}

/* Choose e->to, the path of the export (allocated in a).  False after a problem. */
static bool report_choose_path(report_ctx *e, const report_how *how, arena *a)
{
	const char *stranger = NULL, *folder = report_choose_folder(how);
	const char *cached = folder ? NULL : user_folder(&e->texts, "XDG_CACHE_HOME", ".cache");

	if (how->to) {
		e->to = how->to;
		return whole_is_place_for_files(how->to, e->say) && (report_is_replaceable(how->to, e->report) ||
			notes_problem(e->say, EXIT_WRONG, "'%s' exists and is no import of '%s'; name another",
				      how->to, e->report));
	}
	e->to = folder ? report_path_in_folder(a, folder, e->report) : report_path_beside(a, e->report);
	e->own = folder;
	if (!folder && !report_is_replaceable(e->to, e->report))
		stranger = e->to;
	if (!folder && (stranger || !report_is_folder_writable(&e->texts, e->to))) {
		e->to = report_path_in_folder(a, cached, e->report);
		e->own = true;
	}
	if (e->own && folders_limited())
		return notes_problem(e->say, EXIT_FAILED, "'%s' cannot be imported to a file beside it; do it with "
				     "nsq-import, in a shell", e->report);
	if (e->to && e->own)
		user_folder_make_parents(&e->texts, e->to);
	if (!e->to || !report_is_folder_writable(&e->texts, e->to))
		return notes_problem(e->say, EXIT_FAILED, "the export of '%s' can be written neither %s nor in the "
			"cache '%s'; set XDG_CACHE_HOME to a writable folder, or name one with --export-to", e->report,
			stranger ? "over another file beside it" : "beside it",
			cached ? cached : folder ? folder : "$HOME/.cache/nsq");
	if (stranger)
		notes_remark(e->say, "'%s' is not an export of '%s', or half of one, so it is left alone; the export "
			     "is '%s'", stranger, e->report, e->to);
	return true;
}

const char *report_export(const char *path, const report_how *how, report_progress *progress, int *ended_by, arena *a,
			  notes *say)
{
	report_ctx e = { .report = path, .nsys = report_find_nsys(how->nsys), .progress = progress, .say = say,
		.anew = how->anew, .stacks = how->stacks };
	struct stat st;
	bool ok;

	e.torch = report_is_torch(path);
	ok = report_is_plain_file(path, &st, say) && report_choose_path(&e, how, a) &&
		report_export_into_place(&e, &st);
	*ended_by = e.ended_by;
	arena_free(&e.texts);
	return ok ? e.to : NULL;
}
