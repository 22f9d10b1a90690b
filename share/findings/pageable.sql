-- kind: pageable
-- title: pageable copies
-- bound: copy
-- owners: copy.pageable
-- assumes: the copies overlap with compute
-- advice: use pinned memory and copy asynchronously, on a separate stream (pin_memory=True, non_blocking=True)
-- healthy: a few bytes of a scalar, which take microseconds
SELECT unit, "where", ns, 'copies from or to pageable memory run with nothing beside them, and the GPU waits in and around their calls' AS words, advice, assumes FROM unhidden WHERE kind = 'pageable'
