# nsq-map: one pipeline on many traces, one table.  Pipelines here are mostly small commands of the shell, and traces names
# alone.  tests/slurm has a real Slurm; here its programs are scripts.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export XDG_CACHE_HOME=$PWD/cache
}

# until COMMAND...: wait for it to succeed, at most 20 s.
until_it() { for ((i = 0; i < 400; i++)); do ! "$@" 2> /dev/null || return 0; sleep 0.05; done; false; }

three_done() { [ "$(find cache -name '*.done' | wc -l)" -eq 3 ]; }

# left: the files in the cache.
left() { find cache -type f 2> /dev/null; }

# bats test_tags=long
@test "the tables of all traces, under one header and in their order, on all cores" {
	traces=("$DUALPIPE" "$FIXTURES/train.sqlite" "$DDP")
	for t in "${traces[@]}"; do nsq-window -q "$t" | nsq-overlap --total -q; done | awk '!/^pid/ || NR == 1' > apart
	# the first trace comes last
	wait='case {} in *dualpipe*) while [ ! -e go ]; do sleep 0.02; done ;; *ddp*) touch go ;; esac'
	nsq map -q -j 3 "$wait; nsq-window -q {} | nsq-overlap -q --total" "${traces[@]}" > together
	cmp apart together
	[ "$(wc -l < together)" -eq 8 ]
	printf '%s\0' "${traces[@]}" | nsq-map -0 -q -f jsonl 'nsq window -q {} | nsq overlap -q --total' 2> said | jq -r .comm_ns | cmp - <(col comm_ns < apart)
	same "" "$(grep -v ": warning: " said)"
	nsq-map -j 2 'nsq-window -q {} | nsq-overlap -q --total' "${traces[@]}" | nsq-sql -q 'select count(*) n, count(distinct trace) traces from t' | tail -1 > n
	same "7${TAB}3" "$(cat n)"
	[ "$(nproc)" -lt 2 ] || same "$(nproc)" "$(nsq-map -q -j 2 'echo n; nproc; : {}' a b | awk 'NR > 1 { n += $1 } END { print n }')"
	same "" "$(left)"
}

# bats test_tags=long
@test "no character of a path is read as a command, within quotes or outside" {
	nl=$'two\nlines'
	paths=('a b; touch pwned' "it's" 'say "x"' '$(touch pwned)`touch pwned`' ./-n '*' 'a\b $1' "$nl" '# {}')
	# a form of {} in a command, and the words that it is then, with @ for the path
	while IFS=$TAB read -ra form; do
		echo "${form[0]}"
		rm -f got
		nsq-map -q -j 1 ">> got printf '%s\\0' ${form[0]}" -- "${paths[@]/#.\/-/-}"
		words=("${form[@]:1}")
		for path in "${paths[@]}"; do printf '%s\0' "${words[@]//@/"$path"}"; done | cmp - got
	done <<-'END'
		{}	@
		"<{}>"	<@>
		'<{}>'	<@>
		"$(printf %s {})"	@
		"it's {}"	it's @
		'say "{}"'	say "@"
		"$(printf '%s)' "{}"){"	@){
		$(printf x){} # it's	x@
		"$(case x in x) printf %s {} ;; esac)"	@
		"$(case x in (x) printf %s '{}' ;; esac)"	@
		$'it\'s' {} "<{}>"	it's	@	<@>
		$'it\'s {}'	it's @
		${none-"{}"} "${none-"$(printf %s "{}")"}"	@	@
		"$(cat <<< {})" "$(cat <(printf %s {}))"	@	@
		'it'\''s' {} "'{}'" '"{}"'	it's	@	'@'	"@"
	END
	[ ! -e pwned ]
	same '{}' "$(nsq-map -q 'printf "p\n%s\n" \{}; : {}' x | tail -1 | cut -f1)"
	fails 2 "has no '{}'" -- nsq-map 'nsq-setup' x
	for other in 'echo `echo {}`' $'cat << E\n{}\nE' $'cat << "E"\n{}\nE' 'echo # {}'; do
		fails 2 "'{}' stands in a comment, backquotes or a here-document; write \$1 there" -- nsq-map "$other" x
	done
	for end in '|' '&&' '"' '$('; do fails 2 "bash cannot read the pipeline: line " -- nsq-map "echo {} $end" x; done
	same 2 "$(nsq-map -q 'printf "%s\n" n {} \' x | wc -l)"
	same 2 "$(nsq-map -q 'printf "n\n1\n"; : {} & # |' x | wc -l)"
	fails 2 "usage: nsq-map" -- nsq-map
	fails 2 "'standard input' is empty" -- nsq-map 'echo {}' < /dev/null
	fails 2 "has NULs in it; add -0" -- nsq-map 'echo {}' < <(printf 'a\0b\0')
	fails 1 "cannot write to '$DDP' (--keep DIR names another folder): Not a directory" -- nsq-map --keep "$DDP" 'echo {}' a
	fails 1 "cannot read the list of traces 'none'" -- nsq-map --from none 'echo {}'
}

# A pipeline that does what the name of its trace says; and prints a row, and a message.
CASES='case {} in other) printf "n\tm\n1\t2\n" ;; torn) printf "n\tm\n1\n" ;; none) ;; *) printf "n\n%s\n" {} ;; esac
	echo "{} says" >&2
	case {} in code-*) exit ${1#code-} ;; signal-*) kill -${1#signal-} $$ ;; first) (exit 3) | cat ;; head) yes | head -1 > /dev/null ;; esac'

@test "what failed is listed at the end, the exit code is the largest, and --resume runs only that" {
	run --separate-stderr nsq-map -v -j 2 "$CASES" a code-4 head signal-9 first b a
	same 137 "$status"
	same "n a code-4 head first b" "$(cut -f1 <<< "$output" | xargs)"
	same "nsq-map: 1 of the traces is named before; each is run once
nsq-map: 'a': a says
nsq-map: 'code-4': code-4 says
nsq-map: 'head': head says
nsq-map: 'signal-9': signal-9 says
nsq-map: 'first': first says
nsq-map: 'b': b says
nsq-map: 'code-4' ended with exit code 4: code-4 says
nsq-map: 'signal-9' was ended by signal 9 (Killed): signal-9 says
nsq-map: 'first' ended with exit code 3: first says
nsq-map: 3 of 6 traces failed; the same command with --resume runs only these again" "$stderr"
	echo changed > b
	run --separate-stderr nsq-map --resume "$CASES; echo {} >> again" a code-4 b
	holds "$stderr" "0 of 3 traces are done already"                        # another pipeline
	run --separate-stderr nsq-map --resume "$CASES" a code-4 head first b
	same "4 n a code-4 head first b" "$status $(cut -f1 <<< "$output" | xargs)"
	holds "$stderr" "2 of 5 traces are done already"                        # b changed
	run --separate-stderr nsq-map -q --resume "$CASES" a head b
	same "0 " "$status $stderr"
	same "" "$(find cache -path '*/map/*' -newer b -name '*.done' -exec grep -l 'a says' {} +)"
	run --separate-stderr nsq-map "$CASES" code-255         # as a program that ends with -1
	same "255 n code-255" "$status $(cut -f1 <<< "$output" | xargs)"
	holds "$stderr" "'code-255' ended with exit code 255"
}

# bats test_tags=long
@test "a table with other columns is left out and kept, none at all is said, and one without trace gets it" {
	run --separate-stderr nsq-map -j 1 --keep kept "$CASES" a other none torn b
	same "1 n trace a a b b" "$status $(xargs <<< "$output")"
	holds "$stderr" "'other' printed a table that cannot be added: column 'm' is none of those of 'a'" \
		"'torn' printed a table that cannot be added: " "has 1 fields, but the header has 2" "printed nothing for 1 of the traces: 'none'"
	same "n${TAB}m${TAB}1${TAB}2" "$(paste -sd "$TAB" "$(sed -n "s/.*'other'.*they are in '\(.*\)'$/\1/p" <<< "$stderr")")"
	# what is no table; tables that only their rows tell, and those without rows
	run --separate-stderr nsq-map -j 1 --keep kept3 'case {} in text) echo hello "{} x" ;; prose) printf "%s\n" "two words, and" "a line" ;;
		lone) echo {}.sqlite ;; none*) ;; sql) printf "max(a / b)\nx\n" ;; esac' text prose lone none1 sql none2
	same "1 max(a / b) trace x sql" "$status $(xargs <<< "$output")"
	same "nsq-map: 'text' printed no table, which has a header of column names: it begins with 'hello text x'
nsq-map: 'prose' printed a table that cannot be added: $(sed -n "s/.*'prose'.*added: //p" <<< "$stderr")
nsq-map: 'lone' printed no table, which has a header of column names: it begins with 'lone.sqlite'
nsq-map: the pipeline printed nothing for 2 of the traces; the first is 'none1'
nsq-map: 3 of 6 traces failed; the same command with --resume runs only these again" "$stderr"
	for rows in 'a/2\n1' 'Kernel Name,Metric Value\nx,2' 'a b\tc/d\nx\ty' '{"a b":1}'; do
		same 2 "$(nsq-map -q "printf '$rows\n'; : {}" x | wc -l)"
	done
	same "nsq-map: the pipeline printed a table without rows for 2 of the traces; the first is 'x'" "$(nsq-map 'printf "n\tm\n"; : {}' x y 2>&1 > /dev/null)"
	same "nsq-map: the pipeline printed nothing for 1 of the traces: 'x'" "$(nsq-map 'true {}' x 2>&1)"
	# a result that cannot be kept, because there is a folder of its name
	run --separate-stderr nsq-map --keep kept2 ': {}; for t in kept2/*.table.*; do mkdir "${t%.*}"; done' a
	same "1 nsq-map: cannot keep the result of 'a' in '$PWD/kept2': Is a directory nsq-map: 'a' has no result" "$status $(paste -sd ' ' <<< "$stderr")"
	same "" "$(find kept2 -type f)"
	same "b${TAB}./b" "$(nsq-map -q 'printf "n\ttrace\nb\t./{}\n"' b | tail -1)"
	same "" "$(left)"
}

@test "what a run left in the cache is removed after 30 days, and nothing else" {
	one='printf "n\n1\n"; [ {} != bad ]'
	run nsq-map "$one" good bad
	old=$(dirname "$(left | head -1)")
	[ "${old%/*}" = cache/nsq/map ]
	other=${old%/*}
	for name in young used named; do cp -r "$old" "$other/$(sha256sum <<< $name | cut -c1-20)"; done
	mv "$other/$(sha256sum <<< named | cut -c1-20)" "$other/named"
	used=$other/$(sha256sum <<< used | cut -c1-20)
	ls -d "$other"/* | grep -vxF "$old" > stays
	touch -d '29 days ago' "$other"/*
	touch -d '31 days ago' "$old" "$used" "$other/named"
	flock "$used" "$NSQ_BIN/nsq-map" 'printf "n\n1\n"; : {}' x
	ls -d "$other"/* | diff stays -
	same 18 "$(left | wc -l)"
	# its own results may be as old as they like
	touch -d '31 days ago' "$used"
	run nsq-map "$one" good bad
	[ ! -e "$used" ]
	touch -d '31 days ago' "$old"
	holds "$(nsq-map --resume "$one" good bad 2>&1)" "1 of 2 traces are done already"
}

# PID: the nsq-map that a test has in the background, in a group of its own as at a terminal; none outlives its test.
in_background() { set -m; "$@" > out 2> said 3>&- & PID=$!; set +m; }
teardown() { [ -z "${PID-}" ] || kill -KILL "$PID" $(cat pids 2> /dev/null) 2> /dev/null || true; }

@test "asked to end, it ends all that runs and leaves what is done; --resume goes on" {
	one='printf "n\n%s\n" {}; case {} in b) [ -e go ] || { echo $$ > pids; (trap "" TERM; sleep 60 & echo $! >> pids; wait) & sleep 60; } ;; esac; touch {}'
	in_background nsq-map -j 2 "$one" a b c d
	until_it grep -q . pids
	until_it three_done
	until_it grep -q a out
	fails 1 "is being run from this folder already" -- nsq-map -j 2 "$one" a b c d
	kill -TERM "$PID"                       # as Ctrl-C, which is ignored where the tests run in the background
	wait "$PID" || status=$?
	same 143 "$status"
	same "n trace a a" "$(xargs < out)"
	holds "$(cat said)" "ended by a signal when 3 of 4 traces were done; the same command with --resume goes on"
	until_it bash -c '! ps -o stat= -p $(paste -sd, pids) | grep -qv Z'
	rm c
	touch go
	same "n trace a a b b c c d d" "$(nsq-map --resume "$one" a b c d | xargs)"
	[ ! -e c ]
	same "" "$(left)"
	same "" "$(nsq-map -j 2 'printf "n\n%s\n" {}; [ {} != b ] || sleep 60' a b 2>&1 | head -0)"
	same "n" "$(nsq-map -j 2 'printf "n\n%s\n" {}' a b 2>&1 | head -1 | cut -f1)"
	same "" "$(left)"
}

# ---- Slurm, whose programs are scripts here: sbatch runs the tasks one after the other, a file job says that they are over

stand_ins() {
	mkdir bin
	printf '#!/bin/sh\n%s\n' 'printf "%s\n" "$@" > words.$(ls words.* 2> /dev/null | wc -l)
		for a; do case $a in --array=*) last=${a##*-}; last=${last%%%*} ;; --output=*) log=${a#*=} ;; */task.sh) script=$a ;; esac; round=$a; done
		echo "sbatch: warning: a word"; echo 17
		[ ! -e hold ] || exit 0
		for i in $(seq 0 "$last"); do
			[ -e lose.$i ] && rm lose.$i || SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_ON_NODE=2 sh "$script" "$round" > "${log%%%a*}$i${log##*%a}" 2>&1
		done
		exit 0' > bin/sbatch
	printf '#!/bin/sh\n%s\n' 'while case $1 in --*) ;; *) false ;; esac; do shift; done; exec "$@"' > bin/srun
	printf '#!/bin/sh\n%s\n' '[ ! -e hold ] || echo 17' > bin/squeue
	printf '#!/bin/sh\n%s\n' 'echo "$@" > cancelled' > bin/scancel
	printf '#!/bin/sh\n%s\n' 'echo "MaxArraySize            = 4"' > bin/scontrol
	chmod +x bin/*
	PATH=$PWD/bin:$PATH
}

# bats test_tags=slow
@test "--slurm: a job array of small traces together, with the options of sbatch; it is cancelled with nsq-map" {
	stand_ins
	for i in a b 'c d' e f g h i j; do head -c 100 /dev/zero > "$i"; done
	one='printf "n\n%s\n" {}; echo "it'"'"'s {}" >&2; exit $(( $(ls {} | grep -c e) * 3 ))'
	run --separate-stderr nsq-map -v --slurm --sbatch --partition=short --sbatch --mem=1G --chunk 200 "$one" a b 'c d' e f
	same 3 "$status"
	cut -f1 <<< "$output" | cmp - <(printf '%s\n' n a b 'c d' e f)
	holds "$stderr" "job 17 of Slurm: 5 traces in 3 tasks" "'c d': it's c d" "'e' ended with exit code 3: it's e"
	holds "$(cat words.0)" --parsable --no-requeue --ntasks=1 --partition=short --mem=1G --array=0-2
	run nsq-map -q --slurm --chunk 1 --keep 5%a "$one" a b 'c d' e f g h i j  # of which an array has at most four, so five of 100 bytes are together
	holds "$(cat words.1)" --array=0-1 "--output=$PWD/5%%a/task.0.%a.log"
	touch hold
	in_background nsq-map --slurm "$one" a
	until_it test -e words.2
	until_it grep -q "job 17" said
	kill -TERM "$PID"
	wait "$PID" || status=$?
	same "143 17" "$status $(cat cancelled)"
	holds "$(cat said)" "job 17 of Slurm is cancelled" "ended by a signal when 0 of 1 traces were done"
	fails 2 "'--sbatch' has no effect without '--slurm'" -- nsq-map --sbatch --mem=1G "$one" a
}

# bats test_tags=slow
@test "--slurm: what has no result when the job is over is submitted once more, then listed" {
	stand_ins
	touch lose.1
	run --separate-stderr nsq-map --slurm --chunk 1 'printf "n\n%s\n" {}' a b c
	same "0 n trace a a b b c c" "$status $(xargs <<< "$output")"
	holds "$stderr" "1 traces have no result though job 17 is over; they are submitted once more"
	holds "$(cat words.1)" --array=0-0
	printf '#!/bin/sh\n%s\n' 'echo "srun: error: no such node" >&2; exit 1' > bin/srun
	run --separate-stderr nsq-map --slurm --keep kept 'printf "n\n%s\n" {}' a
	same 1 "$status"
	holds "$stderr" "'a' has no result: srun: error: no such node"
	printf '#!/bin/sh\n%s\n' 'echo "sbatch: error: invalid partition specified: nowhere"; exit 1' > bin/sbatch
	run --separate-stderr nsq-map --slurm --keep kept 'printf "n\n%s\n" {}' a
	same 1 "$status"
	holds "$stderr" "sbatch did not take the job: sbatch: error: invalid partition specified: nowhere"
}

# bats test_tags=long
@test "fifty traces say no more than fits a screen: of notes that are alike one, of failures ten" {
	local t=()
	for i in {1..50}; do t+=("t$i"); done
	run --separate-stderr nsq-map 'echo n; echo 1; echo "nsq-x: step $((RANDOM % 90)) of {} is long" >&2; echo "nsq-x: warning: $((RANDOM % 90)) events are lost" >&2; : {}' "${t[@]}"
	same 0 "$status"
	[ "${#stderr_lines[@]}" -le 4 ]
	holds "$stderr" "nsq-map: warning: 't1': nsq-x: " "warning: 47 more like these"
	run --separate-stderr nsq-map -v 'echo n; echo 1; echo "nsq-x: {}" >&2' "${t[@]}"
	same 50 "${#stderr_lines[@]}"
	run --separate-stderr nsq-map 'echo "no {}" >&2; exit 3' "${t[@]}"
	same 3 "$status"
	[ "${#stderr_lines[@]}" -le 13 ]
	holds "$(cat <<< "$stderr")" "nsq-map: 40 more failed, too; --keep DIR keeps what each of them said
nsq-map: 50 of 50 traces failed; the same command with --resume runs only these again"
}

@test "when the reader of the table has left and SIGPIPE is ignored, the reason is said and all is freed once" {
	run --separate-stderr bash -c 'trap "" PIPE; nsq-map -q -j 1 "echo n; seq 100000; : {}" a b c | true; exit ${PIPESTATUS[0]}'
	same 1 "$status"
	same "nsq-map: cannot write the table: Broken pipe" "$stderr"
}
