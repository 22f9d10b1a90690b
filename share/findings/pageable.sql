-- kind: pageable
-- title: pageable copies
-- assumes: the copies overlap with compute
-- advice: use pinned memory and copy asynchronously, on a separate stream (pin_memory=True, non_blocking=True)
-- healthy: a few bytes of a scalar, which take microseconds
SELECT unit, "where", ns, 'nothing else runs during these copies from or to pageable memory' AS words FROM shares WHERE kind = 'pageable'
