# Bad files, incomplete traces and full disks: one clear line, the right exit code, nothing on stdout.
load helper

# without_tables PATTERN...: a copy of a fixture without the tables whose names match.
without_tables() {
	local drops=() p
	for p; do drops+=("$(drop_tables "$COPIES" "$p")"); done
	change "$COPIES" "${drops[@]}"
}

# lines_of N: the last run printed N lines on stdout, and succeeded.
lines_of() { same "0 $1" "$status ${#lines[@]}"; }

@test "without NVTX: what needs no ranges is answered, -m and --list name the flag" {
	t=$(without_tables 'NVTX_*')
	answers nsq-window "$t"
	same "process" "$(col rule <<<"$output")"
	answers nsq-streams "$t"
	same "$(nsq-streams "$COPIES" | without trace)" "$(without trace <<<"$output")"
	answers nsq-setup "$t"
	same "0" "$(col ranges <<<"$output")"
	fails 3 "$t" "NVTX" "nsys profile --trace=" "nvtx" -- nsq-window -m step "$t"
	fails 3 "$t" "NVTX" "nsys profile --trace=" "nvtx" -- nsq-window --list "$t"
}

@test "without NVTX communication stands under -" {
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'NVTX_*')")
	answers nsq-overlap "$t"
	same "-
serial" "$(col stage <<<"$output" | sort -u)"
	same "$(nsq-overlap "$DUALPIPE" | sum kernels comm_ns hidden_ns)" "$(sum kernels comm_ns hidden_ns <<<"$output")"
}

@test "without kernels: a missing table beside others of its kind is an empty one" {
	t=$(without_tables 'CUPTI_ACTIVITY_KIND_KERNEL')
	mentions "no communication kernel" -- nsq-overlap "$t"
	lines_of 1
	answers nsq-streams "$t"
	same "copy" "$(col class <<<"$output" | sort -u)"
	answers nsq-setup "$t"
	same "0" "$(col kernels <<<"$output")"
	answers nsq-overlap --total "$t"
	same "0" "$(col compute_ns <<<"$output")"
}

@test "without API calls: work is counted, and nothing is known of its launch" {
	t=$(change "$DUALPIPE" "DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME")
	run --separate-stderr nsq-setup -q "$t"
	same "0 0.00" "$status $(col launched_pct <<<"$output" | sort -u)"
	same "$(nsq-setup "$DUALPIPE" | col kernels)" "$(col kernels <<<"$output")"
	run --separate-stderr nsq-overlap -q "$t"
	same "-
serial" "$(col stage <<<"$output" | sort -u)"
	run --separate-stderr nsq-streams -q "$t"
	same "-" "$(col purpose <<<"$output" | sort -u)"
}

@test "without CUDA: exit 3 names the flag" {
	t=$(without_tables 'CUPTI_*')
	for tool in nsq-streams nsq-overlap nsq-window "nsq-overlap --total" "nsq-overlap --each"; do
		fails 3 "$t" "CUDA" "nsys profile --trace=" "cuda" -- $tool "$t"
	done
	run --separate-stderr nsq-setup "$t"
	same "0 475 - 0 49" "$status $(col pid gpus kernels ranges <<<"$output" | tr '\t' ' ')"
}

@test "without CUDA ranges can still be matched, at their CPU times" {
	t=$(without_tables 'CUPTI_*')
	run --separate-stderr nsq-window -m '^step$' --pick first "$t"
	same "0" "$status"
	same "$(ask "$t" "SELECT a, b FROM ranges WHERE name = 'step' ORDER BY a LIMIT 1")" "$(col start_ns end_ns <<<"$output")"
	answers nsq-window -q --list "$t"
	same "$(ask "$t" "SELECT name, count(*) FROM ranges GROUP BY name ORDER BY name")" "$(col name count <<<"$output")"
}

@test "without CUDA and NVTX nobody is in the trace: exit 3" {
	t=$(without_tables 'CUPTI_*' 'NVTX_*')
	for tool in nsq-setup nsq-streams nsq-overlap nsq-window; do
		fails 3 "$t" "nsys profile --trace=" -- $tool "$t"
	done
}

@test "a trace whose events all precede time 0 has no rows" {
	t=$(change "$COMPILE" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9, end = -8; UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = -9, end = -8;
		UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = -9, end = -8; UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = -9, end = -8;
		UPDATE NVTX_EVENTS SET start = -9, end = -8")
	for tool in nsq-setup nsq-streams nsq-overlap nsq-window; do
		mentions "$t" "no rows" -- $tool "$t"
		lines_of 1
	done
}

@test "events that start before time 0 are left out, everywhere" {
	t=$(change "$COMPILE" "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 3;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -5, end = 90000000 WHERE rowid > (SELECT max(rowid) - 3 FROM CUPTI_ACTIVITY_KIND_KERNEL)")
	for tool in nsq-setup nsq-streams "nsq-overlap --total" "nsq-window --pick all"; do
		same "$($tool "$COMPILE" | without trace)" "$($tool "$t" | without trace)"
	done
}

@test "a file that is missing" {
	fails 1 "'$BATS_TEST_TMPDIR/none.sqlite'" "No such file" -- nsq-setup "$BATS_TEST_TMPDIR/none.sqlite"
}

@test "an empty file" {
	: > "$BATS_TEST_TMPDIR/empty.sqlite"
	fails 1 "'$BATS_TEST_TMPDIR/empty.sqlite'" "empty" "nsys export" -- nsq-overlap "$BATS_TEST_TMPDIR/empty.sqlite"
}

@test "a file that is not SQLite" {
	for bytes in 3 5000; do
		yes 'not a database' | head -c $bytes > "$BATS_TEST_TMPDIR/text.sqlite"
		fails 1 "'$BATS_TEST_TMPDIR/text.sqlite'" "not a SQLite file" "nsys export" -- nsq-streams "$BATS_TEST_TMPDIR/text.sqlite"
	done
}

@test "a SQLite file that is no trace" {
	sqlite3 "$BATS_TEST_TMPDIR/other.sqlite" "CREATE TABLE t (x); INSERT INTO t VALUES (1)"
	fails 3 "'$BATS_TEST_TMPDIR/other.sqlite'" "nsys profile" -- nsq-setup "$BATS_TEST_TMPDIR/other.sqlite"
}

@test "a truncated file" {
	local size
	size=$(stat -c %s "$COPIES")
	for keep in 99 100 1000 $((size / 2)) $((size - 4096)) $((size - 1)); do
		head -c "$keep" "$COPIES" > "$BATS_TEST_TMPDIR/cut.sqlite"
		for tool in nsq-setup nsq-overlap; do
			fails 1 "'$BATS_TEST_TMPDIR/cut.sqlite'" -- $tool "$BATS_TEST_TMPDIR/cut.sqlite"
		done
	done
}

@test "a table corrupted in its middle" {
	for table in CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_RUNTIME NVTX_EVENTS StringIds; do
		local page pages size
		size=$(sql "$DUALPIPE" "PRAGMA page_size")
		pages=$(sql "$DUALPIPE" "SELECT pageno FROM dbstat WHERE name = '$table' AND pagetype = 'leaf' ORDER BY path")
		page=$(sed -n "$(($(wc -l <<<"$pages") / 2 + 1))p" <<<"$pages")
		cp "$DUALPIPE" "$BATS_TEST_TMPDIR/bad.sqlite"
		head -c "$size" /dev/zero | tr '\0' '\377' |
			dd of="$BATS_TEST_TMPDIR/bad.sqlite" bs="$size" seek=$((page - 1)) conv=notrunc status=none
		for threads in 1 8; do
			fails 1 "cannot read" "'$BATS_TEST_TMPDIR/bad.sqlite'" -- nsq-overlap -j $threads "$BATS_TEST_TMPDIR/bad.sqlite"
		done
	done
}

@test "a corrupted schema" {
	cp "$COPIES" "$BATS_TEST_TMPDIR/bad.sqlite"
	head -c 3000 /dev/zero | tr '\0' '\377' | dd of="$BATS_TEST_TMPDIR/bad.sqlite" bs=1 seek=100 conv=notrunc status=none
	fails 1 "'$BATS_TEST_TMPDIR/bad.sqlite'" -- nsq-setup "$BATS_TEST_TMPDIR/bad.sqlite"
	fails 1 "'$BATS_TEST_TMPDIR/bad.sqlite'" -- nsq-setup --facts "$BATS_TEST_TMPDIR/bad.sqlite"
}

@test "a directory" {
	fails 1 "'$BATS_TEST_TMPDIR'" "directory" -- nsq-setup "$BATS_TEST_TMPDIR"
}

@test "a FIFO does not hang" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	fails 1 "'$BATS_TEST_TMPDIR/fifo'" "not a plain file" -- timeout 10 nsq-setup "$BATS_TEST_TMPDIR/fifo"
}

@test "a file that may not be read" {
	[ "$(id -u)" != 0 ] || skip "root may read anything"
	cp "$COPIES" "$BATS_TEST_TMPDIR/secret.sqlite"
	chmod 000 "$BATS_TEST_TMPDIR/secret.sqlite"
	fails 1 "'$BATS_TEST_TMPDIR/secret.sqlite'" "Permission denied" -- nsq-setup "$BATS_TEST_TMPDIR/secret.sqlite"
}

@test "a file of windows that is missing or a directory" {
	fails 2 "'$BATS_TEST_TMPDIR/none.tsv'" -- nsq-overlap -w "$BATS_TEST_TMPDIR/none.tsv" "$COPIES"
	fails 1 "'$BATS_TEST_TMPDIR'" -- nsq-overlap -w "$BATS_TEST_TMPDIR" "$COPIES"
}

@test "of several traces those that can answer do, and the largest code is returned" {
	: > "$BATS_TEST_TMPDIR/empty.sqlite"
	cd "$FIXTURES"
	run --separate-stderr nsq-setup threads-copies.sqlite "$BATS_TEST_TMPDIR/empty.sqlite" torch-compile.sqlite
	same 1 "$status"
	same 1 "${#stderr_lines[@]}"
	same "$(nsq-setup threads-copies.sqlite torch-compile.sqlite)" "$output"
	t=$(change "$DUALPIPE" "$(drop_tables "$DUALPIPE" 'CUPTI_*')")
	run --separate-stderr nsq-streams "$BATS_TEST_TMPDIR/empty.sqlite" "$t" torch-compile.sqlite
	same 3 "$status"
	same 2 "${#stderr_lines[@]}"
	same "$(nsq-streams torch-compile.sqlite)" "$output"
	run --separate-stderr nsq-streams torch-compile.sqlite "$t" "$BATS_TEST_TMPDIR/empty.sqlite"
	same 3 "$status"
}

@test "a window that lies in one trace and outside another" {
	# torch-compile ends before 40 ms
	run --separate-stderr nsq-streams -w 100ms..200ms "$COMPILE" "$DUALPIPE"
	same 2 "$status"
	same 1 "${#stderr_lines[@]}"
	same "$(nsq-streams -w 100ms..200ms "$DUALPIPE")" "$output"
}

@test "a bad trace named by a row of a table" {
	{ nsq-window "$COMPILE"; nsq-window "$COMPILE" | rows | sed "s|$COMPILE|$BATS_TEST_TMPDIR/none.sqlite|"; } > "$BATS_TEST_TMPDIR/w"
	run --separate-stderr nsq-streams < "$BATS_TEST_TMPDIR/w"
	same 1 "$status"
	holds "$stderr" "$BATS_TEST_TMPDIR/none.sqlite"
	same "$(nsq-window "$COMPILE" | nsq-streams)" "$output"
}

@test "a reader that stops early is no error, and nothing is said" {
	run --separate-stderr bash -c "set -o pipefail; nsq-window -q -m . --pick all '$DDP' | head -1"
	same "$(nsq-window --columns | col name | tr '\n' '\t' | sed 's/\t$//')" "$output"
	same "" "$stderr"
	[ "$status" -eq 141 ] || [ "$status" -eq 0 ]
}

@test "a closed stdout is a lost write" {
	run --separate-stderr bash -c "nsq-setup '$COMPILE' >&-"
	same 1 "$status"
	holds "$stderr" "nsq-setup: cannot write"
}

@test "a report without nsys to export it names what is needed" {
	printf 'report' > "$BATS_TEST_TMPDIR/run.nsys-rep"
	fails 1 "run.nsys-rep" "nsys" -- env -u NSQ_NSYS PATH="$NSQ_BIN" nsq-setup "$BATS_TEST_TMPDIR/run.nsys-rep"
	fails 1 "$BATS_TEST_TMPDIR/no-such-nsys" -- nsq-setup --nsys "$BATS_TEST_TMPDIR/no-such-nsys" "$BATS_TEST_TMPDIR/run.nsys-rep"
}

# fake_nsys: a stand-in for nsys that exports a fixture and counts how often it was asked.
fake_nsys() {
	printf '%s\n' '#!/bin/sh' "echo run >> '$BATS_TEST_TMPDIR/exports'" \
		'for a; do case $prev in -o|--output) out=$a ;; esac; case $a in --output=*) out=${a#--output=} ;; esac; prev=$a; done' \
		"cp '$COMPILE' \"\$out\"" > "$BATS_TEST_TMPDIR/nsys"
	chmod +x "$BATS_TEST_TMPDIR/nsys"
}

@test "a report is exported once, beside it, and then read like its export" {
	fake_nsys
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	printf 'report' > run.nsys-rep
	answers nsq-streams --nsys ../nsys run.nsys-rep
	same "$(nsq-streams "$COMPILE" | without trace)" "$(without trace <<<"$output")"
	[ -e run.sqlite ]
	NSQ_NSYS=../nsys answers nsq-streams run.nsys-rep
	same 1 "$(wc -l < ../exports)"
	same "run.nsys-rep run.sqlite " "$(ls | tr '\n' ' ')"
}
