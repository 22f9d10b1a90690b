-- table: idle_about
-- The finding that each piece of idle time is about, and the owner of the time.  Times are means over the steps that are not long.
WITH
-- Places with twenty or more small copies a step.  There a copy costs more time than its bytes need.
copying AS (
	SELECT l.unit, l."where" AS place FROM ledger_sums l JOIN mean_step m ON m.unit = l.unit
	WHERE l.smallcopy AND NOT l.long AND l.owner IN ('copy', 'copy.pageable') GROUP BY 1, 2 HAVING sum(l.count) >= 20 * max(m.n)),
-- The first rule that applies decides what idle time is about.  A range that compiles, or a launch that loads its kernel, is loading.
-- Making a graph is capture.  If work starts over a millisecond after its launch, something outside of the program held it up.  A
-- blocking copy of a scalar is a wait for the GPU.  Idle time between few kernels says nothing.  Nor does idle time while the process
-- is off the CPU, because the trace does not hold what the process waits for.
named_idle AS (
	SELECT l.unit, l.owner, l.replayed, l.far, l."where" AS place, l.dur_ns, l.late_ns,
		CASE WHEN l.owner IN ('copy', 'copy.pageable') THEN iif(l.smallcopy AND c.unit IS NOT NULL, 'smallcopy', iif(l.owner = 'copy', NULL, 'pageable'))
		WHEN l.compiles THEN 'load' WHEN l.asleep THEN NULL WHEN l.captures THEN 'capture' WHEN l.first THEN 'load'
		WHEN l.smallcopy AND c.unit IS NOT NULL THEN 'smallcopy'
		WHEN l.owner = 'turnaround' AND l.far THEN 'turnaround'
		WHEN l.owner = 'sync' OR l.synced OR l.waits THEN 'sync'
		WHEN l.pageable THEN 'pageable'
		ELSE l.owner END AS about
	FROM ledger_sums l LEFT JOIN copying c ON c.unit = l.unit AND c.place IS l."where"
	WHERE NOT l.long AND l.owner IN ('copy', 'copy.pageable', 'sync', 'data', 'alloc', 'load', 'api', 'launch', 'turnaround', 'queued', 'host')
		AND (l.owner LIKE 'copy%' OR l.unit NOT IN (SELECT unit FROM doubts WHERE kind = 'little'))
		AND NOT ((l.owner IN ('host', 'data') OR (l.owner = 'turnaround' AND l.far)) AND l.unit IN (SELECT unit FROM doubts WHERE kind = 'paced')))
SELECT t.unit, t.about, t.owner, t.replayed, t.far, t.place, sum(t.dur_ns - t.late_ns) * 1.0 / m.n AS ns, sum(t.dur_ns) * 1.0 / m.n AS all_ns,
	t.about IN ('launch', 'turnaround', 'host', 'capture', 'smallcopy') AS around
FROM named_idle t JOIN mean_step m ON m.unit = t.unit WHERE t.about IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6
