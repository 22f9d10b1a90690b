# The benchmark: it runs every tool on the trace it makes, and that trace is what it claims to be.
load ../helper

# bats test_tags=slow
@test "the benchmark runs every tool on the trace it makes" {
	cc -O1 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/measure" "$TESTS/../bench/measure.c"
	RANKS=4 MEASURE=$BATS_TEST_TMPDIR/measure run "$TESTS/../bench/run" 1 "$BATS_TEST_TMPDIR"
	[ "$status" -eq 0 ]
	for t in setup window streams overlap gaps nvtx kernels api mem metrics; do
		holds "$output" "nsq-$t "
	done
	holds "$output" "nsq-window, no NVTX " "nsq-export, 5 s " "4 ranks --stragglers "
	[[ "$(nsq-window "$BATS_TEST_TMPDIR/nsq-bench-1-no-nvtx.sqlite" 2>&1 >/dev/null)" == *"repeats of a kernel sequence"* ]]
}

# bats test_tags=slow
@test "a command that fails ends the benchmark, which names it" {
	cc -O1 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/measure" "$TESTS/../bench/measure.c"
	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$(command -v nsq-window)" "$BATS_TEST_TMPDIR/bin"
	ln -s "$(command -v false)" "$BATS_TEST_TMPDIR/bin/nsq-setup"
	NSQ_BIN=$BATS_TEST_TMPDIR/bin MEASURE=$BATS_TEST_TMPDIR/measure run --separate-stderr "$TESTS/../bench/run" 1 "$BATS_TEST_TMPDIR"
	[ "$status" -ne 0 ]
	holds "$stderr" "nsq-setup $BATS_TEST_TMPDIR/nsq-bench-1.sqlite failed"
	lacks "$output" "nsq-setup "
}

# bats test_tags=slow
@test "what the benchmark's trace holds is what its fixtures do, repeated" {
	"$TESTS/../bench/generate" "$BATS_TEST_TMPDIR/b.sqlite" 1
	t=$BATS_TEST_TMPDIR/b.sqlite
	half="(SELECT max((SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL), (SELECT max(end) FROM CUPTI_ACTIVITY_KIND_RUNTIME)) / 2)"
	of_half() { sql "$DDP" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_$1 WHERE start < $half AND end <= $half"; }
	same "$((8 * 1508 + 4 * 12096 + $(of_half KERNEL)))" "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")"
	same "$((8 * 13981 + 4 * 3471 + $(of_half RUNTIME)))" "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")"
	same "$((4 * 180 + $(of_half MEMCPY)))" "$(($(nsq-mem -q --by pid "$t" | sum count) - $(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET")))"
	same "100.00" "$(nsq-setup -q "$t" | col launched_pct | sort -u)"
}

# bats test_tags=slow
@test "the trace of metrics holds those of its fixture, repeated, and answers alike with any number of threads" {
	"$TESTS/../bench/metrics" "$BATS_TEST_TMPDIR/m.sqlite" 1
	t=$BATS_TEST_TMPDIR/m.sqlite
	same "$((9 * 22 * 783))" "$(sql "$t" "SELECT count(*) FROM GPU_METRICS WHERE timestamp >= 0")"
	same "$((9 * 808))" "$(nsq-kernels -q --by pid "$t" | sum count)"
	# nine times the same values, so the same means
	same "$(nsq-metrics "$FIXTURES/train-metrics.sqlite" | col mean p50 p90 max metric)" "$(nsq-metrics "$t" | col mean p50 p90 max metric)"
	cd "$BATS_TEST_TMPDIR"
	mkdir library
	{ echo "PRAGMA encoding = 'UTF-16le';"; sqlite3 m.sqlite .dump; } | sqlite3 library/m.sqlite
	for command in nsq-metrics "nsq-metrics --each -m Tensor" "nsq-metrics --by nvtx,name"; do
		one=$($command -q -j 1 m.sqlite | md5sum)
		same "$one" "$($command -q -j 7 m.sqlite | md5sum)"
		same "$one" "$(cd library && $command -q -j 2 m.sqlite | md5sum)"
	done
}

# Small traces are not worth a thread; this one is.
# bats test_tags=slow
@test "a large trace: the same for any number of threads, and from the library" {
	"$TESTS/../bench/generate" "$BATS_TEST_TMPDIR/b.sqlite" 1
	cd "$BATS_TEST_TMPDIR"
	mkdir library
	if more; then { echo "PRAGMA encoding = 'UTF-16le';"; sqlite3 b.sqlite .dump; } | sqlite3 library/b.sqlite; fi
	while read -r command; do
		echo "$command"
		$command -q -j 1 b.sqlite > one
		$command -q -j 61 b.sqlite | cmp - one          # many places where one part ends and another begins
		more || continue
		$command -q -j 3 b.sqlite | cmp - one
		(cd library && $command -q -j 2 b.sqlite) | cmp - one
	done <<-END
		nsq-setup
		nsq-window
		nsq-streams
		nsq-overlap
		nsq-overlap --total
		nsq-gaps
		nsq-gaps --by cause,nvtx
		nsq-nvtx
		nsq-nvtx --adopt --phases llm
		nsq-kernels --by nvtx,name
		nsq-api --by thread,name
		nsq-api --launch
		nsq-mem --by nvtx
		nsq-export
	END
}
