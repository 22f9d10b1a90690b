-- table: mean_step
-- Means over the steps that are not long: the length without the time that the profiler adds, GPU busy time, the CPU's own time, and
-- the compute that could hide copies.
SELECT s.unit, count(*) AS n, avg(s.dur_ns) - max(u.excess_ns) AS period, avg(s.busy_ns) AS busy,
	avg(s.cpu_ns - max(s.profiler_ns, u.excess_ns)) AS cpu, max(u.excess_ns) AS excess, avg(s.compute_ns) AS compute, max(u.whole) AS whole
FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT s.long GROUP BY s.unit
