# nsq-capture --again, --ncu-for and --ncu: from a trace or a table to the next capture.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export RUNS=$BATS_TEST_TMPDIR/runs MEASURED=$FIXTURES/train-ncu.csv GIVES=$FIXTURES/train.sqlite
	export NSQ_NSYS=$TESTS/tools/stand-ins/nsys NSQ_NCU=$TESTS/tools/stand-ins/ncu
	unset NSYS_IS NSYS_DOES NSYS_ENDS NCU_DOES
}

# ncu_for TABLE...: the command for it, without what is the same in all.
ncu_for() { nsq-capture -q --ncu-for "$@" | sed "s|^$NSQ_NCU --target-processes all --set roofline --metrics dram__bytes.sum ||; s| --clock-control base --cache-control all --page raw --csv --log-file raw.csv||"; }

@test "--again: the command line and flags of a trace, and what it lacks, from its steady steps on" {
	answers nsq-capture --again "$NODES"
	same "nsq-capture -o again --with gpu-metrics,memory-usage,osrt --sample --profiler-api -- python3 w_infer.py 20 graph" "$output"
	# what was captured is captured again; --with chooses among what was not
	t=$(change "$NODES" "UPDATE META_DATA_CAPTURE SET value = 'true' WHERE name LIKE '%MEMORY_USAGE'; UPDATE META_DATA_CAPTURE SET value = 'true' WHERE name LIKE '%UVM_CPU%'; INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_EVENT_TYPE', 'CuBLAS')")
	same "nsq-capture -o again --with mpi,memory-usage,cublas --flag=--cuda-um-cpu-page-faults=true --profiler-api -- python3 w_infer.py 20 graph" "$(nsq-capture --again "$t" --with mpi)"
	# MPI calls are, whether tables or ranges hold them; what has neither had none
	holds "$(nsq-capture --again "$(change "$NODES" "CREATE TABLE MPI_P2P_EVENTS (start INTEGER, end INTEGER, globalTid INTEGER, textId INTEGER)")")" ",osrt,mpi --sample"
	holds "$(nsq-capture --again "$(change "$NODES" "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) SELECT 0, 75, 'MPI', globalTid, 77
		FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1")")" ",osrt,mpi --sample"
	# words are kept apart; events that were lost are flushed more often
	same "nsq-capture -o again --with gpu-metrics,memory-usage,osrt --sample --flag=--cuda-flush-interval=100 --profiler-api -- python3" \
		"$(nsq-capture --again "$FIXTURES/ddp-2rank.sqlite" | sed 's/ -m torch.*//')"
	t=$(change "$NODES" "UPDATE META_DATA_CAPTURE SET value = 'a b' WHERE name LIKE '%ARGUMENT_1'")
	holds "$(nsq-capture --again "$t")" "-- python3 w_infer.py 'a b' graph"
	# its first call is cudaProfilerStart, so it began there; without that call, after its warm-up: the first steady step
	# of this one begins 21.7 s after its first event
	t=$(change "$NODES" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId IN (SELECT id FROM StringIds WHERE value LIKE '%ProfilerStart%');
		UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 21500000000, end = end + 21500000000;
		UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start + 21500000000, end = end + 21500000000;
		UPDATE NVTX_EVENTS SET start = start + 21500000000, end = end + 21500000000 WHERE eventType IN (59, 60)")
	holds "$(nsq-capture --again "$t")" " --delay=21 -- python3"
	holds "$(nsq-capture --again "$t" --delay 3)" " --delay=3 -- python3"
	lacks "$(nsq-capture --again "$t" --range x)" "--delay"
	all="--steps=3..4 --baseline --sweep=a=1,2 '--sweep=b=x y' --keep=1 --keep-last=2 --max-size=3000 --ranks=0,2 --ncu=2 --no-clock-control --nsys=./n"
	holds "$(eval "nsq-capture --again '$t' $all")" " $all -- python3"
	t=$(change "$t" "UPDATE META_DATA_CAPTURE SET value = '40000' WHERE name = 'START_DELAY_MS'")
	holds "$(nsq-capture --again "$t")" " --delay=61 -- python3"
}

# bats test_tags=slow
@test "--again with -o runs it; a command line that is not in the trace is asked for" {
	nsq-capture -q --again "$COMPILE" -o cap --with osrt -- sh -c 'echo hello' > said
	holds "$(cat said)" hello
	same "--trace=cuda,nvtx,osrt sh -c echo hello" "$(jq -r '[.flags[2]] + .command | join(" ")' cap/manifest.json)"
	t=$(change "$NODES" "DELETE FROM META_DATA_CAPTURE WHERE name LIKE 'PROCESS_0:%' AND (name LIKE '%COMMAND' OR name LIKE '%ARGUMENT%')")
	mentions "has no command line" "the place of COMMAND" -- nsq-capture --again "$t"
	same "-- COMMAND" "$(nsq-capture -q --again "$t" | grep -o -- '-- .*')"
	fails 3 "the whole command line" "-- COMMAND" -- nsq-capture --again "$t" -o none
	[ ! -e none ]
	# a word that was taken out
	mentions "lacks words" "..." -- nsq-capture --again "$FIXTURES/train.sqlite"
	holds "$(nsq-capture -q --again "$FIXTURES/train.sqlite")" "-- python3 ... 8"
	fails 3 "the whole command line" -- nsq-capture --again "$FIXTURES/train.sqlite" -o none
	t=$(change "$NODES" "UPDATE META_DATA_CAPTURE SET name = 'PROCESS_0:ARGUMENT_9223372036854775807' WHERE name LIKE '%ARGUMENT_2'")
	mentions "lacks words" -- nsq-capture --again "$t"
	fails 1 "cannot open 'none.sqlite'" -- nsq-capture --again none.sqlite
	fails 2 "'--again' and '--ncu-for'" -- nsq-capture --again "$NODES" --ncu-for x
}

# launches TRACE NAMES FROM TO: how many of these kernels are launched before the first that starts from FROM to TO, and from it
# to the last of these.
launches() {
	sql "$1" "WITH k AS (SELECT k.start AS at, r.start AS launched FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r
		ON k.correlationId = r.correlationId AND k.globalPid = r.globalTid & ~0xffffff JOIN StringIds s ON s.id = k.shortName
		WHERE s.value IN ($2)), w AS (SELECT min(launched) AS a, max(launched) AS b FROM k WHERE at >= $3 AND at < $4)
		SELECT sum(launched < a), sum(launched BETWEEN a AND b) FROM k, w" | tr '|' ' '
}

@test "--ncu-for: names as a regular expression, where they are launched, and the range that the window is" {
	t=$FIXTURES/train.sqlite
	nsq-window -q "$t" | nsq-kernels -q -n 3 > top
	read -r from to < <(col start_ns end_ns < top | head -1)
	names=$(col name < top | paste -sd '|')
	read -r skip count < <(launches "$t" "'${names//|/\',\'}'" "$from" "$to")
	[ "$skip" -gt 10 ]
	same "--kernel-name 'regex:^($names)\$' --launch-skip $skip --launch-count $count --nvtx --profile-from-start off ./a 'b c'" "$(ncu_for top -- ./a 'b c')"
	same "$(nsq-kernels -q -m TNT "$t" | ncu_for -)" "$(nsq-kernels -q -m TNT --full "$t" | ncu_for -)"
	# all launched by the thread whose range is the step: ncu counts within these ranges, of which this one is the n-th
	t=$FIXTURES/decode-eager-long.sqlite
	nsq-window -q -m '^decode step$' --pick 5 "$t" | nsq-kernels -q -n 1 > top
	count=$(col count < top)
	same "--kernel-name 'regex:^$(col name < top)\$' --launch-skip $((5 * count)) --launch-count $count --nvtx --nvtx-include 'decode step/' --profile-from-start off ./a" "$(ncu_for top -- ./a)"
	# a table of the whole trace: one steady step; without a trace: some
	nsq-kernels -q -n 1 "$t" > top
	holds "$(ncu_for top -- ./a)" "--launch-count $count "
	same "--kernel-name 'regex:^a[.]b[[]1][+]\$' --launch-count 10 --nvtx COMMAND" "$(table "name" "a.b[1]+" | ncu_for -)"
	mentions "cites no trace" -- nsq-capture --ncu-for <(table "name" "a")
	same "-o d/ncu/run ./a|$NSQ_NCU --import d/ncu/run.ncu-rep --page raw --csv --log-file d/ncu/raw.csv" \
		"$(nsq-capture -q --ncu-for top --dry-run -o d -- ./a | sed '1s/.* -o/-o/' | paste -sd '|')"
	holds "$(nsq-capture -q --ncu-section WarpStateStats --ncu-section 'a b' --ncu-metric x.sum --ncu-metric y.sum --ncu-for top)" \
		" --set roofline --section WarpStateStats --section 'a b' --metrics dram__bytes.sum,x.sum,y.sum --kernel-name "
	holds "$(nsq-capture -q --dry-run -o d --ncu 2 --ncu-section S --ncu-metric m -- ./a)" "nsq-capture --ncu-for - -o d --ncu-section=S --ncu-metric=m -- ./a"
	holds "$(nsq-capture -q --no-clock-control --ncu-for top)" "--clock-control none --cache-control none"
}

# bats test_tags=slow
@test "--ncu-for: what cannot be measured is left out, and what is no table of kernels is refused" {
	nsq-kernels -q "$FIXTURES/ddp-2rank.sqlite" > all
	holds "$(col name < all)" nccl
	lacks "$(ncu_for all)" nccl
	fails 2 "no kernel that computes" "nsq-kernels -n 5 T" -- nsq-capture --ncu-for <(head -1 all; grep nccl all)
	fails 2 "has no column 'name'" -- nsq-capture --ncu-for <(nsq-gaps -q "$NODES")
	mentions "about several windows" -- nsq-capture --ncu-for <(nsq-window -q --pick 3..4 "$NODES" | nsq-kernels -q -n 1) -- ./a
}

@test "--ncu N: after nsys, ncu measures the kernels that take most time; its raw page is what nsq-mfu reads" {
	nsq-capture -q -o cap --ncu 2 -- sh -c 'echo ran' > said
	# the pipe that --dry-run prints asks for the same launches, counted from where the trace begins
	nsq-capture -q --dry-run -o cap --force --ncu 2 -- sh -c 'echo ran' > dry
	holds "$(cat dry)" "# and in a steady step, the one in the middle, which --ncu-for finds" "where class = 'compute' limit 2"
	holds "$(nsq-capture --dry-run -o cap --force --ncu 2 --profiler-api -- true)" " -o cap --profiler-api -- true"
	pipe=$(sed -n '/--ncu-for/s/ -o cap -- .*//p' dry)
	same "$(jq -r '.ncu.command[7:] | join(" ")' cap/manifest.json | sed 's/ --clock.*//')" "$(bash -c "$pipe" 2>&- | tr -d "'" | cut -d ' ' -f 8- | sed 's/ --clock.*//')"
	same 2 "$(grep -c ran said)"
	cmp cap/ncu/raw.csv "$MEASURED"
	names=$(nsq-kernels -q "$GIVES" | where class compute | col name | head -2 | paste -sd '|')
	same "2025.3.1.0 $names 0 ncu/raw.csv regex:^($names)\$" "$(jq -r '"\(.versions.ncu) \(.ncu.kernels | join("|")) \(.ncu.exit_code) \(.ncu.raw) \(.ncu.command[(.ncu.command | index("--kernel-name")) + 1])"' cap/manifest.json)"
	answers nsq-mfu -q --ncu cap/ncu/raw.csv cap/nsys/run.sqlite
	# from a table, into a folder
	nsq-kernels -q -n 1 "$NODES" > table
	nsq-capture -q --ncu-for table -o more/in/it -- sh -c 'exit 3' || code=$?
	same 3 "$code"
	cmp more/in/it/ncu/raw.csv "$MEASURED"
	fails 2 "'more/in/it/ncu' exists" "--force" -- nsq-capture --ncu-for table -o more/in/it -- true
	nsq-capture -q --ncu-for table --force -o more/in/it -- true
	# what is not ours stays
	echo mine | tee more/in/it/ncu/run.py > more/in/it/ncu/raw.csv
	fails 2 "'more/in/it/ncu' holds more than nsq-capture writes" -- nsq-capture --ncu-for table --force -o more/in/it -- true
	ln -s in/it/ncu more
	fails 2 "'more/ncu' is a link" -- nsq-capture --ncu-for table --force -o more -- true
	same mine "$(cat more/ncu/raw.csv)"
}

# bats test_tags=slow
@test "--ncu N: an ncu that is asked to end is not run once more, nor is the rest of a sweep" {
	cat > own <<-'EOF'
		#!/bin/bash
		[[ $1 != --version && $1 != --help ]] || exec "$REAL" "$@"
		echo run >> ncus
		trap 'exit 0' TERM
		kill -TERM $PPID
		for i in {1..1000}; do read -t 0.02; done <> <(:)
	EOF
	chmod +x own
	REAL=$NSQ_NCU NSQ_NCU=./own GIVES=$EAGER run --separate-stderr nsq-capture --ncu 1 -o cap --sweep b=1,2 -- true {b}
	same 1 "$status"
	lacks "$stderr" "once more"
	same "1 b=1 15" "$(wc -l < ncus) $(ls cap | xargs) $(jq .signal cap/b=1/manifest.json)"
}

# bats test_tags=slow
@test "--ncu N: within the range that is captured" {
	nsq-capture -q -o cap --ncu 1 --range 'a b@c' -- true > /dev/null
	holds "$(jq -r '.ncu.command | join(" ")' cap/manifest.json)" "--nvtx --nvtx-include c@a b/ --nvtx-push-pop-scope process"
	nsq-capture -q -o cap --force --ncu 1 --profiler-api -- true > /dev/null
	holds "$(jq -r '.ncu.command | join(" ")' cap/manifest.json)" "--profile-from-start off"
}

# bats test_tags=slow
@test "--ncu: counters that may not be read, launches that are not met, an ncu that is not there" {
	bad() {
		NCU_DOES=$1 run --separate-stderr nsq-capture -q -o cap --force --ncu 1 -- true
		same 1 "$status"
		holds "$stderr" "${@:2}"
		[ -s cap/nsys/run.sqlite ]
	}
	bad denied "ERR_NVGPUCTRPERM" CAP_SYS_ADMIN NVreg_RestrictProfilingToAdminUsers=0
	same 1 "$(jq .ncu.exit_code cap/manifest.json)"
	bad nothing "met none of these launches"
	bad no-page "cannot write the raw page"
	# ncu that knows no ranges measures where the launches of the step are among all
	name=vectorized_layer_norm_kernel       # of prefill, too
	true > "$RUNS"
	NCU_DOES=no-ranges run --separate-stderr nsq-capture --ncu-for <(nsq-kernels -q -m "^$name\$" "$EAGER") -o more -- true
	same 0 "$status"
	holds "$stderr" "ncu saw no launch in the range 'decode step/'" "counting launches from the program's start"
	same 1 "$(grep -c -e --nvtx-include "$RUNS")"
	read -r inside skip count < <(awk '/--launch-(skip|count)/ { getline; v[n++] = $1 } END { print v[0], v[2], v[3] }' "$RUNS")
	[ "$skip" -gt "$inside" ]
	# in a job the other ranks do not run again, so this one would wait for them
	true > "$RUNS"
	RANK=0 WORLD_SIZE=2 NCU_DOES=no-ranges run --separate-stderr nsq-capture --ncu-for <(nsq-kernels -q -m "^$name\$" "$EAGER") -o job -- true
	same "1 1" "$status $(grep -c -e --launch-skip "$RUNS")"
	holds "$stderr" "met none of these launches"
	read -r from to < <(nsq-kernels -q --each -m "^$name\$" "$EAGER" | col start_ns | sort -n | sed -n "$((skip + 1))p;$((skip + count))p" | xargs)
	same "$skip $count" "$(launches "$EAGER" "'$name'" "$from" "$((to + 1))" | tr '\t' ' ')"
	nsq-window -q --pick all "$EAGER" | awk -F '\t' -v a="$from" -v b="$to" 'NR > 1 && a >= $3 && b < $4 { n++ } END { exit n != 1 }'
	NSQ_NCU=./none bad "" "'./none' cannot be run" "developer.nvidia.com/nsight-compute"
	same null "$(jq -c .ncu cap/manifest.json)"
}
