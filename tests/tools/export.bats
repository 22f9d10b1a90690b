# nsq-export: the windows as Chrome trace events.  tests/export/reader.py, which shares no code with nsq, judges the file
# as Perfetto takes it and says what it holds; that is compared with what the other tools list.
load ../helper
load ../small-traces

# export_to FILE ARGS...: writes the file; what it holds, which must be valid, is in the folder FILE.d.
export_to() {
	local f=$1
	shift
	nsq-export -q --force -o "$f" "$@" > "$BATS_TEST_TMPDIR/said"
	mkdir -p "$f.d"
	python3 "$TESTS/export/reader.py" "$f" "$f.d"
}

reader() { cat "$1.d/$2"; }

# listed COLUMNS COMMAND...: those columns of a table, with the name of the trace's file after the pid, sorted.
listed() {
	local columns=$1
	shift
	"$@" | col pid trace $columns | awk -F '\t' -v OFS='\t' '{ sub(/.*\//, "", $2); print }' | sort
}

# agrees FILE ARGS...: the file holds what the tools list for these arguments.
agrees() {
	local f=$1
	shift
	same "$(listed "start_ns end_ns gpu ctx stream launch_ns class nvtx name" nsq-kernels -q --each --work all "$@")" "$(reader "$f" work)"
	same "$(listed "start_ns end_ns bytes src dst nvtx" nsq-mem -q --each "$@")" "$(reader "$f" copies)"
	same "$(listed "start_ns end_ns tid class name" nsq-api -q --each "$@")" "$(reader "$f" calls)"
	same "$(listed "start_ns end_ns tid domain name" nsq-nvtx -q --each "$@")" "$(reader "$f" ranges)"
}

every_small() { for t in "$FIXTURES"/*.sqlite; do [ "$t" = "$DDP" ] || { echo "$t"; "$1" "$t"; }; done; }

# A few that hold between them graphs, copies, marks and samples.
some_small() { for t in $(first_few 1 "$SAMPLES" "$WHOLE" "$COMPILE"); do "$1" "$t"; done; }

# a tenth of the trace from its middle on
part_of() { nsq-setup -q "$1" | col start_ns end_ns | awk '{ m = int(($1 + $2) / 2); printf "%.0f..%.0f\n", m, m + ($2 - $1) / 10; exit }'; }

# check_whole TRACE, check_part TRACE: the file of all of it, or of a tenth, holds what the tools list.
check_whole() {
	local f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$1"
	agrees "$f" "$1"
	same "$(reader "$f" arrows | wc -l)" "$(col arrows < "$BATS_TEST_TMPDIR/said")"
	same "$(reader "$f" work | wc -l)$TAB$(reader "$f" calls | wc -l)$TAB$(reader "$f" ranges | wc -l)" \
		"$(col work calls ranges < "$BATS_TEST_TMPDIR/said")"
}

check_part() {
	local f=$BATS_TEST_TMPDIR/x.json w
	w=$(part_of "$1")
	export_to "$f" -w "$w" "$1"
	agrees "$f" -w "$w" "$1"
	# whole times: those of the same work without a window
	export_to "$BATS_TEST_TMPDIR/all.json" "$1"
	same "" "$(comm -23 <(reader "$f" details) <(reader "$BATS_TEST_TMPDIR/all.json" details))"
}

@test "a fixture's file holds every piece of work, call and range once, and its numbers are those of the tools" {
	some_small check_whole
}

# agrees_more TRACE: idle time, exposed communication, marks, OS calls, the GPU side of ranges and findings, as page and tools have them.
agrees_more() {
	local f=$BATS_TEST_TMPDIR/more.json
	export_to "$f" "$1"
	same "$(nsq-gaps -q --by cause -w 0.. "$1" | col pid cause idle_ns | awk -F '\t' '$2 != "edge"' | sort)" \
		"$(reader "$f" idle | awk -F '\t' -v OFS='\t' '$5 != "edge" { n[$1 OFS $5] += $4 - $3 } END { for (c in n) print c, n[c] }' | sort)"
	same "$(nsq-overlap -q --total "$1" | col pid comm_only_ns | awk '$2 > 0')" \
		"$(reader "$f" exposed | awk -F '\t' -v OFS='\t' '{ n[$1] += $4 - $3 } END { for (p in n) print p, n[p] }' | sort)"
	same "$(nsq-find -q --kind mark '' "$1" 2> /dev/null | col pid start_ns tid name | sort)" "$(reader "$f" marks | sort)"
	same "$(nsq-find -q --kind os '' "$1" 2> /dev/null | col pid start_ns end_ns tid name | sort)" "$(reader "$f" os | sort)"
	same "$(nsq-advise -q "$1" | col pid gpu severity kind recover_ns finding evidence advice | sort)" "$(reader "$f" findings | cut -f1-8 | sort)"
	mkdir -p "$BATS_TEST_TMPDIR/holds"
	nsq-view -q --force -o "$BATS_TEST_TMPDIR/page.html" "$1" > /dev/null
	python3 "$TESTS/view/reader.py" "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/holds"
	same "$(cut -f1,3,4,5,6,7 "$BATS_TEST_TMPDIR/holds/projected" | sort)" "$(reader "$f" projected | sort)"
	same "$(cut -f1,9 "$BATS_TEST_TMPDIR/holds/findings" | sort)" "$(reader "$f" findings | cut -f1,9 | sort)"
}

@test "a file also holds idle time by cause, exposed communication, marks, OS calls, ranges on the GPU and findings" {
	agrees_more "$SAMPLES"
	same "$(reader "$BATS_TEST_TMPDIR/more.json" marks | wc -l)$TAB$(reader "$BATS_TEST_TMPDIR/more.json" os | wc -l)" "$(col marks os_calls < "$BATS_TEST_TMPDIR/said")"
}

# bats test_tags=slow
@test "a file also holds idle time by cause, and more, in every fixture" {
	every_small agrees_more
}

# bats test_tags=slow
@test "every fixture's file holds every piece of work, call and range once, and its numbers are those of the tools" {
	every_small check_whole
}

# arrows TRACE...: every launch has one.
arrows() {
	for t; do
		export_to "$BATS_TEST_TMPDIR/x.json" "$t"
		same "$(ask "$t" "SELECT count(*) FROM launched WHERE launch IS NOT NULL")" "$(reader "$BATS_TEST_TMPDIR/x.json" arrows | wc -l)"
	done
}

# bats test_tags=long
@test "all launches have an arrow where the whole trace is there" {
	arrows "$COPIES" "$FIXTURES/graph-capture.sqlite"
}

# bats test_tags=slow
@test "all launches have an arrow where the whole trace is there: larger traces" {
	arrows "$DUALPIPE" "$NODES"
}

@test "windows cut it: what touches them is there once, with the part inside and its whole times in the args" {
	check_part "$COMPILE"
}

# bats test_tags=slow
@test "windows cut it: what touches them is there once, in every fixture" {
	every_small check_part
}

# bats test_tags=slow
@test "several windows, overlapping and apart, and processes: as the tools merge them" {
	f=$BATS_TEST_TMPDIR/x.json
	for flags in "" --inside; do
		export_to "$f" $flags ${flags:+--merge} -w 200..230ms -w 220..240ms -w 260..261ms "$DUALPIPE"
		agrees "$f" --merge $flags -w 200..230ms -w 220..240ms -w 260..261ms "$DUALPIPE"
		export_to "$f" $flags -p 694 -w 200..230ms "$DUALPIPE"
		agrees "$f" $flags -p 694 -w 200..230ms "$DUALPIPE"
	done
	# windows with a CPU side of their own, one for each process
	nsq-window -q "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	export_to "$f" -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	agrees "$f" -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE"
	same 4 "$(reader "$f" processes | wc -l)"
	same "$(nsq-kernels --by pid --work all -q -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE" | col pid count)" \
		"$(nsq-export -q -w "$BATS_TEST_TMPDIR/w" "$DUALPIPE" | col pid work)"
}

@test "with --inside an event must be inside one window, not only inside their union" {
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (10, 20, 0, 1, 7, 2, $P5, 1, 1); INSERT INTO R VALUES (5, 300, $P5, 1, 2)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" --inside -w 0..150 -w 150..300 "$t"
	same "10 20" "$(reader "$f" work | cut -f3,4 | tr '\t' ' ')"
}

# bats test_tags=more,slow
@test "several traces stand beside each other, those with the same pids too" {
	t=$COMPILE n=3
	if more; then t=$DUALPIPE n=9; fi
	cp "$t" "$BATS_TEST_TMPDIR/again.sqlite"
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t" "$BATS_TEST_TMPDIR/again.sqlite" "$COPIES"
	agrees "$f" "$t" "$BATS_TEST_TMPDIR/again.sqlite" "$COPIES"
	same $n "$(reader "$f" processes | cut -f1 | sort -u | wc -l)"
	same 3 "$(count < "$BATS_TEST_TMPDIR/said")"
	# a process's main thread is told by its number
	same $n "$(jq -r '.traceEvents[] | select(.name == "thread_name" and .pid == .tid) | .pid' "$f" | wc -l)"
	# threads and tracks too are told apart by their number alone
	same "" "$(jq -r '.traceEvents[] | select(.name == "thread_name") | .tid' "$f" | sort | uniq -d)"
}

# bats test_tags=slow
@test "several GPUs have tracks of their own, and -g chooses work alone" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = correlationId % 2")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	agrees "$f" "$t"
	same "0 1" "$(reader "$f" tracks | cut -f2 | grep -o '^GPU [01]' | cut -c5 | sort -u | paste -sd ' ')"
	export_to "$f" -g 1 -w 200..240ms "$t"
	same "$(listed "start_ns end_ns gpu ctx stream launch_ns class nvtx name" nsq-kernels -q --each --work all -g 1 -w 200..240ms "$t")" "$(reader "$f" work)"
	same "$(listed "start_ns end_ns tid class name" nsq-api -q --each -w 200..240ms "$t")" "$(reader "$f" calls)"
}

# bats test_tags=more,slow
@test "the details of kernels are those of the trace and of the rules" {
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$DUALPIPE"
	same "$(sql "$DUALPIPE" "SELECT globalPid >> 24 & 0xffffff, 'dualpipe-pp2ep2.sqlite', start, end, correlationId, gridX || 'x' || gridY || 'x' || gridZ,
		blockX || 'x' || blockY || 'x' || blockZ, value FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds s ON s.id = shortName" | sort)" \
		"$(reader "$f" details | awk -F '\t' '$6 != "-"' | cut -f1-7,9 | sort)"
	# kernels have the owners that nsq-ledger gives them
	same "" "$(comm -23 <(nsq-ledger -q --by owner,name "$DUALPIPE" | grep -v "memcpy\|memset" | col owner name | awk -F '\t' '$2 != "-"' | sed 's/^comm.wait/comm/' | sort -u) \
		<(reader "$f" details | awk -F '\t' '$6 != "-"' | cut -f8,9 | sort -u))"
	same "attention comm matmul move pointwise" "$(reader "$f" details | awk -F '\t' '$6 != "-" { print $8 }' | sort -u | xargs)"
	more || return 0
	printf 'nccl\tmine\n' > "$BATS_TEST_TMPDIR/rules"
	export_to "$f" --categories "$BATS_TEST_TMPDIR/rules" "$DUALPIPE"
	same "$(nsq-kernels -q --categories "$BATS_TEST_TMPDIR/rules" "$DUALPIPE" | col category count | sort)" \
		"$(reader "$f" details | awk -F '\t' '$6 != "-" { print $8 }' | tally)"
	# --comm says which kernels communicate, whatever their names say to llm
	export_to "$f" --categories llm --comm nvjet "$DUALPIPE"
	same "$(nsq-kernels -q --categories llm --comm nvjet "$DUALPIPE" | col category count | sort)" \
		"$(reader "$f" details | awk -F '\t' '$6 != "-" { print $8 }' | tally)"
}

# bats test_tags=more
@test "counters are the metrics" {
	f=$BATS_TEST_TMPDIR/x.json t=$FIXTURES/train-metrics.sqlite
	for w in 30..31ms $(if more; then echo 0..1s; fi); do
		export_to "$f" -w $w "$t"
		same "$(nsq-metrics -q --each -w $w "$t" | col trace start_ns gpu value metric | sed 's/^[^\t]*\///' | sort)" "$(reader "$f" metrics)"
		same "$(nsq-metrics -q --each -w $w "$t" | count)" "$(col values < "$BATS_TEST_TMPDIR/said")"
	done
	nsq-window -q "$t" > "$BATS_TEST_TMPDIR/w"
	export_to "$f" -w "$BATS_TEST_TMPDIR/w" "$t"
	same "$(nsq-metrics -q --each -w "$BATS_TEST_TMPDIR/w" "$t" | col trace start_ns gpu value metric | sed 's/^[^\t]*\///' | sort)" "$(reader "$f" metrics)"
}

# memory_in TRACE...: the memory in use, in windows that begin before, amid and between its events.
memory_in() {
	f=$BATS_TEST_TMPDIR/x.json
	change=$(sql "$FIXTURES"/train-allocs.sqlite "SELECT start FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE start > 0 ORDER BY start LIMIT 1 OFFSET 50")
	for t; do
		for w in 0..1s "$(part_of "$t")" "$change..1000000000"; do
			export_to "$f" -w "$w" "$t"
			same "$(listed "gpu kind peak_bytes end_bytes" nsq-mem -q --usage -w "$w" "$t")" "$(reader "$f" memory)"
			same "$(nsq-mem -q --usage -w "$w" "$t" | sum allocs frees | awk '{ print $1 + $2 }')" "$(col values < "$BATS_TEST_TMPDIR/said")"
		done
	done
}

# bats test_tags=slow
@test "counters are the memory in use" {
	memory_in "$FIXTURES"/train-allocs.sqlite
}

@test "of several changes of memory at one moment the last is drawn" {
	t=$BATS_TEST_TMPDIR/t.sqlite f=$BATS_TEST_TMPDIR/x.json
	cp "$FIXTURES"/train-allocs.sqlite "$t"
	sqlite3 "$t" "UPDATE CUDA_GPU_MEMORY_USAGE_EVENTS SET start = start / 1000000 * 1000000 WHERE start > 0"
	nsq-export -q -o "$f" "$t" > /dev/null
	[ "$(sql "$t" "SELECT count(*) > count(DISTINCT start) + 10 FROM CUDA_GPU_MEMORY_USAGE_EVENTS WHERE start > 0")" -eq 1 ]
	same "once: True" "$(python3 - "$f" <<-'END'
		import collections, json, sys
		events = json.load(open(sys.argv[1]))
		events = events["traceEvents"] if isinstance(events, dict) else events
		met = collections.Counter((e["pid"], e["name"], e["ts"]) for e in events if e["ph"] == "C" and "memory" in e["name"])
		print("once:", len(met) > 10 and set(met.values()) == {1})
	END
	)"
}

# bats test_tags=slow
@test "counters are the memory in use, also where there is little" {
	memory_in "$FIXTURES"/train.sqlite "$COPIES"
}

@test "work that overlaps on a stream goes to further tracks of it, and keeps its arrow" {
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (150, 250, 0, 1, 7, 1, $P5, 1, 1), (160, 170, 0, 1, 7, 1, $P5, 1, 1),
		(200, 210, 0, 1, 7, 1, $P5, 1, 1), (300, 300, 0, 1, 7, 1, $P5, 1, 1); INSERT INTO R VALUES (5, 50, $P5, 1, 2)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	same "GPU 0 context 1 stream 7 compute 3
GPU 0 context 1 stream 7 compute (2) 1
GPU 0 context 1 stream 7 compute (3) 1" "$(reader "$f" tracks | cut -f2,3 | tr '\t' ' ' | grep 'GPU.*stream')"
	same 5 "$(reader "$f" arrows | wc -l)"
}

@test "more at once than a stream has tracks is written as asynchronous events, without an arrow" {
	t=$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
		SELECT 100 + i, 500 + i, 0, 1, 7, 1, $P5, 1, 1 FROM n; INSERT INTO R VALUES (5, 50, $P5, 1, 2)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	agrees "$f" "$t"
	same 16 "$(reader "$f" tracks | grep -c "GPU.*stream")"
	same "4 16" "$(reader "$f" asynchronous | wc -l) $(reader "$f" arrows | wc -l)"
	same 16 "$(col arrows < "$BATS_TEST_TMPDIR/said")"
}

# bats test_tags=slow
@test "streams with hardly any work share tracks, where there are many" {
	streams() {
		made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
			SELECT 100 + 10 * i, 105 + 10 * i, 0, 1, iif(i < $1, 100 + i, 7), 1, $P5, 1, 1 FROM n; INSERT INTO R VALUES (5, 50, $P5, 1, 2)"
	}
	f=$BATS_TEST_TMPDIR/x.json
	t=$(streams 300)
	export_to "$f" "$t"
	agrees "$f" "$t"
	# stream 7 and the seven with the most work (here the lowest numbers) have their own
	same "GPU 0 context 1 stream 7 compute 700
GPU 0 other streams 1 293" "$(reader "$f" tracks | cut -f2,3 | tr '\t' ' ' | grep 'stream 7 \|other')"
	same 9 "$(reader "$f" tracks | grep -c "GPU.*stream")"
	# a stream with a hundredth of the time has a track of its own, wherever it stands: here 10, and not 9 of 1,000
	t=$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
		SELECT 1000 * i, 1000 * i + 900, 0, 1, iif(i < 100, 100 + i / 10, iif(i < 118, 200 + i % 2, 7)), 1, $P5, 1, 1 FROM n")
	export_to "$f" "$t"
	same "11 18" "$(reader "$f" tracks | cut -f2,3 | grep -c 'context') $(reader "$f" tracks | cut -f2,3 | awk '/other/ { print $NF }')"
	# nine streams do not share, as there is nobody to share with; of ten, two do
	export_to "$f" "$(streams 8)"
	same "9 0" "$(reader "$f" tracks | grep -c "GPU.*stream") $(reader "$f" tracks | grep -c other)"
	export_to "$f" "$(streams 9)"
	same "9 1" "$(reader "$f" tracks | grep -c "GPU.*stream") $(reader "$f" tracks | grep -c other)"
}

@test "ranges and calls that cross, and start/end ranges, are asynchronous; the rest of the thread stands" {
	t=$(made "INSERT INTO N VALUES (10, 100, 59, 'a', $P5, NULL, 0), (50, 150, 59, 'b', $P5, NULL, 0), (20, 30, 59, 'c', $P5, NULL, 0),
		(100, 120, 59, 'd', $P5, NULL, 0), (0, 500, 60, 'e', $P5, NULL, 0), (40, 40, 59, 'f', $P5, NULL, 0),
		(200, 300, 59, 'g', $P5, NULL, 0), (400, 410, 59, 'h', $P5, NULL, 0);
		INSERT INTO R VALUES (90, 110, $P5, 1, 2), (10, 100, $P5, 2, 4), (200, 210, $P5, 3, 5), (400, 500, $P5, 4, 5)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	agrees "$f" "$t"
	same "b
cudaLaunchKernel
e" "$(reader "$f" asynchronous | cut -f6 | sort)"
}

@test "an arrow never leads back in time, and never to what is not there" {
	# the second kernel starts before its call by the clocks, the third is over by then; the fourth's call is outside the window
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (300, 400, 0, 1, 7, 2, $P5, 1, 1), (500, 550, 0, 1, 7, 3, $P5, 1, 1),
		(700, 800, 0, 1, 7, 4, $P5, 1, 1); INSERT INTO R VALUES (50, 60, $P5, 1, 2), (350, 360, $P5, 2, 2), (550, 560, $P5, 3, 2), (20, 30, $P5, 4, 2)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" -w 40..1000 "$t"
	same "100 300" "$(reader "$f" arrows | cut -f3 | paste -sd ' ')"
}

@test "times beyond what a double holds are exact" {
	t=$(made "INSERT INTO K VALUES (9007199254740993, 9007199254740994, 0, 1, 7, 1, $P5, 1, 1), (1, 2, 0, 1, 7, 2, $P5, 1, 1)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	same "1 2
9007199254740993 9007199254740994" "$(reader "$f" work | cut -f3,4 | tr '\t' ' ' | sort -n)"
}

@test "hostile names give valid JSON, and are still to be read" {
	t=$(made "INSERT INTO S VALUES (10, 'a\"b\\c</script>' || char(10) || char(1) || char(127) || 'x'), (11, CAST(x'61ff62e282' AS TEXT)), (12, 'grün 漢');
		INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 10, 10), (300, 400, 0, 1, 7, 2, $P5, 11, 11), (500, 600, 0, 1, 7, 3, $P5, 12, 12);
		INSERT INTO N VALUES (1, 900, 59, 'r' || char(27) || '[2J', $P5, NULL, 0), (1, 900, 60, 's' || char(7), $P5, NULL, 0);
		INSERT INTO R VALUES (50, 60, $P5, 1, 10)")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	same '"a\"b\\c</script>\n\\x01\\x7fx"
"a\\xffb\\xe2\\x82"
"grün 漢"' "$(jq '.traceEvents[] | select(.cat == "compute") | .name' "$f")"
	same '"r\\x1b[2J"
"s\\x07"' "$(jq '.traceEvents[] | select(.cat == "range" and .ph != "e") | .name' "$f")"
}

# bats test_tags=long
@test "a name that ends in .gz is compressed, and holds the same" {
	nsq-export -q -o "$BATS_TEST_TMPDIR/x.json" "$NODES" > /dev/null
	nsq-export -q -o "$BATS_TEST_TMPDIR/x.json.gz" "$NODES" > /dev/null
	gzip -t "$BATS_TEST_TMPDIR/x.json.gz"
	cmp "$BATS_TEST_TMPDIR/x.json" <(gzip -dc "$BATS_TEST_TMPDIR/x.json.gz")
	[ $(($(wc -c < "$BATS_TEST_TMPDIR/x.json.gz") * 5)) -lt "$(wc -c < "$BATS_TEST_TMPDIR/x.json")" ]
}

# bats test_tags=slow
@test "the file is the same for any number of threads and any order of rows" {
	cp "$COPIES" "$BATS_TEST_TMPDIR/t.sqlite"
	nsq-export -q -j 1 -o "$BATS_TEST_TMPDIR/1.json" "$BATS_TEST_TMPDIR/t.sqlite" > /dev/null
	nsq-export -q -j 4 -o "$BATS_TEST_TMPDIR/4.json" "$BATS_TEST_TMPDIR/t.sqlite" > /dev/null
	cmp "$BATS_TEST_TMPDIR/1.json" "$BATS_TEST_TMPDIR/4.json"
	nsq-export -q -j 1 -o "$BATS_TEST_TMPDIR/1.json.gz" "$DUALPIPE" > /dev/null
	nsq-export -q -j 4 -o "$BATS_TEST_TMPDIR/4.json.gz" "$DUALPIPE" > /dev/null
	cmp "$BATS_TEST_TMPDIR/1.json.gz" "$BATS_TEST_TMPDIR/4.json.gz"
	sqlite3 -batch "$BATS_TEST_TMPDIR/t.sqlite" "$(shuffling "$BATS_TEST_TMPDIR/t.sqlite")" > /dev/null
	nsq-export -q -o "$BATS_TEST_TMPDIR/s.json" "$BATS_TEST_TMPDIR/t.sqlite" > /dev/null
	cmp "$BATS_TEST_TMPDIR/1.json" "$BATS_TEST_TMPDIR/s.json"
}

# bats test_tags=slow
@test "processes are named by rank, program, pid and trace, and stand in order" {
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$DUALPIPE"
	same "rank 0: python3 (pid 693 of dualpipe-pp2ep2.sqlite)" "$(reader "$f" processes | head -1 | cut -f2)"
	same "693 0 694 1 695 2 696 3" "$(jq -r '.traceEvents[] | select(.name == "process_sort_index") | .pid, .args.sort_index' "$f" | paste -sd ' ')"
	# findings stand above streams, then what else there is of the GPU, and threads
	same "findings,GPU 0 context 1 stream 7 compute,GPU 0 context 1 stream 32 comm,GPU 0 context 1 stream 36 comm,GPU 0 exposed communication,GPU 0 idle,GPU 0 ranges,python3 693" \
		"$(jq -r '[.traceEvents[] | select(.ph == "M" and .pid == 693 and (.name | startswith("thread_")))] | group_by(.tid)[] | "\(.[1].args.sort_index)\t\(.[0].args.name)"' "$f" |
		sort -n | cut -f2 | grep -v 'ranges (' | head -8 | paste -sd,)"
}

@test "without -o it counts, and says that nothing is written" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	mentions "nothing is written without '-o'" -- nsq-export "$COPIES"
	same "122$TAB-" "$(col work file <<<"$output")"
	same "" "$(ls)"
}

@test "an existing file needs --force, a trace is never replaced, - and devices are refused" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	echo mine > x.json
	cp "$COPIES" t.sqlite
	fails 2 "'x.json' exists; --force replaces it" -- nsq-export -q -o x.json "$COPIES"
	same mine "$(cat x.json)"
	fails 2 "'t.sqlite' is a trace, which is never replaced" -- nsq-export -q --force -o t.sqlite "$COPIES"
	cmp t.sqlite "$COPIES"
	fails 2 "not '-'" -- nsq-export -q -o - "$COPIES"
	for name in run.html run.svg run.html.gz run.tsv x.sqlite; do
		fails 2 "the name '$name' promises another format than the one written; end it in .json" -- nsq-export -q -o $name "$COPIES"
		[ ! -e $name ]
	done
	for name in run run.2024 run.json run.json.gz run.gz; do nsq-export -q -o $name "$COPIES" > /dev/null && rm $name; done
	fails 2 "'/dev/full' is not a plain file" -- nsq-export -q --force -o /dev/full "$COPIES"
	fails 2 "'--force' has no effect without '-o'" -- nsq-export -q --force "$COPIES"
	fails 2 "'--categories' has no effect without '-o'" -- nsq-export -q --categories llm "$COPIES"
	nsq-export -q --force -o x.json "$COPIES" > /dev/null
	python3 "$TESTS/export/reader.py" x.json
	same "t.sqlite x.json" "$(ls | paste -sd ' ')"
}

@test "a window outside the trace, or no such process, writes nothing" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	fails 2 "lies outside" -- nsq-export -q -o x.json -w 100..101s "$COPIES"
	fails 2 "no process 1 in the trace" -- nsq-export -q -o x.json -p 1 "$COPIES"
	same "" "$(ls)"
	# of several traces those that can answer are there
	run --separate-stderr nsq-export -q -o x.json nothing.sqlite "$COPIES"
	same 1 "$status"
	same 1 "$(count <<<"$output")"
	export_to y.json "$COPIES"
	cmp x.json y.json
}

@test "a full disk leaves neither a file nor rows" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	# a limit on the size of files stands for a disk that is full
	run --separate-stderr bash -c 'ulimit -f 8; trap "" XFSZ; nsq-export -q -o x.json "$0"' "$DUALPIPE"
	same 1 "$status"
	same 0 "$(count <<<"$output")"
	holds "$stderr" "nsq-export: cannot write 'x.json': File too large"
	same "" "$(ls)"
}

@test "an interruption leaves nothing" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	# the first trace is written, and the second waits for a stand-in of nsys that takes forever
	printf '#!/bin/bash\necho $$ > "%s/begun"\nexec sleep 600\n' "$BATS_TEST_TMPDIR" > "$BATS_TEST_TMPDIR/nsys"
	chmod +x "$BATS_TEST_TMPDIR/nsys"
	echo report > "$BATS_TEST_TMPDIR/run.nsys-rep"
	for signal in TERM KILL; do
		rm -f "$BATS_TEST_TMPDIR/begun"
		nsq-export -q --nsys "$BATS_TEST_TMPDIR/nsys" -o x.json "$COPIES" "$BATS_TEST_TMPDIR/run.nsys-rep" > /dev/null 2>&1 3>&- &
		for _ in $(seq 6000); do [ ! -s "$BATS_TEST_TMPDIR/begun" ] || break; sleep 0.05; done
		kill -$signal $!
		rc=0
		wait $! || rc=$?
		[ $rc -gt 128 ]
		kill "$(cat "$BATS_TEST_TMPDIR/begun")" 2> /dev/null || true    # SIGKILL does not reach it
		same "" "$(ls -A)"
	done
}

@test "a trace with ranges alone is drawn too; one without either is exit 3" {
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'CUPTI_ACTIVITY_*')")
	f=$BATS_TEST_TMPDIR/x.json
	export_to "$f" "$t"
	same "$(listed "start_ns end_ns tid domain name" nsq-nvtx -q --each "$t")" "$(reader "$f" ranges)"
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'CUPTI_ACTIVITY_*') DROP TABLE NVTX_EVENTS;")
	fails 3 "nsys profile --trace=cuda,nvtx" -- nsq-export -q -o "$BATS_TEST_TMPDIR/y.json" "$t"
	[ ! -e "$BATS_TEST_TMPDIR/y.json" ]
}

@test "-o of a folder writes into it" {
	cd "$BATS_TEST_TMPDIR"
	mkdir out
	nsq-export -q -o out "$FIXTURES/train.sqlite" > into
	nsq-export -q -o alone.json.gz "$FIXTURES/train.sqlite" > /dev/null
	same "timeline.json.gz" "$(ls out)"
	cmp <(gzip -dc out/timeline.json.gz) <(gzip -dc alone.json.gz)
	fails 2 "'out/timeline.json.gz'" -- nsq-export -q -o out/ "$FIXTURES/train.sqlite"     # it is there already
}
