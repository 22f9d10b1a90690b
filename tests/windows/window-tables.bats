# Window tables: found by the names of their columns, as TSV or CSV, cut or whole, from a file or a pipe.
load ../helper

@test "a row outside the trace is left out with a note" {
	table 'start_ns end_ns window' '1000000000 2000000000 late' '230000000 280000000 early' > "$BATS_TEST_TMPDIR/w"
	mentions "1000000000..2000000000" "$(ask "$DUALPIPE" "SELECT min(a) || '..' || max(b) FROM procs")" -- \
		nsq-streams -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same "early" "$(col window <<<"$output" | sort -u)"
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
	answers nsq-overlap -q --total < "$BATS_TEST_TMPDIR/w.csv"
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
	same 'a\tb\nc\\d\ré | , "q"#0' "$(col window < w | sed 's/@.*//')"
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
	# what is said helps: a slice has another name, and the same times
	fails 2 "for a slice of that trace, cut the column trace out of the table or say -w A..B" -- nsq-overlap -w "$BATS_TEST_TMPDIR/w" "$COMPILE"
	cp "$DUALPIPE" "$BATS_TEST_TMPDIR/slice.sqlite"
	same "$(nsq-overlap -q < "$BATS_TEST_TMPDIR/w" | without trace)" \
		"$(without trace < "$BATS_TEST_TMPDIR/w" | nsq-overlap -q -w - "$BATS_TEST_TMPDIR/slice.sqlite" | without trace)"
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
	for t in dualpipe*.sqlite ddp-2rank.sqlite; do nsq-window -q --pick 3 "$t" | nsq-overlap -q; done |
		awk 'NR == 1 { head = $0; print; next } $0 != head' > "$BATS_TEST_TMPDIR/apart"
	nsq-window -q --pick 3 dualpipe*.sqlite ddp-2rank.sqlite | nsq-overlap -q > "$BATS_TEST_TMPDIR/together"
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
	answers bash -c "nsq-overlap -q --each '$DUALPIPE' | sort -t '$TAB' -k10,10nr | head -3 | nsq-streams"
	ask "$DUALPIPE" "SELECT pid, a, b FROM comms ORDER BY b - a - hidden DESC LIMIT 3" |
		while read -r pid a b; do nsq-streams -p "$pid" -w "$a..$b" "$DUALPIPE" | rows; done > "$BATS_TEST_TMPDIR/want"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/want")" -ge 3 ]
	same "$(cat "$BATS_TEST_TMPDIR/want")" "$(rows <<<"$output")"
}

@test "-n keeps the first rows of each window and says how many were left out" {
	local all
	all=$(nsq-window "$DUALPIPE" | nsq-overlap)
	run --separate-stderr bash -c "nsq-window '$DUALPIPE' | nsq-overlap -n 2"
	same "$(awk -F '\t' 'NR == 1 || n[$1]++ < 2' <<<"$all")" "$output"
	holds "$stderr" "nsq-overlap: " "$(($(count <<<"$all") - 8)) "
	answers bash -c "nsq-window -q '$DUALPIPE' | nsq-overlap -q -n 1000"
	same "$all" "$output"
}

@test "a pid in a table that the trace does not have is left out with a note" {
	table 'pid start_ns end_ns' '42 230000000 280000000' '693 230000000 280000000' > "$BATS_TEST_TMPDIR/w"
	mentions "42" -- nsq-streams -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same 693 "$(col pid <<<"$output" | sort -u)"
}

@test "each row goes by the last header before it, wherever that puts the columns" {
	{ table 'start_ns end_ns window' '230000000 280000000 a'; table 'end_ns start_ns window' '270000000 240000000 b'; table 'window end_ns start_ns' 'c 260000000 250000000'; } > "$BATS_TEST_TMPDIR/w"
	same "230000000 280000000 a
240000000 270000000 b
250000000 260000000 c" "$(nsq-overlap --total -p 693 -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE" | col start_ns end_ns window | tr '\t' ' ')"
	# rows before every header go by the first of their width
	{ table '280000000 230000000 a'; table 'end_ns start_ns window' '270000000 240000000 b'; } > "$BATS_TEST_TMPDIR/w"
	same "230000000 280000000 a
240000000 270000000 b" "$(nsq-overlap --total -p 693 -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE" | col start_ns end_ns window | tr '\t' ' ')"
}

@test "a byte order mark before CSV or TSV is skipped" {
	plain=$(table 'pid start_ns end_ns' "693 100000000 200000000")
	for text in "$plain" "$(tr '\t' ',' <<<"$plain")"; do
		want=$(nsq-kernels -q --by pid -w - "$DUALPIPE" <<<"$text")
		same 693 "$(col pid <<<"$want")"
		same "$want" "$({ printf '\357\273\277'; cat <<<"$text"; } | nsq-kernels -q --by pid -w - "$DUALPIPE")"
	done
	fails 2 "is empty" -- nsq-kernels -w - "$DUALPIPE" < <(printf '\357\273\277\n')
}

@test "a gpu in a table that the trace does not have is skipped with a note; one that is no number is an error" {
	run --separate-stderr nsq-kernels -w - "$DUALPIPE" <<<"$(table 'gpu start_ns end_ns' "7 100000000 200000000" "0 100000000 200000000")"
	same 0 "$status"
	holds "$stderr" "GPU 7" "skipped"
	same "$(nsq-kernels -q -g 0 -w 100000000..200000000 "$DUALPIPE")" "$output"
	fails 2 "gpu is 'x'" -- nsq-kernels -w - "$DUALPIPE" <<<"$(table 'gpu start_ns end_ns' "x 1 2")"
}

@test "a CPU side in columns goes into the name; one that is the same does not" {
	named() { table 'start_ns end_ns cpu_start_ns cpu_end_ns window' "100000000 200000000 $1 $2 $3" | nsq-kernels -q -n 1 -w - "$DUALPIPE" | col window; }
	same "x#0@30000000..40000000" "$(named 30000000 40000000 x)"
	same "x#7@30000000..40000000" "$(named 30000000 40000000 x#7)"
	same "x#7@30000000..40000000" "$(named 30000000 40000000 x#7@1..2)"
	same "-#0@30000000..40000000" "$(named 30000000 40000000 -)"
	same "x" "$(named 100000000 200000000 x)"
	same "x#7@1..2@30000000..40000000" "$(named - - 'x#7@1..2@30000000..40000000')"
	# only the whole form is one
	calls() { table 'start_ns end_ns window' "100000000 200000000 $1" | nsq-api -q -w - "$DUALPIPE" | sum count; }
	same "$(nsq-api -q -w 30000000..40000000 "$DUALPIPE" | sum count)" "$(calls 'x#7@30000000..40000000')"
	for name in 'x#7@30000000..40000000x' 'x7@30000000..40000000' 'x#@30000000..40000000' 'x#7@..40000000' 'x#7@30000000.40000000' '#7@30000000..'; do
		same "$(nsq-api -q -w 100000000..200000000 "$DUALPIPE" | sum count)" "$(calls "$name")"
	done
}

@test "rows that cite one window are asked about once, and that is said" {
	table=$(nsq-kernels -q -n 2 "$COPIES")
	same 2 "$(count <<<"$table")"
	mentions "1 of 2 rows cite a window once more" -- nsq-gaps <<<"$table"
	same "$(head -2 <<<"$table" | nsq-gaps -q)" "$output"
	# other times, processes, names, GPUs or CPU sides are other windows
	answers nsq-setup -q -w - "$COPIES" <<<"$(printf 'pid,start_ns,end_ns,gpu,cpu_start_ns,cpu_end_ns,window\n%s\n' \
		475,40000000,50000000,-,-,-,a 475,40000000,50000000,-,-,-,b 475,40000000,50000000,0,-,-,a 475,40000000,50000000,-,41000000,42000000,a \
		-,40000000,50000000,-,-,-,a 475,40000000,50000001,-,-,-,a 475,40000000,50000000,-,-,-,a)"
	same 6 "$(count <<<"$output")"
}
