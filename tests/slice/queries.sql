-- The kinds of questions that others' programs ask of an export, by SQL: of a slice they have the same answers, for its
-- windows.  :a to :b is a window's GPU side, :c to :d its CPU side.  nsys-ai, VeloQ, gputrc2graph and scripts of NVIDIA
-- and others were read for what they join; a table that a trace lacks is missing from both.
.print kernels, by name and shape
SELECT d.value, s.value, gridX, blockX, count(*), sum(k.end - k.start), min(k.start), max(k.end) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON d.id = k.demangledName JOIN StringIds s ON s.id = k.shortName
	WHERE k.start >= :a AND k.end <= :b GROUP BY 1, 2, 3, 4 ORDER BY 6 DESC, 1, 2, 3, 4;
.print calls, by name and class
SELECT s.value, c.label, count(*), sum(r.end - r.start), max(r.returnValue) FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN StringIds s ON s.id = r.nameId LEFT JOIN ENUM_NSYS_EVENT_CLASS c ON c.id = r.eventClass
	WHERE r.start >= :c AND r.end <= :d GROUP BY 1, 2 ORDER BY 4 DESC, 1;
.print ranges, by text or its id, with the numbers that the export gives kinds of events
SELECT coalesce(n.text, s.value), n.domainId, count(*), sum(n.end - n.start) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
	WHERE n.eventType = (SELECT id FROM ENUM_NSYS_EVENT_TYPE WHERE name = 'NvtxPushPopRange') AND n.start >= :c AND n.end <= :d GROUP BY 1, 2 ORDER BY 4 DESC, 1;
.print domains
SELECT DISTINCT d.text, d.domainId FROM NVTX_EVENTS d WHERE d.eventType = 75 AND d.domainId IN (SELECT domainId FROM NVTX_EVENTS WHERE start >= :c AND end <= :d) ORDER BY 2, 1;
.print copies and sets, by kind
SELECT o.label, f.label, t.label, count(*), sum(m.bytes), sum(m.end - m.start) FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER o ON o.id = m.copyKind
	LEFT JOIN ENUM_CUDA_MEM_KIND f ON f.id = m.srcKind LEFT JOIN ENUM_CUDA_MEM_KIND t ON t.id = m.dstKind WHERE m.start >= :a AND m.end <= :b GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT count(*), sum(bytes), sum(value) FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE start >= :a AND end <= :b;
.print synchronization
SELECT e.name, count(*), sum(y.end - y.start) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION y JOIN ENUM_CUPTI_SYNC_TYPE e ON e.id = y.syncType WHERE y.start >= :c AND y.end <= :d GROUP BY 1 ORDER BY 1;
.print the range around the launch of each kernel, and how long it waited
WITH launched AS (SELECT k.start, k.end, k.streamId, r.globalTid, r.start AS called, s.value AS name FROM CUPTI_ACTIVITY_KIND_KERNEL k
	JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = k.correlationId AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000 JOIN StringIds s ON s.id = k.shortName WHERE k.start >= :a AND k.end <= :b)
SELECT name, (SELECT n.text FROM NVTX_EVENTS n WHERE n.eventType = 59 AND n.globalTid = l.globalTid AND n.start <= l.called AND n.end >= l.called ORDER BY n.start DESC LIMIT 1), count(*), sum(l.start - l.called), count(DISTINCT streamId)
	FROM launched l GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2;
.print gaps on a device
SELECT deviceId, count(*), sum(gap), max(gap) FROM (SELECT deviceId, start - max(end) OVER (PARTITION BY deviceId ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
	FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start >= :a AND end <= :b) WHERE gap > 0 GROUP BY 1;
.print the GPU, by the process that uses it
SELECT g.name, g.busLocation, g.smCount, g.totalMemory, g.memoryBandwidth, g.computeMajor, g.chipName, g.isDiscrete, c.cudaId, (SELECT count(*) FROM TARGET_INFO_GPU) FROM TARGET_INFO_GPU g JOIN TARGET_INFO_CUDA_DEVICE c ON c.gpuId = g.id ORDER BY c.cudaId, c.pid;
SELECT DISTINCT p.name IS NOT NULL, k.globalPid / 0x1000000 % 0x1000000 FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN PROCESSES p ON p.globalPid = k.globalPid WHERE k.start >= :a AND k.end <= :b;
SELECT DISTINCT x.contextId, x.deviceId, x.nullStreamId FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN TARGET_INFO_CUDA_CONTEXT_INFO x ON x.processId = k.globalPid / 0x1000000 % 0x1000000 AND x.contextId = k.contextId WHERE k.start >= :a AND k.end <= :b;
SELECT DISTINCT t.streamId, t.priority FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN TARGET_INFO_CUDA_STREAM t ON t.streamId = k.streamId AND t.contextId = k.contextId WHERE k.start >= :a AND k.end <= :b ORDER BY 1;
.print threads
SELECT DISTINCT r.globalTid % 0x1000000, replace(s.value, rtrim(s.value, replace(s.value, '/', '')), '') FROM CUPTI_ACTIVITY_KIND_RUNTIME r LEFT JOIN ThreadNames t ON t.globalTid = r.globalTid LEFT JOIN StringIds s ON s.id = t.nameId WHERE r.start >= :c AND r.end <= :d ORDER BY 1, 2;
.print nodes of graphs, calls of the OS, samples, scheduling, metrics, memory
SELECT count(DISTINCT k.graphNodeId), count(*), count(DISTINCT e.originalGraphNodeId) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUDA_GRAPH_NODE_EVENTS e ON e.graphNodeId = k.graphNodeId WHERE k.start >= :a AND k.end <= :b;
SELECT s.value, count(*), sum(o.end - o.start) FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId WHERE o.start >= :c AND o.end <= :d GROUP BY 1 ORDER BY 3 DESC, 1;
SELECT e.name, count(*) FROM COMPOSITE_EVENTS c JOIN ENUM_SAMPLING_THREAD_STATE e ON e.id = c.threadState JOIN SAMPLING_CALLCHAINS f ON f.id = c.id WHERE c.start >= :c AND c.start < :d GROUP BY 1 ORDER BY 1;
SELECT cpu, isSchedIn, count(*) FROM SCHED_EVENTS WHERE start >= :c AND start < :d GROUP BY 1, 2 ORDER BY 1, 2;
SELECT i.metricName, count(*), sum(m.value) FROM GPU_METRICS m JOIN TARGET_INFO_GPU_METRICS i ON i.typeId = m.typeId AND i.metricId = m.metricId WHERE m.timestamp >= :a AND m.timestamp < :b GROUP BY 1 ORDER BY 1;
SELECT k.name, o.name, count(*), sum(e.bytes) FROM CUDA_GPU_MEMORY_USAGE_EVENTS e JOIN ENUM_CUDA_MEM_KIND k ON k.id = e.memKind JOIN ENUM_CUDA_DEV_MEM_EVENT_OPER o ON o.id = e.memoryOperationType WHERE e.start >= :c AND e.start < :d GROUP BY 1, 2 ORDER BY 1, 2;
.print what made it
SELECT name, value FROM META_DATA_EXPORT WHERE name IN ('EXPORT_SCHEMA_VERSION', 'EXPORT_PRODUCT_VERSION') ORDER BY 1;
SELECT name, value FROM META_DATA_CAPTURE WHERE name LIKE '%CUDA_GRAPH_TRACE_OPTIONS:MODE' ORDER BY 1;
SELECT name, value FROM TARGET_INFO_SYSTEM_ENV WHERE name IN ('NvDriverVersion', 'CudaDriverVersion', 'CpuCores') ORDER BY 1;
SELECT utcEpochNs, localTime IS NOT NULL OR 1 FROM TARGET_INFO_SESSION_START_TIME;
SELECT duration, startTime, stopTime FROM ANALYSIS_DETAILS;
