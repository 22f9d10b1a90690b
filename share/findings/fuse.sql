-- kind: fuse
-- title: unfused pointwise kernels
-- assumes: each run becomes a single kernel that takes as long as its longest one
-- advice: fuse them (torch.compile, your own Triton kernel)
-- healthy: one or two pointwise kernels between products
SELECT r.unit, r."where", sum(r.dur_ns - r.longest_ns) / n.n AS ns, 'runs of three or more pointwise kernels of at least 10us each' AS words
FROM runs r JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = r.unit
WHERE NOT r.long GROUP BY 1, 2
