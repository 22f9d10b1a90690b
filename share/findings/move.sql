-- kind: move
-- title: kernels that only move data
-- bound: gpu
-- flaw: move
-- assumes: the data stays as it is and where it is, and the CPU keeps up
-- advice: keep one layout and type, write in place
-- healthy: a program that spends less than 15 % of its busy time on them, and a cast in a run of kernels that compute
-- A kernel that copies, casts, transposes, concatenates, gathers or fills computes nothing.  If such kernels take less than half of a
-- run of three or more pointwise kernels, they are no finding of their own: fusing the run removes them.
WITH of AS (
	SELECT l.unit, l."where" AS place, l.name, sum(l.waste_ns * (1.0 - 1.0 * l.late_ns / l.dur_ns)) AS ns
	FROM ledger_sums l WHERE l.flaw = 'move' AND NOT l.long AND l.unit IN (SELECT unit FROM moving) GROUP BY 1, 2, 3),
most AS (SELECT unit, place, sum(ns) AS ns, max(ns), name FROM of GROUP BY 1, 2)
SELECT m.unit, m.place AS "where", CAST(m.ns AS INTEGER) / n.n AS ns,
	'they copy, cast, transpose, concatenate, gather or fill; mostly ' || coalesce(m.name, '-') AS words
FROM most m JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = m.unit
