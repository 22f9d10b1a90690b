#include "capture/sweep.h"
#include "capture/secrets.h"

#include <string.h>

enum { MOST_CASES = 1000, LONGEST_NAME = 200 };

typedef struct {                /* a spec NAME=V1,V2,... */
	const char *name;
	text_list values;
} axis;

typedef vec(axis) axes;

static bool sweep_read_axis(const char *spec, axis *to, arena *texts)
{
	const char *eq = strchr(spec, '=');

	if (!eq || eq == spec || strcspn(spec, "{}") < (size_t)(eq - spec))
		return false;
	to->name = arena_text(texts, spec, (size_t)(eq - spec));
	for (const char *v = eq + 1;; v++) {
		size_t n = strcspn(v, ",");
		if (!n)
			return false;
		vec_push(&to->values, arena_text(texts, v, n));
		v += n;
		if (!*v)
			return true;
	}
}

/* Find the value for a text that begins with its name and a }; NULL: there is none. */
static const named_value *sweep_find_value(const char *text, const sweep_case *c)
{
	size_t n = strcspn(text, "}");

	for (size_t i = 0; text[n] && i < c->values.n; i++)
		if (strlen(c->values.v[i].name) == n && strncmp(c->values.v[i].name, text, n) == 0)
			return &c->values.v[i];
	return NULL;
}

/* The text with every {NAME} replaced by its value.  A {NAME} inside a value stays. */
static const char *sweep_fill_text(const char *text, const sweep_case *c, arena *to)
{
	const char *out = "";

	for (const char *at = text; (at = strchr(at, '{'));) {
		const named_value *v = sweep_find_value(++at, c);
		if (v) {
			out = arena_printf(to, "%s%.*s%s", out, (int)(at - 1 - text), text, v->value);
			text = at += strlen(v->name) + 1;
		}
	}
	return arena_printf(to, "%s%s", out, text);
}

static bool sweep_is_used(const char *name, const text_list *command, arena *to)
{
	const char *mark = arena_printf(to, "{%s}", name);
	bool used = false;

	for (size_t i = 0; i < command->n; i++)
		used |= strstr(command->v[i], mark) != NULL;
	return used;
}

static char *sweep_make_safe_name(const char *text, arena *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+=-,";
	size_t n = strlen(text);
	char *out = arena_text(to, text, n < LONGEST_NAME ? n : LONGEST_NAME);

	for (char *p = out; *p; p++)
		if (!strchr(plain, *p))
			*p = '_';
	return out;
}

/* A name that no other case has.  If an earlier case has the wanted name (the two differ only in characters that were
 * replaced or cut off), this case gets a number: NAME~2. */
static const char *sweep_make_unique_name(const sweep *s, const char *wanted, arena *to)
{
	const char *name = wanted;

	for (size_t i = 0, number = 2; i < s->n; i++)
		if (s->v[i].folder && strcmp(s->v[i].folder, name) == 0) {
			name = arena_printf(to, "%s~%zu", wanted, number++);
			i = (size_t)-1;
		}
	return name;
}

/* Does a value look like a secret?  It does if NAME=VALUE does, or if a word of the command that has {NAME} contains
 * a secret when it is filled in.  shown: the filled-in command from secrets_masked, which copies only the words that it
 * masks. */
static bool sweep_is_secret(const named_value *v, const text_list *command, const sweep_case *c, const text_list *shown,
			    const rules *known, arena *to)
{
	const char *mark = arena_printf(to, "{%s}", v->name);
	bool secret = secrets_in(known, arena_printf(to, "%s=%s", v->name, v->value));

	for (size_t i = 0; i < command->n; i++)
		secret |= strstr(command->v[i], mark) && shown->v[i] != c->command.v[i];
	return secret;
}

/* Replace values in c->values that look like secrets by ***.  c->command, which has been filled in, keeps them. */
static void sweep_hide_values(sweep_case *c, const text_list *command, const rules *known, arena *to)
{
	text_list shown = secrets_masked(known, &c->command, to);

	for (size_t i = 0; i < c->values.n; i++)
		if (sweep_is_secret(&c->values.v[i], command, c, &shown, known, to))
			c->values.v[i].value = SECRET;
	vec_free(&shown);
}

/* Add a case.  chosen: an array with an element for each axis, the index of the value that the case has. */
static void sweep_add_case(sweep *s, const axes *all, const size_t *chosen, const text_list *command,
			   const rules *known)
{
	sweep_case c = { 0 };
	const char *name = NULL;

	for (size_t i = 0; i < all->n; i++)
		vec_push(&c.values, (named_value){ all->v[i].name, all->v[i].values.v[chosen[i]] });
	for (size_t i = 0; i < command->n; i++)
		vec_push(&c.command, sweep_fill_text(command->v[i], &c, &s->texts));
	sweep_hide_values(&c, command, known, &s->texts);
	for (size_t i = 0; i < c.values.n; i++)
		name = arena_printf(&s->texts, "%s%s%s=%s", name ? name : "", name ? "," : "", c.values.v[i].name,
				    c.values.v[i].value);
	c.folder = name ? sweep_make_unique_name(s, sweep_make_safe_name(name, &s->texts), &s->texts) : NULL;
	vec_push(s, c);
}

/* Go to the next combination; false after the last. */
static bool sweep_next_case(const axes *all, size_t *chosen)
{
	for (size_t i = all->n; i-- > 0;) {
		if (++chosen[i] < all->v[i].values.n)
			return true;
		chosen[i] = 0;
	}
	return false;
}

static bool sweep_read_axes(axes *to, sweep *s, const text_list *specs, const text_list *command, notes *say)
{
	size_t cases = 1;

	for (size_t i = 0; i < specs->n; i++) {
		axis a = { 0 };
		bool ok = sweep_read_axis(specs->v[i], &a, &s->texts);
		vec_push(to, a);
		if (!ok)
			return notes_problem(say, EXIT_WRONG, "'--sweep' takes NAME=V1,V2,..., not '%s'", specs->v[i]);
		for (size_t k = 0; k < i; k++)
			if (strcmp(to->v[k].name, a.name) == 0)
				return notes_problem(say, EXIT_WRONG, "'--sweep' names '%s' twice; give all its values "
						     "at once", a.name);
		if (!sweep_is_used(a.name, command, &s->texts))
			return notes_problem(say, EXIT_WRONG, "'{%s}' is nowhere in the command, so each value of "
					     "'--sweep %s' would run the same", a.name, specs->v[i]);
		cases *= a.values.n;
		if (cases > MOST_CASES)
			return notes_problem(say, EXIT_WRONG, "'--sweep' has more than %d combinations; take fewer "
					     "values", MOST_CASES);
	}
	return true;
}

bool sweep_read(sweep *to, const text_list *specs, const text_list *command, notes *say)
{
	axes all = { 0 };
	bool ok = sweep_read_axes(&all, to, specs, command, say);
	size_t *chosen = mem_new(size_t, all.n);
	rules *known = secrets_load(say);

	if (ok)
		do
			sweep_add_case(to, &all, chosen, command, known);
		while (sweep_next_case(&all, chosen));
	rules_free(known);
	for (size_t i = 0; i < all.n; i++)
		vec_free(&all.v[i].values);
	mem_free(all.v, chosen);
	return ok;
}

void sweep_free(sweep *s)
{
	for (size_t i = 0; i < s->n; i++) {
		vec_free(&s->v[i].command);
		vec_free(&s->v[i].values);
	}
	vec_free(s);
	arena_free(&s->texts);
}
