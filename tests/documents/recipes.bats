# Recipes: each is an executable file that prints what the file beside it says, and explains itself.
#
# After a change that is meant, write the outputs anew with tests/recipes-accept, and read the diff.

load ../helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "$NSQ_BIN" && pwd)
	export PATH=$NSQ_BIN:$PATH
	mapfile -t recipes < <(ls -d recipes/* | grep -v '\.out$')
	no_cuda=$BATS_TEST_TMPDIR/no-cuda.sqlite
}

make_no_cuda() {
	sqlite3 "$no_cuda" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
}

# The traces that a recipe's expected output is for.
fixtures() { sed -n 's/^# fixture: //p' "$1" | tr ' ' '\n' | sed 's|^|tests/fixtures/|'; }

@test "there are sixteen recipes or more, each with its output beside it and nothing else" {
	[ "${#recipes[@]}" -ge 16 ]
	for r in "${recipes[@]}"; do
		[ -x "$r" ] || { echo "$r is not executable"; false; }
		[ -s "$r.out" ] || { echo "$r.out is missing"; false; }
	done
	for o in recipes/*.out; do [ -x "${o%.out}" ] || { echo "$o has no recipe"; false; }; done
}

@test "each recipe prints what is written beside it" {
	bad=0
	for r in "${recipes[@]}"; do
		mapfile -t traces < <(fixtures "$r")
		timeout 60 "$r" "${traces[@]}" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" ||
			{ echo "$r failed:"; cat "$BATS_TEST_TMPDIR/err"; bad=1; }
		diff -u "$r.out" "$BATS_TEST_TMPDIR/got" || { echo "$r prints something else"; bad=1; }
	done
	[ $bad = 0 ]
}

@test "each recipe prints the same from another directory, through nsq recipe" {
	root=$PWD
	cd "$BATS_TEST_TMPDIR"
	ln -sfn "$root/tests" tests
	for r in "${recipes[@]}"; do
		mapfile -t traces < <(fixtures "$root/$r")
		PATH=/usr/bin:/bin "$NSQ_BIN/nsq" recipe "${r##*/}" "${traces[@]}" 2>/dev/null | cmp - "$root/$r.out"
	done
}

@test "each recipe asks a question, names a fixture, says how to read the answer and what to ask next" {
	for r in "${recipes[@]}"; do
		[ "$(sed -n 1p "$r")" = "#!/usr/bin/env bash" ]
		[[ "$(sed -n 2p "$r")" == "# "*"?" ]] || { echo "$r: the second line is not a question"; false; }
		for part in fixture read next; do
			grep -q "^# $part: " "$r" || { echo "$r has no '$part:'"; false; }
		done
		for f in $(fixtures "$r"); do [ -e "$f" ] || { echo "$r: no fixture $f"; false; }; done
	done
}

@test "what a recipe says to ask next exists" {
	for r in "${recipes[@]}"; do
		for word in $(sed -n '/^# next:/,/^[^#]/p' "$r" | grep -v '^[^#]' | grep -o 'nsq-[a-z]*'); do
			[ -x "$NSQ_BIN/$word" ] || { echo "$r: there is no $word"; false; }
		done
		first=$(sed -n 's/^# next:  *\([a-z-]*\).*/\1/p' "$r")
		[ -x "recipes/$first" ] || [[ "$first" =~ ^(nsq-.*|nsys|the)$ ]] || { echo "$r: there is no recipe $first"; false; }
	done
}

@test "the answer of each recipe fits in 40 lines, and every table cites its windows" {
	for r in "${recipes[@]}"; do
		[ "$(wc -l < "$r.out")" -le 40 ] || { echo "$r: too long"; false; }
		header=$(sed -n 1p "$r.out")
		[[ "$header" == $'pid\trank\tstart_ns\tend_ns\tgpu\t'*$'\twindow\ttrace' ]] || [[ "$r" == recipes/missing ]] ||
			{ echo "$r: $header"; false; }
	done
}

@test "the answer of a recipe can be piped into a tool" {
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/missing ]] || continue
		nsq-kernels -q -n 1 < "$r.out" | awk 'END { exit NR < 2 }' || { echo "$r cannot be piped on"; false; }
	done
}

@test "every recipe runs on every fixture, and says why when it has no answer" {
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/compare ]] || continue
		for f in tests/fixtures/*.sqlite; do
			timeout 60 "$r" "$f" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
			[ $rc = 0 ] || { echo "$r $f: exit $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -le 40 ] || { echo "$r $f: more than 40 lines"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -gt 1 ] || [ -s "$BATS_TEST_TMPDIR/err" ] ||
				{ echo "$r $f: no rows, and not a word"; false; }
		done
	done
}

@test "a trace without CUDA events is said to hold none, with the flag that captures them" {
	make_no_cuda
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/missing ]] || continue
		second=; [[ "$r" != recipes/compare ]] || second=$no_cuda
		"$r" "$no_cuda" $second > /dev/null 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
		[ $rc = 3 ] || { echo "$r: exit $rc"; false; }
		grep -q 'nsys profile --trace=cuda,nvtx' "$BATS_TEST_TMPDIR/err" || { echo "$r"; cat "$BATS_TEST_TMPDIR/err"; false; }
	done
}

@test "after an error a recipe claims nothing: no table, no word of its own, and the exit code of the error" {
	make_no_cuda
	for r in "${recipes[@]}"; do
		for case in "2 --no-such" "1 $BATS_TEST_TMPDIR/none.sqlite" "3 $no_cuda"; do
			traces=("${case#* }")
			[[ "${case%% *} $r" != "3 recipes/missing" ]] || continue
			[[ "$r" != recipes/compare ]] || traces=(tests/fixtures/torch-compile.sqlite "${case#* }")
			run --separate-stderr timeout 60 "$r" "${traces[@]}"
			[ "$status" -eq "${case%% *}" ] || { echo "$r ${traces[*]}: exit $status, not ${case%% *}"; false; }
			[ -z "$output" ] || { echo "$r ${traces[*]}: $output"; false; }
			[[ "${stderr_lines[0]}" == *"'${case#* }'"* ]] && ! grep -qv '^nsq-' <<< "$stderr" || { echo "$r ${traces[*]}: $stderr"; false; }
		done
	done
}

@test "a recipe whose options take away what it reads says so, and claims nothing" {
	while read -r r options; do
		run --separate-stderr "recipes/$r" $options tests/fixtures/torch-compile.sqlite
		[ "$status" -eq 2 ] && [ -z "$output" ] && [[ "$stderr" == *"$r: "*"; drop "* ]] ||
			{ echo "$r $options: exit $status, $output, $stderr"; false; }
	done <<-END
		unannotated --by name
		unannotated -f csv
		pageable-copies --by pid
		pageable-copies -f jsonl
		graph-replays -f csv
		step-variance -f csv
		gpu-starved -f csv
		idle-calls -f csv
		missing -f jsonl
	END
}

# pid start_ns end_ns WHAT of a table that a recipe printed, by pid.
cells() {
	awk -F'\t' -v OFS='\t' -v what="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { print $1, $3, $4, $c[what] }' | sort -n
}

@test "straggler names the rank that comes last to the collectives, and how long the others wait, by SQL" {
	t=$BATS_TEST_TMPDIR/late.sqlite
	cp tests/fixtures/dualpipe-pp2ep2.sqlite "$t"
	chmod u+w "$t"
	# Collectives as on GPUs of their own: all ranks end one at the same time.  Rank 1 comes a little late to those of
	# the steps, rank 2 far too late to those between the steps.
	sqlite3 "$t" "CREATE TABLE late AS SELECT k.rowid AS id, n.rank, row_number() OVER (PARTITION BY k.globalPid ORDER BY r.start) AS i,
			EXISTS (SELECT 1 FROM NVTX_EVENTS c WHERE c.globalTid = r.globalTid AND c.text LIKE 'forward chunk % backward chunk%' AND
				c.start <= r.start AND r.start < c.end) AS in_step
		FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
			ON r.correlationId = k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24
		JOIN (SELECT globalTid >> 24 AS proc, substr(text, 6, 1) + 0 AS rank FROM NVTX_EVENTS WHERE text LIKE 'rank=%') n
			ON n.proc = k.globalPid >> 24
		WHERE k.shortName = (SELECT id FROM StringIds WHERE value = 'ncclDevKernel_SendRecv');
		DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid NOT IN (SELECT id FROM late);
		DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 104000000 + i * 5000000, start = 100000000 + i * 5000000 + (rank * 7919 + i * 104729) % 50000 +
			CASE WHEN rank = 1 AND in_step THEN 100000 WHEN rank = 2 AND NOT in_step THEN 3000000 ELSE 0 END
			FROM late WHERE id = CUPTI_ACTIVITY_KIND_KERNEL.rowid"
	# what a rank waits for the last one, in the collectives from its first step to its last; the window; the idle time in it
	sqlite3 -separator $'\t' "$t" "WITH k AS (SELECT globalPid >> 24 & 0xffffff AS pid, start, end, late.*,
				max(start) OVER (PARTITION BY i) AS last_start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN late ON id = CUPTI_ACTIVITY_KIND_KERNEL.rowid),
			w AS (SELECT pid, rank, sum(last_start - start) AS wait, min(start) AS a, max(end) AS b, max(end) - min(start) - sum(end - start) AS idle
			FROM k WHERE i BETWEEN (SELECT min(i) FROM late WHERE in_step) AND (SELECT max(i) FROM late WHERE in_step) GROUP BY pid)
		SELECT pid, rank, a, b, wait - (SELECT min(wait) FROM w), idle FROM w ORDER BY wait" > "$BATS_TEST_TMPDIR/want"
	[ "$(head -1 "$BATS_TEST_TMPDIR/want" | cut -f2)" = 2 ]
	recipes/straggler "$t" | col pid rank start_ns end_ns wait_ns idle_ns | diff "$BATS_TEST_TMPDIR/want" -
}

@test "straggler and pp-balance count the idle time between the steps, by SQL" {
	t=tests/fixtures/dualpipe-pp2ep2.sqlite
	for r in straggler pp-balance; do
		recipes/$r "$t" > "$BATS_TEST_TMPDIR/table"
		cells idle_ns < "$BATS_TEST_TMPDIR/table" | while IFS=$'\t' read -r pid a b idle; do
			# what no work that began earlier covers, from the first start to the last end of the window
			want=$(sqlite3 "$t" "WITH work AS (SELECT start, end, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL
					UNION ALL SELECT start, end, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET),
				reached AS (SELECT start, max(end) OVER (ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
					FROM work WHERE globalPid >> 24 & 0xffffff = $pid AND start < $b AND end > $a)
				SELECT sum(start - max(until, $a)) FROM reached WHERE start > until")
			[ "$idle" = "$want" ] || { echo "$r $pid: $idle, by SQL $want"; exit 1; }
		done
		# and a row holds for the window that it cites
		cells idle_ns < "$BATS_TEST_TMPDIR/table" | diff - <(nsq-gaps -q < "$BATS_TEST_TMPDIR/table" | cells idle_ns)
	done
}

@test "comm-kinds counts the communication between the steps, by SQL" {
	t=tests/fixtures/dualpipe-pp2ep2.sqlite
	recipes/comm-kinds "$t" | cells comm_ns > "$BATS_TEST_TMPDIR/got"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" = 4 ]
	while IFS=$'\t' read -r pid a b ns; do
		[ "$ns" = "$(sqlite3 "$t" "SELECT sum(min(end, $b) - max(start, $a)) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName
			WHERE value LIKE 'nccl%' AND globalPid >> 24 & 0xffffff = $pid AND start < $b AND end > $a")" ]
	done < "$BATS_TEST_TMPDIR/got"
}

# The trace of tests/agent, in which rank 2 stands still once and rank 3 copies to pageable memory.
trial() {
	cp tests/fixtures/dualpipe-pp2ep2-nsys2023.sqlite "$BATS_TEST_TMPDIR/trial.sqlite"
	chmod u+w "$BATS_TEST_TMPDIR/trial.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/trial.sqlite" < tests/agent/trace.sql
	echo "$BATS_TEST_TMPDIR/trial.sqlite"
}

@test "gpu-starved also looks at the longest step, where that is much longer than the middle one" {
	t=$(trial)
	[ "$(recipes/gpu-starved -q "$t" 2>/dev/null | col rank window | sed 's/@.*//' | uniq | xargs)" = \
		"0 microbatch 4#4 1 microbatch 4#4 2 microbatch 4#4 2 microbatch 5#5 3 microbatch 4#4" ]
	read -r host total < <(recipes/gpu-starved "$t" 2>/dev/null | where rank 2 | where cause host | col idle_ns start_ns end_ns window |
		awk -F'\t' '$4 ~ /5#5@/ { print $1, $3 - $2 }')
	[ "$host" -gt $((total / 2)) ]
	# the step that one asks for is the one that is shown
	[ "$(recipes/gpu-starved "$t" --pick 1 2>/dev/null | col window | sed 's/@.*//' | sort -u)" = "microbatch 1#1" ]
}

@test "idle-calls: the time in no call, and shares of the idle time, by SQL" {
	two_gpus=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE start % 2")
	for t in "$COMPILE" "$NODES" "$COPIES" "$two_gpus"; do
		nsq-gaps -q --each --min 50us -f csv "$t" > "$BATS_TEST_TMPDIR/gaps.csv"
		# the calls of all threads put together, and the gaps of all GPUs; how much of the gaps the calls cover
		want=$(sqlite3 -separator ' ' "file:$t?immutable=1" "CREATE TEMP TABLE gaps (pid, rank, a, b, gpu, ns, cause, api, nvtx, prev, next, w, t);" \
			".import --csv --skip 1 --schema temp $BATS_TEST_TMPDIR/gaps.csv gaps" \
			"WITH c AS (SELECT start AS a, end AS b, coalesce(max(end) OVER (ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)
				AS until FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start >= 0),
			g AS (SELECT max(a + 0, coalesce(max(b + 0) OVER (ORDER BY a + 0, b + 0 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)) AS a,
				b + 0 AS b FROM gaps),
			covered AS (SELECT sum(min(c.b, g.b) - max(c.a, c.until, g.a)) AS ns FROM g JOIN c ON min(c.b, g.b) > max(c.a, c.until, g.a)),
			idle AS (SELECT sum(b - a) AS ns FROM g WHERE b > a)
			SELECT idle.ns - covered.ns, printf('%.2f', 100.0 * (idle.ns - covered.ns) / idle.ns) FROM idle, covered")
		recipes/idle-calls "$t" > "$BATS_TEST_TMPDIR/table" 2> "$BATS_TEST_TMPDIR/err"
		[ "$(where name '(no call)' < "$BATS_TEST_TMPDIR/table" | col total_ns pct | tr '\t' ' ')" = "$want" ] || { echo "$t: by SQL $want"; cat "$BATS_TEST_TMPDIR/table"; false; }
		# the others keep what nsq-api says of them, and stand in order
		diff <(grep -v '(no call)' "$BATS_TEST_TMPDIR/table" | without pct gpu) \
			<(nsq-gaps -q --each --min 50us "$t" | without gpu | nsq-api -q --merge -n 8 | without pct gpu)
		gpu=0
		[ "$t" != "$two_gpus" ] || gpu=-
		[ "$(col gpu < "$BATS_TEST_TMPDIR/table" | sort -u)" = $gpu ]
		col total_ns < "$BATS_TEST_TMPDIR/table" | sort -nrc
	done
}

@test "sync-in-loop also shows the calls that copy from or to pageable memory" {
	t=$(trial)
	want=$(sqlite3 -separator $'\t' "$t" "SELECT globalTid >> 24 & 0xffffff, count(*), sum(r.end - r.start), 'memory', 'cudaMemcpyAsync'
		FROM CUPTI_ACTIVITY_KIND_RUNTIME r JOIN CUPTI_ACTIVITY_KIND_MEMCPY c ON c.correlationId = r.correlationId AND
		c.globalPid >> 24 = r.globalTid >> 24 WHERE srcKind = 0 OR dstKind = 0 GROUP BY 1")
	[ "$(recipes/sync-in-loop -q "$t" 2>/dev/null | col pid count total_ns class name)" = "$want" ]
	# pinned copies are not among them
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1"
	[ "$(recipes/sync-in-loop -q "$t" 2>/dev/null | wc -l)" = 1 ]
}

@test "step-variance has no word about the last step, which it leaves out itself" {
	run -0 --separate-stderr recipes/step-variance tests/fixtures/torch-compile.sqlite
	[ -z "$stderr" ]
	[ "$(col steps <<< "$output")" = 9 ]
}

@test "options after the trace go to the recipe's first tool" {
	run -0 recipes/decode-step -q tests/fixtures/decode-graph-nodes.sqlite -m 'request 2' --pick 0
	[[ "$output" == *"request 2#0"* ]]
}

@test "compare wants two traces" {
	run -2 recipes/compare tests/fixtures/torch-compile.sqlite
	[[ "$output" == *"name two traces"* ]]
}
