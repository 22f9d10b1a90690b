# How far a long run is: shown on a terminal after two seconds, and nowhere else.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/progress" \
		"$TESTS/library/progress.c" "$NSQ_BUILD/libnsq.a"
}

# on_terminal COMMAND...: what it writes to a terminal.
on_terminal() { python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" < /dev/null | tr '\r\033' 'R^'; }

@test "progress is shown on a terminal after two seconds, not too often, and wiped away" {
	needs_terminal
	same "Rnsq-test: writing, 50 %^[KRnsq-test: writing, 99 %^[KR^[K" "$(on_terminal "$BATS_FILE_TMPDIR/progress")"
	same "" "$(on_terminal "$BATS_FILE_TMPDIR/progress" -q)"
	same "" "$("$BATS_FILE_TMPDIR/progress" 2>&1)"
}
