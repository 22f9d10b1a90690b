# Files that are unusual but sound: odd paths, links, write-ahead logs, read-only mounts, many at once.
load ../helper
load ../small-traces

setup_file() { make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"; }
setup() {
	TINY=$BATS_FILE_TMPDIR/tiny.sqlite
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

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

@test "a trace in shared memory is a file like any other" {
	[ -w /dev/shm ] || skip "no /dev/shm"
	t=$(mktemp /dev/shm/nsq-XXXXXX)
	cp "$TINY" "$t"
	run --separate-stderr nsq-setup -q "$t"
	rm -f "$t"
	same "0 3" "$status ${#lines[@]}"
}

@test "a FIFO, and /dev/stdin whatever it is, are refused, at once" {
	mkfifo fifo
	fails 1 "'fifo'" "not a plain file" "save it to a file" -- timeout 300 nsq-setup fifo
	run --separate-stderr bash -c "cat '$TINY' | timeout 300 nsq-setup /dev/stdin"
	same "1 nsq-setup: '/dev/stdin' is not a plain file; a trace cannot be read from a pipe or device, save it to a file first" "$status $stderr"
	run --separate-stderr bash -c "nsq-setup /dev/stdin < '$TINY'"
	same "1 nsq-setup: '/dev/stdin' is not a plain file; a trace cannot be read from a pipe or device, save it to a file first" "$status $stderr"
	fails 1 "'/dev/null'" "not a plain file" -- nsq-setup /dev/null
	run --separate-stderr bash -c "nsq-setup /dev/fd/5 5< '$TINY'"
	same "1 nsq-setup: '/dev/fd/5' is not a plain file; a trace cannot be read from a pipe or device, save it to a file first" "$status $stderr"
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

# changing COMMAND TOOL...: run the tool on a copy of TINY, t.sqlite, to which that happens while it is read.
changing() {
	local how=$1
	shift
	rm -rf t.sqlite*
	cp "$TINY" t.sqlite
	touch -d '-1 hour' t.sqlite
	run --separate-stderr env LD_PRELOAD="$BATS_FILE_TMPDIR/interfering.so" READING=t.sqlite DURING="$how" "$@"
}

@test "a trace that changes while it is read is noticed, and there is no answer" {
	if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer wants to be loaded first"; fi
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/interfering.so" "$TESTS/bad-files/interfering.c" -ldl
	said=": 't.sqlite' changed while it was read, so there is no answer; wait for its writer and run the command again"
	# bytes of a page, whose writer puts the time back; the counter of changes; the size; the time; a journal; a log; another file
	for how in 'touch -r t.sqlite r; printf X | dd of=t.sqlite bs=1 seek=9000 conv=notrunc status=none; touch -r r t.sqlite; rm r' 'touch -r t.sqlite r; printf X | dd of=t.sqlite bs=1 seek=27 conv=notrunc status=none; touch -r r t.sqlite; rm r' 'touch -r t.sqlite r; head -c 4096 /dev/zero >> t.sqlite; touch -r r t.sqlite; rm r' 'touch t.sqlite' \
		'printf "\331\325\5\371\40\241\143\327rest" > t.sqlite-journal' 'printf "\67\177\6\202%100s" x > t.sqlite-wal' 'cp -p t.sqlite new; mv new t.sqlite'; do
		changing "$how" nsq-kernels t.sqlite
		same "1  nsq-kernels$said" "$status $output $stderr"
	done
	changing true nsq-kernels t.sqlite
	same "0 " "$status $stderr"
	for mode in "nsq-api --each" "nsq-view -q -o x.html" "nsq-export -q -o x.json" "nsq-report -q -o x" "nsq-nccl -q" "nsq-path -q --ranks" "nsq-sql -q --schema" \
		"nsq-diff -q" "nsq-setup --facts" "nsq-advise -q"; do
		changing 'touch t.sqlite' $mode t.sqlite $([ "$mode" != "nsq-diff -q" ] || echo "$TINY")
		same "$mode 1  ${mode%% *}$said" "$mode $status $output $stderr"
	done
	for query in "select count(*) from kernels" "select count(*) from ${K}KERNEL"; do
		changing 'touch t.sqlite' nsq-sql "$query" t.sqlite
		same "1  nsq-sql$said" "$status $output $stderr"
	done
	# of several traces the others are answered
	changing 'touch t.sqlite' nsq-kernels -q t.sqlite "$TINY" "$DDP"
	same 1 "$status"
	same "$(nsq-kernels -q "$TINY" "$DDP")" "$output"
	same "t.sqlite" "$(ls)"
}

@test "SQLite counts its memory, which a lock slows, only where it must be limited: for SQL of the user's" {
	if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer wants to be loaded first"; fi
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/interfering.so" "$TESTS/bad-files/interfering.c" -ldl
	export CONFIG=1 LD_PRELOAD="$BATS_FILE_TMPDIR/interfering.so"
	same "memory is not counted" "$(nsq-kernels -q "$TINY" 2>&1 > /dev/null)"
	same "" "$(nsq-sql -q --schema 2>&1 > /dev/null)$(printf 'a\n1\n' | nsq-gate -q 'a = 1' 2>&1 > /dev/null)"
}

@test "a read-only mount, also with a log" {
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "not root, so no mounts"
	with_log
	cp "$TINY" a.sqlite
	ro() { unshare -m bash -c 'mount --bind . . && mount -o remount,ro,bind "$PWD" && cd "$PWD" && exec "$@"' ro "$@"; }
	same "$(nsq-kernels "$TINY" | without trace)" "$(ro nsq-kernels a.sqlite | without trace)"
	same "12 4 1" "$(ro nsq-kernels live.sqlite | col count | xargs)"
}

# bats test_tags=slow
@test "two tools at once, and a thousand traces" {
	for i in 1 2 3 4 5 6; do nsq-nvtx "$TINY" > out.$i 2>&1 & done
	wait
	same 1 "$(md5sum out.* | cut -d' ' -f1 | sort -u | wc -l)"
	cp "$TINY" 0.sqlite
	seq -f '%g.sqlite' 1000 | xargs -n 200 sh -c 'tee "$@" < 0.sqlite > /dev/null' tee
	(ulimit -n 64; timeout 300 nsq-api $(seq -f '%g.sqlite' 1000)) > out
	same 1000 "$(col trace < out | sort -u | wc -l)"
}

@test "a locale with decimal commas changes nothing" {
	for l in de_DE.UTF-8 fr_FR.UTF-8 C.UTF-8; do
		same "$(nsq-overlap "$TINY" 2>&1; nsq-overlap -w 1.5us..3us "$TINY" 2>&1)" \
			"$(LC_ALL=$l nsq-overlap "$TINY" 2>&1; LC_ALL=$l nsq-overlap -w 1.5us..3us "$TINY" 2>&1)"
	done
}
