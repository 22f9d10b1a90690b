-- kind: sync
-- title: GPU starved after a synchronization
-- bound: sync
-- assumes: the CPU keeps ahead of the GPU when it does not wait
-- advice: remove the synchronization (.item(), .cpu(), printing a loss), or synchronize only every few steps
-- healthy: a step in which the CPU is slower than the GPU anyway: its waits cost nothing; one that waits once, for its last collective
-- Communication that the CPU waits for has no compute beside it, because nothing is launched meanwhile.  The program may need the result
-- of one wait.  So if a step has several waits, the communication of all but one counts too, up to the idle time behind the waits.
WITH idle AS (SELECT unit, sum(ns) AS ns FROM shares WHERE kind = 'sync' GROUP BY 1),
mean AS (
	SELECT unit, count(*) AS n, avg(sync_wait_ns) AS waited, avg(blocked_comm_ns) AS blocked, avg(compute_ns - both_ns) AS free
	FROM steps WHERE NOT long GROUP BY 1),
many AS (SELECT unit, max(n) AS n FROM (SELECT l.unit, sum(l.count) * 1.0 / m.n AS n FROM ledger_sums l CROSS JOIN mean m ON m.unit = l.unit
	WHERE (l.synced OR l.owner = 'sync') AND NOT l.long GROUP BY l.unit, l."where", l.owner, l.name) GROUP BY 1),
total AS (SELECT unit, sum(ns) AS ns FROM exposed WHERE kind = 'comm' GROUP BY 1),
alone AS (      -- the part of communication that counts here, without the time that the finding comm takes
	SELECT m.unit, max(0, min(m.waited, i.ns, t.ns - min(m.blocked, m.free, t.ns))) / nullif(t.ns, 0) * max(0, 1 - 1 / k.n) AS part
	FROM mean m CROSS JOIN idle i ON i.unit = m.unit CROSS JOIN total t ON t.unit = m.unit CROSS JOIN many k ON k.unit = m.unit)
SELECT unit, "where", ns, 'the CPU waits for the GPU, which then has nothing queued' AS words FROM shares WHERE kind = 'sync'
UNION ALL
SELECT e.unit, e."where", CAST(e.ns * a.part AS INTEGER), 'the CPU waits for communication, and launches nothing meanwhile'
FROM exposed e CROSS JOIN alone a ON a.unit = e.unit WHERE e.kind = 'comm' AND e.ns * a.part >= 1
