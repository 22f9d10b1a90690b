-- kind: alloc
-- title: memory allocation
-- bound: cpu
-- assumes: no memory is allocated, pinned or freed in a step
-- advice: allocate before the loop, or use a caching allocator (in PyTorch: no empty_cache in the loop)
-- healthy: cudaMallocAsync while queued work runs
-- All calls about the host's memory, such as cuMemHostRegister, cudaHostAlloc and cudaFreeHost, pin or unpin it.
WITH calls AS (
	SELECT unit, 2 * sum(dur_ns * (name GLOB '*Host*')) > sum(dur_ns) AS pin FROM ledger_sums
	WHERE owner = 'alloc' AND NOT long GROUP BY 1)
SELECT s.unit, s."where", s.ns, 'the GPU is idle during calls that ' || iif(c.pin, 'pin host memory', 'allocate or free memory') ||
	', or until its queue has filled up after them' AS words,
	iif(c.pin, 'pin memory once, before the loop, and reuse it', NULL) AS advice
FROM shares s LEFT JOIN calls c ON c.unit = s.unit WHERE s.kind = 'alloc'
