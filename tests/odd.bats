# Odd but legal: names, links, logs and mounts; and faults: no memory, read errors, full disks, signals.
load helper

setup_file() {
	sqlite3 -batch "$BATS_FILE_TMPDIR/tiny.sqlite" < "$BATS_TEST_DIRNAME/fuzz/tiny.sql" >/dev/null
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/fault.so" "$BATS_TEST_DIRNAME/faultlib/fault.c" -ldl
}
setup() {
	TINY=$BATS_FILE_TMPDIR/tiny.sqlite
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

K=CUPTI_ACTIVITY_KIND_

# like_tiny NAME: what nsq-kernels says of the trace is what it says of TINY.
like_tiny() {
	answers nsq-kernels -- "$1"
	same "$(nsq-kernels "$TINY" | without trace)" "$(without trace <<<"$output")"
}

@test "paths with spaces, newlines, a leading dash, %, ?, # and quotes" {
	for name in 'a b.sqlite' $'a\nb.sqlite' '-a.sqlite' 'a%20b.sqlite' 'a?mode=rwc.sqlite' 'a#b&c=d.sqlite' "a'b\"c.sqlite" 'é.sqlite' 'a\tb.sqlite'; do
		cp "$TINY" "./$name"
		like_tiny "$name"
		# and the table names it so that the next tool finds it
		same "$(nsq-window "$TINY" | nsq-api | without trace)" "$(nsq-window -- "$name" | nsq-api | without trace)"
		rm "./$name"
	done
	same "" "$(ls)"
}

@test "a FIFO, and /dev/stdin whatever it is, are refused, at once" {
	mkfifo fifo
	fails 1 "'fifo'" "not a plain file" "save it to a file" -- timeout 10 nsq-setup fifo
	run --separate-stderr bash -c "cat '$TINY' | timeout 10 nsq-setup /dev/stdin"
	same "1 nsq-setup: '/dev/stdin' is not a plain file; a trace cannot be read from a pipe or device, save it to a file first" "$status $stderr"
	run --separate-stderr bash -c "nsq-setup /dev/stdin < '$TINY'"
	same "1 nsq-setup: '/dev/stdin' is not a plain file; a trace cannot be read from a pipe or device, save it to a file first" "$status $stderr"
	fails 1 "'/dev/null'" "not a plain file" -- nsq-setup /dev/null
}

@test "symbolic links, also to a trace with a log beside it" {
	mkdir there
	cp "$TINY" there/x.sqlite
	ln -s there/x.sqlite link.sqlite
	ln -s nowhere broken.sqlite
	like_tiny link.sqlite
	fails 1 "'broken.sqlite'" "No such file" -- nsq-setup broken.sqlite
	same 2 "$(nsq-setup link.sqlite there/x.sqlite | count)"
}

# with_log: live.sqlite, whose last change is in live.sqlite-wal alone, as its writer left it.
with_log() {
	cp "$TINY" w.sqlite
	sqlite3 w.sqlite "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; INSERT INTO ${K}KERNEL SELECT * FROM ${K}KERNEL;" \
		".shell cp w.sqlite live.sqlite; cp w.sqlite-wal live.sqlite-wal" >/dev/null
	rm -f w.sqlite*
}

@test "a database in WAL mode, closed" {
	cp "$TINY" w.sqlite
	sqlite3 w.sqlite "PRAGMA journal_mode = WAL; UPDATE StringIds SET value = 'x' WHERE id = 1; UPDATE StringIds SET value = 'gemm' WHERE id = 1" >/dev/null
	like_tiny w.sqlite
	same "w.sqlite" "$(ls)"
}

@test "a database whose log is still there is answered with it, and nothing is written" {
	with_log
	same "live.sqlite live.sqlite-wal" "$(ls | xargs)"
	before=$(md5sum live.sqlite*; stat -c '%n %y' live.sqlite*)
	ln -s live.sqlite link.sqlite
	for t in live.sqlite link.sqlite; do
		for j in 1 4; do
			same "12 4 1" "$(nsq-kernels -j $j "$t" | col count | xargs)"
		done
	done
	rm link.sqlite
	same "$before" "$(md5sum live.sqlite*; stat -c '%n %y' live.sqlite*)"
	same "live.sqlite live.sqlite-wal" "$(ls | xargs)"
	chmod a-w live.sqlite live.sqlite-wal
	same "12 4 1" "$(nsq-kernels live.sqlite | col count | xargs)"
}

@test "a log that is empty or not one changes nothing" {
	cp "$TINY" a.sqlite
	: > a.sqlite-wal
	like_tiny a.sqlite
	head -c 5000 /dev/zero > a.sqlite-wal
	like_tiny a.sqlite
}

@test "a hot journal: the trace is half written, which is said" {
	cp "$TINY" a.sqlite
	printf '\xd9\xd5\x05\xf9\x20\xa1\x63\xd7rest of the journal' > a.sqlite-journal
	fails 1 "'a.sqlite'" "half written" "a.sqlite-journal" -- nsq-setup a.sqlite
	head -c 600 /dev/zero > a.sqlite-journal     # what PRAGMA journal_mode = PERSIST leaves
	like_tiny a.sqlite
}

@test "a read-only mount, also with a log" {
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "not root, so no mounts"
	with_log
	cp "$TINY" a.sqlite
	ro() { unshare -m bash -c 'mount --bind . . && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"' ro "$@"; }
	same "$(nsq-kernels "$TINY" | without trace)" "$(ro nsq-kernels a.sqlite | without trace)"
	same "12 4 1" "$(ro nsq-kernels live.sqlite | col count | xargs)"
}

@test "two tools at once, and a thousand traces" {
	for i in 1 2 3 4 5 6; do nsq-nvtx "$TINY" > out.$i 2>&1 & done
	wait
	same 1 "$(md5sum out.* | cut -d' ' -f1 | sort -u | wc -l)"
	cp "$TINY" 0.sqlite
	seq -f '%g.sqlite' 1000 | xargs -n 200 sh -c 'tee "$@" < 0.sqlite > /dev/null' tee
	(ulimit -n 64; timeout 60 nsq-api $(seq -f '%g.sqlite' 1000)) > out
	same 1000 "$(col trace < out | sort -u | wc -l)"
}

@test "a locale with decimal commas changes nothing" {
	for l in de_DE.UTF-8 fr_FR.UTF-8 C.UTF-8; do
		same "$(nsq-overlap "$TINY" 2>&1; nsq-overlap -w 1.5us..3us "$TINY" 2>&1)" \
			"$(LC_ALL=$l nsq-overlap "$TINY" 2>&1; LC_ALL=$l nsq-overlap -w 1.5us..3us "$TINY" 2>&1)"
	done
}

# ---- faults

plain_build() { ! grep -q __asan_init "$NSQ_BIN/nsq-setup" || skip "the sanitizer has its own malloc"; }

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
	FAULT=$fault LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so timeout 20 "$@" > out 2> err || rc=$?
	{ [ $rc -eq 1 ] && grep -q "$pattern" err; } || { [ $rc -eq 0 ] && cmp -s out whole; } ||
		{ echo "$fault: exit $rc"; cat err; return 1; }
}

# FAULTS=1 tries every allocation; glibc's regcomp itself frees twice in some, so these modes use no rules.
@test "no memory, at any allocation" {
	plain_build
	for mode in "nsq-setup" "nsq-nvtx --tree" "nsq-gaps --each" "nsq-mem"; do
		n=$(counted alloc $mode -q -j 1 "$TINY")
		[ "$n" -gt 1000 ]
		for ((i = 1; i <= n; i += ${FAULTS:-n / 40 + 1})); do
			faulty alloc:$i memory $mode -q -j 1 "$TINY" || { echo "$mode"; false; }
		done
		faulty alloc:$((n / 3))+ memory $mode -q -j 1 "$TINY"
	done
}

@test "a read that fails in the middle" {
	plain_build
	for mode in "nsq-setup" "nsq-nvtx --tree" "nsq-setup --facts"; do
		n=$(counted read $mode -q -j 1 "$TINY")
		[ "$n" -gt 10 ]
		for ((i = 1; i <= n; i += ${FAULTS:-n / 25 + 1})); do
			rc=0
			FAULT=read:$i LD_PRELOAD=$BATS_FILE_TMPDIR/fault.so timeout 20 $mode -q -j 1 "$TINY" > out 2> err || rc=$?
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
		run --separate-stderr bash -c "set -o pipefail; $mode -q '$DDP' | head -1"
		same "141 " "$status $stderr"
	done
}

@test "a signal ends a tool with nothing left behind" {
	cp "$TINY" a.sqlite
	mkfifo w
	(exec nsq-api -w w a.sqlite > out 2> err) &
	tool=$!
	sleep 0.2
	kill -TERM $tool
	status=0
	wait $tool || status=$?
	same 143 "$status"
	same "a.sqlite err out w" "$(ls | xargs)"
}
