# What every tool that reads tables promises on its command line; every-tool.bats has those that read traces,
# report.bats nsq-report, which reads whole traces alone, capture.bats nsq-capture, which reads none, and import.bats nsq-import.
load ../helper

# The words that each takes before its tables, or before the last of them.
words() { case $1 in nsq-sql) echo "select * from t" ;; nsq-gate) echo "1" ;; nsq-diff|nsq-plot) echo "$T" ;; *) return 1 ;; esac; }

# Those that print a table; nsq-plot draws one, and has its own -f and -n.
printing() { [ "$1" != nsq-plot ]; }

setup_file() {
	for tool in "$NSQ_BIN"/nsq-*; do
		[[ $("$tool" --help | head -1) == *@(" [TRACE...]"|" TRACE..."|" TRACE.json[.gz]..."|" -- COMMAND [ARGUMENT...]") ]] || echo "${tool##*/}"
	done > "$BATS_FILE_TMPDIR/tools"
}

setup() {
	mapfile -t TOOLS < "$BATS_FILE_TMPDIR/tools"
	T=$BATS_TEST_TMPDIR/t.tsv
	nsq-kernels -q "$COPIES" > "$T"
}

# ask TOOL [OPTION...]: its answer about T.
ask_tool() {
	local tool=$1
	shift
	"$tool" "$@" "$(words "$tool")" "$T"
}

# The last run exited CODE, and printed nothing on stdout and one line on stderr that quotes PART.
refused() { same "$1" "$status"; same "" "$output"; same 1 "${#stderr_lines[@]}"; holds "$stderr" "$TOOL: " "$2"; }

@test "every tool reads traces or tables, and those of tables are known here" {
	[ "${#TOOLS[@]}" -ge 2 ]
	for TOOL in "${TOOLS[@]}"; do
		echo "$TOOL"
		[ -n "$(words "$TOOL")" ]
		asked ask_tool "$TOOL" -q
		same "0 " "$status $stderr"
		[[ $("$TOOL" --help | head -1) == "usage: $TOOL [options] "*@(TABLE|BEFORE AFTER)* ]]
	done
}

@test "there is one header line in every format, and --columns names the same columns" {
	for TOOL in "${TOOLS[@]}"; do
		printing "$TOOL" || continue
		names=$(ask_tool "$TOOL" --columns | col name | paste -sd ' ')
		same "$names" "$(ask_tool "$TOOL" | head -1 | tr '\t' ' ')"
		same "$names" "$(ask_tool "$TOOL" -f csv | head -1 | tr ',' ' ')"
		same "name type unit meaning" "$(ask_tool "$TOOL" --columns | head -1 | tr '\t' ' ')"
		ask_tool "$TOOL" -f jsonl | jq -e . > /dev/null || [ -z "$(ask_tool "$TOOL" -f jsonl)" ]
	done
}

@test "--columns alone: exit 0 and the header; what the columns depend on is said" {
	for TOOL in "${TOOLS[@]}"; do
		asked "$TOOL" --columns
		same 0 "$status"
		same "name type unit meaning" "$(tr '\t' ' ' <<< "${lines[0]}")"
		if ! printing "$TOOL"; then holds "$stderr" "$TOOL draws a picture and prints no table"; continue; fi
		[ "$TOOL" = nsq-diff ] || holds "$stderr" "$TOOL: the columns depend on what $TOOL is given"
	done
}

@test "--help, --version: exit 0; nsq help has every option" {
	for TOOL in "${TOOLS[@]}"; do
		asked "$TOOL" --help
		same "0 " "$status $stderr"
		manual=$(manual "$TOOL")
		for option in "-n, --" "-f, --" "-q, --" --columns "-h, --help" "-V, --version"; do holds "$manual" " $option"; done
		if printing "$TOOL"; then holds "$manual" " -H, --"; else lacks "$manual" " -H, --"; fi
		lacks "$manual" "--merge"
		same "$output" "$("$TOOL" -h)"
		same "$output" "$("$TOOL" -n 3 -q --help)"
		asked "$TOOL" --version
		[[ $status$output =~ ^0"$TOOL"" ".*[0-9]+\.[0-9]+ ]]
		same "$output" "$("$TOOL" -V)"
	done
}

# bats test_tags=long
@test "every option in the help is known, and asks for its argument" {
	for TOOL in "${TOOLS[@]}"; do
		manual "$TOOL" | sed -n '/^options/,/^$/p' | grep -oE '^ +(-., )?--[a-z-]+( [A-Z][A-Za-z,.]*)?' | sed 's/^ *//; s/-., //' > "$BATS_TEST_TMPDIR/options"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/options")" -ge 7 ]
		while read -r option argument; do
			if [ -n "$argument" ]; then
				asked "$TOOL" "$option"
				refused 2 "'$option' needs an argument"
			else
				asked "$TOOL" "$option=x"
				refused 2 "'$option' takes no argument"
			fi
		done < "$BATS_TEST_TMPDIR/options"
	done
}

# bats test_tags=long
@test "unknown options, those of windows among them, and wrong values exit 2 with one line that quotes them" {
	for TOOL in "${TOOLS[@]}"; do
		for option in --nonsense -Z "-w 0..5" "-p 5" "-g 0" --merge --inside --rank=2; do
			asked ask_tool "$TOOL" $option
			case $TOOL$option in
			nsq-sql-[wpg]*) refused 2 "has no effect without '--finding'" ;;
			*) refused 2 "unknown option '${option%% *}'" ;;
			esac
		done
		for bad in "-f yaml" "-n 0" "-n x"; do
			asked ask_tool "$TOOL" $bad
			refused 2 "'${bad#* }'"
		done
		printing "$TOOL" || continue
		asked ask_tool "$TOOL" -H
		refused 2 "'-H' does not work in the format tsv, the default except on a terminal: "
	done
	fails 2 "unknown option '-j'" -- nsq-gate -j 2 1 "$T"
	answers nsq-sql -j 2 "select 1" "$T"
	fails 2 "'--all' has no effect without '--schema'" -- nsq-sql --all "select 1" "$T"
}

@test "a full disk is a lost write: exit 1 and a line" {
	for TOOL in "${TOOLS[@]}"; do
		local options=("" --help --version)
		if printing "$TOOL"; then options+=(--columns "-f table" "-f jsonl"); else options+=("-f text" "-f html"); fi
		for option in "${options[@]}"; do
			run bash -c "'$TOOL' $option '$(words "$TOOL")' '$T' 2>&1 > /dev/full"
			[ "$status" = 1 ] || [ "$TOOL $option" = "nsq-gate -f jsonl" ]          # which writes nothing: no row breaks 1
			[ "$status" = 0 ] || holds "$output" "$TOOL: " "No space left on device"
		done
	done
	run bash -c "nsq-gate 0 '$T' 2>&1 > /dev/full"
	same 4 "$status"
	holds "$output" "No space left on device"
}

@test "after -- a word may begin with a dash" {
	cp "$T" "$BATS_TEST_TMPDIR/-t"
	cd "$BATS_TEST_TMPDIR"
	asked nsq-gate -- "-1" -t
	same 0 "$status"
	asked nsq-sql -- "-- a comment
		select 1" -t
	same 0 "$status"
}
