#include "map/mapping.h"

#include <string.h>

/* Where in a command line we are.  Within $( ) it begins anew, whatever is around it. */
typedef struct {
	enum { PLAIN, DOUBLE, SINGLE } quotes;
	int parentheses;        /* that are open in it */
} place;

typedef struct {
	const char *at;
	vec(char) out;
	vec(place) places;      /* the innermost is the last */
	bool backquotes, here_document, found;
} reading;

static place *innermost(reading *r)
{
	return &r->places.v[r->places.n - 1];
}

static void put(reading *r, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&r->out, s[i]);
}

static void put_path(reading *r)
{
	static const char *const as[] = { [PLAIN] = "\"${1}\"", [DOUBLE] = "${1}", [SINGLE] = "'\"${1}\"'" };
	const char *path = as[innermost(r)->quotes];

	put(r, path, strlen(path));
	r->at += 2;
	r->found = true;
}

/* A comment ends with its line; what is in it opens no quotes. */
static size_t comment(const reading *r)
{
	bool word = r->out.n && !strchr(" \t\n;|&()", r->out.v[r->out.n - 1]);

	return *r->at == '#' && !word ? strcspn(r->at, "\n") : 0;
}

static void open_place(reading *r)
{
	vec_push(&r->places, (place){ PLAIN, 0 });
}

static void look(reading *r)
{
	place *p = innermost(r);
	char c = *r->at;

	if (p->quotes == SINGLE)
		p->quotes = c == '\'' ? PLAIN : SINGLE;
	else if (c == '"')
		p->quotes = p->quotes == DOUBLE ? PLAIN : DOUBLE;
	else if (c == '`')
		r->backquotes = !r->backquotes;
	else if (c == '\'' && p->quotes == PLAIN)
		p->quotes = SINGLE;
	else if (c == '(' && r->out.n && r->out.v[r->out.n - 1] == '$')
		open_place(r);
	else if (c == '(' && p->quotes == PLAIN)
		p->parentheses++;
	else if (c == ')' && p->quotes == PLAIN && p->parentheses)
		p->parentheses--;
	else if (c == ')' && p->quotes == PLAIN && r->places.n > 1)
		r->places.n--;
}

/* How many characters stand for themselves: an escaped one, a comment, the sign of a here-document. */
static size_t as_it_is(reading *r)
{
	place *p = innermost(r);

	if (*r->at == '\\' && p->quotes != SINGLE && r->at[1])
		return 2;
	if (p->quotes == PLAIN && strncmp(r->at, "<<<", 3) == 0)
		return 3;
	r->here_document |= p->quotes == PLAIN && strncmp(r->at, "<<", 2) == 0;
	return p->quotes == PLAIN ? comment(r) : 0;
}

/* Would the shell take what we add to the pipeline for a part of it? */
static bool unfinished(const reading *r)
{
	const char *rest = r->at + 1;
	const place *p = &r->places.v[r->places.n - 1];

	if (*r->at == '\\')
		return p->quotes != SINGLE && !*rest;
	return p->quotes == PLAIN && !rest[strspn(rest, " \t\n")] &&
		(*r->at == '|' || (*r->at == '&' && r->out.n && r->out.v[r->out.n - 1] == '&'));
}

static bool read_through(reading *r, notes *say)
{
	open_place(r);
	while (*r->at) {
		size_t n = as_it_is(r);
		if (n) {
			put(r, r->at, n);
			r->at += n;
		} else if (strncmp(r->at, "{}", 2) == 0 && r->backquotes) {
			return notes_problem(say, EXIT_WRONG, "'{}' stands within backquotes; write $(...) instead of "
					     "them");
		} else if (strncmp(r->at, "{}", 2) == 0 && r->here_document) {
			return notes_problem(say, EXIT_WRONG, "'{}' stands behind <<, where it may be part of a "
					     "here-document; write $1 there, which is the trace");
		} else if (strncmp(r->at, "{}", 2) == 0) {
			put_path(r);
		} else if (unfinished(r)) {
			return notes_problem(say, EXIT_WRONG, "the pipeline ends with '%c', behind which something "
					     "must come", *r->at);
		} else {
			look(r);
			put(r, r->at++, 1);
		}
	}
	return r->found || notes_problem(say, EXIT_WRONG, "the pipeline has no '{}', which stands for the trace, as in "
					 "'nsq-window {} | nsq-overlap'");
}

/* A part that ends because the next has read enough, as with head, has not failed.  Without a command, as in an
 * empty branch, there are no parts. */
#define LARGEST_CODE "\ncodes=(\"$?\" \"${PIPESTATUS[@]}\"); largest=${codes[0]}; for code in \"${codes[@]}\"; do " \
	"[ \"$code\" = 141 ] || [ \"$code\" -le \"$largest\" ] || largest=$code; done; exit \"$largest\""

bool pipeline_read(pipeline *p, const char *given, notes *say)
{
	reading r = { .at = given };
	bool ok = read_through(&r, say), bash = child_there("bash");

	p->shell = bash ? "bash" : "sh";
	if (ok)
		p->text = arena_printf(&p->texts, "%.*s%s", (int)r.out.n, r.out.v, bash ? LARGEST_CODE : "");
	mem_free(r.out.v, r.places.v);
	return ok;
}

int pipeline_start(const pipeline *p, const char *path, const child_io *io, pid_t *pid)
{
	const char *words[] = { p->shell, "-c", p->text, "nsq-map", path, NULL };

	return child_start(pid, (char *const *)words, io);
}
