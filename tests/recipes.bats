# Recipes: each is an executable file that prints what the file beside it says, and explains itself.
#
# After a change that is meant, write the outputs anew with tests/recipes-accept, and read the diff.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/.."
	NSQ_BIN=$(cd "${NSQ_BIN:-bin}" && pwd)
	export PATH=$NSQ_BIN:$PATH LC_ALL=C
	mapfile -t recipes < <(ls -d recipes/* | grep -v '\.out$')
	no_cuda=$BATS_TEST_TMPDIR/no-cuda.sqlite
}

# The traces that a recipe's expected output is for.
fixtures() { sed -n 's/^# fixture: //p' "$1" | tr ' ' '\n' | sed 's|^|tests/fixtures/|'; }

@test "there are sixteen recipes or more, each with its output beside it and nothing else" {
	[ "${#recipes[@]}" -ge 16 ]
	for r in "${recipes[@]}"; do
		[ -x "$r" ] || { echo "$r is not executable"; false; }
		[ -s "$r.out" ] || { echo "$r.out is missing"; false; }
	done
	for o in recipes/*.out; do [ -x "${o%.out}" ] || { echo "$o has no recipe"; false; }; done
}

@test "each recipe prints what is written beside it" {
	bad=0
	for r in "${recipes[@]}"; do
		mapfile -t traces < <(fixtures "$r")
		timeout 60 "$r" "${traces[@]}" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" ||
			{ echo "$r failed:"; cat "$BATS_TEST_TMPDIR/err"; bad=1; }
		diff -u "$r.out" "$BATS_TEST_TMPDIR/got" || { echo "$r prints something else"; bad=1; }
	done
	[ $bad = 0 ]
}

@test "each recipe prints the same from another directory, through nsq recipe" {
	root=$PWD
	cd "$BATS_TEST_TMPDIR"
	ln -sfn "$root/tests" tests
	for r in "${recipes[@]}"; do
		mapfile -t traces < <(fixtures "$root/$r")
		PATH=/usr/bin:/bin "$NSQ_BIN/nsq" recipe "${r##*/}" "${traces[@]}" 2>/dev/null | cmp - "$root/$r.out"
	done
}

@test "each recipe asks a question, names a fixture, says how to read the answer and what to ask next" {
	for r in "${recipes[@]}"; do
		[ "$(sed -n 1p "$r")" = "#!/usr/bin/env bash" ]
		[[ "$(sed -n 2p "$r")" == "# "*"?" ]] || { echo "$r: the second line is not a question"; false; }
		for part in fixture read next; do
			grep -q "^# $part: " "$r" || { echo "$r has no '$part:'"; false; }
		done
		for f in $(fixtures "$r"); do [ -e "$f" ] || { echo "$r: no fixture $f"; false; }; done
	done
}

@test "what a recipe says to ask next exists" {
	for r in "${recipes[@]}"; do
		for word in $(sed -n '/^# next:/,/^[^#]/p' "$r" | grep -v '^[^#]' | grep -o 'nsq-[a-z]*'); do
			[ -x "$NSQ_BIN/$word" ] || { echo "$r: there is no $word"; false; }
		done
		first=$(sed -n 's/^# next:  *\([a-z-]*\).*/\1/p' "$r")
		[ -x "recipes/$first" ] || [[ "$first" =~ ^(nsq-.*|nsys|the)$ ]] || { echo "$r: there is no recipe $first"; false; }
	done
}

@test "the answer of each recipe fits in 40 lines, and every table cites its windows" {
	for r in "${recipes[@]}"; do
		[ "$(wc -l < "$r.out")" -le 40 ] || { echo "$r: too long"; false; }
		header=$(sed -n 1p "$r.out")
		[[ "$header" == $'pid\trank\tstart_ns\tend_ns\t'*$'\twindow\ttrace' ]] || [[ "$r" == recipes/missing ]] ||
			{ echo "$r: $header"; false; }
	done
}

@test "the answer of a recipe can be piped into a tool" {
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/missing ]] || continue
		nsq-kernels -q -n 1 < "$r.out" | awk 'END { exit NR < 2 }' || { echo "$r cannot be piped on"; false; }
	done
}

@test "every recipe runs on every fixture, and says why when it has no answer" {
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/compare ]] || continue
		for f in tests/fixtures/*.sqlite; do
			timeout 60 "$r" "$f" > "$BATS_TEST_TMPDIR/got" 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
			[ $rc = 0 ] || { echo "$r $f: exit $rc"; cat "$BATS_TEST_TMPDIR/err"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -le 40 ] || { echo "$r $f: more than 40 lines"; false; }
			[ "$(wc -l < "$BATS_TEST_TMPDIR/got")" -gt 1 ] || [ -s "$BATS_TEST_TMPDIR/err" ] ||
				{ echo "$r $f: no rows, and not a word"; false; }
		done
	done
}

@test "a trace without CUDA events is said to hold none, with the flag that captures them" {
	sqlite3 "$no_cuda" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
		CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);"
	for r in "${recipes[@]}"; do
		[[ "$r" != recipes/missing ]] || continue
		second=; [[ "$r" != recipes/compare ]] || second=$no_cuda
		"$r" "$no_cuda" $second > /dev/null 2> "$BATS_TEST_TMPDIR/err" && rc=0 || rc=$?
		[ $rc -ge 2 ] || { echo "$r: exit $rc"; false; }
		grep -q 'nsys profile --trace=cuda,nvtx' "$BATS_TEST_TMPDIR/err" || { echo "$r"; cat "$BATS_TEST_TMPDIR/err"; false; }
	done
}

@test "options after the trace go to the recipe's first tool" {
	run -0 recipes/decode-step -q tests/fixtures/decode-graph-nodes.sqlite -m 'request 2' --pick 0
	[[ "$output" == *"request 2#0"* ]]
}

@test "compare wants two traces" {
	run -2 recipes/compare tests/fixtures/torch-compile.sqlite
	[[ "$output" == *"name two traces"* ]]
}
