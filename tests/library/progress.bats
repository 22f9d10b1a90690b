# How far a long run is: shown on a terminal after a second, and nowhere else.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/progress" \
		"$TESTS/library/progress.c" "$NSQ_BUILD/libnsq.a"
}

# on_terminal COMMAND...: what it writes to a terminal.
on_terminal() { python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "$@" < /dev/null | tr '\r\033' 'R^'; }

@test "progress is shown on a terminal after a second: what is done, how far or how long; wiped away for words and at the end" {
	needs_terminal
	export COLUMNS=60
	same "Rnsq-test: reading, 1 s^[KRnsq-test: writing, 50 %, 1 s^[KRnsq-test: writing, 99 %, 1 s^[KR^[Knsq-test: a word
Rnsq-test: writing, 99 %, 1 s^[KR^[KRnsq-test: the \x1b[2J of a… is wide, or so, 2 s^[KR^[K" "$(on_terminal "$BATS_FILE_TMPDIR/progress" | sed 's/R$//')"
	same "" "$(on_terminal "$BATS_FILE_TMPDIR/progress" -q)"
	same "nsq-test: a word" "$("$BATS_FILE_TMPDIR/progress" 2>&1 < /dev/null)"
}
