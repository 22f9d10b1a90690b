# Compressing on several threads: what comes back is what went in, and the bytes are the same for any number of them.
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

# bats test_tags=slow
@test "inputs of all sizes around those of a block, of all kinds, on 1 to 5 threads" {
	block=524288
	sizes=(0 1 32767 $((block - 1)) $block $((block + 1)) $((3 * block + 12345)))
	if more; then sizes+=($((2 * block)) $((9 * block + 12345))); fi
	for size in "${sizes[@]}"; do
		head -c $size /dev/urandom > random
		yes '{"ph":"X","ts":8242571.872}' | head -c $size > alike
		python3 -c 'import sys; sys.stdout.write("".join("%d %x\n" % (i, i * i) for i in range(400000))[:int(sys.argv[1])])' $size > text
		for kind in random alike text; do
			"$PROGRAM" 1 < $kind > one.gz
			gzip -t one.gz
			cmp $kind <(gzip -dc one.gz)
			for threads in 2 3 5; do
				"$PROGRAM" $threads 100003 < $kind > more.gz
				cmp one.gz more.gz
			done
		done
	done
	# a block knows what was before it: what repeats at a distance is stored once, not once for each block
	head -c 30000 /dev/urandom > chunk
	for i in $(seq 100); do cat chunk; done > repeats
	[ "$("$PROGRAM" 2 < repeats | wc -c)" -lt 100000 ]
}

@test "a stream that cannot be written to keeps its error" {
	head -c 3000000 /dev/urandom > random
	run bash -c '"$0" 3 < random > /dev/full' "$PROGRAM"
	[ "$status" != 0 ]
}
