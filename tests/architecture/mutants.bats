# The lists of make mutants fit the sources, so that it does not stop after a quarter of an hour, or say nothing.
load ../helper

# bats test_tags=slow
@test "every mutant of the lists can be made" {
	run "$TESTS/mutants/run" --check
	same "" "$output"
	same 0 "$status"
}

# bats test_tags=slow
@test "a mutant that the sources no longer have is named" {
	mkdir -p "$BATS_TEST_TMPDIR/tests/mutants"
	cp "$TESTS/mutants/run" "$BATS_TEST_TMPDIR/tests/mutants"
	printf '%s\n' 'mutant: nothing is added' 'file: lib/base/gone.c' '-x' '+y' > "$BATS_TEST_TMPDIR/tests/mutants/list.txt"
	printf '%s\n' 'mutant: 1 becomes 2' 'file: tests/mutants/run' '-no such line' '+y' 'why: equivalent' > "$BATS_TEST_TMPDIR/tests/mutants/survivors.txt"
	run "$BATS_TEST_TMPDIR/tests/mutants/run" 1 0
	same 1 "$status"
	same "stale      lib/base/gone.c: nothing is added: there is no such file; change or remove it in tests/mutants/list.txt
stale      tests/mutants/run: 1 becomes 2: its line stands there 0 times: no such line; change or remove it in tests/mutants/survivors.txt" "$output"
}
