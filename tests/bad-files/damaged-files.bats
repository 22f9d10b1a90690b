# Files that cannot be read: missing, empty, truncated, corrupt, not a trace; one clear line, the right
# exit code, nothing on stdout.  Of several traces the good ones are answered.
load ../helper

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

@test "a window table that is taken for a trace" {
	nsq-window -q "$COMPILE" > "$BATS_TEST_TMPDIR/w.tsv"
	nsq-window -q -f csv "$COMPILE" > "$BATS_TEST_TMPDIR/w.csv"
	cut -f3- "$BATS_TEST_TMPDIR/w.tsv" > "$BATS_TEST_TMPDIR/times.tsv"
	printf 'pid\trank\n1\t2\n' > "$BATS_TEST_TMPDIR/pids.tsv"
	for t in w.tsv w.csv times.tsv pids.tsv; do
		fails 2 "'$BATS_TEST_TMPDIR/$t' is a table, not a trace; give it with -w" -- nsq-gaps "$BATS_TEST_TMPDIR/$t"
	done
	same "$(nsq-gaps -q < "$BATS_TEST_TMPDIR/w.tsv")" "$(nsq-gaps -q -w "$BATS_TEST_TMPDIR/w.tsv")"
	# a line with one of the columns, or a table further down, is something else
	printf 'start_ns\tx\n' > "$BATS_TEST_TMPDIR/one.tsv"
	(echo a line; cat "$BATS_TEST_TMPDIR/w.tsv") > "$BATS_TEST_TMPDIR/below.tsv"
	for t in one.tsv below.tsv; do
		fails 1 "'$BATS_TEST_TMPDIR/$t' is not a SQLite file" -- nsq-gaps "$BATS_TEST_TMPDIR/$t"
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
	fails 1 "'$BATS_TEST_TMPDIR/fifo'" "not a plain file" -- timeout 300 nsq-setup "$BATS_TEST_TMPDIR/fifo"
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

# in_header FILE OFFSET VALUE: puts four bytes, the most significant first, into the header of a SQLite file.
in_header() { printf "$(printf '\\x%02x' $(($3 >> 24 & 255)) $(($3 >> 16 & 255)) $(($3 >> 8 & 255)) $(($3 & 255)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# A writer that does not know of the size in the header leaves it as it was, and the change counter (at 24)
# then differs from the one that the size is valid for (at 92).
@test "the size in the header counts only if it was written with the last change" {
	t=$BATS_TEST_TMPDIR/size.sqlite
	for size in 1 1000000; do
		cp "$COMPILE" "$t"
		chmod u+w "$t"
		in_header "$t" 24 7
		in_header "$t" 92 6
		in_header "$t" 28 $size
		answers nsq-kernels "$t"
		same "$(nsq-kernels "$COMPILE" | without trace)" "$(without trace <<<"$output")"
	done
	in_header "$t" 92 7
	fails 1 "'$t'" -- nsq-kernels "$t"
}

# bats test_tags=more
@test "several traces, some of which cannot be read: the same rows, errors and order for any number of threads" {
	cd "$BATS_TEST_TMPDIR"
	head -c 5000 "$DDP" > broken.sqlite
	echo text > text.sqlite
	for mode in $(first_few 1 nsq-nccl nsq-window nsq-kernels); do
		for j in 1 3 40; do
			run --separate-stderr $mode -j $j "$FIXTURES"/collectives-rank[01].sqlite broken.sqlite text.sqlite none.sqlite \
				"$DDP" "$FIXTURES"/collectives-rank[23].sqlite
			printf '%s\n' "$status" "$output" "$stderr" > said.$j
		done
		grep -q "broken.sqlite" said.1
		cmp said.1 said.3
		cmp said.1 said.40
	done
}
