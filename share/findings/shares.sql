-- table: shares
-- The time of each kind of idle time, as a mean over the steps that are not long.  No nanosecond is in two kinds, and each time is cut
-- to what a fix can save.  The tables idle_about, idle_kinds and idle_sorted lead to this one.
WITH
-- In one range, a wait, a pageable copy, code and allocation are parts of one story.  The one with half of their time names it.  If
-- making graphs or small copies has a fifth of the range's time, that is what the range does.
whole AS MATERIALIZED (SELECT unit, place, sum(ns) AS ns, sum(ns * (kind IN ('sync', 'pageable', 'host', 'alloc'))) AS waits FROM idle_sorted
	WHERE place IS NOT NULL AND kind IS NOT NULL GROUP BY 1, 2),
story AS MATERIALIZED (
	SELECT s.unit, s.place, s.kind, max(iif(s.kind IN ('capture', 'smallcopy'), 2e18, 0) + s.ns)
	FROM idle_sorted s JOIN whole w ON w.unit = s.unit AND w.place = s.place
	WHERE iif(s.kind IN ('capture', 'smallcopy'), 5 * s.ns >= w.ns, s.kind IN ('sync', 'pageable', 'host', 'alloc') AND 2 * s.ns >= w.waits) GROUP BY 1, 2)
SELECT s.unit, CASE WHEN y.kind IN ('capture', 'smallcopy') THEN y.kind WHEN y.kind IS NOT NULL AND s.kind IN ('sync', 'pageable', 'host', 'alloc')
	THEN y.kind ELSE s.kind END AS kind, s.place AS "where", CAST(sum(s.ns) AS INTEGER) AS ns
FROM idle_sorted s LEFT JOIN story y ON y.unit = s.unit AND y.place = s.place
WHERE s.kind IS NOT NULL GROUP BY 1, 2, 3
