-- kind: um
-- title: managed memory migration
-- bound: copy
-- owners: copy.um
-- assumes: it overlaps with compute
-- advice: prefetch (cudaMemPrefetchAsync), or use explicit copies
-- healthy: memory that stays where it is used
-- A run without steps can hide no more of them than it computes; in steps, the data of later steps may hide behind this one's compute,
-- but with less compute than copies there is not enough to hide them.
WITH found AS (
	SELECT l.unit, l."where" AS place, sum(l.dur_ns - l.late_ns) / max(r.n) AS ns, 'pages move between CPU and GPU while nothing else runs' AS words,
		NULL AS advice
	FROM ledger_sums l JOIN mean_step r ON r.unit = l.unit WHERE l.owner = 'copy.um' AND NOT l.long GROUP BY 1, 2)
SELECT f.unit, f.place AS "where", CAST(f.ns * iif(r.whole, min(1, r.compute / t.ns), 1) AS INTEGER) AS ns, f.words,
	iif(r.compute < t.ns, 'keep the data on the GPU, copy less: there is not enough compute to hide the copies', f.advice) AS advice
FROM found f JOIN (SELECT unit, sum(ns) AS ns FROM found GROUP BY 1) t ON t.unit = f.unit JOIN mean_step r ON r.unit = f.unit
