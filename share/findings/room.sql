-- table: room
-- The compute of a mean step that is not long, behind which copies could hide.
SELECT s.unit, avg(s.compute_ns) AS compute, max(u.whole) AS whole, count(*) AS n FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT s.long GROUP BY 1
