# nsq, the front door: it lists and runs the tools and the recipes.

load ../helper
load ../installed

@test "nsq lists every tool with the question that the tool itself asks" {
	nsq > "$BATS_TEST_TMPDIR/list"
	for t in $(tools); do
		question=$("$t" --help | sed -n 3p)
		grep -q "^  ${t#nsq-}  *" "$BATS_TEST_TMPDIR/list"
		grep -qF "$question" "$BATS_TEST_TMPDIR/list" || { echo "nsq lacks: $question"; false; }
	done
	[ "$(wc -l < "$BATS_TEST_TMPDIR/list")" -le 40 ]
	nsq --help | cmp - "$BATS_TEST_TMPDIR/list"
	nsq -h | cmp - "$BATS_TEST_TMPDIR/list"
	nsq help | cmp - "$BATS_TEST_TMPDIR/list"
}

@test "nsq lists the tools in the order in which one asks: whence, who, when, then what" {
	[ "$(nsq | sed -n '/^tools:/,/^$/s/^  \([a-z]*\) .*/\1/p' | head -5 | xargs)" = "capture import setup window streams" ]
}

# bats test_tags=slow
@test "the default answer of every tool on every fixture fits in 40 lines" {
	some=(tests/fixtures/{dualpipe-pp2ep2,train,threads-samples,collectives-rank0}.sqlite)
	if [ -n "${MORE-}" ]; then some=(tests/fixtures/*.sqlite); fi
	for t in $(tools); do
		for f in "${some[@]}"; do
			# 45k ranges of 216 names, each with the shapes of its tensors: -n shows the first, as nsq recipe hot-ranges does.
			case "$t $f" in "nsq-nvtx tests/fixtures/ddp-2rank.sqlite"|"nsq-mfu tests/fixtures/ddp-2rank.sqlite") continue ;; esac
			# The critical paths of four processes, a row for each kind and name: -n 5 is enough of each.
			case "$t $f" in "nsq-path tests/fixtures/dualpipe-"*) continue ;; esac
			[ "$t" != nsq-tui ] || continue           # it draws on a terminal
			[ "$t" != nsq-slice ] || continue         # a row for each table of the trace
			[ "$t" != nsq-report ] || continue        # it prints the table of nsq-advise, and writes a folder
			n=$("$t" -q "$f" | wc -l)
			[ "$n" -le 40 ] || { echo "$t $f: $n lines"; false; }
		done
	done
}

@test "nsq TOOL runs nsq-TOOL, with its options, its output and its exit code" {
	nsq overlap --total -p 693 "$trace" | cmp - <(nsq-overlap --total -p 693 "$trace")
	nsq window "$trace" | nsq overlap -n 1 2>/dev/null | cmp - <(nsq-window "$trace" | nsq-overlap -q -n 1)
	nsq nsq-overlap "$trace" | cmp - <(nsq-overlap "$trace")
	run -2 nsq overlap --no-such-option
	[[ "$output" == "nsq-overlap: "* ]]
	run -1 nsq overlap /nonexistent.sqlite
}

@test "one program is every tool: called by a link, a link to a link, a copy or a hard link of that name" {
	cd "$BATS_TEST_TMPDIR"
	mkdir other links
	printf '#!/bin/sh\necho other\n' > other/nsq-setup
	chmod +x other/nsq-setup
	for t in $(tools); do same nsq "$(readlink "$USR/bin/$t")"; done
	same 1 "$(find "$USR/bin" -type f | wc -l)"
	ln -s "$USR/bin/nsq-setup" links/nsq-setup
	ln -s links/nsq-setup nsq-setup
	cp "$USR/bin/nsq-setup" nsq-gaps
	ln nsq-gaps nsq-window
	cp "$USR/bin/nsq" other/nsq
	for path in ./nsq-setup ./nsq-gaps ./nsq-window "$USR/bin/nsq-plot"; do
		same "$(basename $path) (nsq) $(nsq --version | cut -d ' ' -f2)" "$("$path" --version)"
	done
	# whatever PATH says, nsq is its own tools
	for nsq in "$USR/bin/nsq" other/nsq; do
		run -0 env PATH="$PWD/other:/usr/bin:/bin" $nsq setup --version
		[[ "$output" == "nsq-setup (nsq) "* ]]
	done
	run -0 env PATH="$PWD/links:/usr/bin:/bin" nsq-setup "$OLDPWD/$trace"
	# another name is the front door, unless it is like that of a tool
	ln -s "$USR/bin/nsq" traces
	same "$(nsq --version)" "$(./traces --version)"
	ln -s "$USR/bin/nsq" nsq-gasp
	run -2 ./nsq-gasp "$OLDPWD/$trace"
	same "nsq: no tool is called 'nsq-gasp'; nsq lists the tools" "$output"
	same "$(nsq --version)" "$(exec -a "" nsq --version)"
}

@test "nsq help TOOL is the manual of a tool, then its conventions; help conventions and help skill show the pages" {
	for t in $(tools); do
		nsq help "${t#nsq-}" | sed '1,/^exit: /d' | cmp - <(echo && cat "share/conventions/${t#nsq-}.md")
	done
	nsq help nsq-gaps | cmp - <(nsq help gaps)
	# a reader that leaves is no failure to speak of; a lost write is one, said once
	run -0 python3 -c '
import os, subprocess
reader, writer = os.pipe()
os.close(reader)
print(subprocess.run(["nsq", "help", "gaps"], stdout=writer, stderr=subprocess.PIPE))'
	[[ "$output" == *"returncode=-13, stderr=b'')" ]]
	run -1 --separate-stderr sh -c 'nsq help gaps > /dev/full'
	[ "${#stderr_lines[@]}" -eq 1 ]
	nsq help conventions | cmp - share/conventions.md
	nsq help skill | cmp - share/SKILL.md
	for page in share/references/*.md; do topic=$(basename "$page" .md); nsq help "${topic/%capture/capturing}" | cmp - "$page"; done
	run -2 nsq help gasp
	[[ "$output" == *"did you mean 'gaps'?"* ]]
	run -2 nsq help setup window
}

@test "what is not near is not suggested" {
	same "nsq-setup: unknown option '--with'; nsq-setup --help lists the options" "$(nsq-setup --with x 2>&1)"
	same "nsq-gaps: unknown option '--color'; nsq-gaps --help lists the options" "$(nsq-gaps --color 2>&1)"
}

@test "a mistyped tool is answered with the nearest ones, exit 2" {
	while read -r typed want; do
		run -2 nsq "$typed"
		[[ "$output" == "nsq: no tool '$typed', did you mean '$want'? run nsq to list the tools" ]] || { echo "$output"; false; }
	done <<-END
		overlpa overlap
		kernel kernels
		kern kernels
		memory mem
		windows window
		stream streams
		gpas gaps
		nvtxx nvtx
		setpu setup
		recips recipes
	END
	run -2 nsq aip
	[[ "$output" == *"did you mean 'api'?"* ]]
	run -2 nsq xyzzyq
	[[ "$output" == "nsq: no tool 'xyzzyq'; run nsq to list the tools" ]]
	run -2 nsq ../bin/nsq
	run -2 nsq ""
	run -2 nsq "$(head -c 5000 /dev/zero | tr '\0' x)"
	run -2 nsq --no-such
	[[ "$output" == *"'--no-such'"* ]]
}

@test "a trace or a recipe where a tool belongs is told apart" {
	run -2 nsq "$trace"
	[[ "$output" == *"is a file, not a tool; start with nsq setup $trace" ]]
	run -2 nsq ep-overlap "$trace"
	[[ "$output" == *"is a recipe, not a tool; run it with nsq recipe ep-overlap TRACE" ]]
}

@test "nsq demo writes a trace to play with, whose commands work, and replaces nothing" {
	train=$PWD/tests/fixtures/train.sqlite
	cd "$BATS_TEST_TMPDIR"
	nsq demo > said
	same "wrote demo.sqlite: eight steps of a training loop in PyTorch on one GPU" "$(head -1 said)"
	cmp demo.sqlite "$train"
	same 2 "$(grep -c '^  nsq ' said)"
	while read -r command; do
		[ "$(bash -c "$command" 2>/dev/null | wc -l)" -gt 1 ] || { echo "$command"; false; }
	done < <(grep '^  nsq ' said)
	same 8 "$(sqlite3 demo.sqlite "SELECT count(*) FROM NVTX_EVENTS e LEFT JOIN StringIds s ON e.textId = s.id WHERE coalesce(e.text, s.value) LIKE 'step %'")"
	run -2 nsq demo
	same "nsq: 'demo.sqlite' exists; nsq demo FILE writes another" "$output"
	nsq demo "my run.sqlite" > said
	holds "$(<said)" "  nsq advise 'my run.sqlite'"
	cmp "my run.sqlite" "$train"
	ln -s nowhere link
	run -2 nsq demo link
	[ ! -e nowhere ]
	run -2 nsq demo a b
	same "nsq: nsq demo takes one file to write, not also 'b'" "$output"
	run -2 nsq demo --force
	run -1 nsq demo none/demo.sqlite
	same "nsq: cannot write 'none/demo.sqlite': No such file or directory" "$output"
	run -0 nsq demo --help
	same "usage: nsq demo [FILE]" "${lines[0]}"
	same "" "$(ls -A | grep -v -e demo.sqlite -e 'my run.sqlite' -e said -e link)"
}

@test "nsq recipes lists each recipe with its question" {
	nsq recipes > "$BATS_TEST_TMPDIR/list"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/list")" -eq "$(ls recipes/*.out | wc -l)" ]
	[ "$(wc -l < "$BATS_TEST_TMPDIR/list")" -le 50 ]
	for o in recipes/*.out; do
		grep -qF "$(sed -n '2s/^# //p' "${o%.out}")" "$BATS_TEST_TMPDIR/list"
	done
}

@test "nsq recipe NAME shows it with its output, with a trace it runs" {
	nsq recipe gpu-starved < /dev/null | cmp - <(echo "usage: nsq recipe gpu-starved [options] [TRACE...]    (nsq recipe --help explains the options)"
		echo; cat recipes/gpu-starved; printf '\n# what it prints for that trace:\n'; cat recipes/gpu-starved.out)
	nsq recipe gpu-starved tests/fixtures/torch-compile.sqlite 2>/dev/null | cmp - recipes/gpu-starved.out
	run -2 nsq recipe
	run -2 nsq recipe gpu-starvd
	[[ "$output" == *"did you mean 'gpu-starved'?"* ]]
	run -2 nsq recipe ./Makefile "$trace"
	run -1 nsq recipe ../none
}

# bats test_tags=more
@test "nsq recipe NAME shows the recipe, whatever is asked of its tools that is not a table" {
	for r in $(ls recipes/*.out | each_nth 5); do
		r=${r##*/}
		r=${r%.out}
		nsq recipe "$r" < /dev/null > "$BATS_TEST_TMPDIR/shown"
		for ask in -h --help -V --version --columns "--pick all -h" "$trace --help"; do
			nsq recipe "$r" $ask 2>&1 < /dev/null | cmp - "$BATS_TEST_TMPDIR/shown" || { echo "$r $ask"; false; }
		done
	done
}

@test "nsq recipe --help says how to use them, and so does nsq help recipes, before the page about them" {
	run -0 nsq recipe --help
	[[ "${lines[0]}" == "usage: nsq recipe NAME [options] [TRACE...]" ]]
	for option in --pick --skip -w --new --accept --check; do holds "$output" " $option "; done
	[ "$output" = "$(nsq recipes -h)" ]
	nsq help recipes | cmp - <(echo "$output" && echo && cat share/conventions/recipes.md)
	nsq help recipe | cmp - <(nsq help recipes)
}

@test "nsq help topics lists every page that nsq help shows" {
	for topic in $(nsq help topics | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do run -0 nsq help "$topic"; done
	for page in share/SKILL.md share/conventions.md share/references/*.md; do
		topic=$(basename "${page,,}" .md)
		grep -q "^  ${topic/%capture/capturing}  " <(nsq help topics) || { echo "no topic $topic"; false; }
	done
	nsq help --help | cmp - <(nsq help)
}

@test "a mistyped recipe is answered with the nearest ones, and with those that have it in their name" {
	while read -r typed want; do
		run -2 nsq recipe "$typed"
		[[ "$output" == "nsq: no recipe '$typed', did you mean $want? run nsq recipes to list them" ]] || { echo "$output"; false; }
	done <<-END
		gpu-starvd 'gpu-starved'
		starved 'gpu-starved'
		copies 'pageable-copies'
		step 'decode-step' or 'step-variance'
		worst-stag 'worst-stage'
	END
}

@test "a recipe that is given a pipe and no trace answers for the windows in it" {
	run -0 --separate-stderr bash -c "nsq window -q '$trace' | nsq recipe top-kernels -q"
	[ "$output" = "$(nsq window -q "$trace" | nsq kernels -q --merge --spread --by category,name -n 10)" ]
	nsq window -q "$trace" > "$BATS_TEST_TMPDIR/windows.tsv"
	[ "$(nsq recipe top-kernels < "$BATS_TEST_TMPDIR/windows.tsv" 2>/dev/null)" = "$output" ]
	run -0 --separate-stderr bash -c "nsq recipe top-kernels < /dev/null"
	[ -z "$stderr" ]
}

@test "nsq --version names the version of the tools; a lost write is exit 1" {
	[ "$(nsq --version)" = "nsq $(nsq-setup --version | sed 's/.* //')" ]
	[ "$(nsq -V)" = "$(nsq --version)" ]
	run -1 bash -c 'nsq > /dev/full'
	run -1 bash -c 'nsq recipes > /dev/full'
}

@test "--columns of every tool prints a table of columns, also where a tool prints none of its own" {
	for tool in "$NSQ_BIN"/nsq-*; do
		run --separate-stderr "${tool##*/}" --columns
		same 0 "$status"
		same $'name\ttype\tunit\tmeaning' "${lines[0]}"
	done
	for tool in nsq-capture nsq-import nsq-map nsq-tui; do
		run --separate-stderr $tool --columns
		same 1 "${#lines[@]}"
		holds "$stderr" "$tool: $tool" "so there are no columns"
	done
}
