# nsq-view: a timeline in one page.  tests/view/reader.py, which shares no code with nsq, reads the page; what it holds is
# compared with what the other tools list.  tests/browser/view.bats looks at it in a browser.
load ../helper
load ../small-traces

# view ARGS...: a page of these; what it holds is in the folder $BATS_TEST_TMPDIR/holds.  What several tests ask for is made once.
view() {
	local args="$*"
	local kept=$BATS_FILE_TMPDIR/${args//[\/ ]/-}
	if [ ! -e "$kept" ] || [[ $args = *$BATS_TEST_TMPDIR* ]]; then
		rm -rf "$kept"
		mkdir -p "$kept.new/holds"
		nsq-view -q -o "$kept.new/page.html" "$@" > "$kept.new/said"
		same "" "$(python3 "$TESTS/view/reader.py" "$kept.new/page.html" "$kept.new/holds")"
		mv "$kept.new" "$kept"
	fi
	cp -r "$kept/." "$BATS_TEST_TMPDIR"
}

page_has() { cat "$BATS_TEST_TMPDIR/holds/$1"; }

# agrees ARGS...: the page holds what the tools list for these arguments, each once.
agrees() {
	same "$(nsq-kernels -q --work all --each "$@" | col pid gpu ctx stream start_ns end_ns launch_ns nvtx name | sort)" \
		"$(page_has work | cut -f1-7,12,13 | sort)"
	same "$(nsq-mem -q --each "$@" | col pid gpu stream start_ns end_ns bytes | sort)" \
		"$(page_has work | awk -F '\t' -v OFS='\t' '$9 == "copy" || $9 == "set" { print $1, $2, $4, $5, $6, $10 }' | sort)"
	# work has the owner that nsq-ledger gives it; that of a copy does not say of which memory it is
	same "" "$(comm -23 <(nsq-ledger -q --by owner,name "$@" | col owner name | awk -F '\t' -v OFS='\t' '/^(matmul|attention|pointwise|reduction|optimizer|move|graph|compute|comm|copy)/ { sub(/^comm.wait/, "comm"); sub(/^copy[.].*/, "copy", $1); print }' | sort -u) \
		<(page_has work | cut -f11,13 | sort -u))"
	same "$(nsq-api -q --each "$@" | col pid tid start_ns end_ns name | sort)" "$(page_has calls | cut -f1-4,7 | sort)"
	same "$(nsq-nvtx -q --each "$@" | col pid tid start_ns end_ns name | sort)" \
		"$( (page_has ranges; page_has startend) | cut -f1-4,7 | sort)"
}

# holds_all TRACE...: the page of each holds what the tools list.
holds_all() {
	for t; do
		echo "$t"
		view "$t"
		agrees "$t"
		for kind in marks:mark os:os; do
			same "$(nsq-find -q --kind "${kind#*:}" '' "$t" 2> /dev/null | col pid tid start_ns end_ns nvtx name | sort)" \
				"$(page_has "${kind%:*}" | cut -f1-4,6,7 | sort)"
		done
		# start/end ranges have no kernels
		same "$(nsq-nvtx -q --each "$t" | col tid start_ns end_ns depth name kernels | awk -F '\t' '$6 != "-"' | cut -f1-5 | sort)" \
			"$(page_has ranges | cut -f2-5,7 | sort)"
	done
}

# bats test_tags=long
@test "a page holds all work, calls, ranges, marks and OS calls, as the tools list them" {
	holds_all "$SAMPLES" "$FIXTURES/collectives-rank0.sqlite"
}

# sides TRACE: by SQL, the GPU side of each push/pop range: of its thread's launches, or if it is the main thread of all.
sides() {
	sql "$1" "WITH work AS (SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL $2)
		SELECT n.globalTid >> 24 & 0xffffff, w.deviceId, min(w.start), max(w.end), n.globalTid & 0xffffff, n.start, coalesce(n.text, s.value)
		FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
		JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.start >= n.start AND r.start < n.end AND r.globalTid >> 24 = n.globalTid >> 24
			AND (r.globalTid = n.globalTid OR (n.globalTid & 0xffffff) = (n.globalTid >> 24 & 0xffffff))
		JOIN work w ON w.correlationId = r.correlationId AND w.globalPid >> 24 = r.globalTid >> 24
		WHERE n.eventType = 59 GROUP BY n.rowid, w.deviceId" | sort
}

COPIED="UNION ALL SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMCPY
	UNION ALL SELECT start, end, deviceId, correlationId, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET"

# bats test_tags=slow
@test "ranges have a GPU side, from the first to the last work launched in them; communication is exposed as nsq-overlap --total says" {
	view "$FIXTURES/train.sqlite"
	same "$(sides "$FIXTURES/train.sqlite" "$COPIED")" "$(page_has projected | sort)"
	[ "$(page_has projected | wc -l)" -gt 50 ]
	view "$DUALPIPE"
	same "$(nsq-overlap -q --total "$DUALPIPE" | col pid gpu comm_only_ns)" "$(page_has exposed | awk -F '\t' -v OFS='\t' '{ n[$1 OFS $2] += $4 - $3 } END { for (p in n) print p, n[p] }' | sort)"
	# ranges that cross, and what a window cuts
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (300, 400, 0, 1, 7, 2, $P5, 1, 1), (500, 600, 0, 1, 7, 3, $P5, 1, 1);
		INSERT INTO R VALUES (15, 16, $P5, 1, 2), (60, 61, $P5, 2, 2), (95, 96, $P5, 3, 2);
		INSERT INTO N VALUES (10, 55, 59, 'ended', $P5, NULL, 0), (12, 90, 59, 'open', $P5, NULL, 0), (14, 99, 59, 'last', $P5, NULL, 0), (200, 210, 59, 'bare', $P5, NULL, 0)")
	view "$t"
	same "ended 100 200,last 100 600,open 100 400" "$(page_has projected | awk -F '\t' '{ print $7, $3, $4 }' | sort | paste -sd,)"
	view -w 150..350 "$t"
	same "ended 150 200 -,last 150 350 -,open 150 350 -" "$(page_has projected | awk -F '\t' '{ print $7, $3, $4, $5 }' | sort | paste -sd,)"
}

# marks_of TRACE...: the page's findings are those of nsq-advise, and its steps those of nsq-window, with the typical one.
marks_of() {
	view "$@"
	same "$(nsq-advise -q "$@" | col pid gpu severity kind recover_ns finding evidence advice | sort)" "$(page_has findings | cut -f1-8 | sort)"
	same "$(nsq-window -q --pick all --skip 0 "$@" | col pid start_ns number name rule | awk -F '\t' -v OFS='\t' '$5 != "process" { print $1, $2, $3, $4 }' | sort)" "$(page_has steps | cut -f1-4 | sort)"
	same "$(nsq-window -q "$@" | col pid start_ns number rule | awk -F '\t' -v OFS='\t' '$4 != "process" { print $1, $2, $3 }' | sort)" "$(page_has steps | awk -F '\t' -v OFS='\t' '$5 == "typical" { print $1, $2, $3 }' | sort)"
}

# bats test_tags=long
@test "findings are those of nsq-advise, each marked where it shows; steps are those of nsq-window" {
	marks_of "$FIXTURES/train.sqlite"
	# the longest wait for code of the CPU is one of the gaps that nsq-gaps gives to it
	same 1 "$(nsq-gaps -q --each --min 0 -n 100000 "$FIXTURES/train.sqlite" | col start_ns end_ns cause |
		awk -F '\t' -v at="$(page_has findings | awk -F '\t' '$4 == "host" { print $9 }')" '$1 <= at && at < $2 && $3 == "host"' | wc -l)"
	marks_of "$FIXTURES"/collectives-rank[01].sqlite
}

# marked KIND: where the page's finding of a kind is marked and what is there; then the number of that step.
marked() {
	page_has findings | awk -F '\t' -v OFS='\t' -v kind="$1" '$4 == kind { print $9, $10, $1, $12 }' > "$BATS_TEST_TMPDIR/mark"
	page_has steps | awk -F '\t' -v mark="$(cat "$BATS_TEST_TMPDIR/mark")" 'BEGIN { split(mark, at, FS) }
		$1 == at[3] && $2 <= at[1] && at[2] <= $6 { print at[4] ": " $3, $5 ($2 == at[1] && $6 == at[2] ? ", all of it" : "") }'
}

# bats test_tags=slow
@test "a finding about some steps is marked in one of them, the others in the typical step if it shows enough of them" {
	PYTHONPATH=$TESTS/nccl PYTHONDONTWRITEBYTECODE=1 python3 -c 'import late, sys; late.Job(late.computes_more_sometimes).write(sys.argv[1])' "$BATS_TEST_TMPDIR/late.sqlite"
	view "$BATS_TEST_TMPDIR/late.sqlite"
	same "the longest stretch of it in this step: 3 -" "$(marked late)"
	holds "$(page_has findings)" "in 2 of 11 steps (steps 3, 7)"
	same "forward" "$(page_has projected | awk -F '\t' -v OFS='\t' '$7 != "step 3" { print $3, $4, $1, $7 }' | grep "^$(cut -f1-3 "$BATS_TEST_TMPDIR/mark")" | cut -f4)"
	view -w 22.1ms..29ms "$BATS_TEST_TMPDIR/late.sqlite"        # that step is not in the page
	same "the longest stretch of it: 5 -" "$(marked late)"
	view "$FIXTURES/threads-copies.sqlite"
	holds "$(page_has findings)" "some steps take longer: 2 of 11 steps (steps 1, 6) take"
	same "the step itself: 6 -, all of it" "$(marked long)"
	same "the longest stretch of it in the typical step: 5 typical" "$(marked pageable)"
	same "the longest stretch of it: 10 -" "$(marked copy)"      # of which the typical step has less than half
	same "a step on average" "$(page_has findings | cut -f11 | sort -u)"
	# a run without steps
	view "$(made "INSERT INTO S VALUES (10, 'a'), (11, 'b'), (12, 'c'), (13, 'd'), (14, 'e');
		INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 29) SELECT 100 + 90000 * i, 200 + 90000 * i, 0, 1, 7, i, $P5, 10 + i * i / 7 % 5, 10 + i * i / 7 % 5 FROM n;
		INSERT INTO R SELECT start - 50, start - 40, $P5, correlationId, 2 FROM K")"
	same "of the whole" "$(page_has findings | cut -f11 | grep -v '^-' | sort -u)"
}

@test "a finding about the flaw of kernels is marked at such a kernel" {
	for mark in "odd align *align1*" "handattn attention *direct_copy_kernel_cuda*"; do
		read -r name kind kernel <<<"$mark"
		t=$BATS_TEST_TMPDIR/$name.sqlite
		xz -dc "$FIXTURES/faults/kernels/$name.sqlite.xz" > "$t"
		view "$t"
		same 1 "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
			WHERE s.value GLOB '$kernel' AND k.start = $(page_has findings | awk -F '\t' -v kind="$kind" '$4 == kind { print $9 }')")"
	done
}

# bats test_tags=slow
@test "findings and steps are those of nsq-advise and nsq-window, in more of the fixtures" {
	for t in "$DUALPIPE" "$DDP" "$NODES" "$COMPILE" "$SAMPLES" "$FIXTURES/decode-eager-long.sqlite"; do marks_of "$t"; done
	marks_of "$FIXTURES"/collectives-rank?.sqlite
}

# bats test_tags=slow
@test "every fixture's page holds all work, calls, ranges, marks and OS calls, as the tools list them" {
	holds_all "$FIXTURES"/*.sqlite
}

# bats test_tags=long
@test "a process that lost events is marked" {
	nsq-view -q -o "$BATS_TEST_TMPDIR/lost.html" "$DDP" > /dev/null
	same '{"pid":"1084" "lost":0,{"pid":"1085" "lost":1,' "$(grep -o '{"pid":"[^}]*,"windows"' "$BATS_TEST_TMPDIR/lost.html" | sed 's/,"windows"//; s/,.*,/ /' | tr '\n' ,)"
}

# bats test_tags=more,long
@test "windows cut it: what is in them is there once, and its part inside" {
	for w in $(first_few 1 230..240ms 234567890..234567891); do
		view -w $w "$DUALPIPE"
		agrees -w $w "$DUALPIPE"
	done
	# overlapping windows
	view -w 230..240ms -w 235..250ms "$DUALPIPE"
	agrees --merge -w 230..240ms -w 235..250ms "$DUALPIPE"
	more || return 0
	view -w 230..240ms -p 694 "$DUALPIPE"
	agrees -w 230..240ms -p 694 "$DUALPIPE"
	# each process has its own, with a CPU side
	nsq-window -q --pick all "$DUALPIPE" > "$BATS_TEST_TMPDIR/windows"
	view -w "$BATS_TEST_TMPDIR/windows" "$DUALPIPE"
	agrees --merge -w "$BATS_TEST_TMPDIR/windows" "$DUALPIPE"
	# -g chooses work, never calls
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE streamId = 32")
	view -g 1 -w 230..240ms "$t"
	same "$(nsq-kernels -q --each -g 1 -w 230..240ms "$t" | col start_ns | sort)" "$(page_has work | cut -f5 | sort)"
	same "$(nsq-api -q --each -w 230..240ms "$t" | count)" "$(page_has calls | wc -l)"
}

@test "the table says what is in each window" {
	nsq-view -q -w 230..240ms -w 235..250ms "$DUALPIPE" > "$BATS_TEST_TMPDIR/rows"
	same 2 "$(count < "$BATS_TEST_TMPDIR/rows")"
	for i in 1 2; do
		w=$(col start_ns end_ns < "$BATS_TEST_TMPDIR/rows" | sed -n ${i}p | tr '\t' ' ' | sed 's/ /../')
		same "$(nsq-kernels -q --work all --each -w "$w" "$DUALPIPE" | count) $(nsq-api -q --each -w "$w" "$DUALPIPE" | count) $(nsq-nvtx -q --each -w "$w" "$DUALPIPE" | count) 0 0 -" \
			"$(col work calls ranges marks os_calls file < "$BATS_TEST_TMPDIR/rows" | sed -n ${i}p | tr '\t' ' ')"
	done
	same "$(nsq-find -q --kind mark '' "$SAMPLES" | count) $(nsq-find -q --kind os '' "$SAMPLES" | count)" \
		"$(nsq-view -q "$SAMPLES" | col marks os_calls | tr '\t' ' ')"
	same "$BATS_TEST_TMPDIR/p.html" "$(nsq-view -q -o "$BATS_TEST_TMPDIR/p.html" "$SAMPLES" | col file)"
}

# bats test_tags=slow
@test "streams with hardly any work share a track, of which none of their work is lost" {
	t=$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)
		SELECT i * 100, i * 100 + 250, 0, 1, 10 + i, i, $P5, 1, 1 FROM n;
		INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9)
		SELECT i * 10000, i * 10000 + 9000, 0, 1, 7, 1000 + i, $P5, 1, 1 FROM n")
	view "$t"
	agrees "$t"
	# stream 7 and the seven with the most work have their own, the other 293 one
	same "1 8 293" "$(awk -F '\t' '$1 == "work" { if ($3 == 1) own++; else { shared++; n = $3 } } END { print shared, own, n }' "$BATS_TEST_TMPDIR/holds/tracks")"
	# nine streams do not share: there is nobody to share with
	t=$(made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 8) SELECT i * 100, i * 100 + (i + 1) * 9, 0, 1, i, i, $P5, 1, 1 FROM n")
	view "$t"
	same 9 "$(grep -c '^work' "$BATS_TEST_TMPDIR/holds/tracks")"
}

@test "work that overlaps on a stream stands on several levels; ranges that cross keep their depth" {
	t=$(made "INSERT INTO K VALUES (100, 200, 0, 1, 7, 1, $P5, 1, 1), (150, 250, 0, 1, 7, 1, $P5, 1, 1), (250, 260, 0, 1, 7, 1, $P5, 1, 1), (300, 300, 0, 1, 7, 1, $P5, 1, 1);
		INSERT INTO R VALUES (60, 70, $P5, 1, 2);
		INSERT INTO N VALUES (10, 55, 59, 'ended', $P5, NULL, 0), (20, 100, 59, 'open', $P5, NULL, 0), (30, 90, 59, 'inner', $P5, NULL, 0)")
	view "$t"
	agrees "$t"
	same "ended 0,open 1,inner 2" "$(page_has ranges | cut -f5,7 | sort -n | awk '{ print $2, $1 }' | paste -sd,)"
	# around the launch at 60 only two are open
	same "open > inner" "$(python3 - "$BATS_TEST_TMPDIR/page.html" "$TESTS/view" <<-'END'
		import sys, types
		path, folder = sys.argv[1:3]
		sys.argv = ["reader.py", path, "/tmp"]
		source = open(folder + "/reader.py").read().split("rows = []")[0]
		exec(source)
		track = next(t for t in page["traces"][0]["tracks"] if t["kind"] == "work")
		at, out = numbers(track["columns"]["path"], 4)[0], []
		while at:
		    out.insert(0, names[paths[2 * at - 1]])
		    at = paths[2 * at - 2]
		print(" > ".join(out))
	END
	)"
}

# bats test_tags=long
@test "events for which a row has no free line share its last, and are counted" {
	t=$(crowded)
	view "$t"
	agrees "$t"
	same '"kind":"ranges" 18,"kind":"startend" 30,' "$(grep -o '"kind":"\(ranges\|startend\)"[^}]*' "$BATS_TEST_TMPDIR/page.html" |
		sed 's/,.*"crowded":\([0-9]*\),.*/ \1/' | tr '\n' ,)"
	same "32 31" "$(page_has ranges | cut -f5 | sort -n | uniq | awk 'END { print NR, $1 }')"
	# 200,000 ranges that are open at once take no longer than others
	t=$(made "INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999) SELECT i, 1000000 + i, 60, 'open', $P5, NULL, 0 FROM n")
	timeout 600 nsq-view -q -o "$BATS_TEST_TMPDIR/open.html" "$t" > /dev/null
}

# paths ARGS...: the page's kernels by the ranges around them are those of nsq-nvtx --tree.
paths() {
	view "$@"
	same "$(nsq-nvtx -q --tree --exact "$@" | col path kernels gpu_ns | awk -F '\t' '$2 > 0' | sort)" \
		"$(page_has work | awk -F '\t' -v OFS='\t' '$9 == "kernel" || $9 == "graph" { n[$14]++; t[$14] += $6 - $5 } END { for (p in n) print p, n[p], t[p] }' | sort)"
}

# ranges_around TRACE..., ranges_of_made SEED...: the ranges around work are those that the other tools, or a second reading, list.
ranges_around() {
	for how in "" --adopt --captured "--adopt --captured"; do
		for t; do
			paths $how "$t"
			same "$(nsq-kernels -q --work all --each $how "$t" | col start_ns stream nvtx name | sort)" "$(page_has work | cut -f4,5,12,13 | awk -F '\t' -v OFS='\t' '{ print $2, $1, $3, $4 }' | sort)"
		done
	done
}

ranges_of_made() {
	for seed; do
		oracle captured make "$BATS_TEST_TMPDIR/made.sqlite" $seed
		for adopt in "" adopt; do
			view --captured ${adopt:+--adopt} "$BATS_TEST_TMPDIR/made.sqlite"
			same "$(oracle captured around "$BATS_TEST_TMPDIR/made.sqlite" $adopt | sort)" "$(page_has work | awk -F '\t' -v OFS='\t' '{ print $5, $4, $14 }' | sort)"
		done
	done
}

# bats test_tags=slow
@test "--adopt and --captured: the ranges around work are those of the other tools" {
	ranges_around "$FIXTURES"/graph-capture.sqlite
	mentions "--captured adds the ranges in which they were captured" -- nsq-view -o "$BATS_TEST_TMPDIR/note.html" "$FIXTURES/graph-capture.sqlite"
	mentions "--captured changes nothing" -- nsq-view --captured --force -o "$BATS_TEST_TMPDIR/note.html" "$COMPILE"
	fails 2 "'--captured' has no effect without '-o'" -- nsq-view --captured "$COMPILE"
	fails 2 "'--adopt' has no effect without '-o'" -- nsq-view --adopt "$COMPILE"
}

# bats test_tags=slow
@test "--adopt and --captured: the ranges around work are those of the other tools, in more traces" {
	ranges_around "$NODES" "$DUALPIPE"
	ranges_of_made 1 2 3 4
}

# metrics ARGS...: the names of the metrics in the page, and those that nsq-metrics lists.
metrics() {
	view "$@"
	same "$(nsq-metrics -q "$@" | col metric | sort -u)" "$(page_has counters | cut -f2 | sort -u)"
}

# bats test_tags=slow
@test "metrics are those of the GPUs that a process works on, by its own number for them" {
	t=$FIXTURES/train-metrics.sqlite
	pid=$(nsq-setup -q "$t" | col pid | head -1)
	metrics "$t"
	metrics -p "$pid" "$t"
	[ "$(page_has counters | wc -l)" -gt 5 ]
	# what the process calls GPU 0 is another than the one with the metrics
	t=$(change "$t" "UPDATE TARGET_INFO_CUDA_DEVICE SET gpuId = 1")
	metrics "$t"
	[ "$(page_has counters | wc -l)" -gt 5 ]
	metrics -p "$pid" "$t"
	same 0 "$(page_has counters | wc -l)"
}

# bats test_tags=long
@test "times far from 0 are exact" {
	t=$(made "INSERT INTO K VALUES (9007199254740993, 9007199254740994, 0, 1, 7, 1, $P5, 1, 1), (9007199254741001, 9007199254741003, 0, 1, 7, 2, $P5, 1, 1)")
	view "$t"
	agrees "$t"
	same "9007199254740993 9007199254741001" "$(page_has work | cut -f5 | paste -sd ' ')"
	t=$(made "INSERT INTO K VALUES (1, 2, 0, 1, 7, 1, $P5, 1, 1), (4503599627370500, 4503599627370501, 0, 1, 7, 2, $P5, 1, 1)")
	fails 2 "4503599627370500 ns do not fit a page (at most 4503599627370496); cut '$t' with a window: -w A..B" -- \
		nsq-view -o "$BATS_TEST_TMPDIR/far.html" "$t"
	[ ! -e "$BATS_TEST_TMPDIR/far.html" ]
}

# added_up: by kind, how many events there are, and how long they are together.
added_up() { page_has together | awk -F '\t' -v OFS='\t' '{ n[$1] += $4; t[$1] += $5 } END { for (k in n) print k, n[k], t[k] }' | sort; }

# bats test_tags=long
@test "--most: of more events short neighbours become one, of which none is lost; long ones and the typical step stay" {
	t=$FIXTURES/train.sqlite
	view "$t"
	whole=$(added_up)
	run --separate-stderr nsq-view --most 6000 --force -o "$BATS_TEST_TMPDIR/page.html" "$t"
	[[ "$stderr" =~ "the page holds "([0-9]+)" of $(col events <<< "$output") events of '$t' one by one, those of at least "([0-9.]+)" us, and those of the typical steps; -w A..B shows others" ]]
	alone=${BASH_REMATCH[1]} cell=${BASH_REMATCH[2]}
	same "" "$(python3 "$TESTS/view/reader.py" "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/holds")"
	same "$whole" "$(added_up)"
	same "$alone" "$(($(page_has together | grep -vc several) + $(page_has counters | awk -F '\t' '{ n += $3 } END { print n }')))"
	[ "$(page_has together | wc -l)" -le 6000 ]
	[ "$(page_has together | grep -c several)" -gt 100 ]
	same "$(nsq-api -q --each "$t" | col dur_ns | awk -v c="$cell" '$1 >= 1000 * c' | sort -n)" "$(page_has together | awk -F '\t' -v c="$cell" '$1 == "calls" && $6 == "-" && $5 >= 1000 * c { print $5 }' | sort -n)"
	# the typical step is as it was
	nsq-window -q "$t" | col start_ns end_ns > "$BATS_TEST_TMPDIR/typical"
	read -r a b < "$BATS_TEST_TMPDIR/typical"
	same "" "$(page_has together | awk -F '\t' -v a="$a" -v b="$b" '$6 == "several" && $1 != "calls" && $2 < b && $3 > a')"
	# unless that is too much itself
	mentions "one by one, those of at least" -- nsq-view --most 2000 --force -o "$BATS_TEST_TMPDIR/page.html" "$t"
	lacks "$stderr" "typical"
	# values of counters too, of which the highest stay
	t=$FIXTURES/train-metrics.sqlite
	nsq-view -q --most 5000 --force -o "$BATS_TEST_TMPDIR/page.html" "$t" > /dev/null
	same "" "$(python3 "$TESTS/view/reader.py" "$BATS_TEST_TMPDIR/page.html" "$BATS_TEST_TMPDIR/holds")"
	[ "$(page_has counters | cut -f3 | awk '{ n += $1 } END { print n }')" -lt 5000 ]
	same "$(nsq-metrics -q "$t" | col metric | sort)" "$(page_has counters | cut -f2 | sort)"
	# of several traces each has its part
	nsq-view -q --most 2000 --force -o "$BATS_TEST_TMPDIR/page.html" "$FIXTURES"/collectives-rank[01].sqlite > /dev/null
	[ "$(grep -o '"n":[0-9]*' <(sed '/^"\(names\|paths\|categories\|ranges\)":{/d' "$BATS_TEST_TMPDIR/page.html") | awk -F: '{ n += $2 } END { print n }')" -le 2000 ]
	fails 2 "'--most' has no effect without '-o'" -- nsq-view --most 5 "$t"
}

# bats test_tags=slow
@test "more than four million events become a page, and stderr says what it holds" {
	t=$(made "INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4000000) SELECT i, NULL, 34, 'm', $P5, NULL, 0 FROM n")
	mentions "of 4000001 events of '$t' one by one, those of at least 0.0 us" -- nsq-view -o "$BATS_TEST_TMPDIR/big.html" "$t"
	answers nsq-view -q -o "$BATS_TEST_TMPDIR/cut.html" -w 1000..2000 "$t"
	same 1000 "$(col marks <<< "$output")"
	same "4000001 -" "$(nsq-view -q "$t" | col events file | tr '\t' ' ')"
}

# bats test_tags=slow
@test "events are all that the page holds: tracks, gaps, values of counters" {
	for t in "$FIXTURES"/train-metrics.sqlite "$FIXTURES"/train-allocs.sqlite "$SAMPLES"; do
		view "$t"
		same "$(grep -o '"n":[0-9]*' <(sed '/^"\(names\|paths\|categories\|ranges\)":{/d' "$BATS_TEST_TMPDIR/page.html") | awk -F: '{ n += $2 } END { print n }')" \
			"$(col events < "$BATS_TEST_TMPDIR/said")"
		same "$(col events < "$BATS_TEST_TMPDIR/said")" "$(nsq-view -q "$t" | col events)"
	done
}

@test "-o: an existing file needs --force, a trace is never replaced, without it nothing is written" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	answers nsq-view -o page.html "$COMPILE"
	echo mine > page.html
	fails 2 "'page.html' exists; --force replaces it" -- nsq-view -o page.html "$COMPILE"
	same mine "$(cat page.html)"
	answers nsq-view -o page.html --force "$COMPILE"
	same "<!DOCTYPE html>" "$(head -1 page.html)"
	cp "$COMPILE" run.sqlite
	fails 2 "'run.sqlite' is a trace, which is never replaced" -- nsq-view -o run.sqlite --force "$COMPILE"
	cmp "$COMPILE" run.sqlite
	fails 2 "'-o' takes a file, not '-'" -- nsq-view -o - "$COMPILE"
	run --separate-stderr nsq-view -o no/page.html "$COMPILE"
	same "1 nsq-view: cannot write 'no/page.html': No such file or directory" "$status $stderr"
	same 0 "$(count <<< "$output")"
	mentions "nothing is written without '-o'" -- nsq-view "$COMPILE"
	fails 2 "'--force' has no effect without '-o'" -- nsq-view --force "$COMPILE"
	fails 2 "'--categories' has no effect without '-o'" -- nsq-view --categories llm "$COMPILE"
	fails 2 "'--inside' does not work here" -- nsq-view --inside -w 0..1s "$COMPILE"
	same "page.html run.sqlite" "$(ls | paste -sd ' ')"
}

@test "nothing to show, no such process, a window outside: no page" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	fails 2 "lies outside" -- nsq-view -o page.html -w 100s..101s "$COMPILE"
	fails 2 "no process 1 in the trace" -- nsq-view -q -o page.html -p 1 "$COMPILE"
	mentions "the window table has no rows" -- nsq-view -o page.html <<< "start_ns${TAB}end_ns${TAB}trace"
	same "" "$(ls)"
	t=$(change "$COMPILE" "$(drop_tables "$COMPILE" 'CUPTI*') $(drop_tables "$COMPILE" 'NVTX*')")
	fails 3 "capture them with nsys profile --trace=" -- nsq-view -o page.html "$t"
	[ ! -e page.html ]
}

@test "a full disk leaves nothing" {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	full() { (trap '' XFSZ; ulimit -f "$1"; nsq-view -q -o page.html "$DUALPIPE" 2>&1 > >(rows >&2); echo "exit $?") 2>&1 | cat; }
	for blocks in 0 1 40; do
		same "nsq-view: cannot write 'page.html': File too large
exit 1" "$(full $blocks)"
		same "" "$(ls)"
	done
}

# bats test_tags=long
@test "--categories: rules of one's own, - where none matches" {
	printf 'nccl\tmine\n' > "$BATS_TEST_TMPDIR/rules"
	view --categories "$BATS_TEST_TMPDIR/rules" "$DUALPIPE"
	same "$(nsq-kernels -q --work all --categories "$BATS_TEST_TMPDIR/rules" "$DUALPIPE" | col category count | sort)" "$(page_has work | cut -f11 | tally)"
}

# bats test_tags=more,slow
@test "the same bytes for any number of threads and order of rows" {
	for t in $(first_few 2 "$DUALPIPE" "$SAMPLES" "$NODES"); do
		mkdir -p "$BATS_TEST_TMPDIR/mixed"
		mixed=$(BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR/mixed; change "$t" "$(shuffling "$t")")
		cd "${t%/*}"
		nsq-view -q -j 1 --force -o "$BATS_TEST_TMPDIR/1.html" "${t##*/}" > /dev/null
		cd "${mixed%/*}"
		nsq-view -q -j 8 --force -o "$BATS_TEST_TMPDIR/8.html" "${t##*/}" > /dev/null
		cmp "$BATS_TEST_TMPDIR/1.html" "$BATS_TEST_TMPDIR/8.html"
	done
}

@test "the page loads nothing, and what a trace says is in no markup" {
	t=$(change "$COMPILE" "UPDATE StringIds SET value = '</script><script>hacked' || id || '</script>'; UPDATE NVTX_EVENTS SET text = '</script><b>hacked', textId = NULL")
	nsq-view -q -o "$BATS_TEST_TMPDIR/page.html" "$t" > /dev/null
	same 0 "$(grep -c hacked "$BATS_TEST_TMPDIR/page.html")"
	same "" "$(grep -vE 'default-src|type="application/octet-stream"' "$BATS_TEST_TMPDIR/page.html" |
		grep -oE '(src=|href=|url\(|@import|import ?\(|fetch|XMLHttp|WebSocket|https?:)[^ ]*')"
	holds "$(cat "$BATS_TEST_TMPDIR/page.html")" "default-src 'none'"
	same "$(cat "${TESTS%/*}/share/view/main.js")" "$(sed -n '/^\/\/ The state of the view/,/^<\/script>$/p' "$BATS_TEST_TMPDIR/page.html" | sed '$d')"
}

# bats test_tags=long
@test "colors are those of the glossary and of nsq-plot, on a light background and on a dark one, and of different kinds are apart" {
	cat > "$BATS_TEST_TMPDIR/colors.py" <<-'END'
		import re, sys
		source, glossary = open(sys.argv[1]).read(), [line.split("\t") for line in open(sys.argv[2])][1:]
		sys.argv = ["reader.py", *sys.argv[3:5]]
		exec(open(sys.argv.pop()).read().split("rows = []")[0].replace("sys.argv[2]", "None"))
		known = {word: tuple(colour.split("/")) for _, word, colour, _ in glossary}
		rows = re.findall(r'\{ "([a-z.]+)", "([^"]*)" \}', source)
		known |= {word: known[owner] for owner, words in rows for word in words.split("|") if word not in known}
		colours, wrong, met = page["colours"], [], 0
		for kind in ("category", "idle", "call", "finding", "other"):
		    for word, light, dark in colours[kind]:
		        word = names[word] if kind == "category" else word
		        if known.get(word) != (light, dark):
		            wrong.append((word, light, dark))
		        met += kind == "category"
		hues = [0] + numbers(page["ranges"], page["ranges"]["n"])
		for word in ("forward", "backward", "optimizer"):
		    _, light, dark = colours["range"][hues[names.index(word)]]
		    if known[word] != (light, dark):
		        wrong.append((word, light, dark))
		print(met > 5, wrong)
	END
	view "$FIXTURES/train.sqlite"
	same "True []" "$(python3 "$BATS_TEST_TMPDIR/colors.py" "$TESTS/../lib/picture/plot_colors.c" "$TESTS/../share/glossary.tsv" "$BATS_TEST_TMPDIR/page.html" "$TESTS/view/reader.py")"
	same "" "$(python3 "$TESTS/view/apart.py" "$BATS_TEST_TMPDIR/page.html")"
}

# bats test_tags=slow
@test "several traces are drawn on one clock, that of nsq-nccl, and the page says so; --clock own keeps them apart" {
	R=("$FIXTURES"/collectives-rank[01].sqlite)
	view "${R[@]}"
	same "all traces are drawn on one clock, by UTC" "$(page_has clock)"
	utc() { sql "$FIXTURES/collectives-rank$1.sqlite" "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME"; }
	same "$(for i in 0 1; do echo "collectives-rank$i.sqlite$TAB$(($(utc $i) - $(utc 0)))"; done)" "$(page_has traces)"
	same "$(nsq-kernels -q --each "${R[@]}" | col pid start_ns end_ns | sort)" "$(page_has work | cut -f1,5,6 | sort)"
	view --clock own "${R[@]}"
	same "each trace is drawn on its own clock 0" "$(page_has clock) $(page_has traces | cut -f2 | sort -u)"
	# a clock that is wrong is put right by the ends of collectives, with nsq-nccl's own words
	R[1]=$(change "${R[1]}" "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs - 700000000")
	view "${R[@]}"
	said=$(nsq-nccl "${R[@]}" 2>&1 >/dev/null | grep -o 'the clock of .*')
	same 1 "$(grep -c "shifted by 700.0" <<<"$said")"
	same "all traces are drawn on one clock: $(sed ':a;N;$!ba;s/\n/; /g' <<<"$said")" "$(page_has clock)"
	same "$said" "$(nsq-view --force -o "$BATS_TEST_TMPDIR/page.html" "${R[@]}" 2>&1 >/dev/null | grep -o 'the clock of .*')"
	awk -F '\t' 'NR == 2 && ($2 < 11000000 || $2 > 12000000) { exit 1 }' <(page_has traces)
	# the file too, by the same clock
	nsq-export -q --force -o "$BATS_TEST_TMPDIR/x.json" "${R[@]}" > /dev/null
	same "$(page_has clock)" "$(jq -r .metadata.clock "$BATS_TEST_TMPDIR/x.json")"
}

# bats test_tags=slow
@test "a file of several traces has the times of the clock of the page" {
	R=("$FIXTURES/collectives-rank0.sqlite" "$(change "$FIXTURES/collectives-rank1.sqlite" "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs - 700000000")")
	view "${R[@]}"
	nsq-export -q --force -o "$BATS_TEST_TMPDIR/x.json" "${R[@]}" > /dev/null
	same "$(page_has clock)" "$(jq -r .metadata.clock "$BATS_TEST_TMPDIR/x.json")"
	same "$(nsq-kernels -q --each "${R[1]}" | col start_ns | head -1 | awk -v a="$(page_has traces | awk 'NR == 2 { print $2 }')" '{ printf "%.3f\n", ($1 + a) / 1000 }')" \
		"$(jq -r '.traceEvents[] | select(.pid == 4736 and .args.gpu != null) | .ts' "$BATS_TEST_TMPDIR/x.json" | sort -n | head -1 | awk '{ printf "%.3f\n", $1 }')"
	nsq-export -q --force --clock own -o "$BATS_TEST_TMPDIR/x.json" "${R[@]}" > /dev/null
	same "each trace is drawn on its own clock" "$(jq -r .metadata.clock "$BATS_TEST_TMPDIR/x.json")"
}

# bats test_tags=long
@test "one trace says nothing of clocks, and traces of different times are drawn on their own" {
	view "$COPIES"
	same "-" "$(page_has clock)"
	nsq-export -q --force -o "$BATS_TEST_TMPDIR/x.json" "$COPIES" > /dev/null
	same null "$(jq .metadata "$BATS_TEST_TMPDIR/x.json")"
	view "$COPIES" "$COMPILE"
	holds "$(page_has clock)" "each trace is drawn on its own clock: '" "' begins when the traces before it have ended"
	same 0 "$(page_has traces | cut -f2 | sort -u)"
	fails 2 "'--clock' has no effect without '-o'" -- nsq-view --clock own "$COPIES"
	fails 2 "'--clock'" "'two'" -- nsq-view --clock two "$COPIES"
}
