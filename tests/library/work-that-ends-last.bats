# Where a path begins: the work that ends last, of several the one that starts last, and of these the first.
load ../helper

@test "the work that ends last is found as by looking at all of it" {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/last" \
		"$TESTS/library/work-that-ends-last.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lm -lpthread
	same "0 differ, at some moments there is none" "$("$BATS_TEST_TMPDIR/last")"
}
