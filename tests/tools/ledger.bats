# nsq-ledger: where does the step go?
load ../helper
load ../accounting
load ../small-traces

# The random traces of tests/random compare every row with a reading in Python; here stand the fixtures, the names of
# kernels, and what those traces do not have: steps, event waits, ranks.

# owned CLASS: the time of a class of owners of a ledger, by process and GPU.
owned() {
	awk -F '\t' -v want=" $* " 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		index(want, " " $at["owner"] " ") { s[$at["pid"] "\t" $at["gpu"]] += $at["dur_ns"] } { s[$at["pid"] "\t" $at["gpu"]] += 0 }
		END { for (k in s) printf "%s\t%.0f\n", k, s[k] }' | sort
}
COMPUTE="matmul matmul.plain attention attention.plain pointwise reduction optimizer move graph compute"
IDLE="launch sync alloc load api data mpi host queued turnaround um unknown edge"

# bats test_tags=more
@test "the owners of a process and GPU add up to the window, and each class to what nsq-overlap and nsq-gaps find, in every fixture" {
	check() {
		nsq-ledger -q -w .. "$1" > "$BATS_TEST_TMPDIR/ledger"
		nsq-overlap -q --total "$1" > "$BATS_TEST_TMPDIR/total"
		same "$(col pid gpu start_ns end_ns < "$BATS_TEST_TMPDIR/total" | awk -F '\t' '{ print $1 "\t" $2 "\t" $4 - $3 }' | sort)" \
			"$(owned $COMPUTE $IDLE comm comm.wait copy copy.pageable copy.um < "$BATS_TEST_TMPDIR/ledger")"
		same "$(col pid gpu compute_ns < "$BATS_TEST_TMPDIR/total" | sort)" "$(owned $COMPUTE < "$BATS_TEST_TMPDIR/ledger")"
		same "$(col pid gpu comm_only_ns < "$BATS_TEST_TMPDIR/total" | sort)" "$(owned comm comm.wait < "$BATS_TEST_TMPDIR/ledger")"
		same "$(col pid gpu copy_only_ns < "$BATS_TEST_TMPDIR/total" | sort)" "$(owned copy copy.pageable copy.um < "$BATS_TEST_TMPDIR/ledger")"
		same "$(col pid gpu idle_ns < "$BATS_TEST_TMPDIR/total" | sort)" "$(owned $IDLE < "$BATS_TEST_TMPDIR/ledger")"
	}
	every check
}

# same_account OPTION...: nsq-gaps and nsq-ledger give the same idle time to the same owners.
same_account() {
	nsq-gaps -q --by cause "$@" | col window start_ns end_ns pid gpu cause idle_ns synced_ns | sort > "$BATS_TEST_TMPDIR/gaps"
	nsq-ledger -q --by owner "$@" | col window start_ns end_ns pid gpu owner dur_ns synced_ns |
		awk -F '\t' -v idle=" $IDLE " 'index(idle, " " $6 " ")' | sort > "$BATS_TEST_TMPDIR/ledger"
	[ -s "$BATS_TEST_TMPDIR/gaps" ] || echo "no gaps: $*"
	cmp "$BATS_TEST_TMPDIR/gaps" "$BATS_TEST_TMPDIR/ledger"
}

# bats test_tags=more,long
@test "idle time is that of nsq-gaps --by cause, owner by owner: whole, in steps and in windows that cut gaps, with -m and --adopt" {
	local t w=$BATS_TEST_TMPDIR/windows.tsv
	for t in $(some_or_all "$FIXTURES"/{threads-copies,dualpipe-pp2ep2}.sqlite); do
		echo "fixture: $t"
		same_account -w .. "$t"
		nsq-window -q --pick all --skip 0 --period "$t" > "$w" || continue      # no CUDA work
		same_account -w "$w" "$t"
		# a third of each of the longest gaps, and from the middle of one to the middle of another
		nsq-gaps -q --each -n 8 "$t" | col pid start_ns end_ns | awk -v OFS='\t' 'BEGIN { print "pid", "start_ns", "end_ns", "window" }
			{ d = int(($3 - $2) / 3); print $1, $2 + d, $3 - d, "cut#" NR } last[$1] { a = last[$1]; b = $2 + d; print $1, a < b ? a : b, a < b ? b : a, "between#" NR }
			{ last[$1] = $2 + d }' > "$w"
		same_account -w "$w" "$t"
		same_account -w "$w" --merge --adopt "$t"
		same_account -w "$w" -m none "$t"
		same_account -w "$w" -w .. -m 'e' --adopt "$t"
	done
}

# bats test_tags=slow
@test "the same of programs with a fault" {
	local f t=$BATS_TEST_TMPDIR/fault.sqlite
	for f in "$FIXTURES"/faults/*.xz "$FIXTURES"/faults/*/*.xz; do
		xz -dc "$f" > "$t"
		same_account -w .. "$t"
		nsq-window -q --pick all --period "$t" > "$BATS_TEST_TMPDIR/steps.tsv"
		same_account -w "$BATS_TEST_TMPDIR/steps.tsv" "$t"
	done
}

@test "without windows: the owners of the steady steps, added up; with windows, each of them by owner and range" {
	cd "$BATS_TEST_TMPDIR"
	nsq-window -q --pick all --steady --period "$COMPILE" > steps
	nsq-ledger -q < steps > each
	nsq-ledger "$COMPILE" > merged 2> said
	lacks "$(cat said)" "the column window"
	same "7 owner where" "$(col window < each | sort -u | wc -l) $(head -1 each | cut -f 10,11 | tr '\t' ' ')"
	same "$(nsq-ledger -q --by owner,where -w steps "$COMPILE")" "$(cat each)"
	same "$(nsq-ledger -q --merge --by owner < steps)" "$(cat merged)"
	same "$(nsq-ledger -q --merge --by owner,where < steps)" "$(nsq-ledger -q --by owner,where "$COMPILE")"
	same "$(nsq-ledger -q --merge --spread --by owner < steps)" "$(nsq-ledger -q --spread "$COMPILE")"
	same "$(owned matmul < each) $(owned turnaround < each)" "$(owned matmul < merged) $(owned turnaround < merged)"
	same 7 "$(nsq-ledger -q --each "$COMPILE" | col window | sort -u | wc -l)"
	same "pid rank start_ns end_ns gpu dur_ns pct synced_ns count owner window trace" "$(nsq-ledger --columns | tail -n +2 | cut -f 1 | xargs)"
	fails 2 "'--spread' has no effect without '--merge'" -- nsq-ledger --spread -w steps "$COMPILE"
}

@test "comm.wait: with the traces of the other ranks, communication is divided into waiting and the rest" {
	local all=("$FIXTURES"/collectives-rank?.sqlite) t
	nsq-ledger -q -w .. --by owner "${all[@]}" > "$BATS_TEST_TMPDIR/ledger"
	[ "$(where owner comm.wait < "$BATS_TEST_TMPDIR/ledger" | sum dur_ns)" -gt 0 ]
	# a kernel that runs alone waits as long as nsq-nccl says
	[ "$(where owner comm.wait < "$BATS_TEST_TMPDIR/ledger" | sum dur_ns)" -le "$(nsq-nccl -q --by pid "${all[@]}" | sum wait_ns)" ]
	for t in "${all[@]}"; do        # each trace alone knows of nobody else
		same "$(where trace "$t" < "$BATS_TEST_TMPDIR/ledger" | owned comm comm.wait)" "$(nsq-ledger -q -w .. --by owner "$t" | owned comm)"
	done
}

# OWNER|NAME[=SHOWN][|DEMANGLED]: the owner of a kernel of that name, and the name that is shown.
@test "who owns a kernel, by its name" {
	local sql="" n=0 owner name full
	while IFS='|' read -r owner name full; do
		n=$((n + 1))
		sql+="INSERT INTO S VALUES (${n}00, '${name%=*}'), (${n}01, '${full:-$name}'); INSERT INTO K VALUES (${n}000, ${n}999, 0, 1, 7, $n, $P5, ${n}01, ${n}00);"
		printf '%s\t%s\n' "$owner" "${name#*=}" >> "$BATS_TEST_TMPDIR/expected"
	done < "$TESTS/kernel-owners.txt"
	same "$(sort "$BATS_TEST_TMPDIR/expected")" "$(nsq-ledger -q -w .. --by owner,where,name "$(made "$sql")" | where where - | col owner name | grep -v '^unknown' | sort)"
}

# steps LINES: a trace of four steps of 1 ms on a CPU of its own, whose calls and ranges are given for one of them, with @ for
# the time at which it begins; and the ledger of its third step by owner, where and name.
steps() {
	local sql="" i
	for i in 0 1 2 3 4; do
		sql+="INSERT INTO N VALUES ($((i * 1000000 + 1)), $(((i + 1) * 1000000)), 59, 'step $i', $P5 + 5, NULL, 0);"
		sql+=$(sed "s/@\([0-9]*\)/$i\1/g; s/#/$i/g" <<<"$1")
	done
	nsq-window -q --pick all --steady --period "$(made "$sql")" | sed 2q | nsq-ledger -q | col owner where dur_ns | sort | tr '\t' ' ' | paste -sd ,
}

# A kernel from 100 to 300 us, launched at 90; then nothing until the next step.
KERNEL="INSERT INTO R VALUES (@090000, @095000, $P5 + 5, 1#, 2); INSERT INTO K VALUES (@100000, @300000, 0, 1, 7, 1#, $P5, 1, 1);"
COPY="INSERT INTO R VALUES (@080000, @085000, $P5 + 5, 9#, 3); INSERT INTO C VALUES (@086000, @090000, 0, 1, 7, 9#, $P5, 64, 1);"

# bats test_tags=long
@test "data: in a range that says so and launches no kernel, or before a copy to the device in no range but the step's" {
	# idle from 300 us to the call at 80 us of the next step
	same "copy step # 4000,data - 1,data step # 779999,launch step # 10000,matmul step # 200000,turnaround step # 6000" "$(steps "$KERNEL $COPY")"
	# the same before a launch: the CPU is busy with something else
	lacks "$(steps "$KERNEL")" "data "
	holds "$(steps "$KERNEL")" "host step #"
	# the thread's last piece of work was a copy to the host: it works on what it has read, not on new data
	out="INSERT INTO R VALUES (@310000, @315000, $P5 + 5, 8#, 3); INSERT INTO C VALUES (@316000, @320000, 0, 1, 7, 8#, $P5, 64, 2);"
	lacks "$(steps "$KERNEL $out $COPY")" "data "
	holds "$(steps "$KERNEL $out $COPY")" "host step # 769999"
	# in a range of its own, whatever it is called
	lacks "$(steps "$KERNEL $COPY INSERT INTO N VALUES (@310000, @999000, 59, 'logging', $P5 + 5, NULL, 0);")" "data logging"
	holds "$(steps "$KERNEL INSERT INTO N VALUES (@310000, @999000, 59, 'next batch', $P5 + 5, NULL, 0);")" "data next batch 689000"
	holds "$(steps "$KERNEL INSERT INTO N VALUES (@310000, @999000, 59, 'DataLoader.next', $P5 + 5, NULL, 0);")" "data DataLoader.next 689000"
	# a name that only holds the letters, and a range that launches a kernel
	lacks "$(steps "$KERNEL INSERT INTO N VALUES (@310000, @999000, 59, 'update databases', $P5 + 5, NULL, 0);")" "data "
	lacks "$(steps "$KERNEL INSERT INTO N VALUES (@050000, @999000, 59, 'batch', $P5 + 5, NULL, 0);")" "data batch"
	# where ranges cross: as long as it is open, whatever the inner one launches later
	crossed="INSERT INTO N VALUES (@010000, @060000, 59, 'next batch', $P5 + 5, NULL, 0)"
	same "data next batch 20000,data prepare 30000,host prepare 30000" \
		"$(steps "$KERNEL $crossed, (@030000, @099000, 59, 'prepare', $P5 + 5, NULL, 0);" | tr , '\n' | grep -E 'batch|host prepare|data' | paste -sd,)"
	same "data next batch 20000,data prepare 30000,host prepare 25000" \
		"$(steps "$KERNEL $crossed, (@030000, @085000, 59, 'prepare', $P5 + 5, NULL, 0);" | tr , '\n' | grep -E 'batch|host prepare|data' | paste -sd,)"
}

# waited CALLS: the ledger by owner and name of a gap from 20 to 90 us, whose last 10 us are the launch, with these MPI calls.
waited() {
	nsq-ledger -q -w .. --by owner,name "$(made "INSERT INTO K VALUES (10000, 20000, 0, 1, 7, 1, $P5, 1, 1), (90000, 95000, 0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO R VALUES (1000, 2000, $P5 + 5, 1, 2), (30000, 31000, $P5 + 5, 8, 5), (70000, 71000, $P5 + 6, 9, 5), (80000, 90000, $P5 + 5, 2, 2);
		INSERT INTO S VALUES (20, 'MPI_Waitall'), (21, 'MPI_Allreduce'), (22, 'MPI_Barrier');
		CREATE TABLE MPI_START_WAIT_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER);
		CREATE TABLE MPI_COLLECTIVES_EVENTS (start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER, size INTEGER); $1")" |
		col owner name dur_ns | grep -E '^(api|data|host|mpi)' | sort | tr '\t' ' ' | paste -sd ,
}

@test "mpi: in an MPI call of the launching thread, in no CUDA call, as far as the gap lies in it" {
	host="api cudaEventRecord 1000,host - 59000"
	same "$host" "$(waited "")"             # the tables are there, and empty
	same "api cudaEventRecord 1000,mpi MPI_Waitall 59000" "$(waited "INSERT INTO MPI_START_WAIT_EVENTS VALUES (15000, 85000, $P5 + 5, 20)")"
	# calls of other threads, of one that does nothing else, of another process, and before or after the gap
	same "$host" "$(waited "INSERT INTO MPI_START_WAIT_EVENTS VALUES (15000, 85000, $P5 + 6, 20), (15000, 85000, $P5 + 7, 20),
		(15000, 85000, $P6 + 5, 20), (15000, 20000, $P5 + 5, 20), (80000, 85000, $P5 + 5, 20), (-9, 85000, $P5 + 5, 20), (40000, NULL, $P5 + 5, 20)")"
	# parts of the gap; of calls in calls the outermost, from whatever table
	same "api cudaEventRecord 1000,host - 29000,mpi MPI_Allreduce 20000,mpi MPI_Waitall 10000" \
		"$(waited "INSERT INTO MPI_COLLECTIVES_EVENTS VALUES (50000, 70000, $P5 + 5, 21, 8); INSERT INTO MPI_START_WAIT_EVENTS VALUES
			(10000, 30000, $P5 + 5, 20), (55000, 60000, $P5 + 5, 20)")"
	# a range that says data comes first
	same "api cudaEventRecord 1000,data - 20000,host - 9000,mpi MPI_Waitall 30000" \
		"$(waited "INSERT INTO MPI_START_WAIT_EVENTS VALUES (31000, 71000, $P5 + 5, 20); INSERT INTO N VALUES (31000, 41000, 59, 'data', $P5 + 5, NULL, 0), (20000, 30000, 59, 'data', $P5 + 5, NULL, 0)")"
}

@test "without windows, a terminal gets the same rows as a pipe" {
	needs_terminal
	same "$(nsq-ledger -q "$COMPILE")" "$(script -qec "nsq-ledger -q -f tsv '$COMPILE'" /dev/null | tr -d '\r')"
}

@test "--each: the stretches follow each other without a hole, and add up to the owners" {
	cd "$BATS_TEST_TMPDIR"
	nsq-window -q --period "$FIXTURES/train.sqlite" > step
	nsq-ledger -q --each < step > each
	same "$(nsq-ledger -q --by owner,where,name < step | col dur_ns owner where name | sort)" \
		"$(nsq-sql -q 'SELECT sum(dur_ns) AS ns, owner, "where", name FROM t GROUP BY 2, 3, 4' each | tail -n +2 | sort)"
	same "$(col start_ns < step) $(col end_ns < step) 0" "$(nsq-sql -q 'SELECT min(start_ns) AS a, max(end_ns) AS b, sum(next <> end_ns) AS holes
		FROM (SELECT start_ns, end_ns, lead(start_ns) OVER (ORDER BY start_ns) AS next FROM t)' each | tail -1 | tr '\t' ' ')"
	fails 2 "" -- nsq-ledger --each --by owner "$FIXTURES/train.sqlite"
	same "$(nsq-ledger -q --by owner < step | col owner synced_ns | sort)" "$(col owner synced_ns < each | added 1)"
	same 0 "$(nsq-sql -q 'SELECT sum(synced_ns NOT IN (0, dur_ns)) AS n FROM t' each | tail -1)"
}

# bats test_tags=slow
@test "a window with a lot of work, which is summed up in parts, and many GPUs of a process, for which calls are summed up: the sums are those of the stretches" {
	t=$BATS_TEST_TMPDIR/gpus.sqlite
	cp "$FIXTURES/decode-eager-long.sqlite" "$t"
	added() { awk -F '\t' -v keys="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(keys, key, " "); next }
		{ k = ""; for (i = 1; i <= n; i++) k = k $at[key[i]] " "; s[k] += $at["dur_ns"] } END { for (k in s) printf "%s%.0f\n", k, s[k] }' | sort; }
	check() {       # check ROWS OPTION...
		nsq-ledger -q --each "${@:2}" "$t" > "$BATS_TEST_TMPDIR/each"
		[ "$(nsq-ledger -q "${@:2}" "$t" | wc -l)" -gt $1 ]
		cmp <(nsq-ledger -q --by owner,where,name "${@:2}" "$t" | added gpu owner where name window) <(added gpu owner where name window < "$BATS_TEST_TMPDIR/each")
		cmp <(nsq-ledger -q "${@:2}" "$t" | added gpu owner where window) <(added gpu owner where window < "$BATS_TEST_TMPDIR/each")
	}
	check 10 -w ..
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = rowid / 40 % 12"
	check 100 -w 300ms..350ms
}

# A call that waits is inside another, and the GPU is idle soon after both: only what is outermost counts.
@test "calls are around each other wherever their rows are in the table" {
	listed() {
		made "INSERT INTO K VALUES (1000, 3000000, 0, 1, 7, 1, $P5, 1, 1), (3010000, 3020000, 0, 1, 7, 2, $P5, 1, 1);
			CREATE TABLE all_calls AS SELECT * FROM R; INSERT INTO all_calls VALUES (500, 600, $P5 + 5, 1, 2), (2990000, 2998000, $P5 + 5, 0, 4),
				(2999300, 2999400, $P5 + 5, 0, 5), (2985000, 2999000, $P5 + 5, 0, 5), (2999500, 2999600, $P5 + 5, 0, 5),
				(2999700, 2999800, $P5 + 5, 0, 5), (3005000, 3006000, $P5 + 5, 2, 2);
			INSERT INTO R SELECT * FROM all_calls ORDER BY $1; DROP TABLE all_calls"
	}
	same "1000 launch,3009000 matmul,4000 turnaround,5000 host" "$(nsq-ledger -q --by owner "$(listed start)" | col dur_ns owner | tr '\t' ' ' | sort | paste -sd ,)"
	for order in rowid 'rowid DESC' end; do
		same "$(nsq-ledger -q --each "$(listed start)" | without trace window)" "$(nsq-ledger -q --each "$(listed "$order")" | without trace window)"
	done
}
