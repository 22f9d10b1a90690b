-- kind: paced
-- title: steps wait for a clock
-- bound: -
-- advice: nothing, if each step is ready in time; to run faster, take away what sets the pace (a camera, a screen, a timer)
-- healthy: steps that happen to take 40 ms while the GPU or the launching thread works
SELECT unit, NULL AS "where", NULL AS ns, text AS words FROM doubts WHERE kind = 'paced'
