#include "import/tables.h"
#include "base/memory.h"
#include "base/strings.h"
#include "table/allowed.h"

#include <errno.h>
#include <string.h>

#define WHEN_WHERE "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, " \
	"contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, " \
	"globalPid INTEGER, "
#define FILLED_WHEN_WHERE "start, end, deviceId, contextId, streamId, correlationId, globalPid, "

/* The tables, by enum tables_table. filled: the columns that tables_add fills; all are numbers, but with `text` the
 * last one is a text. timed: the file has the rows in the order of their start. */
static const struct { const char *name, *columns, *filled; bool timed, text; } layouts[TABLES_ALL] = {
	[TABLES_KERNELS] = { "CUPTI_ACTIVITY_KIND_KERNEL", WHEN_WHERE "demangledName INTEGER NOT NULL, "
		"shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER, "
		"registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "
		"blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, "
		"localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER, "
		"graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER", FILLED_WHEN_WHERE "demangledName, shortName, "
		"registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, "
		"dynamicSharedMemory, graphNodeId", true, false },
	[TABLES_COPIES] = { "CUPTI_ACTIVITY_KIND_MEMCPY", WHEN_WHERE "bytes INTEGER, copyKind INTEGER NOT NULL, "
		"deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, "
		"dstDeviceId INTEGER, dstContextId INTEGER, migrationCause INTEGER, graphNodeId INTEGER, "
		"virtualAddress INTEGER, copyCount INTEGER", FILLED_WHEN_WHERE "bytes, copyKind, srcKind, dstKind, "
		"srcDeviceId, dstDeviceId, graphNodeId", true, false },
	[TABLES_SETS] = { "CUPTI_ACTIVITY_KIND_MEMSET", WHEN_WHERE "value INTEGER, bytes INTEGER, graphNodeId INTEGER, "
		"memKind INTEGER", FILLED_WHEN_WHERE "bytes, memKind, graphNodeId", true, false },
	[TABLES_CALLS] = { "CUPTI_ACTIVITY_KIND_RUNTIME", "start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, "
		"returnValue INTEGER NOT NULL, callchainId INTEGER", "start, end, eventClass, globalTid, "
		"correlationId, nameId, returnValue", true, false },
	[TABLES_SYNCS] = { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", WHEN_WHERE "deprecatedSyncType INTEGER, "
		"syncType INTEGER NOT NULL, eventId INTEGER, eventSyncId INTEGER", FILLED_WHEN_WHERE "syncType, "
		"eventId, eventSyncId", true, false },
	[TABLES_RECORDS] = { "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, "
		"greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
		"eventId INTEGER NOT NULL, eventSyncId INTEGER", "deviceId, contextId, streamId, correlationId, "
		"globalPid, eventId, eventSyncId", false, false },
	[TABLES_NVTX] = { "NVTX_EVENTS", "start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "
		"rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
		"textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER, doubleValue REAL, "
		"uint32Value INTEGER, int32Value INTEGER, floatValue REAL, jsonTextId INTEGER, jsonText TEXT, "
		"binaryData TEXT", "start, end, eventType, globalTid, domainId, textId, jsonText", true, true },
	[TABLES_PROCESSES] = { "PROCESSES", "globalPid INTEGER, pid INTEGER, name TEXT", "globalPid, pid, name", false,
		true },
	[TABLES_THREADS] = { "ThreadNames", "nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER",
		"nameId, globalTid", false, false },
	[TABLES_GPUS] = { "TARGET_INFO_GPU", "vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT, "
		"isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER, "
		"clockRate INTEGER, smCount INTEGER, uuid TEXT, chipName TEXT, cuDevice INTEGER, "
		"maxRegistersPerBlock INTEGER, maxShmemPerBlock INTEGER, maxShmemPerBlockOptin INTEGER, "
		"maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER, "
		"maxThreadsPerBlock INTEGER, computeMajor INTEGER, computeMinor INTEGER", "vmId, id, cuDevice, "
		"totalMemory, smCount, maxRegistersPerBlock, maxShmemPerBlock, maxShmemPerBlockOptin, maxShmemPerSm, "
		"maxRegistersPerSm, threadsPerWarp, maxWarpsPerSm, maxThreadsPerBlock, computeMajor, computeMinor, "
		"name", false, true },
	[TABLES_DEVICES] = { "TARGET_INFO_CUDA_DEVICE", "gpuId INTEGER, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL",
		"gpuId, cudaId, pid", false, false },
	[TABLES_SESSION] = { "TARGET_INFO_SESSION_START_TIME", "utcEpochNs INTEGER, utcTime TEXT, localTime TEXT",
		"utcEpochNs, utcTime", false, true },
	[TABLES_DETAILS] = { "ANALYSIS_DETAILS", "globalVid INTEGER NOT NULL, duration INTEGER NOT NULL, "
		"startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL", "globalVid, duration, startTime, stopTime",
		false, false },
	[TABLES_DIAGNOSTICS] = { "DIAGNOSTIC_EVENT", "timestamp INTEGER NOT NULL, timestampType INTEGER, "
		"source INTEGER NOT NULL, severity INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER",
		"timestamp, source, severity, text", false, true },
	[TABLES_STRINGS] = { "StringIds", "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL", "id, value", false,
		true },
};

/* Tables with the names of numbers that the tables above use: the name of each table, and its rows (id, name,
 * label). */
static const char *const enums[][2] = {
	{ "ENUM_NSYS_EVENT_TYPE", "(34, 'NvtxMark', 'NvtxMark'), (59, 'NvtxPushPopRange', 'NvtxPushPopRange'), "
		"(75, 'NvtxDomainCreate', 'NvtxDomainCreate')" },
	{ "ENUM_NSYS_EVENT_CLASS", "(0, 'TRACE_PROCESS_EVENT_CUDA_RUNTIME', 'CUDA runtime'), "
		"(1, 'TRACE_PROCESS_EVENT_CUDA_DRIVER', 'CUDA driver')" },
	{ "ENUM_CUPTI_SYNC_TYPE", "(1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', 'Event sync'), "
		"(2, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT', 'Stream wait sync'), "
		"(3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', 'Stream sync'), "
		"(4, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE', 'Context sync')" },
	{ "ENUM_CUDA_MEMCPY_OPER", "(0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'), "
		"(1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), "
		"(8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'), (9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'), "
		"(10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer')" },
	{ "ENUM_CUDA_MEM_KIND", "(0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), "
		"(1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'), "
		"(3, 'CUDA_MEMOPR_MEMORY_KIND_ARRAY', 'Array'), (4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'), "
		"(5, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC', 'Device Static'), "
		"(6, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC', 'Managed Static')" },
};

/* The most bytes of strings that are remembered, so that each is written once.  When there are more, all are forgotten,
 * and a string may be written again with another id. */
enum { STRINGS_MOST = 64 << 20 };

struct tables {
	sqlite3 *sql;
	sqlite3_stmt *add[TABLES_ALL];  /* for each table, the statement that adds a row to it */
	const char *path;
	notes *say;
	str_pool strings;       /* the strings that are remembered */
	size_t string_bytes;    /* how many bytes they have */
	int64_t first;          /* the id of the first string in `strings` */
	arena texts;
	bool failed;
};

/* Add a problem if rc is the first failure of SQLite.  False: SQLite has failed, now or before. */
static bool tables_check(tables *t, int rc)
{
	int reason;

	if (t->failed || rc == SQLITE_OK || rc == SQLITE_DONE)
		return !t->failed;
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	reason = sqlite3_system_errno(t->sql);
	t->failed = true;
	errno = reason ? reason : rc == SQLITE_FULL ? ENOSPC : EIO;
	return notes_problem(t->say, EXIT_FAILED, "cannot write '%s':", t->path);
}

static void tables_run(tables *t, const char *statement)
{
	if (!t->failed)
		tables_check(t, sqlite3_exec(t->sql, statement, NULL, NULL, NULL));
}

/* Create a table, and prepare the statement that adds a row.  The rows of a timed table first go to a temporary table
 * of the same name; tables_end copies them from there in order. */
static void tables_create(tables *t, int k)
{
	const char *schema = layouts[k].timed ? "temp" : "main", *values = "?";

	tables_run(t, arena_printf(&t->texts, "CREATE TABLE main.%s (%s)", layouts[k].name, layouts[k].columns));
	if (layouts[k].timed)
		tables_run(t, arena_printf(&t->texts, "CREATE TEMP TABLE %s (%s)", layouts[k].name, layouts[k].filled));
	for (const char *c = strchr(layouts[k].filled, ','); c; c = strchr(c + 1, ','))
		values = arena_printf(&t->texts, "%s, ?", values);
	if (!t->failed)
		tables_check(t, sqlite3_prepare_v2(t->sql, arena_printf(&t->texts, "INSERT INTO %s.%s (%s) VALUES (%s)",
			     schema, layouts[k].name, layouts[k].filled, values), -1, &t->add[k], NULL));
}

tables *tables_begin(const char *path, notes *say)
{
	tables *t = mem_new(tables, 1);

	t->say = say;
	t->path = path;
	t->first = 1;
	tables_check(t, allowed_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, ALLOWED_ADD, &t->sql));
	allowed_unrestrict(t->sql);
	tables_run(t, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
		   "PRAGMA temp_store = FILE; PRAGMA main.cache_size = -16000; PRAGMA temp.cache_size = -16000; BEGIN");
	for (int k = 0; k < TABLES_ALL; k++)
		tables_create(t, k);
	for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
		tables_run(t, arena_printf(&t->texts, "CREATE TABLE %s (id INTEGER NOT NULL PRIMARY KEY, name TEXT, "
					   "label TEXT); INSERT INTO %s VALUES %s", enums[i][0], enums[i][0],
					   enums[i][1]));
	return t;
}

void tables_add(tables *t, enum tables_table to, const int64_t *number, size_t n, const char *text)
{
	sqlite3_stmt *s = t->add[to];

	if (t->failed)
		return;
	for (size_t i = 0; i < n; i++)
		if (number[i] == TABLES_NULL)
			sqlite3_bind_null(s, (int)i + 1);
		else
			sqlite3_bind_int64(s, (int)i + 1, number[i]);
	if (layouts[to].text)
		sqlite3_bind_text(s, (int)n + 1, text, -1, SQLITE_STATIC);
	sqlite3_step(s);
	tables_check(t, sqlite3_reset(s));
}

int64_t tables_add_string(tables *t, const char *text, size_t n)
{
	size_t known = t->strings.n;
	uint32_t id = str_id(&t->strings, text, n);

	if (id == known) {
		const char *value = str_at(&t->strings, id);
		tables_add(t, TABLES_STRINGS, (int64_t[]){ t->first + id }, 1, value);
		t->string_bytes += n;
		if (t->string_bytes > STRINGS_MOST) {
			t->first += (int64_t)t->strings.n;
			str_free(&t->strings);
			t->strings = (str_pool){ 0 };
			t->string_bytes = 0;
			return t->first - 1;
		}
	}
	return t->first + id;
}

void tables_add_fact(tables *t, const char *name, const char *value)
{
	char *q = sqlite3_mprintf("CREATE TABLE IF NOT EXISTS main.META_DATA_EXPORT (name TEXT NOT NULL, value TEXT); "
				  "INSERT INTO main.META_DATA_EXPORT VALUES (%Q, %Q)", name, value);

	if (!q)
		mem_exhausted(strlen(value), 1);
	tables_run(t, q);
	sqlite3_free(q);
}

bool tables_ok(const tables *t)
{
	return !t->failed;
}

bool tables_end(tables *t, bool keep)
{
	bool ok;

	for (int k = 0; k < TABLES_ALL; k++)
		sqlite3_finalize(t->add[k]);
	for (int k = 0; keep && k < TABLES_ALL; k++)
		if (layouts[k].timed)
			tables_run(t, arena_printf(&t->texts, "INSERT INTO main.%s (%s) SELECT %s FROM temp.%s "
						   "ORDER BY start; DROP TABLE temp.%s", layouts[k].name,
						   layouts[k].filled, layouts[k].filled, layouts[k].name,
						   layouts[k].name));
	if (keep)
		tables_run(t, "COMMIT");
	ok = !t->failed;
	sqlite3_close(t->sql);
	str_free(&t->strings);
	arena_free(&t->texts);
	free(t);
	return ok;
}
