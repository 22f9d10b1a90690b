# What a cell of the timeline shows is found by searching; it is compared with looking at every piece of work.
# bats file_tags=slow
load ../helper

@test "busy time, counts, the longest piece and the one at a moment, of random pieces that overlap" {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/band" "$TESTS/tui/band.c" \
		"$NSQ_BUILD/libnsq.a" -lm -lpthread
	same "" "$("$BATS_TEST_TMPDIR/band" "${SEED:-1}")"
}
