-- kind: lost
-- title: events were lost
-- severity: untrusted
-- bound: -
-- advice: capture again, with nsys profile --cuda-flush-interval=100
-- healthy: a trace whose only sign is nsys's own diagnostic
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'lost'
