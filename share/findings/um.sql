-- kind: um
-- title: managed memory migration
-- assumes: it overlaps with compute
-- advice: prefetch (cudaMemPrefetchAsync), or use explicit copies
-- healthy: memory that stays where it is used
SELECT l.unit, l."where", sum(l.dur_ns - l.late_ns) / n.n AS ns, 'pages move between CPU and GPU while nothing else runs' AS words
FROM ledger_sums l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.owner = 'copy.um' AND NOT l.long GROUP BY 1, 2
