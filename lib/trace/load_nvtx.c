#include "trace/load_nvtx.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "sqlite/rows.h"
#include "trace/event_span.h"
#include "trace/global_id.h"

#include <string.h>

enum { START, END, TYPE, TID, TEXT, TEXTID, DOMAIN, DATA, JSON, JSON_ID, COLS };

typedef struct {
	trace *t;
	bool keep_ranges;               /* false: only count them */
	bool keep_marks;
	payload_schemas *payloads;      /* NULL: payloads are not needed */
	const rows_col *cols;
} load_nvtx_ctx;

void load_nvtx_list_columns(trace_ranges *r, column c[LOAD_NVTX_COLUMNS])
{
	const column all[LOAD_NVTX_COLUMNS] = { COLUMN(r->start), COLUMN(r->end), COLUMN(r->name), COLUMN(r->kind) };

	memcpy(c, all, sizeof all);
}

static void load_nvtx_make_room(void *ctx, size_t n)
{
	load_nvtx_ctx *r = ctx;
	column c[LOAD_NVTX_COLUMNS];

	load_nvtx_list_columns(&r->t->pushpop, c);
	column_grow(c, LOAD_NVTX_COLUMNS, n);
}

static void load_nvtx_free_part(void *which)
{
	struct nvtx_part *p = which;

	dict_free(&p->ids);
	dict_free(&p->text_ids);
	dict_free(&p->domain_ids);
	dict_free(&p->domains);
	dict_free(&p->text_id_pairs);
	str_free(&p->texts);
	vec_free(&p->threads);
	vec_free(&p->next);
	vec_free(&p->text_id_start);
	vec_free(&p->definitions);
	vec_free(&p->pushpop);
	vec_free(&p->startend);
	vec_free(&p->se_start);
	vec_free(&p->se_end);
	vec_free(&p->se_name);
	vec_free(&p->se_domain);
	vec_free(&p->mark_start);
	vec_free(&p->mark_thread);
	vec_free(&p->mark_name);
	payloads_part_free(&p->payloads);
	mem_free(p->thread, p->name, p->text, p->kind);
}

/* The index of a text in p->texts; a new text is added.  p->next then has it as the successor of the thread's last
 * text. */
static __attribute__((noinline)) uint32_t load_nvtx_add_text(struct nvtx_part *p, nvtx_thread *th,
							     const rows_text *text)
{
	const char *nul = memchr(text->s, 0, text->len);
	uint32_t before = th->text;

	th->text = str_id(&p->texts, text->s, nul ? (size_t)(nul - text->s) : text->len);
	if (th->text == p->next.n)
		vec_push(&p->next, th->text);
	p->next.v[before] = th->text;
	return th->text;
}

/* The index of a text in p->texts; a new text is added.  Programs repeat themselves, so a text is mostly the one that
 * followed the thread's last text the time before. */
static inline uint32_t load_nvtx_find_text(struct nvtx_part *p, nvtx_thread *th, const rows_text *text)
{
	uint32_t guess = p->next.n ? p->next.v[th->text] : STR_NONE;

	if (guess != STR_NONE && str_len(&p->texts, guess) == text->len &&
	    memcmp(str_at(&p->texts, guess), text->s, text->len) == 0)
		return th->text = guess;
	return load_nvtx_add_text(p, th, text);
}

/* Note the first event of each thread with each text id.  The text may be a setup label; that is not known before the
 * strings are read. */
static void load_nvtx_note_first_use(struct nvtx_part *p, uint32_t thread, uint32_t name, int64_t start)
{
	uint32_t k = dict_key(&p->text_id_pairs, nvtx_pair(thread, name & ~NVTX_BY_ID));

	if (k == p->text_id_start.n)
		vec_push(&p->text_id_start, start);
	else if (start < p->text_id_start.v[k])
		p->text_id_start.v[k] = start;
}

static void load_nvtx_take_payload(const load_nvtx_ctx *r, struct nvtx_part *p, const rows_batch *b, size_t i,
				   uint32_t thread, uint32_t domain)
{
	const rows_text *data = &b->texts[DATA][i], *json = &b->texts[JSON][i];

	if (data->s || json->s || b->ints[JSON_ID][i] >= 0)
		payloads_take(r->payloads, &p->payloads, &(payload_row){ thread, domain, b->ints[DOMAIN][i],
			      b->ints[START][i], b->ints[END][i], data, json, b->ints[JSON_ID][i] });
}

static __attribute__((noinline)) uint32_t load_nvtx_add_domain(struct nvtx_part *p, uint32_t thread, int64_t id)
{
	uint32_t domain = dict_key(&p->domains, nvtx_pair(thread, dict_key(&p->domain_ids, id)));

	if (domain == p->pushpop.n) {
		vec_push(&p->pushpop, 0);
		vec_push(&p->startend, 0);
	}
	p->threads.v[thread].domain_id = id;
	return p->threads.v[thread].domain = domain;
}

/* The key, in p->domains, of the thread and the domain of a range.  The domain is mostly that of the thread's last
 * range. */
static inline uint32_t load_nvtx_find_domain(struct nvtx_part *p, uint32_t thread, int64_t id)
{
	const nvtx_thread *th = &p->threads.v[thread];

	return th->domain != DICT_NONE && th->domain_id == id ? th->domain : load_nvtx_add_domain(p, thread, id);
}

static void load_nvtx_take_range(load_nvtx_ctx *r, struct nvtx_part *p, const rows_batch *b, size_t i, uint32_t thread,
				 uint32_t name)
{
	trace_ranges *to = &r->t->pushpop;
	uint32_t domain = load_nvtx_find_domain(p, thread, b->ints[DOMAIN][i]);
	bool is_pushpop = b->ints[TYPE][i] == NVTX_PUSH_POP;

	(is_pushpop ? &p->pushpop : &p->startend)->v[domain]++;
	if (!r->keep_ranges)
		return;
	if (is_pushpop) {
		size_t at = p->rows.first + p->rows.n++;
		to->start[at] = b->ints[START][i];
		to->end[at] = b->ints[END][i];
		to->name[at] = name;
		to->kind[at] = domain;
		if (r->payloads)
			load_nvtx_take_payload(r, p, b, i, thread, domain);
	} else {
		vec_push(&p->se_start, b->ints[START][i]);
		vec_push(&p->se_end, b->ints[END][i]);
		vec_push(&p->se_name, name);
		vec_push(&p->se_domain, domain);
	}
}

static uint32_t load_nvtx_number_thread(struct nvtx_part *p, int64_t id)
{
	uint32_t thread = dict_key(&p->ids, id);

	if (thread == p->threads.n)
		vec_push(&p->threads, (nvtx_thread){ .span = IVAL_NOWHERE, .domain = DICT_NONE });
	return thread;
}

static bool load_nvtx_is_label(const rows_text *text)
{
	return text->len > 5 && memcmp(text->s, "rank=", 5) == 0;
}

static void load_nvtx_take_event(load_nvtx_ctx *r, struct nvtx_part *p, const rows_batch *b, size_t i)
{
	int64_t start = b->ints[START][i], end = b->ints[END][i], type = b->ints[TYPE][i], id = b->ints[TID][i];
	bool is_range = type == NVTX_PUSH_POP || type == NVTX_START_END;
	bool keep_mark = r->keep_marks && type == NVTX_MARK;
	bool defines = type == NVTX_THREAD_NAME || type == NVTX_CREATE_DOMAIN;
	const rows_text *text = &b->texts[TEXT][i];
	bool is_label = text->s && load_nvtx_is_label(text);
	uint32_t thread = load_nvtx_number_thread(p, id), name = STR_NONE;
	ival *span = &p->threads.v[thread].span;

	if (!text->s && b->ints[TEXTID][i] != -1)
		name = NVTX_BY_ID | dict_key(&p->text_ids, b->ints[TEXTID][i]);
	else if (text->s && (is_label || defines || (((is_range && r->keep_ranges) || keep_mark) && start >= 0)))
		name = load_nvtx_find_text(p, &p->threads.v[thread], text);
	if (defines && (type != NVTX_CREATE_DOMAIN || r->cols[DOMAIN].found))
		vec_push(&p->definitions, (nvtx_definition){ type, start, id, b->ints[DOMAIN][i], name });
	/* the time of a row about a domain says nothing about when the program ran */
	if (start < 0 || type == NVTX_CREATE_DOMAIN || type == NVTX_DESTROY_DOMAIN)
		return;
	if (is_range || end != NVTX_NEVER)
		event_span_widen(span, start, end > start ? end : start);
	else                    /* an event without an end, such as a mark, has no length */
		*span = (ival){ start < span->a ? start : span->a, start > span->b ? start : span->b };
	if (name != STR_NONE && name & NVTX_BY_ID)
		load_nvtx_note_first_use(p, thread, name, start);
	else if (is_label)
		vec_push(&p->definitions, (nvtx_definition){ 0, start, id, 0, name });
	if (keep_mark) {
		vec_push(&p->mark_start, start);
		vec_push(&p->mark_thread, thread);
		vec_push(&p->mark_name, name);
	}
	if (is_range)
		load_nvtx_take_range(r, p, b, i, thread, name);
}

static void load_nvtx_take_rows(void *ctx, void *to, const rows_batch *b)
{
	for (size_t i = 0; i < b->n; i++)
		load_nvtx_take_event(ctx, to, b, i);
}

/* Add each part's texts to trace.names, and set its `name`.  Several parts may have the same text. */
static void load_nvtx_name_texts(trace *t, nvtx_raw *raw)
{
	for (size_t i = 0; i < raw->parts.n; i++) {
		struct nvtx_part *p = nvtx_part_at(raw, i);
		p->name = mem_grow(NULL, p->texts.n, sizeof *p->name);
		str_adopt(&t->names, &p->texts, p->name);
		vec_free(&p->next);
	}
	mem_trim();
}

bool load_nvtx(trace *t, unsigned need, nvtx_raw *raw)
{
	bool keep_ranges = need & TRACE_RANGES, payloads = need & TRACE_PAYLOADS;
	load_nvtx_ctx r = { .t = t, .keep_ranges = keep_ranges, .keep_marks = need & TRACE_MARKS };
	rows_reader reader = { .part_size = sizeof(struct nvtx_part),
			       .free_part = load_nvtx_free_part,
			       .take = load_nvtx_take_rows,
			       .kept = keep_ranges ? "NVTX events" : NULL,
			       .room = load_nvtx_make_room };
	rows_col c[COLS] = {
		[START] = { .names = "start", .null = -1 },
		[END] = { .names = "end", .null = INT64_MIN },
		[TYPE] = { .names = "eventType", .null = NVTX_PUSH_POP },
		[TID] = { .names = "globalTid", .null = -1 },
		[TEXT] = { .names = "text", .text = true },
		[TEXTID] = { .names = "textId", .null = -1 },
		[DOMAIN] = { .names = "domainId" },
		[DATA] = { .names = payloads ? "binaryData" : NULL, .text = true },
		[JSON] = { .names = payloads ? "jsonText" : NULL, .text = true },
		[JSON_ID] = { .names = payloads ? "jsonTextId" : NULL, .null = -1 },
	};
	bool ok;

	r.cols = c;
	r.payloads = payloads ? payloads_read_schemas(t->db) : NULL;
	ok = (r.payloads || !payloads) &&
		rows_read(t->db, db_find(t->db, "NVTX_EVENTS"), c, COLS, &reader, &r, t->workers, &raw->parts);
	if (r.payloads)
		payloads_schemas_free(r.payloads);
	return ok;
}

bool load_nvtx_add_names(trace *t, nvtx_raw *raw)
{
	for (size_t i = 0; i < raw->parts.n; i++)
		for (size_t k = 0; k < nvtx_part_at(raw, i)->text_ids.n; k++)
			dict_key(&raw->text_ids, nvtx_part_at(raw, i)->text_ids.value[k]);
	raw->text = trace_find_strings(t, &raw->text_ids);
	for (size_t i = 0; raw->text && i < raw->parts.n; i++) {
		struct nvtx_part *p = nvtx_part_at(raw, i);
		p->text = mem_new(uint32_t, p->text_ids.n);
		for (size_t k = 0; k < p->text_ids.n; k++)
			p->text[k] = raw->text[dict_find(&raw->text_ids, p->text_ids.value[k])];
	}
	load_nvtx_name_texts(t, raw);
	return raw->text;
}

bool load_nvtx_has_domain(const trace *t, const nvtx_raw *raw, const char *name)
{
	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->definitions.n; k++) {
			const nvtx_definition *d = &p->definitions.v[k];
			const char *own = d->type == NVTX_CREATE_DOMAIN ? str_at(&t->names, nvtx_string(p, d->name)) :
				NULL;
			if (own && strcmp(own, name) == 0)
				return true;
		}
	}
	return false;
}

void load_nvtx_add_ids(const nvtx_raw *raw, dict *processes, dict *threads)
{
	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->ids.n; k++)
			if (p->threads.v[k].span.a <= p->threads.v[k].span.b) {         /* IVAL_NOWHERE: the thread has
											 * no events */
				dict_key(processes, global_process(p->ids.value[k]));
				dict_key(threads, p->ids.value[k]);
			}
	}
}

void load_nvtx_free(nvtx_raw *raw)
{
	rows_parts_free(&raw->parts);
	dict_free(&raw->text_ids);
	free(raw->text);
}
