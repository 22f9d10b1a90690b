-- kind: fuse
-- title: pointwise kernels in a row
-- assumes: each run of them becomes one kernel as long as its longest
-- advice: fuse them (torch.compile, a kernel of your own in Triton)
-- healthy: one or two pointwise kernels between products
SELECT r.unit, r."where", sum(r.dur_ns - r.longest_ns) / n.n AS ns, 'runs of three and more pointwise kernels, of 10us and more each' AS words
FROM runs r JOIN (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1) n ON n.unit = r.unit
WHERE NOT r.long GROUP BY 1, 2
