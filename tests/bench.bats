#!/usr/bin/env bats
load helper

@test "the benchmark runs every tool on the trace it makes" {
	cc -O1 -D_GNU_SOURCE -o "$BATS_TEST_TMPDIR/measure" "$TESTS/../bench/measure.c"
	MEASURE=$BATS_TEST_TMPDIR/measure run "$TESTS/../bench/run" 1 "$BATS_TEST_TMPDIR"
	[ "$status" -eq 0 ]
	for t in setup window streams overlap gaps nvtx kernels api mem; do
		holds "$output" "nsq-$t "
	done
}

@test "what the benchmark's trace holds is what its fixtures do, repeated" {
	"$TESTS/../bench/generate" "$BATS_TEST_TMPDIR/b.sqlite" 1
	t=$BATS_TEST_TMPDIR/b.sqlite
	same "$((8 * 1508 + 4 * 12096 + 4640))" "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")"
	same "$((8 * 13981 + 4 * 3471 + 12622))" "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME")"
	same "$((4 * 180 + 528))" "$(nsq-mem -q --by pid "$t" | awk -F'\t' 'NR > 1 { n += $5 } END { print n - m }' m="$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET")")"
	same "100.00" "$(nsq-setup -q "$t" | col launched_pct | sort -u)"
}
