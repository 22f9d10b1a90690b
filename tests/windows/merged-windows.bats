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
