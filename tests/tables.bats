# Windows: specifications, tables of windows, and tools piped into each other.
load helper

# What nsq-overlap says about a window given as a specification, less the name of the window.
spec() { nsq-overlap --total "$@" | without window; }

# table ROW...: a window table with the given rows, cells separated by spaces.
table() { printf '%s\n' "$@" | tr ' ' '\t'; }

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

@test "a row outside the trace is left out with a note" {
	table 'start_ns end_ns window' '1000000000 2000000000 late' '230000000 280000000 early' > "$BATS_TEST_TMPDIR/w"
	mentions "1000000000..2000000000" "$(ask "$DUALPIPE" "SELECT min(a) || '..' || max(b) FROM procs")" -- \
		nsq-overlap --total -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same "early" "$(col window <<<"$output" | sort -u)"
}

@test "what is no window is refused" {
	for w in nonsense 5..3 3..3 1x..2x ..ms 1e3..2e3 '' 1..2..3; do
		fails 2 "'$w'" -- nsq-overlap -w "$w" "$DUALPIPE"
	done
}

@test "an event is in [A,B) when it starts before B and ends after A" {
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 AND class = 'comm' ORDER BY b - a DESC LIMIT 1")"
	each() { nsq-overlap -q --each -p 693 -w "$1" "$DUALPIPE" | col start_ns end_ns | sort | tr '\t\n' '. '; }
	holds "$(each "$((a - 5))..$((a + 1))")" "$a.$((a + 1)) "
	holds "$(each "$((b - 1))..$((b + 5))")" "$((b - 1)).$b "
	lacks "$(each "$((a - 5))..$a")" "$a."
	lacks "$(each "$b..$((b + 5))")" ".$b "
	# --inside: an event that fills the window is inside, one that sticks out is not
	inside() { nsq-overlap -q --inside --each -p 693 -w "$1" "$DUALPIPE" | col start_ns end_ns | tr '\t\n' '. '; }
	same "$a.$b " "$(inside "$a..$b")"
	same "" "$(inside "$((a + 1))..$b")"
	same "" "$(inside "$a..$((b - 1))")"
}

@test "an event without length counts where it starts" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = 20000000, end = 20000000;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = 20000000, end = 20000000; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL
		WHERE start < 21000000 AND end > 19000000")
	n=$(ask "$t" "SELECT count(*) FROM work WHERE a = 20000000")
	[ "$n" -gt 0 ]
	same "$n" "$(nsq-streams -w 20000000..20000100 "$t" | col copies)"
	same "$n" "$(nsq-streams -w 19999999..20000001 "$t" | col copies)"
	same "" "$(nsq-streams -q -w 19999000..20000000 "$t" | col copies)"
	same "" "$(nsq-streams -q -w 20000001..20000100 "$t" | col copies)"
}

@test "-w may be repeated: windows are answered in the order given, each alone" {
	local a b
	a=$(spec -w 230ms..280ms "$DUALPIPE")
	b=$(spec -w 100ms..250ms "$DUALPIPE")
	same "$a
$(rows <<<"$b")" "$(spec -w 230ms..280ms -w 100ms..250ms "$DUALPIPE")"
}

@test "--merge of windows that overlap counts once: it is the one window they make" {
	for tool in "nsq-overlap" "nsq-overlap --total" "nsq-overlap --each" "nsq-streams" "nsq-setup"; do
		same "$($tool -w 100ms..280ms "$DUALPIPE")" "$($tool --merge -w 200ms..280ms -w 100ms..250ms "$DUALPIPE")"
	done
}

@test "--merge of windows apart: sums are clipped to the union, the hull is cited, the union is the denominator" {
	local apart
	answers nsq-streams --merge -p 693 -w 100ms..150ms -w 250ms..300ms "$DUALPIPE"
	same "100000000${TAB}300000000" "$(col start_ns end_ns <<<"$output" | sort -u)"
	apart=$(nsq-streams -p 693 -w 100ms..150ms -w 250ms..300ms "$DUALPIPE")
	for stream in 7 32 36; do
		same "$(where stream $stream <<<"$apart" | sum busy_ns)" "$(where stream $stream <<<"$output" | sum busy_ns)"
	done
	col busy_ns busy_pct <<<"$output" |
		awk '{ want = sprintf("%.2f", 100.0 * $1 / 100000000) } $2 != want { print $0, want; bad = 1 } END { exit bad || NR != 3 }'
	nsq-overlap --total --merge -w 100ms..150ms -w 250ms..300ms "$DUALPIPE" |
		col both_ns compute_only_ns comm_only_ns copy_only_ns idle_ns |
		awk '$1 + $2 + $3 + $4 + $5 != 100000000 { print; bad = 1 } END { exit bad || NR != 4 }'
}

@test "--merge: an event that reaches into two windows counts as one" {
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 AND stream = 32 ORDER BY b - a DESC LIMIT 1")"
	answers nsq-streams --merge -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE"
	same "1${TAB}2000" "$(where stream 32 <<<"$output" | col kernels busy_ns)"
	same "2" "$(nsq-streams -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE" | where stream 32 | sum kernels)"
	answers nsq-overlap --each --merge -p 693 -w "$((a - 1))..$((a + 1000))" -w "$((b - 1000))..$((b + 1))" "$DUALPIPE"
	same "$a${TAB}$b${TAB}2000" "$(where stream 32 <<<"$output" | col start_ns end_ns dur_ns)"
}

@test "--merge keeps processes and traces apart" {
	answers nsq-overlap --total --merge -w 100ms..150ms -w 250ms..300ms "$DUALPIPE" "$DUALPIPE_2023"
	same 8 "$(count <<<"$output")"
	same "8" "$(col pid trace <<<"$output" | sort -u | wc -l)"
}

@test "a window table is found by the names of its columns, whatever else it holds" {
	local want
	want=$(nsq-overlap --total -p 694 -w 230ms..280ms "$DUALPIPE" | without window)
	table 'colour end_ns note start_ns pid' 'red 280000000 x 230000000 694' > "$BATS_TEST_TMPDIR/w"
	same "$want" "$(spec -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE")"
	same "$want" "$(spec -w - "$DUALPIPE" < "$BATS_TEST_TMPDIR/w")"
}

@test "a CSV table is read, with quotes" {
	printf '%s\n' 'pid,"start_ns",end_ns,window,trace' "694,230000000,280000000,\"a, \"\"b\"\"\",\"$DUALPIPE\"" > "$BATS_TEST_TMPDIR/w.csv"
	answers nsq-overlap --total < "$BATS_TEST_TMPDIR/w.csv"
	same "$(nsq-overlap --total -p 694 -w 230ms..280ms "$DUALPIPE" | without window)" "$(without window <<<"$output")"
	same 'a, "b"' "$(col window <<<"$output")"
}

@test "pid - and an empty pid mean all processes" {
	for pid in - ''; do
		printf 'pid\tstart_ns\tend_ns\n%s\t230000000\t280000000\n' "$pid" > "$BATS_TEST_TMPDIR/w"
		same "$(spec -w 230ms..280ms "$DUALPIPE")" "$(spec -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE")"
	done
}

@test "-p and -g intersect with the windows of a table" {
	same "$(nsq-window "$DUALPIPE" | nsq-overlap | where pid 695)" "$(nsq-window "$DUALPIPE" | nsq-overlap -p 695)"
	nsq-window -p 695 "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	run --separate-stderr nsq-overlap -p 693 < "$BATS_TEST_TMPDIR/w"
	same "0 1" "$status ${#lines[@]}"
}

@test "a table without its header is an nsq table that was cut" {
	same "$(nsq-window "$DUALPIPE" | nsq-overlap)" "$(nsq-window "$DUALPIPE" | rows | nsq-overlap)"
	same "$(nsq-window "$DUALPIPE" | nsq-streams | where pid 694)" "$(nsq-window "$DUALPIPE" | grep '^694' | nsq-streams)"
}

@test "a header line is recognised wherever it stands" {
	same "$(nsq-window "$DUALPIPE" | nsq-overlap)" "$(nsq-window "$DUALPIPE" | sort | nsq-overlap)"
	same "$(nsq-window "$DUALPIPE" "$DUALPIPE_2023" | nsq-overlap)" \
		"$({ nsq-window "$DUALPIPE"; nsq-window "$DUALPIPE_2023"; } | nsq-overlap)"
}

@test "tables of different shapes may follow each other" {
	same "$({ nsq-window "$DUALPIPE" | nsq-overlap --total; nsq-overlap --total "$DUALPIPE_2023" | rows; } | without window)" \
		"$({ nsq-window "$DUALPIPE"; nsq-streams "$DUALPIPE_2023" | where class compute; } | nsq-overlap --total | without window)"
}

@test "lines that end in CR LF are read, and blank lines skipped" {
	same "$(nsq-window "$DUALPIPE" | nsq-overlap)" "$(nsq-window "$DUALPIPE" | sed 's/$/\r/; a \\r' | nsq-overlap)"
	same "$(spec -w 230ms..280ms "$DUALPIPE")" "$(printf 'start_ns,end_ns\r\n230000000,280000000\r\n' | spec -w - "$DUALPIPE")"
}

@test "escapes in names and traces survive a pipe" {
	cp "$COMPILE" "$BATS_TEST_TMPDIR/odd	name, \"with\" back\\slash.sqlite"
	cd "$BATS_TEST_TMPDIR"
	sqlite3 odd* "UPDATE NVTX_EVENTS SET text = 'a' || char(9) || 'b' || char(10) || 'c\\d' || char(13) || 'é | , \"q\"' WHERE text = 'step 5'"
	nsq-window --pick all -m '^a' odd* > w
	same 2 "$(wc -l < w)"
	same 'a\tb\nc\\d\ré | , "q"#0' "$(col window < w)"
	same 'odd\tname, "with" back\\slash.sqlite' "$(col trace < w)"
	same "$(col start_ns end_ns window trace < w)" "$(nsq-streams < w | col start_ns end_ns window trace)"
	same "$(nsq-streams < w)" "$(nsq-window -f csv --pick all -m '^a' odd* | nsq-streams)"
}

@test "a header without rows gives a header without rows, never the default window" {
	nsq-window -q -m 'no such range' "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	mentions "no rows" -- nsq-overlap < "$BATS_TEST_TMPDIR/w"
	same "$(nsq-overlap --columns | col name | tr '\n' '\t' | sed 's/\t$//')" "$output"
	run --separate-stderr nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same "0 1" "$status ${#lines[@]}"
	[ -n "$stderr" ]
	printf 'start_ns,end_ns\n' > "$BATS_TEST_TMPDIR/w.csv"
	run --separate-stderr nsq-streams -w "$BATS_TEST_TMPDIR/w.csv" "$DUALPIPE"
	same "0 1" "$status ${#lines[@]}"
}

@test "empty input is refused" {
	fails 2 "empty" -- nsq-overlap < /dev/null
	fails 2 "empty" -- nsq-overlap -w - "$DUALPIPE" < /dev/null
	fails 2 "empty" "'/dev/null'" -- nsq-overlap -w /dev/null "$DUALPIPE"
	echo > "$BATS_TEST_TMPDIR/blank"
	fails 2 "empty" -- nsq-overlap < "$BATS_TEST_TMPDIR/blank"
}

@test "a table without the columns is refused" {
	table 'begin end' '1 2' > "$BATS_TEST_TMPDIR/w"
	fails 2 "start_ns and end_ns" "line 1" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	printf 'begin,end\n1,2\n' > "$BATS_TEST_TMPDIR/w"
	fails 2 "start_ns and end_ns" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	echo 'hello' > "$BATS_TEST_TMPDIR/w"
	fails 2 "start_ns and end_ns" -- nsq-overlap < "$BATS_TEST_TMPDIR/w"
}

@test "a row that is no window is refused, naming its line" {
	table 'start_ns end_ns' '1 2' '1 x' > "$BATS_TEST_TMPDIR/w"
	fails 2 "line 3" "'x'" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	table 'start_ns end_ns' '5 2' > "$BATS_TEST_TMPDIR/w"
	fails 2 "line 2" "5..2" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	table 'pid start_ns end_ns' 'me 1 2' > "$BATS_TEST_TMPDIR/w"
	fails 2 "line 2" "'me'" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
}

@test "a table piped in without a trace column needs the trace on the command line" {
	table 'start_ns end_ns' '230000000 280000000' > "$BATS_TEST_TMPDIR/w"
	fails 2 "names no trace" -- nsq-overlap < "$BATS_TEST_TMPDIR/w"
}

@test "a row that names another trace is refused" {
	nsq-window "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	fails 2 "$DUALPIPE" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE_2023"
	fails 2 "$DUALPIPE" -- nsq-overlap -w - "$DUALPIPE_2023" < "$BATS_TEST_TMPDIR/w"
}

@test "a trace is the same under another path" {
	cd "$FIXTURES"
	same "$(nsq-window dualpipe-pp2ep2.sqlite | nsq-overlap)" \
		"$(nsq-window "$DUALPIPE" | nsq-overlap -w - ./../fixtures/dualpipe-pp2ep2.sqlite | sed 's|\./\.\./fixtures/||')"
}

@test "windows piped in are the same windows as those given with -w" {
	nsq-window "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	for tool in "nsq-overlap" "nsq-overlap --each" "nsq-overlap --total" "nsq-streams"; do
		$tool < "$BATS_TEST_TMPDIR/w" | without window > "$BATS_TEST_TMPDIR/piped"
		col pid start_ns end_ns < "$BATS_TEST_TMPDIR/w" |
			while read -r pid a b; do $tool -p "$pid" -w "$a..$b" "$DUALPIPE" | without window; done |
			awk 'NR == 1 { head = $0; print; next } $0 != head' > "$BATS_TEST_TMPDIR/given"
		diff "$BATS_TEST_TMPDIR/given" "$BATS_TEST_TMPDIR/piped"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/piped")" -gt 4 ]
	done
}

@test "the name of the window is copied to every row" {
	same "$(nsq-window "$DUALPIPE" | col pid window)" "$(nsq-window "$DUALPIPE" | nsq-overlap | col pid window | uniq)"
	same "-" "$(nsq-overlap "$DUALPIPE" | col window | sort -u)"
	table 'start_ns end_ns window' '230000000 280000000 mine' > "$BATS_TEST_TMPDIR/w"
	same "mine" "$(nsq-streams -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE" | col window | sort -u)"
}

@test "windows of several traces go through one pipe" {
	cd "$FIXTURES"
	for t in dualpipe*.sqlite ddp-2rank.sqlite; do nsq-window -q "$t" | nsq-overlap -q; done |
		awk 'NR == 1 { head = $0; print; next } $0 != head' > "$BATS_TEST_TMPDIR/apart"
	nsq-window -q dualpipe*.sqlite ddp-2rank.sqlite | nsq-overlap -q > "$BATS_TEST_TMPDIR/together"
	diff "$BATS_TEST_TMPDIR/apart" "$BATS_TEST_TMPDIR/together"
	same 3 "$(col trace < "$BATS_TEST_TMPDIR/together" | sort -u | wc -l)"
}

@test "rows of a trace that stand apart are answered with that trace, in order" {
	{ nsq-window -p 693 "$DUALPIPE"; nsq-window -p 1250 "$DUALPIPE_2023"; nsq-window -p 694 "$DUALPIPE"; } > "$BATS_TEST_TMPDIR/w"
	same "693
694
1250" "$(nsq-overlap --total < "$BATS_TEST_TMPDIR/w" | col pid)"
}

@test "the worst kernels, sorted and cut by other programs, are windows" {
	answers bash -c "nsq-overlap --each '$DUALPIPE' | sort -t '$TAB' -k10,10nr | head -3 | nsq-streams"
	ask "$DUALPIPE" "SELECT pid, a, b FROM comms ORDER BY b - a - hidden DESC LIMIT 3" |
		while read -r pid a b; do nsq-streams -p "$pid" -w "$a..$b" "$DUALPIPE" | rows; done > "$BATS_TEST_TMPDIR/want"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/want")" -ge 3 ]
	same "$(cat "$BATS_TEST_TMPDIR/want")" "$(rows <<<"$output")"
}

@test "the CPU side of a window chooses the ranges, the GPU side the work" {
	nsq-window -p 693 "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	local a b ca cb
	read -r a b ca cb <<<"$(col start_ns end_ns cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w")"
	same "$(ask "$DUALPIPE" "SELECT (SELECT count(*) FROM work WHERE pid = 693 AND kind = 'kernel' AND a < $b AND b > $a),
			(SELECT count(*) FROM ranges WHERE pid = 693 AND a < $cb AND b > $ca)")" \
		"$(nsq-setup < "$BATS_TEST_TMPDIR/w" | col kernels ranges)"
	same "0" "$(nsq-setup -p 693 -w "$a..$b" "$DUALPIPE" | col ranges)"
	# what is written without the CPU columns has one side only
	same "0" "$(without cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w" | nsq-setup | col ranges)"
}

@test "-n keeps the first rows of each window and says how many were left out" {
	local all
	all=$(nsq-window "$DUALPIPE" | nsq-overlap)
	run --separate-stderr bash -c "nsq-window '$DUALPIPE' | nsq-overlap -n 2"
	same "$(awk -F '\t' 'NR == 1 || n[$1]++ < 2' <<<"$all")" "$output"
	holds "$stderr" "nsq-overlap: " "$(($(count <<<"$all") - 8)) "
	answers bash -c "nsq-window '$DUALPIPE' | nsq-overlap -n 1000"
	same "$all" "$output"
}

@test "a pid in a table that the trace does not have is left out with a note" {
	table 'pid start_ns end_ns' '42 230000000 280000000' '693 230000000 280000000' > "$BATS_TEST_TMPDIR/w"
	mentions "42" -- nsq-overlap --total -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same 693 "$(col pid <<<"$output")"
}
