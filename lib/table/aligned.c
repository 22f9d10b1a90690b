#include "table/aligned.h"
#include "base/dict.h"
#include "base/markup.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/screen.h"
#include "base/text.h"
#include "table/apart.h"
#include "table/column_about.h"
#include "table/format.h"
#include "table/window_table.h"

#include <string.h>

/* A copy of the text, without what a terminal or Markdown would interpret; the caller frees it. */
static char *aligned_copy_printable(const aligned *a, const char *s)
{
	return a->markdown ? markdown_text(s) : printable_copy(s);
}

/* ---- cells with units */

/* The unit of a cell: that of its column or, if that is TABLE_UNIT, the text in the row's column "unit". */
static const char *aligned_unit_of(const table *t, const table_cell *row, size_t col)
{
	const char *unit = t->cols.v[col].unit;
	int unit_col = unit && strcmp(unit, TABLE_UNIT) == 0 ? table_column(t, TABLE_UNIT) : -1;

	return unit_col < 0 ? unit : row[unit_col].t;
}

/* Are amounts in this unit written with it? */
static bool aligned_writes_unit(const aligned *a, const char *unit)
{
	return unit && a->numbers && (strcmp(unit, "ns") == 0 || strcmp(unit, "bytes") == 0 ||
				      (a->numbers == ALIGNED_FIGURES && strcmp(unit, "GB/s") == 0));
}

/* The name of a column as shown.  If its cells are written with their unit, the name loses it: total_ns becomes total,
 * unless another column is then called the same. */
static const char *aligned_name_without_unit(aligned *a, const table *t, size_t col)
{
	const table_col *c = &t->cols.v[col];
	const char *cut = strrchr(c->name, '_');
	size_t n = cut ? (size_t)(cut - c->name) : 0;

	if (!n || !aligned_writes_unit(a, c->unit) || !column_unit(c->name) ||
	    (c->type == 'd' && a->numbers == ALIGNED_UNITS))
		return c->name;
	for (size_t i = 0; i < t->cols.n; i++) {
		const char *other = t->cols.v[i].name;
		if (i != col && strncmp(other, c->name, n) == 0 &&
		    (!other[n] || (aligned_writes_unit(a, column_unit(other)) && strrchr(other, '_') == other + n)))
			return c->name;
	}
	return arena_text(&a->texts, c->name, n);
}

void aligned_header(aligned *a, const table *t)
{
	for (size_t i = 0; i < t->cols.n; i++)
		vec_push(&a->cells, aligned_copy_printable(a, aligned_name_without_unit(a, t, i)));
}

static bool aligned_is_moment(const table_col *c)
{
	return c->unit && strcmp(c->unit, "ns") == 0 && c->type == 'i' &&
		column_about_of(c->name)->role == COLUMN_PLACE;
}

/* The text of an amount; NULL: show the cell as `s`, its text with ALIGNED_PLAIN.  ALIGNED_UNITS writes a moment in
 * full, because moments in neighbouring rows may differ in the last digits only, and because the option -w (a window of
 * time) takes such a moment.  With ALIGNED_FIGURES, moments are shortened later (aligned_shorten_moments), to the
 * digits that tell the rows apart. */
static const char *aligned_format_amount(const aligned *a, const table_col *c, const char *unit, table_cell cell,
					 const char *s, char *buf)
{
	double v = c->type == 'd' ? cell.d : strtod(s, NULL);

	if (a->numbers == ALIGNED_PLAIN || c->type == 't' || c->type == 'p')
		return NULL;
	if (a->numbers == ALIGNED_UNITS) {
		if (!aligned_writes_unit(a, unit) || c->type == 'd')
			return NULL;
		if (*unit == 'n' && column_about_of(c->name)->role == COLUMN_PLACE)
			return format_moment(strtoll(s, NULL, 10), buf, NUMBER_AMOUNT_SIZE);
		return format_amount(*unit == 'b', v, buf, NUMBER_AMOUNT_SIZE);
	}
	if (aligned_writes_unit(a, unit))
		return aligned_is_moment(c) ? NULL : number_amount(v, unit, buf);
	return c->type == 'd' || (unit && strcmp(unit, "%") == 0) ? number_figures(v, buf) : NULL;
}

void aligned_row(aligned *a, const table *t, const table_cell *row)
{
	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		char buf[FORMAT_CELL], amount[NUMBER_AMOUNT_SIZE];
		const char *s = format_cell(c, row[i], buf, sizeof buf), *plain = s ? s : "-", *better;
		if (aligned_writes_unit(a, s) && strcmp(c->name, TABLE_UNIT) == 0)
			plain = "-";    /* a column of units has nothing left to say */
		if (!a->rows) {
			vec_push(&a->first, arena_copy(&a->texts, plain));
			vec_push(&a->varies, false);
		} else if (strcmp(plain, a->first.v[i]) != 0) {
			a->varies.v[i] = true;
		}
		better = s ? aligned_format_amount(a, c, aligned_unit_of(t, row, i), row[i], s, amount) : NULL;
		vec_push(&a->cells, aligned_copy_printable(a, better ? better : plain));
	}
	a->rows++;
}

/* ---- which columns are shown, and how wide they are */

typedef struct {
	aligned *a;
	const table *t;
	FILE *to;
	size_t cols;
	size_t *wide;           /* for each column: the width of its widest text */
	bool *moved;            /* for each column: is it in the caption? */
	bool *out;              /* for each column: is it left out because the table is too wide? */
	bool *empty;            /* for each column: is it left out because no row has a value? */
	int measure;            /* the main measure: of the shown columns that say how much (COLUMN_MEASURE), the one
				 * with the largest column_about.tells; -1: none */
	bool rank_is_trace;     /* does the rank identify the trace, because no two traces have the same rank? */
} layout;

static bool aligned_is_shown(const layout *l, size_t col)
{
	return !l->moved[col] && !l->out[col] && !l->empty[col];
}

static bool aligned_is_text(const layout *l, size_t col)
{
	return l->t->cols.v[col].type == 't';
}

/* Choose the columns that a screen does not show because they have no value, and those that move to the caption because
 * two or more rows all hold the same value.  If no column would remain in the table, none moves. */
static void aligned_choose_columns(layout *l)
{
	bool screen = l->a->numbers == ALIGNED_FIGURES && l->a->rows, any_shown = false, any_value = false;

	for (size_t k = 0; k < l->cols; k++) {
		l->empty[k] = screen && !l->a->varies.v[k] && strcmp(l->a->first.v[k], "-") == 0;
		l->moved[k] = l->a->rows > 1 && !l->empty[k] && !l->a->varies.v[k];
		any_value |= !l->empty[k];
		any_shown |= aligned_is_shown(l, k);
	}
	for (size_t k = 0; !any_shown && k < l->cols; k++) {
		l->moved[k] = false;
		l->empty[k] &= any_value;
	}
}

/* ---- moments and paths are shortened, but different ones still look different */

static void aligned_shorten_moments(layout *l)
{
	vec(size_t) columns = { 0 };
	int64_t *ns;
	apart_moments how;

	for (size_t k = 0; k < l->cols; k++)
		if (aligned_is_moment(&l->t->cols.v[k]))
			vec_push(&columns, k);
	ns = mem_new(int64_t, l->a->rows * columns.n);
	for (size_t i = 0; i < l->a->rows * columns.n; i++) {
		const char *cell = l->a->cells.v[(i / columns.n + 1) * l->cols + columns.v[i % columns.n]];
		ns[i] = strcmp(cell, "-") == 0 ? TABLE_MISSING : strtoll(cell, NULL, 10);
	}
	how = apart_moments_of(ns, l->a->rows, columns.n);
	for (size_t i = 0; i < l->a->rows * columns.n; i++) {
		char **cell = &l->a->cells.v[(i / columns.n + 1) * l->cols + columns.v[i % columns.n]];
		if (ns[i] == TABLE_MISSING)
			continue;
		free(*cell);
		*cell = mem_new(char, APART_SIZE);
		apart_format(how, ns[i], *cell);
	}
	free(ns);
	vec_free(&columns);
}

static void aligned_shorten_paths(layout *l)
{
	int col = table_column(l->t, "trace");
	vec(const char *) paths = { 0 };

	for (size_t i = l->cols + (size_t)col; col >= 0 && i < l->a->cells.n; i += l->cols)
		vec_push(&paths, l->a->cells.v[i]);
	if (apart_base_names(paths.v, paths.n))
		for (size_t r = 1; r <= paths.n; r++) {
			char *cell = l->a->cells.v[r * l->cols + (size_t)col];
			const char *base = text_base(cell);
			memmove(cell, base, strlen(base) + 1);
		}
	vec_free(&paths);
}

typedef struct {
	int whole;              /* width of the sign and the digits before the point */
	int point;              /* width of the point and the decimals */
	int unit;               /* width of the unit, without the blank before it */
} cell_widths;

/* Measure the parts of an amount.  With three figures the point may be anywhere, so such amounts are aligned to the
 * right as a whole. */
static cell_widths aligned_measure_cell(const layout *l, const char *cell)
{
	size_t number = strcspn(cell, " "), digits = l->a->numbers == ALIGNED_FIGURES ? number :
		strspn(cell, "-0123456789");

	return (cell_widths){ (int)digits, (int)(number - digits), cell[number] ? (int)strlen(cell + number + 1) : 0 };
}

/* Align the amounts of a column by their points and units. */
static void aligned_align_amounts(layout *l, size_t col)
{
	cell_widths most = { 0 };

	for (size_t i = l->cols + col; i < l->a->cells.n; i += l->cols) {
		cell_widths m = aligned_measure_cell(l, l->a->cells.v[i]);
		most.whole = m.whole > most.whole ? m.whole : most.whole;
		most.point = m.point > most.point ? m.point : most.point;
		most.unit = m.unit > most.unit ? m.unit : most.unit;
	}
	for (size_t i = l->cols + col; most.unit && i < l->a->cells.n; i += l->cols) {
		char *cell = l->a->cells.v[i], *padded = mem_new(char, FORMAT_CELL);
		cell_widths m = aligned_measure_cell(l, cell);
		snprintf(padded, FORMAT_CELL, "%*.*s%-*.*s %-*s", most.whole, m.whole, cell, most.point, m.point,
			 cell + m.whole, most.unit, m.unit ? cell + m.whole + m.point + 1 : "");
		free(cell);
		l->a->cells.v[i] = padded;
	}
}

static void aligned_measure_columns(layout *l)
{
	for (size_t k = 0; k < l->cols; k++)
		if (l->a->numbers && !l->a->markdown && !l->moved[k] && l->t->cols.v[k].unit)
			aligned_align_amounts(l, k);
	for (size_t i = 0; i < l->a->cells.n; i++) {
		size_t w = screen_width(l->a->cells.v[i]);
		l->wide[i % l->cols] = w > l->wide[i % l->cols] ? w : l->wide[i % l->cols];
	}
}

enum { GAP = 2 };               /* blanks between two columns */

/* The width of the whole table if no text is shown wider than `most_text`. */
static size_t aligned_measure_table(const layout *l, size_t most_text)
{
	size_t sum = 0, n = 0;

	for (size_t k = 0; k < l->cols; k++)
		if (aligned_is_shown(l, k)) {
			sum += aligned_is_text(l, k) && l->wide[k] > most_text ? most_text : l->wide[k];
			n++;
		}
	return n ? sum + (n - 1) * GAP : 0;
}

static int aligned_find_main_measure(const layout *l)
{
	int found = -1, most = 0;

	for (size_t k = 0; k < l->cols; k++) {
		const column_about *c = column_about_of(l->t->cols.v[k].name);
		if (c->name && c->role == COLUMN_MEASURE && aligned_is_shown(l, k) && c->tells > most) {
			most = c->tells;
			found = (int)k;
		}
	}
	return found;
}

static bool aligned_rank_tells_trace(const layout *l)
{
	int rank = table_column(l->t, "rank"), trace = table_column(l->t, "trace");
	bool tells = rank >= 0 && trace >= 0 && aligned_is_shown(l, (size_t)rank);
	vec(const char *) traces = { 0 };
	dict ranks = { 0 };

	for (size_t i = l->cols; tells && i < l->a->cells.n; i += l->cols) {
		const char *rank_cell = l->a->cells.v[i + (size_t)rank], *trace_cell = l->a->cells.v[i + (size_t)trace];
		uint32_t key = dict_key(&ranks, strtoll(rank_cell, NULL, 10));
		if (key == traces.n)
			vec_push(&traces, trace_cell);
		tells = *rank_cell != '-' && strcmp(traces.v[key], trace_cell) == 0;
	}
	vec_free(&traces);
	dict_free(&ranks);
	return tells;
}

/* Leave out the column with the lowest priority; on a tie, the right-most.  False if only one column is left. */
static bool aligned_drop_column(layout *l)
{
	const table *t = l->t;
	int least = 0, priority;
	bool rank_is_shown = t->slot[COL_RANK] && aligned_is_shown(l, (size_t)t->slot[COL_RANK] - 1);
	size_t dropped = 0, n = 0;

	for (size_t k = 0; k < l->cols; k++) {
		if (!aligned_is_shown(l, k))
			continue;
		priority = column_get_priority(t->cols.v[k].name, aligned_is_text(l, k));
		if ((t->keys.n && t->keys.v[0].col == (int)k) || l->measure == (int)k)
			priority = COLUMN_FIRST_PRIORITY;
		else if ((rank_is_shown && (int)k == t->slot[COL_PID] - 1) ||
			 (l->rank_is_trace && (int)k == table_column(t, "trace")))
			priority = COLUMN_REPEATS;
		if (!n++ || priority <= least) {
			least = priority;
			dropped = k;
		}
	}
	l->out[dropped] = n > 1;
	return n > 1;
}

/* Replace the CPU side in the names of windows, @A..B at the end, by …, as in step 4#4….  A narrow screen loses
 * this part first. */
static void aligned_shorten_windows(layout *l)
{
	int col = l->t->slot[COL_WINDOW] - 1;

	if (col < 0 || !aligned_is_shown(l, (size_t)col))
		return;
	l->wide[col] = 0;
	for (size_t i = (size_t)col; i < l->a->cells.n; i += l->cols) {
		char *cell = l->a->cells.v[i];
		size_t n = window_table_length_without_cpu(cell), w;
		if (cell[n])
			strcpy(cell + n, "…");          /* … has 3 bytes, and the shortest @A..B has 5 */
		w = screen_width(cell);
		l->wide[col] = w > l->wide[col] ? w : l->wide[col];
	}
}

/* Make the rows fit the screen.  False if there is at most one row, and columns would have to be left out. */
static bool aligned_fit_width(layout *l)
{
	size_t width = l->a->width, least = width / 4, text;

	if (aligned_measure_table(l, width) > width)
		aligned_shorten_windows(l);
	l->measure = aligned_find_main_measure(l);
	l->rank_is_trace = aligned_rank_tells_trace(l);
	while (aligned_measure_table(l, least) > width) {
		if (l->a->rows <= 1)
			return false;
		if (!aligned_drop_column(l))
			break;
	}
	for (text = width; text > least && aligned_measure_table(l, text) > width; text--)
		continue;
	for (size_t k = 0; k < l->cols; k++)
		if (aligned_is_text(l, k) && l->wide[k] > text)
			l->wide[k] = text;
	for (size_t k = 0; k < l->cols; k++)
		if (l->out[k])
			l->a->left_out = arena_printf(&l->a->texts, "%s%s%s", l->a->left_out ? l->a->left_out : "",
						      l->a->left_out ? " " : "", l->a->cells.v[k]);
	return true;
}

/* ---- writing */

static void aligned_print_padding(FILE *f, char c, size_t n)
{
	while (n--)
		putc_unlocked(c, f);
}

static void aligned_set_dim(const layout *l, bool on)
{
	if (l->a->colors)
		fputs_unlocked(on ? "\033[2m" : "\033[22m", l->to);
}

/* Write a text.  On a screen, a text wider than `most` is shortened.  Returns the width that was written. */
static size_t aligned_put_text(const layout *l, const char *s, size_t most)
{
	size_t w = screen_width(s);
	char *cut;

	if (!l->a->width || w <= most) {
		fputs_unlocked(s, l->to);
		return w;
	}
	cut = screen_shorten(s, most);
	fputs_unlocked(cut, l->to);
	w = screen_width(cut);
	free(cut);
	return w;
}

/* Print the name and the value of a column in the caption.  at: the width of what the line already holds.  Returns the
 * new width. */
static size_t aligned_print_caption_item(const layout *l, size_t col, size_t at)
{
	const char *name = l->a->cells.v[col], *value = l->a->cells.v[l->cols + col];
	size_t width = l->a->width, needs = screen_width(name) + 1 + screen_width(value);

	if (at && width && at + 3 + needs > width) {
		fputs_unlocked("\n", l->to);
		at = 0;
	} else if (at) {
		fputs_unlocked(" · ", l->to);
		at += 3;
	}
	aligned_set_dim(l, true);
	fprintf(l->to, "%s ", name);
	aligned_set_dim(l, false);
	at += screen_width(name) + 1;
	return at + aligned_put_text(l, value, width > at + 1 ? width - at : 1);
}

/* Print the caption: trace and window first, as in a title, then the other columns from left to right. */
static void aligned_print_caption(const layout *l)
{
	const int title[] = { l->t->slot[COL_TRACE] - 1, l->t->slot[COL_WINDOW] - 1 };
	size_t at = 0;

	for (size_t i = 0; i < l->cols + 2; i++) {
		size_t k = i < 2 ? (size_t)title[i] : i - 2;
		if ((i < 2 && title[i] < 0) || (i >= 2 && ((int)k == title[0] || (int)k == title[1])) || !l->moved[k])
			continue;
		at = aligned_print_caption_item(l, k, at);
	}
	if (at)
		fputs_unlocked(l->a->markdown ? "\n\n" : "\n", l->to);
}

int aligned_color(const char *column, const char *word)
{
	enum { RED = 31, GREEN, YELLOW, BLUE, MAGENTA };
	static const struct { const char *column, *word; int color; } all[] = {
		{ "severity", "untrusted", MAGENTA }, { "severity", "high", RED }, { "severity", "medium", YELLOW },
		{ "severity", "info", BLUE }, { "change", "slower", RED }, { "change", "faster", GREEN },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].column, column) == 0 && strcmp(all[i].word, word) == 0)
			return all[i].color;
	return 0;
}

/* Print a cell: texts are aligned to the left, others to the right.  head: is it in the header?  last: is it the last
 * of its line? */
static void aligned_put_cell(const layout *l, const char *s, size_t col, bool head, bool last)
{
	bool right = !aligned_is_text(l, col);
	size_t w = screen_width(s), length = strlen(s);

	if (last && !l->a->markdown)            /* no blanks at the end of a line */
		while (length && s[length - 1] == ' ')
			length--;
	aligned_print_padding(l->to, ' ', right && w < l->wide[col] ? l->wide[col] - w : 0);
	if (right && !head && l->a->colors && l->a->numbers && l->t->cols.v[col].unit) {
		size_t number = strcspn(s, "BGKMmnsu");
		fprintf(l->to, "%.*s", (int)(number < length ? number : length), s);
		aligned_set_dim(l, true);
		fprintf(l->to, "%.*s", number < length ? (int)(length - number) : 0, s + number);
		aligned_set_dim(l, false);
	} else if (right) {
		fwrite_unlocked(s, 1, length, l->to);
	} else {
		int color = l->a->colors && !head ? aligned_color(l->t->cols.v[col].name, s) : 0;
		if (color)
			fprintf(l->to, "\033[%dm", color);
		w = aligned_put_text(l, s, l->wide[col]);
		if (color)
			fputs_unlocked("\033[39m", l->to);
	}
	aligned_print_padding(l->to, ' ',
			      !right && (l->a->markdown || !last) && w < l->wide[col] ? l->wide[col] - w : 0);
}

static void aligned_put_row(const layout *l, char *const *row, bool head)
{
	size_t last = l->cols - 1;
	bool begun = false;

	while (!aligned_is_shown(l, last))
		last--;
	if (head)
		aligned_set_dim(l, true);
	for (size_t c = 0; c <= last; c++) {
		if (!aligned_is_shown(l, c))
			continue;
		fputs_unlocked(l->a->markdown ? begun ? " | " : "| " : begun ? "  " : "", l->to);
		aligned_put_cell(l, row[c], c, head, c == last);
		begun = true;
	}
	if (head)
		aligned_set_dim(l, false);
	fputs_unlocked(l->a->markdown ? " |\n" : "\n", l->to);
}

/* Print the line under the header of a Markdown table. */
static void aligned_print_rule(const layout *l)
{
	for (size_t k = 0; k < l->cols; k++) {
		if (!aligned_is_shown(l, k))
			continue;
		fputs_unlocked("|-", l->to);
		aligned_print_padding(l->to, '-', l->wide[k]);
		putc_unlocked(aligned_is_text(l, k) ? '-' : ':', l->to);
	}
	fputs_unlocked("|\n", l->to);
}

/* Print a single row, one column a line, or, if there is no row, the names of the columns. */
static void aligned_put_lines(layout *l)
{
	size_t widest = 0, at = 0;

	for (size_t k = 0; k < l->cols; k++) {
		size_t w = l->empty[k] ? 0 : screen_width(l->a->cells.v[k]);
		widest = w > widest ? w : widest;
	}
	for (size_t k = 0; k < l->cols; k++) {
		const char *name = l->a->cells.v[k];
		size_t w = screen_width(name);
		if (l->empty[k])
			continue;
		if (!l->a->rows) {
			bool wraps = at && at + GAP + w > l->a->width;
			fprintf(l->to, "%s%s", wraps ? "\n" : at ? "  " : "", name);
			at = (at && !wraps ? at + GAP : 0) + w;
			continue;
		}
		aligned_set_dim(l, true);
		fputs_unlocked(name, l->to);
		aligned_set_dim(l, false);
		aligned_print_padding(l->to, ' ', widest - w + GAP);
		l->wide[k] = aligned_is_text(l, k) && l->a->width > widest + GAP ? l->a->width - widest - GAP : 1;
		aligned_put_cell(l, l->a->cells.v[l->cols + k], k, false, true);
		fputs_unlocked("\n", l->to);
	}
	fputs_unlocked(l->a->rows ? "" : "\n", l->to);
}

void aligned_print(aligned *a, const table *t, FILE *to)
{
	size_t cols = t->cols.n;
	layout l = { a, t, to, cols, mem_new(size_t, cols), mem_new(bool, cols), mem_new(bool, cols),
		mem_new(bool, cols), -1, false };

	aligned_choose_columns(&l);
	if (a->numbers == ALIGNED_FIGURES) {
		aligned_shorten_moments(&l);
		aligned_shorten_paths(&l);
	}
	aligned_measure_columns(&l);
	if (a->width && !aligned_fit_width(&l)) {
		aligned_put_lines(&l);
	} else {
		aligned_print_caption(&l);
		for (size_t i = 0; i < a->cells.n; i += cols) {
			aligned_put_row(&l, &a->cells.v[i], !i);
			if (!i && a->markdown)
				aligned_print_rule(&l);
		}
	}
	mem_free(l.wide, l.moved, l.out, l.empty);
}

void aligned_free(aligned *a)
{
	for (size_t i = 0; i < a->cells.n; i++)
		free(a->cells.v[i]);
	mem_free(a->cells.v, a->first.v, a->varies.v);
	arena_free(&a->texts);
}
