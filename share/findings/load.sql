-- kind: load
-- title: loading or compiling code
-- bound: cpu
-- assumes: every kernel is loaded before the loop
-- advice: warm up every shape and kernel before the loop, or set CUDA_MODULE_LOADING=EAGER
-- healthy: a run that loads code only in its first steps, which are left out
SELECT unit, "where", ns, 'the GPU is idle while modules are loaded or compiled, or kernels run for the first time' AS words FROM shares WHERE kind = 'load'
