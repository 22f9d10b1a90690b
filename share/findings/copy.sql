-- kind: copy
-- title: exposed copies
-- bound: copy
-- assumes: they overlap with compute
-- advice: copy on a separate stream while the GPU computes; copy less, or keep the data on the GPU
-- healthy: copies that overlap with compute
-- A run without steps can hide no more of them than it computes; in steps, the data of later steps may hide behind this one's compute,
-- but with less compute than copies there is not enough to hide them.
WITH found AS (
	SELECT l.unit, l."where" AS place, sum(l.dur_ns - l.late_ns) / max(r.n) AS ns, 'nothing else runs during these copies and memsets' AS words,
		NULL AS advice
	FROM ledger_sums l JOIN mean_step r ON r.unit = l.unit
	WHERE l.owner = 'copy' AND l.flaw IS NULL AND NOT l.long AND NOT (l.smallcopy AND EXISTS (SELECT 1 FROM shares s WHERE s.unit = l.unit AND s.kind = 'smallcopy'
		AND s."where" IS l."where")) GROUP BY 1, 2)
SELECT f.unit, f.place AS "where", CAST(f.ns * iif(r.whole, min(1, r.compute / t.ns), 1) AS INTEGER) AS ns, f.words,
	iif(r.compute < t.ns, 'keep the data on the GPU, copy less: there is not enough compute to hide the copies', f.advice) AS advice
FROM found f JOIN (SELECT unit, sum(ns) AS ns FROM found GROUP BY 1) t ON t.unit = f.unit JOIN mean_step r ON r.unit = f.unit
