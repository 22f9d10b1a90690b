#include "cli/progress.h"
#include "base/ending_signals.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/printable.h"
#include "base/screen.h"
#include "cli/errors.h"
#include "cli/terminal.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 1000, REDRAW_MS = 250 };

#define WIPE "\r\033[K"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool begun;              /* is there a thread that shows the line? */
static bool paused, over;       /* paused: is the line hidden for now?  over: is it hidden for good? */
static volatile bool shown;     /* is the line on the screen? */
static char what[400] = "reading";      /* what is being done */
static size_t part, whole;              /* `part` of `whole` is done; 0 of 0: it is not known how much */
static double span_from, span_to;       /* 0 and 0: no span is set */

/* The percentage, at most 99, because the run has not ended; -1: it is not known. */
static int progress_find_percentage(void)
{
	double done = whole ? (double)(part < whole ? part : whole) / (double)whole : 0;

	if (span_to <= 0)
		return whole ? (int)(part < whole ? 100 * done : 99) : -1;
	done = 100 * (span_from + (span_to - span_from) * done);
	return done > 99 ? 99 : (int)done;
}

/* Draw the line.  A long name of a file is shortened, so that the line fits the screen. */
static void progress_draw_line(int64_t elapsed_ns)
{
	size_t columns = terminal_columns(STDERR_FILENO), rest = strlen(errors_tool()) + sizeof ": , 99 %, 1000000 s";
	char *safe = printable_copy(what), *cut = screen_shorten(safe, columns > rest ? columns - rest : 1);

	fprintf(stderr, "\r%s: %s, ", errors_tool(), cut);
	if (progress_find_percentage() >= 0)
		fprintf(stderr, "%d %%, ", progress_find_percentage());
	fprintf(stderr, "%lld s\033[K", (long long)(elapsed_ns / 1000000000));
	shown = true;
	mem_free(safe, cut);
}

static void *progress_keep_showing(void *unused)
{
	int64_t began = par_clock_ns(), ms = PATIENCE_MS;
	sigset_t children;

	sigemptyset(&children);         /* SIGCHLD must go to the thread that waits for the child */
	sigaddset(&children, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &children, NULL);
	for (bool ended = false; !ended; ms = REDRAW_MS) {
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
		pthread_mutex_lock(&lock);
		ended = over;
		if (!ended && !paused)
			progress_draw_line(par_clock_ns() - began);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

void progress_begin(void)
{
	pthread_t thread;
	sigset_t before;
	bool started;

	if (begun || errors_is_quiet() || !isatty(STDERR_FILENO))
		return;
	before = ending_block_signals();
	started = pthread_create(&thread, NULL, progress_keep_showing, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!started)
		return;
	begun = true;
	pthread_detach(thread);
	atexit(progress_end);
}

void progress_show(const char *doing, size_t done, size_t total)
{
	pthread_mutex_lock(&lock);
	snprintf(what, sizeof what, "%s", doing);
	part = total == whole && done < part ? part : done;
	whole = total;
	pthread_mutex_unlock(&lock);
}

void progress_span(double from, double to)
{
	pthread_mutex_lock(&lock);
	span_from = from;
	span_to = to;
	part = whole = 0;
	pthread_mutex_unlock(&lock);
}

static void progress_wipe_line(bool pause, bool end)
{
	pthread_mutex_lock(&lock);
	if (shown)
		fputs(WIPE, stderr);
	shown = false;
	paused = pause;
	over |= end;
	pthread_mutex_unlock(&lock);
}

void progress_wipe(void)
{
	progress_wipe_line(paused, false);
}

void progress_pause(bool on)
{
	progress_wipe_line(on, false);
}

void progress_end(void)
{
	progress_wipe_line(false, true);
}

void progress_wipe_in_handler(void)
{
	if (shown && write(STDERR_FILENO, WIPE, strlen(WIPE)) < 0)
		return;         /* stderr is gone */
}
