-- kind: fill
-- title: kernels that do not fill the GPU
-- bound: gpu
-- flaw: fill
-- assumes: the same work is spread over all multiprocessors, and the CPU keeps up
-- advice: give them more blocks, split the longest dimension, or run independent kernels beside them
-- healthy: a kernel of under 10us, one with a block for more than half of the multiprocessors, one beside other work
-- A multiprocessor runs whole blocks, so one that gets none has nothing to do.  Most kernels of under 10us are small because there
-- is little to do, and launching takes as long.  For a kernel that fills over half of the multiprocessors, splitting costs about
-- what it wins.  Frameworks have some such kernels (PyTorch: gradients of a norm's weights): healthy programs waste up to 4 % of
-- the time that the GPU is busy, faulty ones from 10 %.  So they are no finding below 5 %.
WITH of AS (
	SELECT l.unit, l."where" AS place, l.name, sum(l.waste_ns * (1.0 - 1.0 * l.late_ns / l.dur_ns)) AS ns
	FROM ledger_sums l WHERE l.flaw = 'fill' AND NOT l.long GROUP BY 1, 2, 3),
enough AS (
	SELECT o.unit FROM (SELECT unit, sum(ns) AS ns FROM of GROUP BY 1) o
		JOIN (SELECT unit, sum(busy_ns) AS ns FROM steps WHERE NOT long GROUP BY 1) s ON s.unit = o.unit
	WHERE 100 * o.ns >= 5 * s.ns),
most AS (SELECT unit, place, sum(ns) AS ns, max(ns), name FROM of WHERE unit IN (SELECT unit FROM enough) GROUP BY 1, 2)
SELECT m.unit, m.place AS "where", CAST(m.ns AS INTEGER) / n.n AS ns,
	'they have blocks for at most half of the multiprocessors, and nothing runs beside them; mostly ' || coalesce(m.name, '-') AS words
FROM most m JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = m.unit
