-- kind: sync
-- title: GPU starved after a synchronization
-- assumes: the CPU keeps ahead of the GPU when it does not wait
-- advice: remove the synchronization (.item(), .cpu(), printing a loss), or synchronize only every few steps
-- healthy: a step in which the CPU is slower than the GPU anyway: its waits cost nothing
SELECT unit, "where", ns, 'the CPU waits for the GPU, which then has nothing queued' AS words FROM shares WHERE kind = 'sync'
