#include "trace/payloads.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "sqlite/rows.h"
#include "trace/load_nvtx.h"

#include <endian.h>
#include <string.h>
#include <strings.h>

enum field { COMM, BYTES, PEER, SIZE, RANK, FIELDS };

static const char *const names[FIELDS] = { "NCCL communicator ID", "Message size [bytes]", "Peer rank", "No. of ranks",
	"Rank" };

typedef struct {                /* where a field is in a trace_payload */
	size_t offset;
	size_t width;           /* 0: the schema has no such field */
	bool is_signed;
} place;

typedef struct {
	place field[FIELDS];
	size_t end;             /* of the entries so far: where the next one may begin */
	bool bad;               /* its entries disagree, or are of unknown types */
} schema;

typedef struct {                /* a row of NVTX_PAYLOAD_SCHEMA_ENTRIES */
	int64_t domain, schema, idx, type, offset;
	const char *name;
} entry;

typedef struct {
	trace *t;
	vec(entry) entries;
	arena texts;
	sums schemas;           /* by domain and id */
	dict nccl;              /* pairs of process and domain id that are NCCL's */
} reading;

typedef struct {                /* a payload that is JSON */
	trace_payload of;
	uint32_t text;          /* string of its part; STR_NONE: it is the trace's string */
	int64_t id;             /* with this id */
} json;

typedef struct {
	rows_part rows;
	vec(trace_payload) found;
	vec(json) json;
	str_pool texts;
	size_t no_schema, cut;
} part;

/* The width of a type of NVTX's payload extension (nvToolsExtPayload.h); 0: a type that no field of ours has. */
static size_t width_of(int64_t type, bool *is_signed)
{
	static const uint8_t width[24] = { [1] = 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8 };

	*is_signed = type < 19 && type % 2 == 1;
	return type > 0 && type < 24 ? width[type] : 0;
}

static void entry_row(sqlite3_stmt *s, void *ctx)
{
	reading *r = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 5);

	vec_push(&r->entries, (entry){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
		 sqlite3_column_int64(s, 2), sqlite3_column_int64(s, 3),
		 sqlite3_column_type(s, 4) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, 4),
		 arena_copy(&r->texts, name ? name : "") });
}

/* Add an entry to its schema.  One without an offset follows the previous one, aligned like a member of a struct in
 * C. */
static void add_entry(schema *s, const entry *e)
{
	bool is_signed;
	size_t width = width_of(e->type, &is_signed), at = width ? (s->end + width - 1) / width * width : s->end;

	if (e->offset >= 0)
		at = (size_t)e->offset;
	for (int f = 0; f < FIELDS; f++)
		if (strcasecmp(e->name, names[f]) == 0) {
			s->bad |= !width || width > 8 || s->field[f].width;
			s->field[f] = (place){ at, width, is_signed };
		}
	s->end = at + width;
}

/* Entries come in order of schema and index.  A trace of several processes repeats them for each; copies that
 * disagree leave no schema. */
static void add_entries(reading *r)
{
	for (size_t i = 0; i < r->entries.n; i++) {
		const entry *e = &r->entries.v[i], *before = i ? e - 1 : NULL;
		schema *s = sums_of(&r->schemas, (int64_t[]){ e->domain, e->schema });
		if (before && before->domain == e->domain && before->schema == e->schema && before->idx == e->idx)
			s->bad |= before->type != e->type || before->offset != e->offset ||
				strcmp(before->name, e->name) != 0;
		else
			add_entry(s, e);
	}
}

static bool load_schemas(reading *r)
{
	const db *d = r->t->db;
	const db_table *t = db_find_with(d, "NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId schemaId idx type offset name");

	if (t && !db_each(d, entry_row, r, "SELECT domainId, schemaId, idx, type, offset, name FROM \"%w\" ORDER BY "
			  "1, 2, 3, 4, 5, 6 LIMIT %lld", t->name, (long long)d->max_rows))
		return false;
	add_entries(r);
	return true;
}

static uint64_t number_at(const uint8_t *bytes, size_t width)
{
	uint64_t x = 0;

	memcpy(&x, bytes, width);
	return le64toh(x);
}

/* A field of a payload that is long enough. */
static int64_t field_at(const place *f, const uint8_t *bytes)
{
	uint64_t x = number_at(bytes + f->offset, f->width);
	unsigned unused = 64 - 8 * (unsigned)f->width;

	return f->is_signed ? (int64_t)(x << unused) >> unused : (int64_t)x;
}

/* The schema of a key; NULL if the trace has none that can be used. */
static const schema *find_schema(reading *r, int64_t domain, int64_t id)
{
	size_t k = group_find(&r->schemas.g, (int64_t[]){ domain, id });
	const schema *s = k == GROUP_NONE ? NULL : sums_at(schema, &r->schemas, k);

	return s && !s->bad ? s : NULL;
}

enum { OK, NO_SCHEMA, CUT };

/* Read one payload of a header: its fields go to p. */
static int read_fields(const schema *s, const uint8_t *bytes, size_t size, trace_payload *p, bool *has_comm)
{
	int64_t *const to[FIELDS] = { NULL, &p->bytes, &p->peer, &p->size, &p->rank };
	int found = OK;

	if (!s)
		return NO_SCHEMA;
	for (int f = 0; f < FIELDS; f++) {
		const place *at = &s->field[f];
		if (!at->width)
			continue;
		if (at->offset > size || at->width > size - at->offset) {
			found = CUT;
			continue;
		}
		if (f == COMM)
			p->comm = (uint64_t)field_at(at, bytes);
		else
			*to[f] = field_at(at, bytes);
		*has_comm |= f == COMM;
	}
	return found;
}

/* A payload begins with how many there are and, for each, the id of its schema, its size and its offset. */
static int read_payload(reading *r, int64_t domain, const rows_text *data, trace_payload *p, bool *has_comm)
{
	enum { HEADER = 24 };
	const uint8_t *bytes = (const uint8_t *)data->s;
	uint64_t n = data->len >= 8 ? number_at(bytes, 8) : 0;
	int worst = OK;

	if (data->len < 8 || n > (data->len - 8) / HEADER)
		return CUT;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *h = bytes + 8 + i * HEADER;
		uint64_t size = number_at(h + 8, 8), at = number_at(h + 16, 8);
		int found;
		size = at > data->len ? 0 : size > data->len - at ? data->len - at : size;
		found = read_fields(find_schema(r, domain, (int64_t)number_at(h, 8)),
				    bytes + (at > data->len ? 0 : at), (size_t)size, p, has_comm);
		worst = found > worst ? found : worst;
	}
	return worst;
}

enum { START, END, TYPE, TID, DOMAIN, DATA, TEXT, TEXT_ID, COLS };

static void take(void *ctx, void *to, const rows_batch *b)
{
	reading *r = ctx;
	part *p = to;

	for (size_t i = 0; i < b->n; i++) {
		trace_payload x = { .thread = NONE, .bytes = TRACE_UNKNOWN, .peer = TRACE_UNKNOWN,
			.size = TRACE_UNKNOWN, .rank = TRACE_UNKNOWN,
			.start = b->ints[START][i], .end = b->ints[END][i] };
		const rows_text *data = &b->texts[DATA][i], *text = &b->texts[TEXT][i];
		bool has_comm = false;
		int read;
		if ((!data->s && !text->s && b->ints[TEXT_ID][i] < 0) || b->ints[TYPE][i] != NVTX_PUSH_POP)
			continue;
		x.thread = trace_thread_of(r->t, b->ints[TID][i]);
		if (x.thread == NONE || dict_find(&r->nccl, nvtx_pair(r->t->threads[x.thread].proc,
								      (uint32_t)b->ints[DOMAIN][i])) == DICT_NONE)
			continue;
		if (!data->s) {
			vec_push(&p->json, (json){ x, text->s ? str_id(&p->texts, text->s, text->len) : STR_NONE,
				 b->ints[TEXT_ID][i] });
			continue;
		}
		read = read_payload(r, b->ints[DOMAIN][i], data, &x, &has_comm);
		p->no_schema += read == NO_SCHEMA;
		p->cut += read == CUT;
		if (has_comm)
			vec_push(&p->found, x);
	}
}

static void free_part(void *which)
{
	part *p = which;

	vec_free(&p->found);
	vec_free(&p->json);
	str_free(&p->texts);
}

/* ---- JSON */

typedef struct {                /* what an object says */
	bool valid, has_comm;
	trace_payload of;
} object;

/* A number, perhaps in quotes and then perhaps hexadecimal, as ids beyond 63 bits are: SQLite would make a fraction
 * of those. */
static bool number_of(const char *s, int64_t *out)
{
	char *end;

	s += *s == '"';
	*out = *s == '-' ? strtoll(s, &end, 10) : (int64_t)strtoull(s, &end, s[0] == '0' && s[1] == 'x' ? 16 : 10);
	return end > s && (!*end || *end == '"');
}

static void object_row(sqlite3_stmt *s, void *ctx)
{
	object *o = ctx;
	int64_t comm = 0, *const to[FIELDS] = { &comm, &o->of.bytes, &o->of.peer, &o->of.size, &o->of.rank };

	o->valid = true;
	for (int f = 0; f < FIELDS; f++) {
		const char *value = (const char *)sqlite3_column_text(s, f);
		int64_t number;
		if (!value || !number_of(value, &number))
			continue;
		*to[f] = number;
		o->has_comm |= f == COMM;
	}
	o->of.comm = (uint64_t)comm;
}

static bool read_object(const reading *r, const char *text, object *o)
{
	*o = (object){ .of = { .bytes = TRACE_UNKNOWN, .peer = TRACE_UNKNOWN, .size = TRACE_UNKNOWN,
		.rank = TRACE_UNKNOWN } };
	return db_each(r->t->db, object_row, o, "SELECT j->'$.\"%s\"', j->'$.\"%s\"', j->'$.\"%s\"', j->'$.\"%s\"', "
		       "j->'$.\"%s\"' FROM (SELECT %Q AS j) WHERE json_valid(j)", names[COMM], names[BYTES],
		       names[PEER], names[SIZE], names[RANK], text);
}

/* Read the objects of a part, each text once: many payloads are alike.  string: by key of ids, the trace's. */
static bool read_objects(const reading *r, part *p, const dict *ids, const uint32_t *string, trace_payloads *out)
{
	object *met = mem_new(object, p->texts.n + ids->n);
	bool *read = mem_new(bool, p->texts.n + ids->n), ok = true;

	for (size_t i = 0; ok && i < p->json.n; i++) {
		json *j = &p->json.v[i];
		uint32_t key = j->text == STR_NONE ? dict_find(ids, j->id) : 0;
		size_t at = j->text == STR_NONE ? p->texts.n + key : j->text;
		const char *text = j->text == STR_NONE ? str_at(&r->t->names, string[key]) : p->texts.text[j->text];
		if (!read[at])
			ok = read_object(r, text ? text : "", &met[at]);
		read[at] = true;
		out->cut += !met[at].valid;
		if (!met[at].has_comm)
			continue;
		met[at].of.thread = j->of.thread;
		met[at].of.start = j->of.start;
		met[at].of.end = j->of.end;
		vec_push(out, met[at].of);
	}
	mem_free(met, read);
	return ok;
}

static bool collect_json(reading *r, const rows_parts *parts, trace_payloads *out)
{
	dict ids = { 0 };
	uint32_t *string;
	bool ok;

	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->json.n; k++)
			if (p->json.v[k].text == STR_NONE)
				dict_key(&ids, p->json.v[k].id);
	}
	string = trace_strings(r->t, &ids);
	ok = string;
	for (size_t i = 0; ok && i < parts->n; i++)
		ok = read_objects(r, rows_part_at(part, parts, i), &ids, string, out);
	free(string);
	dict_free(&ids);
	return ok;
}

static int in_order(const void *x, const void *y)
{
	const trace_payload *a = x, *b = y;

	return a->thread != b->thread ? sort_3way(a->thread, b->thread) :
		a->start != b->start ? sort_3way(a->start, b->start) :
		a->end != b->end ? sort_3way(b->end, a->end) : a->comm != b->comm ? sort_3way(a->comm, b->comm) :
		a->bytes != b->bytes ? sort_3way(a->bytes, b->bytes) : sort_3way(a->peer, b->peer);
}

static void collect(const rows_parts *parts, trace_payloads *out)
{
	for (size_t i = 0; i < parts->n; i++) {
		const part *p = rows_part_at(part, parts, i);
		for (size_t k = 0; k < p->found.n; k++)
			vec_push(out, p->found.v[k]);
		out->no_schema += p->no_schema;
		out->cut += p->cut;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, in_order);
}

static bool load_rows(reading *r, trace_payloads *out)
{
	const rows_reader reader = { .part_size = sizeof(part), .free_part = free_part, .take = take };
	const db_table *t = db_find(r->t->db, "NVTX_EVENTS");
	rows_parts parts = { 0 };
	rows_col c[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = "end", .null = TRACE_UNKNOWN },
		[TYPE] = { .names = "eventType", .null = NVTX_PUSH_POP },
		[TID] = { .names = "globalTid", .null = -1 },
		[DOMAIN] = { .names = "domainId" },
		[DATA] = { .names = "binaryData", .text = true },
		[TEXT] = { .names = "jsonText", .text = true },
		[TEXT_ID] = { .names = "jsonTextId", .null = -1 },
	};
	bool ok = true;

	if (t && (db_column(t, "binaryData") >= 0 || db_column(t, "jsonText") >= 0 || db_column(t, "jsonTextId") >= 0))
		ok = rows_read(r->t->db, t, c, COLS, &reader, r, r->t->workers, &parts) && collect_json(r, &parts, out);
	if (ok)
		collect(&parts, out);
	rows_parts_free(&parts);
	return ok;
}

bool payloads_load(trace *t)
{
	reading r = { .t = t, .schemas = sums_by(2, sizeof(schema)) };
	bool ok;

	for (size_t i = 0; i < t->ndomains; i++)
		if (t->domains[i].nccl)
			dict_key(&r.nccl, nvtx_pair(t->domains[i].proc, (uint32_t)t->domains[i].id));
	ok = !r.nccl.n || (load_schemas(&r) && load_rows(&r, &t->payloads));
	vec_free(&r.entries);
	sums_free(&r.schemas);
	dict_free(&r.nccl);
	arena_free(&r.texts);
	return ok;
}

const trace_payload *payloads_of(const trace *t, size_t range)
{
	const trace_payloads *p = &t->payloads;
	const trace_ranges *r = &t->pushpop;
	uint32_t thread = r->thread[range];
	int64_t start = r->start[range];
	size_t i;

	search_first(i, 0, p->n, p->v[i].thread > thread || (p->v[i].thread == thread && p->v[i].start >= start));
	for (; i < p->n && p->v[i].thread == thread && p->v[i].start == start; i++)
		if (p->v[i].end == r->end[range] || p->v[i].end == TRACE_UNKNOWN)
			return &p->v[i];
	return NULL;
}
