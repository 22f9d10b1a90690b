-- kind: turnaround
-- title: work starts late after its launch
-- bound: cpu
-- assumes: work starts at once on an idle GPU
-- advice: look outside the program: driver batching, power saving
-- healthy: work that waits for an event or for another stream, and the microseconds that any launch takes
SELECT unit, "where", ns, 'launched work starts over a millisecond after the GPU was free' AS words FROM shares WHERE kind = 'turnaround'
