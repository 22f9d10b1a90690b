# nsq-capture: a stand-in for nsys notes what it is asked, runs the command, and behaves badly on request.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export RUNS=$BATS_TEST_TMPDIR/runs GIVES=$SAMPLES NSQ_NSYS=$TESTS/tools/stand-ins/nsys
	unset NSYS_IS NSYS_DOES NSYS_ENDS RANK WORLD_SIZE PMI_RANK SLURM_PROCID SLURM_NTASKS \
		$(compgen -e | grep -iE '^(TF|VLLM|NVIDIA|JAX|OMPI|NCCL|UCX)_')    # the tester's own, which a manifest would show
}

# flags OPTION...: the flags of nsys profile that --dry-run shows for these options.
flags() { nsq-capture --dry-run -o cap "$@" -- ./train | sed -n '1s|^[^ ]*nsys profile ||; 1s| -o cap/nsys/run ./train$||p'; }

# manifest FILTER [FOLDER]: what jq finds.
manifest() { jq -r "$1" "${2:-cap}/manifest.json"; }

# captures CODE [OPTION...] -- COMMAND...: exits so; what it prints is in $output and $stderr.
captures() {
	local code=$1
	shift
	run --separate-stderr nsq-capture "$@"
	echo "$stderr"
	same "$code" "$status"
}

@test "a command is run, its trace exported, and what was done is written down" {
	run --separate-stderr env NCCL_DEBUG=WARN NCCL_TOKEN=a HOME=/ nsq-capture -o cap --with osrt -- sh -c 'cat; echo bad >&2; exit 3' <<< good
	same 3 "$status"
	same "good
Generating '/tmp/nsys-report-1234.qdstrm'" "$output"
	same bad "$stderr"
	cmp "$SAMPLES" cap/nsys/run.sqlite
	same "nsq command folder started ended exit_code signal versions gpus git environment inputs flags traces ncu baseline_s wall_s steps parameters rank
3 null 2025.3.1.90 null null sh -c cat; echo bad >&2; exit 3
nsys/run.sqlite $(stat -c %s "$SAMPLES") 3
nsys/run.nsys-rep 7 3
WARN null null
true $PWD
$(flags --with osrt)" "$(manifest '(keys_unsorted | join(" ")), "\(.exit_code) \(.signal) \(.versions.nsys) \(.baseline_s) \(.rank) \(.command | join(" "))",
		(.traces[] | "\(.file) \(.bytes) \(.exit_code)"), (.environment | "\(.NCCL_DEBUG) \(.NCCL_TOKEN) \(.HOME)"),
		"\(.wall_s > 0) \(.folder)", (.flags[2:-2] | join(" "))')"
}

@test "the manifest has the digests of the files that the command names" {
	echo 'true' > train.sh
	echo 'lr: 1' > conf.yaml
	mkdir data
	truncate -s 65M large.bin
	run -0 env nsq-capture -q -o cap -- sh train.sh --config=conf.yaml data no-such large.bin
	same "train.sh 5 $(sha256sum < train.sh | cut -c1-64)
conf.yaml 6 $(sha256sum < conf.yaml | cut -c1-64)
large.bin 68157440 null" "$(manifest '.inputs[] | "\(.file) \(.bytes) \(.sha256)"')"
}

# The command itself gets all of its words: what it prints has them.
@test "the manifest hides what looks like a secret, and of the environment has what matters: secrets.tsv" {
	local -a command=() env=() flags=() shown=() kept=() words=()
	local sweep=
	while IFS=$TAB read -r kind given as; do
		eval "words=($given)"
		case $kind in
		word) command+=("${words[@]}" ,) shown+=("$as ,") ;;
		env) env+=("$words"); [ "$as" = - ] || kept+=("$as") ;;
		flag) flags+=("--flag=$given") shown+=("$as ,") command+=("$given" ,) ;;
		sweep) sweep=${sweep:+$sweep,}$given ;;
		esac
	done < <(grep -v '^#' "$TESTS/tools/secrets.tsv" | tail -n +2)
	[ ${#shown[@]} -gt 60 ]
	[ ${#env[@]} -gt 30 ]
	run -0 --separate-stderr env -i PATH="$PATH" ASAN_OPTIONS="$ASAN_OPTIONS" RUNS="$RUNS" GIVES="$GIVES" NSQ_NSYS="$NSQ_NSYS" "${env[@]}" nsq-capture -q -o cap "${flags[@]}" -- echo "${command[@]}"
	same "${command[*]}" "$(head -1 <<< "$output")"
	printf '%s\n' "${shown[@]}" > expected
	manifest '.command[1:] | join(" ")' | sed 's/ , / ,\n/g' | diff expected -
	printf '%s\n' "${kept[@]}" | sort | diff - <(manifest '.environment | to_entries[] | "\(.key)=\(.value)"')
	same "" "$(grep -o '.\{20\}Sxa.\{10\}' cap/manifest.json)"
	# by the name of the parameter, or of the option that it is used for; but the command gets it
	for name in token x; do
		captures 0 -o sweep.$name --sweep "$name=$sweep" --sweep batch=8 -- echo "--hf-token={$name}" --batch={batch}
		holds "$output" "--hf-token=Sxa --batch=8" "--hf-token=-Sxa --batch=8"
		same "$name=___,batch=8 $name=___,batch=8~2" "$(ls sweep.$name | xargs)"
		same "{\"$name\":\"***\",\"batch\":\"8\"}" "$(manifest '.parameters | tojson' "sweep.$name/$name=___,batch=8")"
		same " " "$(grep -rl Sxa sweep.$name) $(grep Sxa <<< "$stderr")"
	done
}

@test "an export that a file of the command's is in the way of is named as it is" {
	XDG_CACHE_HOME=$PWD/elsewhere captures 0 -o cap -- sh -c 'echo mine > cap/nsys/run.sqlite'
	file=$(manifest '.traces[0].file')
	[[ $file == "$PWD"/elsewhere/* ]]
	cmp "$SAMPLES" "$file"
}

# This nvidia-smi leaves a process that holds its output open until the test has ended.
@test "what nvidia-smi does not tell is null, and what it leaves running is not waited for" {
	mkdir bin
	mkfifo held
	exec 7<> held
	printf '#!/bin/sh\nread x < held &\ncase $1 in --format*) echo "580.65, [N/A], [N/A], GB10";; *) printf "CUDA Version:";; esac\n' > bin/nvidia-smi
	chmod +x bin/nvidia-smi
	PATH=$PWD/bin:$PATH timeout 15 nsq-capture -q -o cap -- true > /dev/null 7>&-
	same '580.65 null [{"name":"GB10","clock_mhz":null,"memory_mhz":null}]' "$(manifest '"\(.versions.driver) \(.versions.cuda) \(.gpus)"')"
}

# bats test_tags=slow
@test "GPUs, driver, CUDA and the state of the sources are written down" {
	mkdir bin
	cat > bin/nvidia-smi <<-'EOF'
		#!/bin/sh
		case $* in
		*--query-gpu=driver_version,*) printf '580.65, 1980, 3201, NVIDIA H200\n580.65, 1755, 1593, NVIDIA A100, 80GB\n' ;;
		--version) printf 'DRIVER version      : 580.65\nCUDA Version        : 13.0\n' ;;
		esac
	EOF
	chmod +x bin/nvidia-smi
	git init -q . && git config user.email a@b && git config user.name a
	echo 1 > tracked && git add tracked && git commit -qm x
	PATH=$PWD/bin:$PATH nsq-capture -q -o cap -- true > /dev/null
	same '580.65 13.0 [{"name":"NVIDIA H200","clock_mhz":1980,"memory_mhz":3201},{"name":"NVIDIA A100, 80GB","clock_mhz":1755,"memory_mhz":1593}]' "$(manifest '"\(.versions.driver) \(.versions.cuda) \(.gpus)"')"
	same "$(git rev-parse HEAD) false" "$(manifest '"\(.git.revision) \(.git.dirty)"')"
	echo 2 > tracked
	nsq-capture -q -o dirty -- true > /dev/null
	same "true []" "$(manifest '"\(.git.dirty) \(.gpus)"' dirty)"
}

@test "a command line of any length is written down" {
	for n in 3 4 5; do
		nsq-capture -q -o cap --force --profiler-api -- true $(seq "$n") > /dev/null
		same "--trace=cuda,nvtx $n" "$(manifest '"\(.flags[2]) \(.command[-1])"')"
	done
}

@test "what nsys calls a flag, or whether it has it, nsys is asked" {
	all="--trace=cuda,nvtx --sample=none"
	same "$all --cpuctxsw=none --cuda-graph-trace=node --trace-fork-before-exec=true" "$(flags)"
	same "$all --capture-range=cudaProfilerApi --stop-on-range-end=true" "$(NSYS_IS=2021 flags --profiler-api)"
	holds "$(flags --profiler-api)" "--capture-range=cudaProfilerApi --capture-range-end=stop"
	holds "$(flags --range 'a b@c')" "--capture-range=nvtx '--nvtx-capture=a b@c' --capture-range-end=stop --env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0"
	same "$(flags | sed 's/$/ --env-var=A=1/')" "$(flags --flag=--env-var=A=1)"
	same "$(flags --range a),A=1 -e NSYS_NVTX_PROFILER_REGISTER_ONLY=0,B=2" "$(flags --range a --flag=--env-var=A=1 --flag=-e --flag=B=2)"
	holds "$(flags --with gpu-metrics,osrt,memory-usage)" "--trace=cuda,nvtx,osrt --gpu-metrics-devices=all --cuda-memory-usage=true"
	holds "$(NSYS_IS=2022 flags --with gpu-metrics)" "--gpu-metrics-device=all"
	holds "$(flags --graphs whole --sample --delay 5 --duration 2s --flag=--wait=all)" "--sample=process-tree --cpuctxsw=process-tree --cuda-graph-trace=graph" "--delay=5 --duration=2 --wait=all"
	same "--sample=none --cpuctxsw=none --cuda-graph-trace=node --trace=cuda --trace-fork-before-exec=false" "$(flags --flag=--trace=cuda --flag=--trace-fork-before-exec=false)"
	holds "$(nsq-capture --dry-run -o 50% -- a; nsq-capture --dry-run -o -x --ncu 1 -- a)" "-o 50%%/nsys/run a" "-o ./-x/nsys/run a" " ./-x/nsys/run.nsys-rep" "nsq-kernels ./-x/nsys" "-o ./-x -- a"
	NSYS_IS=2021 captures 1 --dry-run -o cap --graphs whole -- ./train
	holds "$stderr" "2021.3.1.90 has no --cuda-graph-trace, which '--graphs whole' needs; install a newer one"
	[ ! -e cap ]
}

@test "--dry-run prints what can be pasted into a shell; without nsys, for a current one" {
	captures 0 --dry-run --nsys none -o 'a cap' --baseline --steps 3..5 -- sh -c 'exit 3'
	same "sh -c 'exit 3'
none profile --trace=cuda,nvtx --sample=none --cpuctxsw=none --cuda-graph-trace=node --trace-fork-before-exec=true -o 'a cap/nsys/whole' sh -c 'exit 3'
none export --type=sqlite --include-blobs=true '--output=a cap/nsys/whole.sqlite' 'a cap/nsys/whole.nsys-rep'
nsq-window --skip 0 --period --pick 3..5 'a cap/nsys/whole.sqlite' | nsq-slice --keep env,host,command,paths,clock -o 'a cap/nsys/run.sqlite'" "$output"
	same "nsq-capture: 'none' does not run here, so this is for a current one" "$stderr"
}

# NCCL's payloads are blobs.
@test "blobs are exported by an nsys that can; an older one is asked again without them" {
	for is in 2025 2022; do
		: > "$RUNS"
		NSYS_IS=$is captures 0 -q -o "cap-$is" -- true
		cmp "$SAMPLES" "cap-$is/nsys/run.sqlite"
		same "$([ $is = 2025 ] && echo 1 1 || echo 2 1)" "$(grep -cx export "$RUNS") $(grep -cx -e --include-blobs=true "$RUNS")"
		same "$([ $is = 2025 ] && echo 1 || echo 0)" "$(NSYS_IS=$is nsq-capture --dry-run -o cap -- true | grep -c -e 'export --type=sqlite --include-blobs=true')"
	done
}

@test "what does not go together is refused" {
	captures 2 -o cap
	holds "$stderr" "no command; as in nsq-capture -o DIR -- python train.py"
	captures 2 true
	holds "$stderr" "no folder for the capture; name one with -o DIR"
	captures 2 -o cap --range a --profiler-api true
	captures 2 -o cap --delay 1.5 true
	holds "$stderr" "'--delay' takes whole seconds, such as 30 or 2s, not '1.5'"
	captures 2 -o cap --steps first true
	captures 2 -o cap --max-size 3X true
	captures 2 -o cap --keep-last 3 true
	captures 2 -o cap --ranks 0 true
	holds "$stderr" "'--ranks' needs a rank, and none of RANK,"
	captures 2 -o cap --sweep b=1,,2 -- true {b}
	captures 2 -o cap --sweep b=1,2 -- true {c}
	holds "$stderr" "'{b}' is nowhere in the command"
	captures 2 -o cap --sweep b=1 --sweep b=2 -- true {b}
	[ ! -e cap ]
	[ ! -e runs ]
}

# A capture whose folders hold files of the user, too, and names that are nearly its own.
with_others() {
	mkdir -p "$1"/{nsys,ncu}
	echo '{"nsq": "0"}' > "$1/manifest.json"
	echo old | tee "$1"/nsys/{run,whole}.{nsys-rep,qdrep,qdstrm,sqlite} "$1"/ncu/{run.ncu-rep,run.log,raw.csv} > /dev/null
	echo mine | tee "$1"/notes "$1"/nsys/{notes.md,run.sh,run.2.sqlite,raw.csv} "$1"/ncu/{run.py,run.sqlite} > /dev/null
}

# lie FOLDER...: the files in them.
lie() { find -L "$@" -type f | sort | xargs; }

@test "a folder that holds something is left alone; --force replaces only a capture" {
	mkdir -p cap proj/{nsys,ncu} other/nsys data
	nsq-capture -q -o cap -- true > /dev/null
	captures 2 -o cap -- true
	same "nsq-capture: 'cap' exists; --force replaces the capture in it" "$stderr"
	with_others cap
	GIVES=$COPIES nsq-capture -q -o cap --force -- true > /dev/null
	cmp "$COPIES" cap/nsys/run.sqlite
	same "cap/manifest.json cap/ncu/run.py cap/ncu/run.sqlite cap/notes cap/nsys/notes.md cap/nsys/raw.csv cap/nsys/run.2.sqlite cap/nsys/run.nsys-rep cap/nsys/run.sh cap/nsys/run.sqlite" "$(lie cap)"
	# no manifest, and another's
	echo mine | tee proj/nsys/run.{sh,nsys-rep} proj/ncu/run.py other/manifest.json other/nsys/run.nsys-rep > data/run.nsys-rep
	for folder in proj other; do
		captures 2 -o $folder --force -- touch ran
		same "nsq-capture: '$folder' exists, without a manifest.json that nsq-capture wrote, so it is left alone; name another" "$stderr"
	done
	# folders that lead elsewhere
	ln -s "$PWD/cap/manifest.json" data
	captures 2 -o data --force -- touch ran
	for part in nsys ncu; do
		mkdir to-$part
		cp cap/manifest.json to-$part
		ln -s ../data to-$part/$part
		captures 2 -o to-$part --force -- touch ran
		same "nsq-capture: 'to-$part/$part' is a link or a file, so it is left alone; name another folder" "$stderr"
	done
	same "data/manifest.json data/run.nsys-rep other/manifest.json other/nsys/run.nsys-rep proj/ncu/run.py proj/nsys/run.nsys-rep proj/nsys/run.sh" "$(lie data other proj)"
	same mine "$(cat {data,other/nsys,proj/nsys}/run.nsys-rep | uniq)"
	[ ! -e ran ]
}

@test "a capture that appears while the baseline runs is left alone" {
	captures 2 -o cap --baseline -- sh -c 'mkdir -p cap/nsys; printf "%s\\n" "{\"nsq\": 1}" > cap/manifest.json; echo other > cap/nsys/run.sqlite'
	same "nsq-capture: 'cap' exists; --force replaces the capture in it" "$stderr"
	same "cap/manifest.json cap/nsys/run.sqlite other" "$(lie cap) $(cat cap/nsys/run.sqlite)"
}

@test "--keep-last removes only what a capture wrote, never through a link, and says so" {
	mkdir data
	echo mine | tee data/run.log data/raw.csv > /dev/null
	with_others cap/a
	mkdir cap/b
	cp cap/a/manifest.json cap/b
	ln -s ../../data cap/b/ncu
	touch -d @1 cap/a/manifest.json
	touch -d @2 cap/b/manifest.json
	captures 0 -o cap --sweep c=1 --keep-last 1 -- true {c}
	holds "$stderr" "removed 'cap/a' except what is not of the capture: --keep-last 1" "removed 'cap/b' except what is not of the capture"
	same "cap/a/ncu/run.py cap/a/ncu/run.sqlite cap/a/notes cap/a/nsys/notes.md cap/a/nsys/raw.csv cap/a/nsys/run.2.sqlite cap/a/nsys/run.sh cap/b/ncu/raw.csv cap/b/ncu/run.log" "$(lie cap/a cap/b)"
	# the same of a rank, of which the folder itself may be a link
	with_others elsewhere
	mkdir -p job/old
	ln -s ../../elsewhere job/old/rank-0
	RANK=0 WORLD_SIZE=2 captures 0 -o job --sweep c=1 --keep-last 1 -- true {c}
	same old "$(cat elsewhere/nsys/run.sqlite)"
}

@test "--keep compresses the traces of older captures, which gunzip brings back; --keep-last removes them, too" {
	captures 2 -o cap --keep 1 -- true
	same "nsq-capture: '--keep' has no effect without '--sweep'; drop it" "$stderr"
	captures 0 -o cap --sweep c=1,2,3 --keep 1 -- true {c}
	holds "$stderr" "compressed 'cap/c=1/nsys/run.sqlite': --keep 1" "compressed 'cap/c=2/nsys/run.sqlite': --keep 1"
	lacks "$stderr" nsq-diff
	same "cap/c=1/manifest.json cap/c=1/nsys/run.nsys-rep cap/c=1/nsys/run.sqlite.gz" "$(lie cap/c=1)"
	cmp "$SAMPLES" cap/c=3/nsys/run.sqlite
	gunzip cap/c=1/nsys/run.sqlite.gz
	cmp "$SAMPLES" cap/c=1/nsys/run.sqlite
	# what is there already, and where a link leads, is left alone
	echo mine > cap/c=1/nsys/run.sqlite.gz
	mkdir -p cap/link/nsys
	cp cap/c=1/manifest.json cap/link
	ln -s "$SAMPLES" cap/link/nsys/run.sqlite
	touch -d @1 cap/link/manifest.json
	chmod 600 cap/c=3/nsys/run.sqlite
	captures 0 -o cap --sweep d=1 --keep 1 -- true {d}
	same 600 "$(stat -c %a cap/c=3/nsys/run.sqlite.gz)"
	holds "$stderr" "could not compress 'cap/c=1/nsys/run.sqlite': --keep 1" "could not compress 'cap/link/nsys/run.sqlite'"
	same mine "$(<cap/c=1/nsys/run.sqlite.gz)"
	cmp "$SAMPLES" cap/c=1/nsys/run.sqlite
	same "cap/link/manifest.json cap/link/nsys/run.sqlite" "$(lie cap/link)"
	rm -r cap/link
	captures 0 -o cap --sweep e=1 --keep-last 1 -- true {e}
	same "e=1" "$(ls cap | xargs)"
}

@test "a profiler that is missing, crashes, refuses, or leaves no report is reported; the command's code is returned" {
	captures 1 --nsys nothing-like-nsys -o cap -- true
	holds "$stderr" "'nothing-like-nsys' is not on the PATH; install Nsight Systems (https" ") or name its nsys with --nsys PATH"
	captures 1 --nsys false -o cap -- true
	holds "$stderr" "'false' cannot be run; try 'false --version'"
	captures 1 -o cap -- ./no-such
	same "nsq-capture: cannot run './no-such': there is no such program" "$stderr"
	NSYS_DOES=crash captures 139 -o crash -- true
	holds "$stderr" "ended with exit code 139 and wrote no report"
	NSYS_DOES=no-report captures 1 -o none --profiler-api -- true
	holds "$stderr" "ended with exit code 0 and wrote no report: the command did not come to cudaProfilerStart"
	NSYS_DOES=no-importer captures 1 -o raw -- true
	holds "$stderr" "left 'raw/nsys/run.qdstrm' and no report: its importer did not run"
	NSYS_DOES=no-export captures 1 -o report -- true
	holds "$stderr" "report is damaged"
	same "139 [] nsys/run.nsys-rep" "$(manifest .exit_code crash) $(manifest .traces none) $(manifest '.traces[].file' report)"
	NSYS_ENDS=qdrep captures 0 -o old -- true
	same "nsys/run.sqlite nsys/run.qdrep" "$(echo $(manifest '.traces[].file' old))"
}

# A signal to nsq-capture alone reaches the command through nsys, and the trace is there all the same.
@test "an interrupted capture is closed, exported and kept" {
	nsq-capture -q -o cap -- bash -c 'trap "echo caught; exit 7" TERM; echo ready > ready; for i in {1..20}; do read -t 1; done <> <(:)' > out &
	pid=$!
	until [ -s ready ]; do read -r -t 0.02 _ <> <(:) || true; done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	same "7 caught" "$code $(head -1 out)"
	same "7 15 nsys/run.sqlite" "$(manifest '"\(.exit_code) \(.signal) \(.traces[0].file)"')"
}

# This nsys has left the terminal's group, so that what reaches it comes from nsq-capture.
# bats test_tags=slow
@test "an interrupt at the terminal, which nsys gets from there, is not passed on; one from elsewhere is" {
	cat > press.py <<-'EOF'
		import os, pty, signal, sys
		pid, fd = pty.fork()
		if not pid:
		    signal.signal(signal.SIGINT, signal.SIG_DFL)    # which a job in the background ignores
		    os.execvp(sys.argv[2], sys.argv[2:])
		out = b""
		while b"ready" not in out:
		    out += os.read(fd, 4096)
		if sys.argv[1] == "press":
		    os.write(fd, b"\x03")
		else:
		    os.kill(pid, signal.SIGINT)
		open("pressed", "w").close()
		try:
		    while part := os.read(fd, 4096):
		        out += part
		except OSError:
		    pass
		os.waitpid(pid, 0)
		print(chr(out[out.index(b" times") - 1]), "times")
	EOF
	cat > count <<-'EOF'
		trap 'n=$((n + 1))' INT
		echo ready
		until [ -e pressed ]; do read -t 0.02 <> <(:); done
		for ((i = 0; !n && i < $1; i++)); do read -t 0.1 <> <(:); done
		echo "${n:-0} times"
	EOF
	printf '#!/bin/sh\nexec setsid "%s" "$@"\n' "$NSQ_NSYS" > own
	chmod +x own
	same "0 times" "$(python3 press.py press nsq-capture --nsys ./own -o cap bash count 2)"
	rm pressed
	same "1 times" "$(python3 press.py send nsq-capture --nsys ./own -o sent bash count 600)"
	same "2 2" "$(manifest .signal) $(manifest .signal sent)"
}

# bats test_tags=slow
@test "with the real nsys, where it is installed" {
	unset NSQ_NSYS
	command -v nsys > /dev/null || skip "no nsys"
	captures 3 -o cap --with osrt -- sh -c 'echo hi; sleep 1; exit 3'
	holds "$output" hi
	same "3 nsys/run.sqlite" "$(manifest '"\(.exit_code) \(.traces[0].file)"')"
	same "$(nsys --version | grep -oE '[0-9]+[.][0-9.]+')" "$(manifest .versions.nsys)"
	[ "$(nsq-threads --os cap/nsys/run.sqlite | wc -l)" -gt 1 ]
	captures 1 -o none --range 'no such range' -- true
	holds "$stderr" "the range 'no such range' did not open"
	captures 143 -o short --duration 1 -- sleep 60
	[ -s short/nsys/run.sqlite ]
}

@test "what was caught is looked at, and a line says what to change" {
	sqlite3 empty.sqlite 'CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);'
	GIVES=$PWD/empty.sqlite captures 0 -o a --range step -- true
	holds "$stderr" "no work of a GPU was captured: the range 'step' did not open, or in another domain (NAME@* takes any)"
	sqlite3 empty.sqlite 'CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER); INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, "step", 1)'
	GIVES=$PWD/empty.sqlite captures 0 -o b --range step -- true
	holds "$stderr" "no work of a GPU was captured: the GPU had nothing to do while 'step' was open"
	sqlite3 empty.sqlite 'CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT); INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 3, "Installed CUDA driver version is not supported by this build.")'
	GIVES=$PWD/empty.sqlite captures 0 -o diagnosed -- true
	holds "$stderr" "no work of a GPU was captured: this profiler and the driver do not fit: install the profiler of the driver's CUDA release"
	GIVES=$DDP captures 0 -o c -- true
	holds "$stderr" "nsys lost events: process 1085: thread 1117 has 104 NCCL ranges but no CUDA call" "capture less (--range"
	NSYS_DOES=huge captures 0 -o d -- true
	holds "$stderr" "'d/nsys/run.sqlite' has 3.0 GiB" "capture less (--range"
	captures 0 -o e -- true
	same "" "$stderr"
}

@test "--steps keeps these steps of the trace with those beside them, and the whole report" {
	GIVES=$DDP captures 0 -q -o cap --steps 3..4 -- true
	same "$(nsq-window -q --pick 2..5 "$DDP" | cut -f3,4 | rows)" "$(nsq-window -q --pick all cap/nsys/run.sqlite | cut -f3,4 | rows)"
	same "manifest.json run.sqlite whole.nsys-rep 3..4" "$(find cap -type f -printf '%f\n' | sort | xargs) $(manifest .steps)"
}

@test "--baseline: the command runs by itself first, and its seconds are kept; if it fails, nothing is captured" {
	NSQ_EXPORT_TO=$PWD/elsewhere captures 0 -q -o cap --baseline -- sh -c 'echo ran >> times'
	[ -s cap/nsys/run.sqlite ]
	same 2 "$(wc -l < times)"
	[ "$(manifest '.baseline_s > 0')" = true ]
	captures 5 -o no --baseline -- sh -c 'exit 5'
	same "nsq-capture: without a profiler 'sh' ended with exit code 5, so nothing was captured" "$stderr"
	[ ! -e no ]
}

@test "a sweep runs each combination into a folder of its own; what fails is told at the end" {
	captures 4 -o cap --sweep b=1,2 --sweep 'm=a/b,a b' -- sh -c 'echo {b}-{m}-{b} >> ran; [ "{b} {m}" != "1 a b" ] || exit 4'
	same "1-a/b-1 1-a b-1 2-a/b-2 2-a b-2" "$(paste -sd ' ' ran)"
	same "b=1,m=a_b b=1,m=a_b~2 b=2,m=a_b b=2,m=a_b~2" "$(ls cap | xargs)"
	same '{"b":"2","m":"a b"}' "$(jq -c .parameters "cap/b=2,m=a_b~2/manifest.json")"
	holds "$stderr" "capturing 'cap/b=2,m=a_b', 3 of 4" "1 of 4 failed, with their exit codes: 'cap/b=1,m=a_b~2' (4)"
	captures 0 -o cap --sweep c=1,2,3 --keep-last 2 -- true {c}
	holds "$stderr" "removed 'cap/b=1,m=a_b': --keep-last 2" "to compare two of them: nsq-diff cap/c=2/nsys/run.sqlite cap/c=3/nsys/run.sqlite"
	same "c=2 c=3" "$(ls cap | xargs)"
	captures 0 -o timed --sweep d=1,2 --duration 1 -- sh -c 'kill -TERM $$' {d}
	captures 1 -o cap --sweep d=1,2 --max-size 1k -- true {d}
	lacks "$stderr" nsq-diff
	holds "$stderr" "more than --max-size: 1 was not captured; remove some, or add --keep-last N"
	same "c=2 c=3 d=1" "$(ls cap | xargs)"
}

@test "a value of a sweep is not filled in itself" {
	captures 0 --dry-run --nsys none -o cap --sweep 'a={b},{' --sweep b=1 -- ./train '{{a}{b}{c}' '{a'
	same "./train '{{b}1{c}' '{a' ./train '{{1{c}' '{a'" "$(sed -n 's/.*nsys.run //p' <<< "$output" | grep train | xargs -d '\n')"
}

# This nsys is asked to end while it exports, together with nsq-capture.
@test "a sweep that is asked to end during an export ends" {
	cat > own <<-'EOF'
		#!/bin/sh
		[ "$1" != export ] || { kill -TERM $PPID; exec sleep 20; }
		exec "$NSQ_NSYS" "$@"
	EOF
	chmod +x own
	captures 1 --nsys ./own -o cap --sweep b=1,2 -- true {b}
	holds "$stderr" "'cap/b=1/nsys/run.nsys-rep' was not exported: signal 15"
	same "b=1 15" "$(ls cap | xargs) $(manifest .signal cap/b=1)"
}

@test "each rank has its folder; ranks that are not asked for run the command as it is" {
	SLURM_PROCID=3 SLURM_NTASKS=4 captures 0 -q -o cap -- true
	SLURM_PROCID=0 RANK=8 WORLD_SIZE=16 captures 0 -q -o cap --ranks 0,8..11 -- true
	RANK=2 captures 6 -o cap --ranks 0,8..11 --baseline -- sh -c 'echo $0 >> ran; exit 6'
	RANK=0 WORLD_SIZE=1 captures 0 -q -o alone -- true
	RANK=2 captures 1 -o cap --ranks 0 -- ./no-such
	holds "$stderr" "cannot run './no-such': No such file"
	RANK=1 WORLD_SIZE=4 captures 0 --dry-run -o cap --ranks 0,2 --ncu 3 --sweep b=1,2 -- python 'a b' {b}
	same "$(for b in 1 1 2 2; do echo "python 'a b' $b"; done)" "$output"
	RANK=2 WORLD_SIZE=4 captures 0 --dry-run -o cap --ranks 0,2 --ncu 3 -- python train.py
	holds "$output" "nsys profile"
	same "nsq-capture: ncu leaves out kernels that communicate; the others' replays may outlast the ranks' timeout" "$stderr"
	captures 0 --dry-run -o cap --ncu 3 -- python train.py
	same "" "$stderr"
	same "rank-3 rank-8 sh sh" "$(ls cap | xargs) $(xargs < ran)"
	same "3 8 null" "$(manifest .rank cap/rank-3) $(manifest .rank cap/rank-8) $(manifest .rank alone)"
}
