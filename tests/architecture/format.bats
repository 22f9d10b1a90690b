# Every file has the one form that `make format` gives it.
load ../helper

@test "the sources have the form that make format gives them" {
	same "" "$("$TESTS/../share/format" --check)"
}

@test "what is not in that form is found, and put right" {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p lib tests/fixtures
	printf 'int a; \n  \tint b;\r\nint c;' > lib/x.c
	printf 'left as it is \r' > tests/fixtures/y.md
	run env NSQ_FORMAT=. "$TESTS/../share/format" --check
	same 1 "$status"
	same "$(printf '%s\n' 'lib/x.c:1: blanks at its end' 'lib/x.c:2: ends in CR' 'lib/x.c:2: blanks before a tab' \
		'lib/x.c: no newline at its end')" "$output"
	NSQ_FORMAT=. "$TESTS/../share/format"
	same "$(printf 'int a;\n\tint b;\nint c;\n.')" "$(cat lib/x.c; printf .)"
	same "$(printf 'left as it is \r.')" "$(cat tests/fixtures/y.md; printf .)"
	NSQ_FORMAT=. "$TESTS/../share/format" --check
}

@test "lines of C are at most 120 columns wide; in tests those that are wider do not become more" {
	cd "$BATS_TEST_TMPDIR"
	line=$(printf '\t%0112d' 0)
	yes "$line" | head -1 > x.c
	NSQ_FORMAT=. "$TESTS/../share/format" --check
	yes "${line}0" | head -1 > x.c
	run env NSQ_FORMAT=. "$TESTS/../share/format" --check
	same 1 "$status"
	same "x.c:1: 121 columns, more than 120" "${lines[0]}"
}
