# The documents: what they show is what the tools print, and they leave nothing out.

load ../helper

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "${NSQ_BIN:-bin}" && pwd)
	export NSQ_BIN
}

# A document made of stdin.
doc() { cat > "$BATS_TEST_TMPDIR/doc.md"; }

run_doc() { run tests/run-docs "$BATS_TEST_TMPDIR/doc.md"; }

@test "README.md shows what the commands print, in at most 150 lines; so do the pages that it sends its readers to" {
	[ "$(wc -l < README.md)" -le 150 ]
	grep -q '^\$ nsq-' README.md
	tests/run-docs README.md share/installing.md bench/README.md
}

# bats test_tags=long
@test "the conventions show what the commands print" {
	grep -q '^\$ nsq-' share/conventions.md
	tests/run-docs share/conventions.md share/conventions/*.md
}

# bats test_tags=long
@test "the pages that the skill refers to show what the commands print" {
	for page in questions queries collectives checks; do grep -q '^\$ nsq[- ]' "share/references/$page.md"; done
	tests/run-docs share/references/*.md
}

# bats test_tags=long
@test "CONTRIBUTING.md shows what the commands print, and every path in it is there" {
	tests/run-docs CONTRIBUTING.md
	for path in $(grep -oE '`(\.ci|lib|tools|share|recipes|tests|bench)(/[a-z0-9._-]+)*`' CONTRIBUTING.md | tr -d '`'); do
		[ -e "$path" ] || { echo "no $path"; false; }
	done
}

@test "a digit changed in what a document shows is found" {
	for d in README.md share/conventions.md; do
		# in its first block that shows one
		awk '/^```/ { if (done) { print; exit } block = /^```console/ } block && !/^[$>]/ && !done { done = sub(/[0-8]/, 9) } { print }' "$d" | doc
		run cmp -s -n "$(wc -c < "$BATS_TEST_TMPDIR/doc.md")" "$d" "$BATS_TEST_TMPDIR/doc.md"
		[ "$status" -eq 1 ]
		run_doc
		[ "$status" -eq 1 ]
		[[ "$output" == *"prints something else"* ]]
	done
}

@test "a line more or less in what a document shows is found" {
	printf '%s\n' '```console' '$ printf "a\nb\n"' a b '```' | doc
	run_doc
	[ "$status" -eq 0 ]
	printf '%s\n' '```console' '$ printf "a\nb\n"' a '```' | doc
	run_doc
	[ "$status" -eq 1 ]
	printf '%s\n' '```console' '$ printf "a\nb\n"' a b c '```' | doc
	run_doc
	[ "$status" -eq 1 ]
}

@test "a command that fails is found" {
	printf '%s\n' '```console' '$ nsq-overlap --no-such-option' '```' | doc
	run_doc
	[ "$status" -eq 1 ]
	[[ "$output" == *"unknown option"* ]]
}

@test "a command that is shown and not run must be of a known kind" {
	printf '%s\n' '```sh' 'make demo' 'nsys profile \' '  --trace=cuda python3 train.py' '```' | doc
	run_doc
	[ "$status" -eq 0 ]
	printf '%s\n' '```sh' 'nsq-overlap tests/fixtures/dualpipe-pp2ep2.sqlite' '```' | doc
	run_doc
	[ "$status" -eq 1 ]
	printf '%s\n' '```' 'nsq-overlap tests/fixtures/dualpipe-pp2ep2.sqlite' '```' | doc
	run_doc
	[ "$status" -eq 1 ]
	printf '%s\n' '```sh' 'make -C .. no-such-target' '```' | doc
	run_doc
	[[ "$status" -eq 1 && "$output" == *'has no target "no-such-target"'* ]]
	printf '%s\n' '```sh' 'tests/no-such-program x' '```' | doc
	run_doc
	[[ "$status" -eq 1 && "$output" == *'no such program: tests/no-such-program'* ]]
	printf '%s\n' '```sh' 'make -C /tmp all SCALE=8 # as above' 'tests/compare-builds a b' '```' | doc
	run_doc
	[ "$status" -eq 0 ]
	printf '%s\n' '```console' '$ true run.sqlite' '```' | doc
	run_doc
	[ "$status" -eq 1 ]
}

@test "every tool is in README.md" {
	for path in "$NSQ_BIN"/nsq-*; do
		tool=${path##*/}
		grep -q "^| \`$tool\` |" README.md || { echo "README.md lacks $tool"; false; }
	done
}
