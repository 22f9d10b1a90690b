-- table: idle_kinds
-- Idle time by kind and place, cut to what a fix can save: after a fix, a step still takes as long as the longer of two times, GPU
-- busy time and the CPU's own time.
WITH
-- The time that the profiler adds is subtracted from the idle time around launches, in proportion.
launching AS (SELECT unit, sum(all_ns) AS ns FROM idle_about WHERE around GROUP BY 1),
own AS MATERIALIZED (
	SELECT o.unit, o.about, o.owner, o.replayed, o.far, o.place, o.ns * iif(o.around, max(0, 1 - m.excess / a.ns), 1) AS ns
	FROM idle_about o JOIN mean_step m ON m.unit = o.unit LEFT JOIN launching a ON a.unit = o.unit),
-- Removing a synchronization frees no CPU time.  Removing data, allocation, loading or capturing frees the time that they take.
-- The time of capturing is not cut further: what the profiler adds has been subtracted from it already.
sums AS (
	SELECT unit, sum(ns * (about = 'sync')) AS sync, sum(ns * (about = 'data')) AS data, sum(ns * (about = 'alloc')) AS alloc,
		sum(ns * (about = 'load')) AS load, sum(ns * (about = 'capture')) AS capture FROM own GROUP BY 1),
part AS MATERIALIZED (
	SELECT m.*, s.data + s.alloc + s.load + s.capture AS freed,
		min(1, max(0, m.period - max(m.busy, m.cpu)) / max(1, s.sync)) AS sync,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.data)) / max(1, s.data)) AS data,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.alloc)) / max(1, s.alloc)) AS alloc,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.load)) / max(1, s.load)) AS load
	FROM mean_step m JOIN sums s ON s.unit = m.unit),
kinds AS MATERIALIZED (
	SELECT o.unit, iif(o.about = 'api', 'launch', o.about) AS kind, o.replayed, o.far, o.place,
		o.ns * CASE o.about WHEN 'sync' THEN p.sync WHEN 'data' THEN p.data WHEN 'alloc' THEN p.alloc WHEN 'load' THEN p.load ELSE 1 END AS ns
	FROM own o JOIN part p ON p.unit = o.unit
	UNION ALL       -- synced time that a fix does not save counts for its owner
	SELECT o.unit, CASE o.owner WHEN 'api' THEN 'launch' WHEN 'sync' THEN 'host' ELSE o.owner END, o.replayed, o.far, o.place, o.ns * (1 - p.sync)
	FROM own o JOIN part p ON p.unit = o.unit WHERE o.about = 'sync' AND p.sync < 1),
-- If the CPU would be ahead of the GPU without these waits, launch and host time is only the queue refilling.
filling AS (
	SELECT k.unit, sum(k.ns * (k.kind IN ('launch', 'host'))) AS around,
		sum(k.ns * (k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable', 'capture', 'smallcopy'))) AS waits
	FROM kinds k JOIN part p ON p.unit = k.unit WHERE p.cpu - p.freed < p.busy GROUP BY 1)
SELECT k.unit, k.kind, k.replayed, k.far, k.place, k.ns * CASE WHEN f.waits > f.around AND k.kind IN ('launch', 'host') THEN 0
	WHEN f.waits > f.around AND k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable', 'capture', 'smallcopy') THEN 1 + f.around / f.waits ELSE 1 END AS ns
FROM kinds k LEFT JOIN filling f ON f.unit = k.unit
