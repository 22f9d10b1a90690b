# nsq-sql --schema: what it says of the tables is true of the tables that nsq-sql has.
load ../helper

METRICS=$FIXTURES/train-metrics.sqlite

# own_tables: of a list of tables, those that are not the trace's own.
own_tables() { col table | grep -v '^raw\.'; }

@test "every table of nsq is described, and each has the columns that a query finds" {
	nsq-sql --schema > "$BATS_TEST_TMPDIR/list"
	[ "$(own_tables < "$BATS_TEST_TMPDIR/list" | wc -l)" -ge 8 ]
	same "" "$(col meaning example table < "$BATS_TEST_TMPDIR/list" | awk -F '\t' '$1 == "-" || $2 == "-"')"
	for name in $(own_tables < "$BATS_TEST_TMPDIR/list"); do
		nsq-sql --schema "$name" > "$BATS_TEST_TMPDIR/one"
		same "$(nsq-sql -q "select * from $name limit 1" "$METRICS" | head -1 | tr '\t' '\n')" \
			"$(col column < "$BATS_TEST_TMPDIR/one" | tail -n +2)"
		same "" "$(col meaning type column < "$BATS_TEST_TMPDIR/one" | awk -F '\t' '$1 == "-" || $3 != "-" && $2 == "-"')"
	done
	same "$(nsq-api --each --columns | col name type unit)" "$(nsq-sql --schema calls | col column type unit | tail -n +2)"
}

@test "rows that are events are described as events, not as windows" {
	for name in kernels copies calls ranges gaps stalls path collectives metrics; do
		nsq-sql --schema "$name" | col column meaning > "$BATS_TEST_TMPDIR/one"
		same 2 "$(grep -cE "^(start|end)_ns$TAB" "$BATS_TEST_TMPDIR/one")"
		same "window	name of the window this row describes" "$(grep window "$BATS_TEST_TMPDIR/one")"
	done
}

@test "the gaps: a row names the largest cause only, which the schema says, and its example does not sum by it" {
	# this is what the schema warns of
	by_cause=$(nsq-gaps -q --by cause "$NODES" | col cause idle_ns | sort)
	summed=$(nsq-sql -q "select cause, sum(dur_ns) from gaps group by 1" "$NODES" | rows | sort)
	[ "$by_cause" != "$summed" ]
	same "$(awk '{ n += $2 } END { print n }' <<<"$by_cause")" "$(awk '{ n += $2 } END { print n }' <<<"$summed")"
	nsq-sql --schema gaps > "$BATS_TEST_TMPDIR/gaps"
	holds "$(where column - < "$BATS_TEST_TMPDIR/gaps" | col meaning)" "only the largest" "nsq-gaps --by cause"
	holds "$(where column cause < "$BATS_TEST_TMPDIR/gaps" | col meaning)" "largest part" "--by cause"
	query=$(where column - < "$BATS_TEST_TMPDIR/gaps" | col example)
	lacks "$query" "GROUP BY"
	# its rows are windows: the longest gaps, in their order
	same "$(nsq-gaps -q --each "$NODES" | col start_ns end_ns cause | grep -v edge | head -10)" "$(nsq-sql -q "$query" "$NODES" | col start_ns end_ns cause)"
	nsq-sql -q "$query" "$NODES" | nsq-gaps -q | count > "$BATS_TEST_TMPDIR/n"
	same 10 "$(cat "$BATS_TEST_TMPDIR/n")"
}

@test "what a column of nsq's tables refers to is a column of another" {
	for name in $(nsq-sql --schema | own_tables); do
		nsq-sql --schema "$name" | col table column refers_to
	done > "$BATS_TEST_TMPDIR/all"
	cut -f3 "$BATS_TEST_TMPDIR/all" | grep -v '^-$' | sort -u > "$BATS_TEST_TMPDIR/to"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/to")" -ge 6 ]
	same "" "$(comm -23 "$BATS_TEST_TMPDIR/to" <(awk -F '\t' '{ print $1 "." $2 }' "$BATS_TEST_TMPDIR/all" | sort))"
	# every kernel's launch_ns is the start of a call of its process
	same "0" "$(nsq-sql -q "select count(*) from kernels k where launch_ns is not null and not exists
		(select 1 from calls c where c.pid = k.pid and c.start_ns = k.launch_ns)" "$COMPILE" | rows)"
}

@test "every description has a table: none is left of one that nsq-sql does not offer" {
	same "$(sed -n 's/^table\t\([^\t]*\).*/\1/p' "$TESTS"/../share/schema/nsq.tsv)" "$(nsq-sql --schema | own_tables)"
}

@test "* is all tables, with what nsys's own schema calls references, and names of a trace do not reach the picture of them" {
	t=$(change "$FIXTURES/train.sqlite" "CREATE TABLE \"x --> \"\"y\"\", raw.StringIds.id\" (id INTEGER, \"nameId\" INTEGER)")
	nsq-sql -q --schema '*' "$t" > "$BATS_TEST_TMPDIR/all"
	for name in kernels gaps raw.StringIds raw.CUPTI_ACTIVITY_KIND_KERNEL; do
		same "$(nsq-sql -q --schema "$name" "$t" | cut -f1-7 | sed 1d)" "$(awk -F '\t' -v t="$name" '$1 == t' "$BATS_TEST_TMPDIR/all")"
	done
	same "$(nsq-sql -q --schema "$t" | col table)" "$(awk -F '\t' 'NR > 1 && !met[$1]++ { print $1 }' "$BATS_TEST_TMPDIR/all")"
	sql "$t" "SELECT sql FROM sqlite_master" | awk '/^CREATE TABLE/ { t = $3 } match($0, /REFERENCES [A-Za-z_]+\([a-zA-Z]+\)/) {
		to = substr($0, RSTART + 11, RLENGTH - 12); sub(/\(/, ".", to); print "raw." t "\t" $1 "\traw." to }' | sort -u > "$BATS_TEST_TMPDIR/nsys"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/nsys")" -ge 30 ]
	awk -F '\t' -v OFS='\t' '{ n = split($5, to, ", "); for (i = 1; i <= n; i++) print $1, $2, to[i] }' "$BATS_TEST_TMPDIR/all" | sort > "$BATS_TEST_TMPDIR/ours"
	same "" "$(comm -23 "$BATS_TEST_TMPDIR/nsys" "$BATS_TEST_TMPDIR/ours")"
	same "" "$(grep 'x -->' "$BATS_TEST_TMPDIR/all" | awk -F '\t' '$5 != "-"')"
	same "$(nsq-sql -q --schema --all | wc -l)" "$(nsq-sql -q --schema '*' --all | col table | uniq | wc -l | awk '{ print $1 + 1 }')"
}

# bats test_tags=more
@test "without a trace: nsq's tables and those that traces of CUDA programs have; --all lists the others too" {
	nsq-sql -q --schema > "$BATS_TEST_TMPDIR/usual"
	nsq-sql -q --schema --all > "$BATS_TEST_TMPDIR/all"
	[ "$(count < "$BATS_TEST_TMPDIR/usual")" -lt 50 ]
	same "$(nsq-sql --schema "$COMPILE" | own_tables)" "$(own_tables < "$BATS_TEST_TMPDIR/usual")"
	# each usual table is in a fixture, and each that half of the fixtures have is usual
	for t in $(some_or_all "$DUALPIPE" "$COPIES" "$NODES" "$WHOLE"); do
		sql "$t" "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'ENUM%'"
	done | sort | uniq -c > "$BATS_TEST_TMPDIR/have"
	col table < "$BATS_TEST_TMPDIR/usual" | sed -n 's/^raw\.//p' | grep -v '^ENUM_\*$' | sort > "$BATS_TEST_TMPDIR/raw"
	same "" "$(comm -23 "$BATS_TEST_TMPDIR/raw" <(awk '{ print $2 }' "$BATS_TEST_TMPDIR/have" | sort))"
	same "" "$(awk '$1 > 8 { print $2 }' "$BATS_TEST_TMPDIR/have" | sort | comm -23 - "$BATS_TEST_TMPDIR/raw")"
	# all: every table that is described, those of the short list in the same order
	same "$(sed -n 's/^table\t\([^\t]*\).*/\1/p' "$TESTS"/../share/schema/nsys.tsv | tail -n +2)" \
		"$(col table < "$BATS_TEST_TMPDIR/all" | sed -n 's/^raw\.//p')"
	same "$(grep -Fxf "$BATS_TEST_TMPDIR/usual" "$BATS_TEST_TMPDIR/all")" "$(cat "$BATS_TEST_TMPDIR/usual")"
	more=$(($(count < "$BATS_TEST_TMPDIR/all") - $(count < "$BATS_TEST_TMPDIR/usual")))
	mentions "$more tables of nsys that few traces have are listed with --all; with a trace, those that it has" -- nsq-sql --schema
	for given in --all "$METRICS" kernels VULKAN_API; do
		run --separate-stderr nsq-sql --schema $given
		same "0 " "$status $stderr"
	done
	holds "$(nsq-sql --schema "$METRICS" | col table)" raw.GPU_METRICS
	for given in kernels "$METRICS"; do
		fails 2 "'--all' has no effect with '$given'" -- nsq-sql --schema --all "$given"
	done
}

# bats test_tags=more
@test "every example can be pasted" {
	for t in "$COPIES" $(if more; then echo "$DUALPIPE"; fi); do
		nsq-sql --schema "$t" | col example > "$BATS_TEST_TMPDIR/examples"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/examples")" -ge 40 ]
		while IFS= read -r query; do
			echo "$query"
			of=$t
			[[ "$query" != *" FROM metrics "* ]] || of=$METRICS
			nsq-sql -q "$query" "$of" > "$BATS_TEST_TMPDIR/rows"
			[ -s "$BATS_TEST_TMPDIR/rows" ]
		done < <(each_nth 4 < "$BATS_TEST_TMPDIR/examples")
	done
	# those of nsq's own tables find something
	nsq-sql --schema | where table kernels | col example | while IFS= read -r query; do
		[ "$(nsq-sql -q "$query" "$DUALPIPE" | count)" -eq 5 ]
	done
}

@test "a table that does not exist: the nearest name, exit 2" {
	fails 2 "there is no table 'kernel', did you mean 'kernels'?" -- nsq-sql --schema kernel
	fails 2 "there is no table 'GPU_METRIC', did you mean 'GPU_METRICS'" -- nsq-sql --schema GPU_METRIC
	mentions "has no table 'GPU_METRICS'" -- nsq-sql --schema GPU_METRICS "$COMPILE"
}

@test "the help names the tables of traces and the functions" {
	help=$(manual nsq-sql | sed -n '/^in the query:/,/^exit/p')
	tables=$(nsq-sql --schema | col table | grep -v '^raw')
	[ "$(wc -w <<< "$tables")" -ge 9 ]
	for name in $tables median percentile fold raw.NAME; do holds "$help" "$name"; done
}
