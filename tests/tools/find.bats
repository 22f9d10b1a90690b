# nsq-find: which events have such a name, and what happens at a moment?
load ../helper

reading() { oracle threads "$@" | sort; }
own() { rows | awk -F '\t' -v OFS='\t' '{ NF -= 2; print }' | cut -f1,3- | sort; }

# Some fixtures, or all but for one whose ranges are too many to be read plainly.
every_small() { for t in $(some_or_all "$COPIES" "$WHOLE"); do [ "$t" = "$DDP" ] || { echo "$t"; "$1" "$t"; }; done; }

# middle TRACE: a time in the middle of its work.
middle() { nsq-setup -q "$1" | col start_ns end_ns | awk '{ printf "%.0f\n", ($1 + $2) / 2; exit }'; }

# bats test_tags=more,long
@test "every event of a name is that of the reading, in every fixture" {
	check() { same "$(reading "find:$name" "$1")" "$(nsq-find -q "$name" "$1" | own)"; }
	name=. every_small check
	more || return 0
	name='^(cuda|s|n)[^ ]*[em]$' every_small check
}

# bats test_tags=more
@test "what runs or is open at a moment is that of the reading, in every fixture" {
	check() {
		at=$(middle "$1")
		same "$(reading "at:$at" "$1")" "$(nsq-find -q --at "$at" "$1" | own)"
	}
	every_small check
}

# bats test_tags=slow
@test "in windows: work by the GPU side, all else by the CPU side, cut or with --inside whole, alone or merged" {
	table 'pid start_ns end_ns cpu_start_ns cpu_end_ns' '475 40000000 48000000 33000000 44100000' \
		'475 47000000 57000000 44000000 52000000' '475 58000000 58000300 70000000 80000000' > "$BATS_TEST_TMPDIR/w"
	for flags in "" --inside --merge "--merge --inside"; do
		for what in find:e at:start at:end at:45000000; do
			more || [ -z "$flags" ] || [ "$what" = find:e ] || continue
			case $what in find:*) args=${what#*:} ;; *) args="--at ${what#*:}" ;; esac
			expected=$(reading $flags $what "$COPIES" "$BATS_TEST_TMPDIR/w")
			[ -n "$expected$flags" ]
			same "$expected" "$(nsq-find -q $args $flags -w "$BATS_TEST_TMPDIR/w" "$COPIES" | own)"
		done
	done
}

# bats test_tags=more
@test "what the other tools list one by one is what is found" {
	same "$(nsq-kernels --each -q "$COPIES" | col start_ns end_ns gpu dur_ns stream launch_ns nvtx name | sort)" \
		"$(nsq-find --kind kernel -q . "$COPIES" | col start_ns end_ns gpu dur_ns stream launch_ns nvtx name | sort)"
	same "$(nsq-api --each -q "$DUALPIPE" | col pid start_ns end_ns tid dur_ns name | sort)" \
		"$(nsq-find --kind call -q . "$DUALPIPE" | col pid start_ns end_ns tid dur_ns name | sort)"
	same "$(nsq-nvtx --each -q "$NODES" | col pid start_ns end_ns tid dur_ns name | sort)" \
		"$(nsq-find --kind range -q '' "$NODES" | col pid start_ns end_ns tid dur_ns name | sort)"
	same "$(nsq-mem --each -q "$COPIES" | col start_ns end_ns gpu stream launch_ns dur_ns nvtx | sort)" \
		"$(nsq-find --kind copy,set -q . "$COPIES" | col start_ns end_ns gpu stream launch_ns dur_ns nvtx | sort)"
	same "$(sql "$COPIES" "SELECT start, end, globalTid & 0xffffff, value FROM OSRT_API JOIN StringIds ON id = nameId ORDER BY 1, 2, 3")" \
		"$(nsq-find --kind os -q . "$COPIES" | col start_ns end_ns tid name)"
	same "$(sql "$COPIES" "SELECT start, start, 0, globalTid & 0xffffff, text FROM NVTX_EVENTS WHERE eventType = 34 ORDER BY 1")" \
		"$(nsq-find --kind mark -q . "$COPIES" | col start_ns end_ns dur_ns tid name)"
	same "graph$TAB$(nsq-kernels -q "$WHOLE" | where class graph | sum count)" "$(nsq-find -q --kind graph . "$WHOLE" | col kind | tally)"
	more || return 0
	same "$(nsq-nvtx --each -q "$DDP" | col pid start_ns end_ns tid dur_ns name | sort)" \
		"$(nsq-find --kind range -q '' "$DDP" | col pid start_ns end_ns tid dur_ns name | sort)"
	same "$(nsq-kernels --each -q "$DDP" | col start_ns stream launch_ns nvtx name | sort)" \
		"$(nsq-find --kind kernel -q '' "$DDP" | col start_ns stream launch_ns nvtx name | sort)"
}

@test "a start/end range, a mark and an OS call stand in the range that is open on their thread when they start" {
	t=$(change "$SCHED" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
			SELECT 70000000, 71000000, 60, 'inside', globalTid, 0 FROM NVTX_EVENTS WHERE eventType = 59 AND start = 66128172" \
		"INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId)
			SELECT 70000000, 34, 'inside', globalTid, 0 FROM NVTX_EVENTS WHERE eventType = 59 AND start = 66128172" \
		"UPDATE OSRT_API SET start = 70000000, end = 70000500 WHERE rowid = 2")
	outer=$(sql "$SCHED" "SELECT coalesce(text, value) FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId WHERE start = 66128172")
	[ -n "$outer" ]
	same "$(printf '%s\n' "mark$TAB$outer" "os$TAB$outer" "range$TAB$outer")" \
		"$(nsq-find -q --at 70000000 "$t" | where start_ns 70000000 | col kind nvtx | sort)"
}

@test "MPI calls are found, in the range that is open on their thread, and can be chosen" {
	t=$(change "$COPIES" "CREATE TABLE MPI_P2P_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER);
		INSERT INTO StringIds VALUES (999001, 'MPI_Sendrecv');
		INSERT INTO MPI_P2P_EVENTS SELECT start + 1, start + 1001, globalTid, 999001 FROM NVTX_EVENTS WHERE eventType = 59 AND end > start + 2000 LIMIT 1")
	expected=$(sql "$t" "SELECT start + 1, 'mpi', 1000, text, 'MPI_Sendrecv' FROM (SELECT start, coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) AS text
		FROM NVTX_EVENTS WHERE eventType = 59 AND end > start + 2000 LIMIT 1)")
	same "$expected" "$(nsq-find -q MPI_ "$t" | col start_ns kind dur_ns nvtx name)"
	same "$expected" "$(nsq-find -q --kind mpi . "$t" | col start_ns kind dur_ns nvtx name)"
	same "" "$(nsq-find -q --kind os MPI_ "$t" | rows)"
	# and they are calls to nsq-api, of a class of their own beside the CUDA calls, and to the pictures
	same "1${TAB}1000${TAB}mpi${TAB}MPI_Sendrecv" "$(nsq-api -q --class mpi "$t" | col count total_ns class name)"
	same "1${TAB}1000${TAB}mpi" "$(nsq-api -q --by class "$t" | col count total_ns class | grep mpi)"
	same "$(cut -f1,3 <<< "$expected")${TAB}mpi" "$(nsq-api -q --each --class mpi "$t" | col start_ns dur_ns class)"
	same "$(nsq-api -q "$COPIES" | col count total_ns class name)" "$(nsq-api -q "$t" | col count total_ns class name | grep -v MPI_)"
	same 1 "$(nsq-view -q "$t" | col mpi_calls)"
	same 1 "$(nsq-export -q -o "$BATS_TEST_TMPDIR/m.json" "$t" | col mpi_calls)"
	same 1 "$(grep -o '"cat":"mpi","name":"MPI_Sendrecv"' "$BATS_TEST_TMPDIR/m.json" | wc -l)"
	same 0 "$(nsq-view -q "$COPIES" | col mpi_calls)"
	# one that ends after all else counts in full, whatever the window
	sqlite3 "$t" "UPDATE MPI_P2P_EVENTS SET end = 90000000000"
	expected=$(sql "$t" "SELECT end - start FROM MPI_P2P_EVENTS")
	same "$expected" "$(nsq-api -q --class mpi "$t" | col total_ns)"
	same "$expected" "$(nsq-api -q --class mpi -w 0..95s "$t" | col total_ns)"
	same "$expected" "$(nsq-find -q --kind mpi -w 0..95s . "$t" | col dur_ns)"
	same 90000000000 "$(nsq-view -q "$t" | col end_ns)"
	same 90000000000 "$(nsq-export -q --force -o "$BATS_TEST_TMPDIR/m.json" "$t" | col end_ns)"
	same "$(nsq-ledger -q -w 0..95s "$COPIES" | col start_ns end_ns | sort -u)" "$(nsq-ledger -q -w 0..95s "$t" | col start_ns end_ns | sort -u)"
	# without such tables, ranges of the domain MPI are those calls; of another they are not
	ranges="INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT 0, NULL, 75, 'MPI', globalTid, 77 FROM NVTX_EVENTS
		WHERE eventType = 59 UNION ALL SELECT start, start + 1000, 59, 'MPI_Recv', globalTid, 77 FROM (SELECT * FROM NVTX_EVENTS WHERE eventType = 59 LIMIT 1);"
	t=$(change "$COPIES" "$ranges")
	same "1${TAB}1000${TAB}mpi${TAB}MPI_Recv" "$(nsq-api -q --class mpi "$t" | col count total_ns class name)"
	same "1000${TAB}step${TAB}MPI_Recv" "$(nsq-find -q --kind mpi . "$t" | col dur_ns nvtx name)"
	# each once, as what was asked for
	same "mpi" "$(nsq-find -q MPI_Recv "$t" | col kind)"
	same "range" "$(nsq-find -q --kind range MPI_Recv "$t" | col kind)"
	t=$(change "$COPIES" "$ranges UPDATE NVTX_EVENTS SET text = 'MPIX' WHERE text = 'MPI'")
	same "" "$(nsq-api -q --class mpi "$t" | rows)"
	t=$(change "$COPIES" "$ranges CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER)")
	same "" "$(nsq-api -q --class mpi "$t" | rows)"
}

# bats test_tags=more,long
@test "of a process, its events alone" {
	mapfile -t ways < <(first_few 2 "--at 240ms" "--kind range,call [ae]" "[ae]")
	for args in "${ways[@]}"; do
		all=$(nsq-find -q $args "$DUALPIPE")
		for pid in 693 695; do
			[ -n "$(where pid $pid <<<"$all" | rows)" ]
			same "$(where pid $pid <<<"$all")" "$(nsq-find -q -p $pid $args "$DUALPIPE")"
		done
	done
	same "$(nsq-find -q -p 694 --at 40ms "$DUALPIPE" | rows)" \
		"$(table 'pid start_ns end_ns' '694 40000000 41000000' | nsq-find -q --at start -w - "$DUALPIPE" | rows)"
}

@test "kinds are told apart and can be chosen" {
	all=$(nsq-find . "$COPIES")
	for kind in kernel copy set call range mark os; do
		[ -n "$(where kind $kind <<<"$all" | rows)" ]
		same "$(where kind $kind <<<"$all")" "$(nsq-find --kind $kind . "$COPIES")"
	done
	same "$(awk -F '\t' 'NR == 1 || $6 == "os" || $6 == "mark"' <<<"$all")" "$(nsq-find --kind mark,os . "$COPIES")"
	fails 2 "'--kind' does not know 'kernels'" -- nsq-find --kind kernels . "$COPIES"
}

@test "rows come by start; at a moment the outermost first" {
	for args in . "--at $(middle "$COPIES")"; do
		same "$(nsq-find -q $args "$COPIES" | col start_ns)" "$(nsq-find -q $args "$COPIES" | col start_ns | sort -n)"
	done
	# a call, the range around it that begins at the same moment, and an OS call inside
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET start = 44208607, end = 44369549 WHERE rowid = (SELECT rowid FROM NVTX_EVENTS
			WHERE eventType = 59 AND start > 44000000 LIMIT 1)" \
		"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 44208607, end = 44300000, globalTid = (SELECT globalTid FROM NVTX_EVENTS
			WHERE start = 44208607) WHERE rowid = 30" \
		"UPDATE OSRT_API SET start = 44208607, end = 44208700 WHERE rowid = 3")
	same "$(printf '%s\n' range call os)" "$(nsq-find -q --at 44208650 "$t" | awk -F '\t' 'NR > 1 && $3 == 44208607 { print $6 }')"
}

@test "at a moment: from its start on, not at its end; one without length at its own" {
	read -r start end < <(nsq-find --kind kernel -n 1 -q . "$COPIES" | col start_ns end_ns)
	at() { nsq-find -q --kind kernel --at "$1" "$COPIES" | where start_ns "$start" | count; }
	same "0 1 1 0" "$(at $((start - 1))) $(at "$start") $(at $((end - 1))) $(at "$end")"
	mark=$(nsq-find --kind mark -n 1 -q . "$COPIES" | col start_ns)
	same "0 1 0" "$(for at in $((mark - 1)) "$mark" $((mark + 1)); do nsq-find -q --kind mark --at "$at" "$COPIES" | count; done | xargs)"
	same "$(nsq-find --at 45ms "$COPIES")" "$(nsq-find --at 45000000 "$COPIES")"
}

@test "the last event of a trace is found, though it is a mark" {
	t=$(change "$COMPILE" "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) SELECT 9999999999, 34, 'the end',
		(SELECT globalTid FROM NVTX_EVENTS WHERE eventType = 59 LIMIT 1), 0")
	same "$(table '9999999999 9999999999 mark 0')" "$(nsq-find 'the end' "$t" | col start_ns end_ns kind dur_ns)"
	same "1" "$(nsq-find --at 9999999999 "$t" | where kind mark | count)"
	fails 2 "the time 10000000000 ns lies outside '$t'" -- nsq-find --at 10s "$t"
}

@test "a mark can be piped on: its row is about that nanosecond" {
	nsq-find -q 'step done' "$COPIES" > "$BATS_TEST_TMPDIR/marks"
	same 12 "$(count < "$BATS_TEST_TMPDIR/marks")"
	same "$(while read -r at; do nsq-find -q --at "$at" "$COPIES" | rows; done < <(col start_ns < "$BATS_TEST_TMPDIR/marks"))" \
		"$(nsq-find -q --at start < "$BATS_TEST_TMPDIR/marks" | rows)"
	same "$(sql "$COPIES" "SELECT count(*) FROM NVTX_EVENTS m JOIN NVTX_EVENTS r ON r.start <= m.start AND m.start < r.end
			AND r.start >= 0 AND r.eventType IN (59, 60) WHERE m.eventType = 34")" \
		"$(nsq-nvtx -q < "$BATS_TEST_TMPDIR/marks" | sum count)"
	same "1" "$(nsq-setup -q < "$BATS_TEST_TMPDIR/marks" | awk -F '\t' 'NR > 1 { print $4 - $3 }' | sort -u)"
}

@test "found kernels are windows of nsq-kernels, and the start of a gap says what the CPU does" {
	same "$(nsq-kernels -q "$COPIES" | where name saxpy | col count total_ns)" \
		"$(nsq-find -q --kind kernel saxpy "$COPIES" | nsq-kernels -q --merge | where name saxpy | col count total_ns)"
	same "$(nsq-kernels -q "$COPIES" | where name saxpy | col count)" \
		"$(nsq-find -q --kind kernel saxpy "$COPIES" | nsq-kernels -q -m saxpy | count)"
	nsq-gaps --each -n 1 -q "$COPIES" > "$BATS_TEST_TMPDIR/gap"
	read -r a b < <(col start_ns end_ns < "$BATS_TEST_TMPDIR/gap")
	same "$(nsq-find -q --at "$a" "$COPIES" | rows)" "$(nsq-find -q --at start < "$BATS_TEST_TMPDIR/gap" | rows)"
	same "$(nsq-find -q --at "$b" "$COPIES" | rows)" "$(nsq-find -q --at end < "$BATS_TEST_TMPDIR/gap" | rows)"
	same 0 "$(nsq-find -q --kind kernel,copy,set --at start < "$BATS_TEST_TMPDIR/gap" | count)"
	[ "$(nsq-find -q --kind kernel,copy,set --at end < "$BATS_TEST_TMPDIR/gap" | count)" -gt 0 ]
}

@test "the command line: REGEX first, none with --at; times and kinds are checked" {
	fails 2 "REGEX comes first: nsq-find REGEX [TRACE...]" -- nsq-find
	fails 2 "'REGEX' needs a regular expression, and '(' is not one" -- nsq-find '(' "$COPIES"
	fails 2 "'--at' takes a time such as 230ms, or start, or end, not 'noon'" -- nsq-find --at noon "$COPIES"
	fails 2 "'--at' takes" -- nsq-find --at -5 "$COPIES"
	fails 1 "cannot open" "'step'" -- nsq-find --at start step
	same "$(nsq-find -q step "$COPIES")" "$(nsq-find -q -- step "$COPIES")"
	mentions "no event has such a name" -- nsq-find 'no such name' "$COPIES"
	run -0 --separate-stderr nsq-find --at 45ms -w 32ms..33ms "$COPIES"
	holds "${stderr_lines[0]}" "45000000 ns is not in the window 32000000..33000000 ns of '$COPIES'"
	same 1 "${#lines[@]}"
}

@test "exit 3 names the flag of the kind that was not captured" {
	fails 3 "holds no OS calls" "nsys profile --trace=cuda,nvtx,osrt" -- nsq-find --kind os . "$COMPILE"
	t=$(change "$COMPILE" "$(drop_tables "$COMPILE" 'NVTX_*')")
	fails 3 "holds no NVTX events" "nsys profile --trace=cuda,nvtx" -- nsq-find --kind range,mark . "$t"
	run -0 nsq-find -q --kind kernel,os . "$t"
	same "$(nsq-find -q --kind kernel . "$COMPILE" | count)" "$(count <<<"$output")"
	same "-" "$(col nvtx <<<"$output" | sort -u)"
}
