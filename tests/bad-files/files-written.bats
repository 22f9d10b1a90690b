# What -o writes: never over what is not its own, and all of it or nothing, whatever happens meanwhile.
load ../helper
load ../small-traces

setup_file() {
	make_tiny "$BATS_FILE_TMPDIR/tiny.sqlite"
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/interfering.so" "$TESTS/bad-files/interfering.c" -ldl
	nsq-kernels -q "$BATS_FILE_TMPDIR/tiny.sqlite" > "$BATS_FILE_TMPDIR/table"
}
setup() {
	TINY=$BATS_FILE_TMPDIR/tiny.sqlite
	TABLE=$BATS_FILE_TMPDIR/table
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

plain_build() { if grep -q __asan_init "$NSQ_BIN/nsq-setup"; then skip "the sanitizer wants to be loaded first"; fi; }

# with NAME=VALUE... COMMAND...: run it with interference.
# Whoever runs the suite in the background may ignore SIGINT; the tools here do not.
with() { env --default-signal LD_PRELOAD="$BATS_FILE_TMPDIR/interfering.so" "$@"; }

# writers STEM COMMAND...: the command, of each tool that writes a file, with that file.
writers() {
	local out=$1
	shift
	"$@" nsq-plot -o "$out.svg" "$TABLE"
	"$@" nsq-export -q -o "$out.json" "$TINY"
	"$@" nsq-view -q -o "$out.html" "$TINY"
	"$@" nsq-slice -q -o "$out.sqlite" "$TINY"
}

@test "-o refuses what leads into /dev or /proc, also through links" {
	for end in svg json html sqlite; do
		ln -s /proc/self/fd/1 out.$end
		ln -s out.$end again.$end
		ln -s /dev/stdout standard.$end
	done
	ln -s /dev/fd folder
	before=$(ls -l)
	# with stdout a plain file, so that the links lead to one
	refused() {
		rc=0
		"$@" --force > ../plain 2> ../err || rc=$?
		same "2 $1: ' leads into /dev or /proc, where no file is written; name another" "$rc $(sed "s/'[^']*'/'/" ../err)"
		[ ! -s ../plain ]
	}
	for name in out again standard folder/new /dev/nsq-none; do
		writers $name refused
	done
	for name in /proc/none folder/none; do
		fails 2 "'$name' leads into /dev or /proc" -- nsq-report -q -o $name "$TINY"
	done
	fails 2 "'folder' leads into /dev or /proc" -- nsq recipe gpu-breakdown "$TINY" -o folder --force
	same "$before" "$(ls -l)"
}

@test "-o replaces a link without a target only with --force, and writes into shared memory" {
	ln -s nowhere.svg link.svg
	fails 2 "'link.svg' exists; --force replaces it" -- nsq-plot -o link.svg "$TABLE"
	[ -L link.svg ]
	answers nsq-plot -o link.svg --force "$TABLE"
	[ -f link.svg ]
	[ -w /dev/shm ] || skip "no /dev/shm"
	shm=$(mktemp -d /dev/shm/nsq-XXXXXX)
	run --separate-stderr nsq-plot -o "$shm/x.svg" "$TABLE"
	cmp link.svg "$shm/x.svg"
	rm -r "$shm"
	same "0" "$status"
}

# A lock that is never written to, and the terminal, are no files that nsq makes.
@test "a file is made only where nothing has its name, so no planted link is followed" {
	cd "$TESTS/.."
	made() { grep -nE 'O_CREAT|fopen\([^"]*"[wa]' "$@" | grep -vE 'O_EXCL|"wx"|fopencookie|"/dev/tty"|lib/tui/bookmarks.c:[0-9]+:.*O_RDWR'; }
	same "" "$(made -r lib tools --include=*.c)"
	same "" "$(grep -rl getpid lib tools --include=*.c | grep -v lib/base/whole_file.c | xargs -r grep -nE '(printf|name|path).*getpid')"
	same 2 "$(made /dev/stdin <<< $'int fd = open(path, O_WRONLY | O_CREAT, 0666);\nf = fopen(path, "w");' | wc -l)"
}

# bats test_tags=slow
@test "a file that appears while another is written is left alone without --force" {
	plain_build
	appears() {
		local all=$* file
		file=${all##* -o } file=${file%% *}
		fails 2 "'$file' exists; --force replaces it" -- with APPEARS="$file" $can "$@"
		same "$file 0" "$(ls) $(wc -c < "$file")"
		rm "$file"
	}
	for can in A=1 NO_TMPFILE=1 "NO_TMPFILE=1 NO_NOREPLACE=1" NO_NOREPLACE=1; do
		writers x appears
		for how in "A=1" "APPEARS=x.svg"; do
			answers with $how $can nsq-plot -o x.svg $([ $how = A=1 ] || echo --force) "$TABLE"
			same "x.svg" "$(ls)"
			[ -s x.svg ]
			rm x.svg
		done
	done
}

@test "no part stays after a limit on file sizes, a signal or a crash, and each says one line" {
	plain_build
	for can in A=1 NO_TMPFILE=1; do
		for s in 2 15 1 3 11 6 8; do
			run --separate-stderr with $can SIGNAL=$s nsq-plot -o x.svg "$TABLE"
			same "$((128 + s)) nsq-plot: ended by a signal; nothing is left of what it was writing" "$status $stderr"
		done
		run --separate-stderr with $can SIGNAL=15 nsq-report -q -o folder "$TINY"
		same "143 nsq-report: ended by a signal; nothing is left of what it was writing" "$status $stderr"
		run --separate-stderr with $can SIGNAL=11 nsq-report -q -o folder "$TINY"
		same "139 nsq-report: ended by a signal; nothing is left of what it was writing" "$status $stderr"
		run --separate-stderr bash -c "ulimit -f 1; '$(command -v env)' LD_PRELOAD='$BATS_FILE_TMPDIR/interfering.so' $can nsq-view -q -o x.html '$TINY'"
		same "1 nsq-view: cannot write 'x.html': File too large" "$status $stderr"
	done
	# a file so small that the limit is met while the file is closed
	run --separate-stderr bash -c "ulimit -f 1; nsq-plot -o x.svg '$TABLE'"
	same "1 nsq-plot: cannot write 'x.svg': File too large" "$status $stderr"
	run --separate-stderr bash -c "ulimit -f 1; nsq-api -q --each '$FIXTURES/train.sqlite' > rows"
	same "1 nsq-api: cannot write the table: File too large" "$status $stderr"
	same "rows" "$(ls | xargs)"
}
