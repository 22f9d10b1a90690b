# The schemas of the versions of nsys: tables and columns that are missing, renamed, added or versioned.
# Each trace is the small one of fuzz/tiny.sql, changed.
# bats file_tags=more
load ../helper
load ../small-traces

setup_file() { make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"; }
setup() { TINY=$BATS_FILE_TMPDIR/tiny.sqlite; }

@test "metadata under either name, or none" {
	t=$(change "$TINY" "ALTER TABLE META_DATA_EXPORT RENAME TO EXPORT_META_DATA")
	unchanged "$t"
	same "3.13.2 2024.1.1" "$(nsq-setup --facts "$t" | awk -F '\t' '$1 ~ /^nsys/ { print $2 }' | xargs)"
	t=$(change "$TINY" "DROP TABLE META_DATA_EXPORT; DROP TABLE META_DATA_CAPTURE; DROP TABLE TARGET_INFO_GPU; DROP TABLE ANALYSIS_DETAILS")
	unchanged "$t"
	answers nsq-setup --facts "$t"
}

@test "strings in StringIds, or in any table of id and value, keyed or not" {
	unchanged "$(change "$TINY" "ALTER TABLE StringIds RENAME TO STRINGS")"
	unchanged "$(change "$TINY" "CREATE TABLE names (id INTEGER, value TEXT); INSERT INTO names SELECT * FROM StringIds ORDER BY id DESC; DROP TABLE StringIds")"
	unchanged "$(change "$TINY" "CREATE TABLE s (id INTEGER PRIMARY KEY, value TEXT) WITHOUT ROWID; INSERT INTO s SELECT * FROM StringIds; DROP TABLE StringIds; ALTER TABLE s RENAME TO StringIds")"
}

@test "kernels in CONCURRENT_KERNEL, and tables with a version in their name" {
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}CONCURRENT_KERNEL")"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}CONCURRENT_KERNEL_V2")"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL RENAME TO ${K}KERNEL_V3; ALTER TABLE ${K}MEMCPY RENAME TO ${K}MEMCPY_V2;
		ALTER TABLE ${K}RUNTIME RENAME TO ${K}RUNTIME_V10; ALTER TABLE ${K}GRAPH_TRACE RENAME TO ${K}GRAPH_TRACE_V2; ALTER TABLE ${K}MEMSET RENAME TO ${K}MEMSET_V2;
		ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V2; ALTER TABLE PROCESSES RENAME TO PROCESSES_V2; ALTER TABLE ThreadNames RENAME TO ThreadNames_V2")"
}

@test "NVTX names as text, or as textId, or both" {
	all_ids="INSERT INTO StringIds SELECT 100 + rowid, text FROM NVTX_EVENTS WHERE text IS NOT NULL;
		UPDATE NVTX_EVENTS SET textId = 100 + rowid, text = NULL WHERE text IS NOT NULL;"
	unchanged "$(change "$TINY" "$all_ids")"
	unchanged "$(change "$TINY" "$all_ids ALTER TABLE NVTX_EVENTS DROP COLUMN text")"
	unchanged "$(change "$TINY" "UPDATE NVTX_EVENTS SET text = (SELECT value FROM StringIds WHERE id = textId) WHERE textId; ALTER TABLE NVTX_EVENTS DROP COLUMN textId")"
	# text counts where both are there
	unchanged "$(change "$TINY" "UPDATE NVTX_EVENTS SET textId = 1 WHERE text IS NOT NULL")"
}

@test "NVTX without domains" {
	t=$(change "$TINY" "ALTER TABLE NVTX_EVENTS DROP COLUMN domainId")
	answers nsq-nvtx "$t"
	same "$(nsq-nvtx "$TINY" | without trace domain)" "$(without trace domain <<<"$output")"
	survives "$t"
}

@test "kernels without context, graph node, or columns that nobody reads" {
	t=$(change "$TINY" "ALTER TABLE ${K}KERNEL DROP COLUMN contextId")
	answers nsq-kernels "$t"
	same "$(nsq-kernels "$TINY" | without trace)" "$(without trace <<<"$output")"
	same - "$(nsq-streams "$t" | where class comm | col ctx | sort -u)"
	unchanged "$(change "$TINY" "ALTER TABLE ${K}KERNEL DROP COLUMN graphNodeId; ALTER TABLE ${K}KERNEL DROP COLUMN gridX")"
}

@test "work without globalPid belongs to the one process that made calls" {
	one="DELETE FROM ${K}KERNEL WHERE globalPid >> 24 = 20; DELETE FROM ${K}RUNTIME WHERE globalTid >> 24 = 20; DELETE FROM NVTX_EVENTS WHERE globalTid >> 24 = 20;"
	t=$(change "$TINY" "$one")
	mv "$t" "$BATS_TEST_TMPDIR/one.sqlite"
	TINY=$BATS_TEST_TMPDIR/one.sqlite
	cp "$TINY" "$BATS_TEST_TMPDIR/two.sqlite"
	sqlite3 "$BATS_TEST_TMPDIR/two.sqlite" "ALTER TABLE ${K}KERNEL DROP COLUMN globalPid; ALTER TABLE ${K}MEMCPY DROP COLUMN globalPid;
		ALTER TABLE ${K}MEMSET DROP COLUMN globalPid; ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN globalPid"
	unchanged "$BATS_TEST_TMPDIR/two.sqlite"
}

@test "graphs by graphId or graphExecId" {
	unchanged "$(change "$TINY" "ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN graphExecId")"
	t=$(change "$TINY" "ALTER TABLE ${K}GRAPH_TRACE DROP COLUMN graphId")
	same "graph 4" "$(nsq-kernels "$t" | where class graph | col name)"
}

@test "missing ENUM tables, and columns and tables that others added" {
	t=$(change "$COPIES" "$(drop_tables "$COPIES" 'ENUM_*')")
	for mode in nsq-mem nsq-api nsq-kernels; do
		same "$($mode -q "$COPIES" | without trace)" "$($mode -q "$t" | without trace)"
	done
	unchanged "$(change "$TINY" "CREATE TABLE notes (id INTEGER, value TEXT, x); INSERT INTO notes VALUES (1, 'wrong', 1); ALTER TABLE ${K}KERNEL ADD COLUMN mine TEXT DEFAULT 'x';
		CREATE TABLE \"a \"\"strange\"\" name\" (x); CREATE VIEW v AS SELECT * FROM notes; CREATE INDEX i ON ${K}KERNEL (start); CREATE INDEX j ON StringIds (value)")"
	same "0" "$(nsq-setup --facts "$t" >/dev/null 2>&1; echo $?)"
}

# bats test_tags=slow
@test "every tool on the public traces, compared with SQL (tests/corpus)" {
	corpus=$TESTS/../../shared/corpus
	[ -d "$corpus" ] || skip "no ../shared/corpus beside the repository; tests/corpus DIR runs on any folder"
	# a part of them here, each version of the schema once; make corpus runs all
	mkdir "$BATS_TEST_TMPDIR/some"
	for x in "$corpus"/*.xz; do v=${x##*/}; ln -sf "$x" "$BATS_TEST_TMPDIR/some/${v%%_*}.sqlite.xz"; done
	run "$TESTS/corpus" "$BATS_TEST_TMPDIR/some"
	echo "$output"
	same 0 "$status"
}
