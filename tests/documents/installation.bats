# What an installation holds: programs, man pages, completion, the skill.

load ../helper
load ../installed

@test "an installation works away from the source tree" {
	cd "$BATS_TEST_TMPDIR"
	cp "$OLDPWD/$trace" run.sqlite
	export PATH=/usr/bin:/bin
	run -0 "$USR/bin/nsq"
	[[ "$output" == *"Is communication hidden behind compute"* ]]
	[ "$("$USR/bin/nsq" recipes | wc -l)" -ge 16 ]
	run -0 "$USR/bin/nsq" recipe who run.sqlite
	[ "${#lines[@]}" -eq 5 ]
	"$USR/bin/nsq" help conventions | cmp - "$USR/share/nsq/conventions.md"
	"$USR/bin/nsq" help gaps | sed '1,/^exit: /d' | cmp - <(echo && cat "$USR/share/nsq/conventions/gaps.md")
	"$USR/bin/nsq" help skill | cmp - "$USR/share/nsq/SKILL.md"
	[ "$(cd "$USR/share/nsq/findings" && ls | xargs)" = "$(cd "$TESTS/../share/findings" && ls | xargs)" ]
	ln -s "$USR/bin/nsq" link
	run -0 ./link setup run.sqlite
	run -0 ./link demo
	[ "${lines[0]}" = "wrote demo.sqlite: eight steps of a training loop in PyTorch on one GPU" ]
	cmp demo.sqlite "$OLDPWD/tests/fixtures/train.sqlite"
}

# bats test_tags=slow
@test "there is a man page for nsq, for every tool and for the conventions, which man reads without a warning" {
	for t in nsq $(tools); do [ -s "$USR/share/man/man1/$t.1" ]; done
	[ -s "$USR/share/man/man7/nsq-conventions.7" ]
	for t in $(tools); do [ "$(grep -c '^\.SH "CONVENTIONS"' "$USR/share/man/man1/$t.1")" -eq 1 ] || { echo "$t.1"; false; }; done
	for t in $(tools); do
		page=$(<"$USR/share/man/man1/$t.1") help=$(manual "$t")
		for option in $(sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' <<< "$help"); do holds "$page" "${option//-/\\-}"; done
		for mode in "" --each --list --total --tree --launch --kernels --facts; do
			[[ -z "$mode" || "$help" == *$'\n'"columns with $mode:"* ]] || continue
			for column in $("$t" $mode --columns -f tsv | sed 1d | cut -f1); do holds "$page" $'\n'".B $column"; done
			holds "$page" "${mode:+.SS with ${mode//-/\\-}}"
		done
	done
	# a meaning of two lines is one entry
	grep -A2 '^\.B p_value' "$USR/share/man/man1/nsq-diff.1" | tail -1 | grep -q '^(two.*Mann'
	command -v groff > /dev/null || skip "no groff to read them"
	run -0 groff -man -Tutf8 -ww -z "$USR"/share/man/man?/*
	same "" "$output"
}

# bats test_tags=more,slow
@test "bash completes every option of every tool, and only words that the tool takes" {
	source "$USR/share/bash-completion/completions/nsq"
	complete() (
		set +eET
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_nsq
		printf '%s\n' "${COMPREPLY[@]}"
	)
	TABLE=$BATS_TEST_TMPDIR/table.tsv
	nsq-setup -q "$trace" > "$TABLE"
	for t in $(tools | each_nth 5); do
		[ -e "$USR/share/bash-completion/completions/$t" ]
		manual "$t" | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '-[-a-zA-Z0]+' | sort > "$BATS_TEST_TMPDIR/want"
		complete "$t" - | sort | diff "$BATS_TEST_TMPDIR/want" -
		complete nsq "${t#nsq-}" - | sort | diff "$BATS_TEST_TMPDIR/want" -
		for option in --by --format; do
			grep -qx -- "$option" "$BATS_TEST_TMPDIR/want" || continue
			[ -n "$(complete "$t" $option "")" ]
			case $t in nsq-sql) given="--schema" ;; nsq-gate) given="1 $TABLE" ;; nsq-mfu) given=--shapes ;; *) given= ;; esac
			for word in $(complete "$t" $option ""); do
				# a PNG needs rsvg-convert, which may be missing
				case $t in nsq-plot) [ "$word" = png ] || "$t" $option "$word" "$TABLE" ;; nsq-map) "$t" $option "$word" 'cat {}' "$TABLE" ;; *) "$t" $option "$word" --columns $given ;; esac > /dev/null
			done
		done
	done
	for word in $(complete nsq-window --pick ""); do nsq-window -q --pick "$word" "$trace" > /dev/null; done
	for word in $(complete nsq-api --class ""); do nsq-api -q --class "$word" "$trace" > /dev/null; done
	for t in gaps kernels; do
		for word in $(complete nsq-$t --work ""); do nsq-$t -q --work "$word" "$trace" > /dev/null; done
	done
	for word in $(complete nsq-plot --kind ""); do nsq-window --pick all "$trace" | nsq-plot -q --kind "$word" > /dev/null; done
	[ "$(complete nsq-plot --kind s)" = stack ]
	[ "$(complete nsq-kernels --by name,c)" = name,category ]
	[ "$(complete nsq-kernels --categories stag)" = stages ]
	[ "$(complete nsq ov)" = overlap ]
	[ "$(complete nsq help con)" = conventions ]
	[ "$(complete nsq mcp tests/fixtures/s)" = tests/fixtures/shapes ]
	[ "$(complete "$USR/bin/nsq" recipe gpu-s)" = gpu-starved ]
	mkdir -p "$BATS_TEST_TMPDIR/mine"
	cp recipes/who "$BATS_TEST_TMPDIR/mine/gpu-own"
	NSQ_RECIPES=$BATS_TEST_TMPDIR/mine complete "$USR/bin/nsq" recipe gpu-o | grep -qx gpu-own
	[ "$(NSQ_RECIPES=$BATS_TEST_TMPDIR/mine complete "$USR/bin/nsq" recipe --check gpu-o)" = gpu-own ]
	[ "$(complete "$USR/bin/nsq" recipe --c)" = --check ]
	[ "$(complete "$USR/bin/nsq" recipe recipes/who.o)" = recipes/who.out ]
	[ "$(complete nsq-setup tests/fixtures/torch)" = tests/fixtures/torch-compile.sqlite ]
	[ -z "$(complete nsq-setup "${TABLE%.tsv}")" ]
	[ "$(complete nsq-gate "${TABLE%.tsv}")" = "$TABLE" ]
	[ "$(complete nsq sql "${TABLE%.tsv}")" = "$TABLE" ]
}

@test "zsh completion holds every option with its help" {
	zsh=$USR/share/zsh/site-functions/_nsq
	for t in $(tools); do
		sed -n "1p" "$zsh" | grep -q " $t\b"
		part=$(awk -v t="$t)" '$1 ~ /^nsq-.*\)$/ { on = $1 == t } on' "$zsh")
		for option in $(manual "$t" | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'); do
			[[ $part == *"$option"[}\']* ]] || { echo "_nsq: $t lacks $option"; false; }
		done
	done
	command -v zsh > /dev/null || skip "no zsh to read it"
	zsh -n "$zsh"
}

@test "install-skill puts the skill where it is told, with what it refers to" {
	run -2 make -s install-skill
	make -s install-skill DIR="$BATS_TEST_TMPDIR/skills"
	cmp share/SKILL.md "$BATS_TEST_TMPDIR/skills/nsq/SKILL.md"
	for page in conventions.md $(cd share && echo references/*.md); do
		cmp "share/$page" "$BATS_TEST_TMPDIR/skills/nsq/$page"
		grep -qF "(\`$page\`)" share/SKILL.md || { echo "the skill does not name $page"; false; }
	done
	diff -r share/conventions "$BATS_TEST_TMPDIR/skills/nsq/conventions"
	[ -x "$BATS_TEST_TMPDIR/skills/nsq/recipes/ep-overlap" ]
	# with the manifest it is a plugin, whose server starts
	plugin=$BATS_TEST_TMPDIR/skills/nsq/.claude-plugin/plugin.json
	cmp "$plugin" "$USR/share/nsq/.claude-plugin/plugin.json"
	same "$(nsq --version) nsq mcp \${NSQ_TRACES:-.} ./" "nsq $(jq -r '.version, (.mcpServers.nsq | .command, .args[]), .skills[]' "$plugin" | xargs -d '\n')"
	same "" "$(nsq mcp . < /dev/null)"
}

@test "the skill has the form of an Agent Skill" {
	[ "$(sed -n 1p share/SKILL.md)" = --- ]
	[ "$(sed -n 2p share/SKILL.md)" = "name: nsq" ]
	description=$(sed -n '3s/^description: //p' share/SKILL.md)
	[ -n "$description" ]
	[ ${#description} -le 1024 ]
	[[ "$description" == *"Use it when"* ]]
	[[ "$description" != *": "* ]]
	[ "$(sed -n 4p share/SKILL.md)" = --- ]
	[ "$(wc -c < share/SKILL.md)" -le 4000 ]         # an agent pays for it each time it loads it
	for t in $(tools); do
		grep -q "nsq ${t#nsq-}\b" share/references/questions.md || { echo "no question is answered by $t"; false; }
		grep -q "^- \*\*${t#nsq-}\*\*: " share/references/tables.md || { echo "how to read $t is missing"; false; }
	done
}

@test "uninstall leaves nothing" {
	cp -a "$DEST" "$BATS_TEST_TMPDIR/dest"
	make -s uninstall DESTDIR="$BATS_TEST_TMPDIR/dest" PREFIX=/usr
	run -0 find "$BATS_TEST_TMPDIR/dest" ! -type d
	[ -z "$output" ]
}
