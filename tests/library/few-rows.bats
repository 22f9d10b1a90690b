# Rows that a table would not keep need not be made.
load ../helper

@test "of a table that keeps few rows, those that are beyond them are known before they are made" {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/few-rows" "$TESTS/library/few-rows.c" \
		"$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lm -lpthread
	same "3 of 3 are the same, few were made
3 of 3 are the same, few were made" "$("$BATS_TEST_TMPDIR/few-rows")"
}
