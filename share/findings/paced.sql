-- kind: paced
-- title: the program waits for something other than the GPU
-- advice: nothing, if it waits for requests, frames or a timer; if it waits for files or another process, ask for them earlier, in
--   another thread
-- healthy: a program whose threads compute, in its own process or in one that prepares its data; a program that waits in CUDA calls
-- A process that waits off the CPU does not need the CPU, and the trace does not hold what the process waits for.  So nobody knows
-- whether waiting less would be better.  If a process waits for most of the time, the length of its steps says nothing about it.
WITH place AS (SELECT unit, "where" AS place, sum(dur_ns) AS ns FROM ledger_sums WHERE asleep AND NOT long GROUP BY 1, 2),
most AS (SELECT unit, place, max(ns) AS ns, sum(ns) AS all_ns FROM place GROUP BY 1)
SELECT d.unit, NULL AS "where", NULL AS ns, d.text || coalesce(iif(2 * m.ns > m.all_ns, ', mostly in ''' || m.place || '''', ''), '') AS words,
	iif(d.kind = 'paced', '-', NULL) AS bound
FROM doubts d LEFT JOIN most m ON m.unit = d.unit WHERE d.kind IN ('paced', 'asleep')
