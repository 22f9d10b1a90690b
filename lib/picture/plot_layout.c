#include "picture/plot_parts.h"

#include <math.h>
#include <string.h>

typedef struct {                /* the grid of panels */
	const plot *p;
	const picture_metrics *m;
	picture *to;
	double y;               /* the bottom of the shapes drawn so far */
	double left;            /* width of the names or ticks to the left of the panels, with the space around them */
	double gap;             /* horizontal space between panels */
	double width;           /* width of the marks of a panel */
	double tall;            /* height of a panel with standing bars or lines */
	size_t cols;            /* the most panels side by side; a row with more takes several lines */
	size_t merged;          /* the sum of plot_panel_ctx.merged over all panels */
	size_t each;            /* the largest plot_panel_ctx.each */
} grid;

static bool plot_layout_has_bars(const plot *p)
{
	return p->kind == PLOT_BARS || p->kind == PLOT_STACK;
}

static bool plot_layout_is_horizontal(const plot *p)
{
	return p->kind == PLOT_TIMELINE || (plot_layout_has_bars(p) && !p->upright);
}

static const char *plot_layout_make_axis_title(grid *g, const char *title, const plot_axis *a)
{
	/* Each tick of a logarithmic axis is written with its unit */
	const char *unit = a->logarithmic ? "" : a->shown.name;

	return arena_printf(&g->to->texts, "%s%s%s%s", title ? title : "", *unit && title ? " (" : "", unit,
		*unit && title ? ")" : "");
}

/* ---- the names of bars and lanes */

/* The length of the beginning that all names share, which ends with a space; 0: they share none. */
static size_t plot_layout_measure_common_start(const plot_slots *names)
{
	size_t same = names->n ? strlen(names->v[0]) : 0;

	for (size_t i = 1; i < names->n; i++)
		while (strncmp(names->v[0], names->v[i], same) != 0)
			same--;
	while (same && names->v[0][same - 1] != ' ')
		same--;
	return same;
}

/* Cut names to the room so that they still differ.  Each try cuts all names in another way, until they differ: first
 * whole names, then names without the beginning that all share, then with more and more of their ends, at last with
 * numbers in front. */
static plot_slots plot_layout_cut_names(picture *to, const plot_slots *names, double room)
{
	static const double starts[] = { 0.6, 0.6, 0.35, 0.1, 0.6 };
	enum { TRIES = sizeof starts / sizeof *starts };
	plot_slots cut = { 0 };
	size_t skip = 0, different = 0;

	for (size_t try = 0; try < TRIES && different < names->n; try++) {
		str_pool met = { 0 };
		cut.n = 0;
		for (size_t i = 0; i < names->n; i++) {
			const char *name = names->v[i] + skip;
			if (try + 1 == TRIES && picture_width(to, name) > room)
				name = arena_printf(&to->texts, "%zu %s", i + 1, name);
			vec_push(&cut, picture_cut(to, name, room, starts[try]));
			str_id(&met, cut.v[i], strlen(cut.v[i]));
		}
		different = met.n;
		skip = plot_layout_measure_common_start(names);
		str_free(&met);
	}
	return cut;
}

static void plot_layout_draw_names(plot_panel_ctx *at, double room)
{
	const picture_metrics *m = at->to->metrics;
	double pitch = (at->p->kind == PLOT_TIMELINE ? m->lane : m->bar) + m->between;
	plot_slots cut = plot_layout_cut_names(at->to, at->panel->slots, room);

	for (size_t i = 0; i < cut.n; i++) {
		picture_text(at->to, (picture_place){ at->x - m->pad, at->y + ((double)i + 0.5) * pitch - m->line / 2,
			INFINITY, PICTURE_RIGHT }, PICTURE_LABEL, cut.v[i]);
		if (*cut.v[i] && cut.v[i] != at->panel->slots->v[i])
			at->to->shapes.v[at->to->shapes.n - 1].whole = at->panel->slots->v[i];
	}
	vec_free(&cut);
}

/* Write the names below standing bars.  If they do not fit, the beginning that all share is left out.  If they still
 * do not fit, only every 2nd, 5th, 10th and so on is written. */
static void plot_layout_draw_standing_names(plot_panel_ctx *at, double widest)
{
	size_t skip = 0;
	static const size_t steps[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000 };
	const picture_metrics *m = at->to->metrics;
	size_t n = (at->panel->slots->n + at->each - 1) / at->each, k = 0;
	double pitch = at->w / (double)(n ? n : 1);

	if (pitch < widest + m->pad && n) {
		skip = plot_layout_measure_common_start(at->panel->slots);
		widest = fmin(widest, picture_width(at->to, at->panel->slots->v[n - 1] + skip));
	}
	while (k + 1 < sizeof steps / sizeof *steps && (double)steps[k] * pitch < widest + m->pad)
		k++;
	for (size_t i = 0; i < n; i += steps[k])
		picture_text(at->to, (picture_place){ at->x + ((double)i + 0.5) * pitch, at->y + at->h + m->space / 2,
			widest, PICTURE_MIDDLE }, PICTURE_QUIET, at->panel->slots->v[i * at->each] + skip);
}

static const char *plot_layout_title_of_names(const plot *p)
{
	return p->kind == PLOT_TIMELINE ? p->value : p->across;
}

static double plot_layout_measure_names(const grid *g, double most)
{
	const char *title = plot_layout_is_horizontal(g->p) ? plot_layout_title_of_names(g->p) : NULL;
	double w = title ? picture_width(g->to, title) : 0;

	for (size_t i = 0; i < g->p->panels.n; i++)
		for (size_t k = 0; k < g->p->panels.v[i].slots->n; k++)
			w = fmax(w, picture_width(g->to, g->p->panels.v[i].slots->v[k]));
	return fmin(w, most);
}

/* ---- panels */

static double plot_layout_height_of_panel(const grid *g, const plot_panel *panel)
{
	double pitch = (g->p->kind == PLOT_TIMELINE ? g->m->lane : g->m->bar) + g->m->between;

	return plot_layout_is_horizontal(g->p) ? fmax(1, (double)panel->slots->n) * pitch : g->tall;
}

/* The room that the totals need on one side of the bars, in the row of the grid that this panel is in. */
static double plot_layout_measure_totals(const grid *g, const plot_panel *panel)
{
	char buf[PLOT_NUMBER];
	double w = 0;

	for (size_t i = 0; i < g->p->panels.n; i++)
		for (size_t k = 0; g->p->panels.v[i].row == panel->row && k < g->p->panels.v[i].marks.n; k++)
			w = fmax(w, picture_width(g->to,
				plot_format_amount(g->p->panels.v[i].marks.v[k].y1, panel->unit, buf)));
	return w + 1.5 * g->m->pad;
}

/* Does the row of the grid that this panel is in have bars with all parts below zero?  The totals of such bars are to
 * their left. */
static bool plot_layout_has_left_totals(const grid *g, const plot_panel *panel)
{
	bool left = false;

	for (size_t i = 0; i < g->p->panels.n; i++)
		left |= g->p->panels.v[i].row == panel->row && g->p->panels.v[i].below;
	return left;
}

/* Choose the ticks of a horizontal axis of values, and move its start down to a tick, so that zero has a tick, too. */
static void plot_layout_fit_values(const picture *to, plot_axis *a)
{
	double lo = a->lo;

	plot_axis_fit(to, a, a->b - a->a);
	for (int i = 0; i < 2 && a->step > 0; i++) {
		a->lo = floor(lo / a->step + 1e-9) * a->step;
		plot_axis_fit(to, a, a->b - a->a);
	}
}

static void plot_layout_set_axes(grid *g, plot_panel_ctx *at)
{
	const plot *p = g->p;
	plot_axis *values = p->kind == PLOT_TIMELINE ? NULL : &at->up;

	if (p->kind == PLOT_TIMELINE || p->kind == PLOT_LINE || p->kind == PLOT_HIST) {
		plot_axis_extent(p, at->panel, true, &at->across);
		at->across.unit = p->across_unit;
		at->across.logarithmic = p->logarithmic;
		at->across.a = at->x;
		at->across.b = at->x + at->w;
		plot_axis_fit(g->to, &at->across, at->w);
	}
	if (!values)
		return;
	plot_axis_extent(p, at->panel, false, values);
	values->unit = at->panel->unit;
	if (plot_layout_is_horizontal(p)) {
		double room = plot_layout_measure_totals(g, at->panel);
		values->a = at->x + (plot_layout_has_left_totals(g, at->panel) ? room : 0);
		values->b = at->x + at->w - room;
		plot_layout_fit_values(g->to, values);
	} else {
		plot_axis_ticks(g->to, values, fmax(2, floor(at->h / (2 * g->m->line))));
		values->lo = values->step > 0 ? floor(values->lo / values->step + 1e-9) * values->step : values->lo;
		values->hi = values->step > 0 ? ceil(values->hi / values->step - 1e-9) * values->step : values->hi;
		values->a = at->y + at->h;
		values->b = at->y + (plot_layout_has_bars(p) ? g->m->line : 0);     /* room for the totals above the
										     * bars */
		if (p->kind == PLOT_LINE) {
			values->a -= g->m->inset;
			values->b += g->m->inset;
		}
	}
}

static void plot_layout_draw_panel(grid *g, const plot_panel *panel, double x, double y, bool first, double name_width)
{
	plot_panel_ctx at = { .p = g->p, .panel = panel, .to = g->to, .x = x, .y = y, .w = g->width,
		.h = plot_layout_height_of_panel(g, panel), .first = first };
	const picture_metrics *m = g->m;
	const char *below;
	const plot_axis *bottom = plot_layout_is_horizontal(g->p) && g->p->kind != PLOT_TIMELINE ? &at.up : &at.across;

	plot_layout_set_axes(g, &at);
	if (bottom->shown.name)
		plot_axis_draw(&at, bottom, true);
	if (!plot_layout_is_horizontal(g->p))
		plot_axis_draw(&at, &at.up, false);
	plot_draw(&at);
	if (plot_layout_is_horizontal(g->p) && first)
		plot_layout_draw_names(&at, g->left - m->pad);
	if (plot_layout_has_bars(g->p) && g->p->upright)
		plot_layout_draw_standing_names(&at, name_width);
	g->merged += at.merged;
	g->each = at.each > g->each ? at.each : g->each;
	below = plot_layout_is_horizontal(g->p) && g->p->kind != PLOT_TIMELINE ?
		plot_layout_make_axis_title(g, g->p->value, &at.up) :
		bottom->shown.name ? plot_layout_make_axis_title(g, g->p->across, bottom) :
				     g->p->across;
	picture_text(g->to, (picture_place){ x + g->width / 2, y + at.h + m->space / 2 + m->line, g->width + g->gap / 2,
		PICTURE_MIDDLE }, PICTURE_QUIET, below ? below : "");
	if (panel->name)
		picture_text(g->to,
			     (picture_place){ x, y - m->space / 2 - m->line * (plot_layout_is_horizontal(g->p) ? 1 : 2),
					      g->width + g->gap / 2, PICTURE_LEFT },
			     PICTURE_LABEL, panel->name);
	if (!plot_layout_is_horizontal(g->p) && first)
		picture_text(g->to, (picture_place){ x, y - m->space / 2 - m->line, g->width + g->gap / 2,
			PICTURE_LEFT }, PICTURE_QUIET, plot_layout_make_axis_title(g, g->p->value, &at.up));
	else if (plot_layout_is_horizontal(g->p) && first)
		picture_text(g->to, (picture_place){ x - m->pad, y - m->space / 2 - m->line, g->left - m->pad,
			PICTURE_RIGHT }, PICTURE_QUIET,
			plot_layout_title_of_names(g->p) ? plot_layout_title_of_names(g->p) : "");
}

/* Draw one row of the grid.  Its panels are in lines of at most g->cols panels, one line below the other. */
static void plot_layout_draw_row(grid *g, const plot_panel *const *panels, size_t n, double name_width)
{
	double head = g->m->line * (plot_layout_is_horizontal(g->p) || !panels[0]->name ? 1 : 2) + g->m->space / 2,
	       deepest = 0;

	for (size_t i = 0; i < n; i++) {
		if (i && i % g->cols == 0) {
			g->y += deepest;
			deepest = 0;
		}
		plot_layout_draw_panel(g, panels[i], g->left + (double)(i % g->cols) * (g->width + g->gap), g->y + head,
			i % g->cols == 0, name_width);
		deepest = fmax(deepest,
			       head + plot_layout_height_of_panel(g, panels[i]) + 2 * g->m->line + 2 * g->m->space);
	}
	g->y += deepest;
}

/* Choose g->left, g->gap, g->cols and g->width.  Returns the width of the names of bars or lanes. */
static double plot_layout_set_widths(grid *g)
{
	double room = g->m->width - g->m->pad, tick_width = 0, narrow = g->m->narrow, total_width = 0, name_width;

	for (size_t i = 0; i < g->p->panels.n; i++) {
		plot_panel_ctx at = { .p = g->p, .panel = &g->p->panels.v[i], .to = g->to, .w = g->m->narrow,
			.h = g->tall };
		plot_layout_set_axes(g, &at);
		tick_width = fmax(tick_width, at.up.label);
		if (plot_layout_is_horizontal(g->p) && g->p->kind != PLOT_TIMELINE)
			total_width = fmax(total_width,
				      plot_layout_measure_totals(g, at.panel) *
					      (plot_layout_has_left_totals(g, at.panel) ? 2 : 1));
	}
	narrow = fmax(narrow, total_width ? g->m->narrow / 2 + total_width : 0);
	/* a limit for the names, so that the bars have room even in a narrow picture */
	name_width = plot_layout_measure_names(g, plot_layout_has_bars(g->p) && g->p->upright ? room / 5 :
		fmin(room * 0.4, fmax(room - total_width - g->m->narrow / 3, g->m->narrow / 4)));
	g->left = (plot_layout_is_horizontal(g->p) ? fmax(name_width, picture_width(g->to, "000")) :
			fmax(tick_width, plot_layout_has_bars(g->p) ? name_width / 2 : 0)) + 2 * g->m->pad;
	g->gap = fmax(2 * g->m->pad,
		      plot_layout_is_horizontal(g->p)	 ? tick_width + g->m->pad :
			      plot_layout_has_bars(g->p) ? name_width / 2 + g->m->pad :
							   picture_width(g->to, "000 us"));
	room -= g->left + (plot_layout_is_horizontal(g->p) && g->p->kind != PLOT_TIMELINE ? g->m->pad : g->gap / 2);
	g->cols = (size_t)fmin(fmax(1, floor((room + g->gap) / (narrow + g->gap))), (double)g->p->cols);
	g->cols = g->cols ? g->cols : 1;
	if (g->p->cols > g->cols) {             /* all lines get about the same number of panels */
		size_t lines = (g->p->cols + g->cols - 1) / g->cols;
		g->cols = (g->p->cols + lines - 1) / lines;
	}
	g->width = (room - (double)(g->cols - 1) * g->gap) / (double)g->cols;
	return name_width;
}

static void plot_layout_draw_grid(grid *g)
{
	vec(const plot_panel *) row = { 0 };
	double name_width;

	g->tall = g->p->rows.n > 3 ? g->m->low : g->m->tall;
	name_width = plot_layout_set_widths(g);
	for (size_t i = 0; i < g->p->panels.n; i++) {
		vec_push(&row, &g->p->panels.v[i]);
		if (i + 1 == g->p->panels.n || g->p->panels.v[i + 1].row != g->p->panels.v[i].row) {
			plot_layout_draw_row(g, row.v, row.n, name_width);
			row.n = 0;
		}
	}
	vec_free(&row);
}

/* ---- around the panels */

static void plot_layout_draw_legend(grid *g)
{
	const picture_metrics *m = g->m;
	double x = m->pad, room = m->width - m->pad;

	bool wanted = g->p->colored && !g->p->labeled && g->p->series.n > 1;

	for (size_t i = 0; wanted && i < g->p->series.n; i++) {
		double most = fmin(fmax(room / 3, m->narrow), room - m->swatch - 2 * m->pad),
			text = fmin(picture_width(g->to, g->p->series.v[i].name), most), w = m->swatch + m->pad + text;
		if (x > m->pad && x + w > room) {
			x = m->pad;
			g->y += m->line + m->space / 2;
		}
		picture_add(g->to, (picture_shape){ .type = PICTURE_BOX, .role = PICTURE_SWATCH, .series = (unsigned)i,
			.color = g->p->series.v[i].color, .x = x, .w = m->swatch, .h = fmin(m->swatch, m->line),
			.y = g->y + (m->line - fmin(m->swatch, m->line)) / 2 });
		picture_text(g->to, (picture_place){ x + m->swatch + m->pad, g->y, text + 1e-6, PICTURE_LEFT },
			PICTURE_LABEL, g->p->series.v[i].name);
		x += w + 3 * m->pad;
	}
	g->y += wanted ? m->line + m->space : 0;
}

/* Write a text below the shapes drawn so far, in as many lines as it takes, broken at spaces. */
static void plot_layout_draw_wrapped(grid *g, enum picture_role role, const char *text)
{
	double larger = role == PICTURE_TITLE ? g->m->larger : 1, room = g->m->width - 2 * g->m->pad;

	while (*text) {
		size_t n = 0, end = strlen(text);
		for (size_t i = strcspn(text, " "); n < end; i += 1 + strcspn(text + i + 1, " ")) {
			if (n && g->m->measure(text, i) * larger > room)
				break;
			n = i;
			if (!text[i])
				break;
		}
		picture_text(g->to, (picture_place){ g->m->pad, g->y, room, PICTURE_LEFT }, role,
			arena_text(&g->to->texts, text, n));
		g->y += role == PICTURE_TITLE ? g->m->heading : g->m->line;
		text += n + (text[n] == ' ');
	}
}

static void plot_layout_remark_on_merging(grid *g, notes *say)
{
	arena *a = &g->to->texts;
	const char *text, *smallest = g->m->smallest;

	if (!g->merged)
		return;
	if (g->each > 1)
		text = arena_printf(a, "more bars than fit, so each is the mean of %zu", g->each);
	else if (g->p->kind == PLOT_LINE)
		text = arena_printf(a, "of the points in one %s the first, least, greatest and last are "
				    "drawn (%zu are not)", smallest, g->merged);
	else
		text = arena_printf(a, "%zu event%s shorter than a %s, whose color is that of the category with the "
				    "most time, %s", g->merged, g->merged == 1 ? " is" : "s are", smallest,
				    g->m->paler);
	plot_layout_draw_wrapped(g, PICTURE_QUIET, text);
	notes_remark(say, "%s", text);
}

/* The title, followed by the unit unless panels differ in it, the axis is logarithmic, or the title needs none
 * (plot.titled). */
static const char *plot_layout_title_with_unit(const plot *p, arena *texts)
{
	bool along = p->kind == PLOT_TIMELINE || p->kind == PLOT_HIST;
	const char *unit = NULL;

	for (size_t i = 0; i < p->panels.n && !p->logarithmic; i++) {
		plot_axis a = { 0 };
		plot_axis_extent(p, &p->panels.v[i], along, &a);
		const char *one = plot_choose_unit(along ? p->across_unit : p->panels.v[i].unit,
			fmax(fabs(a.lo), fabs(a.hi))).name;
		if (unit && strcmp(unit, one) != 0)
			return p->title;
		unit = one;
	}
	return unit && *unit && !p->titled ? arena_printf(texts, "%s (%s)", p->title, unit) : p->title;
}

void plot_layout(const plot *p, const picture_metrics *m, picture *to, notes *say)
{
	grid g = { .p = p, .m = m, .to = to, .y = m->space };

	to->metrics = m;
	to->upright = !plot_layout_is_horizontal(p);
	to->plain = !p->colored;
	to->title = plot_layout_title_with_unit(p, &to->texts);
	to->about = p->about;
	plot_layout_draw_wrapped(&g, PICTURE_TITLE, to->title);
	if (p->about) {
		picture_text(to, (picture_place){ m->pad, g.y, m->width - 2 * m->pad, PICTURE_LEFT }, PICTURE_QUIET,
			p->about);
		g.y += m->line + m->space / 2;
	}
	plot_layout_draw_legend(&g);
	g.y += m->space / 2;
	if (p->panels.n)
		plot_layout_draw_grid(&g);
	for (size_t i = 0; i < p->remarks.n; i++)
		plot_layout_draw_wrapped(&g, PICTURE_QUIET, p->remarks.v[i]);
	plot_layout_remark_on_merging(&g, say);
	to->width = m->width;
	to->height = ceil(g.y + m->space);
}
