#include "cli/drawing.h"
#include "cli/errors.h"
#include "cli/terminal.h"
#include "cli/values.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

static enum drawing_format by_name(const char *file)
{
	const char *dot = strrchr(file, '.');

	if (dot && strcasecmp(dot, ".svg") == 0)
		return DRAWING_SVG;
	if (dot && (strcasecmp(dot, ".html") == 0 || strcasecmp(dot, ".htm") == 0))
		return DRAWING_HTML;
	return dot && strcasecmp(dot, ".txt") == 0 ? DRAWING_TEXT : DRAWING_AUTO;
}

void drawing_choose(drawing *d)
{
	static const char *const endings[] = { [DRAWING_SVG] = ".svg", [DRAWING_HTML] = ".html",
		[DRAWING_TEXT] = ".txt" };
	enum drawing_format named = d->file ? by_name(d->file) : DRAWING_AUTO;

	if (d->force && !d->file)
		die(EXIT_WRONG, "'--force' has no effect without '-o'; drop it");
	if (d->file && !d->format && !named)
		die(EXIT_WRONG, "the name '%s' does not say what to write; end it in .svg, .html or .txt, or "
		    "add -f", d->file);
	if (d->file && d->format && !named)
		values_ending(d->file, endings[d->format]);
	if (d->format && named && d->format != named)
		die(EXIT_WRONG, "'-f' asks for another format than the name '%s' says; drop it or name another file",
		    d->file);
	if (!d->format)
		d->format = named ? named : isatty(STDOUT_FILENO) ? DRAWING_TEXT : DRAWING_SVG;
	d->color = !d->file && terminal_colors(STDOUT_FILENO);
}

int drawing_columns(void)
{
	return (int)terminal_columns(STDOUT_FILENO);
}

bool drawing_begin(drawing *d, notes *say)
{
	d->to = stdout;
	if (!d->file)
		return true;
	if (!whole_begin(&d->whole, d->file, d->force, say))
		return false;
	d->to = d->whole.to;
	return true;
}

bool drawing_end(drawing *d, notes *say)
{
	if (d->file)
		return whole_end(&d->whole);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return true;
	return notes_problem(say, EXIT_FAILED, "cannot write the picture:");
}
