# The rank test, the correction for several comparisons, and medians, against the same by definition.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/rank-test" \
		"$TESTS/library/rank-test.c" "$NSQ_BUILD/libnsq.a" -lm -lpthread
}
setup() { PROGRAM=$BATS_FILE_TMPDIR/rank-test; }

# bats test_tags=slow
@test "p, its least, the median and Holm's correction are those of their definitions" {
	run -0 oracle rank_test "$PROGRAM"
	same "138 cases agree" "$output"
}

@test "p is what textbooks print" {
	# R: wilcox.test(c(1.1,2.2,3.3,0.4,5.5), c(6,7,8,9.5,10))$p.value is 2/252; with one pair the other way 4/252
	same "0.00793650793651 0.00793650793651 2.2 8" "$("$PROGRAM" <<<"1.1 2.2 3.3 0.4 5.5 | 6 7 8 9.5 10" | cut -d' ' -f1-4)"
	same "0.015873015873" "$("$PROGRAM" <<<"1.1 2.2 3.3 0.4 6.5 | 6 7 8 9.5 10" | cut -d' ' -f1)"
	same "1" "$("$PROGRAM" <<<"3 3 3 3 | 3 3 3 3" | cut -d' ' -f1)"
}
