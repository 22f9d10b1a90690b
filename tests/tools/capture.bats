# nsq-capture: stand-ins for nsys and ncu note what they are asked, run the command, and behave badly on request.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export RUNS=$BATS_TEST_TMPDIR/runs GIVES=$COMPILE NSQ_NSYS=$TESTS/tools/stand-ins/nsys
	unset NSYS_IS NSYS_DOES NSYS_ENDS
}

# flags: the command line that --dry-run prints for these options, without nsys profile, -o and the command.
flags() { nsq-capture --dry-run -o cap "$@" -- ./train | sed 's|^[^ ]*nsys profile ||; s| -o cap/nsys/run ./train$||'; }

manifest() { jq -r "$1" "${2:-cap}/manifest.json"; }

@test "a command is run, its trace exported, and what was done is written down" {
	run --separate-stderr nsq-capture -o cap --with osrt -- sh -c 'cat; echo bad >&2; exit 3' <<< good
	same 3 "$status"
	same "good
Generating '/tmp/nsys-report-1234.qdstrm'" "$output"
	same bad "$stderr"
	cmp "$COMPILE" cap/nsys/run.sqlite
	same '3 null 2025.3.1.90 sh -c cat; echo bad >&2; exit 3' "$(manifest '"\(.exit_code) \(.signal) \(.versions.nsys) \(.command | join(" "))"')"
	same "nsys/run.sqlite $(stat -c %s "$COMPILE") 3" "$(manifest '.traces[0] | "\(.file) \(.bytes) \(.exit_code)"')"
	same "nsq command folder started ended exit_code signal versions gpus git environment flags traces ncu baseline_s wall_s steps parameters rank" "$(manifest 'keys_unsorted | join(" ")')"
	same "$(manifest '.flags[2:-2] | join(" ")')" "$(flags --with osrt)"
}

@test "what nsys calls a flag, or whether it has it, nsys is asked" {
	all="--trace=cuda,nvtx --sample=none"
	same "$all --cpuctxsw=none --cuda-graph-trace=node --trace-fork-before-exec=true" "$(flags)"
	same "$all" "$(NSYS_IS=2021 flags)"
	same "$all --capture-range=cudaProfilerApi --stop-on-range-end=true" "$(NSYS_IS=2021 flags --profiler-api)"
	holds "$(flags --profiler-api)" "--capture-range=cudaProfilerApi --capture-range-end=stop"
	holds "$(flags --range 'a b@c')" "--capture-range=nvtx '--nvtx-capture=a b@c' --capture-range-end=stop --env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0"
	holds "$(flags --with gpu-metrics,osrt,memory-usage)" "--trace=cuda,nvtx,osrt --gpu-metrics-devices=all --cuda-memory-usage=true"
	holds "$(NSYS_IS=2022 flags --with gpu-metrics)" "--gpu-metrics-device=all"
	holds "$(flags --graphs whole --sample --delay 5 --duration 2s --flag=--wait=all)" "--sample=process-tree --cpuctxsw=process-tree --cuda-graph-trace=graph" "--delay=5 --duration=2 --wait=all"
	NSYS_IS=2021 run --separate-stderr nsq-capture --dry-run -o cap --graphs whole -- ./train
	same 1 "$status"
	holds "$stderr" "2021.3.1.90 has no --cuda-graph-trace, which '--graphs whole' needs; install a newer one"
}

@test "a folder that holds something is left alone without --force" {
	mkdir cap
	nsq-capture -o cap -- true > /dev/null
	run --separate-stderr nsq-capture -o cap -- true
	same "2 nsq-capture: 'cap' exists; --force replaces the capture in it" "$status $stderr"
	nsq-capture -o cap --force -- true > /dev/null
}
