-- Makes the trace of the trial out of a fixture: other times, other names of ranges, a CPU that stalls on rank 2,
-- and copies to pageable memory on rank 3.  Applied to a copy of dualpipe-pp2ep2-nsys2023.sqlite.

-- Rank 2 stalls for 300 ms in its own code as it begins the seventh microbatch.  The GPU works off what it was given,
-- and then waits: its next kernel starts 10 us after the call that launches it.
CREATE TEMP TABLE stall AS SELECT globalTid AS thread, start AS moment FROM NVTX_EVENTS
	WHERE globalTid >> 24 = (SELECT globalTid >> 24 FROM NVTX_EVENTS WHERE text LIKE 'rank=2;%') AND text LIKE 'forward chunk 6 %';
CREATE TEMP TABLE late AS SELECT correlationId AS id, end + 300000000 AS called FROM CUPTI_ACTIVITY_KIND_RUNTIME, stall
	WHERE globalTid >> 24 = thread >> 24 AND start >= moment;
CREATE TEMP TABLE wait AS SELECT called + 10000 - start AS ns FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN late ON id = correlationId
	WHERE globalPid >> 24 = (SELECT thread >> 24 FROM stall) ORDER BY start LIMIT 1;
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + (SELECT ns FROM wait), end = end + (SELECT ns FROM wait)
	WHERE globalPid >> 24 = (SELECT thread >> 24 FROM stall) AND correlationId IN (SELECT id FROM late);
UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + (SELECT ns FROM wait), end = end + (SELECT ns FROM wait)
	WHERE globalPid >> 24 = (SELECT thread >> 24 FROM stall) AND correlationId IN (SELECT id FROM late);
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 300000000, end = end + 300000000
	WHERE globalTid >> 24 = (SELECT thread >> 24 FROM stall) AND start >= (SELECT moment FROM stall);
UPDATE NVTX_EVENTS SET start = start + 300000000, end = end + 300000000
	WHERE globalTid >> 24 = (SELECT thread >> 24 FROM stall) AND start > (SELECT moment FROM stall);
UPDATE NVTX_EVENTS SET end = end + 300000000
	WHERE globalTid = (SELECT thread FROM stall) AND start = (SELECT moment FROM stall) AND text LIKE 'forward chunk 6 %';

-- Rank 3 reads something back after each microbatch.
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
	contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
	copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER);
INSERT INTO StringIds VALUES ((SELECT max(id) + 1 FROM StringIds), 'cudaMemcpyAsync_v3020');
CREATE TEMP TABLE copies AS
	SELECT n.end - 400000 AS call, n.globalTid AS thread, 900000000 + row_number() OVER (ORDER BY n.start) AS id,
		(SELECT max(k.end) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
			ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
			WHERE r.globalTid = n.globalTid AND r.start >= n.start AND r.start < n.end) AS ready
	FROM NVTX_EVENTS n WHERE text LIKE 'forward chunk %' AND globalTid >> 24 =
		(SELECT globalTid >> 24 FROM NVTX_EVENTS WHERE text LIKE 'rank=3;%');
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
	SELECT call, call + 350000, 0, thread, id, (SELECT max(id) FROM StringIds), 0 FROM copies;
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY
	SELECT ready + 3000, ready + 3000 + 700000 + id % 7 * 1000, 0, 1, 7, id, thread >> 24 << 24, 4194304, 2, 2, 0 FROM copies;

-- Other names.
UPDATE NVTX_EVENTS SET text = 'microbatch ' || substr(text, 15, 1) WHERE text LIKE 'forward chunk %';
UPDATE NVTX_EVENTS SET text = replace(replace(replace(replace(replace(text, 'stage1', 'attention'), 'stage2', 'dispatch'),
	'stage3', 'experts'), 'stage4', 'combine'), 'stage5', 'output') WHERE text LIKE 'layer%';

-- Other times.
UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 1700000000, end = end + 1700000000;
UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + 1700000000, end = end + 1700000000;
UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = start + 1700000000, end = end + 1700000000;
UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 1700000000, end = end + 1700000000;
UPDATE NVTX_EVENTS SET start = start + 1700000000, end = end + 1700000000 WHERE start >= 0;
DROP TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
DROP TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT;
DROP TABLE PROFILER_OVERHEAD;
