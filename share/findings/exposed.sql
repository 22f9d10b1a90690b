-- table: exposed
-- Communication that no compute overlaps with, in a mean step that is not long: of tiny collectives (over twenty in one range of a
-- step, each under 64 KiB or, where sizes are unknown, of one block and under 500us) all but one, and the rest.
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
