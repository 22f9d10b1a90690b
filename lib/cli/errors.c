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
static bool warnings_only, verbose, ended;              /* ended: no held notes are printed any more */
static int status;
static notes held;              /* notes to print before the rows or at the end; printed ones stay, so that others of
				 * their kind are counted */
static size_t printed;          /* the number of notes that were printed, without problems */
static size_t dropped[NOTE_DETAIL + 1];         /* an element for each level: the number of notes of the level that
						 * were left out so far; a sentence of the answer counts as a remark */

/* ---- when a signal ends the program, unfinished files are removed and the terminal is restored */

static ending_file *volatile unfinished;                /* the newest one; the others follow by `before`; NULL: none */
static const ending_terminal *volatile drawn_on;        /* the terminal in full-screen mode; NULL: none */

/* Signals that ask the program to end, and signals of a crash. */
static const int fatal[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGFPE, SIGILL };
enum { FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction usual[FATAL];   /* an element for each signal of `fatal`: what it did before */

/* Leave the full-screen mode of the terminal, before a message is printed.  If the program runs in the background, it
 * has left that mode already. */
static void errors_restore_terminal(void)
{
	const ending_terminal *t = drawn_on;

	drawn_on = NULL;
	if (!t || tcgetpgrp(t->fd) != getpgrp())
		return;
	if (write(t->fd, t->leave, strlen(t->leave)) >= 0)      /* a failed write is no loss: the terminal is gone */
		tcsetattr(t->fd, TCSANOW, &t->before);
}

/* Print a message from a signal handler, where stdio is not safe. */
static void errors_say_in_handler(const char *text)
{
	progress_wipe_in_handler();
	if (write(STDERR_FILENO, tool, strlen(tool)) < 0 || write(STDERR_FILENO, text, strlen(text)) < 0)
		return;         /* stderr is gone */
}

static void errors_remove_unfinished(void)
{
	for (const ending_file *f = unfinished; f; f = f->before)
		if (unlink(f->path) < 0)
			rmdir(f->path);
}

/* Clean up, then raise the signal again with its usual effect. */
static void errors_clean_up(int sig)
{
	errors_restore_terminal();
	errors_remove_unfinished();
	if (unfinished)
		errors_say_in_handler(": ended by a signal; nothing is left of what it was writing\n");
	for (size_t i = 0; i < FATAL; i++)
		if (fatal[i] == sig)
			sigaction(sig, &usual[i], NULL);
	raise(sig);
}

/* Handle signals while there is something to clean up.  was_needed: was there something to clean up before the caller's
 * change? */
static void errors_watch_signals(bool was_needed)
{
	static char stack[1 << 16];             /* for a crash caused by a full stack */
	struct sigaction ours = { .sa_handler = errors_clean_up, .sa_flags = SA_ONSTACK };
	bool is_needed = unfinished || drawn_on;

	if (is_needed && !was_needed)
		sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof stack }, NULL);
	for (size_t i = 0; is_needed && !was_needed && i < FATAL; i++)
		if (sigaction(fatal[i], NULL, &usual[i]) == 0 && usual[i].sa_handler != SIG_IGN)
			sigaction(fatal[i], &ours, NULL);
	for (size_t i = 0; !is_needed && was_needed && i < FATAL; i++)
		sigaction(fatal[i], &usual[i], NULL);
}

void ending_push(ending_file *f)
{
	bool was_needed = unfinished || drawn_on;

	f->before = unfinished;
	unfinished = f;
	errors_watch_signals(was_needed);
}

void ending_pop(ending_file *f)
{
	unfinished = f->before;
	errors_watch_signals(true);
}

void ending_set_terminal(const ending_terminal *t)
{
	bool was_needed = unfinished || drawn_on;

	drawn_on = t;
	errors_watch_signals(was_needed);
}

/* ---- signals that mean an error */

/* A page of a mapped trace could not be read, because the disk failed or the file was truncated. */
static void errors_give_up_unreadable(int signal UNNEEDED)
{
	errors_restore_terminal();
	errors_remove_unfinished();
	errors_say_in_handler(": the trace changed or its disk failed while being read; run the command again\n");
	_exit(EXIT_FAILED);
}

/* Ignore SIGXFSZ: the write that exceeds the limit fails, and its caller reports that. */
static void errors_ignore_too_large(int signal UNNEEDED)
{
}

static void errors_end(void);

void errors_begin(const char *name)
{
	tool = name;
	signal(SIGBUS, errors_give_up_unreadable);
	signal(SIGXFSZ, errors_ignore_too_large);
	atexit(errors_end);
	atexit(errors_remove_unfinished);
	atexit(errors_restore_terminal);
}

const char *errors_tool(void)
{
	return tool;
}

void errors_set_quiet(void)
{
	warnings_only = true;
}

bool errors_is_quiet(void)
{
	return warnings_only;
}

void errors_be_verbose(void)
{
	verbose = true;
}

int errors_status(void)
{
	return status;
}

/* Print a line on stderr.  Text that is already printable is not copied, so that this works without memory too. */
static void errors_print_text(const char *text)
{
	char *safe = NULL;
	screen_lines lines = { 0, 4, strlen(tool) + 2, NULL };
	const char *p = text;

	while (printable_length(p))
		p += printable_length(p);
	if (*p)
		text = safe = printable_copy(text);
	errors_restore_terminal();
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

static void errors_print_line(const char *fmt, va_list ap)
{
	char text[4096];
	int reason = errno, n = vsnprintf(text, sizeof text, fmt, ap);
	size_t left;

	if (n > 0 && (size_t)n >= sizeof text)
		strcpy(text + sizeof text - 4, "...");
	left = sizeof text - strlen(text);
	if (n > 0 && (size_t)n < sizeof text && text[n - 1] == ':')
		snprintf(text + n, left, " %s", strerror(reason));
	errors_print_text(text);
}

void die(int code, const char *fmt, ...)
{
	static atomic_flag dying = ATOMIC_FLAG_INIT;
	static _Thread_local bool first;
	va_list ap;

	/* if several threads fail at the same time, the first prints its message and the others wait for its exit */
	first |= !atomic_flag_test_and_set(&dying);
	while (!first)
		pause();
	va_start(ap, fmt);
	errors_print_line(fmt, ap);
	va_end(ap);
	ended = true;
	exit(code);
}

void complain(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	errors_print_line(fmt, ap);
	va_end(ap);
	status = code > status ? code : status;
}

/* ---- notes */

enum { LINES = 3 };             /* at most this many sentences of the answer are printed; remarks are printed only up to
				 * this many notes in all */
enum { ALIKE = 3 };             /* at most this many notes of one level and kind are held, except sentences of the
				 * answer */
enum { WIDTH = 100 };           /* a longer sentence of the answer is cut; in bytes, not counting paths */

static void errors_print_note(const note *n, const char *suffix)
{
	arena texts = { 0 };

	errors_print_text(arena_printf(&texts, "%s%s%s", n->level == NOTE_WARNING ? "warning: " : "", n->text, suffix));
	arena_free(&texts);
	printed++;
}

/* How many bytes of a sentence go on its first line.  A sentence of more than WIDTH bytes is cut at the last semicolon
 * within WIDTH or, if there is none, at the first semicolon.  A quoted path counts as one byte. */
static size_t errors_measure_first_line(const char *text)
{
	size_t width = 0, end = 0;

	for (size_t i = 0; text[i]; i++, width++) {
		const char *quote = text[i] == '\'' ? strchr(text + i + 1, '\'') : NULL;
		size_t length = quote ? (size_t)(quote - text) - i : 0;
		if (quote && (memchr(text + i, '.', length) || memchr(text + i, '/', length)))
			i = (size_t)(quote - text);
		if (text[i] == ';' && text[i + 1] == ' ' && (!end || width <= WIDTH))
			end = i;
	}
	return width <= WIDTH || !end ? strlen(text) : end;
}

/* Hold a sentence of the answer; the rest of a long one is held as a remark. */
static void errors_hold_answer(const note *n)
{
	arena texts = { 0 };
	size_t length = errors_measure_first_line(n->text);

	notes_copy(&held, &(note){ n->code, NOTE_ANSWER, n->kind, arena_text(&texts, n->text, length) });
	if (n->text[length])
		notes_copy(&held, &(note){ n->code, NOTE_REMARK, n->text + length, n->text + length + strlen("; ") });
	arena_free(&texts);
}

/* How many of the first `first` held notes have the level and kind of n. */
static size_t errors_count_alike(const note *n, size_t first)
{
	size_t alike = 0;

	for (size_t i = 0; i < first; i++)
		alike += held.v[i].level == n->level && strcmp(held.v[i].kind, n->kind) == 0;
	return alike;
}

static void errors_take_note(const note *n, bool now)
{
	status = n->code > status ? n->code : status;
	if (n->level == NOTE_PROBLEM)
		errors_print_text(n->text);
	else if (warnings_only && n->level != NOTE_WARNING)
		return;
	else if (verbose || (now && n->level != NOTE_DETAIL))
		errors_print_note(n, "");
	else if (n->level == NOTE_ANSWER)
		errors_hold_answer(n);
	else if (errors_count_alike(n, held.n) >= ALIKE)
		dropped[n->level]++;
	else
		notes_copy(&held, n);
}

void errors_take(notes *n)
{
	for (size_t i = 0; i < n->n; i++)
		errors_take_note(&n->v[i], false);
	notes_free(n);
}

void errors_take_and_print(notes *n)
{
	for (size_t i = 0; i < n->n; i++)
		errors_take_note(&n->v[i], true);
	notes_free(n);
}

void errors_remark(bool now, const char *fmt, ...)
{
	arena texts = { 0 };
	va_list ap;

	va_start(ap, fmt);
	errors_take_note(&(note){ EXIT_ANSWERED, NOTE_REMARK, fmt, arena_vprintf(&texts, fmt, ap) }, now);
	va_end(ap);
	arena_free(&texts);
}

static size_t flushed;          /* the number of held notes that were already flushed */

/* Print the sentences of the answer that are held.  If there are more than three, print the first two and the last,
 * which may sum up the others.  Printed notes stay in the list, so that others of their kind are still counted. */
static void errors_print_answers(void)
{
	static size_t answers;
	size_t left = 0;

	for (size_t i = flushed; i < held.n; i++)
		left += held.v[i].level == NOTE_ANSWER;
	for (size_t i = flushed; i < held.n; i++) {
		if (held.v[i].level != NOTE_ANSWER)
			continue;
		left--;
		if (answers + 1 < LINES || (!left && answers < LINES)) {
			errors_print_note(&held.v[i], "");
			answers++;
		} else {
			dropped[NOTE_REMARK]++;
		}
	}
}

void errors_flush(void)
{
	errors_print_answers();
	for (size_t i = flushed; i < held.n; i++)
		if (held.v[i].level == NOTE_WARNING)
			errors_print_note(&held.v[i], "");
	flushed = held.n;
}

/* Print what is still held: the sentences of the answer and the warnings, then the first remark of each kind until
 * LINES notes are printed.  After a failure or a wrong command line, print only the sentences of the answer, because
 * warnings about rows have been printed before the rows. */
static void errors_end(void)
{
	size_t more, n = 0;
	const note *shown[LINES];
	arena texts = { 0 };

	if (ended)
		return;
	ended = true;
	if (status == EXIT_FAILED || status == EXIT_WRONG) {
		errors_print_answers();
		return;
	}
	errors_flush();
	more = dropped[NOTE_REMARK] + dropped[NOTE_DETAIL] + dropped[NOTE_WARNING];
	for (size_t i = 0; i < held.n; i++)
		if (held.v[i].level == NOTE_REMARK && n + printed < LINES && !errors_count_alike(&held.v[i], i))
			shown[n++] = &held.v[i];
		else
			more += held.v[i].level > NOTE_WARNING;
	for (size_t i = 0; i < n; i++)
		errors_print_note(shown[i], i + 1 < n || !more ? "" :
				  arena_printf(&texts, "; -v prints %zu more note%s", more, more == 1 ? "" : "s"));
	if (!n && dropped[NOTE_WARNING])
		errors_print_text(
			arena_printf(&texts, "warning: %zu more like these; -v prints them", dropped[NOTE_WARNING]));
	arena_free(&texts);
	notes_free(&held);
}

void errors_exit_unless(bool ok, notes *n)
{
	errors_take(n);
	if (!ok)
		exit(errors_status());
}

_Noreturn void mem_exhausted(size_t n, size_t size)
{
	if (n == 1 && size == 1)        /* the failure was in another library, which does not say how much memory it
					 * wanted */
		die(EXIT_FAILED, "out of memory; use a machine with more memory or a smaller trace");
	die(EXIT_FAILED, "out of memory for %zu items of %zu bytes; use a machine with more memory or a smaller trace",
	    n, size);
}
