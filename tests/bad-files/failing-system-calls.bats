# What the system refuses: no memory, read errors, full disks, closed pipes, signals.
load ../helper
load ../small-traces

setup_file() {
	make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/fault.so" "$TESTS/bad-files/failing-system-calls.c" -ldl
}
setup() {
	TINY=$BATS_FILE_TMPDIR/tiny.sqlite
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

plain_build() { if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer has its own malloc"; fi; }

# counted KIND COMMAND...: how many such calls it makes.
counted() {
	local kind=$1
	shift
	FAULT=count:$kind FAULT_COUNT=$PWD/calls LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so "$@" > whole 2>/dev/null
	cat calls
}

# faulty FAULT PATTERN COMMAND...: exits 1 with a line that has the pattern, or does without what failed.
faulty() {
	local fault=$1 pattern=$2 rc=0
	shift 2
	FAULT=$fault LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so timeout 300 "$@" > out 2> err || rc=$?
	{ [ $rc -eq 1 ] && grep -q "$pattern" err; } || { [ $rc -eq 0 ] && cmp -s out whole; } ||
		{ echo "$fault: exit $rc"; cat err; return 1; }
}

# FAULTS=1 tries every allocation.
# bats test_tags=more
@test "no memory, at any allocation" {
	plain_build
	for mode in "nsq-setup" "nsq-nvtx --tree" "nsq-gaps --each" "nsq-mem"; do
		n=$(counted alloc $mode -q -j 1 "$TINY")
		[ "$n" -gt 1000 ]
		for ((i = 1; i <= n; i += ${FAULTS:-n / $(if more; then echo 40; else echo 12; fi) + 1})); do
			faulty alloc:$i memory $mode -q -j 1 "$TINY" || { echo "$mode"; false; }
		done
		faulty alloc:$((n / 3))+ memory $mode -q -j 1 "$TINY"
	done
}

# bats test_tags=more,slow
@test "no memory within SQLite is called that, not a damaged file or a wrong query" {
	plain_build
	utf16=$BATS_TEST_TMPDIR/utf16.sqlite
	{ echo "PRAGMA encoding = 'UTF-16';"; sqlite3 "$TINY" .dump; } | sqlite3 "$utf16"
	for mode in "nsq-setup" "nsq-setup|--facts" "nsq-kernels" "nsq-sql|select * from kernels" "nsq-sql|select value from raw.StringIds order by 1" "nsq-sql|--schema"; do
		IFS='|' read -ra mode <<< "$mode"
		for t in "$TINY" "$utf16"; do
			answered=0 failed=0
			"${mode[@]}" -q -j 1 "$t" > whole
			for bytes in 1000 160000 9000000 $(if more; then echo 20000 40000 80000 120000 200000 300000; fi); do
				faulty sqlite:$bytes "out of memory; use" "${mode[@]}" -q -j 1 "$t" || { echo "${mode[*]} $t"; false; }
				if cmp -s out whole; then answered=1; else failed=1; fi
			done
			same "1 1" "$answered $failed"
		done
	done
	endless="with recursive n(i) as (select 1 union all select i + 1 from n limit 100000)"
	echo a > t
	for query in "$endless select median(i) from n" "$endless select percentile(i * 0.5, 90) from n" "$endless select length(group_concat(fold(i), 'abcdefghijklmn')) from n"; do
		nsq-sql "$query" t > whole
		faulty sqlite:900000 "out of memory; use" nsq-sql "$query" t
		faulty sqlite:90000000 memory nsq-sql "$query" t
		cmp out whole
	done
}

# bats test_tags=more
@test "a read that fails in the middle" {
	plain_build
	for mode in "nsq-setup" "nsq-nvtx --tree" "nsq-setup --facts"; do
		n=$(counted read $mode -q -j 1 "$TINY")
		[ "$n" -gt 10 ]
		for ((i = 1; i <= n; i += ${FAULTS:-n / $(if more; then echo 25; else echo 8; fi) + 1})); do
			rc=0
			FAULT=read:$i LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so timeout 300 $mode -q -j 1 "$TINY" > out 2> err || rc=$?
			[ $rc -eq 1 ] && grep -q "cannot .*tiny.sqlite" err || { echo "$mode $i of $n: exit $rc: $(cat err)"; false; }
		done
	done
}

@test "a full disk and a closed stdout are lost writes" {
	for f in tsv table jsonl; do
		run --separate-stderr bash -c "nsq-nvtx -q -f $f '$TINY' > /dev/full"
		same "1 nsq-nvtx: cannot write the table: No space left on device" "$status $stderr"
	done
	run --separate-stderr bash -c "nsq-nvtx -q '$TINY' >&-"
	same 1 "$status"
	for what in --help --columns --version; do
		run --separate-stderr bash -c "nsq-nvtx $what > /dev/full"
		same 1 "$status"
	done
}

@test "a closed pipe ends a tool silently, by the signal" {
	for mode in "nsq-api --each" "nsq-kernels --each -f table"; do
		run --separate-stderr bash -c "set -o pipefail; $mode -q '$FIXTURES/train.sqlite' | head -1"
		same "141 " "$status $stderr"
	done
}

@test "a signal ends a tool with nothing left behind" {
	cp "$TINY" a.sqlite
	mkfifo w
	(exec nsq-api -w w a.sqlite > out 2> err) &
	tool=$!
	exec {writer}> w                # returns when the tool has opened the other end
	kill -TERM $tool
	status=0
	wait $tool || status=$?
	same 143 "$status"
	same "a.sqlite err out w" "$(ls | xargs)"
}

@test "a reader that stops early is no error, and nothing is said" {
	run --separate-stderr bash -c "set -o pipefail; nsq-window -q -m . --pick all '$FIXTURES/train.sqlite' | head -1"
	same "$(nsq-window --columns | col name | tr '\n' '\t' | sed 's/\t$//')" "$output"
	same "" "$stderr"
	[ "$status" -eq 141 ] || [ "$status" -eq 0 ]
}

@test "a closed stdout is a lost write" {
	run --separate-stderr bash -c "nsq-setup '$COMPILE' >&-"
	same 1 "$status"
	holds "$stderr" "nsq-setup: cannot write"
}

@test "a thread for each core that the process may use, and it does without those that cannot be had" {
	plain_build
	echo 'int pthread_create(long *t, const void *a, void *(*f)(void *), void *x) { (void)t; (void)a; (void)f; (void)x; write(2, "a thread\n", 9); return 11; }' |
		cc -shared -fPIC -xc -w -include unistd.h -o thread.so -
	cp "$TINY" b.sqlite
	core=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
	ask() { LD_PRELOAD=$PWD/thread.so taskset -c "$core" nsq-kernels -q "$@" "$TINY" b.sqlite 2>&1; }
	same "" "$(ask | grep thread)"
	holds "$(ask -j 2)" "a thread"
	same "$(ask)" "$(ask -j 2 | grep -v '^a thread')"
}
