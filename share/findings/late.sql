-- kind: late
-- title: a rank is late
-- bound: late
-- owners: any
-- assumes: it does no more than the other ranks
-- advice: give it as much to do as the others (tokens, layers, samples), or take from it what only it does (logging, saving, loading)
-- healthy: ranks that arrive last by chance, or because they wait for another themselves
WITH around AS (
	SELECT l.unit, sum(l.late_ns) * 1.0 AS late, sum(l.dur_ns) * 1.0 AS ns FROM ledger_sums l
	WHERE l.owner IN ('launch', 'turnaround', 'host') AND NOT l.pageable GROUP BY 1),
surplus AS (
	SELECT unit, printf('%.*f ms', CASE WHEN more_ns < 1e6 THEN 3 WHEN more_ns < 1e7 THEN 2 WHEN more_ns < 1e8 THEN 1 ELSE 0 END, more_ns / 1e6) AS ms,
		CASE WHEN cause = 'gpu' THEN 'kernels' WHEN cause LIKE 'copy%' THEN 'copies' ELSE 'calls' END AS them,
		CASE WHEN cause = 'gpu' THEN 'kernel' WHEN cause LIKE 'copy%' THEN 'copy' ELSE 'call' END AS it FROM late)
SELECT t.unit, t."where", CAST((t.explained_ns - coalesce(a.late * min(1, u.excess_ns * t.steps / a.ns), 0)) / t.steps AS INTEGER) AS ns,
	printf('%s: %s%s; the others wait for it in %d of %d steps%s', coalesce('rank ' || u.rank, 'process ' || u.pid),
		CASE WHEN t.more > 0 THEN t.more || ' more ' || iif(t.more = 1, s.it, s.them) || ' (' || t.name || ', ' || s.ms || ')'
			WHEN t.name IS NOT NULL THEN s.them || ' that take longer (' || t.name || ', by ' || s.ms || ')'
			WHEN t.cause = 'gpu' THEN 'it computes more' WHEN t.cause = 'host' THEN 'its CPU code takes longer'
			WHEN t.cause = 'data' THEN 'it fetches data longer' ELSE 'it has more ''' || t.cause || '''' END,
		coalesce(' in ''' || t."where" || '''', ''), t.late_steps, t.steps,
		iif(t.late_steps < t.steps, iif(t.late_steps = 1, ' (step ', ' (steps ') || t.numbers || ')', '')) AS words, t.step
FROM late t JOIN units u ON u.unit = t.unit JOIN surplus s ON s.unit = t.unit LEFT JOIN around a ON a.unit = t.unit WHERE t.steps > 0
