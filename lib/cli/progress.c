#include "cli/progress.h"
#include "cli/errors.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, REDRAW_MS = 200 };

static bool shown;
static long long next;          /* when to show it again */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

void progress_begin(void)
{
	next = now_ms() + PATIENCE_MS;
}

void progress_show(const char *doing, size_t done, size_t of)
{
	long long now = now_ms();

	if (now < next || errors_quiet() || !isatty(STDERR_FILENO))
		return;
	next = now + REDRAW_MS;
	fprintf(stderr, "\r%s: %s, %d %%\033[K", errors_tool(), doing, done < of ? (int)(100 * done / of) : 99);
	shown = true;
}

void progress_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
