-- kind: comm
-- title: exposed communication
-- bound: comm
-- assumes: it overlaps with compute that hides no communication yet
-- advice: start it earlier or on its own stream, so that it overlaps with compute; send less data, in larger messages
-- healthy: communication that compute hides, and waiting for a late rank
WITH mean AS (
	SELECT unit, avg(blocked_comm_ns) AS blocked, avg(compute_ns - both_ns) AS free FROM steps WHERE NOT long GROUP BY 1),
total AS (SELECT unit, sum(ns) AS ns FROM exposed WHERE kind = 'comm' GROUP BY 1)
SELECT e.unit, e."where", CAST(e.ns * min(1, min(m.blocked, m.free) / t.ns) AS INTEGER) AS ns,
	'no compute overlaps with this communication, and the next compute waits for it' AS words
FROM exposed e CROSS JOIN mean m ON m.unit = e.unit CROSS JOIN total t ON t.unit = e.unit WHERE e.kind = 'comm' AND e.ns > 0
