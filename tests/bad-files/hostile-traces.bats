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
	# a line feed in a name begins no line, in CSV neither
	same "$(shown nsq-kernels tsv | wc -l)" "$(shown nsq-kernels csv | wc -l)"
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

endless() { python3 "$TESTS/bad-files/pages.py" endless "$1" "$BATS_TEST_TMPDIR/endless.sqlite" "$2"; t=$BATS_TEST_TMPDIR/endless.sqlite; }

# Every walk over pages has the same bound, whoever makes it: the page reader, SQLite for a tool, SQLite for a slice.
# bats test_tags=more,long
@test "pages shared so that a small file has endless rows: of any table, read by anybody" {
	full=$(change "$TINY" "CREATE TABLE ZZZ (a); INSERT INTO ZZZ VALUES (1); INSERT INTO TARGET_INFO_GPU (id) SELECT 0 WHERE 0 = (SELECT count(*) FROM TARGET_INFO_GPU)")
	for table in $(sql "$full" "SELECT name FROM sqlite_master WHERE type = 'table'" | each_nth 9) sqlite_master; do
		endless "$full" "$table"
		for mode in "slice -o $BATS_TEST_TMPDIR/out.sqlite" "setup --facts" "kernels --by nvtx"; do
			rc=0
			timeout 20 nsq-$mode -q "$t" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err" || rc=$?
			[ $rc -eq 1 ] || { [ $rc -eq 0 ] && [ "${mode#slice}" = "$mode" ]; } || { echo "$table $mode $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
			[ ! -e "$BATS_TEST_TMPDIR/out.sqlite" ]
		done
		lacks "$(cat "$BATS_TEST_TMPDIR/err")" "cannot write"
	done
}

# bats test_tags=slow
@test "traces whose pages were changed at random" {
	cd "$BATS_TEST_TMPDIR"
	run python3 "$TESTS/bad-files/pages.py" mutate "${SEED:-$RANDOM}" 10 "$NSQ_BIN" "$COMPILE" "$SAMPLES" "$FIXTURES/collectives-rank0.sqlite" "$FIXTURES/train-metrics.sqlite"
	echo "$output"
	[ "$status" = 0 ]
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
