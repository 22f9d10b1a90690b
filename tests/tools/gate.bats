# nsq-gate: which rows of a table break a condition?
load ../helper

setup() {
	T=$BATS_TEST_TMPDIR/t.tsv
	printf 'pid\tdur_ns\tpct\tcount\tname\n1\t100\t5.50\t3\tgemm\n1\t250\t12.25\t-\tcopy "x"\n2\t-\t0.00\t7\tgemm\n' > "$T"
}

# gated CODE CONDITION [OPTION...]: the code that it exits with; the names of the rows are in $names.
gated() {
	local code=$1
	shift
	run --separate-stderr nsq-gate "$@" "$T"
	names=$(printf '%s\n' "$output" | col name | paste -sd ,)
	same "$code" "$status"
}

@test "the rows for which it is not true are printed as they are, and the code is 4" {
	gated 4 "dur_ns < 200"
	same "$(sed -n '1p; 3,4p' "$T")" "$output"
	same "nsq-gate: 2 of 3 rows break 'dur_ns < 200'" "$stderr"
	gated 4 "dur_ns < 200" -q
	same "nsq-gate: 2 of 3 rows break 'dur_ns < 200'" "$stderr"
	gated 0 "dur_ns < 300 or dur_ns is null"
	same "$(head -1 "$T")" "$output"
	same "" "$stderr"
	gated 4 "name = 'gemm'"
	same 'copy "x"' "$names"
	gated 4 "pct <= 5.5 and count"
	same 'copy "x"' "$names"
	gated 4 "null"
	same 'gemm,copy "x",gemm' "$names"
	gated 4 "dur_ns <= (select median(dur_ns) from t where t.name = 'gemm')"
	same 'copy "x",gemm' "$names"
	gated 4 "fold(name) <> 'gemm' -- a comment"
	same 'gemm,gemm' "$names"
	gated 4 "1 = 2 /* another */"
}

@test "without rows nothing was measured: 4, unless that is allowed" {
	head -1 "$T" > "$BATS_TEST_TMPDIR/none"
	run --separate-stderr nsq-gate 1 "$BATS_TEST_TMPDIR/none"
	same "4 $(head -1 "$T")" "$status $output"
	holds "$stderr" "no rows" "--allow-empty"
	answers nsq-gate --allow-empty 1 "$BATS_TEST_TMPDIR/none"
	same "$(head -1 "$T")" "$output"
	gated 4 0 --allow-empty
	fails 2 "empty" -- nsq-gate 1 < /dev/null
}

# bats test_tags=more
@test "the rows of every tool come out byte for byte, in every format" {
	n=0
	while IFS='|' read -r mode; do
		t=$COPIES
		[[ $mode != nsq-metrics* ]] || t=$FIXTURES/train-metrics.sqlite
		$mode -q "$t" > "$BATS_TEST_TMPDIR/want.tsv"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/want.tsv")" -gt 1 ] || continue
		for to in csv jsonl md table; do $mode -q -f $to "$t" > "$BATS_TEST_TMPDIR/want.$to"; done
		for from in tsv csv jsonl; do
			for to in tsv csv jsonl md table; do
				echo "$mode: $from to $to"
				more || [ $from = tsv ] || [ $to = tsv ] || continue
				rc=0
				nsq-gate -f $to 0 "$BATS_TEST_TMPDIR/want.$from" > "$BATS_TEST_TMPDIR/got" 2> /dev/null || rc=$?
				same 4 $rc
				cmp "$BATS_TEST_TMPDIR/want.$to" "$BATS_TEST_TMPDIR/got"
			done
		done
		n=$((n + 1))
	done < <(awk -F '\t' '!/^#/ && $1 != "tool" && ($2 == "" || $2 ~ /^--(each|launch|total|stats|facts)$/) { print $1, $2 }' "$TESTS/modes.tsv")
	[ "$n" -ge 14 ]
	same "$(nsq-mem -q -H -f table "$COPIES")" "$(nsq-mem -q "$COPIES" | nsq-gate -H -f table 0 2>/dev/null)"
}

@test "a wrong condition exits 2 with SQLite's message and the nearest column" {
	fails 2 "the condition is wrong: no such column: dur_n, did you mean 'dur_ns'?" "the columns are pid dur_ns pct count name" -- nsq-gate "dur_n < 5" "$T"
	fails 2 "a text takes single quotes: 'gemm'" -- nsq-gate 'name = "gemm"' "$T"
	fails 2 "no such function: medain, did you mean 'median'?" -- nsq-gate "medain(dur_ns) < 5" "$T"
	fails 2 "misuse of aggregate" -- nsq-gate "median(dur_ns) < 5" "$T"
	fails 2 "incomplete input" -- nsq-gate "" "$T"
	fails 2 "no such table: kernels" -- nsq-gate "exists (select 1 from kernels)" "$T"
}

@test "it is one condition, and nothing else can stand in it" {
	for condition in "1) or (1" "1 limit 0" "1 group by 1" "1; select 1" "1 union select 1" "select 1" "1, 2" "1 /*" "1) --" "(1" "1 order by 1" "1 window w as ()"; do
		echo "$condition"
		run --separate-stderr nsq-gate "$condition" "$T"
		same "2 " "$status $output"
	done
	fails 2 "'load_extension' is refused" -- nsq-gate "load_extension('x')" "$T"
}

@test "a column that should hold numbers, and holds a text that is compared, is named with its line" {
	sed 's/250/fast/' "$T" > "$BATS_TEST_TMPDIR/ns"
	fails 2 "line 3: dur_ns is 'fast', not a number" -- nsq-gate "dur_ns < 5" "$BATS_TEST_TMPDIR/ns"
	run nsq-gate "pid < 9" "$BATS_TEST_TMPDIR/ns"
	same 0 "$status"
	printf 'count,name\n1,a\n2,b\nmany,c\n' > "$BATS_TEST_TMPDIR/count"
	fails 2 "row 4: count is 'many', not a number" -- nsq-gate "count < 5" "$BATS_TEST_TMPDIR/count"
	# also in a column far to the right
	{ seq 80 | sed 's/^/c/' | paste -s; seq 80 | paste -s; seq 80 | paste -s; seq 80 | sed '70s/.*/x/' | paste -s; } > "$BATS_TEST_TMPDIR/wide"
	fails 2 "line 4: c70 is 'x', not a number" -- nsq-gate "c70 > 5" "$BATS_TEST_TMPDIR/wide"
	run nsq-gate "c5 = 5" "$BATS_TEST_TMPDIR/wide"
	same 0 "$status"
	# a process id may be PID:N
	printf 'pid,name\n1,a\n2,b\n3:4,c\n' > "$BATS_TEST_TMPDIR/pid"
	run nsq-gate "pid <> 5" "$BATS_TEST_TMPDIR/pid"
	same 0 "$status"
}

@test "columns called rowid, oid or like keywords are no trouble" {
	printf 'rowid\toid\tselect\n7\t8\t1\n9\t9\t5\n' > "$BATS_TEST_TMPDIR/t"
	run --separate-stderr nsq-gate '"select" < 3 and rowid < 8' "$BATS_TEST_TMPDIR/t"
	same "4 9 9 5" "$status $(printf '%s\n' "$output" | rows | tr '\t' ' ')"
	printf 'rowid\tOID\t_rowid_\n7\t8\t999999\n' > "$BATS_TEST_TMPDIR/t"
	fails 2 "rowid, oid and _rowid_" "rename one" -- nsq-gate 0 "$BATS_TEST_TMPDIR/t"
}

@test "it takes one table: a file, standard input, a pipe; no trace" {
	gated 4 0
	whole=$output
	same "$whole" "$(nsq-gate -q 0 < "$T" 2>/dev/null || true)"
	same "$whole" "$(nsq-gate -q 0 - < "$T" 2>/dev/null || true)"
	same "$whole" "$(nsq-gate -q 0 x="$T" 2>/dev/null || true)"
	fails 2 "is a trace" -- nsq-gate 1 "$COPIES"
	fails 2 "1 tables at most" -- nsq-gate 1 "$T" "$T"
	fails 2 "usage: nsq-gate [options] EXPR [TABLE]" -- nsq-gate
	fails 1 "cannot open the table 'nothing'" -- nsq-gate 1 nothing
	fails 1 "cannot read '$BATS_TEST_TMPDIR'" -- nsq-gate 1 "$BATS_TEST_TMPDIR"
	run --separate-stderr nsq-gate -n 1 0 "$T"
	same "4 2" "$status ${#lines[@]}"
	holds "$stderr" "3 of 3 rows break" "-n shows 1 of 3 rows"
}
