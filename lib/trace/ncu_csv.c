#include "trace/ncu_csv.h"
#include "base/arena.h"
#include "base/folders.h"
#include "base/text.h"
#include "table/ncu_page.h"
#include "base/kernel_name.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEASURE "ncu --set roofline --metrics dram__bytes.sum --page raw --csv"
#define TENSOR "sm__ops_path_tensor_src_"
#define VECTOR "smsp__sass_thread_inst_executed_op_"

#define STALLED "issue_stalled_"

enum role {                             /* what a column, or a metric of the details page, is used for */
	UNUSED, ID, PROCESS, KERNEL, GRID, BLOCK, RANGES, METRIC, UNIT, VALUE,
	BYTES, CYCLES, COUNT, PER_CYCLE, MORE   /* roles with a value of a launch */
};
enum { CHUNK = 1 << 16 };               /* bytes that are read at a time */
static const double TOO_MANY = 1e17;    /* more than any count of one launch */

typedef struct {
	enum role role;
	size_t type;            /* for MORE, the index into ncu_value.more; for COUNT and PER_CYCLE, the index into
				 * ncu_csv.types */
	double weight;          /* for COUNT and PER_CYCLE: FLOPs of one unit of the value */
	double scale;           /* factor that turns a value into bytes, cycles and so on: 1e6 for Mbyte */
	const char *name;       /* name of the column or, on the details page, of the metric */
} csv_column;

typedef struct {
	const char *path;
	ncu_csv *to;
	notes *say;
	arena texts;
	vec(const char *) header;
	vec(csv_column) columns;
	size_t row;             /* number of the row that is being read: 0 for the header; on the raw page, 1 for the
				 * units */
	size_t field;           /* number of the field in that row, from 0 */
	bool failed;
	bool tensor;            /* does the file have columns with operations of tensor cores? */
	bool vector;            /* does it have columns with instructions of other cores? */
	bool bytes, cycles, more;       /* does it have columns of the role BYTES, CYCLES, MORE? */
	bool details;           /* is the file the details page? */
	const char *stalled;    /* the beginning of the names of all columns of stall reasons that are used; NULL: no
				 * such column so far */

	/* the row that is being read */
	ncu_launch launch;
	uint32_t id, metric, unit;      /* strings of ncu_csv.names, on the details page */
	char value[64];                 /* the value as text, on the details page */

	/* the launch whose values are being collected; the details page has several rows for each launch */
	ncu_launch open;
	uint32_t open_id;       /* its id on the details page; STR_NONE: no launch has begun */
	double bytes_now, cycles_now, count[NCU_TYPES], per_cycle[NCU_TYPES];
	bool counted;           /* does the launch have a count of FLOPs? */
	bool begins_empty;      /* is the first field of the current row empty? */
	bool message;           /* is the current row a message of ncu itself (==...)? */
} ncu_csv_ctx;

static void ncu_csv_fail(ncu_csv_ctx *r, const char *what)
{
	if (!r->failed)
		notes_problem(r->say, EXIT_WRONG, "'%s' %s", r->path, what);
	r->failed = true;
}

static void ncu_csv_fail_cut(ncu_csv_ctx *r, const char *how)
{
	ncu_csv_fail(r,
		     arena_printf(&r->texts,
				  "row %zu %s: the file was cut or changed; write it again with ncu --page raw "
				  "--csv",
				  r->row + 1, how));
}

static bool ncu_csv_begins_with(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool ncu_csv_has_column(const ncu_csv_ctx *r, const char *name)
{
	for (size_t i = 0; i < r->header.n; i++)
		if (strcmp(r->header.v[i], name) == 0)
			return true;
	return false;
}

/* The index of a type of operands in ncu_csv.types; a new type is added. */
static size_t ncu_csv_type_of(ncu_csv_ctx *r, const char *name)
{
	ncu_csv *to = r->to;

	for (size_t i = 0; i < to->types.n; i++)
		if (strcmp(to->types.v[i], name) == 0)
			return i;
	if (to->types.n == NCU_TYPES) {
		ncu_csv_fail(r, "counts operations of too many types");
		return 0;
	}
	vec_push(&to->types, str_at(&to->names, str_id(&to->names, name, strlen(name))));
	return to->types.n - 1;
}

/* A column with operations of the tensor cores, by the type of their operands.  The columns for operations with and
 * without sparsity are used only if there is no column for the sum of the two. */
static csv_column ncu_csv_note_tensor_column(ncu_csv_ctx *r, const char *name)
{
	static const char *const parts[] = { "_sparsity_on.sum", "_sparsity_off.sum" };
	const char *type = name + strlen(TENSOR);

	if (!text_ends(name, ".sum") || ncu_csv_begins_with(type, "int"))
		return (csv_column){ .role = UNUSED };
	for (int i = 0; i < 2; i++)
		if (text_ends(name, parts[i])) {
			if (r->details)         /* the details page does not list its metrics in advance */
				return (csv_column){ .role = UNUSED };
			int base = (int)(strlen(name) - strlen(parts[i]));
			if (ncu_csv_has_column(r, arena_printf(&r->texts, "%.*s.sum", base, name)))
				return (csv_column){ .role = UNUSED };
		}
	r->tensor = true;
	type = arena_text(&r->texts, type, strcspn(type, "_."));
	return (csv_column){ .role = COUNT, .type = ncu_csv_type_of(r, type), .weight = 1 };
}

/* A column with instructions of the other cores: {d,f,h}{add,mul,fma}_pred_on.  An instruction of type h works on two
 * numbers. */
static csv_column ncu_csv_note_vector_column(ncu_csv_ctx *r, const char *name)
{
	static const struct { char letter; const char *type; double numbers; } types[] = {
		{ 'd', "fp64_vector", 1 }, { 'f', "fp32", 1 }, { 'h', "fp16_vector", 2 },
	};
	static const struct { const char *name; double flops; } ops[] = { { "add", 1 }, { "mul", 1 }, { "fma", 2 } };
	const char *op = name + strlen(VECTOR), *rest;

	for (int t = 0; t < 3; t++)
		for (int o = 0; o < 3; o++) {
			if (op[0] != types[t].letter || !ncu_csv_begins_with(op + 1, ops[o].name))
				continue;
			rest = op + 4;
			csv_column c = { .role = strcmp(rest, "_pred_on.sum") == 0 ? COUNT :
				strcmp(rest, "_pred_on.sum.per_cycle_elapsed") == 0 ? PER_CYCLE : UNUSED,
				.weight = types[t].numbers * ops[o].flops };
			if (c.role == PER_CYCLE && (!r->cycles ||
			    ncu_csv_has_column(r, arena_printf(&r->texts, "%s%.4s_pred_on.sum", VECTOR, op))))
				c.role = UNUSED;
			if (c.role != UNUSED) {
				c.type = ncu_csv_type_of(r, types[t].type);
				r->vector = true;
			}
			return c;
		}
	return (csv_column){ .role = UNUSED };
}

/* A column of a reason why warps do not issue, such as
 * smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio.  ncu has several measures of this with different
 * prefixes; the one that is met first is used.  "selected" is not a stall. */
static csv_column ncu_csv_note_stall_column(ncu_csv_ctx *r, const char *name)
{
	const char *reason = strstr(name, STALLED) + strlen(STALLED), *per = strstr(reason, "_per_");
	size_t n = per ? (size_t)(per - reason) : strcspn(reason, "."), before = (size_t)(reason - name), i = 0;
	ncu_csv *to = r->to;

	if (!r->stalled)
		r->stalled = arena_text(&r->texts, name, before);
	if (strlen(r->stalled) != before || !ncu_csv_begins_with(name, r->stalled) || strstr(reason, "_not_issued") ||
	    strncmp(reason, "selected", n) == 0)
		return (csv_column){ .role = UNUSED };
	while (i < to->stalls.n && (strlen(to->stalls.v[i]) != n || strncmp(to->stalls.v[i], reason, n) != 0))
		i++;
	if (i == NCU_MORE - NCU_STALLS)
		return (csv_column){ .role = UNUSED };
	if (i == to->stalls.n)
		vec_push(&to->stalls, str_at(&to->names, str_id(&to->names, reason, n)));
	return (csv_column){ .role = MORE, .type = NCU_STALLS + i };
}

static csv_column ncu_csv_find_column(ncu_csv_ctx *r, const char *name)
{
	static const struct { const char *name; enum role role; enum ncu_more more; } known[] = {
		{ "ID", ID, 0 }, { "Process ID", PROCESS, 0 }, { "Kernel Name", KERNEL, 0 }, { "Grid Size", GRID, 0 },
		{ "Block Size", BLOCK, 0 }, { "Metric Name", METRIC, 0 }, { "Metric Unit", UNIT, 0 },
		{ "Metric Value", VALUE, 0 },
		{ "dram__bytes.sum", BYTES, 0 }, { "smsp__cycles_elapsed.avg", CYCLES, 0 },
		{ "sm__warps_active.avg.pct_of_peak_sustained_active", MORE, NCU_OCCUPANCY },
		{ "Achieved Occupancy", MORE, NCU_OCCUPANCY },
		{ "sm__maximum_warps_per_active_cycle_pct", MORE, NCU_OCCUPANCY_MAX },
		{ "Theoretical Occupancy", MORE, NCU_OCCUPANCY_MAX },
		{ "sm__throughput.avg.pct_of_peak_sustained_elapsed", MORE, NCU_SM },
		{ "Compute (SM) Throughput", MORE, NCU_SM }, { "SM [%]", MORE, NCU_SM },
		{ "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", MORE, NCU_DRAM },
		{ "dram__throughput.avg.pct_of_peak_sustained_elapsed", MORE, NCU_DRAM },
		{ "DRAM Throughput", MORE, NCU_DRAM },
		{ "launch__registers_per_thread", MORE, NCU_REGISTERS },
		{ "Registers Per Thread", MORE, NCU_REGISTERS },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(name, known[i].name) == 0)
			return (csv_column){ .role = known[i].role, .type = known[i].more };
	if (strstr(name, STALLED))
		return ncu_csv_note_stall_column(r, name);
	if (strstr(name, ":Push/Pop_Range:"))
		return (csv_column){ .role = RANGES };
	return ncu_csv_begins_with(name, TENSOR)  ? ncu_csv_note_tensor_column(r, name) :
		ncu_csv_begins_with(name, VECTOR) ? ncu_csv_note_vector_column(r, name) :
						    (csv_column){ .role = UNUSED };
}

/* Find the role of a column, or of a metric of the details page, and note in r that the file has it. */
static csv_column ncu_csv_note_column(ncu_csv_ctx *r, const char *name)
{
	csv_column c = ncu_csv_find_column(r, name);

	c.name = name;
	r->bytes |= c.role == BYTES;
	r->more |= c.role == MORE;
	return c;
}

static void ncu_csv_end_header(ncu_csv_ctx *r)
{
	static const char *const needed[] = { "Kernel Name", "Grid Size", "Block Size" };

	r->details = ncu_csv_has_column(r, "ID") && ncu_csv_has_column(r, "Metric Name") &&
		ncu_csv_has_column(r, "Metric Value");
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!ncu_csv_has_column(r, needed[i])) {
			ncu_csv_fail(
				r,
				arena_printf(&r->texts,
					     "has no column '%s'; pass the raw page of Nsight Compute: " MEASURE,
					     needed[i]));
			return;
		}
	r->cycles = ncu_csv_has_column(r, "smsp__cycles_elapsed.avg");
	for (size_t i = 0; i < r->header.n && !r->failed; i++)
		vec_push(&r->columns, ncu_csv_note_column(r, r->header.v[i]));
	if (!r->tensor && !r->vector && !r->more && !r->details)
		ncu_csv_fail(r, "counts no FLOPs (" TENSOR "*.sum, " VECTOR "*); measure them with " MEASURE);
}

enum { LONG_RANGE = 4096 };     /* in longer texts, ncu_csv_measure_name does not look for a message that repeats the
				 * name, since that takes quadratic time */

/* The string of a shape: "128x1x1" for the text (128, 1, 1). */
static uint32_t ncu_csv_shape_of(str_pool *names, const char *s, size_t len)
{
	char buf[64];
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < sizeof buf; i++)
		if (s[i] >= '0' && s[i] <= '9')
			buf[n++] = s[i];
		else if (s[i] == ',')
			buf[n++] = 'x';
	return str_id(names, buf, n);
}

static size_t ncu_csv_count_character(const char *s, size_t n, char c)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += s[i] == c;
	return k;
}

/* The length of the name in NAME:PAYLOAD_TYPE:PAYLOAD:COLOR_TYPE:COLOR:MESSAGE_TYPE:MESSAGE.  The name may contain
 * colons; the message is empty or repeats the name. */
static size_t ncu_csv_measure_name(const char *s, size_t n)
{
	size_t colons = 0;

	for (size_t k = 1; n <= LONG_RANGE && 2 * k < n; k++)
		if (s[k] == ':' && s[n - k - 1] == ':' && strncmp(s, s + n - k, k) == 0 &&
		    ncu_csv_count_character(s + k, n - 2 * k, ':') == 6)
			return k;
	while (n && colons < 6)
		colons += s[--n] == ':';
	return n;
}

/* The name of the innermost range in TID  "DOMAIN:NAME:..."  "DOMAIN:NAME:..."; STR_NONE if there is none. */
static uint32_t ncu_csv_range_of(str_pool *names, const char *s, size_t len)
{
	const char *close = memrchr(s, '"', len), *open = close ? memrchr(s, '"', (size_t)(close - s)) : NULL;
	const char *colon = open ? memchr(open, ':', (size_t)(close - open)) : NULL;

	return colon ? str_id(names, colon + 1, ncu_csv_measure_name(colon + 1, (size_t)(close - colon - 1))) :
		       STR_NONE;
}

static uint32_t ncu_csv_kernel_of(ncu_csv_ctx *r, const char *s)
{
	size_t n;
	const char *name = kernel_name_short(s, &n);

	return str_id(&r->to->names, name, n);
}

static void ncu_csv_take_value(ncu_csv_ctx *r, const csv_column *c, const char *s, size_t len)
{
	double v;

	if (c->role == MORE) {
		if (ncu_number(s, len, &v) && !isnan(v))
			r->open.value.more[c->type] = (float)(v * c->scale);
		return;
	}
	if (!ncu_number(s, len, &v) || v * c->scale > TOO_MANY) {
		ncu_csv_fail(
			r,
			arena_printf(&r->texts,
				     "row %zu: '%s' is '%.*s', not a count; write it again with ncu --page "
				     "raw --csv",
				     r->row + 1, c->name, len < 60 ? (int)len : 60, s));
		return;
	}
	v *= c->scale;
	if (c->role == BYTES)
		r->bytes_now = v;
	else if (c->role == CYCLES)
		r->cycles_now = v;
	else if (!isnan(v)) {
		(c->role == COUNT ? r->count : r->per_cycle)[c->type] += v * c->weight;
		r->counted = true;
	}
}

static void ncu_csv_take_field(ncu_csv_ctx *r, const csv_column *c, const char *s, size_t len)
{
	uint32_t *const as_it_is[] = { [ID] = &r->id, [PROCESS] = &r->launch.process, [METRIC] = &r->metric,
		[UNIT] = &r->unit };

	if (c->role == KERNEL)
		r->launch.name = ncu_csv_kernel_of(r, s);
	else if (c->role == GRID)
		r->launch.grid = ncu_csv_shape_of(&r->to->names, s, len);
	else if (c->role == BLOCK)
		r->launch.block = ncu_csv_shape_of(&r->to->names, s, len);
	else if (c->role == RANGES)
		r->launch.range = ncu_csv_range_of(&r->to->names, s, len);
	else if (c->role == VALUE)
		snprintf(r->value, sizeof r->value, "%.*s", (int)(len < sizeof r->value ? len : 0), s);
	else if (c->role >= BYTES)
		ncu_csv_take_value(r, c, s, len);
	else if (c->role != UNUSED)
		*as_it_is[c->role] = str_id(&r->to->names, s, len);
}

/* Take a field of the current row (a callback of libcsv).  The text ends with a NUL (CSV_APPEND_NULL). */
static void ncu_csv_read_field(void *s, size_t len, void *ctx)
{
	ncu_csv_ctx *r = ctx;
	const char *text = s ? s : "";

	if (r->failed)
		return;
	if (r->field == 0) {
		r->begins_empty = !*text;
		r->message = ncu_csv_begins_with(text, "==");
	}
	if (r->row == 0)
		vec_push(&r->header, arena_text(&r->texts, text, len));
	else if (r->field < r->columns.n && r->row == 1 && !r->details)
		r->columns.v[r->field].scale = ncu_scale(text);
	else if (r->field < r->columns.n)
		ncu_csv_take_field(r, &r->columns.v[r->field], text, len);
	r->field++;
}

/* Reset the values that were collected for the launch before. */
static void ncu_csv_begin_launch(ncu_csv_ctx *r)
{
	r->bytes_now = r->cycles_now = NAN;
	r->counted = false;
	memset(r->count, 0, sizeof r->count);
	memset(r->per_cycle, 0, sizeof r->per_cycle);
	for (size_t i = 0; i < NCU_MORE; i++)
		r->open.value.more[i] = NAN;
}

/* Add the launch `l` to the result, with the values that were collected for it.  The FLOPs of each type are rounded to
 * a whole number, since they are counts, and then added up. */
static void ncu_csv_end_launch(ncu_csv_ctx *r, ncu_launch l)
{
	ncu_value *v = &l.value;

	*v = (ncu_value){ .bytes = isnan(r->bytes_now) ? -1 : llround(r->bytes_now), .flops = r->counted ? 0 : -1 };
	memcpy(v->more, r->open.value.more, sizeof v->more);
	for (size_t i = 0; r->counted && i < r->to->types.n; i++) {
		double flops = r->count[i] + (r->per_cycle[i] > 0 ? r->per_cycle[i] * r->cycles_now : 0);
		if (isnan(flops) || flops > TOO_MANY) {     /* the launch has no cycles, or impossible numbers */
			v->flops = -1;
			break;
		}
		v->by_type[i] = llround(flops);
		v->flops += v->by_type[i];
	}
	vec_push(r->to, l);
	ncu_csv_begin_launch(r);
}

/* End a row of the details page.  It holds one value of a launch, or a remark, which is ignored. */
static void ncu_csv_end_details_row(ncu_csv_ctx *r)
{
	csv_column c;

	if (r->open_id != STR_NONE && r->id != r->open_id)
		ncu_csv_end_launch(r, r->open);
	r->open_id = r->id;
	memcpy(&r->open, &r->launch, offsetof(ncu_launch, value));
	c = ncu_csv_note_column(r, str_at(&r->to->names, r->metric));
	c.scale = ncu_scale(str_at(&r->to->names, r->unit));
	if (c.role >= BYTES)
		ncu_csv_take_value(r, &c, r->value, strlen(r->value));
}

static void ncu_csv_begin_row(ncu_csv_ctx *r)
{
	r->field = 0;
	r->launch = (ncu_launch){ .process = STR_NONE, .range = STR_NONE };
	r->metric = r->unit = str_id(&r->to->names, "", 0);
	*r->value = 0;
}

static void ncu_csv_end_row(int c UNNEEDED, void *ctx)
{
	ncu_csv_ctx *r = ctx;

	if (r->failed || (r->field == 1 && r->message))
		goto next;
	if (r->row && r->field != r->header.n && (!r->details || r->field > r->header.n))
		ncu_csv_fail_cut(
			r, arena_printf(&r->texts, "has %zu fields, but the header has %zu", r->field, r->header.n));
	else if (r->row == 0)
		ncu_csv_end_header(r);
	else if (r->details)
		ncu_csv_end_details_row(r);
	else if (r->row == 1 && !r->begins_empty)
		ncu_csv_fail(r,
			     "has no row of units under its header; write it again with ncu --page raw --csv");
	else if (r->row > 1)
		ncu_csv_end_launch(r, r->launch);
	r->row++;
next:
	ncu_csv_begin_row(r);
}

/* Read up to the line with the header.  The lines before it, which ncu and the program printed, are skipped.  Returns
 * the line, which has *n bytes; the caller frees it.  NULL after a problem. */
static char *ncu_csv_find_header(ncu_csv_ctx *r, FILE *f, size_t *n)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t got;
	bool any = false;

	while ((got = getline(&line, &room, f)) >= 0) {
		any |= line[strspn(line, " \t\r\n")] != 0;
		if (memmem(line, (size_t)got, "Kernel Name", 11)) {
			*n = (size_t)got;
			return line;
		}
	}
	free(line);
	if (ferror(f)) {
		notes_problem(r->say, EXIT_FAILED, "cannot read '%s':", r->path);
		r->failed = true;
	} else {
		ncu_csv_fail(
			r,
			any ? "is not a page of Nsight Compute as CSV: no line has 'Kernel Name'; pass what " MEASURE
			      " prints" :
			      "is empty; pass what " MEASURE " prints (did it fail?)");
	}
	return NULL;
}

static void ncu_csv_parse_file(ncu_csv_ctx *r, FILE *f)
{
	struct csv_parser p;
	size_t n, bom;
	char *line = ncu_csv_find_header(r, f, &n), *chunk, last;
	bool ok = true;

	if (!line)
		return;
	last = line[n - 1];
	if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL) != 0)
		mem_exhausted(1, sizeof p);
	chunk = mem_new(char, CHUNK);
	ncu_csv_begin_row(r);
	ncu_csv_begin_launch(r);
	bom = strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	ok = csv_parse(&p, line + bom, n - bom, ncu_csv_read_field, ncu_csv_end_row, r) == n - bom;
	while (ok && !r->failed && (n = fread(chunk, 1, CHUNK, f)) > 0) {
		ok = csv_parse(&p, chunk, n, ncu_csv_read_field, ncu_csv_end_row, r) == n;
		last = chunk[n - 1];
	}
	if (ferror(f) && !r->failed) {
		notes_problem(r->say, EXIT_FAILED, "cannot read '%s':", r->path);
		r->failed = true;
	} else if (!ok) {
		ncu_csv_fail(r,
			     arena_printf(&r->texts,
					  "row %zu is not CSV: %s; write it again with ncu --page raw --csv",
					  r->row + 1, csv_strerror(csv_error(&p))));
	} else if (last == ',' || csv_fini(&p, ncu_csv_read_field, ncu_csv_end_row, r) != 0) {
		ncu_csv_fail_cut(r, "does not end");
	} else if (!r->failed && r->open_id != STR_NONE) {
		ncu_csv_end_launch(r, r->open);
	}
	csv_free(&p);
	mem_free(line, chunk);
}

/* Add a remark on each kind of column that is missing. */
static void ncu_csv_remark_missing(const ncu_csv_ctx *r)
{
	if (!r->tensor && !r->vector)
		notes_remark(r->say, "'%s' counts no FLOPs (" MEASURE ")", r->path);
	else if (!r->tensor)
		notes_remark(r->say, "'%s' lacks the FLOPs of tensor cores (" MEASURE ")", r->path);
	else if (!r->vector)
		notes_remark(r->say, "'%s' lacks the FLOPs of other than tensor cores (" MEASURE ")", r->path);
	if (!r->bytes)
		notes_remark(r->say, "'%s' lacks bytes (" MEASURE ")", r->path);
}

ncu_csv *ncu_csv_read(const char *path, notes *say)
{
	ncu_csv_ctx r = { .path = path, .say = say, .open_id = STR_NONE, .to = mem_new(ncu_csv, 1) };
	FILE *f = folders_file(path);

	if (!f) {
		notes_problem(say, errno == ENOENT ? EXIT_WRONG : EXIT_FAILED, "cannot open '%s':", path);
		r.failed = true;
	} else {
		ncu_csv_parse_file(&r, f);
		fclose(f);
	}
	if (!r.failed && !r.to->n)
		ncu_csv_fail(&r, "has no launch; pass what " MEASURE " prints");
	if (!r.failed)
		ncu_csv_remark_missing(&r);
	mem_free(r.header.v, r.columns.v);
	arena_free(&r.texts);
	if (!r.failed)
		return r.to;
	ncu_csv_free(r.to);
	return NULL;
}

void ncu_csv_free(ncu_csv *csv)
{
	if (!csv)
		return;
	str_free(&csv->names);
	mem_free(csv->types.v, csv->stalls.v, csv->v, csv);
}
