#include "cli/drawing.h"
#include "base/child.h"
#include "cli/errors.h"
#include "cli/terminal.h"
#include "cli/values.h"

#include <errno.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

static enum drawing_format drawing_find_format(const char *file)
{
	static const struct { const char *ending; enum drawing_format format; } known[] = {
		{ ".svg", DRAWING_SVG }, { ".html", DRAWING_HTML }, { ".htm", DRAWING_HTML }, { ".txt", DRAWING_TEXT },
		{ ".png", DRAWING_PNG } };
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
		if (strcasecmp(dot, known[i].ending) == 0)
			return known[i].format;
	return DRAWING_AUTO;
}

void drawing_choose_format(drawing *d)
{
	static const char *const endings[] = { [DRAWING_SVG] = ".svg", [DRAWING_HTML] = ".html",
		[DRAWING_TEXT] = ".txt", [DRAWING_PNG] = ".png" };
	enum drawing_format named = d->file ? drawing_find_format(d->file) : DRAWING_AUTO;

	if (d->force && !d->file)
		die(EXIT_WRONG, "'--force' has no effect without '-o'; drop it");
	if (d->file && !d->format && !named)
		die(EXIT_WRONG, "the name '%s' does not say what to write; end it in .svg, .html, .png or "
		    ".txt, or add -f", d->file);
	if (d->file && d->format && !named)
		values_refuse_other_ending(d->file, endings[d->format]);
	if (d->format && named && d->format != named)
		die(EXIT_WRONG, "'-f' asks for another format than the name '%s' says; drop it or name another file",
		    d->file);
	if (d->format == DRAWING_PNG && !d->file && isatty(STDOUT_FILENO))
		die(EXIT_WRONG, "a PNG is not for a terminal; name a file with -o");
	if (!d->format)
		d->format = named ? named : isatty(STDOUT_FILENO) ? DRAWING_TEXT : DRAWING_SVG;
	d->color = !d->file && terminal_colors(STDOUT_FILENO);
}

bool drawing_begin(drawing *d, notes *say)
{
	d->to = d->color && d->format == DRAWING_TEXT ? terminal_behind() : stdout;
	if (d->file && !whole_begin(&d->whole, d->file, d->force, say))
		return false;
	if (d->file)
		d->to = d->whole.to;
	d->png = d->to;
	if (d->format == DRAWING_PNG)
		d->to = tmpfile();
	return d->to || notes_problem(say, EXIT_FAILED, "cannot write a temporary file:");
}

/* Run rsvg-convert.  Returns 0; an errno value if it cannot be started; -1 if it fails. */
static int drawing_convert_to_png(FILE *svg, FILE *png, FILE *errors)
{
	static const char *const argv[] = { "rsvg-convert", "--format=png", "--zoom=2", NULL };
	child_io io = { .in = fileno(svg), .out = fileno(png), .err = fileno(errors) };
	int rc, status = 0;
	pid_t pid;

	pthread_sigmask(SIG_SETMASK, NULL, &io.mask);
	rc = child_start(&pid, (char *const *)argv, &io);
	while (rc == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return rc ? rc : status ? -1 : 0;
}

static bool drawing_make_png(drawing *d, notes *say)
{
	FILE *png = tmpfile(), *errors = tmpfile();
	char why[200] = "", block[4096];
	int rc = png && errors && fflush(d->to) == 0 && lseek(fileno(d->to), 0, SEEK_SET) == 0 ?
		drawing_convert_to_png(d->to, png, errors) : errno;

	if (png)
		rewind(png);
	for (size_t n; rc == 0 && (n = fread(block, 1, sizeof block, png)) > 0;)
		fwrite(block, 1, n, d->png);
	if (rc < 0) {
		rewind(errors);
		if (!fgets(why, sizeof why, errors))
			*why = 0;
		why[strcspn(why, "\n")] = 0;
		notes_problem(say, EXIT_FAILED, "rsvg-convert could not make a PNG of the picture%s%s; write a .svg",
			      *why ? ": " : "", why);
	} else if (rc == ENOENT) {
		notes_problem(say, EXIT_FAILED, "a PNG is made by 'rsvg-convert', which is not installed; install the "
			      "package librsvg2-bin, or write a .svg");
	} else if (rc) {
		errno = rc;
		notes_problem(say, EXIT_FAILED, "cannot run 'rsvg-convert':");
	}
	if (errors)
		fclose(errors);
	if (png)
		fclose(png);
	fclose(d->to);
	d->to = d->png;
	return rc == 0;
}

bool drawing_end(drawing *d, notes *say)
{
	if (d->format == DRAWING_PNG && !drawing_make_png(d, say)) {
		if (d->file)
			whole_drop(&d->whole);
		return false;
	}
	if (d->file)
		return whole_end(&d->whole);
	if (fflush(d->to) == 0 && !ferror(d->to))
		return true;
	return notes_problem(say, EXIT_FAILED, "cannot write the picture:");
}
