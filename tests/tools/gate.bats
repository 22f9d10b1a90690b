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
	asked nsq-gate "$@" "$T"
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
	same "nsq-gate: 3 of 3 rows keep 'dur_ns < 300 or dur_ns is null': dur_ns 100 to 250" "$stderr"
	gated 0 "dur_ns < 300 or dur_ns is null" -q
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
	asked nsq-gate 1 "$BATS_TEST_TMPDIR/none"
	same "4 $(head -1 "$T")" "$status $output"
	holds "$stderr" "no rows" "--allow-empty"
	answers nsq-gate --allow-empty 1 "$BATS_TEST_TMPDIR/none"
	same "$(head -1 "$T")" "$output"
	gated 4 0 --allow-empty
	fails 2 "empty" -- nsq-gate 1 < /dev/null
}

# bats test_tags=slow
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
	fails 2 "a text takes single quotes: '2d'" -- nsq-gate 'name = "2d"' "$T"
	fails 2 "a number takes no quotes and no unit: 10" -- nsq-gate 'pct < "10%"' "$T"
	fails 2 "a number takes no quotes and no unit: 5000000 (ns)" -- nsq-gate 'dur_ns < "5ms"' "$T"
	fails 2 "no such function: medain, did you mean 'median'?" -- nsq-gate "medain(dur_ns) < 5" "$T"
	fails 2 "misuse of aggregate" -- nsq-gate "median(dur_ns) < 5" "$T"
	fails 2 "incomplete input" -- nsq-gate "" "$T"
	fails 2 "no such table: kernels" -- nsq-gate "exists (select 1 from kernels)" "$T"
}

@test "it is one condition, and nothing else can stand in it" {
	for condition in "1) or (1" "1 limit 0" "1 group by 1" "1; select 1" "1 union select 1" "select 1" "1, 2" "1 /*" "1) --" "(1" "1 order by 1" "1 window w as ()"; do
		echo "$condition"
		asked nsq-gate "$condition" "$T"
		same "2 " "$status $output"
	done
	fails 2 "'load_extension' is refused" -- nsq-gate "load_extension('x')" "$T"
}

# refuses PART CONDITION...: each is wrong, for a reason that has the part.
refuses() {
	local part=$1
	shift
	for condition; do fails 2 "the condition is wrong" "$part" -- nsq-gate "$condition" "$T" || { echo "$condition"; return 1; }; done
}

# bats test_tags=long
@test "a number is not compared with a text, which would always be kept" {
	printf 'pid\tidle_ns\tidle_pct\tname\tfailed\tgrid\tshare\n1\t4900000\t49\tgemm\ttrue\t1x1x1\t49%%\n2\t100\t49\tcopy\tfalse\t2x1x1\t7%%\n' > "$T"
	refuses "write 5, without quotes and %" "idle_pct < '5%'" "t.idle_pct < '5%'" "not idle_pct >= '5%'" "'5%' > idle_pct" "idle_pct <> '5%'" "idle_pct between 1 and '5%'" \
		"idle_pct not in (7, '5%')" "coalesce(idle_pct, '5%') < 50" "share < '5%'" "idle_pct < case when 1 then '5%' end" "idle_pct < 5 * '5%'" '"idle_pct" < '"'5%'" "idle_pct is not '5%'" \
		"length(name) in (1, '5%')" "idle_pct < ('5%')" "idle_pct < max('5%', 1)"
	refuses "write 1000000, in nanoseconds" "idle_ns < '1ms'" "idle_ns < 5 * '1ms'" "1 + idle_ns = '1ms' or 1"
	refuses "write 5, without quotes" "idle_pct < '5'" "idle_pct + 0 < '5'" "idle_pct < '5' || '%'"
	refuses "without quotes and unit" "idle_pct < '+5'" "idle_pct < ' 5'" "idle_pct < '.5'" "idle_pct < '-.5'" "idle_pct < '5 percent'" "idle_pct < '2x'" "lower(name) <> '2x'"
	refuses "compares a number with a text" "idle_pct < 'five'" "idle_ns < 'name'" "idle_ns < name" "name > idle_ns" "name > 5" "share > 5" "share < 5" "5 > share" "idle_ns <> 'abc'" \
		"idle_ns is not 'abc'" "[idle_ns] < \`name\`" "t.idle_ns < t.name"
	refuses "neither true nor false" "not failed" "failed" "1 and not failed" "case when failed then 0 else 1 end" "t.failed or 1"
	refuses "compare it with 'true' or 'false'" "failed is not true" "failed <> true" "false <> failed" "failed is true"
	refuses "is a blob" "idle_ns < x'00'" "idle_ns < X'ff'"
	for condition in '?' '?2' ':x' '@x' '$x'; do
		fails 2 "the condition has the parameter '$condition'" -- nsq-gate "idle_ns < 1e9 or idle_ns < $condition" "$T"
	done
	refuses "no such column: 5" 'idle_pct < "5"' 'idle_pct < `5`' 'idle_pct < [5]'
}

@test "a text is compared with a text, also one that begins with a digit" {
	printf 'pid\tidle_ns\tname\tfailed\tgrid\n1\t10\tgemm\tfalse\t1x1x1\n2:5\t100\t2d copy\tfalse\t2x1x1\n' > "$T"
	for condition in "grid <> '3x1x1'" "grid in ('1x1x1', '2x1x1')" "t.grid not in ('3x1x1')" "failed = 'false'" "not failed = 'true'" "not (failed <> 'false')" "name = 'gemm' or name like '2d%'" \
		"substr(name, 1, 2) = 'ge' or name in ('2d copy')" "name < 'z' and name between '' and 'z'" "name is not 'x' -- '5%'" "pid <> 5 and pid <> '2:6'" "1 /* '5%' */" "\"name\" <> '5'" \
		"'a' || name <> 'b'" "name <> 'it''s 5'" "cast('{\"a\":5}' ->> '\$.a' as real) < 6" "name collate nocase <> 'GEMM5'" "(name) <> 'x'" "iif(failed = 'false', 1, 0)" "length(name) > 3" \
		"name glob '[0-9]*' or idle_ns < 50" "idle_ns not null" "name is not null and idle_ns < 1e9 and idle_ns > .5"; do
		asked nsq-gate -q "$condition" "$T"
		same "0 $condition " "$status $condition $stderr"
	done
}

# One condition a line.
# bats test_tags=slow
@test "conditions in which nothing is wrong" {
	printf 'name\tidle_pct\tidle_ns\twindow\tempty\tmixed\nfoo\t49.0\t5000000\t3\t-\t7\nbar\t50\t6000000\t3\t-\tabc\n' > "$T"
	while IFS= read -r condition; do
		asked nsq-gate -q -- "$condition" "$T"
		same "0 $condition " "$status $condition $stderr"
	done <<-'END'
		name <> 'slower'
		name like '%x%' or 1
		idle_ns < 1e8
		name in ('foo','bar')
		length(name) < 5
		window = '3'
		window = 3
		(window) = 3
		window <> '4'
		window in ('3','4')
		idle_pct < (select avg(idle_pct)*2 from t)
		idle_pct <= (select max(idle_pct) from t)
		idle_pct < (select max(idle_pct)+1 from t where name <> 'zzz')
		idle_pct < (select max(idle_pct)+1 m from t where name <> 'zzz' order by 1)
		idle_pct < case when name = 'foo' then 60 else 70 end
		idle_pct < case name when 'foo' then 60 else 70 end
		case when name = 'foo' then 60 else 70 end > idle_pct
		case when name = 'foo' then idle_pct < 60 else idle_pct < 70 end
		idle_pct < iif(name = 'foo', 60, 70)
		idle_pct < coalesce(empty, 90)
		(idle_pct + 1) < 90
		idle_pct/2 < 90 and (name = 'foo' or name = 'bar')
		max(idle_pct, 3) < 90
		-idle_pct < 0
		- 5 < idle_pct
		cast(substr(window,1,1) as int) < 5
		idle_pct is not null
		name is not null
		name < 'g' or name > 'a'
		name || 'x' <> 'y'
		name || 'x' < 'zz'
		lower(name) between 'a' and 'z'
		idle_ns < 1000000 * 100
		abs(idle_pct - 49.5) <= 0.5
		round(idle_pct) in (49, 50)
		(name = 'foo') = (idle_pct < 49.5)
		not (name = 'x' and idle_pct > 90)
		name = 'foo' or idle_pct between 49 and 51
		instr(name,'o') > 0 or idle_pct > 1
		coalesce(nullif(name,'zz'),'x') < 'zz'
		min(name,'zzz') < 'zz'
		json_array_length('[1]') < 2
		idle_pct < cast('{"a":90}' ->> '$.a' as real)
		rowid < 5
		idle_pct between 1 and 99 and name in ('foo', 'bar')
		idle_pct not between 1 and 2 and idle_ns > 0
		name not in ('x')
		name in (select name from t)
		idle_pct in (select idle_pct from t)
		(select count(*) from t) = 2
		exists (select 1 from t where idle_pct > 0)
		idle_ns > 0 and (idle_pct < 60) is true
		1.0 * idle_ns / (idle_ns + 1) < 2
		t.idle_pct < 60 and t.name <> 'x'
		idle_pct = idle_pct or name = name
		window = '3' and idle_ns < 1e9
		substr(name, 1, 1) in ('f', 'b')
		coalesce(empty, 0) = 0
		empty is null or empty < 5
		ifnull(empty, 0) < 5
		typeof(idle_pct) <> 'text'
		name = 'foo' and idle_pct < 60 or name <> 'foo' and idle_pct < 70
		idle_pct < 1e2 and idle_pct > .5 and idle_ns < 0x7fffffff
		idle_pct < (select median(idle_pct) * 3 from t)
		idle_pct < (select percentile(idle_pct, 99) from t) + 1
		idle_pct % 100 < 60
		idle_pct < true + 90
		case name when 'foo' then 1 when 'bar' then 1 end
	END
}

@test "a condition that breaks in more rows than --max-rows" {
	fails 1 "the condition finds more than 2 rows" "--max-rows" -- nsq-gate --max-rows 2 0 "$T"
	gated 4 0 --max-rows 3
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
	asked nsq-gate '"select" < 3 and rowid < 8' "$BATS_TEST_TMPDIR/t"
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
	asked nsq-gate -n 1 0 "$T"
	same "4 2" "$status ${#lines[@]}"
	holds "$stderr" "3 of 3 rows break" "-n shows 1 of 3 rows"
}
