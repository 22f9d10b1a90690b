-- kind: attention
-- title: attention in separate kernels
-- bound: gpu
-- flaw: attention
-- assumes: a fused kernel does all of this while it multiplies, and the CPU keeps up
-- advice: use a fused attention kernel (PyTorch: scaled_dot_product_attention)
-- healthy: the log-softmax of a loss, a softmax before sampling or top-k, one whose result is copied to the host
-- Attention in separate kernels writes the whole matrix of scores to memory between its two products, and reads it again, once for
-- each kernel.  A fused kernel never has that matrix in memory.
SELECT l.unit, l."where", CAST(sum(l.waste_ns * (1.0 - 1.0 * l.late_ns / l.dur_ns)) AS INTEGER) / n.n AS ns,
	'a softmax lies between two matrix products, with kernels around it that scale, mask, cast or copy' AS words
FROM ledger_sums l JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.flaw = 'attention' AND NOT l.long GROUP BY 1, 2
