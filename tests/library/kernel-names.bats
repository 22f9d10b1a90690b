# The function of a demangled kernel name is the short name that nsys wrote beside it, in every fixture.
load ../helper

@test "the names of functions are the short names of nsys" {
	build libnsq.a
	cc $NSQ_CFLAGS -D_GNU_SOURCE -fno-pie -no-pie -I"$TESTS/../lib" -o "$BATS_TEST_TMPDIR/names" "$TESTS/library/kernel-names.c" "$NSQ_BUILD/libnsq.a"
	for t in "$FIXTURES"/*.sqlite; do
		sql "$t" "SELECT DISTINCT d.value, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds d ON d.id = k.demangledName
			JOIN StringIds s ON s.id = k.shortName"
	done | sort -u > "$BATS_TEST_TMPDIR/list"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/list")" -gt 50 ]
	same "" "$("$BATS_TEST_TMPDIR/names" < "$BATS_TEST_TMPDIR/list")"
	# and a range before it changes nothing
	same "" "$(sed 's|^|layer 3/a(b/|' "$BATS_TEST_TMPDIR/list" | "$BATS_TEST_TMPDIR/names")"
	same "wrong, not right: void n::wrong<int>(T)" "$(printf 'void n::wrong<int>(T)\tright\n' | "$BATS_TEST_TMPDIR/names")"
}
