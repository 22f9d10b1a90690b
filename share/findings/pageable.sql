-- kind: pageable
-- title: copies pageable memory
-- assumes: the copies run beside compute
-- advice: copy from and to pinned memory, asynchronously and on a stream of its own (pin_memory=True, non_blocking=True)
-- healthy: a few bytes of a scalar, which take microseconds
SELECT unit, "where", ns, 'copies from or to pageable memory, beside which nothing runs' AS words FROM shares WHERE kind = 'pageable'
