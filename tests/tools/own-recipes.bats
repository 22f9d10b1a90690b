# Recipes of one's own: found, run, begun, recorded and checked.
load ../helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset NSQ_RECIPES
	export XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	mine=data/nsq/recipes
}

# recipe PATH [LINE...]: one of these lines.
recipe() {
	mkdir -p "${1%/*}"
	printf '%s\n' '#!/usr/bin/env bash' "${@:2}" > "$1"
	chmod +x "$1"
}

# bats test_tags=slow
@test "nsq recipe --new begins one, which runs, is listed, recorded and checked" {
	run -0 --separate-stderr nsq recipe --new mine "$COPIES"
	same "$PWD/$mine/mine" "$output"
	same 755 "$(stat -c %a "$mine/mine")"
	same "mine               Which kernels take the time, and in which range? (your own)" "$(nsq recipes | grep 'your own')"
	same "$(nsq-window -q --pick all --steady --period "$COPIES" | nsq-kernels -q --merge --by nvtx,name -n 10)" "$(nsq recipe mine -q "$COPIES")"
	holds "$(nsq recipe min 2>&1)" "did you mean 'mine'?"
	# it is not written over
	echo '# mine' >> "$mine/mine"
	fails 1 "'$PWD/$mine/mine' is there already" -- nsq recipe --new mine
	same "# mine" "$(tail -n 1 "$mine/mine")"

	fails 1 "recipe 'mine' has no recorded answer" -- nsq recipe --check
	same "$PWD/$mine/mine.out" "$(nsq recipe --accept mine)"
	same "mine: ok" "$(nsq recipe --check)"
	holds "$(nsq recipe mine < /dev/null)" "# what it prints for that trace:" "$(tail -n 1 "$mine/mine.out")"
	echo more >> "$mine/mine.out"
	run -1 --separate-stderr nsq recipe --check mine
	holds "$stderr" "recipe 'mine' no longer prints what is recorded" "< more"

	# elsewhere, with a trace that is named from there
	cp "$COPIES" "a b.sqlite"
	same ./here "$(nsq recipe --new ./here 'a b.sqlite' 2>/dev/null)"
	holds "$(<here)" $'\n# fixture: a b.sqlite\n'
	same "$PWD/here.out" "$(cd / && nsq recipe --accept "$OLDPWD/here")"
	same "here: ok" "$(nsq recipe --check ./here*)"
	cp "a b.sqlite" "c d.sqlite"
	nsq recipe --new ./both 'a b.sqlite' 'c d.sqlite' > /dev/null 2>&1
	same "$PWD/both.out" "$(nsq recipe --accept ./both)"
	same "a b.sqlite c d.sqlite" "$(awk -F'\t' 'NR > 1 { print $NF }' both.out | sort -u | paste -sd ' ')"
	fails 1 "no trace 'none.sqlite'" -- nsq recipe --new ./other none.sqlite
	cp "a b.sqlite" $'a\ntouch other\n'
	fails 1 "cannot name a trace with a line end" -- nsq recipe --new ./other $'a\ntouch other\n'
	fails 2 "'--new' needs the name of a recipe" -- nsq recipe --new
	holds "$(nsq recipe --new ./bare 2>&1)" "write the path of a trace to try it on behind '# fixture:', then"
	fails 1 "recipe 'bare' names no trace that it is tried on; write the path of one behind '# fixture:'" -- nsq recipe --accept ./bare
	run -1 --separate-stderr nsq recipe --check ./bare ./here
	same "here: ok" "$output"
	ln -s nowhere dangling
	fails 1 "cannot write './dangling'" -- nsq recipe --new ./dangling
	[ ! -e nowhere ]
	for name in .x -x x.out x~ a/ "a b" $'a\nb'; do
		run -2 --separate-stderr nsq recipe --new "$name"
		holds "$stderr" "cannot be the name of a recipe"
	done
	[ ! -e other ]
}

@test "what the user names is run, and nothing else" {
	recipe ./here '# Is it here?' 'echo here "$@"'
	recipe one/here '# Is it one?' 'echo one "$@"'
	recipe two/here '# Is it two?' 'echo two "$@"'
	recipe two/who '# Who?' 'echo mine "$@"'
	recipe "$mine/last" '# Is it the last?' 'echo last "$@"'
	for name in .hidden old~ here.out "two words"; do cp here "two/$name"; done
	cp here two/not-executable && chmod -x two/not-executable
	same "here -n 1 -H t" "$(nsq recipe ./here -n 1 -H t)"
	fails 2 "no recipe 'here'" -- nsq recipe here t
	export NSQ_RECIPES=:none:one::two
	same "one t" "$(nsq recipe here t)"
	same "last t" "$(nsq recipe last t)"
	same "here last who" "$(nsq recipes | grep 'your own' | cut -d' ' -f1 | xargs)"
	# one that hides nsq's: both nsq recipes and stderr say so
	holds "$(nsq recipes)" "Who? (your own, instead of nsq's)"
	run -0 --separate-stderr nsq recipe who t
	same "mine t" "$output"
	same "nsq: 'who' is your own recipe, 'two/who', instead of the one that comes with nsq" "$stderr"
	run -0 --separate-stderr nsq recipe who -q t
	same "" "$stderr"
	holds "$(nsq recipe --new categories 2>&1 < /dev/null)" "yours will be run instead" none/categories
	for name in two/not-executable not-executable; do fails 2 "'two/not-executable' is not executable" -- nsq recipe $name t; done
	fails 1 "cannot open './none.sh'" -- nsq recipe ./none.sh t
	fails 2 "'./one' is no file" -- nsq recipe ./one t
	for name in ../one/here .hidden old~ here.out not-executable; do
		run -2 nsq recipe "${name#../one/}x" t
		[ "$name" = ../one/here ] || run -2 nsq recipe "$name" t
	done
	unset NSQ_RECIPES XDG_DATA_HOME HOME
	fails 2 "neither HOME nor NSQ_RECIPES says where your recipes are" -- nsq recipe --new x
	fails 2 "no recipes of your own to check" -- nsq recipe --check
	# of what is not executable, what begins as a script is checked, too
	rm two/{here,who}
	echo "no script" > two/README
	NSQ_RECIPES=two run -1 nsq recipe --check
	holds "$output" "recipe 'not-executable' is not executable"
	lacks "$output" README old~ .hidden
	fails 2 "'two/not-executable' is not executable" -- env NSQ_RECIPES=two nsq recipe --check not-executable
}

# bats test_tags=slow
@test "nsq recipe --check: what each rule says of a recipe that breaks it" {
	cp "$COPIES" t.sqlite
	recipe ./words '# No question.' '# next: nowhere; nsq-nothing.'
	recipe ./facts '# Does it print facts?' '# fixture: none.sqlite' '# read: it.' '# next: who.'
	recipe ./prints '# Does it print anything?' '# fixture: t.sqlite' '# read: it.' '# next: nsq-gaps; words.' 'install; seq() { printf "%s\n" {1..50}; }; seq'
	head=('# fixture: t.sqlite' '# read: it.' '# next: who.')
	recipe ./fails '# Does it fail?' "${head[@]}" '[ "$1" = -q ] || echo note >&2; echo "fails: because" >&2; exit 3'
	recipe ./silent '# Does it say why?' "${head[@]}" '[ "$1" = -q ] || echo note >&2; exit 4'
	recipe ./syntax '# Is it a script?' "${head[@]}" '. "$(nsq recipe --lib)"' steps 'answer nsq-gaps )'
	recipe ./mistake '# Is it right?' "${head[@]}" '. "$(nsq recipe --lib)"' steps 'answer nsq-kernels --bye'
	chmod -x words
	sed 's/$/\r/' facts > windows && chmod +x windows
	run -1 --separate-stderr nsq recipe --check ./words ./facts ./prints ./fails ./silent ./syntax ./mistake ./windows
	same "" "$output"
	while read -r name said; do
		holds "$stderr" "nsq: recipe '$name' $said" || { echo "$name $said"; false; }
	done <<-'END'
		words is not executable
		windows has the line ends of Windows; sed -i 's/\r$//' FILE takes them away
		words asks no question
		words names no trace that it is tried on
		words has no line '# read: ...'
		words says to ask 'nsq-nothing' next, which is no tool
		words says to ask 'nowhere' next, which is no recipe
		facts names the fixture 'none.sqlite', which is not there
		prints runs 'install', which is neither a tool of nsq nor a utility of POSIX
		prints has no recorded answer
		prints prints more than 40 lines
		prints prints a table whose rows cite no window, so it cannot be piped on: 1
		prints does not hand -q -f jsonl to the tool that prints its answer
		prints given '--no-such' ends with exit code 0, not 2
		prints given '--no-such' prints an answer
		prints given 'none.sqlite' does not say once that this is wrong
		fails ends with exit code 3 for its fixture: fails: because
		silent ends with exit code 4 for its fixture: it does not say why
		mistake ends with exit code 2 for its fixture: nsq-kernels: unknown option '--bye'
	END
	holds "$stderr" "recipe 'syntax' ends with exit code 2 for its fixture: $PWD/syntax: line 8: syntax error near unexpected token"
	lacks "$stderr" "recipe 'prints' says" "recipe 'facts' runs" "recipe 'fails' given"
	if command -v shellcheck > /dev/null; then
		recipe ./quoting '# Is it quoted?' '# fixture: t.sqlite' '# read: it.' '# next: who.' '. "$(nsq recipe --lib)"' 'steps' 'rm -f $(echo x)' 'answer nsq-gaps'
		nsq recipe --accept ./quoting > /dev/null
		run -1 --separate-stderr nsq recipe --check ./quoting
		holds "$stderr" "SC2046"
	fi
	# a name cannot control the terminal
	recipe $'./es\ec' '# No question.'
	run -1 --separate-stderr nsq recipe --check $'./es\ec'
	lacks "$stderr" $'\e'
	NSQ_RECIPES=. run -0 nsq recipes
	lacks "$output" $'\e' $'\r'
}
