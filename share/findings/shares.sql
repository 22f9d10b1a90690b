-- table: shares
-- What each kind of idle time takes in a mean step that is not long, divided so that no nanosecond is in two kinds, and cut to what a
-- fix can save (idle_about, idle_kinds and idle_sorted make it).
WITH
-- One story: in one range a wait, a pageable copy, code and allocation are parts of one thing, named by the one with half of the time.
-- Making graphs or small copies, with a fifth of a range's time, is what the range does.
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
