# What every mode of every tool promises about its table: `load ../every-mode` after `load ../helper`.  A test file
# calls make_tables with the fixtures that it is about in setup_file, and load_modes in setup.

load ../whole-fixtures

# make_tables FIXTURE...: whole copies of the fixtures (whole-fixtures.bash), and copies with their rows in another
# order; what each mode says about all of them with one thread (base.I, said.I), and its columns.
make_tables() {
	local t
	cd "$BATS_FILE_TMPDIR"
	mkdir plain mixed
	for t; do
		t=$(BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/plain; change "$t" "$(completion "$t")")
		(BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/mixed; change "$t" "$(shuffling "$t")") > /dev/null
	done
	grep -v '^#' "$TESTS/modes.tsv" | tail -n +2 |
		while IFS= read -r line; do [ ! -x "$NSQ_BIN/${line%%"$TAB"*}" ] || echo "$line"; done > modes
	for tool in "$NSQ_BIN"/nsq-*; do
		"$tool" --help > help."${tool##*/}"
		read -r I < help."${tool##*/}"
		[[ $I != *" [TRACE...]" ]] || echo "${tool##*/}"
	done > tools
	load_modes
	cd plain
	for ((I = 0; I < ${#MODES[@]}; I++)); do
		mode "$I"
		"$TOOL" -q -j 1 $ARGS *.sqlite > ../base."$I" 2> ../said."$I" || echo "exit $?" >> ../said."$I"
		"$TOOL" $ARGS --columns > ../columns."$I"
	done > /dev/null
	cd ..
	for I in name type unit; do
		awk -F '\t' -v what="$I" 'FNR == 1 { if (NR > 1) print line; line = ""; for (c = 1; c <= NF; c++) if ($c == what) at = c; next }
			{ line = line (line == "" ? "" : " ") $at } END { print line }' $(of_modes columns) > "$I"s
	done
}

# MODES: the lines of modes.tsv whose tool is built, NAMES TYPES UNITS: of their columns.  TOOLS: those that read
# traces; every-table-tool.bats has the others.
load_modes() {
	mapfile -t MODES < "$BATS_FILE_TMPDIR/modes"
	mapfile -t TOOLS < "$BATS_FILE_TMPDIR/tools"
	[ ! -e "$BATS_FILE_TMPDIR/units" ] || {
		mapfile -t NAMES < "$BATS_FILE_TMPDIR/names"
		mapfile -t TYPES < "$BATS_FILE_TMPDIR/types"
		mapfile -t UNITS < "$BATS_FILE_TMPDIR/units"
	}
	declare -gA FIRST=([nsq-find]=e)        # what a tool must be given before the traces
}

# of_modes WHAT: the file WHAT.I of each mode.
of_modes() { seq -f "$BATS_FILE_TMPDIR/$1.%.0f" 0 $((${#MODES[@]} - 1)); }

# mode I: sets TOOL, ARGS and COLUMNS, and says which mode it is, to be seen when a test fails.
mode() {
	local rest=${MODES[$1]#*"$TAB"}
	TOOL=${MODES[$1]%%"$TAB"*} ARGS=${rest%%"$TAB"*} COLUMNS=${rest#*"$TAB"}
	echo "mode: $TOOL $ARGS"
}

# every_mode CHECK: runs it in each mode; $I is the mode's number.
every_mode() {
	for ((I = 0; I < ${#MODES[@]}; I++)); do
		mode "$I"
		"$1"
	done
	[ "$I" -gt 0 ]
}

# unless_lacking COMMAND...: it succeeds, or a trace lacks what the mode needs.
unless_lacking() { "$@" || [ $? = 3 ]; }

# ---- what the tests call, about the tables that make_tables made

# Each mode answers for every trace, without a word; a trace may lack what these two need.
every_mode_answers() {
	check() {
		case "$TOOL $ARGS" in
		"nsq-threads --os"|"nsq-threads --samples")
			same "" "$(grep -v -e ' holds no .*; capture them with nsys profile --' -e '^exit 3$' "$BATS_FILE_TMPDIR/said.$I")" ;;
		*) same "" "$(<"$BATS_FILE_TMPDIR/said.$I")" ;;
		esac
		[ -s "$BATS_FILE_TMPDIR/base.$I" ]
	}
	every_mode check
}

# --columns names what is printed.
headers_are_those_of_columns() {
	awk 'FNR == 1 { print; nextfile }' $(of_modes base) | tr '\t' ' ' | diff "$BATS_FILE_TMPDIR/names" -
}

# Whole nanoseconds, two decimals, - for what is missing.
values_are_of_their_types() {
	awk -F '\t' '
		FILENAME ~ /types$/ { types[++modes] = $0; next }
		FNR == 1 { n = split(types[++m], type, " "); for (i = 1; i <= NF; i++) name[i] = $i; next }
		NF != n { print FILENAME ": " NF " cells: " $0; bad = 1 }
		{ for (i = 1; i <= n; i++) if ($i != "-" && ((type[i] == "integer" && $i !~ /^-?[0-9]+$/) ||
			(type[i] == "decimal" && $i !~ /^-?[0-9]+\.[0-9][0-9]$/ &&
			!(name[i] ~ /gbps$/ && $i ~ /^0\.00+[1-9][0-9]$/)) || $i == "")) { print FILENAME ": " name[i] ": " $i; bad = 1 } }
		END { exit bad || m != modes }' "$BATS_FILE_TMPDIR/types" $(of_modes base)
}

# spans: "trace a b" of what was captured; with an argument, of the CPU's own events too.
spans() {
	local t
	for t in *.sqlite; do
		ask "$FIXTURES/$t" "SELECT '$t', min(a), max(b) FROM procs"
		sql "$t" "SELECT '$t', min(timestamp), max(timestamp) + 1 FROM GPU_METRICS WHERE timestamp >= 0"
		[ -n "${1-}" ] || continue
		sql "$t" "SELECT '$t', min(start), max(end) FROM OSRT_API WHERE start >= 0" 2> /dev/null || :
		sql "$t" "SELECT '$t', min(start), max(start) + 1 FROM SCHED_EVENTS WHERE start >= 0" 2> /dev/null || :
		sql "$t" "SELECT '$t', min(start), max(start) + 1 FROM COMPOSITE_EVENTS WHERE start >= 0" 2> /dev/null || :
	done | awk -F '\t' -v OFS='\t' '$2 == "" { next } !($1 in a) || $2 < a[$1] { a[$1] = $2 } $3 > b[$1] { b[$1] = $3 }
		END { for (t in a) print t, a[t], b[t] }'
}

# Every row cites a window of its trace.
rows_cite_windows_of_their_trace() {
	local files=() cpu=()
	cd "$FIXTURES"
	spans > "$BATS_TEST_TMPDIR/spans"
	spans cpu > "$BATS_TEST_TMPDIR/cpu-spans"
	check() {
		[ "${ARGS%% *}" != --facts ] || return 0
		case $TOOL in nsq-threads|nsq-find|nsq-view) cpu+=("$BATS_FILE_TMPDIR/base.$I") ;; *) files+=("$BATS_FILE_TMPDIR/base.$I") ;; esac
	}
	every_mode check
	cited() {
		awk -F '\t' '
			NR == FNR { a[$1] = $2; b[$1] = $3; next }
			FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			{ t = $at["trace"]; from = $at["start_ns"]; to = $at["end_ns"]; rows++ }
			!(t in a) || from < a[t] || to > b[t] || from > to || $at["pid"] !~ /^([0-9]+|-)$/ { print FILENAME ": " $0; bad = 1 }
			END { exit bad || !rows }' "$@"
	}
	cited "$BATS_TEST_TMPDIR/spans" "${files[@]}"
	cited "$BATS_TEST_TMPDIR/cpu-spans" "${cpu[@]}"
}

# Rows come by trace in the order given.
rows_come_by_trace() {
	local files=()
	check() {
		# these are ordered over all traces, the traces of a job are one list, and links lead from one to another
		case "$TOOL $ARGS" in *" --stragglers" | *" --each --ranks" | nsq-advise*) return 0 ;; esac
		files+=("$BATS_FILE_TMPDIR/base.$I")
	}
	every_mode check
	awk -F '\t' 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "trace") c = i; last = ""; next }
		$c < last { print FILENAME ": " $c " after " last; bad = 1 } { last = $c } END { exit bad }' "${files[@]}"
}

# tables_stay FOLDER THREADS: the same bytes about the traces there, with so many threads.
tables_stay() {
	local threads=$2
	cd "$BATS_FILE_TMPDIR/$1"
	check() { "$TOOL" -q -j "$threads" $ARGS *.sqlite | cmp - "$BATS_FILE_TMPDIR/base.$I"; }
	every_mode check
}

# The mixed copies have their rows in another order, and nothing else.
mixed_are_mixed() {
	local t
	cd "$BATS_FILE_TMPDIR/mixed"
	for t in *.sqlite; do
		[ "$(sql "$t" 'SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 9')" != "$(sql "../plain/$t" 'SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 9')" ]
		same "$(sql "../plain/$t" 'SELECT sql FROM sqlite_master ORDER BY name')" "$(sql "$t" 'SELECT sql FROM sqlite_master ORDER BY name')"
	done
}
