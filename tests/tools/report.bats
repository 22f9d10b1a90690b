# nsq-report: what it writes is what the tools say; the folder is there whole or not at all.
load ../helper

setup_file() {
	cc -shared -fPIC -O1 -o "$BATS_FILE_TMPDIR/faults.so" "$TESTS/tools/report-faults.c" -ldl
}

setup() {
	TRAIN=$FIXTURES/train.sqlite
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
}

# compared ARGS...: a report of these is made in r, and, in the slow test below, is what the tools say.  That of a fixture is
# made once for all tests.
compared() {
	local kept=$BATS_FILE_TMPDIR/${1##*/}.report
	rm -rf r
	if [ $# -gt 1 ] || [[ $1 != "$FIXTURES"/* ]]; then
		nsq-report -q -o r "$@" > findings.tsv
	else
		[ -e "$kept" ] || (mkdir "$kept" && cd "$kept" && nsq-report -q -o r "$1" > findings.tsv)
		cp -r "$kept/." .
	fi
	told r
}

# told FOLDER: in that slow test, the report there is what the tools say.
told() { [ -z "$COMPARE" ] || python3 "$TESTS/tools/report.py" "$1"; }

# numbers_hold [FOLDER]: every number in a sentence is that of a table.
numbers_hold() { python3 "$TESTS/tools/sentences.py" "${1:-r}"; }

md() { cat "${1:-r}/report.md"; }

# time_of NS: a time with three significant figures.
time_of() {
	awk -v ns="$1" 'BEGIN { split("ns us ms s", unit, " "); for (k = 1; ns >= 999.5 && k < 4; k++) ns /= 1000
		printf(k == 1 || ns >= 99.95 ? "%.0f %s" : ns >= 9.995 ? "%.1f %s" : "%.2f %s", ns, unit[k]) }'
}

# ---- what it says

# as_the_tools ARGS...: each report of the fixtures that these name is what the tools say.
as_the_tools() {
	cd "$FIXTURES"
	for args; do
		echo "$args"
		nsq-report -q --force -o "$BATS_TEST_TMPDIR/r" $args > /dev/null
		python3 "$TESTS/tools/report.py" "$BATS_TEST_TMPDIR/r"
	done
}

# bats test_tags=long
@test "every table, and every number of the page, is that of the tools" {
	as_the_tools dualpipe-pp2ep2.sqlite
}

# bats test_tags=slow
@test "the same of programs with a fault, of which the page says most" {
	cd "$BATS_TEST_TMPDIR"
	for f in $(first_few 1 item hooks checkpoint slowopt small pause loader malloc layersync save pageable); do
		xz -dc "$FIXTURES/faults/$f.sqlite.xz" > "$f.sqlite"
		traces+=" $f.sqlite"
	done
	python3 "$TESTS/plant.py" item.sqlite slow.sqlite host 4 > /dev/null
	traces+=" slow.sqlite"
	FIXTURES=$PWD as_the_tools $traces
}

# bats test_tags=slow
@test "every table, and every number of the page, is that of the tools: all fixtures" {
	as_the_tools $(cd "$FIXTURES" && ls ./*.sqlite)
}

# bats test_tags=slow
@test "every table, and every number of the page, is that of the tools: the reports of all tests here" {
	COMPARE=all bats --filter-tags '!slow' "$BATS_TEST_FILENAME"
}

# bats test_tags=slow
@test "the same of several traces, of steps that -m names, and with other options" {
	as_the_tools "collectives-rank0.sqlite collectives-rank1.sqlite" "-m layer --captured graph-capture.sqlite" "--warn-below 100 torch-compile.sqlite"
}

# bats test_tags=slow
@test "the same of several traces, of ranks of a job, of steps that -m names, and with other options: larger ones" {
	as_the_tools "collectives-rank0.sqlite collectives-rank1.sqlite collectives-rank2.sqlite collectives-rank3.sqlite" \
		"train.sqlite train-allocs.sqlite" "-m decode.step decode-eager-long.sqlite" "--comm sgemm ddp-2rank.sqlite"
}

# bats test_tags=more
@test "a number in a sentence that is not that of a table is noticed, wherever it stands" {
	cd "$FIXTURES"
	for t in $(first_few 1 dualpipe-pp2ep2.sqlite train.sqlite); do
		nsq-report -q --force -o "$BATS_TEST_TMPDIR/r" $t > /dev/null
		numbers=$(python3 "$TESTS/tools/sentences.py" --alter "$BATS_TEST_TMPDIR/r")
		same "${numbers##*$'\n'}" "$numbers"
		[ "${numbers% numbers}" -ge 15 ]
	done
}

@test "options are passed on to the commands of the tools that take them" {
	cd "$FIXTURES"
	nsq-report -q -o "$BATS_TEST_TMPDIR/r" --comm Kernel2 --captured -m 'step .' --phases "$TESTS/../share/rules/stages.tsv" --warn-below 5 train.sqlite > /dev/null
	commands=$(jq -r '.command, (.findings, .steps, .tables[] | .command)' "$BATS_TEST_TMPDIR/r/report.json")
	same "nsq-report -o $BATS_TEST_TMPDIR/r -m 'step .' --phases $TESTS/../share/rules/stages.tsv --comm Kernel2 --captured --warn-below 5 train.sqlite" "$(head -1 <<< "$commands")"
	holds "$commands" "nsq-advise -m 'step .' --comm Kernel2 --captured train.sqlite" "nsq-window --stats --steady -m 'step .' train.sqlite" \
		"nsq-window --steady --period -m 'step .' train.sqlite | nsq-overlap --total --comm Kernel2" "nsq-nvtx --adopt --captured train.sqlite" \
		"nsq-setup train.sqlite | nsq-nvtx --adopt --captured" "nsq-nvtx --adopt --phases $TESTS/../share/rules/stages.tsv --captured train.sqlite" \
		"nsq-window --steady --pick all --period -m 'step .' train.sqlite | nsq-kernels --merge --comm Kernel2" \
		"nsq-api --class sync --by pid,name train.sqlite"
	same 1 "$(grep -c -- --phases <<< "${commands#*$'\n'}")"
	told "$BATS_TEST_TMPDIR/r"
}

# prints_findings ARGS...: as nsq-advise prints them, in every format.
prints_findings() {
	cd "$FIXTURES"
	for t; do
		for f in $(first_few 1 tsv md csv jsonl table); do
			printed=$(nsq-report -q -f $f --force -o "$BATS_TEST_TMPDIR/r" $t)
			same "$(nsq-advise -q -f $f $t)" "$printed"
			holds "$printed" "recover_ns"
		done
	done
}

# bats test_tags=slow
@test "it prints the findings: the table of nsq-advise, in every format, of larger traces" {
	prints_findings ddp-2rank.sqlite "-m decode.step decode-eager-long.sqlite"
}

# bats test_tags=more,long
@test "it prints the findings: the table of nsq-advise, in every format" {
	prints_findings train.sqlite
	same "$(nsq-advise -q -n 1 -H -f table train.sqlite)" "$(nsq-report -q -n 1 -H -f table --force -o "$BATS_TEST_TMPDIR/r" train.sqlite)"
	same "$(nsq-advise --columns)" "$(nsq-report --columns)"
}

# bats test_tags=long
@test "the bytes are the same for any number of threads" {
	for j in 1 2 7; do
		mkdir $j
		(cd $j && nsq-report -q -j $j -o r "$DUALPIPE" > /dev/null)
	done
	diff -r 1 2
	diff -r 1 7
}

# bats test_tags=more,long
@test "the command of a report makes it again: elsewhere as it stands, in its place with --force" {
	again=("-o ./-report -m 'step [34]' --comm Kernel2 --captured --warn-below 5 two.sqlite one.sqlite")
	if more; then again+=("-o \"it's a report\" one.sqlite" one.sqlite "-o r.report one.sqlite two.sqlite"); fi
	for args in "${again[@]}"; do
		rm -rf first second
		for at in first second; do
			mkdir $at
			cp "$TRAIN" $at/one.sqlite
			cp "$FIXTURES/train-allocs.sqlite" $at/two.sqlite
		done
		(cd first && eval "nsq-report -q $args" > /dev/null)
		command=$(jq -r .command first/*report/report.json)
		(cd second && bash -c "$command" > /dev/null 2> /dev/null)
		diff -r first second
		(cd second && bash -c "${command/nsq-report/nsq-report --force}" > /dev/null 2> /dev/null)
		diff -r first second
	done
}

# bats test_tags=slow
@test "report.json has the form that is written down" {
	compared "$TRAIN"
	same "format version nsq files command traces notes findings steps tables" "$(jq -r 'keys_unsorted | join(" ")' r/report.json)"
	same "nsq-report 1 $(nsq-report --version | grep -o '[^ ]*$')" "$(jq -r '"\(.format) \(.version) \(.nsq)"' r/report.json)"
	same "command csv columns rows" "$(jq -r '[.findings, .steps, .tables[] | keys_unsorted | join(" ")] | unique | join("; ")' r/report.json)"
	for name in kernels ranges idle_gaps kernels_by_process sync_by_process ranges_by_process launches streams overlap collectives; do
		same "tables/$name.csv" "$(jq -r ".tables.$name.csv" r/report.json)"
	done
	same "name type unit meaning" "$(jq -r '[.tables[].columns[] | keys_unsorted | join(" ")] | unique | join("; ")' r/report.json)"
	same '{"format":"nsq-report","version":1,' "$(head -c 35 r/report.json)"
}

# bats test_tags=long
@test "what the answers say on stderr stands in the report and on stderr, each line once" {
	run --separate-stderr nsq-report -v -o r "$DDP"
	same 0 "$status"
	same "$(jq -r '.notes[]' r/report.json | sort)" "$(sed 's/^nsq-report: //; s/^warning: //' <<< "$stderr" | grep -v '^wrote ' | sort)"
	same "" "$(sort <<< "$stderr" | uniq -d)"
	holds "$stderr" "lost events" "share GPU 0" "ranges 'iteration #'" "match none"
	# in report.md the verdict comes first
	same "$(jq -r '.notes | length' r/report.json)" "$(md | sed -n '/^### Notes/,/^###* T/p' | grep -c '^- ' | awk '{ print $1 + 1 }')"
	same "**Process 1084 is GPU-bound: the GPU is busy for # ms of a step (# %); fixing 'tensor' saves at most # ms per step.**" \
		"$(md | sed -n 3p | sed -E 's/[0-9.]+ (ms|%)/# \1/g')"
	holds "$(sed -E 's/[0-9.]+ (of|ms|%)/# \1/g' <<< "$stderr")" \
		"process 1084 is gpu-bound: the GPU is busy for # of # ms; fixing 'tensor' saves at most # ms per step"
	numbers_hold
	answers nsq-report -q --force -o r "$TRAIN"
}

# ---- cases

@test "a trace without NVTX: steps of kernels, no table of ranges, and it says so" {
	compared "$(change "$TRAIN" "DROP TABLE NVTX_EVENTS")"
	holds "$(md)" "one of 7 steps, \`vectorized_gather_kernel\`)" '| missing.nvtx | `nsys profile --trace=nvtx` |' "**Most kernels are not annotated**"
	lacks "$(md)" "## NVTX ranges"
	[ ! -e r/tables/ranges.csv ]
}

@test "a trace without CUDA events: who and the ranges; without both, exit 3 and nothing is written" {
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'CUPTI*')")
	compared "$t"
	holds "$(md)" "Nothing can be advised" "holds no CUDA events" "### NVTX ranges" "### Processes"
	same "processes ranges ranges_by_process facts" "$(jq -r '.tables | keys_unsorted | join(" ")' r/report.json)"
	same "null null" "$(jq -r '"\(.findings) \(.steps)"' r/report.json)"
	mentions "no findings" "holds no CUDA events" -- bash -c 'nsq-report --force -o r "$1" 2>&1 > /dev/null | grep -v wrote >&2' - "$t"
	sqlite3 "$t" "DROP TABLE NVTX_EVENTS"
	fails 3 "holds no CUDA events or NVTX events" "nsys profile --trace=cuda,nvtx" -- nsq-report -o nothing "$t"
	[ ! -e nothing ]
}

# bats test_tags=long
@test "of several traces those that can answer are in it, and the largest code is returned" {
	t=$(change "$TRAIN" "$(drop_tables "$TRAIN" 'CUPTI*')" "DROP TABLE NVTX_EVENTS")
	run --separate-stderr nsq-report -q -o r "$t" "$TRAIN"
	same 3 "$status"
	same "[\"$TRAIN\"]" "$(jq -c .traces r/report.json)"
	told r
	echo no > bad.sqlite
	run --separate-stderr nsq-report -q --force -o r bad.sqlite "$TRAIN" "$t"
	same 3 "$status"
	run --separate-stderr nsq-report -q --force -o r bad.sqlite "$TRAIN"
	same 1 "$status"
	holds "$stderr" "bad.sqlite"
	told r
	fails 1 "bad.sqlite" -- nsq-report -q -o none bad.sqlite
	[ ! -e none ]
}

# bats test_tags=long
@test "a single step, and none: the step itself, or the whole process" {
	t=$(change "$TRAIN" "DELETE FROM NVTX_EVENTS WHERE text GLOB 'step *' AND text <> 'step 0'")
	compared -m step "$t"
	holds "$(md)" "A typical step takes **" " ms** (process 911; the only step, \`step #\`)" "nsq-window -m step ${t##*/} | nsq-overlap --total"
	numbers_hold
	lacks "$(md | sed '/^### Notes/,$d')" "--steady --period"
	holds "$(md)" "Nothing can be advised: no step is followed by another, so none could be looked at."
	t=$(change "$TRAIN" "DROP TABLE NVTX_EVENTS" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 40")
	compared "$t"
	holds "$(md)" "## Where the time goes" "No steps were found, so this is about a process as a whole. From its first to its last work on the GPU it takes **"
	compared -m nothing "$TRAIN"
	holds "$(md)" "There are no steps: no range with GPU work matches 'nothing'."
	lacks "$(md)" "nsq-overlap --total"
	mentions "no range with GPU work matches 'nothing', so there are no steps" -- bash -c 'nsq-report -v --force -o r -m nothing "$1" 2>&1 > /dev/null | grep "so there" >&2' - "$TRAIN"
}

# bats test_tags=long
@test "no advice: it says whether there was nothing to look at, nothing to trust or nothing to win" {
	compared -m zzz "$TRAIN"
	holds "$(md)" "Nothing can be advised: no range with GPU work matches 'zzz'." "\`nsq-advise -m zzz train.sqlite\`"
	mentions "no findings: no range with GPU work matches 'zzz'" -- bash -c 'nsq-report -v --force -o r -m zzz "$1" 2>&1 > /dev/null | grep findings >&2' - "$TRAIN"
	gone="DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET"
	t=$(change "$TRAIN" "$gone")
	compared "$t"
	holds "$(md)" "**Careful**: process 911: 1616 launches but no kernels (capture again with nsys profile --cuda-flush-interval=100); CUDA was traced but no GPU work was seen." "There are no steps: there is no GPU work." \
		"Nothing can be advised: there is no GPU work, and the capture cannot be trusted."
	t=$(change "$TRAIN" "$gone" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid > 60")
	compared "$t"
	holds "$(md)" "**Careful**: CUDA was traced but no GPU work was seen." \
		"There are no steps: there is no GPU work." "Nothing can be advised: there is no GPU work, and the capture cannot be trusted."
	t=$(change "$TRAIN" "$gone" "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME")
	compared "$t"
	holds "$(md)" "Nothing can be advised: there is no GPU work"
	# a healthy program
	t=$BATS_TEST_TMPDIR/healthy.sqlite
	xz -dc "$FIXTURES/faults/healthy.sqlite.xz" > "$t"
	same 0 "$(nsq-advise -q "$t" | count)"
	compared "$t"
	holds "$(md)" "Nothing that was looked for is worth 2 % of a step or more." "\`nsq-advise ${t##*/}\`"
	lacks "$(md)" "Nothing can be advised"
}

# bats test_tags=long
@test "where no steps were found, nothing is said of a step; a trace that has some does" {
	cp "$TRAIN" steps.sqlite
	mv "$(change "$TRAIN" "DROP TABLE NVTX_EVENTS" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 40" \
		"$(for k in MEMCPY MEMSET RUNTIME; do
			echo "DELETE FROM CUPTI_ACTIVITY_KIND_$k WHERE correlationId > (SELECT max(correlationId) FROM CUPTI_ACTIVITY_KIND_KERNEL);"
		done)")" none.sqlite
	compared none.sqlite
	holds "$(md)" "No steps were found, so this is about a process as a whole. From its first to its last work on the GPU it takes **" "ms of the run ("
	lacks "$(md)" "A typical step"
	same "" "$(md | grep 'worth at most .* of a step')"
	lacks "$(md)" "### Steps"
	lacks "$(cat r/report.html)" "How long each step takes"
	[ -s r/tables/steps.csv ]
	compared steps.sqlite none.sqlite
	holds "$(md)" "No steps were found in \`none.sqlite\`, so this is about a process as a whole." \
		"A typical step in \`steps.sqlite\` takes **" "; one of 7 steps, " "### Steps" "ms of a step (" "ms of the run ("
	numbers_hold
	t=$(change "$DDP" "DROP TABLE NVTX_EVENTS" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid NOT IN
		(SELECT rowid FROM (SELECT rowid, row_number() OVER (PARTITION BY globalPid ORDER BY start) AS i FROM CUPTI_ACTIVITY_KIND_KERNEL) WHERE i < 10)")
	same process "$(nsq-window -q "$t" | col rule | sort -u)"
	compared "$t"
	holds "$(md)" "No steps were found, so this is about a process as a whole. From its first to its last work on the GPU it takes **" ", the longest of 2)"
}

# ranks_of HEADING: the first column of the tables of r under that heading.
ranks_of() { md | sed -n "/^##* $1\$/,/^##* /p" | sed -nE 's/^\| ([0-9]+) \|.*/\1/p' | xargs; }

# bats test_tags=long
@test "ranks of several traces: a table of them where they differ, and no path where ranks tell them apart" {
	cp "$FIXTURES"/collectives-rank?.sqlite .
	compared collectives-rank?.sqlite
	holds "$(md)" "They differ."
	same "0 1 2 3" "$(ranks_of "The ranks" | cut -d' ' -f1-4)"
	lacks "$(md | sed '/^<details><summary>More/,$d' | grep '^|')" "collectives-rank"
	# of the same trace under four names all are alike
	for i in 0 1 2 3; do cp "$FIXTURES/train.sqlite" same$i.sqlite; done
	compared same?.sqlite
	holds "$(md)" "All 4 are alike: the same bounds them, and their times differ by less than 5 % of a step."
	lacks "$(md)" "They differ."
	compared same0.sqlite
	lacks "$(md)" "## The ranks"
}

# bats test_tags=long
@test "findings of several traces are one list, in which each names its trace" {
	cp "$TRAIN" "$FIXTURES/train-allocs.sqlite" "$FIXTURES/torch-compile.sqlite" .
	compared train.sqlite train-allocs.sqlite torch-compile.sqlite
	same "$(col trace < findings.tsv | sort -u)" "$(md | sed '/^## Where/,$d' | grep -oE 'process [0-9]+ of `[^`]*`' | cut -d'`' -f2 | sort -u)"
	holds "$(md)" "These savings add up in a process, but not across processes, which run at the same time."
	compared "$FIXTURES/collectives-rank2.sqlite"
	lacks "$(md)" "savings add up"
	compared train.sqlite
	holds "$(md)" "These savings add up."
	[ ! -e r/tables/stragglers.csv ]         # of a single process
	compared "$DDP"
	[ -s r/tables/stragglers.csv ]
}

@test "what nsys warns of is counted, and is nothing to be careful of" {
	t=$(change "$TRAIN" "INSERT INTO DIAGNOSTIC_EVENT SELECT 0, 1, 1, 2, column1, NULL FROM (VALUES ('No samples.'), ('a' || char(10) || 'b'))")
	compared "$t"
	numbers_hold
	holds "$(md)" "nsys gives 2 warnings: \`suspicious.diagnostic\` in \`tables/facts.csv\`."
	lacks "$(md)" "**Careful**"
	grep -c '^suspicious.diagnostic' r/tables/facts.csv | grep -qx 2
}

# bats test_tags=long
@test "Careful names the trace that it is about, and nothing is said of the others" {
	cp "$TRAIN" good.sqlite
	mv "$(change "$DDP")" bad.sqlite
	compared good.sqlite bad.sqlite
	same "**Careful**: events were lost (process 1085 of \`bad.sqlite\`), the GPU is shared; see below." "$(md | grep Careful)"
}

@test "findings of one's own are in the report, with their whole title; a broken one is one line, and nothing is written" {
	mkdir own
	printf -- "-- kind: mine\n-- title: products: 'a: b'\n-- advice: none\nSELECT unit, NULL AS \"where\", dur_ns AS ns, 'w: x' AS words FROM steps\n" > own/mine.sql
	NSQ_FINDINGS=own nsq-report -q -o r "$TRAIN" > rows
	holds "$(md)" "**Products: 'a: b'** (\`mine\`): worth at most" "%), process 911. W: x. To do: none."
	same "$(NSQ_FINDINGS=own nsq-advise -q --min-pct 0 "$TRAIN" | where kind mine | col recover_ns)" "$(where kind mine < rows | col recover_ns)"
	echo 'SELECT 1' > own/mine.sql
	NSQ_FINDINGS=own fails 2 "the finding 'own/mine.sql' has no line" -- nsq-report -q -o other "$TRAIN"
	[ ! -e other ]
}

@test "stderr says where the report is, unless -q" {
	run --separate-stderr nsq-report -o r "$TRAIN"
	holds "$stderr" "wrote 'r/report.html'"
	run --separate-stderr nsq-report -q --force -o r "$TRAIN"
	same "" "$stderr"
}

@test "a finding says where it is, whatever the name" {
	xz -dc "$FIXTURES/faults/item.sqlite.xz" > item.sqlite
	sqlite3 item.sqlite "UPDATE NVTX_EVENTS SET text = 'rank''s own: a' WHERE text = 'log'; UPDATE StringIds SET value = 'rank''s own: a' WHERE value = 'log'"
	compared item.sqlite
	holds "$(md)" "**GPU starved after a synchronization** (\`sync\`) in \`rank's own: a\`: worth at most"
}

# picture TITLE: the picture of r with a title that begins so, as a screen shows it.
picture() { sed -n "/<title>$1/,/<\/svg>/{p;/<\/svg>/q}" r/report.html; }
steps_picture() { picture "How long each step takes"; }

# bats test_tags=long
@test "the picture of all steps begins at 0, in milliseconds, without the warm-up, and says so" {
	compared "$TRAIN"
	lacks "$(md)" "mean of these steps"
	same 7 "$(steps_picture | grep -c 'class="hit"')"
	same 2 "$(steps_picture | grep -c '>0</text>')"         # of the periods, all of 9 to 12 ms, and of the steps
	lacks "$(steps_picture)" "after the first"
	compared "$NODES"
	holds "$(steps_picture)" "How long each step takes, after the first<" "time (ms)"
	same 1 "$(steps_picture | grep -c '>0</text>')"         # of the periods
	# long steps among the others: what findings cost is a share of the mean
	mean=$(nsq-window -q --pick all --period "$NODES" | nsq-sql -q 'SELECT CAST(avg(dur_ns) AS INT) AS ns FROM t' | tail -1)
	holds "$(md)" "The mean of these steps is **$(time_of "$mean")**;"
	compared "$FIXTURES/train-allocs.sqlite"
	same 2 "$(steps_picture | grep -c 'class="hit"')"
	lacks "$(steps_picture)" "after the first"
	t=$(change "$TRAIN" "DELETE FROM NVTX_EVENTS WHERE text GLOB 'step *' AND text <> 'step 0'")
	compared -m step "$t"
	same 1 "$(steps_picture | grep -c 'class="hit"')"
	lacks "$(cat r/report.html)" "no number to draw"
}

@test "a command that is folded away is named by its tools" {
	compared "$TRAIN"
	holds "$(cat r/report.html)" "<details><summary>nsq-window | nsq-overlap</summary>
<p><code><bdi>nsq-window --steady --period train.sqlite | nsq-overlap --total</bdi></code></p>
</details>" "<summary>nsq-window | nsq-ledger</summary>" "<summary>nsq-sql</summary>" "<summary>nsq-kernels, nsq-ledger</summary>"
	# the page has those of its two pictures that have no table, too: of the strip one, with its commands
	same "$(($(md | grep -c '<details>') + 2))" "$(grep -o '<details>' r/report.html | wc -l)"
}

@test "no communication, no such heading; the GPUs are named" {
	compared "$TRAIN"
	lacks "$(md)" "## Communication"
	holds "$(md)" "### What computation waited for" "| gpu.0.name | \`NVIDIA H200\` |"
	for i in 0 1 2 3; do cp "$FIXTURES/collectives-rank$i.sqlite" $i.sqlite; done
	chmod u+w 2.sqlite
	sqlite3 2.sqlite "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA A100'"
	compared ?.sqlite
	holds "$(md)" "| gpu.0.name | \`NVIDIA H200\` | 0.sqlite |" "| gpu.0.name | \`NVIDIA A100\` | 2.sqlite |"
}

@test "long names lose their middle on the page, and nothing in the table" {
	long=$(printf 'abcdefghi%.0s' {1..40})
	t=$(change "$TRAIN" "UPDATE StringIds SET value = '$long-end' WHERE value = 'multi_tensor_apply_kernel'" \
		"UPDATE NVTX_EVENTS SET text = '$long ' || text WHERE text GLOB 'step *' OR text = 'optimizer'")
	compared "$t"
	holds "$(md)" "| \`${long:0:40}…${long: -15}-end\` |" "one of 7 steps, \`${long:0:40}…${long: -12} step #\`)"
	same "" "$(md | grep '^|' | grep -oE '[^|]{75,}')"
	[ "$(md | grep '^|' | wc -L)" -lt 500 ]
	grep -q "$long-end" r/tables/kernels.csv
	compared "$DDP"
	[ "$(md | grep '^|' | wc -L)" -lt 400 ]
}

@test "many ranks: the page stays short and shows the worst, the tables hold all" {
	t=$(change "$DUALPIPE" "$(for table in CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_RUNTIME NVTX_EVENTS; do
		id=$([ $table = CUPTI_ACTIVITY_KIND_KERNEL ] && echo globalPid || echo globalTid)
		columns=$(sql "$DUALPIPE" "SELECT group_concat(CASE WHEN name = '$id' THEN name || ' + ((k * 100) << 24)' ELSE '\"' || name || '\"' END)
			FROM pragma_table_info('$table')")
		echo "INSERT INTO $table SELECT $columns FROM $table, (SELECT 1 AS k UNION SELECT 2);"
	done)")
	same 12 "$(nsq-setup -q "$t" | count)"
	# the idle time of one is the longest by far
	sqlite3 "$t" "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE (globalPid >> 24 & 0xffffff) = 896 AND rowid % 2 = 0"
	compared "$t"
	same 12 "$(tail -n +2 r/tables/typical_step_split.csv | wc -l)"
	same 12 "$(ranks_of "Processes" | wc -w)"
	holds "$(md | sed -n '/^### What computation/,/^### /p')" "| 896 |"          # a process, as three have the same rank
	[ "$(ranks_of "What computation waited for" | wc -w)" = 8 ]
	[ "$(md | sed '/^<details><summary>More/,$d' | wc -l)" -lt 260 ]
}

@test "names of any kind stay names: bars, backticks, markup, new lines, escapes" {
	t=$(change "$TRAIN" "UPDATE NVTX_EVENTS SET text = 'a|b \`c\` <img src=x onerror=alert(1)>' || char(10) || '**d** @u #1' || char(27) || '[31m' WHERE text = 'backward'" \
		"UPDATE NVTX_EVENTS SET text = '\`' || text || '|</script><script>alert(1)</script>' WHERE text GLOB 'step *'" \
		"UPDATE NVTX_EVENTS SET text = '\`\`' WHERE text = 'mlp'" \
		"UPDATE NVTX_EVENTS SET text = '</td></table><h1>' WHERE text = 'optimizer'" \
		"UPDATE TARGET_INFO_GPU SET name = '<b>GPU</b> | \`x\`'" \
		"UPDATE StringIds SET value = 'k|\`<i>&amp;\"' WHERE value = 'multi_tensor_apply_kernel'")
	compared "$t"
	holds "$(md)" '``a\|b `c` <img src=x onerror=alert(#)>\x0a**d** @u ##\x1b[#m``' '| ``` `` ``` |' '`` <b>GPU</b> \| `x` ``' '``k\|`<i>&amp;"``'
	same "" "$(tr -d '\n' < r/report.md | LC_ALL=C grep -o '[[:cntrl:]]')"
	lacks "$(cat r/report.html)" "<img src=x"
	lacks "$(cat r/report.html)" "<script>"
	lacks "$(cat r/report.html)" "</table><h1>"
	lacks "$(cat r/report.html)" "<b>GPU"
}

@test "a name that a shell would take apart is quoted in the commands" {
	mkdir "./-odd 'name' \$(x)"
	cp "$TRAIN" "./-odd 'name' \$(x)/-t.sqlite"
	compared "./-odd 'name' \$(x)/-t.sqlite"
	cd "./-odd 'name' \$(x)"
	compared -- -t.sqlite
	holds "$(md)" "\`nsq-setup -- -t.sqlite\`"
}

@test "coverage of annotation: a warning below the threshold" {
	pct=$(nsq-nvtx -q --adopt "$COPIES" | awk -F '\t' 'NR > 1 { all += $13; if ($16 == "-") none += $13 } END { printf "%.1f", 100 * (all - none) / all }')
	holds "$(nsq-report -v --warn-below 100 -o r "$COPIES" 2>&1 > /dev/null)" "only $pct"
	holds "$(md)" "only $pct"
	run --separate-stderr nsq-report --warn-below 5 --force -o r "$COPIES"
	lacks "$stderr" "was launched inside a range"
}

@test "phases and metrics have sections of their own" {
	printf 'forward\tforward pass\nbackward|optimizer\tthe rest\n' > phases.tsv
	compared --view --phases phases.tsv "$FIXTURES/train-metrics.sqlite"
	mv r with
	compared --phases phases.tsv "$FIXTURES/train-metrics.sqlite"
	diff -r with/tables r/tables
	holds "$(md)" "### Phases" "| forward pass |" "### Units of the GPU" "SMs Active"
	compared "$TRAIN"
	lacks "$(md)" "### Phases"
	lacks "$(md)" "### Units of the GPU"
	fails 2 "no-such-rules" -- nsq-report -o s --phases ./no-such-rules "$TRAIN"
	[ ! -e s ]
}

@test "--ncu adds the share of the peak of the typical steps and of their kernels, as nsq-mfu says" {
	compared --ncu "$FIXTURES/train-ncu.csv" --peak 1000 "$TRAIN"
	for by in window name; do
		case $by in window) name=typical_step_rates ;; name) name=typical_step_kernel_rates ;; esac
		same "$(nsq-window -q --steady --period "$TRAIN" | nsq-mfu -q -f csv --by $by --ncu "$FIXTURES/train-ncu.csv" --peak 1000)" "$(cat r/tables/$name.csv)"
	done
	holds "$(md)" "## Share of the peak" "\`multi_tensor_apply_kernel\`"
	lacks "$(md)" "the CSV covers"
	# without it there is nothing of it; of other kernels than those of the trace, the report says so
	compared "$TRAIN"
	lacks "$(md)" "Share of the peak"
	[ ! -e r/tables/typical_step_rates.csv ]
	run -0 --separate-stderr nsq-report --force -o r --ncu "$FIXTURES/train-ncu.csv" "$EAGER"
	same 1 "$(grep -c "warning: the CSV covers" <<< "$stderr")"
	# what cannot be read is one line, and no folder
	printf 'no page of ncu\n' > bad.csv
	for args in "--ncu bad.csv" "--ncu none.csv" "--peak 5" "--ncu $FIXTURES/train-ncu.csv --peak x"; do
		fails 2 "" -- nsq-report -o s $args "$TRAIN"
		same 1 "$(wc -l <<< "$stderr")"
		[ ! -e s ]
	done
	holds "$stderr" "'--peak' takes a number above 0, not 'x'"
}

# bats test_tags=long
@test "two traces stand side by side, and the command that compares them is there" {
	cp "$TRAIN" a.sqlite
	cp "$FIXTURES/train-allocs.sqlite" b.sqlite
	compared a.sqlite b.sqlite
	holds "$(md)" "A typical step in \`a.sqlite\` takes" "A typical step in \`b.sqlite\` takes" "\`nsq-diff a.sqlite b.sqlite\`"
	cp a.sqlite c.sqlite
	compared -m 'step [2-6]' a.sqlite c.sqlite
	command=$(md | sed -n 's/.*`\(nsq-diff .*\)`$/\1/p')
	same "$(bash -c "$command -q -f csv")" "$(cat r/tables/difference.csv)"
	holds "$(md)" "| part | before | after | difference | difference (%) | p | change |" "| copy.pageable | $(row=$(grep copy.pageable r/tables/difference.csv); for k in before after delta; do
		time_of "$(awk -F, -v k=$k 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == k) c = i } /copy.pageable/ { print $c }' r/tables/difference.csv)"; printf ' | '; done)"
	same "nsq-diff -m 'step [2-6]' a.sqlite c.sqlite" "$command"
	nsq-report -q -o other a.sqlite "$NODES" > rows
	holds "$(md other)" "What differs between the two cannot be said: the steps of " "shows the names).
"
	same "4 4" "$(bash -c "$command -q" | col n_before n_after | sort -u | xargs)"     # all but the last
}

@test "a slice is called one before anything else is said of it" {
	nsq-window -q "$TRAIN" | nsq-slice -q -o s.sqlite > /dev/null
	compared s.sqlite
	same "\`s.sqlite\` **is a slice**: it holds what happened" "$(md | sed -n 3p | cut -d' ' -f1-8)"
	compared "$TRAIN"
	lacks "$(md)" "is a slice"
}

# ---- the folder

@test "without -o the folder has the name of the trace, in the current folder" {
	mkdir there
	cp "$COMPILE" there/run.sqlite
	cp "$COMPILE" there/plain
	nsq-report -q there/run.sqlite > /dev/null
	nsq-report -q there/plain > /dev/null
	same "plain.report run.report there" "$(ls | xargs)"
	same "plain run.sqlite" "$(ls there | xargs)"
	same "report.html report.json report.md tables" "$(ls run.report | xargs)"
	fails 2 "a report of 2 traces has no name of its own" "-o DIR" -- nsq-report "$COMPILE" "$DDP"
}

# bats test_tags=long
@test "an existing folder needs --force, and is replaced as a whole" {
	nsq-report -q -o r --phases "$TESTS/../share/rules/stages.tsv" "$COMPILE" > /dev/null
	[ -e r/tables/phases.csv ]
	before=$(cat r/report.json r/tables/*)
	fails 2 "'r' exists; --force replaces it" -- nsq-report -o r "$COMPILE"
	same "$before" "$(cat r/report.json r/tables/*)"
	nsq-report -q -o r/ --force "$COMPILE" > /dev/null
	[ ! -e r/tables/phases.csv ]
	same "[\"$COMPILE\"]" "$(jq -c .traces r/report.json)"
	mkdir empty
	fails 2 "'empty' exists" -- nsq-report -o empty "$COMPILE"
	nsq-report -q -o empty --force "$COMPILE" > /dev/null
	[ -e empty/report.md ]
	same "empty r" "$(ls | xargs)"
}

# bats test_tags=more
@test "a stranger's folder is never replaced, nor a report that something was put into" {
	mkdir mine
	echo keep > mine/notes.txt
	fails 2 "'mine' holds 'notes.txt'" "name another folder" -- nsq-report -o mine --force "$COMPILE"
	same keep "$(cat mine/notes.txt)"
	mkdir looks
	echo '{"format":"other","files":["report.json"]}' > looks/report.json
	fails 2 "'looks' holds 'report.json'" -- nsq-report -o looks --force "$COMPILE"
	for extra in $(first_few 1 tables/extra.csv extra.txt tables/more/x deep/er/x); do
		compared "$COMPILE"
		mkdir -p "r/$(dirname $extra)"
		echo mine > r/$extra
		fails 2 "'r' holds '$extra'" -- nsq-report -o r --force "$COMPILE"
		same mine "$(cat r/$extra)"
	done
	same "findings.tsv looks mine r" "$(ls | xargs)"
}

@test "the current folder is not replaced, by whatever name; an empty one that ends in a dot is" {
	for place in . ./ "$PWD" ../here ./.; do
		for force in "" --force; do
			fails 2 "'$place' is the current folder, which cannot be replaced; name one inside it, as in '-o report'" -- nsq-report $force -o "$place" "$COMPILE"
		done
	done
	same "" "$(ls -A)"
	mkdir -p in/side
	fails 2 "'..' holds 'here/in/side'" -- nsq-report --force -o .. "$COMPILE"
	fails 2 "'in/side/..' holds 'side'" -- nsq-report --force -o in/side/.. "$COMPILE"
	for place in in/side/. in/side/.//./; do
		nsq-report -q --force -o $place "$COMPILE" > /dev/null
		same "side report.html report.json report.md tables" "$(ls -A in in/side | grep -v : | xargs)"
		rm -rf in/side/*
	done
}

# bats test_tags=more
@test "only what the list of files names is removed, though other names stand in report.json too" {
	cp "$COMPILE" mine.sqlite
	nsq-report -q -o r mine.sqlite > /dev/null
	mv r ../whole
	fresh() { rm -rf r; cp -r ../whole r; }
	kept() { fails 2 "'r' holds '$1', which is not part of what would be replaced; name another folder" -- nsq-report --force -o r mine.sqlite; }
	for name in $(first_few 1 notes python3 mine.sqlite command); do
		fresh
		grep -q "\"$name\"" r/report.json
		echo mine > r/$name
		kept $name
		same mine "$(cat r/$name)"
	done
	for name in $(first_few 1 tables/kernels.csv mine.sqlite python3); do  # the trace itself: a link to it, a copy, under a name of ours
		fresh
		ln -sf "$PWD/mine.sqlite" r/$name
		kept $name
		[ -L r/$name ]
		rm r/$name
		cp mine.sqlite r/$name
		kept $name
		cmp mine.sqlite r/$name
	done
	fresh
	mv r/report.md mine.md
	ln -s ../mine.md r/report.md
	kept report.md
	[ -L r/report.md ]
	rm mine.md
	for name in $(first_few 1 tables/python3 python3); do
		fresh
		mkdir r/$name
		kept $name
		[ -d r/$name ]
	done
	fresh
	ln -sf "$PWD/mine.sqlite" r/b
	echo mine > r/a
	kept a
	rm r/a r/b
	nsq-report -q --force -o r mine.sqlite > /dev/null
	same "mine.sqlite r" "$(ls | xargs)"
}

@test "a list of files is read to its end and no further" {
	for list in '"files":["report.json"],"others":["keep"]' '"files":["report.json","ke\u0065p"]' '"files":["report.json","keep"' \
		'"files":["report.json","../other/keep"]' '"files":["report.json","keep","]' '"files":["report.json","keep\]' '"notes":["\"files\":[","keep"],"files":["report.json"]'; do
		rm -rf other
		mkdir other
		echo keep > other/keep
		echo "{\"format\":\"nsq-report\",\"version\":1,$list}" > other/report.json
		fails 2 "'other' holds 'keep'" -- nsq-report --force -o other "$COMPILE"
		same keep "$(cat other/keep)"
	done
	sed -i 's/"files":.*/"files":["keep","report.json"]}/' other/report.json
	nsq-report -q --force -o other "$COMPILE" > /dev/null
	[ ! -e other/keep ]
}

@test "a file, a trace or a link in the place of the folder is left alone" {
	cp "$COMPILE" t.sqlite
	echo text > file
	mkdir real
	ln -s real link
	for place in t.sqlite file link; do
		fails 2 "'$place' is not a folder" -- nsq-report --force -o $place "$COMPILE"
		fails 2 "'$place' is not a folder" -- nsq-report -o $place "$COMPILE"
	done
	cmp t.sqlite "$COMPILE"
	same text "$(cat file)"
	same "" "$(ls real)"
}

@test "a folder that cannot be written: exit 1, and why" {
	nsq-report -q -o no/such/r "$COMPILE" > /dev/null         # its folders are made
	[ -s no/such/r/report.md ]
	echo > file
	fails 1 "cannot write 'file/r'" "Not a directory" -- nsq-report -q -o file/r "$COMPILE"
	[ "$(id -u)" -eq 0 ] && skip "root may write everywhere"
	mkdir locked
	chmod a-w locked
	fails 1 "cannot write 'locked/r'" "Permission denied" -- nsq-report -q -o locked/r "$COMPILE"
}

plain_build() { if grep -q __asan_init "$NSQ_BIN/nsq-report"; then skip "the sanitizer comes first"; fi; }

# with FAULT ARGS...: nsq-report when that happens.  Whoever runs the suite in the background may ignore SIGINT; it does not.
with() {
	local fault=$1
	shift
	FAULTS=$fault LD_PRELOAD=$BATS_FILE_TMPDIR/faults.so perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' nsq-report "$@"
}

# bats test_tags=more
@test "a full disk leaves what was there, and nothing else" {
	plain_build
	for ((at = 1; at <= 400; at += $(if more; then echo 9; else echo 80; fi))); do
		run --separate-stderr with write:$at -q -o r "$COPIES"
		[ "$status" = 0 ] && break
		same "1 nsq-report: cannot write 'r': No space left on device" "$status $stderr"
		same "" "$output"
		same "" "$(ls)"
	done
	[ "$at" -gt 25 ]
	[ "$at" -lt 400 ]
	before=$(cat r/report.md r/tables/*)
	for at in $(first_few 1 9 1 2); do
		run --separate-stderr with write:$at -q --force -o r "$COMPILE"
		same 1 "$status"
		same r "$(ls)"
		same "$before" "$(cat r/report.md r/tables/*)"
	done
}

# bats test_tags=more,slow
@test "an interruption leaves nothing, or the whole" {
	plain_build
	for ((at = 1; at <= 90; at += $(if more; then echo 4; else echo 28; fi))); do
		rm -rf r
		run --separate-stderr with signal:$at -q -o r "$COPIES"
		[ "$status" = 0 ] && break
		same 130 "$status"
		[ -z "$(ls)" ] || { same r "$(ls)"; if more; then python3 "$TESTS/tools/report.py" r; fi; }
	done
	[ "$at" -gt 25 ]
	[ "$at" -lt 90 ]
	before=$(cat r/report.md r/tables/*)
	for at in $(first_few 1 9 1 3); do
		run --separate-stderr with signal:$at -q --force -o r "$COMPILE"
		same 130 "$status"
		same r "$(ls)"
		same "$before" "$(cat r/report.md r/tables/*)"
	done
	run --separate-stderr bash -c 'trap "" INT; FAULTS=signal:3 LD_PRELOAD=$1 nsq-report -q --force -o r "$2"' - "$BATS_FILE_TMPDIR/faults.so" "$COMPILE"
	same 0 "$status"         # who ignores the signal goes on
}

# bats test_tags=slow
@test "where two folders cannot be exchanged, the old one goes first and comes back if need be" {
	plain_build
	nsq-report -q -o r "$COMPILE" > /dev/null
	files=$(jq '.files | length' r/report.json)
	with exchange:1 -q --force -o r "$DDP" > /dev/null
	same "[\"$DDP\"]" "$(jq -c .traces r/report.json)"
	same r "$(ls)"
	before=$(cat r/report.md r/tables/*)
	# each file is renamed, then the old folder, then the new one, and then the old one back
	for at in 1 $((files + 1)) $((files + 2)); do
		run --separate-stderr env FAULTS="exchange:1 rename:$at" LD_PRELOAD="$BATS_FILE_TMPDIR/faults.so" nsq-report -q --force -o r "$COMPILE"
		same "1 nsq-report: cannot write 'r': Input/output error" "$status $stderr"
		same r "$(ls)"
		same "$before" "$(cat r/report.md r/tables/*)"
	done
}

@test "a report that must be exported first: run.nsys-rep writes run.report" {
	cat > nsys <<-'END'
		#!/bin/bash
		while [ $# -gt 1 ]; do [ "$1" = --output ] && to=$2; shift; done
		cp "$EXPORT" "$to"
	END
	chmod +x nsys
	echo report > run.nsys-rep
	EXPORT=$TRAIN nsq-report -q --nsys ./nsys run.nsys-rep > out
	same "$(nsq-advise -q run.nsys-rep)" "$(cat out)"
	told run.report
	holds "$(md run.report)" "# Report on \`run.nsys-rep\`"
}

# ---- the command line

@test "what it takes: traces, no tables; unknown and wrong options exit 2" {
	nsq-kernels -q "$COPIES" > t.tsv
	fails 2 "'t.tsv' is not a trace" -- nsq-report -o r t.tsv
	fails 2 "TRACE..." -- nsq-report
	for option in --nonsense "-w 0..5" "-p 5" --merge; do fails 2 "unknown option '${option%% *}'" -- nsq-report $option "$TRAIN"; done
	fails 2 "'-m' needs a regular expression" -- nsq-report -m '(' "$TRAIN"
	fails 2 "'--comm' needs a regular expression" -- nsq-report --comm '[' "$TRAIN"
	fails 2 "'--warn-below'" -- nsq-report --warn-below x "$TRAIN"
	fails 2 "'-H' does not work in the format tsv" -- nsq-report -H "$TRAIN"
	same "" "$(ls -d r 2> /dev/null)"
	run nsq-report --help
	same 0 "$status"
	same "usage: nsq-report [options] TRACE..." "${lines[0]}"
}

@test "a table that cannot be printed is a lost write, but the folder is whole" {
	run bash -c 'nsq-report -q -o r "$1" 2>&1 > /dev/full' - "$TRAIN"
	same "1 nsq-report: cannot write the table: No space left on device" "$status $output"
	told r
	same "report.html report.json report.md tables" "$(ls r | xargs)"
}

# falls TITLE: the bars of the picture, from the top: does each begin where the one before it ends, from the whole down to zero?
falls() {
	picture "$1" | sed -n 's/.*class="mark"[^>]* x="\([^"]*\)" y="\([^"]*\)" width="\([^"]*\)".*<title>\([^:]*\): \(.*\)<\/title>.*/\2\t\1\t\3\t\4\t\5/p' |
		sort -n | awk -F '\t' 'NR == 1 { left = $2; at = $2 + $3 } NR > 1 { if ($2 + $3 - at > .02 || at - $2 - $3 > .02) print $4 " begins elsewhere"; at = $2 }
			{ print $4 } END { if (at - left > .02 || left - at > .02) print "it does not end at zero" }'
}

# bats test_tags=long
@test "the ledger as a waterfall: from the length of the step down through its owners, as the table has them" {
	cd "$BATS_TEST_TMPDIR"
	nsq-report -q -o r "$FIXTURES/train.sqlite" > rows
	same "$(echo step; jq -r '.tables.typical_step_ledger.rows[].owner' r/report.json)" "$(falls 'Where the time goes, owner by owner')"
	# of several the longest, on one GPU
	nsq-report -q --force -o r "$FIXTURES"/collectives-rank*.sqlite > rows
	same "$(echo step; jq -r '[.tables.typical_step_ledger.rows | group_by([.trace, .pid, .gpu])[] | { all: (map(.dur_ns) | add), owners: map(.owner) }] | max_by(.all).owners[]' r/report.json)" \
		"$(falls 'Where the time goes, owner by owner')"
}

@test "host name and command line are left out unless --keep names them" {
	compared "$TRAIN"
	same "" "$(grep -hE 'host.name|capture.command|node0|python3 8' r/tables/facts.csv | head -1)"
	lacks "$(cat r/report.json r/report.md r/report.html)" "node0"
	compared --keep host "$TRAIN"
	same "host.name,node0" "$(grep -hE 'host.name|capture.command' r/tables/facts.csv | cut -d, -f1,2)"
	holds "$(jq -r .command r/report.json)" " --keep host "
	compared --keep host,command "$TRAIN"
	same 2 "$(grep -cE '^(host.name|capture.command),' r/tables/facts.csv)"
	fails 2 "'--keep' does not know 'user'" -- nsq-report --keep user -o s "$TRAIN"
}

@test "--view writes a timeline beside it, and links into it with the step and what to look for" {
	compared --view "$TRAIN"
	step=$(nsq-window -q --period "$TRAIN" | tail -1 | awk '{ print "from=" $3 "&to=" $4 }')
	holds "$(sed 's/&amp;/\&/g' r/report.html)" "\"view.html#$step\"" "\"view.html#$step&find=attention\""
	lacks "$(md)" "view.html"        # a link that would break in a pull request
	same "view.html" "$(jq -r '.files[]' r/report.json | grep view)"
	grep -q '<title>' r/view.html
	same 0 "$(grep -c '"cell"' r/view.html)"         # every event is there one by one
	nsq-report -q --force -o r "$TRAIN" > /dev/null
	[ ! -e r/view.html ]
	lacks "$(md)" "view.html"
}

@test "--view: a finding about some steps links to one of them, the others to the typical step" {
	nsq-report -q --view -o r "$FIXTURES/threads-copies.sqlite" > /dev/null
	at() { nsq-window -q --period --pick all --skip 0 "$FIXTURES/threads-copies.sqlite" | where index "$1" | col start_ns end_ns | sed 's/^/view.html#from=/; s/\t/\&to=/'; }
	page=$(sed 's/&amp;/\&/g' r/report.html)
	same "$(at 6)" "$(grep -o 'Some steps take longer.*view.html#[^"]*' <<< "$page" | grep -o 'view.html.*')"
	same "$(at 5)" "$(grep -o 'Pageable.*view.html#[^"&]*&[^"&]*' <<< "$page" | grep -o 'view.html.*')"
}

@test "a finding of one kind is one entry, with its place" {
	xz -dc "$FIXTURES/faults/slowopt.sqlite.xz" > slowopt.sqlite
	compared slowopt.sqlite
	same "optimizer" "$(where kind small < findings.tsv | col where | sort | xargs)"
	ns=$(where kind small < findings.tsv | sum recover_ns)
	holds "$(md)" "1. **Small kernels** (\`small\`) in \`optimizer\`: worth at most **$(time_of "$ns")** of a step"
	same 1 "$(md | grep -c '\*\*Small kernels\*\*')"
}

@test "the streams shown are the busiest" {
	compared "$DUALPIPE"
	same "$(nsq-streams -q "$DUALPIPE" | col busy_ns rank stream | sort -rn | head -5 | cut -f2,3 | tr '\t' ' ')" \
		"$(md | sed -n '/^## Streams/,/^<details>/p' | sed -nE 's/^\| ([0-9]) \| ([0-9]+) \|.*/\1 \2/p')"
}

@test "the strip: the streams of the step that is drawn and, beside them, why the GPU is idle; in milliseconds, however short" {
	compared "$NODES"
	strip=$(picture "What runs on each stream")
	for lane in stream "stream 7" idle; do grep -q ">$lane</text>" <<< "$strip"; done
	holds "$strip" "time (ms)" ">launch</text>" ">compute</text>"
	holds "$(md)" "5 of the first 1000 rows, which are in \`tables/idle_gaps.csv\`"
	same 3 "$(grep -A1 'class="narrow"' r/report.html | grep -c '<svg.* width="400"')"        # of each picture one for a phone
	# one word for a stretch of time: that of the ledger
	xz -dc "$FIXTURES/faults/item.sqlite.xz" > item.sqlite
	compared item.sqlite
	owners=$(nsq-sql -q 'SELECT owner, sum(dur_ns) AS ns FROM t GROUP BY 1 ORDER BY 2 DESC' r/tables/drawn_step_owners.csv | tail -n +2)
	same "$(jq -r '.tables.typical_step_ledger.rows[] | [.owner, .dur_ns] | @tsv' r/report.json)" "$owners"
	same "$(cut -f1 <<< "$owners" | grep -xE 'sync|host|launch' | head -1)" \
		"$(picture "What runs on each stream" | grep -oE '>(sync|host|launch)</text>' | head -1 | sed -E 's/>([a-z]*).*/\1/')"
}

# bats test_tags=long
@test "of several ranks the longest step is drawn, and below it, on one scale, one of middle length" {
	nsq-report -q -o r "$FIXTURES"/collectives-rank*.sqlite > /dev/null
	strip=$(picture "What runs on each stream")
	holds "$strip" ">rank 3, the longest<" ">rank 1, of middle length<"
	# the tables of both are those of their commands, and the second is no longer than the first
	lengths=$(jq -r '.tables | .drawn_step_owners, .beside_step_owners | [.rows[].dur_ns] | add' r/report.json | xargs)
	[ "${lengths% *}" -ge "${lengths#* }" ]
	same "$(jq -r '[.tables.typical_step.rows[] | .end_ns - .start_ns] | sort | "\(.[3]) \(.[1])"' r/report.json)" "$lengths"
	same 4736 "$(jq -r '.tables.beside_step_owners.rows[0].pid' r/report.json)"
	nsq-report -q --force -o r "$TRAIN" > /dev/null
	[ ! -e r/tables/beside_step_owners.csv ]
	# a late rank need not be the longest: the others wait for it
	for f in "$FIXTURES"/faults/jobs/job-latecpu-*.xz; do xz -dc "$f" > "$(basename "$f" .xz)"; done
	compared job-latecpu-rank*.sqlite
	holds "$(picture "What runs on each stream")" ">rank 1, the longest<" ">rank 2, late<"
	holds "$(sed 's/<[^>]*>//g' r/report.html)" "the longest of the typical steps, and below it rank 2, which is late."
	same "rank 2 tokenize host" "$(awk -F '\t' '$7 == "late" { print "rank", $2, $11 }' findings.tsv) $(nsq-sql -q 'SELECT owner FROM t GROUP BY 1 ORDER BY sum(dur_ns) DESC LIMIT 1' r/tables/beside_step_owners.csv | tail -1)"
}

# bats test_tags=long
@test "report.md stands alone: base names unless two are equal, no links, bars as text; each table says what it is of" {
	mkdir -p a b
	cp "$TRAIN" a/x.sqlite; cp "$FIXTURES/train-allocs.sqlite" b/y.sqlite; cp "$FIXTURES/train-allocs.sqlite" b/x.sqlite
	nsq-report -q -o a/r a/x.sqlite b/y.sqlite > /dev/null
	lacks "$(md a/r)" "a/x.sqlite" "b/y.sqlite" "a/r" "](" "<img"
	holds "$(md a/r)" "# Report on \`x.sqlite\`, \`y.sqlite\`" "nsq-advise x.sqlite y.sqlite" "| ████████████████████ |" "nsq-report -o r x.sqlite y.sqlite"
	same "$(md a/r | grep -c '^|--*:*|\|^|---')" "$(md a/r | grep -cE '^(That|The|All|A) [a-z ]*(, in `[a-z.]*`)?:$|^\| key ')"
	lacks "$(md a/r)" "<!--"
	holds "$(jq -r .command a/r/report.json)" "a/x.sqlite b/y.sqlite"
	nsq-report -q -o s a/x.sqlite b/x.sqlite > /dev/null
	holds "$(md s)" "nsq-advise a/x.sqlite b/x.sqlite"
	# the path of one trace is part of another's
	mkdir ba && cp "$NODES" ba/x.sqlite.1
	nsq-report -q -o u a/x.sqlite ba/x.sqlite.1 > /dev/null
	holds "$(md u)" "nsq-advise x.sqlite x.sqlite.1"
	# each trace has its own steps
	same "step # decode step" "$(md u | sed -n 's/^A typical step in .* steps, `\([^`]*\)`.*/\1/p' | xargs)"
}

@test "an option of nsq-advise is named with its tool; a terminal gets the same words as from nsq-advise" {
	needs_terminal
	nsq-report -v -o r "$TRAIN" > /dev/null 2> said
	grep -q -- "nsq-advise --min-pct" said
	same "" "$(grep -E -- '--(min-pct|step-time)' said r/report.md | grep -vE -- 'nsq-advise --(min-pct|step-time)')"
	for tool in "nsq-advise" "nsq-report --force -o r"; do
		NO_COLOR=1 script -qec "stty cols 80; $tool -q $TRAIN" /dev/null < /dev/null | tr -d '\r' > "${tool%% *}"
	done
	grep -q '^ 1\. GPU waits for the CPU (host): saves at most 3.44 ms per step' nsq-report
	diff nsq-advise nsq-report
}

@test "the tables of kernels by process and of copies are by GPU too, where a process has several" {
	t=$(change "$COPIES" "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 1 WHERE rowid % 2; UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = 1 WHERE rowid % 2")
	nsq-report -q -o "$BATS_TEST_TMPDIR/gpus" "$t" > /dev/null
	for table in kernels_by_process copies; do
		same "0 1" "$(tail -n +2 "$BATS_TEST_TMPDIR/gpus/tables/$table.csv" | cut -d, -f5 | sort -u | xargs)"
	done
}
