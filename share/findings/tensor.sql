-- kind: tensor
-- title: matrix products without tensor cores
-- assumes: they run at the ratio of the GPU's peaks in bf16
-- advice: use bf16 or fp16 (torch.autocast), or at least TF32 (torch.set_float32_matmul_precision('high')), with sizes that are
--   multiples of 8
-- healthy: products in TF32 or fp64, and products with a vector
SELECT l.unit, l."where", sum(l.dur_ns) * (100 - u.plain_pct) / 100 / n.n AS ns,
	'products and attention in fp32 take ' || round(sum(sum(l.dur_ns)) OVER (PARTITION BY l.unit) / 1e6 / n.n, 2) || ' ms of a step' AS words
FROM ledger l JOIN units u ON u.unit = l.unit
	JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
WHERE l.owner IN ('matmul.plain', 'attention.plain') AND NOT l.long AND u.plain_pct < 100 GROUP BY 1, 2
