# nsq-gaps: when is the GPU idle, and who is to blame?
load ../helper
load ../accounting
load ../small-traces

# The gaps of a trace with the parts of each cause, worked out by SQLite alone from the definitions in
# share/conventions/ledger.md; with -m none, no part of these fixtures is data or mpi.  The oracle's tables are in o, those of the trace are found by
# name alone, and a table of copies that it lacks is an empty one.
JUDGE="
CREATE TABLE migrations AS SELECT globalPid >> 24 AS proc, deviceId AS gpu, start AS a FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind IN (11, 12, 13);
CREATE TABLE outer AS
SELECT proc, tid, a, b, name, CASE WHEN name GLOB '*Launch*' THEN 'api' WHEN name GLOB '*Synchronize*' THEN 'sync'
	WHEN name GLOB '*Malloc*' OR name GLOB '*Free*' OR name GLOB '*HostAlloc*' OR name GLOB '*HostRegister*' THEN 'alloc'
	WHEN name GLOB '*Module*' OR name GLOB '*Library*' OR name GLOB '*Kernel[GS]et*' THEN 'load' ELSE 'api' END AS class, inside FROM (
	SELECT *, coalesce(b <= max(b) OVER (PARTITION BY proc, tid ORDER BY a, b DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS inside
	FROM o.calls);
CREATE INDEX outer_by_time ON outer (proc, tid, inside, a);
CREATE TABLE syncs AS SELECT proc, tid, a, b, inside FROM outer WHERE class = 'sync';
CREATE INDEX syncs_by_time ON syncs (proc, tid, a);
CREATE INDEX syncs_by_end ON syncs (proc, tid, b);
CREATE INDEX o.launched_by_start ON launched (proc, gpu, a);
CREATE INDEX o.launched_by_end ON launched (proc, gpu, b);
CREATE TABLE found AS
SELECT proc, pid, gpu, until AS a, a AS b, (SELECT n.rowid FROM o.launched n WHERE n.proc = w.proc AND n.gpu = w.gpu AND n.a = w.a AND n.b > n.a
		ORDER BY n.launch IS NULL, n.launch LIMIT 1) AS next
	FROM (SELECT proc, pid, gpu, a, max(b) OVER (PARTITION BY proc, gpu ORDER BY a, b ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
		FROM o.work WHERE b > a) w WHERE a > until;
CREATE TABLE launches AS
SELECT f.*, n.tid, n.launch AS ls, (SELECT c.b FROM o.calls c WHERE c.proc = n.proc AND c.corr = n.corr ORDER BY c.a LIMIT 1) AS le, n.name AS next_name
	FROM found f JOIN o.launched n ON n.rowid = f.next;
CREATE TABLE judged AS
SELECT *, CASE WHEN ls IS NULL THEN iif(EXISTS (SELECT 1 FROM migrations m WHERE (m.proc, m.gpu, m.a) = (l.proc, l.gpu, l.b)), 'um', 'unknown') END AS whole,
	coalesce(a < ls, 0) AND EXISTS (SELECT 1 FROM syncs c WHERE c.proc = l.proc AND c.a <= l.a AND c.b > l.a
		AND (c.tid = l.tid OR (c.tid = l.pid AND c.b <= l.ls))) AS in_wait,
	coalesce(a < ls, 0) AND EXISTS (SELECT 1 FROM syncs c WHERE c.proc = l.proc AND c.tid = l.tid AND NOT c.inside AND c.b <= l.a AND c.b > l.a - 20000
		AND c.a > (SELECT p.launch FROM o.launched p WHERE p.proc = l.proc AND p.gpu = l.gpu AND p.b = l.a AND p.a < p.b ORDER BY p.a DESC LIMIT 1)) AS after_wait
	FROM launches l;
ALTER TABLE judged ADD COLUMN synced; UPDATE judged SET synced = in_wait OR after_wait;
CREATE TABLE waits AS SELECT c.proc, s.contextId AS ctx, s.streamId AS stream, c.a FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION s
	JOIN o.calls c ON c.proc = s.globalPid >> 24 AND c.corr = s.correlationId WHERE c.name GLOB '*StreamWaitEvent*';
CREATE INDEX waits_by_time ON waits (proc, ctx, stream, a);
CREATE INDEX o.launched_by_stream ON launched (proc, ctx, stream, a);
CREATE TABLE in_order AS
SELECT j.rowid AS gap FROM judged j JOIN o.launched n ON n.rowid = j.next JOIN o.launched p ON p.rowid = (SELECT p.rowid FROM o.launched p
		WHERE p.proc = n.proc AND p.ctx = n.ctx AND p.stream = n.stream AND p.a < n.a ORDER BY p.a DESC LIMIT 1)
	WHERE p.b = j.a AND NOT EXISTS (SELECT 1 FROM waits w WHERE w.proc = n.proc AND w.ctx = n.ctx AND w.stream = n.stream AND w.a > p.launch AND w.a < n.launch);
CREATE INDEX in_order_by_gap ON in_order (gap);
CREATE TABLE before AS
SELECT j.rowid AS gap, c.class AS cause, c.name, c.a, min(j.b, j.ls, c.b) - max(j.a, c.a) AS ns FROM judged j JOIN outer c ON c.proc = j.proc AND c.tid = j.tid
	AND c.inside = 0 AND c.a < min(j.b, j.ls) AND c.b > j.a AND c.a >= coalesce((SELECT max(p.a) FROM outer p WHERE p.proc = j.proc AND p.tid = j.tid
		AND p.inside = 0 AND p.a <= j.a), 0) WHERE whole IS NULL AND j.a < ls;
CREATE TABLE parts AS
SELECT rowid AS gap, whole AS cause, b - a AS ns FROM judged WHERE whole IS NOT NULL
UNION ALL SELECT rowid, iif(rowid IN (SELECT gap FROM in_order), 'turnaround', 'queued'), b - max(a, le) FROM judged WHERE whole IS NULL AND b > max(a, le)
UNION ALL SELECT rowid, 'launch', min(b, le) - max(a, ls) FROM judged WHERE whole IS NULL AND min(b, le) > max(a, ls)
UNION ALL SELECT gap, cause, ns FROM before;
CREATE INDEX parts_by_gap ON parts (gap);
CREATE INDEX before_by_gap ON before (gap);
INSERT INTO parts SELECT j.rowid, 'host', min(b, ls) - a - coalesce((SELECT sum(ns) FROM before p WHERE p.gap = j.rowid), 0)
	FROM judged j WHERE whole IS NULL AND a < ls;
CREATE TABLE gaps AS
SELECT j.rowid AS gap, pid, gpu, a, b, b - a AS ns, tid, proc, next, next_name, synced, (SELECT cause FROM parts p WHERE p.gap = j.rowid GROUP BY cause
	ORDER BY sum(ns) DESC, instr('turnaround queued launch sync alloc load api data mpi host um unknown', cause) LIMIT 1) AS cause FROM judged j;
"

# judged TRACE QUERY: rows of the gaps of a trace, worked out when first needed.
judged() {
	local db=$BATS_RUN_TMPDIR/judged${1//\//-} o=$BATS_RUN_TMPDIR/judging.$BASHPID
	if [ ! -e "$db" ]; then
		ask "$1" "SELECT 1" >/dev/null
		cp "$BATS_RUN_TMPDIR/oracle${1//\//-}" "$o"
		sqlite3 -batch "file:$o.new" "ATTACH 'file:$1?immutable=1' AS t; ATTACH ':memory:' AS none" \
			"CREATE TABLE none.CUPTI_ACTIVITY_KIND_MEMCPY (start, globalPid, deviceId, copyKind); CREATE TABLE none.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (globalPid, contextId, streamId, correlationId)" "ATTACH '$o' AS o; PRAGMA synchronous = OFF;" "PRAGMA journal_mode = OFF;" "$JUDGE" >/dev/null
		mv "$o.new" "$db"
	fi
	sqlite3 -batch -noheader -separator "$TAB" "file:$db?immutable=1" "ATTACH 'file:$BATS_RUN_TMPDIR/oracle${1//\//-}?immutable=1' AS o" "$2"
}

# busy_of TRACE LANE WHERE: busy time by lane (an SQL expression) of work chosen by SQL.
busy_of() { ask "$1" "SELECT $2, a, b FROM work WHERE $3" | covered; }

# sums: the idle time of each cause, in one line.
sums() { col cause idle_ns | sort | tr '\t' ' ' | paste -sd ,; }

@test "the reference sums: decode-graph-nodes by cause, and together the idle time" {
	answers nsq-gaps --by cause "$NODES"
	same "alloc 677730,api 134196,host 10143208,launch 71261462,load 122247882,sync 259314,turnaround 7462713" "$(sums <<<"$output")"
	same "212186505 1460987" "$(sum idle_ns synced_ns <<<"$output" | tr '\t' ' ')"
	same "212186505 1460987" "$(nsq-gaps "$NODES" | col idle_ns synced_ns | tr '\t' ' ')"
}

@test "the reference sums: ddp-2rank, process 1084" {
	answers nsq-gaps -q -p 1084 --by cause "$DDP"
	same "api 167524,host 10070078,launch 1427269,load 32839,queued 1054670,sync 178099,turnaround 50898376" "$(sums <<<"$output")"
	same "63828855 4680457" "$(sum idle_ns synced_ns <<<"$output" | tr '\t' ' ')"
	same "63828855 4680457" "$(nsq-gaps -q -p 1084 "$DDP" | col idle_ns synced_ns | tr '\t' ' ')"
}

# bats test_tags=more
@test "busy and idle are those of a sweep, by process and GPU, in every fixture" {
	check() {
		same "$(busy_of "$1" "pid || ' ' || gpu" 1 | tr ' ' '\t')" "$(nsq-gaps -q "$1" | col pid gpu busy_ns)"
		same "$(ask "$1" "SELECT pid, ga, gb FROM procs WHERE ga IS NOT NULL ORDER BY pid")" "$(nsq-gaps -q "$1" | col pid start_ns end_ns)"
		same "$(judged "$1" "SELECT pid, gpu, sum(ns), count(*), max(ns), sum(ns * synced) FROM gaps GROUP BY pid, gpu ORDER BY 1, 2")" \
			"$(nsq-gaps -q "$1" | col pid gpu idle_ns gaps max_ns synced_ns)"
		nsq-gaps -q "$1" | col start_ns end_ns busy_ns idle_ns idle_pct |
			awk -F '\t' '$2 - $1 != $3 + $4 || sprintf("%.2f", 100.0 * $4 / ($2 - $1)) != $5 { print; bad = 1 } END { exit bad || !NR }'
	}
	every check
}

# bats test_tags=more
@test "idle is that of nsq-overlap --total, in every fixture and in windows" {
	check() {
		for w in "" "-w 33.1ms..35.7ms" "-w 20ms..30ms"; do
			same "$(nsq-overlap -q --total $w "$1" | col pid start_ns end_ns gpu idle_ns)" "$(nsq-gaps -q $w "$1" | col pid start_ns end_ns gpu idle_ns)"
		done
	}
	every check
	same "$(nsq-window --pick all -q "$COMPILE" | nsq-overlap --total | col window idle_ns)" \
		"$(nsq-window --pick all -q "$COMPILE" | nsq-gaps | col window idle_ns)"
}

# bats test_tags=more
@test "every gap has the length, cause, wait and work that SQL finds, in every fixture" {
	check() {
		same "$(judged "$1" "SELECT pid, gpu, a, b, ns, cause, synced, next_name FROM gaps" | sort)" \
			"$(nsq-gaps -q -m none --each --min 0 "$1" | col pid gpu start_ns end_ns dur_ns cause synced next | sed 's/memcpy um_.*/migration/; s/memcpy .*/memcpy/; s/memset .*/memset/' | sort)"
	}
	every check
}

# bats test_tags=more
@test "--by cause: the parts are those that SQL finds, in every fixture" {
	check() {
		same "$(judged "$1" "SELECT pid, gpu, p.cause, sum(p.ns), sum(p.ns * synced) FROM gaps JOIN parts p USING (gap) GROUP BY 1, 2, 3 HAVING sum(p.ns) > 0 ORDER BY 1, 2, 4 DESC")" \
			"$(nsq-gaps -q -m none --by cause "$1" | col pid gpu cause idle_ns synced_ns)"
	}
	every check
	# every cause but mpi, unknown and edge occurs in them
	same "alloc api data host launch load queued sync turnaround um" "$(for t in "$DDP" "$COPIES" "$NODES"; do nsq-gaps -q --by cause "$t" | col cause; done | sort -u | paste -sd ' ')"
}

@test "--by cause: gaps is the number of stretches with a part in it, max_ns the longest part" {
	same "$(judged "$NODES" "SELECT cause, count(*), max(ns) FROM (SELECT gap, cause, sum(ns) AS ns FROM parts GROUP BY gap, cause) WHERE ns > 0 GROUP BY cause ORDER BY cause")" \
		"$(nsq-gaps -m none --by cause "$NODES" | col cause gaps max_ns | sort)"
}

# bats test_tags=slow
@test "single gaps of each cause, spelt out in SQL" {
	# queued: the call had returned before the gap began, and the stream's own turn was not what it waited for
	read -r a b <<<"$(judged "$DDP" "SELECT a, b FROM judged WHERE pid = 1084 AND le <= a AND rowid NOT IN (SELECT gap FROM in_order) ORDER BY b - a DESC LIMIT 1")"
	same 1 "$(ask "$DDP" "SELECT count(*) > 0 FROM launched l JOIN calls c ON c.proc = l.proc AND c.corr = l.corr WHERE l.pid = 1084 AND l.a = $b AND c.b <= $a")"
	same "$a$TAB$b${TAB}queued" "$(nsq-gaps -q --each -p 1084 "$DDP" | where start_ns "$a" | col start_ns end_ns cause)"
	# turnaround: it was, and the longest such gap is longer (two processes share this GPU)
	read -r a b <<<"$(judged "$DDP" "SELECT a, b FROM judged WHERE pid = 1084 AND le <= a ORDER BY b - a DESC LIMIT 1")"
	same "$a$TAB$b${TAB}turnaround" "$(nsq-gaps -q --each -p 1084 "$DDP" | where start_ns "$a" | col start_ns end_ns cause)"
	# synced: a synchronizing call of the launching thread was open when it began, and the launch came later; the
	# longest such gap passed outside of calls, after the wait
	read -r a b <<<"$(judged "$NODES" "SELECT a, b FROM judged WHERE in_wait ORDER BY b - a DESC LIMIT 1")"
	same 1 "$(ask "$NODES" "SELECT count(*) FROM launched l JOIN calls c ON c.proc = l.proc AND c.tid = l.tid WHERE l.a = $b AND l.launch > $a
		AND c.name LIKE '%Synchronize%' AND c.a <= $a AND c.b > $a")"
	same "host 1" "$(nsq-gaps --each "$NODES" | where start_ns "$a" | col cause synced | tr '\t' ' ')"
	# launch: most of it lies inside the launch call
	read -r a b <<<"$(judged "$NODES" "SELECT a, b FROM gaps WHERE cause = 'launch' ORDER BY b - a DESC LIMIT 1")"
	same 1 "$(ask "$NODES" "SELECT 2 * (min(c.b, $b) - max(c.a, $a)) > $b - $a FROM launched l JOIN calls c ON c.proc = l.proc AND c.corr = l.corr WHERE l.a = $b LIMIT 1")"
	same "launch" "$(nsq-gaps --each "$NODES" | where start_ns "$a" | col cause)"
	# load: a call that loads code
	same "load cuLibraryLoadData" "$(nsq-gaps --each -n 1 -q "$NODES" | col cause api | tr '\t' ' ')"
	read -r a b <<<"$(nsq-gaps --each -n 1 -q "$NODES" | col start_ns end_ns)"
	same 1 "$(ask "$NODES" "SELECT 2 * sum(min(c.b, $b) - max(c.a, $a)) > $b - $a FROM calls c WHERE name LIKE 'cuLibraryLoadData%' AND c.a < $b AND c.b > $a")"
	# host: most of it outside every call of the thread, before the launch
	read -r a b <<<"$(judged "$COMPILE" "SELECT a, b FROM gaps WHERE cause = 'host' ORDER BY b - a DESC LIMIT 1")"
	same 1 "$(ask "$COMPILE" "SELECT 2 * (l.launch - $a - coalesce((SELECT sum(min(c.b, l.launch) - max(c.a, $a)) FROM calls c WHERE c.tid = l.tid AND c.a < l.launch AND c.b > $a), 0))
		> $b - $a FROM launched l WHERE l.a = $b")"
	same "host" "$(nsq-gaps --each "$COMPILE" | where start_ns "$a" | col cause)"
}

# bats test_tags=long
@test "ties go to queued, launch, sync, alloc, load, api, data, mpi, host, in this order" {
	# one thread, two kernels, a gap of 1000 ns, and calls laid out by hand
	lay() {
		change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET; DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 2" \
			"DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid > 4; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 1, end = 2, correlationId = 900000 + rowid, globalTid = (SELECT min(globalTid) FROM CUPTI_ACTIVITY_KIND_RUNTIME)" \
			"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 10000000, end = 10001000, correlationId = 1 WHERE rowid = 1" \
			"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 10002000, end = 10003000, correlationId = 2, streamId = 7 WHERE rowid = 2" \
			"INSERT INTO StringIds VALUES (900001, 'cudaLaunchKernel'), (900002, 'cudaStreamSynchronize'), (900003, 'cudaMalloc'), (900004, 'cudaEventRecord'), (900005, 'cuModuleLoadData'), (900006, 'MPI_Wait')" "$@"
	}
	call() { echo "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = $2, nameId = $3, start = $4, end = $5 WHERE rowid = $1;"; }
	cause() { nsq-gaps --each --min 0 "$1" | col dur_ns cause | tr '\t' ' '; }
	same "1000 queued" "$(cause "$(lay "$(call 1 2 900001 10001000 10001500)")")"
	same "1000 launch" "$(cause "$(lay "$(call 1 2 900001 10001500 10002100)")")"
	same "1000 launch" "$(cause "$(lay "$(call 1 2 900001 10001500 10002100) $(call 2 77 900003 10001000 10001500)")")"
	same "1000 sync" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900003 10001000 10001500) $(call 3 78 900002 10001500 10002000)")")"
	same "1000 alloc" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900005 10001000 10001500) $(call 3 78 900003 10001500 10002000)")")"
	same "1000 load" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900004 10001000 10001500) $(call 3 78 900005 10001500 10002000)")")"
	same "1000 api" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900004 10001000 10001500)")")"
	same "1000 host" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900004 10001000 10001499)")")"
	# outside of calls: a range that fetches data, an MPI call, and neither
	fetching() { echo "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT $1, $2, 59, 'data', min(globalTid), 0 FROM CUPTI_ACTIVITY_KIND_RUNTIME;"; }
	mpi() { echo "CREATE TABLE MPI_OTHER_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER); INSERT INTO MPI_OTHER_EVENTS SELECT $1, $2, min(globalTid), 900006 FROM CUPTI_ACTIVITY_KIND_RUNTIME;"; }
	launched=$(call 1 2 900001 10002000 10002100)
	same "1000 api" "$(cause "$(lay "$launched $(call 2 77 900004 10001500 10002000) $(fetching 10001000 10001500)")")"
	same "1000 data" "$(cause "$(lay "$launched $(mpi 10001000 10001500) $(fetching 10001500 10002000)")")"
	same "1000 mpi" "$(cause "$(lay "$launched $(mpi 10001500 10002000)")")"
	same "1000 host" "$(cause "$(lay "$launched $(mpi 10001501 10002000)")")"
	# the largest part is what counts, not the order
	same "1000 host" "$(cause "$(lay "$(call 1 2 900001 10001501 10001600)")")"
	# a synchronizing call open at the start takes only the time that it lasts, even one nested in another call
	same "1000 queued" "$(cause "$(lay "$(call 1 2 900001 10001100 10001200) $(call 2 77 900002 9999000 10001001)")")"
	same "1000 sync" "$(cause "$(lay "$(call 1 2 900001 10001600 10001700) $(call 2 77 900002 9999000 10001600)")")"
	same "1000 api" "$(cause "$(lay "$(call 1 2 900001 10001600 10001700) $(call 2 77 900004 9998000 10001600) $(call 3 78 900002 9999000 10001600)")")"
	# before the launch the class of the outermost call counts
	same "1000 alloc" "$(cause "$(lay "$(call 1 2 900001 10002000 10002100) $(call 2 77 900003 10001000 10002000) $(call 3 78 900002 10001001 10001999)")")"
}

@test "of several pieces of work that end a gap, the one launched first is next" {
	read -r b <<<"$(judged "$COPIES" "SELECT b FROM gaps WHERE cause = 'host' AND next_name = 'saxpy' ORDER BY ns DESC LIMIT 1")"
	# a twin on another stream, launched later, by a call of its own
	t=$(change "$COPIES" "INSERT INTO StringIds VALUES (900001, 'twin')" \
		"CREATE TEMP TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = $b; UPDATE k SET streamId = 99, correlationId = 999999, shortName = 900001" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM k" \
		"CREATE TEMP TABLE c AS SELECT * FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = $b AND streamId <> 99)" \
		"UPDATE c SET correlationId = 999999, start = start + 10, end = end - 1; INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT * FROM c")
	same saxpy "$(nsq-gaps --each "$t" | where end_ns "$b" | col next)"
	t=$(change "$t" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start - 20 WHERE correlationId = 999999")
	same twin "$(nsq-gaps --each "$t" | where end_ns "$b" | col next)"
	# one whose launch is not known comes last
	t=$(change "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId = 999999")
	same "saxpy${TAB}host" "$(nsq-gaps --each "$t" | where end_ns "$b" | col next cause)"
}

# ---- --each

@test "--each: longest first, of at least --min; 1us when none is given" {
	for min in 0 1us 50us 1.5ms; do
		case $min in 0) ns=0 ;; 1us) ns=1000 ;; 50us) ns=50000 ;; 1.5ms) ns=1500000 ;; esac
		same "$(judged "$NODES" "SELECT ns, a FROM gaps WHERE ns >= $ns ORDER BY ns DESC, a")" "$(nsq-gaps --each --min "$min" "$NODES" | col dur_ns start_ns)"
	done
	same "$(nsq-gaps --each --min 1us "$NODES")" "$(nsq-gaps --each "$NODES")"
	# a gap of exactly that length is shown
	ns=$(judged "$COPIES" "SELECT ns FROM gaps ORDER BY ns LIMIT 1 OFFSET 20")
	same "$(judged "$COPIES" "SELECT count(*) FROM gaps WHERE ns >= $ns")" "$(nsq-gaps --each --min "$ns" "$COPIES" | count)"
	mentions "--min" -- nsq-gaps --each --min 10s "$COPIES"
}

# bats test_tags=more
@test "--each --min 0: the gaps add up to the idle time, in every fixture" {
	check() {
		same "$(nsq-gaps -q "$1" | sum gaps idle_ns)" "$(nsq-gaps -q --each --min 0 "$1" | awk -F '\t' 'NR > 1 { n++; s += $6 } END { printf "%d\t%.0f\n", n, s }')"
		nsq-gaps -q --each --min 0 "$1" | col start_ns end_ns dur_ns | awk '$2 - $1 != $3 { print; exit 1 }'
	}
	every check
}

@test "--each: prev is work that ended where the gap begins, next what ends it" {
	nsq-gaps --each --min 0 "$COPIES" | col start_ns end_ns prev next | sed 's/memcpy um_[a-z0-9_]*/migration/g; s/memcpy [a-z0-9_]*/memcpy/g; s/memset [a-z0-9_]*/memset/g' > "$BATS_TEST_TMPDIR/gaps"
	[ -s "$BATS_TEST_TMPDIR/gaps" ]
	while IFS=$TAB read -r a b prev next; do
		same "$prev" "$(ask "$COPIES" "SELECT name FROM work WHERE b = $a AND a < b ORDER BY a DESC LIMIT 1")"
		same 1 "$(ask "$COPIES" "SELECT count(*) > 0 FROM work WHERE a = $b AND name = '$next'")"
	done < <(awk 'NR % 5 == 1' "$BATS_TEST_TMPDIR/gaps")
}

# bats test_tags=more
@test "--each: api is the call with the most time in the part that the cause names, in every fixture" {
	check() {
		same "$(judged "$1" "SELECT pid, gpu, a, coalesce(CASE WHEN cause = 'launch' THEN (SELECT c.name FROM o.launched n JOIN o.calls c ON c.proc = n.proc AND c.corr = n.corr
					WHERE n.rowid = next ORDER BY c.a LIMIT 1)
				WHEN cause IN ('sync', 'alloc', 'load', 'api') THEN (SELECT p.name FROM before p WHERE p.gap = g.gap AND p.cause = g.cause ORDER BY ns DESC, p.a LIMIT 1) END, '-')
				FROM gaps g" | awk -F '\t' -v OFS='\t' '{ while (sub(/(_v[0-9]+|_ptsz|_ptds)$/, "", $4)) ; print }' | sort)" \
			"$(nsq-gaps -q -m none --each --min 0 "$1" | col pid gpu start_ns api | sort)"
	}
	every check
	# so it is - where the cause is no call
	same "data host queued turnaround um" "$(nsq-gaps -q --each --min 0 "$COPIES" | where api - | col cause | sort -u | paste -sd ' ')"
}

# Gaps with the innermost range of the launching thread that holds more than half of them.
HELD="SELECT g.pid, g.a, g.ns, g.synced, coalesce((SELECT r.name FROM o.ranges r WHERE r.proc = g.proc AND r.tid = g.tid AND r.type = 59 AND r.a < g.b AND r.b > g.a
	AND 2 * (min(r.b, g.b) - max(r.a, g.a)) > g.ns ORDER BY r.a DESC, r.b LIMIT 1), '-') AS nvtx FROM gaps g"

# bats test_tags=more
@test "--each: nvtx is the launching thread's innermost range that holds most of the gap, for every cause" {
	for t in $(first_few 2 "$NODES" "$COPIES" "$COMPILE" "$DUALPIPE"); do
		same "$(judged "$t" "SELECT pid, a, nvtx FROM ($HELD) ORDER BY 1, 2")" \
			"$(nsq-gaps -q --each --min 0 "$t" | col pid start_ns nvtx | sort -t "$TAB" -k1,1n -k2,2n)"
	done
}

@test "--each: a range in the middle that holds less than half of the gap gives way to the one around it" {
	read -r a b tid nvtx <<<"$(judged "$COMPILE" "SELECT g.a, g.b, (SELECT r.proc << 24 | r.tid FROM o.ranges r WHERE r.proc = g.proc LIMIT 1), h.nvtx
		FROM gaps g JOIN ($HELD) h ON h.a = g.a WHERE h.nvtx <> '-' AND g.ns % 2 = 0 ORDER BY g.ns DESC LIMIT 1")"
	half=$(((b - a) / 2))
	within() { # FROM TO: the trace with one more range, and what the gap then stands in
		nsq-gaps --each "$(change "$COMPILE" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES ($1, $2, 59, 'inside', $tid, 0)")" |
			where start_ns "$a" | col nvtx
	}
	same "$nvtx" "$(within $((a + half - 100)) $((a + half + 100)))"
	same "$nvtx" "$(within $((a + 10)) $((a + 10 + half)))"
	same "inside" "$(within $((a + 10)) $((a + 11 + half)))"
}

# bats test_tags=slow
@test "--by nvtx: the same gaps, by folded range, add up to the idle time" {
	for t in "$NODES" "$COPIES" "$COMPILE" "$DUALPIPE"; do
		same "$(judged "$t" "SELECT pid, nvtx, 1, ns, ns * synced FROM ($HELD)" | fold_cell 2 | added 2)" \
			"$(nsq-gaps -q --by nvtx "$t" | col pid nvtx gaps idle_ns synced_ns | sort)"
	done
	check() {
		for by in nvtx cause cause,nvtx; do
			same "$(nsq-gaps -q "$1" | col pid gpu idle_ns synced_ns)" "$(nsq-gaps -q --by $by "$1" | col pid gpu idle_ns synced_ns | added 2)"
		done
	}
	every check
}

@test "--by nvtx,cause crosses them" {
	same "$(nsq-gaps -q --by cause "$NODES" | col cause idle_ns | added 1)" "$(nsq-gaps -q --by cause,nvtx "$NODES" | col cause idle_ns | added 1)"
	same "$(nsq-gaps -q --by nvtx "$NODES" | col nvtx idle_ns | added 1)" "$(nsq-gaps -q --by cause,nvtx "$NODES" | col nvtx idle_ns | added 1)"
	fails 2 "'stream'" -- nsq-gaps --by stream "$NODES"
}

# ---- what is busy, and for whom

# bats test_tags=more
@test "--by gpu: the union over processes, pid -" {
	for t in $(first_few 2 "$DUALPIPE" "$COPIES" "$DDP"); do
		same "-$TAB$(ask "$t" "SELECT min(ga), max(gb) FROM procs")$TAB$(busy_of "$t" gpu 1)" "$(nsq-gaps -q --by gpu "$t" | col pid start_ns end_ns gpu busy_ns)"
		nsq-gaps -q --by gpu "$t" | col start_ns end_ns busy_ns idle_ns | awk '$2 - $1 != $3 + $4 { print; exit 1 }'
	done
	# a gap of the GPU is one of all its processes
	same "$(ask "$DUALPIPE" "SELECT sum(a - until), count(*), max(a - until) FROM (SELECT a, max(b) OVER (ORDER BY a, b ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until FROM work)
			WHERE a > until")" "$(nsq-gaps -q --by gpu "$DUALPIPE" | col idle_ns gaps max_ns)"
	same "$(ask "$DUALPIPE" "SELECT 1, max(a, 100000000), min(b, 230000000) FROM work WHERE a < 230000000 AND b > 100000000" | covered | cut -f2)" \
		"$(nsq-gaps -q --by gpu -w 100ms..230ms "$DUALPIPE" | col busy_ns)"
	fails 2 "'--by gpu'" -- nsq-gaps --by gpu,cause "$DUALPIPE"
}

@test "--by gpu: a gap is synced if the thread that launched the work after it, of whatever process, had waited" {
	# of one process, the same as without
	same "$(nsq-gaps -q "$NODES" | col gpu idle_ns gaps max_ns synced_ns)" "$(nsq-gaps -q --by gpu "$NODES" | col gpu idle_ns gaps max_ns synced_ns)"
	same "$(nsq-gaps -q -p 1084 -w 50ms..300ms "$DDP" | col gpu idle_ns gaps max_ns synced_ns)" "$(nsq-gaps -q --by gpu -p 1084 -w 50ms..300ms "$DDP" | col gpu idle_ns gaps max_ns synced_ns)"
	# process 5 is idle from 100 to 400 and process 6 from 250 to 300, which is all the idle time of the GPU
	both() {
		made "INSERT INTO K VALUES (0, 100, 0, 1, 7, 1, $P5, 1, 1), (400, 500, 0, 1, 7, 2, $P5, 1, 1), (50, 250, 0, 1, 7, 1, $P6, 1, 1), (300, 400, 0, 1, 7, 2, $P6, 1, 1);
			INSERT INTO R VALUES (290, 295, $P5 + 5, 2, 2), (290, 295, $P6 + 6, 2, 2), $1"
	}
	t=$(both "(90, 280, $P5 + 5, 9, 4)")
	same "300 300,50 0,50 0" "$({ nsq-gaps -q "$t"; nsq-gaps -q --by gpu "$t" | rows; } | col idle_ns synced_ns | tr '\t' ' ' | paste -sd ,)"
	t=$(both "(90, 280, $P6 + 6, 9, 4)")
	same "300 0,50 50,50 50" "$({ nsq-gaps -q "$t"; nsq-gaps -q --by gpu "$t" | rows; } | col idle_ns synced_ns | tr '\t' ' ' | paste -sd ,)"
	# in a window that cuts the gap, its part
	same "20 20" "$(nsq-gaps -q --by gpu -w 260..280 "$t" | col idle_ns synced_ns | tr '\t' ' ')"
	# of work of both that ends the gap, the one launched first counts
	t=$(change "$t" "UPDATE ${K}KERNEL SET start = 300 WHERE start = 400; UPDATE ${K}RUNTIME SET start = 289 WHERE start = 290 AND globalTid = $P5 + 5")
	same "50 0" "$(nsq-gaps -q --by gpu "$t" | col idle_ns synced_ns | tr '\t' ' ')"
	t=$(change "$t" "UPDATE ${K}RUNTIME SET start = 288 WHERE start = 290")
	same "50 50" "$(nsq-gaps -q --by gpu "$t" | col idle_ns synced_ns | tr '\t' ' ')"
}

# bats test_tags=more
@test "--work kernels: copies and sets do not make the GPU busy" {
	for t in $(first_few 2 "$COPIES" "$WHOLE" "$DDP"); do
		same "$(busy_of "$t" pid "$KERNELS")" "$(nsq-gaps -q --work kernels "$t" | col pid busy_ns)"
		same "$(nsq-gaps -q "$t" | col start_ns end_ns)" "$(nsq-gaps -q --work kernels "$t" | col start_ns end_ns)"
	done
	lacks "$(nsq-gaps --work kernels --each --min 0 "$COPIES" | col prev next)" mem
	fails 2 "'copies'" -- nsq-gaps --work copies "$COPIES"
}

@test "whole graphs make the GPU busy" {
	same "$(busy_of "$WHOLE" pid 1)" "$(nsq-gaps -q "$WHOLE" | col pid busy_ns)"
	[ "$(busy_of "$WHOLE" pid "kind <> 'graph'" | cut -f2)" -lt "$(nsq-gaps -q "$WHOLE" | col busy_ns)" ]
	holds "$(nsq-gaps -q --each "$WHOLE" | col next)" "graph 1"
}

@test "a process has a row for each GPU it has work on, in any window, and -g chooses" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 3 WHERE rowid % 2")
	same "$(busy_of "$t" gpu 1)" "$(nsq-gaps "$t" | col gpu busy_ns)"
	same "$(busy_of "$t" gpu 'gpu = 3')" "$(nsq-gaps -g 3 "$t" | col gpu busy_ns)"
	read -r a b <<<"$(ask "$t" "SELECT a, b FROM work WHERE gpu = 0 ORDER BY b - a DESC LIMIT 1")"
	same "0 2,3 2" "$(nsq-gaps -w "$((a - 1))..$((b + 1))" "$t" | awk -F '\t' 'NR > 1 { print $5, ($6 + $7 == '$((b - a + 2))') + 1 }' | paste -sd ,)"
}

# ---- windows

@test "a gap that the window cuts keeps its cause, call, range, prev and next" {
	IFS=$TAB read -r a b rest <<<"$(nsq-gaps --each -q -n 1 "$NODES" | col start_ns end_ns cause synced api nvtx prev next)"
	# the middle of it, where the thread may be doing something else
	for cut in "$((a + 5000)) $((a + 9000))" "$((b - 2000)) $((b + 100))" "$((a - 50)) $((a + 700))"; do
		set -- $cut
		from=$(($1 > a ? $1 : a)) to=$(($2 < b ? $2 : b))
		same "$from$TAB$to$TAB$((to - from))$TAB$rest" "$(nsq-gaps --each --min 0 -w "$1..$2" "$NODES" | where start_ns "$from" | col start_ns end_ns dur_ns cause synced api nvtx prev next)"
	done
	# and one that began under a synchronizing call remains such a gap, also where the call is over
	read -r a b <<<"$(judged "$NODES" "SELECT a, b FROM gaps WHERE synced ORDER BY ns DESC LIMIT 1")"
	same "900 900" "$(nsq-gaps -w "$((b - 900))..$b" "$NODES" | col idle_ns synced_ns | tr '\t' ' ')"
	same "1" "$(nsq-gaps --each --min 0 -w "$((b - 900))..$b" "$NODES" | col synced)"
}

@test "--by cause in a window sums the parts that lie in it" {
	# a gap with parts of several causes; its launch [ls,le)
	read -r a b ls le <<<"$(judged "$NODES" "SELECT j.a, j.b, ls, le FROM judged j WHERE whole IS NULL AND a < ls AND le < b ORDER BY min(ls - a, le - ls, b - le) DESC LIMIT 1")"
	[ "$le" -gt "$ls" ]
	w="$((ls - 3))..$((le + 5))"
	same "launch $((le - ls))" "$(nsq-gaps --by cause -w "$w" "$NODES" | where cause launch | col cause idle_ns | tr '\t' ' ')"
	same "turnaround 5" "$(nsq-gaps --by cause -w "$w" "$NODES" | where cause turnaround | col cause idle_ns | tr '\t' ' ')"
	same "$((le - ls + 8))" "$(nsq-gaps --by cause -w "$w" "$NODES" | sum idle_ns)"
	# and over many gaps, windows that tile the time add up to the whole
	same "$(nsq-gaps --by cause "$NODES" | col cause idle_ns synced_ns | added 1)" \
		"$(nsq-gaps --by cause -w ..100ms -w 100ms..181.3ms -w 181.3ms..200.0007ms -w 200.0007ms.. "$NODES" | col cause idle_ns synced_ns | added 1)"
}

@test "edge: before the first and after the last work of the process" {
	read -r first last <<<"$(ask "$COPIES" "SELECT ga, gb FROM procs")"
	read -r lo hi <<<"$(ask "$COPIES" "SELECT min(a), max(b) FROM procs")"
	answers nsq-gaps --each --min 0 -w "0..$((hi + 1))" "$COPIES"
	same "$lo $first $last $hi" "$(where cause edge <<<"$output" | col start_ns end_ns | sort -n | tr '\t' ' ' | paste -sd ' ')"
	same "- -" "$(where cause edge <<<"$output" | awk -F '\t' 'NR > 1 && $3 == '"$lo"' { print $11; next } NR > 1 { print $12 }' | paste -sd ' ')"
	same "0 -" "$(where cause edge <<<"$output" | col synced api | sort -u | tr '\t' ' ')"
	same "$((first - lo + hi - last))" "$(nsq-gaps --by cause -w "0..$((hi + 1))" "$COPIES" | where cause edge | col idle_ns)"
	# a window wholly after the last work
	answers nsq-gaps --by cause -w "$((last + 100))..$((last + 300))" "$COPIES"
	same "0 200 edge" "$(col busy_ns idle_ns cause <<<"$output" | tr '\t' ' ')"
}

@test "unknown: the launch is not in the trace" {
	read -r a b <<<"$(judged "$COPIES" "SELECT a, b FROM gaps WHERE next_name = 'saxpy' ORDER BY ns DESC LIMIT 1")"
	t=$(change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId IN (SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start = $b)")
	same "$((b - a)) unknown 0 - - saxpy" "$(nsq-gaps --each "$t" | where start_ns "$a" | col dur_ns cause synced api nvtx next | tr '\t' ' ')"
	same "$((b - a))" "$(nsq-gaps --by cause "$t" | where cause unknown | col idle_ns)"
	# a call with that number in another process does not help
	t=$(change "$DUALPIPE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid >> 24 & 0xffffff = 693")
	same "unknown" "$(nsq-gaps -q -p 693 --by cause "$t" | col cause)"
}

@test "um: what ends it moves managed memory, which the driver does without a call" {
	same "$(judged "$COPIES" "SELECT count(*), sum(ns) FROM gaps JOIN migrations m ON m.a = b")" "$(nsq-gaps --by cause "$COPIES" | where cause um | col gaps idle_ns)"
	same "0 - -" "$(nsq-gaps --each --min 0 "$COPIES" | where cause um | col synced api nvtx | sort -u | tr '\t' ' ')"
	same "memcpy um_d2h" "$(nsq-gaps --each --min 0 "$COPIES" | where cause um | col next | sort -u)"
	# by the kind of copy, and only if no call launched it
	moved() { nsq-gaps -q --each --min 0 "$(made "INSERT INTO K VALUES (0, 100, 0, 1, 7, 1, $P5, 1, 1); INSERT INTO C VALUES (200, 300, 0, 1, 7, 2, $P5, 64, $1); $2")" | col cause; }
	for kind in 0 1 2 8 9 10 11 12 13 99; do
		case $kind in 11|12|13) cause=um ;; *) cause=unknown ;; esac
		same "$cause" "$(moved $kind "INSERT INTO R VALUES (50, 60, $P5 + 5, 1, 2)")"
	done
	same "turnaround" "$(moved 11 "INSERT INTO R VALUES (50, 60, $P5 + 5, 2, 3)")"
	# a kernel by that name is none
	same "unknown" "$(nsq-gaps -q --each --min 0 "$(made "INSERT INTO S VALUES (6, 'memcpy um_h2d'); INSERT INTO R VALUES (50, 60, $P5 + 5, 1, 2);
		INSERT INTO K VALUES (0, 100, 0, 1, 7, 1, $P5, 1, 1), (200, 300, 0, 1, 7, 2, $P5, 6, 6)")" | col cause)"
}

@test "without API calls every gap is unknown, or um; idle stays" {
	t=$(change "$COPIES" "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
	same "$(nsq-gaps "$COPIES" | col busy_ns idle_ns gaps)" "$(nsq-gaps -q "$t" | col busy_ns idle_ns gaps)"
	same "unknown,um" "$(nsq-gaps -q --by cause "$t" | col cause | paste -sd ,)"
	same "0" "$(nsq-gaps -q "$t" | col synced_ns)"
}

@test "work of no length neither ends a gap nor makes one" {
	read -r a b <<<"$(judged "$COPIES" "SELECT a, b FROM gaps ORDER BY ns DESC LIMIT 1")"
	t=$(change "$COPIES" "CREATE TEMP TABLE k AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1; UPDATE k SET start = $a + 5000, end = $a + 5000" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM k")
	same "$(nsq-gaps "$COPIES" | without trace)" "$(nsq-gaps "$t" | without trace)"
	same "$(nsq-gaps --each "$COPIES" | without trace)" "$(nsq-gaps --each "$t" | without trace)"
}

@test "--inside and options without effect are refused" {
	fails 2 "'--inside'" -- nsq-gaps --inside "$NODES"
	fails 2 "'--inside'" -- nsq-gaps --inside --each "$NODES"
	fails 2 "'--min'" -- nsq-gaps --min 1us "$NODES"
	fails 2 "'--by'" "'--each'" -- nsq-gaps --each --by cause "$NODES"
	fails 2 "'soon'" -- nsq-gaps --each --min soon "$NODES"
}

@test "rows come by gpu, then most idle first" {
	nsq-gaps -q --by nvtx "$DDP" | col pid gpu idle_ns |
		awk '$1 == pid && $2 == gpu && $3 > was { bad = 1 } { pid = $1; gpu = $2; was = $3 } END { exit bad || NR < 8 }'
}

@test "events lost in capture are warned of, by process" {
	holds "$(nsq-gaps "$DDP" 2>&1 >/dev/null)" "process 1085" "lost"
}

# ---- calls, ranges and work that begin or end exactly where the gap does, on traces of a few rows

# gap CALLS [MORE]: what is said of the gap from 100 to 200 on the GPU that ends with work launched by the
# call of id 2, given the rows of R ("start, end, id, name") and more SQL.
gap() {
	local sql="" c
	while IFS= read -r c; do sql+="INSERT INTO R SELECT a, b, $P5 + 5, id, name FROM (SELECT $c);"; done <<<"$1"
	made "INSERT INTO K VALUES (0, 100, 0, 1, 7, 1, $P5, 1, 1), (200, 300, 0, 1, 7, 2, $P5, 1, 1); $sql $2"
}
call() { echo "$1 AS a, $2 AS b, $3 AS id, $4 AS name"; }
# causes TRACE: the parts of the idle time by cause, the cause of the gap, the call, and whether it is synced.
causes() {
	nsq-gaps -q --by cause "$1" | col cause idle_ns | sort | tr '\t\n' ' ,'
	nsq-gaps -q --each --min 0 "$1" | col cause api synced | tr '\t' ' '
}

@test "a synchronizing call that ends where the gap begins is over; one that begins there is open" {
	launch=$(call 180 190 2 2)
	same "host 80,launch 10,turnaround 10,host - 0" "$(causes "$(gap "$(call 50 100 9 4)
$launch")")"
	same "host 79,launch 10,sync 1,turnaround 10,host - 1" "$(causes "$(gap "$(call 50 101 9 4)
$launch")")"
	same "host 75,launch 10,sync 5,turnaround 10,host - 1" "$(causes "$(gap "$(call 100 105 9 4)
$launch")")"
	same "host 76,launch 10,sync 4,turnaround 10,host - 0" "$(causes "$(gap "$(call 101 105 9 4)
$launch")")"
	same "host 35,launch 10,sync 45,turnaround 10,sync cudaStreamSynchronize 1" "$(causes "$(gap "$(call 90 145 9 4)
$launch")")"
	same "launch 10,sync 80,turnaround 10,sync cudaStreamSynchronize 1" "$(causes "$(gap "$(call 90 180 9 4)
$launch")")"
}

@test "a synchronizing call inside another call, at the same limits" {
	launch=$(call 180 190 2 2)
	inside() { causes "$(gap "$(call 50 150 8 3)
$(call "$1" "$2" 9 4)
$launch")"; }
	same "api 50,host 30,launch 10,turnaround 10,api cudaMemcpyAsync 0" "$(inside 60 100)"
	same "api 50,host 30,launch 10,turnaround 10,api cudaMemcpyAsync 1" "$(inside 60 101)"
	same "api 50,host 30,launch 10,turnaround 10,api cudaMemcpyAsync 1" "$(inside 100 101)"
	same "api 50,host 30,launch 10,turnaround 10,api cudaMemcpyAsync 0" "$(inside 101 149)"
	# one that ends after the call it began in is open until its own end
	synced() { nsq-gaps -q "$(gap "$(call 50 90 8 3)
$(call 60 "$1" 9 4)
$launch")" | col synced_ns; }
	same "0 100" "$(synced 100) $(synced 101)"
}

@test "a synchronizing call that ended up to 20 us before the gap, if what ended there was launched before it" {
	# soon FROM TO [LAUNCH] [MORE]: is the gap from 100 to 200 us synced, whose first work is launched at LAUNCH?
	soon() { nsq-gaps -q --each --min 0 "$(made "INSERT INTO K VALUES (0, 100000, 0, 1, 7, 1, $P5, 1, 1), (200000, 300000, 0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO R VALUES (${3:-10}, ${3:-10} + 1, $P5 + 5, 1, 2), (180000, 190000, $P5 + 5, 2, 2), ($1, $2, ${4:-$P5 + 5}, 9, 4); ${5-}")" | col synced; }
	same "0 1 1" "$(soon 70000 80000) $(soon 70000 80001) $(soon 70000 100000)"
	same "1 0 0" "$(soon 70000 90000 69999) $(soon 70000 90000 70000) $(soon 70000 90000 91000)"
	# only one of the launching thread, and only an outermost one
	same "0" "$(soon 70000 90000 10 "$P5 + 6")"
	same "0" "$(soon 70000 90000 10 "$P5 + 5" "INSERT INTO R VALUES (69000, 91000, $P5 + 5, 8, 3)")"
}

@test "a synchronizing call of another thread, or around the launch" {
	other="INSERT INTO R VALUES (50, 150, $P5 + 6, 9, 4)"
	same "host 80,launch 10,turnaround 10,host - 0" "$(causes "$(gap "$(call 180 190 2 2)" "$other")")"
	# a launch that begins where the gap does was not waited for
	same "launch 60,turnaround 40,launch cudaLaunchKernel 0" "$(causes "$(gap "$(call 90 170 9 4)
$(call 100 160 2 2)")")"
	same "launch 59,sync 1,turnaround 40,launch cudaLaunchKernel 1" "$(causes "$(gap "$(call 90 170 9 4)
$(call 101 160 2 2)")")"
	# the call around the launch is named for the time before the launch
	same "launch 10,sync 60,turnaround 30,sync cudaStreamSynchronize 1" "$(causes "$(gap "$(call 90 180 9 4)
$(call 160 170 2 2)")")"
}

@test "synced_ns: the part of idle_ns in synced gaps, of each row" {
	# two gaps, the first synced
	t=$(gap "$(call 50 110 9 4)
$(call 180 190 2 2)
$(call 320 340 3 2)" "INSERT INTO K VALUES (400, 500, 0, 1, 7, 3, $P5, 1, 1);
		INSERT INTO N VALUES (90, 210, 59, 'step 1', $P5 + 5, NULL, 0), (290, 410, 59, 'step 2', $P5 + 5, NULL, 0), (1, 2, 59, 'x', $P5 + 5, NULL, 0)")
	same "200 2 100" "$(nsq-gaps -q "$t" | col idle_ns gaps synced_ns | tr '\t' ' ')"
	same "200 2 100" "$(nsq-gaps -q --by gpu "$t" | col idle_ns gaps synced_ns | tr '\t' ' ')"
	same "200 step # 100" "$(nsq-gaps -q --by nvtx "$t" | col idle_ns nvtx synced_ns | tr '\t' ' ')"
	same "host 90 70,launch 30 10,sync 10 10,turnaround 70 10" "$(nsq-gaps -q --by cause "$t" | col cause idle_ns synced_ns | sort | tr '\t' ' ' | paste -sd ,)"
	same "50 100 50" "$(nsq-gaps -q -w 150..200 "$t" | col idle_ns idle_pct synced_ns | sed 's/\.00//' | tr '\t' ' ')"
	same "0 0" "$(nsq-gaps -q -w 0..100 "$t" | col idle_ns synced_ns | tr '\t' ' ')"
}

@test "a launch that ends where the gap does, or begins there" {
	same "launch 100,launch cudaLaunchKernel 0" "$(causes "$(gap "$(call 100 200 2 2)")")"
	same "turnaround 100,turnaround - 0" "$(causes "$(gap "$(call 50 100 2 2)")")"
	same "host 100,host - 0" "$(causes "$(gap "$(call 200 210 2 2)")")"
	same "launch 100,launch cudaLaunchKernel 0" "$(causes "$(gap "$(call 100 900 2 2)")")"
}

@test "a cause must have more of the gap than those before it: equal shares go to the first" {
	same "launch 50,turnaround 50,turnaround - 0" "$(causes "$(gap "$(call 100 150 2 2)")")"
	same "launch 51,turnaround 49,launch cudaLaunchKernel 0" "$(causes "$(gap "$(call 100 151 2 2)")")"
	same "host 50,launch 50,launch cudaLaunchKernel 0" "$(causes "$(gap "$(call 150 200 2 2)")")"
	same "host 51,launch 49,host - 0" "$(causes "$(gap "$(call 151 200 2 2)")")"
}

@test "api: of the calls of the class that the cause names, the longest in the gap, of equal ones the first" {
	named() { causes "$(gap "$1" "INSERT INTO S VALUES (6, 'cudaMalloc_v7000'), (8, 'cudaFree')")" | sed 's/.*,//'; }
	same "alloc cudaFree 0" "$(named "$(call 100 120 8 8)
$(call 130 150 9 6)
$(call 150 180 10 5)
$(call 190 195 2 2)")"
	same "alloc cudaMalloc 0" "$(named "$(call 90 120 8 8)
$(call 130 151 9 6)
$(call 151 181 10 5)
$(call 190 195 2 2)")"
	# the time after the launch does not count, nor does a call made then
	same "alloc cudaMalloc 0" "$(named "$(call 100 120 8 8)
$(call 120 145 9 6)
$(call 146 160 2 2)
$(call 160 199 10 8)")"
	# a call that runs on beyond the launch counts up to it
	same "alloc cudaFree 0" "$(named "$(call 100 126 8 8)
$(call 130 199 9 6)
$(call 155 160 2 2)")"
}

@test "prev: of several pieces of work that end where the gap begins, the one that started last" {
	t=$(gap "$(call 190 195 2 2)" "INSERT INTO S VALUES (11, 'early'), (12, 'later'), (13, 'before'); UPDATE K SET shortName = 11, demangledName = 11 WHERE start = 0;
		INSERT INTO K VALUES (40, 100, 0, 1, 8, 5, $P5, 12, 12), (60, 99, 0, 1, 9, 6, $P5, 13, 13)")
	same "later" "$(nsq-gaps -q --each --min 0 "$t" | col prev)"
}

@test "nvtx: a range that holds exactly half of the gap is not enough" {
	range() { nsq-gaps -q --each --min 0 "$(gap "$(call 190 195 2 2)" "INSERT INTO N VALUES ($1, $2, 59, 'x', $P5 + 5, NULL, 0)")" | col nvtx; }
	same "-" "$(range 50 150)"
	same "x" "$(range 50 151)"
	same "-" "$(range 150 250)"
	same "x" "$(range 149 250)"
	same "x" "$(range 120 171)"
	same "-" "$(range 120 170)"
}

@test "--each and --by cause agree where calls have the same times" {
	# between two kernels the thread is in two calls that are the same to the nanosecond: one of class event, one that waits
	t=$(made "INSERT INTO S VALUES (6, 'aEventQuery'), (7, 'zSynchronize');
		INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (1000, 1100, 0, 1, 7, 2, $P5, 1, 1);
		INSERT INTO R VALUES (50, 60, $P5 + 5, 1, 2), (900, 910, $P5 + 5, 2, 2), (300, 850, $P5 + 5, 0, 6), (300, 850, $P5 + 5, 0, 7)")
	# by class, as the classes are listed: the one that waits is the outer one
	same "sync zSynchronize" "$(nsq-gaps -q --each --min 0 "$t" | col cause api | tr '\t' ' ')"
	same "api 0 host 150 launch 10 sync 550 turnaround 90" "api 0 $(nsq-gaps -q --by cause "$t" | col cause idle_ns | sort | tr '\t\n' '  ' | sed 's/ $//')"
	# the same of calls of three seconds
	sqlite3 "$t" "UPDATE ${K}RUNTIME SET end = end + 3000000000 WHERE start >= 300; UPDATE ${K}RUNTIME SET start = start + 3000000000 WHERE start > 300;
		UPDATE ${K}KERNEL SET start = start + 3000000000, end = end + 3000000000 WHERE start > 100"
	same "sync zSynchronize" "$(nsq-gaps -q --each --min 0 "$t" | col cause api | tr '\t' ' ')"
}

# More gaps than one thread judges alone; each row is written once, in order, whatever the number of threads.
# bats test_tags=slow
@test "--each: forty thousand gaps, by one thread and by eight" {
	t=$(made "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) INSERT INTO K SELECT 1000 * i, 1000 * i + 500 + i % 7, 0, 1, 7, i, $P5, 1, 1 FROM n")
	want=$(sql "$t" "SELECT a, b FROM (SELECT end AS a, lead(start) OVER (ORDER BY start) AS b FROM ${K}KERNEL) WHERE b ORDER BY a - b, a")
	for threads in 1 8; do
		same "$want" "$(nsq-gaps -q --each --min 1ns -j $threads "$t" | col start_ns end_ns)"
	done
}

@test "kernels as long as hundreds of others hide the gaps between those, in all of the trace and in windows" {
	t=$(made "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO K SELECT 1000 * i, 1000 * i + 500 * (i % 9 > 0), 0, 1, 7, i, $P5, 1, 1 FROM n;
		INSERT INTO K VALUES (99700, 700200, 0, 1, 7, 0, $P5, 1, 1), (1300000, 1900500, 0, 1, 8, 0, $P5, 1, 1), (1999990, 2600000, 0, 1, 8, 0, $P5, 1, 1)")
	sql "$t" "SELECT a, b FROM (SELECT max(end) OVER (ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS a, start AS b FROM ${K}KERNEL
		WHERE end > start) WHERE a < b ORDER BY a" >"$BATS_TEST_TMPDIR/all"
	same "$(cat "$BATS_TEST_TMPDIR/all")" "$(nsq-gaps -q --each --min 0 "$t" | col start_ns end_ns | sort -n)"
	for w in 300000..1500100 400000..500000 699000..702100 1850000..2000000 1999995..2500000; do
		same "$(awk -v a="${w%..*}" -v b="${w#*..}" '$2 > a && $1 < b { print ($1 < a ? a : $1), ($2 > b ? b : $2) }' "$BATS_TEST_TMPDIR/all")" \
			"$(nsq-gaps -q --each --min 0 -w "${w%..*}ns..${w#*..}ns" "$t" | col start_ns end_ns | sort -n | tr '\t' ' ')"
	done
}

@test "calls that others lie in, or only begin in: the same for any number of threads" {
	t=$(made "INSERT INTO S VALUES (7, 'zSynchronize'); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
		INSERT INTO K SELECT 1000 * i + 500, 1000 * i + 900, 0, 1, 7, i, $P5, 1, 1 FROM n;
		INSERT INTO R SELECT start - 300, start - 280, $P5 + 5 + correlationId % 2, correlationId, 2 FROM K;
		INSERT INTO R SELECT start - 950, start + 2000 + 700 * (correlationId % 5), $P5 + 5 + correlationId / 3 % 2, 0, 7 FROM K WHERE correlationId % 3 = 0")
	want=$(nsq-gaps -q --by cause -j 1 "$t" && nsq-gaps -q --each --min 0 -j 1 "$t")
	for threads in 2 5 8; do
		same "$want" "$(nsq-gaps -q --by cause -j $threads "$t" && nsq-gaps -q --each --min 0 -j $threads "$t")"
	done
}
