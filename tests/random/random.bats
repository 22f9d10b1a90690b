# The tools against a brute-force reading of random traces; see brute.py.
# RANDOM_SEEDS=500 compares more of them, RANDOM_SECONDS=300 as many as fit into that time.
load ../helper

@test "random traces: the tools agree with a brute-force reading" {
	if [ -n "${RANDOM_SECONDS-}" ]; then
		"$BATS_TEST_DIRNAME/brute.py" --seconds "$RANDOM_SECONDS"
	elif [ -n "${RANDOM_SEEDS-}" ]; then
		"$BATS_TEST_DIRNAME/brute.py" --seeds "$RANDOM_SEEDS"
	else            # a slow machine, or AddressSanitizer, gets through fewer
		"$BATS_TEST_DIRNAME/brute.py" --seeds 100 --seconds 30
	fi
}

@test "random traces: the same where processes share a pid" {
	"$BATS_TEST_DIRNAME/brute.py" --same-pid --first 5000 --seeds "${RANDOM_SEEDS-15}" --seconds "${RANDOM_SECONDS-10}"
}

@test "random traces: the hard cases occur in them" {
	run "$BATS_TEST_DIRNAME/brute.py" --seeds 20 --stats
	[ "$status" -eq 0 ]
	for what in 'crossing ranges' 'ranges of equal start' 'ranges of no length' 'ranges never closed' 'events before 0' \
		'works of equal start' 'works without a launch' 'works that share a call' 'ids of several calls' \
		'works that --adopt moves' 'calls inside calls' 'gaps: sync' 'gaps: memory' 'gaps: launch' 'gaps: host'; do
		grep -Eq "^ *[1-9][0-9]* $what" <<<"$output" || { echo "none: $what"; return 1; }
	done
}
