-- kind: small
-- title: small kernels
-- bound: cpu
-- owners: launch turnaround host
-- assumes: they run back to back, as in a CUDA graph
-- advice: capture them in a CUDA graph (torch.cuda.graph, torch.compile with mode='reduce-overhead'), or fuse them (a fused or
--   foreach optimizer)
-- healthy: kernels of a graph that is replayed, and a GPU that large kernels keep busy
SELECT unit, "where", ns, 'kernels of under 10us, launched one by one, leave the GPU idle in between' AS words FROM shares WHERE kind = 'small'
