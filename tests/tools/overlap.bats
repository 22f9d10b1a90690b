# nsq-overlap: is communication hidden behind compute?
load ../helper
load ../small-traces

SUMS='pid gpu kernels comm_ns hidden_ns exposed_ns overlap_pct min_pct max_pct stage'
PARTS='pid gpu compute_ns comm_ns copy_ns both_ns compute_only_ns comm_only_ns copy_only_ns idle_ns'

# The window of each process that nsq-overlap takes by default.
DEFAULT='SELECT pid, ga AS a, gb AS b FROM procs WHERE ga IS NOT NULL'

# parts TRACE WINDOWS: what runs when, by sweeping over all starts and ends in order of time.
# WINDOWS selects pid, a, b.
parts() {
	ask "$1" "WITH w AS ($2), edge AS (
		SELECT pid, gpu, a AS at, CASE WHEN comm THEN 'comm' WHEN kind IN ('kernel', 'graph')
			THEN 'compute' ELSE 'copy' END AS what, 1 AS step FROM work
		UNION ALL SELECT pid, gpu, b, CASE WHEN comm THEN 'comm' WHEN kind IN ('kernel', 'graph')
			THEN 'compute' ELSE 'copy' END, -1 FROM work
		UNION ALL SELECT w.pid, gpu, w.a, 'window', 1 FROM w JOIN (SELECT DISTINCT pid, gpu FROM work) USING (pid)
		UNION ALL SELECT w.pid, gpu, w.b, 'window', -1 FROM w JOIN (SELECT DISTINCT pid, gpu FROM work) USING (pid))
		SELECT * FROM edge ORDER BY pid, gpu, at" |
	awk -F '\t' '
		function print_lane() {
			printf "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\n", lane, compute, comm, copy,
				both, compute - both, comm - both, copy_only, idle
		}
		$1 "\t" $2 != lane { if (lane != "") print_lane()
			lane = $1 "\t" $2; compute = comm = copy = both = copy_only = idle = 0
			n["window"] = n["compute"] = n["comm"] = n["copy"] = 0 }
		{ if (n["window"]) { d = $3 - at
			if (n["compute"]) compute += d
			if (n["comm"]) comm += d
			if (n["copy"]) copy += d
			if (n["compute"] && n["comm"]) both += d
			else if (!n["compute"] && !n["comm"]) { if (n["copy"]) copy_only += d; else idle += d } }
		  n[$4] += $5; at = $3 }
		END { if (lane != "") print_lane() }'
}

# kernels TRACE WINDOWS: each communication kernel in its process's window, with what is hidden of
# it and its stage.
kernels() {
	ask "$1" "WITH w AS ($2)
		SELECT k.pid, k.gpu, min(k.b, w.b) - max(k.a, w.a), (SELECT coalesce(sum(max(0, min(k.b, w.b, c.b) -
			max(k.a, w.a, c.a))), 0) FROM compute c WHERE c.proc = k.proc AND c.gpu = k.gpu),
		class, coalesce(stage_range, user_range, '-'), stage_range IS NOT NULL
		FROM comms k JOIN w USING (pid) WHERE k.a < w.b AND k.b > w.a ${3-}" |
	awk -F '\t' -v OFS='\t' '
		{ label = $6
		  if ($7) { rest = $6; while (match(rest, /stage[0-9]+_[fbw]/)) {
			label = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH) } }
		  else gsub(/[0-9]+/, "#", label)
		  if ($5 == "compute") label = "serial:" label
		  print $1, $2, $3, $4, label }'
}

# stages TRACE WINDOWS: the sums over the kernels of each stage.
stages() {
	kernels "$@" | awk -F '\t' '
		{ k = $1 "\t" $2 "\t" $5; n[k]++; comm[k] += $3; hidden[k] += $4; p = 100.0 * $4 / $3
		  if (n[k] == 1 || p < min[k]) min[k] = p
		  if (n[k] == 1 || p > max[k]) max[k] = p }
		END { for (k in n) { split(k, f, "\t")
			printf "%s\t%s\t%d\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%.2f\t%s\n", f[1], f[2], n[k], comm[k],
				hidden[k], comm[k] - hidden[k], 100.0 * hidden[k] / comm[k], min[k], max[k], f[3] } }' |
	sort -t "$TAB" -k1,1n -k2,2n -k6,6nr
}

@test "the reference numbers of two stages hold" {
	answers nsq-overlap -q -w 0.. --inside "$DUALPIPE"
	same "55614343${TAB}0.82${TAB}0.00${TAB}20.50" \
		"$(where pid 693 <<<"$output" | where stage stage2_f | col exposed_ns overlap_pct min_pct max_pct)"
	same "61654085${TAB}0.65${TAB}0.00${TAB}4.35" \
		"$(where pid 694 <<<"$output" | where stage stage4_f | col exposed_ns overlap_pct min_pct max_pct)"
}

@test "in its steady-state chunk stage2_f of pid 693 exposes 8844883 ns" {
	same 8844883 "$(nsq-window "$DUALPIPE" | nsq-overlap | where pid 693 | where stage stage2_f | col exposed_ns)"
}

# bats test_tags=more
@test "every stage row is what SQL says, in every fixture" {
	for t in $(some_or_all "$DUALPIPE" "$COPIES" "$NODES" "$FIXTURES/collectives-rank0.sqlite"); do
		run --separate-stderr nsq-overlap -q "$t"
		[ "$status" -eq 0 ]
		same "$(stages "$t" "$DEFAULT")" "$(col $SUMS <<<"$output")"
	done
}

@test "stage rows in a window that cuts kernels are what SQL says" {
	answers nsq-overlap -q -w 100ms..230.5ms "$DUALPIPE"
	same "$(stages "$DUALPIPE" 'SELECT pid, 100000000 AS a, 230500000 AS b FROM procs')" "$(col $SUMS <<<"$output")"
	[ "$(ask "$DUALPIPE" "SELECT count(*) FROM comms WHERE a < 100000000 AND b > 100000000")" -gt 0 ]
}

@test "--inside leaves out the kernels that the window cuts, but not the compute beside them" {
	answers nsq-overlap -q --inside -w 100ms..230.5ms "$DUALPIPE"
	same "$(stages "$DUALPIPE" 'SELECT pid, 100000000 AS a, 230500000 AS b FROM procs' \
		'AND k.a >= w.a AND k.b <= w.b')" "$(col $SUMS <<<"$output")"
	# compute that begins before the window and ends in it still hides: cut in the middle of one
	local cut
	cut=$(ask "$DUALPIPE" "SELECT (max(k.a, c.a) + min(k.b, c.b)) / 2 FROM comms k JOIN compute c USING (proc, gpu)
		WHERE k.pid = 693 AND c.a < k.a AND c.b > k.a + 100 ORDER BY c.b - k.a DESC LIMIT 1")
	if [ -n "$cut" ]; then
		answers nsq-overlap -q --inside -p 693 -w "$cut.." "$DUALPIPE"
		same "$(stages "$DUALPIPE" "SELECT 693 AS pid, $cut AS a, gb AS b FROM procs WHERE pid = 693" \
			'AND k.a >= w.a AND k.b <= w.b')" "$(col $SUMS <<<"$output")"
	fi
}

# bats test_tags=more
@test "the stages of a process add up to its communication" {
	for t in $(first_few 2 "$DUALPIPE" "$DUALPIPE_2023" "$DDP"); do
		for pid in $(ask "$t" "SELECT DISTINCT pid FROM comms"); do
			same "$(ask "$t" "SELECT count(*), sum(b - a) FROM comms WHERE pid = $pid")" \
				"$(nsq-overlap -q -p "$pid" "$t" | sum kernels comm_ns)"
		done
	done
}

@test "hidden and exposed add up to the communication to the nanosecond in every mode" {
	for args in "" "--by stream" "--by name" "--by stage,stream,name" "-w 100ms..230.5ms"; do
		nsq-overlap $args "$DUALPIPE" | col comm_ns hidden_ns exposed_ns |
			awk '$1 != $2 + $3 { print "row " NR ": " $0; bad = 1 } END { exit bad || !NR }'
	done
	nsq-overlap --each "$DUALPIPE" | col dur_ns hidden_ns exposed_ns |
		awk '$1 != $2 + $3 { print "row " NR ": " $0; bad = 1 } END { exit bad || NR != 300 }'
}

# bats test_tags=more
@test "--total: each part is that of a sweep over all events, in every fixture" {
	for t in $(some_or_all "$DUALPIPE" "$COPIES"); do
		run --separate-stderr nsq-overlap -q --total "$t"
		[ "$status" -eq 0 ]
		same "$(parts "$t" "$DEFAULT")" "$(col $PARTS <<<"$output")"
	done
}

@test "--total: a window that cuts work is swept alike" {
	answers nsq-overlap -q --total -w 33.1ms..51.7ms "$COPIES"
	same "$(parts "$COPIES" 'SELECT 475 AS pid, 33100000 AS a, 51700000 AS b')" "$(col $PARTS <<<"$output")"
	answers nsq-overlap -q --total -w 90ms..300.5ms "$DUALPIPE"
	same "$(parts "$DUALPIPE" 'SELECT pid, 90000000 AS a, 300500000 AS b FROM procs')" "$(col $PARTS <<<"$output")"
}

# bats test_tags=more
@test "--total: the five exclusive parts add up to the window, in every fixture" {
	for t in $(some_or_all "$DUALPIPE" "$COPIES"); do
		nsq-overlap -q --total "$t" |
			col start_ns end_ns both_ns compute_only_ns comm_only_ns copy_only_ns idle_ns |
			awk '$2 - $1 != $3 + $4 + $5 + $6 + $7 { print "row " NR ": " $0; bad = 1 } END { exit bad || !NR }'
	done
}

@test "--total: overlap_pct is the share of the communication beside compute, - where there is none" {
	nsq-overlap -q --total "$DUALPIPE" "$COPIES" | col comm_ns both_ns overlap_pct |
		awk '{ want = $1 ? sprintf("%.2f", 100.0 * $2 / $1) : "-"; none += !$1 }
			want != $3 { print "row " NR ": " $0; bad = 1 } END { exit bad || NR != 5 || none != 1 }'
}

@test "--each: one row per kernel with its own times, as SQL says" {
	answers nsq-overlap -q --each "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, a, b, gpu, ctx, stream, b - a, hidden, b - a - hidden,
			printf('%.2f', 100.0 * hidden / (b - a)), name FROM comms ORDER BY pid, a, b, gpu, ctx, stream")" \
		"$(col pid start_ns end_ns gpu ctx stream dur_ns hidden_ns exposed_ns overlap_pct name <<<"$output")"
}

@test "--each: a kernel that the window cuts is shown cut" {
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM comms WHERE pid = 693 ORDER BY b - a DESC LIMIT 1")"
	answers nsq-overlap -q --each -p 693 -w $((a + 1000))..$((b - 1000)) "$DUALPIPE"
	same "$((a + 1000))$TAB$((b - 1000))$TAB$((b - a - 2000))" \
		"$(where dur_ns $((b - a - 2000)) <<<"$output" | col start_ns end_ns dur_ns)"
}

@test "min_pct and max_pct are the extremes over the rows of --each" {
	nsq-overlap -p 693 "$DUALPIPE" | col stage min_pct max_pct | sort > "$BATS_TEST_TMPDIR/sums"
	nsq-overlap --each -p 693 "$DUALPIPE" | col stage overlap_pct | awk -F '\t' '
		!($1 in max) || $2 + 0 > max[$1] + 0 { max[$1] = $2 } !($1 in min) || $2 + 0 < min[$1] + 0 { min[$1] = $2 }
		END { for (s in max) print s "\t" min[s] "\t" max[s] }' | sort > "$BATS_TEST_TMPDIR/each"
	[ -s "$BATS_TEST_TMPDIR/each" ]
	diff "$BATS_TEST_TMPDIR/each" "$BATS_TEST_TMPDIR/sums"
}

@test "--by stream, --by name and both are sums of the same kernels" {
	answers nsq-overlap -q --by stream "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, gpu, ctx, stream, count(*), sum(b - a), sum(hidden) FROM comms
			GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, sum(b - a - hidden) DESC")" \
		"$(col pid gpu ctx stream kernels comm_ns hidden_ns <<<"$output")"
	answers nsq-overlap -q --by name "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, gpu, count(*), sum(b - a), sum(hidden), name FROM comms
			GROUP BY 1, 2, name ORDER BY 1, 2, sum(b - a - hidden) DESC")" \
		"$(col pid gpu kernels comm_ns hidden_ns name <<<"$output")"
	answers nsq-overlap -q --by stream,name "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, gpu, ctx, stream, count(*), sum(b - a), name FROM comms
			GROUP BY 1, 2, 3, 4, name ORDER BY 1, 2, sum(b - a - hidden) DESC")" \
		"$(col pid gpu ctx stream kernels comm_ns name <<<"$output")"
}

@test "rows come by gpu, then most exposed first" {
	nsq-overlap "$DUALPIPE" | col pid gpu exposed_ns |
		awk '$1 == pid && $2 == gpu && $3 > was { bad = 1 } { pid = $1; gpu = $2; was = $3 } END { exit bad || NR < 8 }'
}

@test "communication on a compute stream stands under serial:LABEL, with the label that it would have elsewhere" {
	# one kernel that is not communication makes a stream a compute stream
	t=$(change "$DUALPIPE" "INSERT INTO StringIds VALUES (900001, 'gemm')" "CREATE TEMP TABLE one AS
			SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY globalPid, deviceId, contextId, streamId" \
		"UPDATE one SET start = 400000000, end = 400000000, correlationId = 0, shortName = 900001, demangledName = 900001" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM one")
	for by in stage stage,name stage,stream; do
		same "$(nsq-overlap -q --by $by -w 0..390ms "$DUALPIPE" | sed "s/\t\(stage[0-9]_[fb]\|pp send.recv\)\t/\tserial:\1\t/" | without trace)" \
			"$(nsq-overlap -q --by $by -w 0..390ms "$t" | without trace)"
	done
	same "$(nsq-overlap -q --each -w 0..390ms "$DUALPIPE" | col start_ns hidden_ns exposed_ns stage | sed 's/\t\([^\t]*\)$/\tserial:\1/; s/serial:serial:/serial:/')" \
		"$(nsq-overlap -q --each -w 0..390ms "$t" | col start_ns hidden_ns exposed_ns stage)"
	holds "$(nsq-overlap -q "$t" | col stage | sort -u | xargs)" "serial:- serial:pp send/recv serial:stage2_b serial:stage2_f"
}

@test "communication on a compute stream without a label stands under serial:-" {
	same "$(ask "$DUALPIPE" "SELECT pid, count(*), sum(b - a), name FROM comms WHERE class = 'compute' GROUP BY pid")" \
		"$(nsq-overlap --by stage,name "$DUALPIPE" | where stage serial:- | col pid kernels comm_ns name)"
}

@test "a fused name gives its last stage" {
	t=$(change "$DUALPIPE" "UPDATE NVTX_EVENTS SET text = 'layer05_stage5_b_layer06_stage1_b' WHERE text LIKE '%stage2_b'")
	answers nsq-overlap -q "$t"
	same "$(nsq-overlap "$DUALPIPE" | where stage stage2_b | col pid exposed_ns)" \
		"$(where stage stage1_b <<<"$output" | col pid exposed_ns)"
	same "" "$(where stage stage2_b <<<"$output" | col pid)"
}

@test "a kernel outside the stages stands under the folded name of its innermost range outside NCCL's domain" {
	same "$(ask "$DUALPIPE" "SELECT DISTINCT user_range FROM comms WHERE stage_range IS NULL AND class = 'comm'" | fold)" \
		"pp send/recv"
	answers nsq-overlap -q "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT pid, count(*) FROM comms WHERE user_range = 'pp send/recv' GROUP BY pid")" \
		"$(where stage 'pp send/recv' <<<"$output" | col pid kernels)"
}

# bats test_tags=long
@test "a range is half open: a kernel launched where it begins is in it, where it ends is not" {
	local at
	at=$(ask "$DUALPIPE" "SELECT launch FROM comms WHERE pid = 693 AND stage_range LIKE '%stage2_f' LIMIT 1")
	for edge in start end; do
		t=$(change "$DUALPIPE" "UPDATE NVTX_EVENTS SET $edge = $at WHERE start <= $at AND end > $at AND
			(text LIKE '%stage2_f' OR domainId = 1) AND globalTid >> 24 & 0xffffff = 693")
		answers nsq-overlap -q "$t"
		same "$(stages "$t" "$DEFAULT")" "$(col $SUMS <<<"$output")"
		same "$([ $edge = start ] && echo 24 || echo 23)" "$(where pid 693 <<<"$output" | where stage stage2_f | col kernels)"
		rm -f "$BATS_RUN_TMPDIR/oracle${t//\//-}"
	done
}

@test "--rules: first match wins, groups fill the label, comments are ignored, inner ranges come first" {
	printf '%s\n' '# stages by number' "stage([24])_([fb])${TAB}dispatch \\2 of \\1" "stage2${TAB}never" \
		"^pp ${TAB}pipeline" > "$BATS_TEST_TMPDIR/rules"
	answers nsq-overlap -q --rules "$BATS_TEST_TMPDIR/rules" -p 693 "$DUALPIPE"
	same "$(nsq-overlap -p 693 "$DUALPIPE" | col kernels comm_ns stage |
			sed -E 's/stage([24])_([fb])/dispatch \2 of \1/; s/pp send.recv/pipeline/')" \
		"$(col kernels comm_ns stage <<<"$output")"
}

@test "--rules: a range further out is tried when the inner one matches nothing" {
	printf '%s\n' "^forward chunk ([0-9]+)${TAB}chunk \\1" > "$BATS_TEST_TMPDIR/rules"
	answers nsq-overlap -q --rules "$BATS_TEST_TMPDIR/rules" -p 693 "$DUALPIPE"
	same "$(ask "$DUALPIPE" "SELECT label FROM (SELECT (SELECT r.name FROM ranges r WHERE r.proc = k.proc AND
			r.tid = k.tid AND r.a <= launch AND r.b > launch AND r.name LIKE 'forward chunk%') AS label
			FROM comms k WHERE pid = 693 AND class = 'comm') WHERE label IS NOT NULL" |
			sed -E 's/forward (chunk [0-9]+).*/\1/' | tally)" \
		"$(col stage kernels <<<"$output" | grep '^chunk' | sort)"
}

@test "--rules: a file that is missing or holds a bad pattern is named" {
	fails 2 "'$BATS_TEST_TMPDIR/none'" -- nsq-overlap --rules "$BATS_TEST_TMPDIR/none" "$DUALPIPE"
	printf '%s\n' "stage(${TAB}x" > "$BATS_TEST_TMPDIR/rules"
	fails 2 "stage(" -- nsq-overlap --rules "$BATS_TEST_TMPDIR/rules" "$DUALPIPE"
}

@test "--comm replaces the rule for communication kernels" {
	answers nsq-overlap -q --comm '^saxpy$' --total "$COPIES"
	same "$(ask "$COPIES" "SELECT sum(b - a) FROM work WHERE name = 'saxpy'")" \
		"$(nsq-overlap --comm '^saxpy$' --by name "$COPIES" | col comm_ns)"
	fails 2 "--comm" "'('" -- nsq-overlap --comm '(' "$COPIES"
}

@test "nccl is recognised without regard to case" {
	t=$(change "$DUALPIPE" "UPDATE StringIds SET value = 'NCCL' || substr(value, 5) WHERE value LIKE 'nccl%kernel%'")
	same "$(nsq-overlap "$DUALPIPE" | without trace)" "$(nsq-overlap "$t" | without trace)"
}

# bats test_tags=more
@test "without communication there is a header, no row, and a note" {
	for t in $(first_few 2 "$COPIES" "$COMPILE" "$NODES"); do
		mentions "$t" "no communication kernel" -- nsq-overlap "$t"
		same 1 "${#lines[@]}"
	done
}

@test "whole graphs count as compute, and stderr says so" {
	mentions "whole CUDA graphs (60 in" "--cuda-graph-trace=node" -- nsq-overlap --total "$WHOLE"
	same "$(parts "$WHOLE" "$DEFAULT")" "$(col $PARTS <<<"$output")"
	[ "$(ask "$WHOLE" "SELECT sum(b - a) FROM work WHERE kind = 'graph'")" -gt 30000000 ]
}

@test "events lost in capture are warned of, by process" {
	run --separate-stderr nsq-overlap "$DDP"
	holds "$(grep lost <<<"$stderr")" "process 1085" "104 NCCL ranges but no CUDA call"
	same "$(ask "$DDP" "SELECT pid, tid, count(*) FROM ranges r WHERE domain = 'NCCL' AND NOT EXISTS
		(SELECT 1 FROM calls c WHERE c.proc = r.proc AND c.tid = r.tid) GROUP BY pid, tid")" "1085${TAB}1117${TAB}104"
}

@test "--adopt: work outside every range of its thread stands in those of the main thread" {
	# take away the autograd thread's own ranges: what it launched is then outside every range
	t=$(change "$DDP" "DELETE FROM NVTX_EVENTS WHERE globalTid & 0xffffff != globalTid >> 24 & 0xffffff AND eventType = 59")
	same "104$TAB-" "$(nsq-overlap -q "$t" | col kernels stage)"
	answers nsq-overlap -q -q --adopt "$t"
	same "$(ask "$t" "SELECT name FROM (SELECT (SELECT r.name FROM ranges r WHERE r.proc = k.proc AND
			r.tid = k.pid AND r.type = 59 AND r.domain <> 'NCCL' AND r.a <= launch AND r.b > launch
			ORDER BY r.a DESC, r.b LIMIT 1) AS name FROM comms k)" | cut -f1 | fold | tally)" \
		"$(col stage kernels <<<"$output" | sort)"
	holds "$output" "backward"
}

@test "--adopt: the main thread's ranges stand around those of other threads" {
	printf '%s\n' "^backward${TAB}backward" > "$BATS_TEST_TMPDIR/rules"
	same "104 nccl:all_reduce, op_id = #, sizes = [[#]], input_op_ids = [(#,-#)]" \
		"$(nsq-overlap -q --rules "$BATS_TEST_TMPDIR/rules" "$DDP" | col kernels stage | tr '\t' ' ')"
	same "104 backward" \
		"$(nsq-overlap -q --adopt --rules "$BATS_TEST_TMPDIR/rules" "$DDP" | col kernels stage | tr '\t' ' ')"
}

@test "options without effect in the mode are refused" {
	fails 2 "'--rules'" "'--total'" -- nsq-overlap --rules x --total "$DUALPIPE"
	fails 2 "'--adopt'" "'--total'" -- nsq-overlap --adopt --total "$DUALPIPE"
	fails 2 "'--by'" "'--each'" -- nsq-overlap --each --by stream "$DUALPIPE"
	fails 2 "'--by'" "'--total'" -- nsq-overlap --total --by stream "$DUALPIPE"
	fails 2 "'--each'" "'--total'" -- nsq-overlap --each --total "$DUALPIPE"
	fails 2 "'nothing'" -- nsq-overlap --by nothing "$DUALPIPE"
}

# costs TRACE: what nsq-overlap --cost says of it, by another way: every nanosecond of a kernel is looked at.
costs() {
	PYTHONPATH=$TESTS python3 - "$1" <<-'END'
		import sys
		from collections import defaultdict
		from oracle.names import is_compute
		from oracle.trace import Trace
		t = Trace(sys.argv[1])
		sums = defaultdict(lambda: {"alone": [], "comm": [], "copy": [], "hidden": 0})
		other = defaultdict(list)
		for w in t.works:
		    if not is_compute(w):
		        other[w.proc, w.gpu, w.kind in ("copy", "set")].append(w)

		def beside(w, kinds):
		    parts = sorted((max(w.start, o.start), min(w.end, o.end)) for o in other[w.proc, w.gpu, kinds] if o.start < w.end and o.end > w.start)
		    ns, until = 0, w.start
		    for a, b in parts:
		        ns += max(0, b - max(a, until))
		        until = max(until, b)
		    return ns

		for w in t.works:
		    if not is_compute(w) or w.kind != "kernel":
		        continue
		    comm, copy = beside(w, False), beside(w, True)
		    s = sums[w.proc & 0xffffff, w.gpu, "x".join(map(str, w.grid)), "x".join(map(str, w.block)), w.name]
		    s["hidden"] += comm
		    kind = "alone" if not comm and not copy else "comm" if comm and 2 * comm >= w.end - w.start else "copy" if not comm and 2 * copy >= w.end - w.start else None
		    if kind:
		        s[kind].append(w.end - w.start)
		median = lambda v: sorted(v)[(len(v) - 1) // 2] if len(v) >= 5 else "-"
		for key, s in sums.items():
		    if s["comm"] or s["copy"]:
		        p = {k: median(s[k]) for k in ("alone", "comm", "copy")}
		        cost = [len(s[k]) * (p[k] - p["alone"]) if "-" not in (p[k], p["alone"]) else "-" for k in ("comm", "copy")]
		        print(*key, *(len(s[k]) for k in p), *p.values(), s["hidden"], *cost, sep="\t")
	END
}

# bats test_tags=more,long
@test "--cost: kernels alone and beside communication and copies, against every overlap looked at one by one" {
	for t in $(first_few 2 "$DDP" "$FIXTURES"/{threads-copies,collectives-rank0,dualpipe-pp2ep2}.sqlite); do
		same "$(costs "$t" | sort)" "$(nsq-overlap -q --cost "$t" 2> /dev/null |
			col pid gpu grid block name alone beside_comm beside_copy alone_p50_ns comm_p50_ns copy_p50_ns hidden_ns comm_cost_ns copy_cost_ns | sort)"
	done
	# what it hides is both_ns of --total, what it costs the sum of the rows
	hides=$(nsq-overlap -q --total "$DDP" 2> /dev/null | sum both_ns | awk '{ printf "%.3f", $NF / 1e6 }')
	costs=$(nsq-overlap -q --cost "$DDP" 2> /dev/null | col comm_cost_ns | awk '{ n += $1 } END { printf "%.3f", n / 1e6 }')
	holds "$(nsq-overlap --cost "$DDP" 2>&1 > /dev/null)" "overlap hides $hides ms of communication and costs $costs ms of compute"
	# of a window, only the kernels that lie in it
	[ "$(nsq-overlap -q --cost -w 230ms..240ms "$DDP" 2> /dev/null | sum alone | awk '{ print $NF }')" -lt "$(nsq-overlap -q --cost "$DDP" 2> /dev/null | sum alone | awk '{ print $NF }')" ]
	# four launches of a kind are too few, five are not; half of the time is enough, less is not
	few() {
		made "INSERT INTO S VALUES (9, 'ncclDevKernel_AllReduce'); INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19)
			SELECT 10000 * i + 1000, 10000 * i + 1100 + (i >= 10) * 20, 0, 1, 7, i, $P5, 1, 1 FROM n WHERE i < $1 OR i >= 10;
			INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 19) SELECT 10000 * i + 1000 - $2, 10000 * i + 1060, 0, 1, 8, i + 50, $P5, 9, 9 FROM n"
	}
	same "$(table '5 10 100 120 200')" "$(nsq-overlap -q --cost "$(few 5 0)" | col alone beside_comm alone_p50_ns comm_p50_ns comm_cost_ns)"
	same "$(table '4 10 - 120 -')" "$(nsq-overlap -q --cost "$(few 4 0)" | col alone beside_comm alone_p50_ns comm_p50_ns comm_cost_ns)"
	same "" "$(nsq-overlap -q --cost "$(few 5 -1)" | col name)"
}
