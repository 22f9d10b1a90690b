# Recipes: each is an executable file that prints what the file beside it says, and explains itself.
#
# After a change that is meant, write the outputs anew with nsq recipe --accept recipes/*, and read the diff.

load ../helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "$NSQ_BIN" && pwd)
	export PATH=$NSQ_BIN:$PATH
	mapfile -t recipes < <(ls -d recipes/* | grep -v '\.out$\|\.sh$')
	no_cuda=$BATS_TEST_TMPDIR/no-cuda.sqlite
}

make_no_cuda() {
	sqlite3 "$no_cuda" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
}

# The traces that a recipe's expected output is for.
fixtures() { sed -n 's/^# fixture: //p' "$1" | tr ' ' '\n' | sed 's|^|tests/fixtures/|'; }

# The same behind the options that it was run with.
arguments() { sed -n 's/^# options: //p' "$1" | tr ' ' '\n'; fixtures "$1"; }

@test "there are sixteen recipes or more, each with its output beside it and nothing else" {
	[ "${#recipes[@]}" -ge 16 ]
	for o in recipes/*.out; do [ -x "${o%.out}" ] || { echo "$o has no recipe"; false; }; done
}

# What a recipe must be is in recipes/manage.sh.  Every sixteenth one here; the next test looks at all.
# bats test_tags=long
@test "recipes pass their own checks" {
	mapfile -t some < <(printf '%s\n' "${recipes[@]}" | each_nth 16)
	run -0 --separate-stderr nsq recipe --check "${some[@]}"
	[ -z "$stderr" ]
	[ "${#lines[@]}" = "${#some[@]}" ]
}

# bats test_tags=slow
@test "all recipes pass their own checks" {
	run -0 --separate-stderr nsq recipe --check recipes/*
	[ -z "$stderr" ]
	[ "${#lines[@]}" = "${#recipes[@]}" ]
}

# bats test_tags=slow
@test "each recipe prints the same from another directory, through nsq recipe" {
	root=$PWD
	cd "$BATS_TEST_TMPDIR"
	ln -sfn "$root/tests" tests
	for r in "${recipes[@]}"; do
		mapfile -t traces < <(arguments "$root/$r")
		PATH=/usr/bin:/bin "$NSQ_BIN/nsq" recipe "${r##*/}" "${traces[@]}" 2>/dev/null | cmp - "$root/$r.out"
	done
}

# bats test_tags=more
@test "the answer of a recipe can be piped into a tool" {
	for r in $(some_recipes); do
		[[ "$r" != recipes/missing ]] || continue
		nsq-kernels -q -n 1 < "$r.out" | awk 'END { exit NR < 2 }' || { echo "$r cannot be piped on"; false; }
	done
}

# some_recipes: every seventh; where MORE=1, all.  What is asked of them, they share.
some_recipes() { printf '%s\n' "${recipes[@]}" | awk -v every="$(if more; then echo 1; else echo 7; fi)" 'NR % every == 0'; }

# runs_on TRACE...: each of some_recipes has an answer there, or says why not.
runs_on() {
	for r in $(some_recipes); do
		for f; do
			timeout 600 "$r" "$f" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
			[ $rc = 0 ] || { [ $rc = 3 ] && grep -q 'nsys profile' "$BATS_TEST_TMPDIR/err"; } ||
				{ echo "$r $f: exit $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -le 40 ] || [ "$r" = recipes/ci-gate ] || { echo "$r $f: more than 40 lines"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -gt 1 ] || [ -s "$BATS_TEST_TMPDIR/err" ] ||
				{ echo "$r $f: no rows, and not a word"; false; }
		done
	done
}

# bats test_tags=slow
@test "every recipe runs on every fixture, and says why when it has no answer" {
	runs_on tests/fixtures/*.sqlite
}

# bats test_tags=more,long
@test "a recipe runs on a trace of torch.profiler, and says why when it has no answer" {
	cp tests/fixtures/kineto/train.json.gz "$BATS_TEST_TMPDIR"
	runs_on "$BATS_TEST_TMPDIR/train.json.gz"
	same "train.json.gz train.sqlite" "$(cd "$BATS_TEST_TMPDIR" && echo train*)"
}

# bats test_tags=more
@test "a trace without CUDA events is said to hold none, with the flag that captures them" {
	make_no_cuda
	for r in $(some_recipes); do
		[[ "$r" != recipes/missing ]] || continue
		"$r" "$no_cuda" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
		[ $rc = 3 ] && [ ! -s "$BATS_TEST_TMPDIR/got" ] || { echo "$r: exit $rc"; false; }
		grep -q 'nsys profile --trace=cuda,nvtx' "$BATS_TEST_TMPDIR/err" || { echo "$r"; cat "$BATS_TEST_TMPDIR/err"; false; }
	done
}

# pid start_ns end_ns WHAT of a table that a recipe printed, by pid.
cells() {
	awk -F'\t' -v OFS='\t' -v what="$1" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { print $1, $3, $4, $c[what] }' | sort -n
}

@test "pp-balance counts the idle time between the steps, by SQL" {
	t=tests/fixtures/dualpipe-pp2ep2.sqlite
	cells idle_ns < recipes/pp-balance.out | while IFS=$'\t' read -r pid a b idle; do
		# what no work that began earlier covers, from the first start to the last end of the window
		want=$(sqlite3 "$t" "WITH work AS (SELECT start, end, globalPid FROM CUPTI_ACTIVITY_KIND_KERNEL
				UNION ALL SELECT start, end, globalPid FROM CUPTI_ACTIVITY_KIND_MEMSET),
			reached AS (SELECT start, max(end) OVER (ORDER BY start, end ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until
				FROM work WHERE globalPid >> 24 & 0xffffff = $pid AND start <= $b AND end > $a)
			SELECT sum(start - max(until, $a)) FROM reached WHERE start > until")
		[ "$idle" = "$want" ] || { echo "$pid: $idle, by SQL $want"; exit 1; }
	done
}

@test "comm-kinds counts the communication between the steps, by SQL" {
	t=tests/fixtures/dualpipe-pp2ep2.sqlite
	recipes/comm-kinds "$t" 2>/dev/null | cells total_ns | awk -F'\t' -v OFS='\t' '{ sum[$1 OFS $2 OFS $3] += $4 }
		END { for (k in sum) print k, sum[k] }' > "$BATS_TEST_TMPDIR/got"
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

# ---- faults: each is planted in a copy of a trace, and the recipe about it names it

# The kernels launched while a range of such a name is open on the launching thread.
launched_in() {
	echo "(WITH n AS MATERIALIZED (SELECT globalTid, start, end FROM NVTX_EVENTS
			WHERE coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) LIKE '$1')
		SELECT k.rowid FROM n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.globalTid = n.globalTid AND n.start <= r.start AND r.start < n.end
		JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = r.correlationId AND k.globalPid >> 24 = r.globalTid >> 24)"
}

# top RECIPE TRACE COLUMN...: those columns of the first row.
top() { "recipes/$1" -q "$2" 2>/dev/null | col "${@:3}" | sed -n 1p | tr '\t' ' '; }

@test "who: work whose launch is not in the trace" {
	t=$(change "$COMPILE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId % 2")
	[ "$(top who "$COMPILE" launched_pct)" = 100.00 ]
	[[ "$(top who "$t" launched_pct)" =~ ^[0-9]?[0-9]\.[0-9][0-9]$ ]]
}

@test "missing: a capture without NVTX, and one whose calls were lost" {
	t=$(change "$COMPILE" "DROP TABLE NVTX_EVENTS")
	recipes/missing "$t" | grep -q $'^missing\.nvtx\t.*--trace='
	t=$(change "$DUALPIPE" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE globalTid >> 24 & 0xffffff = 694")
	recipes/missing "$t" 2>/dev/null | grep -q $'^suspicious\.lost\t.*694'
	[[ $(recipes/missing "$DUALPIPE" 2>/dev/null) != *suspicious.lost* ]]
	for f in table csv jsonl md; do recipes/missing -f $f "$t" 2>/dev/null | grep -c 'suspicious\.lost\|missing\.osrt\|table\.' | grep -qx 2; done
}

@test "streams: a stream that serves two purposes" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = 36 WHERE rowid IN
		(SELECT rowid FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE streamId = 32 AND globalPid >> 24 & 0xffffff = 694 AND start > 200000000 ORDER BY start LIMIT 1)")
	[ "$(recipes/streams "$t" 2>/dev/null | where purpose mixed | col rank stream)" = "1${TAB}36" ]
}

@test "top-kernels and categories: a kernel that became slow" {
	slow="UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 200000 WHERE shortName = (SELECT id FROM StringIds WHERE value = 'reduce_kernel')"
	t=$(change "$COMPILE" "$slow")
	[ "$(top top-kernels "$t" name count category)" = "reduce_kernel 7 reduce" ]
	[ "$(top categories "$t" category)" = reduce ]
	[ "$(top categories "$COMPILE" category)" = optimizer ]
}

RANKS=(tests/fixtures/collectives-rank{0,1,2,3}.sqlite)

@test "comm-kinds: a collective that became slow" {
	t=$(change "${RANKS[2]}" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 9000000 WHERE rowid IN $(launched_in ncclReduceScatter)")
	for f in "${RANKS[2]} allreduce" "$t reducescatter"; do
		[ "$(recipes/comm-kinds -q "${RANKS[0]}" "${RANKS[1]}" "${f% *}" "${RANKS[3]}" | where rank 2 | col op | head -1)" = "${f#* }" ]
	done
}

@test "straggler: the rank that does more than the others, and those that wait for it" {
	same "3 gpu" "$(recipes/straggler -q "${RANKS[@]}" | col rank cause | head -1 | tr '\t' ' ')"
	python3 tests/nccl/late.py "$BATS_TEST_TMPDIR" cpu even chain
	same "1 host tokenize" "$(recipes/straggler -q "$BATS_TEST_TMPDIR/cpu.sqlite" | col rank cause where | head -1 | tr '\t' ' ')"
	same "1 host tokenize" "$(recipes/straggler -q -m '^step' "$BATS_TEST_TMPDIR/cpu.sqlite" | col rank cause where | head -1 | tr '\t' ' ')"
	same "unexplained" "$(recipes/straggler -q "$BATS_TEST_TMPDIR/even.sqlite" | col cause | sort -u)"
	# rank 1 is late because it waits for rank 0, at every place
	recipes/late-stage -q "$BATS_TEST_TMPDIR/chain.sqlite" > "$BATS_TEST_TMPDIR/rows"
	same "0 gpu" "$(col rank cause < "$BATS_TEST_TMPDIR/rows" | head -1 | tr '\t' ' ')"
	same "rank 0" "$(where rank 1 < "$BATS_TEST_TMPDIR/rows" | col cause | sort -u)"
	recipe_says straggler "${RANKS[0]}" 2>&1 | grep -q "one process only"
}

@test "slow-collective: one communicator that moves data slowly, although its ranks come together" {
	slow=()
	for r in 1 3; do
		slow[r]=$BATS_TEST_TMPDIR/slow-$r.sqlite
		cp "$(change "${RANKS[r]}" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 6000000 WHERE rowid IN $(launched_in ncclReduceScatter)")" "${slow[r]}"
	done
	recipes/slow-collective -q -n 1000 "${RANKS[@]}" > "$BATS_TEST_TMPDIR/answer"
	[ "$(col op < "$BATS_TEST_TMPDIR/answer" | head -1)" = allgather ]
	# an operation has the rate that nsq-nccl, and so comm-kinds, says
	nsq-window -q --pick all --steady --period "${RANKS[@]}" | nsq-nccl -q --merge | col pid comm op bytes bus_gbps | grep -v -e '-$' | sort |
		diff - <(col pid comm op bytes bus_gbps < "$BATS_TEST_TMPDIR/answer" | sort)
	recipes/slow-collective -q "${RANKS[0]}" "${slow[1]}" "${RANKS[2]}" "${slow[3]}" > "$BATS_TEST_TMPDIR/answer"
	[ "$(col comm op < "$BATS_TEST_TMPDIR/answer" | head -2 | sort -u | tr '\t' ' ')" = "acd8625783aa4c6f reducescatter" ]
	# 9 of them, each 6 ms longer
	lost=$(col lost_ns < "$BATS_TEST_TMPDIR/answer" | head -1)
	[[ "$lost" =~ ^5[0-9]{7}$ ]]
	recipe_says slow-collective "${RANKS[0]}" 2>&1 | grep -q "one process only"
}

# bats test_tags=long
@test "late-stage: a rank that comes 2 ms late to the exchange" {
	t=$(change "${RANKS[1]}" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 2000000, end = end + 2500000 WHERE rowid IN $(launched_in ncclAlltoAll)")
	u=$BATS_TEST_TMPDIR/longer.sqlite
	cp "$t" "$BATS_TEST_TMPDIR/late.sqlite"
	# the other waits for it, and leaves with it
	cp "$(change "${RANKS[0]}" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 2500000 WHERE rowid IN $(launched_in ncclAlltoAll)")" "$u"
	[ "$(recipes/late-stage -q -n 99 "$u" "$BATS_TEST_TMPDIR/late.sqlite" "${RANKS[2]}" "${RANKS[3]}" | where rank 1 | col stage | head -1)" = "serial:exchange" ]
	[ "$(recipes/late-stage -q "${RANKS[@]}" | col rank stage | head -1)" = "3	serial:gather" ]
	# all waiting is somebody's
	[ "$(recipes/late-stage -q -n 99 "${RANKS[@]}" | sum caused_ns)" = "$(nsq-window -q --pick all --steady --period "${RANKS[@]}" | nsq-nccl -q --merge --last | sum caused_ns)" ]
}

@test "worst-stage, ep-overlap and beside-worst: a dispatch of rank 3 that takes too long" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 25000000
		WHERE globalPid >> 24 & 0xffffff = 696 AND streamId = 32 AND rowid IN $(launched_in '%stage2_b')")
	[ "$(recipes/worst-stage "$t" 2>/dev/null | where rank 3 | col stage | sed -n 1p)" = stage2_b ]
	[ "$(recipes/ep-overlap "$t" 2>/dev/null | where rank 3 | col stage | sed -n 1p)" = dispatch_b ]
	[ "$(recipes/worst-stage "$DUALPIPE" 2>/dev/null | where rank 3 | col stage | sed -n 1p)" = stage4_f ]
	[ "$(recipes/beside-worst "$t" 2>/dev/null | where class comm | col rank | sort -u)" = 3 ]
	# the windows are the communication; what ran beside it is in the rows
	recipes/beside-worst "$t" 2>/dev/null | where class compute | grep -q nvjet
}

# bats test_tags=long
@test "comm-blocks: communication that nothing waits for any more, and waits of which the trace does not say" {
	same "371736164 269532902 72.51 0" "$(top comm-blocks "$DDP" exposed_ns blocked_ns blocked_pct unresolved_ns)"
	# no stream is told to wait
	t=$(change "$DDP" "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN (
		SELECT id FROM StringIds WHERE value LIKE 'cudaStreamWaitEvent%')")
	same "371736164 0 0.00 0" "$(top comm-blocks "$t" exposed_ns blocked_ns blocked_pct unresolved_ns)"
	# it is, but the records are missing
	t=$(change "$DDP" "DELETE FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT")
	same "371736164 0 0.00 1" "$(top comm-blocks "$t" exposed_ns blocked_ns blocked_pct unresolved_ns | awk '{ $4 = $4 > 200000000; print }')"
}

# bats test_tags=slow
@test "comm-blocks: processes, stages and GPUs without communication of their own" {
	# a process that has none is there too, with what nsq-stalls says of it
	read -r starved unresolved < <(nsq-window -q --pick all --steady --period "$DDP" | nsq-stalls -q --merge | where pid 1085 | col starved_ns unresolved_ns)
	[ "$unresolved" -gt 0 ]
	same "1085 0 0 0 0 - $starved $unresolved -" "$(recipes/comm-blocks -q "$DDP" | where pid 1085 |
		col pid kernels comm_ns exposed_ns blocked_ns blocked_pct starved_ns unresolved_ns stage | tr '\t' ' ')"
	same "$(nsq-window -q --pick all --steady --period "$DDP" | nsq-stalls -q --merge | col pid start_ns end_ns gpu | sort)" \
		"$(recipes/comm-blocks -q "$DDP" | col pid start_ns end_ns gpu | sort)"
	# and one that has some is there for its stages only
	same "$(nsq-window -q --pick all --steady --period "$DUALPIPE" | nsq-overlap -q --merge | col pid stage | sort)" \
		"$(recipes/comm-blocks -q "$DUALPIPE" | col pid stage | sort)"
	# what blocks is part of what is exposed, stage by stage
	same "" "$(recipes/comm-blocks -q "$DUALPIPE" | rows | awk -F '\t' '$9 > $8 || $9 < 0.99 * $8')"
	# communication on another GPU of the process: the GPU that waits has a row, too
	t=$(change "$DDP" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE shortName IN (SELECT id FROM StringIds WHERE value LIKE 'nccl%')")
	same "0 0 269532902
1 $(recipes/comm-blocks -q "$DDP" | where pid 1084 | col kernels) 0" "$(recipes/comm-blocks -q "$t" | where pid 1084 | col gpu kernels blocked_ns | tr '\t' ' ' | sort)"
}

@test "critical-path: a GPU that waits for the CPU, and one that always computes" {
	same "cpu -" "$(top critical-path "$COMPILE" kind name)"
	# each kernel runs until the next one begins
	t=$(change "$COMPILE" "CREATE INDEX i ON CUPTI_ACTIVITY_KIND_KERNEL (start)" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL AS a
		SET end = coalesce((SELECT min(start) FROM CUPTI_ACTIVITY_KIND_KERNEL AS b WHERE b.start > a.start), end)" "DROP INDEX i")
	same "compute 1" "$(top critical-path "$t" kind pct | awk '{ print $1, ($2 > 15) }')"
	computing() { recipes/critical-path -q -n 99 "$1" | where kind compute | sum pct; }
	[ "$(computing "$COMPILE")" -lt 5 ]
	[ "$(computing "$t")" -gt 70 ]          # what is left are copies and sets
}

# bats test_tags=more
@test "critical-path: the commands that it names are about the step that it shows" {
	# the one beside the call, and the one for the chain, whose edges add up to the rows
	beside=$(sed -n 's/^steps .*# //p' recipes/critical-path)
	chain=$(grep -o 'nsq-window[^|]*TRACE | nsq-path --each' recipes/critical-path)
	for t in $(first_few 1 "$DDP" "$COMPILE"); do
		recipes/critical-path -q -n 999 "$t" > "$BATS_TEST_TMPDIR/shown"
		eval "$beside -q '$t'" | nsq-path -q | diff - "$BATS_TEST_TMPDIR/shown"
		eval "${chain/TRACE/-q '$t'} -q" > "$BATS_TEST_TMPDIR/chain"
		extent() { col pid start_ns end_ns | awk '!($1 in a) || $2 < a[$1] { a[$1] = $2 } $3 > b[$1] { b[$1] = $3 } END { for (p in a) print p, a[p], b[p] }' | sort; }
		same "$(extent < "$BATS_TEST_TMPDIR/shown")" "$(extent < "$BATS_TEST_TMPDIR/chain")"
		same "$(sum dur_ns < "$BATS_TEST_TMPDIR/shown")" "$(sum dur_ns < "$BATS_TEST_TMPDIR/chain")"
	done
}

@test "critical-path --ranks: the others' waiting is the late rank's compute" {
	same "$(printf '%s\tcomm\n' 0 1 2)" "$(recipes/critical-path -q --pick 4 -n 1 "${RANKS[@]}" | col rank kind | head -3)"
	same "$(printf '%s\tspin_kernel\n' 0 1 2 3)" "$(recipes/critical-path -q --ranks --pick 4 -n 1 "${RANKS[@]}" | col rank name)"
}

@test "ep-overlap says which share of each phase compute hides, as nsq-overlap does" {
	same "$(nsq-window -q --pick all --steady --period "$DUALPIPE" | nsq-overlap -q --merge --rules experts 2> /dev/null | col pid stage overlap_pct | sort)" \
		"$(col pid stage overlap_pct < recipes/ep-overlap.out | sort)"
}

@test "ep-overlap has the median of each phase over the ranks" {
	same "$(col stage exposed_ns < recipes/ep-overlap.out | python3 -c 'import collections, statistics, sys
of = collections.defaultdict(list)
for line in sys.stdin: of[line.split("\t")[0]].append(int(line.split("\t")[1]))
for stage in sorted(of): print(stage, statistics.median_low(of[stage]), sep="\t")')" "$(col stage exposed_median_ns < recipes/ep-overlap.out | sort -u)"
}

@test "pp-balance has the stage of each rank, as its mesh says" {
	same "$(sql "$DUALPIPE" "SELECT DISTINCT globalTid >> 24 & 0xffffff, substr(text, instr(text, 'pp=') + 3, 3) FROM NVTX_EVENTS WHERE text LIKE '%pp=%/%'" | sort)" \
		"$(col pid pp < recipes/pp-balance.out | sort)"
	t=$(change "$DUALPIPE" "UPDATE NVTX_EVENTS SET text = replace(text, 'pp=', 'xx=') WHERE text LIKE '%pp=%'")
	same "-" "$(recipes/pp-balance "$t" 2>/dev/null | col pp | sort -u)"
}

@test "pp-balance: a rank that computes three times as much" {
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + (end - start) * 3
		WHERE globalPid >> 24 & 0xffffff = 695 AND streamId = 7")
	[ "$(recipes/pp-balance "$t" 2>/dev/null | col compute_ns rank | sort -nr | awk 'NR == 1 { r = $2; m = $1 } NR == 2 { print r, (m > 1.5 * $1) }')" = "2 1" ]
	mentions "one process" -- recipe_says pp-balance "$COMPILE"
}

# What a recipe says itself.
recipe_says() { "recipes/$1" "${@:2}" 2>&1 >/dev/null | grep "^$1: " | grep -v "^$1: over " >&2; }

# bats test_tags=long
@test "hot-ranges, train-phases and prefill-decode: a phase that became slow" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1000000 WHERE rowid IN $(launched_in tail)")
	[ "$(top hot-ranges "$t" name)" = tail ]
	[ "$(top hot-ranges "$COPIES" name)" = "registered gemm phase" ]
	t=$(change "$DDP" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 5000000 WHERE rowid IN $(launched_in 'optimizer%')")
	[ "$(top train-phases "$t" pid phase)" = "1084 optimizer" ]
	t=$(change "$NODES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 1000000 WHERE rowid IN $(launched_in '%prefill')")
	[ "$(top prefill-decode "$t" phase)" = prefill ]
	[ "$(top prefill-decode "$NODES" phase)" = decode ]
}

@test "launch-bound: kernels that are shorter than their launches" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 1000")
	[ "$(top launch-bound "$t" kernel_p50_ns small_pct)" = "1000 100.00" ]
}

# bats test_tags=long
@test "decode-step: a launch that takes half a millisecond longer, in every step" {
	# the time from each graph launch on is later: inside the call, and so between two steps
	t=$(change "$NODES" "CREATE TABLE l AS SELECT start FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE value LIKE 'cudaGraphLaunch%'" \
		"$(for table in CUPTI_ACTIVITY_KIND_{KERNEL,MEMCPY,MEMSET,RUNTIME} NVTX_EVENTS; do
			echo "UPDATE $table SET start = start + 500000 * (SELECT count(*) FROM l WHERE l.start < $table.start),
				end = end + 500000 * (SELECT count(*) FROM l WHERE l.start < $table.end);"
		done)")
	before=$(recipes/decode-step "$NODES" 2>/dev/null | where cause launch | col idle_pct)
	[ "$(top decode-step "$t" cause)" = launch ]
	awk -v a="$before" -v b="$(top decode-step "$t" idle_pct)" 'BEGIN { exit !(a < 25 && b > 45) }'
	# what a step costs, by SQL: the median over those after the first, from its start on the GPU to that of the next
	p50=$(sql "$t" "WITH s AS (SELECT min(k.start) AS a FROM NVTX_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
				ON r.globalTid = n.globalTid AND n.start <= r.start AND r.start < n.end
			JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = r.correlationId
			WHERE coalesce(n.text, (SELECT value FROM StringIds WHERE id = n.textId)) = 'decode step' GROUP BY n.start),
		p AS (SELECT lead(a) OVER (ORDER BY a) - a AS ns FROM s ORDER BY a LIMIT -1 OFFSET 1)
		SELECT ns FROM p WHERE ns NOT NULL ORDER BY ns LIMIT 1 OFFSET (SELECT (count(ns) + 1) / 2 - 1 FROM p)")
	mentions "process 516, 58 times 'decode step': period p50 $(printf %.3g "${p50}e-6") ms, p90 " -- recipe_says decode-step "$t"
}

# The trace of tests/agent, in which rank 2 stands still once and rank 3 copies to pageable memory.
trial() { change "$DUALPIPE_2023" ".read tests/agent/trace.sql"; }

@test "graph-layers: the layer of a replayed graph that is slower than the others" {
	t=$(change tests/fixtures/graph-capture.sqlite "CREATE TEMP TABLE slow AS SELECT c.graphNodeId FROM CUDA_GRAPH_NODE_EVENTS c
		JOIN CUDA_GRAPH_NODE_EVENTS o ON o.graphNodeId = c.originalGraphNodeId
		JOIN NVTX_EVENTS r ON r.text = 'layer 1' AND o.start BETWEEN r.start AND r.end;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end + 500 WHERE graphNodeId IN slow")
	for f in tests/fixtures/graph-capture.sqlite "$t"; do recipes/graph-layers -q "$f" | where phase 'layer 1' | col windows kernels gpu_ns gpu_p50_ns; done |
		awk '{ windows = $1; kernels = $2; ns[NR] = $3; p50[NR] = $4 }
			END { exit !(kernels == 17 * windows && ns[2] - ns[1] == 500 * kernels && p50[2] - p50[1] == 500 * 17) }'
	[ "$(recipes/graph-layers -q "$t" | col phase | sed -n 1p)" = "layer 1" ]
	[ "$(recipes/graph-layers -q --skip 1 -m '^decode batch 4$' "$t" | col windows phase | sed -n 1p)" = "9${TAB}layer 1" ]
	[[ "$(recipes/graph-layers "$NODES" 2>&1 >/dev/null)" == *"were captured before the profile began"*"does not apply"* ]]
}

# bats test_tags=more
@test "graph-layers: -m keeps out the steps between those that match, by SQL" {
	t=tests/fixtures/graph-capture.sqlite
	mapfile -t names < <(first_few 1 'decode batch [^1]' 'decode batch 1$' 'decode batch')
	for m in "${names[@]}"; do
		# each kernel in the layer whose range was open when its node was captured, in the replay that the step launched
		sql "$t" "WITH layer AS (SELECT c.graphNodeId AS node, r.text AS layer FROM CUDA_GRAPH_NODE_EVENTS c
				JOIN CUDA_GRAPH_NODE_EVENTS o ON o.graphNodeId = c.originalGraphNodeId
				JOIN NVTX_EVENTS r ON r.text LIKE 'layer %' AND o.start BETWEEN r.start AND r.end),
			step AS (SELECT row_number() OVER (ORDER BY start) AS i, start, end FROM NVTX_EVENTS WHERE text REGEXP '$m')
			SELECT layer, i, sum(k.end - k.start) FROM step s JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON s.start <= r.start AND r.start < s.end
			JOIN CUPTI_ACTIVITY_KIND_KERNEL k ON k.correlationId = r.correlationId JOIN layer ON node = k.graphNodeId
			WHERE i > 1 GROUP BY 1, 2 ORDER BY 1, 3" | awk -F '\t' -v OFS='\t' '{ n[$1]++; ns[$1, n[$1]] = $3; sum[$1] += $3 }
			END { for (l in n) print n[l], sum[l], ns[l, int((n[l] + 1) / 2)], ns[l, n[l]], l }' | sort > "$BATS_TEST_TMPDIR/want"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/want")" = 4 ]
		recipes/graph-layers -q --skip 1 -m "$m" "$t" | col windows gpu_ns gpu_p50_ns gpu_max_ns phase | grep 'layer' | sort | diff "$BATS_TEST_TMPDIR/want" -
	done
	# ranges inside given windows, too
	same "$(recipes/graph-layers -q -m 'decode batch 4' --pick 3,4 "$t" | col windows gpu_p50_ns phase)" \
		"$(recipes/graph-layers -q -m 'decode batch 4' -w 33.2..35.4ms "$t" | col windows gpu_p50_ns phase)"
}

@test "gpu-starved: a rank that stands still in its own code" {
	t=$(trial)
	read -r idle cause < <(recipes/gpu-starved "$t" 2>/dev/null | where rank 2 | col idle_ns cause)
	[ "$cause" = host ]
	[ "$idle" -gt 50000000 ]
	for r in 0 1 3; do
		[ "$(recipes/gpu-starved "$t" 2>/dev/null | where rank $r | where cause host | sum idle_ns)" -lt 5000000 ]
	done
}

@test "gpu-holdup: the thread that sleeps, and the one that has no CPU, while the GPU waits for them" {
	[ "$(top gpu-holdup "$SCHED" pid tid thread)" = "557 577 loader" ]
	# by SQL: what thread 577 does in the gaps that the recipe looks at
	nsq-window -q --pick all --steady --period "$SCHED" | nsq-gaps -q --each | awk -F '\t' 'NR > 1 && $7 ~ /^(launch|sync|alloc|load|api|data|mpi|host)$/' > "$BATS_TEST_TMPDIR/gaps"
	in_gaps() { # in_gaps TABLE TID: how much of the gaps its events cover; they do not overlap on this thread
		sql "$SCHED" "SELECT start, end FROM $1 WHERE globalTid & 0xffffff = $2" | awk -F '\t' 'NR == FNR { a[NR] = $3; b[NR] = $4; n = NR; next }
			{ for (i = 1; i <= n; i++) { x = $1 > a[i] ? $1 : a[i]; y = $2 < b[i] ? $2 : b[i]; if (y > x) s += y - x } }
			END { printf "%.0f\n", s }' "$BATS_TEST_TMPDIR/gaps" -
	}
	# every gap that the CPU is to blame for is some thread's
	[ "$(recipes/gpu-holdup -q "$SCHED" | sum idle_ns gaps)" = "$(awk -F '\t' '{ s += $6 } END { print s "\t" NR }' "$BATS_TEST_TMPDIR/gaps")" ]
	[ "$(recipes/gpu-holdup -q "$SCHED" | where tid 577 | col cuda_ns os_ns)" = \
		"$(in_gaps CUPTI_ACTIVITY_KIND_RUNTIME 577)$TAB$(in_gaps OSRT_API 577)" ]
	# asleep in the longest gap that the worker ends
	read -r a b < <(awk -F '\t' -v OFS='\t' '$11 == "memcpy h2d" && $12 == "saxpy" && $6 > m { m = $6; a = $3; b = $4 } END { print a, b }' "$BATS_TEST_TMPDIR/gaps")
	t=$(change "$SCHED" "INSERT INTO OSRT_API (start, end, eventClass, globalTid, nameId, returnValue, nestingLevel, callchainId)
		SELECT $a, $b, 27, globalTid, nameId, 0, 0, 0 FROM OSRT_API WHERE globalTid & 0xffffff = 578 LIMIT 1")
	[ "$(recipes/gpu-holdup -q "$t" -w "$a..$b" | where tid 578 | col os_ns)" = "$((b - a))" ]
	# never on a CPU
	t=$(change "$SCHED" "DELETE FROM SCHED_EVENTS WHERE globalTid & 0xffffff = 578 AND start NOT IN (SELECT max(start) FROM SCHED_EVENTS
			WHERE globalTid & 0xffffff = 578 AND NOT isSchedIn AND start < 36000000) AND start BETWEEN 33000000 AND 57500000" \
		"UPDATE SCHED_EVENTS SET isSchedIn = 0 WHERE globalTid & 0xffffff = 578 AND start < 36000000")
	[ "$(recipes/gpu-holdup -q "$t" | where tid 578 | col run_ns waits)" = "0${TAB}1" ]
	mentions "the GPU waits for no thread" -- recipe_says gpu-holdup "$DUALPIPE"
}

# bats test_tags=long
@test "step-variance: the step that takes far longer than the median, and the part of it that is to blame" {
	t=$(trial)
	recipes/step-variance "$t" 2>/dev/null | where rank 2 > "$BATS_TEST_TMPDIR/parts"
	read -r part window dur median extra steps < <(col part window dur_ns median_ns extra_ns steps < "$BATS_TEST_TMPDIR/parts" | sed -n 1p | tr ' ' _)
	[ "$part" = step ]
	[[ "$window" == *"#5@"* ]]
	[ "$dur" -gt $((median * 3 / 2)) ]
	read -r part host < <(col part extra_ns < "$BATS_TEST_TMPDIR/parts" | sed -n 2p)
	[ "$part" = idle.host ]
	[ "$host" -gt 50000000 ]
	# the others have no such step
	same 2 "$(recipes/step-variance --skip 1 "$t" 2>/dev/null | where part idle.host | col rank)"
	# each row is a window to go on with
	recipes/step-variance -p 1252 "$t" 2>/dev/null | nsq-gaps -q --by cause | where cause host | col window | grep -q '#5@'
	# the parts of a step add up to it, and medians are those of its parts
	awk -F '\t' -v OFS='\t' 'NR > 1 { if ($12 == "step") step[$1] = $7; else sum[$1] += $7 } END { for (p in step) if (step[p] != sum[p]) print p }' \
		recipes/step-variance.out > "$BATS_TEST_TMPDIR/wrong"
	same "" "$(cat "$BATS_TEST_TMPDIR/wrong")"
	nsq-window -q --pick all --steady --period "$DDP" | nsq-gaps -q > "$BATS_TEST_TMPDIR/steps"
	for pid in 1084 1085; do
		for pair in "busy busy_ns" "step end_ns"; do
			median=$(where pid $pid < "$BATS_TEST_TMPDIR/steps" | col "${pair#* }" start_ns | awk -v step="${pair% *}" '{ print step == "step" ? $1 - $2 : $1 }' | sort -n | sed -n 4p)
			same "7 $median" "$(where pid $pid < recipes/step-variance.out | where part "${pair% *}" | col steps median_ns | tr '\t' ' ')"
		done
	done
}

@test "idle-calls: the calls that lie in idle stretches, by SQLite over the rows of two tools" {
	nsq-window -q --pick all --steady --period "$COMPILE" | nsq-gaps -q --each --min 0 > "$BATS_TEST_TMPDIR/gaps"
	nsq-api -q --each "$COMPILE" > "$BATS_TEST_TMPDIR/calls"
	sqlite3 -batch -separator "$TAB" :memory: ".import $BATS_TEST_TMPDIR/gaps gaps" ".import $BATS_TEST_TMPDIR/calls calls" \
		"SELECT c.name, count(DISTINCT c.rowid), sum(min(c.end_ns + 0, g.end_ns + 0) - max(c.start_ns + 0, g.start_ns + 0)) AS ns FROM gaps g JOIN calls c
		ON c.start_ns + 0 < g.end_ns + 0 AND c.end_ns + 0 > g.start_ns + 0 GROUP BY 1 ORDER BY ns DESC, 1 LIMIT 8" > "$BATS_TEST_TMPDIR/want"
	recipes/idle-calls "$COMPILE" 2>/dev/null | col name calls idle_ns | diff "$BATS_TEST_TMPDIR/want" -
	idle=$(sum dur_ns < "$BATS_TEST_TMPDIR/gaps")
	recipes/idle-calls "$COMPILE" 2>/dev/null | col idle_ns of_idle_pct | awk -v idle="$idle" '{ if (sprintf("%.2f", 100 * $1 / idle) != $2) exit 1 }'
	# a call that someone put around every step
	t=$(change "$COMPILE" "INSERT INTO StringIds VALUES ((SELECT max(id) + 1 FROM StringIds), 'cudaFree_v3020')" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
		SELECT start, end, 0, globalTid, 900000000 + rowid, (SELECT max(id) FROM StringIds), 0 FROM NVTX_EVENTS WHERE text LIKE 'step %'")
	[ "$(top idle-calls "$t" name)" = cudaFree ]
}

@test "idle-calls: a process with calls and no work, and windows that are none" {
	cp "$COMPILE" "$BATS_TEST_TMPDIR/t.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/t.sqlite" 'DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET'
	run -0 --separate-stderr recipes/idle-calls "$BATS_TEST_TMPDIR/t.sqlite"
	same "$(recipes/idle-calls -q "$COMPILE" | head -1)" "$output"
	holds "$stderr" "none of its processes has GPU work"
	run -0 --separate-stderr recipes/idle-calls <<< "pid${TAB}start_ns${TAB}end_ns${TAB}trace"
	same "idle-calls: there are no windows, so there is nothing to answer" "$output$stderr"
}

@test "sync-in-loop: a synchronization that someone put into the step" {
	[ "$(recipes/sync-in-loop -q "$COMPILE" | wc -l)" = 1 ]
	t=$(change "$COMPILE" "INSERT INTO StringIds VALUES ((SELECT max(id) + 1 FROM StringIds), 'cudaDeviceSynchronize_v3020')" \
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)
		SELECT end - 1000, end - 100, 0, globalTid, 900000000 + rowid, (SELECT max(id) FROM StringIds), 0 FROM NVTX_EVENTS WHERE text LIKE 'step %'")
	# ten steps, without the first two and the last
	[ "$(top sync-in-loop "$t" count total_ns name)" = "7 6300 cudaDeviceSynchronize" ]
}

@test "pageable-copies: the rank that reads back into pageable memory" {
	t=$(trial)
	[ "$(recipes/pageable-copies "$t" 2>/dev/null | where dst pageable | col rank kind)" = "3${TAB}d2h" ]
	sqlite3 "$t" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1"
	mentions "no copy" "pageable memory" -- recipe_says pageable-copies "$t"
}

@test "pageable-copies lists those alone" {
	[ "$(recipes/pageable-copies -q "$COPIES" | col src dst | grep -vc pageable)" = 0 ]
	# five of the eleven steps copy: the typical one does not, one in ten takes as long as the SQL says
	[ "$(top pageable-copies "$COPIES" windows count total_p50_ns)" = "11 5 0" ]
	run -0 --separate-stderr recipes/pageable-copies -f jsonl "$COMPILE"
	[ -z "$output" ]
	[[ "$stderr" == *"no copy in these windows touches pageable memory"* ]]
}

@test "compare: the parts of the step that changed, and of one trace that there is nothing to compare" {
	run -0 --separate-stderr recipes/compare -m 'decode step' "$EAGER" "$NODES"
	[ "$(col part change <<<"$output" | sed -n 1,2p | tr '\t\n' '  ')" = "step faster host faster " ]
	mentions "one trace only" -- recipe_says compare "$DDP"
	[ "$(recipes/compare -q "$DDP" | col change delta | sort -u | tr '\t' ' ' | grep -v '^same 0$')" = "" ]
}

# gate FACTOR NOISE: what ci-gate says of a run of that speed, compared with the table of one of speed 1.
gate() {
	rm -f "$BATS_TEST_TMPDIR"/{good,new}.sqlite
	python3 "$TESTS/generated_run.py" "$BATS_TEST_TMPDIR/good.sqlite" seed=3 noise="$2" ranks=2
	python3 "$TESTS/generated_run.py" "$BATS_TEST_TMPDIR/new.sqlite" seed=4 noise="$2" ranks=2 speed="$1" ${3-}
	recipes/ci-gate -q "$BATS_TEST_TMPDIR/good.sqlite" > "$BATS_TEST_TMPDIR/good.tsv"
	run --separate-stderr recipes/ci-gate -q "$BATS_TEST_TMPDIR/good.tsv" "$BATS_TEST_TMPDIR/new.sqlite"
}

# bats test_tags=slow
@test "ci-gate: a step that became slower fails the job; one that is slower by less than 5 % does not" {
	gate 1 0.02
	[ "$status $(count <<<"$output")" = "0 0" ]
	gate 1.08 0.02
	[ "$status" = 4 ]
	[ "$(col rank change name <<<"$output" | tr '\t' ' ')" = "0 slower step #
1 slower step #" ]
	gate 1.03 0.02
	[ "$status $(count <<<"$output")" = "0 0" ]
	run -4 --separate-stderr recipes/ci-gate -q --min-pct 2 "$BATS_TEST_TMPDIR/good.tsv" "$BATS_TEST_TMPDIR/new.sqlite"
}

# bats test_tags=slow
@test "ci-gate: a faster run, noisy ones, and those of which nothing was measured" {
	gate 0.8 0.02
	[ "$status $(count <<<"$output")" = "0 0" ]
	# noisy: every time varies by a half, and the medians may well differ by 5 %
	gate 1 0.5
	[ "$status $(count <<<"$output")" = "0 0" ]
	gate 1.5 0.5
	[ "$status" = 4 ]
	# nothing measured: too few steps, or none of that name
	gate 1 0.02 steps=3
	run --separate-stderr recipes/ci-gate -q --skip 1 "$BATS_TEST_TMPDIR/good.tsv" "$BATS_TEST_TMPDIR/new.sqlite"
	[ "$status $(col change <<<"$output" | sort -u)" = "4 unsure" ]
	gate 1 0.02
	sqlite3 "$BATS_TEST_TMPDIR/new.sqlite" "UPDATE NVTX_EVENTS SET text = 'other ' || text WHERE text LIKE 'step %'"
	run -4 --separate-stderr recipes/ci-gate -q "$BATS_TEST_TMPDIR/good.tsv" "$BATS_TEST_TMPDIR/new.sqlite"
	[ "$(col change <<<"$output" | sort -u | xargs)" = "gone new" ]
}

# bats test_tags=slow
@test "ci-gate: runs that differ as a whole are compared as runs" {
	for i in 1 2 3 4 5 6 7 8; do
		python3 "$TESTS/generated_run.py" "$BATS_TEST_TMPDIR/$i.sqlite" seed=$i steps=12 speed=1.$((i % 4))
	done
	cd "$BATS_TEST_TMPDIR"
	run_of() { "$TESTS/../recipes/ci-gate" -q "$@"; }
	for i in 1 2 3 4; do run_of $i.sqlite; done > stored.tsv
	# 1.1 1.2 1.3 1.0 on both sides, and no step of one is like a step of the other
	run -4 run_of <(run_of 4.sqlite) 7.sqlite
	run -0 run_of stored.tsv 5.sqlite 6.sqlite 7.sqlite 8.sqlite
	# a tenth slower than the slowest of them: 1.4 and more
	for i in 5 6 7 8; do rm $i.sqlite; python3 "$TESTS/generated_run.py" $i.sqlite seed=$i steps=12 speed=1.$i; done
	run -4 --separate-stderr run_of stored.tsv 5.sqlite 6.sqlite 7.sqlite 8.sqlite
	[ "$(col n_before n_after change <<<"$output" | tr '\t' ' ')" = "4 4 slower" ]
}

@test "ci-gate: after an error there is one line and its code, not a verdict" {
	recipes/ci-gate -q "$NODES" > "$BATS_TEST_TMPDIR/good.tsv"
	fails 1 "nowhere" -- recipes/ci-gate -q "$BATS_TEST_TMPDIR/good.tsv" nowhere.sqlite
	fails 1 "nowhere" -- recipes/ci-gate -q nowhere.tsv "$NODES"
	# inside its second row, however long the path of the trace is
	sed '3s/\t.*//;3q' "$BATS_TEST_TMPDIR/good.tsv" | head -c -1 > "$BATS_TEST_TMPDIR/cut.tsv"
	fails 2 "cut.tsv" -- recipes/ci-gate -q "$BATS_TEST_TMPDIR/cut.tsv" "$NODES"
}

# bats test_tags=long
@test "clocks: a GPU that is kept below its clock all the time, and one that is not" {
	train=tests/fixtures/train-metrics.sqlite
	clock="metricId = (SELECT metricId FROM TARGET_INFO_GPU_METRICS WHERE metricName LIKE 'GPC Clock%')"
	# by SQL: of the samples in the steps after the first, each up to the next
	read -r a b < <(nsq-window -q --pick all --steady --period "$train" | nsq-gaps -q --merge | col start_ns end_ns)
	want=$(sql "$train" "SELECT count(*), printf('%.2f', avg(value) / 1e6), 1980, printf('%.2f', avg(value) / 19800000.0), printf('%.2f',
		100.0 * sum(value < 0.95 * 1980000000) / count(*)), 'dips' FROM GPU_METRICS WHERE $clock AND timestamp >= $a AND timestamp < $b")
	[ "$(recipes/clocks -q "$train" | col samples mean_mhz rated_mhz of_rated_pct low_pct verdict)" = "$want" ]
	t=$(change "$train" "UPDATE GPU_METRICS SET value = value * 0.7 WHERE $clock")
	[ "$(top clocks "$t" pid gpu low_pct verdict)" = "1007 0 100.00 throttled" ]
	t=$(change "$train" "UPDATE GPU_METRICS SET value = 1980000000 WHERE $clock")
	[ "$(top clocks "$t" of_rated_pct low_pct verdict)" = "100.00 0.00 at its clock" ]
	# windows instead of steps, and of several traces those that can answer
	[ "$(recipes/clocks -q -w 20..30ms "$train" | col samples)" = 100 ]
	run -3 --separate-stderr recipes/clocks "$COMPILE" "$train"
	[ "$(col trace <<< "$output" | sort -u)" = "$train" ]
	grep -q 'holds no GPU metrics; capture them with nsys profile --gpu-metrics-devices=all' <<< "$stderr"
}

# ---- what all have in common

@test "the sums of a recipe come with the median over the steps and its spread" {
	# top-kernels, by the rows of each step alone
	nsq-window -q --pick all --steady --period "$COMPILE" | nsq-kernels -q | where name reduce_kernel | col total_ns | sort -n > "$BATS_TEST_TMPDIR/steps"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/steps")" = 7 ]
	[ "$(recipes/top-kernels -q "$COMPILE" | where name reduce_kernel | col windows total_p50_ns total_p90_ns total_max_ns)" = \
		"7$TAB$(sed -n 4p "$BATS_TEST_TMPDIR/steps")$TAB$(sed -n 7p "$BATS_TEST_TMPDIR/steps")$TAB$(sed -n 7p "$BATS_TEST_TMPDIR/steps")" ]
	for r in categories decode-step gpu-starved graph-layers hot-ranges pageable-copies prefill-decode sync-in-loop top-kernels train-phases worst-stage; do
		[[ "$(sed -n 1p recipes/$r.out)" == *"${TAB}windows$TAB"*_p50_ns$TAB*_p90_ns$TAB*_max_ns* ]] || { echo "$r"; false; }
	done
	# one step that is late is in the maximum, not in the median
	t=$(trial)
	recipes/gpu-starved "$t" 2>/dev/null | where rank 2 | where cause host | col idle_p50_ns idle_max_ns idle_ns | sed -n 1p |
		awk '{ exit !($1 < 5000000 && $2 > 50000000 && $3 >= $2) }'
}

# bats test_tags=slow
@test "a recipe names what it looked at: how many windows of what name, in how many processes" {
	over() { "$@" 2>&1 >/dev/null | grep ': over ' | sed 's/.*: over //'; }
	[ "$(over recipes/gpu-starved "$COMPILE")" = "7 windows 'step #' in 1 process" ]
	[ "$(over recipes/launch-bound "$DDP")" = "14 windows 'iteration #' in 2 processes" ]
	[ "$(over recipes/sync-in-loop -m 'decode step|sampling' "$NODES")" = "$(nsq-window -q -m 'decode step|sampling' --pick all --steady --period "$NODES" |
		awk 'END { print NR - 1 }') windows 'decode step', 'sampling' in 1 process" ]
	[ "$(over recipes/top-kernels -w 20..25ms "$COMPILE")" = "the windows given with -w 20..25ms" ]
	nsq-window -q --pick 3,4 "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	[ "$(over recipes/streams < "$BATS_TEST_TMPDIR/w")" = "8 windows 'forward chunk # (phase#) backward chunk # (phase#)' in 4 processes" ]
	sed 1d "$BATS_TEST_TMPDIR/w" > "$BATS_TEST_TMPDIR/headless"
	[ "$(over recipes/streams < "$BATS_TEST_TMPDIR/headless")" = "$(over recipes/streams < "$BATS_TEST_TMPDIR/w")" ]
	nsq-window -q --pick 3,4 -f csv "$DUALPIPE" > "$BATS_TEST_TMPDIR/csv"
	[ "$(over recipes/streams < "$BATS_TEST_TMPDIR/csv")" = "8 windows" ]
	# for each recipe about steps, with -m too; not after an error, nor with -q
	for r in $(some_recipes); do
		case ${r#recipes/} in who | missing | capture | step-variance | ci-gate | compare | clocks | gpu-breakdown) continue ;; esac
		[[ "$(over "$r" -m 'iteration [2-6]' "$DDP")" =~ ^[1-9][0-9]*\ windows?\ \'iteration\ #\'\ in\ 2\ processes$ ]] || { echo "$r"; false; }
		[ -z "$(over "$r" -q "$DDP")" ]
		[ -z "$(over "$r" --no-such "$DDP")" ]
	done
}

# bats test_tags=slow
@test "what windows on standard input or -w hold is all that a recipe counts" {
	for r in $(some_recipes); do
		case ${r#recipes/} in who | missing | capture | step-variance | ci-gate | compare | clocks | gpu-breakdown) continue ;; esac
		period=--period
		[[ "$r" != recipes/graph-layers ]] || period=           # it is about the work of the ranges alone
		nsq-window -q --pick 3 $period "$DDP" > "$BATS_TEST_TMPDIR/w"
		"$r" -q < "$BATS_TEST_TMPDIR/w" > "$BATS_TEST_TMPDIR/piped" 2>/dev/null
		"$r" -q -w "$BATS_TEST_TMPDIR/w" "$DDP" 2>/dev/null | diff - "$BATS_TEST_TMPDIR/piped"
		"$r" -q --pick 3 "$DDP" 2>/dev/null > "$BATS_TEST_TMPDIR/picked"
		[[ "$r" == recipes/decode-step ]] || diff "$BATS_TEST_TMPDIR/picked" "$BATS_TEST_TMPDIR/piped" || [[ "$r" == recipes/prefill-decode ]]
	done
}

# bats test_tags=more
@test "a shared GPU is said where idle or exposed time is the answer" {
	for r in $(first_few 2 worst-stage critical-path gpu-starved comm-kinds comm-blocks pp-balance beside-worst \
		ep-overlap); do
		recipes/$r "$DDP" 2>&1 >/dev/null | grep -q "processes 1084, 1085 share GPU 0" || { echo "$r"; false; }
	done
	more || return 0
	recipes/decode-step -m iteration "$DDP" 2>&1 >/dev/null | grep -q "processes 1084, 1085 share GPU 0"
}

@test "several GPUs of a process: each has its rows" {
	# every second kernel of rank 0 runs on another GPU
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE globalPid >> 24 & 0xffffff = 693 AND rowid % 2")
	for r in worst-stage gpu-starved; do
		rows=$(recipes/$r -q -n 2 "$t")
		[ "$(where pid 693 <<<"$rows" | col gpu | uniq | xargs)" = "0 1" ] || { echo "$r"; false; }
		[ "$(where pid 694 <<<"$rows" | col gpu | uniq)" = 0 ]
		# with the numbers of the tool
		[ "$(where pid 693 <<<"$rows" | where gpu 1 | without windows)" = "$(nsq-window -q --pick all --steady --period -p 693 "$t" |
			case $r in worst-stage) nsq-overlap -q --merge --spread -g 1 -n 2 ;; *) nsq-gaps -q --merge --spread --by cause,nvtx -g 1 -n 2 ;; esac | without windows)" ]
	done
	[[ "$(recipes/gpu-starved "$t" 2>&1 >/dev/null)" == *"over 20 windows "*" in 4 processes"* ]]
}

@test "prefill-decode counts the last request too" {
	[ "$(top prefill-decode "$NODES" windows phase)" = "2 decode" ]
	# by SQL: kernels launched in prefill and decode of the requests after the first
	want=$(sql "$NODES" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid IN $(launched_in 'LLM@decode_all') AND start > (SELECT start FROM NVTX_EVENTS WHERE text = 'request 1')")
	[ "$(top prefill-decode "$NODES" kernels)" = "$want" ]
	[ "$(recipes/prefill-decode -q --pick 1 "$NODES" | col windows | sort -u)" = 1 ]
	run -0 --separate-stderr recipes/prefill-decode "$NODES"
	[[ "$stderr" != *"left out"* ]]
}

@test "recipes about annotation: steps that may be layers are not taken for steps" {
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET text = 'Optimization', start = (SELECT min(start) FROM NVTX_EVENTS WHERE text LIKE 'step %'),
		end = (SELECT max(end) FROM NVTX_EVENTS WHERE text LIKE 'step %') WHERE text = 'step 0'" "DELETE FROM NVTX_EVENTS WHERE text LIKE 'step %'")
	mentions "those may be layers, so this is about the processes as a whole" -- recipe_says train-phases "$t"
	# everything is launched in it, by this thread or another
	[ "$(recipes/train-phases -q "$t" | where phase optimizer | col kernels)" = "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")" ]
	mentions "as a whole" -- recipe_says hot-ranges "$t"
}

# bats test_tags=more,long
@test "a recipe says when its question does not apply" {
	mentions "does not apply" -- recipe_says train-phases "$COMPILE"
	mentions "does not apply" -- recipe_says prefill-decode "$DDP"
	mentions "does not apply" -- recipe_says ep-overlap "$DDP"
	holds "$(recipe_says step-variance -m 'request 1' "$NODES" 2>&1)" "nothing to compare"
	no_nvtx=$(change "$NODES" "DROP TABLE NVTX_EVENTS")
	for r in $(first_few 1 hot-ranges train-phases prefill-decode decode-step); do
		run -3 --separate-stderr "recipes/$r" "$no_nvtx"
		[ -z "$output" ]
		[[ "${stderr_lines[-1]}" == *"holds no NVTX events"* ]]
	done
	for r in $(first_few 2 comm-kinds straggler comm-blocks worst-stage ep-overlap beside-worst); do
		recipes/$r "$COMPILE" 2>&1 >/dev/null | grep -q 'no communication kernel runs\|one process only'
	done
}

# bats test_tags=slow
@test "a recipe names the steps it looks at, and says nothing twice" {
	for r in $(some_recipes); do
		[[ "$r" != recipes/@(who|missing|capture|gpu-breakdown) ]] || continue         # they are about whole traces
		"$r" -v "$DDP" 2>&1 >/dev/null | sed 's/^nsq-[a-z]*: //' | sort > "$BATS_TEST_TMPDIR/said"
		[ -z "$(uniq -d "$BATS_TEST_TMPDIR/said")" ]
		[[ "$r" == recipes/@(decode-step|prefill-decode) ]] || grep -q "16 steps in 2 processes: ranges 'iteration #'" "$BATS_TEST_TMPDIR/said" || { echo "$r"; false; }
	done
	for r in $(some_recipes); do
		[ "$r" != recipes/clocks ] || continue          # it needs what the trace lacks
		[ -z "$("$r" -q "$DDP" 2>&1 >/dev/null | grep -v ': warning: ')" ] || { echo "$r"; false; }
	done
}

@test "an option and its value may be two words, as the hints of the recipes have them" {
	t=tests/fixtures/shapes/shapes.sqlite
	same "$(recipes/product-rates -q --type=bf16 $t)" "$(recipes/product-rates -q --type bf16 $t)"
	holds "$(recipes/product-rates -q --type bf16 $t)" memory
	same "nsq-capture -o again --with osrt --sample --profiler-api -- python3 w_infer.py 20 graph" \
		"$(recipes/capture -q --with osrt --sample "$NODES" | where kind again | col command)"
}

# The table of the tool says whether a word after an option is its value.
# bats test_tags=more,long
@test "every option of the tool that prints the answer is one of the recipe, with its value as a word of its own" {
	same "$(recipes/share-safely -q --keep=host "$NODES")" "$(recipes/share-safely -q --keep host "$NODES")"
	for r in $(ls -d recipes/* | grep -v '\.out$\|\.sh$'); do
		takes=$(sed -n "s/^takes='*\([^']*\)'*$/\1/p" "$r")
		tool=$(sed -nE 's/^(answer|rows|answer_or "[^"]*") (nsq-[a-z]+).*/\2/p; s/^ask .*/nsq-gaps/p' "$r" | tail -1)
		[ -z "$tool" ] || case " $takes " in *" $tool "*) ;; *) echo "$r: $takes, but $tool prints its answer"; false ;; esac
		printf '%s\n' "$takes"
	done | sort -u > "$BATS_TEST_TMPDIR/takes"
	n=0
	while read -r takes; do
		while read -r option value; do
			n=$((n + 1))
			words=$(nsq recipe --words test "$takes" one --$option ${value:+word} two)
			holds "$words" "traces=( 'one' 'two' )" "typed=' $option '"
		done < <(nsq help "${takes%% *}" | sed -nE 's/^  (-., |    )--([a-z-]+)( ([A-Z][^ ]*))?( .*|$)/\2 \4/p' | each_nth 25)
	done < "$BATS_TEST_TMPDIR/takes"
	[ $n -gt $(if more; then echo 250; else echo 12; fi) ]
	# a recipe that does not say takes those of all tools; quotes and line ends stay in their words
	words=$(nsq recipe --words test '' --keep host -qn5 -m "it's \$(x)"$'\n' -- -x)
	eval "$words"
	same "-m|it's \$(x)"$'\n'"|-n|5|-q|--keep=host|-x" "$(IFS='|'; printf '%s' "${first[*]}|${shown[*]}|${quiet[*]}|${other[*]}|${traces[*]}")"
	fails 2 "unknown option '--no-such'" -- nsq recipe --words test nsq-gaps --no-such
	fails 2 "which is no tool" -- nsq recipe --words test nsq-none
}

# bats test_tags=long
@test "a recipe looks at the steady steps, unless options or windows say otherwise" {
	steps() { nsq-window -q --pick all --steady --period "$@"; }
	nsq_top() { nsq-kernels -q --merge --spread --by category,name -n 10 "$@"; }
	steps "$COMPILE" | nsq_top | diff - <(recipes/top-kernels -q "$COMPILE")
	steps -m 'step [3-7]' "$COMPILE" | nsq_top | diff - <(recipes/top-kernels -q -m 'step [3-7]' "$COMPILE")
	nsq-window -q --pick all --period "$COMPILE" --skip 4 | nsq_top | diff - <(recipes/top-kernels --skip=4 "$COMPILE" -q)
	nsq-window -q --pick 3 --period "$COMPILE" | nsq_top | diff - <(recipes/top-kernels "$COMPILE" -q --pick 3)
	steps -p 694 "$DUALPIPE" | nsq_top | diff - <(recipes/top-kernels -q -p 694 -- "$DUALPIPE")
	nsq_top -w 20..25ms "$COMPILE" | diff - <(recipes/top-kernels -q -w 20..25ms "$COMPILE")
	nsq-window -q --pick longest "$COMPILE" | nsq_top | diff - <(nsq-window -q --pick longest "$COMPILE" | recipes/top-kernels -q)
	nsq-window -q --pick longest "$COMPILE" | nsq_top | diff - <(nsq-window -q --pick longest "$COMPILE" | nsq recipe top-kernels -w - -q "$COMPILE")
	nsq-window -q -m request "$NODES" | nsq-window -q -m 'decode step' --pick all --period | nsq_top |
		diff - <(nsq-window -q -m request "$NODES" | recipes/top-kernels -q -m 'decode step')
}

@test "a trace without steps, or with too few, is answered whole, and the recipe says so" {
	run -0 --separate-stderr recipes/top-kernels -m 'request 1' "$NODES"
	[[ "$stderr" == *"top-kernels: no step is followed by another, so this is about all there are"* ]]
	diff <(echo "$output") <(nsq-window -q -m 'request 1' "$NODES" | nsq-kernels -q --merge --spread --by category,name -n 10)
}

# bats test_tags=slow
@test "formats and limits are those of the last tool" {
	[ "$(recipes/top-kernels -q -n 3 "$COMPILE" | wc -l)" = 4 ]
	for r in $(some_recipes); do
		mapfile -t t < <(arguments "$r")
		"$r" -q -f md "${t[@]}" 2>/dev/null | grep -q '^|-' || { echo "$r"; false; }
		[ "$r" != recipes/missing ] || continue         # facts have no times
		"$r" -q -H -f table "${t[@]}" > /dev/null 2>&1 || { echo "$r"; false; }
	done
}

@test "of several traces those that can answer do, and the recipe returns the code of the others" {
	make_no_cuda
	run -3 --separate-stderr recipes/top-kernels "$COMPILE" "$no_cuda"
	diff <(echo "$output") <(recipes/top-kernels -q "$COMPILE")
	[ "$(grep -c 'nsys profile --trace=cuda' <<< "$stderr")" = 1 ]
}

@test "an option that no tool has is refused once" {
	run -2 --separate-stderr recipes/gpu-starved --no-such "$COMPILE"
	[ -z "$output" ]
	[ "$(grep -c no-such <<< "$stderr")" = 1 ]
}

@test "a verdict is not given on rows that -n has cut" {
	run -0 --separate-stderr recipes/pageable-copies -n 1 "$COPIES"
	[[ "$stderr" != *"no copy"* ]]
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 1 WHERE srcKind = 0; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1 WHERE dstKind = 0")
	run -0 --separate-stderr recipes/pageable-copies "$t"
	[[ "$stderr" == *"no copy"* ]]
}
