-- kind: tiny
-- title: many tiny collectives
-- bound: comm
-- owners: comm
-- assumes: a single collective replaces them
-- advice: combine them: larger buckets, one flat tensor, or one collective at the end
-- healthy: a few small collectives, such as a gradient norm or a flag
SELECT unit, "where", ns, many || ' collectives per step, each under 64 KiB' AS words FROM exposed WHERE kind = 'tiny'
