# What every tool promises, checked for every tool there is, in every mode of modes.tsv, on fixtures that hold what
# each of them needs.
load ../helper
load ../whole-fixtures

setup_file() {
	make_tables $(some_or_all "$FIXTURES"/{dualpipe-pp2ep2,threads-copies,threads-samples,torch-compile}.sqlite)
}

setup() { load_modes; use_whole_fixtures "$BATS_FILE_TMPDIR/plain"; }

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
		manual "$tool" > help."${tool##*/}"
		"$tool" --help > screen."${tool##*/}"
		read -r I < help."${tool##*/}"
		case ${tool##*/} in nsq-tui | nsq-map) continue ;; esac         # which print no table of their own
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
# traces; every-table-tool.bats has the others, map.bats nsq-map, which runs them.
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

# some_modes CHECK: the same in two modes of each tool: its own, and its rows one by one; where MORE=1, in all.
some_modes() {
	local last= n=0
	for ((I = 0; I < ${#MODES[@]}; I++)); do
		mode "$I"
		[ "$TOOL" = "$last" ] || n=0
		last=$TOOL
		more || [ $((n++)) = 0 ] || [[ $ARGS == --each ]] || continue
		"$1"
	done
}

# few_modes CHECK: the same in every ninth mode, for what all tools have from one place; where MORE=1, in all.
few_modes() {
	for ((I = 0; I < ${#MODES[@]}; I += $(if more; then echo 1; else echo 9; fi))); do
		mode "$I"
		"$1"
	done
}

# unless_lacking COMMAND...: it succeeds, or a trace lacks what the mode needs.
unless_lacking() { "$@" || [ $? = 3 ]; }

# fitting TRACE: a trace that has what the mode at hand needs: this one, if it does.
fitting() {
	case "$TOOL $ARGS" in
	"nsq-threads --os") echo "$COPIES" ;;
	"nsq-threads --samples"|"nsq-threads --stacks"*) echo "$SAMPLES" ;;
	*) echo "$1" ;;
	esac
}

# a_case CODE PART COMMAND...: a line for cases.py, which runs them all.
a_case() { local IFS=$TAB; echo "$*"; }
@test "every tool has its modes listed" {
	[ "${#TOOLS[@]}" -gt 0 ]
	for tool in "${TOOLS[@]}"; do
		echo "$tool"
		grep -q "^$tool$TAB${FIRST[$tool]-}$TAB" "$TESTS/modes.tsv"
	done
}

# bats test_tags=more,long
@test "every mode answers for every fixture; under -q it only warns" {
	check() {
		sed -i '/: warning: /d' "$BATS_FILE_TMPDIR/said.$I"
		case "$TOOL $ARGS" in
		"nsq-threads --os"|"nsq-threads --samples"|"nsq-threads --stacks"*)
			same "" "$(grep -v -e ' holds no .*; capture them with nsys profile --' -e '^exit 3$' "$BATS_FILE_TMPDIR/said.$I")" ;;
		*) same "" "$(<"$BATS_FILE_TMPDIR/said.$I")" ;;
		esac
		[ -s "$BATS_FILE_TMPDIR/base.$I" ]
	}
	every_mode check
}

# bats test_tags=more
@test "--columns names the columns that are printed" {
	awk 'FNR == 1 { print; nextfile }' $(of_modes base) | tr '\t' ' ' | diff "$BATS_FILE_TMPDIR/names" -
}

@test "the columns are those that the contract promises, in its order" {
	check() {
		case $ARGS:$COLUMNS in
		--facts*:*) same "$COLUMNS" "${NAMES[I]}" ;;
		*:?*) same "pid rank start_ns end_ns gpu $COLUMNS window trace" "${NAMES[I]}" ;;
		esac
	}
	every_mode check
}

@test "every table begins with pid rank start_ns end_ns gpu and ends with window trace" {
	check() {
		[ "${ARGS%% *}" = --facts ] && return
		[[ ${NAMES[I]} =~ ^"pid rank start_ns end_ns gpu ".*" window trace"$ ]]
	}
	every_mode check
}

@test "--columns describes each column: name, type, unit, meaning; units are in the names" {
	for file in $(of_modes columns); do
		read -r header < "$file"
		same "name${TAB}type${TAB}unit${TAB}meaning" "$header"
	done
	awk -F '\t' '
		FNR == 1 { next }
		$1 !~ /^[a-z][a-z0-9_]*$/ || $4 == "-" || $4 == "" { bad = 1; print FILENAME ": name or meaning: " $0 }
		$2 != "integer" && $2 != "decimal" && $2 != "text" { bad = 1; print FILENAME ": type: " $0 }
		$1 ~ /_ns$/ && ($2 != "integer" || $3 != "ns") { bad = 1; print FILENAME ": ns: " $0 }
		$1 ~ /(^|_)pct$/ && ($2 != "decimal" || $3 != "%") { bad = 1; print FILENAME ": pct: " $0 }
		$1 ~ /(^|_)gbps$/ && $2 != "decimal" { bad = 1; print FILENAME ": gbps: " $0 }
		$1 ~ /(^|_)bytes$/ && $2 != "integer" { bad = 1; print FILENAME ": bytes: " $0 }
		END { exit bad }' $(of_modes columns)
}

# bats test_tags=more
@test "values are of the type of their column: whole nanoseconds, two decimals, - for what is missing" {
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

# bats test_tags=more
@test "every row cites a window of its trace" {
	files=() cpu=()
	cd "$FIXTURES"
	spans > "$BATS_TEST_TMPDIR/spans"
	spans cpu > "$BATS_TEST_TMPDIR/cpu-spans"
	check() {
		[ "${ARGS%% *}" != --facts ] || return 0
		case $TOOL in nsq-threads|nsq-find|nsq-view|nsq-export) cpu+=("$BATS_FILE_TMPDIR/base.$I") ;; *) files+=("$BATS_FILE_TMPDIR/base.$I") ;; esac
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

# bats test_tags=more
@test "rows come by trace in the order given" {
	files=()
	check() {
		# these are ordered over all traces, the traces of a job are one list, and links lead from one to another
		case "$TOOL $ARGS" in *" --stragglers" | *" --last" | *" --each --ranks" | nsq-advise*) return 0 ;; esac
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
	some_modes check
}

# bats test_tags=slow
@test "the same bytes for any number of threads" {
	tables_stay plain 2
}

# bats test_tags=more,long
@test "the same bytes for any order of rows in the tables, with eight threads" {
	cd "$BATS_FILE_TMPDIR/mixed"
	for t in *.sqlite; do
		[ "$(sql "$t" 'SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 9')" != "$(sql "../plain/$t" 'SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 9')" ]
		same "$(sql "../plain/$t" 'SELECT sql FROM sqlite_master ORDER BY name')" "$(sql "$t" 'SELECT sql FROM sqlite_master ORDER BY name')"
	done
	tables_stay mixed 8
}

# bats test_tags=more
@test "a trace is never written, nothing is left beside it, and its folder may be read-only" {
	mkdir "$BATS_TEST_TMPDIR/ro"
	cp $(first_few 2 "$COPIES" "$SAMPLES" "$DUALPIPE") "$BATS_TEST_TMPDIR/ro"
	touch -d '2020-01-01' "$BATS_TEST_TMPDIR/ro"/*
	chmod 444 "$BATS_TEST_TMPDIR/ro"/*
	chmod 555 "$BATS_TEST_TMPDIR/ro"
	state() { find "$BATS_TEST_TMPDIR/ro" -printf '%p %m %s %T@ %C@\n' | sort; cksum "$BATS_TEST_TMPDIR/ro"/*; }
	before=$(state)
	check() {
		more || [ "$ARGS" = "${FIRST[$TOOL]-}" ] || return 0
		cd "$BATS_TEST_TMPDIR/ro"
		unless_lacking "$TOOL" -q $ARGS *.sqlite > ../out
		[ -s ../out ]
	}
	every_mode check
	same "$before" "$(state)"
	chmod 755 "$BATS_TEST_TMPDIR/ro"
}

@test "a trace is not locked: one that another program holds is read" {
	t=$(change "$COMPILE" "SELECT 1")
	mkfifo "$BATS_TEST_TMPDIR/"{held,done}
	sqlite3 "$t" "BEGIN EXCLUSIVE;" ".shell echo > '$BATS_TEST_TMPDIR/held'; cat '$BATS_TEST_TMPDIR/done'" 3>&- &
	read -r < "$BATS_TEST_TMPDIR/held"
	run timeout 300 nsq-setup "$t"
	echo > "$BATS_TEST_TMPDIR/done"
	wait $!
	same 0 "$status"
}

# ---- formats

# few FORMAT: some rows of each window of the mode at hand in that format, in a file; prints its name.
few() {
	local file=$BATS_FILE_TMPDIR/few.$I.$1 some="-n 6"
	[ "${ARGS%% *}" != --facts ] || some=
	[ -e "$file" ] || unless_lacking "$TOOL" -q $ARGS $some -f "$1" $(if more; then echo "$DUALPIPE" "$SAMPLES"; fi) "$(fitting "$COPIES")" > "$file" 2> "$file.err"
	echo "$file"
}

# bats test_tags=more
@test "jsonl: numbers are numbers, what is missing is null, and the values are those of tsv" {
	# each row twice: its values, decimals in their shortest form, and their types in JSON
	check() {
		few jsonl > /dev/null
		awk -F '\t' -v OFS='\t' -v types="${TYPES[I]}" 'NR == 1 { split(types, type, " "); next }
			{ for (i = 1; i <= NF; i++) {
				kind = kind (i > 1 ? OFS : "") ($i == "-" ? "null" : type[i] == "text" ? "string" : "number")
				if (type[i] == "decimal" && $i != "-") $i = sprintf("%.15g", $i) }
			  print; print kind; kind = "" }' "$(few tsv)" >> "$BATS_TEST_TMPDIR/tsv"
	}
	few_modes check
	jq -r '([.[] | if . == null then "-" else . end], [.[] | type]) | @tsv' \
		$(ls -v "$BATS_FILE_TMPDIR"/few.*.jsonl) > "$BATS_TEST_TMPDIR/jsonl"
	diff "$BATS_TEST_TMPDIR/tsv" "$BATS_TEST_TMPDIR/jsonl"
}

# bats test_tags=more
@test "csv: SQLite's own reader finds the values of tsv" {
	local import=()
	check() {
		import+=(".import --csv $(few csv) t$I" "SELECT * FROM t$I")
		same "$(head -1 "$(few tsv)")" "$(head -1 "$(few csv)" | tr ',' '\t')"
		rows < "$(few tsv)" >> "$BATS_TEST_TMPDIR/tsv"
	}
	few_modes check
	sqlite3 -batch :memory: ".mode json" "${import[@]}" | jq -r '.[] | [.[]] | @tsv' > "$BATS_TEST_TMPDIR/csv"
	diff "$BATS_TEST_TMPDIR/tsv" "$BATS_TEST_TMPDIR/csv"
}

# captioned FILE: of the table in that TSV, the columns that hold the same in all of two or more rows, unless all do, as
# the caption says them, trace and window first; then the table without them.
captioned() {
	awk -F '\t' -v OFS='\t' '
		{ line[NR] = $0 }
		NR == 1 { n = split($0, name); next }
		NR == 2 { split($0, first); next }
		{ for (i = 1; i <= n; i++) if ($i "" != first[i] "") varies[i] = 1 }
		function say(i) { if (moved[i]) { printf "%s%s %s", told ? " · " : "", name[i], first[i]; told = 1 } }
		END { for (i = 1; i <= n; i++) { moved[i] = NR > 2 && !varies[i]; all += moved[i]; title[i] = name[i] == "trace" || name[i] == "window" }
			for (i = 1; i <= n; i++) if (all == n) moved[i] = 0
			for (i = n; i > 0; i--) if (title[i]) say(i)
			for (i = 1; i <= n; i++) if (!title[i]) say(i)
			if (told) print ""
			for (r = 1; r <= NR; r++) { split(line[r], cell); s = ""
				for (i = 1; i <= n; i++) if (!moved[i]) s = s (s == "" ? "" : OFS) cell[i]
				print s } }' "$1"
}

# unmarked: cells of Markdown as they are read.
unmarked() { sed 's/\\\([][*_~|]\)/\1/g; s/`\([^`]*\)`/\1/g; s/&lt;/</g; s/&gt;/>/g; s/&#96;/`/g; s/&#92;/\\/g; s/&amp;/\&/g'; }

# bats test_tags=more
@test "md: a table of pipes with the values of tsv, those that all rows share in a line above it" {
	check() {
		same "$(captioned "$(few tsv)")" "$(awk '
			NR == 1 && !/^\|/ { print; above = 2; next }
			NR == above { if ($0 != "") print "no empty line"; next }
			NR == above + 2 { if ($0 !~ /^\|(-+[-:]\|)+$/) print "no rule"; next }
			{ sub(/^\| /, ""); sub(/ \|$/, ""); n = split($0, cell, / \| /)
			for (i = 1; i <= n; i++) { gsub(/^ +| +$/, "", cell[i]); printf "%s%s", cell[i], i < n ? "\t" : "\n" } }' "$(few md)" | unmarked)"
	}
	few_modes check
}

# bats test_tags=more
@test "table: aligned columns with the values of tsv, those that all rows share in a line above it" {
	check() {
		same "$(captioned "$(few tsv)")" "$(awk '
			NR == 1 && /^[a-z_]+ [^ ]/ { print; next }
			{ line[++rows] = $0; if (length($0) > wide) wide = length($0)
			  for (i = 1; i <= length($0); i++) if (substr($0, i, 1) != " ") used[i] = 1 }
			END { for (i = 1; i <= wide; i++)           # two empty places side by side part two columns
				if (used[i] || (used[i - 1] && used[i + 1])) { if (!inside) { from[++n] = i; inside = 1 } to[n] = i } else inside = 0
			  for (r = 1; r <= rows; r++) for (c = 1; c <= n; c++) {
				s = substr(line[r], from[c], to[c] - from[c] + 1); gsub(/^ +| +$/, "", s); printf "%s%s", s, c < n ? "\t" : "\n" } }' "$(few table)")"
	}
	few_modes check
}

@test "the caption: trace and window first, then what else all rows share, - too; not of one row or none, nor every column" {
	cd "$FIXTURES"
	same "trace threads-copies.sqlite · window - · pid 475 · rank - · start_ns 0 · end_ns 50000000 · gpu - · dst device" \
		"$(nsq-mem -f table -p 475 -w 0..50ms threads-copies.sqlite | head -1 | sed 's/start_ns [0-9]*/start_ns 0/')"
	same "pid" "$(nsq-mem -f table -n 1 -q threads-copies.sqlite | awk 'NR == 1 { print $1 }')"
	same "pid" "$(nsq-kernels -q -f table -m nothing threads-copies.sqlite | awk 'NR == 1 { print $1 }')"
	# the same window twice: every column holds the same, and none is moved
	same "3 pid" "$(nsq-gaps -q -f table -w 40ms..50ms -w 40ms..50ms threads-copies.sqlite | awk 'NR == 1 { name = $1 } END { print NR, name }')"
	# what is told apart by nanoseconds is not the same, with -H too
	same "0" "$(nsq-gaps -H -q -f table -w 40000000..50000000 -w 40000001..50000000 threads-copies.sqlite | head -1 | grep -c ' start 0.04' || true)"
}

# human: "number unit text" on stdin; the number and the text as -H writes it, where the unit is ns, bytes or moment.
human() {
	awk -F '\t' -v OFS='\t' '
		$2 == "moment" && $3 != "-" { print $1, sprintf("%d.%09d s", $3 / 1000000000, $3 % 1000000000); next }
		$3 == "-" || ($2 != "ns" && $2 != "bytes") { print $1, $3; next }
		{ bytes = $2 == "bytes"; split(bytes ? "B KiB MiB GiB" : "ns us ms s", unit, " "); step = bytes ? 1024 : 1000
		  x = $3 < 0 ? -$3 : $3
		  for (u = 1; u <= 4; u++) { s = sprintf(u == 1 ? "%d" : bytes ? "%.1f" : "%.3f", x); if (s + 0 < step || u == 4) break; x /= step }
		  print $1, ($3 < 0 ? "-" : "") s " " unit[u] }'
}

# bats test_tags=slow
@test "-H: times and bytes have a unit in table and md, in every mode; everything else stays" {
	check() {
		local file=$BATS_TEST_TMPDIR/plain
		[ "${ARGS%% *}" != --facts ] || return 0
		unless_lacking "$TOOL" -q $ARGS -n 1 -p 695 -f tsv "$DUALPIPE" > "$file"
		[ "$(wc -l < "$file")" = 2 ] || return 0        # --by and the like may give several windows, or none
		seen=$((seen + 1))
		"$TOOL" -q $ARGS -n 1 -p 695 -H -f md "$DUALPIPE" |
			awk -v mode="$TOOL $ARGS" 'NR == 1 { print mode } NR != 2 { sub(/^\| /, ""); sub(/ \|$/, ""); n = split($0, cell, / \| /)
				for (i = 1; i <= n; i++) { gsub(/^ +| +$/, "", cell[i]); print i "\t" cell[i] } }' | unmarked >> "$BATS_TEST_TMPDIR/got"
		awk -F '\t' -v mode="$TOOL $ARGS" -v units="${UNITS[I]}" '
			BEGIN { n = split(units, unit, " ") }
			NR == 1 { print mode "\t-\t-"
				for (i = 1; i <= n; i++) { name[i] = $i; if (unit[i] == "ns" || unit[i] == "bytes") sub("_" unit[i] "$", "", name[i]); seen[name[i]]++ }
				for (i = 1; i <= n; i++) print i "\t-\t" (seen[name[i]] > 1 ? $i : name[i]) }
			NR == 1 { for (i = 1; i <= n; i++) if ($i ~ /^(start|end|launch|cpu_start|cpu_end|peak)_ns$/) unit[i] = "moment" }
			NR == 2 { for (i = 1; i <= n; i++) print i "\t" unit[i] "\t" $i }' "$file" >> "$BATS_TEST_TMPDIR/want"
	}
	seen=0
	every_mode check
	diff <(human < "$BATS_TEST_TMPDIR/want" | sed 's/^\(nsq-.*\)\t-$/\1/') "$BATS_TEST_TMPDIR/got"
	[ "$seen" -gt 30 ]
}

@test "-H: the unit is the largest of which there is one; what would round up to 1000 is in the next" {
	cd "$BATS_TEST_TMPDIR"
	# amounts COLUMN NUMBER...: as -H writes them
	amounts() { printf '%s\n' "$@" > t.csv; nsq-sql -H -f md "select $1 from t" t.csv | sed '1,2d; s/^| *//; s/ *|$//'; }
	printf '%s\n' "0 ns" "1 ns" "999 ns" "1.000 us" "4.057 us" "999.999 us" "1.000 ms" "4.057 ms" "999.999 ms" "1.000 s" "1.000 s" "3723.004 s" |
		diff - <(amounts total_ns 0 1 999 1000 4057 999999 1000000 4057123 999999499 999999500 1000000000 3723004005006)
	printf '%s\n' "0 B" "1023 B" "1.0 KiB" "1.5 KiB" "1023.9 KiB" "1.0 MiB" "1.5 MiB" "1.0 GiB" "2048.0 GiB" |
		diff - <(amounts bytes 0 1023 1024 1536 1048473 1048525 1572864 1073741824 2199023255552)
}

@test "-H: refused where programs read, be it by default, and where there is nothing to write so" {
	for TOOL in "${TOOLS[@]}"; do
		for format in tsv csv jsonl; do
			a_case 2 "'-H' does not work in the format $format: " "$TOOL" -H -f $format "$COPIES"
		done
		a_case 2 "'-H' does not work in the format tsv, the default except on a terminal: " "$TOOL" --human "$COPIES"
		a_case 0 "" "$TOOL" -H --help
	done | python3 "$TESTS/cases.py"
	fails 2 "'--human' has no effect with '--facts'" -- nsq-setup --facts -H -f table "$COPIES"
}

@test "-n: stderr says how many rows are shown, and of how many, over all windows and traces" {
	all=$(nsq-kernels -q "$COPIES" "$COMPILE" | count)
	mentions "-n shows 4 of $all rows; -n $all shows all" -- nsq-kernels -n 2 "$COPIES" "$COMPILE"
	answers nsq-kernels -n "$all" "$COPIES"
}

@test "names with tabs, quotes, pipes and the like come back from every format" {
	t=$(change "$COMPILE" "UPDATE NVTX_EVENTS SET text = 'a' || char(9) || 'b' || char(10) || char(13) || 'c\\d, \"q\" | é ' || char(27) WHERE text = 'step 5'")
	name=$(printf 'a\tb\n\rc\\d, "q" | é \033.')
	name=${name%.}
	pick() { nsq-window -m '^a' -f "$1" "$t"; }
	same 'a\tb\n\rc\\d, "q" | é '$'\033' "$(pick tsv | col name)"
	same "$name" "$(pick jsonl | jq -r .name)"
	pick csv > "$BATS_TEST_TMPDIR/csv"
	same "$name" "$(sqlite3 -batch :memory: ".import --csv $BATS_TEST_TMPDIR/csv t" "SELECT name FROM t")"
	# what is for reading keeps one line a row, and no control characters
	same "3 2" "$(pick md | wc -l) $(pick table | wc -l)"
	same "" "$({ pick md; pick table; } | tr -d '\n' | tr -cd '\001-\037')"
	holds "$(pick md)" '\|'
}

@test "the format is tsv in a pipe and table on a terminal" {
	needs_terminal
	same "$(nsq-setup -f tsv "$COMPILE")" "$(nsq-setup "$COMPILE")"
	command -v script >/dev/null || skip "no script to make a terminal"
	same "$(nsq-setup -q -f table "$COMPILE")" "$(script -qec "COLUMNS=500 nsq-setup -q --raw '$COMPILE'" /dev/null < /dev/null | tr -d '\r' | sed 's/\x1b\[[0-9]*m//g')"
}

# bats test_tags=more
@test "there is a header even without rows" {
	printf 'start_ns\tend_ns\n' > "$BATS_TEST_TMPDIR/w"
	check() {
		[ "${ARGS%% *}" = --facts ] && return
		case "$TOOL $ARGS" in "nsq-ledger " | "nsq-ledger --merge --spread") return 0 ;; esac       # with windows it has another key, too
		header=$("$TOOL" -q $ARGS -w "$BATS_TEST_TMPDIR/w" "$(fitting "$COPIES")")
		same "${NAMES[I]}" "${header//$TAB/ }"
	}
	few_modes check
	for TOOL in $(printf '%s\n' "${TOOLS[@]}" | grep -vx nsq-ledger | each_nth 8); do
		columns=$("$TOOL" --columns | col name | paste -sd ' ')
		for format in csv md table; do
			same "$columns" "$("$TOOL" ${FIRST[$TOOL]-} -q -f $format -w "$BATS_TEST_TMPDIR/w" "$COPIES" | head -1 | tr -s ',| ' ' ' | sed 's/^ //; s/ $//')"
		done
		same "" "$("$TOOL" ${FIRST[$TOOL]-} -q -f jsonl -w "$BATS_TEST_TMPDIR/w" "$COPIES")"
	done
}

# ---- the command line

# bats test_tags=long
@test "nsq help says what each column of every mode means, once; --help prints the same whatever else is given" {
	check() {
		"$TOOL" $ARGS --help | cmp - "$BATS_FILE_TMPDIR/screen.$TOOL"
		# the part about the mode, with what every table of windows has
		case ${ARGS%% *} in --each|--list|--stats|--total|--tree|--launch|--kernels|--usage|--faults|--facts|--os|--samples|--stacks|--stragglers|--last|--verdict|--check|--why|--net) title="columns with ${ARGS%% *}" ;; --by*|--merge*|--shape|--cost) title="columns with --by" ;; *) title="columns (unit)" ;; esac
		case $ARGS in *--tokens*) title="columns with other options" ;; esac
		awk -v title="$title:" -v columns="${NAMES[I]}" '
			/^$/ { on = 0 }
			{ sub(/ +$/, ""); name = $1 }
			/^  [a-z]/ { described[name]++; if (on) here[name] }
			on && /^  and .*, as above/ { gsub(/[^a-z0-9_]/, " "); m = split($0, word, " "); for (i = 1; i <= m; i++) here[word[i]] }
			$0 == title { on = 1; found = 1 }
			END {
				if (!found) print "no part: " title
				if (title ~ /--by|other options/) common = columns; else common = "pid rank start_ns end_ns gpu window trace"
				n = split(common, word, " "); for (i = 1; i <= n; i++) here[word[i]]
				n = split(columns, column, " ")
				for (i = 1; i <= n; i++) {
					# the table of facts is of another kind, so it describes its own trace column
					if (described[column[i]] != (column[i] == "trace" && FILENAME ~ /nsq-setup$/ ? 2 : 1)) { print described[column[i]] + 0 " times: " column[i]; bad = 1 }
					if (!(column[i] in here)) { print "not in \47" title "\47: " column[i]; bad = 1 }
				}
				exit bad || !found }' "$BATS_FILE_TMPDIR/help.$TOOL"
	}
	every_mode check
	# the causes are explained where they are listed
	for cause in launch sync alloc load api data mpi host queued turnaround um unknown edge; do
		holds "$(nsq-gaps --each --columns | where name cause)" "$cause"
	done
	holds "$(nsq help nvtx)" "columns with --phases:
  phase "
}

@test "nsq help names every option and column" {
	for TOOL in "${TOOLS[@]}"; do
		manual=$(<"$BATS_FILE_TMPDIR/help.$TOOL")
		for option in "-w, --" --merge "-p, --" "-n, --" "-f, --" "-H, --" "-j, --" "-q, --" --nsys --columns \
			"-h, --help" "-V, --version" $(grep "^$TOOL$TAB" "$TESTS/modes.tsv" | cut -f2 | grep -o -- '--[a-z]*'); do
			holds "$manual" " $option"
		done
		for column in $("$TOOL" --columns | cut -f1 | rows); do
			holds "$manual" "
  $column "
		done
		# that times are cut to the window is said once
		same 1 "$(grep -c "its times are of the part inside" <<<"$manual")"
	done
}

# bats test_tags=slow
@test "nsq help offers no option that the tool refuses in every mode" {
	# shown or refused: -g and --inside are of no use to some tools
	for TOOL in "${TOOLS[@]}"; do
		modes=$(awk -F '\t' -v tool="$TOOL" '$1 == tool && $2 !~ /--(by|pick|work|exact|full|depth|all)|-m/ { print $2 }' "$TESTS/modes.tsv")
		for option in "--inside" "-g 0" "-p 475" "-n 1" "--merge" "-w 0..1s"; do
			taken=0
			while read -r mode; do
				"$TOOL" -q $mode $option "$COPIES" >/dev/null 2>&1 && taken=1 && break
			done <<<"$modes"
			shown=$(grep -cE "^ +(${option%% *},|--${option#--})( |\$)" "$BATS_FILE_TMPDIR/help.$TOOL" || true)
			same "$TOOL $option $taken" "$TOOL $option $shown"
		done
	done
	same "nsq-advise nsq-api nsq-gaps nsq-ledger nsq-path nsq-slice nsq-stalls nsq-threads nsq-view" "$(for TOOL in "${TOOLS[@]}"; do grep -q -- '--inside' "$BATS_FILE_TMPDIR/help.$TOOL" && grep -q -- '-g, --gpu' "$BATS_FILE_TMPDIR/help.$TOOL" || echo "$TOOL"; done | sort | xargs)"
}

# bats test_tags=more,long
@test "every option in the help is known, and asks for its argument" {
	for TOOL in "${TOOLS[@]}"; do
		sed -n '/^options/,/^columns/p' "$BATS_FILE_TMPDIR/help.$TOOL" | grep -oE '^ +(-., )?--[a-z-]+( [A-Z][A-Za-z,.]*)?' |
			sed 's/^ *//; s/-., //' > "$BATS_TEST_TMPDIR/options"
		[ "$(wc -l < "$BATS_TEST_TMPDIR/options")" -ge 13 ]
		awk -v OFS='\t' -v tool="$TOOL" '{ if (NF > 1) print 2, "\47" $1 "\47 needs an argument", tool, $1
			else print 2, "\47" $1 "\47 takes no argument", tool, $1 "=x" }' "$BATS_TEST_TMPDIR/options" >> "$BATS_TEST_TMPDIR/cases"
	done
	each_nth 3 < "$BATS_TEST_TMPDIR/cases" | python3 "$TESTS/cases.py"
}

@test "--version names the tool" {
	for TOOL in "${TOOLS[@]}"; do
		run --separate-stderr "$TOOL" --version
		[[ $status$output =~ ^0"$TOOL"" ".*[0-9]+\.[0-9]+ ]]
		same "$output" "$("$TOOL" -V)"
	done
}

@test "an unknown option exits 2 with one line that quotes it" {
	for TOOL in "${TOOLS[@]}"; do
		for option in --nonsense --nonsense=5 -Z; do a_case 2 "'$option'" "$TOOL" "$option" "$COPIES"; done
		a_case 2 "'--nonsense'" "$TOOL" "$COPIES" --nonsense
		a_case 2 "'--versoin', did you mean '--version'? $TOOL --help" "$TOOL" --versoin
	done | python3 "$TESTS/cases.py"
	# what other programs call it
	fails 2 "unknown option '--top'; here that is -n N" -- nsq-kernels --top 5 "$COPIES"
	fails 2 "unknown option '--json'; here that is -f jsonl" -- nsq-kernels --json "$COPIES"
	fails 2 "no tool 'stats'; nsq report TRACE" -- nsq stats "$COPIES"
}

# bats test_tags=more
@test "--rank, which no tool has, is answered with -p; a rank given as -p with its pid" {
	for TOOL in "${TOOLS[@]}"; do
		a_case 2 "'--rank'; choose a process with -p PID (nsq-setup shows the pid of each rank)" "$TOOL" --rank 2 "$DUALPIPE"
		a_case 2 "'--rank=2'; choose a process with -p PID (nsq-setup shows the pid of each rank)" "$TOOL" --rank=2 "$DUALPIPE"
		a_case 2 "no process 2 in the trace; rank 2 is pid 695" "$TOOL" ${FIRST[$TOOL]-} -q -p 2 "$DUALPIPE"
		a_case 2 "no process 4 in the trace; nsq-setup lists the processes" "$TOOL" ${FIRST[$TOOL]-} -q -p 4 "$DUALPIPE"
	done | each_nth 5 | python3 "$TESTS/cases.py"
	same 695 "$(nsq-setup "$DUALPIPE" | where rank 2 | col pid)"
}

# bats test_tags=more
@test "an option that chooses windows is known to be nsq-window's where the tool has none of it" {
	for option in -m --match --pick --period --cpu; do
		grep -q -e " $option[, ]" "$BATS_FILE_TMPDIR/help.nsq-window"
		for TOOL in $(cd "$BATS_FILE_TMPDIR" && grep -L -e " $option[, ]" ${TOOLS[@]/#/help.}); do
			TOOL=${TOOL#help.}
			for given in "$option" $([ ${#option} = 2 ] || echo "$option=x"); do
				a_case 2 "unknown option '$given'; it belongs to nsq-window, which chooses the windows: nsq-window $option ... TRACE | $TOOL" \
					"$TOOL" "$given" "$COPIES"
			done
		done
	done > "$BATS_TEST_TMPDIR/cases"
	each_nth 4 < "$BATS_TEST_TMPDIR/cases" | python3 "$TESTS/cases.py"
}

# bats test_tags=more
@test "a bad value of an option exits 2 with one line that quotes both" {
	for TOOL in "${TOOLS[@]}"; do
		for bad in "-f yaml" "-n 0" "-n x" "-j 0" "-j two" "-p me" "-g -1" "-w nonsense" "-w 5..3"; do
			a_case 2 "'${bad#* }'" "$TOOL" ${FIRST[$TOOL]-} $bad "$COPIES"
		done
	done | each_nth 4 | python3 "$TESTS/cases.py"
}

@test "after -- a name may begin with a dash" {
	cp "$COMPILE" "$BATS_TEST_TMPDIR/-x.sqlite"
	cd "$BATS_TEST_TMPDIR"
	for TOOL in "${TOOLS[@]}"; do
		a_case 0 "" "$TOOL" ${FIRST[$TOOL]-} -q -- -x.sqlite
	done | python3 "$TESTS/cases.py"
}

@test "a file that is missing, empty or not SQLite exits 1 with one line that quotes it" {
	: > "$BATS_TEST_TMPDIR/empty.sqlite"
	seq 2000 > "$BATS_TEST_TMPDIR/text.sqlite"
	for TOOL in "${TOOLS[@]}"; do
		for file in none empty text; do
			a_case 1 "'$BATS_TEST_TMPDIR/$file.sqlite'" "$TOOL" ${FIRST[$TOOL]-} "$BATS_TEST_TMPDIR/$file.sqlite"
		done
	done | python3 "$TESTS/cases.py"
}

@test "a window outside the trace exits 2, and an empty table of windows too" {
	for TOOL in "${TOOLS[@]}"; do
		a_case 2 "'1000s..2000s'" "$TOOL" ${FIRST[$TOOL]-} -w 1000s..2000s "$COPIES"
		a_case 2 "empty" "$TOOL" ${FIRST[$TOOL]-}
	done | python3 "$TESTS/cases.py"
}

# bats test_tags=more,long
@test "a full disk is a lost write: exit 1 and a line" {
	check() { a_case 1 "No space left on device" "$TOOL" -q $ARGS "$(fitting "$COPIES")" >> "$BATS_TEST_TMPDIR/cases"; }
	some_modes check
	for TOOL in "${TOOLS[@]}"; do
		for option in --help --version --columns; do
			a_case 1 "No space left on device" "$TOOL" $option >> "$BATS_TEST_TMPDIR/cases"
		done
	done
	python3 "$TESTS/cases.py" --stdout /dev/full < "$BATS_TEST_TMPDIR/cases"
}

# tables_as_inputs TRACE ROWS PROCESSES: the first rows of every mode's table about the trace, one table after another,
# are windows for every tool: one row for each window of a process, and one for each of the processes for a window of all;
# those that several rows cite once.
tables_as_inputs() {
	local trace=$1 rows=$2 file=$BATS_TEST_TMPDIR/tables
	check() { [ "${ARGS%% *}" = --facts ] || unless_lacking "$TOOL" -q -n "$rows" $ARGS "$trace" >> "$file" 2> /dev/null; }
	every_mode check
	for TOOL in "${TOOLS[@]}"; do
		echo "$TOOL"
		"$TOOL" ${FIRST[$TOOL]-} -q < "$file" > "$BATS_TEST_TMPDIR/out" 2> "$BATS_TEST_TMPDIR/err"
		same "" "$(grep -v ': warning: ' "$BATS_TEST_TMPDIR/err")"
	done
	same "$(awk -F '\t' -v processes="$3" '$1 != "pid" && !met[$1, $3, $4, $5, $(NF - 1)]++ { n += $1 == "-" ? processes : 1 }
		END { print n }' "$file")" \
		"$(nsq-setup -q < "$file" | count)"
}

# bats test_tags=slow
@test "every table is an input of every tool" {
	tables_as_inputs "$COMPILE" 1 "$(nsq-setup -q "$COMPILE" | count)"
}

# bats test_tags=slow
@test "every table is an input of every tool, windows of several processes too" {
	tables_as_inputs "$DUALPIPE" 2 4
}

# bats test_tags=more
@test "-p and -g of what no trace has: exit 2 without rows, in every tool and mode; of what one trace has, its rows" {
	check() {
		[ "${ARGS%% *}" != --facts ] || return 0
		more || [ "$ARGS" = "${FIRST[$TOOL]-}" ] || return 0
		for option in "-p 99999" "-g 99"; do
			case "$TOOL $option" in "nsq-api -g"*|"nsq-threads -g"*|"nsq-slice -g"*) continue ;; esac
			a_case 2 "${option#* }" "$TOOL" $ARGS $option "$(fitting "$COPIES")" >> "$BATS_TEST_TMPDIR/cases"
		done
		# of two traces, the one that has it answers
		more || [ $((I % 4)) = 0 ] || return 0
		same "$("$TOOL" -q $ARGS -p 475 "$COPIES")" "$(unless_lacking "$TOOL" -q $ARGS -p 475 "$COMPILE" "$COPIES")"
	}
	some_modes check
	python3 "$TESTS/cases.py" < "$BATS_TEST_TMPDIR/cases"
}

@test "--columns lists all columns, whatever -n says" {
	for TOOL in "${TOOLS[@]}"; do
		same "$("$TOOL" --columns)" "$("$TOOL" --columns -n 2)"
	done
}

# bats test_tags=long
@test "every tool that takes --comm answers with it, and findings cite it" {
	cd "$BATS_TEST_TMPDIR"
	for t in $(cd "$NSQ_BIN" && ls -d nsq-*); do
		manual $t | grep -q -- '--comm REGEX' && [ $t != nsq-tui ] && [ $t != nsq-sql ] || continue
		out=(-q --comm 'sgemm|x y')
		case $t in nsq-view) out+=(-o x.html) ;; nsq-export) out+=(-o x.json) ;; nsq-report) out+=(-o x --view) ;; esac
		run --separate-stderr $t "${out[@]}" "$TESTS/fixtures/train.sqlite"
		same "$t 0 " "$t $status $stderr"
		[ $t != nsq-advise ] || holds "$output" "--comm 'sgemm|x y'"
	done
}
