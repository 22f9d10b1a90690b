-- kind: capture
-- title: CUDA graphs made in each step
-- bound: cpu
-- owners: api host launch
-- assumes: the graphs are made before the loop and only replayed
-- advice: capture before the loop and replay, copying new inputs into the same buffers
-- healthy: a program that captures its graphs before the steps, or once in a while for a new shape
SELECT unit, "where", ns, 'the GPU is idle while the CPU captures, instantiates or updates CUDA graphs' AS words FROM shares WHERE kind = 'capture'
