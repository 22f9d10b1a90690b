#include "picture/plot_slots.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { LYING_MOST = 30, LANES_MOST = 64 };

typedef struct {
	const double *sums;             /* by known slot */
	const group *known;
	const str_pool *names;
} slot_order;

static int by_size(uint32_t a, uint32_t b, const void *ctx)
{
	const slot_order *o = ctx;

	return o->sums[a] != o->sums[b] ? sort_3way(o->sums[b], o->sums[a]) : sort_3way(a, b);
}

/* By name, the numbers in it by their value. */
static int by_lane(uint32_t a, uint32_t b, const void *ctx)
{
	const slot_order *o = ctx;

	return strverscmp(str_at(o->names, (uint32_t)o->known->key[2 * a + 1]), str_at(o->names, (uint32_t)o->known->key[2 * b + 1]));
}

/* ---- windows */

/* The end of a window's name proper, before @A..B, and where its index begins, behind #; NULL: it has none. */
static const char *index_of(const char *window, size_t *end)
{
	const char *at = strrchr(window, '@'), *hash;

	*end = at && strspn(at + 1, "0123456789.") == strlen(at + 1) ? (size_t)(at - window) : strlen(window);
	hash = memrchr(window, '#', *end);
	return hash && hash + 1 < window + *end && strspn(hash + 1, "0123456789") >= *end - (size_t)(hash + 1 - window) ? hash + 1 : NULL;
}

/* If the names of all bars are windows of one name, whatever its digits, they are called by their index alone; else without the
 * CPU side. */
static void name_windows(plot *to)
{
	str_pool names = { 0 };
	uint32_t first = STR_NONE;
	bool one = true;
	size_t end;

	for (size_t p = 0; p < to->panels.n; p++)
		for (size_t i = 0; i < to->panels.v[p].slots.n && one; i++) {
			const char *name = to->panels.v[p].slots.v[i], *at = index_of(name, &end);
			uint32_t id = at ? str_fold(&names, str_id(&names, name, (size_t)(at - name) - 1)) : STR_NONE;
			one = id != STR_NONE && (first == STR_NONE || first == id);
			first = id;
		}
	for (size_t p = 0; p < to->panels.n; p++)
		for (size_t i = 0; i < to->panels.v[p].slots.n; i++) {
			const char **name = &to->panels.v[p].slots.v[i], *at = index_of(*name, &end);
			size_t skip = one && at ? (size_t)(at - *name) : 0;
			*name = arena_text(&to->texts, *name + skip, end - skip);
		}
	if (one && first != STR_NONE)
		to->across = arena_printf(&to->texts, "window, %s", str_at(&names, first));
	str_free(&names);
}

/* ---- places */

static size_t count_space(const plot_slots *s, uint32_t space)
{
	size_t n = 0;

	for (size_t i = 0; i < s->known.n; i++)
		n += s->known.key[2 * i] == space;
	return n;
}

/* Number the slots of a space in the order given; the smallest beyond most share the last place or, if they cannot be
 * added up, have none.  Returns how many those are. */
static size_t place_space(plot *to, plot_slots *s, const uint32_t *order, const slot_order *o, uint32_t space, size_t most, bool pool)
{
	size_t n = count_space(s, space), kept = n > most ? most - 1 : n, k = 0;
	uint32_t *mine = mem_new(uint32_t, n + 1), next = 0;
	plot_panel *first = NULL;

	for (size_t i = 0; i < s->known.n; i++)
		if (s->known.key[2 * order[i]] == space)
			mine[k++] = order[i];
	sort_items(mine, n, by_size, o);
	for (size_t i = kept; i < n; i++)
		s->place[mine[i]] = PLOT_NO_SLOT;
	for (size_t p = 0; p < to->panels.n; p++)
		first = !first && s->space[p] == space ? &to->panels.v[p] : first;
	for (size_t i = 0; i < s->known.n; i++)
		if (s->known.key[2 * order[i]] == space && s->place[order[i]] != PLOT_NO_SLOT) {
			s->place[order[i]] = next++;
			vec_push(&first->slots, arena_copy(&to->texts, str_at(o->names, (uint32_t)s->known.key[2 * order[i] + 1])));
		}
	for (size_t i = kept; i < n && pool; i++)
		s->place[mine[i]] = next;
	if (kept < n && pool)
		vec_push(&first->slots, arena_printf(&to->texts, "other (%zu)", n - kept));
	free(mine);
	return n - kept;
}

/* Panels of one space have the same slots. */
static void share_slots(plot *to, const plot_slots *s)
{
	for (size_t p = 1; p < to->panels.n; p++)
		for (size_t q = 0; q < p && !to->panels.v[p].slots.n; q++)
			if (s->space[q] == s->space[p])
				for (size_t i = 0; i < to->panels.v[q].slots.n; i++)
					vec_push(&to->panels.v[p].slots, to->panels.v[q].slots.v[i]);
}

plot_slots plot_slots_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	plot_slots s = { .known = { .width = 2 }, .space = mem_new(uint32_t, to->panels.n + 1) };
	bool lanes = to->kind == PLOT_TIMELINE, shared = !lanes && !to->upright;
	vec(double) sums = { 0 };
	slot_order o = { .known = &s.known, .names = &items->slots };
	uint32_t *order;
	size_t few = 0;

	for (size_t p = 0; p < to->panels.n; p++)
		s.space[p] = shared ? (uint32_t)to->panels.v[p].row : (uint32_t)p;
	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t k = group_of(&s.known, (int64_t[]){ s.space[places.panels[it->panel]], it->slot });
		if (k == sums.n)
			vec_push(&sums, 0);
		sums.v[k] += fabs(lanes ? it->b - it->a : it->b);
	}
	o.sums = sums.v;
	order = mem_new(uint32_t, s.known.n + 1);
	s.place = mem_new(uint32_t, s.known.n + 1);
	for (size_t i = 0; i < s.known.n; i++)
		order[i] = (uint32_t)i;
	if (lanes)
		sort_items(order, s.known.n, by_lane, &o);
	else if (shared && to->cols > 1 && !c->table_in_label)
		sort_items(order, s.known.n, by_size, &o);
	for (size_t p = 0; p < to->panels.n; p++)
		if (!p || s.space[p] != s.space[p - 1])
			few += place_space(to, &s, order, &o, s.space[p], lanes ? LANES_MOST : shared ? LYING_MOST : SIZE_MAX, lanes || c->sums);
	if (few)
		plot_tell(to, say, arena_printf(&to->texts, lanes || c->sums ? "the %zu smaller ones of %zu %s are drawn as one, other" :
						"the %zu smaller ones of %zu %s are left out", few, s.known.n, lanes ? "lanes" : "bars"));
	share_slots(to, &s);
	if (c->label.n == 1 && strcmp(c->label.v[0], "window") == 0)
		name_windows(to);
	free(order);
	vec_free(&sums);
	return s;
}

uint32_t plot_slot(plot_slots *s, uint32_t panel, uint32_t slot)
{
	return s->place[group_of(&s->known, (int64_t[]){ s->space[panel], slot })];
}

void plot_slots_free(plot_slots *s)
{
	group_free(&s->known);
	free(s->place);
	free(s->space);
}
