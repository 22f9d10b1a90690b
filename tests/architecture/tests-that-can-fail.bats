# Tests about the tests.  A test stops at the first command that fails, but not at one that ! turns around:
# such a line cannot fail unless it is the last of its test.  Write `if ...; then false; fi`, or use `run`.
load ../helper

@test "a test fails where a command does, also in a function, and where it ends early" {
	sed 's/^test/@test/; s/^tags/# bats test_tags/' > "$BATS_TEST_TMPDIR/some.bats" <<-'END'
		helper() { [ "$1" = 1 ]; echo "went on"; }
		teardown() { [ -z "$broken" ]; }
		test "good" { helper 1; [ "$(false; echo 1)" = 1 ]; run -1 false; run ! false; run --separate-stderr cat nothing; [ -n "$stderr" ]; }
		test "a command" {
			echo before
			false
			true
		}
		test "a function" { helper 2; }
		test "a substitution" { x=$(false); }
		test "a code" { run -0 false; }
		test "no code" { run ! true; }
		test "an end" { exit 0; }
		test "what comes after" { broken=1; }
		test "unknown" { no-such-command 2> /dev/null; }
		tags=slow
		test "left out" { false; }
		test "skipped" { skip "a reason"; }
	END
	printf '%s\n' 'setup_file() { eval "$DO"; }' '@''test "never" { true; }' > "$BATS_TEST_TMPDIR/none.bats"
	cd "$BATS_TEST_TMPDIR"
	run -1 "$TESTS/run" --filter-tags '!slow' some.bats
	same "$(printf '%s\n' 1..10 "ok 1 good" "not ok 2 a command" "# $PWD/some.bats:6" "# before" "not ok 3 a function" "# $PWD/some.bats:1" \
		"# $PWD/some.bats:9" "not ok 4 a substitution" "# $PWD/some.bats:10" "not ok 5 a code" "not ok 6 no code" "not ok 7 an end" \
		"not ok 8 what comes after" "not ok 9 unknown" "# $PWD/some.bats:15" "ok 10 skipped # skip a reason")" \
		"$(grep -v "^# $TESTS\|bats:1[12]$" <<<"$output")"
	DO=false run -1 "$TESTS/run" none.bats
	holds "$output" "not ok 1 setup_file"
	same "1..0 # skip a reason" "$(DO='skip "a reason"' "$TESTS/run" none.bats)"
	run -1 "$TESTS/run" missing.bats
	same "1..1 ok 1 good" "$("$TESTS/run" -f goo some.bats | paste -sd ' ')"
	same "1..1 not ok 1 left out" "$("$TESTS/run" --filter-tags slow some.bats | head -2 | paste -sd ' ')"
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

@test "every mutant names a test file and a source file that exist" {
	cd "$TESTS/.."
	for list in tests/mutants/*.txt; do
		while read -r file; do
			echo "$file"
			[ -f "$file" ]
		done < <(sed -n 's/^file: //p; s/^killed by: //p' "$list" | sort -u)
	done
}

# What was explained of a line that is gone explains nothing.
@test "every mutant changes a line that is there" {
	cd "$TESTS/.."
	for list in tests/mutants/*.txt; do
		while IFS= read -r line; do
			case $line in
			"file: "*) file=${line#file: } ;;
			-*) echo "$file: ${line#-}" && grep -qxF -- "${line#-}" "$file" ;;
			esac
		done < "$list"
	done
}
