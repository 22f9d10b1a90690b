-- kind: long
-- title: some steps take longer
-- assumes: they take no longer than the median step
-- advice: find out what else these steps do (saving, logging, evaluation, garbage collection), and do it in the background or less often
-- healthy: steps of equal length; long steps that all come first or last, while the program starts or ends; decode steps with the prefill of the next request behind them, which is no excess of the step
WITH slow AS MATERIALIZED (SELECT unit, step, owner, "where" AS place, dur_ns - late_ns AS ns, late_ns
	FROM ledger WHERE long),
late AS (SELECT unit, step, sum(late_ns) AS ns FROM slow WHERE late_ns > 0 GROUP BY 1, 2),
over AS (SELECT s.unit, s.step, s.dur_ns - s.between_ns - coalesce(l.ns, 0) - u.typical_ns AS ns FROM steps s JOIN units u ON u.unit = s.unit
	LEFT JOIN late l ON l.unit = s.unit AND l.step = s.step
	WHERE s.long AND s.dur_ns - s.between_ns - coalesce(l.ns, 0) > 1.3 * u.typical_ns),
ranked AS (SELECT o.unit, o.step, o.ns, s.number, row_number() OVER (PARTITION BY o.unit ORDER BY o.step) AS i
	FROM over o JOIN steps s ON s.unit = o.unit AND s.step = o.step ORDER BY 1, o.step),
worst AS (SELECT unit, step, max(ns) FROM ranked WHERE i <= 8 GROUP BY 1),
named AS (SELECT unit, group_concat(CASE WHEN i <= 8 THEN number WHEN number >= 0 THEN '…' END, ', ') AS numbers
	FROM ranked WHERE i <= 9 GROUP BY 1),
plain AS (SELECT unit, min(step) AS first, max(step) AS last FROM steps WHERE NOT long GROUP BY 1),
inside_ones AS (      -- if nine tenths of the long steps come first or last, they say nothing about the steps between
	SELECT s.unit FROM steps s JOIN plain p ON p.unit = s.unit WHERE s.long GROUP BY 1 HAVING 10 * sum(s.step BETWEEN p.first AND p.last) > count(*)),
n AS (SELECT s.unit, count(*) AS n, sum(s.long) AS long, count(o.step) AS many FROM steps s LEFT JOIN over o ON o.unit = s.unit AND o.step = s.step GROUP BY 1),
excess AS (SELECT o.unit, sum(o.ns) / n.n AS ns, n.many AS many, n.n AS n FROM over o JOIN n ON n.unit = o.unit GROUP BY 1),
means AS (SELECT s.unit, s.owner, s.place, sum(s.ns) * 1.0 / n.many AS more FROM slow s JOIN n ON n.unit = s.unit
	WHERE (s.unit, s.step) IN (SELECT unit, step FROM over) AND n.long < n.n GROUP BY 1, 2, 3
	UNION ALL SELECT l.unit, l.owner, l."where", -sum(l.dur_ns - l.late_ns) * 1.0 / (n.n - n.long)
	FROM ledger_sums l JOIN n ON n.unit = l.unit WHERE n.many > 0 AND NOT l.long GROUP BY 1, 2, 3),
per AS (SELECT unit, owner, place, sum(more) AS more FROM means GROUP BY 1, 2, 3),
share AS (SELECT unit, owner, place, more, sum(more) OVER (PARTITION BY unit) AS all_more, sum(more) OVER (PARTITION BY unit, owner) AS of_owner FROM per WHERE more > 0),
most AS (SELECT unit, owner, max(of_owner), CASE WHEN owner IN ('sync', 'data') THEN owner WHEN owner IN ('comm', 'comm.wait', 'mpi') THEN 'comm'
	WHEN owner LIKE 'copy%' OR owner = 'um' THEN 'copy' WHEN owner IN ('launch', 'alloc', 'load', 'api', 'host', 'queued', 'turnaround') THEN 'cpu'
	WHEN owner NOT IN ('unknown', 'edge') THEN 'gpu' END AS bound FROM share GROUP BY 1)
SELECT e.unit, p.place AS "where", CAST(e.ns * p.more / p.all_more AS INTEGER) AS ns, m.bound,
	e.many || ' of ' || e.n || ' steps' || coalesce(iif(e.many = 1, ' (step ', ' (steps ') || w.numbers || ')', '') ||
		iif(e.many = 1, ' takes', ' take') || ' over 1.3 times the median; '
		|| iif(m.bound = 'gpu', 'these steps have more to do', 'most of the extra time is ''' || m.owner || '''') AS words,
	iif(m.bound = 'gpu', 'spread it over the steps; together they take no less', NULL) AS advice, b.step
FROM excess e JOIN inside_ones i ON i.unit = e.unit JOIN named w ON w.unit = e.unit JOIN share p ON p.unit = e.unit JOIN most m ON m.unit = e.unit
	JOIN worst b ON b.unit = e.unit
