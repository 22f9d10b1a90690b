-- kind: tensor
-- title: matrix products without tensor cores
-- bound: gpu
-- owners: matmul.plain attention.plain
-- assumes: they speed up by the ratio of the GPU's fp32 and bf16 peaks, and the CPU keeps up
-- advice: use bf16 or fp16 (torch.autocast), or at least TF32 (torch.set_float32_matmul_precision('high')), with sizes that are
--   multiples of 8
-- healthy: products in TF32 or fp64, and products with a vector
-- If the peaks of the GPU are not listed, nobody knows how much faster the products would get.  Then the finding only says how long they
-- take, if that is at least 2 % of a step.
WITH of AS (
	SELECT l.unit, l."where", sum(l.dur_ns - l.late_ns) * (100 - u.plain_pct) / 100 / n.n AS ns, sum(sum(l.dur_ns)) OVER (PARTITION BY l.unit) / 1e6 / n.n AS ms,
		sum(l.dur_ns) AS own, u.plain_pct, u.period_ns, u.whole
	FROM ledger_sums l JOIN units u ON u.unit = l.unit
		JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = l.unit
	WHERE l.owner IN ('matmul.plain', 'attention.plain') AND l.flaw IS NULL AND NOT l.long GROUP BY 1, 2)
SELECT unit, "where", ns, printf('products and attention in fp32 take %.*f ms%s%s', CASE WHEN ms < 10 THEN 2 WHEN ms < 100 THEN 1 ELSE 0 END, ms,
	iif(whole, '', ' per step'), iif(plain_pct IS NULL, '; the peaks of this GPU are not listed', '')) AS words
FROM of WHERE plain_pct < 100 OR (plain_pct IS NULL AND ms * 1e6 >= 0.02 * period_ns) ORDER BY own DESC
