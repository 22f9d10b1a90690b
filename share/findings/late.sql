-- kind: late
-- title: a rank is late
-- bound: late
-- assumes: it does no more than the other ranks
-- advice: give it as much to do as the others (tokens, layers, samples), or take from it what only it does (logging, saving, loading)
-- healthy: ranks that arrive last by chance, or because they wait for another themselves
WITH around AS (
	SELECT l.unit, sum(l.late_ns) * 1.0 AS late, sum(l.dur_ns) * 1.0 AS ns FROM ledger_sums l
	WHERE l.owner IN ('launch', 'turnaround', 'host') AND NOT l.pageable GROUP BY 1)
SELECT t.unit, t."where", CAST((t.explained_ns - coalesce(a.late * min(1, u.excess_ns * t.steps / a.ns), 0)) / t.steps AS INTEGER) AS ns,
	printf('in %d of %d steps%s the others wait for it, because %s%s', t.late_steps, t.steps,
		CASE WHEN t.late_steps < t.steps THEN ' (' || t.numbers || ')' ELSE '' END,
		CASE t.cause WHEN 'gpu' THEN 'it computes more' WHEN 'host' THEN 'its CPU code takes longer' WHEN 'data' THEN 'it fetches data longer'
			ELSE 'it has more ''' || t.cause || '''' END, coalesce(' in ''' || t."where" || '''', '')) AS words, t.step
FROM late t JOIN units u ON u.unit = t.unit LEFT JOIN around a ON a.unit = t.unit WHERE t.steps > 0
