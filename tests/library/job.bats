# Who waits for whom, on jobs that are written out: a line for each case of job.c.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -Wl,--wrap=mem_grow -o "$BATS_FILE_TMPDIR/job" \
		"$TESTS/library/job.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lm -lpthread
	"$BATS_FILE_TMPDIR/job" > "$BATS_FILE_TMPDIR/said"
}

# says LINE...: these are among what is said.
says() { for line; do grep -qxF -- "$line" "$BATS_FILE_TMPDIR/said" || { echo "not said: $line"; cat "$BATS_FILE_TMPDIR/said"; return 1; }; done; }

@test "operations of two processes are the same if they run at the same time, to 20 us" {
	says '20 us late: 0' '21 us late: none' '20 us early: 0' '21 us early: none'
}

@test "nine of ten that run at the same time are enough" {
	says '1 of 10 apart: 0' '2 of 10 apart: none'
}

@test "the ends decide where one process has fewer operations; as many are the same ones" {
	says 'as many, one later: 0' 'one fewer, one later: 1'
}

@test "of processes that come last at the same moment the first is named, and each that came last names itself" {
	says 'equal arrivals: 1 1 2'
}

@test "a clock is believed to be wrong if the captures then share half of what they could" {
	says '5 of 12 in common, a second off: shifted by 0 ms' '6 of 12 in common, a second off: shifted by -1000 ms'
}

@test "an operation that is impossible by a clock counts twice against it" {
	says '8 of 13 in common, a second off: shifted by -1000 ms' '8 of 13 in common, one impossible, a second off: shifted by 0 ms'
}

@test "steps that are all alike do not make a clock wrong that contradicts nothing" {
	says 'ten alike, 3 later: shifted by 0 ms'
}

@test "clocks are aligned along what is shared most" {
	says "two ways: t3 against 't2'"
}

@test "a process that names several peers does not say which rank the other has" {
	says 'peers 0 and -1: b b' 'peers 0 and 1: b b -'
}

@test "an array by name is as large as what is written to it, also if another thread adds a name meanwhile" {
	says 'by name: 2 names, none, untouched behind it'
	same "" "$(cd "$TESTS/.." && grep -nE 'memset\(.*names\.n\>' lib/*/*.c)"        # str_array asks how many there are, once
}

@test "one report matches the operations of its traces once, whoever asks, and of a trace by itself where that is shown" {
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -Wl,--wrap=job_name_procs -o "$BATS_TEST_TMPDIR/matches" \
		"$TESTS/library/matches.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lz -ljansson -lcmark-gfm-extensions -lcmark-gfm -lncursesw -ltinfo -lm -lpthread
	cd "$BATS_TEST_TMPDIR"
	# the longest rank is shown, and one of middle length beside it
	same "1 1 4" "$(./matches of-4 "$TESTS"/fixtures/collectives-rank[0-3].sqlite | sort -n | paste -sd" ")"
	same 1 "$(./matches of-1 "$TESTS/fixtures/collectives-rank0.sqlite")"
}
