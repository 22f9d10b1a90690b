-- table: moving
-- Processes in which kernels that only move data matter: they take at least 15 % of the time that the GPU is busy.  Some moving is
-- always needed: healthy programs spend up to 13 % on it, faulty ones from 21 %.
SELECT m.unit FROM (SELECT unit, sum(dur_ns) AS ns FROM ledger_sums WHERE flaw = 'move' AND NOT long GROUP BY 1) m
	JOIN (SELECT unit, sum(busy_ns) AS ns FROM steps WHERE NOT long GROUP BY 1) s ON s.unit = m.unit
WHERE 100 * m.ns >= 15 * s.ns
