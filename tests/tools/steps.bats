# What nsq-window takes for a step, and which steps are steady.  The cases are in steps/cases.py, a second reading of the rules in
# oracle/steps.py.
load ../helper

# bats test_tags=long
@test "what is taken for a step: each rule where it holds, where it nearly does, and on healthy programs" {
	python3 "$TESTS/steps/cases.py"
}

# bats test_tags=slow
@test "the fixtures' steps are those of a second reading of the rules, with their ranges and without" {
	local bare=()
	for t in "$FIXTURES"/{train,torch-compile,graph-capture,decode-graph-whole,collectives-rank0,threads-copies}.sqlite; do
		bare+=("$(change "$t" "DELETE FROM NVTX_EVENTS WHERE eventType IN (59, 60)")")
		python3 "$TESTS/steps/compare.py" "$t"
	done
	python3 "$TESTS/steps/compare.py" "${bare[@]}"
}

# bats test_tags=slow
@test "random programs: nsq-window agrees with a second reading of its rules" {
	run python3 "$TESTS/steps/compare.py" --random 30
	echo "$output"
	same 0 "$status"
	grep -q 'iteration=[1-9].*process=[1-9].*repeat=[1-9]' <<<"$output"
}

# bats test_tags=slow
@test "many random programs: nsq-window agrees with a second reading of its rules" {
	python3 "$TESTS/steps/compare.py" --random 1500 1000
}

# bats test_tags=slow
@test "all fixtures' steps are those of a second reading of the rules" {
	python3 "$TESTS/steps/compare.py" "$FIXTURES"/{train-allocs,train-metrics,decode-eager-long,decode-graph-nodes,threads-sched}.sqlite
}

@test "runner-up: the line on stderr names it, and the -m that chooses it" {
	said=$(nsq-window -v --skip 0 "$EAGER" 2>&1 >/dev/null)
	holds "$said" "72 steps: ranges 'decode step'" "the next best steps are 3 'LLM@decode_all', which -m '^LLM@decode_all\$' chooses"
	# digits, and characters that mean something in an expression
	t=$(change "$EAGER" "UPDATE NVTX_EVENTS SET text = 'all^\$|?*(){}\\[' || start || '].x+' WHERE text = 'LLM@decode_all'")
	said=$(nsq-window -v --skip 0 "$t" 2>&1 >/dev/null)
	eval "expression=$(sed -n 's/.*which -m \(.*\) chooses.*/\1/p' <<<"$said")"
	same 3 "$(nsq-window -q --pick all -m "$expression" "$t" | count)"
	same "" "$(nsq-window -v --skip 0 "$COMPILE" 2>&1 >/dev/null | grep 'next best' || true)"
}

# bats test_tags=long
@test "ranks: one number of steps is left out of all, from their summed periods; a process without steps does not count" {
	RANKS=("$FIXTURES"/collectives-rank{0..3}.sqlite)
	all=$(nsq-window -q --skip 0 --pick all "${RANKS[@]}")
	steady=$(nsq-window -q --pick all "${RANKS[@]}")
	same "1" "$(col pid <<<"$steady" | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l)"
	want=$(col index period_ns <<<"$all" | awk '$2 == "-" { no[$1] = 1 } { s[$1] += $2; n = $1 > n ? $1 : n }
		END { for (lead = 0; lead <= n; lead++) { m = 0; for (i = lead + 1; i <= n; i++) if (!no[i]) v[++m] = s[i]
			for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (v[j] < v[i]) { t = v[i]; v[i] = v[j]; v[j] = t }
			if (s[lead] <= 1.3 * v[int((m + 1) / 2)]) break } print lead }')
	same "$want" "$(col index <<<"$steady" | sort -n | head -1)"
	# alone, a rank may have another
	same "1" "$(nsq-window -q "${RANKS[@]}" | col index | sort -u | wc -l)"
	t=$(change "$DDP" "DELETE FROM NVTX_EVENTS WHERE eventType = 59 AND globalTid >> 24 & 0xffffff = 1085")
	same "$(nsq-window -q --pick all -p 1084 "$DDP" | col index | xargs)" "$(nsq-window -q --pick all -p 1084 "$t" | where pid 1084 | col index | xargs)"
	same "process" "$(nsq-window -q --pick all "$t" | where pid 1085 | col rule)"
}

@test "--steady and --skip: the default without -m, one of them at a time" {
	same "$(nsq-window -q --pick all "$COMPILE")" "$(nsq-window -q --steady --pick all "$COMPILE")"
	same 10 "$(nsq-window -q --pick all -m '^step ' "$COMPILE" | count)"
	same 7 "$(nsq-window -q --steady --pick all -m '^step ' "$COMPILE" | count)"
	fails 2 "--skip" "--steady" -- nsq-window --steady --skip 1 "$COMPILE"
	fails 2 "'--steady'" "'--list'" -- nsq-window --steady --list "$COMPILE"
	# a step that is not steady is not picked, and that is said
	same "" "$(nsq-window -q --pick 0 "$COMPILE" | col index)"
	holds "$(nsq-window --pick 0 "$COMPILE" 2>&1 >/dev/null)" "'--pick 0' is not steady, 2 to 8 are" "--skip 0"
	same "2 8" "$(nsq-window -q --pick first,last "$COMPILE" | col index | xargs)"
	# a range that none follows is kept where there is no other
	same 1 "$(nsq-window -q --steady -m '^step 5$' "$COMPILE" | count)"
}

# bats test_tags=more,long
@test "one typical step and one step length, in nsq-window, nsq-advise, nsq-diff and nsq-report" {
	for t in $(first_few 1 "$COMPILE" "$EAGER"); do
		steps=$(nsq-window -q --pick all --period "$t")
		median=$(col dur_ns <<<"$steps" | sort -n | awk '{ d[NR] = $1 } END { print d[int((NR + 1) / 2)] }')
		same "$median" "$(nsq-window -q --period "$t" | col dur_ns)"
		same "$median" "$(nsq-window -q --stats "$t" | col period_p50_ns)"
		same "$median" "$(nsq-diff -q "$t" "$t" | where part step | col before)"
		nsq-report -q --force -o "$BATS_TEST_TMPDIR/r" "$t"
		grep -q "\"dur_ns\": *$median\b" "$BATS_TEST_TMPDIR/r/report.json"
		same "$median" "$(nsq-advise -q --verdict "$t" | col typical_ns)"
		same "$(nsq-window -q "$t" | col pid start_ns period_ns | tr '\t' ' ')" "$(jq -r '.tables.typical_step.rows[] | "\(.pid) \(.start_ns) \(.period_ns // .dur_ns)"' "$BATS_TEST_TMPDIR/r/report.json")"
		nsq-advise -q "$t" | col steps | sort -u | grep -qx "$(count <<<"$steps")"
	done
	# of several traces: alone, the second would leave out its first step
	late=$(change "$FIXTURES/train.sqlite" "$(for table in CUPTI_ACTIVITY_KIND_{RUNTIME,KERNEL,MEMCPY,MEMSET,SYNCHRONIZATION} NVTX_EVENTS; do
		echo "UPDATE $table SET start = start - 5000000, end = end - 5000000 WHERE start < (SELECT end FROM NVTX_EVENTS WHERE text = 'step 0' OR textId = (SELECT id FROM StringIds WHERE value = 'step 0'));"; done)")
	cp "$FIXTURES/train.sqlite" "$BATS_TEST_TMPDIR/first.sqlite"
	mv "$late" "$BATS_TEST_TMPDIR/late.sqlite"
	both=("$BATS_TEST_TMPDIR/first.sqlite" "$BATS_TEST_TMPDIR/late.sqlite")
	same "6" "$(nsq-advise -q --verdict "${both[1]}" | col steps)"
	same "7 7" "$(nsq-window -q --stats "${both[@]}" | col count | xargs)"
	same "7 7" "$(nsq-advise -q --verdict "${both[@]}" | col steps | xargs)"
	same "6" "$(nsq-ledger -q --spread "${both[1]}" | col windows | sort -u)"
	same "7" "$(nsq-ledger -q --spread "${both[@]}" | col windows | sort -u)"
	same "$(nsq-window -q --pick all --period "${both[@]}" | nsq-ledger -q --merge --by owner)" "$(nsq-ledger -q "${both[@]}")"
	same "$(nsq-ledger -q "${both[@]}" | sum dur_ns)" "$(nsq-sql -q 'SELECT sum(dur_ns) AS dur_ns FROM ledger' "${both[@]}" | sum dur_ns)"
	same "7 7" "$(nsq-diff -q "${both[@]}" | where part step | col n_before n_after | tr '\t' ' ')"
	same "6 6" "$(nsq-diff -q "${both[1]}" "${both[1]}" | where part step | col n_before n_after | tr '\t' ' ')"
	# and what was left out is said once
	same "1" "$(nsq-ledger -v "${both[@]}" 2>&1 >/dev/null | grep -c 'skipped the last step')"
	nsq-report -q --force -o "$BATS_TEST_TMPDIR/r" "${both[@]}" > "$BATS_TEST_TMPDIR/rows"
	same "$(nsq-window -q --steady --pick all --period "${both[@]}" | nsq-kernels -q --merge | col start_ns end_ns total_ns name | sort)" \
		"$(jq -r '.tables.step_kernels.rows[] | [.start_ns, .end_ns, .total_ns, .name] | @tsv' "$BATS_TEST_TMPDIR/r/report.json" | sort)"
	# of several processes, and where another phase lies between steps
	for t in $(first_few 1 "$NODES" "$DDP" "$FIXTURES/train-allocs.sqlite"); do
		same "$(nsq-window -q --stats "$t" | col pid period_p50_ns)" "$(nsq-advise -q --verdict "$t" | col pid typical_ns)"
		same "$(nsq-window -q --stats "$t" | col period_p50_ns | sort)" "$(nsq-diff -q "$t" "$t" | where part step | col before | sort)"
	done
}

@test "traces with the same kind of steps are named in one line, the others in their own" {
	t=$(change "$COMPILE" "DELETE FROM NVTX_EVENTS WHERE text = 'step 9'")
	run -0 --separate-stderr nsq-window -v "$COMPILE" "$t" "$EAGER"
	same 2 "$(grep -c ' steps in' <<<"$stderr")"
	holds "$stderr" "9 to 10 steps in each process of 2 traces ('$COMPILE' and 1 more): ranges 'step #'" "72 steps in '$EAGER': ranges 'decode step'"
	run -0 --separate-stderr nsq-ledger "$COMPILE" "$t"
	holds "$stderr" "9 to 10 steps in each process of 2 traces ('$COMPILE' and 1 more): ranges"
}

@test "tokens of a request: they are taken, --outer takes the requests, and every tool that takes -m agrees" {
	t=$(change "$FIXTURES/decode-graph-whole.sqlite" "DELETE FROM NVTX_EVENTS WHERE eventType IN (59, 60)")
	said=$(nsq-window "$t" 2>&1 >/dev/null)
	holds "$said" "60 steps: repeats of a kernel sequence, 58 alike" "these steps are in 3 larger repeats, which --outer takes"
	same "60 3" "$(nsq-window -q "$t" | col count) $(nsq-window -q --outer "$t" | col count)"
	lacks "$(nsq-window --outer "$t" 2>&1 >/dev/null)" "larger repeats"
	same "$(nsq-window -q --pick all --period "$t" | nsq-ledger -q --merge --by owner)" "$(nsq-ledger -q "$t")"
	same "$(nsq-window -q --outer --pick all --period "$t" | nsq-ledger -q --outer --merge --by owner)" "$(nsq-ledger -q --outer "$t")"
	same "58 1" "$(nsq-advise -q --verdict "$t" | col steps) $(nsq-advise -q --verdict --outer "$t" | col steps)"
	holds "$(nsq-advise -q --min-pct 0 --outer "$t" | col evidence)" "--finding " " --outer "
	same "58 1" "$(nsq-diff -q "$t" "$t" | where part step | col n_before) $(nsq-diff -q --outer "$t" "$t" | where part step | col n_before)"
	# a token beside which a prompt runs is not one that takes too long
	lacks "$(nsq-advise -q --min-pct 0 "$t" | col kind)" long
	# with ranges there is nothing to choose from
	same "$(nsq-window -q "$FIXTURES/decode-graph-whole.sqlite")" "$(nsq-window -q --outer "$FIXTURES/decode-graph-whole.sqlite")"
}

@test "--kernel: a step begins at each kernel whose short name matches, the last one ends with the process" {
	t=$FIXTURES/decode-graph-whole.sqlite
	all=$(nsq-window -q --kernel '^graph' --skip 0 --pick all "$t")
	same "60 kernel" "$(count <<<"$all") $(col rule <<<"$all" | sort -u)"
	same "$(ask "$t" "SELECT a FROM work WHERE kind = 'graph' ORDER BY a")" "$(col start_ns <<<"$all")"
	same "$(ask "$t" "SELECT max(b) FROM work")" "$(col end_ns <<<"$all" | tail -1)"
	# steady without -m; the last has no next
	same "0" "$(nsq-window -q --kernel '^graph' --pick all "$t" | where index 59 | count)"
	same "$(nsq-window -q --kernel '^graph' --pick all "$t" | count)" "$(nsq-advise -q --verdict --kernel '^graph' "$t" | col steps)"
	holds "$(nsq-advise -q --min-pct 0 --kernel '^graph' "$t" | col evidence)" " --kernel '^graph' "
	mentions "no kernel has such a name" -- nsq-window --kernel 'no such kernel' "$t"
	fails 2 "'--kernel' and '--outer' both choose the steps; give one of them" -- nsq-window --kernel x --outer "$t"
	fails 2 "'--match' and '--kernel' both choose the steps; give one of them" -- nsq-ledger -m x --kernel y "$t"
	fails 2 "'--kernel'" "'--list'" -- nsq-window --kernel x --list "$t"
	fails 2 "'--outer' has no effect on tables" -- nsq-diff --outer <(nsq-kernels -q "$t") <(nsq-kernels -q "$t")
}

@test "number: the one in the name where it counts up; --pick step:N and every sentence have it, --pick N is an index" {
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET text = 'step ' || (100 + 4 * substr(text, 6)) WHERE text GLOB 'step [0-9]*'")
	same "100 104 108 112 116 120 124 128 132 136" "$(nsq-window -q --skip 0 --pick all "$t" | col number | xargs)"
	same "112 3" "$(nsq-window -q --pick step:112 "$t" | col number index | xargs)"
	same "112 116 120" "$(nsq-window -q --pick step:110..121 "$t" | col number | xargs)"
	same "120 104" "$(nsq-window -q --skip 0 --pick 5 "$t" | col number) $(nsq-window -q --skip 0 --pick step:104 "$t" | col number)"
	holds "$(nsq-window --pick all "$t" 2>&1 >/dev/null)" "skipped steps 100 to 104 (warm-up"
	holds "$(nsq-window --pick step:100 "$t" 2>&1 >/dev/null)" "step 100 is not steady; --skip 0"
	fails 2 "no process has a range with the number '113'" -- nsq-window -q --pick step:113 "$t"
	fails 2 "no process has a range with the index '113'" -- nsq-window -q --pick 113 "$t"
	for wrong in step: step:x step:-1 step:3..2 steps:1; do fails 2 "'--pick'" "'$wrong'" -- nsq-window --pick "$wrong" "$t"; done
	# in a part of the trace the number stays, and the index counts anew
	w=$(nsq-window -q --skip 0 --pick 4 "$t" | col start_ns)
	same "116 0" "$(nsq-window -q --skip 0 --pick first -w "$w..$((w + 1))" "$t" | col number index | xargs)"
	# names that do not count up
	same "$(seq 0 71 | xargs)" "$(nsq-window -q --skip 0 --pick all "$EAGER" | col number | xargs)"
	same "0 1 2 3" "$(nsq-window -q --skip 0 --pick 0..3 "$(change "$COMPILE" "UPDATE NVTX_EVENTS SET text = 'step 7' WHERE text = 'step 2'")" | col number | xargs)"
}

# bats test_tags=more,long
@test "rows of nsq-window are steps for nsq-advise: one or many, with --period or without, as nsq-window gives them or cut" {
	t=$FIXTURES/train.sqlite
	verdict() { nsq-advise -q --verdict "$@" | col steps start_ns end_ns | xargs; }
	for how in "" --period "--pick step:4" "--pick all" "--pick all --period" "--skip 0 --pick last" "--skip 0 --pick 0..1 --period"; do
		more || [[ $how != *last* && $how != "--pick all" ]] || continue
		rows=$(nsq-window -q $how "$t")
		want="$(count <<<"$rows") $(col start_ns <<<"$rows" | head -1) $(col end_ns <<<"$rows" | tail -1)"
		same "$want" "$(verdict <<<"$rows")"
		more || [[ $how == *all* ]] || continue
		same "$want" "$(cut -f 1,3,4,17,18 <<<"$rows" | verdict)"           # without the columns of the CPU side
	done
	same "$(nsq-advise -q "$t" | cut -f 1-12)" "$(nsq-window -q --pick all --period "$t" | nsq-advise -q | cut -f 1-12)"
	same "$(nsq-window -q --pick all --period "$t" | nsq-ledger -q --merge --by owner)" "$(nsq-ledger -q "$t")"
	# any other window has the steps inside it, each up to the next
	read -r a b < <(nsq-window -q --pick 3..5 "$t" | col start_ns end_ns | awk 'NR == 1 { a = $1 } { b = $2 } END { print a, b }')
	want=$(nsq-window -q --pick 3..5 --period "$t" | verdict)
	same "$want" "$(verdict -w "$a..$b" "$t")"
	same "2 ${want#* }" "$(verdict -w "$a..$((b - 1))" "$t" | awk -v end="${want##* }" '{ print $1, $2, end }')"
	same "" "$(verdict -w "$((a + 1))..$((a + 2))" "$t")"
	holds "$(nsq-advise -w "$((a + 1))..$((a + 2))" "$t" 2>&1)" "no step lies inside the windows"
	holds "$(nsq-advise -w "$(nsq-window -q --skip 0 --pick 0 "$COMPILE" | col start_ns end_ns | sed 's/\t/../')" "$COMPILE" 2>&1)" "only warm-up"
	# tiles are no steps
	same "$(verdict "$t")" "$(nsq-window -q --bins 1 "$t" | verdict)"
}

@test "a trend: no step is long, and the sentence of nsq-advise says nothing of long ones" {
	cd "$BATS_TEST_TMPDIR"
	python3 - "$TESTS/steps" <<'END'
import sys
sys.path.insert(0, sys.argv[1])
import make
for name, periods in (("trend", range(40, 160, 8)), ("flat", [40] * 7 + [120] + [40] * 7)):
    run = make.Run()
    for n, us in enumerate(periods):
        with run.range(f"step {n}"):
            run.work(f"a*{us / 2} b*{us / 2}")
    run.write(name + ".sqlite")
END
	holds "$(nsq-window trend.sqlite 2>&1 >/dev/null)" "steps get longer ("
	lacks "$(nsq-advise -q --min-pct 0 trend.sqlite | col kind)" long
	holds "$(nsq-advise -q --min-pct 0 flat.sqlite | col kind)" long
}
