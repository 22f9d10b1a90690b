-- kind: failed
-- title: CUDA calls failed
-- severity: untrusted
-- bound: -
-- advice: check what CUDA calls return, and fix that first: the program did not do its work, so its times mean nothing
-- healthy: a query that says 'not ready', an allocation that is tried again
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'failed'
