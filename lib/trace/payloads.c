#include "trace/payloads.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "trace/load_nvtx.h"

#include <endian.h>
#include <string.h>
#include <strings.h>

enum field { COMM, BYTES, PEER, SIZE, RANK, FIELDS };

static const char *const names[FIELDS] = { "NCCL communicator ID", "Message size [bytes]", "Peer rank", "No. of ranks",
	"Rank" };

typedef struct {                /* where a field is in the bytes of a payload */
	size_t offset;
	size_t width;           /* 0: the schema has no such field */
	bool is_signed;
} field_place;

typedef struct {
	field_place field[FIELDS];
	size_t end;             /* where the last entry so far ends */
	bool bad;               /* it cannot be used: the copies of an entry (one for each process) disagree, or a field
				 * of `names` occurs twice or has a type whose width is unknown or above 8 bytes */
} schema;

typedef struct {                /* a row of NVTX_PAYLOAD_SCHEMA_ENTRIES */
	int64_t domain, schema, idx, type, offset;      /* offset -1: the entry has none */
	const char *name;
} entry;

struct payload_schemas {
	vec(entry) entries;
	arena texts;
	sums by_id;             /* key: domain and id of a schema; value: the schema */
};

/* The width in bytes of a type of NVTX's payload extension (nvToolsExtPayload.h); 0: the type is none of the numbers
 * and characters listed here. */
static size_t payloads_width_of(int64_t type, bool *is_signed)
{
	static const uint8_t width[24] = { [1] = 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 16, 8, 8 };

	*is_signed = type < 19 && type % 2 == 1;
	return type > 0 && type < 24 ? width[type] : 0;
}

static void payloads_take_entry(sqlite3_stmt *s, void *ctx)
{
	payload_schemas *r = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 5);

	vec_push(&r->entries, (entry){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1),
		 sqlite3_column_int64(s, 2), sqlite3_column_int64(s, 3),
		 sqlite3_column_type(s, 4) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, 4),
		 arena_copy(&r->texts, name ? name : "") });
}

/* Add an entry to its schema.  An entry without an offset follows the previous one, aligned like a member of a struct
 * in C. */
static void payloads_add_entry(schema *s, const entry *e)
{
	bool is_signed;
	size_t width = payloads_width_of(e->type, &is_signed),
	       at = width ? (s->end + width - 1) / width * width : s->end;

	if (e->offset >= 0)
		at = (size_t)e->offset;
	for (int f = 0; f < FIELDS; f++)
		if (strcasecmp(e->name, names[f]) == 0) {
			s->bad |= !width || width > 8 || s->field[f].width;
			s->field[f] = (field_place){ at, width, is_signed };
		}
	s->end = at + width;
}

/* Build the schemas from the entries, which are sorted by domain, schema and index.  A trace of several
 * processes repeats all entries for each process; copies that disagree make the schema unusable. */
static void payloads_add_entries(payload_schemas *r)
{
	for (size_t i = 0; i < r->entries.n; i++) {
		const entry *e = &r->entries.v[i], *before = i ? e - 1 : NULL;
		schema *s = sums_of(&r->by_id, (int64_t[]){ e->domain, e->schema });
		if (before && before->domain == e->domain && before->schema == e->schema && before->idx == e->idx)
			s->bad |= before->type != e->type || before->offset != e->offset ||
				strcmp(before->name, e->name) != 0;
		else
			payloads_add_entry(s, e);
	}
}

payload_schemas *payloads_read_schemas(const db *d)
{
	const db_table *t = db_find_with(d, "NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId schemaId idx type offset name");
	payload_schemas *r = mem_new(payload_schemas, 1);

	r->by_id = sums_by(2, sizeof(schema));
	if (t &&
	    !db_each(d, payloads_take_entry, r,
		     "SELECT domainId, schemaId, idx, type, offset, name FROM \"%w\" ORDER BY "
		     "1, 2, 3, 4, 5, 6",
		     t->name)) {
		payloads_schemas_free(r);
		return NULL;
	}
	payloads_add_entries(r);
	return r;
}

void payloads_schemas_free(payload_schemas *r)
{
	vec_free(&r->entries);
	sums_free(&r->by_id);
	arena_free(&r->texts);
	free(r);
}

static uint64_t payloads_number_at(const uint8_t *bytes, size_t width)
{
	uint64_t x = 0;

	memcpy(&x, bytes, width);
	return le64toh(x);
}

/* The value of a field in the bytes of a payload, which must be long enough for it. */
static int64_t payloads_field_at(const field_place *f, const uint8_t *bytes)
{
	uint64_t x = payloads_number_at(bytes + f->offset, f->width);
	unsigned unused = 64 - 8 * (unsigned)f->width;

	return f->is_signed ? (int64_t)(x << unused) >> unused : (int64_t)x;
}

/* The schema of this domain with this id; NULL: the trace has none that can be used. */
static const schema *payloads_find_schema(const payload_schemas *r, int64_t domain, int64_t id)
{
	size_t k = group_find(&r->by_id.g, (int64_t[]){ domain, id });
	const schema *s = k == GROUP_NONE ? NULL : sums_at(schema, &r->by_id, k);

	return s && !s->bad ? s : NULL;
}

enum { OK, NO_SCHEMA, CUT };    /* results of reading a payload, from best to worst */

/* Read the fields of one payload into p, and set *has_comm if it names a communicator.  Returns OK, NO_SCHEMA or
 * CUT. */
static int payloads_read_fields(const schema *s, const uint8_t *bytes, size_t size, trace_payload *p, bool *has_comm)
{
	int64_t *const values[FIELDS] = { NULL, &p->bytes, &p->peer, &p->size, &p->rank };
	int result = OK;

	if (!s)
		return NO_SCHEMA;
	for (int f = 0; f < FIELDS; f++) {
		const field_place *place = &s->field[f];
		if (!place->width)
			continue;
		if (place->offset > size || place->width > size - place->offset) {
			result = CUT;
			continue;
		}
		if (f == COMM)
			p->comm = (uint64_t)payloads_field_at(place, bytes);
		else
			*values[f] = payloads_field_at(place, bytes);
		*has_comm |= f == COMM;
	}
	return result;
}

/* Read all payloads of a row into p.  The data begins with the number of payloads and, for each, the id of its schema,
 * its size and its offset.  Returns the worst result. */
static int payloads_read_row(const payload_schemas *r, int64_t domain, const rows_text *data, trace_payload *p,
				 bool *has_comm)
{
	enum { HEADER = 24 };
	const uint8_t *bytes = (const uint8_t *)data->s;
	uint64_t n = data->len >= 8 ? payloads_number_at(bytes, 8) : 0;
	int worst = OK;

	if (data->len < 8 || n > (data->len - 8) / HEADER)
		return CUT;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *h = bytes + 8 + i * HEADER;
		uint64_t size = payloads_number_at(h + 8, 8), at = payloads_number_at(h + 16, 8);
		int result;
		size = at > data->len ? 0 : size > data->len - at ? data->len - at : size;
		result = payloads_read_fields(payloads_find_schema(r, domain, (int64_t)payloads_number_at(h, 8)),
					      bytes + (at > data->len ? 0 : at), (size_t)size, p, has_comm);
		worst = result > worst ? result : worst;
	}
	return worst;
}

/* Is every object in the text closed?  A JSON text that was cut short may still end with a closing bracket. */
static bool payloads_is_whole(const rows_text *json)
{
	int64_t depth = 0;
	bool in_text = false;

	for (size_t i = 0; i < json->len; i++) {
		char c = json->s[i];
		if (c == '"')
			in_text = !in_text;
		else if (in_text)
			i += c == '\\';
		else
			depth += (c == '{') - (c == '}');
	}
	return !depth && !in_text;
}

/* May a JSON object be left out?  It may if it names no communicator and was not cut short. */
static bool payloads_lacks_comm(const rows_text *json)
{
	return json->s && json->len && json->s[0] == '{' && json->s[json->len - 1] == '}' && payloads_is_whole(json) &&
		!memmem(json->s, json->len, names[COMM], strlen(names[COMM]));
}

void payloads_take(const payload_schemas *r, payloads_part *p, const payload_row *row)
{
	trace_payload x = { .thread = row->thread, .bytes = TRACE_UNKNOWN, .peer = TRACE_UNKNOWN,
		.size = TRACE_UNKNOWN, .rank = TRACE_UNKNOWN, .start = row->start, .end = row->end };
	bool has_comm = false;
	int result;

	if (!row->data->s) {
		if (!payloads_lacks_comm(row->json))
			vec_push(&p->json, (payload_json){ x.thread, row->domain, row->json->s ?
				 str_id(&p->texts, row->json->s, row->json->len) : STR_NONE, row->json_id, x.start,
				 x.end });
		return;
	}
	result = payloads_read_row(r, row->domain_id, row->data, &x, &has_comm);
	if (result != OK) {
		vec_reserve(&p->unread, (size_t)row->domain + 1);
		while (p->unread.n <= row->domain)
			p->unread.v[p->unread.n++] = (payload_unread){ 0 };
		p->unread.v[row->domain].no_schema += result == NO_SCHEMA;
		p->unread.v[row->domain].cut += result == CUT;
	}
	if (has_comm)
		vec_push(&p->found, (payload_found){ x, row->domain });
}

void payloads_part_free(payloads_part *p)
{
	vec_free(&p->found);
	vec_free(&p->unread);
	vec_free(&p->json);
	str_free(&p->texts);
}

/* ---- payloads in JSON */

typedef struct {                /* what was read from a payload in JSON */
	bool valid;             /* is the payload valid JSON? */
	bool has_comm;          /* does it name a communicator? */
	trace_payload fields;   /* what it says */
} json_fields;

/* Parse a number, decimal or hexadecimal (0x...), in quotes or not.  Ids beyond 63 bits are hexadecimal and in quotes;
 * as numbers, SQLite would read them as fractions. */
static bool payloads_parse_number(const char *s, int64_t *out)
{
	char *end;

	s += *s == '"';
	*out = *s == '-' ? strtoll(s, &end, 10) : (int64_t)strtoull(s, &end, s[0] == '0' && s[1] == 'x' ? 16 : 10);
	return end > s && (!*end || *end == '"');
}

static void payloads_take_object(sqlite3_stmt *s, void *ctx)
{
	json_fields *o = ctx;
	int64_t comm = 0, *const values[FIELDS] = { &comm, &o->fields.bytes, &o->fields.peer, &o->fields.size,
		&o->fields.rank };

	o->valid = true;
	for (int f = 0; f < FIELDS; f++) {
		const char *value = (const char *)sqlite3_column_text(s, f);
		int64_t number;
		if (!value || !payloads_parse_number(value, &number))
			continue;
		*values[f] = number;
		o->has_comm |= f == COMM;
	}
	o->fields.comm = (uint64_t)comm;
}

static bool payloads_read_object(const trace *t, const char *text, json_fields *o)
{
	*o = (json_fields){ .fields = { .bytes = TRACE_UNKNOWN, .peer = TRACE_UNKNOWN, .size = TRACE_UNKNOWN,
		.rank = TRACE_UNKNOWN } };
	return db_each(t->db, payloads_take_object, o,
		       "SELECT j->'$.\"%s\"', j->'$.\"%s\"', j->'$.\"%s\"', j->'$.\"%s\"', "
		       "j->'$.\"%s\"' FROM (SELECT %Q AS j) WHERE json_valid(j)",
		       names[COMM], names[BYTES], names[PEER], names[SIZE], names[RANK], text);
}

static bool payloads_is_nccl(const trace *t, const struct nvtx_part *p, size_t domain)
{
	return t->domains[t->range_kinds.v[p->kind[domain]].domain].nccl;
}

/* Read the payloads in JSON of a part into trace.payloads.  Each text is read only once, because many payloads are
 * alike.  `ids` has ids in nsys's table of strings; `string` has an element for each of its keys: the string of the
 * trace.  False after a problem. */
static bool payloads_read_objects(trace *t, const struct nvtx_part *p, const dict *ids, const uint32_t *string)
{
	const str_pool *texts = &p->payloads.texts;
	json_fields *parsed = mem_new(json_fields, texts->n + ids->n);  /* an element for each text, then each key */
	bool *read = mem_new(bool, texts->n + ids->n), ok = true;

	for (size_t i = 0; ok && i < p->payloads.json.n; i++) {
		const payload_json *j = &p->payloads.json.v[i];
		uint32_t key;
		size_t place;
		const char *text;
		if (!payloads_is_nccl(t, p, j->domain))          /* `ids` lacks the texts of other domains */
			continue;
		key = j->text == STR_NONE ? dict_find(ids, j->id) : 0;
		place = j->text == STR_NONE ? texts->n + key : j->text;
		text = j->text == STR_NONE ? str_at(&t->names, string[key]) : texts->text[j->text];
		if (!read[place])
			ok = payloads_read_object(t, text ? text : "", &parsed[place]);
		read[place] = true;
		t->payloads.cut += !parsed[place].valid;
		if (!parsed[place].has_comm)
			continue;
		parsed[place].fields.thread = p->thread[j->thread];
		parsed[place].fields.start = j->start;
		parsed[place].fields.end = j->end;
		vec_push(&t->payloads, parsed[place].fields);
	}
	mem_free(parsed, read);
	return ok;
}

static bool payloads_collect_json(trace *t, const nvtx_raw *raw)
{
	dict ids = { 0 };
	uint32_t *string;
	bool ok;

	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->payloads.json.n; k++)
			if (p->payloads.json.v[k].text == STR_NONE &&
			    payloads_is_nccl(t, p, p->payloads.json.v[k].domain))
				dict_key(&ids, p->payloads.json.v[k].id);
	}
	string = trace_find_strings(t, &ids);
	ok = string;
	for (size_t i = 0; ok && i < raw->parts.n; i++)
		ok = payloads_read_objects(t, nvtx_part_at(raw, i), &ids, string);
	free(string);
	dict_free(&ids);
	return ok;
}

static int payloads_compare_payloads(const void *x, const void *y)
{
	const trace_payload *a = x, *b = y;

	return a->thread != b->thread ? sort_3way(a->thread, b->thread) :
		a->start != b->start ? sort_3way(a->start, b->start) :
		a->end != b->end ? sort_3way(b->end, a->end) : a->comm != b->comm ? sort_3way(a->comm, b->comm) :
		a->bytes != b->bytes ? sort_3way(a->bytes, b->bytes) : sort_3way(a->peer, b->peer);
}

bool payloads_collect(trace *t, const nvtx_raw *raw)
{
	trace_payloads *out = &t->payloads;

	if (!payloads_collect_json(t, raw))
		return false;
	for (size_t i = 0; i < raw->parts.n; i++) {
		const struct nvtx_part *p = nvtx_part_at(raw, i);
		for (size_t k = 0; k < p->payloads.found.n; k++) {
			payload_found f = p->payloads.found.v[k];
			f.payload.thread = p->thread[f.payload.thread];
			if (payloads_is_nccl(t, p, f.domain))
				vec_push(out, f.payload);
		}
		for (size_t k = 0; k < p->payloads.unread.n; k++) {
			out->no_schema += payloads_is_nccl(t, p, k) ? p->payloads.unread.v[k].no_schema : 0;
			out->cut += payloads_is_nccl(t, p, k) ? p->payloads.unread.v[k].cut : 0;
		}
	}
	if (out->n)
		qsort(out->v, out->n, sizeof *out->v, payloads_compare_payloads);
	return true;
}

const trace_payload *payloads_find(const trace *t, size_t range)
{
	const trace_payloads *p = &t->payloads;
	const trace_ranges *r = &t->pushpop;
	uint32_t thread = ranges_thread(r, range);
	int64_t start = r->start[range];
	size_t i;

	search_first(i, 0, p->n, p->v[i].thread > thread || (p->v[i].thread == thread && p->v[i].start >= start));
	for (; i < p->n && p->v[i].thread == thread && p->v[i].start == start; i++)
		if (p->v[i].end == r->end[range] || p->v[i].end == TRACE_UNKNOWN)
			return &p->v[i];
	return NULL;
}
