# nsq-kernels: which kernels take the time?
load ../helper
load ../accounting
load ../small-traces

NUMBERS='count total_ns mean_ns p50_ns p90_ns p99_ns min_ns max_ns'

# Work of the oracle as nsq-kernels classes it.
CLASS="CASE WHEN comm THEN 'comm' ELSE replace(kind, 'kernel', 'compute') END"

@test "shares are rounded as printf rounds them, also those halfway between two texts" {
	while read -r ns all pct; do
		t=$(made "INSERT INTO S VALUES (9, 'other'); INSERT INTO K VALUES (0, $ns, 0, 1, 7, 1, $P5, 1, 1), (10000000, 10000000 + $all - $ns, 0, 1, 7, 2, $P5, 9, 9)")
		same "$pct" "$(nsq-kernels -q "$t" | where name gemm | col pct)"
	done <<-END
		1 800 0.12
		3 800 0.38
		201 20000 1.00
		999949 1000000 99.99
		999951 1000000 100.00
		2675 100000 2.67
		49 1000000 0.00
		51 1000000 0.01
	END
}

# bats test_tags=more
@test "short names, counts, totals and extremes are those of cuda_gpu_kern_sum.base, row by row, in every fixture" {
	check() {
		local got
		got=$(nsq-kernels -q "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "class") c = i } $c != "graph"' |
			col name count total_ns min_ns max_ns | sort)
		[ -n "$got" ]
		same "$(golden "$2" cuda_gpu_kern_sum.base "SELECT Name, Instances, \"Total Time (ns)\", \"Min (ns)\", \"Max (ns)\" FROM g
			WHERE Name <> 'Kernel2'" | sort)" "$(grep -v '^cutlass_' <<<"$got")"
	}
	every check
}

# bats test_tags=more
@test "--full: demangled names and their numbers are those of cuda_gpu_kern_sum, row by row, in every fixture" {
	check() {
		local got
		got=$(nsq-kernels -q --full "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "class") c = i } $c != "graph"' |
			col name count total_ns min_ns max_ns | sort)
		[ -n "$got" ]
		same "$(golden "$2" cuda_gpu_kern_sum \
			'SELECT "Name", "Instances", "Total Time (ns)", "Min (ns)", "Max (ns)" FROM g' | sort)" "$got"
	}
	every check
}

# bats test_tags=more,long
@test "a kernel of CUTLASS has the name of its template argument, in every tool and however it is asked for" {
	want=$(golden ddp-2rank cuda_gpu_kern_sum "SELECT substr(Name, 23, instr(Name, '>(') - 23), Instances, \"Total Time (ns)\" FROM g
		WHERE Name LIKE 'void cutlass::Kernel2<%'" | sort)
	same 4 "$(wc -l <<<"$want")"
	for m in $(first_few 2 '^cutlass_80' Kernel2 '^void.cutlass::'); do
		same "$want" "$(nsq-kernels -q -m "$m" "$DDP" | col name count total_ns | sort)"
		same "$(cut -f1,2 <<<"$want")" "$(nsq-find -q "$m" "$DDP" | col name | tally | sort)"
	done
	same "$want" "$(nsq-sql -q 'SELECT name, count(*), sum(dur_ns) FROM kernels GROUP BY 1' "$DDP" | grep ^cutlass_80 | sort)"
	[ "$(nsq-gaps -q --each "$DDP" | col prev next | grep -c cutlass_80_simt)" -gt 0 ]
	lacks "$(nsq-gaps -q --each "$DDP"; nsq-streams -q "$DDP"; nsq-export -q -o - "$DDP" | head -c 2000000)" '"Kernel2"' "${TAB}Kernel2"
	same "" "$(nsq-kernels -q -m '^Kernel2$' "$DDP" | col name)"
	# ncu knows the function only, and counts all of its launches
	n=$(sql "$DDP" "SELECT count(*) / 8 FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName WHERE value = 'Kernel2'
		AND globalPid = (SELECT min(globalPid) FROM CUPTI_ACTIVITY_KIND_KERNEL)")       # of each of the 8 steps
	holds "$(nsq-kernels -q -m nn_align1 "$DDP" | nsq-capture -q --ncu-for - 2>&1)" "--kernel-name 'regex:^Kernel2\$'" "--launch-count $n "
}

@test "by definition: a kernel that starts before 0 is left out, one that starts at 0 is not" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -5000, end = 700 WHERE rowid = 1" \
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, end = 900 WHERE rowid = 2")
	same "$(ask "$t" "SELECT name, count(*), sum(b - a), min(b - a) FROM work WHERE kind = 'kernel' GROUP BY name" | sort)" \
		"$(nsq-kernels "$t" | col name count total_ns min_ns | sort)"
	same 73 "$(nsq-kernels "$t" | sum count)"
	same 74 "$(sql "$t" "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")"
}

@test "by definition: whole graphs are work of class graph, with their id in the name" {
	answers nsq-kernels "$WHOLE"
	graphs=$(where class graph <<<"$output")
	same "$(sql "$WHOLE" "SELECT graphId, count(*), sum(end - start), min(end - start), max(end - start)
			FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE GROUP BY graphId ORDER BY 3 DESC")" \
		"$(col name count total_ns min_ns max_ns <<<"$graphs" | sed 's/^[^0-9]*//')"
	same "" "$(golden decode-graph-whole cuda_gpu_kern_sum.base "SELECT * FROM g WHERE Name LIKE '%graph%'")"
	# and each under its own id
	t=$(change "$WHOLE" "UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET graphId = graphId + 1000 + rowid % 3")
	same "$(sql "$t" "SELECT graphId, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE GROUP BY 1 ORDER BY 1")" \
		"$(nsq-kernels "$t" | where class graph | col name count total_ns | sed 's/^[^0-9]*//' | sort)"
}

@test "CUDA graph nodes are counted once each, though one launch owns many" {
	same "$(sql "$NODES" "SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL")" \
		"$(nsq-kernels "$NODES" | sum count total_ns)"
	# the launch that owns most, and how many kernels it owns
	same "$(ask "$NODES" "SELECT launch, count(*) FROM launched WHERE kind = 'kernel' GROUP BY launch ORDER BY 2 DESC, 1 LIMIT 1")" \
		"$(nsq-kernels --each "$NODES" | col launch_ns | tally | sort -t "$TAB" -k2,2nr -k1,1n | head -1)"
	[ "$(nsq-kernels --each "$NODES" | col launch_ns | tally | cut -f2 | sort -n | tail -1)" -gt 100 ]
}

# bats test_tags=more
@test "means, percentiles by nearest rank and extremes are those of awk, name by name, in every fixture" {
	check() {
		same "$(ask "$1" "SELECT CASE kind WHEN 'graph' THEN 'graph' ELSE name END, b - a FROM work WHERE $KERNELS" | measured)" \
			"$(nsq-kernels -q "$1" | col class name $NUMBERS |
				awk -F '\t' -v OFS='\t' '$1 == "graph" { $2 = "graph" } { sub(/^[^\t]*\t/, ""); print }' | sort)"
	}
	every check
}

@test "pct is the share of the total of all rows of the window" {
	nsq-kernels -q "$DUALPIPE" | col total_ns pct > "$BATS_TEST_TMPDIR/pct"
	awk -F '\t' '{ sum += $1; t[NR] = $1; p[NR] = $2 }
		END { for (i = 1; i <= NR; i++) if (sprintf("%.2f", 100.0 * t[i] / sum) != p[i]) { print i, t[i], p[i]; bad = 1 }
			exit bad || NR < 5 }' "$BATS_TEST_TMPDIR/pct"
}

@test "rows come longest total first, then by the columns from left to right" {
	nsq-kernels "$NODES" | col total_ns | sort -c -nr
	nsq-kernels --by stream,name "$DUALPIPE" | col total_ns | sort -c -nr
	# equal totals: the same kernels under two names
	t=$(change "$COPIES" "INSERT INTO StringIds VALUES (900001, 'a twin'), (900002, 'b twin')" \
		"DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 2" \
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 777, shortName = 900003 - rowid")
	same "a twin${TAB}b twin" "$(nsq-kernels "$t" | col name | paste -s)"
}

# bats test_tags=more
@test "elapsed_ns adds up to the busy time of kernels and graphs, in every fixture" {
	check() {
		same "$(ask "$1" "SELECT proc || '/' || gpu, a, b FROM work WHERE $KERNELS" | covered |
			awk '{ s += $2 } END { printf "%.0f\n", s }')" "$(nsq-kernels -q "$1" | sum elapsed_ns)"
	}
	every check
}

# bats test_tags=more
@test "--work all: elapsed_ns adds up to the busy time of all work, which is that of nsq-gaps, in every fixture" {
	check() {
		busy=$(ask "$1" "SELECT proc || '/' || gpu, a, b FROM work" | covered | awk '{ s += $2 } END { printf "%.0f\n", s }')
		same "$busy" "$(nsq-kernels -q --work all "$1" | sum elapsed_ns)"
		same "$busy" "$(nsq-gaps -q "$1" | sum busy_ns)"
	}
	every check
}

# bats test_tags=more
@test "elapsed_ns of a row is what no work of the same process and GPU begun earlier covers" {
	for args in "" "--work all"; do
		for t in $(first_few 2 "$DUALPIPE" "$COPIES" "$COMPILE"); do
			same "$(ask "$t" "SELECT proc || '/' || gpu, a, b, kind IN ('copy', 'set'), name FROM work
					WHERE kind IN ('kernel', 'graph') OR length('$args') ORDER BY 1, 2, 3" |
				awk -F '\t' -v OFS='\t' '$1 != lane { lane = $1; until = -1 }
					{ from = $2 + 0 > until ? $2 + 0 : until; ns = $3 > from ? $3 - from : 0
					  if ($3 + 0 > until) until = $3 + 0; if ($4) ns4 += ns; else print $5, sprintf("%.0f", ns) }
					END { if (ns4) print "copies", sprintf("%.0f", ns4) }' | added 1)" \
				"$(nsq-kernels $args "$t" | col class name elapsed_ns |
					awk -F '\t' -v OFS='\t' '{ print ($1 == "copy" ? "copies" : $2), $3 }' | added 1)"
		done
	done
}

@test "elapsed_ns is of each process and GPU: where processes share a GPU it is summed, and its meaning says so" {
	same "$(nsq-kernels --by pid,gpu "$DUALPIPE" | sum elapsed_ns)" "$(nsq-kernels --by gpu "$DUALPIPE" | col elapsed_ns)"
	[ "$(nsq-kernels --by gpu "$DUALPIPE" | col elapsed_ns)" -gt "$(nsq-gaps --by gpu "$DUALPIPE" | col busy_ns)" ]
	holds "$(nsq-kernels --by gpu --columns | where name elapsed_ns)" "process and GPU" "adds up"
}

@test "elapsed_ns in a window is cut to it" {
	same "$(ask "$DUALPIPE" "SELECT proc, max(a, 90000000), min(b, 300500000) FROM work WHERE $KERNELS AND a < 300500000 AND b > 90000000" |
			covered | awk '{ s += $2 } END { printf "%.0f\n", s }')" \
		"$(nsq-kernels -w 90ms..300.5ms "$DUALPIPE" | sum elapsed_ns)"
	same "$(nsq-gaps --work kernels -w 90ms..300.5ms "$DUALPIPE" | sum busy_ns)" \
		"$(nsq-kernels -w 90ms..300.5ms "$DUALPIPE" | sum elapsed_ns)"
}

@test "--work all adds copies and sets, as class copy" {
	answers nsq-kernels --work all "$COPIES"
	same "$(ask "$COPIES" "SELECT count(*), sum(b - a) FROM work WHERE $MOVES")" "$(where class copy <<<"$output" | sum count total_ns)"
	same "$(ask "$COPIES" "SELECT count(*), sum(b - a) FROM work WHERE $KERNELS")" \
		"$(where class compute <<<"$output" | sum count total_ns)"
	fails 2 "--work" "'copies'" -- nsq-kernels --work copies "$COPIES"
}

@test "class is comm for what begins with nccl, or matches --comm" {
	same "$(ask "$DUALPIPE" "SELECT name, CASE WHEN comm THEN 'comm' ELSE 'compute' END FROM work WHERE kind = 'kernel' GROUP BY name" | sort)" \
		"$(nsq-kernels "$DUALPIPE" | col name class | sort)"
	same "saxpy" "$(nsq-kernels --comm '^sax' "$COPIES" | where class comm | col name)"
}

@test "--by pid, gpu, stream: the same kernels, summed in SQL" {
	same "$(ask "$DUALPIPE" "SELECT pid, count(*), sum(b - a), min(b - a), max(b - a) FROM work WHERE $KERNELS GROUP BY pid ORDER BY 3 DESC")" \
		"$(nsq-kernels --by pid "$DUALPIPE" | col pid count total_ns min_ns max_ns)"
	same "$(ask "$DUALPIPE" "SELECT '-', gpu, count(*), sum(b - a) FROM work WHERE $KERNELS GROUP BY gpu ORDER BY 4 DESC")" \
		"$(nsq-kernels --by gpu "$DUALPIPE" | col pid gpu count total_ns)"
	same "$(ask "$DUALPIPE" "SELECT pid, gpu, ctx, stream, count(*), sum(b - a) FROM work WHERE $KERNELS GROUP BY proc, gpu, ctx, stream ORDER BY 6 DESC")" \
		"$(nsq-kernels --by stream "$DUALPIPE" | col pid gpu ctx stream count total_ns)"
	same "$(ask "$DUALPIPE" "SELECT pid, gpu, count(*), sum(b - a), name FROM work WHERE $KERNELS GROUP BY proc, gpu, name ORDER BY 4 DESC")" \
		"$(nsq-kernels --by name,gpu,pid "$DUALPIPE" | col pid gpu count total_ns name)"
	# the rank stands beside the pid
	same "$(nsq-setup "$DUALPIPE" | col pid rank)" "$(nsq-kernels --by pid "$DUALPIPE" | col pid rank | sort)"
}

@test "--by stream: a stream of the same number in another process or GPU is another stream" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 3 WHERE rowid % 2")
	same "$(ask "$t" "SELECT gpu, ctx, stream, count(*), sum(b - a) FROM work WHERE kind = 'kernel' GROUP BY 1, 2, 3 ORDER BY 5 DESC")" \
		"$(nsq-kernels --by stream "$t" | col gpu ctx stream count total_ns)"
	same "$(ask "$t" "SELECT gpu, count(*), sum(b - a) FROM work WHERE kind = 'kernel' AND gpu = 3 GROUP BY 1")" \
		"$(nsq-kernels -g 3 --by gpu "$t" | col gpu count total_ns)"
}

@test "--by: the keys give the columns, the measures stay" {
	measures="count total_ns pct elapsed_ns mean_ns p50_ns p90_ns p99_ns min_ns max_ns"
	head5="pid rank start_ns end_ns gpu"
	while IFS='|' read -r by before after; do
		echo "--by $by"
		want="$head5 $before $measures $after window trace"
		same "$(tr -s ' ' <<<"$want")" "$(nsq-kernels --by "$by" "$COPIES" | head -1 | tr '\t' ' ')"
	done <<-'END'
		name||class name
		gpu||
		stream|ctx stream|
		pid||
		category||category
		nvtx||nvtx
		nvtx,name||class nvtx name
		stream,category|ctx stream|category
	END
	fails 2 "'colour'" -- nsq-kernels --by colour "$COPIES"
}

# bats test_tags=more
@test "--by nvtx: by the innermost range around each launch, names folded" {
	for t in $(first_few 2 "$DUALPIPE" "$NODES" "$WHOLE" "$COPIES" "$COMPILE"); do
		same "$(ask "$t" "SELECT coalesce($INNERMOST, '-'), 1, b - a FROM launched l WHERE $KERNELS" | fold_cell 1 | added 1)" \
			"$(nsq-kernels -q --by nvtx "$t" | col nvtx count total_ns | sort)"
	done
}

@test "--by nvtx,name crosses ranges with kernels" {
	same "$(ask "$DUALPIPE" "SELECT coalesce($INNERMOST, '-'), name, 1, b - a FROM launched l WHERE $KERNELS" | fold_cell 1 | added 2)" \
		"$(nsq-kernels --by nvtx,name "$DUALPIPE" | col nvtx name count total_ns | sort)"
	[ "$(nsq-kernels --by nvtx,name "$DUALPIPE" | count)" -gt "$(nsq-kernels "$DUALPIPE" | count)" ]
}

@test "--adopt: work outside every range of its own thread stands in those of the main thread" {
	same "$(ask "$COMPILE" "SELECT coalesce($INNERMOST, (SELECT r.name FROM ranges r WHERE r.proc = l.proc AND r.tid = l.pid AND
			r.type = 59 AND r.a <= l.launch AND r.b > l.launch ORDER BY r.a DESC, r.b LIMIT 1), '-'), 1, b - a
			FROM launched l WHERE $KERNELS" | fold_cell 1 | added 1)" \
		"$(nsq-kernels -q --adopt --by nvtx "$COMPILE" | col nvtx count total_ns | sort)"
	run diff <(nsq-kernels -q --by nvtx "$COMPILE") <(nsq-kernels -q --adopt --by nvtx "$COMPILE")
	[ "$status" -eq 1 ]
	fails 2 "'--adopt'" -- nsq-kernels --adopt "$COMPILE"
}

# bats test_tags=more
@test "--each: one row per kernel with its stream, launch, class and range, as SQL says" {
	for t in $(first_few 2 "$DUALPIPE" "$WHOLE" "$COPIES"); do
		same "$(ask "$t" "SELECT pid, a, b, gpu, ctx, stream, coalesce(launch, '-'), b - a, $CLASS,
				coalesce($INNERMOST, '-'), CASE kind WHEN 'graph' THEN '' ELSE name END FROM launched l WHERE $KERNELS" | sort)" \
			"$(nsq-kernels -q --each "$t" | col pid start_ns end_ns gpu ctx stream launch_ns dur_ns class nvtx name |
				awk -F '\t' -v OFS='\t' '$9 == "graph" { $11 = "" } { print }' | sort)"
	done
}

@test "--each: rows come by start within a window; a kernel that the window cuts is shown cut" {
	nsq-kernels --each -p 693 "$DUALPIPE" | col start_ns | sort -c -n
	local a b
	read -r a b <<<"$(ask "$DUALPIPE" "SELECT a, b FROM work WHERE pid = 693 AND kind = 'kernel' ORDER BY b - a DESC LIMIT 1")"
	same "$((a + 1000))$TAB$((b - 1000))$TAB$((b - a - 2000))" \
		"$(nsq-kernels --each -p 693 -w $((a + 1000))..$((b - 1000)) "$DUALPIPE" | where dur_ns $((b - a - 2000)) | col start_ns end_ns dur_ns)"
}

@test "--each: work whose launch is not in the trace is listed, without launch and range" {
	t=$(change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE correlationId IN
		(SELECT correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 5)")
	same "$(sql "$t" "SELECT start, '-', '-' FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start LIMIT 5")" \
		"$(nsq-kernels --each "$t" | where launch_ns - | col start_ns launch_ns nvtx)"
	same 74 "$(nsq-kernels --each "$t" | count)"
}

@test "a launch is looked for in the kernel's own process" {
	# every call of process 694 that shares a correlation id with another process
	same "$(ask "$DUALPIPE" "SELECT a, launch FROM launched WHERE kind = 'kernel' AND pid = 694 ORDER BY a, launch")" \
		"$(nsq-kernels --each -p 694 "$DUALPIPE" | col start_ns launch_ns | sort -k1,1n -k2,2n)"
	[ "$(ask "$DUALPIPE" "SELECT count(DISTINCT x.proc) FROM calls x JOIN work w ON w.corr = x.corr WHERE w.pid = 694")" -gt 1 ]
}

@test "-w, -p and --inside: the time of a kernel is the part inside" {
	for w in "90000000 300500000" "234700000 240000000"; do
		set -- $w
		same "$(ask "$DUALPIPE" "SELECT name, count(*), sum(min(b, $2) - max(a, $1)), max(min(b, $2) - max(a, $1)) FROM work
				WHERE kind = 'kernel' AND pid = 693 AND a < $2 AND b > $1 GROUP BY name" | sort)" \
			"$(nsq-kernels -p 693 -w "$1..$2" "$DUALPIPE" | col name count total_ns max_ns | sort)"
		same "$(ask "$DUALPIPE" "SELECT name, count(*), sum(b - a) FROM work
				WHERE kind = 'kernel' AND pid = 693 AND a >= $1 AND b <= $2 GROUP BY name" | sort)" \
			"$(nsq-kernels --inside -p 693 -w "$1..$2" "$DUALPIPE" | col name count total_ns | sort)"
	done
}

@test "-n: the first rows of each window, and stderr says how many were left out" {
	all=$(nsq-window --pick all -q "$COMPILE" | nsq-kernels)
	windows=$(col window <<<"$all" | uniq | wc -l)
	[ "$windows" -gt 5 ]
	run --separate-stderr bash -c 'nsq-window --pick all -q "$1" | nsq-kernels -n 2' - "$COMPILE"
	same 0 "$status"
	same "$(awk -F '\t' 'NR == 1 { print; next } { w = $(NF - 1) } w != was { n = 0; was = w } ++n <= 2' <<<"$all")" "$output"
	same 1 "${#stderr_lines[@]}"
	holds "$stderr" "-n shows $((2 * windows)) of $(count <<<"$all") rows"
}

# ---- categories

@test "--categories: a TSV of rules on the demangled name; first match wins, groups, - for the rest" {
	printf '%s\n' '# what runs' "^nccl${TAB}nccl" "FillFunctor${TAB}fill" "([a-z]+)_elementwise${TAB}elementwise \\1" "elementwise${TAB}elementwise" > "$BATS_TEST_TMPDIR/rules"
	want=$(sql "$NODES" "SELECT value, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName" |
		awk -F '\t' -v OFS='\t' '
			/FillFunctor/ { print "fill", 1, $2; next }
			match($1, /[a-z]+_elementwise/) { print "elementwise " substr($1, RSTART, RLENGTH - 12), 1, $2; next }
			/elementwise/ { print "elementwise", 1, $2; next } { print "-", 1, $2 }' | added 1)
	[ "$(wc -l <<<"$want")" -gt 2 ]
	same "$want" "$(nsq-kernels --categories "$BATS_TEST_TMPDIR/rules" "$NODES" | col category count total_ns | sort)"
	# by category too when other keys are asked for
	same "$want" "$(nsq-kernels --by category,name --categories "$BATS_TEST_TMPDIR/rules" "$NODES" | col category count total_ns | added 1)"
	same "$want" "$(nsq-kernels --by name --categories "$BATS_TEST_TMPDIR/rules" "$NODES" | col category count total_ns | added 1)"
}

@test "--categories: the JSON of engines and models, chosen by FILE:engine:model" {
	cat > "$BATS_TEST_TMPDIR/rules.json" <<-'END'
		{"vllm": {"llama": {"nvjet|gemm": "gemm", "elementwise": "elementwise", "reduce": "reduce"},
		          "other": {".*": "anything"}},
		 "sglang": {"llama": {"nvjet": "matmul"}}}
	END
	for choice in vllm:llama vllm:other sglang:llama; do
		case $choice in
		vllm:llama) awk='/nvjet|gemm/ { c = "gemm" } !c && /elementwise/ { c = "elementwise" } !c && /reduce/ { c = "reduce" }' ;;
		vllm:other) awk='{ c = "anything" }' ;;
		sglang:llama) awk='/nvjet/ { c = "matmul" }' ;;
		esac
		same "$(sql "$NODES" "SELECT value, end - start FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName" |
			awk -F '\t' -v OFS='\t' "{ c = \"\" } $awk { print c == \"\" ? \"-\" : c, 1, \$2 }" | added 1)" \
			"$(nsq-kernels --categories "$BATS_TEST_TMPDIR/rules.json:$choice" "$NODES" | col category count total_ns | sort)"
	done
	fails 2 "nobody" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/rules.json:vllm:nobody" "$NODES"
	fails 2 "rules.json" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/rules.json" "$NODES"
}

@test "--categories: rules in JSON know copies and sets by the names of nsys's reports, those in lines by ours" {
	# a copy of each kind; those of arrays count as device memory
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = rowid % 14")
	kinds="SELECT '[CUDA memcpy ' || replace(label, 'Array', 'Device') || ']' AS c, end - start AS ns FROM CUPTI_ACTIVITY_KIND_MEMCPY
		JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind UNION ALL SELECT '[CUDA memset]', end - start FROM CUPTI_ACTIVITY_KIND_MEMSET"
	want=$(sql "$t" "SELECT c, count(*), sum(ns) FROM ($kinds) GROUP BY c" | sort)
	same 10 "$(wc -l <<<"$want")"
	cd "$BATS_TEST_TMPDIR"
	cut -f1 <<<"$want" | sed 's/.*/"&": ["&"]/' | paste -sd , | sed 's/.*/{&}/' > parts.json
	cut -f1 <<<"$want" | sed 's/.\(.*\)./"^[[]\1]$": "&"/' | paste -sd , | sed 's/.*/{"e": {"m": {&}}}/' > regex.json
	for rules in parts.json regex.json:e:m; do
		same "$want" "$(nsq-kernels -q --work all --categories $rules "$t" | col category count total_ns | grep CUDA | sort)"
	done
	printf '^mem(cpy .2.|set)$\tours\nCUDA mem\ttheirs\n' > lines
	same "$(sql "$t" "SELECT 'ours', sum(ns) FROM ($kinds) WHERE c NOT LIKE '% Un%'")" \
		"$(nsq-kernels -q --work all --categories lines "$t" | col category total_ns | grep -v '^-')"
	# a kernel is matched by its own name
	same "$(nsq-kernels -q --categories parts.json "$t" | col category | sort -u)" -
}

@test "--categories: the JSON of labels and substrings, which are no patterns" {
	echo '{"gemm": ["nvjet", "gemm("], "point": ["element.ise"], "elementwise": ["elementwise"]}' > "$BATS_TEST_TMPDIR/rules.json"
	same "$(sql "$NODES" "SELECT CASE WHEN value LIKE '%nvjet%' THEN 'gemm' WHEN value LIKE '%elementwise%' THEN 'elementwise' ELSE '-' END AS c,
			count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName GROUP BY c" | sort)" \
		"$(nsq-kernels --categories "$BATS_TEST_TMPDIR/rules.json" "$NODES" | col category count total_ns | sort)"
}

@test "--categories: a file that is missing, of no form, or with a bad pattern is named" {
	fails 2 "'$BATS_TEST_TMPDIR/none'" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/none" "$NODES"
	echo '{"gemm": 3}' > "$BATS_TEST_TMPDIR/bad.json"
	fails 2 "bad.json" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/bad.json" "$NODES"
	echo '{"gemm": [["nvjet"]]}' > "$BATS_TEST_TMPDIR/bad.json"
	fails 2 "the value of 'gemm' is neither a text nor a list of texts" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/bad.json" "$NODES"
	echo '{"gemm": [], "point": ["element"]}' > "$BATS_TEST_TMPDIR/bad.json"
	run -0 nsq-kernels -q --categories "$BATS_TEST_TMPDIR/bad.json" "$NODES"
	printf 'a(\tx\n' > "$BATS_TEST_TMPDIR/bad"
	fails 2 "a(" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/bad" "$NODES"
	echo '{"e": {"m": {"a(": "x"}}}' > "$BATS_TEST_TMPDIR/bad.json"
	fails 2 "a(" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/bad.json:e:m" "$NODES"
}

@test "--by category: what a kernel does decides, not the types that its demangled name holds" {
	local sql="" n=9 category name
	while IFS='|' read -r category name; do
		n=$((n + 1))
		sql+="INSERT INTO S VALUES ($n, '$name'); INSERT INTO K VALUES (${n}000, ${n}999, 0, 1, 7, $n, $P5, $n, $n);"
		printf '%s\t%s\n' "$category" "$name" >> "$BATS_TEST_TMPDIR/expected"
	done <<-'END'
		reduce|void cub::DeviceReduceKernel<cub::Policy600, __gnu_cxx::__normal_iterator<int *, std::vector<int>>>(T1)
		reduce|void cub::DeviceScanKernel<cub::Policy900, __gnu_cxx::__normal_iterator<int *, std::vector<int>>>(T1)
		-|void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::for_each_f<thrust::detail::normal_iterator<int>>>(T1)
		sample|void at::native::distribution_elementwise_grid_stride_kernel<float, (int)4, at::native::normal_kernel>(long)
		norm|void at::native::vectorized_layer_norm_kernel<float>(int)
		norm|void normalize_rows(float *)
		norm|void apex::cuApplyLayerNorm
		-|void dali::kernels::warp::BatchWarpUniformSize<(int)3>(const dali::kernels::warp::SampleDesc<(int)3> *)
		-|void upsample_nearest2d_out_frame<float>(int)
		sample|void vllm::sample_recovered_tokens_kernel(int)
		sample|void sampling::TopPSamplingFromProbKernel<float>(float *)
		conv|void cudnn::detail::implicit_convolve_sgemm<float, float, 128>(int)
		conv|sm80_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize128x32x32_execute_kernel__5x_cudnn
		gemm|sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x128x32_stage3_warpsize2x2x1_tensor16x8x8_kernel
		attn|cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0
	END
	same "$(sort "$BATS_TEST_TMPDIR/expected")" "$(nsq-kernels -q --by category,name --full "$(made "$sql")" | col category name | sort)"
}

@test "--categories llama, qwen, deepseek, mixtral: llm, and what the kernels of these models add" {
	local sql="" n=9 model category name
	while IFS='|' read -r model category name; do
		n=$((n + 1))
		sql+="INSERT INTO S VALUES ($n, '$name'); INSERT INTO K VALUES (${n}000, ${n}999, 0, 1, 7, $n, $P5, $n, $n);"
		printf '%s\t%s\n' "$category" "$name" >> "$BATS_TEST_TMPDIR/$model"
	done <<-'END'
		llama|gemm|void mul_mat_vec_q<(ggml_type)8, (int)1>(const void *)
		llama|gemm|void mul_mat_q<(ggml_type)8, (int)64>(const char *)
		llama|rope|void rope_norm<(bool)1, float>(const float *)
		llama|softmax|void soft_max_f32<(bool)1, (int)0>(const float *)
		llama|embedding|void k_get_rows_float<float, float>(const float *)
		llama|quant|quantize_q8_1(const float *, void *)
		llama|elementwise|void k_bin_bcast<&op_add, float, float>(const float *)
		llama|elementwise|_swiglu_forward_kernel
		qwen|attn|chunk_gated_delta_rule_fwd_kernel_h_blockdim64
		qwen|attn|fused_recurrent_gated_delta_rule_fwd_kernel
		deepseek|moe_gemm|void deep_gemm::sm90_fp8_gemm_1d2d_impl<(unsigned int)0, (deep_gemm::GemmType)1>(float *)
		deepseek|gemm|void deep_gemm::sm90_fp8_gemm_1d2d_impl<(unsigned int)0, (deep_gemm::GemmType)0>(float *)
		deepseek|kv_cache|void vllm::concat_and_cache_mla_kernel<float, float>(const float *)
		deepseek|gemm|_w8a8_triton_block_scaled_mm
		deepseek|attn|_fwd_grouped_kernel_stage1
		mixtral|moe_gemm|_sdd_kernel
		mixtral|moe|_padded_copy
		all|attn|void flash_fwd_kernel<float>(int)
		all|moe_gemm|fused_moe_kernel_gemm
		all|norm|void vllm::rms_norm_kernel<float>(float *)
	END
	t=$(made "$sql")
	for model in llama qwen deepseek mixtral; do
		found=$(nsq-kernels -q --categories "$model" --by category,name --full "$t" | col category name)
		same "$(sort "$BATS_TEST_TMPDIR/$model" "$BATS_TEST_TMPDIR/all")" "$(grep -F -f <(cut -f2 "$BATS_TEST_TMPDIR/$model" "$BATS_TEST_TMPDIR/all") <<<"$found" | sort)"
	done
	# where none of them is, they say what llm says
	for model in llama qwen deepseek mixtral; do same "$(nsq-kernels -q --by category "$COMPILE")" "$(nsq-kernels -q --categories "$model" "$COMPILE")"; done
}

# bats test_tags=more
@test "the built-in rules know LLM kernels: GEMMs, attention, Triton, NCCL, elementwise" {
	same "$(nsq-kernels --by category "$NODES")" "$(nsq-kernels --categories llm "$NODES")"
	while IFS='|' read -r t pattern label; do
		t=$FIXTURES/$t.sqlite
		nsq-kernels -q --by category,name --full "$t" | col category name > "$BATS_TEST_TMPDIR/all"
		grep -E "$TAB.*($pattern)" "$BATS_TEST_TMPDIR/all" | cut -f1 | sort -u > "$BATS_TEST_TMPDIR/labels"
		same "$label" "$(cat "$BATS_TEST_TMPDIR/labels")"
	done <<-'END'
		decode-graph-nodes|nvjet_|gemm
		torch-compile|nvjet_|gemm
		dualpipe-pp2ep2|ncclDevKernel|nccl
		ddp-2rank|ncclDevKernel|nccl
		decode-graph-nodes|sdpa.*flash|attn
		ddp-2rank|fmha|attn
		decode-graph-nodes|vectorized_elementwise_kernel|elementwise
	END
	same "" "$(nsq-kernels --by category,name "$COMPILE" | where category - | col name | grep triton)"
	# categories are another view of the same kernels
	every check_category_sums
}

check_category_sums() {
	same "$(nsq-kernels -q "$1" | sum count total_ns elapsed_ns)" "$(nsq-kernels -q --by category "$1" | sum count total_ns elapsed_ns)"
}

# ---- -m

# bats test_tags=more
@test "-m: only kernels whose name matches; their numbers stay, and pct is of the rows shown" {
	check() {
		local all got
		all=$(nsq-kernels -q "$1") got=$(nsq-kernels -q -m '[Ee]lementwise|^nccl' "$1")
		same "$(col name count total_ns elapsed_ns p50_ns p99_ns max_ns class <<<"$all" | grep -E "^([^$TAB]*[Ee]lementwise|nccl)" || true)" \
			"$(col name count total_ns elapsed_ns p50_ns p99_ns max_ns class <<<"$got")"
		total=$(sum total_ns <<<"$got")
		same "$(col total_ns <<<"$got" | awk -v all="$total" '{ printf "%.2f\n", 100.0 * $1 / all }')" "$(col pct <<<"$got")"
	}
	every check
	[ "$(nsq-kernels -m '^nccl' "$DUALPIPE" | count)" = 2 ]
	# where work overlaps, elapsed_ns is against all of it, not only against what matches
	t=$(change "$COPIES" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 2" \
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 40000000 + 100 * rowid, end = 40001000 + 100 * rowid, globalPid = (SELECT max(globalPid) FROM CUPTI_ACTIVITY_KIND_KERNEL), deviceId = 0" \
		"INSERT INTO StringIds VALUES (900001, 'first_one'), (900002, 'second_one')" \
		"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 900000 + rowid")
	same "second_one${TAB}1000${TAB}100${TAB}100.00" "$(nsq-kernels -m second "$t" | col name total_ns elapsed_ns pct)"
}

@test "-m: in --each, by other keys, of demangled names with --full, of copies with --work all" {
	same "$(nsq-kernels --each "$COMPILE" | awk -F '\t' 'NR == 1 || $12 ~ /^triton/')" "$(nsq-kernels --each -m '^triton' "$COMPILE")"
	[ "$(nsq-kernels --each -m '^triton' "$COMPILE" | count)" -gt 0 ]
	same "$(nsq-kernels --by name,stream "$COMPILE" | awk -F '\t' '/triton/ { n += $8 } END { print n }')" \
		"$(nsq-kernels --by stream -m '^triton' "$COMPILE" | sum count)"
	same "$(nsq-kernels --full "$COMPILE" | col name count | grep '^void at::')" "$(nsq-kernels --full -m '^void at::' "$COMPILE" | col name count)"
	same "$(nsq-kernels --full "$COMPILE" | col name count | grep '^void at::' | cut -f2 | awk '{ n += $1 } END { print n }')" \
		"$(nsq-kernels --full --by gpu -m '^void at::' "$COMPILE" | sum count)"
	same "$(nsq-kernels --work all "$COPIES" | where class copy | without pct)" "$(nsq-kernels --work all -m '^mem' "$COPIES" | without pct)"
	mentions "no kernel has such a name" -- nsq-kernels -m 'no such thing' "$COPIES"
	fails 2 "'('" -- nsq-kernels -m '(' "$COPIES"
}

@test "options without effect in the mode are refused" {
	fails 2 "'--by'" "'--each'" -- nsq-kernels --each --by name "$COPIES"
	fails 2 "'--categories'" "'--each'" -- nsq-kernels --each --categories llm "$COPIES"
	fails 2 "'--full'" -- nsq-kernels --full --by pid "$COPIES"
}

@test "a window without kernels has no rows, and stderr says why" {
	mentions "no kernel" -- nsq-kernels -w 67.4ms..82ms "$COPIES"
	same 1 "${#lines[@]}"
}

@test "a kernel without a name is - in a table and null in jsonl" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 999999, demangledName = 999999 WHERE rowid = 1")
	same "null" "$(nsq-kernels -f jsonl "$t" | jq -c 'select(.name == null) | .name')"
	same 1 "$(nsq-kernels "$t" | where name - | col count)"
	same "null" "$(nsq-kernels --each --full -f jsonl "$t" | jq -c 'select(.name == null) | .name')"
	same 0 "$(nsq-kernels -f jsonl "$t" | jq -r .name | grep -c '^-$' || true)"
	# it is compute, of no category, and the name of nothing else
	same "compute" "$(nsq-kernels "$t" | where name - | col class)"
	for tool in nsq-streams nsq-overlap "nsq-overlap --comm ." "nsq-gaps --each" "nsq-kernels --by category" "nsq-kernels --comm . --by name,nvtx"; do
		$tool -q "$t" > /dev/null
	done
}

@test "--categories: a JSON of engines and models without a choice says how to choose" {
	echo '{"vllm": {"llama": {"gemm": "gemm"}}}' > "$BATS_TEST_TMPDIR/rules.json"
	fails 2 ":vllm:" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/rules.json" "$NODES"
}

@test "--categories: JSON that is cut short is called so, not a lack of engines" {
	echo '{"vllm": {"llama": {"gemm": "gemm"' > "$BATS_TEST_TMPDIR/short"
	fails 2 "'$BATS_TEST_TMPDIR/short'" "JSON" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/short:vllm:llama" "$NODES"
	fails 2 "'$BATS_TEST_TMPDIR/short'" "JSON" -- nsq-kernels --categories "$BATS_TEST_TMPDIR/short" "$NODES"
}

# busy TRACE FROM: how long each process keeps each GPU busy with what FROM selects, by SQL: pid, gpu, ns.
busy() {
	sql "$1" "WITH w AS (SELECT globalPid >> 24 & 0xffffff AS pid, deviceId AS gpu, start AS a, end AS b FROM ($2) WHERE start >= 0),
		c AS (SELECT *, max(b) OVER (PARTITION BY pid, gpu ORDER BY a, b ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS until FROM w)
		SELECT pid, gpu, sum(max(b - max(a, coalesce(until, a)), 0)) FROM c GROUP BY 1, 2"
}
KERNELS_ONLY="SELECT globalPid, deviceId, start, end FROM CUPTI_ACTIVITY_KIND_KERNEL"
ALL_WORK="$KERNELS_ONLY UNION ALL SELECT globalPid, deviceId, start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL
	SELECT globalPid, deviceId, start, end FROM CUPTI_ACTIVITY_KIND_MEMSET"

# wall ARGS...: elapsed_ns of the rows of --wall.
wall() { nsq-kernels -q "$@" | where class wall | col elapsed_ns; }

@test "--wall: a row holds the time of the run, once for each process and GPU with work, less the busy time" {
	t=$FIXTURES/train.sqlite
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ print 60444000 - $3 }')" "$(wall --wall 0.060444 "$t")"
	same "$(busy "$t" "$ALL_WORK" | awk '{ print 60444000 - $3 }')" "$(wall --wall 60.444ms --work all "$t")"
	answers nsq-kernels --wall 0.060444 "$t"
	same "- - - - - - - - - wall non-gpu" "$(where class wall <<<"$output" | col count total_ns pct mean_ns p50_ns p90_ns p99_ns min_ns max_ns class name | tr '\t' ' ')"
	same 60444000 "$(sum elapsed_ns <<<"$output")"
	# the rest of the table is as without it
	same "$(nsq-kernels "$t")" "$(awk -F '\t' '$16 != "wall"' <<<"$output")"
	# four processes, and two GPUs of each
	t=$(change "$DUALPIPE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = correlationId % 2")
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ n++; s += $3 } END { printf "%.0f\n", n * 2000000000 - s }')" "$(wall --wall 2 "$t")"
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ print $1, $2, 2000000000 - $3 }')" \
		"$(nsq-kernels -q --wall 2 --by pid,gpu,name "$t" | where class wall | col pid gpu elapsed_ns | tr '\t' ' ')"
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ n[$1]++; s[$1] += $3 } END { for (p in n) printf "%s %.0f\n", p, n[p] * 2000000000 - s[p] }' | sort)" \
		"$(nsq-kernels -q --wall 2 --by pid,category "$t" | where category non-gpu | col pid elapsed_ns | tr '\t' ' ' | sort)"
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ print $1, $2, "-", "-", 2000000000 - $3 }')" \
		"$(nsq-kernels -q --wall 2 --by stream,name "$t" | where class wall | col pid gpu ctx stream elapsed_ns | tr '\t' ' ')"
}

@test "--wall 0: the window, whatever is chosen in it; several windows merged are one" {
	for args in "-w 230..240ms" "-w 230..240ms --inside" "-w 230..240ms -m nccl" "-w 230..235ms -w 233..240ms --merge"; do
		same "$(nsq-gaps -q --work kernels -w 230..240ms "$DUALPIPE" | sum idle_ns)" "$(wall --wall 0 $args "$DUALPIPE")"
	done
	# a process that has no kernel in the window is not counted
	same "$(nsq-gaps -q --work kernels -w 230..240ms -p 694 "$DUALPIPE" | col idle_ns)" "$(wall --wall 0 -p 694 -w 230..240ms "$DUALPIPE")"
	t=$(change "$DUALPIPE" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE globalPid >> 24 & 0xffffff <> 694")
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ print 1000000000 - $3 }')" "$(wall --wall 1 "$t")"
	# each window alone
	nsq-window -q --pick all --skip 0 "$FIXTURES/train.sqlite" > "$BATS_TEST_TMPDIR/w"
	same "$(nsq-gaps -q --work kernels -w "$BATS_TEST_TMPDIR/w" | col idle_ns)" "$(wall --wall 0 -w "$BATS_TEST_TMPDIR/w")"
	mentions "each of the 8 windows" --merge -- nsq-kernels --wall 1 -w "$BATS_TEST_TMPDIR/w"
	answers nsq-kernels --wall 0 -w "$BATS_TEST_TMPDIR/w"
	nsq-window -q "$DUALPIPE" > "$BATS_TEST_TMPDIR/w"
	answers nsq-kernels --wall 1 -w "$BATS_TEST_TMPDIR/w"
}

# manifest BASELINE FLAGS FILE: that of $t, in the folder above it.
manifest() {
	t=$BATS_TEST_TMPDIR/run/nsys/run.sqlite m=$BATS_TEST_TMPDIR/run/manifest.json
	mkdir -p "${t%/*}"
	ln -sf "$FIXTURES/train.sqlite" "$t"
	echo '{"wall_s": 0.11, "baseline_s": '"$1"', "flags": ['"$2"'], "traces": [{"file": "nsys/'"$3"'"}]}' > "$m"
}

@test "--wall manifest: the run's time without a profiler, of the manifest that lists the trace" {
	manifest 0.09 '"--trace=cuda,nvtx"' run.nsys-rep
	same "$(wall --wall 0.09 "$t")" "$(wall --wall manifest "$t")"
	same "$(wall --wall 0.09 "$t")" "$(cd "${t%/*}" && wall --wall manifest run.sqlite)"
	answers nsq-kernels --wall manifest "$t"
	fails 2 "whole run" "part" "--wall" -- nsq-kernels -w 20..30ms --wall manifest "$t"
	manifest null '' run.sqlite
	mentions "0.110 s under the profiler" "nsq-capture --baseline" -- nsq-kernels --wall manifest "$t"
	same "$(wall --wall 0.11 "$t")" "$(wall --wall manifest "$t")"
}

# bats test_tags=slow
@test "--wall manifest: by the name of a file or folder; what is no manifest of the run is refused" {
	manifest 0.09 '' run.sqlite
	for file in "$m" "${m%/*}"; do same "$(wall --wall 0.09 "$COPIES")" "$(wall --wall "$file" "$COPIES")"; done
	for flag in --capture-range=nvtx --delay=3 --duration=2 -d; do
		manifest 0.09 "\"$flag\"" run.sqlite
		fails 2 "whole run" "part" -- nsq-kernels --wall manifest "$t"
	done
	manifest 0.09 '' another.sqlite
	fails 2 "manifest.json' does not list '$t'" -- nsq-kernels --wall manifest "$t"
	echo '{"wall_s": ' > "$m"
	fails 2 "manifest.json' is no manifest of nsq-capture" -- nsq-kernels --wall manifest "$t"
	run -1 --separate-stderr nsq-kernels --wall none.json "$t"
	holds "$stderr" "cannot read 'none.json': No such file"
	fails 2 "no manifest.json beside '$COPIES'" -- nsq-kernels --wall manifest "$COPIES"
	fails 2 "or manifest, not 'manifst'" -- nsq-kernels --wall manifst "$t"
}

@test "--wall: one for each trace, in their order, also where one of them cannot be read" {
	t=$FIXTURES/train.sqlite u=$COPIES
	same "$(wall --wall 1 "$t"; wall --wall 2 "$u")" "$(wall --wall 1,2 "$t" "$u")"
	same "$(wall --wall 0 "$t"; wall --wall 0 "$u")" "$(wall --wall 0 "$t" "$u")"
	same "$(wall --wall 2 "$t")" "$(wall --wall 1 --wall 2 "$t")"
	run --separate-stderr nsq-kernels --wall 5,2 nothing.sqlite "$u"
	same 1 "$status"
	same "$(wall --wall 2 "$u")" "$(where class wall <<<"$output" | col elapsed_ns)"
	fails 2 "'--wall' has 1 time for 2 traces;" -- nsq-kernels --wall 1 "$t" "$u"
	fails 2 "'--wall' has 3 times for 1 trace;" -- nsq-kernels --wall 1,2,3 "$t"
	for wrong in "" x 1, ,1 -1 1e3; do
		fails 2 "'--wall' takes a time in seconds for each trace" "'$wrong'" -- nsq-kernels --wall="$wrong" "$t"
	done
	fails 2 "'--wall' has no effect with '--each'" -- nsq-kernels --wall 1 --each "$t"
	fails 2 "'--wall' needs '--by name' or '--by category'" -- nsq-kernels --wall 1 --by nvtx,pid "$t"
}

@test "--wall shorter than the busy time gives a negative row, and says so" {
	t=$FIXTURES/train.sqlite
	mentions "'$t': process 911 works on GPU 0 for $(busy "$t" "$KERNELS_ONLY" | awk '{ printf "%.3f", $3 / 1e6 }') ms, longer than --wall, 1.000 ms" \
		"non-gpu is negative" -- nsq-kernels --wall 0.001 "$t"
	same "$(busy "$t" "$KERNELS_ONLY" | awk '{ print 1000000 - $3 }')" "$(where class wall <<<"$output" | col elapsed_ns)"
}

@test "a kernel that sorts is no sampling, unless its name says top-k too" {
	t=$(change "$FIXTURES/train.sqlite" "UPDATE StringIds SET value = 'modified_insertion_sort' WHERE value LIKE '%RadixSortHistogram%';
		UPDATE StringIds SET value = 'topk_sort' WHERE value LIKE '%RadixSortExclusiveSum%'")
	same "$(table 'reduce DeviceRadixSortOnesweepKernel' 'reduce modified_insertion_sort' 'sample topk_sort')" \
		"$(nsq-kernels --by category,name "$t" | col category name | grep -i sort)"
}

# bats test_tags=more
@test "--by path: all ranges around the launch, outermost first" {
	paths() {
		PYTHONPATH=$TESTS python3 - "$1" "$2" <<-'END'
			import sys
			from collections import Counter
			from oracle.names import fold
			from oracle.trace import Trace
			t, count, ns = Trace(sys.argv[1]), Counter(), Counter()
			for w in t.works:
			    if w.kind in ("kernel", "graph"):
			        path = " > ".join(fold(r.name) for r in reversed(t.around(w, sys.argv[2] == "--adopt"))) or "-"
			        count[path] += 1
			        ns[path] += w.end - w.start
			for path in sorted(count):
			    print(path, count[path], ns[path], sep="\t")
		END
	}
	for t in "$FIXTURES"/{train,dualpipe-pp2ep2}.sqlite; do
		for adopt in "" --adopt; do
			more || [ "${adopt:-none} $t" = "--adopt $DUALPIPE" ] || [ "$adopt$t" = "$FIXTURES/train.sqlite" ] || continue
			same "$(paths "$t" "$adopt" | sort)" "$(nsq-kernels -q --by path $adopt "$t" | col path count total_ns | sort)"
		done
	done
	holds "$output$(nsq-kernels -q --by path "$FIXTURES/train.sqlite")" "step # > forward > attention"
	# around the capture of a graph's nodes, as nsq-nvtx --tree has it
	same "$(nsq-nvtx -q --captured --tree "$FIXTURES/graph-capture.sqlite" | col path kernels gpu_ns | awk -F '\t' '$2' | sort)" \
		"$(nsq-kernels -q --captured --by path "$FIXTURES/graph-capture.sqlite" | col path count total_ns | sort)"
	fails 2 "'--adopt' has no effect without '--by nvtx', '--by path' or '--each'" -- nsq-kernels --adopt "$FIXTURES/train.sqlite"
}

# shaped GPU GRID BLOCK REGISTERS STATIC DYNAMIC: a trace of one such kernel on a GPU, given as the multiprocessors, compute
# capability and limits of TARGET_INFO_GPU.
shaped() {
	made "ALTER TABLE K ADD gridX; ALTER TABLE K ADD gridY; ALTER TABLE K ADD gridZ; ALTER TABLE K ADD blockX; ALTER TABLE K ADD blockY; ALTER TABLE K ADD blockZ;
		ALTER TABLE K ADD registersPerThread; ALTER TABLE K ADD staticSharedMemory; ALTER TABLE K ADD dynamicSharedMemory;
		CREATE TABLE TARGET_INFO_GPU (id, name, smCount, computeMajor, computeMinor, maxWarpsPerSm, maxBlocksPerSm, maxRegistersPerSm, maxShmemPerSm);
		INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA made', $1);
		INSERT INTO K VALUES (1000, 2000, 0, 1, 7, 1, $P5, 1, 1, $2, $3, $4, $5, $6)"
}

@test "--shape: waves, tail and occupancy by the formula of CUDA's occupancy calculator, worked out by hand" {
	h200="132, 9, 0, 64, 32, 65536, 233472" ga102="82, 8, 6, 48, 16, 65536, 102400" t4="40, 7, 5, 32, 0, 65536, 65536" p100="56, 6, 0, 64, 32, 65536, 65536"
	while IFS='|' read -r gpu grid block registers static dynamic want; do
		same "$want" "$(nsq-kernels -q --shape "$(shaped "${!gpu}" "$grid" "$block" "$registers" "$static" "$dynamic")" |
			col blocks sms waves tail_pct occupancy_pct registers shared_bytes limit grid block | tr '\t' ' ')"
	done <<-END
		h200|64, 64, 1|128, 1, 1|34|0|0|4096 132 2.59 41.41 75.00 34 0 registers 64x64x1 128x1x1
		h200|32, 1, 1|32, 32, 1|32|256|8192|32 132 0.12 87.88 100.00 32 8448 threads 32x1x1 32x32x1
		ga102|2625, 1, 1|64, 1, 1|16|0|0|2625 82 2.00 99.92 66.67 16 0 blocks 2625x1x1 64x1x1
		ga102|164, 1, 1|256, 1, 1|64|0|49152|164 82 1.00 0.00 33.33 64 49152 shared 164x1x1 256x1x1
		t4|100, 1, 1|32, 1, 1|255|0|0|100 40 0.31 68.75 25.00 255 0 registers 100x1x1 32x1x1
		t4|640, 1, 1|32, 1, 1|16|0|0|640 40 1.00 0.00 50.00 16 0 blocks 640x1x1 32x1x1
		p100|1000, 1, 1|96, 1, 1|104|0|0|1000 56 2.98 2.38 28.12 104 0 registers 1000x1x1 96x1x1
		h200|NULL, 1, 1|128, 1, 1|34|0|0|- 132 - - 75.00 34 0 registers - 128x1x1
		h200|64, 1, 1|128, 1, 1|NULL|0|0|64 132 - - - - 0 - 64x1x1 128x1x1
		h200|64, 1, 1|9223372036854775807, 9, 1|34|0|0|64 132 - - - 34 0 - 64x1x1 9223372036854775807x9x1
		h200|64, 1, 1|128, 1, 1|9000000000|9000000000000000000|9000000000000000000|64 132 - - - 9000000000 - - 64x1x1 128x1x1
	END
}

@test "--shape: what Nsight Compute says of the same kernels: theoretical occupancy and waves" {
	while IFS='|' read -r name grid block want; do
		same "$want" "$(nsq-kernels -q --shape -m "^$name\$" "$FIXTURES/train.sqlite" | where grid "$grid" | where block "$block" |
			col occupancy_pct waves registers shared_bytes | sort -u | tr '\t' ' ')"
	done <<-END
		CatArrayBatchedCopy|264x3x1|512x1x1|100.00 1.50 25 0
		DeviceRadixSortHistogramKernel|924x1x1|128x1x1|43.75 1.00 72 8192
		DeviceRadixSortOnesweepKernel|1x1x1|384x1x1|37.50 0.00 80 38912
		DeviceUniqueByKeySweepKernel|1x1x1|640x1x1|62.50 0.00 48 35840
		GammaBetaBackwardCUDAKernelTemplate|32x1x1|32x32x1|100.00 0.12 32 8448
		compute_grad_weight|4505x1x1|1024x1x1|100.00 17.06 32 0
		compute_num_of_partial_segments|1x1x1|1x1x1|50.00 0.00 16 0
		cunn_SoftMaxBackwardSmem|4096x1x1|512x1x1|100.00 7.76 27 32832
		cunn_SoftMaxForwardReg|4096x1x1|1024x1x1|50.00 31.03 36 128
		krn_partial_segment_offset|128x1x1|32x1x1|50.00 0.03 26 0
		nvjet_sm90_tst_128x192_64x5_2x1_v_bz_coopB_NTN|2x64x1|384x1x1|18.75 0.97 168 221420
		reduce_kernel|64x33x1|32x4x1|56.25 1.78 54 2064
		vectorized_layer_norm_kernel|4096x1x1|32x4x1|100.00 1.94 32 24
	END
}

@test "--by grid and block: sums by SQL" {
	same "$(sql "$FIXTURES/train.sqlite" "SELECT gridX || 'x' || gridY || 'x' || gridZ, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1" | sort)" \
		"$(nsq-kernels -q --by grid "$FIXTURES/train.sqlite" | col grid count total_ns | sort)"
	same "$(sql "$FIXTURES/train.sqlite" "SELECT blockX || 'x' || blockY || 'x' || blockZ, value, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName
		GROUP BY 1, 2" | sort)" "$(nsq-kernels -q --by block,name "$FIXTURES/train.sqlite" | col block name count | sort)"
	same "$(sql "$FIXTURES/train.sqlite" "SELECT value, registersPerThread, staticSharedMemory + dynamicSharedMemory, gridX * gridY * gridZ, sum(end - start)
		FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = shortName GROUP BY 1, 2, 3, gridX, gridY, gridZ, blockX, blockY, blockZ" | sort)" \
		"$(nsq-kernels -q --shape "$FIXTURES/train.sqlite" | col name registers shared_bytes blocks total_ns | sort)"
	fails 2 "'--shape' has no effect with '--each'" -- nsq-kernels --shape --each "$FIXTURES/train.sqlite"
}

@test "a short name that stands for kernels of very different lengths is said, with how to tell them apart" {
	local nn="demangledName IN (SELECT id FROM StringIds WHERE value LIKE '%Kernel2%256x128_8x4_nn%')"
	local one="UPDATE StringIds SET value = 'all_products' WHERE value = 'Kernel2'"
	lacks "$(nsq-kernels "$(change "$DDP" "$one")" 2>&1 >/dev/null)" "tells them apart" "may tell why"
	t=$(change "$DDP" "$one; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 2 * (end - start) WHERE $nn")
	lacks "$(nsq-kernels "$t" 2>&1 >/dev/null)" "tells them apart"
	t=$(change "$DDP" "$one; UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 4 * (end - start) WHERE $nn")
	nsq-kernels "$t" 2>&1 >/dev/null | grep -q "'all_products' (.* % of the time) is .* kernels or more of .* us; --full tells them apart"
	lacks "$(nsq-kernels --full "$t" 2>&1 >/dev/null; nsq-kernels --by category "$t" 2>&1 >/dev/null)" "tells them apart"
	# in a window, of its own kernels: before 50000 both take 500 on average, then 300 and 2000
	t=$(made "INSERT INTO S VALUES (10, 'k'), (11, 'k<1>'), (12, 'k<2>'); INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 39)
		SELECT 2500 * i, 2500 * i + CASE WHEN i < 20 THEN 100 + i / 2 % 2 * 800 WHEN i % 2 THEN 2000 ELSE 300 END, 0, 1, 7, i, $P5, 11 + i % 2, 10 FROM n")
	lacks "$(nsq-kernels -w ..50000 "$t" 2>&1 >/dev/null)" "tells them apart"
	holds "$(nsq-kernels -w 50000.. "$t" 2>&1 >/dev/null)" "of 0.3 to 2.0 us; --full tells them apart"
	# of one full name
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 90 * (end - start) WHERE rowid % 5 = 0")
	holds "$(nsq-kernels "$t" 2>&1 >/dev/null)" "90th percentile" "--by nvtx,name"
}

@test "work of two seconds and more has its own length, of whichever table and whichever thread reads it" {
	t=$(change "$EAGER" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start + 2147483646 + rowid % 7 + rowid % 3 * 4294967296 WHERE rowid % 5 < 2;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = start + 3000000000 + rowid; UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET end = start + 5000000000 + rowid")
	want=$(sql "$t" "SELECT start, end, end - start FROM (SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL UNION ALL
		SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMSET) WHERE start >= 0" | sort)
	for j in 1 4; do
		same "$want" "$(nsq-kernels -q -j $j --each --work all "$t" | col start_ns end_ns dur_ns | sort)"
	done
}

@test "options of other programs are answered with ours, by a tool that has it; an engine or model with those there are" {
	fails 2 "unknown option '--trim'; here that is -w A..B" -- nsq-kernels --trim 1 "$DDP"
	fails 2 "unknown option '--trim'" "nsq-gate --help" -- nsq-gate --trim 1 "$DDP"
	fails 2 "unknown option '--phase-map'; here that is --rules RULES" -- nsq-overlap --phase-map x "$DDP"
	fails 2 "unknown option '--phase-map=x'; here that is --phases RULES" -- nsq-nvtx --phase-map=x "$DDP"
	r=$BATS_TEST_TMPDIR/r.json
	echo '{"vllm": {"llama": {"a": "b"}, "gpt oss": {"a": "b"}}, "sglang": {}, "text": "x"}' > "$r"
	fails 2 "has no object 'qwen'; it has 'llama', 'gpt oss'" -- nsq-kernels --categories "$r:vllm:qwen" "$DDP"
	fails 2 "has no object 'trt'; it has 'vllm', 'sglang'" -- nsq-kernels --categories "$r:trt:qwen" "$DDP"
	fails 2 "has no object 'qwen'" -- nsq-kernels --categories "$r:sglang:qwen" "$DDP"
}
