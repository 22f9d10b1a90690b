-- kind: data
-- title: waiting for data
-- bound: data
-- assumes: each batch is ready when it is needed
-- advice: prepare batches ahead of time (more data loader workers), and copy them while the GPU computes
-- healthy: a loader that works while the GPU is busy
-- If "where" is NULL, or names a range in which kernels are launched, no name says that the CPU fetches data.  Then the finding is a guess.
SELECT unit, "where", ns, CASE WHEN "where" IS NULL OR EXISTS (SELECT 1 FROM inside i WHERE i.unit = shares.unit AND i.range = shares."where")
	THEN 'a long stretch without CUDA calls before a copy to the device: probably reading data'
	ELSE 'the CPU fetches the next batch while the GPU has nothing to do' END AS words FROM shares WHERE kind = 'data'
