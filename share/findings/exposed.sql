-- table: exposed
-- Communication that no compute overlaps with, as a mean over the steps that are not long.  A small collective has less than 64 KiB
-- or, if its size is unknown, one block and less than 500us.  If a range has over twenty of them in a step, the kind tiny has the
-- time of all but one of them; the kind comm has the rest.
WITH
mean AS (SELECT unit, count(*) AS n FROM steps WHERE NOT long GROUP BY 1),
tiny AS (
	SELECT c.unit, c.step, c."where" AS place, count(*) AS many, sum(c.exposed_ns) * (count(*) - 1.0) / count(*) AS ns
	FROM collectives c
	WHERE NOT c.long AND (c.bytes < 65536 OR (c.bytes IS NULL AND c.blocks = 1 AND c.dur_ns < 500000)) GROUP BY 1, 2, 3 HAVING count(*) > 20),
owned AS (
	SELECT l.unit, l."where" AS place, sum(l.dur_ns - l.late_ns) * 1.0 / m.n AS ns FROM ledger_sums l
	CROSS JOIN mean m ON m.unit = l.unit WHERE NOT l.long AND l.owner = 'comm' GROUP BY 1, 2),
of_tiny AS (SELECT t.unit, t.place, sum(t.ns) / m.n AS ns, avg(t.many) AS many FROM tiny t JOIN mean m ON m.unit = t.unit GROUP BY 1, 2)
SELECT unit, 'tiny' AS kind, place AS "where", CAST(ns AS INTEGER) AS ns, CAST(many AS INTEGER) AS many FROM of_tiny
UNION ALL
SELECT o.unit, 'comm', o.place, CAST(max(0, o.ns - coalesce(t.ns, 0)) AS INTEGER), NULL FROM owned o LEFT JOIN of_tiny t ON t.unit = o.unit AND t.place IS o.place
