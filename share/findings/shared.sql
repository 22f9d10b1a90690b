-- kind: shared
-- title: the GPU is shared
-- advice: capture with a GPU for each process
-- healthy: processes that follow each other on a GPU
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'shared'
