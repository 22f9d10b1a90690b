# nsq-advise: what bounds the step, what should be fixed first, and what would it save?
#
# Three kinds of proof: traces with one planted fault each, whose cost was measured by mending it (fixtures/faults/truth.tsv);
# small programs on an imagined machine, healthy ones among them (advise/cases.py); and what the tables promise.
load ../helper
load ../small-traces

setup_file() {
	export FAULTS=$BATS_FILE_TMPDIR CASES=$BATS_FILE_TMPDIR/cases
	mkdir "$CASES"
	python3 "$TESTS/advise/cases.py" "$CASES"
	for f in "$FIXTURES"/faults/*.xz; do xz -dc "$f" > "$FAULTS/$(basename "$f" .xz)"; done
}

# said TRACE... [OPTION...]: kind, where, recover_ns of each finding by which something can be won.
said() { nsq-advise -q -f tsv "$@" | col kind where recover_ns | awk -F '\t' '$3 != "-"'; }

# judge KIND WHERE STEP MENDED: does the first finding on standard input name the fault, and what mending it won?  Where runs vary
# (hooks, checkpoint), or mending won nothing, kind and place alone.
judge() {
	awk -F '\t' -v name="$1" -v kind="$2" -v where="$3" -v step="$4" -v mended="$5" '
		NR == 1 { won = 1e6 * (step - mended); got = 1
			if ($1 != kind || (where != "-" && $2 != where)) print name ": " kind " in " where ", not " $1 " in " $2
			else if (name !~ /^(hooks|checkpoint|layersync)$/ && ($3 < 0.9 * won || $3 > 1.5 * won)) print name ": " $3 " of " won }
		END { if (!got && kind != "-") print name ": nothing"; if (got && kind == "-") print name ": accused of " $1 }'
}

# bats test_tags=long
@test "every planted fault: its kind comes first, in its place, and its bound holds" {
	local name kind where rank step mended planted
	while IFS=$TAB read -r name kind where rank step mended planted; do
		same "" "$(said --step-time "${step}ms" "$FAULTS/$name.sqlite" | judge "$name" "$kind" "$where" "$step" "$mended")"
	done < <(rows < "$FIXTURES/faults/truth.tsv")
}

# bats test_tags=more
# manifest WALL BASELINE [FLAGS]: that of $t, a copy of train.sqlite.
manifest() {
	t=$BATS_TEST_TMPDIR/run.sqlite
	[ -e "$t" ] || cp "$FIXTURES/train.sqlite" "$t"
	echo '{"wall_s": '"$1"', "baseline_s": '"$2"', "flags": ['"${3-}"'], "traces": [{"file": "nsys/run.sqlite"}]}' > "$BATS_TEST_TMPDIR/manifest.json"
}

@test "--step-time manifest: what the run without a profiler leaves is spread over the launches, or it is refused" {
	# the trace has 2016 calls that launch work, 252 in each of its steps; the collection took 100.030257 ms, 6.331862 of them nsys's own
	manifest 0.2 0.08
	run -0 --separate-stderr nsq-advise --step-time manifest "$t"
	holds "$stderr" "1.71 ms of each step is profiler overhead"     # 13.698395 / 8
	holds "$output" "nsq-sql --finding host --step-time 8359946 $t"         # 10072245 - 1712299
	same "$(nsq-advise -q --step-time 8359946 "$t")" "$output"
	manifest 0.2 0.03
	fails 2 "took 0.064 s longer" "launches explain" "start-up" "--step-time TIME" -- nsq-advise -q --step-time manifest "$t"
}

# bats test_tags=slow
@test "--step-time manifest: noise, parts of a run, a run that was not measured" {
	manifest 0.09 0.08      # no longer than the whole run: 3.668138 ms
	run -0 --separate-stderr nsq-advise --verdict --step-time manifest "$t"
	holds "$stderr" "0.459 ms of each step is profiler overhead"
	manifest 0.2 0.093
	fails 2 "took 0.094 s under the profiler and 0.093 s without" "leave --step-time out" -- nsq-advise -q --step-time manifest "$t"
	manifest 0.2 0.08 '"--capture-range=nvtx"'
	fails 2 "'$t' is a part of its run" "--step-time TIME" -- nsq-advise -q --step-time manifest "$t"
	manifest 0.2 0.08
	nsq-slice -q -w 20..60ms -o "$BATS_TEST_TMPDIR/run.1.sqlite" "$t"
	fails 2 "is a part of its run" -- nsq-advise -q --step-time manifest "$BATS_TEST_TMPDIR/run.1.sqlite"
	manifest 0.2 null
	fails 2 "has no time without a profiler" "nsq-capture --baseline" -- nsq-advise -q --step-time manifest "$t"
}

@test "without --step-time the same faults come first, and a step of many launches says what a profiler costs" {
	local name kind rest
	while IFS=$TAB read -r name kind rest; do
		same "$name ${kind#-}" "$name $(said "$FAULTS/$name.sqlite" | sed -n 1p | cut -f1)"
	done < <(rows < "$FIXTURES/faults/truth.tsv" | each_nth 4)
	run -0 --separate-stderr nsq-advise -v "$FAULTS/small.sqlite"
	holds "$stderr" "profiling may add 2.94 of the 24.7 ms of a step; nsq-advise --step-time"
	run -0 --separate-stderr nsq-advise -v --step-time 16.73ms "$FAULTS/small.sqlite"
	holds "$stderr" "8.22 ms of each step is profiler overhead by --step-time"
	run -0 --separate-stderr nsq-advise -v --step-time 99ms "$FAULTS/small.sqlite"
	holds "$stderr" "--step-time changes nothing"
	# launches that wait for room in a full queue are not slow
	for t in "$FAULTS"/{healthy,fp32,unfused}.sqlite; do
		run -0 --separate-stderr nsq-advise "$t"
		lacks "$stderr" "profiling may have slowed"
	done
}

# bats test_tags=long
@test "the verdict, as a table and in a sentence" {
	same "checkpoint copy
fp32 gpu
healthy gpu
hooks cpu
item sync
layersync cpu
loader data
malloc cpu
pageable copy
pause cpu
save copy
slowopt cpu
small cpu
unfused gpu" "$(nsq-advise -q --verdict "$FAULTS"/*.sqlite | tee "$BATS_TEST_TMPDIR/all" | col trace bound | sed 's,.*/,,; s/\.sqlite\t/ /' | sort)"
	nsq-advise -q --verdict "$FAULTS/item.sqlite" > "$BATS_TEST_TMPDIR/verdict"
	same "pid rank start_ns end_ns gpu steps step_ns typical_ns busy_ns copy_ns cpu_ns wait_ns idle_ns bound window trace" "$(head -1 "$BATS_TEST_TMPDIR/verdict" | xargs)"
	# idle is what nsq-gaps says, the step what nsq-window does
	same "$(nsq-window -q --pick all --steady --period "$FAULTS/item.sqlite" | nsq-gaps -q | col busy_ns idle_ns | awk '{ b += $1; i += $2 } END { printf "%d %d", b / NR + .5, i / NR + .5 }')" \
		"$(col busy_ns idle_ns < "$BATS_TEST_TMPDIR/verdict" | tr '\t' ' ')"
	# means that add up, the median beside them, and what only copies
	same "1 1" "$(col step_ns busy_ns idle_ns copy_ns < "$BATS_TEST_TMPDIR/all" | awk '{ sum += $1 == $2 + $3; part += $4 <= $2 } END { print sum == NR, part == NR }')"
	same "$(nsq-window -q --stats "$FAULTS/pause.sqlite" | col period_p50_ns)" "$(nsq-advise -q --verdict "$FAULTS/pause.sqlite" | col typical_ns)"
	same "$(nsq-window -q --pick all --steady --period "$FAULTS/save.sqlite" | nsq-overlap -q --total | col copy_only_ns | awk '{ s += $1 } END { printf "%d", s / NR + .5 }')" \
		"$(nsq-advise -q --verdict "$FAULTS/save.sqlite" | col copy_ns)"
	run -0 --separate-stderr nsq-advise "$FAULTS/layersync.sqlite"
	holds "$stderr" "nsq-advise: cpu-bound: the CPU needs 16.9 of 19.2 ms, the GPU 4.85"
	run -0 --separate-stderr nsq-advise "$FAULTS/item.sqlite"
	holds "$stderr" "nsq-advise: sync-bound: the GPU is idle for 7.10 of 23.2 ms; fixing 'sync' saves at most 6.71 ms per step"
	lacks "$stderr" "median step"
	run -0 --separate-stderr nsq-advise "$FAULTS/malloc.sqlite"
	holds "$stderr" "nsq-advise: cpu-bound: the GPU is idle for 9.52 of 25.7 ms; fixing 'alloc' saves at most 8.66 ms per step"
	run -0 --separate-stderr nsq-advise "$FAULTS/pause.sqlite"
	holds "$stderr" "nsq-advise: cpu-bound: the GPU is idle for 43.5 of 59.7 ms; fixing 'long' saves at most 42.9 ms per step" "these are means, the median step takes 16.7 ms"
	holds "$output" "2 of 11 steps (steps 9, 14) take over 1.3 times the median"
	holds "$(nsq-advise -q "$FAULTS/hooks.sqlite" | col finding)" "1 of 11 steps (step 9) takes over 1.3 times the median"
	same "9 14" "$(nsq-window -q --pick all "$FAULTS/pause.sqlite" | col period_ns number | sort -nr | head -2 | cut -f2 | sort -n | xargs)"
	run -0 --separate-stderr nsq-advise "$FAULTS/save.sqlite"
	holds "$stderr" "nsq-advise: copy-bound: the GPU is busy for 71.5 of 77.9 ms, 55.4 ms of it only with copies" "fixing 'pageable' saves at most 61.1 ms per step"
}

# bats test_tags=long
@test "several processes: a sentence for each job and each process alone, of many those with most to save" {
	local said
	said() { nsq-advise -v "$@" 2>&1 >/dev/null | grep -e -bound; }
	# unrelated traces
	same "nsq-advise: '$FAULTS/item.sqlite' is sync-bound: the GPU is idle for 7.10 of 23.2 ms; fixing 'sync' saves at most 6.71 ms per step
nsq-advise: '$FAULTS/healthy.sqlite' is gpu-bound: the GPU is busy for 16.3 of 16.8 ms" "$(said "$FAULTS"/{healthy,item}.sqlite)"
	said=$(said "$FAULTS"/*.sqlite)
	same 5 "$(wc -l <<<"$said")"
	same "nsq-advise: others: 2 gpu-bound, 2 copy-bound, 4 cpu-bound, 1 sync-bound, 1 data-bound (nsq-advise --verdict lists all)" "$(tail -1 <<<"$said")"
	same "fp32 save pause small" "$(sed -n "s,.*/\([a-z0-9]*\).sqlite' is .*,\1,p" <<<"$said" | xargs)"
	# the ranks of a job: the one with most to save, and what the others are
	said=$(said "$FIXTURES"/dualpipe-pp2ep2.sqlite)
	same 1 "$(wc -l <<<"$said")"
	holds "$said" "rank " "; so are the other 3 ranks"
	# nobody knows of one that lost events
	same "1084 gpu
1085 -" "$(nsq-advise -q --verdict "$DDP" | col pid bound | tr '\t' ' ')"
	said=$(said "$DDP")
	same 1 "$(wc -l <<<"$said")"
	holds "$said" "process 1084 is gpu-bound: the GPU is busy for 61.2 of 69.3 ms; fixing 'tensor' saves at most 5.47 ms per step"
	# in a report, too
	nsq-report -q -o "$BATS_TEST_TMPDIR/r" "$FAULTS"/{healthy,item}.sqlite > "$BATS_TEST_TMPDIR/rows"
	same 2 "$(grep -c '^\*\*.*-bound: .*\.\*\*$' "$BATS_TEST_TMPDIR/r/report.md")"
	lacks "$(sed -n '/^### Notes/,$p' "$BATS_TEST_TMPDIR/r/report.md")" "-bound: "
}

# own KIND BOUND PCT [WHERE]: a finding of one's own in $own that saves so much of a step.
own() { printf -- '-- kind: %s\n-- bound: %s\n-- advice: none\nSELECT unit, %s AS "where", CAST(period_ns * %s / 100 AS INTEGER) AS ns, 1 AS words FROM units\n' \
	"$1" "$2" "${4-NULL}" "$3" > "$own/$1.sql"; }

# bats test_tags=long
@test "the bound: by how busy the GPU is, and by the group of the first finding that counts" {
	local own=$BATS_TEST_TMPDIR/own t kind pct want f
	mkdir "$own"
	export NSQ_FINDINGS=$own
	# the GPU is busy for 97 % of healthy, 92 % of save (mostly copies), 72 % of fp32_then_sync, 63 % of malloc
	while IFS=' ' read -r t kind pct want; do
		for f in "$FAULTS/$t.sqlite" "$CASES/$t.sqlite"; do [ ! -e "$f" ] || break; done
		own mine "$kind" "$pct"
		same "$t $kind $pct $want" "$t $kind $pct $(nsq-advise -q --verdict "$f" | col bound)"
	done <<-END
		healthy cpu 50 gpu
		healthy copy 50 copy
		healthy copy 11 copy
		healthy copy 9 gpu
		copies_55_pct gpu 90 copy
		copies_45_pct gpu 90 gpu
		comm_55_pct cpu 99 comm
		comm_45_pct cpu 99 gpu
		idle_11_pct sync 99 sync
		idle_9_pct sync 99 gpu
		save gpu 90 copy
		fp32_then_sync cpu 99 gpu
		fp32_then_sync data 99 gpu
		fp32_then_sync sync 99 sync
		fp32_then_sync comm 99 comm
		malloc data 99 data
		malloc copy 99 copy
		malloc gpu 99 cpu
		malloc sync 1 cpu
		mpi_waits cpu 40 comm
		mpi_waits cpu 44 cpu
		bare copy 1 gpu
	END
	# the sentence of a step whose copies do not decide its bound tells of them if they are more than half of its work
	own mine gpu 90
	holds "$(nsq-advise "$CASES/copies_55_pct_and_idle.sqlite" 2>&1 >/dev/null)" "gpu-bound" "5.50 ms of it only with copies"
	holds "$(nsq-advise "$CASES/copies_45_pct_and_idle.sqlite" 2>&1 >/dev/null)" "gpu-bound"
	lacks "$(nsq-advise "$CASES/copies_45_pct_and_idle.sqlite" 2>&1 >/dev/null)" "with copies"
	# a finding that wins nothing may say that nobody knows, or that there is too little to know more than how busy the GPU is
	for kind in '- -' 'busy -'; do
		printf -- '-- kind: mine\n-- bound: %s\n-- advice: none\nSELECT unit, NULL AS "where", NULL AS ns, 1 AS words FROM units\n' "${kind% *}" > "$own/mine.sql"
		same "${kind#* }" "$(nsq-advise -q --verdict "$FAULTS/malloc.sqlite" | col bound)"
	done
	same gpu "$(nsq-advise -q --verdict "$CASES/fp32_then_sync.sqlite" | col bound)"
	# nothing was found, and the GPU is mostly idle
	rm "$own/mine.sql"
	for kind in $(cd "$TESTS/../share/findings" && grep -l '^-- bound: [cds]' -- *.sql); do
		printf -- '-- kind: none\n-- advice: none\nSELECT 0 AS unit, 0 AS "where", 0 AS ns, 0 AS words WHERE 0\n' > "$own/$kind"
	done
	same - "$(nsq-advise -q --verdict "$CASES/slow_python.sqlite" | col bound)"
}

@test "the order: kernels are no first thing to fix for a GPU that is mostly idle, and a named place goes before a larger one" {
	local own=$BATS_TEST_TMPDIR/own
	mkdir "$own"
	export NSQ_FINDINGS=$own
	first() { nsq-advise -q "$1" | col kind where | head -n "$2" | tr '\t\n' ' ;'; }
	own kernels gpu 98
	same "alloc housekeeping;kernels -;" "$(first "$FAULTS/malloc.sqlite" 2)"
	same "kernels -;" "$(first "$CASES/fp32_then_sync.sqlite" 1)"
	# the one that goes before is worth 5 %
	own alloc cpu 4.9
	same "kernels -;alloc -;" "$(first "$FAULTS/malloc.sqlite" 2)"
	own alloc cpu 5.1
	same "alloc -;kernels -;" "$(first "$FAULTS/malloc.sqlite" 2)"
	# and the verdict is about the one that comes first
	holds "$(nsq-advise "$FAULTS/malloc.sqlite" 2>&1 >/dev/null)" "cpu-bound: the GPU is idle for 9.52 of 25.7 ms; fixing 'alloc'"
	rm "$own"/*
	for ns in 740 760; do
		printf -- '-- kind: two\n-- bound: cpu\n-- advice: none\nSELECT unit, NULL AS "where", 1000000000 AS ns, 1 AS part, 1 AS words FROM units
			UNION ALL SELECT unit, %s, %s000000, 2, 1 FROM units\n' "'here'" $ns > "$own/two.sql"
		first "$FAULTS/healthy.sqlite" 2
	done > "$BATS_TEST_TMPDIR/order"
	same "two -;two here;two here;two -;" "$(cat "$BATS_TEST_TMPDIR/order")"
	# with fewer than three steps nothing is more than medium
	rm "$own"/*
	nsq-window -q --pick 3..4 --period "$FAULTS/malloc.sqlite" | awk -F '\t' 'NR > 1 { print $3 ".." $4 }' > "$BATS_TEST_TMPDIR/two"
	same medium "$(nsq-advise -q -w "$(head -1 "$BATS_TEST_TMPDIR/two" | sed 's/\.\..*//')..$(tail -1 "$BATS_TEST_TMPDIR/two" | sed 's/.*\.\.//')" "$FAULTS/malloc.sqlite" |
		where kind alloc | col severity)"
	same high "$(nsq-advise -q "$FAULTS/malloc.sqlite" | where kind alloc | col severity)"
}

# Several are asked about at once, but for those that communicate, which would be ranks of one job.
# bats test_tags=long
@test "small programs: the guilty are named, the healthy are not" {
	local name kind never got together=() alone=()
	python3 "$TESTS/advise/cases.py" --list > "$BATS_TEST_TMPDIR/list"
	cd "$CASES"
	while IFS=$TAB read -r name _; do
		case $name in *coll* | *comm*) alone+=("$name.sqlite") ;; *) together+=("$name.sqlite") ;; esac
	done < "$BATS_TEST_TMPDIR/list"
	{ nsq-advise -q "${together[@]}"; for t in "${alone[@]}"; do nsq-advise -q "$t" | rows; done; } | col trace kind recover_ns > "$BATS_TEST_TMPDIR/said"
	while IFS=$TAB read -r name kind never; do
		got=$(awk -F '\t' -v t="$name.sqlite" '$1 != t { next } { all = all $2 " " } $3 != "-" && first == "" { first = $2 } END { print first ": " all }' \
			"$BATS_TEST_TMPDIR/said")
		same "$name ${kind#-}" "$name ${got%%:*}"
		for kind in ${never#-}; do lacks "${got#*:}" " $kind "; done
	done < "$BATS_TEST_TMPDIR/list"
}

@test "steps that are given end where their rows do: how much that leaves out is said, and their evidence asks for them again" {
	run -0 --separate-stderr bash -c "nsq-window -q --pick all '$CASES/loader.sqlite' | nsq-advise"
	holds "$stderr" "these steps leave out 48 % of the time between them; nsq-window --period includes it"
	# rows that name several GPUs
	t=$(change "$FIXTURES/train.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE rowid % 2 = 0")
	same "0 7,1 7" "$(nsq-overlap -q --total "$t" | nsq-advise -q --verdict | col gpu steps | tr '\t' ' ' | paste -sd ,)"
	run -0 --separate-stderr bash -c "nsq-window -q --pick all --period '$CASES/loader.sqlite' | nsq-advise"
	lacks "$stderr" "leave out"
	same "nsq-sql --finding data -w - $CASES/loader.sqlite" "$(where kind data <<<"$output" | col evidence)"
	same "$(where kind data <<<"$output" | col recover_ns)" \
		"$(nsq-window -q --pick all --period "$CASES/loader.sqlite" | nsq-sql -q --finding data -w - "$CASES/loader.sqlite" | col recover_ns | sort -u)"
}

@test "what whole CUDA graphs hold is not judged, so it is not said that there is nothing to fix" {
	run -0 --separate-stderr nsq-advise --min-pct 50 -m '^decode step$' "$FIXTURES/decode-graph-whole.sqlite"
	holds "$stderr" "no finding is worth 50 %, but whole CUDA graphs hide most kernels"
	run -0 --separate-stderr nsq-advise --min-pct 99 -m '^decode step$' "$FIXTURES/decode-graph-nodes.sqlite"
	lacks "$stderr" "whole CUDA graphs take"
}

# bats test_tags=slow
@test "no fixture, fault or small program gets a verdict that contradicts its findings, or words that do not fit it" {
	run -0 "$TESTS/advise/contradictions" "$FIXTURES"/*.sqlite "$FAULTS"/*.sqlite "$CASES"/*.sqlite
	holds "${lines[-1]}" " traces: 0 verdict, 0 bound, 0 few, 0 needs, 0 high, 0 torch"
	# it notices what it looks for
	mkdir "$BATS_TEST_TMPDIR/findings"
	printf -- '-- kind: mine\n-- advice: use torch.compile\nSELECT unit, NULL AS "where", 99000000 AS ns, 1 AS words FROM units\n' > "$BATS_TEST_TMPDIR/findings/mine.sql"
	NSQ_FINDINGS=$BATS_TEST_TMPDIR/findings run -1 "$TESTS/advise/contradictions" "$CASES/first_launches.sqlite"
	holds "$output" "torch: torch."
}

@test "idle time in MPI calls: the verdict names it, and does not count it as the CPU's, where it is most" {
	same "comm 2000000" "$(nsq-advise -q --verdict "$CASES/mpi_waits.sqlite" | col bound wait_ns | tr '\t' ' ')"
	run -0 --separate-stderr nsq-advise "$CASES/mpi_waits.sqlite"
	holds "$stderr" "comm-bound: the GPU waits for MPI calls for 1.9"
	same "comm" "$(nsq-advise -q --verdict "$CASES/mpi_synced.sqlite" | col bound)"
	same "cpu 0" "$(nsq-advise -q --verdict "$CASES/mpi_elsewhere.sqlite" | col bound wait_ns | tr '\t' ' ')"
	same "comm" "$(nsq-advise -q --verdict "$CASES/mpi_ranges.sqlite" | col bound)"
	# in no range that says so, that it is data is a guess
	holds "$(nsq-advise -q "$CASES/unnamed_loader.sqlite" | col finding)" "probably reading data"
	holds "$(nsq-advise -q "$CASES/loader.sqlite" | col finding)" "the CPU fetches the next batch"
	# also between steps, in a range around them
	t=$(change "$CASES/unnamed_loader.sqlite" "UPDATE NVTX_EVENTS SET start = start + 5000000 WHERE text GLOB 'step *'" "INSERT INTO NVTX_EVENTS
		(start, end, eventType, text, globalTid, domainId) SELECT 0, max(end) + 9, 59, 'train()', globalTid, domainId FROM NVTX_EVENTS")
	holds "$(nsq-advise -q "$t" | col where finding)" "train()$TAB" "probably reading data"
	# less than what can be saved
	t=$(change "$CASES/mpi_waits.sqlite" "UPDATE MPI_COLLECTIVES_EVENTS SET end = start + 500000")
	same "cpu" "$(nsq-advise -q --verdict "$t" | col bound)"
}

@test "a wait for communication: all but one of several count with it, a single one does not" {
	# four times 1 ms of waiting and 1 ms of work on the CPU; and once 2 ms and 0.3 ms
	said "$CASES/waits_for_collectives.sqlite" | head -1 | awk '$3 < 6.9e6 || $3 > 7.1e6 { print; exit 1 }'
	said "$CASES/waits_for_last_collective.sqlite" | head -1 | awk '$3 < 0.29e6 || $3 > 0.33e6 { print; exit 1 }'
}

@test "three steps are enough for high, and kernels are not annotated if most of their time is in no range" {
	same "high medium" "$(for to in 4 3; do nsq-advise -q -m "step [1-$to]\$" "$CASES/loader.sqlite" | where kind data | col severity; done | xargs)"
	holds "$(nsq-advise -q "$CASES/bare_for_60_pct.sqlite" | where kind unannotated | col finding)" "60 % of kernel time is in no range that names a part of the program"
}

@test "what a finding saves is what the rest of the step leaves, in the steps that are judged" {
	local name kind ns
	while IFS=' ' read -r name kind ns; do
		same "$name $kind $ns" "$name $kind $(nsq-advise -q --min-pct 0 "$CASES/$name.sqlite" | where kind "$kind" | col recover_ns)"
	done <<-END
		calls_of_slow_cpu sync 540000
		starts_with_more sync 1012003
		saves_before_request long 455360
	END
	# the first: the step less what the CPU needs; the last: 5 ms, and the end of a wait, in one of eleven steps
	same 540000 "$(nsq-advise -q --verdict "$CASES/calls_of_slow_cpu.sqlite" | col step_ns cpu_ns | awk '{ print $1 - $2 }')"
	holds "$(nsq-advise -q "$CASES/saves_before_request.sqlite" | col finding)" "1 of 11 steps (step 4) takes" "most of the extra time is 'host'"
	# a step without a profiler that leaves no time for a finding
	same "" "$(nsq-advise -q --min-pct 0 --step-time 1ms "$CASES/instantiates.sqlite" | where kind capture | rows)"
}

@test "words that depend on a share of the time, on both sides of it" {
	local name word
	while IFS=$TAB read -r name word; do
		[ "${name#-}" != "$name" ] || holds "$name $(nsq-advise -v "$CASES/$name.sqlite" 2>&1)" "$word"
		[ "${name#-}" = "$name" ] || lacks "$name $(nsq-advise -v "$CASES/${name#-}.sqlite" 2>&1)" "$word"
	done <<-END
		pauses_mostly_long	do this work ahead of time or in another thread
		-pauses_mostly_short	do this work ahead of time or in another thread
		pauses_mostly_short	do less on the CPU between launches
		unknown_for_2_2_pct	what compute waits for is unknown: for 2.2 % of a step
		-unknown_for_1_7_pct	what compute waits for is unknown
		cpu_54_pct	the CPU needs 1.47 of 2.74 ms
		-cpu_45_pct	the CPU needs
		cpu_45_pct	cpu-bound: the GPU is idle for 2.98 of 3.24 ms
		mean_12_pct_longer	these are means, the median step takes 2.68 ms
		-mean_8_pct_longer	the median step takes
		profiler_6_pct	profiling may add 0.180 of the 3.35 ms of a step
		-profiler_4_pct	profiling may add
		comm_55_pct	comm-bound: the GPU is idle or only communicates for 5.52 of 10.0 ms
	END
}

@test "communication hides behind no more compute than there is" {
	same 880000 "$(nsq-advise -q "$CASES/comm_beyond_compute.sqlite" | where kind comm | col recover_ns)"   # 4 layers, 3 ms of communication
}

@test "managed memory: the time in which pages move is its own, that between is the CPU's, which bounds the step if it is longer" {
	run -0 --separate-stderr nsq-advise -f tsv "$CASES/migrates.sqlite"
	# a hundred pages of 10 us a step, 50 us apart, then what the CPU does before the next step
	same "$(table 'host 5208003' 'um 1000000')" "$(col kind recover_ns <<<"$output" | head -2)"
	same "the GPU is idle while the CPU works between migrations of managed memory" \
		"$(col finding <<<"$output" | sed -n '1s/.*: \(.*\);.*/\1/p')"
	holds "$stderr" "nsq-advise: cpu-bound: the CPU needs 6.25 of 8.88 ms, the GPU 3.64, 1.00 ms of it only with copies"
	same cpu "$(nsq-advise -q --verdict "$CASES/migrates.sqlite" | col bound)"
	# copies bound the GPU where it does little else
	run -0 --separate-stderr nsq-advise "$CASES/pinned_alone.sqlite"
	holds "$stderr" "nsq-advise: copy-bound: the GPU is busy for"
}

@test "the verdict's sentence: fixing GPU work alone saves no more than the CPU leaves, and what saves CPU time goes first" {
	said() { nsq-advise -v "$CASES/$1.sqlite" 2>&1 >/dev/null | sed -n 's/^nsq-advise: \(.*-bound: .*\)/\1/p'; }
	same "gpu-bound: the GPU is busy for 2.64 of 3.10 ms; fixing 'host' saves at most 0.377 ms per step; fixing only 'tensor' saves at most 0.0480 ms per step, because the CPU needs 3.05 ms" "$(said fp32_of_slow_cpu)"
	same "gpu-bound: the GPU is busy for 2.64 of 3.68 ms; fixing 'tensor' saves at most 2.23 ms per step" "$(said fp32_then_sync)"
	same "gpu-bound: the GPU is busy for 2.64 of 2.66 ms; fixing 'tensor' saves at most 2.23 ms per step" "$(said fp32)"
	# the row is the ceiling under its assumption
	same "2232000 2232000 2232000" "$(nsq-advise -q "$CASES"/fp32{,_of_slow_cpu,_then_sync}.sqlite | where kind tensor | col recover_ns | xargs)"
	holds "$(nsq-advise -q "$CASES/fp32.sqlite" | col finding)" "and the CPU keeps up"
}

@test "copies that the compute cannot hide: less is to be copied in a step; without steps they save no more than the compute" {
	local keep="keep the data on the GPU, copy less: there is not enough compute to hide the copies" got
	got=$(nsq-advise -q "$CASES/copies_more.sqlite" | where kind copy | col recover_ns finding advice)
	holds "$got" "3000000" "assumes the data stays on the GPU" "$keep"
	holds "$(nsq-advise -q "$CASES/pinned_alone.sqlite" | where kind copy | col finding advice)" "assumes they overlap with compute" "copy on a separate stream"
	got=$(nsq-advise -q "$CASES/few_long_copies.sqlite" | where kind copy | col recover_ns finding advice)
	holds "$got" "15000000" "assumes they overlap with compute" "$keep"
}

@test "allocation: the advice fits the calls" {
	advice() { nsq-advise -q -f tsv "$1.sqlite" | where kind alloc | col finding advice; }
	holds "$(advice "$CASES/mallocs")" "during calls that allocate or free memory" "or use a caching allocator"
	# what only PyTorch has is advised to its programs, which their kernels or ranges tell
	said=$(nsq-advise -q "$CASES"/{mallocs,short_data,loader,one_by_one,sync_and_late,fp32,pageable}.sqlite | col advice)
	for word in orch .item foreach 'data loader' pin_memory; do lacks "$said" "$word"; done
	for name in "void at::native::" triton_poi_fused_ "c10::cuda::" "torchlight "; do
		cp "$CASES/one_by_one.sqlite" "$BATS_TEST_TMPDIR/named.sqlite"
		sqlite3 "$BATS_TEST_TMPDIR/named.sqlite" "UPDATE StringIds SET value = '$name' || value WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)"
		if [ "$name" = "torchlight " ]; then lacks "$(nsq-advise -q "$BATS_TEST_TMPDIR/named.sqlite")" foreach; else holds "$(nsq-advise -q "$BATS_TEST_TMPDIR/named.sqlite")" "or fuse them (a fused or foreach optimizer)"; fi
	done
	sqlite3 "$BATS_TEST_TMPDIR/named.sqlite" "UPDATE NVTX_EVENTS SET text = 'ProfilerStep#' || text"
	holds "$(nsq-advise -q "$BATS_TEST_TMPDIR/named.sqlite")" foreach
	cp "$CASES/mallocs.sqlite" "$BATS_TEST_TMPDIR/torch.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/torch.sqlite" "UPDATE StringIds SET value = 'void at::native::' || value WHERE id IN (SELECT demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL)"
	holds "$(advice "$BATS_TEST_TMPDIR/torch")" "or use a caching allocator (in PyTorch: no empty_cache in the loop)"
	holds "$(advice "$CASES/pins")" "during calls that pin host memory" "pin memory once, before the loop"
	lacks "$(advice "$CASES/pins")" "PyTorch"
}

@test "what repeats within one replay: steps that one call launches, whose CPU side is empty, are looked at like others" {
	t=$CASES/layers_of_a_graph.sqlite
	run -0 --separate-stderr nsq-advise --verdict "$t"
	lacks "$stderr" "skipped"
	same 479 "$(col steps <<<"$output")"
	same 479 "$(nsq-window -q --pick all --period "$t" | nsq-ledger -q | col window | sort -u | wc -l)"
}

@test "the next request's prefill between two decode steps does not make one of them long" {
	for t in "$FIXTURES"/decode-{eager-long,graph-nodes,graph-whole}.sqlite; do
		answers nsq-advise -q --min-pct 1 "$t"
		same "" "$(where kind long <<<"$output" | col finding)"
	done
}

# proved TRACE... [OPTION...]: run the evidence of every row; prints those whose number it does not print.
proved() {
	local kind ns evidence
	nsq-advise -q --min-pct 0 -f tsv "$@" > "$BATS_TEST_TMPDIR/rows"
	while IFS=$TAB read -r kind ns evidence; do
		eval "${evidence/nsq-sql/nsq-sql -q}" < "${windows-/dev/null}" > "$BATS_TEST_TMPDIR/proof" || echo "$evidence: $?"
		if [ "$ns" != - ]; then col recover_ns < "$BATS_TEST_TMPDIR/proof"; else col words < "$BATS_TEST_TMPDIR/proof" | sed 's/.*/-/'; fi |
			grep -qxe "$ns" || echo "$kind: $ns is not in: $evidence"
	done < <(col kind recover_ns evidence < "$BATS_TEST_TMPDIR/rows")
	[ "$(wc -l < "$BATS_TEST_TMPDIR/rows")" -gt 1 ] || echo "nothing to prove: $*"
}

# bats test_tags=slow
@test "the evidence of every finding prints its number, whatever -w, -p, -g, -m, --comm and --captured chose" {
	local t step
	cd "$BATS_TEST_TMPDIR"
	cp "$FIXTURES/train.sqlite" "my run.sqlite"
	for t in $(first_few 5 "$FAULTS"/{pause,slowopt,item,malloc,fp32}.sqlite "$DDP" "$NODES" "$EAGER" "$COMPILE"); do same "" "$(proved "$t")"; done
	same "" "$(proved "$FIXTURES"/collectives-rank?.sqlite)"
	# the ranks that are not looked at share the GPU, and say when the last one arrived
	same "" "$(proved -p "$(nsq-window -q "$FIXTURES/collectives-rank0.sqlite" | col pid | head -1)" "$FIXTURES"/collectives-rank?.sqlite)"
	same "" "$(proved "my run.sqlite" -m '^step [0-9]+$')"
	same "" "$(proved "my run.sqlite" -w 20ms..60ms -w 70ms..90ms)"
	[ "$(nsq-advise -q "my run.sqlite" | col recover_ns)" != "$(nsq-advise -q -w 20ms..60ms "my run.sqlite" | col recover_ns)" ]
	nsq-window -q --bins 2 "my run.sqlite" > "two words"
	same "" "$(proved -w "two words" "my run.sqlite")"
	same "" "$(windows="two words" proved -w - "my run.sqlite" < "two words")"
	same "" "$(proved -p 1084 -g 0 --comm '+Elementwise' "$DDP")"
	same "" "$(proved --captured "$FIXTURES/graph-capture.sqlite")"
	same "" "$(proved --step-time 8ms "my run.sqlite")"
	holds "$(nsq-advise -q -w 20ms..60ms -g 0 -m '^step #*' --captured "my run.sqlite" | col evidence)" \
		"nsq-sql --finding host -w 20ms..60ms -g 0 -m '^step #*' --captured 'my run.sqlite'"
}

# bats test_tags=more,long
@test "evidence prints what the row says, and rows may be added" {
	local name kind ns evidence
	for name in $(printf '%s\n' item slowopt unfused fp32 malloc pause | each_nth 3); do
		nsq-advise -q --min-pct 0 -f tsv "$FAULTS/$name.sqlite" > "$BATS_TEST_TMPDIR/rows"
		while IFS=$TAB read -r kind ns evidence; do
			same "$kind $ns" "$kind $(eval "$evidence -q" | sum ns)"
		done < <(col kind recover_ns evidence < "$BATS_TEST_TMPDIR/rows" | awk -F '\t' '$2 != "-" { s[$1] += $2; e[$1] = $3 } END { for (k in s) printf "%s\t%d\t%s\n", k, s[k], e[k] }')
		# of a step that is not long
		same 1 "$(where kind long < "$BATS_TEST_TMPDIR/rows" | rows | cat - "$BATS_TEST_TMPDIR/rows" | awk -F '\t' -v step="$(nsq-advise -q --verdict "$FAULTS/$name.sqlite" | col typical_ns)" '
			$7 != "long" && $8 + 0 > 0 { s += $8 } END { print (s <= step) }')"
	done
}

@test "a finding's place: ranges whose rows together hold half of it; in no range the source, else the main thread's range" {
	local own=$BATS_TEST_TMPDIR/own
	# the backward pass, whose thread has no ranges
	same "small backward" "$(said "$FAULTS/small.sqlite" | head -1 | cut -f1,2 | tr '\t' ' ')"
	t=$(change "$FAULTS/unfused.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid + 1")
	same "fuse backward" "$(said "$t" | head -1 | cut -f1,2 | tr '\t' ' ')"
	mkdir "$own"
	printf -- '-- kind: mine\n-- advice: none\nSELECT 0 AS unit, column1 AS "where", column2 AS ns, 1 AS words FROM (VALUES (%s))\n' \
		"'a', 3000000), ('b', 4000000), ('a', 3000000" > "$own/mine.sql"
	same "mine a 10000000" "$(NSQ_FINDINGS=$own said "$FAULTS/small.sqlite" | grep ^mine | tr '\t' ' ')"
}

@test "where no range names a part, the advice names the function that launches most, if call chains do" {
	advice() { nsq-advise -q "$1" | where kind unannotated | col advice; }
	holds "$(advice "$COMPILE")" "around the parts of a step"
	# two launches in three come from one function, which has four fifths of the time
	t=$(change "$COMPILE" "INSERT INTO StringIds VALUES (9001, 'small_part'), (9002, 'large_part'), (9003, '/home/me/train.py');
		CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, unresolved, originalIP, stackDepth);
		INSERT INTO CUDA_CALLCHAINS VALUES (0, 9001, 9003, NULL, NULL, 0), (1, 9002, 9003, NULL, NULL, 0);
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = correlationId % 3 > 0")
	[ "$(sql "$t" "SELECT sum((end - start) * (correlationId % 3 > 0)) > 0.8 * sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL")" = 1 ]
	holds "$(advice "$t")" "around what large_part (train.py) launches"
}

# bats test_tags=long
@test "findings of one's own: a file in a folder, one that replaces, and what is wrong with a broken one" {
	local own=$BATS_TEST_TMPDIR/own
	mkdir -p "$own"
	cat > "$own/mine.sql" <<-'END'
		-- kind: mine
		-- title: products
		-- assumes: nothing
		-- advice: none
		SELECT unit, "where", sum(dur_ns) AS ns, 'time of products' AS words FROM ledger WHERE owner = 'matmul' GROUP BY 1, 2
	END
	holds "$(NSQ_FINDINGS=$own said "$FAULTS/healthy.sqlite")" "mine"
	same "" "$(NSQ_FINDINGS=$BATS_TEST_TMPDIR/none said "$FAULTS/healthy.sqlite")"
	mkdir -p "$BATS_TEST_TMPDIR/data/nsq" && cp -r "$own" "$BATS_TEST_TMPDIR/data/nsq/findings"
	holds "$(XDG_DATA_HOME=$BATS_TEST_TMPDIR/data said "$FAULTS/healthy.sqlite")" "mine"
	[ "$(NSQ_FINDINGS=$own nsq-sql -q --finding mine "$FAULTS/healthy.sqlite" | sum ns)" -gt 0 ]
	# what adds up the ledger holds as much, of each kind
	cat > "$own/sums.sql" <<-'END'
		-- kind: sums
		-- advice: none
		WITH by_step AS (SELECT unit, owner, synced, "where", name, pageable, replayed, compiles, captures, first, smallcopy, waits, far, asleep, flaw, long, sum(dur_ns), sum(waste_ns), sum(count),
				sum(late_ns) FROM ledger GROUP BY unit, owner, synced, "where", name, pageable, replayed, compiles, captures, first, smallcopy, waits, far, asleep, flaw, long)
		SELECT 0 AS unit, NULL AS "where", count(*) AS ns, (SELECT count(*) FROM (SELECT * FROM ledger_sums INTERSECT SELECT * FROM by_step)) ||
			iif(count(*) < (SELECT count(*) FROM ledger), ' fewer', '') AS words FROM ledger_sums
	END
	run -0 --separate-stderr env NSQ_FINDINGS="$own" nsq-sql -q --finding sums "$FAULTS/checkpoint.sqlite"
	same "$(col ns <<<"$output") fewer" "$(col words <<<"$output")"
	rm "$own/sums.sql"
	# as many columns as it likes
	for n in 64 1500; do
		{ printf -- '-- kind: wide\n-- advice: none\nSELECT %s 0 AS unit, NULL AS "where", 7 AS ns, 8 AS words\n' "$(seq $n | sed 's:.*:& AS c&,:' | xargs)"; } > "$own/wide.sql"
		same "1 $n 7 8 $FAULTS/healthy.sqlite" "$(NSQ_FINDINGS=$own nsq-sql -q --finding wide "$FAULTS/healthy.sqlite" | col c1 c$n ns words trace | tr '\t' ' ')"
	done
	rm "$own/wide.sql"
	# the largest row decides what is said, also if it says nothing
	printf -- '-- kind: two\n-- title: Two\n-- advice: none\nSELECT 0 AS unit, NULL AS "where", 9000000 AS ns, NULL AS words, NULL AS bound UNION ALL SELECT 0, NULL, 5, %s\n' \
		"'x', 'late'" > "$own/two.sql"
	same Two "$(NSQ_FINDINGS=$own nsq-advise -q "$FAULTS/healthy.sqlite" | where kind two | col finding)"
	sed -i "s/NULL AS bound/'late' AS bound/" "$own/two.sql"
	run -0 --separate-stderr env NSQ_FINDINGS="$own" nsq-advise "$FAULTS/healthy.sqlite"
	lacks "$stderr" "(null)"
	rm "$own/two.sql"
	# a phase behind a step's range is behind it on each GPU, also if rows of windows name the GPUs
	t=$(change "$CASES/evaluates.sqlite" "CREATE TABLE x AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL" "UPDATE x SET deviceId = 1" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM x" "DROP TABLE x")
	printf -- '-- kind: behind\n-- advice: none\nSELECT unit, NULL AS "where", between_ns AS ns, step AS words FROM steps WHERE between_ns > 0\n' > "$own/behind.sql"
	same "0 3,0 7,1 3,1 7" "$(nsq-overlap -q --total "$t" | NSQ_FINDINGS=$own nsq-sql -q --finding behind -w - "$t" | col gpu words | sort | tr '\t' ' ' | paste -sd ,)"
	rm "$own/behind.sql"
	# blocks of a grid that no GPU has are the most that a number holds
	t=$(change "$DDP" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 4294967296, gridY = 4294967296")
	printf -- '-- kind: blocks\n-- advice: none\nSELECT 0 AS unit, NULL AS "where", min(blocks) AS ns, 0 AS words FROM collectives\n' > "$own/blocks.sql"
	same 9223372036854775807 "$(NSQ_FINDINGS=$own nsq-sql -q --finding blocks "$t" | col ns)"
	rm "$own/blocks.sql"
	# of the same name as a built-in one
	sed 's/kind: mine/kind: other/' "$own/mine.sql" > "$own/fuse.sql"
	lacks "$(NSQ_FINDINGS=$own said "$FAULTS/unfused.sqlite")" "fuse"
	rm "$own/fuse.sql"
	echo 'SELECT 1' > "$own/bad.sql"
	NSQ_FINDINGS=$own fails 2 "the finding '$own/bad.sql' has no line '-- kind: ...'" -- nsq-advise -q "$FAULTS/healthy.sqlite"
	printf -- '-- kind: x\n-- advice: y\nSELECT unit FROM units\n' > "$own/bad.sql"
	NSQ_FINDINGS=$own fails 2 "the finding '$own/bad.sql' gives no column 'where'" -- nsq-advise -q "$FAULTS/healthy.sqlite"
	printf -- '-- kind: x\n-- advice: y\nSELECT unit FROM unitz\n' > "$own/bad.sql"
	NSQ_FINDINGS=$own run -2 --separate-stderr nsq-advise -q "$FAULTS/healthy.sqlite"
	holds "$stderr" "unitz" "so the finding '$own/bad.sql' does not run"
	printf -- '-- kind: x\n-- advice: y\nDELETE FROM units\n' > "$own/bad.sql"
	NSQ_FINDINGS=$own run -2 --separate-stderr nsq-advise -q "$FAULTS/healthy.sqlite"
	fails 2 "there is no finding 'nothing'" -- nsq-sql -q --finding nothing "$FAULTS/healthy.sqlite"
}

@test "every finding says what it is, what it assumes, and whom it must not accuse" {
	cd "$TESTS/../share/findings"
	same "" "$(awk '/^-- (table|kind|title|advice|healthy): ./ { said[FILENAME, $2] = $3 }
		END { for (i = 1; i < ARGC; i++) { f = ARGV[i]
			if ((f, "table:") in said) continue
			n = split("kind: title: advice: healthy:", field, " ")
			for (k = 1; k <= n; k++) if (!((f, field[k]) in said)) print f ": no " field[k]
			if (said[f, "kind:"] ".sql" != f) print f ": is called " said[f, "kind:"] } }' *.sql)"
}

# bats test_tags=long
@test "on a terminal: numbered paragraphs of at most 80 columns; in a pipe, and with -f, a table" {
	needs_terminal
	export NO_COLOR=1
	local text
	text=$(cd "$FAULTS" && script -qec "nsq-advise -q slowopt.sqlite" /dev/null | tr -d '\r')
	same "" "$(awk 'length > 80' <<<"$text")"
	mkdir -p "$BATS_TEST_TMPDIR/colons"
	printf -- "-- kind: mine\n-- title: mine: all\n-- advice: none\nSELECT unit, NULL AS \"where\", 9000000000 AS ns, 'a: b' AS words FROM units\n" > "$BATS_TEST_TMPDIR/colons/mine.sql"
	holds "$(cd "$FAULTS" && NSQ_FINDINGS=$BATS_TEST_TMPDIR/colons script -qec "nsq-advise -q slowopt.sqlite" /dev/null | tr -d '\r')" " 1. Mine: all (mine): saves at most" "    A: b"
	local whole
	whole=$(made "INSERT INTO K VALUES (1000, 2000, 0, 1, 7, 1, $P5, 1, 1); INSERT INTO R VALUES (500, 600, $P5 + 1, 1, 2)")
	holds "$(NSQ_FINDINGS=$BATS_TEST_TMPDIR/colons script -qec "nsq-advise -q $whole" /dev/null)" " 1. Mine: all (mine): saves at most 9.00 s ("
	holds "$text" " 1. Small kernels (small) in 'optimizer': saves at most 16.8 ms per step (54 %)" "    To do: capture them in a CUDA graph" \
		"    See: nsq-sql --finding small slowopt.sqlite" " 2. "
	same 1 "$(cd "$FAULTS" && script -qec "nsq-advise -q -n 1 slowopt.sqlite" /dev/null | grep -c 'To do')"
	holds "$(cd "$FAULTS" && script -qec "nsq-advise -q -f table --raw slowopt.sqlite" /dev/null)" "recover_ns"
	# the title has the color of its severity
	holds "$(cd "$FAULTS" && NO_COLOR= TERM=xterm script -qec "nsq-advise -q -n 1 slowopt.sqlite" /dev/null)" $' 1. \e[31mSmall kernels'
	holds "$(cd "$FAULTS" && NO_COLOR= TERM=xterm script -qec "nsq-advise -q -n 1 slowopt.sqlite" /dev/null)" $'\e[39m    '

	cp "$DDP" "$BATS_TEST_TMPDIR/-t.sqlite"
	holds "$(cd "$BATS_TEST_TMPDIR" && nsq-advise -q -- -t.sqlite | col evidence)" "nsq-sql --finding shared -- -t.sqlite"
	same "pid rank start_ns end_ns gpu severity kind recover_ns recover_pct steps where finding evidence advice window trace" \
		"$(nsq-advise -q "$FAULTS/slowopt.sqlite" | head -1 | xargs)"
}

@test "without steps the run is looked at as a whole: no severity above medium, and a sentence says so" {
	local t=$BATS_TEST_TMPDIR/run.sqlite
	cp "$FAULTS/item.sqlite" "$t"
	sqlite3 "$t" "DELETE FROM NVTX_EVENTS; INSERT INTO StringIds SELECT 1000000000 + rowid, 'k' || rowid FROM CUPTI_ACTIVITY_KIND_KERNEL;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 1000000001 + rowid * rowid * 7919 % 9973 % 30;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = shortName"       # in no order that repeats
	run -0 --separate-stderr nsq-advise "$t"
	holds "$stderr" "(all its GPU work)" "-m REGEX"
	same "-" "$(col steps <<<"$output" | sort -u)"
	same medium "$(col severity <<<"$output" | head -1)"
	nsq-window -q --bins 3 "$t" > "$BATS_TEST_TMPDIR/thirds"
	same "$(without evidence <<<"$output")" "$(nsq-advise -q -w "$BATS_TEST_TMPDIR/thirds" "$t" | without evidence)"  # not as a step for each window
	for help in "$(nsq-advise --columns)" "$("$NSQ_BIN/nsq" help advise)"; do [[ "$help" == *"above "*medium* ]]; done
	# what lies in ranges that say warm-up is left out
	sqlite3 "$t" "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) SELECT 0, min(start) + 30000000, 59, 'Warm-Up', globalTid, 0 FROM
		CUPTI_ACTIVITY_KIND_RUNTIME GROUP BY globalTid ORDER BY count(*) DESC LIMIT 1"
	[ "$(nsq-advise -q --verdict "$t" | col start_ns)" -gt "$(col start_ns <<<"$output" | head -1)" ]
	# and the rest of the run does not become a step
	same "-" "$(nsq-advise -q "$t" | col steps | sort -u)"
	same medium "$(nsq-advise -q "$t" | col severity | head -1)"
}

@test "a process that lost events: that is said first, and only what they cannot change of it" {
	run -0 --separate-stderr nsq-advise -v -p 1085 "$DDP"
	same "lost" "$(col kind <<<"$output" | head -1)"
	lacks "$(col kind <<<"$output")" unknown
	same "" "$(col kind recover_ns <<<"$output" | awk -F '\t' '$2 != "-" && $1 != "tensor" && $1 != "fuse"')"
	holds "$stderr" "about processes with lost events, failed calls or clocks that disagree"
}

@test "calls that failed: that is said first, with the first of them, and only what they cannot change" {
	name="nameId IN (SELECT id FROM StringIds WHERE value GLOB"
	t=$(change "$FIXTURES/train.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 700 + (start > 50000000) WHERE $name '*Launch*') AND start > 40000000")
	n=$(sqlite3 "$t" "SELECT sum(returnValue > 0) || ' of ' || count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE $name '*Launch*')")
	asked nsq-advise "$t"
	first=$(sqlite3 "$t" "SELECT value FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE returnValue > 0 ORDER BY start LIMIT 1")
	same "untrusted${TAB}failed${TAB}CUDA calls failed: $n launches, first ${first%_v*} with error 700" "$(col severity kind finding <<<"$output" | head -1)"
	same "" "$(col kind recover_ns <<<"$output" | awk -F '\t' '$2 != "-" && $1 != "tensor" && $1 != "fuse"')"
	same - "$(nsq-advise -q --verdict "$t" | col bound)"
	holds "$(nsq-setup --facts "$t")" "suspicious.failed${TAB}process 911: CUDA calls failed: $n launches"
	lacks "$(nsq-advise "$t" 2>&1)" "numbers are too low"
	# a copy, a set and a wait, too
	for call in cudaMemcpyAsync cudaMemsetAsync cudaStreamSynchronize; do
		t=$(change "$FIXTURES/train.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 1 WHERE rowid IN (SELECT max(rowid) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE $name '$call*'))")
		same "CUDA calls failed: 1 that launch, copy, set or wait, first $call with error 1" "$(nsq-advise -q "$t" | where kind failed | col finding)"
	done
	# but nothing that is no failure, and no other call
	t=$(change "$FIXTURES/train.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 34 + 566 * (rowid % 2) WHERE $name '*Launch*')" \
		"UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET returnValue = 2 WHERE $name 'cuKernel*')")
	same "$(nsq-advise -q "$FIXTURES/train.sqlite" | without trace evidence)" "$(nsq-advise -q "$t" | without trace evidence)"
}

@test "steps that are long because they compute more: the advice is to spread that" {
	same "$(table 'these~steps~have~more~to~do spread~it~over~the~steps;~together~they~take~no~less' | tr '~' ' ')" \
		"$(nsq-advise -q "$CASES/more_to_do.sqlite" | where kind long | col finding advice | sed 's/.*the median; //; s/; assumes[^\t]*//')"
	holds "$(nsq-advise -q "$CASES/long_now_and_then.sqlite" | where kind long | col finding advice)" "most of the extra time is 'host'" "in the background"
}

@test "nothing to fix is an answer, if the GPU is busy" {
	holds "$(nsq-advise "$CASES/healthy.sqlite" 2>&1 >/dev/null)" "nothing to fix: the GPU is busy for 99 % of the step, and no finding is worth 2 %"
	holds "$(nsq-advise "$CASES"/{healthy,bare}.sqlite 2>&1 >/dev/null)" "nothing to fix: the GPU is busy for at least 99 % of the step"
	holds "$(nsq-advise --min-pct 99 "$CASES/loader.sqlite" 2>&1 >/dev/null)" "nothing found: no finding is worth 99 % of a step"
	for name in loader few_kernels camera comm_55_pct; do lacks "$(nsq-advise "$CASES/$name.sqlite" 2>&1)" "nothing to fix"; done
	holds "$(nsq-advise -m zzz "$CASES/healthy.sqlite" 2>&1 >/dev/null)" "nothing to look at: no range has such a name"
	holds "$(nsq-advise --kernel zzz "$CASES/healthy.sqlite" 2>&1 >/dev/null)" "nothing to look at: no kernel has such a name"
}

@test "too little to judge: a run without steps of few kernels, or of kernels that hardly repeat" {
	local name words bound
	while IFS=$TAB read -r name words bound; do
		asked nsq-advise "$CASES/$name.sqlite"
		same "$name info${TAB}too little to judge: $words" "$name $(where kind little <<<"$output" | col severity finding)"
		holds "$stderr" "nsq-advise: too little to judge: $words"
		same "$name $bound" "$name $(nsq-advise -q --verdict "$CASES/$name.sqlite" | col bound)"
	done < <(table 'few_kernels 5~kernels~of~1~kind -' 'kernels_once 30~kernels,~each~once -' 'few_copies 5~kernels~of~1~kind copy' | tr '~' ' ')
	lacks "$(nsq-advise "$CASES/kernels_again.sqlite" 2>&1)" "too little"
	# few, but they keep the GPU busy
	t=$(change "$CASES/few_kernels.sqlite" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 4000000")
	same gpu "$(nsq-advise -q --verdict "$t" | col bound)"
	# a graph that was traced whole is many kernels
	alone="DELETE FROM NVTX_EVENTS; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME"
	t=$(change "$FIXTURES/decode-graph-whole.sqlite" "$alone" "DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE WHERE rowid > 1" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL")
	asked nsq-advise "$t"
	holds "$stderr" "no steps found"
	lacks "$output$stderr" "too little"
	t=$(change "$FIXTURES/decode-graph-whole.sqlite" "$alone" "DELETE FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 1")
	holds "$(nsq-advise "$t" 2>&1)" "too little to judge: 1 kernel"
	# of several processes it is said which
	holds "$(nsq-advise "$CASES"/{few_kernels,healthy,kernels_once}.sqlite 2>&1 >/dev/null)" \
		"too little to judge: 5 kernels of 1 kind (process 77 of '$CASES/few_kernels.sqlite', and 1 more)"
}

@test "steps that wait for a camera: no advice to the CPU, and nothing above low" {
	same "info${TAB}the program waits for something other than the GPU: 25 steps a second, as of a camera or a screen; in each, the launching thread waits off the CPU and the GPU is idle" \
		"$(nsq-advise -q "$CASES/camera.sqlite" | where kind paced | col severity finding)"
	same - "$(nsq-advise -q --verdict "$CASES/camera.sqlite" | col bound)"
	# a fifth of each step
	same "copy low - paced info -" "$(nsq-advise -q "$CASES/camera_copies.sqlite" | col kind severity where | xargs)"
	# over two thirds of it
	same "copy high" "$(nsq-advise -q "$CASES/camera_and_busy.sqlite" | col kind severity | head -1 | xargs)"
	# not of fewer than ten steps, or of twice that length; and without switches nobody knows
	for t in "$(change "$CASES/camera.sqlite" "DELETE FROM NVTX_EVENTS WHERE text IN ('step 0', 'step 1', 'step 2')")" "$(change "$CASES/camera.sqlite" "DROP TABLE SCHED_EVENTS")"; do
		lacks "$(nsq-advise -q "$t" | where kind paced)" "a second"
	done
	lacks "$(nsq-advise -q -m 'step 1?[02468]$' "$CASES/camera.sqlite" | where kind paced)" "a second"
	same "" "$(nsq-advise -q "$t" | where kind paced | rows)"
	# other threads may work meanwhile
	same "paced info" "$(nsq-advise -q "$CASES/camera_of_threads.sqlite" | col kind severity | xargs)"
}

# bats test_tags=long
@test "time off the CPU is no work of the CPU: what the program waits for is not in the trace" {
	local name share bound
	while IFS=$TAB read -r name share bound; do
		asked nsq-advise "$CASES/$name.sqlite"
		same "$name info${TAB}the program waits for something other than the GPU: for ${share%%,*} % of a step, while the GPU is idle, the process is off the CPU, and in no CUDA call$(
			[ "$share" = "${share#*,}" ] || echo ", mostly in '${share#*,}'")" "$name $(where kind paced <<<"$output" | col severity finding)"
		same "$name $bound" "$name $(nsq-advise -q --verdict "$CASES/$name.sqlite" | col bound)"
		[ "$bound" != - ] || lacks "$stderr" "the CPU needs" "nothing to fix"
	done < <(table 'loop_of_20_hz 95 -' 'server 90 -' 'server_without_ranges 88 -' 'sleeps_often 90 -' 'stage 48,receive -' 'half_asleep 20,log cpu')
	# its own code counts as before, and what the CPU needs is without the waits
	same "$(sqlite3 "$CASES/half_asleep.sqlite" "WITH s AS (SELECT start, text, lead(start) OVER (ORDER BY start) - start AS ns FROM NVTX_EVENTS WHERE text LIKE 'step%')
		SELECT CAST(round(avg(ns - 4000000) / 1e5) AS INTEGER) FROM s WHERE ns > 0")" \
		"$(nsq-advise -q --verdict "$CASES/half_asleep.sqlite" | col cpu_ns | awk '{ printf "%.0f\n", $1 / 1e5 }')"
	# nor is it known what a thread waits for in a call
	t=$(change "$CASES/half_asleep.sqlite" "INSERT INTO StringIds VALUES (9999, 'cudaFuncGetAttributes')" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - 10, start + 4000010, globalTid, 900000 + rowid, 9999 FROM SCHED_EVENTS WHERE isSchedIn = 0")
	[ $(($(nsq-advise -q --verdict "$t" | col cpu_ns) - $(nsq-advise -q --verdict "$CASES/half_asleep.sqlite" | col cpu_ns))) -ge 4000000 ]
	# without switches nobody knows
	t=$(change "$CASES/server_without_ranges.sqlite" "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY" "DROP TABLE SCHED_EVENTS")
	same "$(table 'high host GPU~waits~for~the~CPU:~the~GPU~is~idle~between~two~CUDA~calls,~while~the~CPU~runs~code~or~waits;~assumes~the~CPU~keeps~ahead~of~the~GPU' | tr '~' ' ')" \
		"$(nsq-advise -q "$t" | where kind host | col severity kind finding)"
	# a thread that launches and has no switches is always on its CPU
	t=$(change "$CASES/loop_of_20_hz.sqlite" "UPDATE SCHED_EVENTS SET globalTid = globalTid + 5")
	same "high host" "$(nsq-advise -q "$t" | col severity kind | head -1 | tr '\t' ' ')"
}

@test "-w, -p, -g, -m and --min-pct" {
	same "$(nsq-advise -q -f tsv "$FAULTS/item.sqlite" | without evidence)" "$(nsq-advise -q -f tsv -m '^step' "$FAULTS/item.sqlite" | without evidence)"
	[ "$(nsq-advise -q --verdict -w 100ms..200ms "$FAULTS/item.sqlite" | col steps)" -lt 10 ]
	fails 2 "no process 5" -- nsq-advise -q -p 5 "$FAULTS/item.sqlite"
	same "" "$(said --min-pct 50 "$FAULTS/item.sqlite")"
	fails 2 "'--step-time' takes a time such as 16.7ms, or manifest, not 'soon'" -- nsq-advise --step-time soon "$FAULTS/item.sqlite"
}
