-- kind: copy
-- title: exposed copies
-- bound: copy
-- assumes: they overlap with compute
-- advice: copy on a separate stream while the GPU computes; copy less, or keep the data on the GPU
-- healthy: copies that overlap with compute
SELECT unit, "where", ns, 'nothing else runs during these copies and memsets' AS words, advice, assumes FROM unhidden WHERE kind = 'copy'
