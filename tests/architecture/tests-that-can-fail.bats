# Tests about the tests.  bats stops at the first command that fails, but not at one that ! turns around:
# such a line cannot fail unless it is the last of its test.  Write `if ...; then false; fi`, or use `run`.
load ../helper

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
