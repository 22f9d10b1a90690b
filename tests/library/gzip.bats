# Compressing: what comes back is what went in, and the bytes do not depend on how they were written.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/gzip" \
		"$TESTS/library/gzip.c" "$NSQ_BUILD/libnsq.a" -lz -lpthread
}

setup() {
	PROGRAM=$BATS_FILE_TMPDIR/gzip
	cd "$BATS_TEST_TMPDIR"
}

@test "inputs of all sizes and kinds come back, in whatever pieces they are written" {
	for size in 0 1 65535 65536 1000000; do
		head -c $size /dev/urandom > random
		yes '{"ph":"X","ts":8242571.872}' | head -c $size > alike
		for kind in random alike; do
			"$PROGRAM" < $kind > one.gz
			gzip -t one.gz
			cmp $kind <(gzip -dc one.gz)
			cmp one.gz <("$PROGRAM" 100003 < $kind)
		done
	done
	[ "$(wc -c < one.gz)" -lt 10000 ]
}

@test "a stream that cannot be written to keeps its error" {
	head -c 3000000 /dev/urandom > random
	run bash -c '"$0" < random > /dev/full' "$PROGRAM"
	[ "$status" != 0 ]
}
