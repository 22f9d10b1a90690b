# Traces that mean harm: escape sequences in names, pages in a circle, endless views, and what the
# fuzzer found.
load ../helper
load ../small-traces

setup_file() { make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"; }
setup() { TINY=$BATS_FILE_TMPDIR/tiny.sqlite; }

# shown MODE FORMAT: what the terminal is sent, less a line of progress and the carriage returns that it adds.
shown() { NO_COLOR=1 script -qec "$1 -f $2 '$t' 2>&1" /dev/null < /dev/null | sed 's/.*\r\x1b\[K//' | tr -d '\r'; }

# bats test_tags=slow
@test "names with escape sequences are not sent to a terminal, in any format" {
	needs_terminal
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	evil="'a' || char(27) || ']0;title' || char(7) || char(155) || '31m' || char(13) || char(10) || char(9) || char(127) || CAST(x'9b41ff' AS TEXT)"
	t=$(change "$TINY" "UPDATE StringIds SET value = $evil || value; UPDATE NVTX_EVENTS SET text = $evil || text WHERE eventType = 59;
		UPDATE PROCESSES SET name = $evil; UPDATE TARGET_INFO_GPU SET name = $evil; ALTER TABLE ANALYSIS_DETAILS RENAME TO \"evil$(printf '\033')[m\"")
	for mode in nsq-kernels nsq-nvtx nsq-setup "nsq-setup --facts" "nsq-gaps --each" nsq-streams; do
		for f in tsv csv jsonl table md; do
			shown "$mode" $f > "$BATS_TEST_TMPDIR/out"
			[ -s "$BATS_TEST_TMPDIR/out" ]
			if LC_ALL=C grep -naP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|(?<![\xc2-\xf4\x80-\xbf])[\x80-\xbf]|\xff' "$BATS_TEST_TMPDIR/out"; then
				echo "$mode -f $f"
				false
			fi
		done
	done
	# into a pipe the bytes are those of the trace
	nsq-kernels "$t" | LC_ALL=C grep -qaP '\x1b\]0;title'
	nsq-kernels -f jsonl "$t" | jq -e . > /dev/null
}

@test "messages do not send escape sequences either" {
	name=$(printf 'a\033]0;title\007\302\23331m\177\n.sqlite')
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr nsq-setup "$name"
	same 1 "$status"
	holds "$stderr" "title"
	same "" "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' <<<"$stderr")"
	same 1 "${#stderr_lines[@]}"
}

# circle TABLE: the B-tree of the table gets an inner page all of whose children are that page's own next
# level, twenty levels deep, each twice: a million times a million rows from a file of some kB.
circle() {
	python3 - "$1" "$2" <<-'EOF'
		import struct, sys
		path, root = sys.argv[1], int(sys.argv[2])
		db = bytearray(open(path, "rb").read())
		size = struct.unpack(">H", db[16:18])[0]
		pages = len(db) // size
		leaf = bytes(db[(root - 1) * size:root * size])
		def inner(child):
		    cells = b"".join(struct.pack(">IB", child, 0x7f) for _ in range(40))
		    at = size - len(cells)
		    head = struct.pack(">BHHHBI", 5, 0, 40, at, 0, child) + b"".join(struct.pack(">H", at + 5 * i) for i in range(40))
		    return head + bytes(at - len(head)) + cells
		levels = 12
		db[(root - 1) * size:root * size] = inner(pages + 1)
		for i in range(1, levels):
		    db += inner(pages + 1 + i)
		db += leaf
		db[28:32] = struct.pack(">I", len(db) // size)
		db[24:28] = db[92:96]
		open(path, "wb").write(db)
	EOF
}

@test "pages in a circle, or shared so that a small file has endless rows" {
	for table in ${K}KERNEL NVTX_EVENTS ${K}RUNTIME StringIds; do
		t=$(change "$TINY" "")
		circle "$t" "$(sql "$t" "SELECT rootpage FROM sqlite_master WHERE name = '$table'")"
		for mode in nsq-kernels nsq-nvtx nsq-api; do
			rc=0
			timeout 300 $mode "$t" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" || rc=$?
			[ $rc -le 1 ] || { echo "$table $mode $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
		done
	done
}

# Facts are found by queries, some of which find nothing: no limit on their rows ends them.
@test "facts of a trace with endless tables end" {
	for table in TARGET_INFO_GPU META_DATA_EXPORT META_DATA_CAPTURE; do
		t=$(change "$TINY" "DROP TABLE IF EXISTS $table; CREATE TABLE $table (id INTEGER, name TEXT, value TEXT); INSERT INTO $table VALUES (0, 'x', 'y')")
		circle "$t" "$(sql "$t" "SELECT rootpage FROM sqlite_master WHERE name = '$table'")"
		rc=0
		timeout 300 nsq-setup --facts "$t" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" || rc=$?
		[ $rc -eq 1 ] || { echo "$table $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
	done
}

@test "a view that never ends is not asked" {
	t=$(change "$TINY" "CREATE VIEW CUPTI_ACTIVITY_KIND_SYNCHRONIZATION AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start FROM n;
		DROP TABLE ThreadNames; CREATE VIEW ThreadNames AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS globalTid, i AS nameId FROM n")
	survives "$t"
}

# bats test_tags=slow
@test "what the fuzzer starts with ends well, and what it found stays fixed" {
	build fuzz
	n=0
	for kind in trace $(ls "$TESTS/fuzz/seeds"); do
		inputs=$(find "$TESTS/fuzz/seeds/$kind" "$TESTS/fuzz/cases/$kind" -type f 2>/dev/null) || true
		n=$((n + $(wc -w <<< "$inputs")))
		TMPDIR=$BATS_TEST_TMPDIR "$NSQ_BUILD/fuzz" $kind "$TINY" $inputs /dev/null 2> "$BATS_TEST_TMPDIR/err"
	done
	[ "$n" -ge 70 ]
}
