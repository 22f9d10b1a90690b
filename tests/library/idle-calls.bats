# Of the calls of a process that keeps its GPUs busy most say nothing about idle time.
load ../helper

@test "calls are left out only if no GPU of their process is idle from the call before them to the one after" {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/idle-calls" "$TESTS/library/idle-calls.c" \
		"$NSQ_BUILD/libnsq.a" -lsqlite3 -lm -lpthread
	same "0 that matter are missed, few of the others are kept
in order
not in order" "$("$BATS_TEST_TMPDIR/idle-calls")"
}
