-- kind: launch
-- title: launch overhead
-- bound: cpu
-- assumes: launches are issued before the GPU needs them
-- advice: capture the step in CUDA graphs (torch.cuda.graph, torch.compile with mode='reduce-overhead'), or fuse kernels
-- healthy: a first launch after a pause that has another cause
SELECT unit, "where", ns, 'the GPU is idle during calls that launch or prepare work' AS words FROM shares WHERE kind = 'launch'
