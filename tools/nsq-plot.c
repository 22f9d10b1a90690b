/* nsq-plot - a picture of a table.  The columns decide what is drawn, unless options say it. */
#include "cli/drawing.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "picture/plot.h"

#include <unistd.h>

typedef struct {
	unsigned mode;          /* always 1, because the tool has one mode */
	plot_params plot;
	drawing out;
} plot_command;

static const char *const kinds[] = { "auto", "bars", "stack", "timeline", "line", "hist", NULL };
static const char *const formats[] = { "auto", "svg", "html", "text", "png", NULL };

#define AT(member) offsetof(plot_command, member)

static const opt options[] = {
	{ "kind", 'k', "KIND", "bars stack timeline line hist (default: what suits)", OPT_CHOICE, .to = AT(plot.kind),
	  .words = kinds },
	{ "x", 'x', "COL", "column along the axis, or of the names of bars", OPT_TEXT, .to = AT(plot.x) },
	{ "y", 'y', "COL,...", "column to draw, or several that add up to a bar", OPT_TEXT, .to = AT(plot.y) },
	{ "color", 'c', "COL", "column of the categories", OPT_TEXT, .to = AT(plot.color) },
	{ "title", 0, "TEXT", "title (default: what is drawn)", OPT_TEXT, .to = AT(plot.title) },
	{ "rows", 'n', "N", "draw only the first N rows of each table", OPT_COUNT, .to = AT(plot.limit) },
	{ "output", 'o', "FILE", "file to write: .svg .html .png .txt", OPT_WRITES, .to = AT(out.file) },
	{ "force", 0, NULL, "replace the file if it is there", OPT_FLAG, .to = AT(out.force) },
	{ "format", 'f', "FORMAT", "svg html text png (default: by the file's name)", OPT_CHOICE, .to = AT(out.format),
	  .words = formats },
	{ 0 }
};

static void nsq_plot_prepare(void *p)
{
	drawing_choose_format(&((plot_command *)p)->out);
}

/* Is the file one of the tables to draw?  If so, this is a problem: a picture must not replace its own table. */
static bool nsq_plot_is_input(const inputs *in, const char *file, notes *say)
{
	bool found = false;

	for (size_t i = 0; file && i < in->ntables; i++)
		found |= read_table_is_from(&in->tables[i].table, file);
	return found && !notes_problem(say, EXIT_WRONG, "'%s' is a table that is drawn; name another file", file);
}

static bool nsq_plot_answer(const inputs *in, const void *given, table *out UNNEEDED, notes *say)
{
	const plot_command *p = given;
	drawing d = p->out;
	picture_metrics text = plot_text_metrics((int)terminal_columns(STDOUT_FILENO));
	plot shown = { 0 };
	picture pic = { 0 };
	bool ok = !nsq_plot_is_input(in, d.file, say) && plot_answer(in, &p->plot, &shown, say);

	if (ok)
		plot_layout(&shown, d.format == DRAWING_TEXT ? &text : &plot_svg_metrics, &pic, say);
	ok = ok && drawing_begin(&d, say);
	if (ok && d.format == DRAWING_TEXT)
		plot_text(&pic, d.color, d.to);
	else if (ok && d.format == DRAWING_HTML)
		plot_html(&shown, &pic, in, d.to, say);
	else if (ok)
		plot_svg(&pic, d.to);
	ok = ok && drawing_end(&d, say);
	picture_free(&pic);
	plot_free(&shown);
	return ok;
}

const opt_tool nsq_plot = {
	.name = "nsq-plot",
	.question = "How does a table look as a picture?",
	.prints = "Draws the rows of tables as bars, stacks, a timeline, lines or a histogram.",
	.examples = { "nsq-gaps --by cause run.sqlite | nsq-plot -o idle.svg",
		"nsq-overlap --each run.sqlite | nsq-plot --kind timeline -o overlap.html" },
	.options = options,
	OPT_PARAMS(plot_command, .mode = 1, .plot.one_clock = true),
	.prepare = nsq_plot_prepare,
	.over = nsq_plot_answer,
	.operands = "[[NAME=]TABLE...]",
	.output = "bars                     a bar for each name; panels for the tables, traces, processes and GPUs\n"
		"  stack                    a bar for each window or trace, its parts by category or column\n"
		"  timeline                 rows with start_ns and end_ns, in lanes by stream or thread\n"
		"  line                     a number along another, or along time\n"
		"  hist                     how many rows have which value",
	.draws = true,
};
