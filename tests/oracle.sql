-- What a trace says, in nsq's words, worked out by SQLite alone: the second opinion of the tests.
-- The trace is open as main, read-only; the answers go to the attached database o.

-- nsys writes no empty tables, so one that is missing is an empty one: names are looked up in the
-- trace first, and here when it has none.
CREATE TABLE o.CUPTI_ACTIVITY_KIND_KERNEL
	(start, "end", globalPid, deviceId, contextId, streamId, correlationId, shortName, demangledName);
CREATE TABLE o.CUPTI_ACTIVITY_KIND_GRAPH_TRACE
	(start, "end", globalPid, deviceId, contextId, streamId, correlationId, graphId);
CREATE TABLE o.CUPTI_ACTIVITY_KIND_MEMCPY
	(start, "end", globalPid, deviceId, contextId, streamId, correlationId, copyKind);
CREATE TABLE o.CUPTI_ACTIVITY_KIND_MEMSET
	(start, "end", globalPid, deviceId, contextId, streamId, correlationId);
CREATE TABLE o.CUPTI_ACTIVITY_KIND_RUNTIME (start, "end", globalTid, correlationId, nameId);
CREATE TABLE o.NVTX_EVENTS (start, "end", eventType, globalTid, endGlobalTid, text, textId, domainId);

-- GPU work: half-open [a,b), of a process (the id above the low 24 bits; pid is what is shown).
CREATE TABLE o.work AS
SELECT 'kernel' AS kind, globalPid >> 24 AS proc, globalPid >> 24 & 0xffffff AS pid, deviceId AS gpu,
	contextId AS ctx, streamId AS stream, start AS a, "end" AS b, correlationId AS corr,
	iif(d.value LIKE 'void cutlass::Kernel2<%>(%', substr(d.value, 23, instr(d.value, '>(') - 23), s.value) AS name,
	s.value LIKE 'nccl%' AS comm
	FROM CUPTI_ACTIVITY_KIND_KERNEL LEFT JOIN StringIds s ON s.id = shortName LEFT JOIN StringIds d ON d.id = demangledName
	WHERE start >= 0
UNION ALL
SELECT 'graph', globalPid >> 24, globalPid >> 24 & 0xffffff, deviceId, contextId, streamId, start, "end",
	correlationId, 'graph ' || graphId, 0 FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE WHERE start >= 0
UNION ALL
SELECT 'copy', globalPid >> 24, globalPid >> 24 & 0xffffff, deviceId, contextId, streamId, start, "end",
	correlationId, iif(copyKind BETWEEN 11 AND 13, 'migration', 'memcpy'), 0 FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE start >= 0
UNION ALL
SELECT 'set', globalPid >> 24, globalPid >> 24 & 0xffffff, deviceId, contextId, streamId, start, "end",
	correlationId, 'memset', 0 FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE start >= 0;

CREATE TABLE o.calls AS
SELECT globalTid >> 24 AS proc, globalTid >> 24 & 0xffffff AS pid, globalTid & 0xffffff AS tid,
	start AS a, "end" AS b, correlationId AS corr, value AS name
	FROM CUPTI_ACTIVITY_KIND_RUNTIME LEFT JOIN StringIds ON id = nameId WHERE start >= 0;
CREATE INDEX o.calls_by_id ON calls (proc, corr, a);

-- Work with the call of its own process that launched it, where there is one.
CREATE TABLE o.launched AS
SELECT w.*, c.a AS launch, c.tid AS tid FROM o.work w LEFT JOIN o.calls c ON c.rowid =
	(SELECT rowid FROM o.calls WHERE proc = w.proc AND corr = w.corr ORDER BY a LIMIT 1);
CREATE INDEX o.launched_by_time ON launched (proc, launch);

-- Processes: the span of all their events [a,b), and of their GPU work [ga,gb).
CREATE TABLE o.procs AS
SELECT proc, proc & 0xffffff AS pid, min(a) AS a, max(b) AS b, min(ga) AS ga, max(gb) AS gb FROM (
	SELECT proc, a, b, a AS ga, b AS gb FROM o.work
	UNION ALL SELECT proc, a, b, NULL, NULL FROM o.calls
	UNION ALL SELECT globalTid >> 24, start, coalesce("end", start), NULL, NULL
		FROM NVTX_EVENTS WHERE start >= 0 AND eventType NOT IN (75, 76))
GROUP BY proc;

CREATE TABLE o.domains AS
SELECT globalTid >> 24 AS proc, domainId AS id, coalesce(text, value) AS name
	FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE eventType = 75;

-- Ranges: 59 is push/pop, 60 start/end.  One that was never closed ends with its process.
CREATE TABLE o.ranges AS
SELECT eventType AS type, globalTid >> 24 AS proc, globalTid >> 24 & 0xffffff AS pid,
	globalTid & 0xffffff AS tid, start AS a,
	coalesce("end", (SELECT b FROM o.procs p WHERE p.proc = globalTid >> 24)) AS b,
	coalesce(text, value) AS name, coalesce(d.name, '-') AS domain
	FROM NVTX_EVENTS LEFT JOIN StringIds s ON s.id = textId
	LEFT JOIN o.domains d ON d.proc = globalTid >> 24 AND d.id = domainId
	WHERE eventType IN (59, 60) AND start >= 0;
CREATE INDEX o.ranges_by_thread ON ranges (proc, tid, a);
CREATE INDEX o.stages_by_thread ON ranges (proc, tid, a) WHERE name GLOB '*stage[0-9]*_[fbw]*';

CREATE TABLE o.streams AS
SELECT proc, pid, gpu, ctx, stream,
	CASE WHEN sum(kind = 'graph' OR (kind = 'kernel' AND NOT comm)) THEN 'compute'
	WHEN sum(kind = 'kernel') THEN 'comm' ELSE 'copy' END AS class
	FROM o.work GROUP BY proc, gpu, ctx, stream;

-- When some compute runs on a GPU of a process: disjoint [a,b).
CREATE TABLE o.compute AS
SELECT proc, gpu, min(a) AS a, max(b) AS b FROM (
	SELECT *, sum(fresh) OVER (PARTITION BY proc, gpu ORDER BY a, b, n) AS island FROM (
		SELECT *, coalesce(a > max(b) OVER (PARTITION BY proc, gpu ORDER BY a, b, n
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 1) AS fresh FROM (
				SELECT proc, gpu, a, b, rowid AS n FROM o.work
				WHERE kind = 'graph' OR (kind = 'kernel' AND NOT comm))))
GROUP BY proc, gpu, island;
CREATE INDEX o.compute_by_time ON compute (proc, gpu, a);

-- Communication kernels, with the ranges that decide their stage: the innermost whose name holds
-- stageN_f, _b or _w, and the innermost outside NCCL's domain.
CREATE TABLE o.comms AS
SELECT l.*, s.class,
	(SELECT coalesce(sum(max(0, min(l.b, c.b) - max(l.a, c.a))), 0) FROM o.compute c
		WHERE c.proc = l.proc AND c.gpu = l.gpu AND c.a < l.b AND c.a >= coalesce(
			(SELECT max(a) FROM o.compute d WHERE d.proc = l.proc AND d.gpu = l.gpu AND d.a <= l.a), l.a)) AS hidden,
	(SELECT r.name FROM o.ranges r WHERE r.proc = l.proc AND r.tid = l.tid AND r.type = 59 AND
		r.a <= l.launch AND r.b > l.launch AND r.name GLOB '*stage[0-9]*_[fbw]*'
		ORDER BY r.a DESC, r.b LIMIT 1) AS stage_range,
	(SELECT r.name FROM o.ranges r WHERE r.proc = l.proc AND r.tid = l.tid AND r.type = 59 AND
		r.a <= l.launch AND r.b > l.launch AND r.domain <> 'NCCL'
		ORDER BY r.a DESC, r.b LIMIT 1) AS user_range
	FROM o.launched l JOIN o.streams s USING (proc, gpu, ctx, stream) WHERE l.comm;
