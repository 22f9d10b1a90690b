# The tree of ranges of nsq-tui, without a terminal: its rows are what nsq-nvtx and nsq-kernels say, and parts add up.
load ../helper
load ../small-traces

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/outline" \
		"$TESTS/tui/outline.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lz -lm -lpthread
}

setup() { cd "$BATS_TEST_TMPDIR"; }

outline() { "$BATS_FILE_TMPDIR/outline" "$@"; }

# agrees TRACE [OPTION...]: "compared" if every row is what the tools say, and parts are the whole.
agrees() { python3 "$TESTS/tui/outline.py" "$BATS_FILE_TMPDIR/outline" "$@"; }

# run_of_steps: two steps that hold a range in itself, one that launches nothing, a thread of the backward pass, a range
# that was started and ended, and a kernel in no range.
run_of_steps() {
	made "INSERT INTO S VALUES (9, 'gemm_b');
		INSERT INTO N VALUES (100, 200, 59, 'step 7', $P5 + 5, NULL, 0), (110, 150, 59, 'f', $P5 + 5, NULL, 0),
		(120, 140, 59, 'f', $P5 + 5, NULL, 0), (160, 190, 59, 'log', $P5 + 5, NULL, 0),
		(300, 500, 59, 'step 8', $P5 + 5, NULL, 0), (310, 350, 59, 'f', $P5 + 5, NULL, 0),
		(400, 450, 59, 'back', $P5 + 6, NULL, 0), (50, 900, 60, 'run 3', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (105, 106, $P5 + 5, 1, 2), (115, 116, $P5 + 5, 2, 2), (125, 126, $P5 + 5, 3, 2), (126, 127, $P5 + 5, 4, 2),
		(320, 321, $P5 + 5, 5, 2), (410, 411, $P5 + 6, 6, 2), (600, 601, $P5 + 5, 7, 2);
		INSERT INTO K VALUES (1000, 1100, 0, 1, 7, 1, $P5, 1, 1), (1200, 1400, 0, 1, 7, 2, $P5, 1, 1), (1500, 1501, 0, 1, 9, 3, $P5, 1, 1),
		(1600, 1900, 0, 1, 9, 4, $P5, 9, 9), (2000, 2500, 0, 1, 7, 5, $P5, 1, 1), (3000, 3700, 0, 1, 7, 6, $P5, 1, 1),
		(4000, 4010, 0, 1, 7, 7, $P5, 1, 1)"
}

@test "ranges of one name stand together and open into what is inside them, kernels, and each of them" {
	t=$(run_of_steps)
	same "step #
 f
  gemm
  f
   gemm_b
   gemm
  each
 gemm
 log
 each
back
-
run 3" "$(outline "$t" row 0 all names)"
	same "run 3
step #
 gemm
 f
 log
 back
 each
  step 7
  step 8
   f
    gemm
   back
    gemm
-" "$(outline "$t" adopt sort 2 row 1 open row 6 open row 8 open row 10 open row 9 open names)"
	same "no
no
step #" "$(outline "$t" row 0 close open row 3 open up close names | head -3)"
}

@test "every row is what nsq-nvtx and nsq-kernels say, and parts add up" {
	t=$(run_of_steps)
	same compared "$(agrees "$t")"
	same compared "$(agrees "$t" --adopt)"
	same compared "$(agrees "$TESTS/fixtures/train.sqlite" --adopt)"
}

@test "a search opens what it finds, single ranges by the digits of their names, and goes round" {
	t=$(run_of_steps)
	found() { outline "$t" "$@" | awk -F '\t' 'NF == 1 { print } NF > 1 { print $1, $NF }'; }
	same "1
range step # > step 8
0
none" "$(found find 'step 8' here this find 'no such' next)"
	same "6
kernels step # > f > gemm
kernels step # > f > f > gemm_b
kernels step # > f > f > gemm
kernels step # > gemm
kernels back > gemm
kernels - > gemm
kernels step # > f > gemm
kernels - > gemm
kernels back > gemm
kernels step # > gemm" "$(found find gemm next this next this next this next this next this next this next this previous this previous this previous this)"
	same "2
ranges step # > f > f
ranges step # > f
ranges step # > f
ranges step # > f > f" "$(found find '^f$' previous this previous this here this next this)"
}

@test "the place of a row: where its work runs, on the stream with most of it, or on the CPU" {
	t=$(run_of_steps)
	same "1000..1900 5 stream 9 gemm
3000..3700 5 stream 7 gemm
4000..4010 5 stream 7 gemm
50..900 5 stream -1 -
160..190 5 stream -1 -
2000..2500 5 stream 7 gemm
2000..3700 5 stream 7 gemm" "$(outline "$t" place row 1 place row 2 place row 3 place row 0 open at log place at each open at 'step 8' place
		outline "$t" adopt row 0 open at each open at 'step 8' place)"
}

@test "a replay of a captured graph opens into its kernels, which stand in the ranges around the capture by name" {
	local t=$TESTS/fixtures/graph-capture.sqlite ns
	read -r ns < <(outline "$t" captured find 'decode batch 4' next this | tail -1 | cut -f 12)
	same "$ns" "$(outline "$t" captured find 'decode batch 4' next open print | awk -F '\t' '$1 == "run" { sum += $12 } END { print sum }')"
	[ "$ns" -gt 0 ]
}

@test "another window keeps open what is open" {
	t=$(run_of_steps)
	same "$(nsq-nvtx -q --tree -w 300..3000 "$t" | col gpu_incl_ns name | sed 's/step #/step 8/; s/run #/run 3/')" \
		"$(outline "$t" row 0 all window 300..3000 print | grep ^ranges | awk -F '\t' '{ print $12 "\t" $(NF - 1) }')"
	same "step 8
 f
  gemm" "$(outline "$t" at 'step #' all window 300..3000 names | head -3)"
}

# bats test_tags=slow
@test "every row of every fixture is what nsq-nvtx and nsq-kernels say" {
	for t in "$TESTS"/fixtures/*.sqlite "$(crowded)"; do
		[ "$t" != "$DDP" ] || continue
		for options in "" --adopt --captured; do
			same compared "$(agrees "$t" $options)"
		done
	done
	from=$(nsq-overlap -q --total "$DUALPIPE" | col start_ns | head -1)
	same compared "$(agrees "$DUALPIPE" --adopt -w "$((from + 3000000))..$((from + 9000000))")"
}

# bats test_tags=slow
@test "a tree of 3,000 levels, and one of 100,000 ranges side by side" {
	t=$(made "INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999) SELECT i, 10000 - i, 59, 'f', $P5, NULL, 0 FROM n;
		INSERT INTO R VALUES (4000, 4001, $P5, 1, 2); INSERT INTO K VALUES (5000, 5100, 0, 1, 7, 1, $P5, 1, 1)")
	same compared "$(agrees "$t")"
	same "3001 2999 gemm" "$(outline "$t" all names | wc -l) $(outline "$t" find gemm next up this | tail -1 | cut -f 2) $(outline "$t" find gemm next this | tail -1 | cut -f 18)"
	t=$(made "INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
		SELECT 10 * i, 10 * i + 1 + i * 37 % 9, 59, 'layer ' || i || char(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676 % 26, 97 + i / 17576), $P5, NULL, 0 FROM n")
	same "$(nsq-nvtx -q --tree "$t" | col name | head -100)" "$(outline "$t" names | sed 's/[0-9][0-9]*/#/' | head -100)"
	same 100000 "$(outline "$t" names | wc -l)"
}

# bats test_tags=slow
@test "random traces, whose ranges cross: every row by name is what nsq-nvtx and nsq-kernels say" {
	for seed in $(seq 1 10); do
		python3 -B -c "import sys; sys.path.insert(0, '$TESTS/random'); import generate
generate.Generator($seed, $((seed % 3 == 0))).make().write('$seed.sqlite')"
		same compared "$(agrees $seed.sqlite --crossing)"
		same compared "$(agrees $seed.sqlite --crossing --adopt)"
	done
}
