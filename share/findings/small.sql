-- kind: small
-- title: small kernels
-- bound: cpu
-- assumes: they run back to back, as in a CUDA graph
-- advice: capture them in a CUDA graph (torch.cuda.graph, torch.compile with mode='reduce-overhead'), or fuse them (a fused or
--   foreach optimizer)
-- healthy: kernels of a graph that is replayed, and a GPU that large kernels keep busy
WITH all_of AS (SELECT unit, sum(ns) AS ns, sum(ns * ("where" IS NOT NULL)) AS in_any FROM shares WHERE kind = 'small' GROUP BY 1),
places AS (SELECT unit, "where" AS place, sum(ns) AS ns FROM shares WHERE kind = 'small' GROUP BY 1, 2),
main AS (SELECT p.unit, p.place FROM places p JOIN all_of a ON a.unit = p.unit WHERE p.place IS NOT NULL AND 2 * p.ns > a.in_any AND 4 * p.ns >= a.ns)
SELECT p.unit, p.place AS "where", p.ns, m.unit IS NULL AS part, 'kernels of under 10us, launched one by one, leave the GPU idle in between' AS words
FROM places p LEFT JOIN main m ON m.unit = p.unit AND m.place = p.place
