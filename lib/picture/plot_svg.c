#include "picture/plot_colors.h"
#include "picture/plot_parts.h"
#include "base/markup.h"
#include "base/printable.h"
#include "base/text.h"

#include <math.h>

enum { FONT = 12 };

/* Widths of the characters from space to ~, in thousandths of the font's size.  Each is the greatest of those in
 * Arial, Verdana and DejaVu Sans, because the reader's font is unknown and a text must fit in any of them.  In
 * Arial, about a sixth of the room stays free. */
static const unsigned short widths[] = {
	352, 401, 460, 838, 637, 1077, 780, 275, 455, 455, 636, 838, 364, 455, 364, 455, 637, 637, 637, 637, 637,
	637, 637, 637, 637, 637, 455, 455, 838, 838, 838, 557, 1016, 685, 687, 723, 771, 667, 611, 778, 752, 421,
	500, 693, 558, 863, 749, 788, 667, 788, 723, 684, 617, 732, 685, 989, 686, 667, 686, 455, 455, 455, 838,
	636, 636, 613, 635, 550, 635, 616, 353, 635, 634, 278, 345, 592, 278, 975, 634, 612, 635, 635, 427, 521,
	395, 634, 592, 819, 592, 592, 526, 637, 455, 637, 838,
};

/* The width of a text in pixels, with 2 % more because a browser may set glyphs on whole pixels.  A character that
 * is not in `widths` is taken to be as wide as the font's size. */
static double plot_svg_measure_text(const char *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];
		size_t len = printable_utf8(s + i);
		sum += c >= ' ' && c <= '~' ? widths[c - ' '] : 1000;
		i += len ? len : 1;
	}
	return sum * FONT / 1000 * 1.02;
}

const picture_metrics plot_svg_metrics = {
	.width = 960, .line = 16, .heading = 24, .larger = 1.6, .bar = 16, .lane = 16, .between = 6, .tall = 260,
	.low = 90, .pad = 8, .space = 12,
	.pixel = 1, .smallest = "pixel", .paler = "paler the less of it is covered", .inside = true,
	.narrow = 170, .stand = 3, .swatch = 12, .measure = plot_svg_measure_text,
};

static void plot_svg_write_attribute(FILE *to, const char *name, double x)
{
	char buf[40];
	size_t n = (size_t)snprintf(buf, sizeof buf, "%.2f", x);

	while (buf[n - 1] == '0')
		n--;
	n -= buf[n - 1] == '.';
	fprintf(to, " %s=\"%.*s\"", name, (int)n, buf);
}

static void plot_svg_write_element(FILE *to, const char *tag, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(to, "<%s>", tag);
	markup_label(to, text);
	fprintf(to, "</%s>", tag);
}

static void plot_svg_write_box(FILE *to, const picture_shape *s)
{
	bool hit = s->type == PICTURE_HOVER;

	fprintf(to, hit ? "<rect class=\"hit\" fill-opacity=\"0\"" :
		s->role == PICTURE_MARK ? "<rect class=\"mark\" fill=\"%s\"" : "<rect class=\"swatch\" fill=\"%s\"",
		plot_color_light(s->color));
	plot_svg_write_attribute(to, "x", s->x);
	plot_svg_write_attribute(to, "y", s->y);
	plot_svg_write_attribute(to, "width", s->w);
	plot_svg_write_attribute(to, "height", s->h);
	if (s->bare > 0)
		plot_svg_write_attribute(to, "fill-opacity", 1 - s->bare / 8);
	if (s->text) {
		fputs(">", to);
		plot_svg_write_element(to, "title", s->text);
		fputs("</rect>\n", to);
	} else {
		fputs("/>\n", to);
	}
}

static void plot_svg_write_text(FILE *to, const picture_shape *s, double line)
{
	static const char *const anchors[] = { "", " text-anchor=\"middle\"", " text-anchor=\"end\"" };

	fputs(s->role == PICTURE_TITLE ? "<text class=\"title\" font-size=\"16\" font-weight=\"bold\"" :
		s->role == PICTURE_QUIET ? "<text class=\"quiet\" fill=\"#59636e\"" :
		s->role != PICTURE_INSIDE ? "<text" : plot_color_is_light(s->color) ?
		"<text class=\"inside\" fill=\"#1c2128\"" : "<text class=\"inside\" fill=\"#ffffff\"", to);
	fputs(anchors[s->side], to);
	plot_svg_write_attribute(to, "x", s->x);
	plot_svg_write_attribute(to, "y", s->y + line * 0.74);
	fputs(">", to);
	markup_label(to, s->text);
	plot_svg_write_element(to, "title", s->whole);
	fputs("</text>\n", to);
}

static void plot_svg_write_rule(FILE *to, const picture_shape *s)
{
	bool axis = s->role == PICTURE_AXIS;

	fprintf(to, "<line class=\"%s\" stroke=\"%s\"", axis ? "axis" : "grid", axis ? "#59636e" : "#e3e7eb");
	plot_svg_write_attribute(to, "x1", s->x);
	plot_svg_write_attribute(to, "y1", s->y);
	plot_svg_write_attribute(to, "x2", s->x + s->w);
	plot_svg_write_attribute(to, "y2", s->y + s->h);
	fputs("/>\n", to);
}

static void plot_svg_write_path(FILE *to, const picture *p, const picture_shape *s)
{
	fprintf(to, "<polyline class=\"line\" fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" "
		"stroke=\"%s\" points=\"", plot_color_light(s->color));
	for (size_t i = 0; i < s->points; i++)
		fprintf(to, "%s%.1f,%.1f", i ? " " : "", p->points.v[s->point + i].x, p->points.v[s->point + i].y);
	fputs("\"/>\n", to);
	for (size_t i = 0; i < s->points && s->points < 60; i++)
		fprintf(to, "<circle class=\"dot\" r=\"2.5\" fill=\"%s\" cx=\"%.1f\" cy=\"%.1f\"/>\n",
			plot_color_light(s->color), p->points.v[s->point + i].x, p->points.v[s->point + i].y);
}

/* Write rules of CSS that replace the colors of the picture by their colors on a dark background. */
static void plot_svg_write_dark_colors(const picture *p, FILE *to)
{
	bool used[PLOT_COLORS] = { false };

	for (size_t i = 0; i < p->shapes.n; i++)
		if (p->shapes.v[i].type == PICTURE_BOX || p->shapes.v[i].type == PICTURE_PATH)
			used[p->shapes.v[i].color] = true;
	fputs("@media (prefers-color-scheme: dark) {\n", to);
	for (unsigned i = 0; i < plot_colors_count(); i++)
		if (used[i])
			fprintf(to, "\t[fill=\"%s\"] { fill: %s; } [stroke=\"%s\"] { stroke: %s; }\n",
				plot_color_light(i), plot_color_dark(i), plot_color_light(i), plot_color_dark(i));
	fputs("}\n", to);
}

void plot_svg(const picture *p, FILE *to)
{
	fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" "
		"font-size=\"%d\" fill=\"#1c2128\">\n", p->width, p->height, p->width, p->height, FONT);
	plot_svg_write_element(to, "title", p->title);
	plot_svg_write_element(to, "desc", p->about);
	fprintf(to, "\n<style>\n%s", text_find_builtin(plot_builtin, "picture"));
	plot_svg_write_dark_colors(p, to);
	fprintf(to, "</style>\n<rect class=\"back\" fill=\"#ffffff\" width=\"%.0f\" height=\"%.0f\"/>\n", p->width,
		p->height);
	for (size_t i = 0; i < p->shapes.n; i++) {
		const picture_shape *s = &p->shapes.v[i];
		switch (s->type) {
		case PICTURE_BOX:
		case PICTURE_HOVER: plot_svg_write_box(to, s); break;
		case PICTURE_TEXT: plot_svg_write_text(to, s, p->metrics->line); break;
		case PICTURE_RULE: plot_svg_write_rule(to, s); break;
		case PICTURE_PATH: plot_svg_write_path(to, p, s); break;
		}
	}
	fputs("</svg>\n", to);
}

bool plot_table_svg(const table *t, const plot_params *p, double width, FILE *to)
{
	input_table drawn = { .name = "t", .table = { .rows = *t, .name = "the table" } };
	inputs in = { .tables = &drawn, .ntables = 1 };
	picture_metrics m = plot_svg_metrics;
	plot shown = { 0 };
	picture pic = { 0 };
	bool ok = table_rows(t) && plot_answer(&in, p, &shown, NULL);

	m.width = width > 0 ? width : m.width;
	if (ok) {
		plot_layout(&shown, &m, &pic, NULL);
		plot_svg(&pic, to);
	}
	picture_free(&pic);
	plot_free(&shown);
	return ok;
}
