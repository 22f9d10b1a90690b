# Which events are in a window [A,B), and how much of their time.
load ../helper
load ../small-traces

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

@test "the CPU side of a window chooses the ranges, the GPU side the work" {
	nsq-window -p 693 "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	local a b ca cb
	read -r a b ca cb <<<"$(col start_ns end_ns cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w")"
	same "$(ask "$DUALPIPE" "SELECT (SELECT count(*) FROM work WHERE pid = 693 AND kind = 'kernel' AND a < $b AND b > $a),
			(SELECT count(*) FROM ranges WHERE pid = 693 AND a < $cb AND b > $ca)")" \
		"$(nsq-setup < "$BATS_TEST_TMPDIR/w" | col kernels ranges)"
	same "0" "$(nsq-setup -p 693 -w "$a..$b" "$DUALPIPE" | col ranges)"
	# without the CPU columns the name holds it; without either there is one side only
	same "$(nsq-setup < "$BATS_TEST_TMPDIR/w")" "$(without cpu_start_ns cpu_end_ns < "$BATS_TEST_TMPDIR/w" | nsq-setup)"
	same "0" "$(without cpu_start_ns cpu_end_ns window < "$BATS_TEST_TMPDIR/w" | nsq-setup | col ranges)"
}

@test "the CPU side of a window is cut to the span of the trace, as its GPU side is" {
	# the trace spans 100..1000; ten launches in its CPU side
	t=$(made "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) INSERT INTO R SELECT i * 10 + 90, i * 10 + 95, $P5 + 5, i, 2 FROM n;
		INSERT INTO K VALUES (500, 1000, 0, 1, 7, 1, $P5, 1, 1)")
	launches() { table 'pid start_ns end_ns cpu_start_ns cpu_end_ns' "5 500 1000 $1 $2" | nsq-api -q --launch -w - "$t" | col launches launches_per_s | tr '\t' ' '; }
	same "10 11111111.11" "$(launches 100 1000)"
	same "10 11111111.11" "$(launches 0 1000)"
	same "10 11111111.11" "$(launches 100 90000)"
	same "10 11111111.11" "$(launches 0 90000)"
	same "10 22222222.22" "$(launches 0 550)"
	# a CPU side outside the trace leaves the window out
	run --separate-stderr bash -c "printf 'start_ns\tend_ns\tcpu_start_ns\tcpu_end_ns\n500\t1000\t1000\t2000\n' | nsq-api --launch -w - '$t'"
	same 1 "${#lines[@]}"
	holds "$stderr" "1000..2000"
}

# Work, calls and ranges of no length, each alone on its stream and thread, at 500; others make the span.
still() {
	made "INSERT INTO K VALUES (0, 1, 0, 1, 8, 3, $P5, 1, 1), (500, 500, 0, 1, 7, 1, $P5, 1, 1), (998, 999, 0, 1, 9, 4, $P5, 1, 1);
		INSERT INTO R VALUES (500, 500, $P5 + 5, 1, 2); INSERT INTO N VALUES (500, 500, 59, 'still', $P5 + 5, NULL, 0)"
}

@test "work, calls and ranges of no length are in the window that starts with them, not in the one that ends there" {
	t=$(still)
	for ask in "nsq-kernels" "nsq-api" "nsq-nvtx -m still" "nsq-kernels --inside" "nsq-api --inside" "nsq-nvtx -m still --inside"; do
		for w in 500..600 400..501 500..501; do same "$ask 1" "$ask $($ask -q -w $w "$t" | col count)"; done
		for w in 400..500 501..600; do same "$ask " "$ask $($ask -q -w $w "$t" | col count)"; done
	done
	for ask in "nsq-kernels --each" "nsq-api --each" "nsq-nvtx --each"; do
		for w in 500..600 400..501 500..501; do same "$ask 500 500" "$ask $($ask -q -w $w "$t" | col start_ns end_ns | tr '\t' ' ')"; done
		for w in 400..500 501..600; do same "$ask " "$ask $($ask -q -w $w "$t" | col start_ns)"; done
	done
	same "7" "$(nsq-streams -q -w 500..600 "$t" | col stream)"
	same "" "$(nsq-streams -q -w 400..500 "$t" | col stream)"
}

@test "events that begin or end where a window does: half open on both sides" {
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (200, 300, 0, 1, 7, 2, $P5, 1, 1), (300, 400, 0, 1, 7, 3, $P5, 1, 1);
		INSERT INTO R VALUES (100, 200, $P5 + 5, 1, 2), (200, 300, $P5 + 5, 2, 2), (300, 400, $P5 + 5, 3, 2);
		INSERT INTO N VALUES (100, 200, 59, 'x', $P5 + 5, NULL, 0), (200, 300, 59, 'x', $P5 + 5, NULL, 0), (300, 400, 59, 'x', $P5 + 5, NULL, 0)")
	for ask in "nsq-kernels --each" "nsq-api --each" "nsq-nvtx --each"; do
		seen() { $ask -q "$@" "$t" | col start_ns end_ns | tr '\t\n' '. '; }
		same "200.300 " "$(seen -w 200..300)"
		same "199.200 200.300 " "$(seen -w 199..300)"
		same "200.300 300.301 " "$(seen -w 200..301)"
		same "200.300 " "$(seen --inside -w 199..301)"
		same "200.300 " "$(seen --inside -w 200..300)"
		same "" "$(seen --inside -w 201..300)"
	done
}

@test "work that began long before a window is in it, and what ended between is not" {
	t=$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4999)
		SELECT i * 10, i * 10 + CASE i % 600 WHEN 3 THEN 500 + i * 7919 % 40000 ELSE 9 END, 0, 1, 7 + i % 2, i, $P5, 1, 1 FROM n")
	{ printf 'start_ns\tend_ns\n'; for a in $(seq 5 2500 49000); do printf '%s\t%s\n' $a $((a + 40)); done; } > "$BATS_TEST_TMPDIR/w"
	expected=$(while read -r a b; do echo "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start < $b AND end > $a;"; done < <(tail -n +2 "$BATS_TEST_TMPDIR/w") | sqlite3 "$t")
	[ "$(sort -u <<<"$expected" | wc -l)" -gt 4 ]
	same "$expected" "$(nsq-kernels -q -w "$BATS_TEST_TMPDIR/w" "$t" | col count)"
	same "$expected" "$(nsq-streams -q -w "$BATS_TEST_TMPDIR/w" "$t" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n[$at["start_ns"]] += $at["kernels"] } END { for (a = 5; a < 49000; a += 2500) print n[a] }')"
}

# bats test_tags=long
@test "many windows, and hundreds of GPUs and of threads that come back all the time: each window has what SQL finds in it, and what it has alone" {
	cd "$BATS_TEST_TMPDIR"
	"$TESTS/../bench/odd" t.sqlite 1 gpus
	sqlite3 t.sqlite "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + rowid % 400; UPDATE NVTX_EVENTS SET start = rowid * 1000 - 700, end = rowid * 1000 + 2000, globalTid = globalTid + rowid % 400"
	awk 'BEGIN { print "start_ns\tend_ns"; for (i = 0; i < 40; i++) print i * 120000 + 1000 "\t" i * 120000 + 1500 + i * 900; print "1000000\t3500000\n4999500\t5001000" }' > w.tsv
	found() { tail -n +2 w.tsv | while read -r a b; do echo "SELECT $a, count(*) FROM $1 WHERE start < $b AND end > $a HAVING count(*);"; done | sqlite3 -separator ' ' t.sqlite | sort -n; }
	rows() { awk -F '\t' -v of="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n[$at["start_ns"]] += $at[of] } END { for (a in n) print a, n[a] }' | sort -n; }
	same "$(found CUPTI_ACTIVITY_KIND_KERNEL)" "$(nsq-kernels -q -w w.tsv t.sqlite | rows count)"
	same "$(found CUPTI_ACTIVITY_KIND_KERNEL)" "$(nsq-streams -q -w w.tsv t.sqlite | rows kernels)"
	same "$(found CUPTI_ACTIVITY_KIND_RUNTIME)" "$(nsq-api -q -w w.tsv t.sqlite | rows count)"
	same "$(found CUPTI_ACTIVITY_KIND_RUNTIME)" "$(nsq-api -q --launch -w w.tsv t.sqlite | rows launches)"
	same "$(found NVTX_EVENTS)" "$(nsq-nvtx -q -w w.tsv t.sqlite | rows count)"

	# two processes, ranges nested ten deep; one window alone is looked for in another way
	sqlite3 t.sqlite "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid + (rowid / 50 % 2 << 24); UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid - rowid % 400 + (rowid / 50 % 2 << 24);
		UPDATE NVTX_EVENTS SET start = rowid / 10 * 10000 + rowid % 10 * 100, end = rowid / 10 * 10000 + 9990 - rowid % 10 * 100, globalTid = globalTid - rowid % 400 + (rowid / 50 % 2 << 24)"
	awk 'BEGIN { OFS = "\t"; print "pid", "start_ns", "end_ns", "cpu_start_ns", "cpu_end_ns"; for (i = 1; i < 80; i++) { a = i * 50000 + 10000; print 1 + i % 2, a, a + i * 1200, a - 7000, a + i * 700 } }' > w.tsv
	for tool in "nvtx --tree --exact" kernels export; do
		for i in 2 9 40 79; do nsq-$tool -q -w <(sed -n "1p;${i}p" w.tsv) t.sqlite; done | awk 'NR == 1 { head = $0 } $0 != head' > one
		[ "$(wc -l < one)" -ge 4 ]
		nsq-$tool -q -w w.tsv t.sqlite | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["start_ns"] ~ /^(60000|410000|1960000|3910000)$/' > all
		diff one all
	done
}
