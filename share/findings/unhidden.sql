-- table: unhidden
-- The time of copies and page migrations with nothing beside them, as a mean over the steps that are not long.  A run without steps can
-- hide no more of it than the run computes.  In steps, a step's compute may also hide copies of later steps.  But if the step computes
-- for less time than copies take, its compute cannot hide them all.
WITH found AS (
	SELECT l.unit, iif(l.owner = 'copy', 'copy', 'um') AS kind, l."where" AS place, sum(l.dur_ns - l.late_ns) / max(r.n) AS ns
	FROM ledger_sums l JOIN mean_step r ON r.unit = l.unit
	WHERE l.owner IN ('copy', 'copy.um') AND l.flaw IS NULL AND NOT l.long AND NOT (l.owner = 'copy' AND l.smallcopy AND EXISTS (
		SELECT 1 FROM shares s WHERE s.unit = l.unit AND s.kind = 'smallcopy' AND s."where" IS l."where")) GROUP BY 1, 2, 3
	UNION ALL SELECT unit, kind, "where", ns FROM shares WHERE kind = 'pageable')
SELECT f.unit, f.kind, f.place AS "where", CAST(f.ns * iif(r.whole, min(1, r.compute / t.ns), 1) AS INTEGER) AS ns,
	iif(r.compute < t.ns, 'keep the data on the GPU, copy less: there is not enough compute to hide the copies', NULL) AS advice,
	iif(r.compute < t.ns AND NOT r.whole, 'the data stays on the GPU', NULL) AS assumes
FROM found f JOIN (SELECT unit, sum(ns) AS ns FROM found GROUP BY 1) t ON t.unit = f.unit JOIN mean_step r ON r.unit = f.unit
