#include "tui/display.h"
#include "base/ending_signals.h"
#include "base/memory.h"
#include "base/printable.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>

struct display {
	SCREEN *screen;
	FILE *in, *out;
	locale_t locale;        /* the locale of the terminal, in use only while this module runs */
	bool utf8, color;
	ending_terminal saved;          /* the state of the terminal before display_open */
	char leave[256];                /* the text sent to the terminal when a signal ends the program */
};

/* ---- what a terminal can display */

/* The ASCII character that replaces a drawn character on a terminal without UTF-8; '?': it is not one that we draw. */
static uint32_t display_replace_character(uint32_t code)
{
	static const char bars[] = ".:-=+*%#";

	if (code >= 0x2581 && code <= 0x2588)                   /* one to eight eighths of a block, from below */
		return (unsigned char)bars[code - 0x2581];
	if (code >= 0x2589 && code <= 0x258e)                   /* blocks of seven to two eighths, from the left */
		return (unsigned char)bars[0x258f - code];
	switch (code) {
	case 0x2502: case 0x258f: case 0x2595: return '|';
	case 0x2500: return '-';
	case 0x2026: return '~';
	case 0x00b7: return '.';
	case 0x25a0: return '#';
	case 0x25bc: return 'v';
	case 0x25b2: return '^';
	case 0x25b6: case 0x25b8: return '>';
	case 0x25be: return 'v';
	case 0x2191: return '^';
	case 0x2193: return 'v';
	case 0x2190: return '<';
	case 0x2192: return '>';
	default: return code >= 0x250c && code <= 0x253c ? '+' : '?';
	}
}

/* The nearest of the eight colors that every color terminal has. */
static short display_nearest_of_eight(uint8_t color)
{
	int v = color - 16, high = 0, bit = 0;

	if (color < 16)
		return color % 8;
	if (color >= 232)               /* greys are backgrounds of panels and ranges, which must be visible */
		return color >= 244 ? COLOR_WHITE : COLOR_BLUE;
	for (int part = 36; part; part /= 6)
		high = v / part % 6 > high ? v / part % 6 : high;
	for (int part = 36; part; part /= 6, bit++)
		color = (uint8_t)(bit ? color : 0) | (uint8_t)((high && v / part % 6 * 2 > high) << bit);
	return color;
}

static int display_nearest_color(uint8_t color)
{
	return !color ? -1 : COLORS >= 256 ? color : display_nearest_of_eight(color);
}

static void display_convert_style(const display *d, canvas_style s, attr_t *attr, int *pair)
{
	*attr = (s.attr & CANVAS_BOLD ? A_BOLD : 0) | (s.attr & CANVAS_REVERSE ? A_REVERSE : 0) |
		(s.attr & CANVAS_UNDERLINE ? A_UNDERLINE : 0) | (s.attr & CANVAS_DIM ? A_DIM : 0);
	*pair = 0;
	if (d->color && (s.fg || s.bg))
		*pair = alloc_pair(display_nearest_color(s.fg), display_nearest_color(s.bg));
	else if (!d->color && s.bg)
		*attr ^= A_REVERSE;
	*pair = *pair < 0 ? 0 : *pair;
}

/* Draw a cell.  If a wide character, whose right half is x[1], is replaced by a narrow one, a blank fills the right
 * half. */
static void display_put_cell(const display *d, int row, int col, const canvas_cell *x)
{
	uint32_t code = d->utf8 || x->code < 0x80 ? x->code : display_replace_character(x->code);
	wchar_t text[3] = { (wchar_t)code, d->utf8 ? (wchar_t)x->mark : 0 };
	attr_t attr;
	int pair;
	cchar_t cell;

	display_convert_style(d, x->style, &attr, &pair);
	setcchar(&cell, text, attr, (short)(pair > 32767 ? 0 : pair), &pair);
	mvadd_wch(row, col, &cell);
	if (!d->utf8 && x->code >= 0x80 && x[1].code == 0)
		mvaddch(row, col + 1, ' ');
}

void display_show(display *d, const canvas *c)
{
	locale_t before = uselocale(d->locale);

	erase();
	for (int row = 0; row < c->rows; row++)
		for (int col = 0; col < c->cols; col++)
			if (canvas_at(c, row, col)->code)
				display_put_cell(d, row, col, canvas_at(c, row, col));
	move(c->rows - 1, c->cols - 1);
	refresh();
	uselocale(before);
}

/* ---- opening and closing */

static void display_release(display *d)
{
	ending_set_terminal(NULL);
	if (d->in)
		fclose(d->in);
	if (d->out)
		fclose(d->out);
	if (d->locale)
		freelocale(d->locale);
	free(d);
}

/* Sequences that terminals send for keys even if their description does not list them, or describes another
 * terminal. */
static const struct { const char *sent; int key; } usual_sequences[] = {
	{ "\033[1;2D", KEY_SLEFT }, { "\033[1;2C", KEY_SRIGHT }, { "\033[Z", KEY_BTAB },
	{ "\033[1~", KEY_HOME }, { "\033[7~", KEY_HOME }, { "\033[H", KEY_HOME }, { "\033OH", KEY_HOME },
	{ "\033[4~", KEY_END }, { "\033[8~", KEY_END }, { "\033[F", KEY_END }, { "\033OF", KEY_END },
	{ "\033[5~", KEY_PPAGE }, { "\033[6~", KEY_NPAGE }, { "\033[3~", KEY_DC },
	{ "\033[A", KEY_UP }, { "\033[B", KEY_DOWN }, { "\033[C", KEY_RIGHT }, { "\033[D", KEY_LEFT },
	{ "\033OP", KEY_F(1) }, { "\033[11~", KEY_F(1) }, { "\033[[A", KEY_F(1) },
	{ "\033OA", KEY_UP }, { "\033OB", KEY_DOWN }, { "\033OC", KEY_RIGHT }, { "\033OD", KEY_LEFT },
};

/* The sequence that terminfo has under this name for the terminal; NULL: there is none. */
static const char *display_find_sequence(const char *name)
{
	const char *s = tigetstr(name);

	return s == (char *)-1 ? NULL : s;
}

/* Add a sequence of the terminal to `leave`, without the pauses that only old hardware needed. */
static void display_add_sequence(display *d, const char *s)
{
	size_t n = strlen(d->leave);

	for (; s && *s && n + 1 < sizeof d->leave; s++) {
		const char *end = strncmp(s, "$<", 2) == 0 ? strchr(s, '>') : NULL;
		if (end)
			s = end;
		else
			d->leave[n++] = *s;
	}
	d->leave[n] = 0;
}

/* Prepare the text that endwin would send, because a signal handler must not call endwin. */
static void display_prepare_to_leave(display *d)
{
	static const char *const names[] = { "rmkx", "cnorm", "op", "sgr0", "rmcup" };
	const char *mouse = display_find_sequence("XM");

	if (mouse)
		display_add_sequence(d, tparm(mouse, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
	else if (display_find_sequence("kmous"))
		display_add_sequence(d, "\033[?1000l");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		display_add_sequence(d, display_find_sequence(names[i]));
}

static void display_set_up(display *d)
{
	display_prepare_to_leave(d);
	set_term(d->screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	if (d->color) {
		start_color();
		use_default_colors();
	}
	for (size_t i = 0; i < sizeof usual_sequences / sizeof *usual_sequences; i++)
		if (!key_defined(usual_sequences[i].sent))
			define_key(usual_sequences[i].sent, usual_sequences[i].key);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

display *display_open(bool color, notes *say)
{
	static const char *const names[] = { "", "C.UTF-8", "C" };      /* the user's locale, and the locales to try
									 * if it is not installed */
	display *d = mem_new(display, 1);
	locale_t before;

	d->in = fopen("/dev/tty", "r");
	d->out = fopen("/dev/tty", "w");
	for (size_t i = 0; i < sizeof names / sizeof *names && !d->locale; i++)
		d->locale = newlocale(LC_CTYPE_MASK, names[i], NULL);
	if (!d->in || !d->out || !d->locale) {
		notes_problem(say, EXIT_WRONG, "cannot open the terminal:");
		display_release(d);
		return NULL;
	}
	d->saved = (ending_terminal){ .fd = fileno(d->out), .leave = d->leave };
	if (tcgetattr(d->saved.fd, &d->saved.before) == 0)
		ending_set_terminal(&d->saved);         /* before newterm: this installs handlers of signals, and
							 * ncurses installs its own only where there are none */
	before = uselocale(d->locale);
	d->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;   /* not nl_langinfo_l, which is wrong in a static
								 * program */
	d->screen = newterm(NULL, d->out, d->in);
	if (d->screen && !display_find_sequence("cup")) {       /* a terminal whose cursor cannot be moved
								 * (TERM=dumb) */
		endwin();
		delscreen(d->screen);
		d->screen = NULL;
	}
	if (d->screen) {
		d->color = color && has_colors();
		display_set_up(d);
	}
	uselocale(before);
	if (d->screen)
		return d;
	notes_problem(say, EXIT_WRONG, "TERM is '%s', which is not known here or cannot be drawn on; set it to what "
		      "the terminal is, such as xterm-256color", getenv("TERM") ? getenv("TERM") : "");
	display_release(d);
	return NULL;
}

void display_close(display *d)
{
	endwin();
	delscreen(d->screen);
	display_release(d);
}

void display_size(const display *d UNNEEDED, int *rows, int *cols)
{
	getmaxyx(stdscr, *rows, *cols);
}

bool display_colors(const display *d)
{
	return d->color;
}

/* ---- keys */

static int display_translate_key(int key)
{
	static const struct { int theirs, ours; } keys[] = {
		{ KEY_LEFT, DISPLAY_LEFT }, { KEY_RIGHT, DISPLAY_RIGHT }, { KEY_UP, DISPLAY_UP },
		{ KEY_DOWN, DISPLAY_DOWN }, { KEY_SLEFT, DISPLAY_SHIFT_LEFT }, { KEY_SRIGHT, DISPLAY_SHIFT_RIGHT },
		{ KEY_PPAGE, DISPLAY_PAGE_UP }, { KEY_NPAGE, DISPLAY_PAGE_DOWN }, { KEY_HOME, DISPLAY_HOME },
		{ KEY_END, DISPLAY_END }, { KEY_BTAB, DISPLAY_SHIFT_TAB }, { KEY_BACKSPACE, DISPLAY_BACKSPACE },
		{ KEY_DC, DISPLAY_DELETE }, { KEY_ENTER, DISPLAY_ENTER }, { KEY_RESIZE, DISPLAY_RESIZED },
		{ KEY_F(1), DISPLAY_F1 },
	};

	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].theirs == key)
			return keys[i].ours;
	return DISPLAY_NONE;
}

static display_event display_read_mouse(void)
{
	display_event e = { DISPLAY_NONE, 0, 0 };
	MEVENT m;

	if (getmouse(&m) != OK)
		return e;
	e.row = m.y;
	e.col = m.x;
	if (m.bstate & (BUTTON1_PRESSED | BUTTON1_CLICKED))
		e.key = DISPLAY_CLICK;
	else if (m.bstate & BUTTON4_PRESSED)
		e.key = DISPLAY_WHEEL_UP;
	else if (m.bstate & BUTTON5_PRESSED)
		e.key = DISPLAY_WHEEL_DOWN;
	return e;
}

/* Read the rest of a UTF-8 character.  get_wch would wait for up to fifteen more bytes after an invalid byte. */
static int display_read_character(int first)
{
	char text[5] = { (char)first };
	size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;

	for (size_t i = 1; i < n; i++) {
		int next = getch();
		if (next < 0x80 || next > 0xbf) {
			if (next != ERR)
				ungetch(next);
			return DISPLAY_NONE;
		}
		text[i] = (char)next;
	}
	return printable_utf8(text) == n ? (int)printable_code(text, n) : DISPLAY_NONE;
}

/* Read the rest of an escape sequence that ncurses does not know, such as that of a mouse that the terminal's
 * description does not list, and return DISPLAY_NONE.  If nothing or no [ follows the escape, return DISPLAY_ESCAPE. */
static int display_read_escape(void)
{
	int next, n = 0;

	timeout(0);
	next = getch();
	if (next != '[') {
		if (next != ERR)
			ungetch(next);
		return DISPLAY_ESCAPE;
	}
	do {
		next = getch();
		n++;
	} while (next >= 0x20 && next < 0x40 && n < 64);
	for (int i = 0; next == 'M' && n == 1 && i < 3; i++)    /* button, column and row of the oldest mouse
								 * protocol */
		getch();
	return DISPLAY_NONE;
}

enum { CTRL_L = 12 };

display_event display_wait(display *d, int ms)
{
	locale_t before = uselocale(d->locale);
	display_event e = { DISPLAY_NONE, 0, 0 };
	struct termios mode;
	int key;

	timeout(ms);
	errno = 0;
	key = getch();
	if (key == ERR)                 /* no key came in time, the size changed, or the terminal is gone */
		e.key = errno != EIO && tcgetattr(fileno(d->in), &mode) == 0 ? DISPLAY_NONE : DISPLAY_CLOSED;
	else if (key == KEY_MOUSE)
		e = display_read_mouse();
	else if (key > 0xff)
		e.key = display_translate_key(key);
	else if (key >= 0x80)
		e.key = display_read_character(key);
	else if (key == DISPLAY_ESCAPE)
		e.key = display_read_escape();
	else if (key == CTRL_L && clearok(stdscr, TRUE) == OK)          /* Ctrl-L draws again what another program wrote
									 * over */
		e.key = DISPLAY_RESIZED;
	else
		e.key = key == '\r' ? DISPLAY_ENTER : key == 127 || key == 8 ? DISPLAY_BACKSPACE : key;
	uselocale(before);
	return e;
}
