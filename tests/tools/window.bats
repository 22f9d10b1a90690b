# nsq-window: which moments shall we look at?
load ../helper
load ../accounting
load ../small-traces

WHERE='pid start_ns end_ns cpu_start_ns cpu_end_ns dur_ns work index count rule name'

# projected TRACE CONDITION: the ranges that meet the SQL condition, in order of start, numbered by
# process, each with its projection: first start to last end of the work launched while it is open
# by any thread of its process.
projected() {
	ask "$1" "SELECT pid, coalesce(ga, a), coalesce(gb, b), a, b, coalesce(gb - ga, b - a), work,
		row_number() OVER (PARTITION BY pid ORDER BY a, b DESC, name) - 1, count(*) OVER (PARTITION BY pid), name
		FROM (SELECT r.pid, r.a, r.b, r.name, min(l.a) AS ga, max(l.b) AS gb, count(l.a) AS work FROM ranges r
			LEFT JOIN launched l ON l.proc = r.proc AND l.launch >= r.a AND l.launch < r.b
			WHERE $2 GROUP BY r.rowid)
		ORDER BY pid, a, b DESC, name"
}

# of RULE: what nsq-window printed, in the columns of projected, each row checked for its rule.
of() {
	col $WHERE <<<"$output" | awk -F '\t' -v OFS='\t' -v rule="$1" '
		$10 != rule { print "rule " $10; exit } { print $1, $2, $3, $4, $5, $6, $7, $8, $9, $11 }'
}

# The rows of projected with that index.
at() { awk -F '\t' -v i="$1" '$8 == i'; }

@test "the reference chunk of pid 693 holds" {
	answers nsq-window -q "$DUALPIPE"
	same "234632785${TAB}271476181${TAB}3${TAB}6${TAB}chunk${TAB}forward chunk 5 (phase0) backward chunk 3 (phase1)" \
		"$(where pid 693 <<<"$output" | col start_ns end_ns index count rule name)"
}

@test "by default each process gets its middle chunk" {
	answers nsq-window -q "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk % backward chunk%'" | at 3)" "$(of chunk)"
	same "$(where pid 694 <<<"$output" | col name cpu_start_ns cpu_end_ns | awk -F '\t' '{ print $1 "#3@" $2 ".." $3 }')" "$(where pid 694 <<<"$output" | col window)"
	# a CPU side that is the same is not written
	same "$(where pid 694 <<<"$output" | col name)#3" "$(nsq-window --cpu -p 694 "$DUALPIPE" | col window)"
	same "-" "$(nsq-window "$DUALPIPE" | col gpu | sort -u)"
	same "-" "$(nsq-window -g 0 --list "$DUALPIPE" | col gpu | sort -u)"
}

# bats test_tags=more
@test "without chunks the iterations are found" {
	run --separate-stderr nsq-window -q --skip 0 --pick all "$DDP"
	same "$(projected "$DDP" "r.name LIKE 'iteration %'")" "$(of iteration)"
	same "8${TAB}8" "$(col pid <<<"$output" | sort | uniq -c | awk '{ printf "%s%s", sep, $1; sep = "\t" }')"
	more || return 0
	answers nsq-window -q --skip 0 --pick all "$COMPILE"
	same "$(projected "$COMPILE" "r.name LIKE 'step %'")" "$(of iteration)"
	answers nsq-window -q --skip 0 --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'step' AND r.type = 59")" "$(of iteration)"
}

@test "without ranges that repeat the whole process is the window" {
	t=$(change "$COPIES" "DELETE FROM NVTX_EVENTS WHERE eventType = 59")
	mentions "no steps found" "-m REGEX" "--list" -- nsq-window "$t"
	same "$(ask "$t" "SELECT pid, ga, gb, a, b, gb - ga, (SELECT count(*) FROM work), 0, 1, 'process', 'w_mix', 'w_mix#0@' || a || '..' || b FROM procs")" \
		"$(col pid start_ns end_ns cpu_start_ns cpu_end_ns dur_ns work index count rule name window <<<"$output")"
}

@test "-m chooses push/pop and start/end ranges by their unfolded names" {
	answers nsq-window -q -m '^load batch$' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'load batch' AND r.type = 60")" "$(of match)"
	same 12 "$(count <<<"$output")"
	answers nsq-window -q -m 'chunk 5 .phase0. backward' --pick all "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE '%chunk 5 (phase0) backward%'")" "$(of match)"
}

@test "-m: start/end ranges that end on another thread are whole" {
	[ "$(sql "$COPIES" "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60 AND globalTid <> endGlobalTid")" -gt 0 ]
	same "$(sql "$COPIES" "SELECT start, end FROM NVTX_EVENTS WHERE eventType = 60 ORDER BY start")" \
		"$(nsq-window -m 'load batch' --pick all "$COPIES" | col cpu_start_ns cpu_end_ns)"
}

@test "-m: a registered string is a name" {
	[ "$(sql "$COPIES" "SELECT count(*) FROM NVTX_EVENTS WHERE text IS NULL AND textId IS NOT NULL")" -gt 0 ]
	answers nsq-window -q -m '^registered' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'registered gemm phase'")" "$(of match)"
	same 12 "$(count <<<"$output")"
}

@test "-m: ranges of every domain are matched, on all threads" {
	same "Trainer" "$(ask "$COPIES" "SELECT DISTINCT domain FROM ranges WHERE name = 'step'")"
	same "-" "$(ask "$COPIES" "SELECT DISTINCT domain FROM ranges WHERE name = 'tail'")"
	answers nsq-window -q -m '^(step|tail)$' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name IN ('step', 'tail')")" "$(of match)"
}

@test "-m: a range that was never closed ends with its process" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET end = NULL WHERE text = 'never closed'")
	answers nsq-window -q -m 'never closed' "$t"
	same "$(ask "$t" "SELECT r.a, p.b FROM ranges r JOIN procs p USING (proc) WHERE r.name = 'never closed'")" \
		"$(col cpu_start_ns cpu_end_ns <<<"$output")"
}

@test "-m: a range before time 0 is left out" {
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET start = -5 WHERE text = 'step 0'")
	same "step 1" "$(nsq-window -m '^step' --pick first "$t" | col name)"
	same 9 "$(nsq-window -m '^step' --pick first "$t" | col count)"
}

@test "a range is projected on the work of all threads of its process" {
	# the autograd thread launches what the main thread's backward asks for
	answers nsq-window -q -q -p 1084 -m '^backward$' --pick all "$DDP"
	same "$(projected "$DDP" "r.name = 'backward' AND r.pid = 1084")" "$(of match)"
	col dur_ns <<<"$output" | awk '$1 < 10000000 || $1 > 200000000 { print; bad = 1 } END { exit bad || NR != 8 }'
	[ "$(ask "$DDP" "SELECT count(*) FROM launched l JOIN ranges r ON r.proc = l.proc AND launch >= r.a AND launch < r.b
		WHERE r.name = 'backward' AND r.pid = 1084 AND l.tid <> r.tid")" -gt 1000 ]
}

@test "a range is half open: work launched where it begins is its own, where it ends is not" {
	local first last
	read -r first last <<<"$(ask "$COMPILE" "SELECT min(l.launch), max(l.launch) FROM launched l JOIN ranges r
		ON l.launch >= r.a AND l.launch < r.b WHERE r.name = 'step 5'")"
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET start = $first, end = $last WHERE text = 'step 5'")
	answers nsq-window -q -m '^step 5$' "$t"
	same "$(projected "$t" "r.name = 'step 5'")" "$(of match)"
	same "$(($(nsq-window -m '^step 5$' "$COMPILE" | col work) - 1))" "$(col work <<<"$output")"
}

@test "processes never mix: equal correlation ids belong to different processes" {
	[ "$(ask "$DUALPIPE" "SELECT count(*) FROM (SELECT corr FROM work GROUP BY corr HAVING count(DISTINCT proc) > 1)")" -gt 100 ]
	# a join by the id alone would find other launches: the projections would differ
	local joined alone
	joined=$(projected "$DUALPIPE" "r.name LIKE 'forward chunk %'" | cut -f1-7)
	alone=$(ask "$DUALPIPE" "SELECT r.pid, min(w.a), max(w.b) FROM ranges r JOIN calls c ON c.proc = r.proc AND c.a >= r.a AND c.a < r.b
		JOIN work w ON w.corr = c.corr WHERE r.name LIKE 'forward chunk %' GROUP BY r.rowid ORDER BY r.pid, r.a")
	[ "$(cut -f1-3 <<<"$joined")" != "$alone" ]
	answers nsq-window -q -m '^forward chunk ' --pick all "$DUALPIPE"
	same "$joined" "$(of match | cut -f1-7)"
}

@test "CUDA graphs by node: one launch owns all the kernels of its graph" {
	answers nsq-window -q -m '^decode step$' --pick all "$NODES"
	same "$(projected "$NODES" "r.name = 'decode step'")" "$(of match)"
	same 179 "$(col work <<<"$output" | sort -u)"
}

@test "CUDA graphs traced whole: one piece of work per launch" {
	answers nsq-window -q -m '^decode step$' --pick all "$WHOLE"
	same "$(projected "$WHOLE" "r.name = 'decode step'")" "$(of match)"
	same 1 "$(col work <<<"$output" | sort -u)"
}

@test "--pick first, last, middle and a number" {
	local all
	all=$(projected "$COMPILE" "r.name LIKE 'step %'")
	for pick in first:0 last:9 middle:5 0:0 7:7 9:9; do
		answers nsq-window -q --skip 0 --pick "${pick%:*}" "$COMPILE"
		same "$(at "${pick#*:}" <<<"$all")" "$(of iteration)"
	done
}

@test "--pick longest and shortest go by length where no range has a period" {
	one="r.name LIKE 'forward chunk 5 %'"
	answers nsq-window -q --pick longest -m '^forward chunk 5 ' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "$one" | sort -t "$TAB" -k1,1n -k6,6nr | awk -F '\t' '!seen[$1]++')" "$(of match)"
	answers nsq-window -q --pick shortest -m '^forward chunk 5 ' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "$one" | sort -t "$TAB" -k1,1n -k6,6n | awk -F '\t' '!seen[$1]++')" "$(of match)"
}

@test "--pick longest and shortest go by the time up to the next range, with --period and without" {
	# let the GPU stand still once, between the chunks of process 693
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 90000000, end = end + 90000000 WHERE start >= 234632785;
		UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + 90000000, end = end + 90000000 WHERE start >= 234632785")
	projected "$t" "r.name LIKE 'forward chunk % backward chunk%'" | awk -F '\t' -v OFS='\t' '
		$1 == pid { print pid, a, $2 } { pid = $1; a = $2 }' |
		awk -F '\t' -v OFS='\t' '{ print $0, $3 - $2 }' > "$BATS_TEST_TMPDIR/periods"
	for pick in longest:r shortest:; do
		run --separate-stderr nsq-window --period --pick "${pick%:*}" "$t"
		same 0 "$status"
		same "$(sort -s -t "$TAB" -k1,1n -k4,4n${pick#*:} "$BATS_TEST_TMPDIR/periods" | awk '!seen[$1]++')" "$(col pid start_ns end_ns dur_ns <<<"$output")"
	done
	same "$(nsq-window -q --period --pick longest,shortest "$t" | col pid start_ns)" "$(nsq-window -q --pick longest,shortest "$t" | col pid start_ns)"
	# by their own work alone, others would be
	lacks "$(nsq-window -q --pick all -p 693 "$t" | col dur_ns start_ns | sort -n | tail -1 | cut -f 2)" "$(nsq-window -q --pick longest -p 693 "$t" | col start_ns)"
}

@test "--pick N out of range: a note for one process, exit 2 when so in every process" {
	fails 2 "'10'" -- nsq-window -q --pick 10 "$COMPILE"
	# one process with fewer ranges than the others
	t=$(change "$DUALPIPE" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'forward chunk % backward chunk%' AND
		globalTid >> 24 & 0xffffff = 693 AND start > (SELECT min(start) FROM NVTX_EVENTS WHERE
		text LIKE 'forward chunk % backward chunk%' AND globalTid >> 24 & 0xffffff = 693)")
	run --separate-stderr nsq-window --skip 0 --pick 5 "$t"
	same 0 "$status"
	holds "$stderr" "process 693" "'--pick 5'"
	same "694
695
696" "$(col pid <<<"$output")"
}

@test "--pick refuses what it does not know" {
	for wrong in mode 3.. ..3 5..3 3,, ,3 first,x 1e3 0x1 " 3"; do
		fails 2 "'--pick'" "'$wrong'" -- nsq-window --pick "$wrong" "$COMPILE"
	done
	fails 2 "'--pick'" "'-1'" -- nsq-window --pick -1 "$COMPILE"
}

@test "--cpu gives the range's own times" {
	answers nsq-window -q --skip 0 --cpu --pick all "$COMPILE"
	same "$(ask "$COMPILE" "SELECT a, b, a, b, b - a FROM ranges WHERE name LIKE 'step %' ORDER BY a")" \
		"$(col start_ns end_ns cpu_start_ns cpu_end_ns dur_ns <<<"$output")"
}

@test "a range that launched nothing uses its CPU times, with a note" {
	t=$(change "$COMPILE" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
		SELECT min(start) + 1, min(start) + 2, 59, 'nothing here', globalTid, 0 FROM NVTX_EVENTS")
	same 0 "$(projected "$t" "r.name = 'nothing here'" | cut -f7)"
	mentions "launched no work" "1 of 1" -- nsq-window -m 'nothing here' "$t"
	same "$(projected "$t" "r.name = 'nothing here'")" "$(of match)"
	answers nsq-window -q --cpu -m 'nothing here' "$t"
}

@test "period_ns is the next range's start less its own, and --period ends the window there" {
	answers nsq-window -q --skip 0 --pick all "$COMPILE"
	same "$(col start_ns period_ns <<<"$output")" \
		"$(projected "$COMPILE" "r.name LIKE 'step %'" | cut -f2 | awk 'NR > 1 { print was "\t" $1 - was } { was = $1 } END { print was "\t-" }')"
	# the last has no next, and is left out
	run --separate-stderr nsq-window --skip 0 --period --pick last "$COMPILE"
	same "0 0" "$status $(count <<<"$output")"
	holds "$stderr" "1 of 1 ranges" "--period"
	# nothing is left: what to write instead
	mentions "skipped 1 of 1 ranges" "drop --period" -- nsq-window --period -m '^step 5$' "$COMPILE"
	same 0 "$(count <<<"$output")"
	same 1 "$(nsq-window -q -m '^step 5$' "$COMPILE" | count)"
	same "step 5" "$(nsq-window -q --period -m '^step ' --pick 5 "$COMPILE" | col name)"
	run --separate-stderr nsq-window --skip 0 --period --pick all "$COMPILE"
	lacks "$stderr" "drop --period"
	answers nsq-window -q --skip 0 --period --pick all "$COMPILE"
	# the windows tile the time: each ends where the next begins
	col start_ns end_ns dur_ns <<<"$output" | awk 'NR > 1 && $1 != end { bad = 1 } $3 != $2 - $1 { bad = 1 } { end = $2 } END { exit bad || NR != 9 }'
	# and so they do on the CPU side
	col cpu_start_ns cpu_end_ns <<<"$output" | awk 'NR > 1 && $1 != end { bad = 1 } { end = $2 } END { exit bad || NR != 9 }'
	same "$(ask "$COMPILE" "SELECT a FROM ranges WHERE name LIKE 'step %' ORDER BY a" | tail -1)" "$(col cpu_end_ns <<<"$output" | tail -1)"
}

@test "period_ns of a picked range is to the next of all that were chosen" {
	same "$(nsq-window -q --skip 0 --pick all "$COMPILE" | where index 5 | col period_ns)" "$(nsq-window -q --skip 0 --pick 5 "$COMPILE" | col period_ns)"
	same "-" "$(nsq-window --skip 0 --pick last "$COMPILE" | col period_ns)"
}

@test "-w keeps the ranges whose projection touches it" {
	local a b
	read -r a b <<<"$(projected "$COMPILE" "r.name LIKE 'step %'" | at 4 | cut -f2,3)"
	answers nsq-window -q --skip 0 --pick all -w "$((a + 10))..$((b - 10))" "$COMPILE"
	same "step 4" "$(col name <<<"$output")"
	answers nsq-window -q --skip 0 --pick all -w "$a..$((b + 1000000))" "$COMPILE"
	same "step 4
step 5" "$(col name <<<"$output")"
	# half open: a range that begins where the window ends is not in it
	answers nsq-window -q --skip 0 --pick all -w "..$a" "$COMPILE"
	same "step 3" "$(col name <<<"$output" | tail -1)"
	answers nsq-window -q --skip 0 --pick all -w "$b.." "$COMPILE"
	same "step 5" "$(col name <<<"$output" | head -1)"
}

@test "--list counts the candidates by folded name" {
	answers nsq-window -q --list "$COPIES"
	same "$(projected "$COPIES" 1 | cut -f10 | fold | tally)" "$(col name count <<<"$output")"
	answers nsq-window -q --list -m '^forward chunk' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk%'" | cut -f1,7,10 | awk -F '\t' -v OFS='\t' '
			{ gsub(/[0-9]+/, "#", $3); n[$1 OFS $3]++; w[$1 OFS $3] += $2 } END { for (k in n) print k, n[k], w[k] }' | sort)" \
		"$(col pid name count work <<<"$output" | sort)"
}

@test "--list: work launched in ranges that overlap counts once" {
	answers nsq-window -q --list -m '^load batch$' "$COPIES"
	same "$(ask "$COPIES" "SELECT count(*), sum(CASE WHEN kind IN ('kernel', 'graph') THEN b - a ELSE 0 END) FROM launched l
			WHERE EXISTS (SELECT 1 FROM ranges r WHERE r.name = 'load batch' AND l.launch >= r.a AND l.launch < r.b)")" \
		"$(col work gpu_ns <<<"$output")"
	[ "$(ask "$COPIES" "SELECT count(*) FROM ranges x JOIN ranges y ON x.name = 'load batch' AND y.name = x.name AND
		x.rowid < y.rowid AND x.a < y.b AND y.a < x.b")" -gt 0 ]
}

@test "--list of the NCCL domain's ranges goes with the rest" {
	same "$(ask "$DUALPIPE" "SELECT count(*) FROM ranges WHERE domain = 'NCCL' AND name = 'ncclAlltoAll' AND pid = 693")" \
		"$(nsq-window --list -p 693 "$DUALPIPE" | where name ncclAlltoAll | col count)"
}

@test "a pattern that matches nothing gives a header and a note; a bad one is refused" {
	mentions "no rows" "--list" -- nsq-window -m 'no such range' "$COMPILE"
	same 1 "${#lines[@]}"
	fails 2 "-m" "'('" -- nsq-window -m '(' "$COMPILE"
	# a name that is nearly one of the trace's is put right, by every tool that takes -m for ranges
	for tool in nsq-window nsq-nvtx nsq-ledger nsq-advise; do
		holds "$($tool -m 'lod bacth' "$COPIES" 2>&1 >/dev/null)" "no range in '$COPIES' is called 'lod bacth', did you mean 'load batch'?"
		lacks "$($tool -m 'load batch' "$COPIES" 2>&1 >/dev/null)" "did you mean"
	done
	# a folded name, as tables show it, is put right by an expression that works
	holds "$(nsq-window -m 'step #' "$TRAIN" 2>&1 >/dev/null)" "is called 'step #', did you mean 'step \d+'?"
	lacks "$(nsq-window -m 'step \d+' "$TRAIN" 2>&1 >/dev/null)" "did you mean"
	t=$(change "$TRAIN" "UPDATE NVTX_EVENTS SET text = text || ' (bs=4)' WHERE text LIKE 'step %'")
	meant=$(nsq-window -m 'stepp 3 (bs=4)' "$t" 2>&1 >/dev/null | sed -n "s/.*did you mean '\([^']*\)'.*/\1/p")
	same 'step \d+ \(bs=\d+\)' "$meant"
	lacks "$(nsq-window -m "$meant" "$t" 2>&1 >/dev/null)" "no range"
	while IFS='|' read -r command typed meant; do
		holds "$($command -m "$typed" $COPIES 2>&1 >/dev/null)" "did you mean $meant?" || { echo "$command $typed"; false; }
	done <<-END
		nsq-diff $COPIES|^Lod Bacth$|'load batch'
		nsq-sql --finding small|lod bacth|'load batch'
		nsq-kernels|REDUCE_rosw|'reduce_rows'
		nsq-kernels --full|reduce_rosw|'reduce_rows'
		nsq-mem|pagable|'h2d pageable device' or 'd2h device pageable'
	END
	holds "$(nsq-metrics -m Tensro "$FIXTURES/train-metrics.sqlite" 2>&1)" "did you mean 'Tensor Active \[Throughput %\]'?"
	lacks "$(nsq-kernels --full -m 'reduce_rows[(]' "$COPIES" 2>&1 >/dev/null)" "did you mean"
}

@test "rows come by start, process by process" {
	nsq-window -q --pick all -m . "$DUALPIPE" | col pid start_ns |
		awk '$1 < pid || ($1 == pid && $2 < start) { bad = 1 } { pid = $1; start = $2 } END { exit bad || NR < 1000 }'
}

@test "options without effect in the mode are refused" {
	fails 2 "'--pick'" "'--list'" -- nsq-window --list --pick all "$COMPILE"
	fails 2 "'--cpu'" "'--list'" -- nsq-window --list --cpu "$COMPILE"
	fails 2 "'--period'" "'--list'" -- nsq-window --list --period "$COMPILE"
}

# ---- the limits of the rules, on traces of a few rows

# stepped TOTAL OTHER RANGE...: a trace of one process whose ranges "NAME START END" each launch one
# kernel, 1 ns after they open; the first takes TOTAL ns less one for each of the others, which take 1 ns.
# One more kernel of OTHER ns is launched outside every range.
stepped() {
	local total=$1 other=$2 sql="" name a b i=0 ns at=100000
	shift 2
	for range; do
		read -r name a b <<<"$range"
		i=$((i + 1)) ns=1
		[ $i -gt 1 ] || ns=$((total - $# + 1))
		sql+="INSERT INTO N VALUES ($a, $b, 59, '$name $i', $P5 + 5, NULL, 0); INSERT INTO R VALUES ($a + 1, $a + 2, $P5 + 5, $i, 2);
			INSERT INTO K VALUES ($at, $((at + ns)), 0, 1, 7, $i, $P5, 1, 1);"
		at=$((at + ns + 10))
	done
	made "$sql INSERT INTO R VALUES (90000, 90001, $P5 + 5, 99, 2); INSERT INTO K VALUES ($at, $((at + other)), 0, 1, 7, 99, $P5, 1, 1)"
}

# rule TRACE: the rule that finds the steps, how many there are, and their name.
rule() { nsq-window -q --pick first "$1" | col rule count name | fold | tr '\t' ' '; }

@test "iterations occur three times or more" {
	same "iteration # step #" "$(rule "$(stepped 50 5 "step 10 20" "step 30 40" "step 50 60")")"
	same "3" "$(nsq-window -q --pick first "$(stepped 50 5 "step 10 20" "step 30 40" "step 50 60")" | col count)"
	same "process" "$(nsq-window -q "$(stepped 50 5 "step 10 20" "step 30 40")" | col rule)"
}

@test "iterations hold half of the kernel time, to the nanosecond" {
	steps=("step 10 20" "step 30 40" "step 50 60")
	same "iteration" "$(nsq-window -q --pick first "$(stepped 50 50 "${steps[@]}")" | col rule)"
	same "process" "$(nsq-window -q --pick first "$(stepped 50 51 "${steps[@]}")" | col rule)"
	# 49 of 98 is half; 49 of 99 is less
	same "iteration" "$(nsq-window -q --pick first "$(stepped 49 49 "${steps[@]}")" | col rule)"
	same "process" "$(nsq-window -q --pick first "$(stepped 49 50 "${steps[@]}")" | col rule)"
}

@test "iterations may touch but not overlap" {
	same "iteration" "$(nsq-window -q --pick first "$(stepped 50 5 "step 10 20" "step 20 30" "step 30 40")" | col rule)"
	same "process" "$(nsq-window -q --pick first "$(stepped 50 5 "step 10 21" "step 20 30" "step 30 40")" | col rule)"
}

@test "of two names that say neither a step nor a part, the one open longer; of two open equally long, the first by name" {
	# 'late' comes around each 'phase' and holds its launches too
	two=("phase 12 18" "late 10 20" "phase 32 38" "late 30 40" "phase 52 58" "late 50 60")
	same "iteration # late #" "$(rule "$(stepped 500 5 "${two[@]}")")"
	two=("phase 10 20" "late 10 20" "phase 30 40" "late 30 40" "phase 50 60" "late 50 60")
	same "iteration # late #" "$(rule "$(stepped 500 5 "${two[@]}")")"
	two=("phase 10 20" "late 10 20" "phase 30 40" "late 30 40" "phase 50 61" "late 50 60")
	same "iteration # phase #" "$(rule "$(stepped 500 5 "${two[@]}")")"
}

# outer and inner begin with the same kernel; outer's last kernel ends where the third range's begins.
@test "--period: a window ends at a later start, never at an equal one" {
	t=$(made "INSERT INTO N VALUES (10, 100, 59, 'x 0', $P5 + 5, NULL, 0), (20, 50, 59, 'x 1', $P5 + 5, NULL, 0), (200, 300, 59, 'x 2', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (30, 31, $P5 + 5, 1, 2), (60, 61, $P5 + 5, 2, 2), (210, 211, $P5 + 5, 3, 2);
		INSERT INTO K VALUES (1000, 1800, 0, 1, 7, 1, $P5, 1, 1), (1800, 2000, 0, 1, 7, 2, $P5, 1, 1), (2000, 2500, 0, 1, 7, 3, $P5, 1, 1)")
	answers nsq-window -q -q -m '^x' --period --pick all "$t"
	same "1000 2000 1000" "$(where name "x 0" <<<"$output" | col start_ns end_ns dur_ns | tr '\t' ' ')"
	same "1000 2000 1000" "$(where name "x 1" <<<"$output" | col start_ns end_ns dur_ns | tr '\t' ' ')"
	same "1000 2000" "$(nsq-window -q -m '^x' --period --pick longest "$t" | col start_ns end_ns | tr '\t' ' ')"
}

@test "the note about ranges without work counts those that are shown" {
	t=$(made "INSERT INTO N VALUES (0, 10, 59, 'x', $P5 + 5, NULL, 0), (20, 30, 59, 'x', $P5 + 5, NULL, 0), (40, 50, 59, 'x', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (1, 2, $P5 + 5, 1, 2); INSERT INTO K VALUES (5, 8, 0, 1, 7, 1, $P5, 1, 1)")
	answers nsq-window -m x --pick first "$t"
	mentions "1 of" -- nsq-window -m x --pick 1 "$t"
	mentions "2 of" -- nsq-window -m x --pick all "$t"
}

@test "iterations have a name, and are not of the NCCL domain" {
	t=$(stepped 50 5 "step 10 20" "step 30 40" "step 50 60")
	same "iteration" "$(nsq-window -q --pick first "$t" | col rule)"
	sqlite3 "$t" "UPDATE NVTX_EVENTS SET domainId = 1; INSERT INTO NVTX_EVENTS VALUES (-1, NULL, 75, 'NCCL', $P5 + 5, NULL, 1)"
	same "process" "$(nsq-window -q --pick first "$t" | col rule)"
	sqlite3 "$t" "UPDATE NVTX_EVENTS SET domainId = 0, text = NULL WHERE eventType = 59"
	same "process" "$(nsq-window -q --pick first "$t" | col rule)"
}

# ---- what a step is

TRAIN=$FIXTURES/train.sqlite

@test "stderr says in one line what was taken, how many there are and what share of the work they hold" {
	mentions "8 steps: ranges 'step #'" "(100 % of kernel time)" -- nsq-window --skip 0 "$TRAIN"
	mentions "24 steps in 4 processes: DualPipeV chunks" "(67 % of kernel time)" -- nsq-window --skip 0 "$DUALPIPE"
	same "67.3" "$(ask "$DUALPIPE" "SELECT printf('%.1f', 100.0 * (SELECT sum(l.b - l.a) FROM launched l WHERE kind = 'kernel' AND EXISTS (SELECT 1 FROM ranges r
		WHERE r.proc = l.proc AND r.name LIKE 'forward chunk % backward chunk%' AND l.launch >= r.a AND l.launch < r.b)) / (SELECT sum(b - a) FROM work WHERE kind = 'kernel'))")"
	answers nsq-window -m step "$TRAIN"
}

# ops FRACTION_1084 FRACTION_1085: DDP with no ranges but 'op N', one in each iteration of each process, from its start over
# that share of its time on the CPU.
ops() {
	change "$DDP" "CREATE TEMP TABLE it AS SELECT start AS a, end AS b, globalTid AS g FROM NVTX_EVENTS WHERE text LIKE 'iteration %';
		DELETE FROM NVTX_EVENTS WHERE eventType IN (59, 60);
		INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
			SELECT a, a + CAST((b - a) * CASE g >> 24 & 0xffffff WHEN 1084 THEN $1 ELSE $2 END AS INTEGER), 59, 'op ' || a, g, 0 FROM it"
}

# held PID: the share of the kernel time of a process that its 'op' ranges launch.
held() { ask "$t" "SELECT CAST(100 * sum(b - a) / (SELECT sum(b - a) FROM work WHERE pid = $1 AND kind = 'kernel') AS INTEGER) FROM launched l WHERE l.pid = $1 AND kind = 'kernel'
	AND EXISTS (SELECT 1 FROM ranges r WHERE r.proc = l.proc AND l.launch >= r.a AND l.launch < r.b)"; }

@test "an operator with half of the time on one rank and less on the other is a step on neither" {
	t=$(ops 0.53 0.25)
	[ "$(held 1084)" -ge 50 ]
	[ "$(held 1085)" -lt 50 ]
	# so the kernels that repeat are, on both
	same "1084 repeat
1085 repeat" "$(nsq-window -q "$t" | col pid rule | tr '\t' ' ')"
	# one that holds all but a little on both is the step of both
	t=$(ops 0.999 0.999)
	same "1084 iteration
1085 iteration" "$(nsq-window -q "$t" | col pid rule | tr '\t' ' ')"
}

@test "a layer that repeats inside the steps is not a step, nor in a trace of one step" {
	t=$(change "$TRAIN" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'step %'")
	same "repeat" "$(nsq-window -q "$t" | col rule)"
	same 8 "$(nsq-window -q --skip 0 --pick all "$t" | count)"
	# one step: its layers stand close together but hold less than half of its time
	read -r a b <<<"$(ask "$TRAIN" "SELECT a, b FROM ranges WHERE name = 'step 5'")"
	t=$(change "$TRAIN" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start < $a OR start >= $b;
		DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE correlationId NOT IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME);
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE correlationId NOT IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME);
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET WHERE correlationId NOT IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME);
		DELETE FROM NVTX_EVENTS WHERE eventType = 59 AND (start < $a OR start >= $b OR text NOT LIKE 'attention%')")
	[ "$(ask "$t" "SELECT count(*) FROM ranges WHERE name LIKE 'attention%'")" -ge 3 ]
	lacks "$(nsq-window -q "$t" | col rule)" iteration
}

@test "a range that says warm-up is no step" {
	for name in 'Warm-up Step ' 'warmup ' 'WARM UP'; do
		t=$(change "$TRAIN" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
			SELECT start - 1, end + 1, 59, '$name' || start, globalTid, domainId FROM NVTX_EVENTS WHERE text LIKE 'step %'")
		same "step #" "$(nsq-window -q "$t" | col name | fold)"
	done
}

@test "a process without the steps of the others is answered whole, with a note" {
	t=$(change "$DDP" "DELETE FROM NVTX_EVENTS WHERE eventType = 59 AND globalTid >> 24 & 0xffffff = 1085")
	run --separate-stderr nsq-window "$t"
	same "1084 iteration
1085 process" "$(col pid rule <<<"$output" | tr '\t' ' ')"
	holds "$stderr" "process 1085" "whole process"
}

# ---- steps without NVTX

# bats test_tags=long
@test "steps are found again without NVTX: as many, and as long" {
	while read -r name steps match; do
		t=$(change "$FIXTURES/$name.sqlite" "DROP TABLE NVTX_EVENTS")
		annotated=$(nsq-window -q --skip 0 --stats ${match:+-m "$match"} "$FIXTURES/$name.sqlite")
		found=$(nsq-window -q --skip 0 --stats "$t")
		echo "$name"
		same "$(col pid <<<"$annotated")" "$(col pid <<<"$found")"
		same repeat "$(nsq-window -q "$t" | col rule | sort -u)"
		paste <(col count period_p50_ns <<<"$annotated") <(col count period_p50_ns <<<"$found") |
			awk -v steps="$steps" '{ d = $3 - $1; r = $4 / $2; if (d > 2 || d < -2 || r > 1.02 || r < 0.98 || $3 != steps) { print; bad = 1 } } END { exit bad || !NR }'
	done <<-'END'
		train 8
		train-metrics 4
		torch-compile 10
		ddp-2rank 8
		collectives-rank0 11
		decode-eager-long 72
	END
}

@test "what does not repeat, or only twice, is taken whole and says so" {
	t=$(change "$TRAIN" "DROP TABLE NVTX_EVENTS" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start >=
		(SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 1 OFFSET (SELECT count(*) / 4 FROM CUPTI_ACTIVITY_KIND_KERNEL))")
	run --separate-stderr nsq-window "$t"
	holds "$stderr" "no steps found" "-m REGEX"
	same process "$(col rule <<<"$output")"
	# every kernel has a name of its own
	t=$(change "$TRAIN" "DROP TABLE NVTX_EVENTS" "INSERT INTO StringIds SELECT 1000000 + rowid, 'kernel ' || rowid FROM CUPTI_ACTIVITY_KIND_KERNEL;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 1000000 + rowid")
	same process "$(nsq-window -q "$t" | col rule)"
}

# The rule by hand: kernels named by letters, launched one after the other; what is found, or whole.
letters() {
	local sql="" i c
	for ((i = 0; i < ${#1}; i++)); do
		c=$(printf '%d' "'${1:i:1}")
		sql="$sql INSERT INTO K VALUES ($((i * 100 + 50)), $((i * 100 + 60)), 0, 1, 7, $((i + 1)), $P5, $c, $c); INSERT INTO R VALUES ($((i * 100)), $((i * 100 + 5)), $P5 + 5, $((i + 1)), 2);"
	done
	t=$(made "INSERT INTO S SELECT 64 + value, char(64 + value) FROM generate_series(1, 60); $sql")
	nsq-window -q --skip 0 --pick all "$t" | col rule name count work | awk -F '\t' '{ printf "%s%s:%s", (NR > 1 ? " " : $1 " " $2 " " $3 " "), $1 == "process" ? "-" : "", $4 } END { print "" }'
}

@test "repeats: the anchor, the stretches and the last one" {
	# four stretches of abc, the last of which the last a opens
	same "repeat a 4 :3 :3 :3 :3" "$(letters abcabcabcabc)"
	# what goes before the first anchor is outside; the last is not whole, so it does not count
	same "repeat a 3 :3 :3 :3" "$(letters abcabcabcab)"
	same "process process 1 -:8" "$(letters abcabcab)"
	# two kernels at least
	same "process process 1 -:6" "$(letters aaaaaa)"
	# the longest sequence, not the shortest: a and b alternate twice in each
	same "repeat x 4 :5 :5 :5 :5" "$(letters xababxababxababxabab)"
}

@test "how many of the stretches agree is said" {
	# of twelve stretches, one has four of its six kernels under another name
	t=$(made "INSERT INTO S SELECT 100 + value, 'k' || value FROM generate_series(0, 9);
		INSERT INTO K SELECT value * 10, value * 10 + 5, 0, 1, 7, value + 1, $P5, 1, 100 + value % 6 + (value / 6 = 4 AND value % 6 > 1) * 3 FROM generate_series(0, 71);
		INSERT INTO R SELECT value * 10 - 5, value * 10 - 4, $P5 + 5, value + 1, 2 FROM generate_series(1, 71); INSERT INTO R VALUES (0, 1, $P5 + 5, 1, 2); DROP TABLE N; CREATE TABLE N (start INTEGER)")
	same "12 steps: repeats of a kernel sequence, 11 alike" "$(nsq-window "$t" 2>&1 >/dev/null | grep -o '[0-9]* steps: .* alike')"
}

@test "where ranges that say a step are none, because events were lost, they are named as the next best" {
	# twelve stretches of six kernels, and twenty ranges, the last eight of which launch nothing
	ranges() {
		made "INSERT INTO S SELECT 100 + value, 'k' || value FROM generate_series(0, 5);
			INSERT INTO K SELECT value * 10 + 5, value * 10 + 9, 0, 1, 7, value + 1, $P5, 1, 100 + value % 6 FROM generate_series(0, 71);
			INSERT INTO R SELECT value * 10, value * 10 + 2, $P5 + 5, value + 1, 2 FROM generate_series(0, 71);
			INSERT INTO N SELECT value * 60 + $2, value * 60 + 59 + $2, 59, '$1 ' || value, $P5 + 5, NULL, 0 FROM generate_series(0, 19)"
	}
	taken() { nsq-window "$(ranges "$@")" 2>&1 >/dev/null | sed -n '/next best/ { s/.*: the next best/the next best/; s/; -v prints.*//; p; }'; }
	same "the next best steps are 20 'step #', which -m '^step [0-9]+\$' chooses" "$(taken step 0)"
	# of another name, or with work in two of them only
	same " " "$(taken phase 0) $(taken step 600)"
}

# ---- the typical step

# bats test_tags=more,long
@test "--pick median: the lower median of the periods, one index for all processes with equally many ranges" {
	# alone: by its own periods
	for t in $(first_few 2 "$TRAIN" "$COMPILE" "$NODES"); do
		same "$(nsq-window -q --pick all "$t" | col period_ns index | grep -v '^-' | sort -n | awk '{ at[NR] = $2 } END { print at[int((NR + 1) / 2)] }')" \
			"$(nsq-window -q --pick median "$t" | col index)"
		same "$(nsq-window -q --pick median "$t")" "$(nsq-window -q "$t")"
	done
	# together: by the summed periods, in one trace or in two
	all=$(nsq-window -q --pick all "$DDP")
	index=$(col index period_ns <<<"$all" | grep -v -- '-$' | awk '{ s[$1] += $2 } END { for (i in s) print s[i], i }' | sort -n | awk '{ at[NR] = $2 } END { print at[int((NR + 1) / 2)] }')
	same "$index" "$(nsq-window -q "$DDP" | col index | sort -u)"
	cp "$COMPILE" "$BATS_TEST_TMPDIR/a.sqlite"
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 50000000, end = end + 50000000 WHERE start > (SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 1 OFFSET 100)")
	same 1 "$(nsq-window -q "$BATS_TEST_TMPDIR/a.sqlite" "$t" | col index | sort -u | wc -l)"
	# with --skip the first do not count
	same "$(nsq-window -q --pick all "$TRAIN" | col period_ns index | grep -v '^-' | awk '$2 >= 3' | sort -n | awk '{ at[NR] = $2 } END { print at[int((NR + 1) / 2)] }')" \
		"$(nsq-window -q --skip 3 "$TRAIN" | col index)"
	# of lengths where there is no period
	same "$(nsq-window -q -m '^step 5$' --pick all "$TRAIN" | col start_ns)" "$(nsq-window -q -m '^step 5$' "$TRAIN" | col start_ns)"
}

@test "--pick takes lists and ranges of indices, --skip leaves out the first" {
	indices() { nsq-window -q "$@" "$COMPILE" | col index | xargs; }
	same "2 3 4" "$(indices --skip 0 --pick 2..4)"
	same "0 2 3 9" "$(indices --skip 0 --pick 2..3,first,last)"
	same "8 9" "$(indices --skip 0 --pick 8..20)"
	same "3 4 5 6 7 8 9" "$(indices --pick all --skip 3)"
	same "3" "$(indices --pick first --skip 3)"
	same "10" "$(nsq-window -q --pick all --skip 3 "$COMPILE" | col count | sort -u)"
	fails 2 "'10'" -- nsq-window -q --pick 10..12 "$COMPILE"
	# what it leaves nothing of is said
	left() { nsq-window "$@" 2>&1 >/dev/null | grep -e --skip || true; }
	same "nsq-window: --skip 10 leaves nothing of 1 of 1 processes or windows, which have at most 10 ranges" "$(left --pick all --skip 10 "$COMPILE")"
	same "nsq-window: --skip 8 leaves nothing of 1 of 2 processes or windows, which have at most 8 ranges" \
		"$(left --pick all --skip 8 "$TRAIN" "$COMPILE")"
	same "" "$(left --pick all --skip 9 "$COMPILE")"
	same "" "$(left --pick all --skip 9 "$(change "$COMPILE" "$(drop_tables "$COMPILE" NVTX_EVENTS)" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 20")")"
}

# bats test_tags=more
@test "--tokens: tokens a second of each step by its period, and at the percentiles of the periods" {
	for args in "" "-m ^step" "--skip 0"; do
		rows=$(nsq-window -q $args --pick all --tokens 4096.5 "$TRAIN")
		same "$(nsq-window -q $args --pick all "$TRAIN" | col period_ns | awk '{ if ($1 == "-") print "-"; else printf "%.2f\n", 4096.5e9 / $1 }')" \
			"$(col tokens_per_s <<<"$rows")"
		same "$(nsq-window -q $args --stats "$TRAIN" | col period_p50_ns period_p90_ns period_p99_ns |
			awk '{ printf "%.2f %.2f %.2f\n", 4096.5e9 / $1, 4096.5e9 / $2, 4096.5e9 / $3 }')" \
			"$(nsq-window -q $args --stats --tokens 4096.5 "$TRAIN" | col tokens_p50_per_s tokens_p90_per_s tokens_p99_per_s | tr '\t' ' ')"
		# and nothing else changes
		same "$(nsq-window -q $args --pick all "$TRAIN")" "$(cut -f1-9,11- <<<"$rows")"
	done
	nsq-window -q --stats --tokens 1000 "$TRAIN" | nsq-gate -q 'tokens_p50_per_s > 1'
	run -4 --separate-stderr nsq-gate -q 'tokens_p50_per_s > 1e9' < <(nsq-window -q --stats --tokens 1000 "$TRAIN")
	fails 2 "'--tokens' takes a number above 0" -- nsq-window --tokens 0 "$TRAIN"
	fails 2 "--every and --bins cut windows" -- nsq-window --bins 3 --tokens 5 "$TRAIN"
}

# bats test_tags=long
@test "--stats: lengths and periods by folded name, as the rows say" {
	mapfile -t ways < <(first_few 2 "" "-m stage2_f" "--skip 0" "--cpu -m ^step")
	for args in "${ways[@]}"; do
		for t in $(first_few 1 "$DUALPIPE" "$TRAIN"); do
			[ "$args $t" != "--cpu -m ^step $DUALPIPE" ] || continue
			rows=$(nsq-window -q $args --pick all "$t")
			for measure in "dur_ns 7,8,10,11 dur_p50_ns dur_p90_ns dur_min_ns dur_max_ns" \
				"period_ns 7,8,9,11 period_p50_ns period_p90_ns period_p99_ns period_max_ns"; do
				read -r from fields columns <<<"$measure"
				want=$(col pid name side $from <<<"$rows" | fold_cell 2 | grep -v -- '-$' | measured | cut -f1-3,$fields)
				same "$want" "$(nsq-window -q $args --stats "$t" | col pid name side $columns | grep -v -- '-$' | sort)"
			done
			same "$(col pid name <<<"$rows" | fold_cell 2 | tally)" "$(nsq-window -q $args --stats "$t" | col pid name count | sort)"
			# the window is that of the ranges counted
			rows=$(nsq-window -q ${args/--skip 0/} --skip 2 --pick all "$t")
			same "$(col pid name side start_ns end_ns index <<<"$rows" | fold_cell 2 | awk -F '\t' -v OFS='\t' '$6 >= 2 { k = $1 OFS $2 OFS $3
				if (!(k in a) || $4 < a[k]) a[k] = $4; if ($5 > b[k]) b[k] = $5 } END { for (k in a) print k, a[k], b[k] }' | sort)" \
				"$(nsq-window -q ${args/--skip 0/} --skip 2 --stats "$t" | col pid name side start_ns end_ns | sort)"
		done
	done
}

@test "side: rows of different sides never share a period" {
	t=$(change "$COMPILE" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
		SELECT end + 1, end + 2, 59, 'step idle', globalTid, domainId FROM NVTX_EVENTS WHERE text IN ('step 3', 'step 6')")
	rows=$(nsq-window -q -m ^step --pick all "$t")
	same "2" "$(where side cpu <<<"$rows" | count)"
	# the periods on the GPU are what they are without those
	same "$(nsq-window -q --skip 0 --pick all "$COMPILE" | col period_ns)" "$(where side gpu <<<"$rows" | col period_ns)"
	read -r a b <<<"$(where side cpu <<<"$rows" | col start_ns | xargs)"
	same "$((b - a)) -" "$(where side cpu <<<"$rows" | col period_ns | xargs)"
	same cpu "$(nsq-window -q --skip 0 --cpu --pick all "$COMPILE" | col side | sort -u)"
}

@test "--period holds on the CPU side: every decode step has the synchronization of its sampling" {
	steps=$(nsq-window -q -m '^decode step' --period --pick all "$NODES")
	calls=$(nsq-api -q --class sync <<<"$steps")
	same "$(count <<<"$steps")" "$(col window <<<"$calls" | sort -u | wc -l)"
	same "$(ask "$NODES" "SELECT count(*) FROM calls WHERE name LIKE '%Synchronize%' AND a >= (SELECT min(a) FROM ranges WHERE name LIKE 'decode step%')
		AND a < (SELECT max(a) FROM ranges WHERE name LIKE 'decode step%')")" "$(sum count <<<"$calls")"
}

# Tiles: parts that add up to what is cut, each with the work that touches it.
@test "--every and --bins cut windows into tiles that add up, and every tool answers over time" {
	answers nsq-window -q --every 100ms "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, min(a), max(b) FROM work GROUP BY pid ORDER BY pid")" \
		"$(col pid start_ns end_ns <<<"$output" | awk -F '\t' -v OFS='\t' '$1 == p && $2 != e { print "a gap at", $2 }
			$1 != p { if (p) print p, a, e; p = $1; a = $2 } { e = $3 } END { print p, a, e }')"
	same "100000000 tile" "$(col dur_ns period_ns rule <<<"$output" | awk '$2 != "-" && !($1 in d) { d[$1]; print $1, $3 }')"
	same "$(nsq-gaps -q "$DUALPIPE" | col pid busy_ns idle_ns)" "$(nsq-gaps -q <<<"$output" | col pid busy_ns idle_ns |
		awk -v OFS='\t' '{ b[$1] += $2; i[$1] += $3 } END { for (p in b) print p, b[p], i[p] }' | sort -n)"
	# of the windows given, the name goes along; the remainder of a division is spread
	answers nsq-window -q -w 100001000..100011000 -p 693 --bins 3 "$DUALPIPE"
	same "100001000 100004333 100004333 100007666 100007666 100011000" "$(col start_ns end_ns <<<"$output" | xargs)"
	answers nsq-window -q --bins 2 <<<"$(nsq-window -q -p 693 --pick 3 "$DUALPIPE")"
	same "$(nsq-window -q -p 693 --pick 3 "$DUALPIPE" | col start_ns end_ns | xargs)" "$(col start_ns end_ns <<<"$output" | xargs | cut -d ' ' -f 1,4)"
	same "forward chunk 5 (phase0) backward chunk 3 (phase1)#3" "$(col name <<<"$output" | sort -u)"
	same "$(ask "$DUALPIPE" "SELECT count(*) FROM work WHERE pid = 693 AND a < 253054483 AND b > 234632785")" "$(col work <<<"$output" | head -1)"
}

@test "tiles that are refused" {
	fails 2 "'--every' takes a time above 0 such as 10ms, not '0'" -- nsq-window --every 0 "$DUALPIPE"
	fails 2 "--every and --bins both say how long windows are; give one of them" -- nsq-window --every 1ms --bins 3 "$DUALPIPE"
	fails 2 "--every and --bins cut windows, they choose no ranges; choose first: nsq-window -m REGEX ... | nsq-window --bins 100" \
		-- nsq-window --bins 3 --steady "$DUALPIPE"
	fails 2 "that makes 381861828 windows, and 1000000 is the most" -- nsq-window --every 1ns "$DUALPIPE"
}
