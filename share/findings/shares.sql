-- table: shares
-- What each kind of idle time takes in a mean step that is not long, divided so that no nanosecond is in two kinds, and cut
-- to what a fix can save: a fixed step still takes the longer of GPU busy time and of what the CPU needs by itself.
WITH
mean AS MATERIALIZED (
	SELECT s.unit, count(*) AS n, avg(s.dur_ns) - max(u.excess_ns) AS period, avg(s.busy_ns) AS busy,
		avg(s.cpu_ns - max(s.profiler_ns, u.excess_ns)) AS cpu, max(u.excess_ns) AS excess
	FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT s.long GROUP BY s.unit),
-- Places with twenty or more small copies a step: there each copy costs more than its bytes.
copying AS MATERIALIZED (
	SELECT l.unit, l."where" AS place FROM ledger_sums l JOIN mean m ON m.unit = l.unit
	WHERE l.smallcopy AND NOT l.long AND l.owner IN ('copy', 'copy.pageable') GROUP BY 1, 2 HAVING sum(l.count) >= 20 * max(m.n)),
-- The first rule that applies decides what idle time is about.  A range that compiles, or a launch that loads its kernel, is loading.
-- A graph that is made anew is capture.  Work that starts over a millisecond after its launch was held up outside the program.
-- A blocking copy of a scalar is a wait for the GPU.
told AS MATERIALIZED (
	SELECT l.unit, l.owner, l.replayed, l.far, l."where" AS place, l.dur_ns, l.late_ns,
		CASE WHEN l.owner IN ('copy', 'copy.pageable') THEN iif(l.smallcopy AND c.unit IS NOT NULL, 'smallcopy', iif(l.owner = 'copy', NULL, 'pageable'))
		WHEN l.compiles THEN 'load' WHEN l.captures THEN 'capture' WHEN l.first THEN 'load'
		WHEN l.smallcopy AND c.unit IS NOT NULL THEN 'smallcopy'
		WHEN l.owner = 'turnaround' AND l.far THEN 'turnaround'
		WHEN l.owner = 'sync' OR l.synced OR l.waits THEN 'sync'
		WHEN l.pageable THEN 'pageable'
		WHEN l.owner <> 'queued' THEN l.owner END AS about
	FROM ledger_sums l LEFT JOIN copying c ON c.unit = l.unit AND c.place IS l."where"
	WHERE NOT l.long AND l.owner IN ('copy', 'copy.pageable', 'sync', 'data', 'alloc', 'load', 'api', 'launch', 'turnaround', 'queued', 'host')),
owned AS MATERIALIZED (
	SELECT t.unit, t.about, t.owner, t.replayed, t.far, t.place, sum(t.dur_ns - t.late_ns) * 1.0 / m.n AS ns, sum(t.dur_ns) * 1.0 / m.n AS all_ns,
		t.about IN ('launch', 'turnaround', 'host', 'capture', 'smallcopy') AS around
	FROM told t JOIN mean m ON m.unit = t.unit WHERE t.about IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6),
-- What the profiler adds is taken off the time around launches, in proportion.
launching AS (SELECT unit, sum(all_ns) AS ns FROM owned WHERE around GROUP BY 1),
own AS MATERIALIZED (
	SELECT o.unit, o.about, o.owner, o.replayed, o.far, o.place, o.ns * iif(o.around, max(0, 1 - m.excess / a.ns), 1) AS ns
	FROM owned o JOIN mean m ON m.unit = o.unit LEFT JOIN launching a ON a.unit = o.unit),
-- Removing a synchronization frees no CPU time; without data, allocation, loading or capturing there is less to do.
sums AS (
	SELECT unit, sum(ns * (about = 'sync')) AS sync, sum(ns * (about = 'data')) AS data, sum(ns * (about = 'alloc')) AS alloc,
		sum(ns * (about = 'load')) AS load, sum(ns * (about = 'capture')) AS capture FROM own GROUP BY 1),
part AS MATERIALIZED (
	SELECT m.*, s.data + s.alloc + s.load + s.capture AS freed,
		min(1, max(0, m.period - max(m.busy, m.cpu)) / nullif(s.sync, 0)) AS sync,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.data)) / nullif(s.data, 0)) AS data,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.alloc)) / nullif(s.alloc, 0)) AS alloc,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.load)) / nullif(s.load, 0)) AS load,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.capture)) / nullif(s.capture, 0)) AS capture
	FROM mean m JOIN sums s ON s.unit = m.unit),
kinds AS MATERIALIZED (
	SELECT o.unit, iif(o.about = 'api', 'launch', o.about) AS kind, o.replayed, o.far, o.place,
		o.ns * CASE o.about WHEN 'sync' THEN p.sync WHEN 'data' THEN p.data WHEN 'alloc' THEN p.alloc WHEN 'load' THEN p.load
			WHEN 'capture' THEN p.capture ELSE 1 END AS ns
	FROM own o JOIN part p ON p.unit = o.unit
	UNION ALL       -- synced time beyond what a fix saves is its owner's again
	SELECT o.unit, CASE o.owner WHEN 'api' THEN 'launch' WHEN 'sync' THEN 'host' ELSE o.owner END, o.replayed, o.far, o.place, o.ns * (1 - p.sync)
	FROM own o JOIN part p ON p.unit = o.unit WHERE o.about = 'sync' AND p.sync < 1 AND o.owner <> 'queued'),
-- If the CPU would be ahead of the GPU without these waits, launch and host time is only the queue refilling.
filling AS (
	SELECT k.unit, sum(k.ns * (k.kind IN ('launch', 'host'))) AS around,
		sum(k.ns * (k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable', 'capture', 'smallcopy'))) AS waits
	FROM kinds k JOIN part p ON p.unit = k.unit WHERE p.cpu - p.freed < p.busy GROUP BY 1),
grown AS MATERIALIZED (
	SELECT k.unit, k.kind, k.replayed, k.far, k.place, k.ns * CASE WHEN f.waits > f.around AND k.kind IN ('launch', 'host') THEN 0
		WHEN f.waits > f.around AND k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable', 'capture', 'smallcopy') THEN 1 + f.around / f.waits ELSE 1 END AS ns
	FROM kinds k LEFT JOIN filling f ON f.unit = k.unit),
-- Ranges with ten or more launches a step, half of them of kernels under 10us; then the rest of the step, if it is like that.
many AS (
	SELECT i.unit, i.range FROM inside i JOIN mean m ON m.unit = i.unit WHERE i.range IS NOT NULL
	GROUP BY 1, 2 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches)),
small AS MATERIALIZED (SELECT DISTINCT i.unit, i."where" AS place FROM inside i JOIN many r ON r.unit = i.unit AND r.range = i.range),
rest AS MATERIALIZED (
	SELECT i.unit FROM inside i JOIN mean m ON m.unit = i.unit LEFT JOIN small s ON s.unit = i.unit AND s.place IS i."where"
	WHERE i.range IS NULL AND s.unit IS NULL GROUP BY 1 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches)),
-- A launch takes microseconds: at a place with over 100us of idle time a launch the CPU does something else.
launches AS MATERIALIZED (SELECT i.unit, i."where" AS place, sum(i.launches) * 1.0 / max(m.n) AS n FROM inside i JOIN mean m ON m.unit = i.unit
	WHERE i.range IS NULL GROUP BY 1, 2),
dense AS MATERIALIZED (SELECT g.unit, g.place FROM grown g JOIN launches l ON l.unit = g.unit AND l.place IS g.place
	WHERE g.kind IN ('launch', 'turnaround', 'host') AND NOT g.replayed AND NOT g.far GROUP BY 1, 2 HAVING sum(g.ns) <= 100000 * max(l.n)),
sorted AS MATERIALIZED (
	SELECT g.unit, CASE WHEN g.kind IN ('launch', 'turnaround', 'host') AND NOT g.replayed AND NOT g.far AND d.unit IS NOT NULL
			AND (s.unit IS NOT NULL OR r.unit IS NOT NULL) THEN 'small'
		WHEN g.kind = 'turnaround' AND NOT g.far THEN NULL ELSE g.kind END AS kind, g.place, sum(g.ns) AS ns
	FROM grown g LEFT JOIN small s ON s.unit = g.unit AND s.place IS g.place LEFT JOIN rest r ON r.unit = g.unit AND s.unit IS NULL
		LEFT JOIN dense d ON d.unit = g.unit AND d.place IS g.place
	GROUP BY 1, 2, 3),
-- One story: in one range a wait, a pageable copy, code and allocation are parts of one thing, named by the one with half of the time.
-- Making graphs or small copies, with a fifth of a range's time, is what the range does.
whole AS MATERIALIZED (SELECT unit, place, sum(ns) AS ns, sum(ns * (kind IN ('sync', 'pageable', 'host', 'alloc'))) AS waits FROM sorted
	WHERE place IS NOT NULL AND kind IS NOT NULL GROUP BY 1, 2),
story AS MATERIALIZED (
	SELECT unit, place, kind, max(ns) FROM (SELECT s.unit, s.place, s.kind, s.ns FROM sorted s JOIN whole w ON w.unit = s.unit AND w.place = s.place
		WHERE s.kind IN ('capture', 'smallcopy') AND 5 * s.ns >= w.ns) GROUP BY 1, 2
	UNION ALL
	SELECT s.unit, s.place, s.kind, s.ns FROM sorted s JOIN whole w ON w.unit = s.unit AND w.place = s.place
	WHERE s.kind IN ('sync', 'pageable', 'host', 'alloc') AND 2 * s.ns >= w.waits AND NOT EXISTS (SELECT 1 FROM sorted t
		WHERE t.unit = s.unit AND t.place = s.place AND t.kind IN ('capture', 'smallcopy') AND 5 * t.ns >= w.ns))
SELECT s.unit, CASE WHEN y.kind IN ('capture', 'smallcopy') THEN y.kind WHEN y.kind IS NOT NULL AND s.kind IN ('sync', 'pageable', 'host', 'alloc')
	THEN y.kind ELSE s.kind END AS kind, s.place AS "where", CAST(sum(s.ns) AS INTEGER) AS ns
FROM sorted s LEFT JOIN story y ON y.unit = s.unit AND y.place = s.place
WHERE s.kind IS NOT NULL GROUP BY 1, 2, 3
