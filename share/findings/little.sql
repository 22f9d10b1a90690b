-- kind: little
-- title: too little to judge
-- bound: busy
-- advice: capture more of the program: several steps, or more rounds of its loop
-- healthy: a short run whose kernels repeat
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'little'
