-- kind: tiny
-- title: many tiny collectives
-- assumes: one collective carries what they do
-- advice: put them together: larger buckets, one flat tensor for all, or one collective at the end
-- healthy: a few small collectives, such as the norm of gradients or a flag
SELECT unit, "where", ns, many || ' collectives of under 64 KiB each in a step' AS words FROM exposed WHERE kind = 'tiny'
