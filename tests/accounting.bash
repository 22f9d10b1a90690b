# Shared by the tests of the accounting tools (kernels, api, mem, nvtx, gaps): `load ../accounting`
# after `load ../helper`.

SCHED=$FIXTURES/threads-sched.sqlite

# every CHECK ARG...: runs CHECK TRACE NAME ARG... for two fixtures, and for all that the tests know where MORE=1: give
# the test the tag `more`.  Call it on a line of its own: before || or && bash would go on after a line of CHECK that fails.
every() {
	local t check=$1
	shift
	for t in $(first_few 2 "$DUALPIPE" "$COPIES" "$WHOLE" "$NODES" "$SCHED" "$COMPILE" "$DDP" "$DUALPIPE_2023"); do
		echo "fixture: $t"
		"$check" "$t" "$(basename "$t" .sqlite)" "$@"
	done
}

# golden NAME REPORT QUERY: rows of what NVIDIA's `nsys stats -r REPORT` printed for the fixture; in
# the query it is the table g, and all its cells are text.
golden() {
	sqlite3 -batch :memory: ".mode csv" ".import '$TESTS/golden/$1/$2.csv' g" ".mode tabs" "$3"
}

# ---- sums and statistics by awk, which shares no code with nsq

# added N: rows that agree in their first N cells become one, with the other cells added up.
added() {
	awk -F '\t' -v OFS='\t' -v n="$1" '
		{ key = $1; for (i = 2; i <= n; i++) key = key OFS $i
		  seen[key]; for (i = n + 1; i <= NF; i++) s[key, i] += $i; cells = NF }
		END { for (key in seen) { line = key
			for (i = n + 1; i <= cells; i++) line = line OFS sprintf("%.0f", s[key, i]); print line } }' | sort
}

# measured: the last cell is a value; for each key before it: key count total mean p50 p90 p99 min max,
# percentiles by nearest rank, means rounded half up.
measured() {
	awk -F '\t' -v OFS='\t' '{ value = $NF; sub(/\t[^\t]*$/, ""); print value, $0 }' | sort -n |
	awk -F '\t' -v OFS='\t' '
		function rank(p) { return x[key, int((p * n[key] + 99) / 100)] }
		{ value = $1; sub(/^[^\t]*\t/, ""); x[$0, ++n[$0]] = value; sum[$0] += value }
		END { for (key in n) print key, n[key], sprintf("%.0f", sum[key]),
			sprintf("%.0f", int((2 * sum[key] + n[key]) / (2 * n[key]))),
			rank(50), rank(90), rank(99), x[key, 1], x[key, n[key]] }' | sort
}

# covered: rows "lane a b"; for each lane the length of the union of its [a,b).
covered() {
	sort -t "$TAB" -k1,1 -k2,2n | awk -F '\t' '
		NR == 1 || $1 "" != lane "" { if (NR > 1) printf "%s\t%.0f\n", lane, sum; lane = $1; sum = 0; until = -1 }
		{ from = $2 + 0 > until ? $2 + 0 : until }
		$3 + 0 > from { sum += $3 - from }
		$3 + 0 > until { until = $3 + 0 }
		END { if (NR) printf "%s\t%.0f\n", lane, sum }'
}

# fold_cell N: folds that cell of each row as nsq folds names.
fold_cell() {
	awk -F '\t' -v OFS='\t' -v n="$1" '{ gsub(/[0-9]+/, "#", $n); print }'
}

# share A B: the percentage, as nsq writes it.
share() { awk -v a="$1" -v b="$2" 'BEGIN { if (b + 0) printf "%.2f\n", 100.0 * a / b; else print "-" }'; }

# ---- SQL for `ask`

# The innermost push/pop range around the launch of the work l, of table launched.
INNERMOST="(SELECT r.name FROM ranges r WHERE r.proc = l.proc AND r.tid = l.tid AND r.type = 59 AND
	r.a <= l.launch AND r.b > l.launch ORDER BY r.a DESC, r.b LIMIT 1)"

# Kernels and whole graphs; copies and sets.
KERNELS="kind IN ('kernel', 'graph')"
MOVES="kind IN ('copy', 'set')"

# sweep TRACE: GPU time put down to ranges by walking over ranges and launches in order of time,
# thread by thread, and looking at which are open.  One line for each push/pop range with work, and
# for none ('-'): its rowid in the oracle's ranges, kernels and graphs whose innermost range it is,
# their time, and the time of those launched anywhere inside it.  With a second argument, each line
# is instead the path (exact names, outermost first) of one piece of work and its time.
sweep() {
	ask "$1" "SELECT proc || '/' || tid AS thread, a AS at, 0 AS what, b, rowid, a, name FROM ranges WHERE type = 59
		UNION ALL SELECT coalesce(proc || '/' || tid, 'none'), launch, 1, b - a, 0, 0, '' FROM launched WHERE $KERNELS
		ORDER BY thread, at, what" |
	awk -F '\t' -v OFS='\t' -v paths="$2" '
		$1 != thread { thread = $1; n = 0 }
		$3 == 0 { n++; id[n] = $5; from[n] = $6 + 0; to[n] = $4 + 0; name[n] = $7; next }
		{ kept = 0; best = 0
		  for (i = 1; i <= n; i++) if (to[i] > $2 + 0) {
			kept++; id[kept] = id[i]; from[kept] = from[i]; to[kept] = to[i]; name[kept] = name[i]
			if (!best || from[kept] > from[best] || (from[kept] == from[best] && to[kept] < to[best])) best = kept
			incl[id[kept]] += $4
		  }
		  n = kept
		  path = n ? name[1] : "-"
		  for (i = 2; i <= n; i++) path = path " > " name[i]
		  if (paths) print path, 1, $4
		  inner = best ? id[best] : "-"
		  if (!best) incl["-"] += $4
		  self[inner] += $4; count[inner]++; seen[inner] }
		END { if (!paths) for (r in incl) print r, count[r] + 0, sprintf("%.0f", self[r]), sprintf("%.0f", incl[r]) }'
}
