-- table: mean_step
-- The mean step that is not long: its length without what the profiler adds, busy time, the CPU's own time, and the compute behind
-- which copies could hide.
SELECT s.unit, count(*) AS n, avg(s.dur_ns) - max(u.excess_ns) AS period, avg(s.busy_ns) AS busy,
	avg(s.cpu_ns - max(s.profiler_ns, u.excess_ns)) AS cpu, max(u.excess_ns) AS excess, avg(s.compute_ns) AS compute, max(u.whole) AS whole
FROM steps s JOIN units u ON u.unit = s.unit WHERE NOT s.long GROUP BY s.unit
