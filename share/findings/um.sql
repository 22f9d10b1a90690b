-- kind: um
-- title: managed memory migration
-- bound: copy
-- owners: copy.um
-- assumes: it overlaps with compute
-- advice: prefetch (cudaMemPrefetchAsync), or use explicit copies
-- healthy: memory that stays where it is used
SELECT unit, "where", ns, 'pages move between CPU and GPU while nothing else runs' AS words, advice, assumes FROM unhidden WHERE kind = 'um'
