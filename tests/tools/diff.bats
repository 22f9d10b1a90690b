# nsq-diff: what changed between two tables, or between the steps of two traces, and is it real?
load ../helper

setup() { A=$BATS_TEST_TMPDIR/a.tsv B=$BATS_TEST_TMPDIR/b.tsv; }

# steps TRACE [OPTION...]: its steps as windows, as nsq-diff takes them.
steps() { nsq-window -q --pick all --steady --period "${@:2}" "$1"; }

# agree BEFORE AFTER [OF [BY]]: nsq-diff says of two tables what diff.py does.
agree() {
	run python3 "$TESTS/tools/diff.py" "$@"
	[ "$status" -eq 0 ] && [[ $output =~ ^[1-9][0-9]*" rows agree"$ ]] || { echo "$*: $output"; return 1; }
}

# samples PART VALUE...: rows of a table with a window for each value.
samples() {
	local part=$1 i=0
	shift
	for v; do i=$((i + 1)); printf '%s\t-\t%s\t%s\t-\t%s\t%s\tw%s\t%s\n' "${PID:-7}" $((i * 100)) $((i * 100 + 100)) "$v" "$part" $i "${TRACE:-run}"; done
}
head_line() { printf 'pid\trank\tstart_ns\tend_ns\tgpu\t%s\tname\twindow\ttrace\n' "${OF:-dur_ns}"; }

# changes: the key and the change of each row.
changes() { nsq-diff -q "$@" | col name change | tr '\t' ' '; }

# ---- tables

# bats test_tags=slow
@test "tables of every tool: all rows are those of the definitions, computed again" {
	steps "$NODES" -m 'decode step' > "$A.w"
	steps "$EAGER" -m 'decode step' > "$B.w"
	agree "$A.w" "$B.w"
	while read -r tool; do
		$tool -q < "$A.w" > "$A"
		$tool -q < "$B.w" > "$B"
		agree "$A" "$B"
		if more; then agree "$B" "$A"; fi
	done <<-END
		nsq-kernels
		nsq-kernels --by category
		nsq-kernels --by nvtx,name
		nsq-kernels --each
		nsq-gaps
		nsq-gaps --by cause
		nsq-gaps --each
		nsq-api
		nsq-api --by thread
		nsq-nvtx
		nsq-mem
		nsq-streams
		nsq-overlap --total
		nsq-ledger
	END
	nsq-kernels -q < "$A.w" > "$A"
	nsq-kernels -q < "$B.w" > "$B"
	agree "$A" "$B" count
	agree "$A" "$B" p50_ns class
	agree "$A" "$B" pct name
	agree "$A" "$B" elapsed_ns class,gpu
}

@test "a table without rows is said to have none, and nothing else" {
	nsq-kernels -q --by stream,name "$COMPILE" > "$A"
	head -1 "$A" > "$B"
	for pair in "$A $B" "$B $A" "$B $B"; do
		run --separate-stderr nsq-diff $pair
		same "nsq-diff: nothing to compare: '$B' has no number in the column 'total_ns'" "$stderr"
	done
}

# bats test_tags=more
@test "collectives are told apart by operation and size, and by communicator where both sides have the same ones" {
	ranks=("$FIXTURES"/collectives-rank{0,1,2,3}.sqlite)
	steps "${ranks[0]}" > "$A.w"
	steps "${ranks[1]}" > "$B.w"
	mapfile -t modes < <(first_few 2 "" "--by op,stage" --each "--by op" "--by bytes")
	for mode in "${modes[@]}"; do
		nsq-nccl -q $mode -w - "${ranks[@]}" < "$A.w" > "$A"
		nsq-nccl -q $mode -w - "${ranks[@]}" < "$B.w" > "$B"
		agree "$A" "$B"
		agree "$A" "$A"
	done
	nsq-nccl -q -w - "${ranks[@]}" < "$A.w" > "$A"
	same "$(col op bytes comm < "$A" | sort -u)" "$(nsq-diff -q "$A" "$A" | col op bytes comm | sort -u)"
	sed 's/\t0c293ff3f5a0bb15\t/\t1111111111111111\t/' "$A" > "$B"
	same "$(col op bytes < "$A" | sort -u)" "$(nsq-diff -q "$A" "$B" | col op bytes | sort)"
	run --separate-stderr nsq-diff "$A" "$B"
	holds "$stderr" "the numbers in column 'comm' differ"
}

@test "bytes tell collectives apart and nothing else: copies that grew are still the same copies" {
	made() { printf '%s\n' "pid rank start_ns end_ns gpu $1 window trace" "7 - 0 100 0 $2 w1 run" | tr ' ' '\t'; }
	made "kind bytes total_ns" "HtoD 100 1000" > "$A"
	made "kind bytes total_ns" "HtoD 200 5000" > "$B"
	same "$(printf 'HtoD\t1000\t5000')" "$(nsq-diff -q "$A" "$B" | col kind before after)"
	made "op bytes total_ns bus_gbps" "allreduce 100 1000 1" > "$A"
	made "op bytes total_ns bus_gbps" "allreduce 200 5000 1" > "$B"
	same "$(printf '%s\t%s\n' 100 gone 200 new)" "$(nsq-diff -q "$A" "$B" | col bytes change | sort)"
}

# bats test_tags=more,long
@test "ranks are compared by rank, processes without one by their order, keys that a rank lacks count 0" {
	steps "$DUALPIPE" > "$A.w"
	steps "$DUALPIPE_2023" > "$B.w"
	mapfile -t tools < <(first_few 1 "nsq-gaps --by cause" nsq-overlap "nsq-overlap --by name" \
		"nsq-kernels --by pid,name")
	for tool in "${tools[@]}"; do
		$tool -q < "$A.w" > "$A"
		$tool -q < "$B.w" > "$B"
		agree "$A" "$B"
		same "0 1 2 3" "$(nsq-diff -q "$A" "$B" | col rank | sort -u | xargs)"
		# without the ranks of one side, by the order of the pids
		awk -F '\t' -v OFS='\t' 'NR > 1 { $2 = "-" } 1' "$B" > "$B.plain"
		agree "$A" "$B.plain"
		same "0 1 2 3" "$(nsq-diff -q "$A" "$B.plain" | col process | sort -u | xargs)"
		same "$(nsq-diff -q "$A" "$B" | col before after | sort)" "$(nsq-diff -q "$A" "$B.plain" | col before after | sort)"
		# a process fewer, and they are not told apart
		awk -F '\t' 'NR == 2 { p = $1 } $1 != p' "$B.plain" > "$B"
		agree "$A" "$B"
		run -0 --separate-stderr nsq-diff "$A" "$B"
		holds "$stderr" "have different numbers of processes, so processes are not told apart"
		lacks "$(nsq-diff -q "$A" "$B" | head -1)" process
	done
	# nor if the traces of each side have different numbers of them
	{ nsq-kernels -q --by pid,name "$FIXTURES/train.sqlite"; nsq-kernels -q --by pid,name "$DUALPIPE" | sed 1d; } |
		awk -F '\t' -v OFS='\t' 'NR > 1 { $2 = "-" } 1' > "$A"
	run -0 --separate-stderr nsq-diff -v "$A" "$A"
	holds "$stderr" "the traces of '$A' and '$A' have different numbers of processes, so processes are not told apart"
	steps "$DDP" > "$A.w"
	nsq-gaps -q --by cause < "$A.w" > "$A"
	agree "$A" "$A"
	same "0 1" "$(nsq-diff -q "$A" "$A" | col process | sort -u | xargs)"
	agree "$A" "$A" idle_ns cause
}

@test "the format and the order of rows of a table make no difference" {
	steps "$DUALPIPE" | nsq-overlap -q > "$A"
	steps "$DUALPIPE_2023" > "$B.w"
	nsq-overlap -q < "$B.w" > "$B"
	want=$(nsq-diff -q "$A" "$B")
	[ "$(count <<<"$want")" -gt 10 ]
	(head -1 "$B"; tail -n +2 "$B" | tac) > "$B.tac"
	same "$want" "$(nsq-diff -q "$A" "$B.tac")"
	for format in csv jsonl; do
		nsq-overlap -q -f $format < "$B.w" > "$B.$format"
		same "$want" "$(nsq-diff -q "$A" "$B.$format")"
		same "$want" "$(nsq-diff -q "$A" - < "$B.$format")"
	done
}

@test "a window is a trace, a pid and a name: rows of a key are added in it, and a key it lacks counts 0" {
	(head_line; samples gemm 10 20 30; samples gemm 1 2 3; PID=8 samples gemm 100 200 300; PID=8 samples norm 7) > "$A"
	run -0 nsq-diff -q --by name "$A" "$A"
	# gemm: 11 22 33 100 200 300, of which the third; norm: 7 0 0 0 0 0
	same "6	6	33	33	0	gemm
6	6	0	0	0	norm" "$(col n_before n_after before after delta name <<<"$output" | sort -t$'\t' -k6)"
	# names are folded, other texts are not
	(OF=dur_ns head_line | sed 's/name/stage\tname/'; samples "stage2$TAB"k2 5; samples "stage2$TAB"k3 6; samples "stage3$TAB"k3 7) > "$A"
	same "11	stage2	k#
7	stage3	k#" "$(nsq-diff -q "$A" "$A" | col before stage name | sort -k2)"
}

@test "rows without a number are no samples, and the last period is none" {
	(OF=period_ns head_line; samples step 10 20 - 40 -) > "$A"
	same "3	3	20	20" "$(nsq-diff -q "$A" "$A" | col n_before n_after before after)"
	(OF=period_ns head_line; samples step - -) > "$B"
	mentions "nothing to compare: '$B' has no number in the column 'period_ns'" -- nsq-diff "$A" "$B"
	same 0 "$(count <<<"$output")"
	head_line > "$B"
	sed 's/period_ns/dur_ns/' "$A" > "$A.2"
	mentions "'$B' has no number in the column 'dur_ns'" -- nsq-diff "$B" "$A.2"
	same 0 "$(count <<<"$output")"
}

@test "slower, faster, same, new and gone; what is no time is more or less" {
	(head_line; samples a 100 101 102 103 104 105 106 107 108; samples b 500 501 502 503 504 505 506 507 508
		samples c 7 7 7 7 7 7 7 7 7; samples old 5 5 5 5 5 5 5 5 5; samples rare 1 0 0 0 0 0 0 0 0) > "$A"
	(head_line; samples a 110 111 112 113 114 115 116 117 118; samples b 400 401 402 403 404 405 406 407 408
		samples c 7 7 7 7 7 7 7 7 7; samples fresh 9 9 9 9 9 9 9 9 9) > "$B"
	same "b faster
a slower
fresh new
old gone
rare same
c same" "$(changes "$A" "$B")"
	sed 's/dur_ns/count/' "$A" > "$A.count"
	sed 's/dur_ns/count/' "$B" > "$B.count"
	same "b less
a more" "$(changes --of count "$A.count" "$B.count" | head -2)"
	same "- -" "$(nsq-diff -q --of count "$A.count" "$B.count" | col unit | head -2 | xargs)"
	same "ns" "$(nsq-diff -q "$A" "$B" | col unit | sort -u)"
	# a key that only one window has on one side is not new: that may be chance
	sed "s/rare/c/" "$A" | grep -v "${TAB}old$TAB" > "$A.2"
	(cat "$A.2"; samples once 50) > "$B"
	same "once same" "$(changes "$A.2" "$B" | grep once)"
	# but with a single window there is nothing else to go by
	(head_line; samples a 5) > "$A"
	(head_line; samples a 5; samples once 50) > "$B"
	same "once new" "$(changes "$A" "$B" | grep once)"
	same "once gone" "$(changes "$B" "$A" | grep once)"
}

@test "--min-pct, --min and --alpha decide what counts" {
	(head_line; samples a 1000 1001 1002 1003 1004 1005 1006 1007) > "$A"
	(head_line; samples a 1015 1016 1017 1018 1019 1020 1021 1022) > "$B"
	same "15	1.50	0.000155	slower" "$(nsq-diff -q "$A" "$B" | col delta delta_pct p_value change)"
	same "a slower" "$(changes --min-pct 1.4 "$A" "$B")"
	same "a same" "$(changes --min-pct 1.6 "$A" "$B")"
	same "a slower" "$(changes --min 15 "$A" "$B")"
	same "a same" "$(changes --min 16 "$A" "$B")"
	same "a same" "$(changes --min 0.1us "$A" "$B")"
	same "a slower" "$(changes --min 0.01us "$A" "$B")"
	same "a slower" "$(changes --alpha 0.00016 "$A" "$B")"
	same "a unsure" "$(changes --alpha 0.00015 "$A" "$B")"
	same "a same" "$(changes --alpha 0.00016 "$A" "$A")"
}

@test "unsure: with so few samples not even complete separation would reach alpha, after the correction" {
	# 4 a side: 2/70 for one key, 4/70 for two
	(head_line; samples a 1 2 3 4) > "$A"
	(head_line; samples a 5 6 7 8) > "$B"
	same "0.0286	slower" "$(nsq-diff -q "$A" "$B" | col p_value change)"
	(cat "$A"; samples b 11 12 13 14) > "$A.2"
	(cat "$B"; samples b 15 16 17 18) > "$B.2"
	mentions "2 of 2 rows are unsure" "compare more windows, or fewer keys (--by)" -- nsq-diff "$A.2" "$B.2"
	same "0.0571 unsure 0.0571 unsure" "$(col p_value change <<<"$output" | xargs)"
	# three a side cannot: 2/20
	(head_line; samples a 1 2 3) > "$A"
	(head_line; samples a 5 6 7) > "$B"
	same "a unsure" "$(changes "$A" "$B")"
	# that holds too where equal samples make the approximation of p smaller than that
	(head_line; samples a 1 1 1) > "$A"
	(head_line; samples a 5 5 5) > "$B"
	same "0.0469	unsure" "$(nsq-diff -q "$A" "$B" | col p_value change)"
}

@test "with several traces on each side the median of each is one sample" {
	side() { head_line; for m in "$@"; do TRACE=run$m samples a $m $((m + 1)) $((m + 900)); done; }
	side 100 110 120 130 140 150 > "$A"
	side 200 210 220 230 240 250 > "$B"
	agree "$A" "$B"
	# medians 101 111 ... 151, of six the third
	same "6	6	121	221	0.00216	slower	-	-	-" "$(nsq-diff -q "$A" "$B" | col n_before n_after before after p_value change start_ns end_ns trace)"
	# one trace on a side: windows are the samples
	side 200 > "$B"
	agree "$A" "$B"
	same "18	3" "$(nsq-diff -q "$A" "$B" | col n_before n_after)"
	# ranks that have a trace each are no repetitions: there is one trace for each rank
	ranked() { head_line; for r in 0 1; do TRACE=rank$r samples a 1$r 2$r 3$r | sed "s/^7$TAB-/7$TAB$r/"; done; }
	ranked > "$A"
	agree "$A" "$A"
	same "3	3	20	0
3	3	21	1" "$(nsq-diff -q "$A" "$A" | col n_before n_after before rank | sort -k4)"
}

@test "rows cite the hull and the trace of what came after, and pipe on" {
	steps "$NODES" -m 'decode step' > "$A.w"
	steps "$EAGER" -m 'decode step' > "$B.w"
	nsq-kernels -q < "$A.w" > "$A"
	nsq-kernels -q < "$B.w" > "$B"
	run -0 nsq-diff -q "$A" "$B"
	hull=$(awk -F '\t' 'NR == 2 { a = $3 } NR > 1 { a = $3 < a ? $3 : a; b = $4 > b ? $4 : b } END { print a "\t" b }' "$B.w")
	same "-	$hull	-	$EAGER" "$(col pid start_ns end_ns window trace <<<"$output" | sort -u)"
	nsq-diff -q "$A" "$B" | nsq-setup -q | awk 'END { exit NR < 2 }'
	# GPUs that differ are not told apart, equal ones are
	nsq-gaps -q < "$B.w" > "$B"
	nsq-gaps -q < "$A.w" > "$A"
	same 0 "$(nsq-diff -q "$A" "$B" | col gpu)"
	awk -F '\t' -v OFS='\t' 'NR > 1 { $5 = 3 } 1' "$B" > "$B.3"
	mentions "the numbers in column 'gpu' differ" "--by gpu makes it one" -- nsq-diff "$A" "$B.3"
	same - "$(col gpu <<<"$output")"
	same "0 gone
3 new" "$(nsq-diff -q --by gpu "$A" "$B.3" | col gpu change | tr '\t' ' ' | sort)"
}

@test "a rank that one side lacks is new or gone, and does not count among the comparisons" {
	with_rank() { samples "$@" | sed "s/^7$TAB-/$1$TAB$1/"; }
	(head_line; with_rank 0 1 2 3 4; with_rank 1 1 2 3 4) > "$B"
	(head_line; with_rank 0 5 6 7 8) > "$A"
	sed -i "s/${TAB}[01]${TAB}w/${TAB}step${TAB}w/" "$A" "$B"
	agree "$A" "$B"
	agree "$B" "$A"
	same "0 4 4 6 2 0.0286 faster
1 0 4 - 2 - new" "$(nsq-diff -q "$A" "$B" | col rank n_before n_after before after p_value change | sort | tr '\t' ' ')"
	same "1 4 0 2 - - gone" "$(nsq-diff -q "$B" "$A" | col rank n_before n_after before after p_value change | tail -1 | tr '\t' ' ')"
	# of rows that differ by as much, the lower rank is first, whatever the order of the tables
	(head_line; tail -n +2 "$B" | tac) > "$B.tac"
	same "0 1" "$(nsq-diff -q "$B.tac" "$B.tac" | col rank | xargs)"
}

@test "processes are not told apart if the traces of a side do not have equally many" {
	(head_line; TRACE=one samples a 5 6; TRACE=two samples a 1 2; TRACE=two PID=8 samples a 3 4) > "$A"
	agree "$A" "$A"
	lacks "$(nsq-diff -q "$A" "$A" | head -1)" process
	# a GPU that only one side has: not told apart either
	(head_line; samples a 1 2 | sed "s/-${TAB}\([12]${TAB}a\)/0$TAB\1/") > "$A"
	(cat "$A"; samples a 1 2 | sed "s/-${TAB}\([12]${TAB}a\)/1$TAB\1/") > "$B"
	agree "$A" "$B"
	agree "$B" "$A"
	same - "$(nsq-diff -q "$A" "$B" | col gpu)"
	same - "$(nsq-diff -q "$B" "$A" | col gpu)"
}

@test "percent are of the size of what was before; the kernel that nsq-streams names for a stream is no key" {
	(head_line; samples a -100 -100) > "$A"
	(head_line; samples a -50 -50) > "$B"
	same "50	50.00" "$(nsq-diff -q "$A" "$B" | col delta delta_pct)"
	(OF=busy_ns head_line | sed 's/name/purpose\tname/'; samples "ep_a2a${TAB}one" 5 6) > "$A"
	(OF=busy_ns head_line | sed 's/name/purpose\tname/'; samples "ep_a2a${TAB}two" 5 6) > "$B"
	same "ep_a2a	5	5" "$(nsq-diff -q "$A" "$B" | col purpose before after)"
}

@test "a large change that counts as same says why: the windows of the two sides overlap" {
	(head_line; samples a 10000000 10100000 10200000 10300000 10400000 30000000 31000000 32000000 33000000) > "$A"
	(head_line; samples a 10050000 10150000 10250000 10350000 15800000 30500000 31500000 32500000 33500000) > "$B"
	mentions "'a' differs by +52 % but counts as same: windows overlap (10.0 to 33.0 ms before, 10.1 to 33.5 ms after; p 0.73)" \
		-- nsq-diff "$A" "$B"
	# clearly longer, or hardly longer: nothing to explain
	(head_line; samples a 15000000 15100000 15200000 15300000 15400000 15500000 15600000 15700000 15800000) > "$B"
	(head_line; samples a 10000000 10100000 10200000 10300000 10400000 10500000 10600000 10700000 10800000) > "$A"
	answers nsq-diff "$A" "$B"
	(head_line; samples a 10000100 10100100 10200100 10300100 10400100 10500100 10600100 10700100 10800100) > "$B"
	answers nsq-diff "$A" "$B"
}

@test "rows of nsq-metrics are told apart by their metric" {
	printf 'start_ns\tend_ns\tgpu\tmean\tmetric\twindow\n0\t9\t0\t1980.5\tGPC Clock [MHz]\ta#0\n0\t9\t0\t40.5\tSMs Active [%%]\ta#0\n' > "$A"
	same "1980.5	GPC Clock [MHz]
40.5	SMs Active [%]" "$(nsq-diff -q --of mean "$A" "$A" | col before metric | sort -r -n)"
}

@test "-H writes each value in the unit of its row" {
	run -0 nsq-diff -q -H -f table -m 'decode step' "$EAGER" "$NODES"
	holds "$(tr -s ' ' <<<"$output")" " 3.905 ms 816.028 us -3.089 ms -79.11 " "195 17 -178 -91.28 "
}

# ---- traces

# bats test_tags=more
@test "two traces: the parts of their steps, as put together from the tools that define them" {
	compared() {
		python3 "$TESTS/step_parts.py" "$1" --steady --period "${@:3}" > "$A"
		python3 "$TESTS/step_parts.py" "$2" --steady --period "${@:3}" > "$B"
		agree "$A" "$B" amount_ns
		columns="rank n_before n_after before after delta delta_pct p_value part"
		traces=$(nsq-diff -q "${@:3}" "$1" "$2" | col $columns | sort)
		[ "$(wc -l <<<"$traces")" -ge 10 ]
		same "$(nsq-diff -q --of amount_ns "$A" "$B" | col $columns | sort)" "$traces"
	}
	compared "$DUALPIPE" "$DUALPIPE_2023"
	same "0 1 2 3" "$(cut -f1 <<<"$traces" | sort -u | xargs)"
	more || return 0
	compared "$EAGER" "$NODES" -m 'decode step'
	compared "$NODES" "$NODES" -m 'decode step'
	compared "$DDP" "$DDP"
	holds "$(cut -f9 <<<"$traces" | sort -u | xargs)" exposed host launch launches matmul pointwise step turnaround
}

@test "eager against replayed decode: the step is faster by over 60 %, nearly all of it in host and launch" {
	run -0 nsq-diff -q -m 'decode step' "$EAGER" "$NODES"
	value() { where part "$1" <<<"$output" | col "$2"; }
	same "faster faster faster" "$(value step change) $(value host change) $(value launch change)"
	awk -v pct="$(value step delta_pct)" -v step="$(value step delta)" -v host="$(value host delta)" -v launch="$(value launch delta)" \
		'BEGIN { exit !(pct < -60 && (host + launch) / step > 0.85) }'
	same "less" "$(value launches change)"
	# in nanoseconds but for the launches
	same "-" "$(value launches unit)"
	same "ns" "$(grep -v launches <<<"$output" | col unit | sort -u)"
}

# bats test_tags=slow
@test "the answer is the same for any number of threads, and when nothing but the order of rows changed nothing differs" {
	want=$(nsq-diff -q -j 1 "$DDP" "$DDP")
	same "$want" "$(nsq-diff -q -j 4 "$DDP" "$DDP")"
	mixed=$(change "$DDP" "$(shuffling "$DDP")")
	same "$(without trace <<<"$want")" "$(nsq-diff -q "$DDP" "$mixed" | without trace)"
	same "same 0 1" "$(nsq-diff -q --alpha 0.5 "$DDP" "$mixed" | col change delta p_value | sort -u | tr '\t' ' ')"
}

@test "steps are those that are steady in both traces together, whether these are in memory together or one after the other" {
	# alone, the first step of the one is a warm-up: its period is 1.45 times that of the others; of both it is 1.22 times
	warm=$BATS_FILE_TMPDIR/run.sqlite
	python3 "$TESTS/generated_run.py" "$warm" steps=12 noise=0.001
	cold=$(change "$warm" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 393000, end = end + 393000 WHERE start > 875476;
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 393000, end = end + 393000 WHERE start >= 875476;
		UPDATE NVTX_EVENTS SET start = start + 393000, end = end + 393000 WHERE start >= 875476")
	holds "$(nsq-window --steady "$cold" 2>&1)" "skipped step 0 (warm-up"
	want=$(nsq-diff -j 8 "$cold" "$warm" 2>&1)
	same 11 "$(nsq-diff -q -j 8 "$cold" "$warm" | col n_before | sort -u)"
	same "$want" "$(nsq-diff -j 2 "$cold" "$warm" 2>&1)"
	same "$(nsq-diff -j 8 "$warm" "$cold" 2>&1)" "$(nsq-diff -j 2 "$warm" "$cold" 2>&1)"
}

# planted TRACE WHAT PART PCT: of a copy in which that takes 20 % longer, the part is slower by PCT; prints what else is.
# No part but those it is contained in (SUMS) differs by a nanosecond.
planted() {
	PLANTED=$BATS_TEST_TMPDIR/planted.sqlite
	python3 "$TESTS/plant.py" "$1" "$PLANTED" "$2" 1.2 > /dev/null
	nsq-diff -q -m 'decode step' "$1" "$PLANTED" > "$BATS_TEST_TMPDIR/diff"
	same "$3 $4 slower" "$(where part "$3" < "$BATS_TEST_TMPDIR/diff" | col part delta_pct change | tr '\t' ' ')" >&2
	[ "$(count < "$BATS_TEST_TMPDIR/diff")" -ge 12 ]
	col part delta change < "$BATS_TEST_TMPDIR/diff" | awk -F '\t' -v sums=" $3 $SUMS " '
		$2 != 0 && !index(sums, " " $1 " ") { print "not planted: " $0 }
		$3 != "same" { print $3, $1 }' | sort | grep -v " $3$" | xargs
}

# stretched TRACE PCT: a copy in which all times are longer by PCT.
stretched() {
	local tables
	tables=$(sql "$1" "SELECT name FROM sqlite_master WHERE name IN ('CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_MEMCPY',
		'CUPTI_ACTIVITY_KIND_MEMSET', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION', 'NVTX_EVENTS')")
	change "$1" "$(printf "UPDATE %s SET start = start * (100 + $2) / 100, end = end * (100 + $2) / 100;" $tables)"
}

# bats test_tags=more
@test "all parts change alike: a remark, and none where one part changed, or nothing did" {
	alike="as if clocks or machines differ; repeat the runs first"
	for pct in $(first_few 1 4 -4 12); do
		t=$(stretched "$NODES" $pct)
		run -0 --separate-stderr nsq-diff -m 'decode step' "$NODES" "$t"
		holds "$stderr" "nsq-diff: all parts changed by about $(printf %+d $pct) %, $alike"
		same "$pct.00" "$(where part step <<<"$output" | col delta_pct | awk '{ printf "%.2f", int($1 + ($1 > 0 ? .5 : -.5)) }')"
	done
	# of several processes
	run -0 --separate-stderr nsq-diff -v --alpha 0.9 "$DDP" "$(stretched "$DDP" 25)"
	holds "$stderr" "all parts changed by about +25 %, $alike"
	# one part, even if it is most of the change; and nothing
	for what in $(first_few 1 nvjet_sm90_tst_64x8_64x16_4x1_v_bz_NNT vectorized_layer_norm_kernel host); do
		python3 "$TESTS/plant.py" "$NODES" "$BATS_TEST_TMPDIR/planted.sqlite" $what 1.2 > /dev/null
		run -0 --separate-stderr nsq-diff -m 'decode step' "$NODES" "$BATS_TEST_TMPDIR/planted.sqlite"
		lacks "$stderr" "$alike"
	done
	run -0 --separate-stderr nsq-diff -m 'decode step' "$NODES" "$NODES"
	lacks "$stderr" "$alike"
	# tables of tools have no parts
	steps "$NODES" -m 'decode step' | nsq-kernels -q > "$A"
	steps "$t" -m 'decode step' | nsq-kernels -q > "$B"
	run -0 --separate-stderr nsq-diff "$A" "$B"
	lacks "$stderr" "$alike"
}

# parts PART BEFORE AFTER ...: two tables with the parts of nine steps, which vary by a thousandth.
parts() {
	head_line | sed 's/\tname\t/\tpart\t/' | tee "$A" > "$B"
	while [ $# -gt 0 ]; do
		samples "$1" $(awk -v m="$2" 'BEGIN { for (i = -4; i <= 4; i++) print int(m * (1 + i / 8000)) }') >> "$A"
		samples "$1" $(awk -v m="$3" 'BEGIN { for (i = -4; i <= 4; i++) print int(m * (1 + i / 8000)) }') >> "$B"
		shift 3
	done
}
# alike: the share by which all parts are said to have changed.
alike() { nsq-diff --by "${1:-part}" "$A" "$B" 2>&1 >/dev/null | sed -n 's/.*all parts changed by about \([^ ]*\) %.*/\1/p'; }

@test "parts are alike if nine tenths of their time changed as the step did, in three parts at least" {
	parts step 1000000 1100000 matmul 500000 550000 pointwise 300000 330000 host 200000 220000
	same +10 "$(alike)"
	parts step 1100000 1000000 matmul 550000 500000 pointwise 330000 300000 host 220000 200000
	same -9 "$(alike)"
	# a tenth of it may differ, but not more; nor may it be new
	parts step 1000000 1100000 matmul 500000 550000 pointwise 300000 330000 host 100000 111000 sync 99000 50000
	same +10 "$(alike)"
	parts step 1000000 1100000 matmul 500000 550000 pointwise 250000 275000 host 100000 111000 sync 150000 50000
	same "" "$(alike)"
	parts step 1000000 1100000 matmul 500000 550000 pointwise 250000 275000 host 100000 111000 sync 0 150000
	same "" "$(alike)"
	# one part that is most of the time is not all of them
	parts step 1000000 1096000 matmul 960000 1056000 pointwise 20000 20000 host 20000 20000
	same "" "$(alike)"
	parts step 1000000 1099000 matmul 980000 1078000 pointwise 9900 10890 host 9900 10890
	same "" "$(alike)"
	# of a small change, what hardly changed is not alike
	parts step 1000000 1012000 matmul 500000 510000 pointwise 250000 251000 host 250000 251000
	same "" "$(alike)"
	parts step 1000000 1012000 matmul 500000 506000 pointwise 250000 253000 host 250000 253000
	same +1 "$(alike)"
	# the sums of the others do not count
	parts step 1000000 1100000 matmul 1000000 1100000 exposed 400000 440000 launches 500000 550000
	same "" "$(alike)"
	# no step, or one that did not change
	parts matmul 500000 550000 pointwise 300000 330000 host 200000 220000
	same "" "$(alike)"
	parts step 1000000 1000000 matmul 500000 550000 pointwise 300000 330000 host 200000 220000
	same "" "$(alike)"
}

@test "parts are alike in all processes or not at all" {
	one="matmul 500000 550000 pointwise 300000 330000 host 200000 220000"
	parts step 1000000 1100000 $one
	cp "$A" "$A.7"
	cp "$B" "$B.7"
	PID=8 parts step 1000000 1100000 $one
	tail -n +2 "$A.7" >> "$A"
	tail -n +2 "$B.7" >> "$B"
	same +10 "$(alike process,part)"
	PID=8 parts step 1000000 1000100 $one
	tail -n +2 "$A.7" >> "$A"
	tail -n +2 "$B.7" >> "$B"
	same "same slower" "$(nsq-diff -q --by process,part "$A" "$B" | where part step | col change | sort | xargs)"
	same "" "$(alike process,part)"
	# three parts of each
	parts step 1000000 1100000 matmul 500000 550000 pointwise 500000 550000
	cp "$A" "$A.two"
	cp "$B" "$B.two"
	PID=8 parts step 1000000 1100000 matmul 500000 550000 pointwise 500000 550000
	tail -n +2 "$A.two" >> "$A"
	tail -n +2 "$B.two" >> "$B"
	same "" "$(alike process,part)"
	# it goes by the mean of the steps, so a part that follows only its own process is not alike
	PID=8 parts step 1000000 1500000 matmul 500000 750000 pointwise 300000 450000 host 200000 300000
	tail -n +2 "$A.7" >> "$A"
	tail -n +2 "$B.7" >> "$B"
	same "" "$(alike process,part)"
}

@test "planted: a kernel 20 % longer gives that kernel, and besides it only the sums that contain it" {
	SUMS="step"
	# a tenth of the time in which the GPU is busy, of steps that vary by 2 %: too little to be seen in the step
	same "" "$(planted "$NODES" vectorized_layer_norm_kernel reduction 5.64)"
	steps "$NODES" -m 'decode step' | nsq-kernels -q > "$A"
	steps "$BATS_TEST_TMPDIR/planted.sqlite" -m 'decode step' | nsq-kernels -q > "$B"
	same "vectorized_layer_norm_kernel 20.00 slower" "$(nsq-diff -q "$A" "$B" | col name delta_pct change | grep -v "${TAB}same" | tr '\t' ' ')"
	same "0" "$(nsq-diff -q "$A" "$B" | where change same | col delta | sort -u)"
	# one that takes three quarters of the time of its category
	same "slower step" "$(planted "$NODES" nvjet_sm90_tst_64x8_64x16_4x1_v_bz_NNT matmul 15.46)"
}

# bats test_tags=slow
@test "planted: one cause of idle time that grew gives that cause, and besides it only the sums that contain it" {
	SUMS="step"
	same "slower step" "$(planted "$EAGER" host host 20.00)"
	steps "$EAGER" -m 'decode step' | nsq-gaps -q --by cause > "$A"
	steps "$BATS_TEST_TMPDIR/planted.sqlite" -m 'decode step' | nsq-gaps -q --by cause > "$B"
	same "host slower" "$(nsq-diff -q "$A" "$B" | col cause change | grep -v "${TAB}same" | tr '\t' ' ')"
}

# bats test_tags=slow
@test "halves of one run differ in at most one of twenty, and a step 5 % longer is found in nine of ten" {
	n=8
	if more; then n=40; fi
	wrong=$((n / 40 + 1))
	run -0 "$TESTS/diff-errors" $n
	same 0 "$(col any_changed run <<<"$output" | awk -v wrong=$wrong '$1 > wrong && $2 !~ /-runs?$/' | wc -l)"
	same "ddp-2rank 7 $n $n
decode-graph-nodes 29 $n $n
generated 30 $n $n" "$(where part step <<<"$output" | col run a_side halves found | tr '\t' ' ')"
	# so is any part that varies little from step to step
	[ "$(col spread_pct found <<<"$output" | awk '$1 != "-" && $1 < 5' | wc -l)" -ge 8 ]
	same "" "$(col spread_pct found part run <<<"$output" | awk -v n=$n '$1 != "-" && $1 < 5 && $2 < 0.9 * n')"
	# without the correction it would be one in ten and more
	if more; then same "ddp-2rank decode-graph-nodes generated" "$(where part step <<<"$output" | col uncorrected run | awk '$1 >= 4 { print $2 }' | xargs)"; fi
	# two runs of the same code differ as runs do; six of each show that this is not the code
	[ "$(where run 1-run <<<"$output" | col any_changed)" -ge $((n * 3 / 4)) ]
	[ "$(where run 6-runs <<<"$output" | col any_changed)" -le $wrong ]
}

# ---- what is wrong

@test "two traces whose steps are not the same kind: -m is asked for" {
	fails 2 "the steps of '$NODES' are ranges 'decode step', those of '$DUALPIPE' are chunks" "choose the same in both with -m REGEX" \
		-- nsq-diff -q "$NODES" "$DUALPIPE"
	python3 "$TESTS/generated_run.py" "$BATS_TEST_TMPDIR/run.sqlite" steps=12
	fails 2 "are ranges 'iteration #'" "are ranges 'step #'" -- nsq-diff -q "$DDP" "$BATS_TEST_TMPDIR/run.sqlite"
	run -0 --separate-stderr nsq-diff -q -m '^(iteration|step) ' "$DDP" "$BATS_TEST_TMPDIR/run.sqlite"
	same "11" "$(where part step <<<"$output" | col n_after)"      # the last of 12 has no period
	# -m that one of them does not have
	run -0 --separate-stderr nsq-diff -m 'decode step' "$NODES" "$DDP"
	holds "$stderr" "nothing to compare: '$DDP' has no step that another follows"
	same "0 part" "$(count <<<"$output") $(head -1 <<<"$output" | grep -o part)"
}

@test "traces that were captured differently are compared with one note that names what differs" {
	captured() { nsq-diff -v "$@" 2>&1 >/dev/null | sed -n 's/.*were captured differently.*: //p'; }
	same "capture.graphs 'Node' and 'Graph'" "$(captured "$NODES" "$FIXTURES/decode-graph-whole.sqlite")"
	same "nsys.version '2025.3.2.0' and '2023.4.4.54', capture.graphs 'Node' and 'Graph'" "$(captured "$DUALPIPE" "$FIXTURES/dualpipe-pp2ep2-nsys2023.sqlite")"
	same "capture.memory_usage 'true' and 'false', capture.gpu_metrics_hz 'false' and '10000'" "$(captured "$FIXTURES/train.sqlite" "$FIXTURES/train-metrics.sqlite")"
	same "" "$(captured "$FIXTURES/train.sqlite" "$FIXTURES/train-allocs.sqlite")"
	# options that are not stated are not known, events that were not asked for are
	t=$(change "$FIXTURES/train-metrics.sqlite" "DROP TABLE META_DATA_CAPTURE")
	same "" "$(captured "$FIXTURES/train.sqlite" "$t")"
	t=$(change "$FIXTURES/train.sqlite" "INSERT INTO META_DATA_CAPTURE (name, value) VALUES ('CAPTURE_EVENT_TYPE', 'OSRuntime')")
	same "capture.traced 'Cuda NvtxEvents' and 'Cuda NvtxEvents OSRuntime'" "$(captured "$FIXTURES/train.sqlite" "$t")"
}

@test "a table and a trace, tables of two tools, and columns that are not there" {
	nsq-gaps -q "$NODES" > "$A"
	nsq-gaps -q --by cause "$NODES" > "$B"
	fails 2 "'$NODES' is a trace and '$A' a table" -- nsq-diff "$A" "$NODES"
	fails 2 "'$B' has a column 'cause' and '$A' has none" "or name the keys with --by" -- nsq-diff "$A" "$B"
	fails 2 "'$B' has a column 'cause' and '$A' has none" -- nsq-diff "$B" "$A"
	run -0 nsq-diff -q --by gpu "$A" "$B"
	fails 2 "'--of idel_ns': '$A' has no such column, did you mean 'idle_ns'?" -- nsq-diff --of idel_ns "$A" "$A"
	fails 2 "'--by cause': '$A' has no such column" -- nsq-diff --by cause "$B" "$A"
	fails 2 "'--by '" -- nsq-diff --by gpu, "$A" "$A"
	fails 2 "'--by pid': no two runs have these in common" -- nsq-diff --by pid "$A" "$A"
	fails 2 "'--by idle_ns': this is what is compared" -- nsq-diff --by idle_ns "$A" "$A"
	fails 2 "'--by' names 'cause' twice" -- nsq-diff --by cause,cause "$B" "$B"
	fails 2 "cause is 'load', not a number" -- nsq-diff --of cause --by gpu "$B" "$B"
	nsq-setup -q "$NODES" > "$A"
	fails 2 "have no column in common that is usually compared; choose one with --of COL" -- nsq-diff "$A" "$A"
	run -0 nsq-diff -q --of kernels "$A" "$A"
	# more usual keys than a key can have
	tr ' ' '\t' <<<"ctx stream comm op bytes part class category stage purpose cause kind src dst metric domain phase call owner where producer thread nvtx source path bus_gbps total_ns" > "$A"
	sed 's/[^\t]*/1/g' "$A" >> "$A"
	fails 2 "would be column 25 of the key" "choose its columns with --by" -- nsq-diff "$A" "$A"
	fails 2 "'bus_gbps' would be column 25 of the key" -- nsq-diff --by "$(head -1 "$A" | tr '\t' ',' | sed 's/,thread\|,total_ns//g')" "$A" "$A"
	fails 2 "'-m' has no effect on tables" -- nsq-diff -m x "$A" "$A"
	fails 2 "'--of dur_ns' has no effect on traces" -- nsq-diff --of dur_ns "$NODES" "$NODES"
	fails 2 "BEFORE AFTER" -- nsq-diff "$A"
	fails 2 "BEFORE AFTER" -- nsq-diff "$A" "$A" "$A"
	fails 1 "'/nowhere.sqlite'" -- nsq-diff -q "$NODES" /nowhere.sqlite
	fails 1 "'/nowhere.tsv'" -- nsq-diff "$A" /nowhere.tsv
	for bad in "--alpha 2" "--alpha -1" "--alpha x" "--min-pct x" "--min-pct -1" "--min 5parsec" "--min -1"; do
		fails 2 "'${bad#* }'" -- nsq-diff $bad "$A" "$A"
	done
}

@test "a trace without CUDA events: exit 3" {
	bare=$(change "$COMPILE" "$(drop_tables "$COMPILE" 'CUPTI_ACTIVITY*')")
	run --separate-stderr nsq-diff -q "$COMPILE" "$bare"
	same "3 " "$status $output"
	holds "$stderr" "'$bare' holds no CUDA events"
}

@test "what the rows of a table are by is a key of it" {
	for of in gaps:cause gaps:nvtx stalls:part stalls:producer stalls:stage ledger:owner ledger:where ledger:name overlap:stage kernels:category api:class mem:kind mem:call; do
		nsq-${of%:*} -q --by "${of#*:}" "$NODES" > "$A"
		same "$of" "$of$(nsq-diff -q --of "$(head -1 "$A" | tr '\t' '\n' | grep -m 1 '^\(dur\|idle\|absent\|exposed\|total\)_ns$')" "$A" "$A" | head -1 | tr '\t' '\n' | grep -qx "${of#*:}" || echo ' is no key')"
	done
}

@test "nsq help diff names every column that makes a key, and every measure" {
	keys=$(grep -oE 'KEY\("[a-z]*"|\{ "[a-z]*", COLUMN_KEY' "$TESTS/../lib/table/column_about.c" | grep -o '"[a-z]*"' | tr -d '"' | sort -u)
	[ "$(wc -w <<<"$keys")" -ge 15 ]
	help=$(nsq help diff | sed -n '/^\*\*Keys/p')
	for key in $keys; do [ "$key" = part ] || holds "$help" "$key"; done
	holds "$(nsq help diff)" "$(sed -n '/ measures\[\] = {/,/NULL/p' "$TESTS/../lib/answer/diff_plan.c" | grep -o '"[a-z_]*"' | tr -d '"' | xargs)"
}

# split BEFORE AFTER: nsq-diff --split of two tables of nsq-kernels, worked out anew.
split() {
	python3 - "$1" "$2" <<-'END'
		import csv, sys
		sides = []
		for path in sys.argv[1:]:
		    rows = list(csv.DictReader(open(path), delimiter="\t"))
		    windows = {(r["trace"], r["pid"], r["window"]) for r in rows}
		    names = {}
		    for r in rows:
		        c = names.setdefault((r.get("category", "-"), r["name"]), [0, 0])
		        c[0] += int(r["count"]) / len(windows)
		        c[1] += int(r["total_ns"]) / len(windows)
		    sides.append(names)
		before, after = sides
		alone = {}
		for key in set(before) ^ set(after):
		    alone.setdefault((key[0], key in after), []).append(key)
		size = lambda key: -(before.get(key) or after.get(key))[1]
		for key in set(before) | set(after):
		    b, a = before.get(key), after.get(key)
		    ns = [int((x or [0, 0])[1] + .5) for x in (b, a)]
		    count = (a[0] / b[0] - 1) * ns[0] if a and b else 0
		    count = int(abs(count) + .5) * (1 if count > 0 else -1)
		    delta = ns[1] - ns[0]
		    other = 0 if a and b else delta
		    time = delta - count if a and b else 0
		    change = ("new" if a else "gone") if not (a and b) else "same" if not count and not time else \
		        ("more" if count > 0 else "fewer") if abs(count) > abs(time) else "slower" if time > 0 else "faster"
		    rivals = sorted(alone.get((key[0], not a), []), key=size) if not (a and b) else []
		    print("%.2f" % (b or [0])[0], "%.2f" % (a or [0])[0], *ns, delta, count, time, other, change, *key, rivals[0][1] if rivals else "-", sep="\t")
	END
}

@test "--split: the change of each kernel by its number and by the time of each, and other kernels beside those they replace" {
	cd "$BATS_TEST_TMPDIR"
	columns="count_before count_after before_ns after_ns delta_ns by_count_ns by_time_ns by_other_ns change category name instead"
	# one kernel of each step less, another one slower, a third under another name
	t=$(change "$FIXTURES/train.sqlite" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE shortName = (SELECT id FROM StringIds WHERE value = 'multi_tensor_apply_kernel') AND rowid % 3 = 0;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 700 WHERE shortName = (SELECT id FROM StringIds WHERE value = 'reduce_kernel');
		UPDATE StringIds SET value = 'fused_cat' WHERE value = 'CatArrayBatchedCopy'")
	for trace in "$FIXTURES/train.sqlite" "$t"; do
		nsq-window -q --pick all --steady --period "$trace" | nsq-kernels -q --by category,name > "${trace##*/}.$([ "$trace" = "$t" ] && echo after || echo before)"
	done
	want=$(split train.sqlite.before train.sqlite.after | sort)
	same "$want" "$(nsq-diff -q --split train.sqlite.before train.sqlite.after | col $columns | sort)"
	# traces: the kernels of their steady steps
	same "$want" "$(nsq-diff -q --split "$FIXTURES/train.sqlite" "$t" 2> /dev/null | col $columns | sort)"
	same "fewer multi_tensor_apply_kernel -,slower reduce_kernel -,gone CatArrayBatchedCopy fused_cat,new fused_cat CatArrayBatchedCopy" \
		"$(nsq-diff -q --split train.sqlite.before train.sqlite.after | col change name instead | grep -v ^same | sort -k1,1 | tr '\t' ' ' |
			awk '{ n[$1] = $0 } END { print n["fewer"] "," n["slower"] "," n["gone"] "," n["new"] }')"
	# the parts add up, and a trace against itself is the same
	nsq-diff -q --split train.sqlite.before train.sqlite.after | col delta_ns by_count_ns by_time_ns by_other_ns | awk '$1 != $2 + $3 + $4 { exit 1 }'
	same "same" "$(nsq-diff -q --split "$t" "$t" | col change | sort -u)"
	holds "$(nsq-diff --split train.sqlite.before train.sqlite.after 2>&1 > /dev/null)" "ms by their number" "ms by other ones"
	# ranges
	nsq-nvtx -q "$FIXTURES/train.sqlite" > ranges
	same "same" "$(nsq-diff -q --split ranges ranges | col change | sort -u)"
	nsq-setup -q "$t" > setup
	fails 2 "'--split' needs the columns count, total_ns and name" -- nsq-diff --split setup setup
	fails 2 "'--of' has no effect with '--split'" -- nsq-diff --split --of total_ns ranges ranges
}
