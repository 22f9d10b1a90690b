-- kind: comm
-- title: compute waits for communication
-- assumes: it runs beside compute that hides none yet
-- advice: start it earlier or on a stream of its own, so that compute can run meanwhile; send less, in larger messages
-- healthy: communication that compute hides, and what waits for a late rank
WITH mean AS (
	SELECT unit, avg(blocked_comm_ns) AS blocked, avg(compute_ns - both_ns) AS free FROM steps WHERE NOT long GROUP BY 1),
total AS (SELECT unit, sum(ns) AS ns FROM exposed WHERE kind = 'comm' GROUP BY 1)
SELECT e.unit, e."where", CAST(e.ns * min(1, min(m.blocked, m.free) / nullif(t.ns, 0)) AS INTEGER) AS ns,
	'communication runs beside no compute, and the next compute waits for it' AS words
FROM exposed e JOIN mean m ON m.unit = e.unit JOIN total t ON t.unit = e.unit WHERE e.kind = 'comm'
