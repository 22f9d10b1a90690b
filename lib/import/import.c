#include "import/import.h"
#include "base/text.h"
#include "import/rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { STOP_EVERY = 4096 };  /* how many values of the file are read between two calls of how.stop */

typedef struct {                /* an import, and what the readings of the file find out */
	const char *path;
	const import_how *how;
	notes *say;
	ids all;                        /* the processes and threads of the file */
	size_t events;                  /* how many events there are */
	size_t kinds[EVENT_KINDS];      /* the number of events of each kind, without those that `timeless` counts */
	size_t unreadable;              /* how many events are no JSON, or too long */
	size_t timeless;                /* how many events lack times, or have impossible ones, though their kind
					 * needs times */
	int64_t first_unreadable;       /* the offset of the first unreadable event */
	int64_t first_timeless;         /* the offset of the first timeless event */
	int64_t earliest;               /* the start of the earliest event, ns from the file's own time 0 */
	int64_t base;                   /* baseTimeNanoseconds: what to add to times to get UTC; TABLES_NULL: the file
					 * does not say */
	int64_t rank;                   /* the rank that distributedInfo names; -1: none */
	json_t *gpus;                   /* deviceProperties, or NULL */
	enum scan_result end;
	int64_t cut;                    /* if `end` is not SCAN_WHOLE: the offset of the value that is cut off or
					 * damaged */
	bool ops_have_comms;            /* do the arguments of any operator describe a collective? */
	bool kernels_have_comms;        /* do the arguments of any kernel describe a collective? */
	dict launched;                  /* the correlations of kernels that describe a collective */
	vec(comm) comms;                /* for each correlation of `launched`: the collective */
} import_ctx;

bool import_is_trace(const char *path)
{
	return scan_is_trace(path);
}

static bool import_is_work(enum event_kind k)
{
	return k == EVENT_KERNEL || k == EVENT_COPY || k == EVENT_SET;
}

static bool import_is_of_thread(enum event_kind k)
{
	return k >= EVENT_RUNTIME && k <= EVENT_STACK;
}

static bool import_is_stopped(const import_ctx *x, size_t i)
{
	return x->how->stop && i % STOP_EVERY == 0 && x->how->stop(x->how->ctx);
}

/* ---- the first reading finds out what the file holds */

static void import_record_member(import_ctx *x, const scan_value *v)
{
	json_t *value;

	if (v->text && strcmp(v->key, "baseTimeNanoseconds") == 0)
		x->base = strtoll(v->text, NULL, 10);
	if (!v->text || !text_is_listed_word(v->key, strlen(v->key), "deviceProperties distributedInfo"))
		return;
	value = event_parse_json(v->text, v->n);
	if (strcmp(v->key, "distributedInfo") == 0)
		x->rank = event_int(value, "rank", -1);
	else if (!x->gpus)
		x->gpus = json_incref(value);
	json_decref(value);
}

static void import_record_event(import_ctx *x, const scan_value *v)
{
	event_head h = event_read_head(v);

	if (!v->text && !x->unreadable++)
		x->first_unreadable = v->at;
	if (h.kind > EVENT_OTHER && h.kind != EVENT_LABEL && !h.timed) {
		if (!x->timeless++)
			x->first_timeless = v->at;
		return;
	}
	x->kinds[h.kind]++;
	if (h.timed && h.start < x->earliest)
		x->earliest = h.start;
	if (import_is_of_thread(h.kind))
		ids_add_process(&x->all, v->field[SCAN_PID]);
	x->kernels_have_comms |= h.kind == EVENT_KERNEL && v->field[SCAN_COLLECTIVE];
	x->ops_have_comms |= h.kind == EVENT_OPERATOR && v->field[SCAN_COLLECTIVE];
}

/* Read the file once, and call `take` for each value.  False: how.stop ended the reading, or the file cannot be
 * opened. */
static bool import_read_file(import_ctx *x, void (*take)(import_ctx *x, const scan_value *v, void *ctx), void *ctx)
{
	scan *s = scan_open(x->path);
	scan_value v;
	bool stop = false;

	if (!s)
		return notes_problem(x->say, EXIT_FAILED, "cannot open '%s':", x->path);
	for (size_t i = 0; !stop && scan_next(s, &v); i++) {
		take(x, &v, ctx);
		stop = import_is_stopped(x, i);
	}
	x->end = scan_result(s);
	x->cut = scan_at(s);
	scan_close(s);
	return !stop;
}

static void import_record_value(import_ctx *x, const scan_value *v, void *unused UNNEEDED)
{
	x->events += v->event;
	if (v->event)
		import_record_event(x, v);
	else
		import_record_member(x, v);
}

/* Does the trace have GPU work?  If not, adds a problem that says why. */
static bool import_has_gpu_work(const import_ctx *x)
{
	size_t ours = 0, work = 0;

	for (int k = EVENT_OTHER; k < EVENT_LABEL; k++) {
		ours += x->kinds[k];
		work += import_is_work((enum event_kind)k) ? x->kinds[k] : 0;
	}
	if (!ours && x->end != SCAN_WHOLE)
		return notes_problem(x->say, EXIT_FAILED, "'%s' is cut off or damaged: no event can be read", x->path);
	if (!ours)
		return notes_problem(x->say, EXIT_FAILED, "'%s' is no trace of torch.profiler: it has none of its "
				     "events", x->path);
	if (!work && x->end != SCAN_WHOLE)
		return notes_problem(x->say, EXIT_CANNOT, "'%s' is cut off or damaged at byte %lld, before any GPU "
				     "work", x->path, (long long)x->cut);
	if (!work)
		return notes_problem(x->say, EXIT_CANNOT, "'%s' has no GPU work, only %zu operators and %zu ranges of "
				     "the CPU; record it with ProfilerActivity.CUDA", x->path, x->kinds[EVENT_OPERATOR],
				     x->kinds[EVENT_RANGE]);
	return true;
}

/* ---- a second reading, only if calls are needed to find the processes of work, or if only kernels describe the
 * collectives: then the call that launched such a kernel says in which thread the range of the collective belongs */

static void import_record_correlation(import_ctx *x, const scan_value *v, void *unused UNNEEDED)
{
	event_head h = v->event ? event_read_head(v) : (event_head){ 0 };
	bool call = h.kind == EVENT_RUNTIME || h.kind == EVENT_DRIVER;
	json_t *event = h.timed && (call || h.kind == EVENT_KERNEL) ? event_parse_json(v->text, v->n) : NULL;
	const json_t *args = json_object_get(event, "args");
	int64_t correlation = event_int(args, "correlation", TABLES_NULL);
	comm c;

	if (correlation != TABLES_NULL && call)
		ids_record_call(&x->all, ids_add_process(&x->all, v->field[SCAN_PID]), correlation);
	else if (correlation != TABLES_NULL && !x->ops_have_comms && comms_read(args, &c) &&
		 dict_key(&x->launched, correlation) == x->comms.n)
		vec_push(&x->comms, c);
	json_decref(event);
}

/* ---- the last reading writes the rows */

static void import_write_event(import_ctx *x, const scan_value *v, void *ctx)
{
	rows_ctx *r = ctx;
	event_head h = v->event ? event_read_head(v) : (event_head){ 0 };
	json_t *event;

	if (h.kind <= EVENT_OTHER || (h.kind == EVENT_STACK && !x->how->stacks) ||
	    (h.kind != EVENT_LABEL && !h.timed) || !tables_ok(r->out))
		return;
	event = event_read_part(v, &h);
	if (!event && (!x->unreadable++ || v->at < x->first_unreadable))
		x->first_unreadable = v->at;
	if (event)
		rows_add_event(r, v, &h, event);
	if (x->comms.n && (h.kind == EVENT_RUNTIME || h.kind == EVENT_DRIVER)) {
		int64_t correlation = event_int(json_object_get(event, "args"), "correlation", TABLES_NULL);
		uint32_t key = dict_find(&x->launched, correlation);
		if (key != DICT_NONE)
			rows_add_collective(r, &h, ids_add_thread(&x->all, ids_add_process(&x->all, v->field[SCAN_PID]),
						    v->field[SCAN_TID]), &x->comms.v[key]);
	}
	json_decref(event);
}

/* The UTC of time 0 in the rows, ns; TABLES_NULL: not known.  Old versions of PyTorch count from 1970, later ones from
 * a base that the file gives. */
static int64_t import_find_utc(const import_ctx *x)
{
	static const int64_t year_2001 = 1000000000000000000;
	int64_t utc = x->earliest;

	if (utc < year_2001 && x->base != TABLES_NULL && x->base >= 0 && x->base < INT64_MAX - utc)
		utc += x->base;
	return utc >= year_2001 ? utc : TABLES_NULL;
}

/* Write the rows about the whole file: processes, rank, GPUs, start time, length, and where the file comes from. */
static void import_write_run(import_ctx *x, rows_ctx *r)
{
	int64_t utc = import_find_utc(x);
	time_t seconds = (time_t)(utc / 1000000000);
	char text[32] = "";
	struct tm at;

	for (size_t p = 0; p < x->all.pid.n; p++)
		rows_add_process(r, p, x->all.pid.n == 1 ? x->rank : -1);
	rows_add_gpus(r, x->gpus);
	if (utc != TABLES_NULL && gmtime_r(&seconds, &at)) {
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &at);
		tables_add(r->out, TABLES_SESSION, (int64_t[]){ utc }, 1, text);
	}
	tables_add(r->out, TABLES_DETAILS, (int64_t[]){ IDS_HOST, r->last, 0, r->last }, 4, NULL);
	tables_add_fact(r->out, "EXPORT_PRODUCT_NAME", IMPORT_PRODUCT);
	tables_add_fact(r->out, "EXPORT_PRODUCT_VERSION", IMPORT_PRODUCT " " NSQ_VERSION);
	tables_add_fact(r->out, "EXPORT_SCHEMA_VERSION", "3.20.3");
	tables_add_fact(r->out, "EXPORT_PARAM_INPUT_FILE", text_base(x->path));
}

/* Warn now, and record the warning where nsys records its own, so that nsq-setup --facts shows it to later readers. */
static void import_warn(const import_ctx *x, rows_ctx *r, const char *text)
{
	enum { SOURCE_OTHER = 0, SEVERITY_WARNING = 2 };

	tables_add(r->out, TABLES_DIAGNOSTICS, (int64_t[]){ 0, SOURCE_OTHER, SEVERITY_WARNING }, 3, text);
	notes_warn(x->say, "%s", text);
}

/* Warn about events that were left out, and about a file that is cut off or damaged. */
static void import_warn_losses(const import_ctx *x, rows_ctx *r)
{
	const char *name = text_base(x->path);

	if (x->end != SCAN_WHOLE)
		import_warn(x, r, arena_printf(&r->texts, "'%s' is %s at byte %lld; the %zu events before are imported",
					       name, x->end == SCAN_CUT ? "cut off" : "damaged", (long long)x->cut,
					       x->events));
	if (x->unreadable)
		import_warn(x, r, arena_printf(&r->texts, "'%s': unreadable events left out: %zu, the first at byte "
					       "%lld", name, x->unreadable, (long long)x->first_unreadable));
	if (x->timeless)
		import_warn(x, r, arena_printf(&r->texts, "'%s': events with impossible times left out: %zu, the first "
					       "at byte %lld", name, x->timeless, (long long)x->first_timeless));
	arena_free(&r->texts);
}

bool import_write(const char *path, const char *to, const import_how *how, notes *say)
{
	import_ctx x = { .path = path, .how = how, .say = say, .earliest = INT64_MAX, .base = TABLES_NULL, .rank = -1 };
	rows_ctx r = { .all = &x.all };
	bool ok = import_read_file(&x, import_record_value, NULL) && import_has_gpu_work(&x);

	if (ok && (x.all.pid.n > 1 || (x.kernels_have_comms && !x.ops_have_comms)))
		ok = import_read_file(&x, import_record_correlation, NULL);
	if (ok) {
		r.zero = x.earliest;
		r.out = tables_begin(to, say);
		ok = import_read_file(&x, import_write_event, &r);
		if (ok) {
			import_write_run(&x, &r);
			import_warn_losses(&x, &r);
		}
		ok = tables_end(r.out, ok) && ok;
	}
	json_decref(x.gpus);
	ids_free(&x.all);
	str_free(&r.groups);
	dict_free(&r.records);
	dict_free(&x.launched);
	mem_free(x.comms.v);
	return ok;
}
