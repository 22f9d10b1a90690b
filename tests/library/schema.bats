# What --schema says: every table and column of every fixture is described, and every example runs.
load ../helper

setup_file() {
	build libnsq.a
	cc -std=c11 -D_GNU_SOURCE -fno-pie -no-pie $NSQ_CFLAGS -I"$TESTS/../lib" -o "$BATS_FILE_TMPDIR/schema" \
		"$TESTS/library/schema.c" "$NSQ_BUILD/libnsq.a" -lsqlite3 -lpcre2-8 -lcsv -lm -lpthread
}
setup() { SCHEMA=$BATS_FILE_TMPDIR/schema; }

# traces: fixtures of different versions that hold different tables; where MORE=1, all.
traces() { some_or_all "$FIXTURES"/{dualpipe-pp2ep2-nsys2023,threads-samples}.sqlite; }

# each TRACE: all tables and columns of a trace, asked once.
each() {
	local f=$BATS_FILE_TMPDIR/each.${1##*/}
	[ -e "$f" ] || "$SCHEMA" each "$1" > "$f"
	cat "$f"
}

# tables_of TRACE: its tables, as SQLite says.
tables_of() {
	sql "$1" "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name"
}

# raw_tables: of a list of tables on stdin, the names of those of the trace.
raw_tables() { col table | sed -n 's/^raw\.//p' | sort; }

# bats test_tags=more
@test "a trace's tables are all listed, each with a meaning, an example, its rows and its columns" {
	for t in $(traces); do
		"$SCHEMA" - "$t" > "$BATS_TEST_TMPDIR/list"
		same "$(tables_of "$t" | sort)" "$(raw_tables < "$BATS_TEST_TMPDIR/list")"
		same "" "$(col meaning example table < "$BATS_TEST_TMPDIR/list" | awk -F '\t' '$1 == "-" || $2 == "-"')"
		same "$(sql "$t" "$(tables_of "$t" | sed "s/.*/SELECT 'raw.&', (SELECT count(*) FROM \"&\"), (SELECT count(*) FROM pragma_table_info('&'));/")" | sort)" \
			"$(col table rows columns < "$BATS_TEST_TMPDIR/list" | grep '^raw' | sort)"
	done
}

# bats test_tags=slow
@test "every column of every table of every fixture is described, in the trace's order" {
	for t in $(traces); do
		each "$t" > "$BATS_TEST_TMPDIR/each"
		same "$(sql "$t" "SELECT 'raw.' || m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
				WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid")" \
			"$(col table column < "$BATS_TEST_TMPDIR/each" | grep -v "$TAB-\$")"
		same "" "$(col meaning type table column < "$BATS_TEST_TMPDIR/each" |
			awk -F '\t' '$1 == "-" || $4 != "-" && $2 == "-"')"
	done
}

# examples TRACE: runs those of its tables as nsq-sql would.
examples() {
	local list
	list=$("$SCHEMA" - "$1" | col example table | sed -n "s/${TAB}raw\..*/;/p")
	[ "$(wc -l <<<"$list")" -ge 20 ]
	{ echo "ATTACH 'file:$1?immutable=1' AS raw;"; echo "$list"; } | sqlite3 -batch -bail :memory:
}

# bats test_tags=more
@test "every example runs on every fixture that has its table" {
	for t in $(traces); do
		examples "$t" > "$BATS_TEST_TMPDIR/rows"
		[ -s "$BATS_TEST_TMPDIR/rows" ]
	done
}

# bats test_tags=more,slow
@test "a type that is described is the one that the trace declares" {
	for t in $(traces); do
		same "" "$(diff <(sql "$t" "SELECT 'raw.' || m.name, c.name, lower(c.type) FROM sqlite_master m, pragma_table_info(m.name) c
				WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY m.name, c.cid" | sed 's/int$/integer/') \
			<(each "$t" | col table column type | grep -v "$TAB-$TAB") |
			grep '^>' | grep -v "NVTX_EVENTS${TAB}binaryData${TAB}blob")"
	done
}

# The tables and columns that are described, as TABLE.column; with the file of descriptions read by other means.
described() {
	awk -F '\t' '/^#/ { next } $1 == "table" { t = $2 } $1 == "column" && t != "*" { print t "." $2 }
		$1 == "like" { n = split($2, c, " "); for (i = 1; i <= n; i++) print t "." c[i] }' "$TESTS"/../share/schema/*.tsv
}

# references: what columns refer to, one a line.
references() {
	awk -F '\t' '$1 == "column" && $5 != "-" { n = split($5, r, ", "); for (i = 1; i <= n; i++) print r[i] }' \
		"$TESTS"/../share/schema/"$1".tsv
}

@test "what a column refers to is described too" {
	[ "$(references nsys | wc -l)" -gt 200 ]
	same "" "$(references nsys | grep -v '^ENUM_[A-Z0-9_]*\.id$' | sort -u | comm -23 - <(described | sort -u))"
	same "" "$(references nsq | cut -d. -f1 | sort -u | comm -23 - <(sed -n 's/^table\t\([^\t]*\).*/\1/p' "$TESTS"/../share/schema/nsq.tsv | sort))"
}

@test "what a column refers to is printed as SQL calls it" {
	"$SCHEMA" - - | col table | grep '^raw' | while read -r name; do "$SCHEMA" "$name" -; done > "$BATS_TEST_TMPDIR/all"
	same "$(awk -F '\t' -v OFS='\t' '$1 == "table" { t = $2 } $1 == "column" && t == "*" { like[$2] = $5 }
			function said(c, to) { if (to != "-") { gsub(/, /, ", raw.", to); to = "raw." to } print "raw." t, c, to }
			$1 == "column" && t != "*" { said($2, $5) }
			$1 == "like" { n = split($2, c, " "); for (i = 1; i <= n; i++) said(c[i], like[c[i]]) }' "$TESTS"/../share/schema/nsys.tsv)" \
		"$(awk -F '\t' -v OFS='\t' '$2 != "column" && $2 != "-" { print $1, $2, $5 }' "$BATS_TEST_TMPDIR/all")"
}

@test "no table and no column is described twice, and every column that is like others is one of them" {
	same "" "$(described | sort | uniq -d)"
	same "" "$(awk -F '\t' '$1 == "table" { t = $2 } t == "*" && $1 == "column" { known[$2] = 1 }
		$1 == "like" { n = split($2, c, " "); for (i = 1; i <= n; i++) if (!(c[i] in known)) print t, c[i] }' \
		"$TESTS"/../share/schema/nsys.tsv)"
	same "" "$(awk -F '\t' '/^#/ || NF == 0 { next } { fields = $1 == "column" ? 6 : $1 == "table" ? ($4 == "usual" ? 4 : 3) : 2 }
		NF != fields || $0 ~ /(^|\t)(\t|$)/' "$TESTS"/../share/schema/*.tsv)"
}

@test "nsq's own tables come with the columns of their answers, and what these refer to" {
	same "$(nsq-kernels --each --columns | col name type unit)" "$("$SCHEMA" kernels - | col column type unit | tail -n +2)"
	meant() { awk -F '\t' '$1 != "start_ns" && $1 != "end_ns" && $1 != "dur_ns"'; }
	same "$(nsq-kernels --each --columns | col name meaning | meant)" "$("$SCHEMA" kernels - | col column meaning | tail -n +2 | meant)"
	# a meaning in the file replaces the answer's, which is about windows
	same "start_ns	when it began on the GPU
end_ns	when it ended
dur_ns	how long it ran" "$("$SCHEMA" kernels - | col column meaning | grep -E '^(start|end|dur)_ns')"
	same "calls.start_ns" "$("$SCHEMA" kernels - | where column launch_ns | col refers_to)"
	holds "$("$SCHEMA" kernels - | where column - | col example)" " FROM kernels "
	same "gaps kernels" "$("$SCHEMA" - - | col table | grep -v '^raw' | sort | paste -sd' ')"
}

@test "a table that nobody has described shows its columns as they are" {
	t=$(change "$COMPILE" "CREATE TABLE \"my <b>table</b>\" (\"a&b\" DOUBLE, id INT, plain); INSERT INTO \"my <b>table</b>\" VALUES (1, 2, 3);")
	same "raw.my <b>table</b>	-	-	-	-	-	-
raw.my <b>table</b>	a&b	double	-	-	-	-
raw.my <b>table</b>	id	int	-	-	-	-
raw.my <b>table</b>	plain	-	-	-	-	-" "$("$SCHEMA" 'my <b>table</b>' "$t" | rows)"
	same "raw.my <b>table</b>	1	3	-	-" "$("$SCHEMA" - "$t" | tail -1)"
	t=$(change "$COMPILE" "ALTER TABLE NVTX_EVENTS ADD COLUMN extra REAL;")
	same "raw.NVTX_EVENTS	extra	real	-	-	-	-" "$("$SCHEMA" NVTX_EVENTS "$t" | tail -1)"
}

@test "names are found with or without raw., in any case, but processes is not PROCESSES" {
	same "$("$SCHEMA" NVTX_EVENTS "$COMPILE")" "$("$SCHEMA" raw.NVTX_EVENTS "$COMPILE")"
	same "$("$SCHEMA" NVTX_EVENTS "$COMPILE")" "$("$SCHEMA" RAW.nvtx_events "$COMPILE")"
	t=$(change "$COMPILE" "CREATE TABLE Kernels (x INT);")
	same "raw.Kernels	-" "$("$SCHEMA" raw.kernels "$t" | col table column | head -1)"
	same "kernels	-" "$("$SCHEMA" kernels "$t" | col table column | head -1)"
	same "raw.Kernels	-" "$("$SCHEMA" Kernels "$t" | col table column | head -1)"
}

@test "an enumeration says who uses its numbers" {
	holds "$("$SCHEMA" ENUM_CUPTI_SYNC_TYPE - | where column id | col meaning)" "as in raw.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION.syncType"
	holds "$("$SCHEMA" ENUM_NSYS_EVENT_CLASS "$COMPILE" | where column id | col meaning)" "raw.CUPTI_ACTIVITY_KIND_RUNTIME.eventClass" " more"
	users=$(described | grep -c '\.eventClass$')
	same "the number, as in raw.#.eventClass, raw.#.eventClass, raw.#.eventClass, raw.#.eventClass and $((users - 4)) more" \
		"$("$SCHEMA" ENUM_NSYS_EVENT_CLASS "$COMPILE" | where column id | col meaning | sed 's/raw\.[A-Z_]*/raw.#/g')"
	same "SELECT id, name, label FROM raw.ENUM_CUPTI_SYNC_TYPE ORDER BY id" "$("$SCHEMA" ENUM_CUPTI_SYNC_TYPE "$COMPILE" | where column - | col example)"
}

@test "a table that does not exist is an error, with the nearest name" {
	for trace in - "$COMPILE"; do
		asked "$SCHEMA" NVTX_EVENT "$trace"
		same "2 there is no table 'NVTX_EVENT', did you mean 'NVTX_EVENTS'? --schema lists them" "$status $stderr"
		same "" "$output"
	done
	asked "$SCHEMA" raw.CUPTI_ACTIVITY_KIND_SYNCHRONISATION "$COMPILE"
	same "2 there is no table 'raw.CUPTI_ACTIVITY_KIND_SYNCHRONISATION', did you mean 'raw.CUPTI_ACTIVITY_KIND_SYNCHRONIZATION'? --schema lists them" "$status $stderr"
	asked "$SCHEMA" zzzzzz -
	same "2 there is no table 'zzzzzz'; --schema lists them" "$status $stderr"
	asked "$SCHEMA" raw.nvtx_event -
	same "2 there is no table 'raw.nvtx_event', did you mean 'raw.NVTX_EVENTS'? --schema lists them" "$status $stderr"
	asked "$SCHEMA" kernel -
	same "2 there is no table 'kernel', did you mean 'kernels'? --schema lists them" "$status $stderr"
	asked "$SCHEMA" PAYLOAD -
	same 4 "$(grep -o "'[A-Z_]*PAYLOAD_[A-Z_]*'" <<<"$stderr" | wc -l)"
	asked "$SCHEMA" EVENT -
	same 4 "$(grep -o "'[A-Z_]*EVENT_*[A-Z_]*'" <<<"$stderr" | tail -n +2 | wc -l)"
	asked "$SCHEMA" '**' -
	same 2 "$status"
}

@test "a table that the trace does not have is described, with a note" {
	asked "$SCHEMA" GPU_METRICS "$COMPILE"
	same "0 '$COMPILE' has no table 'GPU_METRICS'; this is what it would hold" "$status $stderr"
	same "$("$SCHEMA" GPU_METRICS -)" "$output"
}

@test "a trace that cannot be read is an error" {
	cp "$COMPILE" "$BATS_TEST_TMPDIR/damaged.sqlite"
	chmod u+w "$BATS_TEST_TMPDIR/damaged.sqlite"
	root=$(sql "$COMPILE" "SELECT rootpage FROM sqlite_master WHERE name = 'NVTX_EVENTS'")
	dd if=/dev/zero of="$BATS_TEST_TMPDIR/damaged.sqlite" bs=4096 seek=$((root - 1)) count=1 conv=notrunc status=none
	asked "$SCHEMA" - "$BATS_TEST_TMPDIR/damaged.sqlite"
	same "1 " "$status $output"
	holds "$stderr" "damaged.sqlite"
}

@test "nothing is left behind: no leak in what was said" {
	case $NSQ_CFLAGS in *fsanitize=address*) ;; *) skip "make asan looks" ;; esac
	ASAN_OPTIONS=detect_leaks=1 "$SCHEMA" NVTX_EVENTS "$COMPILE"
	ASAN_OPTIONS=detect_leaks=1 "$SCHEMA" - "$COMPILE"
}
