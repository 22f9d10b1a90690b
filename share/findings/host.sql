-- kind: host
-- title: GPU waits for the CPU
-- bound: cpu
-- assumes: the CPU keeps ahead of the GPU
-- advice: do less on the CPU between launches, launch fewer and larger kernels, or use CUDA graphs
-- healthy: a CPU that is ahead of the GPU, whatever it does meanwhile, and a process that waits off the CPU
-- Between migrations of managed memory the CPU works on it, or waits for a page.  The trace does not say how long it waits.
-- Pauses of over a millisecond have nothing to do with launching: fewer launches would not shorten them.
WITH far AS (SELECT unit, place, 2 * sum(ns * far) > sum(ns) AS most FROM idle_kinds WHERE kind = 'host' GROUP BY 1, 2)
SELECT s.unit, s."where", s.ns, iif(u.switches, 'the GPU is idle while the CPU runs code between two CUDA calls',
	'the GPU is idle between two CUDA calls, while the CPU runs code or waits') AS words,
	iif(f.most, 'do this work ahead of time or in another thread, while the GPU computes', NULL) AS advice
FROM shares s JOIN units u ON u.unit = s.unit LEFT JOIN far f ON f.unit = s.unit AND f.place IS s."where" WHERE s.kind = 'host'
UNION ALL
SELECT l.unit, l."where", sum(l.dur_ns - l.late_ns) / n.n AS ns, 'the GPU is idle while the CPU works between migrations of managed memory',
	'read managed memory while the GPU computes; prefetch it (cudaMemPrefetchAsync), or copy it at once'
FROM ledger_sums l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.owner = 'um' AND NOT l.long AND l.unit NOT IN (SELECT unit FROM doubts WHERE kind IN ('little', 'paced')) GROUP BY 1, 2 HAVING ns > 0
