# Names may hold anything.  None controls a terminal, hides on one, leaves its cell, or becomes an option.
load ../helper
load ../small-traces

setup_file() {
	local copies=(../plain.sqlite "tiny$POISON.sqlite")
	mkdir "$BATS_FILE_TMPDIR/poisoned"
	cd "$BATS_FILE_TMPDIR/poisoned"
	for f in $(sed -n 's/^# fixture: //p' "$TESTS"/../recipes/* | tr ' ' '\n' | sort -u); do
		copies+=("$FIXTURES/$f" "$(basename "$f" .sqlite)$POISON.sqlite")
	done
	make_tiny ../plain.sqlite
	sqlite3 ../plain.sqlite "UPDATE NVTX_EVENTS SET domainId = coalesce(domainId, 0)"
	terminal poison "${copies[@]}"
}

setup() {
	cd "$BATS_FILE_TMPDIR/poisoned"
	TINY=$PWD/tiny$POISON.sqlite
	export NO_COLOR=1
}

POISON=$'\e[2J\e]0;x\a\x9b7m\xc2\x9b\x7f\b\r\xe2\x80\xae'

terminal() { python3 "$TESTS/bad-files/terminal.py" "$@"; }

# recipes: a line for each, its name and its options; then its traces.
recipes() {
	local r
	for r in "$TESTS"/../recipes/*; do
		case $r in *.out | *.sh) continue ;; esac
		printf '%s|%s|%s\n' "$r" "$(sed -n 's/^# options: //p' "$r")" "$(sed -n 's/^# fixture: //p' "$r")"
	done
}

# bats test_tags=more,slow
@test "no name reaches a terminal through a recipe, neither in its answer nor in what it says" {
	needs_terminal
	recipes | each_nth 16 | while IFS='|' read -r r options traces; do
		command="0 ${r@Q} $options"
		for f in $traces; do command+=" $(printf %q "$(basename "$f" .sqlite)$POISON.sqlite")"; done
		echo "$command"
	done > "$BATS_TEST_TMPDIR/commands"
	for format in $(first_few 1 tsv csv jsonl md); do
		for recipe in who top-kernels hot-ranges train-phases "gpu-breakdown"; do echo "0 nsq recipe $recipe -f $format $(printf %q "$TINY")"; done
	done >> "$BATS_TEST_TMPDIR/commands"
	echo "2 nsq recipe gpu-breakdown $(printf %q "$POISON"),1" >> "$BATS_TEST_TMPDIR/commands"
	echo "1 nsq recipe who $(printf %q "$POISON")" >> "$BATS_TEST_TMPDIR/commands"
	n=$(wc -l < "$BATS_TEST_TMPDIR/commands")
	[ "$n" -ge 8 ]
	same "0 of $n commands leak" "$(terminal run < "$BATS_TEST_TMPDIR/commands")"
}

# bats test_tags=more,long
@test "nor through any tool, in any format: names, labels, columns, files, mistakes" {
	needs_terminal
	t=$(printf %q "$TINY") p=$(printf %q "$POISON")
	printf 'gem%s\tlabel%s\n' "" "$POISON" > "$BATS_TEST_TMPDIR/rules.tsv"
	printf 'start_ns\tend_ns\twindow\n0\t1000000\tw%s\n' "$POISON" | tr -d '\r' > "$BATS_TEST_TMPDIR/w.tsv"
	rules=$BATS_TEST_TMPDIR/rules.tsv w=$BATS_TEST_TMPDIR/w.tsv
	{
		for mode in kernels nvtx setup "setup --facts" "find ." "window --list" "gaps --each" streams "threads" "kernels -w $w" "kernels --by category --categories $rules"; do
			for f in $(first_few 2 table md tsv csv jsonl); do echo "0 nsq-$mode -f $f $t"; done
		done
		for f in table tsv csv jsonl md; do
			echo "0 nsq-sql -f $f 'select value as \"a'$p'\" from raw.StringIds' $t"
			echo "0 nsq-kernels -f tsv $t | nsq-sql -f $f 'select * from t'"
			echo "4 nsq-kernels -f tsv $t | nsq-gate -f $f 'count < 0'"
		done
		for f in text svg html; do echo "0 nsq-kernels -f tsv $t | nsq-plot -f $f --title $p"; done
		echo "0 nsq-kernels $t | nsq printable"
		echo "0 nsq-report --force -o ${BATS_TEST_TMPDIR@Q}/report$p $t"
		echo "1 nsq-setup $p"
		for command in "nsq $p" "nsq recipe $p" "nsq help $p" "nsq-kernels --$p" "nsq-kernels -f $p" "nsq-kernels --categories $p $t" "nsq-kernels -m '('$p $t" "nsq-sql $p $t" "nsq-plot --x $p $w" "nsq-kernels -w $p $t"; do
			echo "2 $command"
		done
	} > "$BATS_TEST_TMPDIR/commands"
	n=$(wc -l < "$BATS_TEST_TMPDIR/commands")
	same "0 of $n commands leak" "$(terminal run < "$BATS_TEST_TMPDIR/commands")"
}

# bats test_tags=more,long
@test "every tool, in every mode and at every width: no crash, no text of a trace that controls the terminal, no line too long" {
	needs_terminal
	cd "$BATS_FILE_TMPDIR"
	planted=$'all\xc2\x9b\e.sqlite' named=$'names\xc2\x9b.sqlite'
	terminal plant plain.sqlite "$planted"
	terminal poison plain.sqlite "$named"
	cp plain.sqlite cpu.sqlite
	sqlite3 cpu.sqlite "$(sql plain.sqlite "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_master WHERE type = 'table' AND name GLOB 'CUPTI_*'")"
	cp plain.sqlite bare.sqlite
	sqlite3 bare.sqlite "$(sql plain.sqlite "SELECT 'DROP TABLE ' || name || ';' FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*_KERNEL' AND name <> 'StringIds'")"
	{
		terminal modes $(if more; then echo 60,80,200; else echo 60; fi) 1 "$planted"
		terminal modes $(if more; then echo 60,80,200 1; else echo 80 4; fi) cpu.sqlite bare.sqlite "$named"
	} > "$BATS_TEST_TMPDIR/got"
	same "" "$(grep -v ' looked at$' "$BATS_TEST_TMPDIR/got")"
	[ "$(awk '{ n += $1 } END { print n }' "$BATS_TEST_TMPDIR/got")" -ge 350 ]
}

@test "what is said is printable in a file too; into a pipe a name goes as it is" {
	run --separate-stderr nsq recipe hot-ranges -n 1 "$TINY"
	same 0 "$status"
	holds "$stderr" '\x1b[2J' '\xe2\x80\xae'
	same "" "$(LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f\x80-\xff]' <<< "$stderr")"
	same "$POISON" "$(nsq-setup -q "$TINY" | tail -1 | awk -F'\t' '{ print $NF }' | sed 's/.*tiny//; s/\.sqlite$//; s/\\r/\r/')"
	same "$POISON" "$(nsq-setup -q -f csv "$TINY" | tail -1 | sed 's/.*tiny//; s/\.sqlite"*$//')"
	# pasted into a shell, a command has the same arguments
	TINY=$PWD/arguments.sqlite
	terminal plant ../plain.sqlite "$TINY"
	for shell in bash sh; do
		same "$(sql "$TINY" "SELECT value FROM META_DATA_CAPTURE WHERE name = 'PROCESS_0:ARGUMENT_0'")" \
			"$(nsq-capture -q --again "$TINY" | sed 's/.* -- /printf "%s\\n" /' | LC_ALL=C.UTF-8 $shell | tail -1)"
	done
	TINY=$PWD/tiny$POISON.sqlite
	nsq-setup -q -f jsonl "$TINY" | jq -r .trace | grep -qaF $'\x7f\b\r\xe2\x80\xae.sqlite'
}

@test "a cell of Markdown is one cell, and holds no markup and no link" {
	cell() { printf 'a\tb\n%s\t1\nx\t2\n' "$1" | nsq-sql -f md 'select * from t' | sed -n 3p; }
	same '| &lt;script&gt;alert(1)&lt;/script&gt; | 1 |' "$(cell '<script>alert(1)</script>' | tr -s ' ')"
	same '| &amp;lt;b&amp;gt; | 1 |' "$(cell '&lt;b&gt;' | tr -s ' ')"
	same '| !\[x\](javascript:alert(1)) \[y\]\[z\] | 1 |' "$(cell '![x](javascript:alert(1)) [y][z]' | tr -s ' ')"
	same '| http`://`a.b HTTPS`://`c.d `www.`e.f (`WWW.`g.h) | 1 |' "$(cell 'http://a.b HTTPS://c.d www.e.f (WWW.g.h)' | tr -s ' ')"
	same '| &#96;x&#96; \*\*y\*\* \~\~z\~\~ \_\_main\_\_ a_b__c \_d | 1 |' "$(cell '`x` **y** ~~z~~ __main__ a_b__c _d' | tr -s ' ')"
	# a bar ends a cell in some readers even behind two backslashes
	same '| a\|b&#92;\|c&#92;&#92;\|d \n&#92; | 1 |' "$(cell 'a|b\\|c\\\\|d \\n\\' | tr -s ' ')"
	same '| a\x0ab\x09c | 1 |' "$(cell 'a\nb\tc' | tr -s ' ')"
	printf 'a|<b>\tc\n1\t2\n3\t4\n' | nsq-sql -f md 'select * from t' | grep -qxF '| a\|&lt;b&gt; | c |'
	printf '<i>\tc\n[x](y)\t2\n[x](y)\t4\n' | nsq-sql -f md 'select * from t' | grep -qxF '&lt;i&gt; \[x\](y)'
	# a name of underscores alone takes no longer than another
	printf 'a\tb\n%0300000d\t1\n' 0 | tr 0 _ | nsq-sql -f md 'select b from t' > /dev/null
}

@test "a report in Markdown holds no link and no markup of a name, and its rows stay whole" {
	evil='<img src=x onerror=alert(1)> [l](http://evil.example) www.evil.example a\|b `c`'
	t=$(change "$FIXTURES/train.sqlite" "UPDATE StringIds SET value = '$evil' || value WHERE id IN (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)" \
		"UPDATE NVTX_EVENTS SET text = text || '$evil' WHERE text GLOB 'step *' OR text = 'backward'")
	nsq-report -q -o "$BATS_TEST_TMPDIR/report" "$t" > /dev/null
	grep -q 'evil' "$BATS_TEST_TMPDIR/report/report.md"
	same "" "$(python3 "$TESTS/bad-files/markdown_links.py" < "$BATS_TEST_TMPDIR/report/report.md")"
}

# bats test_tags=more,slow
@test "a recipe takes what follows -- as traces, whatever they are called: the answer is that of a plain name" {
	odd=$'-w "q\' $(x) *?\\t=\\\tb\nc,d%s '
	cd "$BATS_TEST_TMPDIR"
	ln -s "$FIXTURES" "./$odd"
	bad=0
	while IFS='|' read -r r options traces; do
		given=()
		for f in $traces; do given+=("$odd/$f"); done
		"$r" $options -- "${given[@]}" 2> said | ODD=$odd python3 -c '
import os, sys
odd = os.environb[b"ODD"].replace(b"\\", b"\\\\").replace(b"\t", b"\\t").replace(b"\n", b"\\n")
sys.stdout.buffer.write(sys.stdin.buffer.read().replace(odd, b"tests/fixtures"))' > got
		cmp "$r.out" got || { echo "$r:"; cat said; bad=1; }
	done < <(recipes | each_nth 16)
	same 0 $bad
}

@test "nsq recipe who -- * does not run what a file is called, and -o may begin with a dash" {
	cd "$BATS_TEST_TMPDIR"
	cp "$BATS_FILE_TMPDIR/plain.sqlite" .
	printf '#!/bin/sh\ntouch ran\n' > prog
	chmod +x prog
	touch -- "--nsys=$(basename prog)" x.nsys-rep
	run --separate-stderr env PATH="$PWD:$PATH" nsq recipe who -- *
	[ ! -e ran ]
	holds "$stderr" "'--nsys=prog'"
	nsq recipe gpu-breakdown -q -o -out -- "$BATS_FILE_TMPDIR/plain.sqlite,an 'engine',-model,0" > /dev/null
	[ -s ./-out/result.html ]
	[ -s ./-out/result.csv ]
}

# bats test_tags=slow
@test "seconds of gpu-breakdown that are no number are a mistake" {
	for seconds in .e5 . .e 1e 1.2.3 1e5x 1e999; do
		run --separate-stderr nsq recipe gpu-breakdown -q "$BATS_FILE_TMPDIR/plain.sqlite,e,m,$seconds"
		same "2 " "$status $output"
		holds "$stderr" "takes a time in seconds"
	done
}

@test "bash completes names with blanks, tabs, line breaks, backslashes and quotes, and offers none as an option" {
	for t in "$NSQ_BIN"/nsq-*; do [ ! -x "$t" ] || manual "$t"; done | awk -v shell=bash -f "$TESTS/../share/completion.awk" > "$BATS_TEST_TMPDIR/completion"
	mkdir "$BATS_TEST_TMPDIR/in"
	cd "$BATS_TEST_TMPDIR/in"
	touch -- "my run.sqlite" $'tab\tx.sqlite' $'line\nbreak.sqlite' 'back\slash.sqlite' "quo'te.sqlite" '-dash.sqlite' '--nsys=PROG.sqlite' other.txt
	mkdir "di r"
	touch "di r/a b.qdrep"
	# completed WORD...: what the last word may become, in the shell's own quotes
	completed() { bash -c 'source "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _nsq; [ ${#COMPREPLY[@]} = 0 ] || printf "%q\n" "${COMPREPLY[@]}"' ../completion "$@"; }
	same "my\\ run.sqlite" "$(completed nsq-setup my)"
	same "my\\ run.sqlite" "$(completed nsq-setup 'my\ r')"
	same "my\\ run.sqlite" "$(completed nsq-setup '"my r')"
	same "\$'tab\\tx.sqlite'" "$(completed nsq recipe who ta)"
	same "\$'line\\nbreak.sqlite'" "$(completed nsq-setup li)"
	same 'back\\slash.sqlite' "$(completed nsq-setup 'back\\s')"
	same "quo\\'te.sqlite" "$(completed nsq-setup "quo\\'")"
	same 'di\ r/a\ b.qdrep' "$(completed nsq-setup 'di\ r/a')"
	touch torch.json.gz torch.json
	same $'torch.json\ntorch.json.gz' "$(completed nsq-import to | sort)"
	same "other.txt" "$(completed nsq-sql 'select 1' o)"
	same "" "$(completed nsq-setup o)"
	same "./--nsys=PROG.sqlite
./-dash.sqlite" "$(completed nsq-setup '' | grep -e -)"
	same -dash.sqlite "$(completed nsq-setup -- -d)"
	same "other.txt" "$(completed nsq-capture -o cap ot)"
	same "" "$(completed nsq-capture --range ot)"
	holds " $(completed nsq-capture -- slee | xargs) " " sleep "
}

# bats test_tags=more
@test "zsh completes such names, and offers none as an option" {
	command -v zsh > /dev/null || skip "no zsh"
	mkdir "$BATS_TEST_TMPDIR/functions" "$BATS_TEST_TMPDIR/in"
	for t in "$NSQ_BIN"/nsq-*; do [ ! -x "$t" ] || manual "$t"; done | awk -v shell=zsh -f "$TESTS/../share/completion.awk" > "$BATS_TEST_TMPDIR/functions/_nsq"
	cd "$BATS_TEST_TMPDIR/in"
	touch -- "my run.sqlite" $'tab\tx.sqlite' $'line\nbreak.sqlite' 'back\slash.sqlite' '--nsys=PROG.sqlite'
	completed() { timeout 600 zsh -f "$TESTS/bad-files/completed.zsh" ../functions "$1" | tail -1; }
	same "my\\ run.sqlite" "$(completed 'nsq-setup my')"
	same "tab\$'\\t'x.sqlite" "$(completed 'nsq recipe who ta')"
	same "line\$'\\n'break.sqlite" "$(completed 'nsq-setup li')"
	more || return 0
	same 'back\\slash.sqlite' "$(completed 'nsq setup ba')"
	same '--nsys=PROG.sqlite' "$(completed 'nsq-setup -- --n')"
	rm -- *
	touch -- -dash.sqlite
	same ./-dash.sqlite "$(completed 'nsq-setup ')"
	same ./-dash.sqlite "$(completed 'nsq recipe who ')"
	same ./-dash.sqlite "$(completed 'nsq-gate 1 ')"
	same ./-dash.sqlite "$(completed 'nsq-setup ./-')"
}
