-- kind: shared
-- title: the GPU is shared
-- severity: untrusted
-- across: traces
-- advice: give each process its own GPU, and capture again
-- healthy: processes that follow each other on a GPU
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'shared'
