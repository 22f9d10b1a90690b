-- kind: load
-- title: loads or compiles code in the step
-- assumes: every kernel is loaded before the loop
-- advice: warm up every shape and kernel before the loop, or set CUDA_MODULE_LOADING=EAGER
-- healthy: a run whose first steps are left out
SELECT unit, "where", ns, 'the GPU is idle while modules are loaded, compiled or first called' AS words FROM shares WHERE kind = 'load'
