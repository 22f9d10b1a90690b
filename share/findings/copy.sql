-- kind: copy
-- title: copies beside nothing
-- assumes: they run beside compute
-- advice: copy on a stream of its own while the GPU computes; copy less, or keep it on the GPU
-- healthy: copies beside compute
SELECT l.unit, l."where", sum(l.dur_ns) / n.n AS ns, 'copies and sets during which nothing else runs' AS words
FROM ledger l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.owner IN ('copy') AND NOT l.long GROUP BY 1, 2
