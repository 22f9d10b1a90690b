#include "cli/errors.h"
#include "base/ending_signals.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/screen.h"
#include "cli/progress.h"
#include "cli/terminal.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static const char *tool = "nsq";
static bool quiet;
static int status;

/* ---- files that are not finished, and a terminal that is drawn on, when a signal ends the program */

static ending_file *volatile unfinished;
static const ending_terminal *volatile drawn_on;

/* Those that ask it to end, and those of a crash. */
static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGFPE, SIGILL };
enum { FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction usual[FATAL];

/* The screen is left before anything is said.  A program in the background has left it already. */
static void restore_terminal(void)
{
	const ending_terminal *t = drawn_on;

	drawn_on = NULL;
	if (!t || tcgetpgrp(t->fd) != getpgrp())
		return;
	if (write(t->fd, t->leave, strlen(t->leave)) >= 0)      /* if it is gone, so is what was on it */
		tcsetattr(t->fd, TCSANOW, &t->before);
}

/* For signal handlers, so without stdio. */
static void say_plainly(const char *text)
{
	progress_wipe_plainly();
	if (write(STDERR_FILENO, tool, strlen(tool)) < 0 || write(STDERR_FILENO, text, strlen(text)) < 0)
		return;         /* nobody can be told */
}

static void remove_unfinished(void)
{
	for (const ending_file *f = unfinished; f; f = f->before)
		if (unlink(f->path) < 0)
			rmdir(f->path);
}

/* Then the signal does what it would have done. */
static void clean_up(int sig)
{
	restore_terminal();
	remove_unfinished();
	if (unfinished)
		say_plainly(": ended by a signal; nothing is left of what it was writing\n");
	for (size_t i = 0; i < FATAL; i++)
		if (fatal[i] == sig)
			sigaction(sig, &usual[i], NULL);
	raise(sig);
}

/* Signals clean up from the first thing on that has to be, until there is none. */
static void watch(bool before)
{
	static char stack[1 << 16];             /* for a crash because the usual one is full */
	struct sigaction ours = { .sa_handler = clean_up, .sa_flags = SA_ONSTACK };
	bool now = unfinished || drawn_on;

	if (now && !before)
		sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
	for (size_t i = 0; now && !before && i < FATAL; i++)
		if (sigaction(fatal[i], NULL, &usual[i]) == 0 && usual[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &ours, NULL);
	for (size_t i = 0; !now && before && i < FATAL; i++)
		sigaction(fatal[i], &usual[i], NULL);
}

void ending_push(ending_file *f)
{
	bool before = unfinished || drawn_on;

	f->before = unfinished;
	unfinished = f;
	watch(before);
}

void ending_pop(ending_file *f)
{
	unfinished = f->before;
	watch(true);
}

void ending_restores(const ending_terminal *t)
{
	bool before = unfinished || drawn_on;

	drawn_on = t;
	watch(before);
}

/* ---- signals that mean an error */

/* A page of a mapped trace could not be read, because the disk failed or the file was truncated. */
static void unreadable(int signal UNNEEDED)
{
	restore_terminal();
	remove_unfinished();
	say_plainly(": the trace changed or its disk failed while being read; run the command again\n");
	_exit(EXIT_FAILED);
}

/* The write that went over the limit fails, which is noticed there. */
static void too_large(int signal UNNEEDED)
{
}

void errors_begin(const char *name)
{
	tool = name;
	signal(SIGBUS, unreadable);
	signal(SIGXFSZ, too_large);
	atexit(remove_unfinished);
	atexit(restore_terminal);
}

const char *errors_tool(void)
{
	return tool;
}

void errors_be_quiet(void)
{
	quiet = true;
}

bool errors_quiet(void)
{
	return quiet;
}

int errors_status(void)
{
	return status;
}

/* A name from a trace is made printable; our own words are, so that running out of memory can be said without any. */
static void show(const char *text)
{
	char *safe = NULL;
	screen_lines lines = { 0, 4, strlen(tool) + 2, NULL };
	const char *p = text;

	while (printable_length(p))
		p += printable_length(p);
	if (*p)
		text = safe = printable_copy(text);
	restore_terminal();
	progress_wipe();
	fflush(stdout);
	fprintf(stderr, "%s: ", tool);
	if (isatty(STDERR_FILENO)) {
		lines.width = terminal_columns(STDERR_FILENO);
		screen_wrap(stderr, text, lines);
	} else {
		fputs(text, stderr);
	}
	putc('\n', stderr);
	free(safe);
}

static void line(const char *fmt, va_list ap)
{
	char text[4096];
	int reason = errno, n = vsnprintf(text, sizeof text, fmt, ap);
	size_t left;

	if (n > 0 && (size_t)n >= sizeof text)
		strcpy(text + sizeof text - 4, "...");
	left = sizeof text - strlen(text);
	if (n > 0 && (size_t)n < sizeof text && text[n - 1] == ':')
		snprintf(text + n, left, " %s", strerror(reason));
	show(text);
}

void die(int code, const char *fmt, ...)
{
	static atomic_flag dying = ATOMIC_FLAG_INIT;
	static _Thread_local bool first;
	va_list ap;

	/* several threads may find the same fault; the first says so, and the others wait for its exit */
	first |= !atomic_flag_test_and_set(&dying);
	while (!first)
		pause();
	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	exit(code);
}

void complain(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
	status = code > status ? code : status;
}

void errors_show(notes *n)
{
	for (size_t i = 0; i < n->n; i++) {
		if (n->v[i].code || !quiet)
			show(n->v[i].text);
		status = n->v[i].code > status ? n->v[i].code : status;
	}
	notes_free(n);
}

void errors_unless(bool ok, notes *n)
{
	errors_show(n);
	if (!ok)
		exit(errors_status());
}

_Noreturn void mem_exhausted(size_t n, size_t size)
{
	if (n == 1 && size == 1)        /* within a library, which does not say how much */
		die(EXIT_FAILED, "out of memory; use a machine with more memory or a smaller trace");
	die(EXIT_FAILED, "out of memory for %zu items of %zu bytes; use a machine with more memory or a smaller trace",
	    n, size);
}
