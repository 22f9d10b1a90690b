# Tables are closed under piping: for every pair of tools, the second answers for each row of the first
# what it answers for the same window given with -w and -p.
load ../helper
load ../accounting

# The tools, each in a mode whose rows are windows of their own where it has one.
A=("nsq-setup" "nsq-window --pick all" "nsq-streams" "nsq-overlap --each" "nsq-gaps --each" "nsq-nvtx --each" "nsq-kernels --each" "nsq-api --each" "nsq-mem --each")
B=(nsq-setup nsq-window nsq-streams nsq-overlap nsq-gaps nsq-nvtx nsq-kernels nsq-api nsq-mem)

# alone TOOL ROWS: the tool for each row of a window table by -w and -p, one run a row; one header.
alone() {
	local pid a b trace p n=0
	while IFS=$TAB read -r pid a b trace; do
		p=(); [ "$pid" = - ] || p=(-p "$pid")
		$1 -q -w "$a..$b" "${p[@]}" "$trace" | awk -v n="$n" 'n == 0 || NR > 1'
		n=1
	done < <(col pid start_ns end_ns trace <<<"$2")
}

# pairs A TRACE: three of the rows of A (first, second, last) piped into every tool.
pairs() {
	local table tool got want any=0
	table=$($1 -q "$2" | without cpu_start_ns cpu_end_ns | sed -n '1,3p;$p')
	[ "$(count <<<"$table")" -ge 2 ]
	for tool in "${B[@]}"; do
		echo "pair: $1 | $tool"
		got=$($tool -q <<<"$table")
		want=$(alone "$tool" "$table")
		if [ "$tool" = nsq-window ]; then
			same "$want" "$got" || return
		else
			same "$(without window <<<"$want")" "$(without window <<<"$got")" || return
			# each row carries the window of the row it answers
			same "" "$(col window <<<"$got" | grep -vxF -f <(col window <<<"$table"))" || return
		fi
		any=$((any + $(count <<<"$got")))
	done
	[ "$any" -gt 10 ]
}


@test "nsq-setup | every tool" { pairs "${A[0]}" "$DUALPIPE"; }
@test "nsq-window --pick all | every tool" { pairs "${A[1]}" "$DUALPIPE"; }
@test "nsq-streams | every tool" { pairs "${A[2]}" "$DUALPIPE"; }
@test "nsq-overlap --each | every tool" { pairs "${A[3]}" "$DUALPIPE"; }
@test "nsq-gaps --each | every tool" { pairs "${A[4]}" "$DUALPIPE"; }
@test "nsq-nvtx --each | every tool" { pairs "${A[5]}" "$DUALPIPE"; }
@test "nsq-kernels --each | every tool" { pairs "${A[6]}" "$DUALPIPE"; }
@test "nsq-api --each | every tool" { pairs "${A[7]}" "$DUALPIPE"; }
@test "nsq-mem --each | every tool" { pairs "${A[8]}" "$DUALPIPE"; }

@test "sums, whose rows have no pid, piped into every tool" {
	for a in nsq-kernels nsq-nvtx "nsq-gaps --by gpu"; do
		table=$($a -q "$DUALPIPE")
		for tool in "${B[@]}"; do
			echo "pair: $a | $tool"
			# the rows are of one window, so the answers repeat
			one=$(sed -n 1,2p <<<"$table")
			same "$(alone "$tool" "$one" | without window)" "$($tool -q <<<"$one" | without window)"
		done
	done
}

@test "every tool answers each window alone, so the rows of windows given together are those of each" {
	windows=(-w 20ms..40ms -w 30ms..235ms -w 234ms..300.5ms)
	for tool in "${B[@]}" "nsq-gaps --by cause" "nsq-kernels --by nvtx,name" "nsq-api --launch" "nsq-nvtx --tree" "nsq-mem --by kind,pid"; do
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
		same "$(nsq-api --merge -p "$pid" $(spans "$gaps") "$t")" "$got"
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
	for w in 'decode step#0' 'decode step#31' 'decode step#59'; do
		read -r a b <<<"$(where window "$w" <<<"$windows" | col start_ns end_ns)"
		same "$(nsq-kernels -q -n 5 -p 516 -w "$a..$b" "$NODES" | without window)" "$(where window "$w" <<<"$got" | without window)"
		same "$(ask "$NODES" "SELECT name, count(*), sum(min(b, $b) - max(a, $a)) AS ns FROM work WHERE kind = 'kernel' AND a < $b AND b > $a GROUP BY name ORDER BY ns DESC LIMIT 5" | cut -f2,3)" \
			"$(where window "$w" <<<"$got" | col count total_ns)"
	done
}

@test "nsq-window | nsq-gaps --by cause: who is to blame in each steady-state window" {
	for t in "$DUALPIPE" "$DDP" "$COMPILE" "$NODES"; do
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
	same "$(alone "nsq-api --by class" "$gaps" | without window)" "$(without window <<<"$output")"
	same "$(nsq-window -q "$COMPILE" | col window)" "$(col window <<<"$output" | sort -u)"
}
