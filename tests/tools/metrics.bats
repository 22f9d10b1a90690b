# nsq-metrics: how busy were the GPU's units?
load ../helper
load ../accounting
load ../small-traces

TRAIN=$FIXTURES/train-metrics.sqlite

# What a value is divided by, in SQL: clocks are stored in hertz.
SCALE="iif(metricName LIKE '%[MHz]%', 1e6, 1.0)"

# two N...: those cells with two decimals, rounded as C does it.
two() { awk -F '\t' -v OFS='\t' -v cells="$*" '{ n = split(cells, c, " "); for (i = 1; i <= n; i++) $c[i] = sprintf("%.2f", $c[i]); print }'; }

# exact X: in SQL, all digits of a number.
exact() { echo "printf('%!.20g', $1)"; }

# summed TRACE CONDITION: count, mean, median, 90th percentile and largest of each metric, in SQL.
summed() {
	sql "$1" "WITH v AS (SELECT typeId, metricId, metricName, value / $SCALE AS v,
			row_number() OVER (PARTITION BY typeId, metricId ORDER BY value) AS i, count(*) OVER (PARTITION BY typeId, metricId) AS n
			FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) WHERE timestamp >= 0 AND ($2))
		SELECT n, $(exact "avg(v)"), $(exact "max(iif(i = (n * 50 + 99) / 100, v, NULL))"),
			$(exact "max(iif(i = (n * 90 + 99) / 100, v, NULL))"), $(exact "max(v)"), metricName
		FROM v GROUP BY typeId, metricId ORDER BY typeId, metricId" | two 2 3 4 5
}

# each TRACE: what --each prints of one GPU, in SQL.
each() {
	sql "$1" "SELECT coalesce(lag(timestamp) OVER (PARTITION BY metricId ORDER BY timestamp, value), timestamp), timestamp, 0,
		$(exact "value / $SCALE"), metricName FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId)
		WHERE timestamp >= 0 ORDER BY timestamp, metricId, value" | two 4
}

# weighted TRACE METRIC KERNELS A B: what --by prints, in SQL: KERNELS selects key, a and b (disjoint for each key) from
# the oracle; a sample of the window is weighted by the share of the time since the sample before that they cover.
weighted() {
	ask "$1" "SELECT 1" > /dev/null
	sqlite3 -batch -noheader -separator "$TAB" "file:$1?immutable=1" "ATTACH 'file:$BATS_RUN_TMPDIR/oracle${1//\//-}?immutable=1' AS o" "
		WITH s AS (SELECT timestamp AS t, lag(timestamp) OVER (ORDER BY timestamp) AS p, value / $SCALE AS v
			FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) WHERE metricName LIKE '$2' AND timestamp >= 0),
		k AS MATERIALIZED (SELECT key, max(a, $4) AS a, min(b, $5) AS b FROM ($3) WHERE a < $5 AND b > $4),
		w AS (SELECT key, t, v, 1.0 * sum(min(b, t) - max(a, p)) / (t - p) AS w FROM s JOIN k ON a < t AND b > p
			WHERE t >= $4 AND t < $5 GROUP BY key, t),
		c AS (SELECT *, sum(w) OVER (PARTITION BY key ORDER BY v) AS upto, sum(w) OVER (PARTITION BY key) AS total FROM w)
		SELECT $(exact "sum(w)"), $(exact "100 * sum(w) / count(*)"), $(exact "sum(w * v) / sum(w)"),
			$(exact "min(iif(upto >= total * 0.5 - 1e-9, v, NULL))"), $(exact "min(iif(upto >= total * 0.9 - 1e-9, v, NULL))"),
			$(exact "max(v)"), key
		FROM c GROUP BY key ORDER BY sum(w) DESC" | two 1 2 3 4 5 6
}

MEASURES="samples own_pct mean p50 p90 max"

@test "counts, means, percentiles and largest of each metric in the trace's order, by SQL" {
	answers nsq-metrics "$TRAIN"
	same "$(summed "$TRAIN" 1)" "$(col samples mean p50 p90 max metric <<<"$output")"
	same "783" "$(col samples <<<"$output" | sort -u)"
	same "22" "$(count <<<"$output")"
	# from the first sample to the last, which lie outside all other events
	same "$(sql "$TRAIN" "SELECT min(timestamp), max(timestamp) + 1 FROM GPU_METRICS WHERE timestamp >= 0")" "$(col start_ns end_ns <<<"$output" | sort -u)"
	same "-${TAB}0" "$(col pid gpu <<<"$output" | sort -u)"
}

@test "clocks are in MHz, as their name says, and stored in hertz" {
	same "$(sql "$TRAIN" "SELECT printf('%.2f', max(value) / 1e6) FROM GPU_METRICS WHERE metricId = 0 AND timestamp >= 0")" \
		"$(nsq-metrics -m '^GPC Clock' "$TRAIN" | col max)"
	same "1980.64" "$(nsq-metrics -m '^GPC Clock' "$TRAIN" | col max)"
	same "91.00" "$(nsq-metrics -m '^Tensor' "$TRAIN" | col max)"
}

# bats test_tags=long
@test "the samples of a window are those from its start to before its end, by SQL" {
	a=$(sql "$TRAIN" "SELECT timestamp FROM GPU_METRICS WHERE timestamp > 20000000 LIMIT 1")
	b=$(sql "$TRAIN" "SELECT timestamp FROM GPU_METRICS WHERE timestamp > 30000000 LIMIT 1")
	for w in $a..$b $((a + 1))..$((b + 1)) $((a - 1))..$((b - 1)) 31234567..41234567; do
		same "$(summed "$TRAIN" "timestamp >= ${w%..*} AND timestamp < ${w#*..}")" \
			"$(nsq-metrics -w "$w" "$TRAIN" | col samples mean p50 p90 max metric)"
	done
	nsq-window -q --pick all "$TRAIN" | col start_ns end_ns window | while IFS=$TAB read -r a b window; do
		same "$(summed "$TRAIN" "timestamp >= $a AND timestamp < $b")" \
			"$(nsq-window -q --pick all "$TRAIN" | nsq-metrics | where window "$window" | col samples mean p50 p90 max metric)"
	done
	same "1007" "$(nsq-window -q "$TRAIN" | nsq-metrics | col pid | sort -u)"
	same "$(summed "$TRAIN" "timestamp >= 20000000 AND timestamp < 30000000 OR timestamp >= 40000000 AND timestamp < 41000000")" \
		"$(nsq-metrics --merge -w 20..25ms -w 24..30ms -w 40..41ms "$TRAIN" | col samples mean p50 p90 max metric)"
	mentions "nothing was sampled" -- nsq-metrics -w $((a + 10))..$((a + 20)) "$TRAIN"
}

@test "--each: one row per sample and metric, from the sample before to its own time, by SQL" {
	same "$(each "$TRAIN" | md5sum)" "$(nsq-metrics --each "$TRAIN" | col start_ns end_ns gpu value metric | md5sum)"
	same "$((22 * 783))" "$(nsq-metrics --each "$TRAIN" | count)"
	# the first of a window begins with it
	same "20000000${TAB}$(sql "$TRAIN" "SELECT min(timestamp) FROM GPU_METRICS WHERE timestamp >= 20000000")" "$(nsq-metrics --each -m Tensor -w 20ms..21ms "$TRAIN" | col start_ns end_ns | head -1)"
	# each is a window: what ran while the tensor cores were busiest
	busiest=$(nsq-metrics --each -m Tensor "$TRAIN" | sort -t "$TAB" -k6,6nr | head -1)
	same "91.00" "$(cut -f6 <<<"$busiest")"
	answers nsq-kernels <<<"$busiest"
	holds "$output" "nvjet"
}

# Kernels of the trace by name; by their innermost range, folded names not needed: none has digits.
BY_NAME="SELECT name AS key, a, b FROM o.work WHERE kind = 'kernel'"
BY_NVTX="SELECT coalesce(${INNERMOST/FROM ranges/FROM o.ranges}, '-') AS key, a, b FROM o.launched l WHERE kind = 'kernel'"

# bats test_tags=more,long
@test "--by name and nvtx: weights, shares, weighted means and percentiles, by SQL" {
	# they are disjoint, so that their times can be added
	same "0" "$(ask "$TRAIN" "SELECT count(*) FROM work x JOIN work y ON x.rowid < y.rowid AND x.a < y.b AND y.a < x.b WHERE x.kind = 'kernel' AND y.kind = 'kernel'")"
	mapfile -t metrics < <(first_few 1 "Tensor Active" "GPC Clock" "DRAM Read" "Unallocated Warps in Active SMs .Avg]")
	for metric in "${metrics[@]}"; do
		run -0 --separate-stderr nsq-metrics --by name -m "$metric" "$TRAIN"
		same "$(weighted "$TRAIN" "${metric/./_}%" "$BY_NAME" 0 1000000000)" "$(col $MEASURES name <<<"$output")"
		run -0 --separate-stderr nsq-metrics --by nvtx -m "$metric" "$TRAIN"
		same "$(weighted "$TRAIN" "${metric/./_}%" "$BY_NVTX" 0 1000000000)" "$(col $MEASURES nvtx <<<"$output")"
	done
	[ "$(nsq-metrics -q --by name -m Tensor "$TRAIN" | count)" -gt 10 ]
}

@test "--by nvtx: how busy the tensor cores are in mlp, which no sample describes alone" {
	# the only kernels in it are the forward's: 16 ranges
	want=$(weighted "$TRAIN" "Tensor Active%" "SELECT * FROM ($BY_NVTX) WHERE key = 'mlp'" 0 1000000000)
	same "$want" "$(nsq-metrics -q --by nvtx -m 'Tensor Active' "$TRAIN" | where nvtx mlp | col $MEASURES nvtx)"
	same "21.81 46.41 34.51" "$(nsq-metrics -q --by nvtx -m 'Tensor Active' "$TRAIN" | where nvtx mlp | col samples own_pct mean | tr '\t' ' ')"
	# with the main thread's ranges around the other threads' work, the backward pass has a name
	same "-,backward" "$(for o in "" --adopt; do nsq-metrics -q --by nvtx $o -m Tensor "$TRAIN" | col nvtx | head -1; done | paste -sd ,)"
}

@test "--by in a window: its samples, and kernels only as far as they are in it" {
	for w in 20012345..30054321 17000000..17300000; do
		same "$(weighted "$TRAIN" "Tensor Active%" "$BY_NAME" "${w%..*}" "${w#*..}")" \
			"$(nsq-metrics -q --by name -m "Tensor Active" -w "$w" "$TRAIN" | col $MEASURES name)"
	done
	# the same window in two pieces
	same "$(nsq-metrics -q --by name -w 20ms..30ms "$TRAIN" | without window)" "$(nsq-metrics -q --by name --merge -w 20ms..26ms -w 25ms..30ms "$TRAIN" | without window)"
}

@test "--by: rows are by metric in the trace's order, most samples first, the same weights for all" {
	nsq-metrics -q --by nvtx "$TRAIN" > "$BATS_TEST_TMPDIR/all"
	same "$(sql "$TRAIN" "SELECT metricName FROM TARGET_INFO_GPU_METRICS ORDER BY metricId")" "$(col metric < "$BATS_TEST_TMPDIR/all" | uniq)"
	where metric "SM Issue [Throughput %]" < "$BATS_TEST_TMPDIR/all" | col samples | sort -c -nr
	same "1" "$(where nvtx mlp < "$BATS_TEST_TMPDIR/all" | col samples own_pct | sort -u | wc -l)"
}

# ---- small traces, whose answers can be worked out by hand

# sampled SQL: a trace with these rows in the tables of `made`, and in M, whose rows are time type metric value, of two GPUs.
sampled() {
	made "CREATE TABLE M (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
		CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);
		CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);
		INSERT INTO TARGET_INFO_GPU_METRICS VALUES (4294967296, 7, 'Busy [%]'), (4294967297, 7, 'Busy [%]');
		$1; ALTER TABLE M RENAME TO GPU_METRICS"
}

G0=4294967296 G1=4294967297

@test "kernels that run at once count once; a sample is split among its kernels; the first has no interval" {
	t=$(sampled "INSERT INTO S VALUES (9, 'norm');
		INSERT INTO K VALUES (100, 160, 0, 1, 7, 1, $P5, 1, 1), (140, 180, 0, 1, 8, 2, $P5, 1, 1), (180, 240, 0, 1, 7, 3, $P5, 9, 9), (0, 50, 0, 1, 7, 4, $P5, 9, 9);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50), (300, $G0, 7, 10), (-50, $G0, 7, 1)")
	# gemm: 100..180 of 100..200; norm: 20 of it, and 40 of the next; what ran before 100 no sample describes
	same "0.80 80.00 50.00 50.00 50.00 50.00 gemm
0.60 30.00 23.33 10.00 50.00 50.00 norm" "$(nsq-metrics -q --by name "$t" | col $MEASURES name | tr '\t' ' ')"
	mentions "own_pct is below 50 in 1 of 2 rows" "include work beside them" -- nsq-metrics --by name "$t"
	# half is not below 50
	mentions "own_pct is below 50 in 1 of 2 rows" -- nsq-metrics --by name -w 130..201 "$t"
	mentions "own_pct is below 50 in 2 of 2 rows" -- nsq-metrics --by name -w 131..201 "$t"
	same "3 50.00 90.00" "$(nsq-metrics "$t" | col samples mean max | tr '\t' ' ')"
	# a sample of the window is weighted by what ran in the window
	same "0.50 50.00 gemm
0.20 20.00 norm" "$(nsq-metrics -q --by name -w 130..201 "$t" | col samples own_pct name | tr '\t' ' ')"
	# entirely inside 130..250: the second gemm, and norm
	same "0.40 gemm
0.20 norm" "$(nsq-metrics -q --by name --inside -w 130..250 "$t" | col samples name | tr '\t' ' ')"
}

@test "weighted percentiles: the smallest value that with those below it has half, or nine tenths, of the weight" {
	t=$(sampled "INSERT INTO K VALUES (0, 1000, 0, 1, 7, 1, $P5, 1, 1);
		INSERT INTO M SELECT value * 100, $G0, 7, value * 3 % 11 FROM (WITH RECURSIVE r(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM r WHERE value < 10) SELECT value FROM r)")
	# ten whole intervals, with the values 1 to 10 in another order
	same "10.00 100.00 5.50 5.00 9.00 10.00" "$(nsq-metrics -q --by name "$t" | col $MEASURES | tr '\t' ' ')"
	answers nsq-metrics --by name "$t"
	# where all weights are 1, they are those of the values
	for n in 2 4 6 8 20 30 50 100; do
		t=$(sampled "INSERT INTO K VALUES (0, $n * 100, 0, 1, 7, 1, $P5, 1, 1);
			INSERT INTO M SELECT value * 100, $G0, 7, value * 7919 % 1009 FROM (WITH RECURSIVE r(value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM r WHERE value < $n) SELECT value FROM r)")
		same "$(summed "$t" "timestamp > 0" | cut -f2-5)" "$(nsq-metrics --by name "$t" | col mean p50 p90 max)"
	done
}

@test "a graph traced whole is a kernel too; copies are not" {
	t=$(sampled "CREATE TABLE ${K}GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
		INSERT INTO ${K}GRAPH_TRACE VALUES (100, 150, 0, 1, 7, 1, $P5, 3);
		INSERT INTO C VALUES (150, 200, 0, 1, 7, 2, $P5, 10, 1); INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50)")
	same "0.50${TAB}graph 3" "$(nsq-metrics -q --by name "$t" | col samples name)"
	t=$(sampled "INSERT INTO C VALUES (150, 200, 0, 1, 7, 2, $P5, 10, 1); INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50)")
	mentions "no kernel was sampled" -- nsq-metrics --by name "$t"
}

@test "--by stage: the label of the rules, else the range" {
	t=$(sampled "INSERT INTO K VALUES (100, 150, 0, 1, 7, 1, $P5, 1, 1), (150, 200, 0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO R VALUES (10, 20, $P5 | 5, 1, 2), (30, 40, $P5 | 5, 2, 2);
		INSERT INTO N VALUES (5, 25, 59, 'layer1.stage2_f', $P5 | 5, NULL, 0), (28, 45, 59, 'tail 3', $P5 | 5, NULL, 0);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50)")
	same "stage2_f
tail #" "$(nsq-metrics -q --by stage "$t" | col stage)"
	same "layer#.stage#_f,stage2_f
tail #,tail #" "$(nsq-metrics -q --by nvtx,stage "$t" | col nvtx stage | tr '\t' ,)"
	printf 'stage\tA\ntail\tB\n' > "$BATS_TEST_TMPDIR/rules"
	same "A,B" "$(nsq-metrics -q --by stage --rules "$BATS_TEST_TMPDIR/rules" "$t" | col stage | paste -sd ,)"
}

@test "two GPUs: the low byte of typeId tells them apart, and rows have the number that the processes use" {
	two="INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (100, 150, 1, 1, 7, 1, $P6, 1, 1);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50), (100, $G1, 7, 30), (200, $G1, 7, 20), (300, $G1, 7, 10)"
	t=$(sampled "$two")                     # nothing is said: the numbers are nsys's own
	same "0 2 70.00
1 3 20.00" "$(nsq-metrics "$t" | col gpu samples mean | tr '\t' ' ')"
	same "0 1.00
1 0.50" "$(nsq-metrics -q --by name "$t" | col gpu samples | tr '\t' ' ')"
	same "1${TAB}20.00" "$(nsq-metrics -g 1 "$t" | col gpu mean)"
	# they are the other way round for all processes
	t=$(sampled "$two; INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 1, 5), (1, 0, 5), (0, 1, 6), (1, 0, 6)")
	same "1 2 70.00
0 3 20.00" "$(nsq-metrics "$t" | col gpu samples mean | tr '\t' ' ')"
	same "1 0.50 50.00
0 1.00 20.00" "$(nsq-metrics -q --by name "$t" | col gpu samples mean | tr '\t' ' ')"
	same "0${TAB}20.00" "$(nsq-metrics -g 0 "$t" | col gpu mean)"
	# a window of a process has the GPUs that it works on
	same "5 0 20.00" "$(nsq-metrics -p 5 "$t" | col pid gpu mean | tr '\t' ' ')"
	same "6 1 70.00" "$(nsq-metrics -p 6 "$t" | col pid gpu mean | tr '\t' ' ')"
}

@test "a GPU on which nothing runs has metrics too" {
	t=$(sampled "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1); INSERT INTO M VALUES (100, $G0, 7, 90), (100, $G1, 7, 30), (200, $G1, 7, 20)")
	same "1${TAB}25.00" "$(nsq-metrics -g 1 "$t" | col gpu mean)"
	mentions "no kernel was sampled" -- nsq-metrics --by name -g 1 "$t"
	fails 2 "GPU 1" -- nsq-kernels -g 1 "$t"
}

@test "two processes that each call their GPU 0: numbers of nsys for both together, their own for each" {
	t=$(sampled "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (100, 150, 0, 1, 7, 1, $P6, 1, 1);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50), (100, $G1, 7, 30), (200, $G1, 7, 20);
		INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 5), (1, 0, 6)")
	same "0 70.00
1 25.00" "$(nsq-metrics "$t" | col gpu mean | tr '\t' ' ')"
	same "5 0 70.00
6 0 25.00" "$(for p in 5 6; do nsq-metrics -p $p "$t" | col pid gpu mean; done | tr '\t' ' ')"
	# a window that names its process, in a table
	same "5 0 90.00
6 0 30.00" "$(nsq-gaps "$t" | nsq-metrics -w - "$t" | col pid gpu mean | tr '\t' ' ')"
	same "0 1.00
1 0.50" "$(nsq-metrics -q --by name "$t" | col gpu samples | tr '\t' ' ')"
	same "6${TAB}0${TAB}0.50${TAB}20.00" "$(nsq-metrics -q -p 6 --by name "$t" | col pid gpu samples mean)"
}

@test "two processes that number the GPUs differently: numbers of nsys for both together, their own for each" {
	t=$(sampled "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (100, 150, 0, 1, 7, 1, $P6, 1, 1);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50), (100, $G1, 7, 30), (200, $G1, 7, 20);
		INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 5), (1, 1, 5), (0, 1, 6), (1, 0, 6)")
	same "0 70.00
1 25.00" "$(nsq-metrics "$t" | col gpu mean | tr '\t' ' ')"
	same "5 0 70.00
6 0 25.00" "$(for p in 5 6; do nsq-metrics -p $p "$t" | col pid gpu mean; done | tr '\t' ' ')"
	same "0 1.00 50.00
1 0.50 20.00" "$(nsq-metrics -q --by name "$t" | col gpu samples mean | tr '\t' ' ')"
}

@test "a window of one process: its own kernels, and the GPU that it names" {
	t=$(sampled "INSERT INTO S VALUES (9, 'norm'); INSERT INTO K VALUES (100, 150, 0, 1, 7, 1, $P5, 1, 1), (100, 140, 1, 1, 7, 2, $P5, 1, 1), (150, 200, 0, 1, 7, 1, $P6, 9, 9);
		INSERT INTO M VALUES (100, $G0, 7, 90), (200, $G0, 7, 50), (100, $G1, 7, 30), (200, $G1, 7, 20)")
	same "0 0.50 gemm
1 0.40 gemm" "$(nsq-metrics -q --by name -p 5 "$t" | col gpu samples name | tr '\t' ' ')"
	same "1 0.40 gemm" "$(nsq-metrics -q --by name -p 5 -g 1 "$t" | col gpu samples name | tr '\t' ' ')"
	same "0 0.50 norm" "$(nsq-metrics -q --by name -p 6 "$t" | col gpu samples name | tr '\t' ' ')"
	same "0 0.50 gemm
0 0.50 norm
1 0.40 gemm" "$(nsq-metrics -q --by name "$t" | col gpu samples name | tr '\t' ' ')"
	same "1${TAB}25.00" "$(nsq-metrics -p 5 -g 1 "$t" | col gpu mean)"
}

@test "metrics of one GPU that were sampled at different times have weights of their own" {
	t=$(sampled "INSERT INTO K VALUES (100, 160, 0, 1, 7, 1, $P5, 1, 1); INSERT INTO TARGET_INFO_GPU_METRICS VALUES ($G0, 8, 'Other');
		INSERT INTO M VALUES (100, $G0, 7, 1), (200, $G0, 7, 2), (140, $G0, 8, 3), (240, $G0, 8, 4), (140, $G0, 9, 5), (240, $G0, 9, 6)")
	same "0.60 2.00 Busy [%]
0.20 4.00 Other
0.20 6.00 -" "$(nsq-metrics -q --by name "$t" | col samples mean metric | tr '\t' ' ')"
	same "140 240" "$(nsq-metrics --each -m Other "$t" | col start_ns end_ns | tail -1 | tr '\t' ' ')"
}

@test "values below 0, metrics without a name, and values at one moment" {
	t=$(sampled "INSERT INTO M VALUES (100, $G0, 7, -3), (200, $G0, 7, 2), (200, $G0, 7, 1), (100, $G0, 8, 5)")
	same "3 0.00 1.00 2.00 2.00 Busy [%]
1 5.00 5.00 5.00 5.00 -" "$(nsq-metrics "$t" | col samples mean p50 p90 max metric | tr '\t' ' ')"
	same "100 100 -3.00
100 200 1.00
200 200 2.00" "$(nsq-metrics --each -m Busy "$t" | col start_ns end_ns value | tr '\t' ' ')"
	sqlite3 "$t" "UPDATE GPU_METRICS SET value = 0 WHERE value = 2"
	same "-0.67" "$(nsq-metrics -m Busy "$t" | col mean)"
	sqlite3 "$t" "DROP TABLE TARGET_INFO_GPU_METRICS"
	same "-" "$(nsq-metrics "$t" | col metric | sort -u)"
}

# Values that need 1 to 8 bytes, the widest first met in the middle, and those that just fit into one less.
WIDE="value = CASE WHEN timestamp < 30000000 THEN value % 100 ELSE (CASE abs(value * 7 + rowid) % 5
	WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END) * (1 << min(62, metricId % 8 * 8 + 6 + metricId / 8)) - rowid % 3 END"

# bats test_tags=slow
@test "values of any size; samples that are missing, begin late, come twice, or in another order, by SQL" {
	order() { echo "CREATE TABLE X AS SELECT * FROM GPU_METRICS ORDER BY $1; DELETE FROM GPU_METRICS; INSERT INTO GPU_METRICS SELECT * FROM X"; }
	for changed in "UPDATE GPU_METRICS SET $WIDE" \
		"DELETE FROM GPU_METRICS WHERE rowid % 37 = 0 OR metricId % 5 = 0 AND timestamp < 20000000 OR metricId % 7 = 3 AND timestamp > 60000000" \
		"INSERT INTO GPU_METRICS SELECT rawTimestamp, timestamp, typeId, metricId, value - 1 FROM GPU_METRICS WHERE rowid % 41 = 0" \
		"$(order "metricId, timestamp")" "UPDATE GPU_METRICS SET $WIDE; $(order "rowid * 7919 % 17231")" \
		"INSERT INTO GPU_METRICS SELECT rawTimestamp, timestamp, typeId, metricId, value - 1 FROM GPU_METRICS; $(order "timestamp, metricId, value DESC")"; do
		t=$(change "$TRAIN" "$changed")
		same "$(each "$t" | md5sum)" "$(nsq-metrics -j 3 --each "$t" | col start_ns end_ns gpu value metric | md5sum)"
		same "$(summed "$t" 1 | cut -f1,3-)" "$(nsq-metrics -j 3 "$t" | col samples p50 p90 max metric)"
	done
}

# ---- what cannot be answered

@test "without metrics: exit 3 names the flag; the older form is refused by its name" {
	fails 3 "$COPIES" "GPU metrics" "nsys profile --gpu-metrics-devices=" -- nsq-metrics "$COPIES"
	t=$(change "$COPIES" "CREATE TABLE GENERIC_EVENTS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, data TEXT)")
	fails 3 "$t" "GENERIC_EVENTS" "JSON" "nsys profile --gpu-metrics-devices=" -- nsq-metrics "$t"
	# beside the newer form generic events are something else
	t=$(change "$TRAIN" "CREATE TABLE GENERIC_EVENTS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, data TEXT)")
	same "$(nsq-metrics "$TRAIN" | without trace)" "$(nsq-metrics "$t" | without trace)"
}

@test "metrics alone, without CUDA or NVTX, are answered; --by needs kernels" {
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'CUPTI_*')" "DROP TABLE NVTX_EVENTS")
	same "$(nsq-metrics "$TRAIN" | without trace)" "$(nsq-metrics "$t" | without trace)"
	fails 3 "CUDA" "nsys profile --trace=" -- nsq-metrics --by name "$t"
	t=$(change "$TRAIN" "DELETE FROM GPU_METRICS WHERE timestamp >= 0")
	mentions "nothing was sampled" -- nsq-metrics "$t"
}

@test "-m that no metric has, and options without effect" {
	mentions "no such metric" -- nsq-metrics -m nothing "$TRAIN"
	same "1" "${#lines[@]}"
	fails 2 "'--adopt'" -- nsq-metrics --adopt "$TRAIN"
	fails 2 "'--adopt'" -- nsq-metrics --adopt --by name "$TRAIN"
	fails 2 "'--rules'" "--by stage" -- nsq-metrics --rules stages --by nvtx "$TRAIN"
	fails 2 "'--by'" "'--each'" -- nsq-metrics --each --by name "$TRAIN"
	fails 2 "'pid'" -- nsq-metrics --by pid "$TRAIN"
	fails 2 "GPU 3" -- nsq-metrics -g 3 "$TRAIN"
}

@test "--net: rates of network adapters by step, weighted by time; and NVLink is a metric of the GPU" {
	t=$(change "$COPIES" "CREATE TABLE NET_NIC_METRIC (start, end, globalId, portId, metricsListId, metricsIdx, value)" \
		"CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId, metricsIdx, name, description, unit)" \
		"CREATE TABLE NIC_ID_MAP (nicId, globalId)" "DROP TABLE IF EXISTS TARGET_INFO_NIC_INFO" "CREATE TABLE TARGET_INFO_NIC_INFO (nicId, name)" \
		"INSERT INTO TARGET_INFO_NIC_INFO VALUES (0, 'mlx5_0'), (1, 'mlx5_1')" "INSERT INTO NIC_ID_MAP VALUES (0, 70), (1, 71)" \
		"INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (0, 6, 'IB: Bytes sent', '', 'bytes/ms'), (0, 10, 'IB: Send waits', '', 'ticks/ms')" \
		"INSERT INTO NET_NIC_METRIC WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
			SELECT 40000000 + 1000000 * i, 41000000 + 1000000 * i, 70 + nic, 1, 0, 6, 10 * i + nic FROM n, (SELECT 0 nic UNION ALL SELECT 1)" \
		"INSERT INTO NET_NIC_METRIC VALUES (40000000, 50000000, 70, 1, 0, 10, 4)")
	same "10 45.00 40.00 80.00 90.00 mlx5_0 1 bytes/ms IB: Bytes sent;1 4.00 4.00 4.00 4.00 mlx5_0 1 ticks/ms IB: Send waits;10 46.00 41.00 81.00 91.00 mlx5_1 1 bytes/ms IB: Bytes sent" \
		"$(nsq-metrics -q --net -w 40..50ms "$t" | col samples mean p50 p90 max nic port unit metric | tr '\t' ' ' | paste -sd ';')"
	# half of the first sample and half of the second
	same "5.00" "$(nsq-metrics -q --net -m 'Bytes sent' -w 40.5ms..41.5ms "$t" | where nic mlx5_0 | col mean)"
	same "$(sql "$t" "SELECT printf('%.2f', sum(value * (min(end, 43700000) - max(start, 41200000))) / 2500000.0) FROM NET_NIC_METRIC
		WHERE globalId = 71 AND start < 43700000 AND end > 41200000")" "$(nsq-metrics -q --net -w 41.2ms..43.7ms "$t" | where nic mlx5_1 | col mean)"
	fails 3 "nsys profile --nic-metrics" -- nsq-metrics --net "$COPIES"
	t=$(change "$FIXTURES/train-metrics.sqlite" "UPDATE TARGET_INFO_GPU_METRICS SET metricName = 'NVLink RX Responses User Data [Throughput %]' WHERE metricName LIKE 'Tensor%'")
	same "$(nsq-metrics -q -m Tensor "$FIXTURES/train-metrics.sqlite" | col samples mean p90)" "$(nsq-metrics -q -m NVLink "$t" | col samples mean p90)"
}
