-- kind: unknown
-- title: what compute waits for is unknown
-- severity: untrusted
-- advice: capture again with a newer nsys (torch.profiler: with enable_cuda_sync_events), from the start of the program; until then, a problem that is not listed may still be there
-- healthy: a trace with all its waits and launches
SELECT s.unit, NULL AS "where", NULL AS ns, 'for ' || round(100.0 * avg(s.unresolved_ns) / avg(s.dur_ns), 1) || ' % of ' || iif(u.whole, 'the run', 'a step') || '; findings about idle time and '
	|| 'communication may be missing' AS words, NULL AS bound
FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT u.lost GROUP BY 1 HAVING avg(s.unresolved_ns) > 0.02 * avg(s.dur_ns)
UNION ALL
SELECT unit, NULL, NULL, text || ': the clocks of CPU and GPU disagree, so nobody knows why the GPU is idle', '-' FROM doubts WHERE kind = 'clocks'
