# Tables are closed under piping: for every pair of tools, the second answers for each row of the first
# what it answers for the same window given to it alone.
load ../helper
load ../accounting

# The tools, each in a mode whose rows are windows of their own where it has one.
A=("nsq-setup" "nsq-window --pick all" "nsq-streams" "nsq-overlap --each" "nsq-gaps --each" "nsq-nvtx --each" "nsq-kernels --each" "nsq-api --each" "nsq-mem --each" "nsq-mfu --by name" "nsq-stalls --each" "nsq-path --each")
B=(nsq-setup nsq-window nsq-streams nsq-overlap nsq-gaps nsq-nvtx nsq-kernels nsq-api nsq-mem nsq-mfu nsq-stalls nsq-path)

# DUALPIPE with a third of the work of its first process on a second GPU.
setup_file() {
	cp "$DUALPIPE" "$BATS_FILE_TMPDIR/two.sqlite"
	chmod u+w "$BATS_FILE_TMPDIR/two.sqlite"
	for t in KERNEL MEMSET; do
		echo "UPDATE CUPTI_ACTIVITY_KIND_$t SET deviceId = 1 WHERE (globalPid >> 24 & 0xffffff) = 693 AND correlationId % 3 = 0;"
	done | sqlite3 -batch "$BATS_FILE_TMPDIR/two.sqlite"
}
setup() { TWO=$BATS_FILE_TMPDIR/two.sqlite; }

# into_every_tool WHAT TABLE [TOOL...]: the rows piped into every tool, or into these, and given to it one by one (pairs.py).
into_every_tool() {
	echo "$1 | ${*:3}"
	local tools=("${@:3}")
	[ "$(count <<<"$2")" -ge 2 ]
	run python3 "$TESTS/windows/pairs.py" "${tools[@]:-${B[@]}}" <<<"$2"
	echo "$output"
	[ "$status" = 0 ]
	[ "$output" -gt 0 ]
}

# some: the first row of a table, the first of GPU 1, and the last; where MORE=1, the second, too.
some() { awk -F '\t' -v first="$(if more; then echo 3; else echo 2; fi)" 'NR <= first || ($5 == 1 && !n++) { print; last = NR } { line = $0 } END { if (NR > last) print line }'; }

# bats test_tags=more,long
@test "every tool | every tool" {
	for ((a = 0; a < ${#A[@]}; a++)); do
		tools=()         # one or two of them, others for each but the first, which always answers; where MORE=1, all
		for ((b = 0; b < ${#B[@]}; b++)); do
			if more || [ $b = 0 ] || [ $(((a + b) % 12)) = 0 ]; then tools+=("${B[b]}"); fi
		done
		# without the columns that say the CPU side again
		into_every_tool "${A[a]}" "$(${A[a]} -q "$TWO" | without cpu_start_ns cpu_end_ns | some)" "${tools[@]}"
	done
}

# bats test_tags=more,slow
@test "the CPU side of a window goes through every tool into every other" {
	some_tools=("nsq-gaps --by cause")
	if more; then
		some_tools+=(nsq-setup nsq-kernels nsq-streams "nsq-overlap --total" nsq-overlap nsq-gaps nsq-nvtx nsq-api nsq-mem)
	fi
	for a in "${some_tools[@]}"; do
		table=$(nsq-window -q -p 693 "$TWO" | $a -q)
		same "$(nsq-window -q -p 693 "$TWO" | col window)" "$(col window <<<"$table" | sort -u)"
		into_every_tool "nsq-window | $a" "$({ cat <<<"$table"; tail -1 <<<"$table"; } | some)"
	done
}

# bats test_tags=more
@test "the launches of a step are found through a tool between" {
	same 51 "$(nsq-window -q -p 693 "$DUALPIPE" | nsq-api -q --class launch | sum count)"
	mapfile -t tools < <(first_few 2 nsq-gaps "nsq-kernels --by gpu" "nsq-overlap --total" nsq-setup nsq-nvtx)
	for a in "${tools[@]}"; do
		same 51 "$(nsq-window -q -p 693 "$DUALPIPE" | $a -q | sed -n 1,2p | nsq-api -q --class launch | sum count)"
	done
	# the rows of --each are windows of their own, the same on both sides
	gap=$(nsq-window -q -p 693 "$DUALPIPE" | nsq-gaps -q --each -n 1)
	read -r a b <<<"$(col start_ns end_ns <<<"$gap")"
	same "$(nsq-window -q -p 693 "$DUALPIPE" | col window | sed 's/@.*//')" "$(col window <<<"$gap")"
	same "$(ask "$DUALPIPE" "SELECT count(*) FROM calls WHERE pid = 693 AND a < $b AND b > $a")" "$(nsq-api -q <<<"$gap" | sum count)"
	# the name of an inner range takes the place of the outer one's
	inner=$(nsq-window -q -p 693 "$DUALPIPE" | nsq-window -q -m 'stage2_f$' --pick all)
	same "" "$(col window <<<"$inner" | grep -vE '^layer[0-9]+\.stage2_f#[0-9]+@[0-9]+\.\.[0-9]+$')"
}

@test "a window of one GPU holds no work of another, in every tool" {
	gap=$(nsq-gaps -q --each -p 693 -g 0 --work kernels "$TWO" | sed -n 1,2p)
	read -r a b <<<"$(col start_ns end_ns <<<"$gap")"
	work="FROM work WHERE pid = 693 AND a < $b AND b > $a AND gpu"
	[ "$(ask "$TWO" "SELECT count(*) $work = 1 AND kind = 'kernel'")" -gt 0 ]
	same 0 "$(nsq-kernels -q --each <<<"$gap" | count)"
	same 0 "$(nsq-overlap -q --each --comm . <<<"$gap" | count)"
	same 0 "$(nsq-nvtx -q <<<"$gap" | sum kernels)"
	other=$(awk -F '\t' -v OFS='\t' 'NR > 1 { $5 = 1 } { print }' <<<"$gap")
	both=$(awk -F '\t' -v OFS='\t' 'NR > 1 { $5 = "-" } { print }' <<<"$gap")
	for table in "$other" "$both"; do
		same "$(ask "$TWO" "SELECT count(*) $work = 1 AND kind = 'kernel'")" "$(nsq-kernels -q <<<"$table" | sum count)"
		same "$(ask "$TWO" "SELECT count(DISTINCT stream) $work = 1")" "$(nsq-streams -q <<<"$table" | where gpu 1 | count)"
		same "$(ask "$TWO" "SELECT count(*) $work = 1 AND kind IN ('copy', 'set')")" "$(nsq-mem -q <<<"$table" | where gpu 1 | sum count)"
	done
	# calls belong to no GPU, and rows keep that of their window
	same "$(nsq-api -q <<<"$both" | without gpu)" "$(nsq-api -q <<<"$gap" | without gpu)"
	same "0" "$(nsq-api -q <<<"$gap" | col gpu | sort -u)"
}

@test "-g is the same as a window's gpu" {
	for tool in nsq-setup nsq-streams "nsq-overlap --total" "nsq-gaps --by cause" nsq-nvtx "nsq-kernels --each" nsq-mem; do
		echo "tool: $tool"
		table=$(printf 'start_ns,end_ns,gpu\n100000000,300000000,1\n')
		same "$($tool -q -g 1 -w 100000000..300000000 "$TWO")" "$($tool -q -w - "$TWO" <<<"$table")"
	done
}

# bats test_tags=more
@test "sums, whose rows have no pid, piped into every tool" {
	mapfile -t sums < <(first_few 1 "nsq-gaps --by gpu" nsq-kernels nsq-nvtx)
	for a in "${sums[@]}"; do
		echo "$a"
		# the rows are of one window, so the answers repeat
		[ "$($a -q "$DUALPIPE" | sed -n 1,2p | python3 "$TESTS/windows/pairs.py" "${B[@]}")" -gt 10 ]
	done
}

# bats test_tags=more
@test "every tool answers each window alone, so the rows of windows given together are those of each" {
	windows=(-w 20ms..40ms -w 30ms..235ms -w 234ms..300.5ms)
	mapfile -t tools < <(printf '%s\n' "${B[@]}" "nsq-gaps --by cause" "nsq-kernels --by nvtx,name" "nsq-api --launch" \
		"nsq-nvtx --tree" "nsq-mem --by kind,pid" | each_nth 3)
	for tool in "${tools[@]}"; do
		echo "tool: $tool"
		for w in 20ms..40ms 30ms..235ms 234ms..300.5ms; do $tool -q -w "$w" "$DUALPIPE"; done | awk 'NR == 1 { head = $0; print; next } $0 != head' > "$BATS_TEST_TMPDIR/one"
		diff "$BATS_TEST_TMPDIR/one" <($tool -q "${windows[@]}" "$DUALPIPE")
	done
}

# ---- the pipelines that the documents promise

# spans TABLE: its windows as -w options.
spans() { col start_ns end_ns <<<"$1" | awk '{ printf " -w %s..%s", $1, $2 }'; }

@test "nsq-gaps --each --min 50us | nsq-api --merge: what the CPU called while the GPU was idle" {
	for t in "$NODES" "$COPIES"; do
		gaps=$(nsq-gaps --each --min 50us "$t")
		[ "$(count <<<"$gaps")" -gt 3 ]
		pid=$(col pid <<<"$gaps" | sort -u)
		got=$(nsq-gaps --each --min 50us "$t" | nsq-api --merge)
		same "$(nsq-api --merge -p "$pid" $(spans "$gaps") "$t" | without gpu)" "$(without gpu <<<"$got")"
		# the gaps are disjoint: a call's time in them is the sum over them, and it counts once
		col start_ns end_ns <<<"$gaps" | awk '{ printf "%s(%s,%s)", (NR > 1 ? "," : ""), $1, $2 }' > "$BATS_TEST_TMPDIR/gaps"
		same "$(ask "$t" "WITH g(a, b) AS (VALUES $(cat "$BATS_TEST_TMPDIR/gaps")), c AS (SELECT calls.rowid AS id, name, sum(min(calls.b, g.b) - max(calls.a, g.a)) AS ns
				FROM calls JOIN g ON calls.a < g.b AND calls.b > g.a WHERE pid = $pid GROUP BY calls.rowid) SELECT name, 1, ns FROM c" |
			awk -F '\t' -v OFS='\t' '{ while (sub(/(_v[0-9]+|_ptsz|_ptds)$/, "", $1)) ; print }' | added 1)" \
			"$(col name count total_ns <<<"$got" | sort)"
		same "$(col start_ns <<<"$gaps" | sort -n | head -1) $(col end_ns <<<"$gaps" | sort -n | tail -1)" "$(col start_ns end_ns <<<"$got" | sort -u | tr '\t' ' ')"
	done
}

@test "nsq-window -m 'decode step' --pick all | nsq-kernels -n 5: the kernels of each step" {
	windows=$(nsq-window -m 'decode step' --pick all "$NODES")
	same 60 "$(count <<<"$windows")"
	got=$(nsq-window -m 'decode step' --pick all "$NODES" | nsq-kernels -q -n 5)
	same "$(nsq-kernels -q -n 5 -p 516 $(spans "$windows") "$NODES" | without window)" "$(without window <<<"$got")"
	same "$(col window <<<"$windows")" "$(col window <<<"$got" | uniq)"
	for i in 0 31 59; do
		w=$(where index $i <<<"$windows" | col window)
		read -r a b <<<"$(where window "$w" <<<"$windows" | col start_ns end_ns)"
		same "$(nsq-kernels -q -n 5 -p 516 -w "$a..$b" "$NODES" | without window)" "$(where window "$w" <<<"$got" | without window)"
		same "$(ask "$NODES" "SELECT name, count(*), sum(min(b, $b) - max(a, $a)) AS ns FROM work WHERE kind = 'kernel' AND a < $b AND b > $a GROUP BY name ORDER BY ns DESC LIMIT 5" | cut -f2,3)" \
			"$(where window "$w" <<<"$got" | col count total_ns)"
	done
}

# bats test_tags=more
@test "nsq-window | nsq-gaps --by cause: who is to blame in each steady-state window" {
	for t in $(first_few 2 "$DUALPIPE" "$COMPILE" "$DDP" "$NODES"); do
		windows=$(nsq-window -q "$t")
		got=$(nsq-window -q "$t" | nsq-gaps -q --by cause)
		[ -n "$(col cause <<<"$got")" ]
		while IFS=$TAB read -r pid a b w; do
			same "$(nsq-gaps -q --by cause -p "$pid" -w "$a..$b" "$t" | without window)" \
				"$(where window "$w" <<<"$got" | where pid "$pid" | without window)"
			same "$((b - a))" "$(( $(where pid "$pid" <<<"$got" | sum idle_ns) + $(where pid "$pid" <<<"$got" | col busy_ns | head -1) ))"
		done < <(col pid start_ns end_ns window <<<"$windows")
	done
}

@test "tables cut by sort, head and grep, and tables in CSV, are windows too" {
	rows=$(nsq-gaps --each "$COPIES" | sort -t "$TAB" -k6,6nr | head -3)
	same 3 "$(wc -l <<<"$rows")"
	same "$({ nsq-gaps --each "$COPIES" | head -1; echo "$rows"; } | nsq-api --by class)" "$(nsq-api --by class <<<"$rows")"
	same "$(nsq-gaps --each -n 4 -q "$COPIES" | nsq-mem -q)" "$(nsq-gaps --each -n 4 -q -f csv "$COPIES" | nsq-mem -q)"
	same "$(nsq-window --pick all -q "$COMPILE" | nsq-gaps --by cause)" "$(nsq-window --pick all -q -f csv "$COMPILE" | nsq-gaps --by cause)"
}

@test "pipes of three: the gaps of the middle step, and what the CPU called in them" {
	answers bash -c 'nsq-window -q "$1" | nsq-gaps -q --each --min 20us | nsq-api --by class' - "$COMPILE"
	gaps=$(nsq-window -q "$COMPILE" | nsq-gaps --each --min 20us)
	same "$(python3 "$TESTS/windows/pairs.py" --alone "nsq-api --by class" <<<"$gaps" | without window)" "$(without window <<<"$output")"
	same "$(nsq-window -q "$COMPILE" | col window | sed 's/@.*//')" "$(col window <<<"$output" | sort -u)"
}

@test "-g leaves out the windows of another GPU" {
	for gpu in 0 1; do
		table=$(printf 'start_ns,end_ns,gpu\n100000000,300000000,0\n100000000,300000000,1\n')
		mine=$(awk -F , -v gpu=$gpu 'NR == 1 || $3 == gpu' <<<"$table")
		for tool in nsq-streams "nsq-kernels --each" nsq-mem; do
			echo "tool: $tool -g $gpu"
			same "$($tool -q -w - "$TWO" <<<"$mine")" "$($tool -q -g $gpu -w - "$TWO" <<<"$table")"
		done
	done
}

@test "a GPU that has no work is refused, and a window of it skipped, also if its number is 0" {
	t=$(change "$COPIES" "$(printf 'UPDATE CUPTI_ACTIVITY_KIND_%s SET deviceId = 1;' KERNEL MEMCPY MEMSET)")
	read -r a b <<<"$(sql "$t" "SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")"
	for gpu in 0 2; do
		for tool in nsq-streams nsq-kernels nsq-gaps; do
			echo "tool: $tool, GPU $gpu"
			fails 2 "GPU $gpu" -- $tool -g $gpu "$t"
			mentions "GPU $gpu" -- $tool -w <(printf 'start_ns,end_ns,gpu\n%s,%s,%s\n%s,%s,1\n' "$a" "$b" $gpu "$a" "$b") "$t"
			same 1 "$(col gpu <<<"$output" | sort -u | sed s/-/1/)"
		done
	done
}
