# Fixtures that every tool can answer: `load ../whole-fixtures` after `load ../helper`.  A copy of each, with a few rows
# of what only some were captured with, so that promises that hold for all tools can be tried on any trace.

# has TRACE TABLE: the trace has such a table.
has() { [ -n "$(sql "$1" "SELECT 1 FROM sqlite_master WHERE name = '$2'")" ]; }

# schema_of FIXTURE TABLE: the SQL that makes such a table.
schema_of() { sql "$FIXTURES/$1.sqlite" "SELECT sql || ';' FROM sqlite_master WHERE name = '$2'"; }

# The times of twenty moments while kernels run, in SQL, with a number for each.
MOMENTS="(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
	SELECT i, a + (b - a) / 20 * i AS t FROM n, (SELECT min(start) AS a, max(end) AS b FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start >= 0))"

# completion TRACE: the SQL that adds metrics of GPU 0 and of a network adapter, and allocations, where there are none.
completion() {
	has "$1" GPU_METRICS || echo "$(schema_of train-metrics GPU_METRICS)
		INSERT INTO GPU_METRICS (rawTimestamp, timestamp, typeId, metricId, value) SELECT t, t, 281479271677952, m, (i * 37 + m) % 101
			FROM $MOMENTS, (SELECT 4 AS m UNION SELECT 5) ORDER BY t, m;"
	has "$1" TARGET_INFO_GPU_METRICS || echo "$(schema_of train-metrics TARGET_INFO_GPU_METRICS)
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (281479271677952, 0, '', 4, 'SM Issue [Throughput %]'), (281479271677952, 0, '', 5, 'Tensor Active [Throughput %]');"
	has "$1" NET_NIC_METRIC || echo "CREATE TABLE NET_NIC_METRIC (start INTEGER, end INTEGER, globalId INTEGER, portId INTEGER, metricsListId INTEGER, metricsIdx INTEGER, value INTEGER);
		CREATE TABLE NIC_ID_MAP (nicId INTEGER, globalId INTEGER);
		INSERT INTO NIC_ID_MAP VALUES (0, 70);
		INSERT INTO NET_NIC_METRIC SELECT t, t + 10000, 70, 1, 0, i % 2, 100 * i FROM $MOMENTS;"
	has "$1" TARGET_INFO_NETWORK_METRICS || echo "
		CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT, description TEXT, unit TEXT);
		INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (0, 0, 'IB: Bytes sent', '', 'bytes/ms'), (0, 1, 'IB: Send waits', '', 'ticks/ms');"
	has "$1" CUDA_GPU_MEMORY_USAGE_EVENTS || echo "$(schema_of train-allocs CUDA_GPU_MEMORY_USAGE_EVENTS)
		INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, pc, bytes, memKind, memoryOperationType, correlationId)
			SELECT i / 2 * 1000000, p, 0, 1, i, 0, 1000 + i, 2, i % 2, i FROM $MOMENTS, (SELECT DISTINCT globalPid AS p FROM CUPTI_ACTIVITY_KIND_KERNEL);"
}

# use_whole_fixtures FOLDER: the variables that name fixtures name their copies there.
use_whole_fixtures() {
	FIXTURES=$1 DUALPIPE=$1/dualpipe-pp2ep2.sqlite DUALPIPE_2023=$1/dualpipe-pp2ep2-nsys2023.sqlite DDP=$1/ddp-2rank.sqlite
	NODES=$1/decode-graph-nodes.sqlite WHOLE=$1/decode-graph-whole.sqlite COPIES=$1/threads-copies.sqlite COMPILE=$1/torch-compile.sqlite
}
