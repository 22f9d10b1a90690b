# The recipe gpu-breakdown: its numbers by tests/oracle/breakdown.py, which shares nothing with nsq, and its files.
load ../helper

setup() {
	recipe=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/recipes/gpu-breakdown
	train=$FIXTURES/train.sqlite
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	echo '{"vllm": {"llama": {"nvjet|gemm": "gemm", "multi_tensor": "optimizer", "CUDA mem": "copies"},
		"gpt-oss": {"triton": "triton", "elementwise": "elementwise"}}, "sglang": {"llama": {".": "all"}}}' > names.json
}

breakdown() { oracle breakdown "$@"; }
needs_plot() { command -v nsq-plot > /dev/null || skip "no nsq-plot"; }

# kinds RUN: category and elapsed time of a run in the table of the last command.
kinds() { where run "$1" <<<"$output" | col category elapsed_ns | sort; }

# bats test_tags=long
@test "the seconds of a run by category and not on the GPU are those of the plain computation" {
	asked "$recipe" "$train,vllm,llama,0.060444" --rules names.json
	same "0 " "$status $stderr"
	same "$(breakdown "$train" 0.060444 names.json vllm llama)" "$(kinds "vllm llama")"
	same 60444000 "$(sum elapsed_ns <<<"$output")"
	# the time of the trace
	asked "$recipe" "$train,vllm,gpt-oss,0" --rules names.json
	same "$(breakdown "$train" 0 names.json vllm gpt-oss)" "$(kinds "vllm gpt-oss")"
	# four processes on a GPU each count the time
	asked "$recipe" "$DUALPIPE,sglang,llama,2" --rules names.json
	same "$(breakdown "$DUALPIPE" 2 names.json sglang llama)" "$(kinds "sglang llama")"
	same 8000000000 "$(sum elapsed_ns <<<"$output")"
}

@test "several runs, and several files of rules: each run by those that have its engine and model" {
	echo '{"trt": {"llama": {"nvjet": "planted"}}}' > more.json
	asked "$recipe" "$train,vllm,llama,0.060444" "$COMPILE,trt,llama,0" "$COMPILE,vllm,gpt-oss,1" --rules names.json --rules=more.json
	same "0 " "$status $stderr"
	same "$(breakdown "$train" 0.060444 names.json vllm llama)" "$(kinds "vllm llama")"
	same "$(breakdown "$COMPILE" 0 more.json trt llama)" "$(kinds "trt llama")"
	same "$(breakdown "$COMPILE" 1 names.json vllm gpt-oss)" "$(kinds "vllm gpt-oss")"
	holds "$(kinds "trt llama")" planted
	# in the order given, longest first
	same "vllm llama,trt llama,vllm gpt-oss" "$(col run <<<"$output" | uniq | paste -sd ,)"
	same "$(kinds "trt llama" | cut -f2 | sort -nr)" "$(where run "trt llama" <<<"$output" | col elapsed_ns)"
}

@test "an engine or model that no file has is exit 2, with one line and no table" {
	for spec in vllm,qwen tgi,llama; do
		asked "$recipe" "$train,$spec,1" --rules names.json -o out
		same "2 " "$status $output"
		same 1 "${#stderr_lines[@]}"
		holds "$stderr" "names.json"
		[ ! -e out ]
	done
	asked "$recipe" "$train,vllm,llama,1" "$COMPILE,vllm,qwen,1" --rules names.json -o out
	same "2 " "$status $output"
	[ ! -e out ]
}

@test "a file of rules that cannot be read is an error, wherever it stands; one for other runs is passed over" {
	echo '{"trt": {"llama": {"nvjet": "planted"}}}' > more.json
	head -c 40 names.json > cut.json
	echo '{"vllm": {"llama": {"(": "x"}}}' > regex.json
	for bad in "missing.json:cannot open the rules 'missing.json:vllm:llama'" "cut.json:'cut.json' is not valid JSON" \
		"regex.json:'(' is not a regular expression"; do
		for order in "${bad%%:*} names.json" "names.json ${bad%%:*}"; do
			asked "$recipe" "$train,vllm,llama,1" --rules ${order% *} --rules ${order#* } -o out
			same "2 " "$status $output"
			same 1 "${#stderr_lines[@]}"
			holds "$stderr" "${bad#*:}"
			[ ! -e out ]
		done
	done
	# a file for traces alone, and one for engines
	printf 'nvjet\tmine\n' > rules.tsv
	asked "$recipe" "$train,vllm,llama,1" "$train" --rules rules.tsv --rules more.json --rules names.json
	same "0 " "$status $stderr"
	same "$(breakdown "$train" 1 names.json vllm llama)" "$(kinds "vllm llama")"
	holds "$(kinds train.sqlite)" mine
	asked "$recipe" "$train,vllm,llama,1" --rules rules.tsv
	same "2 " "$status $output"
	holds "$stderr" "'rules.tsv' is not JSON"
}

@test "a run without seconds is told the form; seconds may have an exponent" {
	for run in "$train,vllm,llama" "$train,vllm" "$train,vllm,llama," "$train,vllm,llama,long"; do
		asked "$recipe" "$run" -o out
		same "2 " "$status $output"
		same "gpu-breakdown: '$run' is neither a trace nor TRACE,ENGINE,MODEL,SECONDS (of the run without a profiler; 0: the time of the trace)" "$stderr"
	done
	for seconds in 1e-3 1.5E+2 60.444ms 2e0; do
		ns=$(python3 -c 'import sys; print(round(float(sys.argv[1].replace("ms", "e-3")) * 1e9))' $seconds)
		asked "$recipe" -q "$train,vllm,llama,$seconds" --rules names.json
		same "0 $ns" "$status $(sum elapsed_ns <<<"$output")"
	done
	for option in -o --output --title --rules; do
		asked "$recipe" "$train" $option
		same "2 " "$status $output"
		holds "$stderr" "gpu-breakdown: '$option' needs an argument: "
	done
}

@test "without rules kernels are shown by owner, and stderr says so" {
	asked "$recipe" "$train,vllm,llama,0.060444"
	same 0 "$status"
	holds "$stderr" "gpu-breakdown: the owners of nsq-ledger tell the kinds of kernels apart"
	same "$(nsq-kernels -q --work all --by owner "$train" | col owner elapsed_ns | sort)" "$(kinds "vllm llama" | grep -v ^non-gpu)"
	same 60444000 "$(sum elapsed_ns <<<"$output")"
	asked "$recipe" "$train,vllm,llama,0.060444" --rules llm
	asked "$recipe" -q "$train,vllm,llama,0.060444"
	same "0 " "$status $stderr"
	# a trace alone: its own time, and any rules
	printf 'nvjet\tmine\n' > rules.tsv
	asked "$recipe" "$train" --rules rules.tsv
	same "$(nsq-kernels -q --work all --by category --categories rules.tsv --wall 0 "$train" | col category elapsed_ns | sort)" "$(kinds train.sqlite)"
}

# bats test_tags=long
@test "rules beside the trace are found, and what they know is listed" {
	mkdir runs
	ln -s "$train" runs/t.sqlite
	mv names.json runs
	echo '[1' > runs/broken.json
	echo '{"a": 5}' > runs/other.json
	asked "$recipe" runs/t.sqlite,vllm,llama,0.060444
	same "0 gpu-breakdown: the rules 'runs/names.json:vllm:llama' tell the kinds of kernels apart; --rules FILE gives others" "$status $stderr"
	same "$(breakdown "$train" 0.060444 runs/names.json vllm llama)" "$(kinds "vllm llama")"
	for args in "runs/t.sqlite" "runs/t.sqlite,vllm,qwen,3" "--rules runs/names.json"; do
		asked "$recipe" --list $args
		same "0 " "$status $stderr"
		same "engine model rules,vllm llama runs/names.json,vllm gpt-oss runs/names.json,sglang llama runs/names.json" \
			"$(tr '\t\n' ' ,' <<<"$output" | sed 's/,$//')"
	done
	asked "$recipe" runs/t.sqlite,vllm,qwen,1 --rules runs/names.json
	same 2 "$status"
	holds "$stderr" "has no object 'qwen'; known are sglang llama, vllm gpt-oss, vllm llama"
	# one that no file knows, and a trace alone, are shown by owner
	asked "$recipe" runs/t.sqlite,vllm,qwen,1 runs/t.sqlite
	same "0 gpu-breakdown: the owners of nsq-ledger tell the kinds of kernels apart; --rules FILE gives others" "$status $stderr"
	asked "$recipe" --list
	same "0 engine${TAB}model${TAB}rules" "$status $output"
	holds "$stderr" "so the owners of nsq-ledger are shown"
	# rules that are given: the list says of them what the run would
	asked "$recipe" --list --rules llm runs/t.sqlite
	same "0 gpu-breakdown: the rules that are given tell no engines and models apart; they are for all" "$status $stderr"
	for bad in none.json runs/broken.json; do
		asked "$recipe" --list --rules $bad runs/t.sqlite
		same "2 " "$status $output"
		told=$stderr
		asked "$recipe" --rules $bad runs/t.sqlite
		same "$stderr" "$told"
	done
}

@test "seconds that are fewer than those of the GPU's work: stderr names both" {
	asked "$recipe" "$train,vllm,llama,0.01"
	same 0 "$status"
	took=$(nsq-gaps -q --work all "$train" | col busy_ns | awk '{ printf "%.3f", $1 / 1e6 }')
	holds "$stderr" "'$train': process 911 works on GPU 0 for $took ms, longer than --wall, 10.000 ms"
}

@test "paths with commas and spaces, a report, and two runs of one engine and model" {
	mkdir "a, b"
	cp "$COMPILE" "a, b/x,y,z,1.sqlite"
	asked "$recipe" -q "a, b/x,y,z,1.sqlite,vllm,it's,3"
	same "0 " "$status $stderr"
	same 3000000000 "$(where run "vllm it's" <<<"$output" | sum elapsed_ns)"
	asked "$recipe" -q "a, b/x,y,z,1.sqlite"
	same "0 x,y,z,1.sqlite" "$status $(col run <<<"$output" | sort -u)"
	# a stand-in for nsys exports the report
	printf '#!/bin/bash\nwhile [ $# -gt 1 ]; do [ "$1" != --output ] || out=$2; shift; done\ncp "%s" "$out"\n' "$COMPILE" > nsys
	chmod +x nsys
	echo report > run.nsys-rep
	XDG_CACHE_HOME=$PWD NSQ_NSYS=$PWD/nsys asked "$recipe" -q run.nsys-rep,vllm,llama,2 "$COMPILE,vllm,llama,3"
	same "0 " "$status $stderr"
	same 2000000000 "$(where run "vllm llama" <<<"$output" | sum elapsed_ns)"
	same 3000000000 "$(where run "vllm llama (2)" <<<"$output" | sum elapsed_ns)"
}

# bats test_tags=long
@test "-o writes a page and a table of kernels; they are replaced with --force alone, and both or none are there" {
	needs_plot
	asked "$recipe" "$train,vllm,llama,0.060444" "$COMPILE,vllm,gpt-oss,0" --rules names.json --title 'Two <runs>' -o "out put"
	same "0 " "$status $stderr"
	same "result.csv result.html" "$(ls -A "out put" | paste -sd ' ')"
	grep -q 'Two &lt;runs&gt;' "out put/result.html"
	grep -q 19337799 "out put/result.html"
	grep -q '<caption><span>vllm llama, vllm gpt-oss, [0-9]* rows<' "out put/result.html"
	# bars are called by file too; the table adds up, in the unit of the picture
	grep -q '<th class="number">vllm llama · train.sqlite</th><th class="number">vllm gpt-oss · torch-compile.sqlite</th>' "out put/result.html"
	grep -q '>vllm llama · train.sqlite</text>' "out put/result.html"
	same "60.444" "$(grep -o '<tr class="total"><td>total</td><td class="number">[0-9.]*' "out put/result.html" | grep -o '[0-9.]*$')"
	grep -q '<tr><td>non-gpu</td><td class="number">19.338</td>' "out put/result.html"
	kernels() { python3 -c 'import csv, sys
for r in csv.DictReader(open(sys.argv[1])):
    if r["run"] == sys.argv[2]: print(r["category"], r["name"], r["elapsed_ns"], sep="\t")' "out put/result.csv" "$1" | sort; }
	same "$(breakdown "$train" 0.060444 names.json vllm llama kernels)" "$(kernels "vllm llama")"
	same "$(breakdown "$COMPILE" 0 names.json vllm gpt-oss kernels)" "$(kernels "vllm gpt-oss")"
	sum=$(cat "out put"/* | cksum)
	asked "$recipe" "$train" -o "out put"
	same "2 " "$status $output"
	same "gpu-breakdown: 'out put/result.html' exists; --force replaces it" "$stderr"
	asked "$recipe" "$train" -o "out put" --force --no-such
	same "2 " "$status $output"
	same "$sum" "$(cat "out put"/* | cksum)"
	same "result.csv result.html" "$(ls -A "out put" | paste -sd ' ')"
	asked "$recipe" -q "$train" -o "out put" --force
	same "0 " "$status $stderr"
	grep -q train.sqlite "out put/result.csv"
	[ "$(cat "out put"/* | cksum)" != "$sum" ]
}

@test "a picture that cannot be made leaves neither files nor a folder" {
	mkdir bin
	printf '#!/bin/bash\ncat > /dev/null\necho "nsq-plot: no" >&2\nexit 1\n' > bin/nsq-plot
	chmod +x bin/nsq-plot
	PATH=$PWD/bin:$PATH asked "$recipe" "$train" -o new
	same "1 " "$status $output"
	same "nsq-plot: no" "$stderr"
	[ ! -e new ]
	# a folder that was there stays, empty or not
	mkdir old
	PATH=$PWD/bin:$PATH asked "$recipe" "$train" -o old
	same "1 " "$status $output"
	[ -d old ]
	same "" "$(ls -A old)"
}
