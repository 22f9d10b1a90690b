-- table: idle_sorted
-- The rows of idle_kinds.  Idle time between small kernels, launched one by one, is of a kind of its own.
WITH
-- Ranges with ten or more launches a step, of which at least half are of kernels under 10us.  The rest of the step counts as one more
-- range.
many AS (
	SELECT i.unit, i.range FROM inside i JOIN mean_step m ON m.unit = i.unit WHERE i.range IS NOT NULL
	GROUP BY 1, 2 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches)),
small AS MATERIALIZED (SELECT DISTINCT i.unit, i."where" AS place FROM inside i JOIN many r ON r.unit = i.unit AND r.range = i.range),
rest AS MATERIALIZED (
	SELECT i.unit FROM inside i JOIN mean_step m ON m.unit = i.unit LEFT JOIN small s ON s.unit = i.unit AND s.place IS i."where"
	WHERE i.range IS NULL AND s.unit IS NULL GROUP BY 1 HAVING sum(i.launches) >= 10 * max(m.n) AND 2 * sum(i.short) >= sum(i.launches)),
-- A launch takes microseconds.  At a place with over 100us of idle time a launch, the CPU does something else.
launches AS MATERIALIZED (SELECT i.unit, i."where" AS place, sum(i.launches) * 1.0 / max(m.n) AS n FROM inside i JOIN mean_step m ON m.unit = i.unit
	WHERE i.range IS NULL GROUP BY 1, 2),
dense AS MATERIALIZED (SELECT g.unit, g.place FROM idle_kinds g JOIN launches l ON l.unit = g.unit AND l.place IS g.place
	WHERE g.kind IN ('launch', 'turnaround', 'host') AND NOT g.replayed AND NOT g.far GROUP BY 1, 2 HAVING sum(g.ns) <= 100000 * max(l.n))
SELECT g.unit, CASE WHEN g.kind IN ('launch', 'turnaround', 'host') AND NOT g.replayed AND NOT g.far AND d.unit IS NOT NULL
		AND (s.unit IS NOT NULL OR r.unit IS NOT NULL) THEN 'small'
	WHEN g.kind = 'turnaround' AND NOT g.far THEN NULL ELSE g.kind END AS kind, g.place, sum(g.ns) AS ns
FROM idle_kinds g LEFT JOIN small s ON s.unit = g.unit AND s.place IS g.place LEFT JOIN rest r ON r.unit = g.unit AND s.unit IS NULL
	LEFT JOIN dense d ON d.unit = g.unit AND d.place IS g.place
GROUP BY 1, 2, 3
