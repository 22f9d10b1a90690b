# Tests about the tests.  bats stops at the first command that fails, but not at one that ! turns around:
# such a line cannot fail unless it is the last of its test.  Write `if ...; then false; fi`, or use `run`.
load ../helper

# What becomes of a test does not depend on whether bats notes the places of commands (tests/run-file).  Where a command that
# fails did not end a test, it would not end this one either, but exit does.
# bats test_tags=long
@test "a test fails where a command does, also in a function, and where it ends early" {
	sed 's/^test/@test/; s/^tags/# bats test_tags/' > "$BATS_TEST_TMPDIR/some.bats" <<-END
		load $TESTS/helper
		setup_file() { export EXPORTED=1; }
		teardown() { [ -z "\$broken" ]; }
		helper() { [ "\$1" = 1 ]; echo "went on"; }
		test "good" { helper "\$EXPORTED"; run -1 false; same "\$(false; echo 1)" 1; [ "\$BATS_TEST_NUMBER" = 1 ]; changed=1; }
		test "a command" {
			echo before
			false
			true
		}
		test "a function" { helper 2; }
		test "a loop" { for i in 1 2; do [ \$i = 2 ]; done; }
		test "a substitution" { x=\$(false); true; }
		test "a code" { run -0 false; true; }
		test "an end" { exit 0; }
		test "what comes after" { broken=1; }
		test "unknown" { no-such-command; true; }
		tags=slow
		test "left out" { false; }
		test "skipped" { skip "a reason"; }
		test "alone" { [ -z "\$changed" ]; [ -z "\$(ls -A "\$BATS_TEST_TMPDIR")" ]; : > "\$BATS_TEST_TMPDIR/it"; }
		test "alone too" { [ -z "\$(ls -A "\$BATS_TEST_TMPDIR")" ]; : > "\$BATS_TEST_TMPDIR/it"; }
	END
	cd "$BATS_TEST_TMPDIR"
	judged() { grep -E '^(not )?ok|^1\.\.' <<<"$1"; }
	run -1 "$TESTS/run-file" --filter-tags '!slow' some.bats
	failed=$(printf '%s\n' "not ok 2 a command" "not ok 3 a function" "not ok 4 a loop" "not ok 5 a substitution" "not ok 6 a code" \
		"not ok 7 an end" "not ok 8 what comes after" "not ok 9 unknown")
	same "$(printf '%s\n' 1..12 "ok 1 good" "$failed" "ok 10 skipped # skip a reason" "ok 11 alone" "ok 12 alone too")" \
		"$(judged "$(grep -v '^# again: ' <<<"$output")")" || exit 1
	# the second run, with the lines
	again=$(sed -n 's/^# again: //p' <<<"$output")
	same "$failed" "$(judged "$again")" || exit 1
	same "$(printf '%s\n' "not ok 2 a command" "# (in test file some.bats, line 8)" "#   \`false' failed" "# before" \
		"not ok 3 a function" "# (from function \`helper' in file some.bats, line 4," "#  in test file some.bats, line 11)" \
		"#   \`test \"a function\" { helper 2; }' failed")" \
		"$(sed 's/@test/test/' <<<"$again" | sed '/^not ok 4/,$d')" || exit 1
}

@test "no line of a test begins with !" {
	same "" "$(cd "$TESTS" && awk '/^[ \t]*! / { print FILENAME ":" FNR ": " $0 }' */*.bats *.bash)"
}

# Of `a && b` only b can fail a test.
@test "no assertion stands before &&" {
	same "" "$(cd "$TESTS" && awk '/^\t+\[.*\] && \[.*\]$/ && !/\|\|/ { print FILENAME ":" FNR ": " $0 }' */*.bats)"
}

@test "every test file is in a folder, and says in its first line what it tests" {
	same "" "$(cd "$TESTS" && ls *.bats 2>/dev/null)"
	for f in "$TESTS"/*/*.bats; do
		echo "$f"
		head -1 "$f" | grep -q '^# .'
	done
}

# What was explained of a line that is gone explains nothing.
@test "every mutant changes a line that is there, and names a test file" {
	run "$TESTS/mutants/run" --check
	same "" "$output"
	same 0 "$status"
}

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
