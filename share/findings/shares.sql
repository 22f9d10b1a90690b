-- table: shares
-- What each kind of idle time takes in a mean step that is not long, divided so that no nanosecond is in two kinds, and cut
-- to what a fix can save: a fixed step still takes the longer of GPU busy time and of what the CPU needs by itself.
WITH
mean AS (
	SELECT s.unit, count(*) AS n, avg(s.dur_ns) - max(u.excess_ns) AS period, avg(s.busy_ns) AS busy,
		avg(s.cpu_ns - max(s.profiler_ns, u.excess_ns)) AS cpu, max(u.excess_ns) AS excess
	FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT s.long GROUP BY s.unit),
owned AS (
	SELECT l.unit, iif(l.synced, 'sync', l.owner) AS owner, l.owner AS otherwise, l.replayed, l."where" AS place,
		l.owner = 'copy.pageable' OR (l.pageable AND NOT l.synced AND l.owner <> 'sync') AS pageable,
		sum(l.dur_ns - l.late_ns) * 1.0 / m.n AS ns, sum(l.dur_ns) * 1.0 / m.n AS all_ns
	FROM ledger_sums l JOIN mean m ON m.unit = l.unit
	WHERE NOT l.long AND (l.synced OR l.owner IN ('copy.pageable', 'sync', 'data', 'alloc', 'load', 'api', 'launch', 'turnaround', 'host'))
		AND l.owner <> 'mpi'        -- no fix here makes others answer sooner
	GROUP BY 1, 2, 3, 4, 5, 6),
-- What the profiler adds is taken off the time around launches, in proportion.
around AS (SELECT unit, sum(all_ns) AS ns FROM owned WHERE owner IN ('launch', 'turnaround', 'host') AND NOT pageable GROUP BY 1),
own AS (
	SELECT o.unit, o.owner, o.otherwise, o.replayed, o.place, o.pageable,
		o.ns * CASE WHEN o.owner IN ('launch', 'turnaround', 'host') AND NOT o.pageable THEN max(0, 1 - m.excess / a.ns) ELSE 1 END AS ns
	FROM owned o JOIN mean m ON m.unit = o.unit LEFT JOIN around a ON a.unit = o.unit),
-- Removing a synchronization frees no CPU time; without data, allocation or loading there is less to do.
sums AS (
	SELECT unit, sum(ns * (owner = 'sync')) AS sync, sum(ns * (owner = 'data')) AS data, sum(ns * (owner = 'alloc' AND NOT pageable)) AS alloc,
		sum(ns * (owner = 'load')) AS load, sum(ns * pageable) AS pageable FROM own GROUP BY 1),
part AS (
	SELECT m.*, s.pageable, s.data + s.alloc + s.load AS freed,
		min(1, max(0, m.period - max(m.busy, m.cpu)) / nullif(s.sync, 0)) AS sync,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.data)) / nullif(s.data, 0)) AS data,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.alloc)) / nullif(s.alloc, 0)) AS alloc,
		min(1, max(0, m.period - max(m.busy, m.cpu - s.load)) / nullif(s.load, 0)) AS load
	FROM mean m JOIN sums s ON s.unit = m.unit),
kinds AS (
	SELECT o.unit, CASE WHEN o.pageable THEN 'pageable' WHEN o.owner = 'api' THEN 'launch' ELSE o.owner END AS kind, o.replayed, o.place,
		o.ns * CASE WHEN o.pageable THEN 1 WHEN o.owner = 'sync' THEN p.sync WHEN o.owner = 'data' THEN p.data WHEN o.owner = 'alloc' THEN p.alloc
			WHEN o.owner = 'load' THEN p.load ELSE 1 END AS ns
	FROM own o JOIN part p ON p.unit = o.unit
	UNION ALL       -- synced time beyond that is its owner's again
	SELECT o.unit, CASE o.otherwise WHEN 'api' THEN 'launch' WHEN 'sync' THEN 'host' ELSE o.otherwise END, o.replayed, o.place, o.ns * (1 - p.sync)
	FROM own o JOIN part p ON p.unit = o.unit WHERE o.owner = 'sync' AND p.sync < 1),
-- Where the CPU is ahead of the GPU but for these, launching is the queue filling up after a wait.
filling AS (
	SELECT k.unit, sum(k.ns * (k.kind IN ('launch', 'host'))) AS around, sum(k.ns * (k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable'))) AS waits
	FROM kinds k JOIN part p ON p.unit = k.unit WHERE p.cpu - p.freed < p.busy GROUP BY 1),
grown AS (
	SELECT k.unit, k.kind, k.replayed, k.place, k.ns * CASE WHEN f.waits > f.around AND k.kind IN ('launch', 'host') THEN 0
		WHEN f.waits > f.around AND k.kind IN ('sync', 'data', 'alloc', 'load', 'pageable') THEN 1 + f.around / f.waits ELSE 1 END AS ns
	FROM kinds k LEFT JOIN filling f ON f.unit = k.unit),
-- Ranges with ten or more launches a step, half of them of kernels under 10us; then the rest of the step, if it is like that.
many AS (
	SELECT i.unit, i.range FROM inside i JOIN mean m ON m.unit = i.unit WHERE i.range IS NOT NULL
	GROUP BY 1, 2 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches)),
small AS (SELECT DISTINCT i.unit, i."where" AS place FROM inside i JOIN many r ON r.unit = i.unit AND r.range = i.range),
rest AS (
	SELECT i.unit FROM inside i JOIN mean m ON m.unit = i.unit LEFT JOIN small s ON s.unit = i.unit AND s.place IS i."where"
	WHERE i.range IS NULL AND s.unit IS NULL GROUP BY 1 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches))
SELECT g.unit, CASE WHEN g.kind IN ('launch', 'turnaround', 'host') AND NOT g.replayed AND (s.unit IS NOT NULL OR r.unit IS NOT NULL) THEN 'small'
	ELSE g.kind END AS kind, g.place AS "where", g.kind AS owner, CAST(sum(g.ns) AS INTEGER) AS ns
FROM grown g LEFT JOIN small s ON s.unit = g.unit AND s.place IS g.place LEFT JOIN rest r ON r.unit = g.unit AND s.unit IS NULL
GROUP BY 1, 2, 3, 4
