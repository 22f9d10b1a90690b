# Modules of the library, each asked directly: many small cases in one program (unit.h).
load ../helper

# bats test_tags=long
@test "the cases of intervals, sorting, statistics, strings, windows, gaps, waits, words and children" {
	build units
	run "$NSQ_BUILD/units" "$TESTS/dependencies/chain.awk" "$BATS_TEST_TMPDIR"
	[ "$status" -eq 0 ] || { grep -v '^ok ' <<<"$output"; return 1; }
	same "${lines[0]#1..}" "$(grep -c '^ok ' <<<"$output")"
}
