-- kind: unannotated
-- title: most kernels are not annotated
-- owners: matmul
-- advice: put NVTX ranges around the parts of a step (torch.cuda.nvtx.range; for torch.profiler, record_function), starting with what takes longest
-- healthy: a backward pass, whose thread has no ranges of its own, inside a range of the main thread
WITH bare AS (SELECT unit, avg(bare_ns) AS bare, avg(kernel_ns) AS kernels FROM steps WHERE NOT long GROUP BY 1),
kernels AS (SELECT unit, name, source, sum(dur_ns) AS ns FROM ledger WHERE "where" IS NULL
	AND owner IN ('matmul', 'matmul.plain', 'attention', 'attention.plain', 'pointwise', 'reduction', 'optimizer', 'move', 'compute') GROUP BY 1, 2, 3),
top AS (SELECT unit, name, max(ns) FROM (SELECT unit, name, sum(ns) AS ns FROM kernels GROUP BY 1, 2) GROUP BY 1),
-- The functions that launch most, where call chains name them: FUNCTION (MODULE).
launchers AS (SELECT unit, source, max(ns) FROM (SELECT unit, source, sum(ns) AS ns FROM kernels WHERE source GLOB '* (*)' GROUP BY 1, 2) GROUP BY 1)
SELECT b.unit, NULL AS "where", NULL AS ns, CAST(round(100 * b.bare / b.kernels) AS INTEGER) || ' % of kernel time is in no range that names a part of the program; most of it is '
	|| coalesce(t.name, '-') AS words,
	'put an NVTX range around what ' || l.source || ' launches, which takes longest (torch.cuda.nvtx.range; for torch.profiler, record_function)' AS advice
FROM bare b LEFT JOIN top t ON t.unit = b.unit LEFT JOIN launchers l ON l.unit = b.unit WHERE b.kernels > 0 AND 2 * b.bare > b.kernels
