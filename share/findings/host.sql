-- kind: host
-- title: GPU waits for CPU code
-- assumes: the CPU keeps ahead of the GPU
-- advice: do less on the CPU between launches, launch fewer and larger kernels, or use CUDA graphs
-- healthy: a CPU that is ahead of the GPU, whatever it does meanwhile
SELECT unit, "where", ns, 'the GPU is idle while the CPU runs code between two CUDA calls' AS words FROM shares WHERE kind = 'host'
