# --merge: the windows of one trace and process answered as one.
load ../helper
load ../small-traces

@test "--merge of windows that overlap counts once: it is the one window they make" {
	for tool in "nsq-overlap" "nsq-overlap --total" "nsq-overlap --each" "nsq-streams" "nsq-setup"; do
		same "$($tool -w 100ms..280ms "$DUALPIPE")" "$($tool --merge -w 200ms..280ms -w 100ms..250ms "$DUALPIPE")"
	done
}

@test "--merge of windows apart: sums are clipped to the union, the hull is cited, the union is the denominator" {
	local apart
	answers nsq-streams --merge -p 693 -w 100ms..150ms -w 250ms..300ms "$DUALPIPE"
	same "100000000${TAB}300000000" "$(col start_ns end_ns <<<"$output" | sort -u)"
	apart=$(nsq-streams -p 693 -w 100ms..150ms -w 250ms..300ms "$DUALPIPE")
	for stream in 7 32 36; do
		same "$(where stream $stream <<<"$apart" | sum busy_ns)" "$(where stream $stream <<<"$output" | sum busy_ns)"
	done
	col busy_ns busy_pct <<<"$output" |
		awk '{ want = sprintf("%.2f", 100.0 * $1 / 100000000) } $2 != want { print $0, want; bad = 1 } END { exit bad || NR != 3 }'
	nsq-overlap --total --merge -w 100ms..150ms -w 250ms..300ms "$DUALPIPE" |
		col both_ns compute_only_ns comm_only_ns copy_only_ns idle_ns |
		awk '$1 + $2 + $3 + $4 + $5 != 100000000 { print; bad = 1 } END { exit bad || NR != 4 }'
}

@test "--merge: an event that reaches into two windows counts as one" {
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 AND stream = 32 ORDER BY b - a DESC LIMIT 1")"
	answers nsq-streams --merge -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE"
	same "1${TAB}2000" "$(where stream 32 <<<"$output" | col kernels busy_ns)"
	same "2" "$(nsq-streams -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE" | where stream 32 | sum kernels)"
	answers nsq-overlap -q --each --merge -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE"
	same "$a${TAB}$b${TAB}2000" "$(where stream 32 <<<"$output" | col start_ns end_ns dur_ns)"
}

@test "--merge keeps processes and traces apart" {
	answers nsq-overlap -q --total --merge -w 100ms..150ms -w 250ms..300ms "$DUALPIPE" "$DUALPIPE_2023"
	same 8 "$(count <<<"$output")"
	same "8" "$(col pid trace <<<"$output" | sort -u | wc -l)"
}

@test "--merge --inside: windows that touch are one, so an event across both is inside; windows apart are not" {
	t=$(made "INSERT INTO K VALUES (0, 10, 0, 1, 7, 1, $P5, 1, 1), (100, 300, 0, 1, 7, 2, $P5, 1, 1), (400, 500, 0, 1, 7, 3, $P5, 1, 1);
		INSERT INTO R VALUES (100, 300, $P5 + 5, 2, 2); INSERT INTO N VALUES (100, 300, 59, 'x', $P5 + 5, NULL, 0)")
	for ask in "nsq-kernels" "nsq-api" "nsq-nvtx -m x"; do
		same "$ask 1" "$ask $($ask -q --merge --inside -w 50..200 -w 200..350 "$t" | col count)"
		same "$ask 1" "$ask $($ask -q --merge --inside -w 200..350 -w 50..200 "$t" | col count)"
		same "$ask " "$ask $($ask -q --merge --inside -w 50..200 -w 201..350 "$t" | col count)"
		same "$ask " "$ask $($ask -q --inside -w 50..200 -w 200..350 "$t" | col count)"
	done
	# --each: one row, whole
	same "100 300" "$(nsq-kernels -q --each --merge --inside -w 50..200 -w 200..350 "$t" | col start_ns end_ns | tr '\t' ' ')"
	same "199" "$(nsq-kernels -q --merge -w 50..200 -w 201..350 "$t" | col total_ns)"
}

@test "--merge: what lies between the windows does not count, to the nanosecond" {
	# one event that fills the time between 200 and 300, and one of no length at each end of it
	t=$(made "INSERT INTO K VALUES (0, 1, 0, 1, 7, 1, $P5, 1, 1), (200, 300, 0, 1, 7, 2, $P5, 1, 1), (200, 200, 0, 1, 7, 3, $P5, 1, 1), (300, 300, 0, 1, 7, 4, $P5, 1, 1), (900, 901, 0, 1, 7, 5, $P5, 1, 1);
		INSERT INTO R VALUES (200, 300, $P5 + 5, 2, 2), (200, 200, $P5 + 5, 3, 2), (300, 300, $P5 + 5, 4, 2); INSERT INTO N VALUES (200, 300, 59, 'x', $P5 + 5, NULL, 0), (200, 200, 59, 'x', $P5 + 5, NULL, 0), (300, 300, 59, 'x', $P5 + 5, NULL, 0)")
	for ask in "nsq-kernels" "nsq-api" "nsq-nvtx -m x"; do
		# of the three only the one at 300, which the second window starts with
		same "$ask 1" "$ask $($ask -q --merge -w 100..200 -w 300..400 "$t" | col count)"
		same "$ask 3" "$ask $($ask -q --merge -w 100..201 -w 300..400 "$t" | col count)"
		same "$ask 2" "$ask $($ask -q --merge -w 100..200 -w 299..400 "$t" | col count)"
	done
}

# ---- --spread: how the sums of merged windows are spread over the single ones

# spread_by_sql TRACE ROWS-SQL N: of rows (win, key, ns) of windows 1..N, "key windows p50 p90 max" by nearest rank; a window
# without a key counts as 0.
spread_by_sql() {
	sql "$1" "WITH r AS MATERIALIZED ($2), n AS (SELECT $3 AS n), v AS (SELECT key, sum(ns) AS ns FROM r GROUP BY key, win),
		z AS (WITH RECURSIVE i(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i, n WHERE i < n)
			SELECT key, 0 AS ns FROM (SELECT key, count(*) AS c FROM v GROUP BY key), i, n WHERE i > c AND i <= n),
		o AS (SELECT key, ns, row_number() OVER (PARTITION BY key ORDER BY ns) AS at FROM (SELECT * FROM v UNION ALL SELECT * FROM z))
		SELECT key, max(n), sum(ns * (at = (n + 1) / 2)), sum(ns * (at = (9 * n + 9) / 10)), max(ns) FROM o, n GROUP BY key ORDER BY key"
}

@test "--spread: median, 90th percentile and maximum over the windows are those of SQL; sums stay those of --merge" {
	windows=$(nsq-window -q --pick all --skip 1 --period "$COMPILE")
	merged() { nsq-kernels -q --merge "$@" <<<"$windows"; }
	same "$(merged)" "$(merged --spread | without windows total_p50_ns total_p90_ns total_max_ns)"
	values=$(col index start_ns end_ns <<<"$windows" | awk '{ printf "%s(%s, %s, %s)", (NR > 1 ? ", " : ""), $1, $2, $3 }')
	same "$(spread_by_sql "$COMPILE" "SELECT w.column1 AS win, value AS key, min(end, w.column3) - max(start, w.column2) AS ns
			FROM (VALUES $values) AS w JOIN CUPTI_ACTIVITY_KIND_KERNEL ON start < w.column3 AND end > w.column2 JOIN StringIds ON id = shortName" 8)" \
		"$(merged --spread | col name windows total_p50_ns total_p90_ns total_max_ns | sort)"
}

@test "--spread: a window that has no such row counts as 0, in each process by its own windows" {
	# gemm runs in two of three windows of process 5, in the one of process 6
	t=$(made "INSERT INTO S VALUES (7, 'rare'); INSERT INTO K VALUES (0, 10, 0, 1, 7, 1, $P5, 1, 1), (100, 130, 0, 1, 7, 2, $P5, 1, 1),
		(210, 220, 0, 1, 7, 3, $P5, 7, 7), (0, 50, 1, 1, 7, 4, $P6, 1, 1), (290, 300, 0, 1, 7, 5, $P5, 7, 7)")
	windows() { printf 'pid\tstart_ns\tend_ns\n5\t0\t100\n5\t100\t200\n5\t200\t300\n6\t0\t100\n'; }
	same "5 40 3 10 30 30 gemm
5 20 3 0 20 20 rare
6 50 1 50 50 50 gemm" "$(windows | nsq-kernels -q --merge --spread -w - "$t" | col pid total_ns windows total_p50_ns total_p90_ns total_max_ns name | tr '\t' ' ')"
	# windows of all processes together, split by process: both have both windows
	same "5 30 2 0 30 30
6 30 2 0 30 30" "$(nsq-kernels -q --merge --spread --by pid -w 20..60 -w 100..150 "$t" | col pid total_ns windows total_p50_ns total_p90_ns total_max_ns | tr '\t' ' ')"
	# windows of all and of one process are not confused
	same "1 40
2 40" "$(printf 'pid\tstart_ns\tend_ns\n-\t0\t100\n-\t100\t300\n5\t0\t300\n' | nsq-kernels -q --merge --spread --by pid,name -w - "$t" |
		where pid 5 | where name gemm | col windows total_ns | tr '\t' ' ' | sort)"
	# windows of one GPU alone stay apart
	same "0 2 40
1 1 50" "$(printf 'start_ns\tend_ns\tgpu\n0\t100\t0\n100\t200\t0\n0\t100\t1\n' | nsq-kernels -q --merge --spread -w - "$t" |
		col gpu windows total_ns | tr '\t' ' ')"
}

# bats test_tags=long
@test "--spread: threads of one name are told apart, and every kind of sums has it" {
	t=$(made "INSERT INTO K VALUES (0, 300, 0, 1, 7, 1, $P5, 1, 1);
		INSERT INTO R VALUES (0, 10, $P5 + 5, 1, 2), (100, 120, $P5 + 5, 2, 2), (100, 130, $P5 + 6, 3, 2)")
	same "5 30 2 10 20
6 30 2 0 30" "$(nsq-api -q --merge --spread --by thread,name -w 0..100 -w 100..200 "$t" | col tid total_ns windows total_p50_ns total_max_ns | tr '\t' ' ')"
	# the columns come before the texts; the rest of the table is that without it
	while read -r measure command; do
		all=$($command -q --merge --spread -w 100..200ms -w 250..300ms "$DUALPIPE")
		same "$($command -q --merge -w 100..200ms -w 250..300ms "$DUALPIPE")" \
			"$(without windows ${measure}_p50_ns ${measure}_p90_ns ${measure}_max_ns <<<"$all")"
		same "$(head -1 <<<"$all")" "$($command --merge --spread --columns | col name | paste -sd '\t')"
		for w in 100..200ms 250..300ms; do
			$command -q -w $w "$DUALPIPE"
		done > "$BATS_TEST_TMPDIR/single"
		# the largest of the larger parts
		[ "$(col ${measure}_max_ns <<<"$all" | sort -n | tail -1)" = "$(grep -v ^pid "$BATS_TEST_TMPDIR/single" | cat <(head -1 "$BATS_TEST_TMPDIR/single") - | col ${measure}_ns | sort -n | tail -1)" ]
	done <<-'END'
		idle nsq-gaps --by cause,nvtx
		idle nsq-gaps
		total nsq-kernels --by category
		total nsq-api
		total nsq-mem
		gpu nsq-nvtx
		gpu nsq-nvtx --phases llm
		exposed nsq-overlap --by stage
	END
}

@test "--spread: GPUs, contexts and streams are told apart; what is missing stays missing; one window keeps its name" {
	t=$(made "INSERT INTO K VALUES (0, 10, 0, 1, 7, 1, $P5, 1, 1), (0, 20, 1, 1, 7, 2, $P5, 1, 1), (100, 130, 0, 2, 7, 3, $P5, 1, 1),
			(100, 140, 0, 2, 8, 4, $P5, 1, 1);
		INSERT INTO R VALUES (0, 1, $P5 + 5, 1, 2); INSERT INTO N VALUES (0, 5, 59, 'x', $P5 + 5, NULL, 0), (0, 100, 60, 'x', $P5 + 5, NULL, 0)")
	spread() { nsq-kernels -q --merge --spread -w 0..100 -w 100..200 "$@" "$t"; }
	same "0 80 10 70
1 20 0 20" "$(spread --by gpu | col gpu total_ns total_p50_ns total_max_ns | tr '\t' ' ')"
	same "0 1 7 0 10
0 2 7 0 30
0 2 8 0 40
1 1 7 0 20" "$(spread --by stream | col gpu ctx stream total_p50_ns total_max_ns | tr '\t' ' ' | sort)"
	same "x 10 10
x - -" "$(nsq-nvtx -q --merge --spread -w 0..100 "$t" | where name x | col name gpu_ns gpu_max_ns | tr '\t' ' ')"
	same "$(nsq-window -q "$COMPILE" | nsq-gaps -q | col window)" "$(nsq-window -q "$COMPILE" | nsq-gaps -q --merge --spread | col window)"
}

@test "--spread is refused where there is nothing to spread" {
	fails 2 "'--spread' has no effect without '--merge'" -- nsq-gaps --spread "$COMPILE"
	fails 2 "'--spread' has no effect with '--each'" -- nsq-gaps --each --merge --spread "$COMPILE"
	fails 2 "'--spread' has no effect with '--total'" -- nsq-overlap --total --merge --spread "$COMPILE"
	fails 2 "'--spread' does not work in nsq-streams" -- nsq-streams --merge --spread "$COMPILE"
	for tool in gaps kernels api mem nvtx overlap; do holds "$(nsq help $tool)" "--spread" "columns with --merge --spread:"; done
	for tool in setup window streams; do lacks "$(nsq help $tool)" "--spread"; done
}

@test "that a name cannot carry the CPU sides of merged windows is said once, and only where there are rows" {
	windows=$(nsq-window -q --pick all --period "$COMPILE"; nsq-window -q --pick all --period "$DDP")
	both() { nsq-gaps -v --merge <<<"$windows"; }
	said=$(both 2>&1 >/dev/null | grep -c "the column window is '-': the CPU sides of the merged windows differ")
	same 1 "$said"
	same "-" "$(nsq-gaps -q --merge <<<"$windows" | col window | sort -u)"
	one() { nsq-window -q "$COMPILE" | nsq-gaps --merge; }
	same "" "$(one 2>&1 >/dev/null)"
	none() { nsq-window -q --pick all "$COMPILE" | nsq-mem --merge -m nothing; }
	lacks "$(none 2>&1 >/dev/null)" "the column window"
	# the rows of nsq-nccl come after all traces
	at_end() { nsq-nccl -v "$@" --merge <<<"$windows" 2>&1 >/dev/null | grep -c "the column window is '-'"; }
	same 1 "$(at_end)"
	same 0 "$(at_end --comm nothing)"
}
