-- kind: pageable
-- title: pageable copies
-- bound: copy
-- owners: copy.pageable
-- assumes: the copies overlap with compute
-- advice: use pinned memory and copy asynchronously, on a separate stream (pin_memory=True, non_blocking=True)
-- healthy: a few bytes of a scalar, which take microseconds
-- A run without steps can hide no more of them than it computes; in steps, the data of later steps may hide behind this one's compute,
-- but with less compute than copies there is not enough to hide them.
WITH found AS (
	SELECT unit, "where" AS place, ns, 'copies from or to pageable memory run with nothing beside them, and the GPU waits in and around their calls' AS words,
		NULL AS advice FROM shares WHERE kind = 'pageable')
SELECT f.unit, f.place AS "where", CAST(f.ns * iif(r.whole, min(1, r.compute / t.ns), 1) AS INTEGER) AS ns, f.words,
	iif(r.compute < t.ns, 'keep the data on the GPU, copy less: there is not enough compute to hide the copies', f.advice) AS advice
FROM found f JOIN (SELECT unit, sum(ns) AS ns FROM found GROUP BY 1) t ON t.unit = f.unit JOIN mean_step r ON r.unit = f.unit
