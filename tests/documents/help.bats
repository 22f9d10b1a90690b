# --help: one screen for each tool and command, with two examples that work and the tool's own options; nsq help options
# has those that tools share, nsq help TOOL everything.

load ../helper

tools() { (cd "$NSQ_BIN" && ls -d nsq-*); }

setup() { cd "$BATS_TEST_TMPDIR"; }

# What has a help, a command a line.
helps() {
	for t in $(tools); do echo "$t --help"; done
	printf 'nsq %s\n' help "help options" "help topics" "recipe --help" "mcp --help"
}

# Everything between a heading and the next empty line.
part() { sed -n "/^$1:\$/,/^\$/{/^  /p}"; }

# The long names of options in such a part.
options_of() { sed -nE 's/^  (-., |    )--([a-z-]+).*/\2/p'; }

# bats test_tags=long
@test "every help is at most 40 lines on a terminal of 80 columns, and fits 60 and 200" {
	helps > commands
	sed 's/.*/80 &\n80 echo "= &"/' commands | python3 "$TESTS/tools/terminal.py" screens |
		awk '/^= / { if (n < 9 || n > 40) print $0 ": " n " lines"; n = 0; looked++; next } { n++ } END { print looked }' > heights
	same "$(wc -l < commands)" "$(cat heights)"
	same "$(($(wc -l < commands) * 3)) looked at" "$(python3 "$TESTS/tools/terminal.py" texts 60 80 200 < commands)"
}

@test "each help has the tool's own options with their meaning, and names those that nsq help options explains" {
	nsq help options | options_of | sort > shared
	[ "$(wc -l < shared)" -ge 20 ]
	same "" "$(uniq -d shared)"
	mkdir screen whole
	for t in $(tools); do
		"$t" --help > "screen/$t"
		manual "$t" > "whole/$t"
	done
	same "" "$(python3 - <<-'END'
		import os, re

		def part(text, heading):
		    return [line for line in text.partition(f"\n{heading}:\n")[2].split("\n\n")[0].split("\n") if line.startswith("  ")]

		def options(lines):
		    """The options, each with the shorter of its names."""
		    found = [re.match(r"  (?:(-.), |    )(--[a-z-]+)", line) for line in lines]
		    return {m[2]: m[1] or m[2] for m in found if m}

		shared = {"--" + line.strip() for line in open("shared")}
		for tool in os.listdir("screen"):
		    screen, whole = (open(f"{folder}/{tool}").read() for folder in ("screen", "whole"))
		    own, all = part(screen, "options"), part(whole, "options")
		    # each of its own is explained as in the manual, each of the others is named
		    if [line for line in all if line in own] != own:
		        print(tool, "explains an option in other words than its manual")
		    others = {name: shortest for name, shortest in options(all).items() if name not in options(own)}
		    if sorted(others.values()) != sorted(" ".join(part(screen, "shared options")).split()):
		        print(tool, "does not name all of", sorted(others.values()))
		    for name in others.keys() - shared:
		        print("nsq help options lacks", name, "of", tool)
		    # where to read on
		    last = screen.rstrip("\n").split("\n")[-1]
		    lists = [] if tool in ("nsq-capture", "nsq-import", "nsq-map", "nsq-plot", "nsq-tui") else [f"{tool} --columns"]
		    for pointer in ["nsq help options", f"nsq help {tool[4:]}"] + lists:
		        if pointer not in last:
		            print(tool, "does not end with", pointer)
		    for text, what in ((whole, "(null)"), (screen, "columns (")):
		        if what in text:
		            print(tool, "has", what)
	END
	)"
}

# The trace that an example of the tool calls run.sqlite.
trace_for() {
	case $1 in
	nsq-advise | nsq-window) echo "$EAGER" ;;
	nsq-mfu) echo "$FIXTURES/train.sqlite" ;;
	nsq-metrics) echo "$FIXTURES/train-metrics.sqlite" ;;
	nsq-mem) echo "$FIXTURES/train-allocs.sqlite" ;;
	nsq-threads) echo "$FIXTURES/threads-sched.sqlite" ;;
	nsq*) echo "$DUALPIPE" ;;
	esac
}

# The files that examples name.
files() {
	mkdir -p runs traces
	cp "$(trace_for "$1")" run.sqlite
	cp "$FIXTURES/train-ncu.csv" raw.csv
	for f in before after; do ln -sf "$DUALPIPE" $f.sqlite; nsq-kernels -q "$DUALPIPE" > $f.tsv; cp $f.tsv $([ $f = before ] && echo old || echo new).tsv; done
	for n in 0 1; do ln -sf "$FIXTURES/collectives-rank$n.sqlite" rank$n.sqlite; ln -sf "$FIXTURES/collectives-rank$n.sqlite" runs/; done
	printf 'forward\tforward\n' > phases.tsv
	echo 'print(1)' > train.py
	cp "$FIXTURES/kineto/train.json.gz" run.pt.trace.json.gz
}

# bats test_tags=more,long
@test "each help has two examples, and they run" {
	for t in $(tools | each_nth 6) "nsq recipe" nsq; do
		rm -rf ./*
		files "$t"
		$t --help | part examples | sed 's/^  //' > "$BATS_FILE_TMPDIR/examples"
		same "$t 2" "$t $(wc -l < "$BATS_FILE_TMPDIR/examples")"
		while IFS= read -r example; do
			echo "$example"
			case $example in
			"nsq-import -o run.sqlite"*) rm run.sqlite ;;
			nsq-capture*) example="RUNS=$PWD/noted GIVES=$COMPILE PATH=$TESTS/tools/stand-ins:$PATH $example" ;;
			*nsq-tui*) command -v script > /dev/null || continue
				example="script -qec '$example' /dev/null <<< q" ;;
			esac
			bash -c "set -o pipefail; $example" > out 2> err < /dev/null || { code=$?; cat err; [[ $code = 4 && $example == *nsq-gate* ]]; }
			[ -s out ] || [[ $example == *nsq-gate* || $example == *" -o "* ]]
		done < "$BATS_FILE_TMPDIR/examples"
	done
}
