# share/glossary.tsv: every word that the columns named there can hold, what it means, and the color that it has in every picture.
load ../helper

setup() { cd "$BATS_TEST_TMPDIR" || return; }

GLOSSARY=$TESTS/../share/glossary.tsv

# words COLUMN: those of the glossary.
words() { awk -F '\t' -v column="$1" '$1 == column { print $2 }' "$GLOSSARY" | sort; }

@test "a line of the glossary has a column, a word, two colors and a sentence, and a word has one color" {
	same "column${TAB}word${TAB}colour${TAB}meaning" "$(head -1 "$GLOSSARY")"
	same "" "$(tail -n +2 "$GLOSSARY" | grep -vP '^[a-z.]+\t[a-z_.]+\t#[0-9a-f]{6}/#[0-9a-f]{6}\t[A-Z][^\t"\\{}]{5,110}\.$')"
	same "" "$(cut -f1,2 "$GLOSSARY" | sort | uniq -d)"
	same "" "$(tail -n +2 "$GLOSSARY" | cut -f2,3 | sort -u | cut -f1 | uniq -d)"
	# a picture says the color on a dark background by the one on a light one
	same "" "$(tail -n +2 "$GLOSSARY" | cut -f3 | sort -u | cut -d/ -f1 | uniq -d)"
}

# bats test_tags=slow
@test "the words of a column differ in color for the color-blind too, and each from its background" {
	for column in $(tail -n +2 "$GLOSSARY" | cut -f1 | uniq); do
		light=$(awk -F '\t' -v column="$column" '$1 == column { print substr($3, 1, 7) }' "$GLOSSARY")
		dark=$(awk -F '\t' -v column="$column" '$1 == column { print substr($3, 9) }' "$GLOSSARY")
		read -rd '' a b c d < <(python3 "$TESTS/tools/plot.py" apart $light -- apart $dark -- contrast '#ffffff' $light -- contrast '#14181d' $dark) || true
		[ "$a" -ge 8 ] && [ "$b" -ge 8 ] && [ "$c" -ge 25 ] && [ "$d" -ge 25 ] || { echo "$column: $a $b $c $d"; false; }
	done
}

@test "nsq help words: all of it, a column, a word; an unknown one is answered with a known one" {
	same "$(tail -n +2 "$GLOSSARY" | cut -f2,4 | sort)" "$(nsq help words | grep '^  ' | sed -E 's/^  ([^ ]+) +/\1\t/' | sort)"
	same "$(words path.kind)" "$(nsq help words path.kind | awk '/^  / { print $1 }' | sort)"
	same "$(words owner; words nccl.cause)" "$(nsq help words cause | awk '/^  / { print $1 }' | sort -s -k1,1 | grep -vx 'gpu\|unexplained'; words nccl.cause)"
	same "owner: advise.kind: api.class: mfu.bound:" "$(nsq help words launch | grep '^[^ ]' | xargs)"
	fails 2 "no column or word 'lanch', did you mean 'launch'?" -- nsq help words lanch
	fails 2 "nsq help takes one topic" -- nsq help words launch sync
}

@test "every kind of share/findings is a word, and its severities are" {
	same "" "$(comm -23 <(sed -n 's/^-- kind: //p' "$TESTS"/../share/findings/*.sql | sort -u) <(words advise.kind))"
	same "high info low medium untrusted" "$(words severity | xargs)"
}

@test "help and --columns list the words of the glossary" {
	holds "$(manual nsq-ledger | tr -s '\n ' ' ')" "idle: $(awk -F '\t' '$1 == "owner" { print $2 }' "$GLOSSARY" | sed -n '/^launch$/,$p' | xargs) (nsq help words owner)"
	holds "$(manual nsq-stalls | tr -s '\n ' ' ')" " part $(awk -F '\t' '$1 == "part" { print $2 }' "$GLOSSARY" | xargs) (nsq"
	holds "$(nsq-api --each --columns)" "$(awk -F '\t' '$1 == "api.class" { print $2 }' "$GLOSSARY" | xargs) (nsq"
	same "" "$(for t in "$NSQ_BIN"/nsq-*; do manual "$t" | grep '[{}]' | grep -v "nsq-map\\|{}\\|{NAME}"; done)"
}

# What is asked of each trace: the column of the answer, that of the glossary, and the command.
commands() {
	cat <<-'END'
		owner	owner	nsq-ledger --by owner
		owner	owner	nsq-ledger --each
		cause	owner	nsq-gaps --by cause
		cause	owner	nsq-gaps --each
		part	part	nsq-stalls --by part
		cause	owner	nsq-stalls --by cause
		kind	path.kind	nsq-path
		kind	path.kind	nsq-path --each
		class	streams.class	nsq-streams
		owner	owner	nsq-kernels --work all --by owner
		class	api.class	nsq-api --by class
		class	api.class	nsq-api --each
		kind	advise.kind	nsq-advise --min-pct 0
		severity	severity	nsq-advise --min-pct 0
		bound	advise.bound	nsq-advise --verdict
		bound	mfu.bound	nsq-mfu --shapes
		cause	nccl.cause	nsq-nccl --stragglers
	END
}

fixtures() { first_few 3 "$FIXTURES"/{train,decode-graph-nodes,ddp-2rank}.sqlite "$FIXTURES"/*.sqlite; }

# wrong FILE...: the words of the glossary that a picture's legend, or one of a page, gives another color.
wrong() {
	python3 - "$GLOSSARY" "$@" <<-'END'
		import json, re, sys
		known = {word: tuple(colour.split("/")) for _, word, colour, _ in (line.split("\t") for line in open(sys.argv[1]))}
		met = set()
		for file in sys.argv[2:]:
		    text = open(file, encoding="utf-8").read()
		    legend = [(word, (light,)) for light, word in re.findall(r'<rect class="swatch" fill="(#\w+)"[^>]*/>\s*<text[^>]*>([a-z_.]+)</text>', text)]
		    legend += [(word, (light,)) for light, word in re.findall(r'<rect class="mark" fill="(#\w+)"[^>]*><title>(?:[^<]* · )?([a-z_.]+)(?:: [^<]*)?</title>', text)]
		    page = re.search(r'id="tracks">(.*?)</script>', text, re.S)
		    if page:
		        colours = json.loads(page.group(1))["colours"]
		        legend += [(word, (light, dark)) for kind in ("idle", "call", "finding", "other") for word, light, dark in colours[kind]]
		    for light, dark in re.findall(r'\[fill="(#\w+)"\] \{ fill: (#\w+); \}', text):
		        legend += [(word, (light, dark)) for word, colours in known.items() if colours[0] == light]
		    met |= {word for word, _ in legend if word in known}
		    for word, colours in legend:
		        if word in known and known[word][:len(colours)] != colours:
		            print(file, word, colours, known[word])
		print(len(met), "words")
	END
}

# bats test_tags=more,long
@test "no tool prints a word that is not in the glossary, of any fixture, and no picture gives one another color: plots, pages, reports, the breakdown of a run" {
	local column of command words=0 plots=0
	while IFS=$'\t' read -r column of command; do
		# a straggler's cause is an owner or another rank, too
		{ words "$of"; echo "-"; [ "$of" != nccl.cause ] || words owner; } | sort > known
		while read -r trace; do
			$command -q "$trace" 2> why > rows || [ $? = 3 ] || { cat why; false; }
			if [ "$command" != "$drawn" ]; then         # the same rows may be asked for two columns
				plots=$((plots + 1))
				nsq-plot -q --color "$column" rows > "$plots.svg" 2> why || { rm "$plots.svg"; [ $(wc -l < why) = 1 ]; }
			fi
			col "$column" < rows | sort -u | grep -v '^rank [0-9]*$' > met || continue
			words=$((words + $(wc -l < met)))
			same "" "$(comm -23 met known | sed "s|^|$command $trace: |")"
		done < <(fixtures)
		drawn=$command
	done < <(commands)
	[ $words -ge 90 ] || { echo "only $words words"; false; }
	first=$(fixtures | head -1)
	nsq-view -q -o page.html "$first" > /dev/null
	nsq-report -q --view -o report "$first" > /dev/null
	nsq-ledger -q --by owner "$first" | nsq-plot -q -f html > plot.html
	nsq recipe gpu-breakdown -q -o breakdown "$first" > /dev/null
	holds "$(cat breakdown/result.html)" "matmul"
	wrong ./*.svg ./*.html report/*.html breakdown/*.html "$TESTS/../share/picture.svg" > said
	same "" "$(sed '$d' said)"
	[ "$(tail -1 said | cut -d' ' -f1)" -ge 45 ] || { cat said; false; }
}
