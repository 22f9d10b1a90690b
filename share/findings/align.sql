-- kind: align
-- title: matrix products without aligned access
-- bound: gpu
-- flaw: align
-- assumes: they take time in proportion to their accesses, which then have 16 bytes, and the CPU keeps up
-- advice: pad sizes and strides to multiples of 8 elements
-- healthy: products that read 16 bytes at once (align8 of bf16, align4 of TF32), and products in fp64 or without tensor cores
-- cuBLAS falls back to kernels that read single elements if a size or a stride is no multiple of 16 bytes, such as the
-- vocabulary of a language model or a number of classes.  The names of these kernels say how many elements they read at once.
SELECT l.unit, l."where", CAST(sum(l.waste_ns * (1.0 - 1.0 * l.late_ns / l.dur_ns)) AS INTEGER) / n.n AS ns,
	'their names say that they read less than 16 bytes at once' AS words
FROM ledger_sums l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.flaw = 'align' AND NOT l.long GROUP BY 1, 2
