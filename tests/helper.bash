# Shared by all test files: `load ../helper` at the top of each.
bats_require_minimum_version 1.5.0

export LC_ALL=C

# The search for leaks takes seconds at each exit under some kernels; ask for it with ASAN_OPTIONS.
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=0}

TESTS=${BATS_TEST_DIRNAME%/*}
FIXTURES=$TESTS/fixtures
DUALPIPE=$FIXTURES/dualpipe-pp2ep2.sqlite
DUALPIPE_2023=$FIXTURES/dualpipe-pp2ep2-nsys2023.sqlite
DDP=$FIXTURES/ddp-2rank.sqlite
NODES=$FIXTURES/decode-graph-nodes.sqlite
WHOLE=$FIXTURES/decode-graph-whole.sqlite
COPIES=$FIXTURES/threads-copies.sqlite
SCHED=$FIXTURES/threads-sched.sqlite
SAMPLES=$FIXTURES/threads-samples.sqlite
COMPILE=$FIXTURES/torch-compile.sqlite
EAGER=$FIXTURES/decode-eager-long.sqlite

# The build under test: its tools and, for tests that compile something, where its library is and with what flags.
# `make asan` names others; without it, what `make` built.
export NSQ_BIN=${NSQ_BIN:-${TESTS%/*}/bin}
[ -x "$NSQ_BIN/nsq" ] || { echo "no tools in '$NSQ_BIN'; run make" >&2; exit 1; }
NSQ_BUILD=${NSQ_BUILD:-${TESTS%/*}/build}
NSQ_CFLAGS=${NSQ_CFLAGS--O2}
PATH=$NSQ_BIN:$PATH

# What is the tester's own, recipes and findings, is not looked at.
unset NSQ_RECIPES NSQ_FINDINGS
export XDG_DATA_HOME=/nonexistent

# bats notes the place of every command before it runs it, in the functions of a test too, which takes longer than most
# commands.  With NSQ_QUICK=1, as tests/run-file sets it, it does not: a test fails as it would, without its line.
[ -z "${NSQ_QUICK-}" ] || set +T

# Without the packages of its site, which the tests do not use, Python starts four times as fast.
python3() { command python3 -S "$@"; }

# oracle QUESTION ARGUMENT...: the second reading in Python; see oracle/__init__.py.
oracle() { PYTHONPATH=$TESTS command python3 -S -m oracle "$@"; }

# What tests write need not survive a loss of power, so sqlite3 does not wait for the disk.
sqlite3() { command sqlite3 -cmd "PRAGMA synchronous = OFF" "$@"; }

# Tests with the tag `more` ask about more traces where MORE=1, as `make slow` does: every fixture instead of a few,
# and random traces from SEED on.
more() { [ -n "${MORE-}" ]; }

# some_or_all FIXTURE...: these; where MORE=1, all.
some_or_all() { if more; then ls "$TESTS"/fixtures/*.sqlite; else printf '%s\n' "$@"; fi; }

# first_few N ITEM...: the first N of them; where MORE=1, all.
first_few() { local n=$1; shift; if more; then printf '%s\n' "$@"; else printf '%s\n' "${@:1:n}"; fi; }

# each_nth N: of the lines on standard input the first and each Nth after it; where MORE=1, all.
each_nth() { if more; then cat; else awk -v n="$1" 'NR % n == 1'; fi; }

# seeds FIRST COUNT MANY: COUNT seeds from FIRST on; where MORE=1, MANY that SEED decides.
seeds() { if more; then seq $((${SEED:-1} * 1000 + $1)) $((${SEED:-1} * 1000 + $1 + $3 - 1)); else seq "$1" $(($1 + $2 - 1)); fi; }

TAB=$'\t'

# ---- asking SQLite, which shares no code with nsq

# sql TRACE QUERY: rows of the trace itself, cells separated by tabs.
sql() {
	command sqlite3 -batch -noheader -separator "$TAB" "file:$1?immutable=1" "$2"
}

# ask TRACE QUERY: rows of the oracle of the trace (see oracle.sql), made when first needed; that of a fixture is kept
# with the build, for all test files.
ask() {
	local o=$BATS_RUN_TMPDIR/oracle${1//\//-} kept=$NSQ_BUILD/oracles/${1##*/}
	if [ ! -e "$o" ] && [ "${1%/*}" = "$TESTS/fixtures" ] && mkdir -p "${kept%/*}" 2> /dev/null; then
		if [ ! -e "$kept" ] || [ "$1" -nt "$kept" ] || [ "$TESTS/oracle.sql" -nt "$kept" ]; then make_oracle "$1" "$kept"; fi
		ln -sf "$kept" "$o"
	fi
	[ -e "$o" ] || make_oracle "$1" "$o"
	sql "$o" "$2"
}

# make_oracle TRACE FILE: the oracle of the trace, in that file.
make_oracle() {
	local new=$2.$BASHPID
	sqlite3 -batch "file:$1?immutable=1" "ATTACH '$new' AS o; PRAGMA o.synchronous = OFF;" "PRAGMA o.journal_mode = OFF;" \
		".read $TESTS/oracle.sql" > /dev/null
	mv "$new" "$2"
}

# ---- taking tables apart

# col NAME...: those columns of a TSV with a header, found by name, without the header.
col() {
	awk -F '\t' -v OFS='\t' -v names="$*" '
		NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i
			for (i = 1; i <= n; i++) if (!(want[i] in at)) { print "no column " want[i]; exit 1 }
			next }
		{ line = $at[want[1]]; for (i = 2; i <= n; i++) line = line OFS $at[want[i]]; print line }'
}

# where NAME VALUE: the header and the rows whose column has that value.
where() {
	awk -F '\t' -v name="$1" -v value="${2//\\/\\\\}" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; print; next } $c == value'
}

# without NAME...: the table less those columns.
without() {
	awk -F '\t' -v OFS='\t' -v names=" $* " '
		NR == 1 { for (i = 1; i <= NF; i++) if (!index(names, " " $i " ")) keep[++n] = i }
		{ line = $keep[1]; for (i = 2; i <= n; i++) line = line OFS $keep[i]; print line }'
}

rows() { tail -n +2; }
count() { rows | wc -l; }

# sum COLUMN...: each column's integers added up.
sum() {
	col "$@" | awk -F '\t' -v OFS='\t' '{ for (i = 1; i <= NF; i++) s[i] += $i; n = NF > n ? NF : n }
		END { line = sprintf("%.0f", s[1]); for (i = 2; i <= n; i++) line = line OFS sprintf("%.0f", s[i]); print line }'
}

# Folds names as nsq does: every run of digits becomes #.
fold() { sed 's/[0-9][0-9]*/#/g'; }

# tally: the distinct lines and how often each occurs.
tally() {
	awk '{ n[$0]++ } END { for (line in n) print line "\t" n[line] }' | sort
}

# ---- judging

# same EXPECTED ACTUAL: the two texts are equal; says how they differ.
same() {
	[ "$1" = "$2" ] && return
	diff <(printf '%s\n' "$1") <(printf '%s\n' "$2") | sed 's/^</expected:/; s/^>/actual:  /'
	return 1
}

# holds TEXT PART...: every part stands in the text.
holds() {
	local text=$1 part
	shift
	for part; do
		case $text in *"$part"*) ;; *) printf 'missing: %s\nin: %s\n' "$part" "$text"; return 1 ;; esac
	done
}

# lacks TEXT PART: the part does not stand in the text.
lacks() {
	case $1 in *"$2"*) printf 'unwanted: %s\nin: %s\n' "$2" "$1"; return 1 ;; esac
}

# manual TOOL: what nsq help says of it before the page of its conventions: every option and column.
manual() { nsq help "${1##*/}" | sed '/^# /,$d'; }

# asked COMMAND...: what `run --separate-stderr` does, in half its time.
asked() {
	local out=$BATS_RUN_TMPDIR/out.$BASHPID err=$BATS_RUN_TMPDIR/err.$BASHPID
	status=0
	case $(type -t "$1") in
	function) ("$@") > "$out" 2> "$err" || status=$? ;;
	*) "$@" > "$out" 2> "$err" || status=$? ;;
	esac
	output=$(<"$out") stderr=$(<"$err")
	mapfile -t lines < "$out"
	mapfile -t stderr_lines < "$err"
}

# answers COMMAND...: exits 0 with nothing but warnings on stderr; the table is in $output.
answers() {
	asked "$@"
	[ "$status" -eq 0 ] && [ -z "$(grep -v ': warning: ' <<< "$stderr")" ] && return
	printf 'command: %s\nexit: %s\nstderr: %s\n' "$*" "$status" "$stderr"
	return 1
}

# mentions PART... -- COMMAND...: exits 0, and one line on stderr holds all the parts.
mentions() {
	local parts=() said_by=()
	while [ "$1" != -- ]; do parts+=("$1"); shift; done
	shift
	case $1 in nsq-*) said_by=("$1: ") ;; esac
	asked "$@"
	[ "$status" -eq 0 ] && [ "${#stderr_lines[@]}" -eq 1 ] && holds "$stderr" "${said_by[@]}" "${parts[@]}" && return
	printf 'command: %s\nexit: %s\nstderr: %s\n' "$*" "$status" "$stderr"
	return 1
}

# fails CODE PART... -- COMMAND...: that exit code, nothing on stdout, one line on stderr that
# begins with the name of the tool and holds all the parts.
fails() {
	local code=$1 parts=() said_by=()
	shift
	while [ "$1" != -- ]; do parts+=("$1"); shift; done
	shift
	case $1 in nsq-*) said_by=("$1: ") ;; esac          # of a shell function or pipeline, none is required
	asked "$@"
	[ "$status" -eq "$code" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] &&
		holds "$stderr" "${said_by[@]}" "${parts[@]}" && return
	printf 'command: %s\nexit: %s, expected %s\nstdout: %s\nstderr: %s\n' "$*" "$status" "$code" "$output" "$stderr"
	return 1
}


# ---- terminals

# needs_terminal: skips the test where the system has no pseudo-terminals, as in a bare root without /dev/pts.
needs_terminal() { script -qec true /dev/null > /dev/null 2>&1 < /dev/null || skip "no pseudo-terminals here (/dev/pts)"; }

# ---- the build under test

# build TARGET: makes build/TARGET with the flags of the build under test, one test file at a time.
build() {
	local root=${TESTS%/*}
	local folder=${NSQ_BUILD#"$root/"}
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL flock "$TESTS" \
		make -s -C "$root" B="$folder" CFLAGS="$NSQ_CFLAGS" "$folder/$1"
}

# ---- making windows

# table ROW...: a window table with the given rows, cells separated by spaces.
table() { printf '%s\n' "$@" | tr ' ' '\t'; }

# spec -w A..B ... TRACE: the totals of nsq-overlap in that window, less the name of the window.
spec() { nsq-overlap --total "$@" | without window; }

# ---- making traces

# change TRACE SQL...: a copy of the trace in the test's folder with the SQL applied; prints its name.
change() {
	local to=$BATS_TEST_TMPDIR/${1##*/}
	cp --no-preserve=mode "$1" "$to"
	shift
	sqlite3 -batch "$to" "PRAGMA journal_mode = OFF;" "PRAGMA synchronous = OFF;" "$@" >/dev/null
	echo "$to"
}

# drop_tables TRACE PATTERN: the SQL that drops the tables whose names match the GLOB pattern.
drop_tables() {
	sql "$1" "SELECT group_concat('DROP TABLE \"' || name || '\";', ' ') FROM sqlite_master
		WHERE type = 'table' AND name GLOB '$2'"
}

# The SQL that writes the rows of every table again in another order; the schema stays.
shuffling() {
	sql "$1" "SELECT 'CREATE TEMP TABLE mixed AS SELECT * FROM \"' || name || '\" ORDER BY ' ||
		'rowid * 2654435761 % 4294967291; DELETE FROM \"' || name || '\"; INSERT INTO \"' || name ||
		'\" SELECT * FROM mixed ORDER BY rowid; DROP TABLE mixed;'
		FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
}

# chain: a trace of the lines on standard input (dependencies/chain.awk), and its path.
chain() (
	set -o pipefail
	t=$(mktemp -u "$BATS_TEST_TMPDIR/XXXXXX").sqlite
	awk -f "$TESTS/dependencies/chain.awk" | command sqlite3 -batch -bail "$t" > /dev/null && echo "$t"
)
