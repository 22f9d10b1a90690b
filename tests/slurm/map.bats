# nsq-map --slurm on a real Slurm, which runs on this machine alone; skipped with a word where it cannot be started.
# bats file_tags=slow
load ../helper

setup_file() {
	export CLUSTER=$BATS_FILE_TMPDIR/cluster
	mkdir "$CLUSTER"
	"$TESTS/slurm/cluster" start "$CLUSTER" 3 > "$BATS_FILE_TMPDIR/word" || CLUSTER=
	export SLURM_CONF=$CLUSTER/slurm.conf
}

teardown_file() { [ -z "$CLUSTER" ] || "$TESTS/slurm/cluster" stop "$CLUSTER"; }

setup() {
	[ -n "$CLUSTER" ] || skip "$(cat "$BATS_FILE_TMPDIR/word")"
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	cd "$BATS_TEST_TMPDIR"
	small=("$FIXTURES"/{train,train-allocs,train-metrics,threads-sched,ddp-2rank}.sqlite)
	for i in {01..40}; do ln -s "${small[10#$i % 5]}" "rank $i.sqlite"; done
}

teardown() { [ -z "$CLUSTER" ] || { kill -KILL "${PID-none}" 2> /dev/null; scancel --user=root; } || true; }

# until_it COMMAND...: wait for it to succeed, at most 60 s.
until_it() { for ((i = 0; i < 600; i++)); do ! "$@" 2> /dev/null || return 0; sleep 0.1; done; false; }

in_background() { set -m; "$@" > out 2> said 3>&- & PID=$!; set +m; }

queue() { squeue --noheader --format=%i; }
idle() { [ -z "$(queue)" ]; }
eight_elsewhere() { [ "$(grep -c 'n[13]' ran)" -ge 8 ]; }

@test "forty traces with one node lost in the middle: nothing is lost, and the table is that of one machine" {
	# on the node that will be lost, nothing ends
	one='echo "$SLURMD_NODENAME {}" >> ran; [ "$SLURMD_NODENAME" != n2 ] || sleep 600; nsq-window -q {} | nsq-overlap -q --total'
	nsq-map -q 'nsq-window -q {} | nsq-overlap -q --total' rank*.sqlite > here
	[ "$(wc -l < here)" -eq 49 ]
	in_background nsq-map --slurm -j 1 --chunk 2M "$one" rank*.sqlite
	until_it grep -q n2 ran
	until_it eight_elsewhere
	"$TESTS/slurm/cluster" lose "$CLUSTER" n2
	wait "$PID" || { cat said; false; }
	cmp here out
	holds "$(cat said)" "job 1 of Slurm: 40 traces in " "have no result though job 1 is over; they are submitted once more"
	same 40 "$(grep 'n[13]' ran | sort -u | wc -l)"
	tasks=$(sed -n 's/.*job 1 of Slurm: 40 traces in \([0-9]*\) tasks.*/\1/p' said)
	echo "$tasks tasks"
	[ "$tasks" -gt 5 ]
	[ "$tasks" -lt 40 ]
	same "" "$(queue)$(find cache -type f)"
}

@test "asked to end, nsq-map cancels the job, and --resume goes on; a job that nobody waited for is waited for" {
	one='echo {} >> ran; case {} in *08*) while [ ! -e go ]; do sleep 0.1; done ;; esac; nsq-setup -q {}; [ {} != "rank 09.sqlite" ] || exit 3'
	traces=("rank 0"*)
	in_background nsq-map --slurm -j 1 --chunk 1 "$one" "${traces[@]}"
	until_it grep -q 'rank 07' out
	kill -TERM "$PID"
	wait "$PID" || status=$?
	same 143 "$status"
	until_it idle
	holds "$(cat said)" " is cancelled" "the same command with --resume goes on from there"
	# and now it is lost itself
	in_background nsq-map --slurm -j 1 --chunk 1 --resume "$one" "${traces[@]}"
	until_it grep -q 'of Slurm: ' said
	kill -KILL "$PID"
	touch go
	run --separate-stderr nsq-map --slurm -j 1 --chunk 1 --resume "$one" "${traces[@]}"
	same 3 "$status"
	same "$(for t in "${traces[@]}"; do nsq-setup -q "$t"; done | awk '!/^pid/ || NR == 1')" "$output"
	holds "$stderr" "'rank 09.sqlite' ended with exit code 3"
	same 1 "$(grep -c 'rank 01' ran)"
}
