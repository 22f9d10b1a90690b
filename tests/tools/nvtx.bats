# nsq-nvtx: where does the time go, by annotation?
load ../helper
load ../accounting
load ../small-traces

# The fixtures of which NVIDIA's NVTX reports are kept (those of ddp-2rank are too large).
REPORTED="decode-graph-nodes decode-graph-whole dualpipe-pp2ep2 dualpipe-pp2ep2-nsys2023 threads-copies threads-sched torch-compile"

# named: the cells "domain name" become one as NVIDIA writes them; no name is an empty one.
named() { awk -F '\t' -v OFS='\t' '{ $2 = $1 == "-" ? ($2 == "-" ? "" : $2) : $1 ":" $2; sub(/^[^\t]*\t/, ""); print }'; }

gpu_time() { ask "$1" "SELECT count(*), sum(b - a) FROM work WHERE $KERNELS"; }

# swept TRACE N: domain, name (folded if N is #) and the three measures of the sweep, added up by row.
swept() {
	{ ask "$1" "SELECT rowid, domain, name FROM ranges WHERE type = 59" | sed 's/^/range\t/'; sweep "$1"; } |
	awk -F '\t' -v OFS='\t' -v fold="$2" '
		$1 == "range" { domain[$2] = $3; if (fold) gsub(/[0-9]+/, "#", $4); name[$2] = $4; next }
		$1 == "-" { print "-", "-", $2, $3; next }
		{ print domain[$1], name[$1], $2, $3 }' | added 2
}

# bats test_tags=more
@test "gpu_ns over all rows is all kernel and graph time, in every fixture and every mode" {
	check() {
		for args in "" --exact --tree "--tree --adopt"; do
			same "$(gpu_time "$1")" "$(nsq-nvtx -q $args "$1" | sum kernels gpu_ns)"
		done
		printf 'a\tx\n' > "$BATS_TEST_TMPDIR/rules"
		same "$(gpu_time "$1")" "$(nsq-nvtx -q --phases "$BATS_TEST_TMPDIR/rules" "$1" | sum kernels gpu_ns)"
	}
	every check
}

# bats test_tags=more
@test "kernels and gpu_ns are those of a sweep for the innermost range open at each launch, in every fixture" {
	check() {
		same "$(swept "$1" '#' | awk -F '\t' '$3')" "$(nsq-nvtx -q "$1" | col domain name kernels gpu_ns | awk -F '\t' '$3 != "-" && $3' | sort)"
	}
	every check
}

# bats test_tags=more
@test "the innermost range of single kernels, by SQL" {
	for t in $(first_few 2 "$DUALPIPE" "$NODES" "$COMPILE"); do
		for a in $(ask "$t" "SELECT a FROM work WHERE kind = 'kernel' GROUP BY a HAVING count(*) = 1 ORDER BY a * 2654435761 % 4294967291 LIMIT 4"); do
			read -r pid b <<<"$(ask "$t" "SELECT pid, b FROM work WHERE a = $a")"
			# a window of this kernel alone may hold parts of others, which run beside it
			same "$(ask "$t" "SELECT coalesce($INNERMOST, '-'), 1, min(b, $b) - max(a, $a) FROM launched l WHERE $KERNELS AND pid = $pid AND a < $b AND b > $a" | added 1)" \
				"$(nsq-nvtx -q --exact -p "$pid" -w "$a..$b" "$t" | col name kernels gpu_ns | awk -F '\t' '$2 != "-" && $2' | added 1)"
		done
	done
}

@test "gpu_incl_ns is the sum of nvtx_kern_sum over threads and kernels, range by range" {
	for name in $REPORTED; do
		t=$FIXTURES/$name.sqlite
		echo "fixture: $t"
		want=$(golden "$name" nvtx_kern_sum.base 'SELECT "NVTX Range", sum("Total Time (ns)") FROM g GROUP BY 1' | sort)
		got=$(nsq-nvtx -q --exact "$t" | col domain name gpu_incl_ns | awk -F '\t' '$3 != "-" && $3' | named | sort)
		if [ "$name" = decode-graph-whole ]; then
			# by definition: whole graphs are work, which NVIDIA leaves out
			got=$({ sed "s/$TAB/&0&/" <<<"$got"; ask "$t" "SELECT r.name, l.b - l.a FROM launched l JOIN ranges r ON r.proc = l.proc AND r.tid = l.tid
				AND r.type = 59 AND r.a <= l.launch AND r.b > l.launch WHERE l.kind = 'graph'" | sed "s/$TAB/${TAB}graph$TAB/"; } |
				awk -F '\t' -v OFS='\t' '$2 == "graph" { g[$1] += $3; next } { i[$1] = $3 }
					END { for (n in i) if (i[n] - g[n]) print n, sprintf("%.0f", i[n] - g[n]) }' | sort)
		fi
		[ -n "$got" ]
		same "$want" "$got"
	done
}

@test "gpu_incl_ns by thread is that of nvtx_kern_sum" {
	for name in threads-copies dualpipe-pp2ep2 torch-compile; do
		t=$FIXTURES/$name.sqlite
		same "$(golden "$name" nvtx_kern_sum.base "SELECT \"NVTX Range\", TID, sum(\"Total Time (ns)\") FROM g WHERE \"NVTX Range\" <> '' GROUP BY 1, 2" | sort)" \
			"$(nsq-nvtx -q --each "$t" | col domain name tid gpu_incl_ns | awk -F '\t' '$4 != "-" && $4' | named | added 2)"
	done
}

@test "whole graphs count: decode does not look like nothing" {
	answers nsq-nvtx "$WHOLE"
	graphs=$(sql "$WHOLE" "SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
	same "$graphs" "$(where name 'decode step' <<<"$output" | col kernels gpu_ns)"
	same "decode step" "$(col name <<<"$output" | head -1)"
	same "" "$(golden decode-graph-whole nvtx_kern_sum.base "SELECT * FROM g WHERE \"NVTX Range\" = 'decode step'")"
}

@test "counts and CPU times are those of nvtx_sum, range by range" {
	for name in $REPORTED; do
		echo "fixture: $name"
		same "$(golden "$name" nvtx_sum 'SELECT "Range", "Instances", "Total Time (ns)", "Max (ns)" FROM g' | sort)" \
			"$(nsq-nvtx -q --exact "$FIXTURES/$name.sqlite" | col domain name count cpu_ns max_ns | awk -F '\t' '$3' | named | sort)"
	done
}

# bats test_tags=more
@test "means and percentiles by nearest rank, by domain and folded name, in every fixture" {
	check() {
		same "$(ask "$1" "SELECT domain, name, b - a FROM ranges" | fold_cell 2 | measured | cut -f1-7,10)" \
			"$(nsq-nvtx -q "$1" | col domain name count cpu_ns mean_ns p50_ns p90_ns max_ns | awk -F '\t' '$3' | sort)"
	}
	every check
}

@test "a range launched inside another of its own folded name counts its kernels once in gpu_incl_ns" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET text = 'level 1', textId = NULL WHERE eventType = 59 AND text = 'step'" \
		"UPDATE NVTX_EVENTS SET text = 'level 2', textId = NULL, domainId = (SELECT domainId FROM NVTX_EVENTS WHERE text = 'level 1')
			WHERE eventType = 59 AND (text = 'tail' OR textId IS NOT NULL)")
	same "level 1 level 2" "$(nsq-nvtx -q --exact "$t" | col name | grep level | sort | paste -sd ' ')"
	same "$(ask "$t" "SELECT count(*), sum(b - a), sum(b - a) FROM launched l WHERE $KERNELS AND $INNERMOST LIKE 'level%'")" \
		"$(nsq-nvtx -q "$t" | where name 'level #' | col kernels gpu_ns gpu_incl_ns)"
}

@test "most gpu_ns first; -m and --exact keep that order" {
	for args in "" --exact "-m layer"; do
		nsq-nvtx -q $args "$DUALPIPE" | col gpu_ns | grep -v -e - > "$BATS_TEST_TMPDIR/ns"
		sort -c -nr "$BATS_TEST_TMPDIR/ns"
	done
	# without GPU work, as everywhere among equals, the longest on the CPU comes first
	t=$(change "$COPIES" "$(drop_tables "$COPIES" 'CUPTI_*')")
	nsq-nvtx -q "$t" | col cpu_ns > "$BATS_TEST_TMPDIR/ns"
	sort -c -nr "$BATS_TEST_TMPDIR/ns"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/ns")" -gt 3 ]
}

# bats test_tags=long
@test "names with changing numbers fold into a readable table; --exact keeps them" {
	folded=$(nsq-nvtx -q "$DDP" | count)
	exact=$(nsq-nvtx -q --exact "$DDP" | count)
	same "$(ask "$DDP" "SELECT domain, name FROM ranges" | fold_cell 2 | sort -u | wc -l)" "$folded"
	same "$(ask "$DDP" "SELECT DISTINCT domain, name FROM ranges" | wc -l)" "$exact"
	[ $((folded * 20)) -lt "$exact" ]
}

@test "domains are named as the process created them, - for the default one; one name in two domains is two rows" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET text = 'step', textId = NULL WHERE text = 'tail'")
	same "$(ask "$t" "SELECT domain, count(*), sum(b - a) FROM ranges WHERE name = 'step' GROUP BY domain ORDER BY domain")" \
		"$(nsq-nvtx "$t" | where name step | col domain count cpu_ns | sort)"
	same "- Trainer" "$(nsq-nvtx "$t" | where name step | col domain | sort | paste -sd ' ')"
	same "NCCL" "$(nsq-nvtx "$DUALPIPE" | where name ncclAlltoAll | col domain)"
}

@test "start/end ranges are listed with - in the GPU columns; marks are not listed" {
	answers nsq-nvtx "$COPIES"
	same "$(ask "$COPIES" "SELECT name, count(*), sum(b - a), '-', '-', '-' FROM ranges WHERE type = 60 GROUP BY name")" \
		"$(where name 'load batch' <<<"$output" | col name count cpu_ns kernels gpu_ns gpu_incl_ns)"
	[ -n "$(sql "$COPIES" "SELECT 1 FROM NVTX_EVENTS WHERE eventType = 34 AND text = 'step done' LIMIT 1")" ]
	lacks "$output" "step done"
	same "12" "$(nsq-nvtx --each "$COPIES" | where name 'load batch' | where gpu_ns - | count)"
	# push/pop ranges of the same name and domain are another row
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET text = 'load batch' WHERE text = 'tail'")
	same "2" "$(nsq-nvtx "$t" | where name 'load batch' | count)"
}

@test "a range that was never closed ends at the last timestamp of its process" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET end = NULL WHERE text = 'never closed'" \
		"UPDATE NVTX_EVENTS SET start = start + 100000000, end = end + 100000000 WHERE rowid = (SELECT max(rowid) FROM NVTX_EVENTS WHERE text = 'tail')")
	last=$(ask "$t" "SELECT max(b) FROM procs")
	read -r a tid <<<"$(sql "$t" "SELECT start, globalTid & 0xffffff FROM NVTX_EVENTS WHERE text = 'never closed'")"
	same "$a$TAB$last" "$(nsq-nvtx --each "$t" | where name 'never closed' | col start_ns end_ns)"
	same "$(ask "$t" "SELECT count(*), sum(b - a) FROM launched WHERE $KERNELS AND tid = $tid AND launch >= $a")" \
		"$(nsq-nvtx --each "$t" | where name 'never closed' | col kernels gpu_ns)"
}

@test "by definition: a range that starts before 0 is left out" {
	t=$(change "$COPIES" "UPDATE NVTX_EVENTS SET start = -1 WHERE eventType = 59 AND text = 'tail'")
	same "" "$(nsq-nvtx "$t" | where name tail | col name)"
	same "$(swept "$t" '#' | awk -F '\t' '$3')" "$(nsq-nvtx -q "$t" | col domain name kernels gpu_ns | awk -F '\t' '$3 != "-" && $3' | sort)"
}

@test "-m chooses ranges by their unfolded names" {
	same "$(ask "$COMPILE" "SELECT 'step #', count(*), sum(b - a) FROM ranges WHERE name IN ('step 3', 'step 7')")" \
		"$(nsq-nvtx -q -m 'step [37]$' "$COMPILE" | col name count cpu_ns)"
	same "$(swept "$COMPILE" '' | grep 'step [37]' | awk -F '\t' '{ s += $4 } END { print s }')" \
		"$(nsq-nvtx -q -m 'step [37]$' "$COMPILE" | col gpu_ns)"
	same "$(ask "$DUALPIPE" "SELECT DISTINCT name FROM ranges WHERE name GLOB '*stage2_[fb]*'" | sort)" \
		"$(nsq-nvtx --exact -m 'stage2_[fb]' "$DUALPIPE" | col name | sort)"
	mentions "no range" -- nsq-nvtx -m 'no such range' "$COMPILE"
	lacks "$stderr" "did you mean"
	fails 2 "'('" -- nsq-nvtx -m '(' "$COMPILE"
}

# ---- --each

# bats test_tags=more
@test "--each: one row per range with its own times, depth and work, as a sweep says" {
	for t in $(first_few 2 "$COPIES" "$NODES" "$DUALPIPE"); do
		{ ask "$t" "SELECT rowid, pid, a, b, tid, b - a, domain, name,
				(SELECT count(*) FROM ranges o WHERE x.type = 59 AND o.type = 59 AND o.proc = x.proc AND o.tid = x.tid AND o.a <= x.a AND
				o.b >= x.b AND o.rowid <> x.rowid), type FROM ranges x" | sed 's/^/range\t/'; sweep "$t"; } |
		awk -F '\t' -v OFS='\t' '$1 == "range" { id[++n] = $2; se[n] = $11 == 60; d[n] = $10; head[n] = $3 OFS $4 OFS $5 OFS $6 OFS $7; tail[n] = $8 OFS $9; next }
			{ k[$1] = $2; s[$1] = $3; i[$1] = $4 }
			END { for (r = 1; r <= n; r++) print head[r], se[r] ? "-" : k[id[r]] + 0, se[r] ? "-" : s[id[r]] + 0, se[r] ? "-" : i[id[r]] + 0, d[r], tail[r] }' |
			sort > "$BATS_TEST_TMPDIR/want"
		nsq-nvtx -q --each "$t" | col pid start_ns end_ns tid dur_ns kernels gpu_ns gpu_incl_ns depth domain name | sort > "$BATS_TEST_TMPDIR/got"
		[ -s "$BATS_TEST_TMPDIR/got" ]
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	done
}

# bats test_tags=slow
@test "--each: many thousand nested ranges, whose work adds up to that of a sweep" {
	nsq-nvtx -q --each "$DDP" > "$BATS_TEST_TMPDIR/each"
	same "$(ask "$DDP" "SELECT count(*), sum(b - a) FROM ranges")" "$(col dur_ns < "$BATS_TEST_TMPDIR/each" | sed "s/^/x${TAB}1$TAB/" | added 1 | cut -f2-)"
	same "$(sweep "$DDP" | awk -F '\t' -v OFS='\t' '$1 != "-" { k += $2; s += $3; i += $4 } END { printf "%.0f\t%.0f\t%.0f\n", k, s, i }')" \
		"$(sum kernels gpu_ns gpu_incl_ns < "$BATS_TEST_TMPDIR/each")"
	col start_ns < <(where pid 1085 < "$BATS_TEST_TMPDIR/each") | sort -c -n
}

# ---- --tree

# bats test_tags=more
@test "--tree: depth first; each path is its parent's and its name, each sum that of its own and its children" {
	check() {
		nsq-nvtx -q --tree "$1" | col depth path name gpu_ns gpu_incl_ns gpu_pct > "$BATS_TEST_TMPDIR/tree"
		[ -s "$BATS_TEST_TMPDIR/tree" ]
		awk -F '\t' '
			function wrong(what) { print what ": " NR ": " line[NR]; bad = 1 }
			{ line[NR] = $0; depth[NR] = $1; self[NR] = $4 == "-" ? 0 : $4; incl[NR] = $5 == "-" ? 0 : $5; pct[NR] = $6; total += self[NR] }
			$1 > depth[NR - 1] + (NR > 1) { wrong("a level is left out") }
			$2 != ($1 ? path[$1 - 1] " > " : "") $3 { wrong("path") }
			$2 in seen && $5 != "-" { same_path[$2]++ }
			{ seen[$2]; path[$1] = $2; above[$1] = NR; if ($1) kids[above[$1 - 1]] += incl[NR] }
			$1 && incl[NR] > incl[above[$1 - 1]] { wrong("more than its parent") }
			END { for (NR_ = 1; NR_ <= NR; NR_++) {
				if (incl[NR_] != self[NR_] + kids[NR_]) { print "sum: " line[NR_]; bad = 1 }
				want = pct[NR_] == "-" ? "-" : sprintf("%.2f", 100.0 * incl[NR_] / total)
				if (pct[NR_] != want) { print "pct: " line[NR_]; bad = 1 } }
				exit bad }' "$BATS_TEST_TMPDIR/tree"
	}
	every check
}

# bats test_tags=more
@test "--tree: the work of each path is what a sweep finds on the stack at its launch" {
	for t in $(first_few 2 "$NODES" "$WHOLE" "$DUALPIPE" "$COPIES" "$COMPILE" "$DDP"); do
		sweep "$t" paths | fold_cell 1 | added 1 > "$BATS_TEST_TMPDIR/want"
		nsq-nvtx -q --tree "$t" | col path kernels gpu_ns | awk -F '\t' '$2 != "-" && $2' | added 1 > "$BATS_TEST_TMPDIR/got"
		[ -s "$BATS_TEST_TMPDIR/got" ]
		diff "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got"
	done
	sweep "$COMPILE" paths | added 1 > "$BATS_TEST_TMPDIR/want"
	diff "$BATS_TEST_TMPDIR/want" <(nsq-nvtx -q --tree --exact "$COMPILE" | col path kernels gpu_ns | awk -F '\t' '$2' | added 1)
}

# bats test_tags=more
@test "--tree: counts and CPU times are those of the table, name by name" {
	check() {
		same "$(nsq-nvtx -q "$1" | col domain name count cpu_ns kernels | added 2)" "$(nsq-nvtx -q --tree "$1" | col domain name count cpu_ns kernels | added 2)"
	}
	every check
}

@test "--tree: siblings come with the most time first" {
	nsq-nvtx -q --tree "$DUALPIPE" | col depth gpu_incl_ns |
		awk -F '\t' '$1 > was { last[$1] = "" } last[$1] != "" && $2 > last[$1] { print NR ": " $0; bad = 1 } { last[$1] = $2 + 0; was = $1 } END { exit bad || NR < 10 }'
}

@test "--tree: work in no range is a row of its own, -" {
	same "$(ask "$COPIES" "SELECT 0, count(*), sum(b - a), '-' FROM launched l WHERE $KERNELS AND $INNERMOST IS NULL")" \
		"$(nsq-nvtx --tree "$COPIES" | where path - | col depth kernels gpu_ns path)"
}

@test "--tree reads in a terminal and greps as TSV" {
	nsq-nvtx --tree -f table "$NODES" | grep -q 'request # > LLM@decode_all > decode step'
	same "$(ask "$NODES" "SELECT count(*), sum(b - a) FROM launched l WHERE $KERNELS AND $INNERMOST = 'decode step'")" \
		"$(nsq-nvtx --tree "$NODES" | where path 'request # > LLM@decode_all > decode step' | col kernels gpu_ns)"
}

# bats test_tags=more,long
@test "--depth: ends the tree and --each there, and no sum of the rows shown changes" {
	check() {
		for mode in --tree --each "--tree --adopt"; do
			for n in 0 1 2; do
				same "$(nsq-nvtx -q $mode "$1" | awk -F '\t' -v n=$n 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "depth") c = i; print; next } $c <= n')" \
					"$(nsq-nvtx -q $mode --depth $n "$1")"
			done
		done
	}
	for t in $(first_few 1 "$NODES" "$DUALPIPE" "$COMPILE"); do check "$t"; done
	same "0 1" "$(nsq-nvtx --tree --depth 1 "$NODES" | col depth | sort -u | xargs)"
	same "0 1 2" "$(nsq-nvtx --tree --depth 99 "$NODES" | col depth | sort -u | xargs)"
	fails 2 "'--depth' takes a whole number of at least 0, not '-1'" -- nsq-nvtx --tree --depth -1 "$NODES"
	fails 2 "'--depth' takes a whole number of at least 0, not 'x'" -- nsq-nvtx --tree --depth=x "$NODES"
	fails 2 "'--depth' has no effect without" -- nsq-nvtx --depth 1 "$NODES"
}

# ---- --phases

# phase_facts TRACE: label kernels gpu_ns of the innermost range that matches, for rules on three words.
phase_facts() {
	ask "$1" "SELECT coalesce((SELECT CASE WHEN r.name LIKE '%prefill%' THEN 'prefill' WHEN r.name LIKE '%decode%' THEN 'decode' ELSE 'sampling' END
			FROM ranges r WHERE r.proc = l.proc AND r.tid = l.tid AND r.type = 59 AND r.a <= l.launch AND r.b > l.launch AND
			(r.name LIKE '%prefill%' OR r.name LIKE '%decode%' OR r.name LIKE '%sampling%') ORDER BY r.a DESC, r.b LIMIT 1), '-') AS phase,
		count(*), sum(b - a) FROM launched l WHERE $KERNELS GROUP BY phase ORDER BY 3 DESC"
}

# bats test_tags=long
@test "--phases: how much of the GPU's time is prefill, decode, sampling, by TSV rules" {
	printf 'prefill\tprefill\ndecode\tdecode\nsampling\tsampling\n' > "$BATS_TEST_TMPDIR/rules"
	for t in "$NODES" "$WHOLE"; do
		answers nsq-nvtx --phases "$BATS_TEST_TMPDIR/rules" "$t"
		same "$(phase_facts "$t")" "$(col phase kernels gpu_ns <<<"$output")"
		same "decode,sampling,prefill" "$(col phase <<<"$output" | paste -sd ,)"
		# what was launched anywhere inside the ranges of a label
		same "$(ask "$t" "SELECT sum(b - a) FROM launched l WHERE $KERNELS AND EXISTS (SELECT 1 FROM ranges r WHERE r.proc = l.proc AND r.tid = l.tid
				AND r.a <= l.launch AND r.b > l.launch AND r.name LIKE '%decode%')")" "$(where phase decode <<<"$output" | col gpu_incl_ns)"
	done
}

@test "--phases: a note when no range matches a rule, and none when one does" {
	printf 'no such range\tnone\n' > "$BATS_TEST_TMPDIR/none"
	mentions "no range in '$NODES' matches a rule of '$BATS_TEST_TMPDIR/none'" "nsq-window --list" -- \
		nsq-nvtx --phases "$BATS_TEST_TMPDIR/none" "$NODES"
	same "-" "$(col phase <<<"$output")"
	same "$(gpu_time "$NODES")" "$(sum kernels gpu_ns <<<"$output")"
	# of several labels, those without a range; not those of groups, nor of built-in rules
	printf 'no range either\tnone\nnor (this)\t\\1\nnor that\tthat\nsampling\tsampling\n' >> "$BATS_TEST_TMPDIR/none"
	mentions "no range in '$NODES' matches a rule of '$BATS_TEST_TMPDIR/none' for 'none', 'that'" -- nsq-nvtx --phases "$BATS_TEST_TMPDIR/none" "$NODES"
	sed -i '/^no/d' "$BATS_TEST_TMPDIR/none"
	answers nsq-nvtx --phases "$BATS_TEST_TMPDIR/none" "$NODES"
	lacks "$(nsq-nvtx --phases llm "$NODES" 2>&1 >/dev/null)" "matches a rule"
}

@test "--phases: the JSON of labels and substrings says the same" {
	printf 'prefill\tprefill\ndecode\tdecode\nsampling\tsampling\n' > "$BATS_TEST_TMPDIR/rules"
	echo '{"prefill": ["no such", "prefill"], "decode": ["decode"], "sampling": ["sampl"]}' > "$BATS_TEST_TMPDIR/phases.json"
	echo '{"prefill": ["PREFILL"], "decode": ["dEcode"], "sampling": ["Sampl"]}' > "$BATS_TEST_TMPDIR/case.json"
	same "$(nsq-nvtx --phases "$BATS_TEST_TMPDIR/rules" "$NODES")" "$(nsq-nvtx --phases "$BATS_TEST_TMPDIR/case.json" "$NODES")"
	same "$(nsq-nvtx --phases "$BATS_TEST_TMPDIR/rules" "$NODES")" "$(nsq-nvtx --phases "$BATS_TEST_TMPDIR/phases.json" "$NODES")"
	same "$(phase_facts "$NODES")" "$(nsq-nvtx --phases "$BATS_TEST_TMPDIR/phases.json" "$NODES" | col phase kernels gpu_ns)"
}

@test "--phases: count and CPU times are those of the outermost range of each label" {
	printf 'prefill\tprefill\ndecode\tdecode\nsampling\tsampling\n' > "$BATS_TEST_TMPDIR/rules"
	answers nsq-nvtx --phases "$BATS_TEST_TMPDIR/rules" "$NODES"
	# decode_all holds the decode steps
	same "$(ask "$NODES" "SELECT 'decode', b - a FROM ranges WHERE name = 'LLM@decode_all' UNION ALL SELECT 'prefill', b - a FROM ranges WHERE name LIKE '%prefill'
			UNION ALL SELECT 'sampling', b - a FROM ranges WHERE name = 'sampling'" | measured | cut -f1-6,9)" \
		"$(col phase count cpu_ns mean_ns p50_ns p90_ns max_ns <<<"$output" | sort)"
}

@test "--phases: work that no rule matches stands under -, and without outer match the inner ranges count" {
	printf 'decode step\tdecode\n' > "$BATS_TEST_TMPDIR/rules"
	answers nsq-nvtx --phases "$BATS_TEST_TMPDIR/rules" "$NODES"
	same "$(ask "$NODES" "SELECT CASE $INNERMOST WHEN 'decode step' THEN 'decode' ELSE '-' END AS p, count(*), sum(b - a) FROM launched l WHERE $KERNELS GROUP BY p ORDER BY 3 DESC")" \
		"$(col phase kernels gpu_ns <<<"$output")"
	same 60 "$(where phase decode <<<"$output" | col count)"
	fails 2 "'$BATS_TEST_TMPDIR/none'" -- nsq-nvtx --phases "$BATS_TEST_TMPDIR/none" "$NODES"
}

# ---- --adopt, warnings, windows

@test "--adopt: backward holds what the autograd thread launched while it was open on the main thread" {
	# 1084 is a process of two: its main thread has the tid 1084
	read -r with without <<<"$(ask "$DDP" "WITH open AS MATERIALIZED (SELECT a, b FROM ranges WHERE pid = 1084 AND tid = pid AND type = 59 AND name = 'backward')
		SELECT sum(l.b - l.a), sum(CASE tid WHEN pid THEN l.b - l.a ELSE 0 END) FROM launched l JOIN open o ON o.a <= l.launch AND o.b > l.launch
		WHERE $KERNELS AND pid = 1084")"
	same "$with" "$(nsq-nvtx -q -p 1084 --adopt "$DDP" | where name backward | col gpu_incl_ns)"
	same "$without" "$(nsq-nvtx -q -p 1084 "$DDP" | where name backward | col gpu_incl_ns)"
	[ "$with" -gt "$((10 * without))" ]
	[ "$with" -gt 500000000 ]
	# in the tree its children are the autograd thread's ranges
	same "$with" "$(nsq-nvtx -q -p 1084 --adopt --tree "$DDP" | where name backward | sum gpu_incl_ns)"
}

@test "--adopt: work outside every range of its own thread stands in the main thread's innermost" {
	same "$(ask "$COMPILE" "SELECT coalesce($INNERMOST, (SELECT r.name FROM ranges r WHERE r.proc = l.proc AND r.tid = l.pid AND r.type = 59 AND
			r.a <= l.launch AND r.b > l.launch ORDER BY r.a DESC, r.b LIMIT 1), '-') AS n, count(*), sum(b - a) FROM launched l WHERE $KERNELS GROUP BY n" | sort)" \
		"$(nsq-nvtx -q --exact --adopt "$COMPILE" | col name kernels gpu_ns | awk -F '\t' '$2' | sort)"
	run diff <(nsq-nvtx -q "$COMPILE") <(nsq-nvtx -q --adopt "$COMPILE")
	[ "$status" -eq 1 ]
}

@test "stderr warns when less of the GPU time is attributed than --warn-below" {
	in=$(ask "$COPIES" "SELECT printf('%.2f', 100.0 * sum(CASE WHEN $INNERMOST IS NULL THEN 0 ELSE b - a END) / sum(b - a)) FROM launched l WHERE $KERNELS")
	answers nsq-nvtx "$COPIES"
	answers nsq-nvtx --warn-below "${in%.*}" "$COPIES"
	mentions "$in" "$COPIES" "--adopt" -- nsq-nvtx --warn-below $((${in%.*} + 1)) "$COPIES"
	mentions "$in" -- nsq-nvtx --tree --warn-below 100 "$COPIES"
	# a number with a point of at most 1 is a share
	for share in "0.70 70" "1.0 100" "0.005 1" "1 1" "70.4 70"; do
		same "$(nsq-nvtx -v --warn-below "${share#* }" "$COPIES" 2>&1)" "$(nsq-nvtx -v --warn-below "${share% *}" "$COPIES" 2>&1)"
	done
	mentions "$in" -- nsq-nvtx --warn-below 1.0 "$COPIES"
	for wrong in -1 101 0.7.1 x ""; do fails 2 "'--warn-below' takes percent from 0 to 100, or a share such as 0.7" -- nsq-nvtx --warn-below="$wrong" "$COPIES"; done
	# what it measures: ranges of the launching thread, with --adopt those of the main thread too, which is then no advice
	mentions "inside a range; annotate more, or try --adopt" -- nsq-nvtx --warn-below 100 "$COPIES"
	mentions "was launched inside a range; annotate more" -- nsq-nvtx --adopt --warn-below 100 "$COPIES"
	holds "$(nsq-nvtx --adopt --captured --warn-below 100 "$COPIES" 2>&1 >/dev/null)" "was launched inside a range; annotate more"
	holds "$(nsq-nvtx --captured --warn-below 100 "$COPIES" 2>&1 >/dev/null)" "was launched inside a range; annotate more, or try --adopt"
	lacks "$(nsq-nvtx --adopt --warn-below 100 "$COPIES" 2>&1 >/dev/null)" "--adopt"
	# without any ranges of the thread that launches most
	t=$(change "$COPIES" "DELETE FROM NVTX_EVENTS WHERE globalTid & 0xffffff = 494 AND eventType = 59")
	mentions "$t" -- nsq-nvtx "$t"
	answers nsq-nvtx -q "$t"
	answers nsq-nvtx --warn-below 0 "$t"
}

@test "a window's counts and CPU times are of its CPU side, its work of its GPU side" {
	windows=$(nsq-window -q -p 693 "$DUALPIPE")
	read -r a b ca cb <<<"$(col start_ns end_ns cpu_start_ns cpu_end_ns <<<"$windows")"
	[ "$cb" -lt "$a" ]
	nsq-nvtx -q --exact <<<"$windows" > "$BATS_TEST_TMPDIR/got"
	same "$a$TAB$b" "$(col start_ns end_ns < "$BATS_TEST_TMPDIR/got" | sort -u)"
	same "$(ask "$DUALPIPE" "SELECT domain, name, count(*), sum(min(b, $cb) - max(a, $ca)) FROM ranges WHERE pid = 693 AND a < $cb AND b > $ca GROUP BY 1, 2" | sort)" \
		"$(col domain name count cpu_ns < "$BATS_TEST_TMPDIR/got" | awk -F '\t' '$3' | sort)"
	same "$(ask "$DUALPIPE" "SELECT coalesce($INNERMOST, '-'), count(*), sum(min(b, $b) - max(a, $a)) FROM launched l WHERE pid = 693 AND $KERNELS AND
			a < $b AND b > $a GROUP BY 1" | sort)" \
		"$(col name kernels gpu_ns < "$BATS_TEST_TMPDIR/got" | awk -F '\t' '$2 != "-" && $2' | sort)"
}

@test "options without effect in the mode are refused" {
	fails 2 "'--exact'" "'--each'" -- nsq-nvtx --each --exact "$COPIES"
	fails 2 "'--tree'" "'--each'" -- nsq-nvtx --each --tree "$COPIES"
	fails 2 "'--match'" "'--tree'" -- nsq-nvtx --tree -m x "$COPIES"
	fails 2 "--warn-below" -- nsq-nvtx --warn-below much "$COPIES"
}

@test "without NVTX: exit 3 names the flag" {
	t=$(change "$COPIES" "DROP TABLE NVTX_EVENTS")
	fails 3 "NVTX" "nvtx" -- nsq-nvtx "$t"
}

@test "--adopt: what the main thread launches stands once in its own ranges, with and without --each" {
	t=$(made "INSERT INTO N VALUES (0, 100, 59, 'outer', $P5 + 5, NULL, 0), (10, 90, 59, 'inner', $P5 + 5, NULL, 0), (40, 60, 59, 'of another', $P5 + 9, NULL, 0);
		INSERT INTO R VALUES (20, 21, $P5 + 5, 1, 2), (50, 51, $P5 + 9, 2, 2), (70, 71, $P5 + 9, 3, 2);
		INSERT INTO K VALUES (1000, 1001, 0, 1, 7, 1, $P5, 1, 1), (2000, 2010, 0, 1, 7, 2, $P5, 1, 1), (3000, 3100, 0, 1, 7, 3, $P5, 1, 1)")
	same "outer 0 1,inner 1 1,of another 10 10," "$(nsq-nvtx -q --each "$t" | col name gpu_ns gpu_incl_ns | tr '\t\n' ' ,')"
	same "outer 0 111,inner 101 111,of another 10 10," "$(nsq-nvtx -q --each --adopt "$t" | col name gpu_ns gpu_incl_ns | tr '\t\n' ' ,')"
	same "inner 101 111,of another 10 10,outer 0 111," "$(nsq-nvtx -q --adopt "$t" | col name gpu_ns gpu_incl_ns | sort | tr '\t\n' ' ,')"
	# and a trace whose main thread launches everything: adopting changes nothing
	same "$(nsq-nvtx -q --each "$COPIES" | where tid 475)" "$(nsq-nvtx -q --each --adopt "$COPIES" | where tid 475)"
}

@test "--tree --adopt: a range of another thread stands in those that are open on the main thread when it opens" {
	t=$(made "INSERT INTO N VALUES (0, 300, 59, 'outer', $P5 + 5, NULL, 0), (10, 50, 59, 'inner', $P5 + 5, NULL, 0), (40, 49, 59, 'in both', $P5 + 9, NULL, 0), (50, 80, 59, 'after', $P5 + 9, NULL, 0),
		(300, 310, 59, 'outside', $P5 + 9, NULL, 0)")
	same "outer,outer > after,outer > inner,outer > inner > in both,outside," "$(nsq-nvtx -q --tree --adopt "$t" | col path | sort | tr '\n' ',')"
	same "after,in both,outer,outer > inner,outside," "$(nsq-nvtx -q --tree "$t" | col path | sort | tr '\n' ',')"
}

@test "--phases: a comment begins with a # at the start of a line or a word" {
	t=$(made "INSERT INTO N VALUES (0, 1, 59, 'a b#1', $P5 + 5, NULL, 0), (2, 4, 59, 'c', $P5 + 5, NULL, 0), (5, 8, 59, 'd#2', $P5 + 5, NULL, 0)")
	printf '%s\n' '# a comment' "^a b#1$TAB$TAB""one#1" "^c${TAB}two # c" "^d#2${TAB}three$TAB# d" "$TAB# blank" > "$BATS_TEST_TMPDIR/rules"
	answers nsq-nvtx -q --phases "$BATS_TEST_TMPDIR/rules" "$t"
	same "one#1 1,two 2,three 3," "$(col phase cpu_ns <<<"$output" | grep -v ^- | sort -t "$TAB" -k2n | tr '\t\n' ' ,')"
}

@test "--tree --captured: of many windows and nodes, each window has the nodes that it has alone" {
	cd "$BATS_TEST_TMPDIR"
	cp "$FIXTURES/graph-capture.sqlite" t.sqlite
	sqlite3 t.sqlite "UPDATE NVTX_EVENTS SET text = text || rowid WHERE eventType = 59"
	nsq-window -q --bins 70 t.sqlite > w.tsv
	for i in 5 30 60; do nsq-nvtx -q --tree --exact --captured -w <(sed -n "1p;${i}p" w.tsv) t.sqlite; done | awk 'NR == 1 { head = $0 } $0 != head' > one
	[ "$(wc -l < one)" -gt 20 ]
	diff one <(nsq-nvtx -q --tree --exact --captured -w w.tsv t.sqlite | grep -F -e "$(sed -n 5p w.tsv | cut -f 1-4)" -e "$(sed -n 30p w.tsv | cut -f 1-4)" -e "$(sed -n 60p w.tsv | cut -f 1-4)")
}
