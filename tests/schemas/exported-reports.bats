# Reports (.nsys-rep, .qdrep) as operands: exported once by nsys, for which a stand-in serves here.
load ../helper

# The stand-in obeys $NSYS_DOES and notes each run in ./runs: its arguments, one a line.
setup() {
	mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	cat > ../bin/nsys <<-'EOF'
		#!/bin/bash
		printf '%s\n' "$@" >> "$NSYS_RUNS"
		echo run >> "$NSYS_RUNS"
		while [ $# -gt 1 ]; do [ "$1" != --output ] || out=$2; shift; done
		stat -c %a "$(dirname -- "$out")" > "$NSYS_RUNS.mode"
		[ -f "$1" ] || { echo "File not found: $1"; exit 1; }
		give() { cp "$NSYS_GIVES" "$out" && sqlite3 "$out" "UPDATE META_DATA_EXPORT SET value = '${1//\'/\'\'}' WHERE name = 'EXPORT_PARAM_INPUT_FILE'"; }
		case ${NSYS_DOES:-export} in
		export) echo "Exporting [100%]"; give "${1##*/}" ;;
		slowly) head -c 100000 "$NSYS_GIVES" > "$out"; : > "$out-journal"; echo $$ > "$NSYS_RUNS.pid"; sleep 600 & wait; sleep 600 ;;
		stubbornly) trap '' TERM INT; head -c 9 "$NSYS_GIVES" > "$out"; echo $$ > "$NSYS_RUNS.pid"; for ((i = 0; i < 600; i++)); do sleep 1; done ;;
		half) head -c 100000 "$NSYS_GIVES" > "$out" ;;
		nothing) ;;
		fail) printf 'Loading\nProgress 10%%\rImportation error: report is damaged\n' >&2; head -c 5000 "$NSYS_GIVES" > "$out"; exit 3 ;;
		changing) touch -d "@$(($(stat -c %Y "$1") + 5))" "$1"; give "${1##*/}" ;;
		esac
	EOF
	chmod +x ../bin/nsys
	export NSYS_GIVES=$COMPILE NSYS_RUNS=$BATS_TEST_TMPDIR/runs XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	export NSQ_NSYS=$BATS_TEST_TMPDIR/bin/nsys
	echo report > run.nsys-rep
}

# read_only DIR COMMAND...: run it where that folder is mounted read-only, or, not being root, has no write bit.
read_only() {
	local dir=$1 rc=0
	shift
	if [ "$(id -u)" = 0 ]; then
		unshare -m bash -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"' "$dir" "$@"
	else
		chmod a-w "$dir"
		"$@" || rc=$?
		chmod u+w "$dir"
		return $rc
	fi
}
can_read_only() { read_only "$PWD" true 2>/dev/null || skip "no read-only mount here"; }

runs() { cat "$NSYS_RUNS" 2>/dev/null | grep -c '^run$' || true; }
files() { ls -A | tr '\n' ' '; }

# answered NAME: the last run answered for the report of that name as for its export.
answered() {
	same "$(nsq-streams "$NSYS_GIVES" | without trace)" "$(without trace <<<"$output")"
	same "$1" "$(col trace <<<"$output" | sort -u)"
}

@test "a report is exported once, beside it; its rows name the report" {
	answers nsq-streams run.nsys-rep
	answered run.nsys-rep
	same "run.nsys-rep run.sqlite " "$(files)"
	answers nsq-streams run.nsys-rep
	answered run.nsys-rep
	same 1 "$(runs)"
}

@test "a report and its export are one trace: run.* counts nothing twice" {
	answers nsq-streams run.nsys-rep
	for both in "run.nsys-rep run.sqlite" "./run.sqlite run.nsys-rep"; do
		answers nsq-streams $both
		answered "${both% *}"
		same "$(nsq-kernels -q --each "$COMPILE" | count)" "$(nsq-sql -q "select count(*) from kernels" $both | tail -1)"
	done
	nsq-window -q run.sqlite > windows
	same "$(nsq-gaps -q < windows | without trace)" "$(nsq-gaps -q -w windows run.nsys-rep | without trace)"
	same 1 "$(runs)"
}

# bats test_tags=slow
@test "every tool takes .nsys-rep and .qdrep" {
	echo report > old.qdrep
	for tool in setup window streams overlap gaps nvtx kernels api mem; do
		for r in run.nsys-rep old.qdrep; do
			run --separate-stderr nsq-$tool -q $r
			same 0 "$status"
			same "$(nsq-$tool -q "$COMPILE" | without trace)" "$(without trace <<<"$output")"
		done
	done
	same 2 "$(runs)"
	same "old.qdrep old.sqlite run.nsys-rep run.sqlite " "$(files)"
}

@test "--nsys and PATH name nsys too, and its output does not get in between" {
	env -u NSQ_NSYS PATH="$BATS_TEST_TMPDIR/bin:$PATH" nsq-streams run.nsys-rep > out 2> err
	same "" "$(cat err)"
	rm run.sqlite
	answers env -u NSQ_NSYS nsq-streams --nsys ../bin/nsys run.nsys-rep
	answered run.nsys-rep
	same 2 "$(runs)"
}

@test "a table that names a report is answered from it, and nsys does not eat the table" {
	nsq-window run.nsys-rep > w
	rm run.sqlite
	run --separate-stderr bash -c "nsq-streams < w"
	same 0 "$status"
	same "$(nsq-window "$COMPILE" | nsq-streams | without trace)" "$(without trace <<<"$output")"
}

@test "a report that is newer than its export is exported again" {
	answers nsq-streams run.nsys-rep
	touch -d '+1 hour' run.nsys-rep
	answers nsq-streams run.nsys-rep
	same 2 "$(runs)"
	answers nsq-streams run.nsys-rep     # though its time lies in the future
	same 2 "$(runs)"
}

@test "a report that changes during the export is exported again" {
	NSYS_DOES=changing answers nsq-streams run.nsys-rep
	answers nsq-streams run.nsys-rep
	same 2 "$(runs)"
	answers nsq-streams run.nsys-rep
	same 2 "$(runs)"
}

@test "a half-written export is not trusted, though it is newer, and an empty one is replaced" {
	: > run.sqlite
	answers nsq-streams run.nsys-rep
	answered run.nsys-rep
	same "1 run.nsys-rep run.sqlite " "$(runs) $(files)"
	for damage in "truncate -s 100000 run.sqlite" "printf \xd9\xd5\x05\xf9\x20\xa1\x63\xd7rest > run.sqlite-journal"; do
		rm -rf ../cache run.sqlite "$NSYS_RUNS"
		NSYS_DOES=export nsq-streams run.nsys-rep > /dev/null
		eval "${damage//\\/\\\\}"
		mentions "'run.sqlite' is not an export of 'run.nsys-rep', or half of one" -- nsq-streams run.nsys-rep
		answered run.nsys-rep
		same 2 "$(runs)"
	done
}

@test "an export left half written under its temporary name is not used" {
	mkdir run.sqlite.0123456789abcdef.part
	head -c 100000 "$COMPILE" > run.sqlite.0123456789abcdef.part/run.sqlite
	answers nsq-streams run.nsys-rep
	answered run.nsys-rep
	same 1 "$(runs)"
}

@test "nsys writes into a folder that nobody else can write to, so no planted link is followed" {
	echo precious > victim
	for name in run.%d.partial.sqlite run.sqlite.%d.part run.sqlite.%d.part/run.sqlite; do
		answers bash -c 'n=$(printf "$1" $$); [[ $n != */* ]] || mkdir "${n%/*}"; ln -s "$PWD/victim" "$n"; exec nsq-streams -q run.nsys-rep' plant "$name"
		answered run.nsys-rep
		same "$name precious 700" "$name $(cat victim) $(cat "$NSYS_RUNS.mode")"
		[ ! -L run.sqlite ]
		rm -r run.sqlite*
	done
}

@test "nsys that fails: its reason, the command to try, and nothing left behind" {
	NSYS_DOES=fail fails 1 "'run.nsys-rep'" "'Importation error: report is damaged'" \
		"nsys export --type sqlite --include-blobs=true --output 'run.sqlite' 'run.nsys-rep'" -- nsq-streams run.nsys-rep
	same "run.nsys-rep " "$(files)"
	for how in half nothing; do
		NSYS_DOES=$how fails 1 "'run.nsys-rep'" "no complete export" -- nsq-streams run.nsys-rep
		same "run.nsys-rep " "$(files)"
	done
}

@test "without nsys: where to get it, and the command to run elsewhere" {
	cp run.nsys-rep "it's.nsys-rep"
	fails 1 "'it's.nsys-rep'" "https://developer.nvidia.com/nsight-systems" "--nsys" \
		"nsys export --type sqlite --include-blobs=true --output 'it'\"'\"'s.sqlite' 'it'\"'\"'s.nsys-rep'" \
		-- env -u NSQ_NSYS PATH="$NSQ_BIN" nsq-setup "it's.nsys-rep"
	fails 1 "'../bin/none'" "No such file" -- nsq-setup --nsys ../bin/none run.nsys-rep
	same "it's.nsys-rep run.nsys-rep " "$(files)"
}

@test "a report that is missing, or no file" {
	fails 1 "'none.nsys-rep'" "No such file" -- nsq-setup none.nsys-rep
	mkfifo pipe.nsys-rep
	fails 1 "'pipe.nsys-rep'" "not a plain file" -- timeout 300 nsq-setup pipe.nsys-rep
	same 0 "$(runs)"
}

@test "odd names: a space, a newline, a dash, a quote, %, ?" {
	for name in 'a b' $'a\nb' '-x' "a'b" 'a%20b?c#d'; do
		cp run.nsys-rep "./$name.nsys-rep"
		run --separate-stderr nsq-setup -- "$name.nsys-rep"
		same "0 " "$status $stderr"
		[ -f "./$name.sqlite" ]
	done
}

@test "where the folder is not writable the export goes to the cache" {
	can_read_only
	touch "$NSYS_RUNS"
	answers read_only "$PWD" nsq-streams run.nsys-rep
	answered run.nsys-rep
	same "run.nsys-rep " "$(files)"
	same 1 "$(ls ../cache/nsq/run-*.sqlite | wc -l)"
	answers read_only "$PWD" nsq-streams run.nsys-rep
	same 1 "$(runs)"
	# ~/.cache when XDG_CACHE_HOME is not set, or not absolute as the convention asks
	for xdg in "" relative; do
		rm -rf "$BATS_TEST_TMPDIR/home"
		mkdir "$BATS_TEST_TMPDIR/home"
		answers read_only "$PWD" env XDG_CACHE_HOME=$xdg HOME="$BATS_TEST_TMPDIR/home" nsq-streams run.nsys-rep
		same 1 "$(ls "$BATS_TEST_TMPDIR"/home/.cache/nsq/run-*.sqlite | wc -l)"
	done
	fails 1 "run.nsys-rep" "cache" "XDG_CACHE_HOME" -- read_only "$PWD" env XDG_CACHE_HOME=/proc/none nsq-streams run.nsys-rep
	same 3 "$(runs)"
}

# bats test_tags=long
@test "what is not an export of the report is never replaced" {
	exports() { ls ../cache/nsq ../there 2>/dev/null | grep -c "^run-[0-9a-f]*.sqlite$"; }
	stranger() {
		local before
		before=$(md5sum run.sqlite 2>&1; ls -l run.sqlite)
		rm -rf ../cache "$NSYS_RUNS"
		touch -d '+1 hour' run.nsys-rep
		mentions "'run.sqlite' is not an export of 'run.nsys-rep'" "left alone" "the export is '$XDG_CACHE_HOME/nsq/run-" -- nsq-streams run.nsys-rep
		answered run.nsys-rep
		answers nsq-streams run.nsys-rep         # it is found there
		answered run.nsys-rep
		same "$before" "$(md5sum run.sqlite 2>&1; ls -l run.sqlite)"
		same "1 1" "$(runs) $(exports)"
		rm -r run.sqlite
	}
	sqlite3 run.sqlite "CREATE TABLE mine (x); INSERT INTO mine VALUES (1)"
	stranger
	echo "not a database" > run.sqlite
	stranger
	cp "$COMPILE" run.sqlite                # of another report
	stranger
	mkdir run.sqlite
	stranger
	ln -s nowhere run.sqlite
	stranger
	# though it is newer than the report
	touch -d '-1 hour' run.nsys-rep
	rm -rf ../cache
	sqlite3 run.sqlite "CREATE TABLE mine (x)"
	mentions "'run.sqlite' is not an export" -- nsq-streams run.nsys-rep
	same mine "$(sqlite3 run.sqlite .tables)"
}

@test "--export-to and NSQ_EXPORT_TO name the folder, where reports of one name do not collide" {
	mkdir other
	echo report > other/run.nsys-rep
	answers nsq-streams --export-to ../there/deep run.nsys-rep
	answered run.nsys-rep
	export NSQ_EXPORT_TO=../there/deep
	answers nsq-streams other/run.nsys-rep run.nsys-rep
	same "2 2" "$(runs) $(ls ../there/deep | grep -c '^run-')"
	same 2 "$(col trace <<<"$output" | sort -u | wc -l)"
	same "other run.nsys-rep " "$(files)"
	same run.nsys-rep "$(ls other)"
	fails 1 "the export of 'run.nsys-rep' can be written neither" "--export-to" -- nsq-streams --export-to /proc/none run.nsys-rep
}

# ignored SIGNAL: was the suite started with the signal ignored?
ignored() { (( 0x$(awk '/^SigIgn/ { print $2 }' /proc/self/status) >> ($(kill -l "$1") - 1) & 1 )); }

# interrupted SIGNAL: send it to a tool while nsys works; the exit code is in $status.
interrupted() {
	nsq-streams run.nsys-rep > out 2> err &
	local tool=$!
	for _ in $(seq 6000); do [ ! -s "$NSYS_RUNS.pid" ] || break; sleep 0.05; done
	kill -"$1" "$tool"
	status=0
	wait "$tool" || status=$?
}

@test "a signal during the export ends nsys too and leaves nothing behind" {
	export NSYS_DOES=slowly
	for s in "TERM 143" "HUP 129"; do
		if ignored "${s% *}"; then continue; fi         # as under nohup: the tool does not listen either
		interrupted "${s% *}"
		same "${s#* }" "$status"
		rm out err
		same "run.nsys-rep " "$(files)"
		run ! kill -0 "$(cat "$NSYS_RUNS.pid")"
		rm "$NSYS_RUNS.pid"
	done
	NSYS_DOES=export answers nsq-streams run.nsys-rep
	answered run.nsys-rep
}

# bats test_tags=slow
@test "nsys that does not heed the signal is ended" {
	export NSYS_DOES=stubbornly
	interrupted TERM
	same 143 "$status"
	rm out err
	same "run.nsys-rep " "$(files)"
	run ! kill -0 "$(cat "$NSYS_RUNS.pid")"
}

@test "on a terminal the export says what it does; -q does not" {
	needs_terminal
	command -v script >/dev/null || skip "no script(1) to make a terminal"
	script -qec "nsq-streams run.nsys-rep" /dev/null > out < /dev/null
	holds "$(cat out)" "nsq-streams: exporting 'run.nsys-rep'"
	lacks "$(cat out)" "Exporting [100%]"           # progress.bats: that is shown in a line that is wiped away
	rm run.sqlite
	script -qec "nsq-streams -q run.nsys-rep" /dev/null > out < /dev/null
	lacks "$(cat out)" "xporting"
}

@test "two tools at once on one report" {
	nsq-streams run.nsys-rep > a & nsq-streams run.nsys-rep > b
	wait $!
	cmp a b
	rm a b
	same "run.nsys-rep run.sqlite " "$(files)"
}

@test "the real nsys, where there is one" {
	unset NSQ_NSYS
	command -v nsys >/dev/null || skip "no nsys on PATH"
	rm run.nsys-rep
	printf '%s\n' '#include <nvtx3/nvToolsExt.h>' '#include <unistd.h>' 'int main(void) {' \
		'for (int i = 0; i < 3; i++) { nvtxRangePushA("step"); usleep(2000); nvtxRangePop(); } }' > marked.c
	include=$(dirname "$(readlink -f "$(command -v nsys)")")/nvtx/include
	cc -o marked -I "$include" marked.c -ldl || skip "no NVTX header beside nsys"
	nsys profile --trace=nvtx,osrt --sample=none --cpuctxsw=none -o "real run" ./marked > log 2>&1 || skip "nsys profile does not work here: $(tail -1 log)"
	[ -f "real run.nsys-rep" ] || skip "nsys made no report"
	answers nsq-nvtx --exact "real run.nsys-rep"
	same "3 step" "$(col count name <<<"$output" | tr '\t' ' ')"
	fails 3 "CUDA" "nsys profile --trace=" -- nsq-kernels "real run.nsys-rep"
	rm -f "real run.sqlite"
	run --separate-stderr timeout -s TERM 0.01 nsq-setup "real run.nsys-rep"
	same "" "$(ls | grep '[.]part$' || true)"
}
