# Nothing is too long to read in one sitting: functions have at most 60 lines, from the brace in the first
# column that opens them to the one that closes them, and tools have 30 to 100 lines.
load ../helper

# long_functions LINES FILE...: "file:line: lines" for every function that has more.
long_functions() {
	local most=$1
	shift
	awk -v most="$most" '/^\{/ { from = FNR } /^\}/ { if (from && FNR - from + 1 > most) print FILENAME ":" from ": " FNR - from + 1 " lines"; from = 0 }' "$@"
}

@test "no function is longer than 60 lines" {
	cd "$TESTS/.."
	same "" "$(long_functions 60 lib/*/*.[ch] tools/*.c $(find tests bench -name '*.c' | sort))"
}

@test "a tool has at most 100 lines" {
	cd "$TESTS/.."
	same "" "$(for f in tools/*.c; do n=$(wc -l < "$f"); [ "$n" -le 100 ] || echo "$f: $n lines"; done)"
}

@test "a function that is too long is found" {
	{ echo "int f(void)"; echo "{"; seq -f '	g(%g);' 58; echo "}"; } > "$BATS_TEST_TMPDIR/x.c"
	same "" "$(long_functions 60 "$BATS_TEST_TMPDIR/x.c")"
	{ echo "int f(void)"; echo "{"; seq -f '	g(%g);' 59; echo "}"; } > "$BATS_TEST_TMPDIR/x.c"
	same "$BATS_TEST_TMPDIR/x.c:2: 61 lines" "$(long_functions 60 "$BATS_TEST_TMPDIR/x.c")"
}
