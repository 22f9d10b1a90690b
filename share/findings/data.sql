-- kind: data
-- title: waiting for data
-- assumes: each batch is ready when it is needed
-- advice: prepare batches ahead of time (more data loader workers, prefetching), and copy them while the GPU computes
-- healthy: a loader that works while the GPU is busy
SELECT unit, "where", ns, 'the CPU fetches the next batch while the GPU has nothing to do' AS words FROM shares WHERE kind = 'data'
