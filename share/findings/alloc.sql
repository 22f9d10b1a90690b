-- kind: alloc
-- title: memory allocation
-- assumes: no memory is allocated or freed in a step
-- advice: allocate before the loop, or use a caching allocator (in PyTorch: no empty_cache in the loop)
-- healthy: cudaMallocAsync while queued work runs
SELECT unit, "where", ns, 'the GPU is idle during calls that allocate or free memory' AS words FROM shares WHERE kind = 'alloc'
