# Traces of a few rows, whose answers can be worked out by hand: `load ../small-traces` after
# `load ../helper`.

K=CUPTI_ACTIVITY_KIND_
P5=$((5 << 24)) P6=$((6 << 24))

# make_tiny FILE: the trace of fuzz/tiny.sql, which holds a little of everything.
make_tiny() { sqlite3 -batch "$1" < "$TESTS/fuzz/tiny.sql" >/dev/null; }

# made SQL: a trace with these rows in the tables K, C (copies), R, N and S, and its path.
made() {
	local t
	t=$(mktemp -u "$BATS_TEST_TMPDIR/XXXXXX").sqlite
	sqlite3 -bail "$t" > /dev/null <<-END
		PRAGMA journal_mode = OFF;
		CREATE TABLE S (id INTEGER PRIMARY KEY, value TEXT);
		CREATE TABLE K (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
		CREATE TABLE C (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
		CREATE TABLE R (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
		CREATE TABLE N (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
		INSERT INTO S VALUES (1, 'gemm'), (2, 'cudaLaunchKernel'), (3, 'cudaMemcpyAsync'), (4, 'cudaStreamSynchronize'), (5, 'cudaEventRecord');
		$1;
		ALTER TABLE S RENAME TO StringIds; ALTER TABLE K RENAME TO ${K}KERNEL; ALTER TABLE C RENAME TO ${K}MEMCPY;
		ALTER TABLE R RENAME TO ${K}RUNTIME; ALTER TABLE N RENAME TO NVTX_EVENTS;
	END
	printf '%s\n' "$t"
}

# crowded: a trace in which up to 140 kernels of a stream run at once, 50 ranges are open in each other, and so are 60
# start/end ranges.
crowded() {
	made "INSERT INTO K WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599)
		SELECT 1000 + i * 7 + i / 200 * 20000, 1000 + i * 7 + i / 200 * 20000 + 1000 - i * 37 % 101, 0, 1, 7, i, $P5, 1, 1 FROM n;
		INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49) SELECT 10 + i, 20000 - i, 59, 'depth ' || i, $P5, NULL, 0 FROM n;
		INSERT INTO N WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59) SELECT 10 + i, 20000 + i, 60, 'open ' || i, $P5, NULL, 0 FROM n;
		INSERT INTO N VALUES (100, 110, 60, 'short', $P5, NULL, 0), (200, 210, 60, 'short', $P5, NULL, 0)"
}

# ---- every tool on a changed copy of TINY, which the test file sets

MODES=(nsq-setup nsq-window "nsq-window --list" nsq-streams nsq-overlap "nsq-overlap --each" "nsq-overlap --total" nsq-gaps
	"nsq-gaps --each" nsq-stalls "nsq-stalls --each" nsq-path "nsq-path --each" "nsq-path --ranks" nsq-nvtx "nsq-nvtx --tree" nsq-kernels "nsq-kernels --by category" "nsq-kernels --each" nsq-api
	"nsq-api --launch" nsq-mem "nsq-mem --usage" nsq-metrics "nsq-metrics --each" "nsq-metrics --by nvtx"
	"nsq-sql select(count(full||grid||nvtx))from(kernels)" "nsq-sql select(sum(dur_ns))from(gaps)"
	nsq-threads "nsq-threads --os" "nsq-threads --samples" "nsq-threads --stacks" "nsq-find ." "nsq-find --at 600" nsq-export nsq-view)

# Of these the ones that together read every table and column, and relate them in every way.
FEW=(nsq-setup nsq-window nsq-streams "nsq-overlap --each" "nsq-gaps --each" nsq-stalls nsq-path nsq-nvtx "nsq-kernels --each" nsq-api "nsq-api --launch" nsq-mem
	"nsq-mem --usage" nsq-metrics "nsq-sql select(count(full||grid||nvtx))from(kernels)" "nsq-threads --os" "nsq-threads --samples" "nsq-find ." nsq-export)

# said_of TRACE: what each of a few modes, where MORE=1 of all, says of it, on stdout and stderr, and how it ends, without
# the column trace.
said_of() {
	local mode modes=("${FEW[@]}")
	if more; then modes=("${MODES[@]}"); fi
	for mode in "${modes[@]}"; do
		echo "## $mode"
		$mode -q "$1" 2>&1 || echo "exit $?"
	done | awk -F '\t' -v OFS='\t' '
		/^## / { print; header = 1; next }
		/^nsq-[a-z]*: warning: / { gsub(/\047[^\047]*\047/, ""); print; next }
		header { header = c = 0; for (i = 1; i <= NF; i++) if ($i == "trace") c = i }
		{ line = ""; for (i = 1; i <= NF; i++) if (i != c) line = line OFS $i; print line }'
}

# unchanged TRACE: every tool says of it what it says of TINY.
unchanged() {
	[ -e "$TINY.said" ] || said_of "$TINY" > "$TINY.said"
	said_of "$1" | diff "$TINY.said" -
	grep -q '^## ' "$TINY.said"
	same "" "$(grep '^.exit ' "$TINY.said")"
}

# survives TRACE: every tool ends in time with one of the codes 0 to 3, not by a signal nor, in a build with UBSan, by an error of it.
survives() { printf "%s $1\\n" "${MODES[@]}" "nsq-setup --facts" "nsq-kernels --full" | python3 "$TESTS/cases.py" --survives; }
