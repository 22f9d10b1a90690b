#include "map/mapping.h"

#include <string.h>

/* The text that replaces {}: the first parameter of the shell, "$1", which is the path of the trace.  The shell expands
 * the parameter after it has parsed the command, so it never parses the path.  The text is one word outside of quotes
 * and inside "...", "$(...)" and here-documents.  Inside '...', pipeline_choose_text ends the quotation before it. */
#define TRACE_WORD "${1+\"$1\"}"

/* This is a syntax error wherever a shell with the option -n parses expansions, and none elsewhere, as in a comment. */
#define PROBE "$(;)"

/* Can the shell parse the text made of these three parts?  The text is not run (-n). */
static bool pipeline_shell_reads(pipeline *p, const char *before, const char *middle, const char *after)
{
	return CHILD_OUTPUT_IF_OK(&p->texts, p->shell, "-n", "-c",
				  arena_printf(&p->texts, "%s%s%s", before, middle, after));
}

/* The text that replaces a {} between `before` and `after`.  If PROBE is an error in this place, the shell expands
 * parameters here.  If PROBE is an error only with a ' on each side, {} stands within '...': the first ' ends this
 * quotation, the parameter follows, and the second ' begins a new quotation.  NULL: PROBE is no error in either case,
 * as in a comment. */
static const char *pipeline_choose_text(pipeline *p, const char *before, const char *after)
{
	if (!pipeline_shell_reads(p, before, PROBE, after))
		return TRACE_WORD;
	return pipeline_shell_reads(p, before, "'" PROBE "'", after) ? NULL : "'" TRACE_WORD "'";
}

/* Is the {} at `at` escaped?  In \{} it is; in \\{} it is not, because the backslash is itself escaped. */
static bool pipeline_is_escaped(const char *text, const char *at)
{
	size_t n = 0;

	while (at - n > text && at[-1 - (ptrdiff_t)n] == '\\')
		n++;
	return n % 2;
}

/* The pipeline with the parameter of the shell in place of each {}, except \{}; NULL after a problem. */
static const char *pipeline_fill(pipeline *p, const char *given, notes *say)
{
	const char *done = "", *rest = given;
	bool found = false;

	for (const char *at; (at = strstr(rest, "{}")); rest = at + 2) {
		const char *replacement = "{}";
		done = arena_printf(&p->texts, "%s%.*s", done, (int)(at - rest), rest);
		if (!pipeline_is_escaped(given, at)) {
			replacement = pipeline_choose_text(p, done, at + 2);
			found = true;
		}
		if (!replacement) {
			notes_problem(say, EXIT_WRONG, "'{}' stands in a comment, backquotes or a here-document; write "
				      "$1 there, which is the trace, and $(...) instead of backquotes");
			return NULL;
		}
		done = arena_printf(&p->texts, "%s%s", done, replacement);
	}
	if (!found)
		notes_problem(say, EXIT_WRONG, "the pipeline has no '{}', which stands for the trace, as in "
			      "'nsq-window {} | nsq-overlap'");
	return found ? arena_printf(&p->texts, "%s%s", done, rest) : NULL;
}

/* The shell's message about a pipeline that it cannot parse, without its first two prefixes, such as "bash: -c: ".
 * NULL: the shell can parse the pipeline, or says nothing. */
static const char *pipeline_find_error(pipeline *p, const char *given)
{
	int code = 0;
	const char *said = child_read_output(&p->texts, (const char *const[]){ p->shell, "-n", "-c", given, NULL }, 20,
					     &code);

	for (int i = 0; said && i < 2 && strstr(said, ": "); i++)
		said = strstr(said, ": ") + 2;
	return code && said ? arena_text(&p->texts, said, strcspn(said, "\n")) : NULL;
}

/* Ends the shell with the largest exit code of the commands of its last pipeline.  141 (SIGPIPE) counts only for the
 * last command, because head, for example, closes its input when it has read enough, which kills the command before it.
 * $? is needed, too, because PIPESTATUS does not hold the exit code of an `if` of which no branch ran. */
#define LARGEST_CODE "\n\ncodes=(\"$?\" \"${PIPESTATUS[@]}\"); largest=${codes[0]}; for code in \"${codes[@]}\"; do " \
	"[ \"$code\" = 141 ] || [ \"$code\" -le \"$largest\" ] || largest=$code; done; exit \"$largest\""

bool pipeline_read(pipeline *p, const char *given, notes *say)
{
	bool bash = child_program_exists("bash");
	const char *wrong, *filled;

	p->shell = bash ? "bash" : "sh";
	wrong = pipeline_find_error(p, given);
	if (wrong)
		return notes_problem(say, EXIT_WRONG, "%s cannot read the pipeline: %s", p->shell, wrong);
	filled = pipeline_fill(p, given, say);
	if (filled)
		p->text = arena_printf(&p->texts, "%s%s", filled, bash ? LARGEST_CODE : "");
	return filled;
}

int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid)
{
	const char *words[] = { p->shell, "-c", p->text, "nsq-map", path, NULL };

	return child_start(pid, (char *const *)words, io);
}
