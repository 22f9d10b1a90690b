# -w A..B: units, missing ends, what is cut to the trace and what is refused.
load ../helper

@test "A..B takes nanoseconds, or units on either end" {
	local want
	want=$(spec -w 230000000..280000000 "$DUALPIPE")
	same 5 "$(wc -l <<<"$want")"
	for w in 230ms..280ms 230..280ms 230ms..280 0.23s..0.28s 0.23..0.28s 230ms..280.0 230000us..280000us 230000000ns..280000000ns \
		230ms..0.28s 230000..280000us 230.000ms..280.0000ms; do
		same "$want" "$(spec -w "$w" "$DUALPIPE")"
	done
}

@test "decimals count to the nanosecond" {
	same "230000001${TAB}280123457" "$(spec -w 230.000001ms..0.280123457s -p 693 "$DUALPIPE" | col start_ns end_ns)"
	fails 2 "'1.5ns..9'" -- nsq-overlap -w 1.5ns..9 "$DUALPIPE"
	fails 2 "'1.0000001ms..9ms'" -- nsq-overlap -w 1.0000001ms..9ms "$DUALPIPE"
}

@test "a missing end is that end of the default window" {
	same "$(ask "$DUALPIPE" "SELECT pid, 230000000, gb FROM procs")" \
		"$(spec -w 230ms.. "$DUALPIPE" | col pid start_ns end_ns)"
	same "$(ask "$DUALPIPE" "SELECT pid, ga, 230000000 FROM procs")" \
		"$(spec -w ..230ms "$DUALPIPE" | col pid start_ns end_ns)"
	same "$(spec "$DUALPIPE")" "$(spec -w .. "$DUALPIPE")"
	same "$(ask "$DUALPIPE" "SELECT pid, 230000000, b FROM procs")" \
		"$(nsq-setup -w 230ms.. "$DUALPIPE" | col pid start_ns end_ns)"
}

@test "a window is cut to the events of the trace and shown cut" {
	same "$(ask "$DUALPIPE" "SELECT pid, (SELECT min(a) FROM procs), (SELECT max(b) FROM procs) FROM procs")" \
		"$(spec -w 0..1000s "$DUALPIPE" | col pid start_ns end_ns)"
	# the same for the row of a table
	same "$(spec -w 0..1000s "$DUALPIPE")" "$(table 'start_ns end_ns' '0 1000000000000' | spec -w - "$DUALPIPE")"
}

@test "A..B outside the trace is refused, naming both ranges" {
	fails 2 "'1s..2s'" "$DUALPIPE" "1000000000..2000000000" \
		"$(ask "$DUALPIPE" "SELECT min(a) || '..' || max(b) FROM procs")" -- nsq-overlap -w 1s..2s "$DUALPIPE"
	fails 2 "1000000000" -- nsq-overlap -w 1s.. "$DUALPIPE"
	fails 2 "'..5ms'" -- nsq-overlap -w ..5ms "$DUALPIPE"
	# half open: the trace ends where this window begins
	fails 2 "outside" -- nsq-overlap -w "$(ask "$DUALPIPE" "SELECT max(b) FROM procs").." "$DUALPIPE"
}

@test "what is no window is refused" {
	fails 2 "window '2.4..2.5' needs a unit (ns us ms s), as in '2.4..2.5s'" -- nsq-overlap -w 2.4..2.5 "$DUALPIPE"
	for w in nonsense 5..3 3..3 1x..2x ..ms 1e3..2e3 '' 1..2..3; do
		fails 2 "'$w'" -- nsq-overlap -w "$w" "$DUALPIPE"
	done
}

@test "-w may be repeated: windows are answered in the order given, each alone" {
	local a b
	a=$(spec -w 230ms..280ms "$DUALPIPE")
	b=$(spec -w 100ms..250ms "$DUALPIPE")
	same "$a
$(rows <<<"$b")" "$(spec -w 230ms..280ms -w 100ms..250ms "$DUALPIPE")"
}
