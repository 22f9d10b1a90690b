#include "import/rows.h"
#include "base/kernel_name.h"
#include "base/text.h"

#include <string.h>

enum { NVTX_MARK = 34, NVTX_PUSH_POP = 59, NVTX_CREATE_DOMAIN = 75 };

static int64_t rows_string(rows_ctx *r, const char *text)
{
	return tables_add_string(r->out, text, strlen(text));
}

/* A time of the file, counted from r->zero.  Also updates r->last. */
static int64_t rows_time(rows_ctx *r, int64_t at)
{
	int64_t from_zero = at - r->zero;

	if (from_zero > r->last)
		r->last = from_zero;
	return from_zero;
}

static void rows_add_range(rows_ctx *r, const event_head *h, int64_t thread, enum rows_domain domain, const char *name,
			   const char *json)
{
	tables_add(r->out, TABLES_NVTX, (int64_t[]){ rows_time(r, h->start), rows_time(r, h->end), NVTX_PUSH_POP,
		   thread, domain, rows_string(r, name) }, 6, json);
}

void rows_add_collective(rows_ctx *r, const event_head *h, int64_t thread, const comm *c)
{
	enum { GROUPS = 1 << 16 };
	event_head moment = { .start = h->start, .end = h->start };
	const char *key = arena_printf(&r->texts, "%016llx %lld", (unsigned long long)c->id, (long long)(thread >> 24));
	size_t known = r->groups.n;

	if (c->size != COMMS_UNKNOWN && known < GROUPS && str_id(&r->groups, key, strlen(key)) == known)
		rows_add_range(r, &moment, thread, ROWS_NCCL, "ncclCommInitRank", comms_creation_payload(c, &r->texts));
	rows_add_range(r, h, thread, ROWS_NCCL, c->name, comms_payload(c, &r->texts));
}

/* ---- work */

enum { WHEN_WHERE = 7 };        /* the number of columns that all kinds of work have in common */

/* Set the columns that all kinds of work have in common, in the order of FILLED_WHEN_WHERE in tables.c: start, end,
 * GPU, context, stream, correlation, process. */
static void rows_set_when_where(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args,
				int64_t to[WHEN_WHERE])
{
	int64_t correlation = event_int(args, "correlation", TABLES_NULL);
	size_t process = ids_process_of_work(r->all, v->field[SCAN_PID], correlation, correlation != TABLES_NULL);

	to[0] = rows_time(r, h->start);
	to[1] = rows_time(r, h->end);
	to[2] = event_int(args, "device", 0);
	to[3] = event_int(args, "context", 0);
	to[4] = event_int(args, "stream", 0);
	to[5] = correlation;
	to[6] = ids_global(r->all, process);
}

/* Read one of the three sizes of a grid or a block; TABLES_NULL: it is not known. */
static int64_t rows_read_size(const json_t *args, const char *key, size_t i)
{
	const json_t *size = json_array_get(json_object_get(args, key), i);

	return json_is_integer(size) ? json_integer_value(size) : TABLES_NULL;
}

/* The id of a node of a CUDA graph; TABLES_NULL: the event has none, or 0, so the work is no node of a graph. */
static int64_t rows_read_node(const json_t *args)
{
	int64_t node = event_int(args, "graph node id", 0);

	return node ? node : TABLES_NULL;
}

static void rows_add_kernel(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args, const char *name)
{
	int64_t n[WHEN_WHERE + 12], *own = n + WHEN_WHERE, shared = event_int(args, "shared memory", TABLES_NULL);
	size_t length;
	const char *brief = kernel_name_short(name, &length);

	rows_set_when_where(r, v, h, args, n);
	own[0] = rows_string(r, name);
	own[1] = length ? tables_add_string(r->out, brief, length) : own[0];
	own[2] = event_int(args, "registers per thread", TABLES_NULL);
	for (size_t i = 0; i < 3; i++) {
		own[3 + i] = rows_read_size(args, "grid", i);
		own[6 + i] = rows_read_size(args, "block", i);
	}
	own[9] = shared == TABLES_NULL ? TABLES_NULL : 0;       /* only the sum of static and dynamic shared memory is
								 * known, so it counts as dynamic */
	own[10] = shared;
	own[11] = rows_read_node(args);
	tables_add(r->out, TABLES_KERNELS, n, WHEN_WHERE + 12, NULL);
}

/* nsys's number for a kind of memory; TABLES_NULL: unknown.  kind: n bytes from the name of a copy or set, such as
 * Pinned in "Memcpy HtoD (Pinned -> Device)". */
static int64_t rows_find_memory_kind(const char *kind, size_t n)
{
	static const char *const kinds[] = { "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static",
		"Managed Static" };

	for (int i = 0; i < 7; i++)
		if (strlen(kinds[i]) == n && memcmp(kinds[i], kind, n) == 0)
			return i;
	return TABLES_NULL;
}

/* nsys's number for the direction of a copy, from its name or from the argument `kind` that AMD's profiler gives (or
 * NULL); 0: unknown. */
static int64_t rows_find_copy_kind(const char *name, const char *kind)
{
	static const struct { const char *text; int kind; } kinds[] = {
		{ "HtoD", 1 }, { "DtoH", 2 }, { "HtoA", 3 }, { "AtoH", 4 }, { "AtoA", 5 }, { "AtoD", 6 }, { "DtoA", 7 },
		{ "DtoD", 8 }, { "HtoH", 9 }, { "PtoP", 10 }, { "HostToDevice", 1 }, { "DeviceToHost", 2 },
		{ "DeviceToDevice", 8 }, { "HostToHost", 9 },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strstr(name, kinds[i].text) || (kind && strstr(kind, kinds[i].text)))
			return kinds[i].kind;
	return 0;
}

static void rows_add_copy(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args, const char *name)
{
	int64_t n[WHEN_WHERE + 7], *own = n + WHEN_WHERE;
	const char *from = strchr(name, '('), *arrow = from ? strstr(from, " -> ") : NULL,
		*end = arrow ? strchr(arrow, ')') : NULL;

	rows_set_when_where(r, v, h, args, n);
	own[0] = event_int(args, "bytes", TABLES_NULL);
	own[1] = rows_find_copy_kind(name, event_text(args, "kind"));
	own[2] = arrow ? rows_find_memory_kind(from + 1, (size_t)(arrow - from - 1)) : TABLES_NULL;
	own[3] = end ? rows_find_memory_kind(arrow + 4, (size_t)(end - arrow - 4)) : TABLES_NULL;
	own[4] = event_int(args, "fromDevice", TABLES_NULL);
	own[5] = event_int(args, "toDevice", TABLES_NULL);
	own[6] = rows_read_node(args);
	tables_add(r->out, TABLES_COPIES, n, WHEN_WHERE + 7, NULL);
}

static void rows_add_set(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args, const char *name)
{
	int64_t n[WHEN_WHERE + 3], *own = n + WHEN_WHERE;
	const char *from = strchr(name, '(');

	rows_set_when_where(r, v, h, args, n);
	own[0] = event_int(args, "bytes", TABLES_NULL);
	own[1] = from ? rows_find_memory_kind(from + 1, strcspn(from + 1, ")")) : TABLES_NULL;
	own[2] = rows_read_node(args);
	tables_add(r->out, TABLES_SETS, n, WHEN_WHERE + 3, NULL);
}

/* Add a wait.  If it waits for a CUDA event whose stream is known, also add the record of that event, unless an earlier
 * wait did.  nsys gives each record a number (eventSyncId).  torch.profiler does not, so the correlation of the call
 * that recorded the event is used as the number. */
static void rows_add_sync(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args, const char *name)
{
	static const char *const kinds[] = { "Event Sync", "Stream Wait Event", "Stream Sync", "Context Sync" };
	static const int64_t no_stream = UINT32_MAX;
	int64_t n[WHEN_WHERE + 3], *own = n + WHEN_WHERE, stream = event_int(args, "wait_on_stream", -1);
	int64_t record = event_int(args, "wait_on_cuda_event_record_corr_id", -1);
	size_t known = r->records.n;

	rows_set_when_where(r, v, h, args, n);
	n[4] = n[4] < 0 ? no_stream : n[4];
	own[0] = 0;
	for (int k = 0; k < 4; k++)
		own[0] = strcmp(name, kinds[k]) == 0 ? k + 1 : own[0];
	own[1] = event_int(args, "wait_on_cuda_event_id", TABLES_NULL);
	own[2] = record > 0 ? record : TABLES_NULL;
	tables_add(r->out, TABLES_SYNCS, n, WHEN_WHERE + 3, NULL);
	if (record > 0 && stream >= 0 && own[1] != TABLES_NULL && dict_key(&r->records, record) == known)
		tables_add(r->out, TABLES_RECORDS, (int64_t[]){ n[2], n[3], stream, record, n[6], own[1], record }, 7,
			   NULL);
}

/* ---- threads */

static void rows_add_call(rows_ctx *r, const event_head *h, int64_t thread, const json_t *args, const char *name)
{
	tables_add(r->out, TABLES_CALLS, (int64_t[]){ rows_time(r, h->start), rows_time(r, h->end),
		   h->kind == EVENT_DRIVER, thread, event_int(args, "correlation", TABLES_NULL), rows_string(r, name),
		   0 }, 7, NULL);
}

/* The name of an operator, followed by the sizes of its arguments as PyTorch's emit_nvtx writes them and nsq-mfu reads
 * them.  Without sizes, or with a long list of them, the name alone. */
static const char *rows_operator_name(rows_ctx *r, const json_t *args, const char *name)
{
	enum { LONGEST = 300 };         /* a longer list of sizes, such as that of a thousand tensors, does not describe
					 * a matrix product */
	const json_t *sizes = json_object_get(args, "Input Dims");
	char *text = json_is_array(sizes) && json_array_size(sizes) ? json_dumps(sizes, 0) : NULL;

	if (text && strlen(text) < LONGEST)
		name = arena_printf(&r->texts, "%s, sizes = %s", name, text);
	free(text);
	return name;
}

/* Add a call, operator, range or Python function of a thread. */
static void rows_add_cpu(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *args, const char *name)
{
	int64_t thread = ids_add_thread(r->all, ids_add_process(r->all, v->field[SCAN_PID]), v->field[SCAN_TID]);
	bool step = strncmp(name, "ProfilerStep", strlen("ProfilerStep")) == 0;
	comm c;

	if (h->kind == EVENT_RUNTIME || h->kind == EVENT_DRIVER)
		rows_add_call(r, h, thread, args, name);
	else if (h->kind == EVENT_STACK)
		rows_add_range(r, h, thread, ROWS_PYTHON, name, NULL);
	else if (step || (h->kind == EVENT_RANGE && strncmp(name, "nccl:", 5) != 0))
		rows_add_range(r, h, thread, ROWS_OWN, name, NULL);
	else
		rows_add_range(r, h, thread, ROWS_ATEN, rows_operator_name(r, args, name), NULL);
	if (h->kind == EVENT_OPERATOR && comms_read(args, &c))
		rows_add_collective(r, h, thread, &c);
}

/* Add the name of a process or thread.  Names of GPUs and streams are left out, because their pid is no process's. */
static void rows_add_label(rows_ctx *r, const scan_value *v, const json_t *event, const json_t *args)
{
	const char *what = event_text(event, "name"), *name = event_text(args, "name");
	size_t known = r->all->pid.n, process = ids_find_process(r->all, v->field[SCAN_PID]);

	if (!what || !name || !*name || process >= known)
		return;
	if (strcmp(what, "process_name") == 0)
		tables_add(r->out, TABLES_PROCESSES, (int64_t[]){ ids_global(r->all, process),
			   ids_pid(r->all, process) }, 2, name);
	else if (strcmp(what, "thread_name") == 0)
		tables_add(r->out, TABLES_THREADS, (int64_t[]){ rows_string(r, name),
			   ids_add_thread(r->all, process, v->field[SCAN_TID]) }, 2, NULL);
}

void rows_add_event(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *event)
{
	const json_t *args = json_object_get(event, "args");
	const char *name = event_text(event, "name");

	name = name ? name : "";
	if (h->kind == EVENT_LABEL)
		rows_add_label(r, v, event, args);
	else if (h->kind == EVENT_KERNEL)
		rows_add_kernel(r, v, h, args, name);
	else if (h->kind == EVENT_COPY)
		rows_add_copy(r, v, h, args, name);
	else if (h->kind == EVENT_SET)
		rows_add_set(r, v, h, args, name);
	else if (h->kind == EVENT_SYNC)
		rows_add_sync(r, v, h, args, name);
	else
		rows_add_cpu(r, v, h, args, name);
	arena_free(&r->texts);
}

/* ---- processes and GPUs */

void rows_add_process(rows_ctx *r, size_t process, int64_t rank)
{
	static const char *const domains[] = { [ROWS_ATEN] = "aten", [ROWS_PYTHON] = "python", [ROWS_NCCL] = "NCCL" };
	int64_t thread = ids_global(r->all, process) | ids_pid(r->all, process);

	for (int d = ROWS_ATEN; d <= ROWS_NCCL; d++)
		tables_add(r->out, TABLES_NVTX, (int64_t[]){ 0, TABLES_NULL, NVTX_CREATE_DOMAIN, thread, d,
			   rows_string(r, domains[d]) }, 6, NULL);
	if (rank >= 0)
		tables_add(r->out, TABLES_NVTX, (int64_t[]){ 0, TABLES_NULL, NVTX_MARK, thread, ROWS_OWN,
			   rows_string(r, arena_printf(&r->texts, "rank=%lld;", (long long)rank)) }, 6, NULL);
	arena_free(&r->texts);
}

void rows_add_gpus(rows_ctx *r, const json_t *properties)
{
	static const char *const keys[] = { "totalGlobalMem", "numSms", "regsPerBlock", "sharedMemPerBlock",
		"sharedMemPerBlockOptin", "sharedMemPerMultiprocessor", "regsPerMultiprocessor", "warpSize", NULL,
		"maxThreadsPerBlock", "computeMajor", "computeMinor" };
	/* FIRST: the column of keys[0].  WARPS: the index of maxWarpsPerSm, computed from the warp size before it. */
	enum { KEYS = sizeof keys / sizeof *keys, FIRST = 3, WARPS = 8, GPUS = 64 };

	for (size_t i = 0; i < json_array_size(properties) && i < GPUS; i++) {
		const json_t *gpu = json_array_get(properties, i);
		int64_t n[FIRST + KEYS], id = event_int(gpu, "id", (int64_t)i);
		int64_t threads = event_int(gpu, "maxThreadsPerMultiprocessor", TABLES_NULL);
		n[0] = IDS_HOST;
		n[1] = n[2] = id;
		for (int k = 0; k < KEYS; k++)
			n[FIRST + k] = keys[k] ? event_int(gpu, keys[k], TABLES_NULL) : TABLES_NULL;
		if (threads > 0 && n[FIRST + WARPS - 1] > 0)
			n[FIRST + WARPS] = threads / n[FIRST + WARPS - 1];
		tables_add(r->out, TABLES_GPUS, n, FIRST + KEYS, event_text(gpu, "name"));
		for (size_t p = 0; p < r->all->pid.n; p++)
			tables_add(r->out, TABLES_DEVICES, (int64_t[]){ id, id, ids_pid(r->all, p) }, 3, NULL);
	}
}
