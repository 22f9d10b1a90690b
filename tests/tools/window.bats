# nsq-window: which moments shall we look at?
load ../helper
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
	answers nsq-window "$DUALPIPE"
	same "234632785${TAB}271476181${TAB}3${TAB}6${TAB}chunk${TAB}forward chunk 5 (phase0) backward chunk 3 (phase1)" \
		"$(where pid 693 <<<"$output" | col start_ns end_ns index count rule name)"
}

@test "by default each process gets its middle chunk" {
	answers nsq-window "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk % backward chunk%'" | at 3)" "$(of chunk)"
	same "$(where pid 694 <<<"$output" | col name cpu_start_ns cpu_end_ns | awk -F '\t' '{ print $1 "#3@" $2 ".." $3 }')" "$(where pid 694 <<<"$output" | col window)"
	# a CPU side that is the same is not written
	same "$(where pid 694 <<<"$output" | col name)#3" "$(nsq-window --cpu -p 694 "$DUALPIPE" | col window)"
	same "-" "$(nsq-window "$DUALPIPE" | col gpu | sort -u)"
	same "-" "$(nsq-window -g 0 --list "$DUALPIPE" | col gpu | sort -u)"
}

@test "without chunks the iterations are found" {
	run --separate-stderr nsq-window -q --pick all "$DDP"
	same "$(projected "$DDP" "r.name LIKE 'iteration %'")" "$(of iteration)"
	same "8${TAB}8" "$(col pid <<<"$output" | sort | uniq -c | awk '{ printf "%s%s", sep, $1; sep = "\t" }')"
	answers nsq-window --pick all "$COMPILE"
	same "$(projected "$COMPILE" "r.name LIKE 'step %'")" "$(of iteration)"
	answers nsq-window --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'step' AND r.type = 59")" "$(of iteration)"
}

@test "iterations are of names that hold half of the kernel time, launch every time and do not overlap themselves" {
	# of the folded names of the trace, those that qualify by SQL; the longest on the CPU is taken
	for t in "$NODES" "$WHOLE" "$COMPILE"; do
		ask "$t" "SELECT r.name, r.a, r.b, count(l.a), coalesce(sum(CASE WHEN l.kind IN ('kernel', 'graph') THEN l.b - l.a END), 0)
			FROM ranges r LEFT JOIN launched l ON l.proc = r.proc AND l.launch >= r.a AND l.launch < r.b
			WHERE r.type = 59 AND r.domain <> 'NCCL' GROUP BY r.rowid ORDER BY r.a" |
		awk -F '\t' -v all="$(ask "$t" "SELECT sum(b - a) FROM work WHERE kind IN ('kernel', 'graph')")" '
			{ gsub(/[0-9]+/, "#", $1); n[$1]++; if ($2 < until[$1] || !$4) bad[$1] = 1
			  until[$1] = $3; gpu[$1] += $5; cpu[$1] += $3 - $2 }
			END { for (k in n) if (n[k] >= 3 && !bad[k] && 2 * gpu[k] >= all && cpu[k] > most) { most = cpu[k]; best = k }
				print best }' > "$BATS_TEST_TMPDIR/best"
		same "$(cat "$BATS_TEST_TMPDIR/best")" "$(nsq-window "$t" | col name | fold)"
	done
}

@test "without ranges that repeat the whole process is the window" {
	t=$(change "$COPIES" "DELETE FROM NVTX_EVENTS WHERE eventType = 59")
	mentions "no repeated step in process 475" "--list" -- nsq-window "$t"
	same "$(ask "$t" "SELECT pid, ga, gb, a, b, gb - ga, (SELECT count(*) FROM work), 0, 1, 'process', 'w_mix', 'w_mix#0@' || a || '..' || b FROM procs")" \
		"$(col pid start_ns end_ns cpu_start_ns cpu_end_ns dur_ns work index count rule name window <<<"$output")"
}

@test "-m chooses push/pop and start/end ranges by their unfolded names" {
	answers nsq-window -m '^load batch$' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'load batch' AND r.type = 60")" "$(of match)"
	same 12 "$(count <<<"$output")"
	answers nsq-window -m 'chunk 5 .phase0. backward' --pick all "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE '%chunk 5 (phase0) backward%'")" "$(of match)"
}

@test "-m: start/end ranges that end on another thread are whole" {
	[ "$(sql "$COPIES" "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 60 AND globalTid <> endGlobalTid")" -gt 0 ]
	same "$(sql "$COPIES" "SELECT start, end FROM NVTX_EVENTS WHERE eventType = 60 ORDER BY start")" \
		"$(nsq-window -m 'load batch' --pick all "$COPIES" | col cpu_start_ns cpu_end_ns)"
}

@test "-m: a registered string is a name" {
	[ "$(sql "$COPIES" "SELECT count(*) FROM NVTX_EVENTS WHERE text IS NULL AND textId IS NOT NULL")" -gt 0 ]
	answers nsq-window -m '^registered' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name = 'registered gemm phase'")" "$(of match)"
	same 12 "$(count <<<"$output")"
}

@test "-m: ranges of every domain are matched, on all threads" {
	same "Trainer" "$(ask "$COPIES" "SELECT DISTINCT domain FROM ranges WHERE name = 'step'")"
	same "-" "$(ask "$COPIES" "SELECT DISTINCT domain FROM ranges WHERE name = 'tail'")"
	answers nsq-window -m '^(step|tail)$' --pick all "$COPIES"
	same "$(projected "$COPIES" "r.name IN ('step', 'tail')")" "$(of match)"
}

@test "-m: a range that was never closed ends with its process" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET end = NULL WHERE text = 'never closed'")
	answers nsq-window -m 'never closed' "$t"
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
	answers nsq-window -q -p 1084 -m '^backward$' --pick all "$DDP"
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
	answers nsq-window -m '^step 5$' "$t"
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
	answers nsq-window -m '^forward chunk ' --pick all "$DUALPIPE"
	same "$joined" "$(of match | cut -f1-7)"
}

@test "CUDA graphs by node: one launch owns all the kernels of its graph" {
	answers nsq-window -m '^decode step$' --pick all "$NODES"
	same "$(projected "$NODES" "r.name = 'decode step'")" "$(of match)"
	same 179 "$(col work <<<"$output" | sort -u)"
}

@test "CUDA graphs traced whole: one piece of work per launch" {
	answers nsq-window -m '^decode step$' --pick all "$WHOLE"
	same "$(projected "$WHOLE" "r.name = 'decode step'")" "$(of match)"
	same 1 "$(col work <<<"$output" | sort -u)"
}

@test "--pick first, last, middle and a number" {
	local all
	all=$(projected "$COMPILE" "r.name LIKE 'step %'")
	for pick in first:0 last:9 middle:5 0:0 7:7 9:9; do
		answers nsq-window --pick "${pick%:*}" "$COMPILE"
		same "$(at "${pick#*:}" <<<"$all")" "$(of iteration)"
	done
}

@test "--pick longest and shortest go by the length of the window" {
	answers nsq-window --pick longest -m '^forward chunk' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk%'" | sort -t "$TAB" -k1,1n -k6,6nr | awk -F '\t' '!seen[$1]++')" "$(of match)"
	answers nsq-window --pick shortest -m '^forward chunk' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk%'" | sort -t "$TAB" -k1,1n -k6,6n | awk -F '\t' '!seen[$1]++')" "$(of match)"
	answers nsq-window --cpu --pick longest -m '^forward chunk' "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, max(b - a) FROM ranges WHERE name LIKE 'forward chunk%' GROUP BY pid")" "$(col pid dur_ns <<<"$output")"
}

@test "--pick longest and shortest go by the length that is printed, with --period up to the next range" {
	# let the GPU stand still once, between the chunks of process 693
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 90000000, end = end + 90000000 WHERE start >= 234632785;
		UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = start + 90000000, end = end + 90000000 WHERE start >= 234632785")
	projected "$t" "r.name LIKE 'forward chunk % backward chunk%'" | awk -F '\t' -v OFS='\t' '
		$1 == pid { print pid, a, $2 } { if (NR > 1 && $1 != pid) print pid, a, b; pid = $1; a = $2; b = $3 } END { print pid, a, b }' |
		awk -F '\t' -v OFS='\t' '{ print $0, $3 - $2 }' > "$BATS_TEST_TMPDIR/periods"
	for pick in longest:r shortest:; do
		run --separate-stderr nsq-window --period --pick "${pick%:*}" "$t"
		same 0 "$status"
		same "$(sort -s -t "$TAB" -k1,1n -k4,4n${pick#*:} "$BATS_TEST_TMPDIR/periods" | awk '!seen[$1]++')" "$(col pid start_ns end_ns dur_ns <<<"$output")"
	done
	# with their own work alone, others are the longest
	lacks "$(nsq-window --pick longest "$t" | col pid start_ns)" "$(nsq-window -q --period --pick longest -p 693 "$t" | col pid start_ns)"
}

@test "--pick N out of range: a note for one process, exit 2 when so in every process" {
	fails 2 "'10'" -- nsq-window -q --pick 10 "$COMPILE"
	# one process with fewer ranges than the others
	t=$(change "$DUALPIPE" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'forward chunk % backward chunk%' AND
		globalTid >> 24 & 0xffffff = 693 AND start > (SELECT min(start) FROM NVTX_EVENTS WHERE
		text LIKE 'forward chunk % backward chunk%' AND globalTid >> 24 & 0xffffff = 693)")
	mentions "693" "'--pick 5'" -- nsq-window --pick 5 "$t"
	same "694
695
696" "$(col pid <<<"$output")"
}

@test "--pick refuses what it does not know" {
	fails 2 "'--pick'" "'median'" -- nsq-window --pick median "$COMPILE"
	fails 2 "'--pick'" "'-1'" -- nsq-window --pick -1 "$COMPILE"
}

@test "--cpu gives the range's own times" {
	answers nsq-window --cpu --pick all "$COMPILE"
	same "$(ask "$COMPILE" "SELECT a, b, a, b, b - a FROM ranges WHERE name LIKE 'step %' ORDER BY a")" \
		"$(col start_ns end_ns cpu_start_ns cpu_end_ns dur_ns <<<"$output")"
}

@test "a range that launched nothing uses its CPU times, with a note" {
	t=$(change "$COMPILE" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId)
		SELECT min(start) + 1, min(start) + 2, 59, 'nothing here', globalTid, 0 FROM NVTX_EVENTS")
	same 0 "$(projected "$t" "r.name = 'nothing here'" | cut -f7)"
	mentions "launched no work" "724" -- nsq-window -m 'nothing here' "$t"
	same "$(projected "$t" "r.name = 'nothing here'")" "$(of match)"
	answers nsq-window --cpu -m 'nothing here' "$t"
}

@test "period_ns is the next range's start less its own, and --period ends the window there" {
	answers nsq-window --pick all "$COMPILE"
	same "$(col start_ns period_ns <<<"$output")" \
		"$(projected "$COMPILE" "r.name LIKE 'step %'" | cut -f2 | awk 'NR > 1 { print was "\t" $1 - was } { was = $1 } END { print was "\t-" }')"
	# the last has no next, which a table of all of them shows, and of one that was picked is said
	mentions "'step 9'" "no later range" -- nsq-window --period --pick last "$COMPILE"
	answers nsq-window --period --pick all "$COMPILE"
	# the windows tile the time: each ends where the next begins
	col start_ns end_ns dur_ns <<<"$output" | awk 'NR > 1 && $1 != end { bad = 1 } $3 != $2 - $1 { bad = 1 } { end = $2 } END { exit bad || NR != 10 }'
	same "$(nsq-window --pick last "$COMPILE" | col end_ns)" "$(col end_ns <<<"$output" | tail -1)"
}

@test "period_ns of a picked range is to the next of all that were chosen" {
	same "$(nsq-window --pick all "$COMPILE" | where index 5 | col period_ns)" "$(nsq-window "$COMPILE" | col period_ns)"
	same "-" "$(nsq-window --pick last "$COMPILE" | col period_ns)"
}

@test "-w keeps the ranges whose projection touches it" {
	local a b
	read -r a b <<<"$(projected "$COMPILE" "r.name LIKE 'step %'" | at 4 | cut -f2,3)"
	answers nsq-window --pick all -w "$((a + 10))..$((b - 10))" "$COMPILE"
	same "step 4" "$(col name <<<"$output")"
	answers nsq-window --pick all -w "$a..$((b + 1000000))" "$COMPILE"
	same "step 4
step 5" "$(col name <<<"$output")"
	# half open: a range that begins where the window ends is not in it
	answers nsq-window --pick all -w "..$a" "$COMPILE"
	same "step 3" "$(col name <<<"$output" | tail -1)"
	answers nsq-window --pick all -w "$b.." "$COMPILE"
	same "step 5" "$(col name <<<"$output" | head -1)"
}

@test "--list counts the candidates by folded name" {
	answers nsq-window --list "$COPIES"
	same "$(projected "$COPIES" 1 | cut -f10 | fold | tally)" "$(col name count <<<"$output")"
	answers nsq-window --list -m '^forward chunk' "$DUALPIPE"
	same "$(projected "$DUALPIPE" "r.name LIKE 'forward chunk%'" | cut -f1,7,10 | awk -F '\t' -v OFS='\t' '
			{ gsub(/[0-9]+/, "#", $3); n[$1 OFS $3]++; w[$1 OFS $3] += $2 } END { for (k in n) print k, n[k], w[k] }' | sort)" \
		"$(col pid name count work <<<"$output" | sort)"
}

@test "--list: work launched in ranges that overlap counts once" {
	answers nsq-window --list -m '^load batch$' "$COPIES"
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

@test "of two names that repeat, the one open longer; of two open equally long, the first by name" {
	# 'late' comes around each 'step' and holds its launches too
	two=("step 12 18" "late 10 20" "step 32 38" "late 30 40" "step 52 58" "late 50 60")
	same "iteration # late #" "$(rule "$(stepped 500 5 "${two[@]}")")"
	two=("step 10 20" "late 10 20" "step 30 40" "late 30 40" "step 50 60" "late 50 60")
	same "iteration # late #" "$(rule "$(stepped 500 5 "${two[@]}")")"
	two=("step 10 20" "late 10 20" "step 30 40" "late 30 40" "step 50 61" "late 50 60")
	same "iteration # step #" "$(rule "$(stepped 500 5 "${two[@]}")")"
}

# outer and inner begin with the same kernel; outer's last kernel ends where the third range's begins.
@test "--period: a window ends at a later start, never at an equal one" {
	t=$(made "INSERT INTO N VALUES (10, 100, 59, 'x 0', $P5 + 5, NULL, 0), (20, 50, 59, 'x 1', $P5 + 5, NULL, 0), (200, 300, 59, 'x 2', $P5 + 5, NULL, 0);
		INSERT INTO R VALUES (30, 31, $P5 + 5, 1, 2), (60, 61, $P5 + 5, 2, 2), (210, 211, $P5 + 5, 3, 2);
		INSERT INTO K VALUES (1000, 1800, 0, 1, 7, 1, $P5, 1, 1), (1800, 2000, 0, 1, 7, 2, $P5, 1, 1), (2000, 2500, 0, 1, 7, 3, $P5, 1, 1)")
	answers nsq-window -q -m '^x' --period --pick all "$t"
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
