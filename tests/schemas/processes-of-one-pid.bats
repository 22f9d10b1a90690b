# Two processes with the same pid, as on two machines or in two containers: they differ in the bits of the global id
# above it, and are written PID:N.
load ../helper

# DUALPIPE with process 694 as a second 693 whose bits above the pid are 3 more.
setup_file() {
	cp "$DUALPIPE" "$BATS_FILE_TMPDIR/twins.sqlite"
	chmod u+w "$BATS_FILE_TMPDIR/twins.sqlite"
	sqlite3 -batch "$BATS_FILE_TMPDIR/twins.sqlite" "
		CREATE TEMP TABLE m AS SELECT ((694 << 24)) AS a, (693 << 24) + (3 << 48) AS b;
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = globalPid - (SELECT a - b FROM m) WHERE (globalPid >> 24 & 0xffffff) = 694;
		UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET globalPid = globalPid - (SELECT a - b FROM m) WHERE (globalPid >> 24 & 0xffffff) = 694;
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = globalTid - (SELECT a - b FROM m) WHERE (globalTid >> 24 & 0xffffff) = 694;
		UPDATE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SET globalPid = globalPid - (SELECT a - b FROM m) WHERE (globalPid >> 24 & 0xffffff) = 694;
		UPDATE CUPTI_ACTIVITY_KIND_CUDA_EVENT SET globalPid = globalPid - (SELECT a - b FROM m) WHERE (globalPid >> 24 & 0xffffff) = 694;
		UPDATE NVTX_EVENTS SET globalTid = globalTid - (SELECT a - b FROM m) WHERE (globalTid >> 24 & 0xffffff) = 694;"
}
setup() {
	TWINS=$BATS_FILE_TMPDIR/twins.sqlite
	FIRST=693:$(sql "$DUALPIPE" "SELECT min(globalPid >> 48 & 0xffff) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE (globalPid >> 24 & 0xffffff) = 693")
	SECOND=693:$(sql "$DUALPIPE" "SELECT min(globalPid >> 48 & 0xffff) + 3 FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE (globalPid >> 24 & 0xffffff) = 693")
}

@test "each is a row of its own, with its own rank; alone a pid stays a number" {
	same "$FIRST $SECOND 695 696" "$(nsq-setup -q "$TWINS" | col pid | xargs)"
	same "0 1 2 3" "$(nsq-setup -q "$TWINS" | col rank | xargs)"
	same "693 694 695 696" "$(nsq-setup -q "$DUALPIPE" | col pid | xargs)"
	same "\"$FIRST\" \"$SECOND\" 695 696" "$(nsq-setup -q -f jsonl "$TWINS" | jq -c .pid | xargs -d '\n')"
}

@test "what each answers is what it answers when its pid is its own" {
	for tool in nsq-setup "nsq-window --pick all" nsq-streams nsq-overlap "nsq-overlap --total" nsq-gaps "nsq-gaps --by cause" "nsq-kernels --each" \
		"nsq-api --by thread" "nsq-api --launch" "nsq-nvtx --each" "nsq-mem --by pid"; do
		echo "tool: $tool"
		drop="pid trace process"
		case $tool in *"--by thread"|*nvtx*) drop="$drop tid thread" ;; esac
		same "$($tool -q -p 693 "$DUALPIPE" | without $drop)" "$($tool -q -p "$FIRST" "$TWINS" | without $drop)"
		same "$($tool -q -p 694 "$DUALPIPE" | without $drop)" "$($tool -q -p "$SECOND" "$TWINS" | without $drop)"
	done
}

@test "-p takes the pid alone for both, or either of them" {
	same "$FIRST $SECOND" "$(nsq-gaps -q -p 693 "$TWINS" | col pid | xargs)"
	same "$SECOND" "$(nsq-gaps -q -p "$SECOND" "$TWINS" | col pid)"
	fails 2 "no process 693:77" -- nsq-gaps -p 693:77 "$TWINS"
	fails 2 "'693:x'" -- nsq-gaps -p 693:x "$TWINS"
}

@test "a pipe keeps them apart: the idle time of each is its own" {
	both=$(nsq-gaps -q "$TWINS")
	same "$both" "$(nsq-streams -q "$TWINS" | awk -F '\t' '!seen[$1]++' | nsq-gaps -q)"
	same "$(nsq-gaps -q "$DUALPIPE" | col idle_ns busy_ns)" "$(nsq-overlap -q --total "$TWINS" | nsq-gaps -q | col idle_ns busy_ns)"
	# a table may name the pid alone: the window is then of both
	same 2 "$(printf 'start_ns,end_ns,pid\n100000000,200000000,693\n' | nsq-gaps -q -w - "$TWINS" | count)"
	run --separate-stderr nsq-gaps -w - "$TWINS" <<<"$(printf 'start_ns,end_ns,pid\n100000000,200000000,693:77\n')"
	same 0 "$status"
	holds "$stderr" "process 693:77" "skipped"
}
