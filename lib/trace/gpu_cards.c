#include "trace/gpu_cards.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/global_id.h"

typedef struct {
	int64_t id;             /* nsys's own number for the card */
	int64_t host;           /* its host, from vmId: the number that the ids of the host's processes hold, too
				 * (global_sub); -1: not known, so any host */
	const char *uuid, *bus, *name;  /* bus: bus location; each NULL: not known */
	int64_t memory, multiprocessors;        /* TRACE_UNKNOWN: not known */
	gpu_limits limits;
} card;

typedef struct {
	arena texts;
	vec(card) cards;
	gpu_numbers numbers;
} gpus;

/* Copy the text in a column; NULL: it is missing, empty, or has only zeros and dashes (after the prefix GPU-). */
static const char *gpu_cards_copy_text(gpus *g, sqlite3_stmt *s, int column)
{
	const char *text = (const char *)sqlite3_column_text(s, column);
	const char *digits = text && strncmp(text, "GPU-", 4) == 0 ? text + 4 : text;

	return digits && digits[strspn(digits, "0-")] ? arena_copy(&g->texts, text) : NULL;
}

static int64_t gpu_cards_read_count(sqlite3_stmt *s, int column)
{
	int64_t n = sqlite3_column_int64(s, column);

	return n > 0 ? n : TRACE_UNKNOWN;
}

static void gpu_cards_take_card(sqlite3_stmt *s, void *ctx)
{
	gpus *g = ctx;
	bool any_host = sqlite3_column_type(s, 1) == SQLITE_NULL;

	vec_push(&g->cards,
		 (card){ .id = sqlite3_column_int64(s, 0),
			 .uuid = gpu_cards_copy_text(g, s, 2),
			 .bus = gpu_cards_copy_text(g, s, 3),
			 .name = gpu_cards_copy_text(g, s, 4),
			 .memory = gpu_cards_read_count(s, 5),
			 .multiprocessors = gpu_cards_read_count(s, 6),
			 .limits = { gpu_cards_read_count(s, 7), gpu_cards_read_count(s, 8),
				     gpu_cards_read_count(s, 9), gpu_cards_read_count(s, 10),
				     gpu_cards_read_count(s, 11) },
			 .host = any_host ? -1 : global_sub(global_process(sqlite3_column_int64(s, 1))) });
}

static void gpu_cards_take_number(sqlite3_stmt *s, void *ctx)
{
	gpu_numbers *out = ctx;

	vec_push(out, (gpu_number){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
		sqlite3_column_int64(s, 2) });
}

static bool gpu_cards_read_cards(const trace *t, gpus *g)
{
	const db_table *in = db_find_with(t->db, "TARGET_INFO_GPU", "id");

	return !in || db_each(t->db, gpu_cards_take_card, g, "SELECT id, %s, %s, %s, %s, %s, %s, 10 * %s + %s, "
			      "%s, %s, %s, %s FROM \"%w\"",
			      db_column_or(in, "vmId", "NULL"), db_column_or(in, "uuid", "NULL"),
			      db_column_or(in, "busLocation", "NULL"), db_column_or(in, "name", "NULL"),
			      db_column_or(in, "memoryBandwidth", "NULL"), db_column_or(in, "smCount", "NULL"),
			      db_column_or(in, "computeMajor", "NULL"), db_column_or(in, "computeMinor", "NULL"),
			      db_column_or(in, "maxWarpsPerSm", "NULL"), db_column_or(in, "maxBlocksPerSm", "NULL"),
			      db_column_or(in, "maxRegistersPerSm", "NULL"), db_column_or(in, "maxShmemPerSm", "NULL"),
			      in->name);
}

static int gpu_cards_compare_numbers(uint32_t a, uint32_t b, const void *ctx)
{
	const gpu_number *x = &((const gpu_number *)ctx)[a], *y = &((const gpu_number *)ctx)[b];

	return x->pid != y->pid ? sort_3way(x->pid, y->pid) : sort_3way(x->number, y->number);
}

bool gpu_numbers_read(const trace *t, gpu_numbers *out)
{
	const db_table *in = db_find_with(t->db, "TARGET_INFO_CUDA_DEVICE", "pid cudaId gpuId");
	bool ok = !in ||
		db_each(t->db, gpu_cards_take_number, out, "SELECT pid, cudaId, gpuId FROM \"%w\" WHERE gpuId NOT NULL",
			in->name);
	uint32_t *order = sort_order(out->n, gpu_cards_compare_numbers, out->v);

	sort_apply(out->v, order, out->n);
	free(order);
	return ok;
}

static const gpu_number *gpu_cards_find_number(const gpu_numbers *numbers, int64_t pid, int64_t number)
{
	const gpu_number *v = numbers->v;
	size_t i;

	search_first(i, 0, numbers->n, v[i].pid > pid || (v[i].pid == pid && v[i].number >= number));
	return i < numbers->n && v[i].pid == pid && v[i].number == number ? &v[i] : NULL;
}

int64_t gpu_numbers_find_card(const gpu_numbers *numbers, const trace *t, const trace_lane *lane)
{
	const gpu_number *named = gpu_cards_find_number(numbers, t->procs[lane->proc].pid, lane->gpu);

	if (named)
		return named->card;
	for (size_t i = 0; i < t->nmetrics; i++)
		if (t->metrics[i].gpu == lane->gpu)
			return t->metrics[i].card;
	return TRACE_UNKNOWN;
}

/* The next card after `from` that a lane may be on, or NULL; from NULL: the first such card.  If the process's number
 * for the card is not in the trace, every card of its host is a candidate. */
static const card *gpu_cards_next_candidate(const gpus *g, const trace *t, const trace_lane *lane, const card *from)
{
	const trace_proc *p = &t->procs[lane->proc];
	const gpu_number *named = gpu_cards_find_number(&g->numbers, p->pid, lane->gpu);

	for (const card *c = from ? from + 1 : g->cards.v; c < g->cards.v + g->cards.n; c++)
		if ((c->host == -1 || c->host == global_sub(p->id)) && (!named || c->id == named->card))
			return c;
	return NULL;
}

/* The card of a lane; NULL: there is not exactly one candidate. */
static const card *gpu_cards_card_of(const gpus *g, const trace *t, const trace_lane *lane)
{
	const card *found = gpu_cards_next_candidate(g, t, lane, NULL);

	return found && !gpu_cards_next_candidate(g, t, lane, found) ? found : NULL;
}

static bool gpu_cards_is_same_card(const card *a, const card *b)
{
	if (a->uuid && b->uuid)
		return strcmp(a->uuid, b->uuid) == 0;
	return a->host == b->host && a->bus && b->bus && strcmp(a->bus, b->bus) == 0;
}

static void gpu_cards_free_gpus(gpus *g)
{
	mem_free(g->cards.v, g->numbers.v);
	arena_free(&g->texts);
}

uint32_t *gpu_find_first_lanes(const trace *t)
{
	gpus g = { 0 };
	bool ok = gpu_cards_read_cards(t, &g) && gpu_numbers_read(t, &g.numbers);
	uint32_t *first = ok ? mem_new(uint32_t, t->nlanes) : NULL;
	vec(const card *) met = { 0 };
	vec(uint32_t) met_by = { 0 };

	for (uint32_t l = 0; ok && l < t->nlanes; l++) {
		const card *own = gpu_cards_card_of(&g, t, &t->lanes[l]);
		size_t k = 0;
		first[l] = NONE;
		if (!own || (!own->uuid && !own->bus))
			continue;
		while (k < met.n && !gpu_cards_is_same_card(own, met.v[k]))
			k++;
		if (k == met.n) {
			vec_push(&met, own);
			vec_push(&met_by, l);
		}
		first[l] = met_by.v[k];
	}
	mem_free(met.v, met_by.v);
	gpu_cards_free_gpus(&g);
	return first;
}

const char **gpu_cards_list_names(const trace *t, const char *host, arena *texts)
{
	gpus g = { 0 };
	bool ok = gpu_cards_read_cards(t, &g) && gpu_numbers_read(t, &g.numbers);
	const char **names = ok ? mem_new(const char *, t->nlanes) : NULL;

	for (size_t l = 0; ok && l < t->nlanes; l++) {
		const card *own = gpu_cards_card_of(&g, t, &t->lanes[l]);
		if (own && own->uuid)
			names[l] = arena_copy(texts, own->uuid);
		else if (own && own->bus && host)
			names[l] = arena_printf(texts, "%s %s", host, own->bus);
	}
	gpu_cards_free_gpus(&g);
	return names;
}

static gpu_model gpu_cards_model_of(const gpus *g, trace *t, const trace_lane *lane)
{
	const card *first = gpu_cards_next_candidate(g, t, lane, NULL);
	bool one = first && first->name, alike = true;

	for (const card *c = first; one && c; c = gpu_cards_next_candidate(g, t, lane, c)) {
		one = c->name && strcmp(c->name, first->name) == 0;
		alike &= c->multiprocessors == first->multiprocessors;  /* MIG slices of one card may differ in this */
	}
	if (!one)
		return (gpu_model){ STR_NONE, TRACE_UNKNOWN, TRACE_UNKNOWN, { TRACE_UNKNOWN, TRACE_UNKNOWN,
			TRACE_UNKNOWN, TRACE_UNKNOWN, TRACE_UNKNOWN } };
	return (gpu_model){ str_id(&t->names, first->name, strlen(first->name)), first->memory,
		alike ? first->multiprocessors : TRACE_UNKNOWN, first->limits };
}

gpu_model *gpu_find_models(trace *t)
{
	gpus g = { 0 };
	bool ok = gpu_cards_read_cards(t, &g) && gpu_numbers_read(t, &g.numbers);
	gpu_model *model = ok ? mem_new(gpu_model, t->nlanes) : NULL;

	for (size_t l = 0; ok && l < t->nlanes; l++)
		model[l] = gpu_cards_model_of(&g, t, &t->lanes[l]);
	gpu_cards_free_gpus(&g);
	return model;
}
