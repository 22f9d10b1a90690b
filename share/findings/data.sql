-- kind: data
-- title: waits for data
-- assumes: batches are ready when they are asked for
-- advice: prepare batches ahead of time (more workers of the data loader, prefetching), and copy them while the GPU computes
-- healthy: a loader that works while the GPU does
SELECT unit, "where", ns, 'the CPU fetches the next batch while the GPU has nothing to do' AS words FROM shares WHERE kind = 'data'
