-- kind: copy
-- title: exposed copies
-- assumes: they overlap with compute
-- advice: copy on a separate stream while the GPU computes; copy less, or keep the data on the GPU
-- healthy: copies that overlap with compute
SELECT l.unit, l."where", sum(l.dur_ns - l.late_ns) / n.n AS ns, 'nothing else runs during these copies and memsets' AS words
FROM ledger_sums l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.owner IN ('copy') AND NOT l.long GROUP BY 1, 2
