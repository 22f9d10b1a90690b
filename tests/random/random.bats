# The tools against a brute-force reading of random traces; see brute.py.
load ../helper

# agree FIRST COUNT MANY [OPTION...]: on the traces of so many seeds (see seeds in helper.bash).
agree() { "$TESTS/random/brute.py" --first "$(seeds "$@" | head -1)" --seeds "$(seeds "$@" | wc -l)" "${@:4}"; }

# bats test_tags=more
@test "random traces: the tools agree with a brute-force reading" {
	agree 8 2 200
}

# bats test_tags=more,slow
@test "random traces: the same where processes share a pid" {
	agree 5000 1 60 --same-pid
}

# bats test_tags=more,slow
@test "random traces: the same of a program that copies, computes and waits in steps" {
	agree 1 1 100 --loop
}

# A copy before the work that ends a gap between kernels; a copy between GPUs beside others; a data range that closes
# before one that it crosses; a window that is given twice.
# bats test_tags=more
@test "random traces: seeds that once differed" {
	"$TESTS/random/brute.py" --seed 159 --each-case
	more || return 0
	"$TESTS/random/brute.py" --seed 108
	"$TESTS/random/brute.py" --seed 5017 --same-pid
	"$TESTS/random/brute.py" --seed 20261123019 --same-pid
}

# bats test_tags=slow
@test "random traces: the hard cases occur in them" {
	run "$TESTS/random/brute.py" --loop --seeds 20 --stats
	[ "$status" -eq 0 ]
	for what in 'crossing ranges' 'ranges of equal start' 'ranges of no length' 'ranges never closed' 'events before 0' \
		'works of equal start' 'works without a launch' 'works that share a call' 'ids of several calls' \
		'works that --adopt moves' 'calls inside calls' 'gaps: sync' 'gaps: alloc' 'gaps: data' 'gaps: mpi' 'gaps: launch' 'gaps: host' \
		'synced gaps' 'gaps soon after a wait'; do
		grep -Eq "^ *[1-9][0-9]* $what" <<<"$output" || { echo "none: $what"; return 1; }
	done
}
