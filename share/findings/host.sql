-- kind: host
-- title: bound by the CPU
-- assumes: the CPU runs ahead of the GPU
-- advice: make the CPU run ahead: less host code between launches, fewer and larger kernels, CUDA graphs
-- healthy: a CPU that is ahead of the GPU, whatever it does meanwhile
SELECT unit, "where", ns, 'the GPU waits for code of the CPU between two calls' AS words FROM shares WHERE kind = 'host'
