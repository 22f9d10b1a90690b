-- kind: fuse
-- title: unfused pointwise kernels
-- bound: gpu
-- owners: pointwise
-- assumes: each run becomes a single kernel that takes as long as its longest one, and the CPU keeps up
-- advice: fuse them (torch.compile, your own Triton kernel)
-- healthy: one or two pointwise kernels between products
-- Kernels that only move data count as pointwise, unless they are a finding of their own.
WITH own AS (SELECT unit, "where", 1 - sum(late_ns) * 1.0 / sum(dur_ns) AS part FROM ledger_sums WHERE owner IN ('pointwise', 'move') AND NOT long GROUP BY 1, 2)
SELECT r.unit, r."where", CAST(sum(r.dur_ns - r.longest_ns) * coalesce(max(o.part), 1) AS INTEGER) / n.n AS ns, 'runs of three or more pointwise kernels of at least 10us each' AS words
FROM runs r JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = r.unit
	LEFT JOIN own o ON o.unit = r.unit AND o."where" IS r."where"
WHERE NOT r.long AND (r.moves IS NULL OR r.moves = (r.unit NOT IN (SELECT unit FROM moving))) GROUP BY 1, 2
