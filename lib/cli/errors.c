#include "cli/errors.h"
#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *err_tool = "nsq";
int err_quiet;
int err_status;

static void line(const char *fmt, va_list ap)
{
	char text[4096], *p = text;
	const char *reason = strerror(errno);
	int n = vsnprintf(text, sizeof text, fmt, ap);

	fflush(stdout);
	fprintf(stderr, "%s: ", err_tool);
	for (size_t k; *p; p += k ? k : 1) {
		k = visible_length(p);
		if (k)
			fwrite(p, 1, k, stderr);
		else
			fprintf(stderr, "\\x%02x", (unsigned char)*p);
	}
	if (n > 0 && (size_t)n < sizeof text && text[n - 1] == ':')
		fprintf(stderr, " %s", reason);
	else if (n > 0 && (size_t)n >= sizeof text)
		fputs("...", stderr);
	putc('\n', stderr);
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
	if (code > err_status)
		err_status = code;
}

void note(const char *fmt, ...)
{
	va_list ap;

	if (err_quiet)
		return;
	va_start(ap, fmt);
	line(fmt, ap);
	va_end(ap);
}
