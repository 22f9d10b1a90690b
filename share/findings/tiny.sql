-- kind: tiny
-- title: many tiny collectives
-- bound: comm
-- owners: comm
-- assumes: a single collective replaces them
-- advice: combine them: larger buckets, one flat tensor, or one collective at the end
-- healthy: a few small collectives, such as a gradient norm or a flag
SELECT e.unit, e."where", e.ns, e.many || iif(u.whole, ' collectives, each', ' collectives per step, each') || ' under 64 KiB' AS words
FROM exposed e JOIN units u ON u.unit = e.unit WHERE e.kind = 'tiny'
