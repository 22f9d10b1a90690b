#include "cli/errors.h"
#include "base/memory.h"
#include "base/printable.h"
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *tool = "nsq";
static bool quiet;
static int status;

/* A page of a mapped trace could not be read, because the disk failed or the file was truncated. */
static void unreadable(int signal)
{
	static const char text[] = ": the trace changed or its disk failed while being read; run the command again\n";

	(void)signal;
	if (write(STDERR_FILENO, tool, strlen(tool)) < 0 || write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

void errors_begin(const char *name)
{
	tool = name;
	signal(SIGBUS, unreadable);
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

static void show(const char *text)
{
	progress_wipe();
	fflush(stdout);
	fprintf(stderr, "%s: ", tool);
	for (size_t n; *text; text += n ? n : 1) {
		n = printable_length(text);
		if (n)
			fwrite(text, 1, n, stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned char)*text);
	}
	putc('\n', stderr);
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
	va_list ap;

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

void remark(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
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

_Noreturn void mem_exhausted(size_t n, size_t size)
{
	if (n == 1 && size == 1)        /* within a library, which does not say how much */
		die(EXIT_FAILED, "out of memory; use a machine with more memory or a smaller trace");
	die(EXIT_FAILED, "out of memory for %zu items of %zu bytes; use a machine with more memory or a smaller trace", n,
	    size);
}
