-- kind: sync
-- title: GPU starves after a wait
-- assumes: the CPU runs ahead once it does not wait
-- advice: remove the synchronization (.item(), .cpu(), printing a loss), or do it every so many steps
-- healthy: a step whose CPU is slower than its GPU anyway: its waits cost nothing
SELECT unit, "where", ns, 'the CPU waits for the GPU and then has nothing queued' AS words FROM shares WHERE kind = 'sync'
