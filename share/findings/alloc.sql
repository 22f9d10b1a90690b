-- kind: alloc
-- title: allocates memory in the step
-- assumes: no memory is allocated or freed in a step
-- advice: allocate before the loop, or keep memory with a caching allocator (in PyTorch: no empty_cache in the loop)
-- healthy: cudaMallocAsync beside work that is queued
SELECT unit, "where", ns, 'the GPU is idle in calls that allocate or free memory' AS words FROM shares WHERE kind = 'alloc'
