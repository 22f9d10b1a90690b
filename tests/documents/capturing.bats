# The guide to capturing: each command in it runs, with stand-ins for what is not here, and each option is one.
load ../helper

PAGE=$TESTS/../share/references/capture.md
STAND_INS=$TESTS/tools/stand-ins

# commands: those of the page's sh blocks, and those that README.md names, a line each.
commands() {
	awk '/^```/ { on = /^```sh$/ && !on; next } on' "$PAGE"
	grep -o '`nsq-capture -o [^`]*`' "$TESTS/../README.md" | tr -d '`'
}

# Programs that start others: they run what begins with one that is known, or nothing.
setup() {
	export RUNS=$BATS_TEST_TMPDIR/runs GIVES=$COMPILE MEASURED=$FIXTURES/train-ncu.csv LC_ALL=C
	unset NSYS_IS NSYS_DOES NSYS_ENDS NCU_DOES NSQ_NSYS NSQ_NCU
	mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/work"
	cat > "$BATS_TEST_TMPDIR/bin/start" <<-'END'
		#!/bin/bash
		case ${0##*/} in
		srun) export SLURM_PROCID=0 SLURM_NTASKS=8 ;;
		torchrun) export RANK=0 WORLD_SIZE=8 ;;
		mpirun) export OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=8 ;;
		esac
		while [ $# -gt 0 ]; do
			case $1 in nsq-capture | nsys) exec "$@" ;; esac
			shift
		done
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/start"
	for name in python python3 vllm torchrun srun mpirun docker; do ln -s start "$BATS_TEST_TMPDIR/bin/$name"; done
	ln -s "$BATS_TEST_TMPDIR/bin/start" "$BATS_TEST_TMPDIR/work/solver"
	export PATH=$BATS_TEST_TMPDIR/bin:$STAND_INS:$PATH
	cd "$BATS_TEST_TMPDIR/work"
}

# try COMMAND...: each of these runs and, if it captures, leaves a trace or a report.
try() {
	local c GIVES=$GIVES
	for c; do
		rm -rf cap sweep run* .nsys-rep
		# one with as many steps as are asked for
		[[ $c != *--steps* ]] || export GIVES=$FIXTURES/decode-eager-long.sqlite
		bash -c "$c" > said 2>&1 || { echo "failed: $c"; cat said; return 1; }
		[[ $c != *nsq-capture* ]] || find cap sweep -name run.sqlite 2> /dev/null | grep -q . || { echo "no trace: $c"; cat said; return 1; }
	done
}

# bats test_tags=more
@test "the commands of the guide and of README.md that capture run, with options that nsys and ncu have" {
	mapfile -t all < <(commands)
	[ "${#all[@]}" -gt 20 ]
	mapfile -t few < <(printf '%s\n' "${all[@]}" | each_nth 5)
	try "${few[@]}" "${all[@]: -1}"
}

@test "a command of the guide with an option that there is not is found" {
	run try "nsys profile --trace=cuda --no-such-option=1 --output=run python x.py"
	same 1 "$status"
	holds "$output" "failed: nsys profile" "unrecognised option '--no-such-option=1'"
	run try "ncu --no-such-option 1 python x.py"
	same 1 "$status"
	run try "nsq-capture -o cap --no-such-option -- python x.py"
	same 1 "$status"
}

@test "an option that the guide names is one of nsq's, nsys's, ncu's or Docker's" {
	for t in "$NSQ_BIN"/nsq-*; do manual "$t"; done | cat - "$STAND_INS"/{nsys-2025,nsys-2025-export,ncu}.help | grep -oE -- '--[a-z][a-z-]*' | sort -u > known
	awk '/^```/ { on = !on; next } !on' "$PAGE" | grep -oE -- '`[^`]*`' | grep -oE -- '--[a-z][a-z-]*' | grep -vxF -e --cap-add -e --profile |
		sort -u | comm -23 - known > unknown
	same "" "$(cat unknown)"
}
