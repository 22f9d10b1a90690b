-- kind: smallcopy
-- title: many small copies
-- bound: cpu
-- owners: copy copy.pageable
-- assumes: the pieces are copied at once
-- advice: gather the pieces and copy once, from pinned memory
-- healthy: a few small copies a step, such as the inputs of a decode step
-- Each copy costs the CPU and the GPU microseconds, however few bytes it has.  So small copies (under 64 KiB) count if a place has
-- twenty or more of them a step, together with the idle time before them and in their calls.
SELECT unit, "where", ns, 'the GPU waits for copies of under 64 KiB, made one by one' AS words FROM shares WHERE kind = 'smallcopy'
